"""What a picture shows of a tensor's elements: values, shares of masks, and changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.pooling import Block, Places
from pruneapp.analysis.pooling_gathering import gather, octets
from pruneapp.analysis.retained_norm_blocks import real_values
from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.values import Floats
from pruneapp.masks.bitmask import BitMask

# Made of what masks say, as truth values or as packed bytes: of &, | and ~ alone.
Rule = Callable[..., Any]
# Values from one flat index to another, in memory of their own.
ReadValues = Callable[[int, int], Floats]


class Layer(Protocol):
    """Adds up what is shown, for each pixel of a block."""

    pictures: int

    def add(self, block: Block, rows: Places, columns: Places) -> list[NDArray[Any]]:
        """Return the sums for each picture.

        Parameters
        ----------
        block
            Which weights, and how they make pixels.
        rows, columns
            What each adds to the flat index.
        """


class LayerValues:
    """Values as they are, or where pixels are pooled their magnitudes.

    Parameters
    ----------
    read
        Returns the values from one flat index to another, in memory of their own.
    pool
        Weights along a pixel's side.
    """

    pictures = 1

    def __init__(self, read: ReadValues, pool: int) -> None:
        self._read = read
        self._pool = pool
        self._dtype = read(0, 0).dtype

    def add(self, block: Block, rows: Places, columns: Places) -> list[NDArray[Any]]:
        """See `Layer.add`."""
        found = gather(self._read, self._dtype, rows, columns)
        if self._pool > 1:
            np.abs(found, out=found)
        return [block.add(found)]


class LayerShares:
    """Where a rule on masks holds.

    Parameters
    ----------
    rule
        Takes an array for each mask.
    masks
        The masks; None for one that keeps everything, but not for all of them.
    """

    pictures = 1

    def __init__(self, rule: Rule, *masks: BitMask | None) -> None:
        self._rule = rule
        self._masks = masks

    def add(self, block: Block, rows: Places, columns: Places) -> list[NDArray[Any]]:
        """See `Layer.add`."""
        if block.octets and (index := octets(rows, columns)) is not None:
            bits = self._rule(
                *(np.uint8(0xFF) if m is None else m.packed[index] for m in self._masks)
            )
            return [block.add_bits(bits.reshape(rows.size, -1))]
        return [block.add(gather(self._bools, np.bool_, rows, columns))]

    def _bools(self, start: int, stop: int) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self._rule(
            *(np.True_ if m is None else m.bools(start, stop) for m in self._masks)
        )
        return found


class Split:
    """Values or magnitudes as `LayerValues`, and what of them would go by a threshold.

    Two pictures: the values, and the share of weights that go.

    Parameters
    ----------
    read, pool
        As for `LayerValues`.
    threshold
        Weights of at most this magnitude go; NaN stays.
    free
        The weights that may go; None for all of them.
    """

    pictures = 2

    def __init__(self, read: ReadValues, pool: int, threshold: float, free: BitMask | None) -> None:
        self._read = read
        self._pool = pool
        self._dtype = read(0, 0).dtype
        self._threshold = threshold
        self._free = free

    def add(self, block: Block, rows: Places, columns: Places) -> list[NDArray[Any]]:
        """See `Layer.add`."""
        found = gather(self._read, self._dtype, rows, columns)
        sizes = np.abs(found, out=found if self._pool > 1 else None)
        goes: NDArray[np.bool_] = sizes <= self._threshold
        if self._free is not None:
            np.logical_and(goes, gather(self._free.bools, np.bool_, rows, columns), out=goes)
        if block.octets:
            bits = np.packbits(goes, axis=1, bitorder="little")
            return [block.add(found), block.add_bits(bits)]
        return [block.add(found), block.add(goes)]


class Changes:
    """How the values of two checkpoints differ, and where they are 0.

    Its pictures are those of `DifferenceTile`: the change, gone, back, neither.

    Parameters
    ----------
    a, name_a, b, name_b
        The tensors, by their first names; of one shape.
    pool
        Weights along a pixel's side.
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

    def add(self, block: Block, rows: Places, columns: Places) -> list[NDArray[Any]]:
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
        found = snapshot.checkpoint.bits(first, start, stop)
        if mask is not None:
            mask.zero(found, start)
        return found

    return reader(bits, snapshot.entry(name))
