"""Commands: declared once, as actions, menus, palette and keys."""
