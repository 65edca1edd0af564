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
from pruneapp.errors import HistoryError
from pruneapp.masks.bitmask import BitMask, Layer, LayerMasks
from pruneapp.progress import Job
from pruneapp.results.branches import Branches

_Slots = dict[Layer, dict[str, MaskSlot | None]]


@dataclass(frozen=True, eq=False)
class PastState:
    """A state of the history: what it differs in from the state in force when it was requested.

    Made in no time by the thread that has the document; `load` may be called in a worker.
    """

    revision: int  # the number that its snapshot has: below 0, and of no other state
    # The state in force, or the first one, and the masks that differ from it.
    near: Snapshot
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
        return self.near.replaced(changes, self.revision)

    def _load(self, slot: MaskSlot, job: Job) -> BitMask:
        away = slot.mask is None
        mask = slot.load(self.scratch, job)
        if away:
            job.step(slot.nbytes)
        return mask


# Masks that the history may hold in memory.
BUDGET = 1 << 30


class History:
    """Edits in the order in which they were made, and the state in force. Without limit.

    What is done after an undo begins a branch: the other one stays as it is. A state has the number
    of its edit, from 1 on; 0 is the file as it was opened.

    A mask that several states share is one object and is counted once. Past `budget` bytes the
    masks of the oldest edits go to a scratch file and come back when they are needed; masks of the
    state in force stay in memory anyway. Writing and reading take as long as a disk takes: whoever
    cannot wait sets `patient` to False, does `spill` and `missing` in a worker, and lets go of what
    was deleted a part at a time, by `forget_cut_off`.
    """

    def __init__(self, budget: int = BUDGET, folder: Path | None = None) -> None:
        self.patient = True
        self.store = MaskStore(budget, folder)
        self._records: list[Record] = []
        self.branches = Branches()  # which state follows which
        self.position = 0  # the number of the state in force

    def __len__(self) -> int:
        """How many edits there are, those of other branches too."""
        return len(self._records)

    @property
    def key(self) -> object:
        """That of the state in force; see `Record`."""
        return self._records[self.position - 1].key if self.position else None

    @property
    def records(self) -> tuple[Record, ...]:
        """All edits, also of other branches; for whoever saves them in a worker."""
        return tuple(self._records)

    @property
    def done(self) -> tuple[Record, ...]:
        """The edits that are in force, in order."""
        return tuple([self._records[state - 1] for state in self.branches.path(self.position)])

    @property
    def scratch(self) -> ScratchFile:
        """Where masks lie that were moved to disk."""
        return self.store.scratch

    def push(self, edit: Edit) -> Record:
        """Add an edit after the state in force; what was undone stays, as a branch."""
        slots = edit.slots
        if slots is None or not self.store.take(slots):
            slots = self.store.slots_of(edit.before, edit.after, edit.entry_masks, Job())
            self.store.take(slots)
        record = Record(
            edit.kind,
            edit.label,
            edit.detail,
            edit.step,
            edit.entry,
            entry_masks=slots.named,
            before=slots.before,
            after=slots.after,
        )
        if edit.writes_the_same:
            record = replace(record, key=self.key)
        self._records.append(record)
        self.branches = self.branches.added(self.position)
        self.position = len(self._records)
        self._spill_now()
        return record

    def undone(self, edit: Edit) -> int | None:
        """Return the state that an edit of the state in force has led to before; None for none.

        One whose masks were moved to disk is none: reading them would take its time.
        """
        after = enumerate(self.branches.after, 1)
        states = (state for state, at in after if at == self.position)
        return next((s for s in states if self._records[s - 1].is_of(edit)), None)

    def restore(
        self, records: Sequence[Record], position: int, branches: Branches | None = None
    ) -> LayerMasks:
        """Take over a history that was saved, before anything happened; return what is in force.

        The masks of the edits are in memory, or lie in `scratch`; one that is used more than once
        has one slot. Without `branches` they are a line.
        """
        self._records = list(records)
        self.branches = Branches.line(len(records)) if branches is None else branches
        held: dict[int, MaskSlot] = {}
        for record in records:
            for slot in record.slots():
                slot.uses += 1
                held[id(slot)] = slot
        for slot in held.values():
            if slot.mask is not None:
                self.store.hold(slot, slot.mask)
        return self.go_to(position)

    def go_to(self, position: int) -> LayerMasks:
        """Put the state with a number in force; return what has to change.

        Reads from the scratch file only the masks that are in force afterwards.

        Raises
        ------
        IndexError
            If there is no such state.
        HistoryError
            If a mask cannot be read.
        """
        job = Job()  # for all: with 100,000 tensors, making one for each took most of the time
        # A mask that comes back is in force now, and held: the next edit shares it instead of
        # keeping a second copy.
        changes: LayerMasks = {
            layer: {n: None if s is None else self.store.load(s, job) for n, s in slots.items()}
            for layer, slots in self.way_to(position).items()
        }
        self.move_to(position)
        return changes

    def move_to(self, position: int) -> None:
        """Do as `go_to`, for whoever knows what has to change."""
        self._check(position)
        self.position = position
        self.branches = self.branches.moved(position)
        self._spill_now()

    def rename(self, state: int, name: str) -> None:
        """Give a state after the first one a name; an empty one takes it away."""
        self._check(state, 1)
        self.branches = self.branches.named(state, name)

    def delete(self, state: int) -> tuple[int, ...]:
        """Forget a state after the first one, and all that follow it; return their numbers.

        The states after these get smaller numbers. Masks that no other state has are let go of.

        Raises
        ------
        IndexError
            If there is no such state.
        HistoryError
            If the state in force is among them.
        """
        branch = self.branch(state)
        gone = branch.states
        numbers = self.branches.numbers(gone)
        self.branches = self.branches.without(gone, self.position)
        self.position = numbers[self.position]
        self._records = [r for s, r in enumerate(self._records, 1) if s in numbers]
        self.store.cut(_slots_of_all(list(branch.records)))
        if self.patient:
            self.forget_cut_off()
        return gone

    def close(self) -> None:
        """Forget everything and delete the scratch file."""
        self._records.clear()
        self.branches = Branches()
        self.position = 0
        self.store.close()

    # What takes time, to be done by workers

    def spill(self) -> Spill | None:
        """Return what has to be moved to disk, to be run and handed to `finish_spill`, if anything.

        One at a time: None, too, until the one before came back.
        """
        if not self.store.over_budget:
            return None
        slots = (slot for record in self._records for slot in record.slots())
        return self.store.spill(slots, self._in_force())

    def finish_spill(self, written: SpillResult) -> None:
        """Let go of the masks that a `Spill` has written, as far as they are not needed again."""
        self.store.finish_spill(written, self._in_force())

    def missing(self, position: int) -> Fetch | None:
        """Return what has to be read before `go_to`, to be run and handed to `finish_fetch`."""
        way = self.way_to(position) if position else {}  # the first state has no masks
        slots = tuple(slot for slot in _slots_of(way) if slot.mask is None)
        return Fetch(slots, self.scratch) if slots else None

    def branch(self, state: int) -> Branch:
        """Return what `delete` would delete; raises as that."""
        self._check(state, 1)
        states = self.branches.from_on(state)
        if self.position in states:
            raise HistoryError(
                "This branch has the current state, so it cannot be deleted.",
                remedy="Go to a state of another branch, or to one before it, then delete it.",
            )
        return Branch(states, tuple([self._records[s - 1] for s in states]))

    def finish_fetch(self, fetched: tuple[tuple[MaskSlot, BitMask], ...]) -> None:
        """Hold masks that a `Fetch` has read."""
        for slot, mask in fetched:
            if slot.mask is None and slot.uses:
                self.store.hold(slot, mask)
        self._spill_now()

    def forget_cut_off(self, most: int | None = None) -> bool:
        """Forget masks of what was deleted, as far as nothing else refers to them.

        Of a step on 25,000 tensors that takes 15 ms, and several may be deleted at once: at `most`
        so many are looked at. Returns whether there may be more.
        """
        return self.store.forget_cut_off(most)

    # How it works

    def _check(self, state: int, first: int = 0) -> None:
        if not first <= state <= len(self._records):
            raise IndexError(
                f"the history has states {first} to {len(self._records)} for this: {state}"
            )

    def way_to(self, state: int) -> LayerSlots:
        """Return the masks that a state has in the place of those in force; raises IndexError."""
        self._check(state)
        undone, redone = self.branches.route(self.position, state)
        return _merged(
            (
                *[self._records[s - 1].before for s in undone],
                *[self._records[s - 1].after for s in redone],
            )
        )

    def _spill_now(self) -> None:
        if self.patient and (spill := self.spill()) is not None:
            self.finish_spill(spill.run(Job()))

    def _in_force(self) -> list[MaskSlot]:
        return list(_slots_of(_merged([record.after for record in self.done])))


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


@dataclass(frozen=True, eq=False)
class Branch:
    """A state and all that follow it, to be deleted or not; for a worker."""

    states: tuple[int, ...]
    records: tuple[Record, ...]

    def freed(self, job: Job) -> int:
        """Return how many bytes of masks no other state has, in memory or in the scratch file."""
        job.start(len(self.records))
        uses: dict[int, int] = {}
        slots: dict[int, MaskSlot] = {}
        for record in self.records:
            for batch in job.cancel.batches(list(record.slots())):
                for slot in batch:
                    slots[id(slot)] = slot
                    uses[id(slot)] = uses.get(id(slot), 0) + 1
            job.step(1)
        return sum([slot.nbytes for key, slot in slots.items() if slot.uses <= uses[key]])


def pruned_by(
    in_force: Sequence[Record], scratch: ScratchFile, name: str, index: int
) -> int | None:
    """Return how many of the edits in force it took to prune an element; None if it is there.

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
