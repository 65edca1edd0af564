"""The way back: a shrunk model in the shape that it had, zeros where it was cut."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements import Bits, RawChunk
from pruneapp.export.records import CHUNK_BYTES
from pruneapp.masks.bitmask import Mask
from pruneapp.shrink.cut import Cut, ShrinkError, TensorCut
from pruneapp.shrink.shrink import scattered


class UnshrunkState:
    """A shrunk model in the shapes of the model that it was cut out of; see `State`.

    What was cut is 0. What was chosen to go and no zeros stand for, experts and tokens, comes from
    the model, and so do the tensors of a layer that went, of which those that write into the
    residual stream are 0.

    Raises `ShrinkError` if a tensor that stayed is not in the shrunk model, or has another shape.
    """

    def __init__(self, shrunk: Checkpoint, against: Checkpoint, cut: Cut) -> None:
        self.checkpoint = against
        self._shrunk = shrunk
        self._cut = cut
        self._silent = {
            name
            for each in cut.groups
            for unit in each.removed.tolist()
            if each.group.silenced_by
            for name in each.group.silenced_by[unit]
        }
        self._tensors = {each.source.name: each for each in cut.tensors(against)}
        for each in self._tensors.values():
            if not shrunk.holds(each.entry.name):
                raise _misfit(shrunk, against, f"it has no '{each.entry.name}'")
            there = shrunk.entry(each.entry.name)
            if there.shape != each.entry.shape or there.dtype != each.entry.dtype:
                raise _misfit(
                    shrunk,
                    against,
                    f"'{there.name}' has the shape {list(there.shape)} and should have "
                    f"{list(each.entry.shape)}",
                )

    def mask(self, _name: str) -> Mask | None:
        """Return None: zeros are values here."""
        return None

    def zeroed(self, _name: str) -> Mask | None:
        """Return None: zeros are values here."""
        return None

    def replaces(self, _name: str) -> bool:
        """Say yes: the values come from another file."""
        return True

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield the elements of a tensor in the shape that it had."""
        entry = self.checkpoint.entry(name)
        total = entry.dtype.nbytes(entry.numel) if entry.dtype.packed else entry.numel
        stop = total if stop is None else stop
        size = size or CHUNK_BYTES // np.dtype(entry.dtype.storage).itemsize
        for first in range(start, stop, size):
            last = min(first + size, stop)
            yield RawChunk(first, self._bits(entry.name, first, last))

    def _bits(self, name: str, start: int, stop: int) -> Bits:
        each = self._tensors.get(name)
        if each is None:
            bits = self.checkpoint.bits(name, start, stop)
            if name in self._silent:
                bits[:] = 0
            return bits
        if not each.kept:
            return self._shrunk.bits(each.entry.name, start, stop)
        inner = max(math.prod(each.source.shape[1:]), 1)
        first, last = start // inner, -(-stop // inner)
        rows = scattered(each, first, last, self._shrunk)
        return self._chosen(each, rows, first, last)[start - first * inner : stop - first * inner]

    def _chosen(self, each: TensorCut, rows: Bits, first: int, last: int) -> Bits:
        """Return rows in which what was chosen to go is that of the model."""
        for dim in self._cut.chosen_dims(each.source.name):
            inner = max(math.prod(each.source.shape[1:]), 1)
            there = self.checkpoint.bits(each.source.name, first * inner, last * inner)
            shape = (last - first, *each.source.shape[1:])
            goes = np.ones(each.source.shape[dim], np.bool_)
            goes[each.kept[dim]] = False
            goes = goes[first:last] if dim == 0 else goes
            index = (slice(None),) * dim + (goes,)
            rows.reshape(shape)[index] = there.reshape(shape)[index]
        return rows


def _misfit(shrunk: Checkpoint, against: Checkpoint, what: str) -> ShrinkError:
    return ShrinkError(
        f"'{shrunk.path}' was not cut out of '{against.path}': {what}.",
        remedy="Name the model that it was cut out of.",
    )
