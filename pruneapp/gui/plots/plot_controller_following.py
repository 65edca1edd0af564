"""What would go of the tensor in focus: by an estimate while the form changes, then exactly."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from pruneapp.gui.preview.preview_state import PreviewState
from pruneapp.masks.bitmask import BitMask

# A picture that follows a slider is told so seldom: each time some million weights are read.
EVERY_MS = 100


class FocusPreview(QObject):
    """Keeps what would go of one tensor: a threshold at first, then the mask of the preview.

    The first estimate is told at once, those that follow a few times a second.

    Parameters
    ----------
    outlook
        What would happen, by estimates and previews.

    Signals
    -------
    changed()
        `going` is another one, by an estimate; `outlook` tells of previews.
    """

    changed = Signal()

    def __init__(self, outlook: PreviewState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._outlook = outlook
        self._name: str | None = None
        self._wanted = True
        self._threshold: float | None = None
        self._before: BitMask | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(EVERY_MS)
        self._rest.timeout.connect(self._follow)
        self.exact: BitMask | None = None
        outlook.changed.connect(self._on_preview)
        outlook.foreseen.connect(self._on_foreseen)

    @property
    def going(self) -> BitMask | float | None:
        """What would go of the tensor, as `tile` takes it; None for nothing, or if unknown."""
        if self.exact is not None:
            return self.exact
        return self._before if self._threshold is None else self._threshold

    def look_at(self, name: str | None) -> None:
        """Follow another tensor, or none."""
        self._name = name
        self._before, self.exact = None, self._of_preview()
        self._threshold = self._of_estimate()

    def set_wanted(self, *, wanted: bool) -> None:
        """Follow estimates, or leave it: nobody looks at what would go."""
        self._wanted = wanted
        self._follow()

    def _of_preview(self) -> BitMask | None:
        preview = self._outlook.shown
        if preview is None or self._name is None:
            return None
        return preview.masks.get(self._name)

    def _of_estimate(self) -> float | None:
        report = self._outlook.report
        if self._outlook.preview is not None or report is None or self._name is None:
            return None
        tensor = report.by_name.get(self._name)
        return None if tensor is None else tensor.threshold

    def _on_preview(self) -> None:
        before, self.exact = self.exact, self._of_preview()
        self._threshold = None
        # While the form changes what was to be seen stays until the estimate is there: no flicker.
        stays = self._outlook.shown is None and self._outlook.report is not None
        self._before = before if stays else None

    def _on_foreseen(self) -> None:
        # What is not to come any more must not stay for a moment.
        if self._outlook.report is None or not self._rest.isActive():
            self._follow()

    def _follow(self) -> None:
        if self._outlook.preview is not None:
            return
        threshold = self._of_estimate() if self._wanted else None
        if threshold != self._threshold or self._before is not None:
            self._threshold, self._before = threshold, None
            self._rest.start()
            self.changed.emit()
