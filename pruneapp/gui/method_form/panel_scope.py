"""Whether each tensor is cut by itself, or all of them by one threshold."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QRadioButton, QWidget

from pruneapp.gui.method_form.fields import label_width


class ScopeRow(QWidget):
    """Two radio buttons.

    Attributes
    ----------
    each, all
        The buttons: the scopes "local" and "global".
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.each = QRadioButton(self.tr("per tensor"), self)
        self.each.setToolTip(
            self.tr("Each tensor is pruned to the same fraction of its own weights.")
        )
        self.all = QRadioButton(self.tr("global"), self)
        self.all.setToolTip(
            self.tr("One threshold for all tensors: the fraction pruned varies by tensor.")
        )
        for radio in (self.each, self.all):
            radio.setAccessibleDescription(radio.toolTip())
        group = QButtonGroup(self)
        group.addButton(self.each)
        group.addButton(self.all)
        self.each.setChecked(True)
        label = QLabel(self.tr("Scope"), self)
        label.setMinimumWidth(label_width(self))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(label)
        row.addWidget(self.each)
        row.addWidget(self.all)
        row.addStretch(1)
