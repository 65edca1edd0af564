"""Taking whole channels and blocks away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.lowest_channels_smallest import smallest
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.amounts import to_prune
from pruneapp.methods.method import TensorView, Values
from pruneapp.methods.method_units import Channels, Partition, UnitMethod
from pruneapp.progress import Job


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
