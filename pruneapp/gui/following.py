"""The mask to come of the tensor in focus: from an estimate while the form changes, then exact."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from pruneapp.answers import SparsityReport
from pruneapp.document.foretold import mask_up_to
from pruneapp.errors import PruneAppError
from pruneapp.gui.forecasting import Forecasting
from pruneapp.gui.jobs import Jobs, Task
from pruneapp.gui.session import Session
from pruneapp.masks.bitmask import BitMask

# Larger tensors take longer than a slider may be behind: they wait for the preview.
MOST = 1 << 23


class Following(QObject):
    """Keeps the mask to come of one tensor.

    Parameters
    ----------
    session
        The document.
    jobs
        Where weights are compared with the threshold of an estimate.
    forecasting
        Estimates and previews.

    Signals
    -------
    changed()
        `going` is another one, by an estimate; `forecasting` tells of previews.
    """

    changed = Signal()

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        forecasting: Forecasting,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._forecasting = forecasting
        self._name: str | None = None
        self._wanted = True
        self._estimated: BitMask | None = None
        self._exact: BitMask | None = None
        self._task: Task[BitMask] | None = None
        self._about: SparsityReport | None = None
        forecasting.changed.connect(self._on_preview)
        forecasting.foreseen.connect(self._on_foreseen)

    @property
    def going(self) -> BitMask | None:
        """What would be kept of the tensor; None if that is not known, or nothing is asked for."""
        return self._estimated if self._exact is None else self._exact

    def look_at(self, name: str | None) -> None:
        """Follow another tensor, or none."""
        self._stop()
        self._name = name
        self._estimated, self._exact = None, self._of_preview()
        if self._forecasting.preview is None:
            self._follow()

    def set_wanted(self, *, wanted: bool) -> None:
        """Follow estimates, or leave it: nobody looks at what would go."""
        self._wanted = wanted
        if self._forecasting.preview is None:
            self._follow()

    def _of_preview(self) -> BitMask | None:
        preview = self._forecasting.shown
        if preview is None or self._name is None:
            return None
        return preview.masks.get(self._name)

    def _on_preview(self) -> None:
        exact = self._of_preview()
        # While the form changes what was to be seen stays until the estimate is there: no flicker.
        stays = self._forecasting.shown is None and self._forecasting.outlook is not None
        self._estimated = self._exact if stays and exact is None else None
        self._exact = exact

    def _on_foreseen(self) -> None:
        if self._forecasting.preview is None:
            self._follow()

    def _follow(self) -> None:
        document, name = self._session.document, self._name
        report = self._forecasting.outlook
        tensor = report.by_name.get(name) if report is not None and name is not None else None
        if (
            not self._wanted
            or document is None
            or name is None
            or tensor is None
            or tensor.threshold is None
            or tensor.numel > MOST
        ):
            self._set(None)
            return
        if self._task is not None:
            return  # one at a time; the newest is looked for after it
        snapshot, threshold = document.snapshot(), tensor.threshold
        self._about = report
        self._task = self._jobs.answer(
            lambda job: mask_up_to(snapshot, name, threshold, job),
            on_result=partial(self._on_mask, document.revision),
            on_error=self._on_error,
            aside=True,
        )

    def _on_mask(self, revision: int, mask: BitMask) -> None:
        self._task = None
        document = self._session.document
        if document is None or document.revision != revision or self._exact is not None:
            return
        report = self._forecasting.outlook
        if report is not None:
            self._set(mask)
        if report is not self._about:
            self._follow()  # the slider has moved on

    def _on_error(self, _error: PruneAppError) -> None:
        self._task = None  # the preview says what is wrong with the file

    def _set(self, mask: BitMask | None) -> None:
        if mask is not self._estimated:
            self._estimated = mask
            self.changed.emit()

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
