"""Options, checks and output of the commands that export.

Files that a command reads and writes must not overwrite each other.
"""

from __future__ import annotations

import argparse
import itertools
import os
import stat
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pruneapp.analysis.zeros import zeros_pruned_again
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.files import is_folder
from pruneapp.checkpoint.io.store import locate
from pruneapp.cli.files import is_same_file, output_path, refuse_input, resolved_path
from pruneapp.cli.options import option_of, parameter_values
from pruneapp.cli.terminal import Output, attributes, file_line, percent, printable_name
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import (
    ExportError,
    ParameterError,
    PruneAppError,
    counted,
    escape_text,
    first_names,
    in_numeric_order,
)
from pruneapp.export.catalog import get, usual_format
from pruneapp.export.destination.sidecars import sidecar_files
from pruneapp.export.destination.target import check_file, check_not_file, not_replaced_notice
from pruneapp.export.exporter import MakeFiles, check, export, make_files, writes_folder
from pruneapp.export.provenance import KEY, provenance_of
from pruneapp.export.records import State
from pruneapp.export.report import ExportReport, ExportRequest
from pruneapp.export.report_writer import KINDS, StepAccount, account_of, write_account
from pruneapp.export.scripts.comparison_script import write_check_script
from pruneapp.progress import Cancelled, Job
from pruneapp.recipes.recipe import Recipe, save


def uncounted_zeros_notice(checkpoint: Checkpoint) -> str:
    """Return a notice about zeros that may be pruned weights, but are not counted as pruned.

    "" unless Pruneapp wrote the file (according to its metadata), it contains no masks, and a
    tensor can be pruned. The weights are not read.
    """
    entries = checkpoint.entries.values()
    by_pruneapp = any(key.startswith(KEY) for key in checkpoint.metadata)
    if not by_pruneapp or any(e.mask_of for e in entries) or not any(e.prunable for e in entries):
        return ""
    return (
        f"Pruneapp wrote '{checkpoint.path.name}'. Weights pruned earlier are ordinary zeros in it "
        "and are not counted as pruned; 'pruneapp diff' with the original file counts them. To "
        "keep masks, export as resumable."
    )


def already_zero_notice(names: Sequence[str]) -> tuple[str, ...]:
    """Return a notice about tensors in which only weights that were already zero are pruned.

    A tuple with the notice, or without any if there are no `names`.
    """
    notice = (
        f"In {first_names(names)}, only weights that were zero already are pruned, so nothing "
        "changes there. Use --treat-zeros to count the zeros of the file as pruned first; the "
        "amount then applies to the other weights."
    )
    return (notice,) if names else ()


def report_output(
    report: ExportReport,
    notices: Sequence[str],
    selected: Collection[str],
    *,
    already_zero: Collection[str] = (),
    lines: Iterable[str] = (),
    data: Mapping[str, Any] | None = None,
    problem: Exception | None = None,
) -> Output:
    """Return the output of a command that exported a model.

    Nothing is printed or raised yet.

    Parameters
    ----------
    notices
        Notes to print after the report.
    selected
        Tensors that the step prunes; their sparsity is printed in addition to that of the model.
    already_zero
        Tensors in which only weights that were already zero were pruned.
    lines, data
        What the command prints before the report, and its JSON data.
    problem
        The error that prevented writing a report or script; raised after the output is printed.
    """
    known = frozenset(selected)
    # As in the whole model, buffers count only if they are pruned: a repair may change others.
    tensors = [t for t in report.tensors if t.name in known and (t.learned or t.pruned)]
    numel, pruned = sum(t.numel for t in tensors), sum(t.pruned for t in tensors)

    def report_lines() -> Iterator[str]:
        """Yield the pruned tensors with their sparsity, the files, the totals and the notes."""
        yield from lines
        for tensor in report.tensors:
            if tensor.pruned:
                share = percent(tensor.pruned, tensor.numel)
                unchanged = "  (zero already)" * (tensor.name in already_zero)
                yield f"{share:>8}  {printable_name(tensor.name)}{unchanged}"
        yield from map(file_line, report.files)
        if selected:
            zeros = sum(t.pruned for t in report.tensors if t.name in already_zero)
            changed = f", {zeros:,} of them zero already" if already_zero else ""
            yield (
                f"{counted(len(tensors), 'selected tensor')}: {pruned:,} of {numel:,} weights "
                f"pruned ({percent(pruned, numel)}){changed}"
            )
        yield (
            f"Whole model: {report.pruned:,} of {report.numel:,} weights pruned "
            f"({percent(report.pruned, report.numel)}), "
            f"{'read back and compared' if report.verified else 'not verified'}"
        )
        # Sentences about broken patterns were printed to standard error before the export.
        announced = {f"{each.sentence}." for each in report.broken}
        yield from (f"Note: {notice}" for notice in notices if notice not in announced)

    def report_data() -> dict[str, Any]:
        """Return the report and `data` as one JSON object."""
        return {
            **(data or {}),
            **attributes(report, _REPORT),
            "selected": {
                "tensors": len(tensors),
                "parameters": numel,
                "pruned": pruned,
                "sparsity": pruned / numel if numel else 0.0,
            },
            "tensors": report.tensors,
            "notices": notices,
            "broken_patterns": [attributes(each, "n m dim groups") for each in report.broken],
            "omitted": in_numeric_order(report.omitted),
            "provenance": report.provenance,
        }

    return Output(report_lines(), report_data, problem=problem)


_REPORT = (
    "format path bytes=nbytes sha256 verified files kept_originals parameters=numel pruned sparsity"
)


def zeros_pruned_by(
    options: argparse.Namespace, before: Snapshot, state: State, names: Collection[str], job: Job
) -> tuple[str, ...]:
    """Return the tensors of `names` in which only zeros were pruned from `before` to `state`.

    In numeric order; compared on the cluster if the options name one.
    """
    ordered = in_numeric_order([name for name in before.checkpoint.entries if name in names])
    if not options.cluster:
        return zeros_pruned_again(before, state, ordered, job)
    from pruneapp.cluster.steps import ClusterState

    assert isinstance(state, ClusterState)
    return state.zeros_pruned_again(ordered, job)


def export_request(options: argparse.Namespace, checkpoint: Checkpoint) -> ExportRequest:
    """Return the export that the options request, after checking the format and the paths.

    The default format is that of the output name, or of the source. Nothing is written. Whether the
    export itself can be written to its path is checked by `export` only.

    Raises
    ------
    ParameterError
        If the format lacks a parameter, its value is invalid, an entry of ``--omit`` matches no
        unreadable tensor, or a report has an unknown suffix; if the export has the name of a folder
        but is a single file, or would replace a read-only file without ``--replace-original``; if
        an output is standard output, an input or another output (but the export may replace the
        opened files, and a comparison script is not compared), or an additional file has no name;
        if a comparison script is requested, and the export would delete the original.
    ExportError
        If the format cannot represent the checkpoint, a folder would get the name of a file, or an
        additional file cannot be written to its path.
    FileChangedError
        If an opened file has changed.
    """
    target = output_path(options.output)
    form = get(options.format) if options.format else usual_format(target, checkpoint)
    values = parameter_values(options, "export", form.params, f"The format '{form.name}'")
    check_not_file(target, form, values)
    for path in options.report:
        if Path(path).suffix.lower() not in KINDS:
            raise ParameterError(f"'--report' must end in {', '.join(KINDS)} (got '{path}').")
    request = ExportRequest(
        format=form.name,
        path=target,
        replace_original=options.replace_original,
        follow_links=options.follow_links,
        params=values,
        omit=tuple(options.omit),
    )
    _check_paths(options, checkpoint, request)
    return request


# Options that name files to read, and files to replace.
_READ = (
    *("recipe", "mask", "importance_scores", "load_method", "against", "statistics"),
    *("param_statistics", "script", "text"),
)
_WRITTEN = ("save_recipe", "save_statistics", "report")
# Options for files that are written in addition to the export.
_BESIDE = (*_WRITTEN, "comparison_script")


def _check_paths(
    options: argparse.Namespace, checkpoint: Checkpoint, request: ExportRequest
) -> None:
    """Raise the errors of `export_request` about paths, and about the checkpoint and its format.

    Checks the export, the recipe, the statistics, the reports and the script. Nothing is written.
    """
    for name, text in _values(options, _BESIDE):
        if text in {"", "-"}:  # "-" is the standard output in other programs
            raise ParameterError(
                f"{option_of(name)} must be the name of a file (got '{text}').",
                remedy="For a file that is called '-', write './-'." if text else "",
            )
    output = request.path
    form = get(request.format)
    check(checkpoint, request)
    is_folder_export = writes_folder(checkpoint, request)
    if options.output.endswith(("/", os.sep)) and not is_folder_export:
        raise ParameterError(
            f"'{options.output}' is the name of a folder, but the export is a single file.",
            remedy=f"Add the name of a file to it: '{options.output}model{form.suffixes[0]}'.",
        )
    _refuse_read_only(output, replace_original=request.replace_original)
    homes = (
        [checkpoint.folder] if checkpoint.contents.shards else [f.path for f in checkpoint.files]
    )
    script_needs_original = request.replace_original and getattr(options, "comparison_script", None)
    if script_needs_original and any(is_same_file(output, home) for home in homes):
        name = option_of("comparison_script")
        raise ParameterError(
            f"{name} needs the original, which --replace-original deletes.",
            remedy="Leave one of them out.",
        )
    more = ((name, locate(text)) for name, text in _values(options, _WRITTEN))
    written = [("output", output), *more]
    read = [locate(text) for _, text in _values(options, _READ)]
    index = checkpoint.contents.index
    opened = [file.path for file in checkpoint.files] + ([] if index is None else [index])
    opened += sidecar_files(checkpoint).values()
    for name, path in written:
        # The export may replace the opened files, because their originals are kept.
        inputs = read if name == "output" else [*read, *opened]
        refuse_input(path, option_of(name), inputs)
    for (name, path), (other_name, other) in itertools.combinations(written, 2):
        if is_same_file(path, other):
            raise ParameterError(
                f"{option_of(other_name)} and {option_of(name)} name the same file ('{path}').",
                remedy="Choose another name for one of them.",
            )
    if not options.overwrite:
        for path in map(locate, options.report):
            if path.exists():
                raise ParameterError(
                    f"'{path}' exists already, and is not replaced by a report.",
                    remedy="Choose another name, or allow it with --overwrite.",
                )
    for _, text in _values(options, _BESIDE):
        path = locate(text)
        if is_folder(output) or resolved_path(output) not in resolved_path(path).parents:
            check_file(path)


def _refuse_read_only(path: Path, *, replace_original: bool) -> None:
    """Raise `ParameterError` for a read-only file, although the system would allow replacing it.

    Not if it does not exist, is not a regular file, or `replace_original` is True.
    """
    try:
        mode = path.stat().st_mode
    except OSError:  # it does not exist; other problems are reported later
        return
    if replace_original or not stat.S_ISREG(mode) or mode & 0o222:
        return
    raise ParameterError(
        f"'{path}' is read-only, and is not replaced.",
        remedy="Choose another name, make it writable, or allow it with --replace-original.",
    )


def _values(options: argparse.Namespace, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the names and values of options that were given, once for each value of repeated ones.

    Options that the command lacks are skipped.
    """
    for name in names:
        given = getattr(options, name, None)
        yield from (
            (name, text)
            for text in (given if isinstance(given, list) else [given])
            if text is not None
        )


def write_export(
    options: argparse.Namespace,
    state: State,
    recipe: Recipe,
    request: ExportRequest,
    job: Job,
    *,
    steps: Sequence[StepAccount],
) -> tuple[ExportReport, PruneAppError | Cancelled | None]:
    """Save the recipe, export a state, then write its reports and its comparison script.

    Prints notes to standard error about files of a folder that will be replaced, and about patterns
    that do not hold. On a cluster, workers write the weights. Raises what `save` and `export`
    raise; errors after the export are returned instead.

    Returns
    -------
    tuple
        The report, and the error or cancellation that prevented a report or script, which does not
        affect the export itself (None if there is none).
    """
    checkpoint = state.checkpoint
    if getattr(options, "save_recipe", None):
        save(recipe, Path(options.save_recipe), job)
    make: MakeFiles = make_files
    if options.cluster:
        from pruneapp.cluster.export import ClusterWriter, provenance_on_cluster
        from pruneapp.cluster.steps import ClusterState

        assert isinstance(state, ClusterState)
        origin = provenance_on_cluster(state, recipe, job)
        make = ClusterWriter(state, resume=options.resume).make
    else:
        origin = provenance_of(state, recipe, job)

    def announce(replaced: Sequence[Path]) -> None:
        """Print notes about the files `replaced` and about patterns that do not hold."""
        if replaced:
            are = "is" if len(replaced) == 1 else "are"
            sentence = f"{counted(len(replaced), 'file')} {are} there already and will be replaced"
            names = first_names([path.name for path in replaced])
            sys.stderr.write(f"Note: {escape_text(f'{sentence}: {names}.')}\n")
        for broken in origin.broken:
            names = first_names([*broken.groups])
            sys.stderr.write(f"Note: {escape_text(broken.sentence)} ({names}).\n")

    report = export(state, request, job, origin, announce=announce, make=make)
    if earlier := uncounted_zeros_notice(checkpoint):
        report = replace(report, notices=(earlier, *report.notices))
    try:
        if options.report:
            account = account_of(state, report, steps, job, origin)
            for path in map(locate, options.report):
                if any(is_same_file(path, file.path) for file in report.files):
                    raise ParameterError(
                        f"'{path}' is a file of the export, and was not replaced by a report.",
                        remedy="Choose another name.",
                    )
                write_account(account, path, job)
        if options.comparison_script:
            path = locate(options.comparison_script)
            written = write_check_script(checkpoint, report, path, job)
            if written.name != path.name:
                more = (f"The script is '{written}'.", not_replaced_notice(path))
                report = replace(report, notices=(*report.notices, *more))
    except PruneAppError as error:
        sentence = f"The export was written, but a report or script was not: {error.sentence}"
        return report, ExportError(sentence, remedy=error.remedy, details=error.details)
    except Cancelled as cancelled:
        return report, cancelled
    return report, None
