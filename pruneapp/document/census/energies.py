"""Two sums over what is kept of tensors, which are known longer than all their magnitudes."""

from __future__ import annotations

from pruneapp.document.census.keys import Marks, Refs, are_gone, belongs, refs_to


class Energies:
    """Sums of squares and of magnitudes of each tensor, of two of its states.

    Those of the state in which it was counted first, and of the last other one.

    The first is that of the file as it was opened, unless a person was faster: against it is
    measured what is retained. Both belong to masks, told by identity.
    """

    def __init__(self) -> None:
        self._first: dict[str, tuple[Refs, tuple[float, float]]] = {}
        self._last: dict[str, tuple[Refs, tuple[float, float]]] = {}

    def put(self, name: str, marks: Marks, sums: tuple[float, float]) -> None:
        """Note the sums of squares and of magnitudes of a tensor under some masks."""
        first = self._first.get(name)
        book = self._last
        if first is None or are_gone(first[0]) or belongs(first[0], marks):
            book = self._first
        book[name] = refs_to(marks), sums

    def get(self, name: str, marks: Marks) -> tuple[float, float] | None:
        """Return the two sums of a tensor under some masks; None if they are not known."""
        for known in (self._first.get(name), self._last.get(name)):
            if known is not None and belongs(known[0], marks):
                return known[1]
        return None
