"""Random input to the window: seeded clicks, keys, text and files.

`packaging/dev.py monkey` runs it; the results are in docs/reliability.md.
"""
