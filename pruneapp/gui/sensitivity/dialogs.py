"""The dialogs for a sensitivity scan, and for an allocation based on it."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from pruneapp.errors import ParameterError
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource, SourceChoice
from pruneapp.gui.method_form.editors import Editor, editor_for, read_amount
from pruneapp.gui.method_form.form_model import FormContext
from pruneapp.gui.widgets.controls import LineEdit, OptionBox, choice_box, set_problem
from pruneapp.gui.widgets.engine_text import translate_error
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    ElidedLabel,
    heading,
    join_sentences,
    label_for,
    plain,
)
from pruneapp.gui.widgets.number_format import (
    count,
    locale,
    metric,
    metric_title,
    percent,
    plural,
    with_sign,
)
from pruneapp.gui.widgets.reports import CountsTable, DecisionDialog
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.params import Amount, AmountParam, Param

_TABLE_LINES = 8
_LEAST_SHARE = 1e-3  # of the largest change: smaller ones need not have a digit
_MAX_REASON_WIDTH = 300  # maximum width in pixels that a reason on one line can demand
_AMOUNT = AmountParam()


def plain_amounts(text: str) -> str:
    """Return the amounts of a field as percentages with commas between them, for `read_amounts`.

    Each amount is read as in the form: 90, 90 % and 0.9 are 90 %. In locales with a decimal comma,
    a comma between digits belongs to the number. Invalid amounts and 0 are returned unchanged.
    """
    comma = r"(?<!\d),|,(?!\d)" if locale().decimalPoint() == "," else ","
    words = []
    for word in filter(None, map(str.strip, re.split(f"[;；，、]|{comma}", text))):
        amount: Amount = 0
        with contextlib.suppress(ParameterError):
            amount = read_amount(word, _AMOUNT, share=True)
        words.append(_AMOUNT.format(amount) if amount else word)
    return ", ".join(words)


@dataclass(frozen=True)
class AllocatedTensor:
    """The share of one tensor in an allocation, and the predicted damage."""

    shown: str
    weights: int
    sparsity: float
    damage: float


@dataclass(frozen=True)
class PredictedAllocation:
    """An allocation, and the metric that it predicts."""

    tensors: tuple[AllocatedTensor, ...]
    metric: str
    before: float
    predicted: float
    newly_pruned: int  # number of weights
    share: bool = False  # whether the metric is a share of samples
    higher: bool = False  # whether a higher value is better
    unmeasured: int = 0  # number of tensors that are not changed, because they were not measured


@dataclass(frozen=True)
class ScanFields:
    """What the fields of a `ScanDialog` contain besides the source."""

    method: str
    amounts: str  # as typed
    repairs: bool


class ScanDialog(DecisionDialog):
    """Asks for the settings of a scan; `kinds` are the kinds of data that the model supports.

    `methods` contains names and labels. `no_repair` is the reason why tensors cannot be repaired;
    empty if they can.
    """

    # The user asked for a scan with `choice`, `method` and `amounts`; answer with `done`, or show
    # the error by `choice.set_found` or `set_estimate`.
    scanRequested = Signal()

    changed = Signal()  # source, method or amounts have changed; answer with `set_estimate`

    def __init__(
        self,
        kinds: Sequence[DataKind],
        source: DataSource,
        methods: Sequence[tuple[str, str]],
        parent: QWidget | None = None,
        *,
        no_repair: str = "",
    ) -> None:
        super().__init__(self.tr("Scan sensitivity"), self.tr("Scan"), parent)
        about = plain(
            self.tr(
                "Prunes one checked tensor at a time by each amount, and evaluates the model "
                "each time in a separate process. The open model is not changed. If you cancel, "
                "results so far are kept and the next scan continues from there."
            ),
            wrap=True,
        )
        self.state = plain(wrap=True)
        self.state.hide()
        self.choice = SourceChoice(kinds, self)
        self.choice.set_source(source)
        self.choice.changed.connect(self._on_source)
        self.choice.answered.connect(self._show_state)
        rows = QWidget(self)
        row = QHBoxLayout(rows)
        row.setContentsMargins(0, 0, 0, 0)
        self.methods = choice_box(
            self.tr("Method"),
            self.tr("How weights or channels are ranked; settings are those of the form"),
            [(label, name) for name, label in methods],
        )
        self.fractions = LineEdit(self)
        self.fractions.setAccessibleName(self.tr("Amounts"))
        self.fractions.setToolTip(
            self.tr("Fractions of the remaining weights of each tensor, separated by commas")
        )
        for field, text in (
            (self.methods, self.tr("&Method")),
            (self.fractions, self.tr("&Amounts")),
        ):
            field.setAccessibleDescription(field.toolTip())
            row.addWidget(label_for(field, text))
            row.addWidget(field, 1)
        self.repair = OptionBox(self.tr("&Repair each tensor before the model is measured"), self)
        self.repair.set_applicable(not no_repair)
        help_ = self.tr(
            "With the statistics of activations that are loaded in the form, where Wanda or "
            "another method that needs them is chosen; they must have Gram matrices."
        )
        self.repair.setToolTip(help_)
        self.repair.setAccessibleDescription(
            join_sentences(no_repair, help_) if no_repair else help_
        )
        self.no_repair = plain(no_repair, wrap=True, ink=MUTED)
        one_line = self.fontMetrics().horizontalAdvance(no_repair)
        self.no_repair.setMinimumWidth(min(one_line + 4, _MAX_REASON_WIDTH))
        repairing = QWidget(self)
        beside = QHBoxLayout(repairing)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.addWidget(self.repair)
        beside.addWidget(self.no_repair, 1)
        # only now: a visible widget without a parent is a window
        self.no_repair.setVisible(bool(no_repair))
        self.estimate = plain(wrap=True, ink=MUTED)
        # The space of the longest estimate, so that the buttons do not move.
        self.estimate.setMinimumHeight(3 * self.fontMetrics().lineSpacing())
        self.estimate.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.methods.activated.connect(self._on_changed)
        self.repair.toggled.connect(self._on_changed)
        self.fractions.entered.connect(self._on_changed)
        self._error = ""
        parts = about, self.state, self.choice, rows, repairing, self.estimate
        self.lay_out(parts, wide=self.choice)
        self._show_state()

    def set_state(self, text: str) -> None:
        """Set a note about the state that is scanned; empty for none."""
        self.state.setText(text)
        self.state.setVisible(bool(text))

    def contents(self) -> ScanFields:
        """Return what the fields contain besides the source."""
        return ScanFields(self.method, self.fractions.text(), self.repair.choice())

    def set_contents(self, fields: ScanFields) -> None:
        """Show the contents of fields; the first method if theirs is not offered."""
        self.methods.setCurrentIndex(max(0, self.methods.findData(fields.method)))
        self.fractions.setText(fields.amounts)
        self.repair.set_choice(fields.repairs)

    def set_estimate(self, text: str, *, trouble: bool = False) -> None:
        """Show how long the scan takes, or an error why it is not possible."""
        self._error = text if trouble else ""
        self.estimate.setText(f"✕ {text}" if trouble else text)
        self.estimate.setForegroundRole(DANGER if trouble else MUTED)
        self._show_state()

    @property
    def method(self) -> str:
        """The name of the selected method."""
        return str(self.methods.currentData())

    @property
    def amounts(self) -> str:
        """The amounts, as `plain_amounts` returns them."""
        return plain_amounts(self.fractions.text())

    def accept(self) -> None:
        """Request the scan. The dialog stays open until the source has been checked."""
        self.scanRequested.emit()

    def _on_source(self) -> None:
        self._show_state()
        self.changed.emit()  # another script has another duration

    def _on_changed(self) -> None:
        self.changed.emit()

    def _show_state(self) -> None:
        set_problem(self.go, self.choice.problem or self._error)


def _decimals_of(changes: Sequence[float]) -> int:
    """Return the decimals with which the smallest change has two significant digits, at most 7."""
    largest = max(map(abs, changes), default=0.0)
    counted = [abs(each) for each in changes if abs(each) > _LEAST_SHARE * largest]
    return min(7, max(0, 1 - math.floor(math.log10(min(counted))))) if counted else 0


class AllocationDialog(DecisionDialog):
    """Asks for a total, and shows its allocation to tensors; `accepted` if it is to be pruned.

    `note` is about the data and the state of the scan; `warning` says why the scan is incomplete or
    outdated.
    """

    changed = Signal()  # the settings have changed; answer with `set_allocation` or `set_error`

    def __init__(
        self,
        params: Sequence[Param],
        note: str,
        parent: QWidget | None = None,
        *,
        warning: str = "",
        short: ShortNames | None = None,
    ) -> None:
        super().__init__(self.tr("Allocate"), self.tr("Prune"), parent)
        self._params = tuple(params)
        self._found: PredictedAllocation | None = None
        self._decimals = 0  # of the changes of the metric
        about = plain(
            self.tr(
                "Distributes the total sparsity over the scanned tensors so that the predicted "
                "quality loss is smallest. The result is one step with a rule for each tensor. "
                "The column Change is estimated from the scan: how the metric changes if only this "
                "tensor is pruned."
            ),
            wrap=True,
            ink=MUTED,
        )
        fields = QWidget(self)
        grid = QGridLayout(fields)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setColumnStretch(1, 1)
        self.editors: dict[str, Editor] = {}
        for row, param in enumerate(params):
            editor = self.editors[param.name] = editor_for(param, fields)
            editor.setToolTip(param.help)
            editor.set_value(param.default)
            editor.changed.connect(self._on_changed)
            grid.addWidget(label_for(editor, param.label), row, 0)
            grid.addWidget(editor, row, 1)
        self.headline = heading("", wrap=True)
        headers = self.tr("Tensor"), self.tr("Weights"), self.tr("Sparsity"), self.tr("Change")
        self.table = CountsTable(headers, 0, self._cells, self, short=short)
        self.table.setAccessibleName(self.tr("Sparsity of each tensor"))
        self.table.setMinimumHeight(self.fontMetrics().lineSpacing() * _TABLE_LINES)
        self.note = plain(note, wrap=True, ink=MUTED)
        self.error = plain(wrap=True, ink=DANGER)
        self.error.hide()
        self.warning = plain(warning, wrap=True)
        parts = about, self.warning, fields, self.headline, self.error, self.table, self.note
        self.lay_out(parts, wide=self.table)
        # only now: a visible widget without a parent is a window
        self.warning.setVisible(bool(warning))
        self.resize(640, 600)
        self.set_allocation(None)

    # -- inputs

    def set_weights(self, weights: int) -> None:
        """Set the number of weights, which is the range of a slider for counts."""
        for editor in self.editors.values():
            editor.set_context(FormContext(left=weights))

    def set_allocation(self, found: PredictedAllocation | None) -> None:
        """Show the allocation of the total and remove an error; None while it is not known.

        Pruning is enabled if the allocation prunes further weights.
        """
        self._found = found
        if found is not None:
            self._decimals = _decimals_of([t.damage for t in found.tensors])
        self.error.hide()
        self.table.set_count(0 if found is None else len(found.tensors))
        self.go.setEnabled(found is not None and found.newly_pruned > 0)
        if found is None:
            self.headline.setText("")
            self.go.setText(self.tr("Prune"))
            return
        self.table.fit_columns(range(min(len(found.tensors), 100)))
        words = self.tr(
            "{metric}: {before} now, predicted {predicted} or worse. The prediction adds up the "
            "changes of tensors pruned one at a time; pruned together, they usually lose more."
        ).format(
            metric=metric_title(found.metric),
            before=metric(found.before, share=found.share),
            predicted=metric(found.predicted, share=found.share),
        )
        if found.unmeasured:
            more = plural(
                found.unmeasured,
                self.tr("1 tensor is not measured yet and will not be changed."),
                self.tr("{n} tensors are not measured yet and will not be changed."),
            )
            words = join_sentences(words, more)
        self.headline.setText(words)
        self.table.setAccessibleDescription(words)
        self.go.setText(
            plural(found.newly_pruned, self.tr("Prune 1 weight"), self.tr("Prune {n} weights"))
        )

    def set_error(self, text: str) -> None:
        """Show why the allocation is not possible."""
        self.set_allocation(None)
        self.error.setText(f"✕ {text}")
        self.error.show()

    # -- results

    def values(self) -> dict[str, Any]:
        """Return the settings; raise `ParameterError` if one is invalid."""
        return {name: editor.value() for name, editor in self.editors.items()}

    # -- implementation

    def _cells(self, row: int) -> tuple[str, ...]:
        found = self._found
        assert found is not None
        tensor = found.tensors[row]
        shown = -tensor.damage if found.higher else tensor.damage
        shown, decimals = (100 * shown, 1) if found.share else (shown, self._decimals)
        shown = round(shown, decimals)
        amount = locale().toString(abs(shown), "f", decimals) if shown else "0"
        return (
            tensor.shown,
            count(tensor.weights),
            percent(tensor.sparsity),
            with_sign(amount, shown),
        )

    def _on_changed(self) -> None:
        try:
            self.values()
        except ParameterError as error:
            self.set_error(translate_error(error, self._params))
            return
        self.changed.emit()


class FrontierDialog(DecisionDialog):
    """Asks for the points of a frontier, the recovery and the script; `rule` describes the step.

    `kinds` are the kinds of data that the model can be run on.
    """

    # The user asked for a frontier; answer with `done`, or show the error by `choice.set_found`.
    frontierRequested = Signal()

    def __init__(
        self,
        rule: str,
        points: str,
        kinds: Sequence[DataKind],
        source: DataSource,
        parent: QWidget | None = None,
        *,
        short: ShortNames | None = None,
    ) -> None:
        super().__init__(self.tr("Frontier"), self.tr("Measure"), parent)
        about = plain(
            self.tr(
                "Prunes the current state to each sparsity, and evaluates it before and after a "
                "recovery in a separate process. The open model is not changed. If you cancel, "
                "results so far are kept."
            ),
            wrap=True,
        )
        self.rule = ElidedLabel(rule, self, ink=MUTED)
        self.rule.set_names(short or ShortNames())
        self.rule.setAccessibleName(self.tr("Pruning step"))
        fields = QWidget(self)
        grid = QGridLayout(fields)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setColumnStretch(1, 1)
        self.points = LineEdit(self)
        self.points.setText(points)
        self.points.setToolTip(
            self.tr("Total sparsities of the tensors of the step, separated by commas")
        )
        self.recover = choice_box(
            self.tr("Recovery"),
            self.tr(
                "How the remaining weights of each point are trained: to reproduce the outputs "
                "of the unpruned model on the inputs of calibrate(), or with train() of the "
                "script"
            ),
            (
                (self.tr("distillation, without labels"), "distillation"),
                (self.tr("train() of the script"), "training"),
                (self.tr("no"), ""),
            ),
        )
        self.steps = LineEdit(self)
        self.steps.setText("300")
        self.steps.setToolTip(self.tr("Steps of the distillation at each sparsity"))
        for row, (field, name, label) in enumerate(
            (
                (self.points, self.tr("Sparsities"), self.tr("S&parsities")),
                (self.recover, self.tr("Recovery"), self.tr("&Recovery")),
                (self.steps, self.tr("Steps"), self.tr("&Steps")),
            )
        ):
            field.setAccessibleName(name)
            field.setAccessibleDescription(field.toolTip())
            grid.addWidget(label_for(field, label), row, 0)
            grid.addWidget(field, row, 1)
        self.choice = SourceChoice(kinds, self)
        self.choice.set_source(source)
        self.choice.changed.connect(self._show_state)
        self.choice.answered.connect(self._show_state)
        self.recover.activated.connect(self._show_state)
        for changed in (self.points.entered, self.steps.entered, self.recover.activated):
            changed.connect(self.choice.check_again)
        self.lay_out((about, self.rule, fields, self.choice), wide=self.choice)
        self._show_state()

    @property
    def points_text(self) -> str:
        """The points, as `plain_amounts` returns them."""
        return plain_amounts(self.points.text())

    def accept(self) -> None:
        """Request the frontier. The dialog stays open until the source has been checked."""
        self.frontierRequested.emit()

    def _show_state(self) -> None:
        self.steps.setEnabled(self.recover.currentData() == "distillation")
        set_problem(self.go, self.choice.problem)
