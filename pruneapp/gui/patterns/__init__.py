"""The check of N:M patterns: its dialog, and mending what it finds.

What a pattern is stands in ``analysis.patterns``.
"""
