"""``pruneapp diff``: compare two checkpoints."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pruneapp.analysis.comparison import Comparison, TensorDifference, compare
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.io.store import locate
from pruneapp.cli import terminal
from pruneapp.cli.options import connection
from pruneapp.cli.terminal import DIFFERENT, DONE, percent, print_json, print_table, printable_name
from pruneapp.document.document import Document
from pruneapp.document.selection import matching
from pruneapp.edits.existing_masks import open_document
from pruneapp.errors import SelectionError, escaped
from pruneapp.progress import CancelToken, Job

_HEAD = ("tensor", "difference", "relative", "cosine", "differing", "zeros A", "zeros B", "overlap")
# If the models have no tensor in common, longer tables are replaced by a sentence.
_MOST_UNRELATED = 10
_UNRELATED = {"only a", "only b", "shape"}
_WORDS = {
    "same": "same",
    "only a": "only in A",
    "only b": "only in B",
    "unread": "cannot be read, not compared",
}


def diff(options: argparse.Namespace, token: CancelToken) -> int:
    """Print how the tensors of two checkpoints differ. Return 0 if they are equal, else 1."""
    with contextlib.ExitStack() as stack:
        job = stack.enter_context(terminal.job("Comparing", token))
        a, b = (
            _open(stack, locate(path), key, job)
            for path, key in (
                (options.a, options.state_dict),
                (options.b, options.other_state_dict),
            )
        )
        names = _names(a.checkpoint, b.checkpoint, options.pattern) if options.pattern else None
        display_names = options.a, options.b
        if options.cluster:
            from pruneapp.cluster.export import refuse_masks
            from pruneapp.cluster.inspection import compare_on

            refuse_masks(a.checkpoint, b.checkpoint)
            cluster = stack.enter_context(connection(options, job))
            comparison = compare_on(
                cluster, a.checkpoint, b.checkpoint, job, called=display_names, names=names
            )
        else:
            comparison = compare(a.snapshot(), b.snapshot(), job, called=display_names, names=names)
    rows = sorted(
        comparison.differing if options.only_different else comparison.tensors, key=_by_difference
    )
    if options.json:
        learned = {
            name
            for side in (a, b)
            for entry in side.checkpoint.entries.values()
            if entry.learned
            for name in entry.names
        }
        print_json(_as_json(comparison, rows, learned))
    else:
        _print(comparison, rows)
    return DIFFERENT if comparison.differing else DONE


def _open(stack: contextlib.ExitStack, path: Path, key: str | None, job: Job) -> Document:
    checkpoint = stack.enter_context(open_checkpoint(path, state_dict=key, job=job))
    return stack.enter_context(contextlib.closing(open_document(checkpoint, job)))


def _names(a: Checkpoint, b: Checkpoint, patterns: Sequence[str]) -> set[str]:
    """Return the matching tensors of both checkpoints.

    Raises `SelectionError` if a pattern matches none in either.
    """
    names: set[str] = set()
    for pattern in patterns:
        errors = []
        unread = {*a.contents.unreadable, *b.contents.unreadable}
        unread_names = {name for name in unread if fnmatchcase(name, pattern)}
        names |= unread_names
        for checkpoint in (a, b):
            try:
                names.update(matching(checkpoint, [pattern]))
            except SelectionError as error:
                errors.append(error)
        if len(errors) == 2 and not unread_names:
            raise errors[0]
    return names


def _by_difference(row: TensorDifference) -> tuple[int, float]:
    """Return a sort key: incomparable tensors, then by decreasing difference, then equal ones."""
    if row.kind == "same":
        return 2, 0.0
    if row.kind != "differs":
        return 0, 0.0
    return 1, -(math.inf if row.relative is None else row.relative)


def _print(comparison: Comparison, rows: Sequence[TensorDifference]) -> None:
    if len(rows) > _MOST_UNRELATED and {row.kind for row in comparison.tensors} <= _UNRELATED:
        named_alike = sum(row.kind == "shape" for row in comparison.tensors)
        alike_text = (
            f"{named_alike:,} have the same name" if named_alike else "none have the same name"
        )
        sys.stdout.write(
            f"The models are unrelated: of {len(comparison.tensors):,} tensors {alike_text}, and "
            "none the same name and shape. Nothing was compared; --json lists the tensors.\n"
        )
    elif rows:
        right = (False, False, *[True] * (len(_HEAD) - 2))
        print_table(_HEAD, [_cells(row) for row in rows], right)
        sys.stdout.write("\n")
    differing, n_tensors = len(comparison.differing), len(comparison.tensors)
    sys.stdout.write(
        f"A: {escaped(comparison.a)}\nB: {escaped(comparison.b)}\n"
        f"{differing:,} of {n_tensors:,} tensor{'' if n_tensors == 1 else 's'} "
        f"differ{'s' if differing == 1 else ''}\n"
    )


def _cells(row: TensorDifference) -> tuple[str, ...]:
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
        "-" if overlap is None else f"{100 * overlap:.1f} %",
    )


def _as_json(
    comparison: Comparison, rows: Sequence[TensorDifference], learned: set[str]
) -> dict[str, Any]:
    return {
        "a": comparison.a,
        "b": comparison.b,
        "same": not comparison.differing,
        "compared": len(comparison.tensors),
        "differing": len(comparison.differing),
        "tensors": [
            {
                "name": row.name,
                "kind": row.kind,
                "shape_a": list(row.shape_a),
                "shape_b": list(row.shape_b),
                "dtype_a": row.dtype_a,
                "dtype_b": row.dtype_b,
                "elements": row.numel,
                "parameters": row.numel if row.name in learned else 0,
                "differing": row.differing,
                "norm": row.norm,
                "relative": row.relative,
                "cosine": row.cosine,
                "same_sign": row.same_sign,
                "zeros_a": row.pruned_a,
                "zeros_b": row.pruned_b,
                "zeros_both": row.pruned_both,
                "overlap": row.overlap,
            }
            for row in rows
        ],
    }
