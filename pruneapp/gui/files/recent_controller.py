"""The recent files, in the menu and on the start page."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QIcon, QKeyEvent, QMouseEvent

from pruneapp.checkpoint.io.store import is_store, locate
from pruneapp.gui.app import dialogs
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.commands.declarations import RECENT
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.files.session_controller import SessionController
from pruneapp.gui.files.start_page import EmptyPage, RecentFile
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import call_soon
from pruneapp.gui.widgets.labels import on_one_line
from pruneapp.gui.widgets.theme import icon
from pruneapp.sessions import kept_histories

# Polling interval in milliseconds for results of the search threads.
_POLL_MS = 50
# Events that choose a menu entry.
_CHOOSING = {QEvent.Type.MouseButtonRelease, QEvent.Type.KeyPress}


def is_missing(path: Path) -> bool:
    """Return whether a path certainly does not exist; False if that cannot be determined."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


class _Searches:
    """Checks for missing files, each on a daemon thread, as a network file may block for minutes.

    The threads are never joined, not even when the process ends.
    """

    def __init__(self) -> None:
        self._answers: queue.SimpleQueue[tuple[Path, bool]] = queue.SimpleQueue()
        self._under_way: set[Path] = set()
        self._repeat: set[Path] = set()  # to be checked again: they may have been deleted since

    @property
    def is_done(self) -> bool:
        """Whether no check is running."""
        return not self._under_way

    def start(self, path: Path) -> None:
        """Start to check a file; if it is being checked, another check follows."""
        if path in self._under_way:
            self._repeat.add(path)
            return
        self._under_way.add(path)
        threading.Thread(
            target=_search, args=(path, self._answers), name="pruneapp-recent", daemon=True
        ).start()

    def collect(self) -> dict[Path, bool]:
        """Return whether files are missing, for the checks that ended since the last call.

        Starts the checks that were requested meanwhile.
        """
        found = {}
        while not self._answers.empty():
            path, missing = self._answers.get()
            found[path] = missing
            self._under_way.discard(path)
            if path in self._repeat:
                self._repeat.discard(path)
                self.start(path)
        return found


def _search(path: Path, answers: queue.SimpleQueue[tuple[Path, bool]]) -> None:
    answers.put((path, is_missing(path)))


class RecentController(Controller):
    """Lists recent files, pinned ones first, and marks missing ones.

    Shows the list and checks the files when it is created, and again when the list changes or the
    window is activated. `open_file` and `open_in_window` are called with the path that the user
    chose.
    """

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        sessions: SessionController,
        start: EmptyPage,
        *,
        open_file: Callable[[Path], None],
        open_in_window: Callable[[Path], None],
    ) -> None:
        super().__init__(context)
        self._session = session
        self._sessions = sessions
        self._start = start
        self._open_file, self._open_in_window = open_file, open_in_window
        # Whether an entry is being chosen in the menu, and with Ctrl pressed.
        self._in_menu = self._with_ctrl = False
        self._missing: set[Path] = set()
        self._searches = _Searches()
        self._poll_timer = QTimer(self)
        self._poll_timer.setInterval(_POLL_MS)
        self._poll_timer.timeout.connect(self._on_answers)
        for action in self._actions.recent:
            action.triggered.connect(self._on_action)
        self._actions["pin_file"].triggered.connect(self._pin_open_file)
        self._actions["remove_missing"].triggered.connect(self._remove_missing)
        self._actions["clear_histories"].triggered.connect(self._clear_histories)
        self._actions.menus[RECENT].aboutToShow.connect(self.look)
        self._actions.menus[RECENT].installEventFilter(self)
        start.recentRequested.connect(self._on_requested)
        start.pinRequested.connect(self._pin)
        start.removeRequested.connect(self._remove)
        # Queued, as it may be emitted by other windows, and while the start page is being hidden.
        self._settings.recentChanged.connect(self.show_list, Qt.ConnectionType.QueuedConnection)
        sessions.saved.connect(self.show_list)
        session.opened.connect(self.show_list)
        session.opened.connect(self.look)
        session.refused.connect(self.look)
        session.closed.connect(self.show_list)
        self._theme.changed.connect(self.show_list)
        self.show_list()
        self.look()

    @Slot()
    def look(self) -> None:
        """Start to check which files are missing."""
        for path in self._settings.listed:
            if not is_store(path):  # stores are not accessed unless the user names them
                self._searches.start(path)
                self._poll_timer.start()

    @Slot()
    def show_list(self) -> None:
        """Update the menu, the start page, and the commands about recent files."""
        listed, pinned = self._settings.listed, set(self._settings.pinned)
        files = [
            RecentFile(str(path), pinned=path in pinned, missing=path in self._missing)
            for path in listed
        ]
        self._start.set_recent(files, changeable=True)
        for place, action in enumerate(self._actions.recent):
            action.setVisible(place < len(files))
            if action.isVisible():
                self._show(action, place + 1, files[place])
        self._actions.menus[RECENT].setEnabled(bool(files))
        self._actions["remove_missing"].setEnabled(any(file.missing for file in files))
        open_file = self._open_path()
        self._actions["pin_file"].setEnabled(open_file is not None)
        self._actions["pin_file"].setChecked(open_file in pinned)

    def _show(self, action: QAction, number: int, file: RecentFile) -> None:
        """Show a recent file in a menu entry; `number` is counted from 1."""
        path = on_one_line(file.path).replace("&", "&&")
        text = f"&{number} {path}"
        if file.missing:
            text = self.tr("{file} (missing)").format(file=text)
        action.setText(text)
        action.setData(file.path)
        colors, ratio = self._theme.theme.colors, self._window.devicePixelRatioF()
        action.setIcon(icon("pin-set", colors, ratio) if file.pinned else QIcon())

    def _open_path(self) -> Path | None:
        """Return the path of the open file or session if it is listed, that is recent or pinned.

        The result is None for the sample, and if no document is open.
        """
        document = self._session.document
        if document is None:
            return None
        path = self._sessions.path or document.checkpoint.path
        known = (*self._settings.recent, *self._settings.pinned)
        return path.absolute() if path.absolute() in known else None

    @Slot()
    def _on_answers(self) -> None:
        """Update the missing files by the checks that ended; stop polling after the last one."""
        before = set(self._missing)
        for path, missing in self._searches.collect().items():
            (self._missing.add if missing else self._missing.discard)(path)
        if self._searches.is_done:
            self._poll_timer.stop()
        if self._missing != before:
            self.show_list()

    # -- commands ---------------------------------------------------------------------------------

    @Slot()
    def _on_action(self) -> None:
        """Open the file of the triggered menu entry; in a new window if it was chosen with Ctrl.

        A shortcut opens it in a new window if this window has a file, which a key next to another
        one would close. Hidden entries do nothing.
        """
        action = self.sender()
        assert isinstance(action, QAction)
        if not action.isVisible():  # no file has this number, but its shortcut works nevertheless
            return
        has_file = self._session.document is not None or self._session.opening_path is not None
        if self._with_ctrl or (has_file and not self._in_menu):
            self._open_in_window(locate(action.data()))
        else:
            self._on_requested(action.data())

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Record that a menu entry is chosen, and whether with Ctrl, which shortcuts include."""
        if isinstance(event, (QMouseEvent, QKeyEvent)) and event.type() in _CHOOSING:
            self._in_menu = True
            self._with_ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            call_soon(self, self._forget_menu)
        return False

    @Slot()
    def _forget_menu(self) -> None:
        self._in_menu = self._with_ctrl = False

    @Slot(str)
    def _on_requested(self, path: str) -> None:
        self._open_file(locate(path))

    @Slot(bool)
    def _pin_open_file(self, pinned: bool) -> None:
        path = self._open_path()
        if path is not None:
            self._pin(str(path), pinned)

    @Slot(str, bool)
    def _pin(self, path: str, pinned: bool) -> None:
        self._settings.pin(locate(path), pinned=pinned)
        self.show_list()

    @Slot(str)
    def _remove(self, path: str) -> None:
        self._settings.remove_recent([locate(path)])
        self.show_list()

    @Slot()
    def _remove_missing(self) -> None:
        self._settings.remove_recent(self._missing)
        self.show_list()

    @Slot()
    def _clear_histories(self) -> None:
        """Delete the kept histories of closed files, after asking the user.

        If there are none, only a message is shown.
        """
        many, nbytes = kept_histories.total()
        files = number_format.plural(many, self.tr("1 file"), self.tr("{n} files"))
        if not many:
            self._notifications.show_done(self.tr("No history is kept."))
        elif dialogs.clear_histories(self._window, files, number_format.size(nbytes)):
            kept_histories.clear()
            self._notifications.show_done(self.tr("Saved histories deleted."))
