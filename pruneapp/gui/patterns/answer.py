"""The result of a pattern check, as sentences and as a table of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pruneapp.analysis.patterns import BrokenGroup, PatternReport, PatternTotals, TensorPattern
from pruneapp.gui.widgets.engine_text import translate_sentence
from pruneapp.gui.widgets.labels import (
    join_facts,
    join_sentences,
    on_one_line,
    translate,
    with_label,
)
from pruneapp.gui.widgets.number_format import NO_NUMBER, count, percent, plural, shape
from pruneapp.gui.widgets.short_names import ShortNames

# Sparse tensor cores support 2:4, which 1:4 implies.
_HARDWARE = {(2, 4), (1, 4)}
_INPUTS = {1, -1}


def _digits(numbers: tuple[int, ...]) -> int:
    return sum(len(str(number)) + 1 for number in numbers)


@dataclass(frozen=True, eq=False)
class PatternAnswer:
    """The result of a pattern check."""

    report: PatternReport  # sorted, the worst tensor first
    totals: PatternTotals
    shown: Mapping[str, str]  # display names, by name in the file
    convolutions: int = 0  # number of convolutions among the tensors that have groups
    short: ShortNames = field(default_factory=ShortNames)

    @cached_property
    def widest(self) -> tuple[int, ...]:
        """Indices of rows that together have the longest text of each column.

        O(n); for many tensors, a worker computes it first, since it is cached.
        """
        tensors = self.report.tensors
        rows = range(len(tensors))
        longest: tuple[Callable[[int], float], ...] = (
            lambda row: _digits(tensors[row].shape),
            lambda row: tensors[row].groups,
            lambda row: tensors[row].broken,
            lambda row: tensors[row].to_prune,
            lambda row: tensors[row].outside,
            lambda row: tensors[row].lost or 0.0,
            lambda row: _digits(tensors[row].first[0].index) if tensors[row].first else 0,
        )
        return tuple({max(rows, key=key) for key in longest}) if tensors else ()

    @property
    def pattern(self) -> str:
        return f"{self.report.n}:{self.report.m}"


def headline(answer: PatternAnswer) -> str:
    """Return one or two sentences about how many tensors have the pattern.

    For a single tensor, the text contains the number of groups that violate it.
    """
    totals, every = answer.totals, answer.totals.checked
    if not every:
        text = plural(
            totals.without,
            translate("Patterns", "The tensor has no groups of {m} along dim {dim}."),
            translate("Patterns", "None of the {n} tensors has groups of {m} along dim {dim}."),
        )
        return text.format(m=answer.report.m, dim=answer.report.dim)
    if not totals.broken:
        text = plural(
            every,
            translate("Patterns", "The tensor matches {pattern}."),
            translate("Patterns", "All {n} tensors match {pattern}."),
        )
        return text.format(pattern=answer.pattern)
    if every == 1:
        text = translate(
            "Patterns", "The tensor violates {pattern} in {broken} of {groups} groups."
        )
    else:
        have = plural(
            totals.holding,
            translate("Patterns", "1 of {every} tensors matches {pattern}."),
            translate("Patterns", "{n} of {every} tensors match {pattern}."),
        )
        violate = plural(
            totals.broken,
            translate("Patterns", "1 violates it in {broken} of {groups} groups."),
            translate("Patterns", "{n} violate it in {broken} of {groups} groups."),
        )
        text = join_sentences(have, violate)
    return text.format(
        pattern=answer.pattern,
        every=count(every),
        broken=count(totals.broken_groups),
        groups=count(totals.groups),
    )


def details(answer: PatternAnswer) -> str:
    """Return sentences about the effect of pruning to the pattern, and ungrouped weights.

    Empty if all tensors have the pattern and complete groups.
    """
    totals, lost, sentences = answer.totals, answer.report.lost, []
    if totals.broken:
        taken = plural(
            totals.to_prune,
            translate("Patterns", "{pattern} needs 1 more pruned weight"),
            translate("Patterns", "{pattern} needs {n} more pruned weights"),
        ).format(pattern=answer.pattern)
        cost = translate("Patterns", "L2 norm² not known.")
        if lost is not None:
            cost = translate("Patterns", "{share} of the L2 norm² of these tensors.")
            cost = cost.format(share=percent(lost))
        sentences.append(with_label(taken, cost))
    if totals.blocked_by_protection:
        sentences.append(
            plural(
                totals.blocked_by_protection,
                translate(
                    "Patterns",
                    "1 group keeps violating {pattern}: too many of its weights are protected.",
                ),
                translate(
                    "Patterns",
                    "{n} groups keep violating {pattern}: too many of their weights are protected.",
                ),
            ).format(pattern=answer.pattern)
        )
    if totals.without and totals.checked:
        text = plural(
            totals.without,
            translate("Patterns", "1 more tensor has no groups of {m} along dim {dim}."),
            translate("Patterns", "{n} more tensors have no groups of {m} along dim {dim}."),
        )
        sentences.append(text.format(m=answer.report.m, dim=answer.report.dim))
    if totals.not_divisible:
        text = plural(
            totals.not_divisible,
            translate(
                "Patterns",
                "In 1 tensor the dimension is not a multiple of {m}: {beside} weights are "
                "in no group, and kernels that need complete groups reject it.",
            ),
            translate(
                "Patterns",
                "In {n} tensors the dimension is not a multiple of {m}: {beside} weights "
                "are in no group, and kernels that need complete groups reject them.",
            ),
        )
        sentences.append(text.format(m=answer.report.m, beside=count(totals.outside)))
    return join_sentences(*sentences)


def usage_text(answer: PatternAnswer) -> str:
    """Return sentences about the hardware that supports the pattern, and its limits."""
    report, more = answer.report, ""
    if (report.n, report.m) not in _HARDWARE:
        text = translate(
            "Patterns",
            "Sparse tensor cores support 2:4. Whether {pattern} is supported depends "
            "on your kernels.",
        )
    elif report.dim not in _INPUTS:
        text = translate(
            "Patterns",
            "Sparse tensor cores support 2:4 along the input dimension of linear "
            "layers: dim 1, or dim 0 for transposed weights.",
        )
    else:
        text = translate(
            "Patterns",
            "Sparse tensor cores support 2:4 along the input dimension of linear layers.",
        )
        if (report.n, report.m) != (2, 4):
            text = translate(
                "Patterns",
                "{pattern} implies 2:4, which sparse tensor cores support along the input "
                "dimension of linear layers.",
            )
        if answer.convolutions:
            more = plural(
                answer.convolutions,
                translate(
                    "Patterns",
                    "1 of these is a convolution: its groups are along the input channels, and "
                    "it needs a runtime with sparse convolutions.",
                ),
                translate(
                    "Patterns",
                    "{n} of these are convolutions: their groups are along the input channels, "
                    "and they need a runtime with sparse convolutions.",
                ),
            )
    last = translate(
        "Patterns", "The pattern alone makes neither the file smaller nor the model faster."
    )
    return join_sentences(text.format(pattern=answer.pattern), more, last)


def headers() -> tuple[str, ...]:
    """Return the titles of the columns."""
    return (
        translate("Patterns", "Tensor"),
        translate("Patterns", "Shape"),
        translate("Patterns", "Violating groups"),
        translate("Patterns", "First violation"),
        translate("Patterns", "To prune"),
        translate("Patterns", "L2 norm² lost"),
        translate("Patterns", "In no group"),
    )


def cells(answer: PatternAnswer, row: int) -> tuple[str, ...]:
    """Return the texts of a row of the table; a tensor without groups has only name and shape."""
    tensor = answer.report.tensors[row]
    sign = ("✕" if tensor.broken else "✓") if tensor.groups else NO_NUMBER
    name = f"{sign} {on_one_line(answer.shown.get(tensor.name, tensor.name))}"
    if not tensor.groups:
        return (name, shape(tensor.shape), *(NO_NUMBER,) * 5)
    broken = translate("Patterns", "{n} of {groups}").format(
        n=count(tensor.broken), groups=count(tensor.groups)
    )
    if not tensor.broken:
        nothing = (NO_NUMBER,) * 3
        return (name, shape(tensor.shape), broken, *nothing, count(tensor.outside))
    return (
        name,
        shape(tensor.shape),
        broken,
        _index_text(tensor.first[0]),
        count(tensor.to_prune),
        NO_NUMBER if tensor.lost is None else percent(tensor.lost),
        count(tensor.outside),
    )


def violations_text(answer: PatternAnswer, row: int) -> str:
    """Return where a tensor violates the pattern, that it has it, or why it has no groups.

    `row` is its index in the report. Only the groups that the report has as examples are named.
    """
    tensor = answer.report.tensors[row]
    name = answer.shown.get(tensor.name, tensor.name)
    if not tensor.groups:
        return with_label(name, translate_sentence(tensor.why_not))
    if not tensor.broken:
        text = translate("Patterns", "{name} matches {pattern}.")
        return text.format(name=name, pattern=answer.pattern)
    words = translate("Patterns", "{place} has {n}")
    places = join_facts(
        *(words.format(place=_index_text(group), n=group.left) for group in tensor.first)
    )
    if more := tensor.broken - len(tensor.first):
        one = translate("Patterns", "{places}, and 1 more group")
        several = translate("Patterns", "{places}, and {n} more groups")
        places = plural(more, one, several).format(places=places)
    return with_label(name, places)


def text_headers() -> tuple[str, ...]:
    """Return the titles of the columns of `as_text`."""
    return (
        translate("Patterns", "Tensor"),
        translate("Patterns", "Shape"),
        translate("Patterns", "Groups"),
        translate("Patterns", "Violating groups"),
        translate("Patterns", "First violation"),
        translate("Patterns", "To prune"),
        translate("Patterns", "L2 norm² lost"),
        translate("Patterns", "In no group"),
        translate("Patterns", "Reason for no groups"),
    )


def as_text(answer: PatternAnswer, head: Sequence[str]) -> str:
    """Return the table as tab-separated text, one line per tensor, with exact numbers.

    O(n); for many tensors it should be called on a worker thread.
    """
    return "\n".join(("\t".join(head), *map(_row_text, answer.report.tensors))) + "\n"


def _row_text(tensor: TensorPattern) -> str:
    cells = (
        tensor.name,
        shape(tensor.shape),
        str(tensor.groups),
        str(tensor.broken),
        _index_text(tensor.first[0]) if tensor.first else "",
        str(tensor.to_prune),
        "" if tensor.lost is None else f"{tensor.lost:.6g}",
        str(tensor.outside),
        tensor.why_not,
    )
    return "\t".join([" ".join(text.split()) for text in cells])


def _index_text(group: BrokenGroup) -> str:
    return f"[{', '.join(map(str, group.index))}]"
