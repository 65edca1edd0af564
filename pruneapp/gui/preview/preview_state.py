"""What is known of the step that is asked for, and whether the window shows it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from pruneapp.document.step import Step
from pruneapp.errors import NothingToPruneError, ParameterError, PruneAppError, SelectionError
from pruneapp.gui.preview.live_preview import PreviewResult
from pruneapp.gui.preview.live_preview_estimating import EstimateResult
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.preview.preview_state_in_force import AppliedSummary
from pruneapp.preview.preview import Preview
from pruneapp.results.sparsity_report import SparsityReport
from pruneapp.results.sparsity_report_assignment import Assignment


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
        self._panel.set_counting(1.0)
        self._in_force.tell()

    def wait(self) -> None:
        """Let the state in force be seen, and nothing be done until the person asks for it."""
        self.waiting = True
        self._panel.set_waiting()
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
