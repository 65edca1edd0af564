"""Bars of a model's tensors: what they are, in which order, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QWidget

from pruneapp.gui.plots.base.readout_legend import Swatch
from pruneapp.gui.plots.chart.axes import NamesAxis
from pruneapp.gui.plots.chart.axes_axis import NumberAxis
from pruneapp.gui.plots.chart.chart import grouped_edges, grouped_max, grouped_sum
from pruneapp.gui.plots.chart.chart_ordered import OrderedChart
from pruneapp.gui.plots.chart.items import Stacks
from pruneapp.gui.plots.sparsity_overview_model_numbers import NO_NUMBERS, ModelNumbers
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.gui.widgets.number_format import NO_NUMBER, count, part, percent, size
from pruneapp.results.document_rows_tensor_row import TensorRow
from pruneapp.results.short_names import ShortNames
from pruneapp.results.sparsity_report import SparsityReport

FILE, SHARE, SIZE, ENERGY, ROLE = "file", "share", "size", "energy", "role"


class ModelBars(OrderedChart):
    """Bars of sparsity, of size, or of the energy that is kept since opening, a tensor each."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._report: SparsityReport | None = None
        self._by_name: Mapping[str, TensorRow] = {}
        self._numbers: ModelNumbers = NO_NUMBERS
        self._short = ShortNames()
        self._names_axis = NamesAxis()
        self._values = NumberAxis("bottom")
        orders = (
            (FILE, self.tr("In file order")),
            (SHARE, self.tr("Most pruned first")),
            (SIZE, self.tr("Largest first")),
            (ENERGY, self.tr("Least norm² retained first")),
            (ROLE, self.tr("By role")),
        )
        super().__init__(
            self._values, self._names_axis, orders, first=1, sideways=True, parent=parent
        )
        self.show_box = ComboBox()
        self.show_box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        for key, label in (
            (SHARE, self.tr("Pruned")),
            (SIZE, self.tr("Size")),
            (ENERGY, self.tr("Norm² retained (whole model)")),
        ):
            self.show_box.addItem(label, key)
        self.show_box.setAccessibleName(self.tr("Show"))
        self.show_box.setToolTip(self.tr("Height of the bars"))
        self.show_box.activated.connect(self._on_shown_chosen)
        row = self._control_row()
        row.addWidget(self.show_box)
        row.addWidget(self.order_box)
        row.addStretch(1)
        self._add_table()
        self._reorder()
        self._label()

    def set_names(self, names: ShortNames) -> None:
        """Take the shorter forms of the names of the file."""
        self._short = names

    def set_shown(self, key: str) -> None:
        """Show another measure: ``share``, ``size`` or ``energy``."""
        self.show_box.setCurrentIndex(self.show_box.findData(key))
        self._on_shown_chosen()

    @property
    def shown(self) -> str:
        """The key of what the bars are."""
        return str(self.show_box.currentData())

    def empty_text(self) -> str:
        """Say what to do where there is nothing to show."""
        return self._instead or self.tr("Open a checkpoint to see the sparsity of its tensors.")

    def busy_text(self) -> str:
        """Say what is being done."""
        return self.tr("Counting…")

    def title(self) -> str:
        """Say what kind of picture it is."""
        return {
            SHARE: self.tr("Sparsity of the tensors"),
            SIZE: self.tr("Sizes of the tensors"),
            ENERGY: self.tr("Norm² retained per tensor"),
        }[self.shown]

    def number_of_bars(self) -> int:
        """Return how many tensors there are."""
        return self._numbers.numel.size

    def ordered(self, key: str) -> NDArray[np.int64]:
        """Return the tensors in an order; equal ones as in the file."""
        n = self._numbers
        if key == ROLE:
            return n.by_role()[0]
        if key == ENERGY:  # unknown ones last
            return np.argsort(n.left, kind="stable")
        if key == FILE:
            return np.arange(n.numel.size)
        return np.argsort(-(n.shares if key == SHARE else n.nbytes), kind="stable")

    def order_label(self, key: str) -> str:
        """Say what stands along the axis."""
        return {
            FILE: self.tr("tensors, in file order"),
            SHARE: self.tr("tensors, highest sparsity first"),
            SIZE: self.tr("tensors, largest first"),
            ENERGY: self.tr("tensors, least norm² retained first"),
            ROLE: self.tr("tensors grouped by role"),
        }[key]

    def stacks(self, start: int, stop: int, group: int) -> Stacks:
        """Return percentages or bytes; of several tensors together by their weights."""
        n = self._numbers
        chosen = self._order[start:stop]
        edges = grouped_edges(self.edges(), start, stop, group)
        numel = np.maximum(grouped_sum(n.numel[chosen], group), 1)
        before = grouped_sum(n.before[chosen], group) / numel
        going = grouped_sum(n.after[chosen], group) / numel - before
        if self.shown == SHARE:
            # What is pruned stands below, what would go on top of it.
            none = np.zeros_like(before)
            return Stacks(edges, none, 100 * going, 100 * before, pruned_first=True)
        if self.shown == SIZE:
            high = grouped_max(n.nbytes[chosen], group)
            return Stacks(edges, high * (1 - before - going), high * going, high * before)
        # Of several tensors as of one: by their weights. What is not known has no bar.
        left, now = n.left[chosen], n.retained[chosen]
        known = ~np.isnan(left)
        weights = np.where(known, n.numel[chosen], 0.0)
        left, now, whole = (
            100 * grouped_sum(np.where(known, share, 0.0) * weights, group) / numel
            for share in (left, now, np.ones_like(now))
        )
        return Stacks(edges, left, np.maximum(now - left, 0.0), np.maximum(whole - now, 0.0))

    def highest(self) -> float:
        """Return the height of the highest bar; where nothing is pruned, of one that could be."""
        n = self._numbers
        if not n.numel.size:
            return 0.0
        pruned = 100 * float(n.shares.max()) or 100.0
        return {SHARE: pruned, SIZE: float(n.nbytes.max()), ENERGY: 100.0}[self.shown]

    def widest_tick(self) -> str:
        """Return what the axis may show at most."""
        return size(999_900_000) if self.shown == SIZE else "100"

    def tell(self, bar: int) -> str:
        """Say what is known of a tensor."""
        return self._words(int(self._order[bar]))

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
        going = int(self._numbers.after.sum() - self._numbers.before.sum())
        if going:
            then = part(report.after + going, report.numel)
            text += self.tr(", {then} after the step").format(then=then)
        if self.shown != ENERGY:
            return text
        if report.energy is None:
            return text + self.tr(";  norm²: calculating…")
        return text + self.tr(";  norm² retained {share}").format(share=percent(report.energy))

    def swatches(self) -> list[Swatch]:
        """Return the legend, that of the strip of the file too."""
        found = [
            Swatch(self.tr("kept"), (self._colors["kept"],)),
            Swatch(self.tr("pruned"), (self._colors["pruned"],)),
        ]
        if self._previews:
            found.append(Swatch(self.tr("to be pruned"), (self._colors["pruned"],), hatched=True))
        return found

    def numbers(self) -> Numbers:
        """Return the tensors, in the order in which they are shown."""
        if self._report is None:
            return NOTHING
        n, order = self._numbers, self._order

        def row(at: int) -> tuple[object, ...]:
            i = int(order[at])
            now, then, whole = int(n.before[i]), int(n.after[i]), int(n.numel[i])
            shares = part(now, whole), part(then, whole)
            energies = _share(n.retained[i]), _share(n.left[i])
            return n.names[i], whole, int(n.nbytes[i]), now, then, *shares, *energies

        headers = (
            self.tr("tensor"),
            self.tr("weights"),
            self.tr("bytes"),
            self.tr("pruned"),
            self.tr("pruned after"),
            self.tr("sparsity"),
            self.tr("sparsity after"),
            self.tr("norm² retained"),
            self.tr("norm² retained after"),
        )
        # Names need the room: the middle of one tells the block. Without a preview "after" is now.
        shown = (0, 5, 6, 7, 8) if self._previews else (0, 5, 7)
        return Numbers(headers, len(n.names), row, shown=shown)

    # How it works.

    @property
    def _previews(self) -> bool:
        """Whether a step would prune something."""
        return bool((self._numbers.after > self._numbers.before).any())

    def _shown_name(self, i: int) -> str:
        name = self._numbers.names[i]
        row = self._by_name.get(name)
        return row.shown if row else name

    def _words(self, i: int) -> str:
        n = self._numbers
        before, after, numel = int(n.before[i]), int(n.after[i]), int(n.numel[i])
        now = part(before, numel)
        if after > before:
            text = self.tr("{name}:  {now} → {then} pruned").format(
                name=self._shown_name(i), now=now, then=part(after, numel)
            )
            if not np.isnan(n.energy[i]):
                text += self.tr(", norm² retained {energy} (this step)").format(
                    energy=percent(float(n.energy[i]))
                )
        else:
            text = self.tr("{name}:  {now} pruned, {some} of {all}").format(
                name=self._shown_name(i), now=now, some=count(before), all=count(numel)
            )
        if before and not np.isnan(n.retained[i]):
            text += self.tr(", norm² retained {energy} since opening").format(
                energy=_share(n.retained[i])
            )
        return f"{text}, {size(int(n.nbytes[i]))}" if n.nbytes[i] else text

    def _label(self) -> None:
        self._values.set_bytes(self.shown == SIZE)
        self.canvas.across.setLabel(
            {
                SHARE: self.tr("pruned, %"),
                SIZE: self.tr("size"),
                ENERGY: self.tr("norm² retained, %"),
            }[self.shown]
        )

    def _reorder(self) -> None:
        super()._reorder()
        order = self._order
        self._names_axis.set_names(
            lambda at: self._shown_name(int(order[at])), order.size, self._short
        )
        groups = self._numbers.by_role()[1] if self.order == ROLE else ()
        self.canvas.set_dividers(np.cumsum([many for _, many in groups])[:-1] + 0.5)
        widest = self.widest_tick() if self.shown == SIZE else percent(0.999999)
        self.canvas.set_values(self._value, widest)

    def _value(self, bar: int) -> tuple[float, str]:
        """Return where the bar of a tensor ends, and the number behind it."""
        n, i = self._numbers, int(self._order[bar])
        if self.shown == SIZE:
            return float(n.nbytes[i]), size(int(n.nbytes[i]))
        if self.shown == SHARE:
            return 100 * float(n.shares[i]), part(int(n.after[i]), int(n.numel[i]))
        left = float(n.left[i])
        return (0.0, "") if np.isnan(left) else (100.0, percent(left))

    def _on_shown_chosen(self) -> None:
        self._label()
        self._reorder()
        self._begin(keep_view=True)


def _share(share: float) -> str:
    return NO_NUMBER if np.isnan(share) else percent(float(share))
