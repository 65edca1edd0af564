"""Keep the preview of the step up to date, and apply it.

When the form, the check marks or the document change, an estimate is computed from histograms at
once. The exact preview is computed in the background after a pause. "Prune" applies that exact
preview, which takes milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QElapsedTimer, QTimer, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QApplication, QDialog

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.document import Capture, DocumentChanged
from pruneapp.document.edit import EditKind
from pruneapp.document.step import Step
from pruneapp.edits.zeros import Finalize
from pruneapp.errors import FileChangedError, PruneAppError
from pruneapp.export.size_bounds import CompactSizes
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane, LatestTask, Restart, Task, Throttle
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.commands.declarations import PRUNE
from pruneapp.gui.document.feature import Feature
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.method_form.form_controller import FormController, with_field_labels
from pruneapp.gui.preview.live_preview import (
    EstimateResult,
    Losses,
    PreviewResult,
    estimate_step,
    key_without_amounts,
    losses_by_method,
    may_be_slow,
    preview_step,
    report_current_state,
)
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.preview.preview_state import UNASSIGNED, CurrentState, PreviewState
from pruneapp.gui.tree.panel import ModuleTree
from pruneapp.gui.widgets.controls import single_shot
from pruneapp.gui.widgets.engine_text import translate_error
from pruneapp.gui.widgets.labels import as_plain
from pruneapp.gui.widgets.status import JobStatus
from pruneapp.methods import registry
from pruneapp.preview.from_histograms import has_unknown_factors
from pruneapp.preview.preview import Preview

LOOK_MS = 1000
# A user who drags a slider pauses longer than this after finding the value.
PAUSE_MS = 50
# Longer estimates are computed in the background: with the repaint they would exceed a frame.
MAIN_THREAD_S = 0.006
# The limit for repeated estimates of a step in which only amounts change, for any number of
# tensors: on another thread they would wait for the interpreter lock at each numpy call, so that 5
# ms of work take 50 ms.
REPEATED_S = 0.03
# If updating the tree takes less, it is updated with each estimate, so that panel and tree are
# painted together. A tree may have 100,000 rows, and then is updated once per frame.
QUICK_S = 0.002
FRAME_MS = 16


class PreviewController(Feature[QDialog]):
    """Computes the estimate and the exact preview of the step of the form, and applies it.

    The latest step is estimated on the main thread if that is fast, else in the background. While
    an estimate runs in the background, only the latest of the following requests is kept, so that
    estimates keep up with a slider.
    """

    commands: ClassVar = {
        "prune": "on_prune_clicked",
        "preview": "on_preview_clicked",
        "make_permanent": "make_permanent",
    }

    stateChanged = Signal(object)  # (PreviewState) `state` has changed
    requested = Signal(object)  # (PreviewState) another step, or another document state, is shown
    assigned = Signal(object)  # (PreviewState) other tensors belong to the rules
    waiting = Signal(bool)  # whether a prune waits for its preview

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        *,
        form: FormController,
        tree: ModuleTree,
        panel: PreviewPanel,
        job_status: JobStatus,
    ) -> None:
        super().__init__(context, session)
        self.state = PreviewState()
        self._emitted = self.state  # as of the last `stateChanged`
        self._form = form
        self._tree = tree
        self._panel = panel
        self._action = panel.action
        self._job_status = job_status
        self._sizes = CompactSizes()
        self._shown_losses: Losses | None = None
        # Returns what a scan has measured of the current state; set by its owner.
        self.measured_losses: Callable[[], Losses] = dict
        self._tree_updates = Throttle(self._show_in_tree, self)
        # The estimate.
        self._estimate_task = LatestTask(self.jobs)
        self._estimate_pending = False  # whether the step is requested, and its estimate not begun
        self._slow: Checkpoint | None = None  # the checkpoint whose estimates are slow
        self._slow_times = 0  # number of slow estimates in a row
        # `key_without_amounts` of the step that is estimated on the main thread
        self._fast_key: tuple[object, ...] | None = None
        # After all pending mouse events, with a repaint between two estimates.
        self._next_timer = single_shot(self, 0, self._estimate_next)
        # The exact preview.
        self._exact_task: Task[PreviewResult] | None = None
        self._exact_pause = single_shot(self, PAUSE_MS, self._start_exact)
        # Whether the exact preview starts as soon as the estimate is painted.
        self._exact_requested = False
        self._after_painting = single_shot(self, 0, self._start_exact_after_painting)
        # The preview replaced by a newer step. Releasing 100,000 masks takes too long during a
        # slider move, so they are kept until the next exact preview starts.
        self._outdated: Preview | None = None
        # The current state of the document.
        self._current_task = LatestTask(self.jobs)
        self._current_incomplete = False  # whether its report is, because not all is counted
        self._current_outdated = False  # whether more was counted since the task started
        # Pruning.
        self._apply_when_ready = False
        self._applying: PreviewResult | None = None
        # The result of the last prune, and the key of the history after it, for a redo.
        self._applied: tuple[object, CurrentState] | None = None
        self._since_request = QElapsedTimer()  # since the last request to prune
        self._file_watch = QTimer(self)  # for a file that was deleted or replaced
        self._file_watch.setInterval(LOOK_MS)
        self._file_watch.timeout.connect(self._look_for_file)
        self._commands = {name: self._actions[name] for name in ("prune", "preview")}
        # The shortcut of a disabled action would be passed to the focused widget.
        self._key = QShortcut(context.window)
        self._connect()

    def _connect(self) -> None:
        for held in (self._commands["prune"], self._key):
            held.setAutoRepeat(False)
        self._key.setEnabled(False)
        self._key.activated.connect(self._show_reason)
        self._actions.on_shortcut_changed("prune", self._on_keys)
        self._commands["prune"].enabledChanged.connect(self._on_prune_enabled)
        self._actions.menus[PRUNE].aboutToShow.connect(self._form.flush)
        self._actions["commands"].triggered.connect(self._form.flush)
        self._action.pruneRequested.connect(self.on_prune_clicked)
        self._action.previewRequested.connect(self.on_preview_clicked)
        self._panel.separateRequested.connect(self._form.prune_separately)
        self.jobs.started.connect(self._on_job_started)
        self._form.changed.connect(self.request)
        self._form.opened.connect(self._on_form_opened)
        session = self.session
        session.changed.connect(self._on_changed)
        session.opening.connect(self._on_opening)
        session.notOpened.connect(self._on_stayed)
        session.closed.connect(self._on_closed)
        session.lockChanged.connect(self._on_lock_changed)

    @property
    def ranks_by_scores(self) -> bool:
        """Whether the step ranks weights by scores from a file."""
        rows = self.state.step.rows if self.state.step is not None else ()
        return self._form.scores is not None and any(
            registry.get(row.method).takes_scores for row in rows
        )

    def drop(self) -> None:
        """Replace the state by an empty one, cancel all computations, and emit the signals.

        A prune that waits for its preview is cancelled; the user is notified if a document is open.
        """
        self._stop()
        self._cancel_estimate()
        self._current_task.cancel()
        self._current_incomplete = self._current_outdated = False
        self._outdated = None
        self._set(PreviewState(request=self.state.request + 1))

    def pause(self) -> None:
        """Stop computing the exact preview; it can be computed later."""
        self._exact_pause.stop()
        self._cancel_exact()

    def renew(self) -> None:
        """Compute the present request again, because it is computed in another way now."""
        self.request(self._form.step_or_error(), shown=self.state.requested)

    # -- the state ------------------------------------------------------------------------------

    def _set(self, state: PreviewState | None = None, **changes: Any) -> None:
        """Set the state, show it in panel, tree and commands, and emit the signals of changes.

        `changes` are fields to replace in the present state if `state` is None. `stateChanged` is
        always emitted. The tree may be updated later, at most once per frame if that is slow.
        """
        self.state = state = replace(self.state, **changes) if state is None else state
        former, self._emitted = self._emitted, state
        self._panel.set_preview(state)
        self._enable()
        if state.assignment is not former.assignment:
            self._tree.model.set_assignment(state.assignment)
            self.assigned.emit(state)
        if state.report is not former.report or state.dangers != former.dangers:
            # At once without a report, since the tree may be of another file.
            self._tree_updates.request(at_once=state.report is None)
        if state.request != former.request:
            self.requested.emit(state)
        self.stateChanged.emit(state)
        if self._exact_requested and not state.is_behind:
            self._after_painting.start()

    def request(
        self, step: Step | PruneAppError, *, shown: bool = True, current: PreviewState | None = None
    ) -> None:
        """Request the preview of a step, or show why there is none.

        Without a document, the state is dropped. Replaces the last request: its exact preview, and
        a prune that waits for it, are cancelled. The estimate is computed at once or in the
        background, and the exact preview after `PAUSE_MS`.

        Parameters
        ----------
        step
            The step, or the error that prevents it.
        shown
            Whether the step is shown, as the user has requested it; otherwise the current state is.
        current
            The state to start from; by default the present one.
        """
        self._stop()
        document, before = self.session.document, self.state
        if document is None:
            self.drop()
            return
        state = current or before
        state = replace(
            state,
            request=state.request + 1,
            known=state.known if shown == state.requested else None,
            requested=shown,
            preview=None,
            error=None,
        )
        self._form.place_error(None)
        if isinstance(step, PruneAppError):
            self._cancel_estimate()
            self._outdated = None
            error = self._form.place_error(step)
            self._set(replace(state, step=None, known=None, assignment=UNASSIGNED, error=error))
            return
        # The previous estimate is shown until the new one is available, to avoid flicker.
        self.state = state = replace(state, step=step, estimated=False, is_behind=True)
        self._outdated = before.preview or self._outdated
        self._exact_pause.start()
        self._estimate_pending = True
        if self._fast_key is not None and self._estimate_task.task is None:
            self._next_timer.start()
        elif self._estimate_task.task is None:
            self._estimate_next()
        if self.state is state:
            self._set(state)

    def _stop(self) -> None:
        """Stop the exact preview and a prune that waits for it."""
        self._exact_requested = False
        self.pause()
        self._exact_task = None
        self._file_watch.stop()
        self._drop_prune()

    def _show_in_tree(self) -> int:
        """Show the report in the tree; return the minimum milliseconds until the next call.

        0 if it took at most `QUICK_S`.
        """
        report, dangers = self.state.report, dict(self.state.dangers)
        began = time.thread_time()  # CPU time of this thread, independent of other threads
        if report is None:
            self._tree.model.set_preview(None, dangers)
        else:
            others = {name: d for name, d in dangers.items() if name not in report.by_name}
            self._tree.model.set_preview(report.after_by_name, others | dict(report.dangers))
        taken = time.thread_time() - began
        return max(FRAME_MS, round(2000 * taken)) if taken > QUICK_S else 0

    def _on_error(self, error: PruneAppError) -> None:
        self.pause()
        self._cancel_estimate()
        self._outdated = None
        placed = self._form.place_error(error)
        self._set(error=placed, preview=None, known=None, is_behind=False)
        if isinstance(error, FileChangedError):
            self._file_watch.start()  # the original file may be restored
        if self._apply_when_ready:
            self._wait_for_preview(waits=False)
            self.session.refused.emit(with_field_labels(error))

    def _look_for_file(self) -> None:
        document = self.session.document
        if document is not None:
            try:
                document.checkpoint.verify_on_disk()
            except PruneAppError:
                return
            self.renew()

    # -- the estimate ---------------------------------------------------------------------------

    @property
    def _is_behind(self) -> bool:
        """Whether a newer step than the last estimated one is requested."""
        return self._estimate_pending or self._estimate_task.task is not None

    def recount(self) -> None:
        """Estimate the requested step again, unless its estimate already had all histograms.

        The estimate starts after pending events.
        """
        state = self.state
        if self.session.document is None or state.step is None:
            return
        if state.is_behind or state.estimate is None or state.estimate.counting < 1:
            self._estimate_pending = True
            if self._estimate_task.task is None:
                self._next_timer.start()

    def _cancel_estimate(self) -> None:
        self._estimate_pending, self._slow, self._fast_key = False, None, None
        self._next_timer.stop()
        self._estimate_task.cancel()

    def _estimate_next(self) -> None:
        """Estimate the pending step: on this thread if that is fast, otherwise in the background.

        Does nothing if no estimate is pending. An error becomes the state. After two slow estimates
        in a row, following ones run in the background.
        """
        document, step = self.session.document, self.state.step
        if document is None or step is None or not self._estimate_pending:
            return
        if self._estimate_in_background():
            return
        self._estimate_pending = False
        capture = Capture.of(document)
        try:
            result = estimate_step(capture, step, self._sizes, self.measured_losses())
        except PruneAppError as error:
            self._on_error(error)
            return
        # The first estimate fills caches: a single slow estimate does not count.
        most = MAIN_THREAD_S if self._fast_key is None else REPEATED_S
        self._slow_times = self._slow_times + 1 if result.seconds > most else 0
        if self._slow_times > 1:
            if self._fast_key is None:
                self._slow = capture.snapshot.checkpoint
            self._fast_key = None
        self._set(self._with_estimate(result))

    def _estimate_in_background(self) -> bool:
        """Start the pending estimate in the background if it may be slow; return if it started.

        Otherwise it remains pending.
        """
        document, step = self.session.document, self.state.step
        if not self._estimate_pending or document is None or step is None:
            return False
        capture = Capture.of(document)
        snapshot = capture.snapshot
        key = key_without_amounts(snapshot, step)
        if key is not None and key == self._fast_key:
            return False
        self._fast_key = None
        if not (self._slow is snapshot.checkpoint or may_be_slow(snapshot, step, self._sizes)):
            return False
        self._estimate_pending = False
        self._estimate_task.start(
            partial(estimate_step, capture, step, self._sizes, self.measured_losses()),
            partial(self._on_background_estimate, key),
            self._on_estimate_failed,
            on_cancelled=self._estimate_next,
            lane=Lane.INTERACTIVE,
        )
        return True

    def _on_background_estimate(
        self, key: tuple[object, ...] | None, result: EstimateResult
    ) -> None:
        if result.seconds < MAIN_THREAD_S / 2:
            self._slow = None
        if result.seconds < REPEATED_S:
            self._fast_key, self._slow_times = key, 0
        # The next estimate is computed while this one is painted.
        begun = self._estimate_in_background()
        self._set(self._with_estimate(result))
        if not begun and self._estimate_task.task is None and self._estimate_pending:
            self._next_timer.start()

    def _on_estimate_failed(self, error: PruneAppError) -> None:
        if not self._estimate_pending:
            self._on_error(error)
        self._estimate_next()

    def _with_estimate(self, result: EstimateResult) -> PreviewState:
        """Return the present state with an estimate added.

        The estimate is of an earlier step if the state is behind. Report and size of an exact
        preview are kept. If scores rank the weights, the report is omitted, because histograms do
        not count scores.
        """
        state, estimate = self.state, result.estimate
        if self.ranks_by_scores:  # there are no histograms of scores
            estimate = replace(estimate, report=None, exact_report=False, counting=1.0)
        same = result.assignment == state.assignment
        state = replace(
            state,
            estimated=True,
            is_behind=self._is_behind,
            estimate=estimate,
            assignment=state.assignment if same else result.assignment,
            counted=estimate.report is not None,
        )
        if state.preview is None:
            compact = result.compact if state.counted else None
            state = replace(state, known=estimate.report, compact=compact)
        return state

    # -- the exact preview ----------------------------------------------------------------------

    def start_exact_now(self) -> None:
        """Compute the exact preview without waiting for the pause: the user released the slider.

        A pending estimate is computed and painted first. Together with the exact preview it would
        take three times as long, because both wait for the interpreter lock. No effect if the
        preview has already started.
        """
        self._exact_requested = True
        if not self._is_behind:
            self._start_exact_after_painting()

    def _start_exact_after_painting(self) -> None:
        if self._exact_requested:
            self._exact_requested = False
            if self._exact_pause.isActive():
                self._start_exact()

    def _start_exact(self) -> None:
        self._exact_pause.stop()
        document, step = self.session.document, self.state.step
        if document is None or step is None:
            return
        self._outdated = None
        self._panel.state.set_busy(busy=True)
        methods = [registry.get(row.method) for row in step.rows]
        form = self._form
        work = partial(
            preview_step,
            Capture.of(document),
            step,
            masks=form.masks if any(method.takes_mask for method in methods) else None,
            scores=form.scores if any(method.takes_scores for method in methods) else None,
            kernel=self.session.kernel,
            sizes=self._sizes,
            losses=self.measured_losses(),
        )
        self._exact_task = self.jobs.run(
            work,
            on_result=self._on_exact,
            on_error=self._on_exact_failed,
            on_cancelled=self._on_exact_cancelled,
            title=self.tr("Previewing"),
            lane=Lane.PREVIEW,
        )

    def _cancel_exact(self) -> bool:
        """Cancel the exact preview that is computed; return False if there is none."""
        if self._exact_task is None or self._exact_task.token.cancelled:
            return False
        self._exact_task.cancel()
        return True

    def _on_job_started(self, _title: str) -> None:
        # Jobs of the user run first; a preview that is not visible is restarted later.
        if self._exact_task is not None and not self._exact_task.visible and self._cancel_exact():
            self._exact_task = None
            self._exact_pause.start()

    def _on_exact(self, result: PreviewResult) -> None:
        document, preview = self.session.document, result.preview
        if document is None or preview.revision != document.revision:
            return  # the document has changed; a newer request is running
        self._exact_task = None
        self._panel.state.set_busy(busy=False)
        if self._apply_when_ready:
            self._wait_for_preview(waits=False)
            self._apply(result)
        elif self.state.step is not None:
            self._set(preview=preview, known=preview.report, compact=result.compact)

    def _on_exact_failed(self, error: PruneAppError) -> None:
        self._exact_task = None
        self._on_error(error)

    def _on_exact_cancelled(self) -> None:
        # Cancelled by the user or for a newer request, or ended by an internal error.
        task = self._exact_task
        if task is None or not (task.token.cancelled or task.error is not None):
            return
        self._exact_task = None
        self._wait_for_preview(waits=False)
        self._panel.state.set_busy(busy=False)
        if task.visible and task.token.cancelled and self.state.step is not None:
            # Not applied, but still requested: preview it again.
            self._exact_pause.start()

    # -- the current state ----------------------------------------------------------------------

    def _on_form_opened(self) -> None:
        """Preview the step of the form after a file was opened.

        The current state is shown instead if weights are pruned already, or if there is no step.
        """
        document = self.session.document
        self._show_current(previews=document is not None and not document.masks)

    def _show_current(self, *, previews: bool = False) -> None:
        """Show the state of the document, start its report, and request the step of the form.

        With `previews`, the step is shown instead of the state, if there is one. Without a
        document, does nothing.
        """
        document = self.session.document
        if document is None:
            return
        current = CurrentState()
        if self._applied is not None and document.history.key is self._applied[0]:
            current = self._applied[1]
        self._report_current()
        before = self.state
        state = PreviewState(
            request=before.request,
            requested=False,
            counted=before.counted,
            current=current,
            dangers=before.dangers,
        )
        step = self._form.step_or_error()
        self.request(step, shown=previews and isinstance(step, Step), current=state)

    def _report_current(self) -> None:
        """Compute the report of the current state in the background, instead of one in progress."""
        document = self.session.document
        if document is None:
            return
        self._current_outdated = False
        first, capture = document.state_at(0), Capture.of(document)
        losses = self.measured_losses()
        self._current_task.start(
            partial(report_current_state, first, capture, self._sizes, losses),
            self._on_current,
            lane=Lane.BACKGROUND,
        )

    def _on_current(self, current: CurrentState) -> None:
        report, done = current.report, self.state.current
        assert report is not None
        self._current_incomplete = report.norm_retained is None or has_unknown_factors(report)
        current = replace(current, applied=done.applied, step=done.step, methods=done.methods)
        self._set(current=current, dangers=report.dangers)
        if self._current_incomplete and self._current_outdated:
            self._report_current()

    def on_measured(self) -> None:
        """Judge the tensors again, because a scan may have measured more of them."""
        document, state, losses = self.session.document, self.state, self.measured_losses()
        if document is None or losses is self._shown_losses:
            return
        self._shown_losses = losses
        self._report_current()
        if state.known is not None and state.step is not None:
            measured = losses_by_method(losses, document.snapshot(), (state.step,))
            known, preview = replace(state.known, measured=measured), state.preview
            if preview is not None:
                preview = replace(preview, report=known)
            self._set(known=known, preview=preview)

    def on_histograms_counted(self) -> None:
        """Complete a report that lacked norms.

        A report that is being computed is computed again afterwards if it lacks them.
        """
        if self._current_task.task is not None:
            self._current_outdated = True
        elif self._current_incomplete:
            self._report_current()

    # -- pruning --------------------------------------------------------------------------------

    def prune(self) -> None:
        """Apply the preview, or wait until it is computed, shown as a job, and apply it then.

        Pending changes of the form are used. Does nothing if the button is disabled; if changes are
        refused, the reason is shown. The wait ends if the document changes or the preview fails.
        """
        self._form.flush()
        state = self.state
        if self.session.document is None or not self.session.may_work():
            return
        if not self._action.button.isEnabled() or state.step is None:
            return
        if state.preview is not None:
            self._apply(PreviewResult(state.preview, state.compact))
            return
        self._wait_for_preview(waits=True)
        if self._exact_task is None or self._exact_task.token.cancelled:
            self._start_exact()
        if self._exact_task is not None:
            self.jobs.show(self._exact_task, self.tr("Pruning"), Restart(self.prune))

    def take_back(self) -> bool:
        """Cancel a prune that waits for its preview; return False if there is none.

        The user is notified. Undo does this first, since the prune is the latest request of the
        user. The next click on "Prune" counts even if it follows within the interval of a double
        click.
        """
        # A request after this is intended, not part of a double click.
        self._since_request.invalidate()
        if not self._cancel_prune():
            return False
        self._notifications.show_done(self.tr("Pruning cancelled: nothing was pruned."))
        return True

    def cancel(self) -> None:
        """Cancel the waiting prune, else the job that is shown, else a slow preview.

        If there is none of them, show the current state instead of the step. The form is not
        changed.
        """
        if self._cancel_prune() or self.jobs.cancel_current() or self._cancel_slow_preview():
            self.show_cancelling()
            return
        if self.session.document is not None and self.state.requested:
            self._show_current()

    def show_cancelling(self) -> None:
        """Show in the status bar if its job is being cancelled."""
        state = next(iter(self.jobs.states()), None)
        if state is not None and state.is_cancelled:
            self._job_status.set_cancelling(writes=self.jobs.writing)

    def make_permanent(self) -> None:
        """Make the pruned weights of the checked tensors permanent: ordinary zeros."""
        names = self._tree.checked_names()
        self.session.propose(self.tr("Making permanent"), Finalize(names).propose)

    def on_preview_clicked(self) -> None:
        """Show the preview of the step of the form."""
        self.request(self._form.step_or_error())

    def on_prune_clicked(self) -> None:
        """Prune only once for a double click: after the first, the button prunes again."""
        since, interval = self._since_request, QApplication.doubleClickInterval()
        if not since.isValid() or since.hasExpired(interval):
            self.prune()
        since.start()

    def _wait_for_preview(self, *, waits: bool) -> None:
        if waits != self._apply_when_ready:
            self._apply_when_ready = waits
            self.waiting.emit(waits)

    def _cancel_prune(self) -> bool:
        """Stop a requested prune that is not applied yet; return False if there is none."""
        if not self._apply_when_ready:
            return False
        self._wait_for_preview(waits=False)
        self.jobs.cancel(self._exact_task)
        return True

    def _cancel_slow_preview(self) -> bool:
        return self._panel.state.is_slow and self._cancel_exact()

    def _drop_prune(self) -> None:
        """Drop a prune that waits for its preview, because something else was done.

        If a document is open, a notice offers to prune after all. Does nothing if no prune waits.
        """
        if not self._apply_when_ready:
            return
        self._wait_for_preview(waits=False)
        if self.session.document is None:
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

    def _apply(self, result: PreviewResult) -> None:
        self._applying = result
        self.session.commit(result.preview)
        self._applying = None

    # -- the document ---------------------------------------------------------------------------

    def _on_changed(self, change: DocumentChanged) -> None:
        document, done = self.session.document, self._applying
        if change.is_remark:
            return  # the masks have not changed
        self._cancel_estimate()
        if done is not None and document is not None:
            preview = done.preview
            # The report of a step with scores or masks from files has no magnitude thresholds.
            step = preview.step if preview.edit.entry is None else None
            methods = tuple(row.method for row in preview.step.rows)
            applied = CurrentState(preview.report, step, methods, compact=done.compact)
            self._applied = document.history.key, applied
        self._show_current()
        if change.kind == EditKind.PRUNE:
            self._notifications.end(NoticeTopic.STOPPED)

    def _on_opening(self, _path: object) -> None:
        # There is one worker, and opening the file must not wait; the preview can start again.
        self.pause()
        self._drop_prune()

    def _on_stayed(self) -> None:
        if self.state.preview is None:
            self.renew()

    def _on_lock_changed(self, reason: PruneAppError | None) -> None:
        self._panel.set_lock("" if reason is None else translate_error(reason))
        self._enable()

    def _on_closed(self) -> None:
        self._sizes.forget()
        self._applied = None
        self.drop()

    # -- commands -------------------------------------------------------------------------------

    def _enable(self) -> None:
        """Enable the commands like their buttons; if one is disabled, its tooltip is the reason."""
        state, is_open = self.state, self.session.document is not None
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
        self._enable()  # restores tooltips without shortcut that show a reason

    def _on_prune_enabled(self, enabled: bool) -> None:
        # Two enabled shortcuts with the same key are ambiguous, and neither is activated.
        self._key.setEnabled(self.session.document is not None and not enabled)

    def _show_reason(self) -> None:
        self._notifications.show_done(self._action.why_not)
