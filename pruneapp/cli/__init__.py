"""The command line: one module for each command, named after it.

A command goes the same way as the window: open, select, preview, export. It loads no Qt, and torch
only for a GPU; what both need belongs in the engine below.
"""
