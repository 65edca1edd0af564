"""Histories of closed files, so that work continues when a file is opened again.

A kept history is the journal of a document, moved to another folder when the document is closed.
Its name begins with a hash of the document's path.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from pathlib import Path

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.atomic_file import flush_folder
from pruneapp.checkpoint.io.digest import sha256_of
from pruneapp.checkpoint.io.store import is_store
from pruneapp.errors import OriginalChangedError
from pruneapp.progress import Job
from pruneapp.sessions import journal
from pruneapp.sessions.journal_file import delete, is_free, move
from pruneapp.sessions.original import Original, changes_of

# Maximum number of kept histories, and their maximum total size in bytes.
MOST_HISTORIES = 10
MOST_BYTES = 10**9


def folder() -> Path:
    """Return the folder of kept histories."""
    return journal.folder().with_name("histories")


def keep(closed: Path, document: Path) -> Path:
    """Move the journal of a closed document to the kept histories, and return its new path.

    Then delete the oldest histories until `MOST_HISTORIES` and `MOST_BYTES` are met, but never the
    new one nor one that a window uses. Raises `OSError` if the journal cannot be moved.
    """
    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    kept = place / f"{_key(document)}-{secrets.token_hex(4)}{journal.SUFFIX}"
    move(closed, kept)
    kept.touch()
    flush_folder(place)
    total = 0
    for number, (path, nbytes) in enumerate(_all()):
        total += nbytes
        beyond = number >= MOST_HISTORIES or total > MOST_BYTES
        if beyond and path != kept and is_free(path):
            delete(path)
            total -= nbytes
    return kept


def find(document: Path) -> tuple[Path, ...]:
    """Return the kept histories of a document that no window uses, newest first."""
    key = _key(document)
    return tuple(path for path, _ in _all() if path.name.startswith(key) and is_free(path))


def is_kept(path: Path) -> bool:
    """Return whether a journal is a kept history."""
    return path.parent == folder()


def total() -> tuple[int, int]:
    """Return the number of kept histories and their total size in bytes."""
    sizes = [nbytes for _, nbytes in _all()]
    return len(sizes), sum(sizes)


def clear() -> None:
    """Delete all kept histories that no window uses."""
    for path, _ in _all():
        if is_free(path):
            delete(path)


def check_unchanged(original: Original, checkpoint: Checkpoint, job: Job) -> None:
    """Raise `OriginalChangedError` unless a checkpoint has the content that a history refers to.

    A file with another modification time is read completely and compared by SHA-256. If its SHA-256
    was unknown when the history was kept, the file counts as changed. Raises `CheckpointError` if a
    file cannot be read.
    """
    changes = changes_of(original, checkpoint, job)
    for file, before in zip(checkpoint.files, original.files, strict=False):
        if not changes and file.identity.mtime_ns != before.mtime_ns:
            if not before.sha256:
                changes = (f"'{file.path.name}' was modified.",)
            elif sha256_of(file, job) != before.sha256:
                changes = (f"The SHA-256 of '{file.path.name}' differs.",)
    if changes:
        raise OriginalChangedError(
            f"'{checkpoint.path.name}' is not the file that its kept history was made with.",
            remedy="Continue without the history.",
            details="\n".join(changes),
        )


def _all() -> list[tuple[Path, int]]:
    """Return all kept histories with their sizes in bytes, newest first."""
    found: list[tuple[int, Path, int]] = []
    with contextlib.suppress(OSError), os.scandir(folder()) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if entry.name.endswith(journal.SUFFIX):
                    status = entry.stat()
                    found.append((status.st_mtime_ns, Path(entry.path), status.st_size))
    return [(path, nbytes) for _, path, nbytes in sorted(found, reverse=True)]


def _key(document: Path) -> str:
    text = str(document)
    if not is_store(document):
        text = os.path.normcase(os.path.realpath(document))
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:16]
