"""The window at work: session, views and jobs, connected.

Connections are to bound methods of objects that live in the main thread.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction, QCloseEvent
from PySide6.QtWidgets import QFileDialog

from pruneapp.checkpoint.formats import READERS
from pruneapp.document.document import DocumentChanged
from pruneapp.errors import PruneAppError, SelectionError
from pruneapp.gui import questions
from pruneapp.gui.actions import RECENT
from pruneapp.gui.asking import Asking
from pruneapp.gui.browsing import Browsing
from pruneapp.gui.choosing import Choosing
from pruneapp.gui.document_views import DocumentViews
from pruneapp.gui.exporting import Exporting
from pruneapp.gui.extras import Extras
from pruneapp.gui.forecasting import Forecasting
from pruneapp.gui.jobs import JobProgress, Jobs
from pruneapp.gui.looking import Looking
from pruneapp.gui.moving import Moving
from pruneapp.gui.session import Session
from pruneapp.gui.settings import Settings
from pruneapp.gui.theme import Appearance
from pruneapp.gui.views.parts import numbers
from pruneapp.gui.views.tree import build_nodes
from pruneapp.gui.window import MainWindow
from pruneapp.methods.declaration import Method

# What the dialog shows of a folder; an index of shards is JSON.
FILES = " ".join(dict.fromkeys((*(f"*{s}" for r in READERS for s in r.suffixes), "*.json")))
# What makes sense only while something is open.
NEEDS_DOCUMENT = (
    *("close", "export", "find", "check_shown", "check_none", "check_usual", "copy_name"),
    *("page_weights", "page_distribution", "page_channels", "page_model", "mask"),
    *("zoom_in", "zoom_out", "zoom_fit", "previous_tensor", "next_tensor", "prune"),
    "make_final",
)
LONGEST_STEP = 40


class Workbench(QObject):
    """Opens, closes, changes and tells.

    Parameters
    ----------
    window, settings, appearance
        As the application made them.

    Attributes
    ----------
    views, session, jobs, forecasting, looking, exporting, moving
        The parts, for the tests and the tour.
    """

    def __init__(self, window: MainWindow, settings: Settings, appearance: Appearance) -> None:
        super().__init__(window)
        self.window = window
        self.settings = settings
        self.jobs = Jobs(self)
        self.views = DocumentViews(window)
        window.furnish(self.views.tree_dock, self.views.middle, self.views.form_dock)
        self.session = Session(self.jobs, settings, build_nodes, self)
        self.extras = Extras(self.session, self.jobs, self)
        self._connect_document()
        self.asking = Asking(self.session, self.views, self.extras, window)
        self.forecasting = Forecasting(
            self.session,
            self.jobs,
            panel=self.views.forecast,
            ask=self.asking.step,
            extras=self.extras,
            parent=self,
        )
        self.looking = Looking(
            self.session, self.jobs, self.forecasting, self.views.pages, parent=self
        )
        self.exporting = Exporting(self.session, self.jobs, appearance, window)
        self.moving = Moving(self.session, self.jobs, self)
        self.browsing = Browsing(self.views, window.actions_, self)
        self.choosing = Choosing(window, self.jobs, settings, appearance)
        self.ended = True
        self._on_action: dict[int, Callable[[], None]] = {}
        self._connect()
        self._show_recent()
        self._enable()

    def _connect_document(self) -> None:
        # Before all others: whoever hears of a document finds tree and numbers up to date.
        self.session.opening.connect(self._on_opening)
        self.session.opened.connect(self._on_opened)
        self.session.closed.connect(self._on_closed)
        self.session.changed.connect(self._on_changed)
        self.session.refused.connect(self.refuse)

    def _connect(self) -> None:
        window, views = self.window, self.views
        for name, call in {
            "open": self.ask_file,
            "open_folder": self.ask_folder,
            "sample": self.open_sample,
            "state_dict": self.choose_state_dict,
            "export": self.exporting.ask,
            "close": self.close,
            "quit": window.close,
            "undo": self.moving.undo,
            "redo": self.moving.redo,
            "history_back": self.moving.undo,
            "history_forward": self.moving.redo,
            "check_usual": self.asking.check_usual,
            "prune": self.prune,
            "cancel": self.cancel,
            "make_final": self.make_final,
        }.items():
            window.actions_[name].triggered.connect(call)
        window.dropped.connect(self.open)
        window.activated.connect(self.look_at_file)
        window.closing.connect(self._on_closing)
        window.empty.openRequested.connect(self.ask_file)
        window.empty.sampleRequested.connect(self.open_sample)
        window.empty.recentRequested.connect(self._on_recent)
        window.job_status.cancelRequested.connect(self.cancel)
        window.notices.actionRequested.connect(self._on_notice_action)
        views.tree.focusChanged.connect(self.looking.look_at)
        views.forecast.action.pruneRequested.connect(self.prune)
        views.history.jumpRequested.connect(self.moving.jump)
        views.pages.failed.connect(self._say)
        self.asking.changed.connect(self.forecasting.refresh)
        self.forecasting.changed.connect(self._on_preview)
        self.exporting.sized.connect(self._on_sized)
        self.choosing.deviceChanged.connect(self.forecasting.refresh)
        self.choosing.methodsLoaded.connect(self._on_methods)
        self.choosing.refused.connect(self.refuse)
        self.jobs.started.connect(window.job_status.set_job)
        self.jobs.progressed.connect(self._on_progress)
        self.jobs.idle.connect(window.job_status.set_idle)
        self.jobs.failed.connect(self._on_bug)
        self.jobs.stuck.connect(self._on_stuck)

    # -- opening and closing --------------------------------------------------------------------

    @Slot(object)
    def open(self, path: Path, state_dict: str | None = None) -> None:
        """Open a file, after asking about work that would be lost."""
        if self._may_lose():
            self.session.open(path, state_dict)

    def open_sample(self) -> None:
        """Open the model that comes with the application."""
        if self._may_lose():
            self.session.open_sample()

    def ask_file(self) -> None:
        """Let the person choose a file."""
        name, _ = QFileDialog.getOpenFileName(
            self.window,
            self.tr("Open a checkpoint"),
            str(self._folder()),
            self.tr("Checkpoints ({patterns});;All files (*)").format(patterns=FILES),
        )
        if name:
            self.open(Path(name))

    def ask_folder(self) -> None:
        """Let the person choose a folder of shards."""
        name = QFileDialog.getExistingDirectory(
            self.window, self.tr("Open a folder of shards"), str(self._folder())
        )
        if name:
            self.open(Path(name))

    def choose_state_dict(self) -> None:
        """Let the person switch to another dict of tensors in the file."""
        document = self.session.document
        if document is None:
            return
        contents = document.checkpoint.contents
        key = questions.state_dict(self.window, contents.state_dicts, contents.state_dict)
        if key is not None and key != contents.state_dict:
            self.open(document.checkpoint.path, key)

    def close(self) -> None:
        """Close the document, after asking about work that would be lost."""
        # A preview may be shown as a job, too; it ends with the document, as nobody waits for it.
        if (not self.jobs.writing or self._may_stop()) and self._may_lose():
            self.session.close()

    def shut_down(self) -> None:
        """End all work and let go of the file."""
        self.forecasting.drop()
        self.window.hide()
        self.ended = self.jobs.stop()
        self.session.close()

    def look_at_file(self) -> None:
        """Notice whether another program changed the open file."""
        document = self.session.document
        if document is None or self.jobs.busy:
            return
        try:
            document.checkpoint.verify_unchanged()
        except PruneAppError as error:
            self.refuse(error)

    def _may_stop(self) -> bool:
        if not self.jobs.busy:
            return True
        if not questions.stop_jobs(self.window):
            return False
        self.jobs.cancel_visible()
        return True

    def _may_lose(self) -> bool:
        if not self.session.unexported:
            return True
        answer = questions.unexported(self.window)
        if answer == "export":
            self.exporting.ask()
        return answer == "discard"

    def _folder(self) -> Path:
        recent = self.settings.recent
        return recent[0].parent if recent else Path.home()

    def _on_recent(self, path: str) -> None:
        self.open(Path(path))

    def _on_closing(self, event: QCloseEvent) -> None:
        if not self._may_stop() or not self._may_lose():
            event.ignore()
            return
        self.window.keep_layout()
        self.shut_down()

    def _on_opening(self, _path: Path) -> None:
        self.window.notices.clear()
        self._on_action.clear()

    def _on_opened(self, nodes: object) -> None:
        window, views, session = self.window, self.views, self.session
        document = session.document
        assert document is not None
        views.tree.set_nodes(nodes)  # type: ignore[arg-type]  # made by build_nodes
        views.forecast.set_shown_names(session.contents.shown)
        self._show_numbers(tuple(document.masks))
        for notice in session.notices:
            window.notices.set_notice(notice.text, details=notice.details, trouble=False)
        contents = document.checkpoint.contents
        if len(contents.state_dicts) > 1:
            self._offer(
                self.tr("This file holds {n} state dicts; '{key}' is shown.").format(
                    n=len(contents.state_dicts), key=contents.state_dict
                ),
                self.tr("Choose another…"),
                self.choose_state_dict,
            )
        window.setWindowTitle(f"{document.checkpoint.path.name} — Pruneapp")
        window.show_document(there=True)
        first = next((r for r in session.rows if r.by_default), next(iter(session.rows), None))
        if first is not None:
            views.tree.set_focused(first.name)
            self.looking.look_at(first.name)
        views.tree.view.setFocus()  # where the keys of the window are nobody's typing
        self._show_recent()
        self._enable()

    def _on_closed(self) -> None:
        self.window.notices.clear()
        self.window.model_status.clear()
        self.views.forecast.clear()
        self.window.setWindowTitle("Pruneapp")
        self.window.show_document(there=False)
        self._enable()

    # -- changing -------------------------------------------------------------------------------

    def prune(self) -> None:
        """Do what the form says."""
        if self.views.forecast.action.button.isEnabled():
            self.forecasting.prune()

    def cancel(self) -> None:
        """Stop the running job; without one, go back to what is asked for at first."""
        forecasting = self.forecasting
        if not (forecasting.cancel() or self.jobs.cancel_visible() or forecasting.cancel_preview()):
            self.asking.reset()
        elif self.jobs.busy:
            self.window.job_status.set_cancelling(writes=self.jobs.writing)

    def make_final(self) -> None:
        """Turn the pruned weights of the checked tensors into ordinary zeros."""
        document = self.session.document
        if document is None:
            return
        names = tuple(n for n in self.views.tree.checked() if document.masks.pruned(n))
        if names:
            self.session.make_final(names)
        else:
            self.refuse(
                SelectionError(
                    "Nothing is pruned in the checked tensors, so nothing can be made final."
                )
            )

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.kind != "exported":
            # What is computed for the state before is for nothing, and would keep the window back.
            self.forecasting.halt()
        if change.names:
            self._show_numbers(change.names)
            self.asking.tell_context()
        self._show_position()

    def _on_preview(self) -> None:
        preview = self.forecasting.shown
        after = None
        if preview is not None:
            after = {t.name: t.after for t in preview.report.tensors}
        self.views.tree.set_preview(after)

    def _on_methods(self, methods: tuple[Method, ...]) -> None:
        self.asking.offer_methods()
        names = ", ".join(method.label for method in methods)
        self.window.notices.set_notice(
            self.tr("Loaded: {names}.").format(names=names), trouble=False
        )
        self.forecasting.refresh()

    # -- telling --------------------------------------------------------------------------------

    def _show_numbers(self, names: tuple[str, ...]) -> None:
        document = self.session.document
        assert document is not None
        masks = document.masks
        self.views.tree.set_sparsity({name: masks.pruned(name) for name in names})
        total = self.session.contents.parameters
        pruned = sum(masks.pruned(name) for name in masks)
        self.window.model_status.set_model(total, pruned)
        self.views.forecast.set_model(total, pruned)

    def _enable(self) -> None:
        document = self.session.document
        actions = self.window.actions_
        for name in NEEDS_DOCUMENT:
            actions[name].setEnabled(document is not None)
        self.window.export_button.setEnabled(document is not None)
        several = document is not None and len(document.checkpoint.contents.state_dicts) > 1
        actions["state_dict"].setEnabled(several)
        self._show_position()

    def _show_position(self) -> None:
        document = self.session.document
        actions = self.window.actions_
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
            actions[names[0]].setText(f"{text} {_short(step)}".strip())
            # Qt takes the dots off a text that it makes an icon's from.
            actions[names[0]].setIconText(actions[names[0]].text().replace("&", ""))
        self.views.history.set_items(items, position)

    def _show_recent(self) -> None:
        recent = self.settings.recent
        self.window.empty.set_recent([str(path) for path in recent])
        menu = self.window.actions_.menus[RECENT]
        menu.clear()
        for number, path in enumerate(recent, 1):
            action = menu.addAction(f"&{number} {str(path).replace('&', '&&')}")
            action.setData(str(path))
            action.triggered.connect(self._on_recent_action)
        menu.setEnabled(bool(recent))

    def _on_recent_action(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self._on_recent(action.data())

    def _on_sized(self, nbytes: int | None) -> None:
        text = self.tr("Export…")
        if nbytes is not None:
            text = self.tr("Export… {size}").format(size=numbers.size(nbytes))
        self.window.actions_["export"].setIconText(text)

    def _on_progress(self, progress: JobProgress) -> None:
        row = self.session.by_name.get(progress.label)
        label = row.shown if row is not None else progress.label
        self.window.job_status.set_progress(progress.done, progress.total, label)

    @Slot(object)
    def refuse(self, error: PruneAppError) -> None:
        """Say why something cannot be done, above the picture."""
        sentence = f"{error.sentence} {error.remedy}".strip()
        self.window.notices.set_notice(sentence, details=error.details)

    def report_bug(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Show a bug of ours as a report that can be copied; work goes on."""
        if issubclass(kind, KeyboardInterrupt):
            self.window.close()
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        self._on_bug(f"{kind.__name__}: {error}", text)

    def _on_bug(self, what: str, trace: str) -> None:
        sentence = self.tr(
            "Something went wrong in Pruneapp itself ({what}). Nothing was changed."
        ).format(what=what[:200])
        self.window.notices.set_notice(sentence, details=trace)

    def _on_stuck(self, title: str) -> None:
        self._say(
            self.tr(
                "'{title}' does not stop: the code of a method that you loaded cannot be "
                "interrupted. Wait for it, or quit; your file is as it was."
            ).format(title=title)
        )

    def _say(self, text: str) -> None:
        self.window.notices.set_notice(text)

    def _offer(self, text: str, action: str, call: Callable[[], None]) -> None:
        number = self.window.notices.set_notice(text, action=action, trouble=False)
        self._on_action[number] = call

    def _on_notice_action(self, number: int) -> None:
        call = self._on_action.get(number)
        if call is not None:
            call()


def _short(step: str) -> str:
    return step if len(step) <= LONGEST_STEP else step[: LONGEST_STEP - 1] + "…"
