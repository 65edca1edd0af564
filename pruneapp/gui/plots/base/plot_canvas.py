"""pyqtgraph canvas, axis, coordinates.

Plots between two axes: how they are set up, follow the theme, and are painted elsewhere.

Where things are: from numbers on two axes to pixels, and back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QApplication, QStyleOptionGraphicsItem, QWidget

from pruneapp.gui.widgets.safe_paint import reported
from pruneapp.gui.widgets.theme import LIGHT


class PlotAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis whose title stays clear of what lies in the corner, and of which a bug is reported.

    Attributes
    ----------
    corner
        Pixels at the right end of the canvas that something else takes, where the title of the
        axis at the bottom would be.
    """

    corner = 0  # of the class: pyqtgraph places the title before there is an object

    @reported
    def paint(
        self, p: QPainter, opt: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Paint the line, the ticks and the numbers."""
        super().paint(p, opt, widget)

    def setLabel(self, text: str | None = None, **more: Any) -> None:
        """Write another label, in the middle: pyqtgraph leaves it where the old one began."""
        super().setLabel(text, **more)
        self.resizeEvent()

    def resizeEvent(self, event: Any = None) -> None:
        """Place the title: in the middle, or as far to the left of that as it has to be."""
        super().resizeEvent(event)
        width = self.view_width()
        if self.label is not None and self.corner and width is not None:
            left = float(self.mapFromScene(0, 0).x())  # of the canvas
            most = left + width - self.corner - self.title_width()
            self.label.setX(max(left, min(self.label.x(), most)))

    def title_width(self) -> int:
        """Return the pixels that the title takes."""
        return math.ceil(float(self.label.boundingRect().width()))

    def view_width(self) -> int | None:
        """Return the width of the picture; None while it is in none."""
        views = self.scene().views() if self.scene() else ()
        return views[0].width() if views else None


class PlotCanvas(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """A plot whose view is set by whoever owns it, with a frame when it has the focus.

    Parameters
    ----------
    bottom, left
        The axes.
    margin
        Room to the right in pixels, into which the last number of the axis may reach.
    """

    def __init__(
        self,
        bottom: PlotAxis,
        left: PlotAxis,
        *,
        margin: int = 8,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._bottom, self._axes = bottom, (left, bottom)
        self.plot = pg.PlotItem(axisItems={"left": left, "bottom": bottom}, enableMenu=False)
        self.plot.hideButtons()
        self.plot.layout.setContentsMargins(4, 8, margin, 4)
        self.box = self.plot.getViewBox()
        self.box.setMouseEnabled(x=False, y=False)
        self.box.disableAutoRange()
        self.setCentralItem(self.plot)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._colors: Mapping[str, str] = LIGHT
        self._pressed: QPointF | None = None
        self._dragged = False

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take a theme."""
        self._colors = colors
        self.setBackground(colors["surface"])
        for axis in self._axes:
            dress_axis(axis, colors, self.font())
        self.viewport().update()

    def has_corner(self, width: int) -> bool:
        """Whether something so wide has room at the bottom right, beside the title of the axis."""
        return bool(width + self._bottom.title_width() <= self.width())

    def set_corner(self, width: int) -> None:
        """Keep so many pixels at the bottom right clear of the title of the axis."""
        if width != self._bottom.corner:
            self._bottom.corner = width
            self._bottom.resizeEvent()

    def takes(self, _event: QKeyEvent) -> bool:
        """Whether a key means something here, and is not to be a shortcut of the window."""
        return False

    def paint_over(self, painter: QPainter) -> None:
        """Paint what lies over the plot, in pixels of this widget."""

    def paint_on(self, painter: QPainter) -> None:
        """Paint all of it elsewhere, without the focus."""
        whole = self.viewport().rect()
        painter.fillRect(whole, QColor(self._colors["surface"]))
        self.render(painter, QRectF(whole), whole)
        self.paint_over(painter)

    # What the kinds of canvas use.

    def _press(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        self._pressed, self._dragged = event.position(), False

    def _drag(self, event: QMouseEvent) -> QPointF | None:
        """Return how far the mouse went since it was asked last; None as long as it may click."""
        if self._pressed is None:
            return None
        moved = event.position() - self._pressed
        if not self._dragged and moved.manhattanLength() < QApplication.startDragDistance():
            return None
        self._dragged = True
        self._pressed = event.position()
        return QPointF(moved)

    def event(self, event: QEvent) -> bool:
        """Keep the keys that mean something here from the shortcuts of the window."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self.takes(event)
        ):
            event.accept()
            return True
        return bool(super().event(event))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Leave the menu to the view around."""
        event.ignore()

    @reported
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint, and show the focus."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        self.paint_over(painter)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._colors["accent"]), 1))
            # Inside of the edge: at 150 % half of a line on it would be none.
            painter.drawRect(QRectF(self.viewport().rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()


def dress_axis(axis: Any, colors: Mapping[str, str], font: QFont) -> None:
    """Give an axis of pyqtgraph the colours and the font of the window."""
    axis.setPen(pg.mkPen(colors["muted"], width=1))
    axis.setTickPen(pg.mkPen(colors["muted"], width=1))
    axis.setTextPen(pg.mkPen(colors["text"]))
    axis.setTickFont(font)
    axis.label.setFont(font)
    axis.label.setDefaultTextColor(colors["text"])
    axis.picture = None
    axis.update()


@dataclass(frozen=True)
class PlotArea:
    """The area between the axes.

    Attributes
    ----------
    rect
        In pixels of the canvas.
    x, y
        What can be seen along each axis: low and high.
    sideways
        Whether x goes down from the top, and y to the right.
    """

    rect: QRectF
    x: tuple[float, float]
    y: tuple[float, float]
    sideways: bool = False

    def pixel(self, x: float, y: float) -> QPointF:
        """Return the pixel of a point."""
        (left, right), (low, high) = self.x, self.y
        if self.sideways:
            return QPointF(
                self.rect.left() + (y - low) / ((high - low) or 1) * self.rect.width(),
                self.rect.top() + (x - left) / ((right - left) or 1) * self.rect.height(),
            )
        return QPointF(
            self.rect.left() + (x - left) / ((right - left) or 1) * self.rect.width(),
            self.rect.bottom() - (y - low) / ((high - low) or 1) * self.rect.height(),
        )

    def point(self, pixel: QPointF) -> QPointF:
        """Return the point at a pixel."""
        (left, right), (low, high) = self.x, self.y
        rect = self.rect
        if self.sideways:
            return QPointF(
                left + (pixel.y() - rect.top()) / (rect.height() or 1) * (right - left),
                low + (pixel.x() - rect.left()) / (rect.width() or 1) * (high - low),
            )
        return QPointF(
            left + (pixel.x() - rect.left()) / (rect.width() or 1) * (right - left),
            low + (rect.bottom() - pixel.y()) / (rect.height() or 1) * (high - low),
        )
