"""Widgets, colors and texts that several features use.

Nothing here depends on the open document.
"""
