"""The order of sums: NumPy's result equals that of a loop in plain Python, bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.kernels.kernel import BLOCK
from pruneapp.kernels.summation import RUN, add_across, add_along, cut, join

# Every length of a leaf of the tree and of some levels above it, and about a block.
LENGTHS = [*range(1, 300), 1023, 1024, 1032, 2047, 2056, 4088, *range(4095, BLOCK + 1)]


def sum_of_slice(terms: list[float]) -> float:
    """Add blocks of 4,096 in order, each pairwise: the rule, one addition at a time."""
    total = 0.0
    for start in range(0, len(terms), BLOCK):
        total += sum_of_run(terms[start : start + BLOCK])
    return total


def sum_of_run(terms: list[float]) -> float:
    if len(terms) > 128:
        half = len(terms) // 2
        half -= half % 8
        return sum_of_run(terms[:half]) + sum_of_run(terms[half:])
    total = 0.0
    full = len(terms) - len(terms) % 8
    if full:
        lanes = terms[:8]
        for index in range(8, full):
            lanes[index % 8] += terms[index]
        total = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + (
            (lanes[4] + lanes[5]) + (lanes[6] + lanes[7])
        )
    for term in terms[full:]:
        total += term
    return total


def spread_terms(shape: tuple[int, ...], seed: int = 1) -> np.ndarray:
    """Return positive numbers over sixty powers of two, so that sums depend on the order."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.5, 1, shape) * np.exp2(rng.integers(-30, 31, shape))


@pytest.mark.parametrize("slices", [1, 17])
def test_numpy_adds_by_the_rule(slices):
    """With the calls that are used, to detect a change in NumPy."""
    for length in LENGTHS:
        terms = spread_terms((slices, length + 5))[:, :length]
        expected = [sum_of_slice(row) for row in terms.tolist()]

        assert np.array_equal([expected], add_along(terms)), length
        assert np.array_equal([expected], add_along(np.ascontiguousarray(terms))), length
        assert np.array_equal([expected], add_across(np.ascontiguousarray(terms.T))), length


@pytest.mark.parametrize("slices", [1, 2, 5])
@pytest.mark.parametrize("length", [BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 777], ids=str)
def test_blocks_are_added_each_by_itself(slices, length):
    """So that they can be joined in order."""
    terms = spread_terms((slices, length))
    blocks = [terms[:, first : first + BLOCK].tolist() for first in range(0, length, BLOCK)]
    expected = [[sum_of_run(row) for row in rows] for rows in blocks]

    assert np.array_equal(expected, add_along(terms))
    assert np.array_equal(expected, add_across(np.ascontiguousarray(terms.T)))


@given(
    length=st.integers(1, 3 * BLOCK),
    slices=st.integers(1, 4),
    most=st.sampled_from([RUN, 256, 1024, 2048, BLOCK, 2 * BLOCK]),
    seed=st.integers(0, 1000),
)
def test_slices_can_be_cut_and_joined(length, slices, most, seed):
    """Parts are added separately and give the sums of the whole."""
    terms = spread_terms((length, slices), seed)
    parts = list(cut(length, most))
    assert [start for start, _ in parts] == [0, *(stop for _, stop in parts[:-1])]
    assert parts[-1][1] == length
    assert all(0 < stop - start <= most for start, stop in parts)
    sums = [row for start, stop in parts for row in add_across(terms[start:stop])]
    left = iter([*sums, np.full(slices, np.nan)])
    joined = join(length, most, left)

    assert np.array_equal([sum_of_slice(row) for row in terms.T.tolist()], joined)
    assert len(list(left)) == 1, "no more were taken than are needed"


def test_joining_leaves_the_sums_alone():
    """Also for a single block."""
    sums = np.ones((2, 3))
    assert np.array_equal([2, 2, 2], join(2 * BLOCK, BLOCK, iter(sums)))
    assert np.array_equal(np.ones((2, 3)), sums)


def test_pairwise_sums_are_nearer_to_the_truth():
    """A benefit of the order in addition to speed."""
    terms = np.random.default_rng(3).standard_normal((100, BLOCK)) ** 2
    exact = np.array([math.fsum(row) for row in terms])
    straight = np.add.accumulate(terms, axis=1)[:, -1]

    assert np.abs(add_along(terms)[0] - exact).sum() < np.abs(straight - exact).sum() / 5
