"""The elements of a tensor in C order, some at a time, wherever they lie in the file.

Most tensors lie in one piece and are read straight into the buffer. Views that torch saved with
strides (a transposed weight, a slice of columns) are gathered box by box with a scratch buffer of
bounded size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import TensorEntry, c_strides
from pruneapp.checkpoint.io.source import ByteSource

# The most that is read at once to pick elements out of it.
SPAN_BYTES = 1 << 22
# Reading so many bytes in vain takes as long as one more read.
_GAP_BYTES = 1 << 13
# Bytes of which a copy by itself takes no longer than picking each word.
_LONG_BYTES = 1 << 8

# The type of the words of each type of elements, made once.
_WORDS = {name: np.dtype(dtype.storage) for name, dtype in DTYPES.items()}

Bits = NDArray[np.unsignedinteger]


class Elements:
    """The elements of one tensor as unsigned words, readable from any flat index."""

    def __init__(self, entry: TensorEntry, sources: Sequence[ByteSource]) -> None:
        self._source = sources[entry.location.source]
        self._offset = entry.location.offset
        self._dtype = _WORDS[entry.dtype.name]
        self.itemsize = self._dtype.itemsize
        self.size = entry.nbytes // self.itemsize
        self._shape: tuple[int, ...] = (self.size,)
        self._strides: tuple[int, ...] | None = None
        strides = entry.location.strides
        if strides is not None:
            words = entry.dtype.bits // 8 // self.itemsize  # 2 for complex128, else 1
            self._shape = (*entry.shape, words)
            self._strides = (*(step * words for step in strides), 1)

    def empty(self, size: int) -> Bits:
        """Return a new buffer for `size` words."""
        return np.empty(size, self._dtype)

    def read_into(self, start: int, out: Bits) -> None:
        """Fill `out` (contiguous, 1-D) with the words from flat index `start` on."""
        if not out.size:
            return
        if self._strides is None:
            self._read(self._offset + start * self.itemsize, out)
            return
        done = 0
        for corner, extents in boxes(self._shape, start, start + out.size):
            size = math.prod(extents)
            self._gather(corner, out[done : done + size].reshape(extents))
            done += size

    def _read(self, offset: int, out: Bits) -> None:
        self._source.read_into(offset, out.view(np.uint8).data)

    def _gather(self, corner: tuple[int, ...], out: Bits) -> None:
        """Fill `out` (a view with the extents of the box) from the box at `corner`."""
        strides = self._strides
        assert strides is not None
        inner: list[int] = []
        span = 1
        for dim in sorted(range(out.ndim), key=lambda dim: strides[dim]):
            extent, step = out.shape[dim], strides[dim]
            if (step - span) * self.itemsize > _GAP_BYTES:
                break
            most = max(1, (SPAN_BYTES // self.itemsize - span) // max(step, 1) + 1)
            if extent > most:  # the scratch buffer holds a part of this dim only
                for first in range(0, extent, most):
                    part = (*corner[:dim], corner[dim] + first, *corner[dim + 1 :])
                    cut = (*[slice(None)] * dim, slice(first, first + most))
                    self._gather(part, out[cut])
                return
            inner.append(dim)
            span += (extent - 1) * step
        inner.sort()
        outer = [dim for dim in range(out.ndim) if dim not in inner]
        scratch = self.empty(span)
        picked = as_strided(
            scratch,
            tuple(out.shape[dim] for dim in inner),
            tuple(strides[dim] * self.itemsize for dim in inner),
            writeable=False,
        )
        target = out.transpose(outer + inner)
        base = sum(i * step for i, step in zip(corner, strides, strict=True))
        for index in np.ndindex(*(out.shape[dim] for dim in outer)):
            first = base + sum(i * strides[dim] for i, dim in zip(index, outer, strict=True))
            self._read(self._offset + first * self.itemsize, scratch)
            target[index] = picked


def read_joined(entries: Sequence[TensorEntry], sources: Sequence[ByteSource]) -> Bits:
    """Return the words of small tensors one after another, in memory of their own.

    They are of one type, each in one piece, in any order, and read many at once as far as they lie
    near each other.
    """
    kind, count = _WORDS[entries[0].dtype.name], len(entries)
    places = [entry.location for entry in entries]
    source = np.fromiter([place.source for place in places], np.int64, count)
    offsets = np.fromiter([place.offset for place in places], np.int64, count)
    bytes_of = entries[0].dtype.nbytes
    nbytes = np.fromiter([bytes_of(math.prod(e.shape)) for e in entries], np.int64, count)
    starts = np.cumsum(nbytes) - nbytes
    result = np.empty(int(nbytes.sum()), np.uint8)
    order = np.lexsort((offsets, source))
    gaps = offsets[order[1:]] - (offsets + nbytes)[order[:-1]]
    apart = (gaps < 0) | (gaps > _GAP_BYTES) | (np.diff(source[order]) != 0)
    apart |= np.diff(offsets[order] // SPAN_BYTES) != 0
    loose = (gaps != 0) | (np.diff(order) != 1)
    ends = np.concatenate([np.flatnonzero(apart) + 1, [count]]).tolist()
    for begin, end in zip([0, *ends], ends, strict=False):
        run = order[begin:end]
        base, stop = int(offsets[run[0]]), int(offsets[run[-1]] + nbytes[run[-1]])
        read = sources[source[run[0]]].read_into
        if not loose[begin : end - 1].any():
            first = int(starts[run[0]])
            read(base, result[first : first + stop - base].data)
            continue
        span = np.empty(stop - base, np.uint8)
        read(base, span.data)
        if len(span) > _LONG_BYTES * len(run):
            for place in run.tolist():
                to, at, length = starts[place], offsets[place] - base, nbytes[place]
                result[to : to + length] = span[at : at + length]
            continue
        # Whole words are picked, if all begin at one.
        width = kind.itemsize if not ((offsets[run] - base) % kind.itemsize).any() else 1
        lengths = nbytes[run] // width
        own = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        taken = np.repeat((offsets[run] - base) // width, lengths) + own
        put = np.repeat(starts[run] // width, lengths) + own
        word = f"u{width}"
        result.view(word)[put] = span[: len(span) // width * width].view(word)[taken]
    return result.view(kind)


def boxes(
    shape: tuple[int, ...], start: int, stop: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Cut a range of flat indices (C order) into boxes, in order.

    Yields the first index of a box, and its size along each dim. At most two boxes a dim.
    """
    while start < stop:
        size = 1
        dim = len(shape)
        # The largest whole trailing block that begins here and still fits.
        while (
            dim and start % (size * shape[dim - 1]) == 0 and start + size * shape[dim - 1] <= stop
        ):
            dim -= 1
            size *= shape[dim]
        corner = tuple(int(i) for i in np.unravel_index(start, shape)) if shape else ()
        extents = [1] * dim + list(shape[dim:])
        if dim:  # as many of these blocks as the dim above still holds
            extents[dim - 1] = min((stop - start) // size, shape[dim - 1] - corner[dim - 1])
        yield corner, tuple(extents)
        start += math.prod(extents)


def rows_of(entry: TensorEntry, rows: slice) -> TensorEntry:
    """Return the entry of some rows (dim 0) of a tensor, as a view of the same bytes."""
    if not entry.shape:
        raise ValueError(f"'{entry.name}' has no dimensions, so it has no rows")
    start, stop, step = rows.indices(entry.shape[0])
    if step < 1:
        raise ValueError(f"rows must go forward (got a step of {step})")
    count = len(range(start, stop, step))
    shape = (count, *entry.shape[1:])
    strides = entry.location.strides or c_strides(entry.shape)
    whole = step == 1 and entry.location.strides is None
    bits = start * strides[0] * entry.dtype.bits if count else 0
    if bits % 8 or (entry.dtype.packed and not whole):
        raise ValueError(f"these rows of '{entry.name}' do not begin at a whole byte")
    location = entry.location._replace(
        offset=entry.location.offset + bits // 8,
        strides=None if whole else (strides[0] * step, *strides[1:]),
    )
    return entry._replace(shape=shape, location=location)


# Chunks stay in the cache of a core: counting 64 M weights took six tenths of the time of one pass
# over the whole tensor at once.
CHUNK_BYTES = 1 << 22


@dataclass(frozen=True, eq=False)
class RawChunk:
    """Some elements of a tensor, as they stand in the file."""

    start: int  # flat index of the first element, in C order
    # The elements, 1-D, as ``uint8`` to ``uint64`` in the byte order of this machine. Valid until
    # the next chunk is asked for: the buffer is used again. The buffer of `Checkpoint.chunks`
    # belongs to that one iteration and is filled anew for every chunk, so whoever iterates may
    # write into it, as an export does.
    bits: Bits


def in_chunks(elements: Elements, start: int, stop: int, size: int) -> Iterator[RawChunk]:
    """Yield the elements `start` to `stop` of a tensor, at most `size` (at least 1) at a time."""
    size = max(1, size)
    buffer = elements.empty(min(size, stop - start))
    for first in range(start, stop, size):
        bits = buffer[: stop - first]
        elements.read_into(first, bits)
        yield RawChunk(first, bits)
