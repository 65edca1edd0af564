"""Restore the original shapes of a shrunk model, with zeros in place of removed units."""

from __future__ import annotations

import math

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements import Bits
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.shrink.cut import Cut, ShrinkError, TensorCut
from pruneapp.shrink.shrunk_state import DerivedState


class UnshrunkState(DerivedState):
    """A shrunk model in the shapes of the original model.

    Removed entries are 0, except for those that no zeros can represent: experts, tokens and removed
    layers, whose values are read from the original. In a removed layer, the tensors that write into
    the residual stream are 0.

    Parameters
    ----------
    shrunk
        The shrunk checkpoint.
    against
        The original checkpoint, from which `shrunk` was cut.
    cut
        The recorded cut.

    Raises
    ------
    ShrinkError
        If a kept tensor is missing in the shrunk model, or its shape or dtype does not match.
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
                raise _mismatch_error(shrunk, against, f"it has no '{each.entry.name}'")
            there = shrunk.entry(each.entry.name)
            if there.shape != each.entry.shape or there.dtype != each.entry.dtype:
                raise _mismatch_error(
                    shrunk,
                    against,
                    f"the shape of '{there.name}' is {list(there.shape)} and should be "
                    f"{list(each.entry.shape)}",
                )

    def gather(self, entry: TensorEntry, start: int, stop: int) -> Bits:
        """Return elements `start` to `stop` of a tensor in its original shape, as a new array."""
        tensor = self._tensors.get(entry.name)
        if tensor is None:
            bits = self.checkpoint.bits(entry.name, start, stop)
            if entry.name in self._silent:
                bits[:] = 0
            return bits
        if not tensor.kept:
            return self._shrunk.bits(tensor.entry.name, start, stop)
        inner = max(math.prod(tensor.source.shape[1:]), 1)
        first, last = start // inner, -(-stop // inner)
        rows = _expand_rows(tensor, first, last, self._shrunk)
        return self._fill_chosen(tensor, rows, first, last)[
            start - first * inner : stop - first * inner
        ]

    def _fill_chosen(self, tensor: TensorCut, rows: Bits, first: int, last: int) -> Bits:
        """Set the entries of `rows` that the user chose to remove to the original values, in place.

        `rows` are rows `first` to `last` (exclusive) of the tensor, flat. Returns them.
        """
        for dim in self._cut.chosen_dims(tensor.source.name):
            inner = max(math.prod(tensor.source.shape[1:]), 1)
            original = self.checkpoint.bits(tensor.source.name, first * inner, last * inner)
            shape = (last - first, *tensor.source.shape[1:])
            removed_mask = np.ones(tensor.source.shape[dim], np.bool_)
            removed_mask[tensor.kept[dim]] = False
            removed_mask = removed_mask[first:last] if dim == 0 else removed_mask
            index = (slice(None),) * dim + (removed_mask,)
            rows.reshape(shape)[index] = original.reshape(shape)[index]
        return rows


def _mismatch_error(shrunk: Checkpoint, against: Checkpoint, what: str) -> ShrinkError:
    return ShrinkError(
        f"'{shrunk.path}' was not shrunk from '{against.path}': {what}.",
        remedy="Specify the model that it was shrunk from.",
    )


def _expand_rows(tensor: TensorCut, first: int, stop: int, written: Checkpoint) -> Bits:
    """Return rows `first` to `stop` (exclusive, dim 0) of a tensor in its original shape, flat.

    Removed entries are 0.
    """
    shape = tensor.source.shape
    inner = int(np.prod(shape[1:], dtype=np.int64))
    rows = np.arange(first, stop)
    kept = tensor.kept.get(0)
    a, b = (first, stop) if kept is None else map(int, np.searchsorted(kept, (first, stop)))
    kept_rows = rows if kept is None else kept[a:b]
    small = int(np.prod(tensor.entry.shape[1:], dtype=np.int64))
    bits = written.bits(tensor.entry.name, a * small, b * small)
    result = np.zeros((stop - first, *shape[1:]), bits.dtype)
    places = [kept_rows - first]
    places += [tensor.kept.get(dim, np.arange(shape[dim])) for dim in range(1, len(shape))]
    result[np.ix_(*places)] = bits.reshape(b - a, *tensor.entry.shape[1:])
    return result.reshape((stop - first) * inner)
