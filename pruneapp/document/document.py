"""The document: a file that is only read, one bit for each weight, and how it came to that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Literal, get_args
from weakref import WeakKeyDictionary

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.contents import Notice
from pruneapp.document.edit import EditKind, Proposal, Record
from pruneapp.document.history import BUDGET, History, PastState, pruned_by
from pruneapp.document.mask_store import NewMask, ScratchFile
from pruneapp.document.selection import rule_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import StaleError
from pruneapp.masks.bitmask import BitMask, Layer, MaskSet
from pruneapp.progress import Job
from pruneapp.results.branches import Branches
from pruneapp.results.document_rows import HistoryItem

# What leaves the masks in force as they are.
Remark = Literal["exported", "named", "deleted"]
ChangeKind = EditKind | Literal["undo", "redo", "jump"] | Remark

# What closing would lose. ``undone``: steps of the history that do not lead to the state in force.
# ``results`` are what was measured of states, which others have.
Loss = Literal["state", "protected", "names", "undone", "results", "history"]


@dataclass(frozen=True)
class DocumentChanged:
    """What subscribers are told, after the document has changed."""

    # What happened; ``exported`` changes `Document.unexported` alone, ``named`` a name of a state;
    # where a branch was ``deleted``, states have other numbers.
    kind: ChangeKind
    names: tuple[str, ...]  # first names of the tensors whose masks changed, in any layer
    revision: int  # the number of the state that is now in force

    @property
    def is_remark(self) -> bool:
        """Whether the masks in force are the same as before."""
        return self.kind in get_args(Remark)


Subscriber = Callable[[DocumentChanged], None]


class Document:
    """A checkpoint, the masks over it, and their history. For one thread: the main one.

    Nothing here reads a weight: undo, redo and jumps swap references to masks. The caller closes
    the checkpoint after `close`. `budget` and `scratch` are those of `History`, which is public for
    whoever moves its masks to disk in a worker.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        *,
        budget: int = BUDGET,
        scratch: Path | None = None,
    ) -> None:
        self.history = History(budget, scratch)
        self._notices: tuple[Notice, ...] = ()
        self._snapshot = Snapshot(checkpoint, store=self.history.store)
        self._opened = self._snapshot.layers  # there are no masks in them
        # The key (see `Record`) of the state that was exported last; at first of the one opened.
        self._exported: object = None
        # Those of all states in files: exported ones, with what leads to them, and the one opened.
        self._in_files: set[object] = {None}
        # Of states that somebody still holds: an export may end long after the next step.
        self._keys: WeakKeyDictionary[Snapshot, object] = WeakKeyDictionary()
        self._keys[self._snapshot] = None
        # Below 0, so that no state that was looked at is taken for one that was in force.
        self._past_revisions = count(-1, -1)
        self._subscribers: list[Subscriber] = []
        opened = f"{checkpoint.path}\n{checkpoint.contents.label}"
        # The states in the order in which they were made, of all branches, as lists show them. The
        # same object until one comes, goes, or gets a name.
        self.items: tuple[HistoryItem, ...] = (HistoryItem("Opened", opened),)

    @property
    def checkpoint(self) -> Checkpoint:
        """The file that weights are read from."""
        return self._snapshot.checkpoint

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the person should know about the file."""
        return (*self.checkpoint.contents.notices, *self._notices)

    @property
    def revision(self) -> int:
        """Number of the state; every change makes a new, larger one."""
        return self._snapshot.revision

    @property
    def masks(self) -> MaskSet:
        """What is kept now."""
        return self._snapshot.masks

    def notify(self, notice: Notice) -> None:
        """Add something that the person should know."""
        self._notices = (*self._notices, notice)

    def snapshot(self) -> Snapshot:
        """Return the state that is in force; the same object until something changes."""
        return self._snapshot

    def state_at(self, position: int) -> PastState:
        """Return a state of the history to look at; the document stays where it is.

        Takes no time: masks that were moved to disk are read by `PastState.load`, in a worker.
        Raises IndexError if `items` has no such index.
        """
        near, slots = self._snapshot, self.history.way_to(position) if position else {}
        if not position:  # however many steps lead there
            near = replace(near, layers=self._opened)
        return PastState(next(self._past_revisions), near, slots, self.history.scratch)

    # The history, as lists show it

    @property
    def branches(self) -> Branches:
        """Which of the states follows which."""
        return self.history.branches

    @property
    def position(self) -> int:
        """Index in `items` of the state that is in force."""
        return self.history.position

    @property
    def unexported(self) -> bool:
        """Whether the state is another one than that last exported, or opened."""
        return self.history.key is not self._exported

    @property
    def unsaved(self) -> tuple[Loss, ...]:
        """What is neither in the file that was opened nor in an export; empty for nothing.

        Protection, and the names of states, are in no file but a session. An export settles the
        steps that lead to it, and no others: those that are undone, or on other branches, may be
        what somebody wants to come back to.
        """
        records, in_files = self.history.records, self._in_files
        in_force = {*self.branches.path(self.position)}
        losses: dict[Loss, bool] = {
            "state": self.history.key not in in_files,
            "protected": bool(self._snapshot.protected),
            "names": bool(self.branches.names),
            "undone": any(
                state not in in_force
                and (record.key not in in_files or "protected" in record.after)
                for state, record in enumerate(records, 1)
            ),
        }
        return tuple(loss for loss, there in losses.items() if there)

    @property
    def exported_at(self) -> int:
        """Index in `items` of the state last exported, or opened; -1 if it is not there."""
        keys = [None, *(record.key for record in self.history.records)]
        return keys.index(self._exported) if self._exported in keys else -1

    def pruned_by(self, name: str, index: int) -> int | None:
        """Return the index in `items` of the step that pruned an element, by its flat index."""
        done = self.history.done
        by = pruned_by(done, self.history.scratch, self.checkpoint.entry(name).name, index)
        return None if by is None else self.branches.path(self.position)[by - 1]

    def item_for(self, position: int, name: str) -> HistoryItem:
        """Return what pruned a tensor in a state of `pruned_by`: of several rules, the one."""
        item, step = self.items[position], self.history.records[position - 1].step
        rule = 0 if step is None else rule_of(step, self.checkpoint.entry(name).names)
        if step is None or not rule:
            return item
        return replace(item, label=step.rows[rule - 1].method_words(), rule=rule)

    # Changes

    def commit(self, proposal: Proposal) -> None:
        """Put a change that was made in a worker in force, as one entry of the history.

        If the same was done here before, and undone, that state is put in force instead.

        Raises
        ------
        StaleError
            If it was made of another state than the one in force.
        """
        if proposal.revision != self.revision:
            raise StaleError(
                "The preview belongs to a state of the document that no longer exists.",
                remedy="Compute it again.",
            )
        edit = proposal.edit
        if (undone := self.history.undone(edit)) is not None:
            self._put(self._snapshot.replaced(self.history.go_to(undone)))
        else:
            item = HistoryItem(edit.label, edit.detail, by_method=edit.step is not None)
            self.items = (*self.items, item)
            self.history.push(edit)
            self._put(edit.applied_to(self._snapshot))
        self._tell(edit.kind, edit.names)

    def restore(
        self,
        records: Sequence[Record],
        position: int,
        exported: int,
        branches: Branches | None = None,
    ) -> None:
        """Take over a history that was saved, before anybody subscribes or changes something.

        See `History.restore`; `exported` is what `exported_at` was.
        """
        items = [HistoryItem(r.label, r.detail, by_method=r.step is not None) for r in records]
        for state, name in ({} if branches is None else branches.names).items():
            items[state - 1] = replace(items[state - 1], name=name)
        self.items = (*self.items, *items)
        self._put(self._snapshot.replaced(self.history.restore(records, position, branches)))
        if exported:
            self._note_exported(records[exported - 1].key if exported > 0 else object())

    def jump(self, position: int) -> None:
        """Put the state at an index of `items` in force; raises IndexError if there is none."""
        before = self.position
        if position != before:
            if position:
                changes = self.history.go_to(position)
                state = self._snapshot.replaced(changes)
            else:
                self.history.move_to(0)
                changes = {layer: self._snapshot.layers[layer] for layer in get_args(Layer)}
                state = replace(self._snapshot.replaced({}), layers=self._opened)
            self._put(state)
            names = tuple(dict.fromkeys(name for masks in changes.values() for name in masks))
            parent = self.branches.parent
            kind: ChangeKind = "undo" if position == parent(before) else "jump"
            self._tell("redo" if before == parent(position) else kind, names)

    def rename(self, state: int, name: str) -> None:
        """Give a state a name, an empty one for none; raises IndexError for "Opened"."""
        self.history.rename(state, name)
        named = replace(self.items[state], name=self.branches.names.get(state, ""))
        if named != self.items[state]:
            self.items = (*self.items[:state], named, *self.items[state + 1 :])
            self._tell("named", ())

    def delete(self, state: int) -> None:
        """Delete a state and all that follow it; raises as `History.delete`."""
        gone = set(self.history.delete(state))
        self.items = tuple([item for s, item in enumerate(self.items) if s not in gone])
        self._tell("deleted", ())

    def mark_exported(self, snapshot: Snapshot) -> None:
        """Take note that a state of this document is safe in a file; others do nothing.

        It need not be the state in force any more.
        """
        if snapshot in self._keys:
            self._note_exported(self._keys[snapshot])
            self._tell("exported", ())

    def subscribe(self, callback: Subscriber) -> None:
        """Have `callback` told of every change."""
        self._subscribers.append(callback)

    def close(self) -> None:
        """Delete the scratch file and forget the subscribers. The checkpoint stays open."""
        self._subscribers.clear()
        self.history.close()

    def _put(self, state: Snapshot) -> None:
        self._snapshot = state
        self._keys[self._snapshot] = self.history.key

    def _note_exported(self, key: object) -> None:
        self._exported = key
        records = self.history.records
        for state, record in enumerate(records, 1):
            if record.key is key:
                self._in_files |= {records[s - 1].key for s in self.branches.path(state)}

    def _tell(self, kind: ChangeKind, names: tuple[str, ...]) -> None:
        for callback in tuple(self._subscribers):  # some may come because of it
            callback(DocumentChanged(kind, names, self.revision))


@dataclass(frozen=True, eq=False)
class Capture:
    """A document as it was at one moment, for a worker that saves it."""

    snapshot: Snapshot
    records: tuple[Record, ...]  # the whole history, all branches
    branches: Branches  # which state follows which
    position: int  # the state in force
    exported: int  # the state last exported, or opened; -1 for none of these
    scratch: ScratchFile  # where masks lie that were moved to disk

    @classmethod
    def of(cls, document: Document) -> Capture:
        """Take hold of a document, in the thread that has it."""
        history = document.history
        return cls(
            document.snapshot(),
            history.records,
            history.branches,
            document.position,
            document.exported_at,
            history.scratch,
        )

    @property
    def done(self) -> tuple[Record, ...]:
        """The edits that are in force, in order."""
        return tuple([self.records[state - 1] for state in self.branches.path(self.position)])

    def parent(self, at: int) -> Record | None:
        """Return the edit that the one at an index of `records` follows; None for none."""
        state = self.branches.after[at]
        return self.records[state - 1] if state else None

    def pair(self, new: NewMask, job: Job) -> tuple[BitMask, BitMask | None]:
        """Return a mask, and the one that it is packed against; raises as `MaskSlot.load`."""
        base = None if new.base is None else new.base.load(self.scratch, job)
        return new.slot.load(self.scratch, job), base
