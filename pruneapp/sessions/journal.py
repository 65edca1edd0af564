"""The journal of a document: edits are written immediately, their masks in the background.

The file is append-only. A step costs its changed bits, compressed, so that a brush stroke on a
model of any size takes kilobytes. Undone steps stay in the file; deleted ones leave dead bytes,
which `Journal.compact` removes when there is time.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from weakref import ref

import platformdirs

from pruneapp.document.document import Capture
from pruneapp.document.edit import Record, is_work
from pruneapp.errors import SessionError, words_of
from pruneapp.progress import Job
from pruneapp.sessions.journal_file import Digests, JournalWriter
from pruneapp.sessions.original import FileStamp

SUFFIX = ".journal"
# Compaction is not worthwhile for fewer dead bytes.
_MUCH = 1 << 20
# Number of random names to try for a new file.
_NAMES = 10

# The document, and the state of its views.
JournalUpdate = tuple[Capture, Mapping[str, Any]]
_Kept = tuple[
    tuple[ref[Record], ...], int, FileStamp, Mapping[int, str], Mapping[str, Any]
]  # the arguments of `JournalWriter.mark_saved`


def folder() -> Path:
    """Return the folder of journals, in the system's folder for application state."""
    return Path(platformdirs.user_state_path("pruneapp", appauthor=False)) / "journals"


class Journal:
    """Writes the journal of one document. For use on one thread, which may block on the disk.

    The file is created with the first change that could be lost, so viewing a file leaves no trace.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self.writer: JournalWriter | None = None  # None until there is a file
        # The history stored in a session file, its current state, the file, the names of states,
        # and the views. Weak references, because the records would keep their masks alive.
        self._kept: _Kept | None = None
        # The newest contents, and a function that returns newer ones. Set during writes only,
        # because they keep masks alive.
        self._latest: JournalUpdate
        self._newer: Callable[[], JournalUpdate | None]

    @property
    def nbytes(self) -> int:
        """Size of the file in bytes; 0 if there is none."""
        return 0 if self.writer is None else self.writer.size

    def keep(
        self,
        capture: Capture,
        view: Mapping[str, Any],
        job: Job,
        newer: Callable[[], JournalUpdate | None] = lambda: None,
        *,
        with_view: bool = False,
    ) -> None:
        """Write everything that is not in the file yet, and flush it to disk.

        Edits are written first, then their masks; see `JournalWriter`. The file is created if
        needed, unless nothing could be lost.

        Parameters
        ----------
        newer
            Called between masks; returns changes made in the meantime, once, or None. They are
            written before more masks.
        with_view
            Write the state of the views even if nothing else changed, because it contains new
            measurements. This may compact the file.

        Raises
        ------
        SessionError
            If the file cannot be written; its contents remain valid, and the next call tries again.
            Also the errors of `MaskSlot.load`.
        """
        if (
            self.writer is None
            and not with_view
            and not any(record.entry is None or is_work(record.entry) for record in capture.records)
        ):
            return
        self._latest, self._newer = (capture, view), newer
        try:
            if self.writer is None:
                self.writer = self._open(job)
            elif self.writer.doubtful:
                self._renew(self.writer, job)
            self._keep(self.writer, job)
            if with_view:
                self._write_view(self.writer)
                with contextlib.suppress(OSError):  # the old file is complete
                    self._compact(self.writer, job)
        except OSError as error:
            raise self._refused(error) from error
        finally:
            del self._latest, self._newer

    def mark_saved(
        self,
        records: Sequence[Record],
        position: int,
        file: FileStamp,
        names: Mapping[int, str] | None = None,
        view: Mapping[str, Any] | None = None,
    ) -> None:
        """Record that a history, with these names of states, is stored in a session file.

        `position` is its current state, -1 if unknown; `view` the state of the views in the file.
        """
        self._kept = tuple(map(ref, records)), position, file, names or {}, view or {}
        if self.writer is not None:
            with contextlib.suppress(OSError):  # without this record, no work is lost
                self.writer.mark_saved(*self._kept)

    def note_digests(self, digests: Mapping[str, str]) -> None:
        """Record the SHA-256 of files of the checkpoint, by name, once they are computed."""
        if self.writer is not None:
            with contextlib.suppress(OSError):  # they can be computed again
                self.writer.note(Digests(dict(digests)))

    def compact(
        self,
        capture: Capture,
        view: Mapping[str, Any],
        job: Job,
        newer: Callable[[], JournalUpdate | None] = lambda: None,
    ) -> None:
        """Rewrite the journal if most of it is dead bytes.

        The old file remains until this succeeds.

        The parameters are those of `keep`. Raises OSError if the file cannot be written.
        """
        if self.writer is not None:
            self._latest, self._newer = (capture, view), newer
            try:
                self._compact(self.writer, job)
            finally:
                del self._latest, self._newer

    def delete(self) -> None:
        """Delete the file, if there is one."""
        if self.writer is not None:
            self.writer.delete()
            self.writer = None

    def close(self) -> Path | None:
        """Close the file without deleting it; return its path, None if there is none."""
        if self.writer is None:
            return None
        path = self.writer.path
        self.writer.close()
        self.writer = None
        return path

    # Implementation

    def _open(self, job: Job, suffix: str = "") -> JournalWriter:
        self._place.mkdir(parents=True, exist_ok=True)
        for _ in range(_NAMES - 1):
            # Another window that searches for unsaved work may briefly lock a file it has just
            # seen. It cannot know a file with a new random name.
            with contextlib.suppress(BlockingIOError):
                return JournalWriter(self._new_name(suffix), self._latest[0], job)
        return JournalWriter(self._new_name(suffix), self._latest[0], job)

    def _new_name(self, suffix: str) -> Path:
        return self._place / f"{secrets.token_hex(6)}{SUFFIX}{suffix}"

    def _keep(self, writer: JournalWriter, job: Job) -> None:
        self._write_steps(writer, job)
        while not writer.is_complete(self._latest[0]):
            writer.add_masks(self._latest[0], lambda: self._write_newer_steps(writer, job), job)
            self._write_steps(writer, job)

    def _write_newer_steps(self, writer: JournalWriter, job: Job) -> None:
        newer = self._newer()
        if newer and newer[0].snapshot.revision >= self._latest[0].snapshot.revision:
            self._latest = newer
            self._write_steps(writer, job)

    def _write_steps(self, writer: JournalWriter, job: Job) -> None:
        before = writer.size
        writer.write_steps(self._latest[0], job)
        self._finish(writer, before)

    def _finish(self, writer: JournalWriter, before: int) -> None:
        if self._kept is not None:
            writer.mark_saved(*self._kept)
        if writer.size != before:
            writer.write_view(self._latest[1])
            writer.flush()

    def _write_view(self, writer: JournalWriter) -> None:
        before = writer.size
        writer.write_view(self._latest[1])
        if writer.size != before:
            writer.flush()

    def _compact(self, writer: JournalWriter, job: Job) -> None:
        if writer.dead >= max(_MUCH, writer.size // 2):
            self._write_anew(writer, job)

    def _renew(self, doubtful: JournalWriter, job: Job) -> None:
        try:
            self._write_anew(doubtful, job)
        except OSError:
            with contextlib.suppress(OSError):  # a file in doubt is better than no file
                self._write_steps(doubtful, job)
            raise

    def _write_anew(self, old: JournalWriter, job: Job) -> None:
        fresh = self._open(job, suffix=".new")
        try:
            fresh.write_all_steps(self._latest[0], lambda: self._write_newer_steps(old, job), job)
            fresh.write_steps(self._latest[0], job)
            self._finish(fresh, 0)
            fresh.move(old.path)
        except BaseException:
            fresh.delete()
            raise
        old.close()
        self.writer = fresh

    def _refused(self, error: OSError) -> SessionError:
        writer = self.writer
        if writer is not None and writer.is_current(self._latest[0]) and not writer.doubtful:
            sentence = (
                "After a crash, the last steps would have to be computed again: their masks cannot "
                f"be written to '{self._place}' ({words_of(error)})."
            )
        else:
            sentence = (
                f"Your work is not being kept for recovery after a crash: '{self._place}' cannot "
                f"be written ({words_of(error)})."
            )
        return SessionError(
            sentence, remedy="You can go on working. Make room on the disk, or save the session."
        )
