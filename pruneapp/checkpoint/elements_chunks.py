"""The elements of a tensor, some at a time, as they stand in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements import Elements

# Chunks stay in the cache of a core: counting 64 M weights took six tenths of the time of one pass
# over the whole tensor at once.
CHUNK_BYTES = 1 << 22

Bits = NDArray[np.unsignedinteger]


@dataclass(frozen=True, eq=False)
class RawChunk:
    """Some elements of a tensor, as they stand in the file.

    Attributes
    ----------
    start
        Flat index of the first element, in C order.
    bits
        The elements, 1-D, as ``uint8`` to ``uint64`` in the byte order of this machine. Valid
        until the next chunk is asked for: the buffer is used again. The buffer of
        `Checkpoint.chunks` belongs to that one iteration and is filled anew for every chunk, so
        whoever iterates may write into it, as an export does.
    """

    start: int
    bits: Bits


def in_chunks(elements: Elements, start: int, stop: int, size: int) -> Iterator[RawChunk]:
    """Yield the elements `start` to `stop` of a tensor, at most `size` (at least 1) at a time.

    Raises
    ------
    CheckpointError
        If the file cannot be read, was cut or was changed meanwhile.
    """
    size = max(1, size)
    if 0 < stop - start <= size:
        return map(_whole, (elements,), (start,), (stop - start,))
    return _one_after_the_other(elements, start, stop, size)


def _one_after_the_other(
    elements: Elements, start: int, stop: int, size: int
) -> Iterator[RawChunk]:
    buffer = elements.empty(min(size, stop - start))
    for first in range(start, stop, size):
        bits = buffer[: min(size, stop - first)]
        elements.read_into(first, bits)
        yield RawChunk(first, bits)


def _whole(elements: Elements, start: int, size: int) -> RawChunk:
    bits = elements.empty(size)
    elements.read_into(start, bits)
    return RawChunk(start, bits)
