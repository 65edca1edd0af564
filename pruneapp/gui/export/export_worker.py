"""What an export does in the worker: sizes to come, the writing, what is written beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from pruneapp.document.document import Capture
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.destination.target import left_as_it_was
from pruneapp.export.exporter import export
from pruneapp.export.format_sizes import offers, unsized
from pruneapp.export.provenance import Provenance, estimated_provenance, provenance_of
from pruneapp.export.report_file import account_of, write_account
from pruneapp.export.scripts.comparison_script import transformers_class, write_check_script
from pruneapp.progress import Job
from pruneapp.recipes.portable import history_recipe
from pruneapp.results.export import ExportReport, ExportRequest
from pruneapp.results.format_offer import FormatOffer

PRUNED = "-pruned"
# Planning a file of more tensors takes long enough to be felt.
MANY = 5_000


class ExportPreview(NamedTuple):
    """What could be exported, as far as headers tell it at once."""

    snapshot: Snapshot
    provenance: Provenance  # as long as that of the export will be
    offers: tuple[FormatOffer, ...]
    pruned: bool  # whether it would be another file than a copy


def preview_export(capture: Capture, job: Job) -> ExportPreview:
    """Return every format with the size to come, where headers tell it at once."""
    snapshot = capture.snapshot
    origin = estimated_provenance(snapshot, history_recipe(capture, job), job)
    if len(snapshot.checkpoint.entries) > MANY:
        found = unsized(snapshot, job)
    else:
        found = offers(snapshot, job, sampled=False, provenance=origin)
    return ExportPreview(snapshot, origin, found, _is_pruned(snapshot, job))


def _is_pruned(snapshot: Snapshot, job: Job) -> bool:
    for batch in job.cancel.batches(snapshot.checkpoint.entries):
        zeroed = (snapshot.zeroed(name) for name in batch)
        if any(mask is not None and mask.pruned for mask in zeroed):
            return True
    return False


def proposed_target(path: Path, suffixes: tuple[str, ...]) -> Path:
    """Return a name beside the source that does not replace it, without ``..`` in it."""
    if ".." in path.parts:
        path = path.resolve()  # what `..` means behind a link, the file system knows
    if path.is_dir():
        return path.with_name(path.name + PRUNED)
    if path.name.endswith(".index.json"):
        return path.parent.with_name(path.parent.name + PRUNED)
    suffix = path.suffix if path.suffix.lower() in suffixes else suffixes[0]
    return path.with_name(path.stem + PRUNED + suffix)


def leads_on(path: Path) -> bool:
    """Whether a path is a link to something, which an export is to follow."""
    try:
        return path.is_symlink() and path.exists()
    except OSError:  # as of a name that is too long: the export refuses it in a sentence
        return False


def export_document(capture: Capture, request: ExportRequest, job: Job) -> ExportReport:
    """Export a document with its recipe and the checksums of its files in the metadata."""
    origin = provenance_of(capture.snapshot, history_recipe(capture, job), job)
    return export(capture.snapshot, request, job, origin)


@dataclass(eq=False)
class ExportJob:
    """An export of the window, and what is written beside it."""

    capture: Capture
    request: ExportRequest
    # Of the export, as soon as that is written: no cancelling takes it back then.
    report: ExportReport | None = None

    def work(self, job: Job) -> ExportReport:
        """Export the document, and write what is wanted beside it."""
        self.report = export_document(self.capture, self.request, job)
        return write_beside(self.capture, self.report, self.request, job)


def write_beside(
    capture: Capture, report: ExportReport, request: ExportRequest, job: Job
) -> ExportReport:
    """Write the script and the report that were requested; returns `report` with their names.

    One that is there and differs stays: the new one has a name of its own. What cannot be written
    is told in the report: the export itself is there and whole.
    """
    checkpoint = capture.snapshot.checkpoint
    notices = list(report.notices)

    def script(path: Path) -> Path:
        return write_check_script(checkpoint, report, path, job)

    def account(path: Path) -> Path:
        steps = [record.label for record in capture.records[: capture.position]]
        found = account_of(capture.snapshot, report, steps, job)
        return write_account(found, path, job, spare=True)

    if request.script:
        run = "Run {path} to check whether the model still works"
        if not transformers_class(checkpoint):
            run += ", after filling in the function that builds the model"
        notices += _written(script, named_beside(report, ".check.py"), f"{run}.")
    if request.report:
        path = named_beside(report, f".report{request.report}")
        notices += _written(account, path, "The report is {path}.")
    return replace(report, notices=tuple(notices))


def _written(write: Callable[[Path], Path], path: Path, sentence: str) -> Iterator[str]:
    try:
        written = write(path)
    except PruneAppError as error:
        yield f"The export is complete, but a file beside it could not be written: {error}"
        return
    yield sentence.format(path=f"'{written}'")
    if written.name != path.name:
        yield left_as_it_was(path)


def named_beside(report: ExportReport, suffix: str) -> Path:
    """Return a name beside an export: ``m.check.py`` for ``m.safetensors`` and the folder ``m``.

    ``m.compact.check.py`` for ``m.compact.safetensors``, which may lie beside the other.
    """
    path = report.path
    endings = FORMATS[report.format].suffixes
    ending = next((end for end in endings if path.name.lower().endswith(end)), "")
    last = len(ending) - max(ending.rfind("."), 0)  # of ".compact.safetensors" the second part
    stem = path.name[: len(path.name) - last]
    return path.with_name(stem + suffix)
