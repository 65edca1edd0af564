"""Counts the SHA-256 of the checkpoint while nothing else is wanted, and compares it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from pruneapp.checkpoint.io.digest import known, remember, sha256_of
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.document.document import Document
from pruneapp.document.document_changes import DocumentChanged
from pruneapp.errors import OriginalChangedError, PruneAppError
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.jobs_spare_time import IdleScheduler
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.sessions.journal_reader_recovery import JournalFile
from pruneapp.sessions.restore_reopen import Saved

# The SHA-256 of the checkpoint is counted when so long nothing else was wanted.
PAUSE_MS = 2_000


class Checksums(QObject):
    """Counts the SHA-256 of the files of the session's document once something was changed.

    Parameters
    ----------
    session
        The document.
    jobs
        Where it is counted, as long as nobody wants anything else.

    Signals
    -------
    counted(str, str)
        The name of a file, and its SHA-256.
    troubled(PruneAppError)
        A file is not the one that the work was made with.
    """

    counted = Signal(str, str)
    troubled = Signal(object)

    def __init__(self, session: OpenDocument, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        # What they were when the work was saved, of files that were written since, maybe copied.
        self._claimed: dict[str, str] = {}
        self._uncounted: list[FileSource] = []
        self._spare = IdleScheduler(jobs, PAUSE_MS, self._count, self)
        session.opened.connect(self._on_opened)
        session.changed.connect(self._on_changed)
        session.closed.connect(self._on_closed)

    def _on_opened(self) -> None:
        saved, document = self._session.saved, self._session.document
        assert document is not None
        self._claimed = {}
        if saved is not None:
            self._trust(saved, document)
        self._uncounted = [file for file in document.checkpoint.files if not known(file)]
        if isinstance(saved, JournalFile):  # with something that no session file has
            self._spare.soon()

    def _trust(self, saved: Saved, document: Document) -> None:
        """Take over the checksums of files that nobody touched; those of others are counted."""
        for file, before in zip(document.checkpoint.files, saved.original.files, strict=False):
            if before.sha256 and file.identity.mtime_ns == before.mtime_ns:
                remember(file, before.sha256)
            elif before.sha256:
                self._claimed[file.path.name] = before.sha256
                self._spare.soon()

    def _on_changed(self, _change: DocumentChanged) -> None:
        self._spare.soon()

    def _on_closed(self) -> None:
        self._spare.stop()
        self._uncounted = []

    def _count(self) -> None:
        if self._uncounted:
            self._spare.do(
                partial(sha256_of, self._uncounted[0]),
                on_result=self._on_counted,
                on_error=self._on_uncounted,
            )

    def _on_counted(self, sha256: str) -> None:
        name = self._uncounted.pop(0).path.name
        self.counted.emit(name, sha256)
        self._compare(name, sha256)
        self._spare.soon()

    def _compare(self, name: str, sha256: str) -> None:
        if self._claimed.get(name, sha256) != sha256:
            self.troubled.emit(
                OriginalChangedError(
                    f"'{name}' is not the file that this session was made with: its size "
                    "matches, but its SHA-256 differs.",
                    remedy="The masks fit, but were made for other weights. Locate the original "
                    "file.",
                    details=f"now {sha256}\nwas {self._claimed[name]}",
                )
            )

    def _on_uncounted(self, _error: PruneAppError) -> None:
        pass  # whatever is wrong with the file, what the person does with it says so
