"""Which elements are the lowest of every few along a dimension, or of each row of a matrix.

See `pruneapp.masks.regions` for what a group is. What was pruned before goes first, what is
protected last; of equal keys the lower channel goes first, which is the lower flat index.
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
from pruneapp.kernels.threads import in_order, threads_for
from pruneapp.kernels.threshold import read_keys
from pruneapp.kernels.values import Bools, Counts, Indices, broadcasting, rough_sums
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import Box, pack_into
from pruneapp.masks.regions import Groups, bools_of, group_boxes, stretches
from pruneapp.progress import Job

# Up to this size all elements of a group are compared with each other; larger ones are partitioned.
FEW = 16
# Up to so many different counts rows are partitioned at each; for more of them they are sorted.
_FEW_PLACES = 4


def lowest_in_groups(  # noqa: PLR0917 - each its own type
    ranking: Ranking,
    shape: tuple[int, ...],
    groups: Groups,
    protected: BitMask | None,
    job: Job,
    threads: int | None = None,
) -> tuple[BitMask, int]:
    """Return what is kept once the lowest of every group went, and how many protected are too many.

    What the ranking does not keep counts as the lowest. Its keys leave two numbers of their width
    unused, as those of magnitudes and scores do. Time grows with the elements (times the size of a
    group while that is small); memory does not.
    """
    packed = scratch.bits(ranking.size, zeroed=True)
    lacking = 0

    def work(box: Box) -> tuple[Box, Bools, int]:
        job.cancel.check()
        return box, *_box(ranking, shape, groups, protected, box)

    tasks = group_boxes(shape, groups)
    for box, stays, lacks in in_order(tasks, work, job, threads_for(ranking.size, threads)):
        lacking += lacks
        flat, at = stays.reshape(-1), 0
        for start, stop in stretches(shape, groups.dim, box):
            pack_into(packed, start, flat[at : at + stop - start])
            at += stop - start
            scratch.let_go(packed, start // 8, (stop + 7) // 8)
        job.step(stays.size)
    return BitMask(packed, ranking.size), lacking


def _box(
    ranking: Ranking,
    shape: tuple[int, ...],
    groups: Groups,
    protected: BitMask | None,
    box: Box,
) -> tuple[Bools, int]:
    """Return which elements of a box stay, shaped like it, and how many had to."""
    keys = read_keys(ranking, *stretches(shape, groups.dim, box)).reshape(box.shape)
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
    stays = np.ones(keys.shape, np.bool_)
    rows, _, inner = keys.shape
    cut = keys[:, :whole].reshape(rows, -1, groups.size, inner)
    goes = lowest_of_each(cut, groups.size - groups.keep)
    np.logical_not(goes.reshape(rows, whole, inner), out=stays[:, :whole])
    lacking = 0
    if guarded is not None:
        lacking = int(np.count_nonzero(guarded & ~stays))
        stays |= guarded
    if kept is not None:
        stays &= kept
    return stays, lacking


def lowest_of_each(keys: Bits, count: int) -> Bools:
    """Say which elements are the `count` lowest of their group, of equals the first ones.

    `keys` are unsigned, of shape (rows, groups, size, inner); so is the answer.
    """
    size = keys.shape[2]
    if count in {0, size}:
        return np.full(keys.shape, count > 0)
    if size <= FEW:
        return _compared(keys, count)
    along = np.ascontiguousarray(np.moveaxis(keys, 2, 3))
    flat = along.reshape(-1, size)
    goes = lowest_in_rows(flat, np.full(len(flat), count, np.intp))
    return np.moveaxis(goes.reshape(along.shape), 3, 2)


def _compared(keys: Bits, count: int) -> Bools:
    """Rank the elements of small groups by comparing each with all others."""
    size = keys.shape[2]
    columns = [np.ascontiguousarray(keys[:, :, place]) for place in range(size)]
    # How many of its group go before an element: at first all that come after it.
    ahead = [np.full(columns[0].shape, size - 1 - place, np.uint8) for place in range(size)]
    for place in range(1, size):
        for before in range(place):
            first = (columns[before] <= columns[place]).view(np.uint8)
            ahead[place] += first
            ahead[before] -= first
    goes = np.empty(keys.shape, np.bool_)
    for place, rank in enumerate(ahead):
        np.less(rank, count, out=goes[:, :, place])
    return goes


def lowest_in_rows(keys: Bits, counts: Indices) -> Bools:
    """Say which elements are the lowest of their row, so many of each, of equals the first.

    `keys` are unsigned, of shape (rows, length).
    """
    if not keys.size:
        return np.zeros(keys.shape, np.bool_)
    length = keys.shape[1]
    if keys.itemsize <= 2 and length <= 1 << 16:
        # numpy sorts 32 bits three times as fast as 16, and with its place no key has an equal.
        wide = keys.astype(np.uint32)
        wide <<= np.uint32(16)
        wide |= np.arange(length, dtype=np.uint32)
        goes: Bools = wide <= _cuts(wide, counts)[:, np.newaxis]
        goes[counts == 0] = False
        return goes
    cuts = _cuts(keys, counts)[:, np.newaxis]
    goes = keys <= cuts
    goes[counts == 0] = False
    over = np.flatnonzero(_count_in_rows(goes, np.packbits(goes)) > counts)
    if over.size:  # of the equals at the cut only the first
        ties = keys[over] == cuts[over]
        below = np.count_nonzero(goes[over], axis=1) - np.count_nonzero(ties, axis=1)
        late = np.cumsum(ties, axis=1) > (counts[over] - below)[:, np.newaxis]
        goes[over] &= ~(ties & late)
    return goes


def _cuts(keys: Bits, counts: Indices, ordered: Bits | None = None) -> Bits:
    """Return the largest of so many lowest keys of each row; the lowest where none is to go.

    `ordered` is memory to sort them in.
    """
    lasts = np.maximum(counts, 1) - 1
    if ordered is None:
        ordered = np.empty_like(keys)
    np.copyto(ordered, keys)
    if (lasts == lasts[0]).all():  # as a rule, which takes a fraction of the time of sorting
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
    """Count the true ones of each row, which are `packed`; numpy's own count takes longer."""
    rows, length = bools.shape
    if length % 64:
        count: Counts = np.count_nonzero(bools, axis=1)
        return count
    counted: Counts = (
        np.bitwise_count(packed.view(np.uint64)).reshape(rows, -1).sum(axis=1, dtype=np.int64)
    )
    return counted


# Keys of float32 between the rough cut of a row and what is certain to be above it. A product or a
# sum of a few roundings is off by less than a quarter of it.
_MARGIN = np.uint32(32)
_SURE = np.array(SURE, np.float32).view(np.uint32)
# One in so many rows may be unsettled; of more of them all are ranked exactly.
_UNSETTLED = 8


def _all_but_lowest_roughly(
    keys: NDArray[np.uint32], counts: Indices, room: _Room
) -> tuple[Bools, Bits, Indices]:
    """Return all but the lowest of each row, of keys that are rounded, packed, too, and which rows.

    Those it may be wrong of; of all others as many keys as are to go are below any that is near the
    cut.
    """
    cuts = np.empty(len(keys), np.uint32)
    together = max(_IN_CACHE // keys.shape[1], 1)
    for first in range(0, len(keys), together):
        some = slice(first, first + together)
        ordered = room.take("ordered", keys[some].shape, np.uint32)
        cuts[some] = _cuts(keys[some], counts[some], ordered)
    sure = (cuts > _SURE[0]) & (cuts < _SURE[1])
    stays: Bools = room.take("stays", keys.shape, np.bool_)
    with broadcasting(keys.shape[1]):
        np.greater(keys, (np.minimum(cuts, _SURE[1]) + _MARGIN)[:, np.newaxis], out=stays)
    stays[counts == 0] = True
    packed = np.packbits(stays.reshape(-1), bitorder="little")
    settled = sure & (_count_in_rows(stays, packed) == keys.shape[1] - counts)
    return stays, packed, np.flatnonzero((counts > 0) & ~settled)


# Elements of some rows that a thread holds and ranks together; a longer row is cut by itself. Each
# step of the work hands the interpreter's lock from thread to thread: of half as many, two threads
# take a sixth longer. Partitioned are those that a core's own cache holds.
_PIECE = 1 << 21
_IN_CACHE = 1 << 18


class CutRows(NamedTuple):
    """A matrix of which so many kept elements of each row go (``int64[rows]``).

    Keys leave the largest number of their width unused. With `summed` the weights that stay are
    added up, too, where that costs little: while their magnitudes are in the cache.
    """

    ranking: Ranking
    length: int
    counts: Counts
    summed: bool = False

    @property
    def rough(self) -> bool:
        """Whether rounded scores settle most of it."""
        return isinstance(self.ranking, Scores) and self.ranking.rough

    @property
    def sums_along(self) -> bool:
        """Whether there are magnitudes to be added up."""
        return self.summed and self.rough

    @property
    def together(self) -> int:
        """How many rows a thread cuts at once; 0 if one is too long to be held."""
        # Exact keys and their order take twice the memory.
        return _PIECE // (1 if self.rough else 2) // max(self.length, 1)


class RowsLeft(NamedTuple):
    """What is kept of a matrix, and its sums of squares and of magnitudes; None if not made.

    They are off by up to a millionth, and not finite if a weight is not or float32 overflows.
    """

    mask: BitMask
    sums: tuple[float, float] | None = None


def lowest_per_row(
    cuts: Sequence[CutRows], kernel: Kernel, job: Job, threads: int | None = None
) -> Generator[RowsLeft, None, None]:
    """Yield what is kept of each matrix once the lowest of every row went, of equals the first.

    Close the generator to stop early. `kernel` cuts rows that are too long to be held.

    Notes
    -----
    Time grows with the elements, and with the logarithm of a row's length where the counts of rows
    differ much; memory does not grow.
    """
    room = _Room()

    def tasks() -> Iterator[tuple[CutRows, int]]:
        for cut in cuts:
            if cut.length and cut.together:
                yield from ((cut, first) for first in range(0, cut.counts.size, cut.together))

    def work(task: tuple[CutRows, int]) -> tuple[NDArray[np.uint8], tuple[float, float]]:
        job.cancel.check()
        cut, first = task
        ranking, length, counts, _ = cut
        last = min(first + cut.together, counts.size)
        start, stop = first * length, last * length
        kept = None if ranking.kept is None else ranking.kept.bools(start, stop)
        rows, packed = _all_but_lowest(cut, slice(first, last), kept, room)
        stays = rows.reshape(-1)
        if kept is not None:
            stays &= kept
            packed = None
        sums = 0.0, 0.0
        if cut.sums_along:
            magnitudes = room.take("magnitudes", stays.shape, np.float32)
            with np.errstate(all="ignore"):  # an infinite one leaves NaN
                magnitudes *= stays
                sums = rough_sums(magnitudes)
        if start % 8:
            stays = np.concatenate([np.zeros(start % 8, np.bool_), stays])
            packed = None
        return np.packbits(stays, bitorder="little") if packed is None else packed, sums

    count = threads_for(sum(cut.ranking.size for cut in cuts), threads)
    with closing(in_order(tasks(), work, job, count)) as found:
        for cut in cuts:
            ranking, length, counts, _ = cut
            if length and not cut.together:
                yield RowsLeft(_lowest_of_long_rows(cut, kernel, job))
                continue
            # Each in memory of its own: the history lets go of masks one by one. Nothing of it is
            # read before it is written: a page of zeros that turns into another one has all cores
            # wait for each other.
            packed = scratch.bits(ranking.size)
            squares = sizes = 0.0
            for first in range(0, counts.size if length else 0, cut.together):
                start, (bits, part) = first * length // 8, next(found)
                if first * length % 8:  # the first byte is that of the piece before, too
                    bits[0] |= packed[start]
                packed[start : start + bits.size] = bits
                scratch.let_go(packed, start, start + bits.size)
                squares, sizes = squares + part[0], sizes + part[1]
                job.step(length * min(cut.together, counts.size - first))
            mask = BitMask(packed, ranking.size)
            yield RowsLeft(mask, (squares, sizes) if cut.sums_along else None)


def _lowest_of_long_rows(cut: CutRows, kernel: Kernel, job: Job) -> BitMask:
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
            scratch.let_go(
                packed, (row * length + first) // 8, (row * length + first + bools.size + 7) // 8
            )
    return BitMask(packed, ranking.size)


class _Room(threading.local):
    """Memory of a thread that is used again: new pages take longer than what is written to them."""

    def __init__(self) -> None:
        self._held: dict[str, NDArray[Any]] = {}

    def take(self, what: str, shape: tuple[int, ...], kind: type[np.generic]) -> NDArray[Any]:
        size = math.prod(shape)
        held = self._held.get(what)
        if held is None or held.size < size:
            held = self._held[what] = np.empty(size, kind)
        return held[:size].reshape(shape)


def _all_but_lowest(
    cut: CutRows, some: slice, kept: Bools | None, room: _Room
) -> tuple[Bools, Bits | None]:
    """Say which elements of some rows stay, packed, too, if that is at hand; pruned ones may.

    If they are to be added up, their magnitudes stand in the room then.
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
        stays, packed, unsettled = _all_but_lowest_roughly(rough, counts, room)
        if unsettled.size * _UNSETTLED <= rows:
            for row in unsettled.tolist():
                keys = _exact_keys(ranking, start, length, slice(row, row + 1), kept)
                stays[row] = ~lowest_in_rows(keys, counts[row : row + 1])
            return stays, None if unsettled.size else packed
    keys = _exact_keys(ranking, start, length, slice(0, rows), kept)
    return ~lowest_in_rows(keys, counts), None


def _exact_keys(ranking: Ranking, start: int, length: int, rows: slice, kept: Bools | None) -> Bits:
    """Return the keys of some of the rows from a flat index on; what is pruned is the largest."""
    first, last = rows.start * length, rows.stop * length
    keys = read_keys(ranking, (start + first, start + last))
    if kept is not None:
        keys[~kept[first:last]] = np.iinfo(keys.dtype).max
    return keys.reshape(-1, length)


class _Row:
    """One row of a ranking, as a ranking."""

    def __init__(self, ranking: Ranking, start: int, size: int) -> None:
        self._ranking = ranking
        self._start = start
        self.size = size
        self.width = ranking.width
        self.kept = None
        if ranking.kept is not None:
            self.kept = BitMask.from_bools(ranking.kept.bools(start, start + size))

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        stop = self.size if stop is None else stop
        for chunk in self._ranking.keys(self._start + start, self._start + stop):
            yield KeyChunk(chunk.start - self._start, chunk.keys)
