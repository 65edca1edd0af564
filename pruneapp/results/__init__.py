"""Data passed to views: frozen, numpy only, without Qt or engine types.

A job computes a result from a snapshot; it is valid for the revision that it names. The request of
an export, created by its dialog, is defined next to its result.
"""
