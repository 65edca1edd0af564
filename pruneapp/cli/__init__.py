"""The command line: one module for each command, with its name.

A command performs the same operations as the window: open, select, preview, export. It does not
import Qt, and imports torch only for a GPU. Code that both need belongs into the packages below.
"""
