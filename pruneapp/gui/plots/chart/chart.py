"""Base classes of bar charts: hovering, ordering and grouping of bars that are too narrow."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex

from pruneapp.gui.plots.base.plot_canvas import PlotAxis
from pruneapp.gui.plots.base.plot_view import PlotView
from pruneapp.gui.plots.base.readout import Swatch, value_text
from pruneapp.gui.plots.chart.axes import NamesAxis, NumberAxis
from pruneapp.gui.plots.chart.chart_canvas import ChartCanvas
from pruneapp.gui.plots.chart.items import NO_STACKS, Floats, Stacks
from pruneapp.gui.widgets.controls import ComboBox, choice_box
from pruneapp.gui.widgets.short_names import ShortNames


class Chart(PlotView):
    """A plot of bars. Subclasses return the bars, their texts and the legend."""

    def __init__(
        self, bottom: PlotAxis, left: PlotAxis, *, neutral: bool = False, sideways: bool = False
    ) -> None:
        self.canvas = ChartCanvas(bottom, left, neutral=neutral, sideways=sideways)
        super().__init__(self.canvas)
        self._log = False
        self._hovered = -1
        self._group = 1  # number of bars that are drawn as one
        for axis in (bottom, left):
            axis.enableAutoSIPrefix(False)
            # Labels at the ends may exceed the axis, because the first label is the important 0.
            axis.setStyle(tickLength=4, maxTickLevel=0, hideOverlappingLabels=24)
        self.canvas.viewChanged.connect(self._draw)
        self.canvas.hovered.connect(self._on_hovered)
        self.canvas.cursorMoved.connect(self._on_cursor_moved)
        self.canvas.activated.connect(self.activate)
        self._table.activated.connect(self._on_row_activated)

    # Implemented by subclasses.

    @abstractmethod
    def edges(self) -> Floats:
        """Return the edges of the bars along x, ``float64[n + 1]``, ascending."""

    @abstractmethod
    def stacks(self, start: int, stop: int, group: int) -> Stacks:
        """Return the bars from `start` to before `stop`, every `group` of them combined to one."""

    @abstractmethod
    def bar_text(self, bar: int) -> str:
        """Return the readout text of a bar."""

    @abstractmethod
    def summary(self) -> str:
        """Return a sentence that summarizes the chart, also for screen readers."""

    @abstractmethod
    def title(self) -> str:
        """Return the kind of chart, as its accessible name."""

    def swatches(self) -> list[Swatch]:
        """Return the entries of the legend; none by default."""
        return []

    def state_swatches(self, *, preview: bool) -> list[Swatch]:
        """Return the legend for kept and pruned weights; with `preview` also to be pruned."""
        pruned = (self._colors["pruned"],)
        swatches = [
            Swatch(self.tr("kept"), (self._colors["kept"],)),
            Swatch(self.tr("pruned"), pruned),
        ]
        if preview:
            swatches.append(Swatch(self.tr("to be pruned"), pruned, hatched=True))
        return swatches

    def widest_tick(self) -> str:
        """Return the longest label that the vertical axis may show."""
        return value_text(self.highest(), 1) + "00"

    def activate(self, bar: int) -> None:
        """Handle a click on a bar, or Return; does nothing by default."""

    # Implementation.

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of a theme (color by token)."""
        super().set_colors(colors)
        self.canvas.set_colors(self._colors)
        self._refresh_texts()

    def _show_bars(self, *, keep_view: bool = False) -> None:
        edges = self.edges()
        if not self.canvas.sideways:
            # A fixed width, so that bars do not move while zooming.
            metrics = self.fontMetrics()
            label = metrics.height() + 12
            self.canvas.left.setWidth(metrics.horizontalAdvance(self.widest_tick()) + label)
        if keep_view and edges.size - 1 == self.canvas.count:
            self._draw()
        else:
            self._hovered = -1
            self.canvas.set_edges(edges)
        self._set_content(present=edges.size > 1)
        self._refresh_texts()
        self._refresh_table()

    def _draw(self) -> None:
        start, stop = self.canvas.visible
        if not self.canvas.count or stop <= start:
            self.canvas.bars.set_stacks(NO_STACKS, gap=0, log=False, floor=0)
            return
        wide = self.canvas.plot_length
        group = max(1, int(np.ceil((stop - start) / wide)))
        start -= start % group  # aligned, so that groups do not change while scrolling
        if group != self._group:
            self._group = group
            self._show_grouping()
        stacks = self.stacks(start, stop, group)
        floor = -0.3 if self._log else 0.0
        gap = 0.15 if wide / (stop - start) >= 4 else 0.0
        self.canvas.bars.set_stacks(stacks, gap=gap, log=self._log, floor=floor)
        highest = self.highest()
        if self._log:
            top = max(1.0, float(np.log10(max(highest, 1.0)))) * 1.05
        else:
            top = self.canvas.top_for(highest) if highest > 0 else 1.0
        self.canvas.set_top(floor, top)

    def _redraw(self) -> None:
        """Draw the bars again and update the texts and the table."""
        self._draw()
        self._refresh_texts()
        self._refresh_table()

    def _show_grouping(self) -> None:
        """Update texts that depend on the number of bars per group; does nothing by default."""

    def highest(self) -> float:
        """Return the height of the highest bar."""
        edges = self.edges()
        return self.stacks(0, edges.size - 1, 1).top if edges.size > 1 else 0.0

    def _refresh_texts(self) -> None:
        self._set_legend(self.swatches() if self._has_content else ())
        self._describe(self.title(), self.summary() if self._has_content else self.empty_text())
        self._refresh_readout()

    def _refresh_readout(self) -> None:
        bar = self._hovered if self._hovered >= 0 else self.canvas.cursor_bar
        if not self._has_content:
            self.readout.setText("")
        elif 0 <= bar < self.canvas.count:
            self.readout.setText(self.bar_text(bar))
        else:
            self.readout.setText(self.summary())

    def _on_row_activated(self, index: QModelIndex) -> None:
        self.activate(index.row())  # row i is bar i

    def _on_hovered(self, bar: int) -> None:
        if bar != self._hovered:
            self._hovered = bar
            self._refresh_readout()

    def _on_cursor_moved(self, _bar: int) -> None:
        self._hovered = -1
        self._refresh_readout()


def grouped_sum(values: Floats, group: int) -> Floats:
    """Return the sum of each `group` successive values; the last group may be smaller."""
    return values if group == 1 else np.add.reduceat(values, np.arange(0, values.size, group))


def grouped_max(values: Floats, group: int) -> Floats:
    """Return the maximum of each `group` successive values; the last group may be smaller."""
    return values if group == 1 else np.maximum.reduceat(values, np.arange(0, values.size, group))


def grouped_edges(edges: Floats, start: int, stop: int, group: int) -> Floats:
    """Return the edges after every `group` bars from `start` to `stop` are combined."""
    return np.append(edges[start:stop:group], edges[stop])


class OrderedChart(Chart):
    """Bars of width 1 for items with an index, in an order that the user chooses.

    Parameters
    ----------
    orders
        Key and label of each order; the first one is the order by index.
    first
        Position of the first bar on the axis.
    """

    def __init__(
        self,
        bottom: PlotAxis,
        left: PlotAxis,
        orders: tuple[tuple[str, str], ...],
        *,
        first: int = 0,
        neutral: bool = False,
        sideways: bool = False,
    ) -> None:
        self._order: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._first = first
        super().__init__(bottom, left, neutral=neutral, sideways=sideways)
        self.order_box = choice_box(
            self.tr("Order"), self.tr("Order of the bars"), ((label, key) for key, label in orders)
        )
        self.order_box.activated.connect(self._on_order_chosen)

    @abstractmethod
    def ordered(self, key: str) -> NDArray[np.int64]:
        """Return the item at each position for the order `key`, ``int64[n]``; sorting is stable."""

    @abstractmethod
    def order_label(self) -> str:
        """Return the label of the axis along which the bars are placed."""

    @property
    def order(self) -> str:
        """The key of the chosen order."""
        return str(self.order_box.currentData())

    def edges(self) -> Floats:
        """Return the edges of the bars, half a unit around their positions."""
        size = self._order.size
        return np.arange(size + 1, dtype=np.float64) - 0.5 + self._first if size else np.zeros(1)

    def _reorder(self) -> None:
        """Recompute the order; call this before drawing the bars."""
        self._order = self.ordered(self.order)
        self._show_grouping()

    def _show_grouping(self) -> None:
        self.canvas.along.setLabel(self.order_label())

    def _on_order_chosen(self) -> None:
        self._reorder()
        self.canvas.set_cursor(-1)
        self._redraw()


class TensorsChart(OrderedChart):
    """Horizontal bars of tensors, each with its name on the left and its value after its end.

    The item data of `measure_box` are the keys of the measures.
    """

    def __init__(
        self, orders: tuple[tuple[str, str], ...], measure_box: ComboBox, *, neutral: bool = False
    ) -> None:
        self.measure_box = measure_box
        self._short = ShortNames()
        self._names_axis, self._values = NamesAxis(), NumberAxis("bottom")
        super().__init__(
            self._values, self._names_axis, orders, first=1, neutral=neutral, sideways=True
        )
        measure_box.activated.connect(self._on_measure_chosen)

    @abstractmethod
    def name_of(self, tensor: int) -> str:
        """Return the name to show for a tensor."""

    @abstractmethod
    def value_of(self, bar: int) -> tuple[float, str]:
        """Return the value at which a bar ends, and the text after the bar."""

    @abstractmethod
    def widest_value(self) -> str:
        """Return a text that is at least as wide as the text after any bar."""

    @abstractmethod
    def axis_label(self) -> str:
        """Return the name and the unit of the measure."""

    def set_names(self, names: ShortNames) -> None:
        """Set the shortened names of the tensors of the file."""
        super().set_names(names)
        self._short = names

    @property
    def measure(self) -> str:
        """The key of the chosen measure."""
        return str(self.measure_box.currentData())

    def set_measure(self, key: str) -> None:
        """Choose a measure by its key, and draw it."""
        self.measure_box.setCurrentIndex(self.measure_box.findData(key))
        self._on_measure_chosen()

    def _measure(self) -> None:
        """Apply the chosen measure; call this before ordering the bars."""
        self.canvas.across.setLabel(self.axis_label())

    def _reorder(self) -> None:
        super()._reorder()
        order = self._order
        self.canvas.set_values(self.value_of, self.widest_value())
        self._names_axis.set_names(lambda at: self.name_of(int(order[at])), order.size, self._short)

    def _on_measure_chosen(self) -> None:
        self._measure()
        self._reorder()
        self._show_bars(keep_view=True)


# Minimum visible part of a state in a group of bars, as a share of the height of the chart.
_MIN_VISIBLE_SHARE = 0.01


def envelope(  # noqa: PLR0917 - called with the columns of one table
    edges: Floats, whole: Floats, left: Floats, after: Floats, group: int, highest: float
) -> Stacks:
    """Return the bars, or with `group` > 1 one bar per group that shows all states in it.

    The bars of a group are divided by state: kept at least in part, to be pruned, pruned. For each
    state the maxima of `after`, `left` and `whole` over its bars make one stack. The highest stack
    is drawn in full. Of each other stack only the top is drawn in front of it: a part of its height
    in proportion to the share of the bars with that state. So heights show norms and areas show how
    many bars have a state.

    Parameters
    ----------
    edges
        Edges of the groups.
    whole, left, after
        Heights of the bars, ``float64[n]``: of all weights, of those kept now, of those kept after
        the preview.
    highest
        Height of the highest bar of the chart.
    """
    if group == 1:
        return Stacks(edges, after, left - after, whole - left)
    partly_kept = after > 0
    to_prune = ~partly_kept & (left > 0)
    pruned = ~partly_kept & ~to_prune & (whole > 0)
    number = np.maximum(grouped_sum((whole > 0).astype(np.float64), group), 1)
    kept, part, tops, shares = [], [], [], []
    for state in (partly_kept, to_prune, pruned):
        k, p, t = (grouped_max(np.where(state, h, 0.0), group) for h in (after, left, whole))
        kept.append(k)
        part.append(p)
        tops.append(t)
        shares.append(grouped_sum(state.astype(np.float64), group) / number)
    ranked = np.argsort(-np.array(tops), axis=0, kind="stable")

    def of_rank(heights: list[Floats], rank: int) -> Floats:
        picked: Floats = np.take_along_axis(np.array(heights), ranked[rank : rank + 1], axis=0)[0]
        return picked

    front: Stacks | None = None
    for rank in (2, 1, 0):
        k, p, t = (of_rank(heights, rank) for heights in (kept, part, tops))
        visible_height = np.maximum(of_rank(shares, rank) * t, _MIN_VISIBLE_SHARE * highest)
        floor = np.maximum(t - visible_height, 0.0) if rank else None
        front = Stacks(edges, k, p - k, t - p, floor=floor, front=front)
    assert front is not None
    return front
