"""Taking the lowest weights of every row."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.lowest_in_groups_lowest_per_row import lowest_per_row
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.channels import kept_by_channel
from pruneapp.methods.limit_bounds_clamped import level
from pruneapp.methods.method import Counts, RowMethod, TensorView, Values
from pruneapp.progress import Job


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
