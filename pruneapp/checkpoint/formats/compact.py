"""Read compact files, presented as the dense tensors that they encode."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.contents import ReadResult
from pruneapp.checkpoint.dtypes import DTYPES, SAFETENSORS_DTYPES, DType
from pruneapp.checkpoint.formats import compact_codec
from pruneapp.checkpoint.formats.compact_codec import KEY, CompactLayout
from pruneapp.checkpoint.formats.headers import Header, show
from pruneapp.checkpoint.io.derived_source import RawSegment, Segment, Unpacked, fill_from_blocks
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import DamagedFileError
from pruneapp.progress import CancelToken

FORMAT = "compact"  # of `Contents`
INDEX, FRAMES = ":index", ":frames"
# Number of decoded frames that are cached: drawing rows of a picture reads the same ones
# repeatedly.
_CACHED_FRAMES = 8


class _FrameCache:
    """A cache of the frames that were read last, for all tensors of a file."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._frames: dict[tuple[int, int], NDArray[np.uint8]] = {}  # least recently used first

    def get(
        self, key: tuple[int, int], unpack: Callable[[], NDArray[np.uint8]]
    ) -> NDArray[np.uint8]:
        """Return the decoded frame of a key from the cache, or call `unpack` and cache its result.

        Two threads may unpack the same frame. Nothing is cached if `unpack` raises.
        """
        with self._lock:
            octets = self._frames.pop(key, None)
            if octets is not None:
                self._frames[key] = octets
                return octets
        octets = unpack()
        with self._lock:
            self._frames[key] = octets
            while len(self._frames) > _CACHED_FRAMES:
                del self._frames[next(iter(self._frames))]
        return octets


@dataclass(eq=False)
class FramesSegment:
    """The elements of a tensor, decoded frame by frame when they are read."""

    file: FileSource
    frame_cache: _FrameCache  # shared by all tensors of the file
    name: str
    dtype: DType
    numel: int
    frame: int  # number of elements of a frame
    index: int  # offset of its index in the file
    begin: int  # offset of its frames
    end: int  # end of its frames

    def __post_init__(self) -> None:
        self._words = np.dtype(self.dtype.storage)
        self._index: tuple[NDArray[np.uint32], NDArray[np.int64]] | None = None
        self.size = self.dtype.nbytes(self.numel)

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` with decoded bytes from `offset` on."""
        fill_from_blocks(view, offset, self.frame * self._words.itemsize, self._frame_bytes, 1)

    def _frame_bytes(self, number: int, _next: int) -> memoryview:
        return self.frame_cache.get((self.index, number), partial(self._decode_frame, number)).data

    def _decode_frame(self, number: int) -> NDArray[np.uint8]:
        """Read and decode frame `number`, from 0. Return its bytes or raise `DamagedFileError`."""
        index, starts = self._read_index()
        begin, end = int(starts[number]), int(starts[number + 1])
        packed = np.empty(end - begin, np.uint8)
        self.file.read_into(begin, packed.data)
        out = np.empty(min(self.frame, self.numel - number * self.frame), self._words)
        try:
            compact_codec.decode(packed.data, index[number], out)
        except compact_codec.FrameError:
            raise self._damage_error(f"frame {number:,}") from None
        return out.view(np.uint8)

    def _read_index(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the rows of the index, and the offset of each frame and of their end in the file.

        Read once and cached. Raises `DamagedFileError` if the sizes of the frames do not add up.
        """
        if self._index is None:
            count = -(-self.numel // self.frame)
            index = np.empty((count, compact_codec.columns(self._words.itemsize)), "<u4")
            self.file.read_into(self.index, index.reshape(-1).view(np.uint8).data)
            starts = np.zeros(count + 1, np.int64)
            np.cumsum(index[:, 1:].sum(axis=1, dtype=np.int64), out=starts[1:])
            starts += self.begin
            if starts[-1] != self.end:
                raise self._damage_error("the index")
            self._index = index, starts
        return self._index

    def _damage_error(self, what: str) -> DamagedFileError:
        return DamagedFileError(
            f"'{self.file.path}' is damaged: {what} of tensor '{show(self.name)}' does not "
            "contain what it should.",
            remedy="Download or copy it again.",
        )


def read(header: Header, start: int, source: FileSource, cancel: CancelToken) -> ReadResult:
    """Return the tensors of a compact file, whose header ends at `start`, and its single source.

    Their locations are consecutive in a virtual source with the data of the dense file. The
    metadata is that of the original file, and that of the container besides ``format`` and `KEY`.
    Raises `DamagedFileError`, `UnsupportedFileError` for a newer version, or `Cancelled`.
    """
    layout = CompactLayout(header, str(source.path), start)
    tree = layout.tree
    frame, tensors = tree.get("frame"), tree.get("tensors")
    if type(frame) is not int or not 8 <= frame <= 1 << 24 or frame % 8:
        raise layout.damage_error("its frames have no valid size")
    metadata = _dense_metadata(layout, header)
    if type(tensors) is not dict:
        raise layout.damage_error("its metadata lists no tensors")
    unpacked = Unpacked(source)
    frame_cache = _FrameCache()
    for name, description in cancel.each(tensors.items()):
        dtype, shape = _parse_description(layout, name, description)
        if (raw := layout.get(name)) is not None:
            _, stored, extents, begin, end = raw
            if (stored, extents) != (dtype.name, shape):
                raise layout.damage_error(f"'{show(name)}' is described twice, in two ways")
            segment: Segment = RawSegment(source, begin, end - begin)
        else:
            numel = math.prod(shape)
            positions = _frame_positions(layout, name, dtype, numel, frame)
            segment = FramesSegment(source, frame_cache, name, dtype, numel, frame, *positions)
        unpacked.add(name, dtype, shape, segment)
    contents, joined = unpacked.contents(FORMAT, "compact file of Pruneapp", metadata, cancel)
    # Further metadata of the container describes how the file was made.
    more = {k: text for k, text in header.metadata.items() if k not in {"format", KEY}}
    return replace(contents, metadata={**metadata, **more}), (joined,)


def dense_metadata(header: Header, path: str) -> dict[str, str]:
    """Return the metadata of the dense file, given the header of a compact file.

    Raises `DamagedFileError` if it is missing or not text.
    """
    return _dense_metadata(CompactLayout(header, path, 0), header)


def _dense_metadata(layout: CompactLayout, header: Header) -> dict[str, str]:
    metadata = layout.tree.get("metadata")
    if type(metadata) is not dict:
        raise layout.damage_error("its metadata lists no tensors")
    # Null stands for the text of the container with the same key.
    texts: dict[str, str] = {}
    for key, value in metadata.items():
        text = header.metadata.get(key) if value is None else value
        if type(text) is not str:
            raise layout.damage_error("what it keeps of the original's metadata is not text")
        texts[key] = text
    return texts


def _parse_description(
    layout: CompactLayout, name: str, description: Any
) -> tuple[DType, tuple[int, ...]]:
    """Return the type and shape of a description ``[dtype, shape]``. Raise `DamagedFileError`."""
    if (
        type(description) is not list
        or len(description) != 2
        or description[0] not in SAFETENSORS_DTYPES
    ):
        raise layout.damage_error(f"'{show(name)}' has no valid type and shape")
    return DTYPES[description[0]], layout.shape(name, description[1])


def _frame_positions(
    layout: CompactLayout, name: str, dtype: DType, numel: int, frame: int
) -> tuple[int, int, int]:
    """Return the offset of the index, and the start and end of the frames, of a tensor.

    Raises `DamagedFileError` if one is missing, the index has another shape, or the type is packed.
    `frame` is the number of elements of a frame.
    """
    if dtype.packed:
        raise layout.damage_error(f"'{show(name)}' is of a type whose elements share bytes")
    expected = (-(-numel // frame), compact_codec.columns(np.dtype(dtype.storage).itemsize))
    _, _, extents, index, _ = layout.stored(name + INDEX, "U32")
    if extents != expected:
        raise layout.damage_error(f"'{show(name + INDEX)}' has the shape {list(extents)}")
    _, _, _, begin, end = layout.stored(name + FRAMES, "U8")
    return index, begin, end
