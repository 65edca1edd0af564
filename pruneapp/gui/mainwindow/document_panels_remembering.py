"""How files were looked at, and the window: found again when one is opened once more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from pruneapp.gui.app.settings import Settings
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.mainwindow.document_panels_view_state import ViewState

# More check marks than that would make the settings slow to read.
_MOST_CHECKED = 1_000


class ViewMemory(QObject):
    """Keeps in the settings what is looked at when a file is closed, and shows it again.

    A file that is opened from a session, or from work that was left behind, is shown as that says.

    Parameters
    ----------
    session, views, settings
        The document, its views, and where it is kept.
    view
        Reads and shows what is looked at.
    """

    def __init__(
        self,
        session: OpenDocument,
        views: DocumentViews,
        settings: Settings,
        view: ViewState,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session, self._views, self._settings = session, views, settings
        self._view = view
        self._file: Path | None = None
        columns = settings.window.get("columns")
        if isinstance(columns, dict):
            views.tree.view.set_columns(columns)
        view.show({"page": settings.window.get("page")})
        session.opened.connect(self._on_opened)
        session.closed.connect(self._on_closed)

    def _on_opened(self) -> None:
        document = self._session.document
        assert document is not None
        self._file = document.checkpoint.path
        if self._session.saved is None:
            view = self._settings.view(self._file)
            if isinstance(look := view.get("tree"), dict):
                self._views.tree.set_look(look)
            self._view.show(view)

    def _on_closed(self) -> None:
        view: dict[str, Any] = dict(self._view.read())
        if len(view.get("checked", ())) > _MOST_CHECKED:
            del view["checked"]
        view["tree"] = self._views.tree.look()
        window = {"columns": self._views.tree.view.columns(), "page": view.get("page")}
        self._settings.set_views(window, self._file, view)
        self._file = None
