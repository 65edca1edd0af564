"""Tensors of a torch file that share memory without being the same tensor."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.progress import CancelToken

# Interleaved views (slices of columns) are told apart element by element up to this size; larger
# ones count as overlapping.
_MOST_ELEMENTS = 1 << 25
# So many at once: some milliseconds.
_ELEMENTS_AT_ONCE = 1 << 22

_Views = Sequence[TensorEntry]


def find_overlaps(
    entries: Iterable[TensorEntry], cancel: CancelToken | None = None
) -> dict[str, str]:
    """Return the reason for each tensor that shares numbers with another, or with itself.

    Slices of one piece of memory that do not touch (the parts of a fused layer) are no overlap.
    """
    cancel = cancel or CancelToken()
    reasons: dict[str, str] = {}
    shared: dict[tuple[int, str], list[TensorEntry]] = defaultdict(list)
    for batch in cancel.batches(entries):
        for entry in batch:
            if not entry.location.storage or not entry.numel:
                continue
            if entry.meets_itself:
                reasons[entry.name] = "several of its elements are one number in memory"
            shared[entry.location.source, entry.location.storage].append(entry)
    for some in cancel.batches(shared.values()):
        for views in some:
            if len(views) > 1:
                for group in _touching(views, cancel):
                    reasons.update(_reasons(group, cancel))
    return reasons


def _reasons(group: _Views, cancel: CancelToken) -> dict[str, str]:
    reasons: dict[str, str] = {}
    if _interleaved(group, cancel):
        first, second = group[0].name, group[1].name
        for batch in cancel.batches(group):
            for e in batch:
                other = second if e.name == first else first
                reasons[e.name] = f"it shares memory with '{other}'"
    return reasons


def _extent(entry: TensorEntry) -> tuple[int, int]:
    """Return the first byte and one past the last."""
    begin = entry.location.offset
    return begin, begin + entry.dtype.nbytes(entry.reach)


def _touching(views: _Views, cancel: CancelToken) -> Iterator[_Views]:
    """Group views whose extents overlap; views alone are left out."""
    extents: list[tuple[int, int, TensorEntry]] = []
    for batch in cancel.batches(views):
        extents += [(*_extent(entry), entry) for entry in batch]
    extents.sort(key=itemgetter(0, 1))
    group: list[TensorEntry] = []
    end = -1
    for some in cancel.batches(extents):
        for begin, stop, entry in some:
            if begin >= end:
                if len(group) > 1:
                    yield group
                group = []
            group.append(entry)
            end = max(end, stop)
    if len(group) > 1:
        yield group


def _interleaved(group: _Views, cancel: CancelToken) -> bool:
    """Whether two views of a group have a number in common."""
    strided = False
    width = group[0].dtype.bits // 8
    begin, end = _extent(group[0])
    alike = True
    for batch in cancel.batches(group):
        strided = strided or any(e.location.strides is not None for e in batch)
        alike = alike and all(e.dtype.bits // 8 == width for e in batch)
        begins, ends = zip(*map(_extent, batch), strict=True)
        begin, end = min(begin, *begins), max(end, *ends)
    if not strided or not alike or (end - begin) // width > _MOST_ELEMENTS:
        return True
    taken = np.zeros((end - begin) // width, np.bool_)
    for entry in group:
        strides = entry.location.strides or tuple(
            math.prod(entry.shape[dim + 1 :]) for dim in range(len(entry.shape))
        )
        first = (entry.location.offset - begin) // width
        view = as_strided(taken[first:], entry.shape, strides)
        for part in _parts(view, cancel):
            if part.any():
                return True
        for part in _parts(view, cancel):
            part[...] = True
    return False


def _parts(view: NDArray[np.bool_], cancel: CancelToken) -> Iterator[NDArray[np.bool_]]:
    """Cut a view of any shape, so that no part takes long."""
    if not view.ndim:
        cancel.check()
        yield view
        return
    longest = np.moveaxis(view, int(np.argmax(view.shape)), 0)
    step = max(1, _ELEMENTS_AT_ONCE * len(longest) // view.size)
    for start in range(0, len(longest), step):
        cancel.check()
        yield longest[start : start + step]
