"""Bars of how the weights of a tensor are distributed, and what is said of them."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QWidget

from pruneapp.gui.plots.base.readout_legend import Swatch
from pruneapp.gui.plots.base.readout_wording import value_text
from pruneapp.gui.plots.chart.axes_axis import CountAxis
from pruneapp.gui.plots.chart.axes_decades import Decades, MagnitudeAxis
from pruneapp.gui.plots.chart.chart import Chart, grouped_edges, grouped_sum
from pruneapp.gui.plots.chart.items import Floats, Stacks
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.number_format import count, part
from pruneapp.results.tensor_statistics import Binning, Histogram


class DistributionBars(Chart):
    """A histogram of magnitudes or values, with what lies below a threshold as going.

    Magnitudes stand on an axis of numbers, or of powers of ten, which spreads the small ones apart.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        self._histogram: Histogram | None = None
        self._going: Floats = np.zeros(0)
        self._threshold: float | None = None
        self._following = False  # whether the threshold says what goes, and not the histogram
        self._waits = False  # whether the threshold says nothing: nothing is asked for
        self._decades: Decades | None = None
        self._counts, self._magnitudes = CountAxis(), MagnitudeAxis()
        super().__init__(self._magnitudes, self._counts, parent=parent)

    def title(self) -> str:
        """Say what kind of picture it is."""
        binning = "magnitudes" if self._histogram is None else self._histogram.binning
        return {
            "magnitudes": self.tr("Distribution of magnitudes"),
            "decades": self.tr("Distribution of magnitudes, logarithmic"),
            "signed": self.tr("Distribution of values"),
        }[binning]

    def busy_text(self) -> str:
        """Say what is being done."""
        return self.tr("Computing histogram…")

    def edges(self) -> Floats:
        """Return where the bins begin and end on the axis."""
        if self._histogram is None:
            return np.zeros(1)
        edges = self._histogram.edges
        return edges if self._decades is None else self._decades.places(edges)

    def stacks(self, start: int, stop: int, group: int) -> Stacks:
        """Return counts."""
        h = self._histogram
        assert h is not None
        kept, going, pruned = (
            grouped_sum(part[start:stop].astype(np.float64), group)
            for part in (h.kept - self._going, self._going, h.pruned)
        )
        return Stacks(grouped_edges(self.edges(), start, stop, group), kept, going, pruned)

    def highest(self) -> float:
        """Return the highest count of those that can be seen; the line does not move it."""
        h = self._histogram
        if h is None or not h.kept.size:
            return 0.0
        start, stop = self.canvas.visible
        seen = (h.kept + h.pruned)[start - start % self._group : stop].astype(np.float64)
        return float(grouped_sum(seen, self._group).max()) if seen.size else 0.0

    def tell(self, bar: int) -> str:
        """Say what a bin holds."""
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
        if self._going.any():
            text += self.tr(", {going} to be pruned").format(going=count(round(self._going[bar])))
        return text

    def summary(self) -> str:
        """Say where the cut is, and how much is pruned."""
        h = self._histogram
        if h is None:
            return ""
        kept, pruned = int(h.kept.sum()), int(h.pruned.sum())
        if not kept + pruned:
            return self.tr("no weights")
        going = round(float(self._going.sum()))
        text = self.tr("{n} weights, {share} pruned").format(
            n=count(kept + pruned), share=part(pruned, kept + pruned)
        )
        if going and (self._threshold is None or self._waits):
            text += self.tr(", {share} to be pruned").format(share=part(going, kept + pruned))
        if h.nonfinite:
            text += self.tr(", {n} NaN or infinite").format(n=count(h.nonfinite))
        return text if self._threshold is None or self._waits else f"{self._cut_text()};  {text}"

    def _cut_text(self) -> str:
        h = self._histogram
        assert h is not None
        assert self._threshold is not None
        going, kept = round(float(self._going.sum())), int(h.kept.sum())
        words = self.tr("below {threshold}: {about}{n} weights, {share}")
        if h.pruned.any():
            words = self.tr("below {threshold}: {about}{n} weights, {share} of the remaining")
        return words.format(
            threshold=self._threshold_text(),
            about=self.tr("≈ ") if self._following and going else "",
            n=count(going),
            share=part(going, kept),
        )

    def widest_tick(self) -> str:
        """Return a count as long as the highest of all."""
        h = self._histogram
        highest = 0 if h is None else int((h.kept + h.pruned).max(initial=0))
        return count(10 ** len(str(highest)) // 5 if not self._log else 100_000)

    def swatches(self) -> list[Swatch]:
        """Return the legend."""
        found = [
            Swatch(self.tr("kept"), (self._colors["kept"],)),
            Swatch(self.tr("pruned"), (self._colors["pruned"],)),
        ]
        if self._going.any() or (self._threshold is not None and not self._waits):
            found.append(Swatch(self.tr("to be pruned"), (self._colors["pruned"],), hatched=True))
        outliers = self._outliers()
        return [*found, Swatch(outliers, ())] if outliers else found

    def _outliers(self) -> str:
        """Say how many weights are counted in the bars at the edges; nothing if there are none."""
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

    def numbers(self) -> Numbers:
        """Return the bins, before and after."""
        h = self._histogram
        if h is None:
            return NOTHING
        going = self._going
        headers = (
            self.tr("from"),
            self.tr("to"),
            self.tr("kept"),
            self.tr("pruned"),
            self.tr("to be pruned"),
            self.tr("kept after"),
        )

        def row(i: int) -> tuple[object, ...]:
            kept, goes = int(h.kept[i]), round(float(going[i]))
            return (*h.bounds(i), kept, int(h.pruned[i]), goes, kept - goes)

        return Numbers(headers, h.kept.size, row)

    # How it works.

    def _threshold_text(self) -> str:
        return "" if self._threshold is None else value_text(self._threshold, 4)

    def _count_going(self) -> None:
        h = self._histogram
        if h is None:
            self._going = np.zeros(0)
        elif self._following and self._threshold is not None and not self._waits:
            self._going = h.kept * share_below(h.edges, self._threshold)
        else:
            self._going = h.going.astype(np.float64)

    def _lowest_kept(self) -> float:
        """Return the magnitude below which no bin has anything that is kept; 0 if none has."""
        h = self._histogram
        if h is None or not h.kept.any():
            return 0.0
        edges, kept = h.edges, h.kept > 0
        # The bin in which 0 lies begins at magnitude 0, the others at their end that is nearer.
        nearest = np.maximum(np.maximum(edges[:-1], -edges[1:]), 0.0)
        return float(nearest[kept].min())

    def _axis_label(self, binning: Binning) -> str:
        return {
            "magnitudes": self.tr("magnitude"),
            "decades": self.tr("magnitude (log scale)"),
            "signed": self.tr("value"),
        }[binning]


def share_below(edges: Floats, threshold: float) -> Floats:
    """Return ``float64[bins]``: the share of each bin whose magnitudes are below a threshold.

    Within a bin values are taken as evenly spread.
    """
    wide = np.maximum(np.diff(edges), np.finfo(np.float64).tiny)
    low, high = (np.clip(end, -threshold, threshold) for end in (edges[:-1], edges[1:]))
    return np.clip((high - low) / wide, 0.0, 1.0)
