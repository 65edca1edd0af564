"""Pictures of tensors: how they are laid out, and parts of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

# First and last + 1 along each dimension of a tensor.
Box = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Layout:
    """How a tensor of any rank is laid out as a picture of rows and columns.

    The picture's row is the flat index over `row_dims`, its column that over `column_dims`.
    """

    shape: tuple[int, ...]  # of the tensor
    # Dimensions in the order in which they nest, the outermost first.
    row_dims: tuple[int, ...]
    column_dims: tuple[int, ...]
    # Words for the axes: "output channel × kernel row".
    row_label: str
    column_label: str
    note: str = ""  # a sentence about the layout; empty for a matrix
    # For a vector that is read like lines of text: how many elements a row of the picture has, a
    # divisor of their number; `row_dims` is empty then. 0 for everything else.
    wrap: int = 0
    # A short word for each dimension ("out", "in"), empty where there is none; () for none at all.
    dims: tuple[str, ...] = ()
    # Where some dimensions are on no axis: the index along every dimension, 0 along those that are
    # on an axis. () where the picture has the whole tensor.
    fixed: tuple[int, ...] = ()

    @cached_property
    def rows(self) -> int:
        """Height of the picture in weights."""
        if self.wrap:
            return self.shape[0] // self.wrap
        return prod(self.shape[d] for d in self.row_dims)

    @cached_property
    def columns(self) -> int:
        """Width of the picture in weights."""
        if self.wrap:
            return self.wrap
        return prod(self.shape[d] for d in self.column_dims)

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """Return the index into the tensor of a place in the picture."""
        if self.wrap:
            return (row * self.wrap + column,)
        position = list(self.fixed) or [0] * len(self.shape)
        for dims, flat in ((self.row_dims, row), (self.column_dims, column)):
            rest = flat
            for dim in reversed(dims):
                rest, position[dim] = divmod(rest, self.shape[dim])
        return tuple(position)

    def place(self, index: tuple[int, ...]) -> tuple[int, int]:
        """Return row and column of an index into the tensor.

        What the index says about dimensions that are on no axis does not matter.
        """
        if self.wrap:
            return divmod(index[0], self.wrap)
        places = []
        for dims in (self.row_dims, self.column_dims):
            flat = 0
            for dim in dims:
                flat = flat * self.shape[dim] + index[dim]
            places.append(flat)
        return places[0], places[1]

    def boxes(self, rows: tuple[int, int], columns: tuple[int, int]) -> tuple[Box, ...]:
        """Return what a rectangle of the picture stands for, in indices of the tensor.

        The boxes do not overlap, and together have exactly the elements of the rectangle. There
        are at most ``2 d - 1`` for each axis on which `d` dimensions nest, multiplied; in a
        vector in lines one for each line, unless whole lines are meant.

        `rows` and `columns` are first and last + 1; beyond the border is cut off.
        """
        rows, columns = _within(rows, self.rows), _within(columns, self.columns)
        if rows[0] >= rows[1] or columns[0] >= columns[1]:
            return ()
        if self.wrap:
            if columns == (0, self.wrap):
                return (((rows[0] * self.wrap, rows[1] * self.wrap),),)
            starts = (row * self.wrap for row in range(*rows))
            return tuple(((at + columns[0], at + columns[1]),) for at in starts)
        result = []
        rest = self.fixed or (0,) * len(self.shape)
        for down in _nested([self.shape[d] for d in self.row_dims], *rows):
            for across in _nested([self.shape[d] for d in self.column_dims], *columns):
                box = [(at, at + 1) for at in rest]
                for dim, part in zip(self.row_dims + self.column_dims, down + across, strict=True):
                    box[dim] = part
                result.append(tuple(box))
        return tuple(result)


def _within(part: tuple[int, int], extent: int) -> tuple[int, int]:
    return max(part[0], 0), min(part[1], extent)


def _nested(extents: list[int], start: int, stop: int) -> list[Box]:
    """Return the boxes of nested dimensions that have the flat indices `start` to `stop`."""
    if not extents:
        return [()]
    inner = prod(extents[1:])
    (first, lead), (last, trail) = divmod(start, inner), divmod(stop, inner)
    if first == last:
        return [((first, first + 1), *box) for box in _nested(extents[1:], lead, trail)]
    boxes: list[Box] = []
    if lead:
        boxes += [((first, first + 1), *box) for box in _nested(extents[1:], lead, inner)]
        first += 1
    if first < last:
        boxes.append(((first, last), *((0, extent) for extent in extents[1:])))
    if trail:
        boxes += [((last, last + 1), *box) for box in _nested(extents[1:], 0, trail)]
    return boxes


@dataclass(frozen=True)
class TileRequest:
    """Which part of a tensor's picture is wanted, and how coarse."""

    name: str  # the tensor
    # The part, in weights; beyond the border is cut off.
    row: int
    column: int
    rows: int
    columns: int
    pool: int = 1  # one pixel stands for ``pool x pool`` weights; a power of 2, 1 is exact
    sampled: bool = False  # whether a first look at evenly spaced rows will do
    # Dimensions that go down and across; None for the usual layout.
    axes: tuple[int, int] | None = None
    # Index along every dimension, for those that are on no axis; () for none.
    fixed: tuple[int, ...] = ()
    # Whether pruned weights are 0, as in an export, instead of what the file has.
    pruned: bool = False


@dataclass(frozen=True, eq=False)
class Tile:
    """A part of a tensor's picture."""

    request: TileRequest  # what was asked for, cut to the picture
    layout: Layout  # the layout of the whole tensor
    # ``float32[h, w]``: the weights themselves where `pool` is 1, else the mean magnitude.
    values: NDArray[np.float32]
    kept: NDArray[np.float32]  # ``float32[h, w]``: share that is kept, 0 or 1 where `pool` is 1
    to_be_pruned: NDArray[np.float32]  # ``float32[h, w]``: share that a preview would take
    # A magnitude that is large for this tensor (its 99.5th percentile or so): full colour.
    scale: float
    # ``float32[h, w]``: share that is protected; None if nothing of the tensor is.
    protected: NDArray[np.float32] | None = None
    # Whether a pixel stands for some of its weights only, evenly spaced: a first look.
    sampled: bool = False
    # Share of the magnitudes that are at most `scale`; the others have the colour of `scale`.
    within: float = 1.0


@dataclass(frozen=True, eq=False)
class DifferenceTile:
    """How a part of a tensor's picture differs between two states, A (before) and B (after).

    A pixel's four shares (kept in both is the fourth) add up to 1.
    """

    request: TileRequest  # what was asked for, cut to the picture
    layout: Layout  # the layout of the whole tensor
    # ``float32[h, w]``: B - A where `pool` is 1, else the mean magnitude of that. Pruned weights
    # are 0 on either side.
    change: NDArray[np.float32]
    # ``float32[h, w]``: share that was there in A and is not in B; 0 or 1 where `pool` is 1.
    removed: NDArray[np.float32]
    restored: NDArray[np.float32]  # ``float32[h, w]``: share that was not there in A and is in B
    in_neither: NDArray[np.float32]  # ``float32[h, w]``: share that is in neither
    scale: float  # a magnitude that is large for this tensor: full colour for `change`
    # Whether a pixel stands for some of its weights only, evenly spaced: a first look.
    sampled: bool = False
    # Share of the magnitudes that are at most `scale`; the others have the colour of `scale`.
    within: float = 1.0
