"""How large something will be once it is compressed, from a few of its pieces."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from pruneapp.export.records import RecordRange
from pruneapp.masks.bitmask import BitMask, Mask
from pruneapp.progress import Job

T = TypeVar("T")

# Pieces of a megabyte or less; so many are within 1 % on trained weights, in a quarter of a second.
SAMPLE = 160
_SEED = 5


def estimate(
    pieces: Sequence[T],
    guesses: Sequence[float],
    measure: Callable[[T], int],
    job: Job,
    most: int = SAMPLE,
) -> list[float]:
    """Return about how many bytes each of `pieces` will have.

    As many as `most` are measured, picked in proportion to what is guessed of them (systematic
    sampling with unequal probabilities). The sum of all is the mean of measure by guess, times the
    sum of all guesses (Horvitz and Thompson, 1952). The better the guesses, the smaller its error;
    a constant factor in them does not matter. Where there are not more pieces all are measured.

    Guesses are more than 0; `measure` compresses a piece, in at most some milliseconds, and returns
    its bytes. Of what was not measured the result is the guess, times a factor.
    """
    if len(pieces) <= most:
        shares = dict.fromkeys(range(len(pieces)), 1.0)
    else:
        sums = np.cumsum(guesses, dtype=np.float64)
        # One place in each of as many equal stretches, so that no layer is passed over; the same
        # places every time.
        step = float(sums[-1]) / most
        places = (np.arange(most) + np.random.default_rng(_SEED).random(most)) * step
        hits = np.minimum(np.searchsorted(sums, places, side="right"), len(pieces) - 1)
        shares = {}
        for index in hits.tolist():
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
    return [float(nbytes) for nbytes in sizes]


def affordable(guesses: Sequence[float], least: float, budget: float) -> int:
    """Return how many pieces may be measured in a certain time: the fewer bytes come the more.

    In that time `budget` bytes may be made; a piece of which nothing is left takes as long as
    `least` bytes do. Guesses are as of `estimate`.
    """
    each = np.asarray(guesses, np.float64)
    if each.sum() + least * each.size <= budget:
        return max(each.size, 1)
    # The mean of those that are picked: the larger are picked more often.
    mean = float((each**2).sum() / each.sum())
    return max(int(budget / (least + mean)), 1)


class SampledWeights(NamedTuple):
    """What is kept of a stretch."""

    size: int  # its elements
    kept: int  # those that are kept
    runs: int  # in so many groups side by side: whole channels take less room than single weights

    @property
    def places(self) -> float:
        """About how many bits a general compressor needs to say where the runs begin and end."""
        return self.runs * math.log2(self.size / self.runs) if self.runs else 0.0


def kept_in(mask: Mask | None, start: int, stop: int) -> SampledWeights:
    """Return what is kept of the elements `start` to `stop`; `start` is a multiple of 8.

    Exact where a mask holds its bits, else about as much as in the whole tensor; nothing only if
    nothing of it is kept.
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


def by_tensor(ranges: Sequence[RecordRange], nbytes: Sequence[float], job: Job) -> dict[str, int]:
    """Return the sums of the bytes of ranges by the names of their tensors, rounded."""
    sums: defaultdict[str, float] = defaultdict(float)
    for elements, more in job.cancel.each(zip(ranges, nbytes, strict=True)):
        sums[elements.entry.name] += more
    return {name: round(total) for name, total in sums.items()}
