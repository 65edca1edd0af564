"""Commands, each declared once: menu, palette, shortcut and help follow from the declaration.

What a command does belongs in the controller of its feature.
"""
