"""Counting digits that come a few at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements_chunks import Bits

# Digits that are held before they are counted, where there are fewer counters than these.
_HELD = 1 << 16


class Tally:
    """Counts how often each digit came.

    Digits are held until there are as many as counters, so that adding the counters up costs no
    more than counting; memory stays within a few times the counters.

    Parameters
    ----------
    bins
        Digits are from 0 to `bins` - 1.
    """

    def __init__(self, bins: int) -> None:
        self._bins = bins
        self._held: list[Bits] = []
        self._size = 0
        self._counts: NDArray[np.int64] | None = None

    def add(self, digits: Bits) -> None:
        """Take digits, of any unsigned type; they are not copied."""
        if digits.size:
            self._held.append(digits)
            self._size += digits.size
            if self._size >= max(self._bins, _HELD):
                self._count()

    def absorb(self, other: Tally) -> None:
        """Take what another tally of as many bins has counted."""
        if other._counts is not None:
            if self._counts is None:
                self._counts = np.zeros(self._bins, np.int64)
            self._counts += other._counts
        for digits in other._held:
            self.add(digits)

    def counts(self) -> NDArray[np.int64]:
        """Return how often each digit came."""
        self._count()
        assert self._counts is not None
        return self._counts

    def _count(self) -> None:
        if self._counts is None:
            self._counts = np.zeros(self._bins, np.int64)
        if self._held:
            # Joined first: every call goes once over all counters.
            digits = np.concatenate(self._held)
            self._counts[: int(digits.max()) + 1] += np.bincount(digits)
        self._held, self._size = [], 0
