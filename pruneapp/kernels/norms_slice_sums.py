"""Sums over the slices of channels, in the order of `pruneapp.kernels.summation_pairwise`.

What runs side by side is only what is independent: parts of slices, which are joined in order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Slices
from pruneapp.kernels.summation import InPlace, SlicePart, Way, way_through
from pruneapp.kernels.summation_pairwise import Sums, cut, join
from pruneapp.kernels.threads import in_order
from pruneapp.masks.channels import extents
from pruneapp.progress import Job

# Terms of a task.
_TASK = 1 << 21
# Tasks up to which one thread is done before others have begun.
_FEW = 2


def sum_slices(slices: Slices, power: InPlace, job: Job, threads: int) -> NDArray[np.float64]:
    """Return the sum of the terms of every channel; steps `job` by the elements.

    Parameters
    ----------
    slices
        The tensor.
    power
        Turns values into the terms of the sum, in place; called from any thread. No term is -0.0.
    job
        Looked at in all threads, stepped in this one.
    threads
        How many work at once; 1 is this one. The sums do not depend on it.
    """
    outer, channels, inner = extents(slices.shape, slices.dim)
    length = outer * inner
    total = np.zeros(channels)
    if total.size * length == 0:
        return total
    way = way_through(slices, (outer, channels, inner), power, job)
    if channels * length <= _FEW * _TASK:
        threads = 1
    used: deque[Sums] = deque()  # fresh memory costs more than the work on it

    def work(task: list[SlicePart]) -> list[tuple[SlicePart, Sums]]:
        try:
            memory = used.pop()
        except IndexError:
            memory = np.empty(way.room)
        with np.errstate(all="ignore"):  # infinities and NaN are answers here
            done = [(part, way.sums(part, memory)) for part in task]
        used.append(memory)
        return done

    def made() -> Iterator[Sums]:
        """Yield the sums of blocks, or of runs, one after the other."""
        tasks = _tasks(_parts(channels, length, way))
        for task in in_order(tasks, work, job, threads):
            for part, sums in task:
                job.step(part.size)
                yield from sums

    sums = made()
    with np.errstate(all="ignore"):
        for first in range(0, channels, way.channels):
            total[first : first + way.channels] = join(length, way.terms, sums)
        next(sums, None)  # lets the threads go
    return total


def _parts(channels: int, length: int, way: Way) -> Iterator[SlicePart]:
    for first in range(0, channels, way.channels):
        last = min(first + way.channels, channels)
        for start, stop in cut(length, way.terms):
            yield SlicePart(first, last, start, stop)


def _tasks(parts: Iterable[SlicePart]) -> Iterator[list[SlicePart]]:
    """Put parts together until they are worth a task."""
    task: list[SlicePart] = []
    size = 0
    for part in parts:
        task.append(part)
        size += part.size
        if size >= _TASK:
            yield task
            task, size = [], 0
    if task:
        yield task
