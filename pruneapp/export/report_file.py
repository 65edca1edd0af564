"""The report file of an export: a page for people, tables for programs.

The page is one file of HTML with its pictures inside, for light and dark, that runs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
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
from pruneapp.errors import ExportError, escaped
from pruneapp.export.catalog import FORMATS
from pruneapp.export.destination.target import check_file, unused_name
from pruneapp.export.format_sizes import format_offers, recommend
from pruneapp.export.provenance import Provenance, calibration_in, inputs_in
from pruneapp.export.records import State, packed
from pruneapp.export.rounding import DTYPE, Rounding
from pruneapp.masks.bitmask import BitMask, Mask
from pruneapp.progress import Job
from pruneapp.results.export import ExportReport, FormatOffer, WrittenTensor
from pruneapp.results.tensor_statistics import csv_text

if TYPE_CHECKING:
    from jinja2 import Template


@dataclass(frozen=True)
class TensorAccount(WrittenTensor):
    """What became of a tensor.

    What is kept of the sum of squares, and of magnitudes, of the file as it was opened, is a share
    from 0 to 1; None where nothing was there or float64 cannot say.
    """

    dtype: str = ""
    shape: tuple[int, ...] = ()
    norm_retained: float | None = 1.0
    l1_retained: float | None = 1.0

    @property
    def sparsity(self) -> float:
        """The share that is pruned, from 0 to 1."""
        return self.pruned / self.numel if self.numel else 0.0


@dataclass(frozen=True)
class StepAccount:
    """What was done in one step, in words."""

    label: str  # "4 rules on 37 tensors, global"
    detail: str = ""  # all of it, a line each: rules, patterns, amounts, scope, limits


@dataclass(frozen=True)
class Account:
    """What an export was made of, what was done, and what was written."""

    report: ExportReport
    source: str  # the file or folder that was opened, as a person calls it
    steps: tuple[StepAccount, ...]  # what was done, in order
    tensors: tuple[TensorAccount, ...]  # all of them, in the order of the report
    inputs: tuple[str, ...]  # SHA-256 of the files that were opened; empty where not computed
    # Every format with the size that it would have, of weights in the type that was written; that
    # which was written with the size that it has.
    sizes: tuple[FormatOffer, ...]
    # Names of the data that it was calibrated with, as `calibration_data` returns them.
    calibration: tuple[str, ...] = ()
    version: str = __version__  # of Pruneapp


def account_of(
    state: State,
    report: ExportReport,
    steps: Sequence[StepAccount],
    job: Job,
    provenance: Provenance | None = None,
) -> Account:
    """Return the account of an export that was written; reads the pruned tensors once.

    `provenance` is that of the export, which counts in the sizes of the other formats, too; it may
    be the estimated one. `job` is started with the elements of the pruned tensors.
    """
    rounding = Rounding.to(report.dtype)
    rounded = {f.name: {DTYPE.name: report.dtype} for f in FORMATS.values() if DTYPE in f.params}
    checkpoint = state.checkpoint
    zeroed = {n: mask for n in checkpoint.entries if (mask := state.zeroed(n)) is not None}
    job.start(sum(mask.size for mask in zeroed.values()), checkpoint.path.name)
    after = {name: _bits(mask, job) for name, mask in zeroed.items()}
    # Of the file as it was opened: nothing pruned, nothing permanent.
    norms = measure_retained_norms(Snapshot(checkpoint), after, job)
    tensors = []
    for written in job.cancel.each(report.tensors):
        entry, kept = checkpoint.entries[written.name], norms.get(written.name)
        entry = entry if rounding is None else rounding.entry(entry)
        unknown = written.name in zeroed and kept is None
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
    )


def _sizes(report: ExportReport, offers: Sequence[FormatOffer]) -> tuple[FormatOffer, ...]:
    """Return the offers; of the format that was written, the size that it has."""
    real: dict[str, Any] = {"nbytes": report.nbytes_of_weights, "exact": True, "why_not": ""}
    return recommend(
        replace(each, **real) if each.name == report.format else each for each in offers
    )


def _bits(mask: Mask, job: Job) -> BitMask:
    if isinstance(mask, BitMask):
        return mask
    bits = bytearray()
    for piece in packed("", mask, mask.size).pieces():
        job.step(0)
        bits += piece
    return BitMask(np.frombuffer(bits, np.uint8), mask.size)


# Rows of the table, and stripes of the picture; a page of more opens too slowly.
MOST_ROWS = 2_000
MOST_STRIPES = 600
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True)
class Stripe:
    """A tensor, or several small ones, in the picture."""

    # In thousandths of the picture: the share of the numbers.
    left: float
    width: float
    pruned: float  # the share that is pruned, from 0 to 1
    title: str  # what it is, in words


def as_html(account: Account) -> str:
    """Return the page.

    Tensors of which something is pruned come first in its table, most pruned numbers first; where
    there are more than it shows, it says how many.
    """
    rows = sorted(account.tensors, key=lambda t: -t.pruned)[:MOST_ROWS]
    return _template().render(
        account=account,
        report=account.report,
        rows=rows,
        left_out=len(account.tensors) - len(rows),
        stripes=tuple(_stripes(account.tensors)),
    )


def _shown(value: Any) -> Any:
    # Of what is put in, nothing is meant to break a line or to reverse it.
    return escaped(value) if type(value) is str else value


@lru_cache
def _template() -> Template:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    environment.filters |= {"percent": percent, "size": size, "data": data_in_words}
    text = resources.path("report.html.jinja").read_text(encoding="utf-8")
    return environment.from_string(text)


def data_in_words(name: str) -> str:
    """Return the name of the data that a state was calibrated with for people."""
    kind, _, rest = name.partition(":")
    words = {
        "text": f"the text with the SHA-256 {rest}",
        "script": f"the data of the script with the SHA-256 {rest}",
        "command": f"the data of the command with the SHA-256 {rest}",
        "images": f"images of {rest}",
        "test images": f"the images of {rest} that accuracy is measured on",
    }
    return words.get(kind, name)


def percent(share: float | None) -> str:
    """Return a share in percent; what is not all and not nothing is never said to be."""
    if share is None:
        return "–"
    text = f"{share * 100:.1f} %"
    if text == "100.0 %" and share < 1:
        return "> 99.9 %"
    return "< 0.1 %" if text == "0.0 %" and share > 0 else text


def size(nbytes: int | None) -> str:
    """Return bytes in units of thousands, as disks are sold."""
    if nbytes is None:
        return "–"
    value, unit = float(nbytes), 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{nbytes:,} bytes" if not unit else f"{value:.3g} {_UNITS[unit]}"


def _stripes(tensors: Sequence[TensorAccount]) -> Iterator[Stripe]:
    """Yield stripes in the order of the tensors; neighbors that are too narrow share one."""
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
_row = attrgetter(*_COLUMNS[:-2], "norm_retained", "l1_retained")
_SIZE = ("name", "label", "nbytes", "exact", "why_not")


def as_json(account: Account) -> str:
    """Return all of it, as an object."""
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
        "sparsity": report.sparsity,
        "dtype": report.dtype,
        "steps": [step.label for step in account.steps],
        "step_details": [step.detail for step in account.steps],
        "calibrated_with": list(account.calibration),
        "files": [{**asdict(file), "path": str(file.path)} for file in report.files],
        "sizes": [{key: getattr(offer, key) for key in _SIZE} for offer in account.sizes],
        "notices": list(report.notices),
        "omitted": list(report.omitted),
        "provenance": dict(report.provenance),
        "tensors": [dict(zip(_COLUMNS, _row(t), strict=True)) for t in account.tensors],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def as_csv(account: Account) -> str:
    """Return a row for each tensor, numbers in full precision, with a point and commas."""
    rows = map(_row, account.tensors)
    texts = [(name, dtype, "x".join(map(str, shape)), *more) for name, dtype, shape, *more in rows]
    return csv_text(_COLUMNS, texts)


# What makes a report, by the suffix of its file.
KINDS: Mapping[str, Callable[[Account], str]] = MappingProxyType(
    {".html": as_html, ".csv": as_csv, ".json": as_json}
)


def write_account(account: Account, path: Path, job: Job, *, keep_existing: bool = False) -> Path:
    """Write a report; its suffix says which: a page, a table of the tensors, or all as JSON.

    A file that is there is replaced once the new one is safe; with `spare` the new one takes the
    next free name instead, ``NAME2.html`` and so on. Returns the path that was written; raises
    `ExportError` if the suffix is none of these, or the system refuses to write it.
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
