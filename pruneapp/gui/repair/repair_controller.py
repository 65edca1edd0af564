"""Repair the open model: collect statistics, solve the layers, and add a step to the history."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from shiboken6 import isValid

from pruneapp.document.document import DocumentChanged
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError, PruneAppError, SelectionError
from pruneapp.evaluation.calibrated_repair import (
    CalibratedRepair,
    RepairSettings,
    repair_by_script,
    repair_by_statistics,
)
from pruneapp.evaluation.collection import GRAM_BUDGET
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.feature import Ask, Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.gui.evaluation.script_controller import AgreedScript, ScriptController, open_unpruned
from pruneapp.gui.evaluation.source_choice import (
    DataKind,
    DataSource,
    SourceChoice,
    SourceFields,
    source_name,
)
from pruneapp.gui.method_form.editors import valid_values
from pruneapp.gui.method_form.form_controller import FormController
from pruneapp.gui.repair.dialogs import RepairDialog, RepairReportDialog
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.engine_text import (
    numbered_title,
    translate_error,
    translate_param,
    translate_sentence,
)
from pruneapp.gui.widgets.labels import join_names
from pruneapp.gui.widgets.reports import samples_in_words
from pruneapp.gui.widgets.typed_path import expand_home
from pruneapp.params import FlagParam, FloatParam, Interval, IntParam, SizeParam
from pruneapp.progress import Cancelled, Job
from pruneapp.repair.repair import PrunedLayer, inputs_in, pruned_layers
from pruneapp.repair.solve import DAMPING, ITERATIONS
from pruneapp.statistics.file import open_statistics, statistics_of

PURPOSE = "repair"
PARAMS = (
    IntParam(
        name="iterations",
        label="Iterations",
        help="Iterations of conjugate gradients. More iterations take longer and match the "
        "outputs on these inputs more closely.",
        default=ITERATIONS,
        bounds=Interval(1, 1000),
    ),
    FloatParam(
        name="damping",
        label="Damping",
        help="Added to the diagonal of the Gram matrix, relative to its mean. Higher values "
        "change the weights less.",
        default=DAMPING,
        bounds=Interval(1e-9, 1e3),
    ),
    FlagParam(
        name="norms",
        label="Adjust norm layers",
        help="Adjust the running variances of norm layers to the outputs of the repaired layers.",
        default=True,
    ),
    FlagParam(
        name="sequential",
        label="Sequential",
        help="Repair layers one after another, using inputs from the layers that are already "
        "repaired. Usually better. It is off by default because the data is run once more for "
        "each layer.",
    ),
    SizeParam(
        name="memory",
        label="Memory",
        help="Limit for the Gram matrices that are summed at once; with less memory, the inputs "
        "are run several times.",
        default=GRAM_BUDGET,
    ),
)


def layers_of(snapshot: Snapshot, source: DataSource, job: Job) -> tuple[PrunedLayer, ...]:
    """Return the pruned layers, each with whether its inputs are known from the source.

    Of a source that runs the model, the inputs of all layers count as known. Raises
    `ParameterError` without a statistics file, and the errors of `open_statistics` and `inputs_in`.
    """
    if source.runs:
        return pruned_layers(snapshot, job)
    with open_statistics(_statistics_in(source), job) as statistics:
        return pruned_layers(snapshot, job, inputs_in(statistics))


def _statistics_in(source: DataSource) -> Path:
    if not source.path:
        raise ParameterError("Choose a statistics file.")
    return expand_home(source.path)


def run_and_repair(
    agreed: AgreedScript, snapshot: Snapshot, settings: RepairSettings, unpruned: str, job: Job
) -> CalibratedRepair:
    """Run inputs through the model and return its repair; the process is ended in any case.

    `unpruned` is the path of the unpruned model; empty for the checkpoint of the state. Its process
    is killed if `job` is cancelled. Raises the errors of `repair_by_script` and `open_checkpoint`.
    """
    with open_unpruned(unpruned, job) as wanted, contextlib.closing(agreed.runner(job)) as runner:
        runner.worker.kills_on_cancel = True  # the process may be killed: it is not used again
        settings = replace(settings, wanted=wanted, seed=agreed.options.seed)
        return repair_by_script(runner, snapshot, settings, job)


def repair_by_file(
    path: Path, snapshot: Snapshot, settings: RepairSettings, unpruned: str, job: Job
) -> CalibratedRepair:
    """Return the repair by a statistics file; `unpruned` as in `run_and_repair`."""
    with open_unpruned(unpruned, job) as wanted:
        return repair_by_statistics(path, snapshot, replace(settings, wanted=wanted), job)


class RepairController(Feature[RepairDialog]):
    """Repairs the current state, as one step.

    `undo` undoes the last step. The dialog proposes the statistics that are loaded in `form`.
    `report` is the dialog shown after a repair; None if there is none.
    """

    commands: ClassVar = {"repair": "ask"}

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        scripts: ScriptController,
        evaluation: EvaluationController,
        *,
        undo: Callable[[], None],
        form: FormController,
    ) -> None:
        super().__init__(context, session)
        self._scripts = scripts
        self._evaluation = evaluation
        self._undo = undo
        self._form = form
        # The keys of the states before and after the last repair, until both are evaluated.
        self._compared: tuple[object, object] | None = None
        self._repaired_by = DataSource()
        # What the fields of the last dialog contained.
        self._fields: tuple[SourceFields, Mapping[str, Any]] | None = None
        self._survey: RunJob[tuple[PrunedLayer, ...]] | None = None
        self._repairing: RunJob[CalibratedRepair] | None = None
        self.report: RepairReportDialog | None = None
        session.opening.connect(self._stop)
        session.changed.connect(self._on_changed)
        evaluation.measured.connect(self._compare)

    # -- dialog ---------------------------------------------------------------------------------

    @flow
    def ask(self) -> Flow[None]:
        """Open the dialog; show an error if no layer is partly pruned. Waits until it is closed."""
        self.session.check_may_work()
        layers = yield from self._find_layers(partial(pruned_layers, self.document.snapshot()))
        if not layers:
            raise SelectionError(
                "No layer is partly pruned, so there is nothing to repair.",
                remedy="Prune first; zeros in the file count after Treat zeros as pruned.",
            )
        contents = self.session.contents
        kinds = (*self._scripts.kinds, DataKind.STATISTICS)
        dialog = RepairDialog(
            kinds,
            tuple(map(translate_param, PARAMS)),
            contents.shown,
            self._window,
            short=contents.short,
        )
        self._propose_source(dialog.source)
        if self._fields is not None:
            source, values = self._fields
            dialog.source.set_contents(source)
            for name, value in values.items():
                dialog.editors[name].set_value(value)
        dialog.set_layers(layers)
        dialog.repairRequested.connect(partial(self._request, dialog))
        self._scripts.serve(dialog.source, partial(self._check_source, dialog))
        yield from Ask(dialog)
        self._fields = dialog.source.contents(), valid_values(dialog.editors)
        self._cancel_survey()

    def _propose_source(self, choice: SourceChoice) -> None:
        """Show the source of the last repair of this file, or else the loaded statistics."""
        path = self._form.statistics_path
        choice.set_source(self._scripts.source(PURPOSE))
        if path is None:
            return
        choice.fields[DataKind.STATISTICS].setText(str(path))
        own = self._settings.own_sources(self.document.checkpoint.path)
        if PURPOSE not in own and statistics_of(self._form.statistics).grams:
            choice.set_source(DataSource(DataKind.STATISTICS, str(path)))

    def _find_layers(
        self, work: Callable[[Job], tuple[PrunedLayer, ...]]
    ) -> Flow[tuple[PrunedLayer, ...]]:
        """Return the result of `work` on a worker thread, cancelling the last call."""
        self._cancel_survey()
        self._survey = survey = RunJob("", work)
        return (yield from survey)

    def _cancel_survey(self) -> None:
        if self._survey is not None:
            self._survey.cancel()

    @flow
    def _check_source(self, dialog: RepairDialog) -> Flow[None]:
        """Check the chosen source without running anything, and show which layers are known.

        An error is shown below the source. A further call cancels this one.
        """
        source = dialog.source.source()
        if source.runs:
            self._scripts.look(dialog.source)
        try:
            layers = yield from self._find_layers(
                partial(layers_of, self.document.snapshot(), source)
            )
        except PruneAppError as error:
            if isValid(dialog):
                _refuse(dialog, error)
            return
        if not isValid(dialog):
            return  # it was closed, and deleted
        dialog.set_layers(layers)
        if not source.runs:
            known = sum(layer.known for layer in layers)
            text = number_format.plural(
                known,
                self.tr("It has statistics of 1 pruned layer."),
                self.tr("It has statistics of {n} pruned layers."),
            )
            dialog.source.set_found(text, trouble=not known)

    # -- repairing ------------------------------------------------------------------------------

    @flow
    def _request(self, dialog: RepairDialog) -> Flow[None]:
        """Repair the document as the dialog requests, and close the dialog.

        If the source cannot be used, the error is shown in the dialog.
        """
        source = dialog.source.source()
        self.session.check_may_work()
        self._scripts.remember(PURPOSE, source)
        values, unpruned = _settings(dialog.values()), dialog.source.unpruned_path()
        snapshot, position = self.document.snapshot(), self.document.position
        work: Callable[[Job], CalibratedRepair]
        if source.runs:
            agreed = yield from self._scripts.agree_to_script(source, dialog.source)
            work = partial(run_and_repair, agreed, snapshot, values, unpruned)
        else:
            try:
                path = _statistics_in(source)
            except ParameterError as error:
                _refuse(dialog, error)
                return
            work = partial(repair_by_file, path, snapshot, values, unpruned)
        dialog.accept()
        self._repair(source, work, position)

    @flow
    def _repair(
        self, source: DataSource, work: Callable[[Job], CalibratedRepair], position: int
    ) -> Flow[None]:
        """Compute a repair of the current state by `work`, apply it, and show a report.

        `position` is that of the state. The document is locked meanwhile. Nothing is changed if the
        repair is cancelled.
        """
        self.session.check_may_work()
        before = self.document.key_of(position)
        self._notifications.end(NoticeTopic.EVALUATION, NoticeTopic.PRUNING)
        self._repairing = RunJob(self.tr("Repair"), work, Lane.PROGRAM)
        running = PruneAppError(
            "A repair is running.", remedy="Wait for it to finish, or press Esc to cancel it."
        )
        try:
            with self.lock_during(self._repairing, running):
                done = yield from self._repairing
        except Cancelled:
            self._notifications.show_done(self.tr("Repair cancelled: nothing was changed."))
            return
        finally:
            self._repairing = None
        if not (state := self.session.commit(done.repair, at=position)):
            return
        document = self.document
        self._compared = before, document.key_of(state)
        self._repaired_by = source
        if state == document.position:
            self._show_report(done)
            return
        text = self.tr("The repair is finished: {state}.")
        self._notifications.offer(
            NoticeTopic.REPAIR,
            text.format(state=numbered_title(state, document.items[state])),
            self.tr("Go to it"),
            partial(self._go_to, self._compared[1], done),
        )

    def _go_to(self, key: object, done: CalibratedRepair) -> None:
        """Go to the result of a repair, and show its report; nothing if it was deleted."""
        if self.session.go_to(key):
            self._show_report(done)

    def _show_report(self, done: CalibratedRepair) -> None:
        contents, source = self.session.contents, self._repaired_by
        dialog = RepairReportDialog(
            done.repair.layers,
            risks=(
                *map(translate_sentence, done.risks),
                *self._evaluation.same_data_warnings(source),
            ),
            unknown=done.repair.unknown,
            source=join_names(
                source_name(source),
                *samples_in_words(done.samples, int(source.limit) if source.limit else None),
            ),
            solver=done.solver,
            sequential=done.sequential,
            shown=contents.shown,
            short=contents.short,
            parent=self._window,
        )
        dialog.undoRequested.connect(self._undo)
        dialog.evaluateRequested.connect(self._evaluate)
        dialog.finished.connect(self._on_report_finished)
        self._theme.apply_to(dialog)
        self.report = dialog
        dialog.open()
        self._notifications.show_done(dialog.headline.text())

    # -- evaluation -----------------------------------------------------------------------------

    def _evaluate(self) -> None:
        if self._compared is not None:
            self._evaluation.evaluate_keys([*self._compared])

    def _compare(self) -> None:
        """Show a notice if the metric is worse after the repair, once both states are evaluated.

        "Worse" is more than the noise. Otherwise warnings about the data are shown. Both are shown
        once for each repair, and only while its result is the current state.
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
        was, found = metrics
        if found.higher is None or not found.worse - was.worse > found.half:
            for sentence in self._evaluation.same_data_warnings(self._repaired_by):
                self._notifications.show_info(NoticeTopic.REPAIR, sentence)
            return
        text = self.tr("{name} is worse after the repair: {before} → {after}.")
        name = number_format.metric_title(found.name)
        before, after = number_format.metrics((was.value, found.value), share=found.share)
        self._notifications.offer(
            NoticeTopic.REPAIR,
            text.format(name=name, after=after, before=before),
            self.tr("Undo repair"),
            self._undo,
        )

    def _on_changed(self, change: DocumentChanged) -> None:
        if not change.is_remark:  # the notice is about another state
            self._notifications.end(NoticeTopic.REPAIR)

    # -- the document ---------------------------------------------------------------------------

    def _stop(self) -> None:
        if self._repairing is not None:
            self._repairing.cancel()

    def on_closed(self) -> None:
        self._compared = self._fields = None
        self._stop()
        super().on_closed()
        if self.report is not None:
            self.report.reject()

    def _on_report_finished(self, _result: int) -> None:
        if self.report is not None:
            self.report.deleteLater()
            self.report = None


def _refuse(dialog: RepairDialog, error: PruneAppError) -> None:
    """Show in the dialog why a source cannot be used."""
    dialog.source.set_found(translate_error(error), trouble=True)
    if not dialog.source.source().runs:
        dialog.set_layers([replace(layer, known=False) for layer in dialog.layers])


def _settings(values: Mapping[str, Any]) -> RepairSettings:
    memory = values["memory"]
    return RepairSettings(
        values["iterations"],
        values["damping"],
        values["norms"],
        GRAM_BUDGET if memory is None else memory,
        sequential=values["sequential"],
    )
