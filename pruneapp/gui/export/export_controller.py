"""Export the open document: show the dialog, run the export, and show the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io.files import is_folder
from pruneapp.checkpoint.io.store import is_store, locate
from pruneapp.document.document import Capture
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError, UnwritableError, first_names
from pruneapp.evaluation.classifier import Classifier
from pruneapp.evaluation.metric import StateQuality
from pruneapp.evaluation.report.results import KeptScan, data_names
from pruneapp.evaluation.runner import Conditions
from pruneapp.evaluation.script import has_program_code
from pruneapp.export.catalog import FORMATS, usual_format
from pruneapp.export.completeness import find_unwritable
from pruneapp.export.destination.sidecars import pooling_of
from pruneapp.export.destination.target import kept_name, not_replaced_notice
from pruneapp.export.exporter import check_target, export
from pruneapp.export.format_sizes import (
    FormatOffer,
    container_key,
    format_offer,
    format_offers,
    offers_without_sizes,
    recommend,
    usual_size,
)
from pruneapp.export.provenance import (
    Provenance,
    estimated_provenance,
    provenance_of,
    recorded_recipe,
)
from pruneapp.export.report import EXACT, ExportReport, ExportRequest
from pruneapp.export.report_writer import Account, StepAccount, account_of, write_account
from pruneapp.export.rounding import estimate_rounding_cost
from pruneapp.export.scripts.comparison_script import (
    EvaluationData,
    transformers_class,
    write_check_script,
)
from pruneapp.groups.trace import trace_of
from pruneapp.gui.app import dialogs
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Jobs, Lane, Task
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from pruneapp.gui.export.cut_evaluation import CutEvaluation, ExportedState
from pruneapp.gui.export.cut_step import CutStep
from pruneapp.gui.export.dialog import ExportChoices, ExportDialog
from pruneapp.gui.export.format_list import rounding_dtype
from pruneapp.gui.export.report_dialog import ExportReportDialog
from pruneapp.gui.export.shrink_controller import (
    GRAPH_SUFFIXES,
    ShrinkForecasts,
    ShrinkJob,
    all_suffixes,
    file_suffix,
    shrunk_target,
    suffixes_of_one_file,
)
from pruneapp.gui.export.shrink_page import ShrinkOrder
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import single_shot
from pruneapp.gui.widgets.engine_text import (
    numbered_title,
    translate_declared,
    translate_error,
    translate_sentence,
)
from pruneapp.gui.widgets.labels import join_sentences
from pruneapp.gui.widgets.typed_path import expand_home, real_path
from pruneapp.methods import registry
from pruneapp.progress import Cancelled, Job
from pruneapp.recipes.recipe import history_recipe
from pruneapp.recipes.schema import chosen_multiple
from pruneapp.shrink.surveyed_state import CutRequest, SurveyedState

PRUNED = "-pruned"
_SCRIPT = "-check.py"
# With more tensors than this, planning a file takes noticeable time.
MANY = 5_000
LATER_MS = 1_500


class ExportPreview(NamedTuple):
    """The state to export and the possible formats, as far as headers determine them quickly."""

    snapshot: Snapshot
    provenance: Provenance  # as long as the provenance of the export itself
    offers: tuple[FormatOffer, ...]
    pruned: bool  # whether any weight is pruned; otherwise the export is a copy
    # The multiple to which the last pruning step rounded widths; None for the default.
    multiple: int | None
    is_sentence_encoder: bool = False  # whether sentence-transformers loads the folder


def preview_export(capture: Capture, job: Job) -> ExportPreview:
    """Return all formats with estimated sizes; without sizes for more than `MANY` tensors."""
    snapshot = capture.snapshot
    origin = estimated_provenance(snapshot, history_recipe(capture, job), job)
    if len(snapshot.checkpoint.entries) > MANY:
        offers = offers_without_sizes(snapshot, job, provenance=origin)
    else:
        offers = format_offers(snapshot, job, sampled=False, provenance=origin)
    entries = *recorded_recipe(snapshot.checkpoint).entries, *origin.recipe.entries
    return ExportPreview(
        snapshot,
        origin,
        offers,
        _is_pruned(snapshot, job),
        chosen_multiple(entries),
        bool(pooling_of(snapshot.checkpoint)),
    )


def _is_pruned(snapshot: Snapshot, job: Job) -> bool:
    zeroed = map(snapshot.export_mask, job.cancel.each(snapshot.checkpoint.entries))
    return any(mask is not None and mask.pruned for mask in zeroed)


def proposed_target(path: Path, suffixes: tuple[str, ...]) -> Path:
    """Return a path that does not replace the source, next to it, without ``..`` in it.

    Its last suffix stays if it is one of `suffixes`, or else is the first of them; a folder has
    none. For a source in an object store it is in the home folder: nothing is uploaded to a URL
    that the user did not enter. The path may exist.
    """
    if is_store(path):
        is_file = path.suffix.lower() in suffixes
        name = path.stem if is_file or path.suffix == ".json" else path.name
        return Path.home() / f"{name}{PRUNED}{path.suffix if is_file else ''}"
    if ".." in path.parts:
        path = path.resolve()  # only the file system knows what `..` means after a symbolic link
    if path.is_dir():
        return path.with_name(path.name + PRUNED)
    if path.name.endswith(".index.json"):
        return path.parent.with_name(path.parent.name + PRUNED)
    suffix = path.suffix if path.suffix.lower() in suffixes else suffixes[0]
    return path.with_name(path.stem + PRUNED + suffix)


def is_followed_link(path: Path) -> bool:
    """Return whether a path is a symbolic link to something that exists."""
    try:
        return path.is_symlink() and path.exists()
    except OSError:  # for example a name that is too long, which the export reports
        return False


def export_document(capture: Capture, request: ExportRequest, job: Job) -> ExportReport:
    """Export a document, with its recipe and the checksums of its source files in the metadata."""
    # "Exporting model.safetensors" would read as if the opened file was being written.
    name = request.path.name
    origin = provenance_of(capture.snapshot, history_recipe(capture, job), job, name)
    return export(capture.snapshot, request, job, origin)


@dataclass(frozen=True)
class ReportedQuality:
    """The quality of an exported state, for the report, and names of data."""

    quality: StateQuality | None = None  # None if unknown
    conditions: Conditions | None = None  # of the measurement of `quality`
    # File names of the data of evaluations and scans, see `data_names`.
    data_names: Mapping[str, str] = field(default_factory=dict)
    before_shrinking: bool = False  # whether `quality` is that of the state, and the cut has none


@dataclass(eq=False)
class ExportJob:
    """An export started in the window, and the files written in addition to it."""

    capture: Capture
    request: ExportRequest
    cluster: str = ""  # address of the cluster that runs the export; empty for this machine
    evaluation: EvaluationData | None = None  # for the comparison script; None for example inputs
    measured: ReportedQuality | None = None  # for the report
    # Set as soon as the export is written: cancelling does not remove it after that.
    report: ExportReport | None = None
    missing: tuple[Path, ...] = ()  # accompanying files that are requested but not written yet

    def work(self, job: Job) -> ExportReport:
        """Export the document, then write the requested accompanying files; return the report.

        Runs on a worker thread. If it is cancelled after the export itself, `report` has the result
        so far and `missing` the files that are not written.
        """
        if self.cluster:
            # Imported here because it imports Dask.
            from pruneapp.cluster.export import export_on_cluster

            checkpoint, recipe = self.capture.snapshot.checkpoint, history_recipe(self.capture, job)
            report = export_on_cluster(self.cluster, checkpoint, recipe, self.request, job)
        else:
            report = export_document(self.capture, self.request, job)
        self.missing = accompanying_files(report, self.request)
        self.report = report
        while self.missing:
            path, *rest = self.missing
            self.report = report = write_accompanying_files(
                self.capture, report, path, job, evaluation=self.evaluation, measured=self.measured
            )
            self.missing = tuple(rest)
        return report


def evaluation_data(
    source: DataSource | None, classifier: Classifier | None
) -> EvaluationData | None:
    """Return script, text or images of a source for a comparison script; None for other sources."""
    if source is None or source.kind not in {DataKind.SCRIPT, DataKind.TEXT, DataKind.IMAGES}:
        return None
    path = expand_home(source.path)
    limit, seed = (int(text) if text else None for text in (source.limit, source.seed))
    if source.kind is DataKind.SCRIPT:
        return EvaluationData(script=path, limit=limit, seed=seed or 0)
    if source.kind is DataKind.IMAGES:
        return EvaluationData(images=path, classifier=classifier, limit=limit)
    return EvaluationData(text=path, limit=limit)


def _resolved(path: Path) -> Path:
    """Return a path with links resolved; a location in a store as it is."""
    return path if is_store(path) else real_path(path)


def accompanying_files(report: ExportReport, request: ExportRequest) -> tuple[Path, ...]:
    """Return the paths of the requested files: comparison script, then report; empty for none."""
    script = (accompanying_path(report, _SCRIPT),) if request.script else ()
    account = (accompanying_path(report, f"-report{request.report}"),) if request.report else ()
    return (*script, *account)


def write_accompanying_files(
    capture: Capture,
    report: ExportReport,
    path: Path,
    job: Job,
    *,
    evaluation: EvaluationData | None = None,
    measured: ReportedQuality | None = None,
) -> ExportReport:
    """Write `path`, one of `accompanying_files`, and return `report` with a notice about it.

    An existing file with different content is kept; the new file gets another name. A file that
    cannot be written is reported as a notice, because the export itself is complete.
    """
    if path.name.endswith(_SCRIPT):
        said = _write_script(capture, report, path, job, evaluation)
    else:

        def account(path: Path) -> Path:
            content = _report_content(capture, capture.snapshot, report, job, measured=measured)
            return write_account(content, path, job, keep_existing=True)

        said = _write_and_report(account, path, "The report is {path}.")
    return replace(report, notices=(*report.notices, *said))


def _write_script(
    capture: Capture, report: ExportReport, path: Path, job: Job, evaluation: EvaluationData | None
) -> Iterator[str]:
    """Write the comparison script of an export to `path`, and yield notices about it."""
    checkpoint = capture.snapshot.checkpoint
    run = "Run {path} to check whether the model still works"
    has_model = evaluation is not None and (evaluation.script or evaluation.images)
    if not has_model and not transformers_class(checkpoint):
        run += ", after filling in the function that builds the model"

    def script(path: Path) -> Path:
        return write_check_script(checkpoint, report, path, job, evaluation)

    return _write_and_report(script, path, f"{run}.")


def _report_content(
    capture: Capture,
    state: Snapshot,
    report: ExportReport,
    job: Job,
    *,
    measured: ReportedQuality | None,
) -> Account:
    """Return the contents of the report about an export of `state`, with the steps of `capture`."""
    # not needed at start-up
    from pruneapp.evaluation.report.page import conditions_text, hashes_of, metric_texts

    measured = measured or ReportedQuality()
    quality, conditions = measured.quality, measured.conditions
    return account_of(
        state,
        report,
        _steps_of(capture),
        job,
        estimated_provenance(capture.snapshot, history_recipe(capture, job), job),
        metrics=metric_texts(quality),
        evaluation="" if conditions is None else conditions_text(conditions),
        evaluation_files={} if conditions is None else hashes_of(conditions),
        same_data=quality is not None and any(m.calibrated for m in quality.metrics),
        data_names=measured.data_names,
        measured_before_shrinking=measured.before_shrinking,
        state_texts=(capture.title, _note_of(capture)),
    )


def write_cut_files(
    capture: Capture,
    order: ShrinkOrder,
    report: ExportReport,
    job: Job,
    *,
    evaluation: EvaluationData | None = None,
    measured: ReportedQuality | None = None,
) -> ExportReport:
    """Write the requested files about a shrunk model, and return `report` with notices about them.

    These are a comparison script and a report. `measured` has the quality of the cut, or of
    the state before it. As `write_accompanying_files`, it raises no error of writing.
    """

    def account(path: Path) -> Path:
        folder = report.path.is_dir()
        known = replace(report, notices=(*report.notices, *said))  # with the script
        with open_checkpoint(report.path if folder else report.files[0].path, job=job) as written:
            content = _report_content(capture, Snapshot(written), known, job, measured=measured)
        cut = StepAccount("Remove units", "\n".join(order.forecast.changes))
        source = str(capture.snapshot.checkpoint.path)
        content = replace(content, source=source, steps=(*content.steps, cut))
        return write_account(content, path, job, keep_existing=True)

    said: list[str] = []
    if order.script:
        path = accompanying_path(report, _SCRIPT)
        said += _write_script(capture, report, path, job, evaluation)
    if order.report:
        path = accompanying_path(report, f"-report{order.report}")
        said += _write_and_report(account, path, "The report is {path}.")
    return replace(report, notices=(*report.notices, *said))


def _note_of(capture: Capture) -> str:
    return capture.branches.notes.get(capture.position, "")


def _steps_of(capture: Capture) -> list[StepAccount]:
    done = capture.done
    return [StepAccount(record.label, record.detail) for record in done]


def _write_and_report(write: Callable[[Path], Path], path: Path, sentence: str) -> Iterator[str]:
    """Call `write` with a path, and yield notices for the report of the export.

    The first one is `sentence` with the path that `write` returns, or says why writing failed. If
    it is not `path`, a second one says that the file there was kept.
    """
    try:
        written = write(path)
    except PruneAppError as error:
        yield f"The export is complete, but a file next to it could not be written: {error}"
        return
    yield sentence.format(path=f"'{written}'")
    if written.name != path.name:
        yield not_replaced_notice(path)


def accompanying_path(report: ExportReport, suffix: str) -> Path:
    """Return the path of a file next to an export, with `suffix` in place of its last suffix.

    That is ``m-check.py`` for ``m.safetensors`` and for the folder ``m``, and
    ``m.compact-check.py`` for ``m.compact.safetensors``, so that both can be in one folder.
    """
    path = report.path
    endings = FORMATS[report.format].suffixes
    ending = next((end for end in endings if path.name.lower().endswith(end)), "")
    # of ".compact.safetensors" the length of ".safetensors"
    last = len(ending) - max(ending.rfind("."), 0)
    stem = path.name[: len(path.name) - last]
    return path.with_name(stem + suffix)


class FormatSizes(QObject):
    """Computes what the dialog shows: the size of each format and the cost of rounding.

    Sizes that `preview` has not are requested at once. A new request cancels the previous one of
    its kind; all of them are cancelled when the dialog closes. An error in a size is passed to
    `on_error`.
    """

    def __init__(
        self,
        jobs: Jobs,
        dialog: ExportDialog,
        preview: ExportPreview,
        on_error: Callable[[PruneAppError], None],
    ) -> None:
        super().__init__(dialog)
        self._jobs = jobs
        self._dialog = dialog
        self._preview = preview
        self._on_error = on_error
        self._offers = {one.name: one for one in preview.offers}
        self._tasks: dict[str, Task[Any]] = {}  # by format; also "check" and "rounding"
        self._types: dict[str, str] = {}  # dtype of the last estimate, by format
        self._paths: dict[str, Path] = {}  # target path by format, if checked
        dialog.parametersChanged.connect(self._estimate)
        dialog.roundingRequested.connect(self._round)
        dialog.checkRequested.connect(self._check)
        dialog.finished.connect(self._stop)
        for one in preview.offers:
            if not one.why_not and one.nbytes is None:
                self._estimate(one.name, {})

    def _estimate(self, name: str, values: Mapping[str, Any]) -> None:
        """Compute the size of a format with these parameters, and show it when it is known.

        Until then no size is shown, or an exact one if the dtype is the same. Cancels the previous
        estimate of the format.
        """
        self._cancel(name)
        was = self._offers[name]
        before, self._types[name] = self._types.get(name, ""), rounding_dtype(was, values)
        # An exact size hardly changes within a dtype: show it until the new one is known.
        kept = was.nbytes if was.exact and before == self._types[name] else None
        stale = replace(was, nbytes=kept, files=None, wrong="")
        if stale != was:
            self._show(stale)
        self._jobs.pause_background()
        snapshot, origin = self._preview.snapshot, self._preview.provenance
        form, path = FORMATS[name], self._paths.get(name)
        self._tasks[name] = self._jobs.run(
            lambda job: format_offer(snapshot, form, values, job, path=path, provenance=origin),
            on_result=self._show,
            on_error=self._on_error,
            lane=Lane.INTERACTIVE,
        )

    def _show(self, offer: FormatOffer) -> None:
        self._offers[offer.name] = offer
        self._dialog.set_offers(recommend(self._offers.values()))

    def _round(self, dtype: str) -> None:
        """Compute the cost of rounding to a dtype, and show it; cancels the previous one."""
        self._cancel("rounding")
        snapshot = self._preview.snapshot
        self._tasks["rounding"] = self._jobs.run(
            lambda job: estimate_rounding_cost(snapshot, dtype, job),
            on_result=partial(self._dialog.set_rounding, dtype),
            on_error=lambda error: self._dialog.set_rounding(dtype, translate_error(error)),
        )

    def _check(self, request: ExportRequest) -> None:
        """Check the target of an export; estimate the size again if it depends on the file name."""
        snapshot, origin = self._preview.snapshot, self._preview.provenance
        form = FORMATS[request.format]
        before, self._paths[form.name] = self._paths.get(form.name), request.path
        if container_key(snapshot.checkpoint, form, before) != container_key(
            snapshot.checkpoint, form, request.path
        ):
            self._estimate(form.name, request.params)
        self._cancel("check")
        followed = replace(request, follow_links=is_followed_link(request.path))
        self._tasks["check"] = self._jobs.run(
            lambda job: check_target(snapshot, followed, job, origin),
            on_result=partial(self._dialog.set_check, request),
            on_error=self._on_error,
        )

    def _cancel(self, name: str) -> None:
        if (task := self._tasks.pop(name, None)) is not None:
            task.cancel()

    def _stop(self, _result: int) -> None:
        for task in self._tasks.values():
            task.cancel()


class ExportController(Feature[ExportDialog]):
    """Controls the export of the open document.

    `asked` returns the text of the button that would apply the preview; empty if there is no
    preview. `cluster` returns the address of the cluster that exports run on; empty for this
    machine. `statistics` returns the path of the loaded statistics of activations; None for none.
    `copy_code` copies code that writes the model with its graph.
    """

    commands: ClassVar = {"export": "ask", "shrink": "ask_shrunk"}

    sized = Signal(object)  # (int | None) size of the default export in bytes; None if unknown
    began = Signal(object)  # (Path) a file or folder of this name is going to be written
    exported = Signal(object)  # (ExportReport) an export was written
    cancelled = Signal(str)  # (sentence) the user cancelled an export
    traceRequested = Signal()  # the user wants to trace the model, and to see Shrunk again
    stepRequested = Signal(object)  # (CutStep) the user wants to prune the units of a cut as a step
    # (int | None) the multiple to which the dialog rounds widths; None for the default
    multipleChosen = Signal(object)

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        evaluation: EvaluationController,
        *,
        scans: Callable[[], Sequence[KeptScan]],
        asked: Callable[[], str],
        cluster: Callable[[], str],
        statistics: Callable[[], Path | None],
        copy_code: Callable[[], None],
    ) -> None:
        super().__init__(context, session)
        self._evaluation = evaluation
        self._scans = scans
        self._asked = asked
        self._cluster = cluster
        self._statistics = statistics
        self._copy_code = copy_code
        self._cut_evaluation = CutEvaluation(context, session, evaluation)
        self._choices: ExportChoices | None = None
        self._cuts: dict[object, CutRequest] = {}  # last cut of each state, by `History.key`
        # keys of the exported states in which dead units were found
        self._keys_with_dead_units: set[object] = set()
        self._key: object = None  # key of the state of the dialog
        # `ExportPreview.multiple` when the dialog was opened last
        self._multiple: int | None = None
        self._opened = Path()
        self.report: ExportReportDialog | None = None
        self._forecasts: ShrinkForecasts | None = None  # of the open dialog
        self._written: tuple[Path, ...] = ()  # targets of exports in progress
        self._estimate_timer = single_shot(self, LATER_MS, self._estimate)
        session.opened.connect(self._on_opened)

    @flow
    def ask(self) -> Flow[None]:
        """Open the export dialog with estimated sizes, once these are computed.

        Without effect if the dialog is open. An error is shown if another file is being opened.
        """
        self.session.check_may_look()
        yield from self._ask()

    @flow
    def ask_shrunk(self) -> Flow[None]:
        """Open the export dialog with the page Shrunk; see `ask`."""
        self.session.check_may_look()
        yield from self._ask(shrunk=True)

    @flow
    def ask_state(self, position: int) -> Flow[None]:
        """Open the export dialog for a state of the history, which need not be the current one."""
        self.session.check_may_look()
        yield from self._ask(position=position)

    def _ask(
        self,
        trouble: PruneAppError | None = None,
        *,
        shrunk: bool = False,
        position: int | None = None,
    ) -> Flow[None]:
        """Open the export dialog; `trouble` is the error of an export that failed.

        The error is raised if the dialog is open already. `shrunk` selects the page Shrunk;
        otherwise see `_show_dialog`, or the page of the export that failed. `position` is the state
        to export; None for the current one.
        """
        document, capture = self.document, Capture.of(self.document)
        at = document.position if position is None else position
        key, title = document.key_of(at), numbered_title(at, document.items[at])
        if at != document.position:
            snapshot = yield from RunJob("", document.state_at(at).load)
            document.register(snapshot, document.state_of(key))
            capture = replace(capture, snapshot=snapshot, position=at)
        preview = yield from RunJob("", lambda job: preview_export(capture, job))
        if self.dialog is None:
            of = ExportedState(capture, key, title)
            failed_shrunk = trouble is not None and bool(self._choices and self._choices.shrunk)
            dialog = self._show_dialog(of, preview, shrunk=shrunk or failed_shrunk)
            if trouble is not None:
                dialog.set_trouble(translate_error(trouble))
        elif trouble is not None:
            raise trouble

    def _on_opened(self) -> None:
        # An export that replaces the source renames it; proposed names keep the opened name.
        self._opened = self.document.checkpoint.path
        # The size of a large file is computed later, after the file has been shown.
        self._estimate_timer.start(LATER_MS if len(self.session.rows) > MANY else 0)

    @flow
    def _estimate(self) -> Flow[None]:
        snapshot = self.document.snapshot()
        size = None
        with suppress(PruneAppError):
            size = yield from RunJob("", partial(usual_size, snapshot))
        self.sized.emit(size)

    def on_closed(self) -> None:
        super().on_closed()
        self._estimate_timer.stop()
        self.sized.emit(None)
        self._choices = self._multiple = None
        self._cuts.clear()
        self._keys_with_dead_units.clear()
        self.multipleChosen.emit(None)

    def _show_dialog(
        self, of: ExportedState, preview: ExportPreview, *, shrunk: bool = False
    ) -> ExportDialog:
        """Show the dialog with proposed targets and the choices of the last time; return it.

        Without `shrunk`, it opens on the page Shrunk only if the last export of the file was a
        shrunk model, and whole units are pruned in the state. Sizes and forecasts are computed
        while it is open.
        """
        document, self._key = self.document, of.key
        source = document.checkpoint.path
        able = [one for one in preview.offers if not one.why_not]
        usual = usual_format(Path(), document.checkpoint).name
        able = [one for one in able if one.name == usual] or able
        dialog = ExportDialog(self._window)
        dialog.set_written(self._written)
        if preview.is_sentence_encoder:
            dialog.purposes.set_sentence_encoder()
        dialog.set_offers(preview.offers, usual=able[0].name if able else "")
        dialog.target.set_locator(locate)
        if not is_store(source):
            dialog.target.set_source(str(source), kept_name(source).name)
        target = proposed_target(self._opened, able[0].suffixes if able else (".safetensors",))
        target = self.session.folder("export") / target.name
        masks, total = preview.snapshot.masks, self.session.contents.size.parameters
        gone = masks.total_pruned
        share = number_format.part(gone, total) if gone else ""
        # The preview is a step from the current state.
        asked = self._asked() if of.key is document.history.key else ""
        dialog.set_state(of.title, share, pruned=preview.pruned, asked=asked)
        dialog.set_broken(preview.provenance.broken, self.session.contents.shown)
        dialog.target.set_folders(allowed=bool(document.checkpoint.contents.shards))
        dialog.target.set_path(str(target))
        dialog.exportRequested.connect(partial(self._export, of))
        dialog.accepted.connect(self._store_choices)
        FormatSizes(self._jobs, dialog, preview, self.session.refused.emit)
        origin = preview.provenance
        self._forecasts = ShrinkForecasts(self._jobs, dialog, preview.snapshot, origin)
        suffix = file_suffix(self._opened, document.checkpoint)
        folder = shrunk_target(target, self._opened, self._written, suffix)
        dialog.page.target.set_path(
            str(folder),
            str(source),
            suffixes_of_one_file(document.checkpoint, suffix),
            file_suffixes=(*all_suffixes(FORMATS.values()), *GRAPH_SUFFIXES.values(), ".json"),
        )
        dialog.page.offers_code = bool(suffix) and (
            document.checkpoint.format not in GRAPH_SUFFIXES
            and has_program_code(document.checkpoint)
            and trace_of(document.checkpoint) is None
        )
        dialog.page.codeRequested.connect(self._copy_code)
        dialog.page.traceRequested.connect(self._on_trace_requested)
        dialog.page.is_current = of.key is document.history.key
        dialog.page.stepRequested.connect(self._on_step_requested)
        dialog.shrinkRequested.connect(partial(self._shrink, of))
        dialog.rejected.connect(self._forget_forecasts)
        multiple = self.multiple_proposal()(preview.multiple)
        if self._choices is None:
            dialog.page.set_request(CutRequest(multiple=multiple), dialog.page.check_mode(), "")
        else:
            cut = replace(self._cuts.get(of.key, CutRequest()), multiple=multiple)
            dialog.set_choices(replace(self._choices, cut=cut))
            shrunk = shrunk or (self._choices.shrunk and self._has_pruned_units(of.capture))
        self._multiple = preview.multiple
        dialog.select_page(shrunk=shrunk)
        if shrunk:
            dialog.rejected.connect(self._store_page)
        if (statistics := self._statistics()) is not None:
            dialog.page.set_statistics(str(statistics))
        dialog.page.set_folder(str(self.session.folder("data")))
        dialog.page.fileChosen.connect(lambda path: self.session.note_folder("data", Path(path)))
        self.open_dialog(dialog)
        self._cut_evaluation.serve(dialog, of, self._forecasts)
        return dialog

    def multiple_proposal(self) -> Callable[[int | None], int | None]:
        """Return the function that maps the multiple of the last step to that of the page Shrunk.

        It is the last one chosen there, unless another step was applied, or undone, since then.
        """
        choices, of_last_step = self._choices, self._multiple
        chosen = {} if choices is None else {of_last_step: choices.cut.multiple}
        return lambda of_steps: chosen.get(of_steps, of_steps)

    def _has_pruned_units(self, capture: Capture) -> bool:
        """Return whether a step of a state prunes channels or units, or exports found dead ones."""
        done = capture.done
        if not self._keys_with_dead_units.isdisjoint({None, *(record.key for record in done)}):
            return True
        steps = [record.step for record in done if record.step is not None]
        methods = [registry.get(row.method) for step in steps for row in step.rows]
        return any(method.granularity in {"channels", "units"} for method in methods)

    def _store_page(self) -> None:
        """Open the page Full size the next time if the user selected it and cancelled."""
        if self._choices is not None and self.dialog is not None and not self.dialog.is_shrunk:
            self._choices = replace(self._choices, shrunk=False)

    def _store_choices(self) -> None:
        if self.dialog is not None:
            self._choices = self.dialog.choices()
            self._cuts[self._key] = self._choices.cut
            self.multipleChosen.emit(self._choices.cut.multiple)

    def _on_trace_requested(self) -> None:
        self._close_before_export()
        self.traceRequested.emit()

    def _on_step_requested(self, step: CutStep) -> None:
        self._close_before_export()
        self.stepRequested.emit(step)

    def _close_before_export(self) -> None:
        """Close the dialog, which the user will open again; keep the choices except for the cut."""
        if self.dialog is not None:
            chosen = self.dialog.choices()
            last = self._choices or ExportChoices(cut=CutRequest(multiple=self._multiple))
            self._choices = replace(chosen, shrunk=last.shrunk, cut=last.cut)
            self.dialog.reject()

    def _shrink(self, of: ExportedState, order: ShrinkOrder) -> None:
        """Write the confirmed cut of a state, and show its report."""
        surveyed = None if self._forecasts is None else self._forecasts.surveyed
        self._forget_forecasts()
        assert surveyed is not None  # there is a forecast
        if order.forecast.has_dead_units:
            self._keys_with_dead_units.add(of.key)
        self._write_cut(of, surveyed, order)

    def _describe_quality(self, quality: StateQuality | None) -> ReportedQuality:
        """Return the quality of a state with its conditions, and the names of all known data."""
        evaluation = self._evaluation
        measured = [result.conditions for result in evaluation.stored_results]
        scanned = [kept.conditions for kept in self._scans() if kept.conditions is not None]
        conditions = None if quality is None else evaluation.shown_conditions
        return ReportedQuality(quality, conditions, data_names((*measured, *scanned)))

    @flow
    def _write_cut(
        self, of: ExportedState, surveyed: SurveyedState, order: ShrinkOrder
    ) -> Flow[None]:
        """Write a cut of the surveyed state, and show its report.

        The state counts as exported if the cut computes the same.
        """
        self.session.check_may_look()
        capture, shown = of.capture, self.session.contents.shown
        write = ShrinkJob(capture, surveyed, order, self.session.kernel).work
        data = evaluation_data(self._evaluation.source, self.session.contents.classifier)
        found = self._evaluation.cut_result(of.key, order.forecast.request.identity())
        quality = None if found is None or found[1] else found[0]
        full_size = self._evaluation.quality_of(of.key) if quality is None else None
        measured = self._describe_quality(quality or full_size)
        measured = replace(measured, before_shrinking=full_size is not None)

        def work(job: Job) -> ExportReport:
            # The job does not cancel the other files: the model is written already.
            return write_cut_files(
                capture, order, write(job), Job(), evaluation=data, measured=measured
            )

        job = RunJob(self.tr("Shrinking"), work, Lane.WRITING)
        try:
            report = yield from self._write(job, order.path)
        except Cancelled:
            self._say_cancelled(job, order.path)
            return
        except PruneAppError as error:
            yield from self._ask_again(error, of)
            return
        document = self.session.document
        if document is not None and order.forecast.exactness == EXACT and not order.forecast.rounds:
            document.mark_exported(capture.snapshot)
        if self._choices is not None:
            self._choices = replace(self._choices, folder="")  # the folder exists now
        metric = self._cut_evaluation.text_of(of.key, order.forecast)
        if metric and (warning := self._cut_evaluation.same_text_warning(order.forecast)):
            metric = join_sentences(metric, warning)
        self._show_report(report, shown, of, metric)
        self.exported.emit(report)

    def _write(self, job: RunJob[ExportReport], path: Path) -> Flow[ExportReport]:
        """Run a job that writes to `path` and return its report.

        No other export may write there meanwhile. Emits `began` first, and raises the errors of the
        job and `Cancelled`.
        """
        target = _resolved(path)
        self._set_written((*self._written, target))
        self.began.emit(path)
        try:
            return (yield from job)
        finally:
            self._set_written(tuple(other for other in self._written if other is not target))

    def _set_written(self, paths: tuple[Path, ...]) -> None:
        self._written = paths
        if self.dialog is not None:
            self.dialog.set_written(paths)

    def _forget_forecasts(self) -> None:
        self._forecasts = None  # it refers to the state, which needs memory

    def _say_cancelled(self, job: RunJob[ExportReport], path: Path) -> None:
        if job.is_cancelled:  # otherwise it ended by an internal error, which is reported elsewhere
            sentence = self.tr("Export of {name} cancelled: nothing was written.")
            self.cancelled.emit(sentence.format(name=path.name))

    @flow
    def _export(self, of: ExportedState, request: ExportRequest) -> Flow[None]:
        """Export a state, after asking about links and unreadable tensors.

        If only the export itself finds tensors that the format cannot hold, it asks about them
        then, and exports again.
        """
        self._check_may_write(request)
        path, document = request.path, self.document
        request = replace(request, follow_links=is_followed_link(path))
        if request.follow_links and not dialogs.follow_link(
            self._window, str(path), str(path.resolve())
        ):
            return
        form = FORMATS[request.format]
        unread = find_unwritable(document.checkpoint, form, request.params)
        while True:
            if unread:
                others = (other for other in FORMATS.values() if other is not form)
                keeping = next(
                    (translate_declared(f.label) for f in others if f.keeps(document.checkpoint)),
                    "",
                )
                label = translate_declared(form.label)
                if not dialogs.exclude_unreadable(self._window, unread, label, keeping):
                    return
                request = replace(request, omit=tuple(unread))
            try:
                yield from self._export_document(of, request)
            except UnwritableError as error:
                # Only planning the export shows whether a container survives pruning.
                if self.session.document is not document:
                    raise
                self._check_may_write(request)
                unread = error.unread
            except PruneAppError as error:
                yield from self._ask_again(error, of)
                return
            else:
                return

    def _check_may_write(self, request: ExportRequest) -> None:
        """Raise the reason why an export may not be written now, if there is one.

        A running repair or recovery reads the opened files, so these are not replaced meanwhile.
        """
        try:
            self.session.check_may_work()
        except PruneAppError:
            checkpoint = self.document.checkpoint
            opened = checkpoint.path, *(file.path for file in checkpoint.files)
            if request.replace_original or _resolved(request.path) in map(_resolved, opened):
                raise
            self.session.check_may_look()

    def _ask_again(self, error: PruneAppError, of: ExportedState) -> Flow[None]:
        """Open the dialog again after an export of a state failed, with the error.

        The error is raised instead if another file was opened or the state deleted meanwhile, or
        another dialog is open.
        """
        document, checkpoint = self.session.document, of.capture.snapshot.checkpoint
        is_open = document is not None and document.checkpoint is checkpoint
        position = document.state_of(of.key) if document is not None and is_open else -1
        if position < 0 or QApplication.activeModalWidget() is not None:
            raise error
        yield from self._ask(error, position=position)

    def _export_document(self, of: ExportedState, request: ExportRequest) -> Flow[None]:
        """Run an export, and show its report, also if it was cancelled after it was written.

        Changes are refused while the opened file is replaced. The state counts as exported. If the
        file cannot provide pruned weights any more, the export is opened instead.
        """
        cluster = self._cluster()
        data = evaluation_data(self._evaluation.source, self.session.contents.classifier)
        measured = self._describe_quality(self._evaluation.quality_of(of.key))
        writing = ExportJob(of.capture, request, cluster, data, measured)
        shown = self.session.contents.shown
        if request.replace_original:
            self.session.lock(
                self,
                PruneAppError(
                    "The original file is being replaced by an export.",
                    remedy="Wait for the export to finish, or press Esc to cancel it.",
                ),
            )
        title = self.tr("Exporting on the cluster") if cluster else self.tr("Exporting")
        job = RunJob(title, writing.work, Lane.WRITING)
        try:
            report = yield from self._write(job, request.path)
        except Cancelled:
            if writing.report is None:
                self._say_cancelled(job, request.path)
                return
            late = self.tr("The export was already written when it was cancelled.")
            if writing.missing:
                names = translate_sentence(first_names([path.name for path in writing.missing]))
                late = join_sentences(
                    late,
                    self.tr("These files could not be written next to it: {names}.").format(
                        names=names
                    ),
                )
            report = replace(writing.report, notices=(*writing.report.notices, late))
        finally:
            # Only for the export that holds the lock: others may end earlier.
            if request.replace_original:
                self.session.lock(self, None)
        # The state may have changed meanwhile, or another file may be open.
        document, snapshot = self.session.document, writing.capture.snapshot
        if document is not None:
            document.mark_exported(snapshot)
        if self._choices is not None:
            self._choices = replace(self._choices, path="")  # propose another name next time
        self._show_report(report, shown, of)
        self.exported.emit(report)
        if report.undo_ends and document is not None and document.checkpoint is snapshot.checkpoint:
            self.session.open(report.path)

    def _show_report(
        self,
        report: ExportReport,
        shown: Mapping[str, str],
        of: ExportedState,
        cut_metric: str = "",
    ) -> None:
        """Show the report of an export of a state, in a dialog of its own.

        `cut_metric` are sentences with the metric of an evaluated cut.
        Its folder is stored for the next time, if it is not that of the opened file.
        """
        dialog = ExportReportDialog(
            report,
            self._window,
            shown=shown,
            short=self.session.contents.short,
            steps=[(step.label, step.detail) for step in _steps_of(of.capture)],
            state_texts=(of.title, _note_of(of.capture)),
            cut_metric=cut_metric,
        )
        dialog.folderRequested.connect(self._show_folder)
        dialog.finished.connect(self._on_report_finished)
        self._theme.apply_to(dialog)
        self.report = dialog
        dialog.open()
        beside = report.path.absolute().parent == self._opened.absolute().parent
        if not (beside or is_store(report.path)):
            # otherwise the export of the next file is proposed next to that file
            self.session.note_folder("export", report.path)

    def _show_folder(self, path: Path) -> None:
        """Show the folder of a path in the file manager; if that fails, the dialog says so."""
        path = path.absolute()
        folder = path if is_folder(path) else path.parent
        dialog = self.sender()
        assert isinstance(dialog, ExportReportDialog)
        shown = QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
        why = self.tr("No file manager was found to show '{folder}'. Open the folder manually.")
        dialog.set_trouble("" if shown else why.format(folder=folder))

    def _on_report_finished(self, _result: int) -> None:
        # Each export has its own dialog: this may not be the latest.
        dialog = self.sender()
        assert isinstance(dialog, ExportReportDialog)
        dialog.deleteLater()
        if dialog is self.report:
            self.report = None
