"""``pruneapp diff``: compare two checkpoints."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from typing import Any

from pruneapp.analysis.comparison import Comparison, TensorDifference, compare
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.cli.files import open_model
from pruneapp.cli.options import connection
from pruneapp.cli.terminal import (
    DIFFERENT,
    DONE,
    Output,
    attributes,
    percent,
    printable_name,
    table,
)
from pruneapp.document.selection import match_tensors
from pruneapp.errors import SelectionError, counted
from pruneapp.params import percent as share_percent
from pruneapp.progress import Job

_HEAD = ("tensor", "difference", "relative", "cosine", "differing", "zeros A", "zeros B", "overlap")
# If the models have no tensor in common, longer tables are replaced by a sentence.
_MOST_UNRELATED = 10
_UNRELATED = {"only a", "only b", "shape"}
_NUMBERS = (
    "differing norm relative cosine same_sign zeros_a=pruned_a zeros_b=pruned_b "
    "zeros_both=pruned_both overlap"
)
_WORDS = {
    "same": "same",
    "only a": "only in A",
    "only b": "only in B",
    "unread": "cannot be read, not compared",
}


def diff(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Compare the tensors of two checkpoints. The status is 0 if they are equal, else 1.

    With --only-different, equal tensors are left out of the output, but counted.
    """
    a = open_model(options.a, options.state_dict, job, stack)
    b = open_model(options.b, options.other_state_dict, job, stack)
    names = _names(a.checkpoint, b.checkpoint, options.pattern) if options.pattern else None
    display_names = options.a, options.b
    if options.cluster:
        from pruneapp.cluster.export import refuse_masks
        from pruneapp.cluster.inspection import compare_on_cluster

        refuse_masks(a.checkpoint, b.checkpoint)
        cluster = stack.enter_context(connection(options, job))
        comparison = compare_on_cluster(
            cluster, a.checkpoint, b.checkpoint, job, called=display_names, names=names
        )
    else:
        comparison = compare(a.snapshot(), b.snapshot(), job, called=display_names, names=names)
    rows = sorted(
        comparison.differing if options.only_different else comparison.tensors, key=_by_difference
    )
    return Output(
        _lines(comparison, rows),
        lambda: _data(comparison, rows, (a.checkpoint, b.checkpoint)),
        status=DIFFERENT if comparison.differing else DONE,
    )


def _names(a: Checkpoint, b: Checkpoint, patterns: Sequence[str]) -> set[str]:
    """Return the names in either checkpoint that match any glob, unreadable tensors included.

    Raises `SelectionError` if a pattern matches nothing in both.
    """
    names: set[str] = set()
    for pattern in patterns:
        errors = []
        unread = {*a.contents.unreadable, *b.contents.unreadable}
        unread_names = {name for name in unread if fnmatchcase(name, pattern)}
        names |= unread_names
        for checkpoint in (a, b):
            try:
                names.update(match_tensors(checkpoint, [pattern]))
            except SelectionError as error:
                errors.append(error)
        if len(errors) == 2 and not unread_names:
            raise errors[0]
    return names


def _by_difference(row: TensorDifference) -> tuple[int, float]:
    """Return a sort key: incomparable tensors, then by decreasing difference, then equal ones.

    A difference relative to a norm of 0, which is not defined, counts as the largest.
    """
    if row.kind == "same":
        return 2, 0.0
    if row.kind != "differs":
        return 0, 0.0
    return 1, -(math.inf if row.relative is None else row.relative)


def _lines(comparison: Comparison, rows: Sequence[TensorDifference]) -> Iterator[str]:
    """Yield a table of `rows` and the totals of all tensors.

    The table is replaced by a sentence if no two tensors can be compared and it is longer than 10
    rows.
    """
    n_tensors, n_differing = len(comparison.tensors), len(comparison.differing)
    if len(rows) > _MOST_UNRELATED and {row.kind for row in comparison.tensors} <= _UNRELATED:
        named_alike = sum(row.kind == "shape" for row in comparison.tensors)
        yield (
            f"The models are unrelated: of {n_tensors:,} tensors "
            f"{f'{named_alike:,}' if named_alike else 'none'} have the same name, and none the "
            "same name and shape. Nothing was compared; --json lists the tensors."
        )
    elif rows:
        yield from table(_HEAD, map(_cells, rows), left=(0, 1))
        yield ""
    yield f"A: {comparison.a}"
    yield f"B: {comparison.b}"
    differ = "differs" if n_differing == 1 else "differ"
    yield f"{n_differing:,} of {counted(n_tensors, 'tensor')} {differ}"


def _cells(row: TensorDifference) -> tuple[str, ...]:
    """Return the row of a tensor in the table.

    Cells of numbers are empty if the tensors cannot be compared, and "-" for an undefined number.
    """
    name = printable_name(row.name)
    if row.kind == "shape":
        kinds = (row.shape_a, row.dtype_a), (row.shape_b, row.dtype_b)
        shapes = (f"{'×'.join(map(str, shape)) or 'scalar'} {dtype}" for shape, dtype in kinds)
        return name, " / ".join(shapes), *[""] * (len(_HEAD) - 2)
    if row.kind in {"only a", "only b", "unread"}:
        return name, _WORDS[row.kind], *[""] * (len(_HEAD) - 2)
    overlap = row.overlap
    return (
        name,
        "same" if row.kind == "same" else f"{row.norm:.4g}",
        "-" if row.relative is None else f"{row.relative:.4g}",
        "-" if row.cosine is None else f"{row.cosine:.6f}",
        percent(row.differing, row.numel),
        percent(row.pruned_a, row.numel),
        percent(row.pruned_b, row.numel),
        "-" if overlap is None else share_percent(overlap),
    )


def _data(
    comparison: Comparison, rows: Sequence[TensorDifference], sides: Sequence[Checkpoint]
) -> dict[str, Any]:
    """Return the comparison as JSON data; `sides` are the checkpoints A and B."""
    entries = (entry for side in sides for entry in side.entries.values())
    learned = {name for entry in entries if entry.learned for name in entry.names}
    return {
        "a": comparison.a,
        "b": comparison.b,
        "same": not comparison.differing,
        "compared": len(comparison.tensors),
        "differing": len(comparison.differing),
        "tensors": [
            {
                **attributes(row, "name kind shape_a shape_b dtype_a dtype_b elements=numel"),
                "parameters": row.numel if row.name in learned else 0,
                **attributes(row, _NUMBERS),
            }
            for row in rows
        ],
    }
