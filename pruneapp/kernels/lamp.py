"""How many weights of each tensor have the lowest LAMP scores over all of them.

The score of a weight is its square by the sum of the squares of all weights of its tensor that come
after it, itself included, when they are ordered by magnitude (of equals the one with the higher
flat index comes later):

    score(u) = w_u^2 / (sum of w_v^2 over v >= u)

(Lee and others, "Layer-adaptive sparsity for the magnitude-based pruning", ICLR 2021.) It grows
with the magnitude, so what goes of each tensor are its smallest weights, and only how many has to
be found. NaN and infinite weights come after all others and are in no sum; the score of 0 is 0.

One pass counts each tensor in bins of magnitude, with the sum of the squares of each, which bounds
the scores in a bin. The bins in which the common threshold may lie are counted by single magnitudes
in a second pass over those tensors that have wide ones: keys of 16 bits and fewer have none. Memory
grows with the tensors (up to 1 MB each) and with the different magnitudes that lie within about 2 %
of the threshold's place: up to some 65,536 times three of a float32 tensor; only for float64 are
there as many as weights. Sums are added in stretches of fixed length, so they do not depend on
chunks or threads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.lamp_lamp_segments import (
    STRETCH,
    Counts,
    Floats,
    Segments,
    bins_of,
    count_bins,
    different_keys,
    exact_segments,
    segments_of,
    shift_of,
)
from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.kernels.threads import (
    WORTH_THREADS,
    TensorRange,
    default_threads,
    in_order,
    stretches,
)
from pruneapp.progress import Job


class LampScores:
    """The LAMP scores of some tensors, as far as they have to be known.

    Parameters
    ----------
    rankings
        By magnitude, each with keys of its own type; only what is kept is ranked and summed up.
    job
        Stepped by the elements; further passes extend it.
    """

    def __init__(self, rankings: Sequence[Magnitudes], job: Job) -> None:
        self._rankings = rankings
        self._job = job
        self._segments: list[Segments] = []
        self._odd: list[int] = []
        bins = [np.zeros(bins_of(r), np.int64) for r in rankings]
        sums = [np.zeros(bins_of(r)) for r in rankings]

        def work(task: Sequence[TensorRange]) -> list[tuple[TensorRange, Counts, Floats]]:
            return [(s, *count_bins(rankings[s.index], s, job)) for s in task]

        sizes = [r.size for r in rankings]
        threads = default_threads() if sum(sizes) >= WORTH_THREADS else 1
        for results in in_order(stretches(sizes, STRETCH), work, job, threads):
            for stretch, counted, squares in results:
                bins[stretch.index] += counted
                sums[stretch.index] += squares
                job.step(stretch.size)
        for ranking, counted, squares in zip(rankings, bins, sums, strict=True):
            self._segments.append(segments_of(ranking, counted, squares))
            left = ranking.size if ranking.kept is None else ranking.kept.kept
            self._odd.append(left - int(counted.sum()))

    def lowest(self, among: NDArray[np.bool_], count: int) -> Counts:
        """Return how many go of each tensor if `count` of the lowest of the chosen ones go.

        Equal scores go from the earlier tensors first; weights that are not finite go last. 0 of
        those that are not chosen.
        """
        gone = np.zeros(len(self._rankings), np.int64)
        chosen = np.flatnonzero(among).tolist()
        finite = sum(int(self._segments[i].counts.sum()) for i in chosen)
        if count >= finite:
            left = count - finite
            for i in chosen:
                odd = min(self._odd[i], left)
                gone[i] = self._segments[i].counts.sum() + odd
                left -= odd
            return gone
        if not count:
            return gone
        low, high = self._around(chosen, count)
        groups: list[tuple[int, Segments]] = []
        for i in chosen:
            segments = self._segments[i]
            gone[i] = segments.counts[segments.upper < low].sum()
            unsure = (segments.upper >= low) & (segments.lower <= high)
            if unsure.any():
                groups.append((i, self._resolved(i, segments, unsure)))
        return gone + _cut(groups, count - int(gone.sum()), gone.size)

    def _around(self, chosen: Sequence[int], count: int) -> tuple[float, float]:
        """Return scores between which the score of number `count` lies."""
        counts = np.concatenate([self._segments[i].counts for i in chosen])
        found = []
        for bounds in ("lower", "upper"):
            values = np.concatenate([getattr(self._segments[i], bounds) for i in chosen])
            order = np.argsort(values, kind="stable")
            place = int(np.searchsorted(np.cumsum(counts[order]), count))
            found.append(float(values[order[place]]))
        return found[0], found[1]

    def _resolved(self, index: int, segments: Segments, unsure: NDArray[np.bool_]) -> Segments:
        """Return the unsure segments of a tensor with one key each."""
        ranking = self._rankings[index]
        if not shift_of(ranking):
            return segments.only(unsure)
        places = np.flatnonzero(unsure)
        first, last = segments.first[places[0]], segments.last[places[-1]]
        keys, counts = different_keys(ranking, int(first), int(last), self._job)
        exact = exact_segments(ranking, keys, counts, float(segments.above[places[-1]]))
        return exact.only(unsure[np.searchsorted(segments.first, keys, "right") - 1])


def _cut(groups: Sequence[tuple[int, Segments]], count: int, tensors: int) -> Counts:
    """Return how many go of each tensor if `count` of the lowest in segments of one key go.

    Halves the scores in which the threshold may lie, as the order of positive floats is that of
    their bits. Segments that are settled are left out, so that the time hardly grows with them.
    """
    tensor = np.concatenate([np.full(s.counts.size, i, np.intp) for i, s in groups])
    squares, above, counts = (
        np.concatenate([getattr(s, name) for _, s in groups])
        for name in ("squares", "above", "counts")
    )
    gone = np.zeros(tensors, np.int64)
    low, high = 0, int(np.float64(2.0).view(np.uint64))
    at_low, at_high = _gone_at(0.0, squares, above, counts), counts
    if int(at_low.sum()) >= count:
        at_low, at_high = np.zeros_like(counts), at_low
        high = 1
    while high - low > 1:
        settled = at_low == at_high
        gone += _by_tensor(tensor[settled], at_low[settled], tensors)
        tensor, squares, above, counts, at_low, at_high = (
            column[~settled] for column in (tensor, squares, above, counts, at_low, at_high)
        )
        middle = (low + high) // 2
        found = _gone_at(float(np.uint64(middle).view(np.float64)), squares, above, counts)
        if int(gone.sum()) + int(found.sum()) >= count:
            high, at_high = middle, found
        else:
            low, at_low = middle, found
    gone += _by_tensor(tensor, at_low, tensors)
    equal = _by_tensor(tensor, at_high - at_low, tensors)
    before = np.cumsum(equal) - equal
    left: Counts = np.clip(count - int(gone.sum()) - before, 0, equal)
    return gone + left


def _gone_at(score: float, squares: Floats, above: Floats, counts: Counts) -> Counts:
    """Return how many of the equals of each segment have a score up to `score`.

    The one that comes i-th from the end has ``square / (above + i * square)``.
    """
    with np.errstate(all="ignore"):
        least = np.ceil((squares / score - above) / squares)
    least = np.where(squares == 0, 1.0, least)
    # Squares beyond float64 have the score 1.
    least = np.where(np.isnan(least), 1.0 if score >= 1 else np.inf, least)
    found: Counts = np.clip(counts - least + 1, 0, counts).astype(np.int64)
    return found


def _by_tensor(tensor: NDArray[np.intp], counts: Counts, tensors: int) -> Counts:
    return np.bincount(tensor, counts, tensors).astype(np.int64)
