"""Commands for the history, for check marks and names."""

from __future__ import annotations

from pruneapp.gui.commands.command import EDIT, QT_TRANSLATE_NOOP, ActionSpec

EDIT_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "undo",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Undo"),
        ("Ctrl+Z",),
        "undo",
        QT_TRANSLATE_NOOP("Actions", "Undo the last step"),
    ),
    ActionSpec(
        "redo",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Redo"),
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "redo",
        QT_TRANSLATE_NOOP("Actions", "Redo the step that was undone"),
    ),
    ActionSpec(
        "find",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Filter the tree"),
        ("Ctrl+F",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Show only tensors whose names match"),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "check_shown",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Select &all shown"),
        ("Ctrl+A",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Check all tensors that match the filter"),
        needs_document=True,
    ),
    ActionSpec(
        "check_none",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Deselect all"),
        ("Ctrl+Shift+A",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Deselect all"),
        needs_document=True,
    ),
    ActionSpec(
        "check_usual",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Select defa&ult layers"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions", "Check weights with two or more dimensions, except embeddings and norms"
        ),
        needs_document=True,
    ),
    ActionSpec(
        "copy_name",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Copy name"),
        ("Ctrl+Shift+C",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Copy the full name of the current tensor"),
        separated=True,
        needs_document=True,
    ),
)
