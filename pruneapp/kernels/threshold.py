"""Finding the key of a given rank by counting inside a bracket, without sorting.

Whatever is below the bracket is counted as a whole, what is inside key by key, or in bins of equal
width where there are too many keys. A bracket that a sample has found holds some hundredths of the
elements, few enough to be held and counted again bin by bin, so that one pass over all elements is
enough; where the sample was wrong, or too many keys lie inside, the passes go on inside a smaller
bracket. The result is exact either way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.kernels.kernel import Share, Threshold

# Counters of a pass, where what it finds inside is too much to be held.
MOST_BINS = 1 << 20
# Of a pass over all keys: what is counted in threads stays in the cache of a core.
_FEW_BINS = 1 << 16
# Of a pass after which the keys of one bin are counted again from those that were held.
_COARSE_BINS = 1 << 12
# Bytes of keys inside a bracket that are held, so that a narrower one needs no further pass: some
# hundredths of a few hundred million float32 weights.
MOST_HELD = 1 << 25
# Counters that are kept apart for each of several tensors.
_MOST_APART = 1 << 20

# Standard deviations between the rank in a sample and the ends of the bracket: one in two thousand
# samples is missed, and costs a pass.
_DEVIATIONS = 3.5


@dataclass(frozen=True)
class Bracket:
    """Keys from `low` to `high`, in bins of ``2**shift`` keys."""

    low: int
    high: int
    shift: int

    @property
    def bins(self) -> int:
        """Number of bins."""
        return (self.high - self.low >> self.shift) + 1

    @classmethod
    def of(cls, low: int, high: int, most: int = MOST_BINS) -> Bracket:
        """Return the bracket of these keys with at most `most` bins, a power of two."""
        return cls(low, high, max(0, (high - low).bit_length() - most.bit_length() + 1))

    @classmethod
    def everything(cls, width: int) -> Bracket:
        """Return the bracket of all keys of so many bits."""
        return cls.of(0, (1 << width) - 1, _FEW_BINS)

    def inside(self, digit: int) -> Bracket:
        """Return the bracket of the keys of one bin."""
        low = self.low + (digit << self.shift)
        return self.of(low, min(self.high, low + (1 << self.shift) - 1))

    def apart(self, tensors: int) -> bool:
        """Whether so many tensors can each have counters of their own."""
        return self.bins * tensors <= _MOST_APART


@dataclass(frozen=True)
class Guess:
    """Where a sample has the cut.

    Attributes
    ----------
    bracket
        Around it.
    inside
        About how many elements the bracket holds.
    """

    bracket: Bracket
    inside: float


@dataclass(frozen=True, eq=False)
class Counted:
    """What a pass over kept elements counted.

    Attributes
    ----------
    below
        For each tensor, elements with keys below the bracket.
    inside
        Elements in each bin: a row for each tensor if there is room (`Bracket.apart`), else one
        for all.
    """

    below: NDArray[np.int64]
    inside: NDArray[np.int64]


Count = Callable[[Bracket], Counted]


@dataclass(frozen=True)
class FoundThreshold:
    """The cut, and what it takes.

    Attributes
    ----------
    threshold
        The key of the last element that goes, and how many with this key go.
    equal
        How many kept elements have this key in all.
    shares
        What goes of each tensor; None where the tensors were not kept apart.
    """

    threshold: Threshold
    equal: int
    shares: tuple[Share, ...] | None

    def plain(self, width: int) -> Threshold:
        """Return the cut without ties if all of them go: the next key, so that none need be told.

        Parameters
        ----------
        width
            Bits of a key.
        """
        key, ties = self.threshold.key, self.threshold.ties
        if ties < self.equal or key == (1 << width) - 1:
            return self.threshold
        return Threshold(key + 1, 0)


def search(width: int, count: int, bracket: Bracket, pass_over: Count) -> FoundThreshold:
    """Find the cut below which `count` keys lie.

    Parameters
    ----------
    width
        Bits of a key.
    count
        From 1 to the number of kept elements.
    bracket
        Where to look first.
    pass_over
        Counts all kept elements once.

    Raises
    ------
    ValueError
        If there are fewer than `count` kept elements: a bug of the caller.
    """
    while True:
        counted = pass_over(bracket)
        rank = count - int(counted.below.sum())
        ends = np.cumsum(counted.inside.sum(axis=0))
        if not 0 < rank <= ends[-1]:  # the sample was wrong
            everything = Bracket.everything(width)
            if bracket == everything:
                raise ValueError(f"element {count:,} asked for, there are {ends[-1]:,}")
            bracket = everything
            continue
        digit = int(np.searchsorted(ends, rank))
        if bracket.shift:
            bracket = bracket.inside(digit)
            continue
        ties = rank - (int(ends[digit - 1]) if digit else 0)
        threshold = Threshold(bracket.low + digit, ties)
        equal = counted.inside[:, digit]
        if len(counted.inside) < len(counted.below):
            return FoundThreshold(threshold, int(equal.sum()), None)
        below = counted.below + counted.inside[:, :digit].sum(axis=1)
        own = shares(below.tolist(), equal.tolist(), ties)
        return FoundThreshold(threshold, int(equal.sum()), own)


def shares(below: Sequence[int], equal: Sequence[int], ties: int) -> tuple[Share, ...]:
    """Return what goes of each tensor, `ties` of the equal ones: earlier tensors first."""
    made = []
    for smaller, same in zip(below, equal, strict=True):
        taken = min(same, ties)
        ties -= taken
        made.append(Share(smaller, same, taken))
    return tuple(made)


def bracket_of_sample(blocks: Sequence[Bits], count: int, left: int, width: int) -> Guess:
    """Return the keys between which the key of a rank should lie.

    The error of the rank is estimated from how much the blocks differ: weights that lie side by
    side resemble each other, so a block tells less than as many weights picked one by one
    (Cochran, "Sampling Techniques", 1977, chapter 9: cluster sampling).

    Parameters
    ----------
    blocks
        Keys of kept elements from places all over the tensors.
    count
        The rank, from 1.
    left
        Kept elements in all.
    width
        Bits of a key.
    """
    keys = np.concatenate(blocks) if blocks else np.empty(0)
    if keys.size < 1000:
        return Guess(Bracket.everything(width), left)
    sizes = np.array([block.size for block in blocks])
    keys.sort()
    middle = count / left * keys.size
    pivot = keys[min(int(middle), keys.size - 1)]
    smaller = np.array([np.count_nonzero(block < pivot) for block in blocks])
    error = np.sqrt(np.square(smaller - sizes * (smaller.sum() / keys.size)).sum())
    spread = _DEVIATIONS * (error + 1)
    first, last = int(middle - spread) - 1, int(middle + spread) + 1
    low = int(keys[first]) if first >= 0 else 0
    high = int(keys[last]) if last < keys.size else (1 << width) - 1
    expected = (last - first) / keys.size * left
    if high - low < _FEW_BINS:
        most = _FEW_BINS
    else:
        most = _COARSE_BINS if expected * width / 8 < MOST_HELD else MOST_BINS
    return Guess(Bracket.of(low, high, most), expected)
