"""``pruneapp verify``: check whether a file is the exact result of its recipe."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from operator import attrgetter
from pathlib import Path

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io.store import locate
from pruneapp.cli.options import connection
from pruneapp.cli.prune import register_methods, register_statistics_files
from pruneapp.cli.terminal import DIFFERENT, DONE, Output, attributes, size
from pruneapp.errors import ParameterError, counted, in_numeric_order
from pruneapp.evaluation.calibrated_repair import RepeatedRepair
from pruneapp.export.verify import Engine, LocalEngine, Verification, VerificationRequest
from pruneapp.export.verify import verify as verify_file
from pruneapp.kernels.devices import kernel_for
from pruneapp.progress import Job
from pruneapp.recipes.recipe import load


def verify(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Check whether a file is the result of its recipe. The status is 0 if it is, else 1.

    With --recompute, repairs are computed again and compared within --tolerance. Raises
    `ParameterError` for options that do not fit, and what `export.verify.verify` raises.
    """
    if options.unpruned and not options.recompute:
        raise ParameterError(
            "--unpruned requires --recompute.", remedy="Name a statistics file with it."
        )
    if not options.tolerance >= 0:
        raise ParameterError(f"'tolerance' must be at least 0 (got {options.tolerance:g}).")
    recompute = None
    if options.recompute:
        unpruned = None
        if options.unpruned:
            unpruned = stack.enter_context(open_checkpoint(options.unpruned, job=job))
        recompute = RepeatedRepair(Path(options.recompute), unpruned)
    recipe = load(locate(options.recipe), job) if options.recipe else None
    register_methods(options.load_method)
    against = VerificationRequest(
        locate(options.against),
        recipe,
        options.format,
        options.state_dict,
        tuple(options.omit),
        recompute,
        options.tolerance,
        register_statistics_files(options, job),
    )
    engine: Engine
    if options.cluster:
        from pruneapp.cluster.inspection import ClusterEngine

        engine = ClusterEngine(stack.enter_context(connection(options, job)))
    else:
        engine = LocalEngine(kernel_for(options.device))
    result = verify_file(locate(options.file), against, engine, job)
    notices = []
    if recompute is not None and result.same and not result.recomputed:
        notices.append("The recipe has no repair, so nothing was computed again.")
    return Output(
        _lines(options.file, result),
        lambda: {
            "file": options.file,
            **attributes(result, "same compared format omitted recomputed"),
            "differences": in_numeric_order(result.differences, attrgetter("where")),
        },
        notices,
        DONE if result.same else DIFFERENT,
    )


def _lines(file: str, result: Verification) -> Iterator[str]:
    """Yield whether the file is what its recipe makes, and the differences or omitted tensors."""
    if not result.same:
        yield f"Mismatch: applying the recipe to the original does not reproduce {file}."
        yield from map(str, in_numeric_order(result.differences, attrgetter("where")))
        return
    yield (
        f"Yes: {file} is what its recipe makes of the original, to the last bit "
        f"({size(result.compared)} compared)."
    )
    if result.recomputed:
        yield (
            f"The repaired values of {counted(len(result.recomputed), 'tensor')}, computed again, "
            f"are off by at most {max(result.recomputed.values()):.1g} of their norm."
        )
    for name in result.omitted:
        yield f"Left out of it, as was asked: {name}"
