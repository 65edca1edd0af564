"""Byte sources for data that cannot be read directly: checked, compressed and rebuilt tensors.

Every member of a zip archive has a checksum, which torch.load ignores. When a storage is read
completely and in order, its checksum is computed on the fly and compared, once. Reads in another
order are not checked. A writer may have omitted the checksums
(``torch.serialization.set_crc32_options``): then the directory contains 0 for all.

Compressed members are decompressed to an unlinked temporary file, as far as they have been read,
and never past the size that the directory declares.

This module needs only the standard library, for the process that parses headers; `dense` reads
rebuilt tensors.
"""

from __future__ import annotations

import math
import shutil
import tempfile
import threading
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pruneapp.checkpoint.entry import Location
from pruneapp.checkpoint.io.derived_source import DerivedSource
from pruneapp.checkpoint.io.source import ByteSource
from pruneapp.checkpoint.torchfile.torch_objects import (
    DOWNLOAD_AGAIN,
    Compound,
    MalformedError,
    Tensor,
)
from pruneapp.errors import CheckpointError, DamagedFileError, words_of


@dataclass(frozen=True, slots=True)
class Span:
    """A range of bytes of a file with a checksum."""

    start: int
    stop: int
    crc: int  # CRC-32
    label: str  # the name for messages, usually of a tensor
    before: int = 0  # CRC-32 of the bytes before `start` that `crc` also covers


class CheckedSource(DerivedSource):
    """A `ByteSource` that verifies checksums of spans that are read in order.

    The spans must be sorted and must not overlap.
    """

    def __init__(self, source: ByteSource, spans: Sequence[Span]) -> None:
        super().__init__(source)
        self._spans = spans
        self._starts = [span.start for span in spans]
        self._verified: set[int] = set()
        # Several threads may read the same storage at the same time, at different positions.
        self._progress = threading.local()

    @property
    def size(self) -> int:
        """Size of the file in bytes."""
        return self._source.size

    def read_into(self, offset: int, buffer: memoryview) -> None:
        """Fill `buffer` from `offset` on.

        Raises `DamagedFileError` if these are the last bytes of a span that this thread has read in
        order, and its checksum is wrong. A span that was verified once is not checked again.
        """
        self._source.read_into(offset, buffer)
        view = buffer.cast("B")
        index = max(0, bisect_right(self._starts, offset) - 1)
        while index < len(self._spans) and self._spans[index].start < offset + len(view):
            self._update_checksum(index, offset, view)
            index += 1

    def _update_checksum(self, index: int, offset: int, view: memoryview) -> None:
        """Add the bytes of `view`, read from `offset`, to the checksum of span `index`.

        Bytes that do not continue the previous read of this thread, or start the span, are ignored.
        """
        span = self._spans[index]
        begin = max(offset, span.start)
        end = min(offset + len(view), span.stop)
        if index in self._verified or end <= begin:
            return
        at, expected, crc = getattr(self._progress, "state", (-1, -1, 0))
        if begin == span.start:
            crc = span.before
        elif at != index or begin != expected:
            return
        crc = zlib.crc32(view[begin - offset : end - offset], crc)
        self._progress.state = (index, end, crc)
        if end == span.stop:
            if crc != span.crc:
                raise damage_error(self.path, span.label)
            self._verified.add(index)


def damage_error(path: Path, label: str) -> DamagedFileError:
    """Return the error for a wrong checksum of the bytes of `label`."""
    return DamagedFileError(
        f"'{path}' is damaged: the bytes of {label} are not those that were saved "
        "(their checksum differs).",
        remedy=DOWNLOAD_AGAIN,
    )


# Maximum compression ratio: deflate encodes at least one bit for each 129 bytes, because a match of
# 258 takes two bits (RFC 1951). Zeros, such as a pruned layer, come close to it. A member that
# declares more is not valid.
MAX_RATIO = 1032
# Free space that is not used: a full disk for temporary files affects other programs.
_RESERVED_BYTES = 64 << 20
_STEP = 1 << 18


@dataclass(frozen=True, slots=True)
class PackedMember:
    """A compressed member of an archive."""

    start: int  # offset of its content in the `InflatedSource`
    size: int  # size of its content
    data: int  # offset of its compressed data in the archive
    stored: int  # size of its compressed data
    crc: int | None  # CRC-32 of its content; None if the writer omitted it
    label: str  # the name for messages


class InflatedSource(DerivedSource):
    """The concatenated contents of compressed members, as a `ByteSource`.

    The members must be sorted by `start`, without gaps.
    """

    def __init__(self, source: ByteSource, members: Sequence[PackedMember]) -> None:
        super().__init__(source)
        self._members = members
        self._starts = [member.start for member in members]
        self._streams: dict[int, _Stream] = {}
        self._lock = threading.Lock()
        self._spool: IO[bytes] | None = None

    @property
    def size(self) -> int:
        """Total size of the contents in bytes."""
        return self._members[-1].start + self._members[-1].size if self._members else 0

    def read_into(self, offset: int, buffer: memoryview) -> None:
        """Fill `buffer` from `offset` on, decompressing members up to its end.

        What was decompressed once is read from the temporary file. Other threads wait meanwhile.

        Raises
        ------
        DamagedFileError
            If a member declares a ratio above `MAX_RATIO`, or its content contradicts the
            directory.
        CheckpointError
            If there is no space for the temporary file.
        """
        view = buffer.cast("B")
        if offset + len(view) > self.size:
            raise DamagedFileError(
                f"'{self.path}' contains {self.size:,} compressed bytes of tensors, but "
                f"{offset + len(view):,} are needed.",
                remedy=DOWNLOAD_AGAIN,
            )
        with self._lock:
            index = max(0, bisect_right(self._starts, offset) - 1)
            while index < len(self._members) and self._starts[index] < offset + len(view):
                member = self._members[index]
                self._inflate(index, min(offset + len(view) - member.start, member.size))
                index += 1
            with self._open_spool() as spool:
                spool.seek(offset)
                n_read = spool.readinto(view)  # type: ignore[attr-defined]  # a file, opened "w+b"
        if n_read != len(view):
            raise DamagedFileError(
                f"'{self.path}' could not be decompressed: its temporary file in "
                f"'{tempfile.gettempdir()}' is truncated.",
                remedy="Open it again.",
            )

    def _inflate(self, index: int, stop: int) -> None:
        """Decompress member `index` to the temporary file until `stop` of its bytes are there.

        Continues where the previous call stopped. The checksum is compared at the end of the
        member. Raises `CheckpointError`.
        """
        member = self._members[index]
        stream = self._streams.get(index)
        if stream is None:
            if member.size > MAX_RATIO * member.stored:
                raise DamagedFileError(
                    f"'{self.path}': {member.label} would grow from {member.stored:,} to "
                    f"{member.size:,} bytes when decompressed, more than the factor of "
                    f"{MAX_RATIO:,} that deflate can reach.",
                    remedy=DOWNLOAD_AGAIN,
                )
            stream = self._streams[index] = _Stream()
        self._check_space(stop - stream.done)
        raw = bytearray(_STEP)
        while stream.done < stop:
            compressed = stream.inflater.unconsumed_tail
            if not compressed:
                size = min(_STEP, member.stored - stream.consumed)
                part = memoryview(raw)[:size]
                self._source.read_into(member.data + stream.consumed, part)
                stream.consumed += size
                compressed = bytes(part)
            try:
                out = stream.inflater.decompress(
                    compressed, min(4 * _STEP, member.size - stream.done + 1)
                )
            except zlib.error:
                raise damage_error(self.path, member.label) from None
            if stream.done + len(out) > member.size or (not out and not compressed):
                raise damage_error(self.path, member.label)
            self._write(member.start + stream.done, out)
            stream.done += len(out)
            stream.crc = zlib.crc32(out, stream.crc)
        if stream.done == member.size and not stream.compared:
            stream.compared = True
            if member.crc is not None and stream.crc != member.crc:
                stream.done = 0
                del self._streams[index]
                raise damage_error(self.path, member.label)

    @contextmanager
    def _open_spool(self) -> Iterator[IO[bytes]]:
        """Yield the temporary file, created at the first call.

        Raises `CheckpointError` for an `OSError` of the block.
        """
        try:
            if self._spool is None:
                self._spool = tempfile.TemporaryFile(prefix="pruneapp-")  # noqa: SIM115 - lives on
            yield self._spool
        except OSError as error:
            raise CheckpointError(
                f"'{self.path}' is compressed and needs {self.size:,} bytes in "
                f"'{tempfile.gettempdir()}', which failed: {words_of(error)}.",
                remedy="Free some space there, or set TMPDIR to a folder with more.",
            ) from None

    def _write(self, offset: int, out: bytes) -> None:
        with self._open_spool() as spool:
            spool.seek(offset)
            spool.write(out)

    def _check_space(self, nbytes: int) -> None:
        """Raise `CheckpointError` if writing `nbytes` would leave less than 64 MiB on the disk."""
        if nbytes <= 0:
            return
        place = tempfile.gettempdir()
        try:
            free = shutil.disk_usage(place).free
        except OSError:  # writing raises a better message
            return
        if nbytes > free - _RESERVED_BYTES:
            raise CheckpointError(
                f"'{self.path}' is compressed, and reading on needs {nbytes:,} bytes in "
                f"'{place}', where {free:,} are free.",
                remedy="Free some space there, or set TMPDIR to a folder with more.",
            )

    def close(self) -> None:
        """Delete the temporary file; the archive is closed by its own source.

        The source can still be read: it then decompresses again.
        """
        with self._lock:
            if self._spool is not None:
                self._spool.close()
                self._spool = None
            self._streams.clear()


class _Stream:
    """The state of the decompression of a member."""

    __slots__ = ("compared", "consumed", "crc", "done", "inflater")

    def __init__(self) -> None:
        self.inflater = zlib.decompressobj(-15)
        self.consumed = 0
        self.done = 0
        self.crc = 0
        self.compared = False


def inflate_all(raw: bytes, size: int) -> bytes | None:
    """Decompress a member in memory. Return None if it is invalid or has not exactly `size` bytes.

    The checksum is not verified.
    """
    inflater = zlib.decompressobj(-15)
    try:
        out = inflater.decompress(raw, size + 1)
    except zlib.error:
        return None
    return out if len(out) == size else None


# Larger indices are not read when a file is opened. Those of a matrix are validated when it
# is read; others are never used.
MAX_INDEX_BYTES = 1 << 20
# A matrix without values still stores a pointer per row, whatever its width; embeddings have up to
# about 250,000 columns. Matrices with a larger expansion are presented by their parts.
MAX_EXPANSION = 1 << 18
SMALL = 16 << 20


@dataclass(frozen=True, slots=True)
class Matrix:
    """The position of a sparse CSR matrix that is read as a dense one."""

    name: str  # of the tensor
    rows: int
    columns: int
    count: int  # number of values
    itemsize: int  # size of a value in bytes
    index: int  # size of a row pointer or column index in bytes
    locations: tuple[Location, Location, Location]  # row pointers, column indices, values

    @property
    def size(self) -> int:
        """Size of the dense matrix in bytes."""
        return self.rows * self.columns * self.itemsize


@dataclass(frozen=True, slots=True)
class Flipped:
    """The position of a conjugate or negated view, whose signs are inverted in the file."""

    name: str  # of the tensor
    size: int  # bytes from its first element to its last in memory, both included
    itemsize: int  # size of an element in bytes
    flips: tuple[int, ...]  # the bytes of an element whose highest bit is inverted
    locations: tuple[Location]  # of its first element


@dataclass(frozen=True, slots=True)
class InlineArray:
    """The bytes of a numpy array in a pickle, in little-endian order, as a `Segment`."""

    name: str  # of the array
    data: bytes  # in the order of its strides
    locations: tuple[()] = ()

    @property
    def size(self) -> int:
        """Size in bytes."""
        return len(self.data)

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` from `offset` on."""
        view[:] = memoryview(self.data)[offset : offset + len(view)]


Rebuilt = Matrix | Flipped | InlineArray


def can_read_dense(compound: Compound) -> bool:
    """Return whether a sparse tensor is a CSR matrix that can be read as a dense one.

    Its parts must be contiguous and of consistent shapes, and the values of 8 to 64 bits. The dense
    matrix must not exceed 16 MiB or 2^18 times the stored size, whichever is larger. Indices are
    not read.
    """
    if compound.layout != "sparse_csr" or len(compound.shape) != 2:
        return False
    rows, columns = compound.shape
    crow, col, values = compound.parts.values()
    dtype = values.element.dtype
    size = rows * columns * values.element.itemsize
    stored = crow.nbytes + col.nbytes + values.nbytes
    return (
        values.element.whole
        and not values.why_not
        and dtype.bits in {8, 16, 32, 64}
        and all(part.strides is None and not part.flips for part in (crow, col, values))
        and crow.element is col.element
        and crow.element.name in {"int32", "int64"}
        and crow.shape == (rows + 1,)
        and col.shape == values.shape == (math.prod(values.shape),)
        and size <= max(SMALL, MAX_EXPANSION * stored)
    )


def check_indices(name: str, compound: Compound, read: Callable[[Tensor], bytes]) -> None:
    """Raise `MalformedError` if an index of a sparse tensor is out of range.

    `read` returns the bytes of a part. Parts of more than 1 MiB, strided parts and other layouts
    are not checked.
    """
    shape = compound.shape
    if compound.layout == "sparse_coo":
        _check_range(name, compound.parts["indices"], shape, read)
    elif len(shape) >= 2 and compound.layout.startswith("sparse_"):
        rows_first = "crow_indices" in compound.parts
        pointers, plain = list(compound.parts.values())[:2]
        extent = shape[-1] if rows_first else shape[-2]
        _check_range(name, plain, (extent,), read)
        count = plain.shape[-1] if plain.shape else 0
        _check_range(name, pointers, (count + 1,), read)


def _check_range(
    name: str, part: Tensor, extents: tuple[int, ...], read: Callable[[Tensor], bytes]
) -> None:
    """Raise `MalformedError` if an index in `part` is not within its extent.

    For several `extents`, `part` is 2-D with a row of indices for each; otherwise the first applies
    to all of its indices.
    """
    if part.element.name not in {"int64", "int32"}:
        raise MalformedError(f"the indices of the sparse tensor '{name[:80]}' are not integers")
    if part.strides is not None or part.nbytes > MAX_INDEX_BYTES:
        return
    indices = array("q" if part.element.itemsize == 8 else "i", read(part))
    # COO has one row of indices per dimension; compressed layouts have a single row.
    count = len(extents) if len(extents) > 1 and len(part.shape) == 2 else 1
    length = len(indices) // count
    for number, extent in enumerate(extents[:count]):
        row = indices[number * length : (number + 1) * length]
        if row and not (min(row) >= 0 and max(row) < extent):
            raise MalformedError(f"an index of the sparse tensor '{name[:80]}' points outside it")
