"""An axis that names the bars that lie beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from pruneapp.gui.plots.base.plot_canvas import PlotAxis
from pruneapp.gui.widgets.labels import on_lines, within_reason
from pruneapp.results.short_names import ShortNames

SHARE = 0.52  # of the width of the picture that names take at most
_LINES = 3  # over which a name goes at most, where it has no room in one
MEASURED = 400  # names of which the longest says how much room there is for all
_WRAPPED = 16  # of the longest, by which is known over how many lines names go
_NEAR = 8


class NamesAxis(PlotAxis):
    """Names to the left of bars.

    Names stand in the longest of their forms that there is room for: the same parts are left out
    of all, so that they stay comparable. One whose shortest form is too long goes over lines. Where
    names would touch, some are left out: always the same ones while one moves. How much room names
    have depends on the longest and on the width of the window, so that nothing jumps.
    """

    # Of the class: pyqtgraph asks for them before there is an object.
    _many = 0
    _widths: Sequence[Sequence[float]] = ()  # in pixels, of all forms of a name
    _room = 0.0
    _level = 0  # how much is left out: which of the forms of a name is shown
    lines = 1
    _long: Sequence[str] = ()
    _short = ShortNames()
    _name: Callable[[int], str] = staticmethod(str)

    def __init__(self) -> None:
        super().__init__("left")
        self.setStyle(showValues=False)

    def set_names(
        self, name: Callable[[int], str], many: int, short: ShortNames | None = None
    ) -> None:
        """Take the name of every bar; the first one stands at 1.

        Parameters
        ----------
        name
            Returns the name of a number from 0.
        many
            How many there are.
        short
            The shorter forms of the names; without, they have none.
        """
        self._name, self._many = name, many
        self._short = ShortNames() if short is None else short
        advance = self._metrics().horizontalAdvance
        step = max(1, many // MEASURED)
        names = [within_reason(name(at)) for at in range(0, many, step)]
        self._widths = [[advance(form) for form in self._short.forms(n)] for n in names]
        shortest = sorted(zip((widths[-1] for widths in self._widths), names, strict=True))
        self._long = [n for _, n in shortest[-_WRAPPED:]]
        self.lay_out()

    def tickValues(self, *_: float) -> list[tuple[float, list[float]]]:
        """Return none: there are names."""
        return []

    def shown(self) -> list[tuple[str, float]]:
        """Return the names that can be seen, each with its place in pixels from the top."""
        low, high = sorted(self.range)  # the axis goes down
        if not self._many or high <= low:
            return []
        line = self._metrics().height() * self.lines
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
        longest = max((widths[0] for widths in self._widths), default=0.0) + 1
        most = longest if width is None else max(SHARE * width, 40.0)
        one_line = [widths for widths in self._widths if widths[-1] < most]
        levels = range(max(map(len, one_line), default=1))
        at_levels = [max((_at(widths, n) for widths in one_line), default=0.0) for n in levels]
        self._level = next(n for n in levels if at_levels[n] < most)
        wraps = len(one_line) < len(self._widths)
        self._room = most if wraps else at_levels[self._level] + 1
        lines = (len(self._on_lines(name)) for name in self._long)
        self.lines = min(_LINES, max(lines, default=1)) if wraps else 1
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
        lines = self._on_lines(name)
        if len(lines) <= self.lines:
            return lines
        shortest = self._short[within_reason(name)]
        middle = Qt.TextElideMode.ElideMiddle
        return [self._metrics().elidedText(shortest, middle, self._room)]

    def _on_lines(self, name: str) -> list[str]:
        advance = self._metrics().horizontalAdvance
        forms = self._short.forms(within_reason(name))
        shorter = forms[min(self._level, len(forms) - 1) :]
        form = next((form for form in shorter if advance(form) <= self._room), forms[-1])
        return on_lines(form, self._room, advance)

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(self.style["tickFont"] or QFont())


def _at(widths: Sequence[float], level: int) -> float:
    return widths[min(level, len(widths) - 1)]
