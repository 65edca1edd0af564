"""An axis that names the bars that lie beside it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from pruneapp.gui.views.pictures.frame.plots import Axis

SHARE = 0.42  # of the width of the picture that names take at most
MEASURED = 400  # names of which the longest says how much room there is for all
_NEAR = 8


class NamesAxis(Axis):
    """Names to the left of bars.

    Where lines would touch, names are left out: always the same ones while one moves. How much room
    names have depends on the longest and on the width of the window, so that nothing jumps.
    """

    # Of the class: pyqtgraph asks for them before there is an object.
    _many = 0
    _longest = 0.0
    _room = 0.0
    _name: Callable[[int], str] = staticmethod(str)

    def __init__(self) -> None:
        super().__init__("left")
        self.setStyle(showValues=False)

    def set_names(self, name: Callable[[int], str], many: int) -> None:
        """Take the name of every bar; the first one stands at 1.

        Parameters
        ----------
        name
            Returns the name of a number from 0.
        many
            How many there are.
        """
        self._name, self._many = name, many
        metrics = QFontMetricsF(self.style["tickFont"] or QFont())
        step = max(1, many // MEASURED)
        lengths = (metrics.horizontalAdvance(name(at)) for at in range(0, many, step))
        self._longest = max(lengths, default=0.0)
        self.lay_out()

    def tickValues(self, *_: float) -> list[tuple[float, list[float]]]:
        """Return none: there are names."""
        return []

    def shown(self) -> list[tuple[str, float]]:
        """Return the names that can be seen, each with its place in pixels from the top."""
        low, high = sorted(self.range)  # the axis goes down
        if not self._many or high <= low:
            return []
        line = QFontMetricsF(self.style["tickFont"] or QFont()).height()
        scale = self.size().height() / (high - low)
        step = max(1, math.ceil(line / scale - 1e-6))
        start, stop = max(0, math.ceil(low - 1)), min(self._many, math.floor(high))
        start += -start % step  # while one moves, the same ones are left out
        return [(self._name(at), (at + 1 - low) * scale) for at in range(start, stop, step)]

    def resizeEvent(self, event: Any = None) -> None:
        """Give names the room that there is now."""
        super().resizeEvent(event)
        self.lay_out()

    def lay_out(self) -> None:
        """Give names the room that there is in the window."""
        view = self.scene().views()[0] if self.scene() and self.scene().views() else None
        most = SHARE * view.width() if view is not None else self._longest
        self._room = min(self._longest + 1, max(most, 40.0))
        wide = 2 * _NEAR + self._room
        if wide != self.fixedWidth:  # or this would be called without end
            self.setWidth(wide)
        self.picture = None
        self.update()

    def drawPicture(self, p: QPainter, axis: Any, ticks: Any, texts: Any) -> None:
        """Draw the axis, then the names."""
        super().drawPicture(p, axis, ticks, texts)
        font = self.style["tickFont"] or QFont()
        p.setFont(font)
        p.setPen(self.textPen())
        metrics = QFontMetricsF(font)
        line, right = metrics.height(), self.size().width() - _NEAR
        place = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for name, y in self.shown():
            text = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, self._room)
            box = QRectF(right - self._room - 1, y - line / 2, self._room + 1, line)
            p.drawText(box, place, text)
