"""A size in bytes: the usual ones to choose from, any other typed."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCompleter, QWidget

from pruneapp.gui.method_form.editors_editor import Editor
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.gui.widgets.controls_line_edit import LineEdit
from pruneapp.params_sizes import SizeParam


class SizeEditor(Editor):
    """A list that takes what is typed as well: 700 MB, 4 GiB, in the person's decimals."""

    def __init__(self, param: SizeParam, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.combo = ComboBox(self)
        self.combo.setEditable(True)
        self.combo.setLineEdit(LineEdit(self.combo))
        self.combo.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        # Its own would turn 1 into 1 GB while 1 MB is typed; this one knows nothing.
        self.combo.setCompleter(QCompleter(self.combo))
        self.combo.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.combo.setMinimumContentsLength(8)
        self._name(self.combo)
        self.line.addWidget(self.combo, 1)
        for value in (None, *param.usual):
            self.combo.addItem(self._words(value))
        self.set_value(param.default)
        self.combo.editTextChanged.connect(self.changed)

    def value(self) -> int | None:
        """Return the bytes; None for the word that says so, and for nothing."""
        text = self.combo.currentText()
        point = number_format.locale().decimalPoint()
        if point != "." and "." not in text:
            text = text.replace(point, ".")
        value: int | None = self.param.parse(text)
        return value

    def set_value(self, value: int | None) -> None:
        """Show a size."""
        blocker = QSignalBlocker(self.combo)
        words = self._words(value)
        self.combo.setCurrentIndex(self.combo.findText(words))
        self.combo.setEditText(words)
        del blocker

    def _words(self, value: int | None) -> str:
        return self.param.format(value) if value is None else number_format.short_size(value)
