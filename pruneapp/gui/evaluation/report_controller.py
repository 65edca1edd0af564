"""Write the report of the history to a file that the user chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog

from pruneapp.evaluation.report.contents import ReportSource
from pruneapp.evaluation.report.results import KeptScan
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.dialogs import save_path
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.progress import Job

_SUFFIX = ".html"


class ReportController(Feature[QDialog]):
    """Writes the report, and offers to open it."""

    commands: ClassVar = {"report": "save"}

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        evaluation: EvaluationController,
        scans: Callable[[], Sequence[KeptScan]],
    ) -> None:
        super().__init__(context, session)
        self._evaluation, self._scans = evaluation, scans

    @flow
    def save(self) -> Flow[None]:
        """Ask the user for a file, and write the report to it; do nothing if the user cancels."""
        path = save_path(
            self._window,
            self.tr("Save report"),
            self.session.propose_path("report", f"-report{_SUFFIX}"),
            self.tr("Web pages ({patterns})").format(patterns=f"*{_SUFFIX}"),
            _SUFFIX,
        )
        if path is not None:
            self.session.note_folder("report", path)
            self._write(path)
        yield from ()

    @flow
    def _write(self, path: Path) -> Flow[None]:
        evaluation = self._evaluation
        source = ReportSource.of(
            self.document, evaluation.stored_results, evaluation.state_hashes, self._scans()
        )

        def work(job: Job) -> str:
            # Imported here because the template is needed for reports only.
            from pruneapp.evaluation.report.page import write_history_report

            return write_history_report(source, path, job).name

        name = yield from RunJob(self.tr("Writing the report"), work, Lane.WRITING)
        self._notifications.end(NoticeTopic.EXPORT)
        self._notifications.offer(
            NoticeTopic.EXPORT,
            self.tr("Report saved as {file}.").format(file=name),
            self.tr("Open"),
            partial(self._open, path.with_name(name)),
        )

    def _open(self, path: Path) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.absolute()))):
            words = self.tr("No program was found to open '{file}'. Open it in a browser.")
            self._notifications.show_info(NoticeTopic.EXPORT, words.format(file=path))
