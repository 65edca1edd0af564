"""``pruneapp statistics``: collect statistics of the inputs of weights in a file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.io.digest import files_sha256
from pruneapp.cli.evaluate import print_details, script_runner
from pruneapp.cli.files import check_output_path
from pruneapp.cli.terminal import Output, attributes, print_notes
from pruneapp.edits.existing_masks import open_document
from pruneapp.errors import ParameterError, counted, first_names, in_numeric_order
from pruneapp.evaluation.collection import GRAM_BUDGET, Collected, collect, current_time, weights_of
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.params import parse_bytes
from pruneapp.progress import Job
from pruneapp.statistics.file import Origin, save_statistics
from pruneapp.statistics.imatrix import convert


def statistics(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Collect statistics of activations, or convert an imatrix, and write them.

    An existing file is replaced. Raises `ParameterError` for invalid options, and what `collect_by`
    and `convert` raise.
    """
    gram_budget(options)  # raises an error before the checkpoint is opened
    checkpoint = stack.enter_context(
        open_checkpoint(options.file, state_dict=options.state_dict, job=job)
    )
    read = (options.script, options.text, options.images, options.imatrix)
    output = check_output_path(
        options.output, read, checkpoint, "statistics", "model.statistics.safetensors"
    )
    notices = []
    if options.imatrix is None:
        collected = collect_by(
            options, checkpoint, output, job, gram=options.gram, device=options.device
        )
    else:
        collected, skipped = _convert(options, checkpoint, output, job)
        if skipped:
            notices.append(
                f"{counted(len(skipped), 'name')} of the imatrix not used, unknown or with inputs "
                f"in another order than in the checkpoint: {first_names(skipped, 5, str)}"
            )
    return Output(
        _lines(collected, options.output),
        lambda: {
            "output": options.output,
            **attributes(collected, "sha256 rows"),
            "seen": in_numeric_order(collected.seen),
            "unseen": in_numeric_order(collected.unseen),
        },
        notices,
    )


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

    Notices about the script are printed. Raises what `script_runner` and `collect` raise.

    Parameters
    ----------
    options
        Options of `statistics`: a script, or data for a built-in one, and how to run it.
    output
        Path of the statistics file, which is replaced.
    gram
        Whether to collect Gram matrices of all weights.
    device
        Device of the script; "" for the fastest.
    """
    grams = tuple(checkpoint.entries) if gram else ()
    running = argparse.Namespace(**{**vars(options), "device": device})
    with (
        closing(open_document(checkpoint, job)) as document,
        closing(calibration_runner(running, options.file)) as runner,
        print_details(),
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
    """Convert an imatrix, and write it. Return the statistics, and the names that were skipped.

    Gram matrices are written only with --gram. Raises what `convert` raises.
    """
    found = convert(Path(options.imatrix), checkpoint, job)
    unseen = tuple(
        entry.name for entry in weights_of(checkpoint) if entry.name not in found.weights
    )
    origin = Origin(
        source="imatrix",
        script=found.sha256,
        checkpoint=files_sha256(checkpoint.files, job),
        date=current_time(),
        unseen=unseen,
    )
    grams = found.grams if options.gram else {}
    digest = save_statistics(output, found.weights, origin, job, grams=grams)
    rows = max(int(inputs.counts.max()) for inputs in found.weights.values())
    return Collected(digest, tuple(found.weights), unseen, rows), found.skipped


def _lines(collected: Collected, output: str) -> Iterator[str]:
    """Yield the number of weights with statistics, and the first five names of those without."""
    yield (
        f"Wrote statistics of {counted(len(collected.seen), 'weight')} over "
        f"{counted(collected.rows, 'row')} to {output}"
    )
    if collected.unseen:
        names = first_names(collected.unseen, 5, str)
        yield f"No inputs were seen for {counted(len(collected.unseen), 'weight')}: {names}"


def gram_budget(options: argparse.Namespace) -> int:
    """Return the maximum bytes of Gram matrices in memory at once; the default if not given.

    Raises `ParameterError` if --gram-memory is not a size of more than 0 bytes.
    """
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
