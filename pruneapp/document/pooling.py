"""Pixels that stand for many weights: which weights they take, and how these are added up.

An axis of a picture is cut into pixels of `pool` weights. Of each pixel all weights are taken, or,
for a first look, a few groups of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.values import Floats

Sums = NDArray[np.float64]
Places = NDArray[np.int64]
Flat = Floats | NDArray[np.bool_]

# Of every pixel other places are taken, spread by the golden ratio: equal steps would see stripes
# of their own width.
_GOLDEN = 0.6180339887498949

# Rows that are added as they are before they are widened. The relative error of such a sum is at
# most 7 x 2^-24, less than that of the float32 that comes of it in the end, and no magnitude is
# lost, for none is negative.
_NARROW = 8

# A byte holds the count of so many bytes' bits.
_BYTES = 31


@dataclass(frozen=True)
class Axis:
    """One axis of a tile.

    Attributes
    ----------
    first, size
        The part of the picture, in weights.
    pool
        Weights of a pixel; the last pixel may have fewer.
    taken
        How many of them are taken, at most `pool`.
    group
        How many of these follow each other; a divisor of `taken`.
    """

    first: int
    size: int
    pool: int
    taken: int
    group: int

    @property
    def pixels(self) -> int:
        """How many pixels there are."""
        return -(-self.size // self.pool)

    @property
    def length(self) -> int:
        """How many weights are taken in all."""
        if not self.size:
            return 0
        before = self.pixels - 1
        return before * self.taken + min(self.taken, self.size - before * self.pool)

    @property
    def whole(self) -> bool:
        """Whether every weight is taken."""
        return self.taken == self.pool

    def places(self, start: int, stop: int) -> Places:
        """Return where in the picture some of the taken weights are, rising."""
        index = np.arange(start, stop, dtype=np.int64)
        if self.whole:
            return index + self.first
        pixel, at = np.divmod(index, self.taken)
        extent = np.minimum(self.size - pixel * self.pool, self.pool)
        group, within = np.divmod(at, self.group)
        # Each group has a part of the pixel to itself, and lies anywhere in it.
        room = extent / (self.taken // self.group)
        shift = (pixel + 1) * _GOLDEN % 1.0
        spread = (group * room + shift * (room - self.group)).astype(np.int64) + within
        places: Places = np.where(extent <= self.taken, at, spread)
        places += pixel * self.pool + self.first
        return places

    def counts(self) -> Sums:
        """Return how many weights are taken of each pixel."""
        counts = np.full(self.pixels, float(self.taken))
        if self.pixels:
            counts[-1] = self.length - (self.pixels - 1) * self.taken
        return counts


@dataclass(frozen=True)
class Block:
    """A rectangle of the taken weights of a tile, and the runs of them that make pixels.

    Attributes
    ----------
    row, rows, column, columns
        In taken weights, from the tile's first.
    down, across
        The axes.
    """

    row: int
    rows: int
    column: int
    columns: int
    down: Axis
    across: Axis

    @property
    def size(self) -> int:
        """How many weights it has."""
        return self.rows * self.columns

    def add(self, values: Flat) -> Flat:
        """Add up the weights of each pixel.

        Parameters
        ----------
        values
            ``[rows, columns]``; none negative, for float32 is added in groups of eight as it is.
        """
        # Rows first: that adds whole lines at once, and leaves little for the columns.
        down = _add_runs(values, self.row % self.down.taken, self.down.taken)
        return _add_runs(down.T, self.column % self.across.taken, self.across.taken).T

    @property
    def octets(self) -> bool:
        """Whether pixels have whole groups of eight columns, so that bits can be added."""
        return not (self.across.taken % 8 or self.column % 8 or self.columns % 8)

    def add_bits(self, packed: NDArray[np.uint8]) -> Sums:
        """Add up bits, where there are `octets`; ``uint8[rows, columns / 8]``."""
        counts = np.bitwise_count(packed)
        taken = self.down.taken
        lead = self.row % taken
        if lead == 0 and self.rows % taken == 0 and taken <= _BYTES:
            grouped = counts.reshape(-1, taken, counts.shape[1])
            down = np.add.reduce(grouped, axis=1, dtype=np.uint8)
        else:
            starts = _starts(lead, self.rows, taken)
            down = np.add.reduceat(counts, starts, axis=0, dtype=np.uint32)
        taken = self.across.taken // 8
        starts = _starts(self.column // 8 % taken, counts.shape[1], taken)
        added: Sums = np.add.reduceat(down, starts, axis=1, dtype=np.float64)
        return added

    def part(self, picture: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the pixels of a tile to which its sums belong."""
        row, column = self.row // self.down.taken, self.column // self.across.taken
        last_row = -(-(self.row + self.rows) // self.down.taken)
        last_column = -(-(self.column + self.columns) // self.across.taken)
        return picture[row:last_row, column:last_column]


def _add_runs(values: Flat, lead: int, run: int) -> Flat:
    """Add up the rows of each run; the first run has had `lead` rows before."""
    if run == 1:
        return values
    if lead == 0 and values.shape[0] % run == 0:
        if values.dtype == np.float32 and run % _NARROW == 0 and values.flags.c_contiguous:
            values = _narrowed(values)
            run //= _NARROW
        runs = values.reshape(-1, run, values.shape[1])
        summed: Sums = np.add.reduce(runs, axis=1, dtype=np.float64)
        return summed
    return np.add.reduceat(values, _starts(lead, values.shape[0], run), axis=0, dtype=np.float64)


def _narrowed(values: Flat) -> Floats:
    groups = values.reshape(-1, _NARROW, values.shape[1])
    summed: Floats = np.add.reduce(groups, axis=1)
    if np.isinf(summed).any():  # maybe beyond float32 only because of the order
        wide: Floats = np.add.reduce(groups, axis=1, dtype=np.float64)
        return wide
    return summed


def _starts(lead: int, size: int, run: int) -> Places:
    starts = np.arange(-lead, size, run, dtype=np.int64)
    starts[0] = 0
    return starts
