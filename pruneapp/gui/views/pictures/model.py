"""How much of every tensor of the model is pruned, and would be."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from pruneapp.answers import SparsityReport
from pruneapp.gui.views.parts.numbers import count, part
from pruneapp.gui.views.pictures.chart.bars import Floats, Stacks
from pruneapp.gui.views.pictures.chart.chart import Chart, grouped_edges, grouped_sum
from pruneapp.gui.views.pictures.chart.names_axis import NamesAxis
from pruneapp.gui.views.pictures.frame.legend import Swatch
from pruneapp.gui.views.pictures.frame.table import NOTHING, Numbers


class ModelView(Chart):
    """Bars of sparsity, a tensor each.

    Signals
    -------
    tensorClicked(str)
        The person chose the tensor of this name.
    """

    tensorClicked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._report: SparsityReport | None = None
        self._shown: Mapping[str, str] = {}
        self._numel: Floats = np.zeros(0)
        self._before: Floats = np.zeros(0)
        self._after: Floats = np.zeros(0)
        self._order: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._names_axis = NamesAxis()
        super().__init__(self._names_axis, pg.AxisItem("left"), parent)
        self.sort_box = QCheckBox(self.tr("Sorted"))
        self.sort_box.setToolTip(self.tr("The most pruned first, instead of the order of the file"))
        self.sort_box.toggled.connect(self._on_sort_toggled)
        row = self._control_row()
        row.addStretch(1)
        row.addWidget(self.sort_box)
        self._add_table()
        self.canvas.left.setLabel(self.tr("pruned %"))
        self._sort()
        self.set_colors(self._colors)

    def set_shown_names(self, shown: Mapping[str, str]) -> None:
        """Take the names to show for the names in the file."""
        self._shown = shown

    def set_report(
        self, report: SparsityReport | None, preview: SparsityReport | None = None
    ) -> None:
        """Show the sparsity of tensors.

        Parameters
        ----------
        report
            The tensors to show, as they are: `after` is what is pruned now. None for no model.
        preview
            What a step would do to some of them.
        """
        names = [t.name for t in self._report.tensors] if self._report else []
        self._report = report
        tensors = report.tensors if report else ()
        self._numel = np.array([t.numel for t in tensors], dtype=np.float64)
        self._before = np.array([t.after for t in tensors], dtype=np.float64)
        self._after = self._before.copy()
        if preview is not None:
            place = {t.name: i for i, t in enumerate(tensors)}
            for t in preview.tensors:
                if t.name in place:
                    self._after[place[t.name]] = max(t.after, self._before[place[t.name]])
        self._set_stem("", "sparsity")
        self._sort()
        self._begin(keep_view=names == [t.name for t in tensors])
        if report is not None:
            self.set_busy(False)

    def set_sorted(self, by_sparsity: bool) -> None:
        """Show the most pruned first, or the order of the file."""
        with QSignalBlocker(self.sort_box):
            self.sort_box.setChecked(by_sparsity)
        self._on_sort_toggled()

    def empty_text(self) -> str:
        """Say what to do where there is nothing to show."""
        return self.tr("Open a checkpoint to see how much of every tensor is pruned.")

    def busy_text(self) -> str:
        """Say what is being done."""
        return self.tr("Counting…")

    def title(self) -> str:
        """Say what kind of picture it is."""
        return self.tr("Sparsity of the tensors")

    def edges(self) -> Floats:
        """Return where the bars stand: around the number of their place."""
        size = self._numel.size
        return np.arange(size + 1, dtype=np.float64) + 0.5 if size else np.zeros(1)

    def stacks(self, start: int, stop: int, group: int) -> Stacks:
        """Return percentages; of several tensors together, by their weights."""
        chosen = self._order[start:stop]
        whole = np.maximum(grouped_sum(self._numel[chosen], group), 1)
        before = 100 * grouped_sum(self._before[chosen], group) / whole
        after = 100 * grouped_sum(self._after[chosen], group) / whole
        # What is pruned stands below, what would go on top of it.
        edges = grouped_edges(self.edges(), start, stop, group)
        return Stacks(edges, np.zeros_like(before), after - before, before, pruned_first=True)

    def highest(self) -> float:
        """Return the highest percentage."""
        shares = 100 * self._after / np.maximum(self._numel, 1)
        return float(shares.max()) if shares.size else 0.0

    def widest_tick(self) -> str:
        """Return what all would be."""
        return "100"

    def _name(self, i: int) -> str:
        assert self._report is not None
        name = self._report.tensors[i].name
        return self._shown.get(name, name)

    def tell(self, bar: int) -> str:
        """Say what is known of a tensor."""
        assert self._report is not None
        i = int(self._order[bar])
        name = self._name(i)
        now = part(int(self._before[i]), int(self._numel[i]))
        if self._after[i] > self._before[i]:
            then = part(int(self._after[i]), int(self._numel[i]))
            return self.tr("{name}:  {now} → {then} pruned").format(name=name, now=now, then=then)
        return self.tr("{name}:  {now} pruned, {some} of {all}").format(
            name=name,
            now=now,
            some=count(int(self._before[i])),
            all=count(int(self._numel[i])),
        )

    def summary(self) -> str:
        """Say how much is pruned in all."""
        report = self._report
        if report is None:
            return ""
        number = len(report.tensors)
        words = (
            self.tr("1 tensor, {share} of the model pruned")
            if number == 1
            else self.tr("{n} tensors, {share} of the model pruned")
        )
        text = words.format(n=count(number), share=part(report.after, report.numel))
        going = int(self._after.sum() - self._before.sum())
        if going:
            then = part(report.after + going, report.numel)
            text += self.tr(", {then} after the step").format(then=then)
        return text

    def swatches(self) -> list[Swatch]:
        """Return the legend."""
        found = [Swatch(self.tr("pruned"), (self._colors["pruned"],))]
        if (self._after > self._before).any():
            found.append(Swatch(self.tr("would go"), (self._colors["pruned"],), hatched=True))
        return found

    def numbers(self) -> Numbers:
        """Return the tensors, in the order in which they are shown."""
        report = self._report
        if report is None:
            return NOTHING
        order = self._order

        def row(at: int) -> tuple[object, ...]:
            i = int(order[at])
            now, then = int(self._before[i]), int(self._after[i])
            size = report.tensors[i].numel
            return report.tensors[i].name, size, now, then, part(now, size), part(then, size)

        headers = (
            self.tr("tensor"),
            self.tr("weights"),
            self.tr("pruned"),
            self.tr("after the step"),
            self.tr("share"),
            self.tr("share after"),
        )
        return Numbers(headers, len(report.tensors), row)

    def choose(self, bar: int) -> None:
        """Announce a tensor."""
        assert self._report is not None
        self.tensorClicked.emit(self._report.tensors[int(self._order[bar])].name)

    def _sort(self) -> None:
        if self.sort_box.isChecked():
            shares = self._after / np.maximum(self._numel, 1)
            self._order = np.argsort(-shares, kind="stable")
        else:
            self._order = np.arange(self._numel.size)
        self._names_axis.set_names([self._name(int(i)) for i in self._order])
        self.canvas.bottom.setLabel(
            self.tr("tensors, the most pruned first")
            if self.sort_box.isChecked()
            else self.tr("tensors, in the order of the file")
        )

    def _on_sort_toggled(self) -> None:
        self._sort()
        self.canvas.set_cursor(-1)
        self._draw()
        self._refresh_words()
        self._refresh_table()
