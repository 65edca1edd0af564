"""A simulated user who has a keyboard and no mouse, and reads the painted text."""

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
# Upper bounds: Tab presses through any window, and arrow presses through any list.
STOPS = 160
ROWS = 80
Role = QAccessible.Role
BUTTONS = frozenset({Role.Button, Role.CheckBox, Role.RadioButton, Role.ButtonMenu})
FIELDS = frozenset({Role.EditableText, Role.SpinBox})
LISTS = frozenset({Role.Tree, Role.Table, Role.List})
PICTURES = frozenset({Role.Client})
_TEXT = "{http://www.w3.org/2000/svg}text"


class Keyboard(QObject):
    """Sends keys to the widget that has the focus, and finds every widget by them.

    It works in its own thread, see `take`: a key may open a dialog with a nested event loop, in
    which the next key has to be pressed.
    """

    _asked = Signal(object)  # a function to call on the main thread

    def __init__(self, user) -> None:
        super().__init__()
        self.user = user
        self._asked.connect(self._obey)

    # Two threads

    def take(self, steps: Callable[..., None], *arguments: object) -> None:
        """Run `steps` in a thread while the event loop runs; raise what it raises."""
        raised: list[BaseException] = []

        def run() -> None:
            try:
                steps(self, *arguments)
            except BaseException as error:  # noqa: BLE001 - raised by the thread of the test
                raised.append(error)
                self._asked.emit(_close_dialogs)  # so that the test does not wait for them

        thread = threading.Thread(target=run, name="keyboard")
        thread.start()
        try:
            self.user.wait(lambda: not thread.is_alive())
        finally:
            thread.join(PATIENCE_S)
        if raised:
            raise raised[0]

    @Slot(object)
    def _obey(self, call: Callable[[], None]) -> None:
        call()

    def ask(self, look: Callable[[], object]):
        """Call a function on the main thread, and return its result or raise its exception."""
        answered = threading.Event()
        answers: list[object] = []

        def answer() -> None:
            try:
                answers.append(look())
            except BaseException as error:  # noqa: BLE001 - raised by the thread that asked
                answers.append(error)
            answered.set()

        self._asked.emit(answer)
        assert answered.wait(PATIENCE_S), "the main thread does not answer"
        if isinstance(answers[0], BaseException):
            raise answers[0]
        return answers[0]

    def until(self, found: Callable[[], object], what: str):
        """Call `found` on the main thread until it returns a true value, and return that.

        Fails after `PATIENCE_S` with what is painted then.
        """
        deadline = time.monotonic() + PATIENCE_S
        while not (answer := self.ask(found)):
            assert time.monotonic() < deadline, f"not seen: {what}; painted: {self.ask(painted)}"
            time.sleep(0.005)  # polling: the main thread sends no signal for every change
        return answer

    # Keys

    def press(self, *keys: str) -> None:
        """Press keys or combinations such as "Ctrl+Return", one after another."""
        for key in keys:
            self._come_back()
            self._asked.emit(lambda key=key: _press(key))
            self.ask(_nothing)  # wait for whichever event loop runs by then

    def _come_back(self) -> None:
        """Activate the front window, as window managers do when another one is closed."""

        def is_there() -> bool:
            if QApplication.activePopupWidget():
                return True
            window = QApplication.activeModalWidget() or self.user.window
            if window.isActiveWindow():
                return True
            window.activateWindow()
            return False

        self.until(is_there, "the window")

    def type(self, text: str) -> None:
        """Replace the text of the field that has the focus."""
        self.press("Ctrl+A", "Del")
        self._come_back()
        self._asked.emit(lambda: QTest.keyClicks(_target(), text))
        self.ask(_nothing)

    def go_to(self, name: str, roles: frozenset[Role]) -> None:
        """Press Tab until a widget of a role and name has the focus. Fails at the timeout."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            for _stop in range(STOPS):
                self._come_back()
                if self.ask(lambda: _role() in roles and _is_called(name)):
                    return
                self.press("Tab")
        raise AssertionError(f"Tab does not lead to '{name}'; painted: {self.ask(painted)}")

    # Actions of journeys

    def command(self, *path: str) -> None:
        """Trigger a menu entry by the underlined letters of its path."""
        letters = self.ask(lambda: _letters(path))
        self.press(f"Alt+{letters[0]}")
        for letter in letters[1:]:
            self.until(QApplication.activePopupWidget, f"the menu of {path}")
            self.press(letter)

    def push(self, name: str) -> None:
        """Press a button, or toggle a check box or radio button."""
        self.go_to(name, BUTTONS)
        self.press("Space")

    def fill(self, name: str, text: str) -> None:
        """Replace the text of a field."""
        self.go_to(name, FIELDS)
        self.type(text)
        self.press("Tab")

    def choose(self, name: str, item: str) -> None:
        """Choose an item of a combo box by the beginnings of both names."""
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
        """Choose a radio button with the arrow keys of its group."""
        self._go_among({Role.RadioButton}, item, "Down")
        self.press("Space")  # focusing the first button of a group does not check it

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
                    self.press("Right")  # the buttons are in a row
            self.press("Tab")
        raise AssertionError(f"Tab does not lead to '{item}'; painted: {self.ask(painted)}")

    def enter(self, name: str, number: int) -> None:
        """Enter a number into a spin box."""
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
        """Move the cursor to a row of a tree or table, which selects it."""
        self.go_to(name, LISTS)
        self._move_to(row, "Home", "Down")

    def turn_to(self, page: str) -> None:
        """Show a page of the central area."""
        self.command("View", page)

    @contextmanager
    def choosing(self, path: Path):
        """Enter a path into the file dialog that the block opens."""
        yield
        self.until(
            lambda: _role() in FIELDS and (_is_called("File name") or _is_called("Directory")),
            "a dialog that asks for a file",
        )
        self.type(str(path))
        self.press("Return")

    def sees(self, *texts: str) -> None:
        """Wait until texts are painted in the front window, across line breaks."""
        self.until(lambda: all(_packed(text) in _packed(painted()) for text in texts), str(texts))

    def ground(self) -> QColor:
        """Return the background color of the window, from a pixel near its lower right corner."""
        image = self.user.window.grab().toImage()
        return image.pixelColor(image.width() - 3, image.height() - 3)

    def misses(self, *texts: str) -> None:
        """Wait until texts are no longer painted."""
        self.until(lambda: not any(_packed(t) in _packed(painted()) for t in texts), str(texts))


def _nothing() -> None:
    pass


def _close_dialogs() -> None:
    while (dialog := QApplication.activeModalWidget()) is not None:
        dialog.close()
        if QApplication.activeModalWidget() is dialog:
            break


def _target() -> QWidget:
    """Return the widget to which the system sends keys."""
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
    """Return whether a menu entry has a name; "Undo L1 25 %" has the name "Undo"."""
    return shown.rstrip("…") == text or (text in {"Undo", "Redo"} and shown.startswith(text))


def _letters(path: tuple[str, ...]) -> list[str]:
    """Return the underlined letters of a path of menus. Fails if one is missing or ambiguous."""
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
    """Return whether name, description or label of the focused widget start with `name`."""
    found = _focused()
    texts = [found.text(QAccessible.Text.Name), found.text(QAccessible.Text.Description)]
    for label, _kind in found.relations(QAccessible.RelationFlag.Label):
        texts.append(label.text(QAccessible.Text.Name))
    return any(text.replace("&", "").startswith(name) for text in texts)


def _current_is(item: str) -> bool:
    return _name().startswith(item)


def _name() -> str:
    """Return the name of the current item (row, tab, item of a combo box) of the focused widget."""
    found = _focused()
    child = found.focusChild()
    if child is not None and child.isValid() and found.role() in LISTS:
        found = child
    return found.text(QAccessible.Text.Name).replace("&", "")


def _packed(text: str) -> str:
    """Return a text without spaces, which are lost at line breaks and around mnemonics."""
    return re.sub(r"[\s\u00a0\u200b]+", "", text)


def painted() -> str:
    """Return the text of the front window as painted, elided where there is no room for it."""
    window = QApplication.activeModalWidget() or _main_window()
    data = QByteArray()
    buffer = QBuffer(data)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(window.size())
    window.render(generator, QPoint(0, 0))
    root = ET.fromstring(bytes(data.data()))
    # The system paints the title.
    return " ".join((window.windowTitle(), *(node.text or "" for node in root.iter(_TEXT))))
