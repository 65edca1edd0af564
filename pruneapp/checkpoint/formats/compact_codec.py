"""The layouts that Pruneapp stores in safetensors files: their metadata and the compact encoding.

A compact tensor is divided into frames of up to 2^18 elements that can be decoded independently. A
frame contains the bitmask of the nonzero elements, then the first bytes of all nonzero elements,
then their second bytes, and so on: bytes at the same position are similar, above all those with the
exponent, and compress better together. Each of these parts is compressed by zstd with a checksum,
so that a flipped bit on a disk raises an error. "Nonzero" refers to the bits: -0.0 is stored
unchanged.

A row of the index contains the number of nonzero elements and the size of each part in bytes. The
mask is omitted (0 bytes) if no element is 0, and all parts are omitted if all elements are 0.
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

# Number of elements. Larger frames hardly reduce the file size, and reading a few weights takes the
# time to decode one frame.
FRAME = 1 << 18
LEVEL = 3
# Size of the checksum after each zstd frame: the low half of the XXH64 of the content (RFC 8878,
# 3.1.1).
CHECKSUM = 4


class FrameError(ValueError):
    """A frame whose content contradicts its index."""


def columns(itemsize: int) -> int:
    """Return the number of columns of the index for elements of `itemsize` bytes."""
    return 2 + itemsize


def encode(words: Bits) -> tuple[list[int], list[bytes]]:
    """Encode up to `FRAME` elements.

    Returns the row of the index and the compressed parts, to be stored one after another: the mask,
    unless no element is 0, then one part per byte of an element. Without nonzero elements the row
    is all 0 and there are no parts. The result is deterministic for the same elements and version
    of zstd.
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
    """Decode a frame into `out`, whose size must be the number of elements of the frame.

    `data` are the stored parts of the frame, `row` its row of the index. Raises `FrameError` if the
    content contradicts `row`; `out` may be changed then.
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
    for position, nbytes in enumerate(lengths):
        octets[:, position] = _inflate(data[offset : offset + nbytes], kept)
        offset += nbytes
    if mask_bytes:
        packed = _inflate(data[:mask_bytes], (out.size + 7) // 8)
        nonzero = np.unpackbits(packed, count=out.size, bitorder="little").view(np.bool_)
        if np.count_nonzero(nonzero) != kept:
            raise FrameError
        out[:] = 0
        out[nonzero] = values


def _inflate(data: memoryview, size: int) -> NDArray[np.uint8]:
    """Decompress `data`, a zstd frame of `size` bytes, into a new read-only array.

    Raises `FrameError` if it has another size or is damaged.
    """
    import zstandard

    try:
        # Checked before allocating the size that a damaged frame declares.
        if zstandard.frame_content_size(data) != size:
            raise FrameError
        unpacked = _local.decompressor.decompress(data)
    except zstandard.ZstdError:
        raise FrameError from None
    if len(unpacked) != size:
        raise FrameError
    return np.frombuffer(unpacked, np.uint8)


def bound(size: int) -> int:
    """Return the maximum size of `size` bytes compressed (``ZSTD_compressBound``, checksum)."""
    small = ((128 << 10) - size) >> 11 if size < 128 << 10 else 0
    return size + (size >> 8) + small + CHECKSUM


class _ThreadLocal(threading.local):
    """Compressors per thread: they are not thread-safe, and slower to create than a frame."""

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
    """Return the Pruneapp layout of a safetensors file (`MASKS` or `COMPACT`), or an empty text."""
    name = metadata.get("format", "")
    return name if name in {MASKS, COMPACT} and KEY in metadata else ""


class CompactLayout:
    """The tensors and the metadata of a safetensors file that has a Pruneapp layout.

    `start` is the offset of the tensor data in the file.

    Raises
    ------
    DamagedFileError
        If the metadata is invalid.
    UnsupportedFileError
        If a newer version of the layout was used.
    """

    def __init__(self, header: Header, path: str, start: int) -> None:
        """Parse the JSON in the metadata of `header` under `KEY` into `tree`.

        `path` is for messages. The metadata must have that key.
        """
        self._path = path
        self._stored: dict[str, RawTensor] = {
            name: (name, dtype, shape, start + begin, start + end)
            for name, dtype, shape, begin, end in header.tensors
        }
        try:
            self.tree = load_object(header.metadata[KEY])
        except JsonError as error:
            raise self.damage_error(f"in its metadata '{KEY}', {error.what}") from None
        version = self.tree.get("version")
        if type(version) is not int or version < 1:
            raise self.damage_error(f"its metadata '{KEY}' has no version")
        if version > VERSION:
            raise UnsupportedFileError(
                f"'{path}' was written by a newer Pruneapp, in version {version:,} of its layout "
                f"(this one reads version {VERSION}).",
                remedy="Get the newest version of Pruneapp.",
            )

    def damage_error(self, what: str) -> DamagedFileError:
        """Return the error for an invalid file; `what` is a clause that describes the violation."""
        return DamagedFileError(
            f"'{self._path}' is not a valid file of Pruneapp: {what}.",
            remedy="Download or save it again.",
        )

    def stored(self, name: str, dtype: str) -> RawTensor:
        """Return the stored tensor of a name and dtype, with offsets relative to the file.

        Raises `DamagedFileError` if there is none, or it has another dtype.
        """
        tensor = self._stored.get(name)
        if tensor is None:
            raise self.damage_error(f"it lacks '{show(name)}'")
        if tensor[1] != dtype:
            raise self.damage_error(f"'{show(name)}' is of type {tensor[1]}, not {dtype}")
        return tensor

    def get(self, name: str) -> RawTensor | None:
        """Return the stored tensor of a name, with offsets relative to the file, or None."""
        return self._stored.get(name)

    def shape(self, name: str, extents: Any) -> tuple[int, ...]:
        """Return `extents` as a shape. Raise `DamagedFileError` if it is not a valid shape.

        Valid are lists of at most 64 integers from 0, with fewer than 2^63 elements. `name` is that
        of the tensor, for the message.
        """
        if (
            type(extents) is not list
            or len(extents) > MAX_RANK
            or not all(type(extent) is int and 0 <= extent < 1 << 63 for extent in extents)
        ):
            raise self.damage_error(f"'{show(name)}' has no valid shape")
        # Extents of 0 are ignored, so that they do not hide too large ones.
        if math.prod(extent or 1 for extent in extents) >= 1 << 63:
            raise self.damage_error(f"'{show(name)}' has more than 2^63 elements")
        return tuple(extents)
