"""What was computed of the states of a document, kept as long as their masks are there."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Hashable
from typing import Any, NamedTuple
from weakref import ref

# Bytes of everything that is kept.
BUDGET = 128_000_000

# Spare values at most: more than a step of some rows needs.
_MOST_SPARE = 64

# What a value belongs to: masks, or sets of them; None where there is none.
Owners = tuple[Any | None, ...]


class _Entry(NamedTuple):
    owners: tuple[ref[Any] | None, ...]
    value: Any  # None of what was dropped
    nbytes: int

    @property
    def expired(self) -> bool:
        return any(known is not None and known() is None for known in self.owners)


class StateCache:
    """Values of states, found by a key and by what they belong to, told by identity.

    So undo finds what was computed before. No owner is kept alive; a value goes with the first of
    its owners. A key whose values for several owners should be there at once holds their ids.

    Where there is no room, spare values go first, those put first first, then the others. Of these
    the size stays known, so that what will not fit is not computed again and again. For values of
    no bytes there is always room.

    Safe to use from several threads: two that miss at once may both compute.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self.budget = budget
        self._large: dict[Hashable, _Entry] = {}
        self._small: dict[Hashable, _Entry] = {}  # of no bytes, and what was dropped
        self._spare: dict[Hashable, _Entry] = {}
        self._gone: deque[Hashable] = deque()  # keys of which an owner is gone
        self._lock = threading.Lock()
        self._nbytes = 0

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the values take, about."""
        return self._nbytes

    def get(self, key: Hashable, owners: Owners) -> Any:
        """Return a value; None if there is none."""
        entry = self._find(key)
        if entry is None:
            return None
        for known, owner in zip(entry.owners, owners, strict=True):
            if (None if known is None else known()) is not owner:
                return None  # another object is where one was that is gone
        return entry.value

    def size(self, key: Hashable) -> int:
        """Return how many bytes a value takes or took before it was dropped; 0 if not known."""
        entry = self._large.get(key) or self._small.get(key)
        return 0 if entry is None else entry.nbytes

    def put(
        self,
        key: Hashable,
        owners: Owners,
        value: object,
        nbytes: int = 0,
        *,
        droppable: bool = False,
    ) -> None:
        """Keep a value, in place of the one that the key had.

        Of one that is larger than all the room only the size is kept; of a spare one for which
        there is no room beside the others, nothing.
        """
        expired = self._gone
        # Called whenever an owner is let go, even while this thread holds the lock: no more.
        refs = owners
        if owners.count(None) < len(owners):
            refs = tuple(
                None if o is None else ref(o, lambda _: expired.append(key)) for o in owners
            )
        with self._lock:
            while expired:
                if (known := self._find(dead := expired.popleft())) is not None and known.expired:
                    self._drop(dead)
            self._drop(key)
            if droppable:
                if len(self._spare) >= _MOST_SPARE:
                    self._drop(next(iter(self._spare)))
            elif nbytes > self.budget:
                self._small[key] = _Entry(refs, None, nbytes)
                return
            while self._nbytes + nbytes > self.budget and self._spare:
                self._drop(next(iter(self._spare)))
            if droppable and self._nbytes + nbytes > self.budget:
                return
            while self._nbytes + nbytes > self.budget:
                oldest = next(iter(self._large))
                old = self._large[oldest]
                self._drop(oldest)
                self._small[oldest] = _Entry(old.owners, None, old.nbytes)
            store = self._spare if droppable else self._large if nbytes else self._small
            store[key] = _Entry(refs, value, nbytes)
            self._nbytes += nbytes

    def _find(self, key: Hashable) -> _Entry | None:
        return self._large.get(key) or self._small.get(key) or self._spare.get(key)

    def _drop(self, key: Hashable) -> None:
        if self._small.pop(key, None) is None:
            entry = self._large.pop(key, None) or self._spare.pop(key, None)
            self._nbytes -= 0 if entry is None else entry.nbytes
