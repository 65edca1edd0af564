"""Buttons and keys for what is done by hand to what is selected in a plot."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolButton, QWidget

from pruneapp.gui.widgets.controls import follow_font, lay_in_row
from pruneapp.gui.widgets.labels import labeled
from pruneapp.results.document_rows import Operation

_APART = 4  # pixels between two buttons
_KEYS: dict[int, Operation] = {
    Qt.Key.Key_Delete: "prune",
    Qt.Key.Key_Backspace: "prune",
    Qt.Key.Key_Insert: "restore",
    Qt.Key.Key_R: "restore",
    Qt.Key.Key_P: "protect",
}


def operation_of(event: QKeyEvent) -> Operation | None:
    """Return what a key wants done to the selection; None if nothing."""
    shift = Qt.KeyboardModifier.ShiftModifier
    if event.modifiers() & ~(shift | Qt.KeyboardModifier.KeypadModifier):
        return None
    if event.key() == Qt.Key.Key_P and event.modifiers() & shift:
        return "release"
    return _KEYS.get(event.key())


class OperationButtons(QWidget):
    """Prune, Restore, Protect, Unprotect; always there, so that nothing jumps.

    Where there is no room for a button each, `menu_button` opens a menu of them.
    """

    operated = Signal(str)  # what the person wants done (`Operation`)

    def __init__(self) -> None:
        super().__init__()
        row = lay_in_row(self, None, spacing=_APART)
        self.menu_button = QToolButton()
        self.menu_button.setText(self.tr("Edit"))
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.menu_button.setToolTip(self.tr("Prune, restore, protect or unprotect the selection"))
        self.menu_button.setMenu(QMenu(self.menu_button))
        # Room for the arrow, which the style draws over the end of the word.
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
            # A part of a word says nothing.
            follow_font(button, lambda one: one.setMinimumWidth(one.sizeHint().width()))
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            row.addWidget(button)
            # Behind a tab stands the key as in other menus; it is the picture that listens to it.
            action = self.menu_button.menu().addAction(f"{text}\t{key}")
            for control, chosen in ((button, button.clicked), (action, action.triggered)):
                control.setProperty("operation", operation)
                chosen.connect(self._on_clicked)
            self.buttons[operation], self._actions[operation] = button, action
            self._tips[operation] = f"{tip} ({key})"
        self.set_chosen("")

    def set_chosen(self, words: str, why_not: str = "") -> None:
        """Say what is selected, empty for nothing, and why nothing may be done to it."""
        for operation, button in self.buttons.items():
            tip = self._tips[operation]
            whole = labeled(tip, words) if words else tip
            button.setEnabled(bool(words) and not why_not)
            self._actions[operation].setEnabled(button.isEnabled())
            button.setToolTip(why_not or whole)
            button.setAccessibleDescription(why_not or whole)

    def sizeHint(self) -> QSize:
        """Ask for a button each."""
        hints = [button.sizeHint() for button in self.buttons.values()]
        width = sum(hint.width() for hint in hints) + _APART * (len(hints) - 1)
        return QSize(width, max(hint.height() for hint in hints))

    def minimumSizeHint(self) -> QSize:
        """Be content with one button for all."""
        return self.menu_button.sizeHint().expandedTo(self.menu_button.minimumSize())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many buttons as there is room for: all, or one for all."""
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
