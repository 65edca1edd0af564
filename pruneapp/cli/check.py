"""``pruneapp check``: check whether the weights of a checkpoint have an N:M pattern."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from pruneapp.analysis.patterns import PatternReport, TensorPattern, check_pattern
from pruneapp.cli.files import open_model
from pruneapp.cli.options import connection
from pruneapp.cli.terminal import DIFFERENT, DONE, Output, attributes, printable_name, table
from pruneapp.document.selection import default_selection, select
from pruneapp.errors import ParameterError, counted
from pruneapp.methods.builtin.patterns import PatternParam, sizes_of
from pruneapp.params import percent
from pruneapp.progress import Job

_HEAD = (
    *("tensor", "groups", "violating", "in no group", "to be pruned", "L2 norm² lost"),
    "first violating groups",
)


def check(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Find the groups that violate a pattern. The status is 0 if there are none, else 1.

    Raises `ParameterError` if no selected tensor has the dimension, and what opening and selecting
    raise.
    """
    n, m = sizes_of(PatternParam().parse(options.pattern))
    document = open_model(options.file, options.state_dict, job, stack)
    checkpoint = document.checkpoint
    chosen = options.select
    names = select(checkpoint, chosen) if chosen else default_selection(checkpoint)
    most = max((len(checkpoint.entry(name).shape) for name in names), default=0)
    if most >= 2 and not -most <= options.dim < most:
        raise ParameterError(
            f"--dim must be from {-most} to {most - 1} for these tensors (got {options.dim})."
        )
    if options.cluster:
        from pruneapp.cluster.export import refuse_masks
        from pruneapp.cluster.inspection import check_on_cluster

        refuse_masks(checkpoint)
        cluster = stack.enter_context(connection(options, job))
        report = check_on_cluster(cluster, checkpoint, names, job, n=n, m=m, dim=options.dim)
    else:
        report = check_pattern(document.snapshot(), names, n, m, options.dim, job)
    status = DONE if report.satisfied else DIFFERENT
    return Output(_lines(report, options.file), lambda: _data(report), status=status)


def _lines(report: PatternReport, file: str) -> Iterator[str]:
    """Yield a table of the tensors with violations, if any, and sentences with the totals."""
    if report.broken:
        yield from table(_HEAD, map(_cells, report.broken), left=(0, 6))
        yield ""
    n_valid, n_tensors = len(report.tensors) - len(report.broken), len(report.tensors)
    match = "matches" if n_valid == 1 else "match"
    pattern = f"{report.n}:{report.m} along dim {report.dim}"
    yield f"{n_valid:,} of {counted(n_tensors, 'tensor')} {match} {pattern}"
    n_outside = sum(tensor.outside for tensor in report.tensors if tensor.holds)
    if n_outside:
        yield f"Note: {n_outside:,} of their weights are in no group of {report.m}."
    if any(tensor.broken for tensor in report.tensors):
        lost = "an unknown share" if report.lost is None else percent(report.lost)
        yield (
            f"The nearest masks would prune {counted(report.totals().to_prune, 'weight')} and "
            f"lose {lost} of the L2 norm² (sum of squares) of those that break it: pruneapp prune "
            f"{file} -o OUT --method n_m --pattern {report.n}:{report.m} --dim {report.dim}"
        )


def _cells(tensor: TensorPattern) -> tuple[str, ...]:
    """Return the row of a tensor in the table; with the reason if it cannot have the pattern."""
    name = printable_name(tensor.name)
    if tensor.why_not:
        return name, "0", "", "", "", "", tensor.why_not
    first = ", ".join(
        f"[{', '.join(map(str, group.index))}] has {group.left}" for group in tensor.first
    )
    more = tensor.broken - len(tensor.first)
    counts = (tensor.groups, tensor.broken, tensor.outside, tensor.to_prune)
    return (
        name,
        *(f"{count:,}" for count in counts),
        "-" if tensor.lost is None else percent(tensor.lost),
        first + (f", and {more:,} more" if more else ""),
    )


_TENSOR = (
    "name shape holds groups broken in_no_group=outside to_be_pruned=to_prune "
    "norm_squared_lost=lost reason=why_not first"
)


def _data(report: PatternReport) -> dict[str, Any]:
    return {
        "pattern": f"{report.n}:{report.m}",
        **attributes(report, "dim satisfied norm_squared_lost=lost"),
        "tensors": [attributes(tensor, _TENSOR) for tensor in report.tensors],
    }
