"""Cutting units out of a model, so that its files are smaller, and proving what was written.

What is cut is decided by the masks of a state, or chosen for this export; `pruneapp.groups` says
what belongs together, `pruneapp.export` writes the files.
"""
