"""A field for a number that goes with a line in a chart."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from pruneapp.gui.widgets.controls_line_edit import LineEdit
from pruneapp.gui.widgets.number_format import locale


class NumberField(LineEdit):
    """Takes a number from 0; Up and Down move it as the arrow keys move the line.

    Signals
    -------
    entered(float)
        The person typed this.
    stepped(int)
        The person wants it so many steps higher.
    refused(str)
        The person typed this, which is no number from 0; the old text is back.
    """

    entered = Signal(float)
    stepped = Signal(int)
    refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._told = ""
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFixedWidth(self.fontMetrics().horizontalAdvance("≈ 0.000000") + 20)
        self.editingFinished.connect(self._on_finished)

    def set_text(self, text: str) -> None:
        """Show a number, unless the person is typing another one."""
        self._told = text
        if not (self.hasFocus() and self.isModified()):
            self.setText(text)

    def _on_finished(self) -> None:
        if not self.isModified():
            return
        text = self.text().replace("≈", "").replace("−", "-").strip()
        number, good = locale().toDouble(text)
        if not good:
            try:
                number, good = float(text), True
            except ValueError:
                good = False
        self.setModified(False)
        if good and math.isfinite(number) and number >= 0:
            self.entered.emit(number)
        else:
            self.setText(self._told)
            self.refused.emit(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step with Up and Down; Esc takes back what was typed."""
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 10}
        steps[Qt.Key.Key_PageDown] = -10
        if event.key() in steps and self._told:
            self.setModified(False)
            self.stepped.emit(steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setText(self._told)
        else:
            super().keyPressEvent(event)
