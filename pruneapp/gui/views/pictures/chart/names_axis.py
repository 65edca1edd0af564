"""An axis that names the bars that lie beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from pruneapp.gui.views.parts.labels import on_lines, within_reason
from pruneapp.gui.views.pictures.frame.plots import Axis

SHARE = 0.52  # of the width of the picture that names take at most
_LINES = 3  # over which a name goes at most, where it has no room in one
MEASURED = 400  # names of which the longest says how much room there is for all
_WRAPPED = 16  # of the longest, by which is known over how many lines names go
_NEAR = 8


class NamesAxis(Axis):
    """Names to the left of bars.

    A name that is too long goes over lines. Where names would touch, some are left out: always the
    same ones while one moves. How much room
    names have depends on the longest and on the width of the window, so that nothing jumps.
    """

    # Of the class: pyqtgraph asks for them before there is an object.
    _many = 0
    _longest = 0.0
    _room = 0.0
    lines = 1
    _long: Sequence[str] = ()
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
        lengths = sorted((metrics.horizontalAdvance(n), n) for n in map(name, range(0, many, step)))
        self._long = [n for _, n in lengths[-_WRAPPED:]]
        self._longest = lengths[-1][0] if lengths else 0.0
        self.lay_out()

    def tickValues(self, *_: float) -> list[tuple[float, list[float]]]:
        """Return none: there are names."""
        return []

    def shown(self) -> list[tuple[str, float]]:
        """Return the names that can be seen, each with its place in pixels from the top."""
        low, high = sorted(self.range)  # the axis goes down
        if not self._many or high <= low:
            return []
        line = QFontMetricsF(self.style["tickFont"] or QFont()).height() * self.lines
        scale = self.size().height() / (high - low)
        step = max(1, math.ceil(line / scale - 1e-6))
        start, stop = max(0, math.ceil(low - 1)), min(self._many, math.floor(high))
        start += -start % step  # while one moves, the same ones are left out
        return [(self._name(at), (at + 1 - low) * scale) for at in range(start, stop, step)]

    def resizeEvent(self, event: Any = None) -> None:
        """Give names the room that there is now."""
        super().resizeEvent(event)
        self.lay_out()

    def view_width(self) -> int | None:
        """Return the width of the picture; None while it is in none."""
        views = self.scene().views() if self.scene() else ()
        return views[0].width() if views else None

    def lay_out(self) -> None:
        """Give names the room that there is in the window."""
        width = self.view_width()
        most = self._longest if width is None else SHARE * width
        self._room = min(self._longest + 1, max(most, 40.0))
        advance = QFontMetricsF(self.style["tickFont"] or QFont()).horizontalAdvance
        lines = (len(on_lines(within_reason(n), self._room, advance)) for n in self._long)
        self.lines = min(_LINES, max(lines, default=1)) if self._longest > self._room else 1
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
            lines = self.painted(name)
            high = line * len(lines)
            box = QRectF(right - self._room - 1, y - high / 2, self._room + 1, high)
            p.drawText(box, place, "\n".join(lines))

    def painted(self, name: str) -> list[str]:
        """Return the lines of a name as they are painted."""
        metrics = QFontMetricsF(self.style["tickFont"] or QFont())
        lines = on_lines(within_reason(name), self._room, metrics.horizontalAdvance)
        if len(lines) <= self.lines:
            return lines
        return [metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, self._room)]
