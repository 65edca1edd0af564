"""``pruneapp statistics``: collect statistics of the inputs of weights in a file."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterable
from pathlib import Path

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.io.digest import files_sha256
from pruneapp.cli import terminal
from pruneapp.cli.evaluate import details_printed, script_runner
from pruneapp.cli.export_options import is_same_file
from pruneapp.cli.terminal import DONE, print_json, print_notes
from pruneapp.edits.existing_masks import open_document
from pruneapp.errors import ParameterError, counted, escaped, first_names, in_numeric_order
from pruneapp.evaluation.collection import GRAM_BUDGET, Collected, collect, now, weights_of
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.params import parse_bytes
from pruneapp.progress import CancelToken, Job
from pruneapp.statistics.file import Origin, save_statistics
from pruneapp.statistics.imatrix import convert


def statistics(options: argparse.Namespace, token: CancelToken) -> int:
    """Collect statistics of activations, or convert an imatrix, and write them."""
    gram_budget(options)  # raises an error before the checkpoint is opened
    with contextlib.ExitStack() as stack:
        job = stack.enter_context(terminal.job("Opening", token))
        checkpoint = stack.enter_context(
            open_checkpoint(options.file, state_dict=options.state_dict, job=job)
        )
        output = _output(options, checkpoint)
        if options.imatrix is not None:
            collected, skipped = _convert(options, checkpoint, output, job)
        else:
            collected, skipped = (
                collect_by(
                    options, checkpoint, output, job, gram=options.gram, device=options.device
                ),
                (),
            )
    if options.json:
        print_json(
            {
                "output": options.output,
                "sha256": collected.sha256,
                "rows": collected.rows,
                "seen": list(in_numeric_order(collected.seen)),
                "unseen": list(in_numeric_order(collected.unseen)),
            }
        )
    else:
        _print(collected, options.output)
    if skipped:
        names = first_names(skipped, 5, escaped)
        sys.stderr.write(
            f"Note: {counted(len(skipped), 'name')} of the imatrix left out, unknown or with "
            f"inputs in another order than in the checkpoint: {names}\n"
        )
    return DONE


def collect_by(
    options: argparse.Namespace,
    checkpoint: Checkpoint,
    output: Path,
    job: Job,
    *,
    gram: bool,
    device: str,
) -> Collected:
    """Collect statistics of activations with the script in the options, and write them.

    Parameters
    ----------
    options
        Options of `statistics`: a script, or data for a built-in one, and how to run it.
    gram
        Whether to collect Gram matrices.
    device
        Device of the script; "" for the fastest.
    """
    grams = tuple(checkpoint.entries) if gram else ()
    running = argparse.Namespace(**{**vars(options), "device": device})
    with (
        contextlib.closing(open_document(checkpoint, job)) as document,
        contextlib.closing(calibration_runner(running, options.file)) as runner,
        details_printed(),
    ):
        return collect(
            runner,
            document.snapshot(),
            output,
            job,
            seed=options.seed,
            grams=grams,
            budget=gram_budget(options),
        )


def _convert(
    options: argparse.Namespace, checkpoint: Checkpoint, output: Path, job: Job
) -> tuple[Collected, tuple[str, ...]]:
    """Convert an imatrix. Return the statistics, and the names in it that were skipped."""
    found = convert(Path(options.imatrix), checkpoint, job)
    unseen = tuple(
        entry.name for entry in weights_of(checkpoint) if entry.name not in found.weights
    )
    origin = Origin(
        source="imatrix",
        script=found.sha256,
        checkpoint=files_sha256(checkpoint.files, job),
        date=now(),
        unseen=unseen,
    )
    grams = found.grams if options.gram else {}
    digest = save_statistics(output, found.weights, origin, job, grams=grams)
    rows = max(int(inputs.counts.max()) for inputs in found.weights.values())
    return Collected(digest, tuple(found.weights), unseen, rows), found.skipped


def _print(collected: Collected, output: str) -> None:
    sys.stdout.write(
        f"Wrote statistics of {counted(len(collected.seen), 'weight')} over "
        f"{counted(collected.rows, 'row')} to {escaped(output)}\n"
    )
    if collected.unseen:
        names = first_names(collected.unseen, 5, escaped)
        weights = counted(len(collected.unseen), "weight")
        sys.stdout.write(f"No inputs were seen for {weights}: {names}\n")


def _output(options: argparse.Namespace, checkpoint: Checkpoint) -> Path:
    """Return the output path. Raises `ParameterError` if it cannot be written."""
    read = (options.script, options.text, options.images, options.imatrix)
    return checked_output(
        options.output, read, checkpoint, "statistics", "model.statistics.safetensors"
    )


def checked_output(
    output: str, read: Iterable[str | None], checkpoint: Checkpoint, what: str, example: str
) -> Path:
    """Return the output path. Raises `ParameterError` if it is an input or cannot be a file.

    `what` and `example` are used in the error.
    """
    path = Path(output)
    inputs = (*(Path(name) for name in read if name), *(file.path for file in checkpoint.files))
    if any(is_same_file(path, other) for other in inputs):
        raise ParameterError(
            f"'{path}' is an input of this command, and --output would replace it.",
            remedy="Choose another name.",
        )
    if path.is_dir() or not path.parent.is_dir():
        why = "is a folder" if path.is_dir() else "is in a folder that does not exist"
        raise ParameterError(
            f"'{path}' {why}, so the {what} cannot be written there.",
            remedy=f"Name a file, such as {example}.",
        )
    return path


def gram_budget(options: argparse.Namespace) -> int:
    """Return the maximum bytes of Gram matrices in memory at once."""
    if options.gram_memory is None:
        return GRAM_BUDGET
    budget = parse_bytes(options.gram_memory)
    if not budget:
        raise ParameterError(
            "'--gram-memory' must be a size with its unit, such as 8GB or 512MiB "
            f"(got '{options.gram_memory}')."
        )
    return budget


def calibration_runner(options: argparse.Namespace, model: str) -> ScriptRunner:
    notices: list[str] = []
    need = "load(path) and calibrate(model), see docs/statistics.md"
    runner = script_runner(options, model, notices, need)
    print_notes(notices)
    return runner
