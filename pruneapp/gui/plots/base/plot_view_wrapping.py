"""Two widgets side by side, or below each other where there is no room for both."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

_GAP = 8


class WrappingRow(QWidget):
    """The first at the left, the second takes the rest of the line or a line of its own.

    Parameters
    ----------
    first, second
        The two.
    grows
        Whether it is the first that takes the rest, and a line of its own.

    Whether it wraps depends on the width and on what both need at least, not on what they show at
    the moment: a stack of controls needs what the widest of its pages needs, so that nothing jumps
    from page to page.
    """

    def __init__(
        self,
        first: QWidget,
        second: QWidget,
        *,
        grows: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._first, self._second, self._grows = first, second, grows
        for widget in (first, second):
            widget.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def wraps(self, width: int) -> bool:
        """Whether both need a line each."""
        return self._first_width() + _GAP + self._second_width() > width

    def hasHeightForWidth(self) -> bool:
        """Be higher where it is narrow."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of one line, or of two."""
        first, second = self._heights()
        return first + 4 + second if self.wraps(width) else max(first, second)

    def sizeHint(self) -> QSize:
        """Ask for one line."""
        width = self._first.sizeHint().width() + _GAP + self._second.sizeHint().width()
        return QSize(width, max(self._heights()))

    def minimumSizeHint(self) -> QSize:
        """Be content with two lines."""
        width = max(self._first.minimumSizeHint().width(), self._second_width())
        return QSize(width, max(self._heights()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place both."""
        super().resizeEvent(event)
        self._place()

    def event(self, event: QEvent) -> bool:
        """Place both anew when one of them wants another size."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._place()
        return super().event(event)

    def _first_width(self) -> int:
        hint = self._first.minimumSizeHint() if self._grows else self._first.sizeHint()
        return hint.width()

    def _second_width(self) -> int:
        return self._second.minimumSizeHint().width()

    def _heights(self) -> tuple[int, int]:
        return self._first.sizeHint().height(), self._second.sizeHint().height()

    def _place(self) -> None:
        width, (first, second) = self.width(), self._heights()
        if self.wraps(width):
            left = width if self._grows else min(width, self._first_width())
            self._first.setGeometry(0, 0, left, first)
            self._second.setGeometry(0, first + 4, width, second)
        else:
            high, left = max(first, second), self._first_width()
            if self._grows:
                left = width - _GAP - self._second_width()
            self._first.setGeometry(0, high - first, left, first)
            self._second.setGeometry(left + _GAP, (high - second) // 2, width - left - _GAP, second)
