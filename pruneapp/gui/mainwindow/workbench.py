"""The window at work: makes views, jobs and controllers, and connects them.

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
    NavigationController,
)
from pruneapp.gui.mainwindow.palette_controller import PaletteController
from pruneapp.gui.mainwindow.status_controller import StatusController
from pruneapp.gui.mainwindow.view_state import ViewState
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
    """Makes the parts and connects them; they are attributes for tests and the tour."""

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
        self.status = StatusController(window, views, session, jobs, self.notifications)
        # Before all others: whoever hears of a document finds tree and numbers up to date.
        session.opened.connect(self._on_opened)
        session.closed.connect(self.status.show_closed)
        session.changed.connect(self._on_changed)
        session.refused.connect(self.notifications.refuse)
        self.form = FormController(session, views.tree, views.form, self.extras, window)
        self.preview = PreviewController(
            session,
            jobs,
            panel=views.preview,
            ask=self.form.step,
            extras=self.extras,
            parent=self,
        )
        self.prune = PruneController(
            context,
            session,
            tree=views.tree,
            action=views.preview.action,
            job_status=window.job_status,
            form=self.form,
            previews=self.preview,
        )
        self.histograms = HistogramController(session, jobs, self.preview, self)
        self.step_info = StepInfoController(
            session,
            jobs,
            form_controller=self.form,
            previews=self.preview,
            form=views.form,
            panel=views.preview,
            window=window,
        )
        self.tree_preview = TreePreview(views.tree, self)
        self.plots = PlotController(session, jobs, self.preview, views.pages, parent=self)
        self.threshold = ThresholdController(
            session,
            jobs,
            form=self.form,
            previews=self.preview,
            histograms=self.histograms,
            plots=self.plots,
            pages=views.pages,
            parent=self,
        )
        self.export = ExportController(context, session, asked=views.preview.action.asked)
        self.tables = TableController(context, session, views.pages)
        self.navigation = NavigationController(views, window.actions_, settings, self)
        self.view_state = view = ViewState(
            session,
            views,
            settings,
            self.navigation,
            show_tensor=self.show_tensor,
            check=self.form.check,
        )
        self.autosave = AutosaveController(context, session, view.glance)
        self.checksums = Checksums(context, session, self.autosave)
        self.sessions = SessionController(
            context, session, autosave=self.autosave, read_view=view.read, show_view=view.show
        )
        self.files = OpenController(
            context, session, window.empty, export=self.export, sessions=self.sessions
        )
        self.recovery = RecoveryController(
            context,
            session,
            window.recovery,
            export=self.export,
            open_work=self.files.open,
        )
        series = StepSequence(session, jobs, self)
        self.recipes = RecipeController(context, session, series)
        self.rounds = RoundsController(context, session, series, form=self.form, extras=self.extras)
        self.history = HistoryController(session, jobs, self)
        self.compare = CompareController(
            context,
            session,
            self.plots,
            tree=views.tree,
            pages=views.pages,
            view=views.compare,
        )
        self.manual_edit = ManualEditController(
            context,
            session,
            views.pages,
            views.hand_options,
            compare=self.compare,
            plots=self.plots,
            histograms=self.histograms,
        )
        self.patterns = PatternController(context, session, views.tree, self.show_tensor)
        session.opened.connect(view.restore)
        session.closed.connect(view.remember)
        self.settings_controller = SettingsController(context, window.device)
        self.palette = PaletteController(
            context, session, views, settings=self.settings_controller, show_tensor=self.show_tensor
        )
        self.ended = True
        self._connect()

    def _connect(self) -> None:
        window, views = self.window, self.views
        for name, call in {
            "export": self.export.ask,
            "undo": self.history.undo,
            "redo": self.history.redo,
            "history_back": self.history.undo,
            "history_forward": self.history.redo,
            "check_usual": self.form.check_usual,
            "load_masks": self.form.load_masks,
            "load_scores": self.form.load_scores,
            "compare_with": self.compare.ask_file,
        }.items():
            window.actions_[name].triggered.connect(call)
        window.closing.connect(self._on_closing)
        window.dropped.connect(self.files.open)
        window.activated.connect(self.files.look_at_file)
        self.jobs.failed.connect(self.notifications.report_failure)
        views.tree.focusChanged.connect(self.plots.look_at)
        views.tree.focusChanged.connect(views.compare.follow)
        views.tree.checkRefused.connect(self.notifications.say_done)
        views.form.roundsAsked.connect(self.rounds.ask)
        views.preview.tensorRequested.connect(self.show_tensor)
        views.history.jumpRequested.connect(self.history.jump)
        self.form.changed.connect(self.preview.refresh)
        self.form.opened.connect(self.preview.wait)
        self.preview.stateChanged.connect(self.tree_preview.set_preview)
        self.histograms.completed.connect(self.plots.recount)
        self.histograms.completed.connect(self.preview.note_counted)
        self.export.sized.connect(self.status.show_size)
        self.export.exported.connect(self._on_exported)
        self.export.cancelled.connect(self.notifications.say_done)
        self.sessions.saved.connect(self._on_saved)
        self.settings_controller.deviceChanged.connect(self._on_device)
        self.settings_controller.methodsLoaded.connect(self._on_methods)

    # -- the document ---------------------------------------------------------------------------

    @Slot(object)
    def open(self, path: Path, state_dict: str | None = None) -> None:
        """Open a file, after asking about work that would be lost."""
        self.files.open(OpenRequest(path, state_dict))

    def shut_down(self) -> None:
        """End all work and let go of the file."""
        self.preview.drop()
        self.histograms.drop()
        self.window.hide()
        self.ended = self.jobs.stop()
        self.session.close()
        self.autosave.stop()

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
        if self.files.may_leave():
            event.accept()
            self.window.keep_layout()
            self.shut_down()

    def _on_opened(self, nodes: Nodes) -> None:
        session, views = self.session, self.views
        self.status.show_opened(nodes)
        self.files.offer_more()
        first = next((r for r in session.rows if r.by_default), next(iter(session.rows), None))
        if first is not None:
            self.show_tensor(first.name)
        views.tree.view.setFocus()  # where the keys of the window are nobody's typing

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.kind != "exported":
            # What is computed for the state before is for nothing, and would keep the window back.
            self.preview.halt()
        self.status.show_changed(change)
        if change.names:
            self.form.tell_context()

    def show_tensor(self, name: str) -> None:
        """Put a tensor into focus, in tree and pictures."""
        self.views.tree.set_focused(name)
        self.plots.look_at(name)

    def _on_exported(self, report: ExportReport) -> None:
        self.notifications.end(NoticeTopic.ASKED, NoticeTopic.EXPORT)
        self.sessions.mention_history(report)

    def _on_saved(self, _path: Path) -> None:
        self.notifications.end(NoticeTopic.ASKED, NoticeTopic.SAVING)

    def _on_device(self) -> None:
        self.notifications.end(NoticeTopic.DEVICE)
        self.preview.renew()

    def _on_methods(self, methods: tuple[Method, ...]) -> None:
        self.form.offer_methods()
        self.status.own_methods = True
        names = ", ".join(method.label for method in methods)
        self.notifications.mention(
            NoticeTopic.METHOD, self.tr("Loaded: {names}.").format(names=names)
        )
        self.preview.renew()
