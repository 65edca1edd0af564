"""Norms retained since opening, from histograms only, compared with NumPy."""

from __future__ import annotations

import gc
from dataclasses import replace

import ml_dtypes  # noqa: F401 - numpy learns the names of its types
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis import histogram_store
from pruneapp.analysis.sparsity_report import TensorSparsity
from pruneapp.document.snapshot import Snapshot, StateCache
from pruneapp.edits.repaired_values import as_values
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.preview.from_histograms import (
    add_since_opening,
    has_unknown_factors,
    report_since_opening,
)
from pruneapp.progress import Job
from tests.support.memory_checkpoint import MemoryCheckpoint


def count(state, names):
    for wanted in histogram_store.missing_magnitudes(state, names):
        histogram_store.count(state, wanted, Job())


def squares(array, kept):
    values = array.astype(np.float64)
    return np.square(values[kept & np.isfinite(values)]).sum()


def sizes(array, kept):
    values = array.astype(np.float64)
    return np.abs(values[kept & np.isfinite(values)]).sum()


@given(
    dtype=st.sampled_from(["float64", "float32", "float16", "bfloat16"]),
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=4),
    seed=st.integers(0, 99),
    odd=st.booleans(),
    large=st.booleans(),
)
def test_it_is_the_share_of_the_sums(dtype, shares, seed, odd, large):
    rng = np.random.default_rng(seed)
    size = 5000 if large else 40
    arrays = {f"w{i}": rng.standard_normal(size).astype(dtype) for i in range(len(shares))}
    if odd:
        arrays["w0"][:4] = [np.nan, np.inf, 0, -np.inf]
    kept = {name: rng.random(size) < share for name, share in zip(arrays, shares, strict=True)}
    opened = Snapshot(MemoryCheckpoint(arrays, chunk=64))
    masks = MaskSet({name: BitMask.from_bools(bools) for name, bools in kept.items()})
    protected = MaskSet({"w0": BitMask.from_bools(kept["w0"] & (rng.random(size) < 0.5))})
    now = Snapshot(opened.checkpoint, MaskLayers(masks, protected=protected), cache=opened.cache)
    assert report_since_opening(opened, now, Job()).norm_retained is None, "nothing is counted"
    count(opened, arrays)
    assert report_since_opening(opened, opened, Job()).norm_retained == 1.0
    assert report_since_opening(opened, now, Job()).tensors[0].norm_retained is None
    count(now, arrays)
    found = report_since_opening(opened, now, Job())
    whole = np.ones(size, bool)
    before = [squares(array, whole) for array in arrays.values()]
    after = [squares(array, kept[name]) for name, array in arrays.items()]
    assert [t.norm_retained for t in found.tensors] == pytest.approx(
        np.divide(after, before), rel=1e-6
    )
    assert found.norm_retained == pytest.approx(sum(after) / sum(before), rel=1e-6)
    before = [sizes(array, whole) for array in arrays.values()]
    after = [sizes(array, kept[name]) for name, array in arrays.items()]
    shares = np.divide(after, before)
    assert [t.l1_retained for t in found.tensors] == pytest.approx(shares, rel=1e-6)
    assert found.l1_retained == pytest.approx(sum(after) / sum(before), rel=1e-6)
    assert found.after == sum(t.after for t in found.tensors) == sum(masks.pruned(n) for n in masks)


def test_what_was_never_there_is_not_lost():
    state = Snapshot(MemoryCheckpoint({"w": np.zeros(20, np.float32)}))
    count(state, ["w"])
    (found,) = report_since_opening(state, state, Job()).tensors
    assert (found.norm_retained, found.l1_retained) == (1.0, 1.0)


def test_zeros_that_are_pruned_lose_nothing():
    """Regression: the order of summation differed, and the result was "> 99.9 %"."""
    rng = np.random.default_rng(3)
    arrays = {f"w{i}": rng.standard_normal(70_001).astype(np.float32) for i in range(7)}
    kept = {name: rng.random(array.size) < 0.7 for name, array in arrays.items()}
    for name, array in arrays.items():
        array[~kept[name]] = 0
    opened = Snapshot(MemoryCheckpoint(arrays, chunk=4096))
    masks = MaskSet({name: BitMask.from_bools(bools) for name, bools in kept.items()})
    now = Snapshot(opened.checkpoint, MaskLayers(masks), cache=opened.cache)
    count(opened, arrays)
    count(now, arrays)
    found = report_since_opening(opened, now, Job())
    assert (found.norm_retained, found.l1_retained) == (1.0, 1.0)
    assert {(t.norm_retained, t.l1_retained) for t in found.tensors} == {(1.0, 1.0)}


@pytest.mark.parametrize("before", [True, False])
def test_a_repair_changes_nothing_of_it(before):
    """Regression: it was 400 % after a repair that doubled the kept weights."""
    array = np.arange(1, 21, dtype="f4")
    opened = Snapshot(MemoryCheckpoint({"w": array}))
    masks = MaskSet({"w": BitMask.from_bools(np.arange(20) < 10)})
    pruned = Snapshot(opened.checkpoint, MaskLayers(masks), cache=opened.cache)
    repaired = pruned.with_masks({"values": {"w": as_values((2 * array).view("u4"))}})
    for state in (opened, *[pruned] * before, repaired):
        count(state, ["w"])
        for wanted in histogram_store.missing_sums(state, ["w"], Job()):
            histogram_store.measure(state, wanted, Job())
        assert not histogram_store.missing_sums(state, ["w"], Job())
    found = report_since_opening(opened, repaired, Job())
    expected = np.square(array[:10]).sum() / np.square(array).sum(), array[:10].sum() / array.sum()
    assert (found.norm_retained, found.l1_retained) == pytest.approx(expected)
    counted = histogram_store.magnitudes(repaired, "w")
    assert counted.sums(repaired.entry("w").dtype)[1] == 2 * array[:10].sum(), "as it is now"
    assert found.repaired == {"w": pytest.approx(4)}
    assert not found.dangers, "13 % of the norm is left, but 54 % with the new values"
    assert replace(found, repaired={}).dangers
    step = replace(found, tensors=(TensorSparsity("w", 20, 10, 15, 0.95),), repaired={})
    assert not add_since_opening(step, repaired).dangers
    step = replace(found, tensors=(TensorSparsity("w", 20, 10, 15, 0.9),), repaired={})
    assert add_since_opening(step, repaired).dangers["w"].retained == pytest.approx(0.483, abs=1e-3)


def test_the_mark_stays_until_the_norm_of_repaired_values_is_counted():
    array = np.arange(1, 21, dtype="f4")
    opened = Snapshot(MemoryCheckpoint({"w": array}))
    masks = MaskSet({"w": BitMask.from_bools(np.arange(20) < 10)})
    pruned = Snapshot(opened.checkpoint, MaskLayers(masks), cache=opened.cache)
    for state in (opened, pruned):
        count(state, ["w"])
    repaired = pruned.with_masks({"values": {"w": as_values((2 * array).view("u4"))}})
    for wanted in histogram_store.missing_sums(repaired, ["w"], Job()):
        histogram_store.measure(repaired, wanted, Job())
    found = report_since_opening(opened, repaired, Job())
    assert has_unknown_factors(found)
    assert found.dangers["w"].repaired
    count(repaired, ["w"])
    assert not report_since_opening(opened, repaired, Job()).dangers


def test_beyond_float64_nothing_is_said():
    state = Snapshot(MemoryCheckpoint({"w": np.full(20, 1e200)}))
    count(state, ["w"])
    found = report_since_opening(state, state, Job())
    assert (found.norm_retained, found.tensors[0].norm_retained) == (None, None)
    assert found.l1_retained == 1.0, "its sum is within float64"


@pytest.fixture
def full():
    """Return the first state and another one, with a cache that cannot hold any histogram."""
    rng = np.random.default_rng(5)
    arrays = {f"w{i}": rng.standard_normal(3000).astype(np.float32) for i in range(3)}
    opened = Snapshot(MemoryCheckpoint(arrays), cache=StateCache(budget=1))
    masks = MaskSet({name: BitMask.from_bools(rng.random(3000) < 0.5) for name in arrays})
    return opened, Snapshot(opened.checkpoint, MaskLayers(masks), cache=opened.cache)


def test_there_is_always_room_for_energies(full):
    opened, now = full
    names = tuple(opened.checkpoint.entries)
    for state in (now, opened):
        for wanted in histogram_store.missing_sums(state, names, Job()):
            histogram_store.measure(state, wanted, Job())
        assert not histogram_store.missing_sums(state, names, Job())
    assert histogram_store.magnitudes(now, "w0") is None
    energy = report_since_opening(opened, now, Job()).norm_retained
    assert energy is not None
    assert 0.4 < energy < 0.6


def test_the_first_state_is_known_whatever_comes(full):
    opened, now = full
    names = tuple(opened.checkpoint.entries)
    states = [opened, now]
    for seed in range(3):
        kept = np.random.default_rng(seed).random(3000) < 0.3
        masks = MaskSet(dict.fromkeys(names, BitMask.from_bools(kept)))
        states.append(Snapshot(opened.checkpoint, MaskLayers(masks), cache=opened.cache))
    for state in states:
        for wanted in histogram_store.missing_sums(state, names, Job()):
            histogram_store.measure(state, wanted, Job())
    assert not histogram_store.missing_sums(opened, names, Job())
    assert report_since_opening(opened, states[-1], Job()).norm_retained is not None
    assert report_since_opening(opened, now, Job()).norm_retained is None, "of others only the last"


def test_numbers_go_with_their_masks(full):
    opened, now = full
    (wanted,) = histogram_store.missing_sums(now, ["w0"], Job())
    histogram_store.measure(now, wanted, Job())
    assert histogram_store.find_sums(now, "w0") is not None
    other = Snapshot(opened.checkpoint, MaskLayers(MaskSet()), cache=opened.cache)
    assert histogram_store.find_sums(other, "w0") is None
    del now, full
    gc.collect()
    histogram_store.measure(other, wanted, Job())
    assert histogram_store.find_sums(other, "w0") == histogram_store.find_sums(opened, "w0")


def test_work_that_is_taken_up_is_counted_in_another_state_first():
    """As in a restored session, or for a file with masks: the opened state comes second."""
    arrays = {"w": np.random.default_rng(1).standard_normal(100).astype(np.float32)}
    opened = Snapshot(MemoryCheckpoint(arrays, chunk=64))

    def state(left):
        masks = MaskSet({"w": BitMask.from_bools(np.arange(100) < left)})
        return Snapshot(opened.checkpoint, MaskLayers(masks), cache=opened.cache)

    def measure(snapshot):
        for wanted in histogram_store.missing_sums(snapshot, arrays, Job()):
            histogram_store.measure(snapshot, wanted, Job())

    taken_up = state(80)  # referenced by the history
    measure(taken_up)
    measure(opened)
    for left in (60, 40, 80):
        now = state(left)
        measure(now)
        share = (
            np.square(arrays["w"][:left], dtype=float).sum()
            / np.square(arrays["w"], dtype=float).sum()
        )
        assert report_since_opening(opened, now, Job()).norm_retained == pytest.approx(share)
