"""Measure a frontier, sparsity against metric with and without recovery, on the page Quality."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import msgspec
from PySide6.QtCore import Signal

from pruneapp.document.document import Document
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.errors import JsonError, ParameterError, PruneAppError
from pruneapp.evaluation.frontier import POINTS, Frontier, FrontierRequest, measure_frontier
from pruneapp.evaluation.frontier import can_continue as can_continue_frontier
from pruneapp.evaluation.recovery import DEFAULT_STEPS, STEPS, RecoverySettings
from pruneapp.evaluation.scan import read_amounts
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.document.feature import Ask, Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.gui.evaluation.measurement import Measurement, measure_state
from pruneapp.gui.evaluation.script_controller import PURPOSE, AgreedScript, ScriptController
from pruneapp.gui.evaluation.source_choice import DataSource
from pruneapp.gui.method_form.form_controller import FormController, with_field_labels
from pruneapp.gui.plots.quality import FrontierCurve, QualityView
from pruneapp.gui.sensitivity.dialogs import FrontierDialog
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.engine_text import translate_error, translate_step
from pruneapp.json_codec import convert
from pruneapp.kernels.kernel import Kernel
from pruneapp.params import AmountParam
from pruneapp.progress import Cancelled, Job
from pruneapp.sessions.restore import FRONTIER


class KeptFrontier(msgspec.Struct, frozen=True):
    """A frontier as stored in sessions."""

    frontier: Frontier
    elsewhere: int = 0  # weights pruned in tensors that the step does not touch


@dataclass(frozen=True)
class _FrontierAdvance:
    """The points of a running frontier so far, with the states measured on the way."""

    document: Document
    frontier: Frontier
    start: tuple[DataSource, object, Measurement, Measurement] | None  # None after the first


@dataclass(frozen=True)
class FrontierRun:
    """Measures a frontier on the thread for programs; `tell` is called there after each point."""

    snapshot: Snapshot
    request: FrontierRequest
    agreed: AgreedScript
    kernel: Callable[[], Kernel]
    parameters: int  # number of parameters of the model
    calibrated_with: frozenset[str]  # names of the data that the state was calibrated with
    known: Frontier | None
    tell: Callable[[Frontier, tuple[Measurement, Measurement] | None], None]

    def __call__(self, job: Job) -> None:
        """Measure all points; the process is ended in any case.

        Raises the errors of `measure_frontier`.
        """
        from pruneapp.evaluation.evaluator import Evaluator
        from pruneapp.evaluation.runner import as_on_disk

        aside, told = Job(cancel=job.cancel), False
        with contextlib.closing(self.agreed.runner(aside)) as runner:
            runner.worker.kills_on_cancel = True  # the process may be killed: it is not used again
            evaluator, known = Evaluator(runner), self.known
            if known is not None and not can_continue_frontier(
                known, evaluator, self.snapshot, self.request, aside
            ):
                known = None
            for frontier in measure_frontier(
                evaluator, self.snapshot, self.request, job, kernel=self.kernel(), known=known
            ):
                start = None
                if not told and evaluator.baseline is not None:
                    states = (
                        (as_on_disk(self.snapshot), frozenset[str]()),
                        (self.snapshot, self.calibrated_with),
                    )
                    unpruned, current = (
                        measure_state(evaluator, state, self.parameters, aside, data)
                        for state, data in states
                    )
                    start, told = (unpruned, current), True
                self.tell(frontier, start)


class FrontierController(Feature[FrontierDialog]):
    """Measures a frontier of the step of the form, and shows it on the page Quality.

    The frontier measured last is shown, and stored in sessions; the same one continues.
    """

    commands: ClassVar = {"frontier": "ask"}

    measured = Signal()  # `results` have changed

    _advanced = Signal(object)  # (_FrontierAdvance) emitted on the worker thread

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        *,
        scripts: ScriptController,
        evaluation: EvaluationController,
        form: FormController,
        view: QualityView,
        show_page: Callable[[], None],
    ) -> None:
        super().__init__(context, session)
        self._scripts, self._evaluation, self._form = scripts, evaluation, form
        self._view, self._show_page = view, show_page
        self.frontier: Frontier | None = None
        self._elsewhere = 0  # weights pruned in tensors that the step does not touch
        self._running: RunJob[None] | None = None
        self._advanced.connect(self._on_advanced)
        view.frontierRequested.connect(self.ask)
        session.opening.connect(self._stop)

    @flow
    def ask(self) -> Flow[None]:
        """Ask for the points of a frontier of the step of the form; show why it is impossible."""
        self.session.check_may_work()
        if self._running is not None:
            raise PruneAppError(
                "A frontier is being measured.",
                remedy="Wait for it to finish, or press Esc to cancel it.",
            )
        try:
            step = self._form.step()
            FrontierRequest(step)  # raises if it does not suit
        except PruneAppError as error:
            raise with_field_labels(error) from error
        scope = f", {step.scope}" if step.scope == "global" else ""
        dialog = FrontierDialog(
            translate_step(step.rows[0].label(amount=False) + scope),
            ", ".join(map(AmountParam().format, POINTS)),
            self._scripts.kinds,
            self._scripts.source(PURPOSE),
            self._window,
            short=self.session.contents.short,
        )
        dialog.frontierRequested.connect(partial(self._request, dialog, step))
        self._scripts.serve(dialog.choice)
        yield from Ask(dialog)

    @flow
    def _request(self, dialog: FrontierDialog, step: Step) -> Flow[None]:
        """Measure the frontier that the dialog requests; an invalid setting is shown in it."""
        source, recover = dialog.choice.source(), str(dialog.recover.currentData())
        try:
            steps = STEPS.parse(dialog.steps.text()) if recover == "distillation" else DEFAULT_STEPS
            request = FrontierRequest(
                step,
                read_amounts(dialog.points_text),
                recover,  # type: ignore[arg-type]  # one of the data of the box
                RecoverySettings(steps=steps),
            )
        except ParameterError as error:
            text = translate_error(error, (STEPS, AmountParam(name="amounts", label="Sparsities")))
            dialog.choice.set_found(text, trouble=True)
            return
        agreed = yield from self._scripts.agree_to_script(source, dialog.choice)
        dialog.done(FrontierDialog.DialogCode.Accepted)
        self._scripts.remember(PURPOSE, source)
        self._measure(request, source, agreed)

    @flow
    def _measure(
        self, request: FrontierRequest, source: DataSource, agreed: AgreedScript
    ) -> Flow[None]:
        document = self.document
        snapshot, key = document.snapshot(), document.history.key
        touched = {*request.template.rows[0].names}
        others = [name for name in snapshot.masks if name not in touched]
        self._elsewhere = sum(snapshot.masks.counts(others))

        def tell(found: Frontier, start: tuple[Measurement, Measurement] | None) -> None:
            given = None if start is None else (source, key, *start)
            self._advanced.emit(_FrontierAdvance(document, found, given))

        work = FrontierRun(
            snapshot,
            request,
            agreed,
            self.session.kernel,
            self.session.contents.size.parameters,
            self._evaluation.calibrated_with(document.position),
            self.frontier,
            tell,
        )
        self._show_page()
        self._running = RunJob(self.tr("Frontier"), work, Lane.PROGRAM, continues=True)
        try:
            yield from self._running
        except Cancelled:
            self._notifications.show_done(
                self.tr("Stopped: measured points are kept; run it again to continue.")
            )
            return
        finally:
            self._running = None
        if self.frontier is not None:
            points = number_format.plural(
                len(self.frontier.points), self.tr("1 point"), self.tr("{n} points")
            )
            text = self.tr("Frontier measured: {points}.")
            self._notifications.show_done(text.format(points=points))

    def _on_advanced(self, advance: _FrontierAdvance) -> None:
        if advance.document is not self.session.document:
            return
        self.frontier = advance.frontier
        if advance.start is not None:
            source, key, unpruned, current = advance.start
            self._evaluation.adopt(source, {None: unpruned, key: current})
        self._show()
        self.measured.emit()

    # -- session files ----------------------------------------------------------------------------

    def read(self) -> Mapping[str, Any]:
        """Return the frontier to store in a session file; empty if there is none."""
        found = self.frontier
        return {} if found is None else {FRONTIER: KeptFrontier(found, self._elsewhere)}

    @property
    def results(self) -> Mapping[object, object]:
        """The results that closing without a session would lose, by sparsity."""
        points = () if self.frontier is None else self.frontier.points
        return {(FRONTIER, point.sparsity): point for point in points}

    def show(self, view: Mapping[str, Any]) -> None:
        """Show the frontier of a session file; invalid data is ignored."""
        if FRONTIER not in view:
            return
        try:
            kept = convert(view[FRONTIER], KeptFrontier)
        except JsonError:
            return  # the session was not written by this application
        self.frontier, self._elsewhere = kept.frontier, kept.elsewhere
        self._show()

    # -- plot -------------------------------------------------------------------------------------

    def _show(self) -> None:
        found = self.frontier
        if found is None:
            self._view.set_frontier(())
            return
        parameters = self.session.contents.size.parameters or 1
        curves = []
        for metric in found.metrics:
            for recovered in (False, True) if found.conditions.recover else (False,):
                curve = found.curve(metric.name, recovered=recovered)
                marked = recovered == bool(found.conditions.recover)
                knee = found.knee(metric.name) if marked else None
                at = next((n for n, (x, _) in enumerate(curve) if x == knee), -1)
                points = tuple(
                    ((x * found.weights + self._elsewhere) / parameters, y) for x, y in curve
                )
                curves.append(FrontierCurve(metric.name, recovered, points, at))
        self._view.set_frontier(curves)

    def _stop(self) -> None:
        if self._running is not None:
            self._running.cancel()

    def on_closed(self) -> None:
        self._stop()
        super().on_closed()
        self.frontier = None
        self._show()
