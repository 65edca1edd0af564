"""Counts of tensors, kept as long as there is room and their masks are there."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Hashable
from functools import partial
from typing import Any

from pruneapp.analysis.histogram_store_keys import (
    Key,
    Refs,
    are_gone,
    belongs,
    key_of,
    marks_of,
    refs_to,
)
from pruneapp.analysis.histogram_store_recent import Recent
from pruneapp.analysis.histogram_store_wanted import Kind
from pruneapp.analysis.histograms import MagnitudeHistogram
from pruneapp.analysis.histograms_channels import Channels
from pruneapp.document.snapshot import Snapshot

Record = MagnitudeHistogram | Channels


class Records:
    """What was counted, by the masks that a tensor had; these are not kept alive by it.

    Where there is no room, what was counted first is dropped. Safe to use from several threads.

    Parameters
    ----------
    budget
        Bytes that are kept at most.

    Attributes
    ----------
    recent
        What was put together from counts; the first to go where there is no room.
    """

    def __init__(self, budget: int) -> None:
        self.recent = Recent()
        self._budget = budget
        self._found: dict[Key, tuple[Refs, Record]] = {}
        # Sizes of what was dropped: what will not fit is not counted again and again. They go with
        # their masks, too.
        self._dropped: dict[Key, tuple[Refs, int]] = {}
        self._gone: deque[Key] = deque()  # whose masks are gone
        self._lock = threading.Lock()
        self._nbytes = 0

    def __len__(self) -> int:
        """How many counts there are."""
        return len(self._found)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes, about."""
        return self._nbytes + self.recent.nbytes

    @property
    def dropped(self) -> int:
        """Of how many counts only the size is known."""
        return len(self._dropped)

    def get(self, snapshot: Snapshot, key: Key) -> Record | None:
        """Return what was counted for a state; None if there is nothing."""
        known = self._found.get(key)
        if known is None:
            return None
        refs, record = known
        # Another mask may have been made at the address of one that is gone.
        same = refs is None or belongs(refs, marks_of(snapshot, key[0]))
        return record if same else None

    def size_of_dropped(self, key: Key) -> int:
        """Return how many bytes something took that was dropped; 0 if it is not known."""
        return self._dropped.get(key, (None, 0))[1]

    def put(self, snapshot: Snapshot, name: str, kind: Kind, record: Record) -> None:
        """Keep a count; of one that is larger than all the room only the size is kept."""
        key = key_of(snapshot, name, kind)
        refs = refs_to(marks_of(snapshot, name), partial(_note, self._gone, key))
        with self._lock:
            self._forget_gone()
            self._drop(key)
            if record.nbytes > self._budget:
                self._dropped[key] = refs, record.nbytes
                return
            size = record.nbytes
            if self.nbytes + size > self._budget:  # they are made anew if they are needed
                self.recent.clear()
            while self._nbytes + size > self._budget:
                oldest = next(iter(self._found))
                self._dropped[oldest] = self._found[oldest][0], self._drop(oldest)
            self._dropped.pop(key, None)
            self._found[key] = refs, record
            self._nbytes += size

    def remember(self, snapshot: Snapshot, key: Hashable, value: object, nbytes: int) -> None:
        """Remember something that was put together, if there is room beside the counts."""
        if self.nbytes + nbytes > self._budget:
            self.recent.clear()
        if self._nbytes + nbytes <= self._budget:
            self.recent.put(snapshot, key, value, nbytes)

    def _forget_gone(self) -> None:
        while self._gone:
            key = self._gone.popleft()
            self._dropped.pop(key, None)
            known = self._found.get(key)
            # A mask made at the same address may be known under the same key by now.
            refs = None if known is None else known[0]
            if are_gone(refs):
                self._drop(key)

    def _drop(self, key: Key) -> int:
        known = self._found.pop(key, None)
        freed = 0 if known is None else known[1].nbytes
        self._nbytes -= freed
        return freed


def _note(gone: deque[Key], key: Key, _: Any) -> None:
    # Called whenever a mask is let go, even while this thread holds the lock: no more than this.
    gone.append(key)
