"""``pruneapp scan``, ``allocate`` and ``frontier``: how far a model can be pruned."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.io.digest import files_sha256
from pruneapp.cli.evaluate import CALIBRATED, print_details, runner_of
from pruneapp.cli.files import check_output_path, open_model, refuse_input
from pruneapp.cli.prune import (
    method_values,
    register_methods,
    register_statistics_files,
    select_with_statistics,
    usual_selection,
)
from pruneapp.cli.terminal import Output, attributes, percent, printable_name, real, table
from pruneapp.document.selection import select
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError, counted, escape_text, first_names
from pruneapp.evaluation.allocation import (
    SHARED_DATA_ADVICE,
    Allocation,
    Bound,
    DataUse,
    SharedData,
    compare_data,
)
from pruneapp.evaluation.allocation import allocate as allocate_scan
from pruneapp.evaluation.classifier import ImageFolder
from pruneapp.evaluation.evaluator import Change, Evaluator
from pruneapp.evaluation.frontier import SUFFIX as FRONTIER_SUFFIX
from pruneapp.evaluation.frontier import (
    Frontier,
    FrontierRequest,
    measure_frontier,
    read_frontier,
    write_frontier,
)
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.recovery import RecoverySettings
from pruneapp.evaluation.runner import Conditions, Samples, conditions_of, data_of
from pruneapp.evaluation.scan import (
    ScanRequest,
    check_scanned,
    find_missing,
    read_amounts,
    repair_state,
    scan_tensors,
)
from pruneapp.evaluation.scan_file import SUFFIX, Scan, ScanConditions, read_scan, write_scan
from pruneapp.export.provenance import calibration_of
from pruneapp.kernels.devices import kernel_for
from pruneapp.methods import limits as limits_of
from pruneapp.methods import registry
from pruneapp.methods.limits import Limits
from pruneapp.params import STATISTICS, AmountParam
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.recipes.recipe import save
from pruneapp.statistics.file import register, statistics_of

_LIMITS = {param.name: param for param in limits_of.LIMITS}
# Changes of metrics by an allocation, and by a single rule for all tensors.
Measured = tuple[Sequence[Change], Sequence[Change]]
# Interval in seconds at which an unfinished scan is saved.
KEEP = 10.0


def scan(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Measure what the scan file lacks, and write it.

    An existing file is continued. It is written every 10 seconds, and at the end, also after an
    error or interruption, if anything was measured.
    """
    register_methods(options.load_method)
    method = registry.get(options.method)
    check_scanned(method)
    values = method_values(options, method, amount=False)
    exclude = _LIMITS["exclude"].parse(options.limit_exclude or "")
    amounts = read_amounts(options.amounts)
    notices: list[str] = []
    runner = runner_of(options, notices, original=True)
    evaluator = stack.enter_context(Evaluator(runner))
    state = open_model(options.file, options.state_dict, job, stack).snapshot()
    _refuse_masks(state)
    checkpoint = state.checkpoint
    read = (options.script, options.text, options.images, options.repair)
    path = check_output_path(options.output, read, checkpoint, "scan", f"model{SUFFIX}")
    known = read_scan(path) if path.exists() else None
    if options.select:
        names = select(checkpoint, options.select)
    else:
        names = usual_selection(checkpoint)
        if method.takes_statistics:
            names = select_with_statistics(checkpoint, method, values, names)
    repair = ""
    if options.repair:
        repair = register(Path(options.repair), job, forced=options.force_statistics)
    for name in filter(None, (repair, values.get(STATISTICS.name))):
        statistics_of(name).refuse_other(checkpoint, job)
    request = ScanRequest(names, method.name, values, amounts, exclude, repair)
    latest, written, wrote = known, known, time.monotonic()
    try:
        with print_details():
            for latest in scan_tensors(
                evaluator,
                state,
                request,
                job,
                known=known,
                where=path.name,
                kernel=kernel_for("auto"),
                calibration=calibration_of(checkpoint),
            ):
                if written is known and latest.measured == (known.measured if known else 0):
                    _print_remaining_time(latest, request)
                if time.monotonic() - wrote > KEEP:
                    write_scan(latest, path)
                    written, wrote = latest, time.monotonic()
    finally:
        if latest is not None and latest is not written:
            write_scan(latest, path)
        if latest is not None and latest is not known and sys.exception() is not None:
            sys.stderr.write(
                f"{latest.measured:,} of {latest.wanted:,} evaluations are in "
                f"'{escape_text(path.name)}'; the same command continues.\n"
            )
    assert latest is not None
    done = latest
    if done.calibrated:
        notices.append(CALIBRATED)
    return Output(_lines(done), lambda: _data(done, options.output), notices)


def _refuse_masks(state: Snapshot) -> None:
    if state.masks:
        raise ParameterError(
            f"'{state.checkpoint.path}' contains masks, and a scan begins with nothing pruned.",
            remedy="Scan the original, or make the masks permanent by an export as safetensors.",
        )


def _print_remaining_time(scan: Scan, request: ScanRequest) -> None:
    """Print the number and time of the remaining evaluations to standard error, if any remain."""
    names = {tensor.name for tensor in scan.tensors}.intersection(request.names)
    left = len(find_missing(scan.tensors, request.amounts, names))
    if left and scan.seconds:
        sys.stderr.write(
            f"{counted(len(names), 'tensor')} x {counted(len(request.amounts), 'amount')}: "
            f"{counted(left, 'evaluation')} left of {_duration(scan.seconds)} each, about "
            f"{_duration(left * scan.seconds)}\n"
        )


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _lines(scan: Scan) -> Iterator[str]:
    """Yield a table of the default metric by tensor and amount: "-" if not measured yet.

    "no number" if the metric was not finite.
    """
    metric = scan.metric()
    rows = []
    for tensor in scan.tensors:
        cells = {cell.amount: cell.metrics.get(metric.name) for cell in tensor.cells}
        found = [
            "no number"
            if (value := cells.get(a, math.nan)) is None
            else "-"
            if math.isnan(value)
            else real(value)
            for a in scan.amounts
        ]
        rows.append((printable_name(tensor.name), f"{tensor.weights:,}", *found))
    yield from table(("tensor", "weights", *map(limits_of.percent, scan.amounts)), rows)
    noise = f"noise {real(metric.noise)}" if metric.noise else "repeatable"
    yield (
        f"{metric.name}, {'higher' if metric.higher else 'lower'} is better; "
        f"{real(metric.before)} before, {noise}"
    )


def _data(scan: Scan, output: str) -> Mapping[str, Any]:
    """Return the number of measured cells and the metrics before pruning as JSON data."""
    return {
        "output": output,
        **attributes(scan, "measured wanted calibrated"),
        "metrics": {
            m.name: {"before": m.before, "noise": m.noise or None, "higher": m.higher}
            for m in scan.metrics
        },
    }


def allocate(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Convert a scan to a recipe, and measure the result if a checkpoint is given.

    The recipe is written if --output is given, after the measurement. Raises what
    `evaluation.allocation.allocate` and `_measure` raise, and `ParameterError`.
    """
    total = _LIMITS["target_sparsity"].parse(options.target_sparsity)
    if options.file is None and any(
        (options.script, options.command_line, options.text, options.images)
    ):
        raise ParameterError(
            "To measure the result, the scanned checkpoint is needed.",
            remedy="Name it behind the scan: pruneapp allocate SCAN FILE --script SCRIPT …",
        )
    if options.output:
        inputs = filter(None, (options.scan, options.file, options.script))
        refuse_input(Path(options.output), "--output", map(Path, inputs))
    known = read_scan(Path(options.scan))
    register_methods(options.load_method)
    allocation = allocate_scan(
        known,
        total,
        metric=options.metric,
        bounds=[
            *(_bound(text, "min_sparsity") for text in options.min_sparsity),
            *(_bound(text, "max_sparsity") for text in options.max_sparsity),
        ],
        patterns=options.select,
    )
    recipe = allocation.recipe()
    notices: list[str] = []
    measured = None
    if options.file is not None:
        measured = _measure(stack, options, allocation, notices, job)
    if options.output is not None:
        save(recipe, Path(options.output), job)
    if known.conditions.repair:
        notices.append(
            "The scan repaired each tensor before the model was measured: repair the result of the "
            "recipe as well, by pruneapp repair with the same statistics."
        )
    if allocation.unmeasured:
        names = first_names(allocation.unmeasured, 5, str)
        notices.append(
            f"{counted(len(allocation.unmeasured), 'tensor is', 'tensors are')} not measured yet "
            f"and left as is: {names}"
        )
    if known.calibrated:
        notices.append(f"Of the scan: {CALIBRATED}")
    return Output(
        _allocation_lines(allocation, measured),
        lambda: _allocation_data(allocation, measured, options.output),
        notices,
    )


def _bound(text: str, limit: str) -> Bound:
    """Parse ``90%`` or ``PATTERN=90%``."""
    pattern, _, share = text.rpartition("=")
    value = _LIMITS[limit].parse(share)
    low, high = (value, None) if limit == "min_sparsity" else (None, value)
    return Bound(pattern or "*", low, high)


def _measure(
    stack: ExitStack,
    options: argparse.Namespace,
    allocation: Allocation,
    notices: list[str],
    job: Job,
) -> Measured:
    """Return the changes of metrics by the allocation, and by a single rule with the same total.

    The unpruned model is measured first. Appends a notice about the data of both.
    Raises `EvaluationError` if the checkpoint is not the scanned one, or a measurement fails.
    """
    conditions = allocation.scan.conditions
    register_statistics_files(options, job)
    if conditions.repair:
        statistics_of(conditions.repair)  # fail before anything runs
    runner = runner_of(options, notices, original=True)
    evaluator = stack.enter_context(Evaluator(runner))
    state = open_model(options.file, options.state_dict, job, stack).snapshot()
    if files_sha256(state.checkpoint.files, job) != conditions.checkpoint_sha256:
        raise EvaluationError(
            f"'{state.checkpoint.path}' is not the checkpoint that was scanned "
            f"('{conditions.checkpoint}'): its bytes differ.",
            remedy="Name that one, or scan this one.",
        )
    parts = job.parts(3)
    with print_details():
        baseline = evaluator.measure_baseline(state, next(parts))
        found = []
        for step, part in zip((allocation.step(), allocation.uniform()), parts, strict=False):
            after = _apply_step(state, step, conditions.repair, part)
            found.append(evaluator.changes(evaluator.measure(after, part)))
    before = {name: metric.value for name, metric in baseline.first.metrics.items()}
    evaluated = replace(conditions_of(runner), samples=baseline.first.measured.samples)
    shared, notice = _compare_data(conditions, evaluated, data_of(runner))
    if shared is SharedData.UNKNOWN and all(
        before.get(metric.name) == metric.before for metric in allocation.scan.metrics
    ):
        notice = (
            "The unpruned model has exactly the values that it had in the scan: the result seems "
            "to be measured on the data that it was chosen by."
        )
    notices.append(notice)
    return found[0], found[1]


def _compare_data(scan: ScanConditions, evaluated: Conditions, data: str) -> tuple[SharedData, str]:
    """Return what is known about shared data of a scan and an evaluation, also as sentences.

    `data` is the `data_of` the evaluation.
    """
    samples = evaluated.samples
    # A scan file has no numbers of samples. They follow from its limit if the data are the same.
    scanned = replace(
        evaluated,
        limit=scan.limit,
        name=scan.script,
        samples=None if samples is None else _limited(samples, scan.limit, data),
    )
    shared = compare_data(
        DataUse(scan.data, scan.seed, scanned.limit, scanned.samples),
        DataUse(data, evaluated.seed, evaluated.limit, samples),
    )
    if shared is SharedData.DIFFERENT:
        return shared, "The scan and the evaluation use different data."
    text = shared.value.format(scanned=_data_text(scanned), evaluated=_data_text(evaluated))
    return shared, f"{text} {SHARED_DATA_ADVICE}" if shared.is_shared else text


def _limited(samples: Samples, limit: int | None, data: str) -> Samples:
    """Return the samples that are used of the same data with another limit."""
    if samples.unit == "images":
        folder = ImageFolder(samples.total, 0)
        used = folder.count_measured(labelled=data.startswith("test images:"), limit=limit)
    else:
        used = samples.total if limit is None else min(limit, samples.total)
    return replace(samples, used=used)


def _data_text(conditions: Conditions) -> str:
    """Return the data of an evaluation and their number: ``a.txt, 100 of 504 sentences``."""
    used = "" if conditions.limit is None else f"at most {conditions.limit:,} samples"
    if samples := conditions.samples:
        used = f"{samples.used:,} of {samples.total:,} {samples.noun}"
    return ", ".join(filter(None, (escape_text(conditions.data or conditions.name), used)))


def _apply_step(state: Snapshot, step: Step, repair: str, job: Job) -> Snapshot:
    preview = compute_preview(state, step, kernel_for("auto"), Job(cancel=job.cancel), norms=False)
    after = preview.edit.apply_to(state)
    return repair_state(after, repair, job) if repair else after


def _allocation_lines(allocation: Allocation, measured: Measured | None) -> Iterator[str]:
    """Yield tables of the allocation and, if it was measured, of its metrics."""
    rows = [
        (
            printable_name(share.tensor.name),
            f"{share.tensor.weights:,}",
            f"{share.pruned:,}",
            percent(share.pruned, share.tensor.weights),
            real(share.damage),
        )
        for share in allocation.shares
    ]
    yield from table(("tensor", "weights", "pruned", "sparsity", "quality loss"), rows)
    metric = allocation.metric
    yield (
        f"Pruned: {allocation.pruned:,} of {allocation.weights:,} "
        f"({percent(allocation.pruned, allocation.weights)})"
    )
    yield (
        f"{metric.name}: {real(metric.before)} now, predicted {real(allocation.predicted)} or "
        "worse. The prediction adds up the changes of tensors pruned one at a time; pruned "
        "together, they usually lose more."
    )
    if measured is None:
        return
    yield ""
    worse = allocation.predicted - metric.before  # the predicted change, whichever data is measured
    measures = [
        (
            ours.name,
            real(ours.original.value),
            real(ours.original.value + worse) if ours.name == metric.name else "-",
            real(ours.metric.value),
            real(uniform.metric.value),
            real(ours.band.half) if ours.band.half else "-",
        )
        for ours, uniform in zip(*measured, strict=True)
    ]
    head = ("metric", "unpruned", "predicted", "allocated", "one rule", "noise")
    yield from table(head, measures)


def _allocation_data(
    allocation: Allocation, measured: Measured | None, output: str | None
) -> Mapping[str, Any]:
    """Return an allocation as JSON data.

    `measured` has the changes of the metrics by the allocation, and by one rule for all tensors. If
    it is None, the keys of measurements are missing. `output` is the path of the recipe; None if it
    was not written.
    """
    more: dict[str, Any] = {}
    if measured is not None:
        ours, uniform = measured
        more = {
            "unpruned": {change.name: change.original.value for change in ours},
            "measured": {change.name: change.metric.value for change in ours},
            "one_rule": {change.name: change.metric.value for change in uniform},
            "noise": {change.name: change.band.half or None for change in ours},
        }
    return {
        "output": output,
        "metric": allocation.metric.name,
        "before": allocation.metric.before,
        **attributes(allocation, "predicted pruned weights"),
        "tensors": [
            attributes(share.tensor, "name weights") | attributes(share, "pruned damage")
            for share in allocation.shares
        ],
        "not_measured": allocation.unmeasured,
        **more,
    }


def frontier(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Measure what the frontier file lacks, and write it after each measurement."""
    register_methods(options.load_method)
    method = registry.get(options.method)
    check_scanned(method)
    values = method_values(options, method, amount=False)
    notices: list[str] = []
    runner = runner_of(options, notices, original=True)
    evaluator = stack.enter_context(Evaluator(runner))
    state = open_model(options.file, options.state_dict, job, stack).snapshot()
    checkpoint = state.checkpoint
    read = (options.script, options.text, options.images)
    path = check_output_path(
        options.output, read, checkpoint, "frontier", f"model{FRONTIER_SUFFIX}"
    )
    known = read_frontier(path) if path.exists() else None
    if options.select:
        names = select(checkpoint, options.select)
    else:
        names = usual_selection(checkpoint)
        if method.takes_statistics:
            names = select_with_statistics(checkpoint, method, values, names)
    if name := values.get(STATISTICS.name):
        statistics_of(name).refuse_other(checkpoint, job)
    limits = Limits(exclude=_LIMITS["exclude"].parse(options.limit_exclude or ""))
    request = FrontierRequest(
        Step((Row(names, method.name, values),), options.scope or method.scopes[0], limits),
        _points(options.points),
        "" if options.recover_by == "no" else options.recover_by,
        RecoverySettings(steps=options.steps, seed=options.script_seed),
    )
    latest = known
    try:
        with print_details():
            for latest in measure_frontier(
                evaluator,
                state,
                request,
                job,
                kernel=kernel_for("auto"),
                known=known,
                where=path.name,
            ):
                write_frontier(latest, path)
    finally:
        if latest is not None and latest is not known and sys.exception() is not None:
            sys.stderr.write(
                f"{latest.n_measured:,} of {len(latest.sparsities):,} points are in "
                f"'{escape_text(path.name)}'; the same command continues.\n"
            )
    assert latest is not None
    done = latest
    metric = done.metric(options.metric or "")
    return Output(
        _frontier_lines(done, metric.name), lambda: _frontier_data(done, options.output), notices
    )


def _points(text: str) -> tuple[float, ...]:
    """Parse fractions with commas between them; raises `ParameterError`."""
    param = AmountParam(name="points")
    points = [param.parse(word) for word in text.split(",") if word.strip()]
    if any(isinstance(point, int) for point in points):
        raise ParameterError(
            f"'points' must be fractions such as 0.5 or 50% (got '{text}').",
            remedy="Separate several by commas: 50%,70%,90%.",
        )
    return tuple(map(float, points))


def _frontier_lines(frontier: Frontier, name: str) -> Iterator[str]:
    """Yield a table of the points, and what the knee is."""
    metric, recovers = frontier.metric(name), bool(frontier.conditions.recover)
    knee = frontier.knee(name)
    start = (limits_of.percent(frontier.pruned / frontier.weights), real(metric.before))
    rows: list[tuple[str, ...]] = [(*start, "-", "") if recovers else (*start, "")]
    for point in frontier.points:
        share = point.pruned / frontier.weights
        cells = [limits_of.percent(point.sparsity), _value(point.metrics, name)]
        if recovers:
            cells.append("-" if point.recovered is None else _value(point.recovered, name))
        rows.append((*cells, "knee" if share == knee else ""))
    head = ("sparsity", metric.name, *(("recovered",) if recovers else ()), "")
    yield from table(head, rows)
    noise = f"noise {real(metric.noise)}" if metric.noise else "repeatable"
    yield f"{metric.name}: {'higher' if metric.higher else 'lower'} is better; {noise}"


def _value(values: Mapping[str, float], name: str) -> str:
    return real(values[name]) if name in values else "no number"


def _frontier_data(frontier: Frontier, output: str) -> Mapping[str, Any]:
    """Return the points and knees as JSON data."""
    return {
        "output": output,
        "complete": frontier.is_complete,
        "before": {metric.name: metric.before for metric in frontier.metrics},
        "knee": {metric.name: frontier.knee(metric.name) for metric in frontier.metrics},
        "points": [
            {
                "sparsity": point.sparsity,
                "pruned": point.pruned,
                "metrics": point.metrics,
                "recovered": point.recovered,
            }
            for point in frontier.points
        ],
    }
