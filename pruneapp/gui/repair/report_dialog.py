"""What a repair did: the error of each layer before and after, and what may have gone wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from pruneapp.errors import first_names
from pruneapp.gui.widgets.clipboard import text_of
from pruneapp.gui.widgets.controls import CopyButton, add_row, choice_box, lay_in_column
from pruneapp.gui.widgets.labels import DANGER, MUTED, heading, label_for, plain
from pruneapp.gui.widgets.number_format import count, percent, plural
from pruneapp.gui.widgets.reports import CountsTable, add_button_row
from pruneapp.gui.widgets.screen import Dialog
from pruneapp.results.repair_report import LayerRepair
from pruneapp.results.short_names import ShortNames

_TABLE_LINES = 6
_DIGITS = 3  # of errors, behind the point of the percentage


class LayerOrder(Enum):
    """How layers are sorted."""

    FILE = 0
    REMAINING = 1
    MOVED = 2
    BEFORE = 3
    AFTER = 4
    ROUNDED = 5


_KEYS: Mapping[LayerOrder, Callable[[LayerRepair], float]] = {
    LayerOrder.REMAINING: lambda layer: layer.left,
    LayerOrder.MOVED: lambda layer: layer.moved,
    LayerOrder.BEFORE: lambda layer: layer.before,
    LayerOrder.AFTER: lambda layer: layer.after,
    LayerOrder.ROUNDED: lambda layer: layer.rounded,
}


class RepairReportDialog(Dialog):
    """Lists the layers that were repaired, to be sorted and copied; one button undoes it all.

    `source` says what the statistics were collected with; tensors are called as in `shown`.
    """

    undoRequested = Signal()
    evaluateRequested = Signal()  # of the model before and after

    def __init__(
        self,
        layers: Sequence[LayerRepair],
        *,
        risks: Sequence[str],
        unknown: Sequence[str],
        source: str,
        shown: Mapping[str, str],
        short: ShortNames | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Repaired"))
        self._layers = tuple(layers)
        self._order = list(range(len(layers)))
        self._names = shown
        moved = count(sum(layer.moved for layer in layers))
        text = plural(
            len(layers),
            self.tr("1 layer repaired: {moved} weights have new values."),
            self.tr("{n} layers repaired: {moved} weights have new values."),
        )
        self.headline = heading(text.format(moved=moved))
        notes = [
            self.tr("Inputs: {source}.").format(source=source),
            self.tr(
                "Errors are mean squares of the difference to the outputs of the unpruned layer, "
                "relative to these outputs."
            ),
            self.tr(
                "Measure the model on data that the statistics were not collected with: small "
                "errors of layers do not prove that it works."
            ),
        ]
        if unknown:
            names = first_names([shown.get(name, name) for name in unknown])
            notes.insert(1, self.tr("Not repaired, no statistics: {names}.").format(names=names))
        self.risks = [plain(f"▲ {risk}", wrap=True, ink=DANGER) for risk in risks]
        self.notes = [plain(note, wrap=True, ink=MUTED) for note in notes]
        self._headers = (
            self.tr("Layer"),
            self.tr("Remaining"),
            self.tr("Moved"),
            self.tr("Error before"),
            self.tr("Error after"),
            self.tr("After rounding"),
        )
        self.table = CountsTable(self._headers, len(layers), self._cells, self, short=short)
        self.table.fit_columns(range(min(len(layers), 500)))
        self.table.setAccessibleName(self.tr("Errors of the layers"))
        self.table.setAccessibleDescription(self.headline.text())
        self.table.setMinimumHeight(self.fontMetrics().lineSpacing() * _TABLE_LINES)
        self.sort = choice_box(
            self.tr("Sort by"),
            self.tr("Order of the layers, largest values first; or click a column heading"),
            ((name if n else self.tr("File order"), n) for n, name in enumerate(self._headers)),
        )
        header = self.table.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.sort.setCurrentIndex)
        self.sort.currentIndexChanged.connect(self._sort)
        self.undo = QPushButton(self.tr("Undo repair"), self)
        self.undo.setAccessibleDescription(self.tr("Return to the state before the repair."))
        self.evaluate = QPushButton(self.tr("Evaluate…"), self)
        self.evaluate.setAccessibleDescription(
            self.tr("Measure the model before and after the repair with an evaluation script.")
        )
        self.copy = CopyButton(self.tr("Copy warnings and errors of the layers."), self)
        self.close_button = QPushButton(self.tr("Close"), self)
        self.close_button.setDefault(True)
        layout = lay_in_column(
            self, self.headline, *self.risks, *self.notes, spacing=10, margins=(16, 16, 16, 16)
        )
        add_row(layout, label_for(self.sort, self.tr("&Sort by")), self.sort, None)
        layout.addWidget(self.table, 1)
        add_button_row(layout, self.close_button, beside=(self.undo, self.evaluate, self.copy))
        self.resize(760, 560)
        self.close_button.setFocus()
        self.copy.clicked.connect(self._copy)
        self.undo.clicked.connect(self._undo)
        self.evaluate.clicked.connect(self._evaluate)
        self.close_button.clicked.connect(self.accept)

    def as_text(self) -> str:
        """Return all of it, the table with tabs between columns."""
        lines = [label.text() for label in (self.headline, *self.risks, *self.notes)]
        table = text_of(self._headers, map(self._cells, range(len(self._layers))))
        return "\n".join((*lines, "", table, ""))

    def _cells(self, row: int) -> tuple[str, ...]:
        layer = self._layers[self._order[row]]
        sign = "▲ " if layer.is_worse else ""
        errors = (percent(error, _DIGITS) for error in (layer.before, layer.after, layer.rounded))
        name = self._names.get(layer.name, layer.name)
        return f"{sign}{name}", count(layer.left), count(layer.moved), *errors

    def _sort(self, column: int) -> None:
        key = _KEYS.get(LayerOrder(column))
        order = list(range(len(self._layers)))
        if key is not None:
            values = list(map(key, self._layers))
            order.sort(key=lambda row: -values[row])
        self._order = order  # a new list: a worker may copy rows by the one before
        self.table.set_count(len(self._layers))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())
        self.copy.set_copied()

    def _undo(self) -> None:
        self.accept()
        self.undoRequested.emit()

    def _evaluate(self) -> None:
        self.accept()
        self.evaluateRequested.emit()
