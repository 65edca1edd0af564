"""Turn the mouse wheel over a widget."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget


def turn_wheel(
    widget: QWidget,
    steps: int = -1,
    at: QPoint | None = None,
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    """Turn the wheel by some notches over a point of a widget, by default its center."""
    at = widget.rect().center() if at is None else at
    under: QWidget | None = widget.childAt(at) or widget
    place = widget.mapToGlobal(at)
    while under is not None:
        event = QWheelEvent(
            QPointF(under.mapFromGlobal(place)),
            QPointF(place),
            QPoint(),
            QPoint(0, 120 * steps),
            Qt.MouseButton.NoButton,
            modifiers,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        event.ignore()
        QApplication.sendEvent(under, event)
        if event.isAccepted() or under.isWindow():
            return
        # Qt propagates ignored events to the parent only if they come from the window system.
        under = under.parentWidget()
