"""``pruneapp check``: check whether the weights of a checkpoint have an N:M pattern."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from typing import Any

from pruneapp.analysis.patterns import PatternReport, TensorPattern, check_pattern
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.cli import terminal
from pruneapp.cli.options import connection
from pruneapp.cli.terminal import DIFFERENT, DONE, print_json, print_table, printable_name
from pruneapp.document.selection import default_selection, select
from pruneapp.edits.existing_masks import open_document
from pruneapp.errors import ParameterError, escaped
from pruneapp.methods.builtin.patterns import PatternParam, sizes_of
from pruneapp.progress import CancelToken

_HEAD = (
    "tensor",
    "groups",
    "violating",
    "in no group",
    "to be pruned",
    "norm² lost",
    "first violating groups",
)


def check(options: argparse.Namespace, token: CancelToken) -> int:
    """Print the groups that violate a pattern. Return 0 if there are none, else 1."""
    n, m = sizes_of(PatternParam().parse(options.pattern))
    with (
        terminal.job("Checking", token) as job,
        open_checkpoint(options.file, state_dict=options.state_dict, job=job) as checkpoint,
        closing(open_document(checkpoint, job)) as document,
    ):
        chosen = options.select
        names = select(checkpoint, chosen) if chosen else default_selection(checkpoint)
        most = max((len(checkpoint.entry(name).shape) for name in names), default=0)
        if most >= 2 and not -most <= options.dim < most:
            raise ParameterError(
                f"--dim must be from {-most} to {most - 1} for these tensors (got {options.dim})."
            )
        if options.cluster:
            from pruneapp.cluster.export import refuse_masks
            from pruneapp.cluster.inspection import check_on

            refuse_masks(checkpoint)
            with connection(options, job) as cluster:
                report = check_on(cluster, checkpoint, names, n, m, options.dim, job)
        else:
            report = check_pattern(document.snapshot(), names, n, m, options.dim, job)
    if options.json:
        print_json(_as_json(report))
    else:
        _print(report, options.file)
    return DONE if report.satisfied else DIFFERENT


def _print(report: PatternReport, file: str) -> None:
    if report.broken:
        right = (False, True, True, True, True, True, False)
        print_table(_HEAD, [_cells(tensor) for tensor in report.broken], right)
        sys.stdout.write("\n")
    n_valid, n_tensors = len(report.tensors) - len(report.broken), len(report.tensors)
    pattern = f"{report.n}:{report.m} along dim {report.dim}"
    have = "has" if n_valid == 1 else "have"
    sys.stdout.write(
        f"{n_valid:,} of {n_tensors:,} tensor{'' if n_tensors == 1 else 's'} {have} {pattern}\n"
    )
    n_outside = sum(tensor.outside for tensor in report.tensors if tensor.holds)
    if n_outside:
        sys.stdout.write(f"Note: {n_outside:,} of their weights are in no group of {report.m}.\n")
    if any(tensor.broken for tensor in report.tensors):
        lost_text = "an unknown share" if report.lost is None else _percent(report.lost)
        to_prune = report.totals().to_prune
        sys.stdout.write(
            f"The nearest masks would prune {to_prune:,} weight{'' if to_prune == 1 else 's'} and "
            f"lose {lost_text} of the norm² (sum of squares) of those that break it: pruneapp "
            f"prune {escaped(file)} -o OUT --method n_m --pattern {report.n}:{report.m} "
            f"--dim {report.dim}\n"
        )


def _cells(tensor: TensorPattern) -> tuple[str, ...]:
    name = printable_name(tensor.name)
    if tensor.why_not:
        return name, "0", "", "", "", "", tensor.why_not
    first = ", ".join(
        f"[{', '.join(map(str, group.index))}] has {group.left}" for group in tensor.first
    )
    more = tensor.broken - len(tensor.first)
    return (
        name,
        f"{tensor.groups:,}",
        f"{tensor.broken:,}",
        f"{tensor.outside:,}",
        f"{tensor.to_prune:,}",
        "-" if tensor.lost is None else _percent(tensor.lost),
        first + (f", and {more:,} more" if more else ""),
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _as_json(report: PatternReport) -> dict[str, Any]:
    return {
        "pattern": f"{report.n}:{report.m}",
        "dim": report.dim,
        "satisfied": report.satisfied,
        "norm_squared_lost": report.lost,
        "lost": report.lost,  # older name, see below
        "tensors": [
            {
                "name": tensor.name,
                "shape": list(tensor.shape),
                "holds": tensor.holds,
                "groups": tensor.groups,
                "broken": tensor.broken,
                "in_no_group": tensor.outside,
                "to_be_pruned": tensor.to_prune,
                "norm_squared_lost": tensor.lost,
                # Older names of the three fields above, kept for compatibility.
                "beside": tensor.outside,
                "taken": tensor.to_prune,
                "lost": tensor.lost,
                "why_not": tensor.why_not,
                "first": tensor.first,
            }
            for tensor in report.tensors
        ],
    }
