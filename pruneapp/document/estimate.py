"""What a step would do, from counts alone, fast enough for every move of a slider."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.answers import Estimate
from pruneapp.document.counts import Units
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.methods import registry
from pruneapp.methods.amount import to_prune
from pruneapp.methods.declaration import Method
from pruneapp.params import Amount
from pruneapp.progress import Job


def estimate(snapshot: Snapshot, step: Step, job: Job | None = None) -> Estimate:
    """Count what a step would prune, without reading a weight.

    The number is exact for one row of single weights, and for channels of which none is partly
    pruned. It is a bound (`Estimate.exact` is False) for channels that are partly pruned, for
    later rows that touch the tensors of earlier ones, and for masks, whose zeros are not counted
    here at all.

    Parameters
    ----------
    snapshot
        The state it would be done to.
    step
        What would be done.
    job
        May cancel: channels that are left have to be looked for in the masks.

    Raises
    ------
    ParameterError
        If a row asks for more than is left, or does not suit a tensor.
    SelectionError
        If a tensor cannot be pruned, or none is selected.
    """
    touched: set[str] = set()
    gone = channels = 0
    exact = True
    for row in step.rows:
        method = registry.get(row.method)
        units = snapshot.counts.units(
            snapshot.checkpoint,
            (snapshot.masks, snapshot.protected),
            row.names,
            method,
            row.values,
            job=job,
        )
        exact = exact and touched.isdisjoint(units.names)
        touched.update(units.names)
        if "amount" not in row.values:  # how much it takes is the method's secret: all at most
            exact = False
            gone += int(units.free.sum())
            continue
        if step.scope == "global":
            protected = int(units.protected.sum())
            gone += to_prune(row.values["amount"], int(units.left.sum()), protected=protected)
            continue
        counts = _budgets(units, row.values["amount"], method)
        taken = np.minimum(counts * units.each, units.kept)
        gone += int(taken.sum())
        if method.granularity == "channels":
            channels += int(counts.sum())
            # Whole channels are just as large as they look; of all that is left everything goes.
            sure = (units.kept == units.left * units.each) | (counts == units.left) | (counts == 0)
            exact = exact and bool(sure.all())
    return Estimate(tensors=len(touched), gone=gone, exact=exact, channels=channels)


def _budgets(units: Units, amount: Amount, method: Method) -> NDArray[np.int64]:
    """Return how many units go in each tensor, as `to_prune` counts them one by one."""
    counts = np.full(len(units.names), amount, np.int64)
    if isinstance(amount, float):
        counts = np.rint(amount * units.left).astype(np.int64)  # halves to even, as round
    short = np.flatnonzero(units.free < counts)
    if short.size:
        first = int(short[0])
        unit = "channels" if method.granularity == "channels" else "weights"
        to_prune(
            amount,
            int(units.left[first]),
            protected=int(units.protected[first]),
            unit=unit,
            where=units.names[first],
        )
    return counts
