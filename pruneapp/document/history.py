"""History of edits; state at a position; which edit pruned a weight.

What was done to a document, as data: every change can be taken back and done again.

A state of the history to look at, without going there.

Which edit of a history pruned a weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pruneapp.document.edit import Edit, Json, MaskReplacement, Record, said
from pruneapp.document.mask_store import (
    Fetch,
    Layer,
    MaskSlot,
    MaskStore,
    ScratchFile,
    Slots,
    Spill,
    Written,
)
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


# Masks that the history may hold in memory.
BUDGET = 1 << 30


class History:
    """Edits in order, and how many of them are in force. Without limit.

    A mask that several states share is one object and is counted once. Past `budget` bytes the
    masks of the oldest edits go to a scratch file and come back when they are needed; masks of
    the state in force stay in memory anyway. Writing and reading take as long as a disk takes:
    whoever cannot wait sets `patient` to False, does `spill` and `missing` in a worker, and lets
    go of what was cut off a part at a time, by `let_go`.

    Parameters
    ----------
    budget
        Bytes of masks to hold in memory.
    folder
        Where the scratch file goes.

    Attributes
    ----------
    patient
        Whether masks past the budget are put aside at once, and those cut off forgotten.
    """

    def __init__(self, budget: int = BUDGET, folder: Path | None = None) -> None:
        self.patient = True
        self._held = MaskStore(budget, folder)
        self._records: list[Record] = []
        self._position = 0
        # The way to the file as it was opened, asked for after every step; None if not known.
        self._to_first: Slots | None = {}

    def __len__(self) -> int:
        """How many edits there are, the undone ones too."""
        return len(self._records)

    @property
    def in_force(self) -> Record | None:
        """The last edit that is in force; None if none is."""
        return self._records[self._position - 1] if self._position else None

    @property
    def key(self) -> object:
        """That of the state in force; see `Record`."""
        return None if self.in_force is None else self.in_force.key

    @property
    def position(self) -> int:
        """How many edits are in force."""
        return self._position

    @property
    def records(self) -> tuple[Record, ...]:
        """All edits, the undone ones too; for whoever saves them in a worker."""
        return tuple(self._records)

    @property
    def scratch(self) -> ScratchFile:
        """Where masks lie that were put aside."""
        return self._held.scratch

    @property
    def memory(self) -> int:
        """Bytes of masks that the history holds in memory."""
        return self._held.nbytes

    @property
    def scratch_size(self) -> int:
        """Bytes of the scratch file."""
        return self._held.scratch.size

    def push(self, edit: Edit) -> Record:
        """Add an edit after the position; what was undone is cut off."""
        self._cut()
        made = edit.take()
        self._held.take(made.slots)
        record = Record(
            edit.kind,
            edit.label,
            edit.detail,
            edit.step,
            edit.entry,
            {name: self._held.slot_of(mask) for name, mask in edit.meant.items()},
            self._held.slots_of(made.before),
            self._held.slots_of(made.after),
        )
        if edit.writes_the_same:
            record = replace(record, key=self.key)
        for slot in record.slots():
            slot.uses += 1
        self._records.append(record)
        self._position += 1
        if self._to_first is not None:
            self._to_first = record.before | self._to_first
        self._settle()
        return record

    def restore(self, records: Sequence[Record], position: int) -> MaskReplacement:
        """Take over a history that was saved; return what is in force in it.

        For a history in which nothing has happened yet.

        Parameters
        ----------
        records
            The edits. Their masks are in memory, or lie in `scratch`; a mask that is used more
            than once has one slot.
        position
            From 0 to their number.
        """
        self._records = list(records)
        held: dict[int, MaskSlot] = {}
        for record in records:
            for slot in record.slots():
                slot.uses += 1
                held[id(slot)] = slot
        for slot in held.values():
            if slot.mask is not None:
                self._held.hold(slot, slot.mask)
        return self.go_to(position)

    def go_to(self, position: int) -> MaskReplacement:
        """Move to a position from 0 to the number of edits; return what has to change.

        Reads from the scratch file only the masks that are in force afterwards.

        Raises
        ------
        IndexError
            If there is no such position.
        """
        found = self._loaded(self._way_to(position))
        self._position, self._to_first = position, None
        self._settle()
        return MaskReplacement(found["masks"], found["final"], found["protected"])

    def entry(self, position: int, masks: dict[str, BitMask], job: Job) -> Json | None:
        """Return what was done to come to a position, as plain JSON; None for the file as it was.

        Its masks may have to be read from the scratch file: for a worker.

        Parameters
        ----------
        position
            From 0 to the number of edits.
        masks
            Takes the masks that it names, by their SHA-256; see `HandEdit.to_dict`.
        job
            May cancel.
        """
        if not position:
            return None
        record = self._records[position - 1]
        masks.update({n: slot.load(self.scratch, job) for n, slot in record.meant.items()})
        return said(record.step, record.entry)

    def close(self) -> None:
        """Forget everything and delete the scratch file."""
        self._records.clear()
        self._position, self._to_first = 0, None
        self._held.close()

    # What takes time, to be done by workers

    def spill(self) -> Spill | None:
        """Return what has to be put aside, to be run and handed to `put_aside`; None for nothing.

        One at a time: None, too, until the one before came back.
        """
        if not self._held.over:
            return None
        return self._held.spill(_slots_in(self._records), self._in_force())

    def put_aside(self, written: Written) -> None:
        """Let go of the masks that a `Spill` has written, as far as they are not needed again."""
        self._held.put_aside(written, self._in_force())

    def missing(self, position: int) -> Fetch | None:
        """Return what has to be read before `go_to`, to be run and handed to `put_back`."""
        wanted = self._way_to(position).values()
        slots = tuple(slot for slot in wanted if slot is not None and slot.mask is None)
        return Fetch(slots, self.scratch) if slots else None

    def past(self, position: int, in_force: Snapshot, revision: int) -> PastState:
        """Return the state at a position, to be loaded by a worker; nothing changes.

        Parameters
        ----------
        position
            From 0 to the number of edits; raises IndexError if there is no such position.
        in_force
            The state that is in force.
        revision
            The number that the other state shall have.
        """
        slots = self._way_to(position)
        masks = tuple([None if slot is None else slot.mask for slot in slots.values()])
        return PastState(revision, in_force, slots, masks, self.scratch)

    def put_back(self, found: tuple[tuple[MaskSlot, BitMask], ...]) -> None:
        """Hold masks that a `Fetch` has read."""
        for slot, mask in found:
            if slot.mask is None and slot.uses:
                self._held.hold(slot, mask)
        self._settle()

    def let_go(self, most: int | None = None) -> bool:
        """Forget masks of what was undone and cut off, as far as nothing else refers to them.

        Of a step on 25,000 tensors that takes 15 ms, and several may be cut off at once.

        Parameters
        ----------
        most
            How many masks are looked at; None for all.

        Returns
        -------
        bool
            Whether there may be more.
        """
        return self._held.let_go(most)

    # How it works

    def _way_to(self, position: int) -> Slots:
        if not 0 <= position <= len(self._records):
            raise IndexError(f"the history has positions 0 to {len(self._records)}: {position}")
        slots: Slots = {}
        if position == 0 and self._to_first is not None:
            return self._to_first
        if position < self._position:
            for record in reversed(self._records[position : self._position]):
                slots |= record.before
        else:
            for record in self._records[self._position : position]:
                slots |= record.after
        if position == 0:
            self._to_first = slots
        return slots

    def _loaded(self, slots: Slots) -> dict[Layer, dict[str, BitMask | None]]:
        # A mask that comes back is in force now, and held: the next edit shares it instead of
        # keeping a second copy.
        loaded: dict[Layer, dict[str, BitMask | None]] = {"masks": {}, "final": {}, "protected": {}}
        job = Job()  # for all: with 100,000 tensors, making one for each took most of the time
        for (layer, name), slot in slots.items():
            loaded[layer][name] = None if slot is None else self._held.load(slot, job)
        return loaded

    def _settle(self) -> None:
        if self.patient and (spill := self.spill()) is not None:
            self.put_aside(spill.run(Job()))

    def _in_force(self) -> list[MaskSlot]:
        slots: Slots = {}
        for record in self._records[: self._position]:
            slots |= record.after
        for record in reversed(self._records[self._position :]):
            slots |= record.before
        return [slot for slot in slots.values() if slot is not None]

    def _cut(self) -> None:
        """Take off what was undone; its masks are let go of in their turn."""
        undone = self._records[self._position :]
        del self._records[self._position :]
        self._held.cut(_slots_of(undone))
        if self.patient:
            self.let_go()


def _slots_of(records: list[Record]) -> Iterator[MaskSlot]:
    """Yield the slots of records, which are forgotten as it gets on: their masks take time, too."""
    while records:
        yield from records.pop().slots()


def _slots_in(records: Sequence[Record]) -> Iterator[MaskSlot]:
    for record in records:
        yield from record.slots()


def pruned_by(
    in_force: Sequence[Record], scratch: ScratchFile, name: str, index: int
) -> int | None:
    """Return the position after the edit that pruned an element; None if it is there.

    Of a weight that was restored and pruned again, the last; of one that was made final, the
    one that had pruned it. Of masks that were put aside, one byte each is read.

    Parameters
    ----------
    in_force
        The edits up to the state.
    scratch
        Where masks lie that were put aside.
    name
        First name of the tensor.
    index
        Flat index of the element.
    """
    key: tuple[Layer, str] = ("masks", name)
    restored = False
    for position in range(len(in_force), 0, -1):
        record = in_force[position - 1]
        if key not in record.after:
            continue
        before, after = (
            slot is None or slot.kept_at(scratch, index)
            for slot in (record.before[key], record.after[key])
        )
        if before and not after:
            if not restored:
                return position
            restored = False
        elif after and not before and ("final", name) not in record.after:
            restored = True  # what had pruned it, further back, does so no more
    return None
