"""Sources whose bytes are made of those of another one: joined segments, unpacked on reading."""

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
    """What a `ByteSource` that makes its bytes of those of another one has of that one."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source

    @property
    def path(self) -> Path:
        """The file."""
        return self._source.path

    @property
    def file(self) -> FileSource:
        """The file on disk."""
        return self._source.file

    def verify_unchanged(self) -> None:
        """Raise `FileChangedError` if the file is not the one that was opened."""
        self._source.verify_unchanged()

    def close(self) -> None:
        """Let go of the file."""
        self._source.close()


class Segment(Protocol):
    """The bytes of one tensor, however they are kept."""

    @property
    def size(self) -> int:
        """Bytes in all."""

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` with the bytes from `offset` on; called from any thread."""


class Unpacked:
    """The tensors of a packed file while they are found, in the order in which they are read."""

    def __init__(self, file: FileSource) -> None:
        self._file = file
        self._tensors: list[tuple[str, DType, tuple[int, ...], Segment]] = []

    def add(self, name: str, dtype: DType, shape: tuple[int, ...], segment: Segment) -> None:
        """Take a tensor, and where its bytes come from."""
        self._tensors.append((name, dtype, shape, segment))

    def contents(
        self, form: str, label: str, metadata: Mapping[str, str], cancel: CancelToken
    ) -> tuple[Contents, JoinedSource]:
        """Return them as the one dict of tensors of a file, and what they are read from."""
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
    """The tensors of a packed file as a `ByteSource`: as if they stood there unpacked."""

    def __init__(self, file: FileSource, segments: Sequence[Segment]) -> None:
        super().__init__(file)
        self._segments = segments
        self.starts = [0]
        for segment in segments:
            self.starts.append(self.starts[-1] + segment.size)

    @property
    def size(self) -> int:
        """Bytes of all segments."""
        return self.starts[-1]

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


def fill_from_blocks(
    view: memoryview, offset: int, nbytes: int, unpack: Callable[[int, int], memoryview], most: int
) -> None:
    """Fill `view` from byte `offset` on with blocks of `nbytes`.

    `unpack` returns the bytes of the blocks from one number to another, of at most `most` at once.
    """
    done = 0
    while done < len(view):
        first, skipped = divmod(offset + done, nbytes)
        last = min(-(-(offset + len(view)) // nbytes), first + most)
        part = unpack(first, last)[skipped : skipped + len(view) - done]
        view[done : done + len(part)] = part
        done += len(part)


class RawSegment:
    """Bytes that stand in the file as they are."""

    def __init__(self, file: FileSource, offset: int, size: int) -> None:
        self._file = file
        self._offset = offset
        self.size = size

    def read_into(self, offset: int, view: memoryview) -> None:
        """Read them."""
        self._file.read_into(self._offset + offset, view)
