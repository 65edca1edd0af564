"""Turning the keys of one stretch into bits of a mask."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Ranking, Threshold
from pruneapp.kernels.threads import TensorRange
from pruneapp.kernels.threshold_counting import kept_of
from pruneapp.masks.channels import pack_into
from pruneapp.progress import CancelToken

PackedBits = NDArray[np.uint8]


class OpenBits:
    """The bits of a stretch after a cut, as long as it is open which ties go.

    Attributes
    ----------
    stop
        Flat index behind the last element.
    stays
        Packed bits: 1 where an element is kept and its key is not below the cut.
    """

    def __init__(self, stop: int, stays: PackedBits, ties: PackedBits | None, count: int) -> None:
        self.stop = stop
        self.stays = stays
        self._ties = ties
        self._count = count

    def strike(self, most: int) -> int:
        """Take up to `most` ties out of `stays`, the first in flat order; returns how many."""
        if self._ties is None or not most:
            return 0
        if self._count > most:
            bools = np.unpackbits(self._ties, bitorder="little")
            bools[np.flatnonzero(bools)[most:]] = 0
            self._ties = np.packbits(bools, bitorder="little")
        self.stays ^= self._ties
        return min(self._count, most)


def pack_stretch(
    ranking: Ranking, stretch: TensorRange, threshold: Threshold, cancel: CancelToken
) -> OpenBits:
    """Compare every key of a stretch with the cut."""
    stays = np.zeros((stretch.size + 7) // 8, np.uint8)
    ties: PackedBits | None = None
    count = 0
    for chunk in ranking.keys(stretch.start, stretch.stop):
        cancel.check()
        keys = chunk.keys
        at = chunk.start - stretch.start
        cut = keys.dtype.type(threshold.key)
        kept = kept_of(ranking, chunk.start, keys.size)
        above = keys >= cut
        if kept is not None:
            above &= kept
        pack_into(stays, at, above)
        if not threshold.ties:
            continue
        equal = np.equal(keys, cut, out=above)
        if kept is not None:
            equal &= kept
        if equal.any():
            count += int(np.count_nonzero(equal))
            if ties is None:
                ties = np.zeros_like(stays)
            pack_into(ties, at, equal)
    return OpenBits(stretch.stop, stays, ties, count)
