"""Arrange tensors of any rank as 2-D pictures, and find the magnitude shown in full color."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

import numpy as np

from pruneapp.analysis.pooling import ReadValues, reader
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.values import Counts, Float64s

# Names of the dimensions of a convolution's weight, by rank.
_CONVOLUTION = {
    3: ("output channel", "input channel", "kernel position"),
    4: ("output channel", "input channel", "kernel row", "kernel column"),
    5: ("output channel", "input channel", "kernel depth", "kernel row", "kernel column"),
}
_LINEAR = ("output feature", "input feature")
_EMBEDDING = ("entry", "feature")

# Prefix of a number in an index: [out 12, in 3, 1, 2].
_SHORT = {
    "output channel": "out",
    "input channel": "in",
    "output feature": "out",
    "input feature": "in",
    "entry": "entry",
    "feature": "feature",
}

# (row dimensions, column dimensions) by rank; they alternate from the sixth dimension on.
_DIMS = {
    0: ((), ()),
    2: ((0,), (1,)),
    3: ((0,), (1, 2)),
    4: ((0, 2), (1, 3)),
    5: ((0, 3), (1, 2, 4)),
}

# Height of a picture of kernels, relative to its width, above which it is wrapped into lines.
_STRIP = 4
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
    # Number of indices of dimension 0 side by side, a divisor of its extent, if the picture is
    # wrapped into lines: a vector, whose `row_dims` are empty, or the kernels of a convolution. 0
    # for all others.
    wrap: int = 0
    # Short name of each dimension ("out", "in"), empty where there is none; () if there are none.
    dims: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # name of each dimension; () if none is known
    # If some dimensions are on no axis: the index along every dimension, 0 for those on an axis. ()
    # if the picture shows the whole tensor.
    fixed: tuple[int, ...] = ()

    @cached_property
    def grid(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """The shape, and its dimensions along the rows and along the columns, outermost first.

        If the picture is wrapped, dimension 0 of the tensor is two dimensions of this shape: the
        line, and the place in the line.
        """
        if not self.wrap:
            return self.shape, self.row_dims, self.column_dims
        shape = (self.shape[0] // self.wrap, self.wrap, *self.shape[1:])
        down = (0, *(dim + 1 for dim in self.row_dims if dim))
        return shape, down, (1, *(dim + 1 for dim in self.column_dims if dim))

    @cached_property
    def rows(self) -> int:
        """Height of the picture in weights."""
        shape, down, _ = self.grid
        return prod(shape[d] for d in down)

    @cached_property
    def columns(self) -> int:
        """Width of the picture in weights."""
        shape, _, across = self.grid
        return prod(shape[d] for d in across)

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """Return the index into the tensor of a position in the picture, an int per dimension.

        Both count from 0. Positions outside of the picture are not rejected.
        """
        shape, down, across = self.grid
        position = list(self.fixed) or [0] * len(shape)
        for dims, flat in ((down, row), (across, column)):
            rest = flat
            for dim in reversed(dims):
                rest, position[dim] = divmod(rest, shape[dim])
        if self.wrap:
            position[:2] = [position[0] * self.wrap + position[1]]
        return tuple(position)

    def place(self, index: tuple[int, ...]) -> tuple[int, int]:
        """Return row and column in the picture of an index into the tensor, from 0.

        The index along dimensions that are on no axis is ignored.
        """
        shape, down, across = self.grid
        if self.wrap:
            index = (*divmod(index[0], self.wrap), *index[1:])
        places = []
        for dims in (down, across):
            flat = 0
            for dim in dims:
                flat = flat * shape[dim] + index[dim]
            places.append(flat)
        return places[0], places[1]

    def boxes(self, rows: tuple[int, int], columns: tuple[int, int]) -> tuple[Box, ...]:
        """Return the boxes of tensor indices that a rectangle of the picture covers.

        The boxes do not overlap, and their union is exactly the rectangle. There are at most ``2 d
        - 1`` per axis with `d` nested dimensions, multiplied; in a wrapped picture one per line,
        unless whole lines are covered. `rows` and `columns` are (first, last + 1), clipped to the
        picture; an empty rectangle has no boxes.
        """
        rows, columns = _within(rows, self.rows), _within(columns, self.columns)
        if rows[0] >= rows[1] or columns[0] >= columns[1]:
            return ()
        shape, down, across = self.grid
        result: list[Box] = []
        rest = self.fixed or (0,) * len(shape)
        for high in _boxes_of_range([shape[d] for d in down], *rows):
            for wide in _boxes_of_range([shape[d] for d in across], *columns):
                box = [(at, at + 1) for at in rest]
                for dim, part in zip(down + across, high + wide, strict=True):
                    box[dim] = part
                result += self._joined(box)
        return tuple(result)

    def _joined(self, box: list[tuple[int, int]]) -> Iterator[Box]:
        """Yield the boxes of the tensor for a box of the grid: one per line, if it is wrapped."""
        if not self.wrap:
            yield tuple(box)
            return
        (first, last), (left, right), *others = box
        if (left, right) == (0, self.wrap):
            yield ((first * self.wrap, last * self.wrap), *others)
            return
        for line in range(first, last):
            yield ((line * self.wrap + left, line * self.wrap + right), *others)


def _within(part: tuple[int, int], extent: int) -> tuple[int, int]:
    return max(part[0], 0), min(part[1], extent)


def _boxes_of_range(extents: list[int], start: int, stop: int) -> list[Box]:
    """Return the boxes that cover the flat indices from `start` to before `stop`, in order.

    The range must not be empty. `extents` are the sizes of the dimensions, outermost first; without
    dimensions there is one empty box.
    """
    if not extents:
        return [()]
    inner = prod(extents[1:])
    (first, lead), (last, trail) = divmod(start, inner), divmod(stop, inner)
    if first == last:
        return [((first, first + 1), *box) for box in _boxes_of_range(extents[1:], lead, trail)]
    boxes: list[Box] = []
    if lead:
        boxes += [((first, first + 1), *box) for box in _boxes_of_range(extents[1:], lead, inner)]
        first += 1
    if first < last:
        boxes.append(((first, last), *((0, extent) for extent in extents[1:])))
    if trail:
        boxes += [((last, last + 1), *box) for box in _boxes_of_range(extents[1:], 0, trail)]
    return boxes


@lru_cache(maxsize=256)
def layout(
    shape: tuple[int, ...],
    kind: str = "",
    axes: tuple[int, int] | None = None,
    fixed: tuple[int, ...] = (),
) -> Layout:
    """Return the arrangement of a tensor in rows and columns.

    A matrix is shown unchanged; a vector is wrapped into lines like text. The kernels of a
    convolution stay rectangles: each output channel is a band of rows, each input channel a band of
    columns. If that is a narrow strip, several output channels are in a line.

    Parameters
    ----------
    kind
        The inferred kind of layer (`TensorEntry.kind`); it only determines the names of the axes.
    axes
        The dimensions of the rows and of the columns, to show one plane of the tensor; None for all
        of it.
    fixed
        With `axes`, the index of every other dimension: one number per dimension of the tensor
        (those of the axes are ignored); () for 0.

    Raises
    ------
    ValueError
        If `axes` are not two dimensions of the tensor, or `fixed` is not an index into it.
    """
    rank = len(shape)
    if axes is not None:
        return _plane(shape, kind, axes, fixed or (0,) * rank)
    if rank == 1:
        return _wrap_vector(shape)
    row_dims, column_dims = _DIMS.get(rank, (tuple(range(0, rank, 2)), tuple(range(1, rank, 2))))
    names = _names(shape, kind)
    wrap = _kernels_per_line(shape, row_dims, column_dims)
    shown = (0, *(d for d in column_dims if shape[d] > 1)) if wrap else column_dims
    return Layout(
        shape=shape,
        row_dims=row_dims,
        column_dims=column_dims,
        row_label=" × ".join(names[d] for d in row_dims),
        column_label=" × ".join(names[d] for d in shown),
        note=_note(shape, names, row_dims, column_dims),
        wrap=wrap,
        dims=_short(names),
        names=names,
    )


def _kernels_per_line(
    shape: tuple[int, ...], row_dims: tuple[int, ...], column_dims: tuple[int, ...]
) -> int:
    """Return the number of output channels per line that makes a picture of kernels most square.

    0 if the picture is no strip of kernels that is more than `_STRIP` times as high as wide, or if
    no divisor of the channels makes it better.
    """
    rows, columns = (prod(shape[d] for d in dims) for dims in (row_dims, column_dims))
    if len(shape) < 3 or prod(shape[2:]) < 2 or columns == 0 or rows <= _STRIP * columns:
        return 0

    def distance(wrap: int) -> float:
        return abs(math.log(rows / columns / wrap**2))

    divisors = (n for n in range(1, shape[0] + 1) if shape[0] % n == 0)
    best = min(divisors, key=distance)
    return best if best > 1 else 0


def _plane(
    shape: tuple[int, ...], kind: str, axes: tuple[int, int], fixed: tuple[int, ...]
) -> Layout:
    """Return the layout of the plane of two dimensions, at an index of the others.

    `axes` are the dimensions of the rows and of the columns; their order may be reversed. Raises
    `ValueError` as `layout`.
    """
    down, across = axes
    rank = len(shape)
    if down == across or not (0 <= down < rank and 0 <= across < rank):
        raise ValueError(f"axes {axes} of a tensor of {rank} dimensions")
    fixed = tuple(0 if dim in axes else at for dim, at in enumerate(fixed))
    if len(fixed) != rank or any(
        not 0 <= at < shape[dim] for dim, at in enumerate(fixed) if dim not in axes
    ):
        raise ValueError(f"no element {fixed} in a tensor of shape {shape}")
    names = _names(shape, kind)
    rest = ", ".join(f"{names[d]} {at}" for d, at in enumerate(fixed) if d not in axes)
    return Layout(
        shape=shape,
        row_dims=(down,),
        column_dims=(across,),
        row_label=names[down],
        column_label=names[across],
        note=rest,
        dims=_short(names),
        names=names,
        fixed=fixed if rank > 2 else (),
    )


def _short(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_SHORT.get(name, "") for name in names)


def _wrap_vector(shape: tuple[int, ...]) -> Layout:
    size = shape[0]
    # A divisor gives equal lines. A prime number of elements stays in one row.
    wrap = next((d for d in range(math.isqrt(max(size - 1, 0)) + 1, size) if size % d == 0), size)
    note = f"A vector of {size:,} elements, wrapped into lines of {wrap:,}." if wrap < size else ""
    return Layout(shape, (), (0,), "line", "position", note, wrap if note else 0)


def _names(shape: tuple[int, ...], kind: str) -> tuple[str, ...]:
    """Return a name for each dimension: those of the kind of layer, else "dim 0", "dim 1", ..."""
    if kind.startswith("Conv") and len(shape) in _CONVOLUTION:
        return _CONVOLUTION[len(shape)]
    if len(shape) == 2:
        if kind == "Linear":
            return _LINEAR
        if kind.lower() == "embedding":
            return _EMBEDDING
    return tuple(f"dim {d}" for d in range(len(shape)))


def _note(
    shape: tuple[int, ...],
    names: tuple[str, ...],
    row_dims: tuple[int, ...],
    column_dims: tuple[int, ...],
) -> str:
    """Return a note with the size of the block of an outer row and column; "" without blocks.

    There are none if each axis has at most one dimension. In a convolution a block is a kernel.
    """
    height = math.prod(shape[d] for d in row_dims[1:])
    width = math.prod(shape[d] for d in column_dims[1:])
    if height * width <= 1:
        return ""
    block = f"Each {height:,}×{width:,} block is one"
    if names in _CONVOLUTION.values():
        return f"{block} kernel"
    return f"{block} {' × '.join(names[dims[0]] for dims in (row_dims, column_dims) if dims)}"


def row_offsets(of: Layout, rows: Counts) -> Counts:
    """Return the part of the flat index that each row determines, with the `fixed` dimensions.

    The flat index of the element at a row and a column is ``row_offsets(of, rows)[i] +
    column_offsets(of, columns)[j]``.
    """
    base = sum(at * math.prod(of.shape[dim + 1 :]) for dim, at in enumerate(of.fixed))
    shape, down, _ = of.grid
    return _offsets(shape, down, rows) + base


def column_offsets(of: Layout, columns: Counts) -> Counts:
    """Return the part of the flat index that each column determines."""
    shape, _, across = of.grid
    return _offsets(shape, across, columns)


def _offsets(shape: tuple[int, ...], dims: tuple[int, ...], rest: Counts) -> Counts:
    offsets = np.zeros(rest.size, np.int64)
    for dim in reversed(dims):
        rest, here = np.divmod(rest, shape[dim])
        offsets += here * math.prod(shape[dim + 1 :])
    return offsets


_SAMPLES = 64
_SAMPLE = 1024
_LARGE = 99.5  # percent
_FEW = 200  # magnitudes of which less than one is beyond the percentile


def scale(snapshot: Snapshot, name: str) -> tuple[float, float]:
    """Return a large magnitude of a tensor, and the share of magnitudes up to it.

    The first is the magnitude that a picture shows in full color: the 99.5th percentile of the
    finite magnitudes, of all of them up to 65,536 elements, else of 64 evenly spaced runs of 1,024
    (the same on every call). If the percentile is 0, or there are at most 200 magnitudes, the
    largest is used; 1 if all are zero or there are none. The share is computed from the same
    sample; it is 1 if none is larger. Replaced values are used, as in tiles of the state; weights
    that were made zeros count with their former values, so that no color changes then.
    """
    entry = snapshot.entry(name)
    return large_of(reader(snapshot.bits_under, entry), entry.numel)


def percentile(read: ReadValues, numel: int, percent: float) -> float:
    """Return a percentile (`percent` from 0 to 100) of the magnitudes that `scale` samples.

    It is the largest for at most 200 magnitudes, and 0 if none is finite.
    """
    sizes = _sample_magnitudes(read, numel)
    if not sizes.size:
        return 0.0
    return _percentile(sizes, percent) if sizes.size > _FEW else float(sizes.max())


def large_of(read: ReadValues, numel: int) -> tuple[float, float]:
    """Return the result of `scale` for values that are read by `read`.

    `read` is called with flat indices (first, last + 1); `numel` is the number of elements.
    """
    sizes = _sample_magnitudes(read, numel)
    if not sizes.size:
        return 1.0, 1.0
    large = _percentile(sizes, _LARGE) if sizes.size > _FEW else 0.0
    large = large or float(sizes.max()) or 1.0
    return large, float(np.count_nonzero(sizes <= large)) / sizes.size


def _sample_magnitudes(read: ReadValues, numel: int) -> Float64s:
    """Return the finite magnitudes of all elements up to 65,536, else of evenly spaced runs."""
    if numel <= _SAMPLES * _SAMPLE:
        values = read(0, numel)
    else:
        starts = np.linspace(0, numel - _SAMPLE, _SAMPLES).astype(np.int64).tolist()
        values = np.concatenate([read(s, s + _SAMPLE) for s in starts])
    sizes = np.abs(values).astype(np.float64)
    return sizes[np.isfinite(sizes)]


def _percentile(sizes: Float64s, percent: float) -> float:
    """Return a percentile with linear interpolation, as `np.percentile` does.

    `np.percentile` imports numpy's masked arrays on its first call, which delays the first picture
    by 25 ms.
    """
    place = percent / 100 * (sizes.size - 1)
    low = int(place)
    near = np.partition(sizes, [low, min(low + 1, sizes.size - 1)])[low : low + 2]
    return float(near[0] + (near[-1] - near[0]) * (place - low))
