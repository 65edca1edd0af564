"""Details of the heat map that must be visible: protection, planes, menus, overlays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QImage
from PySide6.QtWidgets import QApplication, QMenu

from pruneapp.analysis.layout import Layout, layout
from pruneapp.analysis.tiles import TileRequest
from pruneapp.document.document import HistoryItem
from pruneapp.edits.manual_edit import ManualEditRequest
from pruneapp.gui.plots.heatmap import overlays, shading
from pruneapp.gui.plots.heatmap.shading import Mode
from pruneapp.gui.plots.heatmap.toolbar import Axes
from pruneapp.gui.widgets.theme import LIGHT_THEME
from tests.support.plot_views import put_cursor


def pixels(view) -> np.ndarray:
    """Return the ``uint8[h, w, 3]`` image of the heat map between the axes."""
    image = view.canvas.grab().toImage().convertToFormat(view.grab().toImage().Format.Format_RGB32)
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    first, last = view.canvas.item.layout, view.canvas.view
    low = view.canvas.pixel_of(0, 0)
    high = view.canvas.pixel_of(first.rows - 1, first.columns - 1)
    assert last.is_fitted
    return data[low.y() + 2 : high.y() - 2, low.x() + 2 : high.x() - 2, 2::-1]


def test_one_pruned_weight_in_a_million_is_found(view, fill, make_tensor, qtbot):
    of = Layout((1000, 1000), (0,), (1,), "output", "input")
    values = np.random.default_rng(0).normal(size=(1000, 1000)).astype(np.float32)
    kept = np.ones((1000, 1000))
    kept[617, 403] = 0
    fill(make_tensor(of, values, kept))
    put_cursor(view, (617, 403))
    view.canvas.zoom(200)
    qtbot.waitUntil(lambda: view._tile_requests.is_complete)
    image = view.canvas.grab().toImage()
    offset = QPoint(int(view.canvas.view.scale_x) // 2 - 6, int(view.canvas.view.scale_y) // 2 - 6)
    orange = [
        (row, column)
        for row in range(615, 620)
        for column in range(401, 406)
        if image.rect().contains(view.canvas.pixel_of(row, column))
        and image.pixelColor(view.canvas.pixel_of(row, column) - offset).name()
        == shading.PRUNED_OVER
    ]
    assert orange == [(617, 403)]
    said = view.readout.text().replace("−", "-")
    assert said.startswith("[617, 403] was ")
    assert np.float32(said.split(" was ")[1].split()[0]) == values[617, 403]


def test_half_a_random_mask_looks_even_from_afar(view, fill, make_tensor):
    of = Layout((4096, 4096), (0,), (1,), "output", "input")
    kept = np.random.default_rng(1).random((4096, 4096), np.float32) < 0.5
    ones = np.broadcast_to(np.float32(1), kept.shape)
    fill(make_tensor(of, ones, kept), Mode.MASK)
    seen = pixels(view).astype(int)
    middle = shading.density_table()[128]
    expected = [int(middle) >> shift & 255 for shift in (16, 8, 0)]
    assert np.abs(seen.mean((0, 1)) - expected).max() < 3
    assert seen.std((0, 1)).max() < 8, "no noise and no moire"
    spectrum = np.abs(np.fft.rfft2(seen[..., 0] - seen[..., 0].mean()))
    assert spectrum.max() < 12 * spectrum.mean(), "no stripes"


def test_regular_masks_make_no_moire(view, make_tensor, qtbot):
    side = 3000
    of = Layout((side, side), (0,), (1,), "output", "input")
    ones = np.broadcast_to(np.float32(1), (side, side))
    row, column = np.indices((side, side), np.int32, sparse=True)
    for kept in (row % 2 < 1, (row + column) % 2 < 1, column % 4 < 2):
        tensor = make_tensor(of, ones, np.broadcast_to(kept, (side, side)))
        view.set_mode(Mode.MASK)
        answer = view.tileRequested.connect(
            lambda request, at=tensor: view.set_tile(at.tile(request))
        )
        tensor.show(view)
        qtbot.waitUntil(lambda: view._tile_requests.is_complete)
        view.tileRequested.disconnect(answer)
        seen = pixels(view)[4:-4, 4:-4].astype(int)
        assert np.ptp(seen, axis=(0, 1)).max() <= 2


def test_a_2_4_mask_shows_its_pattern_at_one_pixel_for_a_weight(view, fill, make_tensor, qtbot):
    random = np.random.default_rng(2)
    kept = (np.argsort(random.random((900, 250, 4)), axis=2) < 2).reshape(900, 1000)
    of = Layout(kept.shape, (0,), (1,), "", "")
    fill(make_tensor(of, np.ones(kept.shape), kept), Mode.MASK)
    box = view.canvas.view
    # Aligned to physical pixels.
    x, y = 500 + box.width / 2 % 1, 450 + box.height / 2 % 1
    view.canvas.set_viewport(replace(box, zoom=1.0, x=x, y=y))
    qtbot.waitUntil(lambda: view._tile_requests.is_complete)
    assert view.canvas.view.scale_x == 1
    image = view.canvas.grab().toImage()
    checked = 0
    for left in range(100, 500, 3):
        for top in range(100, 400, 7):
            row, column = view.canvas.weight_at(QPoint(left, top))
            expected = shading.MASK_KEPT if kept[row, column] else shading.MASK_PRUNED
            assert image.pixelColor(left, top).name() == expected
            checked += 1
    assert checked > 5_000


def test_what_is_protected_has_a_double_outline_and_a_lock(view, fill, conv, painted):
    conv.protected = np.zeros((8, 6))
    conv.protected[2:4, 0:2] = 1
    fill(conv)
    image = view.canvas.grab().toImage()
    half = int(view.canvas.view.scale_x / 2)
    middle = view.canvas.pixel_of(3, 1)
    line = [image.pixelColor(middle + QPoint(half + d, 6)).name() for d in range(-6, 7)]
    assert "#ffffff" in line
    assert "#000000" in line
    assert line.index("#ffffff") < line.index("#000000"), "white within, black outside"
    between = view.canvas.pixel_of(3, 0) + QPoint(half, 6)
    inner = {image.pixelColor(between + QPoint(d, 0)).name() for d in range(-3, 4)}
    assert "#000000" not in inner, "one outline for the area"
    corner = view.canvas.pixel_of(2, 0) + QPoint(half - 15, -half + 5)
    ink = {image.pixelColor(corner + QPoint(x, y)).name() for x in range(9) for y in range(11)}
    assert LIGHT_THEME.colors["text"] in ink, "a lock"
    assert "protected" in view.legend.words()
    view.canvas.hovered.emit((2, 0))
    assert view.readout.text() == "[out 1, in 0, 0, 0] = 0.5   protected"


def on_screen(view) -> np.ndarray:
    """Return the ``uint8[h, w, 3]`` canvas as on the screen, including pixels not repainted."""
    place = view.canvas.mapTo(view, QPoint())
    whole = view.screen().grabWindow(view.winId()).toImage()
    image = whole.copy(QRect(place, view.canvas.size())).convertToFormat(QImage.Format.Format_RGB32)
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    return data[:, :, 2::-1].copy()


@pytest.mark.parametrize("key", [Qt.Key.Key_H, Qt.Key.Key_V], ids=["row", "column"])
def test_nothing_stays_of_what_was_chosen_before(view, fill, make_tensor, qtbot, key):
    """The outline, the label and the cursor extend beyond the heat map."""
    of = Layout((40, 12), (0,), (1,), "output", "input")
    fill(make_tensor(of, np.ones((40, 12)), np.ones((40, 12))))
    accent = QColor(LIGHT_THEME.colors["accent"])
    accent = np.array([accent.red(), accent.green(), accent.blue()], np.uint8)
    right = view.canvas.pixel_of(0, 11).x() + int(view.canvas.view.scale_x / 2) + 1

    def beside() -> np.ndarray:
        return np.argwhere((on_screen(view)[:, right : right + 3] == accent).all(axis=2))[:, 0]

    view.canvas.set_cursor(5, 11)
    qtbot.keyClick(view.canvas, key)
    row = view.canvas.pixel_of(5, 11).y()
    qtbot.waitUntil(lambda: bool((np.abs(beside() - row) < 20).any()))
    view.canvas.set_cursor(30, 0)
    qtbot.keyClick(view.canvas, key)
    qtbot.waitUntil(lambda: not (np.abs(beside() - row) < 20).any())
    if key == Qt.Key.Key_H:
        assert (np.abs(beside() - view.canvas.pixel_of(30, 0).y()) < 20).any()
    view.canvas.clear_selection()
    qtbot.waitUntil(lambda: not beside().size)


def test_a_single_protected_weight_is_seen_from_afar(view, fill, large):
    large.protected = np.zeros((3000, 2000), bool)
    large.protected[1200, 900] = True
    fill(large)
    image = view.canvas.grab().toImage()
    at = view.canvas.pixel_of(1200, 900)
    near = {image.pixelColor(at + QPoint(x, y)).name() for x in range(-8, 9) for y in range(-8, 9)}
    assert {"#000000", "#ffffff"} <= near


def test_a_sprinkling_is_a_pattern_and_not_an_area(view, fill, large, monkeypatch):
    large.protected = np.random.default_rng(0).random((3000, 2000)) < 0.01
    lines = []
    monkeypatch.setattr(overlays, "_paint_lines", lambda *_: lines.append(1))
    fill(large)
    seen = pixels(view).reshape(-1, 3)
    assert lines == []
    for color in (0, 255):
        share = (seen == color).all(axis=1).mean()
        assert 0.02 < share < 0.3, "dots"


def test_a_step_is_named_in_the_read_out(shown, qtbot):
    with qtbot.waitSignal(shown.historyRequested) as asked:
        shown.canvas.hovered.emit((3, 4))
        assert shown.readout.text() == "[out 1, in 2, 1, 0] was −0.03125   pruned"
    assert asked.args == [(1, 2, 1, 0)]
    shown.set_pruned_by((1, 2, 1, 0), 4, HistoryItem("L1 20 %", "", by_method=True))
    assert shown.readout.text().endswith("was −0.03125   pruned in step 4 by L1 20 %")
    shown.set_pruned_by((1, 2, 1, 0), 5, HistoryItem("channel 1 pruned", ""))
    assert shown.readout.text().endswith("pruned in step 5: channel 1 pruned")
    third = HistoryItem("L1 70 %", "", by_method=True, rule=3)
    shown.set_pruned_by((1, 2, 1, 0), 1, third)
    assert shown.readout.text().endswith("pruned in step 1, rule 3: L1 70 %")
    with qtbot.assertNotEmitted(shown.historyRequested, wait=120):
        shown.canvas.hovered.emit((3, 4))
    shown.invalidate()
    with qtbot.waitSignal(shown.historyRequested):
        shown.canvas.hovered.emit(None)
        shown.canvas.hovered.emit((3, 4))
    with qtbot.assertNotEmitted(shown.historyRequested, wait=120):
        shown.canvas.hovered.emit((5, 5))


@pytest.fixture
def planes(view, make_tensor, qtbot):
    """Return a tensor of 4 x 5 x 6 whose weights encode their index; requests are answered."""
    array = np.arange(120).reshape(4, 5, 6) / 120
    view.asked = []

    def answer(request):
        view.asked.append(request)
        of = layout((4, 5, 6), "", request.axes, request.fixed)
        values = [[array[of.index(r, c)] for c in range(of.columns)] for r in range(of.rows)]
        tensor = make_tensor(of, values, np.ones((of.rows, of.columns)), name="w")
        view.set_tile(tensor.tile(request))

    def show_plane(axes):
        view.set_plane(layout((4, 5, 6), "", *axes), axes)

    view.tileRequested.connect(answer)
    view.axes.chosen.connect(show_plane)
    of = layout((4, 5, 6))
    view.set_layout(of, of.shape, "float32", "w")
    qtbot.waitUntil(lambda: view._tile_requests.is_complete)
    return view


def test_any_two_dimensions_can_be_on_the_axes(planes, qtbot):
    assert planes.modes.axes_button.isVisible()
    assert not planes.axes.isVisible()
    qtbot.mouseClick(planes.modes.axes_button, Qt.MouseButton.LeftButton)
    assert planes.axes.isVisible()
    qtbot.keyClick(planes.axes.down_box, "2")
    qtbot.waitUntil(lambda: planes._tile_requests.is_complete)
    assert planes.axes.axes == Axes((2, 1), (0, 0, 0))
    assert (planes.canvas.view.rows, planes.canvas.view.columns) == (6, 5)
    assert list(planes.axes.sliders) == [0]
    put_cursor(planes, (0, 3, 4))
    assert planes.readout.text().startswith("[0, 3, 4] = ")
    before = planes.canvas.view
    qtbot.keyClick(planes.axes.sliders[0], Qt.Key.Key_Right)
    assert planes.axes.numbers[0].value() == 1
    assert planes.canvas.view == before, "one looks at the same place of the next plane"
    assert planes.canvas.item.fine is not None, "the old one stays until it comes"
    qtbot.waitUntil(lambda: planes._tile_requests.is_complete)
    assert planes.asked[-1].axes == (2, 1)
    assert planes.asked[-1].fixed == (1, 0, 0)
    value = float(planes.readout.text().split("= ")[1].split()[0])
    assert planes.readout.text().startswith("[1, 3, 4] = ")
    assert value == pytest.approx((30 + 18 + 4) / 120)
    qtbot.keyClick(planes.canvas, Qt.Key.Key_Delete)
    assert planes.made == [
        ManualEditRequest("prune", "w", (((1, 2), (3, 4), (4, 5)),), "rectangle")
    ]
    planes.axes.numbers[0].setFocus()
    qtbot.keyClick(planes.axes.numbers[0], Qt.Key.Key_Up)
    assert planes.axes.sliders[0].value() == 2
    qtbot.keyClick(planes.axes.across_box, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: planes._tile_requests.is_complete)
    assert planes.axes.axes == Axes()
    assert (planes.canvas.view.rows, planes.canvas.view.columns) == (4, 30)
    assert planes.axes.sliders == {}


def test_the_same_dimension_on_both_axes_changes_places(planes, qtbot):
    planes.modes.axes_button.click()
    qtbot.keyClick(planes.axes.down_box, "1")
    assert planes.axes.axes.axes == (1, 0)
    qtbot.keyClick(planes.axes.across_box, "1")
    assert planes.axes.axes.axes == (0, 1)
    assert planes.axes.down_box.currentIndex() == 1


def test_a_point_of_a_plane_is_asked_for_in_it(planes, qtbot):
    planes.modes.axes_button.click()
    qtbot.keyClick(planes.axes.down_box, "2")
    planes.tileRequested.disconnect()
    planes.invalidate()
    with qtbot.waitSignal(planes.pointRequested) as asked:
        planes.canvas.hovered.emit((1, 1))
    assert asked.args == [TileRequest("w", 1, 1, 1, 1, 1, axes=(2, 1), fixed=(0, 0, 0))]


def test_matrices_have_no_axes_to_choose(view, fill, make_tensor):
    fill(make_tensor(Layout((2, 3), (0,), (1,), "", ""), np.ones(6), np.ones(6)))
    assert not view.modes.axes_button.isVisible()
    assert not view.axes.isVisible()


def open_menu(view, place):
    at = view.canvas.pixel_of(*place)
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, at, view.canvas.viewport().mapToGlobal(at)
    )
    QApplication.sendEvent(view.canvas.viewport(), event)
    return menu_of(view)


def menu_of(view):
    return next(m for m in view.findChildren(QMenu) if m.isVisible() and m.parent() is view)


def test_the_menu_of_a_weight_has_its_channels(shown, qtbot):
    menu = open_menu(shown, (3, 4))
    assert shown.canvas.item.cursor == (3, 4)
    texts = [a.text() for a in menu.actions() if not a.isSeparator()]
    assert texts[:4] == [
        "Prune 1 weight",
        "Restore 1 weight",
        "Protect 1 weight",
        "Unprotect 1 weight",
    ]
    assert texts[4:8] == ["out 1", "in 2", "kernel row 1", "kernel column 0"]
    assert "Save PNG…" in texts
    channel = next(a for a in menu.actions() if a.text() == "out 1").menu()
    protect = channel.actions()[2]
    assert protect.text() == "Protect out 1: 12 weights"
    protect.trigger()
    menu.close()
    box = ((1, 2), (0, 3), (0, 2), (0, 2))
    assert shown.made == [ManualEditRequest("protect", "conv.weight", (box,), "channel", 0)]


def test_the_menu_means_what_is_chosen_if_it_is_opened_there(shown, qtbot):
    put_cursor(shown, (1, 0, 0, 0))
    qtbot.keyClick(shown.canvas, Qt.Key.Key_C)
    menu = open_menu(shown, (3, 5))
    assert menu.actions()[0].text() == "Prune out 1: 12 weights"
    menu.close()
    menu = open_menu(shown, (6, 5))
    assert menu.actions()[0].text() == "Prune 1 weight"
    assert shown.selection is None
    menu.close()


def test_the_menu_opens_by_a_key_and_only_offers_what_may_be_done(shown, qtbot):
    put_cursor(shown, (1, 0, 0, 0))
    shown.set_not_editable_reason("integers are not pruned")
    qtbot.keyClick(shown.canvas, Qt.Key.Key_Return)
    menu = menu_of(shown)
    assert not menu.actions()[0].isEnabled()
    menu.close()


def test_the_table_has_the_numbers_and_a_key(shown, qtbot):
    qtbot.keyClick(shown.canvas, Qt.Key.Key_T)
    assert shown.shows_table
    table = shown._table.numbers
    assert table.rowCount() == 48


def test_the_label_of_the_mask_is_shown_in_narrow_windows(shown, qtbot):
    for narrow in (True, False, True):
        shown.set_narrow(narrow=narrow)
        assert shown.modes.label.isVisible()
    qtbot.waitUntil(
        lambda: (
            shown.modes.mode_box.mapTo(shown, shown.modes.mode_box.rect().topRight()).x() + 8
            <= shown.modes.label.mapTo(shown, QPoint()).x()
        )
    )
