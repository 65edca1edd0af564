"""Results of evaluating states and cuts, and the hashes by which they are stored."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pruneapp.document.history import PastState
from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.metric import MetricChange, StateQuality
from pruneapp.evaluation.runner import Conditions
from pruneapp.export.size_bounds import unpacked_size
from pruneapp.progress import Job

if TYPE_CHECKING:  # imported with the first evaluation
    from pruneapp.evaluation.evaluator import Evaluator


@dataclass(frozen=True)
class Measurement:
    """The result of evaluating one state."""

    state: str  # SHA-256 of the state
    evaluation: str  # hash of script, interpreter and options
    conditions: Conditions  # script, interpreter and options, to be shown
    data: str  # name of the data, see `data_of`
    quality: StateQuality
    notices: tuple[str, ...]


def measure_state(
    evaluator: Evaluator,
    snapshot: Snapshot,
    parameters: int,
    job: Job,
    calibrated_with: frozenset[str],
) -> Measurement:
    """Measure a state; the unpruned model must have been measured.

    For the parameters and errors see `ScriptProcess.measure`.
    """
    from pruneapp.evaluation.runner import conditions_of, data_of

    result = evaluator.measure(snapshot, job)
    pruned = snapshot.masks.total_pruned
    baseline = evaluator.baseline
    data = data_of(evaluator.runner)
    metrics = [
        MetricChange(
            change.name,
            change.metric.value,
            change.original.value,
            change.band.half,
            change.band.words,
            change.higher,
            change.judged,
            change.metric.share,
            data in calibrated_with,
        )
        for change in evaluator.changes(result)
    ]
    quality = StateQuality(
        tuple(metrics),
        pruned / (parameters or 1),
        unpruned=baseline is not None and result.key.state == baseline.first.key.state,
        remaining=parameters - pruned,
        nbytes=unpacked_size(snapshot),
    )
    samples, notices = result.measured.samples, result.measured.notices
    conditions = replace(conditions_of(evaluator.runner), samples=samples)
    return Measurement(result.key.state, result.key.evaluation, conditions, data, quality, notices)


@dataclass(frozen=True)
class MeasuredCut:
    """The result of evaluating a cut of a state; its sparsity is that of the cut model."""

    state: str  # SHA-256 of the state
    measurement: Measurement


def cut_hash(state: str, cut: str) -> str:
    """Return the hash by which the result of a cut is stored, like that of a state."""
    return hashlib.sha256(f"{state} {cut}".encode()).hexdigest()


def cuts_of_state(
    results: Mapping[tuple[str, str], StateQuality], state: str, evaluation: str
) -> tuple[StateQuality, ...]:
    """Return the results of cuts of a state, by its hash, in one evaluation.

    `results` are by the hashes of states, or of cuts, and of evaluations.
    """
    return tuple(
        quality
        for (_, of), quality in results.items()
        if quality.cut is not None and quality.cut.state == state and of == evaluation
    )


def identify(past: PastState, job: Job) -> str:
    """Return the hash of a state, by which its results are stored."""
    from pruneapp.evaluation.evaluator import state_sha256

    return state_sha256(past.load(Job(cancel=job.cancel)), job)
