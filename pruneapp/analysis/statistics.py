"""Statistics, norms and histograms of one tensor; the sparsity of all tensors."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.layout import percentile
from pruneapp.analysis.pooling import reader
from pruneapp.analysis.retained_norm import (
    MANY_SUMS,
    align_chunks,
    block_sums,
    condense_sums,
    real_values,
    total_of,
)
from pruneapp.analysis.sparsity_report import SparsityReport, SparsityTable
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError
from pruneapp.kernels.kernel import BLOCK, Kernel, Slices
from pruneapp.kernels.threads import map_in_order, threads_for
from pruneapp.kernels.values import Float64s, Floats, Indices
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import channels_left, count_kept_by_channel
from pruneapp.params import DimParam, Norm, NormParam
from pruneapp.progress import Job

# float64 values processed at a time: they fit into the cache of a core.
_PIECE = 64 * BLOCK


# magnitudes: equal bins from 0. decades: equally many bins per power of ten, preceded by one from
# 0. signed: values, with equally many bins below and above 0.
Binning = Literal["magnitudes", "decades", "signed"]


@dataclass(frozen=True, eq=False)
class Histogram:
    """The magnitudes, or values, of a tensor, counted in bins."""

    name: str
    # ``float64[bins + 1]``, ascending; from 0 for magnitudes, symmetric around 0 with signs.
    edges: NDArray[np.float64]
    # ``int64[bins]``: kept, pruned, and (in a preview) to be pruned; the last are part of `kept`.
    kept: NDArray[np.int64]
    pruned: NDArray[np.int64]
    to_be_pruned: NDArray[np.int64]
    nonfinite: int  # number of NaN and infinite values, which are in no bin
    binning: Binning = "magnitudes"
    # True limits of the first and last bin if outliers are counted in them; None if no value
    # exceeds `edges`, where the axis ends.
    ends: tuple[float, float] | None = None
    # The range of the axis with finer bins, and the edges without them; None if there are none.
    # `edges` contains all of `whole`.
    finer: tuple[float, float] | None = None
    whole: NDArray[np.float64] | None = None

    @property
    def signed(self) -> bool:
        """Whether the values are counted with their signs."""
        return self.binning == "signed"

    def bounds(self, at: int) -> tuple[float, float]:
        """Return the limits (low, high) of the values in bin `at` (from 0), including outliers."""
        low, high = float(self.edges[at]), float(self.edges[at + 1])
        if self.ends is not None and at == 0:
            low = min(low, self.ends[0])
        if self.ends is not None and at == self.kept.size - 1:
            high = max(high, self.ends[1])
        return low, high

    def without_finer(self) -> Histogram:
        """Return the histogram with the finer bins merged; itself if there are none."""
        if self.whole is None:
            return self
        starts = np.searchsorted(self.edges, self.whole[:-1])
        kept, pruned, to_be_pruned = (
            np.add.reduceat(counts, starts)
            for counts in (self.kept, self.pruned, self.to_be_pruned)
        )
        return replace(
            self,
            edges=self.whole,
            kept=kept,
            pruned=pruned,
            to_be_pruned=to_be_pruned,
            finer=None,
            whole=None,
        )


@dataclass(frozen=True)
class TensorStats:
    """Statistics of the current values of a tensor, without NaN and infinities.

    Pruned weights are zeros. `minimum`, `maximum`, `mean` and `std` (of the population) are NaN if
    no value is finite.
    """

    name: str
    numel: int
    pruned: int
    minimum: float
    maximum: float
    mean: float
    std: float
    zeros: int
    nan: int
    infinite: int


@dataclass(frozen=True)
class TensorNumbers:
    """Statistics of all values of a tensor in the file; complex numbers by magnitude.

    `minimum` and `maximum` ignore NaN but include infinities; None if all are NaN. `l1` and `l2`
    ignore NaN. All are None for packed types.
    """

    name: str
    count: int
    zeros: int | None = None
    nan: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    l1: float | None = None
    l2: float | None = None


@dataclass(frozen=True, eq=False)
class ChannelNorms:
    """Norms of the channels along a dimension: original, pruned, and after a preview."""

    # The name, the dimension counted from 0, and the order of the norm as text.
    name: str
    dim: int
    n: str
    # ``float64[channels]``: norms of the original values, of the kept values (others count as 0),
    # and of those kept after a preview. Without a preview `after` equals `left`.
    norms: NDArray[np.float64]
    left: NDArray[np.float64]
    after: NDArray[np.float64]
    # ``float64[channels]``: share of each channel's weights that is kept, from 0 to 1, now and
    # after the preview.
    kept: NDArray[np.float64]
    kept_after: NDArray[np.float64]
    # ``bool[channels]``: whether any weight is protected; None if the tensor has no protected
    # weight.
    protected: NDArray[np.bool_] | None = None
    # ``bool[channels]``: protected channels that also have kept weights that are not protected.
    partly: NDArray[np.bool_] | None = None

    @cached_property
    def to_be_pruned(self) -> NDArray[np.bool_]:
        """Whether a preview prunes all that is left of the channel, ``bool[channels]``."""
        going: NDArray[np.bool_] = (self.kept > 0) & (self.kept_after == 0)
        return going


def stats(snapshot: Snapshot, name: str, job: Job) -> TensorStats:
    """Compute statistics of a tensor in which pruned weights are 0; complex numbers by magnitude.

    Sums are float64 in the order of `pruneapp.analysis.retained_norm`. The variance is computed per
    block around the block's mean and combined by the formula of Chan, Golub and LeVeque (1979), so
    a large mean costs no precision. `job` is started with the elements. Raises `CheckpointError` if
    the type has no values, or the file cannot be read.
    """
    entry = snapshot.entry(name)
    job.start(entry.numel, entry.name)
    low, high = math.inf, -math.inf
    zeros = nan = infinite = 0
    counts, sums = [], []
    spreads = _Sum()
    mask = snapshot.masks.get(entry.name)
    for first, original in pieces(snapshot, entry.name, job):
        values = original
        if mask is not None:
            values = np.where(mask.bools(first, first + original.size), original, 0)
        zeros += int(np.count_nonzero(values == 0))
        finite = np.isfinite(values)
        if not finite.all():
            missing = int(np.count_nonzero(np.isnan(values)))
            nan += missing
            infinite += int(np.count_nonzero(~finite)) - missing
        if finite.any():
            low = min(low, float(values.min(where=finite, initial=math.inf)))
            high = max(high, float(values.max(where=finite, initial=-math.inf)))
        wide = np.where(finite, values, 0.0).astype(np.float64, copy=False)
        count = block_sums(finite.astype(np.float64))
        with np.errstate(over="ignore", invalid="ignore"):
            total = block_sums(wide)
            means = np.repeat(total / np.maximum(count, 1), BLOCK)[: wide.size]
            squared_deviations = np.square(np.where(finite, wide - means, 0.0))
            spreads.add(block_sums(squared_deviations))
        counts.append(count.astype(np.uint16))
        sums.append(total)
    mean, std = _moments(counts, sums, spreads, job)
    known = low <= high
    return TensorStats(
        name=entry.name,
        numel=entry.numel,
        pruned=snapshot.masks.pruned(entry.name),
        minimum=low if known else math.nan,
        maximum=high if known else math.nan,
        mean=mean,
        std=std,
        zeros=zeros,
        nan=nan,
        infinite=infinite,
    )


class _Sum:
    """The exact sum of many non-negative numbers, in bounded memory."""

    def __init__(self) -> None:
        self._parts: list[float] = []

    def add(self, values: Float64s) -> None:
        self._take(values.tolist())

    def join(self, other: _Sum) -> None:
        self._take(other._parts)

    def _take(self, values: Sequence[float]) -> None:
        self._parts.extend(values)
        if len(self._parts) > MANY_SUMS:
            self._parts = condense_sums(self._parts)

    @property
    def total(self) -> float:
        """The sum, rounded once; infinite beyond float64."""
        return total_of(self._parts)


# Elements of a thread task.
_STRETCH = 8 * _PIECE


@dataclass
class _NumberSums:
    """Running statistics of a part of a tensor, or of all of it."""

    size: int = 0
    zeros: int = 0
    nan: int = 0
    minimum: float = math.inf
    maximum: float = -math.inf
    magnitudes: _Sum = field(default_factory=_Sum)  # per block
    squares: _Sum = field(default_factory=_Sum)

    def take(self, values: Floats) -> None:
        """Add the next values of the tensor; they are not modified.

        Infinities count for minimum and maximum, NaN only for `nan`.
        """
        wide = values.astype(np.float64)
        missing = np.isnan(wide)
        self.size += wide.size
        self.zeros += wide.size - int(np.count_nonzero(wide))
        many = int(np.count_nonzero(missing))
        self.nan += many
        if many < wide.size:
            there = ~missing if many else True
            self.minimum = min(self.minimum, float(wide.min(where=there, initial=math.inf)))
            self.maximum = max(self.maximum, float(wide.max(where=there, initial=-math.inf)))
        if many:
            wide[missing] = 0.0
        np.abs(wide, out=wide)
        self.magnitudes.add(block_sums(wide))
        self.squares.add(block_sums(np.square(wide, out=wide)))

    def join(self, other: _NumberSums) -> None:
        """Merge the statistics of the next part into these; `other` is not modified."""
        self.size += other.size
        self.zeros += other.zeros
        self.nan += other.nan
        self.minimum = min(self.minimum, other.minimum)
        self.maximum = max(self.maximum, other.maximum)
        self.magnitudes.join(other.magnitudes)
        self.squares.join(other.squares)


def numbers(snapshot: Snapshot, name: str, job: Job) -> TensorNumbers:
    """Compute statistics of all values of a tensor, with the stored values of pruned weights.

    Sums are float64, per block, and the block sums are added exactly and rounded once, so the
    result is bit-identical for all thread counts and machines. Minimum and maximum are None if all
    values are NaN or there are none. For packed types only the name and the number of elements are
    set. `job` is stepped by the bytes, not started. Raises `UnknownTensorError`, and
    `CheckpointError` if the file cannot be read.
    """
    entry = snapshot.entry(name)
    if entry.dtype.packed:
        job.step(entry.nbytes)
        return TensorNumbers(entry.name, entry.numel)
    # complex128 is stored as two words per element.
    many = 2 if entry.dtype.name == "C128" else 1

    def work(start: int) -> _NumberSums:
        sums, stop = _NumberSums(), min(start + _STRETCH, entry.numel)
        with np.errstate(all="ignore"):  # infinite sums are valid results
            for chunk in snapshot.chunks(entry.name, start * many, stop * many, _PIECE * many):
                job.cancel.check()
                sums.take(real_values(chunk.bits, entry.dtype, entry.name))
        return sums

    total = _NumberSums()
    starts = range(0, entry.numel, _STRETCH)
    for sums in map_in_order(starts, work, job, threads_for(entry.numel)):
        total.join(sums)
        job.step(entry.dtype.nbytes(sums.size))
    there = total.nan < total.size
    return TensorNumbers(
        entry.name,
        entry.numel,
        total.zeros,
        total.nan,
        total.minimum if there else None,
        total.maximum if there else None,
        total.magnitudes.total,
        math.sqrt(total.squares.total),
    )


def _moments(
    counts: list[NDArray[np.uint16]], sums: list[Float64s], spreads: _Sum, job: Job
) -> tuple[float, float]:
    """Return mean and standard deviation; NaN if there are no finite values or sums overflow.

    `counts` and `sums` are arrays with one value per block, one array per piece of the tensor;
    `spreads` is the sum of squared deviations from the block means.
    """
    if not (n := sum(int(count.sum()) for count in counts)):
        return math.nan, math.nan
    if not all(np.isfinite(total).all() for total in sums):
        return math.nan, math.nan  # beyond float64
    each = job.cancel.each
    mean = math.fsum(value for total in each(sums) for value in total.tolist()) / n
    for count, total in each(zip(counts, sums, strict=True)):
        with np.errstate(over="ignore", invalid="ignore"):
            off = total / np.maximum(count, 1) - mean
            between: Float64s = count.astype(np.float64) * np.square(off)
        spreads.add(between)
    return mean, math.sqrt(spreads.total / n)


def channel_norms(
    snapshot: Snapshot,
    name: str,
    dim: int,
    n: Norm,
    *,
    preview: BitMask | None,
    kernel: Kernel,
    job: Job,
    known: ChannelNorms | None = None,
) -> ChannelNorms:
    """Measure the norms of a tensor's channels: original, pruned, and after a preview.

    Up to three passes over the tensor: original values, current mask, and preview, as far as these
    differ. `job` is started, and extended by each pass.

    Parameters
    ----------
    dim
        Dimension of the channels; negative values count from the end.
    preview
        Mask after the previewed step; None without a preview.
    known
        Result for the same state, tensor, dimension and order, with any preview: then only the
        preview is measured.

    Raises
    ------
    ParameterError
        If the tensor has no such dimension or fewer than two, or its dtype cannot be pruned.
    """
    entry = snapshot.entry(name)
    dim = DimParam().resolve(dim, entry.shape, entry.name)
    n = NormParam().validate(n)
    if not entry.dtype.prunable:
        raise ParameterError(f"'{entry.name}' has no norms: {entry.dtype.why_not}.")
    mask, protected = snapshot.masks.get(entry.name), snapshot.protected.get(entry.name)
    read = partial(snapshot.chunks, entry.name)
    job.start(0, entry.name)

    def measured(kept: BitMask | None) -> Float64s:
        job.extend(entry.numel)
        return kernel.channel_norms(Slices(entry.shape, entry.dtype, dim, kept, read), n, job)

    def share(kept: BitMask | None) -> Float64s:
        size = entry.numel // entry.shape[dim] if entry.shape[dim] else 0
        return count_kept_by_channel(kept, entry.shape, dim, job) / max(size, 1)

    if known is None:
        norms = measured(None)
        left, now = (norms if mask is None else measured(mask)), share(mask)
    else:
        norms, left, now = known.norms, known.left, known.kept
    same = preview is None or preview is mask
    holding = partly = None
    if protected is not None:
        holding = channels_left(protected, entry.shape, dim, job)
        partly = holding & channels_left(snapshot.free_mask(name), entry.shape, dim, job)
    return ChannelNorms(
        name=entry.name,
        dim=dim,
        n=str(n),
        norms=norms,
        left=left,
        after=left if same else measured(preview),
        kept=now,
        kept_after=now if same else share(preview),
        protected=holding,
        partly=partly,
    )


def sparsity(snapshot: Snapshot, masks: Mapping[str, BitMask] | None = None) -> SparsityReport:
    """Report the sparsity of every prunable tensor, in file order, from the counts of the masks.

    `masks` are those of a preview, by first names, for the values after; without them, and for
    missing names, after equals before. Norms are unknown. Reads no weights.
    """
    entries = [entry for entry in snapshot.checkpoint.entries.values() if not entry.why_not]
    names = [entry.name for entry in entries]
    before = after = snapshot.masks.counts(names)
    if masks:
        counts = zip(names, before, strict=True)
        after = [masks[name].pruned if name in masks else count for name, count in counts]
    return SparsityReport(
        SparsityTable.of_counts(names, [entry.numel for entry in entries], before, after),
        snapshot.checkpoint.size().parameters,
        sum(before),
        sum(after),
    )


def pieces(snapshot: Snapshot, name: str, job: Job) -> Iterator[tuple[int, Floats]]:
    """Yield the first flat index and the values of block-aligned pieces of a tensor, in order.

    Pruned weights have their original values. Steps `job` after each piece. Raises
    `CheckpointError` if the values are packed.
    """
    dtype = snapshot.entry(name).dtype
    for chunk in align_chunks(snapshot.chunks(name)):
        for first in range(0, chunk.bits.size, _PIECE):
            values = real_values(chunk.bits[first : first + _PIECE], dtype, name)
            yield chunk.start + first, values
            job.step(values.size)


BINS = 128
# Magnitudes smaller than the largest by more decades than this share one bin with the zeros.
DECADES = 8
# So do magnitudes below this: float64 is too coarse there for separate edges.
_TINY = 1e-300
# Outliers would squeeze all other values into a few bins. If the largest magnitude is more than
# _FAR times the percentile, equal bins end at _REACH times the percentile, and larger magnitudes
# are counted in one bin at the edge.
_PERCENT = 99.9
_REACH = 1.25
_FAR = 3.0

_MOST = float(np.finfo(np.float64).max)


def histogram(
    snapshot: Snapshot,
    name: str,
    preview: BitMask | None,
    job: Job,
    *,
    bins: int = BINS,
    binning: Binning = "magnitudes",
    finer: tuple[float, float] | None = None,
) -> Histogram:
    """Count the magnitudes, or the values, of a tensor in bins.

    Pruned weights are counted by their original values, apart from the kept ones. Weights that the
    preview prunes are counted as kept, and a second time on their own (all 0 without a preview).
    NaN and infinite values are in no bin. Raises `CheckpointError` if the values are packed.

    Parameters
    ----------
    preview
        Mask after a previewed step, to count the weights that it prunes; None without one.
    job
        Started with twice the elements, for two passes; may cancel.
    bins
        Maximum number of bins: at least 2, with signs 4, for decades 9. `finer` adds up to twice as
        many.
    binning
        ``magnitudes``: equal bins from 0 to beyond the largest finite magnitude. Their width is a
        power of two, so that dividing by it is exact; more than half of `bins` are used, one if all
        magnitudes are 0. ``signed``: the same on both sides of 0, -0.0 in the first bin above.
        ``decades``: equally many bins per power of ten, over at most `DECADES` of them, preceded by
        one bin from 0 for all smaller values. Only if outliers are far beyond a percentile, equal
        bins end there, and the outliers are counted in a bin at the edge, see `Histogram.ends`.
    finer
        A range (low, high) of the axis to show in more detail: there the bins are replaced by about
        twice `bins` narrower ones. It is clipped to the axis without the bins of outliers.

    Returns
    -------
    Histogram
        Counts that match the edges exactly: a value on an edge belongs to the bin above.
    """
    entry = snapshot.entry(name)
    job.start(2 * entry.numel, entry.name)
    smallest, largest = math.inf, 0.0
    for _, values in pieces(snapshot, entry.name, job):
        sizes = np.abs(values)
        largest = max(largest, _largest(sizes))
        if binning == "decades":
            smallest = min(smallest, float(sizes.min(where=sizes > 0, initial=math.inf)))
    scale: _Bins
    if binning == "decades":
        scale = _Decades(smallest, largest, bins)
    else:
        usual = percentile(reader(snapshot.bits, entry), entry.numel, _PERCENT)
        limit = usual * _REACH if 0 < usual < largest / _FAR else largest
        scale = _Equal(limit, largest, bins, signed=binning == "signed")
    whole = None
    if finer is not None:
        whole, scale = scale, _Finer(scale, *finer, 2 * bins)
    bins = scale.edges.size - 1
    mask = snapshot.masks.get(entry.name)
    # Kept, pruned and to be pruned in one array, so that one bincount serves all three.
    counts = np.zeros(3 * bins, np.int64)
    nonfinite = 0
    for start, values in pieces(snapshot, entry.name, job):
        finite = np.isfinite(values)
        ok = bool(finite.all())
        places = scale.bins_of(values if ok else np.where(finite, values, 0))
        stop = start + values.size
        kept_here = True if mask is None else mask.bools(start, stop)
        if preview is not None:
            places += (kept_here & ~preview.bools(start, stop)) * np.intp(2 * bins)
        if mask is not None:
            places += np.logical_not(kept_here) * np.intp(bins)
        if not ok:
            nonfinite += int(np.count_nonzero(~finite))
            places = places[finite]
        counts += np.bincount(places, minlength=3 * bins)
    kept, pruned, to_be_pruned = counts.reshape(3, bins)
    return Histogram(
        entry.name,
        scale.edges,
        kept + to_be_pruned,
        pruned,
        to_be_pruned,
        nonfinite,
        binning,
        ends=scale.ends,
        finer=finer,
        whole=None if whole is None else whole.edges,
    )


class _Bins(ABC):
    """The bin edges: ``float64[bins + 1]``, ascending.

    `ends` is the true range of the first and the last bin if outliers make it wider than the edges.
    """

    edges: Float64s
    ends: tuple[float, float] | None = None

    def measured(self, values: Floats) -> Floats:
        """Return the values that are counted in bins: the magnitudes."""
        return np.abs(values)

    def between(self, low: float, high: float, bins: int) -> Float64s:
        """Return ascending edges of about `bins` bins between `low` and `high`."""
        span = min(high - low, _MOST)  # with signs the difference may overflow float64
        width = max(_bin_width(span, bins), 4 * math.ulp(max(abs(low), abs(high))))
        first, last = math.ceil(low / width), math.floor(high / width)
        return np.arange(first, last + 1, dtype=np.float64) * width

    @abstractmethod
    def bins_of(self, values: Floats) -> Indices:
        """Return the bin of every value; all values must be finite."""


class _Equal(_Bins):
    """Bins of equal width, from 0 to beyond `limit`, or on both sides of 0 if `signed`.

    Magnitudes above `limit`, up to `largest`, are counted in the outermost bins.
    """

    def __init__(self, limit: float, largest: float, bins: int, *, signed: bool) -> None:
        beyond = int(largest > limit)  # one bin for outliers, with signs one on either side
        self._width = _bin_width(limit, bins // 2 - beyond if signed else bins - beyond)
        above = int(limit / self._width) + 1 + beyond
        self._below = above if signed else 0
        with np.errstate(over="ignore"):  # the last edge may overflow float64
            edges = np.arange(-self._below, above + 1, dtype=np.float64) * self._width
        self.edges = np.clip(edges, -_MOST, _MOST)
        self._last: float | None = None
        if beyond:
            self.ends = (-largest if signed else 0.0), largest
            self._last = (above - 0.5) * self._width

    def measured(self, values: Floats) -> Floats:
        """Return the values that are counted in bins: unchanged if signed, else magnitudes."""
        return values if self._below else np.abs(values)

    def bins_of(self, values: Floats) -> Indices:
        """Return the bin of every value, from 0; all must be finite and at most `largest`."""
        values = self.measured(values)
        if self._last is not None:
            last = values.dtype.type(self._last)
            values = np.minimum(np.maximum(values, -last), last)
        # The quotient fits into float32 unless the width is outside this range.
        exact = values if 2.0**-100 < self._width < 2.0**100 else values.astype(np.float64)
        quotients = exact * exact.dtype.type(1 / self._width)
        if not self._below:
            return quotients.astype(np.intp)
        places = np.floor(quotients).astype(np.intp)
        # A negative quotient may have underflowed to 0.
        places[(places == 0) & (values < 0)] = -1
        places += self._below
        return places


class _Decades(_Bins):
    """Equally many bins per power of ten, after one bin from 0."""

    def __init__(self, smallest: float, largest: float, bins: int) -> None:
        if largest < _TINY:
            self.edges = np.array([0.0, _TINY if largest else 1.0])
            return
        smallest = max(smallest, _TINY)
        self._fine = fine = max(1, (bins - 1) // DECADES)
        last = math.floor(math.log10(largest) * fine) + 1
        first = max(math.floor(math.log10(smallest) * fine), last - DECADES * fine)
        self._first = first
        with np.errstate(over="ignore"):
            edges = np.power(10.0, np.arange(first, last + 1) / fine)
        # Logarithms are rounded: make sure that the last edge is above the largest magnitude.
        edges[-1] = max(edges[-1], math.nextafter(largest, math.inf))
        self.edges = np.concatenate(([0.0], np.minimum(edges, _MOST)))

    def between(self, low: float, high: float, bins: int) -> Float64s:
        """Return edges of equal ratio; below the first decade edges of equal width."""
        low = max(low, float(self.edges[1])) if high > self.edges[1] else low
        if high <= self.edges[1] or low <= 0:
            return super().between(low, high, bins)
        return np.exp(np.linspace(math.log(low), math.log(high), bins + 1))

    def bins_of(self, values: Floats) -> Indices:
        """Return the bin of every magnitude, from 0; the sign is ignored.

        It is found from the logarithm and corrected by comparison with the edges.
        """
        last = self.edges.size - 2
        if not last:
            return np.zeros(values.size, np.intp)
        sizes = np.abs(values)
        with np.errstate(divide="ignore"):
            logs = np.log10(sizes)
        np.maximum(logs, (self._first - 1) / self._fine, out=logs)  # zeros
        logs *= self._fine
        logs -= self._first
        places = np.floor(logs, out=logs).astype(np.intp)
        places += 1
        np.clip(places, 0, last, out=places)
        places -= sizes < self.edges[places]
        places += (sizes >= self.edges[places + 1]) & (places < last)
        return places


class _Finer(_Bins):
    """The bins of `whole`, with about `bins` narrower ones between `low` and `high`."""

    def __init__(self, whole: _Bins, low: float, high: float, bins: int) -> None:
        edges, last = whole.edges, whole.edges.size - 1
        begin = edges[0]
        if whole.ends is not None:  # the bin of outliers is not divided
            last -= 1
            begin = edges[1] if edges[0] < 0 else edges[0]
        low, high = (min(max(end, float(begin)), float(edges[last])) for end in (low, high))
        self._whole = whole
        self.ends = whole.ends
        self._first = max(int(np.searchsorted(edges, low, side="right")) - 1, 0)
        self._stop = min(max(int(np.searchsorted(edges, high)), self._first + 1), last)
        self._first = min(self._first, self._stop - 1)
        ends = edges[self._first], edges[self._stop]
        fine = whole.between(low, high, bins) if low < high else edges[:0]
        fine = fine[(fine > ends[0]) & (fine < ends[1])]
        old = edges[self._first : self._stop + 1]
        self._fine = np.unique(np.concatenate((old, fine)))
        self.edges = np.concatenate((edges[: self._first], self._fine, edges[self._stop + 1 :]))

    def bins_of(self, values: Floats) -> Indices:
        """Return the bin of every value, from 0; all must be finite."""
        places = self._whole.bins_of(values)
        inside = (places >= self._first) & (places < self._stop)
        places[places >= self._stop] += self._fine.size - 1 - (self._stop - self._first)
        sizes = self._whole.measured(values[inside]).astype(np.float64)
        bins = np.searchsorted(self._fine, sizes, side="right") - 1
        places[inside] = self._first + np.clip(bins, 0, self._fine.size - 2)
        return places


def _largest(sizes: Floats) -> float:
    top = float(sizes.max())
    return top if math.isfinite(top) else float(sizes.max(where=np.isfinite(sizes), initial=0.0))


def _bin_width(largest: float, bins: int) -> float:
    """Return the smallest power of two for which `bins` bins reach beyond `largest`."""
    if largest == 0.0:
        return 1.0

    return math.ldexp(1.0, max(math.frexp(largest / bins)[1], -1021))
