"""What was done, or is in force: told by the panel while nothing is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from pruneapp.document.capture import Capture
from pruneapp.document.history_past import PastState
from pruneapp.errors import PruneAppError
from pruneapp.export.size_bounds import CompactSizes
from pruneapp.gui.app.jobs import Jobs, Urgency
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.preview.from_histograms_retained import retained
from pruneapp.progress import Job
from pruneapp.results.document_rows_history import HistoryItem
from pruneapp.results.sparsity_report import SparsityReport, TensorSparsity

# So many of the tensors that are pruned most are told.
LISTED = 20


@dataclass(frozen=True, eq=False)
class _Standing:
    report: SparsityReport
    most: tuple[TensorSparsity, ...]
    compact: int | None


@dataclass(frozen=True, eq=False)
class _Done:
    """The newest prune: the state and the item of the history after it, and what was said of it."""

    key: object
    item: HistoryItem
    report: SparsityReport
    compact: int | None


class AppliedSummary(QObject):
    """Tells the panel of the state that is in force.

    Of the newest prune that is what it did, with all that was said of it before: as long as nothing
    is done that changes what is written, and again when that prune is done again. Of other states
    it is what counts in the background say.

    Parameters
    ----------
    session, jobs
        The document, and where is counted.
    panel
        Told.
    sizes
        Say how large a compact file would be.

    Signals
    -------
    judged(Mapping of Danger)
        The tensors of the state in force that keep too little, by name; whatever is asked for.
    """

    judged = Signal(object)

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        panel: PreviewPanel,
        sizes: CompactSizes,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._panel = panel
        self._sizes = sizes
        self._done: _Done | None = None
        self._task: Task[_Standing] | None = None
        self._told = False
        self._open = False  # whether something of it is not counted yet
        self._outdated = False  # whether more is known since the task began

    @property
    def is_done(self) -> bool:
        """Whether the state writes what it wrote after the newest prune."""
        document, done = self._session.document, self._done
        return done is not None and document is not None and document.history.key is done.key

    def note(self, report: SparsityReport, compact: int | None) -> None:
        """Take note of what the prune did that led to the state in force, and its compact size."""
        document = self._session.document
        assert document is not None
        item = document.items[document.position]
        self._done = _Done(document.history.key, item, report, compact)

    def tell(self) -> None:
        """Tell of the state in force."""
        self._told = True
        self._count()
        document, done = self._session.document, self._done
        if self.is_done:
            assert document is not None
            assert done is not None
            self._panel.set_done(done.report)
            self._panel.set_compact(done.compact)
            return
        self._panel.set_now(None)
        self._panel.set_compact(None)

    def recount(self) -> None:
        """Tell what was not counted before."""
        if self._task is not None:
            self._outdated = True
        elif self._open:
            self._count()

    def hush(self) -> None:
        """Leave the panel alone: a step is asked for."""
        self._told = False

    def forget(self) -> None:
        """Forget what was done: the document is closed."""
        self._told = self._open = self._outdated = False
        self._done = None
        self._cancel()
        self.judged.emit({})

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _count(self) -> None:
        self._cancel()
        document = self._session.document
        if document is None:
            return
        self._outdated = False
        first, capture, sizes = document.state_at(0), Capture.of(document), self._sizes
        self._task = self._jobs.answer(
            lambda job: _standing(first, capture, sizes, job),
            on_result=self._on_counted,
            on_error=self._on_error,
            urgency=Urgency.ASIDE,
        )

    def _on_counted(self, found: _Standing) -> None:
        self._task = None
        self._open = found.report.energy is None
        self.judged.emit(found.report.dangers)
        if self._told:
            # Also after a step: what was protected since stands in the header of a file.
            self._panel.set_compact(found.compact)
            if not self.is_done:
                self._panel.set_now(found.report, found.most)
        if self._open and self._outdated:
            self._count()

    def _on_error(self, _error: PruneAppError) -> None:
        self._task = None  # what is in force is said without it


def _standing(first: PastState, capture: Capture, sizes: CompactSizes, job: Job) -> _Standing:
    report = retained(first.load(job), capture.snapshot, job)
    _ = report.dangers  # judged here, not in the main thread
    pruned = [t for t in report.tensors if t.after]
    pruned.sort(key=lambda t: -t.after / t.numel)
    return _Standing(report, tuple(pruned[:LISTED]), sizes.now(capture, job))
