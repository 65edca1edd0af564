"""Decode weights that llama.cpp has quantized in blocks.

Layouts are the structs of ggml-common.h, formulas those of ``dequantize_row_*`` in ggml-quants.c,
with the same operations in the same order, so that the results are bit-identical in float32. The
values are used for views and statistics only; this module does not quantize.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.io.derived_source import fill_from_blocks
from pruneapp.checkpoint.io.source import ByteSource

Blocks = NDArray[Any]
Values = NDArray[np.float32]

# Maximum number of weights decoded at a time.
_MOST_WEIGHTS = 1 << 18
_NIBBLES = np.array([0, 4], np.uint8)
_PAIRS = np.array([0, 2, 4, 6], np.uint8)
_IQ4 = np.array(
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float32
)
# Twice the values of e2m1.
_E2M1 = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.float32)


def _column(field: NDArray[np.float16]) -> Values:
    """Return one scale per block as a float32 column."""
    return field.astype(np.float32)[:, np.newaxis]


def _nibbles(qs: NDArray[np.uint8], group: int) -> NDArray[np.uint8]:
    """Unpack 4-bit integers: for each `group` bytes first all low halves, then all high halves."""
    parts = qs.reshape(len(qs), -1, 1, group) >> _NIBBLES[:, np.newaxis]
    return (parts & np.uint8(15)).reshape(len(qs), -1)


def _pairs(qs: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Unpack 2-bit integers: for each 32 bytes the lowest pairs of bits first."""
    parts = qs.reshape(len(qs), -1, 1, 32) >> _PAIRS[:, np.newaxis]
    return (parts & np.uint8(3)).reshape(len(qs), -1)


def _bits(qh: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Unpack single bits: for each 32 bytes the lowest bits first."""
    parts = qh.reshape(len(qh), -1, 1, 32) >> np.arange(8, dtype=np.uint8)[:, np.newaxis]
    return (parts & np.uint8(1)).reshape(len(qh), -1)


def _fifth_bits(qh: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the fifth bit of each weight of a block of Q5_0 or Q5_1, as 0 or 16."""
    return np.unpackbits(qh, axis=1, bitorder="little") << np.uint8(4)


def _per_group(scales: Values, q: Values) -> Values:
    """Multiply each group of a block by its scale."""
    groups = q.reshape(len(q), scales.shape[1], -1)
    return (scales[:, :, np.newaxis] * groups).reshape(len(q), -1)


def _q4_0(b: Blocks) -> Values:
    return _column(b["d"]) * (_nibbles(b["qs"], 16).astype(np.float32) - np.float32(8))


def _q4_1(b: Blocks) -> Values:
    return _column(b["d"]) * _nibbles(b["qs"], 16).astype(np.float32) + _column(b["m"])


def _q5_0(b: Blocks) -> Values:
    q = (_nibbles(b["qs"], 16) | _fifth_bits(b["qh"])).astype(np.float32)
    return _column(b["d"]) * (q - np.float32(16))


def _q5_1(b: Blocks) -> Values:
    q = (_nibbles(b["qs"], 16) | _fifth_bits(b["qh"])).astype(np.float32)
    return _column(b["d"]) * q + _column(b["m"])


def _q8_0(b: Blocks) -> Values:
    return b["qs"].astype(np.float32) * _column(b["d"])


def _q2_k(b: Blocks) -> Values:
    scales = _column(b["d"]) * (b["scales"] & np.uint8(15)).astype(np.float32)
    minima = _column(b["dmin"]) * (b["scales"] >> np.uint8(4)).astype(np.float32)
    scaled = _per_group(scales, _pairs(b["qs"]).astype(np.float32))
    return scaled - np.repeat(minima, 16, axis=1)


def _q3_k(b: Blocks) -> Values:
    """Return the weights of blocks of Q3_K, of shape (blocks, 256)."""
    raw = b["scales"]
    low = (raw[:, np.newaxis, :8] >> _NIBBLES[:, np.newaxis]).reshape(len(b), 16) & np.uint8(15)
    high = (raw[:, np.newaxis, 8:] >> _PAIRS[:, np.newaxis]).reshape(len(b), 16) & np.uint8(3)
    scales = (low | high << np.uint8(4)).astype(np.float32) - np.float32(32)
    # A set bit means no offset.
    offset = (_bits(b["hmask"]) ^ np.uint8(1)).astype(np.float32) * np.float32(4)
    return _per_group(_column(b["d"]) * scales, _pairs(b["qs"]).astype(np.float32) - offset)


def _scales_and_minima(b: Blocks) -> tuple[Values, Values]:
    """Return the scales and minima of the eight groups per block of Q4_K or Q5_K, 6 bits each.

    Both are of shape (blocks, 8) and multiplied by the scales of the blocks.
    """
    parts = b["scales"].reshape(len(b), 3, 4)
    d, m, mixed = parts[:, 0], parts[:, 1], parts[:, 2]
    scales = (d & 63, (mixed & 15) | (d >> 2 & 48))
    minima = (m & 63, (mixed >> 4) | (m >> 2 & 48))
    return (
        _column(b["d"]) * np.concatenate(scales, axis=1).astype(np.float32),
        _column(b["dmin"]) * np.concatenate(minima, axis=1).astype(np.float32),
    )


def _q4_k(b: Blocks) -> Values:
    scales, minima = _scales_and_minima(b)
    scaled = _per_group(scales, _nibbles(b["qs"], 32).astype(np.float32))
    return scaled - np.repeat(minima, 32, axis=1)


def _q5_k(b: Blocks) -> Values:
    scales, minima = _scales_and_minima(b)
    q = _nibbles(b["qs"], 32) | _bits(b["qh"]) << np.uint8(4)
    return _per_group(scales, q.astype(np.float32)) - np.repeat(minima, 32, axis=1)


def _q6_k(b: Blocks) -> Values:
    q = (_nibbles(b["ql"], 64) | _pairs(b["qh"]) << np.uint8(4)).astype(np.float32)
    return _per_group(_column(b["d"]) * b["scales"].astype(np.float32), q - np.float32(32))


def _iq4_nl(b: Blocks) -> Values:
    return _column(b["d"]) * _IQ4[_nibbles(b["qs"], 16)]


def _iq4_xs(b: Blocks) -> Values:
    low = (b["scales_l"][:, :, np.newaxis] >> _NIBBLES).reshape(len(b), 8) & np.uint8(15)
    shifts = np.arange(0, 16, 2, dtype=np.uint16)
    high = (b["scales_h"][:, np.newaxis] >> shifts).astype(np.uint8) & np.uint8(3)
    scales = (low | high << np.uint8(4)).astype(np.float32) - np.float32(32)
    return _per_group(_column(b["d"]) * scales, _IQ4[_nibbles(b["qs"], 16)])


def _mxfp4(b: Blocks) -> Values:
    # Half of 2^(e - 127), because the values are doubled.
    e = b["e"].astype(np.uint32)
    bits = np.where(e < 2, np.uint32(0x0020_0000) << e, (e - np.uint32(1)) << np.uint32(23))
    return bits.view(np.float32)[:, np.newaxis] * _E2M1[_nibbles(b["qs"], 16)]


# The fields of a block, and the function that decodes blocks.
_LAYOUTS: dict[str, tuple[list[tuple[Any, ...]], Callable[[Blocks], Values]]] = {
    "Q4_0": ([("d", "<f2"), ("qs", "u1", 16)], _q4_0),
    "Q4_1": ([("d", "<f2"), ("m", "<f2"), ("qs", "u1", 16)], _q4_1),
    "Q5_0": ([("d", "<f2"), ("qh", "u1", 4), ("qs", "u1", 16)], _q5_0),
    "Q5_1": ([("d", "<f2"), ("m", "<f2"), ("qh", "u1", 4), ("qs", "u1", 16)], _q5_1),
    "Q8_0": ([("d", "<f2"), ("qs", "i1", 32)], _q8_0),
    "Q2_K": ([("scales", "u1", 16), ("qs", "u1", 64), ("d", "<f2"), ("dmin", "<f2")], _q2_k),
    "Q3_K": ([("hmask", "u1", 32), ("qs", "u1", 64), ("scales", "u1", 12), ("d", "<f2")], _q3_k),
    "Q4_K": ([("d", "<f2"), ("dmin", "<f2"), ("scales", "u1", 12), ("qs", "u1", 128)], _q4_k),
    "Q5_K": (
        [("d", "<f2"), ("dmin", "<f2"), ("scales", "u1", 12), ("qh", "u1", 32), ("qs", "u1", 128)],
        _q5_k,
    ),
    "Q6_K": ([("ql", "u1", 128), ("qh", "u1", 64), ("scales", "i1", 16), ("d", "<f2")], _q6_k),
    "IQ4_NL": ([("d", "<f2"), ("qs", "u1", 16)], _iq4_nl),
    "IQ4_XS": (
        [("d", "<f2"), ("scales_h", "<u2"), ("scales_l", "u1", 4), ("qs", "u1", 128)],
        _iq4_xs,
    ),
    "MXFP4": ([("e", "u1"), ("qs", "u1", 16)], _mxfp4),
}
_DTYPES = {name: np.dtype(fields) for name, (fields, _) in _LAYOUTS.items()}


def dequantize(raw: NDArray[np.uint8], name: str) -> Values:
    """Return the weights of whole blocks as float32, 1-D.

    Scales of a damaged file result in NaN or infinity without a warning. Raises `KeyError` for
    other types and `ValueError` for a part of a block.

    Parameters
    ----------
    raw
        The bytes of the blocks, 1-D and contiguous.
    name
        The name of a decoded type, as in `DTYPES`.
    """
    blocks = raw.view(_DTYPES[name])
    with np.errstate(all="ignore"):  # scales of a damaged file can be any value
        return _LAYOUTS[name][1](blocks).reshape(-1)


class BlockSegment:
    """The weights of a quantized tensor as float32, as a `Segment`.

    `offset` is the offset of its blocks in `source`; `numel` must be a multiple of the block size.
    """

    def __init__(self, source: ByteSource, offset: int, dtype: DType, numel: int) -> None:
        assert dtype.block is not None
        self._source = source
        self._offset = offset
        self._name = dtype.name
        self._weights, self._bytes = dtype.block
        self.size = dtype.nbytes(numel)

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` with decoded weights from byte `offset` on."""
        most = _MOST_WEIGHTS // self._weights
        fill_from_blocks(view, offset, 4 * self._weights, self._decode, most)

    def _decode(self, first: int, last: int) -> memoryview:
        raw = np.empty((last - first) * self._bytes, np.uint8)
        self._source.read_into(self._offset + first * self._bytes, raw.data)
        return dequantize(raw, self._name).view(np.uint8).data
