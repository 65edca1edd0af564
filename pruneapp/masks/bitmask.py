"""The mask of one tensor, one bit per weight."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray


class BitMask:
    """Which elements of a tensor are kept. Immutable.

    Bit ``i % 8`` of byte ``i // 8`` (the lowest first) belongs to the element of flat index ``i``
    in C order; 1 is kept, 0 is pruned, as in torch's masks. The bits past the end are 0.

    Parameters
    ----------
    packed
        ``ceil(size / 8)`` bytes, ``uint8``, taken over without a copy and made read-only.
    size
        Number of elements.
    kept
        How many bits are 1, where that is known; counted when it is first asked for otherwise.
    """

    __slots__ = ("__dict__", "__weakref__", "packed", "size")

    def __init__(self, packed: NDArray[np.uint8], size: int, kept: int | None = None) -> None:
        if packed.dtype != np.uint8 or packed.shape != ((size + 7) // 8,):
            raise ValueError(
                f"{(size + 7) // 8} bytes expected (got {packed.dtype} {packed.shape})"
            )
        packed.flags.writeable = False
        self.packed = packed
        self.size = size
        if kept is not None:
            self.kept = kept

    @classmethod
    def full(cls, size: int) -> BitMask:
        """Return the mask that keeps everything."""
        packed = np.full((size + 7) // 8, 0xFF, np.uint8)
        if size % 8:
            packed[-1] = (1 << size % 8) - 1
        return cls(packed, size)

    @classmethod
    def from_bools(cls, kept: NDArray[np.bool_]) -> BitMask:
        """Pack an array of any shape, True where kept."""
        flat = kept.reshape(-1)
        return cls(np.packbits(flat, bitorder="little"), flat.size)

    def bools(self, start: int = 0, stop: int | None = None) -> NDArray[np.bool_]:
        """Unpack the elements `start` to `stop` (flat), True where kept."""
        stop = self.size if stop is None else stop
        first = start // 8
        bits = np.unpackbits(self.packed[first : (stop + 7) // 8], bitorder="little")
        return bits[start - first * 8 : stop - first * 8].view(np.bool_)

    def zero(self, bits: NDArray[np.unsignedinteger], start: int) -> None:
        """Set to 0, in place, what is pruned of the elements from `start` on; see `Mask`."""
        # bits x 0 and bits x 1: no branch, and exact on unsigned integers.
        np.multiply(bits, self.bools(start, start + bits.size), out=bits)

    @cached_property
    def kept(self) -> int:
        """How many elements are kept."""
        if self.packed.size <= 64:  # where a call of numpy takes longer than the counting
            return int.from_bytes(self.packed.data, "little").bit_count()
        words = self.packed[: self.packed.size // 8 * 8].view(np.uint64)
        tail = self.packed[self.packed.size // 8 * 8 :]
        return int(np.bitwise_count(words).sum(dtype=np.int64)) + int(
            np.bitwise_count(tail).sum(dtype=np.int64)
        )

    @property
    def pruned(self) -> int:
        """How many elements are pruned."""
        return self.size - self.kept

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes."""
        return self.packed.nbytes

    def __and__(self, other: BitMask) -> BitMask:
        return BitMask(self.packed & other.packed, self.size)

    def __or__(self, other: BitMask) -> BitMask:
        return BitMask(self.packed | other.packed, self.size)

    def __sub__(self, other: BitMask) -> BitMask:
        """Return what is in this mask and not in the other."""
        return BitMask(self.packed & ~other.packed, self.size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BitMask):
            return NotImplemented
        return self.size == other.size and bool(np.array_equal(self.packed, other.packed))

    __hash__ = None  # type: ignore[assignment]  # equal by content, and the content is large

    def __repr__(self) -> str:
        return f"BitMask({self.pruned:,} of {self.size:,} pruned)"
