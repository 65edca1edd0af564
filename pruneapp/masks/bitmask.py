"""Masks: of one tensor, one bit per weight; of all tensors; and the layers of a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from pruneapp.masks import scratch
from pruneapp.masks.scratch import PIECE, Bytes

_SMALL = 1 << 12  # bytes that are compared sooner than numpy has begun


class BitMask:
    """Which elements of a tensor are kept. Immutable.

    Bit ``i % 8`` of byte ``i // 8`` (the lowest first) belongs to the element of flat index ``i``
    in C order; 1 is kept, 0 is pruned, as in torch's masks. The bits past the end are 0.

    Parameters
    ----------
    packed
        ``ceil(size / 8)`` bytes, ``uint8``, taken over without a copy and made read-only. Of a
        large tensor they may lie in a file (`pruneapp.masks.scratch`): read `part` then, and not
        all of them, for what is touched takes memory.
    kept
        How many bits are 1, where that is known; counted when it is first asked for otherwise.
    """

    __slots__ = ("__weakref__", "_kept", "packed", "size")

    def __init__(self, packed: NDArray[np.uint8], size: int, kept: int | None = None) -> None:
        if packed.dtype != np.uint8 or packed.shape != ((size + 7) // 8,):
            raise ValueError(
                f"{(size + 7) // 8} bytes expected (got {packed.dtype} {packed.shape})"
            )
        packed.flags.writeable = False
        self.packed = packed
        self.size = size
        self._kept = kept

    @classmethod
    def full(cls, size: int) -> BitMask:
        """Return the mask that keeps everything."""
        packed = scratch.bits(size)
        for start in range(0, packed.size, PIECE):
            packed[start : start + PIECE] = 0xFF
            scratch.let_go(packed, start, min(start + PIECE, packed.size))
        if size % 8:
            packed[-1] = (1 << size % 8) - 1
        return cls(packed, size)

    @classmethod
    def from_bools(cls, kept: NDArray[np.bool_]) -> BitMask:
        """Pack an array of any shape, True where kept."""
        flat = kept.reshape(-1)
        return cls(np.packbits(flat, bitorder="little"), flat.size)

    @property
    def mapped(self) -> bool:
        """Whether the bits lie in a file and take no memory."""
        return scratch.is_mapped(self.packed)

    def part(self, start: int, stop: int) -> Bytes:
        """Return the packed bytes `start` to `stop`, read-only, or of a file in a copy."""
        part = self.packed[start:stop]
        if self.mapped:
            part = part.copy()
            scratch.let_go(self.packed, start, start + part.size)
        return part

    def parts(self) -> Iterator[tuple[int, Bytes]]:
        """Yield all bytes in `part`s of some megabytes, each with its first place."""
        for start in range(0, self.packed.size, PIECE):
            yield start, self.part(start, start + PIECE)

    def bools(self, start: int = 0, stop: int | None = None) -> NDArray[np.bool_]:
        """Unpack the elements `start` to `stop` (flat), True where kept."""
        stop = self.size if stop is None else stop
        first, last = start // 8, (stop + 7) // 8
        bits = np.unpackbits(self.packed[first:last], bitorder="little")
        if self.mapped:
            scratch.let_go(self.packed, first, last)
        return bits[start - first * 8 : stop - first * 8].view(np.bool_)

    def zero(self, bits: NDArray[np.unsignedinteger], start: int) -> None:
        """Set to 0, in place, what is pruned of the elements from `start` on; see `Mask`."""
        # bits x 0 and bits x 1: no branch, and exact on unsigned integers.
        np.multiply(bits, self.bools(start, start + bits.size), out=bits)

    @classmethod
    def of_rows(cls, rows: NDArray[np.uint8], size: int) -> list[BitMask]:
        """Return the masks of tensors of a size, each a row of packed bytes; views, read-only."""
        rows.flags.writeable = False
        counts = np.bitwise_count(rows).sum(axis=1, dtype=np.int64).tolist()
        masks = []
        for row, kept in zip(rows, counts, strict=True):  # in a third of the time of `__init__`
            mask = cls.__new__(cls)
            mask.packed, mask.size, mask._kept = row, size, kept  # noqa: SLF001 - its own
            masks.append(mask)
        return masks

    @property
    def kept(self) -> int:
        """How many elements are kept."""
        if self._kept is None:
            self._kept = self._count()
        return self._kept

    def _count(self) -> int:
        if self.packed.size <= 64:  # where a call of numpy takes longer than the counting
            return int.from_bytes(self.packed.data, "little").bit_count()
        if self.mapped:
            return sum(ones(part) for _, part in self.parts())
        return ones(self.packed)

    @property
    def pruned(self) -> int:
        """How many elements are pruned."""
        return self.size - self.kept

    @property
    def nbytes(self) -> int:
        """Bytes of its bits."""
        return self.packed.nbytes

    @property
    def memory(self) -> int:
        """Bytes of memory that they take."""
        return 0 if self.nbytes > scratch.MOST_IN_MEMORY and self.mapped else self.nbytes

    def __and__(self, other: BitMask) -> BitMask:
        return self._with(other, np.bitwise_and)

    def __or__(self, other: BitMask) -> BitMask:
        return self._with(other, np.bitwise_or)

    def __sub__(self, other: BitMask) -> BitMask:
        """Return what is in this mask and not in the other."""
        return self._with(other, lambda here, there: here & ~there)

    def _with(self, other: BitMask, rule: Callable[[Bytes, Bytes], Bytes]) -> BitMask:
        if not (self.mapped or other.mapped):
            return BitMask(rule(self.packed, other.packed), self.size)
        packed, kept = scratch.bits(self.size), 0
        for start, part in self.parts():
            stop = start + part.size
            made = rule(part, other.part(start, stop))
            packed[start:stop] = made
            kept += ones(made)
            scratch.let_go(packed, start, stop)
        return BitMask(packed, self.size, kept)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BitMask):
            return NotImplemented
        if self.packed.size <= _SMALL:  # of 20,000 masks numpy takes 90 ms, this way 4 ms
            return self.size == other.size and self.packed.tobytes() == other.packed.tobytes()
        if self.mapped or other.mapped:
            return self.size == other.size and all(
                np.array_equal(part, other.part(start, start + part.size))
                for start, part in self.parts()
            )
        return self.size == other.size and bool(np.array_equal(self.packed, other.packed))

    __hash__ = None  # type: ignore[assignment]  # equal by content, and the content is large

    def __repr__(self) -> str:
        return f"BitMask({self.pruned:,} of {self.size:,} pruned)"


def ones(packed: Bytes) -> int:
    """Count the bits that are 1."""
    whole = packed.size // 8 * 8
    words, tail = packed[:whole].view(np.uint64), packed[whole:]
    return int(np.bitwise_count(words).sum(dtype=np.int64)) + int(
        np.bitwise_count(tail).sum(dtype=np.int64)
    )


class Mask(Protocol):
    """Which elements of a tensor are kept; immutable, safe to use from any thread.

    `BitMask` holds one bit for each. A mask that is a rule (what is below a threshold goes) holds
    next to nothing, and reads the weights again when it is asked.
    """

    @property
    def size(self) -> int:
        """Number of elements."""

    @property
    def kept(self) -> int:
        """How many elements are kept."""

    @property
    def pruned(self) -> int:
        """How many elements are pruned."""

    def bools(self, start: int = 0, stop: int | None = None) -> NDArray[np.bool_]:
        """Return the elements `start` to `stop` (flat, C order), True where kept."""

    def zero(self, bits: NDArray[np.unsignedinteger], start: int) -> None:
        """Set to 0, in place, what is pruned of a stretch of the tensor.

        `bits` are its raw elements from flat index `start` on, 1-D, unsigned, unchanged so far.
        """


T = TypeVar("T")


class MaskSet(Mapping[str, BitMask]):
    """Masks by tensor name. Immutable; a tensor without a mask is kept whole.

    Changing it makes a new set that shares every mask that did not change.
    """

    __slots__ = ("__weakref__", "_masks")

    def __init__(self, masks: Mapping[str, BitMask] | None = None) -> None:
        self._masks = dict(masks or {})

    def with_masks(self, changes: Mapping[str, BitMask | None]) -> MaskSet:
        """Return a set in which `changes` replace what was there; None removes a mask."""
        if not changes:
            return self
        merged = {**self._masks, **changes}
        made = MaskSet()
        made._masks = {name: mask for name, mask in merged.items() if mask is not None}
        return made

    def pruned(self, name: str) -> int:
        """How many elements of a tensor are pruned."""
        mask = self._masks.get(name)
        return 0 if mask is None else mask.pruned

    def counts(self, names: Iterable[str]) -> list[int]:
        """How many elements of each of some tensors are pruned; quick for very many."""
        masks = map(self._masks.get, names)
        # Most are counted already, and asking the mask takes three times as long.
        return [
            0 if mask is None else mask.size - (mask.kept if mask._kept is None else mask._kept)  # noqa: SLF001
            for mask in masks
        ]

    # Most tensors have no mask: a mapping's own way to say so is an exception, which takes twenty
    # times as long.

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


# What a document says of each weight, in a bit of a mask; and the values that it has in place of
# those of the file, which are bits, too: of a tensor as many as its elements take.
Layer = Literal["masks", "permanent", "protected", "values"]
# Masks by layer and name of the tensor; None for no mask.
LayerMasks = Mapping[Layer, Mapping[str, BitMask | None]]


@dataclass(frozen=True, eq=False)
class MaskLayers:
    """All masks of one state, a set for each `Layer`; another layer is one more field of its name.

    Attributes
    ----------
    masks
        What is kept.
    permanent
        What was made permanent (torch's ``remove``): where a bit is 0 the weight reads as +0.0, and
        counts as an ordinary weight that is there.
    protected
        Weights that no method prunes: a bit is 1 where it is protected. A tensor without a mask has
        none.
    values
        The raw elements that a tensor has in place of those of the file, pruned ones included; no
        mask of kept weights. One that is not here has those of the file.
    """

    masks: MaskSet = field(default_factory=MaskSet)
    permanent: MaskSet = field(default_factory=MaskSet)
    protected: MaskSet = field(default_factory=MaskSet)
    values: MaskSet = field(default_factory=MaskSet)

    def __getitem__(self, layer: Layer) -> MaskSet:
        masks: MaskSet = getattr(self, layer)
        return masks

    def replaced(self, changes: LayerMasks) -> MaskLayers:
        """Return the layers with other masks of some tensors; sets without a change are shared."""
        return replace(self, **{k: self[k].with_masks(masks) for k, masks in changes.items()})
