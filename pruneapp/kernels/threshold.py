"""Selection of the key of a given rank by counting inside a bracket, without sorting.

Keys below the bracket are counted as a whole, keys inside individually, or in bins of equal width
if there are too many. A bracket derived from a sample contains a few percent of the elements, few
enough to keep and count again, so that one pass over all elements suffices. If the sample was
misleading or too many keys are inside, further passes use a narrower bracket. The result is always
exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pruneapp.checkpoint.elements import Bits
from pruneapp.kernels.kernel import KeyRange, Ranking, Share, Threshold
from pruneapp.kernels.threads import TensorRange
from pruneapp.kernels.values import Bools, Counts, Indices
from pruneapp.progress import CancelToken

# Maximum counters of a pass, if the keys inside its bracket are too many to keep.
MOST_BINS = 1 << 20
# Counters of a pass over all keys: those of a thread fit the cache of a core.
_FEW_BINS = 1 << 16
# Counters of a pass that keeps the keys inside, of which one bin is then counted again.
_COARSE_BINS = 1 << 12
# Maximum bytes of keys inside a bracket that are kept, so that a narrower bracket needs no further
# pass: a few percent of some hundred million float32 weights.
MOST_HELD = 1 << 25
# Maximum counters in total, if each tensor has its own.
_MOST_APART = 1 << 20

# Standard deviations from the rank in a sample to the ends of the bracket: one in two thousand
# samples misses the rank, which costs a pass.
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
    def of_range(cls, keys: KeyRange, width: int) -> Bracket:
        """Return the bracket of a range, with few bins if its keys of `width` bits can be kept.

        `keys.inside` is the expected number of kept elements in it.
        """
        if keys.high - keys.low < _FEW_BINS:
            most = _FEW_BINS
        else:
            most = _COARSE_BINS if keys.inside * width / 8 < MOST_HELD else MOST_BINS
        return cls.of(keys.low, keys.high, most)

    @classmethod
    def of_all_keys(cls, width: int) -> Bracket:
        """Return the bracket of all keys of `width` bits."""
        return cls.of(0, (1 << width) - 1, _FEW_BINS)

    def narrow_to_bin(self, digit: int, most: int = MOST_BINS) -> Bracket:
        """Return the bracket of the keys in the bin `digit`, with at most `most` bins."""
        low = self.low + (digit << self.shift)
        return self.of(low, min(self.high, low + (1 << self.shift) - 1), most)

    def fits_apart(self, tensors: int) -> bool:
        """Return whether there is memory for separate counters for each of `tensors` tensors."""
        return self.bins * tensors <= _MOST_APART


@dataclass(frozen=True, eq=False)
class BracketCounts:
    """The counts of a pass over kept elements.

    `below` (``int64[tensors]``) has the elements with keys below the bracket, `inside` those in
    each bin: a row per tensor if they fit (`Bracket.fits_apart`), otherwise one row for all.
    """

    below: Counts
    inside: Counts


Count = Callable[[Bracket], BracketCounts]


@dataclass(frozen=True)
class FoundThreshold:
    """A threshold, the number of kept elements with its key, and what it prunes in each tensor.

    `shares` is None if tensors were not counted separately.
    """

    threshold: Threshold
    equal: int
    shares: tuple[Share, ...] | None

    def without_ties(self, width: int) -> Threshold:
        """Return a threshold without ties, one key higher, if all ties are pruned."""
        key, ties = self.threshold.key, self.threshold.ties
        if ties < self.equal or key == (1 << width) - 1:
            return self.threshold
        return Threshold(key + 1, 0)


def search(
    width: int, count: int, bracket: Bracket, pass_over: Count, most: int = MOST_BINS
) -> FoundThreshold:
    """Find the threshold that prunes `count` elements, from 1 to the number of kept elements.

    Parameters
    ----------
    width
        Bits of a key.
    bracket
        Where to search first. If the threshold is outside, all keys are searched.
    pass_over
        Called with a bracket; counts all kept elements once. Called again with a narrower bracket
        until each bin is one key.
    most
        Maximum number of bins of the brackets after the first.

    Raises
    ------
    ValueError
        If there are fewer than `count` kept elements, which is a bug of the caller.
    """
    while True:
        counted = pass_over(bracket)
        rank = count - int(counted.below.sum())
        ends = np.cumsum(counted.inside.sum(axis=0))
        if not 0 < rank <= ends[-1]:  # the sample was misleading
            everything = Bracket.of_all_keys(width)
            if bracket == everything:
                raise ValueError(f"element {count:,} asked for, there are {ends[-1]:,}")
            bracket = everything
            continue
        digit = int(np.searchsorted(ends, rank))
        if bracket.shift:
            bracket = bracket.narrow_to_bin(digit, most)
            continue
        ties = rank - (int(ends[digit - 1]) if digit else 0)
        threshold = Threshold(bracket.low + digit, ties)
        equal = counted.inside[:, digit]
        if len(counted.inside) < len(counted.below):
            return FoundThreshold(threshold, int(equal.sum()), None)
        below = counted.below + counted.inside[:, :digit].sum(axis=1)
        tensor_shares = shares(below.tolist(), equal.tolist(), ties)
        return FoundThreshold(threshold, int(equal.sum()), tensor_shares)


def shares(below: Sequence[int], equal: Sequence[int], ties: int) -> tuple[Share, ...]:
    """Return how many elements of each tensor are pruned with one threshold.

    `below` and `equal` count the elements of each tensor below and at the threshold. Of all
    elements at the threshold, `ties` are pruned, in earlier tensors first.
    """
    result = []
    for smaller, same in zip(below, equal, strict=True):
        ties_pruned = min(same, ties)
        ties -= ties_pruned
        result.append(Share(smaller, same, ties_pruned))
    return tuple(result)


def range_of_sample(blocks: Sequence[Bits], count: int, left: int, width: int) -> KeyRange:
    """Return a range that should contain the key of rank `count` (from 1) of `left` elements.

    All keys for a sample of fewer than 1,000. The error of the rank is estimated from the variation
    between blocks, which have keys of kept elements from places all over the tensors. Neighboring
    weights are similar, so a block is less informative than the same number of independent weights
    (Cochran, "Sampling Techniques", 1977, chapter 9: cluster sampling). `width` is the number of
    bits of a key.
    """
    keys = np.concatenate(blocks) if blocks else np.empty(0)
    if keys.size < 1000:
        return KeyRange(0, (1 << width) - 1, left)
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
    return KeyRange(low, high, (last - first) / keys.size * left)


# Minimum number of digits to collect before counting, where there are fewer counters.
_HELD = 1 << 16


class Tally:
    """A histogram of digits from 0 to `bins` - 1.

    Digits are collected until there are as many as bins, so that adding histograms costs no more
    than counting. Memory is limited to a few times the bins.
    """

    def __init__(self, bins: int) -> None:
        self._bins = bins
        self._held: list[Bits] = []
        self._size = 0
        self._counts: Counts | None = None

    def add(self, digits: Bits) -> None:
        """Add digits of any unsigned dtype; the array is kept without a copy."""
        if digits.size:
            self._held.append(digits)
            self._size += digits.size
            if self._size >= max(self._bins, _HELD):
                self._count()

    def absorb(self, other: Tally) -> None:
        """Add the counts of another tally with the same number of bins, which does not change."""
        if other._counts is not None:
            if self._counts is None:
                self._counts = np.zeros(self._bins, np.int64)
            self._counts += other._counts
        for digits in other._held:
            self.add(digits)

    def counts(self) -> Counts:
        """Return the number of occurrences of each digit."""
        self._count()
        assert self._counts is not None
        return self._counts

    def _count(self) -> None:
        """Count the collected digits and release them."""
        if self._counts is None:
            self._counts = np.zeros(self._bins, np.int64)
        if self._held:
            # Concatenated first, because each call takes time for all bins.
            digits = np.concatenate(self._held)
            self._counts[: int(digits.max()) + 1] += np.bincount(digits)
        self._held, self._size = [], 0


class Candidates:
    """The kept keys inside the bracket of a pass, from which a narrower bracket can be counted."""

    def __init__(self, bracket: Bracket) -> None:
        self._bracket = bracket
        self._offsets: list[tuple[int, Bits]] = []
        self._room = MOST_HELD

    def add(self, index: int, offsets: Bits) -> None:
        """Add keys of one tensor, minus the low end of the bracket; not copied.

        If there are too many keys, all are discarded and `covers` returns False from then on.
        """
        self._room -= offsets.nbytes
        if self._room >= 0:
            self._offsets.append((index, offsets))
        else:
            self._offsets.clear()

    def covers(self, bracket: Bracket) -> bool:
        """Return whether all keys inside `bracket` are available."""
        return (
            self._room >= 0
            and self._bracket.low <= bracket.low
            and bracket.high <= self._bracket.high
        )

    def count(self, bracket: Bracket, below: np.ndarray, *, per_tensor: bool) -> BracketCounts:
        """Count the keys inside a bracket for which `covers` is True, as a pass would.

        `below` has the number of elements per tensor below the bracket of the pass; it is not
        changed. With `per_tensor`, bins are counted per tensor if there is memory for that.
        """
        first = bracket.low - self._bracket.low
        last = bracket.high - self._bracket.low
        per_tensor = per_tensor and bracket.fits_apart(len(below))
        below = below.copy()
        tallies = [Tally(bracket.bins) for _ in (below if per_tensor else "1")]
        for index, offsets in self._offsets:
            if bracket == self._bracket:
                tallies[index if per_tensor else 0].add(bins_of(offsets, bracket.shift))
                continue
            kind = offsets.dtype.type
            below[index] += np.count_nonzero(offsets < kind(first))
            inside = offsets[(offsets >= kind(first)) & (offsets <= kind(last))] - kind(first)
            tallies[index if per_tensor else 0].add(bins_of(inside, bracket.shift))
        return BracketCounts(below, np.stack([tally.counts() for tally in tallies]))


def bins_of(offsets: Bits, shift: int) -> Bits:
    """Return the bins of keys; `offsets` are the keys minus the low end of their bracket."""
    digits = offsets >> offsets.dtype.type(shift) if shift else offsets
    # There are at most 2**32 bins, and numpy.bincount does not accept uint64.
    return digits.astype(np.uint32) if digits.itemsize == 8 else digits


# From this share of 8-byte words with a True on, checking each element is as fast.
_MANY = 0.5


def places_of(bools: Bools) -> Indices:
    """Return the indices of True elements in order, as ``numpy.flatnonzero`` does, but faster.

    `bools` must be 1-D and contiguous. The result is a new array. Eight elements are checked at a
    time as one word. NumPy checks each element with a branch that is often mispredicted: if one in
    30 is True, it takes twice as long as this function, and boolean indexing three times (measured
    with NumPy 2.4).
    """
    if bools.size % 8:
        return np.flatnonzero(bools)
    words = bools.view(np.uint64)
    eights = np.flatnonzero(words != 0)
    if eights.size > _MANY * words.size:
        return np.flatnonzero(bools)
    inside = np.flatnonzero(words[eights].view(np.bool_))
    places: Indices = eights[inside >> 3]
    places <<= 3
    places += inside & 7
    return places


def count_inside(
    ranking: Ranking,
    stretch: TensorRange,
    bracket: Bracket,
    cancel: CancelToken,
    *,
    collect_keys: bool,
) -> tuple[int, Tally, Bits | None]:
    """Count the kept keys of a stretch below a bracket and, by bins, inside it.

    The third value has the keys inside, in order, minus the low end of the bracket, if
    `collect_keys`; otherwise None. Raises `Cancelled`.
    """
    below = 0
    tally = Tally(bracket.bins)
    held = []
    for chunk in ranking.keys(stretch.start, stretch.stop):
        cancel.check()
        kept = kept_elements(ranking, chunk.start, chunk.keys.size)
        smaller, offsets = _split(chunk.keys, kept, bracket)
        below += smaller
        tally.add(bins_of(offsets, bracket.shift))
        if collect_keys:
            held.append(offsets)
    return below, tally, np.concatenate(held) if held else None


def count_share(
    ranking: Ranking, stretch: TensorRange, key: int, cancel: CancelToken
) -> tuple[int, int]:
    """Return the number of kept keys of a stretch that are smaller than `key`, and equal to it.

    Raises `Cancelled`.
    """
    below = equal = 0
    for chunk in ranking.keys(stretch.start, stretch.stop):
        cancel.check()
        kept = kept_elements(ranking, chunk.start, chunk.keys.size)
        below += _count(chunk.keys < chunk.keys.dtype.type(key), kept)
        equal += _count(chunk.keys == chunk.keys.dtype.type(key), kept)
    return below, equal


def kept_elements(ranking: Ranking, start: int, size: int) -> Bools | None:
    """Return which of `size` elements from `start` on are kept, as bools; None for all."""
    return None if ranking.kept is None else ranking.kept.bools(start, start + size)


def read_keys(ranking: Ranking, *ranges: tuple[int, int]) -> Bits:
    """Return a copy of the keys of ranges of elements, including pruned ones.

    Each range is (start, stop), the end exclusive; their keys are concatenated in this order.
    """
    keys: Bits = np.empty(sum([stop - start for start, stop in ranges]), f"uint{ranking.width}")
    at = 0
    for start, stop in ranges:
        for chunk in ranking.keys(start, stop):
            keys[at : at + chunk.keys.size] = chunk.keys
            at += chunk.keys.size
    return keys


def read_kept_keys(ranking: Ranking, start: int, stop: int) -> Bits:
    """Return the keys of the kept elements from `start` to `stop`."""
    keys = read_keys(ranking, (start, stop))
    kept = kept_elements(ranking, start, keys.size)
    return keys if kept is None else keys[kept]


def _count(where: Bools, kept: Bools | None) -> int:
    if kept is not None:
        where &= kept
    return int(np.count_nonzero(where))


def _split(keys: Bits, kept: Bools | None, bracket: Bracket) -> tuple[int, Bits]:
    """Return the number of kept keys below, and those inside minus the low end, in order."""
    kind = keys.dtype.type
    if not bracket.low and bracket.high == np.iinfo(keys.dtype).max:
        return 0, keys.copy() if kept is None else keys[kept]
    smaller = keys < kind(bracket.low)
    inside = keys <= kind(bracket.high)
    inside ^= smaller
    if kept is not None:
        inside &= kept
    return _count(smaller, kept), keys[places_of(inside)] - kind(bracket.low)
