"""A simulated user who clicks widgets, presses keys, drops files and answers questions."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, QPointF, QRect, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QMenu,
    QMessageBox,
    QScrollArea,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from pruneapp.evaluation.metric import MeasuredState, MetricChange, StateQuality
from pruneapp.evaluation.scan import Sensitivity, TensorSensitivity
from pruneapp.gui.application import Launcher, Start
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.tree.columns import Column

LEFT = Qt.MouseButton.LeftButton
# Timeout for any state to be reached: a test may share its machine with others.
PATIENCE_MS = 60_000


class User:
    """Operates a window through its widgets alone.

    Parameters
    ----------
    qtbot, monkeypatch
        The fixtures of pytest.
    launcher
        Opens and lists the windows of the process.
    start
        Start of the application for the window, which may not have finished.
    """

    def __init__(self, qtbot, monkeypatch, launcher: Launcher, start: Start) -> None:
        self.qtbot = qtbot
        self.monkeypatch = monkeypatch
        self.launcher = launcher
        self.window = start.window
        self.start = start
        self.bugs: list[tuple[str, str]] = []
        start.ready.connect(self._on_ready)

    def _on_ready(self, workbench) -> None:
        workbench.jobs.failed.connect(self._on_bug)

    def _on_bug(self, what: str, trace: str) -> None:
        self.bugs.append((what, trace))

    def at_window(self, number: int) -> User:
        """Wait for the window with an index in the process, and return a `User` at it."""
        self.wait(lambda: len(self.launcher.starts) > number)
        start = self.launcher.starts[number]
        return User(self.qtbot, self.monkeypatch, self.launcher, start).wait_ready()

    def open_beside(self, path: Path) -> User:
        """Open a file in a second window, and return a `User` at that."""
        self.chooses_file(path)
        self.key("Ctrl+Shift+N")
        beside = self.at_window(1)
        beside.wait_open(path)
        return beside

    # Objects behind the window

    @property
    def workbench(self):
        assert self.start.workbench is not None, "the window is not ready"
        return self.start.workbench

    @property
    def views(self):
        return self.workbench.views

    @property
    def session(self):
        return self.workbench.session

    @property
    def document(self):
        return self.session.document

    @property
    def rule(self):
        """Settings of the method that is selected in the form."""
        return self.views.form.shown

    @property
    def button(self):
        """The main button of the preview panel."""
        return self.views.preview.action.button

    # Waiting

    def wait(self, condition, timeout: int = PATIENCE_MS) -> None:
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=timeout)

    def pause(self, milliseconds: int) -> None:
        self.qtbot.wait(milliseconds)

    def wait_ready(self) -> User:
        """Wait until the window is ready, and return this object."""
        self.wait(lambda: self.start.workbench is not None)
        return self

    def wait_open(self, path: Path) -> None:
        self.wait(lambda: self.document is not None and self.document.checkpoint.path == path)
        assert self.window.windowTitle() == f"{path.name} — Pruneapp", self.window.windowTitle()

    def wait_preview(self):
        """Wait for the exact preview of the form's current settings, and return its report."""
        forecasting = self.workbench.preview
        self.pause(40)  # check marks are applied after a delay
        self.ask()
        self.wait(lambda: forecasting.state.preview is not None)
        return forecasting.state.preview.report

    def prune(self) -> None:
        """Prune with the form's current settings, and wait for the step."""
        steps = len(self.states)
        self.wait_preview()
        self.click(self.button)
        self.wait(lambda: len(self.states) == steps + 1)

    def show_quality(self) -> None:
        """Fill the pages Quality and Sensitivity with made-up measurements of two states."""
        rows = (
            TensorSensitivity("a.weight", "a", 12, (0.98, 0.9)),
            TensorSensitivity("b.weight", "b", 10, (0.9, None)),
        )
        self.views.pages.picture(Page.SENSITIVITY).set_sensitivity(
            Sensitivity(
                ("accuracy",), "accuracy", True, 0.99, 0.01, (0.3, 0.5), rows, "L1 unstructured"
            )
        )
        self.views.pages.picture(Page.QUALITY).set_states(
            [
                MeasuredState(
                    number,
                    label,
                    StateQuality(
                        (MetricChange("accuracy", value, 0.99, 0.01, "", higher=True),), sparsity
                    ),
                    is_old=False,
                )
                for number, (label, value, sparsity) in enumerate(
                    (("Opened", 0.99, 0.0), ("L1 20 %", 0.9, 0.2))
                )
            ],
            0,
            "",
        )

    def wait_idle(self) -> None:
        self.wait(lambda: not self.workbench.jobs._pending)

    # Mouse

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        """Click a point of a widget, its center by default. Fails if it is hidden or disabled.

        Waits until nothing covers the point.
        """
        assert widget.isVisible(), f"{widget} is not shown"
        assert widget.isEnabled(), f"{widget} is not enabled"
        self.wait(lambda: is_in_sight(widget, at))
        at = widget.rect().center() if at is None else at
        self.qtbot.mouseClick(widget, LEFT, pos=at)

    def click_cell(self, name: str, *, check: bool = False) -> None:
        """Click a row of the tree, or its check box, by the name of a tensor or module."""
        tree = self.views.tree
        index = tree.model.index_of(node_named(tree, name))
        assert index.isValid(), f"{name} is not in the tree"
        above = index.parent()
        while above.isValid():
            tree.view.setExpanded(above, True)
            above = above.parent()
        tree.view.scrollTo(index)
        rect = tree.view.visualRect(index)
        self.click(tree.view.viewport(), box_of(tree.view, index) if check else rect.center())

    def check(self, name: str) -> None:
        """Click the check box of a tensor or module."""
        self.click_cell(name, check=True)

    def menu(self, *path: str) -> None:
        """Click through the menus by their texts, without mnemonics and the final "…"."""
        bar = self.window.menuBar()
        entry = _named(bar.actions(), path[0])
        place = bar.actionGeometry(entry)
        self.qtbot.mouseClick(bar, LEFT, pos=place.center())
        menu = entry.menu()
        for depth, text in enumerate(path[1:], 1):
            self.wait(menu.isVisible)
            action = _named(menu.actions(), text)
            assert action.isEnabled(), f"{text} is not enabled"
            self.qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
            if depth < len(path) - 1:
                inner = action.menu()
                assert isinstance(inner, QMenu)
                menu = inner

    def choose(self, box: QComboBox, text: str) -> None:
        """Choose the item of a combo box that starts with `text`, in its list."""
        place = next(i for i in range(box.count()) if box.itemText(i).startswith(text))
        reveal(box)
        self.qtbot.keyClick(box, Qt.Key.Key_F4)
        view = box.view()
        self.wait(view.isVisible)
        index = view.model().index(place, 0)
        view.scrollTo(index)
        self.qtbot.mouseMove(view.viewport(), view.visualRect(index).center())
        # A combo box ignores clicks for a moment after its list is shown.
        self.pause(QApplication.doubleClickInterval() // 4)
        self.qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())
        if view.isVisible():
            self.qtbot.keyClick(view, Qt.Key.Key_Return)
        self.wait(lambda: not view.isVisible())
        assert box.currentText().startswith(text)

    def _come_back(self) -> None:
        """Activate the window, as window managers do when a menu or dialog is closed."""
        if QApplication.activePopupWidget() is None and QApplication.activeModalWidget() is None:
            self.window.activateWindow()
            self.wait(self.window.isActiveWindow)

    def drop(self, *paths: Path, ctrl: bool = False) -> bool:
        """Drop files onto the center of the window. Return False if the window refuses them."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        place = self.window.rect().center()
        target = self.window.childAt(place) or self.window
        at = QPointF(target.mapFrom(self.window, place))
        held = Qt.KeyboardModifier.ControlModifier if ctrl else Qt.KeyboardModifier.NoModifier
        arguments = (data, LEFT, held)
        enter = QDragEnterEvent(at.toPoint(), Qt.DropAction.CopyAction, *arguments)
        QCoreApplication.sendEvent(target, enter)
        if not enter.isAccepted():
            return False
        QCoreApplication.sendEvent(target, QDropEvent(at, Qt.DropAction.CopyAction, *arguments))
        return True

    # Keys

    def key(self, text: str, widget: QWidget | None = None) -> None:
        """Press a key or a combination such as "Ctrl+Return", in `widget` or where the focus is."""
        self._come_back()
        combined = QKeySequence(text)[0]
        target = widget or QApplication.focusWidget() or self.window
        self.qtbot.keyClick(target, combined.key(), combined.keyboardModifiers())

    def type(self, widget: QWidget, text: str) -> None:
        """Click into a field and replace its text."""
        self.click(widget)
        self.key("Ctrl+A", widget)
        self.key("Del", widget)
        self.qtbot.keyClicks(widget, text)

    def filter(self, text: str) -> None:
        """Type into the filter of the tree."""
        self.key("Ctrl+F")
        field = self.views.tree.tree_filter.text
        assert QApplication.focusWidget() is field
        self.key("Ctrl+A", field)
        self.key("Del", field)
        self.qtbot.keyClicks(field, text)
        self.pause(160)  # large trees are filtered after a pause in typing

    def ask(self) -> None:
        """Wait until the step of the form is requested after a file was opened."""
        self.wait(lambda: not self.workbench.form._opened.isActive())

    def ask_amount(self, text: str) -> None:
        """Type an amount into the form."""
        self.type(self.rule.fields.editors["amount"].field, text)

    # Dialogs

    def chooses_file(self, path: Path | str, dialog: str = "getOpenFileName") -> None:
        """Make file dialogs return `path`, from now on."""
        folder = dialog == "getExistingDirectory"
        answer = str(path) if folder else (str(path), "")
        self.monkeypatch.setattr(QFileDialog, dialog, staticmethod(lambda *_a, **_k: answer))

    def open(self, path: Path) -> None:
        """Open a file by Ctrl+O, without waiting for it."""
        self.chooses_file(path)
        self.key("Ctrl+O")

    def open_file(self, path: Path) -> User:
        """Open a file by Ctrl+O, wait until it is open, and return this object."""
        self.open(path)
        self.wait_open(path)
        return self

    def save_session(self, path: Path) -> None:
        """Save a session by Ctrl+S, and wait until it is written."""
        self.chooses_file(path, "getSaveFileName")
        self.key("Ctrl+S", self.window)
        self.wait(path.exists)
        self.wait_idle()

    def answers(self, *buttons: str) -> list[str]:
        """Click these buttons in the next questions; return a list that collects their texts."""
        asked: list[str] = []
        waiting = list(buttons)
        timer = QTimer(self.window)
        timer.setInterval(5)

        def look() -> None:
            box = QApplication.activeModalWidget()
            if not isinstance(box, QMessageBox) or not waiting:
                return
            wanted = waiting.pop(0)
            asked.append(f"{box.text()} {box.informativeText()}")
            found = [b for b in box.buttons() if b.text().replace("&", "") == wanted]
            if not waiting:
                timer.stop()
            # Close a box without the button, so that the test fails instead of blocking.
            box.reject() if not found else self.qtbot.mouseClick(found[0], LEFT)
            assert found, f"no button {wanted!r} among {[b.text() for b in box.buttons()]}"

        timer.timeout.connect(look)
        timer.start()
        return asked

    # Texts in the window

    @property
    def notices(self) -> list[str]:
        """The notices, the newest first."""
        return [notice.sentence.text() for notice in self.window.notices.notices]

    @property
    def trouble(self) -> list[str]:
        """The notices that report errors or warnings, the newest first."""
        return [n.sentence.text() for n in self.window.notices.notices if n.content[3]]

    @property
    def states(self) -> list[str]:
        """The labels of the states, by number."""
        states = self.views.history.tree.states
        return [str(states.index_of(state).data()) for state in range(len(states.items))]

    def click_state(self, number: int) -> None:
        """Click a state in the history."""
        tree = self.views.history.tree
        index = tree.states.index_of(number)
        tree.scrollTo(index)
        self.click(tree.viewport(), tree.visualRect(index).center())

    def cell(self, name: str, column: Column) -> str:
        """Return the text of a column of the tree for a tensor or module, with ordinary spaces."""
        tree = self.views.tree
        return plain(tree.model.index_of(node_named(tree, name), column).data())

    # Export

    def open_export(self):
        """Open the export dialog by Ctrl+E, and return it."""
        exporting = self.workbench.export
        self.key("Ctrl+E")
        self.wait(lambda: exporting.dialog is not None and exporting.dialog.isVisible())
        return exporting.dialog

    def export(self, path: Path, form: str = "safetensors"):
        """Export by the dialog; return its open report dialog, or None after an error."""
        exporting = self.workbench.export
        self.click(self.window.export_button)
        self.wait(lambda: exporting.dialog is not None and exporting.dialog.isVisible())
        dialog = exporting.dialog
        radio = dialog.formats.radios[form]
        self.click(radio, QPoint(8, radio.height() // 2))
        self.type(dialog.target.path, str(path))
        self.click(dialog.go)
        self.wait(lambda: exporting.report is not None or bool(self.trouble))
        return exporting.report

    def close_report(self) -> None:
        report = self.workbench.export.report
        self.click(report.close_button)
        self.wait(lambda: self.workbench.export.report is None)


def plain(text: str) -> str:
    """Return a text with ordinary spaces."""
    return str(text).replace("\u00a0", " ")


def node_named(tree, name: str) -> int:
    """Return the node of a tensor by its name in the file, or of a module by its visible path."""
    nodes = tree.model.nodes
    for number, row in enumerate(nodes.rows):
        if row.name == name:
            return int(nodes.leaf[number])
    assert name in nodes.paths, f"no tensor or module {name}"
    return int(nodes.paths.index(name))


def box_of(view, index) -> QPoint:
    """Return the center of an item's check box in viewport coordinates."""
    option = QStyleOptionViewItem()
    view.initViewItemOption(option)
    option.rect = view.visualRect(index)
    view.itemDelegateForIndex(index).initStyleOption(option, index)
    box: QRect = view.style().subElementRect(
        QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, view
    )
    assert box.isValid(), "this row has no check box"
    return box.center()


def is_in_sight(widget: QWidget, at: QPoint | None = None) -> bool:
    """Scroll to a point of a widget, its center by default; return whether nothing covers it."""
    reveal(widget)
    top = widget.window()
    there = top.childAt(widget.mapTo(top, widget.rect().center() if at is None else at))
    return there is not None and (there is widget or widget.isAncestorOf(there))


def reveal(widget: QWidget) -> None:
    """Scroll all areas around a widget so that it is visible."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(widget)
        above = above.parentWidget()


def _named(actions, text: str):
    for action in actions:
        if action.text().replace("&", "").rstrip("…") == text:
            return action
    raise AssertionError(f"no {text!r} among {[a.text() for a in actions]}")
