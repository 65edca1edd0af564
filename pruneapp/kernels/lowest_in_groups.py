"""Which elements are the lowest of every few along a dimension, or of each row of a matrix.

See `pruneapp.masks.regions` for what a group is. What was pruned before goes first, what is
protected last; of equal keys the lower channel goes first, which is the lower flat index.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pruneapp.checkpoint.elements import Bits
from pruneapp.kernels.kernel import Kernel, KeyChunk, Ranking
from pruneapp.kernels.threads import in_order, threads_for
from pruneapp.kernels.threshold import read_keys
from pruneapp.kernels.values import Bools, Counts, Indices
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
    packed = np.zeros((ranking.size + 7) // 8, np.uint8)
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
    rows = len(keys)
    if not keys.size:
        return np.zeros(keys.shape, np.bool_)
    # numpy sorts 32 bits three times as fast as 16.
    wide = keys.astype(np.uint32) if keys.itemsize < 4 else keys
    lasts = np.maximum(counts, 1) - 1
    places = np.unique(lasts)  # one, as a rule, which takes a fraction of the time of sorting
    few = places.size <= _FEW_PLACES
    ordered = np.partition(wide, places, axis=1) if few else np.sort(wide, axis=1)
    cuts = ordered[np.arange(rows), lasts][:, np.newaxis]
    goes: Bools = keys <= cuts.astype(keys.dtype)
    goes[counts == 0] = False
    over = np.flatnonzero(np.count_nonzero(goes, axis=1) > counts)
    if over.size:  # of the equals at the cut only the first
        ties = keys[over] == cuts[over]
        below = np.count_nonzero(goes[over], axis=1) - np.count_nonzero(ties, axis=1)
        late = np.cumsum(ties, axis=1) > (counts[over] - below)[:, np.newaxis]
        goes[over] &= ~(ties & late)
    return goes


# Elements of some rows that a thread holds and sorts together. A longer row is cut by itself.
_PIECE = 1 << 20


def lowest_per_row(  # noqa: PLR0917 - each its own type
    ranking: Ranking,
    length: int,
    counts: Counts,
    kernel: Kernel,
    job: Job,
    threads: int | None = None,
) -> BitMask:
    """Return what is kept once the lowest of every row went, of equals the first ones.

    So many of each row go (``int64[rows]``), at most what is kept of it. Keys leave the largest
    number of their width unused. `kernel` cuts rows that are too long to be held.

    Notes
    -----
    Time grows with the elements, and with the logarithm of a row's length where the counts of rows
    differ much; memory does not grow.
    """
    packed = np.zeros((ranking.size + 7) // 8, np.uint8)
    rows = counts.size
    if length > _PIECE:
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
        return BitMask(packed, ranking.size)
    step = max(1, _PIECE // max(length, 1))

    def work(first: int) -> tuple[int, Bools]:
        job.cancel.check()
        last = min(first + step, rows)
        start, stop = first * length, last * length
        keys = read_keys(ranking, (start, stop))
        stays = np.ones(keys.size, np.bool_)
        if ranking.kept is not None:
            stays = ranking.kept.bools(start, stop)
            keys[~stays] = np.iinfo(keys.dtype).max
        goes = lowest_in_rows(keys.reshape(-1, length), counts[first:last])
        return start, stays & ~goes.reshape(-1)

    tasks = range(0, rows if length else 0, step)
    for start, stays in in_order(tasks, work, job, threads_for(ranking.size, threads)):
        pack_into(packed, start, stays)
        job.step(stays.size)
    return BitMask(packed, ranking.size)


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
