"""What the person looks at, as plain JSON, to be found again when a file is opened once more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Slot

from pruneapp.gui.app.settings import Settings
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews, NavigationController
from pruneapp.gui.method_form.form_controller import plain_form, read_form
from pruneapp.gui.plots.pages import Page

# More check marks are not kept: a file of so many tensors is worked on by rules. And more would
# make the settings slow to read.
_MOST_CHECKED = 20_000
_MOST_CHECKED_IN_SETTINGS = 1_000


class ViewState(QObject):
    """Reads what is looked at, for sessions and settings, and shows it as the person would."""

    def __init__(
        self,
        session: OpenDocument,
        views: DocumentViews,
        settings: Settings,
        navigation: NavigationController,
        *,
        show_tensor: Callable[[str], None],
        check: Callable[[Sequence[str]], None],
        checked: Callable[[], Sequence[str]],
    ) -> None:
        super().__init__(navigation)
        self._session, self._views, self._settings = session, views, settings
        self._show_page = navigation.show_page
        self._show_tensor, self._check, self._checked = show_tensor, check, checked
        self._file: Path | None = None
        columns = settings.window.get("columns")
        if isinstance(columns, dict):
            views.tree.view.set_columns(columns)
        self.show({"page": settings.window.get("page")})

    def read(self, most: int = _MOST_CHECKED) -> Mapping[str, Any]:
        """Return what is in focus, what the form says, and what is checked, up to so many."""
        request = self._views.form.corrected()  # a slip in one field loses no rules
        form, checked = plain_form(request), self._checked()
        return {
            "tensor": self._views.tree.focused(),
            "page": self._views.pages.page.name.lower(),
            **({"form": form} if form else {}),
            **({"checked": list(checked)} if len(checked) <= most else {}),
        }

    def show(self, view: Mapping[str, Any]) -> None:
        """Show it again; what makes no sense is left as it is."""
        by_name = self._session.by_name
        tensor, page, checked = view.get("tensor"), view.get("page"), view.get("checked")
        if isinstance(tensor, str) and tensor in by_name:
            self._show_tensor(tensor)
        if isinstance(page, str) and page.upper() in Page.__members__:
            self._show_page(Page[page.upper()])
        if isinstance(checked, list):
            self._check([name for name in checked if isinstance(name, str) and name in by_name])
        request = read_form(view.get("form"), self._session.contents.kinds)
        if request is not None:
            self._views.form.set_request(request)

    @Slot()
    def restore(self) -> None:
        """Show how the file was looked at last, unless a session or recovered work says that."""
        document = self._session.document
        assert document is not None
        self._file = document.checkpoint.path
        if self._session.saved is None:
            view = self._settings.view(self._file)
            if isinstance(look := view.get("tree"), dict):
                self._views.tree.restore_state(look)
            self.show(view)

    @Slot()
    def remember(self) -> None:
        """Keep in the settings how the file is looked at that is being closed."""
        view = {**self.read(_MOST_CHECKED_IN_SETTINGS), "tree": self._views.tree.save_state()}
        window = {"columns": self._views.tree.view.columns(), "page": view["page"]}
        self._settings.set_views(window, self._file, view)
        self._file = None
