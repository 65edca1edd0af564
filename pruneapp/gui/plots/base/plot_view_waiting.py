"""When a picture says that an answer is on its way, and how long the old one stays."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QStackedWidget

from pruneapp.gui.widgets.labels import recolor

BUSY_AFTER_MS = 200


class BusyIndicator(QObject):
    """Says in the corner of a stack that it is being updated, if that takes long.

    Attributes
    ----------
    busy
        Whether an answer is on its way.
    note
        What it says in the corner.

    Signals
    -------
    due
        It takes so long now that one should see it.
    """

    due = Signal()

    def __init__(self, stack: QStackedWidget) -> None:
        super().__init__(stack)
        self.busy = False
        self._stack = stack
        self.note = QLabel(self.tr("Updating…"), stack)
        self.note.setAutoFillBackground(True)
        self.note.setBackgroundRole(QPalette.ColorRole.Base)
        self.note.setMargin(4)
        self.note.hide()
        # A busy state that comes at once flickers.
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(BUSY_AFTER_MS)
        self._patience.timeout.connect(self.due)
        # What was there stays on the screen until its successor is painted, if that is soon.
        self._held = QTimer(self)
        self._held.setSingleShot(True)
        self._held.setInterval(BUSY_AFTER_MS)
        self._held.timeout.connect(self.release)

    @property
    def is_long(self) -> bool:
        """Whether it is busy for longer than goes unnoticed."""
        return self.busy and not self._patience.isActive()

    def start(self) -> None:
        """Begin to count how long it takes, if that is not done already."""
        if not self._patience.isActive():
            self._patience.start()

    def stop(self) -> None:
        """Count no longer: whatever is there is shown at once."""
        self._patience.stop()

    def hold(self) -> None:
        """Leave what the stack shows on the screen for a moment, because a new one is coming."""
        self._stack.setUpdatesEnabled(False)
        self._held.start()

    def release(self) -> None:
        """Paint what the stack shows."""
        self._held.stop()
        if not self._stack.updatesEnabled():
            self._stack.setUpdatesEnabled(True)

    def show_note(self, *, shown: bool) -> None:
        """Say over the picture that there will be another, or say nothing."""
        self.note.setVisible(shown)
        self.note.adjustSize()
        self.note.move(self._stack.width() - self.note.width() - 4, 4)
        self.note.raise_()

    def recolor(self, color: str) -> None:
        """Write in another colour."""
        recolor(self.note, color)
