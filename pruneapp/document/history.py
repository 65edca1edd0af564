"""The history of a document: edits that can be undone, redone, and viewed without redoing them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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

_Slots = dict[Layer, dict[str, MaskSlot | None]]


# Maximum characters of the name and of the note of a state.
LONGEST_NAME, LONGEST_NOTE = 100, 500


@dataclass(frozen=True)
class Branches:
    """States by number, in order of creation; 0 is the file as opened.

    Each state has a larger number than its parent.
    """

    after: tuple[int, ...] = ()  # parent of each state, from state 1 on
    # The last state of the branch that redo follows; the current state is on this branch.
    tip: int = 0
    names: Mapping[int, str] = field(default_factory=dict)  # given by the user, by state
    notes: Mapping[int, str] = field(default_factory=dict)  # the same

    @classmethod
    def linear(cls, count: int) -> Branches:
        """Return a history of `count` states without branches."""
        return cls(tuple(range(count)), count)

    def __len__(self) -> int:
        """Return the number of states without the first."""
        return len(self.after)

    @property
    def is_linear(self) -> bool:
        """Whether each state is the parent of the next one."""
        return self.after == tuple(range(len(self.after)))

    def parent(self, state: int) -> int:
        """Return the parent of a state; -1 for the first state."""
        return self.after[state - 1] if state else -1

    def path(self, state: int) -> tuple[int, ...]:
        """Return the states from the first one (excluded) to `state`."""
        way = []
        while state:
            way.append(state)
            state = self.after[state - 1]
        return tuple(reversed(way))

    def route(self, start: int, end: int) -> tuple[list[int], list[int]]:
        """Return the states to undo, and then those to redo, to get from `start` to `end`.

        The first list begins with `start` and descends, the second ends with `end`; the common
        ancestor is in neither. Both are empty if the states are equal.
        """
        undone, redone = [], []
        while start != end:
            if start > end:
                undone.append(start)
                start = self.after[start - 1]
            else:
                redone.append(end)
                end = self.after[end - 1]
        return undone, redone[::-1]

    def redo_states(self, state: int) -> list[int]:
        """Return the states that redo reaches from a state of the current branch."""
        return self.route(state, self.tip)[1]

    def next_state(self, state: int) -> int:
        """Return the next state for redo after `state`; `state` itself if there is none.

        On the current branch it is the one towards `tip`, on others the newest child.
        """
        undone, redone = self.route(state, self.tip)
        if not undone:
            return redone[0] if redone else state
        children = [s for s, after in enumerate(self.after, 1) if after == state]
        return children[-1] if children else state

    def newest_leaf(self, state: int) -> int:
        """Return the last state of a branch: from `state`, always the newest child."""
        newest = {after: s for s, after in enumerate(self.after, 1)}
        while state in newest:
            state = newest[state]
        return state

    def subtree(self, state: int) -> tuple[int, ...]:
        """Return a state and all of its descendants."""
        found = {state}
        for s, after in enumerate(self.after[state:], state + 1):
            if after in found:
                found.add(s)
        return tuple(sorted(found))

    def walk(self) -> Iterator[tuple[int, bool]]:
        """Traverse all states but the first depth-first: True on entering, False on leaving.

        Older children come first. Yields each state twice.
        """
        children: dict[int, list[int]] = {}
        for state in range(len(self.after), 0, -1):
            children.setdefault(self.after[state - 1], []).append(state)
        left = [(state, True) for state in children.get(0, ())]
        while left:
            state, comes = left.pop()
            yield state, comes
            if comes:
                left.append((state, False))
                left += [(child, True) for child in children.get(state, ())]

    # Modified copies

    def with_child(self, after: int) -> Branches:
        """Return a copy with a new state, a child of `after`, as the tip."""
        return replace(self, after=(*self.after, after), tip=len(self.after) + 1)

    def with_current(self, state: int) -> Branches:
        """Return a copy whose current branch contains `state`."""
        off = self.route(state, self.tip)[0]
        return replace(self, tip=self.newest_leaf(state)) if off else self

    def with_name(self, state: int, name: str) -> Branches:
        """Return a copy with a state renamed; an empty name removes it."""
        return replace(self, names=_with_text(self.names, state, tidy_name(name)))

    def with_note(self, state: int, note: str) -> Branches:
        """Return a copy with another note of a state; an empty note removes it."""
        return replace(self, notes=_with_text(self.notes, state, tidy_name(note, LONGEST_NOTE)))

    def without_states(self, states: Iterable[int], state: int) -> Branches:
        """Return a copy without `states`, with the others renumbered.

        `state` is the current one and must remain. `states` must include all descendants of its
        elements. If the tip is removed, the branch of `state` gets a new one.
        """
        gone = set(states)
        number = self.numbers(gone)
        kept = [s for s in range(1, len(self.after) + 1) if s not in gone]
        some = Branches(
            tuple(number[self.after[s - 1]] for s in kept),
            number.get(self.tip, -1),
            {number[s]: name for s, name in self.names.items() if s in number},
            {number[s]: note for s, note in self.notes.items() if s in number},
        )
        return some if some.tip >= 0 else replace(some, tip=some.newest_leaf(number[state]))

    def numbers(self, gone: Iterable[int]) -> dict[int, int]:
        """Return the new number of each remaining state, by old number, after removing states."""
        gone = set(gone)
        kept = (s for s in range(len(self.after) + 1) if s not in gone)
        return {old: new for new, old in enumerate(kept)}


def tidy_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a name as a single line of limited length."""
    return " ".join(name.split())[:longest].strip()


def _with_text(texts: Mapping[int, str], state: int, text: str) -> Mapping[int, str]:
    """Return texts by state with another one; an empty `text` removes that of the state."""
    changed = {**texts, state: text}
    return {s: changed[s] for s in sorted(changed) if changed[s]}


@dataclass(frozen=True, eq=False)
class PastState:
    """A state of the history, stored as its difference from another snapshot.

    Creating one copies no masks, so the main thread can do it; call `load` on a worker thread.
    """

    revision: int  # revision number of the loaded snapshot: negative and unique
    # The current or the first state, and the masks in which this state differs from it.
    base_state: Snapshot
    slots: LayerSlots
    scratch: ScratchFile

    def load(self, job: Job) -> Snapshot:
        """Return the snapshot of the state. Masks are read from the scratch file where needed.

        They are not kept in memory by the history: a second call reads them again. Starts `job`
        with the bytes to read, and can be cancelled by it. Raises the errors of `MaskSlot.load`.
        """
        slots = [slot for of in self.slots.values() for slot in of.values() if slot is not None]
        job.start(sum([slot.nbytes for slot in slots if slot.mask is None]))
        changes: dict[Layer, dict[str, BitMask | None]] = {}
        for layer, of in self.slots.items():
            masks = changes[layer] = {}
            for batch in job.cancel.batches(of.items()):
                masks |= {n: None if s is None else self._load(s, job) for n, s in batch}
        return self.base_state.with_masks(changes, self.revision)

    def _load(self, slot: MaskSlot, job: Job) -> BitMask:
        away = slot.mask is None
        mask = slot.load(self.scratch, job)
        if away:
            job.step(slot.nbytes)
        return mask


# Default limit, in bytes, for masks in memory.
BUDGET = 1 << 30


class History:
    """The edits of a document in the order in which they were made, and the current state.

    The number of edits is not limited. State 0 is the file as opened; state n is the result of the
    nth edit. An edit that is made after an undo starts a branch, and the undone edits remain
    available.

    A mask that several states share is stored and counted once. When the masks exceed `budget`
    bytes, those of the oldest edits are moved to a scratch file and loaded again on demand. Masks
    of the current state always stay in memory.

    By default this disk access happens inside the methods. A caller that must not block sets
    `patient` to False, runs the results of `spill` and `fetch_missing` on a worker thread, and
    releases deleted masks in portions with `forget_cut_off`.
    """

    def __init__(self, budget: int = BUDGET, folder: Path | None = None) -> None:
        self.patient = True  # whether methods read and write the scratch file themselves
        self.store = MaskStore(budget, folder)
        self._records: list[Record] = []
        self.branches = Branches()  # the parent of each state
        self.position = 0  # number of the current state

    def __len__(self) -> int:
        """Return the number of edits, those on other branches included."""
        return len(self._records)

    @property
    def key(self) -> object:
        """The key of the current state (see `Record`); None for the file as opened."""
        return self._records[self.position - 1].key if self.position else None

    @property
    def records(self) -> tuple[Record, ...]:
        """All edits of all branches, in the order in which they were made."""
        return tuple(self._records)

    @property
    def done(self) -> tuple[Record, ...]:
        """The edits that lead from the file to the current state, in order."""
        return tuple([self._records[state - 1] for state in self.branches.path(self.position)])

    @property
    def scratch(self) -> ScratchFile:
        """The file that holds masks moved out of memory."""
        return self.store.scratch

    def push(self, edit: Edit) -> Record:
        """Add an edit to the current state and make its result the current state.

        Returns the new record. Masks over the budget are moved to disk, if `patient`.
        """
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
        self.branches = self.branches.with_child(self.position)
        self.position = len(self._records)
        self._spill_now()
        return record

    def find_undone(self, edit: Edit) -> int | None:
        """Return a state that an equal edit of the current state made before; None if none did.

        States whose masks are on disk are not considered, because comparing them would read the
        masks.
        """
        after = enumerate(self.branches.after, 1)
        states = (state for state, at in after if at == self.position)
        return next((s for s in states if self._records[s - 1].is_of(edit)), None)

    def restore(
        self, records: Sequence[Record], position: int, branches: Branches | None = None
    ) -> LayerMasks:
        """Load a saved history into this empty one and move to the state `position`.

        The masks of `records` are in memory or in `scratch`. Records that share a mask must share
        its slot. Without `branches`, each edit follows the previous one. Raises the errors of
        `go_to`.

        Returns
        -------
        LayerMasks
            The masks that differ between the opened file and the state `position`.
        """
        self._records = list(records)
        self.branches = Branches.linear(len(records)) if branches is None else branches
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
        """Make the state `position` current.

        Its masks are loaded from the scratch file where needed, and kept in memory. Nothing changes
        if it is current or an error is raised.

        Returns
        -------
        LayerMasks
            The masks that change, with their new values; None removes a mask. Empty if it is
            current.

        Raises
        ------
        IndexError
            If there is no such state.
        HistoryError
            If a mask cannot be read.
        """
        job = Job()  # one for all masks: one for each of 100,000 tensors took most of the time
        # Loaded masks are kept in their slots: the next edit then shares them instead of storing a
        # copy.
        changes: LayerMasks = {
            layer: {n: None if s is None else self.store.load(s, job) for n, s in slots.items()}
            for layer, slots in self.changes_to(position).items()
        }
        self.move_to(position)
        return changes

    def move_to(self, position: int) -> None:
        """Make the state `position` current, without loading or returning the changed masks."""
        self._check(position)
        self.position = position
        self.branches = self.branches.with_current(position)
        self._spill_now()

    def rename(self, state: int, name: str) -> None:
        """Name a state other than the first; an empty `name` removes the name."""
        self._check(state, 1)
        self.branches = self.branches.with_name(state, name)

    def annotate(self, state: int, note: str) -> None:
        """Set the note of a state; an empty `note` removes it."""
        self._check(state)
        self.branches = self.branches.with_note(state, note)

    def delete(self, state: int) -> tuple[int, ...]:
        """Delete a state other than the first, with all states that follow it.

        States with larger numbers are renumbered. Masks that only deleted states used are released.

        Returns
        -------
        tuple[int, ...]
            The numbers that the deleted states had.

        Raises
        ------
        IndexError
            If there is no such state.
        HistoryError
            If the current state would be deleted.
        """
        branch = self.branch(state)
        deleted = branch.states
        numbers = self.branches.numbers(deleted)
        self.branches = self.branches.without_states(deleted, self.position)
        self.position = numbers[self.position]
        self._records = [r for s, r in enumerate(self._records, 1) if s in numbers]
        self.store.cut(_slots_of_all(list(branch.records)))
        if self.patient:
            self.forget_cut_off()
        return deleted

    def close(self) -> None:
        """Discard all edits and delete the scratch file."""
        self._records.clear()
        self.branches = Branches()
        self.position = 0
        self.store.close()

    # Work for worker threads, in two steps: create it on the main thread, then finish it there.

    def spill(self) -> Spill | None:
        """Return a job that moves masks over the budget to disk; None if nothing needs to be moved.

        The caller runs it and passes its result to `finish_spill`; until then, further calls return
        None. The oldest edits come first, and masks of the current state are excluded.
        """
        if not self.store.over_budget:
            return None
        slots = (slot for record in self._records for slot in record.slots())
        return self.store.spill(slots, self._in_force())

    def finish_spill(self, written: SpillResult) -> None:
        """Release masks that a `Spill` has written, unless the current state uses them."""
        self.store.finish_spill(written, self._in_force())

    def fetch_missing(self, position: int) -> Fetch | None:
        """Return a job that reads the masks `go_to` needs; None if all of them are in memory.

        The caller runs it and passes its result to `finish_fetch`. Raises `IndexError` if there is
        no state `position`.
        """
        way = self.changes_to(position) if position else {}  # the first state has no masks
        slots = tuple(slot for slot in _slots_of(way) if slot.mask is None)
        return Fetch(slots, self.scratch) if slots else None

    def branch(self, state: int) -> Branch:
        """Return the branch that `delete` would delete; raises the same errors. Deletes nothing."""
        self._check(state, 1)
        states = self.branches.subtree(state)
        if self.position in states:
            raise HistoryError(
                "This branch has the current state, so it cannot be deleted.",
                remedy="Go to a state of another branch, or to one before it, then delete it.",
            )
        return Branch(states, tuple([self._records[s - 1] for s in states]))

    def finish_fetch(self, fetched: tuple[tuple[MaskSlot, BitMask], ...]) -> None:
        """Store masks that a `Fetch` has read in their slots."""
        for slot, mask in fetched:
            if slot.mask is None and slot.uses:
                self.store.hold(slot, mask)
        self._spill_now()

    def forget_cut_off(self, most: int | None = None) -> bool:
        """Release masks that only deleted states used. Return whether some may remain.

        `most` limits how many slots are processed; None processes all. A deleted step on 25,000
        tensors takes 15 ms.
        """
        return self.store.forget_cut_off(most)

    # Implementation

    def _check(self, state: int, first: int = 0) -> None:
        if not first <= state <= len(self._records):
            raise IndexError(
                f"the history has states {first} to {len(self._records)} for this: {state}"
            )

    def changes_to(self, state: int) -> LayerSlots:
        """Return the masks that change when `state` becomes current, with the masks of that state.

        Empty if it is current. Raises `IndexError` if there is no such state.
        """
        self._check(state)
        undone, redone = self.branches.route(self.position, state)
        return _merge_changes(
            (
                *[self._records[s - 1].before for s in undone],
                *[self._records[s - 1].after for s in redone],
            )
        )

    def _spill_now(self) -> None:
        if self.patient and (spill := self.spill()) is not None:
            self.finish_spill(spill.run(Job()))

    def _in_force(self) -> list[MaskSlot]:
        return list(_slots_of(_merge_changes([record.after for record in self.done])))


def _merge_changes(changes: Sequence[LayerSlots]) -> LayerSlots:
    """Return the combined result of consecutive changes: the last mask of each tensor."""
    slots: _Slots = {}
    for layers in changes:
        for layer, of in layers.items():
            slots.setdefault(layer, {}).update(of)
    return slots


def _slots_of(layers: LayerSlots) -> Iterator[MaskSlot]:
    for slots in layers.values():
        yield from filter(None, slots.values())


def _slots_of_all(records: list[Record]) -> Iterator[MaskSlot]:
    """Yield the slots of records, removing each from the list so that its memory is freed."""
    while records:
        yield from records.pop().slots()


@dataclass(frozen=True, eq=False)
class Branch:
    """A state and all that follow it, for computing on a worker thread what deletion frees."""

    states: tuple[int, ...]
    records: tuple[Record, ...]

    def count_freed_bytes(self, job: Job) -> int:
        """Return the number of bytes of masks that no other state uses, in memory or on disk.

        Starts `job` with the number of records; it can cancel.
        """
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


def find_pruning_edit(
    in_force: Sequence[Record], scratch: ScratchFile, name: str, index: int
) -> int | None:
    """Return the 1-based position, in `in_force`, of the edit that pruned a weight.

    Parameters
    ----------
    in_force
        The edits that lead to the state, in order.
    scratch
        File with the masks that are not in memory; one byte is read of each.
    name
        First name of the tensor.
    index
        Flat index of the weight.

    Returns
    -------
    int or None
        None if the weight is kept. If it was restored and pruned again, the last edit that pruned
        it; if it was made permanent, the edit that pruned it before.
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
            restored = True  # undoes an earlier edit, which is skipped
    return None
