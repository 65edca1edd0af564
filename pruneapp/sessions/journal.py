"""The journal of a document: what was done is on the disk at once, its masks come behind the work.

It is only appended to. A step costs the bits that it changed, compressed, so that a stroke of a
brush on a model of any size costs kilobytes. What is undone stays in it; what is deleted becomes
dead bytes, which `Journal.compact` drops when nobody waits.
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
# Fewer dead bytes are not worth writing the others again.
_MUCH = 1 << 20
# Names that are tried for a new file.
_NAMES = 10

# What was done, and what the person looked at.
Said = tuple[Capture, Mapping[str, Any]]
_Kept = tuple[
    tuple[ref[Record], ...], int, FileStamp, Mapping[int, str], Mapping[str, Any]
]  # as `JournalWriter.mark_saved` takes it


def folder() -> Path:
    """Return where journals are kept: what the system has for the state of applications."""
    return Path(platformdirs.user_state_path("pruneapp", appauthor=False)) / "journals"


class Journal:
    """Keeps one document in a folder; for one thread, which may wait for a disk.

    The file is made when there is something to lose: who only looks leaves nothing behind.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self.writer: JournalWriter | None = None  # of the file, once there is one
        # A history that is safe in a session file, the state in force in it, that file, the names
        # of states, and what was looked at. Who held the records would hold their masks, too.
        self._kept: _Kept | None = None
        # What was done last, and where to ask for more; there while something is written only, as
        # they hold masks.
        self._latest: Said
        self._newer: Callable[[], Said | None]

    @property
    def nbytes(self) -> int:
        """Size of the file; 0 if there is none."""
        return 0 if self.writer is None else self.writer.size

    def keep(
        self,
        capture: Capture,
        view: Mapping[str, Any],
        job: Job,
        newer: Callable[[], Said | None] = lambda: None,
        *,
        with_view: bool = False,
    ) -> None:
        """Write what the file does not say yet, and wait until the disk has it.

        First comes what was done, then the masks; see `JournalWriter`. What the person looks at is
        written along with something else, or `with_view`: something was measured. What that was
        before is dead, so the file may be written anew. `newer` returns what was done meanwhile,
        once; it is written before the masks go on.

        Raises `SessionError` if the disk refuses it: what it has stays, and the next call tries
        again; and as `MaskSlot.load`.
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
                self._look(self.writer)
                with contextlib.suppress(OSError):  # the old one is there, and says all of it
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
        """Note that a history, with these names of states, is safe in a session file.

        `position` is the state in force in it, -1 for none; `view` what it says was looked at.
        """
        self._kept = tuple(map(ref, records)), position, file, names or {}, view or {}
        if self.writer is not None:
            with contextlib.suppress(OSError):  # it is about what is safe anyway
                self.writer.mark_saved(*self._kept)

    def note_digests(self, digests: Mapping[str, str]) -> None:
        """Note the SHA-256 of files of the original, by name, that were counted meanwhile."""
        if self.writer is not None:
            with contextlib.suppress(OSError):  # it can be counted again
                self.writer.note(Digests(dict(digests)))

    def compact(
        self,
        capture: Capture,
        view: Mapping[str, Any],
        job: Job,
        newer: Callable[[], Said | None] = lambda: None,
    ) -> None:
        """Write the journal anew if most of it is dead; the old one is there until that is done.

        Parameters are those of `keep`; raises OSError if the disk refuses it.
        """
        if self.writer is not None:
            self._latest, self._newer = (capture, view), newer
            try:
                self._compact(self.writer, job)
            finally:
                del self._latest, self._newer

    def delete(self) -> None:
        """Delete the file: nothing of it is needed any more."""
        if self.writer is not None:
            self.writer.delete()
            self.writer = None

    def close(self) -> Path | None:
        """Let go of the file, which stays; returns it, None if there is none."""
        if self.writer is None:
            return None
        path = self.writer.path
        self.writer.close()
        self.writer = None
        return path

    # How it works

    def _open(self, job: Job, suffix: str = "") -> JournalWriter:
        self._place.mkdir(parents=True, exist_ok=True)
        for _ in range(_NAMES - 1):
            # Another window that looks for what was left behind may have locked it in the moment
            # before this one does. It does not know of a file that is made now.
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
            writer.look_at(self._latest[1])
            writer.flush()

    def _look(self, writer: JournalWriter) -> None:
        before = writer.size
        writer.look_at(self._latest[1])
        if writer.size != before:
            writer.flush()

    def _compact(self, writer: JournalWriter, job: Job) -> None:
        if writer.dead >= max(_MUCH, writer.size // 2):
            self._write_anew(writer, job)

    def _renew(self, doubtful: JournalWriter, job: Job) -> None:
        try:
            self._write_anew(doubtful, job)
        except OSError:
            with contextlib.suppress(OSError):  # better something in a doubtful file than nothing
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
