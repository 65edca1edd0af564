"""The sum of squares that a step leaves: the same for any chunks and threads, and what it says."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest

from pruneapp.analysis import retained_norm
from pruneapp.analysis.retained_norm import measure_energy
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.kernel import BLOCK
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.document.memory_checkpoint import MemoryCheckpoint

SIZE = 9 * BLOCK + 77


def measured(monkeypatch, weights, before, after, threads, stretch=2, piece=1):
    monkeypatch.setattr("pruneapp.kernels.threads.WORTH_THREADS", 0)
    monkeypatch.setattr(retained_norm, "_STRETCH", stretch * BLOCK)
    monkeypatch.setattr(retained_norm, "_PIECE", piece * BLOCK)
    masks = MaskSet() if before is None else MaskSet({"w": BitMask.from_bools(before)})
    snapshot = Snapshot(MemoryCheckpoint({"w": weights}), MaskLayers(masks))
    return measure_energy(snapshot, "w", BitMask.from_bools(after), Job(), threads)


def by_blocks(squares: np.ndarray) -> float:
    return math.fsum(
        float(np.add.reduce(squares[k : k + BLOCK])) for k in range(0, squares.size, BLOCK)
    )


@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8"])
@pytest.mark.parametrize("pruned", [False, True])
def test_energy_is_the_same_to_the_bit_for_any_cut_and_threads(monkeypatch, kind, pruned):
    rng = np.random.default_rng(3)
    weights = (rng.uniform(0.5, 1, SIZE) * np.exp2(rng.integers(-7, 8, SIZE))).astype(kind)
    weights[::2] *= -1
    before = rng.random(SIZE) < 0.7 if pruned else None
    there = np.ones(SIZE, np.bool_) if before is None else before
    after = there & (np.abs(weights) > 0.9)
    wide = weights.astype(np.float64) ** 2
    sizes = np.abs(weights.astype(np.float64))

    for threads in (1, 2, 3, 8):
        for stretch, piece in ((2, 1), (3, 2), (100, 64)):
            found = measured(monkeypatch, weights, before, after, threads, stretch, piece)
            assert found.before == by_blocks(wide * there)
            assert found.after == by_blocks(wide * after)
            assert found.sizes_before == by_blocks(sizes * there)
            assert found.sizes_after == by_blocks(sizes * after)
            assert found.threshold == np.abs(weights[there & ~after]).max()


def test_there_is_no_threshold_where_something_smaller_stays(monkeypatch):
    """Also where what goes and what stays are far apart in the tensor."""
    weights = np.linspace(1, 2, SIZE, dtype=np.float32)
    after = np.ones(SIZE, np.bool_)
    after[-1] = False
    for threads in (1, 3):
        assert measured(monkeypatch, weights, None, after, threads).threshold is None
        found = measured(monkeypatch, weights[::-1].copy(), None, after, threads)
        assert found.threshold == 1
        assert measured(monkeypatch, weights, None, after | True, threads).threshold is None


def test_what_is_not_finite_is_left_out(monkeypatch):
    weights = np.ones(SIZE, np.float32)
    weights[[5, 6, -1]] = math.nan, math.inf, -math.inf
    after = np.arange(SIZE) % 2 == 0
    found = measured(monkeypatch, weights, None, after, 3)

    assert found.before == SIZE - 3
    assert found.after == after.sum() - np.count_nonzero(after[[6, -1]])
    overflowing = np.full(SIZE, 1e200)
    assert measured(monkeypatch, overflowing, None, after, 3).before == math.inf
    overflowing[:] = 0
    overflowing[::BLOCK] = 1.7e308  # each block is finite
    found = measured(monkeypatch, overflowing, None, after, 3)
    assert found.sizes_before == math.inf
    assert found.magnitude is None


def test_what_is_protected_makes_no_threshold_unsure():
    weights = np.arange(1.0, 9.0)
    protected = np.arange(8) == 0
    snapshot = Snapshot(
        MemoryCheckpoint({"w": weights}),
        MaskLayers(protected=MaskSet({"w": BitMask.from_bools(protected)})),
    )
    after = BitMask.from_bools(protected | (weights > 3))
    assert measure_energy(snapshot, "w", after, Job()).threshold == 3.0


def test_a_cancelled_measure_leaves_no_thread(monkeypatch):
    monkeypatch.setattr("pruneapp.kernels.threads.WORTH_THREADS", 0)
    monkeypatch.setattr(retained_norm, "_STRETCH", BLOCK)
    token = CancelToken()

    class Told:
        def report(self, done, total, label):
            token.cancel()

    snapshot = Snapshot(MemoryCheckpoint({"w": np.ones(SIZE, np.float32)}))
    with pytest.raises(Cancelled):
        measure_energy(snapshot, "w", BitMask.full(SIZE), Job(Told(), token), 3)
    assert not [t for t in threading.enumerate() if t.name.startswith("pruneapp-kernel")]
