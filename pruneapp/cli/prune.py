"""``pruneapp prune``: apply one step to a checkpoint and export the result."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from pruneapp.analysis.zeros import NO_ZEROS, find_zeros
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.io.digest import hash_in_background
from pruneapp.cli.export_options import (
    already_zero_notice,
    export_request,
    report_output,
    write_export,
    zeros_pruned_by,
)
from pruneapp.cli.options import connection, parameter_values, refuse_cluster_options
from pruneapp.cli.terminal import Output
from pruneapp.document.document import Capture, Document
from pruneapp.document.selection import (
    default_selection,
    pruned_tensors,
    rows_of,
    select,
    with_trace_of_groups,
)
from pruneapp.document.step import Row, Step
from pruneapp.edits.dependents import dependents_of
from pruneapp.edits.existing_masks import names_in, open_document, read_masks_for
from pruneapp.edits.zeros import TreatZeros
from pruneapp.errors import ClusterError, ParameterError, SelectionError, counted
from pruneapp.export.records import State
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
from pruneapp.params import STATISTICS, parse_bytes
from pruneapp.preview.preview import compute_preview, state_after
from pruneapp.progress import Job
from pruneapp.recipes.recipe import Recipe, history_recipe, recipe_of, to_portable_entry
from pruneapp.statistics.file import register as register_statistics
from pruneapp.statistics.file import statistics_of


def register_methods(file: str | None) -> None:
    """Register the methods of a .py file; runs its code. None or "" does nothing.

    Raises what `load_file` raises, and an error if torch is missing.
    """
    if file:
        require_torch_for_methods()
        from pruneapp.prune.custom_methods import load_file

        for method in load_file(Path(file)):
            registry.register(method)


def prune(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Prune one step and export the result.

    Parameters, limits and paths are validated before weights are read. Raises `PruneAppError` for
    anything that the user can fix.
    """
    register_methods(options.load_method)
    method = registry.get(options.method)
    nbytes = _requested_file_size(options, method)
    limits = Limits(**parameter_values(options, "limit", LIMITS))
    check_limits(method, limits)
    values = method_values(options, method, amount=limits.target_sparsity is None)
    scope = options.scope or method.scopes[0]
    check_scope(method, scope)
    refuse_cluster_options(options)
    kernel = None if options.cluster else kernel_for(options.device)
    checkpoint = stack.enter_context(
        open_checkpoint(options.file, state_dict=options.state_dict, job=job)
    )
    request = export_request(options, checkpoint)
    if name := values.get(STATISTICS.name):
        statistics_of(name).refuse_other(checkpoint, job)
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
    notices: list[str] = []
    if options.treat_zeros:
        notices += _treat_zeros(document, job)
    masks, scores = (
        stack.enter_context(open_checkpoint(p)) if p else None
        for p in _other_files(options, method)
    )
    if options.select:
        names = select(checkpoint, options.select)
    elif masks is not None:
        names = names_in(masks, checkpoint)
    else:
        names = usual_selection(checkpoint)
        if method.takes_statistics and not isinstance(method, CoupledMethod):
            names = select_with_statistics(checkpoint, method, values, names)
    given = None if masks is None else read_masks_for(checkpoint, names, masks, job)
    pattern = options.select[0] if len(options.select) == 1 else ""
    row = Row(names, method.name, values, pattern)
    step = Step((row,), scope, limits, options.prune_bias_and_norm, dependents=options.dependents)
    rows = rows_of(checkpoint, step)
    touched = pruned_tensors(rows)
    if step.dependents:
        notices.append(dependents_of(checkpoint, rows, job).sentence(checkpoint))
    if nbytes is not None:
        total = total_for(Capture.of(document), step, nbytes, job)
        step = replace(step, limits=replace(limits, target_sparsity=total))
    state: State
    if cluster is not None:
        from pruneapp.cluster.export import hash_on_workers
        from pruneapp.cluster.steps import ClusterState, apply_step

        with hash_on_workers(cluster, checkpoint, job):
            state = apply_step(ClusterState(cluster, checkpoint), step, job)
        recipe = recipe_of(checkpoint, [step.to_dict()])
    else:
        assert kernel is not None
        with hash_in_background(checkpoint.files):
            state, recipe = _apply_step(document, step, kernel, job, given=given, scores=scores)
    already_zero = zeros_pruned_by(options, document.snapshot(), state, touched, job)
    steps = (StepAccount(step.label(), step.detail()),)
    report, problem = write_export(options, state, recipe, request, job, steps=steps)
    return report_output(
        report,
        [*notices, *already_zero_notice(already_zero), *report.notices],
        touched,
        already_zero=already_zero,
        data={
            "method": method.name,
            # A total replaces the amount.
            "values": {
                n: v for n, v in values.items() if n != "amount" or limits.target_sparsity is None
            },
            "limits": step.limits.to_dict(),
            "step": step.label(),
            "already_zero": already_zero,
        },
        problem=problem,
    )


def _treat_zeros(document: Document, job: Job) -> tuple[str, ...]:
    """Count the zeros of the file as pruned. Return a notice if there are none."""
    names = [tensor.name for tensor in find_zeros(document.snapshot(), None, job).tensors]
    if not names:
        return (NO_ZEROS,)
    document.commit(TreatZeros(tuple(names)).propose(document.snapshot(), job))
    return ()


def _requested_file_size(options: argparse.Namespace, method: Method) -> int | None:
    """Return the file size in bytes given as --target-sparsity; None if it is not a size.

    If it is one, sets the option to 100 % until the file is open. Raises `ParameterError` if the
    method prunes whole channels or blocks.
    """
    nbytes = (
        None
        if options.limit_target_sparsity is None
        else parse_bytes(options.limit_target_sparsity)
    )
    if nbytes is None:
        return None
    if method.granularity != "weights":
        raise ParameterError(
            f"'{method.name}' prunes whole {method.granularity}, so a file size cannot "
            "be guaranteed.",
            remedy="Enter a fraction or a count, or choose an unstructured method.",
        )
    options.limit_target_sparsity = "100%"  # the number of weights depends on the file
    return nbytes


def method_values(options: argparse.Namespace, method: Method, *, amount: bool) -> dict[str, Any]:
    """Return the parameter values of a method, with defaults for those not given.

    Opens and registers a statistics file among them; its value becomes the name that steps use.
    `amount` is whether the method's amount is required; otherwise it must not be given. Raises
    `ParameterError` for missing or invalid values.
    """
    values = parameter_values(options, "param", method.params, f"'{method.name}'")
    if "amount" in values and not amount:
        raise ParameterError(
            "--target-sparsity replaces --amount (got both).", remedy="Remove one of them."
        )
    if method.has_amount and "amount" not in values and amount:
        raise ParameterError(
            f"'{method.name}' needs --amount or --target-sparsity.",
            remedy="Enter a fraction (0.5 or 50%) or a count (1000).",
        )
    if method.needs_statistics(values) and STATISTICS.name not in values:
        how = f" with --by {values['by']}" if isinstance(method, CoupledMethod) else ""
        raise ParameterError(
            f"'{method.name}'{how} needs --statistics FILE.",
            remedy="Collect them with `pruneapp statistics`.",
        )
    if path := values.get(STATISTICS.name):
        values[STATISTICS.name] = register_statistics(Path(path), forced=options.force_statistics)
    return method.validate(values)


def register_statistics_files(options: argparse.Namespace, job: Job) -> tuple[str, ...]:
    """Open the statistics files in the options. Return the names that steps use for them."""
    forced = options.force_statistics
    return tuple(register_statistics(Path(path), job, forced=forced) for path in options.statistics)


def select_with_statistics(
    checkpoint: Checkpoint, method: Method, values: Mapping[str, Any], names: Iterable[str]
) -> tuple[str, ...]:
    """Return the tensors of `names` for which the statistics have what a method needs, in order.

    `values` are those of `method_values`. Prints a note about others. Raises `SelectionError` if
    there are none.
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
    """Return the default selection.

    Raises `SelectionError`, with the reason, if it is empty.
    """
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


def _apply_step(
    document: Document,
    step: Step,
    kernel: Kernel,
    job: Job,
    *,
    given: Mapping[str, BitMask] | None,
    scores: Checkpoint | None,
) -> tuple[State, Recipe]:
    """Return the state after a step, and the recipe that reproduces it from the file alone.

    The recipe begins with earlier edits of the document. `given` are masks to apply, by name, and
    `scores` a file to rank by; None if there are none. The document does not change.
    """
    checkpoint, snapshot = document.checkpoint, document.snapshot()
    before = history_recipe(Capture.of(document), job)
    masks: dict[str, BitMask] = {}
    state: State
    if given is None and scores is None and not before.entries:
        state = state_after(snapshot, step, kernel, job)
        entry: Mapping[str, Any] = with_trace_of_groups(checkpoint, step).to_dict()
    else:
        # Masks from other files, and patterns, are stored in the recipe as masks, so compute them.
        preview = compute_preview(
            snapshot, step, kernel, job, norms=False, given=given, scores=scores
        )
        state = preview.edit.apply_to(snapshot)
        entry = preview.edit.to_dict(masks)
    entries = (*before.entries, to_portable_entry(checkpoint, entry))
    return state, replace(before, entries=entries, masks={**before.masks, **masks})


def _other_files(options: argparse.Namespace, method: Method) -> tuple[str | None, str | None]:
    """Return the paths of masks and importance scores in the options; None if not given.

    Raises `ParameterError` if the method needs masks and none are given, or takes none of what is
    given.
    """
    if options.mask is None and method.takes_mask:
        raise ParameterError(
            f"'{method.name}' needs --mask FILE.",
            remedy="Specify a checkpoint that contains the masks under the names of the tensors.",
        )
    if options.mask is not None and not method.takes_mask:
        raise ParameterError(
            f"'{method.name}' does not take --mask.",
            remedy="Remove it, or choose custom_from_mask.",
        )
    if options.importance_scores is not None and not method.takes_scores:
        raise ParameterError(
            f"'{method.name}' does not take --importance-scores.",
            remedy="Remove them, or choose a method that ranks by magnitude.",
        )
    return options.mask, options.importance_scores
