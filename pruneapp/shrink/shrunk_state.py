"""A state without the units of a cut, as a checkpoint that reads from the source file.

Tensors are not held in memory: each piece is gathered from the source on request, with pruned
weights set to 0. Every export format can write such a state like any other one.
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
from pruneapp.progress import Job
from pruneapp.shrink.cut import Cut, TensorCut

# Format name of a state that was cut out of a torch file.
_CUT = "cut state dict"
# Maximum number of elements of a row up to which whole rows are read.
_ROW = 1 << 20
# Maximum number of unneeded elements that are read instead of starting another read.
_GAP = 1 << 16

Read = Callable[[TensorEntry, int, int], Bits]


class DerivedState(ABC):
    """A state (`pruneapp.export.records.State`) whose tensors are computed from files in pieces.

    It has no masks: its pruned weights are zeros.
    """

    checkpoint: Checkpoint

    @abstractmethod
    def gather(self, entry: TensorEntry, start: int, stop: int) -> Bits:
        """Return elements `start` to `stop` of a tensor, as a new array."""

    def mask(self, _name: str) -> Mask | None:
        """Return None: there are no masks."""
        return None

    def export_mask(self, _name: str) -> Mask | None:
        """Return None: pruned weights are 0 already."""
        return None

    def replaces(self, _name: str) -> bool:
        """Return True: no tensor has its bytes in the source file."""
        return True

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield elements `start` to `stop` (exclusive) of a tensor, up to `size` in a chunk.

        Without `stop` to the end; for packed dtypes the elements are bytes.
        """
        entry = self.checkpoint.entry(name)
        total = entry.dtype.nbytes(entry.numel) if entry.dtype.packed else entry.numel
        stop = total if stop is None else stop
        size = size or CHUNK_BYTES // np.dtype(entry.dtype.storage).itemsize
        for first in range(start, stop, size):
            yield RawChunk(first, self.gather(entry, first, min(first + size, stop)))


class ShrunkState(DerivedState):
    """The tensors of a state after a cut, with their new names and shapes.

    Parameters
    ----------
    state
        The state before the cut.
    cut
        The units to keep.
    biases
        New values of biases that absorbed constants of removed units, by name in the source.
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
        """Return elements of a tensor as a new array, in which pruned weights are 0."""
        cut = self._cut_of[entry.name]
        bias = self._biases.get(cut.source.name)
        if bias is not None:
            return encode(bias[start:stop], entry.dtype)
        if not cut.kept:
            return self._read(cut.source, start, stop)
        return _gather(cut, start, stop, self._read)

    def count_pruned(self, job: Job) -> dict[str, int]:
        """Return how many elements of each tensor are pruned, by its new name; 0 is left out.

        Reads the masks of the state before the cut. `job` can cancel.
        """
        counts = {}
        for cut in job.cancel.each(self.cuts):
            zeroed = self._state.export_mask(cut.source.name)
            if zeroed is None or not zeroed.pruned:
                continue
            kept = zeroed.bools().reshape(cut.source.shape)
            for dim, indices in cut.kept.items():
                kept = np.take(kept, indices, dim)
            if pruned := kept.size - int(np.count_nonzero(kept)):
                counts[cut.entry.name] = pruned
        return counts

    def _read(self, entry: TensorEntry, start: int, stop: int) -> Bits:
        """Return elements of the source with pruned weights as 0, as a new array."""
        (chunk,) = self._state.chunks(entry.name, start, stop, stop - start)
        zeroed = self._state.export_mask(entry.name)
        if zeroed is not None:
            zeroed.zero(chunk.bits, chunk.start)
        return chunk.bits


def _gather(cut: TensorCut, start: int, stop: int, read: Read) -> Bits:
    """Return elements `start` to `stop` of a cut tensor, gathered from its source by `read`.

    Reads whole rows where they are short, otherwise little more than what is needed.
    """
    shape, last = cut.source.shape, max(cut.kept)
    kept, n, inner = cut.kept[last], shape[last], math.prod(shape[last + 1 :])
    if n * inner <= _ROW:
        length = kept.size * inner
        first = start // length
        shaped: tuple[int, ...] = (-1, n) if inner == 1 else (-1, n, inner)
        rows = _outer_indices(cut, last, first, -(-stop // length))
        parts = [
            np.take(read(cut.source, a * n * inner, b * n * inner).reshape(shaped), kept, axis=1)
            for a, b in _runs(rows, 1)
        ]
        flat = _join(parts)
        return flat[start - first * length : stop - first * length]
    first = start // inner
    numbers = np.arange(first, -(-stop // inner))
    outer = _outer_indices(cut, last, first // kept.size, numbers[-1] // kept.size + 1)
    segments = outer[numbers // kept.size - first // kept.size] * n + kept[numbers % kept.size]
    if inner > _GAP:  # few long segments: read exactly what is needed of each
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
    flat = _join(parts)
    return flat[start - first * inner : stop - first * inner]


def _join(parts: list[Bits]) -> Bits:
    return (parts[0] if len(parts) == 1 else np.concatenate(parts)).reshape(-1)


def _outer_indices(cut: TensorCut, last: int, first: int, stop: int) -> Units:
    """Return the source indices of cut indices `first` to `stop`.

    Both are flat indices over the dimensions before dimension `last`.
    """
    numbers = np.arange(first, stop)
    if len(cut.kept) == 1:
        return numbers
    shape = cut.source.shape[:last]
    indices = np.unravel_index(numbers, cut.entry.shape[:last])
    there = [cut.kept[dim][at] if dim in cut.kept else at for dim, at in enumerate(indices)]
    return np.ravel_multi_index(tuple(there), shape)


def _runs(numbers: Units, gap: int) -> list[tuple[int, int]]:
    """Return half-open ranges that cover ascending numbers; gaps of up to `gap` are included."""
    breaks = np.flatnonzero(np.diff(numbers) > max(gap, 1)) + 1
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(numbers, breaks)]


def _checkpoint_of(source: Checkpoint, cuts: Sequence[TensorCut]) -> Checkpoint:
    """Return a checkpoint of the kept tensors. It reads from the sources of `source`.

    Shards that lose all tensors are removed, and the others renumbered.
    """
    contents = source.contents
    entries = tuple(cut.entry for cut in cuts)
    only = Shard(source.path, source.path.name, range(len(source.sources)), contents.metadata)
    shards = contents.shards or (only,)
    used = {entry.location.source for entry in entries}
    left = [shard for shard in shards if not used.isdisjoint(shard.sources)]
    if len(left) < len(shards):
        left = [_renumber(shard, number, len(left)) for number, shard in enumerate(left, 1)]
    contents = replace(
        contents,
        # The format must differ: for a torch file, the exporter would patch the source file, whose
        # tensors have other shapes.
        format=_CUT if source.format in {ZIP.name, LEGACY.name} else contents.format,
        entries=entries,
        shards=tuple(left),
        masks=(),
        stored_as={},
        traits={},
        parts={},
        non_tensor_keys=(),
        outside_keys=(),
        kept_values=contents.plain_values,
        unreadable={},
    )
    return Checkpoint(source.path, contents, source.sources)


def _renumber(shard: Shard, number: int, count: int) -> Shard:
    name = ShardName.parse(shard.path)
    if name is None:
        return shard
    file = f"{name.stem}-{number:05}-of-{count:05}{name.suffix}"
    relative = PurePosixPath(shard.name).with_name(file).as_posix()
    return replace(shard, path=shard.path.with_name(file), name=relative)
