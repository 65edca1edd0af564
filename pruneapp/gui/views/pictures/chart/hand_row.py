"""The buttons for what is done by hand to what is chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from pruneapp.answers import Operation

_KEYS: dict[tuple[Qt.Key, bool], Operation] = {
    (Qt.Key.Key_Delete, False): "prune",
    (Qt.Key.Key_R, False): "restore",
    (Qt.Key.Key_P, False): "protect",
    (Qt.Key.Key_P, True): "release",
}


class HandRow(QWidget):
    """Prune, Restore, Protect, Release; always there, so that nothing jumps.

    Signals
    -------
    asked(str)
        The person wants this operation.
    """

    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self.prune = self._button(
            self.tr("Prune"), self.tr("Prune the chosen channels (Delete)"), self._on_prune
        )
        self.restore = self._button(
            self.tr("Restore"), self.tr("Keep the chosen channels again (R)"), self._on_restore
        )
        self.protect = self._button(
            self.tr("Protect"),
            self.tr("Keep the chosen channels from every later method (P)"),
            self._on_protect,
        )
        self.release = self._button(
            self.tr("Release"),
            self.tr("Let later methods have the chosen channels again (Shift+P)"),
            self._on_release,
        )
        for button in (self.prune, self.restore, self.protect, self.release):
            row.addWidget(button)
        row.addStretch(1)
        self.set_chosen(0)

    def set_chosen(self, number: int) -> None:
        """Take how many there are."""
        for button in (self.prune, self.restore, self.protect, self.release):
            button.setEnabled(number > 0)

    @staticmethod
    def operation_of(event: QKeyEvent) -> Operation | None:
        """Return what a key asks for; None if nothing."""
        shift = Qt.KeyboardModifier.ShiftModifier
        if event.modifiers() & ~(shift | Qt.KeyboardModifier.KeypadModifier):
            return None
        return _KEYS.get((Qt.Key(event.key()), bool(event.modifiers() & shift)))

    def _button(self, text: str, tip: str, call: object) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.setAutoDefault(False)
        button.clicked.connect(call)
        return button

    def _on_prune(self) -> None:
        self.asked.emit("prune")

    def _on_restore(self) -> None:
        self.asked.emit("restore")

    def _on_protect(self) -> None:
        self.asked.emit("protect")

    def _on_release(self) -> None:
        self.asked.emit("release")
