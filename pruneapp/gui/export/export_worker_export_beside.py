"""What is written beside an export on request: the script that checks it, and the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pruneapp.document.capture import Capture
from pruneapp.errors import PruneAppError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.destination.folder import left_as_it_was
from pruneapp.export.report import ExportReport
from pruneapp.export.report_file import account_of
from pruneapp.export.report_file_writing import write_account
from pruneapp.export.scripts.comparison_script import is_complete, write_check_script
from pruneapp.gui.export.dialog_wish import ExportWish
from pruneapp.progress import Job


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
