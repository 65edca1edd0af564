"""Drawn selections cover exactly the intended weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pruneapp.analysis.layout import layout
from pruneapp.gui.plots.heatmap.drawing_tools import Rect, Stroke, WeightSelection, select_between

CONV = layout((6, 5, 3, 2), "Conv2d")
LAYOUTS = [
    CONV,
    layout((40, 30), "Linear"),
    layout((36,)),
    layout((17,)),
    layout((4, 5, 6), "", (2, 0), (0, 3, 0)),
]


def elements(of, selection) -> np.ndarray:
    """Return how many boxes contain each element of the tensor."""
    found = np.zeros(of.shape, int)
    for box in selection.boxes(of):
        found[tuple(slice(*part) for part in box)] += 1
    return found


def seen(of, selection) -> np.ndarray:
    """Return how often each weight of the heat map is painted."""
    found = np.zeros((of.rows, of.columns), int)
    for rect in selection.visible_rects(of, Rect(0, 0, of.rows, of.columns)):
        found[rect.top : rect.bottom, rect.left : rect.right] += 1
    return found


def agree(of, selection) -> None:
    """Assert that the same weights are painted, counted and selected, each once."""
    boxes, painted = elements(of, selection), seen(of, selection)
    assert boxes.max() == 1
    assert painted.max() <= 1
    for row in range(of.rows):
        for column in range(of.columns):
            assert boxes[of.index(row, column)] == painted[row, column]
    assert selection.count(of) == boxes.sum()


places = st.tuples(st.floats(0, 0.999), st.floats(0, 0.999))


def at(of, place):
    return int(place[0] * of.rows), int(place[1] * of.columns)


@settings(deadline=None, max_examples=60)
@given(data=st.data(), of=st.sampled_from(LAYOUTS))
def test_what_is_painted_is_what_is_meant(data, of):
    shape = data.draw(st.sampled_from(["rectangle", "row", "column", "channel"]))
    dim = data.draw(st.integers(0, len(of.shape) - 1))
    selection = None
    for _ in range(data.draw(st.integers(1, 4))):
        more = select_between(shape, of, at(of, data.draw(places)), at(of, data.draw(places)), dim)
        selection = more if selection is None else selection.union(more)
        agree(of, selection)


@settings(deadline=None, max_examples=40)
@given(data=st.data(), of=st.sampled_from(LAYOUTS), size=st.sampled_from([1, 3, 5, 9]))
def test_a_stroke_is_the_brush_at_every_weight_of_the_way(data, of, size):
    expected = np.zeros((of.rows, of.columns), bool)
    selection = None
    for _ in range(data.draw(st.integers(1, 2))):
        stroke, last = Stroke(of, size, selection), None
        for _ in range(data.draw(st.integers(1, 4))):
            here = at(of, data.draw(places))
            line = stroke.extend_to(here)
            start = last or here
            steps = max(abs(here[0] - start[0]), abs(here[1] - start[1]), 1)
            for step in range(steps + 1):
                r, c = (round(a + (b - a) * step / steps) for a, b in zip(start, here, strict=True))
                half = size // 2
                expected[max(r - half, 0) : r + half + 1, max(c - half, 0) : c + half + 1] = True
            last = here
            agree(of, line)
        selection = stroke.finish()
        assert selection.count(of) == line.count(of)
    np.testing.assert_array_equal(seen(of, selection), expected)
    agree(of, selection)


def test_a_channel_of_a_convolution_is_one_box():
    selection = select_between("channel", CONV, (7, 0), (7, 9), dim=0)
    assert selection == WeightSelection("channel", dim=0, channels=((2, 3),))
    assert selection.boxes(CONV) == (((2, 3), (0, 5), (0, 3), (0, 2)),)
    assert selection.count(CONV) == math.prod(CONV.shape) // 6


def test_a_channel_is_whole_where_only_a_plane_is_seen():
    plane = layout((4, 5, 6), "", (2, 0), (0, 3, 0))
    selection = select_between("channel", plane, (1, 1), (1, 1), dim=0)
    assert selection.boxes(plane) == (((1, 2), (0, 5), (0, 6)),)
    assert list(selection.visible_rects(plane, Rect(0, 0, 6, 4))) == [Rect(0, 1, 6, 2)]
    beside = select_between("channel", plane, (1, 1), (1, 1), dim=1)
    assert beside.channels == ((3, 4),)
    assert list(beside.visible_rects(plane, Rect(0, 0, 6, 4))) == [Rect(0, 0, 6, 4)]


def test_another_kind_of_selection_takes_over():
    rows = select_between("row", CONV, (0, 0), (1, 0))
    columns = select_between("column", CONV, (0, 0), (1, 0))
    assert rows.union(columns) is columns


@pytest.mark.parametrize("size", [1, 9])
def test_a_long_stroke_is_drawn_quickly_and_has_few_rectangles(size):
    of = layout((20_000, 20_000), "Linear")
    stroke = Stroke(of, size)
    stroke.extend_to((0, 0))
    found = stroke.extend_to((19_999, 19_999))
    assert found.count(of) >= 20_000 * size
    straight = Stroke(of, size)
    straight.extend_to((100, 0))
    straight.extend_to((100, 19_999))
    assert straight.finish().rects == (Rect(100 - size // 2, 0, 101 + size // 2, 20_000),)
