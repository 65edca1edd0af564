"""Weights distributed like those of models, and files of them."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np

Shapes = dict[str, tuple[int, ...]]


def values(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return ``float32`` weights of a tensor: normal, each output channel with its own scale.

    Scales differ by about a fifth, so that no two channels have norms so close that the order of
    summation decides which is larger.
    """
    rng = np.random.default_rng([*name.encode()])
    if len(shape) < 2:
        return (1 + 0.1 * rng.standard_normal(shape, np.float32)).astype(np.float32)
    rows = rng.standard_normal((shape[0], int(np.prod(shape[1:]))), np.float32)
    rows *= (0.02 * np.exp(0.2 * rng.standard_normal((shape[0], 1)))).astype(np.float32)
    return rows.reshape(shape)


def as_bfloat16(array: np.ndarray) -> np.ndarray:
    """Round ``float32`` to the nearest bfloat16, ties to even; return the bits as ``uint16``."""
    bits = array.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def as_float64(array: np.ndarray) -> np.ndarray:
    """Convert ``float32`` to ``float64``, with random low bits."""
    wide = array.astype(np.float64)
    bits = wide.view(np.uint64)
    bits |= np.random.default_rng(64).integers(0, 1 << 29, bits.shape, np.uint64)
    return wide


# By name in safetensors: the element size in bytes, and the conversion from float32.
DTYPES: dict[str, tuple[int, Callable[[np.ndarray], np.ndarray]]] = {
    "F64": (8, as_float64),
    "F32": (4, lambda array: array),
    "F16": (2, lambda array: array.astype(np.float16)),
    "BF16": (2, as_bfloat16),
}


def write_safetensors(
    path: Path, shapes: Shapes, dtype: str, read: Callable[[str], np.ndarray] | None
) -> None:
    """Write a safetensors file, tensor by tensor.

    `read` returns ``float32`` weights, or elements of any other type that are written unchanged. If
    it is None, the data is a hole in the file, which reads as zeros.
    """
    size, convert = DTYPES[dtype]
    header, offset = {}, 0
    for name, shape in shapes.items():
        nbytes = size * int(np.prod(shape))
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + nbytes]}
        offset += nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    part = path.with_suffix(".part")
    with part.open("wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        if read is None:
            stream.truncate(stream.tell() + offset)
        for name in shapes if read is not None else ():
            array = np.ascontiguousarray(read(name))
            if array.dtype == np.float32:
                array = convert(array)
            stream.write(memoryview(array.reshape(-1)).cast("B"))
    part.rename(path)
