"""Masks and the channels of a tensor along one of its dimensions.

Eight runs of `inner` bits fill exactly `inner` bytes, so in every group of eight channels the bits
of the i-th channel are at the same position. Therefore bits can be processed without unpacking
them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

Bytes = NDArray[np.uint8]

# Default number of elements of a box, see `boxes`.
BOX = 1 << 18
# Minimum bits of the pattern of channels that is repeated over a tensor.
_PATTERN = 1 << 15
# Minimum elements of a channel for which counting packed bits is faster than unpacking them.
_LONG = 64


def fill(stays: NDArray[np.bool_], inner: int) -> Bytes:
    """Return packed bits: `inner` for each channel, 1 where it stays.

    `stays` is ``bool[channels]``. The result is ``uint8[ceil(channels * inner / 8)]``; the bits
    past the end are 0.
    """
    if inner == 1:
        return np.packbits(stays, bitorder="little")
    padded = np.pad(stays, (0, -stays.size % 8))
    packed = np.zeros((padded.size // 8, inner), np.uint8)
    for channel in range(8):
        byte = np.negative(padded[channel::8].view(np.uint8))  # 0 or 255
        for place, bits in _bytes_of_channel(channel, inner):
            if bits == 0xFF:
                packed[:, place] = byte[:, np.newaxis]
            else:
                packed[:, place] |= (byte & np.uint8(bits))[:, np.newaxis]
    return packed.reshape(-1)[: (stays.size * inner + 7) // 8]


def any_set(packed: Bytes, channels: int, inner: int) -> NDArray[np.bool_]:
    """Return for each channel whether any of its `inner` bits is set, ``bool[channels]``.

    The inverse of `fill`: `packed` has ``ceil(channels * inner / 8)`` bytes, with 0 past the end.
    """
    if inner == 1:
        return np.unpackbits(packed, count=channels, bitorder="little").view(np.bool_)
    result = np.zeros((-(-channels // 8), 8), np.bool_)
    for at, channel, part in _parts(packed, channels, inner):
        result[at, channel] |= np.bitwise_or.reduce(part, axis=1) != 0
    return result.reshape(-1)[:channels]


def count_set(packed: Bytes, channels: int, inner: int) -> NDArray[np.int64]:
    """Return the number of set bits of each channel, ``int64[channels]``."""
    counts = np.zeros((-(-channels // 8), 8), np.int64)
    for at, channel, part in _parts(packed, channels, inner):
        counts[at, channel] += np.add.reduce(np.bitwise_count(part), axis=1, dtype=np.int64)
    return counts.reshape(-1)[:channels]


def _parts(packed: Bytes, channels: int, inner: int) -> Iterator[tuple[slice, int, Bytes]]:
    """Yield all bits once: slice of groups of eight channels, channel in the group, its bytes.

    A channel occurs several times if it begins or ends within a byte. The bytes are 2-D, a row per
    group, with the bits of other channels set to 0.
    """
    whole = channels // 8
    octets = packed[: whole * inner].reshape(whole, inner)
    last = packed[whole * inner :][np.newaxis]
    for channel in range(8):
        for place, bits in _bytes_of_channel(channel, inner):
            for rows, at in ((octets, slice(0, whole)), (last, slice(whole, None))):
                part = rows[:, place]
                if part.size:
                    yield at, channel, part if bits == 0xFF else part & np.uint8(bits)


def _bytes_of_channel(channel: int, inner: int) -> Iterator[tuple[slice, int]]:
    """Yield the bytes that contain a channel of eight, as a slice, and the mask of its bits.

    At most three pairs, in order: a partial byte, whole bytes, a partial byte.
    """
    start, stop = channel * inner, (channel + 1) * inner
    first, last = start // 8, stop // 8
    head, tail = 0xFF << start % 8 & 0xFF, (1 << stop % 8) - 1
    if first == last:
        yield slice(first, first + 1), head & tail
        return
    if head != 0xFF:
        yield slice(first, first + 1), head
        first += 1
    if first < last:
        yield slice(first, last), 0xFF
    if tail:
        yield slice(last, last + 1), tail


@dataclass(frozen=True)
class Box:
    """A flat range of elements that is a box in (outer, channels, inner).

    Every tensor can be seen as (outer, channels, inner): the product of the dimensions before
    `dim`, the channels, and the product of the dimensions after it. In the slice of a channel,
    element ``(o, k)`` has the flat index ``o * inner + k``.
    """

    start: int  # flat index of the first element
    # First and last + 1 along each axis.
    outer: tuple[int, int]
    channels: tuple[int, int]
    inner: tuple[int, int]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Size along (outer, channels, inner)."""
        return (
            self.outer[1] - self.outer[0],
            self.channels[1] - self.channels[0],
            self.inner[1] - self.inner[0],
        )

    @property
    def stop(self) -> int:
        """Flat index after the last element."""
        return self.start + math.prod(self.shape)


def extents(shape: tuple[int, ...], dim: int) -> tuple[int, int, int]:
    """Return (outer, channels, inner) of a tensor for the dimension `dim`."""
    return math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1 :])


def boxes(shape: tuple[int, ...], dim: int, size: int = BOX) -> Iterator[Box]:
    """Yield boxes of at most `size` elements that cover a tensor, in flat order.

    A box has all channels if these fit, otherwise some channels of one outer index, otherwise a
    part of one channel. Nothing for an empty tensor.
    """
    outer, channels, inner = extents(shape, dim)
    if outer * channels * inner == 0:
        return
    if channels * inner <= size:
        step = size // (channels * inner)
        for o in range(0, outer, step):
            end = min(o + step, outer)
            yield Box(o * channels * inner, (o, end), (0, channels), (0, inner))
    elif inner <= size:
        step = size // inner
        for o in range(outer):
            for c in range(0, channels, step):
                end = min(c + step, channels)
                yield Box((o * channels + c) * inner, (o, o + 1), (c, end), (0, inner))
    else:
        for o in range(outer):
            for c in range(channels):
                for k in range(0, inner, size):
                    start = (o * channels + c) * inner + k
                    yield Box(start, (o, o + 1), (c, c + 1), (k, min(k + size, inner)))


def channels_left(
    kept: BitMask | None, shape: tuple[int, ...], dim: int, job: Job
) -> NDArray[np.bool_]:
    """Return for each channel whether it has a kept element, ``bool[channels]``.

    True for all channels if there is no mask (None); False for all channels of an empty tensor with
    a mask. `dim` must not be negative. `job` is only used to cancel.
    """
    if kept is None:
        return np.ones(shape[dim], np.bool_)
    job.step(0)
    outer, channels, inner = extents(shape, dim)
    if kept.size == 0:
        return np.zeros(channels, np.bool_)
    if kept.mapped:
        return count_kept_by_channel(kept, shape, dim, job) > 0
    groups = _groups(shape, dim)
    packed = kept.packed
    size = groups * channels * inner // 8
    if groups < outer:  # combine the repetitions of the pattern
        times = packed.size // size
        folded: NDArray[np.uint8] = np.bitwise_or.reduce(
            packed[: times * size].reshape(times, size), axis=0
        )
        rest = packed[times * size :]
        folded[: rest.size] |= rest
        packed = folded
    remaining = any_set(packed, groups * channels, inner).reshape(groups, channels)
    left: NDArray[np.bool_] = np.logical_or.reduce(remaining, axis=0)
    return left


def mask_of_channels(
    shape: tuple[int, ...], dim: int, stays: NDArray[np.bool_], job: Job
) -> BitMask:
    """Return the mask that keeps the channels along `dim` for which `stays` is True.

    `stays` is ``bool[channels]``; all elements of the other channels are pruned. Large masks are
    mapped from a file; raises `ScratchError` if the disk has no space. `job` is only used to
    cancel.
    """
    job.step(0)
    size = math.prod(shape)
    if size == 0:
        return BitMask(np.zeros(0, np.uint8), 0)
    outer, _, inner = extents(shape, dim)
    if (size + 7) // 8 > scratch.MOST_IN_MEMORY:
        return _map_channels(shape, dim, stays, job)
    groups = _groups(shape, dim)
    packed = fill(np.tile(stays, groups), inner)
    if groups < outer:
        whole = np.empty((size + 7) // 8, np.uint8)
        times = whole.size // packed.size
        whole[: times * packed.size].reshape(times, packed.size)[...] = packed
        rest = whole[times * packed.size :]
        rest[...] = packed[: rest.size]
        if size % 8:
            whole[-1] &= (1 << size % 8) - 1
        packed = whole
    return BitMask(packed, size)


def _map_channels(shape: tuple[int, ...], dim: int, stays: NDArray[np.bool_], job: Job) -> BitMask:
    """Return `mask_of_channels` for a large tensor, writing to a mapped file box by box."""
    size = math.prod(shape)
    packed = scratch.bits(size, zeroed=True)
    for box in boxes(shape, dim):
        job.step(0)
        channel_bits = stays[slice(*box.channels)][np.newaxis, :, np.newaxis]
        pack_into(packed, box.start, np.broadcast_to(channel_bits, box.shape).reshape(-1))
        scratch.release_pages(packed, box.start // 8, (box.stop + 7) // 8)
    return BitMask(packed, size)


def _groups(shape: tuple[int, ...], dim: int) -> int:
    """Return how many outer indices are processed together, so that they fill whole bytes.

    As many as make the arrays long enough for NumPy to be efficient, but at most all of them, which
    may end within a byte. The tensor must not be empty.
    """
    outer, channels, inner = extents(shape, dim)
    bits = channels * inner
    groups = 8 // math.gcd(bits, 8)
    return min(outer, groups * -(-_PATTERN // (groups * bits)))


def count_kept_by_channel(
    kept: BitMask | None, shape: tuple[int, ...], dim: int, job: Job
) -> NDArray[np.int64]:
    """Return the number of kept elements of each channel along `dim`, ``int64[channels]``.

    All are kept if there is no mask (None); `dim` must not be negative. `job` is only used to
    cancel.
    """
    outer, channels, inner = extents(shape, dim)
    counts = np.zeros(channels, np.int64)
    if kept is None or kept.size == 0:
        return counts + outer * inner
    if kept.mapped and inner % 8 == 0:
        run = inner // 8  # bytes
        for start, part in kept.parts():
            job.step(0)
            first, last = start // run, (start + part.size - 1) // run
            places = np.arange(first, last + 1)
            edges = np.maximum(places * run - start, 0)
            sums = np.add.reduceat(np.bitwise_count(part), edges, dtype=np.int64)
            np.add.at(counts, places % channels, sums)
        return counts
    if inner >= _LONG and not kept.mapped:
        job.step(0)
        runs = count_set(kept.packed, outer * channels, inner).reshape(outer, channels)
        counts += np.add.reduce(runs, axis=0)
        return counts
    for box in boxes(shape, dim):
        job.step(0)
        ones = kept.bools(box.start, box.stop).view(np.uint8).reshape(box.shape)
        for first in range(0, len(ones), 255):  # uint8 counts up to 255
            added = np.add.reduce(ones[first : first + 255], axis=0, dtype=np.uint8)
            counts[slice(*box.channels)] += np.add.reduce(added, axis=1, dtype=np.int64)
    return counts


# Up to this many bytes, one read-modify-write is faster than three steps.
_FEW_BYTES = 1 << 12


def pack_into(packed: NDArray[np.uint8], start: int, bools: NDArray[np.bool_]) -> None:
    """Set the bits from `start` on to `bools`, in place; they must be 0 before.

    Other bits do not change.
    """
    if start % 8:
        bools = np.concatenate([np.zeros(start % 8, np.bool_), bools])
    bits = np.packbits(bools, bitorder="little")
    first, last = start // 8, start // 8 + bits.size
    if bits.size > _FEW_BYTES:  # reading a new zero page first would allocate it twice
        packed[first + 1 : last - 1] = bits[1:-1]
        packed[first] |= bits[0]
        packed[last - 1] |= bits[-1]
    else:
        packed[first:last] |= bits
