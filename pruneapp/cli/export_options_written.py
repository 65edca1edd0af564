"""What the commands that write have in common: where to, in which format, and what was written."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.cli.terminal_output import named, percent, size
from pruneapp.errors import ParameterError, counted, escaped
from pruneapp.export.catalog import FORMATS
from pruneapp.export.formats.safetensors import SAFETENSORS
from pruneapp.export.provenance import KEY
from pruneapp.export.report import ExportReport


def target_of(output: str) -> Path:
    """Return the file to write.

    Raises
    ------
    ParameterError
        For a pipe.
    """
    if output == "-":
        raise ParameterError(
            "'--output' must be a file: what was written is read back and compared, which a pipe "
            "cannot do (got '-')."
        )
    return Path(output)


def format_of(target: Path) -> str:
    """Return the format that a name asks for: of those it suits the most telling, else dense."""
    able = [form for form in FORMATS.values() if form.fits(target.name)]
    longest = max((len(s) for f in able for s in _suffixes(f.suffixes, target)), default=0)
    for form in able:
        if any(len(suffix) == longest for suffix in _suffixes(form.suffixes, target)):
            return form.name
    return SAFETENSORS.name


def _suffixes(suffixes: Sequence[str], target: Path) -> list[str]:
    return [suffix for suffix in suffixes if target.name.lower().endswith(suffix)]


def zeros_not_counted(checkpoint: Checkpoint) -> str:
    """Return a sentence about zeros that no number of pruned weights has in it; empty if none.

    Known of files that Pruneapp wrote, by their metadata, and that hold no masks.
    """
    entries = checkpoint.entries.values()
    ours = any(key.startswith(KEY) for key in checkpoint.metadata)
    if not ours or any(e.mask_of for e in entries) or not any(e.prunable for e in entries):
        return ""
    return (
        f"Pruneapp wrote '{checkpoint.path.name}'. Weights pruned earlier are ordinary zeros in it "
        "and are not counted as pruned; 'pruneapp diff' with the original file counts them. To "
        "keep masks, export as resumable."
    )


def report_as_json(report: ExportReport, selected: Collection[str]) -> dict[str, Any]:
    """Return what a report says, for programs; `selected` as of `print_report`."""
    numel, pruned = _of(report, selected)
    return {
        "format": report.format,
        "path": report.path,
        "bytes": report.nbytes,
        "sha256": report.sha256,
        "verified": report.verified,
        "files": report.files,
        "kept_originals": report.kept_originals,
        "parameters": report.numel,
        "pruned": report.pruned,
        "sparsity": report.pruned / report.numel if report.numel else 0.0,
        "selected": {
            "tensors": len(selected),
            "parameters": numel,
            "pruned": pruned,
            "sparsity": pruned / numel if numel else 0.0,
        },
        "tensors": report.tensors,
        "notices": report.notices,
        "omitted": report.omitted,
        "provenance": dict(report.provenance),
    }


def _of(report: ExportReport, selected: Collection[str]) -> tuple[int, int]:
    """Return how many weights the selected tensors have, and how many of them are pruned."""
    known = frozenset(selected)
    tensors = [tensor for tensor in report.tensors if tensor.name in known]
    return sum(t.numel for t in tensors), sum(t.pruned for t in tensors)


def print_report(
    report: ExportReport, notices: Sequence[str], selected: Collection[str] = ()
) -> None:
    """Print what was written, and what the person should know.

    Parameters
    ----------
    report, notices
        What was written, and sentences about it.
    selected
        The tensors that were to be pruned: their sparsity is said beside that of the model.
    """
    for tensor in report.tensors:
        if tensor.pruned:
            share = percent(tensor.pruned, tensor.numel)
            sys.stdout.write(f"{share:>8}  {named(tensor.name)}\n")
    for file in report.files:
        sys.stdout.write(f"{escaped(str(file.path))}: {size(file.nbytes)}, SHA-256 {file.sha256}\n")
    if selected:
        numel, pruned = _of(report, selected)
        sys.stdout.write(
            f"{counted(len(selected), 'selected tensor')}: {pruned:,} of {numel:,} weights pruned "
            f"({percent(pruned, numel)})\n"
        )
    sys.stdout.write(
        f"Whole model: {report.pruned:,} of {report.numel:,} weights pruned "
        f"({percent(report.pruned, report.numel)}), "
        f"{'read back and compared' if report.verified else 'not verified'}\n"
    )
    for notice in notices:
        sys.stdout.write(f"Note: {escaped(notice)}\n")
