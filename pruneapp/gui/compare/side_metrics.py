"""The metrics of both sides of a comparison, and whether they differ by more than the noise."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from pruneapp.gui.plots.base.table import NumbersView
from pruneapp.gui.widgets.clipboard import Numbers
from pruneapp.gui.widgets.controls import lay_in_column
from pruneapp.gui.widgets.labels import MUTED, plain
from pruneapp.gui.widgets.number_format import NO_NUMBER, metric, metric_points, signed
from pruneapp.results.quality import MetricChange, MetricPair

_SEEN = 3  # rows that have room, where the window is not low


class MetricsTable(NumbersView):
    """A table that is as high as its rows, as far as there is room for them."""

    def sizeHint(self) -> QSize:
        """Ask for the first rows."""
        return QSize(super().sizeHint().width(), self._height(_SEEN))

    def minimumSizeHint(self) -> QSize:
        """Be content with one."""
        return QSize(0, self._height(1))

    def _height(self, rows: int) -> int:
        rows = min(self.numbers.rowCount(), rows)
        high = self.verticalHeader().defaultSectionSize()
        return self.horizontalHeader().sizeHint().height() + rows * high


class SideMetrics(QWidget):
    """A row for each metric: A, B, their difference and its noise; hidden if there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.table = MetricsTable(self)
        self.table.setAccessibleName(self.tr("Metrics of A and B"))
        self.table.setAccessibleDescription(
            self.tr(
                "Differences within the noise are called none. For two pruned states the noise "
                "is at most the sum of their noises against the unpruned model."
            )
        )
        self.table.setToolTip(self.table.accessibleDescription())
        self.note = plain(wrap=True, ink=MUTED)
        lay_in_column(self, self.table, self.note)
        self.set_pairs((), "")

    def set_pairs(self, pairs: Sequence[MetricPair], note: str) -> None:
        """Take the metrics, and what is to be known of them."""
        pairs = tuple(pairs)
        headers = (
            self.tr("metric"),
            "A",
            "B",
            self.tr("difference"),
            self.tr("noise"),
        )
        rows = [self._cells(pair) for pair in pairs]
        self.table.numbers.set_numbers(Numbers(headers, len(rows), rows.__getitem__))
        self.table.setVisible(bool(pairs))
        self.table.updateGeometry()
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self.setVisible(bool(pairs or note))

    def _cells(self, pair: MetricPair) -> tuple[str, ...]:
        known = pair.b or pair.a
        noise = NO_NUMBER
        if pair.half and known is not None:
            noise = f"±{metric_points(pair.half, share=known.share)}"
        return pair.name, self._value(pair.a), self._value(pair.b), self._difference(pair), noise

    def _value(self, of: MetricChange | None) -> str:
        return self.tr("not evaluated") if of is None else metric(of.value, share=of.share)

    def _difference(self, pair: MetricPair) -> str:
        difference, b = pair.difference, pair.b
        if difference is None or b is None:
            return NO_NUMBER
        if pair.is_none:
            return self.tr("none")
        amount = signed(metric_points(difference, share=b.share), difference)
        if b.higher is None or not difference:
            return amount
        words = self.tr("{amount}, better") if b.higher == (difference > 0) else None
        return (words or self.tr("{amount}, worse")).format(amount=amount)
