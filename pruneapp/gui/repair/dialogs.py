"""The dialogs before and after a repair: the choice of inputs, and the errors of each layer."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from operator import attrgetter
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from pruneapp.errors import ParameterError, first_names, in_numeric_order
from pruneapp.gui.evaluation.source_choice import DataKind, SourceChoice
from pruneapp.gui.method_form.editors import rows_of_editors
from pruneapp.gui.widgets.clipboard import text_of
from pruneapp.gui.widgets.controls import (
    CopyButton,
    add_row,
    choice_box,
    lay_in_column,
    set_problem,
)
from pruneapp.gui.widgets.engine_text import translate_error, translate_sentence
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    as_sentence,
    heading,
    join_names,
    join_sentences,
    label_for,
    plain,
)
from pruneapp.gui.widgets.number_format import count, part, percent, plural, size
from pruneapp.gui.widgets.reports import CountsTable, add_button_row
from pruneapp.gui.widgets.screen import Dialog
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.params import Param
from pruneapp.repair.repair import (
    ERROR_DIGITS,
    LayerRepair,
    PrunedLayer,
    sequential_runs,
    uniform_risk,
)

# minimum number of visible rows of the tables, before and after a repair
_MIN_LAYER_ROWS = 2
_MIN_ERROR_ROWS = 6


class RepairDialog(Dialog):
    """Asks for the source of statistics, and shows which layers can be repaired.

    `kinds` are the kinds of sources that are offered, `params` the settings; `shown` maps names in
    the file to display names.
    """

    repairRequested = Signal()  # repair with `source.source` and `values`

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
        self._known_text = ""  # text for layers whose inputs are known
        self.layers: tuple[PrunedLayer, ...] = ()
        self.about = plain(
            self.tr(
                "Adjusts the remaining weights of pruned layers so that each layer's output "
                "stays close to that of the unpruned model. The masks do not change. You can "
                "undo it."
            ),
            wrap=True,
            ink=MUTED,
        )
        use = self.tr(
            "The data are used for calibration: the remaining weights are adjusted so that each "
            "layer reproduces its outputs before pruning."
        )
        self.source = SourceChoice(kinds, self, unpruned=True, use=use)
        self._params = tuple(params)
        settings, self.editors = rows_of_editors(params, self, self._show_state)
        self.headline = heading("")
        headers = self.tr("Layer"), self.tr("Sparsity"), self.tr("Remaining"), self.tr("Statistics")
        self.table = CountsTable(headers, 0, self._cells, self, short=short)
        self.table.setAccessibleName(self.tr("Pruned layers"))
        self.table.setMinimumHeight(self.fontMetrics().lineSpacing() * _MIN_LAYER_ROWS)
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
        layout = lay_in_column(self, *parts, spacing=8, margins=(16, 16, 16, 16), wide=self.table)
        add_button_row(layout, self.leave, self.go)
        self.resize(720, 660)
        self.leave.clicked.connect(self.reject)
        self.go.clicked.connect(self.repairRequested)
        self.source.changed.connect(self._show_state)
        self.source.answered.connect(self._show_state)
        self._show_state()

    # -- inputs

    def set_layers(self, layers: Sequence[PrunedLayer]) -> None:
        """Replace the pruned layers; each has a flag whether its inputs are known or can be.

        They are shown in the order of their names.
        """
        self.layers = tuple(in_numeric_order(layers, attrgetter("name")))
        self._known_text = (
            self.tr("to be collected") if self.source.source().runs else self.tr("yes")
        )
        self.table.set_count(len(layers))
        self.table.fit_columns(range(min(len(layers), 100)))
        self._show_state()

    # -- results

    def values(self) -> dict[str, Any]:
        """Return the settings; raise `ParameterError` if one is invalid."""
        return {name: editor.value() for name, editor in self.editors.items()}

    # -- implementation

    def _cells(self, row: int) -> tuple[str, ...]:
        layer = self.layers[row]
        known = self._known_text if layer.known else self.tr("no")
        return (
            self._names.get(layer.name, layer.name),
            part(layer.pruned, layer.numel),
            count(layer.numel - layer.pruned),
            known if self._changes(layer) else self.tr("not used"),
        )

    def _changes(self, layer: PrunedLayer) -> bool:
        """Return whether a repair can change a layer if its inputs are known."""
        return not layer.only_outputs or self._sequential()

    def _show_state(self) -> None:
        """Show how many layers can be repaired, and the first error, the risk or the memory."""
        known = [layer for layer in self.layers if layer.known]
        changed = sum(map(self._changes, known))
        words = plural(changed, self.tr("Repair 1 layer"), self.tr("Repair {n} layers"))
        error = self._error()
        self.go.setText(words if changed else self.tr("Nothing to repair"))
        set_problem(self.go, self.source.problem or error or ("" if changed else self.go.text()))
        every = plural(len(self.layers), self.tr("1 pruned layer"), self.tr("{n} pruned layers"))
        if len(known) < len(self.layers):
            text = self.tr("{layers}, {n} of them with statistics")
            every = text.format(layers=every, n=count(len(known)))
        self.headline.setText(every)
        risk = ""
        if not self._sequential():
            risk = uniform_risk([layer.pruned / layer.numel for layer in known])
        self.risk.setText(f"▲ {translate_sentence(risk)}" if risk else "")
        self.risk.setHidden(not risk)
        fixed = self._fixed_text(len(known) - changed)
        self.note.setText(f"✕ {error}" if error else join_sentences(fixed, self._memory(known)))
        self.note.setForegroundRole(DANGER if error else MUTED)
        self.table.setAccessibleDescription(join_sentences(as_sentence(every), self.note.text()))

    def _fixed_text(self, n_layers: int) -> str:
        """Return why a repair does not change `n_layers` layers; "" for 0."""
        if not n_layers:
            return ""
        return plural(
            n_layers,
            self.tr(
                "1 layer is not changed: only whole output features or channels of it are pruned, "
                "which its other weights cannot restore. Pruned layers that read its outputs are "
                "repaired instead."
            ),
            self.tr(
                "{n} layers are not changed: only whole output features or channels of them are "
                "pruned, which their other weights cannot restore. Pruned layers that read their "
                "outputs are repaired instead."
            ),
        )

    def _error(self) -> str:
        """Return why the settings are invalid together with the source; empty if they are valid."""
        try:
            self.values()
        except ParameterError as error:
            return translate_error(error, self._params)
        if self._sequential() and not self.source.source().runs:
            return self.tr(
                "Sequential repair needs input data, which a statistics file does not contain. "
                "Choose a text or script, or turn Sequential off."
            )
        return ""

    def _sequential(self) -> bool:
        with contextlib.suppress(ParameterError):
            return bool(self.values()["sequential"])
        return False

    def _memory(self, known: Sequence[PrunedLayer]) -> str:
        """Return sentences about the memory that a repair needs; empty if no layer is known.

        The settings must be valid.
        """
        if not known:
            return ""
        total = sum(layer.gram_bytes for layer in known)
        largest = max(layer.gram_bytes for layer in known)
        # Twice the size: the Gram matrix and a copy in float32. Blocks of rows need little.
        text = self.tr("Memory: about {size} to compute the largest layer.").format(
            size=size(2 * largest)
        )
        if self._sequential():
            return join_sentences(translate_sentence(sequential_runs(len(known))), text)
        if self.source.source().runs:
            limit = self.values()["memory"]
            where = self.tr("Gram matrices: {total}, in temporary files. {rest}")
            if limit is not None and total > limit:
                where = self.tr(
                    "Gram matrices: {total}, more than the memory limit. The layers are solved "
                    "in the process that runs the model. {rest}"
                )
            text = where.format(total=size(total), rest=text)
        return text


class LayerOrder(Enum):
    """Orders of the layers in the report; the values are columns of the table."""

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
    """Shows the layers that were repaired; the table can be sorted and copied.

    `source` describes the data of the statistics, `solver` what computed the repair and where;
    `shown` maps names in the file to display names.
    """

    undoRequested = Signal()
    evaluateRequested = Signal()  # evaluate the model before and after the repair

    def __init__(
        self,
        layers: Sequence[LayerRepair],
        *,
        risks: Sequence[str],
        unknown: Sequence[str],
        source: str,
        solver: str = "",
        sequential: bool = False,
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
        n_changed = sum(layer.is_changed for layer in layers)
        text = plural(
            n_changed,
            self.tr("1 layer repaired: {moved} weights have new values."),
            self.tr("{n} layers repaired: {moved} weights have new values."),
        )
        text = text.format(moved=moved)
        self.headline = heading(join_sentences(text, self._adjusted_text()), wrap=True)
        notes = [
            self.tr("Inputs: {source}. Solved by {solver}.").format(source=source, solver=solver)
            if solver
            else self.tr("Inputs: {source}.").format(source=source),
            join_sentences(
                self.tr(
                    "Error: mean squared difference from the unpruned layer's output, relative "
                    "to the mean square of that output."
                ),
                self.tr(
                    "If a norm layer follows, the error is computed with its adjusted statistics."
                )
                if any(layer.variance for layer in layers)
                else "",
                self.tr(
                    "Sequential: the errors include those of the preceding layers, so they are "
                    "larger than if each layer were repaired separately."
                )
                if sequential
                else "",
            ),
            self.tr(
                "Evaluate on data that was not used for calibration: small layer errors do not "
                "guarantee that the model works."
            ),
        ]
        if n_changed < len(layers):
            text = plural(
                len(layers) - n_changed,
                self.tr(
                    "1 layer is unchanged, because new values would not reduce its error: the "
                    "remaining weights cannot restore whole output features or channels that are "
                    "pruned. Pruned layers that read its outputs are repaired instead."
                ),
                self.tr(
                    "{n} layers are unchanged, because new values would not reduce their errors: "
                    "the remaining weights cannot restore whole output features or channels that "
                    "are pruned. Pruned layers that read their outputs are repaired instead."
                ),
            )
            notes.insert(0, text)
        if unknown:
            names = translate_sentence(first_names([shown.get(name, name) for name in unknown]))
            notes.insert(1, self.tr("Not repaired, no statistics: {names}.").format(names=names))
        self.risks = [plain(f"▲ {risk}", wrap=True, ink=DANGER) for risk in risks]
        self.notes = [plain(note, wrap=True, ink=MUTED) for note in notes]
        self._headers = (
            self.tr("Layer"),
            self.tr("Remaining"),
            self.tr("Changed"),
            self.tr("Error before"),
            self.tr("Error after"),
            *((self.tr("After rounding"),) if any(layer.is_rounded for layer in layers) else ()),
        )
        self.table = CountsTable(self._headers, len(layers), self._cells, self, short=short)
        self.table.fit_columns(range(min(len(layers), 500)))
        self.table.setAccessibleName(self.tr("Errors of the layers"))
        self.table.setAccessibleDescription(self.headline.text())
        self.table.setMinimumHeight(self.fontMetrics().lineSpacing() * _MIN_ERROR_ROWS)
        self.sort = choice_box(
            self.tr("Sort by"),
            self.tr("Order of the layers, largest values first; or click a column heading"),
            ((name if n else self.tr("Tree order"), n) for n, name in enumerate(self._headers)),
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
        """Return the report as text, with the table as tab-separated text."""
        lines = [label.text() for label in (self.headline, *self.risks, *self.notes)]
        table = text_of(self._headers, map(self._cells, range(len(self._layers))))
        return "\n".join((*lines, "", table, ""))

    def _adjusted_text(self) -> str:
        """Return a sentence on the tensors other than weights that have new values; "" for none."""
        shifts = [layer.bias for layer in self._layers if layer.bias]
        means = sum(name.endswith("running_mean") for name in shifts)
        kinds = (
            (len(shifts) - means, self.tr("1 bias"), self.tr("{n} biases")),
            (means, self.tr("1 running mean"), self.tr("{n} running means")),
            (
                sum(bool(layer.variance) for layer in self._layers),
                self.tr("1 running variance"),
                self.tr("{n} running variances"),
            ),
        )
        found = [plural(n, one, several) for n, one, several in kinds if n]
        return self.tr("Also adjusted: {names}.").format(names=join_names(*found)) if found else ""

    def _cells(self, row: int) -> tuple[str, ...]:
        layer = self._layers[self._order[row]]
        sign = "▲ " if layer.is_worse else ""
        after = layer.after if layer.is_rounded else layer.rounded  # also of a rounded bias
        errors = [percent(error, ERROR_DIGITS) for error in (layer.before, after, layer.rounded)]
        if not layer.is_changed:
            errors[1:] = [self.tr("unchanged")] * 2
        name = self._names.get(layer.name, layer.name)
        cells = f"{sign}{name}", count(layer.left), count(layer.moved), *errors
        return cells[: len(self._headers)]

    def _sort(self, column: int) -> None:
        """Sort the rows by a column, largest values first; column 0 is the order of the layers."""
        key = _KEYS.get(LayerOrder(column))
        order = list(range(len(self._layers)))
        if key is not None:
            values = list(map(key, self._layers))
            order.sort(key=lambda row: -values[row])
        # a new list, as a worker thread may be copying rows in the previous order
        self._order = order
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
