"""Control the page "Shrunk": survey dead units, forecast a cut, and write the shrunk model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path
from PySide6.QtCore import QObject

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.formats.onnx import ONNX
from pruneapp.checkpoint.io.files import temporary_folder
from pruneapp.checkpoint.io.store import is_store
from pruneapp.checkpoint.torchfile.exported_program import FORMAT as EXPORTED_PROGRAM
from pruneapp.document.document import Capture
from pruneapp.document.history import PastState
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError
from pruneapp.evaluation.metric import EvaluatedCut
from pruneapp.export.catalog import FORMATS, usual_format
from pruneapp.export.destination.sidecars import CONFIG
from pruneapp.export.format import Format
from pruneapp.export.formats.exported_program import SUFFIX as PROGRAM_SUFFIX
from pruneapp.export.provenance import Provenance, provenance_of
from pruneapp.export.report import ExportReport
from pruneapp.export.sharding import usual_suffix
from pruneapp.groups.structure import Unknown
from pruneapp.gui.app.jobs import JobProgress, Jobs, Lane, LatestTask
from pruneapp.gui.evaluation.measurement import MeasuredCut, ScriptProcess, identify
from pruneapp.gui.export.dialog import ExportDialog
from pruneapp.gui.export.shrink_page import ShrinkOrder
from pruneapp.gui.widgets.engine_text import translate_error, translate_sentence
from pruneapp.gui.widgets.labels import with_label, with_note
from pruneapp.gui.widgets.typed_path import free_path
from pruneapp.kernels.kernel import Kernel
from pruneapp.progress import Job
from pruneapp.recipes.recipe import history_recipe
from pruneapp.shrink.forecast import ShrinkForecast, cut_out, forecast
from pruneapp.shrink.shrink import ShrinkRequest, shrink
from pruneapp.shrink.shrunk_state import ShrunkState
from pruneapp.shrink.surveyed_state import CutRequest, SurveyedState, survey_state

if TYPE_CHECKING:
    from pruneapp.shrink.check import How

SHRUNK = "-shrunk"
# Suffixes of shrunk models that contain their graph, by the format of the source.
GRAPH_SUFFIXES = {ONNX.name: ONNX.suffixes[0], EXPORTED_PROGRAM: PROGRAM_SUFFIX}
# script that is run by the Python that checks folders
_CHECKER = "pruneapp_worker/shrunk_folder.py"
# mode in which a check uses the class of the model; None: it does not
_CHECKS: Mapping[str, How | None] = {"shapes": None, "meta": "meta", "run": "run"}


def file_suffix(opened: Path, checkpoint: Checkpoint) -> str:
    """Return the suffix of a shrunk model that is a single file; "" if it is a folder.

    It is that of the opened format if that can be written. `opened` is the opened path. A model in
    a folder, or beside a config.json, or in an object store is written to a folder.
    """
    if is_store(opened) or opened.is_dir() or opened.suffix == ".json":
        return ""
    if (opened.parent / CONFIG).is_file():
        return ""
    form = usual_format(Path(), checkpoint)
    return GRAPH_SUFFIXES.get(checkpoint.format) or usual_suffix(checkpoint, form)


def suffixes_of_one_file(checkpoint: Checkpoint, suffix: str) -> tuple[str, ...]:
    """Return the suffixes that a single-file shrunk model may have; `suffix` is the proposed one.

    As on the command line, the suffix determines the format. A graph keeps its own format. Empty if
    `suffix` is empty.
    """
    if not suffix or checkpoint.format in GRAPH_SUFFIXES:
        return (suffix,) if suffix else ()
    return all_suffixes(form for form in FORMATS.values() if not form.why_not(checkpoint))


def all_suffixes(forms: Iterable[Format]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(suffix for form in forms for suffix in form.suffixes))


def shrunk_target(target: Path, opened: Path, written: Collection[Path], suffix: str) -> Path:
    """Return a path for a shrunk model that does not exist yet, next to the export `target`.

    `suffix` is the result of `file_suffix`. `written` contains the targets of exports in progress.
    """
    if is_store(opened):
        return target.with_name(f"{opened.stem or target.stem}{SHRUNK}")
    opened = opened.resolve() if ".." in opened.parts else opened.absolute()
    home = opened.parent
    name = opened.name if opened.is_dir() else opened.stem
    if opened.suffix == ".json" or (home / CONFIG).is_file():  # a file in a model folder
        name = home.name
        if target.absolute().parent == home:  # not inside the model folder
            target = home
    wanted = target.with_name((name or target.stem) + SHRUNK)
    return Path(free_path(str(wanted), suffix, written))


def survey_and_forecast(
    snapshot: Snapshot, request: CutRequest, origin: Provenance, job: Job
) -> tuple[SurveyedState | None, ShrinkForecast]:
    """Survey dead units of a state and forecast a cut.

    For an unknown type of model the survey is None, and the forecast has the reason.
    """
    found = survey_state(snapshot, job)
    if isinstance(found, Unknown):
        return None, ShrinkForecast(request, why_not=found.why_not)
    return forecast_in(found, request, origin, job)


def forecast_in(
    surveyed: SurveyedState, request: CutRequest, origin: Provenance, job: Job
) -> tuple[SurveyedState, ShrinkForecast]:
    """Forecast a cut; also return `surveyed` with the tokens in use, which are slow to find."""
    known = surveyed.with_tokens(request, job)
    return known, forecast(known, request, job, origin)


def python_text(job: Job) -> str:
    """Return which Python would check a folder, or why there is none; starts no process."""
    # Imported here because it imports the code for processes, which a forecast does not need.
    from pruneapp.evaluation.script import EvaluationScript, find_interpreter

    script = EvaluationScript.read(resources.path(_CHECKER))
    try:
        found = find_interpreter(script, job=job, make=False)
    except PruneAppError as error:
        return f"▲ {translate_error(error)}"
    return with_label("Python", with_note(str(found.path), translate_sentence(found.found)))


def measure_cut(  # noqa: PLR0917 - each its own type
    surveyed: SurveyedState,
    wanted: ShrinkForecast,
    process: ScriptProcess,
    past: PastState,
    parameters: int,
    calibrated_with: frozenset[str],
    kernel: Callable[[], Kernel],
    job: Job,
) -> MeasuredCut:
    """Measure a cut of a state, of `parameters` parameters, as it would be exported.

    A model of transformers is written to a temporary folder, with its tokenizer: zeros in its place
    would not show the loss by removed tokens, experts and layers. A state dict is written to a
    temporary file, for which workers resize the model of the script. Of other models
    the units of the cut are set to zero, which computes the same. The sparsity of the result is
    that of the model after the cut.

    Raises as `plan_cut`, `shrink` and `ScriptProcess.measure` do, and `EvaluationError` if the
    inputs are random ids of tokens that are removed.
    """
    pruned = 0
    cuts_tokens = bool(wanted.request.vocabulary or wanted.request.texts)
    if cuts_tokens and process.runs_random_inputs:
        # Imported here because it imports the code for processes, which a forecast does not need.
        from pruneapp.evaluation.process import EvaluationError

        raise EvaluationError(
            "The evaluation uses random token IDs, and with fewer tokens the same ID is another "
            "token: the outputs cannot be compared.",
            remedy="Choose a text file or a script for the evaluation.",
        )

    @contextmanager
    def cut(part: Job) -> Iterator[Snapshot]:
        nonlocal pruned
        state, planned = surveyed.plan_cut(wanted.request, kernel(), part)
        pruned = sum(ShrunkState(state, planned.cut).count_pruned(part).values())
        source = state.checkpoint
        opened, suffix = source.path, ""
        if not planned.structure.has_class:
            suffix = file_suffix(opened, source)
            if not (suffix and planned.loader and process.runs_script):
                yield state
                return
        # Not in the folder of the system, which may be in memory: it has the size of the model.
        with temporary_folder(user_cache_path("pruneapp", appauthor=False)) as folder:
            report = shrink(state, planned, ShrinkRequest(folder / f"cut{suffix}", {}), part)
            path = report.path if opened.is_dir() else report.files[0].path
            with open_checkpoint(path, job=part) as written:
                yield Snapshot(written)

    found = process.measure(past, parameters, job, calibrated_with, change=cut)
    assert wanted.after is not None  # a forecast that can be planned has sizes
    changes = wanted.changes
    if wanted.rounds:
        changes = (*changes, wanted.request.dtype)
    rest, state = wanted.after.parameters, identify(past, Job(cancel=job.cancel))
    quality = replace(
        found.quality,
        unpruned=False,
        sparsity=pruned / (rest or 1),
        remaining=rest - pruned,
        nbytes=None,
        cut=EvaluatedCut(state, changes, wanted.after.nbytes),
    )
    return MeasuredCut(state, replace(found, quality=quality))


@dataclass(frozen=True, eq=False)
class ShrinkJob:
    """A cut that was confirmed in the dialog."""

    capture: Capture
    surveyed: SurveyedState
    order: ShrinkOrder
    kernel: Callable[[], Kernel]

    def work(self, job: Job) -> ExportReport:
        """Write the document without dead units and without those chosen, as in the forecast."""
        order, snapshot = self.order, self.capture.snapshot
        origin = provenance_of(snapshot, history_recipe(self.capture, job), job, order.path.name)
        return cut_out(
            self.surveyed,
            order.forecast,
            ShrinkRequest(order.path, {}, replace_file=True),
            self.kernel(),
            job,
            origin,
            how=_CHECKS[order.check],
        )


class ShrinkForecasts(QObject):
    """Computes what the page shows; all work is cancelled when the dialog closes.

    The survey of dead units runs once. Forecasts run afterwards; a new one cancels the previous
    one.
    """

    def __init__(
        self, jobs: Jobs, dialog: ExportDialog, snapshot: Snapshot, origin: Provenance
    ) -> None:
        super().__init__(dialog)
        self._page = dialog.page
        self._snapshot = snapshot
        self._origin = origin
        self.surveyed: SurveyedState | None = None
        self._title = self.tr("Looking for dead units")
        self._survey, self._answer, self._python = (LatestTask(jobs) for _ in range(3))
        self._page.surveyRequested.connect(self._start_survey)
        self._page.forecastRequested.connect(self._forecast)
        jobs.progressed.connect(self._on_progressed)
        dialog.finished.connect(self._stop)

    def _start_survey(self) -> None:
        """Start the survey and the forecast of the current request; look for a Python meanwhile.

        Called again, it cancels the previous survey.
        """
        snapshot, request, origin = self._snapshot, self._page.request, self._origin
        self._python.start(python_text, self._page.set_python, lane=Lane.BACKGROUND)
        self._survey.start(
            lambda job: survey_and_forecast(snapshot, request, origin, job),
            self._on_surveyed,
            self._on_error,
            title=self._title,
            on_cancelled=self._on_stopped,
        )

    def _on_surveyed(self, first: tuple[SurveyedState | None, ShrinkForecast]) -> None:
        self.surveyed, found = first
        self._page.set_forecast(found)

    def _forecast(self, request: CutRequest) -> None:
        """Compute a forecast, and cancel the previous one.

        It does nothing before the survey is done.
        """
        surveyed, origin = self.surveyed, self._origin
        if surveyed is None:
            return
        self._answer.start(
            lambda job: forecast_in(surveyed, request, origin, job),
            self._on_surveyed,
            self._on_error,
            lane=Lane.SHORT,  # after the interactive size estimates
        )

    def _on_error(self, error: PruneAppError) -> None:
        self._page.set_trouble(translate_error(error))

    def _on_stopped(self) -> None:
        self._page.set_trouble(self.tr("The search for dead units was cancelled."))

    def _on_progressed(self, progress: JobProgress) -> None:
        if progress.title == self._title:
            self._page.set_progress(progress.done, progress.total)

    def _stop(self, _result: int) -> None:
        for task in (self._survey, self._answer, self._python):
            task.cancel()
