"""Pan, zoom, cursor, axes.

The part of the weights view that one moves about in, by mouse and keys.

Where keys put the cursor on a picture of weights: pure arithmetic on what can be seen.

Axes in the coordinates of the tensor.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from pruneapp.gui.plots.base.plot_canvas import PlotAxis, PlotCanvas
from pruneapp.gui.plots.heatmap.heatmap_item import TilesItem
from pruneapp.gui.plots.heatmap.viewport import Viewport
from pruneapp.results.tile import Layout


def moved(key: int, view: Viewport, cursor: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return row and column where a key puts the cursor; None for keys that do not move it.

    Parameters
    ----------
    key
        Of `Qt.Key`.
    view
        Where one looks: a page is as high as what can be seen.
    cursor
        Where it is; if it is nowhere, the first key shows it in the middle.
    """
    row, column = cursor or (math.floor(view.y), math.floor(view.x))
    page = max(1, math.floor(view.height / view.scale_y) - 1)
    step = 0 if cursor is None else 1
    places = {
        Qt.Key.Key_Left: (row, column - step),
        Qt.Key.Key_Right: (row, column + step),
        Qt.Key.Key_Up: (row - step, column),
        Qt.Key.Key_Down: (row + step, column),
        Qt.Key.Key_Home: (row, 0),
        Qt.Key.Key_End: (row, view.columns - 1),
        Qt.Key.Key_PageUp: (row - page, column),
        Qt.Key.Key_PageDown: (row + page, column),
    }
    return places.get(Qt.Key(key))


def nested(extents: Sequence[int], flat: int) -> tuple[int, ...]:
    """Return the indices into nested dimensions of a flat index."""
    found = []
    for extent in reversed(extents):
        flat, index = divmod(flat, extent)
        found.append(index)
    return tuple(reversed(found))


def ticks(
    extents: Sequence[int], low: float, high: float, scale: float, room: tuple[float, float]
) -> list[tuple[float, str]]:
    """Return places (in weights) and labels of ticks between `low` and `high`.

    Single weights are labelled with all their indices where there is room; else the blocks of the
    outermost dimension, in steps of powers of 2, at their middle.

    Parameters
    ----------
    extents
        Of the dimensions along the axis, outermost first.
    scale
        Pixels for a weight.
    room
        Pixels that the label of a weight and that of a block need.
    """
    count = math.prod(extents)
    block = math.prod(extents[1:])
    if not extents or not count:
        return []
    low, high = max(0.0, low), min(float(count), high)
    if scale >= room[0] or (block == 1 and scale >= room[1]):
        cells = range(math.floor(low), math.ceil(high))
        return [(cell + 0.5, ", ".join(map(str, nested(extents, cell)))) for cell in cells]
    step = 1
    while step * block * scale < room[1]:
        step *= 2
    first = math.floor(low / block / step) * step
    stop = math.ceil(high / block)
    return [
        (outer * block + block / 2, str(outer))
        for outer in range(first, stop, step)
        if low <= outer * block + block / 2 <= high
    ]


class TensorAxis(PlotAxis):
    """An axis whose ticks are indices into the tensor."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self._extents: tuple[int, ...] = ()
        self._labels: dict[float, str] = {}
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=4, autoExpandTextSpace=False, hideOverlappingLabels=True)

    def set_extents(self, extents: tuple[int, ...]) -> None:
        """Take the extents of the dimensions along this axis, outermost first."""
        self._extents = extents
        self.picture = None
        self.update()

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        """Return the places of the ticks, for pyqtgraph."""
        low, high = sorted((start, stop))
        if high <= low:
            return []
        upright = self.orientation in {"left", "right"}
        letters = max(len(", ".join(str(extent - 1) for extent in self._extents)), 1) + 1.5
        widest = len(str(self._extents[0] - 1)) + 1.5 if self._extents else 1.0
        em = 8.0
        room = (18.0, 26.0) if upright else (letters * em, max(40.0, widest * em))
        found = ticks(self._extents, low, high, size / (high - low), room)
        self._labels = dict(found)
        return [(1.0, [place for place, _ in found])]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        """Return the labels of the ticks, for pyqtgraph."""
        return [self._labels.get(value, "") for value in values]


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
