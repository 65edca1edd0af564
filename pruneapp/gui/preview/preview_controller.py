"""Keeps estimate and preview true; applies it.

Keeps "What would happen" true: counts at once, the exact masks soon after.

Whenever the form, the check marks or the document change, what was known is stale. The estimate
is there in the same moment; the preview is computed in the background once the person pauses, and
"Prune" puts that very preview in force, which takes milliseconds.

Estimates follow a slider while it moves: numbers, tree and threshold are shown from them, and the
preview's replace them.

After the document changed panel, tree and pictures show what is in force, and what the form would
do next only once the person asks for something.

A file that is gone or another one by now: looked for until it is back.

The main command and what belongs to it: pruning, stopping, and making final.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from pruneapp.document.document import Capture, DocumentChanged
from pruneapp.document.step import Step
from pruneapp.edits.finalize import Finalize
from pruneapp.errors import FileChangedError, PruneAppError
from pruneapp.export.size_bounds import CompactSizes
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.mainwindow.status_controller import StatusController
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.method_form.form_controller import FormController, LoadedMasks
from pruneapp.gui.preview.live_preview import (
    EstimateResult,
    EstimateRunner,
    PreviewResult,
    PreviewRunner,
)
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.preview.preview_state import AppliedSummary, PreviewState
from pruneapp.methods import registry
from pruneapp.preview.preview import Preview
from pruneapp.results.sparsity_report import SparsityReport

LOOK_MS = 1000


class FileWatcher(QObject):
    """Looks for the file of the document, as long as it is told to.

    Parameters
    ----------
    session
        Has the document.

    Signals
    -------
    found()
        The file is as it was when it was opened. It is looked for no more.
    """

    found = Signal()

    def __init__(self, session: OpenDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._again = QTimer(self)
        self._again.setInterval(LOOK_MS)
        self._again.timeout.connect(self._look)

    def look(self) -> None:
        """Begin to look for it."""
        self._again.start()

    def stop(self) -> None:
        """Look no more."""
        self._again.stop()

    def _look(self) -> None:
        document = self._session.document
        if document is None:
            self.stop()
            return
        try:
            document.checkpoint.verify_unchanged()
        except PruneAppError:
            return
        self.stop()
        self.found.emit()


class PreviewController(QObject):
    """Asks for estimates and previews, and applies them.

    Parameters
    ----------
    session
        The document.
    jobs
        Where previews are computed.
    panel
        Told what would happen.
    ask
        Returns the step that the form describes now; raises `PruneAppError` if it describes none.
    extras
        Masks and scores that the person gave.

    Attributes
    ----------
    in_force
        Tells the panel what was done.
    outlook
        What is known of the step, and whether it is to be seen.

    Signals
    -------
    asked()
        `step` is another one, or none, or is to be done to another state.
    dropped()
        A prune that the person waited for is given up, because something else was done.
    """

    asked = Signal()
    dropped = Signal()

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        *,
        panel: PreviewPanel,
        ask: Callable[[], Step],
        extras: LoadedMasks,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._panel = panel
        self._ask = ask
        self._extras = extras
        self._step: Step | None = None
        self._apply_when_ready = False
        self._applying: SparsityReport | None = None
        self._sizes = CompactSizes()
        self.in_force = AppliedSummary(session, jobs, panel, self._sizes, self)
        self.outlook = PreviewState(panel, self.in_force, self)
        self._estimating = EstimateRunner(
            jobs, self._sizes, on_result=self._on_estimate, on_error=self._on_error, parent=self
        )
        self._previewing = PreviewRunner(
            session,
            jobs,
            extras,
            self._sizes,
            on_found=self._on_preview,
            on_error=self._on_error,
            parent=self,
        )
        self._previewing.began.connect(self._on_previewing)
        self._previewing.ended.connect(self._on_cancelled)
        self._missing = FileWatcher(session, self)
        self._missing.found.connect(self._on_stayed_or_found)
        session.changed.connect(self._on_changed)
        session.opening.connect(self._on_opening)
        session.stayed.connect(self._on_stayed)
        session.closed.connect(self._on_closed)

    @property
    def preview(self) -> Preview | None:
        """What would happen, exactly; None if it is not known."""
        return self.outlook.preview

    @property
    def is_behind(self) -> bool:
        """Whether the report of `outlook` is of something that was asked for before."""
        return self._estimating.busy

    @property
    def is_counted(self) -> bool:
        """Whether all is counted that an estimate of what is asked for needs."""
        return self._step is not None and self.outlook.counted

    @property
    def step(self) -> Step | None:
        """What is asked for; None if that is nothing that could be done."""
        return self._step

    @property
    def ranks_by_scores(self) -> bool:
        """Whether numbers from a file stand in for the weights."""
        rows = self._step.rows if self._step is not None else ()
        return bool(self._extras.scores_file) and any(
            registry.get(row.method).takes_scores for row in rows
        )

    def drop(self) -> None:
        """Forget what was known, and stop finding out."""
        self._forget()
        self._estimating.drop()
        self.outlook.drop()

    def halt(self) -> None:
        """Stop finding out."""
        self._previewing.halt()

    def refresh(self) -> None:
        """Begin anew: the person asks for something else."""
        self._begin(asked=True)

    def wait(self) -> None:
        """Show what is in force: a file was opened, and the person asked for nothing yet."""
        self.outlook.wait()
        self._begin(asked=False)

    def renew(self) -> None:
        """Begin anew with what is asked for, if anything is: it is computed in another way."""
        self._begin(asked=self.outlook.asked)

    def recount(self) -> None:
        """Look again what can be said by now: more was counted."""
        document, outlook = self._session.document, self.outlook
        if document is None or self._step is None or outlook.waiting or outlook.complete:
            return
        self._estimating.ask(Capture.of(document), self._step)

    def prune(self) -> None:
        """Do it: at once if the preview is there, else as soon as it is."""
        if self._step is None or self._session.document is None or self.outlook.waiting:
            return
        if not self._session.may_work():
            return
        if self.preview is not None:
            self._apply(self.preview)
            return
        self._apply_when_ready = True
        self._previewing.show(self.tr("Pruning"))

    def cancel(self) -> bool:
        """Stop a prune that was asked for and is not done; False if there is none."""
        if not self._apply_when_ready:
            return False
        self._apply_when_ready = False
        self._previewing.cancel()
        return True

    def cancel_preview(self) -> bool:
        """Stop a preview that takes long; False if there is none."""
        return self._panel.is_slow and self._previewing.cancel()

    # -- beginning ------------------------------------------------------------------------------

    def _begin(self, *, asked: bool) -> None:
        # The estimate before stays to be seen until the next one is there: nothing flickers.
        self._forget()
        self.outlook.ask(asked=asked)
        document = self._session.document
        if document is None:
            self.drop()
            return
        try:
            self._step = self._ask()
        except PruneAppError as error:
            self.drop()
            self.outlook.refuse(error)
        else:
            if not self.outlook.waiting:  # else nobody asked: nothing is computed for it
                self._previewing.soon(self._step)
                self._estimating.ask(Capture.of(document), self._step)
        previewable = self._step is not None and not self.outlook.asked
        self._panel.set_previewable(previewable=previewable)
        self.asked.emit()

    def _forget(self) -> None:
        self._previewing.forget()
        self._step = None
        self._missing.stop()
        self._give_up()

    def _give_up(self) -> None:
        if self._apply_when_ready:
            self._apply_when_ready = False
            self.dropped.emit()

    def _apply(self, preview: Preview) -> None:
        self._applying = preview.report
        self._session.commit(preview)
        self._applying = None

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.kind == "exported":
            return  # that changes nothing of what would happen
        self._estimating.drop()
        self.outlook.stand(self._applying)
        self._begin(asked=False)

    def _on_opening(self, _path: object) -> None:
        # There is one worker, and the file is waited for; a preview can begin again.
        self._previewing.halt()
        self._give_up()

    def _on_closed(self) -> None:
        self._sizes.forget()
        self.in_force.forget()
        self.drop()

    def _on_stayed(self) -> None:
        if self.preview is None:
            self._on_stayed_or_found()

    def _on_stayed_or_found(self) -> None:
        self._begin(asked=self.outlook.asked)

    # -- what came of it ------------------------------------------------------------------------

    def _on_previewing(self) -> None:
        self._panel.set_busy(busy=True)

    def _on_estimate(self, answer: EstimateResult) -> None:
        if self._step is not None:
            self.outlook.take_estimate(answer, self._step, by_scores=self.ranks_by_scores)

    def _on_preview(self, found: PreviewResult) -> None:
        self._panel.set_busy(busy=False)
        if self._apply_when_ready:
            self._apply_when_ready = False
            self.outlook.note_compact(found)
            self._apply(found.preview)
        elif self._step is not None:
            self.outlook.take_preview(found, self._step)

    def _on_error(self, error: PruneAppError) -> None:
        self._previewing.halt()
        self._estimating.drop()
        self.outlook.refuse(error)
        if isinstance(error, FileChangedError):
            self._missing.look()  # it may be put back
        if self._apply_when_ready:
            self._apply_when_ready = False
            self._session.refused.emit(error)

    def _on_cancelled(self, waited: bool) -> None:
        self._apply_when_ready = False
        self._panel.set_busy(busy=False)
        if waited and self._step is not None:
            # Not done, but still what is asked for: it goes on being a preview.
            self._previewing.soon(self._step)


class PruneController(QObject):
    """Does what the form says, or stops it.

    Parameters
    ----------
    window, views
        Their commands and buttons ask for it.
    session, jobs
        The document, and what runs.
    asking, forecasting
        Say what is asked for, and do it.
    telling
        Says that a prune was given up.
    """

    def __init__(
        self,
        window: MainWindow,
        session: OpenDocument,
        jobs: Jobs,
        *,
        views: DocumentViews,
        asking: FormController,
        forecasting: PreviewController,
        telling: StatusController,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._jobs = jobs
        self._views = views
        self._asking = asking
        self._forecasting = forecasting
        self._telling = telling
        for name, call in {
            "prune": self.prune,
            "preview": forecasting.refresh,
            "cancel": self.cancel,
            "reset_form": self._asking.reset,
            "make_final": self.make_final,
        }.items():
            window.actions_[name].triggered.connect(call)
        window.job_status.cancelRequested.connect(self.cancel)
        views.forecast.action.pruneRequested.connect(self.prune)
        views.forecast.action.previewRequested.connect(forecasting.refresh)
        forecasting.dropped.connect(self._on_dropped)
        session.changed.connect(self._on_changed)

    def prune(self) -> None:
        """Do what the form says."""
        self._asking.settle()
        if self._views.forecast.action.button.isEnabled():
            self._forecasting.prune()

    def cancel(self) -> None:
        """Stop the running job; without one, drop the preview. The form stays as it is."""
        asked = self._forecasting
        if not (asked.cancel() or self._jobs.cancel_visible() or asked.cancel_preview()):
            if self._session.document is not None and asked.outlook.asked:
                asked.wait()
        elif self._jobs.busy:
            self._window.job_status.set_cancelling(writes=self._jobs.writing)

    def make_final(self) -> None:
        """Turn the pruned weights of the checked tensors into ordinary zeros."""
        names = self._views.tree.checked()
        self._session.propose(self.tr("Making permanent"), Finalize(names).propose)

    def _on_dropped(self) -> None:
        if self._session.document is None:
            return
        self._telling.offer(
            NoticeTopic.STOPPED,
            self.tr(
                "Pruning was cancelled because the history changed before it finished. "
                "Nothing was pruned."
            ),
            self.tr("Prune now"),
            self._prune_after_all,
        )

    def _prune_after_all(self) -> None:
        self._telling.end(NoticeTopic.STOPPED)
        self.prune()

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.kind == "prune":
            self._telling.end(NoticeTopic.STOPPED)
