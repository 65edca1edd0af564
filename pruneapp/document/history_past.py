"""A state of the history to look at, without going there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pruneapp.document.mask_store_aside import Layer, MaskSlot, Slots
from pruneapp.document.mask_store_scratch import ScratchFile
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import HistoryError, StaleError, words_of
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


@dataclass(frozen=True, eq=False)
class PastState:
    """A state of the history: what it differs in from the state in force when it was asked for.

    Made in no time by the thread that has the document; `load` may be called in a worker.

    Attributes
    ----------
    revision
        The number that its snapshot has: below 0, and of no other state.
    slots, masks
        Where the masks lie that differ, and in their order those that were in memory: None for no
        mask, and for one that was put aside.
    """

    revision: int
    in_force: Snapshot
    slots: Slots
    masks: tuple[BitMask | None, ...]
    scratch: ScratchFile

    def load(self, job: Job) -> Snapshot:
        """Return the state; reads the masks that were put aside.

        Parameters
        ----------
        job
            Started with the bytes to be read; may cancel.

        Raises
        ------
        HistoryError
            If the scratch file cannot be read.
        StaleError
            If the state was cut off from the history before its masks were read.
        """
        held = tuple(zip(self.slots.items(), self.masks, strict=True))
        job.start(sum([s.nbytes for (_, s), m in held if s is not None and m is None]))
        found: dict[Layer, dict[str, BitMask | None]] = {"masks": {}, "final": {}, "protected": {}}
        for batch in job.cancel.batches(held):
            for ((layer, name), slot), mask in batch:
                found[layer][name] = None if slot is None else self._mask(slot, mask, job)
        now = self.in_force
        return replace(
            now,
            masks=now.masks.with_masks(found["masks"]),
            final=now.final.with_masks(found["final"]),
            protected=now.protected.with_masks(found["protected"]),
            revision=self.revision,
        )

    def _mask(self, slot: MaskSlot, mask: BitMask | None, job: Job) -> BitMask:
        if mask is not None:
            return mask
        try:
            read = self.scratch.read(slot.offset, slot.size, job)
        except OSError as error:
            if not slot.uses:
                raise _cut_off() from error
            raise HistoryError(
                f"The masks of this state cannot be read: {words_of(error)}.",
                remedy="The current state is unchanged.",
            ) from error
        if not slot.uses:  # its room may have held another mask by then
            raise _cut_off()
        job.step(slot.nbytes)
        return read


def _cut_off() -> StaleError:
    return StaleError("This state is not in the history any more.", remedy="Choose another one.")
