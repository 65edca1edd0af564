"""Iterative pruning with recovery: prune, recover and measure, along a schedule.

Each round is one or two edits of the history, so that undo, sessions, recipes and exports work as
for single steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from msgspec.structs import replace as replace_struct

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.edit import Edit
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.edits.repaired_values import RepairedValues, as_values
from pruneapp.errors import ParameterError, counted
from pruneapp.evaluation.evaluator import Change, Evaluator
from pruneapp.evaluation.metric import Tolerance, direction_of
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.recovery import (
    Recovery,
    RecoverySettings,
    recover_by_script,
    train_by_script,
)
from pruneapp.evaluation.runner import ScriptRunner, as_on_disk
from pruneapp.evaluation.worker import EventCallback
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job

RecoverBy: TypeAlias = Literal["", "distillation", "training"]
# Steps of training in all rounds together, and the fewest in one, if the user names no number.
TOTAL_STEPS = 300
_FEWEST_STEPS = 20


def steps_per_round(rounds: int) -> int:
    """Return the default number of training steps per round."""
    return max(_FEWEST_STEPS, round(TOTAL_STEPS / max(rounds, 1)))


@dataclass(frozen=True)
class RoundsSettings:
    """What follows the pruning step of each round.

    Raises `ParameterError` if `stop` is set without `evaluate`.
    """

    recover: RecoverBy = "distillation"  # "" for no recovery
    recovery: RecoverySettings = field(default_factory=RecoverySettings)  # steps are per round
    evaluate: bool = False  # whether each round is measured
    # The rounds end after the first whose metric is worse than that of the unpruned model by more.
    stop: Tolerance | None = None
    metric: str = ""  # metric that `stop` applies to; the first that measures quality without one
    # Whether each recovery begins with the values of the state before the first round, with the
    # masks of the round (Frankle and Carbin, The lottery ticket hypothesis, 2019).
    rewind: bool = False

    def __post_init__(self) -> None:
        if self.stop is not None and not self.evaluate:
            raise ParameterError(
                "'stop' compares a metric, but the rounds are not evaluated.",
                remedy="Evaluate after each round, or remove 'stop'.",
            )
        if self.rewind and not self.recover:
            raise ParameterError(
                "'rewind' is for rounds with a recovery.",
                remedy="Choose how to recover, or do not rewind.",
            )


@dataclass(frozen=True, eq=False)
class Round:
    """A complete round, and the state after it."""

    number: int  # from 1; rounds that prune nothing are left out
    edits: tuple[Edit, ...]  # the pruning step, and the new values if there are any
    state: Snapshot
    recovery: Recovery | None = None
    # The metric that was compared with the unpruned model; None if the round was not measured.
    change: Change | None = None
    worse: bool = False  # whether the change is worse than the tolerance allows

    @property
    def sparsity(self) -> float:
        """Share of the parameters of the checkpoint that is pruned."""
        total = sum(entry.numel for entry in self.state.checkpoint.entries.values())
        return _count_pruned(self.state) / total if total else 0.0


def _count_pruned(state: Snapshot) -> int:
    return sum(state.masks.counts(state.checkpoint.entries))


def select_round(rounds: Sequence[Round]) -> Round | None:
    """Return the round with the highest sparsity that is not worse than the tolerance.

    The last one if all are worse, and None without rounds.
    """
    within = [one for one in rounds if not one.worse]
    return next(reversed(within or rounds), None)


def prune_in_rounds(
    runner: ScriptRunner,
    start: Snapshot,
    steps: Sequence[Step],
    settings: RoundsSettings,
    job: Job,
    *,
    kernel: Kernel,
    evaluator: Evaluator | None = None,
    scores: Checkpoint | None = None,
    known: Iterable[tuple[Edit, ...]] = (),
    on_event: EventCallback | None = None,
) -> Iterator[Round]:
    """Prune a state step by step, with a recovery and a measurement after each; yield the rounds.

    Each step prunes the recovered values of the round before. `start` itself does not change, and
    the runner keeps running. If `job` is cancelled, the rounds yielded before are complete. Ends
    early after a round that is worse than `settings.stop` allows.

    Parameters
    ----------
    evaluator
        Measures states with `runner`; None for a new one. It is not closed.
    scores
        Importance scores by which the steps rank weights.
    known
        Edits of rounds that were computed before, in order, each beginning with one of `steps`.
        They are not computed again, but measured.
    on_event
        Called with the events of the worker, and with ``{"what": "round", "number", "rounds",
        "pruned"}`` after each pruning step and ``{"what": "measured", "number", "metric", "value",
        "unpruned"}`` after each measurement.

    Raises
    ------
    PruneAppError
        Errors of the steps, of `recover_by_script` or `train_by_script`, and of
        `Evaluator.measure`; or if there is no metric called `settings.metric`.
    """
    rounds = _Rounds(runner, start, len(steps), settings, evaluator, on_event or (lambda _: None))
    parts = job.parts(len(steps) + settings.evaluate)
    if settings.evaluate:
        rounds.measure_unpruned(next(parts))
    state, done = start, dict(_by_step(known, steps))
    for number, (step, part) in enumerate(zip(steps, parts, strict=True), 1):
        if number in done:
            edits, recovery = done[number], None
        else:
            stages = part.parts(2)
            pruning = compute_preview(state, step, kernel, next(stages), scores=scores, norms=False)
            if not pruning.report.newly_pruned:
                continue
            edits, recovery = rounds.recover(number, state, pruning.edit, next(stages))
        for edit in edits:
            state = edit.apply_to(state)
        measured = rounds.measure(Round(number, edits, state, recovery), part)
        yield measured
        if measured.worse:
            return


def _by_step(
    known: Iterable[tuple[Edit, ...]], steps: Sequence[Step]
) -> Iterator[tuple[int, tuple[Edit, ...]]]:
    """Yield the known edits with the number of their round, up to the first unknown step."""
    numbers = {step.limits.target_sparsity: number for number, step in enumerate(steps, 1)}
    for edits in known:
        step = edits[0].step
        if step is None or step.limits.target_sparsity not in numbers:
            return
        yield numbers[step.limits.target_sparsity], edits


@dataclass
class _Rounds:
    """Recovers and measures the states of rounds with one process."""

    runner: ScriptRunner
    start: Snapshot
    count: int
    settings: RoundsSettings
    evaluator: Evaluator | None
    on_event: Callable[[dict[str, Any]], None]

    def recover(
        self, number: int, state: Snapshot, pruning: Edit, job: Job
    ) -> tuple[tuple[Edit, ...], Recovery | None]:
        """Return the edits of a round that begins with `pruning`, and its recovery."""
        settings = self.settings
        pruned = pruning.apply_to(state)
        self.on_event(
            {
                "what": "round",
                "number": number,
                "rounds": self.count,
                "pruned": _count_pruned(pruned),
            }
        )
        if not settings.recover:
            return (pruning,), None
        begin = self._rewound(pruned) if settings.rewind else pruned
        if settings.recover == "training":
            recovery = train_by_script(
                self.runner, begin, job, seed=settings.recovery.seed, on_event=self.on_event
            )
        else:
            recovery = recover_by_script(self.runner, begin, settings.recovery, job, self.on_event)
        recovered = begin
        if recovery.proposal is not None:
            recovered = recovery.proposal.edit.apply_to(begin)
        if recovered is pruned:
            return (pruning,), recovery
        # The edit of a rewound state also restores tensors that the recovery did not change.
        values = _changed_values(pruned, recovered)
        if not values:
            return (pruning,), recovery
        aside = Job(cancel=job.cancel)
        source = replace_struct(recovery.source, rewound=settings.rewind)
        made = RepairedValues.create(state.checkpoint, values, source, aside)
        detail = "" if recovery.proposal is None else recovery.proposal.edit.detail
        return (pruning, made.propose(pruned, aside, detail=detail).edit), recovery

    def _rewound(self, pruned: Snapshot) -> Snapshot:
        """Return a state with the values before the first round."""
        former: dict[str, BitMask | None] = dict.fromkeys(pruned.values)
        former |= self.start.values
        return pruned.with_masks({"values": former})

    def measure_unpruned(self, job: Job) -> None:
        """Measure the unpruned model, and check that the metrics can be compared."""
        if self.evaluator is None:
            self.evaluator = Evaluator(self.runner)
        given = self.settings.recovery.unpruned
        original = as_on_disk(self.start) if given is None else Snapshot(given)
        baseline = self.evaluator.measure_baseline(original, job)
        if self.settings.stop is None:
            return
        if self.settings.metric:
            if self.settings.metric not in baseline.first.metrics:
                raise EvaluationError(
                    f"'{self.runner.name}' returned no metric '{self.settings.metric}'.",
                    remedy=f"It returned {', '.join(baseline.first.metrics)}.",
                )
            direction_of(self.settings.metric, self.runner)
        else:
            self.evaluator.refuse_undirected(baseline)

    def measure(self, done: Round, job: Job) -> Round:
        """Return the round with its metric, if rounds are measured."""
        if self.evaluator is None or not self.settings.evaluate:
            return done
        evaluator, stop = self.evaluator, self.settings.stop
        changes = evaluator.changes(evaluator.measure(done.state, Job(cancel=job.cancel)))
        change = _change_of(changes, self.settings.metric)
        if change is None:
            return done
        self.on_event(
            {
                "what": "measured",
                "number": done.number,
                "metric": change.name,
                "value": change.metric.value,
                "unpruned": change.original.value,
            }
        )
        worse = stop is not None and stop.is_exceeded(
            change.metric.value, change.original.value, higher=bool(change.higher)
        )
        return replace(done, change=change, worse=worse)


def _change_of(changes: Sequence[Change], name: str) -> Change | None:
    """Return the change of a metric; without a name of the first that measures quality."""
    judged = [c for c in changes if c.judged and c.higher is not None]
    return next((c for c in (*judged, *changes) if not name or c.name == name), None)


def _changed_values(before: Snapshot, after: Snapshot) -> Mapping[str, BitMask]:
    """Return the values of tensors that differ; those of the file where `after` replaces none."""
    found: dict[str, BitMask] = {}
    for name in before.values.keys() | after.values.keys():
        new = after.values.get(name)
        if new is before.values.get(name):
            continue
        found[name] = as_values(after.checkpoint.bits(name)) if new is None else new
    return dict(sorted(found.items()))


def summarize(rounds: Sequence[Round], requested: int) -> str:
    """Return the result of rounds in one sentence, for the user."""
    selected = select_round(rounds)
    if selected is None:
        return "No round is complete, so nothing is changed."
    done = f"{counted(len(rounds), 'round')} of {requested:,} complete"
    change = selected.change
    if change is None:
        return f"{done}."
    value = f"{change.name} {change.metric.value:.6g}, unpruned {change.original.value:.6g}"
    if selected.worse:
        return f"{done}; every one is worse than allowed, so the last is used ({value})."
    if rounds[-1].worse:
        return (
            f"{done}; round {rounds[-1].number} is worse than allowed, so round "
            f"{selected.number} is used ({value})."
        )
    return f"{done} ({value})."
