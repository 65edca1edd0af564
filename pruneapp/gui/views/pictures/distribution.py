"""How the magnitudes of a tensor are distributed, and which of them are pruned."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QWidget

from pruneapp.answers import Histogram
from pruneapp.gui.views.parts.numbers import count, part
from pruneapp.gui.views.pictures.chart.axis import CountAxis
from pruneapp.gui.views.pictures.chart.bars import Floats, Stacks
from pruneapp.gui.views.pictures.chart.chart import Chart, grouped_edges, grouped_sum
from pruneapp.gui.views.pictures.frame.legend import Swatch
from pruneapp.gui.views.pictures.frame.table import NOTHING, Numbers
from pruneapp.gui.views.pictures.frame.wording import value_text


class DistributionView(Chart):
    """A histogram of magnitudes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._histogram: Histogram | None = None
        self._counts = CountAxis()
        super().__init__(pg.AxisItem("bottom"), self._counts, parent)
        self.log_box = QCheckBox(self.tr("Logarithmic"))
        self.log_box.setToolTip(self.tr("Count weights on a logarithmic axis"))
        self.log_box.toggled.connect(self._on_log_toggled)
        self._control_row().addStretch(1)
        self._control_row().addWidget(self.log_box)
        self._add_table()
        self.canvas.bottom.setLabel(self.tr("magnitude"))
        self.canvas.left.setLabel(self.tr("weights"))
        self.set_colors(self._colors)

    def set_histogram(self, histogram: Histogram | None) -> None:
        """Show the magnitudes of a tensor; None for no tensor."""
        before = self._histogram
        self._histogram = histogram
        self._set_stem(histogram.name if histogram else "", "distribution")
        self._begin(
            keep_view=before is not None
            and histogram is not None
            and before.name == histogram.name
            and np.array_equal(before.edges, histogram.edges)
        )
        if histogram is not None:
            self.set_busy(False)

    def set_log(self, log: bool) -> None:
        """Count on a logarithmic axis, or a linear one."""
        with QSignalBlocker(self.log_box):
            self.log_box.setChecked(log)
        self._on_log_toggled(log)

    def title(self) -> str:
        """Say what kind of picture it is."""
        return self.tr("Distribution of magnitudes")

    def busy_text(self) -> str:
        """Say what is being done."""
        return self.tr("Counting magnitudes…")

    def edges(self) -> Floats:
        """Return the edges of the bins."""
        return np.zeros(1) if self._histogram is None else self._histogram.edges

    def stacks(self, start: int, stop: int, group: int) -> Stacks:
        """Return counts."""
        h = self._histogram
        assert h is not None
        kept, going, pruned = (
            grouped_sum(part[start:stop].astype(np.float64), group)
            for part in (h.kept - h.going, h.going, h.pruned)
        )
        return Stacks(grouped_edges(h.edges, start, stop, group), kept, going, pruned)

    def tell(self, bar: int) -> str:
        """Say what a bin holds."""
        h = self._histogram
        assert h is not None
        text = self.tr("{low} to {high}:  {kept} kept, {pruned} pruned").format(
            low=value_text(float(h.edges[bar]), 4),
            high=value_text(float(h.edges[bar + 1]), 4),
            kept=count(int(h.kept[bar])),
            pruned=count(int(h.pruned[bar])),
        )
        if h.going.any():
            text += self.tr(", {going} would go").format(going=count(int(h.going[bar])))
        return text

    def summary(self) -> str:
        """Say how much is pruned."""
        h = self._histogram
        if h is None:
            return ""
        kept, pruned, going = (int(c.sum()) for c in (h.kept, h.pruned, h.going))
        text = self.tr("{n} weights, {share} pruned").format(
            n=count(kept + pruned), share=part(pruned, kept + pruned)
        )
        if going:
            text += self.tr(", {share} would go").format(share=part(going, kept + pruned))
        if h.nonfinite:
            text += self.tr(", {n} NaN or infinite").format(n=count(h.nonfinite))
        return text

    def widest_tick(self) -> str:
        """Return the highest count."""
        return count(10 ** len(str(int(self.highest()))) // 5 if not self._log else 100_000)

    def swatches(self) -> list[Swatch]:
        """Return the legend."""
        found = [
            Swatch(self.tr("kept"), (self._colors["kept"],)),
            Swatch(self.tr("pruned"), (self._colors["pruned"],)),
        ]
        if self._histogram is not None and self._histogram.going.any():
            found.append(Swatch(self.tr("would go"), (self._colors["pruned"],), hatched=True))
        return found

    def numbers(self) -> Numbers:
        """Return the bins."""
        h = self._histogram
        if h is None:
            return NOTHING
        headers = ("from", "to", "kept", "pruned", "would go")

        def row(i: int) -> tuple[object, ...]:
            ends = float(h.edges[i]), float(h.edges[i + 1])
            return (*ends, int(h.kept[i]), int(h.pruned[i]), int(h.going[i]))

        return Numbers(tuple(self.tr(header) for header in headers), h.kept.size, row)

    def _on_log_toggled(self, log: bool) -> None:
        self._log = self._counts.log = log
        self._counts.picture = None
        self._counts.update()
        self._draw()
