"""The masks of a history: in memory as long as there is room, else in a scratch file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from pruneapp.document.mask_store_aside import Keyed, MaskSlot, Slots, Spill, Written
from pruneapp.document.mask_store_scratch import ScratchFile
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


class MaskStore:
    """One slot for every mask, however many states share it.

    Parameters
    ----------
    budget
        Bytes of masks to hold in memory.
    folder
        Where the scratch file goes.

    Attributes
    ----------
    budget
        As given.
    scratch
        Where masks lie that were put aside.
    nbytes
        Bytes of masks in memory.
    """

    def __init__(self, budget: int, folder: Path | None) -> None:
        self.budget = budget
        self.scratch = ScratchFile(folder)
        self.nbytes = 0
        self._cut_off: Iterator[MaskSlot] = iter(())
        self._spilling = False
        self._refused = False
        # By the identity of the mask, which the slot keeps alive.
        self._by_mask: dict[int, MaskSlot] = {}

    # Masks that come

    def take(self, slots: dict[int, MaskSlot]) -> None:
        """Hold the masks of an edit; those that are held already keep the slots that they have."""
        for known in slots.keys() & self._by_mask.keys():
            del slots[known]
        self._by_mask.update(slots)
        self.nbytes += sum([slot.nbytes for slot in slots.values()])
        self._refused = False

    def hold(self, slot: MaskSlot, mask: BitMask) -> None:
        """Hold the mask of a slot that had none in memory."""
        slot.mask = mask
        self._by_mask[id(mask)] = slot
        self.nbytes += slot.nbytes

    def slot_of(self, mask: BitMask) -> MaskSlot:
        """Return the slot of a mask that is held."""
        return self._by_mask[id(mask)]

    def slots_of(self, masks: Keyed) -> Slots:
        """Return the slots of masks; None is no mask, and has no slot."""
        # There may be 50,000 of them, and the window waits: nothing here runs Python for each.
        return dict(zip(masks, map(self._by_mask.get, map(id, masks.values())), strict=True))

    def load(self, slot: MaskSlot, job: Job) -> BitMask:
        """Return the mask of a slot, from the file if need be, and hold it from then on."""
        mask = slot.load(self.scratch, job)
        if slot.mask is None:
            self.hold(slot, mask)
        return mask

    # Masks for which there is no room

    @property
    def over(self) -> int:
        """How many bytes are to be put aside; 0 while that is done, and where the disk is full."""
        return 0 if self._spilling or self._refused else max(0, self.nbytes - self.budget)

    def spill(self, slots: Iterable[MaskSlot], in_force: Iterable[MaskSlot]) -> Spill | None:
        """Return what has to be put aside; None for nothing.

        Parameters
        ----------
        slots
            In the order in which they go; some may come more than once.
        in_force
            What stays in memory anyway.
        """
        over = self.over
        stay = {id(slot) for slot in in_force}
        found: dict[int, tuple[MaskSlot, BitMask]] = {}
        for slot in slots:
            if over <= 0:
                break
            if slot.mask is not None and id(slot) not in stay and id(slot) not in found:
                found[id(slot)] = slot, slot.mask
                over -= slot.nbytes
        self._spilling = bool(found)
        return Spill(tuple(found.values()), self.scratch) if found else None

    def put_aside(self, written: Written, in_force: Iterable[MaskSlot]) -> None:
        """Let go of the masks that a `Spill` has written, as far as they are not needed again."""
        self._spilling, self._refused = False, not written.complete
        stay = {id(slot) for slot in in_force}
        for slot, offset in written.slots:
            if not slot.uses:  # cut off meanwhile
                if slot.offset < 0:
                    self.scratch.free(offset, slot.nbytes)
                continue
            slot.offset = offset
            if slot.mask is not None and id(slot) not in stay and self.nbytes > self.budget:
                del self._by_mask[id(slot.mask)]
                self.nbytes -= slot.nbytes
                slot.mask = None

    # Masks that go

    def cut(self, slots: Iterator[MaskSlot]) -> None:
        """Take note that slots are used once less each, to be let go of in their turn."""
        self._cut_off = chain(self._cut_off, slots)

    def let_go(self, most: int | None) -> bool:
        """Forget masks that were cut off, as far as nothing else refers to them.

        Parameters
        ----------
        most
            How many are looked at; None for all.

        Returns
        -------
        bool
            Whether there may be more.
        """
        looked = 0
        for slot in islice(self._cut_off, most):
            looked += 1
            slot.uses -= 1
            if slot.uses:
                continue
            if slot.mask is not None:
                del self._by_mask[id(slot.mask)]
                self.nbytes -= slot.nbytes
            if slot.offset >= 0:
                self.scratch.free(slot.offset, slot.nbytes)
        if looked == most:
            return True
        self._cut_off = iter(())  # no chain that each cut makes longer
        return False

    def close(self) -> None:
        """Forget everything and delete the scratch file."""
        self._cut_off = iter(())
        self._by_mask.clear()
        self.nbytes = 0
        self.scratch.close()
