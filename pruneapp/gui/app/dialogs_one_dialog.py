"""The one dialog of a command: shown, forgotten once it is closed, and closed with its file."""

from __future__ import annotations

from typing import Generic, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.widgets.theme import ThemeManager

D = TypeVar("D", bound=QDialog)


class DialogHolder(QObject, Generic[D]):
    """Shows a dialog about the document, and not a second one beside it.

    Parameters
    ----------
    session
        With its document the dialog is closed.
    appearance
        The colours of the dialog.

    Attributes
    ----------
    shown
        The dialog; None while none is shown.
    """

    def __init__(self, session: OpenDocument, appearance: ThemeManager, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.shown: D | None = None
        session.closed.connect(self._on_closed)

    def open(self, dialog: D) -> None:
        """Show a dialog that was made; the window waits for it."""
        dialog.finished.connect(self._on_finished)
        self._appearance.dress(dialog)
        self.shown = dialog
        dialog.open()

    def _on_finished(self, _result: int) -> None:
        if self.shown is not None:
            self.shown.deleteLater()
            self.shown = None

    def _on_closed(self) -> None:
        if self.shown is not None:
            self.shown.reject()
