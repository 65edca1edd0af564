"""The workbench: creates views, jobs and controllers of a window, and connects them.

All connections are to bound methods of objects that live on the main thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QCloseEvent

from pruneapp.checkpoint.entry import TensorRow
from pruneapp.document.document import DocumentChanged
from pruneapp.export.report import ExportReport
from pruneapp.gui.app import dialogs
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.desktop import Desktop
from pruneapp.gui.app.jobs import JobProgress, Jobs
from pruneapp.gui.app.notices import NoticeRow
from pruneapp.gui.app.notifications import NoticeTopic, Notifications
from pruneapp.gui.app.plugin_controller import PluginController
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.app.settings_controller import SettingsController
from pruneapp.gui.app.windows import TITLE, Windows
from pruneapp.gui.commands.actions import without_mnemonic
from pruneapp.gui.commands.declarations import COMMANDS
from pruneapp.gui.compare.combine_controller import MaskDragController
from pruneapp.gui.compare.compare_controller import CompareController
from pruneapp.gui.document.history_controller import HistoryController
from pruneapp.gui.document.open_document import OpenDocument, OpenRequest
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.gui.evaluation.generate_controller import GenerateController
from pruneapp.gui.evaluation.report_controller import ReportController
from pruneapp.gui.evaluation.script_controller import ScriptController
from pruneapp.gui.evaluation.trace_controller import TraceController
from pruneapp.gui.export.cut_step import CutStep
from pruneapp.gui.export.export_controller import ExportController
from pruneapp.gui.files.autosave_controller import AutosaveController, Checksums
from pruneapp.gui.files.open_controller import OpenController
from pruneapp.gui.files.recent_controller import RecentController
from pruneapp.gui.files.recovery_controller import RecoveryController
from pruneapp.gui.files.session_controller import SessionController
from pruneapp.gui.mainwindow.document_panels import DocumentViews, NavigationController, ViewState
from pruneapp.gui.mainwindow.job_list import JobController, JobList
from pruneapp.gui.mainwindow.palette_controller import PaletteController
from pruneapp.gui.mainwindow.tour_controller import TourController
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.manual_edit.edit_controller import ManualEditController
from pruneapp.gui.manual_edit.group_controller import GroupController
from pruneapp.gui.method_form.form_controller import FormController
from pruneapp.gui.patterns.pattern_controller import PatternController
from pruneapp.gui.plots.channel_list_controller import ChannelListController
from pruneapp.gui.plots.graph.connections_controller import ConnectionsController
from pruneapp.gui.plots.graph.graph_controller import GraphController
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.plots.plot_controller import PlotController, TableController
from pruneapp.gui.plots.quality_sessions import QualitySessionsController
from pruneapp.gui.plots.shrunk_sizes import ShrunkSizesController
from pruneapp.gui.plots.threshold_controller import ThresholdController
from pruneapp.gui.preview.histogram_controller import HistogramController
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.gui.preview.shrunk_size_controller import ShrunkSizeController
from pruneapp.gui.preview.step_info_controller import StepInfoController
from pruneapp.gui.recipes.recipe_controller import RecipeController
from pruneapp.gui.recipes.rounds_controller import RoundsController
from pruneapp.gui.recovery.recover_controller import RecoverController
from pruneapp.gui.repair.repair_controller import RepairController
from pruneapp.gui.sensitivity.allocation_controller import AllocationController
from pruneapp.gui.sensitivity.frontier_controller import FrontierController
from pruneapp.gui.sensitivity.scan_controller import ScanController
from pruneapp.gui.statistics.statistics_controller import StatisticsController
from pruneapp.gui.tree.nodes import Nodes, build_nodes
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import LineEdit
from pruneapp.gui.widgets.engine_text import translate_declared, translate_sentence, translate_step
from pruneapp.gui.widgets.labels import as_plain, as_sentence, join_names, join_sentences
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.gui.widgets.theme import ThemeManager
from pruneapp.methods.method import Method
from pruneapp.plugins import Additions

LONGEST_STEP = 40
_SHORT_WORD = 6
_STEP_END = 16  # number of characters at the end of a longer name that are shown


class StatusController(QObject):
    """Shows the open document and the running job in the window.

    Its `show_` methods are called by the workbench, which updates shared views before other
    subscribers run.
    """

    def __init__(
        self,
        window: MainWindow,
        views: DocumentViews,
        session: OpenDocument,
        jobs: Jobs,
        notifications: Notifications,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._views = views
        self._session = session
        self._notifications = notifications
        self._stuck_notice: NoticeRow | None = None
        self._prune_waiting = False  # whether a prune waits for its preview
        # Whether code of custom methods runs, which may ignore cancellation.
        self.own_methods = False
        session.opening.connect(self._on_opening)
        session.lockChanged.connect(self._on_lock_changed)
        jobs.started.connect(window.job_status.set_job)
        jobs.progressed.connect(self._on_progress)
        jobs.idle.connect(window.job_status.set_idle)
        jobs.stuck.connect(self._on_stuck)
        jobs.unstuck.connect(self._on_unstuck)
        self.enable()

    # -- the document ---------------------------------------------------------------------------

    @Slot(object)
    def _on_opening(self, _path: object) -> None:
        # Another file is being opened: remove notices about opening; keep those about the open
        # document.
        self._notifications.end(NoticeTopic.ASKED, NoticeTopic.OPENING, NoticeTopic.OTHER_MASKS)

    @Slot()
    def _on_lock_changed(self) -> None:
        self._notifications.end(NoticeTopic.ASKED)  # changes were refused for another reason

    def show_opened(self, nodes: Nodes) -> None:
        """Show the document that was opened in all shared views, title and status bar.

        Replaces all notices by those of the document. `nodes` is the tree of its tensors.
        """
        window, views, session = self._window, self._views, self._session
        document = session.document
        assert document is not None
        self._notifications.clear()
        views.tree.set_short_names(session.contents.short)
        views.tree.set_nodes(nodes)
        views.form.set_names(session.contents.short)
        views.preview.set_shown_names(session.contents.shown, session.contents.short)
        views.pages.set_names(session.contents.short)
        views.history.set_names(session.contents.short)
        window.notices.set_names(session.contents.short)
        window.job_status.label.set_names(session.contents.short)
        config = session.contents.configuration
        kind, layers = "", None
        if config is not None:
            kind = config.architectures[0] if config.architectures else config.model_type
            layers = config.num_hidden_layers
        window.model_status.set_kind(
            kind,
            pooling=session.contents.pooling,
            layers=layers,
            dtypes=session.contents.dtypes,
            files=session.contents.companions,
        )
        self._show_numbers(tuple(document.masks))
        for notice in document.notices:
            text = translate_sentence(notice.text)
            window.notices.set_notice(text, details=notice.details, trouble=False)
        window.setWindowTitle(f"{document.checkpoint.path.name} — {TITLE}")
        window.show_document(is_open=True)
        self.enable()

    def show_closed(self) -> None:
        """Show the start page, as the document was closed."""
        self._notifications.clear()
        self._window.notices.set_names(ShortNames())
        self._window.model_status.clear()
        self._window.done.clear()
        self._views.preview.clear()
        self._window.setWindowTitle(TITLE)
        self._window.show_document(is_open=False)
        self.enable()

    def show_changed(self, change: DocumentChanged) -> None:
        """Show a change of the document: numbers of the changed tensors, history, undo and redo.

        Notices and the last action that the change has made obsolete are removed; fewer for a
        remark, which is not work.
        """
        if change.names:
            self._show_numbers(change.names)
        self._show_position()
        # the user continues with this document
        self._notifications.end(NoticeTopic.OPENING, NoticeTopic.OTHER_MASKS)
        if not change.is_remark:
            self._notifications.end(NoticeTopic.ASKED, NoticeTopic.PRUNING)
            self._window.done.clear()

    def enable(self) -> None:
        """Enable the commands that are available with or without a document.

        Undo and redo are updated as well.
        """
        document = self._session.document
        actions = self._window.actions_
        for spec in COMMANDS:
            if not spec.always:
                actions[spec.id].setEnabled(document is not None)
        self._window.export_button.setEnabled(document is not None)
        several = document is not None and len(document.checkpoint.contents.state_dicts) > 1
        actions["state_dict"].setEnabled(several)
        self._show_position()

    def show_size(self, nbytes: int | None) -> None:
        """Show the estimated size of an export, in bytes, on the button; None if unknown."""
        actions = self._window.actions_
        text, tip = self.tr("Export…"), actions["export"].statusTip()
        if nbytes is not None:
            text = self.tr("Export… {size}").format(size=number_format.size(nbytes))
            about = self.tr(
                "{size} is the dense file in the proposed format, as in the preview: with zeros in "
                "place of pruned weights, and with the other contents of the opened file if the "
                "format keeps them."
            )
            about = about.format(size=number_format.size(nbytes))
            tip = join_sentences(as_sentence(tip), about)
        actions["export"].setIconText(text)
        actions.set_tip("export", as_plain(tip))
        # Screen readers get plain text, as the tooltip is markup.
        self._window.export_button.setAccessibleDescription(tip)

    def set_waiting(self, *, waits: bool) -> None:
        """Set whether a prune waits for its preview, which can be undone as if it was complete."""
        self._prune_waiting = waits
        self._show_position()

    def _show_numbers(self, names: tuple[str, ...]) -> None:
        """Show the sparsity of the tensors `names` in the tree, and that of the whole model."""
        document = self._session.document
        assert document is not None
        masks = document.masks
        self._views.tree.model.set_sparsity(dict(zip(names, masks.counts(names), strict=True)))
        total = self._session.contents.size.parameters
        pruned = masks.total_pruned
        self._window.model_status.set_model(total, pruned, self._session.contents.size.buffers)
        self._views.preview.figures.set_model(total, pruned)

    def _show_position(self) -> None:
        """Show the states in the history, and name the steps in the texts of Undo and Redo.

        The two are disabled if there is no step; Undo is enabled while a prune waits for its
        preview. Names longer than `LONGEST_STEP` are abridged, in the tooltips as well.
        """
        document = self._session.document
        actions = self._window.actions_
        items = document.items if document is not None else ()
        position = document.position if document is not None else 0
        undone = translate_step(items[position].label) if position else ""
        redone = ""
        if document is not None and position != document.branches.tip:
            redone = translate_step(items[document.branches.next_state(position)].label)
        for names, step, text in (
            (("undo", "history_back"), undone, self.tr("&Undo")),
            (("redo", "history_forward"), redone, self.tr("&Redo")),
        ):
            for name in names:
                actions[name].setEnabled(bool(step))
            whole = len(step) <= LONGEST_STEP
            shown = step if whole else self._session.contents.short.in_text(step)
            actions[names[0]].setText(f"{text} {_abridge(shown)}".strip())
            # A constant text keeps the toolbar from moving; the tooltip has the name of the step.
            actions[names[0]].setIconText(without_mnemonic(text))
            # No markup, which screen readers would read aloud.
            actions.set_tip(names[0], without_mnemonic(actions[names[0]].text()).replace("<", "‹"))
        if self._prune_waiting:  # undo cancels the waiting prune
            actions["undo"].setEnabled(True)
            actions["undo"].setText(self.tr("&Undo pruning"))
        branches = document.branches if document is not None else None
        self._views.history.set_items(items, position, branches)

    # -- jobs -----------------------------------------------------------------------------------

    def _on_progress(self, progress: JobProgress) -> None:
        label = self._session.contents.shown.get(progress.label, progress.label)
        self._window.job_status.set_progress(
            progress.done, progress.total, label, progress.seconds_left
        )

    @Slot(str)
    def _on_stuck(self, title: str) -> None:
        """Show a notice that a cancelled job has not ended, until it ends.

        An error if code of custom methods runs, which may never end.
        """
        if self.own_methods:
            text = self.tr(
                "'{title}' cannot be cancelled while the code of a custom method is "
                "running. Wait, or quit; your file is unchanged."
            )
        else:
            text = self.tr("'{title}' is being cancelled. Your file is unchanged.")
        self._stuck_notice = self._window.notices.set_notice(
            text.format(title=title), trouble=self.own_methods
        )

    @Slot()
    def _on_unstuck(self) -> None:
        self._window.notices.remove(self._stuck_notice)


def _abridge(step: str) -> str:
    """Return a name of at most `LONGEST_STEP` characters, with an ellipsis for words inside it.

    In the texts of commands, an ellipsis at the end means that a dialog opens; it may be hidden.
    """
    if len(step) <= LONGEST_STEP:
        return step
    start, end = step[: LONGEST_STEP - 1 - _STEP_END], step[-_STEP_END:]
    # Short words are not cut; of the name of a tensor, as much as possible is shown.
    before, _, cut = start.rpartition(" ")
    rest, _, after = end.partition(" ")
    start = f"{before} " if before and len(cut) <= _SHORT_WORD else start
    return f"{start}…{f' {after}' if after and len(rest) <= _SHORT_WORD else end}"


class Workbench(QObject):
    """Creates and connects the parts of a window; they are public for tests and the tour."""

    def __init__(
        self, window: MainWindow, settings: Settings, appearance: ThemeManager, windows: Windows
    ) -> None:
        super().__init__(window)
        self.window = window
        self._windows = windows
        self.settings = settings
        self._appearance = appearance
        self.jobs = jobs = Jobs(self)
        self.notifications = Notifications(window.notices, window.done, self)
        self.desktop = Desktop(window, jobs, settings, self._on_motion)
        context = AppContext(
            window, window.actions_, jobs, settings, appearance, self.notifications, windows
        )
        self.views = views = DocumentViews(window)
        window.add_document_views(views.tree_dock, views.middle, views.form_dock)
        for page, picture in views.pages.pictures.items():
            # A chart makes space; the others, which can be scrolled, do not move.
            is_chart = page not in {Page.WEIGHTS, Page.GRAPH}
            room = picture if is_chart else None
            window.notices.float_above(picture.drawing, picture.axis_margins, room=room)
        self.session = session = OpenDocument(jobs, settings, build_nodes, self)
        self.status = StatusController(window, views, session, jobs, self.notifications)
        # Must be connected first, so that other subscribers see the updated tree and numbers.
        session.opened.connect(self._on_opened)
        session.closed.connect(self.status.show_closed)
        session.changed.connect(self.status.show_changed)
        session.changed.connect(self._on_changed)
        session.refused.connect(self.notifications.show_error)
        self.form = FormController(context, session, tree=views.tree, form=views.form)
        self.preview = PreviewController(
            context,
            session,
            form=self.form,
            tree=views.tree,
            panel=views.preview,
            job_status=window.job_status,
        )
        self.job_list = JobController(
            context,
            session,
            self.preview,
            status=window.job_status,
            panel=JobList(window),
            closers=(self._close_tour, self.notifications.close_newest),
        )
        window.overlays.append(self.job_list.panel)
        self.histograms = HistogramController(session, jobs, self.preview, self)
        self.step_info = StepInfoController(
            context,
            session,
            form_controller=self.form,
            previews=self.preview,
            form=views.form,
            panel=views.preview,
        )
        self.plots = PlotController(
            session,
            jobs,
            self.preview,
            views.pages,
            parent=self,
            rows_in_order=lambda: views.tree.model.nodes.rows_in_tree_order,
        )
        self.scripts = ScriptController(context, session)
        self.connections = ConnectionsController(
            session,
            jobs,
            views.pages.connections,
            window.actions_,
            self,
            copy_code=self.scripts.copy_program_code,
        )
        self.graph = GraphController(
            session, jobs, views.pages, window.actions_, self, notifications=self.notifications
        )
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
        self.evaluation = EvaluationController(context, session, self.scripts, views.history)
        self.trace = TraceController(context, session, self.evaluation)
        self.trace.traced.connect(self._on_traced)
        self.export = ExportController(
            context,
            session,
            self.evaluation,
            scans=lambda: self.scans.stored_scans,
            asked=views.preview.action.main_action_text,
            cluster=self._cluster,
            statistics=lambda: self.form.statistics_path,
            copy_code=self.scripts.copy_program_code,
        )
        self.shrunk_size = ShrunkSizeController(
            context, session, self.preview, views.preview.file, self.export.multiple_proposal
        )
        self.tables = TableController(context, session, views.pages)
        self.channel_lists = ChannelListController(context, session, views.pages)
        self.navigation = NavigationController(views, window.actions_, settings, self)
        self.navigation.treeResized.connect(window.keep_widths, Qt.ConnectionType.QueuedConnection)
        self.view_state = view = ViewState(
            session,
            views,
            settings,
            self.navigation,
            show_tensor=views.tree.set_focused,
            check=self.form.check,
            checked=self.form.user_checks,
        )
        self.autosave = AutosaveController(context, session, self._read_view)
        self.checksums = Checksums(context, session, self.autosave)
        self.sessions = SessionController(
            context,
            session,
            autosave=self.autosave,
            read_view=self._read_view,
            show_view=self._show_view,
            read_results=self._read_results,
        )
        self.files = OpenController(
            context, session, window.empty, export=self.export, sessions=self.sessions
        )
        self.recent = RecentController(
            context,
            session,
            self.sessions,
            window.empty,
            open_file=self.files.open,
            open_in_window=self.files.open_in_window,
        )
        self.recovery = RecoveryController(
            context, session, window.recovery, export=self.export, open_work=self.files.open
        )
        self.recipes = RecipeController(
            context, session, cluster=self._cluster, statistics=lambda: self.form.statistics
        )
        self.recipes.traceApplied.connect(self.trace.use_recorded)
        self.history = HistoryController(context, session, views.history)
        self.generation = GenerateController(context, session, self.scripts)
        self.quality_sessions = QualitySessionsController(
            context, session, views.pages.quality, self.evaluation.kind_of
        )
        self.shrunk_sizes = ShrunkSizesController(
            context, session, views.pages.quality, self.export.multiple_proposal
        )
        self.rounds = RoundsController(
            context,
            session,
            form=self.form,
            scripts=self.scripts,
            evaluation=self.evaluation,
            history=self.history,
        )
        self.statistics = StatisticsController(context, session, self.scripts, self.form)
        self.repair = RepairController(
            context, session, self.scripts, self.evaluation, undo=self.history.undo, form=self.form
        )
        self.recover = RecoverController(
            context, session, self.scripts, self.evaluation, self.tables, undo=self.history.undo
        )
        self.scans = ScanController(
            context,
            session,
            scripts=self.scripts,
            evaluation=self.evaluation,
            form=self.form,
            view=views.pages.sensitivity,
            checked=views.tree.checked_names,
            show_page=partial(self.navigation.show_page, Page.SENSITIVITY),
            show_tensor=views.tree.set_focused,
            jump=self.history.jump,
        )
        self.report = ReportController(
            context, session, self.evaluation, lambda: self.scans.stored_scans
        )
        self.allocation = AllocationController(
            context,
            session,
            scans=self.scans,
            evaluation=self.evaluation,
            history=self.history,
            form=self.form,
        )
        self.frontier = FrontierController(
            context,
            session,
            scripts=self.scripts,
            evaluation=self.evaluation,
            form=self.form,
            view=views.pages.quality,
            show_page=partial(self.navigation.show_page, Page.QUALITY),
        )
        self.compare = CompareController(
            context,
            session,
            self.evaluation,
            tree=views.tree,
            pages=views.pages,
            view=views.compare,
        )
        self.groups = GroupController(
            session, jobs, self.plots, tree=views.tree, channels=views.pages.channels, parent=self
        )
        self.manual_edit = ManualEditController(
            context,
            session,
            views.pages,
            views.edit_options,
            compare=self.compare,
            plots=self.plots,
            groups=self.groups,
            histograms=self.histograms,
        )
        self.mask_drag = MaskDragController(context, session, views.tree, form=self.form)
        self.patterns = PatternController(context, session, views.tree, views.tree.set_focused)
        session.opened.connect(view.restore)
        session.closed.connect(view.remember)
        self.settings_controller = SettingsController(context, window.device)
        self.plugins = PluginController(context)
        self.palette = PaletteController(
            context,
            session,
            views,
            settings=self.settings_controller,
            open_file=self.files.open,
            show_tensor=views.tree.set_focused,
        )
        self.tour = TourController(
            context,
            session,
            views,
            form=self.form,
            previews=self.preview,
            show_page=self.navigation.show_page,
            show_tensor=views.tree.set_focused,
            open_sample=partial(self.files.open_sample, with_history=False),
            bar=window.tour,
            highlight=window.highlight,
            export=window.export_button,
            menus=window.menuBar(),
        )
        window.empty.tourRequested.connect(self.tour.start)
        self.ended = True
        # What the window that replaces this one opens; None if it is not being replaced.
        self.reopen_requests: tuple[OpenRequest, ...] | None = None
        self._connect()

    def _connect(self) -> None:
        """Connect signals of views, window and controllers that are not passed to a controller."""
        window, views = self.window, self.views
        for name, call in {"undo": self._undo, "compare_with": self.compare.ask_file}.items():
            window.actions_[name].triggered.connect(call)
        window.actions_.on_shortcut_changed("find", views.tree.tree_filter.set_keys)
        window.actions_.show_shortcut_in_tooltip("tensor_list", views.tree.tree_filter.flat)
        window.actions_.show_shortcut_in_tooltip("prune_in_rounds", views.form.rounds)
        window.closing.connect(self._on_closing)
        window.dropped.connect(self.files.open)
        window.droppedForWindow.connect(self.files.open_in_window)
        window.droppedTogether.connect(self.files.open_together)
        window.otherEntered.connect(self.mask_drag.on_drag_enter)
        window.otherDropped.connect(self.mask_drag.on_drop)
        window.otherLeft.connect(self.mask_drag.on_drag_leave)
        window.keyPressed.connect(self.manual_edit.on_key)
        window.activated.connect(self.files.check_file)
        window.activated.connect(self.recent.look)
        window.activated.connect(self.evaluation.check_script)
        window.activated.connect(self.scans.check_scripts)
        window.activated.connect(self.desktop.on_window_activated)
        self.jobs.failed.connect(self.notifications.report_failure)
        views.tree.focusChanged.connect(self.plots.show_tensor)
        views.tree.focusChanged.connect(views.compare.follow)
        self.plots.focused.connect(self._on_focused)
        self.groups.searched.connect(self._on_groups_searched)
        views.pages.connections.tensorRequested.connect(views.tree.set_focused)
        views.pages.graph.tensorClicked.connect(views.tree.set_focused)
        views.tree.checkRefused.connect(self.notifications.show_done)
        # Queued until the click has been handled, as the question runs a nested event loop.
        views.tree.confirmationRequested.connect(
            self._confirm_quantized, Qt.ConnectionType.QueuedConnection
        )
        views.form.roundsRequested.connect(self.rounds.ask)
        views.form.dependents.codeRequested.connect(self.scripts.copy_program_code)
        views.form.dependents.traceRequested.connect(self.trace.trace)
        views.history.compareRequested.connect(self.compare.compare_state)
        views.history.exportRequested.connect(self.export.ask_state)
        views.preview.tensorRequested.connect(views.tree.set_focused)
        views.preview.repairRequested.connect(self.repair.ask)
        views.preview.recoverRequested.connect(self.recover.ask)
        views.preview.evaluateRequested.connect(self.evaluation.ask)
        views.form.released.connect(self.preview.start_exact_now)
        self.preview.waiting.connect(self._on_waiting)
        self.histograms.completed.connect(self.plots.recount)
        self.evaluation.measured.connect(self._show_quality)
        self.evaluation.measured.connect(self.sessions.on_measured)
        self.scans.measured.connect(self.sessions.on_measured)
        self.preview.measured_losses = self.scans.losses
        self.scans.measured.connect(self.preview.on_measured)
        self.frontier.measured.connect(self.sessions.on_measured)
        views.pages.pageChanged.connect(self.scans.end_notice)
        views.pages.quality.stateRequested.connect(self.history.jump)
        views.pages.quality.setUpRequested.connect(self.evaluation.ask)
        views.pages.sensitivity.setUpRequested.connect(self.evaluation.ask)
        views.pages.quality.metricChosen.connect(self.evaluation.show_metric)
        views.pages.quality.countRequested.connect(self.evaluation.recount_multiply_adds)
        views.pages.sensitivity.allocationRequested.connect(self.allocation.ask)
        self.export.multipleChosen.connect(self.form.set_multiple)
        self.export.multipleChosen.connect(self.shrunk_size.update)
        self.export.multipleChosen.connect(self.shrunk_sizes.forget)
        self.export.stepRequested.connect(self._on_step_requested)
        self.export.traceRequested.connect(partial(self.trace.trace_for, self.export.ask_shrunk))
        self.export.sized.connect(self.status.show_size)
        self.export.began.connect(self._on_export_began)
        self.export.exported.connect(self._on_exported)
        self.export.cancelled.connect(self.notifications.show_done)
        self.sessions.saved.connect(self._on_saved)
        self.settings_controller.deviceChanged.connect(self._on_device)
        self.settings_controller.methodsLoaded.connect(self._on_methods)
        self.plugins.loaded.connect(self._on_plugin)
        self._windows.extended.connect(self._on_extended)

    # -- the document ---------------------------------------------------------------------------

    @Slot(object)
    def open(self, wanted: Path | OpenRequest) -> None:
        """Open a file, after asking about unsaved work."""
        self.files.open(wanted)

    def close_before_restart(self) -> bool:
        """Close the window in order to open it again with the same work, without asking about it.

        Return False if the user keeps it open. Otherwise `reopen_requests` has what is to be
        opened: empty if no document is open.
        """
        document = self.session.document
        if not self.files.may_stop():
            return False
        if document is None:
            self.reopen_requests = ()
        elif (work := self._reopen_request()) is not None:
            self.reopen_requests = (work,)
        else:
            return False
        return self.window.close()

    def close_unasked(self) -> None:
        """Close the window without questions; unsaved work stays in its journal."""
        self.reopen_requests = ()
        self.window.close()

    def _reopen_request(self) -> OpenRequest | None:
        """Return what the replacing window has to open; None if the user keeps the window open.

        Unsaved work is written to its journal, which is closed and opened by the new window. If
        that fails, the user is asked as on closing. A document must be open.
        """
        document = self.session.document
        assert document is not None
        if len(document.items) > 1 or self.sessions.unsaved:
            journal = self.autosave.leave()
            if journal is not None:
                return OpenRequest(journal, is_journal=True)
            if not self.files.may_leave():
                return None
        if self.sessions.path is not None:
            return OpenRequest(self.sessions.path)
        return OpenRequest(document.checkpoint.path, document.checkpoint.contents.state_dict)

    def shut_down(self) -> None:
        """Stop all work, hide the window, and close the document.

        The workbench cannot be used afterwards. Blocks until the jobs have ended; `ended` has
        whether they did in time. Nothing is asked.
        """
        self.preview.drop()
        self.histograms.stop()
        self.window.hide()
        self.evaluation.stop()
        self.ended = self.jobs.stop()
        self.desktop.stop()
        self.evaluation.end()
        self.session.close()
        self.autosave.stop()

    def report_bug(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Show an internal error in a notice; the application continues."""
        self.notifications.report_bug(kind, error, trace)

    def _on_closing(self, event: QCloseEvent) -> None:
        event.ignore()  # no work is lost if an exception occurs below
        if self.reopen_requests is not None or self.files.may_leave():
            event.accept()
            self.window.save_layout()
            self.shut_down()

    def _on_opened(self, nodes: Nodes) -> None:
        """Show an opened document, select a tensor, and focus the tree.

        It is the first tensor that is pruned by default, or else the first of all.
        """
        session, views = self.session, self.views
        self.status.show_opened(nodes)
        self.files.offer_state_dicts()
        first = next((r for r in session.rows if r.by_default), next(iter(session.rows), None))
        if first is not None:
            views.tree.set_focused(first.name)
        views.tree.view.setFocus()  # so that shortcuts of single keys are not typed into a field

    def _on_changed(self, change: DocumentChanged) -> None:
        if not change.is_remark:
            # Cancel work on the previous state, which is obsolete and would slow down the window.
            self.preview.pause()
        if change.names:
            self.form.update_context()
            self._clear_undo_of_fields()

    def _show_quality(self) -> None:
        """Show all measured states and the current one on the page Quality."""
        document, evaluation = self.session.document, self.evaluation
        position = -1 if document is None else document.position
        page = self.views.pages.quality
        page.set_measuring(measuring=evaluation.is_measuring)
        page.set_uncounted_reason(evaluation.uncounted_text)
        page.set_states(
            evaluation.states(),
            position,
            evaluation.metric,
            evaluation.why_old,
            evaluation.conditions,
        )
        if page.shows_multiply_adds:
            evaluation.count_multiply_adds()  # for results of another script

    def _read_view(self) -> Mapping[str, Any]:
        measured = {**self.evaluation.read(), **self.scans.read(), **self.frontier.read()}
        return {**self.view_state.read(), **self.form.read(), **measured, **self.trace.read()}

    def _read_results(self) -> Mapping[object, object]:
        return {**self.evaluation.results, **self.scans.results, **self.frontier.results}

    def _show_view(self, view: Mapping[str, Any]) -> None:
        self.view_state.show(view)
        self.form.show(view)
        self.evaluation.show(view)
        self.scans.show(view)
        self.frontier.show(view)
        self.trace.show()

    def _clear_undo_of_fields(self) -> None:
        for field in self.views.form.findChildren(LineEdit):
            field.clear_undo()  # applied texts are not undone by Ctrl+Z, which undoes the step

    @Slot(bool)
    @Slot(object)
    def _confirm_quantized(self, rows: Sequence[TensorRow]) -> None:
        why = translate_sentence(rows[0].why_not)
        if dialogs.check_quantized(self.window, [row.shown for row in rows], why):
            self.views.tree.check_confirmed([row.name for row in rows])

    def _on_waiting(self, waits: bool) -> None:
        self.status.set_waiting(waits=waits)
        if waits:
            self._clear_undo_of_fields()

    def _close_tour(self) -> bool:
        """End the tour; return whether it was running."""
        was_running = self.window.tour.isVisible()
        if was_running:
            self.window.tour.endRequested.emit()
        return was_running

    @Slot()
    def _undo(self) -> None:
        if not self.preview.take_back():
            self.history.undo()

    @Slot()
    def _on_focused(self) -> None:
        self.graph.set_focused(self.plots.name)
        if self.plots.name is None:
            self.connections.show_tensor(None)
        else:
            self.connections.expect_tensor()

    @Slot()
    def _on_groups_searched(self) -> None:
        self.connections.show_tensor(self.plots.name)

    @Slot()
    def _on_traced(self) -> None:
        """Show the graph and the groups of the traced model, and compute the step again."""
        self.graph.show_traced()
        self.groups.refresh()  # and then the connections
        self.step_info.forget_dependents()
        self.shrunk_size.forget()
        self.preview.renew()

    def _on_step_requested(self, step: CutStep) -> None:
        """Set the form to prune the units of a cut as a step, and show what to do next."""
        self.views.form_dock.raise_()
        self.form.request_everywhere(step.row, step.statistics)
        self.views.form.focus_amount()
        self.notifications.show_done(
            self.tr(
                "The form prunes the units of the cut. Apply the step, repair or recover the new "
                "state, and export it shrunk."
            )
        )

    def _on_export_began(self, _path: Path) -> None:
        self.notifications.end(NoticeTopic.EXPORT)

    def _on_exported(self, report: ExportReport) -> None:
        self.scripts.inherit(report.path)
        self.notifications.end(NoticeTopic.ASKED, NoticeTopic.EXPORT)

    def _on_saved(self, _path: Path) -> None:
        self.notifications.end(NoticeTopic.ASKED, NoticeTopic.SAVING)

    @Slot(bool)
    def _on_motion(self, reduced: bool) -> None:
        self._appearance.set_system_motion(reduced=reduced)

    def _cluster(self) -> str:
        return self.settings_controller.cluster

    def _on_device(self) -> None:
        self.notifications.end(NoticeTopic.DEVICE)
        self.preview.renew()

    def _on_plugin(self, additions: Additions) -> None:
        if additions.methods:
            self._on_methods(additions.methods)
        if additions.formats:
            self._windows.extended.emit(False, True)

    def _on_methods(self, methods: tuple[Method, ...]) -> None:
        names = join_names(*(translate_declared(method.label) for method in methods))
        self.notifications.show_info(
            NoticeTopic.METHOD, self.tr("Loaded: {names}.").format(names=names)
        )
        self._windows.extended.emit(True, False)

    @Slot(bool, bool)
    def _on_extended(self, methods: bool, formats: bool) -> None:
        """Offer methods and formats that were registered, possibly by another window."""
        if methods:
            self.form.offer_methods()
            self.status.own_methods = True
        if formats:
            self.step_info.offer_formats()
        self.preview.renew()
