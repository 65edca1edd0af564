"""A bar chart as data, what its canvas paints, and the selection of bars."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPaintEngine, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pruneapp.edits.manual_edit import true_runs
from pruneapp.gui.plots.base.plot_area import CutLine, PlotArea
from pruneapp.gui.plots.base.readout import Swatch
from pruneapp.gui.widgets.safe_paint import report_exceptions, saved_painter_state
from pruneapp.gui.widgets.sparsity_bar import hatch

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Stacks:
    """Heights of the parts of stacked bars, from the bottom up, ``float64[n]`` each."""

    kept: Floats
    to_prune: Floats
    pruned: Floats
    pruned_first: bool = False  # whether the pruned part is at the bottom instead of the kept part
    floor: Floats | None = None  # ``float64[n]``: nothing is drawn below; None for 0
    front: Stacks | None = None  # bars drawn in front

    @property
    def top(self) -> float:
        """The height of the highest stack."""
        total = self.kept + self.to_prune + self.pruned
        return float(total.max()) if total.size else 0.0


@dataclass(frozen=True, eq=False)
class TableColumn:
    """A column of the table and of the CSV file."""

    header: str
    cell: Callable[[int], object]  # returns the value of an item; NaN of a share is no value
    share: bool = False  # whether the values are fractions, shown in percent
    shown: bool = True  # whether the table shows it; a file has all columns


@dataclass(frozen=True, eq=False, kw_only=True)
class BarChart:
    """What a `BarChartView` shows: bar i shows the item ``order[i]``."""

    key: object = None  # the visible range is kept while this is equal
    order: Indices = field(default_factory=lambda: np.zeros(0, np.int64))
    # Edges of the bars, ``float64[n + 1]``; None for bars of width 1.
    edges: Floats | None = None
    # Returns the bars of successive items; the second argument is how many form one bar.
    stacks: Callable[[Indices, int], Stacks] | None = None
    highest: float | None = None  # end of the value axis; None for the highest visible bar
    # Texts.
    title: str = ""  # kind of chart, as its accessible name
    along: str = ""  # label of the axis along which the bars are placed
    along_grouped: str = ""  # the same if several ("{n}") bars are combined to one
    across: str = ""  # label of the value axis
    widest_tick: str = ""  # the longest label of a vertical value axis; "" to derive it
    subject: str = ""  # what the chart is about, before the summary for screen readers
    summary: Callable[[], str] = str  # a sentence about the chart, also for screen readers
    text: Callable[[int], str] = str  # readout of an item
    columns: Sequence[TableColumn] = ()
    swatches: Sequence[Swatch] = ()  # the legend
    # What is drawn over the bars.
    dividers: Floats = field(default_factory=lambda: np.zeros(0))  # positions along the bars
    line: CutLine | None = None
    marks: Marks | None = None
    # Of horizontal bars only: names, and the end of the text behind each bar with the text.
    name: Callable[[int], str] = str
    current: int = -1  # the item to mark; -1 for none
    value: Callable[[int], tuple[float, str]] | None = None
    widest_value: str = ""  # at least as wide as the text behind any bar
    capped: Mapping[int, str] = field(default_factory=dict)  # bars cut off, with their true values
    largest_tick: float = math.inf
    in_bytes: bool = False  # whether the value axis shows byte sizes
    # Of vertical bars only: whether the value axis is logarithmic.
    log: bool = False


class HatchedBars(pg.BarGraphItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Bars with stripes whose width on the screen does not depend on the zoom."""

    def __init__(self) -> None:
        super().__init__(x0=[], x1=[], y0=[], y1=[], pen=None, brush="#000000")
        self._color, self._ground = "#000000", "#ffffff"

    def set_colors(self, color: str, ground: str) -> None:
        """Set the colors of the stripes and of the gaps."""
        self._color, self._ground = color, ground
        self.update()

    @report_exceptions
    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Paint the bars with a brush that inverts the scale of the plot (pyqtgraph override).

        Nothing is painted while the scale is 0.
        """
        device = painter.device()
        ratio = device.devicePixelRatio() if device else 1.0
        brush = QBrush(hatch(self._color, self._ground, ratio))
        painter.setPen(pg.mkPen(None))
        if painter.paintEngine().type() == QPaintEngine.Type.SVG:
            self._paint_drawing(painter, brush)
            return
        undone, possible = painter.worldTransform().inverted()
        if not possible:
            return
        brush.setTransform(undone)
        painter.setBrush(brush)
        painter.drawRects(*self._rectarray.drawargs())

    def _paint_drawing(self, painter: QPainter, brush: QBrush) -> None:
        """Paint in device coordinates, because Qt's SVG engine ignores brush transforms."""
        scale = painter.worldTransform()
        sides = (self.opts[side] for side in ("x0", "x1", "y0", "y1"))
        with saved_painter_state(painter):
            painter.resetTransform()
            painter.setBrush(brush)
            for left, right, low, high in zip(*sides, strict=True):
                bar = QRectF(QPointF(left, low), QPointF(right, high))
                painter.drawRect(scale.mapRect(bar))


NO_STACKS = Stacks(*(np.zeros(0),) * 3)


class StackedBars:
    """The items of a view box that draw `Stacks`; "kept" has a text color if `neutral`."""

    def __init__(self, box: Any, *, neutral: bool = False, sideways: bool = False) -> None:
        self._box, self._neutral, self._sideways = box, neutral, sideways
        self._kept_color = "muted" if neutral else "kept"
        self._colors: Mapping[str, str] = {}
        self.front: StackedBars | None = None  # created when bars in front are first needed
        self.kept = pg.BarGraphItem(x0=[], x1=[], y0=[], y1=[], pen=None)
        self.to_prune = HatchedBars()
        self.pruned = pg.BarGraphItem(x0=[], x1=[], y0=[], y1=[], pen=None)
        for item in (self.kept, self.to_prune, self.pruned):
            box.addItem(item, ignoreBounds=True)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of a theme (color by token)."""
        self._colors = colors
        if self.front is not None:
            self.front.set_colors(colors)
        self.kept.setOpts(brush=QColor(colors[self._kept_color]))
        self.pruned.setOpts(brush=QColor(colors["pruned"]))
        self.to_prune.set_colors(colors["pruned"], colors["surface"])

    def set_stacks(
        self, edges: Floats, stacks: Stacks, *, gap: float, log: bool, floor: float
    ) -> None:
        """Draw the bars in place of the last ones; parts of no height are omitted.

        Parameters
        ----------
        edges
            ``float64[n + 1]``: bar i is between the edges i and i + 1.
        gap
            Share of the width of each bar to leave free.
        log
            Draw log10 of the heights, which are counts.
        floor
            Lower end of the logarithmic axis, as an exponent; smaller heights are raised to it.
        """
        wide = np.diff(edges)
        left, right = edges[:-1] + wide * gap / 2, edges[1:] - wide * gap / 2
        low = np.zeros_like(stacks.kept)
        parts = [
            (self.kept, stacks.kept),
            (self.to_prune, stacks.to_prune),
            (self.pruned, stacks.pruned),
        ]
        for item, part in reversed(parts) if stacks.pruned_first else parts:
            high = low + part
            start = low if stacks.floor is None else np.maximum(low, stacks.floor)
            some = high > start
            y0, y1 = start[some], high[some]
            if log:
                y0, y1 = _log(y0, floor), _log(y1, floor)
            ends = (left[some], right[some]), (y0, y1)
            (x0, x1), (y0, y1) = reversed(ends) if self._sideways else ends
            item.setOpts(x0=x0, x1=x1, y0=y0, y1=y1)
            low = high
        if stacks.front is not None and self.front is None:
            self.front = StackedBars(self._box, neutral=self._neutral, sideways=self._sideways)
            self.front.set_colors(self._colors)
        if self.front is not None:
            front, edges = stacks.front or NO_STACKS, edges if stacks.front else np.zeros(1)
            self.front.set_stacks(edges, front, gap=gap, log=log, floor=floor)


def _log(heights: Floats, floor: float) -> Floats:
    return np.log10(np.maximum(heights, 10**floor))


class Pick(Enum):
    """How a gesture changes the selection."""

    ONE = auto()  # select only this bar
    TOGGLE = auto()  # select or deselect this bar, keep the others
    RANGE = auto()  # select the range from the last selected bar to this one


class BarSelection:
    """Selected bars by their item index, independent of the displayed order."""

    def __init__(self) -> None:
        self.reset(0)

    @property
    def indices(self) -> NDArray[np.int64]:
        """Indices of the selected bars, ascending."""
        return np.flatnonzero(self.chosen).astype(np.int64)

    def __bool__(self) -> bool:
        return bool(self.chosen.any())

    def reset(self, size: int) -> None:
        """Clear the selection and set the number of bars."""
        self.chosen: NDArray[np.bool_] = np.zeros(size, dtype=np.bool_)
        self._anchor = -1

    def choose(self, chosen: NDArray[np.bool_]) -> None:
        """Select exactly the bars of a mask ``bool[n]`` by index."""
        self.chosen = chosen.copy()
        self._anchor = int(chosen.argmax()) if chosen.any() else -1

    def pick(self, bar: int, how: Pick, order: NDArray[np.int64]) -> None:
        """Change the selection by the bar at position `bar`, whose index is ``order[bar]``.

        `ONE` selects only this bar, `TOGGLE` changes its selection and keeps the others; both make
        it the start of later ranges. `RANGE` selects only the bars from that start to this one,
        inclusive; without a start it does the same as `ONE`.
        """
        index = int(order[bar])
        if how is Pick.TOGGLE:
            self.chosen[index] = not self.chosen[index]
            self._anchor = index
        elif how is Pick.RANGE and self._anchor >= 0:
            start = int(np.flatnonzero(order == self._anchor)[0])
            first, last = sorted((start, bar))
            self.chosen[:] = False
            self.chosen[order[first : last + 1]] = True
        else:
            self.chosen[:] = False
            self.chosen[index] = True
            self._anchor = index

    def pick_range(self, start: int, stop: int, order: NDArray[np.int64], *, add: bool) -> None:
        """Select the bars at positions from `start` to before `stop`; `add` keeps the others."""
        if not add:
            self.chosen[:] = False
        self.chosen[order[start:stop]] = True
        if stop > start:
            self._anchor = int(order[start])


_LOCK = 12  # size in pixels
_NARROW = 5  # minimum width of an outline in pixels
_WIDE = 12  # width in pixels from which outlines have lines of 2 pixels


@dataclass(frozen=True, eq=False)
class Marks:
    """Marks of bars in displayed order; bar i reaches from ``i - 0.5`` to ``i + 0.5``."""

    chosen: NDArray[np.bool_]
    protected: NDArray[np.bool_]  # completely
    partly: NDArray[np.bool_]  # partly protected
    heights: Floats


def paint_marks(
    painter: QPainter,
    marks: Marks,
    area: PlotArea,
    visible: tuple[int, int],
    colors: Mapping[str, str],
) -> None:
    """Paint outlines and locks of protected runs of bars, and highlight selected runs.

    Only bars from ``visible[0]`` to before ``visible[1]`` are marked. Partly protected bars have a
    dashed outline and no lock. Bars that share a column of pixels are marked together; locks that
    would overlap are omitted.
    """
    start, stop = visible
    plot = area.rect
    with saved_painter_state(painter):
        painter.setClipRect(plot.adjusted(-2, -2, 2, 2))
        for first, last in _marked_runs(marks.partly[start:stop], start, stop, plot.width()):
            _paint_dashes(painter, _rect(area, first, last, float(marks.heights[first:last].max())))
        next_lock = plot.left()
        for first, last in _marked_runs(marks.protected[start:stop], start, stop, plot.width()):
            rect = _rect(area, first, last, float(marks.heights[first:last].max()))
            _paint_outlines(painter, rect)
            middle = rect.center().x()
            if middle - _LOCK / 2 >= next_lock:  # overlapping locks would be unreadable
                top = max(plot.top() + 2, rect.top() - _LOCK - 6)
                paint_lock(painter, QRectF(middle - _LOCK / 2, top, _LOCK, _LOCK + 2), colors)
                next_lock = middle + _LOCK / 2 + 4
        for first, last in _marked_runs(marks.chosen[start:stop], start, stop, plot.width()):
            rect = _rect(area, first, last, 0)
            rect.setTop(plot.top() + 1)
            _paint_selection(painter, rect, QColor(colors["accent"]))


def _paint_outlines(painter: QPainter, rect: QRectF) -> None:
    """Paint a black and a white outline, so that one is visible on any bar color.

    A bar of less than `_NARROW` pixels is filled instead.
    """
    wide = 2 if rect.width() >= _WIDE else 1
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if rect.width() < _NARROW:
        painter.fillRect(rect.adjusted(-1, -1, 1, 0), QColor("#000000"))
        painter.fillRect(rect, QColor("#ffffff"))
        return
    rect = rect.adjusted(-1, -1, 1, 0)
    painter.setPen(QPen(QColor("#000000"), wide))
    painter.drawRect(rect)
    painter.setPen(QPen(QColor("#ffffff"), wide))
    painter.drawRect(rect.adjusted(wide, wide, -wide, -wide))


def _paint_dashes(painter: QPainter, rect: QRectF) -> None:
    """Paint an outline of alternating black and white dashes, visible on any bar color."""
    rect = rect.adjusted(-1, -1, 1, 0)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    pens = QPen(QColor("#000000"), 2), QPen(QColor("#ffffff"), 2)
    pens[1].setDashPattern([2, 2])
    for pen in pens:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        if rect.width() < _NARROW:
            painter.drawLine(rect.bottomLeft(), rect.topLeft())
        else:
            painter.drawRect(rect)


def _paint_selection(painter: QPainter, rect: QRectF, accent: QColor) -> None:
    """Paint an outline and a translucent fill; only marks at both ends if it is too narrow."""
    veil = QColor(accent)
    veil.setAlpha(48)
    painter.fillRect(rect, veil)
    if rect.width() >= _NARROW:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(accent, 2))
        painter.drawRect(rect)
        return
    for top in (rect.top(), rect.bottom() - 4):
        painter.fillRect(QRectF(rect.left(), top, rect.width(), 4), accent)


def paint_band(painter: QPainter, ends: tuple[float, float], plot: QRectF, accent: QColor) -> None:
    """Paint the rectangle of a drag selection over the height of the plot.

    `ends` are x in pixels in any order, cut off at the plot.
    """
    left, right = (min(max(x, plot.left()), plot.right()) for x in sorted(ends))
    ground = QColor(accent)
    ground.setAlpha(48)
    painter.setPen(QPen(accent, 1, Qt.PenStyle.DashLine))
    painter.setBrush(ground)
    painter.drawRect(QRectF(left, plot.top(), right - left, plot.height()))


def paint_lock(painter: QPainter, rect: QRectF, colors: Mapping[str, str]) -> None:
    """Paint a padlock in the text color on the background color."""
    with saved_painter_state(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors["surface"]))
        painter.drawRoundedRect(rect.adjusted(-2, -2, 2, 2), 3, 3)
        ink = QColor(colors["text"])
        body = QRectF(
            rect.left() + 1, rect.center().y() - 1, rect.width() - 2, rect.height() / 2 + 1
        )
        painter.setBrush(ink)
        painter.drawRoundedRect(body, 1.5, 1.5)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(ink, 1.5))
        wide = rect.width() / 2
        bow = QRectF(rect.center().x() - wide / 2, rect.top() + 0.75, wide, wide * 1.4)
        painter.drawArc(bow, 0, 180 * 16)
        for x in (bow.left(), bow.right()):
            painter.drawLine(QPointF(x, bow.center().y()), QPointF(x, body.top()))


def _rect(area: PlotArea, first: int, last: int, high: float) -> QRectF:
    rect = QRectF(area.pixel(first - 0.5, high), area.pixel(last - 0.5, 0))
    rect.setWidth(max(rect.width(), 1))
    return rect


def _marked_runs(
    marked: NDArray[np.bool_], start: int, stop: int, width: float
) -> list[tuple[int, int]]:
    """Return runs of marked bars as (start, stop), merged to at most one per pixel column.

    `marked` has the bars from `start` to before `stop`. The result counts from the first bar of the
    chart, ascending; `stop` is exclusive.
    """
    group = max(1, int(np.ceil((stop - start) / max(width, 1))))
    if group == 1 or not marked.size:
        return [(start + a, start + b) for a, b in true_runs(marked)]
    grouped = np.logical_or.reduceat(marked, np.arange(0, marked.size, group))
    return [(start + a * group, min(start + b * group, stop)) for a, b in true_runs(grouped)]
