"""The page Model: sparsity, size and norm of each tensor, and a strip of the whole file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from PySide6.QtCore import Signal

from pruneapp.analysis.sparsity_report import SparsityReport
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.plots.chart.bar_chart import BarChartView, grouped_max, grouped_sum, names_canvas
from pruneapp.gui.plots.chart.items import BarChart, Floats, Indices, Stacks, TableColumn
from pruneapp.gui.plots.chart.size_strip import SizeStrip
from pruneapp.gui.widgets.controls import choice_box
from pruneapp.gui.widgets.engine_text import translate_sentence
from pruneapp.gui.widgets.labels import join_facts
from pruneapp.gui.widgets.number_format import count, part, percent, plural, size


@dataclass(frozen=True, eq=False)
class ModelNumbers:
    """Numbers of the tensors of a report, before and after the previewed step.

    Arrays are ``float64[n]`` unless noted.
    """

    names: tuple[str, ...]  # as in the file
    # Number of elements, and bytes in the file (0 if unknown).
    numel: Floats
    nbytes: Floats
    # Number of pruned weights, now and after the step.
    before: Floats
    after: Floats
    # Norm² retained by the step alone; NaN if unknown, and for tensors not in the step.
    step_retained: Floats
    # Norm² retained now, since the file was opened; NaN if unknown.
    retained: Floats
    # The tensors of the step, and their indices in `names` (-1 if they are not there).
    step_names: Sequence[str] = ()
    step_places: Indices = field(default_factory=lambda: np.zeros(0, np.int64))

    @cached_property
    def left(self) -> Floats:
        """Norm² retained after the step, since the file was opened, ``float64[n]``.

        NaN if unknown: for tensors of the step also if the norm of the step is unknown.
        """
        untouched = np.isnan(self.step_retained) & (self.after <= self.before)
        return self.retained * np.where(untouched, 1.0, self.step_retained)

    @cached_property
    def shares(self) -> Floats:
        """The pruned share after the step, ``float64[n]``."""
        return self.after / np.maximum(self.numel, 1)

    def by_role(self, in_order: Indices) -> tuple[Indices, list[tuple[str, int]]]:
        """Return tensor indices grouped by role, and each role with its number of tensors.

        `in_order` lists the tensor indices to group; it determines the order of the roles and of
        the tensors within each role. O(n) in the number of tensors.
        """
        places: dict[str, list[int]] = {}
        for i in in_order.tolist():
            places.setdefault(role(self.names[i]), []).append(i)
        order = np.array([i for group in places.values() for i in group], dtype=np.int64)
        return order, [(name, len(group)) for name, group in places.items()]


NO_NUMBERS = ModelNumbers((), *(np.zeros(0),) * 6)


def role(name: str) -> str:
    """Return a name with * for its numeric parts: ``layers.*.q_proj.weight``."""
    return ".".join("*" if word.isdecimal() else word for word in name.split("."))


def model_numbers(
    report: SparsityReport,
    preview: SparsityReport | None,
    rows: Mapping[str, TensorRow],
    former: ModelNumbers = NO_NUMBERS,
) -> ModelNumbers:
    """Return the numbers of the tensors of a report, with the effect of a previewed step.

    Only tensors of `report` are included, in its order; its `after` is the state now. None for
    `preview` is no step. Tensors that are not in `rows` have 0 bytes. O(n) in the number of
    tensors. The numbers that a step does not change, which are most of the work, are reused from
    `former` if it has the same tensors.
    """
    table = report.table
    size, names = len(table), tuple(table.names)
    if names == former.names:
        names, numel, nbytes = former.names, former.numel, former.nbytes
    else:
        numel = table.numel.astype(np.float64)
        known_rows = (rows.get(name) for name in names)
        nbytes = np.fromiter((row.nbytes if row else 0 for row in known_rows), np.float64, size)
    before = table.after.astype(np.float64)
    after = before.copy()
    step_retained = np.full(size, np.nan)
    step_names, places = former.step_names, former.step_places
    if preview is not None:
        touched = preview.table
        step_names = touched.names
        if names is former.names and step_names is former.step_names:
            places = former.step_places
        else:
            places = np.array([table.places.get(name, -1) for name in step_names], np.int64)
        present = places >= 0
        after[places[present]] = np.maximum(touched.after[present], before[places[present]])
        step_retained[places[present]] = touched.norm[present]
    return ModelNumbers(
        names, numel, nbytes, before, after, step_retained, table.norm, step_names, places
    )


LAYER, SHARE, SIZE, NORM, ROLE = "layer", "share", "size", "norm", "role"


class ModelView(BarChartView):
    """Bars of sparsity, size, or norm² retained since opening, above a strip of the whole file."""

    tensorClicked = Signal(str)  # the user chose this tensor

    def __init__(self) -> None:
        self._report: SparsityReport | None = None
        self._by_name: Mapping[str, TensorRow] = {}
        self._numbers: ModelNumbers = NO_NUMBERS
        self._tensors: Sequence[TensorRow] = ()
        self._prunable = 0  # number of prunable tensors
        self._strip_tensor = -1
        self._current = ""  # name of the focused tensor in the file
        # Index among all tensors of each tensor of the report; unchanged by steps.
        self._report_rows: Indices = np.zeros(0, np.int64)
        self._report_names: tuple[str, ...] = ()
        orders = (
            (self.tr("In tree order"), LAYER),
            (self.tr("Most pruned first"), SHARE),
            (self.tr("Largest first"), SIZE),
            (self.tr("Least L2 norm² retained first"), NORM),
            (self.tr("By role"), ROLE),
        )
        measures = (
            (self.tr("Sparsity"), SHARE),
            (self.tr("Size"), SIZE),
            (self.tr("L2 norm² retained (whole model)"), NORM),
        )
        box = choice_box(self.tr("Show"), self.tr("Length of the bars"), measures)
        super().__init__(names_canvas(), orders, box)
        self._busy_text = self.tr("Counting…")
        self._row.addWidget(self.measure_box)
        self._row.addWidget(self.order_box)
        self._row.addStretch(1)
        self.legend_in_corner = False  # the corner has the axis labels
        self.legend_may_go = True
        self.strip = SizeStrip()
        self.strip.text_of = self._strip_text
        self.strip.hovered.connect(self._on_strip_hovered)
        self.strip.chosen.connect(self._on_strip_chosen)
        self._add_row(self.strip)
        self._set_stem("", "sparsity")
        self.set_colors(self._colors)

    def empty_text(self) -> str:
        return self._empty_text or self.tr("Open a checkpoint to see the sparsity of its tensors.")

    def chart(self) -> BarChart:
        n, measure, preview = self._numbers, self.measure, self._has_preview
        title, across = {
            SHARE: (self.tr("Sparsity of the tensors"), self.tr("sparsity, %")),
            SIZE: (self.tr("Sizes of the tensors"), self.tr("size")),
            NORM: (self.tr("L2 norm² retained per tensor"), self.tr("L2 norm² retained, %")),
        }[measure]
        # If nothing is pruned, the axis reaches 100 %.
        highest = {
            SHARE: 100 * float(n.shares.max(initial=0)) or 100.0,
            SIZE: float(n.nbytes.max(initial=0)),
            NORM: 100.0,
        }[measure]
        order, dividers = self._sort_tensors()
        whole, now, after = (part.astype(np.int64) for part in (n.numel, n.before, n.after))
        share, share_after = (
            np.where(whole, part / np.maximum(whole, 1), np.nan) for part in (now, after)
        )
        return BarChart(
            key=n.names,
            order=order,
            stacks=self._stacks,
            highest=highest,
            title=title,
            along=self.tr("tensors"),
            across=across,
            summary=self._summary,
            text=self._tensor_text,
            columns=(
                TableColumn(self.tr("tensor"), n.names.__getitem__),
                TableColumn(self.tr("weights"), whole.item, shown=False),
                TableColumn(self.tr("bytes"), lambda i: int(n.nbytes[i]), shown=False),
                TableColumn(self.tr("pruned"), now.item, shown=False),
                TableColumn(self.tr("pruned after"), after.item, shown=False),
                # Few columns, because long names need the width. Without a preview "after" equals
                # now.
                TableColumn(self.tr("sparsity"), share.item, share=True),
                TableColumn(self.tr("sparsity after"), share_after.item, share=True, shown=preview),
                TableColumn(self.tr("L2 norm² retained"), n.retained.item, share=True),
                TableColumn(
                    self.tr("L2 norm² retained after"), n.left.item, share=True, shown=preview
                ),
            ),
            swatches=self.state_swatches(preview=preview),  # also of the strip
            dividers=dividers,
            name=self._name_of,
            current=self._item_of(self._current),
            value=self._value_of,
            widest_value=size(999_900_000) if measure == SIZE else percent(0.999999),
            # The axis continues after the highest bar only for the texts.
            largest_tick=np.inf if measure == SIZE else max(100.0, highest),
            in_bytes=measure == SIZE,
        )

    def _sort_tensors(self) -> tuple[Indices, Floats]:
        """Return the tensor indices in the chosen order, and the positions between roles.

        Equal ones are in tree order. Without an order by role there are no positions.
        """
        n, key = self._numbers, self.order
        in_order = np.argsort(self._places_of_report(), kind="stable")
        if key == ROLE:
            order, roles = n.by_role(in_order)
            return order, np.cumsum([size for _, size in roles])[:-1] + 0.5
        if key != LAYER:
            # NaN (unknown) is sorted last.
            values = n.left if key == NORM else -(n.shares if key == SHARE else n.nbytes)
            in_order = in_order[np.argsort(values[in_order], kind="stable")]
        return in_order, np.zeros(0)

    def _places_of_report(self) -> Indices:
        """Return the index among all tensors of each tensor of the report; -1 if not there.

        Cached until the tensors of either change.
        """
        n = self._numbers
        if n.names is not self._report_names:
            place = {row.name: at for at, row in enumerate(self._tensors)}
            places = (place.get(name, -1) for name in n.names)
            self._report_rows = np.fromiter(places, np.int64, len(n.names))
            self._report_names = n.names
        return self._report_rows

    def _stacks(self, items: Indices, group: int) -> Stacks:
        """Return the bars, `group` successive tensors of `items` as one.

        The shares of a group are weighted by numbers of weights, its size is that of the largest
        tensor. Tensors with an unknown norm have no bar of the norm.
        """
        n = self._numbers
        numel = np.maximum(grouped_sum(n.numel[items], group), 1)
        before = grouped_sum(n.before[items], group) / numel
        to_prune = grouped_sum(n.after[items], group) / numel - before
        if self.measure == SHARE:
            # Pruned at the bottom, to be pruned on top of it.
            none = np.zeros_like(before)
            return Stacks(none, 100 * to_prune, 100 * before, pruned_first=True)
        if self.measure == SIZE:
            high = grouped_max(n.nbytes[items], group)
            return Stacks(high * (1 - before - to_prune), high * to_prune, high * before)
        # Tensors with an unknown norm have no bar.
        left, now = n.left[items], n.retained[items]
        known = ~np.isnan(left)
        weights = np.where(known, n.numel[items], 0.0)
        left, now, whole = (
            100 * grouped_sum(np.where(known, share, 0.0) * weights, group) / numel
            for share in (left, now, np.ones_like(now))
        )
        return Stacks(left, np.maximum(now - left, 0.0), np.maximum(whole - now, 0.0))

    def _summary(self) -> str:
        """Return the numbers of tensors and the share of pruned weights, now and after the step.

        If the norm is shown, also the norm retained by the model; "" without a report.
        """
        report = self._report
        if report is None:
            return ""
        words = plural(
            len(report.tensors),
            self.tr("1 tensor; model {share} pruned"),
            self.tr("{n} tensors; model {share} pruned"),
        )
        text = words.format(share=part(report.after, report.numel))
        to_prune = int(self._numbers.after.sum() - self._numbers.before.sum())
        if to_prune:
            then = part(report.after + to_prune, report.numel)
            text += self.tr(", {then} after the step").format(then=then)
        if self.measure == NORM:
            norm = report.norm_retained
            words = self.tr(";  L2 norm²: calculating…")
            if norm is not None:
                words = self.tr(";  L2 norm² retained {share}").format(share=percent(norm))
            text += words
        if len(report.tensors) < self._prunable:  # not the same as the checked tensors
            text += self.tr(";  unpruned bias/norm layers not shown")
        return text

    def _name_of(self, tensor: int) -> str:
        name = self._numbers.names[tensor]
        row = self._by_name.get(name)
        return row.shown if row else name

    def _value_of(self, i: int) -> tuple[float, str]:
        n = self._numbers
        if self.measure == SIZE:
            return float(n.nbytes[i]), size(int(n.nbytes[i]))
        if self.measure == SHARE:
            return 100 * float(n.shares[i]), part(int(n.after[i]), int(n.numel[i]))
        left = float(n.left[i])
        return (0.0, "") if np.isnan(left) else (100.0, percent(left))

    @property
    def _has_preview(self) -> bool:
        return bool((self._numbers.after > self._numbers.before).any())

    def _tensor_text(self, i: int) -> str:
        n = self._numbers
        before, after, numel = int(n.before[i]), int(n.after[i]), int(n.numel[i])
        now = part(before, numel)
        if after > before:
            text = self.tr("{name}:  {now} → {then} pruned").format(
                name=self._name_of(i), now=now, then=part(after, numel)
            )
            if not np.isnan(n.step_retained[i]):
                text += self.tr(", L2 norm² retained {norm} (this step)").format(
                    norm=percent(float(n.step_retained[i]))
                )
        else:
            text = self.tr("{name}:  {now} pruned, {some} of {all}").format(
                name=self._name_of(i), now=now, some=count(before), all=count(numel)
            )
        if before and not np.isnan(n.retained[i]):
            text += self.tr(", L2 norm² retained {norm} since opening").format(
                norm=percent(float(n.retained[i]))
            )
        return join_facts(text, size(int(n.nbytes[i])) if n.nbytes[i] else "")

    def _item_of(self, name: str) -> int:
        """Return the index of a tensor in the report; -1 if it is not there."""
        return self._numbers.names.index(name) if name in self._numbers.names else -1

    # -- setters ----------------------------------------------------------------------------------

    def set_tensors(self, rows: Sequence[TensorRow]) -> None:
        """Set the names and sizes of all tensors of the file, in tree order.

        Call this before `set_report`, which shows them. Does nothing if `rows` is the same object
        as before. The strip is reset.
        """
        if rows is self._tensors:
            return
        self._tensors = rows
        self._by_name = {row.name: row for row in rows}
        self._prunable = sum(not row.why_not for row in rows)
        self.strip.set_sizes(
            np.array([row.nbytes for row in rows], dtype=np.float64),
            np.array([not row.why_not for row in rows], dtype=np.bool_),
        )
        words = self.tr("{n} tensors, {size}")
        self.strip.setAccessibleDescription(
            words.format(n=count(len(rows)), size=size(int(self.strip.total)))
        )
        self._report_rows, self._report_names = np.zeros(0, np.int64), ()
        self._strip_tensor = -1
        self._mark_in_strip()

    def set_current(self, name: str) -> None:
        """Mark the focused tensor and scroll to it; "" for none."""
        self._current = name
        self.canvas.mark(self._item_of(name))
        self.canvas.scroll_to_bar(self.canvas.current)
        self._mark_in_strip()

    def set_report(
        self, report: SparsityReport | None, preview: SparsityReport | None = None
    ) -> None:
        """Show the current sparsity, and the effect of a previewed step; None clears the chart.

        `after` of `report` is the number of weights that are pruned now. Ends the busy state and
        removes an error. If the tensors are others, scrolls to the focused one.
        """
        names = self._numbers.names
        self._report = report
        if report is None:
            self._numbers = NO_NUMBERS
        else:
            self._numbers = model_numbers(report, preview, self._by_name, self._numbers)
        self._update_strip()
        self._show_data()
        if names != self._numbers.names:
            self.canvas.scroll_to_bar(self.canvas.current)
        if report is not None:
            self.set_busy(False)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        super().set_colors(colors)
        self.strip.set_colors(self._colors)

    def activate(self, item: int) -> None:
        self.tensorClicked.emit(self._numbers.names[item])

    # -- strip ------------------------------------------------------------------------------------

    def _mark_in_strip(self) -> None:
        rows = enumerate(self._tensors)
        self.strip.set_current(next((at for at, row in rows if row.name == self._current), -1))

    def _update_strip(self) -> None:
        n = self._numbers
        rows_of_report = self._places_of_report()
        present = rows_of_report >= 0
        before, after = np.zeros(len(self._tensors)), np.zeros(len(self._tensors))
        before[rows_of_report[present]] = (n.before / np.maximum(n.numel, 1))[present]
        after[rows_of_report[present]] = n.shares[present]
        self.strip.set_shares(before, after)
        self.strip.setVisible(self.strip.total > 0 and self._report is not None)

    def _refresh_readout(self) -> None:
        if self._strip_tensor < 0 or self._hovered >= 0 or not self._has_content:
            super()._refresh_readout()
            return
        self.readout.setText(self._strip_text(self._strip_tensor))

    def _strip_text(self, tensor: int) -> str:
        """Return the readout of a tensor of the strip."""
        row = self._tensors[tensor]
        bars = np.flatnonzero(self._report_rows == tensor)
        if bars.size:
            return self._tensor_text(int(bars[0]))
        return self.tr("{name}:  {size}, {why}").format(
            name=row.shown,
            size=size(row.nbytes),
            why=translate_sentence(row.why_not) or self.tr("not pruned"),
        )

    def _on_strip_hovered(self, tensor: int) -> None:
        self._strip_tensor = tensor
        self._refresh_readout()

    def _on_strip_chosen(self, tensor: int) -> None:
        self.tensorClicked.emit(self._tensors[tensor].name)
