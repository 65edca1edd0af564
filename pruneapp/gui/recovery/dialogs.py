"""The dialogs of a recovery: its settings, the running training, and the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QWidget,
)

from pruneapp.errors import ParameterError
from pruneapp.gui.app.jobs import JobProgress
from pruneapp.gui.evaluation.source_choice import DataKind, SourceChoice, SourceFields
from pruneapp.gui.method_form.editors import FlagEditor, rows_of_editors, valid_values
from pruneapp.gui.plots.curves import CurveGroup, CurveView, StepCurve
from pruneapp.gui.recovery.progress import (
    HELD_OUT,
    RATE,
    TRAINING,
    Points,
    RecoveryProgress,
    TrainedWindow,
)
from pruneapp.gui.widgets.clipboard import text_of
from pruneapp.gui.widgets.controls import (
    CopyButton,
    choose_by_click,
    lay_in_column,
    set_problem,
    single_shot,
)
from pruneapp.gui.widgets.engine_text import translate_error
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    ElidedLabel,
    as_plain,
    heading,
    join_sentences,
    plain,
    translate,
    with_label,
    with_note,
)
from pruneapp.gui.widgets.number_format import count, number, percent, plural, rough_duration, size
from pruneapp.gui.widgets.number_format import metrics as metric_texts
from pruneapp.gui.widgets.reports import CountsTable, DecisionDialog, add_button_row
from pruneapp.gui.widgets.screen import Dialog
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.gui.widgets.status import item_text, show_share
from pruneapp.params import Param

# Interval of repaints of the running training in milliseconds; scripts may report every step.
_REPAINT_MS = 150
_BAR_HEIGHT = 8  # pixels
_MIN_ROWS = 6  # minimum number of visible rows of the table of blocks
_NO_MAX_HEIGHT = 16_777_215  # QWIDGETSIZE_MAX
_MIN_PLOT_LINES = 10
# Curves in addition to these have the colors of `_METRIC_INK`.
_INKS = {HELD_OUT: "teal", TRAINING: "muted", RATE: "teal"}
_METRIC_INK = "magenta"
_NOTHING = "–"


@dataclass(frozen=True)
class RecoverFields:
    """What the fields of the dialog contain."""

    source: SourceFields
    values: Mapping[str, Any]  # of the settings, without invalid ones
    trains: bool  # whether the user chose train() of the script


class RecoverDialog(Dialog):
    """Asks for the inputs and settings of a recovery.

    `kinds` are the kinds of sources that are offered, `params` the settings. `EVALUATES` is the
    name of the flag that needs a way to evaluate states; the others are for distillation.
    """

    recoveryRequested = Signal()  # recover with `source`, `values` and `trains`
    setUpRequested = Signal()  # set up the evaluation of states

    EVALUATES = "evaluates"

    def __init__(
        self, kinds: Sequence[DataKind], params: Sequence[Param], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Recover"))
        self._params = tuple(params)
        self._may_recover = False
        self._wants_training = self._may_evaluate = False
        self.about = plain(
            self.tr(
                "Trains the remaining weights, while pruned weights stay zero and protected "
                "weights keep their values. You can undo it."
            ),
            wrap=True,
            ink=MUTED,
        )
        use = self.tr(
            "The data are used for training: the pruned model learns to reproduce the outputs of "
            "the unpruned model."
        )
        self.source = SourceChoice(kinds, self, unpruned=True, use=use, stops_recording=True)
        self.distills = QRadioButton(
            self.tr("&Reproduce the outputs of the unpruned model (no labels)"), self
        )
        self.distills.setToolTip(
            self.tr(
                "The inputs of calibrate() are run through the unpruned model, and the pruned "
                "model is trained to reproduce its outputs."
            )
        )
        self.trains = QRadioButton(self.tr("Run &train() of the script"), self)
        self.trains.setToolTip(
            self.tr(
                "Your own training loop, with your data, labels and optimizer. Pruned weights "
                "stay zero."
            )
        )
        self._how = QButtonGroup(self)
        for radio in (self.distills, self.trains):
            radio.setAccessibleDescription(radio.toolTip())
            radio.setToolTip(as_plain(radio.toolTip()))
            self._how.addButton(radio)
            radio.toggled.connect(self._show_state)
            radio.clicked.connect(self._on_how)
        self.no_training = plain(ink=MUTED)
        trains = QWidget(self)
        row = QHBoxLayout(trains)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.trains)
        row.addWidget(self.no_training, 1)
        settings, self.editors = rows_of_editors(params, self, self._show_state)
        of_distillation = (e for name, e in self.editors.items() if name != self.EVALUATES)
        choose_by_click(self.distills, *of_distillation)
        self.set_up = QPushButton(self.tr("Set up…"), settings)
        self.set_up.setAccessibleName(self.tr("Set up an evaluation…"))
        self.set_up.setToolTip(
            self.tr("The inputs above cannot evaluate the model: choose what measures it.")
        )
        self.set_up.setAccessibleDescription(self.set_up.toolTip())
        self.set_up.clicked.connect(self.setUpRequested)
        flag = self.editors[self.EVALUATES]
        assert isinstance(flag, FlagEditor)
        flag.line.addWidget(self.set_up)
        self.evaluated_by = ElidedLabel("", settings, ink=MUTED)
        # The name of the file, which is at the end, is the part that differs.
        self.evaluated_by.elide = Qt.TextElideMode.ElideLeft
        self.evaluated_by.setAccessibleName(self.tr("Evaluation before and after"))
        flag.line.addWidget(self.evaluated_by)
        self.note = plain(wrap=True, ink=MUTED)
        # Its space is reserved, so that nothing moves while a field is edited.
        self.note.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.leave = QPushButton(self.tr("Cancel"), self)
        self.go = QPushButton(self.tr("Recover"), self)
        self.go.setObjectName("mainAction")
        self.go.setDefault(True)
        parts = (
            self.about,
            heading(self.tr("Inputs of the model")),
            self.source,
            heading(self.tr("Training")),
            self.distills,
            trains,
            settings,
            self.note,
        )
        layout = lay_in_column(self, *parts, spacing=8, margins=(16, 16, 16, 16))
        layout.addStretch(1)
        add_button_row(layout, self.leave, self.go)
        self.resize(720, self.sizeHint().height())
        self.distills.setChecked(True)
        self.leave.clicked.connect(self.reject)
        self.go.clicked.connect(self.recoveryRequested)
        self.source.changed.connect(self._show_state)
        self.source.answered.connect(self._show_state)
        self.set_functions(distills=False, trains=False, evaluated_by="", found=False)

    def set_functions(
        self, *, distills: bool, trains: bool, evaluated_by: str, found: bool
    ) -> None:
        """Offer what the functions of the script allow.

        `found` is whether there is a script; a recovery needs one that `distills` or `trains`.
        `evaluated_by` is a phrase on what evaluates the model before and after. If nothing does,
        "", the flag is off, and a button offers to set up an evaluation. What the user chose before
        is chosen again once it is possible.
        """
        self._may_recover = distills or trains
        self._may_evaluate = evaluates = bool(evaluated_by)
        self.evaluated_by.setText(evaluated_by)
        self.evaluated_by.setVisible(evaluates)
        self.trains.setEnabled(trains)
        self.distills.setEnabled(distills or not trains)
        trains_now = trains and (self._wants_training or not distills)
        (self.trains if trains_now else self.distills).setChecked(True)
        why = ""
        if self.source.source().kind is not DataKind.SCRIPT:
            why = self.tr("Choose an evaluation script with a function train(model).")
        elif found and not trains:
            why = self.tr("The script does not define train(model).")
        self.no_training.setText(why)
        flag = self.editors[self.EVALUATES]
        assert isinstance(flag, FlagEditor)
        flag.box.set_applicable(evaluates)  # not the editor, which contains the button
        self.set_up.setVisible(found and not evaluates)
        self._show_state()

    # -- results

    def values(self) -> dict[str, Any]:
        """Return the settings; raise `ParameterError` if one is invalid."""
        values = {name: editor.value() for name, editor in self.editors.items()}
        return {**values, self.EVALUATES: values[self.EVALUATES] and self._may_evaluate}

    def fields(self) -> RecoverFields:
        """Return what the fields contain."""
        return RecoverFields(
            self.source.contents(), valid_values(self.editors), self._wants_training
        )

    def set_fields(self, fields: RecoverFields) -> None:
        """Show what the fields contained before; `set_functions` follows."""
        self.source.set_contents(fields.source)
        for name, value in fields.values.items():
            self.editors[name].set_value(value)
        self._wants_training = fields.trains

    # -- implementation

    def _on_how(self) -> None:
        self._wants_training = self.trains.isChecked()

    def _show_state(self) -> None:
        """Enable the settings of the chosen training, and show what the button does or an error."""
        trains = self.trains.isChecked()
        for name, editor in self.editors.items():
            if name != self.EVALUATES:
                editor.set_applicable(not trains)
        self.source.set_unpruned_enabled(not trains)
        error, steps = "", 0
        try:
            steps = self.values()["steps"]
        except ParameterError as wrong:
            error = "" if trains else translate_error(wrong, self._params)
        self.go.setText(self.tr("Run train()") if trains else self.tr("Recover"))
        # Before the answer, it is not known what the functions of the script allow.
        unknown = "" if self._may_recover else self.go.text()
        set_problem(self.go, self.source.problem or error or unknown)
        text = self.tr(
            "15 % of the inputs are held out. New weights are kept only if the error on these "
            "inputs becomes smaller."
        )
        if not trains and not error:
            plan = plural(
                steps,
                self.tr("The whole model is trained in 1 step."),
                self.tr("The whole model is trained in {n} steps."),
            )
            if self.editors["windows"].value():
                plan = plural(
                    steps,
                    self.tr("Each block is trained in 1 step, then the whole model in 1 step."),
                    self.tr(
                        "Each block is trained in up to {n} steps, then the whole model in {n} "
                        "steps."
                    ),
                )
            if self.values()["lr"] is None:
                trials = self.tr("Three learning rates are tried for a few steps each.")
                plan = join_sentences(plan, trials)
            text = join_sentences(plan, text)
        if trains:
            text = self.tr(
                "train(model) decides how long it trains. It may yield a loss, (loss, learning "
                "rate) or a dict of metrics, which are plotted."
            )
        self.note.setText(f"✕ {error}" if error else text)
        self.note.setForegroundRole(DANGER if error else MUTED)


def curves_of(progress: RecoveryProgress) -> list[CurveGroup]:
    """Return what to plot of a recovery: its errors, metrics and the learning rate."""
    labels = {
        HELD_OUT: translate("Recovery", "held-out error"),
        TRAINING: translate("Recovery", "training loss"),
        RATE: translate("Recovery", "learning rate"),
    }

    def curve(name: str, points: Points) -> StepCurve:
        steps, values = np.array(points, np.float64).reshape(-1, 2).T
        ink = _INKS.get(name, _METRIC_INK)
        return StepCurve(labels.get(name, name), steps, values, ink, dashed=name == TRAINING)

    def group(name: str) -> list[CurveGroup]:
        points = progress.curves.get(name)
        return [CurveGroup(labels[name], [curve(name, points)])] if points else []

    # The training loss is another quantity than the error: it includes those of hidden states.
    return [
        *group(HELD_OUT),
        *group(TRAINING),
        *(CurveGroup(name, [curve(name, points)]) for name, points in progress.metrics.items()),
        *group(RATE),
    ]


class RecoveryPanel(Dialog):
    """Shows a running recovery; not modal. Closing it does not end the recovery."""

    pauseRequested = Signal(bool)  # True to pause, False to continue
    stopRequested = Signal()  # end with the best state so far
    cancelRequested = Signal()

    def __init__(self, progress: RecoveryProgress, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Recovering"))
        self.progress = progress
        self._is_paused = self._is_stopping = False
        self._seconds_left: float | None = None  # of the job
        self.stage = ElidedLabel(self.tr("Starting"), self)
        font = self.stage.font()
        font.setBold(True)
        self.stage.setFont(font)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(_BAR_HEIGHT)
        self.bar.setRange(0, 0)
        self.bar.setAccessibleName(self.tr("Progress of the training"))
        self.plan = plain(wrap=True, ink=MUTED)
        self.plan.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.plan.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.figures: dict[str, QLabel] = {}
        figures = self._make_figures()
        self.curves = CurveView()
        empty_text = self.tr(
            "Nothing to plot yet. First the inputs are recorded, and learning rates are tried. "
            "Then the whole model is trained, and its error is plotted here."
        )
        if progress.blocks:
            empty_text = self.tr(
                "Nothing to plot yet. First the inputs are recorded, each block is trained alone, "
                "and learning rates are tried. Then the whole model is trained, and its error is "
                "plotted here."
            )
        if progress.trains:
            empty_text = self.tr(
                "Nothing to plot yet. The losses that train() of the script yields are plotted "
                "here."
            )
        self.curves.set_empty_text(empty_text)
        self.curves.setMinimumHeight(_MIN_PLOT_LINES * self.fontMetrics().lineSpacing())
        self.pause = QPushButton(self.tr("Pause"), self)
        self.stop = QPushButton(self.tr("Stop and keep best"), self)
        self.stop.setAccessibleDescription(
            self.tr("End the training, and use the best weights so far.")
        )
        self.hide_button = QPushButton(self.tr("Hide"), self)
        self.hide_button.setAccessibleDescription(
            self.tr("Close this window; the training continues. Prune > Recover shows it again.")
        )
        self.cancel = QPushButton(self.tr("Cancel recovery"), self)
        self.cancel.setAccessibleDescription(self.tr("End the training; nothing is changed."))
        for button in (self.pause, self.stop, self.hide_button, self.cancel):
            button.setToolTip(as_plain(button.accessibleDescription()))
            button.setAutoDefault(False)
        parts = self.stage, self.bar, self.plan, figures, self.curves
        layout = lay_in_column(self, *parts, spacing=8, margins=(16, 16, 16, 16), wide=self.curves)
        add_button_row(layout, self.hide_button, self.cancel, beside=(self.pause, self.stop))
        self.resize(720, 540)
        self.pause.clicked.connect(self._on_pause)
        self.stop.clicked.connect(self._on_stop)
        self.hide_button.clicked.connect(self.reject)
        self.cancel.clicked.connect(self.cancelRequested)
        self._repaint = single_shot(self, _REPAINT_MS, self.refresh)
        self.refresh()

    def _make_figures(self) -> QWidget:
        """Return a row of labelled figures."""
        figures = QWidget(self)
        grid = QGridLayout(figures)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(0)
        labels = {
            "error": self.tr("Held-out error"),
            "speed": self.tr("Steps per second"),
            "left": self.tr("Time left"),
            "memory": self.tr("Memory in use"),
            "rate": self.tr("Learning rate"),
        }
        if self.progress.trains:  # the script reports nothing else
            labels = {
                "loss": self.tr("Training loss"),
                "left": labels["left"],
                "rate": labels["rate"],
            }
        for column, (name, label) in enumerate(labels.items()):
            figure = self.figures[name] = plain(_NOTHING)
            figure.setAccessibleName(label)
            if name == "error":
                words = self.tr(
                    "Mean error of the outputs on held-out inputs, and its change since "
                    "the training began. It can rise while the learning rate is high; the "
                    "best weights are kept."
                )
                figure.setToolTip(as_plain(words))
                figure.setAccessibleDescription(words)
            grid.addWidget(plain(label, ink=MUTED), 0, column)
            grid.addWidget(figure, 1, column)
            grid.setColumnStretch(column, 1)
        return figures

    def schedule_refresh(self) -> None:
        """Show the progress soon; calls in between are combined."""
        if not self._repaint.isActive():
            self._repaint.start()

    def set_job(self, job: JobProgress) -> None:
        """Show what the job does, its progress and time left, as the status bar shows them."""
        self._seconds_left = job.seconds_left
        self._show_figures()
        if not self._is_paused and (text := item_text(job.label)):
            self.stage.setText(text[:1].upper() + text[1:])
        show_share(self.bar, job.done / job.total if job.total else 0.0)

    def refresh(self) -> None:
        """Show the progress."""
        progress = self.progress
        self.plan.setText(plan_text(progress.plan) if progress.plan else "")
        self._show_figures()
        self.curves.set_curves(curves_of(progress), progress.steps)
        controls = progress.can_be_stopped and not self._is_stopping
        self.pause.setEnabled(controls)
        self.stop.setEnabled(controls)

    def _show_figures(self) -> None:
        progress = self.progress
        left = self._seconds_left
        loss = progress.loss
        texts = {
            "loss": _NOTHING if loss is None else number(float(f"{loss:.4g}")),
            "error": self._error_text(),
            "speed": number(float(f"{progress.speed:.3g}")) if progress.speed else _NOTHING,
            "left": _NOTHING if left is None else rough_duration(left),
            "memory": size(progress.memory) if progress.memory else _NOTHING,
            "rate": self._rate_text(),
        }
        for name, figure in self.figures.items():
            figure.setText(texts[name])

    def _rate_text(self) -> str:
        """Return the learning rate with two digits, as the worker writes it while trying it."""
        rate = self.progress.trial or self.progress.rate
        if not rate:
            return _NOTHING
        text = number(float(f"{rate:.2g}"))
        return self.tr("{rate} (trial)").format(rate=text) if self.progress.trial else text

    def _error_text(self) -> str:
        now, start = self.progress.error, self.progress.start
        if now is None:
            return _NOTHING
        if not start or now == start:
            return number(now)
        change = now / start - 1
        sign = "−" if change < 0 else "+"
        return f"{number(now)} ({sign}{percent(abs(change), 0)})"

    def _on_pause(self) -> None:
        self._is_paused = not self._is_paused
        self.pause.setText(self.tr("Continue") if self._is_paused else self.tr("Pause"))
        if self._is_paused:
            self.stage.setText(self.tr("Paused"))
        self.pauseRequested.emit(self._is_paused)

    def _on_stop(self) -> None:
        self._is_stopping, self._is_paused = True, False
        self.pause.setText(self.tr("Pause"))
        self.stop.setText(self.tr("Stopping…"))
        self.refresh()
        self.stopRequested.emit()


def plan_text(plan: Mapping[str, Any]) -> str:
    """Return sentences about what a recovery trains, with which data, and its memory."""
    what = {
        "all": translate(
            "Recovery", "Trains {n} remaining parameters of the whole model on {device}."
        ),
        "lora": translate(
            "Recovery",
            "Trains low-rank updates with {n} parameters on {device}, because not all weights fit "
            "into memory.",
        ),
        "norms": translate(
            "Recovery",
            "Trains the {n} parameters of norms and biases on {device}, because more does not "
            "fit into memory.",
        ),
        "none": translate(
            "Recovery",
            "Trains blocks only, on {device}, because the whole model does not fit into memory.",
        ),
    }[plan["trains"]].format(n=count(plan["trained"]), device=plan["device"].upper())
    data = translate("Recovery", "{samples}, of which {n} are held out.").format(
        samples=plural(
            plan["samples"], translate("Recovery", "1 sample"), translate("Recovery", "{n} samples")
        ),
        n=count(plan["held_out"]),
    )
    blocks = plural(
        plan["windows"],
        translate("Recovery", "1 block is trained first."),
        translate("Recovery", "{n} blocks are trained first."),
    )
    memory = translate("Recovery", "Memory predicted for the training: {n} of {limit}.").format(
        n=size(plan["bytes"]), limit=size(plan["limit"])
    )
    return join_sentences(what, data, blocks if plan["windows"] else "", memory)


class HarmDialog(DecisionDialog):
    """Asks whether to keep a recovery that made a metric worse. Accepted to keep it."""

    def __init__(self, sentences: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(translate("Recovery", "The model is worse"), "", parent)
        self.headline = heading(
            self.tr("The recovery made the model worse on your evaluation."), wrap=True
        )
        self.facts = plain(" ".join(sentences), wrap=True)
        self.go.setText(self.tr("Keep anyway"))
        self.go.setObjectName("")
        self.leave.setText(self.tr("Discard the result"))
        self.leave.setObjectName("mainAction")
        self.leave.setDefault(True)
        self.lay_out((self.headline, self.facts), wide=self.facts)
        self.leave.setFocus()
        self.resize(480, self.sizeHint().height())


class RecoveryReportDialog(Dialog):
    """Shows how a recovery went: its errors, curves and blocks.

    `sentence` is the result, `metrics` sentences about the evaluation, `risks` warnings, `notes`
    remarks. If `changed` is False, there is nothing to undo or to evaluate.
    """

    undoRequested = Signal()
    evaluateRequested = Signal()  # evaluate the model before and after the recovery

    def __init__(
        self,
        progress: RecoveryProgress,
        *,
        sentence: str,
        losses: Mapping[str, float],
        metrics: Sequence[str],
        risks: Sequence[str],
        notes: Sequence[str],
        changed: bool,
        short: ShortNames | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Recovered") if changed else self.tr("Not recovered"))
        self._windows = tuple(progress.windows)
        errors = [error for window in self._windows for error in (window.before, window.after)]
        self._errors = metric_texts(errors, share=False)  # two for each window
        self._uses_blocks = not losses or not _discards_blocks(losses)
        self.headline = heading(sentence, wrap=True)
        self.metrics = [plain(text, wrap=True) for text in metrics]
        self.risks = [plain(f"▲ {risk}", wrap=True, ink=DANGER) for risk in risks]
        step = progress.earlier_step_with(losses["best"]) if "best" in losses else None
        self.losses = plain(_losses_text(losses, step), wrap=True)
        self.losses.setHidden(not self.losses.text())
        self.advice = plain(_advice_text(losses, progress), wrap=True)
        self.advice.setHidden(not self.advice.text())
        self.notes = [plain(note, wrap=True, ink=MUTED) for note in notes]
        self.curves = CurveView()
        self.curves.set_curves(curves_of(progress), progress.steps)
        self.curves.setMinimumHeight(_MIN_PLOT_LINES * self.fontMetrics().lineSpacing())
        self.curves.setHidden(not curves_of(progress))
        self._headers = (
            self.tr("Block"),
            self.tr("Error before"),
            self.tr("Error after"),
            self.tr("Improved"),
        )
        self.table = CountsTable(self._headers, len(self._windows), self._cells, self, short=short)
        self.table.fit_columns(range(min(len(self._windows), 500)))
        self.table.setAccessibleName(self.tr("Errors of the blocks"))
        self.table.fit(_MIN_ROWS)
        self.table.setMaximumHeight(_NO_MAX_HEIGHT)
        self.table.setHidden(not self._windows)
        self.undo = QPushButton(self.tr("Undo recovery"), self)
        self.undo.setAccessibleDescription(self.tr("Return to the state before the recovery."))
        self.evaluate = QPushButton(self.tr("Evaluate…"), self)
        self.evaluate.setAccessibleDescription(
            self.tr("Measure the model before and after the recovery with an evaluation script.")
        )
        self.copy = CopyButton(self.tr("Copy the report as text."), self)
        self.close_button = QPushButton(self.tr("Close"), self)
        self.close_button.setDefault(True)
        self.undo.setHidden(not changed)
        self.evaluate.setHidden(not changed or bool(metrics))
        parts = (
            self.headline,
            *self.metrics,
            *self.risks,
            self.losses,
            self.advice,
            *self.notes,
            self.curves,
            self.table,
        )
        layout = lay_in_column(self, *parts, spacing=8, margins=(16, 16, 16, 16))
        layout.setStretchFactor(self.curves, 1)
        layout.setStretchFactor(self.table, 1)
        layout.addStretch(0)
        add_button_row(layout, self.close_button, beside=(self.undo, self.evaluate, self.copy))
        height = 700 if self._windows else 560
        self.resize(760, self.sizeHint().height() if self.curves.isHidden() else height)
        self.close_button.setFocus()
        self.copy.clicked.connect(self._copy)
        self.undo.clicked.connect(self._undo)
        self.evaluate.clicked.connect(self._evaluate)
        self.close_button.clicked.connect(self.accept)

    def as_text(self) -> str:
        """Return the report as text, with the tables as tab-separated text."""
        labels = (
            *(self.headline, *self.metrics, *self.risks),
            *(self.losses, self.advice, *self.notes),
        )
        lines = [label.text() for label in labels if label.text()]
        if self._windows:
            rows = map(self._cells, range(len(self._windows)))
            lines += ["", text_of(self._headers, rows)]
        numbers = self.curves.all_numbers()
        if numbers.rows:
            cells = ([c if isinstance(c, str) else number(c) for c in row] for row in numbers)
            lines += ["", text_of(numbers.headers, cells)]
        return "\n".join((*lines, ""))

    def _cells(self, row: int) -> tuple[str, ...]:
        window: TrainedWindow = self._windows[row]
        improved = self.tr("yes") if window.is_kept else self.tr("no")
        if window.is_kept and not self._uses_blocks:
            improved = with_note(improved, translate("Recovery", "not used"))
        before, after = self._errors[2 * row : 2 * row + 2]
        return window.name, before, after, improved

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())
        self.copy.set_copied()

    def _undo(self) -> None:
        self.accept()
        self.undoRequested.emit()

    def _evaluate(self) -> None:
        self.accept()
        self.evaluateRequested.emit()


def _advice_text(losses: Mapping[str, float], progress: RecoveryProgress) -> str:
    """Return what training reached and what to try, or why an earlier, smaller error is not used.

    "" if it improved the error up to the end, or is unknown. `losses` are those of a `Recovery`.
    """
    points = progress.curves.get(HELD_OUT, [])[1:]  # without the start
    if not losses or not points:
        return ""
    (last, end), (step, best) = points[-1], min(points, key=itemgetter(1))
    best_text, end_text = metric_texts((best, end), share=False)
    if losses["rounded"] != losses["start"]:
        if best_text == end_text or losses.get("best") != end:
            return ""
        return translate(
            "Recovery",
            "The error was smaller at step {step}, {error}, but that is within the noise of the "
            "held-out samples: the weights of the last step are used.",
        ).format(error=best_text, step=count(int(step)))
    reached = translate(
        "Recovery", "The smallest error after training was {error}, at step {step} of {last}."
    ).format(error=best_text, step=count(int(step)), last=count(int(last)))
    if step == last:
        advice = translate(
            "Recovery", "The error was still falling at the end: train with more steps."
        )
    elif progress.rate:
        advice = translate(
            "Recovery",
            "At the end it was {error}: try more steps, or a learning rate that is smaller than "
            "{rate}, which was used.",
        ).format(error=end_text, rate=number(progress.rate))
    else:
        advice = translate(
            "Recovery", "At the end it was {error}: try more steps, or a smaller learning rate."
        ).format(error=end_text)
    return join_sentences(reached, advice)


def _discards_blocks(losses: Mapping[str, float]) -> bool:
    """Return whether the trained blocks are not used, because the start is better."""
    return losses.get("windows", losses["start"]) > losses["start"] or (
        losses["rounded"] == losses["start"]
    )


def _losses_text(losses: Mapping[str, float], best_step: int | None) -> str:
    """Return the held-out errors of the stages on one line, in their order.

    "" without any, and for two, which the title of the report states. `best_step` is that of the
    weights that are used, None if they are the last ones.
    """
    names = {
        "pruned": translate("Recovery", "before"),
        "start": translate("Recovery", "after the repair"),
        "windows": translate("Recovery", "after the blocks"),
        "best": translate("Recovery", "after the whole model"),
        "rounded": translate("Recovery", "stored"),
    }
    parts: list[str] = []
    known = {name: title for name, title in names.items() if name in losses}
    errors = metric_texts([losses[name] for name in known], share=False)
    former = ""
    for (name, title), error in zip(known.items(), errors, strict=True):
        if error == former:
            continue  # there was no repair, or storing changed nothing
        former = error
        is_kept = name == "best" and losses[name] == losses["start"]  # the whole model is worse
        stage = translate("Recovery", "kept") if is_kept else title
        text = translate("Recovery", "{error} {stage}").format(error=former, stage=stage)
        if name == "best" and not is_kept and best_step is not None:
            step = translate("Recovery", "the best, at step {n}").format(n=count(best_step))
            text = with_note(text, step)
        if name == "windows" and _discards_blocks(losses):
            text = with_note(text, translate("Recovery", "not used"))
        parts.append(text)
    if len(parts) <= 2 and best_step is None:
        return ""
    return with_label(translate("Recovery", "Held-out error"), " → ".join(parts))
