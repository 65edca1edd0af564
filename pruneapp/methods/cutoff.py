"""Cut by threshold, by rows, by whole units.

Cutting tensors by one threshold: each by itself, or several together.

Taking whole channels and blocks away.

Taking the lowest weights of every row.

What is looked at before a method runs: whether it suits the tensors, what an amount is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.elements import Bits
from pruneapp.errors import ParameterError
from pruneapp.kernels.kernel import Kernel, KeyRange, Ranking
from pruneapp.kernels.lowest_channels import smallest
from pruneapp.kernels.lowest_in_groups import lowest_per_row
from pruneapp.kernels.sort_keys import common_width
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import kept_by_channel
from pruneapp.methods.amounts import to_prune
from pruneapp.methods.limit_bounds import level
from pruneapp.methods.method import (
    Channels,
    Counts,
    Method,
    Partition,
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
    """Return valid values for every parameter; raises `ParameterError` as `prune` does."""
    values = method.validate(values)
    check_scope(method, scope)
    for view in tensors:
        _check_dims(method, view)
        _check_scores(method, view)
        _check_given(method, view)
        _check_scale(method, view)
    return values


def units_left(tensor: TensorView, method: Method, values: Mapping[str, Any]) -> int:
    """Return how many weights (or channels, or blocks) of a tensor are not pruned yet.

    Raises
    ------
    ParameterError
        If the method counts channels and the tensor has none along its dimension.
    """
    if isinstance(method, UnitMethod):
        partition = method.partition(tensor, method.validate(values))
        return int(np.count_nonzero(partition.left(tensor.kept)))
    return tensor.numel if tensor.kept is None else tensor.kept.kept


def check_scope(method: Method, scope: Scope) -> None:
    """Raise `ParameterError` if a method does not offer a scope, with the reason."""
    if scope in method.scopes:
        return
    if scope not in ("local", "global"):  # it may be anything that stands in a file
        raise ParameterError(f"'scope' must be local or global (got {scope!r}).")
    if method.granularity == "channels":
        raise ParameterError(
            f"'{method.name}' cannot prune globally: channels of different tensors have "
            "different sizes, so their scores are not comparable.",
            remedy="Choose the local scope, or an unstructured method.",
        )
    raise ParameterError(
        f"'{method.name}' cannot prune {scope}ly: it offers {' and '.join(method.scopes)} only.",
        remedy=f"Choose the {method.scopes[0]} scope.",
    )


def _check_dims(method: Method, view: TensorView) -> None:
    if len(view.shape) >= method.least_dims:
        return
    what = method.granularity if method.granularity in {"groups", "blocks"} else "channels"
    raise ParameterError(
        f"Pruning {what} needs tensors of two or more dimensions, but '{view.name}' has "
        f"{len(view.shape)}.",
        remedy="Deselect it, or choose an unstructured method.",
    )


def _check_scores(method: Method, view: TensorView) -> None:
    if view.scores is None:
        return
    if not method.takes_scores:
        raise ParameterError(
            f"'{method.name}' takes no importance scores.",
            remedy="Remove them, or choose a method that ranks by magnitude.",
        )
    if view.scores.shape != view.shape:
        raise ParameterError(
            f"The importance scores of '{view.name}' must have its shape {list(view.shape)} "
            f"(got {list(view.scores.shape)}).",
            remedy="Choose the score file made for this checkpoint.",
        )
    if not view.scores.dtype.prunable:
        raise ParameterError(
            f"The importance scores of '{view.name}' must be floats "
            f"(got {view.scores.dtype.label}).",
            remedy="Save them as float32.",
        )


def _check_scale(method: Method, view: TensorView) -> None:
    if method.takes_scale and view.scale is None:
        raise ParameterError(
            f"No norm layer that follows '{view.name}' was found by name, so its "
            "channels have no scale.",
            remedy="Deselect it, or choose a method that ranks channels by their weights.",
        )


def _check_given(method: Method, view: TensorView) -> None:
    if not method.takes_mask:
        return
    if view.given is None:
        raise ParameterError(
            f"No mask is given for '{view.name}'.",
            remedy="Choose a mask file that contains this tensor, or deselect the tensor.",
        )
    if view.given.size != view.numel:
        raise ParameterError(
            f"The mask for '{view.name}' must have its {view.numel:,} elements "
            f"(got {view.given.size:,}).",
            remedy="Choose the mask file made for this checkpoint.",
        )


def count_of(group: Sequence[TensorView], method: Method, values: Values) -> int:
    """Return how many weights an amount is of some tensors together.

    Raises
    ------
    ParameterError
        If that is more than is free.
    """
    left = sum(units_left(view, method, values) for view in group)
    where = group[0].name if len(group) == 1 else ""
    protected = sum(view.protected.kept for view in group if view.protected is not None)
    return to_prune(values["amount"], left, protected=protected, where=where)


@dataclass(frozen=True, eq=False)
class NearTaken:
    """What went of one tensor between two keys; see `Kernel.prune_near`."""

    near: KeyRange
    keys: Bits


@dataclass(frozen=True, eq=False)
class Pruned:
    """What a method leaves.

    Attributes
    ----------
    masks
        One for each tensor, by name, in the order of the tensors. What was pruned stays so.
    spared
        How many weights of a tensor a mask or its groups would have taken, had they not been
        protected.
    near
        What went near the cut, of the tensors of which somebody knew where it lies.
    """

    masks: dict[str, BitMask]
    spared: Mapping[str, int] = field(default_factory=dict)
    near: Mapping[str, NearTaken] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Ranked:
    """Tensors that one threshold cuts, their rankings, and how many of their weights go."""

    views: Sequence[TensorView]
    rankings: Sequence[Ranking]
    count: int


# Says about where the cut of some tensors lies; None if it does not know.
Expect = Callable[[Ranked], KeyRange | None]


def plan(  # noqa: PLR0917 - each its own type
    tensors: Sequence[TensorView],
    method: WeightMethod,
    values: Values,
    scope: Scope,
    kernel: Kernel,
    job: Job,
) -> list[Ranked]:
    """Return what to rank together; raises `ParameterError` before anything is worked on.

    Where the method has to read the tensors to tell, `job` is extended by that and stepped.
    """
    groups = [list(tensors)] if scope == "global" else [[view] for view in tensors]
    groups = [group for group in groups if group]
    counts: list[int] = []
    for batch in job.cancel.batches(groups):
        counts += [count_of(group, method, values) for group in batch]
    if method.allocate is not None and groups:
        gone = method.allocate(tensors, values, kernel, job)(
            np.ones(len(tensors), np.bool_), counts[0]
        )
        groups, counts = [[view] for view in tensors], gone.tolist()
    return [
        Ranked(group, rank_together(group, method, values, kernel, job) if count else [], count)
        for group, count in zip(groups, counts, strict=True)
    ]


def rank_together(
    group: Sequence[TensorView], method: WeightMethod, values: Values, kernel: Kernel, job: Job
) -> list[Ranking]:
    """Return the rankings of tensors, with keys that can be compared, of what may be taken."""
    width = max(method.least_width(view) for view in group)
    if len({view.ranked.dtype for view in group}) > 1:
        width = max(width, common_width({view.ranked.dtype for view in group}))
    made: list[Ranking] = []
    for view in group:
        job.cancel.check()
        measured = None
        if method.measure is not None:
            job.extend(view.numel)
            measured = method.measure(view, values, kernel, job)
        made.append(method.rank(view.free, values, width, measured))
    return made


def prune_ranked(
    plans: Sequence[Ranked], kernel: Kernel, job: Job, *, expect: Expect | None = None
) -> Pruned:
    """Return what tensors keep after their cuts; extends `job` by the work."""
    job.extend(2 * sum([r.size for ranked in plans if ranked.count for r in ranked.rankings]))
    masks: dict[str, BitMask] = {}
    near: dict[str, NearTaken] = {}
    for ranked in plans:
        if ranked.count == 0:
            masks |= {view.name: view.kept or BitMask.full(view.numel) for view in ranked.views}
            continue
        job.label(ranked.views[0].name)
        about = None if expect is None else expect(ranked)
        cut = None
        if about is not None:
            cut = kernel.prune_near(ranked.rankings, ranked.count, about, job)
        made = kernel.prune(ranked.rankings, ranked.count, job) if cut is None else cut.masks
        for view, mask in zip(ranked.views, made, strict=True):
            masks[view.name] = mask if view.protected is None else mask | view.protected
        if about is not None and cut is not None:
            taken = zip(ranked.views, cut.taken, strict=True)
            near |= {view.name: NearTaken(about, keys) for view, keys in taken}
    return Pruned(masks, near=near)


def prune_units(
    tensors: Sequence[TensorView],
    method: UnitMethod,
    values: Values,
    kernel: Kernel,
    job: Job,
) -> dict[str, BitMask]:
    """Return the masks after so many channels or blocks of each tensor went."""
    plans: list[tuple[TensorView, int, Channels]] = []
    for view in tensors:  # refuse before the first is worked on
        job.cancel.check()
        there, among = free_units(view, method.partition(view, values))
        count = to_prune(
            values["amount"],
            there,
            protected=there - among.size,
            unit=method.granularity,
            where=view.name,
        )
        plans.append((view, count, among))
    job.extend(sum(view.numel for view, count, _ in plans if count))
    masks: dict[str, BitMask] = {}
    for view, count, among in plans:
        if not count:
            masks[view.name] = view.kept or BitMask.full(view.numel)
        else:
            job.label(view.name)
            gone = method.lowest(view, values, kernel, among, count, job)
            masks[view.name] = without_units(view, method.partition(view, values), gone, job)
    return masks


def prune_units_together(
    tensors: Sequence[TensorView],
    method: UnitMethod,
    values: Values,
    kernel: Kernel,
    job: Job,
) -> dict[str, BitMask]:
    """Return the masks after so many channels or blocks of all tensors together went.

    Of equal scores the earlier tensor's go first, then the lower numbers.
    """
    assert method.score is not None  # as it has the global scope
    partitions = [method.partition(view, values) for view in tensors]
    free = [free_units(view, each) for view, each in zip(tensors, partitions, strict=True)]
    there = sum(left for left, _ in free)
    count = to_prune(
        values["amount"],
        there,
        protected=there - sum(among.size for _, among in free),
        unit=method.granularity,
        where=tensors[0].name if len(tensors) == 1 else "",
    )
    if not count:
        return {view.name: view.kept or BitMask.full(view.numel) for view in tensors}
    job.extend(sum(view.numel for view in tensors))
    scores: list[NDArray[np.float64]] = []
    for view, (_, among) in zip(tensors, free, strict=True):
        job.label(view.name)
        scores.append(method.score(view, values, kernel, job)[among])
    goes = np.zeros(sum(part.size for part in scores), np.bool_)
    goes[smallest(np.concatenate(scores), count)] = True
    masks: dict[str, BitMask] = {}
    at = 0
    for view, partition, (_, among) in zip(tensors, partitions, free, strict=True):
        gone = among[goes[at : at + among.size]]
        at += among.size
        masks[view.name] = view.kept or BitMask.full(view.numel)
        if gone.size:
            masks[view.name] = without_units(view, partition, gone, job)
    return masks


def free_units(view: TensorView, partition: Partition) -> tuple[int, Channels]:
    """Return how many units are left, and the numbers of those that hold nothing protected."""
    left = partition.left(view.kept)
    free = left
    if view.protected is not None:
        free = left & ~partition.left(view.protected)
    return int(np.count_nonzero(left)), np.flatnonzero(free)


def without_units(view: TensorView, partition: Partition, gone: Channels, job: Job) -> BitMask:
    """Return the mask of a tensor after some of its channels or blocks went."""
    stays = np.ones(partition.count, np.bool_)
    stays[gone] = False
    mask = partition.mask(stays, job)
    return mask if view.kept is None else view.kept & mask


def prune_rows(  # noqa: PLR0917 - each its own type
    tensors: Sequence[TensorView],
    method: RowMethod,
    values: Values,
    budgets: Sequence[int],
    kernel: Kernel,
    job: Job,
) -> dict[str, BitMask]:
    """Return the masks after so many weights of each tensor went, the same share of every row."""
    job.extend(sum(view.numel for view, count in zip(tensors, budgets, strict=True) if count))
    masks: dict[str, BitMask] = {}
    for view, count in zip(tensors, budgets, strict=True):
        masks[view.name] = view.kept or BitMask.full(view.numel)
        if count:
            job.label(view.name)
            free = view.free
            counts = per_row(view, free, count, job)
            mask = lowest_per_row(method.rank(free, values), rows_of(view)[1], counts, kernel, job)
            masks[view.name] = mask if view.protected is None else mask | view.protected
    return masks


def rows_of(view: TensorView) -> tuple[int, int]:
    """Return how many rows a tensor has, and how long each is; a vector is one row."""
    if len(view.shape) < 2:
        return 1, view.numel
    return view.shape[0], math.prod(view.shape[1:])


def per_row(view: TensorView, free: TensorView, count: int, job: Job) -> Counts:
    """Return how many of each row go: the same share of what is left of it, as far as it is free.

    Where that cannot make the sum, the earlier of equals give one more.
    """
    rows = rows_of(view)
    left = kept_by_channel(view.kept, rows, 0, job)
    able = left if free is view else kept_by_channel(free.kept, rows, 0, job)

    def at(share: float) -> Counts:
        wanted = np.floor(share * left + 0.5).astype(np.int64)
        counts: Counts = np.minimum(wanted, able)
        return counts

    return level(at, count)
