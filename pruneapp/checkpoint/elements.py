"""Read the elements of a tensor in C order, in chunks, for any memory layout in the file.

Contiguous tensors are read straight into the buffer. Views that torch saved with strides (a
transposed weight, a slice of columns) are gathered box by box with a scratch buffer of bounded
size.
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

# Maximum number of bytes read at once to pick elements from.
SPAN_BYTES = 1 << 22
# Reading this many unneeded bytes takes as long as a separate read.
_GAP_BYTES = 1 << 13
# From this mean size on, copying tensors one by one is as fast as picking all words by index.
_LONG_BYTES = 1 << 8

# The numpy type of the words of each dtype, computed once.
_WORDS = {name: np.dtype(dtype.storage) for name, dtype in DTYPES.items()}

Bits = NDArray[np.unsignedinteger]


class Elements:
    """The elements of one tensor as unsigned words, readable from any flat index.

    Packed types are words of one byte; complex128 elements are two words each.
    """

    def __init__(self, entry: TensorEntry, sources: Sequence[ByteSource]) -> None:
        """Prepare reading of an entry. No bytes are read.

        `sources` are those of the checkpoint: `entry.location.source` is an index into them.
        """
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
        """Fill `out` (contiguous, 1-D) with the words from flat index `start` on.

        An empty `out` reads nothing. The range is not checked against the size of the tensor.
        """
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
        """Fill `out` with the box of its shape whose first element has the index `corner`.

        Dims with small strides are read together, gaps included, into a scratch buffer of about
        `SPAN_BYTES`. A box that is too large for it is divided recursively.
        """
        strides = self._strides
        assert strides is not None
        inner: list[int] = []
        span = 1
        for dim in sorted(range(out.ndim), key=lambda dim: strides[dim]):
            extent, step = out.shape[dim], strides[dim]
            if (step - span) * self.itemsize > _GAP_BYTES:
                break
            most = max(1, (SPAN_BYTES // self.itemsize - span) // max(step, 1) + 1)
            if extent > most:  # the scratch buffer has room for a part of this dim only
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
    """Return the concatenated words of one or more small tensors, in the order of `entries`.

    The result is a new 1-D array of unsigned integers. All tensors must be contiguous and of the
    same type, which is not checked; they may be in any order in the files. Tensors that are close
    to each other in a file are read with one access.
    """
    kind, count = _WORDS[entries[0].dtype.name], len(entries)
    locations = [entry.location for entry in entries]
    source = np.fromiter([place.source for place in locations], np.int64, count)
    offsets = np.fromiter([place.offset for place in locations], np.int64, count)
    bytes_of = entries[0].dtype.nbytes
    nbytes = np.fromiter([bytes_of(math.prod(e.shape)) for e in entries], np.int64, count)
    starts = np.cumsum(nbytes) - nbytes
    result = np.empty(int(nbytes.sum()), np.uint8)
    order = np.lexsort((offsets, source))
    gaps = offsets[order[1:]] - (offsets + nbytes)[order[:-1]]
    is_split = (gaps < 0) | (gaps > _GAP_BYTES) | (np.diff(source[order]) != 0)
    is_split |= np.diff(offsets[order] // SPAN_BYTES) != 0
    is_not_adjacent = (gaps != 0) | (np.diff(order) != 1)
    ends = np.concatenate([np.flatnonzero(is_split) + 1, [count]]).tolist()
    for begin, end in zip([0, *ends], ends, strict=False):
        run = order[begin:end]
        base, stop = int(offsets[run[0]]), int(offsets[run[-1]] + nbytes[run[-1]])
        read = sources[source[run[0]]].read_into
        if not is_not_adjacent[begin : end - 1].any():
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
        # Pick whole words if all tensors are aligned to words, else bytes.
        width = kind.itemsize if not ((offsets[run] - base) % kind.itemsize).any() else 1
        lengths = nbytes[run] // width
        within_tensor = np.arange(int(lengths.sum())) - np.repeat(
            np.cumsum(lengths) - lengths, lengths
        )
        source_indices = np.repeat((offsets[run] - base) // width, lengths) + within_tensor
        target_indices = np.repeat(starts[run] // width, lengths) + within_tensor
        word = f"u{width}"
        result.view(word)[target_indices] = span[: len(span) // width * width].view(word)[
            source_indices
        ]
    return result.view(kind)


def boxes(
    shape: tuple[int, ...], start: int, stop: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Divide the flat indices `start` to `stop` (exclusive; C order) of an array into boxes.

    Yields the first index of each box and its extent in each dim, in order. There are at most two
    boxes per dim, and none for an empty range. `stop` must be at most the size of the array.
    """
    while start < stop:
        size = 1
        dim = len(shape)
        # The largest complete trailing block that starts here and fits into the range.
        while (
            dim and start % (size * shape[dim - 1]) == 0 and start + size * shape[dim - 1] <= stop
        ):
            dim -= 1
            size *= shape[dim]
        corner = tuple(int(i) for i in np.unravel_index(start, shape)) if shape else ()
        extents = [1] * dim + list(shape[dim:])
        if dim:  # extend by as many further blocks as fit into the range and into the next dim
            extents[dim - 1] = min((stop - start) // size, shape[dim - 1] - corner[dim - 1])
        yield corner, tuple(extents)
        start += math.prod(extents)


def rows_of(entry: TensorEntry, rows: slice) -> TensorEntry:
    """Return an entry for some rows (dim 0) of a tensor, as a view of the same bytes.

    `rows` is clipped to the tensor like a slice of a list, so the result may have no rows. Name and
    other fields stay the same. Raises `ValueError` if the tensor has no dimensions, the step is not
    positive, or packed rows have a step or strides or do not begin at a whole byte.
    """
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


# Chunks fit into the cache of a core: counting 64 M weights took 60 % of the time of a pass over
# the whole tensor.
CHUNK_BYTES = 1 << 22


@dataclass(frozen=True, eq=False)
class RawChunk:
    """A range of elements of a tensor with the bits that the file stores."""

    start: int  # flat index of the first element, in C order
    # The elements, 1-D, as ``uint8`` to ``uint64`` in the byte order of this machine. Valid until
    # the next chunk is requested, which reuses the buffer. The buffer belongs to this iteration
    # only, so the caller may write into it, as exports do.
    bits: Bits


def read_chunks(elements: Elements, start: int, stop: int, size: int) -> Iterator[RawChunk]:
    """Yield the elements `start` to `stop` (exclusive) of a tensor, in order, in chunks of `size`.

    The last chunk may be smaller, and a `size` below 1 counts as 1. All chunks share one buffer:
    each is valid until the next is requested. An empty range yields nothing.
    """
    size = max(1, size)
    buffer = elements.empty(min(size, stop - start))
    for first in range(start, stop, size):
        bits = buffer[: stop - first]
        elements.read_into(first, bits)
        yield RawChunk(first, bits)
