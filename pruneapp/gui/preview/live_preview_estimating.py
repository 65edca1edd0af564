"""Estimates as fast as a slider moves: here if that takes no time, else beside; the newest wins."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject

from pruneapp.analysis.histogram_store_wanted import assignment_now
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.capture import Capture
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.errors import PruneAppError
from pruneapp.export.size_bounds import CompactSizes
from pruneapp.gui.app.jobs import Jobs, Urgency
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.methods import registry
from pruneapp.preview.estimate import estimate
from pruneapp.preview.from_histograms_retained import since_opening
from pruneapp.progress import Job
from pruneapp.results.sparsity_report import Estimate
from pruneapp.results.sparsity_report_assignment import Assignment

# What takes longer is found out in the background: with what follows it would cost a frame.
HERE_S = 0.006
# Of so many tensors nobody has to try first.
MANY = 500


@dataclass(frozen=True, eq=False)
class EstimateResult:
    """An estimate, and what came of it beside.

    Attributes
    ----------
    estimate
        What the step would do.
    assignment
        Which rule prunes each tensor, and what limits exclude.
    compact
        The most bytes of a compact file after it; None as long as the estimate has no report, and
        where there can be no such file.
    seconds
        Time that it took.
    """

    estimate: Estimate
    assignment: Assignment
    compact: int | None
    seconds: float


class EstimateRunner(QObject):
    """Answers the newest question; one at a time.

    While one is answered in the background a newer one waits, and of several the newest: so a
    slider that moves faster than answers come is followed all the same.

    Parameters
    ----------
    jobs
        The background.
    sizes
        Say how large a compact file would be.
    on_result, on_error
        Told what came of a question, in the order of the questions.
    """

    def __init__(
        self,
        jobs: Jobs,
        sizes: CompactSizes,
        *,
        on_result: Callable[[EstimateResult], None],
        on_error: Callable[[PruneAppError], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._on_result = on_result
        self._on_error = on_error
        self._waiting: tuple[Capture, Step] | None = None
        self._task: Task[EstimateResult] | None = None
        self._sizes = sizes
        self._slow: Checkpoint | None = None  # of which estimates take long
        self._slow_times = 0  # how often in a row

    def ask(self, capture: Capture, step: Step) -> None:
        """Answer soon what a step would do to a document; at once where that takes no time."""
        self._waiting = capture, step
        if self._task is None:
            self._go()

    @property
    def busy(self) -> bool:
        """Whether the newest question is not answered yet."""
        return self._task is not None or self._waiting is not None

    def drop(self) -> None:
        """Forget what was asked."""
        self._waiting = self._slow = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _go(self) -> None:
        assert self._waiting is not None
        (capture, step), self._waiting = self._waiting, None
        snapshot, sizes = capture.snapshot, self._sizes
        unplanned = len(snapshot.checkpoint.entries) > MANY and not sizes.is_quick(snapshot)
        if unplanned or self._slow is snapshot.checkpoint or _long(snapshot, step):
            self._task = self._jobs.answer(
                lambda job: _estimate(capture, step, sizes, job),
                on_result=self._on_answer,
                on_error=self._on_refused,
                on_cancelled=self._on_cancelled,
                urgency=Urgency.AT_ONCE,
            )
            return
        try:
            found = _estimate(capture, step, sizes)
        except PruneAppError as error:
            self._on_error(error)
            return
        # The first one puts tables together that the others find: once is not slow.
        self._slow_times = self._slow_times + 1 if found.seconds > HERE_S else 0
        if self._slow_times > 1:
            self._slow = snapshot.checkpoint
        self._on_result(found)

    def _on_answer(self, found: EstimateResult) -> None:
        self._task = None
        if found.seconds < HERE_S / 2:
            self._slow = None
        self._on_result(found)
        self._next()

    def _on_refused(self, error: PruneAppError) -> None:
        self._task = None
        if self._waiting is None:
            self._on_error(error)
        self._next()

    def _on_cancelled(self) -> None:
        # Dropped, unless it ended by a bug of ours, which is reported elsewhere.
        if self._task is not None and self._task.error is not None:
            self._task = None
            self._next()

    def _next(self) -> None:
        if self._task is None and self._waiting is not None:
            self._go()


def _estimate(
    capture: Capture, step: Step, sizes: CompactSizes, job: Job | None = None
) -> EstimateResult:
    began = time.thread_time()  # what others compute meanwhile says nothing of this model
    found = estimate(capture.snapshot, step, job)
    compact = None
    if found.report is not None:
        found = replace(found, report=since_opening(found.report, capture.snapshot))
        assert found.report is not None
        found.report.prepare()
        compact = sizes.after(capture, found.report.tensors, step, job or Job())
    assignment = assignment_now(capture.snapshot, step)
    return EstimateResult(found, assignment, compact, time.thread_time() - began)


def _long(snapshot: Snapshot, step: Step) -> bool:
    if sum(len(row.names) for row in step.rows) > MANY:
        return True
    # Which channels are left has to be looked for in the masks; weights are counted already.
    return bool(snapshot.masks) and any(
        registry.get(row.method).granularity == "channels" for row in step.rows
    )
