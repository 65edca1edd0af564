"""The main command and what belongs to it: pruning, stopping, and making final."""

from __future__ import annotations

from PySide6.QtCore import QObject

from pruneapp.document.document_changes import DocumentChanged
from pruneapp.edits.finalize import Finalize
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.mainwindow.status_controller import StatusController
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.method_form.form_controller import FormController
from pruneapp.gui.preview.preview_controller import PreviewController


class PruneController(QObject):
    """Does what the form says, or stops it.

    Parameters
    ----------
    window, views
        Their commands and buttons ask for it.
    session, jobs
        The document, and what runs.
    asking, forecasting
        Say what is asked for, and do it.
    telling
        Says that a prune was given up.
    """

    def __init__(
        self,
        window: MainWindow,
        session: OpenDocument,
        jobs: Jobs,
        *,
        views: DocumentViews,
        asking: FormController,
        forecasting: PreviewController,
        telling: StatusController,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._jobs = jobs
        self._views = views
        self._asking = asking
        self._forecasting = forecasting
        self._telling = telling
        for name, call in {
            "prune": self.prune,
            "cancel": self.cancel,
            "reset_form": self._asking.reset,
            "make_final": self.make_final,
        }.items():
            window.actions_[name].triggered.connect(call)
        window.job_status.cancelRequested.connect(self.cancel)
        views.forecast.action.pruneRequested.connect(self.prune)
        forecasting.dropped.connect(self._on_dropped)
        session.changed.connect(self._on_changed)

    def prune(self) -> None:
        """Do what the form says."""
        if self._views.forecast.action.button.isEnabled():
            self._forecasting.prune()

    def cancel(self) -> None:
        """Stop the running job; without one, drop the preview. The form stays as it is."""
        asked = self._forecasting
        if not (asked.cancel() or self._jobs.cancel_visible() or asked.cancel_preview()):
            if self._session.document is not None and asked.outlook.asked:
                asked.wait()
        elif self._jobs.busy:
            self._window.job_status.set_cancelling(writes=self._jobs.writing)

    def make_final(self) -> None:
        """Turn the pruned weights of the checked tensors into ordinary zeros."""
        names = self._views.tree.checked()
        self._session.propose(self.tr("Making permanent"), Finalize(names).propose)

    def _on_dropped(self) -> None:
        if self._session.document is None:
            return
        self._telling.offer(
            NoticeTopic.STOPPED,
            self.tr(
                "Pruning was cancelled because the history changed before it finished. "
                "Nothing was pruned."
            ),
            self.tr("Prune now"),
            self._prune_after_all,
        )

    def _prune_after_all(self) -> None:
        self._telling.end(NoticeTopic.STOPPED)
        self.prune()

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.kind == "apply":
            self._telling.end(NoticeTopic.STOPPED)
