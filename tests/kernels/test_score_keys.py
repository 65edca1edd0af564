"""Scores in float64 are ranked by their bits, whatever the chunks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.sort_keys import Scores, finite_only
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from tests.strategies import FLOATS, float_types, kept_bools, raw_bits
from tests.tensors import decode_float64, reading


def by_place(start, scores):
    """Depends on the flat index, and makes NaN of 0 now and then."""
    places = np.arange(start, start + scores.size) % 5
    np.divide(scores, places, out=scores)


def joined(chunks):
    return np.concatenate([chunk.keys.copy() for chunk in chunks])


@given(st.data())
def test_the_order_of_the_keys_is_that_of_the_scores(data):
    dtype = data.draw(float_types)
    size = data.draw(st.integers(1, 60))
    bits = data.draw(raw_bits(dtype, size))
    with np.errstate(all="ignore"):
        scores = np.abs(decode_float64(bits, dtype)) / (np.arange(size) % 5)
    expected = np.argsort(scores, kind="stable")
    for chunk in (1, 7, 100):
        ranking = Scores(reading(bits, chunk), size, dtype, None, by_place)
        keys = joined(ranking.keys())
        assert keys.dtype == np.uint64
        assert np.array_equal(np.argsort(keys, kind="stable"), expected)
        assert np.array_equal(keys[size // 3 :], joined(ranking.keys(size // 3, size)))
        assert len(set(keys[np.isnan(scores)].tolist())) <= 1


@given(st.data())
def test_a_kernel_cuts_them(data):
    dtype = data.draw(float_types)
    size = data.draw(st.integers(2, 60))
    bits = data.draw(raw_bits(dtype, size))
    kept = data.draw(kept_bools(size))
    there = np.ones(size, bool) if kept is None else kept
    mask = None if kept is None else BitMask.from_bools(kept)
    count = round(there.sum() / 2)
    if not count:
        return
    ranking = Scores(reading(bits, 11), size, dtype, mask, by_place)
    (found,) = CpuKernel().prune([ranking], count, Job())
    with np.errstate(all="ignore"):
        scores = np.abs(decode_float64(bits, dtype)) / (np.arange(size) % 5)
    order = np.flatnonzero(there)[np.argsort(scores[there], kind="stable")]
    stays = there.copy()
    stays[order[:count]] = False
    assert np.array_equal(found.bools(), stays)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.name)
@given(data=st.data())
def test_what_is_no_number_reads_as_zero(dtype, data):
    bits = data.draw(raw_bits(dtype, 30))
    values = decode_float64(bits, dtype)
    read = finite_only(reading(bits, 7), dtype)
    found = np.concatenate([decode_float64(c.bits.copy(), dtype) for c in read(3, 20)])
    assert np.array_equal(found, np.where(np.isfinite(values), values, 0)[3:20])
    assert DTYPES[dtype.name] is dtype
