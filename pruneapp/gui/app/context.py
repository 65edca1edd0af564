"""Application services that every controller uses."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.notifications import Notifications
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.app.windows import Windows
from pruneapp.gui.commands.actions import Actions
from pruneapp.gui.widgets.theme import ThemeManager


@dataclass(frozen=True)
class AppContext:
    """Application services that are passed to controllers, so that none imports the main window."""

    window: QWidget  # the parent of controllers and of their dialogs
    actions: Actions
    jobs: Jobs
    settings: Settings
    theme: ThemeManager
    notifications: Notifications
    windows: Windows


class Controller(QObject):
    """Base class of the controllers of features. Its parent is the window of `context`."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.window)
        self._window, self._actions = context.window, context.actions
        self._jobs, self._settings = context.jobs, context.settings
        self._theme, self._notifications = context.theme, context.notifications
        self._windows = context.windows
