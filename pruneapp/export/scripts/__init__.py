"""Generate Python code that loads an export, compares it, or reproduces it with torch.

Only text is generated; the packages that the code uses are not imported.
"""
