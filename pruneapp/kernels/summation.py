"""Adding up parts of slices: a few channels, a few terms of each, within the cache of a core.

Where the terms of a slice lie in one piece (the first dimension of a matrix) they are added as they
stand. Where slices stand side by side, element by element (the last dimension), whole rows are
added to each other. Everything between is turned over first, so that the elements of a channel lie
in one piece.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.kernels.kernel import BLOCK, Slices
from pruneapp.kernels.summation_pairwise import LANES, RUN, Sums, add_across, add_along, join_lanes
from pruneapp.kernels.summation_slices import read_box, values_of
from pruneapp.kernels.values import Floats, decode
from pruneapp.masks.channels import Box
from pruneapp.progress import Job

InPlace = Callable[[NDArray[np.float64]], None]

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


class Way(Protocol):
    """How the slices of one tensor are added up.

    Attributes
    ----------
    channels
        How many are added up together.
    terms
        How many of each, as `pruneapp.kernels.summation_pairwise.cut` takes it.
    room
        How many elements of memory `sums` works in.
    """

    channels: int
    terms: int
    room: int

    def sums(self, part: SlicePart, memory: Sums) -> Sums:
        """Return the sums of the blocks of a part, or of the run it is: (blocks, channels)."""


def way_through(
    slices: Slices, shape: tuple[int, int, int], power: InPlace, job: Job
) -> Along | Across:
    """Return how to add up the slices of a tensor that is not empty.

    Parameters
    ----------
    slices
        The tensor.
    shape
        Of the tensor as (outer, channels, inner).
    power
        Turns values into terms, in place.
    job
        Asked whether to go on.
    """
    outer, channels, inner = shape
    if channels == 1:
        return Along(slices, (1, 1, outer * inner), power, job)
    if inner == 1 or (outer > 1 and inner <= NARROW and channels <= WIDE):
        return Across(slices, shape, power, job)
    return Along(slices, shape, power, job)


class Along:
    """Adds up slices of which several elements lie side by side.

    Parameters
    ----------
    slices
        The tensor.
    shape
        Of the tensor as (outer, channels, inner).
    power
        Turns values into terms, in place.
    job
        Asked whether to go on.
    """

    def __init__(
        self, slices: Slices, shape: tuple[int, int, int], power: InPlace, job: Job
    ) -> None:
        self._slices = slices
        self._shape = shape
        self._power = power
        self._job = job
        outer, channels, inner = shape
        length = outer * inner
        piece = _piece(channels * length)
        if outer == 1:  # whole slices, or parts of one
            terms = piece if inner > piece else -(-inner // BLOCK) * BLOCK
        else:
            # A row is read as a whole, and in vain as far as the part does not reach.
            terms = _power_of_two(piece // channels)
            terms = min(max(terms, _power_of_two(16 * inner), RUN), piece)
        self.terms = terms
        self.channels = max(1, piece // min(length, terms))
        if outer > 1 and 8 * inner <= terms and channels <= 4 * self.channels:
            # One long reading is better than many short ones.
            self.channels = channels
        self.room = self.channels * (min(length, terms) + (0 if outer == 1 else 2 * inner))

    def sums(self, part: SlicePart, memory: Sums) -> Sums:
        """Read, turn over, make terms, add; see `Way`."""
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


class Across:
    """Adds up slices of which an element, or a few, lie in every row of a matrix.

    Parameters
    ----------
    slices
        The tensor.
    shape
        Of the tensor as (outer, channels, inner); `inner` is 1 if there are more channels than
        `WIDE`.
    power
        Turns values into terms, in place.
    job
        Asked whether to go on.
    """

    def __init__(
        self, slices: Slices, shape: tuple[int, int, int], power: InPlace, job: Job
    ) -> None:
        self._slices = slices
        self._shape = shape
        self._power = power
        self._job = job
        channels = shape[1]
        self._piece = _piece(math.prod(shape))
        self.channels = -(-channels // -(-channels // WIDE))
        self.terms = max(_power_of_two(self._piece // self.channels), RUN)
        self.room = max(self._piece, 2 * LANES * self.channels)

    def sums(self, part: SlicePart, memory: Sums) -> Sums:
        """Read, make terms, add; see `Way`."""
        width = part.last - part.first
        if part.size > self.room:
            return self._sum_of_run(part, *memory[: 2 * LANES * width].reshape(2, LANES, width))
        terms = memory[: part.size].reshape(-1, width)
        np.copyto(terms, self._values(part, part.start, part.stop))
        self._power(terms)
        return add_across(terms)

    def _sum_of_run(self, part: SlicePart, lanes: Sums, terms: Sums) -> Sums:
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


def _piece(size: int) -> int:
    """Return how many elements of a tensor are worked on at once."""
    return min(max(_power_of_two(size // PIECES), LEAST), PIECE)


def _power_of_two(least: int) -> int:
    """Return the largest power of two up to `least`; 1 for less than 1."""
    return 1 << max(least.bit_length() - 1, 0)
