"""The canvas of a plot with two axes: pixel geometry, mouse, keys and zoom."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
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

from pruneapp.gui.plots.base.plot_area import CutLine, PlotArea
from pruneapp.gui.widgets.labels import elide_text
from pruneapp.gui.widgets.safe_paint import report_exceptions
from pruneapp.gui.widgets.theme import LIGHT

_TITLE_MARGIN = 12  # pixels of an axis that its title leaves free
ZOOM_STEP = 1.25
ZOOM_KEYS = {
    Qt.Key.Key_Plus: ZOOM_STEP,
    Qt.Key.Key_Equal: ZOOM_STEP,
    Qt.Key.Key_Minus: 1 / ZOOM_STEP,
    Qt.Key.Key_Underscore: 1 / ZOOM_STEP,
}


class PlotAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis whose title is elided if it is too long and avoids the legend in the corner.

    `corner` is the width in pixels at the right end of the canvas that the title must not cover.
    Exceptions in `paint` are reported instead of propagated into Qt.
    """

    corner = 0  # a class attribute because AxisItem.__init__ lays out the title
    _title = ""
    labelText: str  # the title, not elided

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.enableAutoSIPrefix(False)
        # Labels at the ends may exceed the axis, because the first label is the important 0.
        self.setStyle(tickLength=4, maxTickLevel=0, hideOverlappingLabels=24)

    @report_exceptions
    def paint(
        self, p: QPainter, opt: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        super().paint(p, opt, widget)

    def setLabel(self, text: str | None = None, **more: Any) -> None:
        """Set the title and center it: pyqtgraph keeps the left end of the previous title."""
        super().setLabel(text, **more)
        self.resizeEvent()

    def _updateLabel(self) -> None:
        """Update the title only if its text changed: pyqtgraph calls this for any style change."""
        if (title := self.labelString()) != self._title:
            self._title = title
            super()._updateLabel()

    def labelString(self) -> str:
        """Return the title as HTML, elided in the middle to the length of the axis.

        Not elided while the axis is shorter than `_TITLE_MARGIN`. `labelText` is unchanged.
        """
        whole, size = self.labelText, self.size()
        length = size.height() if self.orientation in {"left", "right"} else size.width()
        shown = whole
        if length > _TITLE_MARGIN:
            metrics = QFontMetricsF(self.label.font())
            shown = elide_text(whole, metrics, length - _TITLE_MARGIN)
        self.labelText = escape(shown, quote=False)
        title = str(super().labelString())
        self.labelText = whole
        return title

    def resizeEvent(self, event: Any = None) -> None:
        """Elide and center the title, but move it left as far as needed to avoid the corner.

        Also called without an event, after the title or the corner has changed.
        """
        if self.label is not None and (title := self.labelString()) != self._title:
            self._title = title
            self.label.setHtml(title)
        super().resizeEvent(event)
        width = self.view_width()
        if self.label is not None and self.corner and width is not None:
            left = float(self.mapFromScene(0, 0).x())  # in canvas coordinates
            max_left = left + width - self.corner - self.title_width()
            self.label.setX(max(left, min(self.label.x(), max_left)))

    def title_width(self) -> int:
        return math.ceil(float(self.label.boundingRect().width()))

    def view_width(self) -> int | None:
        """Return the width of the canvas in pixels; None if the axis is in no scene."""
        views = self.scene().views() if self.scene() else ()
        return views[0].width() if views else None

    def redraw(self) -> None:
        """Repaint the axis after its ticks or labels changed."""
        self.picture = None
        self.update()


class PlotCanvas(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """A plot that is moved and zoomed with mouse and keys, with a frame while it has the focus.

    `margin` is the space in pixels to the right of the plot; the last label of the axis may use it.
    """

    viewChanged = Signal()  # the visible range or the size of the plot changed
    # Dragging the cut line: start, new position on its axis, canceled with Escape, and end.
    lineGrabbed = Signal()
    lineMoved = Signal(float)
    lineDragCancelled = Signal()
    lineReleased = Signal()
    lineStepped = Signal(int)  # the user moved the line by this many steps with the keyboard

    def __init__(self, bottom: PlotAxis, left: PlotAxis, *, margin: int = 8) -> None:
        super().__init__()
        self.left, self.bottom = left, bottom
        # pg.PlotItem would create sixty widgets for context menus that are never shown.
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
            axis.setZValue(0.5)  # above the items in the box
            axis.setFlag(QGraphicsItem.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
            plot.grid.addItem(axis, row, column)
        self.setCentralItem(plot)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._colors: Mapping[str, str] = LIGHT
        self._style: tuple[dict[str, str], str] | None = None
        self._pressed: QPointF | None = None
        self._dragged = False
        self.line: CutLine | None = None
        self.is_dragging_line = False

    # -- to be implemented by subclasses -----------------------------------------------------------

    @property
    def area(self) -> PlotArea:
        """The area of the plot with its visible ranges."""
        rect = QRectF(self.viewportTransform().mapRect(self.box.sceneBoundingRect()))
        (left, right), (low, high) = self.box.viewRange()
        return PlotArea(rect, (left, right), (low, high))

    @abstractmethod
    def zoom(self, factor: float) -> None:
        """Zoom in by `factor` (out if it is below 1), around the cursor or the center."""

    @abstractmethod
    def fit(self) -> None:
        """Show the whole content."""

    @abstractmethod
    def _hover(self, pixel: QPointF | None) -> None:
        """Handle the mouse at `pixel`; None if the mouse left the canvas."""

    @abstractmethod
    def _drag(self, event: QMouseEvent, start: QPointF, moved: QPointF) -> None:
        """Handle a drag that began at `start` and moved by `moved` since the last call."""

    @abstractmethod
    def _click(self, event: QMouseEvent) -> None:
        """Handle a click of the left button."""

    def handles_key(self, _event: QKeyEvent) -> bool:
        """Return whether the canvas handles this key, so that it must not trigger a shortcut."""
        return False

    def paint_over(self, painter: QPainter) -> None:
        """Paint on top of the plot, in pixel coordinates of the canvas; does nothing by default."""

    # -- shared by all canvases --------------------------------------------------------------------

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of a theme (color by token) and the current font.

        Does nothing if both are those of the last call.
        """
        if (style := (dict(colors), self.font().toString())) == self._style:
            return  # called often with the same colors
        self._colors, self._style = colors, style
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

    def set_line(self, line: CutLine | None) -> None:
        """Show the cut line; None removes it."""
        if line != self.line:
            self.line = line
            self.viewport().update()

    def _is_on_line(self, pixel: QPointF) -> bool:
        line = self.line
        return bool(line and line.editable and line.is_hit(pixel, self.area, self.font()))

    def _point_at_line(self, pixel: QPointF) -> None:
        """Show with the mouse cursor whether a press at a pixel would grab the line.

        The cursor is the normal one during a drag.
        """
        if self.line is not None and self._pressed is None and self._is_on_line(pixel):
            shapes = Qt.CursorShape.SplitVCursor, Qt.CursorShape.SplitHCursor
            self.viewport().setCursor(shapes[self.line.upright])
        else:
            self.viewport().unsetCursor()

    def fits_in_corner(self, width: int) -> bool:
        """Return whether a legend of `width` pixels fits to the right of the axis title."""
        return bool(width + self.bottom.title_width() <= self.width())

    def set_corner(self, width: int) -> None:
        """Keep the last `width` pixels of the canvas free of the axis title."""
        if width != self.bottom.corner:
            self.bottom.corner = width
            self.bottom.resizeEvent()

    def paint_on(self, painter: QPainter) -> None:
        """Paint background and plot with `painter`, without the frame for the focus."""
        whole = self.viewport().rect()
        painter.fillRect(whole, QColor(self._colors["surface"]))
        self.render(painter, QRectF(whole), whole)
        self.paint_over(painter)

    def event(self, event: QEvent) -> bool:
        """Claim keys that the canvas handles (`handles_key`) before they trigger shortcuts."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self.handles_key(event)
        ):
            event.accept()
            return True
        return bool(super().event(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
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
        if event.button() == Qt.MouseButton.LeftButton and self._is_on_line(event.position()):
            self.is_dragging_line = True
            self.lineGrabbed.emit()
            self.viewport().update()
        elif event.button() in {Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton}:
            self._pressed, self._dragged = event.position(), False
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the line that is dragged; else handle a drag and the hover.

        A drag begins once the mouse has moved too far for a click.
        """
        if self.is_dragging_line and self.line is not None:
            self.lineMoved.emit(self.line.position(event.position(), self.area))
            event.accept()
            return
        if self._pressed is not None:
            moved = event.position() - self._pressed
            if self._dragged or moved.manhattanLength() >= QApplication.startDragDistance():
                start, self._pressed, self._dragged = self._pressed, event.position(), True
                self._drag(event, start, QPointF(moved))
        self._hover(event.position())
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.is_dragging_line:
            self.is_dragging_line = False
            self.viewport().update()
            self.lineReleased.emit()
        clicked = self._pressed is not None and not self._dragged
        if clicked and event.button() == Qt.MouseButton.LeftButton:
            self._click(event)
        self._pressed = None
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)
        super().leaveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Pass the event to the parent view, which shows the menu."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        self.paint_over(painter)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._colors["accent"]), 1))
            # Half a pixel inside the edge: at a scale of 150 % a line on the edge is clipped away.
            painter.drawRect(QRectF(self.viewport().rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()
