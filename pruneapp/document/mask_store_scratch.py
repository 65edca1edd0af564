"""A scratch file that nobody else sees, for the masks that the history puts aside."""

from __future__ import annotations

import io
import tempfile
import threading
from collections import defaultdict
from pathlib import Path

import numpy as np
import platformdirs
from numpy.typing import NDArray

from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

# Written or read in one go: a job that is cancelled waits for no more.
_PIECE = 4 << 20


class ScratchFile:
    """A file without a name, in the person's cache folder, gone when it is closed.

    Not in the folder for temporary files, which on many systems is memory. Any thread may write
    and read; the room of what was freed is used again.

    Parameters
    ----------
    folder
        Where to make it, when it is first needed; the cache folder of Pruneapp by default, and the
        system's temporary folder where that cannot be written.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._file: io.FileIO | None = None
        self._closed = False
        self._end = 0
        self._used = 0
        # By size, which few tensors of a model do not share with others.
        self._free: dict[int, list[int]] = defaultdict(list)
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Bytes that the file has."""
        return self._end

    def write(self, mask: BitMask, job: Job) -> int:
        """Write a mask; returns where it lies, for `read` and `free`.

        Raises
        ------
        OSError
            If the disk is full or broken, or the file is closed.
        """
        offset = self._take(mask.nbytes)
        data, done = mask.packed.data, 0
        try:
            while done < mask.nbytes:
                job.step(0)
                with self._lock:
                    file = self._opened()
                    file.seek(offset + done)
                    done += file.write(data[done : done + _PIECE])
        except BaseException:
            self.free(offset, mask.nbytes)
            raise
        return offset

    def read(self, offset: int, size: int, job: Job) -> BitMask:
        """Return the mask of `size` elements that lies at `offset`.

        Raises
        ------
        OSError
            If the file cannot be read.
        """
        data: NDArray[np.uint8] = np.empty((size + 7) // 8, np.uint8)
        done = 0
        while done < data.size:
            job.step(0)
            with self._lock:
                file = self._opened()
                file.seek(offset + done)
                got = file.readinto(data.data[done : done + _PIECE])
            if not got:
                raise OSError("the scratch file of the history is cut short")
            done += got
        return BitMask(data, size)

    def byte(self, offset: int) -> int:
        """Return a single byte."""
        with self._lock:
            file = self._opened()
            file.seek(offset)
            return file.read(1)[0]

    def free(self, offset: int, nbytes: int) -> None:
        """Let go of what was written at `offset`: others may be written there."""
        with self._lock:
            self._used -= nbytes
            self._free[nbytes].append(offset)
            if not self._used and self._file is not None:
                self._free.clear()
                self._file.truncate(0)
                self._end = 0

    def close(self) -> None:
        """Delete the file; whoever still reads or writes gets an OSError."""
        with self._lock:
            self._closed = True
            if self._file is not None:
                self._file.close()
                self._file = None

    def _take(self, nbytes: int) -> int:
        with self._lock:
            self._used += nbytes
            if self._free[nbytes]:
                return self._free[nbytes].pop()
            offset, self._end = self._end, self._end + nbytes
            return offset

    def _opened(self) -> io.FileIO:
        if self._closed:
            raise OSError("the scratch file of the history is closed")
        if self._file is None:
            try:
                folder = self._folder or platformdirs.user_cache_path("pruneapp", appauthor=False)
                folder.mkdir(parents=True, exist_ok=True)
                self._file = _nameless(folder)
            except OSError:
                self._file = _nameless(None)
        return self._file


def _nameless(folder: Path | None) -> io.FileIO:
    # Unbuffered: what a full disk refused must not be tried again when the file is closed.
    return tempfile.TemporaryFile("w+b", buffering=0, prefix="undo-", dir=folder)
