"""Read bit-packed weights of compressed-tensors and bit-packed masks as dense tensors.

A weight ``P.weight`` that compressed-tensors packed before version 0.15 is stored as ``P.shape``
(its extents), ``P.bitmask`` (for each row one bit per column, the lowest bit of a byte first, rows
padded to whole bytes) and ``P.compressed`` (the values of the set bits, row by row).
``sparse-bitmask`` also stores ``P.row_offsets``, which is redundant; ``sparse-24-bitmask`` does
not. Current programs do not unpack these: vLLM raises an error, and transformers loads such a
folder with random weights.

Masks of Pruneapp are presented as boolean tensors with the names ``NAME_mask``.
"""

from __future__ import annotations

import math
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.contents import Notice, ReadResult
from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.formats.compact_codec import KEY, CompactLayout
from pruneapp.checkpoint.formats.headers import Header, RawTensor, show
from pruneapp.checkpoint.io.derived_source import RawSegment, Unpacked, fill_from_blocks
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import DamagedFileError
from pruneapp.progress import CancelToken

_PARTS = ("shape", "bitmask", "compressed")
_MAX_DIMS = 8
# Maximum number of elements unpacked at a time, in whole rows.
_MAX_ELEMENTS = 1 << 20


_NOTICE = Notice(
    "Weights of this model were packed by compressed-tensors, in a way that no current program "
    "unpacks. Exports are unpacked: then remove 'quantization_config' from config.json."
)


@dataclass(eq=False)
class BitmaskSegment:
    """The elements of a weight, unpacked row by row when they are read."""

    file: FileSource
    name: str
    dtype: DType
    shape: tuple[int, ...]
    bitmask: int  # offset of its bitmask in the file
    compressed: int  # offset of its values
    kept: int  # number of values

    def __post_init__(self) -> None:
        self._words = np.dtype(self.dtype.storage)
        self._starts: NDArray[np.int64] | None = None
        self._columns = self.shape[-1]
        self._row_bytes = (self._columns + 7) // 8
        self.size = math.prod(self.shape) * self._words.itemsize

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` with unpacked bytes from `offset` on."""
        most = max(1, _MAX_ELEMENTS // self._columns)
        fill_from_blocks(view, offset, self._columns * self._words.itemsize, self._rows, most)

    def _rows(self, first: int, last: int) -> memoryview:
        """Return the unpacked bytes of the rows `first` to `last` (exclusive)."""
        starts = self._read_starts()
        begin, end = int(starts[first]), int(starts[last])
        values = np.empty(end - begin, self._words)
        start = self.compressed + begin * self._words.itemsize
        if values.size:
            self.file.read_into(start, values.view(np.uint8).data)
        out = np.zeros((last - first, self._columns), self._words)
        bits = np.unpackbits(self._bits(first, last), axis=1, bitorder="little")
        out[bits[:, : self._columns].view(np.bool_)] = values
        return out.reshape(-1).view(np.uint8).data

    def _bits(self, first: int, last: int) -> NDArray[np.uint8]:
        bits = np.empty((last - first, self._row_bytes), np.uint8)
        self.file.read_into(self.bitmask + first * self._row_bytes, bits.reshape(-1).data)
        if rest := self._columns % 8:
            bits[:, -1] &= (1 << rest) - 1
        return bits

    def _read_starts(self) -> NDArray[np.int64]:
        """Return the index of the first value of each row, and the number of values.

        Computed once from the bitmask and cached. Raises `DamagedFileError` if the bitmask is for
        another number of values.
        """
        if self._starts is None:
            rows = math.prod(self.shape[:-1])
            starts = np.zeros(rows + 1, np.int64)
            most = max(1, _MAX_ELEMENTS // self._row_bytes)
            for first in range(0, rows, most):
                last = min(first + most, rows)
                counts = np.bitwise_count(self._bits(first, last)).sum(axis=1, dtype=np.int64)
                starts[first + 1 : last + 1] = counts
            np.cumsum(starts, out=starts)
            if starts[-1] != self.kept:
                raise DamagedFileError(
                    f"'{self.file.path}' is damaged: the bitmask of '{show(self.name)}' "
                    f"is for {starts[-1]:,} values, but the file contains {self.kept:,}.",
                    remedy="Download or copy it again.",
                )
            self._starts = starts
        return self._starts


def packed_names(header: Header, cancel: CancelToken) -> frozenset[str]:
    """Return the modules whose weights compressed-tensors packed in a safetensors file.

    These have all three parts and no tensor ``weight``.
    """
    bitmasks = [t[0] for t in cancel.each(header.tensors) if t[0].endswith(".bitmask")]
    if not bitmasks:
        return frozenset()
    names = {tensor[0] for tensor in cancel.each(header.tensors)}
    prefixes = (name.removesuffix(".bitmask") for name in cancel.each(bitmasks))
    return frozenset([prefix for prefix in prefixes if _is_packed(prefix, names)])


def _is_packed(prefix: str, names: set[str]) -> bool:
    return all(f"{prefix}.{part}" in names for part in _PARTS) and f"{prefix}.weight" not in names


def read(
    header: Header, start: int, source: FileSource, packed: AbstractSet[str], cancel: CancelToken
) -> ReadResult:
    """Return the tensors of a file with packed weights, and its single source.

    Weights are presented as ``P.weight`` in the place of their values, and their parts are listed
    in `Contents.stored_as`. `packed` is the result of `packed_names`, `start` the offset of the
    data. Raises `DamagedFileError` if a packed weight is invalid.
    """
    stored = {tensor[0]: tensor for tensor in header.tensors}
    unpacked = Unpacked(source)
    stored_as: dict[str, str] = {}
    for name, dtype, shape, begin, end in cancel.each(header.tensors):
        prefix, _, part = name.rpartition(".")
        if prefix in packed and part in {*_PARTS, "row_offsets"}:
            stored_as[name] = f"{prefix}.weight"
            if part == "compressed":
                weight = _weight(prefix, stored, start, source)
                unpacked.add(weight.name, weight.dtype, weight.shape, weight)
        else:
            raw = RawSegment(source, start + begin, end - begin)
            unpacked.add(name, DTYPES[dtype], shape, raw)
    label = "safetensors, packed by compressed-tensors"
    contents, joined = unpacked.contents("safetensors", label, header.metadata, cancel)
    return replace(contents, notices=(_NOTICE,), stored_as=stored_as), (joined,)


def _weight(
    prefix: str, stored: dict[str, RawTensor], start: int, source: FileSource
) -> BitmaskSegment:
    """Return the segment of the packed weight of the module `prefix`; reads its shape.

    `stored` has the tensors of the file by name, `start` is the offset of the data. Raises
    `DamagedFileError` if shape, bitmask or type is invalid.
    """
    _, kind, extents, begin, end = stored[f"{prefix}.shape"]
    if kind != "I64" or not 0 < math.prod(extents) <= _MAX_DIMS:
        raise _damage_error(source, prefix, "its shape is not a list of a few whole numbers")
    raw = np.frombuffer(source.read(start + begin, end - begin), "<i8")
    shape = tuple(map(int, raw))
    _, kind, _, mask_begin, mask_end = stored[f"{prefix}.bitmask"]
    if min(shape) < 1 or math.prod(shape) >= 1 << 63:
        raise _damage_error(source, prefix, f"its shape is {list(shape)}")
    rows, row_bytes = math.prod(shape[:-1]), (shape[-1] + 7) // 8
    if kind != "U8" or mask_end - mask_begin != rows * row_bytes:
        raise _damage_error(source, prefix, f"its bitmask is not that of the shape {list(shape)}")
    _, dtype, extents, values, _ = stored[f"{prefix}.compressed"]
    if DTYPES[dtype].packed:
        raise _damage_error(source, prefix, f"its numbers are of type {dtype}")
    kept = math.prod(extents)
    offsets = start + mask_begin, start + values
    return BitmaskSegment(source, f"{prefix}.weight", DTYPES[dtype], shape, *offsets, kept)


def _damage_error(source: FileSource, prefix: str, what: str) -> DamagedFileError:
    return DamagedFileError(
        f"'{source.path}' contains '{show(prefix)}.weight' packed by compressed-tensors, but "
        f"{what}.",
        remedy="Download or save it again.",
    )


SUFFIX = "_mask"


class BitsSegment:
    """Bits of a file as bytes: 1 means kept, 0 means pruned.

    Covers `size` bits from byte `offset` of the file on, the lowest bit of a byte first.
    """

    def __init__(self, file: FileSource, offset: int, size: int) -> None:
        self._file = file
        self._offset = offset
        self.size = size

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` with the bits from `offset` on, one byte each."""
        first, last = offset // 8, (offset + len(view) + 7) // 8
        packed = np.empty(last - first, np.uint8)
        self._file.read_into(self._offset + first, packed.data)
        bits = np.unpackbits(packed, bitorder="little")
        skip = offset - 8 * first
        np.frombuffer(view, np.uint8)[:] = bits[skip : skip + len(view)]


def read_masks(header: Header, start: int, source: FileSource, cancel: CancelToken) -> ReadResult:
    """Return the masks of a mask file as boolean tensors ``NAME_mask``, and its single source.

    `start` is the offset of the data. Raises `DamagedFileError` if the file is invalid, or
    `UnsupportedFileError` for a newer version.
    """
    layout = CompactLayout(header, str(source.path), start)
    shapes = layout.tree.get("shapes")
    if type(shapes) is not dict:
        raise layout.damage_error("its metadata lists no shapes")
    unpacked = Unpacked(source)
    for name, extents in shapes.items():
        shape = layout.shape(name, extents)
        _, _, _, begin, end = layout.stored(name + SUFFIX, "U8")
        numel = math.prod(shape)
        if end - begin != (numel + 7) // 8:
            raise layout.damage_error(
                f"'{name + SUFFIX}' has {end - begin:,} bytes, not one bit for each of {numel:,}"
            )
        unpacked.add(name + SUFFIX, DTYPES["BOOL"], shape, BitsSegment(source, begin, numel))
    metadata = {k: text for k, text in header.metadata.items() if k != KEY}
    contents, joined = unpacked.contents("masks", "masks of Pruneapp", metadata, cancel)
    return contents, (joined,)
