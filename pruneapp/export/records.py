"""What an export needs of a state, its tensors as streams of bytes, and a place to spool them."""

from __future__ import annotations

import io
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import platformdirs
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.elements import Bits, RawChunk
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.atomic_file import PIECE_BYTES
from pruneapp.errors import ExportError, words_of
from pruneapp.masks.bitmask import Mask


class State(Protocol):
    """A checkpoint and what of it is pruned; does not change while it is written.

    `Snapshot` is one, with masks that it holds. A state whose masks are rules holds none, and is
    written just so: nothing here asks for more than `Mask` has.
    """

    @property
    def checkpoint(self) -> Checkpoint:
        """What the tensors come from."""

    def mask(self, name: str) -> Mask | None:
        """Return what is kept of a tensor; None for everything."""

    def zeroed(self, name: str) -> Mask | None:
        """Return the mask of everything that is written as +0.0; None for nothing."""

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield the raw elements of a tensor in flat order, pruned ones with their original bits.

        `size` is in elements. A chunk's memory is the iteration's own, see `RawChunk`: an export
        strikes zeros in it.
        """

    def replaces(self, name: str) -> bool:
        """Whether a tensor has other values than those of the file, besides the zeros."""


def is_changed(state: State, name: str) -> bool:
    """Return whether an export writes other values than those of the file for a tensor."""
    return state.zeroed(name) is not None or state.replaces(name)


# Read, zeroed and handed on before it leaves the cache of a core.
CHUNK_BYTES = 1 << 20

Pieces = Callable[[], Iterator[memoryview]]


class TensorRecord(NamedTuple):
    """A tensor as it is to be written: little-endian, in C order without gaps.

    A light one: there may be 100,000 of them.
    """

    # Its names in the new file, the one that is kept where only one can be kept first.
    name: str
    aliases: tuple[str, ...]
    # As in the source.
    dtype: DType
    shape: tuple[int, ...]
    pieces: Pieces  # makes its bytes anew, in pieces that are valid until the next is asked for

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.dtype.nbytes(math.prod(self.shape))


def finalized(state: State, entry: TensorEntry) -> TensorRecord:
    """Return a tensor with +0.0 wherever it is pruned or made permanent; else bit for bit."""

    def pieces() -> Iterator[memoryview]:
        chunks, zeroed = _chunks(state, entry), state.zeroed(entry.name)
        return _bytes_of(chunks if zeroed is None else zero(chunks, zeroed))

    return TensorRecord(entry.name, entry.aliases, entry.dtype, entry.shape, pieces)


class RecordRange(NamedTuple):
    """Elements `start` to `stop` of a tensor, which are compressed by themselves."""

    entry: TensorEntry
    start: int
    stop: int

    @property
    def nbytes(self) -> int:
        """Bytes of the elements; those of the last one of a tensor may be fewer."""
        return self.entry.dtype.nbytes(self.stop - self.start)


def ranges_of(entry: TensorEntry, length: int) -> Iterator[RecordRange]:
    """Cut a tensor into ranges of `length` elements, a multiple of 8; the last is the rest."""
    for start in range(0, entry.numel, length):
        yield RecordRange(entry, start, min(start + length, entry.numel))


def finalized_bits(state: State, elements: RecordRange) -> Bits:
    """Return a range with all bits 0 wherever it is pruned or made permanent."""
    entry, start, stop = elements
    if entry.dtype.packed:  # counted in bytes
        start, stop = entry.dtype.nbytes(start), entry.dtype.nbytes(stop)
    (chunk,) = state.chunks(entry.name, start, stop, stop - start)
    zeroed = state.zeroed(entry.name)
    if zeroed is not None:
        zeroed.zero(chunk.bits, chunk.start)
    return chunk.bits


def finalized_bytes(state: State, elements: RecordRange) -> memoryview:
    """Return a range as it is written: as `finalized_bits`, little-endian."""
    return little(finalized_bits(state, elements))


def original(state: State, entry: TensorEntry, suffix: str) -> TensorRecord:
    """Return a tensor as ``NAME`` + `suffix`, pruned places with their original bits."""
    return _renamed(entry, suffix, lambda: _bytes_of(_chunks(state, entry)))


def _chunks(state: State, entry: TensorEntry) -> Iterator[RawChunk]:
    return state.chunks(entry.name, size=CHUNK_BYTES // np.dtype(entry.dtype.storage).itemsize)


def mask_record(entry: TensorEntry, kept: Mask, suffix: str, chunk: int = 1 << 20) -> TensorRecord:
    """Return `kept` as ``NAME`` + `suffix`: 1.0 and 0.0 in the type of the weight, as torch does.

    `chunk` is in elements.
    """

    def pieces() -> Iterator[memoryview]:
        assert entry.dtype.one is not None  # it was pruned
        one = np.dtype(entry.dtype.storage).type(entry.dtype.one)
        for start in range(0, entry.numel, chunk):
            bools = kept.bools(start, min(start + chunk, entry.numel))
            yield little(np.multiply(bools, one))

    return _renamed(entry, suffix, pieces)


def _renamed(entry: TensorEntry, suffix: str, pieces: Pieces) -> TensorRecord:
    aliases = tuple(alias + suffix for alias in entry.aliases)
    return TensorRecord(entry.name + suffix, aliases, entry.dtype, entry.shape, pieces)


def zero(chunks: Iterable[RawChunk], kept: Mask) -> Iterator[RawChunk]:
    """Yield `chunks` with all bits 0 where `kept` is 0, in the memory that they came in."""
    for chunk in chunks:
        kept.zero(chunk.bits, chunk.start)
        yield chunk


def _bytes_of(chunks: Iterable[RawChunk]) -> Iterator[memoryview]:
    return (little(chunk.bits) for chunk in chunks)


def packed(name: str, kept: Mask, numel: int) -> TensorRecord:
    """Return the mask of `numel` weights, 1-D: eight of them a byte, the lowest bit first.

    Of a state of which only the size of a file is asked the mask itself may be any.
    """

    def pieces() -> Iterator[memoryview]:
        for start in range(0, numel, CHUNK_BYTES):
            bools = kept.bools(start, min(start + CHUNK_BYTES, numel))
            yield np.packbits(bools, bitorder="little").data

    return TensorRecord(name, (), DTYPES["U8"], ((numel + 7) // 8,), pieces)


def little(bits: NDArray[Any]) -> memoryview:
    """Return the bytes of raw elements, the least significant first."""
    little = bits.astype(bits.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(little).view(np.uint8).data


# Kept in memory until there is more.
_IN_MEMORY = 32 << 20


class Spool(ExitStack):
    """Bytes that are appended and read again; a context manager, gone when it is left.

    In memory at first, then in a file without a name in the person's cache folder: the folder for
    temporary files is memory on many systems.

    `tempfile.SpooledTemporaryFile` would not do: with a buffer it tries again when it is closed
    what a full disk refused, and without one it moves to the disk with a single write, of which
    the system may take only the first part without a word.
    """

    def __init__(self) -> None:
        super().__init__()
        self._memory = bytearray()
        self._file: io.FileIO | None = None
        self._folder: Path | None = None
        self.end = 0

    def append(self, data: bytes) -> None:
        """Add `data` at the end; raises `ExportError` if there is no room."""
        self.end += len(data)
        self._memory += data
        if len(self._memory) > _IN_MEMORY:
            self._flush()

    def read(self, offset: int, nbytes: int) -> Iterator[memoryview]:
        """Yield bytes, a piece at a time; nothing may be appended any more."""
        if self._file is not None and self._memory:
            self._flush()
        while nbytes:
            size = min(nbytes, PIECE_BYTES)
            if self._file is None:
                piece = bytes(self._memory[offset : offset + size])
            else:
                with self._translated():
                    self._file.seek(offset)
                    piece = self._file.read(size)
                    if not piece:
                        raise OSError(0, "it is cut short")
            yield memoryview(piece)
            offset += len(piece)
            nbytes -= len(piece)

    def _flush(self) -> None:
        with self._translated():
            if self._file is None:
                self._file = self.enter_context(self._opened())
            left = memoryview(self._memory)
            while left:
                left = left[self._file.write(left) :]
        self._memory = bytearray()

    def _opened(self) -> io.FileIO:
        # Unbuffered: what a full disk refused must not be tried again when the file is closed.
        folder = platformdirs.user_cache_path("pruneapp", appauthor=False)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._folder = folder
            return tempfile.TemporaryFile("w+b", buffering=0, prefix="export-", dir=folder)
        except OSError:
            self._folder = Path(tempfile.gettempdir())
            return tempfile.TemporaryFile("w+b", buffering=0, prefix="export-")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            folder = self._folder or tempfile.gettempdir()
            raise ExportError(
                f"Temporary data in '{os.fspath(folder)}' cannot be written or read: "
                f"{words_of(error)}.",
                remedy="Free disk space there, or set TMPDIR to another folder.",
            ) from error
