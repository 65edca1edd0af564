"""Estimates at once, exact masks after a pause; newest wins.

Estimates as fast as a slider moves: here if that takes no time, else beside; the newest wins.

Previews in the background: once the person pauses, or at once; one at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from pruneapp.analysis.histogram_store import assignment_now
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.document import Capture
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.errors import PruneAppError
from pruneapp.export.size_bounds import CompactSizes
from pruneapp.gui.app.jobs import Jobs, Task, Urgency
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.method_form.form_controller import Frozen, LoadedMasks
from pruneapp.kernels.kernel import Kernel
from pruneapp.methods import registry
from pruneapp.preview.estimate import estimate
from pruneapp.preview.from_histograms import since_opening
from pruneapp.preview.preview import Preview, compute_preview
from pruneapp.progress import Job
from pruneapp.results.sparsity_report import Assignment, Estimate

# A person who drags a slider pauses longer than this when they have found the place.
PAUSE_MS = 50


@dataclass(frozen=True, eq=False)
class PreviewResult:
    """A preview, and the most bytes of a compact file after it; None if there is no such file."""

    preview: Preview
    compact: int | None


class PreviewRunner(QObject):
    """Computes the preview of one step.

    Parameters
    ----------
    session, jobs, extras, sizes
        The document, where previews are computed, masks and scores that the person gave, and how
        large compact files are.
    on_found, on_error
        Told what came of it.

    Signals
    -------
    began()
        A preview is computed from now on.
    ended(bool)
        It was cancelled, by the person or for a newer question, or by a bug of ours; whether
        somebody waited for it and cancelled it.
    """

    began = Signal()
    ended = Signal(bool)

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        extras: LoadedMasks,
        sizes: CompactSizes,
        *,
        on_found: Callable[[PreviewResult], None],
        on_error: Callable[[PruneAppError], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._extras = extras
        self._sizes = sizes
        self._on_found = on_found
        self._on_error = on_error
        self._step: Step | None = None
        self._task: Task[PreviewResult] | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.compute)
        jobs.started.connect(self._on_job_started)

    def soon(self, step: Step) -> None:
        """Compute the preview of a step, once the person pauses."""
        self._step = step
        self._pause.start()

    def show(self, title: str) -> None:
        """Compute it now, if it is not under way, and let its progress be seen."""
        if self._task is None or self._task.token.cancelled:
            self._pause.stop()
            self.compute()
        if self._task is not None:
            self._jobs.show(self._task, title)

    def halt(self) -> None:
        """Stop; what was asked for can be computed later."""
        self._pause.stop()
        self.cancel()

    def forget(self) -> None:
        """Stop, and forget what was asked for."""
        self.halt()
        self._task = self._step = None

    def cancel(self) -> bool:
        """Cancel what is under way; False if nothing is."""
        if self._task is None or self._task.token.cancelled:
            return False
        self._task.cancel()
        return True

    def _on_job_started(self, _title: str) -> None:
        # What the person asked for goes first; a preview that nobody waits for begins again.
        task = self._task
        if task is not None and not task.visible and not task.token.cancelled:
            task.cancel()
            self._task = None
            self._pause.start()

    def compute(self) -> None:
        """Begin now."""
        document, step = self._session.document, self._step
        if document is None or step is None:
            return
        self.began.emit()
        methods = [registry.get(row.method) for row in step.rows]
        extras = self._extras.frozen(
            masks=any(method.takes_mask for method in methods),
            scores=any(method.takes_scores for method in methods),
        )
        self._task = self._jobs.submit(
            self.tr("Previewing"),
            partial(
                _previewed,
                Capture.of(document),
                step,
                extras=extras,
                kernel=self._session.kernel,
                sizes=self._sizes,
            ),
            on_result=self._on_result,
            on_error=self._on_refused,
            on_cancelled=self._on_cancelled,
            visible=False,
        )

    def _on_result(self, found: PreviewResult) -> None:
        document = self._session.document
        if document is None or found.preview.revision != document.revision:
            return  # the document has moved on; a newer answer is under way
        self._task = None
        self._on_found(found)

    def _on_refused(self, error: PruneAppError) -> None:
        self._task = None
        self._on_error(error)

    def _on_cancelled(self) -> None:
        # Dropped for a newer question, cancelled by the person, or ended by a bug of ours: then
        # the button asks anew.
        task = self._task
        if task is None or not (task.token.cancelled or task.error is not None):
            return
        self._task = None
        self.ended.emit(task.visible and task.token.cancelled)


def _previewed(
    capture: Capture,
    step: Step,
    job: Job,
    *,
    extras: Frozen,
    kernel: Callable[[], Kernel],
    sizes: CompactSizes,
) -> PreviewResult:
    """Compute a preview, and in the worker what it takes to show it and to put it in force."""
    snapshot = capture.snapshot
    found = compute_preview(snapshot, step, kernel(), job, given=extras.masks, scores=extras.scores)
    found = replace(found, report=since_opening(found.report, snapshot))
    found.report.prepare()
    return PreviewResult(
        found, sizes.after(capture, found.report.tensors, step, job, found.edit.entry)
    )


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
