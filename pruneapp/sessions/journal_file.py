"""Append-only record file; record types.

An append-only file of records, each with its length and checksum.

A process may die at any moment, and a disk may keep some of what it was given: what comes after
the first record that is not whole is no part of the file.

Entries and masks in the file of a journal, and which of them are whole.

What the records of a journal say, as JSON.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from pruneapp.checkpoint.io import files
from pruneapp.checkpoint.io.atomic_file import flush_folder
from pruneapp.document.document import Capture
from pruneapp.document.edit import Record
from pruneapp.document.mask_store import NewMask
from pruneapp.json_codec import encoded
from pruneapp.progress import Job
from pruneapp.sessions.fingerprint import Original, Stamp
from pruneapp.sessions.history_codec import MaskNumbers, SavedEdit
from pruneapp.sessions.mask_codec import SMALL, pack, pack_together

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
    return files.lock(fd) is not False


def delete(path: Path) -> None:
    """Delete a file; one that is gone, or that the system keeps, is no error."""
    with contextlib.suppress(OSError):
        path.unlink()


VERSION = 2


class Head(msgspec.Struct, frozen=True, tag="head"):
    """What the journal is about: the first record, and again where that is moved."""

    version: int
    original: Original


class MaskHead(msgspec.Struct, frozen=True, tag="masks"):
    """Masks follow: one in so many pieces, or several together in one piece.

    Attributes
    ----------
    first
        Number of the first.
    sizes, bases
        Elements of each, and the number of the mask that it is packed against.
    together
        Whether they are packed together, however many they are.
    """

    first: int
    sizes: tuple[int, ...]
    bases: tuple[int, ...]
    together: bool


class More(msgspec.Struct, frozen=True, tag="more"):
    """What follows are pieces of a mask again that something else came between."""

    number: int


class EditAt(msgspec.Struct, frozen=True, tag="edit"):
    """An edit was made; what was undone from `at` on is cut off. Its masks came before."""

    at: int
    edit: SavedEdit


class IntentAt(msgspec.Struct, frozen=True, tag="intent"):
    """As `EditAt`, but what it did is not there yet: it can be done again.

    The masks that it means came before.
    """

    at: int
    edit: SavedEdit


class MasksAt(msgspec.Struct, frozen=True, tag="done"):
    """Of the first intent, at `at`, all masks are there by now: it is this edit."""

    at: int
    edit: SavedEdit


class Position(msgspec.Struct, frozen=True, tag="position"):
    """So many edits are in force."""

    to: int


class Exported(msgspec.Struct, frozen=True, tag="exported"):
    """The state at this position is the one last exported; -1 for none."""

    at: int


class Kept(msgspec.Struct, frozen=True, tag="kept"):
    """The state at this position is safe in a session file.

    Attributes
    ----------
    at
        The position; -1 where that state was cut off since.
    steps
        So many edits of the history are in the session file, the undone ones too.
    file
        The session file as it was read or written; None if that is not known.
    """

    at: int
    steps: int = 0
    file: Stamp | None = None


class View(msgspec.Struct, frozen=True, tag="view"):
    """What the person looks at."""

    view: dict[str, Any]


class Digests(msgspec.Struct, frozen=True, tag="digests"):
    """The SHA-256 of files of the original, by name."""

    sha256: dict[str, str]


Entry = (
    Head
    | MaskHead
    | More
    | EditAt
    | IntentAt
    | MasksAt
    | Position
    | Exported
    | Kept
    | View
    | Digests
)


# Who has something to say waits until the disk has no more than that.
_UNFLUSHED = 16 << 20


class JournalLog:
    """The file of a journal that is written; for one thread.

    Parameters
    ----------
    path
        The file; it must not exist.

    Attributes
    ----------
    numbers
        Of the masks in it.
    doubtful
        Whether the disk refused to keep what it had taken: then nobody knows what it has.

    Raises
    ------
    OSError
        If the disk refuses something; from every method.
    """

    def __init__(self, path: Path) -> None:
        self.numbers = MaskNumbers()
        self.doubtful = False
        # Bytes and base of each mask.
        self._masks: dict[int, tuple[int, int]] = {}
        self._unflushed = 0
        self._file = LogFile(path)
        self.mark()

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._file.size

    def note(self, entry: Entry) -> None:
        """Write what stands for itself, and stays whatever is refused later."""
        self.write(entry)
        self.mark()

    def write(self, entry: Entry) -> int:
        """Write an entry; returns how many bytes it takes."""
        import zstandard

        return self._append(JSON, zstandard.ZstdCompressor(level=1).compress(encoded(entry)))

    def write_masks(
        self, some: list[NewMask], capture: Capture, job: Job, is_there: Callable[[], bool]
    ) -> bool:
        """Write masks; see `bundles`.

        Parameters
        ----------
        some
            A large mask, or several small ones.
        capture
            Has them.
        job
            Stepped by their bytes; may cancel.
        is_there
            Called between the pieces: whether what they belong to is still there. It may write
            something else, masks among it.

        Returns
        -------
        bool
            Whether they are in the file.
        """
        together = some[0].slot.nbytes <= SMALL
        numbers = [self.numbers.give(new) for new in some]
        bases = tuple(self.numbers.find(new.base) for new in some)
        try:
            if together:
                pieces = iter((pack_together([capture.pair(new, job) for new in some], job),))
            else:
                pieces = pack(*capture.pair(some[0], job), job)
            sizes = tuple(new.slot.size for new in some)
            nbytes = self.write(MaskHead(numbers[0], sizes, bases, together))
            for piece in pieces:
                nbytes += self._append(PIECE, piece)
                if self._unflushed > _UNFLUSHED:
                    self.flush()
                count = self.numbers.count
                if not is_there():
                    self.numbers.forget(some)
                    return False
                if self.numbers.count != count:
                    self.write(More(numbers[0]))
        except BaseException:
            self.numbers.forget(some)
            raise
        for number, base in zip(numbers, bases, strict=True):
            self._masks[number] = nbytes // len(some), base
        return True

    def mark(self) -> None:
        """Let stay what is there now, whatever is refused later."""
        self._whole = self.here()

    def here(self) -> tuple[int, int]:
        """Return how far the file is, for `back_to`."""
        return self.size, self.numbers.count

    def back_to(self, place: tuple[int, int] | None = None) -> None:
        """Take back what was written since a place; by default, since `mark`."""
        size, count = place or self._whole
        self.numbers.back_to(count)
        with contextlib.suppress(OSError):
            self._file.cut(size)

    def bytes_for(self, records: Iterable[Record]) -> int:
        """Return the bytes of the masks of records, and of those that these are packed against."""
        needed: set[int] = set()
        for record in records:
            for slot in record.slots():
                number = self.numbers.find(slot)
                while number in self._masks and number not in needed:
                    needed.add(number)
                    number = self._masks[number][1]
        return sum(self._masks[number][0] for number in needed)

    def flush(self) -> None:
        """Wait until the disk has everything."""
        try:
            self._file.flush()
        except OSError:
            self.doubtful = True
            raise
        self._unflushed = 0

    def move(self, path: Path) -> None:
        """Take the place of another file."""
        self._file.move(path)

    def close(self) -> None:
        """Let go of the file; it stays."""
        self._file.close()

    def delete(self) -> None:
        """Delete the file."""
        self.close()
        delete(self.path)

    def _append(self, kind: int, payload: bytes) -> int:
        nbytes = self._file.append(kind, payload)
        self._unflushed += nbytes
        return nbytes
