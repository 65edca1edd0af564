"""What was found out about a pattern, and the sentences that say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from PySide6.QtCore import QCoreApplication

from pruneapp.gui.widgets.number_format import count, percent
from pruneapp.results.pattern_report import PatternReport, PatternTotals
from pruneapp.results.short_names import ShortNames

# What sparse tensor cores take is 2 of 4, and whatever has it too.
_HARDWARE = {(2, 4), (1, 4)}
_INPUTS = {1, -1}

translate = QCoreApplication.translate


def _digits(numbers: tuple[int, ...]) -> int:
    return sum(len(str(number)) + 1 for number in numbers)


@dataclass(frozen=True, eq=False)
class PatternAnswer:
    """What was found out about a pattern.

    Attributes
    ----------
    report, totals
        The tensors, the worst first, and what all of them come to.
    shown
        What tensors are called, by first names.
    convolutions
        How many of the tensors that have groups are convolutions.
    short
        The shorter forms of what tensors are called.
    """

    report: PatternReport
    totals: PatternTotals
    shown: Mapping[str, str]
    convolutions: int = 0
    short: ShortNames = field(default_factory=ShortNames)

    @cached_property
    def widest(self) -> tuple[int, ...]:
        """Rows of which some have the longest numbers of each column.

        O(n); of many tensors a worker asks for it first.
        """
        tensors = self.report.tensors
        rows = range(len(tensors))
        longest: tuple[Callable[[int], float], ...] = (
            lambda row: _digits(tensors[row].shape),
            lambda row: tensors[row].groups,
            lambda row: tensors[row].broken,
            lambda row: tensors[row].taken,
            lambda row: tensors[row].beside,
            lambda row: tensors[row].lost or 0.0,
            lambda row: _digits(tensors[row].first[0].index) if tensors[row].first else 0,
        )
        return tuple({max(rows, key=key) for key in longest}) if tensors else ()

    @property
    def pattern(self) -> str:
        """The pattern, as it is written: ``2:4``."""
        return f"{self.report.n}:{self.report.m}"


def headline(answer: PatternAnswer) -> str:
    """Say in a sentence or two how many tensors have the pattern."""
    totals, words = answer.totals, {"pattern": answer.pattern, "dim": answer.report.dim}
    every = totals.asked
    if not every:
        if totals.without == 1:
            text = translate("Patterns", "The tensor has no groups of {m} along dim {dim}.")
        else:
            text = translate(
                "Patterns", "None of the {n} tensors has groups of {m} along dim {dim}."
            )
        return text.format(**words, n=count(totals.without), m=answer.report.m)
    if not totals.broken:
        one = translate("Patterns", "The tensor has {pattern}.")
        text = one if every == 1 else translate("Patterns", "All {n} tensors have {pattern}.")
        return text.format(**words, n=count(every))
    groups = {"broken": count(totals.broken_groups), "groups": count(totals.groups)}
    if every == 1:
        text = translate(
            "Patterns", "The tensor violates {pattern} in {broken} of {groups} groups."
        )
        return text.format(**words, **groups)
    if totals.holding == 1:
        have = translate("Patterns", "1 of {n} tensors has {pattern}.")
    else:
        have = translate("Patterns", "{have} of {n} tensors have {pattern}.")
    if totals.broken == 1:
        break_ = translate("Patterns", "1 violates it in {broken} of {groups} groups.")
    else:
        break_ = translate("Patterns", "{many} violate it in {broken} of {groups} groups.")
    have = have.format(**words, have=count(totals.holding), n=count(every))
    return f"{have} {break_.format(**groups, many=count(totals.broken))}"


def details(answer: PatternAnswer) -> str:
    """Say what a repair takes, what it cannot, and what is in no group."""
    totals, said = answer.totals, []
    if totals.broken:
        taken = (
            translate("Patterns", "Repair prunes 1 more weight")
            if totals.taken == 1
            else translate("Patterns", "Repair prunes {n} more weights")
        )
        cost = (
            translate("Patterns", "norm² not known.")
            if answer.report.lost is None
            else translate("Patterns", "{share} of the norm² of these tensors.").format(
                share=percent(answer.report.lost)
            )
        )
        said.append(f"{taken.format(n=count(totals.taken))}: {cost}")
    if totals.stuck:
        text = (
            translate(
                "Patterns", "1 group cannot be repaired: too many of its weights are protected."
            )
            if totals.stuck == 1
            else translate(
                "Patterns",
                "{n} groups cannot be repaired: too many of their weights are protected.",
            )
        )
        said.append(text.format(n=count(totals.stuck)))
    if totals.without and totals.asked:
        text = (
            translate("Patterns", "1 more tensor has no groups of {m} along dim {dim}.")
            if totals.without == 1
            else translate("Patterns", "{n} more tensors have no groups of {m} along dim {dim}.")
        )
        said.append(text.format(n=count(totals.without), m=answer.report.m, dim=answer.report.dim))
    if totals.over:
        text = (
            translate(
                "Patterns",
                "In 1 tensor the dimension is not a multiple of {m}: {beside} weights are "
                "in no group, and kernels that need complete groups reject it.",
            )
            if totals.over == 1
            else translate(
                "Patterns",
                "In {n} tensors the dimension is not a multiple of {m}: {beside} weights "
                "are in no group, and kernels that need complete groups reject them.",
            )
        )
        said.append(
            text.format(n=count(totals.over), m=answer.report.m, beside=count(totals.beside))
        )
    return " ".join(said)


def what_for(answer: PatternAnswer) -> str:
    """Say who takes the pattern, and what it does not do by itself."""
    report = answer.report
    if (report.n, report.m) not in _HARDWARE:
        said = [
            translate(
                "Patterns",
                "Sparse tensor cores support 2:4. Whether {pattern} is supported depends "
                "on your kernels.",
            )
        ]
    elif report.dim not in _INPUTS:
        said = [
            translate(
                "Patterns",
                "Sparse tensor cores support 2:4 along the input dimension of linear "
                "layers: dim 1, or dim 0 for transposed weights.",
            )
        ]
    else:
        said = [
            translate(
                "Patterns",
                "Sparse tensor cores support 2:4 along the input dimension of linear layers.",
            )
        ]
        if (report.n, report.m) != (2, 4):
            said = [
                translate(
                    "Patterns",
                    "{pattern} implies 2:4, which sparse tensor cores support along the input "
                    "dimension of linear layers.",
                )
            ]
        if answer.convolutions:
            text = (
                translate(
                    "Patterns",
                    "1 of these is a convolution: its groups lie along the input channels, and "
                    "it needs a runtime with sparse convolutions.",
                )
                if answer.convolutions == 1
                else translate(
                    "Patterns",
                    "{n} of these are convolutions: their groups lie along the input channels, "
                    "and they need a runtime with sparse convolutions.",
                )
            )
            said.append(text)
    said.append(
        translate(
            "Patterns",
            "The pattern alone makes neither the file smaller nor the model faster.",
        )
    )
    return " ".join(said).format(pattern=answer.pattern, n=count(answer.convolutions))
