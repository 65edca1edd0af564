"""Editing by hand."""
