"""Boxes and sliders that leave the wheel to whatever scrolls, until they have the focus.

Qt's own take the wheel wherever the pointer happens to be, so that scrolling a form changes the
values that come under it, unseen.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QSlider, QSpinBox, QWidget


class ComboBox(QComboBox):
    """A box to choose from whose choice a wheel changes only with the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # else the wheel brings the focus

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the choice, or let it scroll what this lies in."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class SpinBox(QSpinBox):
    """A box for a whole number that a wheel changes only with the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the number, or let it scroll what this lies in."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Slider(QSlider):
    """A slider, lying or standing, that a wheel moves only with the focus."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Move it, or let it scroll what this lies in."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
