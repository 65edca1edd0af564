"""Bytes of tensors that are not read as they stand in a torch file: checked, inflated, rebuilt.

Every member of a zip archive has a checksum that torch.load never looks at. Whoever reads a storage
from its first byte to its last, in order, has read all that is needed to compare it, so it is
compared then, once, at no extra pass. Reads out of order are let through. A writer may have left
the checksums out (``torch.serialization.set_crc32_options``): the directory then says 0 for all.

What is compressed is inflated to one unlinked temporary file, no further than somebody has read,
and never past the size that the directory declares.

Needs the standard library alone, for the process that parses headers; `dense` reads what is
rebuilt.
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
from pruneapp.checkpoint.torchfile.torch_objects import DOWNLOAD_AGAIN, Compound, Malformed, Tensor
from pruneapp.errors import CheckpointError, DamagedFileError, words_of


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes of a file that have a checksum."""

    start: int
    stop: int
    crc: int  # CRC-32
    label: str  # what a message should name: a tensor, as a rule
    before: int = 0  # CRC-32 of what precedes `start` and is covered by `crc`, too


class CheckedSource(DerivedSource):
    """A `ByteSource` that compares checksums as its bytes go by.

    The spans are in order, none overlapping.
    """

    def __init__(self, source: ByteSource, spans: Sequence[Span]) -> None:
        super().__init__(source)
        self._spans = spans
        self._starts = [span.start for span in spans]
        self._seen: set[int] = set()
        # Two threads may read the same storage at the same time, each at its own place.
        self._here = threading.local()

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._source.size

    def read_into(self, offset: int, buffer: memoryview) -> None:
        """Fill `buffer` from `offset` on.

        Raises
        ------
        DamagedFileError
            If these are the last bytes of a storage and its checksum differs.
        """
        self._source.read_into(offset, buffer)
        view = buffer.cast("B")
        index = max(0, bisect_right(self._starts, offset) - 1)
        while index < len(self._spans) and self._spans[index].start < offset + len(view):
            self._follow(index, offset, view)
            index += 1

    def _follow(self, index: int, offset: int, view: memoryview) -> None:
        span = self._spans[index]
        begin = max(offset, span.start)
        end = min(offset + len(view), span.stop)
        if index in self._seen or end <= begin:
            return
        at, expected, crc = getattr(self._here, "state", (-1, -1, 0))
        if begin == span.start:
            crc = span.before
        elif at != index or begin != expected:
            return
        crc = zlib.crc32(view[begin - offset : end - offset], crc)
        self._here.state = (index, end, crc)
        if end == span.stop:
            if crc != span.crc:
                raise damaged(self.path, span.label)
            self._seen.add(index)


def damaged(path: Path, label: str) -> DamagedFileError:
    """Return the error about a checksum that differs."""
    return DamagedFileError(
        f"'{path}' is damaged: the bytes of {label} are not those that were saved "
        "(their checksum differs).",
        remedy=DOWNLOAD_AGAIN,
    )


# A bit of deflate is 129 bytes at most: a match of 258 takes two (RFC 1951). Zeros alone, which a
# pruned layer may be, come close to it; what claims more is no stream of deflate.
MAX_RATIO = 1032
# Of free room, what is left alone: a full disk for temporary files stops other programs as well.
_SPARED = 64 << 20
_STEP = 1 << 18


@dataclass(frozen=True, slots=True)
class PackedMember:
    """A compressed member."""

    start: int  # where its content begins in the `InflatedSource`
    size: int  # bytes of its content
    data: int  # where it lies in the archive
    stored: int  # how many bytes it takes there
    crc: int | None  # CRC-32 of its content; None if the writer left it out
    label: str  # what a message should name


class InflatedSource(DerivedSource):
    """The contents of compressed members, one behind the other, as a `ByteSource`.

    The members are in order of `start`, without gaps.
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
        """Bytes of all contents."""
        return self._members[-1].start + self._members[-1].size if self._members else 0

    def read_into(self, offset: int, buffer: memoryview) -> None:
        """Fill `buffer` from `offset` on, inflating as far as that.

        Raises
        ------
        DamagedFileError
            If a member claims to grow more than `MAX_RATIO` times, or inflates to something else
            than the directory says.
        CheckpointError
            If there is no room for the temporary file.
        """
        view = buffer.cast("B")
        if offset + len(view) > self.size:
            raise DamagedFileError(
                f"'{self.path}' holds {self.size:,} compressed bytes of tensors, "
                f"but {offset + len(view):,} are needed.",
                remedy=DOWNLOAD_AGAIN,
            )
        with self._lock:
            index = max(0, bisect_right(self._starts, offset) - 1)
            while index < len(self._members) and self._starts[index] < offset + len(view):
                member = self._members[index]
                self._inflate(index, min(offset + len(view) - member.start, member.size))
                index += 1
            with self._spooling() as spool:
                spool.seek(offset)
                got = spool.readinto(view)  # type: ignore[attr-defined]  # a file, opened "w+b"
        if got != len(view):
            raise DamagedFileError(
                f"'{self.path}' could not be decompressed: its temporary file in "
                f"'{tempfile.gettempdir()}' is cut short.",
                remedy="Open it again.",
            )

    def _inflate(self, index: int, stop: int) -> None:
        """Inflate member `index` until `stop` bytes of it are in the spool."""
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
        self._check_room(stop - stream.done)
        raw = bytearray(_STEP)
        while stream.done < stop:
            fresh = stream.inflater.unconsumed_tail
            if not fresh:
                size = min(_STEP, member.stored - stream.taken)
                part = memoryview(raw)[:size]
                self._source.read_into(member.data + stream.taken, part)
                stream.taken += size
                fresh = bytes(part)
            try:
                out = stream.inflater.decompress(
                    fresh, min(4 * _STEP, member.size - stream.done + 1)
                )
            except zlib.error:
                raise damaged(self.path, member.label) from None
            if stream.done + len(out) > member.size or (not out and not fresh):
                raise damaged(self.path, member.label)
            self._write(member.start + stream.done, out)
            stream.done += len(out)
            stream.crc = zlib.crc32(out, stream.crc)
        if stream.done == member.size and not stream.compared:
            stream.compared = True
            if member.crc is not None and stream.crc != member.crc:
                stream.done = 0
                del self._streams[index]
                raise damaged(self.path, member.label)

    @contextmanager
    def _spooling(self) -> Iterator[IO[bytes]]:
        """Give the temporary file, and say what the system refuses."""
        try:
            if self._spool is None:
                self._spool = tempfile.TemporaryFile(prefix="pruneapp-")  # noqa: SIM115 - lives on
            yield self._spool
        except OSError as error:
            raise CheckpointError(
                f"'{self.path}' is compressed and needs {self.size:,} bytes in "
                f"'{tempfile.gettempdir()}', which failed: {words_of(error)}.",
                remedy="Make room there, or set TMPDIR to a folder with more.",
            ) from None

    def _write(self, offset: int, out: bytes) -> None:
        with self._spooling() as spool:
            spool.seek(offset)
            spool.write(out)

    def _check_room(self, nbytes: int) -> None:
        """Refuse what would fill the disk, before a byte of it is written."""
        if nbytes <= 0:
            return
        place = tempfile.gettempdir()
        try:
            free = shutil.disk_usage(place).free
        except OSError:  # writing has the better message
            return
        if nbytes > free - _SPARED:
            raise CheckpointError(
                f"'{self.path}' is compressed, and reading on needs {nbytes:,} bytes in "
                f"'{place}', where {free:,} are free.",
                remedy="Make room there, or set TMPDIR to a folder with more.",
            )

    def close(self) -> None:
        """Let go of the temporary file; the archive is closed by its own source."""
        with self._lock:
            if self._spool is not None:
                self._spool.close()
                self._spool = None
            self._streams.clear()


class _Stream:
    """How far one member is inflated."""

    __slots__ = ("compared", "crc", "done", "inflater", "taken")

    def __init__(self) -> None:
        self.inflater = zlib.decompressobj(-15)
        self.taken = 0
        self.done = 0
        self.crc = 0
        self.compared = False


def inflate_all(raw: bytes, size: int) -> bytes | None:
    """Inflate a whole member in memory; None if it is anything but `size` bytes."""
    inflater = zlib.decompressobj(-15)
    try:
        out = inflater.decompress(raw, size + 1)
    except zlib.error:
        return None
    return out if len(out) == size else None


# Above this the indices are not read when a file is opened. Those of a matrix are looked at again
# before it is read; others are never followed.
MOST_BYTES = 1 << 20
# A matrix without a value takes a row pointer a row, whatever its width; embeddings have some
# 250,000 columns. Above this, which is no model any more, its parts are shown.
MAX_EXPANSION = 1 << 18
SMALL = 16 << 20


@dataclass(frozen=True, slots=True)
class Matrix:
    """Where a sparse matrix in CSR lies that is read as a dense one."""

    name: str  # of the tensor
    rows: int
    columns: int
    count: int  # how many values it has
    itemsize: int  # bytes of a value
    index: int  # bytes of a row pointer or a column
    locations: tuple[Location, Location, Location]  # row pointers, columns, values; in C order

    @property
    def size(self) -> int:
        """Bytes of the dense matrix."""
        return self.rows * self.columns * self.itemsize


@dataclass(frozen=True, slots=True)
class Flipped:
    """Where a conjugate or negated view lies, whose signs are the other way round in the file."""

    name: str  # of the tensor
    size: int  # bytes from its first element to its last in memory, both included
    itemsize: int  # bytes of an element
    flips: tuple[int, ...]  # bytes of an element whose highest bit is turned
    locations: tuple[Location]  # of its first element


@dataclass(frozen=True, slots=True)
class InlineArray:
    """The bytes of a numpy array, little-endian, which stand in the pickle."""

    name: str  # of the array
    data: bytes  # in the order of its strides
    locations: tuple[()] = ()

    @property
    def size(self) -> int:
        """Bytes of it."""
        return len(self.data)


Rebuilt = Matrix | Flipped | InlineArray


def opens_dense(compound: Compound) -> bool:
    """Whether it is a matrix in CSR whose elements can be read as if it were dense."""
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
    """Raise `Malformed` if an index of a sparse tensor points outside it; `read` reads a part."""
    shape = compound.shape
    if compound.layout == "sparse_coo":
        _inside(name, compound.parts["indices"], shape, read)
    elif len(shape) >= 2 and compound.layout.startswith("sparse_"):
        rows_first = "crow_indices" in compound.parts
        pointers, plain = list(compound.parts.values())[:2]
        extent = shape[-1] if rows_first else shape[-2]
        _inside(name, plain, (extent,), read)
        count = plain.shape[-1] if plain.shape else 0
        _inside(name, pointers, (count + 1,), read)


def _inside(
    name: str,
    part: Tensor,
    extents: tuple[int, ...],
    read: Callable[[Tensor], bytes],
) -> None:
    if part.element.name not in {"int64", "int32"}:
        raise Malformed(f"the indices of the sparse tensor '{name[:80]}' are no whole numbers")
    if part.strides is not None or part.nbytes > MOST_BYTES:
        return
    indices = array("q" if part.element.itemsize == 8 else "i", read(part))
    # One row a dimension for COO; the indices of compressed layouts are one row.
    count = len(extents) if len(extents) > 1 and len(part.shape) == 2 else 1
    length = len(indices) // count
    for number, extent in enumerate(extents[:count]):
        row = indices[number * length : (number + 1) * length]
        if row and not (min(row) >= 0 and max(row) < extent):
            raise Malformed(f"an index of the sparse tensor '{name[:80]}' points outside it")
