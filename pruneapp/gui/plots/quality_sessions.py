"""Results of other saved sessions in the chart of Quality."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtWidgets import QDialog, QFileDialog

from pruneapp.document.edit import Record
from pruneapp.errors import ParameterError
from pruneapp.evaluation.report.contents import ReportSource, measured_states
from pruneapp.evaluation.report.results import results_in
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.plots.quality import OtherSession, QualityView
from pruneapp.progress import Job
from pruneapp.sessions.restore import reopen
from pruneapp.sessions.session_file import SUFFIX, read_session


def read_other_session(path: Path, words_of: Callable[[Record], str], job: Job) -> OtherSession:
    """Return the states of a session file that were measured, by its latest evaluation.

    `words_of` returns the name of the series of an edit. Raises what `read_session` and `reopen`
    raise, and `ParameterError` if no state was measured.
    """
    with read_session(path, job) as saved:
        document = reopen(saved, job)
        try:
            source = ReportSource.of(document, results_in(saved.view))
            states = measured_states(source, words_of, job)
        finally:
            document.close()
            document.checkpoint.close()
    if not states:
        raise ParameterError(
            f"No state of '{path.name}' was evaluated.",
            remedy="Open it, evaluate its states, and save it.",
        )
    return OtherSession(path.name.removesuffix(SUFFIX), states)


class QualitySessionsController(Feature[QDialog]):
    """Adds the results of saved sessions to the chart until the file is closed.

    `words_of` returns the name of the series of an edit.
    """

    commands: ClassVar = {}

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        view: QualityView,
        words_of: Callable[[Record], str],
    ) -> None:
        super().__init__(context, session)
        self._view, self._words_of = view, words_of
        view.sessionsRequested.connect(self.ask)

    @flow
    def ask(self) -> Flow[None]:
        """Ask the user for sessions, and show their results; do nothing if the user cancels."""
        names, _ = QFileDialog.getOpenFileNames(
            self._window,
            self.tr("Add sessions to the chart"),
            str(self.session.folder("session")),
            self.tr("Sessions ({patterns})").format(patterns=f"*{SUFFIX}"),
        )
        if names:
            self.session.note_folder("session", Path(names[0]))
        for name in names:
            work = partial(read_other_session, Path(name), self._words_of)
            found = yield from RunJob(self.tr("Reading the session"), work)
            others = [other for other in self._view.others if other.name != found.name]
            self._view.set_others([*others, found])

    def on_closed(self) -> None:
        super().on_closed()
        self._view.set_others(())
