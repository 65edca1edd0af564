"""The document: a checkpoint that is never modified, its masks, and the history of edits."""

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
from pruneapp.document.history import BUDGET, Branches, History, PastState, find_pruning_edit
from pruneapp.document.mask_store import NewMask, ScratchFile
from pruneapp.document.selection import rule_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import StaleError
from pruneapp.masks.bitmask import BitMask, Layer, MaskSet
from pruneapp.progress import Job

# Changes that do not affect the masks of the current state.
Remark = Literal["exported", "named", "deleted"]
ChangeKind = EditKind | Literal["undo", "redo", "jump"] | Remark

# What would be lost on closing. "undone": steps that do not lead to the current state. "results":
# measurements of states, which are stored outside this package.
Loss = Literal["state", "protected", "names", "undone", "results", "history"]


_OPENED = "Opened"  # label of state 0


@dataclass(frozen=True)
class HistoryItem:
    """A state in the history."""

    label: str  # description of the step: "L1 20 % on 19 tensors, global"
    detail: str  # full description, for a tooltip
    by_method: bool = False  # whether the step used methods, whose names begin the label
    rule: int = 0  # number of the step's rule that is described, from 1; 0 for a step of one rule
    name: str = ""  # name given by the user
    note: str = ""  # note of the user

    @property
    def title(self) -> str:
        """Display name of the state; not necessarily unique."""
        return self.name or self.label


def numbered_title(state: int, item: HistoryItem) -> str:
    """Return the title of a state, with its number to make it unique, unless it is state 0."""
    return f"{state}: {item.title}" if state else item.title


@dataclass(frozen=True)
class DocumentChanged:
    """The argument of subscribers, which are called after the document has changed."""

    # "exported" affects `Document.unexported` only, "named" a name or note; after "deleted",
    # states are renumbered.
    kind: ChangeKind
    names: tuple[str, ...]  # first names of the tensors whose masks changed, in any layer
    revision: int  # revision number of the current state

    @property
    def is_remark(self) -> bool:
        """Whether the masks of the current state did not change."""
        return self.kind in get_args(Remark)


Subscriber = Callable[[DocumentChanged], None]


class Document:
    """A checkpoint, its masks, and their history.

    Not thread-safe: use it from the main thread only.

    No method reads weights: undo, redo and jumps swap references to masks. The caller closes the
    checkpoint after `close`. `budget` and `scratch` are passed to `History`, which is public so
    that its masks can be moved to disk on a worker thread.
    """

    def __init__(
        self, checkpoint: Checkpoint, *, budget: int = BUDGET, scratch: Path | None = None
    ) -> None:
        self.history = History(budget, scratch)
        self._notices: tuple[Notice, ...] = ()
        self._snapshot = Snapshot(checkpoint, store=self.history.store)
        self._opened = self._snapshot.layers  # empty: a new document has no masks
        # The key (see `Record`) of the last exported state; initially that of the opened file.
        self._exported: object = None
        # Keys of all states that files contain: the opened one, exported ones and their ancestors.
        self._in_files: set[object] = {None}
        # Keys of the snapshots in use elsewhere: an export may finish long after the next step.
        self._keys: WeakKeyDictionary[Snapshot, object] = WeakKeyDictionary()
        self._keys[self._snapshot] = None
        # Negative, so that they never equal the revision of a state that was current.
        self._past_revisions = count(-1, -1)
        self._subscribers: list[Subscriber] = []
        opened = f"{checkpoint.path}\n{checkpoint.contents.label}"
        # The states of all branches in the order in which they were made. The tuple is replaced
        # only if a state is added, deleted or renamed.
        self.items: tuple[HistoryItem, ...] = (HistoryItem(_OPENED, opened),)

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that weights are read from."""
        return self._snapshot.checkpoint

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices about the file to show to the user."""
        return (*self.checkpoint.contents.notices, *self._notices)

    @property
    def revision(self) -> int:
        """Revision number of the current state; every change of the masks increases it."""
        return self._snapshot.revision

    @property
    def masks(self) -> MaskSet:
        """The masks of the current state."""
        return self._snapshot.masks

    def notify(self, notice: Notice) -> None:
        """Add a notice to show to the user."""
        self._notices = (*self._notices, notice)

    def snapshot(self) -> Snapshot:
        """Return the current state; the same object until it changes."""
        return self._snapshot

    def state_at(self, position: int) -> PastState:
        """Return the state at an index of `items`, without making it the current state.

        Masks that were moved to disk are read later, by `PastState.load` on a worker thread. Each
        call returns another object with another revision. Raises `IndexError` if there is no
        such state.
        """
        base_state, slots = self._snapshot, self.history.changes_to(position) if position else {}
        if not position:  # avoids visiting all the steps in between
            base_state = replace(base_state, layers=self._opened)
        return PastState(next(self._past_revisions), base_state, slots, self.history.scratch)

    # The history as shown in lists

    @property
    def branches(self) -> Branches:
        """The parent of each state, and the names and notes of states."""
        return self.history.branches

    @property
    def position(self) -> int:
        """Index in `items` of the current state."""
        return self.history.position

    @property
    def unexported(self) -> bool:
        """Whether the current state differs from the one last exported or, without any, opened."""
        return self.history.key is not self._exported

    @property
    def unsaved(self) -> tuple[Loss, ...]:
        """What neither the opened checkpoint nor an export contains, whether or not a session does.

        Empty if nothing is lost; any of "state", "protected", "names" and "undone", in this order.
        Protection, names and notes of states are in no export. An export covers the steps that lead
        to the exported state, but not undone ones or those on other branches.
        """
        records, in_files = self.history.records, self._in_files
        in_force = {*self.branches.path(self.position)}
        losses: dict[Loss, bool] = {
            "state": self.history.key not in in_files,
            "protected": bool(self._snapshot.protected),
            "names": bool(self.branches.names or self.branches.notes),
            "undone": any(
                state not in in_force
                and (record.key not in in_files or "protected" in record.after)
                for state, record in enumerate(records, 1)
            ),
        }
        return tuple(loss for loss, is_lost in losses.items() if is_lost)

    @property
    def exported_at(self) -> int:
        """Index in `items` of the state last exported, or opened; -1 if that was deleted."""
        return self.state_of(self._exported)

    def state_of(self, key: object) -> int:
        """Return the index in `items` of the state with a key (see `Record`); -1 if deleted."""
        keys = [None, *(record.key for record in self.history.records)]
        return keys.index(key) if key in keys else -1

    def key_of(self, position: int) -> object:
        """Return the key (see `Record`) of the state at an index of `items`."""
        return self.history.records[position - 1].key if position else None

    def find_pruning_step(self, name: str, index: int) -> int | None:
        """Return the index in `items` of the step that pruned a weight; None if it is kept."""
        done = self.history.done
        by = find_pruning_edit(done, self.history.scratch, self.checkpoint.entry(name).name, index)
        return None if by is None else self.branches.path(self.position)[by - 1]

    def item_for(self, position: int, name: str) -> HistoryItem:
        """Return the item of a step, labeled with its rule for the tensor `name`.

        `position` is a result of `find_pruning_step`. For a step of one rule, and for an edit that
        is no step, it is the item itself.
        """
        item, step = self.items[position], self.history.records[position - 1].step
        rule = 0 if step is None else rule_of(step, self.checkpoint.entry(name).names)
        if step is None or not rule:
            return item
        return replace(item, label=step.rows[rule - 1].method_words(), rule=rule)

    # Changes

    def commit(self, proposal: Proposal) -> None:
        """Apply a proposal as a new entry of the history, and call the subscribers.

        If an equal edit was made from this state before and undone, that state becomes current
        again instead, without a new entry. Raises `StaleError`, and changes nothing, if the
        proposal was computed for another state than the current one.
        """
        if proposal.revision != self.revision:
            raise StaleError(
                "The preview belongs to a state of the document that no longer exists.",
                remedy="Compute it again.",
            )
        edit = proposal.edit
        if (state := self.history.find_undone(edit)) is not None:
            self._put(self._snapshot.with_masks(self.history.go_to(state)))
        else:
            item = HistoryItem(edit.label, edit.detail, by_method=edit.step is not None)
            self.items = (*self.items, item)
            self.history.push(edit)
            self._put(edit.apply_to(self._snapshot))
        self._tell(edit.kind, edit.names)

    def restore(
        self,
        records: Sequence[Record],
        position: int,
        exported: int,
        branches: Branches | None = None,
    ) -> None:
        """Load a saved history into this unmodified document, before there are subscribers.

        The parameters are those of `History.restore`; `exported` is the saved value of
        `exported_at`. No subscriber is called.
        """
        items = list(self.items)
        items += [HistoryItem(r.label, r.detail, by_method=r.step is not None) for r in records]
        for state, name in ({} if branches is None else branches.names).items():
            items[state] = replace(items[state], name=name)
        for state, note in ({} if branches is None else branches.notes).items():
            items[state] = replace(items[state], note=note)
        self.items = tuple(items)
        self._put(self._snapshot.with_masks(self.history.restore(records, position, branches)))
        if exported:
            self._note_exported(records[exported - 1].key if exported > 0 else object())

    def jump(self, position: int) -> None:
        """Make the state at an index of `items` current, and call the subscribers.

        Does nothing if it is current. The change is "undo" or "redo" if the state is the parent or
        a child of the current one, else "jump". Raises `IndexError` if there is no such state,
        `HistoryError` if its masks cannot be read.
        """
        before = self.position
        if position != before:
            if position:
                changes = self.history.go_to(position)
                state = self._snapshot.with_masks(changes)
            else:
                self.history.move_to(0)
                changes = {layer: self._snapshot.layers[layer] for layer in get_args(Layer)}
                state = replace(self._snapshot.with_masks({}), layers=self._opened)
            self._put(state)
            names = tuple(dict.fromkeys(name for masks in changes.values() for name in masks))
            parent = self.branches.parent
            kind: ChangeKind = "undo" if position == parent(before) else "jump"
            self._tell("redo" if before == parent(position) else kind, names)

    def rename(self, state: int, name: str) -> None:
        """Name a state; an empty `name` removes the name. Raises IndexError for the first state."""
        self.history.rename(state, name)
        self._replace_item(state)

    def annotate(self, state: int, note: str) -> None:
        """Set the note of a state; an empty `note` removes it."""
        self.history.annotate(state, note)
        self._replace_item(state)

    def _replace_item(self, state: int) -> None:
        """Replace the item of a state if its name or note has changed."""
        name, note = (texts.get(state, "") for texts in (self.branches.names, self.branches.notes))
        item = replace(self.items[state], name=name, note=note)
        if item != self.items[state]:
            self.items = (*self.items[:state], item, *self.items[state + 1 :])
            self._tell("named", ())

    def delete(self, state: int) -> None:
        """Delete a state and all that follow it; raises the errors of `History.delete`."""
        deleted = set(self.history.delete(state))
        self.items = tuple([item for s, item in enumerate(self.items) if s not in deleted])
        self._tell("deleted", ())

    def mark_exported(self, snapshot: Snapshot) -> None:
        """Record that `snapshot`, a current or former state of this document, was exported.

        Calls the subscribers with "exported". Snapshots of other documents are ignored, and those
        of `state_at` without `register`.
        """
        if snapshot in self._keys:
            self._note_exported(self._keys[snapshot])
            self._tell("exported", ())

    def register(self, snapshot: Snapshot, position: int) -> None:
        """Let `mark_exported` accept a snapshot that `state_at(position)` loaded."""
        self._keys[snapshot] = self.key_of(position)

    def subscribe(self, callback: Subscriber) -> None:
        """Call `callback` after each change of the document."""
        self._subscribers.append(callback)

    def close(self) -> None:
        """Delete the scratch file and remove all subscribers. The checkpoint stays open."""
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
        for callback in tuple(self._subscribers):  # a callback may add subscribers
            callback(DocumentChanged(kind, names, self.revision))


@dataclass(frozen=True, eq=False)
class Capture:
    """The contents of a document at one moment, for a worker thread that saves it."""

    snapshot: Snapshot
    records: tuple[Record, ...]  # all edits, on all branches
    branches: Branches  # the parent of each state
    position: int  # number of the current state
    exported: int  # as `Document.exported_at`
    scratch: ScratchFile  # holds the masks that were moved to disk

    @classmethod
    def of(cls, document: Document) -> Capture:
        """Capture a document; call this on the thread that owns the document. Copies no masks."""
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
        """The edits that lead to the current state, in order."""
        return tuple([self.records[state - 1] for state in self.branches.path(self.position)])

    @property
    def title(self) -> str:
        """The title of the current state, as `numbered_title`."""
        label = self.records[self.position - 1].label if self.position else _OPENED
        name = self.branches.names.get(self.position, "")
        return numbered_title(self.position, HistoryItem(label, "", name=name))

    def parent(self, at: int) -> Record | None:
        """Return the edit that the edit at the index `at` followed; None for the opened file."""
        state = self.branches.after[at]
        return self.records[state - 1] if state else None

    def pair(self, new: NewMask, job: Job) -> tuple[BitMask, BitMask | None]:
        """Return a mask and its base mask, or None; raises the errors of `MaskSlot.load`."""
        base = None if new.base is None else new.base.load(self.scratch, job)
        return new.slot.load(self.scratch, job), base
