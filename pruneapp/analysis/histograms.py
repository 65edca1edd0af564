"""Histograms of magnitudes, binned by the upper 16 bits of the bit pattern, and channel norms.

Positive floats are ordered like their bit patterns, so all patterns with the same upper bits form
an interval of magnitudes. Floats of up to 16 bits have one bin per magnitude, so their counts are
exact.

Channel norms are measured with the same bits as the exact step ranks them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.retained_norm import batches_of_small_tensors
from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements import Bits
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.kernel import Slices
from pruneapp.kernels.norms import channel_norms
from pruneapp.kernels.sort_keys import key_table
from pruneapp.kernels.values import Bools, Counts, Float64s, decode, value_table
from pruneapp.masks.channels import channels_left, count_kept_by_channel
from pruneapp.params import Norm
from pruneapp.progress import Job

# Maximum number of bins.
BINS = 1 << 16

# Elements counted per call: they and the counters stay in the cache. np.bincount does not release
# the GIL, so this also limits how long the main thread is blocked, to a quarter of a millisecond.
PIECE = 1 << 17

# Approximate size in bytes of the Python objects around the arrays of a tensor.
OVERHEAD = 600


@dataclass(frozen=True, eq=False)
class MagnitudeHistogram:
    """Magnitudes of the weights of one tensor that a step may prune: kept and not protected.

    Attributes
    ----------
    bins
        ``uint16[k]``, ascending: the bins that are not empty, see `bin_shift`. NaN is in none.
    counts
        ``int64[k]``: number of weights per bin.
    squares, sizes
        ``float64[k]``: sum of squares and of magnitudes per bin, 0 for infinities. None for types
        of up to 16 bits, where they follow from bin and count.
    nan, zeros
        Number of weights that are NaN, and that are 0.
    protected_sums
        Sum of squares and of magnitudes of finite weights that are kept because they are protected.
    """

    bins: NDArray[np.uint16]
    counts: Counts
    squares: Float64s | None
    sizes: Float64s | None
    nan: int
    zeros: int
    protected_sums: tuple[float, float] = (0.0, 0.0)

    @property
    def nbytes(self) -> int:
        """Bytes of memory, including the surrounding objects."""
        sums = 0 if self.squares is None else 2 * self.squares.nbytes
        return self.bins.nbytes + self.counts.nbytes + sums + OVERHEAD

    def sums(self, dtype: DType) -> tuple[float, float]:
        """Return the sums of squares and of magnitudes of all kept finite weights.

        Protected weights are included. A sum is infinite where float64 overflows.
        """
        with np.errstate(over="ignore"):
            squares, sizes = (float(part.sum()) for part in self.sums_of_bins(dtype))
            return squares + self.protected_sums[0], sizes + self.protected_sums[1]

    def sums_of_bins(self, dtype: DType) -> tuple[Float64s, Float64s]:
        """Return the sums of squares and of magnitudes in each bin, 0 for infinities.

        `dtype` is that of the tensor. The arrays may be those of the histogram: do not modify them.
        """
        if self.squares is not None and self.sizes is not None:
            return self.squares, self.sizes
        values = bin_values(dtype)[self.bins]
        values[np.isinf(values)] = 0.0
        sizes = self.counts * values
        return sizes * values, sizes

    def count_up_to(self, threshold: float, dtype: DType) -> int:
        """Return how many counted magnitudes are at most `threshold`; 0 for a negative one or NaN.

        In a bin with several magnitudes they are assumed to be evenly distributed.
        """
        if not threshold >= 0:
            return 0
        values = bin_values(dtype)
        last = int(values[:-1].searchsorted(threshold, "right")) - 1
        whole = last if bin_shift(dtype) else last + 1
        # same dtype as the bins, to avoid a copy of them
        stop = int(self.bins.searchsorted(np.uint16(whole)))
        result = int(self.counts[:stop].sum())
        if whole <= last and stop < self.bins.size and self.bins[stop] == last:
            low, high = values[last], values[last + 1]
            share = (threshold - low) / (high - low) if math.isfinite(high) else 1.0
            result += round(share * int(self.counts[stop]))
        return result


def bin_shift(dtype: DType) -> int:
    """Return how many low bits of a magnitude's bit pattern a bin ignores.

    The sign bit is not part of the pattern. The 16 highest of the other bits remain, or all of them
    if there are fewer.
    """
    return max(0, dtype.bits - 17)


@lru_cache
def bin_values(dtype: DType) -> Float64s:
    """Return the lower edge of each bin of a dtype, read-only, followed by NaN.

    Returns
    -------
    ndarray
        ``float64``, ascending: magnitudes in bin ``i`` are in ``[values[i], values[i + 1])``. For
        types of up to 16 bits every bin holds a single magnitude.
    """
    assert dtype.form is not None
    values: Float64s
    shift = bin_shift(dtype)
    if shift:
        last = dtype.form.largest >> shift
        patterns = np.arange(last + 1, dtype=dtype.storage) << np.dtype(dtype.storage).type(shift)
        values = patterns.view(dtype.numpy).astype(np.float64)
    else:
        patterns = np.arange(dtype.form.largest + 1, dtype=dtype.storage)
        values = value_table(dtype)[patterns].astype(np.float64)
    values = np.append(values, math.nan)
    values.flags.writeable = False
    return values


def count_magnitudes(snapshot: Snapshot, name: str, job: Job) -> MagnitudeHistogram:
    """Count one tensor, by its first name, in one pass on the calling thread.

    Steps `job` by the elements. Pruned and protected weights are not counted, but protected ones
    are in `protected_sums`. Nothing is cached.
    """
    entry = snapshot.entry(name)
    tally = _Counters(entry.dtype)
    eligible, protected = snapshot.free_mask(name), snapshot.protected.get(name)
    protected_sums = [0.0, 0.0]
    job.label(name)
    for chunk in snapshot.chunks(name):
        for at in range(0, chunk.bits.size, PIECE):
            bits = chunk.bits[at : at + PIECE]
            start = chunk.start + at
            stop = start + bits.size
            tally.add(bits, None if eligible is None else eligible.bools(start, stop))
            if protected is not None:
                kept = protected.bools(start, stop)
                sums = _sums(bits[kept], entry.dtype)
                protected_sums = [a + b for a, b in zip(protected_sums, sums, strict=True)]
            job.step(bits.size)
    return tally.to_histogram((protected_sums[0], protected_sums[1]))


def _sums(bits: Bits, dtype: DType) -> tuple[float, float]:
    """Return the sums of squares and of magnitudes of the finite values."""
    with np.errstate(over="ignore", invalid="ignore"):  # signalling NaNs stay NaNs
        values = decode(bits, dtype).astype(np.float64)
        values = np.abs(values[np.isfinite(values)])
        return float(np.square(values).sum()), float(values.sum())


class _Counters:
    """Running counts of a tensor, filled piece by piece."""

    def __init__(self, dtype: DType) -> None:
        assert dtype.form is not None
        self._dtype = dtype
        self._form = dtype.form
        self._shift = bin_shift(dtype)
        self._counts = np.zeros(BINS, np.int64)
        # Sums of squares and of magnitudes, for wide types only.
        self._sums = np.zeros((2, BINS if self._shift else 0))
        self._zeros = self._infinite = 0

    def add(self, bits: Bits, kept: Bools | None) -> None:
        """Count the elements where `kept` is True; all of them if it is None.

        `bits` are raw elements of the dtype, 1-D; they are not modified.
        """
        if self._shift:
            self._add_wide(bits if kept is None else bits[kept])
            return
        if kept is None:
            self._counts += np.bincount(bits, minlength=BINS)
            return
        # Boolean indexing takes several times as long as overwriting the other elements with one
        # pattern and subtracting their number.
        mark = np.logical_not(kept).view(np.int8)
        marked = bits | np.negative(mark).astype(f"int{self._dtype.bits}").view(bits.dtype)
        self._counts += np.bincount(marked, minlength=BINS)
        self._counts[(1 << self._dtype.bits) - 1] -= np.count_nonzero(mark)

    def _add_wide(self, bits: Bits) -> None:
        """Count elements of more than 16 bits, and sum their squares and magnitudes per bin."""
        kind = bits.dtype.type
        keys = bits & kind(self._form.magnitude_mask)
        digits = (keys >> kind(self._shift)).astype(np.intp)
        counts = np.bincount(digits, minlength=BINS)
        self._counts += counts
        if counts[0]:
            self._zeros += keys.size - int(np.count_nonzero(keys))
        if counts[self._form.largest >> self._shift :].any():
            self._infinite += int(np.count_nonzero(keys == kind(self._form.largest)))
        # non-finite values are in bins of their own
        with np.errstate(over="ignore", invalid="ignore"):
            sizes = keys.view(self._dtype.numpy).astype(np.float64)
            self._sums[1] += np.bincount(digits, sizes, BINS)
            np.multiply(sizes, sizes, out=sizes)
            self._sums[0] += np.bincount(digits, sizes, BINS)

    def to_histogram(self, protected_sums: tuple[float, float]) -> MagnitudeHistogram:
        """Return the histogram of all elements added; call it once, as it modifies the counts."""
        counts, sums = self._counts, self._sums
        last = self._form.largest >> self._shift
        if self._shift:
            nan = int(counts[last:].sum()) - self._infinite
            counts[last:] = 0
            counts[last] = self._infinite
            zeros = self._zeros
            sums[:, last:] = 0.0
        else:
            table = key_table(self._dtype, self._dtype.bits)
            by_key = np.bincount(table, counts[: table.size], last + 2)  # exact up to 2**53
            nan, zeros = int(by_key[last + 1]), int(by_key[0])
            counts = by_key[: last + 1].astype(np.int64)
        bins = np.flatnonzero(counts)
        return MagnitudeHistogram(
            bins.astype(np.uint16),
            counts[bins],
            sums[0, bins] if self._shift else None,
            sums[1, bins] if self._shift else None,
            nan,
            zeros,
            protected_sums,
        )


def count_alike(snapshot: Snapshot, names: Sequence[str], job: Job) -> Iterator[MagnitudeHistogram]:
    """Yield the histogram of each of several small tensors of equal size and dtype, in order.

    The histograms equal those of `count_magnitudes`, but counting together is faster.
    """
    entry = snapshot.entry(names[0])
    size, dtype = entry.numel, entry.dtype
    most = max(1, PIECE // size)
    for start in range(0, len(names), most):
        part = names[start : start + most]
        bits = snapshot.checkpoint.bits_joined(part)
        kept = np.ones(bits.size, np.bool_)
        for i, name in enumerate(part if snapshot.masks else ()):
            if (mask := snapshot.masks.get(name)) is not None:
                kept[i * size : (i + 1) * size] = mask.bools()
        yield from _count_rows(bits, kept, len(part), dtype)
        job.step(bits.size)


def count_all(
    snapshot: Snapshot, names: Sequence[str], job: Job
) -> Iterator[tuple[str, MagnitudeHistogram]]:
    """Count prunable tensors, given by first names; small tensors of equal size are batched.

    Yields name and histogram, small tensors first, so not in the order of `names`. Steps `job` by
    the elements.
    """
    for together, some in batches_of_small_tensors(snapshot, names, job):
        if together:
            yield from zip(some, count_alike(snapshot, some, job), strict=True)
        else:
            for name in some:
                yield name, count_magnitudes(snapshot, name, job)


def _count_rows(bits: Bits, kept: Bools, rows: int, dtype: DType) -> Iterator[MagnitudeHistogram]:
    """Yield the histograms of `rows` tensors of equal size, concatenated in `bits`.

    Elements where `kept` is False are not counted. Counts by sorting, because each has few
    elements.
    """
    form, shift = dtype.form, bin_shift(dtype)
    assert form is not None
    keys: Bits = (
        bits & bits.dtype.type(form.magnitude_mask)
        if shift
        else np.take(key_table(dtype, dtype.bits), bits)
    )
    row = np.repeat(np.arange(rows), bits.size // rows)
    odd = keys > bits.dtype.type(form.largest)
    nan = np.bincount(row[odd & kept], minlength=rows).tolist()
    zeros = np.bincount(row[(keys == 0) & kept], minlength=rows).tolist()
    indices = np.flatnonzero(kept & ~odd)
    digits = row[indices] << 16 | (keys[indices] >> keys.dtype.type(shift)).astype(np.intp)
    order = np.argsort(digits, kind="stable")
    digits = digits[order]
    first = np.flatnonzero(np.diff(digits, prepend=-1))
    counts = np.diff(first, append=digits.size)
    squares = sizes = None
    if shift:
        values = keys[indices[order]].view(dtype.numpy).astype(np.float64)
        values[np.isinf(values)] = 0.0
        with np.errstate(over="ignore"):
            sizes = np.add.reduceat(values, first) if first.size else np.empty(0)
            squares = np.add.reduceat(np.square(values), first) if first.size else np.empty(0)
    present = digits[first]
    bins = (present & (BINS - 1)).astype(np.uint16)
    ends = np.searchsorted(present, np.arange(rows + 1) << 16).tolist()
    for i in range(rows):
        here = slice(ends[i], ends[i + 1])
        # Copies: a view would keep the arrays of all rows alive.
        yield MagnitudeHistogram(
            bins[here].copy(),
            counts[here].copy(),
            None if squares is None else squares[here].copy(),
            None if sizes is None else sizes[here].copy(),
            nan[i],
            zeros[i],
        )


@dataclass(frozen=True, eq=False)
class Channels:
    """Norms and counts of the channels of one tensor along a dimension.

    Attributes
    ----------
    norms
        ``float64[channels]``, bit-identical to `Kernel.channel_norms`; pruned weights count as 0.
    kept
        ``int64[channels]``: number of weights that are not pruned.
    free
        ``bool[channels]``: whether a step may prune the channel: it has kept weights, and none is
        protected.
    """

    norms: Float64s
    kept: Counts
    free: Bools

    @property
    def nbytes(self) -> int:
        """Bytes of memory, including the surrounding objects."""
        return self.norms.nbytes + self.kept.nbytes + self.free.nbytes + OVERHEAD


def count_channels(snapshot: Snapshot, name: str, dim: int, n: Norm, job: Job) -> Channels:
    """Measure the channels of one tensor along `dim` (from 0) by norms of order `n`.

    Pruned weights count as 0. Steps `job` by the elements. Nothing is cached.
    """
    entry = snapshot.entry(name)
    mask, protected = snapshot.masks.get(name), snapshot.protected.get(name)
    read = partial(snapshot.chunks, name)
    job.label(name)
    norms = channel_norms(Slices(entry.shape, entry.dtype, dim, mask, read), n, job)
    kept = count_kept_by_channel(mask, entry.shape, dim, job)
    free = channels_left(mask, entry.shape, dim, job)
    if protected is not None:
        free = free & ~channels_left(protected, entry.shape, dim, job)
    return Channels(norms, kept, free)
