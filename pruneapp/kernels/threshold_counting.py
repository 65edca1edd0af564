"""Counting the keys of one stretch: below a bracket, and inside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.kernels.kernel import Ranking
from pruneapp.kernels.threads import TensorRange
from pruneapp.kernels.threshold import Bracket
from pruneapp.kernels.threshold_candidates import bins_of
from pruneapp.kernels.threshold_places import places_of
from pruneapp.kernels.threshold_tally import Tally
from pruneapp.progress import CancelToken

Kept = NDArray[np.bool_] | None


@dataclass(frozen=True, eq=False)
class Inside:
    """What one stretch has inside a bracket.

    Attributes
    ----------
    below
        Kept elements below the bracket.
    tally
        Those inside, by bins.
    offsets
        The keys of those inside, less the low end of the bracket; None if they were not wanted.
    """

    below: int
    tally: Tally
    offsets: Bits | None


def count_inside(
    ranking: Ranking, stretch: TensorRange, bracket: Bracket, cancel: CancelToken, *, hold: bool
) -> Inside:
    """Count the kept keys of a stretch that are below a bracket and inside it.

    Parameters
    ----------
    ranking, stretch, bracket
        What is counted.
    cancel
        Looked at for every chunk.
    hold
        Whether the keys inside are wanted, too.
    """
    below = 0
    tally = Tally(bracket.bins)
    held = []
    for chunk in ranking.keys(stretch.start, stretch.stop):
        cancel.check()
        kept = kept_of(ranking, chunk.start, chunk.keys.size)
        smaller, offsets = _split(chunk.keys, kept, bracket)
        below += smaller
        tally.add(bins_of(offsets, bracket.shift))
        if hold:
            held.append(offsets)
    return Inside(below, tally, np.concatenate(held) if held else None)


def count_share(
    ranking: Ranking, stretch: TensorRange, key: int, cancel: CancelToken
) -> tuple[int, int]:
    """Count the kept keys of a stretch that are smaller than `key`, and those that are equal."""
    below = equal = 0
    for chunk in ranking.keys(stretch.start, stretch.stop):
        cancel.check()
        kept = kept_of(ranking, chunk.start, chunk.keys.size)
        below += _count(chunk.keys < chunk.keys.dtype.type(key), kept)
        equal += _count(chunk.keys == chunk.keys.dtype.type(key), kept)
    return below, equal


def kept_of(ranking: Ranking, start: int, size: int) -> Kept:
    """Return which of `size` elements from `start` on are kept; None for all."""
    return None if ranking.kept is None else ranking.kept.bools(start, start + size)


def _count(where: NDArray[np.bool_], kept: Kept) -> int:
    if kept is not None:
        where &= kept
    return int(np.count_nonzero(where))


def _split(keys: Bits, kept: Kept, bracket: Bracket) -> tuple[int, Bits]:
    """Return how many are below, and those inside, less the low end."""
    kind = keys.dtype.type
    if not bracket.low and bracket.high == np.iinfo(keys.dtype).max:
        return 0, keys.copy() if kept is None else keys[kept]
    smaller = keys < kind(bracket.low)
    inside = keys <= kind(bracket.high)
    inside ^= smaller
    if kept is not None:
        inside &= kept
    return _count(smaller, kept), keys[places_of(inside)] - kind(bracket.low)
