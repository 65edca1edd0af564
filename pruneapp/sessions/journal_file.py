"""The file of a journal: an SQLite database in which each row has a checksum.

The tables have the same columns: a key, a checksum and data.

``fact``
    The checkpoint, the current state, the views and the session file, as JSON; see `Fact`.
``edit``
    The edits of the history as JSON (`EditRow`), by increasing keys from 1 on. In facts and edits,
    the key 0 is the file as opened, and -1 is no state.
``mask``
    Masks in bundles, as in `history_codec.bundles`: a `MaskHead` at `mask_key(first)`, where
    `first` is the number of its first mask, followed by compressed pieces at the next keys.

JSON is compressed by zstd. A transaction is written completely or not at all, even if the process
is killed or the power fails. Checksums detect what a disk has damaged; a damaged row counts as
missing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import zlib
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import quote

import msgspec

from pruneapp.checkpoint.io import files
from pruneapp.errors import JsonError
from pruneapp.json_codec import decode, encode
from pruneapp.sessions.history_codec import SavedEdit
from pruneapp.sessions.original import FileStamp

VERSION = 1

Table = Literal["fact", "edit", "mask"]
T = TypeVar("T")

_PIECES = 1 << 20  # maximum number of rows of a bundle of masks
LAST_KEY = (1 << 63) - 1
_MAX_JSON = 1 << 28  # maximum size in bytes of the JSON of a row
# Number of free pages of 4 KiB that are returned to the file system at a time.
_FREED_PAGES = 4096
# Codes of SQLite that report damaged content, such as a missing table; error numbers of others.
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
_ERRORS = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_NOMEM: errno.ENOMEM,
}


class Fact(IntEnum):
    """Keys of the table ``fact``."""

    ORIGINAL = 0  # the checkpoint: `Original`
    STATE = 1  # the current state: `HistoryState`
    VIEW = 2  # the state of the views: an object
    SESSION = 3  # the session file: `SessionRecord`
    SESSION_VIEW = 4  # the state of the views in the session file: an object


class HistoryState(msgspec.Struct, frozen=True):
    """The current state, names and notes of states. States are given by the keys of their edits."""

    position: int = -1  # the current state
    tip: int = -1  # the state that redo leads to; -1 for the newest
    exported: int = -1  # the state last exported
    names: tuple[tuple[int, str], ...] = ()
    notes: tuple[tuple[int, str], ...] = ()


class EditRow(msgspec.Struct, frozen=True):
    """An edit. If it is an intent, its changed masks are not in the file yet."""

    parent: int  # key of the edit before it
    edit: SavedEdit
    is_intent: bool = False


class SessionRecord(msgspec.Struct, frozen=True):
    """The part of the history that is stored in a session file."""

    # Key of its current state; -1 if that was deleted, or that or the opened file has other texts.
    at: int = -1
    last: int = 0  # key of its last edit; all previous edits are in the session file as well
    file: FileStamp | None = None  # the session file as it was read or written


class MaskHead(msgspec.Struct, frozen=True):
    """The first row of a bundle: one mask in several pieces, or several masks in one piece."""

    # Number of elements, and number of the base mask, of each mask.
    sizes: tuple[int, ...]
    bases: tuple[int, ...]
    together: bool  # whether they are compressed together, even if it is only one

    @property
    def nbytes(self) -> int:
        """Size of the masks in bytes, before compression."""
        return sum((size + 7) // 8 for size in self.sizes)


def mask_key(first: int, index: int = 0) -> int:
    """Return the key of a row of the bundle that begins with the mask number `first`."""
    return first * _PIECES + index


def mask_of_key(key: int) -> tuple[int, int]:
    """Return the number of the first mask of a bundle, and the index of the row in it."""
    return divmod(key, _PIECES)


def pack_json(value: Any) -> bytes:
    """Return data or a struct as compressed JSON."""
    import zstandard

    return zstandard.ZstdCompressor(level=1).compress(encode(value))


def unpack_json(data: bytes, kind: type[T], where: str) -> T | None:
    """Return the content of compressed JSON as `kind`; None if it is not valid.

    `where` is the file.
    """
    import zstandard

    try:
        if not 0 <= zstandard.frame_content_size(data) <= _MAX_JSON:
            return None
        text = zstandard.ZstdDecompressor().decompress(data)
        return decode(text, kind, where, file_names=True)
    except (zstandard.ZstdError, JsonError):
        return None


def lock(fd: int) -> bool:
    """Lock an open file until this process ends. Return False if another process has locked it.

    On file systems without locks this returns True: recovering work is more important.
    """
    return files.lock(fd) is not False


def is_free(path: Path) -> bool:
    """Return whether a journal exists and no process has locked it. Leaves it unlocked.

    False if it cannot be opened for writing.
    """
    try:
        fd = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        return lock(fd)
    finally:
        os.close(fd)


def delete(path: Path) -> None:
    """Delete a closed journal; ignore it if the file does not exist or cannot be deleted."""
    for part in (_rollback_file(path), path):
        with contextlib.suppress(OSError):
            part.unlink()


def move(path: Path, target: Path) -> None:
    """Rename a closed journal; raises OSError if that fails."""
    with contextlib.suppress(FileNotFoundError):  # it exists only if a transaction was not undone
        _rollback_file(path).replace(_rollback_file(target))
    path.replace(target)


def _rollback_file(path: Path) -> Path:
    return path.with_name(f"{path.name}-journal")


class JournalDatabase:
    """An open journal, locked until it is closed or the process ends.

    Raises FileExistsError if the file to be created exists, and BlockingIOError if another process
    or another window has locked it. All methods raise OSError if the disk fails.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Open and lock a journal, or create it with permissions for the user only.

        A created file is deleted again if that fails.
        """
        self.path = path
        self.size = 0  # bytes of the file after the last transaction
        flags = os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        self._fd = os.open(path, flags | (os.O_CREAT | os.O_EXCL) * create, 0o600)
        try:
            if not lock(self._fd):
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))  # noqa: TRY301 - the file is closed below
            path.stat()  # another window may have deleted it before this one locked it
            with _disk_errors():
                self._db = _connect(path)
        except BaseException:
            os.close(self._fd)
            if create:
                delete(path)
            raise

    def create_tables(self) -> None:
        """Create the tables, as part of the first transaction."""
        for table in ("fact", "edit", "mask"):
            self._execute(f"create table {table} (key integer primary key, checksum, data)")
        self._execute(f"pragma user_version = {VERSION}")

    @property
    def version(self) -> int:
        """The version of Pruneapp's format; 0 if the file is empty or damaged."""
        try:
            found: int = self._execute("pragma user_version").fetchone()[0]
        except sqlite3.Error as error:
            _raise_if_disk_failed(error)
            return 0
        return found

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._db.in_transaction

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Write what the block writes, completely or not at all, and flush it to disk.

        Cannot be nested. An exception of the block undoes it; errors of SQLite become `OSError`.
        `size` is updated in any case.
        """
        with _disk_errors():
            self._execute("begin")
            try:
                yield
                self._execute("commit")
            except BaseException:
                # SQLite may have undone it already. If it cannot now, it does so when the file is
                # next used.
                with contextlib.suppress(sqlite3.Error):
                    self._execute("rollback")
                raise
            finally:
                self.size = os.fstat(self._fd).st_size

    def put(self, table: Table, key: int, data: bytes) -> None:
        """Add or replace a row; call this within a transaction."""
        statement = f"insert or replace into {table} values (?, ?, ?)"  # noqa: S608 - no user input
        self._execute(statement, (key, _checksum(table, key, data), data))

    def delete_rows(self, table: Table, first: int, last: int) -> None:
        """Delete the rows with keys from `first` to `last`; call this within a transaction."""
        statement = f"delete from {table} where key between ? and ?"  # noqa: S608 - no user input
        self._execute(statement, (first, last))

    def rows(
        self, table: Table, first: int = 0, last: int = LAST_KEY
    ) -> Iterator[tuple[int, bytes]]:
        """Yield keys and data of the undamaged rows with keys from `first` to `last`, in order.

        Both ends are included. If the table is damaged, the rows after the damage are missing.
        """
        query = f"select * from {table} where key between ? and ? order by key"  # noqa: S608 - no user input
        try:
            for key, checksum, data in self._execute(query, (first, last)):
                if type(data) is bytes and checksum == _checksum(table, key, data):
                    yield key, data
        except sqlite3.Error as error:  # the following rows cannot be found
            _raise_if_disk_failed(error)

    def release_space(self) -> bool:
        """Return up to 16 MiB of free space to the file system; return whether there is more."""
        before = self.size
        with self.transaction():
            self._execute(f"pragma incremental_vacuum({_FREED_PAGES})").fetchall()
            free: int = self._execute("pragma freelist_count").fetchone()[0]
        return free > 0 and self.size < before

    def close(self) -> None:
        """Close and unlock the file; errors are ignored.

        Its rollback file is deleted if it is empty.
        """
        with contextlib.suppress(sqlite3.Error):  # everything was flushed before
            self._db.close()
        with contextlib.suppress(OSError):
            rollback = _rollback_file(self.path)
            if rollback.stat().st_size == 0:
                rollback.unlink()
        with contextlib.suppress(OSError):
            os.close(self._fd)

    def _execute(self, statement: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        return self._db.execute(statement, values)


def _connect(path: Path) -> sqlite3.Connection:
    """Open the database without the locks of SQLite, for any thread.

    A damaged file is opened too.
    """
    # SQLite's own locks end when the process closes any other descriptor of the file, and do not
    # work on some network drives: `lock` replaces them.
    db = sqlite3.connect(
        f"file:{quote(os.fsencode(path.absolute()))}?mode=rw&nolock=1",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
    )
    db.text_factory = bytes
    for pragma in (
        "auto_vacuum = incremental",
        "locking_mode = exclusive",
        "journal_mode = truncate",  # a log would not work on network drives
        "synchronous = full",
        "secure_delete = off",
        "cell_size_check = on",
        "writable_schema = on",  # reads a file that was cut off as far as possible
    ):
        with contextlib.suppress(sqlite3.DatabaseError):  # of a damaged file; reading finds out
            db.execute(f"pragma {pragma}").fetchall()
    return db


def _checksum(table: Table, key: int, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(f"{table} {key}".encode()))


@contextlib.contextmanager
def _disk_errors() -> Iterator[None]:
    """Convert all errors of SQLite to OSError."""
    try:
        yield
    except sqlite3.Error as error:
        _raise_if_disk_failed(error)
        raise OSError(errno.EIO, os.strerror(errno.EIO)) from error


def _raise_if_disk_failed(error: sqlite3.Error) -> None:
    """Raise OSError unless SQLite reports damaged content."""
    code = error.sqlite_errorcode & 0xFF
    if code not in _DAMAGED:
        number = _ERRORS.get(code, errno.EIO)
        raise OSError(number, os.strerror(number)) from error
