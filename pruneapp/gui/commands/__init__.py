"""Declared commands, from which menus, palette, shortcuts and help are made.

The controller of each feature implements its commands.
"""
