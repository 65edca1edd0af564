"""The numbers of a tensor, in one line below its picture."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from pruneapp.answers import TensorStats
from pruneapp.gui.views.parts.colors import LIGHT
from pruneapp.gui.views.parts.labels import recolor
from pruneapp.gui.views.parts.numbers import count, part
from pruneapp.gui.views.pictures.frame.wording import value_text

_GAP = "\u00a0"


class NumbersLine(QLabel):
    """Minimum, maximum, mean, deviation, zeros, NaN; they can be marked and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumHeight(self.fontMetrics().height() + 2)
        self.setAccessibleName(self.tr("Numbers of the tensor"))
        self.set_colors(LIGHT)

    def set_stats(self, stats: TensorStats | None) -> None:
        """Show the numbers of a tensor; None while they are not there."""
        self.setText("" if stats is None else "   ".join(self._facts(stats)))
        self.setAccessibleDescription(self.text())  # a name hides the text

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours of a theme by token."""
        recolor(self, colors["muted"])

    def _facts(self, stats: TensorStats) -> list[str]:
        zeros = count(stats.zeros)
        if stats.zeros:
            zeros += f"{_GAP}({part(stats.zeros, stats.numel)})"
        facts = [
            (self.tr("min"), value_text(stats.minimum, 4)),
            (self.tr("max"), value_text(stats.maximum, 4)),
            (self.tr("mean"), value_text(stats.mean, 4)),
            (self.tr("std"), value_text(stats.std, 4)),
            (self.tr("zeros"), zeros),
            ("NaN", count(stats.nan)),
        ]
        if stats.infinite:
            facts.append((self.tr("infinite"), count(stats.infinite)))
        # A word and its number stay on one line.
        return [f"{word}{_GAP}{number}" for word, number in facts]
