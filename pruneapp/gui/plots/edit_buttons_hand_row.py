"""The row above a chart of channels: how it is drawn, and what is to be done to some of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from pruneapp.gui.plots.base.plot_view_wrapping import WrappingRow
from pruneapp.gui.plots.edit_buttons import OperationButtons
from pruneapp.gui.widgets.number_format import count


class HandRow(QWidget):
    """The controls of the chart; the operations to the right, in one menu where room is short.

    Attributes
    ----------
    words
        How many channels are chosen, or how they are; empty where nothing may be done to them.

    Signals
    -------
    operated(str)
        What the person wants done (`Operation`).
    """

    operated = Signal(str)

    def __init__(self, controls: Sequence[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ""
        self.operations = OperationButtons()
        self.operations.operated.connect(self.operated)
        choosing = QWidget()
        left = QHBoxLayout(choosing)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(8)
        for control in controls:
            left.addWidget(control)
        left.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(WrappingRow(choosing, self.operations))
        self.set_chosen(0, possible=False)

    def set_chosen(self, number: int, *, possible: bool) -> None:
        """Take how many are chosen, and whether anything may be done to them."""
        chosen = ""
        if number == 1:
            chosen = self.tr("1 channel selected")
        elif number:
            chosen = self.tr("{n} channels selected").format(n=count(number))
        self.words = chosen or (self.tr("click or drag to choose channels") if possible else "")
        self.operations.set_chosen(chosen if possible else "")
