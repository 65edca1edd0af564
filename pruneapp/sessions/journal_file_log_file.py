"""An append-only file of records, each with its length and checksum.

A process may die at any moment, and a disk may keep some of what it was given: what comes after
the first record that is not whole is no part of the file.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pruneapp.checkpoint.io import files_locks
from pruneapp.checkpoint.io.atomic_file_writer import flush_folder

MAGIC = b"pruneapp journal\n"
# Length of the payload, CRC-32 of kind and payload, kind.
_HEAD = struct.Struct("<IIB")
# Of a payload: a piece of a mask that cannot be compressed, and some room.
MOST = 64 << 20

JSON, PIECE = 1, 2


@dataclass(frozen=True)
class RecordPlace:
    """Where the payload of a record lies."""

    kind: int
    offset: int
    size: int
    crc: int


class LogFile:
    """A file of records that is written; for one thread.

    As long as it is open, this process holds a lock on it that others see, and that the system
    drops when the process ends, however it ends.

    Parameters
    ----------
    path
        The file; it must not exist.

    Raises
    ------
    BlockingIOError
        If somebody has locked it who looks at what is there.
    OSError
        If the system refuses it; from every method.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        # Unbuffered: what a full disk refused must not be tried again later.
        self._file = io.FileIO(os.open(path, flags, 0o600), "r+")
        self.size = 0
        self._named = False
        try:
            self._lock()
            self._write(MAGIC)
        except BaseException:
            self.close()
            delete(path)
            raise

    def append(self, kind: int, payload: bytes) -> int:
        """Write a record; returns how many bytes it takes."""
        crc = zlib.crc32(payload, zlib.crc32(bytes((kind,))))
        self._write(_HEAD.pack(len(payload), crc, kind) + payload)
        return _HEAD.size + len(payload)

    def cut(self, size: int) -> None:
        """Drop everything after the first `size` bytes; if that fails, it is written over."""
        self.size = size
        self._file.truncate(size)

    def flush(self) -> None:
        """Wait until the disk has everything, and the name of the file."""
        os.fsync(self._file.fileno())
        if not self._named:
            flush_folder(self.path.parent)
            self._named = True

    def move(self, path: Path) -> None:
        """Take the place of another file, and wait until the disk knows."""
        self.path.replace(path)
        self.path = path
        flush_folder(path.parent)

    def close(self) -> None:
        """Let go of the file; it stays."""
        with contextlib.suppress(OSError):  # it is closed, and what was to be kept was flushed
            self._file.close()

    def _lock(self) -> None:
        if not lock(self._file.fileno()):
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        self.path.stat()  # who looks may have deleted it

    def _write(self, data: bytes) -> None:
        # What a full disk took of the record before is no part of the file.
        self._file.seek(self.size)
        rest = memoryview(data)
        while rest:
            rest = rest[self._file.write(rest) :]
        self.size += len(data)


def records(file: io.BufferedIOBase, *, check_pieces: bool) -> Iterator[tuple[RecordPlace, bytes]]:
    """Yield the records of a file, as far as they are whole.

    Parameters
    ----------
    file
        The file, at its beginning.
    check_pieces
        Whether to read the pieces of masks, too, and compare their checksums; their payload is
        empty else.
    """
    if file.read(len(MAGIC)) != MAGIC:
        return
    end = file.seek(0, os.SEEK_END)
    offset = len(MAGIC)
    while True:
        file.seek(offset)
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return
        size, crc, kind = _HEAD.unpack(head)
        place = RecordPlace(kind, offset + _HEAD.size, size, crc)
        offset = place.offset + size
        if size > MOST or offset > end:
            return
        payload = b""
        if kind != PIECE or check_pieces:
            payload = file.read(size)
            if zlib.crc32(payload, zlib.crc32(bytes((kind,)))) != crc:
                return
        yield place, payload


def lock(fd: int) -> bool:
    """Lock an open file as long as this process lives; False if another one has the lock.

    Where a file system has no locks, everybody has them: work must be kept, and found again.
    """
    return files_locks.lock(fd) is not False


def delete(path: Path) -> None:
    """Delete a file; one that is gone, or that the system keeps, is no error."""
    with contextlib.suppress(OSError):
        path.unlink()
