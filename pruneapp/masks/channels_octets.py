"""Packed bits of channels, eight channels at a time.

Eight runs of `inner` bits fill `inner` bytes, whatever `inner` is, so that the bits of the first of
any eight channels stand at the same place of their bytes, and so do those of the others. Nothing
needs to be unpacked.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]


def fill(stays: NDArray[np.bool_], inner: int) -> Bytes:
    """Return packed bits: `inner` of each channel, 1 where it stays.

    Parameters
    ----------
    stays
        Which channels stay.
    inner
        Elements of a channel, at least 1.

    Returns
    -------
    ndarray
        ``uint8[ceil(channels * inner / 8)]``, the bits past the end 0.
    """
    if inner == 1:
        return np.packbits(stays, bitorder="little")
    octets = -(-stays.size // 8)
    padded = np.zeros(octets * 8, np.bool_)
    padded[: stays.size] = stays
    packed = np.zeros((octets, inner), np.uint8)
    for channel in range(8):
        byte = np.negative(padded[channel::8].view(np.uint8))  # 0 or 255
        for place, bits in _places(channel, inner):
            if bits == 0xFF:
                packed[:, place] = byte[:, np.newaxis]
            else:
                packed[:, place] |= (byte & np.uint8(bits))[:, np.newaxis]
    return packed.reshape(-1)[: (stays.size * inner + 7) // 8]


def any_set(packed: Bytes, channels: int, inner: int) -> NDArray[np.bool_]:
    """Say of every channel whether any of its bits is set; the reverse of `fill`."""
    if inner == 1:
        return np.unpackbits(packed, count=channels, bitorder="little").view(np.bool_)
    found = np.zeros((-(-channels // 8), 8), np.bool_)
    for at, channel, part in _parts(packed, channels, inner):
        found[at, channel] |= np.bitwise_or.reduce(part, axis=1) != 0
    return found.reshape(-1)[:channels]


def count_set(packed: Bytes, channels: int, inner: int) -> NDArray[np.int64]:
    """Count the bits of every channel that are set."""
    counts = np.zeros((-(-channels // 8), 8), np.int64)
    for at, channel, part in _parts(packed, channels, inner):
        counts[at, channel] += np.add.reduce(np.bitwise_count(part), axis=1, dtype=np.int64)
    return counts.reshape(-1)[:channels]


def _parts(packed: Bytes, channels: int, inner: int) -> Iterator[tuple[slice, int, Bytes]]:
    """Yield all bits of all channels once: which octets, which channel of them, their bytes."""
    whole = channels // 8
    octets = packed[: whole * inner].reshape(whole, inner)
    last = packed[whole * inner :][np.newaxis]
    for channel in range(8):
        for place, bits in _places(channel, inner):
            for rows, at in ((octets, slice(0, whole)), (last, slice(whole, None))):
                part = rows[:, place]
                if part.size:
                    yield at, channel, part if bits == 0xFF else part & np.uint8(bits)


def _places(channel: int, inner: int) -> Iterator[tuple[slice, int]]:
    """Yield which bytes of eight channels hold one of them, and which bits of these bytes."""
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
