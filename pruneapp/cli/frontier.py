"""``pruneapp frontier``: sparsity against metric, with and without recovery."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from pruneapp.cli.evaluate import print_details, runner_of
from pruneapp.cli.files import check_output_path, open_model
from pruneapp.cli.prune import (
    method_values,
    register_methods,
    select_with_statistics,
    usual_selection,
)
from pruneapp.cli.terminal import Output, real, table
from pruneapp.document.selection import select
from pruneapp.document.step import Row
from pruneapp.errors import ParameterError, escape_text
from pruneapp.evaluation.evaluator import Evaluator
from pruneapp.evaluation.frontier import (
    SUFFIX,
    Frontier,
    FrontierRequest,
    measure_frontier,
    read_frontier,
    write_frontier,
)
from pruneapp.evaluation.recovery import RecoverySettings
from pruneapp.evaluation.scan import check_scanned
from pruneapp.kernels.devices import kernel_for
from pruneapp.methods import limits as limits_of
from pruneapp.methods import registry
from pruneapp.methods.limits import percent
from pruneapp.params import STATISTICS, AmountParam
from pruneapp.progress import Job
from pruneapp.statistics.file import statistics_of

_LIMITS = {param.name: param for param in limits_of.LIMITS}


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
    path = check_output_path(options.output, read, checkpoint, "frontier", f"model{SUFFIX}")
    known = read_frontier(path) if path.exists() else None
    if options.select:
        names = select(checkpoint, options.select)
    else:
        names = usual_selection(checkpoint)
        if method.takes_statistics:
            names = select_with_statistics(checkpoint, method, values, names)
    if name := values.get(STATISTICS.name):
        statistics_of(name).refuse_other(checkpoint, job)
    request = FrontierRequest(
        Row(names, method.name, values),
        options.scope or method.scopes[0],
        _LIMITS["exclude"].parse(options.limit_exclude or ""),
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
        if latest is not None and sys.exception() is not None:
            sys.stderr.write(
                f"{latest.n_measured:,} of {len(latest.sparsities):,} points are in "
                f"'{escape_text(path.name)}'; the same command continues.\n"
            )
    assert latest is not None
    done = latest
    metric = done.metric(options.metric or "")
    return Output(_lines(done, metric.name), lambda: _data(done, options.output), notices)


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


def _lines(frontier: Frontier, name: str) -> Iterator[str]:
    """Yield a table of the points, and what the knee is."""
    metric, recovers = frontier.metric(name), bool(frontier.conditions.recover)
    knee = frontier.knee(name)
    start = (percent(frontier.pruned / frontier.weights), real(metric.before))
    rows: list[tuple[str, ...]] = [(*start, "-", "") if recovers else (*start, "")]
    for point in frontier.points:
        share = point.pruned / frontier.weights
        cells = [percent(point.sparsity), _value(point.metrics, name)]
        if recovers:
            cells.append("-" if point.recovered is None else _value(point.recovered, name))
        rows.append((*cells, "knee" if share == knee else ""))
    head = ("sparsity", metric.name, *(("recovered",) if recovers else ()), "")
    yield from table(head, rows)
    noise = f"noise {real(metric.noise)}" if metric.noise else "repeatable"
    yield f"{metric.name}: {'higher' if metric.higher else 'lower'} is better; {noise}"


def _value(values: Mapping[str, float], name: str) -> str:
    return real(values[name]) if name in values else "no number"


def _data(frontier: Frontier, output: str) -> Mapping[str, Any]:
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
