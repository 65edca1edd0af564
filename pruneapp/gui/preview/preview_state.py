"""What is shown: the planned step, or what was applied.

What is known of the step that is asked for, and whether the window shows it.

What was done, or is in force: told by the panel while nothing is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from pruneapp.document.document import Capture
from pruneapp.document.history import PastState
from pruneapp.document.step import Step
from pruneapp.errors import NothingToPruneError, ParameterError, PruneAppError, SelectionError
from pruneapp.export.size_bounds import CompactSizes
from pruneapp.gui.app.jobs import Jobs, Task, Urgency
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.preview.live_preview import EstimateResult, PreviewResult
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.preview.from_histograms import retained
from pruneapp.preview.preview import Preview
from pruneapp.progress import Job
from pruneapp.results.document_rows import HistoryItem
from pruneapp.results.sparsity_report import Assignment, SparsityReport, TensorSparsity

# So many of the tensors that are pruned most are told.
LISTED = 20


@dataclass(frozen=True, eq=False)
class _Standing:
    report: SparsityReport
    most: tuple[TensorSparsity, ...]
    compact: int | None


@dataclass(frozen=True, eq=False)
class _Done:
    """The newest prune: the state and the item of the history after it, and what was said of it."""

    key: object
    item: HistoryItem
    report: SparsityReport
    compact: int | None


class AppliedSummary(QObject):
    """Tells the panel of the state that is in force.

    Of the newest prune that is what it did, with all that was said of it before: as long as nothing
    is done that changes what is written, and again when that prune is done again. Of other states
    it is what counts in the background say.

    Parameters
    ----------
    session, jobs
        The document, and where is counted.
    panel
        Told.
    sizes
        Say how large a compact file would be.

    Signals
    -------
    judged(Mapping of Danger)
        The tensors of the state in force that keep too little, by name; whatever is asked for.
    """

    judged = Signal(object)

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        panel: PreviewPanel,
        sizes: CompactSizes,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._panel = panel
        self._sizes = sizes
        self._done: _Done | None = None
        self._task: Task[_Standing] | None = None
        self._told = False
        self._open = False  # whether something of it is not counted yet
        self._outdated = False  # whether more is known since the task began

    @property
    def is_done(self) -> bool:
        """Whether the state writes what it wrote after the newest prune."""
        document, done = self._session.document, self._done
        return done is not None and document is not None and document.history.key is done.key

    def note(self, report: SparsityReport, compact: int | None) -> None:
        """Take note of what the prune did that led to the state in force, and its compact size."""
        document = self._session.document
        assert document is not None
        item = document.items[document.position]
        self._done = _Done(document.history.key, item, report, compact)

    def tell(self) -> None:
        """Tell of the state in force."""
        self._told = True
        self._count()
        document, done = self._session.document, self._done
        if self.is_done:
            assert document is not None
            assert done is not None
            self._panel.set_done(done.report)
            self._panel.set_compact(done.compact)
            return
        self._panel.set_now(None)
        self._panel.set_compact(None)

    def recount(self) -> None:
        """Tell what was not counted before."""
        if self._task is not None:
            self._outdated = True
        elif self._open:
            self._count()

    def hush(self) -> None:
        """Leave the panel alone: a step is asked for."""
        self._told = False

    def forget(self) -> None:
        """Forget what was done: the document is closed."""
        self._told = self._open = self._outdated = False
        self._done = None
        self._cancel()
        self.judged.emit({})

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _count(self) -> None:
        self._cancel()
        document = self._session.document
        if document is None:
            return
        self._outdated = False
        first, capture, sizes = document.state_at(0), Capture.of(document), self._sizes
        self._task = self._jobs.answer(
            lambda job: _standing(first, capture, sizes, job),
            on_result=self._on_counted,
            on_error=self._on_error,
            urgency=Urgency.ASIDE,
        )

    def _on_counted(self, found: _Standing) -> None:
        self._task = None
        self._open = found.report.energy is None
        self.judged.emit(found.report.dangers)
        if self._told:
            # Also after a step: what was protected since stands in the header of a file.
            self._panel.set_compact(found.compact)
            if self.is_done:
                assert self._done is not None
                self._panel.set_done(self._done.report, found.report.energy)
            else:
                self._panel.set_now(found.report, found.most)
        if self._open and self._outdated:
            self._count()

    def _on_error(self, _error: PruneAppError) -> None:
        self._task = None  # what is in force is said without it


def _standing(first: PastState, capture: Capture, sizes: CompactSizes, job: Job) -> _Standing:
    report = retained(first.load(job), capture.snapshot, job)
    _ = report.dangers  # judged here, not in the main thread
    pruned = [t for t in report.tensors if t.after]
    pruned.sort(key=lambda t: -t.after / t.numel)
    return _Standing(report, tuple(pruned[:LISTED]), sizes.now(capture, job))


class PreviewState(QObject):
    """Holds the preview and the report of what would happen, and tells the panel.

    After a step is done, undone or reached in the history its result is to be seen, not what the
    same form would do next: that is known all the same, and shown once the person asks for
    something, in panel, tree and pictures alike.

    Parameters
    ----------
    panel
        Told what would happen, or in a line that it would.
    in_force
        Tells the panel what was done.

    Signals
    -------
    changed()
        `shown` is another one, or none.
    assigned()
        `assignment` is another one.
    foreseen()
        `report` is another one, or none; or `counted` is.

    Attributes
    ----------
    preview
        What would happen, exactly; None if it is not known.
    asked
        Whether the person asked for something since the document changed.
    waiting
        Whether nobody asked for anything since the file was opened: nothing can be done then.
    assignment
        Which rule would prune each tensor, and what limits exclude.
    counted, complete
        Whether counts say something of what is asked for, and whether all they can.
    """

    changed = Signal()
    assigned = Signal()
    foreseen = Signal()

    def __init__(
        self, panel: PreviewPanel, in_force: AppliedSummary, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._in_force = in_force
        self.preview: Preview | None = None
        self.assignment = Assignment()
        self.asked = True
        self.waiting = False
        self.counted = self.complete = False
        self._report: SparsityReport | None = None
        self._sure = False
        self._channels = 0
        self._compact: int | None = None

    @property
    def shown(self) -> Preview | None:
        """The preview, if it is to be seen."""
        return self.preview if self.asked else None

    @property
    def report(self) -> SparsityReport | None:
        """What would happen as far as it is known, if it is to be seen.

        That of the preview, else of an estimate, else none.
        """
        return self._report if self.asked else None

    @property
    def is_about(self) -> bool:
        """Whether what `report` says of each tensor is not exact."""
        return self.preview is None and not self._sure

    def ask(self, *, asked: bool) -> None:
        """Take whether what is known from now on is to be seen; no preview is known yet."""
        self._show(None)
        self.complete = False
        self.asked = asked
        if asked:
            self.waiting = False
            self._in_force.hush()

    def drop(self) -> None:
        """Forget what was known."""
        self._assign(Assignment())
        self._show(None)
        self._foresee(None)

    def stand(self, done: SparsityReport | None) -> None:
        """Let the state in force be seen that another one became by now.

        Parameters
        ----------
        done
            What a prune did that led to it; None if something else did.
        """
        if done is not None:
            self._in_force.note(done, self._compact)
        self.drop()
        self.asked = False
        if self.waiting:
            self.counted = False
            self._panel.set_waiting()
        self._panel.set_counting(1.0)
        self._in_force.tell()

    def wait(self) -> None:
        """Let the state in force be seen, and nothing be done until the person asks for it."""
        self.waiting = True
        self.stand(None)

    def note_counted(self) -> None:
        """Take that all is counted: also of what nobody asked for yet the line can be drawn."""
        if self.waiting and not self.counted:
            self.counted = True
            self.foreseen.emit()

    def take_estimate(self, answer: EstimateResult, step: Step, *, by_scores: bool) -> None:
        """Take what counts say of a step; nothing of tensors if scores stand in for weights."""
        found = answer.estimate
        self._assign(answer.assignment)
        if by_scores:  # which nobody counted
            found = replace(found, report=None, sure=False, counting=1.0)
        before = self.counted
        self.counted, self.complete = found.report is not None, found.counting >= 1
        if self.asked:  # what is done is counted, whatever may come next
            self._panel.set_counting(found.counting)
        if self.preview is None:
            self._sure, self._channels = found.sure, found.channels
            self._compact = answer.compact if self.counted else None
            if self.asked:
                self._panel.set_estimate(found)
                self._panel.set_compact(self._compact)
            else:
                self._tell_again(step, found.gone, exact=found.exact)
            self._foresee(found.report)
        if self.counted != before and self.report is None:
            self.foreseen.emit()

    def take_preview(self, found: PreviewResult, step: Step) -> None:
        """Take what a step would do, exactly."""
        report = found.preview.report
        self._compact = found.compact
        if self.asked:
            self._panel.set_report(report, channels=self._channels)
            self._panel.set_compact(found.compact)
        else:
            self._tell_again(step, report.gone, exact=True)
        self._show(found.preview)
        self._foresee(report)

    def note_compact(self, found: PreviewResult) -> None:
        """Take the size after a preview that is put in force at once."""
        self._compact = found.compact

    def refuse(self, error: PruneAppError) -> None:
        """Say why nothing can be done; discreetly if nobody asked."""
        self._foresee(None)
        if isinstance(error, NothingToPruneError):  # no setting would change that
            self._in_force.hush()  # what is counted by and by would take its place
            self._panel.set_error(error.sentence, error.remedy)
            return
        if self.waiting and isinstance(error, (ParameterError, SelectionError)):
            self._panel.set_waiting(f"{error.sentence} {error.remedy}".strip())
            return
        if not self.asked and isinstance(error, (ParameterError, SelectionError)):
            self._panel.set_not_again(error.sentence)
        else:
            self._panel.set_error(error.sentence, error.remedy)

    def _tell_again(self, step: Step, gone: int, *, exact: bool) -> None:
        if self.waiting:
            return
        amount = step.rows[0].values.get("amount") if len(step.rows) == 1 else None
        total = step.limits.total is not None
        again = isinstance(amount, float) and not total and self._in_force.is_done
        share = amount if again else None
        self._panel.set_again(gone, self._channels, exact=exact, share=share)

    def _assign(self, assignment: Assignment) -> None:
        if assignment != self.assignment:
            self.assignment = assignment
            self.assigned.emit()

    def _show(self, preview: Preview | None) -> None:
        # What is not to be seen is not told: every picture would be made anew for nothing.
        before = self.shown
        self.preview = preview
        if self.shown is not before:
            self.changed.emit()

    def _foresee(self, report: SparsityReport | None) -> None:
        before = self.report
        self._report = report
        if self.report is not before:
            self.foreseen.emit()
