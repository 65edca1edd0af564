"""How many weights of a tensor have which magnitude, by the upper 16 bits of its bit pattern.

For positive floats the order of the values is the order of their bits, so a bin of patterns that
share their upper bits is an interval of magnitudes. Floats of up to 16 bits have a bin for each
magnitude: what is counted of them is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.document.snapshot import Snapshot
from pruneapp.kernels.sort_keys import key_table
from pruneapp.kernels.values import decode, value_table
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

# Bins there may be.
BINS = 1 << 16

# Elements that are counted at once: they and the counters stay in the cache, and since numpy counts
# without letting other threads run, the window waits for a quarter of a millisecond at most.
PIECE = 1 << 17

# Bytes that the objects around the arrays of a tensor take, about.
OVERHEAD = 600


@dataclass(frozen=True, eq=False)
class MagnitudeHistogram:
    """The magnitudes of the weights of one tensor that a step may take: kept, not protected.

    Attributes
    ----------
    bins
        ``uint16[k]``, ascending: bins that hold something, see `bin_shift`. NaN is in none.
    counts
        ``int64[k]``: weights in each.
    squares, sizes
        ``float64[k]``: sum of squares and of magnitudes in each, 0 for infinities. None for types
        of up to 16 bits, of which bin and count say it.
    nan
        How many are NaN.
    zeros
        How many are 0.
    guarded
        Sum of squares and of magnitudes of finite weights that are kept because they are protected.
    """

    bins: NDArray[np.uint16]
    counts: NDArray[np.int64]
    squares: NDArray[np.float64] | None
    sizes: NDArray[np.float64] | None
    nan: int
    zeros: int
    guarded: tuple[float, float] = (0.0, 0.0)

    @property
    def nbytes(self) -> int:
        """Bytes of memory, those of the objects around it included."""
        sums = 0 if self.squares is None else 2 * self.squares.nbytes
        return self.bins.nbytes + self.counts.nbytes + sums + OVERHEAD

    def sums(self, dtype: DType) -> tuple[float, float]:
        """Return the sums of squares and of magnitudes of finite weights that are kept.

        The protected ones included. Infinite beyond float64.
        """
        with np.errstate(over="ignore"):
            if self.squares is not None and self.sizes is not None:
                squares, sizes = self.squares, self.sizes
            else:
                values = bin_values(dtype)[self.bins]
                finite = np.isfinite(values)
                counts = self.counts[finite].astype(np.float64)
                sizes = values[finite] * counts
                squares = np.square(values[finite]) * counts
            return float(squares.sum()) + self.guarded[0], float(sizes.sum()) + self.guarded[1]

    def below(self, threshold: float, dtype: DType) -> int:
        """Return how many have a magnitude up to `threshold`; see `HistogramStore.below`."""
        if not threshold >= 0:
            return 0
        values = bin_values(dtype)
        last = int(values[:-1].searchsorted(threshold, "right")) - 1
        whole = last if bin_shift(dtype) else last + 1
        stop = int(self.bins.searchsorted(np.uint16(whole)))  # of its type: no copy of the bins
        found = int(self.counts[:stop].sum())
        if whole <= last and stop < self.bins.size and self.bins[stop] == last:
            low, high = values[last], values[last + 1]
            share = (threshold - low) / (high - low) if math.isfinite(high) else 1.0
            found += round(share * int(self.counts[stop]))
        return found


def bin_shift(dtype: DType) -> int:
    """Return how many low bits of the pattern of a magnitude a bin leaves out.

    The sign is none of the pattern: 16 of the other 31 or 63 bits are left, or all of them.
    """
    return max(0, dtype.bits - 17)


@lru_cache
def bin_values(dtype: DType) -> NDArray[np.float64]:
    """Return the least magnitude of each bin of a type, read-only; NaN beyond the last.

    Returns
    -------
    ndarray
        ``float64``, one more than there are bins, ascending: magnitudes in bin ``i`` are from
        ``values[i]`` to below ``values[i + 1]``. Of types of up to 16 bits there is but one.
    """
    assert dtype.form is not None
    values: NDArray[np.float64]
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
    """Count one tensor in one pass, in the thread that calls.

    Parameters
    ----------
    snapshot
        The state.
    name
        First name of the tensor, one that can be pruned.
    job
        Stepped by the elements; may cancel.
    """
    entry = snapshot.entry(name)
    tally = _Counters(entry.dtype)
    eligible, protected = snapshot.eligible(name), snapshot.protected.get(name)
    guarded = [0.0, 0.0]
    job.label(name)
    for chunk in snapshot.chunks(name):
        for at in range(0, chunk.bits.size, PIECE):
            bits = chunk.bits[at : at + PIECE]
            start = chunk.start + at
            tally.add(bits, _bools(eligible, start, bits.size))
            if protected is not None:
                kept = protected.bools(start, start + bits.size)
                sums = _sums(bits[kept], entry.dtype)
                guarded = [a + b for a, b in zip(guarded, sums, strict=True)]
            job.step(bits.size)
    return tally.counted((guarded[0], guarded[1]))


def _bools(mask: BitMask | None, start: int, size: int) -> NDArray[np.bool_] | None:
    return None if mask is None else mask.bools(start, start + size)


def _sums(bits: Bits, dtype: DType) -> tuple[float, float]:
    """Return the sums of squares and of magnitudes of the finite values."""
    with np.errstate(over="ignore", invalid="ignore"):  # signalling NaNs stay NaNs
        values = decode(bits, dtype).astype(np.float64)
        values = np.abs(values[np.isfinite(values)])
        return float(np.square(values).sum()), float(values.sum())


class _Counters:
    """Counts pieces of a tensor."""

    def __init__(self, dtype: DType) -> None:
        assert dtype.form is not None
        self._dtype = dtype
        self._form = dtype.form
        self._shift = bin_shift(dtype)
        self._counts = np.zeros(BINS, np.int64)
        # Of squares and magnitudes, for wide types.
        self._sums = np.zeros((2, BINS if self._shift else 0))
        self._zeros = self._infinite = 0

    def add(self, bits: Bits, kept: NDArray[np.bool_] | None) -> None:
        """Count the elements that `kept` has, all of them if it is None."""
        if self._shift:
            self._add_wide(bits if kept is None else bits[kept])
            return
        if kept is None:
            self._counts += np.bincount(bits, minlength=BINS)
            return
        # Choosing the few takes several times as long as marking the others, all as one pattern.
        mark = np.logical_not(kept).view(np.int8)
        marked = bits | np.negative(mark).astype(f"int{self._dtype.bits}").view(bits.dtype)
        self._counts += np.bincount(marked, minlength=BINS)
        self._counts[(1 << self._dtype.bits) - 1] -= np.count_nonzero(mark)

    def _add_wide(self, bits: Bits) -> None:
        kind = bits.dtype.type
        keys = bits & kind(self._form.magnitude_mask)
        digits = (keys >> kind(self._shift)).astype(np.intp)
        counts = np.bincount(digits, minlength=BINS)
        self._counts += counts
        if counts[0]:
            self._zeros += keys.size - int(np.count_nonzero(keys))
        if counts[self._form.largest >> self._shift :].any():
            self._infinite += int(np.count_nonzero(keys == kind(self._form.largest)))
        with np.errstate(over="ignore", invalid="ignore"):  # not finite: in bins of their own
            sizes = keys.view(self._dtype.numpy).astype(np.float64)
            self._sums[1] += np.bincount(digits, sizes, BINS)
            np.multiply(sizes, sizes, out=sizes)
            self._sums[0] += np.bincount(digits, sizes, BINS)

    def counted(self, guarded: tuple[float, float]) -> MagnitudeHistogram:
        """Return what was counted."""
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
            guarded,
        )
