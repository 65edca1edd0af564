"""Which elements of each group go: the lowest of every few that lie along a dimension.

A group is a run of `size` channels at one place of all other dimensions, the first one from channel
0 on. What is left over at the end of the dimension is in no group. What was pruned before goes
first, what is protected last; of equal keys the lower channel goes first, which is the lower flat
index.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.reader import Bits
from pruneapp.kernels.contract import Ranking
from pruneapp.kernels.side_by_side import WORTH_THREADS, default_threads, in_order
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import Box, extents, pack_into
from pruneapp.progress import Job

Bools = NDArray[np.bool_]

# Elements that are worked on at once: few enough for the cache of a core.
PIECE = 1 << 18

# Up to this size all elements of a group are compared with each other; larger ones are partitioned.
FEW = 16


@dataclass(frozen=True)
class Groups:
    """How a tensor is cut into groups, and how many of each are kept.

    Attributes
    ----------
    dim
        From 0.
    size
        Elements of a group.
    keep
        How many of them stay, from 0 to `size`.
    """

    dim: int
    size: int
    keep: int


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
        for start, stop in _stretches(shape, groups.dim, box):
            pack_into(packed, start, flat[at : at + stop - start])
            at += stop - start
        job.step(stays.size)
    return Grouped(BitMask(packed, ranking.size), lacking)


def group_boxes(shape: tuple[int, ...], groups: Groups, size: int = PIECE) -> Iterator[Box]:
    """Cut a tensor into boxes that hold whole groups, of about `size` elements if these allow it.

    Boxes hold whole rows of all channels if these fit, else some groups of one row, else a part of
    one group: the same places of each of its channels. What is in no group comes last, with the
    last box of its row.
    """
    outer, channels, inner = extents(shape, groups.dim)
    if outer * channels * inner == 0:
        return
    row = channels * inner
    if row <= size:
        step = size // row
        for o in range(0, outer, step):
            yield Box(o * row, (o, min(o + step, outer)), (0, channels), (0, inner))
        return
    width = min(inner, max(1, size // groups.size))
    step = max(1, size // (groups.size * width)) * groups.size if width == inner else groups.size
    for o in range(outer):
        first = 0
        while first < channels:
            last = min(first + step, channels)
            if channels - last < groups.size:
                last = channels
            for k in range(0, inner, width):
                start = o * row + first * inner + k
                yield Box(start, (o, o + 1), (first, last), (k, min(k + width, inner)))
            first = last


def _box(
    ranking: Ranking,
    shape: tuple[int, ...],
    groups: Groups,
    protected: BitMask | None,
    box: Box,
) -> tuple[Bools, int]:
    """Return which elements of a box stay, shaped like it, and how many had to."""
    keys = _keys_of(ranking, shape, groups.dim, box)
    kept = _bools_of(ranking.kept, shape, groups.dim, box)
    guarded = _bools_of(protected, shape, groups.dim, box)
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
    ordered = np.sort(keys, axis=1)
    cuts = ordered[np.arange(rows), np.maximum(counts, 1) - 1][:, np.newaxis]
    goes: Bools = keys <= cuts
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
    for start, stop in _stretches(shape, dim, box):
        for chunk in ranking.keys(start, stop):
            keys[at : at + chunk.keys.size] = chunk.keys
            at += chunk.keys.size
    return keys.reshape(box.shape)


def _bools_of(mask: BitMask | None, shape: tuple[int, ...], dim: int, box: Box) -> Bools | None:
    if mask is None:
        return None
    parts = [mask.bools(*stretch) for stretch in _stretches(shape, dim, box)]
    return (parts[0] if len(parts) == 1 else np.concatenate(parts)).reshape(box.shape)


def _stretches(shape: tuple[int, ...], dim: int, box: Box) -> Iterator[tuple[int, int]]:
    """Yield first and last + 1 of the runs in flat order that make up a box of whole groups."""
    _, channels, inner = extents(shape, dim)
    rows, some, width = box.shape
    if width == inner and (rows == 1 or some == channels):
        yield box.start, box.stop
        return
    for channel in range(some):
        start = box.start + channel * inner
        yield start, start + width
