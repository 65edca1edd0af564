"""Glyphs and words for tensors that keep too little; never colour alone."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from pruneapp.gui.widgets import number_format
from pruneapp.results.sparsity_report_danger import Danger, Severity

GLYPHS: Mapping[Severity, str] = {
    Severity.NONE: "",
    Severity.MUCH: "▲",
    Severity.ALL: "■",
}


translate = QCoreApplication.translate


def word(severity: Severity) -> str:
    """Return one or two words for a list."""
    return {
        Severity.NONE: "",
        Severity.MUCH: translate("Danger", "at risk"),
        Severity.ALL: translate("Danger", "all pruned"),
    }[severity]


def reason(danger: Danger) -> str:
    """Return a sentence about one tensor."""
    if danger.severity is Severity.ALL:
        return translate("Danger", "All of its weights are pruned.")
    if danger.retained is None:
        return translate("Danger", "At risk: only {share} of its weights are left.").format(
            share=number_format.percent(danger.kept)
        )
    return translate(
        "Danger", "At risk: {share} of its weights are left, with {norm} of its norm²."
    ).format(share=number_format.percent(danger.kept), norm=number_format.percent(danger.retained))


def several(severity: Severity, count: int) -> str:
    """Return a phrase about so many tensors: "2 tensors are at risk"."""
    one = count == 1
    if severity is Severity.ALL:
        text = (
            translate("Danger", "1 tensor is pruned completely")
            if one
            else translate("Danger", "{n} tensors are pruned completely")
        )
    else:
        text = (
            translate("Danger", "1 tensor is at risk")
            if one
            else translate("Danger", "{n} tensors are at risk")
        )
    return text.format(n=number_format.count(count))
