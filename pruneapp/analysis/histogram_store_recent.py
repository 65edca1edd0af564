"""The last things that were put together from counts."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any
from weakref import ref

from pruneapp.document.snapshot import Snapshot
from pruneapp.masks.bitmask_maskset import MaskSet

# More than a step of some rows needs.
_MOST = 64


@dataclass(frozen=True, eq=False)
class _Kept:
    state: tuple[ref[MaskSet], ...]
    value: Any
    nbytes: int


class Recent:
    """Remembers what belongs to one state of the masks, the last of it, as long as it is there.

    Safe to use from several threads: two that miss at once may both make it.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, _Kept] = {}
        self._lock = threading.Lock()
        self._nbytes = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all of it."""
        return self._nbytes

    def get(self, snapshot: Snapshot, key: Hashable) -> Any:
        """Return what was kept for a state; None if there is nothing."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        same = all(r() is s for r, s in zip(kept.state, _state(snapshot), strict=True))
        return kept.value if same else None

    def put(self, snapshot: Snapshot, key: Hashable, value: object, nbytes: int) -> None:
        """Keep something; the oldest goes if there are many."""
        state = tuple(ref(masks) for masks in _state(snapshot))
        with self._lock:
            self._kept.pop(key, None)
            for old in [
                k for k, kept in self._kept.items() if any(r() is None for r in kept.state)
            ]:
                del self._kept[old]
            while len(self._kept) >= _MOST:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = _Kept(state, value, nbytes)
            self._nbytes = sum(kept.nbytes for kept in self._kept.values())

    def clear(self) -> None:
        """Let go of all of it."""
        with self._lock:
            self._kept.clear()
            self._nbytes = 0


def _state(snapshot: Snapshot) -> tuple[MaskSet, MaskSet, MaskSet]:
    return snapshot.masks, snapshot.protected, snapshot.final
