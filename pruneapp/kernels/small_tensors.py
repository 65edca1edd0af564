"""Processing of small tensors in batches: read, ranked and pruned as one array.

A NumPy call takes a microsecond however small its arrays are, and a tensor needs about a hundred,
which dominates for 100,000 tensors of a few hundred weights. Consecutive small tensors are
therefore processed together. With a common threshold they are ranked as one long tensor
(`JoinedRanking`) in the same order, so that the same of equal keys are pruned. With a threshold
each (`prune_separately`), tensors of equal size are the rows of a matrix. The masks are
bit-identical.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby

import numpy as np

from pruneapp.checkpoint.elements import Bits
from pruneapp.kernels.kernel import BLOCK, JoinedRead, KeyChunk, Ranking
from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.kernels.threshold import read_keys
from pruneapp.kernels.values import Bools, Counts, Indices
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import pack_into
from pruneapp.progress import CancelToken

# Maximum elements of a small tensor: for more, the work takes longer than the calls.
SMALL = BLOCK
# Maximum elements and tensors processed together, which takes some milliseconds.
_MOST = 1 << 18
_MOST_TENSORS = 1 << 12


class JoinedRanking:
    """Consecutive small tensors, ranked as one; see `Ranking`."""

    def __init__(self, rankings: Sequence[Ranking]) -> None:
        self.rankings = rankings
        self.width = rankings[0].width
        self.ends = np.cumsum([ranking.size for ranking in rankings])
        self.size = int(self.ends[-1])

    @cached_property
    def kept(self) -> BitMask | None:
        """The concatenated masks of the elements to rank; None for all. Computed once."""
        if all(ranking.kept is None for ranking in self.rankings):
            return None
        packed = np.zeros((self.size + 7) // 8, np.uint8)
        for first in range(0, len(self.rankings), _MOST_TENSORS):
            some = self.rankings[first : first + _MOST_TENSORS]
            start = int(self.ends[first]) - some[0].size
            pack_into(packed, start, _kept_elements(some))
        return BitMask(packed, self.size)

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        """Yield the keys of elements `start` to `stop`, for several whole tensors at a time.

        Indices are those of the concatenated tensors. Chunks do not share a buffer.
        """
        stop = self.size if stop is None else stop
        index = int(np.searchsorted(self.ends, start, "right"))
        while start < stop:
            begin = int(self.ends[index]) - self.rankings[index].size
            reach = min(stop, begin + _MOST)
            last = min(int(np.searchsorted(self.ends, reach, "left")) + 1, index + _MOST_TENSORS)
            keys = joined_keys(self.rankings[index:last])
            end = min(int(self.ends[last - 1]), stop)
            yield KeyChunk(start, keys[start - begin : end - begin])
            index, start = last, end


def join(rankings: Sequence[Ranking]) -> list[Ranking]:
    """Return the rankings with consecutive small tensors replaced by a `JoinedRanking` each.

    A small tensor without small neighbors is returned unchanged, as are all others.
    """
    result: list[Ranking] = []
    for small, run in groupby(rankings, lambda ranking: ranking.size <= SMALL):
        some = list(run)
        result += [JoinedRanking(some)] if small and len(some) > 1 else some
    return result


def split_masks(
    masks: Sequence[BitMask], rankings: Sequence[Ranking], cancel: CancelToken
) -> list[BitMask]:
    """Return the mask of each tensor from `masks` of `rankings`, in which `join` joined some.

    The order is that of the tensors. Masks of other rankings are returned unchanged.
    """
    result: list[BitMask] = []
    for mask, ranking in zip(masks, rankings, strict=True):
        if isinstance(ranking, JoinedRanking):
            result += _split(mask, ranking.ends, cancel)
        else:
            result.append(mask)
    return result


def _split(mask: BitMask, ends: Indices, cancel: CancelToken) -> list[BitMask]:
    """Return the masks of tensors from a mask of the concatenated tensors.

    `ends` are the flat indices after the last element of each tensor.
    """
    sizes = np.diff(ends, prepend=0)
    starts = ends - sizes
    result = [mask] * len(sizes)
    for size in np.unique(sizes).tolist():
        those = np.flatnonzero(sizes == size)
        most = min(_MOST // max(size, 1), _MOST_TENSORS)
        for first in range(0, len(those), most):
            cancel.check()
            some = those[first : first + most]
            if size % 8 == 0 and not (starts[some] % 8).any():
                rows = mask.packed[(starts[some] // 8)[:, None] + np.arange(size // 8)]
            else:
                begin, end = int(starts[some[0]]), int(ends[some[-1]])
                bools = mask.bools(begin, end)[(starts[some] - begin)[:, None] + np.arange(size)]
                rows = np.packbits(bools, axis=1, bitorder="little")
            for place, tensor_mask in zip(some.tolist(), BitMask.of_rows(rows, size), strict=True):
                result[place] = tensor_mask
    return result


def joined_keys(rankings: Sequence[Ranking], cancel: CancelToken | None = None) -> Bits:
    """Return a new array with the concatenated keys of whole small tensors, pruned ones included.

    Tensors of one dtype are read together if the reader supports it. `cancel` is checked otherwise.
    """
    first = rankings[0]
    if isinstance(first, Magnitudes) and isinstance(first.read, JoinedRead):
        alike = [r for r in rankings if isinstance(r, Magnitudes) and r.dtype is first.dtype]
        bits = None
        if len(alike) == len(rankings):
            bits = first.read.read_joined([ranking.read for ranking in alike])
        if bits is not None:
            keys: Bits = np.empty(bits.size, f"uint{first.width}")
            first.write_keys(bits, keys)
            return keys
    rankings_to_read = rankings if cancel is None else cancel.each(rankings)
    return np.concatenate([read_keys(ranking, (0, ranking.size)) for ranking in rankings_to_read])


def _kept_elements(rankings: Sequence[Ranking]) -> Bools:
    """Return which elements of the concatenated tensors are kept, True for those without a mask."""
    sizes = [ranking.size for ranking in rankings]
    kept = np.ones(sum(sizes), np.bool_)
    at = 0
    for ranking, size in zip(rankings, sizes, strict=True):
        if ranking.kept is not None:
            kept[at : at + size] = ranking.kept.bools()
        at += size
    return kept


def is_single_tensor(rankings: Sequence[Ranking], near: object) -> bool:
    """Return whether a cut is of a single small tensor, for `prune_separately`."""
    return near is None and len(rankings) == 1 and 0 < rankings[0].size <= SMALL


def divide_into_batches(rankings: Sequence[Ranking]) -> Iterator[slice]:
    """Yield slices of consecutive small tensors to be processed together, which cover all.

    A batch has one key width, and a limited number of tensors and elements.
    """
    first = room = 0
    width = 0
    for place, ranking in enumerate(rankings):
        full = room < ranking.size or place - first == _MOST_TENSORS or width != ranking.width
        if full:
            if place:
                yield slice(first, place)
            first, room, width = place, _MOST, ranking.width
        room -= ranking.size
    if rankings:
        yield slice(first, len(rankings))


def prune_separately(
    rankings: Sequence[Ranking], counts: Sequence[int], cancel: CancelToken
) -> list[BitMask]:
    """Return the masks of small tensors, each with its own threshold and count.

    `counts` has the number of kept elements to prune of each, at least 1. Keys must have the same
    width, and no tensor may be empty.
    """
    sizes = np.array([ranking.size for ranking in rankings])
    starts = np.cumsum(sizes) - sizes
    keys, n_pruned = joined_keys(rankings, cancel), np.array(counts)
    kept = None
    if any(ranking.kept is not None for ranking in rankings):
        kept = _kept_elements(rankings)
    result: list[BitMask] = [BitMask.full(0)] * len(sizes)
    for size in np.unique(sizes).tolist():
        those = np.flatnonzero(sizes == size)
        places = starts[those][:, None] + np.arange(size)
        kept_rows = None if kept is None else kept[places]
        is_kept = _without_lowest(keys[places], kept_rows, n_pruned[those])
        rows = np.packbits(is_kept, axis=1, bitorder="little")
        for place, mask in zip(those.tolist(), BitMask.of_rows(rows, size), strict=True):
            result[place] = mask
    return result


# Up to this many ranks, rows are partitioned; for more, they are sorted.
_FEW_RANKS = 3


def _without_lowest(keys: Bits, kept: Bools | None, counts: Counts) -> Bools:
    """Return which elements of each row are kept (None: all) and not among its `counts` lowest.

    `keys` and `kept` are 2-D. Of equal elements, the first are the lowest. Counts are from 1 to the
    number of kept elements of the row.
    """
    if kept is not None:  # pruned elements rank last, possibly equal to kept ones
        keys = np.where(kept, keys, np.iinfo(keys.dtype).max)
    ranks = np.unique(counts - 1)
    few = len(ranks) <= _FEW_RANKS
    ordered = np.partition(keys, ranks, axis=1) if few else np.sort(keys, axis=1)
    cuts = np.take_along_axis(ordered, (counts - 1)[:, None], axis=1)
    ties = counts - np.count_nonzero(keys < cuts, axis=1)
    equal, is_kept = keys == cuts, keys > cuts
    if kept is not None:
        equal &= kept
        is_kept &= kept
    row, place = np.nonzero(equal)
    nth = np.arange(row.size) - np.searchsorted(row, np.arange(len(counts)))[row]
    late = nth >= ties[row]
    is_kept[row[late], place[late]] = True
    return is_kept
