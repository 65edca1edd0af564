"""Thresholds over histograms of several tensors, compared with sorted arrays."""

from __future__ import annotations

import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis.histograms import MagnitudeHistogram, bin_shift, bin_values
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.preview import cumulative
from pruneapp.preview.cumulative import CumulativeTable

# A few magnitudes that every one of these dtypes represents, so that there are ties within and
# among tensors.
POOL = np.array([0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf, math.nan])
NARROW = [DTYPES[name] for name in ("F16", "BF16", "F8_E5M2")]
WIDE = [DTYPES[name] for name in ("F32", "F64")]


def counted(magnitudes, dtype) -> MagnitudeHistogram:
    """Count magnitudes with NumPy."""
    real = magnitudes[~np.isnan(magnitudes)]
    places = np.searchsorted(bin_values(dtype)[:-1], real, "right") - 1
    bins, counts = np.unique(places, return_counts=True)
    sizes = squares = None
    if bin_shift(dtype):
        finite = np.where(np.isinf(real), 0.0, real)
        sizes = np.array([finite[places == b].sum() for b in bins])
        squares = np.array([(finite[places == b] ** 2).sum() for b in bins])
    nan, zeros = int(np.isnan(magnitudes).sum()), int((magnitudes == 0).sum())
    return MagnitudeHistogram(
        bins.astype(np.uint16), counts.astype(np.int64), squares, sizes, nan, zeros, (1.0, 2.0)
    )


def drawn(seed, kinds, most=4):
    """Return some tensors, maybe empty: magnitudes, dtypes, and their cumulative table."""
    rng = np.random.default_rng(seed)
    tensors, dtypes = [], []
    for _ in range(rng.integers(1, most + 1)):
        dtype = kinds[rng.integers(len(kinds))]
        size = int(rng.choice([0, 1, 3, 12]))
        some = POOL[rng.integers(0, POOL.size, size)]
        if bin_shift(dtype):  # several magnitudes in a bin
            some = np.where(rng.random(size) < 0.5, some * (1 + rng.random(size) * 2**-9), some)
            if dtype.bits == 32:
                some = some.astype(np.float32).astype(np.float64)
        tensors.append(some)
        dtypes.append(dtype)
    each = [counted(*c) for c in zip(tensors, dtypes, strict=True)]
    # As arrays side by side, or separately.
    with patch.object(cumulative, "_SIDE_BY_SIDE", int(rng.choice([1, 2, 16]))):
        return tensors, dtypes, CumulativeTable(each, dtypes)


def some_gone(rng, tensors):
    """Return the number pruned of each: often none, or all."""
    return np.array(
        [int(rng.choice([0, t.size, rng.integers(0, t.size + 1)])) for t in tensors], np.int64
    )


@given(
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.sampled_from([*POOL.tolist(), -1.0]) | st.floats(0, 4),
)
def test_below_a_threshold_lies_what_does_of_each_tensor(seed, wide, threshold):
    tensors, dtypes, columns = drawn(seed, NARROW + WIDE if wide else NARROW)
    each = [counted(*c).count_up_to(threshold, c[1]) for c in zip(tensors, dtypes, strict=True)]
    rounded = len(tensors) if any(map(bin_shift, dtypes)) else 0  # each is rounded to an integer
    assert abs(columns.count_up_to(threshold) - sum(each)) <= rounded


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_totals_are_those_of_all_weights(seed, wide):
    tensors, _, columns = drawn(seed, NARROW + WIDE if wide else NARROW)
    assert columns.nan.tolist() == [np.isnan(t).sum() for t in tensors]
    assert columns.finite.tolist() == [(~np.isnan(t)).sum() for t in tensors]
    assert (columns.nan + columns.finite).tolist() == [t.size for t in tensors]
    finite = [t[np.isfinite(t)] for t in tensors]
    np.testing.assert_allclose(columns.squares, [np.sum(t**2) for t in finite], rtol=1e-12)
    np.testing.assert_allclose(columns.sizes, [np.sum(t) for t in finite], rtol=1e-12)
    assert columns.protected_squares.tolist() == [1.0] * len(tensors)
    assert columns.protected_sizes.tolist() == [2.0] * len(tensors)


@given(st.integers(0, 2**32 - 1))
def test_of_narrow_types_a_cut_is_exact(seed):
    tensors, _, columns = drawn(seed, NARROW)
    gone = some_gone(np.random.default_rng(seed + 1), tensors)
    cut = columns.cut(gone)
    assert cut.exact
    for i, (magnitudes, count) in enumerate(zip(tensors, gone, strict=True)):
        real = np.sort(magnitudes[~np.isnan(magnitudes)])[:count]
        last = real[-1] if real.size and np.isfinite(real[-1]) else math.nan
        assert cut.thresholds[i] == last or (math.isnan(last) and math.isnan(cut.thresholds[i]))
        finite = real[np.isfinite(real)]
        assert cut.sizes[i] == finite.sum()
        assert cut.squares[i] == (finite**2).sum()


@given(st.integers(0, 2**32 - 1))
def test_within_a_bin_of_wide_types_a_cut_goes_evenly(seed):
    tensors, dtypes, columns = drawn(seed, NARROW + WIDE)
    gone = some_gone(np.random.default_rng(seed + 1), tensors)
    cut = columns.cut(gone)
    touched = gone > 0
    assert cut.exact == (
        not any(map(bin_shift, dtypes)) or not (touched & (columns.finite > 0)).any()
    )
    for i, (magnitudes, dtype, most) in enumerate(zip(tensors, dtypes, gone, strict=True)):
        edges = bin_values(dtype)
        real = np.sort(magnitudes[~np.isnan(magnitudes)])
        count = min(int(most), real.size)
        if not count:
            assert math.isnan(cut.thresholds[i])
            assert cut.squares[i] == cut.sizes[i] == 0
            continue
        places = np.searchsorted(edges[:-1], real, "right") - 1
        place = places[count - 1]
        below, inside = places < place, places == place
        share = (count - below.sum()) / inside.sum()
        low, high = edges[place], edges[place + 1]
        if bin_shift(dtype) and np.isfinite(high):
            low += share * (high - low)
        np.testing.assert_allclose(cut.thresholds[i], low if np.isfinite(low) else math.nan)
        weights = np.where(np.isinf(real), 0.0, real)
        for got, terms in ((cut.sizes[i], weights), (cut.squares[i], weights**2)):
            expected = terms[below].sum() + share * terms[inside].sum()
            assert got == pytest.approx(expected, rel=1e-9, abs=1e-12)


def chosen(rng, tensors):
    """Return a random selection of tensors."""
    return np.ones(len(tensors), bool) if rng.random() < 0.4 else rng.random(len(tensors)) < 0.6


@given(st.integers(0, 2**32 - 1))
def test_the_smallest_of_all_tensors_go_the_first_first(seed):
    tensors, _, columns = drawn(seed, NARROW)
    rng = np.random.default_rng(seed + 1)
    among = chosen(rng, tensors)
    there = [i for i in range(len(tensors)) if among[i]]
    order = sorted(
        (math.isnan(m), 0.0 if math.isnan(m) else m, i) for i in there for m in tensors[i]
    )
    for count in {0, len(order), int(rng.integers(0, len(order) + 1))}:
        expected = [sum(i == k for _, _, i in order[:count]) for k in range(len(tensors))]
        assert columns.shares(among, count).tolist() == expected


@given(st.integers(0, 2**32 - 1))
def test_of_a_bin_of_several_magnitudes_all_tensors_lose_the_same_share(seed):
    tensors, dtypes, columns = drawn(seed, NARROW + WIDE)
    rng = np.random.default_rng(seed + 1)
    among = chosen(rng, tensors)
    lows = []  # the smallest magnitude in the bin of each weight; NaN after all
    for i, (magnitudes, dtype) in enumerate(zip(tensors, dtypes, strict=True)):
        if among[i]:
            edges = bin_values(dtype)[:-1]
            real = magnitudes[~np.isnan(magnitudes)]
            lows += [(low, i) for low in edges[np.searchsorted(edges, real, "right") - 1]]
    count = int(rng.integers(0, len(lows) + 1))
    got = columns.shares(among, count)
    assert got.sum() == count
    if count in {0, len(lows)} or not any(map(bin_shift, dtypes)):
        return
    cut = sorted(low for low, _ in lows)[count]
    below, equal = (
        np.array([sum(same(low) and i == k for low, i in lows) for k in range(len(tensors))])
        for same in (lambda low: low < cut, lambda low: low == cut)
    )
    left = count - below.sum()
    assert ((got >= below) & (got <= below + equal)).all()
    assert (np.abs(got - below - equal * left / equal.sum()) <= 1).all()


def columns_of(dtype, *tensors):
    return CumulativeTable([counted(np.array(t), dtype) for t in tensors], [dtype] * len(tensors))


def test_nan_go_last_and_of_chosen_tensors_alone():
    columns = columns_of(NARROW[0], [math.nan], [math.nan, 1.0], [math.nan, 2.0])
    among = np.array([False, True, True])
    assert columns.shares(among, 3).tolist() == [0, 2, 1]
    assert columns.shares(among, 4).tolist() == [0, 2, 2]
    assert columns.shares(np.ones(3, bool), 4).tolist() == [1, 2, 1]


def test_equal_weights_of_wide_types_go_alike_and_of_narrow_ones_the_first_first():
    halves = [[1.0] * 100, [1.0] * 300]
    assert columns_of(WIDE[0], *halves).shares(np.ones(2, bool), 100).tolist() == [25, 75]
    assert columns_of(NARROW[0], *halves).shares(np.ones(2, bool), 100).tolist() == [100, 0]


@pytest.mark.filterwarnings("ignore:overflow")
def test_sums_beyond_float64_are_infinite_and_not_lost():
    columns = columns_of(WIDE[1], [1.0, 1e200, 1e250])
    for gone in (2, 3):
        cut = columns.cut(np.array([gone]))
        assert cut.squares[0] == math.inf
        assert math.isfinite(cut.sizes[0])
