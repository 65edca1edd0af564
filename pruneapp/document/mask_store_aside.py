"""Masks of the history that are put aside, and how they go to disk and come back.

What takes as long as a disk takes is a plain function for a worker; before and after it the
history changes in no time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pruneapp.document.mask_store_scratch import ScratchFile
from pruneapp.errors import words_of
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


class MaskSlot:
    """A mask of the history: in memory, in the scratch file, or both.

    Attributes
    ----------
    mask
        The mask, if it is in memory.
    offset
        Where it lies in the scratch file; -1 if it does not.
    size, nbytes
        Elements, and bytes that it takes.
    uses
        How often the history's records refer to it.
    """

    __slots__ = ("mask", "nbytes", "offset", "size", "uses")

    def __init__(self, mask: BitMask) -> None:
        self.mask: BitMask | None = mask
        self.offset = -1
        self.size = mask.size
        self.nbytes = mask.nbytes
        self.uses = 0

    def load(self, scratch: ScratchFile, job: Job) -> BitMask:
        """Return the mask, from the file if need be; the slot itself stays as it is."""
        return scratch.read(self.offset, self.size, job) if self.mask is None else self.mask

    def kept_at(self, scratch: ScratchFile, index: int) -> bool:
        """Return one bit of the mask without loading the rest."""
        if self.mask is not None:
            byte = int(self.mask.packed[index // 8])
        else:
            byte = scratch.byte(self.offset + index // 8)
        return bool(byte >> index % 8 & 1)


@dataclass(frozen=True, eq=False)
class Written:
    """What a `Spill` has written: slots and where they lie.

    All of them if `complete`; else `why_not` says in words what the disk said.
    """

    slots: tuple[tuple[MaskSlot, int], ...]
    complete: bool
    why_not: str = ""


@dataclass(frozen=True, eq=False)
class Spill:
    """Masks to be written to the scratch file, by `run` in a worker."""

    slots: tuple[tuple[MaskSlot, BitMask], ...]
    scratch: ScratchFile

    def run(self, job: Job) -> Written:
        """Write them; where the disk is full, those that it took."""
        job.start(sum(mask.nbytes for _, mask in self.slots))
        written: list[tuple[MaskSlot, int]] = []
        why_not = ""
        try:
            for slot, mask in self.slots:
                offset = slot.offset if slot.offset >= 0 else self.scratch.write(mask, job)
                written.append((slot, offset))
                job.step(mask.nbytes)
        except OSError as error:  # better too much memory than a lost undo
            why_not = words_of(error)
        return Written(tuple(written), len(written) == len(self.slots), why_not)


@dataclass(frozen=True, eq=False)
class Fetch:
    """Masks to be read from the scratch file, by `run` in a worker."""

    slots: tuple[MaskSlot, ...]
    scratch: ScratchFile

    def run(self, job: Job) -> tuple[tuple[MaskSlot, BitMask], ...]:
        """Read and count them; raises OSError if the file cannot be read."""
        job.start(sum(slot.nbytes for slot in self.slots))
        found: list[tuple[MaskSlot, BitMask]] = []
        for slot in self.slots:
            mask = slot.load(self.scratch, job)
            _ = mask.kept  # counted here: whoever shows the number has no time for it
            found.append((slot, mask))
            job.step(slot.nbytes)
        return tuple(found)


# What a document says of each weight: whether it is kept, made final, protected.
Layer = Literal["masks", "final", "protected"]


Slots = dict[tuple[Layer, str], MaskSlot | None]


Keyed = dict[tuple[Layer, str], BitMask | None]


@dataclass(frozen=True, eq=False)
class NewMask:
    """A mask that was not met before, and the one that it is packed against."""

    slot: MaskSlot
    base: MaskSlot | None = None
