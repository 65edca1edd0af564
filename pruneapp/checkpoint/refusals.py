"""Files that are often taken for checkpoints, and what to do with each."""

from __future__ import annotations

from pruneapp.checkpoint.source import FileSource


def explain(head: bytes, source: FileSource) -> None:
    """Raise the error that says what a file is, if its first bytes tell; else return."""
