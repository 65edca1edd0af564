"""Exporting a file with unreadable tensors asks the user for confirmation."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton
from safetensors.torch import load_file

from pruneapp.export.formats.torch import TORCH
from tests.support.unusual_tensors import READABLE, dtensor, plain

pytestmark = [
    pytest.mark.logs,  # by torch, when torch.distributed is imported
    pytest.mark.filterwarnings("ignore:.*Sparse.*"),
]


@pytest.fixture
def mixed(tmp_path):
    path = tmp_path / "mixed.pt"
    content = {
        "a.weight": plain(1, 16, 16),
        "b.weight": dtensor(2, (8, 16), "shard", 2),
        "c.weight": torch.empty(4, 4, device="meta"),
        "d.weight": plain(3, 16, 16).numpy(),
        "e.weight": READABLE["CSR"](),
    }
    torch.save(content, path)
    return path


@pytest.fixture
def opened(user, mixed):
    return user.open_file(mixed)


def request_export(user, name: str):
    """Request an export under a name; return its path."""
    dialog = user.open_export()
    wanted = "torch" if name.endswith(".pt") else "safetensors"
    out = user.document.checkpoint.path.with_name(name)
    radio = dialog.formats.radios[wanted]
    user.click(radio, QPoint(8, radio.height() // 2))
    user.type(dialog.target.path, str(out))
    user.click(dialog.go)
    return out


def test_nothing_is_computed_or_written_before_the_answer(opened, mixed):
    asked = opened.answers("Cancel")
    out = request_export(opened, "out.safetensors")
    opened.wait(lambda: asked)
    assert asked[0].startswith("2 tensors of the file cannot be written in this format.")
    assert "b.weight: it is a DTensor of shape [16, 16]" in asked[0].replace("\u200b", "")
    assert "c.weight: it is a tensor of shape [4, 4] on the meta device" in asked[0]
    assert opened.workbench.export.report is None
    assert not out.exists()
    assert opened.trouble == []

    # An export without them says so in its report.
    opened.answers("Exclude and export")
    out = request_export(opened, "out.safetensors")
    opened.wait(lambda: opened.workbench.export.report is not None)
    notes = [label.text() for label in opened.workbench.export.report.notes]
    assert any("'b.weight', 'c.weight' were excluded as requested" in note for note in notes)
    assert any("'d.weight' (a numpy array)" in note for note in notes)
    assert set(load_file(out)) == {"a.weight", "d.weight", "e.weight"}
    opened.close_report()


def test_the_question_is_answered_by_keys(opened, mixed):
    seen: list[str] = []

    def answer() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            return
        timer.stop()
        seen.append(box.defaultButton().text())
        for _ in range(4):
            focus = box.focusWidget()
            if isinstance(focus, QPushButton) and focus.text() == "Exclude and export":
                QTest.keyClick(focus, Qt.Key.Key_Space)
                return
            QTest.keyClick(focus or box, Qt.Key.Key_Tab)
        box.reject()

    timer = QTimer(opened.window)
    timer.timeout.connect(answer)
    timer.start(5)
    out = request_export(opened, "out.safetensors")
    opened.wait(lambda: opened.workbench.export.report is not None)
    assert seen == ["Cancel"]
    assert out.exists()
    opened.close_report()


def test_a_container_that_keeps_them_asks_nothing(opened, mixed):
    assert TORCH.keeps(opened.document.checkpoint)
    out = request_export(opened, "out.pt")
    opened.wait(lambda: opened.workbench.export.report is not None)
    notes = [label.text() for label in opened.workbench.export.report.notes]
    assert any("were not read, and were written unchanged" in note for note in notes)
    found = torch.load(out, weights_only=False)
    assert found["c.weight"].is_meta
    assert isinstance(found["d.weight"], np.ndarray)
    opened.close_report()

    # Only the plan of the file tells that a pruned CSR matrix needs another container.
    opened.wait_preview()
    opened.click(opened.button)
    opened.wait(lambda: opened.document.position == 1)
    asked = opened.answers("Exclude and export")
    out = request_export(opened, "out.pt")
    opened.wait(lambda: opened.workbench.export.report is not None)
    assert len(asked) == 1
    assert set(torch.load(out)) == {"a.weight", "d.weight", "e.weight"}
    opened.close_report()
