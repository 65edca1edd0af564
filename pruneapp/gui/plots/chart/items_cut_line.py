"""A line across a chart that a person can take hold of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from pruneapp.gui.plots.base.plot_canvas_place import PlotArea
from pruneapp.gui.widgets.safe_paint import saved

GRIP = 6  # pixels to either side of the line in which it is taken hold of
_PAD = 6


@dataclass(frozen=True)
class CutLine:
    """Where the cut is.

    Attributes
    ----------
    at
        Along x if `upright`, else along y.
    label
        What stands at its handle: "0.0123".
    upright
        Whether it stands, instead of lying.
    mirrored
        Whether there is a second one at ``-at``.
    editable
        Whether it can be moved.
    """

    at: float
    label: str
    upright: bool = True
    mirrored: bool = False
    editable: bool = True

    @property
    def places(self) -> tuple[float, ...]:
        """Where lines are drawn; the first one has the label."""
        return (self.at, -self.at) if self.mirrored else (self.at,)


def pixels_of(line: CutLine, place: PlotArea) -> tuple[float, ...]:
    """Return where a line and its mirror are, across."""
    if line.upright:
        return tuple(place.pixel(at, 0).x() for at in line.places)
    return tuple(place.pixel(0, at).y() for at in line.places)


def handle_of(line: CutLine, place: PlotArea, font: QFont) -> QRectF:
    """Return where the handle of a line is painted: at its end, within the plot."""
    metrics, plot = QFontMetricsF(font), place.rect
    width = metrics.horizontalAdvance(line.label) + 2 * _PAD
    height = metrics.height() + 4
    pixel = pixels_of(line, place)[0]
    if line.upright:
        left = min(max(pixel - width / 2, plot.left()), plot.right() - width)
        return QRectF(left, plot.top(), width, height)
    top = min(max(pixel - height / 2, plot.top()), plot.bottom() - height)
    return QRectF(plot.right() - width, top, width, height)


def is_on(line: CutLine, pixel: QPointF, place: PlotArea, font: QFont) -> bool:
    """Return whether a pixel is near enough to take hold of a line."""
    if not place.rect.adjusted(-GRIP, 0, GRIP, 0).contains(pixel):
        return False
    across = pixel.x() if line.upright else pixel.y()
    near = any(abs(across - at) <= GRIP for at in pixels_of(line, place))
    return near or handle_of(line, place, font).contains(pixel)


def paint_line(
    painter: QPainter, line: CutLine, place: PlotArea, colors: Mapping[str, str], *, held: bool
) -> None:
    """Paint a line and its mirror, and the handle with its label; thicker while it is held."""
    plot = place.rect
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        accent = QColor(colors["accent"])
        style = Qt.PenStyle.SolidLine if line.editable else Qt.PenStyle.DashLine
        painter.setPen(QPen(accent, 3 if held else 2, style, Qt.PenCapStyle.FlatCap))
        for at in pixels_of(line, place):
            if line.upright and plot.left() - 1 <= at <= plot.right() + 1:
                painter.drawLine(QPointF(at, plot.top()), QPointF(at, plot.bottom()))
            elif not line.upright and plot.top() - 1 <= at <= plot.bottom() + 1:
                painter.drawLine(QPointF(plot.left(), at), QPointF(plot.right(), at))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        handle = handle_of(line, place, painter.font())
        if line.editable:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(accent)
        else:
            painter.setPen(QPen(accent, 1))
            painter.setBrush(QColor(colors["surface"]))
        painter.drawRoundedRect(handle, 3, 3)
        painter.setPen(QColor(colors["accent_text" if line.editable else "text"]))
        painter.drawText(handle, Qt.AlignmentFlag.AlignCenter, line.label)
