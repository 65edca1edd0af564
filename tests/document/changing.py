"""What tests do to documents, in one call."""

from __future__ import annotations

from collections.abc import Sequence

from pruneapp.document.document import Document
from pruneapp.document.history import History
from pruneapp.edits.finalize import Finalize
from pruneapp.edits.found_masks import TreatZeros
from pruneapp.edits.manual_edit import HandEdit
from pruneapp.progress import Job


def make_final(document: Document, names: Sequence[str]) -> None:
    """Turn the pruned weights of some tensors into ordinary zeros."""
    document.commit(Finalize(tuple(names)).propose(document.snapshot(), Job()))


def treat_zeros(document: Document, names: Sequence[str]) -> None:
    """Count zeros of the file as pruned."""
    document.commit(TreatZeros(tuple(names)).propose(document.snapshot(), Job()))


def hand_edit(history: History, position: int) -> HandEdit:
    """Return what was done by hand to come to a position, made from what the history says."""
    masks = {}
    said = history.entry(position, masks, Job())
    return HandEdit.from_dict(said, masks)
