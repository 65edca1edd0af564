"""Boxes of indices as packed bits, compared with plain arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.masks.bitmask import BitMask, ones
from pruneapp.masks.regions import Region, region_of_boxes
from pruneapp.progress import Cancelled, CancelToken, Job


def unpacked(region: Region, shape: tuple[int, ...]) -> np.ndarray:
    size = int(np.prod(shape))
    packed = np.zeros((size + 7) // 8, np.uint8)
    packed[region.place] = region.packed
    assert ones(packed) == ones(region.packed)
    return BitMask(packed, size).bools().reshape(shape)


@st.composite
def shapes_and_boxes(draw):
    shape = tuple(draw(st.lists(st.integers(1, 40), min_size=0, max_size=4)))
    boxes = draw(
        st.lists(
            st.tuples(
                *(
                    st.tuples(st.integers(0, n - 1), st.integers(1, n)).map(
                        lambda pair: (min(pair[0], pair[1] - 1), max(pair[0] + 1, pair[1]))
                    )
                    for n in shape
                )
            ),
            min_size=1,
            max_size=6,
        )
    )
    return shape, boxes


@given(shapes_and_boxes())
def test_a_region_is_the_union_of_its_boxes_and_nothing_else(case):
    shape, boxes = case
    expected = np.zeros(shape, bool)
    for box in boxes:
        expected[tuple(slice(*span) for span in box)] = True
    region = region_of_boxes(shape, boxes, Job())
    np.testing.assert_array_equal(unpacked(region, shape), expected)


@pytest.mark.parametrize("length", [1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 511, 520, 521, 4096, 5000])
@pytest.mark.parametrize("start", [0, 1, 7, 8, 13])
def test_runs_of_every_length_and_place(length, start):
    shape = (3, 5100)
    region = region_of_boxes(shape, [((1, 3), (start, start + length))], Job())
    expected = np.zeros(shape, bool)
    expected[1:, start : start + length] = True
    np.testing.assert_array_equal(unpacked(region, shape), expected)


def test_a_column_of_more_runs_than_are_set_at_once():
    shape = (40_000, 3)
    region = region_of_boxes(shape, [((5, 39_999), (1, 2)), ((0, 1), (0, 3))], Job())
    expected = np.zeros(shape, bool)
    expected[5:39_999, 1] = expected[0] = True
    np.testing.assert_array_equal(unpacked(region, shape), expected)


def test_a_region_holds_no_more_than_the_stretch_that_it_covers():
    region = region_of_boxes((32_000, 4_096), [((12_345, 12_346), (0, 4_096))], Job())
    assert (region.first, region.packed.size, ones(region.packed)) == (12_345 * 512, 512, 4_096)


@pytest.mark.parametrize(
    "box",
    [((0, 4), (0, 5)), ((-1, 2), (0, 5)), ((2, 2), (0, 5)), ((0, 1),), ((0, 1), (0, 5), (0, 1))],
)
def test_boxes_outside_of_the_shape_and_empty_ones_are_refused(box):
    with pytest.raises(ValueError, match="box"):
        region_of_boxes((3, 5), [box], Job())


def test_it_can_be_cancelled():
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        region_of_boxes((3, 5), [((0, 1), (0, 1))], Job(cancel=token))
