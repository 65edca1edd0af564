"""What every plot between two axes is: its axes, its place on the screen, mouse and zoom."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsGridLayout,
    QGraphicsItem,
    QStyleOptionGraphicsItem,
    QWidget,
)

from pruneapp.gui.widgets.labels import elided
from pruneapp.gui.widgets.safe_paint import reported
from pruneapp.gui.widgets.theme import LIGHT

_BESIDE_TITLE = 12  # pixels of an axis that its title leaves free
ZOOM_STEP = 1.25
ZOOM_KEYS = {
    Qt.Key.Key_Plus: ZOOM_STEP,
    Qt.Key.Key_Equal: ZOOM_STEP,
    Qt.Key.Key_Minus: 1 / ZOOM_STEP,
    Qt.Key.Key_Underscore: 1 / ZOOM_STEP,
}


class PlotAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis whose title stays clear of what lies in the corner, and of which a bug is reported.

    Of the canvas the last `corner` pixels are taken, where the title below would be. A title that
    is longer than the axis loses its middle.
    """

    corner = 0  # of the class: pyqtgraph places the title before there is an object
    _title = ""
    labelText: str  # the whole title: pyqtgraph has no types

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

    def _updateLabel(self) -> None:
        """Write the title, if it is another: pyqtgraph lays it out whatever is set of an axis."""
        if (title := self.labelString()) != self._title:
            self._title = title
            super()._updateLabel()

    def labelString(self) -> str:
        """Return as HTML what there is room for of the title."""
        whole, size = self.labelText, self.size()
        length = size.height() if self.orientation in {"left", "right"} else size.width()
        shown = whole
        if length > _BESIDE_TITLE:
            metrics = QFontMetricsF(self.label.font())
            shown = elided(whole, metrics, length - _BESIDE_TITLE)
        self.labelText = escape(shown, quote=False)
        title = str(super().labelString())
        self.labelText = whole
        return title

    def resizeEvent(self, event: Any = None) -> None:
        """Place the title: in the middle, or as far to the left of that as it has to be."""
        if self.label is not None and (title := self.labelString()) != self._title:
            self._title = title
            self.label.setHtml(title)
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

    def redraw(self) -> None:
        """Draw it anew: its ticks or their labels are others."""
        self.picture = None
        self.update()


class PlotCanvas(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """A plot in which one moves about by mouse and keys, with a frame when it has the focus.

    Into the `margin` to the right, in pixels, the last number of the axis may reach.
    """

    viewChanged = Signal()  # something else can be seen, or in another size

    def __init__(self, bottom: PlotAxis, left: PlotAxis, *, margin: int = 8) -> None:
        super().__init__()
        self.left, self.bottom = left, bottom
        # No PlotItem: for the menus that it has, which nobody sees here, it makes sixty widgets.
        plot = pg.GraphicsWidget()
        plot.grid = QGraphicsGridLayout()
        plot.setLayout(plot.grid)
        plot.grid.setSpacing(0)
        plot.grid.setContentsMargins(4, 8, margin, 4)
        plot.grid.setRowStretchFactor(0, 1)
        plot.grid.setColumnStretchFactor(1, 1)
        self.box = pg.ViewBox(parent=plot, enableMenu=False)
        self.box.setMouseEnabled(x=False, y=False)
        self.box.disableAutoRange()
        plot.grid.addItem(self.box, 0, 1)
        for axis, row, column in ((left, 0, 0), (bottom, 1, 1)):
            axis.setParentItem(plot)
            axis.linkToView(self.box)
            axis.setZValue(0.5)  # above what lies in the box
            axis.setFlag(QGraphicsItem.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
            plot.grid.addItem(axis, row, column)
        self.setCentralItem(plot)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._colors: Mapping[str, str] = LIGHT
        self._looks: tuple[dict[str, str], str] | None = None
        self._pressed: QPointF | None = None
        self._dragged = False

    # -- what a kind of canvas is -----------------------------------------------------------------

    @abstractmethod
    def zoom(self, factor: float) -> None:
        """Go closer by `factor`, towards the cursor or the middle."""

    @abstractmethod
    def fit(self) -> None:
        """Look at all of it."""

    @abstractmethod
    def _hover(self, pixel: QPointF | None) -> None:
        """Say what is under the mouse; None if it has left."""

    @abstractmethod
    def _drag(self, event: QMouseEvent, start: QPointF, moved: QPointF) -> None:
        """Follow a drag, which has moved so far since it was last told."""

    @abstractmethod
    def _click(self, event: QMouseEvent) -> None:
        """Do what a click of the left button means."""

    def takes(self, _event: QKeyEvent) -> bool:
        """Whether a key means something here, and is not to be a shortcut of the window."""
        return False

    def paint_over(self, painter: QPainter) -> None:
        """Paint what lies over the plot, in pixels of this widget."""

    # -- what all of them do ----------------------------------------------------------------------

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take a theme."""
        if (looks := (dict(colors), self.font().toString())) == self._looks:
            return  # as a rule: whoever holds a picture tells it, too
        self._colors, self._looks = colors, looks
        self.setBackground(colors["surface"])
        for axis in (self.left, self.bottom):
            axis.setPen(pg.mkPen(colors["muted"], width=1))
            axis.setTickPen(pg.mkPen(colors["muted"], width=1))
            axis.setTextPen(pg.mkPen(colors["text"]))
            axis.setTickFont(self.font())
            axis.label.setFont(self.font())
            axis.label.setDefaultTextColor(colors["text"])
            axis.redraw()
        self.viewport().update()

    def has_corner(self, width: int) -> bool:
        """Whether something so wide has room at the bottom right, beside the title of the axis."""
        return bool(width + self.bottom.title_width() <= self.width())

    def set_corner(self, width: int) -> None:
        """Keep so many pixels at the bottom right clear of the title of the axis."""
        if width != self.bottom.corner:
            self.bottom.corner = width
            self.bottom.resizeEvent()

    def paint_on(self, painter: QPainter) -> None:
        """Paint all of it elsewhere, without the focus."""
        whole = self.viewport().rect()
        painter.fillRect(whole, QColor(self._colors["surface"]))
        self.render(painter, QRectF(whole), whole)
        self.paint_over(painter)

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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Do what a key says; leave it to the window if it says nothing here."""
        if not self._press_key(event):
            event.ignore()

    def _press_key(self, event: QKeyEvent) -> bool:
        key = event.key()
        if key in ZOOM_KEYS:
            self.zoom(ZOOM_KEYS[Qt.Key(key)])
        elif key == Qt.Key.Key_0:
            self.fit()
        else:
            return False
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        if event.button() in {Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton}:
            self._pressed, self._dragged = event.position(), False
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag once the mouse went so far that it is no click, and say what is under it."""
        if self._pressed is not None:
            moved = event.position() - self._pressed
            if self._dragged or moved.manhattanLength() >= QApplication.startDragDistance():
                start, self._pressed, self._dragged = self._pressed, event.position(), True
                self._drag(event, start, QPointF(moved))
        self._hover(event.position())
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Click, or end a drag."""
        clicked = self._pressed is not None and not self._dragged
        if clicked and event.button() == Qt.MouseButton.LeftButton:
            self._click(event)
        self._pressed = None
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Treat the second press as a first one."""
        self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Say that nothing is under the mouse."""
        self._hover(None)
        super().leaveEvent(event)

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


@dataclass(frozen=True)
class PlotArea:
    """The area between the axes."""

    rect: QRectF  # in pixels of the canvas
    # What can be seen along each axis: low and high.
    x: tuple[float, float]
    y: tuple[float, float]
    sideways: bool = False  # whether x goes down from the top, and y to the right

    def pixel(self, x: float, y: float) -> QPointF:
        """Return the pixel of a point."""
        rect = self.rect
        along = (x - self.x[0]) / ((self.x[1] - self.x[0]) or 1)
        across = (y - self.y[0]) / ((self.y[1] - self.y[0]) or 1)
        if self.sideways:
            return QPointF(rect.left() + across * rect.width(), rect.top() + along * rect.height())
        return QPointF(rect.left() + along * rect.width(), rect.bottom() - across * rect.height())

    def point(self, pixel: QPointF) -> QPointF:
        """Return the point at a pixel."""
        rect = self.rect
        right = (pixel.x() - rect.left()) / (rect.width() or 1)
        if self.sideways:
            along, across = (pixel.y() - rect.top()) / (rect.height() or 1), right
        else:
            along, across = right, (rect.bottom() - pixel.y()) / (rect.height() or 1)
        (x, until_x), (y, until_y) = self.x, self.y
        return QPointF(x + along * (until_x - x), y + across * (until_y - y))
