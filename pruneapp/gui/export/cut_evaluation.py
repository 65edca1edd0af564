"""Measure cuts that the page "Shrunk" shows, and show their progress and results there."""

from __future__ import annotations

import filecmp
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer

from pruneapp.document.document import Capture
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import JobState, Lane
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.gui.evaluation.measurement import MeasuredCut
from pruneapp.gui.evaluation.source_choice import DataKind
from pruneapp.gui.export.dialog import ExportDialog
from pruneapp.gui.export.shrink_controller import ShrinkForecasts, measure_cut
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import call_soon
from pruneapp.gui.widgets.engine_text import translate_error, translate_sentence
from pruneapp.gui.widgets.labels import join_sentences, with_label
from pruneapp.gui.widgets.reports import metric_in_words, value_in_words
from pruneapp.shrink.forecast import ShrinkForecast

_TRIAL_MS = 500  # interval at which the page shows the progress of a measurement


def has_same_text(first: Path, second: Path) -> bool:
    """Return whether two files have the same contents."""
    try:
        return first.samefile(second) or filecmp.cmp(first, second)
    except OSError:  # one does not exist, or is a folder
        return False


@dataclass(frozen=True, eq=False)
class ExportedState:
    """The state that a dialog exports, also after another state has become current."""

    capture: Capture
    key: object  # as `History.key`
    title: str


@dataclass(frozen=True, eq=False)
class Trial:
    """A cut that is being measured, or queued for it."""

    key: object  # of its state, as `History.key`
    cut: str  # identity of the cut
    run: RunJob[MeasuredCut]


class CutEvaluation(Feature[ExportDialog]):
    """Measures cuts of the state that the export dialog shows.

    A measurement continues when the dialog is closed, or opened for another state; a notification
    shows its result then.
    """

    def __init__(
        self, context: AppContext, session: OpenDocument, evaluation: EvaluationController
    ) -> None:
        super().__init__(context, session)
        self._evaluation = evaluation
        self._key: object = None  # as `History.key`, of the state of the dialog
        self._forecasts: ShrinkForecasts | None = None  # of the dialog
        # Sentences about evaluated cuts, as that of the worst sample, by state and cut.
        self._notices: dict[tuple[object, str], tuple[str, ...]] = {}
        self._trials: list[Trial] = []
        self._trial_timer = QTimer(self)
        self._trial_timer.setInterval(_TRIAL_MS)
        self._trial_timer.timeout.connect(self._show_trials)
        evaluation.measured.connect(self._show_metric)

    def serve(self, dialog: ExportDialog, of: ExportedState, forecasts: ShrinkForecasts) -> None:
        """Measure cuts that the user requests in a dialog that exports a state, until it closes."""
        self.dialog, self._key, self._forecasts = dialog, of.key, forecasts
        dialog.page.evaluateRequested.connect(partial(self._evaluate, of))
        dialog.page.cancelRequested.connect(partial(self._cancel, of.key))
        dialog.page.jobCancelRequested.connect(self._cancel_job)
        dialog.finished.connect(self._on_dialog_finished)
        self._show_metric()
        self._show_trials()

    def _on_dialog_finished(self) -> None:
        self.dialog = self._forecasts = None

    def _show_metric(self) -> None:
        """Show on the page the metric of the state, and that of the cut if it was evaluated."""
        if self.dialog is not None and self.session.document is not None:
            key = self._key
            found = self._evaluation.quality_of(key)
            metric = "" if found is None else value_in_words(found)
            self.dialog.page.set_metrics(metric, partial(self.text_of, key), self.same_text_warning)

    def _show_trials(self) -> None:
        """Show which cuts are being measured, or queued for it."""
        if self.dialog is None:
            return
        here: dict[str, JobState] = {}
        elsewhere = None
        for trial in self._trials:
            state = self.jobs.state_of(trial.run.task)
            if state is not None and trial.key is self._key:
                here[trial.cut] = state
            elsewhere = elsewhere or state
        self.dialog.page.set_trials(here, elsewhere)

    def _cancel(self, key: object, cut: str) -> None:
        """Cancel the measurement of a cut, running or queued, of the state with a key."""
        for trial in self._trials:
            if trial.key is key and trial.cut == cut:
                trial.run.cancel()
                return

    def _cancel_job(self, title: str) -> None:
        """Cancel the first running or queued job with this title."""
        state = next((s for s in self.jobs.states() if s.progress.title == title), None)
        if state is not None:
            self.jobs.cancel(state.key)
            self._show_trials()

    def text_of(self, key: object, forecast: ShrinkForecast) -> str:
        """Return sentences with the size and the metric of an evaluated cut; "" if it is not.

        `key` is the `History.key` of the state.
        """
        evaluation = self._evaluation
        result = evaluation.cut_result(key, forecast.request.identity())
        if result is None or forecast.before is None or forecast.after is None:
            return ""
        quality, is_old = result
        text = self.tr("After shrinking: {n} of {all} parameters; {metric}.")
        if quality.sparsity:
            text = self.tr(
                "After shrinking: {n} of {all} parameters, {share} of them pruned; {metric}."
            )
        words = text.format(
            n=number_format.count(forecast.after.parameters),
            all=number_format.count(forecast.before.parameters),
            share=number_format.percent(quality.sparsity),
            metric=metric_in_words(quality, evaluation.metric),
        )
        notices = self._notices.get((key, forecast.request.identity()), ())
        words = join_sentences(words, *map(translate_sentence, notices))
        return join_sentences(words, evaluation.why_old) if is_old else words

    def same_text_warning(self, forecast: ShrinkForecast) -> str:
        """Return a sentence if the kept tokens are those of the evaluation text; "" otherwise."""
        source = self._evaluation.chosen
        texts = forecast.request.texts
        if source is None or source.kind is not DataKind.TEXT:
            return ""
        if not any(has_same_text(Path(source.path), Path(text)) for text in texts):
            return ""
        return self.tr("The tokens were chosen from the evaluation data: other texts lose words.")

    @flow
    def _evaluate(self, of: ExportedState, wanted: ShrinkForecast) -> Flow[None]:
        """Measure a cut of a state, and show the metric on the page.

        The user chooses a source first if there is none. The measurement continues when the dialog
        is closed, or opened for another state; a notification shows its result then.
        """
        evaluation = self._evaluation
        surveyed = None if self._forecasts is None else self._forecasts.surveyed
        if surveyed is None:
            return
        process = yield from evaluation.prepare(state=self.document.state_of(of.key))
        if process is None:
            return
        key, cut = of.key, wanted.request.identity()
        state = self.document.state_of(key)
        work = partial(
            measure_cut,
            surveyed,
            wanted,
            process,
            self.document.state_at(state),
            self.session.contents.size.parameters,
            evaluation.calibrated_with(state),
            self.session.kernel,
        )
        run = RunJob(self.tr("Evaluating the shrunk model"), work, Lane.PROGRAM)
        trial = Trial(key, cut, run)
        self._trials.append(trial)
        self._trial_timer.start()
        call_soon(self, self._show_trials)  # when the job is in the queue
        try:
            found = yield from run
        except PruneAppError as error:
            if self.dialog is None:
                raise
            self.dialog.set_trouble(translate_error(error))
        else:
            self._notices[key, cut] = found.measurement.notices
            evaluation.keep_cut(process, key, cut, found)
            words = self.text_of(key, wanted)
            if words and (warning := self.same_text_warning(wanted)):
                words = join_sentences(words, warning)
            if words and (self.dialog is None or self._key is not key):
                self._notifications.show_done(with_label(of.title, words))
        finally:
            self._trials.remove(trial)
            if not self._trials:
                self._trial_timer.stop()
            self._show_trials()
