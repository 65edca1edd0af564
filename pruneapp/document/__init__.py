"""The document: what was opened, what is pruned, and the history of how it came to be.

States are frozen, and undo swaps references; no weight is read here. Questions about a state
belong in ``analysis``, what changes it in ``edits`` and ``preview``.
"""
