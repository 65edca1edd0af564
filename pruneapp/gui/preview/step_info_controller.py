"""How large a file of each format would be after the step, to the byte, from headers alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtCore import QObject, QTimer

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements_chunks import RawChunk
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.errors import PruneAppError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import planned_size
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.bitmask_mask import Mask
from pruneapp.progress import Job

Sizes = Mapping[str, int | None]

# Planning a file of more tensors takes long enough to be felt.
MANY = 5_000
SOON_MS = 100
LATER_MS = 1_500
_SOME_MASK = BitMask.full(0)


class ExportSizePreview(QObject):
    """Tells the forecast how many bytes an export would take.

    That depends on which tensors are touched, not on how much of them: while a slider moves it
    stays as it is. While nothing is asked for it is of the state in force.

    Parameters
    ----------
    session, jobs
        The document, and where files are planned.
    forecasting
        Says what is asked for.
    panel
        Told.
    """

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        forecasting: PreviewController,
        panel: PreviewPanel,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._forecasting = forecasting
        self._panel = panel
        self._about: tuple[object, ...] = ()
        self._known: Sizes | None = None
        self._task: Task[Sizes] | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._plan)
        panel.set_formats([(form.name, form.label) for form in FORMATS.values()])
        forecasting.asked.connect(self._on_asked)
        session.closed.connect(self._forget)

    def _on_asked(self) -> None:
        document, step = self._session.document, self._asked_for()
        if document is None or (step is None and self._forecasting.outlook.asked):
            return  # the panel says why nothing can be done
        about = (document.revision, *(row.names for row in (step.rows if step else ())))
        if about != self._about:
            self._forget()
            self._about = about
            self._soon.start(LATER_MS if len(self._session.rows) > MANY else SOON_MS)
        elif self._known is not None:
            self._panel.set_sizes(self._known)

    def _plan(self) -> None:
        document, step = self._session.document, self._asked_for()
        if document is None or (step is None and self._forecasting.outlook.asked):
            self._about = ()
            return
        snapshot = document.snapshot()
        self._task = self._jobs.answer(
            lambda job: sizes_after(snapshot, step, job),
            on_result=self._on_sizes,
            on_error=self._on_error,
        )

    def _on_sizes(self, found: Sizes) -> None:
        self._known, self._task = found, None
        if self._forecasting.step is not None or not self._forecasting.outlook.asked:
            self._panel.set_sizes(found)

    def _asked_for(self) -> Step | None:
        """Return the step after which a file is sized; None for the state in force."""
        return self._forecasting.step if self._forecasting.outlook.asked else None

    def _on_error(self, _error: PruneAppError) -> None:
        self._task = None  # the panel says it, or the export will

    def _forget(self) -> None:
        self._soon.stop()
        self._about, self._known = (), None
        if self._task is not None:
            self._task.cancel()
            self._task = None


def sizes_after(snapshot: Snapshot, step: Step | None, job: Job) -> Sizes:
    """Return how many bytes each format would take after a step; None where it is not possible.

    Without a step of the state as it is.

    Raises
    ------
    UnknownTensorError
        If there is no tensor of a name.
    """
    touched = {
        snapshot.entry(name).name for row in (step.rows if step else ()) for name in row.names
    }
    state = _After(snapshot, touched)
    found: dict[str, int | None] = {}
    for name, form in FORMATS.items():
        job.step(0)
        found[name] = None if form.why_not(snapshot.checkpoint) else planned_size(state, name, job)
    return found


class _After:
    """The state after a step as far as the size of a file is concerned: what has a mask."""

    def __init__(self, snapshot: Snapshot, touched: set[str]) -> None:
        self._snapshot = snapshot
        self._touched = touched

    @property
    def checkpoint(self) -> Checkpoint:
        """What the tensors come from."""
        return self._snapshot.checkpoint

    def mask(self, name: str) -> Mask | None:
        """Return some mask where there will be one."""
        if self._snapshot.entry(name).name in self._touched:
            return _SOME_MASK
        return self._snapshot.mask(name)

    def zeroed(self, name: str) -> Mask | None:
        """Return a mask where something will be written as +0.0."""
        return self.mask(name) or self._snapshot.zeroed(name)

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Return raw elements; no size depends on them."""
        return self._snapshot.chunks(name, start, stop, size)
