"""Layout of tensors as pictures, and tiles of these pictures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

# (first, last + 1) along each dimension of a tensor.
Box = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Layout:
    """The arrangement of a tensor of any rank as a picture of rows and columns.

    The picture's row is the flat index over `row_dims`, its column that over `column_dims`.
    """

    shape: tuple[int, ...]  # shape of the tensor
    # Dimensions in nesting order, the outermost first.
    row_dims: tuple[int, ...]
    column_dims: tuple[int, ...]
    # Names of the axes: "output channel × kernel row".
    row_label: str
    column_label: str
    note: str = ""  # remark about the layout; empty for a matrix
    # For a vector wrapped into lines: number of elements per line, a divisor of its size;
    # `row_dims` is empty then. 0 for all others.
    wrap: int = 0
    # Short name of each dimension ("out", "in"), empty where there is none; () if there are none.
    dims: tuple[str, ...] = ()
    # If some dimensions are on no axis: the index along every dimension, 0 for those on an axis. ()
    # if the picture shows the whole tensor.
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
        """Return the index into the tensor of a position in the picture."""
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

        The index along dimensions that are on no axis is ignored.
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
        """Return the boxes of tensor indices that a rectangle of the picture covers.

        The boxes do not overlap, and their union is exactly the rectangle. There are at most ``2 d
        - 1`` per axis with `d` nested dimensions, multiplied; for a wrapped vector one per line,
        unless whole lines are covered. `rows` and `columns` are (first, last + 1), clipped to the
        picture.
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
    """Return the boxes of nested dimensions that cover the flat indices `start` to `stop`."""
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
    """A requested part of a tensor's picture, and its resolution."""

    name: str  # name of the tensor
    # The part, in weights; it is clipped to the picture.
    row: int
    column: int
    rows: int
    columns: int
    pool: int = 1  # a pixel covers ``pool x pool`` weights; a power of 2, 1 is exact
    sampled: bool = False  # whether a fast approximation from sampled weights is sufficient
    # Dimensions of the rows and the columns; None for the usual layout.
    axes: tuple[int, int] | None = None
    # Index along every dimension, for those on no axis; () for 0.
    fixed: tuple[int, ...] = ()
    # Whether pruned weights are 0, as in an export, instead of their values in the file.
    pruned: bool = False


@dataclass(frozen=True, eq=False)
class Tile:
    """A part of a tensor's picture."""

    request: TileRequest  # the request, clipped to the picture
    layout: Layout  # layout of the whole tensor
    # ``float32[h, w]``: the weights themselves if `pool` is 1, otherwise mean magnitudes.
    values: NDArray[np.float32]
    kept: NDArray[np.float32]  # ``float32[h, w]``: kept share, 0 or 1 if `pool` is 1
    to_be_pruned: NDArray[np.float32]  # ``float32[h, w]``: share pruned by a preview
    # A large magnitude of this tensor (about the 99.5th percentile), shown in full color.
    scale: float
    # ``float32[h, w]``: protected share; None if no weight of the tensor is protected.
    protected: NDArray[np.float32] | None = None
    # Whether pixels are computed from sampled weights.
    sampled: bool = False
    # Share of the magnitudes up to `scale`; larger ones have the color of `scale`.
    within: float = 1.0


@dataclass(frozen=True, eq=False)
class DifferenceTile:
    """The difference of a part of a tensor's picture between two states, A and B.

    The shares removed, restored, in neither and (not stored) kept in both add up to 1.
    """

    request: TileRequest  # the request, clipped to the picture
    layout: Layout  # layout of the whole tensor
    # ``float32[h, w]``: B - A if `pool` is 1, otherwise its mean magnitude. Pruned weights are 0 on
    # both sides.
    change: NDArray[np.float32]
    # ``float32[h, w]``: share present in A but not in B; 0 or 1 if `pool` is 1.
    removed: NDArray[np.float32]
    restored: NDArray[np.float32]  # ``float32[h, w]``: share not present in A but in B
    in_neither: NDArray[np.float32]  # ``float32[h, w]``: share present in neither
    scale: float  # a large magnitude of the difference, shown in full color
    # Whether pixels are computed from sampled weights.
    sampled: bool = False
    # Share of the magnitudes up to `scale`; larger ones have the color of `scale`.
    within: float = 1.0
