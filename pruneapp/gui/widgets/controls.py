"""Boxes and sliders that leave the wheel to whatever scrolls, until they have the focus.

Qt's own take the wheel wherever the pointer happens to be, so that scrolling a form changes the
values that come under it, unseen.
"""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QEvent, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QSlider, QSpinBox, QWidget

_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)
_MOST = 2**31 - 1  # what Qt's boxes can hold


class ComboBox(QComboBox):
    """A box to choose from whose choice a wheel changes only with the focus.

    What is typed chooses by the beginnings of the items. A key with which none of them begins is
    left to the shortcuts of the window. Where text can be entered, every key is text.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # else the wheel brings the focus
        self._typed = ""
        self._since = QElapsedTimer()

    def event(self, event: QEvent) -> bool:
        """Take what is typed to choose by it, before the window's keys of one letter do."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not self.isEditable()
            and event.text().isprintable()
            and event.text()
            and not event.modifiers() & _COMMANDS
        ):
            event.setAccepted(self._chooses(event.text()))
            return True
        return super().event(event)

    def _chooses(self, text: str) -> bool:
        """Whether what is typed means something here: a space opens the list."""
        # As in Qt's search: what follows at once goes on with what was typed before.
        goes_on = self._since.isValid() and self._since.elapsed() < (
            QApplication.keyboardInputInterval()
        )
        self._since.start()
        typed = self._typed + text if goes_on else text
        found = any(
            self.itemText(place).casefold().startswith(typed.casefold())
            for place in range(self.count())
        )
        self._typed = typed if found else ""
        return found or text == " "

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the choice, or let it scroll what this lies in."""
        if _takes_wheel(self, event):
            super().wheelEvent(event)


class SpinBox(QSpinBox):
    """A box for a whole number that a wheel changes only with the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._steps = self.minimum(), self.maximum()

    def set_steps(self, low: int, high: int) -> None:
        """Let steps stay within bounds; what is typed beyond them can be said to be wrong."""
        self._steps = low, high
        self.setRange(-_MOST, _MOST)

    def stepBy(self, steps: int) -> None:
        """Go some steps up or down, not over the bounds."""
        low, high = self._steps
        self.setValue(min(max(self.value() + steps * self.singleStep(), low), high))
        self.selectAll()

    def stepEnabled(self) -> QSpinBox.StepEnabledFlag:
        """Say which way is open."""
        low, high = self._steps
        open_ = QSpinBox.StepEnabledFlag.StepNone
        if self.value() < high:
            open_ |= QSpinBox.StepEnabledFlag.StepUpEnabled
        if self.value() > low:
            open_ |= QSpinBox.StepEnabledFlag.StepDownEnabled
        return open_

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the number, or let it scroll what this lies in."""
        if _takes_wheel(self, event):
            super().wheelEvent(event)


class Slider(QSlider):
    """A slider, lying or standing, that a wheel moves only with the focus."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Move it, or let it scroll what this lies in."""
        if _takes_wheel(self, event):
            super().wheelEvent(event)


def _takes_wheel(control: QWidget, event: QWheelEvent) -> bool:
    """Whether a wheel is for a control; otherwise the event is left to what it lies in."""
    event.setAccepted(control.hasFocus())
    return control.hasFocus()
