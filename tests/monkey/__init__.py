"""Somebody at the window who knows nothing: random clicks, keys, text and files, seeded.

`packaging/dev.py monkey` runs it; docs/reliability.md has the figures.
"""
