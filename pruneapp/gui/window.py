"""The main window: where everything stands. What it does is wired in `workbench`."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QByteArray, QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QComboBox,
    QDockWidget,
    QFrame,
    QLabel,
    QMainWindow,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.actions import Actions
from pruneapp.gui.settings import Settings
from pruneapp.gui.theme import Appearance, Theme
from pruneapp.gui.views.empty import EmptyPage
from pruneapp.gui.views.forecast import Forecast
from pruneapp.gui.views.form import PruneForm
from pruneapp.gui.views.history import HistoryStrip
from pruneapp.gui.views.notices import NoticeBar
from pruneapp.gui.views.status import JobStatus, ModelStatus
from pruneapp.gui.views.tree import ModuleTree
from pruneapp.gui.workbench import Workbench

SIZE = QSize(1280, 800)
SMALLEST = QSize(720, 480)
# Narrower than this the two docks share one place, as tabs.
NARROW = 1080
LAYOUT_VERSION = 1


class MainWindow(QMainWindow):
    """Tree, picture and form from left to right; history below; the job in the status bar.

    Parameters
    ----------
    settings
        How the window stood, what was open.
    appearance
        The theme.
    """

    dropped = Signal(object)

    def __init__(self, settings: Settings, appearance: Appearance) -> None:
        super().__init__()
        self.settings = settings
        self.appearance = appearance
        self.setWindowTitle("Pruneapp")
        self.setMinimumSize(SMALLEST)
        self.setAcceptDrops(True)
        self.setDockOptions(
            QMainWindow.DockOption.AllowTabbedDocks | QMainWindow.DockOption.AllowNestedDocks
        )
        self.actions_ = Actions(self)
        self.actions_.fill(self.menuBar())

        self.tree = ModuleTree()
        self.form = PruneForm()
        self.forecast = Forecast()
        self.history = HistoryStrip()
        self.notices = NoticeBar()
        self.empty = EmptyPage()
        self.model_status = ModelStatus()
        self.job_status = JobStatus()
        self._pictures = QVBoxLayout()

        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self._work())
        center = QWidget()
        column = QVBoxLayout(center)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.notices)
        column.addWidget(self.stack, 1)
        self.setCentralWidget(center)

        self.tree_dock = self._dock("tree", self.tr("Modules"), self._padded(self.tree))
        self.form_dock = self._dock("form", self.tr("Prune"), self._form_column())
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, self.tree_dock)
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.form_dock)
        self.device = QComboBox()
        self.export_button = QToolButton()
        self._toolbar()
        self.statusBar().addWidget(self.model_status)
        self.statusBar().addPermanentWidget(self.job_status, 1)
        self.show_document(there=False)

        self._narrow = False
        self.resize(SIZE)
        self.resizeDocks([self.tree_dock, self.form_dock], [376, 304], Qt.Orientation.Horizontal)
        self.restoreGeometry(QByteArray(settings.blob("geometry")))
        appearance.changed.connect(self._on_theme_changed)
        self.workbench = Workbench(self)
        self._on_theme_changed(appearance.theme)

    # -- building -------------------------------------------------------------------------------

    def _work(self) -> QWidget:
        work = QWidget()
        column = QVBoxLayout(work)
        column.setContentsMargins(12, 12, 12, 8)
        column.setSpacing(8)
        column.addLayout(self._pictures, 1)
        column.addWidget(self.history)
        return work

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
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inner)
        scroll.viewport().setAutoFillBackground(False)
        inner.setAutoFillBackground(False)
        outer = QWidget()
        layout = QVBoxLayout(outer)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(scroll, 1)
        layout.addWidget(self._padded(self.forecast.action))
        # The one button never scrolls away.
        outer.setMinimumWidth(280)
        return outer

    def _padded(self, widget: QWidget) -> QWidget:
        outer = QWidget()
        layout = QVBoxLayout(outer)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.addWidget(widget)
        return outer

    def _dock(self, name: str, title: str, widget: QWidget) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setWidget(widget)
        dock.setFeatures(
            QDockWidget.DockWidgetFeature.DockWidgetMovable
            | QDockWidget.DockWidgetFeature.DockWidgetFloatable
        )
        return dock

    def _toolbar(self) -> None:
        bar = QToolBar(self.tr("Main"), self)
        bar.setObjectName("main")
        bar.setMovable(False)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        bar.setIconSize(QSize(20, 20))
        for name in ("open", "undo", "redo"):
            bar.addAction(self.actions_[name])
        spring = QWidget()
        spring.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(spring)
        label = QLabel(self.tr("Device"))
        label.setBuddy(self.device)
        label.setContentsMargins(0, 0, 8, 0)
        bar.addWidget(label)
        self.device.setAccessibleName(self.tr("Device"))
        self.device.setToolTip(
            self.tr("Where masks are computed; the result is the same on all of them")
        )
        bar.addWidget(self.device)
        gap = QWidget()
        gap.setFixedWidth(12)
        bar.addWidget(gap)
        self.export_button.setDefaultAction(self.actions_["export"])
        self.export_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        bar.addWidget(self.export_button)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.addToolBar(bar)
        self.toolbar = bar

    # -- what the workbench asks ----------------------------------------------------------------

    def set_pictures(self, pages: QWidget) -> None:
        """Put the pictures in their place, once they are loaded."""
        self._pictures.addWidget(pages)

    def show_document(self, *, there: bool) -> None:
        """Show the document's views, or the page that says what to do."""
        self.stack.setCurrentIndex(1 if there else 0)
        for dock in (self.tree_dock, self.form_dock):
            dock.setVisible(there)
        if there:
            self._arrange_docks()

    def open_path(self, path: Path) -> None:
        """Open a file that came from outside."""
        self.workbench.open(path)

    def open_after_start(self, path: Path, state_dict: str | None) -> None:
        """Open a file as soon as the window has been painted."""
        self.workbench.first_file = (path, state_dict)

    def finish(self) -> None:
        """Load what the first picture could do without."""
        self.workbench.finish()

    def report_bug(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Show a bug as a report that can be copied; work goes on."""
        self.workbench.report_bug(kind, error, trace)

    # -- Qt's events ----------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about work that would be lost, then keep how the window stands."""
        if not self.workbench.may_close():
            event.ignore()
            return
        self.settings.set_blob("geometry", bytes(self.saveGeometry().data()))
        if self.workbench.session.document is not None:
            self.settings.set_blob("docks", bytes(self.saveState(LAYOUT_VERSION).data()))
        self.workbench.shut_down()
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the docks together as tabs where room is short."""
        super().resizeEvent(event)
        self._arrange_docks()

    def changeEvent(self, event: QEvent) -> None:
        """Look whether the file is still the same when the person comes back."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.workbench.look_at_file()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Welcome one local file or folder."""
        if _dropped_path(event.mimeData()) is not None:
            event.acceptProposedAction()
            self.empty.set_dropping(dropping=True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Forget the welcome."""
        self.empty.set_dropping(dropping=False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        self.empty.set_dropping(dropping=False)
        path = _dropped_path(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.dropped.emit(path)

    # -- looks ----------------------------------------------------------------------------------

    def _arrange_docks(self) -> None:
        narrow = self.width() < NARROW
        if narrow == self._narrow or self.form_dock.isFloating() or self.tree_dock.isFloating():
            return
        self._narrow = narrow
        if narrow:
            self.tabifyDockWidget(self.tree_dock, self.form_dock)
            self.tree_dock.raise_()
        else:
            self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.form_dock)
            self.form_dock.setVisible(self.tree_dock.isVisible())

    def _on_theme_changed(self, theme: Theme) -> None:
        self.actions_.paint(theme.colors, self.devicePixelRatioF())
        self.appearance.dress(self)


def _dropped_path(data: QMimeData) -> Path | None:
    urls = data.urls()
    if len(urls) == 1 and urls[0].isLocalFile():
        return Path(urls[0].toLocalFile())
    return None
