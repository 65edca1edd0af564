"""What a tensor is called in labels."""

from __future__ import annotations

from pruneapp.checkpoint.entry_tree import WRAPPERS

# What wrappers put before every name, DataParallel among them; it says nothing about the model.
IN_FRONT = WRAPPERS | {"module"}


def shown_parts(name: str) -> list[str]:
    """Return the parts of a name between its dots, without what wrappers put before it."""
    parts = name.split(".")
    while len(parts) > 1 and parts[0] in IN_FRONT:
        parts = parts[1:]
    return parts


def shown_name(name: str) -> str:
    """Return a name for a label: without wrappers, and a module's weight as the module itself."""
    parts = shown_parts(name)
    if len(parts) > 1 and parts[-1] == "weight":
        parts.pop()
    return ".".join(parts)
