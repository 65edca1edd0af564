"""The canvas of the page Graph: the operators of a model, with zoom and pan."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QResizeEvent,
    QTransform,
    QWheelEvent,
)

from pruneapp.gui.plots.base.plot_canvas import ZOOM_KEYS, ZOOM_STEP, PlotAxis, PlotCanvas
from pruneapp.gui.plots.graph.graph_layout import HEIGHT, LAYER_GAP, Floats, PlacedGraph
from pruneapp.gui.widgets.labels import elide_text
from pruneapp.gui.widgets.safe_paint import saved_painter_state

FONT = 12  # pixels at 100 %
_READABLE = 0.7  # zoom below which operators are bars of their sparsity, without texts
_MAX_ZOOM, _MARGIN = 4.0, 32.0
_PADDING, _BAR = 8.0, 5.0  # of a box, and the height of its bar
_MIN_LAYER_PX = 3.0  # distance of layers below which edges would cover the operators
_MIN_BOX_PX = 3.0
_STEPS = frozenset({Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down})
_CHOOSE = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_KEYS = {*_STEPS, *_CHOOSE, *ZOOM_KEYS, Qt.Key.Key_0}


class GraphCanvas(PlotCanvas):
    """Operators as boxes with a bar of their sparsity, connected by lines.

    Dragging pans, the wheel, ``+`` and ``-`` zoom, ``0`` shows the whole graph. The arrow keys go
    along the edges, Return chooses the current operator.
    """

    nodeHovered = Signal(int)  # -1 for none
    nodeChosen = Signal(int)
    currentMoved = Signal(int)  # by the arrow keys

    graph: PlacedGraph | None = (
        None  # a class attribute because Qt resizes in GraphicsView.__init__
    )
    _is_whole = True  # whether the whole graph is shown at any size of the canvas

    def __init__(self) -> None:
        super().__init__(PlotAxis("bottom"), PlotAxis("left"))
        for axis in (self.left, self.bottom):
            axis.hide()
        self.current = -1
        self._hovered = -1
        # Pruned share of the weights of each operator; NaN without weights.
        self._shares: Floats = np.zeros(0)
        self._boxes = np.zeros((0, 4))  # left, top, width, height, in units of the layout
        self._lines = np.zeros((0, 4))  # x1, y1, x2, y2 of the links
        self._trace: list[tuple[int, int]] = []  # the links of the current operator
        self._scale, self._center = 1.0, (0.0, 0.0)  # the point of the layout at the center

    # -- content ----------------------------------------------------------------------------------

    def set_graph(self, graph: PlacedGraph | None) -> None:
        """Show a graph, whole; None clears the canvas."""
        self.graph, self.current, self._hovered, self._trace = graph, -1, -1, []
        if graph is not None:
            layout, n = graph.layout, graph.layout.operators
            corner = layout.x - layout.widths / 2, layout.y - HEIGHT / 2
            boxes = np.column_stack((*corner, layout.widths, np.full(len(layout.x), HEIGHT)))
            self._boxes, self._shares = boxes[:n], np.full(n, np.nan)
            self._lines = self._lines_of(layout.links)
            self._lines[layout.links[:, 1] >= n, 3] += HEIGHT  # to the lower end of a bend
        self.fit()

    def set_shares(self, shares: Floats) -> None:
        """Set the pruned share of each operator's weights, ``float64[n]``; NaN without weights."""
        self._shares = shares
        self.viewport().update()

    def set_current(self, node: int, *, moves_view: bool = True) -> None:
        """Mark an operator and its edges, and move it into view; -1 for none."""
        self.current, self._trace = node, []
        if self.graph is not None and node >= 0:
            layout = self.graph.layout
            _, up = layout.trace(node, layout.above)
            _, down = layout.trace(node, layout.below)
            self._trace = [*((other, item) for item, other in up), *down]
            if moves_view:
                self._move_into_view(node)
        self.viewport().update()

    def _move_into_view(self, node: int) -> None:
        """Move an operator to the center, unless it is in view and readable.

        Less far if there would be nothing on one side of it.
        """
        assert self.graph is not None
        box = self._box(node)
        if self._scale >= _READABLE and self._visible().contains(box):
            return
        self._scale, self._is_whole = max(self._scale, self._natural_scale), False
        center, (width, height) = box.center(), self.graph.layout.size
        across, along = (
            pixels / self._scale / 2 - _MARGIN for pixels in self.viewport().size().toTuple()
        )
        self._center = _limit(center.x(), width, across), _limit(center.y(), height, along)

    # -- view -------------------------------------------------------------------------------------

    @property
    def _natural_scale(self) -> float:
        """The zoom at which texts are as large as elsewhere in the window."""
        return float(self.fontMetrics().height() / (1.25 * FONT))

    def _transform(self) -> QTransform:
        middle = QRectF(self.viewport().rect()).center()
        transform = QTransform.fromTranslate(middle.x(), middle.y())
        transform.scale(self._scale, self._scale)
        return transform.translate(-self._center[0], -self._center[1])

    def _position_at(self, pixel: QPointF) -> QPointF:
        inverted, _ = self._transform().inverted()
        return inverted.map(pixel)

    def _visible(self) -> QRectF:
        """Return the visible part in units of the layout."""
        inverted, _ = self._transform().inverted()
        return inverted.mapRect(QRectF(self.viewport().rect()))

    def _box(self, node: int) -> QRectF:
        return QRectF(*self._boxes[node].tolist())

    def zoom(self, factor: float) -> None:
        self._zoom_at(QRectF(self.viewport().rect()).center(), factor)

    def _zoom_at(self, pixel: QPointF, factor: float) -> None:
        """Zoom so that the point at a pixel stays there."""
        point, (x, y) = self._position_at(pixel), self._center
        scale = min(max(self._scale * factor, self._min_scale()), _MAX_ZOOM)
        kept = self._scale / scale
        self._center = point.x() + (x - point.x()) * kept, point.y() + (y - point.y()) * kept
        self._scale, self._is_whole = scale, False
        self.viewport().update()

    def _min_scale(self) -> float:
        """Return the zoom that shows the whole graph, but not larger than natural."""
        if self.graph is None:
            return 1.0
        width, height = self.graph.layout.size
        across = max(self.viewport().width() - _MARGIN, 1.0) / max(width, 1.0)
        along = max(self.viewport().height() - _MARGIN, 1.0) / max(height, 1.0)
        return float(min(self._natural_scale, across, along))

    def fit(self) -> None:
        """Show the whole graph."""
        if self.graph is not None:
            width, height = self.graph.layout.size
            self._scale, self._is_whole = self._min_scale(), True
            self._center = width / 2, height / 2
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_whole:
            self.fit()

    # -- input ------------------------------------------------------------------------------------

    def node_at(self, pixel: QPointF) -> int:
        """Return the operator at a pixel; -1 for none."""
        if self.graph is None:
            return -1
        point = self._position_at(pixel)
        inside = np.array([point.x(), point.y()]) - self._boxes[:, :2]
        found = np.flatnonzero(((inside >= 0) & (inside <= self._boxes[:, 2:])).all(axis=1))
        return int(found[0]) if found.size else -1

    def _hover(self, pixel: QPointF | None) -> None:
        node = -1 if pixel is None else self.node_at(pixel)
        if node != self._hovered:
            self._hovered = node
            shapes = Qt.CursorShape.ArrowCursor, Qt.CursorShape.PointingHandCursor
            self.viewport().setCursor(shapes[node >= 0])
            self.nodeHovered.emit(node)

    def _drag(self, _event: QMouseEvent, _start: QPointF, moved: QPointF) -> None:
        x, y = self._center
        self._center = x - moved.x() / self._scale, y - moved.y() / self._scale
        self._is_whole = False
        self.viewport().update()

    def _click(self, event: QMouseEvent) -> None:
        node = self.node_at(event.position())
        if node >= 0:
            self.set_current(node, moves_view=False)
            self.nodeChosen.emit(node)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._zoom_at(event.position(), ZOOM_STEP ** (event.angleDelta().y() / 120))
        event.accept()

    def handles_key(self, event: QKeyEvent) -> bool:
        others = ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
        return event.key() in _KEYS and not event.modifiers() & others

    def _press_key(self, event: QKeyEvent) -> bool:
        if event.key() in _STEPS:
            node = self._neighbor(Qt.Key(event.key()))
            if node >= 0:
                self.set_current(node)
                self.currentMoved.emit(node)
        elif event.key() in _CHOOSE and self.current >= 0:
            self.nodeChosen.emit(self.current)
        else:
            return super()._press_key(event)
        return True

    def _neighbor(self, key: Qt.Key) -> int:
        """Return the operator that an arrow key leads to; -1 for none.

        Up and Down follow the edge to the nearest operator, Left and Right go along the layer.
        """
        here = self.current
        if self.graph is None or here < 0:
            return 0 if len(self._boxes) else -1
        layout = self.graph.layout
        x, y = layout.x[: len(self._boxes)], layout.y[: len(self._boxes)]
        if key in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            side = layout.above if key == Qt.Key.Key_Up else layout.below
            ends, _ = layout.trace(here, side)
        else:
            side_of = np.sign(x - x[here]) == (1 if key == Qt.Key.Key_Right else -1)
            ends = np.flatnonzero((y == y[here]) & side_of).tolist()
        away = abs(x - x[here]) + abs(y - y[here])
        return min(ends, key=away.item, default=-1)

    # -- painting ---------------------------------------------------------------------------------

    def paint_over(self, painter: QPainter) -> None:
        """Paint the visible edges and operators."""
        if self.graph is None:
            return
        seen, boxes, lines = self._visible(), self._boxes, self._lines
        nodes = np.flatnonzero(
            (boxes[:, 0] <= seen.right())
            & (boxes[:, 0] + boxes[:, 2] >= seen.left())
            & (boxes[:, 1] <= seen.bottom())
            & (boxes[:, 1] + HEIGHT >= seen.top())
        )
        in_view = (
            (lines[:, [0, 2]].min(axis=1) <= seen.right())
            & (lines[:, [0, 2]].max(axis=1) >= seen.left())
            & (lines[:, 1] <= seen.bottom())
            & (lines[:, 3] >= seen.top())
        )
        with saved_painter_state(painter):
            painter.setClipRect(self.viewport().rect())
            if self._scale < _READABLE:
                self._paint_small(painter, nodes, lines[in_view])
            painter.setTransform(self._transform(), combine=True)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self._scale >= _READABLE:
                self._paint_links(painter, self.graph.layout.links[in_view], "muted", 1)
            self._paint_links(painter, self._trace, "accent", 2)
            if self._scale >= _READABLE:
                font = painter.font()
                font.setPixelSize(FONT)
                painter.setFont(font)
                for node in nodes.tolist():
                    self._paint_node(painter, node)
            if self.current >= 0:
                self._set_pen(painter, "accent", 3)
                gap = 3 / self._scale
                box = self._box(self.current).adjusted(-gap, -gap, gap, gap)
                painter.drawRoundedRect(box, 2 * gap, 2 * gap)

    def _set_pen(self, painter: QPainter, color: str, width: float) -> None:
        """Set a pen with a width in pixels, whatever the zoom, and no brush."""
        pen = QPen(QColor(self._colors[color]), width)
        pen.setCosmetic(True)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)  # others paint the ends of joined lines twice
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _lines_of(self, links: Iterable[tuple[int, int]]) -> Floats:
        """Return the ends of links, ``float64[links, 4]``: x1, y1, x2, y2."""
        assert self.graph is not None
        layout, pairs = self.graph.layout, np.array(links, np.int64).reshape(-1, 2)
        first, second = pairs[:, 0], pairs[:, 1]
        ends = layout.x[first], layout.y[first] + HEIGHT / 2, layout.x[second], layout.y[second]
        return np.column_stack(ends) - (0, 0, 0, HEIGHT / 2)

    def _paint_links(
        self, painter: QPainter, links: Iterable[tuple[int, int]], color: str, width: float
    ) -> None:
        """Paint links as curves, and their bends as vertical lines between the operators."""
        assert self.graph is not None
        pairs = np.array(links, np.int64).reshape(-1, 2)
        is_bend = pairs[:, 1] >= self.graph.layout.operators
        path = QPainterPath()
        for (x1, y1, x2, y2), bends in zip(
            self._lines_of(pairs).tolist(), is_bend.tolist(), strict=True
        ):
            middle = (y1 + y2) / 2
            path.moveTo(x1, y1)
            path.cubicTo(x1, middle, x2, middle, x2, y2)
            if bends:
                path.lineTo(x2, y2 + HEIGHT)
        self._set_pen(painter, color, width)
        painter.drawPath(path)

    def _paint_small(self, painter: QPainter, nodes: NDArray[np.int64], lines: Floats) -> None:
        """Paint edges as straight lines, and operators as bars of their sparsity.

        The coordinates of `painter` are pixels.
        """
        origin = self._transform().map(QPointF(0, 0)).toTuple()
        if (HEIGHT + LAYER_GAP) * self._scale >= _MIN_LAYER_PX:
            self._set_pen(painter, "muted", 1)
            _draw(painter.drawLines, QLineF, lines * self._scale + np.array(origin * 2))
        boxes = self._boxes[nodes] * self._scale
        boxes[:, :2] += origin
        boxes[:, 2:] = np.maximum(boxes[:, 2:], _MIN_BOX_PX)
        shares = self._shares[nodes]
        has_weights = ~np.isnan(shares)
        pruned = boxes.copy()
        pruned[:, 2] *= shares
        painter.setPen(Qt.PenStyle.NoPen)
        # Parts of a pixel count: of the whole graph, an operator may be less than one.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for color, rects in (
            ("border", boxes[~has_weights]),
            ("kept", boxes[has_weights]),
            ("pruned", pruned[has_weights]),
        ):
            painter.setBrush(QColor(self._colors[color]))
            _draw(painter.drawRects, QRectF, rects)

    def _paint_node(self, painter: QPainter, node: int) -> None:
        """Paint an operator with its text and, if it has weights, the bar of its sparsity."""
        assert self.graph is not None
        box, share = self._box(node), float(self._shares[node])
        has_weights = not np.isnan(share)
        colors = {name: QColor(value) for name, value in self._colors.items()}
        painter.setPen(QPen(colors["muted" if has_weights else "border"], 1))
        painter.setBrush(colors["surface" if has_weights else "window"])
        painter.drawRoundedRect(box, 4, 4)
        text = box.adjusted(_PADDING, 1, -_PADDING, -_BAR - 3 if has_weights else -1)
        label = elide_text(self.graph.labels[node], painter.fontMetrics(), text.width())
        painter.setPen(colors["text" if has_weights else "muted"])
        painter.drawText(text, Qt.AlignmentFlag.AlignCenter, label)
        if has_weights:
            bar = QRectF(text.left(), box.bottom() - _BAR - 3, text.width(), _BAR)
            painter.fillRect(bar, colors["kept"])
            bar.setWidth(bar.width() * share)
            painter.fillRect(bar, colors["pruned"])


def _limit(center: float, length: float, half: float) -> float:
    """Return a center so that a view of twice `half` shows nothing outside 0 to `length`."""
    return min(max(center, half), length - half) if length > 2 * half else length / 2


def _draw(call: Callable[..., None], kind: type[QLineF | QRectF], values: Floats) -> None:
    """Draw many lines or rectangles without a Python object for each."""
    if len(values):
        array = pg.Qt.internals.PrimitiveArray(kind, 4)
        array.resize(len(values))
        array.ndarray()[:] = values
        call(*array.drawargs())
