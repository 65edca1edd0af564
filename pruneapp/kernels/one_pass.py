"""The cut and the masks in one pass: what is certain is packed at once, the rest is held.

A bracket around where the cut should be tells nearly every element's fate when it is read. The
few inside are held with their places until all are known; then the cut is found among them, and
those below it are struck out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.reader import Bits
from pruneapp.kernels.candidates import Candidates
from pruneapp.kernels.contract import Ranking, Threshold
from pruneapp.kernels.counting import kept_of
from pruneapp.kernels.search import MOST_HELD, Bracket, Counted, search
from pruneapp.kernels.side_by_side import Stretch
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import pack_into
from pruneapp.progress import CancelToken

PackedBits = NDArray[np.uint8]
Places = NDArray[np.uint32]

# Bytes of a place: elements of a stretch are counted from its start.
PLACE_BYTES = 4


@dataclass(frozen=True, eq=False)
class Sifted:
    """One stretch, compared with a bracket.

    Attributes
    ----------
    stretch
        Which.
    stays
        Packed bits: 1 where an element is kept and its key is not below the bracket.
    below
        Kept elements whose key is.
    offsets
        Keys inside the bracket, less its low end, in flat order.
    places
        Where these are, from the start of the stretch.
    """

    stretch: Stretch
    stays: PackedBits
    below: int
    offsets: Bits
    places: Places


def sift(ranking: Ranking, stretch: Stretch, bracket: Bracket, cancel: CancelToken) -> Sifted:
    """Compare every key of a stretch with a bracket."""
    stays = np.zeros((stretch.size + 7) // 8, np.uint8)
    offsets, places = [], []
    for chunk in ranking.keys(stretch.start, stretch.stop):
        cancel.check()
        keys = chunk.keys
        kind = keys.dtype.type
        at = chunk.start - stretch.start
        above = keys >= kind(bracket.low)
        kept = kept_of(ranking, chunk.start, keys.size)
        if kept is not None:
            above &= kept
        pack_into(stays, at, above)
        above &= keys <= kind(bracket.high)
        # By numbers, which is faster than by a mask where few are inside.
        inside = np.flatnonzero(above)
        offsets.append(keys[inside] - kind(bracket.low))
        places.append((inside + at).astype(np.uint32))
    if ranking.kept is None:
        before = stretch.size
    else:
        before = _ones(ranking.kept.packed[stretch.start // 8 : (stretch.stop + 7) // 8])
    below = before - _ones(stays)
    return Sifted(stretch, stays, below, np.concatenate(offsets), np.concatenate(places))


def _ones(packed: PackedBits) -> int:
    return int(np.bitwise_count(packed).sum(dtype=np.int64))


class Sieve:
    """Puts the stretches of a pass together; holds what is inside the bracket.

    Parameters
    ----------
    rankings
        What is pruned.
    bracket
        Of the pass.
    """

    def __init__(self, rankings: Sequence[Ranking], bracket: Bracket) -> None:
        self._sizes = [ranking.size for ranking in rankings]
        self._packed = [np.empty((size + 7) // 8, np.uint8) for size in self._sizes]
        self._bracket = bracket
        self._candidates = Candidates(bracket)
        self._below = 0
        self._held: list[Sifted] = []
        self._room = MOST_HELD

    @property
    def full(self) -> bool:
        """Whether more was inside the bracket than is held: nothing comes of this pass."""
        return self._room < 0

    def add(self, sifted: Sifted) -> None:
        """Take a stretch, in order."""
        stretch = sifted.stretch
        own = self._packed[stretch.index]
        own[stretch.start // 8 : (stretch.stop + 7) // 8] = sifted.stays
        self._below += sifted.below
        self._room -= sifted.offsets.nbytes + sifted.places.nbytes
        if sifted.places.size and not self.full:
            self._candidates.add(0, sifted.offsets)
            self._held.append(sifted)

    def masks(self, count: int, width: int) -> list[BitMask] | None:
        """Strike out what is below the cut of `count` elements; call it once, after the pass.

        Returns
        -------
        list of BitMask or None
            One mask for each tensor; None if the cut lies outside the bracket.
        """
        inside = sum(sifted.places.size for sifted in self._held)
        if not self._below < count <= self._below + inside:
            return None
        below = np.array([self._below])

        def pass_over(bracket: Bracket) -> Counted:
            return self._candidates.count(bracket, below, apart=False)

        self._strike(search(width, count, self._bracket, pass_over).threshold)
        return [BitMask(own, size) for own, size in zip(self._packed, self._sizes, strict=True)]

    def _strike(self, threshold: Threshold) -> None:
        key, ties = threshold.key - self._bracket.low, threshold.ties
        for sifted in self._held:
            cut = sifted.offsets.dtype.type(key)
            gone = sifted.offsets < cut
            if ties:
                equal = np.flatnonzero(sifted.offsets == cut)[:ties]
                gone[equal] = True
                ties -= equal.size
            start = sifted.stretch.start // 8
            _clear(self._packed[sifted.stretch.index][start:], sifted.places, gone)


def _clear(packed: PackedBits, places: Places, gone: NDArray[np.bool_]) -> None:
    """Set those of some bits to 0 that are gone; all of them are 1."""
    bits = np.left_shift(gone.view(np.uint8), (places & np.uint32(7)).astype(np.uint8))
    # Several may lie in one byte. Taking away a bit that is 1 touches no other.
    np.subtract.at(packed, (places >> np.uint32(3)).astype(np.intp), bits)
