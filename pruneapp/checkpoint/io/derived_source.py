"""Byte sources derived from another source, such as segments that are unpacked when read."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from pruneapp.checkpoint.contents import Contents, StateDict
from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.entry import make_entries, make_locations, ties_of
from pruneapp.checkpoint.io.source import ByteSource, FileSource
from pruneapp.errors import DamagedFileError
from pruneapp.progress import CancelToken


class DerivedSource:
    """The methods of a derived `ByteSource` that delegate to the source that it is based on."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self._source.path

    @property
    def file(self) -> FileSource:
        """The file on disk."""
        return self._source.file

    def verify_unchanged(self) -> None:
        """Raise `FileChangedError` if the file was changed or replaced since it was opened."""
        self._source.verify_unchanged()

    def close(self) -> None:
        """Close the file."""
        self._source.close()


class Segment(Protocol):
    """The bytes of a tensor, however they are stored."""

    @property
    def size(self) -> int:
        """Size in bytes."""

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` with the bytes from `offset` on. Must be thread-safe."""


class Unpacked:
    """Collects the tensors of a packed file, in order."""

    def __init__(self, file: FileSource) -> None:
        self._file = file
        self._tensors: list[tuple[str, DType, tuple[int, ...], Segment]] = []

    def add(self, name: str, dtype: DType, shape: tuple[int, ...], segment: Segment) -> None:
        """Add a tensor and the segment that returns its bytes."""
        self._tensors.append((name, dtype, shape, segment))

    def contents(
        self, form: str, label: str, metadata: Mapping[str, str], cancel: CancelToken
    ) -> tuple[Contents, JoinedSource]:
        """Return the contents of a file with these tensors, and the source to read them from.

        The offsets of the entries are those in the source, in which the segments follow each other.
        Names in `metadata` that are tied to a tensor become its aliases. The contents have one
        state dict without a name.

        Parameters
        ----------
        form, label
            The identifier of the format and its display name.
        metadata
            The text metadata of the file.
        cancel
            Checked meanwhile; raises `Cancelled`.
        """
        names, dtypes, shapes, segments = tuple(zip(*self._tensors, strict=True)) or ((),) * 4
        joined = JoinedSource(self._file, segments)
        ties = ties_of(names, metadata, cancel)
        entries = make_entries(
            names,
            shapes,
            dtypes,
            make_locations(0, joined.starts[:-1]),
            aliases=[tuple(ties.get(name, ())) for name in names],
        )
        numel = sum(map(math.prod, shapes))
        contents = Contents(
            format=form,
            label=label,
            entries=tuple(entries),
            metadata=metadata,
            state_dicts=(StateDict("", len(entries), numel),),
        )
        return contents, joined


class JoinedSource(DerivedSource):
    """The concatenated segments of a packed file as a `ByteSource`."""

    def __init__(self, file: FileSource, segments: Sequence[Segment]) -> None:
        """Compute the offset of each segment, `starts`, whose last element is the total size."""
        super().__init__(file)
        self._segments = segments
        self.starts = [0]
        for segment in segments:
            self.starts.append(self.starts[-1] + segment.size)

    @property
    def size(self) -> int:
        """Total size of the segments in bytes."""
        return self.starts[-1]

    def read_into(self, offset: int, buffer: memoryview) -> None:
        """Fill `buffer` from `offset` on, from as many segments as necessary; see `ByteSource`.

        Raises `DamagedFileError` if the segments end before, and the errors of a segment.
        """
        view = buffer.cast("B")
        if offset + len(view) > self.size:
            raise DamagedFileError(
                f"'{self.path}' contains {self.size:,} bytes of tensors, but "
                f"{offset + len(view):,} are needed.",
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


def fill_from_blocks(
    view: memoryview, offset: int, nbytes: int, unpack: Callable[[int, int], memoryview], most: int
) -> None:
    """Fill `view` from byte `offset` of a sequence of blocks of `nbytes` each.

    Parameters
    ----------
    unpack
        ``unpack(first, last)`` returns the bytes of the blocks `first` to `last` (exclusive). It is
        called once or several times, in ascending order, without gaps.
    most
        Maximum number of blocks per call of `unpack`.
    """
    done = 0
    while done < len(view):
        first, skipped = divmod(offset + done, nbytes)
        last = min(-(-(offset + len(view)) // nbytes), first + most)
        part = unpack(first, last)[skipped : skipped + len(view) - done]
        view[done : done + len(part)] = part
        done += len(part)


class RawSegment:
    """Bytes that are stored unchanged in the file, as a `Segment`."""

    def __init__(self, file: FileSource, offset: int, size: int) -> None:
        self._file = file
        self._offset = offset
        self.size = size

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` from `offset` on."""
        self._file.read_into(self._offset + offset, view)
