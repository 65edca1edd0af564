"""Tells the form how many tensors have a bias or norm that may go along with their channels."""

from __future__ import annotations

from itertools import chain

from PySide6.QtCore import QObject

from pruneapp.document.step import may_have_companions
from pruneapp.edits.coupled_tensors import Companions
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs import Jobs, Urgency
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.method_form.panel import PruneForm
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.progress import Job


class CoupledTensorCounts(QObject):
    """Looks through the names in the background whenever other tensors are asked for.

    Parameters
    ----------
    session, jobs
        The document, and where its names are looked through.
    forecasting
        Knows what is asked for.
    form
        Told how many.
    """

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        forecasting: PreviewController,
        form: PruneForm,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._forecasting = forecasting
        self._form = form
        self._names: tuple[str, ...] = ()
        self._task: Task[int] | None = None
        forecasting.asked.connect(self._on_asked)
        session.closed.connect(self._on_closed)

    def _on_asked(self) -> None:
        document, step = self._session.document, self._forecasting.step
        if document is None or step is None:
            return
        meant = [row.names for row in step.rows if may_have_companions(row)]
        names = meant[0] if len(meant) == 1 else tuple(chain.from_iterable(meant))
        if not names or names == self._names:
            return
        self._stop()
        self._names = names
        checkpoint = document.checkpoint

        def work(job: Job) -> int:
            pairs = Companions(checkpoint, job.cancel)
            paired = 0
            for name in names:
                job.step(0)
                paired += bool(pairs.of(name))
            return paired

        self._task = self._jobs.answer(
            work, on_result=self._show, on_error=self._on_error, urgency=Urgency.ASIDE
        )

    def _show(self, paired: int) -> None:
        self._form.set_paired(paired, len(self._names))

    def _on_error(self, _error: PruneAppError) -> None:
        # A tensor that is not there: whatever is done with it says so.
        self._form.set_paired(None, 0)

    def _on_closed(self) -> None:
        self._stop()
        self._form.set_paired(None, 0)

    def _stop(self) -> None:
        self._names = ()
        if self._task is not None:
            self._task.cancel()
            self._task = None
