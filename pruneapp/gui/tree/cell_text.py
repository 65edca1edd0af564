"""The values and texts of the cells of the tree: columns, bars and tooltips.

`columns.py` assigns them to columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from itertools import repeat

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt

from pruneapp.analysis.histogram_store import Assignment
from pruneapp.analysis.sparsity_report import CountsByName, Danger, Severity
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.edits.group_edit import TensorGroup
from pruneapp.gui.tree.nodes import CheckStates, Nodes
from pruneapp.gui.widgets import number_format, reports
from pruneapp.gui.widgets.engine_text import translate_declared, translate_sentence
from pruneapp.gui.widgets.labels import as_plain, join_names, join_sentences, with_label

BAR_ROLE = int(Qt.ItemDataRole.UserRole)  # (share now, share after the step or None), or None
DIM_ROLE = BAR_ROLE + 1  # bool: cannot be pruned
DANGER_ROLE = BAR_ROLE + 2  # glyph of the worst danger of the step for a tensor, or below a module
# bool: the tensor, or one below, is in a group with the focused tensor, and this column shows the
# icon for it (the bar's column, or the name's if the bar has a danger glyph).
GROUP_ROLE = BAR_ROLE + 3
_MAX_NAMED = 4  # tensors of a group, or with a danger, listed in a tooltip
EXCLUDED = "⊘"  # marks tensors that limits or rules exclude


class Cells(QObject):
    """The contents of the cells of the tree."""

    def __init__(self, nodes: Nodes, checks: CheckStates) -> None:
        super().__init__()
        self.nodes = nodes
        self.checks = checks
        self.parameters_below = nodes.sums_below(nodes.parameters)
        self._buffers_below = nodes.sums_below(nodes.numel - nodes.parameters)
        self._default_below = nodes.sums_below(nodes.by_default)
        # bool[nodes]: whether each column of numbers has a value.
        self.has_parameters = ~nodes.alias & ((self.parameters_below > 0) | (nodes.tensor < 0))
        self.has_prunable = ~nodes.alias & (nodes.sums_below(nodes.prunable) > 0)
        self.has_sparsity = self.has_prunable & (self.parameters_below > 0)
        self._pruned = np.zeros(len(nodes.rows), np.int64)
        self._pruned_below = nodes.sums_below(self._pruned)
        # Running sums of the pruned weights after the step, for `Nodes.sum_below`.
        self._after: NDArray[np.int64] | None = None
        self._to_prune_below: NDArray[np.int64] | None = None
        # Cache for the last preview: names of its tensors, their rows, and their sizes.
        self._preview_rows: tuple[Sequence[str], NDArray[np.int64], NDArray[np.int64]]
        self._preview_rows = (), np.zeros(0, np.int64), np.zeros(0, np.int64)
        self.whole_names = False  # True in the list, which has no modules above tensors
        self._dangers: Mapping[str, Danger] = {}
        self._assignment = Assignment()
        self._excluded_below: NDArray[np.int64] | None = None  # None if nothing is excluded
        # The groups of the focused tensor, each with a mask ``bool[rows]`` of its other members,
        # and the number of these below each node; None without groups.
        self._focused_tensor = -1
        self._groups: list[tuple[TensorGroup, NDArray[np.bool_]]] = []
        self._members_below: NDArray[np.int64] | None = None
        # Number of tensors below each node with that severity; empty if there are none.
        self._danger_counts: dict[Severity, NDArray[np.int64]] = {}

    @property
    def has_preview(self) -> bool:
        return self._after is not None

    @property
    def to_prune_below(self) -> NDArray[np.int64]:
        """Number of weights to be pruned below each node, ``int64[nodes]``.

        Computed for all nodes because a list may be sorted by it.
        """
        if self._to_prune_below is None:
            self._to_prune_below = np.zeros(len(self.nodes), np.int64)
            if self._after is not None:
                after = self.nodes.sum_below(self._after, slice(None))
                self._to_prune_below = after - self._pruned_below
        return self._to_prune_below

    def copy_for_worker(self) -> Cells:
        """Return a copy for a worker thread that later setters do not change."""
        copied = Cells(self.nodes, copy(self.checks))
        # Shallow is enough: setters replace arrays and mappings and never change them.
        vars(copied).update(vars(self), checks=copied.checks)
        return copied

    def set_sparsity(self, pruned: Mapping[str, int]) -> None:
        """Set the number of pruned weights of some tensors; the others keep their numbers."""
        self._pruned = self._values(pruned, self._pruned)
        self._pruned_below = self.nodes.sums_below(self._pruned)
        self._to_prune_below = None

    def set_preview(
        self, after: Mapping[str, int] | None, dangers: Mapping[str, Danger] | None = None
    ) -> None:
        """Set the number of pruned weights after the step, and the dangers of the step.

        Both are given by name in the file. Tensors that are not in `after` keep their current
        number; counts above the size are clipped. None ends the preview. Dangers replace those of
        the last call, also if `after` is None.
        """
        self._to_prune_below = self._after = None
        # Called with each move of a slider, so sums are computed only for visible rows.
        if after is not None:
            self._after = self.nodes.running_sums(self._values(after, self._pruned))
        self._dangers = dangers or {}
        self._danger_counts = {}
        if self._dangers:
            marks = {name: int(danger.severity) for name, danger in self._dangers.items()}
            severities = self._column(marks)
            for severity in sorted(set(marks.values()), reverse=True):
                self._danger_counts[Severity(severity)] = self.nodes.sums_below(
                    severities == severity
                )

    def set_assignment(self, assignment: Assignment) -> None:
        """Set which tensors limits or rules exclude, and which rule applies to the others.

        Replaces the last assignment.
        """
        self._assignment = assignment
        self._excluded_below = None
        if assignment.excluded:
            marked = self._column(dict.fromkeys(assignment.excluded, 1)) > 0
            self._excluded_below = self.nodes.sums_below(marked)

    def set_groups(self, name: str, groups: Sequence[TensorGroup]) -> None:
        """Set the focused tensor, by its name in the file, and its groups; replaces the last ones.

        Members that the tree does not contain are ignored. No groups remove all marks.
        """
        number = self.nodes.number
        self._focused_tensor, self._groups, self._members_below = number.get(name, -1), [], None
        for group in groups:
            found = np.fromiter(map(number.get, group.others, repeat(-1)), np.int64)
            members = np.zeros(len(self.nodes.rows), np.bool_)
            members[found[found >= 0]] = True
            self._groups.append((group, members))
        if self._groups:
            some = np.logical_or.reduce([members for _, members in self._groups])
            self._members_below = self.nodes.sums_below(some)

    def _values(self, given: Mapping[str, int], values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a copy of `values` (``int64[rows]``) with the counts of `given`.

        Counts are clipped to the sizes; names that the tree does not contain are ignored.
        """
        if isinstance(given, CountsByName):
            places, sizes, counts = *self._rows_of(given), given.counts
            values = values.copy()
            if len(places) < len(counts):
                return self._values(dict(zip(given.names, counts.tolist(), strict=True)), values)
            values[places] = np.minimum(counts, sizes)
            return values
        previewed = self._column(given)
        return np.where(previewed >= 0, np.minimum(previewed, self.nodes.numel), values)

    def _rows_of(self, given: CountsByName) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows and the sizes of the tensors of `given` that are in the tree.

        They are in the order of `given`, and cached for the last names.
        """
        # Equal for each move of a slider, but not always the same tuple.
        if self._preview_rows[0] is not given.names and self._preview_rows[0] != given.names:
            found = map(self.nodes.number.get, given.names, repeat(-1))
            places = np.fromiter(found, np.int64, len(given))
            places = places[places >= 0]
            self._preview_rows = given.names, places, self.nodes.numel[places]
        return self._preview_rows[1:]

    def _column(self, given: Mapping[str, int]) -> NDArray[np.int64]:
        """Return ``int64[rows]`` with the values by tensor name, -1 for tensors not in `given`.

        Names that the tree does not contain are ignored.
        """
        places = np.fromiter(map(self.nodes.number.get, given, repeat(-1)), np.int64, len(given))
        values = np.fromiter(given.values(), np.int64, len(given))
        column = np.full(len(self.nodes.names), -1, np.int64)
        known = places >= 0
        column[places[known]] = values[known]
        return column

    def _worst_danger(self, node: int) -> tuple[Severity, int]:
        """Return the highest severity below a node, and the number of tensors that have it."""
        if not self.nodes.alias[node]:
            for severity, below in self._danger_counts.items():
                if count := int(below[node]):
                    return severity, count
        return Severity.NONE, 0

    def danger(self, node: int) -> str | None:
        """Return the glyph of the highest severity below a node; None if there is no danger."""
        return (
            (reports.GLYPHS[self._worst_danger(node)[0]] or None) if self._danger_counts else None
        )

    def _danger_text(self, node: int) -> str:
        """Return the reason for the glyph as sentences; "" if there is no danger.

        For a module, the tensors below it with the highest severity: the reason and the name of a
        single one, or the number of several and the names of the first ones.
        """
        severity, count = self._worst_danger(node)
        if not count:
            return ""
        tensor = int(self.nodes.tensor[node])
        if tensor >= 0:
            return reports.reason(self._dangers[self.nodes.names[tensor]])
        below = self.nodes.tensors_below(node).tolist()
        tensors = [
            at
            for at in below
            if (danger := self._dangers.get(self.nodes.names[at])) and danger.severity is severity
        ]
        shown = [self.nodes.rows[at].shown for at in tensors[:_MAX_NAMED]]
        if len(tensors) == 1:
            return with_label(shown[0], reports.reason(self._dangers[self.nodes.names[tensors[0]]]))
        names = join_names(*shown)
        if more := len(tensors) - len(shown):
            text = self.tr("{names} and {n} more")
            names = text.format(names=names, n=number_format.count(more))
        return self.tr("Below this module: {what}: {names}.").format(
            what=reports.several(severity, count), names=names
        )

    def _is_excluded(self, node: int) -> bool:
        if self._excluded_below is None or self.nodes.alias[node]:
            return False
        count = int(self._excluded_below[node])
        return count > 0 and (self.nodes.tensor[node] >= 0 or count >= self._default_below[node])

    def _rule_or_limit(self, node: int) -> str:
        """Return what excludes a tensor, or which rule applies to it; "" for neither.

        For a module, the number of excluded tensors below it. "" for aliases.
        """
        tensor = int(self.nodes.tensor[node])
        if tensor < 0:
            count = 0 if self._excluded_below is None else int(self._excluded_below[node])
            many = self.tr("Excluded tensors in this module: {n}")
            return many.format(n=number_format.count(count)) if count else ""
        if self.nodes.alias[node]:
            return ""
        name = self.nodes.names[tensor]
        words = {
            "embeddings": self.tr("Excluded: embeddings"),
            "first": self.tr("Excluded: first layer"),
            "last": self.tr("Excluded: last layer"),
            "rule": self.tr("Excluded by rule {n}"),
            "": self.tr("Rule {n} applies"),
        }
        excluded = self._assignment.excluded.get(name, "")
        rule = self._assignment.rules.get(name, -1)
        return words[excluded].format(n=rule + 1) if excluded or rule >= 0 else ""

    def is_grouped(self, node: int) -> bool:
        """Return whether the node, or one below, is in a group with the focused tensor."""
        below = self._members_below
        return below is not None and bool(below[node]) and not self.nodes.alias[node]

    def group_text(self, node: int) -> str:
        """Return which tensors are pruned together with a node; "" if it is in no focused group.

        For a module, the number of members below it. "" for aliases.
        """
        tensor, rows = int(self.nodes.tensor[node]), self.nodes.rows
        if tensor < 0:
            many = 0 if self._members_below is None else int(self._members_below[node])
            text = number_format.plural(
                many,
                self.tr("Below this module: 1 tensor, pruned together with {name}."),
                self.tr("Below this module: {n} tensors, pruned together with {name}."),
            )
            return text.format(name=rows[self._focused_tensor].shown) if many else ""
        if self.nodes.alias[node]:
            return ""
        here = tensor == self._focused_tensor
        groups = (group for group, members in self._groups if here or members[tensor])
        return join_sentences(*(self._group_sentence(group, tensor) for group in groups))

    def _group_sentence(self, group: TensorGroup, tensor: int) -> str:
        name = self.nodes.names[tensor]
        first = self.nodes.names[self._focused_tensor]
        names = [each for each in (first, *group.others) if each != name]
        shown = [
            self.nodes.rows[at].shown
            for each in names[:_MAX_NAMED]
            if (at := self.nodes.number.get(each)) is not None
        ]
        text = self.tr("{units} of {place}: pruned together with {names}")
        if not group.place:
            text = self.tr("{units}: pruned together with {names}")
        text = text.format(
            units=translate_declared(group.label), place=group.place, names=", ".join(shown)
        )
        if more := len(names) - len(shown):
            text = self.tr("{names} and {n} more").format(names=text, n=number_format.count(more))
        return self.tr("{text}.").format(text=text)

    def sparsity_of(self, nodes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the pruned share of each of `nodes`, ``float64[n]``."""
        return self._pruned_below[nodes] / np.maximum(self.parameters_below[nodes], 1)

    def copied_sparsity(self, node: int, *, after: bool = False) -> str:
        """Return the share for the clipboard as a single number, now or `after` the step.

        If the step does not change it, both are equal. A dash for nodes without a share.
        """
        shares = self.shares(node)
        if shares is None:
            return number_format.NO_NUMBER
        now, then = shares
        return number_format.exact_percent(then if after and then is not None else now)

    def name(self, node: int) -> str:
        """Return the name without the modules above; the full name in the list.

        A module of equal blocks includes their number: "layers ×32". An alias includes the name of
        the tensor to which it is tied.
        """
        nodes = self.nodes
        label = (nodes.paths if self.whole_names else nodes.labels)[node] or self.tr("(no name)")
        if blocks := nodes.blocks(node):
            return f"{label} ×{number_format.count(blocks)}"
        if not nodes.alias[node]:
            return label
        other = nodes.rows[int(nodes.tensor[node])].shown
        return self.tr("{name} · tied to {other}").format(name=label, other=other)

    def name_in_file(self, node: int) -> str:
        """Return the name of a tensor in the file, or the path of a module."""
        tensor = int(self.nodes.tensor[node])
        whole = tensor < 0 or self.nodes.alias[node]
        return self.nodes.paths[node] if whole else self.nodes.names[tensor]

    def row(self, node: int) -> TensorRow | None:
        """Return the row of a tensor; None for a module."""
        tensor = int(self.nodes.tensor[node])
        return self.nodes.rows[tensor] if tensor >= 0 else None

    def kind(self, node: int) -> str:
        """Return the kind of a tensor, or of a typical tensor directly below a module."""
        row = self.row(node) or self._typical(node)
        return row.kind if row else ""

    def _typical(self, node: int) -> TensorRow | None:
        """Return a tensor directly below a module that represents its kind; None if none."""
        inside = [int(self.nodes.tensor[child]) for child in self.nodes.children_of(node)[:8]]
        rows = [self.nodes.rows[number] for number in inside if number >= 0]
        return next((row for row in rows if row.by_default), rows[0] if rows else None)

    def shares(self, node: int) -> tuple[float, float | None] | None:
        """Return the shares for the bar, from 0 to 1, now and after the step; None for no bar.

        The second value is None if the step does not change the number of pruned weights. A node
        has a bar if it contains prunable parameters. All parameters below it count, but no buffers.
        """
        whole = int(self.parameters_below[node])
        if not self.has_sparsity[node]:
            return None
        before = after = int(self._pruned_below[node])
        if self._after is not None:
            after = int(self.nodes.sum_below(self._after, node))
        return before / whole, None if after == before else after / whole

    def sparsity(self, node: int) -> str:
        """Return the text of the shares, now and after the step.

        "→ 20 %" if nothing is pruned now. Excluded nodes get a mark and only the share now;
        prunable buffers are called "buffer"; other nodes without a share get a dash.
        """
        row = self.row(node)
        if row and row.buffer and not row.why_not:
            return self.tr("buffer")
        shares = self.shares(node)
        if self._is_excluded(node):
            share = 0.0 if shares is None else shares[0]
            return f"{EXCLUDED} {number_format.percent(share)}"
        if shares is None:
            return number_format.NO_NUMBER
        before, after = shares
        if after is None:
            return number_format.percent(before)
        then = number_format.percent(after)
        if not before:
            return f"→ {then}"
        now = number_format.percent(before).rstrip("%").rstrip()
        return f"{now} → {then}"

    def is_dim(self, node: int) -> bool:
        """Return whether a node is shown dimmed.

        True for aliases, for tensors that are not prunable or only on request, and for modules
        without a check box.
        """
        tensor = int(self.nodes.tensor[node])
        if tensor >= 0:
            return bool(self.nodes.alias[node]) or not self.nodes.prunable[tensor]
        return self.checks.state(node) is None

    def not_prunable_reason(self, node: int) -> str:
        """Return why a click on a module does not check a tensor, as a sentence; "" if it can.

        Aliases and tensors that need a confirmation have a reason, modules have none.
        """
        tensor = int(self.nodes.tensor[node])
        if tensor < 0:
            return ""
        row = self.nodes.rows[tensor]
        if self.nodes.alias[node]:
            return self.tr("The same tensor as {other}: pruned once, counted once.").format(
                other=row.shown
            )
        if not row.why_not:
            return ""
        if row.on_request:
            text = self.tr("Pruned only if you check it and confirm: {why}.")
        else:
            text = self.tr("Not prunable: {why}.")
        return text.format(why=translate_sentence(row.why_not))

    def description(self, node: int) -> str:
        """Return the description of a node for screen readers; "" for none."""
        others = self.group_text(node) if self.is_grouped(node) else ""
        return join_sentences(self.not_prunable_reason(node), others)

    def not_checked_reason(self, node: int) -> str:
        """Return why a click on an unchecked node checks nothing, as sentences; "" if it does."""
        if self.checks.click_targets(node).any():
            return ""
        if why := self.not_prunable_reason(node):
            return why
        name = self.nodes.paths[node] or self.tr("The model")
        if not self.checks.prunable_below(node).any():
            return self.tr("Nothing was checked: no tensor of {name} can be pruned.").format(
                name=name
            )
        return self.tr(
            "Nothing was checked: {name} has only norms and biases. "
            "Check them one by one, or all by “Check all below” in the context menu."
        ).format(name=name)

    def tooltip(self, node: int) -> str:
        """Return the tooltip as HTML, with the full name first.

        Then, as far as they apply: other names, kind, shape, dtype and size, counts, why it cannot
        be pruned, rule or limit, groups and danger.
        """
        nodes = self.nodes
        tensor = int(nodes.tensor[node])
        lines = [nodes.paths[node]]
        if tensor >= 0:
            row = nodes.rows[tensor]
            if row.name != nodes.paths[node] and not nodes.alias[node]:
                lines.append(self.tr("in the file: {name}").format(name=row.name))
            if row.hub_name:
                lines.append(self.tr("in transformers: {name}").format(name=row.hub_name))
            facts = (
                row.kind,
                number_format.shape(row.shape),
                row.dtype,
                number_format.exact_size(row.nbytes),
            )
            lines.append(" · ".join(fact for fact in facts if fact))
        if blocks := nodes.blocks(node):
            alike = self.tr("{n} blocks of the same layers and sizes")
            lines.append(alike.format(n=number_format.count(blocks)))
        if not nodes.alias[node]:
            lines += self._count_lines(node)
        if why := self.not_prunable_reason(node):
            lines.append(why)
        elif tensor >= 0 and nodes.rows[tensor].buffer:
            lines.append(self.tr("A buffer: not learned. To prune it, check its own check box."))
        elif tensor >= 0 and nodes.rows[tensor].is_unused:
            lines.append(
                self.tr(
                    "Not checked by default: the sentence embedding is pooled from the vectors of "
                    "the tokens, without this layer."
                )
            )
        if why := self._rule_or_limit(node):
            lines.append(why)
        if others := self.group_text(node):
            lines.append(others)
        if danger := self._danger_text(node):
            lines.append(f"{reports.GLYPHS[self._worst_danger(node)[0]]} {danger}")
        return "<br>".join(as_plain(line) for line in lines)

    def _count_lines(self, node: int) -> Iterator[str]:
        """Yield the numbers of pruned parameters and of elements in buffers.

        A line is missing if there are no parameters, or no buffers.
        """
        if whole := int(self.parameters_below[node]):
            yield self.tr("{pruned} of {all} parameters pruned").format(
                pruned=number_format.count(int(self._pruned_below[node])),
                all=number_format.count(whole),
            )
        if buffers := int(self._buffers_below[node]):
            yield self.tr("{n} elements in buffers").format(n=number_format.count(buffers))

    def accessible_sparsity(self, node: int) -> str:
        """Return the shares now and after the step, and its danger, as text for screen readers.

        Excluded nodes have only the share now and the reason; "not prunable" for nodes without a
        share.
        """
        shares = self.shares(node)
        if self._is_excluded(node):
            share = number_format.percent(0.0 if shares is None else shares[0])
            return self.tr("{share} pruned. {why}").format(
                share=share, why=self._rule_or_limit(node)
            )
        if shares is None:
            text = self.sparsity(node)
            return self.tr("not prunable") if text == number_format.NO_NUMBER else text
        before, after = shares
        if after is None:
            return self.tr("{share} pruned").format(share=number_format.percent(before))
        text = self.tr("{share} pruned, {after} after the step").format(
            share=number_format.percent(before), after=number_format.percent(after)
        )
        reason = self._danger_text(node)
        danger = self.tr("Danger")
        if not reason:
            return text
        return join_sentences(self.tr("{text}.").format(text=text), with_label(danger, reason))
