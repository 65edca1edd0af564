"""Rounds of pruning with recovery and evaluation, computed on the thread for programs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.gui.evaluation.measurement import Measurement, measure_state
from pruneapp.gui.evaluation.script_controller import AgreedScript
from pruneapp.kernels.kernel import Kernel
from pruneapp.progress import Job

if TYPE_CHECKING:  # imported when rounds are computed
    from pruneapp.evaluation.rounds import Round, RoundsSettings


@dataclass(frozen=True)
class CompleteRound:
    """A round, and its measurement for the history; None if rounds are not measured."""

    round: Round
    measurement: Measurement | None


@dataclass
class ScriptRounds:
    """Computes rounds; `complete` may be read by the main thread after `compute` was cancelled."""

    snapshot: Snapshot
    steps: Sequence[Step]
    settings: RoundsSettings
    agreed: AgreedScript
    kernel: Callable[[], Kernel]
    scores: Checkpoint | None
    parameters: int  # number of parameters of the model
    calibrated_with: frozenset[str]  # names of the data that the state was calibrated with
    label: str  # shown with the progress: "Round {n} of {count}"
    complete: list[CompleteRound] = field(default_factory=list)
    unpruned: Measurement | None = None

    def compute(self, job: Job) -> None:
        """Compute the rounds; each is appended to `complete`. The process is ended in any case.

        Raises the errors of `prune_in_rounds`.
        """
        from pruneapp.evaluation.evaluator import Evaluator
        from pruneapp.evaluation.rounds import prune_in_rounds
        from pruneapp.evaluation.runner import as_on_disk, data_of

        labels = _RoundLabels(job)
        shown = Job(labels, job.cancel)
        with contextlib.closing(self.agreed.runner(Job(cancel=job.cancel))) as runner:
            runner.worker.kills_on_cancel = True  # the process may be killed: it is not used again
            evaluator = Evaluator(runner)
            data = self.calibrated_with
            if self.settings.recover:
                data |= {data_of(runner, calibrating=True)}

            def show(event: dict[str, Any]) -> None:
                if event["what"] == "round":
                    labels.prefix = self.label.format(n=event["number"], count=event["rounds"])

            def measure(state: Snapshot, known: frozenset[str]) -> Measurement:
                aside = Job(cancel=job.cancel)  # it was measured already
                return measure_state(evaluator, state, self.parameters, aside, known)

            for done in prune_in_rounds(
                runner,
                self.snapshot,
                self.steps,
                self.settings,
                shown,
                kernel=self.kernel(),
                evaluator=evaluator,
                scores=self.scores,
                on_event=show,
            ):
                measurement = None
                if self.settings.evaluate:
                    if self.unpruned is None:
                        self.unpruned = measure(as_on_disk(self.snapshot), frozenset())
                    measurement = measure(done.state, data)
                self.complete.append(CompleteRound(done, measurement))

    def selected(self) -> Round | None:
        """Return the round to go to; None if none is complete."""
        from pruneapp.evaluation.rounds import select_round

        return select_round([done.round for done in tuple(self.complete)])


class _RoundLabels:
    """Forwards progress to a job, with the round before the label."""

    def __init__(self, job: Job) -> None:
        self._job, self._done = job, 0
        self.prefix = ""

    def report(self, done: int, total: int, label: str) -> None:
        """Report the progress of all rounds."""
        if not self._done:
            self._job.start(total)
        text = f"{self.prefix}: {label}" if self.prefix and label else self.prefix or label
        self._job.step(done - self._done, text)
        self._done = done
