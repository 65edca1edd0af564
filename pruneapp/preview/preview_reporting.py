"""What masks do to the tensors that they are of, in numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from pruneapp.analysis.retained_norm import Energy, total_of
from pruneapp.analysis.retained_norm_energies import measure_energies
from pruneapp.checkpoint.entry import size_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.results.sparsity_report import SparsityReport, TensorSparsity

_UNKNOWN = Energy(math.nan, math.nan, math.nan, math.nan)


def report_of(
    snapshot: Snapshot,
    masks: Mapping[str, BitMask],
    known: Mapping[str, Energy] | None,
    job: Job,
    *,
    cuts: bool,
) -> SparsityReport:
    """Report what masks do, with the energies that are not `known` already; without if None.

    Parameters
    ----------
    snapshot
        The state before.
    masks
        The masks after, by first names.
    known
        Energies that need not be measured, by first names.
    job
        Stepped by the elements, if there are energies; may cancel.
    cuts
        Whether there are thresholds: whole channels have none.
    """
    found: dict[str, Energy] = {}
    if known is not None:
        job.step(sum([masks[name].size for name in known]))
        rest = {name: mask for name, mask in masks.items() if name not in known}
        found = {**known, **measure_energies(snapshot, rest, job)}
    rows: list[TensorSparsity] = []
    for batch in job.cancel.batches(masks.items()):
        energies = [found.get(name, _UNKNOWN) for name, _ in batch]
        rows += [
            TensorSparsity(
                name,
                mask.size,
                snapshot.masks.pruned(name),
                mask.pruned,
                energy.share,
                energy.threshold if cuts else None,
                energy.magnitude,
            )
            for (name, mask), energy in zip(batch, energies, strict=True)
        ]
    before = 0
    for some in job.cancel.batches(snapshot.masks.values()):
        before += sum([mask.pruned for mask in some])
    after = before + sum([row.gone for row in rows])
    total = _UNKNOWN if known is None else _total(found, job)
    return SparsityReport(
        tuple(rows),
        size_of(snapshot.checkpoint.entries.values(), job.cancel).parameters,
        before,
        after,
        total.share,
        magnitude=total.magnitude,
    )


def with_one_cut(report: SparsityReport) -> SparsityReport:
    """Say of every tensor where the one cut is, not which of its own weights came next to it."""
    found = [row.threshold for row in report.tensors if row.threshold is not None]
    cut = max(found, default=None)
    return replace(report, tensors=tuple([replace(row, threshold=cut) for row in report.tensors]))


def _total(found: Mapping[str, Energy], job: Job) -> Energy:
    columns: tuple[list[float], ...] = ([], [], [], [])
    for batch in job.cancel.batches(found.values()):
        sums = [(s.before, s.after, s.sizes_before, s.sizes_after) for s in batch]
        for column, values in zip(columns, zip(*sums, strict=True), strict=True):
            column.extend(values)
    return Energy(*map(total_of, columns))
