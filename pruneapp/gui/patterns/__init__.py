"""The check of N:M patterns: its dialog, and the pruning of tensors that violate one.

Patterns are defined in ``analysis.patterns``.
"""
