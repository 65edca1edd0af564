"""``pruneapp prune``: apply one step to a checkpoint and export the result."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pruneapp.analysis.zeros import NO_ZEROS, find_zeros, zeros_pruned_again
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.io.digest import hashed_meanwhile
from pruneapp.cli import terminal
from pruneapp.cli.export_options import (
    already_zero_notice,
    check_paths,
    check_request,
    export_request,
    output_path,
    print_report,
    report_as_json,
    write_export,
)
from pruneapp.cli.options import connection, option_of, refuse_cluster_options
from pruneapp.cli.terminal import print_json
from pruneapp.document.document import Capture, Document
from pruneapp.document.selection import default_selection, pruned_in, rows_of, select
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.edits.dependents import dependents_of
from pruneapp.edits.existing_masks import names_in, open_document, read_masks_for
from pruneapp.edits.zeros import TreatZeros
from pruneapp.errors import ClusterError, ParameterError, SelectionError, counted, in_numeric_order
from pruneapp.export.records import State
from pruneapp.export.report import ExportReport
from pruneapp.export.report_writer import StepAccount
from pruneapp.export.size_bounds import total_for
from pruneapp.installation import require_torch_for_methods
from pruneapp.kernels.devices import kernel_for
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods import registry
from pruneapp.methods.cutoff import check_scope
from pruneapp.methods.limits import LIMITS, Limits, check_limits
from pruneapp.methods.method import CoupledMethod, Method
from pruneapp.params import STATISTICS, FileParam, parse_bytes
from pruneapp.preview.preview import compute_preview, state_after
from pruneapp.progress import CancelToken, Job
from pruneapp.recipes.recipe import Recipe, history_recipe, portable, recipe_of, save
from pruneapp.statistics.file import register as register_statistics
from pruneapp.statistics.file import statistics_of


def register_methods(file: str | None) -> None:
    """Register the methods of a .py file; runs its code. None or "" does nothing."""
    if file:
        require_torch_for_methods()
        from pruneapp.prune.custom_methods import load_file

        for method in load_file(Path(file)):
            registry.register(method)


def prune(options: argparse.Namespace, token: CancelToken) -> int:
    """Prune, export and print a report."""
    register_methods(options.load_method)
    method = registry.get(options.method)
    nbytes = _requested_file_size(options, method)
    params = {param.name: param for param in LIMITS}
    given = _given(options, "limit")
    limits = Limits(**{name: params[name].parse(text) for name, text in given.items()})
    check_limits(method, limits)
    values = method_values(options, method, amount=limits.total is None)
    scope = options.scope or method.scopes[0]
    check_scope(method, scope)
    target = output_path(options.output)
    check_request(options, target)
    refuse_cluster_options(options)
    kernel = None if options.cluster else kernel_for(options.device)
    with contextlib.ExitStack() as stack:
        job = stack.enter_context(terminal.job("Opening", token))
        checkpoint = stack.enter_context(
            open_checkpoint(options.file, state_dict=options.state_dict, job=job)
        )
        request = export_request(options, target, checkpoint)
        check_paths(options, checkpoint, request)
        refuse_other_statistics(checkpoint, values, job)
        cluster = None
        if options.cluster:
            from pruneapp.cluster.export import refuse_request

            refuse_request(checkpoint, request)
            if nbytes is not None:
                raise ClusterError(
                    "A file size cannot be the target on a cluster yet.",
                    remedy="Enter a fraction or a count, or run without --cluster.",
                )
            cluster = stack.enter_context(connection(options, job))
        document = open_document(checkpoint, job)
        stack.callback(document.close)
        notices: tuple[str, ...] = ()
        if options.treat_zeros:
            notices = _treat_zeros(document, job)
        masks = _masks(options, method, stack)
        scores = _scores(options, method, stack)
        if options.select:
            names = select(checkpoint, options.select)
        elif masks is not None:
            names = names_in(masks, checkpoint)
        else:
            names = usual_selection(checkpoint)
            if method.takes_statistics and not isinstance(method, CoupledMethod):
                names = with_statistics(checkpoint, method, values, names)
        custom = None if masks is None else read_masks_for(checkpoint, names, masks, job)
        pattern = options.select[0] if options.select and len(options.select) == 1 else ""
        row = Row(names, method.name, values, pattern)
        step = Step((row,), scope, limits, options.companions, dependents=options.dependents)
        rows = rows_of(checkpoint, step)
        touched = tuple(in_numeric_order(tuple(pruned_in(rows))))
        if step.dependents:
            notices = (*notices, dependents_of(checkpoint, rows, job).sentence(checkpoint))
        if nbytes is not None:
            total = total_for(Capture.of(document), step, nbytes, job)
            step = replace(step, limits=replace(limits, total=total))
        state: State
        if cluster is not None:
            from pruneapp.cluster.export import hashed_by
            from pruneapp.cluster.steps import ClusterState, apply_step

            with hashed_by(cluster, checkpoint, job):
                state = apply_step(ClusterState(cluster, checkpoint), step, job)
            recipe = recipe_of(checkpoint, [step.to_dict()])
        else:
            assert kernel is not None
            with hashed_meanwhile(checkpoint.files):
                state, recipe = _after(document, step, kernel, job, given=custom, scores=scores)
        on_cluster = cluster is not None
        before = document.snapshot()
        already_zero = zeros_pruned_by(before, state, touched, job, on_cluster=on_cluster)
        notices = (*notices, *already_zero_notice(already_zero))
        if options.save_recipe:
            save(recipe, Path(options.save_recipe), job)
        steps = (StepAccount(step.label(), step.detail()),)
        report, problem = write_export(options, state, recipe, request, job, steps=steps)
        notices = (*notices, *report.notices)
    if options.json:
        more = {"already_zero": already_zero, "notices": notices}
        print_json(_as_json(report, step, method, values, touched) | more)
    else:
        print_report(report, notices, touched, already_zero)
    if problem is not None:
        raise problem
    return 0


def zeros_pruned_by(
    before: Snapshot, state: State, names: Iterable[str], job: Job, *, on_cluster: bool
) -> tuple[str, ...]:
    """Return the tensors in which a step pruned only weights that were already zero."""
    if not on_cluster:
        return zeros_pruned_again(before, state, names, job)
    from pruneapp.cluster.steps import ClusterState

    assert isinstance(state, ClusterState)
    return state.zeros_pruned_again(names, job)


def _treat_zeros(document: Document, job: Job) -> tuple[str, ...]:
    """Count the zeros of the file as pruned. Return a notice if there are none."""
    names = [tensor.name for tensor in find_zeros(document.snapshot(), None, job).tensors]
    if not names:
        return (NO_ZEROS,)
    document.commit(TreatZeros(tuple(names)).propose(document.snapshot(), job))
    return ()


def _given(options: argparse.Namespace, kind: str) -> dict[str, str]:
    return {
        name.removeprefix(f"{kind}_"): text
        for name, text in vars(options).items()
        if name.startswith(f"{kind}_") and text is not None
    }


def _requested_file_size(options: argparse.Namespace, method: Method) -> int | None:
    """Return the file size given as --target-sparsity; None if it is not a size.

    The option is set to 100 % in that case, until the file is open.
    """
    nbytes = None if options.limit_total is None else parse_bytes(options.limit_total)
    if nbytes is None:
        return None
    if method.granularity != "weights":
        raise ParameterError(
            f"'{method.name}' prunes whole {method.granularity}, so a file size cannot "
            "be guaranteed.",
            remedy="Enter a fraction or a count, or choose an unstructured method.",
        )
    options.limit_total = "100%"  # the number of weights depends on the file
    return nbytes


def method_values(options: argparse.Namespace, method: Method, *, amount: bool) -> dict[str, Any]:
    """Return the parameter values of a method. Registers the statistics files among them.

    `amount` is whether the method's amount is required; otherwise it must not be given.
    """
    given = _given(options, "param")
    known = {p.name: p for p in method.params}
    for name in given:
        if name not in known:
            takes = ", ".join(map(option_of, known)) or "no parameters"
            raise ParameterError(
                f"'{method.name}' does not take {option_of(name)} (it takes {takes})."
            )
    if "amount" in given and not amount:
        raise ParameterError(
            "--target-sparsity replaces --amount (got both).", remedy="Remove one of them."
        )
    if "amount" in known and "amount" not in given and amount:
        raise ParameterError(
            f"'{method.name}' needs --amount or --target-sparsity.",
            remedy="Enter a fraction (0.5 or 50%) or a count (1000).",
        )
    parsed = {
        name: register_statistics(Path(text), forced=options.force_statistics)
        if isinstance(known[name], FileParam)
        else known[name].parse(text)
        for name, text in given.items()
    }
    if method.needs_statistics(parsed) and STATISTICS.name not in parsed:
        how = f" with --by {parsed['by']}" if isinstance(method, CoupledMethod) else ""
        raise ParameterError(
            f"'{method.name}'{how} needs --statistics FILE.",
            remedy="Collect them with `pruneapp statistics`.",
        )
    return method.validate(parsed)


def register_statistics_files(options: argparse.Namespace, job: Job) -> tuple[str, ...]:
    """Open the statistics files in the options. Return the names that steps use for them."""
    forced = options.force_statistics
    return tuple(register_statistics(Path(path), job, forced=forced) for path in options.statistics)


def refuse_other_statistics(checkpoint: Checkpoint, values: Mapping[str, Any], job: Job) -> None:
    """Raise `ParameterError` if the values include statistics of another checkpoint."""
    if name := values.get(STATISTICS.name):
        statistics_of(name).refuse_other(checkpoint, job)


def with_statistics(
    checkpoint: Checkpoint, method: Method, values: Mapping[str, Any], names: Iterable[str]
) -> tuple[str, ...]:
    """Return the tensors for which the statistics have what a method needs.

    Prints a note about others. Raises `SelectionError` if there are none.
    """
    statistics = statistics_of(values[STATISTICS.name])
    if method.takes_grams and not statistics.grams:
        raise SelectionError(
            f"'{method.name}' needs Gram matrices, but the statistics '{statistics.path}' have "
            "none.",
            remedy="Collect them with `pruneapp statistics --gram`.",
        )
    entries = [checkpoint.entry(name) for name in names]
    covered = []
    for entry in entries:
        inputs = statistics.inputs(entry.names, entry.shape)
        if inputs is not None and (inputs.gram is not None or not method.takes_grams):
            covered.append(entry.name)
    if not covered:
        raise SelectionError(
            f"The statistics '{statistics.path}' say nothing of the tensors of "
            f"'{checkpoint.path}'.",
            remedy="Choose statistics that were collected with this model.",
        )
    n_uncovered = len(entries) - len(covered)
    if n_uncovered:
        sys.stderr.write(
            f"Note: {counted(n_uncovered, 'tensor is', 'tensors are')} left as is, because the "
            "statistics say nothing of the inputs. Select tensors with --select.\n"
        )
    return tuple(covered)


def usual_selection(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return the default selection. Raises `SelectionError` if it is empty."""
    names = default_selection(checkpoint)
    if names:
        return names
    prunable = [e for e in checkpoint.entries.values() if e.prunable]
    if prunable:
        raise SelectionError(
            f"'{checkpoint.path}' contains only tensors that are not selected by "
            f"default (such as '{prunable[0].name}').",
            remedy="Select them with --select.",
        )
    first = next(iter(checkpoint.entries.values()), None)
    reason = f" ('{first.name}': {first.why_not})" if first is not None else ""
    raise SelectionError(f"'{checkpoint.path}' contains nothing that can be pruned{reason}.")


def _after(
    document: Document,
    step: Step,
    kernel: Kernel,
    job: Job,
    *,
    given: Mapping[str, BitMask] | None,
    scores: Checkpoint | None,
) -> tuple[State, Recipe]:
    """Return the state after a step, and the recipe that reproduces it from the file alone."""
    checkpoint, snapshot = document.checkpoint, document.snapshot()
    before = history_recipe(Capture.of(document), job)
    masks: dict[str, BitMask] = {}
    state: State
    if given is None and scores is None and not before.entries:
        state = state_after(snapshot, step, kernel, job)
        entry: Mapping[str, Any] = step.to_dict()
    else:
        # Masks from other files, and patterns, are stored in the recipe as masks, so compute them.
        preview = compute_preview(
            snapshot, step, kernel, job, norms=False, given=given, scores=scores
        )
        state = preview.edit.applied_to(snapshot)
        entry = preview.edit.to_dict(masks)
    return state, Recipe((*before.entries, portable(checkpoint, entry)), masks)


def _scores(
    options: argparse.Namespace, method: Method, stack: contextlib.ExitStack
) -> Checkpoint | None:
    if options.importance_scores is None:
        return None
    if not method.takes_scores:
        raise ParameterError(
            f"'{method.name}' does not take --importance-scores.",
            remedy="Remove them, or choose a method that ranks by magnitude.",
        )
    return stack.enter_context(open_checkpoint(options.importance_scores))


def _masks(
    options: argparse.Namespace, method: Method, stack: contextlib.ExitStack
) -> Checkpoint | None:
    if options.mask is None and method.takes_mask:
        raise ParameterError(
            f"'{method.name}' needs --mask FILE.",
            remedy="Name a checkpoint that holds the masks under the names of the tensors.",
        )
    if options.mask is not None and not method.takes_mask:
        raise ParameterError(
            f"'{method.name}' does not take --mask.",
            remedy="Remove it, or choose custom_from_mask.",
        )
    if options.mask is None:
        return None
    return stack.enter_context(open_checkpoint(options.mask))


def _as_json(
    report: ExportReport,
    step: Step,
    method: Method,
    values: dict[str, Any],
    touched: Collection[str],
) -> dict[str, Any]:
    total = step.limits.total is not None  # the amount is not used then
    return {
        "method": method.name,
        "values": {n: v for n, v in values.items() if n != "amount" or not total},
        "limits": step.limits.to_dict(),
        "step": step.label(),
        **report_as_json(report, touched),
    }
