"""Masks and the tiles of a tensor: blocks of rows by columns.

A tensor is treated as the matrix of its first dimension by all others in flat order. Tiles begin at
the first row and column; those at the end may be incomplete. They are numbered from left to right,
then from top to bottom.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import pack_into
from pruneapp.progress import Job

Element = TypeVar("Element", bound=np.generic)

# Elements processed at a time.
_PIECE = 1 << 18


@dataclass(frozen=True)
class BlockRange:
    """Complete tiles that form a rectangle."""

    rows: tuple[int, int]  # first and last + 1, in elements of the matrix
    columns: tuple[int, int]
    down: slice  # the tiles, as slices of the grid of tiles
    along: slice

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.rows[1] - self.rows[0], self.columns[1] - self.columns[0]


@dataclass(frozen=True)
class Tiles:
    """The tiles of a tensor."""

    shape: tuple[int, ...]  # of the tensor, at least one dimension
    # Rows and columns of a tile.
    tall: int
    wide: int

    @property
    def matrix(self) -> tuple[int, int]:
        """Numbers of rows and columns of the tensor as a matrix."""
        return self.shape[0], math.prod(self.shape[1:])

    @property
    def grid(self) -> tuple[int, int]:
        """Numbers of tiles vertically and horizontally."""
        rows, columns = self.matrix
        return -(-rows // self.tall), -(-columns // self.wide)

    @property
    def count(self) -> int:
        """Total number of tiles."""
        return math.prod(self.grid)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """``int64[tiles]``: elements of each tile; fewer in incomplete ones."""
        down, along = (
            np.minimum(step, length - np.arange(0, length, step, dtype=np.int64))
            for length, step in zip(self.matrix, (self.tall, self.wide), strict=True)
        )
        return np.multiply.outer(down, along).reshape(-1)

    def parts(self) -> Iterator[BlockRange]:
        """Yield rectangles of whole tiles with about 262,144 elements that cover the tensor.

        They come in order. Tiles are not divided, so a rectangle of very large tiles has more.
        Nothing for an empty tensor.
        """
        rows, columns = self.matrix
        if not rows * columns:
            return
        tall, wide = self.tall, columns
        if tall * columns <= _PIECE:
            tall *= _PIECE // (tall * columns)
        else:
            wide = max(1, _PIECE // (tall * self.wide)) * self.wide
        for top in range(0, rows, tall):
            bottom = min(top + tall, rows)
            down = slice(top // self.tall, -(-bottom // self.tall))
            for left in range(0, columns, wide):
                right = min(left + wide, columns)
                along = slice(left // self.wide, -(-right // self.wide))
                yield BlockRange((top, bottom), (left, right), down, along)

    def flat_ranges(self, part: BlockRange) -> Iterator[tuple[int, int]]:
        """Yield the flat index ranges (first, last + 1) of the rectangle `part`, row by row.

        A rectangle of complete rows is a single range.
        """
        columns = self.matrix[1]
        left, right = part.columns
        if right - left == columns:
            yield part.rows[0] * columns, part.rows[1] * columns
            return
        for row in range(*part.rows):
            yield row * columns + left, row * columns + right

    def cut(self, values: NDArray[Element]) -> NDArray[Element]:
        """Reshape a rectangle of elements to (tiles down, rows, tiles along, columns).

        The rectangle begins at a corner of a tile. Incomplete tiles are padded with zeros (False);
        without any, the result is a view if possible.
        """
        rows, columns = values.shape
        down, along = -(-rows // self.tall), -(-columns // self.wide)
        if rows % self.tall or columns % self.wide:
            filled = np.zeros((down * self.tall, along * self.wide), values.dtype)
            filled[:rows, :columns] = values
            values = filled
        return values.reshape(down, self.tall, along, self.wide)

    def count_kept(self, mask: BitMask | None, job: Job) -> NDArray[np.int64]:
        """Return the number of kept elements of each tile, ``int64[tiles]``; None keeps all.

        `job` is only used to cancel.
        """
        if mask is None:
            return self.sizes
        counts = np.zeros(self.grid, np.int64)
        for part in self.parts():
            job.step(0)
            bools = np.concatenate([mask.bools(*run) for run in self.flat_ranges(part)])
            tiles = self.cut(bools.reshape(part.shape))
            counts[part.down, part.along] = np.count_nonzero(tiles, axis=(1, 3))
        return counts.reshape(-1)

    def has_kept(self, mask: BitMask | None, job: Job) -> NDArray[np.bool_]:
        """Return for each tile whether it has a kept element, ``bool[tiles]``."""
        return self.count_kept(mask, job) > 0

    def mask(self, stays: NDArray[np.bool_], job: Job) -> BitMask:
        """Return the mask that keeps the tiles where `stays`, ``bool[tiles]``, is True.

        All elements of the other tiles are pruned. `job` is only used to cancel.
        """
        grid = stays.reshape(self.grid)
        size = math.prod(self.shape)
        packed = scratch.bits(size, zeroed=True)
        for part in self.parts():
            job.step(0)
            rows, columns = part.shape
            bools = np.repeat(np.repeat(grid[part.down, part.along], self.tall, 0), self.wide, 1)
            flat, at = np.ascontiguousarray(bools[:rows, :columns]).reshape(-1), 0
            for start, stop in self.flat_ranges(part):
                pack_into(packed, start, flat[at : at + stop - start])
                at += stop - start
                scratch.release_pages(packed, start // 8, (stop + 7) // 8)
        return BitMask(packed, size)
