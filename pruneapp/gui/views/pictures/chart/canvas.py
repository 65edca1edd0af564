"""The part of a chart that one moves about in, by mouse and keys."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from pruneapp.gui.views.parts.colors import LIGHT
from pruneapp.gui.views.pictures.chart.bars import Floats, StackedBars
from pruneapp.gui.views.pictures.frame.plots import dress_axis

ZOOM_STEP = 1.25
FEWEST = 8  # bars that can be seen at the closest


class ChartCanvas(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """Bars between axes: zoomed and dragged along x, with a cursor for the keys.

    Signals
    -------
    viewChanged()
        Other bars can be seen.
    hovered(int)
        The bar under the mouse; -1 for none.
    cursorMoved(int)
        The person put the cursor on this bar.
    activated(int)
        The person clicked on this bar, or pressed Return on it.
    """

    viewChanged = Signal()
    hovered = Signal(int)
    cursorMoved = Signal(int)
    activated = Signal(int)

    def __init__(
        self, bottom: pg.AxisItem, left: pg.AxisItem, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.left, self.bottom = left, bottom
        self.plot = pg.PlotItem(axisItems={"left": left, "bottom": bottom}, enableMenu=False)
        self.plot.hideButtons()
        self.plot.layout.setContentsMargins(4, 8, 8, 4)
        self.box = self.plot.getViewBox()
        self.box.setMouseEnabled(x=False, y=False)
        self.box.disableAutoRange()
        self.bars = StackedBars(self.plot)
        self.setCentralItem(self.plot)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.cursor_bar = -1
        self._edges: Floats = np.zeros(1)
        self._range = (0.0, 1.0)
        self._colors: Mapping[str, str] = LIGHT
        self._pressed: QPointF | None = None
        self._dragged = False
        self.box.sigResized.connect(self._on_resized)

    @property
    def count(self) -> int:
        """How many bars there are."""
        return self._edges.size - 1

    @property
    def visible(self) -> tuple[int, int]:
        """The first bar that can be seen, and the one after the last."""
        low, high = self._range
        start = int(np.searchsorted(self._edges, low, side="right")) - 1
        stop = int(np.searchsorted(self._edges, high, side="left"))
        return max(0, start), min(self.count, max(stop, start + 1))

    @property
    def width_of_plot(self) -> float:
        """Pixels along x."""
        return max(1.0, float(self.box.width()))

    def set_edges(self, edges: Floats) -> None:
        """Begin with other bars, all of them in sight."""
        self._edges = edges
        self.cursor_bar = -1
        self.fit()

    def set_top(self, low: float, high: float) -> None:
        """Set what can be seen along y."""
        self.box.setYRange(low, high, padding=0)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take a theme."""
        self._colors = colors
        self.setBackground(colors["surface"])
        for axis in (self.left, self.bottom):
            dress_axis(axis, colors, self.font())
        self.bars.set_colors(colors)
        self.viewport().update()

    def fit(self) -> None:
        """Look at all bars."""
        if self.count:
            self._look(float(self._edges[0]), float(self._edges[-1]))

    def zoom(self, factor: float, at: float | None = None) -> None:
        """Go closer along x, towards a place there, else towards the cursor or the middle."""
        low, high = self._range
        if at is None:
            at = (low + high) / 2
            if self.cursor_bar >= 0:
                at = min(max(self._middle(self.cursor_bar), low), high)
        self._look(at - (at - low) / factor, at + (high - at) / factor)

    def set_cursor(self, bar: int) -> None:
        """Put the cursor on a bar, -1 for none, and bring it into sight."""
        self.cursor_bar = min(max(bar, -1), self.count - 1)
        if self.cursor_bar >= 0:
            low, high = self._range
            left, right = self._edges[self.cursor_bar], self._edges[self.cursor_bar + 1]
            move = min(0.0, left - low) + max(0.0, right - high)
            if move:
                self._look(low + move, high + move)
        self.viewport().update()

    def bar_at(self, position: QPoint) -> int:
        """Return the bar at a pixel of this widget; -1 for none."""
        scene = self.mapToScene(position)
        if not self.count or not self.box.sceneBoundingRect().contains(scene):
            return -1
        x = self.box.mapSceneToView(scene).x()
        found = int(np.searchsorted(self._edges, x, side="right")) - 1
        return found if 0 <= found < self.count else -1

    def pixel_of(self, bar: int) -> QPoint:
        """Return the pixel of this widget in the middle of a bar."""
        low, high = self.box.viewRange()[1]
        at = self.box.mapViewToScene(QPointF(self._middle(bar), (low + high) / 2))
        return QPoint(self.mapFromScene(at))

    def _middle(self, bar: int) -> float:
        return float(self._edges[bar] + self._edges[bar + 1]) / 2

    def _look(self, low: float, high: float) -> None:
        first, last = float(self._edges[0]), float(self._edges[-1])
        narrowest = (last - first) * min(1.0, FEWEST / max(1, self.count))
        wide = min(max(high - low, narrowest), last - first)
        middle = (low + high) / 2
        low = min(max(middle - wide / 2, first), last - wide)
        self._range = (low, low + wide)
        self.box.setXRange(low, low + wide, padding=0)
        self.viewChanged.emit()

    def _on_resized(self) -> None:
        self.viewChanged.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom along x towards the mouse."""
        steps = event.angleDelta().y() / 120
        if steps and self.count:
            scene = self.mapToScene(event.position().toPoint())
            self.zoom(ZOOM_STEP**steps, self.box.mapSceneToView(scene).x())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragged = event.position(), False
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the bars, or say what is under the mouse."""
        if self._pressed is not None and self.count:
            moved = event.position() - self._pressed
            if self._dragged or moved.manhattanLength() >= QApplication.startDragDistance():
                self._dragged = True
                self._pressed = event.position()
                low, high = self._range
                step = moved.x() * (high - low) / self.width_of_plot
                self._look(low - step, high - step)
        self.hovered.emit(self.bar_at(event.position().toPoint()))
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the bar on which one clicked."""
        if self._pressed is not None and not self._dragged:
            found = self.bar_at(event.position().toPoint())
            if found >= 0:
                self.set_cursor(found)
                self.cursorMoved.emit(found)
                self.activated.emit(found)
        self._pressed = None
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """Say that nothing is under the mouse."""
        self.hovered.emit(-1)
        super().leaveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Leave the menu to the view around."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor, zoom, or choose."""
        key, at = event.key(), self.cursor_bar
        start, stop = self.visible
        places = {
            Qt.Key.Key_Left: at - 1 if at > 0 else max(at, start),
            Qt.Key.Key_Right: at + 1 if at >= 0 else start,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: self.count - 1,
            Qt.Key.Key_PageUp: max(0, at - max(1, stop - start)),
            Qt.Key.Key_PageDown: at + max(1, stop - start),
        }
        held = event.modifiers() & ~(
            Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
        )
        if not self.count or held:
            event.ignore()
        elif key in {Qt.Key.Key_Plus, Qt.Key.Key_Equal}:
            self.zoom(ZOOM_STEP)
        elif key in {Qt.Key.Key_Minus, Qt.Key.Key_Underscore}:
            self.zoom(1 / ZOOM_STEP)
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and at >= 0:
            self.activated.emit(at)
        elif Qt.Key(key) in places:
            self.set_cursor(min(places[Qt.Key(key)], self.count - 1))
            self.cursorMoved.emit(self.cursor_bar)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint, and show the cursor and the focus."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        accent = QColor(self._colors["accent"])
        if 0 <= self.cursor_bar < self.count:
            painter.setPen(QPen(accent, 2))
            painter.drawRect(self._bar_rect(self.cursor_bar))
        if self.hasFocus():
            painter.setPen(QPen(accent, 1))
            painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _bar_rect(self, bar: int) -> QRectF:
        low, high = self.box.viewRange()[1]
        corners = [
            QPointF(self.mapFromScene(self.box.mapViewToScene(QPointF(float(x), y))))
            for x, y in ((self._edges[bar], high), (self._edges[bar + 1], low))
        ]
        rect = QRectF(*corners)
        return rect.adjusted(-1, 1, 1, 0) if rect.width() < 4 else rect.adjusted(0, 1, 0, 0)
