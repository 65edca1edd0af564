"""Drive a window with real mouse and key events, and take pictures of it."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import (
    QEvent,
    QEventLoop,
    QMessageLogContext,
    QMimeData,
    QPoint,
    QPointF,
    QRect,
    Qt,
    QTimer,
    QtMsgType,
    QUrl,
    qInstallMessageHandler,
)
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QMainWindow,
    QMenu,
    QScrollArea,
    QTreeView,
    QWidget,
)
from translations import LANGUAGES, read, source_of

from pruneapp.gui import application
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.widgets import screen
from pruneapp.gui.widgets.theme import ThemeManager

SIZE = (1280, 800)
NARROW = (960, 600)
PATIENCE_MS = 20_000
STEP_MS = 10
# Longer than any delay before the window starts a computation (at most 150 ms).
QUIET_MS = 300
# Longer than the delay before the busy indicator is shown.
BUSY_MS = 1000
LEFT = Qt.MouseButton.LeftButton


class StepError(Exception):
    """The window did not react as a step expects."""


def wait(milliseconds: int) -> None:
    """Run the event loop for a time; QTest.qWait would hold the GIL and block workers."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait_until(true: Callable[[], object], what: str) -> None:
    """Run the event loop until a condition holds; raise `StepError` on timeout."""
    for _ in range(PATIENCE_MS // STEP_MS):
        if true():
            return
        wait(STEP_MS)
    raise StepError(f"Waited {PATIENCE_MS // 1000} s in vain: {what}.")


def is_said(shown: str, text: str) -> bool:
    """Return whether a shown text is an English text or its translation in any language."""
    return _plain(shown) in {_plain(text), *_translated().get(_plain(text), ())}


@cache
def _translated() -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for message in read(source_of(language)):
            found.setdefault(_plain(message.source), set()).add(_plain(message.translation or ""))
    return found


def _plain(text: str) -> str:
    """Return the text of a menu without mnemonic, dots and capitals."""
    return re.sub(r"\(&\w\)|&", "", text).rstrip("…").casefold()


def _shown(kind: type[QDialog]) -> list[QDialog]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, kind) and w.isVisible()]


def activate(window: QWidget) -> None:
    """Activate a window, as the window manager does on a real screen."""
    if not window.isActiveWindow():
        window.activateWindow()
        wait_until(window.isActiveWindow, "the window to get the keys")


class User:
    """A simulated user of the window.

    Parameters
    ----------
    window
        The window, shown.
    quiet
        Returns whether no computation is running.
    """

    def __init__(self, window: QMainWindow, quiet: Callable[[], bool]) -> None:
        self.window = window
        self._quiet = quiet

    # -- input ----------------------------------------------------------------------------------

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        """Click on a widget, in its middle unless `at` is given; scroll it into view first."""
        above = widget.parentWidget()
        while above is not None and not widget.isWindow():
            if isinstance(above, QScrollArea):
                above.ensureWidgetVisible(widget)
            above = above.parentWidget()
        if not (widget.isVisible() and widget.isEnabled()):
            name = widget.accessibleName() or widget.objectName() or type(widget).__name__
            state = "disabled" if widget.isVisible() else "not to be seen"
            raise StepError(f"'{name}' is {state}, so nobody can click on it.")
        activate(widget.window())
        QTest.mouseClick(widget, LEFT, pos=at or widget.rect().center())

    def press(self, keys: str) -> None:
        """Press keys; the widget with the focus receives them."""
        active = QApplication.activeWindow()
        if active is None or not active.isVisible():
            activate(self.window)
        QTest.keySequence(self.focus(), QKeySequence(keys))

    def write(self, text: str) -> None:
        """Type a text; the widget with the focus receives it."""
        QTest.keyClicks(self.focus(), text)

    def replace(self, field: QWidget, text: str) -> None:
        """Click into a field and replace its content by typing."""
        self.click(field)
        self.press("Ctrl+A")
        self.write(text)

    def focus(self) -> QWidget:
        """Return the widget that receives key events."""
        found = QApplication.focusWidget() or QApplication.activeWindow()
        return found or self.window

    def choose(self, box: QComboBox, text: str) -> None:
        """Open a combo box and click on one of its items."""
        shown = (at for at in range(box.count()) if is_said(box.itemText(at), text))
        if (place := next(shown, -1)) < 0:
            offered = ", ".join(box.itemText(i) for i in range(box.count()))
            raise StepError(f"There is no '{text}' to choose, only {offered}.")
        # An editable combo box only opens at its arrow.
        self.click(box, QPoint(box.width() - 8, box.height() // 2))
        view = box.view()
        wait_until(view.isVisible, f"the lines of '{box.accessibleName()}'")
        wait(QApplication.doubleClickInterval() + 50)  # Qt ignores faster clicks as accidental
        index = box.model().index(place, box.modelColumn())
        view.scrollTo(index)
        # an item may be larger than the list
        line = view.visualRect(index) & view.viewport().rect()
        QTest.mouseClick(view.viewport(), LEFT, pos=line.center())
        wait_until(lambda: not view.isVisible(), "the lines to close")

    def menu(self, *path: str) -> None:
        """Click through the menus, by their texts without mnemonics."""
        bar = self.window.menuBar()
        place: QWidget = bar
        for text in path:
            found = next((a for a in place.actions() if is_said(a.text(), text)), None)
            if found is None or not found.isEnabled():
                raise StepError(f"The menu has no '{text}' that can be chosen now.")
            geometry = (
                place.actionGeometry(found)
                if isinstance(place, QMenu)
                else bar.actionGeometry(found)
            )
            QTest.mouseClick(place, LEFT, pos=geometry.center())
            below = found.menu()
            if isinstance(below, QMenu):
                wait_until(below.isVisible, f"the menu '{text}'")
                place = below

    def check(self, tree: QTreeView, name: str) -> None:
        """Click on the check box of a tree item."""
        index = self._line(tree, name)
        tree.scrollTo(index)
        rect = tree.visualRect(index)
        # The box is at the left end of the row and as high as the text.
        QTest.mouseClick(tree.viewport(), LEFT, pos=QPoint(rect.left() + 10, rect.center().y()))

    def pick(self, tree: QTreeView, name: str) -> None:
        """Click on a tree item."""
        index = self._line(tree, name)
        tree.scrollTo(index)
        rect = tree.visualRect(index)
        QTest.mouseClick(tree.viewport(), LEFT, pos=QPoint(rect.left() + 40, rect.center().y()))

    def _line(self, tree: QTreeView, name: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - QModelIndex
        model = tree.model()
        index = model.index(0, 0)
        while index.isValid():
            if index.data() == name:
                return index
            index = tree.indexBelow(index)
        raise StepError(f"The tree shows no '{name}'.")

    def drop(self, path: Path) -> None:
        """Drag a file from another program and drop it on the window."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        middle = self.window.rect().center()
        keys = Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(middle, Qt.DropAction.CopyAction, data, LEFT, keys)
        QApplication.sendEvent(self.window, enter)
        if not enter.isAccepted():
            raise StepError(f"The window does not take {path.name}.")
        drop = QDropEvent(
            QPointF(middle), Qt.DropAction.CopyAction, data, LEFT, keys, QEvent.Type.Drop
        )
        QApplication.sendEvent(self.window, drop)

    def answering(
        self, kind: type[QDialog], answer: Callable[[QDialog], None], do: Callable[[], object]
    ) -> None:
        """Call `do`, which opens a modal dialog immediately or later, and answer the dialog."""
        failed: list[Exception] = []
        answered = False

        def look(tries: int) -> None:
            # Must not wait for the dialog: a nested event loop would only end after the answer.
            nonlocal answered
            if tries and not _shown(kind):
                QTimer.singleShot(STEP_MS, lambda: look(tries - 1))
                return
            try:
                answer(self.dialog(kind))
            except (StepError, OSError, StopIteration) as error:
                failed.append(error)
                for box in QApplication.topLevelWidgets():
                    if isinstance(box, QDialog):
                        box.reject()
            answered = True

        QTimer.singleShot(0, lambda: look(PATIENCE_MS // STEP_MS))
        do()
        wait_until(lambda: answered, "the dialog to be answered")
        if failed:
            raise StepError(str(failed[0])) from failed[0]

    # -- output ---------------------------------------------------------------------------------

    def settle(self) -> None:
        """Wait until the window is idle: everything is computed and painted."""
        resting = 0

        def rests() -> bool:
            nonlocal resting
            resting = resting + STEP_MS if self._quiet() else 0
            return resting >= QUIET_MS

        wait_until(rests, "the window to rest")

    def dialog(self, kind: type[QDialog]) -> QDialog:
        """Wait for a dialog of this type, and return it."""
        wait_until(lambda: _shown(kind), f"a {kind.__name__}")
        (dialog, *_) = _shown(kind)
        activate(dialog)
        return dialog

    def wait_for_end(self, dialog: QDialog) -> None:
        """Wait until a dialog is closed."""
        wait_until(lambda: not dialog.isVisible(), f"'{dialog.windowTitle()}' to close")

    def look(self, *, rests: bool = True) -> QPixmap:
        """Return a picture of the window with its dialogs.

        With `rests` wait until the window is idle; otherwise wait one second.
        """
        if rests:
            self.settle()
        else:
            wait(BUSY_MS)
        picture = self.window.grab()
        # The offscreen platform draws no window frames: add an edge to dialogs.
        edge = self.window.palette().color(QPalette.ColorRole.Dark)
        painter = QPainter(picture)
        # Dialogs opened by other dialogs are in front of them.
        for dialog in sorted(QApplication.topLevelWidgets(), key=_depth):
            if isinstance(dialog, QDialog) and dialog.isVisible():
                painter.fillRect(self.window.rect(), QColor(0, 0, 0, 60))
                size = dialog.size()
                place = QRect(QPoint(0, 0), size)
                place.moveCenter(self.window.rect().center())
                painter.drawPixmap(place, dialog.grab())
                painter.setPen(edge)
                painter.drawRect(place.adjusted(-1, -1, 0, 0))
        painter.end()
        return picture


def _depth(widget: QWidget) -> int:
    above = widget.parentWidget()
    return 0 if above is None else 1 + _depth(above)


class Tour:
    """A run of the main job in a window.

    Parameters
    ----------
    folder
        Receives the pictures and the exported file.
    theme
        Prefix of printed lines.
    language
        Language of the window.
    """

    def __init__(self, folder: Path, theme: str, language: str = "en") -> None:
        self.folder, self.theme = folder, theme
        self.number = self.states = 0
        self.bugs: list[str] = []
        qInstallMessageHandler(self._on_qt_message)
        sys.setswitchinterval(application.SWITCH_INTERVAL_S)
        self.application = application.make_application(["pruneapp"])
        self.application.setCursorFlashTime(0)
        self.application.speak(language)
        settings = Settings()
        settings.store(welcomed=True)  # skip the welcome state
        appearance = ThemeManager(self.application, "light")
        # The offscreen screen has 800 x 800 pixels, to which windows would be limited.
        screen.available = lambda _window: QRect(0, 0, 1920, 1200)
        self.window = MainWindow(settings, appearance)
        self.window.resize(*SIZE)
        self.start = application.Start(self.window, settings, appearance)
        sys.excepthook = self._on_bug
        self.window.show()
        self.window.activateWindow()
        wait_until(lambda: self.start.workbench, "the window to be furnished")
        assert self.start.workbench is not None
        self.bench = self.start.workbench
        self.bench.jobs.failed.connect(self._on_failed)
        self.views = self.bench.views
        self.user = User(self.window, lambda: self.bench.jobs.is_idle)

    def _on_bug(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        self.bugs.append("".join(traceback.format_exception(kind, error, trace)))

    def _on_qt_message(self, kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        # Unsupported features of the offscreen platform are not errors of the window.
        if kind.value and not text.startswith("This plugin does not support"):
            self.bugs.append(f"Qt: {text}")

    def _on_failed(self, _what: str, trace: str) -> None:
        self.bugs.append(trace)

    @contextmanager
    def step(self, name: str, says: str, *, rests: bool = True) -> Iterator[None]:
        """Run a step and save its picture; fail if the window reports a bug.

        With `rests` the picture is taken when the window is idle, otherwise while it is busy.
        """
        self.number += 1
        yield
        self.save(f"{self.number:02}-{name}.png", says, rests=rests)
        if self.bugs:
            raise StepError(f"The window reports a bug in '{name}':\n{self.bugs[0]}")

    def save(self, file: str, says: str, *, rests: bool = True) -> None:
        """Save a picture of the window and print what it shows."""
        path = self.folder / file
        if rests:
            # Counting starts after a delay: an idle window may not have all numbers yet.
            self.user.settle()
            wait_until(lambda: not self.bench.histograms.busy, "the counting to end")
        # The lowest quality is the strongest compression: PNG is lossless.
        if not self.user.look(rests=rests).save(str(path), "PNG", 0):
            raise OSError(f"{path} could not be written.")
        print(f"  {self.theme}/{file}: {says}", flush=True)

    def open(self, call: Callable[[], object]) -> None:
        """Call a function that opens a file, and wait until the file is open."""
        before = self.bench.session.document
        call()
        wait_until(lambda: self.bench.session.document is not before, "the file to be opened")

    def end(self) -> None:
        """Close the file and stop the threads."""
        sys.excepthook = sys.__excepthook__  # what fails from here on must be printed
        self.bench.shut_down()
        self.window.hide()
