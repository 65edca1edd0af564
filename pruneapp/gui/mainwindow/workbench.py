"""The window at work: session, views and jobs, connected.

Connections are to bound methods of objects that live in the main thread.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QCloseEvent

from pruneapp.document.document import DocumentChanged
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.notifications import NoticeTopic, Notifications
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.app.settings_controller import SettingsController
from pruneapp.gui.compare.compare_controller import CompareController
from pruneapp.gui.document.history_controller import HistoryController, StepSequence
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.export.export_controller import ExportController
from pruneapp.gui.files.autosave_controller import AutosaveController, Checksums
from pruneapp.gui.files.open_controller import OpenController
from pruneapp.gui.files.recovery_controller import RecoveryController
from pruneapp.gui.files.session_controller import SessionController
from pruneapp.gui.mainwindow.document_panels import (
    DocumentViews,
    TreeController,
    ViewMemory,
    ViewState,
)
from pruneapp.gui.mainwindow.palette_controller import PaletteController
from pruneapp.gui.mainwindow.status_controller import StatusController
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.manual_edit.edit_controller import ManualEditController
from pruneapp.gui.method_form.form_controller import FormController, LoadedMasks
from pruneapp.gui.patterns.pattern_controller import PatternController
from pruneapp.gui.plots.plot_controller import PlotController
from pruneapp.gui.plots.table_controller import TableController
from pruneapp.gui.plots.threshold_controller import ThresholdController
from pruneapp.gui.preview.histogram_controller import HistogramController
from pruneapp.gui.preview.preview_controller import PreviewController, PruneController
from pruneapp.gui.preview.step_info_controller import StepInfoController
from pruneapp.gui.preview.tree_preview import TreePreview
from pruneapp.gui.recipes.recipe_controller import RecipeController
from pruneapp.gui.recipes.rounds_controller import RoundsController
from pruneapp.gui.tree.nodes import Nodes, build_nodes
from pruneapp.gui.widgets.theme import ThemeManager
from pruneapp.methods.method import Method
from pruneapp.results.export import ExportReport
from pruneapp.sessions.open_path import OpenRequest


class Workbench(QObject):
    """Makes the parts and connects them.

    Parameters
    ----------
    window, settings, appearance
        As the application made them.

    Attributes
    ----------
    notifications, views, session, jobs, forecasting, looking, exporting, moving, handwork
        The parts, for the tests and the tour.
    """

    def __init__(self, window: MainWindow, settings: Settings, appearance: ThemeManager) -> None:
        super().__init__(window)
        self.window = window
        self.settings = settings
        self.jobs = jobs = Jobs(self)
        self.notifications = Notifications(window.notices, window.done, self)
        context = AppContext(
            window, window.actions_, jobs, settings, appearance, self.notifications
        )
        self.views = views = DocumentViews(window)
        window.furnish(views.tree_dock, views.middle, views.form_dock)
        self.session = session = OpenDocument(jobs, settings, build_nodes, self)
        self.extras = LoadedMasks(session, jobs, self)
        self.telling = StatusController(window, views, session, jobs, self.notifications)
        # Before all others: whoever hears of a document finds tree and numbers up to date.
        session.opened.connect(self._on_opened)
        session.closed.connect(self.telling.show_closed)
        session.changed.connect(self._on_changed)
        session.refused.connect(self.notifications.refuse)
        self.asking = FormController(session, views.tree, views.form, self.extras, window)
        self.forecasting = PreviewController(
            session,
            jobs,
            panel=views.forecast,
            ask=self.asking.step,
            extras=self.extras,
            parent=self,
        )
        self.pruning = PruneController(
            context,
            session,
            tree=views.tree,
            action=views.forecast.action,
            job_status=window.job_status,
            asking=self.asking,
            forecasting=self.forecasting,
        )
        self.counting = HistogramController(session, jobs, self.forecasting, self)
        self.step_info = StepInfoController(
            session,
            jobs,
            asking=self.asking,
            previews=self.forecasting,
            form=views.form,
            panel=views.forecast,
            window=window,
        )
        self.tree_preview = TreePreview(views.tree, self)
        self.looking = PlotController(session, jobs, self.forecasting, views.pages, parent=self)
        self.dragging = ThresholdController(
            session,
            jobs,
            asking=self.asking,
            forecasting=self.forecasting,
            counting=self.counting,
            looking=self.looking,
            pages=views.pages,
            parent=self,
        )
        self.exporting = ExportController(
            session, jobs, appearance, window, asked=views.forecast.action.asked
        )
        self.tables = TableController(context, session, views.pages)
        self.browsing = TreeController(views, window.actions_, settings, self)
        view = ViewState(
            session,
            views,
            show_tensor=self.show_tensor,
            show_page=self.browsing.show_page,
            check=self.asking.check,
        )
        self.keeping = AutosaveController(context, session, view.glance)
        self.checksums = Checksums(context, session, self.keeping)
        self.sessions = SessionController(
            context, session, autosave=self.keeping, read_view=view.read, show_view=view.show
        )
        self.opening = OpenController(
            context, session, window.empty, exporting=self.exporting, sessions=self.sessions
        )
        self.recovering = RecoveryController(
            context,
            session,
            window.recovery,
            exporting=self.exporting,
            open_work=self.opening.open,
        )
        series = StepSequence(session, jobs, self)
        self.recipes = RecipeController(context, session, series)
        self.rounds = RoundsController(
            context, session, series, asking=self.asking, extras=self.extras
        )
        self.moving = HistoryController(session, jobs, self)
        self.comparing = CompareController(
            context,
            session,
            self.looking,
            tree=views.tree,
            pages=views.pages,
            view=views.compare,
        )
        self.handwork = ManualEditController(
            context,
            session,
            views.pages,
            views.hand_options,
            comparing=self.comparing,
            looking=self.looking,
            counting=self.counting,
        )
        self.pattern_checking = PatternController(context, session, views.tree, self.show_tensor)
        self.remembering = ViewMemory(session, views, settings, view, self)
        self.choosing = SettingsController(context, window.device)
        self.finding = PaletteController(
            context, session, views, choosing=self.choosing, show_tensor=self.show_tensor
        )
        self.ended = True
        self._connect()

    def _connect(self) -> None:
        window, views = self.window, self.views
        for name, call in {
            "export": self.exporting.ask,
            "undo": self.moving.undo,
            "redo": self.moving.redo,
            "history_back": self.moving.undo,
            "history_forward": self.moving.redo,
            "check_usual": self.asking.check_usual,
            "load_masks": self.asking.load_masks,
            "load_scores": self.asking.load_scores,
            "compare_with": self.comparing.ask_file,
        }.items():
            window.actions_[name].triggered.connect(call)
        window.closing.connect(self._on_closing)
        window.dropped.connect(self.opening.open)
        window.activated.connect(self.opening.look_at_file)
        self.jobs.failed.connect(self.notifications.report_failure)
        views.tree.focusChanged.connect(self.looking.look_at)
        views.tree.checkRefused.connect(self.notifications.say_done)
        views.form.roundsAsked.connect(self.rounds.ask)
        views.forecast.tensorRequested.connect(self.show_tensor)
        views.history.jumpRequested.connect(self.moving.jump)
        self.asking.changed.connect(self.forecasting.refresh)
        self.asking.opened.connect(self.forecasting.wait)
        self.forecasting.stateChanged.connect(self.tree_preview.set_preview)
        self.counting.completed.connect(self.looking.recount)
        self.counting.completed.connect(self.forecasting.note_counted)
        self.exporting.sized.connect(self.telling.show_size)
        self.exporting.exported.connect(self._on_exported)
        self.exporting.cancelled.connect(self.notifications.say_done)
        self.sessions.saved.connect(self._on_saved)
        self.choosing.deviceChanged.connect(self._on_device)
        self.choosing.methodsLoaded.connect(self._on_methods)
        self.choosing.refused.connect(self.notifications.refuse)

    # -- the document ---------------------------------------------------------------------------

    @Slot(object)
    def open(self, path: Path, state_dict: str | None = None) -> None:
        """Open a file, after asking about work that would be lost."""
        self.opening.open(OpenRequest(path, state_dict))

    def shut_down(self) -> None:
        """End all work and let go of the file."""
        self.forecasting.drop()
        self.counting.drop()
        self.window.hide()
        self.ended = self.jobs.stop()
        self.session.close()
        self.keeping.stop()

    def report_bug(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Show a bug of ours as a report that can be copied; work goes on."""
        if issubclass(kind, KeyboardInterrupt):
            self.window.close()
        else:
            self.notifications.report_bug(kind, error, trace)

    def _on_closing(self, event: QCloseEvent) -> None:
        event.ignore()  # whatever fails below, nothing is lost
        if self.opening.may_leave():
            event.accept()
            self.window.keep_layout()
            self.shut_down()

    def _on_opened(self, nodes: Nodes) -> None:
        session, views = self.session, self.views
        self.telling.show_opened(nodes)
        self.opening.offer_more()
        first = next((r for r in session.rows if r.by_default), next(iter(session.rows), None))
        if first is not None:
            self.show_tensor(first.name)
        views.tree.view.setFocus()  # where the keys of the window are nobody's typing

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.kind != "exported":
            # What is computed for the state before is for nothing, and would keep the window back.
            self.forecasting.halt()
        self.telling.show_changed(change)
        if change.names:
            self.asking.tell_context()

    def show_tensor(self, name: str) -> None:
        """Put a tensor into focus, in tree and pictures."""
        self.views.tree.set_focused(name)
        self.looking.look_at(name)

    def _on_exported(self, report: ExportReport) -> None:
        self.notifications.end(NoticeTopic.ASKED, NoticeTopic.EXPORT)
        self.sessions.mention_history(report)

    def _on_saved(self, _path: Path) -> None:
        self.notifications.end(NoticeTopic.ASKED, NoticeTopic.SAVING)

    def _on_device(self) -> None:
        self.notifications.end(NoticeTopic.DEVICE)
        self.forecasting.renew()

    def _on_methods(self, methods: tuple[Method, ...]) -> None:
        self.asking.offer_methods()
        self.telling.own_methods = True
        names = ", ".join(method.label for method in methods)
        self.notifications.mention(
            NoticeTopic.METHOD, self.tr("Loaded: {names}.").format(names=names)
        )
        self.forecasting.renew()
