"""Writing a file so that the old one is there until the new one is safe on the disk.

The bytes go to a temporary file beside the target, are flushed, read back from the disk and
compared as they go, and only then given the target's name. Whatever happens before that leaves the
old file as it was and nothing behind.

The caller fills windows. A thread writes each and flushes it to the disk, another one reads it
back from there and compares it, a third one counts its checksum meanwhile. None of them needs
more than a part of a core, so a file is on the disk and compared soon after its last byte was
made.

Pages of the system's cache that were compared are given up at once, so that the next window uses
them again: asking a busy system for new ones took longer than the disk, and an export of any size
leaves the cache to the file that it reads.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import stat
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.io.files import hidden_name, lock
from pruneapp.errors import ExportError, counted, words_of
from pruneapp.progress import Cancelled, Job

# Small enough that a slow disk never holds a long queue that a cancelled job must wait for.
WINDOW_BYTES = 16 << 20
# One is filled, one written, one compared, and one waits for the slowest of the three.
WINDOWS = 4
# Between two looks at the cancel token.
PIECE_BYTES = 4 << 20
# Read back and compared at once: both sides stay in the cache of a core.
_BACK_BYTES = 1 << 20
# Seconds between two looks at the cancel token while the disk is slower than the caller.
_PATIENCE = 0.025


class OtherBytesError(Exception):
    """Other bytes came back from the disk than were sent to it."""


@dataclass(eq=False)
class _Window:
    buffer: NDArray[np.uint8]
    offset: int = 0
    size: int = 0
    users: int = 0  # stages that are not done with it

    @property
    def room(self) -> int:
        return self.buffer.size - self.size

    @property
    def content(self) -> NDArray[np.uint8]:
        return self.buffer[: self.size]


class WritePipeline:
    """Writes a new file from its first byte to its last, and compares what is on the disk.

    A file that fits into one window is written, compared and counted in the caller's thread.
    What a thread meets is raised in the caller's thread at the next call.

    Parameters
    ----------
    nbytes
        How many bytes it will have; of a file that is being compressed the most.
    job
        Stepped, in the caller's thread, by every byte twice: when it is taken, and when it came
        back from the disk.

    Raises
    ------
    OSError
        From every call, as the system says it.
    OtherBytesError
        If the disk holds something else.
    Cancelled
        After the job was; what is under way ends by itself, soon.
    """

    def __init__(self, fd: int, path: Path, nbytes: int, job: Job) -> None:
        self._fd = fd
        self._nbytes = nbytes
        self._job = job
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        # A descriptor of its own has a position of its own: not every system reads by position.
        self._disk = FileIO(os.open(path, flags))
        self._hash = hashlib.sha256()
        self._filling: _Window | None = None
        self._windows = 0
        self._under_way = 0
        self._free: SimpleQueue[_Window | None] = SimpleQueue()
        self.taken = 0  # bytes that were written so far, on the disk or on their way
        self._verified = 0  # counted by the stage that compares, reported by the caller's thread
        self._reported = 0
        self._back = np.empty(0, np.uint8)
        self._lock = threading.Lock()
        self._ended = False
        self._error: BaseException | None = None
        self._to_store: SimpleQueue[_Window | None] = SimpleQueue()
        self._to_compare: SimpleQueue[_Window | None] = SimpleQueue()
        self._to_count: SimpleQueue[_Window | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append `data`; it may be used again as soon as this returns."""
        source = np.frombuffer(data, np.uint8)
        start = 0
        while start < source.size:
            window = self._filling = self._filling or self._next_window()
            piece = source[start : start + min(PIECE_BYTES, window.room)]
            window.buffer[window.size : window.size + piece.size] = piece
            window.size += piece.size
            start += piece.size
            self.taken += piece.size
            self._report(piece.size)
            if not window.room:
                self._send()

    def finish(self) -> str:
        """Wait until everything was compared; returns the SHA-256 in hexadecimal digits."""
        self._nbytes = self.taken
        if self._filling is not None:
            self._send()
        while self._under_way:
            self._wait()
        self._report()
        return self._hash.hexdigest()

    def close(self) -> None:
        """Begin nothing more, wait for what is under way, and let go of threads and buffers."""
        self._ended = True
        for inbox in (self._to_store, self._to_compare, self._to_count):
            inbox.put(None)
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        self._disk.close()
        self._filling, self._free, self._error = None, SimpleQueue(), None
        self._back = np.empty(0, np.uint8)

    def _next_window(self) -> _Window:
        if self._windows < WINDOWS and self._free.empty():
            self._windows += 1
            return _Window(np.empty(min(WINDOW_BYTES, self._nbytes), np.uint8), self.taken)
        window = self._wait()
        window.offset, window.size = self.taken, 0
        return window

    def _wait(self) -> _Window:
        while True:
            self._report()
            with contextlib.suppress(Empty):
                window = self._free.get(timeout=_PATIENCE)
                if window is not None:
                    self._under_way -= 1
                    return window

    def _report(self, taken: int = 0) -> None:
        if self._error is not None:
            raise self._error
        verified = self._verified
        more, self._reported = verified - self._reported, verified
        self._job.step(taken + more)

    def _send(self) -> None:
        window, self._filling = self._filling, None
        assert window is not None
        self._under_way += 1
        window.users = 2
        if self._nbytes <= WINDOW_BYTES:
            self._store(window)
            self._compare(window)
            self._count(window)
            return
        if not self._threads:
            self._start()
        self._to_store.put(window)
        self._to_count.put(window)

    def _start(self) -> None:
        for name, inbox, stage in (
            ("store", self._to_store, self._store_then_compare),
            ("compare", self._to_compare, self._compare),
            ("count", self._to_count, self._count),
        ):
            thread = threading.Thread(
                target=self._serve, args=(inbox, stage), name=f"pruneapp-write-{name}"
            )
            thread.start()
            self._threads.append(thread)

    def _serve(self, inbox: SimpleQueue[_Window | None], stage: Callable[[_Window], None]) -> None:
        while (window := inbox.get()) is not None:
            try:
                self._go_on()
                stage(window)
            except BaseException as error:  # noqa: BLE001 - raised in the caller's thread
                # The first is the cause; after it `_go_on` lets nothing more be done.
                self._error = self._error or error
                self._ended = True
                self._free.put(None)  # wakes the caller

    def _go_on(self) -> None:
        self._job.cancel.check()
        if self._ended:
            raise Cancelled

    def _store_then_compare(self, window: _Window) -> None:
        self._store(window)
        self._to_compare.put(window)

    def _store(self, window: _Window) -> None:
        content = window.content
        done = 0
        while done < content.size:
            self._go_on()
            done += os.write(self._fd, content[done : done + PIECE_BYTES].data)
        self._go_on()
        flush = os.fdatasync if hasattr(os, "fdatasync") else os.fsync
        flush(self._fd)
        self._drop(window)

    def _drop(self, window: _Window) -> None:
        """Take a window out of the system's cache, so that reading it asks the disk."""
        if not hasattr(os, "posix_fadvise"):
            return
        # To the end of the file, whatever that is: of the last page only a part is ours.
        size = 0 if window.offset + window.size >= self._nbytes else window.size
        with contextlib.suppress(OSError):
            os.posix_fadvise(self._fd, window.offset, size, os.POSIX_FADV_DONTNEED)

    def _compare(self, window: _Window) -> None:
        content = window.content
        if self._back.size < min(content.size, _BACK_BYTES):
            self._back = np.empty(min(content.size, _BACK_BYTES), np.uint8)
        for start in range(0, content.size, _BACK_BYTES):
            self._go_on()
            sent = content[start : start + _BACK_BYTES]
            read_back = self._back[: sent.size]
            self._read(read_back)
            if not _equal(read_back, sent):
                raise OtherBytesError
            self._verified += sent.size
        self._drop(window)
        self._release(window)

    def _read(self, out: NDArray[np.uint8]) -> None:
        done = 0
        while done < out.size:
            got = self._disk.readinto(out[done:].data)
            if not got:
                raise OtherBytesError
            done += got

    def _count(self, window: _Window) -> None:
        self._hash.update(window.content.data)
        self._release(window)

    def _release(self, window: _Window) -> None:
        with self._lock:
            window.users -= 1
            free = not window.users
        if free:
            self._free.put(window)


def _equal(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    whole = one.size // 8 * 8
    return np.array_equal(
        one[:whole].view(np.uint64), other[:whole].view(np.uint64)
    ) and np.array_equal(one[whole:], other[whole:])


_FULL = {errno.ENOSPC, errno.EDQUOT}
# posix_fallocate where the file system cannot reserve space: no reason not to try.
_NO_RESERVING = {errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS, errno.ENODEV}


class AtomicFile:
    """A file in the making; a context manager.

    Use it in three steps: `write` all the bytes, `seal` (they are on the disk and compared),
    `commit` (they have the target's name). Leaving the context without `commit`, by whatever
    exception, removes the temporary file.

    Parameters
    ----------
    target
        Where the file is to be; its folder must exist. A file that is there keeps its mode.
    nbytes
        How many bytes it will have; reserved on the disk before the first is written.
    job
        Stepped by every byte twice: when it is taken, and when it came back from the disk.
    exact
        Whether it will have exactly so many; else not more, as where it is compressed. What was
        reserved too much is given back by `seal`, and a disk without room for the most is no
        reason not to try.

    Raises
    ------
    ExportError
        From every step, if the system refuses it; the old file is as it was.
    """

    def __init__(self, target: Path, nbytes: int, job: Job, *, exact: bool = True) -> None:
        self.target = target
        self.nbytes = nbytes
        self._exact = exact
        self._job = job
        self._fd = -1
        self._pipeline: WritePipeline | None = None
        # The temporary file; None before it is made and after it is gone.
        self.part: Path | None = None

    @property
    def taken(self) -> int:
        """How many bytes were written so far."""
        return 0 if self._pipeline is None else self._pipeline.taken

    def __enter__(self) -> Self:
        try:
            with self._translated():
                part = self._open()
                self._reserve()
                self._pipeline = WritePipeline(self._fd, part, self.nbytes, self._job)
        except BaseException:
            self.discard()
            raise
        return self

    def _open(self) -> Path:
        check_regular(self.target)
        part = self.target.with_name(hidden_name(self.target.name, "part"))
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        self.part = part
        try:
            self._fd = os.open(part, flags, 0o666)  # the umask takes its share
        except OSError:
            self.part = None  # a file of this name is not ours to remove
            raise
        except ValueError as error:  # a null character
            self.part = None
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL)) from error
        lock(self._fd)  # so that `find_abandoned` leaves it alone
        with contextlib.suppress(FileNotFoundError):
            mode = stat.S_IMODE(self.target.stat().st_mode)
            if hasattr(os, "fchmod"):
                os.fchmod(self._fd, mode)
        return part

    def _reserve(self) -> None:
        if hasattr(os, "posix_fallocate") and self.nbytes:
            try:
                os.posix_fallocate(self._fd, 0, self.nbytes)
            except OSError as error:
                if not self._exact and error.errno in _FULL:
                    os.ftruncate(self._fd, 0)  # some systems keep what they could reserve
                    return
                if error.errno not in _NO_RESERVING:
                    raise
            else:
                return
        if not self._exact:
            return
        if shutil.disk_usage(self.target.parent).free < self.nbytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append `data`; it may be used again as soon as this returns."""
        assert self._pipeline is not None
        with self._translated():
            self._pipeline.write(data)

    def seal(self) -> str:
        """Wait until everything is on the disk and was compared; returns the SHA-256.

        Raises
        ------
        ExportError
            If other bytes come back than were written.
        """
        assert self._pipeline is not None
        written = self._pipeline.taken
        if written > self.nbytes or (self._exact and written != self.nbytes):
            most = "" if self._exact else " at most"
            raise ValueError(f"{self.nbytes:,} bytes{most} were announced, {written:,} written")
        with self._translated():
            digest = self._pipeline.finish()
            self._pipeline.close()
            if not self._exact:
                os.ftruncate(self._fd, written)
            os.fsync(self._fd)
            if os.fstat(self._fd).st_size != written:
                raise OtherBytesError
        return digest

    def commit(self) -> None:
        """Give the file the target's name, in the place of the old file."""
        assert self.part is not None
        with self._translated():
            self._close()
            self.part.replace(self.target)
        self.part = None
        flush_folder(self.target.parent)

    def discard(self) -> None:
        """Remove the temporary file, if there is one."""
        try:
            with contextlib.suppress(OSError):
                self._close()
        finally:  # also if waiting for the disk is interrupted
            if self.part is not None:
                with contextlib.suppress(OSError):
                    self.part.unlink()
                self.part = None

    def _close(self) -> None:
        if self._pipeline is not None:
            self._pipeline.close()
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __exit__(self, *exc: object) -> None:
        self.discard()

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            # Removed first: the message counts the free bytes without our own.
            self.discard()
            raise write_error(self.target, error, self.nbytes) from error
        except OtherBytesError:
            raise ExportError(
                f"'{self.target}' was not written: the bytes read back from the disk differ from "
                f"those that were written.",
                remedy="Check the disk, or write to another one.",
            ) from None


def check_regular(path: Path) -> None:
    """Raise `ExportError` if a device, pipe or socket has the name: a file would replace it."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ExportError(
            f"'{path}' is a pipe, socket or device, not a regular file.",
            remedy="Choose another name.",
        )


def flush_folder(folder: Path) -> None:
    """Make the names in `folder` durable, where the system can.

    Not every file system can flush a folder, and the file itself is whole either way.
    """
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def write_error(target: Path, error: OSError, nbytes: int) -> ExportError:
    """Say in a sentence why `target`, of `nbytes`, could not be written."""
    if error.errno in _FULL:
        what = _what_is_missing(target, nbytes)
        remedy = "Make room or choose another disk."
    elif error.errno == errno.EFBIG:
        what = f"the file system does not support files of {nbytes:,} bytes"
        remedy = "Choose another disk (FAT32 is limited to 4 GB)."
    else:
        what, remedy = words_of(error), _remedy(error, target.parent)
    details = f"{type(error).__name__}: {error}"
    return ExportError(f"'{target}' cannot be written: {what}.", remedy=remedy, details=details)


def _what_is_missing(target: Path, nbytes: int) -> str:
    try:
        free = shutil.disk_usage(target.parent).free
    except OSError:
        return f"the disk is full ({nbytes:,} bytes are needed)"
    if free < nbytes:
        return (
            f"{counted(nbytes - free, 'byte is', 'bytes are')} missing on the disk "
            f"({nbytes:,} are needed, {free:,} are free)"
        )
    return f"the disk is full or your quota is used up ({nbytes:,} bytes are needed)"


def _remedy(error: OSError, folder: Path) -> str:
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return "Choose a folder that you may write to."
    if error.errno == errno.ENAMETOOLONG:
        return "Choose a shorter name."
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        if folder.is_dir():  # as /proc, which takes no files
            return f"'{folder}' does not accept new files: choose another folder."
        return "Make the folder first, or choose another."
    if error.errno == errno.EIO:
        return "Check the disk or the network drive."
    return ""
