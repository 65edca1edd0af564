"""The numbers of a tensor, in one line below its picture."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from pruneapp.gui.plots.base.readout_wording import value_text
from pruneapp.gui.widgets.labels import recolor
from pruneapp.gui.widgets.number_format import count, part
from pruneapp.gui.widgets.theme_colors import LIGHT
from pruneapp.results.tensor_statistics import TensorStats

_GAP = "\u00a0"
# Digits, and whether zeros are counted, of the wordings that have every entry.
_WHOLE = ((4, True), (4, False), (3, False))


class NumbersLine(QLabel):
    """Minimum, maximum, mean, deviation, zeros, NaN; they can be marked and copied.

    Always one line: what is above it must not move from tensor to tensor. Where room is short the
    count of zeros gives way to their share, then digits, then whole entries, zeros last: a part of
    a number would be another one. An ellipsis says that entries are missing. The tooltip has all.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stats: TensorStats | None = None
        self._pruned = False
        self._wordings: tuple[str, ...] = ("",)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(self.fontMetrics().height() + 2)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setAccessibleName(self.tr("Statistics of the tensor"))
        self.set_colors(LIGHT)

    def set_stats(self, stats: TensorStats | None) -> None:
        """Show the numbers of a tensor; None while they are not there."""
        self._stats = stats
        self._word()

    def set_pruned(self, *, pruned: bool) -> None:
        """Take whether weights are pruned: then it is said that the numbers are the file's."""
        if pruned != self._pruned:
            self._pruned = pruned
            self._word()

    def _word(self) -> None:
        stats = self._stats
        self._wordings = ("",)
        if stats is not None:
            of = (self.tr("In the file:"),) if self._pruned else ()
            entries = [
                (*of, *self._facts(stats, digits, counted=counted)) for digits, counted in _WHOLE
            ]
            left = list(entries[-1])
            words = ("NaN", self.tr("std"), self.tr("mean"), self.tr("zeros"), self.tr("max"))
            for word in words:
                # What is wrong stays, and one number alone says little.
                if len(left) > len(of) + 2 and not (word == "NaN" and stats.nan):
                    left = [entry for entry in left if not entry.startswith(word + _GAP)]
                    entries.append((*left, "…"))
            self._wordings = tuple(map("   ".join, entries))
        self.setToolTip(self._wordings[0])
        self._fit()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours of a theme by token."""
        recolor(self, colors["muted"])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say as much as there is room for."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        metrics, width = self.fontMetrics(), self.width() - 2
        fitting = (text for text in self._wordings if metrics.horizontalAdvance(text) <= width)
        shown = next(fitting, "")
        self.setText(shown)
        # A name hides the text: what is read out has all entries, in the digits of what is shown.
        left_out = shown.endswith("…")
        self.setAccessibleDescription(
            self._wordings[len(_WHOLE) - 1] if left_out else shown or self._wordings[0]
        )

    def _facts(self, stats: TensorStats, digits: int, *, counted: bool) -> list[str]:
        zeros = count(stats.zeros)
        if stats.zeros:
            share = part(stats.zeros, stats.numel)
            zeros = f"{zeros}{_GAP}({share})" if counted else share
        facts = [
            (self.tr("min"), value_text(stats.minimum, digits)),
            (self.tr("max"), value_text(stats.maximum, digits)),
            (self.tr("mean"), value_text(stats.mean, digits)),
            (self.tr("std"), value_text(stats.std, digits)),
            (self.tr("zeros"), zeros),
        ]
        if stats.infinite:
            facts.insert(0, (self.tr("infinite"), count(stats.infinite)))
        # What is wrong stands where nothing can take its room.
        facts.insert(0 if stats.nan else len(facts), ("NaN", count(stats.nan)))
        return [f"{word}{_GAP}{number}" for word, number in facts]
