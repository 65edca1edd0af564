"""The page Model: sparsity, size and norm of each tensor, and a strip of the whole file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal

from pruneapp.analysis.sparsity_report import SparsityReport
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.plots.base.readout import Swatch
from pruneapp.gui.plots.chart.chart import TensorsChart, grouped_edges, grouped_max, grouped_sum
from pruneapp.gui.plots.chart.items import Floats, Stacks
from pruneapp.gui.plots.chart.size_strip import SizeStrip
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
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
    asked: Sequence[str] = ()
    places: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

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

    def by_role(
        self, in_order: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], list[tuple[str, int]]]:
        """Return tensor indices grouped by role, and each role with its number of tensors.

        `in_order` lists the tensor indices; it determines the order of the roles and of the
        tensors within each role. O(n) in the number of tensors.
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
    known: ModelNumbers = NO_NUMBERS,
) -> ModelNumbers:
    """Return the numbers of the tensors of a report, with the effect of a previewed step.

    O(n) in the number of tensors. The numbers that a step does not change, which are most of the
    work, are reused from `known` if it has the same tensors.
    """
    table = report.table
    size, names = len(table), tuple(table.names)
    if names == known.names:
        names, numel, nbytes = known.names, known.numel, known.nbytes
    else:
        numel = table.numel.astype(np.float64)
        known_rows = (rows.get(name) for name in names)
        nbytes = np.fromiter((row.nbytes if row else 0 for row in known_rows), np.float64, size)
    before = table.after.astype(np.float64)
    after = before.copy()
    step_retained = np.full(size, np.nan)
    asked, places = known.asked, known.places
    if preview is not None:
        touched = preview.table
        asked = touched.names
        if names is known.names and asked is known.asked:
            places = known.places
        else:
            places = np.array([table.places.get(name, -1) for name in asked], np.int64)
        present = places >= 0
        after[places[present]] = np.maximum(touched.after[present], before[places[present]])
        step_retained[places[present]] = touched.norm[present]
    return ModelNumbers(
        names, numel, nbytes, before, after, step_retained, table.norm, asked, places
    )


LAYER, SHARE, SIZE, NORM, ROLE = "layer", "share", "size", "norm", "role"


class ModelView(TensorsChart):
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
        self._report_rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._report_names: tuple[str, ...] = ()
        orders = (
            (LAYER, self.tr("In layer order")),
            (SHARE, self.tr("Most pruned first")),
            (SIZE, self.tr("Largest first")),
            (NORM, self.tr("Least norm² retained first")),
            (ROLE, self.tr("By role")),
        )
        measures = (
            (self.tr("Pruned"), SHARE),
            (self.tr("Size"), SIZE),
            (self.tr("Norm² retained (whole model)"), NORM),
        )
        box = choice_box(self.tr("Show"), self.tr("Height of the bars"), measures)
        super().__init__(orders, box)
        self._busy_text = self.tr("Counting…")
        self._row.addWidget(self.measure_box)
        self._row.addWidget(self.order_box)
        self._row.addStretch(1)
        self.legend_in_corner = False  # the corner has the axis labels
        self.legend_may_go = True
        self.strip = SizeStrip()
        self.strip.hovered.connect(self._on_strip_hovered)
        self.strip.chosen.connect(self._on_strip_chosen)
        self._add_row(self.strip)
        self._reorder()
        self._measure()
        self.set_colors(self._colors)

    def empty_text(self) -> str:
        return self._empty_text or self.tr("Open a checkpoint to see the sparsity of its tensors.")

    def title(self) -> str:
        return {
            SHARE: self.tr("Sparsity of the tensors"),
            SIZE: self.tr("Sizes of the tensors"),
            NORM: self.tr("Norm² retained per tensor"),
        }[self.measure]

    def ordered(self, key: str) -> NDArray[np.int64]:
        """Return tensor indices in the order `key`; equal ones are in layer order."""
        n, in_order = self._numbers, self._in_layer_order()
        if key == ROLE:
            return n.by_role(in_order)[0]
        if key == LAYER:
            return in_order
        # NaN (unknown) is sorted last.
        values = n.left if key == NORM else -(n.shares if key == SHARE else n.nbytes)
        return in_order[np.argsort(values[in_order], kind="stable")]

    def _in_layer_order(self) -> NDArray[np.int64]:
        """Return the tensor indices of the report in the order of `set_tensors`."""
        return np.argsort(self._places_of_report(), kind="stable")

    def _places_of_report(self) -> NDArray[np.int64]:
        """Return the index among all tensors of each tensor of the report; -1 if not there."""
        n = self._numbers
        if n.names is not self._report_names:
            place = {row.name: at for at, row in enumerate(self._tensors)}
            places = (place.get(name, -1) for name in n.names)
            self._report_rows = np.fromiter(places, np.int64, len(n.names))
            self._report_names = n.names
        return self._report_rows

    def order_label(self) -> str:
        return self.tr("tensors")

    def stacks(self, start: int, stop: int, group: int) -> Stacks:
        """Return the bars; the shares of a group of tensors are weighted by their weights."""
        n = self._numbers
        chosen = self._order[start:stop]
        edges = grouped_edges(self.edges(), start, stop, group)
        numel = np.maximum(grouped_sum(n.numel[chosen], group), 1)
        before = grouped_sum(n.before[chosen], group) / numel
        to_prune = grouped_sum(n.after[chosen], group) / numel - before
        if self.measure == SHARE:
            # Pruned at the bottom, to be pruned on top of it.
            none = np.zeros_like(before)
            return Stacks(edges, none, 100 * to_prune, 100 * before, pruned_first=True)
        if self.measure == SIZE:
            high = grouped_max(n.nbytes[chosen], group)
            return Stacks(edges, high * (1 - before - to_prune), high * to_prune, high * before)
        # Tensors with an unknown norm have no bar.
        left, now = n.left[chosen], n.retained[chosen]
        known = ~np.isnan(left)
        weights = np.where(known, n.numel[chosen], 0.0)
        left, now, whole = (
            100 * grouped_sum(np.where(known, share, 0.0) * weights, group) / numel
            for share in (left, now, np.ones_like(now))
        )
        return Stacks(edges, left, np.maximum(now - left, 0.0), np.maximum(whole - now, 0.0))

    def highest(self) -> float:
        """Return the height of the highest bar; 100 % for sparsity if nothing is pruned."""
        n = self._numbers
        if not n.numel.size:
            return 0.0
        pruned = 100 * float(n.shares.max()) or 100.0
        return {SHARE: pruned, SIZE: float(n.nbytes.max()), NORM: 100.0}[self.measure]

    def bar_text(self, bar: int) -> str:
        return self._tensor_text(int(self._order[bar]))

    def summary(self) -> str:
        """Return the share of pruned weights in the model."""
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
            words = self.tr(";  norm²: calculating…")
            if norm is not None:
                words = self.tr(";  norm² retained {share}").format(share=percent(norm))
            text += words
        if len(report.tensors) < self._prunable:  # not the same as the checked tensors
            text += self.tr(
                ";  only tensors that are usually pruned or have pruned weights are shown"
            )
        return text

    def swatches(self) -> list[Swatch]:
        """Return the legend, which is also that of the strip."""
        return self.state_swatches(preview=self._has_preview)

    def numbers(self) -> Numbers:
        """Return one row per tensor, in the displayed order."""
        if self._report is None:
            return NOTHING
        n, order = self._numbers, self._order

        def row(at: int) -> tuple[object, ...]:
            i = int(order[at])
            now, then, whole = int(n.before[i]), int(n.after[i]), int(n.numel[i])
            shares = (now / whole, then / whole) if whole else (None, None)
            norms = (
                None if np.isnan(share) else float(share) for share in (n.retained[i], n.left[i])
            )
            return n.names[i], whole, int(n.nbytes[i]), now, then, *shares, *norms

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
        # Few columns, because long names need the width. Without a preview "after" equals now.
        shown = (0, 5, 6, 7, 8) if self._has_preview else (0, 5, 7)
        shares = frozenset({5, 6, 7, 8})
        return Numbers(headers, len(n.names), row, shown=shown, shares=shares)

    def name_of(self, tensor: int) -> str:
        name = self._numbers.names[tensor]
        row = self._by_name.get(name)
        return row.shown if row else name

    def widest_value(self) -> str:
        return size(999_900_000) if self.measure == SIZE else percent(0.999999)

    def axis_label(self) -> str:
        return {
            SHARE: self.tr("pruned, %"),
            SIZE: self.tr("size"),
            NORM: self.tr("norm² retained, %"),
        }[self.measure]

    def value_of(self, bar: int) -> tuple[float, str]:
        n, i = self._numbers, int(self._order[bar])
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
                name=self.name_of(i), now=now, then=part(after, numel)
            )
            if not np.isnan(n.step_retained[i]):
                text += self.tr(", norm² retained {norm} (this step)").format(
                    norm=percent(float(n.step_retained[i]))
                )
        else:
            text = self.tr("{name}:  {now} pruned, {some} of {all}").format(
                name=self.name_of(i), now=now, some=count(before), all=count(numel)
            )
        if before and not np.isnan(n.retained[i]):
            text += self.tr(", norm² retained {norm} since opening").format(
                norm=percent(float(n.retained[i]))
            )
        return join_facts(text, size(int(n.nbytes[i])) if n.nbytes[i] else "")

    def _draw(self) -> None:
        # The axis continues after the highest bar only for the texts.
        high = max(100.0, self.highest())
        self._values.set_ends(high=np.inf if self.measure == SIZE else high)
        super()._draw()

    def _measure(self) -> None:
        self._values.set_bytes(self.measure == SIZE)
        super()._measure()

    def _reorder(self) -> None:
        super()._reorder()
        groups = self._numbers.by_role(self._in_layer_order())[1] if self.order == ROLE else ()
        self.canvas.set_dividers(np.cumsum([many for _, many in groups])[:-1] + 0.5)
        self._mark_current()

    def _mark_current(self) -> None:
        names, name = self._numbers.names, self._current
        bar = -1
        if name and name in names:
            (bar,) = np.flatnonzero(self._order == names.index(name)).tolist()
        self.canvas.set_current(bar)
        row = self._by_name.get(name) if bar >= 0 else None
        self._names_axis.set_marked(row.shown if row else "", self._colors["accent"])

    # -- setters ----------------------------------------------------------------------------------

    def set_tensors(self, rows: Sequence[TensorRow]) -> None:
        """Take the names and sizes of all tensors of the file, in layer order.

        Call this before `set_report`. Returns immediately if `rows` is the same object as before.
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
        self._report_rows, self._report_names = np.zeros(0, dtype=np.int64), ()
        self._strip_tensor = -1
        self._mark_in_strip()

    def set_current(self, name: str) -> None:
        """Mark the focused tensor and scroll to it; "" for none."""
        self._current = name
        self._mark_current()
        self.canvas.scroll_to_bar(self.canvas.current)
        self._mark_in_strip()

    def set_report(
        self, report: SparsityReport | None, preview: SparsityReport | None = None
    ) -> None:
        """Show the current sparsity, and the effect of a previewed step; None clears the chart.

        `after` of `report` is the number of weights that are pruned now.
        """
        names = self._numbers.names
        self._report = report
        if report is None:
            self._numbers = NO_NUMBERS
        else:
            self._numbers = model_numbers(report, preview, self._by_name, self._numbers)
        self._update_strip()
        self._set_stem("", "sparsity")
        self._reorder()
        same = names == self._numbers.names
        self._show_bars(keep_view=same)
        if not same:
            self.canvas.scroll_to_bar(self.canvas.current)
        if report is not None:
            self.set_busy(False)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of a theme (color by token)."""
        super().set_colors(colors)
        self.strip.set_colors(self._colors)
        self._mark_current()

    def activate(self, bar: int) -> None:
        """Emit `tensorClicked` for a bar."""
        self.tensorClicked.emit(self._numbers.names[int(self._order[bar])])

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
        row = self._tensors[self._strip_tensor]
        bars = np.flatnonzero(self._report_rows == self._strip_tensor)
        if bars.size:
            self.readout.setText(self._tensor_text(int(bars[0])))
        else:
            self.readout.setText(
                self.tr("{name}:  {size}, {why}").format(
                    name=row.shown,
                    size=size(row.nbytes),
                    why=translate_sentence(row.why_not) or self.tr("not pruned"),
                )
            )

    def _on_strip_hovered(self, tensor: int) -> None:
        self._strip_tensor = tensor
        self._refresh_readout()

    def _on_strip_chosen(self, tensor: int) -> None:
        self.tensorClicked.emit(self._tensors[tensor].name)
