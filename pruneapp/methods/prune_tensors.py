"""Running a method within limits: floors, ceilings and totals hold to the last weight.

How much goes of each tensor is found first (`pruneapp.methods.limit_bounds_clamped`); then each is
cut as it always is, with the same rules for equal scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.errors import ParameterError
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.cutoff import check_all
from pruneapp.methods.cutoff_in_rows import prune_rows
from pruneapp.methods.cutoff_ranked import Expect, Pruned, Ranked, plan, prune_ranked, rank_together
from pruneapp.methods.cutoff_whole_units import free_units, without_units
from pruneapp.methods.limit_bounds import known_of
from pruneapp.methods.limit_bounds_channel_bounds import Running, channels_after
from pruneapp.methods.limit_bounds_clamped import weights_after
from pruneapp.methods.limits import Limits, check_limits
from pruneapp.methods.method import (
    Counts,
    Cutting,
    Method,
    RowMethod,
    Scope,
    TensorView,
    Values,
    WeightMethod,
)
from pruneapp.methods.method_units import Channels, UnitMethod
from pruneapp.methods.prune_tensors_run import prune
from pruneapp.progress import Job


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
