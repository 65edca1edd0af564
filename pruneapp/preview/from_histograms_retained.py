"""How much is pruned of every tensor, and how much of what the opened file held is kept."""

from __future__ import annotations

import math
from dataclasses import replace

from pruneapp.analysis.histogram_store import census_of
from pruneapp.analysis.statistics_stats import sparsity
from pruneapp.document.snapshot import Snapshot
from pruneapp.progress import Job
from pruneapp.results.sparsity_report import SparsityReport, TensorSparsity

_KEY = "retained"
_BYTES = 200  # of a tensor in a report, about
_UNKNOWN = (math.nan, math.nan)
# Sums of the same numbers in another order differ by less; what a weight adds may do so as well.
_ROUNDING = 1e-12


def retained(opened: Snapshot, now: Snapshot, job: Job) -> SparsityReport:
    """Report the sparsity of a model, with what its tensors retained since opening.

    From what was counted in the background alone; nothing is read.

    Parameters
    ----------
    opened, now
        The first state of the document, and the one to report of.
    job
        May cancel.

    Returns
    -------
    SparsityReport
        As `pruneapp.analysis.statistics_stats.sparsity`. `energy` of each tensor is the share of
        the sum of squares of its finite weights that is kept now, 1 where there was nothing to
        lose; None where it is not counted yet, or beyond float64. `energy` of the model is that of
        the tensors together; None unless all are known. `magnitude` likewise, of the sum of
        magnitudes.
    """
    known: SparsityReport | None = census_of(now).recent(now, _KEY)
    if known is not None:
        return known
    report = sparsity(now)
    tensors: list[TensorSparsity] = []
    before, after = (0.0, 0.0), (0.0, 0.0)
    for batch in job.cancel.batches(report.tensors):
        for t in batch:
            was = census_of(now).sums(opened, t.name) or _UNKNOWN
            left = census_of(now).sums(now, t.name) or _UNKNOWN
            energy, magnitude = map(_share, was, left)
            tensors.append(
                TensorSparsity(t.name, t.numel, t.before, t.after, energy, magnitude=magnitude)
            )
            before = before[0] + was[0], before[1] + was[1]
            after = after[0] + left[0], after[1] + left[1]
    energy, magnitude = map(_share, before, after)
    found = replace(report, tensors=tuple(tensors), energy=energy, magnitude=magnitude)
    if found.energy is not None:
        census_of(now).remember(now, _KEY, found, _BYTES * len(tensors))
    return found


def since_opening(report: SparsityReport, before: Snapshot) -> SparsityReport:
    """Let the report of a step know what its tensors had retained before it.

    As far as that was counted: it is what `retained` found of the state `before`. Reads nothing.
    """
    known: SparsityReport | None = census_of(before).recent(before, _KEY)
    return report if known is None else replace(report, retained=known.energies)


def _share(before: float, after: float) -> float | None:
    if not (math.isfinite(before) and math.isfinite(after)):
        return None
    share = after / before if before else 1.0
    return 1.0 if share > 1 - _ROUNDING else share
