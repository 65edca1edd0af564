"""Edits that are not pruning steps: manual edits, masks from files, making permanent.

Each edit computes a proposal from an immutable state, which the document commits. Methods that rank
weights belong in ``methods``.
"""
