"""Ranking by scores that are made from magnitudes, in float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.elements_chunks import RawChunk
from pruneapp.kernels.kernel import KeyChunk, ReadBits
from pruneapp.kernels.values import decode
from pruneapp.masks.bitmask import BitMask

# Turns the magnitudes of elements from a flat index on into scores, in place.
Scoring = Callable[[int, NDArray[np.float64]], None]

# Elements that are worked on at once.
_PIECE = 1 << 18


class Scores:
    """Ranks the elements of a tensor by a score of each.

    The key is the bit pattern of a float64 that is not negative, so that scores of tensors of all
    types can be compared. Every NaN ranks just above infinity.

    Parameters
    ----------
    read
        Yields the raw elements in flat order.
    size
        Elements in all.
    dtype
        Their type, one that can be pruned.
    kept
        The elements that are ranked; None for all.
    scoring
        Makes the scores; called from any thread. It must not depend on where the pieces begin.
    """

    width = 64

    def __init__(
        self, read: ReadBits, size: int, dtype: DType, kept: BitMask | None, scoring: Scoring
    ) -> None:
        self._read = read
        self.size = size
        self._dtype = dtype
        self.kept = kept
        self._scoring = scoring

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        """Yield the keys of elements `start` to `stop`, in pieces."""
        stop = self.size if stop is None else stop
        form = DTYPES["F64"].form
        assert form is not None
        largest = np.uint64(form.nan_key)
        for chunk in self._read(start, stop):
            for at in range(0, chunk.bits.size, _PIECE):
                bits = chunk.bits[at : at + _PIECE]
                with np.errstate(all="ignore"):  # NaN and infinities are ranked, too
                    scores = np.abs(decode(bits, self._dtype), dtype=np.float64)
                    self._scoring(chunk.start + at, scores)
                keys = scores.view(np.uint64)
                if keys.size and keys.max() > largest:
                    np.minimum(keys & np.uint64(form.magnitude_mask), largest, out=keys)
                yield KeyChunk(chunk.start + at, keys)


def finite_only(read: ReadBits, dtype: DType) -> ReadBits:
    """Return what reads the same elements, NaN and infinite ones as 0."""

    def reading(start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        for chunk in read(start, stop):
            with np.errstate(invalid="ignore"):
                odd = ~np.isfinite(decode(chunk.bits, dtype))
            if odd.any():
                bits = chunk.bits.copy()
                bits[odd] = 0
                yield RawChunk(chunk.start, bits)
            else:
                yield chunk

    return reading
