"""The views of an open document, and where they stand in the window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget, QFrame, QScrollArea, QVBoxLayout, QWidget

from pruneapp.gui.document.history_view import HistoryStrip
from pruneapp.gui.manual_edit.edit_views_hand_options import HandOptions
from pruneapp.gui.method_form.panel import PruneForm
from pruneapp.gui.plots.pages import PicturePages
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.tree.panel import ModuleTree

FORM_WIDTH = 330
# Share of the form's column that what a step would do has at least.
PINNED = 0.36
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
        self.form.checkedUsed.connect(self.tree.set_used)
        self.forecast = PreviewPanel()
        column = _FormColumn(self.form, self.forecast, self.forecast.action)
        self.tree_dock = _dock("tree", self.tr("Modules"), _padded(self.tree, 8, 4), parent)
        self.form_dock = _dock("form", self.tr("Prune"), column, parent)
        self.middle = _Middle(self.pages, self.hand_options, self.history)


class _FormColumn(QWidget):
    """The form, below it what its step would do, and the one button, which never scrolls away.

    Where there is not room for all of it the form scrolls; what the step would do keeps its share
    of the height, so that its first numbers are seen whatever is unfolded above them.
    """

    def __init__(self, form: QWidget, forecast: QWidget, action: QWidget) -> None:
        super().__init__()
        self._form, self._forecast = _Scrolled(form), _Scrolled(forecast)
        self._action = _padded(action)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._form, 1)
        layout.addWidget(self._forecast)
        layout.addWidget(self._action)
        # What is wider than the column would be cut off: with a larger font it is wider.
        parts = self._form, self._forecast
        self.setMinimumWidth(max(FORM_WIDTH, *(part.least_width() for part in parts)))
        for part in parts:
            part.content.rearranged.connect(self._share)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new height."""
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        room = self.height() - self._action.sizeHint().height()
        wanted = self._forecast.wanted()
        left = max(room - self._form.wanted(), round(room * PINNED))
        self._forecast.setFixedHeight(min(wanted, left))


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
