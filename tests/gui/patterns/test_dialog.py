"""The dialog of the pattern checker, by clicks and keys: requests, results and actions."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from pruneapp.analysis.patterns import BrokenGroup, PatternReport, TensorPattern
from pruneapp.gui.method_form.form_model import FormContext
from pruneapp.gui.patterns.answer import PatternAnswer, as_text, cells, text_headers
from pruneapp.gui.patterns.dialog import PatternDialog, Question
from pruneapp.gui.widgets.labels import MUTED, TEXT
from pruneapp.methods.builtin.patterns import PatternParam
from pruneapp.params import DimParam
from tests.gui.journeys.test_screen_reader import problems_of

DENSE = TensorPattern(
    "fc1.weight",
    (4, 10),
    groups=8,
    broken=7,
    outside=8,
    first=(BrokenGroup((0, 0), 3), BrokenGroup((1, 4), 4)),
    lost=0.125,
    to_prune=11,
    blocked_by_protection=1,
)
HALF = TensorPattern("fc2.weight", (4, 8), groups=8)
BIAS = TensorPattern("fc1.bias", (4,), why_not="Groups need a tensor of two or more dimensions.")


def answer(*tensors, n=2, m=4, dim=1, lost=0.125, convolutions=0):
    report = PatternReport(n, m, dim, tensors, lost)
    table_rows = {"fc2.weight": "second"}
    return PatternAnswer(report, report.totals(), table_rows, convolutions=convolutions)


@pytest.fixture
def dialog(qtbot):
    found = PatternDialog(PatternParam(), ("2:4", "1:4", "4:8"), DimParam(default=1))
    qtbot.addWidget(found)
    found.row.set_tensors(2, 3)
    found.row.dim.set_context(FormContext((-1, -1), "Linear"))
    with qtbot.waitActive(found):
        found.show()
        found.activateWindow()
    return found


@pytest.fixture
def requests(dialog):
    """Return a list that collects requests for checks, and "prune" for those of repairs."""
    found = []
    dialog.asked.connect(lambda: found.append(dialog.row.question()))
    dialog.pruneRequested.connect(lambda: found.append("prune"))
    return found


def table_rows(dialog):
    model = dialog.table.model()
    return [
        [model.index(row, column).data().replace("\u00a0", " ") for column in range(7)]
        for row in range(model.rowCount())
    ]


def text_of(label):
    return label.text().replace("\u00a0", " ")


def choose(qtbot, box, place):
    """Choose an entry of a list by keys."""
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Home)
    for _ in range(place):
        qtbot.keyClick(box, Qt.Key.Key_Down)


def type_pattern(qtbot, dialog, text):
    field = dialog.row.pattern.lineEdit()
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)


def test_what_is_typed_and_chosen_is_asked_at_once(dialog, requests, qtbot):
    assert dialog.row.question() == Question("2:4", 1, everything=False)
    boxes = dialog.row.pattern, dialog.row.dim.combo, dialog.row.tensors
    assert [box.itemText(0) for box in boxes] == ["2:4", "0: outputs", "2 checked tensors"]
    assert dialog.row.pattern.lineEdit().hasFocus()
    type_pattern(qtbot, dialog, "4:8")
    assert requests[-1] == Question("4:8", 1, everything=False)
    choose(qtbot, dialog.row.dim.combo, 2)
    assert requests[-1] == Question("4:8", -1, everything=False)
    choose(qtbot, dialog.row.tensors, 1)
    assert requests[-1] == Question("4:8", -1, everything=True)
    qtbot.keyClick(dialog.row.pattern, Qt.Key.Key_Up)
    assert requests[-1] == Question("1:4", -1, everything=True)
    assert dialog.row.note.text().startswith("1:4 means that at most 1 of every 4 weights are")


@pytest.mark.parametrize("text", ["4:2", "2:", "two of four", "4:4"])
def test_what_is_no_pattern_is_said_and_nothing_can_be_repaired(dialog, requests, qtbot, text):
    dialog.set_answer(answer(DENSE, HALF))
    assert dialog.go.isEnabled()
    type_pattern(qtbot, dialog, text)
    assert dialog.row.note.text().startswith("✕ Pattern must be n:m")
    assert f"(got '{text}')" in dialog.row.note.text()
    assert requests[-1] is None
    assert not dialog.go.isEnabled()
    assert dialog.headline.foregroundRole() == MUTED, "the result is for another request"
    type_pattern(qtbot, dialog, "2:4")
    assert dialog.row.note.text().startswith("2:4 means that at most 2 of every 4")
    assert not dialog.go.isEnabled(), "the check is running"
    dialog.set_answer(answer(DENSE, HALF))
    assert dialog.go.isEnabled()


def test_enter_in_the_field_asks_and_repairs_nothing(dialog, requests, qtbot):
    dialog.set_answer(answer(DENSE))
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        qtbot.keyClick(dialog.row.pattern.lineEdit(), key)
    assert requests == [Question("2:4", 1, everything=False)] * 2
    assert dialog.isVisible()
    dialog.set_answer(answer(DENSE))
    dialog.go.setFocus()
    qtbot.keyClick(dialog.go, Qt.Key.Key_Return)
    assert requests[2:] == ["prune"]


def test_the_sentences_and_the_table_say_what_was_found(dialog):
    dialog.set_answer(answer(DENSE, BIAS, HALF))
    assert dialog.headline.text() == ("1 of 2 tensors matches 2:4. 1 violates it in 7 of 8 groups.")
    assert text_of(dialog.details) == (
        "2:4 needs 11 more pruned weights: 12.5 % of the L2 norm² of these tensors. 1 "
        "group keeps violating 2:4: too many of its weights are protected. 1 more "
        "tensor has no groups of 4 along dim 1. In 1 tensor the dimension is not a "
        "multiple of 4: 8 weights are in no group, and kernels that need complete "
        "groups reject it."
    )
    assert dialog.note.text() == (
        "Sparse tensor cores support 2:4 along the input dimension of linear "
        "layers. The pattern alone makes neither the file smaller nor the model "
        "faster."
    )
    assert table_rows(dialog) == [
        ["✕ fc1.weight", "4×10", "7 of 8", "[0, 0]", "11", "12.5 %", "8"],
        ["– fc1.bias", "4", "–", "–", "–", "–", "–"],
        ["✓ second", "4×8", "0 of 8", "–", "–", "–", "0"],
    ]
    assert dialog.go.text() == "Prune 1 tensor to 2:4"


@pytest.mark.parametrize(
    ("tensors", "sentence"),
    [
        ((HALF,), "The tensor matches 2:4."),
        ((HALF, HALF, BIAS), "All 2 tensors match 2:4."),
        ((DENSE, BIAS), "The tensor violates 2:4 in 7 of 8 groups."),
        ((DENSE, DENSE), "0 of 2 tensors match 2:4. 2 violate it in 14 of 16 groups."),
        ((BIAS,), "The tensor has no groups of 4 along dim 1."),
        ((BIAS, BIAS), "None of the 2 tensors has groups of 4 along dim 1."),
    ],
)
def test_one_many_and_none(dialog, tensors, sentence):
    dialog.set_answer(answer(*tensors))
    assert dialog.headline.text() == sentence
    assert dialog.go.isEnabled() == (DENSE in tensors)
    if DENSE not in tensors:
        assert dialog.go.text() == "Nothing to prune"


@pytest.mark.parametrize(
    ("asked_for", "words"),
    [
        ({"n": 1}, "1:4 implies 2:4, which sparse tensor cores support along the input"),
        ({"n": 4, "m": 8}, "Whether 4:8 is supported depends on your kernels"),
        ({"dim": 0}, "along the input dimension of linear layers: dim 1, or dim 0"),
        ({"convolutions": 1}, "1 of these is a convolution: its groups are along the input"),
        ({"convolutions": 3}, "3 of these are convolutions: their groups are along the input"),
        (
            {"dim": -1},
            "Sparse tensor cores support 2:4 along the input dimension of linear layers.",
        ),
    ],
)
def test_what_it_is_good_for_is_said_honestly(dialog, asked_for, words):
    dialog.set_answer(answer(HALF, **asked_for))
    assert words in dialog.note.text()
    assert dialog.note.text().endswith("makes neither the file smaller nor the model faster.")


def test_energy_that_nobody_knows_is_no_number(dialog):
    odd = TensorPattern("w", (1, 4), 1, 1, first=(BrokenGroup((0, 0), 3),), lost=None, to_prune=1)
    dialog.set_answer(answer(odd, lost=None))
    assert text_of(dialog.details) == ("2:4 needs 1 more pruned weight: L2 norm² not known.")
    assert table_rows(dialog)[0][5] == "–"


def test_keys_go_through_the_tensors_and_each_is_shown(dialog, qtbot):
    wanted = []
    dialog.tensorRequested.connect(wanted.append)
    dialog.set_answer(answer(DENSE, BIAS, HALF))
    assert dialog.place.text() == "Select a tensor to show it in the main window."
    dialog.table.setFocus()
    assert text_of(dialog.place) == "fc1.weight: [0, 0] has 3, [1, 4] has 4, and 5 more groups"
    qtbot.keyClick(dialog.table, Qt.Key.Key_Down)
    assert dialog.place.text() == "fc1.bias: Groups need a tensor of two or more dimensions."
    qtbot.keyClick(dialog.table, Qt.Key.Key_Down)
    assert dialog.place.text() == "second matches 2:4."
    assert wanted == ["fc1.weight", "fc1.bias", "fc2.weight"]
    qtbot.keyClick(dialog.table, Qt.Key.Key_Tab)
    assert not dialog.table.hasFocus()


def test_what_does_not_hold_any_more_is_gone_until_it_is_looked_at_again(dialog, requests, qtbot):
    dialog.set_answer(answer(DENSE))
    assert not dialog.again.isVisible()
    dialog.set_trouble("The masks have changed since this check.", can_ask=True)
    assert dialog.headline.text() == "The masks have changed since this check."
    assert dialog.headline.foregroundRole() == TEXT
    assert dialog.go.text() == "Prune", "unknown"
    assert (table_rows(dialog), dialog.details.text(), dialog.note.text()) == ([], "", "")
    assert not dialog.go.isEnabled()
    assert not dialog.copy.isEnabled()
    qtbot.mouseClick(dialog.again, Qt.MouseButton.LeftButton)
    assert requests == [Question("2:4", 1, everything=False)]
    dialog.set_under_way("Checking")
    assert not dialog.again.isVisible()
    assert dialog.headline.text() == ""
    dialog.set_answer(answer(DENSE))
    assert dialog.headline.foregroundRole() == TEXT
    assert dialog.go.isEnabled()


def test_work_can_be_stopped_once_it_takes_longer_than_a_moment(dialog, qtbot):
    dialog.set_answer(answer(DENSE))
    dialog.set_under_way("Checking sparsity pattern")
    assert not dialog.job.isVisible()
    assert dialog.headline.foregroundRole() == TEXT
    dialog.job.set_progress(1, 4, "fc1.weight")
    qtbot.waitUntil(dialog.job.isVisible)
    qtbot.waitUntil(lambda: dialog.headline.foregroundRole() == MUTED)
    assert "fc1.weight" in dialog.job.label.text()
    assert problems_of(dialog) == []
    with qtbot.waitSignal(dialog.stopRequested):
        qtbot.mouseClick(dialog.job.cancel, Qt.MouseButton.LeftButton)
    dialog.set_trouble("Stopped.", can_ask=True)
    assert not dialog.job.isVisible()
    dialog.set_answer(answer(DENSE))
    assert dialog.headline.foregroundRole() == TEXT


def test_trouble_takes_the_place_of_the_answer(dialog):
    dialog.set_answer(answer(DENSE))
    dialog.set_trouble("No tensor of this file can be pruned.")
    assert dialog.headline.text() == "No tensor of this file can be pruned."
    assert (table_rows(dialog), dialog.details.text(), dialog.note.text()) == ([], "", "")
    assert not dialog.go.isEnabled()
    assert not dialog.copy.isEnabled()
    assert problems_of(dialog) == []
    before = dialog.minimumSizeHint().width()
    dialog.set_trouble(f"'/models/{'x' * 200}' was changed on the disk.")
    assert dialog.minimumSizeHint().width() == before, "the path is wrapped"


def test_tab_goes_through_it_as_one_reads(dialog, qtbot):
    dialog.set_answer(answer(DENSE))
    dialog.set_trouble("Stopped.", can_ask=True)
    dialog.table.setCurrentIndex(dialog.table.model().index(0, 0))
    stops = []
    dialog.row.pattern.setFocus()
    for _ in range(6):
        stops.append(QApplication.focusWidget())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    row = dialog.row
    assert stops[1:] == [row.dim.combo, row.tensors, dialog.table, dialog.again, dialog.leave]


def test_where_nothing_is_checked_all_are_meant(dialog, requests):
    dialog.row.set_tensors(0, 3)
    assert dialog.row.question() == Question("2:4", 1, everything=True)
    assert dialog.row.tensors.currentText() == "all prunable tensors: 3"
    assert requests == [], "views that are told do not announce it"


def test_all_of_it_is_told_to_whoever_does_not_see_it(dialog):
    dialog.set_answer(answer(DENSE, BIAS, HALF, convolutions=1))
    assert problems_of(dialog) == []
    assert dialog.table.accessibleDescription() == dialog.headline.text()
    dialog.set_trouble("The masks have changed since this check.", can_ask=True)
    assert problems_of(dialog) == []


def test_a_hundred_thousand_tensors_are_made_as_they_are_shown(dialog, qtbot, monkeypatch):
    made = []
    monkeypatch.setattr(
        "pruneapp.gui.patterns.answer.cells",
        lambda found, row: made.append(row) or cells(found, row),
    )
    dialog.set_answer(answer(*[DENSE] * 100_000))
    assert dialog.go.text() == "Prune 100,000 tensors to 2:4"
    dialog.table.setFocus()
    qtbot.keyClick(dialog.table, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    dialog.table.grab()
    assert 99_999 in made
    assert len(set(made)) < 200


def test_the_table_is_copied_with_numbers_in_full(dialog, qtbot):
    with qtbot.waitSignal(dialog.copyRequested):
        dialog.set_answer(answer(DENSE, BIAS))
        qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    dialog.copy.set_copied()
    assert dialog.copy.text() == "✓ Copied"
    odd = TensorPattern("a\tb\nc", (2, 2), groups=1_000, lost=0.0)
    lines = as_text(answer(DENSE, BIAS, odd), text_headers()).splitlines()
    assert [line.split("\t") for line in lines] == [
        list(text_headers()),
        ["fc1.weight", "4×10", "8", "7", "[0, 0]", "11", "0.125", "8", ""],
        ["fc1.bias", "4", "0", "0", "", "0", "0", "0", BIAS.why_not],
        ["a b c", "2×2", "1000", "0", "", "0", "0", "0", ""],
    ]


def test_numbers_are_cut_nowhere_and_names_have_the_room_that_is_left(dialog):
    large = TensorPattern("fc3.weight", (40_960, 4_096), groups=41_943_040)
    dialog.set_answer(answer(DENSE, HALF, BIAS, large))
    table = dialog.table
    widths = [table.columnWidth(column) for column in range(table.model().columnCount())]
    for row in range(4):
        texts = [table.model().index(row, column).data() for column in range(len(widths))]
        for text, width in zip(texts[1:], widths[1:], strict=True):
            assert table.fontMetrics().horizontalAdvance(text) < width
    wide = widths[0]

    dialog.set_answer(answer(DENSE, HALF, BIAS))

    assert table.columnWidth(0) > wide
