"""What an export wrote: file, size, checksum, and the sparsity of every tensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.answers import TensorSparsity
from pruneapp.gui.views.parts import numbers
from pruneapp.gui.views.parts.colors import with_defaults
from pruneapp.gui.views.parts.counts_table import CountsTable
from pruneapp.gui.views.parts.labels import ElidedLabel, heading, plain, recolor


@dataclass(frozen=True)
class ReportText:
    """What an export wrote.

    Attributes
    ----------
    path, format
        The file and the words for its format.
    nbytes
        Its size.
    checksum
        With the name of the sum: "sha256 3f…".
    verified
        Whether what was written was read back and compared.
    tensors
        The tensors that are pruned, in file order: `after` of `numel`.
    kept_as
        Where the original was kept; empty if it was not replaced.
    notes
        What was left behind, a sentence each.
    warnings
        What was damaged, a sentence each.
    files
        Of a folder: name, bytes and checksum of each file that was written; else empty.
    """

    path: str
    format: str
    nbytes: int
    checksum: str
    verified: bool
    tensors: tuple[TensorSparsity, ...] = ()
    kept_as: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    files: tuple[tuple[str, int, str], ...] = ()


class ExportReportDialog(QDialog):
    """Says what was written; all of it can be copied as text."""

    def __init__(self, report: ReportText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Exported"))
        self._report = report
        self._labels: list[QWidget] = []
        rows = QFormLayout()
        rows.setHorizontalSpacing(16)
        rows.setVerticalSpacing(4)
        for label, text, tip in self._facts():
            name = plain(label)
            value = ElidedLabel(text, self)
            value.setAccessibleName(f"{label}: {text}")
            if tip:
                value.setToolTip(tip.strip())
            rows.addRow(name, value)
            self._labels.append(name)
        self.notes = [plain(note, wrap=True) for note in report.notes]
        self.warnings = [plain(f"▲ {warning}", wrap=True) for warning in report.warnings]
        headers = self.tr("Tensor"), self.tr("Pruned"), self.tr("Of"), self.tr("Sparsity")
        self.table = CountsTable(headers, len(report.tensors), self._cells, self)
        self.table.setAccessibleName(self.tr("Sparsity of the tensors"))
        self.copy = QPushButton(self.tr("Copy as text"), self)
        self.copy.setAccessibleDescription(self.tr("Copies the whole report."))
        self.close_button = QPushButton(self.tr("Close"), self)
        self.close_button.setDefault(True)

        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.copy)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(rows)
        for note in (*self.warnings, *self.notes):
            layout.addWidget(note)
        layout.addWidget(heading(self.tr("Sparsity")))
        layout.addWidget(self.table, 1)
        layout.addLayout(buttons)
        self.resize(560, 440)
        self.close_button.setFocus()
        self.copy.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.accept)
        self.set_colors({})

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        for label in self._labels:
            recolor(label, with_defaults(colors)["muted"])
        for label in self.warnings:
            recolor(label, with_defaults(colors)["danger"])

    def as_text(self) -> str:
        """Return the whole report as text, numbers in full."""
        lines = [f"{label}: {tip or text}" for label, text, tip in self._facts()]
        lines.extend(label.text() for label in self.warnings)
        lines.extend(self._report.notes)
        lines.extend(("", self.tr("Sparsity")))
        lines.extend(
            f"{tensor.name}\t{tensor.after}\t{tensor.numel}\t"
            f"{numbers.part(tensor.after, tensor.numel)}"
            for tensor in self._report.tensors
        )
        return "\n".join(lines) + "\n"

    def _cells(self, row: int) -> tuple[str, ...]:
        tensor = self._report.tensors[row]
        return (
            tensor.name,
            numbers.count(tensor.after),
            numbers.count(tensor.numel),
            numbers.part(tensor.after, tensor.numel),
        )

    def _facts(self) -> list[tuple[str, str, str]]:
        """Return label, text and full text of what is said above the table."""
        report = self._report
        pruned = sum(tensor.after for tensor in report.tensors)
        size, checksum, each = numbers.size(report.nbytes), report.checksum, ""
        if report.files:
            size = self.tr("{size} in {n} files").format(
                size=size, n=numbers.count(len(report.files))
            )
            checksum = self.tr("one for each file: they are in the text to copy")
            each = "\n".join(
                f"{name}\t{numbers.exact_size(nbytes)}\t{checksum}"
                for name, nbytes, checksum in report.files
            )
        facts = [
            (self.tr("Folder") if report.files else self.tr("File"), report.path, ""),
            (self.tr("Format"), report.format, ""),
            (self.tr("Size"), size, numbers.exact_size(report.nbytes)),
            (self.tr("Checksum"), checksum, each and f"\n{each}"),
            (
                self.tr("Verified"),
                self.tr("✓ read back and compared")
                if report.verified
                else self.tr("✕ not compared"),
                "",
            ),
            (self.tr("Pruned"), self.tr("{n} weights").format(n=numbers.count(pruned)), ""),
        ]
        if report.kept_as:
            facts.append((self.tr("Original kept as"), report.kept_as, ""))
        return facts

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())
