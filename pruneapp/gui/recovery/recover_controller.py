"""Recover the open model: train its remaining weights, and add a step to the history."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

from PySide6.QtCore import Signal, Slot
from shiboken6 import isValid

from pruneapp.document.document import DocumentChanged
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError, PruneAppError, SelectionError
from pruneapp.evaluation.evaluator import Evaluator
from pruneapp.evaluation.model_graph import is_onnx
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.recovery import (
    STEPS,
    Recovery,
    RecoverySettings,
    recover_by_script,
    train_by_script,
)
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.evaluation.script import EvaluationScript
from pruneapp.evaluation.worker import EventCallback, Worker
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import JobProgress, Lane
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.feature import Ask, Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.gui.evaluation.measurement import Measurement, measure_state
from pruneapp.gui.evaluation.script_controller import AgreedScript, ScriptController, open_unpruned
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource, source_name
from pruneapp.gui.plots.plot_controller import TableController
from pruneapp.gui.recovery.dialogs import (
    HarmDialog,
    RecoverDialog,
    RecoverFields,
    RecoveryPanel,
    RecoveryReportDialog,
)
from pruneapp.gui.recovery.progress import RecoveryProgress
from pruneapp.gui.widgets.engine_text import (
    numbered_title,
    translate_error,
    translate_param,
    translate_sentence,
)
from pruneapp.gui.widgets.number_format import count, duration, number
from pruneapp.gui.widgets.reports import comparison_in_words, is_harmful
from pruneapp.gui.widgets.screen import Dialog, bring_to_front
from pruneapp.params import FlagParam, Interval, OptionalFloatParam, Param
from pruneapp.progress import Cancelled, Job
from pruneapp.repair.repair import PrunedLayer, pruned_layers

PURPOSE = "recovery"
# The worker writes a checkpoint each minute, from which the same recovery continues.
_CONTINUES_AFTER_S = 120.0
# Weight of the training in the progress; that of the evaluations after it is 1.
_TRAINING_SHARE = 4
PARAMS: tuple[Param, ...] = (
    STEPS,
    OptionalFloatParam(
        name="lr",
        label="Learning rate",
        help="Maximum learning rate of AdamW. If empty, three rates are tried for a few steps "
        "each and the best one is used.",
        nothing="automatic",
        bounds=Interval(1e-6, 1),
    ),
    FlagParam(
        name="windows",
        label="Train each block first",
        help="Train each block to reproduce the outputs of the same block of the unpruned "
        "model, before the whole model is trained.",
        default=True,
    ),
    FlagParam(
        name="repair",
        label="Start from a repair",
        help="Start from a sequential repair, unless it is worse on the held-out inputs.",
        default=True,
    ),
    FlagParam(
        name=RecoverDialog.EVALUATES,
        label="Evaluate before and after",
        help="Measure the model before and after. If a metric gets worse by more than the noise, "
        "you are asked whether to keep the result. A script is measured by its evaluate(); with "
        "other data, the evaluation that you set up for states is used.",
        default=True,
    ),
)


@dataclass(frozen=True)
class RecoveryRequest:
    """What to recover, and how."""

    snapshot: Snapshot
    settings: RecoverySettings
    unpruned: str = ""  # path of the unpruned model; empty for the checkpoint of the state
    trains: bool = False  # whether train() of the script is called instead of distillation
    evaluates: bool = False  # whether the state is measured before and after
    parameters: int = 0  # of the whole model, for the measurements
    calibrated_with: frozenset[str] = frozenset()  # data that the state was calibrated with


@dataclass(frozen=True)
class MeasuredRecovery:
    """The result of a recovery, with the measurements before and after if there are any."""

    done: Recovery
    measured: tuple[Measurement, Measurement] | None = None
    unmeasured: EvaluationError | None = None  # why it was not measured


class RecoveryRun:
    """A recovery that runs on a worker thread. `control` may be called by any thread."""

    def __init__(
        self, agreed: AgreedScript, request: RecoveryRequest, on_event: EventCallback
    ) -> None:
        self._agreed, self._request, self._on_event = agreed, request, on_event
        self._worker: Worker | None = None

    def run(self, job: Job) -> MeasuredRecovery:
        """Recover the state and return the result; the process is ended in any case.

        The process is killed if `job` is cancelled. Raises the errors of `recover_by_script`,
        `train_by_script` and `open_checkpoint`.
        """
        request, seed = self._request, self._agreed.options.seed
        evaluates = request.evaluates and self._agreed.script.may_define("evaluate")
        parts = job.weighted_parts((_TRAINING_SHARE, 1 if evaluates else 0))
        training = next(parts)
        with (
            open_unpruned("" if request.trains else request.unpruned, job) as unpruned,
            contextlib.closing(self._agreed.runner(job)) as runner,
        ):
            self._worker = runner.worker
            runner.worker.kills_on_cancel = True  # the process may be killed: it is not used again
            if request.trains:
                done = train_by_script(
                    runner, request.snapshot, training, seed=seed, on_event=self._on_event
                )
            else:
                settings = replace(request.settings, unpruned=unpruned, seed=seed)
                done = recover_by_script(
                    runner, request.snapshot, settings, training, self._on_event
                )
            if not evaluates or done.proposal is None:
                return MeasuredRecovery(done)
            self._on_event({"what": "evaluating"})
            try:
                part = next(parts).labelled("evaluating before and after")
                return MeasuredRecovery(done, self._measure(runner, done, part))
            except EvaluationError as error:
                return MeasuredRecovery(done, unmeasured=error)

    def _measure(
        self, runner: ScriptRunner, done: Recovery, job: Job
    ) -> tuple[Measurement, Measurement]:
        """Measure the unpruned model, and return the measurements before and after."""
        assert done.proposal is not None
        before, calibrated = self._request.snapshot, self._request.calibrated_with
        after, parameters = done.proposal.edit.apply_to(before), self._request.parameters
        evaluator = Evaluator(runner)
        parts = job.parts(3)
        evaluator.measure_baseline(before, next(parts))
        first = measure_state(evaluator, before, parameters, next(parts), calibrated)
        calibrated |= {done.source.data}
        return first, measure_state(evaluator, after, parameters, next(parts), calibrated)

    def control(self, what: Literal["stop", "pause", "resume"]) -> None:
        """Pause, continue or end the training; without effect before it begins."""
        if self._worker is not None:
            self._worker.control(what)


class RecoverController(Feature[Dialog]):
    """Recovers the current state, as one step.

    `undo` undoes the last step. `panel` shows the running recovery, `report` the last one; None if
    there is none.
    """

    commands: ClassVar = {"recover": "ask"}

    _received = Signal(object, object)  # the run and an event, from its thread

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        scripts: ScriptController,
        evaluation: EvaluationController,
        tables: TableController,
        *,
        undo: Callable[[], None],
    ) -> None:
        super().__init__(context, session)
        self._scripts, self._evaluation, self._tables = scripts, evaluation, tables
        self._undo = undo
        self._run: RecoveryRun | None = None
        self._running: RunJob[MeasuredRecovery] | None = None
        # The keys of the states before and after the last recovery, until both are evaluated.
        self._compared: tuple[object, object] | None = None
        self._is_evaluating = False  # whether both are being evaluated
        self._recovered_by = DataSource()
        # What the fields of the last dialog contained, and whether the state had new values.
        self._fields: tuple[RecoverFields, bool] | None = None
        self.panel: RecoveryPanel | None = None
        self.report: RecoveryReportDialog | None = None
        session.opening.connect(self._stop)
        session.changed.connect(self._on_changed)
        evaluation.measured.connect(self._compare)
        context.jobs.progressed.connect(self._on_progressed)
        context.theme.changed.connect(self._on_theme)
        self._received.connect(self._on_event)

    # -- dialog ---------------------------------------------------------------------------------

    @flow
    def ask(self) -> Flow[None]:
        """Open the dialog, or show the running recovery; show an error if nothing is pruned."""
        if self.panel is not None:
            self._show_hidden()
            return
        self.session.check_may_work()
        if is_onnx(self.document.checkpoint):
            raise EvaluationError(
                "An ONNX model is run by onnxruntime, which cannot train it.",
                remedy="Recover the PyTorch model that it was exported from.",
            )
        snapshot = self.document.snapshot()
        layers: RunJob[tuple[PrunedLayer, ...]] = RunJob("", partial(pruned_layers, snapshot))
        if not (yield from layers):
            raise SelectionError(
                "Nothing is pruned, so there is nothing to recover.",
                remedy="Prune first; zeros in the file count after Treat zeros as pruned.",
            )
        kinds = [kind for kind in self._scripts.kinds if kind is not DataKind.INPUTS]
        dialog = RecoverDialog(kinds, tuple(map(translate_param, PARAMS)), self._window)
        dialog.source.set_source(self._scripts.source(PURPOSE))
        has_values = bool(snapshot.values)
        dialog.editors["repair"].set_value(not has_values)
        if self._fields is not None:
            fields, had_values = self._fields
            if had_values != has_values:  # then it has another default
                fields = replace(fields, values={**fields.values, "repair": not has_values})
            dialog.set_fields(fields)
        dialog.recoveryRequested.connect(partial(self._request, dialog))
        dialog.setUpRequested.connect(partial(self._set_up_evaluation, dialog))
        self._scripts.serve(dialog.source, partial(self._check_source, dialog))
        yield from Ask(dialog)
        self._fields = dialog.fields(), has_values

    @flow
    def _check_source(self, dialog: RecoverDialog) -> Flow[None]:
        """Check the chosen source without running it, and offer what its script can do.

        Describe the script of a recovery if none is chosen, or if this one has no function for it.
        """
        source = dialog.source.source()
        script = yield from self._scripts.check(dialog.source)
        if not isValid(dialog) or dialog.source.source() != source:
            return
        distills = script is not None and script.may_define("calibrate")
        trains = script is not None and script.may_define("train")
        dialog.set_functions(
            distills=distills,
            trains=trains,
            evaluated_by="" if script is None else self._evaluated_by(script),
            found=script is not None,
        )
        if script is not None and not distills and not trains:
            text = self.tr(
                "'{name}' cannot recover a model: add calibrate(model), which runs inputs without "
                "labels, or train(model), your own training loop. New script… saves an example."
            )
            dialog.source.set_found(text.format(name=source_name(source)), trouble=True)
        elif source.kind is DataKind.SCRIPT and not source.path:
            dialog.source.set_found(
                self.tr(
                    "Choose a Python file with load(path), and calibrate(model), which runs inputs "
                    "without labels, or train(model), your own training loop. New script… saves "
                    "one to start from."
                )
            )

    def _evaluated_by(self, script: EvaluationScript) -> str:
        """Return a phrase on what evaluates the state before and after; "" if nothing does."""
        chosen = self._evaluation.chosen
        if not script.may_define("evaluate"):
            if chosen is None:
                return ""
            return self.tr("with {name}").format(name=source_name(chosen))
        if not script.builtin:
            return self.tr("by its evaluate()")
        if script.measures_other_images:
            return self.tr("with other images of it")
        return self.tr("with the training data")

    @flow
    def _set_up_evaluation(self, dialog: RecoverDialog) -> Flow[None]:
        """Ask how states are evaluated, and offer to evaluate before and after the recovery."""
        yield from self._evaluation.prepare()
        if isValid(dialog):
            self._check_source(dialog)

    # -- running --------------------------------------------------------------------------------

    @flow
    def _request(self, dialog: RecoverDialog) -> Flow[None]:
        """Recover the document as the dialog requests, and close the dialog.

        If the source cannot be used, the error is shown in the dialog.
        """
        document, source = self.document, dialog.source.source()
        self.session.check_may_work()
        self._scripts.remember(PURPOSE, source)
        trains, values = dialog.trains.isChecked(), dialog.values()
        position, snapshot = document.position, document.snapshot()
        unpruned = dialog.source.unpruned_path()
        agreed = yield from self._scripts.agree_to_script(source, dialog.source)
        try:
            settings = RecoverySettings(
                values["steps"],
                values["windows"],
                values["lr"],
                None if trains else agreed.options.limit,
                repair=values["repair"],
            )
        except ParameterError as error:  # a single sample
            dialog.source.set_found(translate_error(error), trouble=True)
            return
        request = RecoveryRequest(
            snapshot,
            settings,
            unpruned,
            trains=trains,
            evaluates=values[RecoverDialog.EVALUATES],
            parameters=self.session.contents.size.parameters,
            calibrated_with=self._evaluation.calibrated_with(document.position),
        )
        dialog.accept()
        self._recover(source, agreed, request, position)

    @flow
    def _recover(
        self, source: DataSource, agreed: AgreedScript, request: RecoveryRequest, position: int
    ) -> Flow[None]:
        """Recover the current state, and show a report.

        `position` is that of the state. The document is locked meanwhile. Nothing is changed if the
        recovery is cancelled, or if the user discards its result.
        """
        self.session.check_may_work()
        before = self.document.key_of(position)
        self._notifications.end(NoticeTopic.EVALUATION, NoticeTopic.PRUNING, NoticeTopic.RECOVERED)
        steps = 0 if request.trains else request.settings.steps
        run = RecoveryRun(agreed, request, lambda event: self._received.emit(run, event))
        self._run = run
        # It continues: the worker stores a checkpoint each minute.
        self._running = RunJob(
            self.tr("Recovery"), run.run, Lane.PROGRAM, continues=True, show=self._show_hidden
        )
        blocks = not request.trains and request.settings.windows
        self._show_panel(RecoveryProgress(steps, request.trains, blocks))
        running = PruneAppError(
            "A recovery is running.", remedy="Wait for it to finish, or cancel it."
        )
        began = time.monotonic()
        try:
            with self.lock_during(self._running, running):
                found = yield from self._running
                self._close_panel()
                accepted = yield from self._accept(found)
        except Cancelled:
            text = self.tr("Recovery cancelled: nothing was changed.")
            if time.monotonic() - began > _CONTINUES_AFTER_S:
                text = self.tr(
                    "Recovery cancelled; nothing changed. Rerun with the same settings to continue."
                )
            self._notifications.show_done(text)
            return
        finally:
            self._run = self._running = None
            self._close_panel()
        if not accepted:
            self._notifications.show_done(self.tr("Result discarded: nothing was changed."))
            return
        document, done = self.document, found.done
        self._compared, self._is_evaluating, self._recovered_by = None, False, source
        if done.proposal is not None:
            if not (state := self.session.commit(done.proposal, at=position)):
                return
            keys = before, document.key_of(state)
            self._keep_measurements(found, keys, source, evaluates=request.evaluates)
            if state != document.position:
                text = self.tr("The recovery is finished: {state}.")
                self._notifications.offer(
                    NoticeTopic.RECOVERED,
                    text.format(state=numbered_title(state, document.items[state])),
                    self.tr("Go to it"),
                    partial(self._go_to, keys[1], found, steps),
                )
                return
        self._show_report(found, steps)

    def _go_to(self, key: object, found: MeasuredRecovery, steps: int) -> None:
        """Go to the result of a recovery, and show its report; nothing if it was deleted."""
        if self.session.go_to(key):
            self._show_report(found, steps)

    def _accept(self, found: MeasuredRecovery) -> Flow[bool]:
        """Return whether to use a result; asks the user if a metric is worse."""
        if found.measured is None:
            return True
        before, after = found.measured
        pairs = [
            (was, now)
            for now in after.quality.metrics
            if now.judged and (was := before.quality.metric(now.name))
        ]
        harmed = [comparison_in_words(*pair) for pair in pairs if is_harmful(*pair)]
        return not harmed or bool((yield from Ask(HarmDialog(harmed, self._window))))

    def _keep_measurements(
        self,
        found: MeasuredRecovery,
        keys: tuple[object, object],
        source: DataSource,
        *,
        evaluates: bool,
    ) -> None:
        """Show the measurements before and after in the history, or prepare a later comparison.

        `keys` are those of the two states. They are evaluated now if the user has requested it, and
        the script of the recovery could not do it.
        """
        if found.measured is None:
            self._compared = keys
            if evaluates and found.unmeasured is None:
                self._is_evaluating = True
                self._evaluate()
        else:
            self._evaluation.adopt(source, dict(zip(keys, found.measured, strict=True)))

    # -- the running recovery -------------------------------------------------------------------

    def _show_panel(self, progress: RecoveryProgress) -> None:
        panel = self.panel = RecoveryPanel(progress, self._window)
        panel.pauseRequested.connect(self._on_pause)
        panel.stopRequested.connect(self._on_stop)
        panel.cancelRequested.connect(self._on_cancel)
        panel.rejected.connect(self._on_hidden)
        self._tables.connect_plot(panel.curves)
        self._theme.apply_to(panel)
        panel.show()

    def _on_hidden(self) -> None:
        panel = self.panel
        if panel is not None:
            self._notifications.offer(
                NoticeTopic.RECOVERED,
                self.tr("The recovery continues."),
                self.tr("Show"),
                self._show_hidden,
            )

    def _show_hidden(self) -> None:
        """Show the running recovery again, instead of the notice."""
        if self.panel is not None:
            self._notifications.end(NoticeTopic.RECOVERED)
            bring_to_front(self.panel)

    def _close_panel(self) -> None:
        panel, self.panel = self.panel, None
        if panel is not None:
            self._notifications.end(NoticeTopic.RECOVERED)
            panel.reject()
            panel.deleteLater()

    @Slot(object, object)
    def _on_event(self, run: RecoveryRun, event: dict[str, Any]) -> None:
        if run is not self._run or self.panel is None:
            return
        if event["what"] == "evaluating":
            self.panel.progress.can_be_stopped = False
            self.panel.refresh()
            return
        self.panel.progress.add(event)
        self.panel.schedule_refresh()

    @Slot(object)
    def _on_progressed(self, progress: JobProgress) -> None:
        running = self._running
        if self.panel is not None and running is not None and progress.title == running.title:
            self.panel.set_job(progress)

    @Slot(bool)
    def _on_pause(self, pause: bool) -> None:
        if self._run is not None:
            self._run.control("pause" if pause else "resume")

    @Slot()
    def _on_stop(self) -> None:
        if self._run is not None:
            self._run.control("stop")

    @Slot()
    def _on_cancel(self) -> None:
        if self._running is not None:
            self._jobs.cancel(self._running.task)

    @Slot()
    def _stop(self) -> None:
        """Cancel the running recovery, if there is one."""
        if self._running is not None:
            self._running.cancel()

    def _on_theme(self) -> None:
        if self.panel is not None:
            self._theme.apply_to(self.panel)

    # -- report ---------------------------------------------------------------------------------

    def _show_report(self, found: MeasuredRecovery, steps: int) -> None:
        done, source = found.done, self._recovered_by
        metrics: list[str] = []
        if found.measured is not None:
            before, after = (measurement.quality for measurement in found.measured)
            metrics = [
                comparison_in_words(was, now)
                for now in after.metrics
                if now.judged and (was := before.metric(now.name))
            ]
        elif self._is_evaluating and self._compared is not None:
            metrics = [
                self.tr(
                    "The metric before and after is shown here when the evaluation has finished."
                )
            ]
        dialog = RecoveryReportDialog(
            RecoveryProgress.of(done.events, steps, trains=done.source.method == "training"),
            sentence=translate_sentence(done.sentence()),
            losses=done.losses,
            metrics=metrics,
            risks=(
                *map(translate_sentence, done.notices),
                *(() if done.source.method == "training" else self._same_data(source)),
            ),
            notes=self._notes(done, source),
            changed=done.proposal is not None,
            short=self.session.contents.short,
            parent=self._window,
        )
        dialog.undoRequested.connect(self._undo)
        dialog.evaluateRequested.connect(self._evaluate)
        dialog.finished.connect(self._on_report_finished)
        self._tables.connect_plot(dialog.curves)
        self._theme.apply_to(dialog)
        self.report = dialog
        dialog.open()
        self._notifications.show_done(translate_sentence(done.sentence()))
        if found.unmeasured is not None:
            self._notifications.show_error(found.unmeasured)

    def _same_data(self, source: DataSource) -> tuple[str, ...]:
        return self._evaluation.same_data_warnings(source)

    def _notes(self, done: Recovery, source: DataSource) -> list[str]:
        """Return sentences about the inputs, the settings and the start of a recovery."""
        notes = [
            self.tr("Inputs: {source}. Training took {time}.").format(
                source=source_name(source), time=duration(done.seconds)
            )
        ]
        if done.source.method == "training":
            return notes
        if done.source.lr:
            text = self.tr("{n} samples, {held_out} of them held out; learning rate {lr}.")
            notes.append(
                text.format(
                    n=count(done.source.samples),
                    held_out=count(done.held_out),
                    lr=number(done.source.lr),
                )
            )
        if done.source.repaired:
            notes.append(self.tr("It started from a sequential repair."))
        if (peak := RecoveryProgress.of(done.events, 0).peak) is not None:
            text = self.tr("The held-out error first rose to {error}, and then fell.")
            notes.append(text.format(error=number(peak)))
        return [" ".join(notes)]

    # -- evaluation -----------------------------------------------------------------------------

    def _evaluate(self) -> None:
        if self._compared is not None:
            self._evaluation.evaluate_keys([*self._compared])

    def _compare(self) -> None:
        """Show a notice with the metric before and after, once both states are evaluated.

        It is shown once for each recovery, and only while its result is the current state. If the
        metric is worse by more than the noise, undo is offered.
        """
        if self._compared is None:
            return
        metrics = self._evaluation.metrics_of(*self._compared)
        if metrics is None:
            return
        key, self._compared = self._compared[1], None
        document = self.session.document
        if document is None or document.history.key is not key:
            return
        before, after = metrics
        text = comparison_in_words(before, after)
        if self.report is not None and self.report.metrics:
            self.report.metrics[0].setText(text)
        if is_harmful(before, after):
            self._notifications.offer(
                NoticeTopic.RECOVERED, text, self.tr("Undo recovery"), self._undo
            )
        else:
            self._notifications.show_info(NoticeTopic.RECOVERED, text)

    def _on_changed(self, change: DocumentChanged) -> None:
        if not change.is_remark:  # the notice is about another state
            self._notifications.end(NoticeTopic.RECOVERED)

    # -- the document ---------------------------------------------------------------------------

    def on_closed(self) -> None:
        self._compared = self._fields = None
        self._stop()
        super().on_closed()
        if self.report is not None:
            self.report.reject()

    @Slot(int)
    def _on_report_finished(self, _result: int) -> None:
        if self.report is not None:
            self.report.deleteLater()
            self.report = None
