"""The export dialog and the report after an export."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QMargins, QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QLabel, QScrollBar, QStyleOptionViewItem

from pruneapp.analysis.patterns import BrokenPattern
from pruneapp.export.format import Loader, Purpose
from pruneapp.export.format_sizes import FormatOffer
from pruneapp.export.report import (
    CHANGES,
    EXACT,
    ExportReport,
    ExportRequest,
    TargetCheck,
    WrittenFile,
    WrittenTensor,
)
from pruneapp.export.rounding import RoundingCost
from pruneapp.gui.export.dialog import ExportChoices, ExportDialog
from pruneapp.gui.export.format_list import rounding_text
from pruneapp.gui.export.report_dialog import ExportReportDialog
from pruneapp.gui.recipes.recipe_controller import RecipeDialog, RecipeLine
from pruneapp.gui.widgets import screen as window_placing
from pruneapp.gui.widgets import typed_path
from pruneapp.gui.widgets.labels import DANGER, MUTED
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.gui.widgets.theme import Style
from pruneapp.params import Choice, ChoiceParam, FlagParam, Interval, IntParam, SizeParam
from tests.gui.mouse_wheel import turn_wheel

ZEROS = "Zeros do not reduce the size of a dense file."
LEVEL = IntParam(
    name="level", label="Compression level", help="Time.", default=3, bounds=Interval(1, 19)
)
LARGEST = SizeParam(
    name="largest",
    label="Max shard size",
    help="The most.",
    nothing="as opened",
    usual=(10**9, 5 * 10**9),
)
KIND = ChoiceParam(
    name="kind",
    label="Kind",
    help="A kind.",
    default="keep",
    choices=(Choice("keep", "as opened"), Choice("half", "half")),
)
READER = FlagParam(name="reader", label="Reader", help="A reader.", default=True)
LOADERS = (Loader("safetensors"), Loader("torch", "torch 1.6", "by load_file"))
DENSE = FormatOffer(
    "safetensors",
    "safetensors",
    "Dense.",
    (".safetensors",),
    43_012_345,
    loaded_by=LOADERS,
    does_not=(ZEROS,),
    params=(LARGEST,),
    split_by="largest",
    files=1,
    serves={Purpose.TRANSFORMERS: "It is as it was."},
    recommended={Purpose.TRANSFORMERS: "It is as it was."},
)
TORCH = FormatOffer(
    "torch",
    "torch",
    "As it was opened.",
    (".pt", ".pth"),
    44_000_000,
    serves={Purpose.TORCH: "As it was."},
)
RESUMABLE = FormatOffer(
    "resumable", "resumable", "With masks.", (".pt",), why_not="It has no container."
)
ZST = FormatOffer(
    "zst",
    "compressed",
    "For all.",
    (".safetensors.zst",),
    exact=False,
    params=(LEVEL,),
    one_file=True,
    serves={Purpose.MAIL: "Anybody can unpack it."},
)
COMPACT = FormatOffer(
    "compact",
    "compact",
    "Small.",
    (".compact.safetensors",),
    exact=False,
    params=(READER,),
    one_file=True,
    serves={Purpose.ARCHIVE: "The smallest."},
)
OFFERS = (DENSE, TORCH, RESUMABLE, ZST, COMPACT)
COUNTED = (
    DENSE,
    TORCH,
    RESUMABLE,
    replace(ZST, nbytes=6_200_000, recommended={Purpose.MAIL: "Anybody can unpack it."}),
    replace(COMPACT, nbytes=4_100_000, recommended={Purpose.ARCHIVE: "The smallest."}),
)


@pytest.fixture
def dialog(qtbot, tmp_path):
    found = ExportDialog()
    qtbot.addWidget(found)
    found.set_offers(OFFERS)
    found.target.set_source(str(tmp_path / "m.safetensors"), "m.orig.safetensors")
    found.target.set_path(str(tmp_path / "pruned.safetensors"))
    with qtbot.waitExposed(found):
        found.show()
    return found


def text_of(widget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel))


def pick(dialog, qtbot, name):
    press(qtbot, dialog.formats.radios[name])


def want(dialog, qtbot, purpose):
    press(qtbot, dialog.purposes.buttons[purpose])


def press(qtbot, radio):
    qtbot.mouseClick(radio, Qt.MouseButton.LeftButton, pos=QPoint(8, radio.height() // 2))


def test_the_button_says_how_large_and_the_dialog_that_zeros_do_not_shrink(dialog, qtbot):
    assert dialog.go.text() == "Export 43 MB"
    assert ZEROS in text_of(dialog.details)
    assert "torch (since torch 1.6, by load_file)" in text_of(dialog.details)
    pick(dialog, qtbot, "torch")
    assert ZEROS not in text_of(dialog.details)
    assert "As it was opened." in text_of(dialog.details)


def test_the_settings_of_a_format_begin_below_each_other(dialog, qtbot):
    """Regression: the box of the dtype began 25 pixels before that of the shard size."""
    dialog.set_offers([replace(DENSE, params=(KIND, LARGEST)), *OFFERS[1:]])
    editors = dialog.details.fields.editors
    qtbot.waitUntil(editors["largest"].isVisible)
    left = {editor.mapTo(dialog, QPoint()).x() for editor in editors.values()}
    assert len(left) == 1


def test_sizes_are_exact_about_or_being_counted(dialog):
    sizes = {name: label.text() for name, label in dialog.formats.sizes.items()}
    assert sizes == {
        "safetensors": "43 MB",
        "torch": "44 MB",
        "resumable": "–",
        "zst": "calculating…",
        "compact": "calculating…",
    }
    assert dialog.formats.sizes["safetensors"].toolTip() == "43,012,345 bytes"
    dialog.set_offers(COUNTED)
    assert dialog.formats.sizes["zst"].text() == "≈\u00a06.2 MB"
    assert "within 2 %" in dialog.formats.sizes["zst"].toolTip()
    assert dialog.chosen_format() == DENSE, "the choice is kept"


@pytest.mark.parametrize(
    ("purpose", "name", "words"),
    [
        (Purpose.MAIL, "zst", "✓ compressed, ≈\u00a06.2 MB. Anybody can unpack it."),
        (Purpose.TRANSFORMERS, "safetensors", "✓ safetensors, 43 MB. It is as it was."),
        (Purpose.ARCHIVE, "compact", "✓ compact, ≈\u00a04.1 MB. The smallest."),
    ],
)
def test_who_says_what_it_is_for_gets_the_best_format(dialog, qtbot, purpose, name, words):
    dialog.set_offers(COUNTED)
    assert "Choose a purpose" in dialog.purposes.reason.text()
    want(dialog, qtbot, purpose)
    assert dialog.chosen_format().name == name
    assert dialog.purposes.reason.text() == words
    assert dialog.target.path.text().endswith(f"pruned{dialog.chosen_format().suffixes[0]}")
    assert dialog.request().format == name


def test_the_best_is_chosen_as_soon_as_it_is_known(dialog, qtbot):
    want(dialog, qtbot, Purpose.MAIL)
    assert dialog.chosen_format() == DENSE
    assert "Estimating" in dialog.purposes.reason.text()
    dialog.set_offers(COUNTED)
    assert dialog.chosen_format().name == "zst"
    assert "Anybody" in dialog.purposes.reason.text()
    want(dialog, qtbot, Purpose.TORCH)
    assert "No suitable format" in dialog.purposes.reason.text()


def test_who_chooses_otherwise_is_not_overruled(dialog, qtbot):
    want(dialog, qtbot, Purpose.MAIL)
    pick(dialog, qtbot, "torch")
    assert dialog.purposes.purpose() is None
    dialog.set_offers(COUNTED)
    assert dialog.chosen_format() == TORCH
    want(dialog, qtbot, Purpose.MAIL)
    pick(dialog, qtbot, "zst")
    assert dialog.purposes.purpose() is Purpose.MAIL, "the recommended format"


def test_by_keys_alone(dialog, qtbot):
    dialog.set_offers(COUNTED)
    first = dialog.purposes.buttons[Purpose.MAIL]
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Space)
    assert dialog.chosen_format().name == "zst"
    qtbot.keyClick(first, Qt.Key.Key_Right)
    assert dialog.purposes.purpose() is Purpose.TRANSFORMERS
    assert dialog.chosen_format().name == "safetensors"
    dialog.formats.radios["safetensors"].setFocus()
    qtbot.keyClick(dialog.formats.radios["safetensors"], Qt.Key.Key_Down)
    assert dialog.chosen_format().name == "torch"
    with qtbot.waitSignal(dialog.exportRequested) as told:
        qtbot.keyClick(dialog.target.path, Qt.Key.Key_Return)
    assert told.args[0].format == "torch"


@pytest.mark.parametrize("name", ["m.safetensors", "other.safetensors"])
def test_return_never_replaces_a_file_before_the_button_was_read(dialog, qtbot, tmp_path, name):
    """Regression: it exported at once, although the last typed path was the open model."""
    (tmp_path / name).write_bytes(b"x")
    path = dialog.target.path
    path.setFocus()
    path.selectAll()
    qtbot.keyClicks(path, str(tmp_path / name))
    with qtbot.assertNotEmitted(dialog.exportRequested):
        qtbot.keyClick(path, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert dialog.go.hasFocus()
    what = "original" if name == "m.safetensors" else "file"
    assert dialog.go.text() == f"Replace {what}, 43 MB"
    radio = dialog.formats.radios["safetensors"]
    radio.setFocus()
    with qtbot.assertNotEmitted(dialog.exportRequested):
        qtbot.keyClick(radio, Qt.Key.Key_Return)
    assert dialog.go.hasFocus()
    with qtbot.waitSignal(dialog.exportRequested) as told:
        qtbot.keyClick(dialog.go, Qt.Key.Key_Return)
    assert told.args[0].path == tmp_path / name


def test_the_open_model_is_known_by_the_short_name_of_the_home_folder(
    dialog, tmp_path, monkeypatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "m.safetensors").write_bytes(b"x")
    dialog.target.path.setText("~/m.safetensors")
    assert dialog.target.replaces_source()
    assert dialog.go.text() == "Replace original, 43 MB"


def test_parameters_are_edited_by_the_forms_editors_and_kept(dialog, qtbot):
    dialog.set_offers(COUNTED)
    pick(dialog, qtbot, "zst")
    assert dialog.request().params == {"level": 3}
    editor = dialog.details.fields.editors["level"]
    with qtbot.waitSignal(dialog.parametersChanged) as told:
        qtbot.keyClick(editor.focusProxy(), Qt.Key.Key_Up)
    assert told.args == ["zst", {"level": 4}]
    dialog.set_offers(OFFERS)
    assert dialog.details.fields.editors["level"] is editor, "the pressed button is not released"
    pick(dialog, qtbot, "compact")
    assert dialog.request().params == {"reader": True}
    pick(dialog, qtbot, "zst")
    assert dialog.request().params == {"level": 4}


def test_what_is_written_beside_is_asked_for(dialog, qtbot):
    assert (dialog.request().script, dialog.request().report) == (False, "")
    assert not dialog.beside.kind.isEnabled()
    press(qtbot, dialog.beside.script)
    press(qtbot, dialog.beside.account)
    assert (dialog.request().script, dialog.request().report) == (True, ".html")
    qtbot.keyClick(dialog.beside.kind, Qt.Key.Key_Down)
    assert dialog.request().report == ".csv"


def test_a_model_of_several_files_becomes_one_where_the_format_has_but_one(dialog, qtbot, tmp_path):
    dialog.target.set_folders(allowed=True)
    dialog.target.set_path(str(tmp_path / "model-pruned"))
    pick(dialog, qtbot, "compact")
    assert dialog.target.path.text().endswith("model-pruned.compact.safetensors")
    assert dialog.go.isEnabled()
    dialog.target.path.setText(str(tmp_path))
    assert "This is a folder" in dialog.target.note.text()
    dialog.target.path.setText(str(tmp_path / "model-pruned.compact.safetensors"))
    pick(dialog, qtbot, "safetensors")
    assert dialog.target.path.text().endswith("model-pruned")


class TestFilesOfALargestSize:
    @pytest.fixture
    def size(self, dialog):
        return dialog.details.fields.editors["largest"].combo

    def test_chosen_by_keys_a_folder_takes_the_place_of_the_file(self, dialog, size, qtbot):
        assert size.currentText() == "as opened"
        with qtbot.waitSignal(dialog.parametersChanged) as told:
            qtbot.keyClick(size, Qt.Key.Key_Down)
        assert told.args == ["safetensors", {"largest": 10**9}]
        assert dialog.target.title.text() == "Folder"
        assert dialog.target.path.accessibleName() == "Destination folder"
        assert dialog.target.path.text().endswith("/pruned")
        qtbot.keyClick(size, Qt.Key.Key_Up)
        assert dialog.target.title.text() == "File"
        assert dialog.target.path.accessibleName() == "Destination file"
        assert dialog.target.path.text().endswith("/pruned.safetensors")

    def test_typed_it_is_read_when_it_is_whole(self, dialog, size, qtbot):
        qtbot.mouseDClick(size.lineEdit(), Qt.MouseButton.LeftButton)
        qtbot.keyClick(size, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        qtbot.keyClicks(size, "1.5 G")
        note = dialog.details.fields.notes["largest"]
        assert "must be a size with its unit" in note.text()
        assert not dialog.go.isEnabled()
        assert dialog.request() is None
        assert dialog.target.title.text() == "File"
        qtbot.keyClicks(size, "B")
        assert size.currentText() == "1.5 GB"
        assert dialog.request().params == {"largest": 1_500_000_000}
        for _ in range(6):
            qtbot.keyClick(size, Qt.Key.Key_Backspace)
        assert size.currentText() == ""
        assert dialog.request().params == {"largest": None}

    @pytest.mark.parametrize(
        ("files", "note"),
        [
            (None, "Max shard size 5\u00a0GB; calculating…"),
            (1, "One file: everything fits into 5\u00a0GB."),
            (1204, "1,204 files, up to 5\u00a0GB each."),
        ],
    )
    def test_how_many_files_there_will_be_is_said(self, dialog, size, qtbot, files, note):
        qtbot.keyClick(size, Qt.Key.Key_Down)
        qtbot.keyClick(size, Qt.Key.Key_Down)
        dialog.set_offers((replace(DENSE, files=files), *OFFERS[1:]))
        assert dialog.target.note.text() == note
        assert dialog.details.values() == {"largest": 5 * 10**9}
        assert dialog.go.isEnabled()

    def test_what_cannot_be_with_this_size_is_said_and_can_be_mended(self, dialog, size, qtbot):
        qtbot.keyClick(size, Qt.Key.Key_Down)
        dialog.set_offers((replace(DENSE, wrong="That would be more than 500 files."), *OFFERS[1:]))
        assert dialog.target.note.text() == "✕ That would be more than 500 files."
        assert dialog.formats.sizes["safetensors"].text() == "–"
        assert dialog.request() is None
        assert not dialog.go.isEnabled()
        assert size.isEnabled()
        dialog.set_offers(OFFERS)
        assert dialog.go.isEnabled()

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("", "Enter a folder"),
            ("file", "This is a file: shards of a maximum size"),
            ("x.pth", "remove .pth"),
            (".", "This folder contains the open model"),
            ("no/where", "does not exist"),
            ("file/where", "is a file, not a folder"),
        ],
    )
    def test_a_place_that_cannot_be(self, dialog, size, qtbot, tmp_path, name, words):
        (tmp_path / "file").write_bytes(b"x")
        qtbot.keyClick(size, Qt.Key.Key_Down)
        dialog.target.path.setText(str(tmp_path / name) if name else "")
        assert dialog.target.note.text().startswith("✕")
        assert words in dialog.target.note.text()
        assert not dialog.go.isEnabled()

    def test_a_folder_that_is_there_is_said(self, dialog, size, qtbot, tmp_path):
        (tmp_path / "old").mkdir()
        qtbot.keyClick(size, Qt.Key.Key_Down)
        dialog.target.path.setText(str(tmp_path / "old"))
        assert "Files of the same name" in dialog.target.note.text()
        assert dialog.go.isEnabled()

    def test_another_format_has_its_own_and_brings_the_file_back(self, dialog, size, qtbot):
        qtbot.keyClick(size, Qt.Key.Key_Down)
        pick(dialog, qtbot, "torch")
        assert dialog.target.path.text().endswith("/pruned.pt")
        assert dialog.target.title.text() == "File"
        pick(dialog, qtbot, "safetensors")
        assert dialog.target.path.text().endswith("/pruned")
        assert dialog.details.values() == {"largest": 10**9}


def test_the_wish_is_announced_and_closes_the_dialog(dialog, qtbot, tmp_path):
    with qtbot.waitSignal(dialog.exportRequested) as told:
        qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    path = tmp_path / "pruned.safetensors"
    assert told.args == [ExportRequest("safetensors", path, params={"largest": None})]
    assert not dialog.isVisible()


def test_the_suffix_follows_the_format(dialog, qtbot):
    radio = dialog.formats.radios["torch"]
    qtbot.mouseClick(radio, Qt.MouseButton.LeftButton, pos=QPoint(8, radio.height() // 2))
    assert dialog.target.path.text().endswith("pruned.pt")
    assert dialog.go.text() == "Export 44 MB"


def test_a_format_that_cannot_be_is_hidden_and_says_why(dialog):
    assert not dialog.formats.radios["resumable"].isVisible()
    assert not dialog.formats.sizes["resumable"].isVisible()
    assert dialog.formats.refused.text() == "– It has no container."
    assert dialog.formats.refused.height() >= dialog.fontMetrics().lineSpacing()
    both = (DENSE, replace(TORCH, why_not="It has float6."), RESUMABLE)
    dialog.set_offers(both)
    assert dialog.formats.refused.text().splitlines() == [
        "– torch: It has float6.",
        "– resumable: It has no container.",
    ]
    dialog.set_offers((*both, replace(ZST, why_not="It has int3.")))
    assert dialog.formats.refused.text() == "Not for this file: torch; resumable; compressed"
    assert "– compressed: It has int3." in dialog.formats.refused.toolTip()
    assert "– compressed: It has int3." in dialog.formats.refused.accessibleDescription()


def test_replacing_the_source_says_where_the_original_is_kept(dialog, tmp_path, qtbot):
    source = tmp_path / "m.safetensors"
    source.write_bytes(b"x")
    assert not dialog.target.replace.isVisible()
    dialog.target.path.setText(str(tmp_path / "." / "m.safetensors"))
    note = "Replaces the open model; a backup is kept as m.orig.safetensors."
    assert dialog.target.note.text() == note
    assert dialog.target.note.foregroundRole() == DANGER
    assert dialog.go.text() == "Replace original, 43 MB"
    dialog.target.replace.click()
    assert dialog.request().replace_original
    (tmp_path / "link.safetensors").symlink_to(source)
    dialog.target.path.setText(str(tmp_path / "link.safetensors"))
    assert "Replaces the open model" in dialog.target.note.text()
    dialog.target.path.setText(str(tmp_path / "other.safetensors"))
    assert not dialog.target.replace.isVisible()
    assert not dialog.request().replace_original
    assert dialog.go.text() == "Export 43 MB"


def test_another_file_in_the_way_is_said(dialog, tmp_path):
    (tmp_path / "there.safetensors").write_bytes(b"x")
    dialog.target.path.setText(str(tmp_path / "there.safetensors"))
    assert dialog.target.note.text() == "This file already exists and will be replaced."


def test_a_loop_of_links_is_not_the_file_that_is_open(dialog, tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    dialog.target.path.setText(str(tmp_path / "a"))
    assert not dialog.target.replaces_source()
    assert dialog.target.note.text()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "Enter a file name"),
        ("{}", "This is a folder"),
        ("{}/no/where.pt", "does not exist"),
        ("{}/a\0b", "null"),
    ],
)
def test_a_place_that_cannot_be_is_said_before_the_button(dialog, tmp_path, path, words):
    dialog.target.path.setText(path.replace("{}", str(tmp_path)))
    assert dialog.request() is None
    assert not dialog.go.isEnabled()
    assert dialog.target.note.text().startswith("✕")
    assert words in dialog.target.note.text()


def test_a_proposed_name_replaces_nothing(dialog, qtbot, tmp_path):
    (tmp_path / "pruned.pt").write_bytes(b"another state")
    pick(dialog, qtbot, "torch")
    assert dialog.target.path.text().endswith("/pruned-2.pt")
    assert dialog.go.text() == "Export 44 MB"
    pick(dialog, qtbot, "safetensors")
    assert dialog.target.path.text().endswith("/pruned.safetensors")
    dialog.set_written([tmp_path / "pruned.safetensors"])
    assert dialog.target.path.text().endswith("/pruned-2.safetensors")
    assert dialog.go.isEnabled()


def test_a_folder_without_permission_is_said_before_the_button(dialog, monkeypatch, tmp_path):
    # The tests may run as root, who may write everywhere.
    monkeypatch.setattr(typed_path.os, "access", lambda folder, _mode: folder != tmp_path / "ro")
    (tmp_path / "ro").mkdir()
    dialog.target.path.setText(str(tmp_path / "ro" / "x.safetensors"))
    assert dialog.target.note.text() == (
        f"✕ You cannot write to {tmp_path / 'ro'}: choose another folder."
    )
    assert not dialog.go.isEnabled()


def test_a_disk_without_space_is_said_before_the_button(dialog, qtbot, monkeypatch, tmp_path):
    free = shutil.disk_usage(tmp_path)._replace(free=43_500_000)
    monkeypatch.setattr(typed_path.shutil, "disk_usage", lambda _folder: free)
    pick(dialog, qtbot, "torch")
    assert dialog.target.note.text() == (
        "✕ Not enough disk space: 44,000,000 bytes needed, 43,500,000 bytes free. Free some space "
        "or choose another disk."
    )
    assert not dialog.go.isEnabled()
    pick(dialog, qtbot, "safetensors")
    assert dialog.go.isEnabled()


def test_of_a_model_of_several_files_a_folder_is_to_be_entered(dialog):
    dialog.target.set_folders(allowed=True)
    dialog.target.set_path("")
    assert dialog.target.title.text() == "Folder"
    assert dialog.target.note.text() == "✕ Enter a folder."


def report_of(path, *tensors, nbytes=1, **more):
    """Return the report of an export of one file with pruned tensors."""
    file = WrittenFile(Path(path), nbytes, "3f")
    more = {"verified": True} | more
    return ExportReport(Path(path), "f", (file,), tuple(tensors), **more)


def test_the_report_can_be_read_and_copied(qtbot):
    report = report_of(
        "/models/<pruned>.safetensors",
        WrittenTensor("a.weight", 1000, 200),
        WrittenTensor("b", 10, 0),
        nbytes=43_012_345,
        kept_originals=(Path("/models/m.orig.safetensors"),),
        notices=("The optimizer was left behind.",),
    )
    steps = [("2 rules on 3 tensors", "Rule 1: L1 40 % on 2 tensors (*.weight)\nScope: global")]
    dialog = ExportReportDialog(report, shown={"a.weight": "model.a.weight"}, steps=steps)
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    model = dialog.table.model()
    cells = [model.index(0, column).data() for column in range(4)]
    assert cells == ["model.a.weight", "200", "1,000", "20.0\u00a0%"]
    assert model.rowCount() == 1, "the others have no comment"
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    text = QGuiApplication.clipboard().text()
    for part in (
        "File: /models/<pruned>.safetensors",
        "43,012,345 bytes",
        "sha256 3f",
        "✓ read back",
        "Backup of original: /models/m.orig.safetensors",
        "The optimizer was left behind.",
        "Undo still works: it reads the backup",
        "1. 2 rules on 3 tensors\n   Rule 1: L1 40 % on 2 tensors (*.weight)\n   Scope: global",
        "model.a.weight\t200\t1000\t20.0\u00a0%",
    ):
        assert part in text
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_the_report_of_a_cut_says_in_red_that_it_is_not_the_original(qtbot):
    facts = {"cut": "FFN neurons 1,024 → 768", "effect": CHANGES}
    dialog = ExportReportDialog(report_of("p", **facts))
    qtbot.addWidget(dialog)
    effect = "▲ different output from full size"
    (shown,) = [label for label in dialog.findChildren(QLabel) if label.text() == effect]
    assert shown.foregroundRole() == DANGER
    assert dialog.notes[0].text().startswith("The outputs differ from those of the full-size model")
    text = dialog.as_text()
    assert f"\nEffect: {effect}\nThe outputs differ from those of the full-size model" in text
    assert "Sparsity" not in text, "a heading without content"
    exact = ExportReportDialog(report_of("p", **facts | {"effect": EXACT}))
    qtbot.addWidget(exact)
    assert "\nEffect: ✓ same output as full size\n" in exact.as_text()
    assert not exact.notes
    rounded = ExportReportDialog(report_of("p", **facts | {"effect": EXACT, "dtype": "float16"}))
    qtbot.addWidget(rounded)
    effect = "✓ same output as full size, weights rounded to float16"
    assert f"\nEffect: {effect}\n" in rounded.as_text()
    assert "effect were removed" not in rounded.as_text(), "they have none"


def test_the_report_of_a_folder_has_a_checksum_for_each_file(qtbot, tmp_path):
    names = (("model-1.safetensors", 4_000, "3f"), ("1_Pooling/model.safetensors", 50, "4e"))
    files = tuple(WrittenFile(tmp_path / name, nbytes, sha256) for name, nbytes, sha256 in names)
    dialog = ExportReportDialog(ExportReport(tmp_path, "f", files, verified=True))
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    assert "Folder" in text_of(dialog)
    assert "4.0 kB in 2 files" in text_of(dialog).replace("\u00a0", " ")
    assert "3f" not in text_of(dialog)
    text = dialog.as_text()
    assert "\nmodel-1.safetensors\t4,000 bytes\tsha256 3f\n" in text
    assert "\n1_Pooling/model.safetensors\t50 bytes\tsha256 4e\n" in text


def test_the_report_of_a_folder_has_the_size_of_the_format_and_apart_that_of_the_rest(
    qtbot, tmp_path
):
    """Regression: a tokenizer made it 46 MB, when the dialog had announced 45 MB."""
    paths = [tmp_path / name for name in ("model.safetensors", "tokenizer.json", "x.index.json")]
    sizes = (45_432_096, 102_488, 900)
    files = tuple(
        WrittenFile(path, nbytes, "3f") for path, nbytes in zip(paths, sizes, strict=True)
    )
    report = ExportReport(tmp_path, "f", files, verified=True, beside=(paths[1],))
    dialog = ExportReportDialog(report)
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    shown = text_of(dialog).replace("\u00a0", " ")
    assert "45 MB in 2 files + 102 kB in 1 other" in shown
    assert "Size: 45,432,996 bytes + 102,488 bytes" in dialog.as_text().replace("\u00a0", " ")


@pytest.mark.parametrize(("dtype", "more"), [("keep", ""), ("bfloat16", ", bfloat16")])
def test_the_format_in_the_report_has_the_dtype_that_it_was_changed_to(qtbot, dtype, more):
    report = report_of("p.safetensors", label="safetensors, dense", dtype=dtype)
    dialog = ExportReportDialog(report)
    qtbot.addWidget(dialog)
    assert f"\nFormat: safetensors, dense{more}\n" in dialog.as_text()


def test_the_tables_keep_qts_rules(qtbot, qtmodeltester):
    tensors = (WrittenTensor(f"t{n}", 10, n) for n in range(1, 6))
    dialog = ExportReportDialog(report_of("p", *tensors, verified=False))
    qtbot.addWidget(dialog)
    qtmodeltester.check(dialog.table.model())


class TestTheWheel:
    @pytest.fixture
    def low(self, dialog, qtbot):
        """Return a dialog that is too low for the settings of a format with several."""
        many = tuple(replace(LEVEL, name=f"level{n}", label=f"Effort {n}") for n in range(12))
        dialog.set_offers((replace(DENSE, params=(KIND, LARGEST, *many)), *COUNTED[1:]))
        dialog.resize(dialog.minimumSizeHint())
        bar = dialog.scrolled.verticalScrollBar()
        qtbot.waitUntil(lambda: bar.maximum() > 0)
        return dialog

    def test_it_scrolls_and_changes_no_setting_on_the_way(self, low, qtbot):
        before, bar = low.details.values(), low.scrolled.verticalScrollBar()
        port = low.scrolled.viewport()
        with qtbot.assertNotEmitted(low.parametersChanged):
            for _ in range(200):
                turn_wheel(port)
                if bar.value() == bar.maximum():
                    break
        assert bar.value() == bar.maximum()
        assert low.details.values() == before

    def test_what_has_the_focus_takes_it(self, low, qtbot):
        combo = low.details.fields.editors["kind"].combo
        combo.setFocus()
        with qtbot.waitSignal(low.parametersChanged) as told:
            turn_wheel(combo)
        assert told.args[1]["kind"] == "half"


TYPE = ChoiceParam(
    name="dtype",
    label="Type",
    help="The type: as they are, or rounded.",
    default="keep",
    choices=tuple(Choice(n, n) for n in ("keep", "float16", "bfloat16")),
)
ROUNDED = replace(DENSE, params=(TYPE,), rounded_by="dtype", in_16_bits=21_506_000)


class TestRounding:
    @pytest.fixture
    def type_(self, dialog):
        dialog.set_offers((ROUNDED, *COUNTED[1:]))
        return dialog.details.fields.editors["dtype"].combo

    def test_what_a_type_ruins_is_said_before_in_red_with_glyph_and_word(
        self, dialog, type_, qtbot
    ):
        with qtbot.waitSignal(dialog.roundingRequested) as asked:
            qtbot.keyClick(type_, Qt.Key.Key_Down)
        assert asked.args == ["float16"]
        note = dialog.details.rounding.note
        assert note.text() == "Computing the rounding error of float16…"
        lost = (("conv2_BN.running_var", 64),)
        dialog.set_rounding("float16", RoundingCost("float16", 9, 0.0039, "conv1.weight", lost))
        assert note.text() == (
            "▲ 64 values in conv2_BN.running_var exceed the range of float16 and "
            "become infinite. Largest absolute rounding error 0.0039 (conv1.weight), at most "
            "0.05\u00a0% of the value."
        )
        assert note.foregroundRole() == DANGER
        assert note.isVisible()

        with qtbot.waitSignal(dialog.roundingRequested) as asked:
            qtbot.keyClick(type_, Qt.Key.Key_Down)
        dialog.set_rounding("bfloat16", RoundingCost("bfloat16", 9, 0.5, "a.w", (), 3))
        assert note.text() == (
            "Largest absolute rounding error 0.5 (a.w), at most 0.4\u00a0% of the value. "
            "Values rounded to 0: 3. Some CPUs compute bfloat16 more slowly than float32."
        )
        assert note.foregroundRole() == MUTED
        assert "Most CPUs compute float16 several times more slowly" in rounding_text(
            RoundingCost("float16", 9, 0.5, "a.w", (), 0), "float16"
        )
        with qtbot.assertNotEmitted(dialog.roundingRequested):
            qtbot.keyClick(type_, Qt.Key.Key_Up)
        assert "64 values" in note.text(), "it is cached"

    def test_several_tensors_and_hostile_names_have_room(self, dialog, type_, qtbot):
        qtbot.keyClick(type_, Qt.Key.Key_Down)
        lost = (("x" * 300, 7), ("b", 1))
        dialog.set_rounding("float16", RoundingCost("float16", 2, infinite=lost))
        note = dialog.details.rounding.note.text()
        assert note.startswith("▲ 8 values in 2 tensors, most of them in xxx")
        assert len(note) < 200

    def test_no_button_moves_when_a_type_is_chosen(self, dialog, type_, qtbot):
        QCoreApplication.sendPostedEvents()
        before = dialog.formats.minimumSizeHint().width(), dialog.minimumSizeHint().width()
        dialog.formats.set_types({"safetensors": "bfloat16"})
        assert dialog.formats.radios["safetensors"].text().endswith(", bfloat16")
        QCoreApplication.sendPostedEvents()
        after = dialog.formats.minimumSizeHint().width(), dialog.minimumSizeHint().width()
        assert after == before

    def test_where_a_type_would_halve_the_file_a_button_takes_it(self, dialog, type_, qtbot):
        rounding = dialog.details.rounding
        assert rounding.note.text().startswith("bfloat16: 22 MB, with 8 significant bits")
        dialog.scrolled.ensureWidgetVisible(rounding.take)
        with qtbot.waitSignals([dialog.parametersChanged, dialog.roundingRequested]):
            qtbot.mouseClick(rounding.take, Qt.MouseButton.LeftButton)
        assert type_.currentText() == "bfloat16"
        assert dialog.formats.radios["safetensors"].text() == "safetensors, bfloat16"
        assert dialog.formats.radios["torch"].text() == "torch"
        assert not rounding.take.isVisible()
        assert dialog.request().params == {"dtype": "bfloat16"}
        qtbot.keyClick(type_, Qt.Key.Key_Home)
        assert rounding.take.isVisible()
        assert dialog.formats.radios["safetensors"].text() == "safetensors"
        dialog.set_offers((replace(ROUNDED, in_16_bits=None), *COUNTED[1:]))
        assert not rounding.isVisible(), "it would not be smaller"

    def test_the_type_is_one_choice_for_all_formats(self, dialog, qtbot):
        others = [replace(one, params=(TYPE,), rounded_by="dtype") for one in COUNTED[1:]]
        dialog.set_offers((ROUNDED, *others))
        able = {one.name for one in (ROUNDED, *others)}
        counted = []
        dialog.parametersChanged.connect(lambda name, values: counted.append((name, values)))
        qtbot.keyClick(dialog.details.fields.editors["dtype"].combo, Qt.Key.Key_Down)
        assert {name for name, _ in counted} == able, "every size is recomputed"
        assert all(values["dtype"] == "float16" for _, values in counted)
        qtbot.mouseClick(dialog.formats.radios["torch"], Qt.MouseButton.LeftButton)
        assert dialog.details.fields.editors["dtype"].combo.currentText() == "float16"
        assert dialog.request().params["dtype"] == "float16"

    def test_an_unpruned_export_that_rounds_is_no_copy(self, dialog, type_, qtbot):
        dialog.set_state("Opened", "", pruned=False)
        assert dialog.state.text() == "△ Nothing is pruned yet: the export is a copy."
        qtbot.keyClick(type_, Qt.Key.Key_Down)
        assert dialog.state.text() == "△ Nothing is pruned yet: only the dtype changes."
        dialog.set_state("Opened", "", pruned=False, asked="Prune 53 weights")
        assert dialog.state.text() == (
            "△ Nothing is pruned yet: only the dtype changes. "
            "To prune weights, press “Prune 53 weights” first."
        )
        dialog.set_state("Opened", "", pruned=False)
        qtbot.keyClick(type_, Qt.Key.Key_Up)
        assert dialog.state.text() == "△ Nothing is pruned yet: the export is a copy."


class TestState:
    def test_nothing_pruned_is_said_and_that_the_button_was_not_pressed(self, dialog):
        dialog.set_state("Opened", "", pruned=False)
        assert dialog.state.text() == "△ Nothing is pruned yet: the export is a copy."
        dialog.set_state("Opened", "", pruned=False, asked="Prune 53 weights")
        assert dialog.state.text() == (
            "△ Nothing is pruned yet: the export is a copy. "
            "To prune weights, press “Prune 53 weights” first."
        )

    def test_the_state_is_named_and_that_the_preview_is_not_part_of_it(self, dialog):
        dialog.set_state("3: L1 20 % on 5 tensors", "27.5 %", pruned=True)
        assert dialog.state.text() == "State 3: L1 20 % on 5 tensors  ·  27.5 % pruned"
        dialog.set_state("Opened", "5 %", pruned=True, asked="Prune 53 weights")
        assert dialog.state.text() == (
            "Opened  ·  5 % pruned\n"
            "△ The step in the preview is not applied yet: press “Prune 53 weights” first."
        )
        dialog.set_state("1: Made permanent: a", "", pruned=True)
        assert dialog.state.text() == "State 1: Made permanent: a"


BROKEN = (BrokenPattern(2, 4, 1, {"a.weight": 12}),)


class TestABrokenPattern:
    def test_it_is_said_whatever_the_format_and_names_the_tensors(self, dialog):
        dialog.set_broken(())
        assert not dialog.broken.isVisible()
        dialog.set_broken(BROKEN, {"a.weight": "a"})
        assert dialog.broken.isVisible()
        assert dialog.broken.text() == (
            "▲ 2:4 is violated by 1 tensor (12 groups): protected weights."
        )
        assert dialog.broken.foregroundRole() == DANGER
        assert dialog.broken.toolTip() == "<span>a: 12 groups</span>"

    def test_what_was_exported_without_the_pattern_is_warned_of(self, qtbot):
        sentence = "2:4 is violated by 1 tensor (12 groups): protected weights."
        tensor = WrittenTensor("a.weight", 100, 20)
        report = report_of("/m/a.pt", tensor, broken=BROKEN, notices=(sentence, "A note."))
        dialog = ExportReportDialog(report, shown={"a.weight": "a"})
        qtbot.addWidget(dialog)
        (warning,) = dialog.warnings
        assert warning.text() == f"▲ {sentence}"
        assert warning.toolTip() == "<span>a: 12 groups</span>"
        assert [note.text() for note in dialog.notes] == ["A note."]
        assert f"▲ {sentence}\n" in dialog.as_text()


class TestThePlace:
    @pytest.mark.parametrize("height", [520, 700])
    def test_it_is_in_sight_on_a_low_screen(self, dialog, height):
        """Regression: at 150 %, the destination was only visible after scrolling."""
        dialog.resize(dialog.width(), height)
        QCoreApplication.processEvents()  # apply the layout
        assert dialog.height() == height
        for part in (dialog.target.path, dialog.target.note, dialog.beside, dialog.go):
            assert not part.visibleRegion().isEmpty()
            bottom = part.mapTo(dialog, part.rect().bottomLeft()).y()
            assert bottom < height
            assert part.visibleRegion().boundingRect().height() == part.height()

    def asked(self, dialog, qtbot, act):
        with qtbot.waitSignal(dialog.checkRequested) as told:
            act()
        return told.args[0]

    def test_what_is_there_is_asked_for_and_said(self, dialog, qtbot, tmp_path):
        name = str(tmp_path / "new.safetensors")
        request = self.asked(dialog, qtbot, lambda: dialog.target.path.setText(name))
        assert request.path == Path(name)
        kept = ("model-00001.orig.safetensors", "model-00002.orig.safetensors")
        dialog.set_check(request, TargetCheck(kept=kept, notices=("A notice.",)))
        assert dialog.target.note.text() == (
            "Replaces the open model; a backup is kept as model-00001.orig.safetensors, "
            "model-00002.orig.safetensors. A notice."
        )
        assert dialog.go.text() == "Replace original, 43 MB"
        dialog.set_check(request, TargetCheck(replaced=("a", "b", "c", "d", "e", "f")))
        assert dialog.target.note.text() == (
            "6 files already exist and will be replaced: a, b, c, d and 2 more."
        )
        assert dialog.go.text() == "Replace 6 files, 43 MB"
        dialog.set_check(request, TargetCheck())
        assert dialog.go.text() == "Export 43 MB"
        dialog.set_check(request, TargetCheck(refused="No. Choose another name."))
        assert dialog.target.note.text() == "✕ No. Choose another name."
        assert not dialog.go.isEnabled()
        assert dialog.request() is None
        again = str(tmp_path / "other.safetensors")
        request = self.asked(dialog, qtbot, lambda: dialog.target.path.setText(again))
        assert dialog.go.isEnabled()
        dialog.set_check(request, TargetCheck(replaced=("other.safetensors",)))
        assert dialog.target.note.text() == (
            "other.safetensors already exists and will be replaced."
        )
        assert dialog.go.text() == "Replace file, 43 MB"

    def test_sentences_stay_whole_and_long_names_in_them_do_not(self, dialog, qtbot, tmp_path):
        name = str(tmp_path / "new.safetensors")
        request = self.asked(dialog, qtbot, lambda: dialog.target.path.setText(name))
        words = "'config.json' goes with it: it is in '{}'. Put it beside 'model.safetensors'. "
        sentence = words * 6
        dialog.set_check(request, TargetCheck(notices=(sentence.format(*"abcdef"),)))
        assert dialog.target.note.text() == sentence.format(*"abcdef")
        dialog.set_check(request, TargetCheck(notices=(words.format("y" * 500),)))
        shown = re.escape(words).replace(r"\{\}", "y{90,99}…y{90,99}")
        assert re.fullmatch(shown, dialog.target.note.text())
        assert words.format("y" * 500) in dialog.target.note.toolTip()

    def test_an_answer_about_another_place_is_dropped(self, dialog, qtbot, tmp_path):
        first = self.asked(dialog, qtbot, lambda: dialog.target.path.setText(str(tmp_path / "a")))
        self.asked(dialog, qtbot, lambda: dialog.target.path.setText(str(tmp_path / "b")))
        dialog.set_check(first, TargetCheck(refused="No."))
        assert dialog.go.isEnabled()

    def test_a_relative_name_says_where_it_goes(self, dialog, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        dialog.target.path.setText("here.safetensors")
        assert dialog.target.note.text() == f"Will be written to {tmp_path / 'here.safetensors'}."

    def test_another_format_or_type_proposes_another_name(self, dialog, qtbot):
        resumable = replace(
            RESUMABLE, why_not="", nbytes=5, suffixes=(".safetensors", ".pt"), tag="-resumable"
        )
        dialog.set_offers((ROUNDED, TORCH, resumable, *COUNTED[3:]))
        name = dialog.target.path
        pick(dialog, qtbot, "torch")
        assert name.text().endswith("/pruned.pt")
        pick(dialog, qtbot, "resumable")
        assert name.text().endswith("/pruned-resumable.safetensors"), "whatever was set before"
        pick(dialog, qtbot, "safetensors")
        assert name.text().endswith("/pruned.safetensors")
        combo = dialog.details.fields.editors["dtype"].combo
        qtbot.keyClick(combo, Qt.Key.Key_End)
        assert name.text().endswith("/pruned-bfloat16.safetensors")
        qtbot.keyClick(name, Qt.Key.Key_Home)
        qtbot.keyClick(name, Qt.Key.Key_End)
        for _ in range(len("pruned-bfloat16.safetensors")):
            qtbot.keyClick(name, Qt.Key.Key_Backspace)
        qtbot.keyClicks(name, "mine.safetensors")
        qtbot.keyClick(combo, Qt.Key.Key_Home)
        assert name.text().endswith("/mine.safetensors"), "the typed path is kept"


class TestLongNames:
    def test_a_long_name_and_a_long_error_leave_the_buttons_in_reach(self, dialog, qtbot, tmp_path):
        before = dialog.size()
        dialog.target.path.selectAll()
        with qtbot.waitSignal(dialog.checkRequested) as told:
            qtbot.keyClicks(dialog.target.path, str(tmp_path / ("y" * 300)))
        refused = "y" * 4_000
        dialog.set_check(told.args[0], TargetCheck(refused=refused))
        note = dialog.target.note
        qtbot.waitUntil(lambda: note.heightForWidth(note.width()) <= note.height())
        assert note.text().startswith("✕ yyy")
        assert refused in note.toolTip()
        assert dialog.width() == before.width()
        assert dialog.minimumSizeHint().width() <= before.width()
        assert dialog.height() <= before.height() + 4 * dialog.fontMetrics().lineSpacing()
        assert dialog.rect().contains(dialog.go.geometry())
        assert dialog.rect().contains(dialog.stop.geometry())

    def test_whose_home_is_not_known_is_said(self, dialog, qtbot):
        dialog.target.path.selectAll()
        qtbot.keyClicks(dialog.target.path, "~nobody-of-this-name/x.pt")
        assert "~nobody-of-this-name" in dialog.target.note.text()
        assert not dialog.go.isEnabled()


class TestTypingWhileSizesArrive:
    @pytest.fixture
    def name(self, dialog, qtbot):
        field = dialog.target.path
        qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(field.hasFocus)
        return field

    @pytest.mark.parametrize("purpose", [None, Purpose.MAIL])
    def test_what_is_selected_is_what_is_typed_over(self, dialog, name, qtbot, tmp_path, purpose):
        if purpose is not None:  # another purpose selects another format and proposes another path
            want(dialog, qtbot, purpose)
            qtbot.mouseClick(name, Qt.MouseButton.LeftButton)
        qtbot.keyClick(name, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        dialog.set_offers(COUNTED)
        assert name.selectedText() == name.text()
        assert name.text().endswith(dialog.chosen_format().suffixes[0])
        wanted = str(tmp_path / "own")
        qtbot.keyClicks(name, wanted)
        assert name.text() == wanted

    def test_the_cursor_stays_where_it_is(self, dialog, name, qtbot):
        want(dialog, qtbot, Purpose.MAIL)
        qtbot.mouseClick(name, Qt.MouseButton.LeftButton)
        qtbot.keyClick(name, Qt.Key.Key_Home)
        before = name.text()
        dialog.set_offers(COUNTED)
        qtbot.keyClicks(name, "/x")
        assert name.text() == f"/x{before}.zst"

    def test_what_is_half_typed_follows_the_format_when_the_field_is_left(
        self, dialog, name, qtbot, tmp_path
    ):
        want(dialog, qtbot, Purpose.MAIL)
        qtbot.mouseClick(name, Qt.MouseButton.LeftButton)
        qtbot.keyClick(name, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        qtbot.keyClicks(name, str(tmp_path / "own.safetensors"))
        qtbot.keyClick(name, Qt.Key.Key_Home)
        dialog.set_offers(COUNTED)
        assert dialog.chosen_format().name == "zst"
        assert name.text() == str(tmp_path / "own.safetensors")
        assert name.cursorPosition() == 0
        qtbot.keyClick(name, Qt.Key.Key_Tab)
        assert name.text() == str(tmp_path / "own.safetensors.zst")


def test_what_was_chosen_is_found_again(dialog, qtbot, tmp_path):
    dialog.set_offers(COUNTED)
    want(dialog, qtbot, Purpose.MAIL)
    qtbot.keyClick(dialog.details.fields.editors["level"].focusProxy(), Qt.Key.Key_Up)
    press(qtbot, dialog.beside.account)
    dialog.target.path.setText(str(tmp_path / "own.safetensors.zst"))
    found = dialog.choices()
    own = str(tmp_path / "own.safetensors.zst")
    assert found == ExportChoices(Purpose.MAIL, "zst", {"zst": {"level": 4}}, own, False, ".html")

    later = ExportDialog()
    qtbot.addWidget(later)
    later.set_offers(OFFERS)
    later.target.set_path(str(tmp_path / "pruned.safetensors"))
    with qtbot.waitSignal(later.parametersChanged) as told:
        later.set_choices(found)
    assert told.args == ["zst", {"level": 4}]
    assert later.choices() == found
    assert later.request() == dialog.request()


class TestKeys:
    @pytest.fixture
    def zst(self, dialog, qtbot):
        dialog.set_offers(COUNTED)
        pick(dialog, qtbot, "zst")
        return dialog.details.fields

    def test_tab_goes_as_one_reads_and_shows_where_it_is(self, dialog, qtbot):
        many = tuple(replace(LEVEL, name=f"level{n}", label=f"Effort {n}") for n in range(9))
        dialog.set_offers((replace(ROUNDED, params=(TYPE, *many)), *COUNTED[1:]))
        want(dialog, qtbot, Purpose.TRANSFORMERS)
        dialog.resize(dialog.minimumSizeHint())
        purpose = dialog.purposes.buttons[Purpose.TRANSFORMERS]
        purpose.setFocus()
        order = [purpose]
        for _ in range(40):
            qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
            here = dialog.focusWidget()
            if here is purpose:
                break
            order.append(here)
            if dialog.details.isAncestorOf(here):
                port = dialog.scrolled.viewport()
                at = here.mapTo(port, here.rect().center())
                assert port.rect().contains(at), here.accessibleName()
        fields, rounding = dialog.details.fields, dialog.details.rounding
        inside = [
            widget
            for name, editor in fields.editors.items()
            for widget in (fields.helps[name], editor.focusProxy())
        ]
        assert order == [
            purpose,
            dialog.formats.radios["safetensors"],
            *inside[:2],
            rounding.take,
            *inside[2:],
            dialog.target.path,
            dialog.target.browse,
            dialog.beside.script,
            dialog.beside.account,
            dialog.stop,
            dialog.go,
            dialog.tabs,
        ]
        qtbot.keyClick(purpose, Qt.Key.Key_Backtab)
        assert dialog.focusWidget() is dialog.tabs
        qtbot.keyClick(dialog.tabs, Qt.Key.Key_Backtab)
        assert dialog.focusWidget() is dialog.go

    def test_a_key_brings_the_control_that_it_changes_into_sight(self, dialog, qtbot):
        many = tuple(replace(LEVEL, name=f"level{n}", label=f"Effort {n}") for n in range(12))
        dialog.set_offers((replace(ROUNDED, params=(TYPE, *many)), *COUNTED[1:]))
        dialog.resize(dialog.minimumSizeHint())
        combo = dialog.details.fields.editors["dtype"].combo
        combo.setFocus()
        bar = dialog.scrolled.verticalScrollBar()
        qtbot.waitUntil(lambda: bar.maximum() > 0)
        for _ in range(20):
            qtbot.keyClick(dialog, Qt.Key.Key_PageDown)
        assert bar.value() == bar.maximum()
        qtbot.keyClick(combo, Qt.Key.Key_Down)
        port = dialog.scrolled.viewport()
        assert port.rect().contains(combo.mapTo(port, combo.rect().center()))

    @pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
    def test_enter_in_a_setting_exports_nothing(self, dialog, zst, qtbot, key):
        zst.editors["level"].setFocus()
        with qtbot.assertNotEmitted(dialog.exportRequested):
            qtbot.keyClick(zst.editors["level"].focusProxy(), key)
        assert dialog.isVisible()

    def test_what_is_out_of_range_is_refused_in_words(self, dialog, zst, qtbot):
        assert zst.helps["level"].accessibleDescription().endswith("Allowed: 1 to 19.")
        field = zst.editors["level"].focusProxy()
        field.setFocus()
        field.selectAll()
        qtbot.keyClicks(field, "22")
        assert field.text() == "22", "no other plan replaces it"
        assert zst.notes["level"].text().startswith("✕")
        assert "19" in zst.notes["level"].text()
        assert not dialog.go.isEnabled()
        dialog.target.path.setFocus()
        assert field.text() == "22"
        qtbot.keyClick(field, Qt.Key.Key_Down)
        assert field.text() == "19"
        assert dialog.go.isEnabled()
        qtbot.keyClick(field, Qt.Key.Key_Up)
        assert field.text() == "19"

    def test_the_focus_on_the_main_button_is_seen(self, dialog, qtbot):
        dialog.go.setStyle(style := Style())
        palette = dialog.go.palette()
        palette.setColor(QPalette.ColorRole.Button, "#6a3fb0")
        palette.setColor(QPalette.ColorRole.Highlight, "#6a3fb0")
        palette.setColor(QPalette.ColorRole.ButtonText, "#ffffff")
        dialog.go.setPalette(palette)
        dialog.stop.setFocus()
        plain = dialog.go.grab().toImage()
        qtbot.keyClick(dialog.stop, Qt.Key.Key_Tab)
        assert dialog.go.hasFocus()
        focused = dialog.go.grab().toImage()
        bright = [
            sum(
                image.pixelColor(x, y).lightness() > 200
                for x in range(image.width())
                for y in range(image.height())
            )
            for image in (plain, focused)
        ]
        assert bright[1] > bright[0] + 2 * dialog.go.width(), bright
        del style


class TestTheReport:
    @pytest.fixture
    def report(self, qtbot):
        damage = ("64 values became infinite.",)
        notes = tuple(f"A note of some length that wraps, number {n}. " * 4 for n in range(9))
        found = report_of(
            "/models/out.safetensors.zst",
            *(WrittenTensor(f"t{n}", 10, n) for n in range(1, 51)),
            nbytes=4_050,
            label="compressed",
            kept_originals=tuple(Path(f"/models/m-{n}.orig.safetensors") for n in (1, 2)),
            notices=(*damage, *notes),
            damage=damage,
            loads="zstd -d out.safetensors.zst",
        )
        dialog = ExportReportDialog(found)
        qtbot.addWidget(dialog)
        with qtbot.waitExposed(dialog):
            dialog.show()
        return dialog

    def test_no_row_is_squeezed_however_many_notes_there_are(self, report, qtbot):
        for height in (report.height(), report.minimumSizeHint().height()):
            report.resize(report.width(), height)
            qtbot.wait(1)
            for label in report.above.widget().findChildren(QLabel):
                if label.isVisible():
                    needed = label.heightForWidth(label.width()) if label.wordWrap() else 0
                    assert label.height() >= max(needed, label.fontMetrics().height()), label.text()
            assert report.table.height() >= 4 * report.fontMetrics().lineSpacing()
            assert report.above.widget().width() <= report.above.viewport().width()

    def test_a_warning_is_red_with_a_glyph_and_all_kept_files_are_named(self, report):
        (warning,) = report.warnings
        assert warning.text() == "▲ 64 values became infinite."
        assert warning.foregroundRole() == DANGER
        text = report.as_text()
        assert "▲ 64 values became infinite.\n" in text
        assert "/models/m-1.orig.safetensors\n/models/m-2.orig.safetensors\n" in text
        assert "\nHow to load\nzstd -d out.safetensors.zst\n" in text
        assert report.loads.text() == "zstd -d out.safetensors.zst"
        assert report.loads.isVisible()

    def test_the_folder_is_asked_for_by_click_and_by_key(self, report, qtbot):
        with qtbot.waitSignal(report.folderRequested) as told:
            qtbot.mouseClick(report.show_folder, Qt.MouseButton.LeftButton)
        assert told.args == [Path("/models/out.safetensors.zst")]
        report.show_folder.setFocus()
        with qtbot.waitSignal(report.folderRequested):
            qtbot.keyClick(report.show_folder, Qt.Key.Key_Space)

    def test_copying_says_that_it_was_done_and_moves_nothing(self, report, qtbot):
        report.copy._reset_timer.setInterval(10)
        before = report.copy.geometry()
        qtbot.mouseClick(report.copy, Qt.MouseButton.LeftButton)
        assert report.copy.text() == "✓ Copied"
        assert report.copy.geometry() == before
        assert QGuiApplication.clipboard().text() == report.as_text()
        qtbot.waitUntil(lambda: report.copy.text() == "Copy as text")


def test_the_report_is_as_wide_as_names_need_and_loses_no_index(qtbot):
    parts = ("attention.output.dense", "attention.self.query", "intermediate.dense")
    names = [f"bert.encoder.layer.{n}.{part}.weight" for n in range(12) for part in parts]
    names += ["deep_module." * 15 + f"layer.{n}.weight" for n in range(2)]
    tensors = (WrittenTensor(name, 123_456_789, 98_765_432) for name in names)
    dialog = ExportReportDialog(report_of("p", *tensors), short=ShortNames(names))
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    assert dialog.width() <= 900
    table, seen = dialog.table, set()
    advance = table.fontMetrics().horizontalAdvance
    for row, name in enumerate(names):
        index = table.model().index(row, 0)
        option = QStyleOptionViewItem()
        option.rect = table.visualRect(index)
        option.font, option.fontMetrics = table.font(), table.fontMetrics()
        table.itemDelegateForColumn(0).initStyleOption(option, index)
        seen.add(option.text)
        assert advance(option.text) <= option.rect.width()
        assert option.text == name or len(name) > 100
        for column in range(1, 4):
            cell = table.model().index(row, column)
            assert advance(cell.data()) <= table.visualRect(cell).width()
    assert len(seen) == len(names)


def test_on_a_low_screen_the_table_of_the_report_gives_way_first(qtbot, monkeypatch):
    """Regression: with five pixels missing, the lines above it scrolled and lost the last one."""
    tensors = (WrittenTensor(f"layer.{n}.weight", 40, 12) for n in range(37))
    report = report_of("f", *tensors, label="safetensors", loads="import a\nload(b)")
    usual = ExportReportDialog(report)
    qtbot.addWidget(usual)
    usual.show()
    low = ExportReportDialog(report)
    qtbot.addWidget(low)
    free = QRect(0, 0, 808, usual.height() - 20)
    monkeypatch.setattr(window_placing, "available", lambda _window: free)
    monkeypatch.setattr(window_placing, "_frame", lambda _window: QMargins())
    low.show()
    qtbot.waitExposed(low)
    QGuiApplication.processEvents()  # apply the layout
    assert low.height() < usual.height()
    assert low.above.verticalScrollBar().maximum() == 0


def test_rows_of_a_recipe_are_made_without_the_dialog(qtbot):
    """A worker renders the copied rows, also after the dialog is closed."""
    lines = [RecipeLine("L1 20 %", 3, 1, fits=True), RecipeLine("L2 30 %", 3, 1, fits=False)]
    dialog = RecipeDialog("recipe.json", lines, [])
    cells = dialog.table._cells
    dialog.deleteLater()
    with qtbot.waitSignal(dialog.destroyed):
        del dialog
    assert cells(0) == ("1. L1 20 %", "3", "yes")
    assert cells(1) == ("✕ 2. L2 30 %", "–", "no")


def test_a_size_is_never_cut_off(dialog, qtbot):
    """Whatever the width of the words around it."""
    types = {offer.name: "bfloat16" for offer in COUNTED}
    for offers in (COUNTED, [replace(offer, nbytes=None) for offer in COUNTED]):
        dialog.set_offers(offers)
        dialog.formats.set_types(types)
        dialog.resize(dialog.minimumSizeHint())
        qtbot.wait(20)
        for label in dialog.formats.sizes.values():
            assert label.width() >= label.fontMetrics().horizontalAdvance(label.text())


def test_a_report_without_pruned_tensors_is_as_wide_as_its_code(qtbot):
    code = (
        'from safetensors.torch import load_file; model.load_state_dict(load_file("m.safetensors"))'
    )
    dialog = ExportReportDialog(report_of("f", loads=code))
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    assert dialog.loads.width() >= dialog.loads.fontMetrics().horizontalAdvance(code)


def cut_texts(area) -> list[str]:
    """Return the texts that the lower edge of the viewport cuts through a line."""
    port = area.viewport()
    seen = QRect(port.mapTo(area, QPoint()), port.size())
    found = []
    for label in area.findChildren(QLabel):
        top, line = label.mapTo(area, QPoint()).y(), label.fontMetrics().lineSpacing()
        text = label.heightForWidth(label.width()) if label.wordWrap() else label.height()
        lines = round(text / line) if label.isVisible() and label.text() else 0
        edges = [(top + n * line, top + (n + 1) * line) for n in range(lines)]
        if any(above < seen.bottom() + 1 < below for above, below in edges):
            found.append(label.text())
    return found


class TestRoom:
    """A screen of 1680 by 1050 pixels, at 100 and 150 %, and smaller ones."""

    WORDY = replace(
        COMPACT,
        help="What this format is, at some length. " * 8,
        does_not=("What it does not do, for a line and a half of what is beside it.",) * 3,
        loaded_by=tuple(
            Loader(f"A program {n}", note="of which there is more to say than fits in a line")
            for n in range(3)
        ),
    )

    @pytest.fixture
    def shown(self, qtbot, monkeypatch):
        def show(width, height, name):
            free = QRect(0, 0, width, height)
            monkeypatch.setattr(window_placing, "available", lambda _window: free)
            found = ExportDialog()
            qtbot.addWidget(found)
            found.set_offers((*COUNTED[:-1], self.WORDY))
            found.set_state("Opened", "", pruned=False)
            found.target.set_path("/models/pruned.safetensors")
            with qtbot.waitExposed(found):
                found.show()
            pick(found, qtbot, name)
            qtbot.wait(50)
            return found

        return show

    @pytest.mark.parametrize("name", ["safetensors", "compact"])
    @pytest.mark.parametrize("size", [(1680, 1050), (1120, 700), (1280, 800), (853, 533)], ids=str)
    def test_one_bar_at_most_and_no_line_is_cut(self, shown, size, name):
        """Regression: the settings of a format had a scroll bar within the scrolled area."""
        dialog = shown(*size, name)
        bars = [bar for bar in dialog.findChildren(QScrollBar) if bar.isVisible()]
        assert bars in ([], [dialog.scrolled.verticalScrollBar()])
        assert cut_texts(dialog.scrolled) == []
        assert dialog.scrolled.viewport().height() > dialog.scrolled.height() - 40
        if size == (1680, 1050):
            assert not bars
        if size == (853, 533):
            assert bars

    def test_another_format_moves_nothing(self, shown, qtbot):
        dialog = shown(1680, 1050, "torch")
        before = dialog.height(), dialog.target.path.mapTo(dialog, QPoint())
        names = [offer.name for offer in dialog.formats.offers() if not offer.why_not]
        assert len(names) > 3
        for name in names:
            pick(dialog, qtbot, name)
            qtbot.wait(10)
            assert (dialog.height(), dialog.target.path.mapTo(dialog, QPoint())) == before, name
