"""Which tensor is looked at, and what it is, in one line."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from pruneapp.answers import TensorRow
from pruneapp.gui.views.parts.colors import LIGHT
from pruneapp.gui.views.parts.labels import ElidedLabel, as_plain, recolor
from pruneapp.gui.views.parts.numbers import part, shape


class _NameLabel(ElidedLabel):
    """The name; it loses its middle only where the line is too short for it."""

    def sizeHint(self) -> QSize:
        """Ask for the whole name."""
        width = self.fontMetrics().horizontalAdvance(self.text()[:2000]) + 2
        return QSize(width, self.minimumSizeHint().height())


class TensorHeading(QWidget):
    """The name of a tensor, larger than anything else, and its particulars."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = _NameLabel()
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        font = QFont(self.name.font())
        font.setPointSizeF(font.pointSizeF() * 1.35)
        font.setBold(True)
        self.name.setFont(font)
        self.details = ElidedLabel()
        self.details.elide = Qt.TextElideMode.ElideRight  # "…7.3 % pruned" would be another share
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.name, 3)
        row.addWidget(self.details, 2)
        self._row: TensorRow | None = None
        self.set_colors(LIGHT)
        self.set_tensor(None)

    def set_tensor(self, row: TensorRow | None, pruned: int = 0) -> None:
        """Show a tensor, of which so many weights are pruned; None for no tensor."""
        self._row = row
        if row is None:
            # A space, so that the line is there before the first name is.
            self.name.setText(" ")
            self.name.setToolTip("")
            self.details.setText("")
            return
        self.name.setText(row.shown)
        names = "\n".join((row.name, *row.aliases))
        self.name.setToolTip(as_plain(names).replace("\n", "<br>"))
        self.name.setAccessibleName(row.name)
        facts = [row.kind, shape(row.shape), row.dtype]
        if row.why_not:
            facts.append(row.why_not)
        else:
            facts.append(self.tr("{share} pruned").format(share=part(pruned, row.numel)))
        self.details.setText(" · ".join(fact for fact in facts if fact))

    def set_pruned(self, pruned: int) -> None:
        """Take how many weights are pruned by now."""
        self.set_tensor(self._row, pruned)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours of a theme by token."""
        recolor(self.name, colors["text"])
        recolor(self.details, colors["muted"])
