"""From what was saved to an open document: find the checkpoint, check it, go on where one was."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pruneapp.answers.hand import Operation
from pruneapp.checkpoint.reader import Checkpoint, open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.hand import HandEdit, Target, compute_hand
from pruneapp.document.history import BUDGET
from pruneapp.document.opening import open_document
from pruneapp.document.session.finding import find_original
from pruneapp.document.session.original import Original, changes_of
from pruneapp.document.session.repeating import missing, repeat
from pruneapp.document.session.restore import check_fits, masks_in_force, misfits, restored
from pruneapp.document.session.saved import SavedHistory
from pruneapp.errors import OriginalChangedError, SelectionError
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


@dataclass(frozen=True)
class Saved:
    """Work that was saved, in a session file or a journal.

    Attributes
    ----------
    path
        The file that it is in.
    original
        The checkpoint that it is about.
    history
        What was done.
    view
        What the person looked at.
    """

    path: Path
    original: Original
    history: SavedHistory
    view: Mapping[str, Any]


def reopened(
    saved: Saved,
    job: Job,
    *,
    original: Path | None = None,
    budget: int = BUDGET,
    scratch: Path | None = None,
) -> Document:
    """Open the checkpoint of a session and go on where one was.

    What has no masks is done again; where that fails, a notice of the document says so.

    Parameters
    ----------
    saved
        The session.
    job
        May cancel.
    original
        Where the checkpoint is, a folder with it, or one of its files; by default where it was, or
        beside the session.
    budget, scratch
        See `Document`.

    Raises
    ------
    OriginalMissingError
        If the checkpoint is not where it was.
    OriginalChangedError
        If it is another one: with what differs.
    SessionError
        If the session is damaged.
    CheckpointError
        If the checkpoint cannot be opened.
    """
    checkpoint = _opened(saved, original, job)
    try:
        _check_same(saved, checkpoint, job)
        document = restored(
            checkpoint, saved.history, str(saved.path), job, budget=budget, scratch=scratch
        )
        try:
            repeat(document, saved.history, job)
        except BaseException:
            document.close()
            raise
    except BaseException:
        checkpoint.close()
        raise
    return document


def masks_on_other(saved: Saved, job: Job, *, original: Path | None = None) -> Document:
    """Open a checkpoint that is another one by now, and prune in it what was pruned.

    The history is not that of this checkpoint, so it is one step: what a session pruned; and a
    second one that protects what was protected. Steps whose masks are not there are left out, and
    a notice says so.

    Raises
    ------
    OriginalChangedError
        If the names, shapes or types of its tensors are others.
    """
    checkpoint = _opened(saved, original, job)
    try:
        check_fits(checkpoint, saved.history, str(saved.path))
        document = open_document(checkpoint, job)
        try:
            _take_masks(document, saved, job)
        except BaseException:
            document.close()
            raise
    except BaseException:
        checkpoint.close()
        raise
    return document


def _take_masks(document: Document, saved: Saved, job: Job) -> None:
    kept, protected = masks_in_force(saved.history, str(saved.path), job)
    gone = {n: BitMask.full(mask.size) - mask for n, mask in kept.items() if mask.pruned}
    name = saved.path.name
    _take_over(document, "prune", gone, f"Masks of {name} taken over", job)
    guarded = {n: mask for n, mask in protected.items() if mask.kept}
    _take_over(document, "protect", guarded, f"Protection of {name} taken over", job)
    left_out = saved.history.intents[: max(0, saved.history.position - len(saved.history.edits))]
    if left_out:
        document.notify(missing(left_out, "were to be computed from other weights"))


def _take_over(
    document: Document, operation: Operation, masks: Mapping[str, BitMask], words: str, job: Job
) -> None:
    if masks:
        targets = tuple(Target(name, mask=mask) for name, mask in masks.items())
        edit = HandEdit(operation, targets, words)
        with contextlib.suppress(SelectionError):  # the file's own masks say the same
            document.edit(compute_hand(document.snapshot(), edit, job))


def _opened(saved: Saved, original: Path | None, job: Job) -> Checkpoint:
    found = find_original(saved.original, saved.path, job, original)
    return open_checkpoint(
        found.path,
        state_dict=saved.original.state_dict or None,
        job=job,
        places=found.files or None,
    )


def _check_same(saved: Saved, checkpoint: Checkpoint, job: Job) -> None:
    changes = changes_of(saved.original, checkpoint, job)
    if not changes:
        return
    tensors = misfits(checkpoint, saved.history)
    fits = "" if tensors else " Its tensors have the same names and shapes."
    use = "." if tensors else ", or use the masks on this one."
    error = OriginalChangedError(
        f"'{checkpoint.path.name}' is not the file that '{saved.path.name}' was made with: "
        f"{changes[0]}{fits}",
        remedy=f"Choose the file that it was made with{use}",
        details="\n".join((*changes, *tensors[:1000])),
    )
    error.fits, error.in_folder = not tensors, saved.original.is_folder
    raise error
