"""Count histograms of magnitudes in the background, from which estimates are computed.

Counting starts after a pause, and stops for any other work: a job, a preview, tiles of a plot.
Finished counts are kept; an interrupted count starts again later.
"""

from __future__ import annotations

import time
from collections import deque

from PySide6.QtCore import QObject, Signal

from pruneapp.analysis import histogram_store
from pruneapp.analysis.histogram_store import HistogramRequest
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.document.history import PastState
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs import IdleScheduler, Jobs
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.gui.preview.preview_state import PreviewState
from pruneapp.progress import Job

PAUSE_MS = 300
# Maximum time of counting before the views are updated.
STRETCH_S = 0.2
# If this share of the cache is in use, only histograms for the form are counted; others would be
# dropped.
FULL = 0.9


class HistogramController(QObject):
    """Counts the missing histograms, those for the step of the form first."""

    counted = Signal()  # more histograms are available
    # all histograms that fit the cache are counted, and the norms of the current and first state
    completed = Signal()

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        previews: PreviewController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._round: _Round | None = None
        self._opened_known = False  # whether the norms of the first state are known
        self._idle = IdleScheduler(jobs, PAUSE_MS, self._count_next, self)
        previews.requested.connect(self._on_requested)
        session.closed.connect(self._on_closed)
        self.counted.connect(previews.recount)
        self.completed.connect(previews.on_histograms_counted)

    @property
    def busy(self) -> bool:
        """Whether there is something left to count."""
        return self._round is not None

    def stop(self) -> None:
        """Stop counting. It starts again with the next request."""
        self._idle.stop()
        self._round = None

    def _on_closed(self) -> None:
        self.stop()
        self._opened_known = False

    def _on_requested(self, state: PreviewState) -> None:
        self.stop()
        document = self._session.document
        if document is None:
            return
        self._round = _Round(document.snapshot(), state.step, self._session.rows)
        self._idle.schedule()

    def _count_next(self) -> None:
        if self._round is None:
            return
        document = self._session.document
        if document is not None and not self._opened_known and self._round.opened is None:
            self._round.opened = document.state_at(0)  # here, not for each move of a slider
        # The preview reports errors of the file; it also works without counts.
        self._idle.submit(
            self._round.go_on, on_result=self._on_stretch, on_error=lambda _error: self.stop()
        )

    def _on_stretch(self, complete: bool) -> None:
        if complete:
            self._round = None
            self._opened_known = True
        self.counted.emit()
        if complete:
            self.completed.emit()
        self._idle.resume()


class _Round:
    """The counts needed for one state and one step; only one job may use it at a time."""

    def __init__(self, snapshot: Snapshot, step: Step | None, rows: tuple[TensorRow, ...]) -> None:
        self._snapshot = snapshot
        self._step = step
        self._rows = rows
        self.opened: PastState | None = None  # the first state, while its norms are not known
        self._pending: deque[HistogramRequest] | None = None
        # Norms to be computed, with their states, even if there is no space for histograms.
        self._norms: deque[tuple[Snapshot, HistogramRequest]] | None = None
        self._needed = 0

    def go_on(self, job: Job) -> bool:
        """Count for about `STRETCH_S` seconds; return True if everything is counted.

        Each call continues after the last finished tensor. The histograms that the step needs come
        first; the others are skipped once the cache is full. Missing norms are computed last.
        Errors of reading, and `Cancelled`, are raised; the interrupted tensor is counted again by
        the next call.
        """
        ends = time.perf_counter() + STRETCH_S
        if self._pending is None:
            self._pending = self._find_uncounted(job)
        left = self._pending
        while left:
            if self._needed <= 0 and self._is_full:
                left.clear()
                break
            histogram_store.count(self._snapshot, left[0], job)
            left.popleft()  # only now: an interrupted count must start again
            self._needed -= 1
            if time.perf_counter() > ends:
                return False
        if self._norms is None:
            self._norms = self._find_uncounted_norms(job)
        while self._norms:
            snapshot, wanted = self._norms[0]
            histogram_store.measure(snapshot, wanted, job)
            self._norms.popleft()
            if time.perf_counter() > ends:
                break
        return not self._norms

    @property
    def _is_full(self) -> bool:
        return self._snapshot.cache.nbytes > FULL * self._snapshot.cache.budget

    def _find_uncounted(self, job: Job) -> deque[HistogramRequest]:
        needed: tuple[HistogramRequest, ...] = ()
        if self._step is not None:
            try:
                needed = histogram_store.missing_histograms(self._snapshot, self._step, job)
            except PruneAppError:
                needed = ()  # shown next to the form
        self._needed = len(needed)
        # Here, not in `__init__`: for 100,000 tensors it is too slow for a slider.
        beyond = histogram_store.missing_magnitudes(self._snapshot, self._names, job)
        return deque(dict.fromkeys((*needed, *beyond)))

    def _find_uncounted_norms(self, job: Job) -> deque[tuple[Snapshot, HistogramRequest]]:
        # Otherwise the histograms contain the norms; but for repaired tensors they count the file.
        states = [self._snapshot] if self._is_full or self._snapshot.values else []
        if self.opened is not None:
            states.append(self.opened.load(job))
        return deque(
            (state, wanted)
            for state in states
            for wanted in histogram_store.missing_sums(state, self._names, job)
        )

    @property
    def _names(self) -> list[str]:
        return [row.name for row in self._rows if not row.why_not]
