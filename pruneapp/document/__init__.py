"""The document: an opened checkpoint, its masks, and the history of its edits.

States are immutable: undo replaces references and reads no weights. Analyses of a state belong in
``analysis``; code that changes a state belongs in ``edits`` and ``preview``.
"""
