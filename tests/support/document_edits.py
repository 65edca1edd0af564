"""What tests do to documents, in one call."""

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
    """Turn the pruned weights of some tensors into ordinary zeros."""
    document.commit(Finalize(tuple(names)).propose(document.snapshot(), Job()))


def treat_zeros(document: Document, names: Sequence[str]) -> None:
    """Count zeros of the file as pruned."""
    document.commit(TreatZeros(tuple(names)).propose(document.snapshot(), Job()))


def undo(document: Document) -> None:
    """Undo the last change; nothing happens if there is none."""
    if document.position:
        document.jump(document.branches.parent(document.position))


def redo(document: Document) -> None:
    """Redo the next change of the current branch; nothing happens if there is none."""
    if document.position != document.branches.tip:
        document.jump(document.branches.next(document.position))


def delete_undone(changed: Document | History) -> None:
    """Delete all states but those on the way to the state in force."""
    kept = changed.branches.path(changed.position)
    for state in range(len(changed.branches), 0, -1):
        if state not in kept:
            changed.delete(state)


def entry(history: History, position: int) -> tuple[Json, dict[str, BitMask]]:
    """Return what was done to come to a position, as plain JSON, and the masks that it names."""
    record = history.records[position - 1]
    masks = {name: slot.load(history.scratch, Job()) for name, slot in record.entry_masks.items()}
    return record.as_json(), masks


def hand_edit(history: History, position: int) -> ManualEdit:
    """Return what was done by hand to come to a position, made from what the history says."""
    return ManualEdit.from_dict(*entry(history, position))
