"""Commands that explain."""

from __future__ import annotations

from pruneapp.gui.commands.spec import HELP, QT_TRANSLATE_NOOP, ActionSpec

HELP_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "guide",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&Guide"),
        ("F1",),
        "",
        QT_TRANSLATE_NOOP("Actions", "How to do the main job"),
    ),
    ActionSpec(
        "keys",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&Keys"),
        ("?",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Every key at one glance"),
    ),
    ActionSpec(
        "about",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "&About Pruneapp"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Version and licence"),
        separated=True,
    ),
)
