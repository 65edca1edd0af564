"""An immutable state of a document, with caches of what was computed from it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements import CHUNK_BYTES, Bits, RawChunk
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.mask_store import MaskStore
from pruneapp.document.selection import resolve
from pruneapp.kernels.kernel import ReadBits
from pruneapp.masks.bitmask import BitMask, Layer, LayerMasks, MaskLayers, MaskSet
from pruneapp.masks.channels import channels_left
from pruneapp.methods.method import Method, TensorView
from pruneapp.params import DimParam
from pruneapp.progress import Job

if TYPE_CHECKING:
    from pruneapp.statistics.file import Inputs, Statistics

T = TypeVar("T")

_NO_MASKS: tuple[BitMask | None, ...] = (None,) * len(get_args(Layer))

# Byte limit of a `StateCache`: the counts of 50,000 tensors of 64 weights take 60 MB, and the table
# for the slider made from them another 90 MB.
BUDGET = 192_000_000

# Maximum number of droppable values: more than a step with a few rows needs.
_MOST_SPARE = 64

# The masks, or sets of masks, that a value was computed from; None where there is none.
Owners = tuple[Any | None, ...]


class HashedNames(tuple[str, ...]):  # noqa: SLOT001 - its hash is kept in its dict
    """A tuple of names with a cached hash: hashing 50,000 names takes a millisecond."""

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[HashedNames], tuple[tuple[str, ...]]]:
        return HashedNames, (tuple(self),)  # string hashes differ between processes


class _Entry(NamedTuple):
    owners: tuple[ref[Any] | None, ...]
    value: Any  # None if the value was dropped and only its size is known
    nbytes: int


class StateCache:
    """A cache of values by key and owners, with owners compared by identity.

    Since undo restores the same mask objects, values of earlier states are found again. Owners are
    referenced weakly; a value is removed with the first of its owners. To keep values for several
    owners under one name, include their ids in the key.

    When the budget is exceeded, droppable values are removed first, in insertion order, then the
    others. The size of the latter is remembered, so that callers do not recompute what cannot be
    kept. Values of 0 bytes are always kept.

    Thread-safe; two threads that miss at the same time may both compute the value.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self.budget = budget
        self._large: dict[Hashable, _Entry] = {}
        self._small: dict[Hashable, _Entry] = {}  # values of 0 bytes, and sizes of dropped values
        self._spare: dict[Hashable, _Entry] = {}
        self._gone: deque[Hashable] = deque()  # keys with an owner that was deleted
        self._lock = threading.Lock()
        self.nbytes = 0  # approximate memory of all values

    def get(self, key: Hashable, owners: Owners) -> Any:
        """Return the value of a key; None if there is none, or if it belongs to other owners.

        None as well if the value was dropped. `owners` must have the length passed to `put`.
        """
        entry = self._find(key)
        if entry is None:
            return None
        for known, owner in zip(entry.owners, owners, strict=True):
            if (None if known is None else known()) is not owner:
                return None  # the `id` in the key was reused by another object
        return entry.value

    def size(self, key: Hashable) -> int:
        """Return the size of a value, even if it was dropped, in bytes; 0 if unknown."""
        entry = self._large.get(key) or self._small.get(key)
        return 0 if entry is None else entry.nbytes

    def put(
        self,
        key: Hashable,
        owners: Owners,
        value: object,
        nbytes: int = 0,
        *,
        droppable: bool = False,
    ) -> None:
        """Store a value, replacing that of the same key; it is removed when an owner is deleted.

        `nbytes` is its approximate size. If a value is larger than the budget, only its size is
        stored. A droppable value that does not fit besides the other values is not stored. Other
        values may be dropped to make room.
        """
        expired = self._gone
        # The callback runs when an owner is deleted, possibly while this thread holds the lock.
        refs = owners
        if owners.count(None) < len(owners):
            refs = tuple(
                None if o is None else ref(o, lambda _: expired.append(key)) for o in owners
            )
        with self._lock:
            while expired:
                known = self._find(dead := expired.popleft())
                if known is not None and any(o is not None and o() is None for o in known.owners):
                    self._drop(dead)
            self._drop(key)
            if droppable:
                if len(self._spare) >= _MOST_SPARE:
                    self._drop(next(iter(self._spare)))
            elif nbytes > self.budget:
                self._small[key] = _Entry(refs, None, nbytes)
                return
            spare = [key for key, entry in self._spare.items() if entry.nbytes]
            room = self.budget - self.nbytes + sum([self._spare[key].nbytes for key in spare])
            if droppable and nbytes > room:
                return
            while self.nbytes + nbytes > self.budget and spare:
                self._drop(spare.pop(0))
            while self.nbytes + nbytes > self.budget:
                oldest = next(iter(self._large))
                old = self._large[oldest]
                self._drop(oldest)
                self._small[oldest] = _Entry(old.owners, None, old.nbytes)
                for spare_key in list(self._spare):  # they may depend on the dropped value
                    self._drop(spare_key)
            store = self._spare if droppable else self._large if nbytes else self._small
            store[key] = _Entry(refs, value, nbytes)
            self.nbytes += nbytes

    def _find(self, key: Hashable) -> _Entry | None:
        return self._large.get(key) or self._small.get(key) or self._spare.get(key)

    def _drop(self, key: Hashable) -> None:
        if self._small.pop(key, None) is None:
            entry = self._large.pop(key, None) or self._spare.pop(key, None)
            self.nbytes -= 0 if entry is None else entry.nbytes


@dataclass(frozen=True, eq=False)
class Units:
    """Numbers of units (weights or channels) per tensor, for a method."""

    names: tuple[str, ...]  # first names, in file order
    left: NDArray[np.int64]  # ``int64[tensors]``: units not pruned yet
    each: NDArray[np.int64]  # ``int64[tensors]``: weights per unit; 1 for unstructured methods
    kept: NDArray[np.int64]  # ``int64[tensors]``: weights not pruned yet
    # ``int64[tensors]``: units among `left` that must not be pruned: protected weights, or channels
    # that contain any.
    protected: NDArray[np.int64]
    numel: NDArray[np.int64]  # ``int64[tensors]``: all elements

    @property
    def free(self) -> NDArray[np.int64]:
        """``int64[tensors]``: units that may be pruned."""
        return self.left - self.protected

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Index of each tensor in `names`."""
        return {name: place for place, name in enumerate(self.names)}


@dataclass(frozen=True, eq=False)
class Snapshot:
    """An immutable state of a document. Cheap to copy: it references masks and the checkpoint."""

    checkpoint: Checkpoint
    # Masks of all layers, by the first names of tensors.
    layers: MaskLayers = field(default_factory=MaskLayers)
    revision: int = 0  # identifies the state; results computed from it apply to this number only
    # Values computed from states, such as histograms; shared by all states of the document.
    cache: StateCache = field(default_factory=StateCache, repr=False)
    store: MaskStore | None = field(default=None, repr=False)  # of the history that it belongs to

    @property
    def masks(self) -> MaskSet:
        """Masks of kept weights; a tensor without a mask is not pruned."""
        return self.layers.masks

    @property
    def permanent(self) -> MaskSet:
        """Masks of weights made permanent: where a bit is 0, the weight is read as +0.0."""
        return self.layers.permanent

    @property
    def protected(self) -> MaskSet:
        """Masks of protected weights, which no method prunes: a bit is 1 if protected."""
        return self.layers.protected

    @property
    def values(self) -> MaskSet:
        """Raw elements, stored as masks, of tensors whose values were replaced."""
        return self.layers.values

    def with_masks(self, changes: LayerMasks, revision: int | None = None) -> Snapshot:
        """Return the state with changed masks; its revision is the next one by default."""
        if revision is None:
            revision = self.revision + 1
        return replace(self, layers=self.layers.with_masks(changes), revision=revision)

    def entry(self, name: str) -> TensorEntry:
        """Return the entry of the tensor that has `name` among its names."""
        return self.checkpoint.entry(name)

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield raw elements in flat order, as `Checkpoint.chunks` does, permanent zeros as +0.0.

        `start` and `stop` (exclusive; None for the end) are flat indices, `size` the maximum
        elements of a chunk. Replaced values are returned instead of those of the file; code that
        reads weights of a state must use this method or `bits`. Pruned weights keep their values. A
        chunk may be a buffer that the next one overwrites.
        """
        chunks = self._chunks(name, start, stop, size)
        mask = self.permanent.get(self.entry(name).name) if self.permanent else None
        if mask is None:
            return chunks
        return (RawChunk(chunk.start, _zeroed(chunk, mask)) for chunk in chunks)

    def bits(self, name: str, start: int = 0, stop: int | None = None) -> Bits:
        """Return a copy of the elements `start` to `stop`, permanent zeros as +0.0."""
        bits = self.bits_under(name, start, stop)
        mask = self.permanent.get(self.entry(name).name)
        return bits if mask is None else _zeroed(RawChunk(start, bits), mask)

    def bits_under(self, name: str, start: int = 0, stop: int | None = None) -> Bits:
        """Return a copy of the elements `start` to `stop`, with values that were made zeros."""
        values = self._values(name)
        if values is None:
            return self.checkpoint.bits(name, start, stop)
        return values[start : _stop(values, start, stop)].copy()

    def bits_joined(self, names: Sequence[str]) -> Bits:
        """Return the concatenated elements of small tensors of one dtype, by their first names.

        Permanent zeros are +0.0, and replaced values are used. Tensors that are adjacent in the
        file are read at once.
        """
        entries = [self.checkpoint.entries[name] for name in names]
        if any(entry.location.strides for entry in entries):
            return np.concatenate([self.bits(name) for name in names])
        bits = self.checkpoint.bits_joined(names)
        if self.permanent or self.values:
            at = 0
            for name, entry in zip(names, entries, strict=True):
                if name in self.permanent or name in self.values:
                    bits[at : at + entry.numel] = self.bits(name)
                at += entry.numel
        return bits

    def _chunks(
        self, name: str, start: int, stop: int | None, size: int | None
    ) -> Iterator[RawChunk]:
        """Yield the elements as `chunks`, but without permanent zeros.

        Raises `IndexError` for elements outside of replaced values.
        """
        values = self._values(name)
        if values is None:
            return self.checkpoint.chunks(name, start, stop, size)
        stop, size = _stop(values, start, stop), size or CHUNK_BYTES // values.itemsize
        # Copies, because callers may modify a chunk.
        return (
            RawChunk(first, values[first : min(first + size, stop)].copy())
            for first in range(start, stop, size)
        )

    def _values(self, name: str) -> Bits | None:
        if not self.values:
            return None
        entry = self.entry(name)
        values = self.values.get(entry.name)
        return None if values is None else values.packed.view(entry.dtype.storage)

    def replaces(self, name: str) -> bool:
        """Return whether the values of a tensor were replaced."""
        return bool(self.values) and self.entry(name).name in self.values

    @property
    def as_in_file(self) -> Snapshot:
        """The same state, but with the values of the file."""
        return self._as_in_file if self.values else self  # caching `self` would be a ref cycle

    @cached_property
    def _as_in_file(self) -> Snapshot:
        return replace(self, layers=replace(self.layers, values=MaskSet()))

    def mask(self, name: str) -> BitMask | None:
        """Return the mask of kept weights of a tensor; None if all are kept."""
        return self.masks.get(self.entry(name).name)

    def free_mask(self, name: str) -> BitMask | None:
        """Return the mask of weights that are kept and not protected; None for all."""
        first = self.entry(name).name
        kept, protected = self.masks.get(first), self.protected.get(first)
        if protected is None:
            return kept
        return (kept or BitMask.full(protected.size)) - protected

    def export_mask(self, name: str) -> BitMask | None:
        """Return the mask of weights that an export does not write as +0.0; None for all."""
        first = self.entry(name).name
        mask, permanent = self.masks.get(first), self.permanent.get(first)
        if mask is None or permanent is None:
            return mask if permanent is None else permanent
        return mask & permanent

    def masks_of(self, name: str) -> tuple[BitMask | None, ...]:
        """Return the masks of a tensor in all layers, by its first name; None where it has none."""
        if self._bare:
            return _NO_MASKS
        return tuple([masks.get(name) for masks in self._sets])

    @cached_property
    def _sets(self) -> tuple[MaskSet, ...]:
        return tuple(self.layers[layer] for layer in get_args(Layer))

    @cached_property
    def _bare(self) -> bool:
        return not any(self._sets)

    def recall(self, key: Hashable) -> Any:
        """Return a value cached for this state; None if there is none."""
        return self.cache.get(key, self._sets)

    def remember(self, key: Hashable, value: object, nbytes: int = 0) -> None:
        """Cache a value for this state; it may be dropped when the cache is full."""
        self.cache.put(key, self._sets, value, nbytes, droppable=True)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the cached result of `make`, which is called if there is none."""
        cached: T | None = self.recall(key)
        if cached is None:
            cached = make()
            self.remember(key, cached)
        return cached

    def units(
        self,
        names: tuple[str, ...],
        method: Method,
        values: Mapping[str, Any],
        job: Job | None = None,
    ) -> Units:
        """Return the numbers of units of some tensors for a method; cached with the state.

        Units are channels for methods that prune channels, else weights, also for blocks and
        groups. The tensors, by any names, are in file order in the result. `job` can cancel.

        Raises
        ------
        ParameterError
            If a tensor has no channels along the method's dimension.
        SelectionError
            If a tensor cannot be pruned, or `names` is empty.
        """
        param = None
        if method.granularity == "channels":
            param = next(p for p in method.params if isinstance(p, DimParam))
        dim = None if param is None else int(values[param.name])
        return self.once(
            ("units", names, dim), lambda: _count_units(self, names, param, dim or 0, job or Job())
        )

    def view(
        self, name: str, *, scores: TensorView | None = None, given: BitMask | None = None
    ) -> TensorView:
        """Return a tensor as the input of a method, with its `scores` or a `given` mask.

        `name` is any of its names. Weights are read later, by its `read`. Scale, statistics and
        groups are not set.
        """
        entry, layers = self.checkpoint.entry(name), self.layers
        first = entry.name
        return TensorView(
            name=first,
            shape=entry.shape,
            dtype=entry.dtype,
            kept=layers.masks.get(first),
            read=StateReader(self, first),
            scores=scores,
            given=given,
            protected=layers.protected.get(first),
        )

    def views(self, names: Iterable[str]) -> Iterator[TensorView]:
        """Yield the inputs of a method that needs no scores or masks, by first names, in order.

        As `view`, but faster. Raises `KeyError` for a name that is not a first name.
        """
        entries, kept, protected = self.checkpoint.entries, self.masks, self.protected
        bare = not kept and not protected
        for name in names:
            entry = entries[name]
            if bare:
                yield TensorView(name, entry.shape, entry.dtype, None, StateReader(self, name))
            else:
                yield TensorView(
                    name,
                    entry.shape,
                    entry.dtype,
                    kept.get(name),
                    StateReader(self, name),
                    protected=protected.get(name),
                )

    def inputs(self, statistics: Statistics, name: str) -> Inputs | None:
        """Return the statistics of the inputs of a tensor; None if there are none.

        Raises the errors of `Statistics.inputs`.
        """
        entry = self.entry(name)
        return statistics.inputs(entry.names, entry.shape)


class StateReader(NamedTuple):
    """Reads a tensor of a state, by its first name; implements `JoinedRead`."""

    state: Snapshot
    name: str

    def __call__(self, start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        """Yield the raw elements `start` to `stop`, as `Snapshot.chunks`."""
        return self.state.chunks(self.name, start, stop)

    def read_joined(self, reads: Sequence[ReadBits]) -> Bits | None:
        """Return the elements of small tensors, concatenated; None if another state is read."""
        names = [r.name for r in reads if isinstance(r, StateReader) and r.state is self.state]
        return self.state.bits_joined(names) if len(names) == len(reads) else None


def _stop(values: Bits, start: int, stop: int | None) -> int:
    stop = values.size if stop is None else stop
    if not 0 <= start <= stop <= values.size:
        raise IndexError(f"elements {start} to {stop} of {values.size}")
    return stop


def _zeroed(chunk: RawChunk, mask: BitMask) -> Bits:
    # +0.0 is all bits zero in any float type, so multiplying the bits is exact. The chunk belongs
    # to the caller and is not modified.
    kept = mask.bools(chunk.start, chunk.start + chunk.bits.size)
    return np.multiply(chunk.bits, kept, dtype=chunk.bits.dtype)


def _count_units(
    snapshot: Snapshot, names: tuple[str, ...], param: DimParam | None, dim: int, job: Job
) -> Units:
    """Count the units of tensors for `Snapshot.units`.

    They are the channels along the dimension `dim` of `param`, or weights if `param` is None.
    """
    checkpoint = snapshot.checkpoint
    first_names = HashedNames(resolve(checkpoint, names, on_request=True))
    counts = np.empty((5, len(first_names)), np.int64)
    start = 0
    for batch in job.cancel.batches(first_names):
        entries = [checkpoint.entries[name] for name in batch]
        kept = [snapshot.masks.get(name) for name in batch]
        protected = [snapshot.protected.get(name) for name in batch]
        left, each, present, protected_count, numel = counts[:, start : start + len(batch)]
        numel[:] = [e.numel for e in entries]
        present[:] = [e.numel if m is None else m.kept for e, m in zip(entries, kept, strict=True)]
        if param is None:
            left[:], each[:] = present, 1
            protected_count[:] = [0 if m is None else m.kept for m in protected]
        else:
            along = [(e.shape, param.resolve(dim, e.shape, e.name)) for e in entries]
            channels = [shape[at] for shape, at in along]
            each[:] = numel // np.maximum(channels, 1)
            left[:] = [
                n if m is None else _channels_held(snapshot.cache, m, *at, job)
                for m, at, n in zip(kept, along, channels, strict=True)
            ]
            protected_count[:] = [
                0 if m is None else _channels_held(snapshot.cache, m, *at, job)
                for m, at in zip(protected, along, strict=True)
            ]
        start += len(batch)
    return Units(first_names, *counts)


def _channels_held(
    cache: StateCache, mask: BitMask, shape: tuple[int, ...], dim: int, job: Job
) -> int:
    """Return the number of channels along `dim` with at least one bit set in `mask`.

    `dim` must not be negative. The result is cached as long as the mask exists. `job` is only used
    to cancel.
    """
    key = "channels held", id(mask), shape, dim
    held: int | None = cache.get(key, (mask,))
    if held is None:
        held = int(np.count_nonzero(channels_left(mask, shape, dim, job)))
        cache.put(key, (mask,), held)
    return held
