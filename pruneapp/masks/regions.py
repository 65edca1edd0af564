"""Boxes of indices of a tensor, and groups of elements along a dimension, as packed bits.

A box is divided into contiguous runs of elements in C order, and only the bytes of the runs are
written, so that the time depends on the size of the box, not of the tensor.

A group consists of `size` consecutive channels at one position of all other dimensions; the first
group begins at channel 0. Remaining channels at the end of the dimension are in no group.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import Box, extents
from pruneapp.progress import Job

# First and last + 1 along each dimension.
IndexBox = Sequence[Sequence[int]]

# Number of runs that are set together.
_BATCH = 1 << 14
# Minimum bytes of a run that is filled on its own.
_LONG = 64
# Elements processed at a time: few enough for the cache of a core.
_PIECE = 1 << 18


@dataclass(frozen=True, eq=False)
class Region:
    """Some elements of a tensor, as packed bits of the byte range that contains them."""

    first: int  # index of the first byte in the tensor's mask
    packed: NDArray[np.uint8]  # a bit is 1 where the element is in the region

    @property
    def place(self) -> slice:
        """Byte range in the tensor's mask."""
        return slice(self.first, self.first + self.packed.size)

    def part(self, place: slice) -> NDArray[np.uint8]:
        """Return the bytes at `place` of the tensor's mask, a slice within that of the region.

        The result is a view, or a copy if the region is mapped.
        """
        start, stop = place.start - self.first, place.stop - self.first
        part = self.packed[start:stop]
        if scratch.is_mapped(self.packed):
            part = part.copy()
            scratch.release_pages(self.packed, start, stop)
        return part


def region_of_boxes(shape: tuple[int, ...], boxes: Sequence[IndexBox], job: Job) -> Region:
    """Return the union of boxes.

    Boxes are ``(first, last + 1)`` along each dimension; at least one is required. They may
    overlap. For a tensor without dimensions, every box is its only element.

    Raises
    ------
    ValueError
        If a box has another rank, is empty, or exceeds `shape`, or there is none.
    Cancelled
        If the job is cancelled.

    Notes
    -----
    Time grows with the number of runs (the product of a box's extents without the last ones that
    are complete), memory with the range from the first to the last element.
    """
    rank = max(len(shape), 1)
    extents = np.array(shape or (1,), np.int64)
    corners = np.array(boxes if shape else [((0, 1),)] * len(boxes), np.int64)
    if corners.shape != (len(boxes), rank, 2) or not len(boxes):
        raise ValueError(f"boxes of {rank} dimensions expected (got shape {corners.shape})")
    low, high = corners[:, :, 0], corners[:, :, 1]
    if not np.all((low >= 0) & (low < high) & (high <= extents)):
        raise ValueError("a box lies outside of the shape, or is empty")
    steps = np.array([math.prod(shape[d + 1 :]) for d in range(rank)], np.int64)
    first = int((low @ steps).min()) // 8
    stop = int(((high - 1) @ steps).max()) // 8 + 1
    packed = scratch.bits(8 * (stop - first), zeroed=True)
    sizes, which = high - low, np.zeros(1, np.intp)
    if len(boxes) > 1:
        sizes, which = np.unique(sizes, axis=0, return_inverse=True)
    for number, size in enumerate(sizes):
        starts = low[which.reshape(-1) == number] @ steps - first * 8
        for offsets, length in _runs(shape or (1,), size, steps):
            at = max(1, _BATCH // offsets.size)
            for some in range(0, starts.size, at):
                job.step(0)
                _set(packed, np.add.outer(starts[some : some + at], offsets).reshape(-1), length)
    return Region(first, packed)


def _runs(
    shape: tuple[int, ...], size: NDArray[np.int64], steps: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield the offsets of the runs of a box of size `size` from its first element, and length.

    A run is contiguous; all have the same length in elements. Offsets come in arrays of up to
    16,384. `steps` are the strides of `shape`.
    """
    outer, length = len(shape), 1
    while outer:
        outer -= 1
        length *= int(size[outer])
        if size[outer] != shape[outer]:
            break
    count = math.prod(int(n) for n in size[:outer])
    for start in range(0, count, _BATCH):
        rest = np.arange(start, min(start + _BATCH, count), dtype=np.int64)
        offsets = np.zeros(rest.size, np.int64)
        for dim in reversed(range(outer)):
            rest, index = np.divmod(rest, size[dim])
            offsets += index * steps[dim]
        yield offsets, length


def _set(packed: NDArray[np.uint8], starts: NDArray[np.int64], length: int) -> None:
    """Set runs of `length` bits to 1, given the index of the first bit of each, in place."""
    stops = starts + length
    first, last = starts // 8, stops // 8
    head = (0xFF << starts % 8 & 0xFF).astype(np.uint8)
    tail = ((1 << stops % 8) - 1).astype(np.uint8)
    inside = first == last
    np.bitwise_or.at(packed, first, np.where(inside, head & tail, head))
    ends = ~inside & (tail != 0)
    np.bitwise_or.at(packed, last[ends], tail[ends])
    whole = length // 8 - 1  # minimum number of complete bytes; there may be one more
    if whole >= _LONG:
        for a, b in zip((first + 1).tolist(), last.tolist(), strict=True):
            packed[a:b] = 0xFF
    elif length > 8:
        at = np.add.outer(first + 1, np.arange(whole + 1))
        packed[at[at < last[:, np.newaxis]]] = 0xFF


@dataclass(frozen=True)
class Groups:
    """Groups of a tensor, and the number of elements kept in each."""

    dim: int  # not negative
    size: int  # elements of a group
    keep: int  # elements kept in each group, from 0 to `size`

    def count_outside(self, shape: tuple[int, ...]) -> int:
        """Return the number of elements at the end of the dimension that are in no group."""
        length = shape[self.dim]
        return math.prod(shape) // max(length, 1) * (length % self.size)


def group_boxes(shape: tuple[int, ...], groups: Groups, size: int = _PIECE) -> Iterator[Box]:
    """Yield boxes of complete groups that cover a tensor, of about `size` elements if possible.

    A box has all channels of some outer indices if these fit, otherwise some groups of one outer
    index, otherwise a part of one group: the same inner indices of each of its channels. Elements
    in no group are in the last box of their outer index. Nothing for an empty tensor.
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
    """Unpack a mask for a box of complete groups, in its shape."""
    parts = [mask.bools(*stretch) for stretch in flat_ranges(shape, dim, box)]
    return (parts[0] if len(parts) == 1 else np.concatenate(parts)).reshape(box.shape)


def flat_ranges(shape: tuple[int, ...], dim: int, box: Box) -> Iterator[tuple[int, int]]:
    """Yield the flat index ranges (first, last + 1) of a box of `group_boxes`, ascending.

    A contiguous box is a single range; otherwise there is one per channel.
    """
    _, channels, inner = extents(shape, dim)
    rows, some, width = box.shape
    if width == inner and (rows == 1 or some == channels):
        yield box.start, box.stop
        return
    for channel in range(some):
        start = box.start + channel * inner
        yield start, start + width


def count_kept_in_groups(
    mask: BitMask, shape: tuple[int, ...], groups: Groups, box: Box
) -> NDArray[np.intp]:
    """Return the number of kept elements of each group of a box: (rows, groups, inner).

    Channels in no group are not counted.
    """
    bools = bools_of(mask, shape, groups.dim, box)
    rows, channels, inner = bools.shape
    whole = channels // groups.size
    cut = bools[:, : whole * groups.size].reshape(rows, whole, groups.size, inner)
    counts: NDArray[np.intp] = np.count_nonzero(cut, axis=2)
    return counts
