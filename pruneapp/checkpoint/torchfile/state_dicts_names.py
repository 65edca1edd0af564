"""Names of tensors, made of the keys that lead to them.

A pickle may have keys of any type and any length, and the same name twice.
"""

from __future__ import annotations

from typing import Any

from pruneapp.checkpoint.torchfile.torch_objects import Key
from pruneapp.checkpoint.torchfile.torch_objects_faults import Malformed

MAX_NAME = 2 << 20
MAX_NAME_CHARACTERS = 64 << 20
_PLAIN = frozenset({str, int, float, bool, bytes, type(None)})


def shown(key: Any) -> str:
    """Return a key of a dict as a name that can be shown, written and printed."""
    if type(key) is str:
        if key.isascii():
            return key
        return key.encode("utf-8", "backslashreplace").decode("utf-8")  # lone surrogates
    if isinstance(key, Key):
        key = key.value
        if not _is_flat(key):
            return f"<{type(key).__name__}>"
    return repr(key)[:200]


def _is_flat(value: Any) -> bool:
    if type(value) is tuple:
        return len(value) <= 16 and all(type(v) in _PLAIN for v in value)
    return type(value) in _PLAIN


def joined(prefix: str, name: str) -> str:
    """Return the name of a part: that of what it is part of, a dot, its own."""
    if len(prefix) + len(name) > MAX_NAME:
        raise Malformed(f"the name of a tensor has more than {MAX_NAME:,} characters")
    return f"{prefix}.{name}" if prefix else name


class UniqueNames:
    """Makes names unique: a second ``a.b`` becomes ``a.b (2)``."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}
        self._characters = 0

    def unique(self, name: str) -> str:
        """Return `name`, or the first free one like it."""
        self._characters += len(name)
        if self._characters > MAX_NAME_CHARACTERS:
            raise Malformed("the names of its tensors are longer than any model's")
        candidate = name
        while candidate in self._taken:
            self._taken[name] += 1
            candidate = f"{name} ({self._taken[name]})"
        self._taken[candidate] = 1
        return candidate
