"""Which state of a document is safe in a file."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from pruneapp.document.edit import Record
from pruneapp.document.snapshot import Snapshot


class ExportedState:
    """The state that was exported last; at first the one that was opened.

    Parameters
    ----------
    opened
        The state that was opened.

    Attributes
    ----------
    key
        Of the state, see `Record`.
    """

    def __init__(self, opened: Snapshot) -> None:
        self.key: object = None
        # Of states that somebody still holds: an export may end long after the next step.
        self._keys: WeakKeyDictionary[Snapshot, object] = WeakKeyDictionary()
        self._keys[opened] = None

    def note(self, snapshot: Snapshot, key: object) -> None:
        """Take note which key a state has."""
        self._keys[snapshot] = key

    def mark(self, snapshot: Snapshot) -> bool:
        """Take note that a state was exported; False for one of another document."""
        if snapshot not in self._keys:
            return False
        self.key = self._keys[snapshot]
        return True

    def position(self, records: Sequence[Record]) -> int:
        """Return the position in a history after which it was exported; -1 if it is not there."""
        if self.key is None:
            return 0
        keys = [record.key for record in records]
        return keys.index(self.key) + 1 if self.key in keys else -1

    def restore(self, records: Sequence[Record], position: int) -> None:
        """Take over what `position` was of a history."""
        if position:
            self.key = records[position - 1].key if position > 0 else object()
