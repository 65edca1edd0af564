"""Report files of an export: an HTML page, a CSV table, or JSON.

The page is a single HTML file with embedded pictures, for light and dark mode, without scripts.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from pruneapp import __version__, resources
from pruneapp.analysis.retained_norm import measure_retained_norms
from pruneapp.checkpoint.io.upload import write_whole
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ExportError, escape_text
from pruneapp.export.catalog import FORMATS
from pruneapp.export.destination.target import check_file, unused_name
from pruneapp.export.format_sizes import FormatOffer, format_offers, recommend
from pruneapp.export.provenance import (
    Provenance,
    allocation_data,
    calibration_in,
    calibration_names,
    inputs_in,
    training_data,
)
from pruneapp.export.records import State, packed_mask_record
from pruneapp.export.report import ExportReport, WrittenTensor
from pruneapp.export.rounding import DTYPE, Rounding
from pruneapp.masks.bitmask import BitMask, Mask
from pruneapp.progress import Job

if TYPE_CHECKING:
    from jinja2 import Template


# First characters that make a spreadsheet treat text as a formula, or that it skips.
# Titles of the metrics of built-in scripts, by name; those of other scripts are their names.
_METRIC_TITLES: Mapping[str, str] = {
    "mean_cosine": "cosine (mean)",
    "lowest_cosine": "lowest cosine",
    "relative_error": "relative error",
    "same_top1": "same top-1",
}
_SHA256 = re.compile("[0-9a-f]{64}")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as comma-separated values, with numbers in full precision.

    Text from files becomes one line of printable characters and never a formula: an apostrophe is
    put before text that begins like one. Numbers are never changed. Use JSON for exact names.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(headers)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def _cell(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    return f"'{escape_text(cell)}" if cell.startswith(_FORMULA) else escape_text(cell)


@dataclass(frozen=True)
class TensorAccount(WrittenTensor):
    """A tensor in the report.

    `norm_retained` and `l1_retained` are the retained fractions (0 to 1) of the sums of squares and
    of magnitudes of the opened file; None after a cut, or if a sum was 0 or is not representable in
    float64.
    """

    dtype: str = ""
    shape: tuple[int, ...] = ()
    norm_retained: float | None = 1.0
    l1_retained: float | None = 1.0

    @property
    def sparsity(self) -> float:
        """The fraction of pruned weights, 0 to 1; 0 for an empty tensor."""
        return self.pruned / self.numel if self.numel else 0.0


@dataclass(frozen=True)
class StepAccount:
    """A step in the report, as text."""

    label: str  # for example "4 rules on 37 tensors, global"
    detail: str = ""  # rules, patterns, amounts, scope and limits, one line each


@dataclass(frozen=True)
class Account:
    """The contents of a report: source, steps and written files of an export."""

    report: ExportReport
    source: str  # opened file or folder, as text
    steps: tuple[StepAccount, ...]  # in order of application
    tensors: tuple[TensorAccount, ...]  # all tensors, in the order of the report
    inputs: tuple[str, ...]  # SHA-256 of the opened files; empty if not computed
    # All formats with their sizes for the written dtype; the written format has its real size.
    sizes: tuple[FormatOffer, ...]
    # Names of the calibration data, as `calibration_data` returns them.
    calibration: tuple[str, ...] = ()
    # File names of these data, as far as they are known.
    data_names: Mapping[str, str] = field(default_factory=dict)
    # Value and difference from the unpruned model of each metric of the exported state, as text.
    metrics: Mapping[str, str] = field(default_factory=dict)
    evaluation: str = ""  # script, data and limit that the metrics were measured with, as text
    evaluation_files: Mapping[str, str] = field(default_factory=dict)  # their SHA-256 by name
    # Whether `metrics` are those of the state before the cut, because the cut was not evaluated.
    measured_before_shrinking: bool = False
    # Whether the data of the evaluation are among those of the calibration.
    same_data: bool = False
    # Those of `calibration` that amounts were chosen by, with a sensitivity scan.
    allocated: frozenset[str] = frozenset()
    # Those of `calibration` that the user's own function trained with.
    trained: frozenset[str] = frozenset()
    # Title of the exported state with its number, and the note of the user; may be empty.
    state: str = ""
    note: str = ""
    version: str = __version__  # version of Pruneapp


def account_of(
    state: State,
    report: ExportReport,
    steps: Sequence[StepAccount],
    job: Job,
    provenance: Provenance | None = None,
    *,
    metrics: Mapping[str, str] | None = None,
    evaluation: str = "",
    evaluation_files: Mapping[str, str] = MappingProxyType({}),
    same_data: bool = False,
    measured_before_shrinking: bool = False,
    data_names: Mapping[str, str] = MappingProxyType({}),
    state_texts: tuple[str, str] = ("", ""),
) -> Account:
    """Return the report of an export. Reads the pruned tensors of the opened file once.

    Parameters
    ----------
    steps
        The steps as text, in order.
    provenance
        The origin of the export, or an estimate; it counts in the sizes of other formats.
    metrics, evaluation, evaluation_files, same_data, measured_before_shrinking
        The metrics of the exported state and what they were measured with, see `Account`. They
        are left out for a format of masks if the state has replaced values, which it lacks.
    data_names
        File names of data by their identifiers, in addition to those of `provenance`.
    state_texts
        Title and note of the exported state.
    job
        Started with the number of elements of the pruned tensors.
    """
    rounding = Rounding.for_dtype(report.dtype)
    rounded = {f.name: {DTYPE.name: report.dtype} for f in FORMATS.values() if DTYPE in f.params}
    checkpoint = state.checkpoint
    if not FORMATS[report.format].lossless and any(map(state.replaces, checkpoint.entries)):
        metrics, evaluation, evaluation_files, same_data = {}, "", {}, False
    zeroed = {n: mask for n in checkpoint.entries if (mask := state.export_mask(n)) is not None}
    job.start(sum(mask.size for mask in zeroed.values()), checkpoint.path.name)
    after = {name: _bits(mask, job) for name, mask in zeroed.items()}
    # Relative to the opened file, in which nothing is pruned or permanent.
    norms = measure_retained_norms(Snapshot(checkpoint), after, job)
    tensors = []
    for written in job.cancel.each(report.tensors):
        entry, kept = checkpoint.entries[written.name], norms.get(written.name)
        entry = entry if rounding is None else rounding.entry(entry)
        # Of a cut tensor, the remaining part of the original is not measured.
        unknown = bool(report.cut) or (written.name in zeroed and kept is None)
        tensors.append(
            TensorAccount(
                written.name,
                written.numel,
                written.pruned,
                written.learned,
                dtype=entry.dtype.label,
                shape=entry.shape,
                norm_retained=None if unknown else kept.share if kept else 1.0,
                l1_retained=None if unknown else kept.magnitude if kept else 1.0,
            )
        )
    return Account(
        report,
        str(checkpoint.path),
        tuple(steps),
        tuple(tensors),
        inputs_in(report.provenance),
        _sizes(report, format_offers(state, job, rounded, provenance=provenance)),
        calibration_in(report.provenance),
        {
            **data_names,
            **({} if provenance is None else calibration_names(provenance.recipe.entries)),
        },
        metrics or {},
        evaluation,
        evaluation_files,
        measured_before_shrinking,
        same_data,
        frozenset() if provenance is None else allocation_data(provenance.recipe.entries),
        frozenset() if provenance is None else training_data(provenance.recipe.entries),
        *state_texts,
    )


def _sizes(report: ExportReport, offers: Sequence[FormatOffer]) -> tuple[FormatOffer, ...]:
    """Return the formats, with the real size for the one that was written.

    After a cut, nothing is stated about other contents of the opened file: the notices name those
    that the written file kept.
    """
    real: dict[str, Any] = {"nbytes": report.nbytes_of_weights, "exact": True, "why_not": ""}
    offers = [replace(each, **real) if each.name == report.format else each for each in offers]
    if report.cut:
        for at, each in enumerate(offers):
            kept_notes = FORMATS[each.name].kept_notes
            does_not = tuple(note for note in each.does_not if note not in kept_notes)
            offers[at] = replace(each, does_not=does_not)
    return recommend(offers)


def _bits(mask: Mask, job: Job) -> BitMask:
    """Return a mask as packed bits; masks that are computed from rules are computed completely."""
    if isinstance(mask, BitMask):
        return mask
    bits = bytearray()
    for piece in packed_mask_record("", mask, mask.size).pieces():
        job.step(0)
        bits += piece
    return BitMask(np.frombuffer(bits, np.uint8), mask.size)


# Maximum rows of the table and stripes of the picture; larger pages open too slowly.
MOST_ROWS = 2_000
MOST_STRIPES = 600
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True)
class Stripe:
    """A tensor, or several small ones, in the picture."""

    # In thousandths of the width of the picture: position and share of parameters.
    left: float
    width: float
    pruned: float  # fraction of pruned weights, 0 to 1
    title: str  # description


def as_html(account: Account) -> str:
    """Return the report as HTML.

    The table lists tensors by number of pruned weights, largest first. If there are more than
    `MOST_ROWS`, the page states how many are missing.
    """
    rows = sorted(account.tensors, key=lambda t: -t.pruned)[:MOST_ROWS]
    return html_template("report.html.jinja").render(
        account=account,
        report=account.report,
        rows=rows,
        left_out=len(account.tensors) - len(rows),
        stripes=tuple(_stripes(account.tensors)),
    )


def _escape_text(value: Any) -> Any:
    # Inserted texts must not contain line breaks or characters that reverse the text direction.
    return escape_text(value) if type(value) is str else value


@lru_cache
def html_template(name: str) -> Template:
    """Return a compiled template of resources/, which escapes inserted texts for HTML."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_escape_text,
    )
    environment.filters |= {
        "percent": percent,
        "size": size,
        "data": calibration_text,
        "same_data": same_data_text,
        "metric": metric_title,
    }
    return environment.from_string(resources.path(name).read_text(encoding="utf-8"))


def calibration_text(
    data: str, names: Mapping[str, str] | None = None, *, trains: bool = False
) -> str:
    """Return calibration data as text for the user; an unknown kind of data as it is.

    Of a SHA-256 the first twelve digits are given; the table of files has it whole.

    Parameters
    ----------
    data
        Identifier of the data, as `calibration_data` returns it.
    names
        File names of data, as far as they are known.
    trains
        Whether train() of the script used the data, instead of calibrate().
    """
    kind, _, rest = data.partition(":")
    if _SHA256.fullmatch(rest):
        rest = rest[:12]
    name = (names or {}).get(data, "")
    file = f"{name} (SHA-256 {rest})" if name else f"with the SHA-256 {rest}"
    words = {
        "text": f"the text {file}",
        "script": f"the data of {_function(trains=trains)} in the script {file}",
        "evaluate of script": f"the data that the script {name or file} evaluates",
        "command": f"the data of the command {file}",
        "images": f"images of {rest}",
        "test images": f"the images of {rest} that accuracy is measured on",
    }
    return words.get(kind, data)


def same_data_text(data: str, *, trains: bool = False) -> str:
    """Return that metrics may be too good if the evaluation uses the calibration data.

    "" unless `data`, see `calibration_text`, are chosen by a function of a script.
    """
    if not data.startswith("script:"):
        return ""
    return (
        f"If {_function(trains=trains)} reads the same data as evaluate(), metrics may be better "
        "than with other data."
    )


def _function(*, trains: bool) -> str:
    return "train()" if trains else "calibrate()"


def metric_title(name: str) -> str:
    """Return the title of a metric; it is the name of a metric of the user's script."""
    return _METRIC_TITLES.get(name, name)


def percent(share: float | None) -> str:
    """Return a fraction as "12.3 %", "–" for None. Only exact values are "0.0 %" or "100.0 %"."""
    if share is None:
        return "–"
    text = f"{share * 100:.1f} %"
    if text == "100.0 %" and share < 1:
        return "> 99.9 %"
    return "< 0.1 %" if text == "0.0 %" and share > 0 else text


def size(nbytes: int | None) -> str:
    """Return a size with a decimal unit (1 kB = 1000 bytes); "–" for None."""
    if nbytes is None:
        return "–"
    value, unit = float(nbytes), 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{nbytes:,} bytes" if not unit else f"{value:.3g} {_UNITS[unit]}"


def _stripes(tensors: Sequence[TensorAccount]) -> Iterator[Stripe]:
    """Yield stripes in the order of the tensors; adjacent narrow tensors share one.

    Buffers are omitted. Nothing is yielded for a model without parameters.
    """
    tensors = [tensor for tensor in tensors if tensor.learned]
    total = sum(tensor.numel for tensor in tensors)
    if not total:
        return
    least = total / MOST_STRIPES
    group: list[TensorAccount] = []
    left = 0
    for index, tensor in enumerate(tensors):
        group.append(tensor)
        numel = sum(t.numel for t in group)
        if numel >= least or index == len(tensors) - 1:
            if numel:
                pruned = sum(t.pruned for t in group)
                names = dict.fromkeys((group[0].name, tensor.name))
                title = (
                    f"{' to '.join(names)}: {pruned:,} of {numel:,} pruned "
                    f"({percent(pruned / numel)})"
                )
                yield Stripe(1000 * left / total, 1000 * numel / total, pruned / numel, title)
            left += numel
            group = []


# Version of the JSON; increases when a field is removed or changes its meaning. Version 1 had
# energy_kept and magnitude_kept for Norm² retained and L1 norm retained.
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
_row = attrgetter(*_COLUMNS[:-2], "norm_retained", "l1_retained")
_SIZE = ("name", "label", "nbytes", "exact", "why_not")


def as_json(account: Account) -> str:
    """Return the report as a JSON object."""
    report = account.report
    data: dict[str, Any] = {
        "report": _VERSION,
        "made_by": f"Pruneapp {account.version}",
        "source": account.source,
        "inputs": list(account.inputs),
        "target": str(report.path),
        "format": report.label,
        "numel": report.numel,
        "pruned": report.pruned,
        "numel_before_shrinking": report.parameters_before or report.numel,
        "sparsity": report.sparsity,
        "dtype": report.dtype,
        "state": account.state,
        "note": account.note,
        "steps": [step.label for step in account.steps],
        "step_details": [step.detail for step in account.steps],
        "calibrated_with": list(account.calibration),
        "calibration_names": {
            data: account.data_names[data]
            for data in account.calibration
            if data in account.data_names
        },
        "metrics": dict(account.metrics),
        "evaluation": account.evaluation,
        "evaluation_files": dict(account.evaluation_files),
        "measured_before_shrinking": account.measured_before_shrinking,
        "evaluated_on_calibration_data": account.same_data,
        "files": [{**asdict(file), "path": str(file.path)} for file in report.files],
        "sizes": [{key: getattr(offer, key) for key in _SIZE} for offer in account.sizes],
        "notices": list(report.notices),
        "omitted": list(report.omitted),
        "provenance": dict(report.provenance),
        "tensors": [dict(zip(_COLUMNS, _row(t), strict=True)) for t in account.tensors],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def as_csv(account: Account) -> str:
    """Return the tensors as CSV: comma-separated, full precision, decimal points."""
    rows = map(_row, account.tensors)
    texts = [(name, dtype, "x".join(map(str, shape)), *more) for name, dtype, shape, *more in rows]
    return csv_text(_COLUMNS, texts)


# Functions that create a report, by file suffix.
KINDS: Mapping[str, Callable[[Account], str]] = MappingProxyType(
    {".html": as_html, ".csv": as_csv, ".json": as_json}
)


def write_account(account: Account, path: Path, job: Job, *, keep_existing: bool = False) -> Path:
    """Write a report; the suffix (.html, .csv or .json) selects its kind. Return the written path.

    Parameters
    ----------
    keep_existing
        Whether to write to the next unused name (``NAME2.html``) if another file exists there.
        Otherwise an existing file is replaced.

    Raises
    ------
    ExportError
        If the suffix is another one, or writing fails.
    """
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ExportError(
            f"A report ends in {', '.join(KINDS)} (got '{path.name}').",
            remedy="Choose one of these suffixes.",
        )
    data = kind(account).encode("utf-8", "backslashreplace")
    target = check_file(unused_name(path, data) if keep_existing else path).path
    job.extend(2 * len(data))
    write_whole(target, data, job)
    return target
