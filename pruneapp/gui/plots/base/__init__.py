"""What every plot is made of: canvas, read-out, table of the same numbers, export.

Nothing of one plot alone.
"""
