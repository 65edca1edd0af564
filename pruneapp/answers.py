"""What views are told: frozen, numpy only, no Qt and nothing of the engine.

An answer is made by a job from a snapshot, and is true for the revision that it names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class TensorRow(NamedTuple):
    """A tensor, as lists and trees show it.

    Attributes
    ----------
    name
        As in the file, prefixes kept.
    shown
        Without prefixes that say nothing (``module.``, ``_orig_mod.``); unique as well.
    kind
        Inferred kind of layer; empty if unknown.
    shape, dtype
        Extent and the type's label.
    numel, nbytes
        Size.
    why_not
        Why it cannot be pruned; empty if it can.
    by_default
        Whether it is checked when a file is opened.
    aliases
        Further names of the same tensor.
    """

    name: str
    shown: str
    kind: str
    shape: tuple[int, ...]
    dtype: str
    numel: int
    nbytes: int
    why_not: str = ""
    by_default: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class TensorSparsity:
    """What a step does to one tensor.

    Attributes
    ----------
    name
        As in the file.
    numel
        Elements in all.
    before, after
        How many are pruned.
    energy
        Share of the sum of squares of what was kept before that is still there after; None if it
        was not counted, or there was none.
    threshold
        The magnitude (or score) at the cut; None if there is none.
    """

    name: str
    numel: int
    before: int
    after: int
    energy: float | None = None
    threshold: float | None = None

    @property
    def gone(self) -> int:
        """How many elements the step prunes."""
        return self.after - self.before


@dataclass(frozen=True)
class SparsityReport:
    """What a step does, or did, to a model.

    Attributes
    ----------
    tensors
        The tensors that the step touched, in file order.
    numel
        Elements of the whole checkpoint.
    before, after
        How many of them are pruned.
    energy
        Share of the sum of squares, over the touched tensors, that is still there; None if it was
        not counted.
    """

    tensors: tuple[TensorSparsity, ...]
    numel: int
    before: int
    after: int
    energy: float | None = None

    @property
    def gone(self) -> int:
        """How many elements the step prunes."""
        return self.after - self.before


@dataclass(frozen=True)
class Estimate:
    """What a step would do, from counts alone: there before the first weight is read.

    Attributes
    ----------
    tensors
        How many tensors it touches.
    gone
        How many weights would go.
    exact
        Whether `gone` is exact; channels that are partly pruned already make it a bound.
    channels
        How many channels would go; 0 for methods of single weights.
    """

    tensors: int
    gone: int
    exact: bool
    channels: int = 0


@dataclass(frozen=True, eq=False)
class Histogram:
    """Magnitudes of a tensor, counted in bins.

    Attributes
    ----------
    name
        The tensor.
    edges
        ``float64[bins + 1]``, rising from 0.
    kept, pruned, going
        ``int64[bins]``: still there, pruned, and (in a preview) about to go; `going` is part of
        `kept`.
    nonfinite
        How many are NaN or infinite and in no bin.
    """

    name: str
    edges: NDArray[np.float64]
    kept: NDArray[np.int64]
    pruned: NDArray[np.int64]
    going: NDArray[np.int64]
    nonfinite: int


@dataclass(frozen=True)
class TensorStats:
    """Numbers about the original values of a tensor; NaN and infinities are left out of them.

    `minimum`, `maximum`, `mean` and `std` (of the population) are NaN for a tensor without a
    finite number. `zeros` counts zeros in the file, pruned or not.
    """

    name: str
    numel: int
    pruned: int
    minimum: float
    maximum: float
    mean: float
    std: float
    zeros: int
    nan: int
    infinite: int


@dataclass(frozen=True, eq=False)
class ChannelNorms:
    """Norms of the channels along a dimension.

    Attributes
    ----------
    name, dim, n
        The tensor, its dimension from 0, the order of the norm as text.
    norms
        ``float64[channels]`` of the original values.
    kept
        ``float64[channels]``: share of each channel that is not pruned, from 0 to 1.
    going
        ``bool[channels]``: in a preview, whether the whole channel is about to go.
    """

    name: str
    dim: int
    n: str
    norms: NDArray[np.float64]
    kept: NDArray[np.float64]
    going: NDArray[np.bool_]


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
    """

    name: str
    row: int
    column: int
    rows: int
    columns: int
    pool: int = 1


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
    """

    request: TileRequest
    layout: Layout
    values: NDArray[np.float32]
    kept: NDArray[np.float32]
    going: NDArray[np.float32]
    scale: float


@dataclass(frozen=True)
class HistoryItem:
    """A state in the history.

    Attributes
    ----------
    label
        What was done: "L1 20 % on 19 tensors, global".
    detail
        All of it, for a tooltip.
    """

    label: str
    detail: str
