"""Commands for other files and methods, and the list of all commands."""

from __future__ import annotations

from pruneapp.gui.commands.spec import QT_TRANSLATE_NOOP, TOOLS, ActionSpec

TOOLS_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "compare_with",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "Compare &with a file…"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions", "See where another checkpoint differs: fine-tuned, or pruned elsewhere"
        ),
        needs_document=True,
    ),
    ActionSpec(
        "check_pattern",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "Chec&k a pattern…"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions", "See which tensors have 2:4, which groups break it, and repair them"
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
            "Actions", "Write what was done to a file, to be edited, and done again anywhere"
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
        QT_TRANSLATE_NOOP("Actions", "Do what a recipe says; first see whether it fits this file"),
        needs_document=True,
    ),
    ActionSpec(
        "copy_python",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "Copy as &Python"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions", "What was done as a script of plain torch.nn.utils.prune, for a paper"
        ),
        needs_document=True,
    ),
    ActionSpec(
        "load_method",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "&Load method from file…"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Use a pruning method of your own; this runs its code"),
        separated=True,
    ),
    ActionSpec(
        "commands",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "All &commands…"),
        ("Ctrl+Shift+P",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Find a command by its name"),
        separated=True,
    ),
)
