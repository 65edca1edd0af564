"""Every command of the window, declared once.

Menus, the toolbar, shortcuts, the list of commands (Ctrl+Shift+P), the sheet of keys (?) and the
tests are made from `ACTIONS`; what a command does is connected by the window under its id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from pruneapp.gui.icons import icon


@dataclass(frozen=True)
class ActionSpec:
    """A command.

    Attributes
    ----------
    id
        Word by which it is connected and tested.
    menu
        The menu it stands in; ``Menu/Submenu`` for one below.
    text
        What the menu says, with its mnemonic.
    keys
        Shortcuts, the first is shown.
    icon
        Name of an SVG in resources/icons; empty for none.
    tip
        One line, for the tooltip and the status bar.
    group
        Checkable actions of one group exclude each other; empty for plain ones.
    separated
        Whether a line stands above it.
    """

    id: str
    menu: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    tip: str = ""
    group: str = ""
    separated: bool = False


def _t(text: str) -> str:
    return str(QT_TRANSLATE_NOOP("Actions", text))


FILE, EDIT, VIEW = _t("&File"), _t("&Edit"), _t("&View")
PRUNE, TOOLS, HELP = _t("&Prune"), _t("&Tools"), _t("&Help")
RECENT = f"{FILE}/{_t('Open &recent')}"
THEME = f"{VIEW}/{_t('&Theme')}"

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("open", FILE, _t("&Open…"), ("Ctrl+O",), "open", _t("Open a checkpoint")),
    ActionSpec("open_folder", FILE, _t("Open &folder…"), ("Ctrl+Shift+O",), "",
               _t("Open a folder of shards as one model")),
    ActionSpec("sample", FILE, _t("Try the &sample"), (), "",
               _t("Open the small model that comes with Pruneapp")),
    ActionSpec("state_dict", FILE, _t("Choose state &dict…"), (), "",
               _t("Switch to another dict of tensors in this file"), separated=True),
    ActionSpec("export", FILE, _t("&Export…"), ("Ctrl+E",), "export",
               _t("Write the pruned model to a file"), separated=True),
    ActionSpec("close", FILE, _t("&Close"), ("Ctrl+W",), "", _t("Close this checkpoint")),
    ActionSpec("quit", FILE, _t("&Quit"), ("Ctrl+Q",), "", _t("Leave Pruneapp"), separated=True),
    ActionSpec("undo", EDIT, _t("&Undo"), ("Ctrl+Z",), "undo", _t("Take back the last step")),
    ActionSpec("redo", EDIT, _t("&Redo"), ("Ctrl+Shift+Z", "Ctrl+Y"), "redo",
               _t("Do again what was taken back")),
    ActionSpec("find", EDIT, _t("&Filter the tree"), ("Ctrl+F",), "",
               _t("Type to see only some tensors"), separated=True),
    ActionSpec("check_shown", EDIT, _t("Check &all shown"), ("Ctrl+A",), "",
               _t("Check every tensor that the filter shows")),
    ActionSpec("check_none", EDIT, _t("Check &none"), ("Ctrl+Shift+A",), "",
               _t("Clear every check mark")),
    ActionSpec("check_usual", EDIT, _t("Check the &usual ones"), (), "",
               _t("Check weights of two and more dimensions, no embeddings and norms")),
    ActionSpec("copy_name", EDIT, _t("&Copy name"), ("Ctrl+Shift+C",), "",
               _t("Copy the whole name of the tensor in focus"), separated=True),
    ActionSpec("page_weights", VIEW, _t("&Weights"), ("1",), "", _t("The mask over the weights"),
               group="page"),
    ActionSpec("page_distribution", VIEW, _t("&Distribution"), ("2",), "",
               _t("How the magnitudes are spread"), group="page"),
    ActionSpec("page_channels", VIEW, _t("&Channels"), ("3",), "", _t("The norm of each channel"),
               group="page"),
    ActionSpec("page_model", VIEW, _t("&Model"), ("4",), "", _t("The sparsity of each tensor"),
               group="page"),
    ActionSpec("mask", VIEW, _t("Mask &on and off"), ("M",), "", _t("Show or hide the mask"),
               separated=True),
    ActionSpec("zoom_in", VIEW, _t("Zoom &in"), ("+", "="), "", _t("Show fewer weights, larger")),
    ActionSpec("zoom_out", VIEW, _t("Zoom ou&t"), ("-",), "", _t("Show more weights, smaller")),
    ActionSpec("zoom_fit", VIEW, _t("&Fit"), ("0",), "", _t("Show the whole tensor")),
    ActionSpec("previous_tensor", VIEW, _t("&Previous tensor"), ("[",), "",
               _t("Look at the tensor above"), separated=True),
    ActionSpec("next_tensor", VIEW, _t("&Next tensor"), ("]",), "",
               _t("Look at the tensor below")),
    ActionSpec("history_back", VIEW, _t("History &back"), ("Alt+Left",), "",
               _t("Go to the state before"), separated=True),
    ActionSpec("history_forward", VIEW, _t("History fo&rward"), ("Alt+Right",), "",
               _t("Go to the state after")),
    ActionSpec("theme_system", THEME, _t("As the &system"), (), "", "", group="theme"),
    ActionSpec("theme_light", THEME, _t("&Light"), (), "", "", group="theme"),
    ActionSpec("theme_dark", THEME, _t("&Dark"), (), "", "", group="theme"),
    ActionSpec("prune", PRUNE, _t("&Prune"), ("Ctrl+Return", "Ctrl+Enter"), "",
               _t("Do what the form says")),
    ActionSpec("cancel", PRUNE, _t("&Cancel"), ("Esc",), "",
               _t("Stop the running job; nothing is changed")),
    ActionSpec("make_final", PRUNE, _t("Make &final"), (), "",
               _t("Turn pruned weights of the checked tensors into ordinary zeros, as torch's "
                  "remove does"), separated=True),
    ActionSpec("load_method", TOOLS, _t("&Load method from file…"), (), "",
               _t("Use a pruning method of your own; this runs its code")),
    ActionSpec("commands", TOOLS, _t("All &commands…"), ("Ctrl+Shift+P",), "",
               _t("Find a command by its name"), separated=True),
    ActionSpec("guide", HELP, _t("&Guide"), ("F1",), "", _t("How to do the main job")),
    ActionSpec("keys", HELP, _t("&Keys"), ("?",), "", _t("Every key at one glance")),
    ActionSpec("about", HELP, _t("&About Pruneapp"), (), "", _t("Version and licence"),
               separated=True),
)  # fmt: skip


def translated(text: str) -> str:
    """Return a text of a declaration in the person's language."""
    return QCoreApplication.translate("Actions", text)


def plain(text: str) -> str:
    """Return a menu text without its mnemonic and dots."""
    return text.replace("&", "").rstrip("…")


class Actions:
    """The commands as Qt's actions, by id.

    Parameters
    ----------
    parent
        The window: their shortcuts hold while it is active.
    """

    def __init__(self, parent: QWidget) -> None:
        self._by_id: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        for spec in ACTIONS:
            action = QAction(translated(spec.text), parent)
            action.setObjectName(spec.id)
            action.setShortcuts([QKeySequence(key) for key in spec.keys])
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            keys = f" ({action.shortcut().toString(_NATIVE)})" if spec.keys else ""
            if spec.tip:
                action.setToolTip(translated(spec.tip) + keys)
                action.setStatusTip(translated(spec.tip))
            if spec.group:
                action.setCheckable(True)
                group = self._groups.setdefault(spec.group, QActionGroup(parent))
                group.addAction(action)
            self._by_id[spec.id] = action
            parent.addAction(action)
        self.menus: dict[str, QMenu] = {}

    def __getitem__(self, name: str) -> QAction:
        return self._by_id[name]

    def values(self) -> list[QAction]:
        """Return all of them, in the order of the declaration."""
        return list(self._by_id.values())

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
            made = self._menu(parent, bar).addMenu(title) if parent else bar.addMenu(title)
            made.setToolTipsVisible(True)
            self.menus[path] = made
        return self.menus[path]


_NATIVE = QKeySequence.SequenceFormat.NativeText
