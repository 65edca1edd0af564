"""The tensors of an export, each as a name, a type, a shape and a stream of bytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements_chunks import Bits, RawChunk
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.export.records_state import State
from pruneapp.masks.bitmask_mask import Mask

# Read, zeroed and handed on before it leaves the cache of a core.
CHUNK_BYTES = 1 << 20

Pieces = Callable[[], Iterator[memoryview]]


class TensorRecord(NamedTuple):
    """A tensor as it is to be written: little-endian, in C order without gaps.

    A light one: there may be 100,000 of them.

    Attributes
    ----------
    name, aliases
        Its names in the new file, the one that is kept where only one can be kept first.
    dtype, shape
        As in the source.
    pieces
        Makes its bytes anew, in pieces that are valid until the next is asked for.
    """

    name: str
    aliases: tuple[str, ...]
    dtype: DType
    shape: tuple[int, ...]
    pieces: Pieces

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.dtype.nbytes(math.prod(self.shape))


def finalized(state: State, entry: TensorEntry) -> TensorRecord:
    """Return a tensor with +0.0 wherever it is pruned or was made final; else bit for bit."""
    pieces = partial(_finalized, state, entry)
    return TensorRecord(entry.name, entry.aliases, entry.dtype, entry.shape, pieces)


def _finalized(state: State, entry: TensorEntry) -> Iterator[memoryview]:
    chunks = _chunks(state, entry)
    gone = state.zeroed(entry.name)
    return _as_bytes(chunks if gone is None else zero(chunks, gone))


class RecordRange(NamedTuple):
    """Elements `start` to `stop` of a tensor, which are compressed by themselves."""

    entry: TensorEntry
    start: int
    stop: int

    @property
    def nbytes(self) -> int:
        """Bytes of the elements; those of the last one of a tensor may be fewer."""
        return self.entry.dtype.nbytes(self.stop - self.start)


def stretches(entry: TensorEntry, length: int) -> Iterator[RecordRange]:
    """Cut a tensor into stretches of `length` elements, a multiple of 8; the last is the rest."""
    for start in range(0, entry.numel, length):
        yield RecordRange(entry, start, min(start + length, entry.numel))


def finalized_bits(state: State, stretch: RecordRange) -> Bits:
    """Return a stretch with all bits 0 wherever it is pruned or was made final."""
    entry, start, stop = stretch
    if entry.dtype.packed:  # counted in bytes
        start, stop = entry.dtype.nbytes(start), entry.dtype.nbytes(stop)
    (chunk,) = state.chunks(entry.name, start, stop, stop - start)
    gone = state.zeroed(entry.name)
    if gone is not None:
        gone.zero(chunk.bits, chunk.start)
    return chunk.bits


def finalized_bytes(state: State, stretch: RecordRange) -> memoryview:
    """Return a stretch as it is written: as `finalized_bits`, little-endian."""
    return _little(finalized_bits(state, stretch))


def original(state: State, entry: TensorEntry, suffix: str) -> TensorRecord:
    """Return a tensor as ``NAME`` + `suffix`, pruned places with their original bits."""
    return _renamed(entry, suffix, partial(_original, state, entry))


def _original(state: State, entry: TensorEntry) -> Iterator[memoryview]:
    return _as_bytes(_chunks(state, entry))


def _chunks(state: State, entry: TensorEntry) -> Iterator[RawChunk]:
    return state.chunks(entry.name, size=CHUNK_BYTES // np.dtype(entry.dtype.storage).itemsize)


def mask(entry: TensorEntry, kept: Mask, suffix: str, chunk: int = 1 << 20) -> TensorRecord:
    """Return `kept` as ``NAME`` + `suffix`: 1.0 and 0.0 in the type of the weight, as torch does.

    `chunk` is in elements.
    """
    return _renamed(entry, suffix, partial(_mask, entry, kept, chunk))


def _mask(entry: TensorEntry, kept: Mask, chunk: int) -> Iterator[memoryview]:
    assert entry.dtype.one is not None  # it was pruned
    one = np.dtype(entry.dtype.storage).type(entry.dtype.one)
    for start in range(0, entry.numel, chunk):
        bools = kept.bools(start, min(start + chunk, entry.numel))
        yield _little(np.multiply(bools, one))


def _renamed(entry: TensorEntry, suffix: str, pieces: Pieces) -> TensorRecord:
    aliases = tuple(alias + suffix for alias in entry.aliases)
    return TensorRecord(entry.name + suffix, aliases, entry.dtype, entry.shape, pieces)


def zero(chunks: Iterable[RawChunk], kept: Mask) -> Iterator[RawChunk]:
    """Yield `chunks` with all bits 0 where `kept` is 0, in the memory that they came in."""
    for chunk in chunks:
        kept.zero(chunk.bits, chunk.start)
        yield chunk


def _as_bytes(chunks: Iterable[RawChunk]) -> Iterator[memoryview]:
    for chunk in chunks:
        yield _little(chunk.bits)


def _little(bits: Bits) -> memoryview:
    """Return the bytes of raw elements, the least significant first."""
    little = bits.astype(bits.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(little).view(np.uint8).data
