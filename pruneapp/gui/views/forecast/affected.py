"""A tensor that loses much: a glyph, its name, a bar, the share."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from pruneapp.answers import Danger, Severity, TensorSparsity
from pruneapp.gui.views.parts import danger, numbers
from pruneapp.gui.views.parts.bar import paint_bar
from pruneapp.gui.views.parts.colors import with_defaults
from pruneapp.gui.views.parts.labels import ElidedLabel, plain
from pruneapp.gui.views.parts.painting import reported


class Affected(QWidget):
    """One of the tensors that lose most: a glyph, the name, a bar, the share."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Of one size whatever they say: a label that is not makes everything above it lay itself
        # out anew, at each move of a slider.
        height = self.fontMetrics().height() + 4
        self.glyph = plain()
        self.glyph.setFixedSize(self.fontMetrics().horizontalAdvance("▲ "), height)
        self.name = ElidedLabel("", self)
        self.bar = _Bar(self)
        self.share = plain()
        self.share.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        longest = (danger.word(Severity.ALL), numbers.percent(0.99999), numbers.percent(0.00001))
        self.share.setFixedSize(max(map(self.fontMetrics().horizontalAdvance, longest)), height)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.glyph)
        layout.addWidget(self.name, 1)
        layout.addWidget(self.bar)
        layout.addWidget(self.share)
        self.setFixedHeight(height)

    def show_tensor(
        self, tensor: TensorSparsity | None, shown: str, found: Danger | None = None
    ) -> None:
        """Show a tensor under the name `shown`, and what is to be feared; or leave it empty."""
        self.bar.tensor = tensor
        self.bar.update()
        if tensor is None:
            for label in (self.glyph, self.name, self.share):
                label.setText("")
            self.glyph.setToolTip("")
            self.setAccessibleName("")
            return
        after = tensor.after / tensor.numel if tensor.numel else 0.0
        severity = found.severity if found is not None else Severity.NONE
        gone = severity is Severity.ALL
        self.glyph.setText(danger.GLYPHS[severity])
        self.glyph.setToolTip(danger.reason(found) if found is not None else "")
        self.name.setText(shown)
        self.share.setText(danger.word(severity) if gone else numbers.percent(after))
        much = "" if gone else danger.word(severity)
        self.setAccessibleName(", ".join(filter(None, (shown, self.share.text(), much))))


class _Bar(QWidget):
    """Today's sparsity and the one to come."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.tensor: TensorSparsity | None = None
        self.colors = with_defaults({})
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        """As wide as the bars of the tree."""
        return QSize(48, 12)

    @reported
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the bar."""
        if self.tensor is None or not self.tensor.numel:
            return
        painter = QPainter(self)
        rect = QRectF(0, (self.height() - 8) / 2, self.width(), 8)
        whole = self.tensor.numel
        paint_bar(painter, rect, self.tensor.before / whole, self.tensor.after / whole, self.colors)
        painter.end()
