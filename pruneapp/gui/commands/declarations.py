"""Every command of the window, declared once.

Menus, the toolbar, shortcuts, the list of commands (Ctrl+Shift+P), the sheet of keys (?) and the
tests are made from `ACTIONS`; what a command does is connected by the window under its id.

Commands for files: opening, exporting, closing.

Commands for the history, for check marks and names.

Commands for pages and pictures, for moving among tensors and states, and the theme.

Commands that change what is pruned: by the form, by hand, by files.

Commands for other files and methods, and the list of all commands.

Commands that explain.
"""

from __future__ import annotations

from pruneapp.gui.commands.command import (
    BY_HAND,
    EDIT,
    FILE,
    HELP,
    PRUNE,
    QT_TRANSLATE_NOOP,
    THEME,
    TOOLS,
    VIEW,
    ActionSpec,
)

PRUNE_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "preview",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "Pre&view"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Preview the step with the current settings"),
        needs_document=True,
    ),
    ActionSpec(
        "prune",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "&Prune"),
        ("Ctrl+Return", "Ctrl+Enter"),
        "",
        QT_TRANSLATE_NOOP("Actions", "Apply the pruning step"),
        needs_document=True,
    ),
    ActionSpec(
        "prune_in_rounds",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "Ite&rative pruning…"),
        ("Ctrl+Shift+Return", "Ctrl+Shift+Enter"),
        "",
        QT_TRANSLATE_NOOP(
            "Actions",
            "Repeat the pruning step on a sparsity schedule; each round is a step in the history",
        ),
        needs_document=True,
    ),
    ActionSpec(
        "go_to_method",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "Choose the metho&d"),
        ("Alt+M",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Go to the method in the form"),
        needs_document=True,
    ),
    ActionSpec(
        "go_to_amount",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "Enter the am&ount"),
        ("Alt+A",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Go to the amount in the form"),
        needs_document=True,
    ),
    ActionSpec(
        "cancel",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "&Cancel"),
        ("Esc",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Cancel the running job, else clear the preview"),
    ),
    ActionSpec(
        "reset_form",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "Reset &form"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions", "Set the rules, amounts and limits in the form back to their defaults"
        ),
        needs_document=True,
    ),
    ActionSpec(
        "hand_prune",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "&Prune selection"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Prune the selected channels or weights (Del)"),
        needs_document=True,
    ),
    ActionSpec(
        "hand_restore",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "&Restore selection"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Restore the selected channels or weights (R)"),
        needs_document=True,
    ),
    ActionSpec(
        "hand_protect",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "Pr&otect selection"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Exclude the selection from all later pruning steps (P)"),
        needs_document=True,
    ),
    ActionSpec(
        "hand_release",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "&Unprotect selection"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Allow later steps to prune the selection again (Shift+P)"),
        needs_document=True,
    ),
    ActionSpec(
        "in_every_block",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "Apply to the same layer in all &blocks"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions",
            "Apply manual edits to the same layer in all blocks; the tensors are listed first",
        ),
        separated=True,
        checkable=True,
        needs_document=True,
    ),
    ActionSpec(
        "with_companions",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "Include matching bias and &norm"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions",
            "Apply manual edits of output channels (dim 0) to their bias and norm entries",
        ),
        checkable=True,
        needs_document=True,
    ),
    ActionSpec(
        "complete_channels",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "Prune bias and norm of pruned &channels"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions",
            "Prune the bias and norm entries of fully pruned channels; otherwise a "
            "pruned filter still outputs a constant",
        ),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "load_masks",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "&Load masks…"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Prune with masks from a file"),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "combine_masks",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "Combine &masks with a file…"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Compare masks with those of a file and combine them"),
        needs_document=True,
    ),
    ActionSpec(
        "load_scores",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "Load importance &scores…"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Rank weights by importance scores from a file"),
        needs_document=True,
    ),
    ActionSpec(
        "treat_zeros",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "Treat &zeros as pruned"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions",
            "Count existing zeros as pruned, so that amounts apply to the remaining weights",
        ),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "make_final",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "Make &permanent"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions",
            "Replace pruned weights of the checked tensors by zeros, like "
            "torch.nn.utils.prune.remove",
        ),
        needs_document=True,
    ),
)


FILE_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "open",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Open…"),
        ("Ctrl+O",),
        "open",
        QT_TRANSLATE_NOOP("Actions", "Open a checkpoint"),
    ),
    ActionSpec(
        "open_folder",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Open &folder…"),
        ("Ctrl+Shift+O",),
        "",
        QT_TRANSLATE_NOOP(
            "Actions", "Open a model folder: a file of weights, or shards with their index"
        ),
    ),
    ActionSpec(
        "sample",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Try the &sample"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Open the small model included with Pruneapp"),
    ),
    ActionSpec(
        "state_dict",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Choose state &dict…"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Switch to another state dict in this file"),
        separated=True,
    ),
    ActionSpec(
        "save_session",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Save session"),
        ("Ctrl+S",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Save masks, history and view, to continue later"),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "save_session_as",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Save session &as…"),
        ("Ctrl+Shift+S",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Save the session to another file"),
        needs_document=True,
    ),
    ActionSpec(
        "export",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Export…"),
        ("Ctrl+E",),
        "export",
        QT_TRANSLATE_NOOP("Actions", "Write the pruned model to a file"),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "close",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Close"),
        ("Ctrl+W",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Close this checkpoint"),
        needs_document=True,
    ),
    ActionSpec(
        "quit",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Quit"),
        ("Ctrl+Q",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Quit Pruneapp"),
        separated=True,
    ),
)


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


VIEW_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "page_weights",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Weights"),
        ("1",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Weights with the mask over them"),
        group="page",
        needs_document=True,
    ),
    ActionSpec(
        "page_distribution",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Distribution"),
        ("2",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Histogram of weight magnitudes"),
        group="page",
        needs_document=True,
    ),
    ActionSpec(
        "page_channels",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Channels"),
        ("3",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Norm of each channel"),
        group="page",
        needs_document=True,
    ),
    ActionSpec(
        "page_model",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Model"),
        ("4",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Sparsity of each tensor"),
        group="page",
        needs_document=True,
    ),
    ActionSpec(
        "page_compare",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "C&ompare"),
        ("5",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Differences between two states or two files"),
        group="page",
        needs_document=True,
    ),
    ActionSpec(
        "mask",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Mask &on and off"),
        ("M",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Show or hide the mask"),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "zoom_in",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Zoom &in"),
        ("+", "="),
        "",
        QT_TRANSLATE_NOOP("Actions", "Zoom in"),
        needs_document=True,
    ),
    ActionSpec(
        "zoom_out",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Zoom ou&t"),
        ("-",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Zoom out"),
        needs_document=True,
    ),
    ActionSpec(
        "zoom_fit",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Fit"),
        ("0",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Show the whole tensor"),
        needs_document=True,
    ),
    ActionSpec(
        "previous_tensor",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Previous tensor"),
        ("[",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Show the previous tensor"),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "next_tensor",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Next tensor"),
        ("]",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Show the next tensor"),
        needs_document=True,
    ),
    ActionSpec(
        "tensor_list",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Tensors as a &list"),
        ("Ctrl+L",),
        "",
        QT_TRANSLATE_NOOP(
            "Actions", "List all tensors below each other, to be sorted, instead of the tree"
        ),
        checkable=True,
        needs_document=True,
    ),
    ActionSpec(
        "history_back",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "History &back"),
        ("Alt+Left",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Go to the previous state"),
        separated=True,
    ),
    ActionSpec(
        "history_forward",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "History fo&rward"),
        ("Alt+Right",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Go to the next state"),
    ),
    ActionSpec(
        "theme_system",
        THEME,
        QT_TRANSLATE_NOOP("Actions", "&System"),
        (),
        "",
        "",
        group="theme",
    ),
    ActionSpec(
        "theme_light", THEME, QT_TRANSLATE_NOOP("Actions", "&Light"), (), "", "", group="theme"
    ),
    ActionSpec(
        "theme_dark", THEME, QT_TRANSLATE_NOOP("Actions", "&Dark"), (), "", "", group="theme"
    ),
)


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


ACTIONS: tuple[ActionSpec, ...] = (
    *FILE_ACTIONS,
    *EDIT_ACTIONS,
    *VIEW_ACTIONS,
    *PRUNE_ACTIONS,
    *TOOLS_ACTIONS,
    *HELP_ACTIONS,
)
