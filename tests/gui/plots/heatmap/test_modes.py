"""The modes of the heat map: a blend, the result, a difference, a first sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from pruneapp.analysis.layout import Layout, layout
from pruneapp.analysis.tiles import DifferenceTile, TileRequest
from pruneapp.gui.plots.heatmap import requests, shading
from pruneapp.gui.plots.heatmap.shading import ColorTables, ContrastLimits, Mode
from pruneapp.gui.widgets.color_maps import COLOR_MAPS
from pruneapp.gui.widgets.theme import LIGHT_THEME
from tests.support.plot_views import put_cursor


def corner(view, row, column):
    half = int(view.canvas.view.scale_x / 2)
    return view.canvas.pixel_of(row, column) - QPoint(half - 8, half - 8)


def test_the_slider_blends_the_mask_over_the_weights(shown, qtbot, painted):
    colors = [painted(shown.canvas, corner(shown, 0, 0))]
    for _ in range(10):
        qtbot.keyClick(shown.modes.slider, Qt.Key.Key_Left)
        colors.append(painted(shown.canvas, corner(shown, 0, 0)))
    assert colors[0] == shading.PRUNED_OVER
    assert shown.strength == 0
    index = 63 * shading.SHADES + 63
    assert colors[-1] == f"#{int(ColorTables(LIGHT_THEME.colors).ramp()[index]) & 0xFFFFFF:06x}"
    reds = [int(color[1:3], 16) for color in colors]
    assert reds == sorted(reds, reverse=True)
    assert len(set(reds)) == 11, "every step is seen"
    kept = painted(shown.canvas, corner(shown, 5, 5))
    qtbot.keyClick(shown.modes.slider, Qt.Key.Key_End)
    assert painted(shown.canvas, corner(shown, 5, 5)) == kept, "what is kept stays as it is"
    assert shown.modes.slider.toolTip().startswith("Mask opacity: ")
    assert "100" in shown.modes.slider.toolTip()


def test_the_result_has_pruned_weights_as_zero(shown, conv, qtbot, painted):
    shown.set_mode(Mode.RESULT)
    qtbot.waitUntil(lambda: conv.requests[-1].pruned)
    none = f"#{int(ColorTables(LIGHT_THEME.colors).ramp()[63 * shading.SHADES]) & 0xFFFFFF:06x}"
    assert painted(shown.canvas, corner(shown, 0, 0)) == none
    assert shown.legend.words() == ["0 … 1"]
    shown.canvas.hovered.emit((0, 0))
    qtbot.waitUntil(lambda: "0.5" in shown.readout.text())
    assert "pruned" in shown.readout.text(), "the read-out has the value of the file"
    qtbot.keyClick(shown.canvas, Qt.Key.Key_M)
    assert shown.mode is Mode.MAGNITUDE
    qtbot.waitUntil(lambda: not conv.requests[-1].pruned)


def difference(conv, request):
    rows, columns = conv.values.shape
    change = np.zeros((rows, columns), np.float32)
    change[2, 2], change[2, 3], change[0, 0] = 1.0, -1.0, -0.5
    gone, back, neither = np.zeros((3, rows, columns), np.float32)
    gone[0, 0] = back[0, 2] = neither[3, 4] = 1
    return DifferenceTile(request, conv.layout, change, gone, back, neither, 1.0)


@pytest.fixture
def differing_view(shown, conv, qtbot):
    shown.differenceRequested.connect(
        lambda request: shown.set_difference_tile(difference(conv, request), shown.generation)
    )
    shown.set_difference(f"A Opened → B 3: L1 50 % on {'x' * 60}")
    qtbot.waitUntil(lambda: not shown.stale)
    return shown


def test_a_difference_tells_pruned_restored_and_changed_apart(differing_view, painted):
    view = differing_view
    assert view.mode is Mode.DIFFERENCE
    stops = shading.signed_stops(LIGHT_THEME.colors)
    assert painted(view.canvas, corner(view, 0, 0)) == shading.PRUNED_OVER
    assert painted(view.canvas, corner(view, 2, 2)) == stops[-1]
    assert painted(view.canvas, corner(view, 2, 3)) == stops[0]
    assert painted(view.canvas, corner(view, 5, 5)) == stops[2]
    assert painted(view.canvas, corner(view, 3, 4)) == shading.neither_color(LIGHT_THEME.colors)
    image = view.canvas.grab().toImage()
    start = corner(view, 0, 2)
    found = {image.pixelColor(start + QPoint(x, y)).name() for x in range(12) for y in range(8)}
    assert {LIGHT_THEME.colors["kept"], LIGHT_THEME.colors["surface"]} <= found, "blue, and striped"
    assert view.legend.words() == [
        f"A Opened → B 3: L1 50 % on {'x' * 15}…",
        "−1 … 1",
        "pruned in B only",
        "pruned in A only",
        "pruned in both",
    ]
    assert view.legend.toolTip().endswith("x" * 60)


def test_the_difference_of_a_weight_is_said(differing_view, qtbot):
    for place, words in (
        ((0, 0), "   kept in A, pruned in B"),
        ((0, 2), "   pruned in A, kept in B"),
        ((3, 4), "   pruned in A and B"),
        ((2, 2), "   difference 1"),
        ((5, 5), "   no difference"),
    ):
        differing_view.canvas.hovered.emit(place)
        qtbot.waitUntil(lambda words=words: differing_view.readout.text().endswith(words))


def test_a_difference_has_symmetric_limits_of_its_own(differing_view, painted, qtbot):
    view, bar = differing_view, differing_view.color_bar
    assert bar.limits == ContrastLimits(-1, 1, signed=True)
    bar.setFocus()
    for _ in range(9):
        qtbot.keyClick(bar, Qt.Key.Key_PageUp)
    assert bar.limits.high == -bar.limits.low > 2
    stops = shading.signed_stops(LIGHT_THEME.colors)
    for color_map in COLOR_MAPS:
        view.set_color_map(color_map)
        assert painted(view.canvas, corner(view, 5, 5)) == stops[2]
        assert painted(view.canvas, corner(view, 2, 2)) not in stops
    view.set_mode(Mode.SIGNED)
    qtbot.waitUntil(lambda: not view.stale)
    assert bar.limits == ContrastLimits(-1, 1, signed=True)


def test_without_a_difference_the_choice_is_gone(differing_view, conv, qtbot):
    head = differing_view.numbers().headers
    assert head[-4:] == ("difference", "pruned in B only", "pruned in A only", "pruned in both")
    assert differing_view.modes.mode_box.count() == 5
    many = len(conv.requests)
    differing_view.set_difference(None)
    assert differing_view.mode is Mode.MAGNITUDE
    assert differing_view.modes.mode_box.count() == 4
    qtbot.waitUntil(lambda: len(conv.requests) > many)
    assert differing_view.legend.words()[0] == "0 … 1"


def test_a_coarse_difference_mixes_shares_in_linear_light():
    tables = ColorTables(LIGHT_THEME.colors)
    layout = Layout((4, 4), (0,), (1,), "", "")
    half = np.full((2, 2), 0.5, np.float32)
    none = np.zeros((2, 2), np.float32)
    tile = DifferenceTile(TileRequest("w", 0, 0, 4, 4, 2), layout, none, half, none, half, 1.0)
    style = shading.TileStyle(Mode.DIFFERENCE)
    pixel = int(shading.shade(tile, style, tables)[0, 0]) & 0xFFFFFF
    expected = shading.mix(shading.PRUNED_OVER, shading.neither_color(LIGHT_THEME.colors), 0.5)
    for shift in (16, 8, 0):
        assert abs((pixel >> shift & 255) - (int(expected[1:], 16) >> shift & 255)) <= 1


def test_a_large_part_is_looked_at_first_and_then_read(view, large, qtbot, monkeypatch):
    monkeypatch.setattr(requests, "LARGE", 1 << 20)
    seen = []

    def answer(request):
        large.requests.append(request)
        view.set_tile(large.tile(request))
        seen.append("sampled" if view.canvas.item.fine.sampled else "exact")

    view.tileRequested.connect(answer)
    large.show(view)
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert [r.sampled for r in large.requests] == [True, False]
    assert large.requests[0].pool == large.requests[1].pool > 1
    assert seen == ["sampled", "exact"]
    view.invalidate()
    qtbot.waitUntil(lambda: len(seen) == 4)
    assert [r.sampled for r in large.requests[2:]] == [True, False], "after a change as well"
    view.canvas.zoom(40)
    qtbot.waitUntil(lambda: view._tile_requests.is_complete)
    assert not any(r.sampled for r in large.requests[4:]), "one weight a pixel is exact at once"


def test_a_first_look_says_so(view, large, qtbot, monkeypatch):
    monkeypatch.setattr(requests, "LARGE", 1 << 20)
    view.tileRequested.connect(
        lambda request: view.set_tile(large.tile(request)) if request.sampled else None
    )
    large.show(view)
    qtbot.waitUntil(lambda: view.canvas.item.fine is not None)
    assert view.legend.words()[0] == "sampled"


def test_a_large_part_is_not_read_while_one_moves(view, fill, large, qtbot, monkeypatch):
    monkeypatch.setattr(requests, "LARGE", 1 << 20)
    monkeypatch.setattr(requests, "REST_MS", 500)  # longer than a busy machine needs for a move
    fill(large)
    del large.requests[:]
    for _ in range(8):
        view.canvas.zoom(1.09)
        qtbot.wait(40)
    assert large.requests == [], "the tile of the whole is shown larger"
    qtbot.waitUntil(lambda: view._tile_requests.is_complete)
    assert [request.sampled for request in large.requests] == [False]


def test_of_states_that_pass_a_first_look_is_enough(view, fill, large, qtbot):
    fill(large)
    del large.requests[:]
    for many in range(1, 9):
        view.invalidate(transient=True)
        qtbot.waitUntil(
            lambda many=many: len(large.requests) == many, timeout=requests.REST_MS // 2
        )
    assert all(request.sampled for request in large.requests)
    qtbot.waitUntil(lambda: view._tile_requests.is_complete)
    assert [request.sampled for request in large.requests[8:]] == [False], "the last one stays"


def test_the_whole_is_read_later_if_one_went_near_before_it_was(view, large, qtbot, monkeypatch):
    monkeypatch.setattr(requests, "LARGE", 1 << 20)

    def answer(request):
        large.requests.append(request)
        if request.sampled:
            view.canvas.zoom(40)
        view.set_tile(large.tile(request))

    view.tileRequested.connect(answer)
    large.show(view)
    qtbot.waitUntil(lambda: view._tile_requests.is_complete and not view.canvas.item.coarse.sampled)
    assert large.requests[0].sampled
    assert [r.sampled for r in large.requests[1:]] == [False, False]


def test_the_legend_of_a_tensor_of_zeros_says_so(view, fill, conv):
    """Regression: it was "0 … 1" although no weight is above 0."""
    plain = conv.tile
    conv.tile = lambda request: replace(plain(request), values=0 * plain(request).values)
    fill(conv)
    assert view.legend.words()[0] == "0"
    view.set_mode(Mode.SIGNED)
    assert view.legend.words()[0] == "0"


def test_a_legend_says_where_its_colours_end_and_for_how_many_weights(view, fill, conv, qtbot):
    plain = conv.tile
    conv.tile = lambda request: replace(plain(request), scale=0.12, within=0.999)
    fill(conv)
    assert view.legend.words()[0] == "0 … 0.12, 0.1\u00a0% clipped"
    view.set_mode(Mode.SIGNED)
    assert view.legend.words()[0] == "−0.12 … 0.12, 0.1\u00a0% clipped"
    assert view.legend.toolTip() == (
        "0.1\u00a0% of weights have a magnitude above 0.12. They share the last color."
    )
    conv.tile = lambda request: replace(plain(request), scale=0.12, within=1.0)
    view.invalidate()
    qtbot.waitUntil(lambda: view.legend.words()[0] == "−0.12 … 0.12")


def test_the_channel_of_a_scalar_is_its_only_weight(fill, make_tensor, qtbot):
    """Regression: C raised an IndexError on `num_batches_tracked`, which ended the process."""
    view = fill(make_tensor(layout(()), np.ones(()), np.ones((), np.bool_)))
    put_cursor(view, ())
    for _ in range(2):
        qtbot.keyClick(view.canvas, Qt.Key.Key_C)
        assert view.selection.count(view.canvas.item.layout) == 1
