"""Every command of the window, declared once.

Menus, the toolbar, shortcuts, the list of commands (Ctrl+Shift+P), the sheet of keys (?) and the
tests are made from `ACTIONS`; what a command does is connected by the window under its id.
"""

from pruneapp.gui.commands.command import RECENT, ActionSpec
from pruneapp.gui.commands.declarations import PRUNE_ACTIONS
from pruneapp.gui.commands.declarations_edit import EDIT_ACTIONS
from pruneapp.gui.commands.declarations_file import FILE_ACTIONS
from pruneapp.gui.commands.declarations_help import HELP_ACTIONS
from pruneapp.gui.commands.declarations_tools import TOOLS_ACTIONS
from pruneapp.gui.commands.declarations_view import VIEW_ACTIONS

__all__ = ["ACTIONS", "RECENT", "ActionSpec"]

ACTIONS: tuple[ActionSpec, ...] = (
    *FILE_ACTIONS,
    *EDIT_ACTIONS,
    *VIEW_ACTIONS,
    *PRUNE_ACTIONS,
    *TOOLS_ACTIONS,
    *HELP_ACTIONS,
)
