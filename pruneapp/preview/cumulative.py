"""Running totals of what is counted of several tensors, so that a cut takes no loop over them.

Of single weights by magnitude, and of channels in the order in which they go; put together for a
row of a step, and remembered for the next move.
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
from pruneapp.methods.amounts import Running, first_of
from pruneapp.methods.method import ChannelMethod
from pruneapp.params import AmountParam
from pruneapp.progress import Job


@dataclass(frozen=True, eq=False)
class CumulativeCut:
    """What goes of each tensor if so many of its smallest weights go, ``[tensors]`` each."""

    pruned: Counts
    # The largest magnitude that goes; NaN where nothing goes, or infinities do, or where it is not
    # known.
    thresholds: Float64s
    # Sums of squares and magnitudes of what goes.
    squares: Float64s
    sizes: Float64s
    exact: bool  # all of it


class CumulativeTable:
    """The magnitudes of the weights that a step may take, of several tensors in order.

    A tensor has a cell for each of its bins, in order, and an empty one behind them. Those of
    tensors with about as many bins lie side by side (see `_Cells`): a cut goes through about the
    same bin of each, and takes from the memory what lies together.
    """

    complete = True  # the sums are known

    def __init__(self, counted: Sequence[MagnitudeHistogram], dtypes: Sequence[DType]) -> None:
        kinds = {dtype: i for i, dtype in enumerate(dict.fromkeys(dtypes))}
        self._dtypes = tuple(kinds)
        self._kind = np.array([kinds[d] for d in dtypes], np.intp)
        lengths = np.array([c.bins.size for c in counted], np.intp)
        counts: Counts = _joined(c.counts for c in counted)
        bins: NDArray[np.uint16] = _joined(c.bins for c in counted)
        squares, sizes = self._sums(counted, bins, counts, lengths)
        self._cells = cells = _Cells(lengths)
        self._bins = cells.filled(bins, _NO_BIN)
        self._held = cells.filled(counts.astype(np.min_scalar_type(counts.max(initial=0))), 0)
        # What comes before a bin in its tensor, and of all of it in the empty cell.
        self._counts = cells.running(counts)
        self._squares = cells.running(squares)
        self._sizes = cells.running(sizes)
        cells.settle()
        self.finite: Counts = self._counts[cells.ends]  # how many may go that are not NaN
        # Sums of squares and of magnitudes of the weights that may go.
        self.squares: Float64s = self._squares[cells.ends]
        self.sizes: Float64s = self._sizes[cells.ends]
        # Where the last cut went through, and the last bin that was looked for.
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
        squares, sizes = np.empty(counts.size), np.empty(counts.size)
        for i, dtype in enumerate(self._dtypes):
            here: slice | Bools = slice(None)
            if len(self._dtypes) > 1:
                here = np.repeat(self._kind == i, lengths)
            if bin_shift(dtype):
                own = [c for c, k in zip(counted, self._kind.tolist(), strict=True) if k == i]
                squares[here] = _joined(c.squares for c in own)
                sizes[here] = _joined(c.sizes for c in own)
                continue
            values = bin_values(dtype)[bins[here]]
            values[np.isinf(values)] = 0.0
            sizes[here] = counts[here] * values
            squares[here] = sizes[here] * values
        return squares, sizes

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        arrays = (self._bins, self._held, self._counts, self._squares, self._sizes)
        ends = 8 * sum(bin_values(dtype).size for dtype in self._dtypes)
        return sum(a.nbytes for a in arrays) + ends + 120 * self.nan.size

    @property
    def exact(self) -> bool:
        """Whether each bin holds one magnitude only."""
        return not any(bin_shift(dtype) for dtype in self._dtypes)

    def cut(self, counts: Counts) -> CumulativeCut:
        """Return what goes of each tensor if so many of its smallest weights go, NaN last.

        Within the bin that the cut goes through, magnitudes of more than 16 bits are taken to be
        spread evenly.
        """
        finite = np.minimum(counts, self.finite)
        some = finite > 0
        if not some.any():
            zero = np.zeros(counts.size)
            return CumulativeCut(counts, np.full(counts.size, math.nan), zero, zero, exact=True)
        # The bin that holds the last weight that goes; for nothing, any.
        last = self._cells.at(self._last_below(finite))
        inside = finite - self._counts[last]
        share = np.where(some, inside / np.maximum(self._held[last], 1), 0.0)
        behind = np.where(some, last + self._cells.strides, last)
        sums = []
        for running in (self._squares, self._sizes):
            before, all_of_it = running[last], running[behind]
            with np.errstate(invalid="ignore"):
                part = np.where(share == 1, all_of_it, before + share * (all_of_it - before))
            sums.append(np.where(some, part, 0.0))
        thresholds = np.where(some, self._thresholds(last, share), math.nan)
        return CumulativeCut(counts, thresholds, sums[0], sums[1], self.exact)

    def _last_below(self, finite: Counts) -> Indices:
        """Return in each tensor the last bin before which fewer than so many weights are."""
        lengths = self._cells.lengths
        # No bin is empty: so many weights are in at most as many bins, and in fewer only by those
        # that share one.
        high = np.minimum(finite, lengths)
        low = np.clip(finite - (self.finite - lengths), 0, high)
        self._last_cut = self._first(self._counts, finite, self._last_cut, low, high)
        return np.maximum(self._last_cut - 1, 0)

    def _first(
        self, column: NDArray[Any], wanted: Counts, near: Indices, low: Indices, high: Indices
    ) -> Indices:
        """Return of each tensor the first place whose cell of a column, ascending, is as large.

        It is there, and between two places. `near` is where it may be: while a slider moves, or for
        the cut after the search for it, most are where they were.
        """
        cells = self._cells
        places = cells.at(near)
        there = column[places] >= wanted
        places -= cells.strides
        there &= (near == 0) | (column[np.maximum(places, 0)] < wanted)
        left = np.flatnonzero(~there)
        low, high, wanted = low[left], high[left], wanted[left]
        bases, strides = cells.bases[left], cells.strides[left]
        while (low < high).any():
            middle = (low + high) >> 1
            small = column[bases + middle * strides] < wanted
            low, high = np.where(small, middle + 1, low), np.where(small, high, middle)
        found = near.copy()
        found[left] = low
        return found

    def below(self, threshold: float) -> int:
        """Return how many weights have a magnitude up to a threshold, all tensors together.

        As `histogram_store.below`, but for what is rounded of each tensor there; in time that does
        not grow with the tensors.
        """
        return sum(
            kind.below(threshold, d) for kind, d in zip(self._whole, self._dtypes, strict=True)
        )

    @cached_property
    def _whole(self) -> tuple[MagnitudeHistogram, ...]:
        """What is counted of all tensors of a type together."""
        found = []
        for totals in self._totals:
            bins = np.flatnonzero(totals).astype(np.uint16)
            found.append(MagnitudeHistogram(bins, totals[bins], None, None, 0, 0))
        return tuple(found)

    @cached_property
    def _totals(self) -> tuple[Counts, ...]:
        """How many weights of all tensors of a type are in each bin; half a megabyte each."""
        return tuple(self._totals_of(np.ones(self.nan.size, np.bool_)))

    def _totals_of(self, among: Bools) -> Iterator[Counts]:
        """Yield the same of some tensors."""
        for i in range(len(self._dtypes)):
            own = among & (self._kind == i)
            held = self._held if own.all() else self._held * self._cells.spread(own)
            yield np.bincount(self._bins, held, _NO_BIN + 1).astype(np.int64)  # exact up to 2**53

    def at_random(self, counts: Counts, *, sure: bool) -> CumulativeCut:
        """Return what is to be expected to go of each tensor if any weights go."""
        share = counts / np.maximum(self.finite + self.nan, 1)
        with np.errstate(invalid="ignore"):  # nothing of an infinite sum
            sums = share * self.squares, share * self.sizes
        return CumulativeCut(counts, np.full(counts.size, math.nan), *sums, sure)

    def _thresholds(self, places: Indices, share: Float64s) -> Float64s:
        result = np.empty(places.size)
        bins = self._bins[places]
        for i, dtype in enumerate(self._dtypes):
            here = slice(None) if len(self._dtypes) == 1 else self._kind == i
            values = bin_values(dtype)
            own = np.minimum(bins[here], values.size - 2)  # that of no bin
            low = values[own]
            if bin_shift(dtype):
                high = values[own + 1]
                some = np.isfinite(high)
                low[some] += share[here][some] * (high[some] - low[some])
            result[here] = low
        result[np.isinf(result)] = math.nan
        return result

    def shares(self, among: Bools, count: int) -> Counts:
        """Return what goes of each tensor if the smallest of the chosen ones together go.

        ``int64[tensors]``. Of equal ones those of earlier tensors go first. In a bin of several
        magnitudes each tensor loses the same share.
        """
        every = bool(among.all())
        finite = self.finite if every else np.where(among, self.finite, 0)
        if count >= finite.sum():
            return finite + first_of(np.where(among, self.nan, 0), count - int(finite.sum()))
        ends = self._ends if every else np.cumsum(self._by_rank(self._totals_of(among)))
        rank = int(np.searchsorted(ends, count, "right"))
        below, equal = self._at(rank)
        if not every:
            below[~among] = equal[~among] = 0
        left = count - int(below.sum())
        equal = first_of(equal, left) if self.exact else in_proportion(equal, left)
        self._last_cut = self._last_bin + (equal > 0)  # so that the cut need not be looked for
        return below + equal

    @cached_property
    def _ranks(self) -> tuple[Indices, ...]:
        """Return the rank of each bin of each type, by its least magnitude."""
        values = [bin_values(dtype)[:-1] for dtype in self._dtypes]
        if len(values) == 1:
            return (np.arange(values[0].size),)
        everything = np.unique(np.concatenate(values))
        return tuple(np.searchsorted(everything, v) for v in values)

    @cached_property
    def _ends(self) -> Counts:
        """Return how many weights of all tensors have at most each rank; 0.5 MB."""
        return np.cumsum(self._by_rank(self._totals))

    def _by_rank(self, totals: Iterable[Counts]) -> Counts:
        result = np.zeros(max(int(ranks[-1]) for ranks in self._ranks) + 1, np.int64)
        for ranks, of_bins in zip(self._ranks, totals, strict=True):
            result[ranks] += of_bins[: ranks.size]
        return result

    def _at(self, rank: int) -> tuple[Counts, Counts]:
        """Return how many weights of each tensor are below a rank, and of just this one."""
        first = [int(np.searchsorted(ranks, rank)) for ranks in self._ranks]
        # The bin of just this rank; none of a type that has no such magnitude.
        just = [
            bin_ if bin_ < ranks.size and ranks[bin_] == rank else -1
            for bin_, ranks in zip(first, self._ranks, strict=True)
        ]
        wanted, lengths = np.array(first)[self._kind], self._cells.lengths
        self._last_bin = self._first(
            self._bins, wanted, self._last_bin, np.zeros_like(lengths), lengths
        )
        places = self._cells.at(self._last_bin)
        hit = self._bins[places] == np.array(just)[self._kind]
        return self._counts[places], np.where(hit, self._held[places], 0).astype(np.int64)


_NO_BIN = np.iinfo(np.uint16).max  # no type has so many
# Tensors of about as many bins that lie side by side, and the most bins that they have.
_SIDE_BY_SIDE, _MOST_BINS = 16, 4096


class _Cells:
    """Where the cells of some tensors are: one for each of their bins, and one more.

    That of bin ``j`` of tensor ``t`` is ``bases[t] + j * strides[t]``. Where many tensors have
    about as many bins (within a factor of two) cells lie by their bins, those of the same one
    together; of other tensors each by itself.

    Attributes
    ----------
    ends
        The cell behind the last bin of each tensor.
    """

    def __init__(self, lengths: Indices) -> None:
        self.lengths = lengths
        self.bases, self.strides = np.zeros_like(lengths), np.ones_like(lengths)
        self._groups: list[tuple[slice, Indices]] = []
        octaves = np.where(lengths > _MOST_BINS, -1, np.frexp(lengths.astype(np.float64))[1])
        size, loose = 0, [np.flatnonzero(octaves == -1)]
        for octave in np.unique(octaves[octaves >= 0]).tolist():
            own = np.flatnonzero(octaves == octave)
            if own.size < _SIDE_BY_SIDE:
                loose.append(own)
                continue
            rows = int(lengths[own].max()) + 1
            self.bases[own], self.strides[own] = size + np.arange(own.size), own.size
            self._groups.append((slice(size, size + rows * own.size), own))
            size += rows * own.size
        self._loose = np.sort(np.concatenate(loose))
        self._loose_from = size
        ends = size + np.cumsum(lengths[self._loose] + 1)
        self.bases[self._loose] = ends - lengths[self._loose] - 1
        self.size = int(ends[-1]) if ends.size else size
        self.ends = self.at(lengths)

    def at(self, bins: Indices) -> Indices:
        """Return the cell of a bin of each tensor."""
        cells: Indices = bins * self.strides
        cells += self.bases
        return cells

    @cached_property
    def _places(self) -> Indices:
        """The cells of all bins, one tensor after the other."""
        lengths = self.lengths
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        within *= np.repeat(self.strides, lengths)
        within += np.repeat(self.bases, lengths)
        return within

    def filled(self, values: NDArray[Any], beyond: int) -> NDArray[Any]:
        """Return cells with the values of all bins, and another one beyond those of a tensor."""
        cells = np.full(self.size, beyond, values.dtype)
        cells[self._places] = values
        return cells

    def settle(self) -> None:
        """Let go of what only `filled` and `running` take."""
        vars(self).pop("_places", None)

    def running(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return cells with the sum of the values before each bin, of each tensor by itself.

        So that one of large weights takes no digit from another.
        """
        cells = self.filled(values, 0)
        with np.errstate(over="ignore"):
            for part, own in self._groups:
                rows = cells[part].reshape(-1, own.size)
                rows[1:] = np.cumsum(rows[:-1], axis=0)
                rows[0] = 0
            bases, ends = self.bases[self._loose].tolist(), self.ends[self._loose].tolist()
            for base, end in zip(bases, ends, strict=True):
                cells[base + 1 : end + 1] = np.cumsum(cells[base:end])
                cells[base] = 0
        return cells

    def spread(self, values: Bools) -> Bools:
        """Return in each cell the value of its tensor."""
        cells = np.empty(self.size, np.bool_)
        for part, own in self._groups:
            cells[part].reshape(-1, own.size)[:] = values[own]
        cells[self._loose_from :] = np.repeat(values[self._loose], self.lengths[self._loose] + 1)
        return cells


def _joined(parts: Iterable[NDArray[Any] | None]) -> NDArray[Any]:
    return np.concatenate([part for part in parts if part is not None])


def in_proportion(counts: Counts, left: int) -> Counts:
    """Return what goes of each if so many of all go, of each the same share."""
    total = int(counts.sum())
    ends = np.rint(np.cumsum(counts) * (left / max(total, 1))).astype(np.int64)
    result: Counts = np.clip(np.diff(ends, prepend=0), 0, counts)
    return result


# Of a tensor: the numbers of its free channels in the order in which they go; and of each channel
# the weights that are kept, and the sums of their squares and magnitudes.
OrderedChannels = tuple[Indices, Counts, Float64s, Float64s]


class ChannelOrder:
    """The channels of several tensors in the order in which they go, with all that goes with them.

    Sums are NaN where they are not known (not `complete`), or a weight is not finite.
    """

    protected_squares = protected_sizes = 0.0  # channels that hold any are in the sums

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
        """Bytes of memory."""
        numbers = sum(order.nbytes for order in self._channels)
        return self.running.weights.nbytes + self._squares.nbytes + self._sizes.nbytes + numbers

    def first(self, counts: Counts) -> tuple[Indices, ...]:
        """Return the numbers of the channels of each tensor that go if so many do."""
        each = zip(self._channels, counts.tolist(), strict=True)
        return tuple(order[:count] for order, count in each)

    def cut(self, counts: Counts) -> CumulativeCut:
        """Return what goes with so many channels of each tensor."""
        places = self.running.starts + counts
        return CumulativeCut(
            self.running.weights[places],
            np.full(counts.size, math.nan),
            self._squares[places],
            self._sizes[places],
            exact=True,
        )


def _from_zero(values: NDArray[Any]) -> NDArray[Any]:
    """Return the running total, 0 first."""
    return np.concatenate((np.zeros(1, values.dtype), np.cumsum(values)))


def cumulative_of(snapshot: Snapshot, names: tuple[str, ...], job: Job) -> CumulativeTable | None:
    """Return the magnitudes of some tensors, by first names; None if not all are counted."""
    known: CumulativeTable | None = snapshot.recall(names)
    if known is not None:
        return known
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
    """Return the channels of some tensors, by first names, in the order in which a row takes them.

    None if what decides is not counted; without sums as long as they are not.
    """
    method = registry.get(row.method)
    values = tuple(row.values[p.name] for p in method.params if not isinstance(p, AmountParam))
    key = row.method, values, names
    known: ChannelOrder | None = snapshot.recall(key)
    if known is not None:
        return known
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
