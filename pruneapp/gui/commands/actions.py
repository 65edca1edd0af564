"""The declared commands as Qt's actions, in their menus."""

from __future__ import annotations

import re
from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from pruneapp.gui.commands.declarations import ACTIONS, RECENT
from pruneapp.gui.widgets.labels import translate
from pruneapp.gui.widgets.theme import icon

# Where the letter is none of the text, as in Chinese.
_IN_BRACKETS = re.compile(r"\(&\w\)")
# Between the menus that lead to a command, and its name.
BETWEEN = " › "


def translated(text: str) -> str:
    """Return a text of a declaration in the person's language."""
    return translate("Actions", text)


def plain(text: str) -> str:
    """Return a menu text without its mnemonic and dots."""
    return _IN_BRACKETS.sub("", text).replace("&", "").rstrip("…")


class Actions:
    """The commands as Qt's actions, by id; their shortcuts hold while `parent` is active."""

    def __init__(self, parent: QWidget) -> None:
        self._by_id: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        for spec in ACTIONS:
            action = QAction(translated(spec.text), parent)
            action.setObjectName(spec.id)
            action.setIconText(plain(action.text()))
            action.setShortcuts([QKeySequence(key) for key in spec.keys])
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            keys = f" ({action.shortcut().toString(_NATIVE)})" if spec.keys else ""
            if spec.tip:
                action.setToolTip(translated(spec.tip) + keys)
                action.setStatusTip(translated(spec.tip))
            action.setEnabled(spec.always)  # until something is open
            action.setCheckable(spec.checkable or bool(spec.group))
            if spec.group:
                group = self._groups.setdefault(spec.group, QActionGroup(parent))
                group.addAction(action)
            self._by_id[spec.id] = action
            parent.addAction(action)
        self.menus: dict[str, QMenu] = {}

    def __getitem__(self, name: str) -> QAction:
        return self._by_id[name]

    def named(self) -> list[tuple[str, QAction]]:
        """Return all of them with their names; those of a submenu with the way to them."""
        return [(_named(spec.menu, self[spec.id]), self[spec.id]) for spec in ACTIONS]

    def recent(self) -> list[tuple[str, QAction]]:
        """Return those of the menu of recent files, with the way to them."""
        return [(_named(RECENT, action), action) for action in self.menus[RECENT].actions()]

    def fill(self, bar: QMenuBar) -> None:
        """Put every command into its menu; `menus` has the menus by path afterwards."""
        for spec in ACTIONS:
            if spec.id == "state_dict":
                self._menu(RECENT, bar)
            menu = self._menu(spec.menu, bar)
            if spec.separated:
                menu.addSeparator()
            menu.addAction(self._by_id[spec.id])

    def paint(self, colors: Mapping[str, str], ratio: float) -> None:
        """Draw the icons in the colours of the theme."""
        for spec in ACTIONS:
            if spec.icon:
                self._by_id[spec.id].setIcon(icon(spec.icon, colors, ratio))

    def _menu(self, path: str, bar: QMenuBar) -> QMenu:
        if path not in self.menus:
            parent, _, name = path.rpartition("/")
            title = translated(name)
            menu = self._menu(parent, bar).addMenu(title) if parent else bar.addMenu(title)
            menu.setToolTipsVisible(True)
            self.menus[path] = menu
        return self.menus[path]


def _named(menu: str, action: QAction) -> str:
    """Return the name of a command, for that in a submenu with the way to it."""
    way = [plain(translated(part)) for part in menu.split("/")] if "/" in menu else []
    return BETWEEN.join([*way, plain(action.text())])


_NATIVE = QKeySequence.SequenceFormat.NativeText
