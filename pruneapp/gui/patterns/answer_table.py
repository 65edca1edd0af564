"""The tensors of an answer, a row each: as cells, as a line about one, and as text to copy."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from pruneapp.gui.patterns.answer import PatternAnswer
from pruneapp.gui.widgets.labels import on_one_line
from pruneapp.gui.widgets.number_format import NO_NUMBER, count, percent, shape
from pruneapp.results.pattern_report import BrokenGroup, TensorPattern

translate = QCoreApplication.translate


def headers() -> tuple[str, ...]:
    """Return the names of the columns."""
    return (
        translate("Patterns", "Tensor"),
        translate("Patterns", "Shape"),
        translate("Patterns", "Violating groups"),
        translate("Patterns", "First group"),
        translate("Patterns", "Repair prunes"),
        translate("Patterns", "Of its norm²"),
        translate("Patterns", "In no group"),
    )


def cells(answer: PatternAnswer, row: int) -> tuple[str, ...]:
    """Return the texts of a row."""
    tensor = answer.report.tensors[row]
    name = f"{_sign(tensor)} {on_one_line(answer.shown.get(tensor.name, tensor.name))}"
    if not tensor.groups:
        return (name, shape(tensor.shape), *(NO_NUMBER,) * 5)
    broken = translate("Patterns", "{n} of {groups}").format(
        n=count(tensor.broken), groups=count(tensor.groups)
    )
    if not tensor.broken:
        nothing = (NO_NUMBER,) * 3
        return (name, shape(tensor.shape), broken, *nothing, count(tensor.beside))
    return (
        name,
        shape(tensor.shape),
        broken,
        _place(tensor.first[0]),
        count(tensor.taken),
        NO_NUMBER if tensor.lost is None else percent(tensor.lost),
        count(tensor.beside),
    )


def about(answer: PatternAnswer, row: int) -> str:
    """Say of one tensor where it breaks the pattern, or why it has no groups."""
    tensor = answer.report.tensors[row]
    name = answer.shown.get(tensor.name, tensor.name)
    if not tensor.groups:
        return f"{name}: {tensor.why_not}"
    if not tensor.broken:
        text = translate("Patterns", "{name} has {pattern}.")
        return text.format(name=name, pattern=answer.pattern)
    places = ", ".join(
        translate("Patterns", "{place} has {n}").format(place=_place(group), n=group.left)
        for group in tensor.first
    )
    more = tensor.broken - len(tensor.first)
    rest = translate("Patterns", ", and {n} more groups") if more > 1 else ""
    rest = translate("Patterns", ", and 1 more group") if more == 1 else rest
    return f"{name}: {places}{rest.format(n=count(more))}"


def text_headers() -> tuple[str, ...]:
    """Return the names of the columns of `as_text`."""
    return (
        translate("Patterns", "Tensor"),
        translate("Patterns", "Shape"),
        translate("Patterns", "Groups"),
        translate("Patterns", "Violating groups"),
        translate("Patterns", "First group"),
        translate("Patterns", "Repair prunes"),
        translate("Patterns", "Fraction of norm²"),
        translate("Patterns", "In no group"),
        translate("Patterns", "Reason for no groups"),
    )


def as_text(answer: PatternAnswer, head: Sequence[str]) -> str:
    """Return the table as text, a line for a tensor and a tab between cells, numbers in full.

    O(n); of many tensors a worker ought to make it.
    """
    return "\n".join(("\t".join(head), *map(_line, answer.report.tensors))) + "\n"


def _line(tensor: TensorPattern) -> str:
    found = (
        tensor.name,
        shape(tensor.shape),
        str(tensor.groups),
        str(tensor.broken),
        _place(tensor.first[0]) if tensor.first else "",
        str(tensor.taken),
        "" if tensor.lost is None else f"{tensor.lost:.6g}",
        str(tensor.beside),
        tensor.why_not,
    )
    return "\t".join([" ".join(text.split()) for text in found])


def _sign(tensor: TensorPattern) -> str:
    if not tensor.groups:
        return NO_NUMBER
    return "✕" if tensor.broken else "✓"


def _place(group: BrokenGroup) -> str:
    return f"[{', '.join(map(str, group.index))}]"
