"""Bar charts: what a page shows, as data, and the widget that shows it."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QModelIndex

from pruneapp.gui.plots.base.plot_view import PlotView
from pruneapp.gui.plots.base.readout import Swatch
from pruneapp.gui.plots.chart.axes import NamesAxis, NumberAxis
from pruneapp.gui.plots.chart.chart_canvas import ChartCanvas
from pruneapp.gui.plots.chart.items import BarChart, Floats, Stacks
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.controls import ComboBox, choice_box
from pruneapp.gui.widgets.labels import join_sentences
from pruneapp.gui.widgets.short_names import ShortNames


class BarChartView(PlotView):
    """A plot of a `BarChart`, for the measure and the order that the user chooses in boxes.

    Parameters
    ----------
    orders
        Label and key of each order.
    measure_box
        The item data are the keys of the measures.
    """

    order_box: ComboBox

    def __init__(
        self,
        canvas: ChartCanvas,
        orders: Sequence[tuple[str, str]] = (),
        measure_box: ComboBox | None = None,
    ) -> None:
        self.canvas = canvas
        self._short = ShortNames()
        super().__init__(canvas)
        self._hovered = -1
        canvas.hovered.connect(self._on_hovered)
        canvas.cursorMoved.connect(self._on_cursor_moved)
        canvas.activated.connect(self._on_activated)
        self._table.activated.connect(self._on_row_activated)
        if orders:
            self.order_box = choice_box(self.tr("Order"), self.tr("Order of the bars"), orders)
            self.order_box.activated.connect(self._on_order_chosen)
        if measure_box is not None:
            self.measure_box = measure_box
            measure_box.activated.connect(self.refresh)

    @abstractmethod
    def chart(self) -> BarChart:
        """Return what to show: the current data by the chosen measure and order."""

    def activate(self, item: int) -> None:
        """Handle a click on the bar of an item, or Return; does nothing by default."""

    @property
    def order(self) -> str:
        """The key of the chosen order."""
        return str(self.order_box.currentData())

    @property
    def measure(self) -> str:
        """The key of the chosen measure."""
        return str(self.measure_box.currentData())

    def set_measure(self, key: str) -> None:
        """Choose a measure by its key, and draw it."""
        self.measure_box.setCurrentIndex(self.measure_box.findData(key))
        self.refresh()

    def set_names(self, names: ShortNames) -> None:
        super().set_names(names)
        self._short = names

    def summary(self) -> str:
        """Return a sentence that summarizes the chart."""
        return self._chart.summary()

    def numbers(self) -> Numbers:
        columns, order = self._chart.columns, self._chart.order
        if not order.size:
            return NOTHING

        def row(bar: int) -> tuple[object, ...]:
            item = int(order[bar])
            cells = [column.cell(item) for column in columns]
            return tuple(
                None if column.share and isinstance(cell, float) and math.isnan(cell) else cell
                for column, cell in zip(columns, cells, strict=True)
            )

        return Numbers(
            tuple(column.header for column in columns),
            order.size,
            row,
            tuple(at for at, column in enumerate(columns) if column.shown),
            frozenset(at for at, column in enumerate(columns) if column.share),
        )

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

    def refresh(self) -> None:
        """Show the current data. The visible range is kept if the key of the chart is equal."""
        self._refresh_picture()
        self._refresh_table()

    def _refresh_picture(self) -> None:
        former, chart = self._chart, self.chart()
        if chart.key != former.key:
            self._hovered = -1
        self.canvas.set_chart(chart, self._short)
        present = chart.order.size > 0
        if present != self._has_content:
            self._has_content = present
            self._show_state()
        self._refresh_texts()

    def _show_data(self) -> None:
        """Show new data, in place of an error and of what was frozen."""
        self.refresh()
        self._set_content(present=self._has_content)

    @property
    def _chart(self) -> BarChart:
        return self.canvas.chart

    def _refresh_texts(self) -> None:
        self._set_legend(self._chart.swatches if self._has_content else ())
        words = join_sentences(self._chart.subject, self._chart.summary())
        self._describe(self._chart.title, words if self._has_content else self.empty_text())
        self._refresh_readout()

    def _refresh_readout(self) -> None:
        bar = self._hovered if self._hovered >= 0 else self.canvas.cursor_bar
        if not self._has_content:
            self.readout.setText("")
        elif 0 <= bar < self.canvas.count:
            self.readout.setText(self._chart.text(int(self._chart.order[bar])))
        else:
            self.readout.setText(self._chart.summary())

    def _on_activated(self, bar: int) -> None:
        self.activate(int(self._chart.order[bar]))

    def _on_row_activated(self, index: QModelIndex) -> None:
        self._on_activated(index.row())  # row i is bar i

    def _on_hovered(self, bar: int) -> None:
        self._hovered = bar
        self._refresh_readout()

    def _on_cursor_moved(self, _bar: int) -> None:
        self._hovered = -1
        self._refresh_readout()

    def _on_order_chosen(self) -> None:
        self.canvas.set_cursor(-1)
        self.refresh()


def names_canvas(*, neutral: bool = False) -> ChartCanvas:
    """Return a canvas for horizontal bars with names on the left and numbers below."""
    return ChartCanvas(NumberAxis("bottom"), NamesAxis(), neutral=neutral, sideways=True)


def grouped_sum(values: Floats, group: int) -> Floats:
    """Return the sum of each `group` successive values; the last group may be smaller."""
    return values if group == 1 else np.add.reduceat(values, np.arange(0, values.size, group))


def grouped_max(values: Floats, group: int) -> Floats:
    """Return the maximum of each `group` successive values; the last group may be smaller."""
    return values if group == 1 else np.maximum.reduceat(values, np.arange(0, values.size, group))


# Minimum visible part of a state in a group of bars, as a share of the height of the chart.
_MIN_VISIBLE_SHARE = 0.01


def envelope(whole: Floats, left: Floats, after: Floats, group: int, highest: float) -> Stacks:
    """Return the bars, or with `group` > 1 one bar per group that shows all states in it.

    The bars of a group are divided by state: kept at least in part, to be pruned, pruned. For each
    state the maxima of `after`, `left` and `whole` over its bars make one stack. The highest stack
    is drawn in full. Of each other stack only the top is drawn in front of it: a part of its height
    in proportion to the share of the bars with that state. So heights show norms and areas show how
    many bars have a state. The last group may be smaller.

    Parameters
    ----------
    whole, left, after
        Heights of the bars, ``float64[n]``: of all weights, of those kept now, of those kept after
        the preview.
    group
        Number of successive bars to combine, from 1.
    highest
        Height of the highest bar of the chart; each state is visible in 1 % of it at least.
    """
    if group == 1:
        return Stacks(after, left - after, whole - left)
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
        front = Stacks(k, p - k, t - p, floor=floor, front=front)
    assert front is not None
    return front
