"""Somebody with a keyboard and no mouse, who reads what is painted."""

from __future__ import annotations

import re
import threading
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QObject, QPoint, Signal, Slot
from PySide6.QtGui import QAccessible, QColor, QKeySequence
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QMenuBar, QWidget

PATIENCE_S = 60
# So many presses of Tab lead through any window, and of an arrow through any list.
STOPS = 160
ROWS = 80
Role = QAccessible.Role
BUTTONS = frozenset({Role.Button, Role.CheckBox, Role.RadioButton, Role.ButtonMenu})
FIELDS = frozenset({Role.EditableText, Role.SpinBox})
LISTS = frozenset({Role.Tree, Role.Table, Role.List})
PICTURES = frozenset({Role.Client})
_TEXT = "{http://www.w3.org/2000/svg}text"


class Keyboard(QObject):
    """Sends keys to what has the focus, and finds everything by them.

    It works in a thread of its own, see `take`: a key may open a dialog that runs an event loop, in
    which the next key has to be pressed.
    """

    _asked = Signal(object)  # what the main thread is to do

    def __init__(self, person) -> None:
        super().__init__()
        self.person = person
        self._asked.connect(self._obey)

    # Two threads

    def take(self, steps: Callable[..., None], *arguments: object) -> None:
        """Take steps, while the window answers; raises what they raise."""
        raised: list[BaseException] = []

        def run() -> None:
            try:
                steps(self, *arguments)
            except BaseException as error:  # noqa: BLE001 - raised by the thread of the test
                raised.append(error)
                self._asked.emit(_close_dialogs)  # or the test would wait for them

        thread = threading.Thread(target=run, name="keyboard")
        thread.start()
        try:
            self.person.wait(lambda: not thread.is_alive())
        finally:
            thread.join(PATIENCE_S)
        if raised:
            raise raised[0]

    @Slot(object)
    def _obey(self, call: Callable[[], None]) -> None:
        call()

    def ask(self, look: Callable[[], object]):
        """Return what the main thread answers."""
        answered = threading.Event()
        answers: list[object] = []

        def answer() -> None:
            try:
                answers.append(look())
            except BaseException as error:  # noqa: BLE001 - raised by the thread that asked
                answers.append(error)
            answered.set()

        self._asked.emit(answer)
        assert answered.wait(PATIENCE_S), "the window does not answer"
        if isinstance(answers[0], BaseException):
            raise answers[0]
        return answers[0]

    def until(self, found: Callable[[], object], what: str):
        """Wait until the main thread finds something, and return it."""
        deadline = time.monotonic() + PATIENCE_S
        while not (answer := self.ask(found)):
            assert time.monotonic() < deadline, f"not seen: {what}; painted: {self.ask(painted)}"
            time.sleep(0.005)  # the main thread works meanwhile, and does not tell of each change
        return answer

    # Keys

    def press(self, *keys: str) -> None:
        """Press keys, one after another: "Ctrl+Return"."""
        for key in keys:
            self._come_back()
            self._asked.emit(lambda key=key: _press(key))
            self.ask(_nothing)  # of whatever event loop runs by then

    def _come_back(self) -> None:
        """Activate the window in front, as window managers do when another one is closed."""

        def is_there() -> bool:
            if QApplication.activePopupWidget():
                return True
            window = QApplication.activeModalWidget() or self.person.window
            if window.isActiveWindow():
                return True
            window.activateWindow()
            return False

        self.until(is_there, "the window")

    def type(self, text: str) -> None:
        """Type a text in place of what the field with the focus holds."""
        self.press("Ctrl+A", "Del")
        self._come_back()
        self._asked.emit(lambda: QTest.keyClicks(_target(), text))
        self.ask(_nothing)

    def go_to(self, name: str, roles: frozenset[Role]) -> None:
        """Press Tab until something has the focus that is called so, once it can have it."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            for _stop in range(STOPS):
                self._come_back()
                if self.ask(lambda: _role() in roles and _is_called(name)):
                    return
                self.press("Tab")
        raise AssertionError(f"Tab does not lead to '{name}'; painted: {self.ask(painted)}")

    # What journeys are made of

    def command(self, *path: str) -> None:
        """Give a command of the menus by the letters that are underlined."""
        letters = self.ask(lambda: _letters(path))
        self.press(f"Alt+{letters[0]}")
        for letter in letters[1:]:
            self.until(QApplication.activePopupWidget, f"the menu of {path}")
            self.press(letter)

    def push(self, name: str) -> None:
        """Press a button, or the box of a word."""
        self.go_to(name, BUTTONS)
        self.press("Space")

    def fill(self, name: str, text: str) -> None:
        """Put a text into a field."""
        self.go_to(name, FIELDS)
        self.type(text)
        self.press("Tab")

    def choose(self, name: str, item: str) -> None:
        """Choose an item of a box by the beginnings of both."""
        self.go_to(name, frozenset({Role.ComboBox}))
        self._move_to(item, "Home", "Down")

    def _move_to(self, item: str, first: str, following: str) -> None:
        self.press(first)
        for _row in range(ROWS):
            if self.ask(lambda: _current_is(item)):
                return
            self.press(following)
        raise AssertionError(f"there is no '{item}'; painted: {self.ask(painted)}")

    def pick(self, item: str) -> None:
        """Choose one of some radio buttons, by the arrows among those of a group."""
        self._go_among({Role.RadioButton}, item, "Down")
        self.press("Space")  # the first of a group is not chosen by coming there

    def show_tab(self, item: str) -> None:
        """Show a page of a dialog."""
        self._go_among({Role.PageTabList}, item, "Right")

    def _go_among(self, roles: set[Role], item: str, following: str) -> None:
        for _stop in range(STOPS):
            self._come_back()
            seen = set()
            while self.ask(_role) in roles and (name := self.ask(_name)) not in seen:
                if name.startswith(item):
                    return
                seen.add(name)
                self.press(following)
                if self.ask(_name) == name:
                    self.press("Right")  # they stand beside each other
            self.press("Tab")
        raise AssertionError(f"Tab does not lead to '{item}'; painted: {self.ask(painted)}")

    def enter(self, name: str, number: int) -> None:
        """Put a number into a box."""
        self.fill(name, str(number))

    def slide(self, name: str, value: float) -> None:
        """Move a slider to a value."""
        self.go_to(name, frozenset({Role.Slider}))
        self.press("Home")
        for _step in range(STOPS):
            if self.ask(lambda: _focused().valueInterface().currentValue() >= value):
                return
            self.press("Right")
        raise AssertionError(f"'{name}' does not reach {value}")

    def go_to_row(self, name: str, row: str) -> None:
        """Put the cursor on a row of a tree or table, and select it."""
        self.go_to(name, LISTS)
        self._move_to(row, "Home", "Down")

    def turn_to(self, page: str) -> None:
        """Show a page of the middle."""
        self.command("View", page)

    @contextmanager
    def choosing(self, path: Path):
        """Answer the dialog that the block opens by a file."""
        yield
        self.until(
            lambda: _role() in FIELDS and (_is_called("File name") or _is_called("Directory")),
            "a dialog that asks for a file",
        )
        self.type(str(path))
        self.press("Return")

    def sees(self, *texts: str) -> None:
        """Wait until texts are painted in the window in front, in whatever lines."""
        self.until(lambda: all(_packed(text) in _packed(painted()) for text in texts), str(texts))

    def ground(self) -> QColor:
        """Return the color that the window is painted on, left of the picture's tabs."""
        image = self.person.window.grab().toImage()
        return image.pixelColor(image.width() - 3, image.height() - 3)

    def misses(self, *texts: str) -> None:
        """Wait until texts are not painted any more."""
        self.until(lambda: not any(_packed(t) in _packed(painted()) for t in texts), str(texts))


def _nothing() -> None:
    pass


def _close_dialogs() -> None:
    while (dialog := QApplication.activeModalWidget()) is not None:
        dialog.close()
        if QApplication.activeModalWidget() is dialog:
            break


def _target() -> QWidget:
    """Where the system sends keys to."""
    popup = QApplication.activePopupWidget()
    if popup is not None:
        return popup.focusWidget() or popup
    return QApplication.focusWidget() or QApplication.activeWindow() or _main_window()


def _main_window() -> QWidget:
    return next(w for w in QApplication.topLevelWidgets() if isinstance(w, QMainWindow))


def _press(text: str) -> None:
    combined = QKeySequence(text)[0]
    QTest.keyClick(_target(), combined.key(), combined.keyboardModifiers())


def is_entry(shown: str, text: str) -> bool:
    """Whether an entry of a menu is the one of a text: "Undo L1 25 %" is "Undo"."""
    return shown.rstrip("…") == text or (text in {"Undo", "Redo"} and shown.startswith(text))


def _letters(path: tuple[str, ...]) -> list[str]:
    """The letters underlined in a menu and its entries."""
    bar = _main_window().findChild(QMenuBar)
    actions, letters = bar.actions(), []
    for text in path:
        named = [a for a in actions if is_entry(a.text().replace("&", ""), text)]
        assert named, f"no '{text}' among {[a.text() for a in actions]}"
        assert named[0].isEnabled(), f"'{text}' is dimmed"
        letters.append(_letter(named[0].text()))
        alike = [a for a in actions if letters[-1] == _letter(a.text())]
        assert letters[-1], f"'{text}' has no letter"
        assert len(alike) == 1, f"'{text}' shares its letter with {[a.text() for a in alike]}"
        actions = named[0].menu().actions() if named[0].menu() is not None else []
    return letters


def _letter(text: str) -> str:
    return QKeySequence.mnemonic(text).toString().removeprefix("Alt+")


def _focused():
    return QAccessible.queryAccessibleInterface(_target())


def _role() -> Role | None:
    found = _focused()
    return None if found is None else found.role()


def _is_called(name: str) -> bool:
    """Whether what has the focus is called so: itself, by what describes it, or by a label."""
    found = _focused()
    texts = [found.text(QAccessible.Text.Name), found.text(QAccessible.Text.Description)]
    for label, _kind in found.relations(QAccessible.RelationFlag.Label):
        texts.append(label.text(QAccessible.Text.Name))
    return any(text.replace("&", "").startswith(name) for text in texts)


def _current_is(item: str) -> bool:
    return _name().startswith(item)


def _name() -> str:
    """How the item is called that the cursor is on: a row, a tab, an entry of a box."""
    found = _focused()
    child = found.focusChild()
    if child is not None and child.isValid() and found.role() in LISTS:
        found = child
    return found.text(QAccessible.Text.Name).replace("&", "")


def _packed(text: str) -> str:
    """Leave out spaces: lines are broken anywhere, and words with a mnemonic are painted apart."""
    return re.sub(r"[\s\u00a0\u200b]+", "", text)


def painted() -> str:
    """All text of the window in front as it is painted, elided where there is no room for it."""
    window = QApplication.activeModalWidget() or _main_window()
    data = QByteArray()
    buffer = QBuffer(data)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(window.size())
    window.render(generator, QPoint(0, 0))
    root = ET.fromstring(bytes(data.data()))
    # The title is painted by the system.
    return " ".join((window.windowTitle(), *(node.text or "" for node in root.iter(_TEXT))))
