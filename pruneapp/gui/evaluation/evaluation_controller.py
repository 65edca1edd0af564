"""The metric of each state: measured on demand by a script, kept, and shown in the history.

One warm process belongs to the script of the open file, and ends with either; a command line is
started for each state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog

from pruneapp.checkpoint.io.upload import write_whole
from pruneapp.document.document import Document
from pruneapp.document.edit import EditKind, Record
from pruneapp.document.entries import Entry
from pruneapp.document.history import PastState
from pruneapp.errors import JsonError, PruneAppError
from pruneapp.evaluation.script import template_for
from pruneapp.export.provenance import calibration_data
from pruneapp.export.size_bounds import unpacked_size
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.dialogs import DialogController, save_path
from pruneapp.gui.app.jobs import LatestTask, Task, Urgency
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.history_view import HistoryStrip
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.dialogs import EvaluateDialog
from pruneapp.gui.evaluation.script_controller import (
    PURPOSE,
    Agreed,
    AgreedScript,
    ScriptController,
)
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
    quality_in_short,
    quality_in_words,
)
from pruneapp.json_codec import convert
from pruneapp.methods import registry
from pruneapp.progress import Job
from pruneapp.results.quality import (
    Conditions,
    HistoryMark,
    MeasuredState,
    MetricChange,
    StateQuality,
    made_of,
)
from pruneapp.sessions.restore import EVALUATION

if TYPE_CHECKING:  # imported with the first evaluation
    from pruneapp.evaluation.collection import WeightUses
    from pruneapp.evaluation.evaluator import Evaluator, Result


class ScriptChangedError(PruneAppError):
    """A script is another one than that which the person agreed to."""


@dataclass(frozen=True)
class Measurement:
    """What came of evaluating one state."""

    state: str  # its hash
    evaluation: str  # the hash of script, interpreter and options
    conditions: Conditions  # the same in words
    quality: StateQuality
    notices: tuple[str, ...]


class ScriptProcess:
    """The evaluator of a script; all but `hurry` and the properties in the thread of programs."""

    def __init__(self, agreed: Agreed) -> None:
        self.agreed = agreed
        self._evaluator: Evaluator | None = None
        self._uses: WeightUses | None = None
        self._hasty = False

    def evaluator(self, job: Job) -> Evaluator:
        """Return what measures; it is made first.

        Raises
        ------
        EvaluationError
            If there is no Python for it.
        ScriptChangedError
            If the script is another one by now.
        """
        from pruneapp.evaluation.evaluator import Evaluator

        if not self.unchanged:
            raise ScriptChangedError(
                f"'{self.agreed.name}' has changed.",
                remedy="Start the evaluation again to read the new version.",
            )
        if self._evaluator is None:
            self._evaluator = Evaluator(self.agreed.runner(Job(cancel=job.cancel)))
        if self._hasty:
            self._evaluator.runner.hurry()
        return self._evaluator

    def measure(
        self,
        past: PastState,
        parameters: int,
        job: Job,
        calibrated_with: frozenset[str] = frozenset(),
    ) -> Measurement:
        """Measure a state, and before all others the unpruned model.

        `calibrated_with` names the data that the state was made with, see `data_of`.

        Raises as `evaluator`, and `EvaluationError` if the script fails.
        """
        from pruneapp.evaluation.runner import conditions_of, data_of

        evaluator = self.evaluator(job)
        if evaluator.baseline is None:
            parts = job.parts(2)
            evaluator.measure_baseline(past.near, next(parts))
            job = next(parts)
        snapshot = past.load(Job(cancel=job.cancel))
        result = evaluator.measure(snapshot, job)
        pruned = sum(snapshot.masks.counts(snapshot.masks))
        baseline = evaluator.baseline
        quality = StateQuality(
            _changes(evaluator, result, data_of(evaluator.runner) in calibrated_with),
            pruned / (parameters or 1),
            unpruned=baseline is not None and result.key.state == baseline.first.key.state,
            remaining=parameters - pruned,
            nbytes=unpacked_size(snapshot, Job(cancel=job.cancel)),
        )
        if self._uses is not None:
            sums = self._uses.multiply_adds(snapshot, Job(cancel=job.cancel))
            quality = replace(quality, multiply_adds=sums)
        key, notices = result.key, result.measured.notices
        conditions = conditions_of(evaluator.runner)
        return Measurement(key.state, key.evaluation, conditions, quality, notices)

    def count(self, states: Sequence[PastState], job: Job) -> list[int]:
        """Return the multiply-adds of states; how often weights are used is counted once.

        Raises as `evaluator` and `count_uses`.
        """
        from pruneapp.evaluation.collection import count_uses

        runner, aside = self.evaluator(job).runner, Job(cancel=job.cancel)
        if self._uses is None:
            self._uses = count_uses(runner, states[0].load(aside), job)
        return [self._uses.multiply_adds(state.load(aside), aside) for state in states]

    @property
    def seconds(self) -> float | None:
        """How long one evaluation of the unpruned model took; None until that is known."""
        baseline = None if self._evaluator is None else self._evaluator.baseline
        return None if baseline is None else baseline.first.measured.seconds

    @property
    def script(self) -> tuple[str, int, int | None] | None:
        """SHA-256, seed and limit of a script of the person; None of what has its data apart."""
        agreed, evaluator = self.agreed, self._evaluator
        if evaluator is None or (isinstance(agreed, AgreedScript) and agreed.script.builtin):
            return None
        return evaluator.runner.sha256, evaluator.seed, evaluator.runner.options.limit

    @property
    def unchanged(self) -> bool:
        """Whether the script is still the one that the person agreed to; any thread may ask."""
        return self.agreed.unchanged

    def hurry(self) -> None:
        """Let what is cancelled end the process at once."""
        self._hasty = True
        if self._evaluator is not None:
            self._evaluator.runner.hurry()

    def close(self) -> None:
        """End the process."""
        if self._evaluator is not None:
            self._evaluator.close()


def _changes(evaluator: Evaluator, result: Result, calibrated: bool) -> tuple[MetricChange, ...]:
    return tuple(
        MetricChange(
            change.name,
            change.metric.value,
            change.original.value,
            change.band.half,
            change.band.words,
            change.higher,
            change.judged,
            change.metric.share,
            calibrated,
        )
        for change in evaluator.changes(result)
    )


def _word(name: str) -> str:
    """Return a name as it may stand in that of a Python file."""
    return re.sub(r"\W+", "_", name).strip("_") or "model"


class _Kept(msgspec.Struct, frozen=True):
    """A result in a session."""

    state: str
    evaluation: str
    conditions: Conditions
    quality: StateQuality


def identify(past: PastState, job: Job) -> str:
    """Return the hash of a state, under which its results are kept."""
    from pruneapp.evaluation.evaluator import state_sha256

    return state_sha256(past.load(Job(cancel=job.cancel)), job)


class EvaluationController(DialogController[EvaluateDialog]):
    """Measures states by what the person chose once for the file.

    States are told apart by the keys of their records, see `Record`, and results by the hashes of
    states, so that neither undo nor doing a step again loses one.
    """

    measured = Signal()  # `qualities` are others by now

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        scripts: ScriptController,
        history: HistoryStrip,
    ) -> None:
        super().__init__(context, session.closed)
        self._session, self._scripts, self._history = session, scripts, history
        self.metric = ""  # the name of the one that is shown; empty for the first
        self._source: DataSource | None = None  # what was chosen for the open file
        # Whether that was chosen for a scan alone: states are not evaluated on its data unasked.
        self._of_scan = False
        self._process: ScriptProcess | None = None
        self._ending: list[ScriptProcess] = []
        self._evaluation = ""  # the hash of what measures now; empty until it has
        self._results: dict[tuple[str, str], StateQuality] = {}  # by state and evaluation
        self._conditions: dict[str, Conditions] = {}  # of each evaluation, the latest last
        self._states: dict[object, str] = {}  # hashes, by the keys of records
        self._wanted: list[object] = []
        self._count = 0  # of the states that were asked for together
        self._under_way: Task[Measurement] | None = None
        self._current: object = None  # the key of the state that is under way
        # Multiply-adds: whether they are being counted, and why they cannot be.
        self._counting = False
        self._uncountable = ""
        self._identity = LatestTask(context.jobs)
        self._change = LatestTask(context.jobs)
        for name, call in {
            "evaluate": self.ask,
            "evaluate_state": self.evaluate_state,
            "evaluate_all": self.evaluate_all,
        }.items():
            context.actions[name].triggered.connect(call)
        history.measureRequested.connect(self._on_requested)
        session.changed.connect(self._refresh)
        session.closed.connect(self._on_closed)

    # -- what the person asks for ---------------------------------------------------------------

    def ask(self) -> None:
        """Let the person choose what measures, and measure the state in force by it."""
        self._choose(self._keys_at([self._position]))

    def evaluate_state(self) -> None:
        """Measure the state in force."""
        self._measure(self._keys_at([self._position]))

    def evaluate_all(self) -> None:
        """Measure all states that were not measured yet."""
        found = {key: self._found(key) for key in self._keys}
        left = [key for key, known in found.items() if known is None or known[1]]
        if found and not left:
            self._notifications.say_done(self.tr("All states have been evaluated already."))
        self._measure(left)

    def evaluate_keys(self, keys: list[object]) -> None:
        """Measure some states, by the keys of their records."""
        self._measure([key for key in keys if key in self._keys])

    def _on_requested(self, number: int) -> None:
        self._measure(self._keys_at([number]))

    def _choose(self, keys: list[object]) -> None:
        document = self._session.document
        if document is None or self.dialog is not None or not self._session.may_work():
            return
        source = self._scripts.source(PURPOSE)
        if self._source is not None and not self._of_scan:
            source = self._source
        dialog = EvaluateDialog(self.kinds, source, self._window)
        dialog.choice.set_folder(str(document.checkpoint.path.absolute().parent))
        dialog.choice.changed.connect(partial(self._look, dialog))
        dialog.evaluateRequested.connect(partial(self._on_chosen, dialog, keys))
        dialog.templateRequested.connect(partial(self._on_template, dialog, document))
        self.open(dialog)
        self._look(dialog)

    def _look(self, dialog: EvaluateDialog) -> None:
        def show(text: str, trouble: bool) -> None:
            if self.dialog is dialog:
                dialog.choice.set_found(text, trouble=trouble)

        self._scripts.look(dialog.choice.source(), show)

    def _on_template(self, dialog: EvaluateDialog, document: Document) -> None:
        """Save a script for the file where the person says, and choose it."""
        source = document.checkpoint.path.absolute()
        # The sample lies where the application is installed, which is no place for work.
        beside = Path.home() if self._session.is_sample else source.parent
        path = save_path(
            dialog,
            self.tr("New evaluation script"),
            self._session.folder("script", beside) / f"evaluate_{_word(source.stem)}.py",
            self.tr("Python files ({patterns})").format(patterns="*.py"),
            ".py",
        )
        if path is None:
            return
        self._session.note_folder("script", path)

        def write(job: Job) -> None:
            write_whole(path, template_for(document.checkpoint).encode(), job)

        def done(_: None) -> None:
            if self.dialog is dialog:
                python = dialog.choice.python.text().strip()  # as it was chosen
                dialog.choice.set_source(DataSource(DataKind.SCRIPT, str(path), python))
                dialog.choice.changed.emit()

        self._session.work(self.tr("Saving the script"), write, done)

    def _on_chosen(self, dialog: EvaluateDialog, keys: list[object], source: DataSource) -> None:
        def refused(error: PruneAppError) -> None:
            if self.dialog is dialog:
                dialog.choice.set_found(translate_error(error), trouble=True)

        def run(agreed: Agreed) -> None:
            if self.dialog is dialog:
                dialog.done(EvaluateDialog.DialogCode.Accepted)
                self._scripts.remember(PURPOSE, source)
                self._begin(source, agreed, keys)

        self.request(source, run, refused, parent=dialog)

    def request(
        self,
        source: DataSource,
        run: Callable[[Agreed], None],
        refused: Callable[[PruneAppError], None],
        parent: QDialog | None = None,
    ) -> None:
        """Call `run` with what was chosen, after the person agreed to it if it is new."""
        if source.kind is DataKind.COMMAND:
            self._scripts.request_command(source, run, refused=refused, parent=parent)
        else:
            self._scripts.request(source, run, refused=refused, parent=parent)

    def process_for(self, source: DataSource, agreed: Agreed) -> ScriptProcess:
        """Return the process of what was chosen for a scan and agreed to.

        States are evaluated by it only if the same was chosen for them.
        """
        process = self._process
        if process is None or source != self._source or process.agreed != agreed:
            self._drop()
            process = ScriptProcess(agreed)
            self._source, self._process, self._of_scan = source, process, True
        return process

    def note(self, process: ScriptProcess, evaluation: str) -> None:
        """Take the hash of script, interpreter and options by which a process measures."""
        if process is self._process and evaluation != self._evaluation:
            self._evaluation = evaluation
            self._refresh()

    def keep(self, process: ScriptProcess, key: object, found: Measurement) -> None:
        """Keep what a process measured of a state on the way to something else."""
        if process is self._process:
            self._take(key, found)
            self._refresh()

    def _take(self, key: object, found: Measurement) -> None:
        self._evaluation = found.evaluation
        self._conditions.pop(found.evaluation, None)
        self._conditions[found.evaluation] = found.conditions
        self._states[key] = found.state
        self._results[found.state, found.evaluation] = found.quality

    def _measure(self, keys: list[object]) -> None:
        """Measure states by what was chosen; first of all have it chosen, and agreed to."""
        if self._session.document is None or not keys:
            return
        if self._source is None or self._of_scan:
            self._choose(keys)
        elif self._process is not None:
            self._want(keys)
        else:
            source = self._source
            self.request(
                source,
                lambda agreed: self._begin(source, agreed, keys),
                self._notifications.refuse,
            )

    def _begin(self, source: DataSource, agreed: Agreed, keys: list[object]) -> None:
        if source != self._source or self._process is None or self._process.agreed != agreed:
            self._drop()
            self._process = ScriptProcess(agreed)
        self._source, self._of_scan = source, False
        self._want([None, *keys])  # the unpruned model first

    # -- measuring ------------------------------------------------------------------------------

    def _want(self, keys: Iterable[object]) -> None:
        if not self._wanted and self._under_way is None:
            self._count = 0
            self._notifications.end(NoticeTopic.EVALUATION)
        for key in dict.fromkeys(keys):
            under_way = self._under_way is not None and key is self._current
            if key not in self._wanted and not under_way:
                self._wanted.append(key)
                self._count += 1
        self._go_on()

    def _go_on(self) -> None:
        document, process, keys = self._session.document, self._process, self._keys
        if self._under_way is not None or document is None or process is None:
            return
        self._wanted = [key for key in self._wanted if key in keys]  # branches may be deleted
        if not self._wanted:
            self._refresh()
            return
        number, key = self._count - len(self._wanted) + 1, self._wanted.pop(0)
        title = self.tr("Evaluation:")
        if self._count > 1:
            title = self.tr("Evaluation {n} of {count}:").format(n=number, count=self._count)
        self._current = key
        self._under_way = self._jobs.submit(
            title,
            partial(
                process.measure,
                document.state_at(keys.index(key)),
                self._session.contents.size.parameters,
                calibrated_with=self.calibrated_with(keys.index(key)),
            ),
            on_result=partial(self._on_measured, process, key),
            on_error=partial(self._on_failed, process, key),
            on_cancelled=partial(self._on_cancelled, process),
            apart=True,
        )
        self._refresh()

    def calibrated_with(self, state: int) -> frozenset[str]:
        """Return the names of the data that a state of the history was calibrated with."""
        document = self._session.document
        if document is None:
            return frozenset()
        records, path = document.history.records, document.history.branches.path(state)
        entries = (convert(records[number - 1].as_json(), Entry) for number in path)
        return frozenset(calibration_data(entries))

    def _on_measured(self, process: ScriptProcess, key: object, found: Measurement) -> None:
        if process is not self._process:
            return
        self._under_way = None
        self._take(key, found)
        self._notifications.end(NoticeTopic.EVALUATION)
        for notice in found.notices:
            self._notifications.mention(NoticeTopic.EVALUATION, translate_sentence(notice))
        document, keys = self._session.document, self._keys
        if not self._wanted and document is not None and key in keys:
            number = keys.index(key)  # the person may be at another state by now
            label = numbered_title(number, document.items[number])
            words = quality_in_words(found.quality, self.metric)
            self._notifications.say_done(with_label(label, words))
        self._go_on()

    def _on_failed(self, process: ScriptProcess, key: object, error: PruneAppError) -> None:
        if process is not self._process:
            return
        keys, self._wanted, self._under_way = [key, *self._wanted], [], None
        if isinstance(error, ScriptChangedError):
            self._forget_script()
            self._measure(keys)
        else:
            self._notifications.refuse(error, NoticeTopic.EVALUATION)
            self._refresh()

    def _on_cancelled(self, process: ScriptProcess) -> None:
        if process is self._process:
            done = self._count - len(self._wanted) - 1
            self._wanted, self._under_way = [], None
            words = self.tr("Evaluation stopped.")
            if self._count > 1:
                words = self.tr("Evaluation stopped: {n} of {count} states were evaluated.")
            self._notifications.say_done(words.format(n=done, count=self._count))
            self._refresh()

    def count_anew(self) -> None:
        """Count multiply-adds, also if that failed before."""
        self._uncountable = ""
        self.count_multiply_adds()

    def count_multiply_adds(self) -> None:
        """Count the multiply-adds of the measured states of which they are not known."""
        document, process, keys = self._session.document, self._process, self._keys
        if document is None or process is None or self._counting or self._uncountable:
            return
        known = {number: self._found(key) for number, key in enumerate(keys)}
        todo = [
            number
            for number, found in known.items()
            if found is not None and not found[1] and found[0].multiply_adds is None
        ]
        if not todo:
            return
        self._counting = True
        self._jobs.submit(
            self.tr("Counting multiply-adds:"),
            partial(process.count, [document.state_at(number) for number in todo]),
            on_result=partial(self._on_counted, process, [keys[number] for number in todo]),
            on_error=partial(self._on_uncounted, process),
            on_cancelled=partial(self._on_uncounted, process, None),
            apart=True,
        )
        self.measured.emit()

    def _on_counted(self, process: ScriptProcess, keys: list[object], counts: list[int]) -> None:
        if process is not self._process:
            return
        self._counting = False
        for key, number in zip(keys, counts, strict=True):
            found = self._states[key], self._evaluation
            if found in self._results:
                self._results[found] = replace(self._results[found], multiply_adds=number)
        self._refresh()

    def _on_uncounted(self, process: ScriptProcess, error: PruneAppError | None) -> None:
        if process is not self._process:
            return
        self._counting = False
        if isinstance(error, ScriptChangedError):
            self._forget_script()
            return
        self._uncountable = self.tr("Counting was stopped. Choose the axis again.")
        if error is not None:
            self._uncountable = translate_error(error)
        self._refresh()

    def look_at_script(self) -> None:
        """Notice whether the script was changed: what it measured before is true no more."""
        process = self._process
        if process is None:
            return

        def found(unchanged: bool) -> None:
            if process is self._process and not unchanged and self._under_way is None:
                self._forget_script()

        self._change.ask(lambda _job: process.unchanged, found)

    def _forget_script(self) -> None:
        """Let what was measured become old; the person is asked before the new script runs."""
        self._drop()
        self._evaluation = ""
        self._refresh()

    def _drop(self) -> None:
        """End the process, once it has done what is under way."""
        process, self._process = self._process, None
        self._counting, self._uncountable = False, ""
        task, self._under_way, self._wanted = self._under_way, None, []
        if process is None:
            return
        process.hurry()  # whatever it does is not wanted any more
        if task is not None:
            task.cancel()
        self._ending.append(process)

        def ended(_: None) -> None:
            self._ending.remove(process)

        self._jobs.submit(
            "",
            lambda _job: process.close(),
            on_result=ended,
            on_error=self._notifications.refuse,
            visible=False,
            apart=True,
        )

    def stop(self) -> None:
        """Ask the script to end at once; `end` once the jobs have stopped."""
        if self._process is not None:
            self._process.hurry()

    def end(self) -> None:
        """End what is left of the processes, when no job uses them any more."""
        process, self._process = self._process, None
        for left in (process, *self._ending):
            if left is not None:
                left.close()
        self._ending.clear()

    def _on_closed(self) -> None:
        self._drop()
        self._source, self._of_scan, self._evaluation, self.metric = None, False, "", ""
        self._results.clear()
        self._conditions.clear()
        self._states.clear()
        self._identity.cancel()
        self._change.cancel()
        self._history.set_marks(())
        self.measured.emit()

    # -- sessions -------------------------------------------------------------------------------

    def read(self) -> Mapping[str, Any]:
        """Return what was measured, for a session."""
        kept = [
            _Kept(state, evaluation, conditions, quality)
            for evaluation, conditions in self._conditions.items()
            for (state, of), quality in self._results.items()
            if of == evaluation
        ]
        return {EVALUATION: kept} if kept else {}

    def show(self, view: Mapping[str, Any]) -> None:
        """Show what was measured before; it is old until the same script is chosen again."""
        try:
            kept = convert(view.get(EVALUATION, []), list[_Kept])
        except JsonError:
            return  # of a session that somebody else made
        self._results |= {(one.state, one.evaluation): one.quality for one in kept}
        self._conditions |= {one.evaluation: one.conditions for one in kept}
        self._refresh()

    @property
    def results(self) -> Mapping[object, object]:
        """What would be lost without a session, by state and evaluation.

        Without times and counts, of which every evaluation has others.
        """
        return {
            key: (quality.sparsity, tuple(m for m in quality.metrics if m.judged))
            for key, quality in self._results.items()
        }

    # -- what is known --------------------------------------------------------------------------

    @property
    def _position(self) -> int:
        document = self._session.document
        return -1 if document is None else document.position

    @property
    def _keys(self) -> list[object]:
        """The keys of all states, by their numbers."""
        document = self._session.document
        return [] if document is None else [None, *(r.key for r in document.history.records)]

    def _keys_at(self, numbers: Iterable[int]) -> list[object]:
        keys = self._keys
        return [keys[number] for number in numbers if 0 <= number < len(keys)]

    @property
    def is_measuring(self) -> bool:
        """Whether a state is being measured, or will be."""
        return self._under_way is not None

    def states(self) -> tuple[MeasuredState, ...]:
        """Return the states that were measured."""
        document = self._session.document
        if document is None or not self._results:
            return ()
        kinds = ["", *map(self._kind_of, document.history.records)]
        known = [self._found(key) for key in self._keys]
        fresh = {number for number, found in enumerate(known) if found and not found[1]}
        joined = made_of(document.history.branches, kinds, fresh)
        found = enumerate(zip(known, document.items, kinds, strict=True))
        return tuple(
            MeasuredState(number, numbered_title(number, item), *result, kind, joined[number])
            for number, (result, item, kind) in found
            if result is not None
        )

    def _kind_of(self, record: Record) -> str:
        if record.step is not None:
            rows = record.step.rows
            kind = join_names(
                *dict.fromkeys(translate_declared(registry.get(r.method).label) for r in rows)
            )
            # Such as an allocation: its tensors have amounts of their own.
            several = self.tr("{method}, several rules")
            return kind if len(rows) == 1 else several.format(method=kind)
        return self.tr("Repair") if record.kind == EditKind.REPAIR else self.tr("other")

    @property
    def kinds(self) -> tuple[DataKind, ...]:
        """What the states of the open file can be measured by."""
        script, *built_in = self._scripts.kinds
        return script, DataKind.COMMAND, *built_in

    @property
    def source(self) -> DataSource | None:
        """What measures the open file; None until it was chosen."""
        return self._source

    @property
    def seconds(self) -> float | None:
        """How long one evaluation of the unpruned model took; None until that is known."""
        return None if self._process is None else self._process.seconds

    @property
    def script_in_use(self) -> tuple[str, int, int | None] | None:
        """SHA-256, seed and limit of the script that has measured; None of what is built in."""
        return None if self._process is None else self._process.script

    @property
    def evaluation(self) -> str:
        """The hash of script, interpreter and options that measure now; empty until they have."""
        return self._evaluation

    def quality_of(self, key: object) -> StateQuality | None:
        """Return what was measured of a state, by the key of its record; None if that is old."""
        found = self._found(key)
        return None if found is None or found[1] else found[0]

    def compared(self, *numbers: int | None) -> tuple[tuple[StateQuality | None, ...], bool]:
        """Return what one evaluation measured of states, and whether it is an old one.

        It is that which measured most of them, of several that which is in force. None stands for
        a state that it did not measure, and for what is no state of the history.
        """
        keys = dict(enumerate(self._keys))
        known = [self._states.get(keys[n]) if n in keys else None for n in numbers]
        evaluations = [self._evaluation, *(of for _, of in reversed(self._results))]
        chosen = max(evaluations, key=lambda of: sum((s, of) in self._results for s in known))
        found = tuple(None if s is None else self._results.get((s, chosen)) for s in known)
        return found, chosen != self._evaluation

    @property
    def _shown(self) -> str:
        """The evaluation whose results are shown: the present one, else the latest.

        Results under several conditions are never shown together.
        """
        if self._evaluation in self._conditions:
            return self._evaluation
        return next(reversed(self._conditions), "")

    @property
    def conditions(self) -> str:
        """What the results that are shown were measured with, in words; empty without any."""
        found = self._conditions.get(self._shown)
        return "" if found is None else conditions_in_words(found)

    @property
    def why_old(self) -> str:
        """Why results are old, and what to do, as sentences."""
        if self._source is None:
            return self.tr(
                "Measured before this session was opened. Evaluate again ({keys}) to compare with "
                "new results."
            ).format(keys=self._actions.way_to("evaluate_state"))
        return self.tr("Measured with another script, Python or options.")

    @property
    def why_uncounted(self) -> str:
        """Why multiply-adds are not known, as sentences."""
        if self._process is None:
            return self.tr(
                "Multiply-adds are counted by the script: evaluate a state again ({keys}) to "
                "count them."
            ).format(keys=self._actions.way_to("evaluate_state"))
        return self._uncountable or self.tr("Counting multiply-adds…")

    @property
    def has_results(self) -> bool:
        """Whether anything of the open file was measured."""
        return bool(self._results)

    def show_metric(self, name: str) -> None:
        """Show another metric."""
        self.metric = name
        self._refresh()

    def _found(self, key: object) -> tuple[StateQuality, bool] | None:
        """Return what was measured of a state with the conditions shown, and whether it is old."""
        shown = self._shown
        found = self._results.get((self._states.get(key, ""), shown))
        return None if found is None else (found, shown != self._evaluation)

    def _otherwise(self, key: object) -> str:
        """Return what was measured of a state under other conditions, as sentences."""
        shown, state = self._shown, self._states.get(key)
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

    def _refresh(self, _change: object = None) -> None:
        if self._session.document is None or (self._source is None and not self._results):
            return
        waits = {*map(id, self._wanted)}
        if self._under_way is not None:
            waits.add(id(self._current))
        self._history.set_marks([self._mark(key, waits=id(key) in waits) for key in self._keys])
        self.measured.emit()
        self._identify()

    def _mark(self, key: object, *, waits: bool) -> HistoryMark:
        found = self._found(key)
        if waits:
            now = self._under_way is not None and key is self._current
            words = self.tr("being evaluated") if now else self.tr("waiting to be evaluated")
            return HistoryMark("…", words, faded=True)
        if found is None:
            words = self.tr("not evaluated")
            if otherwise := self._otherwise(key):
                words = join_sentences(self.tr("{words}.").format(words=words), otherwise)
            return HistoryMark(words=words)
        quality, is_old = found
        text = quality_in_short(quality, self.metric)
        brief = quality_in_short(quality, self.metric, size=False)
        words = with_note(quality_in_words(quality, self.metric), self.conditions)
        if is_old:
            # Colour alone does not tell: what is not in force is gray, too.
            text, brief = f"({text})", f"({brief})"
            words = join_sentences(self.tr("{words}.").format(words=words), self.why_old)
        return HistoryMark(text, words, faded=is_old, brief=brief)

    def _identify(self) -> None:
        """Find out which of the states without a result are the same as one that has it."""
        document = self._session.document
        if document is None or not self._results or self._identity.task is not None:
            return
        for number, key in enumerate(self._keys):
            if key not in self._states:
                self._identity.ask(
                    partial(identify, document.state_at(number)),
                    partial(self._on_identified, document, key),
                    urgency=Urgency.ASIDE,
                )
                return

    def _on_identified(self, document: Document, key: object, state: str) -> None:
        if document is self._session.document:
            self._states[key] = state
            self._refresh()
