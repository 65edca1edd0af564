"""Export formats, one module for each format or family.

A module declares its formats and plans their bytes; ``export.catalog`` lists them. The package
``checkpoint`` reads the files.
"""
