"""What a step would do, from counts alone, fast enough for every move of a slider."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from pruneapp.analysis import histogram_store
from pruneapp.analysis.histogram_store import rows_now
from pruneapp.analysis.retained_norm import shares_of
from pruneapp.document.selection import Rows
from pruneapp.document.snapshot import Snapshot, Units
from pruneapp.document.step import Row, Step, takes_channels
from pruneapp.edits.dependents import Dependents, TensorDim, known_dependents, units_without
from pruneapp.groups.group import Group
from pruneapp.kernels.values import Bools, Counts, Float64s, Indices
from pruneapp.masks.channels import channels_left, kept_by_channel, mask_of_channels
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
    in_proportion,
)
from pruneapp.progress import Job
from pruneapp.results.sparsity_report import (
    Estimate,
    SparsityReport,
    SparsityTable,
    TensorSparsity,
    or_none,
)


@dataclass(frozen=True, eq=False)
class Effect:
    """What a row would do to its tensors.

    `squares` and `sizes` are ``float64[2, tensors]``: sums of squares and of magnitudes of what is
    kept before and after; NaN where they are not known. They are `complete` if they are there as
    far as they can be said.
    """

    units: Units
    cut: CumulativeCut
    squares: Float64s
    sizes: Float64s
    channels: int = 0  # that go; 0 for single weights
    going: tuple[Indices, ...] = ()  # their numbers in each tensor, if something depends on them
    complete: bool = True


def effect_of(snapshot: Snapshot, step: Step, row: Row, units: Units, job: Job) -> Effect | None:
    """Return what a row would do; None if counts do not say it, or not yet.

    Raises
    ------
    ParameterError
        If it asks for more than there is, or for what its limits do not leave.
    """
    method = registry.get(row.method)
    size, channels = len(units.names), 0
    going: tuple[Indices, ...] = ()
    weights = method.granularity == "weights"
    if method.estimated_by is None:
        if not weights or step.scope != "local" or "amount" not in row.values:
            return None
        # How many go of each tensor is the same whichever go.
        wanted, nan = _by_rows(snapshot, row, units, job), np.full((2, size), math.nan)
        counts = _weight_counts(step, row, units, at_random(units), wanted)
        return Effect(units, CumulativeCut(counts, nan[0], nan[0], nan[0], exact=True), nan, nan)
    table: CumulativeTable | ChannelOrder
    columns = cumulative_of(snapshot, units.names, job) if weights else None
    if not weights:
        order = channel_order_of(snapshot, row, units.names, job)
        if order is None:
            return None
        table, counts = order, _channel_counts(step, row, units, order.running)
        cut, channels = order.cut(counts), int(counts.sum())
        going = order.first(counts) if step.dependents else ()
    elif method.estimated_by == "magnitudes":
        if columns is None:
            return None
        table, cut = columns, columns.cut(_weight_counts(step, row, units, columns.shares))
        if step.one_cut and not np.isnan(cut.thresholds).all():
            cut = replace(cut, thresholds=np.full(size, np.nanmax(cut.thresholds)))
    else:  # any weight goes with the same chance
        to_prune, sure = _weight_counts(step, row, units, at_random(units)), step.scope == "local"
        if columns is None:
            nan = np.full((2, size), math.nan)
            return Effect(
                units,
                CumulativeCut(to_prune, nan[0], nan[0], nan[0], sure),
                nan,
                nan,
                complete=False,
            )
        table, cut = columns, columns.at_random(to_prune, sure=sure)
    return Effect(
        units,
        cut,
        _before_and_after(table.squares, table.protected_squares, cut.squares),
        _before_and_after(table.sizes, table.protected_sizes, cut.sizes),
        channels,
        going,
        table.complete,
    )


def at_random(units: Units) -> Cutting:
    """Return what takes the same share of what is free of each tensor."""
    return lambda among, count: in_proportion(np.where(among, units.free, 0), count)


def _weight_counts(
    step: Step, row: Row, units: Units, cut: Cutting, wanted: Counts | None = None
) -> Counts:
    """Return how many single weights of each tensor go; see `effect_of`."""
    tensors = Tensors(units.names, units.numel, units.numel - units.kept, units.free)
    amount = row.values["amount"]
    return weight_counts_to_prune(step.limits, tensors, amount, step.scope, cut, wanted)[0]


def _by_rows(snapshot: Snapshot, row: Row, units: Units, job: Job) -> Counts | None:
    """Return what a share of every row is in each tensor; None if the row means none."""
    share = row.values.get("amount")
    if not isinstance(registry.get(row.method), RowMethod) or not isinstance(share, float):
        return None

    def find() -> list[Counts]:
        shapes = [rows_of(snapshot.entry(name).shape) for name in units.names]
        masks = map(snapshot.masks.get, units.names)
        return [kept_by_channel(m, s, 0, job) for m, s in zip(masks, shapes, strict=True)]

    return share_by_rows(share, snapshot.once(("rows", units.names), find))


def _channel_counts(step: Step, row: Row, units: Units, running: Running) -> Counts:
    """Return how many channels of each tensor go; see `effect_of`."""
    amount = row.values["amount"]
    if not step.limits.bound:
        return counts_to_prune(amount, units.left, units.free, units.names, "channels")
    tensors = Tensors(units.names, units.numel, units.numel - units.kept, running.all)
    return channel_counts_to_prune(step.limits, tensors, units.left, running, amount)


def _before_and_after(free: Float64s, protected: Float64s | float, pruned: Float64s) -> Float64s:
    with np.errstate(over="ignore", invalid="ignore"):
        before = free + protected
        return np.stack((before, np.maximum(before - pruned, protected)))


def pattern_counts_to_prune(
    snapshot: Snapshot, step: Step, row: Row, units: Units
) -> tuple[int, int, bool] | None:
    """Return the weights and channels that go at most, and whether it is just so.

    It is where nothing is pruned or protected yet, and no limits bind or block is cut. None for
    methods that take neither groups nor blocks. `units` are what is left, in weights.

    Raises
    ------
    ParameterError
        If a tensor does not suit the method.
    """
    method = registry.get(row.method)
    if not isinstance(method, (GroupMethod, BlockMethod)):
        return None
    views = [snapshot.view(name) for name in units.names]
    sure = bool((units.kept == units.numel).all() and (units.free == units.kept).all())
    if isinstance(method, GroupMethod):
        wanted = np.zeros(len(views), np.int64)
        for i, view in enumerate(views):
            groups = method.groups(view, row.values)
            length = view.shape[groups.dim]
            whole = view.numel // max(length, 1) * (length // groups.size)
            wanted[i] = whole * (groups.size - groups.keep)
        return int(np.minimum(wanted, units.free).sum()), 0, sure
    if step.limits.bound:
        return int(units.free.sum()), 0, False
    tiles = [method.partition(view, row.values) for view in views]
    counts = counts_of(row.values["amount"], np.array([t.count for t in tiles], np.int64))
    whole_ones = all(
        rows % t.tall == columns % t.wide == 0 for t in tiles for rows, columns in [t.matrix]
    )
    size = np.array([min(t.tall * t.wide, v.numel) for t, v in zip(tiles, views, strict=True)])
    return int(np.minimum(counts * size, units.free).sum()), 0, sure and whole_ones


def estimate(
    snapshot: Snapshot, step: Step, job: Job | None = None, *, scores: bool = False
) -> Estimate:
    """Count what a step would prune, without reading a weight.

    As long as magnitudes or norms are not counted, and for methods of which counts say nothing,
    there is a number only: exact for single weights, and for channels of which none is partly
    pruned. No more than it goes (`Estimate.exact` is False) of channels that are partly pruned or
    under limits, by later rows that touch the tensors of earlier ones, and by masks, whose zeros
    are not counted here at all.

    With counts there is a report as well, for any rows that touch no tensor twice: tensors by L1,
    Ln and at random, and by any other method of single weights that takes an amount of each tensor,
    without norms. It keeps to the limits. Single weights that are chosen at random are counted
    exactly locally; globally, and for norms, what is to be expected is told. What depends on the
    channels is in it without norms, as soon as it is known which of them go.

    `scores` says whether importance scores of a file stand in for the weights: then counted
    magnitudes say nothing of methods that take them. `job` may cancel: channels that are left have
    to be looked for in the masks.

    Raises
    ------
    ParameterError
        If a row asks for more than is left and not protected, or does not suit a tensor, or if
        limits contradict each other.
    SelectionError
        If a tensor cannot be pruned, or none is selected; or nothing is known to depend on any.
    """
    job = job or Job()
    rows = rows_now(snapshot, step)
    dependents = _dependents(snapshot, step, tuple(rows), job) if step.dependents else None
    # Of 100,000 tensors a set of names takes 2 ms, and with one row is needed for nothing.
    several, touched, alone = len(rows) > 1 or dependents is not None, set[str](), 0
    effects: list[Effect | None] = []
    to_prune = channels = 0
    exact = True
    for row, names in rows:
        if not row.prunes:
            continue
        with step.naming(row):
            units = snapshot.units(names, registry.get(row.method), row.values, job)
            disjoint = not several or touched.isdisjoint(units.names)
            if several:
                touched.update(units.names)
            alone = len(units.names)
            elsewhere = scores and registry.get(row.method).takes_scores
            effect = None
            if disjoint and not elsewhere:
                effect = effect_of(snapshot, step, row, units, job)
            effects.append(effect)
            if effect is not None:
                to_prune += int(effect.cut.pruned.sum())
                channels += effect.channels
                continue
            patterned = pattern_counts_to_prune(snapshot, step, row, units)
            weights, slices, sure = patterned or _roughly(
                step, row, units, _by_rows(snapshot, row, units, job), disjoint=disjoint
            )
            to_prune += weights
            channels += slices
            exact = exact and disjoint and sure
    known = [effect for effect in effects if effect is not None]
    complete = len(known) == len(effects)
    whole = complete and all(effect.complete for effect in known)
    more: Mapping[str, int] = {}
    if dependents is not None:
        following = {along.name for along in dependents.following()}
        single = (row.names for row in step.rows if row.prunes and not takes_channels(row))
        exact = exact and complete and following.isdisjoint(chain.from_iterable(single))
        more = _dependent_counts(snapshot, dependents, known, job) if complete else {}
        touched.update(more)
        to_prune += sum(more.values())
    certain = exact and not step.companions  # these are found by the preview
    return Estimate(
        tensors=len(touched) if several else alone,
        to_prune=to_prune,
        exact=certain,
        channels=channels,
        report=_with_dependents(snapshot, _report(snapshot, known, job), more)
        if complete
        else None,
        exact_report=complete and certain and all(effect.cut.exact for effect in known),
        counting=1.0 if whole or scores else histogram_store.counted_share(snapshot, step),
    )


def _roughly(
    step: Step, row: Row, units: Units, wanted: Counts | None, *, disjoint: bool
) -> tuple[int, int, bool]:
    """Return weights and channels that go at most, and whether it is just so."""
    if "amount" not in row.values:  # how much it takes is the method's secret: all at most
        return int(units.free.sum()), 0, False
    limits = step.limits
    if registry.get(row.method).granularity == "weights":
        if limits.bound and not disjoint:  # they hold for what earlier rows leave
            return int(units.free.sum()), 0, False
        # How many go in all is the same whichever go.
        return int(_weight_counts(step, row, units, at_random(units), wanted).sum()), 0, True
    if registry.get(row.method).granularity == "units":  # about: some are larger than others
        share = row.values["amount"]
        kept = int(units.kept.sum())
        return round(share * kept) if isinstance(share, float) else kept, 0, False
    if step.scope == "global" or limits.total is not None or limits.floor > 0:
        # More than the amount of each may go.
        return int(units.kept.sum()), 0, False
    amount, free = row.values["amount"], not limits.bound
    able = units.free if free else units.left
    counts = counts_to_prune(amount, units.left, able, units.names, "channels")
    weights = int(np.minimum(counts * units.each, units.kept).sum())
    # Whole channels are just as large as they look; of all that is left everything goes.
    sure = (units.kept == units.left * units.each) | (counts == units.left) | (counts == 0)
    return weights, int(counts.sum()), free and bool(sure.all())


def _report(snapshot: Snapshot, effects: Sequence[Effect], job: Job) -> SparsityReport:
    if not effects:  # no row prunes anything
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
        rows.__dict__["places"] = effects[0].units.places  # found once for all moves of a slider
    else:
        rows = rows.sorted_like(snapshot.checkpoint.entries)
    with np.errstate(over="ignore"):
        sums = np.stack((squares.sum(axis=1), sizes.sum(axis=1)), axis=1)
        norm, magnitude = or_none(shares_of(*sums))
    numel_of_all, pruned = _model(snapshot, job)
    return SparsityReport(
        rows,
        numel_of_all,
        pruned,
        pruned + int(counts.sum()),
        norm,
        magnitude,
    )


def _dependents(snapshot: Snapshot, step: Step, rows: Rows, job: Job) -> Dependents:
    """Return what `known_dependents` does, which is not asked at each move of a slider."""
    each = tuple((row.names, row.method, row.values.get("dim")) for row in step.rows)
    key = "dependents", each, step.limits, step.version
    return snapshot.once(key, lambda: known_dependents(snapshot.checkpoint, step, rows, job))


def _dependent_counts(
    snapshot: Snapshot, dependents: Dependents, effects: Sequence[Effect], job: Job
) -> dict[str, int]:
    """Return how many weights go of each tensor beside those that rows take, where any do."""
    taken = {
        name: numbers
        for effect in effects
        if effect.going
        for name, numbers in zip(effect.units.names, effect.going, strict=True)
    }
    stays: dict[TensorDim, Bools] = {}
    gone: dict[int, tuple[Group, Bools]] = {}
    for source, groups in dependents.groups.items():
        shape = snapshot.entry(source.name).shape
        left = channels_left(snapshot.masks.get(source.name), shape, source.dim, job)
        left[taken[source.name]] = False
        stays[source] = left
        for group in groups:
            also = gone.get(id(group), (group, np.zeros(group.count, np.bool_)))[1]
            gone[id(group)] = group, also | units_without(group, source, left)
    own = {along.name: {along.dim: left} for along, left in stays.items()}
    every: dict[str, dict[int, Bools]] = {}
    for group, units in gone.values():
        for member in group.members:
            job.step(0)
            shape = snapshot.entry(member.name).shape
            dims = every.setdefault(member.name, dict(own.get(member.name, {})))
            left = dims.get(member.dim, np.ones(shape[member.dim], np.bool_)).copy()
            left[group.entries(member, np.flatnonzero(units))] = False
            dims[member.dim] = left
    counts = {
        name: _pruned_by(snapshot, name, dims, job) - _pruned_by(snapshot, name, own.get(name), job)
        for name, dims in every.items()
    }
    return {name: count for name, count in counts.items() if count}


def _pruned_by(snapshot: Snapshot, name: str, dims: Mapping[int, Bools] | None, job: Job) -> int:
    """Return how many weights go of a tensor with whole entries along some dimensions."""
    if not dims:
        return 0
    shape, free = snapshot.entry(name).shape, snapshot.eligible(name)
    if free is None:
        kept = (int(np.count_nonzero(dims[d])) if d in dims else n for d, n in enumerate(shape))
        return math.prod(shape) - math.prod(kept)
    left = free
    for dim, stays in dims.items():
        left &= mask_of_channels(shape, dim, stays, job)
    return free.kept - left.kept


def _with_dependents(
    snapshot: Snapshot, report: SparsityReport, more: Mapping[str, int]
) -> SparsityReport:
    """Return a report with more weights pruned, whose norms are not known."""
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
        report, tensors=tuple(tensors), after=after, norm_retained=None, l1_retained=None
    )


def _model(snapshot: Snapshot, job: Job) -> tuple[int, int]:
    """Return how many parameters there are, and how many are pruned."""

    def find() -> tuple[int, int]:
        pruned = sum(mask.pruned for mask in snapshot.masks.values())
        return snapshot.checkpoint.size(job.cancel).parameters, pruned

    return snapshot.once("model", find)
