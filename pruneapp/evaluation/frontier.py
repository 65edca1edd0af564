"""The frontier of a pruning step: sparsity against metric, with and without recovery.

Its file is strict JSON. Points that are not measured yet are missing, so the file of an interrupted
command is valid.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta
from msgspec.structs import asdict, replace

from pruneapp import json_codec
from pruneapp.checkpoint.io.digest import files_sha256
from pruneapp.checkpoint.io.upload import write_whole
from pruneapp.document.entries import Part
from pruneapp.document.selection import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.errors import JsonError, ParameterError, first_names
from pruneapp.evaluation.evaluator import Evaluator
from pruneapp.evaluation.metric import NoNumberError, is_compared
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.recovery import RecoverySettings, recover_by_script, train_by_script
from pruneapp.evaluation.rounds import RecoverBy
from pruneapp.evaluation.runner import ScriptRunner, data_of
from pruneapp.evaluation.scan import changes_sha256, measure_before
from pruneapp.evaluation.scan_file import ScanMetric
from pruneapp.evaluation.worker import EventCallback
from pruneapp.kernels.kernel import Kernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.recipes.replay import expand_schedule

FORMAT: Literal["pruneapp-frontier"] = "pruneapp-frontier"
VERSION: Literal[1] = 1
SUFFIX = ".frontier.json"
POINTS = (0.5, 0.7, 0.8, 0.9, 0.95)
_LARGEST = 16 << 20

Share = Annotated[float, Meta(gt=0.0, le=1.0)]
Count = Annotated[int, Meta(ge=0)]
Values = dict[str, float]


class FrontierConditions(Part, frozen=True):
    """The conditions that all numbers of a frontier depend on; file names are informative only."""

    checkpoint: str
    checkpoint_sha256: str
    script: str
    script_sha256: str
    interpreter_sha256: str
    step: dict[str, Any]  # JSON of the step, of which the amount is replaced
    seed: int = 0
    limit: int | None = None
    device: str = ""
    state_sha256: str = ""  # see `changes_sha256`
    # How points are recovered: "distillation", "training", or empty for not at all.
    recover: Literal["", "distillation", "training"] = ""
    steps: Count = 0  # of a distillation
    data: str = ""  # see `data_of`


class FrontierPoint(Part, frozen=True):
    """The model pruned to one sparsity."""

    sparsity: Share  # requested share of the weights of the tensors
    pruned: Count  # number of pruned weights of these tensors
    # Metrics that are finite, without and with recovery; None if the recovery is not computed yet.
    metrics: Values
    recovered: Values | None = None


class Frontier(Part, frozen=True):
    """A frontier, complete or not."""

    format: Literal["pruneapp-frontier"]
    version: Literal[1]
    conditions: FrontierConditions
    weights: Annotated[int, Meta(ge=1)]  # number of weights of the tensors of the step
    pruned: Count  # of which are pruned before
    sparsities: Annotated[tuple[Share, ...], Meta(min_length=1)]  # all that were requested
    metrics: Annotated[tuple[ScanMetric, ...], Meta(min_length=1)]
    points: tuple[FrontierPoint, ...] = ()  # by ascending sparsity

    @property
    def is_complete(self) -> bool:
        """Whether all requested points are measured."""
        return self.n_measured == len(self.sparsities)

    @property
    def n_measured(self) -> int:
        """Number of points that are measured, with recovery if that is requested."""
        recovers = bool(self.conditions.recover)
        return sum(not recovers or point.recovered is not None for point in self.points)

    def point(self, sparsity: float) -> FrontierPoint | None:
        """Return the point of a requested sparsity; None if it is not measured yet."""
        return next((p for p in self.points if p.sparsity == sparsity), None)

    def with_point(self, point: FrontierPoint) -> Frontier:
        """Return a frontier with a point, which replaces one of the same sparsity."""
        others = [one for one in self.points if one.sparsity != point.sparsity]
        points = sorted([*others, point], key=lambda one: one.sparsity)
        return replace(self, points=tuple(points))

    def metric(self, name: str = "") -> ScanMetric:
        """Return the metric called `name`; the first one without a name.

        Raises `EvaluationError` if there is none.
        """
        found = next((m for m in self.metrics if not name or m.name == name), None)
        if found is None:
            raise EvaluationError(f"The frontier has no metric '{name}'.")
        return found

    def curve(self, name: str, *, recovered: bool) -> list[tuple[float, float]]:
        """Return (sparsity, value) of the points with this metric, from the start on.

        The first is that of the state before the step.
        """
        found = [(self.pruned / self.weights, self.metric(name).before)]
        for point in self.points:
            values = point.recovered if recovered else point.metrics
            if values is not None and name in values:
                found.append((point.pruned / self.weights, values[name]))
        return found

    def knee(self, name: str) -> float | None:
        """Return the sparsity at the knee of the recovered curve, or of the only one.

        See `knee_of`; None if there is none.
        """
        metric = self.metric(name)
        curve = self.curve(metric.name, recovered=bool(self.conditions.recover))
        index = knee_of(curve, higher=metric.higher)
        return None if index is None else curve[index][0]

    def text(self) -> bytes:
        """Return the frontier as JSON."""
        return json_codec.encode(self, indent=1) + b"\n"


def knee_of(curve: Sequence[tuple[float, float]], *, higher: bool) -> int | None:
    """Return the index of the point that is farthest above the chord between the ends.

    With the values ``q`` of a metric, negated if lower values are better, that is the maximum of
    ``q_i - q_0 - (q_n - q_0) (x_i - x_0) / (x_n - x_0)``: the distance to the chord is this times a
    constant. Before it, sparsity costs less than on average; after it, more.

    Returns None for fewer than three points, or if no point is above the chord.
    """
    if len(curve) < 3:
        return None
    sign = 1.0 if higher else -1.0
    (x0, y0), (xn, yn) = curve[0], curve[-1]
    if xn <= x0:
        return None
    slope = (yn - y0) / (xn - x0)
    above = [sign * (y - y0 - slope * (x - x0)) for x, y in curve]
    best = max(range(len(curve)), key=lambda index: above[index])
    return best if above[best] > 1e-9 * abs(yn - y0) else None


@dataclass(frozen=True)
class FrontierRequest:
    """The step, the sparsities, and how each point is recovered.

    Raises `ParameterError` if a sparsity is no fraction, the step has several rows, or its method
    supports no total.
    """

    template: Step  # its amount and its total are ignored
    sparsities: tuple[float, ...] = POINTS
    recover: RecoverBy = "distillation"
    recovery: RecoverySettings = field(default_factory=RecoverySettings)

    def __post_init__(self) -> None:
        chosen = tuple(sorted({float(one) for one in self.sparsities}))
        wrong = [str(one) for one in self.sparsities if not 0 < one <= 1]
        if wrong or not chosen:
            raise ParameterError(
                "The points must be fractions above 0, up to 1 (got "
                f"{first_names(wrong, show=str) or 'none'}).",
                remedy="Enter them as 50%, 70%, 90%.",
            )
        object.__setattr__(self, "sparsities", chosen)
        if len(self.template.rows) > 1:
            raise ParameterError(
                f"A frontier needs exactly one rule (got {len(self.template.rows)}).",
                remedy="Remove the other rules.",
            )
        self.step(chosen[0])

    def step(self, sparsity: float) -> Step:
        """Return the step that prunes to a total sparsity of the tensors of the rule."""
        (step,) = expand_schedule(self.template, [sparsity])
        return step


def measure_frontier(
    evaluator: Evaluator,
    snapshot: Snapshot,
    request: FrontierRequest,
    job: Job,
    *,
    kernel: Kernel,
    known: Frontier | None = None,
    where: str = "frontier",
    on_event: EventCallback | None = None,
) -> Iterator[Frontier]:
    """Measure a state pruned to each sparsity, without and with recovery; yield after each.

    Each point begins with `snapshot`, which does not change. The first frontier yielded has the
    points of `known`, and the metrics before the step. Without recovery, `evaluator` may run a
    command line.

    Parameters
    ----------
    known
        An earlier frontier to continue; `where` is its name in messages.
    on_event
        Called with the events of the worker.

    Raises
    ------
    EvaluationError
        As `Evaluator.measure` and `recover_by_script`; or if the earlier frontier has other
        conditions or other values of the unpruned model; or if a command line cannot recover.
    ParameterError, SelectionError
        If the method does not suit a tensor, or more is pruned than a sparsity allows.
    """
    ((_, names),) = rows_of(snapshot.checkpoint, request.step(request.sparsities[0]))
    conditions = _conditions(evaluator, snapshot, request, job)
    wanted = request.sparsities
    if known is not None:
        _refuse_other_conditions(known, conditions, where)
        wanted = tuple(sorted({*wanted, *known.sparsities}))
    todo = [
        s
        for s in request.sparsities
        if known is None
        or (point := known.point(s)) is None
        or (request.recover and point.recovered is None)
    ]
    if known is not None and not todo:
        yield replace(known, sparsities=wanted)
        return
    parts = job.parts(1 + 2 * len(todo))
    metrics, _ = measure_before(evaluator, snapshot, next(parts))
    if known is not None:
        _refuse_other_values(known, metrics, where)
    frontier = Frontier(
        FORMAT,
        VERSION,
        conditions,
        sum(snapshot.entry(name).numel for name in names),
        sum(snapshot.masks.counts(names)),
        wanted,
        metrics,
        () if known is None else known.points,
    )
    yield frontier
    for sparsity in todo:
        pruning = compute_preview(
            snapshot, request.step(sparsity), kernel, Job(cancel=job.cancel), norms=False
        )
        state = pruning.edit.apply_to(snapshot)
        part = next(parts)
        point = frontier.point(sparsity)
        if point is None:
            pruned = sum(state.masks.counts(names))
            point = FrontierPoint(sparsity, pruned, _measure(evaluator, state, part))
            frontier = frontier.with_point(point)
            yield frontier
        part = next(parts)
        if request.recover:
            state = _recover(evaluator, state, request, part, on_event)
            recovered = _measure(evaluator, state, Job(cancel=job.cancel))
            frontier = frontier.with_point(replace(point, recovered=recovered))
            yield frontier


def can_continue(
    known: Frontier, evaluator: Evaluator, snapshot: Snapshot, request: FrontierRequest, job: Job
) -> bool:
    """Return whether `measure_frontier` could continue a frontier: its conditions are equal."""
    conditions = _conditions(evaluator, snapshot, request, job)
    return not _find_differences(known, conditions)


def _recover(
    evaluator: Evaluator,
    state: Snapshot,
    request: FrontierRequest,
    job: Job,
    on_event: EventCallback | None,
) -> Snapshot:
    """Return the recovered state; the state itself if nothing is better."""
    runner = evaluator.runner
    if not isinstance(runner, ScriptRunner):
        raise EvaluationError(
            "A command line measures the model, but cannot recover it.",
            remedy="Specify a script, or measure without recovery.",
        )
    if request.recover == "training":
        seed = request.recovery.seed
        done = train_by_script(runner, state, job, seed=seed, on_event=on_event)
    else:
        done = recover_by_script(runner, state, request.recovery, job, on_event)
    return state if done.proposal is None else done.proposal.edit.apply_to(state)


def _measure(evaluator: Evaluator, state: Snapshot, job: Job) -> Values:
    """Return the finite metrics that can be better or worse."""
    try:
        measured: Mapping[str, Any] = evaluator.measure(state, job).metrics
    except NoNumberError as error:
        measured = error.metrics
    evaluator.refuse_other_metrics(measured)
    return {
        name: metric.value
        for name, metric in measured.items()
        if is_compared(name, evaluator.runner.directions) and math.isfinite(metric.value)
    }


def _conditions(
    evaluator: Evaluator, snapshot: Snapshot, request: FrontierRequest, job: Job
) -> FrontierConditions:
    runner, checkpoint = evaluator.runner, snapshot.checkpoint
    content = request.template.to_dict()
    configuration = content["configuration"]
    configuration["rows"][0]["configuration"]["values"].pop("amount", None)
    configuration.get("limits", {}).pop("target_sparsity", None)
    return FrontierConditions(
        checkpoint=checkpoint.path.name,
        checkpoint_sha256=files_sha256(checkpoint.files, job),
        script=runner.name,
        script_sha256=runner.sha256,
        interpreter_sha256=hashlib.sha256(os.fsencode(runner.interpreter)).hexdigest(),
        step=content,
        seed=evaluator.seed,
        limit=runner.options.limit,
        device=runner.options.device,
        state_sha256=changes_sha256(snapshot, job),
        recover=request.recover,
        steps=request.recovery.steps if request.recover == "distillation" else 0,
        data=data_of(runner),
    )


_WORDS = {
    "checkpoint_sha256": "another checkpoint",
    "state_sha256": "another state of the checkpoint",
    "script_sha256": "another script",
    "interpreter_sha256": "another Python interpreter",
    "step": "another method or other tensors",
    "seed": "another seed",
    "limit": "another number of samples",
    "device": "another device",
    "recover": "another recovery",
    "steps": "another number of steps",
    "data": "other data",
}


def _refuse_other_conditions(known: Frontier, conditions: FrontierConditions, where: str) -> None:
    if others := _find_differences(known, conditions):
        raise EvaluationError(
            f"'{where}' is a frontier with {' and '.join(others)}.",
            remedy="Choose another name for this frontier, or delete that file.",
        )


def _find_differences(known: Frontier, conditions: FrontierConditions) -> list[str]:
    before, now = asdict(known.conditions), asdict(conditions)
    return [words for key, words in _WORDS.items() if before[key] != now[key]]


def _refuse_other_values(known: Frontier, metrics: Sequence[ScanMetric], where: str) -> None:
    """Raise `EvaluationError` if the values before the step differ by more than the noise."""
    before = {metric.name: metric for metric in known.metrics}
    for metric in metrics:
        was = before.get(metric.name)
        room = 0.0 if was is None else max(was.noise, metric.noise, 1e-6 * abs(was.before))
        if was is None or abs(metric.before - was.before) > room:
            raise EvaluationError(
                f"'{where}' has another value of '{metric.name}' before the step than the script "
                "returns now: the data or the packages have changed.",
                remedy="Choose another name for this frontier, or delete that file.",
            )


def read_frontier(path: Path) -> Frontier:
    """Read a frontier; points may be missing.

    Raises `EvaluationError` if the file cannot be read, or is no frontier of this version.
    """
    text = json_codec.read(path, "frontier", _LARGEST, EvaluationError)
    try:
        return json_codec.decode(text, Frontier, path.name, file_names=True)
    except JsonError as error:
        raise EvaluationError(
            error.sentence, remedy="Choose a file that `pruneapp frontier` wrote."
        ) from None


def write_frontier(frontier: Frontier, path: Path) -> None:
    """Write a frontier; an existing file is replaced atomically. Raises `ExportError`."""
    write_whole(path, frontier.text(), Job())
