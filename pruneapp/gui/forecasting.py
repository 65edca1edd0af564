"""Keeps "What would happen" true: counts at once, the exact masks soon after.

Whenever the form, the check marks or the document change, what was known is stale. The estimate
is there in the same moment; the preview is computed in the background once the person pauses, and
"Prune" puts that very preview in force, which takes milliseconds.

Estimates follow a slider while it moves: numbers, tree and threshold are shown from them, and the
preview's replace them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from pruneapp.answers import Estimate, SparsityReport
from pruneapp.document.document import DocumentChanged
from pruneapp.document.preview import Preview, compute_preview
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.errors import FileChangedError, PruneAppError
from pruneapp.gui.estimating import Estimating
from pruneapp.gui.extras import Extras, Frozen
from pruneapp.gui.jobs import Jobs
from pruneapp.gui.missing import Missing
from pruneapp.gui.session import Session
from pruneapp.gui.tasks import Task
from pruneapp.gui.views.forecast import Forecast
from pruneapp.kernels.contract import Kernel
from pruneapp.methods import registry
from pruneapp.progress import Job

# A person who drags a slider pauses longer than this when they have found the place.
PAUSE_MS = 50


class Forecasting(QObject):
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

    Signals
    -------
    changed()
        `preview` is another one, or none.
    foreseen()
        `outlook` is another one, or none; or `is_counted` is.
    asked()
        `step` is another one, or none, or is to be done to another state.
    dropped()
        A prune that the person waited for is given up, because something else was done.
    """

    changed = Signal()
    foreseen = Signal()
    asked = Signal()
    dropped = Signal()

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        *,
        panel: Forecast,
        ask: Callable[[], Step],
        extras: Extras,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._panel = panel
        self._ask = ask
        self._extras = extras
        self._step: Step | None = None
        self._task: Task[Preview] | None = None
        self._apply_when_ready = False
        self._channels = 0
        self._asked = True
        self.preview: Preview | None = None
        self._report: SparsityReport | None = None
        self._sure = self._counted = self._complete = False
        self._estimating = Estimating(
            jobs, on_result=self._on_estimate, on_error=self._on_error, parent=self
        )
        self._missing = Missing(session, self)
        self._missing.found.connect(self._on_found)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._compute)
        session.changed.connect(self._on_changed)
        session.opening.connect(self._on_opening)
        session.stayed.connect(self._on_stayed)
        jobs.started.connect(self._on_job_started)
        session.closed.connect(self.drop)

    @property
    def shown(self) -> Preview | None:
        """The preview, if the tree and the pictures are to show it.

        After a step is done its result is to be seen, not what the same form would do next; that
        is shown again once the person asks for something.
        """
        return self.preview if self._asked else None

    @property
    def outlook(self) -> SparsityReport | None:
        """What would happen as far as it is known, if it is to be shown: see `shown`.

        That of the preview, else of an estimate, else none.
        """
        return self._report if self._asked else None

    @property
    def is_about(self) -> bool:
        """Whether what `outlook` says of each tensor is not exact."""
        return self.preview is None and not self._sure

    @property
    def is_behind(self) -> bool:
        """Whether `outlook` is of something that was asked for before."""
        return self._estimating.busy

    @property
    def is_counted(self) -> bool:
        """Whether all is counted that an estimate of what is asked for needs."""
        return self._step is not None and self._counted

    @property
    def step(self) -> Step | None:
        """What is asked for; None if that is nothing that could be done."""
        return self._step

    def drop(self) -> None:
        """Forget what was known, and stop finding out."""
        self._forget()
        self._estimating.drop()
        self._foresee(None)

    def _forget(self) -> None:
        self.halt()
        self._task = self._step = None
        self._missing.stop()
        self._give_up()
        self._show(None)

    def _give_up(self) -> None:
        if self._apply_when_ready:
            self._apply_when_ready = False
            self.dropped.emit()

    def halt(self) -> None:
        """Stop finding out."""
        self._pause.stop()
        if self._task is not None:
            self._task.cancel()

    def refresh(self) -> None:
        """Begin anew: the person asks for something else."""
        self._begin(asked=True)

    def recount(self) -> None:
        """Look again what can be said by now: more was counted."""
        document = self._session.document
        if document is not None and self._step is not None and not self._complete:
            self._estimating.ask(document.snapshot(), self._step)

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.kind != "exported":  # that changes nothing of what would happen
            self._estimating.drop()
            self._foresee(None)
            self._begin(asked=False)

    def _show(self, preview: Preview | None) -> None:
        # What is not to be seen is not told: every picture would be made anew for nothing.
        before = self.shown
        self.preview = preview
        if self.shown is not before:
            self.changed.emit()

    def _foresee(self, report: SparsityReport | None) -> None:
        before = self.outlook
        self._report = report
        if self.outlook is not before:
            self.foreseen.emit()

    def _on_opening(self, _path: object) -> None:
        # There is one worker, and the file is waited for; a preview can begin again.
        self._pause.stop()
        if self._task is not None:
            self._task.cancel()
        self._give_up()

    def _on_job_started(self, _title: str) -> None:
        # What the person asked for goes first; a preview that nobody waits for begins again.
        task = self._task
        if task is not None and not task.visible and not task.token.cancelled:
            task.cancel()
            self._task = None
            self._pause.start()

    def _on_stayed(self) -> None:
        if self.preview is None:
            self._begin(asked=self._asked)

    def _begin(self, *, asked: bool) -> None:
        self._complete = False
        # The estimate before stays to be seen until the next one is there: nothing flickers.
        self._forget()
        self._asked = asked
        document = self._session.document
        if document is None:
            self.drop()
            return
        try:
            self._step = self._ask()
        except PruneAppError as error:
            self.drop()
            self._panel.set_error(error.sentence, error.remedy)
        else:
            self._pause.start()
            self._estimating.ask(document.snapshot(), self._step)
        self.asked.emit()

    def prune(self) -> None:
        """Do it: at once if the preview is there, else as soon as it is."""
        if self._step is None or self._session.document is None:
            return
        if not self._session.may_work():
            return
        if self.preview is not None:
            self._session.apply(self.preview)
            return
        self._apply_when_ready = True
        if self._task is None or self._task.token.cancelled:
            self._pause.stop()
            self._compute()
        if self._task is not None:
            self._jobs.show(self._task, self.tr("Pruning"))

    def cancel(self) -> bool:
        """Stop a prune that was asked for and is not done; False if there is none."""
        if not self._apply_when_ready:
            return False
        self._apply_when_ready = False
        if self._task is not None:
            self._task.cancel()
        return True

    def cancel_preview(self) -> bool:
        """Stop a preview that takes long; False if there is none."""
        if self._task is None or self._task.token.cancelled or not self._panel.is_slow:
            return False
        self._task.cancel()
        return True

    def _compute(self) -> None:
        document, step = self._session.document, self._step
        if document is None or step is None:
            return
        self._panel.set_busy(busy=True)
        methods = [registry.get(row.method) for row in step.rows]
        extras = self._extras.frozen(
            masks=any(method.takes_mask for method in methods),
            scores=any(method.takes_scores for method in methods),
        )
        self._task = self._jobs.submit(
            self.tr("Previewing"),
            partial(_previewed, document.snapshot(), step, extras, self._session.kernel),
            on_result=self._on_preview,
            on_error=self._on_error,
            on_cancelled=self._on_cancelled,
            visible=False,
        )

    @property
    def ranks_by_scores(self) -> bool:
        """Whether numbers from a file stand in for the weights."""
        rows = self._step.rows if self._step is not None else ()
        return bool(self._extras.scores_file) and any(
            registry.get(row.method).takes_scores for row in rows
        )

    def _on_estimate(self, found: Estimate) -> None:
        if self.ranks_by_scores:  # which nobody counted
            found = replace(found, report=None, sure=False, counting=1.0)
        before = self._counted
        self._counted, self._complete = found.report is not None, found.counting >= 1
        self._panel.set_counting(found.counting)
        if self.preview is None:
            self._channels = found.channels
            self._sure = found.sure
            self._panel.set_estimate(found)
            self._foresee(found.report)
        if self._counted != before and self.outlook is None:
            self.foreseen.emit()

    def _on_preview(self, preview: Preview) -> None:
        document = self._session.document
        if document is None or preview.revision != document.revision:
            return  # the document has moved on; a newer answer is under way
        self._task = None
        self._panel.set_busy(busy=False)
        if self._apply_when_ready:
            self._apply_when_ready = False
            self._session.apply(preview)
            return
        self._panel.set_report(preview.report, channels=self._channels)
        self._show(preview)
        self._foresee(preview.report)

    def _on_error(self, error: PruneAppError) -> None:
        self._task = None
        self._pause.stop()
        self._estimating.drop()
        self._foresee(None)
        self._panel.set_error(error.sentence, error.remedy)
        if isinstance(error, FileChangedError):
            self._missing.look()  # it may be put back
        if self._apply_when_ready:
            self._apply_when_ready = False
            self._session.refused.emit(error)

    def _on_cancelled(self) -> None:
        # Dropped for a newer question, cancelled by the person, or ended by a bug of ours: then
        # the button asks anew.
        task = self._task
        if task is not None and (task.token.cancelled or task.error is not None):
            self._task = None
            self._apply_when_ready = False
            self._panel.set_busy(busy=False)
            if task.visible and task.token.cancelled:
                # Not done, but still what is asked for: it goes on being a preview.
                self._pause.start()

    def _on_found(self) -> None:
        self._begin(asked=self._asked)


def _previewed(
    snapshot: Snapshot, step: Step, extras: Frozen, kernel: Callable[[], Kernel], job: Job
) -> Preview:
    """Compute a preview, and in the worker what it takes to show it and to put it in force."""
    found = compute_preview(snapshot, step, kernel(), job, given=extras.masks, scores=extras.scores)
    found.report.prepare()
    found.as_edit(snapshot).prepare()
    return found
