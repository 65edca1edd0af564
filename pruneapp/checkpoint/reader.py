"""Opening a checkpoint and reading its tensors by position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.source import ByteSource
from pruneapp.errors import CheckpointError, UnknownTensorError
from pruneapp.progress import Job

if TYPE_CHECKING:
    import torch

# Chunks stay in the cache of a core: counting 64 M weights took a tenth of the time of one pass
# over the whole tensor at once.
CHUNK_BYTES = 1 << 22

Bits = NDArray[np.unsignedinteger]


@dataclass(frozen=True, eq=False)
class RawChunk:
    """Some elements of a tensor, as they stand in the file.

    Attributes
    ----------
    start
        Flat index of the first element, in C order.
    bits
        The elements, 1-D, as ``uint8`` to ``uint64`` in the byte order of this machine. Valid
        until the next chunk is asked for: the buffer is used again.
    """

    start: int
    bits: Bits


@dataclass(frozen=True)
class Notice:
    """Something about a file that the person should know, shown as a bar above the picture.

    Attributes
    ----------
    text
        One or two sentences.
    details
        More, to be shown and copied on request.
    """

    text: str
    details: str = ""


@dataclass(frozen=True)
class StateDict:
    """One of several dicts of tensors in a file.

    Attributes
    ----------
    key
        The outer keys that lead to it, joined by dots; empty for the outermost.
    tensors
        How many tensors it holds.
    numel
        How many numbers these hold.
    """

    key: str
    tensors: int
    numel: int


@dataclass(frozen=True)
class Contents:
    """What a reader found in the headers of a file.

    Attributes
    ----------
    format
        A word for the format: ``safetensors``, ``torch``, ``torch-legacy``.
    label
        The format as people call it.
    entries
        The tensors, in the order of the file.
    metadata
        Text that the file keeps beside its tensors.
    notices
        What the person should know.
    state_dicts
        The dicts that hold tensors, the largest first; one if there is no choice.
    state_dict
        The key of the chosen one.
    unknown_globals
        Names of code that the file would run if it were loaded by torch, and that are not on our
        list of harmless ones.
    """

    format: str
    label: str
    entries: tuple[TensorEntry, ...]
    metadata: Mapping[str, str]
    notices: tuple[Notice, ...] = ()
    state_dicts: tuple[StateDict, ...] = ()
    state_dict: str = ""
    unknown_globals: tuple[str, ...] = ()


class Checkpoint:
    """An open checkpoint: its tensors by name, read by position when they are needed.

    Safe to read from several threads. Use it as a context manager, or call `close`.

    Parameters
    ----------
    path
        What was opened: a file, an index, or a folder.
    contents
        What the headers say.
    sources
        The files that `Location.source` counts.
    """

    def __init__(self, path: Path, contents: Contents, sources: Sequence[ByteSource]) -> None:
        self.path = path
        self.contents = contents
        self.sources = tuple(sources)
        self._entries = MappingProxyType({e.name: e for e in contents.entries})
        self._names = {name: e for e in contents.entries for name in e.names}

    @property
    def entries(self) -> Mapping[str, TensorEntry]:
        """The tensors in file order, each under its first name."""
        return self._entries

    @property
    def format(self) -> str:
        """A word for the format."""
        return self.contents.format

    @property
    def metadata(self) -> Mapping[str, str]:
        """Text that the file keeps beside its tensors."""
        return self.contents.metadata

    def entry(self, name: str) -> TensorEntry:
        """Return the tensor that has `name` among its names."""
        try:
            return self._names[name]
        except KeyError:
            raise UnknownTensorError(f"'{self.path}' holds no tensor named '{name}'.") from None

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield the elements `start` to `stop` (flat, C order) of a tensor, in order.

        Parameters
        ----------
        name
            Any of its names.
        start, stop
            Flat indices; all of it by default.
        size
            Elements a chunk; `CHUNK_BYTES` worth of them by default.
        """
        raise NotImplementedError

    def bits(self, name: str, start: int = 0, stop: int | None = None) -> Bits:
        """Return elements `start` to `stop` of a tensor as an array that owns its memory."""
        raise NotImplementedError

    def read(self, name: str, rows: slice | None = None) -> torch.Tensor:
        """Return a tensor, or some of its rows (dim 0), in memory of its own.

        Raises
        ------
        CheckpointError
            If torch has no such type, or the file cannot be read.
        """
        raise NotImplementedError

    def verify_unchanged(self) -> None:
        """Raise `FileChangedError` if a file is not the one that was opened."""
        for source in self.sources:
            source.verify_unchanged()

    def close(self) -> None:
        """Let go of the files."""
        for source in self.sources:
            source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def open_checkpoint(
    path: str | Path, *, state_dict: str | None = None, job: Job | None = None
) -> Checkpoint:
    """Open a checkpoint; reads headers only and never runs code from the file.

    Parameters
    ----------
    path
        A .safetensors file, a torch file (zip or the format before 1.6), an index.json of shards,
        or a folder of shards; recognised by content, never by name.
    state_dict
        The key of the state dict to choose where a file holds several; by default the one with
        the most numbers, exponential averages last.
    job
        Told the progress; may cancel.

    Raises
    ------
    CheckpointError
        In one sentence that names the file, the cause and the remedy.
    """
    raise CheckpointError("Not written yet.")
