"""What of a document is to be saved, taken hold of in no time; and how it becomes plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.document.aside import MaskSlot
from pruneapp.document.document import Document
from pruneapp.document.edit import Json, Layer, Record, said
from pruneapp.document.found import FileMasks
from pruneapp.document.scratch import ScratchFile
from pruneapp.document.session.packing import PIECE, SMALL
from pruneapp.document.session.saved import NO_MASK, SavedEdit, Swap
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


def is_work(entry: Json) -> bool:
    """Say whether a person did what an entry says; masks that a file has come by themselves."""
    return entry.get("name") != FileMasks.NAME


@dataclass(frozen=True, eq=False)
class NewMask:
    """A mask that was not met before, and the one that it is packed against."""

    slot: MaskSlot
    base: MaskSlot | None = None


class Numbers:
    """Numbers for the masks of a history, as they are given.

    Attributes
    ----------
    count
        How many numbers were given.
    """

    def __init__(self) -> None:
        self.count = 0
        # By identity, which the slots beside the numbers keep.
        self._known: dict[int, tuple[MaskSlot, int]] = {}

    def new_of(self, record: Record) -> list[NewMask]:
        """Return the masks of a record that have no number yet.

        A mask is packed against the one that it followed.
        """
        found: dict[int, NewMask] = {}
        for key, after in record.after.items():
            before = record.before[key]
            self._meet(before, None, found)
            self._meet(after, before, found)
        for slot in record.meant.values():
            self._meet(slot, None, found)
        return list(found.values())

    def new_meant(self, record: Record) -> list[NewMask]:
        """Return those that it means itself and that have no number yet."""
        found: dict[int, NewMask] = {}
        for slot in record.meant.values():
            self._meet(slot, None, found)
        return list(found.values())

    def give(self, new: NewMask) -> int:
        """Give a mask the next number; the one that it is packed against has one."""
        number = self.count
        self.count += 1
        self._known[id(new.slot)] = new.slot, number
        return number

    def find(self, slot: MaskSlot | None) -> int:
        """Return the number of a mask; `NO_MASK` for none, and for one without a number."""
        known = None if slot is None else self._known.get(id(slot))
        return NO_MASK if known is None else known[1]

    def keep(self, records: Iterable[Record]) -> None:
        """Forget the masks of all other records, so that nothing holds them."""
        used = {id(slot) for record in records for slot in record.slots()}
        self._known = {key: found for key, found in self._known.items() if key in used}

    def forget(self, masks: Iterable[NewMask]) -> None:
        """Forget some masks; their numbers are not given again."""
        for new in masks:
            self._known.pop(id(new.slot), None)

    def back_to(self, count: int) -> None:
        """Take back the numbers from `count` on."""
        self.count = count
        self._known = {key: found for key, found in self._known.items() if found[1] < count}

    def edit(self, record: Record, last: Record | None, checkpoint: Checkpoint) -> SavedEdit:
        """Return a record as data; all its masks have numbers.

        Parameters
        ----------
        record, last
            The record, and the one before it in the history.
        checkpoint
            What the history is about.
        """
        names: dict[str, int] = {}
        swaps: dict[Layer, list[Swap]] = {"masks": [], "final": [], "protected": []}
        for (layer, name), after in record.after.items():
            first, then = self.find(record.before[layer, name]), self.find(after)
            swaps[layer].append((names.setdefault(name, len(names)), first, then))
        entries = [checkpoint.entry(name) for name in names]
        return msgspec.structs.replace(
            self.intent(record, last),
            tensors=tuple([(e.name, e.shape, e.dtype.name) for e in entries]),
            masks=tuple(swaps["masks"]),
            final=tuple(swaps["final"]),
            protected=tuple(swaps["protected"]),
        )

    def intent(self, record: Record, last: Record | None) -> SavedEdit:
        """Return a record as data, but for the masks that it changed; see `edit`."""
        return SavedEdit(
            kind=record.kind,
            label=record.label,
            detail=record.detail,
            entry=dict(said(record.step, record.entry)),
            same=record.key is (None if last is None else last.key),
            meant={name: self.find(slot) for name, slot in record.meant.items()},
        )

    def _meet(
        self, slot: MaskSlot | None, base: MaskSlot | None, found: dict[int, NewMask]
    ) -> None:
        if slot is not None and id(slot) not in self._known:
            found.setdefault(id(slot), NewMask(slot, base))


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
