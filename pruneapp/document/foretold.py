"""Which weights of one tensor an estimate would take: those up to its threshold."""

from __future__ import annotations

import numpy as np

from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.values import decode
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

# Elements that are looked at at once; a multiple of 8.
PIECE = 1 << 16


def mask_up_to(snapshot: Snapshot, name: str, threshold: float, job: Job) -> BitMask:
    """Return what would be kept of a tensor if every weight up to a magnitude went.

    A picture of an estimate, not a step: weights of just this magnitude all go, as many as there
    are. Protected weights stay, and NaN. One pass over the tensor.

    Parameters
    ----------
    snapshot
        The state.
    name
        Any name of a tensor that can be pruned.
    threshold
        The magnitude.
    job
        Stepped by the elements; may cancel.

    Raises
    ------
    CheckpointError
        If the file cannot be read.
    """
    entry = snapshot.entry(name)
    kept, eligible = snapshot.mask(name), snapshot.eligible(name)
    packed = np.empty(-(-entry.numel // 8), np.uint8)
    for chunk in snapshot.chunks(name):
        for at in range(0, chunk.bits.size, PIECE):
            bits = chunk.bits[at : at + PIECE]
            start, stop = chunk.start + at, chunk.start + at + bits.size
            goes = np.abs(decode(bits, entry.dtype)) <= threshold
            if eligible is not None:
                goes &= eligible.bools(start, stop)
            stays = ~goes if kept is None else kept.bools(start, stop) & ~goes
            packed[start // 8 : -(-stop // 8)] = np.packbits(stays, bitorder="little")
            job.step(bits.size)
    return BitMask(packed, entry.numel)
