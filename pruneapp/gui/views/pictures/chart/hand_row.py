"""The row above a chart of channels: what is chosen, and what is to be done to it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from pruneapp.gui.views.parts.labels import ElidedLabel
from pruneapp.gui.views.parts.numbers import count
from pruneapp.gui.views.pictures.frame.operations import OperationButtons


class HandRow(QWidget):
    """How many channels are chosen, or how they are; the operations to the right.

    Signals
    -------
    operated(str)
        What the person wants done (`Operation`).
    """

    operated = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ElidedLabel()
        self.words.elide = Qt.TextElideMode.ElideRight
        self.operations = OperationButtons()
        self.operations.operated.connect(self.operated)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.words, 1)
        row.addWidget(self.operations)
        self.set_chosen(0, possible=False)

    def set_chosen(self, number: int, *, possible: bool) -> None:
        """Take how many are chosen, and whether anything may be done to them."""
        chosen = ""
        if number == 1:
            chosen = self.tr("1 channel chosen")
        elif number:
            chosen = self.tr("{n} channels chosen").format(n=count(number))
        self.words.setText(
            chosen or (self.tr("Click or drag to choose channels") if possible else "")
        )
        self.operations.set_chosen(chosen if possible else "")
