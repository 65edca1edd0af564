"""An axis that names the bars, as long as there is a line for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from pruneapp.gui.views.pictures.chart.axis import PlaceAxis

# With more bars than this there is no line for each, even in a wide window.
MOST = 40
HEIGHT = 128
_NEAR = 6


class NamesAxis(PlaceAxis):
    """Names below bars, written upwards; numbers where there are too many bars for that.

    Whether there are names depends on the number of bars alone, so that nothing jumps while one
    zooms. Where lines would touch, every other name is left out.
    """

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()

    def set_names(self, names: Sequence[str]) -> None:
        """Take the name of every bar; the first stands at 1."""
        self._names = tuple(names) if len(names) <= MOST else ()
        self.setStyle(showValues=not self._names)
        self.setHeight(HEIGHT if self._names else None)
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
        step = 1
        while step * scale < line:
            step *= 2
        # Below the names stands what they are.
        room = HEIGHT - _NEAR - 1.5 * line
        for place in range(1, len(self._names) + 1, step):
            if not low <= place <= high:
                continue
            name = metrics.elidedText(self._names[place - 1], Qt.TextElideMode.ElideMiddle, room)
            p.save()
            p.translate(QPointF((place - low) * scale, _NEAR + room))
            p.rotate(-90)
            box = QRectF(0, -line / 2, room, line)
            p.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), name)
            p.restore()
