"""Sums of squares and magnitudes of tensors before and after a step, and the step's threshold.

A tensor is summed in flat order, in blocks of 4,096 elements: inside a block by numpy's pairwise
summation of a contiguous row; the block sums by `math.fsum`, which is exact in any order. The
result does not depend on chunk size, threads or devices.
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
from pruneapp.kernels.threads import map_in_order, threads_for
from pruneapp.kernels.values import Bools, Float64s, Floats, decode, rough_sums, write_magnitudes
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


def align_chunks(chunks: Iterable[RawChunk], multiple: int = BLOCK) -> Iterator[RawChunk]:
    """Yield the elements of chunks again, in chunks that begin at multiples of `multiple`.

    `multiple` is a number of elements, at least 1. The chunks must be contiguous, and the first
    must begin at such a multiple. Chunks that are aligned already are not copied. Only the last
    chunk may have another size than a multiple.
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
    """Return the sum of each block of `BLOCK` elements of a contiguous 1-D array.

    The last block may be shorter; an empty array has no block.
    """
    whole = values.size - values.size % BLOCK
    sums: Float64s = np.add.reduce(values[:whole].reshape(-1, BLOCK), axis=1)
    if whole < values.size:
        sums = np.append(sums, np.add.reduce(values[whole:]))
    return sums


def real_values(bits: Bits, dtype: DType, name: str) -> Floats:
    """Return the values of elements of any dtype; complex numbers as their magnitudes.

    Raises `CheckpointError` if the elements are packed (4 and 6-bit floats).
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


# float64 values processed at a time: they fit into the cache of a core.
_PIECE = 32 * BLOCK
# Elements of a thread task: buffers of larger tasks are returned to the system and reallocated.
_STRETCH = 64 * BLOCK


class RetainedNorm(NamedTuple):
    """Sums of squares and of magnitudes of the kept weights before and after a step.

    NaN and infinite weights are omitted; a sum is infinite where float64 overflows. `threshold` is
    the largest pruned magnitude if every smaller weight that could be pruned was pruned; None if
    there is no such threshold or nothing was pruned.
    """

    before: float
    after: float
    sizes_before: float
    sizes_after: float
    threshold: float | None = None

    @property
    def share(self) -> float | None:
        """Share of the squares retained, from 0 to 1; None if the sum before is 0 or infinite."""
        return _share(self.before, self.after)

    @property
    def magnitude(self) -> float | None:
        """Share of the magnitudes retained, from 0 to 1; None as for `share`."""
        return _share(self.sizes_before, self.sizes_after)


def _share(before: float, after: float) -> float | None:
    return after / before if math.isfinite(before) and before > 0 else None


def shares_of(before: Float64s, after: Float64s) -> Float64s:
    """Return `after` / `before` for each sum; NaN where `before` is 0 or not finite."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(np.isfinite(before) & (before > 0), after / before, math.nan)


def measure_retained_norm(
    snapshot: Snapshot, name: str, after: BitMask, job: Job, threads: int | None = None
) -> RetainedNorm:
    """Return sums of squares and magnitudes of a tensor before and after a step, in one pass.

    The result is bit-identical for all chunk sizes and thread counts. `after`, the mask after the
    step, must be a subset of the mask before; `job` is stepped by the elements.
    """
    size = after.size
    before, protected = snapshot.masks.get(name), snapshot.protected.get(name)
    dtype = snapshot.entry(name).dtype
    totals = _NormSums()

    def work(start: int) -> _NormSums:
        measured = _NormSums(min(_STRETCH, size - start))
        with np.errstate(all="ignore"):  # infinities and NaN are excluded below
            for chunk in align_chunks(snapshot.chunks(name, start, start + measured.size)):
                for first in range(0, chunk.bits.size, _PIECE):
                    job.cancel.check()
                    values = real_values(chunk.bits[first : first + _PIECE], dtype, name)
                    at = chunk.start + first
                    kept_before, kept_after, guarded = (
                        None if mask is None else mask.bools(at, at + values.size)
                        for mask in (before, after, protected)
                    )
                    assert kept_after is not None
                    # Once the merged parts have no threshold, the search for it is skipped.
                    measured.add(values, kept_before, kept_after, guarded, edge=totals.has_cut)
        return measured

    for stretch in map_in_order(range(0, size, _STRETCH), work, job, threads_for(size, threads)):
        totals.merge(stretch)
        job.step(stretch.size)
    squares_before, squares_after, sizes_before, sizes_after = map(total_of, totals.sums)
    threshold = totals.largest_pruned_size
    if not (totals.has_cut and math.isfinite(threshold)):
        return RetainedNorm(squares_before, squares_after, sizes_before, sizes_after)
    return RetainedNorm(squares_before, squares_after, sizes_before, sizes_after, threshold)


@dataclass
class _NormSums:
    """Sums over some elements of a tensor, and the range of pruned and kept magnitudes.

    `sums` are the block sums of squares before and after, and of magnitudes before and after.
    """

    size: int = 0
    sums: tuple[list[float], ...] = field(default_factory=lambda: ([], [], [], []))
    largest_pruned_size: float = -math.inf
    smallest_kept: float = math.inf

    @property
    def has_cut(self) -> bool:
        """Whether no kept weight is smaller than a pruned one."""
        return self.largest_pruned_size <= self.smallest_kept

    def merge(self, other: _NormSums) -> None:
        """Add the sums and limits of the next part of the tensor.

        `size` is not added. A limit of the part that is NaN is ignored.
        """
        for total, part in zip(self.sums, other.sums, strict=True):
            total.extend(part)
            if len(total) > MANY_SUMS:
                total[:] = condense_sums(total)
        self.largest_pruned_size = max(self.largest_pruned_size, other.largest_pruned_size)
        self.smallest_kept = min(self.smallest_kept, other.smallest_kept)

    def add(
        self,
        values: Floats,
        kept_before: Bools | None,
        kept_after: Bools,
        protected: Bools | None,
        *,
        edge: bool,
    ) -> None:
        """Add a piece of the tensor, with its masks before and after the step.

        `kept_before` and `protected` of None mean all and none. `kept_after` may be modified.
        `edge` states whether to update the limits of pruned and kept magnitudes, too.
        """
        sizes = values.astype(np.float64)
        np.abs(sizes, out=sizes)
        terms = np.square(sizes), sizes
        parts = ((term, where) for term in terms for where in (kept_before, kept_after))
        for total, (term, where) in zip(self.sums, parts, strict=True):
            total.extend(_sums(values, term, where))
        if not (edge and self.has_cut):
            return
        pruned = ~kept_after if kept_before is None else kept_before & ~kept_after
        if protected is not None:  # protected weights do not limit the threshold
            kept_after &= ~protected
        narrow = np.abs(values)
        # x / 0 is infinite or NaN, both of which np.fmin ignores: np.where takes ten times as long.
        self.smallest_kept = min(self.smallest_kept, float(np.fmin.reduce(narrow / kept_after)))
        if pruned.any():
            largest = float(np.fmax.reduce(narrow * pruned))
            # Kept weights count as 0 here, and a pruned NaN has no magnitude: check for real zeros.
            if largest > 0 or np.any(pruned & (narrow == 0)):
                self.largest_pruned_size = max(self.largest_pruned_size, largest)


def _sums(values: Floats, terms: Float64s, where: Bools | None) -> list[float]:
    """Return the block sums of `terms` where `values` is finite and `where` is True."""
    sums = block_sums(terms if where is None else terms * where)
    if np.isfinite(sums).all():
        return cast(list[float], sums.tolist())
    finite = np.isfinite(values) if where is None else np.isfinite(values) & where
    return cast(list[float], block_sums(np.where(finite, terms, 0.0)).tolist())


# Number of sums after which they are condensed.
MANY_SUMS = 1 << 16


def condense_sums(sums: Sequence[float]) -> list[float]:
    """Return a few numbers with the same exact sum as `sums`, which must not be negative.

    `total_of` of the result equals that of the input, however many parts a tensor has. ``[inf]`` if
    a number is not finite or the sum overflows; empty if the sum is 0.
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
    """Return the exact sum, rounded once; infinite where float64 overflows."""
    try:
        return math.fsum(sums) if all(map(math.isfinite, sums)) else math.inf
    except OverflowError:  # math.fsum raises even if all summands are finite
        return math.inf


# Elements of a thread task of `measure_kept_norms`, and elements checked for a threshold.
_LONG_STRETCH = 1 << 20
_FIRST = 4 * BLOCK
# Range of mean squares in which float32 is accurate enough.
_FLOAT32_MEAN_SQUARES = 1e-24, 1e24


def measure_kept_norms(
    snapshot: Snapshot,
    after: Mapping[str, BitMask],
    before: Mapping[str, tuple[float, float]],
    kept: Mapping[str, tuple[float, float]],
    job: Job,
) -> dict[str, RetainedNorm]:
    """Return approximate retained norms, four times as fast as `measure_retained_norms`.

    Parameters
    ----------
    after
        Masks after the step, by first name.
    before
        Known sums of squares and of magnitudes before the step, by first name.
    kept
        Sums after the step that were computed already; these tensors are not read.

    Returns
    -------
    dict
        Retained norms of the tensors in `before`, by first name, without thresholds. Sums after the
        step use float32 products and block sums, with a relative error of up to one millionth.
        Omitted are tensors that may have a magnitude threshold, which only `measure_retained_norms`
        finds, whose type does not fit into float32, or with non-finite sums.
    """
    names = [
        name
        for name, (squares, _) in before.items()
        if snapshot.entry(name).dtype.name in {"F32", "F16", "BF16"}
        and _FLOAT32_MEAN_SQUARES[0] < squares / after[name].size < _FLOAT32_MEAN_SQUARES[1]
        and not _may_have_cut(snapshot, name, after[name])
    ]

    def work(task: tuple[str, int]) -> tuple[str, float, float]:
        name, start = task
        stop = min(start + _LONG_STRETCH, after[name].size)
        dtype, squares, sizes = snapshot.entry(name).dtype, 0.0, 0.0
        with np.errstate(all="ignore"):
            for chunk in snapshot.chunks(name, start, stop):
                job.cancel.check()
                kept_after = after[name].bools(chunk.start, chunk.start + chunk.bits.size)
                magnitudes = np.empty(chunk.bits.size, np.float32)
                write_magnitudes(chunk.bits, dtype, magnitudes)
                magnitudes *= kept_after
                part = rough_sums(magnitudes)
                squares, sizes = squares + part[0], sizes + part[1]
        return name, squares, sizes

    unread = [name for name in names if name not in kept]
    tasks = [(n, start) for n in unread for start in range(0, after[n].size, _LONG_STRETCH)]
    squares, sizes = ({n: kept[n][part] if n in kept else 0.0 for n in names} for part in (0, 1))
    threads = threads_for(sum([after[name].size for name in unread]))
    for name, of_squares, of_sizes in map_in_order(tasks, work, job, threads):
        squares[name] += of_squares
        sizes[name] += of_sizes
    return {
        name: RetainedNorm(before[name][0], squares[name], before[name][1], sizes[name])
        for name in names
        if math.isfinite(squares[name] + sizes[name])
    }


def _may_have_cut(snapshot: Snapshot, name: str, after: BitMask) -> bool:
    """Return whether the first elements fit a magnitude threshold, for the mask `after` a step.

    That is, whether no kept weight among them is smaller than a pruned one; reads them.
    """
    measured = _NormSums()
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


# Elements of a matrix: its squares in float64 fit into the cache of a core.
_PIECE_ENERGIES = 64 * BLOCK
# Fewer tensors than this are measured just as fast one by one.
_FEW = 4


def measure_retained_norms(
    snapshot: Snapshot, after: Mapping[str, BitMask], job: Job
) -> dict[str, RetainedNorm]:
    """Return what `measure_retained_norm` does for each tensor in `after`, masks by first name.

    Small tensors of equal size are measured together, with the same bits, and come first. Steps
    `job` by the elements.
    """
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
        with closing(map_in_order(parts, work, job, threads_for(size * len(names)))) as measured:
            for part, norms in zip(parts, measured, strict=True):
                job.label(part[0])
                result |= zip(part, norms, strict=True)
                job.step(size * len(part))
    return result


def _norms_alike(
    snapshot: Snapshot, after: Mapping[str, BitMask], names: Sequence[str]
) -> list[RetainedNorm]:
    """Return the norms of small tensors of one dtype and size, which are read together, in order.

    `after` are their masks by name. Only for tensors of `batches_of_small_tensors`.
    """
    dtype, size = snapshot.entry(names[0]).dtype, after[names[0]].size
    bits = snapshot.checkpoint.bits_joined(names)
    values = real_values(bits, dtype, names[0]).reshape(len(names), size)
    before = [snapshot.masks.get(name) for name in names]
    kept_before = None
    if any(mask is not None for mask in before):
        everything = BitMask.full(size)
        kept_before = _bools([mask or everything for mask in before], size)
    kept_after = _bools([after[name] for name in names], size)
    return _retained_norms(values, kept_before, kept_after)


def batches_of_small_tensors(
    snapshot: Snapshot, names: Sequence[str], job: Job
) -> Iterator[tuple[bool, list[str]]]:
    """Group small tensors that can be read together.

    A numpy call costs about a microsecond whatever its size, and a tensor needs some thirty.
    Tensors of one source, dtype and size of at most `BLOCK` elements become the rows of a matrix:
    each is one block, so the sum of a row is the sum of the tensor. Tensors with protected,
    permanent or replaced weights are not grouped.

    Yields
    ------
    bool, list of str
        Whether the tensors are such a group, and their first names. Tensors of a list with False
        are to be processed one by one.
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
    packed = np.frombuffer(b"".join([mask.packed.data for mask in masks]), np.uint8)
    rows = packed.reshape(len(masks), -1)
    return np.unpackbits(rows, axis=1, count=size, bitorder="little").view(np.bool_)


def _retained_norms(
    values: Floats, kept_before: Bools | None, kept_after: Bools
) -> list[RetainedNorm]:
    """Return the norms of each row, as `measure_retained_norm` of a tensor of one block.

    The arrays are ``[tensors, elements]``; `kept_before` of None means all. No weight is protected.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        wide = values.astype(np.float64)
        np.abs(wide, out=wide)
        terms = np.square(wide), wide
        sums = [
            _sum_squares(values, term, where).tolist()
            for term in terms
            for where in (kept_before, kept_after)
        ]
        sizes = np.abs(values)
        pruned = ~kept_after if kept_before is None else kept_before & ~kept_after
        kept = np.fmin.reduce(sizes / kept_after, axis=1)
        largest_pruned = np.fmax.reduce(sizes * pruned, axis=1)
    # Rows without kept weights have no limit.
    kept = np.where(np.isnan(kept), np.inf, kept)
    cut = np.isfinite(largest_pruned) & (largest_pruned <= kept)
    cut &= (largest_pruned > 0) | (pruned & (sizes == 0)).any(axis=1)
    edges: list[float | None] = largest_pruned.tolist()
    for place in np.flatnonzero(~cut).tolist():
        edges[place] = None
    rows = zip(*sums, edges, strict=True)
    return list(map(partial(tuple.__new__, RetainedNorm), rows))


def _sum_squares(values: Floats, terms: Float64s, where: Bools | None) -> Float64s:
    """Return each row's sum of `terms` where `values` is finite and `where` is True.

    The sum is infinite where float64 overflows.
    """
    sums: Float64s = np.add.reduce(terms if where is None else terms * where, axis=1)
    odd = np.flatnonzero(~np.isfinite(sums))
    if odd.size:
        finite = np.isfinite(values[odd])
        if where is not None:
            finite &= where[odd]
        sums[odd] = np.add.reduce(np.where(finite, terms[odd], 0.0), axis=1)
        sums[~np.isfinite(sums)] = math.inf
    return sums
