"""``pruneapp shrink`` and ``unshrink``: cut units out of a model, and restore them as zeros."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Mapping
from contextlib import ExitStack
from operator import attrgetter
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.io.store import locate
from pruneapp.cli.files import output_path
from pruneapp.cli.terminal import Output, attributes, file_line, size, table
from pruneapp.edits.existing_masks import open_document
from pruneapp.errors import JsonError, ParameterError, counted, in_numeric_order
from pruneapp.export.catalog import usual_format
from pruneapp.export.exporter import export
from pruneapp.export.provenance import recorded_recipe
from pruneapp.export.report import EFFECTS, ExportRequest
from pruneapp.export.rounding import DTYPE
from pruneapp.groups.axis import Axis
from pruneapp.groups.family import LABELS
from pruneapp.groups.structure import Structure, Unknown, structure_of
from pruneapp.groups.trace import Trace, use_trace
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.params import AMOUNT_OF_CHANNELS
from pruneapp.progress import Job
from pruneapp.recipes.recipe import Recipe
from pruneapp.recipes.schema import chosen_multiple
from pruneapp.shrink import configuration
from pruneapp.shrink.cut import ShrinkError
from pruneapp.shrink.plan import describe_changes, legal_sizes
from pruneapp.shrink.record import read_record
from pruneapp.shrink.shrink import ShrinkRequest, refuse_existing, refuse_target, shrink_checked
from pruneapp.shrink.surveyed_state import CutRequest, SurveyedState, axis_of, survey_state
from pruneapp.shrink.unit_choice import check_size
from pruneapp.shrink.unshrink import UnshrunkState

# Number of allowed sizes that `--list` shows from each end of the list.
_ENDS = 3
SHAPES = "shapes"
# Options that choose what is removed: one for each axis, and one for texts.
_CHOICES = (*LABELS, "vocabulary-of")
_HEAD = ("axis", "option", "units", "possible sizes")


def shrink(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Cut, verify and write a model; or, with --list, list what can be cut and write nothing.

    Without --multiple the option is set to that recorded in the file. Raises `ParameterError` for
    options that do not fit, and `ShrinkError` if the model cannot be cut.
    """
    if options.multiple is not None and options.multiple < 1:
        raise ParameterError(f"'--multiple' must be 1 or more (got {options.multiple:,}).")
    chosen = [name for name in _CHOICES if _value(options, name) is not None]
    if options.dead and chosen:
        raise ParameterError(
            f"'--dead' cuts what does nothing and no more (got '--{chosen[0]}').",
            remedy="Leave one of them out.",
        )
    if not options.list and options.output is None:
        raise ParameterError(
            "'--output' is needed.", remedy="Name a new folder or file, or give --list."
        )
    if not options.list:
        refuse_existing(output_path(options.output))
    checkpoint = stack.enter_context(open_checkpoint(options.file, job=job))
    recipe = recorded_recipe(checkpoint)
    _use_recorded_trace(checkpoint, recipe)
    structure = structure_of(checkpoint)
    if isinstance(structure, Unknown):
        raise ShrinkError(structure.why_not)
    notices = []
    if options.multiple is None:
        options.multiple = chosen_multiple(recipe.entries)
        if options.multiple is not None:
            notices.append(
                f"Widths are rounded up to a multiple of {options.multiple:,}, as in the last "
                "pruning step that the file records; --multiple sets another."
            )
    if options.list:
        return _list(structure, options)
    refuse_target(output_path(options.output), structure)
    document = open_document(checkpoint, job)
    stack.callback(document.close)
    request = _request(structure, options)
    surveyed = survey_state(document.snapshot(), job)
    assert isinstance(surveyed, SurveyedState)
    state, planned = surveyed.plan_cut(request, CpuKernel(), job)
    report, results = shrink_checked(
        state,
        planned,
        ShrinkRequest(output_path(options.output), {}),
        job,
        how=None if options.check == SHAPES else options.check,
        python=None if options.python is None else Path(options.python),
    )
    notices += [*(n for axis in planned.axes for n in axis.notices), *report.notices]
    before = sum(source.size for source in checkpoint.files)
    changes = configuration.difference(planned.structure.config, planned.config)
    data = {
        "path": report.path,
        "axes": [attributes(axis, "axis=name before after exactness") for axis in planned.axes],
        "config": changes,
        "bytes_before": before,
        **attributes(report, "bytes=nbytes_of_weights parameters=numel files loads"),
        "check": results,
        "notices": notices,
    }
    lines = [
        describe_changes(planned.axes),
        *(
            f"  {axis.label}: {EFFECTS[axis.exactness]}"
            for axis in planned.axes
            if axis.after < axis.before
        ),
        *(f"  {change}" for change in changes),
        *map(file_line, report.files),
        f"Weights: {size(before)} -> {size(report.nbytes_of_weights)}",
        *(result.sentence() for result in results),
    ]
    return Output(lines, lambda: data, () if options.json else notices)


def unshrink(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Write a shrunk model in its original shapes, with zeros where it was cut.

    Raises what `read_record` raises if the folder was not written by `shrink`, and `ExportError`.
    """
    folder = locate(options.file)
    shrunk = stack.enter_context(open_checkpoint(folder, job=job))
    against = stack.enter_context(open_checkpoint(options.against, job=job))
    record = read_record(folder)
    state = UnshrunkState(shrunk, against, record.cut)
    target = output_path(options.output)
    form = usual_format(target, against)
    report = export(state, ExportRequest(form.name, target), job)
    notices = list(report.notices)
    if record.folded:
        notices.append(
            f"{len(record.folded):,} biases differ from those of the model: they "
            "include the constants of removed units."
        )
    return Output(
        map(file_line, report.files),
        lambda: {**attributes(report, "path files"), "notices": notices},
        () if options.json else notices,
    )


def _request(structure: Structure, options: argparse.Namespace) -> CutRequest:
    """Return the cut that the options request.

    Raises `ParameterError` for an invalid value, and `ShrinkError` for an axis that the model
    lacks.
    """
    kept: dict[str, int] = {}
    shares: dict[str, float] = {}
    for name in LABELS:
        value = _value(options, name)
        if name in {"layers", "vocabulary"} or value is None:
            continue
        axis = axis_of(structure, name)
        if axis.is_rounded:
            shares[name] = _share(value, f"--{name}")
            continue
        if name != "experts" and not options.write_as:
            check_size(axis, structure, value)
        kept[name] = value
    return CutRequest(
        kept,
        parse_layers(options.layers) if options.layers else (),
        options.multiple,
        options.write_as or "",
        options.vocabulary or "",
        tuple(options.vocabulary_of or ()),
        options.by,
        options.statistics or "",
        shares,
        options.force_statistics,
        DTYPE.default if options.export_dtype is None else DTYPE.parse(options.export_dtype),
    )


def _use_recorded_trace(checkpoint: Checkpoint, recipe: Recipe) -> None:
    """Use the trace of the model that the last steps in the file were made with, if it fits."""
    with contextlib.suppress(JsonError, ParameterError):
        for text in [*recipe.traces.values()][-1:]:
            trace = Trace.read(text)
            trace.refuse_other(checkpoint)
            use_trace(checkpoint, trace)


def _value(options: argparse.Namespace, name: str) -> Any:
    return getattr(options, name.replace("-", "_"))


def parse_layers(text: str) -> tuple[int, ...]:
    """Parse ``1`` or ``20-22,24`` (inclusive). Return sorted indices without repetition.

    Raises `ParameterError` for other text, ranges that end before they begin, and ranges of more
    than 10,000.
    """
    numbers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or len(part) > 20:
            raise ParameterError(
                f"'--layers' must be numbers and ranges, such as 1 or 20-22,24 (got '{text}')."
            )
        start, stop = int(first), int(last) if dash else int(first)
        if stop < start or stop - start > 10_000:
            raise ParameterError(f"'--layers' has a range that ends before it begins ('{part}').")
        numbers.update(range(start, stop + 1))
    return tuple(sorted(numbers))


def _share(text: str, option: str) -> float:
    share = AMOUNT_OF_CHANNELS.parse(text)
    if not isinstance(share, float) or not 0 < share < 1:
        raise ParameterError(f"'{option}' must be a share, such as 30% or 0.3 (got '{text}').")
    return share


def _list(structure: Structure, options: argparse.Namespace) -> Output:
    """Return the axes of a model with their allowed sizes, or why they cannot be cut."""
    found = [(axis, _sizes(axis, structure, options)) for axis in structure.axes.values()]
    whole = {name: reason for name, (_, reason) in _whole_layers(structure).items()}
    listed = [
        {
            **attributes(axis, "axis=name label units=count"),
            "may_stay": sizes,
            "groups": [
                attributes(each, "name=place units=count")
                for each in in_numeric_order(axis.groups, attrgetter("place"))
            ],
            "reason": axis.why_not,
        }
        for axis, sizes in found
    ]
    rows = []
    for axis, sizes in found:
        units = f"{axis.count:,}" if not axis.why_not else ""
        shown = axis.why_not or _format_sizes(sizes)
        if axis.name == "vocabulary":
            shown = axis.why_not or "rows behind the last token, or the tokens of a text, can go"
        if not axis.uniform:
            units = f"{sum(group.count for group in axis.groups):,}"
            shown = f"any share of each of {counted(len(axis.groups), 'group')}"
        rows.append((axis.label, f"--{axis.name}", units, shown))
    notices = [f"'{name}' is not reduced: {reason}." for name, reason in whole.items()]
    return Output(
        table(_HEAD, rows, left=(0, 1, 3)),
        lambda: {"model_type": structure.model_type, "axes": listed, "whole_layers": whole},
        () if options.json else notices,
    )


def _whole_layers(structure: Structure) -> Mapping[str, tuple[int, str]]:
    """Return the layers of a graph that cannot be cut, with the reasons."""
    return {} if structure.graph is None else structure.graph.whole_layers


def _sizes(axis: Axis, structure: Structure, options: argparse.Namespace) -> list[int]:
    """Return the allowed sizes of an axis, ascending; empty if it cannot be cut or has groups."""
    if axis.why_not or not axis.uniform:
        return []
    multiple = options.multiple or axis.multiple
    return legal_sizes(axis, structure.fields, multiple)


def _format_sizes(sizes: list[int]) -> str:
    if len(sizes) <= 2 * _ENDS + 1:
        return ", ".join(map(str, sizes))
    ends = (*map(str, sizes[:_ENDS]), "…", *map(str, sizes[-_ENDS:]))
    return ", ".join(ends)
