"""Run a method over tensors, within limits; or keep its masks as rules.

Running a method over tensors: from what is kept now to what is kept after.

What is protected stays, whatever the method and the scope:

- Amounts count on what is not pruned yet, protected or not. What asks for more than is free is
  refused.
- Weights that are protected rank as if they were infinitely important, which is torch's
  ``importance_scores`` with infinity in their places: they are left out of the ranking.
- A channel or a block that holds a protected weight is not taken. Its score is not asked for.
- A group gives what it can: protected weights stay, and how many too many are left is counted.
- A method that says the mask outright is not asked to know about protection: what it takes of the
  protected weights is given back, as if its mask had been ``mask | protected``, and counted.

Running a method within limits: floors, ceilings and totals hold to the last weight.

How much goes of each tensor is found first (`pruneapp.methods.limit_bounds`); then each is
cut as it always is, with the same rules for equal scores.

Running a method without making masks: what goes is said by a rule for each tensor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.errors import ParameterError
from pruneapp.kernels.cut_mask import CutMask
from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.lowest_in_groups import lowest_in_groups
from pruneapp.masks.bitmask import BitMask, Mask
from pruneapp.methods.cutoff import (
    Expect,
    Pruned,
    Ranked,
    check_all,
    count_of,
    free_units,
    plan,
    prune_ranked,
    prune_rows,
    prune_units,
    prune_units_together,
    rank_together,
    without_units,
)
from pruneapp.methods.limit_bounds import Running, channels_after, known_of, weights_after
from pruneapp.methods.limits import Limits, check_limits
from pruneapp.methods.method import (
    Channels,
    Counts,
    Cutting,
    GroupMethod,
    MaskMethod,
    Method,
    RowMethod,
    Scope,
    TensorView,
    UnitMethod,
    Values,
    WeightMethod,
)
from pruneapp.progress import Job


def prune(  # noqa: PLR0917 - six arguments, each its own type
    tensors: Sequence[TensorView],
    method: Method,
    values: Mapping[str, Any],
    scope: Scope,
    kernel: Kernel,
    job: Job,
    *,
    expect: Expect | None = None,
) -> Pruned:
    """Return the mask of every tensor after `method`.

    Parameters
    ----------
    tensors
        What to prune, in file order: where a global step has equal scores, earlier tensors go
        first.
    method, values
        The method, and values for its parameters; absent ones take their defaults.
    scope
        ``local`` cuts each tensor by itself, ``global`` all of them by one threshold.
    kernel
        Does the arithmetic.
    job
        Extended by the work (`Job.extend`) and stepped as it is done; it may cancel.
    expect
        Says about where a cut lies, if anybody knows; it is found sooner then.

    Raises
    ------
    ParameterError
        If a value breaks its rule, or the method does not offer `scope` or suit a tensor, or an
        amount is more than what is free. Nothing was computed then that anybody could see.
    """
    values = check_all(tensors, method, values, scope)
    match method:
        case WeightMethod():
            plans = plan(tensors, method, values, scope, kernel, job)
            return prune_ranked(plans, kernel, job, expect=expect)
        case UnitMethod() if scope == "global":
            return Pruned(prune_units_together(tensors, method, values, kernel, job))
        case UnitMethod():
            return Pruned(prune_units(tensors, method, values, kernel, job))
        case RowMethod():
            counts = [count_of([view], method, values) for view in tensors]
            return Pruned(prune_rows(tensors, method, values, counts, kernel, job))
        case GroupMethod():
            return _prune_groups(tensors, method, values, job)
        case MaskMethod():
            return _combine_masks(tensors, method, values, job)
    raise TypeError(f"no way to run a method of type {type(method).__name__}")


def _prune_groups(
    tensors: Sequence[TensorView], method: GroupMethod, values: Values, job: Job
) -> Pruned:
    groups = [method.groups(view, values) for view in tensors]  # refuse before the first
    job.extend(sum(view.numel for view in tensors))
    masks: dict[str, BitMask] = {}
    spared: dict[str, int] = {}
    for view, cut in zip(tensors, groups, strict=True):
        job.label(view.name)
        ranking = method.rank(view, values)
        masks[view.name], lacking = lowest_in_groups(ranking, view.shape, cut, view.protected, job)
        if view.protected is not None:
            spared[view.name] = lacking
    return Pruned(masks, spared)


def _combine_masks(
    tensors: Sequence[TensorView], method: MaskMethod, values: Values, job: Job
) -> Pruned:
    job.extend(sum(view.numel for view in tensors))
    masks: dict[str, BitMask] = {}
    spared: dict[str, int] = {}
    for view in tensors:
        job.label(view.name)
        mask = method.mask(view, values, job)
        if view.protected is not None:
            spared[view.name] = (view.protected - mask).kept
            mask |= view.protected
        masks[view.name] = mask if view.kept is None else mask & view.kept
    return Pruned(masks, spared)


def prune_within(  # noqa: PLR0917 - each its own type
    tensors: Sequence[TensorView],
    method: Method,
    values: Mapping[str, Any],
    scope: Scope,
    limits: Limits,
    kernel: Kernel,
    job: Job,
    *,
    expect: Expect | None = None,
) -> Pruned:
    """Return what `prune` does, with no tensor beyond its limits.

    Parameters
    ----------
    tensors, method, values, scope, kernel, job, expect
        As for `prune`.
    limits
        Their floor, ceiling and total; what they spare is left out of `tensors`.

    Raises
    ------
    ParameterError
        As `prune` does; and if the method cannot keep to limits, or they contradict each other.
    """
    if not limits.bound:
        return prune(tensors, method, values, scope, kernel, job, expect=expect)
    check_limits(method, limits)
    values = check_all(tensors, method, values, scope)
    if isinstance(method, WeightMethod):
        plans = plan_within(tensors, method, values, scope, limits, kernel, job)
        made = prune_ranked(plans, kernel, job, expect=expect)
        return replace(made, masks={view.name: made.masks[view.name] for view in tensors})
    if isinstance(method, RowMethod):
        known = known_of(tensors)
        after, _ = weights_after(limits, known, values["amount"], scope, _no_cut)
        budgets = (after - known.before).tolist()
        return Pruned(prune_rows(tensors, method, values, budgets, kernel, job))
    assert isinstance(method, UnitMethod)
    if scope == "global":
        raise ParameterError(
            f"Sparsity limits of methods that prune whole {method.granularity} apply "
            f"per tensor ({', '.join(limits.words())}).",
            remedy="Choose the local scope, or remove the limits.",
        )
    return Pruned(_prune_units(tensors, method, values, limits, kernel, job))


def plan_within(  # noqa: PLR0917 - each its own type
    tensors: Sequence[TensorView],
    method: WeightMethod,
    values: Values,
    scope: Scope,
    limits: Limits,
    kernel: Kernel,
    job: Job,
) -> list[Ranked]:
    """Return what to rank together, and how many go, for `prune_ranked`.

    Parameters are those of `prune_within`. A global step looks through the weights to find what
    goes of each tensor, as a rule two or three times; `job` is extended by it.
    """
    if not limits.bound:
        return plan(tensors, method, values, scope, kernel, job)
    known = known_of(tensors)
    apart = scope == "local" or method.allocate is not None
    groups = [[view] for view in tensors] if apart else [list(tensors)] if tensors else []
    rankings = [r for g in groups for r in rank_together(g, method, values, kernel, job)]

    def cut(among: NDArray[np.bool_], count: int) -> Counts:
        gone = np.zeros(len(tensors), np.int64)
        if count:
            places = np.flatnonzero(among)
            some = [rankings[i] for i in places]
            job.extend(sum(ranking.size for ranking in some))
            _, shares = kernel.shares(some, count, job)
            gone[places] = [share.gone for share in shares]
        return gone

    cutting: Cutting = cut
    if method.allocate is not None:
        cutting = method.allocate(tensors, values, kernel, job)
    after, together = weights_after(limits, known, values["amount"], scope, cutting)
    if apart:
        together = np.zeros_like(together)
    gone = after - known.before
    cuts = [[i] for i in np.flatnonzero(~together).tolist()]
    if together.any():
        cuts.insert(0, np.flatnonzero(together).tolist())
    return [
        Ranked([tensors[i] for i in some], [rankings[i] for i in some], int(gone[some].sum()))
        for some in cuts
    ]


def _no_cut(among: NDArray[np.bool_], count: int) -> Counts:
    raise AssertionError(f"nothing is cut together here ({among.size} tensors, {count} weights)")


def _prune_units(  # noqa: PLR0917 - each its own type
    tensors: Sequence[TensorView],
    method: UnitMethod,
    values: Values,
    limits: Limits,
    kernel: Kernel,
    job: Job,
) -> dict[str, BitMask]:
    partitions = [method.partition(view, values) for view in tensors]
    job.extend(sum(view.numel for view in tensors))
    left: list[int] = []
    orders: list[Channels] = []
    running: list[Counts] = []
    for view, partition in zip(tensors, partitions, strict=True):
        job.label(view.name)
        there, among = free_units(view, partition)
        order = method.order(view, values, kernel, among, job)
        kept = partition.kept(view.kept, job)
        left.append(there)
        orders.append(order)
        running.append(np.concatenate(([0], np.cumsum(kept[order]))))
    together = Running(running)
    known = replace(known_of(tensors), free=together.all)
    counts = channels_after(
        limits,
        known,
        np.array(left, np.int64),
        together,
        values["amount"],
        unit=method.granularity,
    )
    masks: dict[str, BitMask] = {}
    for view, partition, order, count in zip(
        tensors, partitions, orders, counts.tolist(), strict=True
    ):
        masks[view.name] = view.kept or BitMask.full(view.numel)
        if count:
            masks[view.name] = without_units(view, partition, order[:count], job)
    return masks


def rules(  # noqa: PLR0917 - each its own type
    tensors: Sequence[TensorView],
    method: WeightMethod,
    values: Mapping[str, Any],
    scope: Scope,
    limits: Limits,
    kernel: Kernel,
    job: Job,
) -> dict[str, Mask]:
    """Return the same masks as `prune_within`, as rules that take no memory.

    Nothing may be protected.

    Whoever looks at them reads the weights again, so they suit what looks once, as an export
    does. Parameters and errors are those of `prune_within`.
    """
    values = check_all(tensors, method, values, scope)
    masks: dict[str, Mask] = {}
    plans = plan_within(tensors, method, values, scope, limits, kernel, job)
    job.extend(sum(r.size for ranked in plans for r in ranked.rankings if ranked.count))
    for ranked in plans:
        if ranked.count == 0:
            masks |= {view.name: view.kept or BitMask.full(view.numel) for view in ranked.views}
            continue
        job.label(ranked.views[0].name)
        threshold, shares = kernel.shares(ranked.rankings, ranked.count, job)
        for view, ranking, share in zip(ranked.views, ranked.rankings, shares, strict=True):
            own = view.scores is None
            masks[view.name] = CutMask(ranking, threshold.key, share, own=own)
    return masks
