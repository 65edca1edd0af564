"""Random choice of the next act."""

from __future__ import annotations

import random
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QMenu,
    QMenuBar,
    QSplitterHandle,
    QTabBar,
    QWidget,
)

from pruneapp.gui.commands.declarations import ACTIONS
from pruneapp.gui.commands.palette import CommandPalette
from tests.monkey import actions
from tests.monkey.actions import Act
from tests.monkey.files import Files

SHORTCUTS = sorted({key for spec in ACTIONS for key in spec.keys})
PLAIN_KEYS = (
    *("Tab", "Shift+Tab", "Up", "Down", "Left", "Right", "Return", "Enter", "Esc", "Space"),
    *("Home", "End", "PgUp", "PgDown", "Backspace", "Del", "Ctrl+A", "Ctrl+C", "Ctrl+X", "Ctrl+V"),
    *("Shift+Up", "Shift+Down", "Shift+Left", "Shift+Right", "Ctrl+Home", "Ctrl+End", "+", "-"),
    *("0", "1", "2", "3", "4", "5", "[", "]", "?", "M", "F", "F2", "F6", "F10", "Alt+Down", "Menu"),
    *("Alt+F", "Alt+E", "Alt+V", "Alt+P", "Ctrl+Space", "Ctrl+Left", "Ctrl+Shift+End", "*", "/"),
)
# No slashes: a typed path stays in its folder.
TEXTS = (
    *(
        "0",
        "1",
        "5",
        "50",
        "33.3",
        "99.9",
        "100",
        "100%",
        "12 %",
        "1e3",
        "-4",
        "1,000",
        "0.5",
        "nan",
    ),
    *(
        "2:4",
        "1:8",
        "17:3",
        ":",
        "inf",
        "1e999",
        "9" * 30,
        "conv",
        "weight",
        "fc*",
        "layer.1",
        "[",
        "(?",
    ),
    *(
        "*",
        "a" * 40,
        "Größe",
        "日本語",
        "🦊🦊",
        "\u202eabc",
        "e\u0301",
        "'\"",
        "<b>x</b>",
        "%s{}",
        "&&",
    ),
)
# Search texts for the command palette.
SOUGHT = (
    "prune",
    "session",
    "recipe",
    "theme",
    "random",
    "l1",
    "compare",
    "mask",
    "export",
    "turn o",
)
SETTLE: Act = {"do": "settle"}
_PRUNE: tuple[Act, ...] = (SETTLE, {"do": "keys", "keys": "Ctrl+Return"}, SETTLE)
_FRESH: tuple[Act, ...] = tuple(
    {"do": "trigger", "name": name} for name in ("reset_form", "check_usual")
)
# Sequences that a user would do: of random clicks hardly 1 % prune anything.
SENSIBLE: tuple[tuple[Act, ...], ...] = (
    (*_FRESH, *_PRUNE),
    (*_FRESH, *_PRUNE, {"do": "keys", "keys": "Ctrl+Z"}, {"do": "keys", "keys": "Ctrl+Y"}, SETTLE),
    (
        *_FRESH,
        {"do": "keys", "keys": "Ctrl+Shift+Return"},
        SETTLE,
        {"do": "keys", "keys": "Return"},
    ),
    (*_FRESH, *_PRUNE, {"do": "trigger", "name": "save_session"}, SETTLE),
    (
        *_FRESH,
        *_PRUNE,
        {"do": "trigger", "name": "export"},
        {"do": "keys", "keys": "Return"},
        SETTLE,
    ),
    ({"do": "trigger", "name": "go_to_amount"}, {"do": "keys", "keys": "Ctrl+A"}, *_PRUNE),
    (
        {"do": "trigger", "name": "page_weights"},
        {"do": "keys", "keys": "Shift+Right"},
        {"do": "trigger", "name": "hand_prune"},
        {"do": "trigger", "name": "hand_protect"},
        SETTLE,
    ),
)
LONG = ("x" * 50, "weight ", "9", "層.", "é\u0301")
SIZES = ((720, 480), (960, 600), (1024, 700), (1280, 800), (1600, 900), (1900, 1150), (721, 1100))
_SHIFT = Qt.KeyboardModifier.ShiftModifier.value
_CONTROL = Qt.KeyboardModifier.ControlModifier.value
HELD = (0,) * 8 + (_SHIFT, _SHIFT, _CONTROL, _SHIFT | _CONTROL)
# Longer pauses let each act finish; short ones overlap with running jobs.
PAUSES_MS = (0, 0, 0, 0, 0, 1, 1, 2, 5, 10, 30, 80)


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
            act = self._anything(here, window)
        act["pause"] = self._rng.choice(PAUSES_MS) if act["do"] != "rest" else act["pause"]
        return act

    def _in_menu(self, menu: QMenu) -> Act:
        entries = [a for a in menu.actions() if a.isVisible() and not a.isSeparator()]
        if entries and self._rng.random() < 0.6:
            return {"do": "choose", "entry": self._rng.randrange(len(entries))}
        return {"do": "keys", "keys": self._rng.choice(("Esc", "Down", "Up", "Right", "Return"))}

    def _without_document(self) -> Act | None:
        if self._rng.random() < 0.1:
            return {"do": "spoil", "how": "renew", "paths": []}
        if self._rng.random() < 0.3:
            return {"do": "drop", "paths": [str(self._files.good())]}
        if self._rng.random() < 0.3:
            return {"do": "rest", "pause": 50}
        return None

    def _anything(self, here: list[QWidget], window: QMainWindow) -> Act | None:
        kinds = [kind for kind, _weight in KINDS]
        weights = [weight for _kind, weight in KINDS]
        (kind,) = self._rng.choices(kinds, weights)
        top = window if window in here and self._rng.random() < 0.8 else self._rng.choice(here)
        return kind(self, top)

    # -- with the mouse -------------------------------------------------------------------------

    def _target(self, top: QWidget) -> QWidget | None:
        """Return a visible widget; all kinds of widgets are equally likely."""
        kinds: dict[str, list[QWidget]] = {}
        for widget in top.findChildren(QWidget):
            if widget.isVisible() and widget.isEnabled() and _takes_clicks(widget):
                kinds.setdefault(_kind(widget), []).append(widget)
        for _ in range(6):
            if not kinds:
                return None
            widget = self._rng.choice(kinds[self._rng.choice(sorted(kinds))])
            if not widget.visibleRegion().isEmpty():
                return widget
        return None

    def _at(self, top: QWidget, do: str) -> Act | None:
        widget = self._target(top)
        if widget is None:
            return None
        seen = widget.visibleRegion().boundingRect()
        place = [
            seen.left() + self._rng.randrange(max(seen.width(), 1)),
            seen.top() + self._rng.randrange(max(seen.height(), 1)),
        ]
        return {
            "do": do,
            "at": actions.path_of(widget),
            "place": place,
            "on": actions.label_of(widget),
            "with": self._rng.choice(HELD),
        }

    def _click(self, top: QWidget) -> Act | None:
        act = self._at(top, "click")
        if act is not None:
            act["double"] = self._rng.random() < 0.12
            if self._rng.random() < 0.08:
                act["button"] = self._rng.choice(
                    (Qt.MouseButton.RightButton.value, Qt.MouseButton.MiddleButton.value)
                )
        return act

    def _drag(self, top: QWidget) -> Act | None:
        act = self._at(top, "drag")
        if act is not None:
            x, y = act["place"]
            act["to"] = [x + self._rng.randint(-300, 300), y + self._rng.randint(-200, 200)]
            act["steps"] = self._rng.choice((1, 2, 5, 12))
        return act

    def _hover(self, top: QWidget) -> Act | None:
        return self._at(top, "hover")

    def _wheel(self, top: QWidget) -> Act | None:
        act = self._at(top, "wheel")
        if act is not None:
            act["steps"] = self._rng.choice((-5, -1, -1, 1, 1, 5))
        return act

    def _menu(self, top: QWidget) -> Act | None:
        act = self._at(top, "menu")
        if act is not None:
            act["reason"] = self._rng.choice((0, 0, 1))  # mouse, keyboard
        return act

    # -- with the keys --------------------------------------------------------------------------

    def _plain_key(self, _top: QWidget) -> Act:
        return {"do": "keys", "keys": self._rng.choice(PLAIN_KEYS)}

    def _shortcut(self, _top: QWidget) -> Act:
        return {"do": "keys", "keys": self._rng.choice(SHORTCUTS)}

    def _palette(self, _top: QWidget) -> Act:
        """Open the command palette, or search in it and run a command if it is open."""
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, CommandPalette):
            return {"do": "trigger", "name": "commands"}
        if dialog.field.text() and self._rng.random() < 0.5:
            return {"do": "keys", "keys": "Return"}
        return {"do": "type", "text": self._rng.choice(SOUGHT)}

    def _tab(self, _top: QWidget) -> Act:
        return {"do": "keys", "keys": "Tab" if self._rng.random() < 0.8 else "Shift+Tab"}

    def _type(self, _top: QWidget) -> Act:
        return {"do": "type", "text": self._rng.choice(TEXTS)}

    def _paste(self, _top: QWidget) -> Act:
        text = self._rng.choice((*LONG, *TEXTS))
        return {"do": "paste", "text": text, "times": self._rng.choice((1, 1, 100, 2000))}

    # -- with the window ------------------------------------------------------------------------

    def _trigger(self, _top: QWidget) -> Act:
        return {"do": "trigger", "name": self._rng.choice(ACTIONS).id}

    def _prune(self, _top: QWidget) -> Act:
        return {"do": "keys", "keys": "Ctrl+Return"}

    def _export(self, _top: QWidget) -> Act:
        return {"do": "trigger", "name": "export"}

    def _drop(self, _top: QWidget) -> Act:
        count = self._rng.choice((1, 1, 1, 1, 1, 0, 2))
        act: Act = {"do": "drop", "paths": [str(self._files.any()) for _ in range(count)]}
        if self._rng.random() < 0.1:
            act["text"] = "no file"
        act["away"] = self._rng.random() < 0.1
        return act

    def _spoil(self, _top: QWidget) -> Act:
        return {
            "do": "spoil",
            "how": self._rng.choice(("delete", "cut", "change", "renew", "renew")),
            "paths": [str(self._files.to_spoil())],
        }

    def _resize(self, _top: QWidget) -> Act:
        return {
            "do": "resize",
            "size": list(self._rng.choice(SIZES)),
            "dialog": self._rng.random() < 0.3,
        }

    def _close(self, _top: QWidget) -> Act:
        return {"do": "close"}

    def _leave(self, _top: QWidget) -> Act:
        return {"do": "leave"}

    def _sensible(self, _top: QWidget) -> Act:
        self._following = list(self._rng.choice(SENSIBLE))
        if self._following[0].get("name") == "go_to_amount":
            self._following.insert(2, {"do": "type", "text": str(self._rng.randrange(1, 60))})
        return dict(self._following.pop(0))

    def _rest(self, _top: QWidget) -> Act:
        return {"do": "rest", "pause": self._rng.choice((20, 60, 200))}

    def _settle(self, _top: QWidget) -> Act:
        return {"do": "settle"}


KINDS: tuple[tuple[Callable[[Whims, QWidget], Act | None], float], ...] = (
    (Whims._click, 34),
    (Whims._drag, 6),
    (Whims._hover, 4),
    (Whims._wheel, 4),
    (Whims._menu, 2),
    (Whims._plain_key, 14),
    (Whims._shortcut, 5),
    (Whims._tab, 5),
    (Whims._type, 8),
    (Whims._paste, 1),
    (Whims._trigger, 4),
    (Whims._prune, 4),
    (Whims._export, 1),
    (Whims._drop, 0.5),
    (Whims._spoil, 0.2),
    (Whims._palette, 1),
    (Whims._resize, 0.8),
    (Whims._close, 0.4),
    (Whims._leave, 0.6),
    (Whims._rest, 2),
    (Whims._settle, 0.6),
    (Whims._sensible, 0.6),
)


def _takes_clicks(widget: QWidget) -> bool:
    if isinstance(
        widget,
        (
            QAbstractButton,
            QAbstractSlider,
            QAbstractSpinBox,
            QComboBox,
            QLineEdit,
            QMenuBar,
            QSplitterHandle,
            QTabBar,
        ),
    ):
        return True
    parent = widget.parentWidget()
    if isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget:
        return True
    return any(
        "mousePressEvent" in vars(kind)
        for kind in type(widget).__mro__
        if kind.__module__.startswith("pruneapp.")
    )


def _kind(widget: QWidget) -> str:
    parent = widget.parentWidget()
    if isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget:
        return type(parent).__name__
    return type(widget).__name__
