"""The color bar below the heat map: contrast limits by mouse and keys, histogram, color maps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from pruneapp.analysis.layout import Layout
from pruneapp.analysis.tiles import Tile, TileRequest
from pruneapp.gui.plots.base.slide import Slide, encode_slide
from pruneapp.gui.plots.heatmap import shading
from pruneapp.gui.plots.heatmap.color_bar import DrawnValues, limit_texts
from pruneapp.gui.plots.heatmap.limits_dialog import LimitsDialog
from pruneapp.gui.plots.heatmap.shading import ColorTables, ContrastLimits, Mode, shades_of
from pruneapp.gui.widgets.color_maps import COLOR_MAPS
from pruneapp.gui.widgets.number_format import percent
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME
from tests.gui.test_application import SAMPLE

STANDARD, VIRIDIS, GRAY = COLOR_MAPS
Key = Qt.Key


def drag(bar, handle: int, value: float) -> None:
    """Drag a handle to a value with the mouse, in two steps."""
    middle = bar.height() - 6
    start = QPoint(round(bar.x_of(bar.limits[handle])), middle)
    end = QPoint(round(bar.x_of(value)), middle)
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=start)
    for at in ((start + end) / 2, end):
        event = QMouseEvent(
            QEvent.Type.MouseMove,
            QPointF(at),
            bar.mapToGlobal(QPointF(at)),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        bar.mouseMoveEvent(event)
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=end)


def corner(view, row, column):
    half = int(view.canvas.view.scale_x / 2)
    return view.canvas.pixel_of(row, column) - QPoint(half - 8, half - 8)


def last_color(view) -> str:
    return shading.magnitude_stops(LIGHT_THEME.colors)[-1]


def test_dragging_a_handle_changes_the_colors_without_a_request(shown, conv, painted):
    bar, asked = shown.color_bar, len(conv.requests)
    assert bar.isVisible()
    assert (bar.limits, bar.bounds) == (ContrastLimits(0, 1), (0, 1.25))
    before = painted(shown.canvas, corner(shown, 5, 5))
    drag(bar, 1, 0.5)
    assert bar.limits.high == pytest.approx(0.5, abs=0.01)
    assert painted(shown.canvas, corner(shown, 5, 5)) == last_color(shown) != before
    share = shown._drawn.share_outside(bar.limits)
    assert 0 < share < 1
    assert shown.legend.words()[0] == f"0 … 0.5, {percent(share)} clipped"
    assert painted(shown.canvas, corner(shown, 0, 0)) == shading.PRUNED_OVER
    shown.canvas.hovered.emit((5, 5))
    assert shown.readout.text().endswith("= 0.5   kept")
    drag(bar, 0, 0.4)
    assert bar.limits.low == pytest.approx(0.4, abs=0.01)
    drag(bar, 0, 3.0)
    assert bar.limits.low < bar.limits.high, "the handles do not cross"
    drag(bar, 1, 9.0)
    assert bar.limits.high == pytest.approx(1.25)
    assert len(conv.requests) == asked


def test_a_double_click_returns_to_the_automatic_limits(shown, qtbot):
    drag(shown.color_bar, 1, 0.5)
    assert shown.reset_action.isEnabled()
    qtbot.mouseDClick(shown.color_bar, Qt.MouseButton.LeftButton, pos=QPoint(40, 30))
    assert shown.color_bar.limits == ContrastLimits(0, 1)
    assert not shown.reset_action.isEnabled()


def test_another_state_gets_a_scale_of_its_values(shown, conv, qtbot):
    """Regression: after a state with large values both handles were at the left end."""
    bar = shown.color_bar
    for value, other_state, end in (
        (1.6, True, 1.6),
        (0.5, False, 1.6),  # the same state keeps its scale
        (0.5, True, 1.25),
    ):
        conv.values[1, 1], asked = value, len(conv.requests)
        shown.invalidate(other_state=other_state)
        qtbot.waitUntil(
            lambda asked=asked: len(conv.requests) > asked and shown._tile_requests.is_complete
        )
        assert bar.bounds == (0, pytest.approx(end))


def test_limits_are_typed(user, qtbot):
    user.open_file(SAMPLE)
    view = user.views.pages.weights
    user.wait(lambda: view.canvas.item.fine is not None)
    bar = view.color_bar
    bar.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(bar, Key.Key_Return)
    dialog = user.window.findChild(LimitsDialog)
    for low, high, problem in (
        ("0", "x", "Enter a number, such as 0.25."),
        ("-1", "2", "Magnitudes are shown: the lower limit must be at least 0."),
        ("0.5", "0.5", "The upper limit must be greater than the lower limit."),
        ("0", "1e39", "A limit must be between −1e38 and 1e38."),
        ("nan", "1", "A limit must be between −1e38 and 1e38."),
    ):
        for line, text in ((dialog.low_line, low), (dialog.high_line, high)):
            line.selectAll()
            qtbot.keyClicks(line, text)
        assert (dialog.problem.text(), dialog.go.isEnabled()) == (problem, False)
    for line, text in ((dialog.low_line, "0.125"), (dialog.high_line, "12.5")):
        line.selectAll()
        qtbot.keyClicks(line, text)
    assert not dialog.problem.text()
    user.click(dialog.go)
    assert bar.limits == ContrastLimits(0.125, 12.5)
    assert bar.bounds == (0, 12.5)
    assert bar.actions() == [view.limits_action, view.reset_action]
    view.reset_action.trigger()
    assert bar.limits.low == 0


def test_typed_limits_of_signed_weights_are_symmetric(show, qtbot):
    dialog = show(LimitsDialog(ContrastLimits(-2, 2, signed=True), centered=True))
    assert dialog.low_line.isHidden()
    qtbot.keyClicks(dialog.high_line, "-1")
    assert dialog.problem.text() == "The upper limit must be greater than 0."
    dialog.high_line.selectAll()
    qtbot.keyClicks(dialog.high_line, "0.5")
    assert dialog.limits == ContrastLimits(-0.5, 0.5, signed=True)


def test_keys_move_the_handle_with_the_focus(shown, qtbot):
    bar = shown.color_bar
    bar.setFocus(Qt.FocusReason.TabFocusReason)
    step = 1.25 / 100
    for keys, low, high in (
        ((Key.Key_Right, Key.Key_Right), 2, 80),
        ((Key.Key_Left, Key.Key_Left, Key.Key_Left), 0, 80),
        ((Key.Key_PageUp,), 10, 80),
        ((Key.Key_Tab, Key.Key_PageDown, Key.Key_Left), 10, 69),
        ((Key.Key_PageUp,) * 4, 10, 109),
    ):
        for key in keys:
            qtbot.keyClick(bar, key)
        assert bar.limits[:2] == pytest.approx((low * step, high * step), abs=step / 20)
        assert bar.hasFocus()
    assert bar.bounds[1] == bar.limits.high, "the bar reaches as far as the limit"
    qtbot.keyClick(bar, Key.Key_Backtab)
    qtbot.keyClick(bar, Key.Key_Down)
    assert bar.limits.low < 10 * step
    assert bar.accessibleName().startswith("Contrast limits: 0.1")
    qtbot.keyClick(bar, Key.Key_Home)
    assert (bar.limits, bar.bounds) == (ContrastLimits(0, 1), (0, 1.25))
    qtbot.keyClick(bar, Key.Key_Tab)
    qtbot.keyClick(bar, Key.Key_Tab)
    assert not bar.hasFocus()


def test_limits_come_back_with_their_tensor_and_stay_for_another_state(shown, conv, qtbot):
    drag(shown.color_bar, 1, 0.5)
    mine = shown.color_bar.limits
    shown.invalidate()
    qtbot.waitUntil(lambda: not shown.stale)
    assert shown.color_bar.limits == mine
    conv.name = "other.weight"
    conv.show(shown)
    qtbot.waitUntil(lambda: shown.canvas.item.fine is not None)
    assert shown.color_bar.limits == ContrastLimits(0, 1)
    conv.name = "conv.weight"
    conv.show(shown)
    qtbot.waitUntil(lambda: shown.canvas.item.fine is not None)
    assert shown.color_bar.limits == mine
    shown.forget_limits()
    assert shown.color_bar.limits == ContrastLimits(0, 1)


def test_signed_limits_are_symmetric_where_the_middle_color_is_zero(shown):
    bar = shown.color_bar
    drag(bar, 1, 0.5)
    drag(bar, 0, 0.25)
    magnitudes = bar.limits
    shown.set_mode(Mode.SIGNED)
    assert bar.limits == ContrastLimits(-magnitudes.high, magnitudes.high, signed=True)
    drag(bar, 0, -0.75)
    assert bar.limits[:2] == pytest.approx((-0.75, 0.75), abs=0.02)
    assert shown.legend.words()[0].startswith("−0.7")
    shown.set_color_map(VIRIDIS)
    drag(bar, 0, 0.1)
    assert bar.limits[:2] == pytest.approx((0.1, 0.75), abs=0.02)
    shown.set_color_map(STANDARD)
    assert bar.limits.low == -bar.limits.high
    shown.set_mode(Mode.MAGNITUDE)
    assert bar.limits == ContrastLimits(0, shown._limits["conv.weight", False].high)


def test_no_bar_where_no_value_has_a_color(shown, fill, conv):
    height = shown.legend.height()
    shown.set_mode(Mode.MASK)
    assert not shown.color_bar.isVisible()
    assert shown.legend.height() == height, "nothing moves"
    plain = conv.tile
    conv.tile = lambda request: replace(plain(request), values=0 * plain(request).values)
    fill(conv)
    assert not shown.color_bar.isVisible()


def test_the_histogram_counts_what_has_the_color_of_its_value(shown, qtbot):
    bar = shown.color_bar
    assert bar._counts.sum() == 48 - 3, "neither pruned weights nor what is to be pruned"
    assert bar._counts[64] == 1
    assert bar._counts[32] == 44
    qtbot.keyClick(shown.canvas, Key.Key_M)
    assert bar._counts.sum() == 48


def tile_of(values, pool=1):
    values = np.atleast_2d(np.asarray(values, np.float32))
    layout = Layout(values.shape, (0,), (1,), "", "")
    ones = np.ones_like(values)
    return Tile(TileRequest("w", 0, 0, *values.shape, pool), layout, values, ones, 0 * ones, 1.0)


def test_a_histogram_has_no_values_that_are_not_finite():
    drawn = DrawnValues(tile_of([np.nan, np.inf, -np.inf, -0.5, 0.5]))
    assert drawn.largest == 0.5
    counts = drawn.counts((0, 1), signed=False)
    assert (counts.sum(), counts[40]) == (2, 2)
    assert drawn.counts((-1, 1), signed=True)[[20, 60]].tolist() == [1, 1]
    assert DrawnValues(tile_of(np.ones((1000, 1000)))).counts((0, 2), signed=False).sum() < 100_000


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-45, 3e38, 1e300])
def test_values_that_float32_lacks_have_a_bar(view, fill, conv, qtbot, scale):
    plain = conv.tile
    values = np.float32(min(scale, 3e38))
    conv.tile = lambda request: replace(
        plain(request), scale=scale, values=values * plain(request).values
    )
    fill(conv)
    for mode in (Mode.SIGNED, Mode.MAGNITUDE):
        view.set_mode(mode)
        for key in (Key.Key_PageDown, Key.Key_Left, Key.Key_PageUp, Key.Key_Home):
            qtbot.keyClick(view.color_bar, key)
            view.grab()
    assert view.color_bar.limits == ContrastLimits(0, scale)


FINITE = st.floats(-1e3, 1e3, width=32)


@given(values=st.lists(FINITE, min_size=1), ends=st.tuples(FINITE, FINITE), signed=st.booleans())
def test_shades_follow_any_limits(values, ends, signed):
    """Each is the nearest one, or its neighbor: values are rounded to 8 bits first."""
    low, high = sorted(ends if signed else map(abs, ends))
    if high - low < 1e-3:
        high = low + 1e-3 + abs(low) * 1e-3
    array = np.atleast_2d(np.asarray(values, np.float32))
    got = shades_of(array, ContrastLimits(low, high, signed=signed))[0]
    of = array[0] if signed else np.abs(array[0])
    expected = np.clip((of - np.float64(low)) / (high - low), 0, 1) * shading.TOP_SHADE
    assert (np.abs(got - expected) <= 1.1).all()


def test_marks_do_not_depend_on_the_limits():
    values = np.array([[np.nan, np.inf, -np.inf]])
    for limits in (
        ContrastLimits(0, 1),
        ContrastLimits(0.9, 1),
        ContrastLimits(-1, 1, signed=True),
        ContrastLimits(0.9, 1, True),
    ):
        nan, plus, minus = shades_of(values, limits)[0]
        assert (nan, plus) == (shading.NAN_SHADE, shading.TOP_SHADE)
        assert minus == (0 if limits.signed else shading.TOP_SHADE)


@pytest.mark.parametrize("color_map", COLOR_MAPS, ids=lambda each: each.name)
@pytest.mark.parametrize("theme", [LIGHT_THEME, DARK_THEME], ids=["light", "dark"])
def test_color_maps_are_told_apart_by_lightness(color_map, theme):
    light = shading.ramp(shading.magnitude_stops(theme.colors, color_map), 64)
    steps = np.diff(light @ (0.2126, 0.7152, 0.0722))
    assert (steps > 0).all() or (steps < 0).all()


def test_a_color_map_repaints_picture_and_bar(shown, painted):
    seen = set()
    for color_map in COLOR_MAPS:
        shown.set_color_map(color_map)
        color = painted(shown.canvas, corner(shown, 0, 2))
        assert color == shading.magnitude_stops(LIGHT_THEME.colors, color_map)[-1]
        bar = shown.color_bar.grab().toImage()
        assert bar.pixelColor(bar.width() - 12, bar.height() - 8).name() == color
        assert painted(shown.canvas, corner(shown, 0, 0)) == shading.PRUNED_OVER
        seen.add(color)
    assert len(seen) == 3
    shown.set_colors(DARK_THEME.colors)
    expected = shading.magnitude_stops(DARK_THEME.colors, GRAY)[-1]
    assert painted(shown.canvas, corner(shown, 0, 2)) == expected


def test_saved_pictures_have_the_limits(shown, qtbot):
    def slide() -> bytes:
        size = shown.size()
        return encode_slide(shown, Slide("Weights", "", size, "svg"))()

    assert b"0.5, " not in slide()
    drag(shown.color_bar, 1, 0.5)
    assert b">0.5, " in slide()
    colors = ColorTables(LIGHT_THEME.colors).bar(Mode.MAGNITUDE, signed=False)
    image = shown.picture().toImage()
    bar = shown.color_bar.mapTo(shown, QPoint(160, 30)) - shown._drawn_area().topLeft()
    assert image.pixel(bar) == int(colors[-1])


def test_the_context_menu_resets_the_limits(shown, qtbot):
    drag(shown.color_bar, 1, 0.5)
    shown._open_menu(QPoint(0, 0))
    (menu,) = (menu for menu in shown.findChildren(QMenu) if menu.isVisible())
    (reset,) = (a for a in menu.actions() if a.text() == "Reset contrast limits")
    reset.trigger()
    menu.close()
    assert shown.color_bar.limits == ContrastLimits(0, 1)


@pytest.mark.parametrize(
    ("limits", "texts"),
    [
        (ContrastLimits(0, 0.29), ("0", "0.29")),
        (ContrastLimits(0.03, 0.1), ("0.03", "0.1")),
        (ContrastLimits(0.12345, 0.12367), ("0.12345", "0.12367")),
        (ContrastLimits(0, 127), ("0", "127")),
        (ContrastLimits(-1.0, 1.0, signed=True), ("−1", "1")),
        (ContrastLimits(0, 3e-9), ("0", "3.0e−09")),
    ],
)
def test_limits_have_enough_digits(limits, texts):
    assert limit_texts(limits) == texts
