"""Run sensitivity scans, which prune and evaluate one tensor at a time, and show their results."""

from __future__ import annotations

import contextlib
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from msgspec import structs
from PySide6.QtCore import Signal

from pruneapp.analysis.sparsity_report import MeasuredLoss
from pruneapp.document.document import Document, DocumentChanged
from pruneapp.document.edit import EditKind
from pruneapp.document.entries import RowConfiguration, RowEntry
from pruneapp.document.history import PastState
from pruneapp.document.step import Row
from pruneapp.errors import ParameterError, PruneAppError, SelectionError
from pruneapp.evaluation.report.results import KeptScan, scans_in
from pruneapp.evaluation.runner import conditions_of
from pruneapp.evaluation.scan import (
    AMOUNTS,
    ScanRequest,
    Sensitivity,
    can_continue,
    read_amounts,
    scan_tensors,
    sensitivities_of,
)
from pruneapp.evaluation.scan_file import Scan
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane, LatestTask, Throttle
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.feature import Ask, Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.gui.evaluation.measurement import ScriptProcess
from pruneapp.gui.evaluation.script_controller import Agreed, ScriptController, options_of
from pruneapp.gui.evaluation.source_choice import DataSource
from pruneapp.gui.method_form.form_controller import FormController
from pruneapp.gui.plots.sensitivity import SensitivityView
from pruneapp.gui.sensitivity.dialogs import ScanDialog, ScanFields
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.engine_text import numbered_title, translate_declared, translate_error
from pruneapp.gui.widgets.labels import join_facts, join_sentences, translate, with_note
from pruneapp.gui.widgets.reports import data_in_words
from pruneapp.json_codec import encode
from pruneapp.kernels.kernel import Kernel
from pruneapp.methods import registry
from pruneapp.params import STATISTICS, AmountParam
from pruneapp.progress import Cancelled, Job
from pruneapp.sessions.restore import SENSITIVITY
from pruneapp.statistics.file import statistics_of

PURPOSE = "scan"
# Scans with more cells are not stored in a session, which is written after each change.
MOST_KEPT = 20_000
_PAUSE_FACTOR = 10  # after showing a scan, wait this many times as long until showing it again
# A tensor is marked if the metric gets worse by more than this share of its value.
LARGE_LOSS = 0.1
_LABELS = (AmountParam(name="amounts", label="Amounts"),)


@dataclass(frozen=True)
class StateScan:
    """A scan, and the key of the record of the state that was scanned."""

    key: object
    kept: KeptScan


@dataclass(frozen=True)
class _Advance:
    """The results of a running scan so far."""

    document: Document
    source: DataSource
    process: ScriptProcess
    key: object  # of the record of the state
    kept: KeptScan


def run_scan(
    process: ScriptProcess,
    past: PastState,
    request: ScanRequest,
    job: Job,
    *,
    known: Sequence[Scan],
    kernel: Callable[[], Kernel],
    tell: Callable[[KeptScan], None],
    judge: Callable[[Job], None],
    calibration: frozenset[str],
) -> None:
    """Scan a state, continuing the scan in `known` with the same conditions if there is one.

    `tell` is called with the scan after each cell; `judge` once, after the unpruned model and the
    state were evaluated, with a job for further work. Both are called on this thread. `calibration`
    contains names of data that the state was calibrated with.

    Raises the errors of `scan_tensors` and `ScriptProcess.evaluator`.
    """
    evaluator = process.evaluator(job)
    snapshot = past.load(Job(cancel=job.cancel))
    aside = Job(cancel=job.cancel)
    of_it = [scan for scan in known if scan.conditions.method == request.method]
    former = next((s for s in of_it if can_continue(s, evaluator, snapshot, request, aside)), None)
    judged, conditions = False, conditions_of(evaluator.runner)
    for scan in scan_tensors(
        evaluator, snapshot, request, job, known=former, kernel=kernel(), calibration=calibration
    ):
        assert evaluator.baseline is not None  # measured before anything is pruned
        first = evaluator.baseline.first
        shares = tuple(name for name, metric in first.metrics.items() if metric.share)
        samples = tuple(name for name, metric in first.metrics.items() if metric.samples)
        per_sample = tuple(name for name in samples if name not in shares)
        conditions = replace(conditions, samples=first.measured.samples)
        tell(
            KeptScan(
                scan, evaluator.runner.key, shares, conditions=conditions, per_sample=per_sample
            )
        )
        if not judged:
            judge(aside)
            judged = True


def _has_values_of(document: Document, found: StateScan) -> bool:
    """Return whether the values of the current state are those of the scanned one."""
    done = document.history.done
    keys = [None, *(record.key for record in done)]
    if found.key not in keys:
        return False
    following = done[keys.index(found.key) :]
    return not any(record.kind in {EditKind.REPAIR, EditKind.RECOVERY} for record in following)


def losses_of(kept: KeptScan, metric: str = "") -> dict[str, MeasuredLoss]:
    """Return the losses of the tensors of a scan, by their names.

    `metric` is the name of a metric; by default, a share of samples is preferred to a loss, since a
    small loss may be much worse without any sample being wrong, and then the metric that is shown.
    {} for a scan with repair, and for a metric that is 0 before pruning: there is no value of which
    `LARGE_LOSS` is a share.
    """
    scan = kept.scan
    names = {one.name for one in scan.metrics}
    name = metric or next(iter(kept.shares), kept.shown_metric.name)
    if scan.conditions.repair or name not in names:
        return {}
    one = scan.metric(name)
    if not one.before:
        return {}
    losses = {}
    for tensor in scan.tensors:
        if tensor.pruned or not tensor.cells:
            continue
        noise = max(cell.noise.get(one.name, 0.0) for cell in tensor.cells)
        found = {0: 0.0}
        for cell in tensor.cells:
            value = cell.metrics.get(one.name, math.nan)
            found[cell.pruned] = one.damage(value) if math.isfinite(value) else math.inf
        losses[tensor.name] = MeasuredLoss(
            one.name,
            one.name in kept.shares,
            scan.conditions.method,
            max(LARGE_LOSS * abs(one.before), one.noise, noise),
            tuple(sorted(found)),
            tuple(found[count] for count in sorted(found)),
        )
    return losses


class ScanController(Feature[ScanDialog]):
    """Scans the current state with the evaluation script, and shows the results.

    All scans of a file are kept. The page shows a scan of the current state if there is one: the
    one that the user chose, or else the best (see `_best`); otherwise it keeps the last one.
    `checked` returns the checked tensors, `show_tensor` focuses a tensor, `show_page` shows the
    page, and `jump` goes to a state.
    """

    commands: ClassVar = {"scan": "ask"}

    measured = Signal()  # `results` may have changed

    # Emitted on the worker thread:
    _advanced = Signal(object)  # (_Advance)
    _judged = Signal(object, object, object)  # the arguments of `EvaluationController.keep`

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        *,
        scripts: ScriptController,
        evaluation: EvaluationController,
        form: FormController,
        view: SensitivityView,
        checked: Callable[[], tuple[str, ...]],
        show_page: Callable[[], None],
        show_tensor: Callable[[str], None],
        jump: Callable[[int], None],
    ) -> None:
        super().__init__(context, session)
        self._scripts, self._evaluation = scripts, evaluation
        self._form, self._view = form, view
        self._checked, self._show_page = checked, show_page
        self._show_tensor, self._jump = show_tensor, jump
        # Scans by their encoded conditions, the last measured at the end; the keys of the one that
        # is shown, and of the one that is being or was last measured.
        self._found: dict[bytes, StateScan] = {}
        self._shown = self._scanned = b""
        self._chosen: dict[object, bytes] = {}  # keys of scans chosen by the user, by current state
        # Source and script of each scan that was measured since the file was opened, by the hash of
        # its evaluation; and the hashes of those whose script has changed since.
        self._sources: dict[str, tuple[DataSource, Agreed]] = {}
        self._changed: set[str] = set()
        self._script_check = LatestTask(context.jobs)
        # state and up-to-date evaluations of the last `_select_scan`
        self._selected_for: tuple[object, frozenset[str]] | None = None
        self._metric = ""  # name of the metric that the user chose; empty for the default
        self._shown_descriptions: tuple[object, ...] = ()  # labels and notes shown with the scans
        self._losses_of: tuple[object, ...] = ()  # what the last result of `losses` depends on
        self._losses: Mapping[str, MeasuredLoss] = {}
        self._entered: ScanFields | None = None  # what the user entered for the last scan
        self._methods: tuple[str, ...] = ()  # of the form at that time
        self._scanning: RunJob[None] | None = None
        self._shows = Throttle(self._show_in_time, self)
        self._advanced.connect(self._on_advanced)
        self._judged.connect(evaluation.keep)
        view.scanRequested.connect(self.ask)
        view.cellChosen.connect(self._on_cell)
        view.metricChosen.connect(self._on_metric)
        view.scanChosen.connect(self._on_scan)
        view.stateRequested.connect(self._on_state)
        view.restoreRequested.connect(form.restore)
        form.changed.connect(self._show_restorable)
        evaluation.measured.connect(self._refresh)
        session.changed.connect(self._on_changed)

    # -- results --------------------------------------------------------------------------------

    @property
    def kept(self) -> KeptScan | None:
        """The scan that is shown, with the metric that the user chose; None if there is none."""
        found = self._found.get(self._shown)
        return None if found is None else structs.replace(found.kept, metric=self._metric)

    @property
    def state(self) -> int:
        """The index of the state of the shown scan; -1 if it was deleted."""
        found = self._found.get(self._shown)
        return -1 if found is None else self._number(found)

    @property
    def is_current(self) -> bool:
        """Whether the shown scan is of the current state."""
        document, found = self.session.document, self._found.get(self._shown)
        return document is not None and found is not None and found.key is document.history.key

    def losses(self) -> Mapping[str, MeasuredLoss]:
        """Return what the shown scan has measured of the current values, by names of tensors.

        Empty if another branch was scanned, or if a repair or recovery followed: it says nothing of
        other values. Without tensors that were pruned when the scan began, whose loss since opening
        it does not know, and without those that the scan repaired. The result is the same object
        until it changes.
        """
        document, found = self.session.document, self._found.get(self._shown)
        key = None if document is None else document.history.key
        if self._losses_of != (key, found, self._metric):
            self._losses_of = key, found, self._metric
            usable = document is not None and found is not None and _has_values_of(document, found)
            self._losses = losses_of(found.kept, self._metric) if usable and found else {}
        return self._losses

    def _number(self, found: StateScan) -> int:
        """Return the index of the state that was scanned; -1 if it was deleted."""
        document = self.session.document
        if document is None:
            return -1
        keys = [None, *(record.key for record in document.history.records)]
        if found.key is document.history.key:
            return document.position  # several states may have the same key
        return next((number for number, key in enumerate(keys) if key is found.key), -1)

    # -- dialog ---------------------------------------------------------------------------------

    @flow
    def ask(self) -> Flow[None]:
        """Ask for a scan of the checked tensors, and run it; show why that is impossible.

        Statistics of activations that are loaded in the form decide which methods are offered.
        """
        self.session.check_may_work()
        if self._scanning is not None:
            raise PruneAppError(
                "A scan is running.", remedy="Wait for it to finish, or press Esc to cancel it."
            )
        names = self._checked()
        if not names:
            raise SelectionError(
                "No tensor is checked, so there is nothing to scan.",
                remedy="Check tensors in the tree.",
            )
        source = self._scripts.source(PURPOSE, evaluates=True)
        statistics = self._form.statistics
        repairs = bool(statistics and statistics_of(statistics).grams)
        offered = [
            (method.name, translate_declared(method.label))
            for method in registry.METHODS.values()
            if method.has_amount
            and (statistics or not method.takes_statistics)
            and (repairs or not method.takes_grams)
        ]
        no_repair = ""
        if not statistics:
            no_repair = self.tr(
                "Needs statistics of activations with Gram matrices. To collect them, close this "
                "dialog, choose a Wanda method in the form, and press Collect statistics…"
            )
        elif not statistics_of(statistics).grams:
            no_repair = self.tr("The loaded statistics have no Gram matrices.")
        dialog = ScanDialog(
            self._evaluation.kinds, source, offered, self._window, no_repair=no_repair
        )
        dialog.set_state(self._state_note(self.document))
        # formatted as a user would type them
        amounts = ", ".join(map(AmountParam().format, AMOUNTS))
        fields = self._entered or ScanFields("", amounts, repairs=False)
        # The method of the form, even if its other settings are not complete, unless the user chose
        # another one for the last scan and has not changed the form since.
        methods = self._form.methods()
        usable = [name for name in methods if name in dict(offered) and methods != self._methods]
        dialog.set_contents(replace(fields, method=usable[0]) if usable else fields)
        dialog.changed.connect(partial(self._estimate, dialog, names))
        dialog.scanRequested.connect(partial(self._request, dialog, names))
        self._scripts.serve(dialog.choice)
        self._estimate(dialog, names)
        yield from Ask(dialog)

    def _state_note(self, document: Document) -> str:
        """Return a note that the current state is pruned; empty for the unpruned model."""
        pruned = document.masks.total_pruned
        if not pruned:
            return ""
        share = number_format.part(pruned, self.session.contents.size.parameters)
        return self.tr(
            "The current state, {state}, is {share} pruned. Amounts are fractions of the remaining "
            "weights of each tensor in it. To scan the unpruned model, go to 'Opened' in the "
            "history first."
        ).format(
            state=numbered_title(document.position, document.items[document.position]), share=share
        )

    def _rows(self) -> tuple[Row, ...]:
        """Return the rules of the form; empty if it is not valid."""
        try:
            return self._form.step().rows
        except PruneAppError:
            return ()

    def _scan_request(self, dialog: ScanDialog, names: tuple[str, ...]) -> ScanRequest:
        """Return the request for a scan; raise `PruneAppError` if a setting is invalid.

        Values other than the amount are those of the first rule of the form with this method, else
        the defaults.
        """
        method = registry.get(dialog.method)
        of_form = next((row for row in self._rows() if row.method == method.name), None)
        values: dict[str, Any] = {} if of_form is None else dict(of_form.values)
        values.pop("amount", None)
        if method.takes_statistics:
            values[STATISTICS.name] = self._form.statistics
        repair = self._form.statistics if dialog.repair.isChecked() else ""
        amounts = read_amounts(dialog.amounts)
        return ScanRequest(names, method.name, values, amounts, repair=repair)

    def _estimate(self, dialog: ScanDialog, names: tuple[str, ...]) -> None:
        """Show in the dialog how many evaluations are left and how long they take, or an error.

        The statistics file is named before if the scan uses it.
        """
        try:
            request = self._scan_request(dialog, names)
        except PruneAppError as error:
            dialog.set_estimate(translate_error(error, _LABELS), trouble=True)
            return
        of_statistics = ""
        if request.repair or registry.get(request.method).takes_statistics:
            of_statistics = self.tr("Statistics file: {file}.").format(
                file=self._form.statistics_file
            )
        words = self._estimate_words(dialog, request)
        dialog.set_estimate(join_sentences(of_statistics, words))

    def _estimate_words(self, dialog: ScanDialog, request: ScanRequest) -> str:
        names = request.names
        evaluations = len(names) * len(request.amounts)
        known, is_sure = self._known_evaluations(dialog, request)
        left = evaluations - known if is_sure else evaluations
        words = self.tr("{tensors} × {amounts}:").format(
            tensors=number_format.plural(
                len(names), self.tr("1 checked tensor"), self.tr("{n} checked tensors")
            ),
            amounts=number_format.plural(
                len(request.amounts), self.tr("1 amount"), self.tr("{n} amounts")
            ),
        )
        if not left:
            done = self.tr("{words} all evaluations ({n}) are measured already.")
            return done.format(words=words, n=number_format.count(known))
        if is_sure and known:
            count = number_format.plural(
                left, self.tr("1 evaluation is left"), self.tr("{n} evaluations are left")
            )
            already = self.tr("{n} measured already").format(n=number_format.count(known))
            words = self.tr("{words} {count}, {already}.").format(
                words=words, count=count, already=already
            )
        else:
            count = number_format.plural(left, self.tr("1 evaluation"), self.tr("{n} evaluations"))
            words = self.tr("{words} {count}.").format(words=words, count=count)
        if known and not is_sure:
            already = self.tr(
                "{n} of {all} are measured already, and kept if script, Python and options are the "
                "same."
            ).format(n=number_format.count(known), all=number_format.count(evaluations))
            words = join_sentences(words, already)
        seconds = self._evaluation.seconds
        if seconds is not None and dialog.choice.source() == self._evaluation.source:
            more = self.tr("About {time}: the last evaluation took {one}.").format(
                time=number_format.duration(left * seconds), one=_seconds(seconds)
            )
        else:
            more = self.tr(
                "How long an evaluation takes is not known yet. The scan evaluates the unpruned "
                "model first, and then shows the time left."
            )
        return join_sentences(words, more)

    def _known_evaluations(self, dialog: ScanDialog, request: ScanRequest) -> tuple[int, bool]:
        """Return how many evaluations of a request are known, and whether that is sure.

        It is not sure before the script has measured, as it may have changed. The number is that of
        one scan of this state with the same settings; 0 if an option of the source is invalid.
        """
        document, source = self.session.document, dialog.choice.source()
        try:
            options = options_of(source)
        except PruneAppError:
            return 0, True  # the error is shown next to the field
        if document is None:
            return 0, True
        now = self._evaluation.evaluation if source == self._evaluation.source else ""
        now = now or next((name for name, of in self._sources.items() if of[0] == source), "")
        wanted = (
            *(request.method, request.recorded_values, request.repair),
            *(options.limit, options.seed),
        )
        names, amounts = {*request.names}, {*request.amounts}
        counts = [0]
        for found in self._found.values():
            scan, conditions = found.kept.scan, found.kept.scan.conditions
            same = (
                *(conditions.method, conditions.values, conditions.repair),
                *(conditions.limit, conditions.seed),
            ) == wanted
            if same and found.key is document.history.key and now in {found.kept.evaluation, ""}:
                cells = (c for t in scan.tensors if t.name in names for c in t.cells)
                counts.append(sum(cell.amount in amounts for cell in cells))
        return max(counts), bool(now) or not max(counts)

    @flow
    def _request(self, dialog: ScanDialog, names: tuple[str, ...]) -> Flow[None]:
        """Run the scan that the dialog requests; close the dialog once the user agrees to it."""
        source, request = dialog.choice.source(), self._scan_request(dialog, names)
        contents = dialog.contents()
        agreed = yield from self._scripts.agree_to(source, dialog.choice)
        dialog.done(ScanDialog.DialogCode.Accepted)
        self._scripts.remember(PURPOSE, source)
        self._entered, self._methods = contents, self._form.methods()
        self._scan(source, agreed, request)

    # -- scanning -------------------------------------------------------------------------------

    @flow
    def _scan(self, source: DataSource, agreed: Agreed, request: ScanRequest) -> Flow[None]:
        """Scan the current state, show the page, and store the results until the scan ends.

        The results of the unpruned model and the state are passed to `EvaluationController.keep`.
        An error is shown, and what was measured is kept.
        """
        process = self._evaluation.process_for(source, agreed)
        document = self.document
        self._scanned = b""
        key = document.history.key
        self._chosen.pop(key, None)
        known = [found.kept.scan for found in self._found.values()]

        def tell(kept: KeptScan) -> None:
            self._advanced.emit(_Advance(document, source, process, key, kept))

        parameters = self.session.contents.size.parameters
        states = {
            of: (document.state_at(state), self._evaluation.calibrated_with(state))
            for of, state in ((None, 0), (key, document.position))
        }

        def judge(job: Job) -> None:  # both results are cached at this point
            for of, (state, data) in states.items():
                self._judged.emit(process, of, process.measure(state, parameters, job, data))

        work = partial(
            run_scan,
            process,
            document.state_at(document.position),
            request,
            known=known,
            kernel=self.session.kernel,
            tell=tell,
            judge=judge,
            calibration=states[key][1],
        )
        self._notifications.end(NoticeTopic.EVALUATION)
        self._scanning = RunJob(self.tr("Sensitivity scan"), work, Lane.PROGRAM, continues=True)
        self._view.set_running(running=True)
        self._show_page()
        try:
            yield from self._scanning
        except Cancelled:
            self._show_stopped()
        except PruneAppError as error:
            self._notifications.show_error(error, NoticeTopic.EVALUATION)
        else:
            self._notifications.show_done(self._progress(self.tr("Scan finished: {done}.")))
        finally:
            self._scanning = None
            self._view.set_running(running=False)
            self._evaluation.release(process)
        self._shows.request(at_once=True)

    def _on_advanced(self, advance: _Advance) -> None:
        """Store a scan in place of its earlier stage, select it once, and show it soon."""
        if advance.document is not self.session.document:
            return
        name = encode(advance.kept.scan.conditions)
        self._found.pop(name, None)
        self._found[name] = StateScan(advance.key, advance.kept)
        if name != self._scanned:  # only once: the user may select another scan meanwhile
            self._scanned = self._shown = name
        evaluation = advance.kept.evaluation
        self._sources[evaluation] = advance.source, advance.process.agreed
        self._changed.discard(evaluation)
        self._evaluation.note(advance.process, evaluation)
        self._shows.request()
        if self._scanning is None:  # a result that arrived after the scan was stopped
            self._shows.request(at_once=True)
            self._show_stopped()

    def _show_stopped(self) -> None:
        self._notifications.show_done(
            self._progress(self.tr("Scan stopped after {done}; the next scan continues it."))
        )

    def _progress(self, text: str) -> str:
        found = self._found.get(self._scanned)
        if found is None:
            return self.tr("Scan stopped: nothing was measured.")
        return text.format(done=self._progress_text(found.kept.scan))

    # -- page -----------------------------------------------------------------------------------

    def _show_in_time(self) -> int:
        """Show the scans; return the minimum milliseconds until the next call."""
        began = time.perf_counter()
        self._show()
        # For 10,000 tensors this takes tenths of a second, more than some evaluations.
        return round(_PAUSE_FACTOR * 1000 * (time.perf_counter() - began))

    def _show(self) -> None:
        kept, self._shown_descriptions = self.kept, self._descriptions()
        self._view.set_scans(
            self._labels(), [*self._found].index(self._shown) if self._shown in self._found else -1
        )
        self._view.set_sensitivity(None if kept is None else self.sensitivity_of(kept))
        self.measured.emit()

    def _descriptions(self) -> tuple[object, ...]:
        """Return everything that is shown of the scans, except for their numbers."""
        kept = self.kept
        why_old = "" if kept is None else self.why_old(kept)
        return self._shown, self.is_current, why_old, tuple(self._labels())

    def _labels(self) -> list[str]:
        """Return a unique label for each scan, in the order in which they were measured."""
        labels, details = [], []
        for found in self._found.values():
            scan = found.kept.scan
            words = self.tr("{state}; {method}").format(
                state=self._state_words(found), method=self._method_words(scan)
            )
            if scan.measured < scan.wanted:
                words = join_facts(words, self._progress_text(scan))
            labels.append(words)
            amounts = join_facts(*map(AmountParam().format, scan.amounts))
            others = "" if self._is_fresh(found.kept) else self.tr("another script")
            values = scan.conditions.values.items()
            settings = ", ".join(f"{n}={v}" for n, v in values if n != STATISTICS.name)
            data = "" if found.kept.conditions is None else found.kept.conditions.data
            given = self._options_text(scan)
            details.append((data, given, others, scan.conditions.script, settings, amounts))
        return disambiguate(labels, details)

    def _options_text(self, scan: Scan) -> str:
        """Return limit and seed of the script as text; empty for the defaults."""
        parts, conditions = [], scan.conditions
        if conditions.limit is not None:
            samples = number_format.count(conditions.limit)
            parts.append(self.tr("at most {n} samples").format(n=samples))
        if conditions.seed:
            parts.append(self.tr("seed {n}").format(n=conditions.seed))
        return join_facts(*parts)

    def _progress_text(self, scan: Scan) -> str:
        return self.tr("{n} of {all} evaluations").format(
            n=number_format.count(scan.measured), all=number_format.count(scan.wanted)
        )

    def _state_words(self, found: StateScan) -> str:
        document, number = self.session.document, self._number(found)
        if document is None or number < 0:
            return self.tr("a deleted state")
        return numbered_title(number, document.items[number])

    def _on_changed(self, _change: DocumentChanged) -> None:
        if self.is_current:
            self.end_notice()
        self._refresh()

    def _refresh(self) -> None:
        """Update notes and labels; show another scan if it now is the best."""
        if self.session.document is None:
            return
        self._select_scan()
        if self._descriptions() != self._shown_descriptions:
            self._show()

    def _select_scan(self) -> None:
        """Choose the scan to show after the current state or a script has changed.

        A scan that the user chose for the state, or that is running, is preferred, then the best of
        this state. If the state has none, the shown scan stays. Does nothing if neither has
        changed.
        """
        document, followed = self.session.document, self._selected_for
        assert document is not None
        key = document.history.key
        self._selected_for = key, self._fresh
        moved = followed is None or followed[0] is not key
        if not moved and followed == self._selected_for:
            return
        here = [name for name, found in self._found.items() if found.key is key]
        under_way = self._scanned if self._scanning is not None else b""
        chosen = self._chosen.get(key, under_way)
        if chosen in (here if moved else self._found):
            self._shown = chosen
        elif here:
            self._shown = self._best(here)

    def _best(self, names: Sequence[bytes]) -> bytes:
        """Return the best scan: up to date, then most complete, then latest.

        `names` are keys of `_found` in the order of measuring; there must be at least one.
        """

        def worth(name: bytes) -> tuple[bool, float]:
            kept = self._found[name].kept
            return self._is_fresh(kept), kept.progress

        return max(reversed(names), key=worth)

    @property
    def _fresh(self) -> frozenset[str]:
        """The hashes of evaluations whose script has not changed since it measured."""
        return frozenset({*self._sources, self._evaluation.evaluation} - {""})

    def _is_fresh(self, kept: KeptScan) -> bool:
        return kept.evaluation in self._fresh

    def why_old(self, kept: KeptScan) -> str:
        """Return sentences that say why a scan is outdated, and what to do; "" if it is not.

        A scan with another source than that of the evaluation is not outdated.
        """
        if self._is_fresh(kept):
            return ""
        if kept.evaluation in self._changed:
            return self.tr("Measured with another script, Python or options.")
        if self._evaluation.source is None:
            return self._evaluation.why_old
        return self.tr("Measured before this file was opened.")

    def check_scripts(self) -> None:
        """Check in the background whether scripts have changed since they measured scans."""
        agreed = {name: of for name, (_, of) in self._sources.items()}
        if not agreed:
            return

        def find(_job: Job) -> set[str]:
            return {name for name, of in agreed.items() if not of.unchanged}

        def found(changed: set[str]) -> None:
            self._changed |= changed
            for name in changed:
                self._sources.pop(name, None)
            self._refresh()

        self._script_check.start(find, found)

    def _on_scan(self, at: int) -> None:
        self._shown = [*self._found][at]
        document = self.session.document
        if document is not None:
            self._chosen[document.history.key] = self._shown
        self._show()

    def _on_state(self) -> None:
        self.end_notice()
        if self.state >= 0:
            self._jump(self.state)

    def end_notice(self) -> None:
        """Remove the notice that a cell of another state sets nothing."""
        self._notifications.end(NoticeTopic.OTHER_SCAN)

    def sensitivity_of(self, kept: KeptScan) -> Sensitivity:
        """Return what the page shows of the selected scan, in the metric that the user chose."""
        scan, found = kept.scan, self._found[self._shown]
        names = tuple(metric.name for metric in scan.metrics)
        metric = kept.shown_metric
        by_name = self.session.by_name

        def shown(name: str) -> str:
            row = by_name.get(name)
            return name if row is None else row.shown

        return Sensitivity(
            names,
            metric.name,
            metric.higher,
            metric.before,
            metric.noise,
            scan.amounts,
            sensitivities_of(scan, metric, shown),
            self._method_words(scan),
            metric.name in kept.shares,
            self._state_words(found) if self.state >= 0 else "",
            self.is_current,
            self.why_old(kept),
            "" if kept.conditions is None else data_in_words(kept.conditions),
            scan.calibrated,
        )

    def _method_words(self, scan: Scan) -> str:
        try:
            words = translate_declared(registry.get(scan.conditions.method).label)
        except PruneAppError:
            words = scan.conditions.method  # that is not loaded now
        if scan.conditions.repair:
            words = self.tr("{method}, repaired").format(method=words)
        with contextlib.suppress(ParameterError):  # no statistics, or they are not loaded now
            used = scan.conditions.values.get(STATISTICS.name) or scan.conditions.repair
            file = statistics_of(str(used)).path.name
            words = self.tr("{method}, with {file}").format(method=words, file=file)
        return words

    def _row(self, scan: Scan, name: str, amount: float) -> Row:
        conditions = scan.conditions
        values = {**conditions.values, "amount": amount}
        return Row.of(RowEntry(conditions.method, RowConfiguration(values, names=(name,))))

    def _on_cell(self, name: str, amount: float) -> None:
        """Set the form to prune a tensor as in a cell of the scan, and show the tensor.

        A notice is shown if the scan is of another state, and an error if its method is not
        registered.
        """
        kept = self.kept
        if kept is None or name not in self.session.by_name:
            return
        if not self.is_current:
            # Amounts are fractions of the remaining weights: in another state they mean something
            # else.
            text = self.tr("These results are of another state, so a click does not set the form.")
            if self.state < 0:
                self._notifications.show_info(NoticeTopic.OTHER_SCAN, text)
            else:
                action = self.tr("Go to this state")
                self._notifications.offer(NoticeTopic.OTHER_SCAN, text, action, self._on_state)
            return
        try:
            row = self._row(kept.scan, name, amount)
        except PruneAppError as error:
            self.session.refused.emit(error)
            return
        values = {n: v for n, v in row.values.items() if n != STATISTICS.name}
        # The user chooses the amount by the results of the scan.
        self._form.prepare(name, row.method, values, data=kept.scan.chosen_by)
        self._show_restorable()
        self._show_tensor(name)

    def _show_restorable(self) -> None:
        self._view.restore.setVisible(self._form.is_prepared)

    def _on_metric(self, name: str) -> None:
        self._metric = name
        self._show()

    def on_closed(self) -> None:
        super().on_closed()
        self._found.clear()
        self._chosen.clear()
        self._sources.clear()
        self._changed.clear()
        self._script_check.cancel()
        self._shown, self._metric, self._selected_for, self._entered = b"", "", None, None
        self._methods = ()
        self._show()

    # -- session files ----------------------------------------------------------------------------

    def read(self) -> Mapping[str, Any]:
        """Return the latest scans for a session file, up to `MOST_KEPT` cells; empty if none."""
        kept = self.stored_scans
        return {SENSITIVITY: kept} if kept else {}

    @property
    def stored_scans(self) -> list[KeptScan]:
        """The scans of `read`, the latest last, with their states and the metric shown."""
        return [
            structs.replace(each.kept, state=self._number(each), metric=self._metric)
            for each in self._scans_to_store().values()
        ]

    @property
    def results(self) -> Mapping[object, object]:
        """The results that closing without a session would lose, by scan, evaluation and tensor."""
        return {
            (name, found.kept.evaluation, tensor.name): tensor.cells
            for name, found in self._scans_to_store().items()
            for tensor in found.kept.scan.tensors
            if tensor.cells
        }

    def _scans_to_store(self) -> dict[bytes, StateScan]:
        """Return the latest scans that have up to `MOST_KEPT` cells together, latest last.

        The keys are the encoded conditions.
        """
        kept, room = list[tuple[bytes, StateScan]](), MOST_KEPT
        for name, found in reversed(self._found.items()):
            room -= found.kept.scan.measured
            if room >= 0:
                kept.append((name, found))
        return dict(reversed(kept))

    def show(self, view: Mapping[str, Any]) -> None:
        """Add the scans of a session file, and show the best one of the current state.

        They are outdated until the same script is chosen again. Scans with equal conditions are
        replaced; invalid data is ignored.
        """
        document = self.session.document
        scans = scans_in(view)
        if document is None or not scans:
            return
        records = document.history.records
        for kept in scans:
            key: object = object()  # a key that no state has
            if not kept.state:
                key = None
            elif 0 < kept.state <= len(records):
                key = records[kept.state - 1].key
            self._metric = kept.metric
            self._shown = encode(kept.scan.conditions)
            self._found[self._shown] = StateScan(key, kept)
        self._selected_for = None  # choose again, now with these scans
        self._select_scan()
        self._show()


def _seconds(seconds: float) -> str:
    """Return a duration as text, below 2 seconds with two significant digits."""
    if seconds >= 2:
        return number_format.duration(seconds)
    digits = number_format.locale().toString(seconds, "g", 2)
    return translate("Numbers", "{n} s").format(n=digits)


def disambiguate(labels: Sequence[str], details: Sequence[Sequence[str]]) -> list[str]:
    """Return labels that are unique, in the same order, adding as few details as possible.

    `details` has the same number of texts for each label, to be added in this order; empty ones are
    ignored. Of labels that no detail distinguishes, the second and later ones get a number.
    """
    found = [*labels]
    for words in zip(*details, strict=True):
        alike = dict[str, set[str]]()
        for label, word in zip(found, words, strict=True):
            alike.setdefault(label, set()).add(word)
        found = [
            join_facts(label, word) if word and len(alike[label]) > 1 else label
            for label, word in zip(found, words, strict=True)
        ]
    seen = Counter[str]()
    for place, label in enumerate(found):
        seen[label] += 1
        if seen[label] > 1:
            found[place] = with_note(label, str(seen[label]))
    return found
