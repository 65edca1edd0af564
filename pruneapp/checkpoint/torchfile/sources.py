"""Members of a zip archive that are compressed, read as if they were not.

What is inflated goes to one unlinked temporary file, no further than somebody has read, and never
past the size that the directory declares.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import zlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from pruneapp.checkpoint.io.derived_source_derived import DerivedSource
from pruneapp.checkpoint.io.source import ByteSource
from pruneapp.checkpoint.torchfile.sources_checked import damaged
from pruneapp.checkpoint.torchfile.torch_objects_faults import DOWNLOAD_AGAIN
from pruneapp.errors import CheckpointError, DamagedFileError, words_of

# A bit of deflate is 129 bytes at most: a match of 258 takes two (RFC 1951). Zeros alone, which a
# pruned layer may be, come close to it; what claims more is no stream of deflate.
MAX_RATIO = 1032
# Of free room, what is left alone: a full disk for temporary files stops other programs as well.
_SPARED = 64 << 20
_STEP = 1 << 18


@dataclass(frozen=True, slots=True)
class PackedMember:
    """A compressed member.

    Attributes
    ----------
    start
        Where its content begins in the `InflatedSource`.
    size
        Bytes of its content.
    data, stored
        Where it lies in the archive, and how many bytes it takes there.
    crc
        CRC-32 of its content; None if the writer left it out.
    label
        What a message should name.
    """

    start: int
    size: int
    data: int
    stored: int
    crc: int | None
    label: str


class InflatedSource(DerivedSource):
    """The contents of compressed members, one behind the other, as a `ByteSource`.

    Parameters
    ----------
    source
        The archive.
    members
        In order of `start`, without gaps.
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
            If there is no room for what is asked for.
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
            spool = self._file()
            try:
                spool.seek(offset)
                got = spool.readinto(view)  # type: ignore[attr-defined]  # a file, opened "w+b"
            except OSError as error:
                raise self._no_room(error) from None
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

    def _file(self) -> IO[bytes]:
        if self._spool is None:
            try:
                self._spool = tempfile.TemporaryFile(prefix="pruneapp-")  # noqa: SIM115 - lives on
            except OSError as error:
                raise self._no_room(error) from None
        return self._spool

    def _write(self, offset: int, out: bytes) -> None:
        spool = self._file()
        try:
            spool.seek(offset)
            spool.write(out)
        except OSError as error:
            raise self._no_room(error) from None

    def _check_room(self, nbytes: int) -> None:
        """Refuse what would fill the disk, before a byte of it is written."""
        if nbytes <= 0:
            return
        place = tempfile.gettempdir()
        try:
            free = shutil.disk_usage(place).free
        except OSError:  # which writing will say better
            return
        if nbytes > free - _SPARED:
            raise CheckpointError(
                f"'{self.path}' is compressed, and to read on takes {nbytes:,} bytes in '{place}', "
                f"where {free:,} are free.",
                remedy="Make room there, or set TMPDIR to a folder with more.",
            )

    def _no_room(self, error: OSError) -> CheckpointError:
        return CheckpointError(
            f"'{self.path}' is compressed and needs {self.size:,} bytes in "
            f"'{tempfile.gettempdir()}', which failed: {words_of(error)}.",
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
