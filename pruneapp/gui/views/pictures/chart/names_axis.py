"""An axis that names the bars, as long as there is a line for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from pruneapp.gui.views.pictures.chart.axis import PlaceAxis

# With more bars than this there is no line for each, even in a wide window.
MOST_NAMED = 40
LONGEST = 176  # pixels of a name; longer ones lose their middle, never the index
_NEAR = 6
_APART = 8


class NamesAxis(PlaceAxis):
    """Names below bars; numbers where there are too many bars for that.

    Whether there are names depends on the number of bars alone, and whether they lie or stand on
    the room that they have as long as all bars can be seen, so that nothing jumps while one zooms.
    Where lines would touch, names are left out.
    """

    # Of the class: pyqtgraph asks for them before there is an object.
    _names: tuple[str, ...] = ()
    _places: tuple[float, ...] = ()
    _bars = 0
    _room = 0.0
    upright = True

    def set_names(
        self, names: Sequence[str], places: Sequence[float] | None = None, bars: int | None = None
    ) -> None:
        """Take the name of every bar, or of groups of them.

        Parameters
        ----------
        names
            In order, as short as they may be.
        places
            Where they stand, rising; at 1, 2, 3 … if None.
        bars
            How many bars there are, as many as names if None; the first one is 1.
        """
        self._names = tuple(names) if len(names) <= MOST_NAMED else ()
        self._places = tuple(range(1, len(names) + 1) if places is None else places)
        self._bars = len(names) if bars is None else bars
        self.setStyle(showValues=not self._names)
        self._lay_out()

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        """Return none where there are names."""
        return [] if self._names else super().tickValues(start, stop, size)

    def resizeEvent(self, event: Any = None) -> None:
        """Lay the names down where there is room for it now."""
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        metrics = QFontMetricsF(self.style["tickFont"] or QFont())
        widths = [min(LONGEST, metrics.horizontalAdvance(name)) for name in self._names]
        self.upright = not self._fit(widths)
        self._room = max(widths, default=0.0) if self.upright else metrics.height()
        # Below the names stands what they are.
        high = _NEAR + self._room + 1.75 * metrics.height() if self._names else None
        if high != self.fixedHeight:  # or this would be called without end
            self.setHeight(high)
        self.picture = None
        self.update()

    def _fit(self, widths: Sequence[float]) -> bool:
        """Return whether the names can lie beside each other, all bars in sight."""
        scale = self.size().width() / max(1, self._bars)
        edges = 0.5, *self._places, self._bars + 0.5
        needs = (0.0, *widths, 0.0)
        return all(
            (left + right) / 2 + _APART <= (stop - start) * scale
            for left, right, start, stop in zip(needs, needs[1:], edges, edges[1:], strict=False)
        )

    def drawPicture(self, p: QPainter, axis: Any, ticks: Any, texts: Any) -> None:
        """Draw the axis, then the names."""
        super().drawPicture(p, axis, ticks, texts)
        low, high = self.range
        if not self._names or high <= low:
            return
        font = self.style["tickFont"] or QFont()
        p.setFont(font)
        p.setPen(self.textPen())
        line = QFontMetricsF(font).height()
        scale = self.size().width() / (high - low)
        # While one moves, the same names are left out.
        last = -float("inf")
        for name, place in zip(self._names, self._places, strict=True):
            if self.upright and (place - last) * scale < line:
                continue
            last = place
            if low <= place <= high:
                self._draw_name(p, name, (place - low) * scale)

    def _draw_name(self, p: QPainter, name: str, x: float) -> None:
        metrics = QFontMetricsF(p.font())
        line = metrics.height()
        if not self.upright:
            name = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, LONGEST)
            wide = LONGEST + _APART
            box = QRectF(x - wide / 2, _NEAR, wide, line)
            p.drawText(box, int(Qt.AlignmentFlag.AlignCenter), name)
            return
        room = self._room + 1
        name = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room)
        p.save()
        p.translate(QPointF(x, _NEAR + room))
        p.rotate(-90)
        box = QRectF(0, -line / 2, room, line)
        p.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), name)
        p.restore()
