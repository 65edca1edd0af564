"""The views of an open document, and where they stand in the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget, QFrame, QScrollArea, QVBoxLayout, QWidget

from pruneapp.gui.views.forecast import Forecast
from pruneapp.gui.views.form import PruneForm
from pruneapp.gui.views.hand_options import HandOptions
from pruneapp.gui.views.history import HistoryStrip
from pruneapp.gui.views.pictures.pages import PicturePages
from pruneapp.gui.views.tree import ModuleTree

FORM_WIDTH = 330
# Pixels of height between toolbar and status below which rows stand closer to each other.
LOW = 600


class DocumentViews(QObject):
    """Tree, pictures, history, form and forecast, and the widgets that hold them.

    Made after the first paint: the pictures alone take longer to import than the window to show.

    Attributes
    ----------
    tree, pages, hand_options, history, form, forecast
        The views.
    tree_dock, form_dock
        What stands left and right of the middle.
    middle
        Pictures above history.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.tree = ModuleTree()
        self.pages = PicturePages()
        self.hand_options = HandOptions()
        self.history = HistoryStrip()
        self.form = PruneForm()
        self.forecast = Forecast()
        self.tree_dock = _dock("tree", self.tr("Modules"), _padded(self.tree, 8, 4), parent)
        self.form_dock = _dock("form", self.tr("Prune"), self._form_column(), parent)
        self.middle = _Middle(self.pages, self.hand_options, self.history)

    def _form_column(self) -> QWidget:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(24)
        column.addWidget(self.form)
        column.addWidget(self.forecast)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows the focus of what is in it
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inner)
        scroll.viewport().setAutoFillBackground(False)
        inner.setAutoFillBackground(False)
        outer = QWidget()
        layout = QVBoxLayout(outer)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(scroll, 1)
        # The one button never scrolls away.
        layout.addWidget(_padded(self.forecast.action))
        # What is wider than the column would be cut off: with a larger font it is wider.
        bar = scroll.verticalScrollBar().sizeHint().width()
        outer.setMinimumWidth(max(FORM_WIDTH, inner.minimumSizeHint().width() + bar))
        return outer


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


def _padded(widget: QWidget, left: int = 12, right: int = 12) -> QWidget:
    outer = QWidget()
    layout = QVBoxLayout(outer)
    layout.setContentsMargins(left, 8, right, 8)
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
