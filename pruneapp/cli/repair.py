"""``pruneapp repair`` and ``pruneapp recover``: give the remaining weights other values."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.io.digest import hash_in_background
from pruneapp.cli.evaluate import print_details, script_runner
from pruneapp.cli.export_options import (
    export_request,
    report_output,
    uncounted_zeros_notice,
    write_export,
)
from pruneapp.cli.files import open_model, treat_zeros
from pruneapp.cli.statistics import calibration_runner, gram_budget
from pruneapp.cli.terminal import Output, attributes, print_notes, printable_name, real, table
from pruneapp.document.document import Capture, Document
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
from pruneapp.evaluation.evaluator import Change, Evaluator
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.recovery import (
    Recovery,
    RecoverySettings,
    plan_sentence,
    recover_by_script,
    train_by_script,
)
from pruneapp.evaluation.runner import ScriptRunner
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
    columns = len(_HEAD) if any(layer.is_rounded for layer in layers) else len(_HEAD) - 1
    yield from table(_HEAD[:columns], [row[:columns] for row in rows])
    yield ""


_LAYER = "name left moved error_before=before error_after=after error_rounded=rounded"


def recover(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Recover a checkpoint, compare its metrics if the script evaluates, and export the result.

    All zeros of the file count as pruned. Raises `EvaluationError` if a metric is worse beyond the
    noise, unless --even-if-worse is given, and `PruneAppError` for anything that the user can fix;
    then nothing is written.
    """
    document = open_model(options.file, options.state_dict, job, stack)
    checkpoint = document.checkpoint
    request = export_request(options, checkpoint)
    has_masks = any(entry.mask_of for entry in checkpoint.entries.values())
    if options.against is None and not options.train and not has_masks:
        raise ParameterError(
            "'--against' is required: the unpruned weights are not in the file.",
            remedy="Name the checkpoint before it was pruned.",
        )
    settings = RecoverySettings(
        steps=options.steps,
        windows=not options.no_windows,
        lr=options.lr,
        samples=options.samples,
        trains=options.trains,
        seed=options.seed,
        repair=False if options.no_repair else None,
        unpruned=None
        if options.against is None
        else stack.enter_context(open_checkpoint(options.against, job=job)),
        resume=not options.restart,
    )
    treat_zeros(document, job)
    need = "load(path) and calibrate(model) or train(model), see docs/recover.md"
    notices: list[str] = []
    runner = script_runner(options, options.against or options.file, notices, need)
    print_notes(notices)
    runner.kill_on_cancel()
    with closing(runner), print_details(), hash_in_background(checkpoint.files):
        done, changes = _train(options, runner, document, settings, job)
    if done.proposal is not None:
        document.commit(done.proposal)
    recipe = history_recipe(Capture.of(document), job)
    edit = None if done.proposal is None else done.proposal.edit
    steps = () if edit is None else (StepAccount(edit.label, edit.detail),)
    report, problem = write_export(options, document.snapshot(), recipe, request, job, steps=steps)
    # The notice does not apply: all zeros of the file count as pruned.
    earlier = uncounted_zeros_notice(checkpoint)
    notices = [notice for notice in report.notices if notice != earlier]
    return report_output(
        report,
        [*notices, *done.notices],
        [] if edit is None else [n for n in edit.names if _is_pruned(document, n)],
        lines=_recovery_lines(done, changes),
        data=_recovery_data(done, changes),
        problem=problem,
    )


def _train(
    options: argparse.Namespace,
    runner: ScriptRunner,
    document: Document,
    settings: RecoverySettings,
    job: Job,
) -> tuple[Recovery, Sequence[Change]]:
    """Recover the state of a document, and measure the change of its metrics.

    The document is unchanged. Without a function that evaluates there are no changes. Raises
    `EvaluationError` if a metric is worse.
    """
    snapshot = document.snapshot()
    parts = job.parts(2)
    first = next(parts)
    if options.train:
        done = train_by_script(
            runner,
            snapshot,
            first,
            seed=settings.seed,
            resume=settings.resume,
            on_event=_print_plan,
        )
    else:
        done = recover_by_script(runner, snapshot, settings, first, _print_plan)
    second = next(parts)
    runner.start(second)
    measures = any(name.startswith("evaluate") for name in runner.worker.functions)
    if done.proposal is None or not measures:
        return done, ()
    after = done.proposal.edit.apply_to(snapshot)
    changes = Evaluator(runner).measure_change(snapshot, after, second)
    worse = next((change for change in changes if change.is_worse), None)
    if worse is not None and not options.even_if_worse:
        raise EvaluationError(
            f"'{worse.name}' is worse after the recovery ({real(worse.original.value)} before, "
            f"{real(worse.metric.value)} after), by more than the noise, so nothing is written.",
            remedy="Use more or other inputs in calibrate, or write it with --even-if-worse.",
        )
    return done, changes


def _print_plan(event: dict[str, Any]) -> None:
    """Print what is trained, and the memory that it needs, before the training begins."""
    if event["what"] == "plan":
        print_notes([plan_sentence(event)])


def _recovery_lines(done: Recovery, changes: Sequence[Change]) -> Iterator[str]:
    """Yield the errors of the blocks, the result in a sentence, and the metrics."""
    blocks = [event for event in done.events if event["what"] == "window"]
    if blocks:
        rows = [
            (printable_name(one["name"]), f"{one['before']:.3%}", f"{one['after']:.3%}")
            for one in blocks
        ]
        yield from table(("block", "error before", "after"), rows)
        yield ""
    yield done.sentence()
    for change in changes:
        noise = f" (noise {real(change.band.half)})" if change.band.half else ""
        yield (
            f"{printable_name(change.name)}: {real(change.original.value)} before, "
            f"{real(change.metric.value)} after{noise}"
        )
    yield ""


def _is_pruned(document: Document, name: str) -> bool:
    mask = document.snapshot().export_mask(name)
    return mask is not None and bool(mask.pruned)


def _recovery_data(done: Recovery, changes: Sequence[Change]) -> dict[str, Any]:
    """Return the result as JSON data."""
    source = done.source
    return {
        "method": source.method,
        "changed": done.proposal is not None,
        "losses": dict(done.losses),
        "steps": source.steps,
        "lr": source.lr or None,
        "samples": source.samples,
        "held_out": done.held_out,
        "repaired": source.repaired,
        "seconds": done.seconds,
        "events": list(done.events),
        "metrics": {
            change.name: {
                "before": change.original.value,
                "after": change.metric.value,
                "noise": change.band.half or None,
            }
            for change in changes
        },
    }
