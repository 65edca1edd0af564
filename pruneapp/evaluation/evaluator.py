"""Measure states: first the unpruned model and its noise, then any other state."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from pruneapp.checkpoint.io.digest import files_sha256
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.manual_edit import digest
from pruneapp.evaluation.metric import (
    Band,
    Metric,
    Spread,
    band_of,
    direction_of,
    higher_is_better,
    is_compared,
    refuse_no_numbers,
)
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import Measured, Runner, as_on_disk
from pruneapp.progress import Job


@dataclass(frozen=True)
class ResultKey:
    """SHA-256 digests that a result depends on; results of another `evaluation` are outdated."""

    state: str  # of masks and values
    checkpoint: str  # of the files
    evaluation: str  # of script, interpreter and options
    seed: int


@dataclass(frozen=True)
class Result:
    """The measurement of one state."""

    key: ResultKey
    measured: Measured
    # By metric: noise of the difference from the unpruned model, if the samples were discarded.
    bands: Mapping[str, Band] = field(default_factory=dict)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Metrics by name, in the order returned by the script."""
        return self.measured.metrics


@dataclass(frozen=True)
class Baseline:
    """The unpruned model: its first measurement, and the variation between runs."""

    first: Result
    spreads: Mapping[str, Spread]


@dataclass(frozen=True)
class Change:
    """A metric compared with that of the unpruned model, or of an earlier state."""

    name: str
    metric: Metric
    original: Metric
    band: Band
    higher: bool | None  # whether a higher value is better; None if unknown
    judged: bool  # whether it measures quality; False for times and counts

    @property
    def difference(self) -> float:
        """The value minus that of the unpruned model."""
        return self.metric.value - self.original.value

    @property
    def is_worse(self) -> bool:
        """Whether a metric of quality is worse by more than the noise; False if undirected."""
        if not self.judged or self.higher is None or self.is_none:
            return False
        return self.difference < 0 if self.higher else self.difference > 0

    @property
    def is_none(self) -> bool:
        """Whether the difference is within the noise."""
        return self.band.holds(self.difference)


class Evaluator:
    """Measures states with one script or command, and caches the results.

    Per-sample values, of which there may be millions, are only kept for the unpruned model and for
    the state measured last; for all others the metrics and their noise. Use from one thread at a
    time; as a context manager it ends the process.
    """

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.results: dict[ResultKey, Result] = {}
        self.seed = runner.options.seed
        self._baseline: Baseline | None = None
        self._latest: Result | None = None  # the result that has its samples
        self._original: Snapshot | None = None
        # Duration of the last run of `measure`, with the transfer of the state; None before it.
        self.seconds: float | None = None

    def measure_baseline(self, snapshot: Snapshot, job: Job) -> Baseline:
        """Measure the unpruned model three times: twice with one seed, once with another.

        `snapshot` is any state of it. The result is cached and replaces an earlier baseline; a
        second call measures again. If agreement is measured, the second run counts as the third,
        too. Raises what `measure` raises.
        """
        original = as_on_disk(snapshot)
        seeds = (self.seed, self.seed, self.seed + 1)
        runs: list[Measured] = []
        for number, (seed, part) in enumerate(zip(seeds, job.parts(len(seeds)), strict=True)):
            if number == 2 and self.runner.agrees:  # agreement is only defined for equal inputs
                runs.append(runs[1])
            else:
                runs.append(self.runner.run(original, seed, part, reference=number == 0))
            refuse_no_numbers(runs[-1].metrics, self.runner.name, unpruned=True)
        first, again, other = (run.metrics for run in runs)
        spreads = {
            name: Spread(_difference(metric, again.get(name)), _difference(metric, other.get(name)))
            for name, metric in first.items()
        }
        result = Result(self.key_of(original, job), runs[0])
        self.results[result.key] = result
        self._original, self._baseline = original, Baseline(result, spreads)
        return self._baseline

    def measure(self, snapshot: Snapshot, job: Job, *, samples: bool = False) -> Result:
        """Measure a state, or return its cached result.

        With `samples`, measure again if the per-sample values were discarded. A new measurement
        discards those of the state measured before. If agreement is measured and the process has
        lost the outputs of the unpruned model, that is run first.

        Raises `EvaluationError` if the script fails, returns something else than finite numbers, or
        ran with other weights; or if agreement is measured and there was no `measure_baseline`.
        """
        key = self.key_of(snapshot, job)
        known = self.results.get(key)
        if known is not None and not (samples and known.bands):
            return known
        self.runner.start(job)
        if self.runner.agrees and self._original is None:
            raise EvaluationError(
                f"'{self.runner.name}' has no evaluate(model), so agreement with the unpruned "
                "model is measured, but there is no unpruned model.",
                remedy="Define evaluate(model), or name the original.",
            )
        if self.runner.agrees and not self.runner.has_reference and self._original is not None:
            self.runner.run(self._original, self.seed, job, reference=True)
        began = time.monotonic()
        measured = self.runner.run(snapshot, self.seed, job)
        self.seconds = max(time.monotonic() - began, measured.seconds)
        refuse_no_numbers(measured.metrics, self.runner.name)
        self._forget_samples()
        result = self.results[key] = self._latest = Result(key, measured)
        return result

    def _forget_samples(self) -> None:
        """Replace the samples of the previous result by the noise computed from them.

        Does nothing before the first measurement, or if that result is not the cached one any more.
        Without a baseline the samples are discarded and no noise is kept.
        """
        former = self._latest
        if former is None or self.results.get(former.key) is not former:
            return
        base, bands = self._baseline, dict[str, Band]()
        if base is not None:
            bands = {
                name: band_of(metric, base.first.metrics[name], base.spreads[name])
                for name, metric in former.metrics.items()
                if metric.samples and name in base.spreads
            }
        metrics = {name: metric.without_samples() for name, metric in former.metrics.items()}
        measured = replace(former.measured, metrics=metrics)
        self.results[former.key] = Result(former.key, measured, bands)

    def changes(self, result: Result) -> list[Change]:
        """Compare a result with the unpruned model, metric by metric, in the order of the script.

        Requires a baseline. Raises `EvaluationError` if a metric was measured for only one of them.
        """
        assert self._baseline is not None
        self.refuse_other_metrics(result.metrics)
        first = self._baseline.first.metrics
        directions = self.runner.directions
        return [
            Change(
                name,
                metric,
                first[name],
                result.bands.get(name)
                or band_of(metric, first[name], self._baseline.spreads[name]),
                higher_is_better(name, directions),
                is_compared(name, directions),
            )
            for name, metric in result.metrics.items()
        ]

    def measure_change(self, before: Snapshot, after: Snapshot, job: Job) -> list[Change]:
        """Measure two states, and compare the metrics of the second with those of the first.

        The noise is that between the two; without samples or counts it is unknown. Raises what
        `measure` raises.
        """
        parts = job.parts(2)
        was = self.measure(before, next(parts), samples=True).metrics
        now = self.measure(after, next(parts), samples=True).metrics
        directions, unknown = self.runner.directions, Spread(0.0, 0.0)
        return [
            Change(
                name,
                metric,
                was[name],
                band_of(metric, was[name], unknown),
                higher_is_better(name, directions),
                is_compared(name, directions),
            )
            for name, metric in now.items()
            if name in was
        ]

    @property
    def baseline(self) -> Baseline | None:
        """The unpruned model; None if it was not measured yet."""
        return self._baseline

    def refuse_other_metrics(self, metrics: Mapping[str, Metric]) -> None:
        """Raise `EvaluationError` if the metric names differ from those of the unpruned model.

        Requires a baseline.
        """
        assert self._baseline is not None
        if others := self._baseline.first.metrics.keys() ^ metrics.keys():
            raise EvaluationError(
                f"'{self.runner.name}' returned '{min(others)}' for only one of the two models.",
                remedy="Return the same metrics for every model.",
            )

    def refuse_undirected(self, baseline: Baseline) -> None:
        """Raise `EvaluationError` if the better direction of any compared metric is unknown."""
        directions = self.runner.directions
        for name in baseline.first.metrics:
            if is_compared(name, directions):
                direction_of(name, self.runner)

    def key_of(self, snapshot: Snapshot, job: Job) -> ResultKey:
        """Return the key of a state's result; files are hashed once."""
        files = files_sha256(snapshot.checkpoint.files, job)
        return ResultKey(state_sha256(snapshot, job), files, self.runner.key, self.seed)

    def close(self) -> None:
        """End the process."""
        self.runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def state_sha256(snapshot: Snapshot, job: Job | None = None) -> str:
    """Return a digest of a state's differences from its file: pruned weights and replaced values.

    Equal states of checkpoints with the same names have the same digest, whatever steps made them;
    protected weights do not count. `job` can cancel.
    """
    state, aside = hashlib.sha256(), Job(cancel=(job or Job()).cancel)
    for name in snapshot.checkpoint.entries:
        zeroed = snapshot.export_mask(name)
        if zeroed is not None and zeroed.pruned:
            state.update(f"{len(name)}:{name}".encode() + bytes.fromhex(digest(zeroed, aside)))
    for name, values in sorted(snapshot.values.items()):
        state.update(f"{len(name)}={name}".encode() + bytes.fromhex(digest(values, aside)))
    return state.hexdigest()


def _difference(metric: Metric, other: Metric | None) -> float:
    return 0.0 if other is None else abs(metric.value - other.value)
