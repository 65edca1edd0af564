"""Allocate sparsity to tensors according to a sensitivity scan.

The damage of a tensor is how much worse a metric gets if only that tensor is pruned. The damages
are made monotone, interpolated logarithmically between the scanned amounts, and replaced by their
greatest convex minorant. The target is then filled greedily, always where a weight causes the least
damage, which is optimal for the minorants (Lagrange), to the weight. That damages of several
tensors add up is an assumption, so the result has to be measured.
"""

from __future__ import annotations

import fnmatch
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.document.entries import RowConfiguration, RowEntry
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError, SelectionError
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import Samples, are_different_data
from pruneapp.evaluation.scan_file import Scan, ScanMetric, ScanTensor
from pruneapp.methods import registry
from pruneapp.methods.limits import Limits, percent
from pruneapp.params import Amount
from pruneapp.recipes.recipe import Recipe, step_entry

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

# Points of a curve from which the minorant is computed.
POINTS = 200
# Damages below this share of the typical damage of a scan are treated as equal: it is added before
# taking logarithms.
RESOLUTION = 0.01
# A share times a size this close to an integer is treated as that integer.
_NEAR = 1e-9
# Larger than any metric, but sums of it are still finite.
_HUGE = 1e290

# Follows the sentence of a `SharedData` that `is_shared`.
SHARED_DATA_ADVICE = (
    "The amounts were chosen with these data, so metrics measured on them are too optimistic. "
    "Evaluate the result on other data, too."
)


class SharedData(Enum):
    """What is known about the data of a scan and of the evaluation of its result.

    The values are templates of sentences for users.
    """

    DIFFERENT = (
        "The scan and the evaluation use different data (scan: {scanned}; evaluation: {evaluated})."
    )
    SAME = "The scan and the evaluation use the same data ({evaluated})."
    PART_EVALUATED = (
        "The data of the evaluation are a part of those of the scan (scan: {scanned}; evaluation: "
        "{evaluated})."
    )
    PART_SCANNED = (
        "The data of the scan are a part of those of the evaluation (scan: {scanned}; evaluation: "
        "{evaluated})."
    )
    SAME_FOLDER = (
        "The scan and the evaluation use images of the same folder (scan: {scanned}; evaluation: "
        "{evaluated}), and some of them can be the same."
    )
    SAME_SETTINGS = (
        "The scan and the evaluation run the same script with the same settings ({evaluated})."
    )
    SAME_SCRIPT = (
        "The scan and the evaluation run the same script with different numbers of samples (scan: "
        "{scanned}; evaluation: {evaluated}). The script decides whether it uses the same samples "
        "for both: if it does, metrics measured on them are too optimistic."
    )
    UNKNOWN = (
        "It is not known whether the scan and the evaluation use the same data. If they do, "
        "metrics measured on them are too optimistic: evaluate the result on data that the scan "
        "does not use."
    )

    @property
    def is_shared(self) -> bool:
        """Whether they share data, so that `SHARED_DATA_ADVICE` applies."""
        return self not in {SharedData.DIFFERENT, SharedData.SAME_SCRIPT, SharedData.UNKNOWN}


@dataclass(frozen=True)
class DataUse:
    """The data that a scan or an evaluation uses, as far as they are known."""

    data: str  # see `data_of`
    seed: int = 0
    limit: int | None = None  # maximum number of samples
    samples: Samples | None = None  # of a text or images


def compare_data(scanned: DataUse, evaluated: DataUse) -> SharedData:
    """Return what is known about the data of a scan and of an evaluation.

    Data are compared by their names, texts and images also by the samples that were used: of a
    text, these are the first ones, of a folder evenly spaced images. Different scripts of the user
    may use the same data.
    """
    if are_different_data(scanned.data, evaluated.data):
        return SharedData.DIFFERENT
    if not evaluated.data or scanned.data != evaluated.data:
        return SharedData.UNKNOWN
    if evaluated.data.startswith(("text:", "images:", "test images:")):
        return _compare_samples(scanned.samples, evaluated.samples)
    if scanned.seed != evaluated.seed:
        return SharedData.UNKNOWN
    same_limit = scanned.limit == evaluated.limit
    return SharedData.SAME_SETTINGS if same_limit else SharedData.SAME_SCRIPT


def _compare_samples(scanned: Samples | None, evaluated: Samples | None) -> SharedData:
    """Return what is known about samples of the same text or images."""
    if scanned is None or evaluated is None or scanned.used == evaluated.used:
        return SharedData.SAME
    smaller, larger = sorted((scanned, evaluated), key=lambda samples: samples.used)
    if larger.unit == "images" and larger.used < larger.total:
        return SharedData.SAME_FOLDER
    return SharedData.PART_SCANNED if smaller is scanned else SharedData.PART_EVALUATED


@dataclass(frozen=True, eq=False)
class Curve:
    """The damage of one tensor as a function of its pruned weights, and the allowed range.

    All counts are of pruned weights after the step. `counts` and `damages` are the measured points,
    ascending by count; at `before`, the count before the step, the damage is 0.
    """

    before: int
    low: int
    high: int
    counts: Counts
    damages: Floats
    unit: int = 1  # number of weights pruned together


def resolution_of(curves: Sequence[Curve]) -> float:
    """Return 1 % of the median of the curves' largest damages: smaller damages count as equal.

    Only positive damages are used; 1.0 if there is none.
    """
    worst = [float(curve.damages.max()) for curve in curves if curve.damages.size]
    positive = [one for one in worst if one > 0]
    return RESOLUTION * float(np.median(positive)) if positive else 1.0


def damage_at(curve: Curve, counts: Counts, resolution: float) -> Floats:
    """Return the damage at `counts`: monotone, and interpolated logarithmically.

    The damage is 0 up to `before`, and that of the last point beyond it. Negative damages count as
    0.
    """
    known = np.concatenate(([curve.before], curve.counts)).astype(np.float64)
    damages = np.maximum.accumulate(np.concatenate(([0.0], np.maximum(curve.damages, 0.0))))
    logs = np.interp(counts, known, np.log1p(damages / resolution))
    found: Floats = resolution * np.expm1(logs)
    return found


def convex_minorant(x: Floats, y: Floats) -> NDArray[np.intp]:
    """Return the indices of the corners of the convex minorant of points, ascending in `x`.

    `x` is strictly ascending. The first and the last point are corners; points on a straight line
    between two corners are not. Empty for no points.
    """
    corners: list[int] = []
    for i in range(len(x)):
        while len(corners) > 1:
            a, b = corners[-2:]
            if (y[b] - y[a]) * (x[i] - x[b]) < (y[i] - y[b]) * (x[b] - x[a]):
                break
            corners.pop()
        corners.append(i)
    return np.array(corners, np.intp)


def fill(curves: Sequence[Curve], target: int, resolution: float | None = None) -> Counts:
    """Return the number of pruned weights per tensor, with the sum `target`.

    The result is ``int64[curves]``, within the bounds of each curve. Tensors with equal damage per
    weight get the same share of their range. If weights are pruned in units of several, the sum may
    be less than the target by less than one unit. `resolution` is that of `damage_at`; None for
    `resolution_of` the curves. Raises `ParameterError` if the target is less than the sum of the
    lower bounds or more than the sum of the upper bounds.
    """
    if resolution is None:
        resolution = resolution_of(curves)
    low = np.array([curve.low for curve in curves], np.int64)
    high = np.array([curve.high for curve in curves], np.int64)
    least, most = int(low.sum()), int(high.sum())
    if not least <= target <= most:
        raise ParameterError(
            f"The total must be from {least:,} to {most:,} weights here (got {target:,}): that is "
            "what limits and the scanned amounts allow.",
            remedy="Choose another total, change the limits, or scan larger amounts.",
        )
    if target == least:
        return low
    owners: list[Counts] = []
    lengths: list[Counts] = []
    slopes: list[Floats] = []
    for i, curve in enumerate(curves):
        units = (curve.high - curve.low) // curve.unit
        grid = np.unique(np.linspace(0, units, min(units, POINTS) + 1).round().astype(np.int64))
        measured = curve.counts[(curve.low <= curve.counts) & (curve.counts <= curve.high)]
        grid = np.union1d(grid, (measured - curve.low) // curve.unit)
        counts = curve.low + curve.unit * grid
        damages = damage_at(curve, counts, resolution)
        corners = convex_minorant(counts.astype(np.float64), damages)
        length = np.diff(counts[corners])
        owners.append(np.full(length.size, i, np.int64))
        lengths.append(length)
        slopes.append(np.maximum.accumulate(np.diff(damages[corners]) / length))
    owner, length = np.concatenate(owners), np.concatenate(lengths)
    unit = np.array([curve.unit for curve in curves], np.int64)[owner]
    slope = np.concatenate(slopes)
    return low + _greedy(owner, length, slope, unit, target - least, len(curves))


def _greedy(  # noqa: PLR0917 - columns of one table
    owner: Counts, length: Counts, slope: Floats, unit: Counts, left: int, number: int
) -> Counts:
    """Select pieces of curves with the smallest slope until `left` weights are selected.

    The arrays have one element per piece: the index of its curve, its number of weights, its damage
    per weight, and the number of weights that are pruned together. Of the pieces with the slope at
    which `left` is reached, each is selected in proportion to its length, in whole units. Returns
    the selected weights of each of the `number` curves, ``int64[number]``; their sum is `left`, or
    less by less than a unit, or all weights if there are fewer.
    """
    order = np.argsort(slope, kind="stable")
    owner, length, slope, unit = owner[order], length[order], slope[order], unit[order]
    starts = np.flatnonzero(np.diff(slope, prepend=-math.inf))
    taken = np.zeros(number, np.int64)
    for start, stop in zip(starts, [*starts[1:], slope.size], strict=True):
        some = slice(start, stop)
        size = int(length[some].sum())
        if size > left:
            break
        np.add.at(taken, owner[some], length[some])
        left -= size
    else:
        return taken
    exact = length[some] * (left / size) / unit[some]
    parts = np.floor(exact).astype(np.int64) * unit[some]
    # The first of equal pieces get one unit more. The rest is less than a unit; other pieces that
    # would fit cause more damage.
    for i in np.argsort(-(exact - np.floor(exact)), kind="stable"):
        more = int(unit[some][i])
        if parts[i] + more <= length[some][i] and more <= left - int(parts.sum()):
            parts[i] += more
    np.add.at(taken, owner[some], parts)
    return taken


@dataclass(frozen=True)
class Bound:
    """Minimum and maximum sparsity of tensors matching a pattern; later bounds override earlier.

    Raises
    ------
    ParameterError
        If a value is not from 0 to 1.
    """

    pattern: str = "*"
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        for share in (self.low, self.high):
            if share is not None and not 0 <= share <= 1:
                raise ParameterError(
                    f"A sparsity must be from 0.0 to 1.0, or from 0% to 100% (got {share})."
                )


@dataclass(frozen=True)
class TensorShare:
    """The pruned weights of a tensor in an allocation."""

    tensor: ScanTensor
    pruned: int  # number of weights after the step
    damage: float  # predicted damage

    @property
    def sparsity(self) -> float:
        """The pruned share of the tensor, not rounded to whole weights at a scanned amount."""
        tensor = self.tensor
        for cell in tensor.cells:
            scanned = tensor.pruned + float(cell.amount) * (tensor.weights - tensor.pruned)
            if tensor.unit == 1 and abs(self.pruned - scanned) < 1:
                return scanned / tensor.weights
        return self.pruned / tensor.weights


@dataclass(frozen=True)
class Allocation:
    """The pruned weights of each tensor of a scan, and the predicted metric."""

    scan: Scan
    metric: ScanMetric
    shares: tuple[TensorShare, ...]
    unmeasured: tuple[str, ...] = ()  # tensors that are not pruned, because they were not measured

    @property
    def pruned(self) -> int:
        """Number of pruned weights after the step."""
        return sum(share.pruned for share in self.shares)

    @property
    def weights(self) -> int:
        """Number of weights of its tensors."""
        return sum(share.tensor.weights for share in self.shares)

    @property
    def predicted(self) -> float:
        """The predicted metric, assuming that damages add up."""
        damage = math.fsum(share.damage for share in self.shares)
        return self.metric.before - damage if self.metric.higher else self.metric.before + damage

    def step(self) -> Step:
        """Return the step that prunes these amounts: one rule per tensor, in the order of `shares`.

        The amount of a rule is the number of weights, or of channels if the method prunes channels,
        to prune in addition to those pruned before. Tensors with nothing to prune get the amount 0.
        """
        conditions = self.scan.conditions
        rows = []
        for share in self.shares:
            tensor = share.tensor
            amount = (share.pruned - tensor.pruned) // tensor.unit
            rows.append(self._row((tensor.name,), {"amount": amount}))
        scope = registry.get(conditions.method).scopes[0]
        return Step(tuple(rows), scope, data=self.scan.chosen_by)

    def uniform(self) -> Step:
        """Return a step with one rule for all tensors and the total `pruned`, for comparison."""
        conditions = self.scan.conditions
        names = tuple(share.tensor.name for share in self.shares)
        row = self._row(names, {})
        scope = registry.get(conditions.method).scopes[0]
        return Step((row,), scope, Limits(target_sparsity=self.pruned))

    def _row(self, names: tuple[str, ...], more: dict[str, Any]) -> Row:
        conditions = self.scan.conditions
        values = {**conditions.values, **more}
        return Row.of(RowEntry(conditions.method, RowConfiguration(values, names=names)))

    def recipe(self) -> Recipe:
        """Return the recipe of `step`."""
        return Recipe(
            (step_entry(self.step(), lambda names, _pattern: RowConfiguration(names=names)),)
        )


def allocate(
    scan: Scan,
    total: Amount,
    *,
    metric: str | None = None,
    bounds: Sequence[Bound] = (),
    patterns: Sequence[str] = (),
) -> Allocation:
    """Return how much to prune of each tensor of a scan to reach a total.

    Tensors without any measured cell are not pruned; the result lists them as `unmeasured`.

    Parameters
    ----------
    total
        Pruned weights of all measured, selected tensors together, including those pruned before: a
        share if it is a float, a number if it is an int.
    metric
        Name of the metric whose damage is minimized; None for that of `Scan.metric`.
    bounds
        Minimum and maximum sparsities. No tensor is pruned further than it was scanned.
    patterns
        Globs over names that select tensors; empty for all scanned ones.

    Raises
    ------
    EvaluationError
        If no selected tensor was measured yet, or there is no such metric.
    ParameterError
        If limits and scanned amounts do not allow the total, or a minimum is above its maximum.
    SelectionError
        If a pattern matches no tensor of the scan, or that of a bound none of the measured tensors.
    """
    by = scan.metric(metric)
    chosen = _match_names([tensor.name for tensor in scan.tensors], patterns or ("*",))
    tensors = [t for t in scan.tensors if t.name in chosen and t.cells]
    if not tensors:
        raise EvaluationError(
            "None of these tensors has been measured yet.",
            remedy="Continue the scan: `pruneapp scan` with the same file.",
        )
    unmeasured = tuple(t.name for t in scan.tensors if t.name in chosen and not t.cells)
    worst = _worst(scan, by)
    limits = _limits([t.name for t in tensors], bounds)
    curves = [_curve(t, by, worst, *limits[t.name]) for t in tensors]
    resolution = resolution_of(curves)
    weights = sum(tensor.weights for tensor in tensors)
    target = total if isinstance(total, int) else round(total * weights)
    most = sum(curve.high for curve in curves)
    if isinstance(total, float):
        # Bounds are rounded down in each tensor, but the total only once.
        if most < target < most + sum(curve.unit == 1 for curve in curves):
            target = most
        _check_share(scan, curves, weights, target, total)
    counts = fill(curves, target, resolution)
    shares = tuple(
        TensorShare(tensor, int(n), float(damage_at(curve, np.array([n]), resolution)[0]))
        for tensor, curve, n in zip(tensors, curves, counts, strict=True)
    )
    return Allocation(scan, by, shares, unmeasured)


def _check_share(
    scan: Scan, curves: Sequence[Curve], weights: int, target: int, total: float
) -> None:
    """Raise `ParameterError`, with percentages, if the bounds do not allow the target.

    `weights` is the number of weights of all curves, `target` the number to prune, and `total` the
    same as a share, for the message.
    """
    least, most = sum(curve.low for curve in curves), sum(curve.high for curve in curves)
    if least <= target <= most:
        return
    low, high = math.ceil(least / weights * 1000) / 10, math.floor(most / weights * 1000) / 10
    unfinished = f"continue the scan ({scan.measured:,} of {scan.wanted:,} evaluations are done)"
    more = unfinished if scan.measured < scan.wanted else "scan larger amounts"
    raise ParameterError(
        f"The total must be from {low:g} % to {high:g} % of {weights:,} weights here (got "
        f"{total * 100:.10g} %): that is what limits and the scanned amounts allow.",
        remedy=f"Choose another total, change the limits, or {more}.",
    )


def _worst(scan: Scan, by: ScanMetric) -> float:
    """Return the damage to assume for cells in which the metric `by` was not finite.

    Ten times the largest damage of all cells, at most 1e290; 1.0 if no damage is positive.
    """
    damages = [
        by.damage(cell.metrics[by.name])
        for tensor in scan.tensors
        for cell in tensor.cells
        if by.name in cell.metrics
    ]
    largest = max([0.0, *damages])
    return min(10 * largest, _HUGE) or 1.0


def _curve(tensor: ScanTensor, by: ScanMetric, worst: float, low: float, high: float) -> Curve:
    """Return the damage of the metric `by` against pruned weights of a tensor, in whole units.

    `worst` replaces damages that are not finite; `low` and `high` bound the sparsity. The upper end
    is also limited by the largest scanned amount and by protected weights; neither end is below the
    weights pruned before. If the limits exclude each other, the lower end is reduced to the upper
    one. Cells that pruned nothing further are ignored; of cells with the same count the largest
    damage is used.
    """
    damages: dict[int, float] = {}
    for cell in tensor.cells:
        damage = by.damage(cell.metrics[by.name]) if by.name in cell.metrics else math.inf
        damage = min(damage, _HUGE) if damage < math.inf else worst
        if cell.pruned > tensor.pruned:
            damages[cell.pruned] = max(damage, damages.get(cell.pruned, 0.0))
    measured = sorted(damages)
    unit, before = tensor.unit, tensor.pruned
    most = max(measured, default=before)
    if unit == 1 and measured:  # an amount is a share, and counts are rounded down
        amount = max(cell.amount for cell in tensor.cells)
        above = before + math.ceil(amount * (tensor.weights - before) - _NEAR)
        most = max(most, above)
    most = min(most, tensor.weights - tensor.protected)
    # As in `Limits`: if there is no integer between both limits, the upper one is rounded.
    highest = max(before, min(most, math.floor(high * tensor.weights + _NEAR)))
    highest = before + (highest - before) // unit * unit
    lowest = before - (before - math.ceil(low * tensor.weights - _NEAR)) // unit * unit
    return Curve(
        before,
        min(max(lowest, before), highest),
        highest,
        np.array(measured, np.int64),
        np.array([damages[count] for count in measured], np.float64),
        unit,
    )


def _limits(names: Sequence[str], bounds: Sequence[Bound]) -> dict[str, tuple[float, float]]:
    """Return the minimum and maximum sparsity of each name; (0.0, 1.0) if no bound matches it.

    Raises `SelectionError` if the pattern of a bound matches no name, and `ParameterError` if a
    minimum is above its maximum.
    """
    limits = dict.fromkeys(names, (0.0, 1.0))
    for bound in bounds:
        for name in _match_names(names, (bound.pattern,)):
            low, high = limits[name]
            low = low if bound.low is None else bound.low
            high = high if bound.high is None else bound.high
            limits[name] = low, high
    for name, (low, high) in limits.items():
        if low > high:
            raise ParameterError(
                f"The minimum sparsity of '{name}', {percent(low)}, is above its maximum of "
                f"{percent(high)}.",
                remedy="Lower the minimum or raise the maximum sparsity.",
            )
    return limits


def _match_names(names: Sequence[str], patterns: Sequence[str]) -> set[str]:
    """Return the names that equal a pattern or match it as a case-sensitive glob.

    Raises `SelectionError` if any pattern matches no name. Empty for no patterns.
    """
    found: set[str] = set()
    for pattern in patterns:
        matches = re.compile(fnmatch.translate(pattern)).match
        matched = [name for name in names if name == pattern or matches(name)]
        if not matched:
            raise SelectionError(
                f"No tensor of the scan matches '{pattern}'.",
                remedy="Patterns are case-sensitive and match whole names; '*' matches all.",
            )
        found.update(matched)
    return found
