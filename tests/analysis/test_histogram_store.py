"""Histograms of magnitudes and norms, cached for every state while there is room."""

from __future__ import annotations

import gc
import math
import threading
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from pruneapp.analysis import histogram_store
from pruneapp.analysis.histogram_store import HistogramRequest
from pruneapp.analysis.histograms import bin_shift, bin_values, count_alike, count_magnitudes
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.snapshot import BUDGET, Snapshot, StateCache
from pruneapp.document.step import Row, Step
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.preview.estimate import estimate
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.cancel_checks import assert_cut
from tests.support.document_edits import redo, undo
from tests.support.memory_checkpoint import MemoryCheckpoint
from tests.support.snapshot_strategies import eligible_of, snapshots, values_of
from tests.support.strategies import FLOATS
from tests.support.tensors import decode_float64


def count_all(snapshot):
    names = tuple(snapshot.checkpoint.entries)
    for wanted in histogram_store.missing_magnitudes(snapshot, names):
        histogram_store.count(snapshot, wanted, Job())


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.name)
def test_bins_are_the_upper_16_bits_of_a_magnitude(dtype):
    values = bin_values(dtype)
    assert math.isnan(values[-1])
    assert (np.diff(values[:-1]) > 0).all()
    assert values[0] == 0
    shift = bin_shift(dtype)
    assert shift == {64: 47, 32: 15}.get(dtype.bits, 0)
    for place in (0, 1, values.size // 2, values.size - 2):
        bits = np.array([place << shift], dtype.storage)
        assert decode_float64(bits, dtype)[0] == values[place]


def check(found, snapshot, name):
    """Compare a histogram with plain NumPy."""
    dtype = snapshot.entry(name).dtype
    weights = np.abs(values_of(snapshot, name))
    there = weights[eligible_of(snapshot, name)]
    edges = bin_values(dtype)[:-1]
    real = there[~np.isnan(there)]
    places = np.searchsorted(edges, real, "right") - 1
    counts = np.bincount(places, minlength=edges.size)
    np.testing.assert_array_equal(found.bins, np.flatnonzero(counts))
    np.testing.assert_array_equal(found.counts, counts[counts > 0])
    assert found.nan == np.isnan(there).sum()
    assert found.zeros == np.sum(there == 0)
    if bin_shift(dtype):
        finite = np.where(np.isinf(real), 0.0, real)
        with np.errstate(over="ignore"):
            for sums, terms in ((found.sizes, finite), (found.squares, finite**2)):
                expected = np.bincount(places, terms, edges.size)[counts > 0]
                np.testing.assert_allclose(sums, expected, rtol=1e-12)
    else:
        assert found.squares is None
        assert found.sizes is None
    guard = snapshot.protected.get(name)
    guarded = np.empty(0) if guard is None else weights[guard.bools()]
    guarded = guarded[np.isfinite(guarded)]
    with np.errstate(over="ignore"):
        assert found.protected_sums == pytest.approx(
            (np.sum(guarded**2), np.sum(guarded)), rel=1e-12
        )


@given(state=snapshots(elements=300))
def test_counts_are_those_of_numpy(state):
    count_all(state)
    for name in state.checkpoint.entries:
        check(count_magnitudes(state, name, Job()), state, name)
        check(histogram_store.magnitudes(state, name), state, name)
        weights = np.abs(values_of(state, name))[eligible_of(state, name)]
        assert histogram_store.zeros(state, name) == np.sum(weights == 0)


@given(state=snapshots(elements=300), data=st.data())
def test_below_a_threshold(state, data):
    count_all(state)
    names = tuple(state.checkpoint.entries)
    everything = np.concatenate([np.abs(values_of(state, n))[eligible_of(state, n)] for n in names])
    everything = everything[~np.isnan(everything)]
    threshold = data.draw(
        st.sampled_from([*everything.tolist(), 0.0]) | st.floats(0, 1e6), label="threshold"
    )
    found = histogram_store.count_up_to(state, names, threshold)
    if all(bin_shift(state.entry(n).dtype) == 0 for n in names):
        assert found == np.sum(everything <= threshold)
    else:
        least = most = 0
        for name in names:
            edges = bin_values(state.entry(name).dtype)[:-1]
            weights = np.abs(values_of(state, name))[eligible_of(state, name)]
            places = np.searchsorted(edges, weights[~np.isnan(weights)], "right")
            here = np.searchsorted(edges, threshold, "right")
            least, most = least + np.sum(places < here), most + np.sum(places <= here)
        assert least <= found <= most
    assert histogram_store.count_up_to(state, names, -1.0) == 0
    assert histogram_store.count_up_to(state, names, math.nan) == 0
    assert histogram_store.count_up_to(state, names, math.inf) == everything.size


def test_pieces_of_a_large_tensor_are_put_together():
    rng = np.random.default_rng(0)
    size = 3 * (1 << 17) + 5
    for kind in (np.float16, np.float32):
        weights = rng.normal(size=size).astype(kind)
        weights[[0, 9, -1]] = 0, math.nan, math.inf
        mask = BitMask.from_bools(rng.random(size) < 0.6)
        guard = BitMask.from_bools(mask.bools() & (rng.random(size) < 0.1))
        checkpoint = MemoryCheckpoint({"w": weights}, chunk=300_001)
        for masks, protected in (({}, {}), ({"w": mask}, {}), ({"w": mask}, {"w": guard})):
            snapshot = Snapshot(
                checkpoint, MaskLayers(MaskSet(masks), protected=MaskSet(protected))
            )
            check(count_magnitudes(snapshot, "w", Job()), snapshot, "w")


def test_small_tensors_are_counted_side_by_side(tmp_path):
    rng = np.random.default_rng(0)
    tensors = {
        f"{i}.{kind}": torch.from_numpy(rng.normal(size=(3, 5))).to(kind)
        for i in range(20)
        for kind in (torch.bfloat16, torch.float32, torch.float8_e5m2)
    }
    tensors["0.torch.float32"][0, 0] = math.nan
    tensors["empty"] = torch.zeros(0, 3)
    save_file(tensors, tmp_path / "m.safetensors")
    with open_checkpoint(tmp_path / "m.safetensors") as checkpoint:
        masks = MaskSet({"3.torch.float32": BitMask.from_bools(rng.random(15) < 0.5)})
        snapshot = Snapshot(checkpoint, MaskLayers(masks))
        (wanted,) = histogram_store.missing_magnitudes(snapshot, tuple(checkpoint.entries))
        assert wanted.elements == 20 * 3 * 15
        histogram_store.count(snapshot, wanted, Job())
        for name in checkpoint.entries:
            check(histogram_store.magnitudes(snapshot, name), snapshot, name)
        names = [name for name in checkpoint.entries if "float32" in name]
        for name, found in zip(names, count_alike(snapshot, names, Job()), strict=True):
            alone = count_magnitudes(snapshot, name, Job())
            np.testing.assert_array_equal(found.counts, alone.counts)
            assert (found.nan, found.zeros) == (alone.nan, alone.zeros)


@pytest.fixture
def three():
    rng = np.random.default_rng(0)
    return {f"{i}.w": rng.normal(size=(70, 70)).astype(np.float16) for i in range(3)}


def test_large_tensors_are_wanted_one_by_one_and_once(three, monkeypatch):
    monkeypatch.setattr("pruneapp.analysis.histogram_store._BATCH", 5000)
    snapshot = Snapshot(MemoryCheckpoint(three))
    wanted = histogram_store.missing_magnitudes(snapshot, tuple(three))
    assert wanted == tuple(HistogramRequest((name,), None, 4900) for name in three)
    assert histogram_store.zeros(snapshot, "0.w") is None
    assert histogram_store.count_up_to(snapshot, ("0.w",), 1.0) is None
    histogram_store.count(snapshot, wanted[0], Job())
    assert histogram_store.missing_magnitudes(snapshot, tuple(three)) == wanted[1:]
    read = snapshot.checkpoint.elements_read
    histogram_store.count(snapshot, wanted[0], Job())
    assert snapshot.checkpoint.elements_read == read


def test_undo_finds_what_was_counted_before(three):
    document = Document(MemoryCheckpoint(three))
    count_all(document.snapshot())
    first = document.snapshot()
    step = Step((Row(("1.w",), "l1_unstructured", {"amount": 0.5}),))
    document.commit(compute_preview(first, step, CpuKernel(), Job()))
    second = document.snapshot()
    (wanted,) = histogram_store.missing_magnitudes(second, tuple(three))
    assert wanted.names == ("1.w",)
    histogram_store.count(second, wanted, Job())
    undo(document)
    assert not histogram_store.missing_magnitudes(document.snapshot(), tuple(three))
    redo(document)
    third = document.snapshot()
    assert third.cache is first.cache
    assert not histogram_store.missing_magnitudes(third, tuple(three))
    check(histogram_store.magnitudes(third, "1.w"), third, "1.w")
    document.close()


def test_masks_are_not_kept_alive_and_what_is_gone_makes_room(three):
    base = Snapshot(MemoryCheckpoint(three))
    cache = base.cache
    count_all(base)
    size = cache.nbytes
    for seed in range(5):
        kept = np.random.default_rng(seed).random(4900) < 0.5
        state = replace(
            base, layers=replace(base.layers, masks=MaskSet({"0.w": BitMask.from_bools(kept)}))
        )
        count_all(state)
        assert cache.nbytes > size
        check(histogram_store.magnitudes(state, "0.w"), state, "0.w")
        del state
        gc.collect()
    count_all(
        replace(base, layers=replace(base.layers, masks=MaskSet({"0.w": BitMask.full(4900)})))
    )
    assert len(cache._large) == 4


def test_the_oldest_is_dropped_and_what_never_fits_is_not_counted_again(three):
    one = count_magnitudes(Snapshot(MemoryCheckpoint(three)), "0.w", Job()).nbytes
    snapshot = Snapshot(MemoryCheckpoint(three), cache=StateCache(budget=int(2.5 * one)))
    for name in three:
        for wanted in histogram_store.missing_magnitudes(snapshot, (name,)):
            histogram_store.count(snapshot, wanted, Job())
        assert snapshot.cache.nbytes <= 2.5 * one
    assert histogram_store.magnitudes(snapshot, "0.w") is None
    assert histogram_store.magnitudes(snapshot, "2.w") is not None
    assert len(histogram_store.missing_magnitudes(snapshot, ("0.w", "2.w"))) == 1
    assert not histogram_store.missing_magnitudes(
        snapshot, tuple(three)
    )  # they do not fit together
    step = Step((Row(tuple(three), "l1_unstructured"),))
    assert not histogram_store.missing_histograms(snapshot, step)
    assert histogram_store.counted_share(snapshot, step) == 1.0
    tiny = Snapshot(MemoryCheckpoint(three), cache=StateCache(budget=10))
    count_all(tiny)
    assert tiny.cache.nbytes == 0
    assert not histogram_store.missing_magnitudes(tiny, tuple(three))
    masks = [BitMask.full(4900) for _ in range(5)]
    for mask in masks:
        count_first(tiny, mask)
    assert dropped(tiny) == 3 + 5
    del masks, mask  # references to the masks are dropped
    gc.collect()
    count_first(tiny, BitMask.full(4900))
    assert dropped(tiny) == 3 + 1


def dropped(snapshot):
    return sum(entry.value is None for entry in snapshot.cache._small.values())


def count_first(snapshot, mask):
    state = replace(snapshot, layers=replace(snapshot.layers, masks=MaskSet({"0.w": mask})))
    (wanted,) = histogram_store.missing_magnitudes(state, ("0.w",))
    histogram_store.count(state, wanted, Job())


def test_what_a_step_needs_has_to_fit_together(three):
    """Regression: norms of order 3, 2 and 1 that evicted each other were counted forever."""
    snapshot = Snapshot(MemoryCheckpoint(three))
    step = Step((Row(tuple(three), "ln_structured", {"amount": 0.5, "n": 3}),))
    for wanted in histogram_store.missing_histograms(snapshot, step):
        histogram_store.count(snapshot, wanted, Job())
    snapshot = replace(snapshot, cache=StateCache(budget=int(0.8 * snapshot.cache.nbytes)))
    counted = []
    while (wanted := histogram_store.missing_histograms(snapshot, step)) and len(counted) < 20:
        counted.append(wanted[0].kind)
        histogram_store.count(snapshot, wanted[0], Job())
        assert 0 <= histogram_store.counted_share(snapshot, step) <= 1
    assert counted[:3] == [(0, 3), (0, 2), (0, 1)]
    assert not wanted
    assert all(histogram_store.channels(snapshot, name, 0, 3) is not None for name in three)
    found = estimate(snapshot, step)
    assert (found.exact_report, found.counting) == (True, 1.0)


def test_what_was_put_together_gives_way_to_counts(three):
    snapshot = Snapshot(MemoryCheckpoint(three), cache=StateCache(budget=100_000))
    snapshot.remember("a", "value", 90_000)
    assert snapshot.recall("a") == "value"
    assert replace(snapshot, layers=replace(snapshot.layers, masks=MaskSet())).recall("a") is None
    snapshot.remember("b", "other", 90_000)
    assert snapshot.recall("a") is None
    count_all(snapshot)
    assert snapshot.cache.nbytes <= 100_000
    assert snapshot.recall("b") is None
    snapshot.remember("c", "large", 100_000)
    assert snapshot.recall("c") is None


def test_norms_are_those_of_the_exact_step(three):
    kept = np.random.default_rng(3).random(4900) < 0.7
    kept.reshape(70, 70)[5] = False
    guard = np.zeros((70, 70), np.bool_)
    guard[7, 7] = kept.reshape(70, 70)[7, 7] = True
    snapshot = Snapshot(
        MemoryCheckpoint(three),
        MaskLayers(
            MaskSet({"0.w": BitMask.from_bools(kept)}),
            protected=MaskSet({"0.w": BitMask.from_bools(guard.reshape(-1))}),
        ),
    )
    step = Step((Row(("0.w", "1.w"), "ln_structured", {"n": "fro", "dim": -1}),))
    wanted = histogram_store.missing_histograms(snapshot, step)
    assert [w.kind for w in wanted] == [(1, 2), (1, 1)]
    for item in wanted:
        histogram_store.count(snapshot, item, Job())
    found = histogram_store.channels(snapshot, "0.w", 1, 2)
    weights = three["0.w"].astype(np.float64) * kept.reshape(70, 70)
    np.testing.assert_allclose(found.norms, np.linalg.norm(weights, axis=0), rtol=1e-12)
    np.testing.assert_array_equal(found.kept, kept.reshape(70, 70).sum(axis=0))
    assert np.flatnonzero(~found.free).tolist() == [7]
    assert histogram_store.channels(snapshot, "0.w", 0, 2) is None


def test_several_threads_count_at_once(three):
    snapshot = Snapshot(MemoryCheckpoint(three))
    threads = [threading.Thread(target=count_all, args=(snapshot,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert snapshot.cache.nbytes == sum(
        histogram_store.magnitudes(snapshot, name).nbytes for name in three
    )


def test_cancelling_ends_it(three):
    token = CancelToken()
    token.cancel()
    snapshot = Snapshot(MemoryCheckpoint(three))
    (wanted, *_) = histogram_store.missing_magnitudes(snapshot, tuple(three))
    with pytest.raises(Cancelled):
        histogram_store.count(snapshot, wanted, Job(cancel=token))
    assert snapshot.cache.nbytes == 0


def test_looking_for_what_is_missing_makes_way_for_a_slider(monkeypatch):
    """Regression: it took 0.2 s for 100,000 counted tensors and blocked the slider."""
    monkeypatch.setattr("pruneapp.progress.BATCH", 50)

    def work(count: int):
        arrays = {f"{i}.w": np.ones((1, 2), np.float32) for i in range(count)}
        snapshot = Snapshot(MemoryCheckpoint(arrays))
        for wanted in histogram_store.missing_magnitudes(snapshot, arrays):
            histogram_store.count(snapshot, wanted, Job())
        return lambda token: histogram_store.missing_magnitudes(snapshot, arrays, Job(cancel=token))

    assert_cut(work, 200)


def test_the_budget_is_the_one_that_was_promised():
    """It was 128 MB before histograms of 100,000 small tensors had to fit."""
    assert BUDGET <= 192_000_000
