"""Taking whole channels and blocks away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pruneapp.kernels.contract import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.amount import to_prune
from pruneapp.methods.declaration import TensorView, Values
from pruneapp.methods.units import Channels, Partition, UnitMethod
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
