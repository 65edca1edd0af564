"""What a document is compared with that is no state of its history: another file, other masks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from pruneapp.checkpoint.reader import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.opening import open_document
from pruneapp.document.snapshot import Snapshot
from pruneapp.gui.jobs import Jobs, Task
from pruneapp.gui.session import Session
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.maskset import MaskSet
from pruneapp.progress import Job


class OtherSide(QObject):
    """Opens and closes it.

    Parameters
    ----------
    session, jobs
        The document, with which the file is closed, and where it is opened.

    Attributes
    ----------
    state, called
        What is there, and what it is called; None and empty for nothing.

    Signals
    -------
    leaving()
        What is there is about to be closed.
    came()
        Something is there.
    """

    leaving = Signal()
    came = Signal()

    def __init__(self, session: Session, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._opening: Task[Document] | None = None
        self._document: Document | None = None
        self.state: Snapshot | None = None
        self.called = ""

    def open(self, path: Path) -> None:
        """Open a file in the background; what is there stays until that has worked."""
        document = self._session.document
        if document is None:
            return
        self._stop()

        def work(job: Job) -> Document:
            checkpoint = open_checkpoint(path, job=job)
            try:
                found = open_document(checkpoint, job)
                job.cancel.check()
            except BaseException:
                checkpoint.close()
                raise
            return found

        def done(opened: Document) -> None:
            if self._session.document is not document:
                _close(opened)  # nobody wants it any more
                return
            self._opening = None
            self._take(path.name, opened.snapshot(), opened)

        self._opening = self._jobs.submit(
            self.tr("Opening"), work, on_result=done, on_error=self._session.refused.emit
        )

    def set_masks(self, called: str, masks: Mapping[str, BitMask]) -> None:
        """Take a state that has other masks over the same weights."""
        document = self._session.document
        if document is not None:
            state = replace(document.snapshot(), masks=MaskSet(masks), protected=MaskSet())
            self._take(called, state)

    def drop(self) -> None:
        """Close what is there, and do not wait for what was asked for."""
        self._stop()
        if self.state is not None:
            self.leaving.emit()
            self.state, self.called = None, ""
        if self._document is not None:
            document, self._document = self._document, None
            _close(document)

    def _take(self, called: str, state: Snapshot, document: Document | None = None) -> None:
        self.drop()
        self.called, self.state, self._document = called, state, document
        self.came.emit()

    def _stop(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
            self._opening = None


def _close(document: Document) -> None:
    document.close()
    document.checkpoint.close()
