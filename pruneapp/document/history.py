"""What was done to a document, as data: every change can be undone and redone, or looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pruneapp.document.edit import Edit, Record
from pruneapp.document.mask_store import (
    Fetch,
    LayerSlots,
    MaskSlot,
    MaskStore,
    ScratchFile,
    Spill,
    SpillResult,
)
from pruneapp.document.snapshot import Snapshot
from pruneapp.masks.bitmask import BitMask, Layer, LayerMasks
from pruneapp.progress import Job

_Slots = dict[Layer, dict[str, MaskSlot | None]]


@dataclass(frozen=True, eq=False)
class PastState:
    """A state of the history: what it differs in from the state in force when it was requested.

    Made in no time by the thread that has the document; `load` may be called in a worker.
    """

    revision: int  # the number that its snapshot has: below 0, and of no other state
    # The state in force, and the masks that differ from it.
    in_force: Snapshot
    slots: LayerSlots
    scratch: ScratchFile

    def load(self, job: Job) -> Snapshot:
        """Return the state; reads masks from the scratch file, and raises as `MaskSlot.load`.

        `job` is started with the bytes to be read; may cancel.
        """
        slots = [slot for of in self.slots.values() for slot in of.values() if slot is not None]
        job.start(sum([slot.nbytes for slot in slots if slot.mask is None]))
        changes: dict[Layer, dict[str, BitMask | None]] = {}
        for layer, of in self.slots.items():
            masks = changes[layer] = {}
            for batch in job.cancel.batches(of.items()):
                masks |= {n: None if s is None else self._load(s, job) for n, s in batch}
        return self.in_force.replaced(changes, self.revision)

    def _load(self, slot: MaskSlot, job: Job) -> BitMask:
        away = slot.mask is None
        mask = slot.load(self.scratch, job)
        if away:
            job.step(slot.nbytes)
        return mask


# Masks that the history may hold in memory.
BUDGET = 1 << 30


class History:
    """Edits in order, and how many of them are in force. Without limit.

    A mask that several states share is one object and is counted once. Past `budget` bytes the
    masks of the oldest edits go to a scratch file and come back when they are needed; masks of the
    state in force stay in memory anyway. Writing and reading take as long as a disk takes: whoever
    cannot wait sets `patient` to False, does `spill` and `missing` in a worker, and lets go of what
    was cut off a part at a time, by `forget_cut_off`.

    That edits form a line is known to `_route` alone, and to those who show them.
    """

    def __init__(self, budget: int = BUDGET, folder: Path | None = None) -> None:
        self.patient = True
        self._store = MaskStore(budget, folder)
        self._records: list[Record] = []
        self._position = 0
        # The way to the file as it was opened, asked for after every step; None if not known.
        self._to_first: LayerSlots | None = {}

    def __len__(self) -> int:
        """How many edits there are, the undone ones too."""
        return len(self._records)

    @property
    def key(self) -> object:
        """That of the state in force; see `Record`."""
        return self._records[self._position - 1].key if self._position else None

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
        """Where masks lie that were moved to disk."""
        return self._store.scratch

    @property
    def memory(self) -> int:
        """Bytes of masks that the history holds in memory."""
        return self._store.nbytes

    def push(self, edit: Edit) -> Record:
        """Add an edit after the position; what was undone is cut off."""
        self._cut()
        self._store.take(edit.take_slots())
        record = Record(
            edit.kind,
            edit.label,
            edit.detail,
            edit.step,
            edit.entry,
            entry_masks={
                name: self._store.slot_of(mask) for name, mask in edit.entry_masks.items()
            },
            before=self._store.slots_of(edit.before),
            after=self._store.slots_of(edit.after),
        )
        if edit.writes_the_same:
            record = replace(record, key=self.key)
        for slot in record.slots():
            slot.uses += 1
        self._records.append(record)
        self._position += 1
        if self._to_first is not None:
            self._to_first = _merged((record.before, self._to_first))
        self._spill_now()
        return record

    def restore(self, records: Sequence[Record], position: int) -> LayerMasks:
        """Take over a history that was saved, before anything happened; return what is in force.

        The masks of the edits are in memory, or lie in `scratch`; one that is used more than once
        has one slot.
        """
        self._records = list(records)
        held: dict[int, MaskSlot] = {}
        for record in records:
            for slot in record.slots():
                slot.uses += 1
                held[id(slot)] = slot
        for slot in held.values():
            if slot.mask is not None:
                self._store.hold(slot, slot.mask)
        return self.go_to(position)

    def go_to(self, position: int) -> LayerMasks:
        """Move to a position from 0 to the number of edits; return what has to change.

        Reads from the scratch file only the masks that are in force afterwards.

        Raises
        ------
        IndexError
            If there is no such position.
        HistoryError
            If a mask cannot be read.
        """
        job = Job()  # for all: with 100,000 tensors, making one for each took most of the time
        # A mask that comes back is in force now, and held: the next edit shares it instead of
        # keeping a second copy.
        changes: LayerMasks = {
            layer: {n: None if s is None else self._store.load(s, job) for n, s in slots.items()}
            for layer, slots in self._way_to(position).items()
        }
        self._position, self._to_first = position, None
        self._spill_now()
        return changes

    def close(self) -> None:
        """Forget everything and delete the scratch file."""
        self._records.clear()
        self._position, self._to_first = 0, None
        self._store.close()

    # What takes time, to be done by workers

    def spill(self) -> Spill | None:
        """Return what has to be moved to disk, to be run and handed to `finish_spill`, if anything.

        One at a time: None, too, until the one before came back.
        """
        if not self._store.over_budget:
            return None
        slots = (slot for record in self._records for slot in record.slots())
        return self._store.spill(slots, self._in_force())

    def finish_spill(self, written: SpillResult) -> None:
        """Let go of the masks that a `Spill` has written, as far as they are not needed again."""
        self._store.finish_spill(written, self._in_force())

    def missing(self, position: int) -> Fetch | None:
        """Return what has to be read before `go_to`, to be run and handed to `finish_fetch`."""
        slots = tuple(slot for slot in _slots_of(self._way_to(position)) if slot.mask is None)
        return Fetch(slots, self.scratch) if slots else None

    def past(self, position: int, in_force: Snapshot, revision: int) -> PastState:
        """Return the state at a position, to be loaded by a worker; nothing changes.

        Raises IndexError if there is no such position.
        """
        return PastState(revision, in_force, self._way_to(position), self.scratch)

    def finish_fetch(self, fetched: tuple[tuple[MaskSlot, BitMask], ...]) -> None:
        """Hold masks that a `Fetch` has read."""
        for slot, mask in fetched:
            if slot.mask is None and slot.uses:
                self._store.hold(slot, mask)
        self._spill_now()

    def forget_cut_off(self, most: int | None = None) -> bool:
        """Forget masks of what was undone and cut off, as far as nothing else refers to them.

        Of a step on 25,000 tensors that takes 15 ms, and several may be cut off at once: at `most`
        so many are looked at. Returns whether there may be more.
        """
        return self._store.forget_cut_off(most)

    # How it works

    def _route(self, position: int) -> tuple[list[Record], list[Record]]:
        """Return the edits to undo, and then those to redo, to come to a position."""
        now = self._position
        return self._records[position:now][::-1], self._records[now:position]

    def _way_to(self, position: int) -> LayerSlots:
        if not 0 <= position <= len(self._records):
            raise IndexError(f"the history has positions 0 to {len(self._records)}: {position}")
        if position == 0 and self._to_first is not None:
            return self._to_first
        undone, redone = self._route(position)
        slots = _merged((*(r.before for r in undone), *(r.after for r in redone)))
        if position == 0:
            self._to_first = slots
        return slots

    def _spill_now(self) -> None:
        if self.patient and (spill := self.spill()) is not None:
            self.finish_spill(spill.run(Job()))

    def _in_force(self) -> list[MaskSlot]:
        done, undone = self._records[: self._position], self._records[self._position :]
        state = _merged((*(r.after for r in done), *(r.before for r in reversed(undone))))
        return list(_slots_of(state))

    def _cut(self) -> None:
        """Take off what was undone; its masks are let go of in their turn."""
        undone = self._records[self._position :]
        del self._records[self._position :]
        self._store.cut(_slots_of_all(undone))
        if self.patient:
            self.forget_cut_off()


def _merged(changes: Sequence[LayerSlots]) -> LayerSlots:
    """Return what changes made one after another come to."""
    slots: _Slots = {}
    for layers in changes:
        for layer, of in layers.items():
            slots.setdefault(layer, {}).update(of)
    return slots


def _slots_of(layers: LayerSlots) -> Iterator[MaskSlot]:
    for slots in layers.values():
        yield from filter(None, slots.values())


def _slots_of_all(records: list[Record]) -> Iterator[MaskSlot]:
    """Yield the slots of records, which are forgotten as it gets on: their masks take time, too."""
    while records:
        yield from records.pop().slots()


def pruned_by(
    in_force: Sequence[Record], scratch: ScratchFile, name: str, index: int
) -> int | None:
    """Return the position after the edit that pruned an element; None if it is there.

    Of a weight that was restored and pruned again, the last; of one that was made permanent, the
    one that had pruned it. Of masks that were moved to disk, one byte each is read. `name` is the
    first name of the tensor, `index` flat.
    """
    restored = False
    for position in range(len(in_force), 0, -1):
        record = in_force[position - 1]
        if name not in record.after.get("masks", {}):
            continue
        before, after = (
            slot is None or slot.kept_at(scratch, index)
            for slot in (record.before["masks"][name], record.after["masks"][name])
        )
        if before and not after:
            if not restored:
                return position
            restored = False
        elif after and not before and name not in record.after.get("permanent", {}):
            restored = True  # what had pruned it, further back, does so no more
    return None
