"""Names for states of the history, and branches that are not wanted any more."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QInputDialog

from pruneapp.document.document import Document
from pruneapp.document.history import Branch
from pruneapp.errors import PruneAppError
from pruneapp.gui.app import dialogs
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.document.history_view import HistoryStrip
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.number_format import plural
from pruneapp.results.document_rows import HistoryItem, numbered


class BranchController(Controller):
    """Renames states of the session's document, and deletes branches."""

    def __init__(self, context: AppContext, session: OpenDocument, view: HistoryStrip) -> None:
        super().__init__(context)
        self._session = session
        view.renameRequested.connect(self.ask_name)
        view.deleteRequested.connect(self.ask_delete)

    @Slot(int)
    def ask_name(self, state: int) -> None:
        """Let the person give a state another name."""
        document = self._session.document
        if document is None or not 0 < state < len(document.items):
            return
        item = document.items[state]
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(self.tr("Rename state"))
        dialog.setLabelText(self.tr("Name of this state; leave it empty to show the step:"))
        dialog.setTextValue(item.name)
        dialog.setOkButtonText(self.tr("Rename"))
        dialog.setCancelButtonText(self.tr("Cancel"))
        dialog.textValueSelected.connect(partial(self._rename, document, item))
        dialog.finished.connect(dialog.deleteLater)
        self._theme.apply_to(dialog)
        dialog.open()

    def _rename(self, document: Document, item: HistoryItem, name: str) -> None:
        state = self._place(document, item)
        if state > 0:
            self._session.rename(state, name)

    @Slot(int)
    def ask_delete(self, state: int) -> None:
        """Delete a state and all that follow it, once the person knows what that is."""
        document = self._session.document
        if document is None or not 0 < state < len(document.items) or not self._session.may_work():
            return
        try:
            branch = document.history.branch(state)
        except PruneAppError as error:
            self._session.refused.emit(error)
            return
        item = document.items[state]
        # Of 100,000 tensors counting takes a while.
        self._session.work(
            self.tr("Deleting a branch"), branch.freed, partial(self._ask, document, item, branch)
        )

    def _ask(self, document: Document, item: HistoryItem, branch: Branch, freed: int) -> None:
        more = len(branch.states) - 1
        following = plural(
            more,
            self.tr("The state that follows it is deleted, too."),
            self.tr("The {n} states that follow it are deleted, too."),
        )
        what = self._session.contents.short.in_text(numbered(branch.states[0], item))
        if dialogs.delete_branch(
            self._window,
            what,
            following=following if more else "",
            freed=number_format.size(freed),
        ):
            state = self._place(document, item)
            if state > 0:
                self._session.delete(state)

    def _place(self, document: Document, item: HistoryItem) -> int:
        """Return where a state is by now; -1 if it is gone, or another file is open."""
        items = document.items if document is self._session.document else ()
        return next((state for state, each in enumerate(items) if each is item), -1)
