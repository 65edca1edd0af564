"""A mask that is a rule: what ranks below a cut goes. It holds no bits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from pruneapp.checkpoint.elements import Bits
from pruneapp.kernels.kernel import Ranking, Share
from pruneapp.kernels.sort_keys import PIECE, Magnitudes
from pruneapp.kernels.threshold import kept_of
from pruneapp.kernels.values import Bools


class CutMask:
    """The mask of one tensor after a cut; see `Mask`.

    It is made anew from the keys wherever somebody looks, so a model of any size needs no memory
    for its masks: the key of the cut and how many of its equals go, `share`, are enough. `own` says
    whether the ranking is that of the tensor's own magnitudes, so that the keys can be taken from
    the very elements in which zeros are struck.
    """

    def __init__(self, ranking: Ranking, key: int, share: Share, *, own: bool) -> None:
        self._ranking = ranking
        self._key = key
        self._share = share
        self._own = ranking if own and isinstance(ranking, Magnitudes) else None

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._ranking.size

    @property
    def kept(self) -> int:
        """How many elements are kept."""
        before = self._ranking.kept
        return (self.size if before is None else before.kept) - self._share.pruned

    @property
    def pruned(self) -> int:
        """How many elements are pruned."""
        return self.size - self.kept

    def bools(self, start: int = 0, stop: int | None = None) -> Bools:
        """Return the elements `start` to `stop`, True where kept; reads them."""
        stop = self.size if stop is None else stop
        stays = np.empty(stop - start, np.bool_)
        for chunk in self._ranking.keys(start, stop):
            at = chunk.start - start
            stays[at : at + chunk.keys.size] = self._stay(chunk.keys, chunk.start)
        return stays

    def zero(self, bits: Bits, start: int) -> None:
        """Set to 0, in place, what is pruned of the elements from `start` on; see `Mask`."""
        for first, keys in self._keys_of(bits, start):
            part = bits[first - start : first - start + keys.size]
            # bits x 0 and bits x 1: no branch, and exact on unsigned integers.
            np.multiply(part, self._stay(keys, first), out=part)

    def _keys_of(self, bits: Bits, start: int) -> Iterator[tuple[int, Bits]]:
        if self._own is None:
            for chunk in self._ranking.keys(start, start + bits.size):
                yield chunk.start, chunk.keys
            return
        buffer = np.empty(min(PIECE, bits.size), f"uint{self._own.width}")
        for first in range(0, bits.size, PIECE):
            part = bits[first : first + PIECE]
            keys = buffer[: part.size]
            self._own.write_keys(part, keys)
            yield start + first, keys

    def _stay(self, keys: Bits, start: int) -> Bools:
        """Say which elements are kept, from their keys and the flat index of the first."""
        cut = keys.dtype.type(self._key)
        ties = min(max(self._ties_end - start, 0), keys.size)
        stays: Bools = keys >= cut
        stays[:ties] &= keys[:ties] != cut
        kept = kept_of(self._ranking, start, keys.size)
        if kept is not None:
            stays &= kept
        return stays

    @cached_property
    def _ties_end(self) -> int:
        """The flat index before which kept elements with just the key go."""
        share = self._share
        if share.ties_pruned == share.equal:
            return self.size if share.ties_pruned else 0
        left = share.ties_pruned
        for chunk in self._ranking.keys():  # noqa: SIM118 - no dict
            if not left:
                return chunk.start
            equal = chunk.keys == chunk.keys.dtype.type(self._key)
            kept = kept_of(self._ranking, chunk.start, chunk.keys.size)
            if kept is not None:
                equal &= kept
            places = np.flatnonzero(equal)
            if places.size >= left:
                return chunk.start + int(places[left - 1]) + 1
            left -= places.size
        return self.size
