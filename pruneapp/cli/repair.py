"""``pruneapp repair``: adjust remaining weights so that layer outputs match the original."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.io.digest import hash_in_background
from pruneapp.cli.evaluate import print_details
from pruneapp.cli.export_options import (
    export_request,
    report_output,
    uncounted_zeros_notice,
    write_export,
)
from pruneapp.cli.files import open_model, treat_zeros
from pruneapp.cli.statistics import calibration_runner, gram_budget
from pruneapp.cli.terminal import Output, attributes, print_notes, printable_name, table
from pruneapp.document.document import Capture
from pruneapp.document.selection import select
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError, first_names
from pruneapp.evaluation.calibrated_repair import (
    NUMPY,
    CalibratedRepair,
    RepairSettings,
    repair_by_script,
    repair_by_statistics,
)
from pruneapp.export.report_writer import StepAccount
from pruneapp.progress import Job
from pruneapp.recipes.recipe import history_recipe
from pruneapp.repair.repair import LayerRepair, pruned_layers, sequential_runs

_HEAD = ("layer", "left", "moved", "error before", "after", "after rounding")


def repair(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Repair the pruned weights of a checkpoint and export the result.

    The output has the error of each layer before and after. All zeros of the file count as pruned.
    Raises `PruneAppError` for anything that the user can fix.
    """
    if options.sequential and options.statistics is not None:
        raise ParameterError(
            "--sequential collects the inputs of each layer after the layers before it are "
            "repaired, and a statistics file has those of the unpruned model.",
            remedy="Give --script, --text or --images instead of --statistics.",
        )
    document = open_model(options.file, options.state_dict, job, stack)
    checkpoint = document.checkpoint
    request = export_request(options, checkpoint)
    against = stack.enter_context(open_checkpoint(options.against, job=job))
    treat_zeros(document, job)
    with hash_in_background(checkpoint.files):
        done = _compute(options, document.snapshot(), against, job)
    outcome = done.repair
    document.commit(outcome)
    recipe = history_recipe(Capture.of(document), job)
    steps = (StepAccount(outcome.edit.label, outcome.edit.detail),)
    report, problem = write_export(options, document.snapshot(), recipe, request, job, steps=steps)
    # The notice does not apply: repair counts all zeros of the file as pruned.
    earlier = uncounted_zeros_notice(checkpoint)
    notices = [notice for notice in report.notices if notice != earlier]
    if outcome.unknown:
        notices.append(
            f"Not repaired, because their inputs are not known: {first_names(outcome.unknown)}."
        )
    if done.solver != NUMPY and not options.json:
        notices.append(f"Solved by {done.solver}, in the process that ran the model.")
    notices += done.risks
    return report_output(
        report,
        notices,
        [layer.name for layer in outcome.layers],
        lines=_lines(outcome.layers),
        data={
            "layers": [
                attributes(layer, _LAYER) | {"bias": layer.bias or None} for layer in outcome.layers
            ],
            "not_repaired": outcome.unknown,
            "sequential": options.sequential,
            "solver": done.solver,
        },
        problem=problem,
    )


def _compute(
    options: argparse.Namespace, snapshot: Snapshot, against: Checkpoint, job: Job
) -> CalibratedRepair:
    """Return a repair with a statistics file, or with inputs that are run through the original.

    `against` is the unpruned model. Raises what `repair_by_statistics` and `repair_by_script`
    raise.
    """
    names = select(snapshot.checkpoint, options.select) if options.select else None
    budget = gram_budget(options)
    settings = RepairSettings(
        iterations=options.iterations,
        damping=options.damping,
        norms=not options.keep_norm_statistics,
        budget=budget,
        seed=options.seed,
        sequential=options.sequential,
        names=names,
        wanted=against,
    )
    if options.statistics is not None:
        path, forced = Path(options.statistics), options.force_statistics
        return repair_by_statistics(path, snapshot, settings, job, forced=forced)
    if options.sequential:
        chosen = set(snapshot.checkpoint.entries if names is None else names)
        layers = sum(layer.name in chosen for layer in pruned_layers(snapshot, job))
        print_notes([sequential_runs(layers)])
    made = calibration_runner(options, options.against)
    with closing(made) as runner, print_details():
        return repair_by_script(runner, snapshot, settings, job)


def _lines(layers: Sequence[LayerRepair]) -> Iterator[str]:
    """Yield a table of the repaired layers, and an empty line."""
    rows = [
        (
            printable_name(layer.name),
            f"{layer.left:,}",
            f"{layer.moved:,}",
            *(f"{error:.3%}" for error in (layer.before, layer.after, layer.rounded)),
        )
        for layer in layers
    ]
    yield from table(_HEAD, rows)
    yield ""


_LAYER = "name left moved error_before=before error_after=after error_rounded=rounded"
