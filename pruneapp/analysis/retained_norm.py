"""Sums of squares and magnitudes before and after.

How much of a tensor's sums of squares and magnitudes a step leaves, and where it cuts.

The energies of many tensors: small ones that are alike are measured side by side.

A call of numpy takes a microsecond however little it does, and a tensor needs some thirty: a file
of 100,000 small tensors took seconds. Tensors of one type and one size are the rows of a matrix.

Chunks cut at fixed places, so that a sum over them is the same however the file was read.

Sums over a tensor are made like this: elements in flat order, in blocks of 4,096; inside a block
by numpy's pairwise summation of a contiguous row; the sums of the blocks added by `math.fsum`,
which is exact whatever the order. The size of chunks, threads and devices play no part.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements import Bits, RawChunk
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import CheckpointError
from pruneapp.kernels.kernel import BLOCK
from pruneapp.kernels.threads import WORTH_THREADS, default_threads, in_order
from pruneapp.kernels.values import Floats, decode
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


def block_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each block of `BLOCK` elements; the last block may be short.

    `values` is 1-D and contiguous.
    """
    whole = values.size - values.size % BLOCK
    sums: NDArray[np.float64] = np.add.reduce(values[:whole].reshape(-1, BLOCK), axis=1)
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


@dataclass(frozen=True)
class Energy:
    """Sums of what is kept.

    Attributes
    ----------
    before, after
        Of squares, float64. NaN and infinite weights are left out; infinite where float64
        overflows.
    sizes_before, sizes_after
        Of magnitudes, likewise.
    threshold
        The largest magnitude that went, if nothing smaller was kept that might have gone; None if
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


def measure_energy(
    snapshot: Snapshot, name: str, after: BitMask, job: Job, threads: int | None = None
) -> Energy:
    """Add up squares and magnitudes of a tensor before and after a step, in one pass.

    The order of addition is that of `pruneapp.analysis.retained_norm`, so that the result is
    the same to the last bit whatever the chunks and threads.

    Parameters
    ----------
    snapshot
        The state before.
    name
        First name of the tensor.
    after
        Its mask after the step, a part of the mask before.
    job
        Stepped by the elements.
    threads
        How many work at once; one for a small tensor, else as many as there are cores by default.
    """
    size = after.size
    if size < WORTH_THREADS:
        threads = 1
    sums: tuple[list[float], ...] = ([], [], [], [])
    work = _Stretches(snapshot, name, after, job)
    tasks = ((start, min(start + _STRETCH, size)) for start in range(0, size, _STRETCH))
    for found in in_order(tasks, work, job, threads or default_threads()):
        for total, part in zip(sums, found.sums, strict=True):
            total.extend(part)
        work.edge.meet(found.edge)
        job.step(found.size)
    squares_before, squares_after, sizes_before, sizes_after = map(total_of, sums)
    return Energy(squares_before, squares_after, sizes_before, sizes_after, work.edge.threshold)


@dataclass
class _Edge:
    """How far what goes and what stays reach towards each other."""

    largest_gone: float = -math.inf
    smallest_kept: float = math.inf

    @property
    def clear(self) -> bool:
        """Whether nothing that stays is smaller than what goes."""
        return self.largest_gone <= self.smallest_kept

    @property
    def threshold(self) -> float | None:
        """See `Energy.threshold`."""
        return self.largest_gone if self.clear and math.isfinite(self.largest_gone) else None

    def meet(self, other: _Edge) -> None:
        """Take in what was found elsewhere; NaN is passed over."""
        self.largest_gone = max(self.largest_gone, other.largest_gone)
        self.smallest_kept = min(self.smallest_kept, other.smallest_kept)


@dataclass
class _Sums:
    """What a stretch of a tensor adds.

    Attributes
    ----------
    size
        Its elements.
    sums
        Those of its blocks: squares before and after, magnitudes before and after.
    edge
        Its own.
    """

    size: int = 0
    sums: tuple[list[float], ...] = field(default_factory=lambda: ([], [], [], []))
    edge: _Edge = field(default_factory=_Edge)


class _Stretches:
    """Measures stretches of a tensor, in any thread; see `measure_energy`."""

    def __init__(self, snapshot: Snapshot, name: str, after: BitMask, job: Job) -> None:
        self._snapshot = snapshot
        self._name = name
        self._dtype = snapshot.entry(name).dtype
        self._before = snapshot.masks.get(name)
        self._after = after
        self._protected = snapshot.protected.get(name)
        self._job = job
        self.edge = _Edge()  # of the stretches that were taken

    def __call__(self, stretch: tuple[int, int]) -> _Sums:
        """Measure the elements from one flat index to another, the first a block's border."""
        found = _Sums(stretch[1] - stretch[0])
        with np.errstate(all="ignore"):  # infinities and NaN are left out
            for chunk in aligned(self._snapshot.chunks(self._name, *stretch)):
                for first in range(0, chunk.bits.size, _PIECE):
                    self._job.cancel.check()
                    values = real_values(
                        chunk.bits[first : first + _PIECE], self._dtype, self._name
                    )
                    self._measure(chunk.start + first, values, found)
        return found

    def _measure(self, start: int, values: Floats, found: _Sums) -> None:
        stop = start + values.size
        there = None if self._before is None else self._before.bools(start, stop)
        stays = self._after.bools(start, stop)
        sizes = values.astype(np.float64)
        np.abs(sizes, out=sizes)
        terms = np.square(sizes), sizes
        parts = ((term, where) for term in terms for where in (there, stays))
        for total, (term, where) in zip(found.sums, parts, strict=True):
            total.extend(_sums(values, term, where))
        if not (self.edge.clear and found.edge.clear):
            return  # there is no cut
        goes = ~stays if there is None else there & ~stays
        if self._protected is not None:  # nothing of it might have gone
            stays &= ~self._protected.bools(start, stop)
        narrow = np.abs(values)
        # x / 0 is infinite or NaN, which fmin passes over: choosing by np.where takes ten times
        # as long
        smallest = float(np.fmin.reduce(narrow / stays))
        largest = float(np.fmax.reduce(narrow * goes)) if goes.any() else -math.inf
        found.edge.meet(_Edge(largest, smallest))


def _sums(
    values: Floats, terms: NDArray[np.float64], where: NDArray[np.bool_] | None
) -> list[float]:
    """Return the block sums of the terms of the finite values at some places."""
    sums = block_sums(terms if where is None else terms * where)
    if np.isfinite(sums).all():
        return cast(list[float], sums.tolist())
    there = np.isfinite(values) if where is None else np.isfinite(values) & where
    return cast(list[float], block_sums(np.where(there, terms, 0.0)).tolist())


def total_of(sums: Sequence[float]) -> float:
    """Return the exact sum of some sums, rounded once; infinite where float64 overflows."""
    try:
        return math.fsum(sums) if all(map(math.isfinite, sums)) else math.inf
    except OverflowError:  # of finite sums, as fsum has it
        return math.inf


# Elements of a matrix: its squares in float64 stay in the cache of a core.
_PIECE_ENERGIES = 64 * BLOCK
# So few are measured one by one as quickly.
_FEW = 4


def measure_energies(
    snapshot: Snapshot, after: Mapping[str, BitMask], job: Job
) -> dict[str, Energy]:
    """Return what `measure_energy` returns for each tensor, to the last bit.

    Parameters
    ----------
    snapshot
        The state before.
    after
        The masks after the step, by first names.
    job
        Stepped by the elements.
    """
    alike: dict[tuple[int, str, int, bool], list[str]] = defaultdict(list)
    alone: list[str] = []
    entries, masks = snapshot.checkpoint.entries, snapshot.masks
    apart = {*snapshot.permanent, *snapshot.protected}
    for batch in job.cancel.batches(after.items()):
        for name, mask in batch:
            entry = entries[name]
            # One block, so that the sum of a row is the sum of a tensor.
            if 0 < mask.size <= BLOCK and entry.location.strides is None and name not in apart:
                key = (entry.location.source, entry.dtype.name, mask.size, name in masks)
                alike[key].append(name)
            else:
                alone.append(name)
    found: dict[str, Energy] = {}
    for (_, _, size, pruned), names in alike.items():
        if len(names) < _FEW:
            alone += names
            continue
        dtype = snapshot.entry(names[0]).dtype
        start = 0
        for bits in snapshot.checkpoint.bits_alike(names, _PIECE_ENERGIES // size):
            part = names[start : start + len(bits)]
            start += len(bits)
            job.label(part[0])
            values = real_values(bits.reshape(-1), dtype, part[0]).reshape(bits.shape)
            there = _bools([snapshot.masks[name] for name in part], size) if pruned else None
            stays = _bools([after[name] for name in part], size)
            found |= zip(part, _energies(values, there, stays), strict=True)
            job.step(bits.size)
    for name in alone:
        job.label(name)
        found[name] = measure_energy(snapshot, name, after[name], job)
    return found


def _bools(masks: Sequence[BitMask], size: int) -> NDArray[np.bool_]:
    """Return ``bool[masks, size]``."""
    packed = np.frombuffer(b"".join([mask.packed.data for mask in masks]), np.uint8)
    rows = packed.reshape(len(masks), -1)
    return np.unpackbits(rows, axis=1, count=size, bitorder="little").view(np.bool_)


def _energies(
    values: Floats, there: NDArray[np.bool_] | None, stays: NDArray[np.bool_]
) -> list[Energy]:
    """Measure each row, as `measure_energy` does a tensor of one block."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        wide = values.astype(np.float64)
        np.abs(wide, out=wide)
        terms = np.square(wide), wide
        sums = [
            _sums_energies(values, term, where).tolist()
            for term in terms
            for where in (there, stays)
        ]
        sizes = np.abs(values)
        goes = ~stays if there is None else there & ~stays
        kept = np.fmin.reduce(sizes / stays, axis=1)
        gone = np.fmax.reduce(sizes * goes, axis=1)
    # NaN where nothing is to be compared
    kept = np.where(np.isnan(kept), np.inf, kept)
    cut = goes.any(axis=1) & np.isfinite(gone) & (gone <= kept)
    edges = [edge if is_cut else None for edge, is_cut in zip(gone.tolist(), cut, strict=True)]
    return list(map(Energy, *sums, edges))


def _sums_energies(
    values: Floats, terms: NDArray[np.float64], where: NDArray[np.bool_] | None
) -> NDArray[np.float64]:
    """Return the sum of each row over the finite values at some places; infinite if it is."""
    sums: NDArray[np.float64] = np.add.reduce(terms if where is None else terms * where, axis=1)
    odd = np.flatnonzero(~np.isfinite(sums))
    if odd.size:
        there = np.isfinite(values[odd])
        if where is not None:
            there &= where[odd]
        sums[odd] = np.add.reduce(np.where(there, terms[odd], 0.0), axis=1)
        sums[~np.isfinite(sums)] = math.inf
    return sums
