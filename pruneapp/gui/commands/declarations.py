"""Declarations of all commands of the window.

Menus, the toolbar, shortcuts, the command palette, the list of shortcuts and the tests are made
from `ACTIONS`. Controllers connect the command of an id to their methods.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pruneapp.gui.widgets.labels import QT_TRANSLATE_NOOP


@dataclass(frozen=True)
class ActionSpec:
    """A command."""

    id: str  # identifier for connections and tests
    text: str  # menu text with its mnemonic
    menu: str = ""  # the menu, see `_in`; ``Menu/Submenu`` for a submenu
    keys: tuple[str, ...] = ()  # shortcuts; the first one is shown
    icon: str = ""  # the name of an SVG in resources/icons
    tip: str = ""  # one line, for the tooltip and the status bar
    group: str = ""  # checkable actions of one group exclude each other
    separated: bool = False  # whether there is a separator above it
    checkable: bool = False  # whether it can be on or off; implied by `group`
    always: bool = False  # whether it is enabled without an open file
    number: int = 0  # index of a numbered command, which replaces ``{n}`` in its text


@dataclass(frozen=True)
class LocalKeys:
    """Keys that have a meaning in a part of the window, and are not a command."""

    keys: tuple[str, ...]
    text: str  # what they do and where
    shown: str = ""  # how the list of shortcuts shows them, if not by their names


FILE, EDIT, VIEW = (
    QT_TRANSLATE_NOOP("Actions", "&File"),
    QT_TRANSLATE_NOOP("Actions", "&Edit"),
    QT_TRANSLATE_NOOP("Actions", "&View"),
)
PRUNE, TOOLS, WINDOW, HELP = (
    QT_TRANSLATE_NOOP("Actions", "&Prune"),
    QT_TRANSLATE_NOOP("Actions", "&Tools"),
    QT_TRANSLATE_NOOP("Actions", "&Window"),
    QT_TRANSLATE_NOOP("Actions", "&Help"),
)
# No f-strings, which lupdate does not read.
RECENT = FILE + "/" + QT_TRANSLATE_NOOP("Actions", "Open &recent")
MANUAL_EDIT = PRUNE + "/" + QT_TRANSLATE_NOOP("Actions", "&Manual edit")
THEME = VIEW + "/" + QT_TRANSLATE_NOOP("Actions", "&Theme")
LANGUAGE = VIEW + "/" + QT_TRANSLATE_NOOP("Actions", "Lan&guage")


def _in(menu: str, *specs: ActionSpec) -> tuple[ActionSpec, ...]:
    return tuple(replace(spec, menu=menu) for spec in specs)


_OPEN = _in(
    FILE,
    ActionSpec(
        "open",
        QT_TRANSLATE_NOOP("Actions", "&Open…"),
        keys=("Ctrl+O",),
        icon="open",
        tip=QT_TRANSLATE_NOOP("Actions", "Open a checkpoint"),
        always=True,
    ),
    ActionSpec(
        "open_folder",
        QT_TRANSLATE_NOOP("Actions", "Open &folder…"),
        keys=("Ctrl+Shift+O",),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Open a model folder: a file of weights, or shards with their index"
        ),
        always=True,
    ),
    ActionSpec(
        "open_location",
        QT_TRANSLATE_NOOP("Actions", "Open &location…"),
        keys=("Ctrl+U",),
        tip=QT_TRANSLATE_NOOP("Actions", "Open a path or the URL of an object store (s3://…)"),
        always=True,
    ),
    ActionSpec(
        "open_in_window",
        QT_TRANSLATE_NOOP("Actions", "Open in &new window…"),
        keys=("Ctrl+Shift+N",),
        tip=QT_TRANSLATE_NOOP("Actions", "Open a checkpoint in a window of its own"),
        always=True,
    ),
    ActionSpec(
        "sample",
        QT_TRANSLATE_NOOP("Actions", "Try the sa&mple"),
        tip=QT_TRANSLATE_NOOP("Actions", "Open the small model included with Pruneapp"),
        always=True,
    ),
)
# Number of listed recent files.
RECENT_FILES = 9
_RECENT = _in(
    RECENT,
    # One per existing recent file, with its path as text.
    *(
        ActionSpec(
            f"recent_{number}",
            QT_TRANSLATE_NOOP("Actions", "Recent file &{n}"),
            keys=(f"Ctrl+{number}",),
            always=True,
            number=number,
        )
        for number in range(1, RECENT_FILES + 1)
    ),
    ActionSpec(
        "pin_file",
        QT_TRANSLATE_NOOP("Actions", "&Pin this file"),
        tip=QT_TRANSLATE_NOOP("Actions", "Keep the open file at the top of the recent files"),
        separated=True,
        checkable=True,
    ),
    ActionSpec(
        "remove_missing",
        QT_TRANSLATE_NOOP("Actions", "Remove &missing files"),
        tip=QT_TRANSLATE_NOOP("Actions", "Remove files that were deleted or moved from the list"),
        always=True,
    ),
    ActionSpec(
        "clear_histories",
        QT_TRANSLATE_NOOP("Actions", "Clear kept &histories…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Delete the undo history, metrics and scans that are kept of closed files"
        ),
        always=True,
    ),
)
_FILE = _in(
    FILE,
    ActionSpec(
        "state_dict",
        QT_TRANSLATE_NOOP("Actions", "Choose state &dict…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Switch to another state dict in this file"),
        separated=True,
        always=True,
    ),
    ActionSpec(
        "save_session",
        QT_TRANSLATE_NOOP("Actions", "&Save session"),
        keys=("Ctrl+S",),
        tip=QT_TRANSLATE_NOOP("Actions", "Save masks, history and view, to continue later"),
        separated=True,
    ),
    ActionSpec(
        "save_session_as",
        QT_TRANSLATE_NOOP("Actions", "Save session &as…"),
        keys=("Ctrl+Shift+S",),
        tip=QT_TRANSLATE_NOOP("Actions", "Save the session to another file"),
    ),
    ActionSpec(
        "export",
        QT_TRANSLATE_NOOP("Actions", "&Export…"),
        keys=("Ctrl+E",),
        icon="export",
        tip=QT_TRANSLATE_NOOP("Actions", "Write the pruned model to a file"),
        separated=True,
    ),
    ActionSpec(
        "close",
        QT_TRANSLATE_NOOP("Actions", "&Close"),
        keys=("Ctrl+W",),
        tip=QT_TRANSLATE_NOOP("Actions", "Close this checkpoint"),
    ),
    ActionSpec(
        "new_window",
        QT_TRANSLATE_NOOP("Actions", "New &window"),
        keys=("Ctrl+N",),
        tip=QT_TRANSLATE_NOOP("Actions", "Open another window, without a file"),
        separated=True,
        always=True,
    ),
    ActionSpec(
        "close_window",
        QT_TRANSLATE_NOOP("Actions", "Close w&indow"),
        keys=("Ctrl+Shift+W",),
        tip=QT_TRANSLATE_NOOP("Actions", "Close this window"),
        always=True,
    ),
    ActionSpec(
        "quit",
        QT_TRANSLATE_NOOP("Actions", "&Quit"),
        keys=("Ctrl+Q",),
        tip=QT_TRANSLATE_NOOP("Actions", "Close all windows"),
        separated=True,
        always=True,
    ),
)
_EDIT = _in(
    EDIT,
    ActionSpec(
        "undo",
        QT_TRANSLATE_NOOP("Actions", "&Undo"),
        keys=("Ctrl+Z",),
        icon="undo",
        tip=QT_TRANSLATE_NOOP("Actions", "Undo the last step"),
    ),
    ActionSpec(
        "redo",
        QT_TRANSLATE_NOOP("Actions", "&Redo"),
        keys=("Ctrl+Shift+Z", "Ctrl+Y"),
        icon="redo",
        tip=QT_TRANSLATE_NOOP("Actions", "Redo the step that was undone"),
    ),
    ActionSpec(
        "find",
        QT_TRANSLATE_NOOP("Actions", "&Filter the tree"),
        keys=("Ctrl+F",),
        tip=QT_TRANSLATE_NOOP("Actions", "Show only tensors whose names match"),
        separated=True,
    ),
    ActionSpec(
        "check_selected",
        QT_TRANSLATE_NOOP("Actions", "C&heck or uncheck selection"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Check the selected rows of the tree, or uncheck them if all are checked (Space there)",
        ),
    ),
    ActionSpec(
        "check_shown",
        QT_TRANSLATE_NOOP("Actions", "Check &all shown"),
        keys=("Ctrl+A",),
        tip=QT_TRANSLATE_NOOP("Actions", "Check all tensors that match the filter"),
    ),
    ActionSpec(
        "check_none",
        QT_TRANSLATE_NOOP("Actions", "U&ncheck all"),
        keys=("Ctrl+Shift+A",),
        tip=QT_TRANSLATE_NOOP("Actions", "Uncheck all tensors"),
    ),
    ActionSpec(
        "check_usual",
        QT_TRANSLATE_NOOP("Actions", "Check &default layers"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Check weights with two or more dimensions, except embeddings and norms"
        ),
    ),
    ActionSpec(
        "copy_name",
        QT_TRANSLATE_NOOP("Actions", "&Copy name"),
        keys=("Ctrl+Shift+C",),
        tip=QT_TRANSLATE_NOOP("Actions", "Copy the full name of the current tensor"),
        separated=True,
    ),
    ActionSpec(
        "copy_channels",
        QT_TRANSLATE_NOOP("Actions", "Copy channel &list"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Copy the indices of the channels selected in Channels (Ctrl+C there)"
        ),
        separated=True,
    ),
    ActionSpec(
        "paste_channels",
        QT_TRANSLATE_NOOP("Actions", "&Paste channel list"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Select in Channels the indices on the clipboard: 0-3, 7 (Ctrl+V there)"
        ),
    ),
    ActionSpec(
        "load_channels",
        QT_TRANSLATE_NOOP("Actions", "L&oad channel list…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Select in Channels the indices in a text file"),
    ),
    ActionSpec(
        "save_channels",
        QT_TRANSLATE_NOOP("Actions", "&Save channel list…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Write the indices of the channels selected in Channels to a text file"
        ),
    ),
    ActionSpec(
        "questions",
        QT_TRANSLATE_NOOP("Actions", "Confir&mations…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Choose which actions ask for confirmation"),
        separated=True,
        always=True,
    ),
)
_VIEW = _in(
    VIEW,
    ActionSpec(
        "page_weights",
        QT_TRANSLATE_NOOP("Actions", "&Weights"),
        keys=("1",),
        tip=QT_TRANSLATE_NOOP("Actions", "Weights with the mask over them"),
        group="page",
    ),
    ActionSpec(
        "page_distribution",
        QT_TRANSLATE_NOOP("Actions", "&Distribution"),
        keys=("2",),
        tip=QT_TRANSLATE_NOOP("Actions", "Histogram of weight magnitudes"),
        group="page",
    ),
    ActionSpec(
        "page_channels",
        QT_TRANSLATE_NOOP("Actions", "&Channels"),
        keys=("3",),
        tip=QT_TRANSLATE_NOOP("Actions", "Norm of each channel"),
        group="page",
    ),
    ActionSpec(
        "page_model",
        QT_TRANSLATE_NOOP("Actions", "&Model"),
        keys=("4",),
        tip=QT_TRANSLATE_NOOP("Actions", "Sparsity of each tensor"),
        group="page",
    ),
    ActionSpec(
        "page_compare",
        QT_TRANSLATE_NOOP("Actions", "C&ompare"),
        keys=("5",),
        tip=QT_TRANSLATE_NOOP("Actions", "Differences between two states or two files"),
        group="page",
    ),
    ActionSpec(
        "page_quality",
        QT_TRANSLATE_NOOP("Actions", "&Quality"),
        keys=("6",),
        tip=QT_TRANSLATE_NOOP("Actions", "Metric of each evaluated state against its sparsity"),
        group="page",
    ),
    ActionSpec(
        "page_sensitivity",
        QT_TRANSLATE_NOOP("Actions", "&Sensitivity"),
        keys=("7",),
        tip=QT_TRANSLATE_NOOP("Actions", "Damage of pruning each tensor alone, as scanned"),
        group="page",
    ),
    ActionSpec(
        "mask",
        QT_TRANSLATE_NOOP("Actions", "Mas&k on and off"),
        keys=("M",),
        tip=QT_TRANSLATE_NOOP("Actions", "Show or hide the mask"),
        separated=True,
    ),
    ActionSpec(
        "zoom_in",
        QT_TRANSLATE_NOOP("Actions", "Zoom &in"),
        keys=("+", "="),
        tip=QT_TRANSLATE_NOOP("Actions", "Zoom in"),
    ),
    ActionSpec(
        "zoom_out",
        QT_TRANSLATE_NOOP("Actions", "Zoom o&ut"),
        keys=("-",),
        tip=QT_TRANSLATE_NOOP("Actions", "Zoom out"),
    ),
    ActionSpec(
        "zoom_fit",
        QT_TRANSLATE_NOOP("Actions", "&Fit"),
        keys=("0",),
        tip=QT_TRANSLATE_NOOP("Actions", "Show the whole tensor"),
    ),
    ActionSpec(
        "previous_tensor",
        QT_TRANSLATE_NOOP("Actions", "&Previous tensor"),
        keys=("[",),
        tip=QT_TRANSLATE_NOOP("Actions", "Show the previous tensor"),
        separated=True,
    ),
    ActionSpec(
        "next_tensor",
        QT_TRANSLATE_NOOP("Actions", "&Next tensor"),
        keys=("]",),
        tip=QT_TRANSLATE_NOOP("Actions", "Show the next tensor"),
    ),
    ActionSpec(
        "tensor_list",
        QT_TRANSLATE_NOOP("Actions", "Tensors as a &list"),
        keys=("Ctrl+L",),
        tip=QT_TRANSLATE_NOOP("Actions", "Show all tensors as a sortable list instead of the tree"),
        checkable=True,
    ),
    ActionSpec(
        "history_back",
        QT_TRANSLATE_NOOP("Actions", "History &back"),
        keys=("Alt+Left",),
        tip=QT_TRANSLATE_NOOP("Actions", "Go to the previous state"),
        separated=True,
    ),
    ActionSpec(
        "history_forward",
        QT_TRANSLATE_NOOP("Actions", "History fo&rward"),
        keys=("Alt+Right",),
        tip=QT_TRANSLATE_NOOP("Actions", "Go to the next state"),
    ),
)
_THEMES = _in(
    THEME,
    ActionSpec("theme_system", QT_TRANSLATE_NOOP("Actions", "&System"), group="theme", always=True),
    ActionSpec("theme_light", QT_TRANSLATE_NOOP("Actions", "&Light"), group="theme", always=True),
    ActionSpec("theme_dark", QT_TRANSLATE_NOOP("Actions", "&Dark"), group="theme", always=True),
    ActionSpec(
        "theme_contrast_light",
        QT_TRANSLATE_NOOP("Actions", "&High contrast, light"),
        group="theme",
        always=True,
    ),
    ActionSpec(
        "theme_contrast_dark",
        QT_TRANSLATE_NOOP("Actions", "High &contrast, dark"),
        group="theme",
        always=True,
    ),
)
_LANGUAGES = _in(
    LANGUAGE,
    ActionSpec(
        "language_system", QT_TRANSLATE_NOOP("Actions", "&System"), group="language", always=True
    ),
    # Not translated: each language is named in itself.
    ActionSpec("language_en", "&English", group="language", always=True),
    ActionSpec("language_zh_CN", "简体中文(&C)", group="language", always=True),
    ActionSpec("language_de", "&Deutsch", group="language", always=True),
)
_STEP = _in(
    PRUNE,
    ActionSpec(
        "preview",
        QT_TRANSLATE_NOOP("Actions", "Pre&view"),
        tip=QT_TRANSLATE_NOOP("Actions", "Preview the step with the current settings"),
    ),
    ActionSpec(
        "prune",
        QT_TRANSLATE_NOOP("Actions", "&Prune"),
        keys=("Ctrl+Return", "Ctrl+Enter"),
        tip=QT_TRANSLATE_NOOP("Actions", "Apply the pruning step"),
    ),
    ActionSpec(
        "prune_in_rounds",
        QT_TRANSLATE_NOOP("Actions", "Ite&rative pruning…"),
        keys=("Ctrl+Shift+Return", "Ctrl+Shift+Enter"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Repeat the pruning step on a sparsity schedule; each round is a step in the history",
        ),
    ),
    ActionSpec(
        "go_to_method",
        QT_TRANSLATE_NOOP("Actions", "Choose the metho&d"),
        keys=("Alt+M",),
        tip=QT_TRANSLATE_NOOP("Actions", "Go to the method in the form"),
    ),
    ActionSpec(
        "go_to_amount",
        QT_TRANSLATE_NOOP("Actions", "Enter the am&ount"),
        keys=("Alt+A",),
        tip=QT_TRANSLATE_NOOP("Actions", "Go to the amount in the form"),
    ),
    ActionSpec(
        "cancel",
        QT_TRANSLATE_NOOP("Actions", "&Cancel"),
        keys=("Esc",),
        tip=QT_TRANSLATE_NOOP("Actions", "Cancel the running job, else clear the preview"),
        always=True,
    ),
    ActionSpec(
        "reset_form",
        QT_TRANSLATE_NOOP("Actions", "Reset &form"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Set the rules, amounts and limits in the form back to their defaults"
        ),
    ),
)
_MANUAL_EDIT = _in(
    MANUAL_EDIT,
    ActionSpec(
        "hand_prune",
        QT_TRANSLATE_NOOP("Actions", "&Prune selection"),
        tip=QT_TRANSLATE_NOOP("Actions", "Prune the selected channels or weights (Del)"),
    ),
    ActionSpec(
        "hand_restore",
        QT_TRANSLATE_NOOP("Actions", "&Restore selection"),
        tip=QT_TRANSLATE_NOOP("Actions", "Restore the selected channels or weights (R)"),
    ),
    ActionSpec(
        "hand_protect",
        QT_TRANSLATE_NOOP("Actions", "Pr&otect selection"),
        tip=QT_TRANSLATE_NOOP("Actions", "Exclude the selection from all later pruning steps (P)"),
    ),
    ActionSpec(
        "hand_release",
        QT_TRANSLATE_NOOP("Actions", "&Unprotect selection"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Allow later steps to prune the selection again (Shift+P)"
        ),
    ),
    ActionSpec(
        "in_every_block",
        QT_TRANSLATE_NOOP("Actions", "Apply to the same layer in all &blocks"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Apply manual edits to the same layer in all blocks; the tensors are listed first",
        ),
        separated=True,
        checkable=True,
    ),
    ActionSpec(
        "with_companions",
        QT_TRANSLATE_NOOP("Actions", "Include matching bias and &norm"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Apply manual edits of output channels (dim 0) to their bias and norm entries",
        ),
        checkable=True,
    ),
    ActionSpec(
        "in_group",
        QT_TRANSLATE_NOOP("Actions", "Include all tensors of the &group"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Apply manual edits of channels to the same units in all tensors that have them",
        ),
        checkable=True,
    ),
    ActionSpec(
        "complete_channels",
        QT_TRANSLATE_NOOP("Actions", "Prune bias and norm of pruned &channels"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Prune the bias and norm entries of fully pruned channels; otherwise a "
            "pruned filter still outputs a constant",
        ),
        separated=True,
    ),
)
_MASKS = _in(
    PRUNE,
    ActionSpec(
        "load_masks",
        QT_TRANSLATE_NOOP("Actions", "&Load masks…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Prune with masks from a file"),
        separated=True,
    ),
    ActionSpec(
        "combine_masks",
        QT_TRANSLATE_NOOP("Actions", "Com&bine masks with a file…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Compare masks with those of a file and combine them"),
    ),
    ActionSpec(
        "load_scores",
        QT_TRANSLATE_NOOP("Actions", "Load importance &scores…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Rank weights by importance scores from a file"),
    ),
    ActionSpec(
        "treat_zeros",
        QT_TRANSLATE_NOOP("Actions", "Treat &zeros as pruned"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Count existing zeros as pruned, so that amounts apply to the remaining weights",
        ),
        separated=True,
    ),
    ActionSpec(
        "make_permanent",
        QT_TRANSLATE_NOOP("Actions", "Mak&e permanent"),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Replace pruned weights of the checked tensors by zeros, like "
            "torch.nn.utils.prune.remove",
        ),
    ),
    ActionSpec(
        "repair",
        QT_TRANSLATE_NOOP("Actions", "Repa&ir…"),
        keys=("Ctrl+R",),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Change the remaining weights so that the outputs of pruned layers come out as before",
        ),
        separated=True,
    ),
)
_TOOLS = _in(
    TOOLS,
    ActionSpec(
        "compare_with",
        QT_TRANSLATE_NOOP("Actions", "Compare &with a file…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Compare with another checkpoint, such as a fine-tuned one"
        ),
    ),
    ActionSpec(
        "check_pattern",
        QT_TRANSLATE_NOOP("Actions", "Chec&k sparsity pattern…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Find tensors and groups that violate a pattern such as 2:4, and repair them"
        ),
    ),
    ActionSpec(
        "evaluate",
        QT_TRANSLATE_NOOP("Actions", "&Evaluate…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Choose an evaluation script, and measure the current state with it"
        ),
        separated=True,
    ),
    ActionSpec(
        "evaluate_state",
        QT_TRANSLATE_NOOP("Actions", "Evaluate &this state"),
        keys=("Ctrl+M",),
        tip=QT_TRANSLATE_NOOP("Actions", "Measure the current state with the evaluation script"),
    ),
    ActionSpec(
        "evaluate_all",
        QT_TRANSLATE_NOOP("Actions", "Eval&uate all states"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Measure all states of the history that were not measured yet"
        ),
    ),
    ActionSpec(
        "scan",
        QT_TRANSLATE_NOOP("Actions", "Scan sensiti&vity…"),
        keys=("Ctrl+Shift+M",),
        tip=QT_TRANSLATE_NOOP(
            "Actions",
            "Prune each checked tensor alone to several amounts, and measure the model each time",
        ),
    ),
    ActionSpec(
        "allocate",
        QT_TRANSLATE_NOOP("Actions", "All&ocate…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Choose the sparsity of each scanned tensor for the least predicted damage"
        ),
    ),
    ActionSpec(
        "save_recipe",
        QT_TRANSLATE_NOOP("Actions", "&Save recipe…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Save the steps of the history as a recipe that can be edited and reapplied"
        ),
        separated=True,
    ),
    ActionSpec(
        "apply_recipe",
        QT_TRANSLATE_NOOP("Actions", "&Apply recipe…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Apply the steps of a recipe, after checking that it matches this file"
        ),
    ),
    ActionSpec(
        "copy_python",
        QT_TRANSLATE_NOOP("Actions", "Copy as &Python"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Copy the history as a script that uses torch.nn.utils.prune"
        ),
    ),
    ActionSpec(
        "load_method",
        QT_TRANSLATE_NOOP("Actions", "&Load method from file…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Load a custom pruning method; this runs its code"),
        separated=True,
        always=True,
    ),
    ActionSpec(
        "plugins",
        QT_TRANSLATE_NOOP("Actions", "Plu&gins…"),
        tip=QT_TRANSLATE_NOOP(
            "Actions", "Choose which installed packages may add methods and formats"
        ),
        always=True,
    ),
    ActionSpec(
        "commands",
        QT_TRANSLATE_NOOP("Actions", "&Command palette…"),
        keys=("Ctrl+Shift+P",),
        tip=QT_TRANSLATE_NOOP("Actions", "Find a command, tensor, method or setting by name"),
        separated=True,
        always=True,
    ),
)
# Number of listed windows.
_WINDOWS = 9
_WINDOW = _in(
    WINDOW,
    # One per open window, with its title as text.
    *(
        ActionSpec(
            f"window_{number}",
            QT_TRANSLATE_NOOP("Actions", "Window &{n}"),
            group="window",
            always=True,
            number=number,
        )
        for number in range(1, _WINDOWS + 1)
    ),
)
_HELP = _in(
    HELP,
    ActionSpec(
        "guide",
        QT_TRANSLATE_NOOP("Actions", "&Guide"),
        keys=("F1",),
        tip=QT_TRANSLATE_NOOP("Actions", "Open the guide"),
        always=True,
    ),
    ActionSpec(
        "tour",
        QT_TRANSLATE_NOOP("Actions", "&Tour"),
        tip=QT_TRANSLATE_NOOP("Actions", "Learn the main steps with the sample, in two minutes"),
        always=True,
    ),
    ActionSpec(
        "keys",
        QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts"),
        keys=("?",),
        tip=QT_TRANSLATE_NOOP("Actions", "List all keyboard shortcuts"),
        always=True,
    ),
    ActionSpec(
        "change_keys",
        QT_TRANSLATE_NOOP("Actions", "&Change keyboard shortcuts…"),
        tip=QT_TRANSLATE_NOOP("Actions", "Choose the keyboard shortcuts of commands"),
        always=True,
    ),
    ActionSpec(
        "about",
        QT_TRANSLATE_NOOP("Actions", "&About Pruneapp"),
        tip=QT_TRANSLATE_NOOP("Actions", "Versions, licenses, and a report for an issue"),
        separated=True,
        always=True,
    ),
)
ACTIONS: tuple[ActionSpec, ...] = (
    *_OPEN,
    *_RECENT,
    *_FILE,
    *_EDIT,
    *_VIEW,
    *_THEMES,
    *_LANGUAGES,
    *_STEP,
    *_MANUAL_EDIT,
    *_MASKS,
    *_TOOLS,
    *_WINDOW,
    *_HELP,
)

LOCAL_KEYS: tuple[LocalKeys, ...] = (
    LocalKeys(("Space",), QT_TRANSLATE_NOOP("Actions", "Check or uncheck in the tree")),
    LocalKeys(
        ("Left", "Right", "Up", "Down"),
        QT_TRANSLATE_NOOP("Actions", "Move the cursor in the picture"),
        "← → ↑ ↓",
    ),
    LocalKeys(
        ("Shift+Left", "Shift+Right", "Shift+Up", "Shift+Down"),
        QT_TRANSLATE_NOOP("Actions", "Select from the cursor; move the threshold"),
        "Shift+← → ↑ ↓",
    ),
    LocalKeys(
        ("Home", "End"),
        QT_TRANSLATE_NOOP("Actions", "First and last weight in the row of the cursor"),
    ),
    LocalKeys(("PgUp", "PgDown"), QT_TRANSLATE_NOOP("Actions", "Move by a page")),
    LocalKeys(
        ("H", "V", "C"),
        QT_TRANSLATE_NOOP("Actions", "Select the row, column or channel at the cursor"),
    ),
    LocalKeys(
        ("Space", "Ctrl+A"),
        QT_TRANSLATE_NOOP("Actions", "Select one channel or all channels, on the Channels page"),
    ),
    LocalKeys(("Del", "Backspace"), QT_TRANSLATE_NOOP("Actions", "Prune the selection")),
    LocalKeys(("R", "Ins"), QT_TRANSLATE_NOOP("Actions", "Restore the selection")),
    LocalKeys(("P", "Shift+P"), QT_TRANSLATE_NOOP("Actions", "Protect or unprotect the selection")),
    LocalKeys(
        ("Ctrl+Left", "Ctrl+Right"),
        QT_TRANSLATE_NOOP("Actions", "Move the threshold or the channel cut"),
        "Ctrl+← →",
    ),
    LocalKeys(
        ("Ctrl+Up", "Ctrl+Down"),
        QT_TRANSLATE_NOOP("Actions", "Move the target, on the Quality page"),
        "Ctrl+↑ ↓",
    ),
    LocalKeys(
        ("+", "=", "-", "_", "0"), QT_TRANSLATE_NOOP("Actions", "Zoom a chart, and show all of it")
    ),
    LocalKeys(("T",), QT_TRANSLATE_NOOP("Actions", "Show the data of the picture as a table")),
    LocalKeys(
        ("Ctrl+C", "Ctrl+V"),
        QT_TRANSLATE_NOOP("Actions", "Copy the selected rows or channels, select copied channels"),
    ),
    LocalKeys(("F2",), QT_TRANSLATE_NOOP("Actions", "Name a state of the history")),
    LocalKeys(
        ("Return", "Enter"), QT_TRANSLATE_NOOP("Actions", "Open or press what has the focus")
    ),
    LocalKeys(
        ("Tab", "Shift+Tab", "Shift+Backtab"),
        QT_TRANSLATE_NOOP("Actions", "Go to the next or previous control"),
        "Tab, Shift+Tab",
    ),
)
