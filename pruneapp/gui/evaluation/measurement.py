"""The process that evaluates states, its results, and the hashes by which they are stored."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pruneapp.document.history import PastState
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError
from pruneapp.evaluation.metric import MetricChange, StateQuality
from pruneapp.evaluation.runner import Conditions
from pruneapp.export.size_bounds import unpacked_size
from pruneapp.gui.evaluation.script_controller import Agreed, AgreedScript
from pruneapp.progress import Job

if TYPE_CHECKING:  # imported with the first evaluation
    from pruneapp.evaluation.collection import WeightUses
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
            change.metric.stored,
        )
        for change in evaluator.changes(result)
    ]
    quality = StateQuality(
        tuple(metrics),
        pruned / (parameters or 1),
        unpruned=baseline is not None and result.key.state == baseline.first.key.state,
        remaining=parameters - pruned,
        nbytes=unpacked_size(snapshot, job),
    )
    samples, notices = result.measured.samples, result.measured.notices
    conditions = replace(conditions_of(evaluator.runner), samples=samples)
    return Measurement(result.key.state, result.key.evaluation, conditions, data, quality, notices)


class ScriptChangedError(PruneAppError):
    """A script has changed since the user agreed to it."""


class ScriptProcess:
    """The evaluator of a script. Other threads may only use `kill_on_cancel` and the properties.

    All other methods run on the thread for external programs.
    """

    def __init__(self, agreed: Agreed) -> None:
        self.agreed = agreed
        self._evaluator: Evaluator | None = None
        self._uses: WeightUses | None = None
        self._kill_on_cancel = False

    def evaluator(self, job: Job) -> Evaluator:
        """Return the evaluator, created on first use.

        Raises
        ------
        EvaluationError
            If no suitable Python is found.
        ScriptChangedError
            If the script has changed since the user agreed to it.
        """
        from pruneapp.evaluation.evaluator import Evaluator

        if not self.unchanged:
            raise ScriptChangedError(
                f"'{self.agreed.name}' has changed.",
                remedy="Start the evaluation again to read the new version.",
            )
        if self._evaluator is None:
            self._evaluator = Evaluator(self.agreed.runner(Job(cancel=job.cancel)))
        if self._kill_on_cancel:
            self._evaluator.runner.kill_on_cancel()
        return self._evaluator

    def measure(
        self,
        past: PastState,
        parameters: int,
        job: Job,
        calibrated_with: frozenset[str] = frozenset(),
        change: Callable[[Job], AbstractContextManager[Snapshot]] | None = None,
    ) -> Measurement:
        """Measure a state, after the unpruned model if that has not been measured yet.

        `parameters` is the number of parameters of the model. `calibrated_with` contains names of
        data, see `data_of`, that the state was calibrated with; metrics on the same data are
        marked. `change` yields the state to measure instead of `past`, from which it was derived.
        Multiply-adds are included if `count` was called before, without `change`.

        Raises the errors of `evaluator`, and `EvaluationError` if the script fails.
        """
        evaluator = self.evaluator(job)
        if evaluator.baseline is None:
            parts = job.parts(2)
            evaluator.measure_baseline(past.base_state, next(parts))
            job = next(parts)
        if change is not None:
            with change(Job(cancel=job.cancel)) as snapshot:
                return measure_state(evaluator, snapshot, parameters, job, calibrated_with)
        snapshot = past.load(Job(cancel=job.cancel))
        found = measure_state(evaluator, snapshot, parameters, job, calibrated_with)
        if self._uses is not None:
            sums = self._uses.multiply_adds(snapshot, Job(cancel=job.cancel))
            found = replace(found, quality=replace(found.quality, multiply_adds=sums))
        return found

    def count(self, states: Sequence[PastState], job: Job) -> list[int]:
        """Return the multiply-adds of states; the uses of weights are counted on the first call.

        `states` must not be empty on the first call. Raises the errors of `evaluator` and
        `count_uses`.
        """
        from pruneapp.evaluation.collection import count_uses

        runner, aside = self.evaluator(job).runner, Job(cancel=job.cancel)
        if self._uses is None:
            self._uses = count_uses(runner, states[0].load(aside), job)
        return [self._uses.multiply_adds(state.load(aside), aside) for state in states]

    @property
    def seconds(self) -> float | None:
        """Duration of the last evaluation of a state; None if only the unpruned model was run."""
        return None if self._evaluator is None else self._evaluator.seconds

    @property
    def runs_script(self) -> bool:
        """Whether it is a script, and not a command line."""
        return isinstance(self.agreed, AgreedScript)

    @property
    def runs_random_inputs(self) -> bool:
        """Whether it is a built-in script without data of the user."""
        agreed = self.agreed
        if not isinstance(agreed, AgreedScript) or not agreed.script.builtin:
            return False
        return agreed.options.text is None and agreed.options.images is None

    @property
    def unchanged(self) -> bool:
        """Whether the script has not changed since the user agreed to it."""
        return self.agreed.unchanged

    def kill_on_cancel(self) -> None:
        """Make the cancellation of a job kill the process at once."""
        self._kill_on_cancel = True
        if self._evaluator is not None:
            self._evaluator.runner.kill_on_cancel()

    def close(self) -> None:
        if self._evaluator is not None:
            self._evaluator.close()


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
