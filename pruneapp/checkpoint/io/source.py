"""Read files by position, and detect changes by other programs.

Memory maps are not used: if a mapped file is truncated, SIGBUS ends the process.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pruneapp.errors import CheckpointError, DamagedFileError, FileChangedError, words_of


@dataclass(frozen=True)
class FileIdentity:
    """The attributes that identify a version of a file."""

    device: int
    inode: int
    size: int
    mtime_ns: int

    @classmethod
    def from_status(cls, status: os.stat_result) -> FileIdentity:
        """Create an identity from a stat result."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)

    def matches(self, status: os.stat_result) -> bool:
        """Return whether a stat result has this identity; called after every read."""
        return (
            self.mtime_ns == status.st_mtime_ns
            and self.size == status.st_size
            and self.inode == status.st_ino
            and self.device == status.st_dev
        )


class ByteSource(Protocol):
    """Bytes that can be read at any position, from any thread."""

    @property
    def path(self) -> Path:
        """The path of the file, for messages."""

    @property
    def size(self) -> int:
        """Size in bytes."""

    @property
    def file(self) -> FileSource:
        """The file on disk that contains the data."""

    def read_into(self, offset: int, buffer: memoryview) -> None:
        """Fill `buffer` with the bytes from `offset` on.

        Raises
        ------
        DamagedFileError
            If the source ends before `offset` plus the size of `buffer`.
        FileChangedError
            If the file was changed since it was opened.
        """

    def verify_unchanged(self) -> None:
        """Raise `FileChangedError` if the file was changed or replaced since it was opened."""

    def close(self) -> None:
        """Close the file."""


class FileSource:
    """A regular file that is kept open and read by position.

    Raises
    ------
    CheckpointError
        If it is not a regular file or cannot be read. Opening never blocks on a pipe or a device.
    """

    def __init__(self, path: Path) -> None:
        """Open a file for reading. Only regular files are accepted; links to them are followed."""
        self.path = path
        try:
            # Checked first, because opening some devices has side effects. O_NONBLOCK, because a
            # pipe could have replaced the file after the check, and would block without a writer.
            refuse_irregular(path, path.stat())
            flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
            self._fd = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
        except OSError as error:
            raise open_error(path, error) from None
        except ValueError:
            raise CheckpointError(
                f"'{path}' cannot be opened: its name contains a character that file names cannot "
                f"have.",
                remedy="Check the name.",
            ) from None
        status = os.fstat(self._fd)
        try:
            refuse_irregular(path, status)
        except CheckpointError:
            close_quietly(self._fd)
            raise
        self.identity = FileIdentity.from_status(status)  # the version that was opened
        self._lock = threading.Lock()
        self._closed = False
        self._readers = 0
        # Number of bytes read by `read_into`; approximate while several threads read.
        self.bytes_read = 0

    @property
    def size(self) -> int:
        """Size of the file in bytes when it was opened."""
        return self.identity.size

    @property
    def file(self) -> FileSource:
        """The object itself; see `ByteSource`."""
        return self

    def read_into(self, offset: int, buffer: memoryview) -> None:
        """Fill `buffer` from `offset` on; see `ByteSource`."""
        self.bytes_read += buffer.nbytes
        self.read_uncounted(offset, buffer)

    def read_uncounted(self, offset: int, buffer: memoryview) -> None:
        """Fill `buffer` like `read_into`, without adding to `bytes_read`.

        Raises `CheckpointError` if the source was closed or the file cannot be read, and the errors
        of `ByteSource.read_into`.
        """
        # A thread may still read when the document is closed. The descriptor is closed after that,
        # because its number could be reused for another file.
        with self._lock:
            if self._closed:
                raise CheckpointError(f"'{self.path}' was closed.", remedy="Open it again.")
            self._readers += 1
        try:
            self._read_all(offset, buffer.cast("B"))
        finally:
            self._end_read()

    def _end_read(self) -> None:
        with self._lock:
            self._readers -= 1
            if self._closed and not self._readers:
                close_quietly(self._fd)

    def _read_all(self, offset: int, view: memoryview) -> None:
        """Fill `view` from `offset` on, with as many system calls as necessary.

        Afterwards checks that the file has not changed. An empty view only checks.
        """
        done = 0
        while done < len(view):
            try:
                got = self._read(offset + done, view[done:])
            except OSError as error:
                raise CheckpointError(
                    f"'{self.path}' cannot be read at byte {offset + done:,}: {words_of(error)}.",
                    remedy="Check the disk or the network drive, then open the file again.",
                ) from None
            if got == 0:
                self._verify_same()
                raise DamagedFileError(
                    f"'{self.path}' ends at byte {self.size:,}, "
                    f"but {offset + len(view):,} are needed.",
                    remedy="The download or copy was interrupted: get the file again.",
                )
            done += got
        self._verify_same()

    def _verify_same(self) -> None:
        """Raise `FileChangedError` if the open file has another identity than when it was opened.

        Checks the descriptor, not the path: another file with the same name does not affect the
        bytes that were read.
        """
        if not self.identity.matches(os.fstat(self._fd)):
            with self._lock:  # `reopen_at` may have changed only one of the two
                changed = not self.identity.matches(os.fstat(self._fd))
            if changed:
                raise self._changed_error()

    def _read(self, offset: int, view: memoryview) -> int:
        """Read some bytes from `offset` into `view`. Return their number, 0 at the end."""
        if hasattr(os, "preadv"):
            return os.preadv(self._fd, [view], offset)
        with self._lock:  # Windows has no positional read
            os.lseek(self._fd, offset, os.SEEK_SET)
            data = os.read(self._fd, len(view))
        view[: len(data)] = data
        return len(data)

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset` on."""
        buffer = bytearray(size)
        self.read_into(offset, memoryview(buffer))
        return bytes(buffer)

    def verify_unchanged(self) -> None:
        """Raise `FileChangedError` if the file at this path is not the version that was opened.

        Also if there is none or it is not accessible. A closed source can be verified too.
        """
        try:
            now = FileIdentity.from_status(self.path.stat())
        except OSError:
            raise FileChangedError(
                f"'{self.path}' no longer exists.",
                remedy="Restore it, or open the file at its new location.",
            ) from None
        if now != self.identity:
            raise self._changed_error()

    def _changed_error(self) -> FileChangedError:
        return FileChangedError(
            f"'{self.path}' was changed by another program while it was open.",
            remedy="Reopen it to load the new version.",
        )

    def reopen_at(self, path: Path) -> None:
        """Continue to read from `path`: the same file under another name, or a copy of it.

        Reads in progress still return the bytes of the old file. Raises `CheckpointError` if it
        cannot be opened; the source is unchanged then.
        """
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        try:
            fd = os.open(path, flags)
        except OSError as error:
            raise open_error(path, error) from error
        try:
            with self._lock:
                identity = FileIdentity.from_status(os.fstat(fd))
                if not self._closed:  # the number of a closed descriptor may have been reused
                    os.dup2(fd, self._fd, inheritable=False)
                self.path, self.identity = path, identity
        finally:
            close_quietly(fd)

    def __del__(self) -> None:
        # A cancelled job drops opened sources without calling `close`.
        if not getattr(self, "_closed", True):
            close_quietly(self._fd)

    def close(self) -> None:
        """Close the file as soon as no thread reads from it. Later calls do nothing."""
        with self._lock:
            if not self._closed:
                self._closed = True
                if not self._readers:
                    close_quietly(self._fd)


@contextlib.contextmanager
def close_on_error(sources: Sequence[ByteSource]) -> Iterator[None]:
    """Close the sources if the block raises, and raise its error again.

    They stay open otherwise. Sources may be added to the sequence during the block.
    """
    try:
        yield
    except BaseException:
        for source in sources:
            source.close()
        raise


def close_quietly(fd: int) -> None:
    """Close a descriptor that was only read from, ignoring errors, which cannot lose data."""
    with contextlib.suppress(OSError):
        os.close(fd)


def refuse_irregular(path: Path, status: os.stat_result) -> None:
    """Raise `CheckpointError` if `status` is not that of a regular file.

    The message states what `path` is instead: a folder, a pipe, a socket or a device.
    """
    if stat.S_ISREG(status.st_mode):
        return
    kinds = {
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    kind = kinds.get(stat.S_IFMT(status.st_mode), "something else")
    raise CheckpointError(
        f"'{path}' is {kind}, not a regular file.", remedy="Open a file or a model folder."
    )


def open_error(path: Path, error: OSError) -> CheckpointError:
    """Return the error for a file that cannot be opened. Nothing is raised."""
    remedy = ""
    if isinstance(error, PermissionError):
        remedy = "Ask for permission to read it, or copy it to a folder of your own."
    elif isinstance(error, FileNotFoundError):
        remedy = "Check the name and the folder."
    return CheckpointError(f"'{path}' cannot be opened: {words_of(error)}.", remedy=remedy)
