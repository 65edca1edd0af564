"""Estimates of a step from histograms, fast enough for every move of a slider."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np

from pruneapp.analysis import histogram_store
from pruneapp.analysis.histogram_store import cached_rows
from pruneapp.analysis.retained_norm import shares_of
from pruneapp.analysis.sparsity_report import (
    SparsityReport,
    SparsityTable,
    TensorSparsity,
    with_none,
)
from pruneapp.document.selection import Rows
from pruneapp.document.snapshot import Snapshot, Units
from pruneapp.document.step import Row, Step, takes_channels
from pruneapp.edits.dependents import Dependents, TensorDim, known_dependents, units_without
from pruneapp.groups.group import Group
from pruneapp.groups.trace import trace_key
from pruneapp.kernels.values import Bools, Counts, Float64s, Indices
from pruneapp.masks.channels import channels_left, count_kept_by_channel, mask_of_channels
from pruneapp.methods import registry
from pruneapp.methods.amounts import (
    Running,
    Tensors,
    channel_counts_to_prune,
    counts_of,
    counts_to_prune,
    weight_counts_to_prune,
)
from pruneapp.methods.cutoff import rows_of, share_by_rows
from pruneapp.methods.method import BlockMethod, Cutting, GroupMethod, RowMethod
from pruneapp.preview.cumulative import (
    ChannelOrder,
    CumulativeCut,
    CumulativeTable,
    channel_order_of,
    cumulative_of,
    split_in_proportion,
)
from pruneapp.progress import Job


@dataclass(frozen=True)
class Estimate:
    """The estimated effect of a step, from histograms only, available before weights are read."""

    tensors: int  # number of weights to be pruned
    to_prune: int  # how many weights would go
    exact: bool  # whether `to_prune` is exact; with partly pruned channels it is a bound
    channels: int = 0  # number of channels to be pruned; 0 for unstructured methods
    # Per-tensor results from histograms and norms: for floats of more than 16 bits accurate to one
    # bin of the upper 16 bits (`exact_report` is False then). None if something is not counted yet,
    # or if the method cannot be estimated.
    report: SparsityReport | None = None
    exact_report: bool = False  # whether the counts of `report` are exact
    # Share of the elements needed for `report` that is counted, from 0 to 1; 1 if there will be
    # none.
    counting: float = 1.0


@dataclass(frozen=True, eq=False)
class Effect:
    """What a row would do to its tensors.

    `squares` and `sizes` are ``float64[2, tensors]``: sums of squares and of magnitudes of kept
    weights, before and after; NaN if unknown. `complete` is True if all sums that can be known are.
    """

    units: Units
    cut: CumulativeCut
    squares: Float64s
    sizes: Float64s
    channels: int = 0  # number of pruned channels; 0 for unstructured methods
    pruned_channels: tuple[Indices, ...] = ()  # their numbers per tensor, if dependents are pruned
    complete: bool = True


def effect_of(snapshot: Snapshot, step: Step, row: Row, units: Units, job: Job) -> Effect | None:
    """Return the estimated effect of a row; None if it cannot be estimated, or not yet.

    `units` are its tensors, from `Snapshot.units`. None if a histogram or norm that it needs is
    missing (except at random), and for methods that only the exact step tells, unless they prune
    individual weights with the local scope and an amount: then counts are exact and sums NaN.

    Raises `ParameterError` if the amount is larger than what is left, or the limits cannot be met.
    """
    method = registry.get(row.method)
    size, channels = len(units.names), 0
    pruned_channels: tuple[Indices, ...] = ()
    weights = method.granularity == "weights"
    weight_counts = partial(
        weight_counts_to_prune,
        step.limits,
        _tensors_of(units),
        row.values.get("amount", 0.0),
        step.scope,
    )
    if method.estimated_by is None:
        if not weights or step.scope != "local" or "amount" not in row.values:
            return None
        # The counts do not depend on which weights are pruned.
        wanted, nan = _by_rows(snapshot, row, units, job), np.full((2, size), math.nan)
        counts = weight_counts(split_at_random(units), wanted)[0]
        return Effect(units, CumulativeCut(counts, nan[0], nan[0], nan[0], exact=True), nan, nan)
    table: CumulativeTable | ChannelOrder
    columns = cumulative_of(snapshot, units.names, job) if weights else None
    if not weights:
        order = channel_order_of(snapshot, row, units.names, job)
        if order is None:
            return None
        table, counts = order, _channel_counts(step, row, units, order.running)
        cut, channels = order.cut(counts), int(counts.sum())
        pruned_channels = order.first_channels(counts) if step.dependents else ()
    elif method.estimated_by == "magnitudes":
        if columns is None:
            return None
        table, cut = columns, columns.cut(weight_counts(columns.shares)[0])
        if step.one_cut and not np.isnan(cut.thresholds).all():
            cut = replace(cut, thresholds=np.full(size, np.nanmax(cut.thresholds)))
    else:  # random: every weight is pruned with the same probability
        to_prune, sure = weight_counts(split_at_random(units))[0], step.scope == "local"
        if columns is None:
            nan = np.full((2, size), math.nan)
            return Effect(
                units,
                CumulativeCut(to_prune, nan[0], nan[0], nan[0], sure),
                nan,
                nan,
                complete=False,
            )
        table, cut = columns, columns.cut_at_random(to_prune, sure=sure)
    return Effect(
        units,
        cut,
        _before_and_after(table.squares, table.protected_squares, cut.squares),
        _before_and_after(table.sizes, table.protected_sizes, cut.sizes),
        channels,
        pruned_channels,
        table.complete,
    )


def split_at_random(units: Units) -> Cutting:
    """Return a function that divides a count in proportion to the free weights of tensors."""
    return lambda among, count: split_in_proportion(np.where(among, units.free, 0), count)


def _tensors_of(units: Units) -> Tensors:
    return Tensors(units.names, units.numel, units.numel - units.kept, units.free)


def _by_rows(snapshot: Snapshot, row: Row, units: Units, job: Job) -> Counts | None:
    """Return the counts per tensor if the amount is a fraction of every row; else None.

    That is the case for `RowMethod` with a float. The kept weights per row are cached with the
    state.
    """
    share = row.values.get("amount")
    if not isinstance(registry.get(row.method), RowMethod) or not isinstance(share, float):
        return None
    return share_by_rows(share, kept_by_row(snapshot, units.names, job))


def kept_by_row(snapshot: Snapshot, names: tuple[str, ...], job: Job) -> list[Counts]:
    """Return the number of kept weights of each row of some tensors; cached with the state."""

    def find() -> list[Counts]:
        shapes = [rows_of(snapshot.entry(name).shape) for name in names]
        masks = map(snapshot.masks.get, names)
        return [count_kept_by_channel(m, s, 0, job) for m, s in zip(masks, shapes, strict=True)]

    return snapshot.once(("rows", names), find)


def _channel_counts(step: Step, row: Row, units: Units, running: Running) -> Counts:
    """Return the number of channels to prune per tensor."""
    amount = row.values["amount"]
    if not step.limits.bound:
        return counts_to_prune(amount, units.left, units.free, units.names, "channels")
    tensors = Tensors(units.names, units.numel, units.numel - units.kept, running.all)
    return channel_counts_to_prune(step.limits, tensors, units.left, running, amount)


def _before_and_after(free: Float64s, protected: Float64s | float, pruned: Float64s) -> Float64s:
    with np.errstate(over="ignore", invalid="ignore"):
        before = free + protected
        return np.stack((before, np.maximum(before - pruned, protected)))


def _pattern_weights(
    snapshot: Snapshot, step: Step, method: GroupMethod | BlockMethod, row: Row, units: Units
) -> tuple[int, bool]:
    """Return the maximum of weights that groups or blocks prune, and whether it is exact.

    It is exact if nothing is pruned or protected yet, no limits are set, and no block is
    incomplete. `units` must be in weights. Raises `ParameterError` if the method does not support a
    tensor.
    """
    views = [snapshot.view(name) for name in units.names]
    sure = bool((units.kept == units.numel).all() and (units.free == units.kept).all())
    if isinstance(method, GroupMethod):
        pruned = np.zeros(len(views), np.int64)
        for i, view in enumerate(views):
            groups = method.groups(view, row.values)
            length = view.shape[groups.dim]
            whole = view.numel // max(length, 1) * (length // groups.size)
            pruned[i] = whole * (groups.size - groups.keep)
        return int(np.minimum(pruned, units.free).sum()), sure
    if step.limits.bound:
        return int(units.free.sum()), False
    tiles = [method.partition(view, row.values) for view in views]
    counts = counts_of(row.values["amount"], np.array([t.count for t in tiles], np.int64))
    whole_ones = all(
        rows % t.tall == columns % t.wide == 0 for t in tiles for rows, columns in [t.matrix]
    )
    size = np.array([min(t.tall * t.wide, v.numel) for t, v in zip(tiles, views, strict=True)])
    return int(np.minimum(counts * size, units.free).sum()), sure and whole_ones


def estimate(
    snapshot: Snapshot, step: Step, job: Job | None = None, *, scores: bool = False
) -> Estimate:
    """Estimate what a step would prune, without reading weights.

    Without histograms and norms, or for methods that they do not predict, the result has only
    counts: exact for unstructured methods, and for channels if none is partly pruned. The counts
    are an upper limit (`Estimate.exact` is False) for partly pruned channels, channels with limits,
    later rows with tensors of earlier ones, and masks, whose zeros are not counted here.

    With histograms it also has a report if no tensor is in two rows: for L1, Ln and random methods,
    and, without norms, for other unstructured methods with an amount per tensor. Limits are
    considered. Random unstructured pruning is exact per tensor; global counts, and all norms, are
    expected values. Dependents are included, without norms, once it is known which channels are
    pruned.

    Parameters
    ----------
    scores
        Whether importance scores from a file are used; then histograms do not apply to methods that
        take scores.
    job
        For cancellation: remaining channels may have to be counted in the masks. None cannot
        cancel.

    Raises
    ------
    ParameterError
        If a row asks for more than is left and not protected, does not support a tensor, or limits
        are contradictory.
    SelectionError
        If a tensor cannot be pruned, none is selected, or no dependents are known.
    """
    job = job or Job()
    rows = cached_rows(snapshot, step)
    dependents = _dependents(snapshot, step, tuple(rows), job) if step.dependents else None
    # A set of 100,000 names takes 2 ms; it is needed for several rows only.
    several, touched, n_tensors = len(rows) > 1 or dependents is not None, set[str](), 0
    effects: list[Effect | None] = []
    to_prune = channels = 0
    exact = True
    for row, names in rows:
        if not row.prunes:
            continue
        with step.number_errors(row):
            units = snapshot.units(names, registry.get(row.method), row.values, job)
            disjoint = not several or touched.isdisjoint(units.names)
            if several:
                touched.update(units.names)
            n_tensors = len(units.names)
            elsewhere = scores and registry.get(row.method).takes_scores
            effect = None
            if disjoint and not elsewhere:
                effect = effect_of(snapshot, step, row, units, job)
            effects.append(effect)
            if effect is not None:
                to_prune += int(effect.cut.pruned.sum())
                channels += effect.channels
                continue
            weights, slices, sure = _upper_counts(
                snapshot, step, row, units, job, disjoint=disjoint
            )
            to_prune += weights
            channels += slices
            exact = exact and disjoint and sure
    known = [effect for effect in effects if effect is not None]
    complete = len(known) == len(effects)
    whole = complete and all(effect.complete for effect in known)
    more: Mapping[str, int] = {}
    if dependents is not None:
        following = {along.name for along in dependents.dependent_dims()}
        single = (row.names for row in step.rows if row.prunes and not takes_channels(row))
        exact = exact and complete and following.isdisjoint(chain.from_iterable(single))
        more = _dependent_counts(snapshot, dependents, known, job) if complete else {}
        touched.update(more)
        to_prune += sum(more.values())
    certain = (
        exact and not step.prune_bias_and_norm
    )  # companions are determined by the exact preview
    return Estimate(
        tensors=len(touched) if several else n_tensors,
        to_prune=to_prune,
        exact=certain,
        channels=channels,
        report=_with_dependents(snapshot, _report(snapshot, known, job), more)
        if complete
        else None,
        exact_report=complete and certain and all(effect.cut.exact for effect in known),
        counting=1.0 if whole or scores else histogram_store.counted_share(snapshot, step),
    )


def _upper_counts(
    snapshot: Snapshot, step: Step, row: Row, units: Units, job: Job, *, disjoint: bool
) -> tuple[int, int, bool]:
    """Return the maximum of pruned weights and channels of a row, and whether it is exact.

    Channels are 0 for other units. `disjoint` states that no earlier row has one of the tensors.
    Raises `ParameterError` if the method does not support a tensor, or the amount is too large.
    """
    method = registry.get(row.method)
    if isinstance(method, (GroupMethod, BlockMethod)):
        weights, sure = _pattern_weights(snapshot, step, method, row, units)
        return weights, 0, sure
    if "amount" not in row.values:  # the method decides how much is pruned: at most all
        return int(units.free.sum()), 0, False
    limits = step.limits
    if method.granularity == "weights":
        if limits.bound and not disjoint:  # the limits apply after earlier rows
            return int(units.free.sum()), 0, False
        # The total does not depend on which weights are pruned.
        amount, requested = row.values["amount"], _by_rows(snapshot, row, units, job)
        counts, _ = weight_counts_to_prune(
            limits, _tensors_of(units), amount, step.scope, split_at_random(units), requested
        )
        return int(counts.sum()), 0, True
    if method.granularity == "units":  # approximate: sizes of units differ
        share = row.values["amount"]
        kept = int(units.kept.sum())
        return round(share * kept) if isinstance(share, float) else kept, 0, False
    if step.scope == "global" or limits.target_sparsity is not None or limits.min_sparsity > 0:
        # A tensor may lose more than the amount.
        return int(units.kept.sum()), 0, False
    amount, free = row.values["amount"], not limits.bound
    able = units.free if free else units.left
    counts = counts_to_prune(amount, units.left, able, units.names, "channels")
    weights = int(np.minimum(counts * units.each, units.kept).sum())
    # Exact if no channel is partly pruned, or if all or none of the remaining ones are pruned.
    is_exact = (units.kept == units.left * units.each) | (counts == units.left) | (counts == 0)
    return weights, int(counts.sum()), free and bool(is_exact.all())


def _report(snapshot: Snapshot, effects: Sequence[Effect], job: Job) -> SparsityReport:
    """Return the report of rows whose tensors are disjoint, in file order.

    Norms are those of the tensors of the step together, None if a sum is unknown. Without effects
    it has no tensors.
    """
    if not effects:  # no row can prune
        numel_of_all, pruned = _model(snapshot, job)
        return SparsityReport((), numel_of_all, pruned, pruned)
    names: Sequence[str] = effects[0].units.names
    if len(effects) > 1:
        names = [name for effect in effects for name in effect.units.names]
    numel = np.concatenate([effect.units.numel for effect in effects])
    before = numel - np.concatenate([effect.units.kept for effect in effects])
    counts = np.concatenate([effect.cut.pruned for effect in effects])
    squares = np.concatenate([effect.squares for effect in effects], axis=1)
    sizes = np.concatenate([effect.sizes for effect in effects], axis=1)
    thresholds = np.concatenate([effect.cut.thresholds for effect in effects])
    rows = SparsityTable(
        names, numel, before, before + counts, shares_of(*squares), thresholds, shares_of(*sizes)
    )
    if len(effects) == 1:
        rows.__dict__["places"] = effects[0].units.places  # shared between moves of a slider
    else:
        rows = rows.sort_like(snapshot.checkpoint.entries)
    with np.errstate(over="ignore"):
        sums = np.stack((squares.sum(axis=1), sizes.sum(axis=1)), axis=1)
        norm, magnitude = with_none(shares_of(*sums))
    numel_of_all, pruned = _model(snapshot, job)
    return SparsityReport(rows, numel_of_all, pruned, pruned + int(counts.sum()), norm, magnitude)


def _dependents(snapshot: Snapshot, step: Step, rows: Rows, job: Job) -> Dependents:
    """Return the cached result of `known_dependents`."""
    each = tuple((row.names, row.method, row.values.get("dim")) for row in step.rows)
    key = "dependents", each, step.limits, trace_key(snapshot.checkpoint)
    return snapshot.once(key, lambda: known_dependents(snapshot.checkpoint, step, rows, job))


def _dependent_counts(
    snapshot: Snapshot, dependents: Dependents, effects: Sequence[Effect], job: Job
) -> dict[str, int]:
    """Return the number of weights that dependents add to the pruned ones, by tensor, unless 0.

    `effects` have the pruned channels of all sources. Weights that are pruned already, or by the
    channels of the step itself, are not counted.
    """
    pruned_numbers = {
        name: numbers
        for effect in effects
        if effect.pruned_channels
        for name, numbers in zip(effect.units.names, effect.pruned_channels, strict=True)
    }
    kept_by_source: dict[TensorDim, Bools] = {}
    pruned_units: dict[int, tuple[Group, Bools]] = {}
    for source, groups in dependents.groups.items():
        shape = snapshot.entry(source.name).shape
        left = channels_left(snapshot.masks.get(source.name), shape, source.dim, job)
        left[pruned_numbers[source.name]] = False
        kept_by_source[source] = left
        for group in groups:
            also = pruned_units.get(id(group), (group, np.zeros(group.count, np.bool_)))[1]
            pruned_units[id(group)] = group, also | units_without(group, source, left)
    source_dims = {along.name: {along.dim: left} for along, left in kept_by_source.items()}
    dims_by_name: dict[str, dict[int, Bools]] = {}
    for group, units in pruned_units.values():
        for member in group.members:
            job.step(0)
            shape = snapshot.entry(member.name).shape
            dims = dims_by_name.setdefault(member.name, dict(source_dims.get(member.name, {})))
            left = dims.get(member.dim, np.ones(shape[member.dim], np.bool_)).copy()
            left[group.entries(member, np.flatnonzero(units))] = False
            dims[member.dim] = left
    counts = {
        name: _count_pruned(snapshot, name, dims, job)
        - _count_pruned(snapshot, name, source_dims.get(name), job)
        for name, dims in dims_by_name.items()
    }
    return {name: count for name, count in counts.items() if count}


def _count_pruned(snapshot: Snapshot, name: str, dims: Mapping[int, Bools] | None, job: Job) -> int:
    """Return how many free weights of a tensor are pruned if only some entries are kept.

    `dims` has, by dimension, which entries are kept; None or empty means all, so that the result is
    0.
    """
    if not dims:
        return 0
    shape, free = snapshot.entry(name).shape, snapshot.free_mask(name)
    if free is None:
        kept = (int(np.count_nonzero(dims[d])) if d in dims else n for d, n in enumerate(shape))
        return math.prod(shape) - math.prod(kept)
    left = free
    for dim, is_kept in dims.items():
        left &= mask_of_channels(shape, dim, is_kept, job)
    return free.kept - left.kept


def _with_dependents(
    snapshot: Snapshot, report: SparsityReport, more: Mapping[str, int]
) -> SparsityReport:
    """Return the report with additional pruned weights per tensor, whose norms become unknown.

    Tensors that are not in the report are added, in file order. Without `more` it is `report`
    itself.
    """
    if not more:
        return report
    rows = {row.name: row for row in report.tensors}
    tensors = []
    for name in snapshot.checkpoint.entries:
        row = rows.get(name)
        if name in more:
            before = snapshot.masks.pruned(name) if row is None else row.before
            after = (before if row is None else row.after) + more[name]
            row = TensorSparsity(name, snapshot.entry(name).numel, before, after)
        if row is not None:
            tensors.append(row)
    after = report.after + sum(more.values())
    return replace(
        report,
        tensors=tuple(tensors),
        after=after,
        norm_retained=None,
        l1_retained=None,
        with_channels=frozenset(name for name in more if len(snapshot.entry(name).shape) == 1),
    )


def _model(snapshot: Snapshot, job: Job) -> tuple[int, int]:
    """Return the number of parameters of the model, and of pruned weights.

    Cached with the state.
    """

    def find() -> tuple[int, int]:
        pruned = sum(mask.pruned for mask in snapshot.masks.values())
        return snapshot.checkpoint.size(job.cancel).parameters, pruned

    return snapshot.once("model", find)
