"""The area of a plot between its axes, and a line across it that can be dragged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from pruneapp.gui.widgets.safe_paint import saved_painter_state

_GRIP = 6  # pixels on both sides of the line in which the mouse grabs it
_PAD = 6


@dataclass(frozen=True)
class PlotArea:
    """The area between the axes, with conversions between pixels and plot coordinates.

    `x` and `y` are the visible ranges (low, high). If `sideways`, x goes down from the top edge and
    y goes right.
    """

    rect: QRectF  # in pixels of the canvas
    x: tuple[float, float]
    y: tuple[float, float]
    sideways: bool = False

    def pixel(self, x: float, y: float) -> QPointF:
        """Return the pixel of a point in plot coordinates, also of one outside the range."""
        rect = self.rect
        along = (x - self.x[0]) / ((self.x[1] - self.x[0]) or 1)
        across = (y - self.y[0]) / ((self.y[1] - self.y[0]) or 1)
        if self.sideways:
            return QPointF(rect.left() + across * rect.width(), rect.top() + along * rect.height())
        return QPointF(rect.left() + along * rect.width(), rect.bottom() - across * rect.height())

    def point(self, pixel: QPointF) -> QPointF:
        """Return the point in plot coordinates at a pixel, also at one outside the area."""
        rect = self.rect
        right = (pixel.x() - rect.left()) / (rect.width() or 1)
        if self.sideways:
            along, across = (pixel.y() - rect.top()) / (rect.height() or 1), right
        else:
            along, across = right, (rect.bottom() - pixel.y()) / (rect.height() or 1)
        (x, until_x), (y, until_y) = self.x, self.y
        return QPointF(x + along * (until_x - x), y + across * (until_y - y))


@dataclass(frozen=True)
class CutLine:
    """The line of a cut: vertical at x = `at` if `upright`, else horizontal at y = `at`.

    If `mirrored`, there is a second line at ``-at``.
    """

    at: float
    label: str
    upright: bool = True
    mirrored: bool = False
    editable: bool = True

    def position(self, pixel: QPointF, area: PlotArea) -> float:
        """Return the position of the line if it is dragged to a pixel."""
        point = area.point(pixel)
        at = point.x() if self.upright else point.y()
        return abs(at) if self.mirrored else at

    def is_hit(self, pixel: QPointF, area: PlotArea, font: QFont) -> bool:
        """Return whether a pixel grabs a line: within `_GRIP` pixels of it, or on its handle.

        False outside the plot. `font` is that of the label.
        """
        if not area.rect.adjusted(-_GRIP, 0, _GRIP, 0).contains(pixel):
            return False
        across = pixel.x() if self.upright else pixel.y()
        near = any(abs(across - at) <= _GRIP for at in self._pixels(area))
        return near or self.handle(area, font).contains(pixel)

    def paint(
        self, painter: QPainter, area: PlotArea, colors: Mapping[str, str], *, held: bool
    ) -> None:
        """Paint the line, its mirror, and the handle with the label; thicker while `held`."""
        self.paint_line(painter, area, colors, width=3 if held else 2)
        self.paint_handle(painter, area, colors)

    def paint_line(
        self, painter: QPainter, area: PlotArea, colors: Mapping[str, str], *, width: int
    ) -> None:
        """Paint the line and its mirror where they are in the plot; dashed if not editable."""
        plot = area.rect
        with saved_painter_state(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            style = Qt.PenStyle.SolidLine if self.editable else Qt.PenStyle.DashLine
            painter.setPen(QPen(QColor(colors["accent"]), width, style, Qt.PenCapStyle.FlatCap))
            for at in self._pixels(area):
                if self.upright and plot.left() - 1 <= at <= plot.right() + 1:
                    painter.drawLine(QPointF(at, plot.top()), QPointF(at, plot.bottom()))
                elif not self.upright and plot.top() - 1 <= at <= plot.bottom() + 1:
                    painter.drawLine(QPointF(plot.left(), at), QPointF(plot.right(), at))

    def paint_handle(self, painter: QPainter, area: PlotArea, colors: Mapping[str, str]) -> None:
        """Paint the handle with the label, in the plot also if the line is outside."""
        accent = QColor(colors["accent"])
        with saved_painter_state(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            handle = self.handle(area, painter.font())
            if self.editable:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(accent)
            else:
                painter.setPen(QPen(accent, 1))
                painter.setBrush(QColor(colors["surface"]))
            painter.drawRoundedRect(handle, 3, 3)
            painter.setPen(QColor(colors["accent_text" if self.editable else "text"]))
            painter.drawText(handle, Qt.AlignmentFlag.AlignCenter, self.label)

    def _pixels(self, area: PlotArea) -> tuple[float, ...]:
        """Return the pixels of the line and its mirror: x if upright, else y."""
        positions = (self.at, -self.at) if self.mirrored else (self.at,)
        if self.upright:
            return tuple(area.pixel(at, 0).x() for at in positions)
        return tuple(area.pixel(0, at).y() for at in positions)

    def handle(self, area: PlotArea, font: QFont) -> QRectF:
        """Return the rectangle of the handle with the label, at the top or right end of the line.

        It is moved into the plot if needed; the mirror has no handle.
        """
        metrics, plot = QFontMetricsF(font), area.rect
        width = metrics.horizontalAdvance(self.label) + 2 * _PAD
        height = metrics.height() + 4
        pixel = self._pixels(area)[0]
        if self.upright:
            left = min(max(pixel - width / 2, plot.left()), plot.right() - width)
            return QRectF(left, plot.top(), width, height)
        top = min(max(pixel - height / 2, plot.top()), plot.bottom() - height)
        return QRectF(plot.right() - width, top, width, height)
