"""The command line: commands, their options, and what they print.

A command is a function that performs the same operations as the window (open, select, preview,
export) and returns an `Output`. It does not import Qt, and imports torch only for a GPU. Code that
both need belongs into the packages below.
"""
