"""Text from a file in messages about it."""

from __future__ import annotations

from pruneapp.errors import escaped


def show(name: str) -> str:
    """Make text from a file fit for a message: one line, at most 80 long."""
    if len(name) > 80:
        name = f"{name[:50]}…{name[-29:]}"
    return escaped(name)
