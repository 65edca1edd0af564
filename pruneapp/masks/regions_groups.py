"""Groups of a few elements that lie along a dimension, and masks cut into them.

A group is a run of `size` channels at one place of all other dimensions, the first one from channel
0 on. What is left over at the end of the dimension is in no group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import Box, extents

# Elements that are worked on at once: few enough for the cache of a core.
_PIECE = 1 << 18


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


def group_boxes(shape: tuple[int, ...], groups: Groups, size: int = _PIECE) -> Iterator[Box]:
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


def bools_of(mask: BitMask, shape: tuple[int, ...], dim: int, box: Box) -> NDArray[np.bool_]:
    """Return what a mask keeps of a box of whole groups, shaped like it."""
    parts = [mask.bools(*stretch) for stretch in stretches(shape, dim, box)]
    return (parts[0] if len(parts) == 1 else np.concatenate(parts)).reshape(box.shape)


def stretches(shape: tuple[int, ...], dim: int, box: Box) -> Iterator[tuple[int, int]]:
    """Yield first and last + 1 of the runs in flat order that make up a box of `group_boxes`."""
    _, channels, inner = extents(shape, dim)
    rows, some, width = box.shape
    if width == inner and (rows == 1 or some == channels):
        yield box.start, box.stop
        return
    for channel in range(some):
        start = box.start + channel * inner
        yield start, start + width


def kept_in_groups(
    mask: BitMask, shape: tuple[int, ...], groups: Groups, box: Box
) -> NDArray[np.intp]:
    """Count what a mask keeps of each group of a box: (rows, groups, inner)."""
    bools = bools_of(mask, shape, groups.dim, box)
    rows, channels, inner = bools.shape
    whole = channels // groups.size
    cut = bools[:, : whole * groups.size].reshape(rows, whole, groups.size, inner)
    counts: NDArray[np.intp] = np.count_nonzero(cut, axis=2)
    return counts
