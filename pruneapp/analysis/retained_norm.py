"""How much of a tensor's sums of squares and magnitudes a step leaves, and where it cuts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.retained_norm_blocks import aligned, block_sums, real_values
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.kernel import BLOCK
from pruneapp.kernels.threads import WORTH_THREADS, default_threads, in_order
from pruneapp.kernels.values import Floats
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

# Squares in float64 that are at work at once: they stay in the cache of a core.
_PIECE = 32 * BLOCK
# Elements of a task of a thread: memory for more is handed back and got anew each time.
_STRETCH = 64 * BLOCK


@dataclass(frozen=True)
class Energy:
    """Sums of what is kept.

    Attributes
    ----------
    before, after
        Of squares, float64. NaN and infinite weights are left out; infinite where float64
        overflows.
    sizes_before, sizes_after
        Of magnitudes, likewise.
    threshold
        The largest magnitude that went, if nothing smaller was kept that might have gone; None if
        there is no such cut or nothing went.
    """

    before: float
    after: float
    sizes_before: float
    sizes_after: float
    threshold: float | None = None

    @property
    def share(self) -> float | None:
        """What is still there of the squares, from 0 to 1; None if nothing was or nobody knows."""
        return _share(self.before, self.after)

    @property
    def magnitude(self) -> float | None:
        """What is still there of the magnitudes, from 0 to 1; None as for `share`."""
        return _share(self.sizes_before, self.sizes_after)


def _share(before: float, after: float) -> float | None:
    return after / before if math.isfinite(before) and before > 0 else None


def measure_energy(
    snapshot: Snapshot, name: str, after: BitMask, job: Job, threads: int | None = None
) -> Energy:
    """Add up squares and magnitudes of a tensor before and after a step, in one pass.

    The order of addition is that of `pruneapp.analysis.retained_norm_blocks`, so that the result is
    the same to the last bit whatever the chunks and threads.

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
    threads
        How many work at once; one for a small tensor, else as many as there are cores by default.
    """
    size = after.size
    if size < WORTH_THREADS:
        threads = 1
    sums: tuple[list[float], ...] = ([], [], [], [])
    work = _Stretches(snapshot, name, after, job)
    tasks = ((start, min(start + _STRETCH, size)) for start in range(0, size, _STRETCH))
    for found in in_order(tasks, work, job, threads or default_threads()):
        for total, part in zip(sums, found.sums, strict=True):
            total.extend(part)
        work.edge.meet(found.edge)
        job.step(found.size)
    squares_before, squares_after, sizes_before, sizes_after = map(total_of, sums)
    return Energy(squares_before, squares_after, sizes_before, sizes_after, work.edge.threshold)


@dataclass
class _Edge:
    """How far what goes and what stays reach towards each other."""

    largest_gone: float = -math.inf
    smallest_kept: float = math.inf

    @property
    def clear(self) -> bool:
        """Whether nothing that stays is smaller than what goes."""
        return self.largest_gone <= self.smallest_kept

    @property
    def threshold(self) -> float | None:
        """See `Energy.threshold`."""
        return self.largest_gone if self.clear and math.isfinite(self.largest_gone) else None

    def meet(self, other: _Edge) -> None:
        """Take in what was found elsewhere; NaN is passed over."""
        self.largest_gone = max(self.largest_gone, other.largest_gone)
        self.smallest_kept = min(self.smallest_kept, other.smallest_kept)


@dataclass
class _Sums:
    """What a stretch of a tensor adds.

    Attributes
    ----------
    size
        Its elements.
    sums
        Those of its blocks: squares before and after, magnitudes before and after.
    edge
        Its own.
    """

    size: int = 0
    sums: tuple[list[float], ...] = field(default_factory=lambda: ([], [], [], []))
    edge: _Edge = field(default_factory=_Edge)


class _Stretches:
    """Measures stretches of a tensor, in any thread; see `measure_energy`."""

    def __init__(self, snapshot: Snapshot, name: str, after: BitMask, job: Job) -> None:
        self._snapshot = snapshot
        self._name = name
        self._dtype = snapshot.entry(name).dtype
        self._before = snapshot.masks.get(name)
        self._after = after
        self._protected = snapshot.protected.get(name)
        self._job = job
        self.edge = _Edge()  # of the stretches that were taken

    def __call__(self, stretch: tuple[int, int]) -> _Sums:
        """Measure the elements from one flat index to another, the first a block's border."""
        found = _Sums(stretch[1] - stretch[0])
        with np.errstate(all="ignore"):  # infinities and NaN are left out
            for chunk in aligned(self._snapshot.chunks(self._name, *stretch)):
                for first in range(0, chunk.bits.size, _PIECE):
                    self._job.cancel.check()
                    values = real_values(
                        chunk.bits[first : first + _PIECE], self._dtype, self._name
                    )
                    self._measure(chunk.start + first, values, found)
        return found

    def _measure(self, start: int, values: Floats, found: _Sums) -> None:
        stop = start + values.size
        there = None if self._before is None else self._before.bools(start, stop)
        stays = self._after.bools(start, stop)
        sizes = values.astype(np.float64)
        np.abs(sizes, out=sizes)
        terms = np.square(sizes), sizes
        parts = ((term, where) for term in terms for where in (there, stays))
        for total, (term, where) in zip(found.sums, parts, strict=True):
            total.extend(_sums(values, term, where))
        if not (self.edge.clear and found.edge.clear):
            return  # there is no cut
        goes = ~stays if there is None else there & ~stays
        if self._protected is not None:  # nothing of it might have gone
            stays &= ~self._protected.bools(start, stop)
        narrow = np.abs(values)
        # x / 0 is infinite or NaN, which fmin passes over: choosing by np.where takes ten times
        # as long
        smallest = float(np.fmin.reduce(narrow / stays))
        largest = float(np.fmax.reduce(narrow * goes)) if goes.any() else -math.inf
        found.edge.meet(_Edge(largest, smallest))


def _sums(
    values: Floats, terms: NDArray[np.float64], where: NDArray[np.bool_] | None
) -> list[float]:
    """Return the block sums of the terms of the finite values at some places."""
    sums = block_sums(terms if where is None else terms * where)
    if np.isfinite(sums).all():
        return cast(list[float], sums.tolist())
    there = np.isfinite(values) if where is None else np.isfinite(values) & where
    return cast(list[float], block_sums(np.where(there, terms, 0.0)).tolist())


def total_of(sums: Sequence[float]) -> float:
    """Return the exact sum of some sums, rounded once; infinite where float64 overflows."""
    try:
        return math.fsum(sums) if all(map(math.isfinite, sums)) else math.inf
    except OverflowError:  # of finite sums, as fsum has it
        return math.inf
