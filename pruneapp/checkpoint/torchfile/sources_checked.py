"""Noticing storages whose bytes are not those that were saved, at no extra pass.

Every member of a zip archive has a checksum that torch.load never looks at. Whoever reads a
storage from its first byte to its last, in order, has read all that is needed to compare it, so it
is compared then, once. Reads out of order are let through. A writer may have left the checksums
out (``torch.serialization.set_crc32_options``): the directory then says 0 for all.
"""

from __future__ import annotations

import threading
import zlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pruneapp.checkpoint.io.derived_source_derived import DerivedSource
from pruneapp.checkpoint.io.source import ByteSource
from pruneapp.checkpoint.torchfile.torch_objects_faults import DOWNLOAD_AGAIN
from pruneapp.errors import DamagedFileError


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes of a file that have a checksum.

    Attributes
    ----------
    start, stop
        Where they lie.
    crc
        Their CRC-32.
    label
        What a message should name: a tensor, as a rule.
    """

    start: int
    stop: int
    crc: int
    label: str


class CheckedSource(DerivedSource):
    """A `ByteSource` that compares checksums as its bytes go by.

    Parameters
    ----------
    source
        The file.
    spans
        The parts that have a checksum, in order, none overlapping.
    """

    def __init__(self, source: ByteSource, spans: Sequence[Span]) -> None:
        super().__init__(source)
        self._spans = spans
        self._starts = [span.start for span in spans]
        self._seen: set[int] = set()
        # Two threads may read the same storage at the same time, each at its own place.
        self._here = threading.local()

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._source.size

    def read_into(self, offset: int, buffer: memoryview) -> None:
        """Fill `buffer` from `offset` on.

        Raises
        ------
        DamagedFileError
            If these are the last bytes of a storage and its checksum differs.
        """
        self._source.read_into(offset, buffer)
        view = buffer.cast("B")
        index = max(0, bisect_right(self._starts, offset) - 1)
        while index < len(self._spans) and self._spans[index].start < offset + len(view):
            self._follow(index, offset, view)
            index += 1

    def _follow(self, index: int, offset: int, view: memoryview) -> None:
        span = self._spans[index]
        begin = max(offset, span.start)
        end = min(offset + len(view), span.stop)
        if index in self._seen or end <= begin:
            return
        at, expected, crc = getattr(self._here, "state", (-1, -1, 0))
        if begin == span.start:
            crc = 0
        elif at != index or begin != expected:
            return
        crc = zlib.crc32(view[begin - offset : end - offset], crc)
        self._here.state = (index, end, crc)
        if end == span.stop:
            if crc != span.crc:
                raise damaged(self.path, span.label)
            self._seen.add(index)


def damaged(path: Path, label: str) -> DamagedFileError:
    """Return the error about a checksum that differs."""
    return DamagedFileError(
        f"'{path}' is damaged: the bytes of {label} are not those that were saved "
        "(their checksum differs).",
        remedy=DOWNLOAD_AGAIN,
    )
