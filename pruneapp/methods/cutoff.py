"""Pruning of tensors by thresholds, per row and by whole units, and checks of methods."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pruneapp.checkpoint.elements import Bits
from pruneapp.errors import ParameterError, first_names
from pruneapp.kernels.kernel import Kernel, KeyRange, PlannedCut, Ranking
from pruneapp.kernels.lowest_channels import smallest
from pruneapp.kernels.lowest_in_groups import CutRows, lowest_per_row
from pruneapp.kernels.small_tensors import SMALL
from pruneapp.kernels.sort_keys import common_width
from pruneapp.kernels.values import Bools, Counts, Float64s, Indices
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import count_kept_by_channel
from pruneapp.methods.amounts import (
    Running,
    channel_counts_to_prune,
    count_to_prune,
    counts_before,
    counts_of,
    counts_to_prune,
    level,
    round_share,
    split_in_order,
    weight_counts_to_prune,
)
from pruneapp.methods.coupled_units import present_units
from pruneapp.methods.limits import Pruning
from pruneapp.methods.method import (
    CoupledMethod,
    Method,
    RowMethod,
    Scope,
    TensorView,
    UnitMethod,
    Values,
    WeightMethod,
)
from pruneapp.progress import Job


def check_all(
    tensors: Sequence[TensorView], method: Method, values: Mapping[str, Any], scope: Scope
) -> dict[str, Any]:
    """Return valid values of all parameters, with defaults for those that are missing.

    Raises `ParameterError` if a value is invalid, or the method does not support the scope, a
    tensor, its scores, mask or norm scale, or lacks statistics of its inputs (checked here for all
    but units of groups). Limits are not checked.
    """
    values = method.validate(values)
    check_scope(method, scope)
    for view in tensors:
        _check(method, view)
    if method.needs_statistics(values) and not isinstance(method, CoupledMethod):
        _check_inputs(method, tensors)
    return values


def units_left(tensor: TensorView, method: Method, values: Mapping[str, Any]) -> int:
    """Return the number of units of a tensor (weights, channels, blocks) that are not pruned.

    Protected units count. For units of groups, it is the sum over the groups of the tensor, by the
    mask of this tensor alone. For groups such as 2:4 and for masks, weights are counted. Raises
    `ParameterError` if the tensor has no such channels.
    """
    if isinstance(method, UnitMethod):
        partition = method.partition(tensor, method.validate(values))
        return int(np.count_nonzero(partition.has_kept(tensor.kept, Job())))
    if isinstance(method, CoupledMethod):
        return sum(present_units(each.group, lambda _: tensor) for each in tensor.coupling)
    return tensor.numel if tensor.kept is None else tensor.kept.kept


def check_scope(method: Method, scope: Scope) -> None:
    """Raise `ParameterError`, with the reason, if a method does not support a scope.

    Also if the scope is neither "local" nor "global".
    """
    if scope in method.scopes:
        return
    if scope not in ("local", "global"):  # a file may contain any text
        raise ParameterError(f"'scope' must be local or global (got {scope!r}).")
    if method.granularity == "channels":
        raise ParameterError(
            f"'{method.name}' cannot prune globally: channels of different tensors have "
            "different sizes, so their scores are not comparable.",
            remedy="Use scope per tensor, or an unstructured method.",
        )
    raise ParameterError(
        f"'{method.name}' cannot prune {scope}ly: it offers {' and '.join(method.scopes)} only.",
        remedy=f"Choose the {method.scopes[0]} scope.",
    )


def _check(method: Method, view: TensorView) -> None:
    """Raise `ParameterError` if a method does not support a tensor, its scores or its mask.

    Checks the number of dimensions, whether scores are allowed and have the shape of the tensor and
    a prunable dtype, and whether a required mask (of its size) or norm scale exists.
    """
    name, scores, given = view.name, view.scores, view.given
    if len(view.shape) < method.least_dims:
        what = method.granularity if method.granularity in {"groups", "blocks"} else "channels"
        raise ParameterError(
            f"Pruning {what} needs tensors of two or more dimensions, but '{name}' has "
            f"{len(view.shape)}.",
            remedy="Uncheck it, or choose an unstructured method.",
        )
    if scores is not None and not method.takes_scores:
        raise ParameterError(
            f"'{method.name}' takes no importance scores.",
            remedy="Remove them, or choose a method that ranks by magnitude.",
        )
    if scores is not None and scores.shape != view.shape:
        raise ParameterError(
            f"The importance scores of '{name}' must have its shape {list(view.shape)} "
            f"(got {list(scores.shape)}).",
            remedy="Choose the score file made for this checkpoint.",
        )
    if scores is not None and not scores.dtype.prunable:
        raise ParameterError(
            f"The importance scores of '{name}' must be floats (got {scores.dtype.label}).",
            remedy="Save them as float32.",
        )
    if method.takes_mask and given is None:
        raise ParameterError(
            f"No mask is given for '{name}'.",
            remedy="Choose a mask file that contains this tensor, or exclude the tensor.",
        )
    if method.takes_mask and given is not None and given.size != view.numel:
        raise ParameterError(
            f"The mask for '{name}' must have its {view.numel:,} elements (got {given.size:,}).",
            remedy="Choose the mask file made for this checkpoint.",
        )
    if method.takes_scale and view.scale is None:
        raise ParameterError(
            f"No norm layer that follows '{name}' was found by name, so its channels have no "
            "scale.",
            remedy="Uncheck it, or choose a method that ranks channels by their weights.",
        )


def _check_inputs(method: Method, tensors: Sequence[TensorView]) -> None:
    """Raise `ParameterError` if a tensor has no statistics, or they do not suit the method.

    They do not suit it if it needs Gram matrices and they have none, or if it compares rows and the
    rows of a tensor are inputs.
    """
    unseen = [view.name for view in tensors if view.inputs is None]
    if unseen:
        raise ParameterError(
            f"The statistics lack the inputs of {first_names(unseen)}.",
            remedy="Uncheck those tensors, or collect statistics that reach them."
            if len(unseen) > 1
            else "Uncheck it, or collect statistics that reach it.",
        )
    bare = [view.name for view in tensors if view.inputs is not None and view.inputs.gram is None]
    if bare and method.takes_grams:
        raise ParameterError(
            f"'{method.name}' needs Gram matrices, but the statistics have none of the inputs of "
            f"{first_names(bare)}.",
            remedy="Collect statistics with Gram matrices.",
        )
    turned = [view.name for view in tensors if view.inputs is not None and view.inputs.transposed]
    if turned and isinstance(method, RowMethod):
        raise ParameterError(
            f"The rows of {first_names(turned)} are inputs, not outputs, so '{method.name}' cannot "
            "compare weights within them.",
            remedy=f"Uncheck {'those tensors' if len(turned) > 1 else 'it'}, or choose "
            "'wanda_per_tensor'.",
        )


# The pruned keys of a tensor in an estimated range; see `NearCut`.
NearTaken = tuple[KeyRange, Bits]


@dataclass(frozen=True, eq=False)
class Pruned:
    """The result of a method.

    Attributes
    ----------
    masks
        The mask of each tensor, by name, in the order of the tensors; includes what was pruned
        before.
    protected
        Number of weights per tensor that a mask or groups would have pruned if they were not
        protected.
    near
        Pruned keys near the threshold, of the tensors whose threshold was estimated.
    sums
        Sums of squares and of magnitudes of the remaining weights, for tensors for which they were
        requested and cheap to compute; see `pruneapp.kernels.lowest_in_groups.RowsLeft`.
    """

    masks: dict[str, BitMask]
    protected: Mapping[str, int] = field(default_factory=dict)
    near: Mapping[str, NearTaken] = field(default_factory=dict)
    sums: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Ranked:
    """Tensors with a common threshold, their rankings, and the number of weights to prune."""

    views: Sequence[TensorView]
    rankings: Sequence[Ranking]
    count: int


# Estimates the threshold of tensors; None if it cannot.
Expect = Callable[[Ranked], KeyRange | None]


def plan(tensors: Sequence[TensorView], method: WeightMethod, pruning: Pruning) -> list[Ranked]:
    """Return which tensors to rank together and how much to prune, for `prune_ranked`.

    The first element has all tensors with a common threshold, if there are any; each other tensor
    has a separate element, in order. Elements whose count is 0 have no rankings. Without tensors
    the result is empty.

    Raises `ParameterError` before any mask is computed. If the method must read tensors to decide,
    `job` is extended by that and advanced. A global step with limits usually passes over the
    weights two or three times to find the count of each tensor.
    """
    if not tensors:
        return []
    known, values, limits = counts_before(tensors), pruning.values, pruning.limits
    kernel, job = pruning.kernel, pruning.job
    job.cancel.check()
    rankings: list[Ranking] = []

    def cut(among: Bools, count: int) -> Counts:
        """Return how many of `count` weights are pruned in each tensor by a common threshold.

        Without limits only their sum is exact. Rankings are computed once, for all tensors.
        """
        if not limits.bound:  # only the sum matters
            return split_in_order(known.free, count)
        if not rankings:
            rankings.extend(rank_together(tensors, method, pruning))
        to_prune = np.zeros(len(tensors), np.int64)
        if count:
            places = np.flatnonzero(among)
            some = [rankings[i] for i in places]
            job.extend(sum(ranking.size for ranking in some))
            _, shares = kernel.shares(some, count, job)
            to_prune[places] = [share.pruned for share in shares]
        return to_prune

    cutting = cut if method.allocate is None else method.allocate(tensors, values, kernel, job)
    to_prune_per_tensor, together = weight_counts_to_prune(
        limits, known, values["amount"], pruning.scope, cutting
    )
    if method.allocate is not None:
        together = np.zeros_like(together)
    groups = [[i] for i in np.flatnonzero(~together).tolist()]
    if together.any():
        groups.insert(0, np.flatnonzero(together).tolist())
    plans, counts = [], to_prune_per_tensor.tolist()
    for group in groups:
        views, count = [tensors[i] for i in group], sum([counts[i] for i in group])
        ranked: list[Ranking] = []
        if count and rankings:
            ranked = [rankings[i] for i in group]
        elif count:
            ranked = rank_together(views, method, pruning)
        plans.append(Ranked(views, ranked, count))
    return plans


def rank_together(
    group: Sequence[TensorView], method: WeightMethod, pruning: Pruning
) -> list[Ranking]:
    """Return rankings with comparable keys, of the weights that may be pruned.

    They are in the order of `group`. All keys are as wide as the widest dtype of the group and
    `method.least_width` require. If the method has a `measure`, each tensor is read for it, and
    `job` is extended and advanced.
    """
    if len(group) == 1:  # fast path: with local scope, each of 100,000 tensors is a group
        width = max(method.least_width, group[0].ranked.dtype.bits)
    else:
        width = max(method.least_width, common_width({view.ranked.dtype for view in group}))
    values, job = pruning.values, pruning.job
    rankings: list[Ranking] = []
    for view in group:
        job.cancel.check()
        measured = None
        if method.measure is not None:
            job.extend(view.numel)
            measured = method.measure(view, values, pruning.kernel, job)
        rankings.append(method.rank(view.free, values, width, measured))
    return rankings


def prune_ranked(
    plans: Sequence[Ranked], kernel: Kernel, job: Job, *, expect: Expect | None = None
) -> Pruned:
    """Return the masks of tensors after the cuts of `plan`, with what was pruned before.

    Protected weights are kept. A tensor in which nothing is pruned keeps its mask, or gets one of
    ones. `expect` estimates the threshold of cuts with a large tensor, which avoids a pass; the
    masks are the same. Extends `job` by two passes over what is cut, and advances it. Masks are in
    the order of `plans`.
    """
    job.extend(2 * sum([r.size for ranked in plans if ranked.count for r in ranked.rankings]))
    masks: dict[str, BitMask] = {}
    near: dict[str, NearTaken] = {}
    cuts = [
        PlannedCut(ranked.rankings, ranked.count, _expected_range(ranked, expect))
        for ranked in job.cancel.each(plans)
        if ranked.count
    ]
    expected = iter(cuts)
    with closing(kernel.prune_each(cuts, job)) as found:
        for ranked in plans:
            if ranked.count == 0:
                masks |= {view.name: view.kept or BitMask.full(view.numel) for view in ranked.views}
                continue
            job.label(ranked.views[0].name)
            cut, about = next(found), next(expected).near
            for view, mask in zip(ranked.views, cut.masks, strict=True):
                masks[view.name] = mask if view.protected is None else mask | view.protected
            if about is not None and cut.pruned_keys is not None:
                pruned_views = zip(ranked.views, cut.pruned_keys, strict=True)
                near |= {view.name: (about, keys) for view, keys in pruned_views}
    return Pruned(masks, near=near)


def _expected_range(ranked: Ranked, expect: Expect | None) -> KeyRange | None:
    # Reading small tensors is as fast as estimating their threshold.
    small = expect is None or all(view.numel <= SMALL for view in ranked.views)
    return None if expect is None or small else expect(ranked)


def prune_units(
    tensors: Sequence[TensorView], method: UnitMethod, pruning: Pruning
) -> dict[str, BitMask]:
    """Return the masks after pruning channels or blocks, per tensor or over all tensors.

    They include what was pruned before; tensors in which nothing is pruned keep their mask, or get
    one of ones. Raises `ParameterError` as `units_to_prune`.
    """
    masks: dict[str, BitMask] = {}
    chosen = units_to_prune(tensors, method, pruning)
    for view, numbers in zip(tensors, chosen, strict=True):
        masks[view.name] = view.kept or BitMask.full(view.numel)
        if numbers.size:
            masks[view.name] &= mask_without(view, method, pruning.values, numbers, pruning.job)
    return masks


def mask_without(
    view: TensorView, method: UnitMethod, values: Values, numbers: Indices, job: Job
) -> BitMask:
    """Return the mask that keeps all channels or blocks except `numbers` (from 0).

    What was pruned before is not included. Raises `ParameterError` if the tensor has no such
    channels.
    """
    partition = method.partition(view, values)
    is_kept = np.ones(partition.count, np.bool_)
    is_kept[numbers] = False
    return partition.mask(is_kept, job)


def units_to_prune(
    tensors: Sequence[TensorView], method: UnitMethod, pruning: Pruning
) -> list[Indices]:
    """Return the numbers of the channels or blocks to prune, per tensor or over all tensors.

    One array for each tensor. Units that are completely pruned or contain protected weights are
    excluded. With limits, each array is in the order of pruning, without them ascending. Of equal
    scores, those of earlier tensors are pruned first, then lower numbers. With limits, `scope` is
    ignored.

    Raises `ParameterError` if an amount is larger than the number of free units, or no number of
    units meets the limits. Extends `job` by the tensors that are read.
    """
    values, limits = pruning.values, pruning.limits
    kernel, job = pruning.kernel, pruning.job
    amount, unit = values["amount"], method.granularity
    partitions = [method.partition(view, values) for view in tensors]
    left = np.zeros(len(tensors), np.int64)
    free: list[Indices] = []  # units without protected weights
    for i, (view, partition) in enumerate(zip(tensors, partitions, strict=True)):
        job.cancel.check()
        units = partition.has_kept(view.kept, job)
        left[i] = np.count_nonzero(units)
        if view.protected is not None:
            units = units & ~partition.has_kept(view.protected, job)
        free.append(np.flatnonzero(units))
    chosen: list[Indices] = []
    if limits.bound:
        job.extend(sum(view.numel for view in tensors))
        weights: list[Counts] = []
        for view, partition, among in zip(tensors, partitions, free, strict=True):
            job.label(view.name)
            chosen.append(method.order(view, values, kernel, among, job))
            kept = partition.count_kept(view.kept, job)
            weights.append(np.concatenate(([0], np.cumsum(kept[chosen[-1]]))))
        running = Running(weights)
        known = replace(counts_before(tensors), free=running.all)
        counts = channel_counts_to_prune(limits, known, left, running, amount, unit=unit)
        chosen = [order[:count] for order, count in zip(chosen, counts.tolist(), strict=True)]
    elif pruning.scope == "global":
        total = int(left.sum())
        protected = total - sum(among.size for among in free)
        where = tensors[0].name if len(tensors) == 1 else ""
        count = count_to_prune(amount, total, protected=protected, unit=unit, where=where)
        chosen = _lowest_of_all(tensors, method, free, count, pruning)
    else:
        able = np.array([among.size for among in free], np.int64)
        counts = counts_to_prune(amount, left, able, [view.name for view in tensors], unit)
        job.extend(sum(view.numel for view, count in zip(tensors, counts, strict=True) if count))
        for view, among, count in zip(tensors, free, counts.tolist(), strict=True):
            job.label(view.name)
            lowest = method.lowest(view, values, kernel, among, count, job) if count else among[:0]
            chosen.append(lowest)
    return chosen


def _lowest_of_all(
    tensors: Sequence[TensorView],
    method: UnitMethod,
    free: Sequence[Indices],
    count: int,
    pruning: Pruning,
) -> list[Indices]:
    """Return the `count` units with the lowest scores over all tensors, ascending per tensor.

    `free` are the candidates of each tensor; of equal scores those of earlier tensors are selected.
    A count of 0 reads nothing.
    """
    if not count:
        return [among[:0] for among in free]
    job = pruning.job
    job.extend(sum(view.numel for view in tensors))
    scores: list[Float64s] = []
    for view, among in zip(tensors, free, strict=True):
        job.label(view.name)
        scores.append(method.score(view, pruning.values, pruning.kernel, job)[among])
    is_selected = np.zeros(sum(part.size for part in scores), np.bool_)
    is_selected[smallest(np.concatenate(scores), count)] = True
    ends = np.cumsum([among.size for among in free])[:-1]
    return [among[part] for among, part in zip(free, np.split(is_selected, ends), strict=True)]


def prune_rows(
    tensors: Sequence[TensorView],
    method: RowMethod,
    budgets: Sequence[int],
    pruning: Pruning,
    *,
    share: float | None = None,
    summed: Container[str] = (),
) -> Pruned:
    """Return masks with `budgets` weights of each tensor pruned, the same share in every row.

    `budgets` are numbers of weights from `share_by_rows`, possibly changed by limits. `share` is
    the fraction of each row, if it is common; without it, see `per_row`. A tensor with a budget of
    0 keeps its mask, or gets one of ones. `summed` has the tensors whose sums are requested; they
    are only returned for tensors without scores and protected weights, and methods that do not
    refine the mask. Extends `job` by the tensors that are cut, and advances it.
    """
    values, job = pruning.values, pruning.job
    job.extend(sum(view.numel for view, count in zip(tensors, budgets, strict=True) if count))
    cuts: list[CutRows] = []
    for view, count in zip(tensors, budgets, strict=True):
        if count:
            free = view.free
            counts = per_row(view, free, count, job, share)
            # Sums need the weights themselves, and no changes after the cut.
            whole = view.scores is None and view.protected is None and method.refine is None
            length, sums_of = rows_of(view.shape)[1], whole and view.name in summed
            cuts.append(CutRows(method.rank(free, values), length, counts, sums_of))
    masks: dict[str, BitMask] = {}
    sums: dict[str, tuple[float, float]] = {}
    with closing(lowest_per_row(cuts, pruning.kernel, job)) as found:
        for view, count in zip(tensors, budgets, strict=True):
            if not count:
                masks[view.name] = view.kept or BitMask.full(view.numel)
                continue
            job.label(view.name)
            mask, of_kept = next(found)
            if of_kept is not None:
                sums[view.name] = of_kept
            masks[view.name] = mask if view.protected is None else mask | view.protected
            if method.refine is not None:
                masks[view.name] = method.refine(view, values, masks[view.name], job)
    return Pruned(masks, sums=sums)


def rows_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the number of rows of a tensor and their length; a vector is one row."""
    return (shape[0], math.prod(shape[1:])) if len(shape) > 1 else (1, math.prod(shape))


def share_by_rows(share: float, left: Iterable[Counts]) -> Counts:
    """Return the number of weights per tensor if a fraction `share` of every row is pruned.

    `left` has, for each tensor, the number of weights per row that are not pruned. The share is
    rounded in each row as `count_to_prune` does, halves to even, so that rows of equal length lose
    the same number and no output of a small layer loses more inputs than others.
    """
    return np.array([counts_of(share, rows).sum() for rows in left], np.int64)


def per_row(
    view: TensorView, free: TensorView, count: int, job: Job, share: float | None = None
) -> Counts:
    """Return the number of weights to prune per row, whose sum is `count`.

    It is `share` of each row if that gives the sum and is free. Otherwise it is the same share of
    what is left in each row, limited to what is free; if that does not give the sum either, earlier
    rows lose one more. `free` is `view.free`.
    """
    rows = rows_of(view.shape)
    left = count_kept_by_channel(view.kept, rows, 0, job)
    able = left if free is view else count_kept_by_channel(free.kept, rows, 0, job)
    if share is not None:
        counts = counts_of(share, left)
        if int(counts.sum()) == count and (counts <= able).all():
            return counts

    def at(part: float) -> Counts:
        return np.minimum(round_share(part, left), able)

    return level(at, count)
