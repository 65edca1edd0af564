"""The page Sensitivity: colors and numbers of cells, scrolling, choice by mouse and keys."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor

from pruneapp.evaluation.scan import Sensitivity, TensorSensitivity
from pruneapp.gui.plots.heatmap import shading
from pruneapp.gui.plots.sensitivity import SensitivityView
from pruneapp.gui.widgets.theme import DARK, LIGHT, THEMES
from tests.gui.user import plain

LEFT = Qt.MouseButton.LeftButton
AMOUNTS = (0.3, 0.5, 0.9)
WHY_OLD = "Measured with another script."


def found(rows=None, *, noise=0.001, is_old=False, is_current=True, calibrated=False):
    rows = rows or (
        TensorSensitivity("a.weight", "a.weight", 1200, (0.5, 0.6, 3.0)),
        TensorSensitivity("b.weight", "b.weight", 10, (0.5005, None, math.nan)),
    )
    return Sensitivity(
        ("loss",),
        "loss",
        False,
        0.5,
        noise,
        AMOUNTS,
        tuple(rows),
        "L1",
        state="Opened",
        is_current=is_current,
        why_old=WHY_OLD if is_old else "",
        calibrated=calibrated,
    )


@pytest.fixture
def view(show, english):
    shown = show(SensitivityView(), 700, 420)
    shown.set_sensitivity(found())
    return shown


def color(view, row, column):
    """Return the color of a cell, off its number."""
    rect = view.canvas.cell_rect(row, column)
    image = view.canvas.viewport().grab().toImage()
    return image.pixelColor(QPoint(round(rect.left()) + 4, round(rect.top()) + 4)).name()


def is_gray(name):
    return QColor(name).hsvSaturationF() < 0.25


def legend(view):
    return [swatch.label for swatch in view.legend.entries]


def test_a_scan_without_a_change_beyond_the_noise_is_explained(view):
    """Regression: nothing was written about a scan in which all changes are 0."""
    note = "No change of the metric at the scanned amounts exceeds the noise"
    assert note not in view.subject()
    for flat in ((0.5, 0.5, 0.5), (0.5005, 0.4995, 0.5)):
        view.set_sensitivity(found([TensorSensitivity("a.weight", "a.weight", 9, flat)]))
        assert view.subject().count(note) == 1
    for other in ((0.5, 0.5, None), (0.5, 0.5, 0.4), (0.5, 0.5, math.nan)):
        view.set_sensitivity(found([TensorSensitivity("a.weight", "a.weight", 9, other)]))
        assert note not in view.subject()


def test_values_of_states_that_were_calibrated_with_the_same_data_are_marked(view):
    note = (
        "The metric was measured on data that were also used to calibrate or to choose the amounts."
    )
    note = (
        "The metric was measured on data that were also used to calibrate or to choose the amounts."
    )
    assert note not in view.subject()
    assert view.numbers().headers[-1] != "measured with"
    view.set_sensitivity(found(calibrated=True))
    assert view.canvas.text(0, 2) == "+2.5", "no cell has a mark"
    assert view.canvas.text(1, 1) == ""
    assert "measured on" not in view.cell_text(0, 2)
    assert view.subject().count(note) == 1
    assert view.numbers().headers[-1] == "measured with"
    assert [row[-1] for row in view.numbers()] == [note, note]
    chosen = []
    view.cellChosen.connect(lambda *cell: chosen.append(cell))
    view.toggle_table()
    for column in (0, 3):
        view._table.activated.emit(view._table.numbers.index(0, column))
    assert chosen == [("a.weight", 0.3), ("a.weight", 0.9)]


def test_colors_of_cells_range_from_no_damage_to_the_worst(view):
    for colors in (LIGHT, DARK):
        view.set_colors(colors)
        assert color(view, 0, 2) == colors["danger"]
        assert color(view, 1, 2) == colors["danger"], "no number is the worst"
        clear, some = color(view, 0, 0), color(view, 0, 1)
        assert clear not in (some, colors["danger"])
        assert clear == color(view, 1, 0), "what is within the noise is no damage"
        assert QColor(colors["surface"]).name() != clear
    view.set_sensitivity(found(is_old=True))
    assert is_gray(color(view, 0, 2))
    assert legend(view)[-1] == "measured before"
    assert WHY_OLD in view.about.text()
    view.set_sensitivity(found(is_current=False))
    assert legend(view)[-1] == "from another state"
    view.set_sensitivity(found(is_old=True, is_current=False))
    assert legend(view)[-1] == ("from another state, in an earlier run"), (
        "one gray, one word for it"
    )
    assert plain(legend(view)[0]) == "2.5 worse (logarithmic)"


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
@pytest.mark.parametrize("is_current", [True, False])
def test_numbers_are_legible_on_the_color_of_each_cell(view, theme, is_current):
    """Regression: in another state they were black on dark gray."""
    view.set_colors(theme.colors)
    view.set_sensitivity(found(is_current=is_current))
    levels = np.linspace(0, 1, 256)
    for pixel in map(view.canvas.fill, levels):
        text = shading.readable_on(pixel)
        cell = f"#{pixel & 0xFFFFFF:06x}"
        light, dark = sorted((shading.luminance(text), shading.luminance(cell)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= (4.5 if is_current else 6.9), cell
    texts = {shading.readable_on(pixel) for pixel in map(view.canvas.fill, levels)}
    assert len(texts) == 1 + is_current, "on gray all numbers have the same color"
    rect = view.canvas.cell_rect(0, 2).toRect()
    image = view.canvas.viewport().grab(rect).toImage()
    middle = range(rect.height() // 2 - 10, rect.height() // 2 + 10)
    painted = {image.pixelColor(x, y).name() for x in range(rect.width()) for y in middle}
    assert shading.readable_on(view.canvas.fill(1.0)) in painted


def test_cells_say_the_difference(view):
    cells = [[view.canvas.text(row, column) for column in range(3)] for row in range(2)]
    assert cells == [["0", "+0.10", "+2.5"], ["≈", "", "✕"]]
    words = [plain(view.cell_text(1, column)) for column in range(3)]
    assert words == [
        "b.weight, 30 % pruned:  loss 0.5005, difference within noise ±0.001",
        "b.weight, 50 % pruned:  not measured yet",
        "b.weight, 90 % pruned:  loss is not a finite number",
    ]
    assert plain(view.readout.text()) == (
        "5 of 6 evaluations measured. Most sensitive: a.weight, 2.5 worse at 90 %."
    )
    assert plain(view.about.text()) == (
        "Scanned state: Opened (current state). Method: L1. Before pruning: loss 0.5."
    )
    words = f"{view.about.text()} {view.readout.text()}"
    assert view.canvas.accessibleDescription() == words


@pytest.mark.parametrize("low", [False, True])
def test_the_readout_has_two_lines_unless_the_window_is_low(view, low):
    """Regression: on one line, the most sensitive tensor was cut."""
    view.set_low(low=low)
    text = view.readout.text()
    width = view.fontMetrics().horizontalAdvance(text) * 2 // 3
    lines = view.readout.shortened(width).split("\n")
    assert len(lines) == (1 if low else 2)
    assert low or " ".join(lines).split() == text.split(), "nothing is cut"
    assert view.readout.sizeHint().height() >= len(lines) * view.fontMetrics().lineSpacing()


def test_numbers_in_cells_are_short(view):
    amounts = (0.00034, 0.0099, 0.0123, 4.56, 321, 45678)
    rows = [TensorSensitivity("a", "a", 1, (0.5 + amount, 0.6, 0.7)) for amount in amounts]
    view.set_sensitivity(found(rows, noise=0.0))
    cells = [view.canvas.text(row, 0) for row in range(len(amounts))]
    assert cells == ["+0.0003", "+0.0099", "+0.012", "+4.6", "+321", "+5e4"]


def test_cells_of_small_differences_are_all_powers_of_ten(view):
    rows = [TensorSensitivity("a", "a", 1, (0.5 + n, None, math.nan)) for n in (0.0005, -7e-6)]
    view.set_sensitivity(found(rows, noise=0.0))
    assert [view.canvas.text(row, 0) for row in range(2)] == ["+5e−4", "−7e−6"]


def test_mouse_and_keys_choose_a_cell(view, qtbot):
    canvas = view.canvas
    at = canvas.cell_rect(1, 1).center().toPoint()
    qtbot.mouseMove(canvas.viewport(), at)
    assert plain(view.readout.text()).startswith("b.weight, 50 % pruned")
    with qtbot.waitSignal(view.cellChosen) as emitted:
        qtbot.mouseClick(canvas.viewport(), LEFT, pos=at)
    assert emitted.args == ["b.weight", 0.5]
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Left):
        qtbot.keyClick(canvas, key)
    assert plain(view.readout.text()).startswith("a.weight, 30 % pruned")
    with qtbot.waitSignal(view.cellChosen) as emitted:
        qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert emitted.args == ["a.weight", 0.3]


def test_many_tensors_scroll(view, qtbot):
    rows = [
        TensorSensitivity(f"layers.{n}.weight", f"layers.{n}.weight", 10, (0.6, 0.7, 0.8))
        for n in range(3000)
    ]
    view.set_sensitivity(found(rows))
    canvas = view.canvas
    assert canvas.visible[0] == 0
    assert canvas.visible[1] < 40
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_End)
    assert canvas.visible[1] == 3000
    assert plain(view.readout.text()).startswith("layers.2999.weight, 30 %")
    qtbot.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.visible == (0, 3000)
    canvas.viewport().grab()
    view.set_sensitivity(found(rows))
    assert canvas.visible == (0, 3000), "new numbers move nothing"


def test_a_row_of_the_table_chooses_the_cell_of_its_column(view, qtbot):
    view.toggle_table()
    with qtbot.waitSignal(view.cellChosen) as emitted:
        view._table.activated.emit(view._table.numbers.index(0, 3))
    assert emitted.args == ["a.weight", 0.9]


def test_tensors_are_sorted_by_damage_and_size(view, qtbot):
    for place, names in enumerate((["a.weight", "b.weight", "c"], ["c", "a.weight", "b.weight"])):
        rows = (
            TensorSensitivity("a.weight", "a.weight", 1200, (0.5, 0.6, 0.7)),
            TensorSensitivity("b.weight", "b.weight", 10, (0.5, None, None)),
            TensorSensitivity("c", "c", 30, (0.5, 0.9, None)),
        )
        view.order_box.setCurrentIndex(place)
        view.order_box.activated.emit(place)
        view.set_sensitivity(found(rows))
        assert [row[0] for row in view.numbers()] == names
        assert [name for name, _ in view.canvas.left.visible_names()] == names
    canvas = view.canvas
    with qtbot.waitSignal(view.cellChosen) as emitted:
        at = canvas.cell_rect(0, 1).center().toPoint()
        qtbot.mouseClick(canvas.viewport(), LEFT, pos=at)
    assert emitted.args == ["c", 0.5]
    assert plain(view.readout.text()) == "c, 50 % pruned:  loss 0.9, 0.4 worse"
    view.order_box.setCurrentIndex(2)
    view.order_box.activated.emit(2)
    assert [row[0] for row in view.numbers()] == ["a.weight", "c", "b.weight"]


def test_the_cursor_stays_on_its_tensor_when_rows_change_places(view, qtbot):
    """During a scan, the next result may make another tensor the most sensitive one."""
    view.order_box.setCurrentIndex(1)
    view._on_order_chosen()
    rows = [TensorSensitivity(name, name, 10, (0.5, 0.6, 1.0)) for name in "abc"]
    view.set_sensitivity(found(rows))
    view.canvas.set_cursor(2)
    rows[2] = TensorSensitivity("c", "c", 10, (0.5, 0.6, 3.0))
    view.set_sensitivity(found(rows))
    assert view._names == ["c", "a", "b"]
    with qtbot.waitSignal(view.cellChosen) as chosen:
        qtbot.keyClick(view.canvas, Qt.Key.Key_Return)
    assert chosen.args[0] == "c"
    view.set_sensitivity(found(rows[:2]))
    assert view.canvas.cursor_bar == -1


def test_the_cell_under_the_mouse_is_read_out_until_the_mouse_moves(view, qtbot):
    """Regression: each result of a running scan replaced it by the line without a cell."""
    at = view.canvas.cell_rect(0, 1).center().toPoint()
    qtbot.mouseMove(view.canvas.viewport(), at)
    qtbot.waitUntil(lambda: view.readout.text().startswith("a.weight, 50"))
    view.set_sensitivity(found())
    assert view.readout.text().startswith("a.weight, 50")
    view.set_sensitivity(None)
    assert view.readout.text() == ""


def test_without_noise_the_uncertainty_is_stated_as_unknown(view):
    view.set_sensitivity(found(noise=0.0))
    assert view.subject().endswith(
        "so all changes are caused by pruning. How much they differ with other data is unknown, "
        "because the evaluation returns no values per sample."
    )


def test_a_scan_of_another_state_is_gray_and_described_above_the_chart(view, qtbot):
    for width in (700, 380):
        view.resize(width, 420)
        view.set_sensitivity(found(is_current=False))
        assert is_gray(color(view, 0, 2))
        assert view.about.text().startswith("Scanned state: Opened (not the current state).")
        assert view.about.isVisible()
        assert view.about.height() >= view.about.heightForWidth(view.about.width())
        assert view.about.y() < view.canvas.y() + view.height() // 2
        assert view._drawn_area().contains(view._above.geometry()), "pictures say it, too"
    with qtbot.waitSignal(view.stateRequested):
        qtbot.mouseClick(view.go_there, LEFT)
    view.set_sensitivity(found())
    assert view.go_there.isHidden()
    assert color(view, 0, 2) == LIGHT["danger"]


def test_of_several_scans_one_is_chosen(view, qtbot):
    assert view.scan_box.isHidden()
    view.set_scans(["Opened; L1", "1: L1 50 %; L1"], 1)
    assert view.scan_box.currentText() == "1: L1 50 %; L1"
    with qtbot.waitSignal(view.scanChosen) as emitted:
        view.scan_box.setCurrentIndex(0)
        view.scan_box.activated.emit(0)
    assert emitted.args == [0]


def test_the_box_of_scans_fits_its_labels(view, show):
    label = (
        "3: L1 unstructured 50 % on 24 tensors; L1 unstructured (magnitude), 12 of 25 evaluations"
    )
    view.set_scans(["Opened; L1", label], 0)
    show(view, 1400, 420)
    box = view.scan_box
    assert box.width() >= box.fontMetrics().horizontalAdvance(label)
    view.set_scans(["Opened; L1", label], 1)
    assert label in box.toolTip()
    box.showPopup()
    view.set_scans(["Opened; L1", f"{label}!"], 1)
    assert box.view().isVisible(), "a scan that goes on does not close the list"
    assert box.currentText() == f"{label}!"
    box.hidePopup()


def test_without_a_scan_only_a_scan_is_offered(view):
    view.set_sensitivity(None)
    assert not view.allocate.isEnabled()
    assert view.scan.isEnabled()
