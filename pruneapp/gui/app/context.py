"""What every controller needs of the application."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.notifications import Notifications
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.commands.actions import Actions
from pruneapp.gui.widgets.theme import ThemeManager


@dataclass(frozen=True)
class AppContext:
    """What every controller needs, so that none knows the main window.

    Attributes
    ----------
    window
        Parent of controllers and of their dialogs.
    """

    window: QWidget
    actions: Actions
    jobs: Jobs
    settings: Settings
    theme: ThemeManager
    notifications: Notifications
