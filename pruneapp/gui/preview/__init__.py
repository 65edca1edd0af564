"""The preview: estimate and exact result of the step, its figures, and the Prune button.

What is previewed is kept in one place, and all views are told from there.
"""
