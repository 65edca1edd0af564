"""What else may be written beside an export."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from pruneapp.gui.widgets.controls import ComboBox


class Beside(QWidget):
    """Check boxes for the script that checks an export, and for the report."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.script = QCheckBox(self.tr("Comparison script"), self)
        tip = self.tr(
            "Python script that loads both files into your model and compares the outputs."
        )
        self.script.setToolTip(tip)
        self.script.setAccessibleDescription(tip)
        self.account = QCheckBox(self.tr("Report"), self)
        tip = self.tr("Steps, sparsity and norm² retained per tensor, sizes, checksums.")
        self.account.setToolTip(tip)
        self.account.setAccessibleDescription(tip)
        self.kind = ComboBox(self)
        self.kind.setAccessibleName(self.tr("Report format"))
        self.kind.setAccessibleDescription(self.tr("File format of the report."))
        for words, suffix in (
            (self.tr("HTML page"), ".html"),
            (self.tr("CSV table"), ".csv"),
            (self.tr("JSON"), ".json"),
        ):
            self.kind.addItem(words, suffix)
        self.kind.setEnabled(False)
        self.account.toggled.connect(self.kind.setEnabled)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.script)
        row.addSpacing(16)
        row.addWidget(self.account)
        row.addWidget(self.kind)
        row.addStretch(1)

    def set_wanted(self, *, script: bool, report: str) -> None:
        """Check what is wanted, as `report` returns it, silently."""
        self.script.setChecked(script)
        self.account.setChecked(bool(report))
        if report:
            self.kind.setCurrentIndex(self.kind.findData(report))

    def report(self) -> str:
        """Return the suffix of the report that is wanted; empty if none is."""
        return str(self.kind.currentData()) if self.account.isChecked() else ""
