"""A state without the units that were cut out of it: another checkpoint, read from the same file.

Nothing is held in memory: every piece is gathered from the source when it is asked for, and zeros
are struck where the state has them. So any export writes it as it writes any other state.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.contents import Shard
from pruneapp.checkpoint.elements import Bits, RawChunk
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats.shard_names import ShardName
from pruneapp.checkpoint.torchfile import LEGACY, ZIP
from pruneapp.export.records import CHUNK_BYTES, State
from pruneapp.groups.group import Units
from pruneapp.kernels.values import encode
from pruneapp.masks.bitmask import Mask
from pruneapp.shrink.cut import Cut, TensorCut

# The format of what is left of a torch file.
_CUT = "cut state dict"
# Elements of a row, up to which whole rows are read.
_ROW = 1 << 20
# Elements that are skipped rather than read.
_GAP = 1 << 16

Read = Callable[[TensorEntry, int, int], Bits]


class DerivedState(ABC):
    """A state of other tensors, made of files piece by piece; see `pruneapp.export.records.State`.

    It has no masks: zeros are values here.
    """

    checkpoint: Checkpoint

    @abstractmethod
    def gather(self, entry: TensorEntry, start: int, stop: int) -> Bits:
        """Return elements `start` to `stop` of a tensor, in memory of their own."""

    def mask(self, _name: str) -> Mask | None:
        """Return None."""
        return None

    def zeroed(self, _name: str) -> Mask | None:
        """Return None."""
        return None

    def replaces(self, _name: str) -> bool:
        """Say yes: nothing is where it was."""
        return True

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield the elements of a tensor."""
        entry = self.checkpoint.entry(name)
        total = entry.dtype.nbytes(entry.numel) if entry.dtype.packed else entry.numel
        stop = total if stop is None else stop
        size = size or CHUNK_BYTES // np.dtype(entry.dtype.storage).itemsize
        for first in range(start, stop, size):
            yield RawChunk(first, self.gather(entry, first, min(first + size, stop)))


class ShrunkState(DerivedState):
    """What is left of a state after a cut: tensors of their new names and shapes.

    Parameters
    ----------
    state
        The state before.
    cut
        What goes.
    biases
        New values of biases that took up the constants of units that went, by the names in the
        source.
    """

    def __init__(
        self, state: State, cut: Cut, biases: Mapping[str, NDArray[np.float64]] | None = None
    ) -> None:
        self._state = state
        self._biases = biases or {}
        self.cuts = tuple(cut.tensors(state.checkpoint))
        self._cut_of = {each.entry.name: each for each in self.cuts}
        self.checkpoint = _checkpoint_of(state.checkpoint, self.cuts)

    def gather(self, entry: TensorEntry, start: int, stop: int) -> Bits:
        """Return elements of a tensor, gathered from the source, with its zeros."""
        cut = self._cut_of[entry.name]
        bias = self._biases.get(cut.source.name)
        if bias is not None:
            return encode(bias[start:stop], entry.dtype)
        if not cut.kept:
            return self._read(cut.source, start, stop)
        return _gathered(cut, start, stop, self._read)

    def _read(self, entry: TensorEntry, start: int, stop: int) -> Bits:
        """Return elements of the source with its zeros, in memory of their own."""
        (chunk,) = self._state.chunks(entry.name, start, stop, stop - start)
        zeroed = self._state.zeroed(entry.name)
        if zeroed is not None:
            zeroed.zero(chunk.bits, chunk.start)
        return chunk.bits


def _gathered(cut: TensorCut, start: int, stop: int, read: Read) -> Bits:
    """Return elements `start` to `stop` of a tensor of which some entries went."""
    shape, last = cut.source.shape, max(cut.kept)
    kept, n, inner = cut.kept[last], shape[last], math.prod(shape[last + 1 :])
    if n * inner <= _ROW:
        length = kept.size * inner
        first = start // length
        shaped: tuple[int, ...] = (-1, n) if inner == 1 else (-1, n, inner)
        rows = _outer(cut, last, first, -(-stop // length))
        parts = [
            np.take(read(cut.source, a * n * inner, b * n * inner).reshape(shaped), kept, axis=1)
            for a, b in _runs(rows, 1)
        ]
        flat = _joined(parts)
        return flat[start - first * length : stop - first * length]
    first = start // inner
    numbers = np.arange(first, -(-stop // inner))
    outer = _outer(cut, last, first // kept.size, numbers[-1] // kept.size + 1)
    segments = outer[numbers // kept.size - first // kept.size] * n + kept[numbers % kept.size]
    if inner > _GAP:  # few and long: just what is asked for of each
        parts = []
        for number, segment in zip(numbers.tolist(), segments.tolist(), strict=True):
            a, b = max(start, number * inner), min(stop, (number + 1) * inner)
            shift = (segment - number) * inner
            parts.append(read(cut.source, a + shift, b + shift))
        return np.concatenate(parts)
    parts = []
    for a, b in _runs(segments, _GAP // inner):
        inside = segments[(segments >= a) & (segments < b)] - a
        span = read(cut.source, a * inner, b * inner).reshape(-1, inner)
        parts.append(np.take(span, inside, axis=0))
    flat = _joined(parts)
    return flat[start - first * inner : stop - first * inner]


def _joined(parts: list[Bits]) -> Bits:
    return (parts[0] if len(parts) == 1 else np.concatenate(parts)).reshape(-1)


def _outer(cut: TensorCut, last: int, first: int, stop: int) -> Units:
    """Return where indices over the dimensions before `last` are in the source."""
    numbers = np.arange(first, stop)
    if len(cut.kept) == 1:
        return numbers
    shape = cut.source.shape[:last]
    indices = np.unravel_index(numbers, cut.entry.shape[:last])
    there = [cut.kept[dim][at] if dim in cut.kept else at for dim, at in enumerate(indices)]
    return np.ravel_multi_index(tuple(there), shape)


def _runs(numbers: Units, gap: int) -> list[tuple[int, int]]:
    """Return runs of ascending numbers, as (first, behind the last); small gaps are filled."""
    breaks = np.flatnonzero(np.diff(numbers) > max(gap, 1)) + 1
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(numbers, breaks)]


def _checkpoint_of(source: Checkpoint, cuts: Sequence[TensorCut]) -> Checkpoint:
    """Return a checkpoint of the tensors that stay, as a folder; it reads no file by itself."""
    contents = source.contents
    entries = tuple(cut.entry for cut in cuts)
    only = Shard(source.path, source.path.name, range(len(source.sources)), contents.metadata)
    shards = contents.shards or (only,)
    used = {entry.location.source for entry in entries}
    left = [shard for shard in shards if not used.isdisjoint(shard.sources)]
    if len(left) < len(shards):
        left = [_renumbered(shard, number, len(left)) for number, shard in enumerate(left, 1)]
    contents = replace(
        contents,
        # An export of a torch file would patch the file itself, whose tensors have other shapes.
        format=_CUT if source.format in {ZIP.name, LEGACY.name} else contents.format,
        entries=entries,
        shards=tuple(left),
        masks=(),
        stored_as={},
        traits={},
        parts={},
        others=(),
        beside=(),
        unreadable={},
    )
    return Checkpoint(source.path, contents, source.sources)


def _renumbered(shard: Shard, number: int, count: int) -> Shard:
    name = ShardName.of(shard.path)
    if name is None:
        return shard
    file = f"{name.stem}-{number:05}-of-{count:05}{name.suffix}"
    relative = PurePosixPath(shard.name).with_name(file).as_posix()
    return replace(shard, path=shard.path.with_name(file), name=relative)
