"""A place to keep what is compressed until the beginning of its file can be written."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import platformdirs

from pruneapp.checkpoint.io.atomic_file import PIECE_BYTES
from pruneapp.errors import ExportError, words_of

# Kept in memory until there is more.
_IN_MEMORY = 32 << 20


class Spool:
    """Bytes that are appended and read again; a context manager, gone when it is left.

    In memory at first, then in a file without a name in the person's cache folder: the folder for
    temporary files is memory on many systems.

    `tempfile.SpooledTemporaryFile` would not do: with a buffer it tries again when it is closed
    what a full disk refused, and without one it moves to the disk with a single write, of which
    the system may take only the first part without a word.
    """

    def __init__(self) -> None:
        self._memory = bytearray()
        self._file: io.FileIO | None = None
        self._folder: Path | None = None
        self.end = 0

    def append(self, data: bytes) -> None:
        """Add `data` at the end.

        Raises
        ------
        ExportError
            If there is no room.
        """
        self.end += len(data)
        self._memory += data
        if len(self._memory) > _IN_MEMORY:
            self._flush()

    def read(self, offset: int, nbytes: int) -> Iterator[memoryview]:
        """Yield bytes, a piece at a time; nothing may be appended any more."""
        if self._file is not None and self._memory:
            self._flush()
        while nbytes:
            size = min(nbytes, PIECE_BYTES)
            if self._file is None:
                piece = bytes(self._memory[offset : offset + size])
            else:
                with self._translated():
                    self._file.seek(offset)
                    piece = self._file.read(size)
                    if not piece:
                        raise OSError(0, "it is cut short")
            yield memoryview(piece)
            offset += len(piece)
            nbytes -= len(piece)

    def _flush(self) -> None:
        with self._translated():
            if self._file is None:
                self._file = self._opened()
            left = memoryview(self._memory)
            while left:
                left = left[self._file.write(left) :]
        self._memory = bytearray()

    def _opened(self) -> io.FileIO:
        # Unbuffered: what a full disk refused must not be tried again when the file is closed.
        folder = platformdirs.user_cache_path("pruneapp", appauthor=False)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._folder = folder
            return tempfile.TemporaryFile("w+b", buffering=0, prefix="export-", dir=folder)
        except OSError:
            self._folder = Path(tempfile.gettempdir())
            return tempfile.TemporaryFile("w+b", buffering=0, prefix="export-")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            folder = self._folder or tempfile.gettempdir()
            raise ExportError(
                f"Temporary data in '{os.fspath(folder)}' cannot be written or read: "
                f"{words_of(error)}.",
                remedy="Free disk space there, or set TMPDIR to another folder.",
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
