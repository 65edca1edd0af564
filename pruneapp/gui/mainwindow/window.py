"""The main window: menus, toolbar, docks, and the status of the model in the status bar."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import (
    QByteArray,
    QDataStream,
    QEvent,
    QIODevice,
    QMargins,
    QMimeData,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QTabBar,
    QTabWidget,
    QToolBar,
    QToolButton,
    QWidget,
)

from pruneapp.errors import escape_text
from pruneapp.gui.app.notices import NoticeBar
from pruneapp.gui.app.runtime import worker_pause
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.app.windows import TITLE
from pruneapp.gui.commands.actions import Actions
from pruneapp.gui.files.recovery_view import RecoveryView
from pruneapp.gui.files.start_page import DropHint, EmptyPage
from pruneapp.gui.mainwindow.tour_view import Highlight, TourBar
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import (
    ComboBox,
    call_soon,
    fit_fonts,
    follow_font,
    lay_in_column,
    lay_in_row,
    move_focus,
)
from pruneapp.gui.widgets.labels import (
    ElidedLabel,
    as_plain,
    elide_text,
    join_sentences,
    label_for,
    letter_width,
)
from pruneapp.gui.widgets.screen import fit_into_screen
from pruneapp.gui.widgets.status import Done, JobStatus
from pruneapp.gui.widgets.theme import Theme, ThemeManager
from pruneapp.instance import MAX_FILES

SIZE = QSize(1280, 800)
DOCKS = (320, 330)  # initial widths of tree and form
# By how much the tree is wider in a window wider than `SIZE`, as a share; its largest width.
_TREE_GROWTH, _WIDEST_TREE = 0.4, 480
SMALLEST = QSize(720, 480)
_NUDGE = 64  # pixels, larger than any window frame
_STEP = 28  # offset in pixels to the previous window, so that both title bars are visible
# Width in pixels below which the two docks become tabs; larger in a large font.
NARROW = 1120
_KIND = 40  # maximum number of characters of the model class
_LISTED = 6  # maximum number of listed files and dtypes
LAYOUT_VERSION = 2  # increased with DOCKS: older layouts left too little width for the plots


class _StatusFacts(ElidedLabel):
    """A line of facts, of which the last ones are left out where there is no room for them."""

    SEPARATOR = "   ·   "

    def shortened(self, width: int) -> str:
        """Return as many facts as fit; the first is elided if even that is too wide."""
        text, advance = self.text(), self.fontMetrics().horizontalAdvance
        while advance(text) > width and self.SEPARATOR in text:
            text = text.rpartition(self.SEPARATOR)[0]
        return elide_text(text, self.fontMetrics(), width, Qt.TextElideMode.ElideRight)


class ModelStatus(QWidget):
    """Status bar label with the class of the model, its parameters, and their sparsity."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = _StatusFacts("", self)
        self.text.widest = 1200  # shrinks only if another part of the status bar needs the width
        self._kind = self._facts = ""
        self._about: tuple[str, ...] = ()
        lay_in_row(self, self.text, margins=(8, 0, 8, 0))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def set_kind(
        self,
        kind: str,
        *,
        pooling: str = "",
        layers: int | None = None,
        dtypes: Sequence[str] = (),
        files: Sequence[str] = (),
    ) -> None:
        """Set the properties of the model that the next `set_model` shows.

        The label does not change. They stay until `clear`. At most `_KIND` characters of `kind`,
        and `_LISTED` dtypes and files, are shown.

        Parameters
        ----------
        kind
            Class or type of the model; "" if unknown.
        pooling
            How a sentence encoder pools the vectors of tokens; "" for other models.
        layers
            Number of layers; None if unknown.
        dtypes
            Labels of the dtypes of its parameters.
        files
            Names of the files that an export as a folder copies.
        """
        kind = escape_text(kind)
        self._kind = kind if len(kind) <= _KIND else f"{kind[: _KIND - 1]}…"
        facts = []
        if layers is not None:
            facts.append(number_format.plural(layers, self.tr("1 layer"), self.tr("{n} layers")))
        listed = ", ".join(dtypes[:_LISTED]) + " …" * (len(dtypes) > _LISTED)
        if len(dtypes) > 1:
            listed = self.tr("mixed: {dtypes}").format(dtypes=listed)
        self._facts = _StatusFacts.SEPARATOR.join(filter(None, (*facts, listed)))
        about = []
        if pooling:
            pooling = escape_text(pooling[:_KIND])
            words = self.tr(
                "Sentence encoder with {pooling} pooling: its pooler, if any, is not used."
            )
            about.append(words.format(pooling=pooling))
            words = self.tr("{model}, {pooling} pooling")
            self._kind = words.format(model=self._kind or self.tr("Encoder"), pooling=pooling)
        if files:
            names = ", ".join(map(escape_text, files[:_LISTED]))
            if len(files) > _LISTED:
                names = self.tr("{names} and {n} more").format(
                    names=names, n=number_format.count(len(files) - _LISTED)
                )
            about.append(self.tr("Folder exports also copy: {names}").format(names=names))
        self._about = tuple(about)

    def set_model(self, numel: int, pruned: int, buffers: int = 0) -> None:
        """Show the numbers of parameters (`numel`), of pruned ones, and of elements in buffers.

        Without parameters a text replaces them, and layers and dtypes are not shown, now and later.
        """
        if not numel:
            self._facts = ""
            self._show(self.tr("No parameters"), "")
            return
        words = self.tr("{n} parameters   ·   {share} pruned")
        if buffers:
            words = self.tr("{n} parameters + {buffers} in buffers   ·   {share} pruned")
        text = words.format(
            n=number_format.count(numel),
            buffers=number_format.count(buffers),
            share=number_format.part(pruned, numel),
        )
        tip = self.tr("{pruned} of {n} parameters pruned.").format(
            pruned=number_format.count(pruned), n=number_format.count(numel)
        )
        if buffers:
            more = self.tr(
                "In addition, {n} elements in buffers: running statistics, counters, positions, "
                "masks."
            )
            tip = join_sentences(tip, more.format(n=number_format.count(buffers)))
        self._show(text, tip)

    def _show(self, text: str, tip: str) -> None:
        parts = filter(None, (self._kind, text, self._facts))
        self.text.setText(_StatusFacts.SEPARATOR.join(parts))
        lines = filter(None, (*self._about, tip))
        self.text.setToolTip("<br>".join(map(as_plain, lines)))
        # Screen readers get plain text, as the tooltip is markup.
        self.text.setAccessibleDescription(join_sentences(*self._about, tip))

    def clear(self) -> None:
        """Clear the label, as no file is open."""
        self._kind, self._facts, self._about = "", "", ()
        self.text.setText("")
        self.text.setAccessibleDescription("")
        self.text.setToolTip("")


class MainWindow(QMainWindow):
    """The window: menus, toolbar, notices and status bar around the start page or a document.

    It is shown within some hundredths of a second; the views of a document are added by
    `add_document_views` once they have been imported.
    """

    dropped = Signal(object)  # path of a file or folder
    droppedForWindow = Signal(object)  # path, dropped with Ctrl: to be opened in a new window
    # (list[Path], bool) several files, and whether all are to be opened in new windows
    droppedTogether = Signal(object, bool)
    # (QDragEnterEvent, QDropEvent) a drag of something else than files; accept it to enable the
    # drop
    otherEntered = Signal(object)
    otherDropped = Signal(object)
    otherLeft = Signal()  # such a drag left the window
    keyPressed = Signal(object)  # (QKeyEvent) of a key that no widget has handled; accept it if so
    activated = Signal()  # the window was activated
    closing = Signal(object)  # QCloseEvent; ignore it to keep the window open
    closed = Signal(object)  # the window, after it was closed

    def __init__(
        self, settings: Settings, appearance: ThemeManager, beside: QWidget | None = None
    ) -> None:
        """Restore the last geometry, or place the window at an offset to `beside`."""
        super().__init__()
        self._settings = settings
        self._appearance = appearance
        self.setWindowTitle(TITLE)
        self.setMinimumSize(SMALLEST)
        self.setAcceptDrops(True)
        self.setDockOptions(QMainWindow.DockOption.AllowTabbedDocks)
        above = QTabWidget.TabPosition.North
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, above)
        self.actions_ = Actions(self, settings.state.keys)
        self.actions_.fill(self.menuBar())
        # Connected here, as it must work from the first paint on.
        self.actions_["close_window"].triggered.connect(self.close)
        center = QWidget()
        self.notices = NoticeBar(center)
        self.recovery = RecoveryView()
        self.empty = EmptyPage(first=settings.is_first_run)
        self.actions_.show_shortcut_in_tooltip("open", self.empty.open_button)
        self.actions_.show_shortcut_in_tooltip("open_folder", self.empty.folder_button)
        self.tour = TourBar()
        self.highlight = Highlight(self)
        self.model_status = ModelStatus()
        self.done = Done()
        self.job_status = JobStatus()
        self.device = ComboBox()
        self.export_button = QToolButton()
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        lay_in_column(center, self.tour, self.stack, spacing=0, wide=self.stack)
        self.setCentralWidget(center)
        self.notices.float_above(self.stack)
        self.notices.add_panel(self.recovery)
        self.overlays: list[QWidget] = [self.notices]  # in no layout, for the order of Tab
        self.drop_hint = DropHint(self)
        self._fill_toolbar()
        self.statusBar().addWidget(self.model_status)
        self.statusBar().addWidget(self.done)
        self.statusBar().addPermanentWidget(self.job_status)
        self._docks: tuple[QDockWidget, ...] = ()
        self._narrow = False
        # Of the docks side by side; and their layout for the last document of the window.
        # Widths of tree and form; 0 for a tree that grows with the window.
        self._widths, self._layout = [0, DOCKS[1]], QByteArray()
        self.resize(SIZE)
        restored = self.restoreGeometry(QByteArray(settings.blob("geometry")))
        if beside is not None:
            self.setGeometry(beside.normalGeometry().translated(_STEP, _STEP))
        elif restored:
            self._restore_position()
        # A restored window had space for its frame. With a guessed frame it would be moved, by the
        # same distance every time.
        fit_into_screen(self, QMargins() if restored else None)
        self._frame_measured = False
        appearance.changed.connect(self._on_theme_changed)
        self._on_theme_changed(appearance.theme)

    def add_document_views(self, left: QDockWidget, middle: QWidget, right: QDockWidget) -> None:
        """Add the docks and the middle between them, and set their theme; call it once.

        They are hidden until `show_document`.
        """
        self.stack.addWidget(middle)
        self._docks = (left, right)
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, left)
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, right)
        for widget in (left, middle, right):
            self._appearance.apply_to(widget)

    def show_document(self, *, is_open: bool) -> None:
        """Show the views of the document, or the start page.

        The layout of the docks for the last document of this window is restored, else the stored
        one; without any they get their initial widths. The first document ends the introduction on
        the start page.
        """
        if is_open and self._settings.is_first_run:
            self._settings.store(welcomed=True)
            self.empty.set_first(first=False)
        self._keep_layout()
        self.stack.setCurrentIndex(1 if is_open else 0)
        self._narrow = False
        kept = self._layout or QByteArray(self._settings.blob("docks"))
        if is_open and self._docks:
            if self.restoreState(kept, LAYOUT_VERSION):
                call_soon(self, self.keep_widths)  # when the docks are laid out
            else:
                self._set_widths()
        for dock in self._docks:
            dock.setVisible(is_open)
        fit_fonts(self)  # widgets may have been filled since they were created
        self._arrange_docks()

    def keep_widths(self) -> None:
        """Keep the widths of the docks, unless they are hidden, or tabs of a narrow window."""
        if self.stack.currentIndex() and not self._narrow:
            tree, form = (dock.width() for dock in self._docks)
            self._widths = [0 if abs(tree - self._tree_width()) <= 2 else tree, form]

    def _tree_width(self) -> int:
        """Return the width of the tree, in pixels, unless the user has changed it."""
        growth = round(_TREE_GROWTH * (self.width() - SIZE.width()))
        return min(DOCKS[0] + max(0, growth), _WIDEST_TREE)

    def _keep_layout(self) -> None:
        """Keep the layout of the docks, unless they are hidden, or tabs of a narrow window."""
        if self.stack.currentIndex() and not self._narrow:
            self._layout = self.saveState(LAYOUT_VERSION)

    def _restore_position(self) -> None:
        """Restore the exact position, which Qt changed by the size of a guessed window frame.

        It does nothing if the window has another size than stored, or is more than `_NUDGE` away:
        Qt has then fitted it to another screen.
        """
        place = QRect()
        QDataStream(QByteArray(self._settings.blob("place"))) >> place
        now = self.geometry()
        moved = (place.topLeft() - now.topLeft()).manhattanLength()
        if place.size() == now.size() and moved <= _NUDGE and not self.isMaximized():
            self.setGeometry(place)

    def save_layout(self) -> None:
        """Store the geometry of the window and of its docks in the settings.

        The docks are left out on the start page, and while they are tabs of a narrow window.
        """
        self._settings.set_blob("geometry", bytes(self.saveGeometry().data()))
        place = QByteArray()
        QDataStream(place, QIODevice.OpenModeFlag.WriteOnly) << self.normalGeometry()
        self._settings.set_blob("place", bytes(place.data()))
        self._keep_layout()
        if not self._layout.isEmpty():
            self._settings.set_blob("docks", bytes(self._layout.data()))

    def _fill_toolbar(self) -> None:
        """Fill the toolbar: Open, Undo and Redo at the left, the device and Export at the right."""
        bar = QToolBar(self.tr("Main"), self)
        bar.setObjectName("main")
        bar.setMovable(False)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        bar.setIconSize(QSize(20, 20))
        for name in ("open", "undo", "redo"):
            bar.addAction(self.actions_[name])
        spacer = QWidget()
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(spacer)
        label = label_for(self.device, self.tr("Run on"))
        label.setContentsMargins(0, 0, 8, 0)
        bar.addWidget(label)
        self.device.addItem(self.tr("Automatic"), "auto")
        self.device.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        self.device.setMinimumContentsLength(14)
        # Limited, as the address of a cluster may be long.
        follow_font(self.device, lambda box: box.setMaximumWidth(letter_width(box) * 34))
        self.device.setAccessibleName(self.tr("Run on"))
        words = self.tr(
            "Device that computes masks, or cluster that runs exports. The result is the same "
            "everywhere."
        )
        self.device.setToolTip(as_plain(words))
        self.device.setAccessibleDescription(words)
        bar.addWidget(self.device)
        gap = QWidget()
        gap.setFixedWidth(12)
        bar.addWidget(gap)
        self.export_button.setDefaultAction(self.actions_["export"])
        self.export_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        bar.addWidget(self.export_button)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.addToolBar(bar)

    def _arrange_docks(self) -> None:
        """Turn the docks into tabs if the window is too narrow for both, or side by side if not.

        That is if it is narrower than `NARROW`, or, in a large font, than the docks and the tabs of
        the pages. Without effect if they are already, and on the start page.
        """
        if not self._docks or not self.stack.currentIndex():
            return
        parts = [dock.minimumSizeHint().width() for dock in self._docks]
        views = self.stack.currentWidget()
        assert views is not None, "there is an open document"
        middle = views.sizeHint().width()
        separators = 2 * self.style().pixelMetric(QStyle.PixelMetric.PM_DockWidgetSeparatorExtent)
        narrow = self.width() < max(NARROW, sum(parts) + middle + separators)
        if narrow == self._narrow:
            return
        self._narrow = narrow
        left, right = self._docks
        if narrow:
            self.tabifyDockWidget(left, right)
            left.raise_()
        else:
            self.removeDockWidget(right)
            self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, right)
            right.show()
            # Later, when the docks are laid out: otherwise the left one is too narrow for its
            # columns.
            call_soon(self, self._set_widths)

    def _set_widths(self) -> None:
        if not self._narrow:
            tree, form = self._widths
            widths = [tree or self._tree_width(), form]
            self.resizeDocks(list(self._docks), widths, Qt.Orientation.Horizontal)

    def _on_theme_changed(self, theme: Theme) -> None:
        self.actions_.paint(theme.colors, self.devicePixelRatioF())
        self._appearance.apply_to(self)

    # -- Qt's events ----------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Pause tasks during a paint, and keep the widths of docks that the user has changed."""
        if event.type() == QEvent.Type.UpdateRequest:
            worker_pause.begin()
        is_handled = super().event(event)
        if event.type() == QEvent.Type.MouseButtonRelease:
            self.keep_widths()
        return is_handled

    def closeEvent(self, event: QCloseEvent) -> None:
        """Emit `closing`, whose receivers may ignore the event to keep the window open.

        Otherwise save the layout and emit `closed`.
        """
        self.closing.emit(event)
        if event.isAccepted():
            self._settings.store(welcomed=True)
            self.save_layout()
            super().closeEvent(event)
            self.closed.emit(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turn the docks into tabs in a narrow window, and shorten notices in a low one."""
        super().resizeEvent(event)
        self._arrange_docks()
        if self._docks and self.stack.currentIndex() and not (self._narrow or self._widths[0]):
            width = self._tree_width()
            self.resizeDocks([self._docks[0]], [width], Qt.Orientation.Horizontal)
        self.notices.set_height(self.height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit `keyPressed`."""
        event.ignore()
        self.keyPressed.emit(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus in visual order: toolbar, tree, plots, form, status bar.

        Return whether it was moved.
        """
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        parts = (
            *self.findChildren(QToolBar, options=direct),
            *self.findChildren(QTabBar, options=direct),  # tab bars of the docks
            *self._docks[:1],
            self.centralWidget(),
            *self.overlays,
            *self._docks[1:],
            self.statusBar(),
        )
        moved = move_focus(parts, self.focusWidget(), forward=forward)
        return moved or super().focusNextPrevChild(forward)

    def changeEvent(self, event: QEvent) -> None:
        """Emit `activated` when the window becomes active; adapt sizes to a new font.

        The first activation also fits the window into the screen, as its frame can be measured only
        then.
        """
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            call_soon(self, self._fit_fonts)  # when all widgets have the new font
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            if not self._frame_measured:  # the frame can be measured only now
                self._frame_measured = True
                fit_into_screen(self)
            self.activated.emit()

    def _fit_fonts(self) -> None:
        fit_fonts(self)
        # Again after layouts have processed the changes.
        call_soon(self, self._fit_again)

    def _fit_again(self) -> None:
        fit_fonts(self)
        self._arrange_docks()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept local files and folders, and highlight the window.

        For any other object `otherEntered` is emitted, whose receivers may accept it.
        """
        if _dropped_paths(event.mimeData()):
            event.acceptProposedAction()
            self._set_dropping(dropping=True)
        else:
            self.otherEntered.emit(event)

    def _set_dropping(self, *, dropping: bool) -> None:
        """Show or hide that a dragged file can be dropped."""
        self.empty.set_dropping(dropping=dropping)
        self.drop_hint.hide()
        if dropping:
            self.drop_hint.show_over(self, with_text=self.stack.currentIndex() > 0)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Reset the drop highlight."""
        self._set_dropping(dropping=False)
        self.otherLeft.emit()
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit the signal for dropped files, of one or of several.

        `otherDropped` for anything else. Files dropped with Ctrl are for new windows.
        """
        self._set_dropping(dropping=False)
        paths = _dropped_paths(event.mimeData())
        if not paths:
            self.otherDropped.emit(event)
            return
        event.acceptProposedAction()
        apart = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if len(paths) > 1:
            self.droppedTogether.emit(paths, apart)
        else:
            (self.droppedForWindow if apart else self.dropped).emit(paths[0])


def _dropped_paths(data: QMimeData) -> list[Path]:
    """Return the dropped files without repetition, in their order.

    Empty if any is not local, or there are more than `MAX_FILES`.
    """
    urls = data.urls()
    if len(urls) > MAX_FILES or not all(url.isLocalFile() for url in urls):
        return []
    return list(dict.fromkeys(Path(url.toLocalFile()) for url in urls))
