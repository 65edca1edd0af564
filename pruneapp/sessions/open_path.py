"""Opening whatever a person names: a checkpoint, a session, or work that was left behind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.edits.found_masks import open_document
from pruneapp.progress import Job
from pruneapp.sessions.journal_reader import JournalFile, read_journal
from pruneapp.sessions.restore import Saved, masks_on_other, reopened
from pruneapp.sessions.session_file import is_session, read_session


@dataclass(frozen=True)
class OpenRequest:
    """What is to be opened."""

    path: Path  # a checkpoint or a session, told apart by content; or a journal
    state_dict: str | None = None  # which of several dicts of tensors of a checkpoint
    # Where the checkpoint of a session or a journal is now; by default where it was.
    original: Path | None = None
    # Whether to take over what a session pruned to a checkpoint that is another one by now.
    only_masks: bool = False
    is_journal: bool = False  # whether it is a journal that was left behind


def open_path(request: OpenRequest, job: Job) -> tuple[Document, Saved | None]:
    """Open what a person wants to work on; the caller closes the document's checkpoint.

    Returns
    -------
    tuple
        The document, and the session that it goes on with: a `SessionFile`, closed by then; or a
        `JournalFile`, which is still held. None for a checkpoint, for masks of a session that
        were taken over to another one, and for a journal of which something is missing: it stays.

    Raises
    ------
    OriginalMissingError, OriginalChangedError
        If the checkpoint of a session is elsewhere, or another one.
    SessionError, CheckpointError
        If something cannot be opened.
    """
    if request.is_journal:
        return _from_journal(request, job)
    checkpoint = open_checkpoint(request.path, state_dict=request.state_dict, job=job)
    try:
        if not is_session(checkpoint):
            return open_document(checkpoint, job), None
    except BaseException:
        checkpoint.close()
        raise
    checkpoint.close()
    with read_session(request.path, job) as session:
        # Masks on another checkpoint are the beginning of another work.
        return _document(session, request, job), None if request.only_masks else session


def _from_journal(request: OpenRequest, job: Job) -> tuple[Document, JournalFile | None]:
    journal = read_journal(request.path, job)
    try:
        document = _document(journal, request, job)
    except BaseException:
        journal.close()
        raise
    edits, intents = journal.history.edits, journal.history.intents
    if intents and (request.only_masks or len(document.history) < len(edits) + len(intents)):
        journal.close()
        return document, None
    if request.only_masks:  # the beginning of another work
        journal = replace(journal, kept_in=None, kept_steps=0, safe=-1)
    return document, journal


def _document(saved: Saved, request: OpenRequest, job: Job) -> Document:
    take = masks_on_other if request.only_masks else reopened
    return take(saved, job, original=request.original)
