"""Masks: of one tensor, with a bit per weight; of several tensors; and the layers of a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from pruneapp.masks import scratch
from pruneapp.masks.scratch import PIECE, Bytes

_SMALL = 1 << 12  # up to this many bytes, comparing bytes is faster than a NumPy call


class BitMask:
    """Which elements of a tensor are kept. Immutable.

    Bit ``i % 8`` of byte ``i // 8`` (the lowest first) belongs to the element of flat index ``i``
    in C order; 1 is kept, 0 is pruned, as in torch's masks. The bits past the end are 0.

    Parameters
    ----------
    packed
        ``ceil(size / 8)`` bytes, ``uint8``, used without a copy and made read-only. For a large
        tensor they may be mapped from a file (`pruneapp.masks.scratch`): then read them by `part`
        instead of all at once, because accessed pages take memory.
    kept
        Number of 1-bits if known; otherwise they are counted on first use.
    """

    __slots__ = ("__weakref__", "known_kept", "packed", "size")

    def __init__(self, packed: NDArray[np.uint8], size: int, kept: int | None = None) -> None:
        """Wrap packed bits without a copy, and make them read-only.

        Raises `ValueError` unless they are ``uint8`` of shape ``(ceil(size / 8),)``. Bits past the
        end and `kept` are not checked.
        """
        if packed.dtype != np.uint8 or packed.shape != ((size + 7) // 8,):
            raise ValueError(
                f"{(size + 7) // 8} bytes expected (got {packed.dtype} {packed.shape})"
            )
        packed.flags.writeable = False
        self.packed = packed
        self.size = size
        self.known_kept = kept  # None until they are counted

    @classmethod
    def full(cls, size: int) -> BitMask:
        """Return the mask that keeps all of `size` elements, mapped from a file if it is large.

        Raises `ScratchError` if the disk has no space.
        """
        packed = scratch.bits(size)
        for start in range(0, packed.size, PIECE):
            packed[start : start + PIECE] = 0xFF
            scratch.release_pages(packed, start, min(start + PIECE, packed.size))
        if size % 8:
            packed[-1] = (1 << size % 8) - 1
        return cls(packed, size)

    @classmethod
    def from_bools(cls, kept: NDArray[np.bool_]) -> BitMask:
        """Pack an array of any shape that is True for kept elements."""
        flat = kept.reshape(-1)
        return cls(np.packbits(flat, bitorder="little"), flat.size)

    @property
    def mapped(self) -> bool:
        """Whether the bits are mapped from a file and take no memory."""
        return scratch.is_mapped(self.packed)

    def part(self, start: int, stop: int) -> Bytes:
        """Return the packed bytes `start` to `stop` (exclusive, clipped to the mask).

        The result is a read-only view, or a copy if the mask is mapped.
        """
        part = self.packed[start:stop]
        if self.mapped:
            part = part.copy()
            scratch.release_pages(self.packed, start, start + part.size)
        return part

    def parts(self) -> Iterator[tuple[int, Bytes]]:
        """Yield all bytes in pieces of a few megabytes, each with the index of its first byte."""
        for start in range(0, self.packed.size, PIECE):
            yield start, self.part(start, start + PIECE)

    def bools(self, start: int = 0, stop: int | None = None) -> NDArray[np.bool_]:
        """Unpack the elements `start` to `stop` (flat indices, exclusive) to a new array.

        True where kept; all elements by default. The range must be within the tensor.
        """
        stop = self.size if stop is None else stop
        first, last = start // 8, (stop + 7) // 8
        bits = np.unpackbits(self.packed[first:last], bitorder="little")
        if self.mapped:
            scratch.release_pages(self.packed, first, last)
        return bits[start - first * 8 : stop - first * 8].view(np.bool_)

    def zero(self, bits: NDArray[np.unsignedinteger], start: int) -> None:
        """Set the pruned elements to 0 in place; see `Mask.zero`."""
        # Multiplying by 0 or 1 needs no branch and is exact for unsigned integers.
        np.multiply(bits, self.bools(start, start + bits.size), out=bits)

    @classmethod
    def of_rows(cls, rows: NDArray[np.uint8], size: int) -> list[BitMask]:
        """Return a mask of `size` elements for each row of packed bytes, as read-only views.

        `rows` is made read-only. Bits past the end must be 0, which is not checked.
        """
        rows.flags.writeable = False
        counts = np.bitwise_count(rows).sum(axis=1, dtype=np.int64).tolist()
        masks = []
        for row, kept in zip(rows, counts, strict=True):  # three times as fast as `__init__`
            mask = cls.__new__(cls)
            mask.packed, mask.size, mask.known_kept = row, size, kept
            masks.append(mask)
        return masks

    @property
    def kept(self) -> int:
        """Number of kept elements."""
        if self.known_kept is None:
            self.known_kept = self._count()
        return self.known_kept

    def _count(self) -> int:
        if self.packed.size <= 64:  # faster than a NumPy call
            return int.from_bytes(self.packed.data, "little").bit_count()
        if self.mapped:
            return sum(ones(part) for _, part in self.parts())
        return ones(self.packed)

    @property
    def pruned(self) -> int:
        """Number of pruned elements."""
        return self.size - self.kept

    @property
    def nbytes(self) -> int:
        """Size of the packed bits in bytes."""
        return self.packed.nbytes

    @property
    def memory(self) -> int:
        """Bytes of memory that the packed bits take; 0 if they are mapped from a file."""
        return 0 if self.nbytes > scratch.MOST_IN_MEMORY and self.mapped else self.nbytes

    def __and__(self, other: BitMask) -> BitMask:
        return self._with(other, np.bitwise_and)

    def __or__(self, other: BitMask) -> BitMask:
        return self._with(other, np.bitwise_or)

    def __sub__(self, other: BitMask) -> BitMask:
        """Return the bits that are set in this mask but not in the other."""
        return self._with(other, lambda here, there: here & ~there)

    def _with(self, other: BitMask, rule: Callable[[Bytes, Bytes], Bytes]) -> BitMask:
        """Return the combination of two masks of equal size by a rule for packed bytes.

        The result is mapped from a file if it is large and one of the two is mapped.
        """
        if not (self.mapped or other.mapped):
            return BitMask(rule(self.packed, other.packed), self.size)
        packed, kept = scratch.bits(self.size), 0
        for start, part in self.parts():
            stop = start + part.size
            combined = rule(part, other.part(start, stop))
            packed[start:stop] = combined
            kept += ones(combined)
            scratch.release_pages(packed, start, stop)
        return BitMask(packed, self.size, kept)

    def __eq__(self, other: object) -> bool:
        """Return whether two masks have the same size and bits."""
        if not isinstance(other, BitMask):
            return NotImplemented
        if self.packed.size <= _SMALL:  # for 20,000 masks 4 ms; NumPy takes 90 ms
            return self.size == other.size and self.packed.tobytes() == other.packed.tobytes()
        if self.mapped or other.mapped:
            return self.size == other.size and all(
                np.array_equal(part, other.part(start, start + part.size))
                for start, part in self.parts()
            )
        return self.size == other.size and bool(np.array_equal(self.packed, other.packed))

    __hash__ = None  # type: ignore[assignment]  # compared by content, which is large

    def __repr__(self) -> str:
        return f"BitMask({self.pruned:,} of {self.size:,} pruned)"


def ones(packed: Bytes) -> int:
    """Return the number of 1-bits."""
    whole = packed.size // 8 * 8
    words, tail = packed[:whole].view(np.uint64), packed[whole:]
    return int(np.bitwise_count(words).sum(dtype=np.int64)) + int(
        np.bitwise_count(tail).sum(dtype=np.int64)
    )


class Mask(Protocol):
    """Which elements of a tensor are kept. Immutable and thread-safe.

    `BitMask` stores a bit per element. A mask defined by a rule, such as a threshold, takes almost
    no memory but reads the weights again on each use.
    """

    @property
    def size(self) -> int:
        """Number of elements."""

    @property
    def kept(self) -> int:
        """Number of kept elements."""

    @property
    def pruned(self) -> int:
        """Number of pruned elements."""

    def bools(self, start: int = 0, stop: int | None = None) -> NDArray[np.bool_]:
        """Return the elements `start` to `stop` (flat indices, C order), True where kept."""

    def zero(self, bits: NDArray[np.unsignedinteger], start: int) -> None:
        """Set the pruned elements of a stretch to 0 in place.

        `bits` are its raw elements from flat index `start` on: 1-D, unsigned, with unmodified
        values.
        """


T = TypeVar("T")


class MaskSet(Mapping[str, BitMask]):
    """Masks by tensor name. Immutable; a tensor without a mask is not pruned.

    Changes create a new set that shares all unchanged masks.
    """

    __slots__ = ("__weakref__", "_masks", "_total_pruned")

    def __init__(self, masks: Mapping[str, BitMask] | None = None) -> None:
        self._masks = dict(masks or {})
        self._total_pruned: int | None = None

    def with_masks(self, changes: Mapping[str, BitMask | None]) -> MaskSet:
        """Return a set with the masks of `changes` added or replaced; None removes a mask.

        This set does not change, and is returned itself if `changes` is empty. Removing a mask that
        is missing is no error.
        """
        if not changes:
            return self
        merged = {**self._masks, **changes}
        result = MaskSet()
        result._masks = {name: mask for name, mask in merged.items() if mask is not None}
        return result

    def pruned(self, name: str) -> int:
        """Return the number of pruned elements of a tensor."""
        mask = self._masks.get(name)
        return 0 if mask is None else mask.pruned

    @property
    def total_pruned(self) -> int:
        """The number of pruned elements of all tensors; counted once."""
        if self._total_pruned is None:
            self._total_pruned = sum(self.counts(self._masks))
        return self._total_pruned

    def counts(self, names: Iterable[str]) -> list[int]:
        """Return the number of pruned elements of each tensor, in order; 0 without a mask.

        Fast for 100,000 names.
        """
        masks = map(self._masks.get, names)
        # Most counts are cached; calling the property takes three times as long.
        return [
            0
            if mask is None
            else mask.size - (mask.kept if mask.known_kept is None else mask.known_kept)
            for mask in masks
        ]

    # `Mapping.get` handles a missing key by an exception, which takes twenty times as long; most
    # tensors have no mask.

    @overload
    def get(self, name: str, /) -> BitMask | None: ...
    @overload
    def get(self, name: str, /, default: BitMask | T) -> BitMask | T: ...
    def get(self, name: str, /, default: BitMask | T | None = None) -> BitMask | T | None:
        """Return the mask of a tensor, or `default` if it has none."""
        return self._masks.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._masks

    def __getitem__(self, name: str) -> BitMask:
        return self._masks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._masks)

    def __len__(self) -> int:
        return len(self._masks)


# The kinds of masks of a document. "values" has the raw elements of tensors with replaced values,
# stored as masks of all their bits.
Layer = Literal["masks", "permanent", "protected", "values"]
# Masks by layer and tensor name; None for no mask.
LayerMasks = Mapping[Layer, Mapping[str, BitMask | None]]


@dataclass(frozen=True, eq=False)
class MaskLayers:
    """All masks of a state, a set for each `Layer`. Field names are the names of layers.

    Attributes
    ----------
    masks
        Kept weights.
    permanent
        Weights made permanent (as by torch's ``remove``): where a bit is 0, the weight is read as
        +0.0 and counts as an ordinary kept weight.
    protected
        Weights that no method prunes: a bit is 1 where a weight is protected. Without a mask, none
        is.
    values
        Raw elements of tensors with replaced values, including those of pruned weights. All other
        tensors have the values of the file.
    """

    masks: MaskSet = field(default_factory=MaskSet)
    permanent: MaskSet = field(default_factory=MaskSet)
    protected: MaskSet = field(default_factory=MaskSet)
    values: MaskSet = field(default_factory=MaskSet)

    def __getitem__(self, layer: Layer) -> MaskSet:
        masks: MaskSet = getattr(self, layer)
        return masks

    def with_masks(self, changes: LayerMasks) -> MaskLayers:
        """Return the layers with changed masks; unchanged sets are shared."""
        return replace(self, **{k: self[k].with_masks(masks) for k, masks in changes.items()})
