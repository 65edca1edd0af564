"""Every command of the window, declared once.

Menus, the toolbar, shortcuts, the list of commands (Ctrl+Shift+P), the sheet of keys (?) and the
tests are made from `ACTIONS`; what a command does is connected by the window under its id.
"""

from pruneapp.gui.commands.edit import EDIT_ACTIONS
from pruneapp.gui.commands.file import FILE_ACTIONS
from pruneapp.gui.commands.help import HELP_ACTIONS
from pruneapp.gui.commands.prune import PRUNE_ACTIONS
from pruneapp.gui.commands.spec import RECENT, ActionSpec
from pruneapp.gui.commands.tools import TOOLS_ACTIONS
from pruneapp.gui.commands.view import VIEW_ACTIONS

__all__ = ["ACTIONS", "RECENT", "ActionSpec"]

ACTIONS: tuple[ActionSpec, ...] = (
    *FILE_ACTIONS,
    *EDIT_ACTIONS,
    *VIEW_ACTIONS,
    *PRUNE_ACTIONS,
    *TOOLS_ACTIONS,
    *HELP_ACTIONS,
)
