"""Which tensor is looked at, and what it is, in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from pruneapp.answers import ShortNames, TensorRow
from pruneapp.gui.views.parts.colors import LIGHT
from pruneapp.gui.views.parts.labels import ElidedLabel, as_plain, recolor, within_reason
from pruneapp.gui.views.parts.numbers import part, shape
from pruneapp.gui.views.parts.painting import reported

_SEPARATOR = " · "
_LONGEST = 240  # pixels that the facts may claim, whatever the name would like to have


class _NameLabel(ElidedLabel):
    """The name; a shorter form, and then its ends, where the line is too short for it."""

    def __init__(self) -> None:
        super().__init__()
        self._names = ShortNames()

    def set_names(self, names: ShortNames) -> None:
        """Take the shorter forms of the names of the file."""
        self._names = names
        self.update()

    def shortened(self, width: int) -> str:
        """Return the longest form that fits."""
        form = self._names.fitting(self.text(), width, self.fontMetrics().horizontalAdvance)
        return self.fontMetrics().elidedText(within_reason(form), self.elide, width)

    def sizeHint(self) -> QSize:
        """Ask for the whole name."""
        width = self.fontMetrics().horizontalAdvance(self.text()[:2000]) + 2
        return QSize(width, self.minimumSizeHint().height())


class _FactsLabel(ElidedLabel):
    """Facts about a tensor; where room is short the first ones go, the last one never.

    Half of the last one, a share, would be another share.
    """

    def __init__(self) -> None:
        super().__init__()
        self._facts: tuple[str, ...] = ()

    def set_facts(self, facts: Sequence[str]) -> None:
        """Show facts, the most important one last."""
        self._facts = tuple(facts)
        self.setText(_SEPARATOR.join(facts))

    def minimumSizeHint(self) -> QSize:
        """Ask for room for as many facts as there is reason for, and the last one at least."""
        advance = self.fontMetrics().horizontalAdvance
        texts = [_SEPARATOR.join(self._facts[n:]) for n in range(len(self._facts))] or [""]
        fitting = (width for width in map(advance, texts) if width <= _LONGEST)
        width = next(fitting, _LONGEST) + 2
        return QSize(width, super().minimumSizeHint().height())

    def shown(self, width: int) -> str:
        """Return the facts that a line of this width has room for."""
        metrics = self.fontMetrics()
        for first in range(len(self._facts)):
            text = _SEPARATOR.join(self._facts[first:])
            if metrics.horizontalAdvance(text) <= width:
                return text
        last = self._facts[-1] if self._facts else ""
        return metrics.elidedText(last, Qt.TextElideMode.ElideRight, width)

    @reported
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint what fits."""
        painter = QPainter(self)
        rect = self.contentsRect()
        self.style().drawItemText(
            painter,
            rect,
            int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
            self.palette(),
            self.isEnabled(),
            self.shown(rect.width()),
            QPalette.ColorRole.WindowText,
        )


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
        self.details = _FactsLabel()
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
            self.details.set_facts(())
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
        self.details.set_facts([fact for fact in facts if fact])

    def set_pruned(self, pruned: int) -> None:
        """Take how many weights are pruned by now."""
        self.set_tensor(self._row, pruned)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours of a theme by token."""
        recolor(self.name, colors["text"])
        recolor(self.details, colors["muted"])
