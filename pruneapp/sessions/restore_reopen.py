"""From what was saved to an open document: find the checkpoint, check it, go on where one was."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.history import BUDGET
from pruneapp.edits.apply_manual_edit import compute_hand
from pruneapp.edits.manual_edit import HandEdit
from pruneapp.edits.manual_edit_target import ManualTarget
from pruneapp.edits.open_document import open_document
from pruneapp.errors import CheckpointError, OriginalChangedError, SelectionError
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.results.document_rows import Operation
from pruneapp.sessions.fingerprint import Original, change_at, changes_of
from pruneapp.sessions.fingerprint_finding import find_original
from pruneapp.sessions.history_codec_saved import SavedHistory
from pruneapp.sessions.restore import check_fits, masks_in_force, misfits, restored
from pruneapp.sessions.restore_repeating import missing, repeat


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
        targets = tuple(ManualTarget(name, mask=mask) for name, mask in masks.items())
        edit = HandEdit(operation, targets, words)
        with contextlib.suppress(SelectionError):  # the file's own masks say the same
            document.edit(compute_hand(document.snapshot(), edit, job))


def _opened(saved: Saved, original: Path | None, job: Job) -> Checkpoint:
    known = saved.original
    found = find_original(known, saved.path, job, original)
    places = found.files or None
    wanted = known.state_dict or None
    try:
        return open_checkpoint(found.path, state_dict=wanted, job=job, places=places)
    except CheckpointError as error:
        refused = error
    # Another file need not have that dict, nor be a checkpoint: what matters is that it is another.
    if wanted is not None:
        with contextlib.suppress(CheckpointError):
            return open_checkpoint(found.path, job=job, places=places)
    change = change_at(known.files[0], found.path, job) if known.is_one_file else ""
    if not change:
        raise refused
    raise _is_other(saved, found.path, (change,), (refused.sentence,)) from refused


def _check_same(saved: Saved, checkpoint: Checkpoint, job: Job) -> None:
    changes = changes_of(saved.original, checkpoint, job)
    if not changes:
        return
    raise _is_other(saved, checkpoint.path, changes, misfits(checkpoint, saved.history))


def _is_other(
    saved: Saved, path: Path, changes: tuple[str, ...], misfits: tuple[str, ...]
) -> OriginalChangedError:
    """Return the error of a checkpoint that is another one: how, and why its masks do not fit."""
    fits = "" if misfits else " Its tensors have the same names and shapes."
    use = "." if misfits else ", or use the masks on this one."
    error = OriginalChangedError(
        f"'{path.name}' is not the file that '{saved.path.name}' was made with: {changes[0]}{fits}",
        remedy=f"Choose the file that it was made with{use}",
        details="\n".join((*changes, *misfits[:1000])),
    )
    error.fits, error.in_folder = not misfits, saved.original.is_folder
    return error
