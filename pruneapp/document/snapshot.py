"""One frozen state of a document: everything that a job may look at."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements_chunks import Bits, RawChunk
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.snapshot_counts import UnitCounts, Units
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.bitmask_maskset import MaskSet
from pruneapp.methods.method import Method, TensorView
from pruneapp.progress import Job

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
