"""Counts of several tensors put together for a row of a step, and remembered for the next move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.histogram_store import census_of
from pruneapp.analysis.histogram_store_wanted import dims_of, orders_of
from pruneapp.analysis.histograms_channels import Channels
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.methods import registry
from pruneapp.methods.method_units import ChannelMethod
from pruneapp.params import Norm
from pruneapp.params_amounts import AmountParam
from pruneapp.preview.cumulative import CumulativeTable
from pruneapp.preview.cumulative_ordered import Ordered, OrderedTensor, in_order_of
from pruneapp.progress import Job


def columns_of(snapshot: Snapshot, names: tuple[str, ...], job: Job) -> CumulativeTable | None:
    """Return the magnitudes of some tensors; None if they are not all counted.

    Parameters
    ----------
    snapshot
        The state.
    names
        First names.
    job
        May cancel.
    """
    census = census_of(snapshot)
    known: CumulativeTable | None = census.recent(snapshot, names)
    if known is not None:
        return known
    counted = []
    for batch in job.cancel.batches(names):
        for name in batch:
            found = census.magnitudes(snapshot, name)
            if found is None:
                return None
            counted.append(found)
    entries = snapshot.checkpoint.entries
    made = CumulativeTable(counted, [entries[name].dtype for name in names])
    census.remember(snapshot, names, made, made.nbytes)
    return made


def ordered_of(snapshot: Snapshot, row: Row, names: tuple[str, ...], job: Job) -> Ordered | None:
    """Return the channels of some tensors in the order in which a row takes them.

    Parameters
    ----------
    snapshot
        The state.
    row
        Of a method of channels of which counts can tell (`Method.told_by`).
    names
        First names.
    job
        May cancel.

    Returns
    -------
    Ordered or None
        None if what decides is not counted; without sums as long as they are not.
    """
    census = census_of(snapshot)
    method = registry.get(row.method)
    asked = tuple(row.values[p.name] for p in method.params if not isinstance(p, AmountParam))
    key = row.method, asked, names
    known: Ordered | None = census.recent(snapshot, key)
    if known is not None:
        return known
    tensors: list[OrderedTensor] = []
    complete = True
    for name, dim in zip(names, dims_of(snapshot, row, names), strict=True):
        first, two, one = _counted(snapshot, row, name, dim)
        if first is None:
            return None
        job.step(0)
        complete = complete and two is not None and one is not None
        tensors.append(in_order_of(first, _order(snapshot, row, name, first), two, one))
    made = Ordered(tensors, complete=complete)
    if complete:
        census.remember(snapshot, key, made, made.nbytes)
    return made


def _counted(
    snapshot: Snapshot, row: Row, name: str, dim: int
) -> tuple[Channels | None, Channels | None, Channels | None]:
    def find(n: Norm) -> Channels | None:
        return census_of(snapshot).channels(snapshot, name, dim, n)

    return find(orders_of(row)[0]), find(2), find(1)


def _order(snapshot: Snapshot, row: Row, name: str, channels: Channels) -> NDArray[np.intp]:
    among = np.flatnonzero(channels.free)
    if registry.get(row.method).told_by == "norms":
        order: NDArray[np.intp] = among[np.argsort(channels.norms[among], kind="stable")]
        return order
    method = registry.get(row.method)
    assert isinstance(method, ChannelMethod)
    return method.order(snapshot.view(name), row.values, CpuKernel(), among, Job())
