"""The lines that say what a step would hurt, and lead there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QStyle, QStyleOption, QWidget

from pruneapp.gui.widgets import reports_danger
from pruneapp.gui.widgets.labels import as_plain, within_reason
from pruneapp.gui.widgets.safe_paint import reported
from pruneapp.gui.widgets.theme_colors import with_defaults
from pruneapp.results.sparsity_report_danger import Danger, Severity

_NAMED = 20


class Alarm(QAbstractButton):
    """Says how many tensors would be hurt worst, and which; a click goes to the first.

    Its room is there while it has nothing to say; then it takes no focus.

    Signals
    -------
    tensorRequested(str)
        The person wants to see a tensor; its name in the file.
    """

    tensorRequested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first = self._what = self._which = ""
        self._indent = self.fontMetrics().horizontalAdvance("▲ ")
        self._color = with_defaults({})["danger"]
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._go)
        self.set_dangers({}, {})

    def set_dangers(self, found: Mapping[str, Danger], shown: Mapping[str, str]) -> None:
        """Speak of the worst of `found`, under the names `shown` for those in the file."""
        worst = max((d.severity for d in found.values()), default=Severity.NONE)
        names = [name for name, d in found.items() if d.severity is worst]
        self._first = names[0] if names else ""
        text = ""
        if names:
            self._what = (
                f"{reports_danger.GLYPHS[worst]} {reports_danger.several(worst, len(names))}:"
            )
            self._which = _listed([shown.get(name, name) for name in names])
            text = f"{self._what} {self._which}"
        self.setText(text)
        self.setToolTip(
            as_plain(self.tr("{what}. Click to select it.").format(what=text)) if text else ""
        )
        self.setAccessibleName(text or self.tr("No warnings"))
        self.setAccessibleDescription(
            self.tr("Selects the first of these tensors.") if text else ""
        )
        self.setEnabled(bool(text))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if text else Qt.FocusPolicy.NoFocus)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self._color = with_defaults(colors)["danger"]
        self.update()

    def sizeHint(self) -> QSize:
        """Two lines, as wide as there is room: what it is, and which."""
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 6, 2 * metrics.lineSpacing() + 4)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Underline it."""
        super().enterEvent(event)
        self.update()

    @reported
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint what fits."""
        if not self.text():
            return
        painter = QPainter(self)
        font = self.font()
        font.setUnderline(self.underMouse())
        painter.setFont(font)
        painter.setPen(QColor(self._color))
        metrics = painter.fontMetrics()
        lines = (self._what, self._which)
        for place, line in enumerate(lines):
            text = metrics.elidedText(
                within_reason(line),
                Qt.TextElideMode.ElideRight,
                self.width() - place * self._indent,
            )
            painter.drawText(
                place * self._indent, 2 + metrics.ascent() + place * metrics.lineSpacing(), text
            )
        if self.hasFocus():
            option = QStyleOption()
            option.initFrom(self)
            self.style().drawPrimitive(
                QStyle.PrimitiveElement.PE_FrameFocusRect, option, painter, self
            )
        painter.end()

    def _go(self) -> None:
        self.tensorRequested.emit(self._first)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
