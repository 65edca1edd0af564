"""The options of every command that exports: the format and its parameters, reports, a script."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.cli.arguments import add_option, option_of
from pruneapp.cli.export_options_places import refuse_written
from pruneapp.cli.export_options_written import format_of
from pruneapp.errors import ExportError, ParameterError, PruneAppError, counted, escaped
from pruneapp.export.catalog import FORMATS, get
from pruneapp.export.completeness import refuse_unwritable
from pruneapp.export.destination.folder import left_as_it_was
from pruneapp.export.destination.folder_names import refuse_file
from pruneapp.export.destination.sidecars import listed
from pruneapp.export.destination.target import folder_is_there
from pruneapp.export.exporter import ExportRequest, export
from pruneapp.export.exporter_landing import landing
from pruneapp.export.records_state import State
from pruneapp.export.report import ExportReport
from pruneapp.export.report_file import account_of
from pruneapp.export.report_file_writing import KINDS, write_account
from pruneapp.export.scripts.comparison_script import write_check_script
from pruneapp.params_declared import Param, validate_all
from pruneapp.progress import Cancelled, Job

_PREFIX = "export_"


def add_export(parser: argparse.ArgumentParser) -> None:
    """Add the options of an export."""
    parser.add_argument(
        "--format",
        choices=list(FORMATS),
        help="safetensors unless OUT ends like another format; torch writes the container that was "
        "opened; resumable takes its container from OUT",
    )
    params: dict[str, tuple[Param, list[str]]] = {}
    for form in FORMATS.values():
        for param in form.params:
            params.setdefault(param.name, (param, []))[1].append(form.name)
    for name, (param, users) in params.items():
        add_option(
            parser,
            name,
            dest=_PREFIX + name,
            metavar=option_of(name).strip("-").replace("-", "_").upper(),
            help=f"{param.help} Must be {param.describe()}. For {', '.join(users)}.".replace(
                "%", "%%"
            ),
        )
    parser.add_argument(
        "--replace-original",
        action="store_true",
        help="if OUT is FILE: do not keep a backup of the original; cannot be undone",
    )
    parser.add_argument(
        "--follow-links", action="store_true", help="if OUT is a link: write to its target"
    )
    parser.add_argument(
        "--omit",
        action="append",
        default=[],
        metavar="NAME",
        help="exclude a tensor that cannot be read (a shard of a DTensor, one on the meta "
        "device), which stops the export otherwise; a name or a glob, case-sensitive, * crosses "
        "dots; may be repeated",
    )
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="FILE",
        help="write a report: .html (page), .csv (table of tensors) or .json (all "
        "data); replaces an existing file; may be repeated",
    )
    add_option(
        parser,
        "check_script",
        metavar="FILE",
        help="write a Python script that compares the outputs of your model before and "
        "after pruning; an existing file is not replaced, a new name is chosen",
    )


def export_request(options: argparse.Namespace, target: Path) -> ExportRequest:
    """Return what `add_export` was told.

    Raises
    ------
    ParameterError
        If a parameter is not one of the format, or breaks its rule; or a report has no suffix of
        one.
    ExportError
        If OUT is the name of a file where a folder is written.
    """
    form = get(options.format or format_of(target))
    known = {param.name: param for param in form.params}
    values: dict[str, Any] = {}
    for name, text in vars(options).items():
        if name.startswith(_PREFIX) and text is not None:
            param = known.get(name.removeprefix(_PREFIX))
            if param is None:
                takes = ", ".join(map(option_of, known)) or "no parameters"
                raise ParameterError(
                    f"The format '{form.name}' does not take "
                    f"{option_of(name.removeprefix(_PREFIX))} (it takes {takes})."
                )
            values[param.name] = param.parse(text)
    refuse_file(target, form, values)
    for path in options.report:
        if Path(path).suffix.lower() not in KINDS:
            raise ParameterError(f"'--report' must end in {', '.join(KINDS)} (got '{path}').")
    return ExportRequest(
        format=form.name,
        path=target,
        replace_original=options.replace_original,
        follow_links=options.follow_links,
        params=values,
        omit=tuple(options.omit),
    )


def check_entries(checkpoint: Checkpoint, request: ExportRequest) -> None:
    """Refuse an export that cannot write every tensor, before anything is computed.

    Parameters and errors are those of `refuse_unwritable`.
    """
    form = get(request.format)
    values = validate_all(form.params, request.params)
    refuse_unwritable(checkpoint, form, values, request.omit)


def write_export(state: State, request: ExportRequest, job: Job) -> ExportReport:
    """Export, and say first on standard error which files of a folder will be replaced.

    Parameters and errors are those of `export`. Where OUT is a file nothing is said: it was named.
    """
    if folder_is_there(request.path):
        there = landing(state, request, job).replaced
        if there:
            are = "is" if len(there) == 1 else "are"
            said = f"{counted(len(there), 'file')} {are} there already and will be replaced"
            sys.stderr.write(f"Note: {escaped(f'{said}: {listed(there)}.')}\n")
    return export(state, request, job)


def write_beside(
    options: argparse.Namespace,
    state: State,
    report: ExportReport,
    job: Job,
    *,
    steps: Sequence[str],
) -> tuple[ExportReport, PruneAppError | Cancelled | None]:
    """Write the reports and the script that were asked for; see `add_export`.

    Returns
    -------
    report, trouble
        What the person should know of that as well, and why one of them was not written: the
        export is there all the same, and is told of first.
    """
    try:
        if options.report:
            account = account_of(state, report, steps, job)
            for path in map(Path, options.report):
                refuse_written(path, (file.path for file in report.files))
                write_account(account, path, job)
        if options.check_script:
            path = Path(options.check_script)
            written = write_check_script(state.checkpoint, report, path, job)
            if written.name != path.name:
                said = (f"The script is '{written}'.", left_as_it_was(path))
                report = replace(report, notices=(*report.notices, *said))
    except PruneAppError as error:
        sentence = f"The export was written, but a report or script was not: {error.sentence}"
        return report, ExportError(sentence, remedy=error.remedy, details=error.details)
    except Cancelled as cancelled:
        return report, cancelled
    return report, None
