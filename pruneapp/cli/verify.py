"""``pruneapp verify``: check whether a file is the exact result of its recipe."""

from __future__ import annotations

import argparse
import contextlib
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io.store import locate
from pruneapp.cli import terminal
from pruneapp.cli.options import connection
from pruneapp.cli.prune import register_methods, register_statistics_files
from pruneapp.cli.terminal import DIFFERENT, DONE, print_json, print_notes, size
from pruneapp.errors import ParameterError, counted, escaped, in_numeric_order
from pruneapp.evaluation.calibrated_repair import RepeatedRepair
from pruneapp.export.verify import Engine, LocalEngine, Verification, VerificationRequest
from pruneapp.export.verify import verify as verify_file
from pruneapp.kernels.devices import kernel_for
from pruneapp.progress import CancelToken
from pruneapp.recipes.recipe import load


def verify(options: argparse.Namespace, token: CancelToken) -> int:
    """Print whether a file is the result of its recipe. Return 0 if it is, else 1."""
    if options.unpruned and not options.recompute:
        raise ParameterError(
            "--unpruned requires --recompute.", remedy="Name a statistics file with it."
        )
    if not options.tolerance >= 0:
        raise ParameterError(f"'tolerance' must be at least 0 (got {options.tolerance:g}).")
    with contextlib.ExitStack() as stack:
        job = stack.enter_context(terminal.job("Verifying", token))
        recompute = None
        if options.recompute:
            unpruned = None
            if options.unpruned:
                unpruned = stack.enter_context(open_checkpoint(options.unpruned, job=job))
            recompute = RepeatedRepair(Path(options.recompute), unpruned)
        recipe = load(locate(options.recipe), job) if options.recipe else None
        register_methods(options.load_method)
        statistics = register_statistics_files(options, job)
        against = VerificationRequest(
            locate(options.against),
            recipe,
            options.format,
            options.state_dict,
            tuple(options.omit),
            recompute,
            options.tolerance,
            statistics,
        )
        engine: Engine
        if options.cluster:
            from pruneapp.cluster.inspection import ClusterEngine

            engine = ClusterEngine(stack.enter_context(connection(options, job)))
        else:
            engine = LocalEngine(kernel_for(options.device))
        result = verify_file(locate(options.file), against, engine, job)
    if options.json:
        print_json(_as_json(options.file, result))
    else:
        _print(options.file, result)
    if recompute is not None and result.same and not result.recomputed:
        print_notes(["The recipe has no repair, so nothing was computed again."])
    return DONE if result.same else DIFFERENT


def _print(file: str, result: Verification) -> None:
    write = sys.stdout.write
    if result.same:
        write(
            f"Yes: {escaped(file)} is what its recipe makes of the original, to the last bit "
            f"({size(result.compared)} compared).\n"
        )
        if result.recomputed:
            write(
                f"The repaired values of {counted(len(result.recomputed), 'tensor')}, computed "
                f"again, are off by at most {max(result.recomputed.values()):.1g} of their norm.\n"
            )
        for name in result.omitted:
            write(f"Left out of it, as was asked: {escaped(name)}\n")
        return
    write(f"No: {escaped(file)} is not what its recipe makes of the original.\n")
    for difference in in_numeric_order(result.differences, attrgetter("where")):
        write(f"{escaped(str(difference))}\n")


def _as_json(file: str, result: Verification) -> dict[str, Any]:
    return {
        "file": file,
        "same": result.same,
        "compared": result.compared,
        "format": result.format,
        "omitted": result.omitted,
        "recomputed": dict(result.recomputed),
        "differences": in_numeric_order(result.differences, attrgetter("where")),
    }
