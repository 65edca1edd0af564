"""Cumulative sums of histograms of several tensors, so that a cut needs no loop over tensors.

For weights by magnitude, and for channels in the order in which they are pruned. They are built for
a row of a step, and cached for the next move of a slider.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis import histogram_store
from pruneapp.analysis.histogram_store import dims_of, orders_of
from pruneapp.analysis.histograms import MagnitudeHistogram, bin_shift, bin_values
from pruneapp.checkpoint.dtypes import DType
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.values import Bools, Counts, Float64s, Indices
from pruneapp.methods import registry
from pruneapp.methods.amounts import Running, split_in_order
from pruneapp.methods.method import ChannelMethod
from pruneapp.params import AmountParam
from pruneapp.progress import Job


@dataclass(frozen=True, eq=False)
class CumulativeCut:
    """What a cut prunes in each tensor; all arrays are ``[tensors]``."""

    pruned: Counts
    # The largest pruned magnitude; NaN if nothing is pruned, infinities are, or it is unknown.
    thresholds: Float64s
    # Sums of squares and of magnitudes of the pruned weights.
    squares: Float64s
    sizes: Float64s
    exact: bool  # whether all values are exact


class CumulativeTable:
    """The magnitudes of the weights that a step may prune, of several tensors in order.

    A tensor has a cell for each of its bins, in order, and an empty cell at the end. Tensors with
    similar numbers of bins are interleaved (see `_Cells`): a cut is at about the same bin of each,
    so it accesses adjacent memory. It is built of the histograms and dtypes of the tensors.
    """

    complete = True  # all sums are known

    def __init__(self, counted: Sequence[MagnitudeHistogram], dtypes: Sequence[DType]) -> None:
        kinds = {dtype: i for i, dtype in enumerate(dict.fromkeys(dtypes))}
        self._dtypes = tuple(kinds)
        self._kind = np.array([kinds[d] for d in dtypes], np.intp)
        lengths = np.array([c.bins.size for c in counted], np.intp)
        counts: Counts = _concatenated(c.counts for c in counted)
        bins: NDArray[np.uint16] = _concatenated(c.bins for c in counted)
        squares, sizes = self._sums(counted, bins, counts, lengths)
        self._cells = cells = _Cells(lengths)
        self._bins = cells.fill(bins, _NO_BIN)
        self._held = cells.fill(counts.astype(np.min_scalar_type(counts.max(initial=0))), 0)
        # Sums of the earlier bins of the tensor; the total in the empty cell.
        self._counts = cells.cumulate(counts)
        self._squares = cells.cumulate(squares)
        self._sizes = cells.cumulate(sizes)
        cells.release_places()
        self.finite: Counts = self._counts[cells.ends]  # number of prunable weights without NaN
        # Sums of squares and of magnitudes of the prunable weights.
        self.squares: Float64s = self._squares[cells.ends]
        self.sizes: Float64s = self._sizes[cells.ends]
        # Bins of the last cut, and of the last search, per tensor.
        self._last_cut, self._last_bin = np.zeros_like(lengths), np.zeros_like(lengths)
        self.nan: Counts = np.array([c.nan for c in counted], np.int64)
        protected = np.array([c.protected_sums for c in counted], np.float64).reshape(-1, 2)
        self.protected_squares: Float64s = protected[:, 0]
        self.protected_sizes: Float64s = protected[:, 1]

    def _sums(
        self,
        counted: Sequence[MagnitudeHistogram],
        bins: NDArray[np.uint16],
        counts: Counts,
        lengths: Indices,
    ) -> tuple[Float64s, Float64s]:
        """Return the sums of squares and of magnitudes in each bin of all tensors, concatenated.

        For dtypes of up to 16 bits they are computed from the values of the bins (infinity as 0),
        for others the histograms have them. `lengths` is the number of bins per tensor.
        """
        squares, sizes = np.empty(counts.size), np.empty(counts.size)
        for i, dtype in enumerate(self._dtypes):
            of_dtype: slice | Bools = slice(None)
            if len(self._dtypes) > 1:
                of_dtype = np.repeat(self._kind == i, lengths)
            if bin_shift(dtype):
                histograms = [
                    c for c, k in zip(counted, self._kind.tolist(), strict=True) if k == i
                ]
                squares[of_dtype] = _concatenated(c.squares for c in histograms)
                sizes[of_dtype] = _concatenated(c.sizes for c in histograms)
                continue
            values = bin_values(dtype)[bins[of_dtype]]
            values[np.isinf(values)] = 0.0
            sizes[of_dtype] = counts[of_dtype] * values
            squares[of_dtype] = sizes[of_dtype] * values
        return squares, sizes

    @property
    def nbytes(self) -> int:
        """Approximate memory in bytes."""
        arrays = (self._bins, self._held, self._counts, self._squares, self._sizes)
        ends = 8 * sum(bin_values(dtype).size for dtype in self._dtypes)
        return sum(a.nbytes for a in arrays) + ends + 120 * self.nan.size

    @property
    def exact(self) -> bool:
        """Whether each bin has a single magnitude."""
        return not any(bin_shift(dtype) for dtype in self._dtypes)

    def cut(self, counts: Counts) -> CumulativeCut:
        """Return the effect of pruning the smallest weights, `counts` (``int64[tensors]``) of each.

        NaN is pruned last. Inside the bin of the cut, magnitudes of more than 16 bits are assumed
        to be evenly distributed. The bins are remembered as the start of the next search.
        """
        finite = np.minimum(counts, self.finite)
        some = finite > 0
        if not some.any():
            zero = np.zeros(counts.size)
            return CumulativeCut(counts, np.full(counts.size, math.nan), zero, zero, exact=True)
        # The bin of the last pruned weight; arbitrary if nothing is pruned.
        last = self._cells.at(self._last_below(finite))
        inside = finite - self._counts[last]
        share = np.where(some, inside / np.maximum(self._held[last], 1), 0.0)
        next_cells = np.where(some, last + self._cells.strides, last)
        sums = []
        for running in (self._squares, self._sizes):
            before, all_of_it = running[last], running[next_cells]
            with np.errstate(invalid="ignore"):
                part = np.where(share == 1, all_of_it, before + share * (all_of_it - before))
            sums.append(np.where(some, part, 0.0))
        thresholds = np.where(some, self._thresholds(last, share), math.nan)
        return CumulativeCut(counts, thresholds, sums[0], sums[1], self.exact)

    def _last_below(self, finite: Counts) -> Indices:
        """Return the last bin of each tensor with fewer than `finite` weights in earlier bins.

        0 if there is none, or if `finite` is 0. Remembers the result as the next guess.
        """
        lengths = self._cells.lengths
        # Bounds of the search: as no bin is empty, n weights are in at most n bins.
        high = np.minimum(finite, lengths)
        low = np.clip(finite - (self.finite - lengths), 0, high)
        self._last_cut = self._first(self._counts, finite, self._last_cut, low, high)
        return np.maximum(self._last_cut - 1, 0)

    def _first(
        self, column: NDArray[Any], minimum: Counts, guess: Indices, low: Indices, high: Indices
    ) -> Indices:
        """Return for each tensor the first bin whose cell in `column` is at least `minimum`.

        `column` ascends within a tensor. The result is between `low` and `high`; `high` if no cell
        is large enough. The search begins at `guess`, because most tensors keep their bin during
        slider moves, and for a cut after a search.
        """
        cells = self._cells
        places = cells.at(guess)
        is_found = column[places] >= minimum
        places -= cells.strides
        is_found &= (guess == 0) | (column[np.maximum(places, 0)] < minimum)
        left = np.flatnonzero(~is_found)
        low, high, minimum = low[left], high[left], minimum[left]
        bases, strides = cells.bases[left], cells.strides[left]
        while (low < high).any():
            middle = (low + high) >> 1
            small = column[bases + middle * strides] < minimum
            low, high = np.where(small, middle + 1, low), np.where(small, high, middle)
        found = guess.copy()
        found[left] = low
        return found

    def count_up_to(self, threshold: float) -> int:
        """Return the number of weights of all tensors with magnitudes up to `threshold`.

        As `histogram_store.count_up_to`, except for rounding per tensor; in time that does not
        depend on the number of tensors.
        """
        return sum(
            kind.count_up_to(threshold, d)
            for kind, d in zip(self._combined, self._dtypes, strict=True)
        )

    @cached_property
    def _combined(self) -> tuple[MagnitudeHistogram, ...]:
        """The combined histograms of all tensors of each dtype."""
        found = []
        for totals in self._totals:
            bins = np.flatnonzero(totals).astype(np.uint16)
            found.append(MagnitudeHistogram(bins, totals[bins], None, None, 0, 0))
        return tuple(found)

    @cached_property
    def _totals(self) -> tuple[Counts, ...]:
        """Number of weights of all tensors of a dtype in each bin; 0.5 MB per dtype."""
        return tuple(self._totals_of(np.ones(self.nan.size, np.bool_)))

    def _totals_of(self, among: Bools) -> Iterator[Counts]:
        """Yield the number of weights in each bin per dtype, of the tensors in `among`."""
        for i in range(len(self._dtypes)):
            selected = among & (self._kind == i)
            held = self._held if selected.all() else self._held * self._cells.spread(selected)
            yield np.bincount(self._bins, held, _NO_BIN + 1).astype(np.int64)  # exact up to 2**53

    def cut_at_random(self, counts: Counts, *, sure: bool) -> CumulativeCut:
        """Return the expected effect of pruning `counts` random weights, exact if `sure`."""
        share = counts / np.maximum(self.finite + self.nan, 1)
        with np.errstate(invalid="ignore"):  # 0 times an infinite sum
            sums = share * self.squares, share * self.sizes
        return CumulativeCut(counts, np.full(counts.size, math.nan), *sums, sure)

    def _thresholds(self, places: Indices, share: Float64s) -> Float64s:
        """Return the magnitude at the fraction `share` of one bin per tensor; NaN if infinite.

        `places` are the cells of the bins. Bins of dtypes up to 16 bits have a single magnitude.
        """
        result = np.empty(places.size)
        bins = self._bins[places]
        for i, dtype in enumerate(self._dtypes):
            of_dtype = slice(None) if len(self._dtypes) == 1 else self._kind == i
            values = bin_values(dtype)
            clipped_bins = np.minimum(bins[of_dtype], values.size - 2)  # clips `_NO_BIN`
            low = values[clipped_bins]
            if bin_shift(dtype):
                high = values[clipped_bins + 1]
                some = np.isfinite(high)
                low[some] += share[of_dtype][some] * (high[some] - low[some])
            result[of_dtype] = low
        result[np.isinf(result)] = math.nan
        return result

    def shares(self, among: Bools, count: int) -> Counts:
        """Return the number of pruned weights per tensor for a cut of several tensors together.

        The `count` smallest weights of the tensors in `among` (``bool[tensors]``) are pruned;
        others get 0. Of equal magnitudes, those of earlier tensors are pruned first; in a bin with
        several magnitudes, each tensor loses the same share. NaN is pruned last. A count beyond all
        weights prunes all. The bins are remembered for the next `cut`.
        """
        all_selected = bool(among.all())
        finite = self.finite if all_selected else np.where(among, self.finite, 0)
        if count >= finite.sum():
            return finite + split_in_order(np.where(among, self.nan, 0), count - int(finite.sum()))
        ends = self._ends if all_selected else np.cumsum(self._by_rank(self._totals_of(among)))
        rank = int(np.searchsorted(ends, count, "right"))
        below, equal = self._at(rank)
        if not all_selected:
            below[~among] = equal[~among] = 0
        left = count - int(below.sum())
        equal = split_in_order(equal, left) if self.exact else split_in_proportion(equal, left)
        self._last_cut = self._last_bin + (equal > 0)  # spares `cut` the search
        return below + equal

    @cached_property
    def _ranks(self) -> tuple[Indices, ...]:
        """The rank of each bin of each dtype by its smallest magnitude."""
        values = [bin_values(dtype)[:-1] for dtype in self._dtypes]
        if len(values) == 1:
            return (np.arange(values[0].size),)
        everything = np.unique(np.concatenate(values))
        return tuple(np.searchsorted(everything, v) for v in values)

    @cached_property
    def _ends(self) -> Counts:
        """Number of weights of all tensors up to each rank; 0.5 MB."""
        return np.cumsum(self._by_rank(self._totals))

    def _by_rank(self, totals: Iterable[Counts]) -> Counts:
        result = np.zeros(max(int(ranks[-1]) for ranks in self._ranks) + 1, np.int64)
        for ranks, of_bins in zip(self._ranks, totals, strict=True):
            result[ranks] += of_bins[: ranks.size]
        return result

    def _at(self, rank: int) -> tuple[Counts, Counts]:
        """Return the numbers of weights of each tensor below a rank (see `_ranks`), and at it.

        Remembers the bins as the next guess.
        """
        first = [int(np.searchsorted(ranks, rank)) for ranks in self._ranks]
        # The bin of exactly this rank; -1 for dtypes without such a magnitude.
        just = [
            bin_ if bin_ < ranks.size and ranks[bin_] == rank else -1
            for bin_, ranks in zip(first, self._ranks, strict=True)
        ]
        first_bins, lengths = np.array(first)[self._kind], self._cells.lengths
        self._last_bin = self._first(
            self._bins, first_bins, self._last_bin, np.zeros_like(lengths), lengths
        )
        places = self._cells.at(self._last_bin)
        hit = self._bins[places] == np.array(just)[self._kind]
        return self._counts[places], np.where(hit, self._held[places], 0).astype(np.int64)


_NO_BIN = np.iinfo(np.uint16).max  # larger than any bin
# Minimum number of tensors that are interleaved, and the maximum number of their bins.
_SIDE_BY_SIDE, _MOST_BINS = 16, 4096


class _Cells:
    """The layout of cells of several tensors: one for each bin of each, and an empty one.

    The cell of bin ``j`` of tensor ``t`` is ``bases[t] + j * strides[t]``. If many tensors have
    similar numbers of bins (within a factor of two), their cells are interleaved, with those of the
    same bin adjacent; those of other tensors are contiguous per tensor.

    Attributes
    ----------
    ends
        The empty cell of each tensor, after its last bin.
    """

    def __init__(self, lengths: Indices) -> None:
        self.lengths = lengths
        self.bases, self.strides = np.zeros_like(lengths), np.ones_like(lengths)
        self._groups: list[tuple[slice, Indices]] = []
        octaves = np.where(lengths > _MOST_BINS, -1, np.frexp(lengths.astype(np.float64))[1])
        size, loose = 0, [np.flatnonzero(octaves == -1)]
        for octave in np.unique(octaves[octaves >= 0]).tolist():
            members = np.flatnonzero(octaves == octave)
            if members.size < _SIDE_BY_SIDE:
                loose.append(members)
                continue
            rows = int(lengths[members].max()) + 1
            self.bases[members], self.strides[members] = (
                size + np.arange(members.size),
                members.size,
            )
            self._groups.append((slice(size, size + rows * members.size), members))
            size += rows * members.size
        self._loose = np.sort(np.concatenate(loose))
        self._loose_from = size
        ends = size + np.cumsum(lengths[self._loose] + 1)
        self.bases[self._loose] = ends - lengths[self._loose] - 1
        self.size = int(ends[-1]) if ends.size else size
        self.ends = self.at(lengths)

    def at(self, bins: Indices) -> Indices:
        """Return the cell of one bin of each tensor."""
        cells: Indices = bins * self.strides
        cells += self.bases
        return cells

    @cached_property
    def _places(self) -> Indices:
        """The cells of all bins, tensor by tensor."""
        lengths = self.lengths
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        within *= np.repeat(self.strides, lengths)
        within += np.repeat(self.bases, lengths)
        return within

    def fill(self, values: NDArray[Any], beyond: int) -> NDArray[Any]:
        """Return cells with the values of all bins, and `beyond` in the empty ones."""
        cells = np.full(self.size, beyond, values.dtype)
        cells[self._places] = values
        return cells

    def release_places(self) -> None:
        """Free memory that only `fill` and `cumulate` need."""
        vars(self).pop("_places", None)

    def cumulate(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return cells with the sum of values of earlier bins, separately for each tensor.

        The empty cell of a tensor has its total. Separate sums keep the precision of tensors with
        small weights.
        """
        cells = self.fill(values, 0)
        with np.errstate(over="ignore"):
            for part, members in self._groups:
                rows = cells[part].reshape(-1, members.size)
                rows[1:] = np.cumsum(rows[:-1], axis=0)
                rows[0] = 0
            bases, ends = self.bases[self._loose].tolist(), self.ends[self._loose].tolist()
            for base, end in zip(bases, ends, strict=True):
                cells[base + 1 : end + 1] = np.cumsum(cells[base:end])
                cells[base] = 0
        return cells

    def spread(self, values: Bools) -> Bools:
        """Return cells with the value of their tensor."""
        cells = np.empty(self.size, np.bool_)
        for part, members in self._groups:
            cells[part].reshape(-1, members.size)[:] = values[members]
        cells[self._loose_from :] = np.repeat(values[self._loose], self.lengths[self._loose] + 1)
        return cells


def _concatenated(parts: Iterable[NDArray[Any] | None]) -> NDArray[Any]:
    return np.concatenate([part for part in parts if part is not None])


def split_in_proportion(counts: Counts, left: int) -> Counts:
    """Return the number pruned per tensor if `left` are pruned of all, with the same share."""
    total = int(counts.sum())
    ends = np.rint(np.cumsum(counts) * (left / max(total, 1))).astype(np.int64)
    result: Counts = np.clip(np.diff(ends, prepend=0), 0, counts)
    return result


# Of a tensor: numbers of its unprotected channels in the order of pruning; and per channel the
# number of kept weights, and the sums of their squares and magnitudes.
OrderedChannels = tuple[Indices, Counts, Float64s, Float64s]


class ChannelOrder:
    """The channels of several tensors in the order in which they are pruned, with cumulative sums.

    Sums are NaN if they are unknown (`complete` is False), or if a weight is not finite.
    """

    protected_squares = protected_sizes = 0.0  # included in the sums of their channels

    def __init__(self, tensors: Sequence[OrderedChannels], *, complete: bool) -> None:
        self.complete = complete
        self._channels = [t[0] for t in tensors]
        self.running = Running([_from_zero(t[1][t[0]]) for t in tensors])
        with np.errstate(over="ignore", invalid="ignore"):
            self._squares = np.concatenate([_from_zero(t[2][t[0]]) for t in tensors])
            self._sizes = np.concatenate([_from_zero(t[3][t[0]]) for t in tensors])
            self.squares: Float64s = np.array([t[2].sum() for t in tensors])
            self.sizes: Float64s = np.array([t[3].sum() for t in tensors])

    @property
    def nbytes(self) -> int:
        """Approximate memory in bytes."""
        numbers = sum(order.nbytes for order in self._channels)
        return self.running.weights.nbytes + self._squares.nbytes + self._sizes.nbytes + numbers

    def first_channels(self, counts: Counts) -> tuple[Indices, ...]:
        """Return the numbers of the channels pruned in each tensor."""
        each = zip(self._channels, counts.tolist(), strict=True)
        return tuple(order[:count] for order, count in each)

    def cut(self, counts: Counts) -> CumulativeCut:
        """Return the effect of pruning the first channels, `counts` (``int64[tensors]``) of each.

        Thresholds are NaN. `counts` must not exceed the number of free channels.
        """
        places = self.running.starts + counts
        return CumulativeCut(
            self.running.weights[places],
            np.full(counts.size, math.nan),
            self._squares[places],
            self._sizes[places],
            exact=True,
        )


def _from_zero(values: NDArray[Any]) -> NDArray[Any]:
    """Return the cumulative sum, starting with 0."""
    return np.concatenate((np.zeros(1, values.dtype), np.cumsum(values)))


def cumulative_of(snapshot: Snapshot, names: tuple[str, ...], job: Job) -> CumulativeTable | None:
    """Return the table of the magnitudes of tensors; None if a histogram is missing.

    `names` are first names; the order is that of the table. A table is cached with the state, a
    missing one is not.
    """
    cached: CumulativeTable | None = snapshot.recall(names)
    if cached is not None:
        return cached
    counted = []
    for name in job.cancel.each(names):
        histogram = histogram_store.magnitudes(snapshot, name)
        if histogram is None:
            return None
        counted.append(histogram)
    entries = snapshot.checkpoint.entries
    table = CumulativeTable(counted, [entries[name].dtype for name in names])
    snapshot.remember(names, table, table.nbytes)
    return table


def channel_order_of(
    snapshot: Snapshot, row: Row, names: tuple[str, ...], job: Job
) -> ChannelOrder | None:
    """Return the channels of tensors, by first names, in the order in which a row prunes them.

    Channels with protected weights are excluded. None if norms that determine the order are
    missing; with unknown sums (`complete` is False) if only other norms are. Cached with the state
    when complete; the amount of the row has no influence.
    """
    method = registry.get(row.method)
    values = tuple(row.values[p.name] for p in method.params if not isinstance(p, AmountParam))
    key = row.method, values, names
    cached: ChannelOrder | None = snapshot.recall(key)
    if cached is not None:
        return cached
    tensors: list[OrderedChannels] = []
    complete = True
    for name, dim in zip(names, dims_of(snapshot, row, names), strict=True):
        first, two, one = (
            histogram_store.channels(snapshot, name, dim, n) for n in (orders_of(row)[0], 2, 1)
        )
        if first is None:
            return None
        job.step(0)
        order = np.flatnonzero(first.free)
        if method.estimated_by == "norms":
            order = order[np.argsort(first.norms[order], kind="stable")]
        else:
            assert isinstance(method, ChannelMethod)
            order = method.order(snapshot.view(name), row.values, CpuKernel(), order, Job())
        squares = sizes = np.full(first.kept.size, math.nan)
        if two is not None and one is not None:
            with np.errstate(over="ignore"):
                squares, sizes = np.square(two.norms), one.norms
        else:
            complete = False
        tensors.append((order, first.kept, squares, sizes))
    ordered = ChannelOrder(tensors, complete=complete)
    if complete:
        snapshot.remember(key, ordered, ordered.nbytes)
    return ordered
