"""A total that is said as the size of a file: "at most 40 MB as a compact file"."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QInputDialog, QWidget

from pruneapp.document.selection_sparing import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.errors import ParameterError, PruneAppError
from pruneapp.export.size_bounds_bytes_target import total_for
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.method_form.form_controller import FormController
from pruneapp.gui.method_form.panel import PruneForm
from pruneapp.methods import registry
from pruneapp.params_sizes import parse_bytes
from pruneapp.progress import Job


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
