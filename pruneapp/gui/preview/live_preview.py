"""Compute exact previews after a pause, and the report of the current state, in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from PySide6.QtCore import QObject

from pruneapp.analysis.patterns import broken_patterns, groups_wanted
from pruneapp.analysis.sparsity_report import places_of_least
from pruneapp.document.document import Capture
from pruneapp.document.history import PastState
from pruneapp.document.step import Step
from pruneapp.errors import PruneAppError
from pruneapp.export.size_bounds import CompactSizes
from pruneapp.gui.app.jobs import Jobs, Lane, LatestTask, Task
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.method_form.form_controller import FrozenExtras, LoadedMasks
from pruneapp.gui.preview.preview_state import CurrentState
from pruneapp.gui.widgets.controls import single_shot
from pruneapp.kernels.kernel import Kernel
from pruneapp.methods import registry
from pruneapp.preview.from_histograms import retained, since_opening
from pruneapp.preview.preview import Preview, compute_preview
from pruneapp.progress import Job

# A user who drags a slider pauses longer than this after finding the value.
PAUSE_MS = 50
# number of tensors in the list of the most pruned ones
LISTED = 20


@dataclass(frozen=True, eq=False)
class PreviewResult:
    """A preview, and the maximum bytes of a compact file after it; None if that is not possible."""

    preview: Preview
    compact: int | None


class PreviewRunner(QObject):
    """Computes the exact preview of a step in the background, after a pause or immediately.

    `on_begun` is called when a computation starts. `on_cancelled` is called when it is cancelled,
    by the user or for a newer request, or ends by an internal error; its argument is True if the
    job was visible and was cancelled.
    """

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        extras: LoadedMasks,
        sizes: CompactSizes,
        *,
        on_begun: Callable[[], None],
        on_result: Callable[[PreviewResult], None],
        on_error: Callable[[PruneAppError], None],
        on_cancelled: Callable[[bool], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._extras = extras
        self._sizes = sizes
        self._on_begun = on_begun
        self._on_result = on_result
        self._on_error = on_error
        self._on_cancelled = on_cancelled
        self._step: Step | None = None
        self._task: Task[PreviewResult] | None = None
        self._pause = single_shot(self, PAUSE_MS, self._begin)
        jobs.started.connect(self._on_job_started)

    def schedule(self, step: Step) -> None:
        """Compute the preview of a step after a pause."""
        self._step = step
        self._pause.start()

    def start_exact_now(self) -> None:
        """Start a computation that waits for the pause; do nothing if none does."""
        if self._pause.isActive():
            self._pause.stop()
            self._begin()

    def show(self, title: str) -> None:
        """Start the computation if it is not running; show its progress as job `title`."""
        if self._task is None or self._task.token.cancelled:
            self._pause.stop()
            self._begin()
        if self._task is not None:
            self._jobs.show(self._task, title)

    def pause(self) -> None:
        """Stop; the request is kept and can be computed later."""
        self._pause.stop()
        self.cancel()

    def forget(self) -> None:
        """Stop, and drop the request."""
        self.pause()
        self._task = self._step = None

    def cancel(self) -> bool:
        """Cancel the running computation; return False if there is none."""
        if self._task is None or self._task.token.cancelled:
            return False
        self._task.cancel()
        return True

    def _on_job_started(self, _title: str) -> None:
        # Jobs of the user run first; a preview that is not visible is restarted later.
        task = self._task
        if task is not None and not task.visible and not task.token.cancelled:
            task.cancel()
            self._task = None
            self._pause.start()

    def _begin(self) -> None:
        document, step = self._session.document, self._step
        if document is None or step is None:
            return
        self._on_begun()
        methods = [registry.get(row.method) for row in step.rows]
        extras = self._extras.frozen(
            masks=any(method.takes_mask for method in methods),
            scores=any(method.takes_scores for method in methods),
        )
        capture, kernel = Capture.of(document), self._session.kernel
        self._task = self._jobs.run(
            partial(_preview, capture, step, extras=extras, kernel=kernel, sizes=self._sizes),
            on_result=self._on_job_result,
            on_error=self._on_job_failed,
            on_cancelled=self._on_job_cancelled,
            title=self.tr("Previewing"),
            lane=Lane.PREVIEW,
        )

    def _on_job_result(self, result: PreviewResult) -> None:
        document = self._session.document
        if document is None or result.preview.revision != document.revision:
            return  # the document has changed; a newer request is running
        self._task = None
        self._on_result(result)

    def _on_job_failed(self, error: PruneAppError) -> None:
        self._task = None
        self._on_error(error)

    def _on_job_cancelled(self) -> None:
        task = self._task
        if task is not None and (task.token.cancelled or task.error is not None):
            self._task = None
            self._on_cancelled(task.visible and task.token.cancelled)


def _preview(
    capture: Capture,
    step: Step,
    job: Job,
    *,
    extras: FrozenExtras,
    kernel: Callable[[], Kernel],
    sizes: CompactSizes,
) -> PreviewResult:
    """Compute a preview, its report, and the size of a compact file, all on the worker thread."""
    snapshot = capture.snapshot
    preview = compute_preview(
        snapshot, step, kernel(), job, given=extras.masks, scores=extras.scores
    )
    preview = replace(preview, report=since_opening(preview.report, snapshot))
    preview.report.prepare()
    pruned = preview.report.after_by_name
    compact = sizes.after(capture, pruned, step, job, preview.edit.entry)
    return PreviewResult(preview, compact)


class CurrentStateRunner:
    """Computes the report of the current state; again when more is counted, until complete."""

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        sizes: CompactSizes,
        on_result: Callable[[CurrentState], None],
    ) -> None:
        self._session = session
        self._sizes = sizes
        self._on_result = on_result
        self._task = LatestTask(jobs)
        self._incomplete = False
        self._outdated = False  # whether more was counted since the task started

    def start(self) -> None:
        """Compute the report of a new state."""
        document = self._session.document
        if document is None:
            return
        self._outdated = False
        first, capture, sizes = document.state_at(0), Capture.of(document), self._sizes
        self._task.start(
            lambda job: _current(first, capture, sizes, job),
            self._on_job_result,
            lane=Lane.BACKGROUND,
        )

    def recount(self) -> None:
        """Compute the report again if it is incomplete, because more is counted."""
        if self._task.task is not None:
            self._outdated = True
        elif self._incomplete:
            self.start()

    def cancel(self) -> None:
        """Stop computing."""
        self._task.cancel()
        self._incomplete = self._outdated = False

    def _on_job_result(self, current: CurrentState) -> None:
        assert current.report is not None
        self._incomplete = current.report.norm_retained is None
        self._on_result(current)
        if self._incomplete and self._outdated:
            self.start()


def _current(first: PastState, capture: Capture, sizes: CompactSizes, job: Job) -> CurrentState:
    steps = [record.step for record in capture.done if record.step]
    broken = broken_patterns(capture.snapshot, groups_wanted(capture.snapshot, steps), job)
    report = replace(retained(first.load(job), capture.snapshot, job), broken=broken)
    _ = report.dangers  # computed and cached here, not on the main thread
    table = report.table
    some = np.flatnonzero(table.after)
    least = places_of_least(-table.after[some] / table.numel[some], LISTED)
    most = tuple([table[place] for place in some[least].tolist()])
    compact = sizes.now(capture, job)
    return CurrentState(report=report, most_pruned=most, compact=compact)
