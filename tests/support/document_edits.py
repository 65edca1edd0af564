"""Edits of documents for tests."""

from __future__ import annotations

from collections.abc import Sequence

from pruneapp.document.document import Document
from pruneapp.document.edit import Json
from pruneapp.document.history import History
from pruneapp.edits.manual_edit import ManualEdit
from pruneapp.edits.zeros import Finalize, TreatZeros
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


def make_permanent(document: Document, names: Sequence[str]) -> None:
    """Make the pruned weights of some tensors permanent zeros."""
    document.commit(Finalize(tuple(names)).propose(document.snapshot(), Job()))


def treat_zeros(document: Document, names: Sequence[str]) -> None:
    """Treat zeros of the file as pruned."""
    document.commit(TreatZeros(tuple(names)).propose(document.snapshot(), Job()))


def undo(document: Document) -> None:
    """Undo the last change; do nothing if there is none."""
    if document.position:
        document.jump(document.branches.parent(document.position))


def redo(document: Document) -> None:
    """Redo the next change of the current branch; do nothing if there is none."""
    if document.position != document.branches.tip:
        document.jump(document.branches.next_state(document.position))


def delete_undone(changed: Document | History) -> None:
    """Delete all states except those on the path to the current state."""
    kept = changed.branches.path(changed.position)
    for state in range(len(changed.branches), 0, -1):
        if state not in kept:
            changed.delete(state)


def entry(history: History, position: int) -> tuple[Json, dict[str, BitMask]]:
    """Return the record of a step as JSON, and the masks that it refers to."""
    record = history.records[position - 1]
    masks = {name: slot.load(history.scratch, Job()) for name, slot in record.entry_masks.items()}
    return record.as_json(), masks


def hand_edit(history: History, position: int) -> ManualEdit:
    """Return the manual edit that led to a position, restored from the history."""
    return ManualEdit.from_dict(*entry(history, position))
