"""Keep the preview of the step up to date, and apply it.

When the form, the check marks or the document change, an estimate is computed from histograms at
once. The exact preview is computed in the background after a pause. "Prune" applies that exact
preview, which takes milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QApplication

from pruneapp.analysis.histogram_store import Assignment, assignment_now
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.document import Capture, DocumentChanged
from pruneapp.document.edit import EditKind
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.edits.zeros import Finalize
from pruneapp.errors import FileChangedError, PruneAppError
from pruneapp.export.size_bounds import CompactSizes
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.jobs import Jobs, Lane, LatestTask, Throttle
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.commands.declarations import PRUNE
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.method_form.form_controller import FormController, LoadedMasks, with_field_labels
from pruneapp.gui.preview.figures import PruneAction
from pruneapp.gui.preview.live_preview import CurrentStateRunner, PreviewResult, PreviewRunner
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.preview.preview_state import UNASSIGNED, CurrentState, PreviewState
from pruneapp.gui.tree.model import TreeModel
from pruneapp.gui.tree.panel import ModuleTree
from pruneapp.gui.widgets.controls import single_shot
from pruneapp.gui.widgets.labels import as_plain
from pruneapp.gui.widgets.status import JobStatus
from pruneapp.methods import registry
from pruneapp.methods.method import RowMethod
from pruneapp.params import AmountParam
from pruneapp.preview.estimate import Estimate, estimate
from pruneapp.preview.from_histograms import since_opening
from pruneapp.preview.preview import Preview
from pruneapp.progress import Job

LOOK_MS = 1000
# Longer estimates are computed in the background: with the repaint they would exceed a frame.
MAIN_THREAD_S = 0.006
# Steps on more tensors than this are estimated in the background without trying.
MANY = 500
# The limit for repeated estimates of a step in which only amounts change, for any number of
# tensors: on another thread they would wait for the interpreter lock at each numpy call, so that 5
# ms of work take 50 ms.
REPEATED_S = 0.03
# If updating the tree takes less, it is updated with each estimate, so that panel and tree are
# painted together. A tree may have 100,000 rows, and then is updated once per frame.
QUICK_S = 0.002
FRAME_MS = 16


@dataclass(frozen=True, eq=False)
class EstimateResult:
    """An estimate, with the results computed from it."""

    estimate: Estimate
    assignment: Assignment
    compact: int | None  # bytes; None without a report, or if a compact file is not possible
    seconds: float  # CPU time of the computation


class EstimateRunner:
    """Estimates the latest step: on the main thread if that is fast, else in the background.

    While an estimate runs in the background, only the latest of the following requests is kept, so
    that estimates keep up with a slider.
    """

    def __init__(
        self,
        jobs: Jobs,
        sizes: CompactSizes,
        *,
        on_result: Callable[[EstimateResult], None],
        on_error: Callable[[PruneAppError], None],
        parent: QObject,
    ) -> None:
        self._sizes = sizes
        self._on_result = on_result
        self._on_error = on_error
        self._task = LatestTask(jobs)
        # The latest request, until its estimate starts.
        self.waiting: tuple[Capture, Step] | None = None
        self._slow: Checkpoint | None = None  # the checkpoint whose estimates are slow
        self._slow_times = 0  # number of slow estimates in a row
        # key of the step that is estimated on the main thread
        self._known: tuple[object, ...] | None = None
        # After all pending mouse events, with a repaint between two estimates.
        self._next_timer = single_shot(parent, 0, self._next)

    def ask(self, capture: Capture, step: Step) -> None:
        """Estimate the effect of a step soon, or at once if that is fast."""
        self.waiting = capture, step
        if self._task.task is None:
            if self._known is None:
                self._next()
            elif not self._next_timer.isActive():
                self._next_timer.start()

    def cancel(self) -> None:
        self.waiting = self._slow = self._known = None
        self._next_timer.stop()
        self._task.cancel()

    @property
    def is_behind(self) -> bool:
        """Whether a newer step than the last estimated one is requested."""
        return self.waiting is not None or self._task.task is not None

    def _next(self) -> None:
        if self._begin_in_background() or self.waiting is None:
            return
        (capture, step), self.waiting = self.waiting, None
        try:
            result = _estimate(capture, step, self._sizes)
        except PruneAppError as error:
            self._on_error(error)
            return
        # The first estimate fills caches: a single slow estimate does not count.
        most = MAIN_THREAD_S if self._known is None else REPEATED_S
        self._slow_times = self._slow_times + 1 if result.seconds > most else 0
        if self._slow_times > 1:
            if self._known is None:
                self._slow = capture.snapshot.checkpoint
            self._known = None
        self._on_result(result)

    def _begin_in_background(self) -> bool:
        """Start the pending estimate in the background if it may be slow; return if it started."""
        if self.waiting is None:
            return False
        (capture, step), sizes = self.waiting, self._sizes
        snapshot = capture.snapshot
        about = _key_without_amounts(snapshot, step)
        if about is not None and about == self._known:
            return False
        self._known = None
        unplanned = len(snapshot.checkpoint.entries) > MANY and not sizes.is_quick(snapshot)
        if not (unplanned or self._slow is snapshot.checkpoint or _is_slow(snapshot, step)):
            return False
        self.waiting = None
        self._task.start(
            lambda job: _estimate(capture, step, sizes, job),
            partial(self._finish, about),
            self._fail,
            on_cancelled=self._next,
            lane=Lane.INTERACTIVE,
        )
        return True

    def _finish(self, about: tuple[object, ...] | None, result: EstimateResult) -> None:
        if result.seconds < MAIN_THREAD_S / 2:
            self._slow = None
        if result.seconds < REPEATED_S:
            self._known, self._slow_times = about, 0
        # The next estimate is computed while this one is painted.
        begun = self._begin_in_background()
        self._on_result(result)
        if not begun and self._task.task is None and self.waiting is not None:
            self._next_timer.start()

    def _fail(self, error: PruneAppError) -> None:
        if self.waiting is None:
            self._on_error(error)
        self._next()


def _estimate(
    capture: Capture, step: Step, sizes: CompactSizes, job: Job | None = None
) -> EstimateResult:
    began = time.thread_time()  # CPU time of this thread, independent of other threads
    estimated = estimate(capture.snapshot, step, job)
    compact = None
    if estimated.report is not None:
        estimated = replace(estimated, report=since_opening(estimated.report, capture.snapshot))
        assert estimated.report is not None
        estimated.report.prepare()
        compact = sizes.after(capture, estimated.report.after_by_name, step, job or Job())
    assignment = assignment_now(capture.snapshot, step)
    return EstimateResult(estimated, assignment, compact, time.thread_time() - began)


def _key_without_amounts(snapshot: Snapshot, step: Step) -> tuple[object, ...] | None:
    """Return what is constant in steps on a state while a slider moves; None for few tensors."""
    if not _has_many_tensors(step):
        return None
    rows = tuple(
        (
            row.names,
            row.method,
            *(
                row.values.get(param.name)
                for param in registry.get(row.method).params
                if not isinstance(param, AmountParam)
            ),
        )
        for row in step.rows
    )
    return snapshot, rows, step.scope, step.limits, step.companions, step.dependents


def _has_many_tensors(step: Step) -> bool:
    return sum(len(row.names) for row in step.rows) > MANY


def _is_slow(snapshot: Snapshot, step: Step) -> bool:
    if _has_many_tensors(step):
        return True
    # Remaining channels and rows have to be searched in the masks, unlike numbers of weights.
    methods = [registry.get(row.method) for row in step.rows]
    # Finding groups may be slow.
    if step.dependents or any(m.granularity == "units" for m in methods):
        return True
    return bool(snapshot.masks) and any(
        m.granularity == "channels" or isinstance(m, RowMethod) for m in methods
    )


class PreviewController(QObject):
    """Requests estimates and previews of the step that `ask` returns, and applies them."""

    stateChanged = Signal(object)  # (PreviewState) `state` has changed
    dropped = Signal()  # a requested prune was dropped, because something else was done
    waiting = Signal(bool)  # whether a prune waits for its preview

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
        self.state = PreviewState()
        self._session = session
        self._panel = panel
        self._ask = ask
        self._extras = extras
        self._apply_when_ready = False
        self._applying: PreviewResult | None = None
        # The result of the last prune, and the key of the history after it, for a redo.
        self._applied: tuple[object, CurrentState] | None = None
        # The preview replaced by a newer step. Releasing 100,000 masks takes too long during a
        # slider move, so they are kept until the next exact preview starts.
        self._outdated: Preview | None = None
        self._exact_requested = (
            False  # whether the exact preview starts after the estimate is painted
        )
        self._after_painting = single_shot(self, 0, self._start_exact_after_painting)
        self._sizes = CompactSizes()
        self._estimates = EstimateRunner(
            jobs, self._sizes, on_result=self._on_estimate, on_error=self._on_error, parent=self
        )
        self._previews = PreviewRunner(
            session,
            jobs,
            extras,
            self._sizes,
            on_begun=self._on_begun,
            on_result=self._on_preview,
            on_error=self._on_error,
            on_cancelled=self._on_cancelled,
            parent=self,
        )
        self._current = CurrentStateRunner(session, jobs, self._sizes, self._on_current)
        self._file_watch = QTimer(self)  # for a file that was deleted or replaced
        self._file_watch.setInterval(LOOK_MS)
        self._file_watch.timeout.connect(self._look_for_file)
        self.stateChanged.connect(panel.set_preview)
        session.changed.connect(self._on_changed)
        session.opening.connect(self._on_opening)
        session.notOpened.connect(self._on_stayed)
        session.closed.connect(self._on_closed)

    @property
    def ranks_by_scores(self) -> bool:
        """Whether the step ranks weights by scores from a file."""
        rows = self.state.step.rows if self.state.step is not None else ()
        return bool(self._extras.scores_file) and any(
            registry.get(row.method).takes_scores for row in rows
        )

    def drop(self) -> None:
        """Drop the state, and stop computing."""
        self._stop()
        self._estimates.cancel()
        self._current.cancel()
        self._outdated = None
        self._set(PreviewState(request=self.state.request + 1))

    def pause(self) -> None:
        """Stop computing."""
        self._previews.pause()

    def refresh(self) -> None:
        """Request the step of the form, because the user has changed it."""
        self._begin(requested=True)

    def start_exact_now(self) -> None:
        """Compute the exact preview without waiting for the pause: the user released the slider.

        A pending estimate is computed first. Together with the exact preview it would take three
        times as long, because both wait for the interpreter lock.
        """
        if self._estimates.is_behind:
            self._exact_requested = True
        else:
            self._previews.start_exact_now()

    def wait(self) -> None:
        """Show the current state: a file was opened, and the user has not requested a step yet."""
        self._show_current(untouched=True)

    def renew(self) -> None:
        """Compute the present request again, because it is computed in another way now."""
        self._begin(requested=self.state.requested)

    def recount(self) -> None:
        """Estimate again, because more histograms are counted."""
        document, state = self._session.document, self.state
        if document is None or state.step is None or state.untouched:
            return
        if state.is_behind or state.estimate is None or state.estimate.counting < 1:
            self._estimates.ask(Capture.of(document), state.step)

    def on_histograms_counted(self) -> None:
        """Store that all histograms are counted, even for a step not requested yet."""
        if self.state.untouched and not self.state.counted:
            self._set(counted=True)
        self._current.recount()

    def prune(self) -> None:
        """Prune at once if the preview is available, otherwise once it is computed."""
        state = self.state
        if state.step is None or self._session.document is None or state.untouched:
            return
        if not self._session.may_work():
            return
        if state.preview is not None:
            self._apply(PreviewResult(state.preview, state.compact))
            return
        self._wait_for_preview(waits=True)
        self._previews.show(self.tr("Pruning"))

    def cancel(self) -> bool:
        """Stop a requested prune that is not applied yet; return False if there is none."""
        if not self._apply_when_ready:
            return False
        self._wait_for_preview(waits=False)
        self._previews.cancel()
        return True

    def cancel_preview(self) -> bool:
        """Stop a slow preview; return False if there is none."""
        return self._panel.state.is_slow and self._previews.cancel()

    # -- beginning ------------------------------------------------------------------------------

    def _set(self, state: PreviewState | None = None, **changes: Any) -> None:
        self.state = replace(self.state, **changes) if state is None else state
        self.stateChanged.emit(self.state)

    def _begin(self, *, requested: bool, current: PreviewState | None = None) -> None:
        """Request the step of the form, starting from the present state or from `current`."""
        self._stop()
        document, before = self._session.document, self.state
        if document is None:
            self.drop()
            return
        state = current or before
        if requested != state.requested:
            state = replace(state, known=None)
        state = replace(
            state,
            request=state.request + 1,
            requested=requested,
            untouched=state.untouched and not requested,
            preview=None,
            error=None,
        )
        try:
            step = self._ask()
        except PruneAppError as error:
            self._estimates.cancel()
            self._outdated = None
            error = with_field_labels(error.with_traceback(None))
            self._set(replace(state, step=None, known=None, assignment=UNASSIGNED, error=error))
            return
        # The previous estimate is shown until the new one is available, to avoid flicker.
        self.state = state = replace(
            state, step=step, estimated=False, is_behind=not state.untouched
        )
        if not state.untouched:  # nothing is computed for a step that is not requested
            self._outdated = before.preview or self._outdated
            self._previews.schedule(step)
            self._estimates.ask(Capture.of(document), step)
        if self.state is state:
            self.stateChanged.emit(state)

    def _show_current(self, *, untouched: bool) -> None:
        """Show the current state of the document instead of the step."""
        document = self._session.document
        if document is None:
            return
        current = CurrentState()
        if self._applied is not None and document.history.key is self._applied[0]:
            current = self._applied[1]
        self._current.start()
        before = self.state
        state = PreviewState(
            request=before.request,
            requested=False,
            untouched=untouched,
            counted=before.counted and not untouched,
            current=current,
            dangers=before.dangers,
        )
        self._begin(requested=False, current=state)

    def _stop(self) -> None:
        self._exact_requested = False
        self._previews.forget()
        self._file_watch.stop()
        if self._apply_when_ready:
            self._wait_for_preview(waits=False)
            self.dropped.emit()

    def _wait_for_preview(self, *, waits: bool) -> None:
        if waits != self._apply_when_ready:
            self._apply_when_ready = waits
            self.waiting.emit(waits)

    def _apply(self, result: PreviewResult) -> None:
        self._applying = result
        self._session.commit(result.preview)
        self._applying = None

    def _on_changed(self, change: DocumentChanged) -> None:
        document, done = self._session.document, self._applying
        if change.is_remark:
            return  # the masks have not changed
        self._estimates.cancel()
        if done is not None and document is not None:
            preview = done.preview
            # The report of a step with scores or masks from files has no magnitude thresholds.
            step = preview.step if preview.edit.entry is None else None
            applied = CurrentState(applied=preview.report, step=step, compact=done.compact)
            self._applied = document.history.key, applied
        self._show_current(untouched=self.state.untouched)

    def _on_opening(self, _path: object) -> None:
        # There is one worker, and opening the file must not wait; the preview can start again.
        self._previews.pause()
        if self._apply_when_ready:
            self._wait_for_preview(waits=False)
            self.dropped.emit()

    def _on_closed(self) -> None:
        self._sizes.forget()
        self._applied = None
        self.drop()

    def _on_stayed(self) -> None:
        if self.state.preview is None:
            self.renew()

    def _look_for_file(self) -> None:
        document = self._session.document
        if document is not None:
            try:
                document.checkpoint.verify_on_disk()
            except PruneAppError:
                return
            self.renew()

    # -- results --------------------------------------------------------------------------------

    def _on_estimate(self, result: EstimateResult) -> None:
        state, estimate = self.state, result.estimate
        if state.step is None:
            return
        if self.ranks_by_scores:  # there are no histograms of scores
            estimate = replace(estimate, report=None, exact_report=False, counting=1.0)
        same = result.assignment == state.assignment
        state = replace(
            state,
            estimated=True,
            is_behind=self._estimates.is_behind,
            estimate=estimate,
            assignment=state.assignment if same else result.assignment,
            counted=estimate.report is not None,
        )
        if state.preview is None:
            compact = result.compact if state.counted else None
            state = replace(state, known=estimate.report, compact=compact)
        self._set(state)
        if self._exact_requested and not state.is_behind:
            self._after_painting.start()

    def _start_exact_after_painting(self) -> None:
        if self._exact_requested:
            self._exact_requested = False
            self._previews.start_exact_now()

    def _on_begun(self) -> None:
        self._outdated = None
        self._panel.state.set_busy(busy=True)

    def _on_preview(self, result: PreviewResult) -> None:
        self._panel.state.set_busy(busy=False)
        if self._apply_when_ready:
            self._wait_for_preview(waits=False)
            self._apply(result)
        elif self.state.step is not None:
            preview = result.preview
            self._set(preview=preview, known=preview.report, compact=result.compact)

    def _on_current(self, current: CurrentState) -> None:
        report, done = current.report, self.state.current
        assert report is not None
        current = replace(current, applied=done.applied, step=done.step)
        self._set(current=current, dangers=report.dangers)

    def _on_error(self, error: PruneAppError) -> None:
        self._previews.pause()
        self._estimates.cancel()
        self._outdated = None
        error = with_field_labels(error)
        self._set(error=error, preview=None, known=None, is_behind=False)
        if isinstance(error, FileChangedError):
            self._file_watch.start()  # the original file may be restored
        if self._apply_when_ready:
            self._wait_for_preview(waits=False)
            self._session.refused.emit(error)

    def _on_cancelled(self, waited: bool) -> None:
        self._wait_for_preview(waits=False)
        self._panel.state.set_busy(busy=False)
        if waited and self.state.step is not None:
            # Not applied, but still requested: preview it again.
            self._previews.schedule(self.state.step)


class TreePreview(Throttle):
    """Updates the bars, marks and rules of the tree while a slider moves."""

    def __init__(self, tree: TreeModel, parent: QObject | None = None) -> None:
        super().__init__(self._show, parent)
        self._tree = tree
        self._state = PreviewState()

    def set_preview(self, state: PreviewState) -> None:
        """Show a state soon; at once if it has no report, since the tree may be of another file."""
        former, self._state = self._state, state
        if state.assignment is not former.assignment:
            self._tree.set_assignment(state.assignment)
        if state.report is not former.report or state.dangers != former.dangers:
            self.request(at_once=state.report is None)

    def _show(self) -> int:
        report, dangers = self._state.report, dict(self._state.dangers)
        began = time.thread_time()  # CPU time of this thread, independent of other threads
        if report is None:
            self._tree.set_preview(None, dangers)
        else:
            others = {name: d for name, d in dangers.items() if name not in report.by_name}
            self._tree.set_preview(report.after_by_name, others | dict(report.dangers))
        taken = time.thread_time() - began
        return max(FRAME_MS, round(2000 * taken)) if taken > QUICK_S else 0


class PruneController(Controller):
    """Controls the commands to prune, preview and cancel."""

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        *,
        tree: ModuleTree,
        action: PruneAction,
        job_status: JobStatus,
        form: FormController,
        previews: PreviewController,
    ) -> None:
        super().__init__(context)
        self._session = session
        self._tree = tree
        self._action = action
        self._job_status = job_status
        self._form = form
        self._previews = previews
        self._asked = QElapsedTimer()  # time since the last request to prune
        for name, call in {
            "prune": self._on_asked,
            "preview": previews.refresh,
            "cancel": self.cancel,
            "reset_form": self._form.reset,
            "make_permanent": self.make_permanent,
        }.items():
            context.actions[name].triggered.connect(call)
        self._commands = {name: context.actions[name] for name in ("prune", "preview")}
        # The shortcut of a disabled action would be passed to the focused widget.
        self._key = QShortcut(context.window)
        for held in (self._commands["prune"], self._key):
            held.setAutoRepeat(False)
        self._key.setEnabled(False)
        self._key.activated.connect(self._show_reason)
        context.actions.on_shortcut_changed("prune", self._on_keys)
        self._commands["prune"].enabledChanged.connect(self._on_prune_enabled)
        for looked_at in (
            context.actions.menus[PRUNE].aboutToShow,
            context.actions["commands"].triggered,
        ):
            looked_at.connect(form.flush)
        previews.stateChanged.connect(self._enable)
        job_status.cancelRequested.connect(self.cancel)
        action.pruneRequested.connect(self._on_asked)
        action.previewRequested.connect(previews.refresh)
        previews.dropped.connect(self._on_dropped)
        session.changed.connect(self._on_changed)

    def prune(self) -> None:
        """Apply the step of the form, if the button is enabled."""
        self._form.flush()
        if self._action.button.isEnabled():
            self._previews.prune()

    def _on_asked(self) -> None:
        """Prune only once for a double click: after the first, the button prunes again."""
        if not self._asked.isValid() or self._asked.hasExpired(QApplication.doubleClickInterval()):
            self.prune()
        self._asked.start()

    def cancel(self) -> None:
        """Cancel the running job; without one, drop the preview. The form is not changed."""
        asked = self._previews
        if not (asked.cancel() or self._jobs.cancel_visible() or asked.cancel_preview()):
            # the notice about the failed step is obsolete
            self._notifications.end(NoticeTopic.PRUNING, NoticeTopic.STOPPED)
            if self._session.document is not None and asked.state.requested:
                asked.wait()
        elif self._jobs.busy:
            self._job_status.set_cancelling(writes=self._jobs.writing)

    def take_back(self) -> bool:
        """Cancel a prune that waits for its preview; return False if there is none.

        Undo does this first, since the prune is the latest request of the user.
        """
        self._asked.invalidate()  # a request after this is intended, not part of a double click
        if not self._previews.cancel():
            return False
        self._notifications.show_done(self.tr("Pruning cancelled: nothing was pruned."))
        return True

    def make_permanent(self) -> None:
        """Make the pruned weights of the checked tensors permanent: ordinary zeros."""
        names = self._tree.checked()
        self._session.propose(self.tr("Making permanent"), Finalize(names).propose)

    def _enable(self, state: PreviewState) -> None:
        """Enable the commands like the buttons, with the reason in the tooltip if disabled."""
        is_open = self._session.document is not None
        error = "" if state.error is None else str(state.error)
        shown = state.requested and state.error is None
        reasons = {
            "prune": self._action.why_not,
            "preview": self.tr("The preview is shown.") if shown else "" if state.step else error,
        }
        for name, command in self._commands.items():
            why = reasons[name]
            command.setEnabled(is_open and not why)
            command.setToolTip(as_plain(why) or self._actions.tip(name))

    def _on_keys(self, keys: str) -> None:
        self._key.setKeys(self._commands["prune"].shortcuts())
        self._action.set_keys(keys)
        self._enable(self._previews.state)  # restores tooltips without shortcut that show a reason

    def _on_prune_enabled(self, enabled: bool) -> None:
        # Two enabled shortcuts with the same key are ambiguous, and neither is activated.
        self._key.setEnabled(self._session.document is not None and not enabled)

    def _show_reason(self) -> None:
        self._notifications.show_done(self._action.why_not)

    def _on_dropped(self) -> None:
        if self._session.document is None:
            return
        self._notifications.offer(
            NoticeTopic.STOPPED,
            self.tr(
                "Pruning was cancelled because the history changed before it finished. "
                "Nothing was pruned."
            ),
            self.tr("Prune now"),
            self._prune_after_all,
        )

    def _prune_after_all(self) -> None:
        self._notifications.end(NoticeTopic.STOPPED)
        self.prune()

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.kind == EditKind.PRUNE:
            self._notifications.end(NoticeTopic.STOPPED)
