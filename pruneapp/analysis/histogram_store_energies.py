"""Two sums over what is kept of tensors, which are known longer than all their magnitudes."""

from __future__ import annotations

from pruneapp.analysis.histogram_store_keys import Marks, Refs, belongs, refs_to

Sums = tuple[float, float]


class Energies:
    """Sums of squares and of magnitudes of each tensor, of two of its states.

    Those of the file as it was opened, without a mask, against which is measured what is retained;
    and those of the last other one, which belong to masks, told by identity. Which of them was
    counted first says nothing: work that is taken up begins in another state.
    """

    def __init__(self) -> None:
        self._opened: dict[str, Sums] = {}
        self._last: dict[str, tuple[Refs, Sums]] = {}

    def put(self, name: str, marks: Marks, sums: Sums) -> None:
        """Note the sums of squares and of magnitudes of a tensor under some masks."""
        refs = refs_to(marks)
        if refs is None:
            self._opened[name] = sums
        else:
            self._last[name] = refs, sums

    def get(self, name: str, marks: Marks) -> Sums | None:
        """Return the two sums of a tensor under some masks; None if they are not known."""
        if belongs(None, marks):
            return self._opened.get(name)
        known = self._last.get(name)
        return known[1] if known is not None and belongs(known[0], marks) else None
