"""A file that is gone or another one by now: looked for until it is back."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from pruneapp.errors import PruneAppError
from pruneapp.gui.document.open_document import OpenDocument

LOOK_MS = 1000


class FileWatcher(QObject):
    """Looks for the file of the document, as long as it is told to.

    Parameters
    ----------
    session
        Has the document.

    Signals
    -------
    found()
        The file is as it was when it was opened. It is looked for no more.
    """

    found = Signal()

    def __init__(self, session: OpenDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._again = QTimer(self)
        self._again.setInterval(LOOK_MS)
        self._again.timeout.connect(self._look)

    def look(self) -> None:
        """Begin to look for it."""
        self._again.start()

    def stop(self) -> None:
        """Look no more."""
        self._again.stop()

    def _look(self) -> None:
        document = self._session.document
        if document is None:
            self.stop()
            return
        try:
            document.checkpoint.verify_unchanged()
        except PruneAppError:
            return
        self.stop()
        self.found.emit()
