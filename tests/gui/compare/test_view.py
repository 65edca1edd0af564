"""The page Compare: choice of the sides by keys, bars, sorting, and the way to the heat map."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyleOptionViewItem

from pruneapp.analysis.comparison import Comparison, TensorDifference
from pruneapp.document.document import HistoryItem
from pruneapp.document.history import Branches
from pruneapp.gui.compare.view import CompareView, cap_of
from pruneapp.gui.widgets.short_names import ShortNames
from tests.support.plot_views import bar_text, bar_value, choose_order

pytestmark = pytest.mark.usefixtures("english")

LEFT = Qt.MouseButton.LeftButton
POINTS = [
    HistoryItem("Opened", "resnet20.th"),
    HistoryItem("L1 20 %, global, on 19 tensors", "all of it"),
    HistoryItem("L2 30 %, dim 0", "channels"),
]


def differs(name, relative, cosine, same, zeros, numel=100, differing=10):
    return TensorDifference(
        name, "differs", (numel,), (numel,), numel, differing, 1.0, relative, cosine, same, *zeros
    )


COMPARISON = Comparison(
    "Opened",
    "L1 20 %",
    (
        differs("a.weight", 0.1, 0.99, 0.9, (0, 0, 0)),
        TensorDifference("b.weight", "same", (4,), (4,), 4),
        TensorDifference("c.weight", "only a", (4,), (), 4),
        differs("d.weight", 0.5, 0.9, 0.7, (10, 20, 5)),
        TensorDifference("e.weight", "shape", (4,), (5,), 4),
        differs("f.weight", 0.3, 0.95, 0.99, (10, 10, 10)),
    ),
)


@pytest.fixture
def view(qtbot):
    found = CompareView()
    qtbot.addWidget(found)
    found.resize(720, 520)
    found.show()
    found.activateWindow()
    assert QTest.qWaitForWindowActive(found)
    return found


def test_of_a_long_label_one_reads_the_beginning_and_that_it_is_now(view, qtbot):
    """Regression: long labels lost their end, which marks the current state."""
    box = view.sides.boxes[1]

    def painted():
        QTest.qWait(10)
        return box.grab().toImage()

    long = "channel 2,908 of " + "a_very_long_name." * 6 + "weight pruned"
    view.set_points([POINTS[0], HistoryItem(long, "")], 1)
    assert box.currentText() == f"1: {long} (current state)"
    first = painted()
    view.set_points([POINTS[0], HistoryItem(long, ""), POINTS[2]], 0)
    box.setCurrentIndex(1)
    assert box.currentText() == f"1: {long}"
    right = first.rect().adjusted(first.width() // 2, 0, 0, 0)
    assert painted().copy(right) != first.copy(right), "the end of the label is visible"


def test_the_current_state_is_called_so_where_its_label_does_not_fit(view):
    """Regression: the label was "channe… (now)", which identifies neither step nor state."""
    box = view.sides.boxes[1]
    label = "channel 1,048 of encoder.layer.0.intermediate.dense pruned"
    view.set_points([POINTS[0], HistoryItem(label, "")], 1)
    assert box.shown_text(100) == "Current state"
    assert box.shown_text(2000) == f"1: {label} (current state)"
    assert f"{label} (current state)" in box.toolTip()
    assert "Opened" in view.sides.boxes[0].toolTip()
    view.set_points([POINTS[0], HistoryItem(label, ""), POINTS[2]], 0)
    box.setCurrentIndex(1)
    assert box.shown_text(160).startswith("1: chan")


def test_where_there_is_no_tensor_nobody_is_told_to_prune(view):
    view.set_points(POINTS[:1], 0)
    assert "Apply a pruning step" in view.empty_text()
    view.set_empty_text("This file has no tensors.")
    assert view.empty_text() == "This file has no tensors."


@pytest.fixture
def compared(view):
    view.set_points(POINTS, 1)
    view.set_comparison(COMPARISON)
    return view


def names(view):
    return [cells[0][0] for cells in view.numbers()]


def test_it_says_what_to_do_next(view):
    assert "Open a checkpoint" in view._message.text()
    view.set_points(POINTS[:1], 0)
    assert "Apply a pruning step, or choose another file as B." in view._message.text()
    view.set_points(POINTS, 0)
    assert "A and B are the same." in view._message.text()
    view.set_points(POINTS, 2)
    assert view._message.text() == "Choose two states above to compare."
    same = TensorDifference("b.weight", "same", (4,), (4,), 4)
    view.set_comparison(Comparison("a", "b", (same, same)))
    assert view._message.text() == "Nothing differs: all 2 tensors are equal."


def test_b_follows_the_history_until_it_is_chosen(view, qtbot):
    view.set_points(POINTS, 1)
    assert view.sides.wanted == (0, 1)
    assert view.sides.boxes[1].currentText() == "1: L1 20 %, global, on 19 tensors (current state)"
    view.set_points(POINTS, 2)
    assert view.sides.wanted == (0, 2)
    with qtbot.waitSignal(view.comparisonRequested) as told:
        qtbot.keyClick(view.sides.boxes[0], Qt.Key.Key_Down)
    assert told.args == [1, 2]
    view.set_points(POINTS, 1)
    assert view.sides.wanted == (1, 2), "A remains the choice of the user, and B differs from it"
    view.set_points(POINTS, 0)
    assert view.sides.wanted == (1, 0)
    view.set_points(POINTS[:1], 0)
    assert view.sides.wanted == (0, 0), "the chosen state was deleted"


def test_a_step_in_the_place_of_the_one_that_was_chosen_is_another_state(view, qtbot):
    """Regression: side A was the new step, which B showed as well."""
    view.set_points(POINTS, 1)
    qtbot.keyClick(view.sides.boxes[0], Qt.Key.Key_Down)
    qtbot.keyClick(view.sides.boxes[0], Qt.Key.Key_Down)
    assert view.sides.wanted == (2, 1)
    view.set_points([*POINTS[:2], HistoryItem("L2 30 %, dim 0", "other channels")], 2)
    assert view.sides.wanted == (0, 2)


def test_branches_are_listed_one_after_another_and_indented(view, qtbot):
    """Steps of two branches may have the same label, so they have numbers."""
    items = [*POINTS, replace(POINTS[1], name="tried"), replace(POINTS[2])]
    view.set_points(items, 4, Branches((0, 1, 0, 3), 4))
    box = view.sides.boxes[0]
    texts = [box.itemText(i) for i in range(5)]
    # Neither branch contains the other: both follow "Opened".
    assert texts[:3] == ["Opened", f"└ 1: {POINTS[1].label}", f"\u20032: {POINTS[2].label}"]
    assert [box.itemData(i) for i in range(5)] == [0, 1, 2, 3, 4]
    assert texts[3:] == ["└ 3: tried", f"\u20034: {POINTS[2].label} (current state)"]
    view.set_points(items, 2, Branches((0, 0, 1, 2), 4))
    assert [box.itemData(i) for i in range(5)] == [0, 1, 3, 2, 4]
    assert view.sides.boxes[1].currentText().startswith("└ ")
    assert not view.sides.boxes[1].shown_text(2000).startswith("└")
    assert view.sides.boxes[1].shown_text(60) != ""
    with qtbot.waitSignal(view.comparisonRequested) as told:
        box.setCurrentIndex(2)
        box.activated.emit(2)
    assert told.args == [3, 2]


def test_the_states_that_were_chosen_stay_chosen_where_others_are_deleted(view, qtbot):
    items = [*POINTS, HistoryItem("a", ""), HistoryItem("b", "")]
    tree = Branches((0, 0, 0, 0), 4)
    view.set_points(items, 1, tree)
    for box, state in zip(view.sides.boxes, (4, 3), strict=True):
        box.setCurrentIndex(box.findData(state))
        box.activated.emit(box.currentIndex())
    assert view.sides.wanted == (4, 3)
    without = [items[0], items[1], items[3], items[4]]
    view.set_points(without, 1, Branches((0, 0, 0), 3))
    assert view.sides.wanted == (3, 2)
    renamed = [*without[:3], replace(without[3], name="c")]
    view.set_points(renamed, 1, Branches((0, 0, 0), 3))
    assert view.sides.wanted == (3, 2)
    view.set_points(renamed[:3], 1, Branches((0, 0), 2))
    assert view.sides.wanted == (0, 2), "the state of side A was deleted"


def test_another_file_is_asked_for_and_takes_the_side(view, qtbot):
    view.set_points(POINTS, 1)
    with (
        qtbot.waitSignal(view.sides.otherRequested),
        qtbot.waitSignal(view.sides.folderRequested),
        qtbot.assertNotEmitted(view.comparisonRequested),
    ):
        qtbot.keyClick(view.sides.boxes[0], Qt.Key.Key_End)
        view.sides.boxes[0].setCurrentIndex(view.sides.boxes[0].findText("Another file…"))
        view.sides.boxes[0].activated.emit(view.sides.boxes[0].currentIndex())
    assert view.sides.wanted == (0, 1), "no file is open"
    assert view.sides.boxes[0].currentText() == "Opened"
    with qtbot.assertNotEmitted(view.comparisonRequested):
        view.set_other("finetuned.safetensors")
    assert view.sides.wanted == (None, 1)
    assert view.sides.boxes[0].currentText() == "finetuned.safetensors"
    with qtbot.waitSignal(view.comparisonRequested) as told:
        qtbot.keyClick(view.sides.boxes[1], Qt.Key.Key_Down)
    assert told.args == [None, 2]
    view.set_other(None)
    assert view.sides.wanted == (0, 2)


@pytest.mark.parametrize(("position", "wanted"), [(2, (0, None)), (1, (0, None)), (0, (0, None))])
def test_a_file_that_is_chosen_for_one_side_leaves_the_other(view, position, wanted):
    """Regression: side A was the original until the current state replaced it."""
    view.set_points(POINTS, position)
    box = view.sides.boxes[1]
    box.setCurrentIndex(box.findText("Another folder…"))
    box.activated.emit(box.currentIndex())
    view.set_other("exported")
    assert view.sides.wanted == wanted
    view.set_points([*POINTS, HistoryItem("L1 90 %", "")], 3)
    assert view.sides.wanted == ((0, None) if position else (3, None)), (
        "side B follows the current state"
    )


def test_a_file_that_is_dropped_stands_against_the_current_state(view):
    view.set_points(POINTS, 2)
    view.set_other("exported")
    assert view.sides.wanted == (2, None)


def test_the_original_is_the_base_whichever_was_opened_first(view):
    view.set_points(POINTS, 1)
    view.set_other("original.safetensors", original=True)
    assert view.sides.wanted == (None, 1)
    view.set_other(None)
    assert view.sides.wanted == (0, 1)
    view.set_other("pruned.safetensors")
    assert view.sides.wanted in {(None, 1), (1, None)}


def test_sides_are_swapped(view, qtbot):
    view.set_points(POINTS, 1)
    with qtbot.waitSignal(view.comparisonRequested) as told:
        qtbot.mouseClick(view.sides.swap_button, LEFT)
    assert told.args == [1, 0]
    assert view.sides.wanted == (1, 0)
    view.set_points(POINTS, 2)
    assert view.sides.wanted == (1, 0), "the user chose it"


def test_behind_each_bar_stands_its_number(compared, theme):
    """As on the page Model."""
    compared.set_colors(theme.colors)
    ends = [bar_value(compared, bar) for bar in range(compared.canvas.count)]
    assert ends == [
        (50.0, "50.0\u00a0%"),
        (30.0, "30.0\u00a0%"),
        (10.0, "10.0\u00a0%"),
        (0.0, "only in A"),
        (0.0, "different shape or type, not compared"),
    ]
    image = compared.canvas.viewport().grab().toImage()
    end = compared.canvas.area.pixel(1, 50).toPoint()
    behind = {
        image.pixelColor(end.x() + x, end.y() + y).name()
        for x in range(4, 40)
        for y in range(-6, 7)
    }
    assert theme.colors["text"] in behind
    right = compared.canvas.area.rect.right()
    wide = compared.fontMetrics().horizontalAdvance("50.0\u00a0%")
    assert end.x() + wide < right, "there is space for the number of the longest bar"
    compared.set_measure("angle")
    assert bar_value(compared, 0) == (pytest.approx(0.1), "0.1")
    far = differs("far.weight", 152.0, 0.1, 0.5, (0, 0, 0))
    near = [differs(f"t{i}.weight", 0.1, 0.9, 0.9, (0, 0, 0)) for i in range(20)]
    compared.set_measure("norm")
    compared.set_comparison(Comparison("A", "B", (*near, far)))
    assert bar_value(compared, 0)[1] == "", "the number is next to the arrow"
    assert compared.chart().capped == {0: "15,200\u00a0%"}
    compared.set_comparison(
        Comparison(
            "A", "B", tuple(differs(f"{r}", r, 1.0, 1.0, (0, 0, 0)) for r in (0.0021, 0.0018))
        )
    )
    texts = [bar_value(compared, bar)[1] for bar in (0, 1)]
    assert texts == ["0.210\u00a0%", "0.180\u00a0%"], "rounding to bfloat16: 0.2 % for all"


def test_one_tensor_does_not_squash_the_bars_of_all_others(view, theme):
    view.set_points(POINTS, 1)
    tensors = [differs(f"t{i}.weight", 0.1 + i / 1000, 0.9, 0.9, (0, 0, 0)) for i in range(20)]
    view.set_comparison(
        Comparison("A", "B", (*tensors, differs("far.weight", 152.0, 0.1, 0.5, (0, 0, 0))))
    )
    view.set_colors(theme.colors)
    assert view.chart().highest < 16, "percent: the others reach 12 of it"
    assert "▶" in view.canvas.across.labelText
    assert view.summary().endswith("bars clipped: 1 (▶)")
    ticks = [at for _, level in view.canvas.across.tickValues(0, 20, 400) for at in level]
    assert 0 < max(ticks) <= view.chart().highest, "no tick where no bar can end"
    assert view.numbers().row(0)[0] == "far.weight"
    view.canvas.hovered.emit(0)
    assert "15,200" in view.readout.text()
    image = view.canvas.viewport().grab().toImage()
    rect, middle = view.canvas.area.rect, view.canvas.area.pixel(1, 0).toPoint()
    found = {
        image.pixelColor(int(rect.right()) - x, middle.y() + y).name()
        for x in range(2, 8)
        for y in (-1, 0, 1)
    }
    assert theme.colors["text"] in found, "the bar is clipped"
    view.set_comparison(Comparison("A", "B", tuple(tensors)))
    assert "▶" not in view.canvas.across.labelText


@pytest.mark.parametrize(
    ("heights", "end"),
    [
        # After a repair: two biases change many times as much as all weights.
        ([4959, 2189, 269, 133, 129, 112, 58, 24, 7, 5, 0.7, 0.1], 1.25 * 269),
        ([4959, 269, 133], 1.25 * 269),
        ([512, 256, 128, 64, 32, 16, 8, 4], None),  # no gap between the heights
        ([100, 90, 20, 19, 18, 17], None),  # a third of the bars is not an outlier
        # Regression: after FFN pruning and a recovery only the least changed bars had lengths.
        ([*range(223, 198, -1), *[0.1] * 78], None),
        ([*range(223, 198, -1), *[0.1] * 400], None),
        ([3, 2, 1], None),
        ([7], None),
        ([], None),
    ],
)
def test_a_few_bars_far_beyond_the_others_are_cut(heights, end):
    assert cap_of(np.array(heights, dtype=float)) == end


def test_choosing_the_same_twice_asks_for_nothing(compared, qtbot):
    with qtbot.assertNotEmitted(compared.comparisonRequested):
        qtbot.keyClick(compared.sides.boxes[1], Qt.Key.Key_Home)
    assert compared.sides.wanted == (0, 0)
    assert "A and B are the same." in compared._message.text()


def test_the_most_different_first_in_every_measure(compared, qtbot):
    assert names(compared) == ["d", "f", "a", "c", "e"]
    for key, order in (("angle", "dface"), ("signs", "dafce"), ("zeros", "dface")):
        qtbot.keyClick(compared.measure_box, Qt.Key.Key_Down)
        assert compared.measure == key
        assert "".join(names(compared)) == order
    vector = differs("v.bias", 99.0, 0.1, 0.1, (0, 0, 0))
    matrix = replace(differs("m.weight", 0.2, 0.1, 0.1, (0, 0, 0)), shape_a=(4, 25))
    larger = replace(matrix, name="n.weight", relative=0.4)
    before = compared._comparison
    compared.set_comparison(Comparison("A", "B", (vector, matrix, larger)))
    compared.set_measure("norm")
    assert names(compared) == ["v", "n", "m"], "the order of the values that are shown"
    assert "Biases and norms have small values" in compared.order_box.toolTip()
    compared.set_comparison(before)
    choose_order(compared, "layer")
    assert names(compared) == ["a", "c", "d", "e", "f"]


def test_counters_are_after_all_weights_and_do_not_clip_their_bars(compared):
    """Regression: `num_batches_tracked`, 700 times as large after a training, came first."""
    counter = replace(
        differs("bn.num_batches_tracked", 700.0, 1.0, 1.0, (0, 0, 0)), dtype_a="int64"
    )
    weights = [differs(f"{name}.weight", 0.1, 0.9, 0.9, (0, 0, 0)) for name in "xy"]
    mean = replace(differs("bn.running_mean", 0.3, 0.9, 0.9, (0, 0, 0)), dtype_a="float32")
    packed = replace(differs("q.weight", 0.2, 0.9, 0.9, (0, 0, 0)), dtype_a="int8")
    only_b = TensorDifference("z.weight", "only b", (), (4,), 4)
    compared.set_comparison(Comparison("A", "B", (counter, *weights, mean, packed, only_b)))
    compared.set_measure("norm")
    rows = [compared.numbers().row(at)[0] for at in range(6)]
    assert rows[:2] == ["bn.running_mean", "q.weight"]
    assert rows[-2:] == ["z.weight", "bn.num_batches_tracked"]
    choose_order(compared, "layer")
    assert compared.numbers().row(0)[0] == "bn.num_batches_tracked"


def test_bars_are_as_high_as_the_difference_in_a_colour_that_means_nothing(compared, theme):
    compared.set_colors(theme.colors)
    image = compared.canvas.viewport().grab().toImage()

    def at(x, y):
        return image.pixelColor(compared.canvas.area.pixel(x, y).toPoint()).name()

    assert (at(1, 40), at(2, 20), at(3, 5)) == (theme.colors["muted"],) * 3
    assert (at(2, 40), at(3, 20), at(4, 40)) == (theme.colors["surface"],) * 3


def test_all_measures_are_told(compared):
    gap = "\u00a0"
    compared.canvas.hovered.emit(0)
    assert compared.readout.text() == (
        f"d.weight:  10.0{gap}% of the weights differ, relative norm 50.0{gap}%, cosine 0.9, "
        f"same signs 70.0{gap}%, shared zeros 20.0{gap}%"
    )
    compared.canvas.hovered.emit(3)
    assert compared.readout.text() == "c.weight:  only in A"
    assert compared.summary() == "5 of 6 tensors differ, 1 only in A, 1 with a different shape"
    assert compared.canvas.accessibleDescription() == compared.summary()
    row = next(iter(compared.numbers()))
    assert row == ("d.weight", "differs", 10, 0.5, 0.9, 0.7, 0.2)
    assert list(compared.numbers())[3][3:] == ("–", "–", None, None)


def test_the_table_writes_shares_in_percent_however_small(view):
    """Regression: the table showed "Shared zeros 3.391e-06"."""
    few = differs("d.weight", 0.5, 0.9, 0.7, (200_000, 94_900, 1), numel=10**6)
    view.set_points(POINTS, 1)
    view.set_comparison(Comparison("Opened", "L1 20 %", (few,)))
    view.toggle_table()
    table = view._table.numbers
    shown = {
        str(table.headerData(column, Qt.Orientation.Horizontal)).replace("\n", " "): (
            table.index(0, column).data()
        )
        for column in range(table.columnCount())
    }
    assert shown["Same sign"] == "70.0\u00a0%"
    assert shown["Shared zeros"] == "<\u00a00.1\u00a0%"


def test_a_click_and_return_lead_to_the_difference(compared, qtbot):
    place = compared.canvas.area.pixel(2, 10).toPoint()
    with qtbot.waitSignal(compared.differenceRequested) as told:
        qtbot.mouseClick(compared.canvas.viewport(), LEFT, pos=place)
    assert told.args == ["f.weight"]
    qtbot.keyClick(compared.canvas, Qt.Key.Key_Left)
    with qtbot.waitSignal(compared.differenceRequested) as told:
        qtbot.keyClick(compared.canvas, Qt.Key.Key_Return)
    assert told.args == ["d.weight"]
    qtbot.keyClick(compared.canvas, Qt.Key.Key_End)
    with qtbot.assertNotEmitted(compared.differenceRequested):
        qtbot.keyClick(compared.canvas, Qt.Key.Key_Return)


def test_ten_thousand_differences(view):
    view.set_points(POINTS, 1)
    many = tuple(differs(f"t{i}", i / 10_000, 0.5, 0.5, (0, 0, 0)) for i in range(10_000))
    view.set_comparison(Comparison("a", "b", many))
    view.repaint()
    assert view.numbers().rows == 10_000
    assert view.chart().highest == pytest.approx(99.99)


def test_the_cursor_follows_the_tensor_in_focus(compared):
    """Regression: the cursor and its text remained at the previously clicked bar."""
    second = compared._differing[int(compared.chart().order[1])].name
    compared.follow(second)
    assert compared.canvas.cursor_bar == -1, "no bar is chosen"
    compared.canvas.set_cursor(0)
    compared.follow(second)
    assert compared.canvas.cursor_bar == 1
    assert compared.readout.text() == bar_text(compared, 1)
    compared.follow("one that is equal")
    assert compared.canvas.cursor_bar == -1
    assert compared.readout.text() == compared.summary()


def test_no_two_names_of_the_table_look_alike(view):
    """The columns of numbers leave little space; the differing parts of the names are shown."""
    ends = ("attention.self.query", "attention.output.dense", "intermediate.dense", "output.dense")
    names = [f"encoder.layer.{n}.{end}.weight" for n in range(6) for end in ends]
    others = ("embeddings.word_embeddings.weight", "encoder.layer.0.output.LayerNorm.bias")
    view.set_names(ShortNames((*names, *others)))
    view.resize(595, 520)
    tensors = tuple(
        differs(name, 0.318501, 0.947923, 0.500002, (9, 9, 5), 294_912) for name in names
    )
    view.set_comparison(Comparison("Opened", "L1 20 %", tensors))
    view._table_button.click()
    table = view._table
    shown = set()
    for row in range(len(names)):
        index = table.numbers.index(row, 0)
        option = QStyleOptionViewItem()
        option.initFrom(table)
        option.rect = table.visualRect(index)
        table.itemDelegateForIndex(index).initStyleOption(option, index)
        width = option.rect.width() - 6
        shown.add(option.fontMetrics.elidedText(option.text, table.textElideMode(), width))
        assert names[row] in index.data(Qt.ItemDataRole.ToolTipRole)
    assert len(shown) == len(names)
    heads = [table.numbers.headerData(n, Qt.Orientation.Horizontal) for n in range(3)]
    assert heads == ["Tensor", "Weights\nthat differ", "Relative\nnorm"]  # no two are equal
    assert table.horizontalScrollBar().maximum() == 0
