"""The check of N:M patterns: its dialog, and the repair of tensors that violate one.

Patterns are defined in ``analysis.patterns``.
"""
