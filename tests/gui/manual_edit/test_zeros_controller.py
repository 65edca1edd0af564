"""Zeros that a file already has: a notice, one click, and further pruning starts from there."""

from __future__ import annotations

import pytest
import torch
from PySide6.QtWidgets import QApplication
from safetensors.torch import save_file

from pruneapp import resources
from pruneapp.gui.tree.columns import Column

SAMPLE = resources.path("sample/lenet-digits.safetensors")


@pytest.fixture
def sparse(tmp_path):
    """Write a file with two tensors pruned 2:4, and one by channels."""
    generator = torch.Generator().manual_seed(2)
    tensors = {f"layers.{n}.weight": torch.randn(16, 32, generator=generator) for n in range(4)}
    for n in (0, 1):
        groups = tensors[f"layers.{n}.weight"].view(16, 8, 4)
        lowest = groups.abs().topk(2, dim=2, largest=False).indices
        groups.scatter_(2, lowest, 0.0)
    tensors["layers.2.weight"][3:7] = 0
    path = tmp_path / "sparse.safetensors"
    save_file(tensors, path)
    return path


def zero_notices(user):
    """Wait until the zeros of the file are counted; return the notices that report no problem."""
    user.wait(lambda: user.workbench.manual_edit.zeros.report is not None)
    return user.notices


def test_zeros_are_told_of_and_treated_as_pruned_by_one_click(user, sparse):
    user.open_file(sparse)
    (notice,) = zero_notices(user)
    assert notice.replace("\u00a0", " ") == (
        "41.7 % of the weights in 3 tensors are zero (2:4 pattern in 2)."
    )
    assert user.trouble == []
    shown = user.window.notices.notices[0]
    user.window.resize(1280, 800)
    user.pause(20)
    assert shown.sentence.height() <= 2 * shown.fontMetrics().lineSpacing() + 2
    user.click(shown.more)
    user.click(shown.copy)
    lines = QApplication.clipboard().text().replace("\u00a0", " ").splitlines()
    assert lines[2] == "layers.0.weight, 256 of 512 are 0 (50.0 %), 2:4 pattern"
    assert lines[4].startswith(
        "layers.2.weight, 128 of 512 are 0 (25.0 %), 4 whole slices along dim 0"
    )
    assert user.states == ["Opened"]

    assert shown.action.text() == "Treat zeros as pruned"
    user.click(shown.action)
    user.wait(lambda: len(user.states) == 2)
    assert user.states[1] == "Zeros of the file treated as pruned"
    assert user.notices == []
    assert user.document.masks.pruned("layers.0.weight") == 256
    assert user.cell("layers.2.weight", Column.SPARSITY).endswith("25.0 %")
    states = user.views.history.tree.states
    user.wait(lambda: states.row_of(1).sparsity is not None)
    assert states.row_of(0).sparsity == 0
    assert states.row_of(1).sparsity == pytest.approx(640 / 2048)
    assert states.row_of(1).nbytes < states.row_of(0).nbytes
    assert not user.session.unexported, "an export has the same values"
    user.ask_amount("50 %")
    report = user.wait_preview()
    assert [t.after for t in report.tensors] == [384, 384, 320, 256], (
        "amounts count the existing zeros"
    )

    user.key("Ctrl+Z", user.window)  # not to the field, which has its own undo
    assert not user.document.masks
    user.pause(600)
    user.wait_idle()
    assert user.notices == [], "shown once"


def test_a_file_of_few_zeros_says_nothing(user, sparse):
    user.open_file(sparse)
    zeros = user.workbench.manual_edit.zeros
    assert zeros.report is None
    user.menu("File", "Close")
    user.pause(600)
    assert zeros.report is None, "the file was closed before the search"
    assert user.notices == []

    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    assert zero_notices(user) == []
    user.menu("Prune", "Treat zeros as pruned")
    user.wait(lambda: user.trouble)
    (trouble,) = user.trouble
    assert trouble.replace("\u00a0", " ") == (
        "No weight tensor has 1 % or more zeros that are not already pruned. "
        "Biases and norms are not considered."
    )
    assert user.states == ["Opened"]

    # Zeros that were made permanent can be treated as pruned again.
    user.window.notices.clear()
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.masks)
    pruned = {row.name: user.document.masks.pruned(row.name) for row in user.session.rows}
    user.menu("Prune", "Make permanent")
    user.menu("Prune", "Treat zeros as pruned")  # queued after it
    user.wait(lambda: len(user.states) == 4)
    assert user.trouble == []
    assert pruned == {row.name: user.document.masks.pruned(row.name) for row in user.session.rows}


def test_what_was_exported_here_is_told_of_when_it_is_opened_again(user, tmp_path):
    """A dense export contains zeros, but no masks."""
    out = tmp_path / "out.safetensors"
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    user.wait_preview()
    user.click(user.button)
    user.wait_idle()
    assert user.export(out) is not None
    user.close_report()
    user.open_file(out)
    (notice,) = zero_notices(user)
    assert "20.0" in notice
    assert "are zero." in notice
    resumable = tmp_path / "resumable.safetensors"
    user.menu("Prune", "Treat zeros as pruned")
    user.wait(lambda: len(user.states) == 2)
    assert user.export(resumable, "resumable") is not None
    user.close_report()
    user.open_file(resumable)
    assert zero_notices(user) == [], "the file contains masks"
