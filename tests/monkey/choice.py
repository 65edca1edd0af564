"""Random choice of the next act."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from PySide6 import QtWidgets
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QMainWindow, QMenu, QWidget

from pruneapp.gui.commands.declarations import COMMANDS
from pruneapp.gui.commands.palette import CommandPalette
from tests.monkey import actions
from tests.monkey.actions import Act
from tests.monkey.files import Files

SHORTCUTS = sorted({key for spec in COMMANDS for key in spec.keys})
PLAIN_KEYS = (
    "Tab Shift+Tab Up Down Left Right Return Enter Esc Space Home End PgUp PgDown Backspace Del"
    " Ctrl+A Ctrl+C Ctrl+X Ctrl+V Shift+Up Shift+Down Shift+Left Shift+Right Ctrl+Home Ctrl+End"
    " + - 0 1 2 3 4 5 [ ] ? M F F2 F6 F10 Alt+Down Menu Alt+F Alt+E Alt+V Alt+P Ctrl+Space"
    " Ctrl+Left Ctrl+Shift+End * /"
).split()
# No slashes: a typed path stays in its folder.
TEXTS = [
    *"0 1 5 50 33.3 99.9 100 100% 1e3 -4 1,000 0.5 nan 2:4 1:8 17:3 : inf 1e999 conv".split(),
    *"weight fc* layer.1 [ (? * Größe 日本語 🦊🦊 \u202eabc e\u0301 '\" <b>x</b> %s{} &&".split(),
    *("12 %", "9" * 30, "a" * 40),
]
# Search texts for the command palette.
SOUGHT = [*"prune session recipe theme random l1 compare mask export".split(), "turn o"]
LONG = ("x" * 50, "weight ", "9", "層.", "é\u0301")
SIZES = ((720, 480), (960, 600), (1024, 700), (1280, 800), (1600, 900), (1900, 1150), (721, 1100))
_SHIFT = Qt.KeyboardModifier.ShiftModifier.value
_CONTROL = Qt.KeyboardModifier.ControlModifier.value
HELD = (0,) * 8 + (_SHIFT, _SHIFT, _CONTROL, _SHIFT | _CONTROL)
# Longer pauses let each act finish; short ones overlap with running jobs.
PAUSES_MS = (0, 0, 0, 0, 0, 1, 1, 2, 5, 10, 30, 80)


def _sequence(text: str) -> list[Act]:
    """Return the acts of words: "settle", a key combination, or the name of a command."""
    acts: list[Act] = []
    for word in text.split():
        if word == "settle":
            acts.append({"do": "settle"})
        elif word[0].isupper():
            acts.append({"do": "keys", "keys": word})
        else:
            acts.append({"do": "trigger", "name": word})
    return acts


_FRESH = "reset_form check_usual "
_PRUNE = "settle Ctrl+Return settle "
# Sequences that a user would do: of random clicks hardly 1 % prune anything.
SENSIBLE = [
    _sequence(text)
    for text in (
        _FRESH + _PRUNE,
        _FRESH + _PRUNE + "Ctrl+Z Ctrl+Y settle",
        _FRESH + "Ctrl+Shift+Return settle Return",
        _FRESH + _PRUNE + "save_session settle",
        _FRESH + _PRUNE + "export Return settle",
        "go_to_amount Ctrl+A " + _PRUNE,
        "page_weights Shift+Right hand_prune hand_protect settle",
    )
]


class Whims:
    """Chooses acts at random; the same seed and the same window give the same acts.

    Parameters
    ----------
    rng, files
        The random generator, and the files to choose from.
    has_document
        Whether a file is open: without one most of the window is hidden.
    """

    def __init__(self, rng: random.Random, files: Files, has_document: Callable[[], bool]) -> None:
        self._rng = rng
        self._files = files
        self._has_document = has_document
        self._following: list[Act] = []  # remaining acts of a sensible sequence

    def next(self, window: QMainWindow) -> Act:
        """Return the next act, with its pause."""
        here = actions.tops()
        act: Act | None = None
        if not here:
            return {"do": "rest", "pause": 50}
        if isinstance(here[0], QMenu):
            act = self._in_menu(here[0])
        elif here[0] is not QApplication.activeModalWidget() and not self._has_document():
            act = self._without_document()
        elif self._following:
            act = dict(self._following.pop(0))
        while act is None:
            (choose,) = self._rng.choices([*KINDS], [*KINDS.values()])
            top = window if window in here and self._rng.random() < 0.8 else self._rng.choice(here)
            act = choose(self, top)
        act.setdefault("pause", self._rng.choice(PAUSES_MS))
        return act

    def _one(self, *choices: Any) -> Any:
        return self._rng.choice(choices)

    def _in_menu(self, menu: QMenu) -> Act:
        entries = actions.entries(menu)
        if entries and self._rng.random() < 0.6:
            return {"do": "choose", "entry": self._rng.randrange(len(entries))}
        return {"do": "keys", "keys": self._one("Esc", "Down", "Up", "Right", "Return")}

    def _without_document(self) -> Act | None:
        if self._rng.random() < 0.1:
            return {"do": "spoil", "how": "renew", "paths": []}
        if self._rng.random() < 0.3:
            return {"do": "drop", "paths": [str(self._files.good())]}
        return {"do": "rest", "pause": 50} if self._rng.random() < 0.3 else None

    # -- with the mouse -------------------------------------------------------------------------

    def _target(self, top: QWidget) -> QWidget | None:
        """Return a visible widget; all kinds of widgets are equally likely."""
        kinds: dict[str, list[QWidget]] = {}
        for widget in top.findChildren(QWidget):
            if widget.isVisible() and widget.isEnabled() and _takes_clicks(widget):
                kind = widget.parentWidget() if _is_viewport(widget) else widget
                kinds.setdefault(type(kind).__name__, []).append(widget)
        for _ in range(6 if kinds else 0):
            widget = self._rng.choice(kinds[self._rng.choice(sorted(kinds))])
            if not widget.visibleRegion().isEmpty():
                return widget
        return None

    def at(self, top: QWidget, do: str) -> Act:
        """Return an act on a visible point of a widget; a rest if there is none."""
        widget = self._target(top)
        if widget is None:
            return self.rest(top)
        seen = widget.visibleRegion().boundingRect()
        x = seen.left() + self._rng.randrange(max(seen.width(), 1))
        y = seen.top() + self._rng.randrange(max(seen.height(), 1))
        path, label = actions.path_of(widget), actions.label_of(widget)
        return {"do": do, "at": path, "place": [x, y], "on": label, "with": self._one(*HELD)}

    def click(self, top: QWidget) -> Act:
        act = self.at(top, "click") | {"double": self._rng.random() < 0.12}
        if self._rng.random() < 0.08:
            buttons = Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton
            act["button"] = self._one(*buttons).value
        return act

    def drag(self, top: QWidget) -> Act:
        act = self.at(top, "drag")
        x, y = act.get("place", (0, 0))
        to = [x + self._rng.randint(-300, 300), y + self._rng.randint(-200, 200)]
        return act | {"to": to, "steps": self._one(1, 2, 5, 12)}

    # -- with the keys --------------------------------------------------------------------------

    def palette(self, _top: QWidget) -> Act:
        """Open the command palette, or search in it and run a command if it is open."""
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, CommandPalette):
            return {"do": "trigger", "name": "commands"}
        if dialog.field.text() and self._rng.random() < 0.5:
            return {"do": "keys", "keys": "Return"}
        return {"do": "type", "text": self._rng.choice(SOUGHT)}

    def paste(self, _top: QWidget) -> Act:
        return {
            "do": "paste",
            "text": self._one(*LONG, *TEXTS),
            "times": self._one(1, 1, 100, 2000),
        }

    # -- with the window ------------------------------------------------------------------------

    def drop(self, _top: QWidget) -> Act:
        paths = [str(self._files.any()) for _ in range(self._one(1, 1, 1, 1, 1, 0, 2))]
        act: Act = {"do": "drop", "paths": paths, "away": self._rng.random() < 0.1}
        return act | ({"text": "no file"} if self._rng.random() < 0.1 else {})

    def spoil(self, _top: QWidget) -> Act:
        how = self._one("delete", "cut", "change", "renew", "renew")
        return {"do": "spoil", "how": how, "paths": [str(self._files.to_spoil())]}

    def resize(self, _top: QWidget) -> Act:
        size, dialog = list(self._one(*SIZES)), self._rng.random() < 0.3
        return {"do": "resize", "size": size, "dialog": dialog}

    def sensible(self, _top: QWidget) -> Act:
        self._following = list(self._rng.choice(SENSIBLE))
        if self._following[0].get("name") == "go_to_amount":
            self._following.insert(2, {"do": "type", "text": str(self._rng.randrange(1, 60))})
        return dict(self._following.pop(0))

    def rest(self, _top: QWidget) -> Act:
        return {"do": "rest", "pause": self._one(20, 60, 200)}


def _pick(do: str, key: str, *choices: Any) -> Callable[[Whims, QWidget], Act]:
    """Return a chooser of acts `do` whose value of `key` is one of `choices`."""
    return lambda whims, _top: {"do": do, key: whims._one(*choices)}


# Choosers of acts with their frequency.
KINDS: dict[Callable[[Whims, QWidget], Act], float] = {
    Whims.click: 34,
    Whims.drag: 6,
    lambda whims, top: whims.at(top, "hover"): 4,
    lambda whims, top: whims.at(top, "wheel") | {"steps": whims._one(-5, -1, -1, 1, 1, 5)}: 4,
    lambda whims, top: whims.at(top, "menu") | {"reason": whims._one(0, 0, 1)}: 2,
    _pick("keys", "keys", *PLAIN_KEYS): 14,
    _pick("keys", "keys", *SHORTCUTS): 5,
    _pick("keys", "keys", *["Tab"] * 4, "Shift+Tab"): 5,
    _pick("type", "text", *TEXTS): 8,
    Whims.paste: 1,
    _pick("trigger", "name", *(spec.id for spec in COMMANDS)): 4,
    _pick("keys", "keys", "Ctrl+Return"): 4,
    _pick("trigger", "name", "export"): 1,
    Whims.drop: 0.5,
    Whims.spoil: 0.2,
    Whims.palette: 1,
    Whims.resize: 0.8,
    lambda _whims, _top: {"do": "close"}: 0.4,
    lambda _whims, _top: {"do": "leave"}: 0.6,
    Whims.rest: 2,
    lambda _whims, _top: {"do": "settle"}: 0.6,
    Whims.sensible: 0.6,
}
_CLICKABLE = tuple(
    getattr(QtWidgets, name)
    for name in "QAbstractButton QAbstractSlider QAbstractSpinBox QComboBox QLineEdit QMenuBar"
    " QSplitterHandle QTabBar".split()
)


def _is_viewport(widget: QWidget) -> bool:
    parent = widget.parentWidget()
    return isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget


def _takes_clicks(widget: QWidget) -> bool:
    return (
        isinstance(widget, _CLICKABLE)
        or _is_viewport(widget)
        or any(
            "mousePressEvent" in vars(kind)
            for kind in type(widget).__mro__
            if kind.__module__.startswith("pruneapp.")
        )
    )
