"""Turning the wheel over a widget, as a person does who wants to scroll."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget


def turn_wheel(widget: QWidget, steps: int = -1, at: QPoint | None = None) -> None:
    """Turn it by some notches over what lies at a place of a widget, by default its middle."""
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
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        event.ignore()
        QApplication.sendEvent(under, event)
        if event.isAccepted() or under.isWindow():
            return
        # Qt hands on what is ignored, but of events that come from the system alone.
        under = under.parentWidget()
