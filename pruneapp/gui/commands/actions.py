"""The declared commands as `QAction`s in menus."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from pruneapp.gui.commands.declarations import COMMANDS, RECENT, WINDOW, MenuCommand
from pruneapp.gui.widgets.labels import translate
from pruneapp.gui.widgets.theme import icon

# A mnemonic after the text, as Chinese texts have it.
_IN_BRACKETS = re.compile(r"\(&\w\)")
# Separator between menus and the name of a command.
BETWEEN = " › "
# Shortcuts of a command as portable text; the first one is shown.
Keys = tuple[str, ...]
_NONE: Mapping[str, Keys] = MappingProxyType({})
_PORTABLE = QKeySequence.SequenceFormat.PortableText
_NATIVE = QKeySequence.SequenceFormat.NativeText


def translate_command_text(text: str) -> str:
    """Return a text of a declaration in the language of the window."""
    return translate("Actions", text)


def text_of(spec: MenuCommand) -> str:
    """Return the menu text of a command in the language of the window."""
    return translate_command_text(spec.text).replace("{n}", str(spec.number))


def without_mnemonic(text: str) -> str:
    """Return a menu text without its mnemonic and ellipsis."""
    return _IN_BRACKETS.sub("", text).replace("&", "").rstrip("…")


def portable_key(key: str) -> str:
    """Return a shortcut as Qt writes it in files; "" if it is invalid."""
    return QKeySequence.fromString(key, _PORTABLE).toString(_PORTABLE)


def native_keys(keys: Iterable[str]) -> str:
    """Return shortcuts in the notation of the keyboard, without duplicates.

    Two keys may have the same label: Return and Enter have the same name in Chinese.
    """
    texts = (QKeySequence.fromString(key, _PORTABLE).toString(_NATIVE) for key in keys)
    return ", ".join(dict.fromkeys(texts))


def default_keys(spec: MenuCommand) -> Keys:
    """Return the default shortcuts of a command."""
    return tuple(map(portable_key, spec.keys))


def assign_keys(changed: Mapping[str, Iterable[str]]) -> dict[str, Keys]:
    """Return the shortcuts of all commands by id: those of `changed`, else the declared ones.

    A shortcut is assigned to one command only, as Qt calls neither of two. Choices of the user have
    priority over declared shortcuts, then commands that are declared first. Invalid shortcuts are
    dropped, and so are ids of `changed` that are no commands. Empty keys remove the shortcut.
    """
    used: set[str] = set()
    found: dict[str, Keys] = {}
    for spec in sorted(COMMANDS, key=lambda spec: spec.id not in changed):
        keys = dict.fromkeys(map(portable_key, changed.get(spec.id, spec.keys)))
        found[spec.id] = tuple(key for key in keys if key and key not in used)
        used.update(found[spec.id])
    return found


def changed_keys(keys: Mapping[str, Keys]) -> dict[str, Keys]:
    """Return the shortcuts that differ from the declared ones, by command id."""
    return {spec.id: keys[spec.id] for spec in COMMANDS if keys[spec.id] != default_keys(spec)}


class Actions:
    """The commands as `QAction`s by id, children of `parent`, with shortcuts for its window.

    `keys` are the shortcuts that the user changed, by id.
    """

    def __init__(self, parent: QWidget, keys: Mapping[str, Iterable[str]] = _NONE) -> None:
        self._by_id: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._tips: dict[str, str] = {}
        self._shortcut_callbacks: list[tuple[str, Callable[[str], object]]] = []
        for spec in COMMANDS:
            action = QAction(text_of(spec), parent)
            action.setObjectName(spec.id)
            action.setIconText(without_mnemonic(action.text()))
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            if spec.tip:
                self._tips[spec.id] = translate_command_text(spec.tip)
                action.setStatusTip(translate_command_text(spec.tip))
            action.setEnabled(spec.always)  # until a file is open
            # numbered ones are shown when there is an item for them
            action.setVisible(not spec.number)
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
        """Set the shortcuts of all commands; those that are not in `changed` get the declared ones.

        Also updates the tooltips, and calls the callbacks of `on_shortcut_changed`, of unchanged
        ones too.
        """
        for name, keys in assign_keys(changed).items():
            action = self._by_id[name]
            action.setShortcuts([QKeySequence.fromString(key, _PORTABLE) for key in keys])
            if name in self._tips:
                action.setToolTip(self.tip(name))
        for name, callback in self._shortcut_callbacks:
            callback(self.keys(name))

    def keys(self, name: str) -> str:
        """Return the first shortcut of a command as labeled on the keyboard; "" if it has none."""
        return self._by_id[name].shortcut().toString(_NATIVE)

    def shortcut_or_path(self, name: str) -> str:
        """Return the shortcut of a command; its menu path if it has none."""
        spec = next(spec for spec in COMMANDS if spec.id == name)
        return self.keys(name) or BETWEEN.join(
            map(
                without_mnemonic,
                (*map(translate_command_text, spec.menu.split("/")), text_of(spec)),
            )
        )

    def tip(self, name: str) -> str:
        """Return the tooltip of a command with its shortcut."""
        return with_keys(self._tips[name], self.keys(name))

    def set_tip(self, name: str, tip: str) -> None:
        """Change the tooltip of a command; its shortcut is appended."""
        self._tips[name] = tip
        self._by_id[name].setToolTip(self.tip(name))

    def set_refused(self, name: str, why: str) -> None:
        """Disable a command with `why` as its tooltip and status tip; "" enables it again."""
        spec = next(spec for spec in COMMANDS if spec.id == name)
        self._by_id[name].setEnabled(not why)
        self._by_id[name].setStatusTip(why or translate_command_text(spec.tip))
        self.set_tip(name, why or translate_command_text(spec.tip))

    def on_shortcut_changed(self, name: str, callback: Callable[[str], object]) -> None:
        """Call `callback` with the shortcut of a command, now and after each change."""
        self._shortcut_callbacks.append((name, callback))
        callback(self.keys(name))

    def show_shortcut_in_tooltip(self, name: str, control: QWidget) -> None:
        """Append the shortcut of a command to the tooltip of a control that triggers it."""
        tip = control.toolTip()
        self.on_shortcut_changed(name, lambda keys: control.setToolTip(with_keys(tip, keys)))

    def visible_commands(self) -> list[tuple[str, QAction]]:
        """Return the visible commands with their names, as (name, action) in declared order.

        Names of commands in submenus begin with the path of their menus.
        """
        actions = ((spec, self[spec.id]) for spec in COMMANDS)
        return [
            (_full_name(spec.menu, action), action)
            for spec, action in actions
            if action.isVisible()
        ]

    @property
    def recent(self) -> list[QAction]:
        """The commands that open recent files; their data are the paths."""
        return [self[spec.id] for spec in COMMANDS if spec.menu == RECENT and spec.number]

    @property
    def windows(self) -> list[QAction]:
        """The commands that bring a window to the front."""
        return [self[spec.id] for spec in COMMANDS if spec.menu == WINDOW and spec.number]

    def fill(self, bar: QMenuBar) -> None:
        """Add the commands to the menus of `bar`, which are created in declared order.

        Call it once. `menus` has all menus by their untranslated path afterwards, such as
        ``View/Theme``.
        """
        for spec in COMMANDS:
            menu = self._menu(spec.menu, bar)
            if spec.separated:
                menu.addSeparator()
            menu.addAction(self._by_id[spec.id])

    def paint(self, colors: Mapping[str, str], ratio: float) -> None:
        """Draw the icons in the colors of the theme; `ratio` is the device pixel ratio."""
        for spec in COMMANDS:
            if spec.icon:
                self._by_id[spec.id].setIcon(icon(spec.icon, colors, ratio))

    def _menu(self, path: str, bar: QMenuBar) -> QMenu:
        """Return the menu with a path.

        It and the menus above it are created when they are first needed.
        """
        if path not in self.menus:
            parent, _, name = path.rpartition("/")
            title = translate_command_text(name)
            menu = self._menu(parent, bar).addMenu(title) if parent else bar.addMenu(title)
            menu.setToolTipsVisible(True)
            self.menus[path] = menu
        return self.menus[path]


def with_keys(text: str, keys: str) -> str:
    """Return a text followed by the shortcut in brackets, if there is one."""
    return f"{text} ({keys})" if keys else text


def english_name(action: QAction) -> str:
    """Return the name of a command as declared, with its menu path if it is in a submenu.

    "" for a numbered command, and for an action that is not declared.
    """
    spec = next((spec for spec in COMMANDS if spec.id == action.objectName()), None)
    if spec is None or spec.number:
        return ""
    menus = spec.menu.split("/") if "/" in spec.menu else []
    return BETWEEN.join(map(without_mnemonic, [*menus, spec.text]))


def _full_name(menu: str, action: QAction) -> str:
    """Return the name of a command, with its menu path if it is in a submenu."""
    menus = (
        [without_mnemonic(translate_command_text(part)) for part in menu.split("/")]
        if "/" in menu
        else []
    )
    return BETWEEN.join([*menus, without_mnemonic(action.text())])
