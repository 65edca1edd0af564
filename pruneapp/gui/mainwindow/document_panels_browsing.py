"""Moving about: pages, zoom, the tensor in focus. Nothing here changes the document."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from pruneapp.gui.app.settings import TENSOR_LIST, Settings
from pruneapp.gui.commands.actions import Actions
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.plots.pages import Page

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
        views.pages.tensorClicked.connect(tree.set_focused)
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
