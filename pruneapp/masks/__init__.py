"""Which weights are kept: one bit for each, immutable, shared between states.

No weight is read here.
"""
