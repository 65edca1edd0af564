"""Layouts: positions of elements, and the elements of a rectangle."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis.layout import column_offsets, layout, row_offsets
from pruneapp.analysis.tiles import TileRequest, tile
from pruneapp.document.snapshot import Snapshot
from pruneapp.progress import Job
from tests.support.memory_checkpoint import MemoryCheckpoint


@st.composite
def layouts(draw):
    """Draw a layout: the default one, a vector in lines, or two dimensions of many."""
    shape = draw(st.lists(st.integers(1, 5), max_size=5).map(tuple))
    if draw(st.booleans()):
        return layout(draw(st.sampled_from([(12, 1, 3, 3), (8, 2, 5), (16, 1, 2, 2, 3)])))
    if len(shape) < 2 or draw(st.booleans()):
        vector = draw(st.sampled_from([(12,), (17,), (30,), shape]))
        return layout(vector if len(shape) == 1 else shape)
    down, across = draw(st.permutations(range(len(shape))))[:2]
    fixed = tuple(draw(st.integers(0, extent - 1)) for extent in shape)
    return layout(shape, "", (down, across), fixed)


@given(data=st.data())
def test_boxes_are_the_elements_of_the_rectangle_each_once(data):
    of = data.draw(layouts())
    top, bottom = sorted(data.draw(st.integers(-2, of.rows + 2)) for _ in range(2))
    left, right = sorted(data.draw(st.integers(-2, of.columns + 2)) for _ in range(2))
    found = np.zeros(of.shape, int)
    boxes = of.boxes((top, bottom), (left, right))
    for box in boxes:
        found[tuple(slice(*part) for part in box)] += 1
    expected = np.zeros(of.shape, int)
    rows = range(max(top, 0), min(bottom, of.rows))
    for row, column in itertools.product(rows, range(max(left, 0), min(right, of.columns))):
        expected[of.index(row, column)] += 1
    np.testing.assert_array_equal(found, expected)
    down, across = max(1, len(of.row_dims)), max(1, len(of.column_dims))
    most = (2 * down - 1) * (2 * across - 1)
    if of.wrap:  # a box per line
        most = (bottom - top) * (2 * across + 1)
    assert len(boxes) <= most


def test_boxes_are_few():
    conv = layout((64, 32, 3, 3), "Conv2d")
    assert conv.boxes((36, 39), (0, 96)) == (((12, 13), (0, 32), (0, 3), (0, 3)),)
    assert conv.boxes((0, 192), (9, 12)) == (((0, 64), (3, 4), (0, 3), (0, 3)),)
    assert conv.boxes((37, 38), (9, 10)) == (((12, 13), (3, 4), (1, 2), (0, 1)),)
    vector = layout((768,))
    assert vector.boxes((3, 5), (0, 32)) == (((96, 160),),)
    assert layout(()).boxes((0, 1), (0, 1)) == ((),)


def test_a_strip_of_kernels_is_a_mosaic():
    """The 64 kernels of a depthwise convolution are 8 × 8 squares, not a strip of 192 × 3."""
    depthwise = layout((64, 1, 3, 3), "Conv2d")
    assert (depthwise.rows, depthwise.columns, depthwise.wrap) == (24, 24, 8)
    assert depthwise.index(3, 4) == (9, 0, 0, 1)
    assert depthwise.row_label == "output channel × kernel row"
    assert depthwise.column_label == "output channel × kernel column"
    first = layout((64, 3, 7, 7), "Conv2d")
    assert (first.rows, first.columns, first.wrap) == (112, 84, 4)
    assert first.column_label == "output channel × input channel × kernel column"
    assert layout((64, 64, 3, 3), "Conv2d").wrap == 0
    assert layout((512, 16, 1, 1), "Conv2d").wrap == 0, "no kernels: a matrix"
    assert layout((64, 1, 3, 3), "Conv2d", (0, 2)).wrap == 0, "a plane"


@given(of=layouts())
def test_places_offsets_and_indices_agree(of):
    rows, columns = row_offsets(of, np.arange(of.rows)), column_offsets(of, np.arange(of.columns))
    assert (np.diff(rows) > 0).all()
    assert (np.diff(columns) > 0).all()
    for row, column in itertools.product(range(of.rows), range(of.columns)):
        index = of.index(row, column)
        assert of.place(index) == (row, column)
        assert int(np.ravel_multi_index(index, of.shape)) == rows[row] + columns[column]


def test_any_two_dimensions_of_a_tensor_are_a_picture():
    array = np.random.default_rng(0).normal(size=(4, 5, 6, 3)).astype(np.float32)
    snapshot = Snapshot(MemoryCheckpoint({"w": array}))
    request = TileRequest("w", 0, 0, 99, 99, 1, axes=(2, 0), fixed=(9, 4, 9, 1))
    got = tile(snapshot, request, None, Job())
    np.testing.assert_array_equal(got.values, array[:, 4, :, 1].T)
    assert got.layout.index(3, 2) == (2, 4, 3, 1)
    assert got.layout.note == "dim 1 4, dim 3 1"


def test_names_are_short_in_an_index():
    assert layout((4, 3, 2, 2), "Conv2d").dims == ("out", "in", "", "")
    assert layout((4, 3), "Linear").dims == ("out", "in")
    assert layout((4, 3), "Embedding").dims == ("entry", "feature")
    assert layout((4, 3)).dims == ("", "")
    assert layout((4, 3, 2), "Conv1d", (2, 0)).row_label == "kernel position"


@pytest.mark.parametrize(
    ("axes", "fixed"),
    [((0, 0), ()), ((0, 3), ()), ((-1, 0), ()), ((0, 1), (0, 0)), ((0, 1), (0, 0, 5))],
)
def test_axes_that_there_are_not_are_refused(axes, fixed):
    with pytest.raises(ValueError, match=r"axes|no element"):
        layout((2, 3, 4), "", axes, fixed)
