"""Document: commit, undo, redo, jump; change notification.

The document: a file that is only read, one bit for each weight, and how it came to that.

Who wants to know of the changes of a document, and what they are told.

Which state of a document is safe in a file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Literal
from weakref import WeakKeyDictionary

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.contents import Notice
from pruneapp.document.edit import Edit, EditKind, Masks, Outcome, Proposal, Record
from pruneapp.document.history import BUDGET, History, PastState, pruned_by
from pruneapp.document.selection import rule_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import StaleError
from pruneapp.masks.bitmask import MaskSet
from pruneapp.results.document_rows import HistoryItem

ChangeKind = Literal["apply", "edit", "undo", "redo", "jump", "final", "found", "exported"]

# What an edit is called when it is put in force.
PUT: Mapping[EditKind, ChangeKind] = {
    "prune": "apply",
    "edit": "edit",
    "final": "final",
    "found": "found",
}


@dataclass(frozen=True)
class DocumentChanged:
    """What subscribers are told, after the document has changed.

    Attributes
    ----------
    kind
        What happened; ``exported`` changes `Document.unexported` alone.
    names
        First names of the tensors whose masks or final weights changed.
    revision
        The number of the state that is now in force.
    """

    kind: ChangeKind
    names: tuple[str, ...]
    revision: int


Subscriber = Callable[[DocumentChanged], None]


class Subscribers:
    """Those who are told, in the order in which they came."""

    def __init__(self) -> None:
        self._callbacks: list[Subscriber] = []

    def add(self, callback: Subscriber) -> Callable[[], None]:
        """Have `callback` told of every change; return a function that ends it."""
        self._callbacks.append(callback)

        def end() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return end

    def tell(self, change: DocumentChanged) -> None:
        """Tell all who are there now; some may leave, or come, because of it."""
        for callback in tuple(self._callbacks):
            callback(change)

    def clear(self) -> None:
        """Forget them."""
        self._callbacks.clear()


class ExportedState:
    """The state that was exported last; at first the one that was opened.

    Parameters
    ----------
    opened
        The state that was opened.

    Attributes
    ----------
    key
        Of the state, see `Record`.
    """

    def __init__(self, opened: Snapshot) -> None:
        self.key: object = None
        # Of states that somebody still holds: an export may end long after the next step.
        self._keys: WeakKeyDictionary[Snapshot, object] = WeakKeyDictionary()
        self._keys[opened] = None

    def note(self, snapshot: Snapshot, key: object) -> None:
        """Take note which key a state has."""
        self._keys[snapshot] = key

    def mark(self, snapshot: Snapshot) -> bool:
        """Take note that a state was exported; False for one of another document."""
        if snapshot not in self._keys:
            return False
        self.key = self._keys[snapshot]
        return True

    def position(self, records: Sequence[Record]) -> int:
        """Return the position in a history after which it was exported; -1 if it is not there."""
        if self.key is None:
            return 0
        keys = [record.key for record in records]
        return keys.index(self.key) + 1 if self.key in keys else -1

    def restore(self, records: Sequence[Record], position: int) -> None:
        """Take over what `position` was of a history."""
        if position:
            self.key = records[position - 1].key if position > 0 else object()


class Document:
    """A checkpoint, the masks over it, and their history. For one thread: the main one.

    Nothing here reads a weight: undo, redo and jumps swap references to masks.

    Parameters
    ----------
    checkpoint
        The file; the caller closes it after `close`.
    notices
        What the person should know, beside what the file's reader found.
    budget
        Bytes of masks that the history holds in memory; more go to a scratch file.
    scratch
        Folder of the scratch file; the person's cache folder by default.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        *,
        notices: tuple[Notice, ...] = (),
        budget: int = BUDGET,
        scratch: Path | None = None,
    ) -> None:
        self._history = History(budget, scratch)
        self._notices = notices
        self._snapshot = Snapshot(checkpoint)
        self._exported = ExportedState(self._snapshot)
        # Below 0, so that no state that was looked at is taken for one that was in force.
        self._past_revisions = count(-1, -1)
        self._subscribers = Subscribers()
        opened = f"{checkpoint.path}\n{checkpoint.contents.label}"
        self._items: tuple[HistoryItem, ...] = (HistoryItem("Opened", opened),)

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

    @property
    def final(self) -> MaskSet:
        """Weights that were made final: 0 bits are ordinary zeros."""
        return self._snapshot.final

    @property
    def protected(self) -> MaskSet:
        """Weights that no method takes: 1 bits are protected; all of them are kept."""
        return self._snapshot.protected

    def notify(self, notice: Notice) -> None:
        """Add something that the person should know."""
        self._notices = (*self._notices, notice)

    def snapshot(self) -> Snapshot:
        """Return the state that is in force; the same object until something changes."""
        return self._snapshot

    def state_at(self, position: int) -> PastState:
        """Return a state of the history to look at; the document stays where it is.

        Takes no time: the masks that were put aside are read by `PastState.load`, in a worker.

        Parameters
        ----------
        position
            Index in `items`; raises IndexError if there is no such state.
        """
        return self._history.past(position, self._snapshot, next(self._past_revisions))

    # The history, as lists show it

    @property
    def items(self) -> tuple[HistoryItem, ...]:
        """The states from "Opened" on, the undone ones too; the same object until a new step."""
        return self._items

    @property
    def position(self) -> int:
        """Index in `items` of the state that is in force."""
        return self._history.position

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back."""
        return self.position > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is something to do again."""
        return self.position < len(self._history)

    @property
    def unexported(self) -> bool:
        """Whether the state is another one than that last exported, or opened."""
        return self._history.key is not self._exported.key

    @property
    def unsaved(self) -> bool:
        """Whether something is neither in the file that was opened nor in an export.

        Protection is in no file but a session.
        """
        return self.unexported or bool(self.protected)

    @property
    def exported_at(self) -> int:
        """Index in `items` of the state last exported, or opened; -1 if it is not there."""
        return self._exported.position(self._history.records)

    @property
    def history(self) -> History:
        """How the document came to its state; for whoever puts its masks aside in a worker."""
        return self._history

    def pruned_by(self, name: str, index: int) -> int | None:
        """Return the index in `items` of the step that pruned an element; see `tracing`.

        Parameters
        ----------
        name
            Any name of the tensor.
        index
            Flat index of the element, in C order.
        """
        in_force = self._history.records[: self.position]
        return pruned_by(in_force, self._history.scratch, self.checkpoint.entry(name).name, index)

    def item_for(self, position: int, name: str) -> HistoryItem:
        """Return what pruned a tensor at an index of `items`: of several rules, the one that did.

        Parameters
        ----------
        position
            What `pruned_by` returned.
        name
            Any name of the tensor.
        """
        item, step = self._items[position], self._history.records[position - 1].step
        rule = 0 if step is None else rule_of(step, self.checkpoint.entry(name).names)
        if step is None or not rule:
            return item
        return replace(item, label=step.rows[rule - 1].method_words(), rule=rule)

    # Changes

    def apply(self, preview: Outcome) -> None:
        """Put the masks of a preview in force, as one entry of the history.

        Raises
        ------
        StaleError
            If the preview was computed from another state than the one in force.
        """
        self._refuse_stale(preview.revision)
        self._push("apply", preview.as_edit(self._snapshot))

    def edit(self, preview: Outcome) -> None:
        """Put in force what was done by hand, as one entry of the history.

        Raises
        ------
        StaleError
            If it was computed from another state than the one in force.
        """
        self._refuse_stale(preview.revision)
        self._push("edit", preview.as_edit(self._snapshot))

    def put(self, proposal: Proposal) -> None:
        """Put a change that was made in a worker in force, as one entry of the history.

        Parameters
        ----------
        proposal
            Made by `Finalize.propose`, `TreatZeros.propose` or `FileMasks.propose`, or of the edit
            of a recipe.

        Raises
        ------
        StaleError
            If it was made of another state than the one in force.
        """
        self._refuse_stale(proposal.revision)
        self._push(PUT[proposal.edit.kind], proposal.edit)

    def adopt(self, proposal: Proposal) -> None:
        """Put masks in force that the file itself brought; they count as exported.

        Parameters
        ----------
        proposal
            See `pruneapp.edits.found_masks.propose_file_masks`.
        """
        self.put(proposal)
        self._exported.key = self._history.key

    def restore(self, records: Sequence[Record], position: int, exported: int) -> None:
        """Take over a history that was saved, before anybody subscribes or changes something.

        Parameters
        ----------
        records, position
            See `History.restore`.
        exported
            What `exported_at` was.
        """
        items = [HistoryItem(r.label, r.detail, by_method=r.step is not None) for r in records]
        self._items = (*self._items, *items)
        self._exported.restore(records, exported)
        found = self._history.restore(records, position)
        self._put(found.masks, found.final, found.protected)

    def undo(self) -> None:
        """Take the last change back; nothing happens if there is none."""
        if self.can_undo:
            self._go_to(self.position - 1, "undo")

    def redo(self) -> None:
        """Do the next change again; nothing happens if there is none."""
        if self.can_redo:
            self._go_to(self.position + 1, "redo")

    def jump(self, position: int) -> None:
        """Put the state at an index of `items` in force; raises IndexError if there is none."""
        if position != self.position:
            self._go_to(position, "jump")

    def mark_exported(self, snapshot: Snapshot) -> None:
        """Take note that a state is safe in a file.

        Parameters
        ----------
        snapshot
            What was exported, of this document; those of others do nothing. It need not be the
            state in force any more.
        """
        if self._exported.mark(snapshot):
            self._tell("exported", ())

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Have `callback` told of every change; return a function that ends it."""
        return self._subscribers.add(callback)

    def close(self) -> None:
        """Delete the scratch file and forget the subscribers. The checkpoint stays open."""
        self._subscribers.clear()
        self._history.close()

    def _refuse_stale(self, revision: int) -> None:
        if revision != self.revision:
            raise StaleError(
                "The preview belongs to a state of the document that is gone.",
                remedy="Compute it again.",
            )

    def _push(self, kind: ChangeKind, edit: Edit) -> None:
        item = HistoryItem(edit.label, edit.detail, by_method=edit.step is not None)
        self._items = (*self._items[: self.position + 1], item)
        self._history.push(edit)
        self._put(edit.masks.after, edit.final.after, edit.protected.after)
        self._tell(kind, edit.names)

    def _go_to(self, position: int, kind: ChangeKind) -> None:
        change = self._history.go_to(position)
        self._put(change.masks, change.final, change.protected)
        self._tell(kind, change.names)

    def _put(self, masks: Masks, final: Masks, protected: Masks) -> None:
        self._snapshot = replace(
            self._snapshot,
            masks=self.masks.with_masks(masks),
            final=self.final.with_masks(final),
            protected=self.protected.with_masks(protected),
            revision=self.revision + 1,
        )
        self._exported.note(self._snapshot, self._history.key)

    def _tell(self, kind: ChangeKind, names: tuple[str, ...]) -> None:
        self._subscribers.tell(DocumentChanged(kind, names, self.revision))
