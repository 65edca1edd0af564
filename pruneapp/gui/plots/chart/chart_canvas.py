"""The canvas of a bar chart: zoom, cursor, keyboard, movable cut line, selection by dragging."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QWheelEvent

from pruneapp.gui.plots.base.plot_area import PlotArea
from pruneapp.gui.plots.base.plot_canvas import ZOOM_KEYS, ZOOM_STEP, PlotAxis, PlotCanvas
from pruneapp.gui.plots.base.readout import value_text
from pruneapp.gui.plots.chart.axes import NamesAxis, NumberAxis
from pruneapp.gui.plots.chart.items import (
    NO_STACKS,
    BarChart,
    Floats,
    Pick,
    StackedBars,
    paint_band,
    paint_marks,
)
from pruneapp.gui.plots.edit_buttons import operation_of
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.short_names import ShortNames

MIN_VISIBLE_BARS = 8  # minimum number of visible bars
_MARGIN = 24  # half the width of "100,000"
_VALUE_GAP = 4  # pixels between a bar and its value
_MARKER_SIZE = 5  # size of the triangle that marks the current bar, in pixels

STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}
# For horizontal bars: the keys that correspond to Left and Right for vertical bars.
_SIDEWAYS = {Qt.Key.Key_Up: Qt.Key.Key_Left, Qt.Key.Key_Down: Qt.Key.Key_Right}


class ChartCanvas(PlotCanvas):
    """Bars that are zoomed and scrolled along x, with a keyboard cursor and a movable cut line.

    Parameters
    ----------
    neutral
        Draw "kept" bars in a neutral color, for values that are not about pruned weights.
    sideways
        Draw horizontal bars from the top down. Then "along x" means vertically, the wheel scrolls
        and zooms only with Ctrl, and the initial range has as many bars as fit with their names.

    If the attribute `selecting` is True, dragging selects bars instead of scrolling.
    """

    hovered = Signal(int)  # the bar under the mouse; -1 for none
    cursorMoved = Signal(int)  # the user moved the cursor to this bar
    activated = Signal(int)  # the user clicked on this bar or pressed Return on it
    barPicked = Signal(int, object)  # (bar, Pick) the user selected this bar
    # The user dragged over the bars from the first to before the second; whether to add them to the
    # selection.
    rangeSelected = Signal(int, int, bool)

    def __init__(
        self, bottom: PlotAxis, left: PlotAxis, *, neutral: bool = False, sideways: bool = False
    ) -> None:
        super().__init__(bottom, left, margin=_MARGIN)
        self.sideways = sideways
        self.along, self.across = (left, bottom) if sideways else (bottom, left)
        self.box.invertY(sideways)
        self.bars = StackedBars(self.box, neutral=neutral, sideways=sideways)
        self.cursor_bar = -1
        self.current = -1  # the bar of the focused tensor
        self.chart = BarChart()
        self.edges: Floats = np.zeros(1)
        self._group = 1  # number of bars that are drawn as one
        # `visible_range` starts at a whole bar if `sideways`; `_exact_range` is the range before
        # rounding, so that several small drags add up.
        self._exact_range = self.visible_range = (0.0, 1.0)
        self.selecting = False
        self._anchored = False
        # Whether to keep the zoom at which each visible bar has space for its name.
        self._in_rows = False
        self._band: tuple[float, float] | None = None
        self.box.sigResized.connect(self._on_resized)

    @property
    def count(self) -> int:
        """Number of bars."""
        return self.edges.size - 1

    @property
    def visible(self) -> tuple[int, int]:
        """The first visible bar and the one after the last."""
        return self._bars_between(*self.visible_range)

    @property
    def plot_length(self) -> float:
        """Length of the plot along x in pixels."""
        return max(1.0, float(self.box.height() if self.sideways else self.box.width()))

    @property
    def area(self) -> PlotArea:
        """The area of the plot with its visible ranges."""
        low, high = self.box.viewRange()[0 if self.sideways else 1]
        return PlotArea(super().area.rect, self.visible_range, (low, high), self.sideways)

    @property
    def row(self) -> float:
        """Height in pixels of a bar with enough space for its name."""
        return float(self.fontMetrics().height() + 4)

    # -- setters ----------------------------------------------------------------------------------

    def set_chart(self, chart: BarChart, short: ShortNames) -> None:
        """Draw a chart; the visible range is kept if its key is equal to that of the last one.

        Otherwise all bars are visible, or as many as fit from the first one if `sideways`. The
        cursor is removed if the key or the edges differ. `short` has shortened forms of the names.
        Emits only `viewChanged`.
        """
        former, self.chart = self.chart, chart
        self._set_labels()
        if isinstance(self.across, NumberAxis):
            self.across.set_bytes(chart.in_bytes)
            self.across.set_ends(high=chart.largest_tick)
        if isinstance(self.left, NamesAxis):
            name, order = chart.name, chart.order
            self.left.set_names(lambda bar: name(int(order[bar])), order.size, short)
        else:
            # A fixed width, so that bars do not move while zooming.
            metrics = self.fontMetrics()
            widest = chart.widest_tick or value_text(chart.highest or 0.0, 1) + "00"
            self.left.setWidth(metrics.horizontalAdvance(widest) + metrics.height() + 12)
        self.mark(chart.current)
        edges = chart.edges
        if edges is None:
            first = 0.5 if self.sideways else -0.5
            edges = np.arange(chart.order.size + 1, dtype=np.float64) + first
        if chart.key != former.key or not np.array_equal(edges, self.edges):
            self.edges, self.cursor_bar = edges, -1
        if chart.key != former.key:
            self.fit()
            if self.sideways and self.count:
                self._in_rows = True
                self._show_rows(float(edges[0]))
        self._draw()
        self.set_line(chart.line)
        self.viewport().update()

    def mark(self, item: int) -> None:
        """Mark the bar and the name of an item, in place of the last one; -1 for none."""
        bars = np.flatnonzero(self.chart.order == item).tolist() if item >= 0 else []
        self.current = bars[0] if bars else -1
        if isinstance(self.left, NamesAxis):
            name = self.chart.name(item) if bars else ""
            self.left.set_marked(name, self._colors["accent"])
        self.viewport().update()

    def set_top(self, low: float, high: float) -> None:
        """Set the visible range along y."""
        (self.box.setXRange if self.sideways else self.box.setYRange)(low, high, padding=0)

    def _top_for(self, highest: float) -> float:
        """Return the end of the value axis for the highest bar, with space for the values."""
        wide = float(self.box.width())
        room = float(self.fontMetrics().horizontalAdvance(self.chart.widest_value) + 2 * _VALUE_GAP)
        if self.chart.value is None or not self._in_lines or wide < 2 * room:
            return highest * 1.05
        return float(max(1.05, wide / (wide - room)) * highest)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        super().set_colors(colors)
        self.bars.set_colors(colors)

    # -- visible range ----------------------------------------------------------------------------

    def fit(self) -> None:
        self._in_rows = False
        if self.count:
            self._set_range(float(self.edges[0]), float(self.edges[-1]))

    def zoom(self, factor: float, at: float | None = None) -> None:
        """Zoom in by `factor` along x around `at`; None: around the cursor, else the center.

        At least `MIN_VISIBLE_BARS` bars remain visible, and at most all.
        """
        self._in_rows = False
        low, high = self.visible_range
        if at is None:
            at = (low + high) / 2
            if self.cursor_bar >= 0:
                at = min(max(self._middle(self.cursor_bar), low), high)
        self._set_range(at - (at - low) / factor, at + (high - at) / factor)

    def set_cursor(self, bar: int) -> None:
        """Move the cursor to a bar and scroll to it; -1 removes the cursor."""
        self.cursor_bar = min(max(bar, -1), self.count - 1)
        self.scroll_to_bar(self.cursor_bar)
        self.viewport().update()

    def scroll_to_bar(self, bar: int) -> None:
        """Scroll as little as needed to show a whole bar; does nothing for other numbers."""
        if not 0 <= bar < self.count:
            return
        low, high = self.visible_range
        move = min(0.0, self.edges[bar] - low) + max(0.0, self.edges[bar + 1] - high)
        if move:
            self._set_range(low + move, high + move)

    def bar_at(self, position: QPointF) -> int:
        """Return the bar at a pixel of this widget; -1 for none."""
        area = self.area
        if not self.count or not area.rect.contains(position):
            return -1
        bar = int(np.searchsorted(self.edges, area.point(position).x(), "right")) - 1
        return bar if 0 <= bar < self.count else -1

    def pixel_of(self, bar: int) -> QPoint:
        """Return the pixel of this widget at the center of a bar."""
        area = self.area
        return area.pixel(self._middle(bar), sum(area.y) / 2).toPoint()

    @property
    def _in_lines(self) -> bool:
        """Whether the bars are horizontal and each visible one is as high as a line of text."""
        start, stop = self.visible
        line = self.fontMetrics().height()
        return bool(self.sideways and (stop - start) * line <= self.plot_length + 2 * line)

    def _bars_between(self, low: float, high: float) -> tuple[int, int]:
        start = int(np.searchsorted(self.edges, low, side="right")) - 1
        stop = int(np.searchsorted(self.edges, high, side="left"))
        return max(0, start), min(self.count, max(stop, start + 1))

    def _middle(self, bar: int) -> float:
        return float(self.edges[bar] + self.edges[bar + 1]) / 2

    def _show_rows(self, low: float) -> None:
        wide = float(self.edges[-1] - self.edges[0]) / self.count
        self._set_range(low, low + wide * self.plot_length / self.row)

    def _set_range(self, low: float, high: float) -> None:
        first, last = float(self.edges[0]), float(self.edges[-1])
        narrowest = MIN_VISIBLE_BARS * float(np.diff(self.edges).min())
        wide = min(max(high - low, narrowest), last - first)
        bar = (last - first) / self.count
        if self.sideways:
            wide = bar * max(1, int(wide / bar + 1e-6))
        middle = (low + high) / 2
        low = min(max(middle - wide / 2, first), last - wide)
        self._exact_range = (low, low + wide)
        if self.sideways:  # whole rows only
            low = first + bar * round((low - first) / bar)
        self.visible_range = (low, low + wide)
        show = self.box.setYRange if self.sideways else self.box.setXRange
        show(low, low + wide, padding=0)
        self._draw()
        # The overlays are no scene items, so the scene does not repaint them.
        self.viewport().update()
        self.viewChanged.emit()

    def _on_resized(self) -> None:
        if isinstance(self.left, NamesAxis):
            self.left.lay_out()
        if self._in_rows and self.count:
            self._show_rows(self.visible_range[0])
        else:
            self._draw()
            self.viewChanged.emit()

    # -- painting ---------------------------------------------------------------------------------

    def _set_labels(self) -> None:
        chart, along = self.chart, self.chart.along
        if self._group > 1 and chart.along_grouped:
            along = chart.along_grouped.format(n=count(self._group))
        for axis, label in ((self.along, along), (self.across, chart.across)):
            if label and axis.labelText != label:
                axis.setLabel(label)

    def _draw(self) -> None:
        """Draw the visible bars, and set the end of the value axis.

        If several bars share a pixel, as many are combined to one. Without bars, draws nothing.
        """
        chart, (start, stop) = self.chart, self.visible
        if not self.count or stop <= start or chart.stacks is None:
            self.bars.set_stacks(np.zeros(1), NO_STACKS, gap=0, log=False, floor=0)
            return
        wide = self.plot_length
        group = max(1, math.ceil((stop - start) / wide))
        start -= start % group  # aligned, so that groups do not change while scrolling
        if group != self._group:
            self._group = group
            self._set_labels()
        stacks = chart.stacks(chart.order[start:stop], group)
        edges = np.append(self.edges[start:stop:group], self.edges[stop])
        floor = -0.3 if chart.log else 0.0
        gap = 0.15 if wide / (stop - start) >= 4 else 0.0
        self.bars.set_stacks(edges, stacks, gap=gap, log=chart.log, floor=floor)
        highest = stacks.top if chart.highest is None else chart.highest
        if chart.log:
            top = max(1.0, math.log10(max(highest, 1.0))) * 1.05
        else:
            top = self._top_for(highest) if highest > 0 else 1.0
        self.set_top(floor, top)

    def paint_over(self, painter: QPainter) -> None:
        painter.setFont(self.font())
        area = self.area
        self._paint_dividers(painter, area)
        self._paint_values(painter, area)
        self._paint_capped(painter, area)
        if self.sideways and self.count:
            self._paint_scroll_indicator(painter, area.rect)
            self._paint_pointer(painter, area)
        if self.chart.marks is not None and self.count:
            paint_marks(painter, self.chart.marks, area, self.visible, self._colors)
        accent = QColor(self._colors["accent"])
        if 0 <= self.cursor_bar < self.count:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(accent, 2))
            painter.drawRect(self._bar_rect(self.cursor_bar, area))
        if self._band is not None:
            paint_band(painter, self._band, area.rect, accent)
        if self.line is not None and self.count:
            self.line.paint(painter, area, self._colors, held=self.is_dragging_line)

    def _paint_dividers(self, painter: QPainter, area: PlotArea) -> None:
        rect = area.rect
        painter.setPen(QPen(QColor(self._colors["muted"]), 1, Qt.PenStyle.DotLine))
        for x in self.chart.dividers:
            at = area.pixel(float(x), 0)
            if self.sideways and rect.top() < at.y() < rect.bottom():
                painter.drawLine(QPointF(rect.left(), at.y()), QPointF(rect.right(), at.y()))
            elif not self.sideways and rect.left() < at.x() < rect.right():
                painter.drawLine(QPointF(at.x(), rect.top()), QPointF(at.x(), rect.bottom()))

    def _paint_values(self, painter: QPainter, area: PlotArea) -> None:
        chart = self.chart
        if chart.value is None or not self.count or not self._in_lines:
            return
        rect, metrics = area.rect, painter.fontMetrics()
        painter.setPen(QColor(self._colors["text"]))
        for bar in range(*self.visible):
            end, text = chart.value(int(chart.order[bar]))
            middle = area.pixel(self._middle(bar), end)
            box = QRectF(metrics.boundingRect(text))
            box.moveCenter(QPointF(middle.x() + _VALUE_GAP + box.width() / 2, middle.y()))
            if rect.top() <= box.top() + 2 and box.bottom() - 2 <= rect.bottom():
                painter.drawText(box.adjusted(0, 0, 2, 0), Qt.AlignmentFlag.AlignCenter, text)

    def _paint_capped(self, painter: QPainter, area: PlotArea) -> None:
        """Paint an arrow and the true value at the end of bars that exceed the axis.

        Those that would overlap the one above are omitted.
        """
        rect, (start, stop) = area.rect, self.visible
        metrics, free = painter.fontMetrics(), -math.inf
        side = metrics.height() / 3
        painter.setPen(QColor(self._colors["text"]))
        for bar in sorted(bar for bar in self.chart.capped if start <= bar < stop):
            y = area.pixel(self._middle(bar), 0).y()
            if y - metrics.height() / 2 < free:
                continue
            free = y + metrics.height() / 2
            text, right = self.chart.capped[bar], rect.right() - 2
            wide = metrics.horizontalAdvance(text) + 6
            ground = QRectF(0, 0, wide + side + 4, metrics.height())
            ground.moveCenter(QPointF(right - ground.width() / 2, y))
            ground.adjust(0, -2, 0, 2)
            painter.fillRect(ground, QColor(self._colors["surface"]))
            painter.setBrush(QColor(self._colors["text"]))
            tip = QPointF(right, y)
            ends = QPointF(right - side, y - side), QPointF(right - side, y + side)
            painter.drawPolygon([tip, *ends])
            ground.setWidth(wide)
            painter.drawText(ground, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_scroll_indicator(self, painter: QPainter, rect: QRectF) -> None:
        """Paint a scroll indicator to the right of the plot, unless all bars are visible."""
        first, last = float(self.edges[0]), float(self.edges[-1])
        low, high = self.visible_range
        if high - low > 0.999 * (last - first):
            return
        scale = rect.height() / (last - first)
        bar = QRectF(
            rect.right() + 6, rect.top() + (low - first) * scale, 6, max(12.0, (high - low) * scale)
        )
        bar.moveBottom(min(bar.bottom(), rect.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colors["muted"]))
        painter.drawRoundedRect(bar, 3, 3)

    def _paint_pointer(self, painter: QPainter, area: PlotArea) -> None:
        """Paint a triangle to the left of the bar of the focused tensor, if it is visible."""
        start, stop = self.visible
        if not start <= self.current < stop:
            return
        y, right = area.pixel(self._middle(self.current), 0).y(), area.rect.left() - 1
        left = right - _MARKER_SIZE
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colors["accent"]))
        corners = (
            QPointF(left, y - _MARKER_SIZE),
            QPointF(right, y),
            QPointF(left, y + _MARKER_SIZE),
        )
        painter.drawPolygon(corners)

    def _bar_rect(self, bar: int, area: PlotArea) -> QRectF:
        start, stop = (area.pixel(float(self.edges[bar + n]), 0) for n in (0, 1))
        rect = QRectF(area.rect)
        if self.sideways:
            rect.setTop(start.y())
            rect.setBottom(stop.y())
            return rect.adjusted(0, -1, -1, 1) if rect.height() < 4 else rect.adjusted(0, 0, -1, 0)
        rect.setLeft(start.x())
        rect.setRight(stop.x())
        return rect.adjusted(-1, 1, 1, 0) if rect.width() < 4 else rect.adjusted(0, 1, 0, 0)

    # -- mouse ------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the mouse; scroll with Shift, with a horizontal wheel, or if `sideways`.

        If `sideways`, Ctrl zooms. Emits `hovered` for the bar that is now under the mouse.
        """
        across, steps = event.angleDelta().x() / 120, event.angleDelta().y() / 120
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not across:
            across, steps = steps, 0
        elif self.sideways and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            across, steps = steps or across, 0
        if self.count and abs(across) > abs(steps):
            low, high = self._exact_range
            move = -across * (high - low) / 8
            self._set_range(low + move, high + move)
        elif steps and self.count:
            self.zoom(ZOOM_STEP**steps, self.area.point(event.position()).x())
        self._hover(event.position())  # the bar under the mouse has changed
        event.accept()

    def _drag(self, event: QMouseEvent, start: QPointF, moved: QPointF) -> None:
        if not self.count:
            return
        if self.selecting and event.buttons() & Qt.MouseButton.LeftButton:
            self._band = self._band[0] if self._band else start.x(), event.position().x()
            self.viewport().update()
            return
        low, high = self._exact_range
        step = (moved.y() if self.sideways else moved.x()) * (high - low) / self.plot_length
        self._set_range(low - step, high - step)

    def _hover(self, pixel: QPointF | None) -> None:
        if pixel is not None:
            self._point_at_line(pixel)
        self.hovered.emit(-1 if pixel is None else self.bar_at(pixel))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._band is not None:
            low, high = (self.area.point(QPointF(x, 0)).x() for x in sorted(self._band))
            self._band = None
            adds = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
            self.rangeSelected.emit(*self._bars_between(low, high), bool(event.modifiers() & adds))
            self.viewport().update()
        super().mouseReleaseEvent(event)

    def _click(self, event: QMouseEvent) -> None:
        bar, held = self.bar_at(event.position()), event.modifiers()
        if bar < 0:
            return
        self.set_cursor(bar)
        self.cursorMoved.emit(bar)
        if self.selecting:
            self._anchored = True
            how = Pick.TOGGLE if held & Qt.KeyboardModifier.ControlModifier else Pick.ONE
            ranged = held & Qt.KeyboardModifier.ShiftModifier
            self.barPicked.emit(bar, Pick.RANGE if ranged else how)
        self.activated.emit(bar)

    # -- keyboard ---------------------------------------------------------------------------------

    def handles_key(self, event: QKeyEvent) -> bool:
        key = event.key()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return (self.line is not None and key in STEPS) or (
                self.selecting and key == Qt.Key.Key_A
            )
        if key == Qt.Key.Key_Escape:
            chosen = self.chart.marks is not None and bool(self.chart.marks.chosen.any())
            return chosen or self._is_dragging
        by_hand = key == Qt.Key.Key_Space or operation_of(event) is not None
        return key in ZOOM_KEYS or key == Qt.Key.Key_0 or (self.selecting and by_hand)

    @property
    def _is_dragging(self) -> bool:
        return self.is_dragging_line or self._band is not None

    def _cancel_drag(self) -> None:
        held, self.is_dragging_line, self._band, self._pressed = (
            self.is_dragging_line,
            False,
            None,
            None,
        )
        if held:
            self.lineDragCancelled.emit()
        self.viewport().update()

    def _press_key(self, event: QKeyEvent) -> bool:
        key, at, held = event.key(), self.cursor_bar, event.modifiers()
        shift = bool(held & Qt.KeyboardModifier.ShiftModifier)
        ctrl = bool(held & Qt.KeyboardModifier.ControlModifier)
        line = self.line is not None and self.line.editable
        if key == Qt.Key.Key_Escape and self._is_dragging:
            self._cancel_drag()
        elif not self.count or held & (
            Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
        ):
            return False
        elif line and key in STEPS and (ctrl or (shift and not self.selecting)):
            self.lineStepped.emit(STEPS[Qt.Key(key)])
        elif ctrl and key == Qt.Key.Key_A and self.selecting:
            self.rangeSelected.emit(0, self.count, False)
        elif ctrl:
            return False
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and at >= 0:
            self.activated.emit(at)
        elif key == Qt.Key.Key_Space and self.selecting and at >= 0:
            self.barPicked.emit(at, Pick.TOGGLE)
        elif (target := self._cursor_target(key)) is not None:
            if shift and self.selecting and at >= 0 and not self._anchored:
                self.barPicked.emit(
                    at, Pick.ONE
                )  # the range starts at the previous cursor position
            self._anchored = shift
            self.set_cursor(target)
            self.cursorMoved.emit(self.cursor_bar)
            if shift and self.selecting:
                self.barPicked.emit(self.cursor_bar, Pick.RANGE)
        else:
            return super()._press_key(event)
        return True

    def _cursor_target(self, key: int) -> int | None:
        """Return the bar to which a key moves the cursor; None for other keys.

        Without a cursor, the arrow keys start at the first visible bar. The ends are not exceeded.
        """
        if self.sideways:
            key = _SIDEWAYS.get(Qt.Key(key), key)
        at, (start, stop) = self.cursor_bar, self.visible
        page = max(1, stop - start)
        target = {
            Qt.Key.Key_Left: at - 1 if at > 0 else max(at, start),
            Qt.Key.Key_Right: at + 1 if at >= 0 else start,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: self.count - 1,
            Qt.Key.Key_PageUp: max(0, at - page),
            Qt.Key.Key_PageDown: at + page,
        }.get(Qt.Key(key))
        return None if target is None else min(target, self.count - 1)
