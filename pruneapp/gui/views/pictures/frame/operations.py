"""The buttons and keys for what is done by hand to what is chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from pruneapp.answers import Operation

_KEYS: dict[tuple[Qt.Key, bool], Operation] = {
    (Qt.Key.Key_Delete, False): "prune",
    (Qt.Key.Key_R, False): "restore",
    (Qt.Key.Key_P, False): "protect",
    (Qt.Key.Key_P, True): "release",
}


class OperationButtons(QWidget):
    """Prune, Restore, Protect, Release; always there, so that nothing jumps.

    Signals
    -------
    operated(str)
        What the person wants done (`Operation`).
    """

    operated = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        self.buttons: dict[Operation, QToolButton] = {}
        self._tips: dict[Operation, tuple[str, str]] = {}
        operations: tuple[tuple[Operation, str, str, str], ...] = (
            ("prune", self.tr("Prune"), self.tr("Prune the selection"), self.tr("Del")),
            ("restore", self.tr("Restore"), self.tr("Restore the selection"), "R"),
            (
                "protect",
                self.tr("Protect"),
                self.tr("Exclude the selection from all later pruning steps"),
                "P",
            ),
            (
                "release",
                self.tr("Unprotect"),
                self.tr("Allow later steps to prune the selection again"),
                self.tr("Shift+P"),
            ),
        )
        for operation, text, tip, key in operations:
            button = QToolButton()
            button.setText(text)
            button.setMinimumWidth(button.sizeHint().width())  # a part of a word says nothing
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setProperty("operation", operation)
            button.clicked.connect(self._on_clicked)
            self.buttons[operation] = button
            self._tips[operation] = tip, key
            row.addWidget(button)
        self.set_chosen("")

    def set_chosen(self, words: str, why_not: str = "") -> None:
        """Say what is chosen, and why nothing may be done to it.

        Parameters
        ----------
        words
            What is chosen; empty for nothing.
        why_not
            Why it stays as it is; empty if it need not.
        """
        for operation, button in self.buttons.items():
            tip, key = self._tips[operation]
            whole = f"{tip} ({key}): {words}" if words else f"{tip} ({key})"
            button.setEnabled(bool(words) and not why_not)
            button.setToolTip(why_not or whole)
            button.setAccessibleDescription(why_not or whole)

    def _on_clicked(self) -> None:
        self.operated.emit(self.sender().property("operation"))


def operation_of(event: QKeyEvent) -> Operation | None:
    """Return what a key asks for; None if nothing."""
    shift = Qt.KeyboardModifier.ShiftModifier
    if event.modifiers() & ~(shift | Qt.KeyboardModifier.KeypadModifier):
        return None
    return _KEYS.get((Qt.Key(event.key()), bool(event.modifiers() & shift)))
