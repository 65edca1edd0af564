"""Keeps every step in a journal, so that a crash loses the one under way at most.

The main thread takes hold of the document, which takes no time; a thread of its own packs what
changed, writes it and waits for the disk. What comes meanwhile is written in one go afterwards.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from pruneapp.checkpoint.digest import Digest, known, remember
from pruneapp.document.document import Document, DocumentChanged
from pruneapp.document.session.capture import Capture
from pruneapp.document.session.journal import Journal, folder
from pruneapp.document.session.original import files_of
from pruneapp.document.session.recovery import JournalFile
from pruneapp.document.session.reopen import Saved
from pruneapp.errors import OriginalChangedError, PruneAppError, StaleError
from pruneapp.gui.jobs import Jobs, Task
from pruneapp.gui.session import Session
from pruneapp.progress import Cancelled, CancelToken, Job

# After so long without a step the journal is looked through for what nobody needs any more.
IDLE_MS = 20_000
# The SHA-256 of the checkpoint is counted when so long nothing else was wanted.
PAUSE_MS = 2_000

View = Callable[[], Mapping[str, Any]]


@dataclass(frozen=True)
class _Told:
    """What became of a round of writing."""

    work: _Work
    error: PruneAppError | None = None
    bug: tuple[str, str] | None = None
    compacted: bool = False


class _Work:
    """One document and its journal, which only the thread of `Keeping` touches."""

    def __init__(self, taken: JournalFile | None) -> None:
        self.journal = Journal(folder())
        self.token = CancelToken()
        # The journal that it was taken up from; needed until this one says the same.
        self.taken = taken

    def keep(self, capture: Capture, view: Mapping[str, Any]) -> _Told:
        """Write what is new."""
        self.journal.keep(capture, view, Job(cancel=self.token))
        if self.taken is not None:
            self.taken.delete()
            self.taken = None
        return _Told(self)

    def compact(self, capture: Capture, view: Mapping[str, Any]) -> _Told:
        """Drop what nobody needs any more."""
        with contextlib.suppress(OSError):  # the old one is there, and says all of it
            self.journal = self.journal.compacted(capture, view, Job(cancel=self.token))
        return _Told(self, compacted=True)

    def end(self) -> None:
        """Delete everything: the work was closed, and what is to be kept is kept elsewhere."""
        self.journal.delete()
        if self.taken is not None:
            self.taken.delete()
            self.taken = None


class Keeping(QObject):
    """Keeps the work of the session's document as long as it is open.

    Parameters
    ----------
    session
        The document.
    jobs
        Where the SHA-256 of the checkpoint is counted when nothing else is wanted.
    view
        Returns what the person looks at, as plain JSON.

    Signals
    -------
    troubled(PruneAppError)
        Work cannot be kept; once for each document.
    failed(str, str)
        A bug: sentence and traceback.
    kept()
        The journal says all that was done.
    """

    troubled = Signal(object)
    failed = Signal(str, str)
    kept = Signal()

    _told = Signal(object)

    def __init__(
        self, session: Session, jobs: Jobs, view: View, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._view = view
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="pruneapp-journal")
        self._work: _Work | None = None
        self._busy = False
        self._wanted = False
        self._said = False
        # What they were when the work was saved, of files that were written since, maybe copied.
        self._claimed: dict[str, str] = {}
        self._counting: list[Digest] | None = None
        self._task: Task[str] | None = None
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.setInterval(IDLE_MS)
        self._idle.timeout.connect(self._compact)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._count)
        self._told.connect(self._on_told)
        session.opened.connect(self._on_opened)
        session.changed.connect(self._on_changed)
        session.closed.connect(self._on_closed)
        jobs.asked.connect(self._hold)

    @property
    def up_to_date(self) -> bool:
        """Whether all that was done is in the journal, or was tried to be."""
        return not self._busy and not self._wanted

    def mark_kept(self, position: int, path: Path) -> None:
        """Take note that a state of the history is safe in a session file."""
        document, work = self._session.document, self._work
        if document is not None and work is not None:
            record = document.history.records[position - 1] if position else None
            self._pool.submit(lambda: work.journal.mark_kept(record, position, path))

    def stop(self) -> None:
        """End the thread; nothing comes back afterwards."""
        self._pause.stop()
        self._idle.stop()
        self._pool.shutdown(wait=True)

    # -- the journal ----------------------------------------------------------------------------

    def _on_opened(self) -> None:
        saved, document = self._session.saved, self._session.document
        assert document is not None
        self._work = _Work(saved if isinstance(saved, JournalFile) else None)
        self._said = self._busy = self._wanted = False
        self._claimed = {}
        self._counting = None
        if saved is not None:
            self._trust(saved, document)
        if isinstance(saved, JournalFile):
            self._keep()
        elif saved is not None:  # all of it is in the session, until something changes
            self.mark_kept(document.position, saved.path)

    def _trust(self, saved: Saved, document: Document) -> None:
        """Take over the checksums of files that nobody touched; those of others are counted."""
        files = files_of(document.checkpoint)
        for file, before in zip(files, saved.original.files, strict=False):
            if before.sha256 and file.identity.mtime_ns == before.mtime_ns:
                remember(file, before.sha256)
            elif before.sha256:
                self._claimed[file.path.name] = before.sha256
                self._pause.start()

    def _on_changed(self, _change: DocumentChanged) -> None:
        self._keep()

    def _on_closed(self) -> None:
        self._idle.stop()
        self._pause.stop()
        self._stop_counting()
        if self._work is not None:
            self._work.token.cancel()
            self._pool.submit(self._work.end)
            self._work = None

    def _keep(self) -> None:
        if self._busy:
            self._wanted = True
        elif self._work is not None:
            self._submit(self._work.keep)

    def _compact(self) -> None:
        if not self._busy and self._work is not None:
            self._submit(self._work.compact)

    def _submit(self, call: Callable[[Capture, Mapping[str, Any]], _Told]) -> None:
        document, work = self._session.document, self._work
        if document is None or work is None:
            return
        self._busy, self._wanted = True, False
        self._idle.stop()
        self._pool.submit(self._run, work, call, Capture.of(document), self._view())

    def _run(
        self,
        work: _Work,
        call: Callable[[Capture, Mapping[str, Any]], _Told],
        capture: Capture,
        view: Mapping[str, Any],
    ) -> None:
        told = _Told(work)
        try:
            told = call(capture, view)
        except Cancelled:
            pass
        except PruneAppError as error:
            error.__traceback__ = None  # its frames hold masks
            told = _Told(work, error)
        except Exception as error:  # noqa: BLE001 - the border where bugs become reports
            sentence = f"{type(error).__name__}: {error}"
            told = _Told(work, bug=(sentence, traceback.format_exc()))
        self._told.emit(told)

    @Slot(object)
    def _on_told(self, told: _Told) -> None:
        if told.work is not self._work:
            return
        self._busy = False
        if told.bug is not None:
            self.failed.emit(*told.bug)
        elif isinstance(told.error, StaleError):
            self._wanted = True  # another state is in force by now, and its masks are there
        elif told.error is not None and not self._said:
            self._said = True
            self.troubled.emit(told.error)
        if self._wanted:
            self._keep()
        elif not told.compacted:
            self._idle.start()
            self._pause.start()
        self.kept.emit()

    # -- the checkpoint -------------------------------------------------------------------------

    def _hold(self) -> None:
        """Let something else go first."""
        if self._task is not None:
            self._stop_counting()
            self._pause.start()

    def _stop_counting(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _count(self) -> None:
        document = self._session.document
        if document is None or self._task is not None:
            return
        if not self._jobs.quiet:
            self._pause.start()
            return
        if self._counting is None:
            files = files_of(document.checkpoint)
            self._counting = [Digest(file) for file in files if not known(file)]
        if self._counting:
            digest = self._counting[0]
            self._task = self._jobs.answer(
                digest.run, on_result=self._on_digest, on_error=self._on_uncounted, aside=True
            )

    def _on_digest(self, sha256: str) -> None:
        self._task = None
        if self._counting:
            name = self._counting.pop(0).file.path.name
            if self._work is not None:
                self._pool.submit(self._work.journal.note_digests, {name: sha256})
            self._compare(name, sha256)
            self._pause.start()

    def _compare(self, name: str, sha256: str) -> None:
        if self._claimed.get(name, sha256) != sha256:
            self.troubled.emit(
                OriginalChangedError(
                    f"'{name}' is not the file that this work was made with, although it is as "
                    "large and begins and ends alike: its SHA-256 is another one.",
                    remedy="The masks fit, but were made for other weights. Look for the file.",
                    details=f"now {sha256}\nit was {self._claimed[name]}",
                )
            )

    def _on_uncounted(self, _error: PruneAppError) -> None:
        self._task = None
