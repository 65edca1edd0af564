"""The dialog before an export, and the report after it."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from pruneapp.answers import TensorSparsity
from pruneapp.gui.views.export_dialog import ExportDialog, ExportWish, FormatForm
from pruneapp.gui.views.export_report import ExportReportDialog, ReportText

FORMS = (
    FormatForm("safetensors", "safetensors", "Dense.", (".safetensors",), 43_012_345),
    FormatForm("torch", "torch", "As it was opened.", (".pt", ".pth"), 44_000_000),
    FormatForm("resumable", "resumable", "With masks.", (".pt",), None, "It has no container."),
)


@pytest.fixture
def dialog(qtbot, tmp_path):
    found = ExportDialog()
    qtbot.addWidget(found)
    found.set_formats(FORMS)
    found.set_source(str(tmp_path / "m.safetensors"), "m.orig.safetensors")
    found.set_target(str(tmp_path / "pruned.safetensors"))
    with qtbot.waitExposed(found):
        found.show()
    return found


def test_the_button_says_how_large_and_the_dialog_that_zeros_do_not_shrink(dialog):
    assert dialog.go.text() == "Export 43 MB"
    assert "Zeros do not make a dense file smaller" in dialog.dense.text()


def test_the_wish_is_announced_and_closes_the_dialog(dialog, qtbot, tmp_path):
    with qtbot.waitSignal(dialog.exportRequested) as told:
        qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    assert told.args == [ExportWish("safetensors", str(tmp_path / "pruned.safetensors"))]
    assert not dialog.isVisible()


def test_the_suffix_follows_the_format(dialog, qtbot):
    radio = dialog.radios["torch"]
    qtbot.mouseClick(radio, Qt.MouseButton.LeftButton, pos=QPoint(8, radio.height() // 2))
    assert dialog.path.text().endswith("pruned.pt")
    assert dialog.go.text() == "Export 44 MB"


def test_a_format_that_cannot_be_is_dimmed_and_says_why(dialog):
    assert not dialog.radios["resumable"].isEnabled()
    assert dialog.radios["resumable"].accessibleDescription() == "It has no container."


def test_replacing_the_source_says_where_the_original_is_kept(dialog, tmp_path, qtbot):
    source = tmp_path / "m.safetensors"
    source.write_bytes(b"x")
    assert not dialog.replace.isVisible()
    dialog.path.setText(str(tmp_path / "." / "m.safetensors"))
    assert dialog.note.text() == "The original is first kept beside it as m.orig.safetensors."
    dialog.replace.click()
    assert dialog.wish().replace_original
    (tmp_path / "link.safetensors").symlink_to(source)
    dialog.path.setText(str(tmp_path / "link.safetensors"))
    assert "kept beside it" in dialog.note.text()
    dialog.path.setText(str(tmp_path / "other.safetensors"))
    assert not dialog.replace.isVisible()
    assert not dialog.wish().replace_original


def test_another_file_in_the_way_is_said(dialog, tmp_path):
    (tmp_path / "there.safetensors").write_bytes(b"x")
    dialog.path.setText(str(tmp_path / "there.safetensors"))
    assert dialog.note.text() == "This file is there already and will be replaced."


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "Say which file"),
        ("{}", "This is a folder"),
        ("{}/no/where.pt", "does not exist"),
        ("{}/a\0b", "null"),
    ],
)
def test_a_place_that_cannot_be_is_said_before_the_button(dialog, tmp_path, path, words):
    dialog.set_target(path.replace("{}", str(tmp_path)))
    assert dialog.wish() is None
    assert not dialog.go.isEnabled()
    assert dialog.note.text().startswith("✕")
    assert words in dialog.note.text()


def test_the_report_can_be_read_and_copied(qtbot):
    report = ReportText(
        path="/models/<pruned>.safetensors",
        format="safetensors",
        nbytes=43_012_345,
        checksum="sha256 3f",
        verified=True,
        tensors=(TensorSparsity("a.weight", 1000, 0, 200), TensorSparsity("b", 0, 0, 0)),
        kept_as="/models/m.orig.safetensors",
        notes=("The optimizer was left behind.",),
    )
    dialog = ExportReportDialog(report)
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    model = dialog.table.model()
    cells = [model.index(0, column).data() for column in range(4)]
    assert cells == ["a.weight", "200", "1,000", "20.0\u00a0%"]
    assert model.index(1, 3).data() == "–"
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    text = QGuiApplication.clipboard().text()
    for part in (
        "File: /models/<pruned>.safetensors",
        "43,012,345 bytes",
        "sha256 3f",
        "✓ read back",
        "Original kept as: /models/m.orig.safetensors",
        "The optimizer was left behind.",
        "a.weight\t200\t1000\t20.0\u00a0%",
    ):
        assert part in text
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_the_tables_keep_qts_rules(qtbot, qtmodeltester):
    tensors = tuple(TensorSparsity(f"t{n}", 10, 0, n) for n in range(5))
    dialog = ExportReportDialog(ReportText("p", "f", 1, "c", verified=False, tensors=tensors))
    qtbot.addWidget(dialog)
    qtmodeltester.check(dialog.table.model())
