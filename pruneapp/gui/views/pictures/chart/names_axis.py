"""An axis that names the bars, as long as there is a line for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from pruneapp.gui.views.pictures.chart.axis import PlaceAxis

# With more bars than this there is no line for each, even in a wide window.
MOST_NAMED = 40
LONGEST = 112  # pixels of a name; longer ones lose their beginning
_NEAR = 6


class NamesAxis(PlaceAxis):
    """Names below bars, written upwards; numbers where there are too many bars for that.

    Whether there are names depends on the number of bars alone, so that nothing jumps while one
    zooms. Where lines would touch, names are left out.
    """

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()
        self._places: tuple[float, ...] = ()
        self._room = 0.0

    def set_names(self, names: Sequence[str], places: Sequence[float] | None = None) -> None:
        """Take the name of every bar, or of groups of them.

        Parameters
        ----------
        names
            In order; what all of them begin or end with is left out.
        places
            Where they stand, rising; at 1, 2, 3 … if None.
        """
        self._names = apart(names) if len(names) <= MOST_NAMED else ()
        self._places = tuple(range(1, len(names) + 1) if places is None else places)
        self.setStyle(showValues=not self._names, tickLength=0 if self._names else 4)
        metrics = QFontMetricsF(self.style["tickFont"] or QFont())
        self._room = min(
            LONGEST, max((metrics.horizontalAdvance(n) for n in self._names), default=0)
        )
        # Below the names stands what they are.
        self.setHeight(_NEAR + self._room + 1.75 * metrics.height() if self._names else None)
        self.picture = None
        self.update()

    def drawPicture(
        self,
        p: QPainter,
        axisSpec: Any,  # noqa: N803 - as pyqtgraph names them
        tickSpecs: Any,  # noqa: N803 - as above
        textSpecs: Any,  # noqa: N803 - as above
    ) -> None:
        """Draw the axis, then the names."""
        super().drawPicture(p, axisSpec, tickSpecs, textSpecs)
        low, high = self.range
        if not self._names or high <= low:
            return
        font = self.style["tickFont"] or QFont()
        p.setFont(font)
        p.setPen(self.textPen())
        metrics = QFontMetricsF(font)
        line = metrics.height()
        scale = self.size().width() / (high - low)
        room = self._room + 1
        # While one moves, the same names are left out.
        last = -float("inf")
        for text, place in zip(self._names, self._places, strict=True):
            if (place - last) * scale < line:
                continue
            last = place
            if not low <= place <= high:
                continue
            name = metrics.elidedText(text, Qt.TextElideMode.ElideLeft, room)
            p.save()
            p.translate(QPointF((place - low) * scale, _NEAR + room))
            p.rotate(-90)
            box = QRectF(0, -line / 2, room, line)
            p.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), name)
            p.restore()


def apart(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without the words between dots with which all of them begin or end.

    Something is always left of a name.
    """
    words = [name.split(".") for name in names]
    if len(words) < 2:
        return tuple(names)
    spare = min(len(each) for each in words) - 1
    start = stop = 0
    while start < spare and len({each[start] for each in words}) == 1:
        start += 1
    while stop < spare - start and len({each[-1 - stop] for each in words}) == 1:
        stop += 1
    return tuple(".".join(each[start : len(each) - stop]) for each in words)
