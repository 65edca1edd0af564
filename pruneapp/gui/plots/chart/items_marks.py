"""What is chosen and what is protected, painted over the bars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from pruneapp.gui.plots.base.plot_canvas_place import PlotArea
from pruneapp.gui.plots.chart.items import Floats
from pruneapp.gui.plots.chart.items_selection import runs
from pruneapp.gui.widgets.safe_paint import saved

_LOCK = 12  # pixels across
_NARROW = 5  # pixels below which there is no room for outlines
_WIDE = 12  # pixels from which on outlines are 2 pixels each


@dataclass(frozen=True, eq=False)
class Marks:
    """Marks of bars, in the order in which they stand; the bar at `i` reaches to ``i ± 0.5``.

    Attributes
    ----------
    chosen, guarded
        ``bool[n]``: chosen by the person; protected.
    heights
        ``float64[n]``.
    """

    chosen: NDArray[np.bool_]
    guarded: NDArray[np.bool_]
    heights: Floats


def paint_marks(
    painter: QPainter,
    marks: Marks,
    place: PlotArea,
    visible: tuple[int, int],
    colors: Mapping[str, str],
) -> None:
    """Paint stretches of protected bars with a double outline and a lock, of chosen ones in accent.

    Of bars that are narrower than a pixel, those in the same column are one.
    """
    start, stop = visible
    plot = place.rect
    with saved(painter):
        painter.setClipRect(plot.adjusted(-2, -2, 2, 2))
        next_lock = plot.left()
        for first, last in _stretches(marks.guarded[start:stop], start, stop, plot.width()):
            rect = _rect(place, first, last, float(marks.heights[first:last].max()))
            _paint_outlines(painter, rect)
            middle = rect.center().x()
            if middle - _LOCK / 2 >= next_lock:  # locks over each other are none
                top = max(plot.top() + 2, rect.top() - _LOCK - 6)
                paint_lock(painter, QRectF(middle - _LOCK / 2, top, _LOCK, _LOCK + 2), colors)
                next_lock = middle + _LOCK / 2 + 4
        for first, last in _stretches(marks.chosen[start:stop], start, stop, plot.width()):
            rect = _rect(place, first, last, 0)
            rect.setTop(plot.top() + 1)
            _paint_choice(painter, rect, QColor(colors["accent"]))


def _paint_outlines(painter: QPainter, rect: QRectF) -> None:
    """Paint two outlines, each of which is seen on one of the colours of bars."""
    wide = 2 if rect.width() >= _WIDE else 1
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if rect.width() < _NARROW:
        painter.fillRect(rect.adjusted(-1, -1, 1, 0), QColor("#000000"))
        painter.fillRect(rect, QColor("#ffffff"))
        return
    rect = rect.adjusted(-1, -1, 1, 0)
    painter.setPen(QPen(QColor("#000000"), wide))
    painter.drawRect(rect)
    painter.setPen(QPen(QColor("#ffffff"), wide))
    painter.drawRect(rect.adjusted(wide, wide, -wide, -wide))


def _paint_choice(painter: QPainter, rect: QRectF, accent: QColor) -> None:
    """Paint an outline, and a veil; of what is too narrow for that its ends."""
    veil = QColor(accent)
    veil.setAlpha(48)
    painter.fillRect(rect, veil)
    if rect.width() >= _NARROW:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(accent, 2))
        painter.drawRect(rect)
        return
    for top in (rect.top(), rect.bottom() - 4):
        painter.fillRect(QRectF(rect.left(), top, rect.width(), 4), accent)


def paint_band(painter: QPainter, ends: tuple[float, float], plot: QRectF, accent: QColor) -> None:
    """Paint what a drag spans, from edge to edge of the plot."""
    left, right = (min(max(x, plot.left()), plot.right()) for x in sorted(ends))
    ground = QColor(accent)
    ground.setAlpha(48)
    painter.setPen(QPen(accent, 1, Qt.PenStyle.DashLine))
    painter.setBrush(ground)
    painter.drawRect(QRectF(left, plot.top(), right - left, plot.height()))


def paint_lock(painter: QPainter, rect: QRectF, colors: Mapping[str, str]) -> None:
    """Paint a padlock in the colour of text, upon the ground."""
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors["surface"]))
        painter.drawRoundedRect(rect.adjusted(-2, -2, 2, 2), 3, 3)
        ink = QColor(colors["text"])
        body = QRectF(
            rect.left() + 1, rect.center().y() - 1, rect.width() - 2, rect.height() / 2 + 1
        )
        painter.setBrush(ink)
        painter.drawRoundedRect(body, 1.5, 1.5)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(ink, 1.5))
        wide = rect.width() / 2
        bow = QRectF(rect.center().x() - wide / 2, rect.top() + 0.75, wide, wide * 1.4)
        painter.drawArc(bow, 0, 180 * 16)
        for x in (bow.left(), bow.right()):
            painter.drawLine(QPointF(x, bow.center().y()), QPointF(x, body.top()))


def _rect(place: PlotArea, first: int, last: int, high: float) -> QRectF:
    corner, foot = place.pixel(first - 0.5, high), place.pixel(last - 0.5, 0)
    rect = QRectF(corner, foot)
    if rect.width() < 1:
        rect.setWidth(1)
    return rect


def _stretches(
    marked: NDArray[np.bool_], start: int, stop: int, width: float
) -> list[tuple[int, int]]:
    """Return stretches of marked bars; at most one a column of pixels."""
    group = max(1, int(np.ceil((stop - start) / max(width, 1))))
    if group == 1 or not marked.size:
        return [(start + a, start + b) for a, b in runs(marked)]
    grouped = np.logical_or.reduceat(marked, np.arange(0, marked.size, group))
    return [(start + a * group, min(start + b * group, stop)) for a, b in runs(grouped)]
