"""Bytes that do not stand in the file as they are read, one stretch behind the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from pruneapp.checkpoint.source import FileSource
from pruneapp.errors import DamagedFileError


class Segment(Protocol):
    """The bytes of one tensor, however they are kept."""

    @property
    def size(self) -> int:
        """Bytes in all."""

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` with the bytes from `offset` on; called from any thread."""


class JoinedSource:
    """The tensors of a packed file as a `ByteSource`: as if they stood there unpacked.

    Parameters
    ----------
    file
        What they come from.
    segments
        In order.
    """

    def __init__(self, file: FileSource, segments: Sequence[Segment]) -> None:
        self._file = file
        self._segments = segments
        self.starts = [0]
        for segment in segments:
            self.starts.append(self.starts[-1] + segment.size)

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    @property
    def size(self) -> int:
        """Bytes of all segments."""
        return self.starts[-1]

    @property
    def file(self) -> FileSource:
        """The file on disk."""
        return self._file

    def read_into(self, offset: int, buffer: memoryview) -> None:
        """Fill `buffer` from `offset` on; see `ByteSource`."""
        view = buffer.cast("B")
        if offset + len(view) > self.size:
            raise DamagedFileError(
                f"'{self.path}' holds {self.size:,} bytes of tensors, "
                f"but {offset + len(view):,} are needed.",
                remedy="The download or copy was interrupted: get the file again.",
            )
        done = 0
        index = max(0, bisect_right(self.starts, offset) - 1)
        while done < len(view):
            segment = self._segments[index]
            inside = offset + done - self.starts[index]
            size = min(len(view) - done, segment.size - inside)
            if size > 0:
                segment.read_into(inside, view[done : done + size])
                done += size
            index += 1

    def verify_unchanged(self) -> None:
        """Raise `FileChangedError` if the file is not the one that was opened."""
        self._file.verify_unchanged()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class RawSegment:
    """Bytes that stand in the file as they are."""

    def __init__(self, file: FileSource, offset: int, size: int) -> None:
        self._file = file
        self._offset = offset
        self.size = size

    def read_into(self, offset: int, view: memoryview) -> None:
        """Read them."""
        self._file.read_into(self._offset + offset, view)
