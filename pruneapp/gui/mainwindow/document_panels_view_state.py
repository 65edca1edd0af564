"""What the person looks at, as plain JSON, to be found again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pruneapp.document.step import Row
from pruneapp.errors import ParameterError
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.method_form.form_model import FormRequest, FormRow
from pruneapp.gui.plots.pages import Page
from pruneapp.methods import registry
from pruneapp.methods.limits import LIMITS
from pruneapp.params_declared import validate_all

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
        session: OpenDocument,
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
        """Return what is in focus and what the form says, in no time."""
        request = self._views.form.mended()  # a slip in one field loses no rules
        # Of a method that is gone nothing could be shown again.
        known = all(row.method in registry.METHODS for row in request.rows)
        form = {"form": plain_form(request)} if known else {}
        page = self._views.pages.page.name.lower()
        return {"tensor": self._views.tree.focused(), "page": page, **form}

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
        request = read_form(view.get("form"), self._session.contents.kinds)
        if request is not None:
            self._views.form.set_request(request)


def plain_form(request: FormRequest) -> dict[str, Any]:
    """Return what the form says as plain JSON."""
    rules = []
    for row in request.rows:
        plain = Row((), row.method, row.values, row.pattern).to_dict()
        plain["configuration"] = {
            "values": plain["configuration"]["values"],
            **({"pattern": row.pattern} if row.pattern else {}),
            **({"kind": row.kind} if row.kind else {}),
        }
        rules.append(plain)
    return {
        "rules": rules,
        "scope": request.scope,
        **({"limits": dict(request.limits)} if request.limits else {}),
        **({"companions": True} if request.companions else {}),
    }


def read_form(plain: object, kinds: Sequence[str]) -> FormRequest | None:
    """Return what `plain_form` wrote; None if it says nothing, or what cannot be asked for here.

    Parameters
    ----------
    plain
        As it was read from a file.
    kinds
        The kinds of layers that there are.
    """
    if not isinstance(plain, Mapping) or not isinstance(plain.get("rules"), list):
        return None
    rows = []
    try:
        for rule in plain["rules"]:
            said = dict(rule["configuration"])
            kind = str(said.pop("kind", ""))
            row = Row.from_dict({**rule, "configuration": said})
            if kind and kind not in kinds:
                return None
            rows.append(FormRow(row.pattern, kind, row.method, dict(row.values)))
        given = dict(plain.get("limits", {}))
        valid = validate_all(LIMITS, given)
    except (ParameterError, TypeError, ValueError, KeyError):
        return None  # a method that is not loaded, or a file that somebody changed
    companions, scope = plain.get("companions") is True, plain.get("scope")
    limits = {name: valid[name] for name in given}
    found = FormRequest(tuple(rows), "global" if scope == "global" else "local", limits, companions)
    return found if rows else None
