"""The picture of an estimate takes what plain numpy says."""

from __future__ import annotations

import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.checkpoint.reader import open_checkpoint
from pruneapp.document.foretold import PIECE, mask_up_to
from pruneapp.document.snapshot import Snapshot
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.maskset import MaskSet
from pruneapp.progress import Cancelled, CancelToken, Job


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("numel", [1, 13, PIECE, 3 * PIECE + 5])
def test_what_is_small_kept_and_free_goes(tmp_path, dtype, numel):
    rng = np.random.default_rng(numel)
    values = rng.standard_normal(numel).astype(dtype)
    values[0] = np.nan
    path = tmp_path / "a.safetensors"
    save_file({"w": values}, str(path))
    kept, guarded = rng.random(numel) < 0.8, rng.random(numel) < 0.3
    threshold = 0.6
    with open_checkpoint(path) as checkpoint:
        plain = mask_up_to(Snapshot(checkpoint), "w", threshold, Job())
        with np.errstate(invalid="ignore"):
            small = np.abs(values.astype(np.float64)) <= threshold
        np.testing.assert_array_equal(plain.bools(), ~small)
        snapshot = Snapshot(
            checkpoint,
            MaskSet({"w": BitMask.from_bools(kept)}),
            protected=MaskSet({"w": BitMask.from_bools(guarded)}),
        )
        found = mask_up_to(snapshot, "w", threshold, Job())
        np.testing.assert_array_equal(found.bools(), kept & ~(small & ~guarded))
        token = CancelToken()
        token.cancel()
        with pytest.raises(Cancelled):
            mask_up_to(snapshot, "w", threshold, Job(cancel=token))
