"""The export dialog and the report of an export.

Sizes, plans and files are the engine's (``export``).
"""
