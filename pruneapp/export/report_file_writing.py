"""An account as a page for people, and as tables for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pruneapp.checkpoint.io.atomic_file_writer import write_whole
from pruneapp.errors import ExportError
from pruneapp.export.destination.target import check_file, spared
from pruneapp.export.report_file import Account
from pruneapp.export.report_file_page import as_html
from pruneapp.progress import Job
from pruneapp.results.tensor_statistics_csv_text import csv_text

# Of the JSON; counts up when a field changes its meaning or goes. Version 1 had energy_kept and
# magnitude_kept for what the glossary calls Norm² retained and L1 norm retained.
_VERSION = 2
_COLUMNS = (
    "name",
    "dtype",
    "shape",
    "numel",
    "pruned",
    "sparsity",
    "norm2_retained",
    "l1_retained",
)


def as_json(account: Account) -> str:
    """Return all of it, as an object."""
    data: dict[str, Any] = {
        "report": _VERSION,
        "made_by": f"Pruneapp {account.version}",
        "source": account.source,
        "inputs": list(account.inputs),
        "target": account.target,
        "format": account.format,
        "numel": account.numel,
        "pruned": account.pruned,
        "sparsity": account.sparsity,
        "steps": list(account.steps),
        "files": [{**asdict(file), "path": str(file.path)} for file in account.files],
        "sizes": [
            {
                "name": offer.name,
                "label": offer.label,
                "nbytes": offer.nbytes,
                "exact": offer.exact,
                "why_not": offer.why_not,
            }
            for offer in account.sizes
        ],
        "notices": list(account.notices),
        "omitted": list(account.omitted),
        "provenance": dict(account.provenance),
        "tensors": [
            dict(zip(_COLUMNS, row, strict=True), shape=list(tensor.shape))
            for row, tensor in zip(_rows(account), account.tensors, strict=True)
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def as_csv(account: Account) -> str:
    """Return a row for each tensor, numbers in full precision, with a point and commas."""
    return csv_text(_COLUMNS, _rows(account))


def _rows(account: Account) -> list[tuple[Any, ...]]:
    return [
        (
            tensor.name,
            tensor.dtype,
            "x".join(map(str, tensor.shape)),
            tensor.numel,
            tensor.pruned,
            tensor.sparsity,
            tensor.energy,
            tensor.magnitude,
        )
        for tensor in account.tensors
    ]


# What makes a report, by the suffix of its file.
KINDS: Mapping[str, Callable[[Account], str]] = MappingProxyType(
    {".html": as_html, ".csv": as_csv, ".json": as_json}
)


def write_account(account: Account, path: Path, job: Job, *, spare: bool = False) -> Path:
    """Write a report; its suffix says which: a page, a table of the tensors, or all as JSON.

    Parameters
    ----------
    account
        What to tell.
    path
        The file; one that is there is replaced once the new one is safe.
    job
        Stepped by the bytes, twice.
    spare
        Replace nothing: where another file is there take the next free name, ``NAME2.html`` and
        so on.

    Returns
    -------
    Path
        What was written.

    Raises
    ------
    ExportError
        If the suffix is none of these, or the system refuses to write it.
    """
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ExportError(
            f"A report ends in {', '.join(KINDS)} (got '{path.name}').",
            remedy="Choose one of these suffixes.",
        )
    data = kind(account).encode("utf-8", "backslashreplace")
    target = check_file(spared(path, data) if spare else path).path
    job.extend(2 * len(data))
    write_whole(target, data, job)
    return target
