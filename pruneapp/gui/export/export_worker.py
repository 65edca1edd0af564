"""What the worker does for an export: sizes, writing, report and script beside it.

What the worker does for an export: sizes to come, and the writing itself.

What is written beside an export on request: the script that checks it, and the report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pruneapp.document.capture import Capture
from pruneapp.errors import PruneAppError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.destination.folder import left_as_it_was
from pruneapp.export.exporter import ExportRequest, export
from pruneapp.export.format_sizes import offers, unsized
from pruneapp.export.provenance import ProvenanceState, planned, provenance_of
from pruneapp.export.records import State
from pruneapp.export.report import ExportReport
from pruneapp.export.report_file import account_of, write_account
from pruneapp.export.scripts.comparison_script import is_complete, write_check_script
from pruneapp.gui.export.dialog import ExportWish
from pruneapp.progress import Job
from pruneapp.recipes.portable import history_recipe
from pruneapp.results.format_offer import FormatOffer


def write_beside(
    capture: Capture, report: ExportReport, wish: ExportWish, job: Job
) -> ExportReport:
    """Write what a person wishes to have beside an export that was written.

    A script or a report that is there and differs stays: the new one has a name of its own.
    What cannot be written is told in the report: the export itself is there and whole.

    Parameters
    ----------
    capture
        The document, as it was exported.
    report
        Of the export.
    wish
        What is wanted.
    job
        Started anew for the report, which reads the pruned tensors once.

    Returns
    -------
    ExportReport
        With the names of what was written among the notices.
    """
    checkpoint = capture.snapshot.checkpoint
    notices = list(report.notices)

    def script(path: Path) -> Path:
        return write_check_script(checkpoint, report, path, job)

    def account(path: Path) -> Path:
        steps = [record.label for record in capture.records[: capture.position]]
        found = account_of(capture.snapshot, report, steps, job)
        return write_account(found, path, job, spare=True)

    if wish.script:
        told = (
            "Run {path} to check whether the model still works."
            if is_complete(checkpoint)
            else "Run {path} to check whether the model still works, after filling in the "
            "function that builds the model."
        )
        notices.extend(_told(script, named_beside(report, ".check.py"), told))
    if wish.report:
        path = named_beside(report, f".report{wish.report}")
        notices.extend(_told(account, path, "The report is {path}."))
    return replace(report, notices=tuple(notices))


def _told(write: Callable[[Path], Path], path: Path, told: str) -> tuple[str, ...]:
    try:
        written = write(path)
    except PruneAppError as error:
        return (f"The export is complete, but a file beside it could not be written: {error}",)
    said = told.format(path=f"'{written}'")
    return (said,) if written.name == path.name else (said, left_as_it_was(path))


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


PRUNED = "-pruned"
# Planning a file of more tensors takes long enough to be felt.
MANY = 5_000


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


def foretold(capture: Capture, job: Job) -> State:
    """Return a state for sizes to come: it says as much of where it comes from as an export will.

    Parameters
    ----------
    capture
        The document.
    job
        May cancel.
    """
    recipe = history_recipe(capture, job)
    return ProvenanceState(capture.snapshot, planned(capture.snapshot, recipe, job))


def request_of(wish: ExportWish) -> ExportRequest:
    """Return what a person wants as the export is asked for it; a link is to be followed."""
    path = Path(wish.path).expanduser()
    try:
        leads_on = path.is_symlink() and path.exists()
    except OSError:  # as of a name that is too long: the export refuses it in a sentence
        leads_on = False
    return ExportRequest(
        wish.format,
        path,
        replace_original=wish.replace_original,
        params=wish.params,
        follow_links=leads_on,
    )


def is_pruned(state: State, job: Job) -> bool:
    """Whether an export would be another than a copy: anything is pruned, or was made final."""
    for batch in job.cancel.batches(state.checkpoint.entries):
        gone = (state.zeroed(name) for name in batch)
        if any(mask is not None and mask.pruned for mask in gone):
            return True
    return False


def first_offers(capture: Capture, job: Job) -> tuple[State, tuple[FormatOffer, ...], bool]:
    """Return every format with the size to come, where headers tell it at once.

    With them the state, and whether anything of it is pruned.

    Parameters are those of `foretold`.
    """
    state = foretold(capture, job)
    if len(state.checkpoint.entries) > MANY:
        return state, unsized(state, job), is_pruned(state, job)
    return state, offers(state, job, sampled=False), is_pruned(state, job)


def export_document(capture: Capture, request: ExportRequest, job: Job) -> ExportReport:
    """Export a document with its recipe and the checksums of its files in the metadata.

    Parameters
    ----------
    capture
        The document.
    request
        What to write where.
    job
        See `export`.
    """
    origin = provenance_of(capture.snapshot, history_recipe(capture, job), job)
    return export(capture.snapshot, replace(request, provenance=origin), job)


@dataclass(eq=False)
class ExportJob:
    """An export of the window, and what is written beside it.

    Attributes
    ----------
    capture
        The document.
    request
        What is written where.
    wish
        What is wanted beside it.
    shown
        What its tensors are called in the tree, by their names.
    report
        Of the export, as soon as that is written: no cancelling takes it back then.
    """

    capture: Capture
    request: ExportRequest
    wish: ExportWish
    shown: Mapping[str, str]
    report: ExportReport | None = None

    def work(self, job: Job) -> ExportReport:
        """Export the document, and write what is wanted beside it; see `export_document`."""
        self.report = export_document(self.capture, self.request, job)
        return write_beside(self.capture, self.report, self.wish, job)
