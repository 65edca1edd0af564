"""A checkpoint in memory, for tests of modules that use readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import ml_dtypes  # noqa: F401 - numpy learns the names of its types
import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.contents import Contents
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.elements import Bits, RawChunk
from pruneapp.checkpoint.entry import Location, TensorEntry

BY_NUMPY = {d.numpy: d for d in DTYPES.values() if d.numpy and not d.block}


def entry_of(name: str, array: np.ndarray, **facts) -> TensorEntry:
    """Return the entry that a reader would create, with the annotation that tests need."""
    dtype = BY_NUMPY[str(array.dtype)]
    facts = {"dtype": dtype, "why_not": dtype.why_not, **facts}
    return TensorEntry(name, array.shape, location=Location(0, 0), **facts)


class MemoryCheckpoint(Checkpoint):
    """A checkpoint of arrays by name; `chunk` is the number of elements per chunk.

    Like the real reader it reuses one buffer, so that tests detect code that keeps or changes
    chunks.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray], *, chunk: int = 1000, **entries):
        self.arrays = {name: np.asarray(array) for name, array in arrays.items()}
        self.chunk = chunk
        self.elements_read = 0
        self.verified = 0
        made = tuple(
            entry_of(name, array, **entries.get(name, {})) for name, array in self.arrays.items()
        )
        super().__init__(
            Path("memory.safetensors"), Contents("safetensors", "memory", made, {}), ()
        )

    def _flat(self, name: str) -> Bits:
        array = self.arrays[self.entry(name).name]
        return np.ascontiguousarray(array).reshape(-1).view(self.entry(name).dtype.storage)

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        flat = self._flat(name)
        stop = flat.size if stop is None else stop
        size = size or self.chunk
        buffer = np.empty(size, flat.dtype)
        for first in range(start, stop, size):
            piece = flat[first : min(first + size, stop)]
            buffer[:] = 0xA5
            buffer[: piece.size] = piece
            self.elements_read += piece.size
            view = buffer[: piece.size]
            view.flags.writeable = False
            yield RawChunk(first, view)

    def bits(self, name: str, start: int = 0, stop: int | None = None) -> Bits:
        piece = self._flat(name)[start:stop].copy()
        self.elements_read += piece.size
        return piece

    def bits_joined(self, names: Sequence[str]) -> Bits:
        return np.concatenate([self.bits(name) for name in names])

    def verify_unchanged(self) -> None:
        self.verified += 1
