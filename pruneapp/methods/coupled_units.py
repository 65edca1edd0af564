"""Ranking of units of groups, and the masks that prune them in all tensors of a group."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pruneapp.errors import ParameterError, counted, first_names
from pruneapp.groups.group import Group, Member, Units
from pruneapp.kernels.kernel import Kernel, Slices
from pruneapp.kernels.values import Bools, Float64s
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import channels_left, mask_of_channels
from pruneapp.methods.amounts import count_to_prune
from pruneapp.methods.input_sizes import scale_weights
from pruneapp.methods.limits import Pruning
from pruneapp.methods.method import CoupledMethod, Scope, TensorView, Values, no_inputs
from pruneapp.progress import Job

if TYPE_CHECKING:
    from pruneapp.statistics.file import Inputs

View = Callable[[str], TensorView]
# Returns the statistics of the inputs of a tensor by its name; None if there are none.
InputsOf = Callable[[str], "Inputs | None"]
# Scores from statistics of inputs: of all weights of a unit, and of the weights that read it.
WANDA, FLAP = "wanda", "flap"
# The value of `multiple` that selects the multiple used by the export of shrunk models.
USUAL = "usual"
# Units to prune of each group, with access to its tensors.
UnitsToPrune = Sequence[tuple[Group, View, Units]]


def prune_coupled(
    tensors: Sequence[TensorView], method: CoupledMethod, pruning: Pruning
) -> dict[str, BitMask]:
    """Return the masks of all tensors without the lowest-scoring units of their groups.

    In the order of `tensors`, with what was pruned before. A tensor in which nothing is pruned
    keeps its mask, or gets one of ones. Tensors of a group that are not among `tensors` have no
    mask in the result. Raises `ParameterError` as `coupled_units`.
    """
    masks = masks_without(coupled_units(tensors, method.label, pruning), pruning.job)
    return {
        view.name: masks.get(view.name) or view.kept or BitMask.full(view.numel) for view in tensors
    }


def coupled_units(tensors: Sequence[TensorView], label: str, pruning: Pruning) -> UnitsToPrune:
    """Return the lowest-scoring units to prune in each group of `tensors`, each group once.

    `label` is that of the method, for messages. Limits are ignored. The amount counts units that
    are not completely pruned; units with protected weights are kept. The number of kept units per
    group is rounded up to the multiple, and to a size that the model class supports, so that fewer
    units, or none, may be pruned. With the local scope the amount applies to each group, with the
    global scope to all together. If any group requires the same units in all groups (`Group.same`),
    all get the same.

    Without tensors the result is empty. Raises `ParameterError` if a tensor is in no group, too few
    units are free, a score lacks statistics, or rounding leaves nothing to prune.
    """
    if not tensors:
        return []
    found: dict[int, tuple[Group, View]] = {}
    inputs: dict[int, InputsOf] = {}
    for view in tensors:
        if not view.coupling:
            raise ParameterError(
                f"'{view.name}' is not known to belong to {label}.",
                remedy="Uncheck it, or choose another method.",
            )
        found |= {id(each.group): (each.group, each.view) for each in view.coupling}
        inputs |= {id(each.group): each.inputs for each in view.coupling}
    groups = tuple(found.values())
    values, scope = pruning.values, pruning.scope
    by, kernel, job = values["by"], pruning.kernel, pruning.job
    job.extend(sum(_work(group, view) for group, view in groups))
    scores = [
        score_units(group, view, by, kernel, job, inputs[id(group)]) for group, view in groups
    ]
    left = [_present_units(group, view, job) for group, view in groups]
    free = [some & ~protected_units(*one, job) for one, some in zip(groups, left, strict=True)]
    if any(group.same for group, _ in groups):  # root, sum and mean of scores have the same order
        scores = [np.sum(scores, axis=0)] * len(groups)
        left = [np.logical_or.reduce(left)] * len(groups)
        free = [np.logical_and.reduce(free)] * len(groups)
    if scope == "global":
        units_to_prune = _lowest_of_all(groups, scores, left, free, values)
    else:
        units_to_prune = [
            _lowest(group, score, some, able, values)
            for (group, _), score, some, able in zip(groups, scores, left, free, strict=True)
        ]
    if any(each.any() for each in free) and not any(units.size for units in units_to_prune):
        _check_rounding([group for group, _ in groups], left, values, scope)
    return [
        (group, view, units) for (group, view), units in zip(groups, units_to_prune, strict=True)
    ]


def _check_rounding(
    groups: Sequence[Group], left: Sequence[Bools], values: Values, scope: Scope
) -> None:
    """Raise `ParameterError` if nothing is pruned only because of rounding up to the multiple.

    Call it if no unit would be pruned. It returns without an error if the amount means no unit, or
    if the multiple of the largest group is 1. `left` are the units that are not completely pruned,
    per group.
    """
    amount = values["amount"]
    sizes = [int(np.count_nonzero(each)) for each in left]
    largest = max(range(len(groups)), key=sizes.__getitem__)
    group, several = groups[largest], len(groups) > 1
    multiple = _multiple(group, values)
    present = sum(sizes) if scope == "global" else sizes[largest]
    count = round(amount * present) if isinstance(amount, float) else amount
    if not count or multiple == 1:
        return
    units = f"{counted(present, 'unit')} of '{group.place}'"
    where = "in this group"
    if several and scope == "global":
        units, where = f"{counted(present, 'unit')} of {len(groups):,} groups", "in each group"
    elif several:
        units, where = f"{units}, the largest of {len(groups):,} groups", "in each group"
    most = sizes[largest]
    enough = next((n for n in range(1, most) if _round_up(group, most - n, multiple) < most), 0)
    needed = f"{counted(enough, 'unit')} of '{group.place}'"
    raise ParameterError(
        f"Nothing would be pruned: of {units}, {present - count:,} would be kept, and the number "
        f"of units kept {where} is rounded up to a multiple of {multiple:,}.",
        remedy=f"Prune at least {needed}, or choose a smaller multiple."
        if enough
        else "Choose a smaller multiple.",
    )


def _multiple(group: Group, values: Mapping[str, Any]) -> int:
    """Return the multiple to which the number of kept units of a group is rounded up."""
    chosen = values.get("multiple", "1")
    return group.multiple if chosen == USUAL else int(chosen)


@dataclass(frozen=True)
class RoundedCount:
    """How many units of a group an amount prunes."""

    requested: int  # without rounding
    pruned: int
    multiple: int  # the number of kept units is rounded up to a multiple of this


def rounded_count(group: Group, present: int, values: Values) -> RoundedCount:
    """Return how many of `present` units of a group are pruned if none is protected.

    Raises `ParameterError` if the amount is larger than `present`.
    """
    requested = count_to_prune(values["amount"], present, unit="units", where=group.place)
    multiple = _multiple(group, values)
    pruned = max(0, present - _round_up(group, present - requested, multiple))
    return RoundedCount(requested, pruned, multiple)


def score_units(  # noqa: PLR0917 - each its own type
    group: Group, view_of: View, by: str, kernel: Kernel, job: Job, inputs_of: InputsOf = no_inputs
) -> Float64s:
    """Return the score of each unit over all its weights in the tensors of a group.

    The result is ``float64[units]``. ``l2`` is the root of the sum of squares, ``l1`` the sum of
    magnitudes, ``mean`` the mean magnitude. Pruned weights count as 0. Reads every tensor once, and
    advances the job by its elements.

    ``wanda`` is the sum of squares of each weight times the root mean square of its input (after
    Sun et al., 2024), in all matrices with statistics. ``flap`` is the sum of squares of each
    weight times the standard deviation of its input, in the matrices that read the unit (An et al.,
    2024). The result does not depend on the order of tensors, bit by bit. Parts that no input has
    reached add nothing; if that is the whole group, its inputs count as 1. Raises `ParameterError`
    if a score needs statistics of inputs and there are none.
    """
    if by in {WANDA, FLAP}:
        return _score_by_inputs(group, view_of, by, kernel, job, inputs_of)
    power = 2.0 if by == "l2" else 1.0
    total, size = np.zeros(group.count), np.zeros(group.count)
    for member in group.members:
        view = view_of(member.name)
        sums = _norms(view, member.dim, power, kernel, job) ** power
        units = member.layout.units(group.count)
        inside = units >= 0
        total += np.bincount(units[inside], sums[inside], group.count)
        each = view.numel // max(view.shape[member.dim], 1)
        size += np.bincount(units[inside], minlength=group.count) * each
    for unit, names in enumerate(group.tensors):
        for view in map(view_of, names):
            if view.shape and view.dtype.prunable:
                total[unit] += (_norms(view, 0, power, kernel, job) ** power).sum()
                size[unit] += view.numel
    if by == "l2":
        return np.sqrt(total)
    return total / np.maximum(size, 1) if by == "mean" else total


def _score_by_inputs(  # noqa: PLR0917 - each its own type
    group: Group, view_of: View, by: str, kernel: Kernel, job: Job, inputs_of: InputsOf
) -> Float64s:
    """Return the score of each unit by statistics of inputs, for ``wanda`` and ``flap``.

    See `score_units`. Only tensors of two or more dimensions with statistics are read; the job is
    advanced as if all were. Raises `ParameterError` as `_check_known`.
    """
    unit_tensors = group.silenced_by if by == FLAP else group.tensors
    members = [m for m in group.members if by == WANDA or m.role == "output"]
    all_names = (*(m.name for m in members), *(name for each in unit_tensors for name in each))
    names = dict.fromkeys(name for name in all_names if len(view_of(name).shape) > 1)
    known: dict[str, Inputs] = {}
    for name in job.cancel.each(names):
        if (inputs := inputs_of(name)) is not None:
            known[name] = inputs
    _check_known(group, by, names, unit_tensors, known)
    job.step(_work(group, view_of) - sum(view_of(name).numel for name in known))
    reached = any((inputs.counts > 0).any() for inputs in known.values())

    def sums(name: str, dim: int) -> Float64s:
        """Return the sums of squares of the scores of a tensor along `dim`, one per entry."""
        inputs = known[name]
        sizes = inputs.rms if by == WANDA else inputs.deviation
        assert sizes is not None  # checked
        if reached:
            sizes = np.where(inputs.counts[:, np.newaxis] > 0, sizes, 0.0)
        view = scale_weights(replace(view_of(name), inputs=inputs), sizes)
        return _norms(view, dim, 2.0, kernel, job) ** 2

    parts = [np.zeros(group.count)]  # tensors of a single unit first, then each member
    for member in members:
        if member.name in known:
            units = member.layout.units(group.count)
            inside = units >= 0
            of_entries = sums(member.name, member.dim)
            part = np.zeros(group.count)
            np.add.at(part, units[inside], of_entries[inside])
            parts.append(part)
    for unit, each in enumerate(unit_tensors):
        parts[0][unit] = sum(sorted(float(sums(name, 0).sum()) for name in each if name in known))
    scores: Float64s = np.sort(parts, axis=0).sum(axis=0)
    return scores


def _check_known(
    group: Group,
    by: str,
    names: Mapping[str, None],
    unit_tensors: Sequence[Sequence[str]],
    known: Mapping[str, Inputs],
) -> None:
    """Raise `ParameterError` if `known` lacks statistics that the score `by` of a group needs.

    `names` are the tensors to be scored, `unit_tensors` the tensors of each unit, and `known` the
    statistics by tensor. It is an error if there are no `names`, if none of them has statistics, if
    a layer has none, or if ``flap`` lacks means. That some tensors of a group lack statistics is
    none.
    """
    if not names:
        raise ParameterError(
            f"'{by}' ranks units by the tensors that read them, and none is known for "
            f"'{group.place}'.",
            remedy="Rank by 'wanda' or by a norm.",
        )
    unseen = () if known else tuple(names)
    if group.axis == "layers":  # a layer is always reached; an expert need not be
        matrices = ([name for name in each if name in names] for each in unit_tensors)
        unseen = next((tuple(m) for m in matrices if known.keys().isdisjoint(m)), unseen)
    if unseen:
        raise ParameterError(
            f"The statistics lack the inputs of {first_names(unseen)}, so '{by}' "
            f"cannot rank the units of '{group.place}'.",
            remedy="Collect statistics that reach them with `pruneapp statistics`, or rank by a "
            "norm.",
        )
    without = [name for name, inputs in known.items() if inputs.sum is None]
    if by == FLAP and without:
        raise ParameterError(
            f"'{FLAP}' needs the means of inputs, but the statistics have only the squares for "
            f"{first_names(without)}.",
            remedy="Collect them with `pruneapp statistics`, or rank by 'wanda'.",
        )


def lowest_units(scores: Float64s, count: int, outer: int) -> Units:
    """Return the units with the lowest scores, the same number from each of `outer` equal runs.

    `count` is the total, rounded down to a multiple of `outer`, whose runs are consecutive units.
    The result is ascending. Of equal scores the lower number is selected; NaN is largest.
    """
    runs = scores.reshape(outer, -1)
    order = np.argsort(runs, axis=1, kind="stable")[:, : count // outer]
    return np.sort((order + np.arange(outer)[:, None] * runs.shape[1]).reshape(-1))


def masks_without(units_to_prune: UnitsToPrune, job: Job) -> dict[str, BitMask]:
    """Return the masks of tensors without some units of their groups, by name.

    What was pruned before stays pruned, and protected weights are kept. A unit is pruned in every
    member, including biases and norms; a layer only in the tensors that write to the residual
    stream. Only tensors of groups with units to prune are in the result.
    """
    masks: dict[str, BitMask] = {}

    def take(view: TensorView, mask: BitMask) -> None:
        if view.protected is not None:
            mask |= view.protected
        before = masks.get(view.name, view.kept)
        masks[view.name] = mask if before is None else mask & before

    for group, view_of, units in units_to_prune:
        if not units.size:
            continue
        for member in group.members:
            view = view_of(member.name)
            is_kept = np.ones(view.shape[member.dim], np.bool_)
            is_kept[group.entries(member, units)] = False
            take(view, mask_of_channels(view.shape, member.dim, is_kept, job))
        for unit in units.tolist() if group.silenced_by else ():
            for view in map(view_of, group.silenced_by[unit]):
                job.step(0)
                full = BitMask.full(view.numel)
                take(view, full - full)
    return masks


def present_units(group: Group, view_of: View) -> int:
    """Return the number of units of a group with a weight that is not pruned."""
    return int(np.count_nonzero(_present_units(group, view_of, Job())))


def _work(group: Group, view_of: View) -> int:
    n_own = sum(view_of(name).numel for names in group.tensors for name in names)
    return n_own + sum(view_of(member.name).numel for member in group.members)


def _norms(view: TensorView, dim: int, power: float, kernel: Kernel, job: Job) -> Float64s:
    job.label(view.name)
    slices = Slices(view.shape, view.dtype, dim, view.kept, view.read)
    return kernel.channel_norms(slices, power, job)


def _present_units(group: Group, view_of: View, job: Job) -> Bools:
    """Return which units have a weight that is not pruned."""
    return _units_with(group, view_of, lambda view: view.kept, job, without=True)


def protected_units(group: Group, view_of: View, job: Job) -> Bools:
    """Return which units have a protected weight."""
    return _units_with(group, view_of, lambda view: view.protected, job, without=False)


def _units_with(
    group: Group,
    view_of: View,
    mask_of: Callable[[TensorView], BitMask | None],
    job: Job,
    *,
    without: bool,
) -> Bools:
    """Return for each unit of a group whether a mask has a bit set for any of its weights.

    `mask_of` returns the mask of a tensor; for one without a mask (None), the answer is `without`.
    For units with `silenced_by`, only the masks of those tensors count.
    """
    found = np.zeros(group.count, np.bool_)
    for member in group.members:
        view = view_of(member.name)
        mask = mask_of(view)
        if mask is None:
            found |= without
        else:
            found |= _of_units(group, member, channels_left(mask, view.shape, member.dim, job))
    for unit, names in enumerate(group.silenced_by):
        masks = [mask_of(view_of(name)) for name in names]
        found[unit] = any(without if mask is None else mask.kept for mask in masks)
    return found


def _of_units(group: Group, member: Member, entries: Bools) -> Bools:
    units = member.layout.units(group.count)
    found = np.zeros(group.count + 1, np.bool_)
    found[units[entries]] = True
    return found[: group.count]


def _lowest(
    group: Group, scores: Float64s, left: Bools, free: Bools, values: Mapping[str, Any]
) -> Units:
    """Return the units to prune in one group, ascending.

    `left` are the units that are not pruned yet, `free` those that may be pruned. The number of
    kept units is rounded up, so that none may be returned. Raises `ParameterError` if the amount is
    larger than what is free, counted per run of `group.outer`.
    """
    present = int(np.count_nonzero(left))
    able = int(np.count_nonzero(free.reshape(group.outer, -1), axis=1).min()) * group.outer
    amount, held = values["amount"], present - min(able, present)
    count = count_to_prune(amount, present, protected=held, unit="units", where=group.place)
    kept = _round_up(group, present - count, _multiple(group, values))
    return _lowest_free(scores, free, max(0, present - kept), group.outer)


def _lowest_free(scores: Float64s, free: Bools, count: int, outer: int = 1) -> Units:
    largest = np.nan_to_num(scores, nan=np.finfo(np.float64).max)
    return lowest_units(np.where(free, largest, np.inf), count, outer)


def _round_up(group: Group, kept: int, multiple: int) -> int:
    """Return the smallest allowed number of kept units that is at least `kept`."""
    step = math.lcm(multiple * group.times, group.outer)
    up = -(-kept // step) * step
    if up >= group.count:
        return group.count
    return next((n for n in group.sizes if n >= up), up)


def _lowest_of_all(
    groups: Sequence[tuple[Group, View]],
    scores: Sequence[Float64s],
    left: Sequence[Bools],
    free: Sequence[Bools],
    values: Mapping[str, Any],
) -> list[Units]:
    """Return the units to prune of each group, by one ranking over all groups.

    `left` has the units that are not pruned yet, `free` those that may be pruned. The number of
    kept units per group is then rounded up, keeping those with the highest scores, so that fewer
    than the amount may be pruned. Raises `ParameterError` if the amount is larger than what is
    free.
    """
    present, able = (sum(int(np.count_nonzero(each)) for each in some) for some in (left, free))
    where = groups[0][0].place if len(groups) == 1 else ""
    held = present - able
    count = count_to_prune(values["amount"], present, protected=held, unit="units", where=where)
    is_selected = np.zeros(sum(group.count for group, _ in groups), np.bool_)
    is_selected[_lowest_free(np.concatenate(scores), np.concatenate(free), count)] = True
    ends = np.cumsum([group.count for group, _ in groups])[:-1]
    units_to_prune = []
    for (group, _), score, some, part in zip(
        groups, scores, left, np.split(is_selected, ends), strict=True
    ):
        before = int(np.count_nonzero(some))
        kept = _round_up(group, before - int(np.count_nonzero(part)), _multiple(group, values))
        units_to_prune.append(_lowest_free(score, part, max(0, before - kept), group.outer))
    return units_to_prune
