"""Sort keys: the order of magnitudes, and random numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.sort_keys import (
    Magnitudes,
    Scores,
    Uniform,
    common_width,
    finite_only,
    splitmix64,
)
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from tests.support.strategies import FLOATS, float_types, kept_bools, raw_bits
from tests.support.tensors import decode_float64, magnitudes, reading

# For seed 7, name "fc.weight", elements 0 to 2.
GOLDEN = ["0x7744dbbd", "0x79f79991", "0x853d6af5"]


def all_keys(ranking) -> np.ndarray:
    return np.concatenate([chunk.keys.copy() for chunk in ranking.keys()])  # noqa: SIM118 - no dict


@given(data=st.data(), dtype=float_types, width=st.sampled_from([8, 16, 32, 64]))
def test_keys_have_the_order_of_the_magnitudes(data, dtype, width):
    """For every dtype and width: smaller, equal and NaN as in float64."""
    bits = data.draw(raw_bits(dtype, 60))
    ranking = Magnitudes(reading(bits, 17), bits.size, dtype, width=width)
    keys = all_keys(ranking)
    values = magnitudes(bits, dtype)
    number = ~np.isnan(values)

    assert ranking.width == 8 * keys.itemsize >= min(width, dtype.bits)
    assert np.array_equal(
        np.unique(values[number], return_inverse=True)[1],
        np.unique(keys[number], return_inverse=True)[1],
    )
    assert (keys[~number] == ranking.nan_key).all()
    assert (keys[number] < ranking.nan_key).all()
    assert (keys[values == 0] == 0).all()


@given(data=st.data(), types=st.sets(float_types, min_size=2, max_size=4))
def test_keys_of_mixed_types_compare(data, types):
    """Conversion is exact: keys are equal if and only if the values are."""
    keys, values = [], []
    for dtype in sorted(types, key=lambda d: d.name):
        bits = data.draw(raw_bits(dtype, 20))
        keys.append(all_keys(Magnitudes(reading(bits), 20, dtype, width=common_width(types))))
        values.append(magnitudes(bits, dtype))
    joined, known = np.concatenate(keys), np.concatenate(values)

    assert len({k.dtype for k in keys}) == 1
    assert np.array_equal(
        np.unique(known, return_inverse=True)[1], np.unique(joined, return_inverse=True)[1]
    )


@pytest.mark.parametrize("dtype", [d for d in FLOATS if d.bits <= 16], ids=lambda d: d.name)
@pytest.mark.parametrize("width", [8, 32, 64])
def test_every_pattern_of_a_small_type_is_ranked(dtype, width):
    bits = np.arange(1 << dtype.bits, dtype=dtype.storage)
    keys = all_keys(Magnitudes(reading(bits), bits.size, dtype, width=width))
    values = magnitudes(bits, dtype)

    assert np.array_equal(
        np.unique(values, return_inverse=True)[1], np.unique(keys, return_inverse=True)[1]
    )


def test_types_that_cannot_be_pruned_have_no_rank():
    with pytest.raises(ValueError, match="int32"):
        Magnitudes(reading(np.zeros(3, np.uint32)), 3, DTYPES["I32"])


def test_splitmix64_gives_the_published_numbers():
    """The first outputs from state 0, as published with the reference code."""
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]

    assert expected == splitmix64(0, 0, 3).tolist()
    assert expected[1:] == splitmix64(0, 1, 3).tolist()


def test_random_keys_depend_on_seed_name_and_index_alone():
    """Independent of the size; they must never change, because masks are recomputed from them."""
    keys = all_keys(Uniform(7, "fc.weight", 300_000))

    assert np.array_equal(keys[:1000], all_keys(Uniform(7, "fc.weight", 1000)))
    assert not np.array_equal(keys[:1000], all_keys(Uniform(8, "fc.weight", 1000)))
    assert not np.array_equal(keys[:1000], all_keys(Uniform(7, "fc.bias", 1000)))
    assert [hex(k) for k in keys[:3].tolist()] == GOLDEN


def test_random_keys_are_uniform():
    """Mean and histogram are within five sigma."""
    keys = all_keys(Uniform(1, "w", 200_000)).astype(np.float64) / 2**32
    counts = np.histogram(keys, bins=64, range=(0, 1))[0]

    assert abs(keys.mean() - 0.5) < 5 * np.sqrt(1 / 12 / keys.size)
    assert np.abs(counts - keys.size / 64).max() < 5 * np.sqrt(keys.size / 64)


# Scores in float64 are ranked by their bits, for any chunks


def by_place(start, sizes, scores):
    """Divide by a function of the flat index, which sometimes gives NaN for 0."""
    places = np.arange(start, start + scores.size) % 5
    np.divide(sizes, places, out=scores)


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
