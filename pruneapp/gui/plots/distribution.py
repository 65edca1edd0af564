"""How the weights of a tensor are distributed, and where the cut goes through them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from pruneapp.gui.plots.chart.axes_decades import Decades
from pruneapp.gui.plots.chart.items import Floats
from pruneapp.gui.plots.chart.items_cut_line import CutLine
from pruneapp.gui.plots.distribution_distribution_bars import DistributionBars
from pruneapp.gui.plots.distribution_number_field import NumberField
from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.results.tensor_statistics import Binning, Histogram

STEPS = 200  # of the arrow keys, across what can be seen
REST_MS = 150  # after one has moved, before bins are counted anew
FEW_BINS = 40  # in sight, of which there should be more
_WHOLE = 0.9  # of the axis in sight is all of it


class DistributionView(DistributionBars):
    """A histogram of magnitudes or values, with the threshold as a line.

    On an axis of powers of ten the line is dragged and stepped by factors.

    While the line moves, what lies below it is drawn as going at once, from the bins alone (of
    the bin in which the line stands, the share below it). The next histogram that is told says it
    exactly.

    Signals
    -------
    thresholdTaken(), thresholdMoved(float), thresholdDropped()
        The person takes hold of the line; wants the cut at this magnitude (comes with every move);
        wants the cut where it was.
    binningChanged(str)
        The person wants this counted (`Binning`); answer with `set_histogram`.
    finerWanted()
        The person looks so closely that `finer` is to be counted; answer with `set_histogram`.
    """

    thresholdTaken = Signal()
    thresholdMoved = Signal(float)
    thresholdDropped = Signal()
    binningChanged = Signal(str)
    finerWanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self._told: float | None = None
        self._before: float | None = None
        self._answered = True
        self._about = False
        self._editable = False
        self._counted: Histogram | None = None  # as it was told, with finer bins or without
        self._rest = QTimer()
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        super().__init__(parent)
        self._rest.setParent(self)
        self._rest.timeout.connect(self._on_rested)
        self.canvas.viewChanged.connect(self._on_looked)
        self.binning_box = ComboBox()
        self.binning_box.addItem(self.tr("Magnitudes"), "magnitudes")
        self.binning_box.addItem(self.tr("Log magnitudes"), "decades")
        self.binning_box.addItem(self.tr("Signed values"), "signed")
        self.binning_box.setAccessibleName(self.tr("Count"))
        self.binning_box.setToolTip(
            self.tr(
                "Histogram of magnitudes, of magnitudes on a logarithmic axis, or of signed values"
            )
        )
        self.binning_box.activated.connect(self._on_binning_chosen)
        self.log_box = QCheckBox(self.tr("Log counts"))
        self.log_box.setToolTip(self.tr("Logarithmic count axis"))
        self.log_box.toggled.connect(self._on_log_toggled)
        self.field = NumberField()
        self.field.setAccessibleName(self.tr("Threshold"))
        self.field.setToolTip(
            self.tr(
                "Weights of smaller magnitude are to be pruned. Enter a magnitude or use "
                "the arrow keys; in the chart, drag the line or press Shift and an arrow "
                "key."
            )
        )
        self.field.entered.connect(self._move_to)
        self.field.stepped.connect(self._on_stepped)
        self.field.refused.connect(self._on_refused)
        label = QLabel(self.tr("Threshold"))
        label.setBuddy(self.field)
        row = self._control_row()
        for widget in (self.binning_box, self.log_box, label, self.field):
            row.addWidget(widget)
        row.addStretch(1)
        self._add_table()
        self.canvas.left.setLabel(self.tr("weights"))
        self.canvas.lineMoved.connect(self._on_line_moved)
        self.canvas.lineStepped.connect(self._on_stepped)
        self.canvas.lineReleased.connect(self._on_released)
        self.canvas.lineTaken.connect(self._on_taken)
        self.canvas.lineDropped.connect(self._on_dropped)
        self._show_threshold()
        self.set_colors(self._colors)

    # What it is told.

    def set_histogram(self, histogram: Histogram | None) -> None:
        """Show the magnitudes or values of a tensor; None for no tensor."""
        before = self._histogram
        self._counted = self._histogram = histogram
        self._set_stem(histogram.name if histogram else "", "distribution")
        if histogram is not None:
            with QSignalBlocker(self.binning_box):
                self.binning_box.setCurrentIndex(self.binning_box.findData(histogram.binning))
            self._decades = (
                Decades(float(histogram.edges[1])) if histogram.binning == "decades" else None
            )
            self._magnitudes.set_decades(self._decades)
            self.canvas.bottom.setLabel(self._axis_label(histogram.binning))
            # One without a preview, for a moment, says nothing of what is asked for.
            self._following = self.canvas.holding or not histogram.going.any()
        if self._waits:
            self._threshold = self._told = self._lowest_kept()
        same = before is not None and histogram is not None and _same_axis(before, histogram)
        if histogram is not None and not same:
            self._counted = self._histogram = histogram.without_finer()
        elif same:
            self._histogram = self._seen()
            if not np.array_equal(self.edges(), self.canvas.edges):
                self.canvas.swap_edges(self.edges())
        self._count_going()
        self._begin(keep_view=same)
        self.canvas.set_dividers(self._dividers())
        self._show_threshold()
        if histogram is not None:
            self.set_busy(False)

    def set_threshold(
        self, value: float | None, *, editable: bool = False, about: bool = False
    ) -> None:
        """Show the magnitude at the cut.

        While a person holds the line it stays where they hold it; what is told meanwhile holds
        once it is let go.

        Parameters
        ----------
        value
            The magnitude; None if there is none, as for random pruning.
        editable
            Whether a person may move it.
        about
            Whether it is an estimate, with ≈ before it.
        """
        editable = editable and value is not None
        shown = self._threshold, self._about, self._editable, self._waits
        same = shown == (value, about, editable, False)
        self._editable, self._about, self._waits = editable, about, False
        self._told = value
        self._answered = True
        # Of another place than this one the histogram says nothing.
        following = value is not None and (self._following or about or value != self._threshold)
        if self.canvas.holding or (same and following == self._following):
            return
        self._following = following
        self._put(value)

    def let_line_wait(self) -> None:
        """Show a line to take hold of although nothing is asked for: it says not what would go.

        It stays where it is; with the next histogram it stands below the least that is kept.
        """
        if self._waits:
            return
        self._editable, self._about, self._waits = True, False, True
        self._told = self._lowest_kept() if self._threshold is None else self._threshold
        self._answered = True
        if not self.canvas.holding:
            self._following = False
            self._put(self._told)

    def set_log(self, log: bool) -> None:
        """Count on a logarithmic axis, or a linear one."""
        with QSignalBlocker(self.log_box):
            self.log_box.setChecked(log)
        self._on_log_toggled(log)

    @property
    def binning(self) -> Binning:
        """What is wanted to be counted."""
        found: Binning = self.binning_box.currentData()
        return found

    @property
    def threshold(self) -> float | None:
        """The magnitude at which the line stands."""
        return self._threshold

    # How closely one looks.

    @property
    def finer(self) -> tuple[float, float] | None:
        """The part of the axis that is to have finer bins; None if all of it can be seen."""
        h = self._histogram
        if h is None or not self.canvas.count or h.binning != self.binning:
            return None
        low, high = self.canvas.shown
        first, last = (float(end) for end in self.edges()[[0, -1]])
        if high - low > _WHOLE * (last - first):
            return None
        beside = (high - low) / 2
        ends = max(first, low - beside), min(last, high + beside)
        if self._decades is None:
            return ends
        return self._decades.magnitude(ends[0]), self._decades.magnitude(ends[1])

    def _seen(self) -> Histogram | None:
        """Return what is to be drawn: finer bins only where all that can be seen has them."""
        counted = self._counted
        if counted is None or counted.finer is None:
            return counted
        low, high = counted.finer
        if self._decades is not None:
            low, high = self._decades.place(low), self._decades.place(high)
        left, right = self.canvas.shown
        slack = 1e-9 * (high - low)
        inside = low - slack <= left and right <= high + slack
        return counted if inside else counted.without_finer()

    def _on_looked(self) -> None:
        seen, shown = self._seen(), self._histogram
        if seen is not None and shown is not None and seen.edges.size != shown.edges.size:
            self._histogram = seen
            self.canvas.swap_edges(self.edges())
            self._count_going()
            self._draw()
            self._refresh_words()
            self._refresh_table()
        self._rest.start()

    def _on_rested(self) -> None:
        start, stop = self.canvas.visible
        if self.finer is not None and stop - start < FEW_BINS:
            self.finerWanted.emit()

    def _dividers(self) -> Floats:
        """Return where bins of outliers begin."""
        h = self._histogram
        if h is None or h.ends is None:
            return np.zeros(0)
        return h.edges[[1, -2]] if h.signed else h.edges[[-2]]

    # The line.

    def _put(self, value: float | None) -> None:
        """Put the line there, and let the bars follow."""
        self._threshold = value
        self._count_going()
        self._show_threshold()
        if self._histogram is not None:
            self._draw()
            self._refresh_words()
            self._refresh_table()

    def _show_threshold(self) -> None:
        value = self._threshold
        text = self._threshold_text()
        about = self.tr("≈ ") if self._about and text else ""
        self.field.set_text(f"{about}{text}")
        self.field.setEnabled(self._editable)
        if value is None or self._histogram is None:
            self.canvas.set_line(None)
            return
        signed = self._histogram.signed
        label = f"{about}±{text}" if signed else f"{about}{text}"
        at = value if self._decades is None else self._decades.place(value)
        at = min(at, float(self.edges()[-1]))
        self.canvas.set_line(CutLine(at, label, mirrored=signed, editable=self._editable))

    def _move_to(self, value: float) -> None:
        """Follow the person at once, and announce it."""
        if not self._editable or self._histogram is None:
            return
        edges, ends = self._histogram.edges, self._histogram.ends
        highest = float(np.abs(edges).max()) if ends is None else ends[1]
        value = min(max(value, 0.0), highest)
        self._following, self._answered = True, False
        self._about = self._waits = False
        self._put(value)
        self.thresholdMoved.emit(value)

    def _on_line_moved(self, at: float) -> None:
        h = self._histogram
        if h is not None and h.ends is not None and at >= float(h.edges[-1]):
            at = h.ends[1]  # at the end of the axis even outliers are below it
        self._move_to(at if self._decades is None else self._decades.magnitude(at))

    def _on_stepped(self, steps: int) -> None:
        line = self.canvas.line
        if line is not None:
            low, high = self.canvas.shown
            self._on_line_moved(line.at + steps * (high - low) / STEPS)

    def _on_taken(self) -> None:
        self._before = self._threshold
        self.thresholdTaken.emit()

    def _on_dropped(self) -> None:
        self._told, self._answered, self._following = self._before, True, False
        self._put(self._before)
        self.thresholdDropped.emit()

    def _on_released(self) -> None:
        if self._answered and self._told is not None:
            self._put(self._told)

    def _on_refused(self, text: str) -> None:
        self.readout.setText(
            self.tr("✕ Enter a magnitude of 0 or more (got '{text}').").format(text=text)
        )

    def _on_binning_chosen(self) -> None:
        self.binningChanged.emit(self.binning)

    def _on_log_toggled(self, log: bool) -> None:
        self._log = self._counts.log = log
        self._counts.picture = None
        self._counts.update()
        self._draw()


def _same_axis(a: Histogram, b: Histogram) -> bool:
    """Whether two histograms of one tensor have the same bins but for the finer ones."""
    if (a.name, a.binning) != (b.name, b.binning):
        return False
    first, second = (h.edges if h.whole is None else h.whole for h in (a, b))
    return np.array_equal(first, second)
