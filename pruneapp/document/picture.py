"""Pictures of tensors: the part that is looked at, as coarse as the screen shows it.

Only the weights of the part are read, a few megabytes at a time, however large the tensor is.
Coarse pictures are exact as well: every weight of the part counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pruneapp.answers import Layout, Tile, TileRequest
from pruneapp.document.blocks import real_values
from pruneapp.document.layout import column_offsets, layout, row_offsets
from pruneapp.document.snapshot import Snapshot
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

__all__ = ["layout", "scale", "tile"]

# Weights that are worked on at once.
_BLOCK = 1 << 19
# Reading this many weights in one go costs no more than finding out that fewer would do.
_SPAN = 1 << 14
# The most pixels that a tile may have: more is a mistake of the caller.
_MOST_PIXELS = 1 << 26

_SAMPLES = 64
_SAMPLE = 1024
_PERCENTILE = 99.5

Flat = NDArray[np.float32] | NDArray[np.float64] | NDArray[np.bool_]
Read = Callable[[int, int], Flat]
Floats = NDArray[np.float64]


def tile(snapshot: Snapshot, request: TileRequest, going: BitMask | None, job: Job) -> Tile:
    """Make a part of a tensor's picture.

    Parameters
    ----------
    snapshot
        The state.
    request
        What is wanted; it is cut to the picture.
    going
        The mask of the tensor in a preview (`Preview.masks`); None without a preview.
    job
        Started with the weights of the part; may cancel.

    Returns
    -------
    Tile
        At pool 1 the weights themselves, else mean magnitudes (float64 sums) and shares over the
        ``pool x pool`` weights of a pixel; pixels at the border stand for fewer. A NaN among them
        makes the magnitude NaN. Complex numbers are shown by magnitude.

    Raises
    ------
    ValueError
        If the tile would have more than 67 million pixels, or `pool` is not positive.
    CheckpointError
        If the type has no values, or the file cannot be read.
    """
    entry = snapshot.entry(request.name)
    whole = layout(entry.shape, entry.kind, request.axes, request.fixed)
    request = _cut(request, whole)
    pool = request.pool
    if pool < 1 or -(-request.rows // pool) * -(-request.columns // pool) > _MOST_PIXELS:
        raise ValueError(f"a tile of {request.rows} x {request.columns} at pool {pool}")
    # Packed types have fewer words than elements: refused before any are counted.
    real_values(np.empty(0, entry.dtype.storage), entry.dtype, entry.name)
    job.start(request.rows * request.columns, entry.name)
    mask = snapshot.masks.get(entry.name)

    def values(start: int, stop: int) -> Flat:
        # complex128 is two words
        words = 2 if entry.dtype.bits > 64 else 1
        bits = snapshot.bits(entry.name, start * words, stop * words)
        return real_values(bits, entry.dtype, entry.name)

    def kept(start: int, stop: int) -> Flat:
        assert mask is not None
        return mask.bools(start, stop)

    def goes(start: int, stop: int) -> Flat:
        assert going is not None
        gone: NDArray[np.bool_] = ~going.bools(start, stop)
        return gone if mask is None else gone & mask.bools(start, stop)

    shape = -(-request.rows // pool), -(-request.columns // pool)
    picture = _Pooled(shape, pool) if pool > 1 else _Exact(shape)
    for r, rows in _blocks(request.row, request.rows, _rows_at_once(request)):
        row_at = row_offsets(whole, r, r + rows)
        for c, columns in _blocks(request.column, request.columns, _BLOCK):
            job.cancel.check()
            column_at = column_offsets(whole, c, c + columns)
            place = r - request.row, c - request.column
            picture.values(place, _gather(values, row_at, column_at))
            if mask is not None:
                picture.kept(place, _gather(kept, row_at, column_at))
            if going is not None:
                picture.going(place, _gather(goes, row_at, column_at))
            job.step(rows * columns)
    shown, stays, leaves = picture.finish(request)
    return Tile(request, whole, shown, stays, leaves, scale(snapshot, entry.name))


def scale(snapshot: Snapshot, name: str) -> float:
    """Return a magnitude that is large for a tensor: what a picture shows in full colour.

    The 99.5th percentile of the finite magnitudes, of all of them up to 65,536 elements, else of
    64 runs of 1,024 spread evenly: the same on every call. If that is 0 the largest of them; 1 if
    there is none but zeros.
    """
    entry = snapshot.entry(name)
    checkpoint = snapshot.checkpoint
    words = 2 if entry.dtype.bits > 64 else 1
    if entry.numel <= _SAMPLES * _SAMPLE:
        bits = checkpoint.bits(name)
    else:
        starts = np.linspace(0, entry.numel - _SAMPLE, _SAMPLES).astype(np.int64).tolist()
        bits = np.concatenate(
            [checkpoint.bits(name, s * words, (s + _SAMPLE) * words) for s in starts]
        )
    sizes = np.abs(real_values(bits, entry.dtype, entry.name)).astype(np.float64)
    sizes = sizes[np.isfinite(sizes)]
    if not sizes.size:
        return 1.0
    return float(np.percentile(sizes, _PERCENTILE)) or float(sizes.max()) or 1.0


def _cut(request: TileRequest, whole: Layout) -> TileRequest:
    row = min(max(request.row, 0), whole.rows)
    column = min(max(request.column, 0), whole.columns)
    return replace(
        request,
        row=row,
        column=column,
        rows=max(0, min(request.row + request.rows, whole.rows) - row),
        columns=max(0, min(request.column + request.columns, whole.columns) - column),
    )


def _rows_at_once(request: TileRequest) -> int:
    rows = max(1, _BLOCK // max(1, min(request.columns, _BLOCK)))
    return max(1, rows - rows % request.pool) if rows > request.pool else rows


def _blocks(first: int, size: int, step: int) -> list[tuple[int, int]]:
    return [(first + at, min(step, size - at)) for at in range(0, size, step)]


def _gather(read: Read, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Flat:
    """Return the elements at every row and column: ``[rows, columns]``.

    Reads the span between the first and the last in one go where most of it is wanted; where not,
    halves the part along its longer side and does the same for the halves.
    """
    start, stop = int(rows[0] + columns[0]), int(rows[-1] + columns[-1]) + 1
    wanted = rows.size * columns.size
    if stop - start <= max(_SPAN, 4 * wanted) or wanted == 1:
        flat = read(start, stop)
        if stop - start == wanted and columns.size == columns[-1] - columns[0] + 1:
            return flat.reshape(rows.size, columns.size)
        picked: Flat = flat[(rows - start)[:, None] + columns[None, :]]
        return picked
    if rows[-1] - rows[0] >= columns[-1] - columns[0]:
        half = rows.size // 2
        parts = (_gather(read, part, columns) for part in (rows[:half], rows[half:]))
        return np.concatenate(list(parts), axis=0)
    half = columns.size // 2
    parts = (_gather(read, rows, part) for part in (columns[:half], columns[half:]))
    return np.concatenate(list(parts), axis=1)


class _Exact:
    """One pixel for each weight."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._values = np.zeros(shape, np.float32)
        self._kept = np.ones(shape, np.float32)
        self._going = np.zeros(shape, np.float32)

    def values(self, place: tuple[int, int], block: Flat) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # float64 may be beyond float32
            _part(self._values, place, block)[:] = block

    def kept(self, place: tuple[int, int], block: Flat) -> None:
        _part(self._kept, place, block)[:] = block

    def going(self, place: tuple[int, int], block: Flat) -> None:
        _part(self._going, place, block)[:] = block

    def finish(self, _request: TileRequest) -> tuple[NDArray[np.float32], ...]:
        return self._values, self._kept, self._going


class _Pooled:
    """One pixel for ``pool x pool`` weights: sums, divided at the end."""

    def __init__(self, shape: tuple[int, int], pool: int) -> None:
        self._pool = pool
        self._values = np.zeros(shape)
        self._kept: Floats | None = None
        self._going: Floats | None = None

    def values(self, place: tuple[int, int], block: Flat) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            self._add(self._values, place, np.abs(block))

    def kept(self, place: tuple[int, int], block: Flat) -> None:
        if self._kept is None:
            self._kept = np.zeros_like(self._values)
        self._add(self._kept, place, block)

    def going(self, place: tuple[int, int], block: Flat) -> None:
        if self._going is None:
            self._going = np.zeros_like(self._values)
        self._add(self._going, place, block)

    def finish(self, request: TileRequest) -> tuple[NDArray[np.float32], ...]:
        height = _lengths(request.rows, self._pool)
        width = _lengths(request.columns, self._pool)
        counts = height[:, None] * width[None, :]
        ones = np.ones(counts.shape, np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            return (
                (self._values / counts).astype(np.float32),
                ones if self._kept is None else (self._kept / counts).astype(np.float32),
                0 * ones if self._going is None else (self._going / counts).astype(np.float32),
            )

    def _add(self, sums: Floats, place: tuple[int, int], block: Flat) -> None:
        # Rows first: that adds whole lines at once, and leaves little for the columns.
        down = _sum_runs(block, place[0] % self._pool, self._pool)
        both = _sum_runs(down.T, place[1] % self._pool, self._pool).T
        row, column = place[0] // self._pool, place[1] // self._pool
        sums[row : row + both.shape[0], column : column + both.shape[1]] += both


def _sum_runs(block: Flat, lead: int, pool: int) -> Floats:
    """Add up the rows of each run of `pool`; the first run has had `lead` rows before."""
    if lead == 0 and block.shape[0] % pool == 0:
        runs = block.reshape(-1, pool, block.shape[1])
        summed: Floats = np.add.reduce(runs, axis=1, dtype=np.float64)
        return summed
    starts = np.arange(-lead, block.shape[0], pool)
    starts[0] = 0
    return np.add.reduceat(block, starts, axis=0, dtype=np.float64)


def _lengths(size: int, pool: int) -> Floats:
    lengths = np.full(-(-size // pool), float(pool))
    if size % pool:
        lengths[-1] = size % pool
    return lengths


def _part(picture: NDArray[np.float32], place: tuple[int, int], block: Flat) -> NDArray[np.float32]:
    row, column = place
    return picture[row : row + block.shape[0], column : column + block.shape[1]]
