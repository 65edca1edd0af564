"""Edits that are not pruning steps: manual edits, masks from files, making permanent.

Each computes a proposal from a frozen state, for the document to commit. Ranking weights belongs
in ``methods``.
"""
