"""``pruneapp run``: apply a recipe to a checkpoint and export the result."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from pruneapp.analysis.zeros import NO_ZEROS, find_zeros
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.io.digest import hash_in_background
from pruneapp.checkpoint.io.files import temporary_folder
from pruneapp.checkpoint.io.store import locate
from pruneapp.cli.evaluate import print_details
from pruneapp.cli.export_options import (
    already_zero_notice,
    export_request,
    report_output,
    write_export,
    zeros_pruned_by,
)
from pruneapp.cli.options import connection, option_of, refuse_cluster_options
from pruneapp.cli.prune import register_methods, register_statistics_files
from pruneapp.cli.statistics import calibration_runner, collect_by
from pruneapp.cli.terminal import DIFFERENT, DONE, Output, attributes, print_notes, real, table
from pruneapp.document.entries import ScheduleEntry, TreatZerosEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.edits.zeros import TreatZeros
from pruneapp.errors import ParameterError, PruneAppError, RecipeError, counted, in_numeric_order
from pruneapp.evaluation.rounds import RecipeRun
from pruneapp.export.records import State
from pruneapp.export.report_writer import StepAccount
from pruneapp.export.verify import apply_recipe
from pruneapp.kernels.devices import kernel_for
from pruneapp.methods import registry
from pruneapp.progress import Job
from pruneapp.recipes.fit import NO_STATISTICS, Fit, Schedule, fit
from pruneapp.recipes.recipe import (
    Recipe,
    is_recipe,
    load,
    recipe_of,
    rows_at_hand,
    to_portable_entry,
    values_entries,
    with_statistics,
    without_superseded,
)
from pruneapp.statistics.file import register


def run(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Apply a recipe and export the result; or, with --check, return what does not fit.

    With --check nothing is written, and the status is 1 if there are problems. Otherwise problems
    raise `RecipeError` before weights are read.
    """
    if options.output is None and not options.check:
        raise ParameterError(
            "'--output' is required.",
            remedy="Name the file to write, or use --check to only test the recipe.",
        )
    recipe = _recipe(options, job)
    recovers = any(
        isinstance(entry, ScheduleEntry) and entry.configuration.recover is not None
        for entry in recipe.entries
    )
    if not recovers:
        refuse_cluster_options(options)
    elif options.cluster:
        raise ParameterError(
            "The recipe recovers after each round, which cannot be done on a cluster.",
            remedy="Remove --cluster.",
        )
    has_script = not (options.script is options.text is options.images is None)
    if options.check and options.save_statistics is not None:
        raise ParameterError(
            "'--check' writes nothing, and '--save-statistics' names a file to write.",
            remedy="Leave one of them out.",
        )
    register_methods(options.load_method)
    given = register_statistics_files(options, job)
    checkpoint = stack.enter_context(
        open_checkpoint(options.file, state_dict=options.state_dict, job=job)
    )
    if not options.check:
        request = export_request(options, checkpoint)
    recovers &= has_script
    if collects := _is_collecting(options, recipe, checkpoint, job, recovers=recovers):
        given = (_collect(options, recipe, checkpoint, stack, job),)
    recipe = with_statistics(recipe, checkpoint, given, job)
    fitted = fit(recipe, checkpoint, job, recovers=recovers)
    if options.treat_zeros and not fitted.problems:
        recipe = _add_zeros_entry(recipe, checkpoint, job)
        fitted = fit(recipe, checkpoint, job, recovers=recovers)
    if options.check:
        status = DIFFERENT if fitted.problems else DONE
        return Output(_lines(fitted), lambda: _data(fitted), status=status)
    fitted.actions(recipe.where)  # raises an error if entries do not fit
    state: State
    in_rounds: RecipeRun | None = None
    if recovers:
        device = "" if options.device == "auto" else options.device
        running = argparse.Namespace(
            **{**vars(options), "device": device, "script_seed": options.seed}
        )
        runner = stack.enter_context(closing(calibration_runner(running, options.file)))
        kernel = kernel_for(options.device)
        in_rounds = RecipeRun(runner, recipe, fitted, kernel, given, resume=options.resume)
        state, replayed = _run_rounds(in_rounds, checkpoint, job)
    elif options.cluster:
        from pruneapp.cluster.export import hash_on_workers, refuse_request
        from pruneapp.cluster.steps import ClusterState, apply_actions

        refuse_request(checkpoint, request)
        cluster = stack.enter_context(connection(options, job))
        with hash_on_workers(cluster, checkpoint, job):
            state, done = apply_actions(
                ClusterState(cluster, checkpoint), fitted, recipe.where, job
            )
        replayed = recipe_of(checkpoint, done)
    else:
        with hash_in_background(checkpoint.files):
            state, replayed = apply_recipe(
                checkpoint, recipe, fitted, kernel_for(options.device), job
            )
    replayed = without_superseded(replayed)
    touched = {name for entry in fitted.entries for name in entry.names}
    already_zero: tuple[str, ...] = ()
    if all(isinstance(entry.action, Step | Schedule) for entry in fitted.entries):
        already_zero = zeros_pruned_by(options, Snapshot(checkpoint), state, touched, job)
    steps = [StepAccount(entry.label, entry.detail) for entry in fitted.entries]
    report, problem = write_export(options, state, replayed, request, job, steps=steps)
    notices = [*fitted.notices, *already_zero_notice(already_zero), *report.notices]
    if collects and options.save_statistics is None:
        notices.append(_NOT_KEPT)
    lines: list[str] = []
    if in_rounds is not None:
        in_rounds.delete_kept()
        lines = [*_round_lines(in_rounds), ""]
        if options.save_recipe is None and sum(1 for _ in values_entries(replayed)) > 1:
            notices.append(_VALUES_NOT_KEPT)
    return report_output(
        report,
        notices,
        touched,
        already_zero=already_zero,
        lines=lines,
        data={
            "recipe": replayed.sha256,
            **({} if in_rounds is None else {"rounds": _round_data(in_rounds)}),
            "entries": [entry.label for entry in fitted.entries],
            "already_zero": already_zero,
        },
        problem=problem,
    )


_NOT_KEPT = (
    "The statistics of activations were not kept, and pruneapp verify needs them: "
    "--save-statistics FILE keeps them."
)


_VALUES_NOT_KEPT = (
    "The values of earlier rounds are not in the file, and pruneapp verify needs them: "
    "--save-recipe RECIPE keeps them next to the recipe."
)


def _run_rounds(in_rounds: RecipeRun, checkpoint: Checkpoint, job: Job) -> tuple[Snapshot, Recipe]:
    """Apply a recipe with rounds; print each, and how to continue if it is interrupted."""

    def show(event: Mapping[str, Any]) -> None:
        if event["what"] == "round":
            sys.stderr.write(f"Round {event['number']:,} of {event['rounds']:,}\n")
        elif event["what"] == "measured":
            sys.stderr.write(
                f"  {event['metric']} {real(event['value'])}, unpruned {real(event['unpruned'])}\n"
            )

    try:
        with print_details(), hash_in_background(checkpoint.files):
            return in_rounds.apply(Snapshot(checkpoint), job, show)
    except BaseException:
        if in_rounds.rounds:
            sys.stderr.write(
                f"{counted(len(in_rounds.rounds), 'round')} of this schedule are complete; the "
                "same command with --resume continues.\n"
            )
        raise


def _round_lines(in_rounds: RecipeRun) -> Iterator[str]:
    """Yield a table of the rounds of the last schedule, and a sentence for each schedule."""
    rows = [
        (
            f"{one.number:,}",
            f"{one.sparsity:.1%}",
            "-" if one.change is None else real(one.change.metric.value),
            "worse than allowed" if one.worse else "",
        )
        for one in in_rounds.rounds
    ]
    change = next((one.change for one in in_rounds.rounds if one.change is not None), None)
    name = "metric" if change is None else change.name
    yield from table(("round", "sparsity of the model", name, ""), rows)
    yield from in_rounds.summaries


def _round_data(in_rounds: RecipeRun) -> list[dict[str, Any]]:
    """Return the rounds of the last schedule as JSON data."""
    return [
        {
            **attributes(one, "number sparsity worse"),
            "metric": None if one.change is None else one.change.name,
            "value": None if one.change is None else one.change.metric.value,
            "unpruned": None if one.change is None else one.change.original.value,
        }
        for one in in_rounds.rounds
    ]


def _is_collecting(
    options: argparse.Namespace, recipe: Recipe, checkpoint: Checkpoint, job: Job, *, recovers: bool
) -> bool:
    """Return whether the options request collecting statistics for a recipe.

    Raises `RecipeError` before the script is run if anything else in the recipe does not fit (with
    --check it returns False), and `ParameterError` for options that need a script, or with a
    cluster. Prints a note if the recipe needs neither statistics nor, with `recovers`, the script.
    """
    if options.script is options.text is options.images is None:
        for name in ("save_statistics", "python", "samples", "time_limit"):
            if getattr(options, name) is not None:
                raise ParameterError(
                    f"'{option_of(name)}' is for statistics that are collected.",
                    remedy="Add --script, --text or --images.",
                )
        return False
    if options.cluster:
        raise ParameterError(
            "Statistics of activations cannot be collected on a cluster.",
            remedy="Collect them with pruneapp statistics, and name the file with --statistics.",
        )
    if not rows_at_hand(recipe):
        if recovers:
            return False
        print_notes(["The recipe ranks by no statistics of the checkpoint, so none are collected."])
        return False
    fitted = fit(recipe, checkpoint, job, recovers=recovers)
    others = tuple(one for one in fitted.problems if one.sentence != NO_STATISTICS)
    if others and options.check:  # all problems are listed later
        return False
    replace(fitted, problems=others).actions(recipe.where)
    return True


def _collect(
    options: argparse.Namespace, recipe: Recipe, checkpoint: Checkpoint, stack: ExitStack, job: Job
) -> str:
    """Collect the statistics that a recipe ranks by; return the name that steps use for them.

    Runs the script. Without --save-statistics, they are written to a temporary file, which is
    deleted when the stack ends.
    """
    if options.save_statistics is None:
        path = stack.enter_context(temporary_folder()) / "model.statistics.safetensors"
    else:
        path = Path(options.save_statistics)
    gram = any(registry.get(row.name).takes_grams for row in rows_at_hand(recipe))
    device = "" if options.device == "auto" else options.device
    collect_by(options, checkpoint, path, job, gram=gram, device=device)
    return register(path, job)


def _add_zeros_entry(recipe: Recipe, checkpoint: Checkpoint, job: Job) -> Recipe:
    """Return a recipe that first counts the zeros of the file as pruned.

    Returns `recipe` if it has such an entry already; or, with a note to standard error, if the file
    has no such zeros.
    """
    if any(isinstance(entry, TreatZerosEntry) for entry in recipe.entries):
        return recipe
    tensors = find_zeros(Snapshot(checkpoint), None, job).tensors
    if not tensors:
        sys.stderr.write(f"Note: {NO_ZEROS}\n")
        return recipe
    entry = to_portable_entry(
        checkpoint, TreatZeros(tuple(tensor.name for tensor in tensors)).to_dict()
    )
    return replace(recipe, entries=(entry, *recipe.entries), n_added=1)


def _recipe(options: argparse.Namespace, job: Job) -> Recipe:
    """Read the recipe named on the command line.

    Raises `RecipeError`, with a hint if it is a checkpoint or the two files are swapped.
    """
    try:
        return load(locate(options.recipe), job)
    except RecipeError:
        if not is_recipe(locate(options.recipe)) and is_recipe(locate(options.file)):
            end = "--check" if options.output is None else f"-o {shlex.quote(options.output)}"
            words = f"{shlex.quote(options.file)} {shlex.quote(options.recipe)}"
            raise RecipeError(
                f"The recipe comes first, then the checkpoint, but '{options.file}' is the recipe.",
                remedy=f"Use: pruneapp run {words} {end}",
            ) from None
        if _is_checkpoint(locate(options.recipe), job):
            raise RecipeError(
                f"'{options.recipe}' is a checkpoint, not a recipe.",
                remedy="Name the recipe first, then the checkpoint: "
                "pruneapp run RECIPE FILE -o OUT",
            ) from None
        raise


def _is_checkpoint(path: Path, job: Job) -> bool:
    try:
        open_checkpoint(path, job=job).close()
    except PruneAppError:
        return False
    return True


def _lines(fitted: Fit) -> Iterator[str]:
    """Yield the numbered entries of a recipe, its problems and its notes.

    An entry that was added on the command line has the number 0.
    """
    for number, entry in enumerate(fitted.entries, 1 - fitted.n_added):
        count = counted(len(entry.names), "tensor")
        yield f"{number:>4}  {entry.label}{'' if count in entry.label else f' ({count})'}"
        for line in entry.detail.splitlines():
            if line.startswith("Rule "):
                yield f"      {line}"
    for problem in fitted.problems:
        yield f"Problem: {problem}"
    for notice in fitted.notices:
        yield f"Note: {notice}"


def _data(fitted: Fit) -> dict[str, Any]:
    """Return how a recipe fits as JSON data."""
    return {
        "fits": not fitted.problems,
        "entries": [
            {"label": e.label, "tensors": in_numeric_order(e.names)} for e in fitted.entries
        ],
        **attributes(fitted, "problems notices"),
    }
