"""What a step would do, from counts alone, fast enough for every move of a slider."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.histogram_store import census_of
from pruneapp.analysis.histogram_store_wanted import rows_now
from pruneapp.checkpoint.entry import size_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.snapshot_counts import Units
from pruneapp.document.step import Row, Step
from pruneapp.methods import registry
from pruneapp.methods.limit_bounds import budgets, refuse_more
from pruneapp.preview.estimate_counts_of_patterns import gone_in_pattern
from pruneapp.preview.estimate_effect import Effect, by_lot, effect_of, weights_gone
from pruneapp.progress import Job
from pruneapp.results.sparsity_report import Estimate, SparsityReport, TensorSparsity


def estimate(
    snapshot: Snapshot, step: Step, job: Job | None = None, *, scores: bool = False
) -> Estimate:
    """Count what a step would prune, without reading a weight.

    As long as magnitudes or norms are not counted (`Snapshot.census`), and for methods of which
    counts say nothing, there is a number only: exact for single weights, and for channels of which
    none is partly pruned. No more than it goes (`Estimate.exact` is False) of channels that are
    partly pruned or under limits, by later rows that touch the tensors of earlier ones, and by
    masks, whose zeros are not counted here at all.

    With counts there is a report as well, for any rows that touch no tensor twice: tensors by L1,
    Ln and at random. It keeps to the limits. Single weights that are chosen at random are counted
    exactly locally; globally, and for energies, what is to be expected is told.

    Parameters
    ----------
    snapshot
        The state it would be done to.
    step
        What would be done.
    job
        May cancel: channels that are left have to be looked for in the masks.
    scores
        Whether importance scores of a file stand in for the weights: then counted magnitudes say
        nothing of methods that take them.

    Raises
    ------
    ParameterError
        If a row asks for more than is left and not protected, or does not suit a tensor, or if
        limits contradict each other.
    SelectionError
        If a tensor cannot be pruned, or none is selected.
    """
    job = job or Job()
    touched: set[str] = set()
    effects: list[Effect | None] = []
    gone = channels = 0
    exact = True
    for row, names in rows_now(snapshot, step):
        units = snapshot.units(names, registry.get(row.method), row.values, job)
        disjoint = touched.isdisjoint(units.names)
        touched.update(units.names)
        elsewhere = scores and registry.get(row.method).takes_scores
        effect = None
        if disjoint and not elsewhere:
            effect = effect_of(snapshot, step, row, units, job)
        effects.append(effect)
        if effect is not None:
            gone += int(effect.gone.sum())
            channels += effect.channels
            continue
        patterned = gone_in_pattern(snapshot, step, row, units)
        taken, slices, sure = patterned or _roughly(step, row, units, disjoint=disjoint)
        gone += taken
        channels += slices
        exact = exact and disjoint and sure
    known = [effect for effect in effects if effect is not None]
    complete = len(known) == len(effects)
    whole = complete and all(effect.complete for effect in known)
    return Estimate(
        tensors=len(touched),
        gone=gone,
        exact=exact and not step.companions,  # these are found by the preview
        channels=channels,
        report=_report(snapshot, known, job) if complete else None,
        sure=complete and not step.companions and all(effect.sure for effect in known),
        counting=1.0 if whole or scores else census_of(snapshot).share(snapshot, step),
    )


def _roughly(step: Step, row: Row, units: Units, *, disjoint: bool) -> tuple[int, int, bool]:
    """Return weights and channels that go at most, and whether it is just so."""
    if "amount" not in row.values:  # how much it takes is the method's secret: all at most
        return int(units.free.sum()), 0, False
    limits = step.limits
    if registry.get(row.method).granularity == "weights":
        if limits.bound and not disjoint:  # they hold for what earlier rows leave
            return int(units.free.sum()), 0, False
        # How many go in all is the same whichever go.
        return int(weights_gone(step, row, units, by_lot(units)).sum()), 0, True
    if step.scope == "global" or limits.total is not None or limits.floor > 0:
        # More than the amount of each may go.
        return int(units.kept.sum()), 0, False
    amount, free = row.values["amount"], not limits.bound
    counts = budgets(amount, units.left)
    left = units.free if free else units.left
    refuse_more(amount, units.left, left, counts, units.names, "channels")
    taken = int(np.minimum(counts * units.each, units.kept).sum())
    # Whole channels are just as large as they look; of all that is left everything goes.
    sure = (units.kept == units.left * units.each) | (counts == units.left) | (counts == 0)
    return taken, int(counts.sum()), free and bool(sure.all())


def _report(snapshot: Snapshot, effects: Sequence[Effect], job: Job) -> SparsityReport:
    names = [name for effect in effects for name in effect.units.names]
    numel = np.concatenate([effect.units.numel for effect in effects])
    before = numel - np.concatenate([effect.units.kept for effect in effects])
    gone = np.concatenate([effect.gone for effect in effects])
    squares = np.concatenate([effect.squares for effect in effects], axis=1)
    sizes = np.concatenate([effect.sizes for effect in effects], axis=1)
    rows = list(
        map(
            TensorSparsity,
            names,
            numel.tolist(),
            before.tolist(),
            (before + gone).tolist(),
            _shares(squares),
            _or_none(np.concatenate([effect.thresholds for effect in effects])),
            _shares(sizes),
        )
    )
    if len(effects) > 1:
        places = {name: i for i, name in enumerate(snapshot.checkpoint.entries)}
        rows.sort(key=lambda row: places[row.name])
    with np.errstate(over="ignore"):
        energy, magnitude = _shares(np.stack((squares.sum(axis=1), sizes.sum(axis=1)), axis=1))
    numel_of_all, pruned = _model(snapshot, job)
    return SparsityReport(
        tuple(rows),
        numel_of_all,
        pruned,
        pruned + int(gone.sum()),
        energy,
        magnitude,
    )


def _model(snapshot: Snapshot, job: Job) -> tuple[int, int]:
    """Return how many parameters there are, and how many are pruned."""
    known: tuple[int, int] | None = census_of(snapshot).recent(snapshot, "model")
    if known is None:
        pruned = sum(mask.pruned for mask in snapshot.masks.values())
        known = size_of(snapshot.checkpoint.entries.values(), job.cancel).parameters, pruned
        census_of(snapshot).remember(snapshot, "model", known, 0)
    return known


def _shares(sums: NDArray[np.float64]) -> list[float | None]:
    """Return after by before, of sums that are (before, after) each; None where unknown or 0."""
    before, after = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        return _or_none(np.where(np.isfinite(before) & (before > 0), after / before, math.nan))


def _or_none(values: NDArray[np.float64]) -> list[float | None]:
    listed: list[float | None] = values.tolist()
    for i in np.flatnonzero(np.isnan(values)).tolist():
        listed[i] = None
    return listed
