"""Recipes in the window, and iterative pruning.

Recipes are matched and replayed in the package ``recipes``.
"""
