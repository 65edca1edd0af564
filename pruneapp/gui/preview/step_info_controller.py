"""Sizes, companions, byte target of the step.

How large a file of each format would be after the step, to the byte, from headers alone.

Tells the form how many tensors have a bias or norm that may go along with their channels.

A total that is said as the size of a file: "at most 40 MB as a compact file".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QInputDialog, QWidget

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.document.selection import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step, may_have_companions
from pruneapp.edits.coupled_tensors import Companions
from pruneapp.errors import ParameterError, PruneAppError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.format_sizes import planned_size
from pruneapp.export.size_bounds import total_for
from pruneapp.gui.app.jobs import Jobs, Task, Urgency
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.method_form.form_controller import FormController
from pruneapp.gui.method_form.panel import PruneForm
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.masks.bitmask import BitMask, Mask
from pruneapp.methods import registry
from pruneapp.params import parse_bytes
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


class FileSizeTarget(QObject):
    """Asks for a size, and asks for the total that makes a compact file as small.

    Parameters
    ----------
    session, jobs, asking
        The document, who counts, who takes the total.
    form
        Where it is asked for, and where it says what is wrong.
    window
        Parent of the question.
    """

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        asking: FormController,
        form: PruneForm,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._jobs = jobs
        self._asking = asking
        self._form = form
        self._window = window
        self._said = "10 MB"
        form.sizeAsked.connect(self._ask)

    def _ask(self) -> None:
        if self._session.document is None:
            return
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(self.tr("Target file size"))
        dialog.setLabelText(self.tr("Maximum size of the compact file, such as 40 MB or 512 KiB:"))
        dialog.setTextValue(self._said)
        dialog.setOkButtonText(self.tr("Set total sparsity"))
        dialog.setCancelButtonText(self.tr("Cancel"))
        dialog.textValueSelected.connect(self._on_said)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_said(self, text: str) -> None:
        document = self._session.document
        if document is None:
            return
        self._said = text
        try:
            step = self._asking.step()
            nbytes = _bytes(text, step)
        except PruneAppError as error:
            self._form.set_limits_error(str(error))
            return
        snapshot = document.snapshot()

        def count(_job: Job) -> int:
            return _total(snapshot, step, nbytes)

        self._jobs.answer(count, on_result=self._asking.set_total, on_error=self._on_error)

    def _on_error(self, error: PruneAppError) -> None:
        self._form.set_limits_error(str(error))


def _bytes(text: str, step: Step) -> int:
    nbytes = parse_bytes(text)
    if nbytes is None:
        raise ParameterError(
            f"Enter a size as a number and a unit, such as 40 MB or 512 KiB (got '{text.strip()}')."
        )
    for row in step.rows:
        method = registry.get(row.method)
        if method.granularity != "weights":
            raise ParameterError(
                f"'{method.label}' prunes whole {method.granularity}, so a file size cannot "
                "be guaranteed.",
                remedy="Choose an unstructured method.",
            )
    return nbytes


def _total(snapshot: Snapshot, step: Step, nbytes: int) -> int:
    touched = [name for _, names in rows_of(snapshot.checkpoint, step) for name in names]
    return total_for(snapshot, touched, nbytes)
