"""The windows of the process: which file each works on, and what one of them tells the others.

Who works in one window asks here what is open in others, and never touches one: it is brought to
the front, or told by a signal.
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
    """All windows of the process, in the order in which they came."""

    changed = Signal()  # there is one more or less, or one has another title
    # (OpenRequest or None) Something is to be opened in a window of its own, or in one in which
    # nothing is open; None asks for a window without a file.
    wanted = Signal(object)
    extended = Signal(bool, bool)  # whether methods, and formats, were added to the process
    restartRequested = Signal()  # texts are to be in another language, which needs new windows

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._files: dict[QMainWindow, Callable[[], Path | None]] = {}
        self.own_methods: set[str] = set()  # names of those that came from files of the person
        self.quitting = False  # while all are being closed
        self.dragged: object = None  # what is being dragged out of one; who takes it knows it

    def add(self, window: QMainWindow, file: Callable[[], Path | None]) -> None:
        """Take a window, and who knows what is open in it."""
        self._files[window] = file
        window.windowTitleChanged.connect(self.changed)
        self.changed.emit()

    @Slot(object)
    def remove(self, window: QMainWindow) -> None:
        """Let go of a window that was closed."""
        if self._files.pop(window, None) is not None:
            window.windowTitleChanged.disconnect(self.changed)
            self.changed.emit()

    @property
    def listed(self) -> tuple[QMainWindow, ...]:
        """The windows that are there."""
        return tuple(self._files)

    @property
    def files(self) -> Mapping[QMainWindow, Path]:
        """What is open, or being opened, in each window that has anything."""
        found = ((window, file()) for window, file in self._files.items())
        return {window: file for window, file in found if file is not None}

    @Slot()
    def quit(self) -> None:
        """Close all windows, the newest first, until the person stays with one of them."""
        self.quitting = True
        try:
            for window in reversed(self.listed):
                if not window.close():
                    return
        finally:
            self.quitting = False


class WindowMenu(QObject):
    """Lists the windows in the menu of one, as soon as there are several."""

    def __init__(self, windows: Windows, window: QMainWindow, actions: Actions) -> None:
        super().__init__(window)
        self._windows, self._window, self._actions = windows, window, actions
        for action in actions.windows:
            action.triggered.connect(self._on_action)
        windows.changed.connect(self.show_list)
        self.show_list()

    @Slot()
    def show_list(self) -> None:
        """Show the titles of the windows, and which of them this one is."""
        listed, names = self._windows.listed, self._names()
        self._actions.menus[WINDOW].menuAction().setVisible(len(listed) > 1)
        for place, action in enumerate(self._actions.windows):
            action.setVisible(len(listed) > 1 and place < len(listed))
            if action.isVisible():
                action.setText(f"&{place + 1} {names[place]}".replace("[*]", ""))
                action.setChecked(listed[place] is self._window)

    def _names(self) -> list[str]:
        """Return what tells the windows apart: with the folder where two files have one name."""
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
        action = self.sender()
        assert isinstance(action, QAction)
        place = self._actions.windows.index(action)
        if action.isVisible() and place < len(self._windows.listed):
            bring_to_front(self._windows.listed[place])
        self.show_list()  # a click has moved the mark
