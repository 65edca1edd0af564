"""Sums of squares and magnitudes of tensors before and after a step, and where it cuts.

Sums over a tensor are made like this: elements in flat order, in blocks of 4,096; inside a block
by numpy's pairwise summation of a contiguous row; the sums of the blocks added by `math.fsum`,
which is exact whatever the order. The size of chunks, threads and devices play no part.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import NamedTuple, cast

import numpy as np

from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements import Bits, RawChunk
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import CheckpointError
from pruneapp.kernels.kernel import BLOCK
from pruneapp.kernels.threads import in_order, threads_for
from pruneapp.kernels.values import Bools, Float64s, Floats, decode, rough_sums, write_magnitudes
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


def aligned(chunks: Iterable[RawChunk], multiple: int = BLOCK) -> Iterator[RawChunk]:
    """Yield the same elements in chunks that begin at multiples of `multiple`.

    The first chunk must begin at one. Chunks that are cut well already pass without a copy.
    """
    rest: list[Bits] = []
    start = held = 0
    for chunk in chunks:
        if not held and chunk.bits.size % multiple == 0:
            yield chunk
            continue
        if not held:
            start = chunk.start
        rest.append(chunk.bits.copy())  # the reader uses its buffer again
        held += chunk.bits.size
        whole = held - held % multiple
        if whole:
            joined = np.concatenate(rest)
            yield RawChunk(start, joined[:whole])
            rest, start, held = [joined[whole:]], start + whole, held - whole
    if held:
        yield RawChunk(start, np.concatenate(rest))


def block_sums(values: Float64s) -> Float64s:
    """Return the sum of each block of `BLOCK` elements; the last block may be short.

    `values` is 1-D and contiguous.
    """
    whole = values.size - values.size % BLOCK
    sums: Float64s = np.add.reduce(values[:whole].reshape(-1, BLOCK), axis=1)
    if whole < values.size:
        sums = np.append(sums, np.add.reduce(values[whole:]))
    return sums


def real_values(bits: Bits, dtype: DType, name: str) -> Floats:
    """Return the values of elements of any type; the magnitude of complex numbers.

    Raises
    ------
    CheckpointError
        If the type has no values of its own (packed 4 and 6-bit floats).
    """
    if dtype.name in {"C64", "C128"}:
        magnitudes: Floats = np.abs(bits.view(dtype.numpy))
        return magnitudes
    try:
        return decode(bits, dtype)
    except ValueError:
        raise CheckpointError(
            f"'{name}' cannot be shown: values of type {dtype.label} are packed."
        ) from None


# Squares in float64 that are at work at once: they stay in the cache of a core.
_PIECE = 32 * BLOCK
# Elements of a task of a thread: memory for more is handed back and got anew each time.
_STRETCH = 64 * BLOCK


class RetainedNorm(NamedTuple):
    """Sums of what is kept, of squares and of magnitudes.

    NaN and infinite weights are left out; a sum is infinite where float64 overflows. The threshold
    is the largest magnitude that went, if nothing smaller was kept that might have gone; None if
    there is no such cut or nothing went.
    """

    before: float
    after: float
    sizes_before: float
    sizes_after: float
    threshold: float | None = None

    @property
    def share(self) -> float | None:
        """What is still there of the squares, from 0 to 1; None if nothing was or nobody knows."""
        return _share(self.before, self.after)

    @property
    def magnitude(self) -> float | None:
        """What is still there of the magnitudes, from 0 to 1; None as for `share`."""
        return _share(self.sizes_before, self.sizes_after)


def _share(before: float, after: float) -> float | None:
    return after / before if math.isfinite(before) and before > 0 else None


def shares_of(before: Float64s, after: Float64s) -> Float64s:
    """Return what is still there of many sums, NaN where nothing was or nobody knows."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(np.isfinite(before) & (before > 0), after / before, math.nan)


def measure_retained_norm(
    snapshot: Snapshot, name: str, after: BitMask, job: Job, threads: int | None = None
) -> RetainedNorm:
    """Add up squares and magnitudes of a tensor before and after a step, in one pass.

    The result is the same to the last bit whatever the chunks and threads. `after`, its mask after
    the step, is a part of the mask before; `job` is stepped by the elements.
    """
    size = after.size
    before, protected = snapshot.masks.get(name), snapshot.protected.get(name)
    dtype = snapshot.entry(name).dtype
    totals = _Measured()

    def work(start: int) -> _Measured:
        measured = _Measured(min(_STRETCH, size - start))
        with np.errstate(all="ignore"):  # infinities and NaN are left out
            for chunk in aligned(snapshot.chunks(name, start, start + measured.size)):
                for first in range(0, chunk.bits.size, _PIECE):
                    job.cancel.check()
                    values = real_values(chunk.bits[first : first + _PIECE], dtype, name)
                    at = chunk.start + first
                    kept_before, kept_after, guarded = (
                        None if mask is None else mask.bools(at, at + values.size)
                        for mask in (before, after, protected)
                    )
                    assert kept_after is not None
                    # There is no cut once the stretches that were taken have none.
                    measured.add(values, kept_before, kept_after, guarded, edge=totals.has_cut)
        return measured

    for stretch in in_order(range(0, size, _STRETCH), work, job, threads_for(size, threads)):
        totals.meet(stretch)
        job.step(stretch.size)
    squares_before, squares_after, sizes_before, sizes_after = map(total_of, totals.sums)
    threshold = totals.largest_gone
    if not (totals.has_cut and math.isfinite(threshold)):
        return RetainedNorm(squares_before, squares_after, sizes_before, sizes_after)
    return RetainedNorm(squares_before, squares_after, sizes_before, sizes_after, threshold)


@dataclass
class _Measured:
    """What some elements of a tensor add.

    `sums` are those of its blocks: squares before and after, magnitudes before and after. Beside
    them stands how far what goes and what stays reach towards each other.
    """

    size: int = 0
    sums: tuple[list[float], ...] = field(default_factory=lambda: ([], [], [], []))
    largest_gone: float = -math.inf
    smallest_kept: float = math.inf

    @property
    def has_cut(self) -> bool:
        """Whether nothing that stays is smaller than what goes."""
        return self.largest_gone <= self.smallest_kept

    def meet(self, other: _Measured) -> None:
        """Take in the stretch that follows; an edge that is NaN is passed over."""
        for total, part in zip(self.sums, other.sums, strict=True):
            total.extend(part)
            if len(total) > MANY_SUMS:
                total[:] = condensed(total)
        self.largest_gone = max(self.largest_gone, other.largest_gone)
        self.smallest_kept = min(self.smallest_kept, other.smallest_kept)

    def add(
        self,
        values: Floats,
        kept_before: Bools | None,
        stays: Bools,
        protected: Bools | None,
        *,
        edge: bool,
    ) -> None:
        """Measure a piece, whose edge is sought as long as there may be a cut."""
        sizes = values.astype(np.float64)
        np.abs(sizes, out=sizes)
        terms = np.square(sizes), sizes
        parts = ((term, where) for term in terms for where in (kept_before, stays))
        for total, (term, where) in zip(self.sums, parts, strict=True):
            total.extend(_sums(values, term, where))
        if not (edge and self.has_cut):
            return
        goes = ~stays if kept_before is None else kept_before & ~stays
        if protected is not None:  # nothing of it might have gone
            stays &= ~protected
        narrow = np.abs(values)
        # x / 0 is infinite or NaN, which fmin passes over: choosing by np.where takes ten times
        # as long
        self.smallest_kept = min(self.smallest_kept, float(np.fmin.reduce(narrow / stays)))
        if goes.any():
            largest = float(np.fmax.reduce(narrow * goes))
            # What stays counts as 0 there: a NaN that goes has no magnitude to be said.
            if largest > 0 or np.any(goes & (narrow == 0)):
                self.largest_gone = max(self.largest_gone, largest)


def _sums(values: Floats, terms: Float64s, where: Bools | None) -> list[float]:
    """Return the block sums of the terms of the finite values at some places."""
    sums = block_sums(terms if where is None else terms * where)
    if np.isfinite(sums).all():
        return cast(list[float], sums.tolist())
    finite = np.isfinite(values) if where is None else np.isfinite(values) & where
    return cast(list[float], block_sums(np.where(finite, terms, 0.0)).tolist())


# Sums that are held before they are put together.
MANY_SUMS = 1 << 16


def condensed(sums: Sequence[float]) -> list[float]:
    """Return few numbers whose exact sum is that of many, none of which is negative.

    So that of a tensor of any size `total_of` comes to the same.
    """
    if not all(map(math.isfinite, sums)):
        return [math.inf]
    parts: list[float] = []
    try:
        while rest := math.fsum(chain(sums, (-part for part in parts))):
            parts.append(rest)
    except OverflowError:
        return [math.inf]
    return parts


def total_of(sums: Sequence[float]) -> float:
    """Return the exact sum of some sums, rounded once; infinite where float64 overflows."""
    try:
        return math.fsum(sums) if all(map(math.isfinite, sums)) else math.inf
    except OverflowError:  # of finite sums, as fsum has it
        return math.inf


# Elements of a task of `measure_kept_norms`, and those that tell whether a tensor has a cut.
_LONG_STRETCH = 1 << 20
_FIRST = 4 * BLOCK
# Mean squares between which float32 holds what counts.
_HELD = 1e-24, 1e24


def measure_kept_norms(
    snapshot: Snapshot,
    after: Mapping[str, BitMask],
    before: Mapping[str, tuple[float, float]],
    kept: Mapping[str, tuple[float, float]],
    job: Job,
) -> dict[str, RetainedNorm]:
    """Return what `measure_retained_norms` does, in a quarter of the time, where sums are known.

    `before` has those of squares and of magnitudes, by first names; `kept` those of what stays that
    were made by the way, of which nothing is read. Sums after are made of products
    and sums of float32 in blocks, so they are off by up to a millionth. Left out are tensors that
    have a cut, whose types do not fit into float32, or whose weights after are not all finite.
    """
    names = [
        name
        for name, (squares, _) in before.items()
        if snapshot.entry(name).dtype.name in {"F32", "F16", "BF16"}
        and _HELD[0] < squares / after[name].size < _HELD[1]
        and not _may_have_cut(snapshot, name, after[name])
    ]

    def work(task: tuple[str, int]) -> tuple[str, float, float]:
        name, start = task
        stop = min(start + _LONG_STRETCH, after[name].size)
        dtype, squares, sizes = snapshot.entry(name).dtype, 0.0, 0.0
        with np.errstate(all="ignore"):
            for chunk in snapshot.chunks(name, start, stop):
                job.cancel.check()
                stays = after[name].bools(chunk.start, chunk.start + chunk.bits.size)
                magnitudes = np.empty(chunk.bits.size, np.float32)
                write_magnitudes(chunk.bits, dtype, magnitudes)
                magnitudes *= stays
                part = rough_sums(magnitudes)
                squares, sizes = squares + part[0], sizes + part[1]
        return name, squares, sizes

    unread = [name for name in names if name not in kept]
    tasks = [(n, start) for n in unread for start in range(0, after[n].size, _LONG_STRETCH)]
    squares, sizes = ({n: kept[n][part] if n in kept else 0.0 for n in names} for part in (0, 1))
    threads = threads_for(sum([after[name].size for name in unread]))
    for name, of_squares, of_sizes in in_order(tasks, work, job, threads):
        squares[name] += of_squares
        sizes[name] += of_sizes
    return {
        name: RetainedNorm(before[name][0], squares[name], before[name][1], sizes[name])
        for name in names
        if math.isfinite(squares[name] + sizes[name])
    }


def _may_have_cut(snapshot: Snapshot, name: str, after: BitMask) -> bool:
    """Say whether the first elements of a tensor, of which something goes, may be cut by size."""
    measured = _Measured()
    before, protected = snapshot.masks.get(name), snapshot.protected.get(name)
    with np.errstate(all="ignore"):
        for chunk in snapshot.chunks(name, 0, min(_FIRST, after.size)):
            at, size = chunk.start, chunk.bits.size
            kept_before, kept_after, guarded = (
                None if mask is None else mask.bools(at, at + size)
                for mask in (before, after, protected)
            )
            assert kept_after is not None
            values = real_values(chunk.bits, snapshot.entry(name).dtype, name)
            measured.add(values, kept_before, kept_after, guarded, edge=True)
    return measured.has_cut


# Elements of a matrix: its squares in float64 stay in the cache of a core.
_PIECE_ENERGIES = 64 * BLOCK
# So few are measured one by one as quickly.
_FEW = 4


def measure_retained_norms(
    snapshot: Snapshot, after: Mapping[str, BitMask], job: Job
) -> dict[str, RetainedNorm]:
    """Return what `measure_retained_norm` does for each tensor, by first names, to the last bit."""
    result: dict[str, RetainedNorm] = {}
    for together, names in batches_of_small_tensors(snapshot, list(after), job):
        if not together or len(names) < _FEW:
            for name in names:
                job.label(name)
                result[name] = measure_retained_norm(snapshot, name, after[name], job)
            continue
        size = after[names[0]].size
        most = max(1, _PIECE_ENERGIES // size)
        parts = [names[start : start + most] for start in range(0, len(names), most)]
        work = partial(_norms_alike, snapshot, after)
        with closing(in_order(parts, work, job, threads_for(size * len(names)))) as measured:
            for part, norms in zip(parts, measured, strict=True):
                job.label(part[0])
                result |= zip(part, norms, strict=True)
                job.step(size * len(part))
    return result


def _norms_alike(
    snapshot: Snapshot, after: Mapping[str, BitMask], names: Sequence[str]
) -> list[RetainedNorm]:
    """Measure small tensors of one type and size, whose blocks are the rows of a matrix."""
    dtype, size = snapshot.entry(names[0]).dtype, after[names[0]].size
    bits = snapshot.checkpoint.bits_joined(names)
    values = real_values(bits, dtype, names[0]).reshape(len(names), size)
    before = [snapshot.masks.get(name) for name in names]
    kept_before = None
    if any(mask is not None for mask in before):
        everything = BitMask.full(size)
        kept_before = _bools([mask or everything for mask in before], size)
    stays = _bools([after[name] for name in names], size)
    return _retained_norms(values, kept_before, stays)


def batches_of_small_tensors(
    snapshot: Snapshot, names: Sequence[str], job: Job
) -> Iterator[tuple[bool, list[str]]]:
    """Put small tensors together that are read side by side, in the order of the names.

    A call of numpy takes a microsecond however little it does, and a tensor needs some thirty.
    Tensors of one source, type and size of at most `BLOCK` elements are the rows of a matrix: one
    block, so that the sum of a row is that of a tensor. Nothing of them is protected or permanent,
    and their values are those of the file.

    Yields
    ------
    bool, list of str
        Whether they are such, and their first names; each of the others is taken by itself.
    """
    groups: dict[tuple[int, str, int], list[str]] = defaultdict(list)
    alone: list[str] = []
    entries = snapshot.checkpoint.entries
    layers = [layer for layer in (snapshot.permanent, snapshot.protected, snapshot.values) if layer]
    for name in job.cancel.each(names):
        entry = entries[name]
        size, location = math.prod(entry.shape), entry.location
        plain = location.strides is None and 0 < size <= BLOCK
        if plain and not (layers and any(name in layer for layer in layers)):
            groups[location.source, entry.dtype.name, size].append(name)
        else:
            alone.append(name)
    yield from ((True, group) for group in groups.values())
    if alone:
        yield False, alone


def _bools(masks: Sequence[BitMask], size: int) -> Bools:
    """Return ``bool[masks, size]``."""
    packed = np.frombuffer(b"".join([mask.packed.data for mask in masks]), np.uint8)
    rows = packed.reshape(len(masks), -1)
    return np.unpackbits(rows, axis=1, count=size, bitorder="little").view(np.bool_)


def _retained_norms(values: Floats, kept_before: Bools | None, stays: Bools) -> list[RetainedNorm]:
    """Measure each row, as `measure_retained_norm` does a tensor of one block."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        wide = values.astype(np.float64)
        np.abs(wide, out=wide)
        terms = np.square(wide), wide
        sums = [
            _sum_squares(values, term, where).tolist()
            for term in terms
            for where in (kept_before, stays)
        ]
        sizes = np.abs(values)
        goes = ~stays if kept_before is None else kept_before & ~stays
        kept = np.fmin.reduce(sizes / stays, axis=1)
        largest_pruned = np.fmax.reduce(sizes * goes, axis=1)
    # NaN where nothing is to be compared
    kept = np.where(np.isnan(kept), np.inf, kept)
    cut = np.isfinite(largest_pruned) & (largest_pruned <= kept)
    cut &= (largest_pruned > 0) | (goes & (sizes == 0)).any(axis=1)
    edges: list[float | None] = largest_pruned.tolist()
    for place in np.flatnonzero(~cut).tolist():
        edges[place] = None
    rows = zip(*sums, edges, strict=True)
    return list(map(partial(tuple.__new__, RetainedNorm), rows))


def _sum_squares(values: Floats, terms: Float64s, where: Bools | None) -> Float64s:
    """Return the sum of each row over the finite values at some places; infinite if it is."""
    sums: Float64s = np.add.reduce(terms if where is None else terms * where, axis=1)
    odd = np.flatnonzero(~np.isfinite(sums))
    if odd.size:
        finite = np.isfinite(values[odd])
        if where is not None:
            finite &= where[odd]
        sums[odd] = np.add.reduce(np.where(finite, terms[odd], 0.0), axis=1)
        sums[~np.isfinite(sums)] = math.inf
    return sums
