"""Sums over slices of a tensor, pairwise in one fixed order.

Floating-point addition depends on the order, so the order is part of the specification. The terms
of a slice, in flat order, are divided into blocks of 4,096 (the last may be shorter), and the sums
of blocks are added in order. Inside a block, terms are added pairwise. A run of terms

- of fewer than 8 is added from left to right;
- of 8 to 128 is added in eight lanes: term i goes to lane i mod 8, the lanes are combined as ((0 +
  1) + (2 + 3)) + ((4 + 5) + (6 + 7)), and the terms after the last full eight are added afterwards,
  from left to right;
- of more than 128 is split in two, the first part having half the length rounded down to a multiple
  of 8. Each part is added by this rule, then the two sums are added.

``numpy.add.reduce`` adds contiguous float64 in this way, so it is used for contiguous slices (a
test compares it with this rule for every relevant length). For interleaved slices, the same is done
here with whole rows. Errors grow with the logarithm of the block length: N. J. Higham, "The
accuracy of floating point summation", SIAM J. Sci. Comput. 14, 1993.

A few channels and a few terms of each are added at a time, so that they fit the cache of a core.
Contiguous slices (along the first dimension of a matrix) are added directly. For interleaved
slices (along the last dimension), whole rows are added to each other. In all other cases the
elements are first transposed, so that those of a channel are contiguous.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from pruneapp.checkpoint.elements import Bits
from pruneapp.kernels.kernel import BLOCK, Slices
from pruneapp.kernels.values import Float64s, Floats, decode
from pruneapp.masks.channels import Box
from pruneapp.progress import Job

LANES = 8
# Maximum number of terms that are added in lanes. A block is 32 times as long, so that whole blocks
# are split into equal runs.
RUN = 128


def cut(length: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield start and stop of the parts of a slice of `length` terms that can be added separately.

    They are in order, with at most `most` terms each, a power of two of at least `RUN`. From
    `BLOCK` on, parts are whole blocks (the last may be shorter); below, they are runs of a block.
    Nothing for an empty slice.
    """
    if most >= BLOCK:
        for start in range(0, length, most):
            yield start, min(start + most, length)
        return
    for start in range(0, length, BLOCK):
        yield from _runs(start, min(start + BLOCK, length), most)


def _runs(start: int, stop: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield start and stop of the runs of at most `most` terms of a block, in order."""
    if stop - start <= most:
        yield start, stop
        return
    middle = start + _first(stop - start)
    yield from _runs(start, middle, most)
    yield from _runs(middle, stop, most)


def _first(length: int) -> int:
    """Return the length of the first part of a run of more than `RUN` terms."""
    return length // 2 // LANES * LANES


def join(length: int, most: int, sums: Iterator[Float64s]) -> Float64s:
    """Return the sum of a slice of `length` terms (at least one) from the sums of its parts.

    `most` is the maximum number of terms of a part, as in `cut`. `sums` are those of blocks, or of
    runs if these are shorter; only those needed are consumed. The elements of each are sums of
    different slices. The result is a new array.
    """
    most = min(most, BLOCK)
    total = np.add(_join_runs(min(BLOCK, length), most, sums), 0.0)  # a copy
    for start in range(BLOCK, length, BLOCK):
        total += _join_runs(min(BLOCK, length - start), most, sums)
    return total


def _join_runs(length: int, most: int, sums: Iterator[Float64s]) -> Float64s:
    if length <= most:
        return next(sums)
    first = _join_runs(_first(length), most, sums)
    return np.add(first, _join_runs(length - _first(length), most, sums))


def add_along(terms: Float64s) -> Float64s:
    """Return the sums of the blocks of slices, a new array of shape (blocks, slices).

    `terms` have the shape (slices, terms), contiguous per slice, and begin at the border of a
    block; or they are one run of a block. The last block may be shorter.
    """
    slices, length = terms.shape
    whole = length // BLOCK
    sums = np.empty((-(-length // BLOCK), slices))
    if whole:
        blocks = terms[:, : whole * BLOCK].reshape(slices, whole, BLOCK)
        np.add.reduce(blocks, axis=2, out=sums[:whole].T)
    if length > whole * BLOCK:
        np.add.reduce(terms[:, whole * BLOCK :], axis=1, out=sums[whole])
    return sums


def add_across(terms: Float64s) -> Float64s:
    """Return the sums of the blocks of slices, a new array of shape (blocks, slices).

    `terms` are in C order, of shape (terms, slices), otherwise as for `add_along`.
    """
    length, slices = terms.shape
    whole = length // BLOCK
    sums = np.empty((-(-length // BLOCK), slices))
    if whole:
        sums[:whole] = _add_runs(terms[: whole * BLOCK], BLOCK // RUN)
    if length > whole * BLOCK:
        sums[whole] = _add_rows(terms[whole * BLOCK :])
    return sums


def _add_rows(terms: Float64s) -> Float64s:
    """Return the sum of the rows of one run or block, in the order of the rule."""
    length = len(terms)
    total: Float64s
    if length % RUN == 0 and (length // RUN).bit_count() == 1:
        total = _add_runs(terms, length // RUN)[0]
        return total
    if length > RUN:
        first = _first(length)
        total = np.add(_add_rows(terms[:first]), _add_rows(terms[first:]))
        return total
    whole = length // LANES
    slices = terms.shape[1]
    lanes: Float64s = np.add.reduce(terms[: whole * LANES].reshape(whole, LANES * slices), axis=0)
    return join_lanes(lanes.reshape(LANES, slices), terms[whole * LANES :])


def _add_runs(terms: Float64s, runs: int) -> Float64s:
    """Return the sums of stretches of `runs` runs of `RUN` rows; shape (stretches, slices).

    `runs` is a power of two. NumPy adds row after row along an axis that is not the last. Eight
    rows are treated as one, so that there is never a single column, which NumPy would add pairwise.
    """
    slices = terms.shape[1]
    lanes: Float64s = np.add.reduce(terms.reshape(-1, RUN // LANES, LANES * slices), axis=1)
    return _add_pairwise(lanes.reshape(-1, slices), LANES * runs)


def join_lanes(lanes: Float64s, rest: Float64s) -> Float64s:
    """Return the sum of a run from its lanes (8, slices) and `rest`, its last up to seven rows.

    Lanes are zeros if the run is shorter, which changes no sum, because no term is -0.0. Neither
    argument is changed.
    """
    total: Float64s = _add_pairwise(lanes, LANES)[0]
    for row in rest:
        total += row
    return total


def _add_pairwise(rows: Float64s, times: int) -> Float64s:
    """Add `times` rows, a power of two, into one: neighbors first, then their sums."""
    while times > 1:
        rows = np.add(rows[0::2], rows[1::2])
        times //= 2
    return rows


def read_box(slices: Slices, box: Box) -> Bits:
    """Return the raw elements of a box in its shape, +0.0 where pruned.

    The box must be contiguous in flat order. Thread-safe. The result may be the buffer of this read
    and must not be modified.
    """
    size = box.stop - box.start
    chunks = slices.read(box.start, box.stop)
    bits = next(chunks).bits
    if bits.size < size or slices.kept is not None:
        whole = np.empty(size, bits.dtype)
        whole[: bits.size] = bits
        at = bits.size
        for chunk in chunks:
            whole[at : at + chunk.bits.size] = chunk.bits
            at += chunk.bits.size
        bits = whole
    if slices.kept is not None:
        # Not by multiplication, because inf and NaN can be pruned as well.
        slices.kept.zero(bits, box.start)
    return bits.reshape(box.shape)


def values_of(slices: Slices, box: Box) -> Floats:
    """Return the values of a box in its shape, 0 where pruned."""
    return decode(read_box(slices, box), slices.dtype)


InPlace = Callable[[Float64s], None]

# Elements that are read, converted to terms and added at a time: few enough for the cache, enough
# to make the overhead of Python negligible. Fewer for small tensors, because allocation takes time.
# All are powers of two; the minimum is one of at least BLOCK.
PIECE = 1 << 19
LEAST = 1 << 17
PIECES = 16  # pieces of a small tensor
# Maximum channels of which whole rows are added to each other.
WIDE = 1 << 16
# Maximum contiguous elements of a channel for which that is done,
NARROW = 8
# and for which they are transposed as one item instead of one by one.
ROW = 32


@dataclass(frozen=True)
class SlicePart:
    """The terms `start` to `stop` of the slices of the channels `first` to `last`."""

    first: int
    last: int
    start: int
    stop: int

    @property
    def size(self) -> int:
        """Number of terms."""
        return (self.last - self.first) * (self.stop - self.start)


class SliceSums(ABC):
    """Sums the slices of one tensor, of shape (outer, channels, inner), part by part.

    `channels` slices are summed together, `terms` of each at a time (as the argument of `cut`), in
    memory of `capacity` elements.
    """

    channels: int
    terms: int
    capacity: int

    def __init__(
        self, slices: Slices, shape: tuple[int, int, int], power: InPlace, job: Job
    ) -> None:
        """Store the parameters of `of` and choose the sizes of parts. Nothing is read."""
        self._slices = slices
        self._shape = shape
        self._power = power
        self._job = job
        self._piece = min(max(power_of_two(math.prod(shape) // PIECES), LEAST), PIECE)
        self._plan()

    @classmethod
    def of(cls, slices: Slices, shape: tuple[int, int, int], power: InPlace, job: Job) -> SliceSums:
        """Return the summation for a tensor that is not empty: across rows, or along slices.

        `shape` is (outer, channels, inner). `power` converts values to terms in place; `job` is
        used for cancellation.
        """
        outer, channels, inner = shape
        if channels == 1:
            return AlongSlices(slices, (1, 1, outer * inner), power, job)
        if inner == 1 or (outer > 1 and inner <= NARROW and channels <= WIDE):
            return AcrossSlices(slices, shape, power, job)
        return AlongSlices(slices, shape, power, job)

    @abstractmethod
    def _plan(self) -> None:
        """Set `channels`, `terms` and `capacity`."""

    @abstractmethod
    def block_sums(self, part: SlicePart, memory: Float64s) -> Float64s:
        """Return the sums of the blocks, or of the run, of each slice: (blocks, channels), new.

        `memory` has `capacity` elements, which are overwritten with terms.
        """


class AlongSlices(SliceSums):
    """Sums slices of which several elements are contiguous."""

    def _plan(self) -> None:
        """Choose parts of about `_piece` terms: whole slices, or parts of some or all channels."""
        outer, channels, inner = self._shape
        length, piece = outer * inner, self._piece
        if outer == 1:  # whole slices, or parts of one
            terms = piece if inner > piece else -(-inner // BLOCK) * BLOCK
        else:
            # Rows are read completely, so short parts would waste reads.
            terms = power_of_two(piece // channels)
            terms = min(max(terms, power_of_two(16 * inner), RUN), piece)
        self.terms = terms
        self.channels = max(1, piece // min(length, terms))
        if outer > 1 and 8 * inner <= terms and channels <= 4 * self.channels:
            # One long read is faster than many short ones.
            self.channels = channels
        self.capacity = self.channels * (min(length, terms) + (0 if outer == 1 else 2 * inner))

    def block_sums(self, part: SlicePart, memory: Float64s) -> Float64s:
        """Read boxes, make slices contiguous, compute terms, and add them; see `SliceSums`."""
        inner = self._shape[2]
        channels = part.last - part.first
        # For a single channel, only the part of a row is read; for several, whole rows.
        begin, end = part.start, part.stop
        if channels > 1:
            begin, end = begin // inner * inner, -(-end // inner) * inner
        terms = memory[: channels * (end - begin)].reshape(channels, end - begin)
        for box in self._boxes(part, begin, end):
            self._job.cancel.check()
            rows, _, width = box.shape
            at = box.outer[0] * inner + box.inner[0] - begin
            target = terms[:, at : at + rows * width].reshape(channels, rows, width)
            np.copyto(target, decode(_transpose(read_box(self._slices, box)), self._slices.dtype))
        self._power(terms)
        return add_along(terms[:, part.start - begin : part.stop - begin])

    def _boxes(self, part: SlicePart, begin: int, end: int) -> Iterator[Box]:
        """Yield boxes of the terms `begin` to `end` of the channels of a part, in order.

        Whole rows of all channels are one box; otherwise there is one per row.
        """
        _, channels, inner = self._shape
        among = (part.first, part.last)
        if part.last - part.first == channels and begin % inner == end % inner == 0:
            first, last = begin // inner, end // inner
            yield Box(first * channels * inner, (first, last), among, (0, inner))
            return
        while begin < end:
            row, left = divmod(begin, inner)
            right = min(inner, left + end - begin)
            start = (row * channels + part.first) * inner + left
            yield Box(start, (row, row + 1), among, (left, right))
            begin += right - left


def _transpose(bits: Bits) -> Bits:
    """Transpose bits of shape (rows, channels, width) to (channels, rows, width).

    A view for a single row or wide rows, otherwise a copy.
    """
    rows, channels, width = bits.shape
    if rows == 1 or width > ROW:
        return bits.swapaxes(0, 1)
    out = np.empty((channels, rows, width), bits.dtype)
    whole = np.dtype((np.void, width * bits.itemsize))
    out.view(whole)[...] = bits.view(whole).swapaxes(0, 1)
    return out


class AcrossSlices(SliceSums):
    """Sums slices of which every row of a matrix contains one or a few elements.

    The inner dimension must be 1 if there are more channels than `WIDE`.
    """

    def _plan(self) -> None:
        channels = self._shape[1]
        self.channels = -(-channels // -(-channels // WIDE))
        self.terms = max(power_of_two(self._piece // self.channels), RUN)
        self.capacity = max(self._piece, 2 * LANES * self.channels)

    def block_sums(self, part: SlicePart, memory: Float64s) -> Float64s:
        """Read the rows of a part, compute terms, and add them across rows; see `SliceSums`."""
        width = part.last - part.first
        if part.size > self.capacity:
            return self._sum_of_run(part, *memory[: 2 * LANES * width].reshape(2, LANES, width))
        terms = memory[: part.size].reshape(-1, width)
        np.copyto(terms, self._values(part, part.start, part.stop))
        self._power(terms)
        return add_across(terms)

    def _sum_of_run(self, part: SlicePart, lanes: Float64s, terms: Float64s) -> Float64s:
        """Return the sum of a run of eight or more rows, keeping only the lanes in the cache.

        `lanes` and `terms` are memory of 8 rows each.
        """
        rest = terms[:0]
        step = max(self._piece // lanes.size, 1) * LANES
        for start in range(part.start, part.stop, step):
            values = self._values(part, start, min(start + step, part.stop))
            for first in range(0, len(values), LANES):
                rows = values[first : first + LANES]
                begin = start + first == part.start
                target = lanes if begin else terms[: len(rows)]
                np.copyto(target, rows)
                self._power(target)
                if len(rows) < LANES:
                    rest = target
                elif not begin:
                    np.add(lanes, terms, out=lanes)
        return join_lanes(lanes, rest)[np.newaxis]

    def _values(self, part: SlicePart, start: int, stop: int) -> Floats:
        """Return elements `start` to `stop` of the channels of a part, shape (rows, channels).

        A part of the channels requires an inner dimension of 1. Raises `Cancelled`.
        """
        self._job.cancel.check()
        _, channels, inner = self._shape
        among = (part.first, part.last)
        if part.last - part.first == channels:
            rows = (start // inner, -(-stop // inner))
            values = values_of(
                self._slices, Box(rows[0] * inner * channels, rows, among, (0, inner))
            )
            turned = values.swapaxes(1, 2).reshape(-1, channels)
            return turned[start - rows[0] * inner : stop - rows[0] * inner]
        boxes = (
            Box(row * channels + part.first, (row, row + 1), among, (0, 1))
            for row in range(start, stop)
        )
        bits = np.concatenate([read_box(self._slices, box) for box in boxes])
        return decode(bits[..., 0], self._slices.dtype)


def power_of_two(least: int) -> int:
    """Return the largest power of two up to `least`; 1 for less than 1."""
    return 1 << max(least.bit_length() - 1, 0)
