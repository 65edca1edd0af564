"""Use of histograms in an exact step: to predict its threshold, and for most of its sums.

Without histograms, an exact step estimates its threshold from a sample, and reads every weight
again for the sums of squares and magnitudes. With histograms neither is needed: they determine the
bin of the threshold and the sums of all lower bins, and the weights pruned in the bin itself are
reported by the kernel (`NearCut`). The masks are identical.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from pruneapp.analysis import histogram_store
from pruneapp.analysis.histograms import BINS, MagnitudeHistogram, bin_shift, bin_values
from pruneapp.analysis.retained_norm import RetainedNorm, measure_kept_norms, total_of
from pruneapp.analysis.sparsity_report import SparsityReport, with_none
from pruneapp.analysis.statistics import sparsity
from pruneapp.checkpoint.dtypes import DType
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.coupled_tensors import pruned_with_channels
from pruneapp.kernels.kernel import KeyRange
from pruneapp.kernels.values import Float64s
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import channels_left
from pruneapp.methods.cutoff import Expect, NearTaken, Ranked
from pruneapp.progress import Job

# Below this many elements, computing the sums takes no longer without known ones.
_SMALL = 1 << 16
# For more tensors, adding their histograms takes longer than a sample.
_MOST = 2_000


def cut_prediction(snapshot: Snapshot) -> Expect:
    """Return a function that predicts the threshold of a step from histograms; see `Expect`.

    Histograms are looked up when it is called.
    """

    def expect(ranked: Ranked) -> KeyRange | None:
        """Return the keys of the bin of the threshold, and the number of weights in it.

        None unless all tensors have histograms, the same dtype, and are ranked by their own
        weights, there are at most `_MOST` of them, and the threshold is a number.
        """
        dtypes = {view.dtype for view in ranked.views}
        if len(dtypes) > 1 or len(ranked.views) > _MOST:
            return None
        dtype = dtypes.pop()
        assert dtype.form is not None
        total = np.zeros(BINS, np.int64)
        for view, ranking in zip(ranked.views, ranked.rankings, strict=True):
            histogram = histogram_store.magnitudes(snapshot, view.name)
            if histogram is None or view.scores is not None or ranking.width != dtype.bits:
                return None
            total[histogram.bins] += histogram.counts
        ends = np.cumsum(total)
        if ranked.count > ends[-1]:
            return None
        digit, shift = int(np.searchsorted(ends, ranked.count)), bin_shift(dtype)
        high = min(((digit + 1) << shift) - 1, dtype.form.largest)
        return KeyRange(digit << shift, high, int(total[digit]))

    return expect


def known_retained_norms(
    snapshot: Snapshot, after: Mapping[str, BitMask], near: Mapping[str, NearTaken], job: Job
) -> dict[str, RetainedNorm]:
    """Return retained norms without reading weights, of tensors of `near` where that is possible.

    `after` are the masks after the step, by first name; `near` the pruned keys in the bin of the
    threshold, from `Pruned.near`. Sums are added in another order than in `measure_retained_norms`,
    so they may differ by rounding. A tensor is omitted if it has no histogram, if a sum is not
    finite, or if weights were pruned but the largest of them is unknown.
    """
    result = {}
    for name, near_cut in near.items():
        job.cancel.check()
        counted = histogram_store.magnitudes(snapshot, name)
        if counted is None:
            continue
        norm = _retained_norm(counted, snapshot.entry(name).dtype, near_cut)
        changed = after[name].kept != (after[name].size - snapshot.masks.pruned(name))
        if norm is not None and (changed == (norm.threshold is not None)):
            result[name] = norm
    return result


def _retained_norm(
    counted: MagnitudeHistogram, dtype: DType, near_taken: NearTaken
) -> RetainedNorm | None:
    """Return the norms of a tensor of which all weights below a bin and some in it are pruned.

    `near_taken` has the range of the bin, and the pruned keys in it. None if the largest pruned
    magnitude is unknown or infinite, or a sum is not finite. The threshold is None if nothing is
    pruned.
    """
    values = bin_values(dtype)
    shift = bin_shift(dtype)
    near, keys = near_taken
    place = int(np.searchsorted(counted.bins, near.low >> shift))
    squares, sizes = counted.sums_of_bins(dtype)
    threshold: float | None = None
    if keys.size:
        pruned_values = keys.view(dtype.numpy).astype(np.float64) if shift else values[keys]
        threshold = float(pruned_values.max())
        if not math.isfinite(threshold):
            return None
    elif place and shift:
        return None  # the largest magnitude of the bin is unknown
    else:
        pruned_values = np.zeros(0)
        if place:
            threshold = float(values[counted.bins[place - 1]])
    with np.errstate(over="ignore"):
        sums = [
            _split(sums, place, float(inside), protected)
            for sums, inside, protected in (
                (squares, np.square(pruned_values).sum(), counted.protected_sums[0]),
                (sizes, pruned_values.sum(), counted.protected_sums[1]),
            )
        ]
    if not all(map(math.isfinite, (*sums[0], *sums[1]))):
        return None
    return RetainedNorm(*sums[0], *sums[1], threshold)


def _split(
    sums: np.ndarray[tuple[int], np.dtype[np.float64]], place: int, pruned: float, protected: float
) -> tuple[float, float]:
    """Return the sums before and after, if all bins below `place` and part of it are pruned.

    `sums` are those of the bins, `pruned` the pruned part of the bin at `place`, and `protected`
    the sum of protected weights, which are in no bin. The remaining weights are added up rather
    than subtracted from the total, which would cancel small sums.
    """
    above = total_of(sums[place + 1 :].tolist())
    bin_sum = float(sums[place]) if place < sums.size else 0.0
    rest = max(0.0, bin_sum - pruned) + above + protected
    return total_of(sums[:place].tolist()) + bin_sum + above + protected, rest


def known_channels(
    snapshot: Snapshot, after: Mapping[str, BitMask], dims: Mapping[str, int], job: Job
) -> dict[str, RetainedNorm]:
    """Return retained norms for channels pruned along `dims`, from their norms, by first name.

    `after` are the masks after the step. Only for tensors whose L2 and L1 norms are known and
    finite; without thresholds.
    """
    result = {}
    for name, dim in dims.items():
        job.cancel.check()
        entry = snapshot.entry(name)
        counted = [histogram_store.channels(snapshot, name, dim, n) for n in (2, 1)]
        if counted[0] is None or counted[1] is None:
            continue
        is_kept = channels_left(after[name], entry.shape, dim, job)
        with np.errstate(over="ignore"):
            squares, sizes = np.square(counted[0].norms), counted[1].norms
        sums = [total_of(part.tolist()) for s in (squares, sizes) for part in (s, s[is_kept])]
        # Sums may overflow, or a weight may be infinite.
        if all(map(math.isfinite, sums)):
            result[name] = RetainedNorm(*sums)
    return result


def counted_sums(
    snapshot: Snapshot, names: Iterable[str], job: Job
) -> dict[str, tuple[float, float]]:
    """Return the known sums of squares and of magnitudes of large tensors, by first names.

    Tensors of up to `_SMALL` elements are omitted, for which they save no time, as are tensors with
    replaced values and those whose sums are not counted yet.
    """
    found = {}
    entries, values = snapshot.checkpoint.entries, snapshot.values
    # With 100,000 tensors, usually none is large.
    large = [name for name in job.cancel.each(names) if entries[name].numel > _SMALL]
    for name in job.cancel.each(large):
        if name not in values:
            sums = histogram_store.find_sums(snapshot, name)
            if sums is not None:
                found[name] = sums
    return found


def kept_norms(
    snapshot: Snapshot,
    after: Mapping[str, BitMask],
    sums: Mapping[str, tuple[float, float]],
    job: Job,
) -> dict[str, RetainedNorm]:
    """Return the result of `measure_kept_norms` for tensors with known sums, by first names.

    `after` are the masks after the step, `sums` the sums of the remaining weights that the step
    computed. Other tensors are omitted.
    """
    return measure_kept_norms(snapshot, after, counted_sums(snapshot, after, job), sums, job)


_KEY = "retained"
_BYTES = 80  # approximate memory of a tensor in a report
_UNKNOWN = (math.nan, math.nan)
# Relative difference below which sums are equal up to the order of addition.
_ROUNDING = 1e-12


def report_since_opening(opened: Snapshot, now: Snapshot, job: Job) -> SparsityReport:
    """Report the sparsity of a model, and which share of its norms is retained since opening.

    `opened` is the state when the file was opened. Only uses what was counted in the background;
    reads no weights. `norm_retained` of a tensor is the share of the sum of squares of its finite
    weights that is still kept, with the values in the file: a repair does not change it. It is 1 if
    that sum was 0, and None if it is not counted yet or overflows float64. `norm_retained` of the
    model is that of all tensors together; None unless all are known. `l1_retained` is the same for
    the sum of magnitudes. The report is cached with `now` once the norm of the model is known.
    """
    cached: SparsityReport | None = now.recall(_KEY)
    if cached is not None and not has_unknown_factors(cached):
        return cached
    report = sparsity(now)
    names = report.table.names
    was, left = (
        np.array(
            [histogram_store.find_sums(state, name) or _UNKNOWN for name in job.cancel.each(names)],
            np.float64,
        ).reshape(-1, 2)
        for state in (opened, now)
    )
    norms, l1s = _share(was, left).T
    with np.errstate(over="ignore"):  # cumsum adds one after another, in a defined order
        totals = [np.cumsum(sums, axis=0)[-1:] for sums in (was, left)]
    norm, l1 = (*with_none(_share(*totals)[0]),) if len(names) else (1.0, 1.0)
    result = replace(
        report,
        tensors=replace(report.table, norm=norms, l1=l1s),
        norm_retained=norm,
        l1_retained=l1,
        repaired=_factors(now, job),
        with_channels=pruned_with_channels(now, job),
    )
    if result.norm_retained is not None:
        now.remember(_KEY, result, _BYTES * len(names))
    return result


def add_since_opening(report: SparsityReport, before: Snapshot) -> SparsityReport:
    """Return the report of a step with what tensors retained until then, and which are repaired.

    `before` is the state before the step. Uses its cached result of `report_since_opening`; without
    one, what the report has is kept. Reads no weights.
    """
    cached: SparsityReport | None = before.recall(_KEY)
    shares = report.retained if cached is None else cached.norms_retained
    repaired = dict.fromkeys(before.values, math.nan) if cached is None else cached.repaired
    return replace(report, retained=shares, repaired=repaired)


def has_unknown_factors(report: SparsityReport) -> bool:
    """Return whether the norm of a repaired tensor with its current values is not counted yet."""
    return any(map(math.isnan, report.repaired.values()))


def _factors(now: Snapshot, job: Job) -> dict[str, float]:
    """Return the changes of norm² by replaced values, see `dangers`; NaN if not counted yet."""
    factors = {}
    for name in job.cancel.each(now.values):
        histogram = histogram_store.magnitudes(now, name)
        before = histogram_store.find_sums(now, name)
        factors[name] = math.nan
        if histogram is not None and before is not None and before[0] > 0:
            factors[name] = histogram.sums(now.entry(name).dtype)[0] / before[0]
    return factors


def _share(before: Float64s, after: Float64s) -> Float64s:
    """Return `after` / `before` for each sum; NaN if unknown, 1 if it was 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(before == 0, 1.0, after / before)
    shares[shares > 1 - _ROUNDING] = 1.0
    shares[~(np.isfinite(before) & np.isfinite(after))] = math.nan
    return shares
