"""The heat map: painting, read-out and requests."""

from __future__ import annotations

import math
import time
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QFont, QImage, QPainter, QTransform

from pruneapp.analysis.layout import Layout, layout
from pruneapp.analysis.tiles import Tile, TileRequest
from pruneapp.export.report_writer import csv_text
from pruneapp.gui.plots.heatmap import overlays, shading
from pruneapp.gui.plots.heatmap.drawing_tools import Rect, WeightSelection
from pruneapp.gui.plots.heatmap.shading import ColorTables, Mode
from pruneapp.gui.plots.heatmap.view import WeightsView
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME
from tests.gui.mouse_wheel import turn_wheel
from tests.support.plot_views import put_cursor


def corner(view, row, column, dx=4, dy=4):
    """Return a pixel of the canvas near the upper left corner of a weight, off value and cursor."""
    middle = view.canvas.pixel_of(row, column)
    half = QPoint(int(view.canvas.view.scale_x / 2), int(view.canvas.view.scale_y / 2))
    return middle - half + QPoint(dx + 2, dy + 2)


def shade_of(theme, magnitude):
    tables = ColorTables(theme.colors)
    index = 63 * shading.SHADES + round(magnitude * shading.TOP_SHADE)
    return f"#{int(tables.ramp()[index]) & 0xFFFFFF:06x}"


def test_it_asks_for_the_whole_small_tensor_exactly(shown, conv):
    assert conv.requests[0] == TileRequest("conv.weight", 0, 0, 8, 6, 1)
    assert len(conv.requests) == 1


def test_setters_do_not_emit(view, conv, qtbot):
    with qtbot.assertNotEmitted(view.tileRequested), qtbot.assertNotEmitted(view.cursorMoved):
        conv.show(view)
        view.set_mode(Mode.MASK)
        put_cursor(view, (0, 0, 0, 0))
        view.set_pruned(3)


def test_a_hidden_picture_asks_for_nothing(qtbot, conv):
    view = WeightsView()
    qtbot.addWidget(view)
    with qtbot.assertNotEmitted(view.tileRequested, wait=80):
        conv.show(view)
    view.resize(640, 620)
    with qtbot.waitSignal(view.tileRequested):
        view.show()


def test_known_weights_have_their_colours(shown, theme, painted):
    shown.set_colors(theme.colors)
    assert painted(shown.canvas, corner(shown, 0, 0)) == shading.PRUNED_OVER
    assert painted(shown.canvas, corner(shown, 0, 2)) == shade_of(theme, 1.0)
    assert painted(shown.canvas, corner(shown, 5, 5)) == shade_of(theme, 0.5)


@pytest.mark.parametrize("mode", [Mode.MAGNITUDE, Mode.MASK])
def test_what_is_to_be_pruned_has_stripes_of_two_oranges(shown, mode):
    shown.set_mode(mode)
    image = shown.canvas.grab().toImage()
    start = corner(shown, 0, 1)
    found = Counter(
        image.pixelColor(start + QPoint(x, y)).name() for x in range(12) for y in range(6)
    )
    pair = shading.stripe_pair(shading.pruned_color(alone=mode is Mode.MASK))
    assert found == {pair[0]: 36, pair[1]: 36}
    legend = next(e for e in shown.legend.entries if e.label == "to be pruned")
    assert set(legend.colors) == set(pair)


def test_the_mask_alone_has_one_pair_in_both_themes(shown, theme, painted):
    shown.set_colors(theme.colors)
    shown.set_mode(Mode.MASK)
    assert painted(shown.canvas, corner(shown, 0, 0)) == shading.MASK_PRUNED
    assert painted(shown.canvas, corner(shown, 0, 2)) == shading.MASK_KEPT


def test_the_m_key_switches_the_mask(shown, painted, qtbot):
    qtbot.keyClick(shown.canvas, Qt.Key.Key_M)
    assert shown.strength == 0
    assert shown.modes.slider.value() == 0
    assert painted(shown.canvas, corner(shown, 0, 0)) == shade_of(LIGHT_THEME, 0.5)
    assert shown.legend.words() == ["0 … 1"]
    qtbot.keyClick(shown.canvas, Qt.Key.Key_M)
    assert shown.strength == 1
    shown.set_mode(Mode.SIGNED)
    assert painted(shown.canvas, corner(shown, 0, 0)) == shading.PRUNED_OVER
    assert "pruned" in shown.legend.words()
    qtbot.keyClick(shown.canvas, Qt.Key.Key_M)
    assert painted(shown.canvas, corner(shown, 0, 0)) != shading.PRUNED_OVER
    shown.set_mode(Mode.MASK)
    qtbot.keyClick(shown.canvas, Qt.Key.Key_M)
    assert (shown.mode, shown.strength) == (Mode.MAGNITUDE, 1)


def test_the_combo_box_chooses_what_is_shown(shown, qtbot):
    for mode in (Mode.SIGNED, Mode.RESULT, Mode.MASK):
        qtbot.keyClick(shown.modes.mode_box, Qt.Key.Key_Down)
        assert shown.mode is mode
        assert shown.modes.slider.isEnabled() == (mode is Mode.SIGNED)


def test_a_theme_repaints_all_at_once(shown, painted):
    beside = QPoint(shown.canvas.width() - 3, shown.canvas.height() - 3)
    for theme in (DARK_THEME, LIGHT_THEME):
        shown.set_colors(theme.colors)
        assert painted(shown.canvas, beside) == theme.colors["surface"]
        axis = shown.canvas.rows
        assert axis.textPen().color().name() == theme.colors["text"]
        assert axis.label.defaultTextColor().name() == theme.colors["text"]


def test_the_mouse_reads_index_value_and_state(shown, qtbot):
    qtbot.mouseMove(shown.canvas.viewport(), shown.canvas.pixel_of(3, 4))
    shown.canvas.hovered.emit((3, 4))
    assert shown.readout.text() == "[out 1, in 2, 1, 0] was −0.03125   pruned"
    shown.canvas.hovered.emit((0, 1))
    assert shown.readout.text() == "[out 0, in 0, 0, 1] = 0.5   kept now, pruned in the preview"
    shown.canvas.hovered.emit((7, 5))
    assert shown.readout.text() == "[out 3, in 2, 1, 1] = 0.5   kept"
    shown.canvas.hovered.emit(None)
    assert shown.readout.text() == "Each output channel is a band of 2 rows."


def test_every_weight_is_found_under_its_pixel(shown):
    for row in range(8):
        for column in range(6):
            assert shown.canvas.weight_at(shown.canvas.pixel_of(row, column)) == (row, column)
    assert shown.canvas.weight_at(QPoint(2, 2)) is None


def test_a_click_sets_the_cursor(shown, qtbot, painted):
    with qtbot.waitSignal(shown.cursorMoved) as moved:
        qtbot.mouseClick(
            shown.canvas.viewport(), Qt.MouseButton.LeftButton, pos=shown.canvas.pixel_of(3, 4)
        )
    assert moved.args == [(1, 2, 1, 0)]
    image = shown.canvas.grab().toImage()
    edge = corner(shown, 3, 4, 0, 0) - QPoint(2, 2)
    near = {image.pixelColor(edge + QPoint(d, 10)).name() for d in range(-3, 3)}
    assert LIGHT_THEME.colors["accent"] in near


def test_keys_move_the_cursor_to_the_ends_of_its_row(shown, qtbot):
    def press(*keys):
        for key in keys:
            qtbot.keyClick(shown.canvas, key)
        return shown.canvas.item.cursor

    key = Qt.Key
    put_cursor(shown, (1, 1, 0, 1))
    assert shown.canvas.item.cursor == (2, 3)
    assert press(key.Key_Right, key.Key_Down) == (3, 4)
    assert shown.readout.text() == "[out 1, in 2, 1, 0] was −0.03125   pruned"
    assert press(key.Key_Left, key.Key_Up) == (2, 3)
    assert press(key.Key_Home) == (2, 0)
    assert press(key.Key_Left) == (2, 0), "it does not leave the picture"
    assert press(key.Key_End) == (2, 5)
    assert press(key.Key_PageDown) == (7, 5)
    assert press(key.Key_PageUp) == (0, 5)


def test_the_first_arrow_shows_where_the_cursor_is(shown, qtbot):
    qtbot.keyClick(shown.canvas, Qt.Key.Key_Right)
    assert shown.canvas.item.cursor == (4, 3)


def test_plus_minus_and_zero_zoom(shown, qtbot):
    fitted = shown.canvas.view.zoom
    qtbot.keyClick(shown.canvas, Qt.Key.Key_Plus)
    assert shown.canvas.view.zoom == pytest.approx(1.25 * fitted)
    qtbot.keyClick(shown.canvas, Qt.Key.Key_Minus)
    assert shown.canvas.view.is_fitted
    qtbot.keyClick(shown.canvas, Qt.Key.Key_Plus)
    qtbot.keyClick(shown.canvas, Qt.Key.Key_0)
    assert shown.canvas.view.is_fitted


@pytest.mark.parametrize("corner_of", [(0, 0, 0, 0), (3, 2, 1, 1)])
def test_zooming_in_keeps_the_whole_weight_of_the_cursor_in_sight(shown, qtbot, corner_of):
    put_cursor(shown, corner_of)
    row, column = shown.canvas.item.cursor
    for _step in range(8):
        qtbot.keyClick(shown.canvas, Qt.Key.Key_Plus)
        left, top, right, bottom = shown.canvas.view.visible
        assert left - 1e-6 <= column <= column + 1 <= right + 1e-6
        assert top - 1e-6 <= row <= row + 1 <= bottom + 1e-6


def test_every_dimension_of_a_kernel_is_named_on_the_axes(shown):
    box = shown.axes.down_box
    assert [box.itemText(i) for i in range(box.count())] == [
        "all",
        "0: out (4)",
        "1: in (3)",
        "2: kernel rows (2)",
        "3: kernel columns (2)",
    ]


def test_keys_of_the_window_are_left_to_it(shown, qtbot):
    before = shown.canvas.view
    qtbot.keyClick(shown.canvas, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(shown.canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert shown.strength == 1
    assert shown.canvas.item.cursor is None
    assert shown.canvas.view == before


@pytest.fixture
def matrix(view, fill, make_tensor):
    """Return a view of 3,000 x 2,000 weights that equal their column index."""
    layout = Layout((3000, 2000), (0,), (1,), "output", "input")
    values = np.broadcast_to(np.arange(2000) / 2000, (3000, 2000))
    tensor = make_tensor(layout, values, np.ones((3000, 2000)))
    fill(tensor)
    view.tensor = tensor
    return view


def test_the_wheel_goes_to_the_weight_under_it_and_asks_for_what_is_seen(matrix, qtbot):
    assert matrix.tensor.requests[-1].pool == 8
    at = matrix.canvas.pixel_of(700, 500)
    before = matrix.canvas.weight_at(at)
    for _ in range(16):
        turn_wheel(matrix.canvas.viewport(), 1, at)
    assert matrix.canvas.weight_at(at) == pytest.approx(before, abs=5)
    qtbot.waitUntil(lambda: matrix.canvas.item.fine.request.pool == 1)
    part = matrix.canvas.item.fine.request
    assert part.row <= before[0] < part.row + part.rows
    assert part.rows < 3000
    assert matrix.canvas.item.coarse.request.pool == 8, "the whole stays below"


def test_dragging_moves_the_picture_and_is_no_click(matrix, qtbot):
    matrix.canvas.zoom(20)
    port = matrix.canvas.viewport()
    start, x = QPoint(300, 250), matrix.canvas.view.x
    scale = matrix.canvas.view.scale_x
    with qtbot.assertNotEmitted(matrix.cursorMoved):
        qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=start)
        qtbot.mouseMove(port, start + QPoint(60, 0))
        matrix.canvas.set_viewport(matrix.canvas.view)  # the same view
        qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=start + QPoint(60, 0))
    moved = (x - matrix.canvas.view.x) * scale
    assert moved == pytest.approx(60, abs=1)


def test_requests_while_one_moves_are_few_and_the_last_is_answered(matrix, qtbot):
    matrix.canvas.zoom(20)
    qtbot.wait(60)
    before = len(matrix.tensor.requests)
    for _ in range(200):
        matrix.canvas.set_viewport(matrix.canvas.view.pan_by(5, 0))
    qtbot.wait(100)
    assert 1 <= len(matrix.tensor.requests) - before <= 3
    assert matrix._tile_requests.is_complete


def test_a_value_that_no_tile_has_is_asked_for(matrix, qtbot):
    with qtbot.waitSignal(matrix.pointRequested) as asked:
        matrix.canvas.hovered.emit((10, 500))
        assert matrix.readout.text() == "[10, 500] = …"
    assert asked.args == [TileRequest("conv.weight", 10, 500, 1, 1, 1)]
    assert matrix.readout.text() == "[10, 500] = 0.25   kept"


def test_answers_about_another_tensor_or_an_older_state_are_ignored(shown, conv):
    fine = shown.canvas.item.fine
    other = Tile(
        TileRequest("other", 0, 0, 8, 6), conv.layout, conv.values, conv.kept, conv.to_prune, 1.0
    )
    shown.set_tile(other)
    assert shown.canvas.item.fine is fine
    old = shown.generation
    shown.invalidate()
    shown.set_tile(conv.tile(fine.request), generation=old)
    assert shown.canvas.item.fine is fine
    shown.set_point(conv.tile(TileRequest("conv.weight", 0, 0, 1, 1)), generation=old)
    assert shown._weight_readout._weights == {}


def test_an_old_picture_stays_until_the_new_mask_is_there(shown, conv, qtbot, painted):
    conv.kept[5, 5] = 0
    shown.invalidate()
    assert painted(shown.canvas, corner(shown, 5, 5)) == shade_of(LIGHT_THEME, 0.5)
    qtbot.waitUntil(lambda: len(conv.requests) == 2)
    assert painted(shown.canvas, corner(shown, 5, 5)) == shading.PRUNED_OVER


def test_the_whole_is_asked_for_again_after_the_part_that_is_seen(matrix, qtbot):
    matrix.canvas.zoom(50)
    qtbot.waitUntil(lambda: matrix.canvas.item.fine.request.pool == 1)
    del matrix.tensor.requests[:]
    matrix.invalidate()
    qtbot.waitUntil(lambda: len(matrix.tensor.requests) >= 2)
    qtbot.wait(120)
    first, second = matrix.tensor.requests
    assert first.pool == 1
    assert (second.rows, second.columns) == (3000, 2000)


def test_32000_by_4096_is_asked_for_as_coarse_as_the_screen(view, qtbot):
    layout = Layout((32_000, 4_096), (0,), (1,), "output", "input")
    with qtbot.waitSignal(view.tileRequested) as asked:
        view.set_layout(layout, layout.shape, "float32", "w")
    (request,) = asked.args
    assert (request.row, request.column, request.rows, request.columns) == (0, 0, 32_000, 4_096)
    seen = 1 / (view.canvas.view.scale_x * view.devicePixelRatioF())
    assert request.pool == 1 << math.ceil(math.log2(seen))


def test_frames_of_a_large_picture_are_fast(view, qtbot, record_property):
    layout = Layout((32_000, 4_096), (0,), (1,), "output", "input")
    random = np.random.default_rng(0)

    def answer(request):
        shape = -(-request.rows // request.pool), -(-request.columns // request.pool)
        values = random.random(shape, np.float32)
        kept = np.ones(shape, np.float32)
        view.set_tile(Tile(request, layout, values, kept, 0 * kept, 1.0))

    view.tileRequested.connect(answer)
    view.set_layout(layout, layout.shape, "float32", "w")
    qtbot.waitUntil(lambda: view.canvas.item.fine is not None)
    taken = []
    for step in range(60):
        start = time.perf_counter()
        view.canvas.zoom(1.15) if step < 40 else view.canvas.set_viewport(
            view.canvas.view.pan_by(9, 7)
        )
        view.canvas.viewport().repaint()
        taken.append(time.perf_counter() - start)
        if step % 20 == 19:
            qtbot.waitUntil(lambda: view._tile_requests.is_complete)
    p95 = float(np.percentile(taken, 95)) * 1000
    record_property("frame_p95_ms", round(p95, 1))
    assert p95 < 200, "a frame should take less than 16 ms; this machine may be busy"


def test_values_are_written_into_large_cells(shown, qtbot):
    item = shown.canvas.item
    before = shown.canvas.grab().toImage()
    assert shown.canvas.view.scale_x >= 48
    cell = before.copy(
        shown.canvas.pixel_of(0, 2).x() - 10, shown.canvas.pixel_of(0, 2).y() - 5, 20, 10
    )
    ink = {cell.pixelColor(x, y).name() for x in range(20) for y in range(10)}
    assert len(ink) > 2, "a number is written on the cell"
    assert item.exact_weight(0, 2) == (1.0, True, False, False)


def test_a_value_that_can_be_seen_in_part_is_not_written(conv):
    """-0.03125 without its first digits would be misread."""
    tile = conv.tile(TileRequest(conv.name, 0, 0, 1, 2, 1))
    white = np.full((1, 2), 0xFFFFFFFF, np.uint32)
    painted = SimpleNamespace(tile=tile, pixels=white, hatched=np.zeros((1, 2)))
    image = QImage(100, 40, QImage.Format.Format_RGB32)

    def columns_with_ink(left):
        """Return the painted columns of two weights of 80 pixels, scrolled by `left`."""
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        place = QTransform(80, 0, 0, 40, -left, 0)
        shown = QRectF(left / 80, 0, 100 / 80, 1)
        overlays.paint_values(painter, place, shown, painted, QFont())
        painter.end()
        return [x for x in range(100) if any(image.pixel(x, y) != 0xFFFFFFFF for y in range(40))]

    whole = columns_with_ink(0)
    assert min(whole) > 20
    assert max(whole) < 60, "the second cannot be seen whole"
    assert min(columns_with_ink(45)) > 50, "the first cannot any more"


def test_numbers_never_reach_into_the_next_cell():
    """-1.23e-05 is wider than a small cell: it gets fewer digits, or none."""
    values = np.array([[-1.2345e-05, 0.0, -1.2345e-05]], np.float32)
    ones = np.ones((1, 3), np.float32)
    tile = Tile(TileRequest("w", 0, 0, 1, 3, 1), layout((1, 3)), values, ones, 0 * ones, 1.0)
    white = np.full((1, 3), 0xFFFFFFFF, np.uint32)
    painted = SimpleNamespace(tile=tile, pixels=white, hatched=np.zeros((1, 3)))
    for wide in (30, 48, 96):
        image = QImage(3 * wide, 40, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        place = QTransform(wide, 0, 0, 40, 0, 0)
        overlays.paint_values(painter, place, QRectF(0, 0, 3, 1), painted, QFont())
        painter.end()
        inked = {
            x for x in range(3 * wide) if any(image.pixel(x, y) != 0xFFFFFFFF for y in range(40))
        }
        edges = {0, 1, wide - 1, wide, wide + 1, 2 * wide - 1, 2 * wide, 2 * wide + 1}
        assert not inked & edges, wide
        assert inked & set(range(wide, 2 * wide)), "the 0 fits"
        assert bool(inked & set(range(wide))) is (wide == 96)


def test_kernels_in_lines_are_numbered_and_selected_by_output_channel(qtbot):
    view = WeightsView()
    qtbot.addWidget(view)
    view.resize(900, 700)
    with qtbot.waitExposed(view):
        view.show()
    mosaic = layout((64, 1, 3, 3), "Conv2d")
    view.set_layout(mosaic, mosaic.shape, "float32", "conv.weight")
    for axis, labels in (
        (view.canvas.rows, ["0", "8", "16", "24", "32", "40", "48", "56"]),
        (view.canvas.columns, ["+0", "+1", "+2", "+3", "+4", "+5", "+6", "+7"]),
    ):
        ((_, places),) = axis.tickValues(0, 24, 400)
        assert axis.tickStrings(places, 1, 1) == labels
    nine = WeightSelection("channel", dim=0, channels=((9, 10),))
    assert [*nine.visible_rects(mosaic, Rect(0, 0, 24, 24))] == [Rect(3, 3, 6, 6)]
    few = WeightSelection("channel", dim=0, channels=((6, 17),))
    assert [*few.visible_rects(mosaic, Rect(0, 0, 24, 24))] == [
        Rect(0, 18, 3, 24),
        Rect(3, 0, 6, 24),
        Rect(6, 0, 9, 3),
    ]
    matrix = layout((64, 64), "Linear")
    view.set_layout(matrix, matrix.shape, "float32", "fc.weight")
    ((_, places),) = view.canvas.columns.tickValues(0, 64, 640)
    assert not any("+" in label for label in view.canvas.columns.tickStrings(places, 1, 1))


def test_borders_of_kernels_are_drawn_when_near(shown, painted):
    shown.set_colors(LIGHT_THEME.colors)
    left = shown.canvas.pixel_of(4, 1)
    right = shown.canvas.pixel_of(4, 2)
    border = QPoint((left.x() + right.x()) // 2, left.y())
    colors = {painted(shown.canvas, border + QPoint(d, 7)) for d in (-1, 0, 1)}
    assert LIGHT_THEME.colors["surface"] in colors


def test_axes_and_legend_and_summary_speak_of_the_tensor(shown):
    shown.set_pruned(2)
    assert shown.canvas.rows.labelText == "output channel × kernel row"
    assert shown.legend.words() == ["0 … 1", "pruned", "to be pruned"]
    assert shown.accessibleName() == "Weights picture"
    assert "conv.weight, 4×3×2×2, float32, 4.2\u00a0% pruned" in shown.accessibleDescription()
    assert shown.canvas.accessibleDescription() == shown.accessibleDescription()


def test_a_vector_in_lines_has_its_own_axes(view, fill, make_tensor):
    layout = Layout((12,), (), (0,), "line", "position", "In lines of 4.", 4)
    tensor = make_tensor(layout, np.arange(12) / 12, np.ones(12))
    fill(tensor)
    view.canvas.hovered.emit((2, 1))
    assert view.readout.text() == "[9] = 0.75   kept"
    low, high, size = 0.0, 3.0, 300.0
    assert view.canvas.rows.tickValues(low, high, size) == [(1.0, [0.5, 1.5, 2.5])]


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0,)])
def test_a_tensor_without_weights_says_so(view, qtbot, shape):
    dims = ((0,), (1,)) if len(shape) == 2 else ((), (0,))
    layout = Layout(shape, *dims, "", "")
    with qtbot.assertNotEmitted(view.tileRequested, wait=60):
        view.set_layout(layout, shape, "float32", "empty")
    assert view._message.text() == "▲  This tensor has no weights."


def test_a_single_number_has_a_picture(view, fill, make_tensor):
    tensor = make_tensor(Layout((), (), (), "", ""), [0.5], [1])
    fill(tensor)
    view.canvas.hovered.emit((0, 0))
    assert view.readout.text() == "[] = 0.5   kept"


def test_nan_is_named_in_the_legend(view, fill, make_tensor):
    tensor = make_tensor(Layout((1, 2), (0,), (1,), "", ""), [np.nan, -np.inf], [1, 1])
    fill(tensor)
    assert view.legend.words()[-1] == "NaN"
    view.canvas.hovered.emit((0, 0))
    assert view.readout.text() == "[0, 0] = NaN   kept"
    view.canvas.hovered.emit((0, 1))
    assert view.readout.text() == "[0, 1] = −∞   kept"


def test_nothing_error_and_waiting_are_said(view, fill, conv, qtbot):
    assert view._message.text() == "Select a tensor in the tree."
    view.set_busy(True)
    assert "Reading" not in view._message.text(), "not at once, or it would flicker"
    qtbot.waitUntil(lambda: view._message.text() == "Reading the tensor…", timeout=1000)
    view.set_error("The file is gone.")
    assert view._message.text() == "▲  The file is gone."
    fill(conv)
    assert view._stack.currentWidget() is view.canvas
    view.set_busy(True)
    qtbot.waitUntil(view._busy_indicator.note.isVisible, timeout=1000)
    view.set_busy(False)
    assert not view._busy_indicator.note.isVisible()


def test_the_numbers_are_the_weights(shown):
    numbers = shown.numbers()
    lines = csv_text(numbers.headers, numbers).splitlines()
    assert lines[0] == "dim 0,dim 1,dim 2,dim 3,value without mask,kept,to be pruned"
    assert len(lines) == 49
    assert "1,2,1,0,-0.03125,0.0,0.0" in lines


def test_the_picture_can_be_saved_and_copied(shown, tmp_path, qtbot):
    with qtbot.waitSignal(shown.fileRequested) as asked:
        shown.save_png(tmp_path / "w.png")
    assert asked.args[0]().startswith(b"\x89PNG")
    with qtbot.waitSignal(shown.clipboardRequested) as asked:
        shown.export_menu.copy.trigger()
    assert not asked.args[0].isNull()
