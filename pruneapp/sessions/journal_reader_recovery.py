"""What a process that was killed left behind, and how it is taken up again."""

from __future__ import annotations

import io
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from pruneapp.checkpoint.io.source import FileSource
from pruneapp.document.edit import is_work
from pruneapp.errors import SessionError, words_of
from pruneapp.progress import Job
from pruneapp.sessions.fingerprint_stamp import Stamp
from pruneapp.sessions.history_codec_saved import SavedHistory, damaged
from pruneapp.sessions.journal import SUFFIX
from pruneapp.sessions.journal_file_entries import Kept
from pruneapp.sessions.journal_file_log_file import delete, lock
from pruneapp.sessions.journal_reader import MasksOfJournal, Story
from pruneapp.sessions.restore_reopen import Saved

# A journal may be made at this very moment, and not be locked yet.
_FRESH_S = 60


@dataclass(frozen=True)
class LeftBehind:
    """A journal that nobody writes any more.

    Attributes
    ----------
    path
        The journal.
    original
        The checkpoint that it is about.
    steps
        How many edits are in force.
    undone
        How many were taken back, and can be done again.
    last
        What the last edit in force did; without one, the last that was taken back; empty where a
        newer Pruneapp wrote it.
    time
        When it was written to last, in seconds since 1970.
    nbytes
        Its size.
    again
        How many edits have to be done again, as their masks did not get to the disk.
    """

    path: Path
    original: Path
    steps: int
    undone: int
    last: str
    time: float
    nbytes: int
    again: int = 0

    @property
    def known(self) -> bool:
        """Whether it can be read; else a newer Pruneapp wrote it."""
        return self.steps + self.undone > 0


def left_behind(folder: Path, job: Job) -> tuple[LeftBehind, ...]:
    """Return what can be taken up again, the newest first.

    Journals of windows that are open are left alone. Whatever no session file holds can be taken
    up: an export has no steps, and no protection. What has nothing that would be lost is deleted;
    what has not even begun, and what a compaction did not finish, once it is a minute old: until
    then another window may be about to begin with it.

    Parameters
    ----------
    folder
        Where the journals are.
    job
        May cancel.
    """
    found: list[LeftBehind] = []
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return ()
    for path in paths:
        job.step(0)
        if path.suffix == ".new" and _is_free(path):
            if time.time() - _written(path) > _FRESH_S:
                delete(path)
        elif path.suffix == SUFFIX and _is_free(path):
            try:
                work = _summary(path, job)
            except OSError:  # gone meanwhile
                continue
            if work is not None:
                found.append(work)
    return tuple(sorted(found, key=lambda each: each.time, reverse=True))


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return time.time()


def _is_free(path: Path) -> bool:
    try:
        fd = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        return lock(fd)
    finally:
        os.close(fd)


def _summary(path: Path, job: Job) -> LeftBehind | None:
    """Return what a journal is about; None if nothing would be lost with it, and delete it then.

    One that a newer Pruneapp wrote is none of ours to delete.
    """
    status = path.stat()
    try:
        with path.open("rb") as file:
            story = Story.read(file, path, check_pieces=False)
    except SessionError:
        return LeftBehind(path, Path(), 0, 0, "", status.st_mtime, status.st_size)
    if story.original is None:
        if time.time() - _written(path) > _FRESH_S:
            delete(path)
        return None
    if not _would_be_lost(story, job):
        delete(path)
        return None
    last = story.edits[story.position - 1 if story.position else -1].label
    return LeftBehind(
        path,
        Path(story.original.path),
        story.position,
        len(story.edits) - story.position,
        last,
        status.st_mtime,
        status.st_size,
        len(story.edits) - story.done,
    )


def _would_be_lost(story: Story, job: Job) -> bool:
    if not any(is_work(edit.entry) for edit in story.edits):
        return False
    kept = story.kept
    in_file = kept.at == story.position and kept.steps == len(story.edits)
    return not in_file or _unchanged(kept, job) is None


@dataclass(frozen=True)
class JournalFile(Saved):
    """A journal that was left behind, held so that no other window takes it; a context manager.

    Attributes
    ----------
    kept_in
        The session file that the work was saved in; None without one, and where something else
        was saved in it since.
    kept_steps
        So many edits of the history are in this file.
    safe
        The position of the state that this file has; -1 if it is not in the history any more.
    """

    kept_in: Stamp | None
    kept_steps: int
    safe: int
    _source: FileSource = field(repr=False)
    _locked: io.BufferedIOBase = field(repr=False)

    @property
    def session(self) -> Path | None:
        """Where the work was saved; see `kept_in`."""
        return None if self.kept_in is None else Path(self.kept_in.path)

    def close(self) -> None:
        """Let go of it; it stays."""
        self._source.close()
        self._locked.close()

    def delete(self) -> None:
        """Delete it: it was taken up, or is not wanted."""
        self.close()
        delete(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def read_journal(path: Path, job: Job) -> JournalFile:
    """Read a journal that was left behind, as far as it is whole, but for its masks.

    Parameters
    ----------
    path
        The journal.
    job
        May cancel.

    Raises
    ------
    SessionError
        If it is gone, another window has it, the disk cannot read it, or a newer Pruneapp wrote it.
    """
    try:
        file = path.open("r+b")
    except OSError:
        raise _taken(path) from None
    try:
        return _held(path, file, job)
    except BaseException:
        file.close()
        raise


def _held(path: Path, file: io.BufferedRandom, job: Job) -> JournalFile:
    if not lock(file.fileno()):
        raise _taken(path)
    try:
        story = Story.read(file, path, check_pieces=True, job=job)
    except OSError as error:
        raise SessionError(
            f"The work in '{path}' cannot be read: {words_of(error)}.",
            remedy="Check the disk, then open it again.",
        ) from None
    if story.original is None:
        raise damaged(str(path), "it does not begin as one")
    source = FileSource(path)
    history = SavedHistory(
        masks=[mask.saved for mask in story.masks],
        edits=story.edits[: story.done],
        position=story.position,
        exported=story.exported,
        source=MasksOfJournal(source, story.masks, path),
        intents=story.edits[story.done :],
    )
    kept, session = story.kept, _unchanged(story.kept, job)
    safe = kept.at if session is not None and kept.at <= len(story.edits) else -1
    steps = kept.steps if session is not None else 0
    return JournalFile(
        path, story.original, history, story.view, session, steps, safe, source, file
    )


def _unchanged(kept: Kept, job: Job) -> Stamp | None:
    """Return a session file, unless it is gone or somebody saved something else in it since."""
    known = kept.file
    there = None if known is None else Stamp.of(Path(known.path), job)
    return known if known is not None and there is not None and known.is_of(there) else None


def _taken(path: Path) -> SessionError:
    return SessionError(
        f"The work in '{path.name}' was opened or deleted by another window in the meantime.",
        remedy="Look in the other window.",
    )
