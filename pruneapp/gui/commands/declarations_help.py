"""Commands that explain."""

from __future__ import annotations

from pruneapp.gui.commands.command import HELP, QT_TRANSLATE_NOOP, ActionSpec

HELP_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "guide",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&Guide"),
        ("F1",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Open the guide"),
    ),
    ActionSpec(
        "keys",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts"),
        ("?",),
        "",
        QT_TRANSLATE_NOOP("Actions", "List all keyboard shortcuts"),
    ),
    ActionSpec(
        "about",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&About Pruneapp"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Version and license"),
        separated=True,
    ),
)
