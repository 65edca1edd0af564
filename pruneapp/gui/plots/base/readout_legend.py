"""What the colours mean, in swatches and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QLinearGradient, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from pruneapp.gui.widgets.safe_paint import reported
from pruneapp.gui.widgets.sparsity_bar import hatch
from pruneapp.gui.widgets.theme_colors import LIGHT

_SWATCH = 12
_RAMP = 36
_GAP = 6
_SPACE = 12
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Swatch:
    """An entry of a legend.

    Attributes
    ----------
    label
        Its word.
    colors
        One colour; several for a ramp, none for a word alone.
    hatched
        Whether it is striped: of its colour and the surface, or of two.
    before
        Text to the left of a ramp.
    outlined
        Whether it has the double outline of what is protected.
    tip
        A sentence for the tooltip, where the word is not all.
    """

    label: str
    colors: tuple[str, ...]
    hatched: bool = False
    before: str = ""
    outlined: bool = False
    tip: str = ""

    @property
    def is_ramp(self) -> bool:
        """Whether it goes from colour to colour."""
        return len(self.colors) > 1 and not self.hatched


class Legend(QWidget):
    """A line of swatches, from the left."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[Swatch, ...] = ()
        self._colors: Mapping[str, str] = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def entries(self) -> tuple[Swatch, ...]:
        """What is shown."""
        return self._entries

    def set_entries(self, entries: Sequence[Swatch]) -> None:
        """Show other swatches."""
        if tuple(entries) == self._entries:
            return
        self._entries = tuple(entries)
        self.setAccessibleName(self.tr("Legend: {words}").format(words=", ".join(self.words())))
        self.setToolTip("\n".join(e.tip for e in self._entries if e.tip))
        self.updateGeometry()
        self.update()

    def words(self) -> list[str]:
        """Return the words, in order."""
        return [f"{e.before} … {e.label}" if e.before else e.label for e in self._entries]

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take a theme."""
        self._colors = colors
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for room for all."""
        width = sum(self._width(entry) for entry in self._entries)
        width += _SPACE * max(0, len(self._entries) - 1)
        return QSize(width + 2, max(_SWATCH, self.fontMetrics().height()) + 4)

    def minimumSizeHint(self) -> QSize:
        """Ask for room for all."""
        return self.sizeHint()

    @reported
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the swatches."""
        painter = QPainter(self)
        left = 0
        for entry in self._entries:
            self._paint_entry(painter, entry, left)
            left += self._width(entry) + _SPACE

    def _width(self, entry: Swatch) -> int:
        advance = self.fontMetrics().horizontalAdvance
        if not entry.colors:
            return advance(entry.label)
        before = advance(entry.before) + _GAP if entry.before else 0
        swatch = _RAMP if entry.is_ramp else _SWATCH
        return before + swatch + _GAP + advance(entry.label)

    def _paint_entry(self, painter: QPainter, entry: Swatch, left: int) -> None:
        height = self.height()
        painter.setPen(QColor(self._colors["text"]))
        if entry.before:
            width = self.fontMetrics().horizontalAdvance(entry.before)
            painter.drawText(left, 0, width, height, _MIDDLE, entry.before)
            left += width + _GAP
        if not entry.colors:
            painter.drawText(left, 0, self._width(entry), height, _MIDDLE, entry.label)
            return
        wide = _RAMP if entry.is_ramp else _SWATCH
        rect = QRect(left, (height - _SWATCH) // 2, wide, _SWATCH)
        painter.fillRect(rect, self._brush(entry, rect))
        if entry.hatched or entry.is_ramp:
            painter.setPen(QPen(QColor(self._colors["border"]), 1))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        if entry.outlined:
            for inset, color in ((0, "#000000"), (2, "#ffffff"), (4, "#000000")):
                painter.setPen(QPen(QColor(color), 1))
                painter.drawRect(rect.adjusted(inset, inset, -inset - 1, -inset - 1))
        painter.setPen(QColor(self._colors["text"]))
        painter.drawText(
            left + wide + _GAP,
            0,
            self.fontMetrics().horizontalAdvance(entry.label) + 1,
            height,
            _MIDDLE,
            entry.label,
        )

    def _brush(self, entry: Swatch, rect: QRect) -> QBrush:
        if entry.hatched:
            color, ground = (*entry.colors, self._colors["surface"])[:2]
            return hatch(color, ground, self.devicePixelRatioF())
        if len(entry.colors) == 1:
            return QBrush(QColor(entry.colors[0]))
        gradient = QLinearGradient(rect.topLeft(), rect.topRight())
        for i, color in enumerate(entry.colors):
            gradient.setColorAt(i / (len(entry.colors) - 1), QColor(color))
        return QBrush(gradient)
