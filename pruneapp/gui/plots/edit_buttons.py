"""Buttons and keys to prune, restore, protect or unprotect the selection of a plot."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolButton, QWidget

from pruneapp.document.entries import Operation
from pruneapp.gui.widgets.controls import follow_font, lay_in_row
from pruneapp.gui.widgets.labels import with_label

_BUTTON_GAP = 4  # pixels between two buttons
_KEYS: dict[int, Operation] = {
    Qt.Key.Key_Delete: "prune",
    Qt.Key.Key_Backspace: "prune",
    Qt.Key.Key_Insert: "restore",
    Qt.Key.Key_R: "restore",
    Qt.Key.Key_P: "protect",
}


def operation_of(event: QKeyEvent) -> Operation | None:
    """Return the operation of a key in `_KEYS`, or of Shift+P; None for other keys.

    With modifiers other than Shift and the keypad, None as well.
    """
    shift = Qt.KeyboardModifier.ShiftModifier
    if event.modifiers() & ~(shift | Qt.KeyboardModifier.KeypadModifier):
        return None
    if event.key() == Qt.Key.Key_P and event.modifiers() & shift:
        return "release"
    return _KEYS.get(event.key())


class OperationButtons(QWidget):
    """The buttons Prune, Restore, Protect and Unprotect, disabled without a selection.

    If there is too little space, a single button `menu_button` with a menu replaces them.
    """

    operated = Signal(str)  # the user chose this operation (`Operation`)

    def __init__(self) -> None:
        super().__init__()
        row = lay_in_row(self, None, spacing=_BUTTON_GAP)
        self.menu_button = QToolButton()
        self.menu_button.setText(self.tr("Edit"))
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.menu_button.setToolTip(self.tr("Prune, restore, protect or unprotect the selection"))
        self.menu_button.setMenu(QMenu(self.menu_button))
        # The style draws the arrow over the end of the text without extra space.
        follow_font(
            self.menu_button, lambda button: button.setMinimumWidth(button.sizeHint().width() + 8)
        )
        self.menu_button.hide()
        row.addWidget(self.menu_button)
        self.buttons: dict[Operation, QToolButton] = {}
        self._actions: dict[Operation, QAction] = {}
        self._tips: dict[Operation, str] = {}
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
            # An elided text would be unreadable.
            follow_font(button, lambda one: one.setMinimumWidth(one.sizeHint().width()))
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            row.addWidget(button)
            # The text after the tab is displayed like a shortcut; the canvas handles the key.
            action = self.menu_button.menu().addAction(f"{text}\t{key}")
            for control, chosen in ((button, button.clicked), (action, action.triggered)):
                control.setProperty("operation", operation)
                chosen.connect(self._on_clicked)
            self.buttons[operation], self._actions[operation] = button, action
            self._tips[operation] = f"{tip} ({key})"
        self.set_chosen("")

    def set_chosen(self, words: str, reason: str = "") -> None:
        """Update the buttons for a selection.

        Parameters
        ----------
        words
            Description of the selection; "" if nothing is selected.
        reason
            Reason why it cannot be edited; "" if it can.
        """
        for operation, button in self.buttons.items():
            tip = self._tips[operation]
            whole = with_label(tip, words) if words else tip
            button.setEnabled(bool(words) and not reason)
            self._actions[operation].setEnabled(button.isEnabled())
            button.setToolTip(reason or whole)
            button.setAccessibleDescription(reason or whole)

    def sizeHint(self) -> QSize:
        hints = [button.sizeHint() for button in self.buttons.values()]
        width = sum(hint.width() for hint in hints) + _BUTTON_GAP * (len(hints) - 1)
        return QSize(width, max(hint.height() for hint in hints))

    def minimumSizeHint(self) -> QSize:
        return self.menu_button.sizeHint().expandedTo(self.menu_button.minimumSize())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        fits = self.width() >= self.sizeHint().width()
        focused = self.isAncestorOf(QApplication.focusWidget() or self)
        self.menu_button.setVisible(not fits)
        for button in self.buttons.values():
            button.setVisible(fits)
        if focused and not fits:
            self.menu_button.setFocus()

    def _on_clicked(self) -> None:
        self.operated.emit(self.sender().property("operation"))
