"""Bits for which memory has no room: in a file without a name, mapped.

The file is reserved as a whole before anything is written: where a disk is full, writing to a map
would kill the process. Nobody else can reach it, and it is gone with the last array over it. Pages
that were touched count as memory of the process until they are let go of; what was written to them
stays with the system, which brings it to the disk in its time.
"""

from __future__ import annotations

import _thread
import io
import mmap
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
from numpy.typing import NDArray

from pruneapp.errors import ScratchError, words_of

Bytes = NDArray[np.uint8]

# Bytes of a mask that are held in memory; one of more weights than 2**31 lies in a file.
MOST_IN_MEMORY = 1 << 28
# Bytes that are worked on before their pages are let go of, in a few milliseconds.
PIECE = 1 << 22

_PREFIX = "undo-"


class Mapping(mmap.mmap):
    """The bytes of a file of our own.

    To give back gigabytes that the system still holds takes it the better part of a second: a
    thread waits for that, and not who lets go of the last array.
    """

    file = -1

    @classmethod
    def of(cls, file: io.FileIO, nbytes: int) -> Mapping:
        """Map a file, which may be closed then."""
        mapping = cls(file.fileno(), nbytes)
        mapping.file = os.dup(file.fileno())
        return mapping

    def __del__(self) -> None:
        if self.file >= 0:
            self.close()
            try:  # nothing that waits for a lock: this may be called anywhere
                _thread.start_new_thread(os.close, (self.file,))
            except RuntimeError:  # the interpreter ends
                os.close(self.file)


def scratch_file(folder: Path | None = None) -> io.FileIO:
    """Make a file without a name, by default in the person's cache folder, gone when it is closed.

    Not in the folder for temporary files, which on many systems is memory, but where the other
    cannot be written.
    """
    try:
        return _nameless(_made(folder))
    except OSError:
        return _nameless(None)


def _made(folder: Path | None) -> Path:
    folder = folder or platformdirs.user_cache_path("pruneapp", appauthor=False)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _nameless(folder: Path | None) -> io.FileIO:
    # Unbuffered: what a full disk refused must not be tried again when the file is closed.
    return tempfile.TemporaryFile("w+b", buffering=0, prefix=_PREFIX, dir=folder)


def bits(size: int, *, zeroed: bool = False) -> Bytes:
    """Return the bytes of `size` bits, to be written to; where memory has no room, of a file.

    What is in them is not said, unless they are `zeroed`. Raises `ScratchError` as `require_room`.
    """
    nbytes = (size + 7) // 8
    if nbytes > MOST_IN_MEMORY:
        return np.ndarray((nbytes,), np.uint8, _mapped(nbytes))
    return np.zeros(nbytes, np.uint8) if zeroed else np.empty(nbytes, np.uint8)


def is_mapped(packed: NDArray[Any]) -> bool:
    """Whether an array is all of a file of our own."""
    base: object = packed.base
    return isinstance(base, Mapping)


def let_go(packed: Bytes, start: int, stop: int) -> None:
    """Give up the memory of some bytes, if they are mapped; what is in them stays."""
    base: object = packed.base
    if isinstance(base, Mapping) and hasattr(mmap, "MADV_DONTNEED") and start < stop:
        first = start - start % mmap.PAGESIZE
        base.madvise(mmap.MADV_DONTNEED, first, stop - first)


def require_room(sizes: Iterable[int]) -> None:
    """Refuse to make masks of so many bits each, if the disk has no room for the large ones.

    Raises
    ------
    ScratchError
        What is needed, where, and what there is.
    """
    wanted = [(size + 7) // 8 for size in sizes]
    needed = sum(nbytes for nbytes in wanted if nbytes > MOST_IN_MEMORY)
    if not needed:
        return
    try:
        folder = _made(None)
    except OSError:
        folder = Path(tempfile.gettempdir())
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise _refusal(needed, folder, f"{free / 1e9:,.1f} GB are free")


def _mapped(nbytes: int) -> Mapping:
    require_room([8 * nbytes])
    with scratch_file() as file:
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, nbytes)
            else:
                file.truncate(nbytes)
            return Mapping.of(file, nbytes)
        except OSError as error:
            folder = platformdirs.user_cache_path("pruneapp", appauthor=False)
            raise _refusal(nbytes, folder, f"the system says: {words_of(error)}") from error


def _refusal(nbytes: int, folder: Path, why: str) -> ScratchError:
    return ScratchError(
        f"A mask of {nbytes / 1e9:,.1f} GB does not fit into memory and is kept in '{folder}', "
        f"but {why}.",
        remedy="Free that much space there, or set XDG_CACHE_HOME to a folder on a larger disk "
        "and start Pruneapp again.",
    )
