"""Tree, form, plots and preview panel of the open document, as one group; view state.

The views of an open document, and where they stand in the window.

Moving about: pages, zoom, the tensor in focus. Nothing here changes the document.

What the person looks at, as plain JSON, to be found again.

How files were looked at, and the window: found again when one is opened once more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QDockWidget, QFrame, QMainWindow, QScrollArea, QVBoxLayout, QWidget

from pruneapp.document.step import Row
from pruneapp.errors import ParameterError
from pruneapp.gui.app.settings import TENSOR_LIST, Settings
from pruneapp.gui.commands.actions import Actions
from pruneapp.gui.compare.view import CompareView
from pruneapp.gui.document.history_view import HistoryStrip
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.manual_edit.edit_views import HandOptions
from pruneapp.gui.method_form.form_model import FormRequest, FormRow
from pruneapp.gui.method_form.panel import PruneForm
from pruneapp.gui.plots.pages import Page, PicturePages
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.tree.panel import ModuleTree
from pruneapp.methods import registry
from pruneapp.methods.limits import LIMITS
from pruneapp.params import validate_all

FORM_WIDTH = 330
# Share of the form's column that what a step would do has at least.
PINNED = 0.36
# Pixels: a row of the preview is cut by the edge of its area only if it is higher.
TALLEST_ROW = 60
# Pixels of height between toolbar and status below which rows stand closer to each other.
LOW = 600


class DocumentViews(QObject):
    """Tree, pictures, history, form and forecast, and the widgets that hold them.

    Made after the first paint: the pictures alone take longer to import than the window to show.

    Attributes
    ----------
    tree, compare, pages, hand_options, history, form, forecast
        The views.
    tree_dock, form_dock
        What stands left and right of the middle.
    middle
        Pictures above history.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.tree = ModuleTree()
        self.compare = CompareView()
        self.pages = PicturePages(self.compare)
        self.hand_options = HandOptions()
        self.history = HistoryStrip()
        self.form = PruneForm()
        self.form.checkedUsed.connect(self.tree.set_used)
        self.forecast = PreviewPanel()
        column = _FormColumn(self.form.header, self.form, self.forecast, self.forecast.action)
        self.tree_dock = _dock("tree", self.tr("Modules"), _padded(self.tree, 8, 4), parent)
        self.form_dock = _dock("form", self.tr("Prune"), column, parent)
        self.middle = _Middle(self.pages, self.hand_options, self.history)


class _FormColumn(QWidget):
    """The form, below it what its step would do; its heading and the one button never scroll away.

    Where there is not room for all of it the form scrolls; what the step would do keeps its share
    of the height, so that its first numbers are seen whatever is unfolded above them.
    """

    def __init__(self, header: QWidget, form: QWidget, forecast: QWidget, action: QWidget) -> None:
        super().__init__()
        self._form, self._forecast = _Scrolled(form), _Scrolled(forecast)
        self._header, self._action = _padded(header, below=0), _padded(action)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._header)
        layout.addWidget(self._form, 1)
        layout.addWidget(self._forecast)
        layout.addWidget(self._action)
        # What is wider than the column would be cut off: with a larger font it is wider.
        parts = self._form, self._forecast
        least = [part.least_width() for part in parts]
        self.setMinimumWidth(max(FORM_WIDTH, self._header.minimumSizeHint().width(), *least))
        for part in parts:
            part.content.rearranged.connect(self._share)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new height."""
        super().resizeEvent(event)
        self._share()

    def event(self, event: QEvent) -> bool:
        """Keep Ctrl+A from checking tensors: here it selects text, and elsewhere nothing."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.SelectAll)
        ):
            event.accept()
            return True
        return super().event(event)

    def _share(self) -> None:
        room = self.height() - self._action.sizeHint().height()
        wanted = self._forecast.wanted()
        form = self._header.sizeHint().height() + self._form.wanted()
        left = max(room - form, round(room * PINNED))
        self._forecast.setFixedHeight(wanted if wanted <= left else self._forecast.whole(left))


class _Scrolled(QScrollArea):
    """A widget that scrolls up and down where there is not room for all of it."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.content = _Content(widget)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows the focus of what is in it
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(self.content)
        self.viewport().setAutoFillBackground(False)
        self.content.setAutoFillBackground(False)

    def least_width(self) -> int:
        """Return the width below which something is cut off."""
        return self.content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()

    def wanted(self) -> int:
        """Return how high it has to be so that nothing scrolls."""
        content = self.content
        if content.hasHeightForWidth():
            return content.heightForWidth(self.width())
        return content.sizeHint().height()

    def whole(self, height: int) -> int:
        """Return the largest height up to `height` at which no row of the content is cut.

        A row that is higher than `TALLEST_ROW` may be: what is left of the height would be lost.
        """
        spans = []
        for part in self.content.findChildren(QWidget):
            if part.isVisibleTo(self.content) and part.height() <= TALLEST_ROW:
                top = part.mapTo(self.content, QPoint()).y()
                spans.append((top, top + part.height()))
        least = height
        while cut := [top for top, bottom in spans if top < least < bottom]:
            least = min(cut)
        return least


class _Content(QWidget):
    """What scrolls.

    Signals
    -------
    rearranged
        It may need another height.
    """

    rearranged = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 4)
        column.addWidget(widget)
        column.addStretch(1)

    def event(self, event: QEvent) -> bool:
        """Say it when the layout was done anew."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.rearranged.emit()
        return done


class _Middle(QWidget):
    """Pictures above history; closer together where the window is low."""

    def __init__(self, pages: PicturePages, *below: QWidget) -> None:
        super().__init__()
        self._pages = pages
        self._column = QVBoxLayout(self)
        self._column.addWidget(pages, 1)
        for widget in below:
            self._column.addWidget(widget)
        self._set_low(low=False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the picture its room."""
        super().resizeEvent(event)
        self._set_low(low=self.height() < LOW)

    def _set_low(self, *, low: bool) -> None:
        gap = 4 if low else 8
        self._column.setContentsMargins(8, gap, 8, gap)
        self._column.setSpacing(gap)
        self._pages.set_low(low=low)


def _padded(widget: QWidget, left: int = 12, right: int = 12, below: int = 8) -> QWidget:
    outer = QWidget()
    layout = QVBoxLayout(outer)
    layout.setContentsMargins(left, 8, right, below)
    layout.addWidget(widget)
    return outer


def _dock(name: str, title: str, widget: QWidget, parent: QWidget) -> QDockWidget:
    dock = QDockWidget(title, parent)
    dock.setObjectName(name)
    dock.setWidget(widget)
    # Side by side headings and space divide; a title is only needed on the tabs of a narrow window.
    dock.setTitleBarWidget(QWidget())
    dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
    dock.hide()
    return dock


PAGES = ("page_weights", "page_distribution", "page_channels", "page_model", "page_compare")
_LEAST_MIDDLE = 460  # pixels that the picture keeps when the list takes of its room


class TreeController(QObject):
    """The commands of the menu View, and those of the tree that only look.

    Parameters
    ----------
    views
        The tree and the pictures.
    actions
        Their commands.
    settings
        Whether the tensors are listed.
    """

    def __init__(
        self, views: DocumentViews, actions: Actions, settings: Settings, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._narrow = self._wide = 0  # of the tree, before and while it lists whole names
        self._views = views
        self._actions = actions
        weights, tree = views.pages.weights, views.tree
        for name, call in {
            "page_weights": self._weights,
            "page_distribution": self._distribution,
            "page_channels": self._channels,
            "page_model": self._model,
            "page_compare": self._compare,
            "mask": weights.toggle_mask,
            "zoom_in": weights.zoom_in,
            "zoom_out": weights.zoom_out,
            "zoom_fit": weights.fit,
            "previous_tensor": self._previous,
            "next_tensor": self._next,
            "find": self._find,
            "check_shown": tree.check_all_shown,
            "check_none": tree.uncheck_all,
            "copy_name": self._copy_name,
            "go_to_method": self._go_to_method,
            "go_to_amount": self._go_to_amount,
        }.items():
            actions[name].triggered.connect(call)
        views.pages.pageChanged.connect(self._on_page)
        views.pages.model.tensorClicked.connect(tree.set_focused)
        self._on_page(views.pages.page)
        actions["tensor_list"].toggled.connect(self._list_tensors)
        tree.flatChanged.connect(actions["tensor_list"].setChecked)
        actions["tensor_list"].setChecked(settings.get(TENSOR_LIST))

    def show_page(self, page: Page) -> None:
        """Show one of the pictures."""
        self._views.pages.tabs.setCurrentIndex(page)
        self._views.middle.raise_()

    def _on_page(self, page: int) -> None:
        self._actions[PAGES[page]].setChecked(True)

    def _list_tensors(self, flat: bool) -> None:
        self._views.tree.set_flat(flat=flat)
        self._make_room(flat)
        if flat != self._settings.get(TENSOR_LIST):
            self._settings.set(TENSOR_LIST, flat)

    def _make_room(self, flat: bool) -> None:
        """Widen the tree for whole names, as far as the picture can spare it; and give it back."""
        dock, middle = self._views.tree_dock, self._views.middle
        window, width = dock.window(), dock.width()
        if not isinstance(window, QMainWindow) or not dock.isVisible():
            return
        if flat:
            around = width - self._views.tree.view.width()
            needed = self._views.tree.view.width_for_names() + around
            wider = min(needed, width + middle.width() - _LEAST_MIDDLE)
            self._narrow, self._wide = (width, wider) if wider > width else (0, 0)
        elif self._narrow and abs(width - self._wide) <= 2:  # nobody chose another one
            wider, self._narrow = self._narrow, 0
        else:
            return
        if wider > width or not flat:
            window.resizeDocks([dock], [wider], Qt.Orientation.Horizontal)

    def _weights(self) -> None:
        self.show_page(Page.WEIGHTS)

    def _distribution(self) -> None:
        self.show_page(Page.DISTRIBUTION)

    def _channels(self) -> None:
        self.show_page(Page.CHANNELS)

    def _model(self) -> None:
        self.show_page(Page.MODEL)

    def _compare(self) -> None:
        self.show_page(Page.COMPARE)

    def _previous(self) -> None:
        self._views.tree.step_focus(-1)

    def _next(self) -> None:
        self._views.tree.step_focus(1)

    def _go_to_method(self) -> None:
        self._views.form_dock.raise_()
        self._views.form.focus_method()

    def _go_to_amount(self) -> None:
        self._views.form_dock.raise_()
        self._views.form.focus_amount()

    def _find(self) -> None:
        self._views.tree_dock.raise_()
        self._views.tree.focus_filter()

    def _copy_name(self) -> None:
        QGuiApplication.clipboard().setText(self._views.tree.focused())


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
        **({"selected": request.selected} if request.selected else {}),
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
    companions, selected = plain.get("companions") is True, plain.get("selected")
    scope = "global" if plain.get("scope") == "global" else "local"
    limits = {name: valid[name] for name in given}
    if not isinstance(selected, int) or not 0 <= selected < len(rows):
        selected = 0
    found = FormRequest(tuple(rows), scope, limits, companions, selected)
    return found if rows else None


# More check marks than that would make the settings slow to read.
_MOST_CHECKED_REMEMBERING = 1_000


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
        if len(view.get("checked", ())) > _MOST_CHECKED_REMEMBERING:
            del view["checked"]
        view["tree"] = self._views.tree.look()
        window = {"columns": self._views.tree.view.columns(), "page": view.get("page")}
        self._settings.set_views(window, self._file, view)
        self._file = None
