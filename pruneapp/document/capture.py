"""What of a document is to be saved, taken hold of in no time; and how it becomes plain data."""

from __future__ import annotations

from dataclasses import dataclass

from pruneapp.document.document import Document
from pruneapp.document.edit import Record, is_work
from pruneapp.document.mask_store import MaskSlot, NewMask, ScratchFile
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import HistoryError, StaleError, words_of
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


@dataclass(frozen=True, eq=False)
class Capture:
    """A document as it was at one moment, for a worker that saves it.

    Attributes
    ----------
    snapshot
        The state in force.
    records
        The whole history, the undone edits too.
    position
        How many of them are in force.
    exported
        The position of the state last exported, or opened; -1 for none of these.
    scratch
        Where masks lie that were put aside.
    """

    snapshot: Snapshot
    records: tuple[Record, ...]
    position: int
    exported: int
    scratch: ScratchFile

    @classmethod
    def of(cls, document: Document) -> Capture:
        """Take hold of a document, in the thread that has it."""
        history = document.history
        return cls(
            document.snapshot(),
            history.records,
            document.position,
            document.exported_at,
            history.scratch,
        )

    @property
    def has_work(self) -> bool:
        """Whether the history, the undone edits too, has anything that a person did."""
        return any(record.entry is None or is_work(record.entry) for record in self.records)

    def pair(self, new: NewMask, job: Job) -> tuple[BitMask, BitMask | None]:
        """Return a mask, and the one that it is packed against."""
        base = None if new.base is None else self.mask(new.base, job)
        return self.mask(new.slot, job), base

    def mask(self, slot: MaskSlot, job: Job) -> BitMask:
        """Return the mask of a slot, read from the scratch file if need be.

        Raises
        ------
        HistoryError
            If it cannot be read.
        StaleError
            If it was cut off from the history before it was read.
        """
        mask = slot.mask  # once: the main thread may let go of it at any moment
        if mask is not None:
            return mask
        try:
            found = self.scratch.read(slot.offset, slot.size, job)
        except OSError as error:
            if slot.uses:
                raise HistoryError(
                    f"A mask of the history cannot be read again: {words_of(error)}.",
                    remedy="The state that is shown can still be exported.",
                ) from error
            raise _cut_off() from error
        if not slot.uses:  # its room may have held another mask by then
            raise _cut_off()
        return found


def _cut_off() -> StaleError:
    return StaleError("This state is not in the history any more.", remedy="Save it again.")
