"""Commands for other files and methods, and the list of all commands."""

from __future__ import annotations

from pruneapp.gui.commands.command import QT_TRANSLATE_NOOP, TOOLS, ActionSpec

TOOLS_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "compare_with",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "Compare &with a file…"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Compare with another checkpoint, such as a fine-tuned one"),
        needs_document=True,
    ),
    ActionSpec(
        "check_pattern",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "Chec&k sparsity pattern…"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions", "Find tensors and groups that violate a pattern such as 2:4, and repair them"
        ),
        needs_document=True,
    ),
    ActionSpec(
        "save_recipe",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "&Save recipe…"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions", "Save the steps of the history as a recipe that can be edited and reapplied"
        ),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "apply_recipe",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "&Apply recipe…"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions", "Apply the steps of a recipe, after checking that it matches this file"
        ),
        needs_document=True,
    ),
    ActionSpec(
        "copy_python",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "Copy as &Python"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Copy the history as a script that uses torch.nn.utils.prune"),
        needs_document=True,
    ),
    ActionSpec(
        "load_method",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "&Load method from file…"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Load a custom pruning method; this runs its code"),
        separated=True,
    ),
    ActionSpec(
        "commands",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "&Command palette…"),
        ("Ctrl+Shift+P",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Find a command, tensor, method or setting by name"),
        separated=True,
    ),
)
