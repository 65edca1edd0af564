"""What a command is, and the menus that commands stand in."""

from __future__ import annotations

from dataclasses import dataclass


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
    checkable
        Whether it is on or off; those of a group are.
    needs_document
        Whether it makes sense only while a file is open.
    """

    id: str
    menu: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    tip: str = ""
    group: str = ""
    separated: bool = False
    checkable: bool = False
    needs_document: bool = False


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Mark a text for lupdate, which finds this name; Qt's own is typed to return an object."""
    return text


FILE, EDIT, VIEW = (
    QT_TRANSLATE_NOOP("Actions", "&File"),
    QT_TRANSLATE_NOOP("Actions", "&Edit"),
    QT_TRANSLATE_NOOP("Actions", "&View"),
)
PRUNE, TOOLS, HELP = (
    QT_TRANSLATE_NOOP("Actions", "&Prune"),
    QT_TRANSLATE_NOOP("Actions", "&Tools"),
    QT_TRANSLATE_NOOP("Actions", "&Help"),
)
RECENT = f"{FILE}/{QT_TRANSLATE_NOOP('Actions', 'Open &recent')}"
BY_HAND = f"{PRUNE}/{QT_TRANSLATE_NOOP('Actions', '&Manual edit')}"
THEME = f"{VIEW}/{QT_TRANSLATE_NOOP('Actions', '&Theme')}"
