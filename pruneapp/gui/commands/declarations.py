"""Declarations of all commands of the window, and of keys that are no command.

Menus, the toolbar, shortcuts, the command palette, the list of shortcuts and the tests are made
from `COMMANDS`. Controllers connect the command of an id to their methods. The texts are collected
for translators by packaging/translations.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pruneapp.gui.widgets.color_maps import COLOR_MAPS


@dataclass(frozen=True)
class MenuCommand:
    """A command."""

    id: str  # identifier for connections and tests
    text: str  # menu text with its mnemonic; ``{n}`` stands for the number
    tip: str = ""  # one line, for the tooltip and the status bar
    shortcuts: str = ""  # separated by spaces; the first one is shown
    menu: str = ""  # the menu, see `_in`; ``Menu/Submenu`` for a submenu
    icon: str = ""  # the name of an SVG in resources/icons
    group: str = ""  # checkable commands of one group exclude each other
    checkable: bool = False  # whether it can be on or off; implied by `group`
    always: bool = False  # whether it is enabled without an open file
    separated: bool = False  # whether there is a separator above it
    number: int = 0  # index of a numbered command

    @property
    def keys(self) -> tuple[str, ...]:
        """The default shortcuts."""
        return tuple(self.shortcuts.split())


@dataclass(frozen=True)
class LocalKeys:
    """Keys that have a meaning in a part of the window, and are not a command."""

    shortcuts: str
    text: str  # what they do and where
    shown: str = ""  # how the list of shortcuts shows them, if not by their names

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.shortcuts.split())


FILE, EDIT, VIEW = "&File", "&Edit", "&View"
PRUNE, TOOLS, WINDOW, HELP = "&Prune", "&Tools", "&Window", "&Help"
RECENT = f"{FILE}/Open &recent"
MANUAL_EDIT = f"{PRUNE}/&Manual edit"
THEME, LANGUAGE = f"{VIEW}/&Theme", f"{VIEW}/Lan&guage"
COLOR_MAP = f"{VIEW}/Color m&ap"
RECENT_FILES = 9  # number of listed recent files
_WINDOWS = 9  # number of listed windows


def _in(menu: str, *commands: MenuCommand) -> tuple[MenuCommand, ...]:
    return tuple(replace(command, menu=menu) for command in commands)


COMMANDS: tuple[MenuCommand, ...] = (
    *_in(
        FILE,
        MenuCommand("open", "&Open…", "Open a checkpoint", "Ctrl+O", icon="open", always=True),
        MenuCommand(
            "open_folder",
            "Open &folder…",
            "Open a model folder: a file of weights, or shards with their index",
            "Ctrl+Shift+O",
            always=True,
        ),
        MenuCommand(
            "open_location",
            "Open &location…",
            "Open a path or the URL of an object store (s3://…)",
            "Ctrl+U",
            always=True,
        ),
        MenuCommand(
            "open_in_window",
            "Open in &new window…",
            "Open a checkpoint in a new window",
            "Ctrl+Shift+N",
            always=True,
        ),
        MenuCommand(
            "sample", "Try the sa&mple", "Open the small model included with Pruneapp", always=True
        ),
    ),
    *_in(
        RECENT,
        *(
            MenuCommand(
                f"recent_{n}", "Recent file &{n}", shortcuts=f"Ctrl+{n}", always=True, number=n
            )
            for n in range(1, RECENT_FILES + 1)
        ),
        MenuCommand(
            "pin_file",
            "&Pin this file",
            "Keep the open file at the top of the recent files",
            checkable=True,
            separated=True,
        ),
        MenuCommand(
            "remove_missing",
            "Remove &missing files",
            "Remove files that were deleted or moved from the list",
            always=True,
        ),
        MenuCommand(
            "clear_histories",
            "Clear saved &histories…",
            "Delete the saved undo history, metrics and scans of closed files",
            always=True,
        ),
    ),
    *_in(
        FILE,
        MenuCommand(
            "state_dict",
            "Choose state &dict…",
            "Switch to another state dict in this file",
            always=True,
            separated=True,
        ),
        MenuCommand(
            "save_session",
            "&Save session",
            "Save masks, history and view, to continue later",
            "Ctrl+S",
            separated=True,
        ),
        MenuCommand(
            "save_session_as",
            "Save session &as…",
            "Save the session to another file",
            "Ctrl+Shift+S",
        ),
        MenuCommand(
            "export",
            "&Export…",
            "Write the pruned model to a file",
            "Ctrl+E",
            icon="export",
            separated=True,
        ),
        MenuCommand(
            "report",
            "Re&port…",
            "Write all states, metrics, checksums and the recipe to an HTML page",
        ),
        MenuCommand("close", "&Close", "Close this checkpoint", "Ctrl+W"),
        MenuCommand(
            "new_window",
            "New &window",
            "Open another window, without a file",
            "Ctrl+N",
            always=True,
            separated=True,
        ),
        MenuCommand(
            "close_window", "Close w&indow", "Close this window", "Ctrl+Shift+W", always=True
        ),
        MenuCommand("quit", "&Quit", "Close all windows", "Ctrl+Q", always=True, separated=True),
    ),
    *_in(
        EDIT,
        MenuCommand("undo", "&Undo", "Undo the last step", "Ctrl+Z", icon="undo"),
        MenuCommand(
            "redo", "&Redo", "Redo the step that was undone", "Ctrl+Shift+Z Ctrl+Y", icon="redo"
        ),
        MenuCommand(
            "find",
            "&Filter the tree",
            "Show only tensors whose names match",
            "Ctrl+F",
            separated=True,
        ),
        MenuCommand(
            "check_selected",
            "C&heck or uncheck selection",
            "Check the selected rows of the tree, or uncheck them if all are checked (Space there)",
        ),
        MenuCommand(
            "check_shown", "Check &all shown", "Check all tensors that match the filter", "Ctrl+A"
        ),
        MenuCommand("check_none", "U&ncheck all", "Uncheck all tensors", "Ctrl+Shift+A"),
        MenuCommand(
            "check_usual",
            "Check &default layers",
            "Check weights with two or more dimensions, except embeddings and norms",
        ),
        MenuCommand(
            "copy_name",
            "&Copy name",
            "Copy the full name of the current tensor",
            "Ctrl+Shift+C",
            separated=True,
        ),
        MenuCommand(
            "copy_channels",
            "Copy channel &list",
            "Copy the indices of the channels selected in Channels (Ctrl+C there)",
            separated=True,
        ),
        MenuCommand(
            "paste_channels",
            "&Paste channel list",
            "Select in Channels the indices on the clipboard: 0-3, 7 (Ctrl+V there)",
        ),
        MenuCommand(
            "load_channels", "L&oad channel list…", "Select in Channels the indices in a text file"
        ),
        MenuCommand(
            "save_channels",
            "&Save channel list…",
            "Write the indices of the channels selected in Channels to a text file",
        ),
        MenuCommand(
            "questions",
            "Confir&mations…",
            "Choose which actions ask for confirmation",
            always=True,
            separated=True,
        ),
    ),
    *_in(
        VIEW,
        MenuCommand(
            "page_weights", "&Weights", "Weights with the mask over them", "1", group="page"
        ),
        MenuCommand(
            "page_distribution",
            "&Distribution",
            "Histogram of weight magnitudes",
            "2",
            group="page",
        ),
        MenuCommand("page_channels", "&Channels", "Norm of each channel", "3", group="page"),
        MenuCommand("page_model", "&Model", "Sparsity of each tensor", "4", group="page"),
        MenuCommand(
            "page_compare",
            "C&ompare",
            "Differences between two states or two files",
            "5",
            group="page",
        ),
        MenuCommand(
            "page_quality",
            "&Quality",
            "Metric of each evaluated state against its sparsity",
            "6",
            group="page",
        ),
        MenuCommand(
            "page_sensitivity",
            "&Sensitivity",
            "Quality loss of pruning each tensor alone, as scanned",
            "7",
            group="page",
        ),
        MenuCommand(
            "page_graph", "Grap&h", "Operators of an ONNX, .pt2 or traced model", "8", group="page"
        ),
        MenuCommand("mask", "Mas&k on and off", "Show or hide the mask", "M", separated=True),
        MenuCommand("zoom_in", "Zoom &in", "Zoom in", "+ ="),
        MenuCommand("zoom_out", "Zoom o&ut", "Zoom out", "-"),
        MenuCommand("zoom_fit", "&Fit", "Show the whole tensor", "0"),
        MenuCommand(
            "previous_tensor", "&Previous tensor", "Show the previous tensor", "[", separated=True
        ),
        MenuCommand("next_tensor", "&Next tensor", "Show the next tensor", "]"),
        MenuCommand(
            "go_to_input",
            "Previous lay&er",
            "Show the layer that feeds the current tensor, as in Connections",
            "Ctrl+[",
        ),
        MenuCommand(
            "go_to_output",
            "Next la&yer",
            "Show the layer that the current tensor feeds, as in Connections",
            "Ctrl+]",
        ),
        MenuCommand(
            "tensor_list",
            "Tensors as a &list",
            "Show all tensors as a sortable list instead of the tree",
            "Ctrl+L",
            checkable=True,
        ),
        MenuCommand(
            "history_back", "History &back", "Go to the previous state", "Alt+Left", separated=True
        ),
        MenuCommand("history_forward", "History fo&rward", "Go to the next state", "Alt+Right"),
        MenuCommand(
            "jobs",
            "&Jobs",
            "Show or hide the running and queued jobs",
            "Ctrl+J",
            separated=True,
            always=True,
        ),
    ),
    *_in(
        COLOR_MAP,
        *(
            MenuCommand(f"color_map_{each.name}", each.text, group="color_map", always=True)
            for each in COLOR_MAPS
        ),
    ),
    *_in(
        THEME,
        MenuCommand("theme_system", "&System", group="theme", always=True),
        MenuCommand("theme_light", "&Light", group="theme", always=True),
        MenuCommand("theme_dark", "&Dark", group="theme", always=True),
        MenuCommand("theme_contrast_light", "&High contrast, light", group="theme", always=True),
        MenuCommand("theme_contrast_dark", "High &contrast, dark", group="theme", always=True),
    ),
    *_in(
        LANGUAGE,
        MenuCommand("language_system", "&System", group="language", always=True),
        MenuCommand("language_en", "&English", group="language", always=True),
        MenuCommand("language_zh_CN", "简体中文(&C)", group="language", always=True),
        MenuCommand("language_de", "&Deutsch", group="language", always=True),
    ),
    *_in(
        PRUNE,
        MenuCommand("preview", "Previe&w", "Preview the step with the current settings"),
        MenuCommand("prune", "&Prune", "Apply the pruning step", "Ctrl+Return Ctrl+Enter"),
        MenuCommand(
            "prune_in_rounds",
            "Ite&rative pruning…",
            "Repeat the pruning step on a sparsity schedule; each round is a step in the history",
            "Ctrl+Shift+Return Ctrl+Shift+Enter",
        ),
        MenuCommand("go_to_method", "Choose the metho&d", "Go to the method in the form", "Alt+M"),
        MenuCommand("go_to_amount", "Enter the am&ount", "Go to the amount in the form", "Alt+A"),
        MenuCommand(
            "cancel",
            "&Cancel",
            "Close a panel or notice, or cancel the running job, or clear the preview",
            "Esc",
            always=True,
        ),
        MenuCommand(
            "reset_form",
            "Reset &form",
            "Set the rules, amounts and limits in the form back to their defaults",
        ),
    ),
    *_in(
        MANUAL_EDIT,
        MenuCommand(
            "hand_prune", "&Prune selection", "Prune the selected channels or weights (Del)"
        ),
        MenuCommand(
            "hand_restore", "&Restore selection", "Restore the selected channels or weights (R)"
        ),
        MenuCommand(
            "hand_protect",
            "Pr&otect selection",
            "Exclude the selection from all later pruning steps (P)",
        ),
        MenuCommand(
            "hand_release",
            "&Unprotect selection",
            "Allow later steps to prune the selection again (Shift+P)",
        ),
        MenuCommand(
            "in_every_block",
            "Apply to the same layer in all &blocks",
            "Apply manual edits to the same layer in all blocks; the tensors are listed first",
            checkable=True,
            separated=True,
        ),
        MenuCommand(
            "with_companions",
            "Include bias and &norm layers",
            "Apply manual edits of output channels (dim 0) to their bias and norm entries",
            checkable=True,
        ),
        MenuCommand(
            "in_group",
            "Include all tensors of the &group",
            "Apply manual edits of channels to the matching channels of their whole group",
            checkable=True,
        ),
        MenuCommand(
            "complete_channels",
            "Prune bias and norm of pruned &channels",
            "Prune the bias and norm entries of fully pruned channels; "
            "otherwise a pruned filter still outputs a constant",
            separated=True,
        ),
    ),
    *_in(
        PRUNE,
        MenuCommand("load_masks", "&Load masks…", "Prune with masks from a file", separated=True),
        MenuCommand(
            "combine_masks",
            "Com&bine masks with a file…",
            "Compare masks with those of a file and combine them",
        ),
        MenuCommand(
            "load_scores",
            "Load importance &scores…",
            "Rank weights by importance scores from a file",
        ),
        MenuCommand(
            "treat_zeros",
            "Treat &zeros as pruned",
            "Count existing zeros as pruned, so that amounts apply to the remaining weights",
            separated=True,
        ),
        MenuCommand(
            "make_permanent",
            "Mak&e permanent",
            "Replace pruned weights of the checked tensors by zeros, "
            "like torch.nn.utils.prune.remove",
        ),
        MenuCommand(
            "repair",
            "Repa&ir…",
            "Adjust the remaining weights so that each layer's output stays close to that of the "
            "unpruned model",
            "Ctrl+R",
            separated=True,
        ),
        MenuCommand(
            "recover",
            "Reco&ver…",
            "Train the remaining weights while pruned ones stay zero: distill the unpruned model, "
            "or run your own training",
            "Ctrl+Shift+R",
        ),
    ),
    *_in(
        TOOLS,
        MenuCommand(
            "compare_with",
            "Compare &with a file…",
            "Compare with another checkpoint, such as a fine-tuned one",
        ),
        MenuCommand(
            "check_pattern",
            "Chec&k sparsity pattern…",
            "Find tensors and groups that violate a pattern such as 2:4, and prune them to it",
        ),
        MenuCommand(
            "generate",
            "Gene&rate…",
            "Compare the answers of the unpruned model and of the current state to your prompts",
        ),
        MenuCommand(
            "evaluate",
            "&Evaluate…",
            "Choose an evaluation script, and measure the current state with it",
            separated=True,
        ),
        MenuCommand(
            "evaluate_state",
            "Evaluate &this state",
            "Measure the current state with the evaluation script",
            "Ctrl+M",
        ),
        MenuCommand(
            "evaluate_all",
            "Eval&uate all states",
            "Measure all states of the history that were not measured yet",
        ),
        MenuCommand(
            "trace_model",
            "Trace the mo&del…",
            "Find the connections of the layers: torch.export records the operations of the model "
            "while your script calls it once",
        ),
        MenuCommand(
            "scan",
            "Scan sensiti&vity…",
            "Prune each checked tensor alone to several amounts, and measure the model each time",
            "Ctrl+Shift+M",
        ),
        MenuCommand(
            "allocate",
            "All&ocate…",
            "Choose the sparsity of each scanned tensor for the least predicted quality loss",
        ),
        MenuCommand(
            "frontier",
            "&Frontier…",
            "Pareto frontier: prune to several sparsities, and measure each with and without "
            "recovery",
        ),
        MenuCommand(
            "shrink",
            "Shri&nk…",
            "Remove neurons, heads, channels or layers from the model, and export the smaller "
            "model",
            separated=True,
        ),
        MenuCommand(
            "save_recipe",
            "&Save recipe…",
            "Save the steps of the history as a recipe that can be edited and reapplied",
            separated=True,
        ),
        MenuCommand(
            "apply_recipe",
            "&Apply recipe…",
            "Apply the steps of a recipe, after checking that it matches this file",
        ),
        MenuCommand(
            "copy_python",
            "Copy as &Python",
            "Copy the history as a script that uses torch.nn.utils.prune",
        ),
        MenuCommand(
            "load_method",
            "&Load method from file…",
            "Load a custom pruning method; this runs its code",
            always=True,
            separated=True,
        ),
        MenuCommand(
            "plugins",
            "Plu&gins…",
            "Choose which installed packages may add methods and formats",
            always=True,
        ),
        MenuCommand(
            "commands",
            "&Command palette…",
            "Find a command, tensor, method or setting by name",
            "Ctrl+Shift+P",
            always=True,
            separated=True,
        ),
    ),
    *_in(
        WINDOW,
        *(
            MenuCommand(f"window_{n}", "Window &{n}", group="window", always=True, number=n)
            for n in range(1, _WINDOWS + 1)
        ),
    ),
    *_in(
        HELP,
        MenuCommand("guide", "&Guide", "Open the guide", "F1", always=True),
        MenuCommand(
            "tour", "&Tour", "Learn the main steps with the sample, in two minutes", always=True
        ),
        MenuCommand("keys", "&Keyboard shortcuts", "List all keyboard shortcuts", "?", always=True),
        MenuCommand(
            "change_keys",
            "&Change keyboard shortcuts…",
            "Choose the keyboard shortcuts of commands",
            always=True,
        ),
        MenuCommand(
            "about",
            "&About Pruneapp",
            "Versions, licenses, and a report for an issue",
            always=True,
            separated=True,
        ),
    ),
)

LOCAL_KEYS: tuple[LocalKeys, ...] = (
    LocalKeys("Space", "Check or uncheck in the tree"),
    LocalKeys(
        "Left Right PgUp PgDown Home", "Move or reset a contrast limit", "← → PgUp PgDn Home"
    ),
    LocalKeys("Left Right Up Down", "Move the cursor in the picture", "← → ↑ ↓"),
    LocalKeys(
        "Shift+Left Shift+Right Shift+Up Shift+Down",
        "Select from the cursor; move the threshold",
        "Shift+← → ↑ ↓",
    ),
    LocalKeys("Home End", "First and last weight in the row of the cursor"),
    LocalKeys("PgUp PgDown", "Move by a page"),
    LocalKeys("H V C", "Select the row, column or channel at the cursor"),
    LocalKeys("Space Ctrl+A", "Select one channel or all channels, on the Channels tab"),
    LocalKeys("Del Backspace", "Prune the selection"),
    LocalKeys("R Ins", "Restore the selection"),
    LocalKeys("P Shift+P", "Protect or unprotect the selection"),
    LocalKeys("Ctrl+Left Ctrl+Right", "Move the threshold or the number of channels", "Ctrl+← →"),
    LocalKeys("Ctrl+Up Ctrl+Down", "Move the target, on the Quality tab", "Ctrl+↑ ↓"),
    LocalKeys("+ = - _ 0", "Zoom a chart, and show all of it"),
    LocalKeys("T", "Show the data of the picture as a table"),
    LocalKeys("Ctrl+C Ctrl+V", "Copy the selected rows or channels; paste a channel list"),
    LocalKeys("F2", "Edit the name or the note of a state of the history"),
    LocalKeys("Return Enter", "Activate the focused control"),
    LocalKeys(
        "Tab Shift+Tab Shift+Backtab", "Go to the next or previous control", "Tab, Shift+Tab"
    ),
)
