"""Prune/restore/protect/release buttons.

The buttons and keys for what is done by hand to what is chosen.

The row above a chart of channels: how it is drawn, and what is to be done to some of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from pruneapp.gui.plots.base.plot_view import WrappingRow
from pruneapp.gui.widgets.number_format import count
from pruneapp.results.document_rows import Operation

_APART = 4  # pixels between two buttons
_KEYS: dict[tuple[Qt.Key, bool], Operation] = {
    (Qt.Key.Key_Delete, False): "prune",
    (Qt.Key.Key_R, False): "restore",
    (Qt.Key.Key_P, False): "protect",
    (Qt.Key.Key_P, True): "release",
}


class OperationButtons(QWidget):
    """Prune, Restore, Protect, Unprotect; always there, so that nothing jumps.

    Where there is no room for a button each, one button opens a menu of them.

    Attributes
    ----------
    buttons
        A button for each operation.
    menu_button
        What is there instead where room is short.

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
        row.setSpacing(_APART)
        row.addStretch(1)
        self.menu_button = QToolButton()
        self.menu_button.setText(self.tr("Edit"))
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.menu_button.setToolTip(self.tr("Prune, restore, protect or unprotect the selection"))
        self.menu_button.setMenu(QMenu(self.menu_button))
        # Room for the arrow, which the style draws over the end of the word.
        self.menu_button.setMinimumWidth(self.menu_button.sizeHint().width() + 8)
        self.menu_button.hide()
        row.addWidget(self.menu_button)
        self.buttons: dict[Operation, QToolButton] = {}
        self._actions: dict[Operation, QAction] = {}
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
            # Behind a tab stands the key as in other menus; it is the picture that listens to it.
            action = self.menu_button.menu().addAction(f"{text}\t{key}")
            action.setProperty("operation", operation)
            action.triggered.connect(self._on_clicked)
            self._actions[operation] = action
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


def operation_of(event: QKeyEvent) -> Operation | None:
    """Return what a key asks for; None if nothing."""
    shift = Qt.KeyboardModifier.ShiftModifier
    if event.modifiers() & ~(shift | Qt.KeyboardModifier.KeypadModifier):
        return None
    return _KEYS.get((Qt.Key(event.key()), bool(event.modifiers() & shift)))


class HandRow(QWidget):
    """The controls of the chart; the operations to the right, in one menu where room is short.

    Attributes
    ----------
    words
        How many channels are chosen, or how they are; empty where nothing may be done to them.

    Signals
    -------
    operated(str)
        What the person wants done (`Operation`).
    """

    operated = Signal(str)

    def __init__(self, controls: Sequence[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ""
        self.operations = OperationButtons()
        self.operations.operated.connect(self.operated)
        choosing = QWidget()
        left = QHBoxLayout(choosing)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(8)
        for control in controls:
            left.addWidget(control)
        left.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(WrappingRow(choosing, self.operations))
        self.set_chosen(0, possible=False)

    def set_chosen(self, number: int, *, possible: bool) -> None:
        """Take how many are chosen, and whether anything may be done to them."""
        chosen = ""
        if number == 1:
            chosen = self.tr("1 channel selected")
        elif number:
            chosen = self.tr("{n} channels selected").format(n=count(number))
        self.words = chosen or (self.tr("click or drag to choose channels") if possible else "")
        self.operations.set_chosen(chosen if possible else "")
