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

from pruneapp.checkpoint.elements import Bits
from pruneapp.kernels.kernel import KeyRange, Ranking, Share, Threshold
from pruneapp.kernels.threads import TensorRange
from pruneapp.kernels.values import Bools, Counts, Indices
from pruneapp.progress import CancelToken

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
    def around(cls, keys: KeyRange, width: int) -> Bracket:
        """Return the bracket of some keys of so many bits that are held, if there is room."""
        if keys.high - keys.low < _FEW_BINS:
            most = _FEW_BINS
        else:
            most = _COARSE_BINS if keys.inside * width / 8 < MOST_HELD else MOST_BINS
        return cls.of(keys.low, keys.high, most)

    @classmethod
    def everything(cls, width: int) -> Bracket:
        """Return the bracket of all keys of so many bits."""
        return cls.of(0, (1 << width) - 1, _FEW_BINS)

    def inside(self, digit: int, most: int = MOST_BINS) -> Bracket:
        """Return the bracket of the keys of one bin, in at most `most` bins."""
        low = self.low + (digit << self.shift)
        return self.of(low, min(self.high, low + (1 << self.shift) - 1), most)

    def apart(self, tensors: int) -> bool:
        """Whether so many tensors can each have counters of their own."""
        return self.bins * tensors <= _MOST_APART


@dataclass(frozen=True, eq=False)
class BracketCounts:
    """What a pass over kept elements counted.

    For each tensor elements with keys `below` the bracket, and those `inside`, in each bin: a row
    for each tensor if there is room (`Bracket.apart`), else one for all.
    """

    below: Counts
    inside: Counts


Count = Callable[[Bracket], BracketCounts]


@dataclass(frozen=True)
class FoundThreshold:
    """The cut, how many kept elements have its key in all, and what goes of each tensor.

    `shares` are None where the tensors were not kept apart.
    """

    threshold: Threshold
    equal: int
    shares: tuple[Share, ...] | None

    def plain(self, width: int) -> Threshold:
        """Return the cut without ties if all of them go: the next key of so many bits."""
        key, ties = self.threshold.key, self.threshold.ties
        if ties < self.equal or key == (1 << width) - 1:
            return self.threshold
        return Threshold(key + 1, 0)


def search(
    width: int, count: int, bracket: Bracket, pass_over: Count, most: int = MOST_BINS
) -> FoundThreshold:
    """Find the cut below which `count` keys lie, from 1 to the number of kept elements.

    `pass_over` counts all kept elements once; `bracket` is where to look first, and those after it
    have at most `most` bins.

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
            bracket = bracket.inside(digit, most)
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
    result = []
    for smaller, same in zip(below, equal, strict=True):
        ties_pruned = min(same, ties)
        ties -= ties_pruned
        result.append(Share(smaller, same, ties_pruned))
    return tuple(result)


def range_of_sample(blocks: Sequence[Bits], count: int, left: int, width: int) -> KeyRange:
    """Return the keys between which the key of a rank (`count`, from 1) of `left` should lie.

    The error of the rank is estimated from how much the blocks, keys of kept elements from places
    all over the tensors, differ: weights that lie side by side resemble each other, so a block
    tells less than as many weights picked one by one (Cochran, "Sampling Techniques", 1977, chapter
    9: cluster sampling). `width` is the bits of a key.
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


# Digits that are held before they are counted, where there are fewer counters than these.
_HELD = 1 << 16


class Tally:
    """Counts how often each digit below `bins` came.

    Digits are held until there are as many as counters, so that adding the counters up costs no
    more than counting; memory stays within a few times the counters.
    """

    def __init__(self, bins: int) -> None:
        self._bins = bins
        self._held: list[Bits] = []
        self._size = 0
        self._counts: Counts | None = None

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

    def counts(self) -> Counts:
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


class Candidates:
    """Keys of kept elements that a pass found inside its bracket: a narrower one needs no pass."""

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

    def covers(self, bracket: Bracket) -> bool:
        """Whether all keys inside a bracket are here."""
        return (
            self._room >= 0
            and self._bracket.low <= bracket.low
            and bracket.high <= self._bracket.high
        )

    def count(self, bracket: Bracket, below: np.ndarray, *, apart: bool) -> BracketCounts:
        """Count what is inside a bracket (see `covers`), as a pass over all elements would.

        `below` are the elements of each tensor below the bracket that the pass looked for.
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
            inside = offsets[(offsets >= kind(first)) & (offsets <= kind(last))] - kind(first)
            tallies[index if apart else 0].add(bins_of(inside, bracket.shift))
        return BracketCounts(below, np.stack([tally.counts() for tally in tallies]))


def bins_of(offsets: Bits, shift: int) -> Bits:
    """Return the bins of keys that are given less the low end of their bracket."""
    digits = offsets >> offsets.dtype.type(shift) if shift else offsets
    # There are few enough bins; numpy does not count uint64 at all.
    return digits.astype(np.uint32) if digits.itemsize == 8 else digits


# Of this share of eights with one of them inside, looking at each by itself is no slower.
_MANY = 0.5


def places_of(bools: Bools) -> Indices:
    """Return the places of the true ones in order, as ``numpy.flatnonzero`` does.

    Eight are looked at as one word first. numpy looks at each by itself and hardly ever guesses
    right whether it is true: where one in 30 is, that takes twice as long as all of this, and a
    mask as an index three times (measured with numpy 2.4). `found` is 1-D and the beginning of an
    array.
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
    ranking: Ranking, stretch: TensorRange, bracket: Bracket, cancel: CancelToken, *, hold: bool
) -> tuple[int, Tally, Bits | None]:
    """Count the kept keys of a stretch that are below a bracket and, by bins, inside it.

    Returns the keys inside as well, less the low end of the bracket, if they are to be held.
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
    return below, tally, np.concatenate(held) if held else None


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


def kept_of(ranking: Ranking, start: int, size: int) -> Bools | None:
    """Return which of `size` elements from `start` on are kept; None for all."""
    return None if ranking.kept is None else ranking.kept.bools(start, start + size)


def read_keys(ranking: Ranking, *ranges: tuple[int, int]) -> Bits:
    """Return the keys of some ranges of elements, pruned ones too, in memory of their own."""
    keys: Bits = np.empty(sum([stop - start for start, stop in ranges]), f"uint{ranking.width}")
    at = 0
    for start, stop in ranges:
        for chunk in ranking.keys(start, stop):
            keys[at : at + chunk.keys.size] = chunk.keys
            at += chunk.keys.size
    return keys


def read_kept_keys(ranking: Ranking, start: int, stop: int) -> Bits:
    """Return the keys of those of elements `start` to `stop` that are kept."""
    keys = read_keys(ranking, (start, stop))
    kept = kept_of(ranking, start, keys.size)
    return keys if kept is None else keys[kept]


def _count(where: Bools, kept: Bools | None) -> int:
    if kept is not None:
        where &= kept
    return int(np.count_nonzero(where))


def _split(keys: Bits, kept: Bools | None, bracket: Bracket) -> tuple[int, Bits]:
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
