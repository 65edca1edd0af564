"""To which state of a tensor a count belongs: its mask, its protection and its final weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from pruneapp.analysis.histogram_store_wanted import Kind
from pruneapp.document.snapshot import Snapshot
from pruneapp.masks.bitmask import BitMask

Key = tuple[str, Kind, int, int, int]
Marks = tuple["BitMask | None", "BitMask | None", "BitMask | None"]
Refs = tuple["ref[BitMask] | None", ...] | None  # None: there is no mask


def marks_of(snapshot: Snapshot, name: str) -> Marks:
    """Return what a count of a tensor depends on."""
    return snapshot.masks.get(name), snapshot.protected.get(name), snapshot.final.get(name)


def key_of(snapshot: Snapshot, name: str, kind: Kind) -> Key:
    """Return what a count is found by; whether it is that of the masks the references say."""
    if not (snapshot.masks or snapshot.protected or snapshot.final):
        return name, kind, 0, 0, 0
    mask, protected, final = (0 if m is None else id(m) for m in marks_of(snapshot, name))
    return name, kind, mask, protected, final


def refs_to(marks: Marks, note: Callable[[Any], None] | None = None) -> Refs:
    """Return references that keep no mask alive, each of which calls `note` as its mask goes."""
    if all(mark is None for mark in marks):
        return None
    return tuple(None if mark is None else ref(mark, note) for mark in marks)


def belongs(refs: Refs, marks: Marks) -> bool:
    """Return whether references are to these masks: another may be where one was that is gone."""
    if refs is None:
        mask, protected, final = marks  # not in a loop: it is asked of 100,000 tensors
        return mask is None and protected is None and final is None
    pairs = zip(refs, marks, strict=True)
    return all(mark is None if r is None else r() is mark for r, mark in pairs)


def are_gone(refs: Refs) -> bool:
    """Return whether any of the masks is gone."""
    return refs is not None and any(r is not None and r() is None for r in refs)
