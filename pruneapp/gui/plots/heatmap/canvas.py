"""The canvas of a heatmap: pan, zoom, keyboard cursor, selection tools, and the axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent

from pruneapp.analysis.layout import Layout
from pruneapp.document.entries import Shape
from pruneapp.gui.plots.base.plot_canvas import ZOOM_STEP, PlotAxis, PlotCanvas
from pruneapp.gui.plots.edit_buttons import operation_of
from pruneapp.gui.plots.heatmap.drawing_tools import Cell, Pointer, Tool, WeightSelection
from pruneapp.gui.plots.heatmap.heatmap_item import HeatmapItem
from pruneapp.gui.plots.heatmap.viewport import Viewport
from pruneapp.gui.widgets.engine_text import translate_product

_SELECTION_KEYS: dict[int, Shape] = {
    Qt.Key.Key_H: "row",
    Qt.Key.Key_V: "column",
    Qt.Key.Key_C: "channel",
}


def unravel(extents: Sequence[int], flat: int) -> tuple[int, ...]:
    """Return the index along each dimension of `extents` for a flat index (row-major)."""
    indices = []
    for extent in reversed(extents):
        flat, index = divmod(flat, extent)
        indices.append(index)
    return tuple(reversed(indices))


def ticks(
    extents: Sequence[int], low: float, high: float, scale: float, room: tuple[float, float]
) -> list[tuple[float, str]]:
    """Return the positions (in weights) and labels of the ticks between `low` and `high`.

    If there is space, every weight that is at least partly visible has a tick at its center, which
    may be outside of the range, with all of its indices. Otherwise, every index of the outermost
    dimension has one at the center of its weights if that is visible; if these are too dense, every
    2nd, 4th, 8th, ... index. No ticks if an extent is 0 or there is none.

    Parameters
    ----------
    extents
        Extents of the dimensions along the axis, outermost first.
    low, high
        The visible range, in weights.
    scale
        Pixels per weight.
    room
        Pixels needed by a label with all indices, and by one with the outermost index only.
    """
    count = math.prod(extents)
    block = math.prod(extents[1:])
    if not extents or not count:
        return []
    low, high = max(0.0, low), min(float(count), high)
    if scale >= room[0] or (block == 1 and scale >= room[1]):
        cells = range(math.floor(low), math.ceil(high))
        return [(cell + 0.5, ", ".join(map(str, unravel(extents, cell)))) for cell in cells]
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
        self._step, self._sign = 1, ""
        self.setStyle(autoExpandTextSpace=False, hideOverlappingLabels=True)

    def set_extents(self, extents: tuple[int, ...]) -> None:
        """Set the extents of the dimensions along this axis, outermost first.

        Indices are shown as they are, until `set_numbers` is called.
        """
        self._extents = extents
        self.set_numbers(1, "")

    def set_numbers(self, step: int, sign: str) -> None:
        """Multiply indices of the outermost dimension by `step`, and show `sign` before them."""
        self._step, self._sign = step, sign
        self.redraw()

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        low, high = sorted((start, stop))
        if high <= low:
            return []
        upright = self.orientation in {"left", "right"}
        letters = max(len(", ".join(str(extent - 1) for extent in self._extents)), 1) + 1.5
        widest = len(str(self._extents[0] - 1)) + 1.5 if self._extents else 1.0
        em = 8.0
        room = (18.0, 26.0) if upright else (letters * em, max(40.0, widest * em))
        labels = ticks(self._extents, low, high, size / (high - low), room)
        self._labels = {at: self._renumbered(label) for at, label in labels}
        return [(1.0, [position for position, _ in labels])]

    def _renumbered(self, label: str) -> str:
        first, comma, rest = label.partition(",")
        return f"{self._sign}{int(first) * self._step}{comma}{rest}"

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        return [self._labels.get(value, "") for value in values]


class HeatmapCanvas(PlotCanvas):
    """Weights between their axes, zoomed with the wheel, with a keyboard cursor and tools.

    With a tool, dragging selects weights; Shift adds to the selection. The middle button and Space
    always pan. From the cursor, Shift with the arrow keys selects a rectangle, H the row, V the
    column, C the channel (again: along the next dimension).
    """

    hovered = Signal(object)  # row and column under the mouse; None outside the weights
    cursorMoved = Signal(int, int)  # the user moved the cursor to this row and column
    maskToggled = Signal()  # the user wants to show or hide the mask
    selectionChanged = Signal(object)  # a `WeightSelection`; None if nothing is selected
    # The user chose this `Operation` for the selection, or for the weight at the cursor.
    operated = Signal(str)
    menuRequested = Signal()  # the user wants to open the context menu

    def __init__(self) -> None:
        self.rows = TensorAxis("left")
        self.columns = TensorAxis("bottom")
        super().__init__(self.columns, self.rows)
        self.item = HeatmapItem()
        self.box.invertY(True)
        self.box.setDefaultPadding(0)
        self.box.addItem(self.item, ignoreBounds=True)
        self.item.font = self.font()
        self.view: Viewport | None = None
        self.pointer = Pointer()
        self._anchor: Cell | None = None
        self._panning = False
        self.box.sigResized.connect(self._on_resized)

    @property
    def selection(self) -> WeightSelection | None:
        """The selected weights; None if there are none."""
        return self.pointer.selection

    def set_layout(self, layout: Layout | None) -> None:
        """Show all of another tensor, without tiles, cursor or selection; None clears the canvas.

        Emits no signal.
        """
        self.pointer.set_layout(layout)
        self._anchor = None
        self.item.set_layout(layout)
        self.view = None
        if layout is None:
            return
        shape, down, across = layout.grid
        rows, columns = tuple(shape[d] for d in down), tuple(shape[d] for d in across)
        in_lines = layout.wrap and layout.row_dims  # kernels; ticks are output channels
        for axis, extents, label in (
            (self.rows, rows, translate_product(layout.row_label)),
            (self.columns, columns, translate_product(layout.column_label)),
        ):
            axis.set_extents(extents)
            if in_lines:
                step, sign = (layout.wrap, "") if axis is self.rows else (1, "+")
                axis.set_numbers(step, sign)
            axis.setLabel(label)
            axis.showLabel(bool(label))
        # A fixed width, so that the picture does not move while zooming.
        metrics = self.fontMetrics()
        widest = ", ".join(str(extent - 1) for extent in rows)
        label_height = metrics.height() + 6 if layout.row_label else 0
        self.rows.setWidth(metrics.horizontalAdvance(widest) + 16 + label_height)
        self.view = Viewport(
            layout.rows, layout.columns, max(1.0, self.box.width()), max(1.0, self.box.height())
        ).fit()
        self._apply()

    def show_plane(self, layout: Layout) -> None:
        """Show another plane of the same extent; clears the selection."""
        self.pointer.set_layout(layout)
        self.item.show_plane(layout)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        super().set_colors(colors)
        self.item.set_colors(colors)

    # -- visible range ----------------------------------------------------------------------------

    def set_viewport(self, view: Viewport) -> None:
        """Set the visible part."""
        if view != self.view:
            self.view = view
            self._apply()
            self.viewChanged.emit()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom in by `factor` around the pixel `at`; None: a visible cursor, else the center.

        Does nothing without a tensor.
        """
        view = self.view
        if view is None:
            return
        if at is not None:
            local = self._in_box(at)
            self.set_viewport(view.zoom_by(factor, local.x(), local.y()))
            return
        if self.item.cursor is not None:
            row, column = self.item.cursor
            x, y = view.pixel(row + 0.5, column + 0.5)
            if 0 <= x <= view.width and 0 <= y <= view.height:
                # At the border, half of the growing cell would be outside.
                self.set_viewport(view.zoom_by(factor, x, y).reveal(row, column))
                return
        self.set_viewport(view.zoom_by(factor, view.width / 2, view.height / 2))

    def fit(self) -> None:
        if self.view is not None:
            self.set_viewport(self.view.fit())

    def weight_at(self, position: QPoint) -> Cell | None:
        """Return row and column at a pixel of this widget; None if there is no weight."""
        local = self._in_box(QPointF(position))
        if self.view is None or not self.box.rect().contains(local):
            return None
        return self.view.weight_at(local.x(), local.y())

    def pixel_of(self, row: int, column: int) -> QPoint:
        """Return the pixel of this widget at the center of a weight."""
        left, top = self._viewport().pixel(row + 0.5, column + 0.5)
        return QPoint(self.mapFromScene(self.box.mapToScene(QPointF(left, top))))

    def set_cursor(self, row: int, column: int) -> None:
        """Move the cursor to a weight (clipped to the tensor) and scroll to it.

        Emits `viewChanged` if it scrolls, but not `cursorMoved`. The selection is unchanged. Does
        nothing without a tensor.
        """
        if self.view is None:
            return
        row = min(max(row, 0), self.view.rows - 1)
        column = min(max(column, 0), self.view.columns - 1)
        self.item.cursor = (row, column)
        self.item.update()
        self.set_viewport(self.view.reveal(row, column))

    def ensure_cursor(self) -> None:
        """Move the cursor to the center of the visible part if there is no cursor."""
        if self.item.cursor is None and self.view is not None:
            self.set_cursor(*self.view.nearest(self.view.width / 2, self.view.height / 2))

    def _apply(self) -> None:
        left, top, right, bottom = self._viewport().visible
        self.box.setRange(xRange=(left, right), yRange=(top, bottom), padding=0)

    def _on_resized(self) -> None:
        if self.view is not None:
            width, height = max(1.0, self.box.width()), max(1.0, self.box.height())
            self.set_viewport(self.view.resize(width, height))

    def _viewport(self) -> Viewport:
        assert self.view is not None, "keys and buttons are for a picture"
        return self.view

    def _in_box(self, position: QPointF) -> QPointF:
        """Return the position of a pixel of this widget relative to the plot's corner."""
        return QPointF(self.box.mapFromScene(self.mapToScene(position.toPoint())))

    def _nearest(self, position: QPointF) -> Cell:
        local = self._in_box(position)
        return self._viewport().nearest(local.x(), local.y())

    # -- selection --------------------------------------------------------------------------------

    def set_tool(self, tool: Tool) -> None:
        """Set what dragging does."""
        self.pointer.tool = tool
        self._show_pointer()

    def clear_selection(self) -> None:
        if self.selection is not None:
            self.pointer.clear_selection()
            self._show_selection()

    def select_at_cursor(self, shape: Shape) -> None:
        """Select only the row, column or channel at the cursor; does nothing without a cursor.

        The channel again selects that along the next dimension, after the last one along the first.
        """
        cursor, layout = self.item.cursor, self.item.layout
        if cursor is None or layout is None:
            return
        selection = self.selection
        self.pointer.select(shape, cursor)
        if shape == "channel" and selection == self.selection:
            self.pointer.dim = (self.pointer.dim + 1) % max(1, len(layout.shape))
            self.pointer.select(shape, cursor)
        self._anchor = cursor
        self._show_selection()

    def _show_selection(self) -> None:
        self.item.set_selection(self.selection)
        self.selectionChanged.emit(self.selection)

    def _show_pointer(self) -> None:
        if self._panning:
            self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)
        elif self.pointer.tool != "look":
            self.viewport().setCursor(Qt.CursorShape.CrossCursor)
        else:
            self.viewport().unsetCursor()

    # -- mouse ------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120
        if steps:
            self.zoom(ZOOM_STEP**steps, event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        adds = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        tool = self.pointer.tool
        if tool == "look" and adds:
            tool = "rectangle"
        drawing = event.button() == Qt.MouseButton.LeftButton and not self._panning
        if drawing and tool != "look" and self.view is not None:
            cell = self._nearest(event.position())
            self.item.cursor = self._anchor = cell
            self.pointer.press(cell, tool, adds=adds)
            self._show_selection()
            event.accept()
        elif not self.pointer.is_drawing:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.pointer.is_drawing:
            self.pointer.move(self._nearest(event.position()))
            self._show_selection()
        super().mouseMoveEvent(event)

    def _drag(self, _event: QMouseEvent, _start: QPointF, moved: QPointF) -> None:
        if self.view is not None:
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self.set_viewport(self.view.pan_by(moved.x(), moved.y()))

    def _hover(self, pixel: QPointF | None) -> None:
        self.hovered.emit(None if pixel is None else self.weight_at(pixel.toPoint()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self.pointer.is_drawing:
            super().mouseReleaseEvent(event)
        elif event.button() == Qt.MouseButton.LeftButton:
            self.pointer.release()
            self._show_selection()
        self._show_pointer()
        event.accept()

    def _click(self, event: QMouseEvent) -> None:
        self.clear_selection()
        self._anchor = None
        cell = self.weight_at(event.position().toPoint())
        if cell is not None:
            self.set_cursor(*cell)
            self.cursorMoved.emit(*cell)

    # -- keyboard ---------------------------------------------------------------------------------

    def handles_key(self, event: QKeyEvent) -> bool:
        """Claim Escape while it can clear the selection."""
        return event.key() == Qt.Key.Key_Escape and self.selection is not None

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """End panning when Space is released."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._panning = False
            self._show_pointer()
        else:
            event.ignore()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """End panning: another widget gets the release of Space."""
        self._panning = False
        self._show_pointer()
        super().focusOutEvent(event)

    def _press_key(self, event: QKeyEvent) -> bool:
        key, held = event.key(), event.modifiers()
        shift = bool(held & Qt.KeyboardModifier.ShiftModifier)
        if self.view is None or held & (
            Qt.KeyboardModifier.ControlModifier
            | Qt.KeyboardModifier.AltModifier
            | Qt.KeyboardModifier.MetaModifier
        ):
            return False
        if key == Qt.Key.Key_Space:
            self._panning = True
            self._show_pointer()
        elif key == Qt.Key.Key_Escape and self.selection is not None:
            if self.pointer.is_drawing:
                self.pointer.cancel()
            else:
                self.pointer.clear_selection()
            self._show_selection()
        elif (operation := operation_of(event)) is not None:
            self.operated.emit(operation)
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.ensure_cursor()
            self.menuRequested.emit()
        elif key in _SELECTION_KEYS:
            self.ensure_cursor()
            self.select_at_cursor(_SELECTION_KEYS[key])
        elif key == Qt.Key.Key_M:
            self.maskToggled.emit()
        elif self._cursor_target(key) is not None:
            self._move_cursor(key, drawing=shift)
        else:
            return super()._press_key(event)
        return True

    def _cursor_target(self, key: int) -> Cell | None:
        """Return the new cursor position for a key; None if the key does not move the cursor.

        It may be outside the tensor. Without a cursor, arrow keys place it at the center. A page is
        as high as the visible part.
        """
        view, cursor = self._viewport(), self.item.cursor
        row, column = cursor or (math.floor(view.y), math.floor(view.x))
        page = max(1, math.floor(view.height / view.scale_y) - 1)
        step = 0 if cursor is None else 1
        return {
            Qt.Key.Key_Left: (row, column - step),
            Qt.Key.Key_Right: (row, column + step),
            Qt.Key.Key_Up: (row - step, column),
            Qt.Key.Key_Down: (row + step, column),
            Qt.Key.Key_Home: (row, 0),
            Qt.Key.Key_End: (row, view.columns - 1),
            Qt.Key.Key_PageUp: (row - page, column),
            Qt.Key.Key_PageDown: (row + page, column),
        }.get(Qt.Key(key))

    def _move_cursor(self, key: int, *, drawing: bool) -> None:
        """Move the cursor by a key; with `drawing`, extend the selection to the new position.

        Otherwise the selection is cleared. Emits `cursorMoved`.
        """
        if drawing:
            self.ensure_cursor()
            self._anchor = self._anchor or self.item.cursor
        cell = self._cursor_target(key)
        assert cell is not None
        self.set_cursor(*cell)
        cursor = self.item.cursor
        assert cursor is not None
        if drawing and self._anchor is not None:
            self.pointer.extend(self._anchor, cursor)
            self._show_selection()
        self.cursorMoved.emit(*cursor)
        if not drawing:
            self._anchor = cursor
            self.clear_selection()
