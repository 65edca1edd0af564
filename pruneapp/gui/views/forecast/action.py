"""The one main button: it says what it will do, with its number."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from pruneapp.gui.views.parts import numbers


class PruneAction(QWidget):
    """The button that does it.

    Signals
    -------
    pruneRequested
        The person wants the step to be done.
    """

    pruneRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = QPushButton(self)
        self.button.setObjectName("mainAction")
        self.button.setMinimumHeight(36)
        self.button.setToolTip(self.tr("Prune (Ctrl+Return)"))
        self.button.setAccessibleDescription(
            self.tr("Prunes what the forecast says; it can be undone.")
        )
        # No layout: another number on the button would lay out the whole window anew, at each
        # move of a slider. It gets more room when it needs more than ever before.
        self._room = QSize()
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.button.clicked.connect(self.pruneRequested)
        self.set_count(0)

    def set_count(self, weights: int, channels: int = 0, *, exact: bool = True) -> None:
        """Say what the button would do; with 0 there is nothing to do."""
        if channels == 1:
            text = self.tr("Prune 1 channel")
        elif channels:
            text = self.tr("Prune {n} channels").format(n=numbers.count(channels))
        elif not weights:
            text = self.tr("Nothing to prune")
        elif weights == 1:
            text = self.tr("Prune 1 weight")
        elif exact:
            text = self.tr("Prune {n} weights").format(n=numbers.count(weights))
        else:
            text = self.tr("Prune up to {n} weights").format(n=numbers.count(weights))
        self.button.setText(text)
        self.button.setEnabled(bool(weights or channels))
        self._make_room()

    def asked(self) -> str:
        """Return the words on the button; empty while there is nothing to do."""
        return self.button.text() if self.button.isEnabled() else ""

    def sizeHint(self) -> QSize:
        """Ask for what the longest text needed until now."""
        return self._room

    def minimumSizeHint(self) -> QSize:
        """Ask for what the longest text needed until now."""
        return self._room

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Give all room to the button."""
        self.button.setGeometry(self.rect())

    def changeEvent(self, event: QEvent) -> None:
        """Ask for the room that another font or style needs."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._room = QSize()
            self._make_room()

    def _make_room(self) -> None:
        room = self._room.expandedTo(self.button.sizeHint())
        room = room.expandedTo(self.button.minimumSize())
        if room != self._room:
            self._room = room
            self.updateGeometry()
