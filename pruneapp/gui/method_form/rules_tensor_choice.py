"""For which tensors a rule is: the checked ones, every layer of a kind, or patterns."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QWidget

from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.gui.widgets.controls_line_edit import LineEdit

_CHECKED = ("", "")


class TensorChoice(ComboBox):
    """A box to choose a kind of layers from, or to type patterns into."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setEditable(True)
        self.setLineEdit(LineEdit(self))
        self.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        self.setAccessibleName(self.tr("Tensors of this rule"))
        self.setToolTip(
            self.tr(
                "The checked tensors, all layers of one type, or patterns such as "
                "layer3.*.weight, separated by commas"
            )
        )
        self.setAccessibleDescription(self.toolTip())
        self.setMinimumContentsLength(8)
        self.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.set_kinds(())
        self.editTextChanged.connect(self._keep_on_one_line)

    def set_kinds(self, kinds: Sequence[str]) -> None:
        """Offer these kinds of layers, silently; what is chosen stays."""
        blocker = QSignalBlocker(self)
        text = self.currentText()
        self.clear()
        self.addItem(self.tr("checked tensors"), _CHECKED)
        for kind in kinds:
            self.addItem(self._every(kind), ("", kind))
        if text:
            self.setCurrentText(text)
            self.setCurrentIndex(max(-1, self.findText(text)))
            self.setEditText(text)
        del blocker

    def set_wanted(self, pattern: str, kind: str) -> None:
        """Show a pattern or a kind, silently; both empty for the checked tensors."""
        blocker = QSignalBlocker(self)
        place = -1
        for item in range(self.count()):
            if self.itemData(item) == (pattern, kind) and not pattern:
                place = item
        self.setCurrentIndex(place)
        if place < 0:
            self.setEditText(pattern or self._every(kind))
        del blocker

    def wanted(self) -> tuple[str, str]:
        """Return pattern and kind; both empty for the checked tensors."""
        text = self.currentText().strip()
        place = self.findText(text, Qt.MatchFlag.MatchExactly)
        if place >= 0:
            pattern, kind = self.itemData(place)
            return pattern, kind
        return text, ""

    def _keep_on_one_line(self, text: str) -> None:
        # A list of names that is pasted has one on each line.
        if "\n" in text:
            lines = filter(None, (line.strip(" ,") for line in text.splitlines()))
            self.setEditText(", ".join(lines))

    def _every(self, kind: str) -> str:
        return self.tr("all {kind} layers").format(kind=kind)
