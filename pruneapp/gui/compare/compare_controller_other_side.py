"""What a document is compared with that is no state of its history: another file, other masks."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from pruneapp.analysis.comparison import is_original
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.mask_files import holds_masks_alone, masks_of
from pruneapp.edits.open_document import open_document
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.bitmask_maskset import MaskSet
from pruneapp.progress import Job

Masks = Mapping[str, BitMask]


class ComparisonSource(QObject):
    """Opens and closes it.

    Parameters
    ----------
    session, jobs
        The document, with which the file is closed, and where it is opened.

    Attributes
    ----------
    state, called
        What is there, and what it is called; None and empty for nothing.
    of_masks
        Whether it differs from the document in its masks alone, of the same weights.
    is_original
        Whether it looks like the file that the document was made of, by pruning.

    Signals
    -------
    leaving()
        What is there is about to be closed.
    came()
        Something is there.
    """

    leaving = Signal()
    came = Signal()

    def __init__(self, session: OpenDocument, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._opening: Task[tuple[Document, bool] | Masks] | None = None
        self._document: Document | None = None
        self.state: Snapshot | None = None
        self.called = ""
        self.of_masks = False
        self.is_original = False

    def open(self, path: Path) -> None:
        """Open a file in the background; what is there stays until that has worked.

        Of a file that holds masks and no weights, the masks over the document's own weights.
        """
        document = self._session.document
        if document is None:
            return
        self._stop()

        now = document.snapshot()

        def work(job: Job) -> tuple[Document, bool] | Masks:
            with ExitStack() as unless_open:
                checkpoint = unless_open.enter_context(open_checkpoint(path, job=job))
                if holds_masks_alone(document.checkpoint, checkpoint):
                    return masks_of(document.checkpoint, checkpoint, job)
                found = open_document(checkpoint, job)
                original = is_original(now, found.snapshot(), job)
                job.cancel.check()
                unless_open.pop_all()
                return found, original

        def done(found: tuple[Document, bool] | Masks) -> None:
            if self._session.document is document:
                self._opening = None
                if isinstance(found, tuple):
                    opened, original = found
                    self._take(path.name, opened.snapshot(), opened, original=original)
                else:
                    self.set_masks(path.name, found)
            else:
                _close(found)  # nobody wants it any more

        self._opening = self._jobs.submit(
            self.tr("Opening"),
            work,
            on_result=done,
            on_error=self._session.refused.emit,
            on_late=_close,
        )

    def set_masks(self, called: str, masks: Masks) -> None:
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
            _close((document, False))

    def _take(
        self,
        called: str,
        state: Snapshot,
        document: Document | None = None,
        *,
        original: bool = False,
    ) -> None:
        self.drop()
        self.called, self.state, self._document = called, state, document
        self.is_original = original
        self.of_masks = document is None
        self.came.emit()

    def _stop(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
            self._opening = None


def _close(found: tuple[Document, bool] | Masks) -> None:
    if isinstance(found, tuple):
        found[0].close()
        found[0].checkpoint.close()
