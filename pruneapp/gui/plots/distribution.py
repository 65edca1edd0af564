"""The page Distribution: a histogram of the weights of a tensor with a movable threshold."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox

from pruneapp.analysis.statistics import Binning, Histogram
from pruneapp.gui.plots.base.plot_area import CutLine
from pruneapp.gui.plots.base.readout import Swatch, value_text
from pruneapp.gui.plots.chart.axes import CountAxis, Decades, MagnitudeAxis
from pruneapp.gui.plots.chart.bar_chart import BarChartView, grouped_sum
from pruneapp.gui.plots.chart.chart_canvas import ChartCanvas
from pruneapp.gui.plots.chart.items import BarChart, Floats, Stacks, TableColumn
from pruneapp.gui.widgets.controls import LineEdit, choice_box, follow_font, single_shot
from pruneapp.gui.widgets.labels import as_plain, join_statements, label_for
from pruneapp.gui.widgets.number_format import count, locale, part


def share_below(edges: Floats, threshold: float) -> Floats:
    """Return the share of each bin with magnitudes below `threshold`, ``float64[bins]``.

    Values are assumed to be evenly distributed within a bin. `edges` (``float64[bins + 1]``) may be
    negative.
    """
    widths = np.maximum(np.diff(edges), np.finfo(np.float64).tiny)
    low, high = (np.clip(end, -threshold, threshold) for end in (edges[:-1], edges[1:]))
    return np.clip((high - low) / widths, 0.0, 1.0)


class NumberField(LineEdit):
    """A line edit for a number of at least 0; Up and Down step like the arrow keys in the chart."""

    numberEntered = Signal(float)  # the user entered this number
    stepped = Signal(int)  # the user pressed a key to change the number by this many steps
    # The user entered this text, which is not a number of at least 0, and was reset.
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._shown_text = ""
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        follow_font(
            self,
            lambda field: field.setFixedWidth(
                field.fontMetrics().horizontalAdvance("≈ 0.000000") + 20
            ),
        )
        self.editingFinished.connect(self._on_finished)

    def set_text(self, text: str) -> None:
        """Show a number, unless the user is editing the text."""
        self._shown_text = text
        if not (self.hasFocus() and self.isModified()):
            self.setText(text)

    def _on_finished(self) -> None:
        if not self.isModified():
            return
        text = self.text().replace("≈", "").replace("−", "-").strip()
        number, good = locale().toDouble(text)
        if not good:
            try:
                number, good = float(text), True
            except ValueError:
                good = False
        self.setModified(False)
        if good and math.isfinite(number) and number >= 0:
            self.numberEntered.emit(number)
        else:
            self.setText(self._shown_text)
            self.refused.emit(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step with Up, Down and the page keys (10 steps); reset the text with Escape.

        Without a number, the keys to step are passed on.
        """
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 10}
        steps[Qt.Key.Key_PageDown] = -10
        if event.key() in steps and self._shown_text:
            self.setModified(False)
            self.stepped.emit(steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setText(self._shown_text)
        else:
            super().keyPressEvent(event)


STEPS = 200  # number of steps of the arrow keys across the visible range
REFINE_DELAY_MS = 150  # delay after scrolling or zooming before finer bins are requested
FEW_BINS = 40  # finer bins are requested if fewer than this many are visible
_WHOLE = 0.9  # a visible share of the axis above this counts as the whole axis


class DistributionView(BarChartView):
    """A histogram of magnitudes or values, with the threshold as a vertical line.

    Magnitudes have a linear axis or a logarithmic one (powers of ten). On the logarithmic axis the
    line is dragged and stepped by factors.

    While the line moves, the weights to be pruned are estimated from the bins; in the bin that
    contains the line, as the share of its width below the line. The next histogram passed to
    `set_histogram` replaces the estimate.
    """

    thresholdMoved = Signal(float)  # the user moved the threshold; emitted with each move
    # The user chose another binning, or zoomed in so far that the range `finer` needs finer bins.
    histogramRequested = Signal()

    def __init__(self) -> None:
        self._histogram: Histogram | None = None
        # As passed to set_histogram, with or without finer bins.
        self._full_histogram: Histogram | None = None
        self._to_prune: Floats = np.zeros(0)
        # The magnitude at the line: as shown, as set last, and before the drag.
        self.threshold: float | None = None
        self._form_threshold: float | None = None
        self._threshold_before_drag: float | None = None
        self._follows_line = (
            False  # whether bars follow the line instead of the histogram's preview
        )
        self._is_idle = False  # whether the line is idle: no step is set up in the form
        self._applied_at: float | None = None  # threshold of the applied step, while idle
        self._is_estimate = False
        self._editable = False
        self._decades: Decades | None = None
        self._counts, self._magnitudes = CountAxis(), MagnitudeAxis()
        super().__init__(ChartCanvas(self._magnitudes, self._counts))
        self._busy_text = self.tr("Computing histogram…")
        self._refine_timer = single_shot(self, REFINE_DELAY_MS, self._request_finer_bins)
        self.canvas.viewChanged.connect(self._on_view_changed)
        self.binning_box = choice_box(
            self.tr("Count"),
            self.tr(
                "Histogram of magnitudes, of magnitudes on a logarithmic axis, or of signed values"
            ),
            (
                (self.tr("Magnitudes"), "magnitudes"),
                (self.tr("Log magnitudes"), "decades"),
                (self.tr("Signed values"), "signed"),
            ),
        )
        self.binning_box.activated.connect(self.histogramRequested)
        self.log_box = QCheckBox(self.tr("Log counts"))
        self.log_box.setToolTip(self.tr("Logarithmic count axis"))
        self.log_box.toggled.connect(self._on_log_toggled)
        self.field = NumberField()
        self.field.setAccessibleName(self.tr("Threshold"))
        words = self.tr(
            "Weights below this magnitude will be pruned. Enter a magnitude or use the "
            "arrow keys; in the chart, drag the line or press Shift and an arrow key."
        )
        self.field.setToolTip(as_plain(words))
        self.field.setAccessibleDescription(words)
        self.field.numberEntered.connect(self._move_to)
        self.field.stepped.connect(self._on_stepped)
        self.field.refused.connect(self._on_refused)
        label = label_for(self.field, self.tr("Threshold"))
        for widget in (self.binning_box, self.log_box, label, self.field):
            self._row.addWidget(widget)
        self._row.addStretch(1)
        self.canvas.lineMoved.connect(self._on_line_moved)
        self.canvas.lineStepped.connect(self._on_stepped)
        self.canvas.lineReleased.connect(self._on_released)
        self.canvas.lineGrabbed.connect(self._on_line_grabbed)
        self.canvas.lineDragCancelled.connect(self._on_line_drag_cancelled)
        self.set_colors(self._colors)

    # -- chart ------------------------------------------------------------------------------------

    def chart(self) -> BarChart:
        h, to_prune = self._histogram, self._to_prune
        title, along = {
            "magnitudes": (self.tr("Distribution of magnitudes"), self.tr("weight magnitude")),
            "decades": (
                self.tr("Distribution of magnitudes, logarithmic"),
                self.tr("weight magnitude (log scale)"),
            ),
            "signed": (self.tr("Distribution of values"), self.tr("weight value")),
        }["magnitudes" if h is None else h.binning]
        if h is None:
            return BarChart(title=title, along=along)
        kept, pruned, decades = h.kept, h.pruned, self._decades
        most = int((kept + pruned).max(initial=0))
        has_line = self.threshold is not None and not self._is_idle
        swatches = self.state_swatches(preview=has_line or bool(to_prune.any()))
        if outliers := self._outliers():
            swatches.append(Swatch(outliers, ()))
        return BarChart(
            key=_axis_key(h),
            order=np.arange(kept.size),
            edges=h.edges if decades is None else decades.positions(h.edges),
            title=title,
            along=along,
            across=self.tr("number of weights"),
            stacks=lambda bins, group: Stacks(
                grouped_sum((kept - to_prune)[bins], group),
                grouped_sum(to_prune[bins], group),
                grouped_sum(pruned[bins].astype(np.float64), group),
            ),
            # A count with at least as many digits as the highest bar.
            widest_tick=count(100_000 if self._counts.log else 10 ** len(str(most)) // 5),
            summary=self._summary,
            text=self._bin_text,
            columns=(
                TableColumn(self.tr("from"), lambda i: h.bounds(i)[0]),
                TableColumn(self.tr("to"), lambda i: h.bounds(i)[1]),
                TableColumn(self.tr("kept"), kept.item),
                TableColumn(self.tr("pruned"), pruned.item),
                TableColumn(self.tr("to be pruned"), lambda i: round(float(to_prune[i]))),
                TableColumn(
                    self.tr("kept after"), lambda i: int(kept[i]) - round(float(to_prune[i]))
                ),
            ),
            swatches=swatches,
            dividers=self._dividers(),
            line=self._threshold_line(),
            log=self._counts.log,
        )

    def _bin_text(self, bar: int) -> str:
        """Return the range of a bin and its number of weights by state."""
        h = self._histogram
        assert h is not None
        low, high = h.bounds(bar)
        digits = 4 if h.finer is None else 7
        text = self.tr("{low} to {high}:  {kept} kept, {pruned} pruned").format(
            low=value_text(low, digits),
            high=value_text(high, digits),
            kept=count(int(h.kept[bar])),
            pruned=count(int(h.pruned[bar])),
        )
        if self._to_prune.any():
            text += self.tr(", {to_prune} to be pruned").format(
                to_prune=count(round(self._to_prune[bar]))
            )
        return text

    def _summary(self) -> str:
        """Return the threshold, if any, and the shares of pruned and to-be-pruned weights."""
        h = self._histogram
        if h is None:
            return ""
        kept, pruned = int(h.kept.sum()), int(h.pruned.sum())
        if not kept + pruned:
            return self.tr("no weights")
        to_prune = round(float(self._to_prune.sum()))
        text = self.tr("all {n} weights: {share} pruned").format(
            n=count(kept + pruned), share=part(pruned, kept + pruned)
        )
        if to_prune and (self.threshold is None or self._is_idle):
            text += self.tr(", {share} to be pruned").format(share=part(to_prune, kept + pruned))
        if h.nonfinite:
            text += self.tr(", {n} NaN or infinite").format(n=count(h.nonfinite))
        return (
            text
            if self.threshold is None or self._is_idle
            else join_statements(self._cut_text(), text)
        )

    def _cut_text(self) -> str:
        h = self._histogram
        assert h is not None
        assert self.threshold is not None
        to_prune, kept = round(float(self._to_prune.sum())), int(h.kept.sum())
        words = self.tr("below {threshold}: {about}{n} weights, {share}")
        if h.pruned.any():
            words = self.tr("below {threshold}: {about}{n} weights, {share} of the remaining")
        return words.format(
            threshold=self._threshold_text(),
            about=self.tr("≈ ") if self._follows_line and to_prune else "",
            n=count(to_prune),
            share=part(to_prune, kept),
        )

    def _outliers(self) -> str:
        """Return how many outliers the bars at the ends of the axis include; "" for none.

        Outliers are weights beyond the regular bins.
        """
        h = self._histogram
        if h is None or h.ends is None:
            return ""
        limit = float(h.edges[-2])
        weights = h.kept + h.pruned
        many = int(weights[-1]) + (int(weights[0]) if h.signed else 0)
        words = self.tr("last bar: {n} weights from {limit} to {largest}")
        if h.signed:
            words = self.tr("first and last bar: {n} weights from ±{limit} to ±{largest}")
        return words.format(
            n=count(many), limit=value_text(limit, 3), largest=value_text(h.ends[1], 3)
        )

    def _threshold_text(self) -> str:
        return "" if self.threshold is None else value_text(self.threshold, 4)

    def _counted_to_prune(self) -> Floats:
        h = self._histogram
        if h is None:
            return np.zeros(0)
        if self._follows_line and self.threshold is not None and not self._is_idle:
            return h.kept * share_below(h.edges, self.threshold)
        return h.to_be_pruned.astype(np.float64)

    def _lowest_kept(self) -> float:
        """Return the largest magnitude below which no bin contains kept weights.

        If the lowest bin with kept weights also contains pruned weights, and no higher bin does,
        its upper edge is returned, so that all pruned weights are below the line. If no weight is
        kept, the largest magnitude is returned.
        """
        h = self._histogram
        if h is None or not h.kept.any():
            return self._highest()
        edges, kept = h.edges, h.kept > 0
        # The lower magnitude of each bin; 0 for the bin that contains 0.
        nearest = np.maximum(np.maximum(edges[:-1], -edges[1:]), 0.0)
        lowest = kept & (nearest == nearest[kept].min())
        pruned = h.pruned > 0
        further = nearest > nearest[lowest][0]
        if (pruned & lowest).any() and not (pruned & further).any():
            return float(np.maximum(edges[1:], -edges[:-1])[lowest].max())
        return float(nearest[lowest][0])

    def _highest(self) -> float:
        """Return the largest magnitude in the histogram; 0 if there are no weights."""
        h = self._histogram
        if h is None or not (h.kept.any() or h.pruned.any()):
            return 0.0
        return float(np.abs(h.edges).max()) if h.ends is None else h.ends[1]

    def _is_approximate(self) -> bool:
        """Whether an idle line is at the edge of a bin instead of at a known threshold."""
        h = self._histogram
        return self._applied_at is None and (
            bool(self.threshold) or (h is not None and bool(h.pruned.any()))
        )

    # -- setters ----------------------------------------------------------------------------------

    def set_histogram(self, histogram: Histogram | None) -> None:
        """Show the histogram of a tensor; None clears the chart.

        The visible range is kept if tensor and binning are unchanged; otherwise finer bins are
        ignored. The box changes to its binning. Moves an idle line, and ends the busy state.
        """
        before = self._histogram
        self._full_histogram = self._histogram = histogram
        self._set_stem(histogram.name if histogram else "", "distribution")
        if histogram is not None:
            with QSignalBlocker(self.binning_box):
                self.binning_box.setCurrentIndex(self.binning_box.findData(histogram.binning))
            self._decades = (
                Decades(float(histogram.edges[1])) if histogram.binning == "decades" else None
            )
            self._magnitudes.set_decades(self._decades)
            # A histogram without a preview, between two steps, knows nothing about the new step.
            self._follows_line = self.canvas.is_dragging_line or not histogram.to_be_pruned.any()
        if self._is_idle:
            at = self._applied_at
            self.threshold = self._form_threshold = self._lowest_kept() if at is None else at
            self._is_estimate = self._is_approximate()
        same = before and histogram and _axis_key(before) == _axis_key(histogram)
        if histogram is not None and not same:
            self._full_histogram = self._histogram = histogram.without_finer()
        elif same:
            self._histogram = self._visible_histogram()
        self._show_data()
        if histogram is not None:
            self.set_busy(False)

    def set_threshold(
        self, value: float | None, *, editable: bool = False, is_estimate: bool = False
    ) -> None:
        """Show the threshold of the current settings; emits no signal.

        While the user drags the line, the new value is stored and shown after the release. An idle
        line ends.

        Parameters
        ----------
        value
            Magnitude below which weights are pruned; None for no threshold, as for random pruning.
        editable
            Whether the user may move the line.
        is_estimate
            Whether the value is an estimate, shown with "≈".
        """
        editable = editable and value is not None
        shown = self.threshold, self._is_estimate, self._editable, self._is_idle
        same = shown == (value, is_estimate, editable, False)
        self._editable, self._is_estimate, self._is_idle = editable, is_estimate, False
        self._form_threshold = value
        # The preview in the histogram is valid only for the threshold it was computed with.
        following = value is not None and (
            self._follows_line or is_estimate or value != self.threshold
        )
        if self.canvas.is_dragging_line or (same and following == self._follows_line):
            return
        self._follows_line = following
        self._apply_threshold(value)

    def show_idle_line(self, at: float | None = None) -> None:
        """Show a line that can be dragged although no step is set up; it marks nothing to prune.

        Parameters
        ----------
        at
            Threshold of the applied step. If None, the line stays where it is, and the next
            histogram moves it to `_lowest_kept` with "≈", because the threshold is somewhere in
            that bin.
        """
        if self._is_idle and at == self._applied_at:
            return
        self._editable = self._is_idle = True
        self._applied_at = at
        if at is None:
            at = self._lowest_kept() if self.threshold is None else self.threshold
        self._form_threshold = at
        if not self.canvas.is_dragging_line:
            self._follows_line = False
            self.threshold = at
            self._is_estimate = self._is_approximate()
            self._apply_threshold(at)

    @property
    def binning(self) -> Binning:
        binning: Binning = self.binning_box.currentData()
        return binning

    # -- finer bins -------------------------------------------------------------------------------

    @property
    def finer(self) -> tuple[float, float] | None:
        """The range of magnitudes or values that needs finer bins; None if all of it is visible.

        It includes half of the visible range on both sides. None also while another binning is
        requested.
        """
        h = self._histogram
        if h is None or not self.canvas.count or h.binning != self.binning:
            return None
        low, high = self.canvas.visible_range
        first, last = (float(end) for end in self.canvas.edges[[0, -1]])
        if high - low > _WHOLE * (last - first):
            return None
        beside = (high - low) / 2
        ends = max(first, low - beside), min(last, high + beside)
        if self._decades is None:
            return ends
        return self._decades.magnitude(ends[0]), self._decades.magnitude(ends[1])

    def _visible_histogram(self) -> Histogram | None:
        """Return the histogram to draw: with finer bins if they cover the visible range.

        None without a histogram.
        """
        counted = self._full_histogram
        if counted is None or counted.finer is None:
            return counted
        low, high = counted.finer
        if self._decades is not None:
            low, high = self._decades.position(low), self._decades.position(high)
        left, right = self.canvas.visible_range
        slack = 1e-9 * (high - low)
        inside = low - slack <= left and right <= high + slack
        return counted if inside else counted.without_finer()

    def _on_view_changed(self) -> None:
        seen, shown = self._visible_histogram(), self._histogram
        if seen is not None and shown is not None and seen.edges.size != shown.edges.size:
            self._histogram = seen
            self.refresh()
        self._refine_timer.start()

    def _request_finer_bins(self) -> None:
        start, stop = self.canvas.visible
        if self.finer is not None and stop - start < FEW_BINS:
            self.histogramRequested.emit()

    def _dividers(self) -> Floats:
        h = self._histogram
        if h is None or h.ends is None:
            return np.zeros(0)
        return h.edges[[1, -2]] if h.signed else h.edges[[-2]]

    # -- line -------------------------------------------------------------------------------------

    def _apply_threshold(self, value: float | None) -> None:
        self.threshold = value
        self.refresh()

    def refresh(self) -> None:
        self._to_prune = self._counted_to_prune()
        super().refresh()
        self.field.set_text(self._line_text())
        self.field.setEnabled(self._editable)

    def _threshold_line(self) -> CutLine | None:
        h, value = self._histogram, self.threshold
        if value is None or h is None:
            return None
        at = min(value, float(h.edges[-1]))
        at = at if self._decades is None else self._decades.position(at)
        label = self._line_text("±" if h.signed else "")
        return CutLine(at, label, mirrored=h.signed, editable=self._editable)

    def _line_text(self, sign: str = "") -> str:
        about = self.tr("≈ ") if self._is_estimate else ""
        return "" if self.threshold is None else f"{about}{sign}{self._threshold_text()}"

    def _move_to(self, value: float) -> None:
        """Show a threshold that the user moved, and emit `thresholdMoved`.

        It is clipped to the magnitudes of the tensor. Does nothing if the line is not editable.
        """
        if not self._editable or self._histogram is None:
            return
        value = min(max(value, 0.0), self._highest())
        self._follows_line, self._form_threshold = True, value
        self._is_estimate = self._is_idle = False
        self._apply_threshold(value)
        self.thresholdMoved.emit(value)

    def _on_line_moved(self, at: float) -> None:
        h = self._histogram
        if h is not None and h.ends is not None and at >= float(h.edges[-1]):
            at = h.ends[1]  # the end of the axis includes the outliers
        self._move_to(at if self._decades is None else self._decades.magnitude(at))

    def _on_stepped(self, steps: int) -> None:
        line = self.canvas.line
        if line is not None:
            low, high = self.canvas.visible_range
            self._on_line_moved(line.at + steps * (high - low) / STEPS)

    def _on_line_grabbed(self) -> None:
        self._threshold_before_drag = self.threshold

    def _on_line_drag_cancelled(self) -> None:
        self._form_threshold, self._follows_line = self._threshold_before_drag, False
        self._apply_threshold(self._threshold_before_drag)

    def _on_released(self) -> None:
        if self._form_threshold is not None:
            self._apply_threshold(self._form_threshold)

    def _on_refused(self, text: str) -> None:
        self.readout.setText(
            self.tr("✕ Enter a magnitude of 0 or more (got '{text}').").format(text=text)
        )

    def _on_log_toggled(self, log: bool) -> None:
        self._counts.log = log
        self._counts.redraw()
        self.refresh()


def _axis_key(h: Histogram) -> object:
    """Return what is equal for histograms of the same tensor and bins, except finer ones."""
    return h.name, h.binning, (h.edges if h.whole is None else h.whole).tobytes()
