"""Glyphs and words for what a step would hurt; never colour alone."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from pruneapp.answers import Danger, Severity
from pruneapp.gui.views.parts import numbers

GLYPHS: Mapping[Severity, str] = {
    Severity.NONE: "",
    Severity.MORE: "△",
    Severity.MUCH: "▲",
    Severity.ALL: "■",
}


translate = QCoreApplication.translate


def word(severity: Severity) -> str:
    """Return one or two words for a list."""
    return {
        Severity.NONE: "",
        Severity.MORE: translate("Danger", "more than others"),
        Severity.MUCH: translate("Danger", "much"),
        Severity.ALL: translate("Danger", "all gone"),
    }[severity]


def reason(danger: Danger) -> str:
    """Return a sentence about one tensor."""
    if danger.severity is Severity.ALL:
        return translate("Danger", "Nothing of it would be left.")
    if danger.severity is Severity.MUCH:
        return translate("Danger", "Only {share} of it would be left.").format(
            share=numbers.percent(danger.kept)
        )
    if danger.damage is None or danger.median is None:
        return ""
    return translate(
        "Danger", "It would lose {damage} of its energy, over twice the median of {median}."
    ).format(damage=numbers.percent(danger.damage), median=numbers.percent(danger.median))


def several(severity: Severity, count: int) -> str:
    """Return a phrase about so many tensors: "2 tensors would keep less than 5 %"."""
    one = count == 1
    if severity is Severity.ALL:
        text = (
            translate("Danger", "1 tensor would keep nothing")
            if one
            else translate("Danger", "{n} tensors would keep nothing")
        )
    elif severity is Severity.MUCH:
        text = (
            translate("Danger", "1 tensor would keep less than 5\u00a0%")
            if one
            else translate("Danger", "{n} tensors would keep less than 5\u00a0%")
        )
    else:
        text = (
            translate("Danger", "1 tensor loses over twice the median")
            if one
            else translate("Danger", "{n} tensors lose over twice the median")
        )
    return text.format(n=numbers.count(count))
