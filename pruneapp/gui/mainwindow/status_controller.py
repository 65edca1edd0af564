"""What the frame of the window says: title, numbers, position, progress, news and trouble."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction, QKeySequence

from pruneapp.document.document import DocumentChanged
from pruneapp.gui.app.jobs import JobProgress, Jobs
from pruneapp.gui.app.notifications import NoticeTopic, Notifications
from pruneapp.gui.commands.declarations import ACTIONS
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.tree.nodes import Nodes
from pruneapp.gui.widgets import number_format
from pruneapp.results.short_names import ShortNames

LONGEST_STEP = 40


class StatusController(QObject):
    """Shows in frame and views what is open, and the job that runs.

    The workbench tells of documents, so that all is in order before others hear of them.
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
        self._stuck = 0
        # Whether code runs that is not ours, and may not listen to a person who cancels it.
        self.own_methods = False
        session.opening.connect(self._on_opening)
        jobs.started.connect(window.job_status.set_job)
        jobs.progressed.connect(self._on_progress)
        jobs.idle.connect(window.job_status.set_idle)
        jobs.stuck.connect(self._on_stuck)
        jobs.unstuck.connect(self._on_unstuck)
        self.enable()

    # -- the document ---------------------------------------------------------------------------

    @Slot(object)
    def _on_opening(self, _path: object) -> None:
        # A person tries another file. What else was said is of the document that is open.
        self._notifications.end(NoticeTopic.ASKED, NoticeTopic.OPENING, NoticeTopic.OTHER_MASKS)

    def show_opened(self, nodes: Nodes) -> None:
        """Show a document that was opened."""
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
        found = session.contents.configuration
        kind, layers = "", None
        if found is not None:
            kind = found.architectures[0] if found.architectures else found.model_type
            layers = found.num_hidden_layers
        window.model_status.set_kind(
            kind,
            layers=layers,
            dtypes=tuple(dict.fromkeys(r.dtype for r in session.contents.rows if not r.buffer)),
            files=session.contents.companions,
        )
        self._show_numbers(tuple(document.masks))
        for notice in session.notices:
            window.notices.set_notice(notice.text, details=notice.details, trouble=False)
        window.setWindowTitle(f"{document.checkpoint.path.name} — Pruneapp")
        window.show_document(there=True)
        self.enable()

    def show_closed(self) -> None:
        """Show that nothing is open."""
        self._notifications.clear()
        self._window.notices.set_names(ShortNames())
        self._window.model_status.clear()
        self._window.done.clear()
        self._views.preview.clear()
        self._window.setWindowTitle("Pruneapp")
        self._window.show_document(there=False)
        self.enable()

    def show_changed(self, change: DocumentChanged) -> None:
        """Show what became of the document."""
        if change.names:
            self._show_numbers(change.names)
        self._show_position()
        if change.kind != "exported":
            self._notifications.end(NoticeTopic.ASKED, NoticeTopic.PRUNING)

    def enable(self) -> None:
        """Offer what can be done now."""
        document = self._session.document
        actions = self._window.actions_
        for spec in ACTIONS:
            if not spec.always:
                actions[spec.id].setEnabled(document is not None)
        self._window.export_button.setEnabled(document is not None)
        several = document is not None and len(document.checkpoint.contents.state_dicts) > 1
        actions["state_dict"].setEnabled(several)
        self._show_position()

    def show_size(self, nbytes: int | None) -> None:
        """Say how large an export will be; None while that is unknown."""
        text = self.tr("Export…")
        if nbytes is not None:
            text = self.tr("Export… {size}").format(size=number_format.size(nbytes))
        self._window.actions_["export"].setIconText(text)

    def _show_numbers(self, names: tuple[str, ...]) -> None:
        document = self._session.document
        assert document is not None
        masks = document.masks
        self._views.tree.set_sparsity(dict(zip(names, masks.counts(names), strict=True)))
        total = self._session.contents.size.parameters
        pruned = sum(masks.counts(masks))
        self._window.model_status.set_model(total, pruned, self._session.contents.size.buffers)
        self._views.preview.set_model(total, pruned)

    def _show_position(self) -> None:
        document = self._session.document
        actions = self._window.actions_
        items = document.items if document is not None else ()
        position = document.position if document is not None else 0
        undone = items[position].label if document is not None and document.can_undo else ""
        redone = items[position + 1].label if document is not None and document.can_redo else ""
        for names, step, text in (
            (("undo", "history_back"), undone, self.tr("&Undo")),
            (("redo", "history_forward"), redone, self.tr("&Redo")),
        ):
            for name in names:
                actions[name].setEnabled(bool(step))
            whole = len(step) <= LONGEST_STEP
            shown = step if whole else self._session.contents.short.in_text(step)
            actions[names[0]].setText(f"{text} {_short(shown)}".strip())
            # In the toolbar they stay in their place, whatever is undone; the tip says that.
            actions[names[0]].setIconText(text.replace("&", ""))
            actions[names[0]].setToolTip(_tip(actions[names[0]]))
        self._views.history.set_items(items, position)

    # -- jobs -----------------------------------------------------------------------------------

    def _on_progress(self, progress: JobProgress) -> None:
        row = self._session.by_name.get(progress.label)
        label = row.shown if row is not None else progress.label
        self._window.job_status.set_progress(progress.done, progress.total, label)

    @Slot(str)
    def _on_stuck(self, title: str) -> None:
        if self.own_methods:
            text = self.tr(
                "'{title}' cannot be cancelled while the code of a custom method is "
                "running. Wait, or quit; your file is unchanged."
            )
        else:
            text = self.tr("'{title}' is being cancelled. Your file is unchanged.")
        self._stuck = self._window.notices.set_notice(
            text.format(title=title), trouble=self.own_methods
        )

    @Slot()
    def _on_unstuck(self) -> None:
        self._window.notices.remove(self._stuck)


def _tip(action: QAction) -> str:
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    # Never markup: tools that read the screen read it aloud.
    return f"{action.text().replace('&', '')} ({keys})".replace("<", "‹")


def _short(step: str) -> str:
    return step if len(step) <= LONGEST_STEP else step[: LONGEST_STEP - 1] + "…"
