"""The views of an open document, their layout in the window, and navigation between them.

The state of the views is plain JSON, which is restored when a file is opened again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDockWidget,
    QFrame,
    QLineEdit,
    QMainWindow,
    QScrollArea,
    QSplitter,
    QWidget,
)

from pruneapp.gui.app.settings import COLOR_MAP, TENSOR_LIST, Settings
from pruneapp.gui.commands.actions import Actions
from pruneapp.gui.commands.declarations import COLOR_MAP as COLOR_MAP_MENU
from pruneapp.gui.compare.view import CompareView
from pruneapp.gui.document.history_view import HistoryPanel
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.manual_edit.edit_controller import ManualEditOptions
from pruneapp.gui.method_form.form_controller import plain_form, read_form
from pruneapp.gui.method_form.panel import PruneForm
from pruneapp.gui.plots.base.plot_canvas import ZOOM_STEP
from pruneapp.gui.plots.pages import Page, PlotPages
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.tree.panel import ModuleTree
from pruneapp.gui.widgets.color_maps import COLOR_MAPS
from pruneapp.gui.widgets.controls import follow_font, lay_in_column
from pruneapp.gui.widgets.screen import whole_height
from pruneapp.params import Param

FORM_WIDTH = 330
# Minimum height of the preview as a fraction of the form column.
PINNED = 0.36
# Initial heights of the tree and the history, in pixels; other heights are in proportion.
_PANES = (400, 240)
# Height of the middle in pixels below which margins and spacing are reduced.
LOW = 600


class DocumentViews(QObject):
    """Tree and history, plots, form and preview, in two docks and the central widget.

    Created after the first paint, as importing the plots takes longer than showing the window.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.tree = ModuleTree()
        self.compare = CompareView()
        self.pages = PlotPages(self.compare)
        self.edit_options = ManualEditOptions()
        self.history = HistoryPanel()
        self.left = _Panes(self.tree, self.history)
        self.form = PruneForm()
        self.form.checkedUsed.connect(self.tree.set_used)
        self.preview = PreviewPanel()
        column = _FormColumn(self.form.header, self.form, self.preview, self.preview.action)
        self.tree_dock = _dock("tree", self.tr("Modules"), _pad(self.left, 8, 4), parent)
        self.form_dock = _dock("form", self.tr("Prune"), column, parent)
        self.middle = _Middle(self.pages, self.edit_options)


class _Panes(QSplitter):
    """The tree above the history; the user moves the border between them."""

    def __init__(self, tree: QWidget, history: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical)
        for pane, stretch in ((tree, 3), (history, 2)):
            self.addWidget(pane)
            self.setStretchFactor(self.indexOf(pane), stretch)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(12)
        self.setSizes(_PANES)

    def restore(self, heights: object) -> None:
        """Set the heights of both panes; anything but two positive numbers is ignored."""
        if (
            isinstance(heights, list)
            and len(heights) == self.count()
            and all(isinstance(height, int) and height > 0 for height in heights)
        ):
            self.setSizes(heights)


class _FormColumn(QWidget):
    """The column of the form and the preview, between a fixed header and a fixed button.

    If the height is too small, the form scrolls; the preview keeps its minimum fraction of the
    height, so that its first numbers are always visible.
    """

    def __init__(
        self, header: QWidget, form: PruneForm, preview: PreviewPanel, action: QWidget
    ) -> None:
        super().__init__()
        self._fields, self._panel = form, preview
        self._form, self._preview = _Scrolled(form), _Scrolled(preview)
        self._header, self._action = _pad(header, below=0), _pad(action)
        column = self._header, self._form, self._preview, self._action
        lay_in_column(self, *column, spacing=0, wide=self._form)
        # Wider content would be cut off; the width depends on the font.
        parts = self._form, self._preview
        follow_font(self, lambda column: column.fit())
        for part in parts:
            part.content.rearranged.connect(self._grow)
            part.content.rearranged.connect(self._divide_height)

    def fit(self) -> None:
        """Set the minimum width that the content needs."""
        self.setMinimumWidth(self._min_width())

    def _min_width(self) -> int:
        min_width = [part.min_width() for part in (self._form, self._preview)]
        return max(FORM_WIDTH, self._header.minimumSizeHint().width(), *min_width)

    def _grow(self) -> None:
        # Only grow as numbers appear: shrinking again would make the layout jump.
        if (min_width := self._min_width()) > self.minimumWidth():
            self.setMinimumWidth(min_width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._divide_height()

    def event(self, event: QEvent) -> bool:
        """Accept Ctrl+A, which would otherwise check all tensors: here it only selects text."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.SelectAll)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the focus from a field to the button after Return, which has stored the value.

        Then Return prunes, and keys of the window such as those of the tabs work again. The focus
        stays in a field with an invalid value, whose text is selected.
        """
        is_return = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
        field = QApplication.focusWidget()
        is_field = isinstance(field, QLineEdit | QAbstractSpinBox) or (
            isinstance(field, QComboBox) and field.isEditable()
        )
        if not (is_return and is_field):
            super().keyPressEvent(event)
        elif not self._fields.errors():
            button = self._panel.action.button
            target = button if button.isEnabled() else self._panel
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _divide_height(self) -> None:
        """Set the height of the preview and the margin below the form.

        The preview gets what the form leaves, but at least `PINNED` of the height, and no more than
        its content needs; if it has to scroll, it ends with a whole row. So does the form.
        """
        room = self.height() - self._action.sizeHint().height()
        preview_height = self._preview.content_height() + self._panel.hidden_height
        form = self._header.sizeHint().height() + self._form.content_height()
        left = max(room - form, round(room * PINNED))
        self._panel.set_missing_height(max(0, preview_height - left))
        preview = min(preview_height, left)
        if preview_height - self._panel.hidden_height > left:
            preview = whole_height(self._preview.content, left)
        self._preview.setFixedHeight(preview)
        # Nor is a row of the form cut at the bottom, while it is scrolled to the top.
        seen = room - self._header.sizeHint().height() - preview
        scrolls = self._form.content_height() > seen
        spare = seen - whole_height(self._form.content, seen) if scrolls else 0
        self._form.setViewportMargins(0, 0, 0, spare)


class _Scrolled(QScrollArea):
    """A vertical scroll area that is as wide as its content."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.content = _Content(widget)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # scrolls to the focused child widget
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(self.content)
        self.viewport().setAutoFillBackground(False)
        self.content.setAutoFillBackground(False)

    def min_width(self) -> int:
        return self.content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()

    def content_height(self) -> int:
        content = self.content
        if content.hasHeightForWidth():
            return content.heightForWidth(self.width())
        return content.sizeHint().height()


class _Content(QWidget):
    """The content of a scroll area. `rearranged` is emitted when its height may have changed."""

    rearranged = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        lay_in_column(self, widget, None, margins=(12, 12, 12, 4))

    def event(self, event: QEvent) -> bool:
        """Emit `rearranged` after a layout request."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.rearranged.emit()
        return done


class _Middle(QWidget):
    """The plots; spacing is reduced in a low window."""

    def __init__(self, pages: PlotPages, *below: QWidget) -> None:
        super().__init__()
        self._pages = pages
        self._column = lay_in_column(self, pages, *below, wide=pages)
        self._set_low(low=False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_low(low=self.height() < LOW)

    def _set_low(self, *, low: bool) -> None:
        gap = 4 if low else 8
        self._column.setContentsMargins(8, gap, 8, gap)
        self._column.setSpacing(gap)
        self._pages.set_low(low=low)


def _pad(widget: QWidget, left: int = 12, right: int = 12, below: int = 8) -> QWidget:
    outer = QWidget()
    lay_in_column(outer, widget, margins=(left, 8, right, below))
    return outer


def _dock(name: str, title: str, widget: QWidget, parent: QWidget) -> QDockWidget:
    """Return a hidden dock that contains `widget`; `name` is the key of its state in the settings.

    It has no title bar and cannot be moved or closed. `title` is the label of its tab.
    """
    dock = QDockWidget(title, parent)
    dock.setObjectName(name)
    dock.setWidget(widget)
    # Headings separate docks that are side by side; a title is only needed for tabs in a narrow
    # window.
    dock.setTitleBarWidget(QWidget())
    dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
    dock.hide()
    return dock


PAGES = (
    "page_weights",
    "page_distribution",
    "page_channels",
    "page_model",
    "page_compare",
    "page_quality",
    "page_sensitivity",
    "page_graph",
)
_MIN_MIDDLE_WIDTH = 460  # minimum width of the plots in pixels when the tree is widened


class NavigationController(QObject):
    """Controller of the commands of the menu View and of the tree.

    These do not change the document.
    """

    treeResized = Signal()  # the tree has the width of its names, or its former one

    def __init__(
        self, views: DocumentViews, actions: Actions, settings: Settings, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        # width of the tree before and after it was widened; 0 if it was not
        self._normal_width = self._widened_width = 0
        self._views = views
        self._actions = actions
        weights, tree = views.pages.weights, views.tree
        for page, name in enumerate(PAGES):
            actions[name].setData(Page(page))
            actions[name].triggered.connect(self._on_page_action)
        for name, call in {
            "mask": weights.toggle_mask,
            "zoom_in": self._zoom_in,
            "zoom_out": self._zoom_out,
            "zoom_fit": self._fit,
            "previous_tensor": self._previous,
            "next_tensor": self._next,
            "find": self._find,
            "check_selected": tree.view.check_selected,
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
        for name in ("tensor_list", "check_selected", "check_shown", "check_none"):
            actions[name].triggered.connect(self._show_tree)
        actions["tensor_list"].toggled.connect(self._list_tensors)
        tree.flatChanged.connect(actions["tensor_list"].setChecked)
        actions["tensor_list"].setChecked(settings.get(TENSOR_LIST))
        weights.addAction(actions.menus[COLOR_MAP_MENU].menuAction())  # for its context menu
        settings.changed.connect(self._on_setting)
        self._on_setting(COLOR_MAP)

    @Slot(object)
    def _on_setting(self, param: Param) -> None:
        if param is COLOR_MAP:
            chosen = self._settings.get(COLOR_MAP)
            color_map = next(each for each in COLOR_MAPS if each.name == chosen)
            self._views.pages.weights.set_color_map(color_map)

    def show_page(self, page: Page) -> None:
        """Show a page, unless the open file has none of the kind."""
        if not self._views.pages.tabs.isTabVisible(page):
            return
        self._views.pages.tabs.setCurrentIndex(page)
        self._views.middle.raise_()

    @Slot()
    def _on_page_action(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self.show_page(Page(action.data()))

    def _on_page(self, page: int) -> None:
        self._actions[PAGES[page]].setChecked(True)

    def _list_tensors(self, flat: bool) -> None:
        self._views.tree.set_flat(flat=flat)
        self._resize_tree(flat)
        if flat != self._settings.get(TENSOR_LIST):
            self._settings.set(TENSOR_LIST, flat)

    def _resize_tree(self, flat: bool) -> None:
        """Widen the tree for whole names, or restore the width that it had before.

        If `flat` (a list of tensors), as far as the plots keep `_MIN_MIDDLE_WIDTH`; never narrower.
        The width is only restored if the user has not resized the tree since. Without effect while
        the tree is hidden.
        """
        dock, middle = self._views.tree_dock, self._views.middle
        window, width = dock.window(), dock.width()
        if not isinstance(window, QMainWindow) or not dock.isVisible():
            return
        if flat:
            around = width - self._views.tree.view.width()
            needed = self._views.tree.view.width_for_names() + around
            wider = min(needed, width + middle.width() - _MIN_MIDDLE_WIDTH)
            self._normal_width, self._widened_width = (width, wider) if wider > width else (0, 0)
        elif (
            self._normal_width and abs(width - self._widened_width) <= 2
        ):  # the user has not resized it since
            wider, self._normal_width = self._normal_width, 0
        else:
            return
        if wider > width or not flat:
            window.resizeDocks([dock], [wider], Qt.Orientation.Horizontal)
            self.treeResized.emit()

    def _zoom_in(self) -> None:
        self._views.pages.picture().zoom(ZOOM_STEP)

    def _zoom_out(self) -> None:
        self._views.pages.picture().zoom(1 / ZOOM_STEP)

    def _fit(self) -> None:
        self._views.pages.picture().fit()

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

    def _show_tree(self) -> None:
        """Raise the dock of the tree, if it is in tabs with the form."""
        self._views.tree_dock.raise_()

    def _find(self) -> None:
        self._show_tree()
        self._views.tree.focus_filter()

    def _copy_name(self) -> None:
        QGuiApplication.clipboard().setText(self._views.tree.focused_name())


# Maximum numbers of stored check marks: a file with more is pruned by rules, and large settings are
# slow to read.
_MOST_CHECKED = 20_000
_MOST_CHECKED_IN_SETTINGS = 1_000


class ViewState(QObject):
    """Reads the state of the views for sessions and settings, and restores it.

    When it is created, page, columns and panes of the last window are restored. `show_tensor`
    focuses a tensor, `check` replaces the checked tensors by others, `checked` returns their names.
    """

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
        columns = settings.state.window.get("columns")
        if isinstance(columns, dict):
            views.tree.view.set_columns(columns)
        views.left.restore(settings.state.window.get("panes"))
        self.show({"page": settings.state.window.get("page")})

    def read(self, most: int = _MOST_CHECKED) -> Mapping[str, Any]:
        """Return the state as plain JSON: focused tensor, page, form, and checked tensors.

        An invalid form is left out, and so are the checked tensors if there are more than `most`.
        """
        request = (
            self._views.form.corrected_request()
        )  # an invalid field does not discard the other rules
        form, checked = plain_form(request), self._checked()
        return {
            "tensor": self._views.tree.focused_name(),
            "page": self._views.pages.page.name.lower(),
            **({"form": form} if form else {}),
            **({"checked": list(checked)} if len(checked) <= most else {}),
        }

    def show(self, view: Mapping[str, Any]) -> None:
        """Restore a state that `read` returned; invalid or unknown parts are ignored.

        Parts that are missing stay as they are. Names of other tensors are dropped from the checked
        ones.
        """
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
        """Restore the state stored in the settings, unless a session or a journal was opened.

        These have a state of their own. Call it after a file was opened.
        """
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
        """Store the state in the settings when the file is closed."""
        view = {**self.read(_MOST_CHECKED_IN_SETTINGS), "tree": self._views.tree.save_state()}
        window = {
            "columns": self._views.tree.view.columns(),
            "page": view["page"],
            "panes": self._views.left.sizes(),
        }
        self._settings.set_views(window, self._file, view)
        self._file = None
