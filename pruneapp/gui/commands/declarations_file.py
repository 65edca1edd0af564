"""Commands for files: opening, exporting, closing."""

from __future__ import annotations

from pruneapp.gui.commands.command import FILE, QT_TRANSLATE_NOOP, ActionSpec

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
