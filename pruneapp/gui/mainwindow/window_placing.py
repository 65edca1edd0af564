"""Where a window may stand: inside its screen, frame and all, on the first start as later."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, Qt
from PySide6.QtWidgets import QWidget

# What a frame takes before there is one to be measured: a title bar and three borders.
FRAME = QMargins(4, 36, 4, 4)


def fit_into_screen(window: QWidget) -> None:
    """Make a window smaller, and move it, where it would not lie in what its screen has free.

    Status bar, progress and Cancel are at the bottom: what lies off the screen cannot be clicked.
    A window that fills its screen is left to the system.
    """
    if window.isMaximized() or window.isFullScreen():
        return
    inside, frame = window.geometry(), _frame(window)
    room = available(window).marginsRemoved(frame)
    # A window that has no place yet is given one by the system, which knows better.
    placed = window.isVisible() or window.testAttribute(Qt.WidgetAttribute.WA_Moved)
    size = inside.size().boundedTo(room.size()).expandedTo(window.minimumSize())
    if size != inside.size():
        window.resize(size)
    fitted = QRect(inside.topLeft(), size)
    # The top left corner wins: the title bar is what a window is moved by.
    fitted.moveRight(min(fitted.right(), room.right()))
    fitted.moveBottom(min(fitted.bottom(), room.bottom()))
    fitted.moveTopLeft(QPoint(max(fitted.left(), room.left()), max(fitted.top(), room.top())))
    if placed and fitted.topLeft() != inside.topLeft():
        window.setGeometry(fitted)


def available(window: QWidget, /) -> QRect:
    """Return what the screen of a window has free, without panels."""
    return window.screen().availableGeometry()


def _frame(window: QWidget) -> QMargins:
    handle = window.windowHandle()
    measured = QMargins() if handle is None else handle.frameMargins()
    return FRAME if measured.isNull() else measured
