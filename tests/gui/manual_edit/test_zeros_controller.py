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


def zero_notices(person):
    """Wait until the zeros of the file are counted; return the notices that report no problem."""
    person.wait(lambda: person.workbench.manual_edit.zeros.report is not None)
    return person.notices


def test_zeros_are_told_of_and_treated_as_pruned_by_one_click(person, sparse):
    person.open_file(sparse)
    (notice,) = zero_notices(person)
    assert notice.replace("\u00a0", " ") == (
        "41.7 % of the weights in 3 tensors are zero (2:4 pattern in 2)."
    )
    assert person.trouble == []
    shown = person.window.notices.notices[0]
    person.window.resize(1280, 800)
    person.pause(20)
    assert shown.sentence.height() <= 2 * shown.fontMetrics().lineSpacing() + 2
    person.click(shown.more)
    person.click(shown.copy)
    lines = QApplication.clipboard().text().replace("\u00a0", " ").splitlines()
    assert lines[2] == "layers.0.weight, 256 of 512 are 0 (50.0 %), 2:4 pattern"
    assert lines[4].startswith(
        "layers.2.weight, 128 of 512 are 0 (25.0 %), 4 whole slices along dim 0"
    )
    assert person.states == ["Opened"]

    assert shown.action.text() == "Treat zeros as pruned"
    person.click(shown.action)
    person.wait(lambda: len(person.states) == 2)
    assert person.states[1] == "Zeros of the file treated as pruned"
    assert person.notices == []
    assert person.document.masks.pruned("layers.0.weight") == 256
    assert person.cell("layers.2.weight", Column.SPARSITY).endswith("25.0 %")
    assert not person.session.unexported, "an export has the same values"
    person.ask_amount("50 %")
    report = person.wait_preview()
    assert [t.after for t in report.tensors] == [384, 384, 320, 256], (
        "amounts count the existing zeros"
    )

    person.key("Ctrl+Z", person.window)  # not to the field, which has its own undo
    assert not person.document.masks
    person.pause(600)
    person.wait_idle()
    assert person.notices == [], "shown once"


def test_a_file_of_few_zeros_says_nothing(person, sparse):
    person.open_file(sparse)
    zeros = person.workbench.manual_edit.zeros
    assert zeros.report is None
    person.menu("File", "Close")
    person.pause(600)
    assert zeros.report is None, "the file was closed before the search"
    assert person.notices == []

    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)
    assert zero_notices(person) == []
    person.menu("Prune", "Treat zeros as pruned")
    person.wait(lambda: person.trouble)
    (trouble,) = person.trouble
    assert trouble.replace("\u00a0", " ") == (
        "No weight tensor has 1 % or more zeros that are not already pruned. "
        "Biases and norms are not considered."
    )
    assert person.states == ["Opened"]

    # Zeros that were made permanent can be treated as pruned again.
    person.window.notices.clear()
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: person.document.masks)
    pruned = {row.name: person.document.masks.pruned(row.name) for row in person.session.rows}
    person.menu("Prune", "Make permanent")
    person.menu("Prune", "Treat zeros as pruned")  # queued after it
    person.wait(lambda: len(person.states) == 4)
    assert person.trouble == []
    assert pruned == {
        row.name: person.document.masks.pruned(row.name) for row in person.session.rows
    }


def test_what_was_exported_here_is_told_of_when_it_is_opened_again(person, tmp_path):
    """A dense export contains zeros, but no masks."""
    out = tmp_path / "out.safetensors"
    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)
    person.wait_preview()
    person.click(person.button)
    person.wait_idle()
    assert person.export(out) is not None
    person.close_report()
    person.open_file(out)
    (notice,) = zero_notices(person)
    assert "20.0" in notice
    assert "are zero." in notice
    resumable = tmp_path / "resumable.safetensors"
    person.menu("Prune", "Treat zeros as pruned")
    person.wait(lambda: len(person.states) == 2)
    assert person.export(resumable, "resumable") is not None
    person.close_report()
    person.open_file(resumable)
    assert zero_notices(person) == [], "the file contains masks"
