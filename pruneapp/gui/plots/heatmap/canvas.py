"""The part of the weights view that one moves about in, by mouse and keys."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from pruneapp.gui.plots.base.plot_canvas import PlotCanvas
from pruneapp.gui.plots.heatmap.canvas_axes import TensorAxis
from pruneapp.gui.plots.heatmap.canvas_keys import moved
from pruneapp.gui.plots.heatmap.heatmap_item import TilesItem
from pruneapp.gui.plots.heatmap.viewport import Viewport
from pruneapp.results.tile import Layout

ZOOM_STEP = 1.25


class Canvas(PlotCanvas):
    """Weights between their axes: zoomed by wheel, dragged, with a cursor for the keys.

    Signals
    -------
    viewChanged()
        Something else can be seen, or as large as it was not.
    hovered(object)
        Row and column under the mouse; None where there is no weight.
    cursorMoved(int, int)
        The person put the cursor on this row and column.
    maskToggled()
        The person wants the mask on or off.
    """

    viewChanged = Signal()
    hovered = Signal(object)
    cursorMoved = Signal(int, int)
    maskToggled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.rows = TensorAxis("left")
        self.columns = TensorAxis("bottom")
        super().__init__(self.columns, self.rows, parent=parent)
        self.item = TilesItem()
        self.box.invertY(True)
        self.box.setDefaultPadding(0)
        self.box.addItem(self.item, ignoreBounds=True)
        self.item.set_font(self.font())
        self._view: Viewport | None = None
        self.box.sigResized.connect(self._on_resized)

    @property
    def view(self) -> Viewport | None:
        """Where one looks; None without a tensor."""
        return self._view

    def set_layout(self, layout: Layout | None) -> None:
        """Begin with another tensor, all of it in sight."""
        self.item.set_layout(layout)
        self._view = None
        if layout is None:
            return
        rows = tuple(layout.shape[d] for d in layout.row_dims)
        columns = tuple(layout.shape[d] for d in layout.column_dims)
        if layout.wrap:
            rows, columns = (layout.rows,), (layout.columns,)
        for axis, extents, label in (
            (self.rows, rows, layout.row_label),
            (self.columns, columns, layout.column_label),
        ):
            axis.set_extents(extents)
            axis.setLabel(label)
            axis.showLabel(bool(label))
        # A fixed width, because a picture that moves while one zooms cannot be aimed at.
        metrics = self.fontMetrics()
        widest = ", ".join(str(extent - 1) for extent in rows)
        label_height = metrics.height() + 6 if layout.row_label else 0
        self.rows.setWidth(metrics.horizontalAdvance(widest) + 16 + label_height)
        self._view = Viewport(
            layout.rows, layout.columns, max(1.0, self.box.width()), max(1.0, self.box.height())
        ).fitted()
        self._apply()

    def turn(self, layout: Layout) -> None:
        """Go to another plane of the same extent; one looks at the same place of it."""
        self.item.turn(layout)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take a theme."""
        super().set_colors(colors)
        self.item.set_colors(colors)

    def look(self, view: Viewport) -> None:
        """Look elsewhere."""
        if view != self._view:
            self._view = view
            self._apply()
            self.viewChanged.emit()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Go closer by `factor`, towards a pixel of the window, else the cursor or the middle."""
        if self._view is None:
            return
        if at is not None:
            local = self.box.mapFromScene(self.mapToScene(at.toPoint()))
            self.look(self._view.zoomed(factor, local.x(), local.y()))
            return
        if self.item.cursor is not None:
            row, column = self.item.cursor
            x, y = self._view.pixel(row + 0.5, column + 0.5)
            if 0 <= x <= self._view.width and 0 <= y <= self._view.height:
                # Its cell grows: at the border half of it would be outside.
                self.look(self._view.zoomed(factor, x, y).revealing(row, column))
                return
        self.look(self._view.zoomed(factor, self._view.width / 2, self._view.height / 2))

    def fit(self) -> None:
        """Look at all of it."""
        if self._view is not None:
            self.look(self._view.fitted())

    def weight_at(self, position: QPoint) -> tuple[int, int] | None:
        """Return row and column at a pixel of this widget."""
        local = self.box.mapFromScene(self.mapToScene(position))
        if self._view is None or not self.box.rect().contains(local):
            return None
        return self._view.weight_at(local.x(), local.y())

    def pixel_of(self, row: int, column: int) -> QPoint:
        """Return the pixel of this widget at the middle of a weight."""
        assert self._view is not None
        left, top = self._view.pixel(row + 0.5, column + 0.5)
        return QPoint(self.mapFromScene(self.box.mapToScene(QPointF(left, top))))

    def set_cursor(self, row: int, column: int) -> None:
        """Put the cursor on a weight and bring it into sight."""
        if self._view is None:
            return
        row = min(max(row, 0), self._view.rows - 1)
        column = min(max(column, 0), self._view.columns - 1)
        self.item.cursor = (row, column)
        self.item.update()
        self.look(self._view.revealing(row, column))

    def _apply(self) -> None:
        assert self._view is not None
        left, top, right, bottom = self._view.visible
        self.box.setRange(xRange=(left, right), yRange=(top, bottom), padding=0)

    def _on_resized(self) -> None:
        if self._view is not None:
            width, height = max(1.0, self.box.width()), max(1.0, self.box.height())
            self.look(self._view.resized(width, height))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom towards the mouse."""
        steps = event.angleDelta().y() / 120
        if steps:
            self.zoom(ZOOM_STEP**steps, event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        if event.button() in {Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton}:
            self._press(event)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the picture, or say what is under the mouse."""
        if self._view is not None and (moved := self._drag(event)) is not None:
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self.look(self._view.panned(moved.x(), moved.y()))
        self.hovered.emit(self.weight_at(event.position().toPoint()))
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Put the cursor where one clicked."""
        if self._pressed is not None and not self._dragged:
            found = self.weight_at(event.position().toPoint())
            if found is not None and event.button() == Qt.MouseButton.LeftButton:
                self.set_cursor(*found)
                self.cursorMoved.emit(*found)
        self._pressed = None
        self.viewport().unsetCursor()
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Treat the second press as a first one."""
        self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Say that nothing is under the mouse."""
        self.hovered.emit(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor, zoom, or switch the mask."""
        plain = not event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier
            | Qt.KeyboardModifier.AltModifier
            | Qt.KeyboardModifier.MetaModifier
        )
        if self._view is None or not plain or not self._press_key(event):
            event.ignore()

    def put_cursor(self) -> None:
        """Put the cursor into the middle of what can be seen, if it is nowhere."""
        if self.item.cursor is None and self._view is not None:
            self.set_cursor(*self._view.nearest(self._view.width / 2, self._view.height / 2))

    def _press_key(self, event: QKeyEvent) -> bool:
        """Do what a key says; False if it says nothing here."""
        key = event.key()
        if key in {Qt.Key.Key_Plus, Qt.Key.Key_Equal}:
            self.zoom(ZOOM_STEP)
        elif key in {Qt.Key.Key_Minus, Qt.Key.Key_Underscore}:
            self.zoom(1 / ZOOM_STEP)
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key == Qt.Key.Key_M:
            self.maskToggled.emit()
        elif (place := moved(key, self._looking(), self.item.cursor)) is not None:
            self.set_cursor(*place)
            assert self.item.cursor is not None
            self.cursorMoved.emit(*self.item.cursor)
        else:
            return False
        return True

    def _looking(self) -> Viewport:
        assert self._view is not None, "keys and buttons are for a picture"
        return self._view
