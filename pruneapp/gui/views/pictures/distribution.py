"""How the weights of a tensor are distributed, and where the cut goes through them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QWidget

from pruneapp.answers import Histogram
from pruneapp.gui.views.parts.numbers import count, part
from pruneapp.gui.views.pictures.chart.axis import CountAxis, NumberAxis
from pruneapp.gui.views.pictures.chart.bars import Floats, Stacks
from pruneapp.gui.views.pictures.chart.chart import Chart, grouped_edges, grouped_sum
from pruneapp.gui.views.pictures.chart.cut_line import CutLine
from pruneapp.gui.views.pictures.chart.number_field import NumberField
from pruneapp.gui.views.pictures.frame.legend import Swatch
from pruneapp.gui.views.pictures.frame.table import NOTHING, Numbers
from pruneapp.gui.views.pictures.frame.wording import value_text

STEPS = 200  # of the arrow keys, across what can be seen


class DistributionView(Chart):
    """A histogram of magnitudes or values, with the threshold as a line.

    While the line moves, what lies below it is drawn as going at once, from the bins alone (of
    the bin in which the line stands, the share below it). The next histogram that is told says it
    exactly.

    Signals
    -------
    thresholdTaken(), thresholdMoved(float), thresholdDropped()
        The person takes hold of the line; wants the cut at this magnitude (comes with every move);
        wants the cut where it was.
    signedChanged(bool)
        The person wants values with their signs, or magnitudes; answer with `set_histogram`.
    """

    thresholdTaken = Signal()
    thresholdMoved = Signal(float)
    thresholdDropped = Signal()
    signedChanged = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._histogram: Histogram | None = None
        self._going: Floats = np.zeros(0)
        self._threshold: float | None = None
        self._told: float | None = None
        self._before: float | None = None
        self._answered = True
        self._about = False
        self._following = False
        self._editable = False
        self._counts = CountAxis()
        super().__init__(NumberAxis("bottom"), self._counts, parent=parent)
        self.kind_box = QComboBox()
        self.kind_box.addItems([self.tr("Magnitudes"), self.tr("Signed values")])
        self.kind_box.setAccessibleName(self.tr("Count"))
        self.kind_box.setToolTip(self.tr("Count magnitudes, or values with their signs"))
        self.kind_box.activated.connect(self._on_kind_chosen)
        self.log_box = QCheckBox(self.tr("Logarithmic"))
        self.log_box.setToolTip(self.tr("Count weights on a logarithmic axis"))
        self.log_box.toggled.connect(self._on_log_toggled)
        self.field = NumberField()
        self.field.setAccessibleName(self.tr("Threshold"))
        self.field.setToolTip(
            self.tr(
                "Weights with a smaller magnitude would go. Type a magnitude, or move it by the "
                "arrow keys; in the picture drag the line, or press Shift and an arrow key."
            )
        )
        self.field.entered.connect(self._move_to)
        self.field.stepped.connect(self._on_stepped)
        self.field.refused.connect(self._on_refused)
        label = QLabel(self.tr("Threshold"))
        label.setBuddy(self.field)
        row = self._control_row()
        row.addStretch(1)
        for widget in (self.kind_box, self.log_box, label, self.field):
            row.addWidget(widget)
        self._add_table()
        self.canvas.left.setLabel(self.tr("weights"))
        self.canvas.lineMoved.connect(self._move_to)
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
        self._histogram = histogram
        self._set_stem(histogram.name if histogram else "", "distribution")
        if histogram is not None:
            with QSignalBlocker(self.kind_box):
                self.kind_box.setCurrentIndex(int(histogram.signed))
            self.canvas.bottom.setLabel(
                self.tr("value") if histogram.signed else self.tr("magnitude")
            )
            # One without a preview, for a moment, says nothing of what is asked for.
            self._following = self.canvas.holding or not histogram.going.any()
        self._count_going()
        self._begin(
            keep_view=before is not None
            and histogram is not None
            and before.name == histogram.name
            and np.array_equal(before.edges, histogram.edges)
        )
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
        same = (value, about, editable) == (self._threshold, self._about, self._editable)
        self._editable, self._about = editable, about
        self._told = value
        self._answered = True
        # Of another place than this one the histogram says nothing.
        following = value is not None and (self._following or about or value != self._threshold)
        if self.canvas.holding or (same and following == self._following):
            return
        self._following = following
        self._put(value)

    def set_log(self, log: bool) -> None:
        """Count on a logarithmic axis, or a linear one."""
        with QSignalBlocker(self.log_box):
            self.log_box.setChecked(log)
        self._on_log_toggled(log)

    @property
    def signed(self) -> bool:
        """Whether values are wanted with their signs."""
        return self.kind_box.currentIndex() == 1

    @property
    def threshold(self) -> float | None:
        """The magnitude at which the line stands."""
        return self._threshold

    # What it is.

    def title(self) -> str:
        """Say what kind of picture it is."""
        if self._histogram is not None and self._histogram.signed:
            return self.tr("Distribution of values")
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
            for part in (h.kept - self._going, self._going, h.pruned)
        )
        return Stacks(grouped_edges(h.edges, start, stop, group), kept, going, pruned)

    def highest(self) -> float:
        """Return the highest count; the line does not move it."""
        h = self._histogram
        return 0.0 if h is None or not h.kept.size else float((h.kept + h.pruned).max())

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
        if self._going.any():
            text += self.tr(", {going} would go").format(going=count(round(self._going[bar])))
        return text

    def summary(self) -> str:
        """Say where the cut is, and how much is pruned."""
        h = self._histogram
        if h is None:
            return ""
        kept, pruned = int(h.kept.sum()), int(h.pruned.sum())
        going = round(float(self._going.sum()))
        text = self.tr("{n} weights, {share} pruned").format(
            n=count(kept + pruned), share=part(pruned, kept + pruned)
        )
        if going and self._threshold is None:
            text += self.tr(", {share} would go").format(share=part(going, kept + pruned))
        if h.nonfinite:
            text += self.tr(", {n} NaN or infinite").format(n=count(h.nonfinite))
        return text if self._threshold is None else f"{self._cut_text()};  {text}"

    def _cut_text(self) -> str:
        h = self._histogram
        assert h is not None
        assert self._threshold is not None
        going, kept = round(float(self._going.sum())), int(h.kept.sum())
        return self.tr("below {threshold}: {about}{n} weights, {share}").format(
            threshold=self._threshold_text(),
            about=self.tr("≈ ") if self._following else "",
            n=count(going),
            share=part(going, kept),
        )

    def widest_tick(self) -> str:
        """Return the highest count."""
        return count(10 ** len(str(int(self.highest()))) // 5 if not self._log else 100_000)

    def swatches(self) -> list[Swatch]:
        """Return the legend."""
        found = [
            Swatch(self.tr("kept"), (self._colors["kept"],)),
            Swatch(self.tr("pruned"), (self._colors["pruned"],)),
        ]
        if self._going.any() or self._threshold is not None:
            found.append(Swatch(self.tr("would go"), (self._colors["pruned"],), hatched=True))
        return found

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
            self.tr("would go"),
            self.tr("kept after"),
        )

        def row(i: int) -> tuple[object, ...]:
            ends = float(h.edges[i]), float(h.edges[i + 1])
            kept, goes = int(h.kept[i]), round(float(going[i]))
            return (*ends, kept, int(h.pruned[i]), goes, kept - goes)

        return Numbers(headers, h.kept.size, row)

    # The line.

    def _threshold_text(self) -> str:
        return "" if self._threshold is None else value_text(self._threshold, 4)

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
        self.canvas.set_line(CutLine(value, label, mirrored=signed, editable=self._editable))

    def _count_going(self) -> None:
        h = self._histogram
        if h is None:
            self._going = np.zeros(0)
        elif self._following and self._threshold is not None:
            self._going = h.kept * share_below(h.edges, self._threshold)
        else:
            self._going = h.going.astype(np.float64)

    def _move_to(self, value: float) -> None:
        """Follow the person at once, and announce it."""
        if not self._editable or self._histogram is None:
            return
        highest = float(np.abs(self._histogram.edges).max())
        value = min(max(value, 0.0), highest)
        self._following, self._answered = True, False
        self._about = False
        self._put(value)
        self.thresholdMoved.emit(value)

    def _on_stepped(self, steps: int) -> None:
        if self._threshold is not None:
            low, high = self.canvas.shown
            self._move_to(self._threshold + steps * (high - low) / STEPS)

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
        self.readout.setText(self.tr("✕ '{text}' is no magnitude from 0.").format(text=text))

    def _on_kind_chosen(self, kind: int) -> None:
        self.signedChanged.emit(bool(kind))

    def _on_log_toggled(self, log: bool) -> None:
        self._log = self._counts.log = log
        self._counts.picture = None
        self._counts.update()
        self._draw()


def share_below(edges: Floats, threshold: float) -> Floats:
    """Return ``float64[bins]``: the share of each bin whose magnitudes are below a threshold.

    Within a bin values are taken as evenly spread.
    """
    wide = np.maximum(np.diff(edges), np.finfo(np.float64).tiny)
    low, high = (np.clip(end, -threshold, threshold) for end in (edges[:-1], edges[1:]))
    return np.clip((high - low) / wide, 0.0, 1.0)
