"""Dragging the threshold and the cut, and selecting channels, by mouse and by keys."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QColor, QKeySequence, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow

from pruneapp.analysis.statistics import Histogram
from pruneapp.edits.manual_edit import ManualEditRequest
from pruneapp.export.report_writer import csv_text
from pruneapp.gui.plots.channels import ChannelsView
from pruneapp.gui.plots.chart.axes import power_text
from pruneapp.gui.plots.distribution import STEPS, DistributionView, share_below
from pruneapp.gui.widgets.theme import LIGHT_THEME
from tests.gui.plots.chart_data import made_norms
from tests.support.plot_views import bar_text, choose_channels, choose_order, colors_at, pixel

LEFT = Qt.MouseButton.LeftButton
EDGES = np.linspace(0, 4, 5)


def histogram(to_prune=(0, 0, 0, 0), edges=EDGES, *, binning="magnitudes"):
    return Histogram(
        "conv.weight",
        edges,
        kept=np.array([100, 40, 100, 1000]),
        pruned=np.array([60, 20, 0, 0]),
        to_be_pruned=np.array(to_prune),
        nonfinite=0,
        binning=binning,
    )


def norms(protected=None, to_prune=(False,) * 6, partly=None):
    return made_norms(
        [4.0, 1.0, 3.0, 2.0, np.nan, 2.5],
        kept=[1.0, 0.0, 0.5, 1.0, 1.0, 1.0],
        to_prune=to_prune,
        protected=protected,
        partly=partly,
    )


@pytest.fixture
def show_active(show):
    def shown(view):
        show(view, 720, 520).activateWindow()
        assert QTest.qWaitForWindowActive(view)
        return view

    return shown


@pytest.fixture
def distribution(show_active):
    view = show_active(DistributionView())
    view.set_histogram(histogram())
    view.set_threshold(1.5, editable=True)
    return view


@pytest.fixture
def channels(show_active):
    view = show_active(ChannelsView())
    view.set_dims(["0: output channels (6)", "1: inputs (3)"], shape=(6, 3, 2, 2))
    view.set_norms(norms())
    return view


def drag(view, start: QPoint, *stops: QPoint, button=LEFT, keys=Qt.KeyboardModifier.NoModifier):
    port = view.canvas.viewport()
    QTest.mousePress(port, button, keys, start)
    for stop in stops:
        # QTest.mouseMove does not set the pressed button.
        event = QMouseEvent(
            QMouseEvent.Type.MouseMove,
            QPointF(stop),
            QPointF(port.mapToGlobal(stop)),
            Qt.MouseButton.NoButton,
            button,
            keys,
        )
        QApplication.sendEvent(port, event)
    QTest.mouseRelease(port, button, keys, stops[-1])


def heard(signal) -> list:
    found: list = []
    signal.connect(lambda *values: found.append(values[0] if values else None))
    return found


# -- the threshold -------------------------------------------------------------------------------


def test_an_idle_line_shows_the_threshold_of_the_applied_step(distribution):
    pruned = replace(histogram(), kept=np.array([0, 40, 100, 1000]))
    distribution.show_idle_line(1.25)
    distribution.set_histogram(pruned)
    assert distribution.field.text() == distribution.canvas.line.label == "1.25"
    assert distribution.field.isEnabled()
    distribution.show_idle_line()  # after undo, the threshold is unknown
    assert distribution.field.text() == "≈ 1.25", "until the histogram of that state is there"
    distribution.set_histogram(pruned)
    assert distribution.field.text() == distribution.canvas.line.label == "≈ 2", (
        "all pruned are below"
    )
    distribution.set_histogram(replace(histogram(), kept=np.zeros(4, np.int64)))
    assert distribution.field.text() == "≈ 4", "of a recovered step of 100 %"
    distribution.set_histogram(histogram())  # as after random pruning
    assert distribution.field.text() == "≈ 0"
    distribution.set_histogram(replace(histogram(), pruned=np.zeros(4, np.int64)))
    assert distribution.field.text() == distribution.canvas.line.label == "0"
    distribution.field.setFocus()
    QTest.keyClick(distribution.field, Qt.Key.Key_Up)
    assert distribution.field.text() == f"{4 / STEPS:g}", "moved by the user it is no estimate"


def test_the_line_is_painted_with_its_value_in_the_accent_color(distribution, theme):
    distribution.set_colors(theme.colors)
    assert theme.colors["accent"] in colors_at(distribution, 1.5, 700, reach=1)
    assert theme.colors["accent"] not in colors_at(distribution, 2.6, 700)
    assert distribution.canvas.line.label == "1.5"
    distribution.set_threshold(1.5, editable=True, is_estimate=True)
    assert distribution.canvas.line.label == "≈ 1.5"
    distribution.set_threshold(None)
    assert distribution.canvas.line is None
    assert theme.colors["accent"] not in colors_at(distribution, 1.5, 700, reach=1)


def test_dragging_the_line_updates_the_bars_at_once(distribution, theme, qtbot):
    distribution.set_colors(theme.colors)
    moved = heard(distribution.thresholdMoved)
    start, stop = pixel(distribution, 1.5, 300), pixel(distribution, 3.0, 300)
    assert theme.colors["pruned"] not in colors_at(distribution, 2.5, 50)
    drag(distribution, start + QPoint(4, 0), (start + stop) / 2, stop)
    assert moved[-1] == pytest.approx(3.0, abs=0.02)
    assert len(moved) == 2
    assert {theme.colors["pruned"], theme.colors["surface"]} <= colors_at(distribution, 2.5, 50)
    assert colors_at(distribution, 3.5, 500) == {theme.colors["kept"]}
    assert distribution.field.text() == distribution.canvas.line.label
    words = distribution.readout.text()
    assert words.startswith(f"below {distribution.field.text()}: ≈ 2"), words
    assert distribution.canvas.visible_range == (0.0, 4.0), "the bars did not move"


def test_exact_counts_replace_the_estimate(distribution):
    distribution.canvas.lineMoved.emit(2.0)
    assert distribution.readout.text() == (
        "below 2: ≈ 140 weights, 11.3\u00a0% of the remaining;  "
        "all 1,320 weights: 6.1\u00a0% pruned"
    )
    distribution.set_threshold(2.0, editable=True)
    distribution.set_histogram(histogram(to_prune=(100, 39, 0, 0)))
    assert distribution.readout.text().startswith(
        "below 2: 139 weights, 11.2\u00a0% of the remaining;"
    )
    assert [row[4] for row in distribution.numbers()] == [100, 39, 0, 0]
    assert [row[5] for row in distribution.numbers()] == [0, 1, 100, 1000]


def test_an_estimate_is_drawn_before_the_bars_are_counted_again(distribution):
    distribution.set_threshold(3.0, editable=True, is_estimate=True)
    assert [row[4] for row in distribution.numbers()] == [100, 40, 100, 0]
    distribution.set_threshold(None)
    assert [row[4] for row in distribution.numbers()] == [0, 0, 0, 0]


def test_a_histogram_without_a_preview_keeps_the_estimate(distribution):
    """While the form changes there is briefly no preview, and the bars are updated without one."""
    distribution.set_histogram(histogram(to_prune=(100, 20, 0, 0)))
    distribution.set_threshold(3.0, editable=True, is_estimate=True)
    distribution.set_histogram(histogram())
    assert [row[4] for row in distribution.numbers()] == [100, 40, 100, 0]


def test_bars_of_another_preview_follow_a_new_threshold(distribution):
    distribution.set_histogram(histogram(to_prune=(100, 20, 0, 0)))
    distribution.set_threshold(1.5, editable=True)
    assert [row[4] for row in distribution.numbers()] == [100, 20, 0, 0]
    distribution.set_threshold(3.0, editable=True)
    assert [row[4] for row in distribution.numbers()] == [100, 40, 100, 0]


def test_a_threshold_set_during_a_drag_is_shown_after_the_release(distribution):
    port = distribution.canvas.viewport()
    QTest.mousePress(port, LEFT, pos=pixel(distribution, 1.5, 300))
    QTest.mouseMove(port, pixel(distribution, 3.0, 300))
    distribution.set_threshold(2.75, editable=True)
    assert distribution.threshold == pytest.approx(3.0, abs=0.02)
    QTest.mouseRelease(port, LEFT, pos=pixel(distribution, 3.0, 300))
    assert distribution.threshold == 2.75


def test_keys_move_the_line_in_the_chart_and_in_the_field(distribution, qtbot):
    moved = heard(distribution.thresholdMoved)
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(distribution.canvas, Qt.Key.Key_Right, shift)
    qtbot.keyClick(distribution.canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    distribution.field.setFocus()
    qtbot.keyClick(distribution.field, Qt.Key.Key_Up)
    qtbot.keyClick(distribution.field, Qt.Key.Key_Down)
    assert moved == pytest.approx([1.52, 1.5, 1.52, 1.5])
    qtbot.keyClick(distribution.canvas, Qt.Key.Key_Right)
    assert len(moved) == 4, "without Shift the cursor moves"
    assert distribution.canvas.cursor_bar == 0


def test_a_threshold_is_typed(distribution, qtbot):
    moved = heard(distribution.thresholdMoved)
    distribution.field.setFocus()
    distribution.field.selectAll()
    qtbot.keyClicks(distribution.field, "2.25")
    qtbot.keyClick(distribution.field, Qt.Key.Key_Return)
    assert moved == [2.25]
    distribution.field.selectAll()
    qtbot.keyClicks(distribution.field, "soon")
    qtbot.keyClick(distribution.field, Qt.Key.Key_Return)
    assert moved == [2.25]
    assert distribution.field.text() == "2.25"
    assert distribution.readout.text() == "✕ Enter a magnitude of 0 or more (got 'soon')."


def test_a_line_that_is_not_editable_does_not_move(distribution, qtbot):
    distribution.set_threshold(1.5)
    moved = heard(distribution.thresholdMoved)
    drag(distribution, pixel(distribution, 1.5, 300), pixel(distribution, 3.0, 300))
    qtbot.keyClick(distribution.canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert moved == []
    assert not distribution.field.isEnabled()


def test_the_mouse_cursor_shows_where_the_line_can_be_grabbed(distribution):
    port = distribution.canvas.viewport()
    QTest.mouseMove(port, pixel(distribution, 1.5, 300) + QPoint(4, 0))
    assert port.cursor().shape() is Qt.CursorShape.SplitHCursor
    QTest.mouseMove(port, pixel(distribution, 3.5, 300))
    assert port.cursor().shape() is Qt.CursorShape.ArrowCursor


def test_signed_values_have_two_lines(distribution, theme, qtbot):
    distribution.set_colors(theme.colors)
    with qtbot.waitSignal(distribution.histogramRequested):
        qtbot.keyClick(distribution.binning_box, Qt.Key.Key_End)
    assert distribution.binning == "signed"
    distribution.set_histogram(histogram(edges=np.linspace(-2, 2, 5), binning="signed"))
    for at in (-1.5, 1.5):
        assert theme.colors["accent"] in colors_at(distribution, at, 700, reach=1)
    assert distribution.canvas.line.label == "±1.5"
    assert distribution.canvas.accessibleName() == "Distribution of values"
    moved = heard(distribution.thresholdMoved)
    drag(distribution, pixel(distribution, -1.5, 300), pixel(distribution, -0.5, 300))
    assert moved == pytest.approx([0.5], abs=0.02)


# 0 to 0.001, and three decades: from -3.25 to 0 on the axis.
POWERS = np.array([0.0, 1e-3, 1e-2, 1e-1, 1.0])


def test_powers_of_ten_are_equally_wide_and_0_has_a_position(distribution, theme, qtbot):
    distribution.set_colors(theme.colors)
    with qtbot.waitSignal(distribution.histogramRequested):
        qtbot.keyClick(distribution.binning_box, Qt.Key.Key_Down)
    assert distribution.binning == "decades"
    distribution.set_histogram(histogram(edges=POWERS, binning="decades"))
    assert distribution.canvas.edges == pytest.approx([-3.25, -3, -2, -1, 0])
    assert distribution.canvas.accessibleName() == "Distribution of magnitudes, logarithmic"
    axis = distribution.canvas.bottom
    (_, places), *_ = axis.tickValues(-3.25, 0.0, 400.0)
    assert axis.tickStrings(places, 1.0, 1.0) == ["0", "0.01", "0.1", "1"], "0.001 would touch 0"
    distribution.set_threshold(0.1, editable=True)
    assert theme.colors["accent"] in colors_at(distribution, -1.0, 700, reach=1)
    assert distribution.canvas.line.label == distribution.field.text() == "0.1"
    assert [row[4] for row in distribution.numbers()] == [100, 40, 100, 0]
    assert [row[:2] for row in distribution.numbers()][:2] == [(0.0, 1e-3), (1e-3, 1e-2)]
    distribution.set_threshold(0.0, editable=True)
    assert distribution.canvas.line.at == -3.25


def test_on_powers_of_ten_the_line_moves_by_factors(distribution, qtbot):
    distribution.set_histogram(histogram(edges=POWERS, binning="decades"))
    distribution.set_threshold(0.1, editable=True)
    moved = heard(distribution.thresholdMoved)
    drag(distribution, pixel(distribution, -1.0, 300), pixel(distribution, -2.0, 300))
    assert moved.pop() == pytest.approx(0.01, rel=0.03)
    moved.clear()
    qtbot.keyClick(distribution.canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert moved[0] / 0.01 == pytest.approx(10 ** (3.25 / STEPS), rel=0.03)
    qtbot.keyClick(distribution.field, Qt.Key.Key_Up)
    assert moved[1] / moved[0] == pytest.approx(10 ** (3.25 / STEPS))
    distribution.field.selectAll()
    qtbot.keyClicks(distribution.field, "0.0005")
    qtbot.keyClick(distribution.field, Qt.Key.Key_Return)
    assert moved[2] == 0.0005
    assert distribution.canvas.line.at == pytest.approx(-3.125)
    assert distribution.numbers().row(0)[4] == 50, "half of the first bin"
    drag(distribution, pixel(distribution, -3.125, 300), pixel(distribution, -9, 300))
    assert moved[-1] == 0.0, "no further than to 0"


def test_other_bins_of_the_same_tensor_are_all_visible(distribution):
    distribution.canvas.zoom(2.0)
    distribution.set_histogram(histogram(edges=POWERS, binning="decades"))
    assert distribution.canvas.visible_range == pytest.approx((-3.25, 0.0))


def test_powers_are_written_short():
    exponents = (-3, -9, 0, 2, 4, -1 + np.log10(5), -5 + np.log10(2))
    texts = ["0.001", "10⁻⁹", "1", "100", "10⁴", "0.5", "2·10⁻⁵"]
    assert [power_text(exponent) for exponent in exponents] == texts


def test_the_share_below_is_exact_on_edges_and_even_within_bins():
    values = np.linspace(-2, 2, 4001)
    for edges in (np.linspace(0, 2, 9), np.linspace(-2, 2, 9)):
        counted = np.abs(values) if edges[0] == 0 else values
        everything, _ = np.histogram(counted, edges)
        for threshold in (0.0, 0.5, 0.62, 1.0, 2.0, 5.0):
            below, _ = np.histogram(counted[np.abs(values) < threshold], edges)
            assert share_below(edges, threshold) * everything == pytest.approx(below, abs=2.5)


# -- the threshold of channels -------------------------------------------------------------------


def test_the_cut_is_at_a_norm_or_after_the_last_pruned_channel(channels, theme):
    channels.set_colors(theme.colors)
    channels.set_cut(2, editable=True)
    line = channels.canvas.line
    assert (line.at, line.upright, line.label) == (2.5, False, "2.5 · 2 channels")
    assert theme.colors["accent"] in colors_at(channels, 1.0, 2.5, reach=1)
    assert {theme.colors["pruned"], theme.colors["surface"]} <= colors_at(channels, 3, 1, reach=5)
    choose_order(channels, "norm")
    line = channels.canvas.line
    # In order: 1 (pruned, does not count), 3, 5, 2, 0, 4.
    assert (line.at, line.upright, line.label) == (2.5, True, "2 channels")
    assert theme.colors["accent"] in colors_at(channels, 2.5, 1.0, reach=1)


def test_a_new_cut_is_drawn_until_its_preview_is_ready(channels):
    def to_prune():
        return [row[0] for row in channels.numbers() if row[-1] == "to be pruned"]

    channels.set_norms(norms(to_prune=(False, False, False, True, False, False)))
    channels.set_cut(1, editable=True)
    assert to_prune() == [3]
    channels.set_cut(3, editable=True)
    assert to_prune() == [2, 3, 5]
    channels.set_norms(norms())
    assert to_prune() == [2, 3, 5], "there is no preview for a moment"
    channels.set_norms(norms(to_prune=(True, False, False, True, False, True)))
    assert to_prune() == [0, 3, 5], "a preview knows better"
    channels.set_cut(None)
    assert to_prune() == [0, 3, 5]


def test_dragging_the_cut_prunes_more_channels_but_no_protected_ones(channels):
    channels.set_norms(norms(protected=[False, False, False, False, False, True]))
    channels.set_cut(1, editable=True)
    moved = heard(channels.cutMoved)
    drag(channels, pixel(channels, 1.0, 2.0), pixel(channels, 1.0, 3.2), pixel(channels, 1.0, 3.3))
    assert moved == [2], "3 and 2; 1 is pruned, 5 protected"
    states = {row[0]: row[-1] for row in channels.numbers()}
    assert states == {
        0: "kept",
        1: "pruned",
        2: "to be pruned",
        3: "to be pruned",
        4: "kept",
        5: "kept, protected",
    }
    choose_order(channels, "norm")
    drag(channels, pixel(channels, 3.5, 1.0), pixel(channels, 5.6, 1.0))
    assert moved == [2, 4]


def test_keys_move_the_cut(channels, qtbot):
    channels.set_cut(2, editable=True)
    moved = heard(channels.cutMoved)
    ctrl = Qt.KeyboardModifier.ControlModifier
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Right, Qt.Key.Key_Left):
        qtbot.keyClick(channels.canvas, key, ctrl)
    assert moved == [3, 4, 3]
    for _ in range(9):
        qtbot.keyClick(channels.canvas, Qt.Key.Key_Up, ctrl)
    assert moved[-1] == 5, "no more than are free"


def test_setting_the_same_value_twice_draws_once(distribution, channels, monkeypatch):
    drawn = []
    for view in (distribution, channels):
        monkeypatch.setattr(view, "refresh", lambda: drawn.append(True))
    for _ in range(2):
        distribution.set_threshold(2.5, editable=True, is_estimate=True)
        channels.set_cut(3, editable=True)
    assert len(drawn) == 2


def test_setting_a_cut_emits_nothing(channels, qtbot):
    with qtbot.assertNotEmitted(channels.cutMoved):
        channels.set_cut(3, editable=True)
    assert channels.canvas.line.at == 3.0
    channels.set_cut(None)
    assert channels.canvas.line is None


# -- the selection -------------------------------------------------------------------------------


def test_clicks_select_one_a_range_and_more(channels, qtbot, theme):
    channels.set_colors(theme.colors)
    port = channels.canvas.viewport()

    def click(bar, keys=Qt.KeyboardModifier.NoModifier):
        qtbot.mouseClick(port, LEFT, keys, pixel(channels, bar, 0.5))

    click(1)
    assert channels.chosen == (1,)
    click(3, Qt.KeyboardModifier.ShiftModifier)
    assert channels.chosen == (1, 2, 3)
    click(2, Qt.KeyboardModifier.ControlModifier)
    assert channels.chosen == (1, 3)
    click(5, Qt.KeyboardModifier.ControlModifier)
    assert channels.chosen == (1, 3, 5)
    assert "3 channels selected, sum of L2 norms 5.5" in channels.readout.text()
    image = port.grab().toImage()
    outline = pixel(channels, 2.5, 3.9)
    assert {image.pixelColor(outline + QPoint(d, 0)).name() for d in range(-2, 3)} & {
        theme.colors["accent"]
    }
    click(0)
    assert channels.chosen == (0,)


def test_dragging_a_band_selects_the_bars_that_it_touches(channels):
    drag(channels, pixel(channels, 1.8, 3), pixel(channels, 3, 2), pixel(channels, 4.2, 1))
    assert channels.chosen == (2, 3, 4)
    drag(
        channels,
        pixel(channels, 0.2, 3),
        pixel(channels, 0, 2),
        pixel(channels, -0.2, 1),
        keys=Qt.KeyboardModifier.ShiftModifier,
    )
    assert channels.chosen == (0, 2, 3, 4)
    assert channels.canvas.visible_range == (-0.5, 5.5), "the bars did not move"


def test_the_middle_button_moves_the_bars(channels):
    channels.canvas.zoom(1e9)  # six are too few to zoom in
    wide = made_norms(np.ones(100), np.ones(100), np.zeros(100, bool))
    channels.set_norms(wide)
    channels.canvas.zoom(4)
    before = channels.canvas.visible_range
    at = pixel(channels, 50, 0.5)
    drag(channels, at, at + QPoint(30, 0), at + QPoint(60, 0), button=Qt.MouseButton.MiddleButton)
    assert channels.canvas.visible_range[0] < before[0]
    assert channels.chosen == ()


def test_keys_select_channels(channels, qtbot):
    canvas, shift = channels.canvas, Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert channels.chosen == ()
    qtbot.keyClick(canvas, Qt.Key.Key_Right, shift)
    qtbot.keyClick(canvas, Qt.Key.Key_Right, shift)
    assert channels.chosen == (1, 2, 3)
    qtbot.keyClick(canvas, Qt.Key.Key_End)
    qtbot.keyClick(canvas, Qt.Key.Key_Space)
    assert channels.chosen == (1, 2, 3, 5)
    qtbot.keyClick(canvas, Qt.Key.Key_Space)
    assert channels.chosen == (1, 2, 3)
    qtbot.keyClick(canvas, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert channels.chosen == (0, 1, 2, 3, 4, 5)
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    assert channels.chosen == ()


def test_keys_and_buttons_request_the_same_edit(channels, qtbot):
    made = heard(channels.editRequested)
    none, shift = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
    rest = ((0, 3), (0, 2), (0, 2))
    boxes = (((0, 2), *rest), ((4, 5), *rest))
    for key, held, operation in (
        (Qt.Key.Key_Delete, none, "prune"),
        (Qt.Key.Key_R, none, "restore"),
        (Qt.Key.Key_P, none, "protect"),
        (Qt.Key.Key_P, shift, "release"),
    ):
        choose_channels(channels, [])
        qtbot.keyClick(channels.canvas, key, held)
        assert made == [], "nothing is chosen"
        button = channels.operations.buttons[operation]
        assert not button.isEnabled()
        choose_channels(channels, [0, 1, 4])
        qtbot.keyClick(channels.canvas, key, held)
        assert button.toolTip().endswith(": 3 channels selected")
        qtbot.mouseClick(button, LEFT)
        wanted = ManualEditRequest(operation, "conv.weight", boxes, "channel", 0)
        assert made == [wanted, wanted]
        made.clear()


def test_boxes_of_an_edit_are_along_the_dimension_that_is_shown(channels):
    channels.set_norms(made_norms(np.ones(3), np.ones(3), np.zeros(3, bool), dim=1))
    made = heard(channels.editRequested)
    choose_channels(channels, [1])
    channels.request_edit("prune")
    assert made == [
        ManualEditRequest("prune", "conv.weight", (((0, 6), (1, 2), (0, 2), (0, 2)),), "channel", 1)
    ]


def test_another_tensor_or_dimension_clears_the_selection(channels):
    choose_channels(channels, [1, 2])
    channels.set_norms(norms(to_prune=(True, False, False, False, False, False)))
    assert channels.chosen == (1, 2), "a preview leaves them"
    other = norms()
    channels.set_norms(replace(other, name="fc"))
    assert channels.chosen == ()


def test_protected_channels_have_a_lock_and_two_outlines(channels):
    before = channels.canvas.viewport().grab().toImage()
    channels.set_norms(norms(protected=[False, False, True, False, False, False]))
    image = channels.canvas.viewport().grab().toImage()
    edge = pixel(channels, 1.5, 1.5)
    names = {image.pixelColor(edge + QPoint(d, 0)).name() for d in range(-4, 5)}
    assert {"#000000", "#ffffff"} <= names
    lock = pixel(channels, 2, 3) - QPoint(0, 10)
    dark = {
        QColor(image.pixel(lock + QPoint(x, y))).lightness()
        for x in range(-6, 7)
        for y in range(-6, 7)
    }
    assert min(dark) < 60, "no lock above the bar"
    assert image.pixelColor(pixel(channels, 0, 2)) == before.pixelColor(pixel(channels, 0, 2))
    assert "1 protected" in channels.summary()


def test_partly_protected_channels_have_dashes_and_no_lock(channels):
    """Regression: they looked as if none of their weights could be pruned."""
    unmarked = channels.canvas.viewport().grab().toImage()
    channels.set_norms(
        norms(
            protected=[True, False, True, False, False, False],
            partly=[False, False, True, False, False, False],
        )
    )
    image = channels.canvas.viewport().grab().toImage()
    edge = pixel(channels, 1.5, 1.5)
    column = [edge.x() + d for d in range(-4, 5)]
    most = max(
        column,
        key=lambda x: sum(image.pixelColor(x, edge.y() + d).name() == "#000000" for d in range(40)),
    )
    down = [image.pixelColor(most, edge.y() + d).name() for d in range(40)]
    turns = sum(one != other for one, other in itertools.pairwise(down))
    assert {"#000000", "#ffffff"} <= set(down), "dashes"
    assert turns >= 8, down
    lock = pixel(channels, 2, 3) - QPoint(0, 10)
    for x, y in itertools.product(range(-6, 7), range(-6, 4)):
        at = lock + QPoint(x, y)
        assert image.pixelColor(at) == unmarked.pixelColor(at), "a lock"

    assert "1 protected, 1 partly protected" in channels.summary()
    states = {row[0]: row[-1] for row in channels.numbers()}
    assert states[0] == "kept, protected"
    assert states[2].endswith(", partly protected")
    assert bar_text(channels, 2).endswith(", partly protected")
    protected, partly = channels.legend.entries[-2:]
    assert (protected.label, protected.dashed) == ("protected", False)
    assert (partly.label, partly.dashed) == ("partly protected", True)
    assert "structured methods do not prune the channel" in partly.tip


def test_the_user_chooses_the_norm(channels, qtbot):
    with qtbot.waitSignal(channels.normsRequested):
        qtbot.keyClick(channels.norm_box, Qt.Key.Key_Down)
    assert channels.norm_choice == "inf"
    channels.set_norm_choice("fro")
    assert channels.norm_box.currentText() == "Frobenius"
    assert channels.norm_choice == "fro"


def test_a_hundred_thousand_selected_channels_are_painted_fast(channels, qtbot):
    import time

    size = 100_000
    random = np.random.default_rng(0)
    view = channels
    view.set_norms(made_norms(random.random(size), np.ones(size), np.zeros(size, bool), name="w"))
    choose_order(view, "norm")
    choose_channels(view, np.flatnonzero(random.random(size) < 0.5))
    view.canvas.viewport().repaint()
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        view.canvas.viewport().repaint()
        taken.append(time.perf_counter() - start)
    assert min(taken) < 0.1


def test_bars_do_not_have_the_accent_color(channels):
    assert LIGHT_THEME.colors["accent"] not in colors_at(channels, 0, 1)


def test_a_long_table_of_channels_is_written_fast(channels, tmp_path):
    import time

    size = 20_000
    random = np.random.default_rng(0)
    channels.set_norms(
        made_norms(random.random(size), np.ones(size), np.zeros(size, bool), name="w")
    )
    channels.set_cut(5000, editable=True)
    start = time.perf_counter()
    numbers = channels.numbers()
    lines = csv_text(numbers.headers, numbers).splitlines()
    taken = time.perf_counter() - start
    assert sum(line.endswith("to be pruned") for line in lines) == 5000
    assert taken < 2, "the time grows with the square of the channels"


def test_keys_of_the_canvas_do_not_trigger_shortcuts_of_the_window(qtbot):
    channels = ChannelsView()
    channels.set_dims(["0: output channels (6)"], shape=(6, 3, 2, 2))
    channels.set_norms(norms())
    window = QMainWindow()
    qtbot.addWidget(window)
    pressed = []
    for key in ("Ctrl+A", "Esc", "+", "P", "M", "Ctrl+Z"):
        action = QAction(key, window)
        action.setShortcut(QKeySequence(key))
        action.triggered.connect(lambda *_, key=key: pressed.append(key))
        window.addAction(action)
    window.setCentralWidget(channels)
    window.show()
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    channels.canvas.setFocus()
    made = heard(channels.editRequested)
    ctrl, none = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier
    qtbot.keyClick(channels.canvas, Qt.Key.Key_Escape)
    assert pressed == ["Esc"], "nothing is chosen: Esc is the window's"
    for key, held in (
        (Qt.Key.Key_A, ctrl),
        (Qt.Key.Key_P, none),
        (Qt.Key.Key_Escape, none),
        (Qt.Key.Key_Plus, none),
        (Qt.Key.Key_M, none),
        (Qt.Key.Key_Z, ctrl),
    ):
        qtbot.keyClick(channels.canvas, key, held)
    assert pressed == ["Esc", "M", "Ctrl+Z"]
    assert [gesture.operation for gesture in made] == ["protect"]
    assert channels.chosen == ()
