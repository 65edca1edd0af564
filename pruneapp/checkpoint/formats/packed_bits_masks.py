"""Packed masks, presented as tensors of truth values under the names ``NAME_mask``."""

from __future__ import annotations

import math

import numpy as np

from pruneapp.checkpoint.contents import Contents, StateDict
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import make_entries, make_locations
from pruneapp.checkpoint.formats.compact_codec_layout import CompactLayout
from pruneapp.checkpoint.formats.headers_safetensors_header import Header
from pruneapp.checkpoint.io.derived_source import JoinedSource
from pruneapp.checkpoint.io.source import ByteSource, FileSource

SUFFIX = "_mask"


class BitsSegment:
    """Bits in the file, read as a byte each: 1 is kept, 0 is pruned.

    Parameters
    ----------
    file
        Where they are.
    offset
        Of their first byte; the lowest bit comes first.
    size
        How many bits there are.
    """

    def __init__(self, file: FileSource, offset: int, size: int) -> None:
        self._file = file
        self._offset = offset
        self.size = size

    def read_into(self, offset: int, view: memoryview) -> None:
        """Unpack the bits from `offset` on."""
        first, last = offset // 8, (offset + len(view) + 7) // 8
        packed = np.empty(last - first, np.uint8)
        self._file.read_into(self._offset + first, packed.data)
        bits = np.unpackbits(packed, bitorder="little")
        skip = offset - 8 * first
        np.frombuffer(view, np.uint8)[:] = bits[skip : skip + len(view)]


def read(header: Header, start: int, source: FileSource) -> tuple[Contents, tuple[ByteSource, ...]]:
    """Return the masks of a file; see `Reader.read`.

    Raises
    ------
    DamagedFileError, UnsupportedFileError
        If the layout is not sound, or a newer one.
    """
    layout = CompactLayout(header, str(source.path), start)
    shapes = layout.tree.get("shapes")
    if type(shapes) is not dict:
        raise layout.damaged("its metadata lists no shapes")
    names, extents, segments = [], [], []
    for name, found in shapes.items():
        shape = layout.shape(name, found)
        _, _, _, begin, end = layout.stored(name + SUFFIX, "U8")
        numel = math.prod(shape)
        if end - begin != (numel + 7) // 8:
            raise layout.damaged(
                f"'{name + SUFFIX}' has {end - begin:,} bytes, not one bit for each of {numel:,}"
            )
        names.append(name + SUFFIX)
        extents.append(shape)
        segments.append(BitsSegment(source, begin, numel))
    joined = JoinedSource(source, segments)
    entries = make_entries(
        names, extents, [DTYPES["BOOL"]] * len(names), make_locations(0, joined.starts[:-1])
    )
    contents = Contents(
        format="masks",
        label="masks of Pruneapp",
        entries=tuple(entries),
        metadata={k: v for k, v in header.metadata.items() if k != "pruneapp"},
        state_dicts=(StateDict("", len(entries), joined.size),),
    )
    return contents, (joined,)
