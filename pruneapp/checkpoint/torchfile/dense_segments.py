"""Bytes of tensors that do not stand in a torch file as they are read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pruneapp.checkpoint.io.derived_source import JoinedSource, Segment
from pruneapp.checkpoint.io.source import ByteSource, FileSource
from pruneapp.checkpoint.torchfile.dense import MatrixSegment
from pruneapp.checkpoint.torchfile.dense_layout import Flipped, Rebuilt
from pruneapp.checkpoint.torchfile.sources_sparse import Matrix


class FlippedSegment:
    """The elements of a conjugate or negated view with their signs as they are; see `Segment`.

    Parameters
    ----------
    flipped
        Where it lies.
    sources
        What its location counts.
    """

    def __init__(self, flipped: Flipped, sources: Sequence[ByteSource]) -> None:
        self._flipped = flipped
        self._source = sources[flipped.where.source]
        self.size = flipped.size

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` from `offset` on."""
        self._source.read_into(self._flipped.where.offset + offset, view)
        found = np.frombuffer(view, np.uint8)
        itemsize = self._flipped.itemsize
        for flip in self._flipped.flips:
            found[(flip - offset) % itemsize :: itemsize] ^= 0x80


class HeldSegment:
    """Bytes that are in memory; see `Segment`."""

    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self.size = len(data)

    def read_into(self, offset: int, view: memoryview) -> None:
        """Copy them."""
        view[:] = self._data[offset : offset + len(view)]


def joined(
    file: FileSource, sources: Sequence[ByteSource], rebuilt: Sequence[Rebuilt]
) -> JoinedSource:
    """Return the elements of all that is rebuilt, one tensor behind the other.

    Parameters
    ----------
    file
        What everything comes from.
    sources
        What the locations of what is rebuilt count.
    rebuilt
        In order.
    """
    return JoinedSource(file, [_segment(one, sources) for one in rebuilt])


def _segment(one: Rebuilt, sources: Sequence[ByteSource]) -> Segment:
    if isinstance(one, Matrix):
        return MatrixSegment(one, sources)
    return FlippedSegment(one, sources) if isinstance(one, Flipped) else HeldSegment(one.data)
