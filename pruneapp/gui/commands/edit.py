"""Commands for the history, for check marks and names."""

from __future__ import annotations

from pruneapp.gui.commands.spec import EDIT, QT_TRANSLATE_NOOP, ActionSpec

EDIT_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "undo",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Undo"),
        ("Ctrl+Z",),
        "undo",
        QT_TRANSLATE_NOOP("Actions", "Take back the last step"),
    ),
    ActionSpec(
        "redo",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Redo"),
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "redo",
        QT_TRANSLATE_NOOP("Actions", "Do again what was taken back"),
    ),
    ActionSpec(
        "find",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Filter the tree"),
        ("Ctrl+F",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Type to see only some tensors"),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "check_shown",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Check &all shown"),
        ("Ctrl+A",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Check every tensor that the filter shows"),
        needs_document=True,
    ),
    ActionSpec(
        "check_none",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Check &none"),
        ("Ctrl+Shift+A",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Clear every check mark"),
        needs_document=True,
    ),
    ActionSpec(
        "check_usual",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Check the &usual ones"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions", "Check weights of two and more dimensions, no embeddings and norms"
        ),
        needs_document=True,
    ),
    ActionSpec(
        "copy_name",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Copy name"),
        ("Ctrl+Shift+C",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Copy the whole name of the tensor in focus"),
        separated=True,
        needs_document=True,
    ),
)
