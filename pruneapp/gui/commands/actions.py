"""The declared commands as Qt's actions, in their menus."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from pruneapp.gui.commands.declarations import ACTIONS, RECENT, WINDOW, ActionSpec
from pruneapp.gui.widgets.labels import translate
from pruneapp.gui.widgets.theme import icon

# Where the letter is none of the text, as in Chinese.
_IN_BRACKETS = re.compile(r"\(&\w\)")
# Between the menus that lead to a command, and its name.
BETWEEN = " › "
# Shortcuts of a command as they are written in files and declarations, the first is shown.
Keys = tuple[str, ...]
_NONE: Mapping[str, Keys] = MappingProxyType({})
_PORTABLE = QKeySequence.SequenceFormat.PortableText
_NATIVE = QKeySequence.SequenceFormat.NativeText


def translated(text: str) -> str:
    """Return a text of a declaration in the person's language."""
    return translate("Actions", text)


def text_of(spec: ActionSpec) -> str:
    """Return what the menu says of a command, in the person's language."""
    return translated(spec.text).replace("{n}", str(spec.number))


def plain(text: str) -> str:
    """Return a menu text without its mnemonic and dots."""
    return _IN_BRACKETS.sub("", text).replace("&", "").rstrip("…")


def portable(key: str) -> str:
    """Return a shortcut as Qt writes it in files; "" for what is none."""
    return QKeySequence.fromString(key, _PORTABLE).toString(_PORTABLE)


def native(keys: Iterable[str]) -> str:
    """Return shortcuts as they stand on the keyboard of the person, each once.

    Two keys may have one name there: Return and Enter are one word in Chinese.
    """
    texts = (QKeySequence.fromString(key, _PORTABLE).toString(_NATIVE) for key in keys)
    return ", ".join(dict.fromkeys(texts))


def declared(spec: ActionSpec) -> Keys:
    """Return the shortcuts that a command has by default."""
    return tuple(map(portable, spec.keys))


def assigned(changed: Mapping[str, Iterable[str]]) -> dict[str, Keys]:
    """Return the shortcuts of every command: those that a person gave it, else the declared ones.

    No shortcut stands for two commands, or Qt would call neither. What a person chose wins over
    what is declared, perhaps by a later version; then the command that is declared first.
    """
    taken: set[str] = set()
    found: dict[str, Keys] = {}
    for spec in sorted(ACTIONS, key=lambda spec: spec.id not in changed):
        keys = dict.fromkeys(map(portable, changed.get(spec.id, spec.keys)))
        found[spec.id] = tuple(key for key in keys if key and key not in taken)
        taken.update(found[spec.id])
    return found


def changes(keys: Mapping[str, Keys]) -> dict[str, Keys]:
    """Return those that differ from what is declared."""
    return {spec.id: keys[spec.id] for spec in ACTIONS if keys[spec.id] != declared(spec)}


class Actions:
    """The commands as Qt's actions, by id; their shortcuts hold while `parent` is active.

    `keys` are the shortcuts that a person changed, by id.
    """

    def __init__(self, parent: QWidget, keys: Mapping[str, Iterable[str]] = _NONE) -> None:
        self._by_id: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._tips: dict[str, str] = {}
        self._told: list[tuple[str, Callable[[str], object]]] = []
        for spec in ACTIONS:
            action = QAction(text_of(spec), parent)
            action.setObjectName(spec.id)
            action.setIconText(plain(action.text()))
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            if spec.tip:
                self._tips[spec.id] = translated(spec.tip)
                action.setStatusTip(translated(spec.tip))
            action.setEnabled(spec.always)  # until something is open
            action.setVisible(not spec.number)  # until there is what is numbered
            action.setCheckable(spec.checkable or bool(spec.group))
            if spec.group:
                group = self._groups.setdefault(spec.group, QActionGroup(parent))
                group.addAction(action)
            self._by_id[spec.id] = action
            parent.addAction(action)
        self.menus: dict[str, QMenu] = {}
        self.set_keys(keys)

    def __getitem__(self, name: str) -> QAction:
        return self._by_id[name]

    def set_keys(self, changed: Mapping[str, Iterable[str]]) -> None:
        """Give every command its shortcuts; `changed` are those that are not as declared."""
        for name, keys in assigned(changed).items():
            action = self._by_id[name]
            action.setShortcuts([QKeySequence.fromString(key, _PORTABLE) for key in keys])
            if name in self._tips:
                action.setToolTip(self.tip(name))
        for name, say in self._told:
            say(self.keys(name))

    def keys(self, name: str) -> str:
        """Return the first shortcut of a command as the person reads it; "" if it has none."""
        return self._by_id[name].shortcut().toString(_NATIVE)

    def way_to(self, name: str) -> str:
        """Return the shortcut of a command, or the menu that one without stands in."""
        spec = next(spec for spec in ACTIONS if spec.id == name)
        return self.keys(name) or BETWEEN.join(
            map(plain, (*map(translated, spec.menu.split("/")), text_of(spec)))
        )

    def tip(self, name: str) -> str:
        """Return the line of a command for tooltips, with its shortcut."""
        return with_keys(self._tips[name], self.keys(name))

    def set_tip(self, name: str, tip: str) -> None:
        """Let the tooltip of a command say something else, with its shortcut."""
        self._tips[name] = tip
        self._by_id[name].setToolTip(self.tip(name))

    def tell_keys(self, name: str, say: Callable[[str], object]) -> None:
        """Call `say` with the shortcut of a command, now and whenever it is another one."""
        self._told.append((name, say))
        say(self.keys(name))

    def tell_keys_in_tip(self, name: str, control: QWidget) -> None:
        """Let the tooltip of a control end with the shortcut of the command that it gives."""
        tip = control.toolTip()
        self.tell_keys(name, lambda keys: control.setToolTip(with_keys(tip, keys)))

    def named(self) -> list[tuple[str, QAction]]:
        """Return all that are shown with their names; those of a submenu with the way to them."""
        actions = ((spec, self[spec.id]) for spec in ACTIONS)
        return [
            (_named(spec.menu, action), action) for spec, action in actions if action.isVisible()
        ]

    @property
    def recent(self) -> list[QAction]:
        """Those that open recent files, whose paths are their data."""
        return [self[spec.id] for spec in ACTIONS if spec.menu == RECENT and spec.number]

    @property
    def windows(self) -> list[QAction]:
        """Those that bring a window to the front."""
        return [self[spec.id] for spec in ACTIONS if spec.menu == WINDOW and spec.number]

    def fill(self, bar: QMenuBar) -> None:
        """Put every command into its menu; `menus` has the menus by path afterwards."""
        for spec in ACTIONS:
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


def with_keys(text: str, keys: str) -> str:
    """Return a text that names a shortcut, if there is one, in brackets behind it."""
    return f"{text} ({keys})" if keys else text


def english_name(action: QAction) -> str:
    """Return the name of a command as it is declared; "" for one of several alike, or none."""
    spec = next((spec for spec in ACTIONS if spec.id == action.objectName()), None)
    if spec is None or spec.number:
        return ""
    way = spec.menu.split("/") if "/" in spec.menu else []
    return BETWEEN.join(map(plain, [*way, spec.text]))


def _named(menu: str, action: QAction) -> str:
    """Return the name of a command, for that in a submenu with the way to it."""
    way = [plain(translated(part)) for part in menu.split("/")] if "/" in menu else []
    return BETWEEN.join([*way, plain(action.text())])
