"""Bytes: read by position, written atomically.

No format of a file is known here.
"""
