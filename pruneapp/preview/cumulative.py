"""Running totals of what is counted of several tensors, so that a cut takes no loop over them.

Of single weights by magnitude, and of channels in the order in which they go; put together for a
row of a step, and remembered for the next move.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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
    """The magnitudes of the weights that a step may take, of several tensors in order."""

    complete = True  # the sums are known

    def __init__(self, counted: Sequence[MagnitudeHistogram], dtypes: Sequence[DType]) -> None:
        kinds = {dtype: i for i, dtype in enumerate(dict.fromkeys(dtypes))}
        self._dtypes = tuple(kinds)
        self._kind = np.array([kinds[d] for d in dtypes], np.intp)
        lengths = np.array([c.bins.size for c in counted], np.intp)
        self._starts = np.concatenate(([0], np.cumsum(lengths)))
        self._bins: NDArray[np.uint16] = _joined(c.bins for c in counted)
        counts: Counts = _joined(c.counts for c in counted)
        squares, sizes = self._sums(counted, counts, lengths)
        # Running totals: over all tensors, 0 first; and in each by itself, so that one of large
        # weights takes no digit from another.
        self._counts: Counts = np.concatenate(([0], np.cumsum(counts)))
        self._squares = _running(squares, lengths)
        self._sizes = _running(sizes, lengths)
        self.nan: Counts = np.array([c.nan for c in counted], np.int64)
        protected = np.array([c.protected_sums for c in counted], np.float64).reshape(-1, 2)
        self.protected_squares: Float64s = protected[:, 0]
        self.protected_sizes: Float64s = protected[:, 1]

    def _sums(
        self, counted: Sequence[MagnitudeHistogram], counts: Counts, lengths: Indices
    ) -> tuple[Float64s, Float64s]:
        squares, sizes = np.empty(counts.size), np.empty(counts.size)
        kind = np.repeat(self._kind, lengths)
        for i, dtype in enumerate(self._dtypes):
            here = slice(None) if len(self._dtypes) == 1 else kind == i
            if bin_shift(dtype):
                own = [c for c, k in zip(counted, self._kind.tolist(), strict=True) if k == i]
                squares[here] = _joined(c.squares for c in own)
                sizes[here] = _joined(c.sizes for c in own)
                continue
            values = bin_values(dtype)[self._bins[here]]
            values[np.isinf(values)] = 0.0
            sizes[here] = counts[here] * values
            squares[here] = sizes[here] * values
        return squares, sizes

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        arrays = (self._bins, self._counts, self._squares, self._sizes)
        ends = 8 * sum(bin_values(dtype).size for dtype in self._dtypes)
        return sum(a.nbytes for a in arrays) + ends + 80 * self.nan.size

    @cached_property
    def finite(self) -> Counts:
        """``int64[tensors]``: how many weights may go that are not NaN."""
        return self._counts[self._starts[1:]] - self._counts[self._starts[:-1]]

    @cached_property
    def squares(self) -> Float64s:
        """``float64[tensors]``: sums of squares of the weights that may go."""
        return self._total(self._squares)

    @cached_property
    def sizes(self) -> Float64s:
        """``float64[tensors]``: sums of magnitudes of the weights that may go."""
        return self._total(self._sizes)

    def _total(self, running: Float64s) -> Float64s:
        some = np.diff(self._starts) > 0
        totals = np.zeros(some.size)
        totals[some] = running[self._starts[1:][some] - 1]
        return totals

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
        begin = self._counts[self._starts[:-1]]
        # The bin that holds the last weight that goes; for nothing, the end of the tensor before.
        last = np.searchsorted(self._counts, begin + finite, "left") - 1
        last = np.maximum(last, 0)
        some = finite > 0
        if not self._bins.size:
            zero = np.zeros(counts.size)
            return CumulativeCut(counts, np.full(counts.size, math.nan), zero, zero, exact=True)
        inside = np.where(some, begin + finite - self._counts[last], 0)
        share = inside / np.maximum(self._counts[last + 1] - self._counts[last], 1)
        first = last == self._starts[:-1]
        sums = []
        for running in (self._squares, self._sizes):
            before = np.where(first, 0.0, running[last - 1])
            with np.errstate(invalid="ignore"):
                part = np.where(
                    share == 1, running[last], before + share * (running[last] - before)
                )
            sums.append(np.where(some, part, 0.0))
        thresholds = np.where(some, self._thresholds(last, share), math.nan)
        return CumulativeCut(counts, thresholds, sums[0], sums[1], self.exact or not some.any())

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
        kind = np.repeat(self._kind, np.diff(self._starts))
        counts, found = np.diff(self._counts), []
        for i in range(len(self._dtypes)):
            totals = np.bincount(self._bins[kind == i], counts[kind == i]).astype(np.int64)
            bins = np.flatnonzero(totals).astype(np.uint16)
            found.append(MagnitudeHistogram(bins, totals[bins], None, None, 0, 0))
        return tuple(found)

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
            here = self._kind == i
            values = bin_values(dtype)
            # The place may be of another tensor, of another type, where nothing goes.
            own = np.minimum(bins[here], values.size - 2)
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
        finite = np.where(among, self.finite, 0)
        if count >= finite.sum():
            return finite + first_of(np.where(among, self.nan, 0), count - int(finite.sum()))
        ends = self._ends if among.all() else np.cumsum(self._by_rank(among))
        rank = int(np.searchsorted(ends, count, "right"))
        below, equal = self._at(rank)
        below[~among] = equal[~among] = 0
        left = count - int(below.sum())
        return below + (first_of(equal, left) if self.exact else in_proportion(equal, left))

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
        return np.cumsum(self._by_rank(np.ones(self.nan.size, np.bool_)))

    def _by_rank(self, among: Bools) -> Counts:
        lengths = np.diff(self._starts)
        kinds = np.where(among, self._kind, -1)
        kind = np.repeat(kinds, lengths)
        most = max(int(ranks[-1]) for ranks in self._ranks) + 1
        counts = np.diff(self._counts)
        total = np.zeros(most, np.int64)
        for i, ranks in enumerate(self._ranks):
            here = slice(None) if bool((kinds == i).all()) else kind == i
            counted = np.bincount(ranks[self._bins[here]], counts[here], most)
            total += counted.astype(np.int64)  # exact up to 2**53
        return total

    def _at(self, rank: int) -> tuple[Counts, Counts]:
        """Return how many weights of each tensor are below a rank, and of just this one."""
        wanted = np.empty(self.nan.size, np.intp)
        for i, ranks in enumerate(self._ranks):
            wanted[self._kind == i] = np.searchsorted(ranks, rank)
        places = self._first_from(wanted)
        ends = self._starts[1:]
        inside = places < ends
        hit = inside.copy()
        for i, ranks in enumerate(self._ranks):
            here = np.flatnonzero(inside & (self._kind == i))
            hit[here] = ranks[self._bins[places[here]]] == rank
        below = self._counts[places] - self._counts[self._starts[:-1]]
        equal = np.where(hit, self._counts[np.minimum(places + 1, ends)] - self._counts[places], 0)
        return below, equal

    def _first_from(self, wanted: Indices) -> Indices:
        """Return where in each tensor the first bin from a wanted one on is, by halving."""
        low, high = self._starts[:-1].copy(), self._starts[1:].copy()
        if not self._bins.size:
            return low
        while (low < high).any():
            middle = (low + high) >> 1
            small = self._bins[np.minimum(middle, self._bins.size - 1)] < wanted
            small &= low < high
            low = np.where(small, middle + 1, low)
            high = np.where(small, high, np.minimum(middle, high))
        return low


def _joined(parts: Iterable[NDArray[Any] | None]) -> NDArray[Any]:
    return np.concatenate([part for part in parts if part is not None])


def _running(values: Float64s, lengths: Indices) -> Float64s:
    """Return the running totals of some stretches, each by itself; those of a length at once."""
    starts = np.cumsum(lengths) - lengths
    totals = np.empty_like(values)
    with np.errstate(over="ignore"):
        for length in np.unique(lengths).tolist():
            places = starts[lengths == length][:, None] + np.arange(length)
            totals[places] = np.cumsum(values[places], axis=1)
    return totals


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
