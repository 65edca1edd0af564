"""Targets of an export: files, folders, and the files next to the weights.

The contents of weight files are decided elsewhere.
"""
