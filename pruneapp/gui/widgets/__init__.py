"""Widgets, colors, and words that several features use; no view by itself.

Nothing here knows a document.
"""
