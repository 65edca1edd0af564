"""How many weights go at most with methods of groups and blocks, from shapes alone."""

from __future__ import annotations

import numpy as np

from pruneapp.document.snapshot import Snapshot
from pruneapp.document.snapshot_counts import Units
from pruneapp.document.step import Row, Step
from pruneapp.methods import registry
from pruneapp.methods.limit_bounds import budgets
from pruneapp.methods.method import GroupMethod
from pruneapp.methods.method_units import BlockMethod


def gone_in_pattern(
    snapshot: Snapshot, step: Step, row: Row, units: Units
) -> tuple[int, int, bool] | None:
    """Return the weights and channels that go at most, and whether it is just so.

    It is where nothing is pruned or protected yet, and no limits bind or block is cut. None for
    methods that take neither groups nor blocks.

    Parameters
    ----------
    snapshot
        The state.
    step, row
        What would be done.
    units
        What is left of the tensors of the row, in weights.

    Raises
    ------
    ParameterError
        If a tensor does not suit the method.
    """
    method = registry.get(row.method)
    if not isinstance(method, (GroupMethod, BlockMethod)):
        return None
    views = [snapshot.view(name) for name in units.names]
    sure = bool((units.kept == units.numel).all() and (units.free == units.kept).all())
    if isinstance(method, GroupMethod):
        wanted = np.zeros(len(views), np.int64)
        for i, view in enumerate(views):
            groups = method.groups(view, row.values)
            length = view.shape[groups.dim]
            whole = view.numel // max(length, 1) * (length // groups.size)
            wanted[i] = whole * (groups.size - groups.keep)
        return int(np.minimum(wanted, units.free).sum()), 0, sure
    if step.limits.bound:
        return int(units.free.sum()), 0, False
    tiles = [method.partition(view, row.values) for view in views]
    counts = budgets(row.values["amount"], np.array([t.count for t in tiles], np.int64))
    whole_ones = all(
        rows % t.tall == columns % t.wide == 0 for t in tiles for rows, columns in [t.matrix]
    )
    size = np.array([min(t.tall * t.wide, v.numel) for t, v in zip(tiles, views, strict=True)])
    return int(np.minimum(counts * size, units.free).sum()), 0, sure and whole_ones
