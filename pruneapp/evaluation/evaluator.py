"""What is measured of states: the unpruned model and its noise first, then any other."""

from __future__ import annotations

import hashlib
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
    compared,
    direction_of,
    higher_is_better,
    refuse_no_numbers,
)
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import Measured, Runner, as_on_disk
from pruneapp.progress import Job


@dataclass(frozen=True)
class ResultKey:
    """What a result depends on, as SHA-256; a result with another `evaluation` is an old one."""

    state: str  # masks and values
    checkpoint: str  # the files
    evaluation: str  # script, interpreter and options
    seed: int


@dataclass(frozen=True)
class Result:
    """What was measured of one state."""

    key: ResultKey
    measured: Measured
    # By metric: the noise of the difference from the unpruned model, where samples are forgotten.
    bands: Mapping[str, Band] = field(default_factory=dict)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """By name, in the order in which the script returned them."""
        return self.measured.metrics


@dataclass(frozen=True)
class Baseline:
    """The unpruned model: what was measured first, and how far that moves by itself."""

    first: Result
    spreads: Mapping[str, Spread]


@dataclass(frozen=True)
class Change:
    """A metric beside that of the unpruned model."""

    name: str
    metric: Metric
    original: Metric
    band: Band
    higher: bool | None  # whether a higher value is better; None if that is not known
    judged: bool  # whether it can be worse at all: times and counts cannot

    @property
    def difference(self) -> float:
        """The value, minus the original's."""
        return self.metric.value - self.original.value

    @property
    def is_none(self) -> bool:
        """Whether the difference is within the noise."""
        return self.band.holds(self.difference)


class Evaluator:
    """Measures states with one script or command, and remembers what it measured.

    The values of single samples, of which there may be millions, are kept of the unpruned model and
    of the state that was measured last; of all others the metrics and their noise. For one thread
    at a time; a context manager that ends the process.
    """

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.results: dict[ResultKey, Result] = {}
        self.seed = runner.options.seed
        self._baseline: Baseline | None = None
        self._latest: Result | None = None  # which has its samples
        self._original: Snapshot | None = None

    def measure_baseline(self, snapshot: Snapshot, job: Job) -> Baseline:
        """Measure the unpruned model three times: twice with one seed, once with another.

        `snapshot` is any state of it; raises as `measure`.
        """
        original = as_on_disk(snapshot)
        seeds = (self.seed, self.seed, self.seed + 1)
        runs: list[Measured] = []
        for number, (seed, part) in enumerate(zip(seeds, job.parts(len(seeds)), strict=True)):
            if number == 2 and self.runner.agrees:  # other inputs agree with nothing
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
        """Measure a state, unless it was measured before.

        With `samples`, it is measured again if the values of its samples were forgotten.

        Raises
        ------
        EvaluationError
            If the script fails, or returns something else than numbers, or ran with other weights;
            or if it measures agreement and nothing is there to agree with.
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
        measured = self.runner.run(snapshot, self.seed, job)
        refuse_no_numbers(measured.metrics, self.runner.name)
        self._forget_samples()
        result = self.results[key] = self._latest = Result(key, measured)
        return result

    def _forget_samples(self) -> None:
        """Put the noise of the result before in the place of its samples."""
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
        """Hold a result against the unpruned model, metric by metric.

        Raises
        ------
        EvaluationError
            If a metric was measured of only one of them.
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
                compared(name, directions),
            )
            for name, metric in result.metrics.items()
        ]

    @property
    def baseline(self) -> Baseline | None:
        """The unpruned model; None until it was measured."""
        return self._baseline

    def refuse_other_metrics(self, metrics: Mapping[str, Metric]) -> None:
        """Raise `EvaluationError` if these are not the metrics of the unpruned model, by names."""
        assert self._baseline is not None
        if others := self._baseline.first.metrics.keys() ^ metrics.keys():
            raise EvaluationError(
                f"'{self.runner.name}' returned '{min(others)}' for only one of the two models.",
                remedy="Return the same metrics for every model.",
            )

    def refuse_undirected(self, baseline: Baseline) -> None:
        """Raise `EvaluationError` if it is not known of a metric which way is better."""
        directions = self.runner.directions
        for name in baseline.first.metrics:
            if compared(name, directions):
                direction_of(name, self.runner)

    def key_of(self, snapshot: Snapshot, job: Job) -> ResultKey:
        """Return what a result of a state depends on; hashes the files once."""
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
    """Return what of a state differs from its file, as one hash; may cancel."""
    state, aside = hashlib.sha256(), Job(cancel=(job or Job()).cancel)
    for name in snapshot.checkpoint.entries:
        zeroed = snapshot.zeroed(name)
        if zeroed is not None and zeroed.pruned:
            state.update(f"{len(name)}:{name}".encode() + bytes.fromhex(digest(zeroed, aside)))
    for name, values in sorted(snapshot.values.items()):
        state.update(f"{len(name)}={name}".encode() + bytes.fromhex(digest(values, aside)))
    return state.hexdigest()


def _difference(metric: Metric, other: Metric | None) -> float:
    return 0.0 if other is None else abs(metric.value - other.value)
