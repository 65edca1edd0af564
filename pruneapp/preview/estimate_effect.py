"""What a row of a step would do to each of its tensors, from counts alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.document.snapshot import Snapshot
from pruneapp.document.snapshot_counts import Units
from pruneapp.document.step import Row, Step
from pruneapp.methods import registry
from pruneapp.methods.amounts import to_prune
from pruneapp.methods.limit_bounds import Tensors, budgets, refuse_more
from pruneapp.methods.limit_bounds_channel_bounds import channels_after
from pruneapp.methods.limit_bounds_clamped import weights_after
from pruneapp.methods.method import Counts, Cutting
from pruneapp.preview.cumulative_together import columns_of, ordered_of
from pruneapp.progress import Job

Sums = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Effect:
    """What a row would do, a column for each number.

    Attributes
    ----------
    units
        Its tensors, and what is there of them.
    gone
        ``int64[tensors]``: weights that go.
    thresholds
        ``float64[tensors]``: magnitudes at the cut; NaN where there is none.
    squares, sizes
        ``float64[2, tensors]``: sums of squares and of magnitudes of what is kept before and after;
        NaN where they are not known.
    sure
        Whether the counts are exact.
    channels
        How many channels go; 0 for single weights.
    complete
        Whether the sums are there as far as they can be said.
    """

    units: Units
    gone: Counts
    thresholds: Sums
    squares: Sums
    sizes: Sums
    sure: bool
    channels: int = 0
    complete: bool = True


def effect_of(snapshot: Snapshot, step: Step, row: Row, units: Units, job: Job) -> Effect | None:
    """Return what a row would do; None if counts do not say it, or not yet.

    Parameters
    ----------
    snapshot
        The state.
    step
        The step of the row.
    row
        The row.
    units
        What is left of its tensors.
    job
        May cancel.

    Raises
    ------
    ParameterError
        If it asks for more than there is, or for what its limits do not leave.
    """
    method = registry.get(row.method)
    if method.told_by is None:
        return None
    of = _of_weights if method.granularity == "weights" else _of_channels
    return of(snapshot, step, row, units, job)


def _of_weights(snapshot: Snapshot, step: Step, row: Row, units: Units, job: Job) -> Effect | None:
    ranked = registry.get(row.method).told_by == "magnitudes"
    columns = columns_of(snapshot, units.names, job)

    def by_magnitude(among: NDArray[np.bool_], count: int) -> Counts:
        assert columns is not None
        return columns.shares(count, among)

    if ranked and columns is None:
        return None
    gone = weights_gone(step, row, units, by_magnitude if ranked else by_lot(units))
    size = len(units.names)
    if columns is None:
        nothing = np.full((2, size), math.nan)
        sure = step.scope == "local"
        return Effect(units, gone, nothing[0], nothing, nothing, sure, complete=False)
    if ranked:
        cut = columns.cut(gone)
        thresholds, sure = cut.thresholds, cut.sure
        if step.one_cut and not np.isnan(thresholds).all():
            thresholds = np.full(size, np.nanmax(thresholds))
        squares, sizes = cut.squares, cut.sizes
    else:  # any weight goes with the same chance
        share = gone / np.maximum(units.free, 1)
        thresholds, sure = np.full(size, math.nan), step.scope == "local"
        with np.errstate(invalid="ignore"):  # nothing of an infinite sum
            squares, sizes = share * columns.squares, share * columns.sizes
    return Effect(
        units,
        gone,
        thresholds,
        _before_and_after(columns.squares, columns.guarded_squares, squares),
        _before_and_after(columns.sizes, columns.guarded_sizes, sizes),
        sure,
    )


def by_lot(units: Units) -> Cutting:
    """Return what takes the same share of what is free of each tensor."""

    def cut(among: NDArray[np.bool_], count: int) -> Counts:
        free = np.where(among, units.free, 0)
        ends = np.rint(np.cumsum(free) * (count / max(int(free.sum()), 1))).astype(np.int64)
        return np.clip(np.diff(ends, prepend=0), 0, free)

    return cut


def weights_gone(step: Step, row: Row, units: Units, cut: Cutting) -> Counts:
    """Return how many single weights of each tensor go; see `effect_of`."""
    amount = row.values["amount"]
    if step.limits.bound:
        tensors = Tensors(units.names, units.numel, units.numel - units.kept, units.free)
        after, _ = weights_after(step.limits, tensors, amount, step.scope, cut)
        return after - tensors.before
    if step.scope == "local":
        gone = budgets(amount, units.left)
        refuse_more(amount, units.left, units.free, gone, units.names)
        return gone
    left, protected = int(units.left.sum()), int(units.protected.sum())
    where = units.names[0] if len(units.names) == 1 else ""
    count = to_prune(amount, left, protected=protected, where=where)
    return cut(np.ones(len(units.names), np.bool_), count)


def _of_channels(snapshot: Snapshot, step: Step, row: Row, units: Units, job: Job) -> Effect | None:
    ordered = ordered_of(snapshot, row, units.names, job)
    if ordered is None:
        return None
    amount = row.values["amount"]
    running = ordered.running
    if step.limits.bound:
        tensors = Tensors(units.names, units.numel, units.numel - units.kept, running.all)
        counts = channels_after(step.limits, tensors, units.left, running, amount)
    else:
        counts = budgets(amount, units.left)
        refuse_more(amount, units.left, units.free, counts, units.names, "channels")
    gone, squares, sizes = ordered.cut(counts)
    zero = np.zeros(len(units.names))
    return Effect(
        units,
        gone,
        np.full(len(units.names), math.nan),
        _before_and_after(ordered.all_squares, zero, squares),
        _before_and_after(ordered.all_sizes, zero, sizes),
        sure=True,
        channels=int(counts.sum()),
        complete=ordered.complete,
    )


def _before_and_after(free: Sums, guarded: Sums, gone: Sums) -> Sums:
    with np.errstate(over="ignore", invalid="ignore"):
        before = free + guarded
        return np.stack((before, np.maximum(before - gone, guarded)))
