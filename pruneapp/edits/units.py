"""Units of groups: how much they weigh, and the masks that silence them in all their tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pruneapp.document.snapshot import Snapshot
from pruneapp.groups.group import Group, Units
from pruneapp.kernels.kernel import Kernel, Slices
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import mask_of_channels
from pruneapp.progress import Job

By = Literal["l1", "l2", "mean"]


def score_units(
    state: Snapshot, group: Group, by: By, kernel: Kernel, job: Job
) -> NDArray[np.float64]:
    """Return the norm of each unit over everything that it has in the tensors of a group.

    ``l2`` is the root of the sum of squares, ``l1`` the sum of magnitudes, ``mean`` the mean
    magnitude. Pruned weights count as 0. Reads every member once, and steps `job` by its elements.
    """
    power = 2.0 if by == "l2" else 1.0
    total = np.zeros(group.count)
    size = np.zeros(group.count)
    for member in group.members:
        shape = state.entry(member.name).shape
        sums = _channel_norms(state, member.name, member.dim, power, kernel, job) ** power
        units = member.layout.units(group.count)
        inside = units >= 0
        total += np.bincount(units[inside], sums[inside], group.count)
        each = np.bincount(units[inside], minlength=group.count)
        size += each * (np.prod(shape) / max(shape[member.dim], 1))
    for unit, names in enumerate(group.tensors):
        for name in names:
            entry = state.entry(name)
            if not entry.prunable and entry.dtype.one is None:
                continue
            sums = _channel_norms(state, entry.name, 0, power, kernel, job) ** power
            total[unit] += sums.sum()
            size[unit] += entry.numel
    if by == "l2":
        return np.sqrt(total)
    return total / np.maximum(size, 1) if by == "mean" else total


def _channel_norms(  # noqa: PLR0917 - each its own type
    state: Snapshot, name: str, dim: int, power: float, kernel: Kernel, job: Job
) -> NDArray[np.float64]:
    entry = state.entry(name)
    job.label(name)
    view = state.view(name)
    return kernel.channel_norms(
        Slices(entry.shape, entry.dtype, dim, view.kept, view.read), power, job
    )


def lowest_units(scores: NDArray[np.float64], count: int, outer: int) -> Units:
    """Return the units of the lowest scores, as many of each of `outer` runs, ascending.

    Of equal scores the lower number goes first; NaN is largest.
    """
    runs = scores.reshape(outer, -1)
    order = np.argsort(runs, axis=1, kind="stable")[:, : count // outer]
    return np.sort((order + np.arange(outer)[:, None] * runs.shape[1]).reshape(-1))


def silenced(
    state: Snapshot, units: Iterable[tuple[Group, Units]], job: Job
) -> tuple[dict[str, BitMask], int]:
    """Return the masks that prune units of groups in all their tensors, by first names.

    A unit goes in every member, biases and norms among them; a layer by the tensors that write
    into the residual stream. Protected weights stay. With the masks comes how many weights these
    were.
    """
    masks: dict[str, BitMask] = {}
    protected = 0
    for group, gone in units:
        for member in group.members:
            shape = state.entry(member.name).shape
            stays = np.ones(shape[member.dim], np.bool_)
            stays[group.entries(member, gone)] = False
            _join(state, masks, member.name, mask_of_channels(shape, member.dim, stays, job))
        for unit in gone.tolist() if group.silenced_by else ():
            for name in group.silenced_by[unit]:
                entry = state.entry(name)
                _join(state, masks, name, BitMask.full(entry.numel) - BitMask.full(entry.numel))
    for name, mask in masks.items():
        stays_anyway = state.protected.get(name)
        if stays_anyway is not None:
            before = state.masks.get(name) or BitMask.full(mask.size)
            protected += ((before - mask) & stays_anyway).kept
            masks[name] = mask | (stays_anyway & before)
    return masks, protected


def _join(state: Snapshot, masks: dict[str, BitMask], name: str, mask: BitMask) -> None:
    first = state.entry(name).name
    before = masks.get(first) or state.masks.get(first)
    masks[first] = mask if before is None else mask & before
