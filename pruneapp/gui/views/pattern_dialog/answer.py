"""What was found out about a pattern, and the sentences that say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QCoreApplication

from pruneapp.answers.patterns import PatternReport, PatternTotals
from pruneapp.gui.views.parts.numbers import count, percent

# What sparse tensor cores take is 2 of 4, and whatever has it too.
_HARDWARE = {(2, 4), (1, 4)}
_INPUTS = {1, -1}

translate = QCoreApplication.translate


def _digits(numbers: tuple[int, ...]) -> int:
    return sum(len(str(number)) + 1 for number in numbers)


@dataclass(frozen=True, eq=False)
class Answer:
    """What was found out about a pattern.

    Attributes
    ----------
    report, totals
        The tensors, the worst first, and what all of them come to.
    shown
        What tensors are called, by first names.
    convolutions
        How many of the tensors that have groups are convolutions.
    """

    report: PatternReport
    totals: PatternTotals
    shown: Mapping[str, str]
    convolutions: int = 0

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


def headline(answer: Answer) -> str:
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
            "Patterns", "The tensor breaks {pattern}, in {broken} of its {groups} groups."
        )
        return text.format(**words, **groups)
    if totals.holding == 1:
        have = translate("Patterns", "1 of {n} tensors has {pattern}.")
    else:
        have = translate("Patterns", "{have} of {n} tensors have {pattern}.")
    if totals.broken == 1:
        break_ = translate("Patterns", "1 breaks it, in {broken} of its {groups} groups.")
    else:
        break_ = translate("Patterns", "{many} break it, in {broken} of their {groups} groups.")
    have = have.format(**words, have=count(totals.holding), n=count(every))
    return f"{have} {break_.format(**groups, many=count(totals.broken))}"


def details(answer: Answer) -> str:
    """Say what a repair takes, what it cannot, and what is in no group."""
    totals, said = answer.totals, []
    if totals.broken:
        taken = (
            translate("Patterns", "A repair prunes the smallest weight that is too many")
            if totals.taken == 1
            else translate("Patterns", "A repair prunes the {n} smallest weights that are too many")
        )
        cost = (
            translate("Patterns", "which share of the energy that is, is not known.")
            if answer.report.lost is None
            else translate(
                "Patterns", "{share} of the energy (sum of squares) of the tensors that break it."
            ).format(share=percent(answer.report.lost))
        )
        said.append(f"{taken.format(n=count(totals.taken))}: {cost}")
    if totals.stuck:
        text = (
            translate("Patterns", "1 group stays broken: too many of its weights are protected.")
            if totals.stuck == 1
            else translate(
                "Patterns", "{n} groups stay broken: too many of their weights are protected."
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
                "In 1 tensor the dimension is no multiple of {m}: {beside} weights are left over "
                "in no group, and kernels that want whole groups refuse it.",
            )
            if totals.over == 1
            else translate(
                "Patterns",
                "In {n} tensors the dimension is no multiple of {m}: {beside} weights are left "
                "over in no group, and kernels that want whole groups refuse them.",
            )
        )
        said.append(
            text.format(n=count(totals.over), m=answer.report.m, beside=count(totals.beside))
        )
    return " ".join(said)


def what_for(answer: Answer) -> str:
    """Say who takes the pattern, and what it does not do by itself."""
    report = answer.report
    if (report.n, report.m) not in _HARDWARE:
        said = [
            translate(
                "Patterns",
                "Sparse tensor cores take 2:4; whether anything takes {pattern} is up to the "
                "kernels that you use.",
            )
        ]
    elif report.dim not in _INPUTS:
        said = [
            translate(
                "Patterns",
                "Sparse tensor cores take 2:4 along the inputs of a linear layer, which are dim 1, "
                "or dim 0 where a file has weights the other way round.",
            )
        ]
    else:
        said = [
            translate("Patterns", "Sparse tensor cores take 2:4 along the inputs of linear layers.")
        ]
        if (report.n, report.m) != (2, 4):
            said = [
                translate(
                    "Patterns",
                    "What has {pattern} has 2:4, which sparse tensor cores take along the inputs "
                    "of linear layers.",
                )
            ]
        if answer.convolutions:
            text = (
                translate(
                    "Patterns",
                    "1 of these is a convolution: its groups lie along the input channels, and it "
                    "takes a runtime that has sparse convolutions.",
                )
                if answer.convolutions == 1
                else translate(
                    "Patterns",
                    "{n} of these are convolutions: their groups lie along the input channels, and "
                    "they take a runtime that has sparse convolutions.",
                )
            )
            said.append(text)
    said.append(
        translate(
            "Patterns",
            "The pattern by itself makes no file smaller and no model faster.",
        )
    )
    return " ".join(said).format(pattern=answer.pattern, n=count(answer.convolutions))
