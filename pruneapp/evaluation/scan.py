"""Sensitivity scans: prune one tensor at a time to several amounts, and measure the model."""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pruneapp.checkpoint.io.digest import files_sha256
from pruneapp.document.selection import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step, dim_of
from pruneapp.errors import ParameterError, SelectionError, first_names, in_numeric_order
from pruneapp.evaluation.evaluator import Baseline, Evaluator, Result, state_sha256
from pruneapp.evaluation.metric import NoNumberError, band_of, direction_of, is_compared
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import data_of
from pruneapp.evaluation.scan_file import (
    FORMAT,
    VERSION,
    Scan,
    ScanCell,
    ScanConditions,
    ScanMetric,
    ScanTensor,
    find_differences,
    refuse_other_conditions,
)
from pruneapp.export.provenance import calibration_data
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.kernel import Kernel
from pruneapp.methods import registry
from pruneapp.methods.limits import Limits
from pruneapp.methods.method import Method
from pruneapp.params import STATISTICS, Amount, AmountParam
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.repair.repair import compute_repair, inputs_in
from pruneapp.statistics.file import statistics_of

AMOUNTS = (0.3, 0.5, 0.7, 0.85, 0.95)


# Colors hardly distinguish damages below this share of the largest.
_RESOLUTION = 0.01


@dataclass(frozen=True)
class TensorSensitivity:
    """A tensor, and the metric with only this tensor pruned to each amount."""

    name: str
    shown: str  # display name
    weights: int
    # None if not measured yet; NaN if the metric was not finite.
    values: tuple[float | None, ...]
    # Per amount: differences up to this are noise; empty or None to use the noise of the scan.
    noises: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class Sensitivity:
    """A scan, seen by one of its metrics."""

    metrics: tuple[str, ...]  # names of all metrics
    metric: str  # the selected metric
    higher: bool  # whether a higher value is better
    before: float  # value before pruning further
    noise: float  # differences up to this are noise
    amounts: tuple[float, ...]  # shares of the kept weights of a tensor
    rows: tuple[TensorSensitivity, ...]
    method: str  # display name of the pruning method
    share: bool = False  # whether the metric is a share of samples
    state: str = ""  # the scanned state of the history; empty if it was deleted
    is_current: bool = True  # whether that is the current state
    why_old: str = ""  # why the scan is outdated, as sentences; empty if it is not
    data: str = ""  # what measured it: a text or script, and the number of samples
    # Whether states were calibrated with the evaluation data, so that their values are too good.
    calibrated: bool = False

    @property
    def is_old(self) -> bool:
        """Whether it was measured with another script, Python or options, or earlier."""
        return bool(self.why_old)

    def damage(self, value: float) -> float:
        """Return how much worse a value is than before."""
        return self.before - value if self.higher else value - self.before

    def noise_at(self, row: TensorSensitivity, column: int) -> float:
        """Return the noise of a cell."""
        noise = row.noises[column] if row.noises else None
        return self.noise if noise is None else noise

    def mark(self, row: TensorSensitivity, column: int) -> str | None:
        """Return the mark of a cell that has no number to show; None for others.

        "≈" for a difference within the noise, "0" for none, "✕" for a value that is no finite
        number, "" for a cell that was not measured.
        """
        value = row.values[column]
        if value is None:
            return ""
        if not math.isfinite(value):
            return "✕"
        if abs(value - self.before) <= self.noise_at(row, column):
            return "≈" if value != self.before else "0"
        return None

    @cached_property
    def noises(self) -> NDArray[np.float64]:
        """Noise of each cell, ``float64[rows, amounts]``."""
        shape = len(self.rows), len(self.amounts)
        columns = range(len(self.amounts))
        return np.array(
            [[self.noise_at(row, c) for c in columns] for row in self.rows], np.float64
        ).reshape(shape)

    @property
    def wanted(self) -> int:
        """Number of cells."""
        return len(self.rows) * len(self.amounts)

    @cached_property
    def damages(self) -> NDArray[np.float64]:
        """Damages, ``float64[rows, amounts]``: NaN if not measured, inf if not finite.

        Negative where the metric is better than before.
        """
        values = [[math.nan if v is None else v for v in row.values] for row in self.rows]
        known = [[v is not None for v in row.values] for row in self.rows]
        shape = len(self.rows), len(self.amounts)
        found = np.array(values, np.float64).reshape(shape) - self.before
        found = -found if self.higher else found
        no_number = np.array(known, np.bool_).reshape(shape) & ~np.isfinite(found)
        return np.where(no_number, np.inf, found)

    @cached_property
    def measured(self) -> int:
        """Number of measured cells."""
        return int(np.count_nonzero(~np.isnan(self.damages)))

    @cached_property
    def is_flat(self) -> bool:
        """Whether no measured value differs from the one before by more than the noise."""
        changes = np.abs(self.damages)  # NaN if not measured
        return self.measured > 0 and not bool((changes > self.noises).any())

    @cached_property
    def most_sensitive(self) -> tuple[int, int] | None:
        """Row and column of the largest finite damage above the noise; None if there is none."""
        beyond = np.isfinite(self.damages) & (self.damages > np.maximum(self.noises, 0.0))
        if not beyond.any():
            return None
        finite = np.where(beyond, self.damages, -np.inf)
        row, column = np.unravel_index(int(finite.argmax()), finite.shape)
        return int(row), int(column)

    @cached_property
    def sensitivities(self) -> NDArray[np.float64]:
        """Mean damage above the noise of each row, ``float64[rows]``, for sorting.

        A non-finite metric counts as twice the largest damage; rows without measurements have -1.
        """
        damages = np.where(self.damages > np.maximum(self.noises, 0.0), self.damages, 0.0)
        damages = np.where(np.isposinf(damages), 2 * self.worst or 1.0, damages)
        known = ~np.isnan(self.damages)
        counts = known.sum(axis=1)
        sums = np.where(known, damages, 0.0).sum(axis=1)
        return np.where(counts > 0, sums / np.maximum(counts, 1), -1.0)

    @property
    def worst(self) -> float:
        """The largest finite damage above the noise; 0 if there is none."""
        return 0.0 if self.most_sensitive is None else float(self.damages[self.most_sensitive])

    @cached_property
    def levels(self) -> NDArray[np.float64]:
        """Damages scaled logarithmically to 0 to 1, ``float64[rows, amounts]``; 0 within the noise.

        NaN if not measured, 1 if the metric was not finite.
        """
        damages, worst = self.damages, self.worst
        least = max(self.noise, _RESOLUTION * worst) or 1.0
        finite = np.where(np.isfinite(damages), np.maximum(damages, 0.0), 0.0)
        levels = np.log1p(finite / least) / (math.log1p(worst / least) or 1.0)
        levels[finite <= self.noises] = 0.0
        levels[np.isinf(damages)] = 1.0
        levels[np.isnan(damages)] = np.nan
        return levels


def sensitivities_of(
    scan: Scan, metric: ScanMetric, shown: Callable[[str], str] = str
) -> tuple[TensorSensitivity, ...]:
    """Return the tensors of a scan with one of its metrics.

    A cell that was not measured is None, one without this metric NaN. `shown` returns the display
    name of a tensor.
    """
    rows = []
    for tensor in scan.tensors:
        cells = {cell.amount: cell.metrics.get(metric.name, math.nan) for cell in tensor.cells}
        noise = {cell.amount: cell.noise.get(metric.name) for cell in tensor.cells}
        values = tuple(cells.get(amount) for amount in scan.amounts)
        noises = tuple(noise.get(amount) for amount in scan.amounts)
        rows.append(
            TensorSensitivity(tensor.name, shown(tensor.name), tensor.weights, values, noises)
        )
    return tuple(rows)


@dataclass(frozen=True)
class ScanRequest:
    """The tensors, method and amounts of a scan.

    Raises
    ------
    ParameterError
        If the method has no amount of weights or channels, a parameter or amount is invalid, or the
        statistics for the repair are not open or have no Gram matrices.
    """

    names: tuple[str, ...]  # any names of the tensors
    method: str = "l1_unstructured"
    values: Mapping[str, Any] = field(default_factory=dict)  # its parameters without the amount
    amounts: tuple[float, ...] = AMOUNTS  # shares of the kept weights of a tensor
    exclude: tuple[str, ...] = ()  # like `Limits.exclude`
    # Name of open statistics (see `statistics_of`) for repairing each tensor before the
    # measurement; tensors without a Gram matrix are not repaired. Empty for no repair.
    repair: str = ""

    def __post_init__(self) -> None:
        """Sort the amounts, without repetition, and set the defaults of other parameters."""
        check_scanned(registry.get(self.method))
        amounts = tuple(sorted({float(amount) for amount in self.amounts}))
        wrong = [str(amount) for amount in self.amounts if not 0 < amount <= 1]
        if wrong or not amounts:
            raise _no_fractions(wrong)
        object.__setattr__(self, "amounts", amounts)
        valid = self.row(self.names, amounts[0]).values
        object.__setattr__(self, "values", {n: v for n, v in valid.items() if n != "amount"})
        if self.repair:
            inputs_in(statistics_of(self.repair))

    @property
    def recorded_values(self) -> dict[str, Any]:
        """The values of the method as recorded in `ScanConditions`."""
        entry = self.row(self.names, self.amounts[0]).to_dict()
        values: dict[str, Any] = entry["configuration"]["values"]
        return {name: value for name, value in values.items() if name != "amount"}

    def row(self, names: Sequence[str], amount: Amount) -> Row:
        """Return the rule that prunes tensors to an amount."""
        return Row(tuple(names), self.method, {**self.values, "amount": amount})

    def step(self, names: Sequence[str], amount: Amount, *, exclude: bool = False) -> Step:
        """Return the step of `row`; with `exclude` it excludes the tensors `self.exclude`."""
        limits = Limits(exclude=self.exclude if exclude else ())
        scope = registry.get(self.method).scopes[0]
        return Step((self.row(names, amount),), scope, limits)


def read_amounts(text: str) -> tuple[float, ...]:
    """Parse comma-separated fractions such as ``0.3, 50%``, above 0 and up to 1, in their order.

    Empty parts are ignored. Raises `ParameterError` for other text, counts, and no fraction.
    """
    param, amounts, wrong = AmountParam(name="amounts"), [], []
    for word in filter(None, (" ".join(part.split()) for part in text.split(","))):
        amount: Amount | None = None
        with contextlib.suppress(ParameterError):
            amount = param.parse(word)
        # Counts are not accepted: a count is a different share of each tensor.
        if isinstance(amount, float) and amount:
            amounts.append(amount)
        else:
            wrong.append(word)
    if wrong or not amounts:
        raise _no_fractions(wrong)
    return tuple(amounts)


def _no_fractions(wrong: Sequence[str]) -> ParameterError:
    """Return the error that these amounts are no fractions; that there are none if it is empty."""
    got = first_names(wrong) if wrong else "''"
    return ParameterError(
        "'amounts' must be fractions of each tensor, such as 0.5 or 50%: above 0, up to 100% "
        f"(got {got}).",
        remedy="Separate several by commas: 30%, 50%, 70%.",
    )


def check_scanned(method: Method) -> None:
    """Raise `ParameterError` if a method has no amount that could be scanned."""
    if not method.has_amount:
        raise ParameterError(
            f"'{method.name}' cannot be scanned: it has no amount of weights or channels.",
            remedy="Choose a method such as l1_unstructured or ln_structured.",
        )


def scan_tensors(
    evaluator: Evaluator,
    snapshot: Snapshot,
    request: ScanRequest,
    job: Job,
    *,
    known: Scan | None = None,
    where: str = "scan",
    kernel: Kernel | None = None,
    calibration: Iterable[str] = (),
) -> Iterator[Scan]:
    """Measure a state with each tensor pruned to each amount; yield the scan after each.

    The first scan yielded has the cells of `known` and the metrics before pruning. The order is
    coarse to fine, so that an interrupted scan is useful: first the middle amount for all tensors,
    then those halfway; for each amount the largest tensors first. If all cells are known, nothing
    is measured and one scan is yielded. A metric that is not finite is missing in its cell.

    Parameters
    ----------
    known
        An earlier scan to continue; `where` is its name in messages. New amounts and tensors are
        added to it.
    kernel
        Computes the masks; None for that of the CPU.
    calibration
        Names of the data that the state was calibrated with, see `calibration_data`.

    Raises
    ------
    EvaluationError
        As `Evaluator.measure`; or if the earlier scan has other conditions or another value of the
        unpruned model; or if the direction of a metric is unknown.
    ParameterError, SelectionError
        If the method does not suit a tensor, or no tensor is left.
    """
    names = _names(snapshot, request)
    conditions = _conditions(evaluator, snapshot, request, job)
    tensors: tuple[ScanTensor, ...] = ()
    amounts = {*request.amounts}
    statistics = str(request.values.get(STATISTICS.name, "")), request.repair
    data = {*calibration, *calibration_data((), statistics)}
    if known is not None:
        data.update(known.calibration)
        refuse_other_conditions(known, conditions, where)
        tensors = with_protection(known, snapshot).tensors
        amounts = amounts.union(known.amounts)
    there = {tensor.name for tensor in tensors}
    tensors += tuple(_tensor(snapshot, request, name) for name in names if name not in there)
    tensors = tuple(in_numeric_order(tensors, attrgetter("name")))
    todo = find_missing(tensors, request.amounts, names)
    if known is not None and not todo:
        yield replace(
            known, amounts=tuple(sorted(amounts)), tensors=tensors, calibration=tuple(sorted(data))
        )
        return
    parts = job.parts(1 + len(todo))
    metrics, before = measure_before(evaluator, snapshot, next(parts))
    seconds = before.baseline.first.measured.seconds
    if known is not None:
        _refuse_other_values(known, metrics, where)
        metrics = known.metrics
    scanned = Scan(
        FORMAT,
        VERSION,
        conditions,
        tuple(sorted(amounts)),
        tensors,
        metrics,
        seconds,
        tuple(sorted(data)),
    )
    yield scanned
    kernel = kernel or CpuKernel()
    places = {tensor.name: number for number, tensor in enumerate(tensors)}
    for (name, amount), part in zip(todo, parts, strict=True):
        cell = _cell(evaluator, snapshot, request, name, amount, kernel, before, part)
        changed = list(scanned.tensors)
        changed[places[name]] = changed[places[name]].with_cell(cell)
        scanned = replace(scanned, tensors=tuple(changed))
        yield scanned


def can_continue(
    known: Scan, evaluator: Evaluator, snapshot: Snapshot, request: ScanRequest, job: Job
) -> bool:
    """Return whether `scan_tensors` could continue the earlier scan `known`.

    If its conditions are equal, the unpruned model and the state are measured to compare the
    metrics. Raises `EvaluationError` if the script fails.
    """
    if find_differences(known, _conditions(evaluator, snapshot, request, job)):
        return False
    metrics, _ = measure_before(evaluator, snapshot, job)
    try:
        _refuse_other_values(known, metrics, "scan")
    except EvaluationError:
        return False
    return True


def coarse_to_fine(amounts: Sequence[float]) -> list[float]:
    """Return amounts in order of information: the middle, then the middles of the halves.

    Of an even number the upper middle; of the halves the upper one first. Empty for no amounts.
    """
    ordered, waiting = [], [sorted(amounts)]
    for some in waiting:
        if some:
            middle = len(some) // 2
            ordered.append(some[middle])
            waiting += [some[middle + 1 :], some[:middle]]
    return ordered


def find_missing(
    tensors: Iterable[ScanTensor], amounts: Sequence[float], names: Iterable[str]
) -> list[tuple[str, float]]:
    """Return the (tensor, amount) pairs of `names` that are not measured yet, in scan order.

    That is by amount as in `coarse_to_fine`, then by number of weights, largest first.
    """
    wanted = {*names}
    largest = sorted((t for t in tensors if t.name in wanted), key=lambda tensor: -tensor.weights)
    done = {t.name: {cell.amount for cell in t.cells} for t in largest}
    return [
        (tensor.name, amount)
        for amount in coarse_to_fine(amounts)
        for tensor in largest
        if amount not in done[tensor.name]
    ]


def _names(snapshot: Snapshot, request: ScanRequest) -> list[str]:
    """Return the selected tensors that have weights to prune, in file order.

    Raises `SelectionError` if there is none, and what `rows_of` raises.
    """
    step = request.step(request.names, request.amounts[0], exclude=True)
    rows = rows_of(snapshot.checkpoint, step)
    names = []
    for name in (name for _, some in rows for name in some):
        eligible = snapshot.free_mask(name)
        if snapshot.entry(name).numel and (eligible is None or eligible.kept):
            names.append(name)
    if not names:
        raise SelectionError(
            "Nothing is left to prune in the selected tensors.", remedy="Select other tensors."
        )
    return names


def with_protection(scan: Scan, snapshot: Snapshot) -> Scan:
    """Return a scan with the protected weights of a state instead of those recorded in it."""
    tensors = (replace(t, protected=_protected(snapshot, t.name)) for t in scan.tensors)
    return replace(scan, tensors=tuple(tensors))


def _protected(snapshot: Snapshot, name: str) -> int:
    protected = snapshot.protected.get(name)
    return 0 if protected is None else protected.kept


def _tensor(snapshot: Snapshot, request: ScanRequest, name: str) -> ScanTensor:
    """Return a tensor of the scan without cells, with its pruned and protected weights now.

    Raises `ParameterError` if the method does not suit its shape.
    """
    entry = snapshot.entry(name)
    along = dim_of(request.row([name], request.amounts[0]), entry.shape, name)
    return ScanTensor(
        name,
        entry.numel,
        snapshot.masks.pruned(name),
        _protected(snapshot, name),
        1 if along < 0 else entry.numel // entry.shape[along],
    )


def _cell(  # noqa: PLR0917 - each its own type
    evaluator: Evaluator,
    snapshot: Snapshot,
    request: ScanRequest,
    name: str,
    amount: float,
    kernel: Kernel,
    before: _References,
    job: Job,
) -> ScanCell:
    """Prune a share of one tensor, repair it if requested, and measure the difference.

    The share is of the weights not pruned yet; at most the unprotected ones are pruned. Metrics
    that are not finite are left out of the cell. `before` has the values to compare with.
    """
    eligible, kept = snapshot.free_mask(name), snapshot.mask(name)
    left = snapshot.entry(name).numel if kept is None else kept.kept
    if eligible is not None and registry.get(request.method).granularity == "weights":
        # Limited by protected weights.
        step = request.step([name], min(round(amount * left), eligible.kept))
    else:
        step = request.step([name], amount)
    preview = compute_preview(snapshot, step, kernel, Job(cancel=job.cancel), norms=False)
    mask = preview.masks[name]
    state = snapshot.with_masks({"masks": {name: mask}})
    if request.repair:
        state = repair_state(state, request.repair, job, names=[name])
    try:
        result = evaluator.measure(state, job)
        measured, noise = result.metrics, before.noise_of(result)
    except NoNumberError as error:
        measured, noise = error.metrics, {}
    evaluator.refuse_other_metrics(measured)
    finite = {
        key: metric.value
        for key, metric in measured.items()
        if is_compared(key, evaluator.runner.directions) and math.isfinite(metric.value)
    }
    return ScanCell(amount, mask.pruned, finite, {n: noise[n] for n in finite if n in noise})


def repair_state(
    state: Snapshot, statistics: str, job: Job, *, names: Sequence[str] | None = None
) -> Snapshot:
    """Return a state with tensors (None: all) repaired; unchanged if none can be repaired.

    `statistics` is the name of an open statistics file. Raises what `statistics_of` and
    `compute_repair` raise, except `SelectionError`, which means that there is nothing to repair.
    """
    known = inputs_in(statistics_of(statistics))
    with contextlib.suppress(SelectionError):  # no Gram matrix, or nothing to repair
        repair = compute_repair(state, known, Job(cancel=job.cancel), names=names)
        return repair.edit.apply_to(state)
    return state


@dataclass(frozen=True)
class _References:
    """The measurements that cells are compared with: the unpruned model and the state."""

    baseline: Baseline
    result: Result

    def noise_of(self, result: Result) -> dict[str, float]:
        """Return, by metric, half the noise interval of a difference from the scanned state.

        Only where it is finite and known for the state itself: metrics whose noise is the spread of
        the unpruned model are left out, as `ScanMetric.noise` has it.
        """
        found = {}
        for name, metric in result.metrics.items():
            spread, was = self.baseline.spreads.get(name), self.result.metrics.get(name)
            if spread is None or was is None:
                continue
            of_unpruned = result.bands if self.result is self.baseline.first else {}
            half = (of_unpruned.get(name) or band_of(metric, was, spread)).half
            if half != spread.largest and math.isfinite(half):
                found[name] = half
        return found


def _conditions(
    evaluator: Evaluator, snapshot: Snapshot, request: ScanRequest, job: Job
) -> ScanConditions:
    """Return the conditions under which the evaluator would scan; hashes files once."""
    runner, checkpoint = evaluator.runner, snapshot.checkpoint
    return ScanConditions(
        checkpoint=checkpoint.path.name,
        checkpoint_sha256=files_sha256(checkpoint.files, job),
        script=runner.name,
        script_sha256=runner.sha256,
        interpreter_sha256=hashlib.sha256(os.fsencode(runner.interpreter)).hexdigest(),
        method=request.method,
        values=request.recorded_values,
        seed=evaluator.seed,
        limit=runner.options.limit,
        device=runner.options.device,
        state_sha256=changes_sha256(snapshot, job),
        repair=request.repair,
        data=data_of(runner),
    )


def changes_sha256(snapshot: Snapshot, job: Job | None = None) -> str:
    """Return a digest of what was pruned and replaced before the scan.

    "" if nothing. May cancel.
    """
    touched = snapshot.masks or snapshot.permanent or snapshot.values
    return state_sha256(snapshot, job) if touched else ""


def measure_before(
    evaluator: Evaluator, snapshot: Snapshot, job: Job
) -> tuple[tuple[ScanMetric, ...], _References]:
    """Measure the unpruned model, unless that is known, and the scanned state.

    Return the metrics of the state that can be better or worse, and both measurements. Raises
    `EvaluationError` if there is none, the direction of one is unknown, or the two have different
    metrics.
    """
    parts = job.parts(2)
    baseline = evaluator.baseline or evaluator.measure_baseline(snapshot, next(parts))
    runner = evaluator.runner
    directions, name = runner.directions, runner.name
    judged = [key for key in baseline.first.metrics if is_compared(key, directions)]
    if not judged:
        raise EvaluationError(
            f"'{name}' returned no metric that can be better or worse.",
            remedy="Return a number such as a loss or an accuracy.",
        )
    higher = {key: direction_of(key, runner) for key in judged}
    result = evaluator.measure(snapshot, next(parts), samples=True)
    evaluator.refuse_other_metrics(result.metrics)
    metrics = tuple(
        ScanMetric(key, higher[key], result.metrics[key].value, baseline.spreads[key].largest)
        for key in judged
    )
    return metrics, _References(baseline, result)


def _refuse_other_values(known: Scan, metrics: Sequence[ScanMetric], where: str) -> None:
    """Raise `EvaluationError` if the values before pruning differ from those in the scan `known`.

    Differences up to the larger noise, or a millionth, are accepted. `where` is the name of the
    scan.
    """
    before = {metric.name: metric for metric in known.metrics}
    for metric in metrics:
        was = before.get(metric.name)
        if was is None or len(before) != len(metrics):
            raise EvaluationError(
                f"'{where}' has other metrics than the script returns now.",
                remedy="Choose another name for this scan, or delete that file.",
            )
        room = max(was.noise, metric.noise, 1e-6 * abs(was.before))
        if abs(metric.before - was.before) > room:
            raise EvaluationError(
                f"'{where}' has {was.before:.6g} as '{metric.name}' of the unpruned model, and "
                f"now it is {metric.before:.6g}: the data or the packages have changed.",
                remedy="Choose another name for this scan, or delete that file.",
            )
