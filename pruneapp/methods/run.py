"""Running a method over tensors: from what is kept now to what is kept after.

What is protected stays, whatever the method and the scope:

- Amounts count on what is not pruned yet, protected or not. What asks for more than is free is
  refused.
- Weights that are protected rank as if they were infinitely important, which is torch's
  ``importance_scores`` with infinity in their places: they are left out of the ranking.
- A channel that holds a protected weight is not taken. Its norm is not asked for, and those of the
  others do not depend on it.
- A method that says the mask outright is not asked to know about protection: what it takes of the
  protected weights is given back, as if its mask had been ``mask | protected``, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pruneapp.checkpoint.reader import Bits
from pruneapp.errors import ParameterError
from pruneapp.kernels.contract import Kernel, Near, Ranking
from pruneapp.kernels.ranking import common_width
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import channels_left, mask_of_channels
from pruneapp.methods.amount import to_prune
from pruneapp.methods.declaration import (
    ChannelMethod,
    Channels,
    MaskMethod,
    Method,
    Scope,
    TensorView,
    Values,
    WeightMethod,
)
from pruneapp.params import DimParam
from pruneapp.progress import Job


@dataclass(frozen=True, eq=False)
class NearTaken:
    """What went of one tensor between two keys; see `Kernel.prune_near`."""

    near: Near
    keys: Bits


@dataclass(frozen=True, eq=False)
class Pruned:
    """What a method leaves.

    Attributes
    ----------
    masks
        One for each tensor, by name, in the order of the tensors. What was pruned stays so.
    spared
        How many weights of a tensor a mask would have taken, had they not been protected.
    near
        What went near the cut, of the tensors of which somebody knew where it lies.
    """

    masks: dict[str, BitMask]
    spared: Mapping[str, int] = field(default_factory=dict)
    near: Mapping[str, NearTaken] = field(default_factory=dict)


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
            return prune_ranked(plan(tensors, method, values, scope), kernel, job, expect=expect)
        case ChannelMethod():
            return Pruned(_prune_channels(tensors, method, values, kernel, job))
        case MaskMethod():
            return _combine_masks(tensors, method, values, job)
    raise TypeError(f"no way to run a method of type {type(method).__name__}")


def check_all(
    tensors: Sequence[TensorView], method: Method, values: Mapping[str, Any], scope: Scope
) -> dict[str, Any]:
    """Return valid values for every parameter; raises `ParameterError` as `prune` does."""
    values = method.validate(values)
    check_scope(method, scope)
    for view in tensors:
        _check_scores(method, view)
        _check_given(method, view)
    return values


def units_left(tensor: TensorView, method: Method, values: Mapping[str, Any]) -> int:
    """Return how many weights (or channels) of a tensor are not pruned yet.

    Raises
    ------
    ParameterError
        If the method counts channels and the tensor has none along its dimension.
    """
    if method.granularity == "channels":
        dim = resolve_dim(method, method.validate(values), tensor)
        return int(np.count_nonzero(channels_left(tensor.kept, tensor.shape, dim)))
    return tensor.numel if tensor.kept is None else tensor.kept.kept


def check_scope(method: Method, scope: Scope) -> None:
    """Raise `ParameterError` if a method does not offer a scope, with the reason."""
    if scope in method.scopes:
        return
    if scope not in {"local", "global"}:
        raise ParameterError(f"'scope' must be local or global (got {scope!r}).")
    if method.granularity == "channels":
        raise ParameterError(
            f"'{method.name}' cannot prune globally: channels of different tensors have different "
            "sizes, so that their scores do not compare.",
            remedy="Choose the local scope, or a method for single weights.",
        )
    raise ParameterError(
        f"'{method.name}' cannot prune {scope}ly: it offers {' and '.join(method.scopes)} only.",
        remedy=f"Choose the {method.scopes[0]} scope.",
    )


def resolve_dim(method: Method, values: Values, view: TensorView) -> int:
    """Return the dimension of a method of channels as a number from 0, checked against a tensor."""
    for param in method.params:
        if isinstance(param, DimParam):
            return param.resolve(values[param.name], view.shape, view.name)
    raise TypeError(f"method '{method.name}' takes channels but declares no DimParam")


def _check_scores(method: Method, view: TensorView) -> None:
    if view.scores is None:
        return
    if not method.takes_scores:
        raise ParameterError(
            f"'{method.name}' takes no importance scores.",
            remedy="Leave them out, or choose a method that ranks by magnitude.",
        )
    if view.scores.shape != view.shape:
        raise ParameterError(
            f"The importance scores of '{view.name}' must have its shape {list(view.shape)} "
            f"(got {list(view.scores.shape)}).",
            remedy="Choose the file of scores that was made for this checkpoint.",
        )
    if not view.scores.dtype.prunable:
        raise ParameterError(
            f"The importance scores of '{view.name}' must be floats "
            f"(got {view.scores.dtype.label}).",
            remedy="Save them as float32.",
        )


def _check_given(method: Method, view: TensorView) -> None:
    if not method.takes_mask:
        return
    if view.given is None:
        raise ParameterError(
            f"A mask for '{view.name}' must be given, and there is none.",
            remedy="Choose a file of masks that holds this tensor, or leave the tensor out.",
        )
    if view.given.size != view.numel:
        raise ParameterError(
            f"The mask for '{view.name}' must have its {view.numel:,} elements "
            f"(got {view.given.size:,}).",
            remedy="Choose the file of masks that was made for this checkpoint.",
        )


@dataclass(frozen=True, eq=False)
class Ranked:
    """Tensors that one threshold cuts, their rankings, and how many of their weights go."""

    views: Sequence[TensorView]
    rankings: Sequence[Ranking]
    count: int


# Says about where the cut of some tensors lies; None if it does not know.
Expect = Callable[[Ranked], Near | None]


def plan(
    tensors: Sequence[TensorView], method: WeightMethod, values: Values, scope: Scope
) -> list[Ranked]:
    """Return what to rank together; raises `ParameterError` before anything is worked on."""
    groups = [tensors] if scope == "global" else [[view] for view in tensors]
    return [_ranked(group, method, values) for group in groups if group]


def rank_together(
    group: Sequence[TensorView], method: WeightMethod, values: Values
) -> list[Ranking]:
    """Return the rankings of tensors, with keys that can be compared, of what may be taken."""
    width = max(method.least_width(view) for view in group)
    if len({view.ranked.dtype for view in group}) > 1:
        width = max(width, common_width({view.ranked.dtype for view in group}))
    return [method.rank(view.free, values, width) for view in group]


def _ranked(group: Sequence[TensorView], method: WeightMethod, values: Values) -> Ranked:
    left = sum(units_left(view, method, values) for view in group)
    where = group[0].name if len(group) == 1 else ""
    protected = sum(view.protected.kept for view in group if view.protected is not None)
    count = to_prune(values["amount"], left, protected=protected, where=where)
    return Ranked(group, rank_together(group, method, values), count)


def prune_ranked(
    plans: Sequence[Ranked], kernel: Kernel, job: Job, *, expect: Expect | None = None
) -> Pruned:
    """Return what tensors keep after their cuts; extends `job` by the work."""
    for ranked in plans:
        if ranked.count:
            job.extend(2 * sum(r.size for r in ranked.rankings))
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


def _prune_channels(
    tensors: Sequence[TensorView],
    method: ChannelMethod,
    values: Values,
    kernel: Kernel,
    job: Job,
) -> dict[str, BitMask]:
    plans: list[tuple[TensorView, int, Channels]] = []
    for view in tensors:  # refuse before the first is worked on
        there, among = free_channels(view, resolve_dim(method, values, view))
        count = to_prune(
            values["amount"],
            there,
            protected=there - among.size,
            unit="channels",
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
            dim = resolve_dim(method, values, view)
            gone = method.lowest(view, values, kernel, among, count, job)
            masks[view.name] = without_channels(view, dim, gone, job)
    return masks


def free_channels(view: TensorView, dim: int) -> tuple[int, Channels]:
    """Return how many channels are left, and the numbers of those that hold nothing protected."""
    left = channels_left(view.kept, view.shape, dim)
    free = left
    if view.protected is not None:
        free = left & ~channels_left(view.protected, view.shape, dim)
    return int(np.count_nonzero(left)), np.flatnonzero(free)


def without_channels(view: TensorView, dim: int, gone: Channels, job: Job) -> BitMask:
    """Return the mask of a tensor after some of its channels went."""
    stays = np.ones(view.shape[dim], np.bool_)
    stays[gone] = False
    mask = mask_of_channels(view.shape, dim, stays, job)
    return mask if view.kept is None else view.kept & mask


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
