"""Names as people want to see them."""

from __future__ import annotations

from collections.abc import Sequence

# Wrappers put these between the names that the model gave.
WRAPPERS = frozenset(
    {
        "_orig_mod",  # torch.compile
        "_fsdp_wrapped_module",
        "_checkpoint_wrapped_module",
        "_forward_module",  # Lightning Fabric
    }
)
# These are told from names of the model's own only where every name begins with them:
# DataParallel and DistributedDataParallel, Lightning.
_PREFIXES = ("module.", "model.")
# What a tensor is shown as that a file calls "".
NO_NAME = "(no name)"


def display_names(names: Sequence[str]) -> dict[str, str]:
    """Return each name without what wrappers added. For display only: files keep their names.

    Unique, as the names are: where two would become one, all stay as they are.
    """
    every = "\n".join(names)
    wrapped = any(wrapper in every for wrapper in WRAPPERS)
    shown = [_unwrapped(name) for name in names] if wrapped else list(names)
    while prefix := _common_prefix(shown):
        shown = [name[len(prefix) :] for name in shown]
    if len(set(shown)) < len(names) or "" in shown:
        shown = list(names)
    if "" in shown and NO_NAME not in shown:
        shown[shown.index("")] = NO_NAME
    return dict(zip(names, _printable(shown), strict=True))


def _printable(names: Sequence[str]) -> list[str]:
    """Write out by its number what would break a line, reverse it, or stay unseen."""
    if "".join(names).isprintable():
        return list(names)
    made = [_escaped(name, "") for name in names]
    if len(set(made)) < len(made):  # another name holds the very letters of an escape
        made = [_escaped(name, "\\") for name in names]
    return made


def _escaped(name: str, too: str) -> str:
    return "".join(c if c.isprintable() and c not in too else f"\\u{ord(c):04x}" for c in name)


def _unwrapped(name: str) -> str:
    if not any(wrapper in name for wrapper in WRAPPERS):
        return name
    return ".".join(part for part in name.split(".") if part not in WRAPPERS)


def _common_prefix(names: Sequence[str]) -> str:
    if not names:
        return ""
    # What the first and the last by the alphabet begin with, all between them begin with.
    ends = (min(names), max(names))
    return next((p for p in _PREFIXES if all(name.startswith(p) for name in ends)), "")
