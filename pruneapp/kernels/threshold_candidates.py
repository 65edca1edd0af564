"""The keys inside a bracket, held so that a narrower one needs no further pass."""

from __future__ import annotations

import numpy as np

from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.kernels.threshold import MOST_HELD, Bracket, Counted
from pruneapp.kernels.threshold_tally import Tally


class Candidates:
    """Keys of kept elements that a pass found inside a bracket.

    Parameters
    ----------
    bracket
        What the pass looked for.
    """

    def __init__(self, bracket: Bracket) -> None:
        self._bracket = bracket
        self._offsets: list[tuple[int, Bits]] = []
        self._room = MOST_HELD

    def add(self, index: int, offsets: Bits) -> None:
        """Take keys of one tensor, less the low end of the bracket; they are not copied.

        All are let go as soon as there are too many: then they hold nothing.
        """
        self._room -= offsets.nbytes
        if self._room >= 0:
            self._offsets.append((index, offsets))
        else:
            self._offsets.clear()

    def hold(self, bracket: Bracket) -> bool:
        """Whether all keys inside a bracket are here."""
        return (
            self._room >= 0
            and self._bracket.low <= bracket.low
            and bracket.high <= self._bracket.high
        )

    def count(self, bracket: Bracket, below: np.ndarray, *, apart: bool) -> Counted:
        """Count what is inside a bracket, as a pass over all elements would.

        Parameters
        ----------
        bracket
            See `hold`.
        below
            For each tensor, elements below the bracket that the pass looked for.
        apart
            Whether to count for each tensor; see `Counted.inside`.
        """
        first = bracket.low - self._bracket.low
        last = bracket.high - self._bracket.low
        apart = apart and bracket.apart(len(below))
        below = below.copy()
        tallies = [Tally(bracket.bins) for _ in (below if apart else "1")]
        for index, offsets in self._offsets:
            if bracket == self._bracket:
                tallies[index if apart else 0].add(bins_of(offsets, bracket.shift))
                continue
            kind = offsets.dtype.type
            below[index] += np.count_nonzero(offsets < kind(first))
            found = offsets[(offsets >= kind(first)) & (offsets <= kind(last))] - kind(first)
            tallies[index if apart else 0].add(bins_of(found, bracket.shift))
        return Counted(below, np.stack([tally.counts() for tally in tallies]))


def bins_of(offsets: Bits, shift: int) -> Bits:
    """Return the bins of keys that are given less the low end of their bracket."""
    digits = offsets >> offsets.dtype.type(shift) if shift else offsets
    # There are few enough bins; numpy does not count uint64 at all.
    return digits.astype(np.uint32) if digits.itemsize == 8 else digits
