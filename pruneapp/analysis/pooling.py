"""Pixels that stand for many weights: which weights they take, and how these are added up.

An axis of a picture is cut into pixels of `pool` weights. Of each pixel all weights are taken, or,
for a first look, a few groups of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.values import Floats

Sums = NDArray[np.float64]
Places = NDArray[np.int64]
Flat = Floats | NDArray[np.bool_]
Counts = NDArray[np.uint8] | NDArray[np.uint32]

# Of every pixel other places are taken, spread by the golden ratio: equal steps would see stripes
# of their own width.
_GOLDEN = 0.6180339887498949

# Rows that are added as they are before they are widened. The relative error of such a sum is at
# most 7 x 2^-24, less than that of the float32 that comes of it in the end, and no magnitude is
# lost, for none is negative.
_NARROW = 8

# A byte holds the count of the bits of so many bytes.
_BYTES = 16


@dataclass(frozen=True)
class TileAxis:
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
    down: TileAxis
    across: TileAxis

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
        down = _add_rows(values, self.row % self.down.taken, self.down.taken)
        return _add_columns(down, self.column % self.across.taken, self.across.taken)

    @property
    def octets(self) -> bool:
        """Whether pixels share no byte of packed bits with parts of others, so that they are added.

        Pixels of two and four columns are halves and quarters of bytes.
        """
        taken = self.across.taken
        return (taken in {2, 4} or taken % 8 == 0) and not (self.column % 8 or self.columns % 8)

    def add_bits(self, packed: NDArray[np.uint8]) -> Sums:
        """Add up bits, where there are `octets`; ``uint8[rows, columns / 8]``."""
        counts = _bit_counts(packed, min(self.across.taken, 8))
        taken = self.down.taken
        lead = self.row % taken
        down: Counts
        if lead == 0 and self.rows % taken == 0:
            few = min(taken, _BYTES)
            down = _add_groups(counts, few, np.uint8)
            if few < taken:
                down = _add_groups(down, taken // few, np.uint32)
        else:
            starts = _starts(lead, self.rows, taken)
            down = np.add.reduceat(counts, starts, axis=0, dtype=np.uint32)
        taken = self.across.taken // min(self.across.taken, 8)
        starts = _starts(self.column // 8 % taken, counts.shape[1], taken)
        added: Sums = np.add.reduceat(down, starts, axis=1, dtype=np.float64)
        return added

    def part(self, picture: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the pixels of a tile to which its sums belong."""
        row, column = self.row // self.down.taken, self.column // self.across.taken
        last_row = -(-(self.row + self.rows) // self.down.taken)
        last_column = -(-(self.column + self.columns) // self.across.taken)
        return picture[row:last_row, column:last_column]


def _add_rows(values: Flat, lead: int, run: int) -> Flat:
    """Add up the rows of each run; the first run has had `lead` rows before."""
    if run == 1:
        return values
    if lead or values.shape[0] % run:
        starts = _starts(lead, values.shape[0], run)
        return np.add.reduceat(values, starts, axis=0, dtype=np.float64)
    few = min(run, _NARROW)
    if values.dtype != np.float32 or run % few:
        return _add_groups(values, run, np.float64)
    narrow = _add_groups(values, few, np.float32)
    if np.isinf(narrow).any():  # maybe beyond float32 only because of the order
        narrow = _add_groups(values, few, np.float64)
    return narrow if few == run else _add_groups(narrow, run // few, np.float64)


def _add_columns(values: Flat, lead: int, run: int) -> Flat:
    """Add up the columns of each run; the first run has had `lead` columns before."""
    if run == 1:
        return values
    if lead or values.shape[1] % run or run > _NARROW:
        starts = _starts(lead, values.shape[1], run)
        return np.add.reduceat(values, starts, axis=1, dtype=np.float64)
    added = values[:, 0::run].astype(np.float64)
    for column in range(1, run):
        added += values[:, column::run]
    return added


def _add_groups(values: Flat | Counts, run: int, kind: type[Any]) -> NDArray[Any]:
    groups = values.reshape(-1, run, values.shape[1])
    added: NDArray[Any] = np.add.reduce(groups, axis=1, dtype=kind)
    return added


def _bit_counts(packed: NDArray[np.uint8], columns: int) -> NDArray[np.uint8]:
    """Count the bits of every so many columns: 8, 4 or 2."""
    if columns == 8:
        return np.bitwise_count(packed)
    parts = 8 // columns
    counts = np.empty((packed.shape[0], packed.shape[1] * parts), np.uint8)
    ones = np.uint8((1 << columns) - 1)
    for part in range(parts):
        counts[:, part::parts] = np.bitwise_count(packed >> np.uint8(part * columns) & ones)
    return counts


def _starts(lead: int, size: int, run: int) -> Places:
    starts = np.arange(-lead, size, run, dtype=np.int64)
    starts[0] = 0
    return starts
