"""The picture of an estimate takes what plain numpy says, as if it was a mask."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from memory_checkpoint import MemoryCheckpoint

from pruneapp.analysis.tiles import tile
from pruneapp.document.snapshot import Snapshot
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Job
from pruneapp.results.tile import TileRequest

THRESHOLD = 0.59375  # a number of every type


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("shape", [(1,), (13,), (24, 64), (61, 53), (9, 5, 3, 3)], ids=str)
def test_what_is_small_kept_and_free_goes(dtype, shape):
    rng = np.random.default_rng(len(shape))
    values = rng.standard_normal(shape).astype(dtype)
    values.flat[0] = np.nan
    kept, guarded = rng.random(values.size) < 0.8, rng.random(values.size) < 0.3
    with np.errstate(invalid="ignore"):
        small = np.abs(values.astype(np.float64)).reshape(-1) <= THRESHOLD
    checkpoint = MemoryCheckpoint({"w": values})
    masks = MaskSet({"w": BitMask.from_bools(kept)})
    protected = MaskSet({"w": BitMask.from_bools(guarded)})
    for masked, protects in itertools.product((False, True), repeat=2):
        goes = small.copy()
        if masked:
            goes &= kept
        if protects:
            goes &= ~guarded
        snapshot = Snapshot(
            checkpoint,
            MaskLayers(
                masks if masked else MaskSet(), protected=protected if protects else MaskSet()
            ),
        )
        going = BitMask.from_bools((kept if masked else True) & ~goes)
        for pool, pruned in itertools.product((1, 2, 3, 8), (False, True)):
            request = TileRequest("w", 0, 0, 1 << 40, 1 << 40, pool, pruned=pruned)
            found = tile(snapshot, request, THRESHOLD, Job())
            wanted = tile(snapshot, request, going, Job())
            for name in ("values", "kept", "going", "protected"):
                np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), name)
            assert found.going.any() == goes.any()


def test_a_first_look_takes_the_same_weights_of_both():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((2048, 2048)).astype(np.float16)
    snapshot = Snapshot(MemoryCheckpoint({"w": values}))
    going = BitMask.from_bools(np.abs(values).reshape(-1) > THRESHOLD)
    request = TileRequest("w", 0, 0, 2048, 2048, 8, sampled=True)
    found = tile(snapshot, request, THRESHOLD, Job())
    assert found.sampled
    np.testing.assert_array_equal(found.going, tile(snapshot, request, going, Job()).going)
    share = (np.abs(values.astype(np.float32)) <= THRESHOLD).mean()
    assert found.going.mean() == pytest.approx(share, abs=0.01)
