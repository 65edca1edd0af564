"""Running a method over tensors: from what is kept now to what is kept after.

What is protected stays, whatever the method and the scope:

- Amounts count on what is not pruned yet, protected or not. What asks for more than is free is
  refused.
- Weights that are protected rank as if they were infinitely important, which is torch's
  ``importance_scores`` with infinity in their places: they are left out of the ranking.
- A channel or a block that holds a protected weight is not taken. Its score is not asked for.
- A group gives what it can: protected weights stay, and how many too many are left is counted.
- A method that says the mask outright is not asked to know about protection: what it takes of the
  protected weights is given back, as if its mask had been ``mask | protected``, and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.lowest_in_groups import lowest_in_groups
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.cutoff import check_all, check_scope, count_of, units_left
from pruneapp.methods.cutoff_in_rows import prune_rows
from pruneapp.methods.cutoff_ranked import Expect, NearTaken, Pruned, Ranked, plan, prune_ranked
from pruneapp.methods.cutoff_whole_units import prune_units, prune_units_together
from pruneapp.methods.method import (
    GroupMethod,
    MaskMethod,
    Method,
    RowMethod,
    Scope,
    TensorView,
    Values,
    WeightMethod,
)
from pruneapp.methods.method_units import UnitMethod
from pruneapp.progress import Job

__all__ = ["NearTaken", "Pruned", "Ranked", "check_scope", "prune", "units_left"]


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
        made = lowest_in_groups(method.rank(view, values), view.shape, cut, view.protected, job)
        masks[view.name] = made.mask
        if view.protected is not None:
            spared[view.name] = made.lacking
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
