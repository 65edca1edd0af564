"""Compute tiles: the visible part of a tensor's picture at the resolution of the screen.

Only the weights of the visible part are read, a few megabytes at a time. Coarse pictures are exact:
every weight counts. Only a sampled tile, on request, uses a subset of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.layout import Layout, column_offsets, large_of, layout, row_offsets, scale
from pruneapp.analysis.pooling import (
    Block,
    Changes,
    Layer,
    LayerShares,
    LayerValues,
    Split,
    TileAxis,
    reader,
    reader_of_changes,
    reader_of_exported,
)
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import UnknownTensorError
from pruneapp.kernels.summation import power_of_two
from pruneapp.kernels.threads import map_in_order, threads_for
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

__all__ = ["difference_tile", "layout", "scale", "tile"]

# Weights processed per block: they fit into the cache of a core.
_BLOCK = 1 << 19
# Maximum pixels per tile: larger requests are errors of the caller.
_MOST_PIXELS = 1 << 26

# Maximum number of weights of a sampled tile, unless one row per pixel is more.
_FIRST_LOOK = 1 << 21
# Minimum number of adjacent weights in a sampled tile, so that few reads are needed.
_GROUP = 1 << 11

Picture = NDArray[np.float32]


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


def tile(
    snapshot: Snapshot, request: TileRequest, preview: BitMask | float | None, job: Job
) -> Tile:
    """Compute a tile of a tensor; the request is clipped to the picture.

    Parameters
    ----------
    request
        With `sampled`, a part of more than about two million weights is computed from a few rows
        (and, where these are very long, columns) of each pixel, spread unevenly to avoid aliasing.
        Smaller parts are exact anyway.
    preview
        What is to be pruned: the mask after a step (`Preview.masks`), or the threshold of an
        estimate, up to which all kept and unprotected weights are pruned. None without a preview.
    job
        Started with the number of weights that are read.

    Returns
    -------
    Tile
        At pool 1 the weights themselves; otherwise mean magnitudes and shares over ``pool x pool``
        weights per pixel, fewer at the border. Shares are exact, magnitudes have the precision of
        float32 and do not depend on threads. A NaN among the weights makes the magnitude NaN.
        Complex numbers are shown by magnitude.

    Raises
    ------
    ValueError
        If the tile would have more than 67 million pixels, or `pool` is not positive.
    CheckpointError
        If the dtype has no values, or the file cannot be read.
    """
    part = _TilePart(snapshot, request)
    name = part.name
    mask, protected = snapshot.masks.get(name), snapshot.protected.get(name)
    read = reader_of_exported(snapshot, name)
    if not request.pruned:
        read = reader(snapshot.bits, snapshot.entry(name))
    layers: list[Layer]
    if isinstance(preview, float):
        layers = [Split(read, part.pool, preview, snapshot.free_mask(name))]
    elif preview is not None:
        layers = [LayerValues(read, part.pool), LayerShares(lambda m, g: m & ~g, mask, preview)]
    else:
        layers = [LayerValues(read, part.pool)]
    if mask is not None:
        layers.append(LayerShares(lambda m: m, mask))
    if protected is not None:
        layers.append(LayerShares(lambda p: p, protected))
    # A threshold comes from a moving slider: leave one core to the main thread, which repaints.
    pictures = iter(
        part.pictures(layers, job, spare_threads=1 if isinstance(preview, float) else 0)
    )
    large, within = scale(snapshot, name)
    return Tile(
        part.request,
        part.layout,
        values=next(pictures),
        to_be_pruned=part.blank(0) if preview is None else next(pictures),
        kept=part.blank(1) if mask is None else next(pictures),
        scale=large,
        protected=None if protected is None else next(pictures),
        sampled=part.sampled,
        within=within,
    )


def difference_tile(a: Snapshot, b: Snapshot, request: TileRequest, job: Job) -> DifferenceTile:
    """Compute a tile of the difference of a tensor between two states.

    For two states of one checkpoint with the same values, masks determine what is present (a kept
    weight counts as present even if it is 0 in the file). Otherwise the values do, and pruned
    weights are 0.

    Raises
    ------
    ValueError
        As `tile`, and if the shapes differ.
    CheckpointError
        As `tile`, and if `b` has no such tensor.
    """
    part = _TilePart(a, request)
    name = part.name
    other = _counterpart(a.entry(name), b, request.name)
    if a.entry(name).shape != other.shape:
        raise ValueError(f"'{name}' has the shapes {a.entry(name).shape} and {other.shape}")
    same_values = a.values.get(name) is b.values.get(name)
    if a.checkpoint is b.checkpoint and other.name == name and same_values:
        pictures, (large, within) = _mask_difference(a, b, part, job), scale(a, name)
    else:
        both = Changes(a, name, b, other.name, part.pool)
        pictures = part.pictures([both], job)
        large, within = large_of(both.differences, a.entry(name).numel)
    change, removed, restored, neither = pictures
    return DifferenceTile(
        part.request, part.layout, change, removed, restored, neither, large, part.sampled, within
    )


def _counterpart(entry: TensorEntry, b: Snapshot, requested_name: str) -> TensorEntry:
    """Return the tensor of `b` with the requested name, or else with another name of `entry`."""
    for name in (requested_name, *entry.names):
        with contextlib.suppress(UnknownTensorError):
            return b.entry(name)
    return b.entry(requested_name)  # raises with the requested name


def _mask_difference(a: Snapshot, b: Snapshot, part: _TilePart, job: Job) -> Sequence[Picture]:
    """Return the four pictures of `DifferenceTile` for two states with the same values.

    Without pruned weights in either they are 0, and nothing is read. Starts `job` otherwise.
    """
    before, after = a.export_mask(part.name), b.export_mask(part.name)
    if before is None and after is None:
        return tuple(part.blank(0) for _ in range(4))
    read = reader(a.bits_under, a.entry(part.name))
    layers: list[Layer] = [
        LayerValues(reader_of_changes(read, before, after), part.pool),
        LayerShares(lambda x, y: x & ~y, before, after),
        LayerShares(lambda x, y: y & ~x, before, after),
        LayerShares(lambda x, y: ~(x | y), before, after),
    ]
    return part.pictures(layers, job)


class _TilePart:
    """A tile request that is clipped to the picture, with its layout and sampled axes.

    Raises `ValueError` if the tile is too large or the pool not positive, `UnknownTensorError` if
    there is no such tensor.
    """

    def __init__(self, snapshot: Snapshot, request: TileRequest) -> None:
        entry = snapshot.entry(request.name)
        self.name = entry.name
        self.layout = layout(entry.shape, entry.kind, request.axes, request.fixed)
        self.request = _clip_request(request, self.layout)
        self.pool = pool = request.pool
        rows, columns = self.request.rows, self.request.columns
        if pool < 1 or -(-rows // pool) * -(-columns // pool) > _MOST_PIXELS:
            raise ValueError(f"a tile of {rows} x {columns} at pool {pool}")
        self.down, self.across = _axes(self.request)
        self.sampled = not (self.down.whole and self.across.whole)

    def blank(self, value: float) -> Picture:
        return np.full((self.down.pixels, self.across.pixels), value, np.float32)

    def pictures(
        self, layers: Sequence[Layer], job: Job, *, spare_threads: int = 0
    ) -> list[Picture]:
        """Return the pictures of the layers in order, as means over each pixel, float32.

        At pool 1 they are the values themselves. `spare_threads` is the number of threads not to
        use. Starts `job` with the sampled weights.
        """
        size = self.down.length * self.across.length
        job.start(size, self.name)
        shape = self.down.pixels, self.across.pixels
        kind = np.float32 if self.pool == 1 else np.float64
        sums = [np.zeros(shape, kind) for layer in layers for _ in range(layer.pictures)]

        def work(block: Block) -> tuple[Block, list[NDArray[Any]]]:
            rows = self.down.places(block.row, block.row + block.rows)
            columns = self.across.places(block.column, block.column + block.columns)
            at = row_offsets(self.layout, rows), column_offsets(self.layout, columns)
            with np.errstate(over="ignore", invalid="ignore"):
                return block, [part for layer in layers for part in layer.add(block, *at)]

        threads = max(1, threads_for(size) - spare_threads)
        with np.errstate(over="ignore", invalid="ignore"):  # float64 sums may overflow float32
            for block, parts in map_in_order(self._blocks(), work, job, threads):
                for picture, block_sums in zip(sums, parts, strict=True):
                    part = block.part(picture)
                    if self.pool == 1:
                        part[...] = block_sums
                    else:
                        part += block_sums
                job.step(block.rows * block.columns)
            if self.pool == 1:
                return sums
            counts = np.outer(self.down.counts(), self.across.counts())
            return [(picture / counts).astype(np.float32) for picture in sums]

    def _blocks(self) -> Iterator[Block]:
        """Yield rectangles of at most `_BLOCK` weights that cover all sampled ones, row by row."""
        down, across = self.down, self.across
        taken = down.taken
        high = max(1, _BLOCK // max(1, min(across.length, _BLOCK)))
        high = max(1, high - high % taken) if high > taken else high
        for row in range(0, down.length, high):
            rows = min(high, down.length - row)
            for column in range(0, across.length, _BLOCK):
                columns = min(_BLOCK, across.length - column)
                yield Block(row, rows, column, columns, down, across)


def _clip_request(request: TileRequest, whole: Layout) -> TileRequest:
    """Return the request limited to the picture; its size is 0 if it is outside."""
    row = min(max(request.row, 0), whole.rows)
    column = min(max(request.column, 0), whole.columns)
    return replace(
        request,
        row=row,
        column=column,
        rows=max(0, min(request.row + request.rows, whole.rows) - row),
        columns=max(0, min(request.column + request.columns, whole.columns) - column),
    )


def _axes(request: TileRequest) -> tuple[TileAxis, TileAxis]:
    """Return the axes of rows and of columns, with the weights to be sampled.

    All weights are, unless `request.sampled` is set and there are more than `_FIRST_LOOK`.
    """
    pool = request.pool
    high, wide = pool, pool
    if request.sampled and request.rows * request.columns > _FIRST_LOOK:
        pixels = -(-request.rows // pool), -(-request.columns // pool)
        high = min(pool, power_of_two(_FIRST_LOOK // (pixels[0] * request.columns)))
        if high == 1:
            wide = min(pool, power_of_two(_FIRST_LOOK // (pixels[0] * pixels[1])))
    group = min(high, power_of_two(_GROUP // max(1, request.columns)))
    return (
        TileAxis(request.row, request.rows, pool, high, group),
        TileAxis(request.column, request.columns, pool, wide, wide),
    )
