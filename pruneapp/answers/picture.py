"""Pictures of tensors: how they are laid out, and parts of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

# First and last + 1 along each dimension of a tensor.
Box = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Layout:
    """How a tensor of any rank is laid out as a picture of rows and columns.

    The picture's row is the flat index over `row_dims`, its column that over `column_dims`.

    Attributes
    ----------
    shape
        Of the tensor.
    row_dims, column_dims
        Dimensions in the order in which they nest, the outermost first.
    row_label, column_label
        Words for the axes: "output channel × kernel row".
    note
        A sentence about the layout; empty for a matrix.
    wrap
        For a vector that is read like lines of text: how many elements a row of the picture has,
        a divisor of their number; `row_dims` is empty then. 0 for everything else.
    """

    shape: tuple[int, ...]
    row_dims: tuple[int, ...]
    column_dims: tuple[int, ...]
    row_label: str
    column_label: str
    note: str = ""
    wrap: int = 0

    @cached_property
    def rows(self) -> int:
        """Height of the picture in weights."""
        if self.wrap:
            return self.shape[0] // self.wrap
        return int(np.prod([self.shape[d] for d in self.row_dims], dtype=np.int64))

    @cached_property
    def columns(self) -> int:
        """Width of the picture in weights."""
        if self.wrap:
            return self.wrap
        return int(np.prod([self.shape[d] for d in self.column_dims], dtype=np.int64))

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """Return the index into the tensor of a place in the picture."""
        if self.wrap:
            return (row * self.wrap + column,)
        found = [0] * len(self.shape)
        for dims, flat in ((self.row_dims, row), (self.column_dims, column)):
            rest = flat
            for dim in reversed(dims):
                rest, found[dim] = divmod(rest, self.shape[dim])
        return tuple(found)

    def place(self, index: tuple[int, ...]) -> tuple[int, int]:
        """Return row and column of an index into the tensor."""
        if self.wrap:
            return divmod(index[0], self.wrap)
        places = []
        for dims in (self.row_dims, self.column_dims):
            flat = 0
            for dim in dims:
                flat = flat * self.shape[dim] + index[dim]
            places.append(flat)
        return places[0], places[1]


@dataclass(frozen=True)
class TileRequest:
    """Which part of a tensor's picture is wanted, and how coarse.

    Attributes
    ----------
    name
        The tensor.
    row, column, rows, columns
        The part, in weights; beyond the border is cut off.
    pool
        One pixel stands for ``pool x pool`` weights; a power of 2, 1 is exact.
    sampled
        Whether a first look at evenly spaced rows will do.
    """

    name: str
    row: int
    column: int
    rows: int
    columns: int
    pool: int = 1
    sampled: bool = False


@dataclass(frozen=True, eq=False)
class Tile:
    """A part of a tensor's picture.

    Attributes
    ----------
    request
        What was asked for, cut to the picture.
    layout
        The layout of the whole tensor.
    values
        ``float32[h, w]``: the weights themselves where `pool` is 1, else the mean magnitude.
    kept
        ``float32[h, w]``: share that is kept, 0 or 1 where `pool` is 1.
    going
        ``float32[h, w]``: share that a preview would take.
    scale
        A magnitude that is large for this tensor (its 99.5th percentile or so): full colour.
    guarded
        ``float32[h, w]``: share that is protected; None if nothing of the tensor is.
    sampled
        Whether a pixel stands for some of its weights only, evenly spaced: a first look.
    """

    request: TileRequest
    layout: Layout
    values: NDArray[np.float32]
    kept: NDArray[np.float32]
    going: NDArray[np.float32]
    scale: float
    guarded: NDArray[np.float32] | None = None
    sampled: bool = False
