"""Snapshot: one frozen state; units left per tensor.

One frozen state of a document: everything that a job may look at.

Counts of what is left to prune, kept so that a moving slider never looks at a mask again.

Counts never keep a mask alive: of a large model the masks of one state take hundreds of megabytes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements import Bits, RawChunk
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.selection import resolve
from pruneapp.masks.bitmask import BitMask, MaskSet
from pruneapp.masks.channels import channels_left
from pruneapp.methods.method import Method, TensorView
from pruneapp.params import DimParam
from pruneapp.progress import Job

# Rows that are remembered: more than a step has, as a rule.
_ROWS = 8


@dataclass(frozen=True, eq=False)
class Units:
    """What is left of some tensors.

    Attributes
    ----------
    names
        First names, in file order.
    left
        ``int64[tensors]``: weights or channels that are not pruned yet.
    each
        ``int64[tensors]``: weights of a unit; 1 for single weights.
    kept
        ``int64[tensors]``: weights that are not pruned yet.
    protected
        ``int64[tensors]``: how many of the units that are left may not go: protected weights, or
        channels that hold any.
    numel
        ``int64[tensors]``: elements in all.
    """

    names: tuple[str, ...]
    left: NDArray[np.int64]
    each: NDArray[np.int64]
    kept: NDArray[np.int64]
    protected: NDArray[np.int64]
    numel: NDArray[np.int64]

    @property
    def free(self) -> NDArray[np.int64]:
        """``int64[tensors]``: units that may go."""
        return self.left - self.protected


# What is kept, and what is protected.
Layers = tuple[MaskSet, MaskSet]
_Key = tuple[tuple[str, ...], str, int]
_Along = tuple[tuple[int, ...], int]


class UnitCounts:
    """Remembers the units of the last rows, and the channels of every mask that it looked at.

    Safe to use from several threads: two that ask at once may both count.
    """

    def __init__(self) -> None:
        self._rows: dict[_Key, tuple[ref[MaskSet], ref[MaskSet], Units]] = {}
        # By the identity of the mask, shape and dimension; gone with the mask.
        self._channels: dict[int, tuple[ref[BitMask], dict[_Along, int]]] = {}
        self._lock = threading.Lock()

    def units(
        self,
        checkpoint: Checkpoint,
        layers: Layers,
        names: tuple[str, ...],
        method: Method,
        values: Mapping[str, Any],
        *,
        job: Job | None = None,
    ) -> Units:
        """Return what is left for a method; instant for the same names and masks as before.

        `layers` are the masks of what is kept and of what is protected; `job` may cancel.

        Raises
        ------
        ParameterError
            If a tensor has no channels along the method's dimension.
        SelectionError
            If a tensor cannot be pruned, or there is none.
        """
        param = None
        if method.granularity == "channels":
            param = next(p for p in method.params if isinstance(p, DimParam))
        key = names, param.name if param else "", int(values[param.name]) if param else 0
        known = self._rows.get(key)
        masks, protected = layers
        if known is not None and known[0]() is masks and known[1]() is protected:
            return known[2]
        made = self._count(checkpoint, layers, names, param, key[2], job=job or Job())
        with self._lock:
            while len(self._rows) >= _ROWS:
                del self._rows[next(iter(self._rows))]
            self._rows[key] = ref(masks), ref(protected), made
        return made

    def _count(
        self,
        checkpoint: Checkpoint,
        layers: Layers,
        names: tuple[str, ...],
        param: DimParam | None,
        dim: int,
        *,
        job: Job,
    ) -> Units:
        found = resolve(checkpoint, names)
        counts = np.empty((5, len(found)), np.int64)
        start = 0
        for batch in job.cancel.batches(found):
            entries = [checkpoint.entries[name] for name in batch]
            kept, guards = ([masks.get(name) for name in batch] for masks in layers)
            part = counts[:, start : start + len(batch)]
            left, each, there, guarded, numel = part
            numel[:] = [e.numel for e in entries]
            there[:] = [
                e.numel if m is None else m.kept for e, m in zip(entries, kept, strict=True)
            ]
            if param is None:
                left[:], each[:] = there, 1
                guarded[:] = [0 if guard is None else guard.kept for guard in guards]
            else:
                along = [(e.shape, param.resolve(dim, e.shape, e.name)) for e in entries]
                left[:] = [shape[at] for shape, at in along]
                each[:] = numel // np.maximum(left, 1)
                left[:] = self._held_by(kept, along, left, job)
                guarded[:] = self._held_by(guards, along, np.zeros_like(left), job)
            start += len(batch)
        return Units(found, *counts)

    def _held_by(
        self,
        masks: list[BitMask | None],
        along: list[_Along],
        without: NDArray[np.int64],
        job: Job,
    ) -> list[int]:
        """Return for each mask how many channels hold something; `without` where there is none."""
        return [
            other if mask is None else self._held(mask, *place, job)
            for mask, place, other in zip(masks, along, without.tolist(), strict=True)
        ]

    def _held(self, mask: BitMask, shape: tuple[int, ...], dim: int, job: Job) -> int:
        """Return how many channels hold something that a mask has."""
        known = self._channels.get(id(mask))
        if known is None or known[0]() is not mask:
            known = ref(mask, partial(_forget, self._channels, id(mask))), {}
            self._channels[id(mask)] = known
        left = known[1].get((shape, dim))
        if left is None:
            left = int(np.count_nonzero(channels_left(mask, shape, dim, job)))
            known[1][shape, dim] = left
        return left


def _forget(
    channels: dict[int, tuple[ref[BitMask], dict[_Along, int]]], key: int, gone: ref[BitMask]
) -> None:
    # Another mask may have been made at the same address by now.
    if (known := channels.get(key)) is not None and known[0] is gone:
        del channels[key]


T = TypeVar("T")


class StateCache:
    """What is computed of a document once and kept from state to state: one store of each kind.

    A snapshot hands it on and knows none of the kinds. Safe to use from several threads.

    Parameters
    ----------
    *stores
        Those that are there from the beginning, each the only one of its class.
    """

    def __init__(self, *stores: object) -> None:
        self._stores: dict[type, object] = {type(store): store for store in stores}
        self._lock = threading.Lock()

    def of(self, kind: type[T]) -> T:
        """Return the store of a kind, made by its constructor when first asked for."""
        with self._lock:
            store = self._stores.get(kind)
            if store is None:
                store = self._stores[kind] = kind()
        assert isinstance(store, kind)
        return store


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A state of a document. Cheap: it refers to immutable masks and to the file.

    Attributes
    ----------
    checkpoint
        The file, never changed.
    masks
        What is kept; a tensor without a mask is kept whole. By first names.
    final
        Weights made final (torch's ``remove``): where a bit is 0 the weight reads as +0.0, and
        counts as an ordinary weight that is there.
    revision
        Number of the state; answers made from it are true for this number alone.
    counts
        Counts of channels that are left, kept from state to state.
    protected
        Weights that no method takes: a bit is 1 where it is protected. A tensor without a mask has
        none. By first names.
    cache
        What is computed once and kept from state to state, such as histograms.
    """

    checkpoint: Checkpoint
    masks: MaskSet = field(default_factory=MaskSet)
    final: MaskSet = field(default_factory=MaskSet)
    revision: int = 0
    counts: UnitCounts = field(default_factory=UnitCounts, repr=False)
    protected: MaskSet = field(default_factory=MaskSet)
    cache: StateCache = field(default_factory=StateCache, repr=False)

    def entry(self, name: str) -> TensorEntry:
        """Return the tensor that has `name` among its names."""
        return self.checkpoint.entry(name)

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Return raw elements in flat order, as `Checkpoint.chunks`, final weights as +0.0.

        Pruned weights come with their original bits.
        """
        chunks = self.checkpoint.chunks(name, start, stop, size)
        mask = self.final.get(self.entry(name).name) if self.final else None
        return chunks if mask is None else _finally(chunks, mask)

    def bits(self, name: str, start: int = 0, stop: int | None = None) -> Bits:
        """Return elements `start` to `stop`, final weights as +0.0, in memory of their own."""
        bits = self.checkpoint.bits(name, start, stop)
        mask = self.final.get(self.entry(name).name)
        return bits if mask is None else _zeroed(RawChunk(start, bits), mask)

    def mask(self, name: str) -> BitMask | None:
        """Return what is kept of a tensor; None for everything."""
        return self.masks.get(self.entry(name).name)

    def eligible(self, name: str) -> BitMask | None:
        """Return what a method may take of a tensor: kept and not protected; None for all of it."""
        first = self.entry(name).name
        kept, protected = self.masks.get(first), self.protected.get(first)
        if protected is None:
            return kept
        return (kept or BitMask.full(protected.size)) - protected

    def zeroed(self, name: str) -> BitMask | None:
        """Return the mask of everything that an export writes as +0.0; None for nothing."""
        first = self.entry(name).name
        mask, final = self.masks.get(first), self.final.get(first)
        if mask is None or final is None:
            return mask if final is None else final
        return mask & final

    def units(
        self,
        names: tuple[str, ...],
        method: Method,
        values: Mapping[str, Any],
        job: Job | None = None,
    ) -> Units:
        """Return what is left of some tensors for a method; see `UnitCounts.units`."""
        layers = self.masks, self.protected
        return self.counts.units(self.checkpoint, layers, names, method, values, job=job)

    def view(
        self, name: str, *, scores: TensorView | None = None, given: BitMask | None = None
    ) -> TensorView:
        """Return what a method sees of a tensor."""
        entry = self.entry(name)
        return TensorView(
            name=entry.name,
            shape=entry.shape,
            dtype=entry.dtype,
            kept=self.masks.get(entry.name),
            read=partial(self.chunks, entry.name),
            scores=scores,
            given=given,
            protected=self.protected.get(entry.name),
        )


def _finally(chunks: Iterator[RawChunk], mask: BitMask) -> Iterator[RawChunk]:
    for chunk in chunks:
        yield RawChunk(chunk.start, _zeroed(chunk, mask))


def _zeroed(chunk: RawChunk, mask: BitMask) -> Bits:
    # +0.0 has no bit set in any float type, so a product of the bits is exact. The chunk is the
    # reader's memory and stays as it is.
    kept = mask.bools(chunk.start, chunk.start + chunk.bits.size)
    return np.multiply(chunk.bits, kept, dtype=chunk.bits.dtype)
