"""Hypothesis strategies for small snapshots: dtypes, ties, special values, masks and protection."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DType
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.repaired_values import as_values
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from tests.support.memory_checkpoint import MemoryCheckpoint
from tests.support.strategies import float_types, kept_bools, moderate_bits, raw_bits, shapes
from tests.support.tensors import decode_float64


@st.composite
def snapshots(
    draw, *, least_dims=1, elements=60, finite=False, one_type=False, most=4, guarded=True
):
    """Draw a few tensors, some partly pruned, protected or permanent, or with replaced values."""
    arrays, masks, final, protected, values = {}, {}, {}, {}, {}
    dtype = draw(float_types)
    for i in range(draw(st.integers(1, most))):
        dtype = dtype if one_type else draw(float_types)
        shape = draw(shapes(least_dims, 3, elements))
        size = math.prod(shape)
        bits = draw(moderate_bits(dtype, size) if finite else raw_bits(dtype, size))
        arrays[f"{i}.w"] = typed(bits, dtype).reshape(shape)
        kept = draw(kept_bools(size))
        if kept is not None:
            masks[f"{i}.w"] = BitMask.from_bools(kept)
        guard = draw(kept_bools(size)) if guarded and draw(st.booleans()) else None
        if guard is not None:
            guard &= np.random.default_rng(i).random(size) < 0.4
            if kept is not None:
                guard &= kept
            if guard.any():
                protected[f"{i}.w"] = BitMask.from_bools(guard)
        if draw(st.integers(0, 4)) == 0:
            other = draw(moderate_bits(dtype, size) if finite else raw_bits(dtype, size))
            values[f"{i}.w"] = as_values(other)
        if draw(st.integers(0, 4)) == 0:
            gone = draw(kept_bools(size))
            if gone is not None:
                final[f"{i}.w"] = BitMask.from_bools(gone)
    checkpoint = MemoryCheckpoint(arrays, chunk=draw(st.sampled_from([7, 64, 1000])))
    layers = MaskLayers(*map(MaskSet, (masks, final, protected, values)))
    return Snapshot(checkpoint, layers)


def typed(bits: np.ndarray, dtype: DType) -> np.ndarray:
    """Return bits as an array of their dtype."""
    return bits.view(dtype.numpy)


def values_of(snapshot: Snapshot, name: str) -> np.ndarray:
    """Return the values of a tensor as float64, flat; permanent zeros are 0."""
    return decode_float64(snapshot.bits(name), snapshot.entry(name).dtype)


def bools_of(mask: BitMask | None, size: int, *, absent: bool) -> np.ndarray:
    """Return a mask as booleans; `absent` is the value for None."""
    return np.full(size, absent) if mask is None else mask.bools()


def eligible_of(snapshot: Snapshot, name: str) -> np.ndarray:
    """Return which weights a step may prune."""
    size = snapshot.entry(name).numel
    kept = bools_of(snapshot.masks.get(name), size, absent=True)
    return kept & ~bools_of(snapshot.protected.get(name), size, absent=False)
