"""What is done by hand, and the commands for it."""

from __future__ import annotations

from PySide6.QtCore import QObject

from pruneapp.gui.counting import Counting
from pruneapp.gui.document_views import DocumentViews
from pruneapp.gui.editing import Editing
from pruneapp.gui.jobs import Jobs
from pruneapp.gui.session import Session
from pruneapp.gui.telling import Telling
from pruneapp.gui.theme import Appearance
from pruneapp.gui.window import MainWindow
from pruneapp.gui.zeros import Zeros


class Handwork(QObject):
    """Connects pictures and commands with what they do by hand.

    Parameters
    ----------
    window, views
        Whose commands and pictures.
    session, jobs
        The document, and where work is done.
    counting
        Goes first where a file is looked at in the background.
    telling
        Says what was done.
    appearance
        The colours of dialogs.
    """

    def __init__(
        self,
        window: MainWindow,
        views: DocumentViews,
        session: Session,
        jobs: Jobs,
        *,
        counting: Counting,
        telling: Telling,
        appearance: Appearance,
    ) -> None:
        super().__init__(window)
        self.editing = Editing(session, jobs, appearance, window)
        self.zeros = Zeros(session, jobs, counting, telling=telling, parent=self)
        self.editing.done.connect(telling.say_done)
        views.pages.weights.gestureMade.connect(self.editing.do)
        views.pages.channels.gestureMade.connect(self.editing.do)
        window.actions_["treat_zeros"].triggered.connect(self.zeros.treat)
        window.actions_["in_every_block"].toggled.connect(self.editing.set_in_every_block)
