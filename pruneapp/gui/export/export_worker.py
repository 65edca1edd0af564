"""What the worker does for an export: sizes to come, and the writing itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pruneapp.document.capture import Capture
from pruneapp.export.exporter import ExportRequest, export
from pruneapp.export.format_sizes import offers, unsized
from pruneapp.export.provenance import ProvenanceState, planned, provenance_of
from pruneapp.export.records_state import State
from pruneapp.export.report import ExportReport
from pruneapp.gui.export.dialog_wish import ExportWish
from pruneapp.gui.export.export_worker_export_beside import write_beside
from pruneapp.progress import Job
from pruneapp.recipes.portable import history_recipe
from pruneapp.results.format_offer import FormatOffer

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
