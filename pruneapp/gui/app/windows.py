"""The open windows of the process, and the signals that they share.

Code of one window never changes another one: it brings it to the front, or emits a signal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from pruneapp.gui.commands.actions import Actions
from pruneapp.gui.commands.declarations import WINDOW
from pruneapp.gui.widgets.labels import on_one_line
from pruneapp.gui.widgets.screen import bring_to_front

TITLE = "Pruneapp"
_BEFORE_TITLE = " — "


class Windows(QObject):
    """All windows of the process, in the order in which they were opened."""

    changed = Signal()  # a window was opened or closed, or has a new title
    # (OpenRequest or None) Something is to be opened in a new window, or in one without a file;
    # None requests a window without a file.
    wanted = Signal(object)
    extended = Signal(bool, bool)  # (methods, formats) what was added to the registries
    restartRequested = Signal()  # the language was changed, which requires new windows

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._files: dict[QMainWindow, Callable[[], Path | None]] = {}
        self.own_methods: set[str] = set()  # names of methods loaded from files of the user
        self.quitting = False  # while all windows are being closed
        # the object of a drag between windows; the drop target checks its type
        self.dragged: object = None

    def add(self, window: QMainWindow, file: Callable[[], Path | None]) -> None:
        """Add a window; `file` returns the path that is open in it."""
        self._files[window] = file
        window.windowTitleChanged.connect(self.changed)
        self.changed.emit()

    @Slot(object)
    def remove(self, window: QMainWindow) -> None:
        if self._files.pop(window, None) is not None:
            window.windowTitleChanged.disconnect(self.changed)
            self.changed.emit()

    @property
    def listed(self) -> tuple[QMainWindow, ...]:
        return tuple(self._files)

    @property
    def files(self) -> Mapping[QMainWindow, Path]:
        """The file that is open, or being opened, in each window that has one."""
        found = ((window, file()) for window, file in self._files.items())
        return {window: file for window, file in found if file is not None}

    @Slot()
    def quit(self) -> None:
        """Close all windows, the newest first; stop at the first one that the user keeps open.

        `quitting` is True meanwhile.
        """
        self.quitting = True
        try:
            for window in reversed(self.listed):
                if not window.close():
                    return
        finally:
            self.quitting = False


class WindowMenu(QObject):
    """The list of open windows in the menu of a window; hidden while there is only one."""

    def __init__(self, windows: Windows, window: QMainWindow, actions: Actions) -> None:
        super().__init__(window)
        self._windows, self._window, self._actions = windows, window, actions
        for action in actions.windows:
            action.triggered.connect(self._on_action)
        windows.changed.connect(self.show_list)
        self.show_list()

    @Slot()
    def show_list(self) -> None:
        """Update the titles, and the mark of this window.

        Entries are hidden while there is one window. Windows beyond the number of entries are not
        listed.
        """
        listed, names = self._windows.listed, self._names()
        self._actions.menus[WINDOW].menuAction().setVisible(len(listed) > 1)
        for place, action in enumerate(self._actions.windows):
            action.setVisible(len(listed) > 1 and place < len(listed))
            if action.isVisible():
                action.setText(f"&{place + 1} {names[place]}".replace("[*]", ""))
                action.setChecked(listed[place] is self._window)

    def _names(self) -> list[str]:
        """Return distinct names of the windows, in the order in which they were opened.

        They have the folder if two titles are equal. A window without a file is "No file".
        """
        titles = [
            window.windowTitle().partition(_BEFORE_TITLE)[0] for window in self._windows.listed
        ]
        count, files = Counter(titles), self._windows.files
        found = []
        for window, title in zip(self._windows.listed, titles, strict=True):
            file = files.get(window)
            words = title
            if title == TITLE:
                words = self.tr("No file")
            elif count[title] > 1 and file is not None:
                words = f"{title}{_BEFORE_TITLE}{file.parent}"
            found.append(on_one_line(words).replace("&", "&&"))
        return found

    @Slot()
    def _on_action(self) -> None:
        """Bring the window of the triggered entry to the front. Hidden entries do nothing."""
        action = self.sender()
        assert isinstance(action, QAction)
        place = self._actions.windows.index(action)
        if action.isVisible() and place < len(self._windows.listed):
            bring_to_front(self._windows.listed[place])
        self.show_list()  # the click has changed the check mark
