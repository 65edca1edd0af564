"""What of a document is to be saved, taken hold of in no time; and how it becomes plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.document.aside import MaskSlot
from pruneapp.document.document import Document
from pruneapp.document.edit import Layer, Record, said
from pruneapp.document.scratch import ScratchFile
from pruneapp.document.session.packing import PIECE, SMALL
from pruneapp.document.session.saved import NO_MASK, SavedEdit, SavedMask, Swap
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


@dataclass(frozen=True, eq=False)
class NewMask:
    """A mask that was not met before."""

    number: int
    slot: MaskSlot
    base: MaskSlot | None
    saved: SavedMask


class Numbers:
    """Numbers for the masks of a history, as its records are gone through in order.

    Attributes
    ----------
    count
        How many numbers were given.
    """

    def __init__(self) -> None:
        self.count = 0
        # By identity, which the slots beside the numbers keep.
        self._known: dict[int, tuple[MaskSlot, int]] = {}

    def take(
        self, record: Record, last: Record | None, checkpoint: Checkpoint
    ) -> tuple[list[NewMask], SavedEdit]:
        """Return the masks that a record brings, and the record as data.

        A mask is packed against the one that it followed.

        Parameters
        ----------
        record, last
            The record, and the one before it in the history.
        checkpoint
            What the history is about.
        """
        fresh: list[NewMask] = []
        names: dict[str, int] = {}
        swaps: dict[Layer, list[Swap]] = {"masks": [], "final": [], "protected": []}
        for (layer, name), after in record.after.items():
            before = record.before[layer, name]
            first = self._number(before, None, fresh)
            then = self._number(after, before, fresh)
            swaps[layer].append((names.setdefault(name, len(names)), first, then))
        meant = {name: self._number(slot, None, fresh) for name, slot in record.meant.items()}
        entries = [checkpoint.entry(name) for name in names]
        edit = SavedEdit(
            kind=record.kind,
            label=record.label,
            detail=record.detail,
            entry=dict(said(record.step, record.entry)),
            same=record.key is (None if last is None else last.key),
            tensors=tuple([(e.name, e.shape, e.dtype.name) for e in entries]),
            masks=tuple(swaps["masks"]),
            final=tuple(swaps["final"]),
            protected=tuple(swaps["protected"]),
            meant=meant,
        )
        return fresh, edit

    def keep(self, records: Iterable[Record]) -> None:
        """Forget the masks of all other records, so that nothing holds them."""
        used = {id(slot) for record in records for slot in record.slots()}
        self._known = {key: found for key, found in self._known.items() if key in used}

    def back_to(self, count: int) -> None:
        """Take back the numbers from `count` on."""
        self.count = count
        self._known = {key: found for key, found in self._known.items() if found[1] < count}

    def of(self, slot: MaskSlot) -> int:
        """Return the number of a mask that has one."""
        return self._known[id(slot)][1]

    def _number(self, slot: MaskSlot | None, base: MaskSlot | None, fresh: list[NewMask]) -> int:
        if slot is None:
            return NO_MASK
        known = self._known.get(id(slot))
        if known is not None:
            return known[1]
        number = self.count
        self.count += 1
        self._known[id(slot)] = slot, number
        saved = SavedMask(slot.size, NO_MASK if base is None else self.of(base))
        fresh.append(NewMask(number, slot, base, saved))
        return number


def bundles(fresh: Iterable[NewMask]) -> Iterator[list[NewMask]]:
    """Yield masks as they are packed: a large one by itself, small ones together, in order."""
    some: list[NewMask] = []
    nbytes = 0
    for new in fresh:
        large = new.slot.nbytes > SMALL
        if some and (large or nbytes > PIECE - SMALL):
            yield some
            some, nbytes = [], 0
        if large:
            yield [new]
        else:
            some.append(new)
            nbytes += new.slot.nbytes
    if some:
        yield some


def _cut_off() -> StaleError:
    return StaleError("This state is not in the history any more.", remedy="Save it again.")
