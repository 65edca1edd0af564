"""The one main button: it says what it will do, with its number."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from pruneapp.gui.widgets import number_format


class PruneAction(QWidget):
    """The button that does it.

    After a step, while nobody asked for the next one, it looks like any other button.

    Attributes
    ----------
    button
        The one that is there now: the main action, or the quiet one.

    Signals
    -------
    pruneRequested
        The person wants the step to be done.
    """

    pruneRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._main = self._button()
        self._main.setObjectName("mainAction")
        self._main.setAccessibleDescription(
            self.tr("Applies the step shown in the preview. You can undo it.")
        )
        self._quiet = self._button()
        self._quiet.setAccessibleDescription(
            self.tr("Prunes the remaining weights with these settings. You can undo it.")
        )
        self._quiet.hide()
        self.button = self._main
        # No layout: another number on the button would lay out the whole window anew, at each
        # move of a slider. It gets more room when it needs more than ever before.
        self._room = QSize()
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.set_count(0)

    def set_count(self, weights: int, channels: int = 0, *, exact: bool = True) -> None:
        """Say what the button would do; with 0 there is nothing to do."""
        self._put(self._main)
        self._say(self._words(weights, channels, exact=exact) or self.tr("Nothing to prune"))
        self.button.setEnabled(bool(weights or channels))

    def set_again(
        self, weights: int, channels: int = 0, *, exact: bool = True, done: bool = False
    ) -> None:
        """Say quietly what the button would do to a state that the person looks at.

        Parameters
        ----------
        weights, channels, exact
            As `set_count`.
        done
            Whether it was the button that led to this state.
        """
        self._put(self._quiet)
        words = self._words(weights, channels, exact=exact)
        if words and done:
            words = self._words_again(weights, channels, exact=exact)
        self._say(words or self.tr("Nothing more to prune"))
        self.button.setEnabled(bool(weights or channels))

    def set_unknown(self, *, done: bool) -> None:
        """Say nothing of how much: it is not counted yet."""
        self._put(self._quiet)
        self._say(self.tr("Prune again") if done else self.tr("Prune"))
        self.button.setEnabled(True)

    def set_waiting(self) -> None:
        """Say what to do so that there is a step."""
        self._put(self._quiet)
        self._say(self.tr("Change a setting to preview a step"))
        self.button.setEnabled(False)

    def _button(self) -> QPushButton:
        button = QPushButton(self)
        button.setMinimumHeight(36)
        button.setToolTip(self.tr("Prune (Ctrl+Return)"))
        button.clicked.connect(self.pruneRequested)
        return button

    def _put(self, button: QPushButton) -> None:
        """Let a button take the place of the other, and its focus."""
        if button is self.button:
            return
        focused = self.button.hasFocus()
        other, self.button = self.button, button
        button.setText(other.text())
        button.setEnabled(True)
        button.setGeometry(self.rect())
        button.show()
        if focused:
            button.setFocus()
        other.hide()

    def _say(self, text: str) -> None:
        self.button.setText(text)
        self._make_room()

    def _words_again(self, weights: int, channels: int, *, exact: bool) -> str:
        if channels == 1:
            return self.tr("Prune again: 1 channel")
        if channels:
            return self.tr("Prune again: {n} channels").format(n=number_format.count(channels))
        if weights == 1:
            return self.tr("Prune again: 1 weight")
        if exact:
            return self.tr("Prune again: {n} weights").format(n=number_format.count(weights))
        return self.tr("Prune again: up to {n} weights").format(n=number_format.count(weights))

    def _words(self, weights: int, channels: int, *, exact: bool) -> str:
        if channels == 1:
            return self.tr("Prune 1 channel")
        if channels:
            return self.tr("Prune {n} channels").format(n=number_format.count(channels))
        if not weights:
            return ""
        if weights == 1:
            return self.tr("Prune 1 weight")
        if exact:
            return self.tr("Prune {n} weights").format(n=number_format.count(weights))
        return self.tr("Prune up to {n} weights").format(n=number_format.count(weights))

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
