"""The report of an export, in the words that its dialog takes."""

from __future__ import annotations

from collections.abc import Mapping

from pruneapp.export.catalog import FORMATS
from pruneapp.export.report import ExportReport
from pruneapp.export.rounding import damages
from pruneapp.gui.export.report_dialog import ReportText
from pruneapp.results.sparsity_report import TensorSparsity


def report_text(report: ExportReport, shown: Mapping[str, str]) -> ReportText:
    """Return what a dialog says of an export.

    Parameters
    ----------
    report
        What was written.
    shown
        What tensors are called in the tree, by the names that they have in the file.
    """
    undo: tuple[str, ...] = ()
    if report.kept_originals and not report.undo_ends:
        undo = ("Undo goes on from the original that was kept.",)
    home = report.files[0].path.parent  # of the weights; links are followed there
    return ReportText(
        path=str(report.path),
        format=FORMATS[report.format].label,
        nbytes=report.nbytes,
        checksum=f"sha256 {report.sha256}",
        verified=report.verified,
        tensors=tuple(
            TensorSparsity(shown.get(t.name, t.name), t.numel, t.pruned, t.pruned)
            for t in report.tensors
            if t.pruned
        ),
        kept_as=tuple(map(str, report.kept_originals)),
        loads=FORMATS[report.format].loads(report.path),
        notes=(*(n for n in report.notices if not damages(n)), *undo),
        warnings=tuple(notice for notice in report.notices if damages(notice)),
        files=tuple(
            (f.path.relative_to(home).as_posix(), f.nbytes, f"sha256 {f.sha256}")
            for f in report.files
        )
        if report.path.is_dir()
        else (),
    )
