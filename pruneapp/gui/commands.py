"""Every command of the window, declared once.

Menus, the toolbar, shortcuts, the list of commands (Ctrl+Shift+P), the sheet of keys (?) and the
tests are made from `ACTIONS`; what a command does is connected by the window under its id.
"""

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
BY_HAND = f"{PRUNE}/{QT_TRANSLATE_NOOP('Actions', 'By &hand')}"
THEME = f"{VIEW}/{QT_TRANSLATE_NOOP('Actions', '&Theme')}"

ACTIONS: tuple[ActionSpec, ...] = (
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
        QT_TRANSLATE_NOOP("Actions", "Open a folder of shards as one model"),
    ),
    ActionSpec(
        "sample",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Try the &sample"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Open the small model that comes with Pruneapp"),
    ),
    ActionSpec(
        "state_dict",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Choose state &dict…"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Switch to another dict of tensors in this file"),
        separated=True,
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
        QT_TRANSLATE_NOOP("Actions", "Leave Pruneapp"),
        separated=True,
    ),
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
    ActionSpec(
        "page_weights",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Weights"),
        ("1",),
        "",
        QT_TRANSLATE_NOOP("Actions", "The mask over the weights"),
        group="page",
        needs_document=True,
    ),
    ActionSpec(
        "page_distribution",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Distribution"),
        ("2",),
        "",
        QT_TRANSLATE_NOOP("Actions", "How the magnitudes are spread"),
        group="page",
        needs_document=True,
    ),
    ActionSpec(
        "page_channels",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Channels"),
        ("3",),
        "",
        QT_TRANSLATE_NOOP("Actions", "The norm of each channel"),
        group="page",
        needs_document=True,
    ),
    ActionSpec(
        "page_model",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Model"),
        ("4",),
        "",
        QT_TRANSLATE_NOOP("Actions", "The sparsity of each tensor"),
        group="page",
        needs_document=True,
    ),
    ActionSpec(
        "page_compare",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "C&ompare"),
        ("5",),
        "",
        QT_TRANSLATE_NOOP("Actions", "How two states, or two files, differ"),
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
        QT_TRANSLATE_NOOP("Actions", "Show fewer weights, larger"),
        needs_document=True,
    ),
    ActionSpec(
        "zoom_out",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Zoom ou&t"),
        ("-",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Show more weights, smaller"),
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
        QT_TRANSLATE_NOOP("Actions", "Look at the tensor above"),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "next_tensor",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Next tensor"),
        ("]",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Look at the tensor below"),
        needs_document=True,
    ),
    ActionSpec(
        "history_back",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "History &back"),
        ("Alt+Left",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Go to the state before"),
        separated=True,
    ),
    ActionSpec(
        "history_forward",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "History fo&rward"),
        ("Alt+Right",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Go to the state after"),
    ),
    ActionSpec(
        "theme_system",
        THEME,
        QT_TRANSLATE_NOOP("Actions", "As the &system"),
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
    ActionSpec(
        "prune",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "&Prune"),
        ("Ctrl+Return", "Ctrl+Enter"),
        "",
        QT_TRANSLATE_NOOP("Actions", "Do what the form says"),
        needs_document=True,
    ),
    ActionSpec(
        "cancel",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "&Cancel"),
        ("Esc",),
        "",
        QT_TRANSLATE_NOOP("Actions", "Stop the running job; nothing is changed"),
    ),
    ActionSpec(
        "hand_prune",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "&Prune the chosen"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Prune the chosen channels or weights of the picture (Del)"),
        needs_document=True,
    ),
    ActionSpec(
        "hand_restore",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "&Restore the chosen"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Keep them again (R)"),
        needs_document=True,
    ),
    ActionSpec(
        "hand_protect",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "Pr&otect the chosen"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Keep them from every later method (P)"),
        needs_document=True,
    ),
    ActionSpec(
        "hand_release",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "Re&lease the chosen"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Let later methods have them again (Shift+P)"),
        needs_document=True,
    ),
    ActionSpec(
        "in_every_block",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "In &every block"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions",
            "What is done by hand is meant for the tensors of the same role in all blocks; they "
            "are shown before",
        ),
        separated=True,
        checkable=True,
        needs_document=True,
    ),
    ActionSpec(
        "with_companions",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "With &bias and norm"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions",
            "What is done by hand to channels along dim 0 is done to their bias and norm, too",
        ),
        checkable=True,
        needs_document=True,
    ),
    ActionSpec(
        "complete_channels",
        BY_HAND,
        QT_TRANSLATE_NOOP("Actions", "Bias and &norm of pruned channels"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions",
            "Prune them where a whole channel is pruned: a zeroed filter whose norm still has a "
            "beta goes on emitting a constant",
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
        QT_TRANSLATE_NOOP("Actions", "Prune what the masks of a file prune"),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "combine_masks",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "Combine &masks with a file…"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "See how far they agree, and make one mask of both"),
        needs_document=True,
    ),
    ActionSpec(
        "load_scores",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "Load importance &scores…"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Rank weights by the numbers of a file in place of their own"),
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
            "Count the zeros that the file has as pruned, so that amounts go on from there",
        ),
        separated=True,
        needs_document=True,
    ),
    ActionSpec(
        "make_final",
        PRUNE,
        QT_TRANSLATE_NOOP("Actions", "Make &final"),
        (),
        "",
        QT_TRANSLATE_NOOP(
            "Actions",
            "Turn pruned weights of the checked tensors into ordinary zeros, as torch's "
            "remove does",
        ),
        needs_document=True,
    ),
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
        "load_method",
        TOOLS,
        QT_TRANSLATE_NOOP("Actions", "&Load method from file…"),
        (),
        "",
        QT_TRANSLATE_NOOP("Actions", "Use a pruning method of your own; this runs its code"),
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
