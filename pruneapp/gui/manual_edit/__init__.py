"""Edits made by hand in a plot: prune, restore, protect, unprotect; zeros of the file.

The tools that select stand in ``gui.plots``, the masks are computed in ``edits``.
"""
