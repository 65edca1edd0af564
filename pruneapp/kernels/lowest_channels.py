"""Selection of the channels with the smallest norms, mostly by approximate sums.

The selection is defined by the exact norms, which are float64 sums in a fixed order. But float32
distinguishes nearly every channel from the cut and takes a quarter to half less time. The error of
an approximate sum is bounded, so exact norms are needed only for the few channels within the
bounds.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements import RawChunk
from pruneapp.kernels.kernel import Slices
from pruneapp.kernels.norms import channel_norms
from pruneapp.kernels.summation import read_box, values_of
from pruneapp.kernels.threads import default_threads, map_in_order
from pruneapp.kernels.values import Float64s, Indices
from pruneapp.masks.channels import Box, boxes, extents
from pruneapp.params import Norm
from pruneapp.progress import Job

# Up to this many scores, sorting is as fast as partitioning.
_FEW = 1 << 14


def smallest(scores: Float64s, count: int) -> Indices:
    """Return the indices of the `count` smallest scores, in ascending order of the indices.

    NaN is larger than all others; of equal scores the first is selected first. A `count` above the
    number of scores returns all indices.
    """
    if scores.size > _FEW and count:
        cut = np.partition(scores, count - 1)[count - 1]
        if not np.isnan(cut):
            is_selected = scores < cut
            ties = np.flatnonzero(scores == cut)
            is_selected[ties[: count - np.count_nonzero(is_selected)]] = True
            return np.flatnonzero(is_selected)
    return np.sort(np.argsort(scores, kind="stable")[:count])


# Minimum elements of a tensor for which approximate sums are worthwhile.
WORTH_A_LOOK = 1 << 20
# Elements processed at a time.
PIECE = 1 << 19
# Number of terms added in float32, for slices that are contiguous, and for interleaved ones. Fewer
# for the latter, because channels that remain undecided are then scattered over the tensor.
RUN = 1 << 10
ROWS = 1 << 3
# Minimum elements per row of all channels, channels, and elements per channel for approximate sums.
LEAST_ROW = 1 << 9
LEAST_CHANNELS = 1 << 5
LEAST_TERMS = 1 << 8
# If more elements or channels are undecided, all norms are computed.
MOST_ELEMENTS = 1 << 22
MOST_CHANNELS = 1 << 10


def lowest_channels(
    slices: Slices, n: Norm, among: Indices, count: int, job: Job, *, threads: int | None = None
) -> Indices:
    """Return which channels of `among` have the smallest norms; see `Kernel.lowest_channels`.

    The result is in the order of `among`, which is ascending. If `count` is 0 or all channels,
    nothing is read. `threads` limits the number of threads, None to the number of CPUs.
    """
    if count in {0, among.size}:
        job.step(math.prod(slices.shape))
        return among[:count]
    if not _is_worthwhile(slices, n):
        return among[smallest(channel_norms(slices, n, job, threads)[among], count)]
    threads = default_threads() if threads is None else threads
    bounds = _bounds(slices, n, job, threads)
    certain, unsure = bounds.split(among, count)
    left = count - certain.size
    if unsure.size > left:
        unsure = unsure[smallest(_norms_of(slices, n, unsure, job, threads), left)]
    return np.sort(np.concatenate([certain, unsure]))


def _is_worthwhile(slices: Slices, n: Norm) -> bool:
    """Return whether approximate sums are faster for a tensor.

    Only for norms 1, 2 and "fro" of floats of up to 32 bits in large tensors with many long
    channels.
    """
    outer, channels, inner = extents(slices.shape, slices.dim)
    return (
        n in {1, 2, "fro"}
        and slices.dtype.form is not None
        and slices.dtype.bits <= 32  # float32 represents every value
        and outer * channels * inner >= WORTH_A_LOOK
        and (outer == 1 or channels * inner >= LEAST_ROW)
        and channels >= LEAST_CHANNELS
        and outer * inner >= LEAST_TERMS
    )


@dataclass(frozen=True, eq=False)
class _Bounds:
    """Lower and upper bounds of the exact sum of the terms of each channel."""

    low: Float64s
    high: Float64s

    def split(self, among: Indices, count: int) -> tuple[Indices, Indices]:
        """Return the channels certainly among the `count` lowest, and those that may be.

        `among` are the channels to choose from, and `count` is from 1 to their number. If the upper
        bound of a channel is below the `count`-th lowest lower bound, fewer than `count` others can
        be as small. If its lower bound is above the `count`-th lowest upper bound, `count` others
        are smaller.

        Norms are roots of these sums, and different sums can have equal roots. Those of decided
        channels cannot: `_errors` are a billion times what the root loses.
        """
        low, high = self.low[among], self.high[among]
        certain = high < np.partition(low, count - 1)[count - 1]
        above = low > np.partition(high, count - 1)[count - 1]
        return among[certain], among[~(certain | above)]


def _bounds(slices: Slices, n: Norm, job: Job, threads: int) -> _Bounds:
    """Add the terms of every channel approximately; `n` is 1, 2 or "fro".

    Advances `job` by the elements. Sums that are not finite have infinite bounds.
    """
    outer, channels, inner = extents(slices.shape, slices.dim)
    spare: deque[NDArray[np.float32]] = deque()  # allocating memory takes longer than the work

    def work(box: Box) -> tuple[Box, Float64s]:
        """Return the approximate sums of the channels of a box, in reused memory."""
        job.cancel.check()
        try:
            memory = spare.pop()
        except IndexError:
            memory = np.empty(PIECE, np.float32)
        with np.errstate(all="ignore"):  # non-finite sums are computed again
            values = values_of(slices, box)
            terms = memory[: values.size].reshape(values.shape)
            if n == 1:
                np.abs(values, out=terms)
            else:
                np.multiply(values, values, out=terms)
            sums = _add_roughly(terms)
        spare.append(memory)
        return box, sums

    total = np.zeros(channels)
    with np.errstate(all="ignore"):
        for box, sums in map_in_order(boxes(slices.shape, slices.dim, PIECE), work, job, threads):
            total[slice(*box.channels)] += sums
            job.step(box.stop - box.start)
        relative, absolute = _errors(outer * inner, max(min(outer, ROWS), min(inner, RUN)))
        low, high = total * (1 - relative) - absolute, total * (1 + relative) + absolute
    not_finite = ~np.isfinite(total)  # float32 overflows where float64 does not, which can give NaN
    low[not_finite], high[not_finite] = -np.inf, np.inf
    return _Bounds(low, high)


def _add_roughly(terms: NDArray[np.float32]) -> Float64s:
    """Return the sum per channel of terms of shape (outer, channels, inner), as float64.

    Runs of terms are added in float32, and these sums in float64.
    """
    outer, channels, inner = terms.shape
    sums = np.zeros(channels)
    if outer > 1:
        whole = outer // ROWS * ROWS
        for rows in (
            np.add.reduce(terms[:whole].reshape(-1, ROWS, channels, inner), axis=1),
            terms[whole:],
        ):
            sums += np.add.reduce(np.add.reduce(rows, axis=0, dtype=np.float64), axis=1)
        return sums
    whole = inner // RUN * RUN
    runs = np.add.reduce(terms[0, :, :whole].reshape(channels, -1, RUN), axis=2)
    sums += np.add.reduce(runs, axis=1, dtype=np.float64)
    sums += np.add.reduce(terms[0, :, whole:], axis=1)
    return sums


def _errors(length: int, added: int) -> tuple[float, float]:
    """Return bounds of the relative and the absolute error of an approximate sum.

    For sums of `length` non-negative terms in any order, with at most `added` terms added in
    float32 (N. J. Higham, "Accuracy and stability of numerical algorithms", 2002, section 4.2):
    half a unit in the last place for each addition, and for rounding a square. The relative bound
    includes some percent for products of errors; the absolute one covers subnormal float32 terms,
    even if the processor flushes them to zero.
    """
    relative = 1.1 * ((added + 2) * 2.0**-24 + 2 * length * 2.0**-53)
    return relative, length * 2.0**-126


def _norms_of(slices: Slices, n: Norm, some: Indices, job: Job, threads: int) -> Float64s:
    """Return the exact norms of the channels `some`, which are ascending, reading them again.

    Extends `job` by the elements that are read. For very many channels, the norms of all are
    computed.
    """
    outer, _, inner = extents(slices.shape, slices.dim)
    size = math.prod(slices.shape)
    if some.size > MOST_CHANNELS or some.size * outer * inner > MOST_ELEMENTS:
        job.extend(size)
        return channel_norms(slices, n, job, threads)[some]
    tasks = list(_boxes_containing(some, slices))
    job.extend(sum(box.stop - box.start for box in tasks))
    gathered = np.empty((some.size, outer, inner), slices.dtype.storage)

    def work(box: Box) -> int:
        job.cancel.check()
        first, last = np.searchsorted(some, box.channels)
        bits = read_box(slices, box)[:, some[first:last] - box.channels[0]]
        gathered[first:last, slice(*box.outer), slice(*box.inner)] = bits.swapaxes(0, 1)
        return box.stop - box.start

    for elements in map_in_order(tasks, work, job, threads):
        job.step(elements)
    bits = gathered.reshape(-1)

    def read(start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        yield RawChunk(start, bits[start:stop])

    gathered_slices = Slices((some.size, outer * inner), slices.dtype, 0, None, read)
    return channel_norms(gathered_slices, n, Job(cancel=job.cancel), threads)


def _boxes_containing(some: Indices, slices: Slices) -> Iterator[Box]:
    """Yield the smallest boxes of a tensor that contain the channels `some`, which are ascending.

    Boxes instead of channels: in a file that stores a tensor transposed, reading its smallest piece
    takes as long as a whole box.
    """
    for box in boxes(slices.shape, slices.dim, PIECE):
        first, last = np.searchsorted(some, box.channels)
        if first == last:
            continue
        if box.shape[0] == 1 and box.shape[1] > 1:  # its channels are contiguous
            begin, end = int(some[first]), int(some[last - 1]) + 1
            start = box.start + (begin - box.channels[0]) * box.shape[2]
            yield Box(start, box.outer, (begin, end), box.inner)
        else:
            yield box
