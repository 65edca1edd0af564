"""How much of a tensor's sum of squares a step leaves, and where it cuts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from pruneapp.document.blocks import aligned, block_sums, real_values
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.contract import BLOCK
from pruneapp.kernels.values import Floats
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

# Squares in float64 that are at work at once: they stay in the cache of a core.
_PIECE = 64 * BLOCK


@dataclass(frozen=True)
class Energy:
    """Sums of squares of what is kept.

    Attributes
    ----------
    before, after
        float64. NaN and infinite weights are left out; infinite where float64 overflows.
    threshold
        The largest magnitude that went, if nothing smaller was kept; None if there is no such cut
        or nothing went.
    """

    before: float
    after: float
    threshold: float | None

    @property
    def share(self) -> float | None:
        """What is still there, from 0 to 1; None if there was nothing or it cannot be said."""
        if not (math.isfinite(self.before) and self.before > 0):
            return None
        return self.after / self.before


def measure_energy(snapshot: Snapshot, name: str, after: BitMask, job: Job) -> Energy:
    """Add up the squares of a tensor before and after a step, in one pass.

    The order of addition is that of `pruneapp.document.blocks`, so that the result is the same to
    the last bit whatever the chunks.

    Parameters
    ----------
    snapshot
        The state before.
    name
        First name of the tensor.
    after
        Its mask after the step, a part of the mask before.
    job
        Stepped by the elements.
    """
    entry = snapshot.entry(name)
    before = snapshot.masks.get(name)
    sums_before: list[float] = []
    sums_after: list[float] = []
    largest_gone, smallest_kept = -math.inf, math.inf
    for chunk in aligned(snapshot.chunks(name)):
        for first in range(0, chunk.bits.size, _PIECE):
            values = real_values(chunk.bits[first : first + _PIECE], entry.dtype, name)
            start, stop = chunk.start + first, chunk.start + first + values.size
            there = None if before is None else before.bools(start, stop)
            stays = after.bools(start, stop)
            with np.errstate(over="ignore", invalid="ignore"):
                squares = np.square(values, dtype=np.float64)
                sums_before += _sums(values, squares, there)
                sums_after += _sums(values, squares, stays)
            if largest_gone <= smallest_kept:  # there may be a cut
                sizes = np.abs(values)
                goes = ~stays if there is None else there & ~stays
                with np.errstate(divide="ignore", invalid="ignore"):
                    # x / 0 is infinite or NaN, which fmin passes over: choosing by np.where
                    # takes ten times as long
                    smallest_kept = min(smallest_kept, float(np.fmin.reduce(sizes / stays)))
                    if goes.any():
                        largest_gone = max(largest_gone, float(np.fmax.reduce(sizes * goes)))
            job.step(values.size)
    cut = math.isfinite(largest_gone) and largest_gone <= smallest_kept
    return Energy(
        before=_total(sums_before),
        after=_total(sums_after),
        threshold=largest_gone if cut else None,
    )


def _sums(
    values: Floats, squares: NDArray[np.float64], where: NDArray[np.bool_] | None
) -> list[float]:
    """Return the block sums of the squares of the finite values at some places."""
    sums = block_sums(squares if where is None else squares * where)
    if np.isfinite(sums).all():
        return cast(list[float], sums.tolist())
    there = np.isfinite(values) if where is None else np.isfinite(values) & where
    return cast(list[float], block_sums(np.where(there, squares, 0.0)).tolist())


def _total(sums: list[float]) -> float:
    # fsum refuses to add infinities that it met on the way
    return math.fsum(sums) if all(map(math.isfinite, sums)) else math.inf
