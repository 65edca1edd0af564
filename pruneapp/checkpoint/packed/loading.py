"""Compact files as numpy arrays, for scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.packed.compact import FORMAT
from pruneapp.checkpoint.reader import open_checkpoint
from pruneapp.errors import UnsupportedFileError


class CompactFile(Mapping[str, NDArray[Any]]):
    """The tensors of a compact file by all their names, unpacked when they are asked for.

    Every look makes a new array, of numpy's type or of that of ml_dtypes (bfloat16 and float8);
    4 and 6 bit floats come as 1-D ``uint8``, as they lie in the file. A context manager.

    For torch, whose types numpy has not all, read the tensors directly::

        with pruneapp.open_checkpoint(path) as file:
            state_dict = {name: file.read(name) for name in file.entries}

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    CheckpointError
        If it cannot be opened, or is no compact file.
    """

    def __init__(self, path: str | Path) -> None:
        self._file = open_checkpoint(path)
        if self._file.format != FORMAT:
            label = self._file.contents.label
            self._file.close()
            raise UnsupportedFileError(
                f"'{path}' is not a compact file of Pruneapp ({label}).",
                remedy="Open it with pruneapp.open_checkpoint.",
            )
        self._names = tuple(n for e in self._file.entries.values() for n in e.names)

    @property
    def metadata(self) -> Mapping[str, str]:
        """Text that the original kept beside its tensors."""
        return self._file.metadata

    def __getitem__(self, name: str) -> NDArray[Any]:
        entry = self._file.entry(name)
        bits = self._file.bits(name)
        if not entry.dtype.numpy:
            return bits
        import ml_dtypes

        kind = getattr(ml_dtypes, entry.dtype.numpy, None) or entry.dtype.numpy
        return bits.view(np.dtype(kind)).reshape(entry.shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def load_compact(path: str | Path) -> CompactFile:
    """Open a compact file; a mapping from names to numpy arrays."""
    return CompactFile(path)
