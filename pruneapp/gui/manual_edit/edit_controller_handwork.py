"""What is done by hand, and the commands for it."""

from __future__ import annotations

from PySide6.QtCore import QObject

from pruneapp.edits.apply_manual_edit import HandPreview
from pruneapp.errors import SelectionError
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.compare.combine_controller import CombineController
from pruneapp.gui.compare.compare_controller import CompareController
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.mainwindow.status_controller import StatusController
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.manual_edit.edit_controller import EditController
from pruneapp.gui.manual_edit.edit_controller_offering import EditOptions
from pruneapp.gui.manual_edit.zeros_controller import ZerosController
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.plots.plot_controller import PlotController
from pruneapp.gui.preview.histogram_controller import HistogramController
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.theme import ThemeManager
from pruneapp.results.document_rows import Operation


class ManualEditController(QObject):
    """Connects pictures and commands with what they do by hand.

    Parameters
    ----------
    window, views
        Whose commands and pictures.
    session, jobs
        The document, and where work is done.
    comparing
        Shows where masks differ.
    looking
        Knows which tensor is in focus.
    counting
        Goes first where a file is looked at in the background.
    telling
        Says what was done.
    appearance, settings
        The colours of dialogs, and what the person wanted before.
    """

    def __init__(
        self,
        window: MainWindow,
        views: DocumentViews,
        session: OpenDocument,
        jobs: Jobs,
        *,
        looking: PlotController,
        comparing: CompareController,
        counting: HistogramController,
        telling: StatusController,
        appearance: ThemeManager,
        settings: Settings,
    ) -> None:
        super().__init__(window)
        self._telling = telling
        self._pages = views.pages
        self.editing = EditController(session, jobs, appearance, window)
        self.offering = EditOptions(
            session,
            jobs,
            looking,
            self.editing,
            views=views,
            actions=window.actions_,
            settings=settings,
        )
        self.zeros = ZerosController(session, jobs, counting, telling=telling, parent=self)
        self.combining = CombineController(session, jobs, comparing, appearance, window)
        self.editing.done.connect(self._say)
        self.combining.done.connect(self._say)
        views.pages.weights.gestureMade.connect(self.editing.do)
        views.pages.channels.gestureMade.connect(self.editing.do)
        window.actions_["treat_zeros"].triggered.connect(self.zeros.treat)
        for name, call in {
            "hand_prune": self._prune,
            "hand_restore": self._restore,
            "hand_protect": self._protect,
            "hand_release": self._release,
        }.items():
            window.actions_[name].triggered.connect(call)
        window.actions_["combine_masks"].triggered.connect(self.combining.ask)
        window.actions_["complete_channels"].triggered.connect(self.editing.complete)

    # -- what is chosen in the picture ----------------------------------------------------------

    def _prune(self) -> None:
        self._do("prune")

    def _restore(self) -> None:
        self._do("restore")

    def _protect(self) -> None:
        self._do("protect")

    def _release(self) -> None:
        self._do("release")

    def _do(self, operation: Operation) -> None:
        pages = self._pages
        if pages.page is Page.CHANNELS and pages.channels.chosen:
            pages.channels.make_gesture(operation)
        elif pages.page is Page.WEIGHTS and pages.weights.canvas.item.cursor is not None:
            pages.weights.operate(operation)
        else:
            self._telling.refuse(
                SelectionError(
                    "Nothing is selected.",
                    remedy="Select channels or weights in the picture; see Help > Keyboard "
                    "shortcuts.",
                )
            )

    def _say(self, preview: HandPreview) -> None:
        text, found = preview.label, preview.numbers
        if found.spared:
            text = self.tr("{done}; {n} protected weights unchanged").format(
                done=text, n=number_format.count(found.spared)
            )
        elif 0 < found.final < found.changed:  # of all of them the label says it
            text = self.tr("{done}; {n} weights made permanent earlier are still 0").format(
                done=text, n=number_format.count(found.final)
            )
        self._telling.say_done(text)
