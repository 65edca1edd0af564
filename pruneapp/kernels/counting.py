"""Counting the keys of one stretch: below a bracket, and inside it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.reader import Bits
from pruneapp.kernels.contract import Ranking
from pruneapp.kernels.search import Bracket
from pruneapp.kernels.side_by_side import Stretch
from pruneapp.kernels.tally import Tally
from pruneapp.progress import CancelToken

Kept = NDArray[np.bool_] | None


def count_inside(
    ranking: Ranking, stretch: Stretch, bracket: Bracket, cancel: CancelToken
) -> tuple[int, Tally]:
    """Count the kept keys of a stretch that are below a bracket, and those inside it by bins."""
    below = 0
    tally = Tally(bracket.bins)
    for chunk in ranking.keys(stretch.start, stretch.stop):
        cancel.check()
        smaller, digits = _split(
            chunk.keys, kept_of(ranking, chunk.start, chunk.keys.size), bracket
        )
        below += smaller
        tally.add(digits)
    return below, tally


def count_share(
    ranking: Ranking, stretch: Stretch, key: int, cancel: CancelToken
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
    """Return how many are below, and the bins of those inside. The keys are used up."""
    kind = keys.dtype.type
    whole = not bracket.low and bracket.high == np.iinfo(keys.dtype).max
    below = 0 if not bracket.low else _count(keys < kind(bracket.low), kept)
    if whole:
        inside = kept
    else:
        # What is below wraps around and is beyond the bracket, too.
        keys -= kind(bracket.low)
        inside = keys <= kind(bracket.high - bracket.low)
        if kept is not None:
            inside &= kept
    # By numbers, which is faster than by a mask where few are inside.
    digits = keys.copy() if inside is None else keys[np.flatnonzero(inside)]
    if bracket.shift:
        digits >>= kind(bracket.shift)
    # There are few enough bins; numpy does not count uint64 at all.
    return below, digits.astype(np.uint32) if keys.itemsize == 8 else digits
