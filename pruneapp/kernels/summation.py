"""Sums over slices of a tensor, pairwise in one fixed order.

Floating point addition depends on its order, so the order is part of the contract. The terms of a
slice, in flat order, are cut into blocks of 4,096, the last may be shorter; the blocks are added in
order. Inside a block the terms are added pairwise. A run of them

- of fewer than 8 is added from left to right;
- of 8 to 128 is added in eight lanes: term i goes to lane i mod 8, the lanes are joined as
  ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)), and the terms beyond the last full eight are added
  afterwards, from left to right;
- of more than 128 is cut in two, the first part half its length rounded down to a multiple of 8.
  Each is added by this rule, then the two sums are.

That is how ``numpy.add.reduce`` adds float64 that lie side by side, so it is used for slices that
do (a test compares it with this rule for every length that matters). Where slices stand side by
side, element by element, the same is done here with whole rows. Errors grow with the logarithm of
the length of a block: N. J. Higham, "The accuracy of floating point summation", SIAM J. Sci.
Comput. 14, 1993.

Of a tensor a few channels and a few terms of each are added at once, within the cache of a core.
Where the terms of a slice lie in one piece (the first dimension of a matrix) they are added as they
stand. Where slices stand side by side (the last dimension), whole rows are added to each other.
Everything between is turned over first, so that the elements of a channel lie in one piece.
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
# The most terms that are added in lanes. A block is 32 times as many, so that whole blocks are cut
# into equal runs.
RUN = 128


def cut(length: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield start and stop of parts of a slice of so many terms that can be added by themselves.

    They are in order and have `most` terms, a power of two from `RUN` on. From `BLOCK` on parts are
    whole blocks (the last may be shorter), below that they are runs of a block.
    """
    if most >= BLOCK:
        for start in range(0, length, most):
            yield start, min(start + most, length)
        return
    for start in range(0, length, BLOCK):
        yield from _runs(start, min(start + BLOCK, length), most)


def _runs(start: int, stop: int, most: int) -> Iterator[tuple[int, int]]:
    if stop - start <= most:
        yield start, stop
        return
    middle = start + _first(stop - start)
    yield from _runs(start, middle, most)
    yield from _runs(middle, stop, most)


def _first(length: int) -> int:
    """Return how many terms of a run of more than `RUN` come into its first part."""
    return length // 2 // LANES * LANES


def join(length: int, most: int, sums: Iterator[Float64s]) -> Float64s:
    """Return the sum of a slice from the sums of its parts; `length` and `most` as in `cut`.

    `sums` are of the blocks, or of the runs if these are shorter; as many as are needed are taken.
    """
    most = min(most, BLOCK)
    total = np.add(_join_runs(min(BLOCK, length), most, sums), 0.0)  # in memory of its own
    for start in range(BLOCK, length, BLOCK):
        total += _join_runs(min(BLOCK, length - start), most, sums)
    return total


def _join_runs(length: int, most: int, sums: Iterator[Float64s]) -> Float64s:
    if length <= most:
        return next(sums)
    first = _join_runs(_first(length), most, sums)
    return np.add(first, _join_runs(length - _first(length), most, sums))


def add_along(terms: Float64s) -> Float64s:
    """Return the sums of the blocks of some slices, shape (blocks, slices).

    `terms` have the shape (slices, terms), those of a slice side by side, from a block's border on;
    or they are a run of a block.
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
    """Return the sums of the blocks of some slices, shape (blocks, slices).

    `terms` are C ordered, of shape (terms, slices), otherwise as for `add_along`.
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
    """Add stretches of so many runs of `RUN` rows each, a power of two, shape (stretches, slices).

    Row after row, as numpy adds along an axis that is not the last. Eight rows are one here, so
    that it never sees a single column, which it would add pairwise.
    """
    slices = terms.shape[1]
    lanes: Float64s = np.add.reduce(terms.reshape(-1, RUN // LANES, LANES * slices), axis=1)
    return _halved(lanes.reshape(-1, slices), LANES * runs)


def join_lanes(lanes: Float64s, rest: Float64s) -> Float64s:
    """Return the sum of a run from its lanes (8, slices), and fewer than eight rows beyond.

    Lanes are zeros if the run is shorter, which change no sum: no term is -0.0.
    """
    total: Float64s = _halved(lanes, LANES)[0]
    for row in rest:
        total += row
    return total


def _halved(rows: Float64s, times: int) -> Float64s:
    """Add so many rows, a power of two, to one: neighbours, then neighbours of these."""
    while times > 1:
        rows = np.add(rows[0::2], rows[1::2])
        times //= 2
    return rows


def read_box(slices: Slices, box: Box) -> Bits:
    """Return the raw elements of a box, +0.0 where pruned, shaped like the box.

    May be called from any thread. The elements lie in memory of their own or in the buffer of
    this one reading, and are not to be written to.
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
        # Not multiplied as numbers: inf and NaN are pruned, too.
        slices.kept.zero(bits, box.start)
    return bits.reshape(box.shape)


def values_of(slices: Slices, box: Box) -> Floats:
    """Return the values of a box, 0 where pruned, shaped like the box; see `read_box`."""
    return decode(read_box(slices, box), slices.dtype)


InPlace = Callable[[Float64s], None]

# Elements that are read, made terms, and added at once: few enough for the cache, so many that
# Python's part does not count. Of a small tensor fewer, as fresh memory has its price. All are
# powers of two; the least is one from BLOCK on.
PIECE = 1 << 19
LEAST = 1 << 17
PIECES = 16  # of a tensor that is small
# Channels at most of which whole rows are added to each other.
WIDE = 1 << 16
# Elements of a channel in one piece up to which that is done,
NARROW = 8
# and up to which they are turned over as one thing, not one by one.
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
    """Adds up the slices of one tensor, of shape (outer, channels, inner), part by part.

    So many `channels` are added up together, so many `terms` of each (as `cut` takes it), in memory
    of so many elements: `capacity`.
    """

    channels: int
    terms: int
    capacity: int

    def __init__(
        self, slices: Slices, shape: tuple[int, int, int], power: InPlace, job: Job
    ) -> None:
        self._slices = slices
        self._shape = shape
        self._power = power
        self._job = job
        self._piece = min(max(power_of_two(math.prod(shape) // PIECES), LEAST), PIECE)
        self._plan()

    @classmethod
    def of(cls, slices: Slices, shape: tuple[int, int, int], power: InPlace, job: Job) -> SliceSums:
        """Return how to add up a tensor that is not empty.

        `power` turns values into terms, in place; `job` is asked whether to go on.
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
    def sums(self, part: SlicePart, memory: Float64s) -> Float64s:
        """Return the sums of the blocks of a part, or of the run it is: (blocks, channels)."""


class AlongSlices(SliceSums):
    """Adds up slices of which several elements lie side by side."""

    def _plan(self) -> None:
        outer, channels, inner = self._shape
        length, piece = outer * inner, self._piece
        if outer == 1:  # whole slices, or parts of one
            terms = piece if inner > piece else -(-inner // BLOCK) * BLOCK
        else:
            # A row is read as a whole, and in vain as far as the part does not reach.
            terms = power_of_two(piece // channels)
            terms = min(max(terms, power_of_two(16 * inner), RUN), piece)
        self.terms = terms
        self.channels = max(1, piece // min(length, terms))
        if outer > 1 and 8 * inner <= terms and channels <= 4 * self.channels:
            # One long reading is better than many short ones.
            self.channels = channels
        self.capacity = self.channels * (min(length, terms) + (0 if outer == 1 else 2 * inner))

    def sums(self, part: SlicePart, memory: Float64s) -> Float64s:
        """Read, turn over, make terms, add."""
        inner = self._shape[2]
        channels = part.last - part.first
        # A row of a single channel is cut to the part, of more it is read as a whole.
        begin, end = part.start, part.stop
        if channels > 1:
            begin, end = begin // inner * inner, -(-end // inner) * inner
        terms = memory[: channels * (end - begin)].reshape(channels, end - begin)
        for box in self._boxes(part, begin, end):
            self._job.cancel.check()
            rows, _, width = box.shape
            at = box.outer[0] * inner + box.inner[0] - begin
            target = terms[:, at : at + rows * width].reshape(channels, rows, width)
            np.copyto(target, decode(_turned(read_box(self._slices, box)), self._slices.dtype))
        self._power(terms)
        return add_along(terms[:, part.start - begin : part.stop - begin])

    def _boxes(self, part: SlicePart, begin: int, end: int) -> Iterator[Box]:
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


def _turned(bits: Bits) -> Bits:
    """Return bits of shape (rows, channels, width) as (channels, rows, width)."""
    rows, channels, width = bits.shape
    if rows == 1 or width > ROW:
        return bits.swapaxes(0, 1)
    out = np.empty((channels, rows, width), bits.dtype)
    whole = np.dtype((np.void, width * bits.itemsize))
    out.view(whole)[...] = bits.view(whole).swapaxes(0, 1)
    return out


class AcrossSlices(SliceSums):
    """Adds up slices of which an element, or a few, lie in every row of a matrix.

    The inner dimension is 1 if there are more channels than `WIDE`.
    """

    def _plan(self) -> None:
        channels = self._shape[1]
        self.channels = -(-channels // -(-channels // WIDE))
        self.terms = max(power_of_two(self._piece // self.channels), RUN)
        self.capacity = max(self._piece, 2 * LANES * self.channels)

    def sums(self, part: SlicePart, memory: Float64s) -> Float64s:
        """Read, make terms, add."""
        width = part.last - part.first
        if part.size > self.capacity:
            return self._sum_of_run(part, *memory[: 2 * LANES * width].reshape(2, LANES, width))
        terms = memory[: part.size].reshape(-1, width)
        np.copyto(terms, self._values(part, part.start, part.stop))
        self._power(terms)
        return add_across(terms)

    def _sum_of_run(self, part: SlicePart, lanes: Float64s, terms: Float64s) -> Float64s:
        """Add up a run, eight rows and more, of which only the lanes stay in the cache."""
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
        """Return elements `start` to `stop` of the channels of a part, shape (rows, channels)."""
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
