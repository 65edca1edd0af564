"""What charts have in common: bars that are counted, hovered, ordered, and drawn many as one."""

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
from pruneapp.results.short_names import ShortNames


class Chart(PlotView):
    """A picture made of bars."""

    def __init__(
        self, bottom: PlotAxis, left: PlotAxis, *, neutral: bool = False, sideways: bool = False
    ) -> None:
        self.canvas = ChartCanvas(bottom, left, neutral=neutral, sideways=sideways)
        super().__init__(self.canvas)
        self._log = False
        self._hovered = -1
        self._group = 1  # bars that are drawn as one
        for axis in (bottom, left):
            axis.enableAutoSIPrefix(False)
            # The numbers at the ends may reach over them: a scale without its 0 is none.
            axis.setStyle(tickLength=4, maxTickLevel=0, hideOverlappingLabels=24)
        self.canvas.viewChanged.connect(self._draw)
        self.canvas.hovered.connect(self._on_hovered)
        self.canvas.cursorMoved.connect(self._on_cursor_moved)
        self.canvas.activated.connect(self.activate)
        self._table.activated.connect(self._on_row_activated)

    # What a kind of chart is.

    @abstractmethod
    def edges(self) -> Floats:
        """Return ``float64[n + 1]``: where the bars stand along x."""

    @abstractmethod
    def stacks(self, start: int, stop: int, group: int) -> Stacks:
        """Return the bars from `start` to `stop`, so many of them as one."""

    @abstractmethod
    def bar_text(self, bar: int) -> str:
        """Say what a bar is."""

    @abstractmethod
    def summary(self) -> str:
        """Say in a sentence what can be seen."""

    @abstractmethod
    def title(self) -> str:
        """Say what kind of picture it is."""

    def swatches(self) -> list[Swatch]:
        """Return the legend."""
        return []

    def state_swatches(self, *, preview: bool) -> list[Swatch]:
        """Return the legend of bars by what becomes of weights; with a preview, what it takes."""
        pruned = (self._colors["pruned"],)
        swatches = [
            Swatch(self.tr("kept"), (self._colors["kept"],)),
            Swatch(self.tr("pruned"), pruned),
        ]
        if preview:
            swatches.append(Swatch(self.tr("to be pruned"), pruned, hatched=True))
        return swatches

    def widest_tick(self) -> str:
        """Return the longest label that the upright axis may show."""
        return value_text(self.highest(), 1) + "00"

    def activate(self, bar: int) -> None:
        """Do what a click on a bar means."""

    # How it works.

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours of a theme by token, and paint anew."""
        super().set_colors(colors)
        self.canvas.set_colors(self._colors)
        self._refresh_words()

    def _begin(self, *, keep_view: bool = False) -> None:
        edges = self.edges()
        if not self.canvas.sideways:
            # A fixed width, or the bars would move while one zooms.
            metrics = self.fontMetrics()
            label = metrics.height() + 12
            self.canvas.left.setWidth(metrics.horizontalAdvance(self.widest_tick()) + label)
        if keep_view and edges.size - 1 == self.canvas.count:
            self._draw()
        else:
            self._hovered = -1
            self.canvas.set_edges(edges)
        self._set_content(present=edges.size > 1)
        self._refresh_words()
        self._refresh_table()

    def _draw(self) -> None:
        start, stop = self.canvas.visible
        if not self.canvas.count or stop <= start:
            self.canvas.bars.set_stacks(NO_STACKS, gap=0, log=False, floor=0)
            return
        wide = self.canvas.width_of_plot
        group = max(1, int(np.ceil((stop - start) / wide)))
        start -= start % group  # or bars would change while one moves
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
        """Draw the same bars anew, and say what they are."""
        self._draw()
        self._refresh_words()
        self._refresh_table()

    def _show_grouping(self) -> None:
        """Say how many bars are drawn as one, where that is to be known."""

    def highest(self) -> float:
        """Return the height of the highest bar of all."""
        edges = self.edges()
        return self.stacks(0, edges.size - 1, 1).top if edges.size > 1 else 0.0

    def _refresh_words(self) -> None:
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
        self.activate(index.row())  # rows are the bars, in their order

    def _on_hovered(self, bar: int) -> None:
        if bar != self._hovered:
            self._hovered = bar
            self._refresh_readout()

    def _on_cursor_moved(self, _bar: int) -> None:
        self._hovered = -1
        self._refresh_readout()


def grouped_sum(values: Floats, group: int) -> Floats:
    """Return sums of every `group` values; the last one may have fewer."""
    return values if group == 1 else np.add.reduceat(values, np.arange(0, values.size, group))


def grouped_max(values: Floats, group: int) -> Floats:
    """Return the largest of every `group` values."""
    return values if group == 1 else np.maximum.reduceat(values, np.arange(0, values.size, group))


def grouped_edges(edges: Floats, start: int, stop: int, group: int) -> Floats:
    """Return the edges of bars that are drawn as one."""
    return np.append(edges[start:stop:group], edges[stop])


class OrderedChart(Chart):
    """Bars of width 1, one for each thing that has an index, in an order that a person chooses.

    `orders` has key and label of each, that of the index before all; the `first` bar stands there.
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
            self.tr("Order"),
            self.tr("Order of the bars"),
            ((label, key) for key, label in orders),
        )
        self.order_box.activated.connect(self._on_order_chosen)

    @abstractmethod
    def ordered(self, key: str) -> NDArray[np.int64]:
        """Return ``int64[n]``: the index at each place of an order, equal ones as they were."""

    @abstractmethod
    def order_label(self) -> str:
        """Say what stands along the axis."""

    @property
    def order(self) -> str:
        """The key of the order."""
        return str(self.order_box.currentData())

    def edges(self) -> Floats:
        """Return where the bars stand: around the number of their place."""
        size = self._order.size
        return np.arange(size + 1, dtype=np.float64) - 0.5 + self._first if size else np.zeros(1)

    def _reorder(self) -> None:
        """Bring the bars into their order; to be called before they are drawn."""
        self._order = self.ordered(self.order)
        self._show_grouping()

    def _show_grouping(self) -> None:
        self.canvas.along.setLabel(self.order_label())

    def _on_order_chosen(self) -> None:
        self._reorder()
        self.canvas.set_cursor(-1)
        self._redraw()


class TensorsChart(OrderedChart):
    """Bars of tensors below each other, each with its name beside it and its number behind it.

    What bars are is chosen in `measure_box`, whose data are the keys of measures.
    """

    def __init__(
        self, orders: tuple[tuple[str, str], ...], measure_box: ComboBox, *, neutral: bool = False
    ) -> None:
        self.measure_box = measure_box
        self._short = ShortNames()
        self._names_axis, self._values = NamesAxis(), NumberAxis("bottom")
        super().__init__(
            self._values,
            self._names_axis,
            orders,
            first=1,
            neutral=neutral,
            sideways=True,
        )
        measure_box.activated.connect(self._on_measure_chosen)

    @abstractmethod
    def name_of(self, tensor: int) -> str:
        """Return the name that is shown of a tensor."""

    @abstractmethod
    def value_of(self, bar: int) -> tuple[float, str]:
        """Return where a bar ends, and what stands behind it."""

    @abstractmethod
    def widest_value(self) -> str:
        """Return a text as long as what stands behind any bar."""

    @abstractmethod
    def axis_label(self) -> str:
        """Say what is measured, and in which unit."""

    def set_names(self, names: ShortNames) -> None:
        """Take the shorter forms of the names of the file."""
        super().set_names(names)
        self._short = names

    @property
    def measure(self) -> str:
        """The key of what the bars are."""
        return str(self.measure_box.currentData())

    def set_measure(self, key: str) -> None:
        """Show another measure."""
        self.measure_box.setCurrentIndex(self.measure_box.findData(key))
        self._on_measure_chosen()

    def _measure(self) -> None:
        """Take the measure that is chosen; to be called before the bars are ordered."""
        self.canvas.across.setLabel(self.axis_label())

    def _reorder(self) -> None:
        super()._reorder()
        order = self._order
        self.canvas.set_values(self.value_of, self.widest_value())
        self._names_axis.set_names(lambda at: self.name_of(int(order[at])), order.size, self._short)

    def _on_measure_chosen(self) -> None:
        self._measure()
        self._reorder()
        self._begin(keep_view=True)


# Share of the height of the chart that can be seen at least of a state that few bars have.
_SEEN = 0.01


def envelope(  # noqa: PLR0917 - each of its own meaning
    edges: Floats, whole: Floats, left: Floats, after: Floats, group: int, highest: float
) -> Stacks:
    """Return bars as they are, or one for each `group` of them.

    Bars of one group are drawn apart by state: something stays, all that is left goes, nothing is
    left. Of each state the largest is drawn, each part of it only as far up as a bar of that state
    has it. The highest stands behind; in front of it, of the others, as much below their tops as is
    their share of the bars: the heights tell norms, the areas how many there are.

    `whole`, `left`, `after` are ``float64[n]``: the height of each bar; up to which something is
    left; and will be. `highest` is the highest bar of the chart.
    """
    if group == 1:
        return Stacks(edges, after, left - after, whole - left)
    stays = after > 0
    goes = ~stays & (left > 0)
    pruned = ~stays & ~goes & (whole > 0)
    number = np.maximum(grouped_sum((whole > 0).astype(np.float64), group), 1)
    kept, part, tops, shares = [], [], [], []
    for state in (stays, goes, pruned):
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
        seen = np.maximum(of_rank(shares, rank) * t, _SEEN * highest)
        floor = np.maximum(t - seen, 0.0) if rank else None
        front = Stacks(edges, k, p - k, t - p, floor=floor, front=front)
    assert front is not None
    return front
