"""Memory for large arrays of bits: mapped from an anonymous file.

The file is allocated completely at the start, because writing to a mapped file on a full disk would
kill the process. No other process can open it, and it is deleted with the last array that uses it.
Accessed pages count as memory of the process until `release_pages`; their contents remain in the
page cache and are written to disk by the system.
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

# Maximum bytes of a mask in memory; masks of more than 2**31 weights are mapped.
MOST_IN_MEMORY = 1 << 28
# Bytes that are processed before their pages are released, which takes a few milliseconds.
PIECE = 1 << 22

_PREFIX = "undo-"


class Mapping(mmap.mmap):
    """A memory map of an anonymous file.

    Closing a file of gigabytes in the page cache takes up to a second, so it is closed on a thread
    and does not block the code that releases the last array.
    """

    file = -1

    @classmethod
    def map_file(cls, file: io.FileIO, nbytes: int) -> Mapping:
        """Map a file; the caller may close it afterwards."""
        mapping = cls(file.fileno(), nbytes)
        mapping.file = os.dup(file.fileno())
        return mapping

    def __del__(self) -> None:
        if self.file >= 0:
            self.close()
            try:  # must not wait for a lock, because this can be called anywhere
                _thread.start_new_thread(os.close, (self.file,))
            except RuntimeError:  # at interpreter shutdown
                os.close(self.file)


def scratch_file(folder: Path | None = None) -> io.FileIO:
    """Create an anonymous file in `folder`, by default the user's cache folder; closing deletes it.

    Missing folders are created. If the file cannot be created there, it is created in the folder
    for temporary files. That is only the second choice because it is in memory on many systems.
    Raises `OSError` if that fails as well.
    """
    try:
        return _anonymous_file(_create_folder(folder))
    except OSError:
        return _anonymous_file(None)


def _create_folder(folder: Path | None) -> Path:
    folder = folder or platformdirs.user_cache_path("pruneapp", appauthor=False)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _anonymous_file(folder: Path | None) -> io.FileIO:
    # Unbuffered: data that a full disk rejected must not be written when the file is closed.
    return tempfile.TemporaryFile("w+b", buffering=0, prefix=_PREFIX, dir=folder)


def bits(size: int, *, zeroed: bool = False) -> Bytes:
    """Return a writable array of bytes for `size` bits, mapped from a file if it is large.

    The contents are undefined unless `zeroed`; a mapped array is always 0. Raises `ScratchError` if
    the disk has no space.
    """
    nbytes = (size + 7) // 8
    if nbytes > MOST_IN_MEMORY:
        return np.ndarray((nbytes,), np.uint8, _map_file(nbytes))
    return np.zeros(nbytes, np.uint8) if zeroed else np.empty(nbytes, np.uint8)


def is_mapped(packed: NDArray[Any]) -> bool:
    """Return whether an array is mapped by this module, as a whole."""
    base: object = packed.base
    return isinstance(base, Mapping)


def release_pages(packed: Bytes, start: int, stop: int) -> None:
    """Release the memory of bytes if they are mapped; their contents remain."""
    base: object = packed.base
    if isinstance(base, Mapping) and hasattr(mmap, "MADV_DONTNEED") and start < stop:
        first = start - start % mmap.PAGESIZE
        base.madvise(mmap.MADV_DONTNEED, first, stop - first)


def require_room(sizes: Iterable[int]) -> None:
    """Raise an error if the disk has no space for the large ones of masks with these sizes in bits.

    Masks of at most `MOST_IN_MEMORY` bytes need none. Nothing is reserved.

    Raises
    ------
    ScratchError
        With the required space, the folder, and the free space.
    """
    sizes_in_bytes = [(size + 7) // 8 for size in sizes]
    needed = sum(nbytes for nbytes in sizes_in_bytes if nbytes > MOST_IN_MEMORY)
    if not needed:
        return
    try:
        folder = _create_folder(None)
    except OSError:
        folder = Path(tempfile.gettempdir())
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise _refusal(needed, folder, f"{free / 1e9:,.1f} GB are free")


def _map_file(nbytes: int) -> Mapping:
    """Create a file of `nbytes`, all of them reserved on the disk, and map it.

    Raises `ScratchError` if that fails.
    """
    require_room([8 * nbytes])
    with scratch_file() as file:
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, nbytes)
            else:
                file.truncate(nbytes)
            return Mapping.map_file(file, nbytes)
        except OSError as error:
            folder = platformdirs.user_cache_path("pruneapp", appauthor=False)
            raise _refusal(nbytes, folder, f"system error: {words_of(error)}") from error


def _refusal(nbytes: int, folder: Path, why: str) -> ScratchError:
    return ScratchError(
        f"A mask of {nbytes / 1e9:,.1f} GB does not fit into memory and is kept in '{folder}', "
        f"but {why}.",
        remedy="Free that much space there, or set XDG_CACHE_HOME to a folder on a larger disk "
        "and start Pruneapp again.",
    )
