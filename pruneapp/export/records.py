"""The state that an export reads, its tensors as byte streams, and a spool for temporary data."""

from __future__ import annotations

import io
import math
import os
import tempfile
from collections.abc import Callable, Iterator
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
    """A checkpoint and its masks, which must not change while it is written.

    `Snapshot` is the usual implementation. Other implementations may compute masks from rules
    instead of storing them, so exports use only the methods of `Mask`.
    """

    @property
    def checkpoint(self) -> Checkpoint:
        """The source of the tensors."""

    def mask(self, name: str) -> Mask | None:
        """Return the mask of a tensor (1 is kept); None if nothing is pruned."""

    def export_mask(self, name: str) -> Mask | None:
        """Return the mask whose 0 bits are written as +0.0, pruned or made permanent.

        None if all are 1.
        """

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield the raw elements `start` to `stop` of a tensor in C order, pruned ones unchanged.

        `size` is the number of elements per chunk; None for the default. The memory of a chunk
        belongs to the caller (see `RawChunk`), who sets pruned elements to zero in it.
        """

    def replaces(self, name: str) -> bool:
        """Return whether a tensor has replaced values, that is, others than those of the file."""


def is_changed(state: State, name: str) -> bool:
    """Return whether an export writes other values for a tensor than the file has."""
    return state.export_mask(name) is not None or state.replaces(name)


# A chunk is read, zeroed and written while it is in the cache of a CPU core.
CHUNK_BYTES = 1 << 20

Pieces = Callable[[], Iterator[memoryview]]


class TensorRecord(NamedTuple):
    """A tensor to be written: little-endian, in C order, contiguous.

    A tuple because there may be 100,000 of them.
    """

    # Names in the new file; where a format allows only one, `name` is used.
    name: str
    aliases: tuple[str, ...]
    # The dtype and shape of the source.
    dtype: DType
    shape: tuple[int, ...]
    pieces: Pieces  # yields the bytes; a piece is valid until the next one is requested

    @property
    def nbytes(self) -> int:
        """Size of the data in bytes."""
        return self.dtype.nbytes(math.prod(self.shape))


def finalize(state: State, entry: TensorEntry) -> TensorRecord:
    """Return a tensor with +0.0 where it is pruned or made permanent, otherwise bit for bit."""

    def pieces() -> Iterator[memoryview]:
        zeroed = state.export_mask(entry.name)
        for chunk in _chunks(state, entry):
            if zeroed is not None:
                zeroed.zero(chunk.bits, chunk.start)
            yield little_endian(chunk.bits)

    return TensorRecord(entry.name, entry.aliases, entry.dtype, entry.shape, pieces)


class RecordRange(NamedTuple):
    """Elements `start` to `stop` of a tensor, which are compressed independently of others."""

    entry: TensorEntry
    start: int
    stop: int

    @property
    def nbytes(self) -> int:
        """Size of the range in bytes."""
        return self.entry.dtype.nbytes(self.stop - self.start)


def ranges_of(entry: TensorEntry, length: int) -> Iterator[RecordRange]:
    """Split a tensor into ranges of `length` elements (a multiple of 8) and a shorter last one."""
    for start in range(0, entry.numel, length):
        yield RecordRange(entry, start, min(start + length, entry.numel))


def final_bits(state: State, elements: RecordRange) -> Bits:
    """Return the elements of a range, with all bits 0 where they are pruned or made permanent.

    The caller owns the array.
    """
    entry, start, stop = elements
    if entry.dtype.packed:  # the units of `chunks` are bytes for packed dtypes
        start, stop = entry.dtype.nbytes(start), entry.dtype.nbytes(stop)
    (chunk,) = state.chunks(entry.name, start, stop, stop - start)
    zeroed = state.export_mask(entry.name)
    if zeroed is not None:
        zeroed.zero(chunk.bits, chunk.start)
    return chunk.bits


def final_bytes(state: State, elements: RecordRange) -> memoryview:
    """Return a range as little-endian bytes; see `final_bits`."""
    return little_endian(final_bits(state, elements))


def original_record(state: State, entry: TensorEntry, suffix: str) -> TensorRecord:
    """Return a tensor named ``NAME`` + `suffix` with the original bits of pruned elements."""
    return _record_with_suffix(
        entry, suffix, lambda: (little_endian(chunk.bits) for chunk in _chunks(state, entry))
    )


def _chunks(state: State, entry: TensorEntry) -> Iterator[RawChunk]:
    return state.chunks(entry.name, size=CHUNK_BYTES // np.dtype(entry.dtype.storage).itemsize)


def mask_record(entry: TensorEntry, kept: Mask, suffix: str, chunk: int = 1 << 20) -> TensorRecord:
    """Return the mask `kept` as a tensor ``NAME`` + `suffix` of 1.0 and 0.0, as torch stores masks.

    It has the dtype of the weight. `chunk` is the number of elements per piece.
    """

    def pieces() -> Iterator[memoryview]:
        assert entry.dtype.one is not None  # pruned tensors have a dtype with a 1
        one = np.dtype(entry.dtype.storage).type(entry.dtype.one)
        for start in range(0, entry.numel, chunk):
            bools = kept.bools(start, min(start + chunk, entry.numel))
            yield little_endian(np.multiply(bools, one))

    return _record_with_suffix(entry, suffix, pieces)


def _record_with_suffix(entry: TensorEntry, suffix: str, pieces: Pieces) -> TensorRecord:
    aliases = tuple(alias + suffix for alias in entry.aliases)
    return TensorRecord(entry.name + suffix, aliases, entry.dtype, entry.shape, pieces)


def packed_mask_record(name: str, kept: Mask, numel: int) -> TensorRecord:
    """Return the mask of `numel` weights as a 1-D uint8 tensor, 8 weights per byte.

    The lowest bit is the first weight.
    """

    def pieces() -> Iterator[memoryview]:
        for start in range(0, numel, CHUNK_BYTES):
            bools = kept.bools(start, min(start + CHUNK_BYTES, numel))
            yield np.packbits(bools, bitorder="little").data

    return TensorRecord(name, (), DTYPES["U8"], ((numel + 7) // 8,), pieces)


def little_endian(bits: NDArray[Any]) -> memoryview:
    """Return the bytes of raw elements in little-endian order."""
    little = bits.astype(bits.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(little).view(np.uint8).data


# Maximum number of bytes that a spool keeps in memory.
_IN_MEMORY = 32 << 20


class Spool(ExitStack):
    """Temporary storage that is appended to and then read. Use as a context manager.

    Data is kept in memory at first, then in an unnamed file in the user's cache folder, because the
    folder for temporary files is in memory on many systems. Nothing is left when the context ends.

    `tempfile.SpooledTemporaryFile` is not suitable: with a buffer, closing it retries a write that
    a full disk refused; without a buffer, it moves its data to disk with a single write call, which
    may write only a part without an error.
    """

    def __init__(self) -> None:
        super().__init__()
        self._memory = bytearray()
        self._file: io.FileIO | None = None
        self._folder: Path | None = None
        self.end = 0

    def append(self, data: bytes) -> None:
        """Append `data`.

        Raises `ExportError` if it cannot be written, for example to a full disk.
        """
        self.end += len(data)
        self._memory += data
        if len(self._memory) > _IN_MEMORY:
            self._flush()

    def read(self, offset: int, nbytes: int) -> Iterator[memoryview]:
        """Yield `nbytes` bytes from `offset` in pieces.

        Raises `ExportError` if they cannot be read.

        Nothing may be appended after the first read.
        """
        if self._file is not None and self._memory:
            self._flush()
        while nbytes:
            size = min(nbytes, PIECE_BYTES)
            if self._file is None:
                piece = bytes(self._memory[offset : offset + size])
            else:
                with self._translate_errors():
                    self._file.seek(offset)
                    piece = self._file.read(size)
                    if not piece:
                        raise OSError(0, "it is truncated")
            yield memoryview(piece)
            offset += len(piece)
            nbytes -= len(piece)

    def _flush(self) -> None:
        """Write the data in memory to the temporary file, which is created the first time.

        Raises `ExportError` if it cannot be created or written.
        """
        with self._translate_errors():
            if self._file is None:
                self._file = self.enter_context(self._open_file())
            left = memoryview(self._memory)
            while left:
                left = left[self._file.write(left) :]
        self._memory = bytearray()

    def _open_file(self) -> io.FileIO:
        """Create the temporary file: in the cache folder, or else in that for temporary files."""
        # Unbuffered, so that closing the file does not retry a write that a full disk refused.
        folder = platformdirs.user_cache_path("pruneapp", appauthor=False)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._folder = folder
            return tempfile.TemporaryFile("w+b", buffering=0, prefix="export-", dir=folder)
        except OSError:
            self._folder = Path(tempfile.gettempdir())
            return tempfile.TemporaryFile("w+b", buffering=0, prefix="export-")

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Convert an `OSError` in the block to `ExportError`."""
        try:
            yield
        except OSError as error:
            folder = self._folder or tempfile.gettempdir()
            raise ExportError(
                f"Temporary data in '{os.fspath(folder)}' cannot be written or read: "
                f"{words_of(error)}.",
                remedy="Free disk space there, or set TMPDIR to another folder.",
            ) from error
