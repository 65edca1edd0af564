"""Manual edits in a plot: prune, restore, protect, unprotect; and treating zeros as pruned.

The selection tools are in ``gui.plots``; the masks are computed in ``edits``.
"""
