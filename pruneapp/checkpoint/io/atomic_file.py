"""Bytes on their way to the disk and back: flushed and compared while the next ones are made.

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
import hashlib
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from queue import Empty, SimpleQueue

import numpy as np
from numpy.typing import NDArray

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
    fd
        The file, open for writing, at its beginning; stays the caller's.
    path
        The same file, to read from.
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
        self._taken = 0
        self._verified = 0  # counted by the stage that compares, told by the caller's thread
        self._told = 0
        self._back = np.empty(0, np.uint8)
        self._lock = threading.Lock()
        self._ended = False
        self._error: BaseException | None = None
        self._to_store: SimpleQueue[_Window | None] = SimpleQueue()
        self._to_compare: SimpleQueue[_Window | None] = SimpleQueue()
        self._to_count: SimpleQueue[_Window | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    @property
    def taken(self) -> int:
        """How many bytes were written so far, on the disk or on their way."""
        return self._taken

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
            self._taken += piece.size
            self._tell(piece.size)
            if not window.room:
                self._send()

    def finish(self) -> str:
        """Wait until everything was compared; returns the SHA-256 in hexadecimal digits."""
        self._nbytes = self._taken
        if self._filling is not None:
            self._send()
        while self._under_way:
            self._wait()
        self._tell()
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
            return _Window(np.empty(min(WINDOW_BYTES, self._nbytes), np.uint8), self._taken)
        window = self._wait()
        window.offset, window.size = self._taken, 0
        return window

    def _wait(self) -> _Window:
        while True:
            self._tell()
            with contextlib.suppress(Empty):
                window = self._free.get(timeout=_PATIENCE)
                if window is not None:
                    self._under_way -= 1
                    return window

    def _tell(self, taken: int = 0) -> None:
        if self._error is not None:
            raise self._error
        verified = self._verified
        more, self._told = verified - self._told, verified
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
            found = self._back[: sent.size]
            self._read(found)
            if not _equal(found, sent):
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
