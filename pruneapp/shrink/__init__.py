"""Removes units from a model, so that its files become smaller, and verifies the written files.

The masks of a state, or choices made for this export, decide which units are removed.
`pruneapp.groups` describes which tensors share units, and `pruneapp.export` writes the files.
"""
