"""The contents of the report of a history, and the function that collects them."""

from __future__ import annotations

import datetime as dt
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Self

from pruneapp import __version__
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import size_of
from pruneapp.checkpoint.io.digest import bytes_left, sha256_of
from pruneapp.checkpoint.io.files import is_folder
from pruneapp.document.document import Capture, Document, HistoryItem, numbered_title
from pruneapp.document.edit import Record
from pruneapp.document.entries import Entry, RecoveryEntry, RecoverySource, RepairEntry
from pruneapp.document.history import PastState
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import counted
from pruneapp.evaluation.evaluator import state_sha256
from pruneapp.evaluation.metric import (
    MeasuredState,
    StateQuality,
    StepKind,
    measured_ancestors,
    step_kind,
)
from pruneapp.evaluation.report.results import KeptScan, StoredResult, data_names
from pruneapp.evaluation.runner import Conditions
from pruneapp.evaluation.scan import Sensitivity, sensitivities_of
from pruneapp.export.catalog import usual_format
from pruneapp.export.provenance import allocation_data, calibration_data, calibration_names
from pruneapp.export.report_writer import same_data_text
from pruneapp.export.sharding import needs_folder, usual_suffix
from pruneapp.export.size_bounds import unpacked_size
from pruneapp.installation import describe_machine
from pruneapp.json_codec import convert, load_object
from pruneapp.methods.registry import METHODS
from pruneapp.progress import Job
from pruneapp.recipes.recipe import (
    SUFFIX,
    Recipe,
    history_recipe,
    mask_folder,
    portable_text,
    values_folder,
)

_SHA256_LENGTH = 64
# How a step used its data.
_TRAINED, _ALLOCATED = "trained with", "allocated by a scan on"
# Kinds of calibration data whose names are paths.
_IMAGES = re.compile(r"^((?:test )?images:)(.*)$", re.DOTALL)


@dataclass(frozen=True)
class HashedFile:
    """A file of the opened model, without its folder."""

    name: str
    nbytes: int
    sha256: str


@dataclass(frozen=True)
class ReportedState:
    """A state of the history."""

    number: int
    parent: int  # -1 for the opened file
    depth: int  # number of states between it and the opened file that have several children
    title: str  # its name, or what the step did
    label: str  # what the step did, if the state has a name; else empty
    note: str  # of the user
    detail: str  # all settings of the step, in lines
    kind: StepKind | None  # None for the opened file
    sparsity: float  # share of the parameters that are pruned
    remaining: int  # number of parameters that are not pruned
    nbytes: int  # bytes of all tensors in a compact file, before compression
    calibration: tuple[str, ...]  # identifiers of the data that its step was calibrated with
    data_use: str  # how its step used these data: "calibrated with", "trained with"
    settings: tuple[str, ...]  # of the calibration: samples, and the method of a recovery
    is_current: bool

    @property
    def trains(self) -> bool:
        """Whether its step used the data in train() of a script."""
        return self.data_use == _TRAINED


@dataclass(frozen=True)
class ReportedEvaluation:
    """One evaluation, and what it measured."""

    conditions: Conditions
    of_state: Mapping[int, StateQuality]  # by the number of the state
    metrics: tuple[str, ...]  # names, in the order returned by the script
    shares: frozenset[str]  # names of the metrics that are shown in percent

    @property
    def is_calibrated(self) -> bool:
        """Whether a state was chosen or calibrated with the evaluation data."""
        return any(m.calibrated for quality in self.of_state.values() for m in quality.metrics)


@dataclass(frozen=True)
class ReportedScan:
    """A sensitivity scan in the metric that its page shows."""

    conditions: Conditions
    found: Sensitivity


@dataclass(frozen=True)
class HistoryReport:
    """The contents of the report."""

    model: str  # name of the opened file or folder
    parameters: int
    files: tuple[HashedFile, ...]
    states: tuple[ReportedState, ...]
    evaluations: tuple[ReportedEvaluation, ...]  # the latest first
    scans: tuple[ReportedScan, ...]  # the latest first
    recipe: str  # JSON of the steps that lead to the current state
    recipe_name: str
    # What the recipe refers to but does not contain: "masks", "replaced values", "statistics".
    recipe_needs: tuple[str, ...]
    recipe_folders: tuple[str, ...]  # of masks and replaced values, saved next to the recipe
    commands: tuple[str, ...]  # that repeat the current state and its evaluation
    machine: Mapping[str, str]  # the machine that made the report
    date: str  # when the report was made, in UTC
    data_names: Mapping[str, str]  # file names by identifiers of data, as far as they are known
    version: str = __version__

    @property
    def same_data_notes(self) -> tuple[str, ...]:
        """Sentences on functions of scripts that may have read the data of an evaluation."""
        if all(evaluation.conditions.kind != "script" for evaluation in self.evaluations):
            return ()
        notes = (
            same_data_text(data, trains=state.trains)
            for state in self.states
            if state.data_use != _ALLOCATED
            for data in state.calibration
        )
        return tuple(dict.fromkeys(filter(None, notes)))

    @property
    def scan_data(self) -> dict[str, str]:
        """The names of texts that only scans used, by SHA-256."""
        found = (scan.conditions for scan in self.scans)
        evaluated = {evaluation.conditions.data_sha256 for evaluation in self.evaluations}
        return {c.data_sha256: c.data for c in found if c.data_sha256 not in {"", *evaluated}}

    @property
    def calibration_files(self) -> dict[str, str]:
        """The names of files with calibration data by SHA-256, without files of evaluations."""
        files: dict[str, str] = {}
        for name in chain.from_iterable(state.calibration for state in self.states):
            kind, _, sha256 = name.rpartition(":")
            if len(sha256) == _SHA256_LENGTH and kind != "evaluate of script":  # no file's
                files.setdefault(sha256, self.data_names.get(name, kind))
        for evaluation in self.evaluations:
            conditions = evaluation.conditions
            for sha256 in (conditions.script_sha256, conditions.data_sha256):
                files.pop(sha256, None)
        return files


@dataclass(frozen=True, eq=False)
class ReportSource:
    """A document at one moment with its results, for a worker thread that makes the report."""

    capture: Capture
    items: tuple[HistoryItem, ...]
    states: tuple[PastState, ...]
    results: tuple[StoredResult, ...]  # the latest last
    hashes: Mapping[int, str] = field(default_factory=dict)  # SHA-256 of states, as far as known
    scans: tuple[KeptScan, ...] = ()  # the latest last

    @classmethod
    def of(
        cls,
        document: Document,
        results: Sequence[StoredResult],
        hashes: Mapping[int, str] | None = None,
        scans: Sequence[KeptScan] = (),
    ) -> Self:
        """Capture a document; call this on the thread that owns the document. Copies no masks."""
        states = tuple(document.state_at(number) for number in range(len(document.items)))
        return cls(
            Capture.of(document), document.items, states, tuple(results), hashes or {}, tuple(scans)
        )


def collect_report(source: ReportSource, job: Job) -> HistoryReport:
    """Collect the contents of a report. Loads the masks of all states, and hashes the model.

    Only names of files are included, not their folders. Starts `job` several times.

    Raises
    ------
    CheckpointError
        If a file of the model cannot be read.
    HistoryError
        If a mask cannot be read.
    """
    capture, checkpoint = source.capture, source.capture.snapshot.checkpoint
    parameters = size_of(checkpoint.entries.values(), job.cancel).parameters
    states, hashes = [], dict[int, str]()
    for number, snapshot, sha256 in _load_states(source, job):
        hashes[number] = sha256
        states.append(_state(source, number, snapshot, parameters, job))
    recipe = history_recipe(capture, job)
    text = json.dumps(_without_folders(load_object(portable_text(recipe))), indent=2)
    name = checkpoint.path.name
    evaluations = tuple(_evaluations(source.results, hashes))
    recipe_name = f"{Path(name).stem}{SUFFIX}"
    return HistoryReport(
        name,
        parameters,
        tuple(_files(source, job)),
        tuple(states),
        evaluations,
        tuple(_scan(source, kept) for kept in reversed(source.scans) if kept.scan.measured),
        text,
        recipe_name,
        tuple(_needs(recipe)),
        tuple(_folders(recipe, Path(recipe_name))),
        tuple(_commands(checkpoint, recipe_name, evaluations)) if recipe.entries else (),
        describe_machine(__version__),
        dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        _data_names(source),
    )


def measured_states(
    source: ReportSource, words_of: Callable[[Record], str], job: Job
) -> tuple[MeasuredState, ...]:
    """Return the states of a document that its latest evaluation measured, oldest first.

    Loads the masks of all states. `words_of` returns the name of the series of an edit. Labels
    are the numbered titles of the states. Raises `HistoryError` if a mask cannot be read.
    """
    hashes = {number: sha256 for number, _, sha256 in _load_states(source, job)}
    latest = next(_evaluations(source.results, hashes), None)
    if latest is None:
        return ()
    records, branches = source.capture.records, source.capture.branches
    joined = measured_ancestors(branches, len(source.items), latest.of_state)
    return tuple(
        MeasuredState(
            number,
            numbered_title(number, source.items[number]),
            quality,
            is_old=False,
            kind=words_of(records[number - 1]) if number else "",
            joined=joined[number],
            step=step_kind(records[number - 1]) if number else StepKind.OTHER,
        )
        for number, quality in latest.of_state.items()
    )


def _load_states(source: ReportSource, job: Job) -> Iterator[tuple[int, Snapshot, str]]:
    """Yield the number of each state, the state and its SHA-256."""
    for number, past in enumerate(source.states):
        snapshot = past.load(Job(cancel=job.cancel))
        yield number, snapshot, source.hashes.get(number) or state_sha256(snapshot, job)


def _state(
    source: ReportSource, number: int, snapshot: Snapshot, parameters: int, job: Job
) -> ReportedState:
    item, capture = source.items[number], source.capture
    branches, records = capture.branches, capture.records
    pruned = snapshot.masks.total_pruned
    entry = _entry_of(records[number - 1]) if number else None
    data = () if entry is None else calibration_data((entry,))
    children = list(branches.after)
    way = (0, *branches.path(number))[:-1] if number else ()
    return ReportedState(
        number,
        branches.parent(number),
        sum(children.count(state) > 1 for state in way),
        item.title,
        item.label if item.name else "",
        item.note,
        item.detail if number else "",  # that of the opened file is its path
        step_kind(records[number - 1]) if number else None,
        pruned / (parameters or 1),
        parameters - pruned,
        unpacked_size(snapshot, job),
        tuple(map(_without_folder, data)),
        _data_use(entry, data),
        tuple(_settings(entry)),
        number == capture.position,
    )


def _data_use(entry: Entry | None, data: Sequence[str]) -> str:
    """Return how a step used its data, as the words before their names."""
    if isinstance(entry, RecoveryEntry) and entry.configuration.source.method == "training":
        return _TRAINED
    is_allocated = entry is not None and data and allocation_data((entry,)).issuperset(data)
    return _ALLOCATED if is_allocated else "calibrated with"


def _settings(entry: Entry | None) -> Iterator[str]:
    """Yield phrases on the samples of a repair or recovery, and on the method of a recovery."""
    if not isinstance(entry, RepairEntry | RecoveryEntry):
        return
    source = entry.configuration.source
    if source.samples:
        yield counted(source.samples, "sample")
    if isinstance(source, RecoverySource):
        steps = counted(source.steps, "step")
        if source.method == "training":
            yield steps
        elif source.is_repair_only:
            yield "sequential repair only, the trained weights are not used"
        elif source.is_blocks_only:
            yield (
                f"distillation of {source.trained_blocks} of {counted(source.blocks, 'block')}, "
                "not of the whole model"
            )
        else:
            blocks = "of the blocks, then of the whole model " if source.windows else ""
            yield f"distillation {blocks}in {steps}, learning rate {source.lr:.4g}"


def _data_names(source: ReportSource) -> dict[str, str]:
    """Return the file names of data by their identifiers, as in `calibration_data`."""
    measured = [result.conditions for result in source.results]
    scanned = [kept.conditions for kept in source.scans if kept.conditions is not None]
    return data_names((*measured, *scanned)) | calibration_names(
        map(_entry_of, source.capture.records)
    )


def _entry_of(record: Record) -> Entry:
    entry: Entry = convert(record.as_json(), Entry)
    return entry


def _evaluations(
    results: Sequence[StoredResult], hashes: Mapping[int, str]
) -> Iterator[ReportedEvaluation]:
    """Yield the evaluations that measured any of the states, the latest first."""
    by_evaluation: dict[str, dict[str, StoredResult]] = {}
    for result in results:
        by_evaluation.setdefault(result.evaluation, {})[result.state] = result
    for found in reversed(by_evaluation.values()):
        of_state = {n: found[sha256].quality for n, sha256 in hashes.items() if sha256 in found}
        names = dict.fromkeys(m.name for quality in of_state.values() for m in quality.metrics)
        if of_state:
            conditions = next(iter(found.values())).conditions
            shares = {m.name for q in of_state.values() for m in q.metrics if m.share}
            yield ReportedEvaluation(conditions, of_state, tuple(names), frozenset(shares))


def _scan(source: ReportSource, kept: KeptScan) -> ReportedScan:
    scan, number, conditions = kept.scan, kept.state, kept.scan.conditions
    names = tuple(one.name for one in scan.metrics)
    metric = kept.shown_metric
    known = METHODS.get(conditions.method)
    method = conditions.method if known is None else known.label
    found = Sensitivity(
        names,
        metric.name,
        metric.higher,
        metric.before,
        metric.noise,
        scan.amounts,
        sensitivities_of(scan, metric),
        f"{method}, repaired" if conditions.repair else method,
        metric.name in kept.shares,
        numbered_title(number, source.items[number]) if 0 <= number < len(source.items) else "",
        number == source.capture.position,
        calibrated=scan.calibrated,
    )
    unnamed = Conditions(conditions.script, conditions.limit, conditions.seed)
    return ReportedScan(kept.conditions or unnamed, found)


def _files(source: ReportSource, job: Job) -> Iterator[HashedFile]:
    files = source.capture.snapshot.checkpoint.files
    job.start(sum(map(bytes_left, files)))
    for file in files:
        job.label(file.path.name)
        yield HashedFile(file.path.name, file.size, sha256_of(file, job))


def _needs(recipe: Recipe) -> Iterator[str]:
    if any(recipe.named_masks()):
        yield "masks"
    if any(recipe.named_values()):
        yield "replaced values"
    if '"statistics"' in recipe.canonical():
        yield "statistics"


def _folders(recipe: Recipe, path: Path) -> Iterator[str]:
    if any(recipe.named_masks()):
        yield mask_folder(path).name
    if any(recipe.named_values()):
        yield values_folder(path).name


def _commands(
    checkpoint: Checkpoint, recipe: str, evaluations: Sequence[ReportedEvaluation]
) -> Iterator[str]:
    """Yield the command that repeats the current state, and the one that measures it."""
    model, pruned = checkpoint.path.name, _pruned_name(checkpoint)
    contents = checkpoint.contents
    choice = ["--state-dict", contents.state_dict] if len(contents.state_dicts) > 1 else []
    yield shlex.join(["pruneapp", "run", recipe, model, *choice, "-o", pruned])
    for evaluation in evaluations[:1]:
        yield " ".join(_evaluate(evaluation.conditions, pruned, model))


def _pruned_name(checkpoint: Checkpoint) -> str:
    """Return a name for the pruned model that selects the format of the opened model.

    The script of an evaluation reads both models, so they need the same format.
    """
    path, form = checkpoint.path, usual_format(Path(), checkpoint)
    if path.suffix == ".json":  # the index of a folder
        path = path.parent
    if is_folder(path) or needs_folder(checkpoint, form, {}):
        return f"{path.name}-pruned"
    return f"{path.stem}-pruned{usual_suffix(checkpoint, form)}"


def _evaluate(conditions: Conditions, pruned: str, model: str) -> Iterator[str]:
    yield shlex.join(["pruneapp", "evaluate", pruned, "--against", model])
    options = {
        "script": ["--script", conditions.name],
        "command": ["--command", f"{conditions.name} …"],
        "text": ["--text", conditions.data],
        "images": ["--images", conditions.data],
    }.get(conditions.kind, [])
    if conditions.limit is not None:
        options += ["--samples", str(conditions.limit)]
    if conditions.seed:
        options += ["--script-seed", str(conditions.seed)]
    if options:
        yield shlex.join(options)


def _without_folder(name: str) -> str:
    """Return the name of calibration data without the folder of images."""
    found = _IMAGES.match(name)
    return name if found is None else found[1] + re.split(r"[\\/]", found[2].rstrip("\\/"))[-1]


def _without_folders(value: Any) -> Any:
    """Return JSON in which images are named without their folders."""
    if isinstance(value, dict):
        return {key: _without_folders(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_folders(each) for each in value]
    return _without_folder(value) if isinstance(value, str) else value
