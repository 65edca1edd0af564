"""Running a method within limits: floors, ceilings and totals hold to the last weight.

How much goes of each tensor is found first (`pruneapp.methods.clamped`); then each is cut as it
always is, with the same rules for equal scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.contract import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import kept_by_channel
from pruneapp.methods.bounds import Counts, Tensors
from pruneapp.methods.channel_bounds import Running, channels_after
from pruneapp.methods.clamped import weights_after
from pruneapp.methods.declaration import (
    ChannelMethod,
    Channels,
    Method,
    Scope,
    TensorView,
    Values,
    WeightMethod,
)
from pruneapp.methods.limits import Limits, check_limits
from pruneapp.methods.run import (
    Expect,
    Pruned,
    Ranked,
    check_all,
    free_channels,
    plan,
    prune,
    prune_ranked,
    rank_together,
    resolve_dim,
    without_channels,
)
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
    assert isinstance(method, ChannelMethod)
    return Pruned(_prune_channels(tensors, method, values, limits, kernel, job))


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
        return plan(tensors, method, values, scope)
    known = _known(tensors, [_free(view) for view in tensors])
    if scope == "global":
        rankings = rank_together(tensors, method, values)
    else:
        rankings = [rank_together([view], method, values)[0] for view in tensors]

    def cut(among: NDArray[np.bool_], count: int) -> Counts:
        gone = np.zeros(len(tensors), np.int64)
        if count:
            places = np.flatnonzero(among)
            some = [rankings[i] for i in places]
            job.extend(sum(ranking.size for ranking in some))
            _, shares = kernel.shares(some, count, job)
            gone[places] = [share.gone for share in shares]
        return gone

    after, together = weights_after(limits, known, values["amount"], scope, cut)
    gone = after - known.before
    groups = [[i] for i in np.flatnonzero(~together).tolist()]
    if together.any():
        groups.insert(0, np.flatnonzero(together).tolist())
    return [
        Ranked([tensors[i] for i in g], [rankings[i] for i in g], int(gone[g].sum()))
        for g in groups
    ]


def _prune_channels(  # noqa: PLR0917 - each its own type
    tensors: Sequence[TensorView],
    method: ChannelMethod,
    values: Values,
    limits: Limits,
    kernel: Kernel,
    job: Job,
) -> dict[str, BitMask]:
    dims = [resolve_dim(method, values, view) for view in tensors]
    job.extend(sum(view.numel for view in tensors))
    left: list[int] = []
    orders: list[Channels] = []
    running: list[Counts] = []
    for view, dim in zip(tensors, dims, strict=True):
        job.label(view.name)
        there, among = free_channels(view, dim)
        order = method.order(view, values, kernel, among, job)
        kept = kept_by_channel(view.kept, view.shape, dim, job)
        left.append(there)
        orders.append(order)
        running.append(np.concatenate(([0], np.cumsum(kept[order]))))
    together = Running(running)
    known = _known(tensors, together.all.tolist())
    counts = channels_after(limits, known, np.array(left, np.int64), together, values["amount"])
    masks: dict[str, BitMask] = {}
    for view, dim, order, count in zip(tensors, dims, orders, counts.tolist(), strict=True):
        masks[view.name] = view.kept or BitMask.full(view.numel)
        if count:
            masks[view.name] = without_channels(view, dim, order[:count], job)
    return masks


def _known(tensors: Sequence[TensorView], free: Sequence[int]) -> Tensors:
    return Tensors(
        [view.name for view in tensors],
        np.array([view.numel for view in tensors], np.int64),
        np.array([0 if v.kept is None else v.kept.pruned for v in tensors], np.int64),
        np.array(free, np.int64),
    )


def _free(view: TensorView) -> int:
    kept = view.free.kept
    return view.numel if kept is None else kept.kept
