"""What a picture shows of a tensor's elements, added up in pixels that stand for many weights.

An axis of a picture is cut into pixels of `pool` weights. Of each pixel all weights are taken, or,
for a first look, a few groups of them.
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
    """One axis of a tile: a part of the picture, in weights, and those of them that are looked at.

    Attributes
    ----------
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

    def places(self, start: int, stop: int) -> Counts:
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
        places: Counts = np.where(extent <= self.taken, at, spread)
        places += pixel * self.pool + self.first
        return places

    def counts(self) -> Float64s:
        """Return how many weights are taken of each pixel."""
        counts = np.full(self.pixels, float(self.taken))
        if self.pixels:
            counts[-1] = self.length - (self.pixels - 1) * self.taken
        return counts


@dataclass(frozen=True)
class Block:
    """A rectangle of the taken weights of a tile, counted from its first."""

    row: int
    rows: int
    column: int
    columns: int
    down: TileAxis
    across: TileAxis

    def add(self, values: Flat) -> Flat:
        """Add up the weights of each pixel, ``[rows, columns]``.

        None is negative, for float32 is added in groups of eight as it is.
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

    def add_bits(self, packed: NDArray[np.uint8]) -> Float64s:
        """Add up bits, where there are `octets`; ``uint8[rows, columns / 8]``."""
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


def _add_groups(
    values: Flat | NDArray[np.unsignedinteger], run: int, kind: type[Any]
) -> NDArray[Any]:
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


def _starts(lead: int, size: int, run: int) -> Counts:
    starts = np.arange(-lead, size, run, dtype=np.int64)
    starts[0] = 0
    return starts


# Elements from one flat index to another.
Read = Callable[[int, int], Flat]

# Reading this many elements in one go costs no more than finding out that fewer would do.
_SPAN = 1 << 14


def gather(read: Read, dtype: DTypeLike, rows: Counts, columns: Counts) -> Flat:
    """Return the elements at every row and column: ``[rows, columns]``, in memory of their own.

    `rows` and `columns` say what each adds to the flat index; both rise. Reads the span between the
    first and the last in one go where most of it is wanted; where not, halves the part along its
    longer side and does the same for the halves.
    """
    start, stop = int(rows[0] + columns[0]), int(rows[-1] + columns[-1]) + 1
    if stop - start == rows.size * columns.size and _run(columns):
        return read(start, stop).reshape(rows.size, columns.size)
    out: Flat = np.empty((rows.size, columns.size), dtype)
    _fill(out, read, rows, columns)
    return out


def octets(rows: Counts, columns: Counts) -> Counts | slice | None:
    """Return which bytes of a packed mask hold the elements at every row and column.

    An index of ``[rows, columns / 8]`` bytes; a slice where they follow each other. None if the
    elements do not fill whole bytes.
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
    start, stop = int(rows[0] + columns[0]), int(rows[-1] + columns[-1]) + 1
    wanted = rows.size * columns.size
    if stop - start <= max(_SPAN, 4 * wanted) or wanted == 1:
        flat = read(start, stop)
        step = int(rows[1] - rows[0]) if rows.size > 1 else 0
        if _run(columns) and (step * np.arange(rows.size) == rows - rows[0]).all():
            # A part of a matrix: copied line by line, in a tenth of the time.
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


# Made of what masks say, as truth values or as packed bytes: of &, | and ~ alone.
Rule = Callable[..., Any]
# Values from one flat index to another, in memory of their own.
ReadValues = Callable[[int, int], Floats]


class Layer(Protocol):
    """Adds up what is shown, for each pixel of a block."""

    pictures: int

    def add(self, block: Block, rows: Counts, columns: Counts) -> list[NDArray[Any]]:
        """Return the sums for each picture; `rows` and `columns` as in `gather`."""


class LayerValues:
    """Values as they are, or where pixels are pooled their magnitudes."""

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
    """Where a rule on masks holds; one, but not each of them, may be None: it keeps everything."""

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
    """Return some bytes of a mask; all ones for no mask."""
    if mask is None:
        return np.uint8(0xFF)
    if isinstance(index, slice):
        return mask.part(index.start, index.stop)
    found = mask.packed[index]
    if mask.mapped:
        scratch.let_go(mask.packed, int(index[0, 0]), int(index[-1, -1]) + 1)
    return found


class Split(LayerValues):
    """The values, and the share of weights of at most a magnitude, which would go; NaN stays.

    `free` are the weights that may go; None for all of them.
    """

    pictures = 2

    def __init__(self, read: ReadValues, pool: int, threshold: float, free: BitMask | None) -> None:
        super().__init__(read, pool)
        self._threshold = threshold
        self._free = free

    def add(self, block: Block, rows: Counts, columns: Counts) -> list[NDArray[Any]]:
        """See `Layer.add`."""
        values = gather(self._read, self._dtype, rows, columns)
        sizes = np.abs(values, out=values if self._pool > 1 else None)
        goes: Bools = sizes <= self._threshold
        if self._free is not None:
            np.logical_and(goes, gather(self._free.bools, np.bool_, rows, columns), out=goes)
        if block.octets:
            bits = np.packbits(goes, axis=1, bitorder="little")
            return [block.add(values), block.add_bits(bits)]
        return [block.add(values), block.add(goes)]


class Changes:
    """How the values of two tensors of one shape differ, and where they are 0.

    Its pictures are those of `DifferenceTile`: the change, gone, back, neither.
    """

    pictures = 4

    def __init__(self, a: Snapshot, name_a: str, b: Snapshot, name_b: str, pool: int) -> None:
        self._sides = (effective(a, name_a), effective(b, name_b))
        self._pool = pool

    def differences(self, start: int, stop: int) -> Floats:
        """Return B - A of some elements."""
        before, after = (read(start, stop) for read in self._sides)
        with np.errstate(over="ignore", invalid="ignore"):
            return after - before

    def add(self, block: Block, rows: Counts, columns: Counts) -> list[NDArray[Any]]:
        """See `Layer.add`."""
        x, y = (gather(read, read(0, 0).dtype, rows, columns) for read in self._sides)
        there_x, there_y = x != 0, y != 0
        change = y - x
        if self._pool > 1:
            np.abs(change, out=change)
        shares = (there_x & ~there_y, there_y & ~there_x, ~(there_x | there_y))
        return [block.add(picture) for picture in (change, *shares)]


def reader(bits: Callable[[str, int, int], Bits], entry: TensorEntry) -> ReadValues:
    """Return a function that reads the values of a tensor.

    Raises
    ------
    CheckpointError
        If the type has no values of its own.
    """
    words = 2 if entry.dtype.bits > 64 else 1  # complex128 is two words
    # Packed types have fewer words than elements: refused before any are counted.
    real_values(np.empty(0, entry.dtype.storage), entry.dtype, entry.name)

    def read(start: int, stop: int) -> Floats:
        return real_values(bits(entry.name, start * words, stop * words), entry.dtype, entry.name)

    return read


def changed(read: ReadValues, before: BitMask | None, after: BitMask | None) -> ReadValues:
    """Return a function that reads by how much masks change values: 0 where they agree."""

    def change(start: int, stop: int) -> Floats:
        x, y = (np.True_ if m is None else m.bools(start, stop) for m in (before, after))
        values = read(start, stop)
        # On bits: no branch, and a NaN that does not change is 0.
        word = np.uint64 if values.itemsize == 8 else np.uint32
        bits = values.view(word)
        np.multiply(bits, x ^ y, out=bits)
        sign = word(1 << (8 * values.itemsize - 1))
        np.bitwise_xor(bits, np.multiply(x & ~y, sign, dtype=word), out=bits)
        return values

    return change


def effective(snapshot: Snapshot, name: str) -> ReadValues:
    """Return a function that reads values as an export would write them."""
    mask = snapshot.zeroed(name)

    def bits(first: str, start: int, stop: int) -> Bits:
        result = snapshot.bits_under(first, start, stop)
        if mask is not None:
            mask.zero(result, start)
        return result

    return reader(bits, snapshot.entry(name))
