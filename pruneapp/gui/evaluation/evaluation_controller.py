"""Metrics of states: measured on demand by a script, stored, and shown in the history.

The script of the open file has one process, which is kept for further states until another script
is chosen or the file is closed. A command line is started for each state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import Signal

from pruneapp.document.document import Document
from pruneapp.document.edit import EditKind, Record
from pruneapp.errors import PruneAppError
from pruneapp.evaluation.metric import (
    MeasuredState,
    MetricChange,
    StateQuality,
    StepKind,
    measured_ancestors,
    step_kind,
)
from pruneapp.evaluation.report.results import StoredResult, calibration_of_state, results_in
from pruneapp.evaluation.runner import Conditions
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane, LatestTask
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.feature import Ask, Feature, Flow, RunJob, flow
from pruneapp.gui.document.history_model import StateResult
from pruneapp.gui.document.history_view import HistoryPanel
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.dialogs import EvaluateDialog
from pruneapp.gui.evaluation.measurement import (
    MeasuredCut,
    Measurement,
    ScriptChangedError,
    ScriptProcess,
    cut_hash,
    cuts_of_state,
    identify,
)
from pruneapp.gui.evaluation.script_controller import PURPOSE, Agreed, ScriptController
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from pruneapp.gui.widgets.engine_text import (
    numbered_title,
    translate_declared,
    translate_error,
    translate_sentence,
)
from pruneapp.gui.widgets.labels import join_names, join_sentences, with_label, with_note
from pruneapp.gui.widgets.reports import (
    conditions_in_words,
    cuts_in_words,
    metric_in_words,
    quality_in_words,
    result_in_words,
)
from pruneapp.methods import registry
from pruneapp.progress import Cancelled
from pruneapp.sessions.restore import EVALUATION


class EvaluationController(Feature[EvaluateDialog]):
    """Measures states with the source that the user chose for the file.

    States are identified by the keys of their records (see `Record`), and results by the hashes of
    states, so that undoing and redoing a step loses no result.
    """

    commands: ClassVar = {
        "evaluate": "ask",
        "evaluate_state": "evaluate_state",
        "evaluate_all": "evaluate_all",
    }

    measured = Signal()  # the results have changed

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        scripts: ScriptController,
        history: HistoryPanel,
    ) -> None:
        super().__init__(context, session)
        self._scripts, self._history = scripts, history
        self.metric = ""  # name of the metric that is shown; empty for the first
        self._source: DataSource | None = None  # the source chosen for the open file
        # Whether `_source` was chosen for a scan only: states are not evaluated with it unless
        # asked.
        self._is_for_scan_only = False
        self._process: ScriptProcess | None = None
        # processes of scans with other sources, until `release`
        self._of_scans: list[ScriptProcess] = []
        self._ending: list[ScriptProcess] = []
        # hash of the present script, interpreter and options; empty until it has measured
        self._evaluation = ""
        self._results: dict[tuple[str, str], StateQuality] = {}  # by hash of state and evaluation
        self._conditions: dict[str, Conditions] = {}  # by hash of evaluation, the latest last
        self._data: dict[str, str] = {}  # names of data, see `data_of`, by hash of evaluation
        self._state_hashes: dict[object, str] = {}  # hashes of states, by the keys of records
        self._queue: list[object] = []
        self._count = 0  # number of states that were queued together
        self._measuring: RunJob[Measurement] | None = None
        self._current: object = None  # key of the state that is being measured
        self._shown_running = False  # whether the history shows that it has begun
        # Multiply-adds: whether they are being counted, and why they cannot be.
        self._counting = False
        self._count_error = ""
        self._identity = LatestTask(context.jobs)
        self._change = LatestTask(context.jobs)
        history.measureRequested.connect(self._on_requested)
        session.changed.connect(self._refresh)
        context.jobs.listChanged.connect(self._on_jobs_changed)

    # -- commands -------------------------------------------------------------------------------

    def ask(self) -> None:
        """Ask the user for a source, and measure the current state with it."""
        self._choose(self._keys_at([self._position]))

    def evaluate_state(self) -> None:
        """Measure the current state."""
        self._measure(self._keys_at([self._position]))

    def evaluate_all(self) -> None:
        """Measure all states without an up-to-date result; show a text if there are none."""
        found = {key: self._result_of(key) for key in self._keys}
        left = [key for key, known in found.items() if known is None or known[1]]
        if found and not left:
            self._notifications.show_done(self.tr("All states have been evaluated already."))
        self._measure(left)

    def evaluate_keys(self, keys: list[object]) -> None:
        """Measure the states with the given record keys that have no up-to-date result.

        Keys that no longer exist are ignored.
        """
        left = [key for key in keys if key in self._keys and self.quality_of(key) is None]
        self._measure(left)
        if not left:
            self.measured.emit()

    def prepare(
        self, *, measures: bool = True, state: int | None = None
    ) -> Flow[ScriptProcess | None]:
        """Return the process that evaluates states; for `yield from`.

        The user chooses a source first if there is none, and agrees to its script. None if the user
        cancels. With `measures`, `state` is measured with a source chosen now; None for the current
        one.
        """
        state = self._position if state is None else state
        if self._source is None or self._is_for_scan_only:
            if self.dialog is None:
                keys = self._keys_at([state]) if measures else None
                yield from Ask(self._make_dialog(keys), self)
                yield None  # the chosen source is stored after the dialog is closed
        elif self._process is None:
            agreed = yield from self._scripts.agree_to(self._source)
            self._begin(self._source, agreed, [] if measures else None)
        return self._process

    def _on_requested(self, number: int) -> None:
        self._measure(self._keys_at([number]))

    def _choose(self, keys: list[object]) -> None:
        """Open the dialog, which measures the states with these keys once a source is chosen.

        Does nothing if it is open already, or if the document is locked.
        """
        if self.dialog is None and self.session.may_work():
            self.open_dialog(self._make_dialog(keys))

    def _make_dialog(self, keys: list[object] | None) -> EvaluateDialog:
        """Return the dialog in which a source is chosen, which then measures states by `keys`.

        With None it is for tracing: nothing is measured, and there is no command line to choose.
        """
        source, traces = self.chosen or self._scripts.source(PURPOSE), keys is None
        kinds = self._scripts.kinds if traces else self.kinds
        dialog = EvaluateDialog(kinds, source, self._window, traces=traces)
        dialog.evaluateRequested.connect(partial(self._on_chosen, dialog, keys))
        self._scripts.serve(dialog.choice)
        return dialog

    @flow
    def _on_chosen(
        self, dialog: EvaluateDialog, keys: list[object] | None, source: DataSource
    ) -> Flow[None]:
        agreed = yield from self._scripts.agree_to(source, dialog.choice)
        dialog.done(EvaluateDialog.DialogCode.Accepted)
        self._scripts.remember(PURPOSE, source)
        self._begin(source, agreed, keys)

    def process_for(self, source: DataSource, agreed: Agreed) -> ScriptProcess:
        """Return the process for a scan with a source that was agreed to; pass it to `release`.

        It is that of the evaluation if the source is the same. With another source, the scan has a
        process of its own, so that the results that are shown stay. If nothing was evaluated yet,
        the results of the scan are shown, and states are evaluated by its process once the same
        source is chosen for them.
        """
        is_first = self._source is None and not self._results
        if source != self._source and not is_first:
            process = ScriptProcess(agreed)
            self._of_scans.append(process)
            return process
        if self._process is None or self._process.agreed != agreed:
            self._end_process()
            self._process = ScriptProcess(agreed)
            self._source, self._is_for_scan_only = source, is_first or self._is_for_scan_only
        return self._process

    def release(self, process: ScriptProcess) -> None:
        """End a process of `process_for` unless it also evaluates states."""
        if process in self._of_scans:
            self._of_scans.remove(process)
            process.kill_on_cancel()
            self._close(process)

    def note(self, process: ScriptProcess, evaluation: str) -> None:
        """Store the evaluation hash that a process reported; ignore a process no longer used."""
        if process is self._process and evaluation != self._evaluation:
            self._evaluation = evaluation
            self._refresh()

    def keep(self, process: ScriptProcess, key: object, found: Measurement) -> None:
        """Store a result `found` of a scan under the `key` of a state.

        It is shown if it was measured like the results that are shown. Ignored if `process` is
        neither the present one nor that of a scan.
        """
        if process is self._process or (
            process in self._of_scans and found.evaluation == self.shown_evaluation
        ):
            self._store_result(key, found)
        elif process in self._of_scans:
            self._conditions = {found.evaluation: found.conditions} | self._conditions
            self._state_hashes[key] = found.state
            self._results[found.state, found.evaluation] = found.quality
        else:
            return
        self._refresh()

    def keep_cut(self, process: ScriptProcess, key: object, cut: str, found: MeasuredCut) -> None:
        """Store the result of a cut of a state, by the key of its record, like `keep`.

        `cut` identifies the cut: see `CutRequest.identity`. The conditions of the states stay: with
        a smaller vocabulary, the texts have another number of tokens.
        """
        if process is self._process:
            self._state_hashes[key] = found.state
            state, measured = cut_hash(found.state, cut), found.measurement
            conditions = self._conditions.get(measured.evaluation, measured.conditions)
            self._store_result(state, replace(measured, state=state, conditions=conditions))
            self._refresh()

    def cut_result(self, key: object, cut: str) -> tuple[StateQuality, bool] | None:
        """Return the result of a cut of a state, and whether it is outdated; None if none."""
        state = self._state_hashes.get(key)
        return None if state is None else self._result_of_state(cut_hash(state, cut))

    def adopt(self, source: DataSource, found: Mapping[object, Measurement]) -> None:
        """Store results that another process measured with a source, by the keys of states.

        The source becomes that of the file if none was chosen yet. Results of another source than
        that of the file are not stored.
        """
        if self._source is None:
            self._source, self._is_for_scan_only = source, False
        if source == self._source:
            for key, one in found.items():
                self._store_result(key, one)
            self._refresh()

    def _store_result(self, key: object, found: Measurement) -> None:
        self._evaluation = found.evaluation
        self._data[found.evaluation] = found.data
        self._conditions.pop(found.evaluation, None)
        self._conditions[found.evaluation] = found.conditions
        self._state_hashes[key] = found.state
        self._results[found.state, found.evaluation] = found.quality

    @flow
    def _measure(self, keys: list[object]) -> Flow[None]:
        """Measure states with the chosen source; ask the user for one first if there is none.

        `keys` are those of their records. States under way are not measured again, and others after
        them. Does nothing without keys.
        """
        if not keys:
            return
        if self._source is None or self._is_for_scan_only:
            self._choose(keys)
        elif self._process is not None:
            self._enqueue(keys)
        else:
            source = self._source
            agreed = yield from self._scripts.agree_to(source)
            self._begin(source, agreed, keys)

    def _begin(self, source: DataSource, agreed: Agreed, keys: list[object] | None) -> None:
        """Measure the unpruned model, then the states with these keys; nothing if that is None.

        A new process is started unless source and script are the same as before.
        """
        if source != self._source or self._process is None or self._process.agreed != agreed:
            self._end_process()
            self._process = ScriptProcess(agreed)
        self._source, self._is_for_scan_only = source, False
        if keys is not None:
            self._enqueue([None, *keys])  # the unpruned model first

    # -- measuring ------------------------------------------------------------------------------

    def _enqueue(self, keys: Iterable[object]) -> None:
        """Append states to the queue unless they are in it or under way; start measuring."""
        if not self._queue and self._measuring is None:
            self._count = 0
            self._notifications.end(NoticeTopic.EVALUATION)
        for key in dict.fromkeys(keys):
            under_way = self._measuring is not None and key is self._current
            if key not in self._queue and not under_way:
                self._queue.append(key)
                self._count += 1
        if self._measuring is None:
            self._measure_queue()
        else:
            self._refresh()

    @flow
    def _measure_queue(self) -> Flow[None]:
        """Measure the states in the queue one after the other, until one fails or is cancelled.

        Each result is stored and shown at once. Deleted states are skipped. The rest of the queue
        is dropped after an error, and if the process was replaced.
        """
        process, document = self._process, self.document
        while process is not None:
            keys = self._keys  # branches may have been deleted
            self._queue = [key for key in self._queue if key in keys]
            if not self._queue:
                break
            number, key = self._count - len(self._queue) + 1, self._queue.pop(0)
            title = self.tr("Evaluation")
            if self._count > 1:
                title = self.tr("Evaluation {n} of {count}").format(n=number, count=self._count)
            work = partial(
                process.measure,
                document.state_at(keys.index(key)),
                self.session.contents.size.parameters,
                calibrated_with=self.calibrated_with(keys.index(key)),
            )
            # States that were measured before are cached.
            again = partial(self._measure, [key, *self._queue])
            self._measuring = RunJob(title, work, Lane.PROGRAM, again, continues=self._count > 1)
            self._current = key
            self._refresh()
            try:
                found = yield from self._measuring
            except (PruneAppError, Cancelled) as error:
                if process is self._process:
                    self._on_not_measured(key, error)
                return
            if process is not self._process:
                return
            self._measuring = None
            self._store_result(key, found)
            self._notifications.end(NoticeTopic.EVALUATION)
            if key not in (keys := self._keys):
                continue  # the state was deleted
            number = keys.index(key)  # the current state may be another one by now
            label = numbered_title(number, document.items[number])
            for notice in found.notices:
                text = with_label(label, translate_sentence(notice))
                self._notifications.show_info(NoticeTopic.EVALUATION, text)
            if not self._queue:
                texts = result_in_words(label, found.quality, self.metric)
                self._notifications.show_done(*texts)
        self._refresh()

    def _on_not_measured(self, key: object, error: Exception) -> None:
        """Clear the queue, and show the error or how many states were evaluated.

        If the script has changed, the user is asked about it, and the queue starts again.
        """
        keys, self._queue, self._measuring = [key, *self._queue], [], None
        if isinstance(error, ScriptChangedError):
            self.forget_script()
            self._measure(keys)
            return
        if isinstance(error, PruneAppError):
            self._notifications.show_error(error, NoticeTopic.EVALUATION)
        else:
            words = self.tr("Evaluation stopped.")
            if self._count > 1:
                words = self.tr("Evaluation stopped: {n} of {count} states were evaluated.")
            done = self._count - len(keys)
            self._notifications.show_done(words.format(n=done, count=self._count))
        self._refresh()

    def calibrated_with(self, state: int) -> frozenset[str]:
        """Return the names of the data that a state of the history was calibrated with."""
        document = self.session.document
        if document is None:
            return frozenset()
        history = document.history
        return frozenset(calibration_of_state(history.records, history.branches, state))

    def recount_multiply_adds(self) -> None:
        """Count multiply-adds, even if that failed before."""
        self._count_error = ""
        self.count_multiply_adds()

    @flow
    def count_multiply_adds(self) -> Flow[None]:
        """Count the multiply-adds of measured states whose number is not known yet.

        Only states with an up-to-date result count. Does nothing while counting, without a process,
        or after an error, which `uncounted_text` contains (see `recount_multiply_adds`).
        """
        document, process, keys = self.document, self._process, self._keys
        if process is None or self._counting or self._count_error:
            return
        known = {number: self._result_of(key) for number, key in enumerate(keys)}
        todo = [
            number
            for number, found in known.items()
            if found is not None and not found[1] and found[0].multiply_adds is None
        ]
        if not todo:
            return
        self._counting = True
        self.measured.emit()
        work = partial(process.count, [document.state_at(number) for number in todo])
        counts, count_error = list[int](), ""
        try:
            title, again = self.tr("Counting multiply-adds"), self.recount_multiply_adds
            counts = yield from RunJob(title, work, Lane.PROGRAM, again)
        except ScriptChangedError:
            if process is self._process:
                self._counting = False
                self.forget_script()
            return
        except PruneAppError as error:
            count_error = translate_error(error)
        except Cancelled:
            count_error = self.tr("Counting was stopped. Choose the axis again.")
        if process is not self._process:
            return
        self._counting, self._count_error = False, count_error
        for number, sums in zip(todo, counts, strict=False):
            found = self._state_hashes[keys[number]], self._evaluation
            if found in self._results:
                self._results[found] = replace(self._results[found], multiply_adds=sums)
        self._refresh()

    def check_script(self) -> None:
        """Check in the background whether the user's script has changed since it was allowed.

        If so, and nothing is being measured, its process ends and its results are outdated.
        """
        process = self._process
        if process is None:
            return

        def found(unchanged: bool) -> None:
            if process is self._process and not unchanged and self._measuring is None:
                self.forget_script()

        self._change.start(lambda _job: process.unchanged, found)

    def forget_script(self) -> None:
        """Mark all results as outdated; the user is asked before the new script runs."""
        self._end_process()
        self._evaluation = ""
        self._refresh()

    def _end_process(self) -> None:
        """End the process of the script in the background; does nothing if there is none.

        Its measurements, running or queued, are cancelled. Results and the chosen source are kept.
        """
        process, self._process = self._process, None
        self._counting, self._count_error = False, ""
        task, self._measuring, self._queue = self._measuring, None, []
        if process is None:
            return
        process.kill_on_cancel()  # its results are no longer needed
        if task is not None:
            task.cancel()
        self._close(process)

    def _close(self, process: ScriptProcess) -> None:
        """Close a process in the background."""
        self._ending.append(process)

        def ended(_: None) -> None:
            self._ending.remove(process)

        self._jobs.run(
            lambda _job: process.close(),
            on_result=ended,
            on_error=self._notifications.show_error,
            lane=Lane.PROGRAM,
        )

    def stop(self) -> None:
        """Make a cancelled job kill the script at once; call `end` after the jobs have ended."""
        for process in filter(None, (self._process, *self._of_scans)):
            process.kill_on_cancel()

    def end(self) -> None:
        """Close all remaining processes and wait for them. No job may use them any more."""
        process, self._process = self._process, None
        for left in filter(None, (process, *self._of_scans, *self._ending)):
            left.close()
        self._of_scans.clear()
        self._ending.clear()

    def on_closed(self) -> None:
        self._end_process()
        super().on_closed()
        self._source, self._is_for_scan_only, self._evaluation, self.metric = None, False, "", ""
        self._results.clear()
        self._conditions.clear()
        self._data.clear()
        self._state_hashes.clear()
        self._identity.cancel()
        self._change.cancel()
        self._history.set_results(())
        self.measured.emit()

    # -- session files ----------------------------------------------------------------------------

    @property
    def stored_results(self) -> list[StoredResult]:
        """All results, also outdated ones; those of the latest evaluation are the last."""
        return [
            StoredResult(state, evaluation, conditions, quality)
            for evaluation, conditions in self._conditions.items()
            for (state, of), quality in self._results.items()
            if of == evaluation
        ]

    @property
    def state_hashes(self) -> dict[int, str]:
        """The hashes of states by number, as far as they are known."""
        keys = enumerate(self._keys)
        return {n: self._state_hashes[key] for n, key in keys if key in self._state_hashes}

    def read(self) -> Mapping[str, Any]:
        """Return the results to store in a session file; empty if there are none."""
        kept = self.stored_results
        return {EVALUATION: kept} if kept else {}

    def show(self, view: Mapping[str, Any]) -> None:
        """Add the results of a session file, outdated until the same script is chosen again.

        Results of a state that are known already are replaced. Invalid data is ignored.
        """
        kept = results_in(view)
        self._results |= {(one.state, one.evaluation): one.quality for one in kept}
        self._conditions |= {one.evaluation: one.conditions for one in kept}
        self._refresh()

    @property
    def results(self) -> Mapping[object, object]:
        """The results that closing without a session would lose, by state and evaluation.

        Without durations and counts, which differ in each evaluation.
        """
        return {
            key: (quality.sparsity, tuple(m for m in quality.metrics if m.judged))
            for key, quality in self._results.items()
        }

    # -- results --------------------------------------------------------------------------------

    @property
    def _position(self) -> int:
        document = self.session.document
        return -1 if document is None else document.position

    @property
    def _keys(self) -> list[object]:
        """The record keys of all states by index; None for the opened file."""
        document = self.session.document
        return [] if document is None else [None, *(r.key for r in document.history.records)]

    def _keys_at(self, numbers: Iterable[int]) -> list[object]:
        keys = self._keys
        return [keys[number] for number in numbers if 0 <= number < len(keys)]

    @property
    def is_measuring(self) -> bool:
        return self._measuring is not None

    def states(self) -> tuple[MeasuredState, ...]:
        """Return the states that have a result under the conditions shown, oldest first.

        Outdated results are included. Empty if there is no document.
        """
        document = self.session.document
        if document is None or not self._results:
            return ()
        kinds = ["", *map(self.kind_of, document.history.records)]
        steps = [StepKind.OTHER, *map(step_kind, document.history.records)]
        known = [self._result_of(key) for key in self._keys]
        measured = {number for number, found in enumerate(known) if found}
        joined = measured_ancestors(document.history.branches, len(kinds), measured)
        found = enumerate(zip(known, document.items, kinds, strict=True))
        return tuple(
            MeasuredState(
                number,
                numbered_title(number, item),
                *result,
                kind,
                joined[number],
                steps[number],
                item.note,
                self._cuts_of(self._keys[number]),
            )
            for number, (result, item, kind) in found
            if result is not None
        )

    def kind_of(self, record: Record) -> str:
        """Return the methods of a record as text, or what else it is: such as "Repair"."""
        if record.step is not None and record.step.data:
            return self.tr("Allocation")
        if record.step is not None:
            rows = record.step.rows
            kind = join_names(
                *dict.fromkeys(translate_declared(registry.get(r.method).label) for r in rows)
            )
            several = self.tr("{method}, several rules")
            return kind if len(rows) == 1 else several.format(method=kind)
        kinds = {EditKind.REPAIR: self.tr("Repair"), EditKind.RECOVERY: self.tr("Recovery")}
        return kinds.get(record.kind, self.tr("other"))

    @property
    def kinds(self) -> tuple[DataKind, ...]:
        """The kinds of sources that can measure the states of the open file."""
        script, *built_in = self._scripts.kinds
        return script, DataKind.COMMAND, *built_in

    @property
    def source(self) -> DataSource | None:
        """The source chosen for the open file; None until one is chosen."""
        return self._source

    @property
    def chosen(self) -> DataSource | None:
        """The source that states are evaluated with; None until the user has chosen it for them."""
        return None if self._is_for_scan_only else self._source

    @property
    def seconds(self) -> float | None:
        """Duration of the last evaluation of a state; None if only the unpruned model was run."""
        return None if self._process is None else self._process.seconds

    @property
    def data(self) -> str:
        """Name of the data of the results that are shown, see `data_of`; empty if unknown."""
        found = self.shown_conditions
        if found is not None and found.kind == "text" and found.data_sha256:
            return f"text:{found.data_sha256}"  # also of results of a session
        return self._data.get(self.shown_evaluation, "")

    @property
    def evaluation(self) -> str:
        """Hash of the present script, interpreter and options; empty until it has measured."""
        return self._evaluation

    def quality_of(self, key: object) -> StateQuality | None:
        """Return the up-to-date result of a state, by the key of its record; None if none."""
        found = self._result_of(key)
        return None if found is None or found[1] else found[0]

    def metrics_of(self, *keys: object) -> tuple[MetricChange, ...] | None:
        """Return the shown metric of states, by the keys of their records.

        None if one of them has no up-to-date result with this metric.
        """
        qualities = [self.quality_of(key) for key in keys]
        found = [None if q is None else q.metric(self.metric) for q in qualities]
        return None if None in found else tuple(m for m in found if m is not None)

    def same_data_warnings(self, calibration: DataSource) -> tuple[str, ...]:
        """Return warnings if states are evaluated on the data of a calibration, as far as known.

        There is at most one. What data a script uses is unknown, so there is none for scripts.
        """
        measured = self._source
        if measured is None or (measured.kind, measured.path) != (
            calibration.kind,
            calibration.path,
        ):
            return ()
        text = {
            DataKind.TEXT: self.tr(
                "The model is evaluated on its calibration text, so the metric is better than "
                "on other texts."
            ),
            DataKind.IMAGES: self.tr(
                "Without labels, the agreement is measured on the calibration images, so it is "
                "higher than on other images. Accuracy is measured on images that were not used "
                "for calibration."
            ),
        }.get(calibration.kind)
        return () if text is None else (text,)

    def comparable_results(
        self, *numbers: int | None
    ) -> tuple[tuple[StateQuality | None, ...], bool]:
        """Return the results of states from one evaluation, and whether that is outdated.

        It is the evaluation that measured most of the states; among equals the present one, then
        the latest. An entry is None for a state that it did not measure, and for a number that is
        None or no state of the history.
        """
        keys = dict(enumerate(self._keys))
        known = [self._state_hashes.get(keys[n]) if n in keys else None for n in numbers]
        evaluations = [self._evaluation, *(of for _, of in reversed(self._results))]
        chosen = max(evaluations, key=lambda of: sum((s, of) in self._results for s in known))
        found = tuple(None if s is None else self._results.get((s, chosen)) for s in known)
        return found, chosen != self._evaluation

    @property
    def shown_evaluation(self) -> str:
        """Hash of the evaluation whose results are shown: the present one, or else the latest.

        Results under different conditions are never shown together.
        """
        if self._evaluation in self._conditions:
            return self._evaluation
        return next(reversed(self._conditions), "")

    @property
    def shown_conditions(self) -> Conditions | None:
        """The conditions of the results that are shown; None if there are none."""
        return self._conditions.get(self.shown_evaluation)

    @property
    def conditions(self) -> str:
        """The conditions of the results that are shown, as text; empty if there are none."""
        found = self.shown_conditions
        return "" if found is None else conditions_in_words(found)

    @property
    def why_old(self) -> str:
        """Sentences that say why results are outdated, and what to do."""
        if self._source is None:
            return self.tr(
                "Measured before this file was opened. These results apply again after one state "
                "is evaluated ({keys}) with the same script, data and options."
            ).format(keys=self._actions.shortcut_or_path("evaluate_state"))
        if not self._evaluation and self._measuring is not None:
            return self.tr("Measured earlier.")  # whether alike is known after the first result
        return self.tr("Measured with another script, Python or options.")

    @property
    def uncounted_text(self) -> str:
        """Sentences that say why multiply-adds are not known."""
        if self._process is None:
            return self.tr(
                "Multiply-adds are counted by the script: evaluate a state again ({keys}) to "
                "count them."
            ).format(keys=self._actions.shortcut_or_path("evaluate_state"))
        return self._count_error or self.tr("Counting multiply-adds…")

    @property
    def has_results(self) -> bool:
        """Whether any state of the open file was measured."""
        return bool(self._results)

    def show_metric(self, name: str) -> None:
        self.metric = name
        self._refresh()

    def _result_of(self, key: object) -> tuple[StateQuality, bool] | None:
        """Return the result of a state under the conditions shown, and whether it is outdated."""
        return self._result_of_state(self._state_hashes.get(key, ""))

    def _result_of_state(self, state: str) -> tuple[StateQuality, bool] | None:
        shown = self.shown_evaluation
        found = self._results.get((state, shown))
        return None if found is None else (found, shown != self._evaluation)

    def _cuts_of(self, key: object) -> tuple[StateQuality, ...]:
        """Return the results of cuts of a state under the conditions shown."""
        state = self._state_hashes.get(key, "")
        return cuts_of_state(self._results, state, self.shown_evaluation)

    def _other_results_text(self, key: object) -> str:
        """Return sentences with the results of a state under other conditions, "" if none."""
        shown, state = self.shown_evaluation, self._state_hashes.get(key)
        return join_sentences(
            *(
                with_label(
                    conditions_in_words(self._conditions[evaluation]),
                    self.tr("{words}.").format(words=quality_in_words(quality, self.metric)),
                )
                for (of, evaluation), quality in self._results.items()
                if of == state and evaluation != shown
            )
        )

    @property
    def _is_running(self) -> bool:
        """Whether the measurement has begun: it may have to wait for another job."""
        state = None if self._measuring is None else self._jobs.state_of(self._measuring.task)
        return state is not None and state.is_running

    def _on_jobs_changed(self) -> None:
        if self._is_running and not self._shown_running:
            self._refresh()

    def _refresh(self, _change: object = None) -> None:
        """Show the results in the history, and emit `measured`. Hash states without a hash.

        Does nothing before a source is chosen or a result is known.
        """
        if self.session.document is None or (self._source is None and not self._results):
            return
        waits = self._waiting
        self._history.set_results([self._shown(key, waits) for key in self._keys])
        self._shown_running = self._is_running
        self.measured.emit()
        self._identify()

    def pending_text(self, number: int | None) -> str:
        """Return that a state is being evaluated, or waits for it; "" for others and for None."""
        keys = dict(enumerate(self._keys))
        return "" if number not in keys else self._pending(keys[number], self._waiting)[0]

    @property
    def _waiting(self) -> set[int]:
        """The ids of the keys of states that are being evaluated or in the queue."""
        return {*map(id, self._queue), *(() if self._measuring is None else (id(self._current),))}

    def _pending(self, key: object, waits: set[int]) -> tuple[str, str]:
        """Return a phrase and a word for a state in `_waiting`; "" twice for others."""
        if id(key) not in waits:
            return "", ""
        if key is self._current and self._is_running:
            return self.tr("being evaluated"), self.tr("running")
        return self.tr("waiting to be evaluated"), self.tr("queued")

    def _shown(self, key: object, waits: set[int]) -> StateResult:
        found = self._result_of(key)
        words, pending = self._pending(key, waits)
        cuts = cuts_in_words(self._cuts_of(key), self.metric)
        if pending:
            return StateResult((), words, pending=pending)
        if found is None:
            words = self.tr("not evaluated")
            if otherwise := self._other_results_text(key):
                words = self.tr("evaluated with another script, data or options only")
                remedy = self.tr("Evaluate all states ({keys}) to compare them.").format(
                    keys=self._actions.shortcut_or_path("evaluate_all")
                )
                words = join_sentences(self.tr("{words}.").format(words=words), otherwise, remedy)
            return StateResult((), "\n".join(filter(None, (words, cuts))))
        quality, is_old = found
        words = with_note(quality_in_words(quality, self.metric), self.conditions)
        if is_old:
            words = join_sentences(self.tr("{words}.").format(words=words), self.why_old)
        first = quality.metric(self.metric)
        others = (metric_in_words(quality, m.name) for m in quality.metrics if m is not first)
        lines = filter(None, (words, *others, cuts))
        return StateResult(quality.metrics, "\n".join(lines), is_old=is_old)

    def _identify(self) -> None:
        """Hash a state without a hash in the background: it may equal one with a result.

        States follow one after the other. Does nothing without results, or while a state is hashed.
        """
        document = self.session.document
        if document is None or not self._results or self._identity.task is not None:
            return
        for number, key in enumerate(self._keys):
            if key not in self._state_hashes:
                self._identity.start(
                    partial(identify, document.state_at(number)),
                    partial(self._on_identified, document, key),
                    lane=Lane.BACKGROUND,
                )
                return

    def _on_identified(self, document: Document, key: object, state: str) -> None:
        if document is self.session.document:
            self._state_hashes[key] = state
            self._refresh()
