"""Masks of kept weights: one bit per weight, immutable, shared between states.

No code in this package reads weights.
"""
