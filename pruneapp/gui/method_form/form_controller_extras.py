"""Masks and importance scores that the person loads from files for the methods that take them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.edits.mask_files import given_masks, names_in
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


@dataclass(frozen=True, eq=False)
class Frozen:
    """What a job is given of the extras."""

    masks: Mapping[str, BitMask] | None = None
    scores: Checkpoint | None = None


class LoadedMasks(QObject):
    """The loaded masks and scores of the open document.

    Signals
    -------
    changed()
        Another file was loaded, or all were dropped.
    """

    changed = Signal()

    def __init__(self, session: OpenDocument, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._masks: Mapping[str, BitMask] | None = None
        self._scores: Checkpoint | None = None
        self.mask_file = ""
        self.scores_file = ""
        session.closed.connect(self.drop)

    def frozen(self, *, masks: bool = True, scores: bool = True) -> Frozen:
        """Return what is loaded now, as far as it is wanted."""
        return Frozen(self._masks if masks else None, self._scores if scores else None)

    def load_masks(self, path: Path) -> None:
        """Read the masks of a file that fit the document."""
        document = self._session.document
        if document is None:
            return
        checkpoint = document.checkpoint

        def work(job: Job) -> Mapping[str, BitMask]:
            with open_checkpoint(path, job=job) as masks:
                return given_masks(checkpoint, names_in(masks, checkpoint), masks, job)

        def done(masks: Mapping[str, BitMask]) -> None:
            if self._session.document is not document:
                return  # closed meanwhile
            self._masks, self.mask_file = masks, path.name
            self.changed.emit()

        self._jobs.submit(
            self.tr("Reading masks"), work, on_result=done, on_error=self._session.refused.emit
        )

    def load_scores(self, path: Path) -> None:
        """Open a file of importance scores."""
        document = self._session.document

        def done(scores: Checkpoint) -> None:
            if self._session.document is not document:
                scores.close()  # nobody wants them any more
                return
            self._drop_scores()
            self._scores, self.scores_file = scores, path.name
            self.changed.emit()

        self._jobs.submit(
            self.tr("Opening scores"),
            lambda job: open_checkpoint(path, job=job),
            on_result=done,
            on_error=self._on_error,
        )

    def drop(self) -> None:
        """Forget everything that was loaded."""
        self._masks, self.mask_file = None, ""
        self._drop_scores()
        self.changed.emit()

    def _drop_scores(self) -> None:
        if self._scores is not None:
            self._scores.close()
        self._scores, self.scores_file = None, ""

    def _on_error(self, error: PruneAppError) -> None:
        self._session.refused.emit(error)
