"""Input actions on a window: an act is a dict of plain values, so that it can be logged."""

from __future__ import annotations

from typing import Any

import shiboken6
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMainWindow, QMenu, QWidget

from tests.gui.mouse_wheel import turn_wheel

Act = dict[str, Any]
NO_KEYS = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


class MissingError(Exception):
    """The widget or menu of an act does not exist: the window differs from the recorded run."""


# -- names of widgets --------------------------------------------------------------------------


def tops() -> list[QWidget]:
    """Return the windows that accept input: the popup, or else the modal dialog, or else all."""
    popup = QApplication.activePopupWidget()
    if popup is not None:
        return [popup]
    modal = QApplication.activeModalWidget()
    if modal is not None:
        return [modal]
    return [w for w in QApplication.topLevelWidgets() if w.isVisible() and _is_window(w)]


def _is_window(widget: QWidget) -> bool:
    kind = widget.windowType()
    return kind not in {Qt.WindowType.ToolTip, Qt.WindowType.SplashScreen, Qt.WindowType.Popup}


def path_of(widget: QWidget) -> list[str]:
    """Return the path of a widget from its window: type and index among siblings of its type."""
    steps: list[str] = []
    while not widget.isWindow():
        parent = widget.parentWidget()
        like = [c for c in parent.children() if type(c) is type(widget)]
        steps.append(f"{type(widget).__name__}:{like.index(widget)}")
        widget = parent
    like = [w for w in tops() if type(w) is type(widget)]
    steps.append(f"{type(widget).__name__}:{like.index(widget) if widget in like else 0}")
    return steps[::-1]


def find(path: list[str]) -> QWidget:
    """Return the widget at a path; raise `MissingError` if there is none."""
    first, *rest = path
    found = _pick([w for w in tops() if type(w).__name__ == first.partition(":")[0]], first)
    for step in rest:
        like = [c for c in found.children() if type(c).__name__ == step.partition(":")[0]]
        found = _pick([c for c in like if isinstance(c, QWidget)], step)
    if not (found.isVisible() and found.isEnabled()):
        raise MissingError(path)
    return found


def _pick(like: list[QWidget], step: str) -> QWidget:
    number = int(step.partition(":")[2])
    if number >= len(like):
        raise MissingError(step)
    return like[number]


def entries(menu: QMenu) -> list[QAction]:
    """Return the visible entries of a menu, without separators."""
    return [a for a in menu.actions() if a.isVisible() and not a.isSeparator()]


def label_of(widget: QWidget) -> str:
    """Return a readable name of a widget."""
    name = widget.accessibleName() or widget.objectName()
    if name.startswith("qt_"):  # an internal part of a named widget
        name = f"in {widget.parentWidget().accessibleName()}"
    if not name and isinstance(widget, QAbstractButton):
        name = widget.text()
    if not name and widget.parentWidget() is not None and not widget.isWindow():
        name = f"in {widget.parentWidget().accessibleName()}"
    return f"{type(widget).__name__} {name[:60]}".strip()


# -- doing -------------------------------------------------------------------------------------


def do(act: Act, window: QMainWindow) -> None:
    """Do an act; raise `MissingError` if that is impossible."""
    DOING[act["do"]](act, window)


def _place(act: Act) -> tuple[QWidget, QPoint]:
    widget = find(act["at"])
    x, y = act["place"]
    return widget, QPoint(min(x, widget.width() - 1), min(y, widget.height() - 1))


def _modifiers(act: Act) -> Qt.KeyboardModifier:
    return Qt.KeyboardModifier(act.get("with", 0))


def _click(act: Act, _window: QMainWindow) -> None:
    widget, at = _place(act)
    button = Qt.MouseButton(act.get("button", LEFT.value))
    if act.get("double"):
        QTest.mouseDClick(widget, button, _modifiers(act), at)
    else:
        QTest.mouseClick(widget, button, _modifiers(act), at)


def _hover(act: Act, _window: QMainWindow) -> None:
    widget, at = _place(act)
    QTest.mouseMove(widget, at)


def _drag(act: Act, _window: QMainWindow) -> None:
    widget, at = _place(act)
    x, y = act["to"]
    keys, steps = _modifiers(act), act["steps"]
    QTest.mousePress(widget, LEFT, keys, at)
    for step in range(1, steps + 1):
        way = step / steps
        point = QPoint(round(at.x() + (x - at.x()) * way), round(at.y() + (y - at.y()) * way))
        if not shiboken6.isValid(widget):
            return
        _move(widget, point, keys)
    if shiboken6.isValid(widget):
        QTest.mouseRelease(widget, LEFT, keys, QPoint(x, y))


def _move(widget: QWidget, point: QPoint, keys: Qt.KeyboardModifier) -> None:
    place = QPointF(point)
    whole = QPointF(widget.mapToGlobal(point))
    event = QMouseEvent(QEvent.Type.MouseMove, place, whole, LEFT, LEFT, keys)
    QApplication.sendEvent(widget, event)


def _menu(act: Act, _window: QMainWindow) -> None:
    widget, at = _place(act)
    reason = QContextMenuEvent.Reason(act["reason"])
    QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))


def _choose(act: Act, _window: QMainWindow) -> None:
    menu = tops()[0]
    if not isinstance(menu, QMenu):
        raise MissingError("a menu")
    there = entries(menu)
    if act["entry"] >= len(there):
        raise MissingError("an entry")
    QTest.mouseClick(menu, LEFT, NO_KEYS, menu.actionGeometry(there[act["entry"]]).center())


def _wheel(act: Act, _window: QMainWindow) -> None:
    widget, at = _place(act)
    turn_wheel(widget, act["steps"], at)


def focus() -> QWidget:
    """Return the widget that receives keys."""
    here = tops()
    found = QApplication.focusWidget()
    if found is not None and found.isVisible() and found.window() in here:
        return found
    if not here:
        raise MissingError("a window")
    return here[0].focusWidget() or here[0]


def _keys(act: Act, _window: QMainWindow) -> None:
    for combination in QKeySequence(act["keys"]):  # type: ignore[attr-defined]  # a sequence in C++
        QTest.keyClick(focus(), combination.key(), combination.keyboardModifiers())


def _type(act: Act, _window: QMainWindow) -> None:
    for letter in act["text"]:
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            key = ord(letter.upper()) if letter.isascii() else 0
            QApplication.sendEvent(focus(), QKeyEvent(kind, key, NO_KEYS, letter))


def _paste(act: Act, _window: QMainWindow) -> None:
    QGuiApplication.clipboard().setText(act["text"] * act.get("times", 1))
    _keys({"keys": "Ctrl+V"}, _window)


def _drop(act: Act, window: QMainWindow) -> None:
    if window not in tops():
        raise MissingError("the window")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in act["paths"]])
    if "text" in act:
        data.setText(act["text"])
    at, copy = window.rect().center(), Qt.DropAction.CopyAction
    enter = QDragEnterEvent(at, copy, data, LEFT, NO_KEYS)
    QApplication.sendEvent(window, enter)
    if not enter.isAccepted() or act.get("away"):
        QApplication.sendEvent(window, QDragLeaveEvent())
        return
    QApplication.sendEvent(window, QDropEvent(QPointF(at), copy, data, LEFT, NO_KEYS))


def _resize(act: Act, window: QMainWindow) -> None:
    here = tops()
    (here[0] if here and act.get("dialog") else window).resize(*act["size"])


def _trigger(act: Act, window: QMainWindow) -> None:
    if QApplication.activeModalWidget() is not None:
        raise MissingError("the window")
    window.actions_[act["name"]].trigger()  # type: ignore[attr-defined]  # of MainWindow


def _close(_act: Act, _window: QMainWindow) -> None:
    here = tops()
    if here:
        here[0].close()


def _leave(_act: Act, window: QMainWindow) -> None:
    """Deactivate the window and activate it again."""
    top = (tops() or [window])[0]
    for kind in (QEvent.Type.WindowDeactivate, QEvent.Type.WindowActivate):
        QApplication.sendEvent(top, QEvent(kind))
    top.activateWindow()


def _rest(_act: Act, _window: QMainWindow) -> None:
    """Do nothing: the act consists of its pause."""


DOING = {
    name: globals()[f"_{name}"]
    for name in "click hover drag menu choose wheel keys type paste drop resize trigger close leave"
    " rest".split()
}
