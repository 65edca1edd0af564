"""What may be meant beside what is drawn by hand, for the tensor in focus."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from pruneapp.document.selection_roles import Alike, alike
from pruneapp.edits.coupled_tensors import Companion, Companions
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.gui.app.settings import WITH_COMPANIONS, Settings
from pruneapp.gui.commands.actions import Actions
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.manual_edit.edit_controller import EditController
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.plots.plot_controller import PlotController
from pruneapp.progress import Job

Offer = tuple[Alike, tuple[Companion, ...]]


class EditOptions(QObject):
    """Keeps the check boxes below the picture, and their commands, true.

    Parameters
    ----------
    session, jobs, looking
        The document, where names are looked through, and the tensor in focus.
    editing
        Told what is meant.
    views, actions
        The check boxes and the commands that are the same.
    settings
        Remember whether companions are wanted.
    """

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        looking: PlotController,
        editing: EditController,
        *,
        views: DocumentViews,
        actions: Actions,
        settings: Settings,
    ) -> None:
        super().__init__(editing)
        self._session = session
        self._jobs = jobs
        self._looking = looking
        self._editing = editing
        self._view = views.hand_options
        self._settings = settings
        self._everywhere: QAction = actions["in_every_block"]
        self._companions: QAction = actions["with_companions"]
        self._companions.setChecked(settings.get(WITH_COMPANIONS))
        self._task: Task[Offer] | None = None
        self._pairs: Companions | None = None
        self._everywhere.toggled.connect(self._on_toggled)
        self._companions.toggled.connect(self._on_toggled)
        self._view.everywhereWanted.connect(self._everywhere.setChecked)
        self._view.companionsWanted.connect(self._companions.setChecked)
        looking.focused.connect(self._on_looking)
        views.pages.pageChanged.connect(self._on_page)
        session.closed.connect(self._on_closed)
        self._on_toggled()

    def _on_toggled(self) -> None:
        everywhere, companions = self._everywhere.isChecked(), self._companions.isChecked()
        self._editing.in_every_block = everywhere
        self._editing.with_companions = companions
        self._settings.set(WITH_COMPANIONS, companions)
        self._view.set_wanted(everywhere=everywhere, companions=companions)

    def _on_page(self, page: int) -> None:
        self._view.setVisible(page in {Page.WEIGHTS, Page.CHANNELS})

    def _on_looking(self) -> None:
        if self._task is not None:
            self._task.cancel()
        document, name = self._session.document, self._looking.name
        if document is None or name is None or self._session.by_name[name].why_not:
            self._show_none()
            return
        checkpoint = document.checkpoint
        if self._pairs is None:
            self._pairs = Companions(checkpoint)
        pairs = self._pairs

        def work(_job: Job) -> Offer:
            # Of 100,000 names that takes longer than a frame.
            return alike(checkpoint, name), pairs.of(name)

        self._task = self._jobs.answer(work, on_result=self._show, on_error=self._on_error)

    def _show(self, offer: Offer) -> None:
        found, companions = offer
        shown = self._session.contents.shown
        self._view.set_alike(found.pattern, len(found.names))
        why = " ".join(dict.fromkeys(companion.why for companion in companions))
        self._view.set_companions([shown.get(c.name, c.name) for c in companions], why)

    def _show_none(self) -> None:
        self._view.set_alike("", 1)
        self._view.set_companions((), "")

    def _on_error(self, _error: PruneAppError) -> None:
        self._show_none()

    def _on_closed(self) -> None:
        self._pairs = None
        # Nothing may come into focus after this: a file can be without a tensor.
        if self._task is not None:
            self._task.cancel()
        self._show_none()
