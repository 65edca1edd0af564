"""The dialog before a repair: what the inputs of the layers are, and which layers there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from pruneapp.errors import ParameterError
from pruneapp.gui.evaluation.source_choice import DataKind, SourceChoice
from pruneapp.gui.method_form.editors import Editor, editor_for
from pruneapp.gui.widgets.controls import lay_in_column
from pruneapp.gui.widgets.labels import DANGER, MUTED, heading, label_for, plain
from pruneapp.gui.widgets.number_format import count, part, plural, size
from pruneapp.gui.widgets.reports import CountsTable, add_button_row
from pruneapp.gui.widgets.screen import Dialog
from pruneapp.params import Param, with_labels
from pruneapp.results.repair_report import PrunedLayer, uniform_risk
from pruneapp.results.short_names import ShortNames

_TABLE_LINES = 4


class RepairDialog(Dialog):
    """Asks what to collect statistics from, and says what would be repaired.

    `kinds` are the sources that are offered, `params` what can be set; tensors are called as in
    `shown`.
    """

    sourceChanged = Signal()  # answer with `source.set_found` and `set_layers`
    repairRequested = Signal()  # with `source.source` and `values`

    def __init__(
        self,
        kinds: Sequence[DataKind],
        params: Sequence[Param],
        shown: Mapping[str, str],
        parent: QWidget | None = None,
        *,
        short: ShortNames | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Repair"))
        self._names = shown
        self._yes = ""  # what is said of a layer whose inputs are known
        self.layers: tuple[PrunedLayer, ...] = ()
        self.about = plain(
            self.tr(
                "Changes the remaining weights of pruned layers so that the outputs of each layer "
                "come out as those of the unpruned model. No mask is changed. You can undo it."
            ),
            wrap=True,
            ink=MUTED,
        )
        self.source = SourceChoice(kinds, self, unpruned=True)
        self.editors: dict[str, Editor] = {}
        self._params = tuple(params)
        settings = QWidget(self)
        row = QHBoxLayout(settings)
        row.setContentsMargins(0, 0, 0, 0)
        for param in params:
            editor = self.editors[param.name] = editor_for(param, settings)
            editor.setToolTip(param.help)
            editor.set_value(param.default)
            editor.changed.connect(self._show_state)
            row.addWidget(label_for(editor, param.label))
            row.addWidget(editor, 1)
        self.headline = heading("")
        headers = self.tr("Layer"), self.tr("Pruned"), self.tr("Remaining"), self.tr("Statistics")
        self.table = CountsTable(headers, 0, self._cells, self, short=short)
        self.table.setAccessibleName(self.tr("Pruned layers"))
        self.table.setMinimumHeight(self.fontMetrics().lineSpacing() * _TABLE_LINES)
        self.risk = plain(wrap=True, ink=DANGER)
        self.note = plain(wrap=True, ink=MUTED)
        self.leave = QPushButton(self.tr("Cancel"), self)
        self.go = QPushButton(self.tr("Repair"), self)
        self.go.setObjectName("mainAction")
        self.go.setDefault(True)
        parts = (
            self.about,
            heading(self.tr("Inputs of the layers")),
            self.source,
            settings,
            self.headline,
            self.table,
            self.risk,
            self.note,
        )
        layout = lay_in_column(self, *parts, spacing=10, margins=(16, 16, 16, 16), wide=self.table)
        add_button_row(layout, self.leave, self.go)
        self.resize(720, 620)
        self.source.changed.connect(self.sourceChanged)
        self.leave.clicked.connect(self.reject)
        self.go.clicked.connect(self.repairRequested)
        self._show_state()

    # Told

    def set_layers(self, layers: Sequence[PrunedLayer]) -> None:
        """Take what is pruned, and of which the inputs are known or can be collected."""
        self.layers = tuple(layers)
        self._yes = self.tr("to be collected") if self.source.source().runs else self.tr("yes")
        self.table.set_count(len(layers))
        self.table.fit_columns(range(min(len(layers), 100)))
        self._show_state()

    # Asked

    def unpruned(self) -> str:
        """Return the path of the model before it was pruned; empty for the open file."""
        return "" if self.source.unpruned is None else self.source.unpruned.text().strip()

    def values(self) -> dict[str, Any]:
        """Return what is set; raises `ParameterError`."""
        return {name: editor.value() for name, editor in self.editors.items()}

    # Inside

    def _cells(self, row: int) -> tuple[str, ...]:
        layer = self.layers[row]
        return (
            self._names.get(layer.name, layer.name),
            part(layer.pruned, layer.numel),
            count(layer.numel - layer.pruned),
            self._yes if layer.known else self.tr("no"),
        )

    def _show_state(self) -> None:
        known = [layer for layer in self.layers if layer.known]
        words = plural(len(known), self.tr("Repair 1 layer"), self.tr("Repair {n} layers"))
        error = self._error()
        self.go.setText(words if known else self.tr("Nothing to repair"))
        self.go.setEnabled(bool(known) and not error)
        every = plural(len(self.layers), self.tr("1 pruned layer"), self.tr("{n} pruned layers"))
        if len(known) < len(self.layers):
            text = self.tr("{layers}, {n} of them with statistics")
            every = text.format(layers=every, n=count(len(known)))
        self.headline.setText(every)
        risk = uniform_risk([layer.pruned / layer.numel for layer in known])
        self.risk.setText(f"▲ {risk}" if risk else "")
        self.risk.setHidden(not risk)
        self.note.setText(f"✕ {error}" if error else self._memory(known))
        self.note.setForegroundRole(DANGER if error else MUTED)
        self.table.setAccessibleDescription(f"{every}. {self.note.text()}")

    def _error(self) -> str:
        try:
            self.values()
        except ParameterError as error:
            return with_labels(str(error), self._params)
        return ""

    def _memory(self, known: Sequence[PrunedLayer]) -> str:
        if not known:
            return ""
        total = sum(layer.gram_bytes for layer in known)
        largest = max(layer.gram_bytes for layer in known)
        # Beside it one in float32, and some blocks of rows.
        text = self.tr("Memory: about {size} to compute the largest layer.").format(
            size=size(2 * largest)
        )
        if self.source.source().runs:
            text = self.tr("Gram matrices: {total}, in temporary files. {rest}").format(
                total=size(total), rest=text
            )
        return text
