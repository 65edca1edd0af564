"""The export formats, one module for each or for a family of them.

A module declares its formats and writes their bytes; ``export.catalog`` lists them. Reading them
again is the work of ``checkpoint``.
"""
