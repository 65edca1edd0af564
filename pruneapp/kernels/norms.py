"""Norms of channels: sums of powers, extremes, and singular values (the nuclear norm).

Sums are added in one fixed order, see `pruneapp.kernels.summation`. Only independent work runs in
parallel: parts of slices, whose sums are combined in order.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Slices
from pruneapp.kernels.summation import InPlace, SlicePart, SliceSums, cut, join, values_of
from pruneapp.kernels.threads import map_in_order, threads_for
from pruneapp.kernels.values import Float64s, Floats
from pruneapp.masks.channels import Box, boxes, extents
from pruneapp.params import Norm
from pruneapp.progress import Job

_BOX = 1 << 18
# Bytes of slices gathered in one pass over a tensor with interleaved slices.
_GATHERED = 1 << 26
# Multiplications from which a decomposition takes too long to be uninterruptible.
_LONG = 10**7


def nuclear_norms(slices: Slices, job: Job) -> Float64s:
    """Return the nuclear norm of every channel, float64; advances `job` by the elements.

    It is NaN for a slice with NaN, else infinite for one with an infinity, and 0 for an empty one.
    A slice is a matrix of its first remaining dimension by all others. Slices along the first
    dimension are read one after another; along others, as many as fit into a bounded memory (at
    least one) are gathered in one pass, and the tensor is read again for the next ones.
    """
    outer, channels, inner = extents(slices.shape, slices.dim)
    norms = np.zeros(channels)
    if outer * inner == 0:
        return norms
    remaining = slices.shape[: slices.dim] + slices.shape[slices.dim + 1 :]
    matrix = (remaining[0], math.prod(remaining[1:]))
    gather = _consecutive if outer == 1 else _gather_interleaved
    for channel, flat in gather(slices, job):
        norms[channel] = _nuclear_norm(flat.reshape(matrix), job)
        job.step(flat.size)
    return norms


Gathered = Iterator[tuple[int, Float64s]]


def _consecutive(slices: Slices, job: Job) -> Gathered:
    """Yield each channel with its flat slice, for channels along the first dimension.

    All slices share one buffer, which is valid until the next one is requested.
    """
    inner = extents(slices.shape, slices.dim)[2]
    flat = np.empty(inner)
    for box, part in _values(slices, job):
        for channel, run in enumerate(part[0], box.channels[0]):
            with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
                flat[slice(*box.inner)] = run
            if box.inner[1] == inner:
                yield channel, flat


def _gather_interleaved(slices: Slices, job: Job) -> Gathered:
    """Yield each channel with its flat slice, for any dimension, reading the tensor several times.

    As many slices as fit into 64 MiB, at least one, are gathered in one pass.
    """
    outer, channels, inner = extents(slices.shape, slices.dim)
    together = max(1, _GATHERED // (outer * inner * 8))
    for first in range(0, channels, together):
        last = min(first + together, channels)
        flat = np.empty((last - first, outer, inner))
        for box, part in _values(slices, job):
            low, high = max(first, box.channels[0]), min(last, box.channels[1])
            if low < high:
                chosen = part[:, low - box.channels[0] : high - box.channels[0]]
                target = flat[low - first : high - first, slice(*box.outer), slice(*box.inner)]
                with np.errstate(invalid="ignore"):
                    target[...] = chosen.transpose(1, 0, 2)
        for channel in range(first, last):
            yield channel, flat[channel - first].reshape(-1)


def _values(slices: Slices, job: Job) -> Iterator[tuple[Box, Floats]]:
    for box in boxes(slices.shape, slices.dim, _BOX):
        job.step(0)
        yield box, values_of(slices, box)


def _nuclear_norm(matrix: Float64s, job: Job) -> float:
    """Return the sum of the singular values; NaN or infinity if the matrix has any.

    Large matrices are decomposed on a thread, during which the job can be cancelled.
    """
    if np.isnan(matrix).any():
        return math.nan
    if np.isinf(matrix).any():
        return math.inf
    if matrix.size * min(matrix.shape) <= _LONG:
        return float(np.linalg.svd(matrix, compute_uv=False).sum())
    return _nuclear_norm_on_thread(matrix.copy(), job)


def _nuclear_norm_on_thread(matrix: Float64s, job: Job) -> float:
    """Return the sum of the singular values of a large matrix, computed on a thread.

    `matrix` must not change afterwards. LAPACK cannot be interrupted: if the job is cancelled,
    `Cancelled` is raised within 50 ms, and the thread ends later without effect. Raises
    `LinAlgError` or `MemoryError` of the thread.
    """
    answer: list[float | Exception] = []

    def decompose() -> None:
        try:
            answer.append(float(np.linalg.svd(matrix, compute_uv=False).sum()))
        except (np.linalg.LinAlgError, MemoryError) as error:
            answer.append(error)

    thread = threading.Thread(target=decompose, daemon=True, name="singular values")
    thread.start()
    while thread.is_alive():
        thread.join(0.05)
        job.step(0)
    if isinstance(answer[0], Exception):
        raise answer[0]
    return answer[0]


# Terms of a task.
_TASK = 1 << 21
# Up to this many tasks, one thread finishes before others would have started.
_FEW = 2


def sum_slices(slices: Slices, power: InPlace, job: Job, threads: int) -> Float64s:
    """Return the sum of the terms of every channel; advances `job` by the elements.

    `power` converts values to terms in place and must be thread-safe; no term may be -0.0. The sums
    do not depend on the number of threads; small tensors use one. 0 for empty slices.
    """
    outer, channels, inner = extents(slices.shape, slices.dim)
    length = outer * inner
    total = np.zeros(channels)
    if total.size * length == 0:
        return total
    plan = SliceSums.of(slices, (outer, channels, inner), power, job)
    if channels * length <= _FEW * _TASK:
        threads = 1
    used: deque[Float64s] = deque()  # allocating memory takes longer than the work

    def work(task: list[SlicePart]) -> list[tuple[SlicePart, Float64s]]:
        """Return the sums of the blocks of each part of a task, in reused memory."""
        try:
            memory = used.pop()
        except IndexError:
            memory = np.empty(plan.capacity)
        with np.errstate(all="ignore"):  # infinities and NaN are valid results
            done = [(part, plan.block_sums(part, memory)) for part in task]
        used.append(memory)
        return done

    def made() -> Iterator[Float64s]:
        """Yield the sums of blocks, or of runs, one after another."""
        tasks = _tasks(_parts(channels, length, plan))
        for task in map_in_order(tasks, work, job, threads):
            for part, sums in task:
                job.step(part.size)
                yield from sums

    sums = made()
    with np.errstate(all="ignore"):
        for first in range(0, channels, plan.channels):
            total[first : first + plan.channels] = join(length, plan.terms, sums)
        next(sums, None)  # ends the threads
    return total


def _parts(channels: int, length: int, plan: SliceSums) -> Iterator[SlicePart]:
    for first in range(0, channels, plan.channels):
        last = min(first + plan.channels, channels)
        for start, stop in cut(length, plan.terms):
            yield SlicePart(first, last, start, stop)


def _tasks(parts: Iterable[SlicePart]) -> Iterator[list[SlicePart]]:
    """Yield consecutive parts combined into tasks of at least `_TASK` terms, the last excepted."""
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


def channel_norms(slices: Slices, n: Norm, job: Job, threads: int | None = None) -> Float64s:
    """Return the norm of every channel as ``float64[channels]``, as `Kernel.channel_norms` does.

    `n` is the order: a number, inf, -inf, "fro" or "nuc". `threads` limits the number of threads,
    None to the number of CPUs; small tensors use one. It changes no bit of the result. All threads
    have ended when the function returns or raises.
    """
    if n == "nuc":
        return nuclear_norms(slices, job)
    threads = threads_for(math.prod(slices.shape), threads)
    order = 2.0 if n == "fro" else _as_float(n)
    if math.isinf(order):
        return _extremes(slices, job, threads, largest=order > 0)
    sums = sum_slices(slices, _power(order), job, threads)
    with np.errstate(all="ignore"):  # infinities and NaN are valid results
        return _root(sums, order)


def _as_float(n: Norm) -> float:
    try:
        return float(n)
    except OverflowError:  # an int beyond float64: the limit is the maximum or minimum norm
        return math.inf if int(n) > 0 else -math.inf


def _power(order: float) -> InPlace:
    """Return the function that converts values to terms of the sum of the norm `order`, in place.

    These are 0 and 1 for nonzero values if the order is 0, else powers of the magnitudes.
    """

    def count(values: Float64s) -> None:
        np.not_equal(values, 0, out=values)  # NaN is not zero, as in torch

    def magnitude(values: Float64s) -> None:
        np.abs(values, out=values)

    def square(values: Float64s) -> None:
        np.multiply(values, values, out=values)

    def power(values: Float64s) -> None:
        np.abs(values, out=values)
        np.power(values, order, out=values)

    special: dict[float, InPlace] = {0.0: count, 1.0: magnitude, 2.0: square}
    return special.get(order, power)


def _root(total: Float64s, order: float) -> Float64s:
    if order in {0.0, 1.0}:
        return total
    return np.sqrt(total) if order == 2.0 else np.power(total, 1.0 / order)


def _extremes(slices: Slices, job: Job, threads: int, *, largest: bool) -> Float64s:
    """Return the largest or the smallest magnitude of every channel; NaN for one with NaN.

    Advances `job` by the elements. An empty slice has 0 as the largest and infinity as the
    smallest.
    """
    pick = np.maximum if largest else np.minimum  # both propagate NaN
    result = np.full(slices.shape[slices.dim], 0.0 if largest else math.inf)

    def work(box: Box) -> tuple[Box, NDArray[np.floating]]:
        """Return the extremes of the channels of a box."""
        job.cancel.check()
        with np.errstate(invalid="ignore"):  # signalling NaNs stay NaNs
            magnitudes = np.abs(values_of(slices, box))
            return box, pick.reduce(magnitudes, axis=(0, 2))

    tasks = boxes(slices.shape, slices.dim, _BOX)
    for box, extremes in map_in_order(tasks, work, job, threads):
        part = result[slice(*box.channels)]
        with np.errstate(invalid="ignore"):
            pick(part, extremes, out=part)
        job.step(box.stop - box.start)
    return result
