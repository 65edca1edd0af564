"""Our layouts inside of safetensors: what the metadata says, and the frames of compact tensors.

A frame is up to 2^18 elements, packed so that it can be read alone: the bitmask of what is not 0,
then the first bytes of all elements that are not 0, then their second bytes, and so on: bytes of
one kind are much alike, above all those with the exponent. Each of these parts is a frame of zstd
with its checksum, one behind the other: a bit that flips on a disk is an error, not a weight. What
is 0 is a matter of bits: -0.0 is kept as it is.

A row of the index says how many elements are not 0, and how many bytes each part has. The mask is
left out (0 bytes) where nothing is 0, and everything where all is.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements import Bits
from pruneapp.checkpoint.formats.headers import MAX_RANK, Header, RawTensor, show
from pruneapp.errors import DamagedFileError, JsonError, UnsupportedFileError
from pruneapp.json_codec import load_object

if TYPE_CHECKING:
    import zstandard

# Elements. Of larger ones the file would hardly be smaller, and to look at a few weights takes
# the time of one frame.
FRAME = 1 << 18
LEVEL = 3
# Bytes behind each frame of zstd: the low half of the XXH64 of what was packed (RFC 8878, 3.1.1).
CHECKSUM = 4


class FrameError(ValueError):
    """A frame that holds something else than its index says."""


def columns(itemsize: int) -> int:
    """Return how many numbers a row of the index has."""
    return 2 + itemsize


def encode(words: Bits) -> tuple[list[int], list[bytes]]:
    """Pack up to `FRAME` elements.

    Returns the row of the index, and the frames of zstd that belong to it: always the same for the
    same elements and the same version of zstd.
    """
    width = words.dtype.itemsize
    kept = int(np.count_nonzero(words))
    if not kept:
        return [0] * columns(width), []
    whole = kept == words.size
    nonzero = None if whole else words != 0
    values = words if nonzero is None else words[nonzero]
    planes = np.ascontiguousarray(values.view(np.uint8).reshape(kept, width).T)
    compressor = _local.compressor
    mask = (
        b""
        if nonzero is None
        else compressor.compress(np.packbits(nonzero, bitorder="little").data)
    )
    parts = [compressor.compress(plane.data) for plane in planes]
    row = [kept, len(mask), *map(len, parts)]
    return row, [mask, *parts] if mask else parts


def decode(data: memoryview, row: NDArray[np.uint32], out: Bits) -> None:
    """Unpack a frame into `out`, which has as many elements as the frame.

    Raises `FrameError` if it holds something else than `row` says.
    """
    kept, mask_bytes, *lengths = map(int, row)
    width = out.dtype.itemsize
    if kept > out.size or (0 < kept < out.size) != bool(mask_bytes):
        raise FrameError
    if not kept:
        out[:] = 0
        return
    values = out if kept == out.size else np.empty(kept, out.dtype)
    octets = values.view(np.uint8).reshape(kept, width)
    offset = mask_bytes
    for place, nbytes in enumerate(lengths):
        octets[:, place] = _inflate(data[offset : offset + nbytes], kept)
        offset += nbytes
    if mask_bytes:
        packed = _inflate(data[:mask_bytes], (out.size + 7) // 8)
        nonzero = np.unpackbits(packed, count=out.size, bitorder="little").view(np.bool_)
        if np.count_nonzero(nonzero) != kept:
            raise FrameError
        out[:] = 0
        out[nonzero] = values


def _inflate(data: memoryview, size: int) -> NDArray[np.uint8]:
    import zstandard

    try:
        # Before anything of the size is allocated that a damaged frame claims.
        if zstandard.frame_content_size(data) != size:
            raise FrameError
        unpacked = _local.decompressor.decompress(data)
    except zstandard.ZstdError:
        raise FrameError from None
    if len(unpacked) != size:
        raise FrameError
    return np.frombuffer(unpacked, np.uint8)


def bound(size: int) -> int:
    """Return the most bytes that zstd makes of so many: ``ZSTD_compressBound`` and a checksum."""
    small = ((128 << 10) - size) >> 11 if size < 128 << 10 else 0
    return size + (size >> 8) + small + CHECKSUM


class _ThreadLocal(threading.local):
    """No two threads may use one of them, and making one takes longer than a small frame."""

    @cached_property
    def compressor(self) -> zstandard.ZstdCompressor:
        import zstandard

        return zstandard.ZstdCompressor(level=LEVEL, write_content_size=True, write_checksum=True)

    @cached_property
    def decompressor(self) -> zstandard.ZstdDecompressor:
        import zstandard

        return zstandard.ZstdDecompressor()


_local = _ThreadLocal()


KEY = "pruneapp"
MASKS = "pruneapp-masks"
COMPACT = "pruneapp-compact"
VERSION = 1


def packed_format(metadata: Mapping[str, str]) -> str:
    """Return which of our layouts a safetensors file has; empty if none."""
    name = metadata.get("format", "")
    return name if name in {MASKS, COMPACT} and KEY in metadata else ""


class CompactLayout:
    """The tensors of the container by name, and what the metadata says of them.

    `start` is the byte of the file at which the data of the container begin.

    Raises
    ------
    DamagedFileError
        If the metadata is not what it should be.
    UnsupportedFileError
        If a newer version has written it.
    """

    def __init__(self, header: Header, path: str, start: int) -> None:
        self._path = path
        self._stored: dict[str, RawTensor] = {
            name: (name, dtype, shape, start + begin, start + end)
            for name, dtype, shape, begin, end in header.tensors
        }
        try:
            self.tree = load_object(header.metadata[KEY])
        except JsonError as error:
            raise self.damaged(f"in its metadata '{KEY}', {error.what}") from None
        version = self.tree.get("version")
        if type(version) is not int or version < 1:
            raise self.damaged(f"its metadata '{KEY}' has no version")
        if version > VERSION:
            raise UnsupportedFileError(
                f"'{path}' was written by a newer Pruneapp, in version {version:,} of its layout "
                f"(this one reads version {VERSION}).",
                remedy="Get the newest version of Pruneapp.",
            )

    def damaged(self, what: str) -> DamagedFileError:
        """Return the error that says what is wrong."""
        return DamagedFileError(
            f"'{self._path}' is not a valid file of Pruneapp: {what}.",
            remedy="Download or save it again.",
        )

    def stored(self, name: str, dtype: str) -> RawTensor:
        """Return what the container holds under a name, of a type; offsets are of the file."""
        tensor = self._stored.get(name)
        if tensor is None:
            raise self.damaged(f"it lacks '{show(name)}'")
        if tensor[1] != dtype:
            raise self.damaged(f"'{show(name)}' is of type {tensor[1]}, not {dtype}")
        return tensor

    def get(self, name: str) -> RawTensor | None:
        """Return what the container holds under a name, if anything; offsets are of the file."""
        return self._stored.get(name)

    def shape(self, name: str, extents: Any) -> tuple[int, ...]:
        """Return a shape, checked."""
        if (
            type(extents) is not list
            or len(extents) > MAX_RANK
            or not all(type(extent) is int and 0 <= extent < 1 << 63 for extent in extents)
        ):
            raise self.damaged(f"'{show(name)}' has no sound shape")
        # An extent of 0 must not hide the others.
        if math.prod(extent or 1 for extent in extents) >= 1 << 63:
            raise self.damaged(f"'{show(name)}' has more than 2^63 elements")
        return tuple(extents)
