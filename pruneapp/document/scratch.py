"""Masks that the history put aside: in memory, or in a scratch file that nobody else sees."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import numpy as np
import platformdirs
from numpy.typing import NDArray

from pruneapp.masks.bitmask import BitMask


class MaskSlot:
    """A mask of the history: in memory, in the scratch file, or both.

    Attributes
    ----------
    mask
        The mask, if it is in memory.
    offset
        Where it lies in the scratch file; -1 if it does not.
    size, nbytes
        Elements, and bytes that it takes.
    """

    __slots__ = ("__weakref__", "mask", "nbytes", "offset", "size")

    def __init__(self, mask: BitMask) -> None:
        self.mask: BitMask | None = mask
        self.offset = -1
        self.size = mask.size
        self.nbytes = mask.nbytes


class ScratchFile:
    """A file without a name, in the person's cache folder, gone when it is closed.

    Not in the folder for temporary files, which on many systems is memory.

    Parameters
    ----------
    folder
        Where to make it, when it is first needed; the cache folder of Pruneapp by default, and the
        system's temporary folder where that cannot be written.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._file: io.FileIO | None = None
        self._end = 0

    @property
    def size(self) -> int:
        """Bytes written."""
        return self._end

    def store(self, slot: MaskSlot) -> None:
        """Write a slot's mask, unless it is there already, and let go of it in memory.

        Raises
        ------
        OSError
            If the disk is full or broken; the slot then keeps its mask.
        """
        assert slot.mask is not None
        if slot.offset < 0:
            file = self._file or self._open()
            file.seek(self._end)
            rest = slot.mask.packed.data
            while rest:
                rest = rest[file.write(rest) :]
            slot.offset = self._end
            self._end += slot.nbytes
        slot.mask = None

    def load(self, slot: MaskSlot) -> BitMask:
        """Return a slot's mask, from the file if need be; the slot itself stays as it is.

        Raises
        ------
        OSError
            If the file cannot be read.
        """
        if slot.mask is not None:
            return slot.mask
        return BitMask(self._read(slot.offset, slot.nbytes), slot.size)

    def kept_at(self, slot: MaskSlot, index: int) -> bool:
        """Return one bit of a slot's mask without loading the rest."""
        if slot.mask is not None:
            byte = int(slot.mask.packed[index // 8])
        else:
            byte = int(self._read(slot.offset + index // 8, 1)[0])
        return bool(byte >> index % 8 & 1)

    def clear(self) -> None:
        """Forget everything; no slot may refer to the file any more."""
        if self._file is not None:
            self._file.truncate(0)
        self._end = 0

    def close(self) -> None:
        """Delete the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read(self, offset: int, size: int) -> NDArray[np.uint8]:
        assert self._file is not None
        data = np.empty(size, np.uint8)
        self._file.seek(offset)
        rest = data.data
        while rest:
            got = self._file.readinto(rest)
            if not got:
                raise OSError("the scratch file of the history is cut short")
            rest = rest[got:]
        return data

    def _open(self) -> io.FileIO:
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
