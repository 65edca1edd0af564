"""The smallest in each group of m, or in each row.

Which elements of each group go: the lowest of every few that lie along a dimension.

See `pruneapp.masks.regions` for what a group is. What was pruned before goes first, what is
protected last; of equal keys the lower channel goes first, which is the lower flat index.

Which elements of each row of a matrix go: so many of the lowest of each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements import Bits
from pruneapp.kernels.kernel import Kernel, KeyChunk, Ranking
from pruneapp.kernels.threads import WORTH_THREADS, default_threads, in_order
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import Box, pack_into
from pruneapp.masks.regions import Groups, bools_of, group_boxes, stretches
from pruneapp.progress import Job

Bools = NDArray[np.bool_]

# Up to this size all elements of a group are compared with each other; larger ones are partitioned.
FEW = 16


@dataclass(frozen=True, eq=False)
class Grouped:
    """What is kept, and what could not be done.

    Attributes
    ----------
    mask
        What is kept.
    lacking
        How many elements too many are kept, because they are protected.
    """

    mask: BitMask
    lacking: int


def lowest_in_groups(  # noqa: PLR0917 - each its own type
    ranking: Ranking,
    shape: tuple[int, ...],
    groups: Groups,
    protected: BitMask | None,
    job: Job,
    threads: int | None = None,
) -> Grouped:
    """Return what is kept once the lowest of every group went.

    Parameters
    ----------
    ranking
        Ranks the elements; what is not kept counts as the lowest. Keys leave two numbers of their
        width unused, as those of magnitudes and scores do.
    shape
        Of the tensor.
    groups
        How it is cut.
    protected
        What stays; None for nothing.
    job
        Stepped by the elements.
    threads
        How many work at once, which changes nothing; as many as there are cores by default.

    Notes
    -----
    Time grows with the elements (times the size of a group while that is small); memory does not.
    """
    packed = np.zeros((ranking.size + 7) // 8, np.uint8)
    if ranking.size < WORTH_THREADS:
        threads = 1
    lacking = 0

    def work(box: Box) -> tuple[Box, Bools, int]:
        job.cancel.check()
        return box, *_box(ranking, shape, groups, protected, box)

    tasks = group_boxes(shape, groups)
    for box, stays, lacks in in_order(tasks, work, job, threads or default_threads()):
        lacking += lacks
        flat, at = stays.reshape(-1), 0
        for start, stop in stretches(shape, groups.dim, box):
            pack_into(packed, start, flat[at : at + stop - start])
            at += stop - start
        job.step(stays.size)
    return Grouped(BitMask(packed, ranking.size), lacking)


def _box(
    ranking: Ranking,
    shape: tuple[int, ...],
    groups: Groups,
    protected: BitMask | None,
    box: Box,
) -> tuple[Bools, int]:
    """Return which elements of a box stay, shaped like it, and how many had to."""
    keys = _keys_of(ranking, shape, groups.dim, box)
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

    Parameters
    ----------
    keys
        Shape (rows, groups, size, inner), unsigned.
    count
        From 0 to `size`.

    Returns
    -------
    ndarray
        ``bool``, shaped like `keys`.
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


def lowest_in_rows(keys: Bits, counts: NDArray[np.intp]) -> Bools:
    """Say which elements are the lowest of their row, of equals the first ones.

    Parameters
    ----------
    keys
        Shape (rows, length), unsigned.
    counts
        How many of each row, from 0 to its length.
    """
    rows = len(keys)
    if not keys.size:
        return np.zeros(keys.shape, np.bool_)
    # numpy sorts 32 bits three times as fast as 16.
    ordered = np.sort(keys.astype(np.uint32) if keys.itemsize < 4 else keys, axis=1)
    cuts = ordered[np.arange(rows), np.maximum(counts, 1) - 1][:, np.newaxis]
    goes: Bools = keys <= cuts.astype(keys.dtype)
    goes[counts == 0] = False
    over = np.flatnonzero(np.count_nonzero(goes, axis=1) > counts)
    if over.size:  # of the equals at the cut only the first
        ties = keys[over] == cuts[over]
        below = np.count_nonzero(goes[over], axis=1) - np.count_nonzero(ties, axis=1)
        late = np.cumsum(ties, axis=1) > (counts[over] - below)[:, np.newaxis]
        goes[over] &= ~(ties & late)
    return goes


def _keys_of(ranking: Ranking, shape: tuple[int, ...], dim: int, box: Box) -> Bits:
    keys: Bits = np.empty(math.prod(box.shape), f"uint{ranking.width}")
    at = 0
    for start, stop in stretches(shape, dim, box):
        for chunk in ranking.keys(start, stop):
            keys[at : at + chunk.keys.size] = chunk.keys
            at += chunk.keys.size
    return keys.reshape(box.shape)


# Elements of some rows that are held and sorted together. A longer row is cut by itself.
_PIECE = 1 << 20


def lowest_per_row(
    ranking: Ranking, length: int, counts: NDArray[np.int64], kernel: Kernel, job: Job
) -> BitMask:
    """Return what is kept once the lowest of every row went, of equals the first ones.

    Parameters
    ----------
    ranking
        Ranks the elements. Keys leave the largest number of their width unused.
    length
        Elements of a row.
    counts
        ``int64[rows]``: how many of each go, at most what is kept of it.
    kernel
        Cuts rows that are too long to be held.
    job
        Stepped by the elements.

    Notes
    -----
    Time grows with the elements times the logarithm of a row's length; memory does not grow.
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
    for first in range(0, rows if length else 0, step):
        last = min(first + step, rows)
        start, stop = first * length, last * length
        job.step(stop - start)
        keys: Bits = np.empty(stop - start, f"uint{ranking.width}")
        for chunk in ranking.keys(start, stop):
            keys[chunk.start - start : chunk.start - start + chunk.keys.size] = chunk.keys
        stays = np.ones(keys.size, np.bool_)
        if ranking.kept is not None:
            stays = ranking.kept.bools(start, stop)
            keys[~stays] = np.iinfo(keys.dtype).max
        goes = lowest_in_rows(keys.reshape(-1, length), counts[first:last])
        pack_into(packed, start, stays & ~goes.reshape(-1))
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
        """Yield the keys of elements `start` to `stop` of the row."""
        stop = self.size if stop is None else stop
        for chunk in self._ranking.keys(self._start + start, self._start + stop):
            yield KeyChunk(chunk.start - self._start, chunk.keys)
