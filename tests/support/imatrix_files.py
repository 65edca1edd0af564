"""Imatrix files of llama.cpp, byte by byte: GGUF, and the three kinds of ``.dat``."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


KEYS: Sequence[bytes] = (
    text("general.type") + struct.pack("<I", 8) + text("imatrix"),
    text("imatrix.datasets") + struct.pack("<IIQ", 9, 8, 1) + text("wiki.txt"),
    text("imatrix.chunk_count") + struct.pack("<II", 4, 7),
    text("imatrix.flags") + struct.pack("<IIQ", 9, 7, 3) + b"\0\1\0",
)


def gguf(
    tensors: Mapping[str, np.ndarray],
    keys: Sequence[bytes] = KEYS,
    *,
    version: int = 3,
    alignment: int = 32,
    kinds: Mapping[str, int] | None = None,
) -> bytes:
    """Return a GGUF file; dimensions are stored innermost first."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys)) + b"".join(keys)
    data = b""
    for name, array in tensors.items():
        values = np.ascontiguousarray(array, "<f4")
        head += text(name) + struct.pack("<I", array.ndim)
        head += b"".join(struct.pack("<Q", n) for n in array.shape[::-1])
        head += struct.pack("<IQ", (kinds or {}).get(name, 0), len(data))
        data += values.tobytes()
        data += b"\0" * (-len(data) % alignment)
    return head + b"\0" * (-len(head) % alignment) + data


def dat(
    entries: Mapping[str, tuple[int, np.ndarray]], dataset: str | None = None, chunks: int = 5
) -> bytes:
    """Return a ``.dat`` file; without `dataset` of the first kind, which has no trailer."""
    found = struct.pack("<i", len(entries))
    for name, (calls, values) in entries.items():
        raw = np.ascontiguousarray(values, "<f4").reshape(-1)
        found += struct.pack("<i", len(name)) + name.encode()
        found += struct.pack("<ii", calls, raw.size) + raw.tobytes()
    if dataset is not None:
        found += struct.pack("<ii", chunks, len(dataset)) + dataset.encode()
    return found
