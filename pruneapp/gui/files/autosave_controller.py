"""Autosave: write every step to a journal, so that a crash loses only the current one; checksums.

The main thread captures the document, which takes no time. A separate thread packs the changed
masks, writes them and waits for the disk. Steps that are made meanwhile are written first.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from pruneapp.checkpoint.io.digest import known_sha256, remember_sha256, sha256_of
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.document.document import Capture, Document, DocumentChanged
from pruneapp.document.edit import Record
from pruneapp.document.history import Branches
from pruneapp.errors import OriginalChangedError, PruneAppError, StaleError
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.jobs import IdleScheduler
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.app.runtime import PausingToken, worker_pause
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.widgets.controls import single_shot
from pruneapp.progress import Cancelled, Job
from pruneapp.sessions import kept_histories
from pruneapp.sessions.journal import Journal, JournalUpdate, folder
from pruneapp.sessions.journal_reader import JournalFile
from pruneapp.sessions.original import FileStamp
from pruneapp.sessions.restore import Saved, measurements_in
from pruneapp.sessions.session_file import SessionFile

# Milliseconds after a failed write until the next attempt.
RETRY_MS = 20_000

View = Callable[[], Mapping[str, Any]]


class _Work:
    """A document and its journal, used only on the thread of `AutosaveController`."""

    def __init__(self, restored: JournalFile | None) -> None:
        self.journal = Journal(folder())
        self.token = PausingToken(sleeps=True)
        # The journal that was restored; needed until the new journal is complete.
        self.restored_from = restored
        # States that were captured during a write.
        self.captured: SimpleQueue[JournalUpdate] = SimpleQueue()

    def latest_state(self) -> JournalUpdate | None:
        """Return the latest state captured during the write, dropping the others; None for none."""
        newest = None
        with contextlib.suppress(Empty):
            while True:
                newest = self.captured.get_nowait()
        return newest

    def delete_restored(self) -> None:
        if self.restored_from is not None:
            self.restored_from.delete()
            self.restored_from = None

    def write(self, state: JournalUpdate, *, with_view: bool) -> None:
        """Write a state completely and delete the restored journal.

        Raises the errors of `Journal.keep`.
        """
        self.journal.keep(*state, Job(cancel=self.token), with_view=with_view)
        self.delete_restored()

    def end(self) -> None:
        """Delete the journal and the restored one."""
        self.journal.delete()
        self.delete_restored()

    def release(self) -> Path | None:
        """Close the journals without deleting them; return the path of the new one, or None."""
        path = self.journal.close()
        if self.restored_from is not None:
            self.restored_from.close()
        return path


@dataclass(frozen=True)
class _WriteResult:
    """The outcome of a write."""

    work: _Work
    with_view: bool
    error: PruneAppError | None = None
    bug: tuple[str, str] | None = None


class AutosaveController(Controller):
    """Writes the work of the open document to a journal while it is open.

    `view` returns the state of the views and the measured results, as JSON values or frozen
    structs.
    """

    written = Signal()  # a write has ended, successfully or not
    _finished = Signal(object)

    def __init__(self, context: AppContext, session: OpenDocument, view: View) -> None:
        super().__init__(context)
        self._session = session
        self._view = view
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="pruneapp-journal")
        self._work: _Work | None = None
        self._busy = False
        self._write_pending = False
        self._results_pending = False  # whether there are new results that are not written yet
        # Errors that were reported for this document; and whether the last write failed.
        self._reported: set[str] = set()
        self._write_failed = False
        self._retry = single_shot(self, RETRY_MS, self._write_soon)
        self._finished.connect(self._on_finished)
        session.opened.connect(self._on_opened)
        session.changed.connect(self._on_changed)
        session.closed.connect(self._on_closed)

    def mark_saved(
        self,
        records: Sequence[Record],
        position: int,
        file: FileStamp,
        branches: Branches,
        view: Mapping[str, Any],
    ) -> None:
        """Record that a history is stored in a session file; see `Journal.mark_saved`.

        Queued behind the current write. Without effect if no document is open.
        """
        work = self._work
        if work is not None:
            self._pool.submit(
                lambda: work.journal.mark_saved(records, position, file, branches, view)
            )

    def keep_measured(self) -> None:
        """Write the measured results, even if there are no steps."""
        self._results_pending = True
        self._write_soon()

    def record_digest(self, name: str, sha256: str) -> None:
        """Record the SHA-256 of a file of the checkpoint in the journal."""
        work = self._work
        if work is not None:
            self._pool.submit(lambda: work.journal.note_digests({name: sha256}))

    def flush(self) -> PruneAppError | None:
        """Write everything to the journal and wait for the disk; return the error, or None.

        None, and nothing is written, if no document is open. No journal is created for a document
        without steps and measured results.
        """
        document, work = self._session.document, self._work
        if document is None or work is None:
            return None
        view = self._view()
        state = Capture.of(document), view
        with_view = len(document.items) > 1 or bool(measurements_in(view))
        worker_pause.end()
        try:
            self._pool.submit(work.write, state, with_view=with_view).result()
        except PruneAppError as error:
            return error
        return None

    def leave(self) -> Path | None:
        """Write everything to the journal and close it; return its path.

        Nothing is written after that. None if no document is open, or if writing fails: the journal
        stays open then.
        """
        work = self._work
        if work is None or self.flush() is not None:
            return None
        self._work = None
        return self._pool.submit(work.release).result()

    @property
    def nbytes(self) -> int:
        """Size of the journal in bytes."""
        return 0 if self._work is None else self._work.journal.nbytes

    def keep_history(self, path: Path) -> None:
        """Move the journal to the kept histories, because the document is closed.

        Waits for the disk. It is found by `path` when that is opened again. If writing or moving
        fails, the journal stays where it is and is offered at the next start, as after a crash.
        Without effect if no document is open.
        """
        work, error = self._work, self.flush()
        if work is None:
            return
        self._retry.stop()
        self._work = None

        def keep() -> None:
            journal = work.release()
            if journal is not None and error is None:
                with contextlib.suppress(OSError):
                    kept_histories.keep(journal, path)

        self._pool.submit(keep).result()

    def release(self) -> None:
        """Write and close the journal, so that it is offered at the next start."""
        self.flush()
        if self._work is not None:
            self._pool.submit(self._work.release).result()
            self._work = None

    def stop(self) -> None:
        """Stop the thread after its queued work; no more writes are possible."""
        self._retry.stop()
        self._pool.shutdown(wait=True)

    def _on_opened(self) -> None:
        """Start a journal for the document.

        A restored journal is written to it at once, and deleted when that is complete. Steps that a
        session file has are only recorded as such; nothing is written until something changes.
        """
        saved, document = self._session.saved, self._session.document
        assert document is not None
        self._work = _Work(saved if isinstance(saved, JournalFile) else None)
        self._busy = self._write_pending = self._write_failed = self._results_pending = False
        self._reported = set()
        if isinstance(saved, JournalFile):
            if saved.kept_in is not None:
                steps = saved.kept_steps
                records, branches = document.history.records[:steps], document.branches
                names, notes = (
                    {state: text for state, text in texts.items() if state <= steps}
                    for texts in (branches.names, branches.notes)
                )
                branches = replace(branches, names=names, notes=notes)
                self.mark_saved(records, saved.safe, saved.kept_in, branches, saved.kept_view)
            self._results_pending = bool(measurements_in(saved.view))
            self._write_soon(saved.view)  # the views do not show it yet
        elif isinstance(saved, SessionFile):  # everything is in the file until something changes
            history = document.history
            branches = document.branches
            self.mark_saved(history.records, document.position, saved.stamp, branches, saved.view)

    def _on_changed(self, _change: DocumentChanged) -> None:
        self._write_soon()

    def _on_closed(self) -> None:
        self._retry.stop()
        if self._work is not None:
            self._work.token.cancel()
            self._pool.submit(self._work.end)
            self._work = None

    def _write_soon(self, view: Mapping[str, Any] | None = None) -> None:
        """Capture the document and queue a write; returns at once.

        During a write, the new state replaces the captured ones. `view` is that of the views if it
        is None. Without effect if no document is open.
        """
        document, work = self._session.document, self._work
        if document is None or work is None:
            return
        state = Capture.of(document), self._view() if view is None else view
        if self._busy:
            self._write_pending = True
            work.captured.put(state)
        else:
            result = _WriteResult(work, self._results_pending)
            self._busy, self._write_pending, self._results_pending = True, False, False
            self._retry.stop()
            self._pool.submit(self._run, result, state)

    def _run(self, result: _WriteResult, state: JournalUpdate) -> None:
        """Write a state on the thread, and emit `_finished` with the outcome.

        An error or a bug is in the outcome; nothing is raised.
        """
        try:
            self._write(result, state)
        except Cancelled:
            pass
        except PruneAppError as error:
            error.__traceback__ = None  # its frames hold masks
            result = replace(result, error=error)
        except Exception as error:  # noqa: BLE001 - any bug is reported, and the thread continues
            sentence = f"{type(error).__name__}: {error}"
            result = replace(result, bug=(sentence, traceback.format_exc()))
        self._finished.emit(result)

    def _write(self, result: _WriteResult, state: JournalUpdate) -> None:
        """Write `state`, or a later one that was captured since; delete the restored journal."""
        work = result.work
        job = Job(cancel=work.token)
        latest_state = work.latest_state()
        if (
            latest_state is not None
            and latest_state[0].snapshot.revision > state[0].snapshot.revision
        ):
            state = latest_state
        work.journal.keep(*state, job, work.latest_state, with_view=result.with_view)
        work.delete_restored()

    @Slot(object)
    def _on_finished(self, result: _WriteResult) -> None:
        """Show the error of a write, write again if the document has changed, and emit `written`.

        Each error is shown once per document. After a failure the next attempt follows in
        `RETRY_MS`, or at the next change. Results of a document that was closed are ignored.
        """
        if result.work is not self._work:
            return
        self._busy = False
        if result.bug is not None:
            self._notifications.report_failure(*result.bug)
        elif isinstance(result.error, StaleError):
            self._write_pending = (
                True  # the state has changed, and masks of the new one are available
            )
        elif result.error is not None and result.error.sentence not in self._reported:
            self._reported.add(result.error.sentence)
            self._notifications.show_error(result.error, NoticeTopic.RECOVERY_DATA)
        self._write_failed = result.error is not None
        self._results_pending = self._results_pending or (self._write_failed and result.with_view)
        if self._write_pending:
            self._write_soon()
        elif self._write_failed:  # the disk may have space again later
            self._retry.start()
        self.written.emit()


# Milliseconds without other work after which checksums are computed.
PAUSE_MS = 2_000


class Checksums(QObject):
    """Computes the SHA-256 of the checkpoint files once the document has changed."""

    def __init__(
        self, context: AppContext, session: OpenDocument, autosave: AutosaveController
    ) -> None:
        super().__init__(autosave)
        self._notifications = context.notifications
        self._session = session
        self._autosave = autosave
        # SHA-256 stored in the session, by name of files that were modified since (possibly only
        # copied).
        self._stored_sha256: dict[str, str] = {}
        self._unhashed: list[FileSource] = []
        self._idle = IdleScheduler(context.jobs, PAUSE_MS, self._hash_next, self)
        session.opened.connect(self._on_opened)
        session.changed.connect(self._idle.schedule)
        session.closed.connect(self._on_closed)

    def _on_opened(self) -> None:
        """Compare the files with the checksums of the session, and list those without a checksum.

        Files are hashed after the first change of the document, or soon for restored work.
        """
        saved, document = self._session.saved, self._session.document
        assert document is not None
        self._stored_sha256 = {}
        if saved is not None:
            self._trust(saved, document)
        self._unhashed = [file for file in document.checkpoint.files if not known_sha256(file)]
        if isinstance(saved, JournalFile):  # it has changes that no session file has
            self._idle.schedule()

    def _trust(self, saved: Saved, document: Document) -> None:
        """Reuse the checksums in `saved` of files whose time is unchanged.

        The checksums of other files are computed later and compared. Files are matched by their
        order.
        """
        for file, before in zip(document.checkpoint.files, saved.original.files, strict=False):
            if before.sha256 and file.identity.mtime_ns == before.mtime_ns:
                remember_sha256(file, before.sha256)
            elif before.sha256:
                self._stored_sha256[file.path.name] = before.sha256
                self._idle.schedule()

    def _on_closed(self) -> None:
        self._idle.stop()
        self._unhashed = []

    def _hash_next(self) -> None:
        if self._unhashed:
            self._idle.submit(partial(sha256_of, self._unhashed[0]), on_result=self._on_hashed)

    def _on_hashed(self, sha256: str) -> None:
        name = self._unhashed.pop(0).path.name
        self._autosave.record_digest(name, sha256)
        self._compare(name, sha256)
        self._idle.schedule()

    def _compare(self, name: str, sha256: str) -> None:
        """Show a notice if a computed checksum differs from that in the session."""
        if self._stored_sha256.get(name, sha256) != sha256:
            error = OriginalChangedError(
                f"'{name}' is not the file that this session was made with: its size matches, but "
                "its SHA-256 differs.",
                remedy="The masks fit, but were made for other weights. Locate the original file.",
                details=f"now {sha256}\nwas {self._stored_sha256[name]}",
            )
            self._notifications.show_error(error, NoticeTopic.CHECKSUM)
