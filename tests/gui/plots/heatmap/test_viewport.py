"""The visible range of a heat map."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.gui.plots.heatmap.canvas import ticks, unravel
from pruneapp.gui.plots.heatmap.viewport import TILE_BUDGET, Viewport, is_view_covered

extents = st.integers(1, 200_000)


@given(extents, extents, st.floats(50, 4000), st.floats(50, 2000), st.floats(1, 3))
def test_all_of_it_can_be_seen_at_first_and_asked_for_in_one_tile(rows, columns, w, h, ratio):
    view = Viewport(rows, columns, w, h).fit()
    left, top, right, bottom = view.visible
    slack = 1e-6 * max(rows, columns)
    assert left <= slack
    assert top <= slack
    assert right >= columns - slack
    assert bottom >= rows - slack
    part = view.request("x", ratio)
    assert (part.row, part.column, part.rows, part.columns) == (0, 0, rows, columns)
    assert -(-part.rows // part.pool) * -(-part.columns // part.pool) <= TILE_BUDGET


@given(extents, extents, st.floats(1.01, 1e6), st.floats(0, 800), st.floats(0, 600))
def test_what_can_be_seen_is_covered_by_what_is_asked_for(rows, columns, factor, x, y):
    view = Viewport(rows, columns, 800, 600).fit().zoom_by(factor, x, y)
    part = view.request("x", 1.0)
    assert is_view_covered(part, view)
    assert part.rows >= 1
    assert part.columns >= 1
    assert part.row + part.rows <= rows
    assert part.column + part.columns <= columns


def test_the_weight_under_the_mouse_stays_there():
    view = Viewport(4096, 4096, 800, 600).fit().zoom_by(50, 300, 200)
    before = view.weight_at(310, 210)
    assert view.zoom_by(3, 310, 210).weight_at(310, 210) == before


def test_a_large_matrix_is_pooled_to_the_screen_and_exact_when_near():
    view = Viewport(32_000, 4_096, 600, 560).fit()
    part = view.request("x", 1.0)
    assert part.pool == 32
    near = view.zoom_by(1e3, 300, 280)
    assert near.request("x", 1.0).pool == 1
    assert near.request("x", 1.0).rows < 1000


def test_twice_as_sharp_a_screen_asks_for_finer_tiles():
    view = Viewport(4096, 4096, 520, 520).fit()
    assert view.request("x", 1.0).pool == 2 * view.request("x", 2.0).pool


def test_a_vector_is_widened_to_a_strip_and_becomes_square_when_near():
    view = Viewport(1, 2048, 600, 500).fit()
    assert view.scale_y == 48
    assert view.scale_x < 1
    near = view.zoom_by(1e6, 300, 250)
    assert near.scale_x == near.scale_y


def test_the_picture_cannot_be_dragged_away():
    view = Viewport(100, 100, 500, 500).fit().zoom_by(4, 250, 250)
    assert (view.pan_by(1e6, 1e6).x, view.pan_by(1e6, 1e6).y) == (0, 0)
    assert view.pan_by(-1e6, 0).x == 100
    assert view.fit().pan_by(50, 50) == view.fit(), "all of it stays in the middle"


def test_resizing_keeps_all_in_sight_or_the_zoom():
    view = Viewport(100, 100, 500, 500).fit()
    assert view.resize(900, 700).is_fitted
    near = view.zoom_by(5, 100, 100)
    assert near.resize(900, 700).zoom == near.zoom


@pytest.mark.parametrize(("row", "column"), [(0, 0), (99, 99), (50, 3)])
def test_a_weight_is_brought_into_sight(row, column):
    view = Viewport(100, 100, 500, 500).fit().zoom_by(8, 250, 250).reveal(row, column)
    left, top, right, bottom = view.visible
    assert left - 1e-6 <= column < right
    assert top - 1e-6 <= row < bottom


def test_ticks_name_blocks_from_afar_and_weights_from_near():
    far = ticks((64, 3), 0, 192, 3.0, (18, 26))
    assert far[:3] == [(1.5, "0"), (13.5, "4"), (25.5, "8")]
    near = ticks((64, 3), 36.2, 39, 40.0, (18, 26))
    assert near == [(36.5, "12, 0"), (37.5, "12, 1"), (38.5, "12, 2")]
    assert ticks((), 0, 1, 40.0, (18, 26)) == []


def test_nested_indices():
    assert unravel((64, 3), 37) == (12, 1)
