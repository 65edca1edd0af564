"""The magnitudes of one tensor in ascending stretches, and between what their LAMP scores lie."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.kernels.threads import TensorRange
from pruneapp.kernels.threshold_counting import kept_of
from pruneapp.kernels.values import decode
from pruneapp.progress import Job

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

# Bits of a key that tell the bins apart.
_BITS = 16
# Elements whose squares are added together: part of the definition of a sum.
STRETCH = 1 << 18
# Relative errors of sums stay far below this; bounds give way by it.
_SLACK = 1e-9
# Keys that are held before equal ones are put together.
_HELD = 1 << 20


@dataclass(frozen=True, eq=False)
class Segments:
    """Stretches of the order of one tensor's magnitudes, ascending.

    Attributes
    ----------
    first, last
        The keys that are in each, ``uint64``.
    squares
        Of the largest magnitude in each.
    counts
        Weights of each.
    above
        Sums of the squares of all weights after each.
    lower, upper
        Between what the scores of each lie.
    """

    first: NDArray[np.uint64]
    last: NDArray[np.uint64]
    squares: Floats
    counts: Counts
    above: Floats
    lower: Floats
    upper: Floats

    def only(self, which: NDArray[np.bool_]) -> Segments:
        """Return some of them."""
        return Segments(*(getattr(self, field.name)[which] for field in fields(self)))


def bins_of(ranking: Magnitudes) -> int:
    """Return how many bins of magnitude a tensor is counted in."""
    return 1 << min(ranking.width, _BITS)


def shift_of(ranking: Magnitudes) -> int:
    """Return how many low bits of a key its bin leaves out; 0 if a bin is one magnitude."""
    return max(0, ranking.width - _BITS)


def _finite_limit(ranking: Magnitudes) -> int:
    """Return the first key that is no finite number's."""
    form = ranking.form
    infinite = np.isinf(float(_values(ranking, np.array([form.largest], np.uint64))[0]))
    return form.largest if infinite else form.largest + 1


def _values(ranking: Magnitudes, keys: NDArray[np.uint64]) -> Floats:
    bits = keys.astype(f"uint{ranking.width}")
    return decode(bits, ranking.dtype).astype(np.float64)


def _kept_keys(ranking: Magnitudes, start: int, stop: int) -> Bits:
    keys = np.empty(stop - start, f"uint{ranking.width}")
    for chunk in ranking.keys(start, stop):
        keys[chunk.start - start : chunk.start - start + chunk.keys.size] = chunk.keys
    kept = kept_of(ranking, start, stop - start)
    return keys if kept is None else keys[kept]


def count_bins(ranking: Magnitudes, stretch: TensorRange, job: Job) -> tuple[Counts, Floats]:
    """Return how many finite weights of a stretch are in each bin, and the sums of their squares.

    The sums are 0 where a bin is one magnitude: counts say it all.
    """
    job.cancel.check()
    keys = _kept_keys(ranking, stretch.start, stretch.stop)
    keys = keys[keys < _finite_limit(ranking)]
    bins = (keys >> keys.dtype.type(shift_of(ranking))).astype(np.intp)
    size = bins_of(ranking)
    counts: Counts = np.bincount(bins, minlength=size).astype(np.int64)
    if not shift_of(ranking):
        return counts, np.zeros(size)
    with np.errstate(over="ignore"):
        squares = decode(keys, ranking.dtype).astype(np.float64)
        np.multiply(squares, squares, out=squares)
        sums: Floats = np.bincount(bins, squares, size).astype(np.float64)
    return counts, sums


def segments_of(ranking: Magnitudes, counts: Counts, sums: Floats) -> Segments:
    """Return the bins of a tensor that hold something, of what `count_bins` found in all of it."""
    places = np.flatnonzero(counts).astype(np.uint64)
    shift = np.uint64(shift_of(ranking))
    first = places << shift
    if not shift:
        return exact_segments(ranking, first, counts[places.astype(np.intp)], 0.0)
    last = np.minimum(
        ((places + np.uint64(1)) << shift) - np.uint64(1), np.uint64(_finite_limit(ranking) - 1)
    )
    some, squares = counts[places.astype(np.intp)], sums[places.astype(np.intp)]
    with np.errstate(all="ignore"):
        above = _sums_above(squares, 0.0)
        low, high = _values(ranking, first), _values(ranking, last)
        largest = high * high
        lower = _scores(low, above + squares) * (1 - _SLACK)
        upper = _scores(high, above + largest) * (1 + _SLACK)
    return Segments(first, last, largest, some, above, lower, upper)


def exact_segments(
    ranking: Magnitudes, keys: NDArray[np.uint64], counts: Counts, top: float
) -> Segments:
    """Return segments of one key each, ascending; `top` is the sum of what is above them all."""
    with np.errstate(all="ignore"):
        values = _values(ranking, keys)
        squares = values * values
        above = _sums_above(squares * counts, top)
        lower = _scores(values, above + squares * counts) * (1 - _SLACK)
        upper = _scores(values, above + squares) * (1 + _SLACK)
    return Segments(keys, keys, squares, counts, above, lower, upper)


def _sums_above(sums: Floats, top: float) -> Floats:
    """Return for each of some sums, ascending, what comes after it, added from the top."""
    running = np.cumsum(np.concatenate(([top], sums[::-1])))
    return running[:-1][::-1]


def _scores(values: Floats, sums: Floats) -> Floats:
    """Return squares by sums: 0 of 0, and 1 where float64 has no room for either."""
    scores = np.where(values == 0, 0.0, values * values / sums)
    return np.where(np.isnan(scores), 1.0, scores)


def different_keys(
    ranking: Magnitudes, first: int, last: int, job: Job
) -> tuple[NDArray[np.uint64], Counts]:
    """Return the different keys of a tensor from `first` to `last`, and how often each is there."""
    job.extend(ranking.size)
    keys, counts = np.zeros(0, np.uint64), np.zeros(0, np.int64)
    held: list[NDArray[np.uint64]] = []

    def together() -> None:
        nonlocal keys, counts
        new, many = np.unique(np.concatenate(held), return_counts=True)
        keys, places = np.unique(np.concatenate((keys, new)), return_inverse=True)
        counts = np.bincount(places, np.concatenate((counts, many)), keys.size).astype(np.int64)
        held.clear()

    size = 0
    for start in range(0, ranking.size, STRETCH):
        stop = min(start + STRETCH, ranking.size)
        found = _kept_keys(ranking, start, stop)
        found = found[(found >= first) & (found <= last)]
        held.append(found.astype(np.uint64))
        size += found.size
        job.step(stop - start)
        if size > _HELD:
            together()
            size = 0
    if held:
        together()
    return keys, counts
