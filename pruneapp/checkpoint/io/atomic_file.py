"""Write a file atomically: the old file is replaced only when the new one is safe on the disk.

The data is written to a temporary file next to the target, flushed, read back from the disk and
compared, and then renamed to the target. If anything fails before that, the old file is unchanged
and the temporary file is removed.

The caller fills windows. One thread writes each window and flushes it to the disk, a second one
reads it back and compares it, and a third one computes the checksum. Each of them needs only a part
of a core, so the file is complete and compared soon after its last byte was produced.

Compared pages are dropped from the page cache immediately, so that the next window reuses them:
allocating new ones on a busy system took longer than the disk, and this leaves the cache to the
file that an export reads.
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
from pruneapp.errors import ExportError, words_of
from pruneapp.progress import Cancelled, Job

# Small enough that a cancelled job does not wait for a long queue of a slow disk.
WINDOW_BYTES = 16 << 20
# One window is filled, one written, one compared, and one waits for the slowest stage.
WINDOWS = 4
# Number of bytes between two checks for cancellation.
PIECE_BYTES = 4 << 20
# Number of bytes read back and compared at a time: both sides fit into the cache of a core.
_COMPARE_BYTES = 1 << 20
# Seconds between two checks for cancellation while the disk is slower than the caller.
_POLL_SECONDS = 0.025


class OtherBytesError(Exception):
    """The data read back from the disk differs from the data that was written."""


@dataclass(eq=False)
class _Window:
    buffer: NDArray[np.uint8]
    offset: int = 0
    size: int = 0
    users: int = 0  # number of stages that still use it

    @property
    def free_space(self) -> int:
        return self.buffer.size - self.size

    @property
    def content(self) -> NDArray[np.uint8]:
        return self.buffer[: self.size]


class WritePipeline:
    """Writes a new file sequentially, and compares what is on the disk.

    A file that fits into one window is written, compared and hashed in the thread of the caller. An
    error in a worker thread is raised by the next call.

    Parameters
    ----------
    nbytes
        The size of the file; for compressed data its maximum.
    job
        Stepped, in the thread of the caller, by each byte twice: when it is passed to `write`, and
        when it was read back from the disk.

    Raises
    ------
    OSError
        By every method, for errors of the system.
    OtherBytesError
        If the data on the disk differs.
    Cancelled
        If the job is cancelled. Operations in progress end soon after.
    """

    def __init__(self, fd: int, path: Path, nbytes: int, job: Job) -> None:
        """Open `path` for reading back. Threads are started when the second window is needed.

        `fd` is the descriptor that is written to; the caller closes it.
        """
        self._fd = fd
        self._nbytes = nbytes
        self._job = job
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        # A separate descriptor has its own position: not all systems support positional reads.
        self._disk = FileIO(os.open(path, flags))
        self._hash = hashlib.sha256()
        self._current: _Window | None = None
        self._windows = 0
        self._in_flight = 0
        self._free: SimpleQueue[_Window | None] = SimpleQueue()
        self.bytes_written = 0  # number of bytes passed to `write`
        self._verified = 0  # updated by the compare stage, reported by the thread of the caller
        self._reported = 0
        self._read_buffer = np.empty(0, np.uint8)
        self._lock = threading.Lock()
        self._ended = False
        self._error: BaseException | None = None
        self._to_store: SimpleQueue[_Window | None] = SimpleQueue()
        self._to_compare: SimpleQueue[_Window | None] = SimpleQueue()
        self._to_hash: SimpleQueue[_Window | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append `data`, whose buffer may be reused as soon as this returns.

        Blocks while all windows are in use. More than `nbytes` bytes are accepted.
        """
        source = np.frombuffer(data, np.uint8)
        start = 0
        while start < source.size:
            window = self._current = self._current or self._next_window()
            piece = source[start : start + min(PIECE_BYTES, window.free_space)]
            window.buffer[window.size : window.size + piece.size] = piece
            window.size += piece.size
            start += piece.size
            self.bytes_written += piece.size
            self._report(piece.size)
            if not window.free_space:
                self._send()

    def finish(self) -> str:
        """Wait until all data was written and compared. Return its SHA-256 in hex digits.

        Nothing may be written afterwards. The threads keep running until `close`.
        """
        self._nbytes = self.bytes_written
        if self._current is not None:
            self._send()
        while self._in_flight:
            self._wait()
        self._report()
        return self._hash.hexdigest()

    def close(self) -> None:
        """Stop the threads after the operations in progress, and release the buffers.

        Data that was not finished is dropped, and an error of a worker thread is forgotten. The
        written descriptor stays open. May be called again.
        """
        self._ended = True
        for inbox in (self._to_store, self._to_compare, self._to_hash):
            inbox.put(None)
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        self._disk.close()
        self._current, self._free, self._error = None, SimpleQueue(), None
        self._read_buffer = np.empty(0, np.uint8)

    def _next_window(self) -> _Window:
        if self._windows < WINDOWS and self._free.empty():
            self._windows += 1
            return _Window(np.empty(min(WINDOW_BYTES, self._nbytes), np.uint8), self.bytes_written)
        window = self._wait()
        window.offset, window.size = self.bytes_written, 0
        return window

    def _wait(self) -> _Window:
        """Return a free window as soon as there is one, with its old content.

        Steps the job meanwhile. Raises the error of a worker thread, or `Cancelled`.
        """
        while True:
            self._report()
            with contextlib.suppress(Empty):
                window = self._free.get(timeout=_POLL_SECONDS)
                if window is not None:
                    self._in_flight -= 1
                    return window

    def _report(self, taken: int = 0) -> None:
        if self._error is not None:
            raise self._error
        verified = self._verified
        more, self._reported = verified - self._reported, verified
        self._job.step(taken + more)

    def _send(self) -> None:
        """Pass the current window to the stages, so that there is no current window.

        A file that fits into one window is written and compared before this returns. Otherwise the
        threads are started at the first call.
        """
        window, self._current = self._current, None
        assert window is not None
        self._in_flight += 1
        window.users = 2
        if self._nbytes <= WINDOW_BYTES:
            self._store(window)
            self._compare(window)
            self._hash_content(window)
            return
        if not self._threads:
            self._start()
        self._to_store.put(window)
        self._to_hash.put(window)

    def _start(self) -> None:
        """Start a thread for each of the three stages."""
        for name, inbox, stage in (
            ("store", self._to_store, self._store_then_compare),
            ("compare", self._to_compare, self._compare),
            ("count", self._to_hash, self._hash_content),
        ):
            thread = threading.Thread(
                target=self._serve, args=(inbox, stage), name=f"pruneapp-write-{name}"
            )
            thread.start()
            self._threads.append(thread)

    def _serve(self, inbox: SimpleQueue[_Window | None], stage: Callable[[_Window], None]) -> None:
        """Run a stage for each window of `inbox` until None arrives; the target of a thread.

        The first error of any stage is kept for the caller, and all windows after it are skipped.
        """
        while (window := inbox.get()) is not None:
            try:
                self._check_running()
                stage(window)
            except BaseException as error:  # noqa: BLE001 - raised in the caller's thread
                # The first error is the cause; `_check_running` stops all stages after it.
                self._error = self._error or error
                self._ended = True
                self._free.put(None)  # wakes the caller

    def _check_running(self) -> None:
        self._job.cancel.check()
        if self._ended:
            raise Cancelled

    def _store_then_compare(self, window: _Window) -> None:
        self._store(window)
        self._to_compare.put(window)

    def _store(self, window: _Window) -> None:
        """Write a window at the position of the descriptor, and flush it to the disk."""
        content = window.content
        done = 0
        while done < content.size:
            self._check_running()
            done += os.write(self._fd, content[done : done + PIECE_BYTES].data)
        self._check_running()
        flush = os.fdatasync if hasattr(os, "fdatasync") else os.fsync
        flush(self._fd)
        self._drop(window)

    def _drop(self, window: _Window) -> None:
        """Drop a window from the page cache, so that reading it accesses the disk.

        Does nothing where the system does not support it.
        """
        if not hasattr(os, "posix_fadvise"):
            return
        # A size of 0 means up to the end of the file: only a part of its last page is used.
        size = 0 if window.offset + window.size >= self._nbytes else window.size
        with contextlib.suppress(OSError):
            os.posix_fadvise(self._fd, window.offset, size, os.POSIX_FADV_DONTNEED)

    def _compare(self, window: _Window) -> None:
        """Read a window back from the disk, compare it and release it.

        Raises `OtherBytesError` if it differs. Windows must arrive in the order of the file,
        because the position of the reader advances.
        """
        content = window.content
        if self._read_buffer.size < min(content.size, _COMPARE_BYTES):
            self._read_buffer = np.empty(min(content.size, _COMPARE_BYTES), np.uint8)
        for start in range(0, content.size, _COMPARE_BYTES):
            self._check_running()
            sent = content[start : start + _COMPARE_BYTES]
            read_back = self._read_buffer[: sent.size]
            self._read(read_back)
            if not _equal(read_back, sent):
                raise OtherBytesError
            self._verified += sent.size
        self._drop(window)
        self._release(window)

    def _read(self, out: NDArray[np.uint8]) -> None:
        """Fill `out` with the next bytes of the file. Raise `OtherBytesError` if it ends before."""
        done = 0
        while done < out.size:
            got = self._disk.readinto(out[done:].data)
            if not got:
                raise OtherBytesError
            done += got

    def _hash_content(self, window: _Window) -> None:
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
# Errors of posix_fallocate on file systems that cannot reserve space; writing may still work.
_CANNOT_RESERVE = {errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS, errno.ENODEV}


class AtomicFile:
    """A file that is written to a temporary path and renamed into place; a context manager.

    Use it in three steps: `write` all data, `seal` (flush and compare it), `commit` (rename it to
    the target). Leaving the context without `commit`, also by an exception, removes the temporary
    file.

    Parameters
    ----------
    target
        The path of the file; its folder must exist. If the file exists, its mode is preserved.
    nbytes
        The size of the file, which is reserved on the disk before the first byte is written.
    job
        Stepped by each byte twice: when it is written, and when it was read back from the disk.
    exact
        Whether `nbytes` is the exact size rather than a maximum, as for compressed data. For a
        maximum, `seal` releases the surplus space, and a disk with less free space is accepted.

    Raises
    ------
    ExportError
        By every method, for errors of the system; the old file is unchanged then.
    """

    def __init__(self, target: Path, nbytes: int, job: Job, *, exact: bool = True) -> None:
        """Store the parameters. Nothing is created before the context is entered."""
        self.target = target
        self.nbytes = nbytes
        self._exact = exact
        self._job = job
        self._fd = -1
        self._pipeline: WritePipeline | None = None
        # The temporary file; None until it is created, and after it was renamed or removed.
        self.part: Path | None = None

    @property
    def bytes_written(self) -> int:
        """Number of bytes written so far."""
        return 0 if self._pipeline is None else self._pipeline.bytes_written

    def __enter__(self) -> Self:
        """Create the temporary file, reserve its space and start the pipeline.

        If that fails, the temporary file is removed and `ExportError` raised.
        """
        try:
            with self._translate_errors():
                part = self._open()
                self._reserve()
                self._pipeline = WritePipeline(self._fd, part, self.nbytes, self._job)
        except BaseException:
            self.discard()
            raise
        return self

    def _open(self) -> Path:
        """Create and lock a temporary file next to the target, with the mode of an existing target.

        Sets `part` and the descriptor. Raises `OSError`, or `ExportError` if the target is a pipe,
        a socket or a device.
        """
        check_regular(self.target)
        part = self.target.with_name(hidden_name(self.target.name, "part"))
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        self.part = part
        try:
            self._fd = os.open(part, flags, 0o666)  # reduced by the umask
        except OSError:
            self.part = None  # an existing file of this name must not be removed
            raise
        except ValueError as error:  # a null character
            self.part = None
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL)) from error
        lock(self._fd)  # so that `find_abandoned` does not report it
        with contextlib.suppress(FileNotFoundError):
            mode = stat.S_IMODE(self.target.stat().st_mode)
            if hasattr(os, "fchmod"):
                os.fchmod(self._fd, mode)
        return part

    def _reserve(self) -> None:
        """Reserve `nbytes` on the disk, or check the free space where that is not supported.

        Raises `OSError` (ENOSPC) if there is not enough. A maximum size (not `exact`) may exceed
        the free space.
        """
        if hasattr(os, "posix_fallocate") and self.nbytes:
            try:
                os.posix_fallocate(self._fd, 0, self.nbytes)
            except OSError as error:
                if not self._exact and error.errno in _FULL:
                    os.ftruncate(self._fd, 0)  # some systems keep the space reserved so far
                    return
                if error.errno not in _CANNOT_RESERVE:
                    raise
            else:
                return
        if not self._exact:
            return
        if shutil.disk_usage(self.target.parent).free < self.nbytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append `data`, whose buffer may be reused as soon as this returns."""
        assert self._pipeline is not None
        with self._translate_errors():
            self._pipeline.write(data)

    def seal(self) -> str:
        """Flush all data to the disk and compare it. Return its SHA-256 in hex digits.

        The target is unchanged until `commit`. Nothing may be written afterwards.

        Raises
        ------
        ExportError
            If the data read back differs from the data that was written, or for errors of the
            system.
        ValueError
            If the number of written bytes is not `nbytes`, or for a maximum, larger.
        """
        assert self._pipeline is not None
        written = self._pipeline.bytes_written
        if written > self.nbytes or (self._exact and written != self.nbytes):
            most = "" if self._exact else " at most"
            raise ValueError(f"{self.nbytes:,} bytes{most} were announced, {written:,} written")
        with self._translate_errors():
            digest = self._pipeline.finish()
            self._pipeline.close()
            if not self._exact:
                os.ftruncate(self._fd, written)
            os.fsync(self._fd)
            if os.fstat(self._fd).st_size != written:
                raise OtherBytesError
        return digest

    def commit(self) -> None:
        """Close the file and rename it to the target, which replaces the old file. Call it once.

        The caller must have called `seal`, which is not checked.
        """
        assert self.part is not None
        with self._translate_errors():
            self._close()
            self.part.replace(self.target)
        self.part = None
        flush_folder(self.target.parent)

    def discard(self) -> None:
        """Close and remove the temporary file, if there is one. Raises nothing.

        Does nothing after `commit` or an earlier call.
        """
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
    def _translate_errors(self) -> Iterator[None]:
        """Raise `ExportError` for an `OSError` or `OtherBytesError` of the block.

        An `OSError` discards the temporary file first, because the message contains the free space
        without it.
        """
        try:
            yield
        except OSError as error:
            self.discard()
            raise write_error(self.target, error, self.nbytes) from error
        except OtherBytesError:
            raise ExportError(
                f"'{self.target}' was not written: the bytes read back from the disk differ from "
                f"those that were written.",
                remedy="Check the disk, or write to another one.",
            ) from None


def check_regular(path: Path) -> None:
    """Raise `ExportError` if `path` is a device, pipe or socket, which a file would replace."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ExportError(
            f"'{path}' is a pipe, socket or device, not a regular file.",
            remedy="Choose another name.",
        )


def flush_folder(folder: Path) -> None:
    """Flush the directory entries of `folder` to the disk, if the system supports it.

    Errors are ignored: some file systems cannot flush a folder, and the file itself is complete in
    any case.
    """
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def write_error(target: Path, error: OSError, nbytes: int) -> ExportError:
    """Return the error for a file `target` of `nbytes` that could not be written.

    Nothing is raised. The text depends on `errno`: for a full disk it contains the missing bytes.
    """
    if error.errno in _FULL:
        what = _describe_shortage(target, nbytes)
        remedy = "Free some space or choose another disk."
    elif error.errno == errno.EFBIG:
        what = f"the file system does not support files of {nbytes:,} bytes"
        remedy = "Choose another disk (FAT32 is limited to 4 GB)."
    else:
        what, remedy = words_of(error), _remedy(error, target.parent)
    details = f"{type(error).__name__}: {error}"
    return ExportError(f"'{target}' cannot be written: {what}.", remedy=remedy, details=details)


def _describe_shortage(target: Path, nbytes: int) -> str:
    """Return a clause on the space that a file of `nbytes` needs and that the disk has."""
    try:
        free = shutil.disk_usage(target.parent).free
    except OSError:
        return f"the disk is full ({nbytes:,} bytes are needed)"
    if free < nbytes:
        needed, unit = (nbytes / 1e6, "MB") if nbytes >= 1e6 else (nbytes / 1e3, "kB")
        free_units = free / (1e6 if unit == "MB" else 1e3)
        return (
            f"there is not enough disk space: {needed:,.1f} {unit} are needed, "
            f"{free_units:,.1f} {unit} are free"
        )
    return f"the disk is full or your quota is used up ({nbytes:,} bytes are needed)"


def _remedy(error: OSError, folder: Path) -> str:
    """Return the remedy for an error in `folder`; "" for unknown errors."""
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return "Choose a folder that you may write to."
    if error.errno == errno.ENAMETOOLONG:
        return "Choose a shorter name."
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        if folder.is_dir():  # such as /proc
            return f"'{folder}' does not accept new files: choose another folder."
        return "Make the folder first, or choose another."
    if error.errno == errno.EIO:
        return "Check the disk or the network drive."
    return ""
