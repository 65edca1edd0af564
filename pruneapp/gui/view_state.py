"""What the person looks at, as plain JSON, to be found again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pruneapp.gui.document_views import DocumentViews
from pruneapp.gui.session import Session
from pruneapp.gui.views.pictures.pages import Page

# More check marks than that are not kept: a file of so many tensors is worked on by rules.
_MOST_CHECKED = 20_000


class ViewState:
    """Reads what is looked at, and shows it again.

    Parameters
    ----------
    session, views
        The document and its views.
    show_tensor, show_page, check
        Put a tensor into focus, turn to a page, and check tensors, as the person would.
    """

    def __init__(
        self,
        session: Session,
        views: DocumentViews,
        *,
        show_tensor: Callable[[str], None],
        show_page: Callable[[Page], None],
        check: Callable[[Sequence[str]], None],
    ) -> None:
        self._session = session
        self._views = views
        self._show_tensor = show_tensor
        self._show_page = show_page
        self._check = check

    def glance(self) -> Mapping[str, Any]:
        """Return what is in focus, in no time."""
        return {"tensor": self._views.tree.focused(), "page": self._views.pages.page.name.lower()}

    def read(self) -> Mapping[str, Any]:
        """Return what is in focus and what is checked."""
        checked = self._views.tree.checked()
        more = {"checked": list(checked)} if len(checked) <= _MOST_CHECKED else {}
        return {**self.glance(), **more}

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
