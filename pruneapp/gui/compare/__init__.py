"""Comparison and combination of masks."""
