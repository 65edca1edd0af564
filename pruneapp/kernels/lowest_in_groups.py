"""Selection of the lowest elements of small groups along a dimension, or of each row of a matrix.

See `pruneapp.masks.regions` for groups. Elements that are already pruned are selected first,
protected ones last; of equal keys, that of the lower channel, which has the lower flat index.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements import Bits
from pruneapp.kernels.kernel import Kernel, KeyChunk, Ranking
from pruneapp.kernels.sort_keys import SURE, Scores
from pruneapp.kernels.threads import map_in_order, threads_for
from pruneapp.kernels.threshold import read_keys
from pruneapp.kernels.values import Bools, Counts, Indices, broadcasting, rough_sums
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import Box, pack_into
from pruneapp.masks.regions import Groups, bools_of, flat_ranges, group_boxes
from pruneapp.progress import Job

# Up to this size, the elements of a group are compared pairwise; larger groups are partitioned.
FEW = 16
# Up to this many different counts, rows are partitioned at each; for more, they are sorted.
_FEW_PLACES = 4


def lowest_in_groups(  # noqa: PLR0917 - each its own type
    ranking: Ranking,
    shape: tuple[int, ...],
    groups: Groups,
    protected: BitMask | None,
    job: Job,
    threads: int | None = None,
) -> tuple[BitMask, int]:
    """Return the mask without the lowest elements of every group, and the number of conflicts.

    Each group keeps `Groups.keep` elements. Conflicts are protected elements that had to stay
    although the pattern prunes them. Elements that the ranking does not keep count as the lowest
    and stay pruned. `protected` has a 1 for each protected element; None for none. Elements in no
    group stay. Keys must leave the two largest numbers of their width unused, as magnitudes and
    scores do. Advances `job` by the elements. Time is linear in the elements (times the group size
    for small groups); memory is bounded.
    """
    packed = scratch.bits(ranking.size, zeroed=True)
    lacking = 0

    def work(box: Box) -> tuple[Box, Bools, int]:
        job.cancel.check()
        return box, *_box(ranking, shape, groups, protected, box)

    tasks = group_boxes(shape, groups)
    for box, is_kept, lacks in map_in_order(tasks, work, job, threads_for(ranking.size, threads)):
        lacking += lacks
        flat, at = is_kept.reshape(-1), 0
        for start, stop in flat_ranges(shape, groups.dim, box):
            pack_into(packed, start, flat[at : at + stop - start])
            at += stop - start
            scratch.release_pages(packed, start // 8, (stop + 7) // 8)
        job.step(is_kept.size)
    return BitMask(packed, ranking.size), lacking


def _box(
    ranking: Ranking, shape: tuple[int, ...], groups: Groups, protected: BitMask | None, box: Box
) -> tuple[Bools, int]:
    """Return which elements of a box stay, in its shape, and how many of them are conflicts.

    For the parameters and conflicts see `lowest_in_groups`; `box` is one of `group_boxes`.
    """
    keys = read_keys(ranking, *flat_ranges(shape, groups.dim, box)).reshape(box.shape)
    kept, guarded = (
        None if mask is None else bools_of(mask, shape, groups.dim, box)
        for mask in (ranking.kept, protected)
    )
    if kept is not None or guarded is not None:
        keys += keys.dtype.type(1)
        if kept is not None:
            keys *= kept
        if guarded is not None:
            keys[guarded] = np.iinfo(keys.dtype).max
    whole = keys.shape[1] // groups.size * groups.size
    is_kept = np.ones(keys.shape, np.bool_)
    rows, _, inner = keys.shape
    cut = keys[:, :whole].reshape(rows, -1, groups.size, inner)
    is_lowest = lowest_of_each(cut, groups.size - groups.keep)
    np.logical_not(is_lowest.reshape(rows, whole, inner), out=is_kept[:, :whole])
    lacking = 0
    if guarded is not None:
        lacking = int(np.count_nonzero(guarded & ~is_kept))
        is_kept |= guarded
    if kept is not None:
        is_kept &= kept
    return is_kept, lacking


def lowest_of_each(keys: Bits, count: int) -> Bools:
    """Return which elements are the `count` lowest of their group, of equal ones the first.

    `keys` are unsigned, of shape (rows, groups, size, inner), as is the result. `count` is from 0
    to `size`.
    """
    size = keys.shape[2]
    if count in {0, size}:
        return np.full(keys.shape, count > 0)
    if size <= FEW:
        return _rank_pairwise(keys, count)
    along = np.ascontiguousarray(np.moveaxis(keys, 2, 3))
    flat = along.reshape(-1, size)
    is_lowest = lowest_in_rows(flat, np.full(len(flat), count, np.intp))
    return np.moveaxis(is_lowest.reshape(along.shape), 3, 2)


def _rank_pairwise(keys: Bits, count: int) -> Bools:
    """Return `lowest_of_each` for small groups, by pairwise comparison."""
    size = keys.shape[2]
    columns = [np.ascontiguousarray(keys[:, :, place]) for place in range(size)]
    # Rank of each element in its group; initially the number of elements after it.
    ahead = [np.full(columns[0].shape, size - 1 - place, np.uint8) for place in range(size)]
    for place in range(1, size):
        for before in range(place):
            first = (columns[before] <= columns[place]).view(np.uint8)
            ahead[place] += first
            ahead[before] -= first
    is_lowest = np.empty(keys.shape, np.bool_)
    for place, rank in enumerate(ahead):
        np.less(rank, count, out=is_lowest[:, :, place])
    return is_lowest


def lowest_in_rows(keys: Bits, counts: Indices) -> Bools:
    """Return which elements are the lowest of their row, `counts` per row, of equal ones the first.

    `keys` are unsigned, of shape (rows, length); they are not changed. Counts are from 0 to the
    length.
    """
    if not keys.size:
        return np.zeros(keys.shape, np.bool_)
    length = keys.shape[1]
    if keys.itemsize <= 2 and length <= 1 << 16:
        # NumPy sorts 32 bits three times as fast as 16, and the index makes all keys different.
        wide = keys.astype(np.uint32)
        wide <<= np.uint32(16)
        wide |= np.arange(length, dtype=np.uint32)
        is_lowest: Bools = wide <= _cuts(wide, counts)[:, np.newaxis]
        is_lowest[counts == 0] = False
        return is_lowest
    cuts = _cuts(keys, counts)[:, np.newaxis]
    is_lowest = keys <= cuts
    is_lowest[counts == 0] = False
    over = np.flatnonzero(_count_in_rows(is_lowest, np.packbits(is_lowest)) > counts)
    if over.size:  # keep all but the first of the keys equal to the cut
        ties = keys[over] == cuts[over]
        below = np.count_nonzero(is_lowest[over], axis=1) - np.count_nonzero(ties, axis=1)
        late = np.cumsum(ties, axis=1) > (counts[over] - below)[:, np.newaxis]
        is_lowest[over] &= ~(ties & late)
    return is_lowest


def _cuts(keys: Bits, counts: Indices, ordered: Bits | None = None) -> Bits:
    """Return the largest of the `counts` lowest keys of each row; the lowest key for a count of 0.

    There must be at least one row. `ordered` is memory for sorting, of the shape of `keys`, whose
    content is lost; None allocates it.
    """
    lasts = np.maximum(counts, 1) - 1
    if ordered is None:
        ordered = np.empty_like(keys)
    np.copyto(ordered, keys)
    if (lasts == lasts[0]).all():  # the usual case, much faster than sorting
        ordered.partition(lasts[0], axis=1)
        return ordered[:, lasts[0]]
    places = np.unique(lasts)
    if places.size <= _FEW_PLACES:
        ordered.partition(places, axis=1)
    else:
        ordered.sort(axis=1)
    cuts: Bits = ordered[np.arange(len(keys)), lasts]
    return cuts


def _count_in_rows(bools: Bools, packed: Bits) -> Counts:
    """Return the number of True elements of each row; `packed` has the same bits, without gaps.

    Faster than NumPy's count if the length is a multiple of 64.
    """
    rows, length = bools.shape
    if length % 64:
        count: Counts = np.count_nonzero(bools, axis=1)
        return count
    counted: Counts = (
        np.bitwise_count(packed.view(np.uint64)).reshape(rows, -1).sum(axis=1, dtype=np.int64)
    )
    return counted


# Number of float32 keys above the rough cut of a row that may be below the exact one. A product or
# sum with a few roundings is off by less than a quarter of it.
_MARGIN = np.uint32(32)
_SURE = np.array(SURE, np.float32).view(np.uint32)
# If more than one in this many rows is undecided, all rows are ranked exactly.
_UNSETTLED = 8


def _all_but_lowest_roughly(
    keys: NDArray[np.uint32], counts: Indices, room: _ScratchBuffers
) -> tuple[Bools, Bits, Indices]:
    """Return all but the lowest `counts` elements of each row, by rounded keys.

    Returns
    -------
    stays
        ``bool[rows, length]``, in a buffer of `room`.
    packed
        The same bits, packed.
    unsettled
        Indices of rows that may be wrong. In all other rows, exactly `counts` keys are below the
        margin around the cut.
    """
    cuts = np.empty(len(keys), np.uint32)
    together = max(_IN_CACHE // keys.shape[1], 1)
    for first in range(0, len(keys), together):
        some = slice(first, first + together)
        ordered = room.take("ordered", keys[some].shape, np.uint32)
        cuts[some] = _cuts(keys[some], counts[some], ordered)
    sure = (cuts > _SURE[0]) & (cuts < _SURE[1])
    is_kept: Bools = room.take("stays", keys.shape, np.bool_)
    with broadcasting(keys.shape[1]):
        np.greater(keys, (np.minimum(cuts, _SURE[1]) + _MARGIN)[:, np.newaxis], out=is_kept)
    is_kept[counts == 0] = True
    packed = np.packbits(is_kept.reshape(-1), bitorder="little")
    settled = sure & (_count_in_rows(is_kept, packed) == keys.shape[1] - counts)
    return is_kept, packed, np.flatnonzero((counts > 0) & ~settled)


# Elements that a thread ranks together; longer rows are cut individually. Each NumPy call may pass
# the interpreter lock to another thread: with half as many elements, two threads take a sixth
# longer. Partitioning uses pieces that fit the cache of a core.
_PIECE = 1 << 21
_IN_CACHE = 1 << 18


class CutRows(NamedTuple):
    """A matrix with the number of kept elements to prune in each row, ``int64[rows]``.

    Keys must leave the largest number of their width unused. If `summed`, the remaining weights are
    summed where that is cheap: while their magnitudes are in the cache.
    """

    ranking: Ranking
    length: int
    counts: Counts
    summed: bool = False

    @property
    def rough(self) -> bool:
        """Whether rounded scores decide most rows."""
        return isinstance(self.ranking, Scores) and self.ranking.rough

    @property
    def sums_along(self) -> bool:
        """Whether sums of the remaining weights are computed."""
        return self.summed and self.rough

    @property
    def together(self) -> int:
        """Number of rows that a thread ranks together; 0 if a row is too long for that."""
        # Exact keys and their sorted copy take twice the memory.
        return _PIECE // (1 if self.rough else 2) // max(self.length, 1)


class RowsLeft(NamedTuple):
    """The mask of a matrix, and its sums of squares and magnitudes; None if not computed.

    The sums have a relative error of up to 1e-6, and are not finite if a weight is not or float32
    overflows.
    """

    mask: BitMask
    sums: tuple[float, float] | None = None


def lowest_per_row(
    cuts: Sequence[CutRows], kernel: Kernel, job: Job, threads: int | None = None
) -> Generator[RowsLeft, None, None]:
    """Yield the mask of each matrix without the lowest of every row, of equal elements the first.

    Elements that were pruned before stay pruned and are not counted. Close the generator to stop
    early. `kernel` ranks rows that are too long to be ranked together. Advances `job` by the
    elements, and extends it for long rows. `threads` limits the number of threads.

    Notes
    -----
    Time is linear in the elements, times the logarithm of the row length if the counts of rows
    differ much; memory is bounded.
    """
    room = _ScratchBuffers()

    def tasks() -> Iterator[tuple[CutRows, int]]:
        for cut in cuts:
            if cut.length and cut.together:
                yield from ((cut, first) for first in range(0, cut.counts.size, cut.together))

    def work(task: tuple[CutRows, int]) -> tuple[NDArray[np.uint8], tuple[float, float]]:
        """Return the packed bits of the rows of a task, and the sums of their weights.

        The first byte also has bits of the previous rows, as 0.
        """
        job.cancel.check()
        cut, first = task
        ranking, length, counts, _ = cut
        last = min(first + cut.together, counts.size)
        start, stop = first * length, last * length
        kept = None if ranking.kept is None else ranking.kept.bools(start, stop)
        rows, packed = _all_but_lowest(cut, slice(first, last), kept, room)
        is_kept = rows.reshape(-1)
        if kept is not None:
            is_kept &= kept
            packed = None
        sums = 0.0, 0.0
        if cut.sums_along:
            magnitudes = room.take("magnitudes", is_kept.shape, np.float32)
            with np.errstate(all="ignore"):  # an infinite weight gives NaN
                magnitudes *= is_kept
                sums = rough_sums(magnitudes)
        if start % 8:
            is_kept = np.concatenate([np.zeros(start % 8, np.bool_), is_kept])
            packed = None
        return np.packbits(is_kept, bitorder="little") if packed is None else packed, sums

    count = threads_for(sum(cut.ranking.size for cut in cuts), threads)
    with closing(map_in_order(tasks(), work, job, count)) as found:
        for cut in cuts:
            ranking, length, counts, _ = cut
            if length and not cut.together:
                yield RowsLeft(_lowest_of_long_rows(cut, kernel, job))
                continue
            # Separate memory per mask, because the history releases masks individually. It is not
            # zeroed first: replacing shared zero pages on write makes all cores wait.
            packed = scratch.bits(ranking.size)
            squares = sizes = 0.0
            for first in range(0, counts.size if length else 0, cut.together):
                start, (bits, part) = first * length // 8, next(found)
                if first * length % 8:  # the first byte is shared with the previous piece
                    bits[0] |= packed[start]
                packed[start : start + bits.size] = bits
                scratch.release_pages(packed, start, start + bits.size)
                squares, sizes = squares + part[0], sizes + part[1]
                job.step(length * min(cut.together, counts.size - first))
            mask = BitMask(packed, ranking.size)
            yield RowsLeft(mask, (squares, sizes) if cut.sums_along else None)


def _lowest_of_long_rows(cut: CutRows, kernel: Kernel, job: Job) -> BitMask:
    """Return the mask of a matrix whose rows are pruned one by one by `kernel`.

    Advances `job` by the elements, and extends it by those of pruned rows, which are read twice.
    """
    ranking, length, counts, _ = cut
    packed = scratch.bits(ranking.size, zeroed=True)
    for row, count in enumerate(counts.tolist()):
        part = _Row(ranking, row * length, length)
        left = part.kept or BitMask.full(length)
        if count:
            job.extend(length)
            left = kernel.prune([part], count, job)[0]
        else:
            job.step(length)
        for first in range(0, length, _PIECE):
            bools = left.bools(first, min(first + _PIECE, length))
            pack_into(packed, row * length + first, bools)
            scratch.release_pages(
                packed, (row * length + first) // 8, (row * length + first + bools.size + 7) // 8
            )
    return BitMask(packed, ranking.size)


class _ScratchBuffers(threading.local):
    """Reusable memory of a thread: new pages take longer than the work on them."""

    def __init__(self) -> None:
        self._held: dict[str, NDArray[Any]] = {}

    def take(self, what: str, shape: tuple[int, ...], kind: type[np.generic]) -> NDArray[Any]:
        size = math.prod(shape)
        held = self._held.get(what)
        if held is None or held.size < size:
            held = self._held[what] = np.empty(size, kind)
        return held[:size].reshape(shape)


def _all_but_lowest(
    cut: CutRows, some: slice, kept: Bools | None, room: _ScratchBuffers
) -> tuple[Bools, Bits | None]:
    """Return which elements of `some` rows of a cut stay, and their packed bits if available.

    `kept` are the elements that are not pruned yet, 1-D for these rows, None for all. Elements
    pruned before may stay. If sums are wanted, the magnitudes are left in the buffers `room`, in
    which the result may be as well.
    """
    ranking, length = cut.ranking, cut.length
    counts, start = cut.counts[some], some.start * length
    rows = counts.size
    if isinstance(ranking, Scores) and ranking.rough:
        rough = room.take("keys", (rows, length), np.uint32)
        magnitudes = rough.view(np.float32)
        if cut.sums_along:
            magnitudes = room.take("magnitudes", rough.shape, np.float32)
        ranking.write_rough_keys(start, rough.reshape(-1), magnitudes.reshape(-1))
        if kept is not None:
            rough[~kept.reshape(rough.shape)] = np.iinfo(rough.dtype).max
        is_kept, packed, unsettled = _all_but_lowest_roughly(rough, counts, room)
        if unsettled.size * _UNSETTLED <= rows:
            for row in unsettled.tolist():
                keys = _exact_keys(ranking, start, length, slice(row, row + 1), kept)
                is_kept[row] = ~lowest_in_rows(keys, counts[row : row + 1])
            return is_kept, None if unsettled.size else packed
    keys = _exact_keys(ranking, start, length, slice(0, rows), kept)
    return ~lowest_in_rows(keys, counts), None


def _exact_keys(ranking: Ranking, start: int, length: int, rows: slice, kept: Bools | None) -> Bits:
    """Return the keys of rows from the flat index `start` on; the largest key where not `kept`."""
    first, last = rows.start * length, rows.stop * length
    keys = read_keys(ranking, (start + first, start + last))
    if kept is not None:
        keys[~kept[first:last]] = np.iinfo(keys.dtype).max
    return keys.reshape(-1, length)


class _Row:
    """One row of a ranking, as a `Ranking`."""

    def __init__(self, ranking: Ranking, start: int, size: int) -> None:
        """Store the row of `size` elements from the flat index `start` on, with its mask."""
        self._ranking = ranking
        self._start = start
        self.size = size
        self.width = ranking.width
        self.kept = None
        if ranking.kept is not None:
            self.kept = BitMask.from_bools(ranking.kept.bools(start, start + size))

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        """Yield the keys of elements `start` to `stop` of the row; see `Ranking.keys`."""
        stop = self.size if stop is None else stop
        for chunk in self._ranking.keys(self._start + start, self._start + stop):
            yield KeyChunk(chunk.start - self._start, chunk.keys)
