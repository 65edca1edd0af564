"""Text from a file in messages about it."""

from __future__ import annotations


def show(name: str) -> str:
    """Make text from a file fit for a message: no control characters, at most 80 long."""
    if len(name) > 80:
        name = f"{name[:50]}…{name[-29:]}"
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in name)
