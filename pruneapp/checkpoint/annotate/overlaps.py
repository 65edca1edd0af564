"""Tensors of a torch file that share memory without being the same tensor."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import as_strided

from pruneapp.checkpoint.entry import TensorEntry

# Interleaved views (slices of columns) are told apart element by element up to this size; larger
# ones count as overlapping.
_MOST_ELEMENTS = 1 << 25


def find_overlaps(entries: Sequence[TensorEntry]) -> dict[str, str]:
    """Return the reason for each tensor that shares numbers with another, or with itself.

    Slices of one piece of memory that do not touch (the parts of a fused layer) are no overlap.
    """
    reasons: dict[str, str] = {}
    shared: dict[tuple[int, str], list[TensorEntry]] = defaultdict(list)
    for entry in entries:
        if not entry.location.storage or not entry.numel:
            continue
        if entry.meets_itself:
            reasons[entry.name] = "several of its elements are one number in memory"
        shared[entry.location.source, entry.location.storage].append(entry)
    for views in shared.values():
        if len(views) > 1:
            for group in _touching(views):
                reasons.update(_reasons(group))
    return reasons


def _reasons(group: list[TensorEntry]) -> dict[str, str]:
    if not _interleaved(group):
        return {}
    first, second = group[0].name, group[1].name
    return {
        e.name: f"it shares memory with '{second if e.name == first else first}'" for e in group
    }


def _extent(entry: TensorEntry) -> tuple[int, int]:
    """Return the first byte and one past the last."""
    begin = entry.location.offset
    return begin, begin + entry.dtype.nbytes(entry.reach)


def _touching(views: list[TensorEntry]) -> list[list[TensorEntry]]:
    """Group views whose extents overlap; views alone are left out."""
    groups: list[list[TensorEntry]] = []
    end = -1
    for entry in sorted(views, key=_extent):
        begin, stop = _extent(entry)
        if begin < end:
            groups[-1].append(entry)
        else:
            groups.append([entry])
        end = max(end, stop)
    return [group for group in groups if len(group) > 1]


def _interleaved(group: list[TensorEntry]) -> bool:
    """Whether two views of a group have a number in common."""
    if all(e.location.strides is None for e in group):
        return True
    begin = min(_extent(e)[0] for e in group)
    size = max(_extent(e)[1] for e in group) - begin
    width = group[0].dtype.bits // 8
    if any(e.dtype.bits // 8 != width for e in group) or size // width > _MOST_ELEMENTS:
        return True
    taken = np.zeros(size // width, np.bool_)
    for entry in group:
        strides = entry.location.strides or tuple(
            math.prod(entry.shape[dim + 1 :]) for dim in range(len(entry.shape))
        )
        first = (entry.location.offset - begin) // width
        view = as_strided(taken[first:], entry.shape, strides)
        if view.any():
            return True
        view[...] = True
    return False
