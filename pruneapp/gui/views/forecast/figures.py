"""Numbers under one another: what they are on the left, right-aligned figures on the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QSizePolicy, QWidget

from pruneapp.gui.views.parts import numbers
from pruneapp.gui.views.parts.colors import with_defaults
from pruneapp.gui.views.parts.labels import plain, recolor


class Figures(QWidget):
    """Rows of a word and a number. All rows are there from the first, so that nothing moves.

    Parameters
    ----------
    rows
        A key for each row, its word, and its tooltip.
    """

    def __init__(self, rows: Sequence[tuple[str, str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.labels: dict[str, QLabel] = {}
        self._words: list[QLabel] = []
        layout = QFormLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setVerticalSpacing(4)
        layout.setHorizontalSpacing(8)
        for key, text, tip in rows:
            word, label = plain(text), _number()
            for part in (word, label):
                part.setToolTip(tip)
            self._words.append(word)
            self.labels[key] = label
            layout.addRow(word, label)

    def set_numbers(self, texts: Mapping[str, str]) -> None:
        """Show a text in each row; a dash in those that are left out."""
        for key, label in self.labels.items():
            label.setText(texts.get(key, numbers.NO_NUMBER))

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        for word in self._words:
            recolor(word, with_defaults(colors)["muted"])


def _number() -> QLabel:
    label = plain(numbers.NO_NUMBER)
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    font = label.font()
    font.setFeature(font.Tag("tnum"), 1)
    label.setFont(font)
    return label
