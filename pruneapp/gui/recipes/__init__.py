"""Recipes in the window, and iterative pruning.

Fitting and replaying a recipe is the work of ``recipes``.
"""
