"""Number of weights per tensor among the lowest LAMP scores of all tensors.

The score of a weight is its square divided by the sum of squares of all weights of its tensor that
come after it or are itself, ordered by magnitude (of equal weights, the one with the higher flat
index comes later):

    score(u) = w_u^2 / (sum of w_v^2 over v >= u)

(Lee et al., "Layer-adaptive sparsity for the magnitude-based pruning", ICLR 2021.) It grows with
the magnitude, so the smallest weights of each tensor are pruned, and only their number has to be
found. NaN and infinite weights come after all others and are in no sum; the score of 0 is 0.

One pass counts the weights of each tensor in bins of magnitude, with the sum of squares of each
bin, which bounds the scores in it. Bins that may contain the common threshold are counted by
individual magnitudes in a second pass over the tensors with wide bins; keys of up to 16 bits have
none. Memory grows with the tensors (0.2 MB each) and with the different magnitudes within about 2 %
of the threshold: for a float32 tensor up to about 200,000, of two to four bytes each; for float64
up to the number of weights, of nine bytes. Scores are stored only for magnitudes next to the
threshold. Sums are computed over stretches of fixed length, so they do not depend on chunks or
threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.kernels.threads import TensorRange, map_in_order, stretches, threads_for
from pruneapp.kernels.threshold import read_kept_keys
from pruneapp.kernels.values import Bools, Counts, Float64s, Indices, decode
from pruneapp.progress import Job

# Number of leading bits of a key that select its bin.
_BITS = 16
# Elements whose squares are summed together, which defines the result of a sum.
STRETCH = 1 << 18
# Upper limit of the relative error of sums, by which bounds are widened.
_SLACK = 1e-9
# Keys that are collected before equal ones are merged.
_HELD = 1 << 20
# Magnitudes of a tensor that share bounds when the threshold is narrowed again.
_BLOCK = 256


@dataclass(frozen=True, eq=False)
class Segments:
    """Consecutive ranges of one tensor's magnitudes, ascending.

    Each contains the keys from `first` to `last` (``uint64``) and `counts` weights. `squares` are
    those of the largest magnitude in each, `above` the sums of squares of all weights after each;
    the scores in each are between `lower` and `upper`.
    """

    first: NDArray[np.uint64]
    last: NDArray[np.uint64]
    squares: Float64s
    counts: Counts
    above: Float64s
    lower: Float64s
    upper: Float64s

    def select(self, which: Bools) -> Segments:
        """Return the segments selected by a boolean array."""
        return Segments(*(getattr(self, field.name)[which] for field in fields(self)))


class ScoreBounds(NamedTuple):
    """Numbers of weights, and bounds of their scores."""

    counts: Counts
    lower: Float64s
    upper: Float64s


class CountedKeys(NamedTuple):
    """The different keys of a tensor, ascending, with differences and counts in minimal dtypes.

    `top` is the sum of squares of all weights above them. There may be as many keys as weights.
    """

    first: int
    steps: NDArray[np.unsignedinteger[Any]]
    counts: NDArray[np.unsignedinteger[Any]]
    top: float

    @classmethod
    def pack(cls, keys: NDArray[np.uint64], counts: Counts, top: float) -> CountedKeys:
        """Pack keys; there must be at least one."""
        return cls(int(keys[0]), _shrink_dtype(np.diff(keys)), _shrink_dtype(counts), top)

    def segments(self, ranking: Magnitudes) -> Segments:
        """Return the keys as segments of one key each."""
        keys = np.full(self.counts.size, self.first, np.uint64)
        keys[1:] += np.cumsum(self.steps, dtype=np.uint64)
        return exact_segments(ranking, keys, self.counts.astype(np.int64), self.top)


def _shrink_dtype(numbers: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def bin_count(ranking: Magnitudes) -> int:
    """Return the number of bins of magnitude of a tensor."""
    return 1 << min(ranking.width, _BITS)


def shift_of(ranking: Magnitudes) -> int:
    """Return the number of low bits of a key inside a bin; 0 if a bin has one magnitude."""
    return max(0, ranking.width - _BITS)


def _finite_limit(ranking: Magnitudes) -> int:
    """Return the smallest key that is not that of a finite number."""
    form = ranking.form
    infinite = np.isinf(float(_values(ranking, np.array([form.largest], np.uint64))[0]))
    return form.largest if infinite else form.largest + 1


def _values(ranking: Magnitudes, keys: NDArray[np.uint64]) -> Float64s:
    bits = keys.astype(f"uint{ranking.width}")
    return decode(bits, ranking.dtype).astype(np.float64)


def count_bins(ranking: Magnitudes, stretch: TensorRange, job: Job) -> tuple[Counts, Float64s]:
    """Return the number of finite weights of a stretch in each bin, and the sums of their squares.

    Only kept weights are counted. Both have `bin_count` elements; the sums are empty if a bin has
    one magnitude, because they follow from the counts. `job` is only used to cancel.
    """
    job.cancel.check()
    keys = read_kept_keys(ranking, stretch.start, stretch.stop)
    keys = keys[keys < _finite_limit(ranking)]
    bins = (keys >> keys.dtype.type(shift_of(ranking))).astype(np.intp)
    size = bin_count(ranking)
    counts: Counts = np.bincount(bins, minlength=size).astype(np.int64, copy=False)
    if not shift_of(ranking):
        return counts, np.zeros(0)
    with np.errstate(over="ignore"):
        squares = decode(keys, ranking.dtype).astype(np.float64)
        np.multiply(squares, squares, out=squares)
        sums: Float64s = np.bincount(bins, squares, size).astype(np.float64, copy=False)
    return counts, sums


def segments_of(ranking: Magnitudes, counts: Counts, sums: Float64s) -> Segments:
    """Return the non-empty bins of a tensor as segments, ascending.

    `counts` and `sums` are the totals of `count_bins` over all stretches.
    """
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
    """Return segments of one key each, ascending, with `counts` weights.

    `top` is the sum of squares of all weights above the last key.
    """
    with np.errstate(all="ignore"):
        values = _values(ranking, keys)
        squares = values * values
        above = _sums_above(squares * counts, top)
        lower = _scores(values, above + squares * counts) * (1 - _SLACK)
        upper = _scores(values, above + squares) * (1 + _SLACK)
    return Segments(keys, keys, squares, counts, above, lower, upper)


def _sums_above(sums: Float64s, top: float) -> Float64s:
    """Return for each of ascending sums the total after it, added from the top."""
    running = np.cumsum(np.concatenate(([top], sums[::-1])))
    return running[:-1][::-1]


def _scores(values: Float64s, sums: Float64s) -> Float64s:
    """Return squares divided by sums: 0 for a square of 0, and 1 where float64 overflows."""
    squares = values * values
    scores = np.where(squares == 0, 0.0, squares / sums)
    return np.where(np.isnan(scores), 1.0, scores)


def different_keys(
    ranking: Magnitudes, first: int, last: int, job: Job
) -> tuple[NDArray[np.uint64], Counts]:
    """Return the different keys of a tensor from `first` to `last`, and their numbers.

    Both ends are included. Keys are ascending; only kept weights count. Extends `job` by the
    elements of the tensor and advances it, as this is another pass.
    """
    job.extend(ranking.size)
    keys, counts = np.zeros(0, np.uint64), np.zeros(0, np.int64)
    held: list[NDArray[np.uint64]] = []

    def merge() -> None:
        """Merge the collected keys into `keys` and `counts`."""
        nonlocal keys, counts
        new, new_counts = np.unique(np.concatenate(held), return_counts=True)
        keys, places = np.unique(np.concatenate((keys, new)), return_inverse=True)
        counts = np.bincount(places, np.concatenate((counts, new_counts)), keys.size).astype(
            np.int64
        )
        held.clear()

    size = 0
    for start in range(0, ranking.size, STRETCH):
        stop = min(start + STRETCH, ranking.size)
        kept_keys = read_kept_keys(ranking, start, stop)
        kept_keys = kept_keys[(kept_keys >= first) & (kept_keys <= last)]
        held.append(kept_keys.astype(np.uint64))
        size += kept_keys.size
        job.step(stop - start)
        if size > _HELD:
            merge()
            size = 0
    if held:
        merge()
    return keys, counts


class LampScores:
    """The LAMP scores of tensors, computed where they are needed.

    Tensors are ranked by magnitude, with keys of their own dtypes; only kept weights are ranked and
    summed. `job` is advanced by the elements, and extended by further passes.
    """

    def __init__(self, rankings: Sequence[Magnitudes], job: Job) -> None:
        """Count the weights of all tensors in bins, in one pass over the elements."""
        self._rankings = rankings
        self._job = job
        nothing = np.zeros(0, np.int64), np.zeros(0)
        self._segments = [segments_of(ranking, *nothing) for ranking in rankings]
        self._odd = [0] * len(rankings)

        def work(task: Sequence[TensorRange]) -> list[tuple[TensorRange, Counts, Float64s]]:
            return [(s, *count_bins(rankings[s.index], s, job)) for s in task]

        sizes = [r.size for r in rankings]
        tasks = stretches(sizes, STRETCH)
        counts, sums = nothing
        for results in map_in_order(tasks, work, job, threads_for(sum(sizes))):
            for stretch, counted, squares in results:
                ranking = rankings[stretch.index]
                if stretch.start:
                    counts += counted
                    sums += squares
                else:
                    counts, sums = counted, squares
                if stretch.stop == ranking.size:  # stretches of a tensor are consecutive
                    self._segments[stretch.index] = segments_of(ranking, counts, sums)
                    left = ranking.size if ranking.kept is None else ranking.kept.kept
                    self._odd[stretch.index] = left - int(counts.sum())
                job.step(stretch.size)

    def lowest(self, among: Bools, count: int) -> Counts:
        """Return the number of weights per tensor if the `count` lowest of some tensors are pruned.

        `among` (``bool[tensors]``) selects the tensors; the others get 0. Of equal scores, those of
        earlier tensors are pruned first; weights that are not finite are pruned last. A `count`
        above the number of weights prunes all of them. Tensors with undecided bins are read again.
        """
        counts_to_prune = np.zeros(len(self._rankings), np.int64)
        chosen = np.flatnonzero(among).tolist()
        finite = sum(int(self._segments[i].counts.sum()) for i in chosen)
        if count >= finite:
            left = count - finite
            for i in chosen:
                n_not_finite = min(self._odd[i], left)
                counts_to_prune[i] = self._segments[i].counts.sum() + n_not_finite
                left -= n_not_finite
            return counts_to_prune
        if not count:
            return counts_to_prune
        low, high = _score_bounds([self._segments[i] for i in chosen], count)
        undecided: list[tuple[int, Bools, CountedKeys | None]] = []
        blocks: list[ScoreBounds] = []
        for i in chosen:
            segments = self._segments[i]
            counts_to_prune[i] = segments.counts[segments.upper < low].sum()
            unsure = (segments.upper >= low) & (segments.lower <= high)
            if unsure.any():
                undecided.append((i, unsure, self._count_keys(i, unsure)))
                blocks.append(_bounds_of_blocks(self._exact_segments(*undecided[-1])))
        low, high = _score_bounds(blocks, count - int(counts_to_prune.sum()))
        groups: list[tuple[int, Segments]] = []
        for i, unsure, keys in undecided:
            exact = self._exact_segments(i, unsure, keys)
            counts_to_prune[i] += exact.counts[exact.upper < low].sum()
            groups.append((i, exact.select((exact.upper >= low) & (exact.lower <= high))))
        return counts_to_prune + _cut(
            groups, count - int(counts_to_prune.sum()), counts_to_prune.size
        )

    def _count_keys(self, index: int, unsure: Bools) -> CountedKeys | None:
        """Count the keys in the undecided segments; None if these have one key each.

        Reads the tensor. `unsure` selects the segments, of which there is at least one; keys
        between them are counted too.
        """
        ranking, segments = self._rankings[index], self._segments[index]
        if not shift_of(ranking):
            return None
        places = np.flatnonzero(unsure)
        first, last = segments.first[places[0]], segments.last[places[-1]]
        keys, counts = different_keys(ranking, int(first), int(last), self._job)
        return CountedKeys.pack(keys, counts, float(segments.above[places[-1]]))

    def _exact_segments(self, index: int, unsure: Bools, keys: CountedKeys | None) -> Segments:
        """Return the undecided segments of a tensor with one key each."""
        segments = self._segments[index]
        if keys is None:
            return segments.select(unsure)
        exact = keys.segments(self._rankings[index])
        return exact.select(unsure[np.searchsorted(segments.first, exact.first, "right") - 1])


def _bounds_of_blocks(segments: Segments) -> ScoreBounds:
    """Return the counts and score bounds of blocks of 256 consecutive segments."""
    starts = np.arange(0, segments.counts.size, _BLOCK)
    return ScoreBounds(
        np.add.reduceat(segments.counts, starts),
        np.minimum.reduceat(segments.lower, starts),
        np.maximum.reduceat(segments.upper, starts),
    )


def _score_bounds(bounds: Sequence[Segments | ScoreBounds], count: int) -> tuple[float, float]:
    """Return a lower and an upper bound of the score of rank `count` (from 1) among all segments.

    The segments must have at least `count` weights.
    """
    counts = np.concatenate([each.counts for each in bounds])
    edges = []
    for name in ("lower", "upper"):
        values = np.concatenate([getattr(each, name) for each in bounds])
        order = np.argsort(values, kind="stable")
        place = int(np.searchsorted(np.cumsum(counts[order]), count))
        edges.append(float(values[order[place]]))
    return edges[0], edges[1]


def _cut(groups: Sequence[tuple[int, Segments]], count: int, tensors: int) -> Counts:
    """Return the number pruned per tensor if the `count` lowest in segments of one key are.

    `groups` has the segments of some tensors with their index below `tensors`; of equal scores,
    earlier tensors come first. Bisects the interval of the threshold by bit patterns, which order
    positive floats. Segments that are decided are removed, so that the time hardly grows with their
    number.
    """
    tensor = np.concatenate([np.full(s.counts.size, i, np.intp) for i, s in groups])
    squares, above, counts = (
        np.concatenate([getattr(s, name) for _, s in groups])
        for name in ("squares", "above", "counts")
    )
    to_prune = np.zeros(tensors, np.int64)
    low, high = 0, int(np.float64(2.0).view(np.uint64))
    at_low, at_high = _equals_up_to(0.0, squares, above, counts), counts
    if int(at_low.sum()) >= count:
        at_low, at_high = np.zeros_like(counts), at_low
        high = 1
    while high - low > 1:
        settled = at_low == at_high
        to_prune += _sum_per_tensor(tensor[settled], at_low[settled], tensors)
        tensor, squares, above, counts, at_low, at_high = (
            column[~settled] for column in (tensor, squares, above, counts, at_low, at_high)
        )
        middle = (low + high) // 2
        pruned = _equals_up_to(float(np.uint64(middle).view(np.float64)), squares, above, counts)
        if int(to_prune.sum()) + int(pruned.sum()) >= count:
            high, at_high = middle, pruned
        else:
            low, at_low = middle, pruned
    to_prune += _sum_per_tensor(tensor, at_low, tensors)
    equal = _sum_per_tensor(tensor, at_high - at_low, tensors)
    before = np.cumsum(equal) - equal
    left: Counts = np.clip(count - int(to_prune.sum()) - before, 0, equal)
    return to_prune + left


def _equals_up_to(score: float, squares: Float64s, above: Float64s, counts: Counts) -> Counts:
    """Return how many of the equal weights of each segment have a score of at most `score`.

    The i-th from the end (from 1) has the score ``square / (above + i * square)``.
    """
    with np.errstate(all="ignore"):
        least = np.ceil((squares / score - above) / squares)
    least = np.where(squares == 0, 1.0, least)
    # The score is 1 for squares that overflow float64.
    least = np.where(np.isnan(least), 1.0 if score >= 1 else np.inf, least)
    return np.clip(counts - least + 1, 0, counts).astype(np.int64)


def _sum_per_tensor(tensor: Indices, counts: Counts, tensors: int) -> Counts:
    return np.bincount(tensor, counts, tensors).astype(np.int64)
