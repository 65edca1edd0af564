"""Pool the elements of a tensor into pixels of a picture that each cover many weights.

An axis of a picture is divided into pixels of `pool` weights. All weights of a pixel are used, or,
for a first fast picture, some groups of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import DTypeLike, NDArray

from pruneapp.analysis.retained_norm import real_values
from pruneapp.checkpoint.elements import Bits
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.values import Bools, Counts, Float64s, Floats
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask

Flat = Floats | Bools

# Sampled positions differ per pixel, spread by the golden ratio: equal steps would alias with
# stripes of the same period.
_GOLDEN = 0.6180339887498949

# Rows added in float32 before they are widened to float64. The relative error of such a sum is at
# most 7 x 2^-24, less than that of the final float32, and nothing cancels, as no magnitude is
# negative.
_NARROW = 8

# A byte can hold the number of set bits of this many bytes.
_BYTES = 16


@dataclass(frozen=True)
class TileAxis:
    """One axis of a tile: a range of the picture, and the weights of it that are sampled.

    Attributes
    ----------
    first, size
        First row or column of the range, and its length, in weights.
    pool
        Weights per pixel; the last pixel may have fewer.
    taken
        Number of weights sampled per pixel, at most `pool`.
    group
        Number of sampled weights that are adjacent; a divisor of `taken`.
    """

    first: int
    size: int
    pool: int
    taken: int
    group: int

    @property
    def pixels(self) -> int:
        """Number of pixels."""
        return -(-self.size // self.pool)

    @property
    def length(self) -> int:
        """Total number of sampled weights."""
        if not self.size:
            return 0
        before = self.pixels - 1
        return before * self.taken + min(self.taken, self.size - before * self.pool)

    @property
    def whole(self) -> bool:
        """Whether every weight is sampled."""
        return self.taken == self.pool

    def places(self, start: int, stop: int) -> Counts:
        """Return the positions in the picture of the sampled weights `start` to `stop` (exclusive).

        They ascend, and count from the first row or column of the picture, not of the tile.
        """
        index = np.arange(start, stop, dtype=np.int64)
        if self.whole:
            return index + self.first
        pixel, at = np.divmod(index, self.taken)
        extent = np.minimum(self.size - pixel * self.pool, self.pool)
        group, within = np.divmod(at, self.group)
        # Each group has its own part of the pixel, and an arbitrary position inside that part.
        room = extent / (self.taken // self.group)
        shift = (pixel + 1) * _GOLDEN % 1.0
        spread = (group * room + shift * (room - self.group)).astype(np.int64) + within
        places: Counts = np.where(extent <= self.taken, at, spread)
        places += pixel * self.pool + self.first
        return places

    def counts(self) -> Float64s:
        """Return the number of sampled weights of each pixel."""
        counts = np.full(self.pixels, float(self.taken))
        if self.pixels:
            counts[-1] = self.length - (self.pixels - 1) * self.taken
        return counts


@dataclass(frozen=True)
class Block:
    """A rectangle of the sampled weights of a tile; positions count from the tile's first."""

    row: int
    rows: int
    column: int
    columns: int
    down: TileAxis
    across: TileAxis

    def add(self, values: Flat) -> Flat:
        """Return the sums over the weights of each pixel; `values` has shape ``[rows, columns]``.

        No value may be negative, because groups of eight are added in float32.
        """
        # Rows first: this adds whole contiguous lines, and leaves few values for the columns.
        down = _add_rows(values, self.row % self.down.taken, self.down.taken)
        return _add_columns(down, self.column % self.across.taken, self.across.taken)

    @property
    def octets(self) -> bool:
        """Whether packed bits can be added bytewise: no byte holds bits of two partial pixels.

        Pixels of two and four columns are quarters and halves of bytes.
        """
        taken = self.across.taken
        return (taken in {2, 4} or taken % 8 == 0) and not (self.column % 8 or self.columns % 8)

    def add_bits(self, packed: NDArray[np.uint8]) -> Float64s:
        """Return the sums per pixel of packed bits ``uint8[rows, columns / 8]``, little-endian.

        Only for blocks for which `octets` is True.
        """
        counts = _bit_counts(packed, min(self.across.taken, 8))
        taken = self.down.taken
        lead = self.row % taken
        down: NDArray[np.unsignedinteger]
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
        return np.add.reduceat(down, starts, axis=1, dtype=np.float64)

    def part(self, picture: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the view of a tile's pixels to which the sums of this block are added."""
        row, column = self.row // self.down.taken, self.column // self.across.taken
        last_row = -(-(self.row + self.rows) // self.down.taken)
        last_column = -(-(self.column + self.columns) // self.across.taken)
        return picture[row:last_row, column:last_column]


def _add_rows(values: Flat, lead: int, run: int) -> Flat:
    """Return the sums of the rows of each run of `run`, ``[runs, columns]``.

    `lead` rows of the first run are in the previous block. A `run` of 1 returns `values` itself.
    """
    if run == 1:
        return values
    if lead or values.shape[0] % run:
        starts = _starts(lead, values.shape[0], run)
        return np.add.reduceat(values, starts, axis=0, dtype=np.float64)
    few = min(run, _NARROW)
    if values.dtype != np.float32 or run % few:
        return _add_groups(values, run, np.float64)
    narrow = _add_groups(values, few, np.float32)
    if np.isinf(narrow).any():  # possibly an overflow of float32 only
        narrow = _add_groups(values, few, np.float64)
    return narrow if few == run else _add_groups(narrow, run // few, np.float64)


def _add_columns(values: Flat, lead: int, run: int) -> Flat:
    """Return the sums of the columns of each run of `run`, ``float64[rows, runs]``.

    `lead` columns of the first run are in the previous block. A `run` of 1 returns `values` itself.
    """
    if run == 1:
        return values
    if lead or values.shape[1] % run or run > _NARROW:
        starts = _starts(lead, values.shape[1], run)
        return np.add.reduceat(values, starts, axis=1, dtype=np.float64)
    added = values[:, 0::run].astype(np.float64)
    for column in range(1, run):
        added += values[:, column::run]
    return added


def _add_groups(
    values: Flat | NDArray[np.unsignedinteger], run: int, kind: type[Any]
) -> NDArray[Any]:
    groups = values.reshape(-1, run, values.shape[1])
    added: NDArray[Any] = np.add.reduce(groups, axis=1, dtype=kind)
    return added


def _bit_counts(packed: NDArray[np.uint8], columns: int) -> NDArray[np.uint8]:
    """Return the number of set bits of each group of `columns` (8, 4 or 2) bits, lowest first."""
    if columns == 8:
        return np.bitwise_count(packed)
    parts = 8 // columns
    counts = np.empty((packed.shape[0], packed.shape[1] * parts), np.uint8)
    ones = np.uint8((1 << columns) - 1)
    for part in range(parts):
        counts[:, part::parts] = np.bitwise_count(packed >> np.uint8(part * columns) & ones)
    return counts


def _starts(lead: int, size: int, run: int) -> Counts:
    starts = np.arange(-lead, size, run, dtype=np.int64)
    starts[0] = 0
    return starts


# Reads the elements from one flat index up to another.
Read = Callable[[int, int], Flat]

# Reading this many elements at once costs no more than splitting the request.
_SPAN = 1 << 14


def gather(read: Read, dtype: DTypeLike, rows: Counts, columns: Counts) -> Flat:
    """Return the elements at every row and column as a new array ``[rows, columns]``.

    `rows` and `columns` are offsets that add up to the flat index; both ascend and are not empty.
    `read` is called with a flat range (first, last + 1). If most of the span between the first and
    the last element is needed, it is read in one call; otherwise the request is halved along its
    longer side, recursively.
    """
    start, stop = int(rows[0] + columns[0]), int(rows[-1] + columns[-1]) + 1
    if stop - start == rows.size * columns.size and _run(columns):
        return read(start, stop).reshape(rows.size, columns.size)
    out: Flat = np.empty((rows.size, columns.size), dtype)
    _fill(out, read, rows, columns)
    return out


def octets(rows: Counts, columns: Counts) -> Counts | slice | None:
    """Return the bytes of a packed mask that hold the elements at every row and column.

    `rows` and `columns` are as in `gather`. The result is an index array ``[rows, columns / 8]``,
    or a slice if the bytes are contiguous. None if the elements do not fill whole bytes.
    """
    if columns.size % 8 or not _run(columns):
        return None
    starts = rows + columns[0]
    if (starts % 8).any():
        return None
    first = starts // 8
    width = columns.size // 8
    if int(first[-1] - first[0]) == (rows.size - 1) * width:
        return slice(int(first[0]), int(first[0]) + rows.size * width)
    indices: Counts = first[:, None] + np.arange(width)
    return indices


def _run(places: Counts) -> bool:
    return int(places[-1] - places[0]) == places.size - 1


def _fill(out: Flat, read: Read, rows: Counts, columns: Counts) -> None:
    """Write the elements at every row and column into `out`; see `gather`."""
    start, stop = int(rows[0] + columns[0]), int(rows[-1] + columns[-1]) + 1
    n_elements = rows.size * columns.size
    if stop - start <= max(_SPAN, 4 * n_elements) or n_elements == 1:
        flat = read(start, stop)
        step = int(rows[1] - rows[0]) if rows.size > 1 else 0
        if _run(columns) and (step * np.arange(rows.size) == rows - rows[0]).all():
            # Part of a matrix: a strided copy takes a tenth of the time of np.take.
            strides = step * flat.itemsize, flat.itemsize
            out[...] = as_strided(flat, out.shape, strides, writeable=False)
        else:
            np.take(flat, (rows - start)[:, None] + columns, out=out, mode="clip")
    elif rows[-1] - rows[0] >= columns[-1] - columns[0]:
        half = rows.size // 2
        _fill(out[:half], read, rows[:half], columns)
        _fill(out[half:], read, rows[half:], columns)
    else:
        half = columns.size // 2
        _fill(out[:, :half], read, rows, columns[:half])
        _fill(out[:, half:], read, rows, columns[half:])


# Combines masks, as booleans or as packed bytes, using only &, | and ~.
Rule = Callable[..., Any]
# Reads the values from one flat index up to another, as a new array.
ReadValues = Callable[[int, int], Floats]


class Layer(Protocol):
    """One or more pictures of a tile, computed as sums over the pixels of a block."""

    pictures: int

    def add(self, block: Block, rows: Counts, columns: Counts) -> list[NDArray[Any]]:
        """Return the sums for each picture; `rows` and `columns` as in `gather`."""


class LayerValues:
    """The values, or their magnitudes if a pixel covers several weights."""

    pictures = 1

    def __init__(self, read: ReadValues, pool: int) -> None:
        self._read = read
        self._pool = pool
        self._dtype = read(0, 0).dtype

    def add(self, block: Block, rows: Counts, columns: Counts) -> list[NDArray[Any]]:
        """See `Layer.add`."""
        values = gather(self._read, self._dtype, rows, columns)
        if self._pool > 1:
            np.abs(values, out=values)
        return [block.add(values)]


class LayerShares:
    """The share of weights for which a rule on masks holds.

    A mask may be None, which keeps everything; at least one must not be None.
    """

    pictures = 1

    def __init__(self, rule: Rule, *masks: BitMask | None) -> None:
        self._rule = rule
        self._masks = masks

    def add(self, block: Block, rows: Counts, columns: Counts) -> list[NDArray[Any]]:
        """See `Layer.add`."""
        if block.octets and (index := octets(rows, columns)) is not None:
            bits = self._rule(*(_bytes_at(mask, index) for mask in self._masks))
            return [block.add_bits(bits.reshape(rows.size, -1))]
        return [block.add(gather(self._bools, np.bool_, rows, columns))]

    def _bools(self, start: int, stop: int) -> Bools:
        bools: Bools = self._rule(
            *(np.True_ if m is None else m.bools(start, stop) for m in self._masks)
        )
        return bools


def _bytes_at(mask: BitMask | None, index: Counts | slice) -> Any:
    """Return the bytes of a packed mask at an index of `octets`; 0xFF if there is no mask.

    Pages of a mask on disk are released again.
    """
    if mask is None:
        return np.uint8(0xFF)
    if isinstance(index, slice):
        return mask.part(index.start, index.stop)
    found = mask.packed[index]
    if mask.mapped:
        scratch.release_pages(mask.packed, int(index[0, 0]), int(index[-1, -1]) + 1)
    return found


class Split(LayerValues):
    """The values, and the share of weights to be pruned: those up to a magnitude; NaN is kept.

    `free` is the mask of the weights that may be pruned; None for all.
    """

    pictures = 2

    def __init__(self, read: ReadValues, pool: int, threshold: float, free: BitMask | None) -> None:
        super().__init__(read, pool)
        self._threshold = threshold
        self._free = free

    def add(self, block: Block, rows: Counts, columns: Counts) -> list[NDArray[Any]]:
        """Return the sums of values or magnitudes, and the weights to be pruned, per pixel."""
        values = gather(self._read, self._dtype, rows, columns)
        sizes = np.abs(values, out=values if self._pool > 1 else None)
        to_be_pruned: Bools = sizes <= self._threshold
        if self._free is not None:
            np.logical_and(
                to_be_pruned, gather(self._free.bools, np.bool_, rows, columns), out=to_be_pruned
            )
        if block.octets:
            bits = np.packbits(to_be_pruned, axis=1, bitorder="little")
            return [block.add(values), block.add_bits(bits)]
        return [block.add(values), block.add(to_be_pruned)]


class Changes:
    """The differences between the values of two tensors of one shape, and where they are 0.

    Its four pictures are those of `DifferenceTile`: change, removed, restored, neither.
    """

    pictures = 4

    def __init__(self, a: Snapshot, name_a: str, b: Snapshot, name_b: str, pool: int) -> None:
        self._sides = (reader_of_exported(a, name_a), reader_of_exported(b, name_b))
        self._pool = pool

    def differences(self, start: int, stop: int) -> Floats:
        """Return B - A of the elements from `start` to `stop`."""
        before, after = (read(start, stop) for read in self._sides)
        with np.errstate(over="ignore", invalid="ignore"):
            return after - before

    def add(self, block: Block, rows: Counts, columns: Counts) -> list[NDArray[Any]]:
        """Return the sums of change, removed, restored and neither, per pixel."""
        x, y = (gather(read, read(0, 0).dtype, rows, columns) for read in self._sides)
        there_x, there_y = x != 0, y != 0
        change = y - x
        if self._pool > 1:
            np.abs(change, out=change)
        shares = (there_x & ~there_y, there_y & ~there_x, ~(there_x | there_y))
        return [block.add(picture) for picture in (change, *shares)]


def reader(bits: Callable[[str, int, int], Bits], entry: TensorEntry) -> ReadValues:
    """Return a function that reads the values of a tensor from `start` to `stop` (flat indices).

    `bits` is called with the name and a range of storage words, two of which are a complex128
    element. Raises `CheckpointError` at once if the elements of the dtype are packed.
    """
    words = 2 if entry.dtype.bits > 64 else 1  # complex128 has two words per element
    # Raises for packed types, whose words are fewer than their elements.
    real_values(np.empty(0, entry.dtype.storage), entry.dtype, entry.name)

    def read(start: int, stop: int) -> Floats:
        return real_values(bits(entry.name, start * words, stop * words), entry.dtype, entry.name)

    return read


def reader_of_changes(
    read: ReadValues, before: BitMask | None, after: BitMask | None
) -> ReadValues:
    """Return a function that reads which values change between two masks.

    A value v becomes -v if it is newly pruned, v if it is restored, and 0 if nothing changes. A
    mask of None keeps all.
    """

    def change(start: int, stop: int) -> Floats:
        """Return the changes of the elements `start` to `stop`, as an array of `read`."""
        x, y = (np.True_ if m is None else m.bools(start, stop) for m in (before, after))
        values = read(start, stop)
        # On the bits: needs no branch, and an unchanged NaN becomes 0.
        word = np.uint64 if values.itemsize == 8 else np.uint32
        bits = values.view(word)
        np.multiply(bits, x ^ y, out=bits)
        sign = word(1 << (8 * values.itemsize - 1))
        np.bitwise_xor(bits, np.multiply(x & ~y, sign, dtype=word), out=bits)
        return values

    return change


def reader_of_exported(snapshot: Snapshot, name: str) -> ReadValues:
    """Return a function that reads the values of a tensor as an export would write them.

    Pruned weights are +0.0, and repaired ones have their new values. Raises `CheckpointError` if
    the elements of the dtype are packed.
    """
    mask = snapshot.export_mask(name)

    def bits(first: str, start: int, stop: int) -> Bits:
        result = snapshot.bits_under(first, start, stop)
        if mask is not None:
            mask.zero(result, start)
        return result

    return reader(bits, snapshot.entry(name))
