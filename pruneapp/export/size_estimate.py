"""Estimate compressed sizes from a sample of pieces."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np

from pruneapp.export.records import RecordRange, State
from pruneapp.masks.bitmask import BitMask, Mask
from pruneapp.progress import Job

T = TypeVar("T")

# 160 pieces of up to 1 MB are within 1 % for trained weights, and take a quarter of a second.
SAMPLE = 160
_SEED = 5


def estimate(
    pieces: Sequence[T],
    guesses: Sequence[float],
    measure: Callable[[T], int],
    job: Job,
    most: int = SAMPLE,
) -> list[float]:
    """Estimate the compressed size of each piece in bytes, in order.

    Up to `most` pieces are measured, all if there are no more. They are sampled with probability
    proportional to their guesses (systematic sampling); the total is the Horvitz-Thompson estimator
    (1952). Better guesses reduce its error; a constant factor does not matter. The same arguments
    give the same result.

    Parameters
    ----------
    guesses
        Approximate size of each piece, larger than 0, in any unit.
    measure
        Compresses a piece within some milliseconds, and returns its size in bytes.

    Returns
    -------
    list of float
        Measured sizes, and scaled guesses for pieces that were not measured.
    """
    if len(pieces) <= most:
        shares = dict.fromkeys(range(len(pieces)), 1.0)
    else:
        sums = np.cumsum(guesses, dtype=np.float64)
        # One position in each of `most` equal intervals, so that no layer is skipped; a fixed seed
        # makes the result reproducible.
        step = float(sums[-1]) / most
        places = (np.arange(most) + np.random.default_rng(_SEED).random(most)) * step
        hits = np.minimum(np.searchsorted(sums, places, side="right"), len(pieces) - 1)
        shares = {}
        for index in job.cancel.each(hits.tolist()):
            shares[index] = shares.get(index, 0.0) + step / guesses[index]
    sizes = np.array(guesses, np.float64)
    total = 0.0
    for index, share in shares.items():
        job.step(0)
        sizes[index] = measure(pieces[index])
        total += share * sizes[index]
    others = np.ones(len(pieces), np.bool_)
    others[list(shares)] = False
    if others.any():
        rest = total - float(sizes[~others].sum())
        sizes[others] *= max(rest, 0.0) / float(sizes[others].sum())
    estimated: list[float] = sizes.tolist()
    return estimated


# A part of a file that is compressed independently: a range, or ranges of several tensors.
Block = Sequence[RecordRange]


def expected_sizes(
    state: State,
    blocks: Iterable[Block],
    guess: Callable[[RecordRange, SampledWeights], float],
    compress: Callable[[Block], int],
    job: Job,
    *,
    zeros: Callable[[int], int] | None = None,
    sample: Callable[[Sequence[float]], int] = lambda _guesses: SAMPLE,
) -> list[tuple[Block, float]]:
    """Estimate the compressed size of each block in bytes, see `estimate`.

    The result is not in the order of `blocks`: blocks of zeros are first if `zeros` is given.

    Parameters
    ----------
    guess
        Returns the approximate size of a range with its kept weights.
    compress
        Compresses a block and returns its size in bytes.
    zeros
        Returns the size of a block of zeros by its uncompressed bytes, so that none is measured.
    sample
        Returns how many blocks to measure by their guesses.
    """
    zeroed = lru_cache(maxsize=1)(state.export_mask)  # combines two masks each time
    known: list[tuple[Block, float]] = []
    some: list[Block] = []
    guesses: list[float] = []
    for block in job.cancel.each(blocks):
        n_kept, nbytes, guessed = 0, 0, 0.0
        for part in job.cancel.each(block):  # tens of thousands if the tensors are small
            kept = count_kept(zeroed(part.entry.name), part.start, part.stop)
            n_kept += kept.kept
            nbytes += part.nbytes
            guessed += guess(part, kept)
        if zeros is not None and not n_kept:
            known.append((block, zeros(nbytes)))
        else:
            some.append(block)
            guesses.append(guessed)
    sizes = estimate(some, guesses, compress, job, sample(guesses))
    return [*known, *zip(some, sizes, strict=True)]


def count_affordable(guesses: Sequence[float], least: float, budget: float) -> int:
    """Return how many pieces can be measured within a time budget, at least 1.

    Parameters
    ----------
    guesses
        Approximate compressed sizes in bytes.
    least
        Fixed cost of a piece, in bytes that can be compressed in the same time.
    budget
        Number of compressed bytes that can be produced within the available time.
    """
    each = np.asarray(guesses, np.float64)
    if each.sum() + least * each.size <= budget:
        return max(each.size, 1)
    # Mean size of sampled pieces: large ones are sampled more often.
    mean = float((each**2).sum() / each.sum())
    return max(int(budget / (least + mean)), 1)


class SampledWeights(NamedTuple):
    """Counts of kept weights in a range."""

    size: int  # number of elements
    kept: int  # number of kept elements
    # Number of runs of adjacent kept elements; pruned channels compress better than single weights.
    runs: int

    @property
    def places(self) -> float:
        """Approximate number of bits in which a compressor stores the positions of the runs."""
        return self.runs * math.log2(self.size / self.runs) if self.runs else 0.0


def count_kept(mask: Mask | None, start: int, stop: int) -> SampledWeights:
    """Count the kept elements from `start` (a multiple of 8) to `stop`, exclusive, and their runs.

    A `mask` of None keeps all. Exact for a `BitMask`; otherwise estimated from the whole tensor,
    and 0 only if nothing is kept.
    """
    size = stop - start
    if mask is None:
        return SampledWeights(size, size, 1)
    if not isinstance(mask, BitMask):
        kept = math.ceil(mask.kept * size / max(mask.size, 1))
        return SampledWeights(size, kept, math.ceil(kept * (size - kept) / size) or min(kept, 1))
    packed = mask.part(start // 8, (stop + 7) // 8)
    kept = int(np.bitwise_count(packed).sum(dtype=np.int64))
    if kept in {0, size}:
        return SampledWeights(size, kept, min(kept, 1))
    before = packed << 1
    before[1:] |= packed[:-1] >> 7
    return SampledWeights(size, kept, int(np.bitwise_count(packed & ~before).sum(dtype=np.int64)))


def sum_by_tensor(sizes: Iterable[tuple[Block, float]], job: Job) -> dict[str, int]:
    """Return the sum of the sizes of the blocks of each tensor, rounded, by name."""
    sums: defaultdict[str, float] = defaultdict(float)
    for block, nbytes in job.cancel.each(sizes):
        sums[block[0].entry.name] += nbytes
    return {name: round(total) for name, total in job.cancel.each(sums.items())}
