"""Run work off the main thread, with progress, cancellation, and callbacks on the main thread.

Work is a function of immutable arguments. Its lane is the thread that it runs on, see `Lane`.

Callbacks are only called on the main thread. A lambda that is connected to a worker's signal would
run in the worker, so all connections here are to bound methods of `Jobs`.
"""

from __future__ import annotations

import time
import traceback
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Generic, TypedDict, TypeVar, Unpack

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from pruneapp.errors import PruneAppError
from pruneapp.gui.app.runtime import PausingToken, worker_pause
from pruneapp.gui.widgets.controls import single_shot
from pruneapp.progress import Cancelled, CancelToken, Job, TimeLeft

T = TypeVar("T")

# Minimum interval between two progress signals of a job. Showing one takes the main thread up to
# 20 ms if the work is in Python, because it waits for the interpreter lock at each call of Qt.
REPORT_EVERY_S = 0.1
# A callback slower than this usually triggers a large repaint. Delay queued requests by `PAINT_MS`,
# so that Qt paints first.
LONG_S = 0.03
PAINT_MS = 30
# How long background tasks wait for previews and estimates. In files of 100,000 tensors all of them
# run Python code for a second; the main thread had to wait for up to five threads at each Qt call.
DEFER_S = 2.0
# How long `Jobs.stop` waits. Jobs end within 250 ms, unless a disk has to finish a write first.
PATIENCE_MS = 10_000
UNRESPONSIVE_MS = 3_000


class Lane(Enum):
    """The thread on which a task runs, and what it means for other work."""

    # One thread, one task after the other: opening, previews, pruning, export.
    SERIAL = auto()
    PREVIEW = auto()  # as SERIAL, but not visible before `Jobs.show`
    WRITING = auto()  # as SERIAL; may have to wait for a disk when it is cancelled
    # A separate thread: user programs may take minutes and ignore cancellation. A cancelled task
    # counts as ended immediately.
    PROGRAM = auto()
    # Short tasks: two threads, so that a long prune never blocks a plot, and that one may import
    # torch meanwhile.
    SHORT = auto()  # the user waits for the result; background work is paused
    BACKGROUND = auto()  # starts when no task runs whose result the user waits for, see `DEFER_S`
    # A separate thread: results for a moving slider come too late after two tiles.
    INTERACTIVE = auto()


_THREADS = {
    Lane.SERIAL: (1, "pruneapp-worker"),
    Lane.PROGRAM: (1, "pruneapp-programs"),
    Lane.SHORT: (2, "pruneapp-pictures"),
    Lane.INTERACTIVE: (1, "pruneapp-numbers"),
}
_SHARED = {Lane.PREVIEW: Lane.SERIAL, Lane.WRITING: Lane.SERIAL, Lane.BACKGROUND: Lane.SHORT}
_URGENT = {Lane.PREVIEW, Lane.SHORT, Lane.INTERACTIVE}
_PAUSING = {Lane.SERIAL, Lane.PREVIEW, Lane.WRITING, Lane.SHORT}


@dataclass(frozen=True)
class JobProgress:
    """Progress of the running job."""

    title: str  # what the job does, as "Pruning"
    label: str  # the current item: a tensor, a file
    done: int
    total: int  # in units of work; 0 if unknown
    seconds_left: float | None = None  # None if unknown


@dataclass(frozen=True)
class JobState:
    """A visible job, as the list of jobs shows it."""

    key: object  # identifies the job, see `Jobs.cancel`
    progress: JobProgress
    seconds: float  # since it began or was queued
    is_running: bool = True
    is_cancelled: bool = False
    waits_for: str = ""  # title of the job before it in the queue, "" if that is not visible
    show: Callable[[], object] | None = None  # shows its window; None if it has none


@dataclass(frozen=True)
class JobEnd:
    """The outcome of a visible job."""

    title: str
    seconds: float  # since the job became visible
    error: str = ""  # why it failed; empty if it did not
    cancelled: bool = False  # by the user, or because a newer job replaced it


@dataclass(frozen=True)
class Restart:
    """How to start a job again with the same settings, after the user has cancelled it."""

    call: Callable[[], object]
    continues: bool = False  # whether it continues where it was cancelled
    needs_document: bool = True  # whether it belongs to the open document


@dataclass(frozen=True)
class CancelledJob:
    """A job that the user cancelled and that can be started again."""

    title: str
    seconds: float  # how long it had run
    restart: Restart


def _nothing(*_: object) -> Any:
    return None


class TaskOptions(TypedDict, total=False):
    """Optional arguments of `Jobs.run`."""

    title: str
    lane: Lane
    on_cancelled: Callable[[], object]
    on_late: Callable[[Any], object]
    restart: Restart | None
    show: Callable[[], object] | None


@dataclass(eq=False)
class Task(Generic[T]):
    """A queued or running job with its callbacks. `Job` reports the progress of the work to it."""

    work: Callable[[Job], T]
    on_result: Callable[[T], object]
    on_error: Callable[[PruneAppError], object]
    on_progress: Callable[[JobProgress], object]
    title: str
    lane: Lane
    on_cancelled: Callable[[], object] = _nothing
    on_late: Callable[[T], object] = _nothing
    restart: Restart | None = None  # None if the user cannot undo a cancellation
    show: Callable[[], object] | None = None  # shows its window; None if it has none
    visible: bool = False
    token: CancelToken = field(init=False)
    begun: bool = False
    ended: bool = False
    since: float = field(default_factory=time.monotonic)  # when it was queued, or became visible
    began: float = 0.0  # when its work began
    is_cancelled_by_user: bool = False
    reported: float = 0.0  # when it last reported its progress
    progress: JobProgress = field(init=False)  # as of the last report
    time_left: TimeLeft = field(default_factory=TimeLeft)
    result: T | None = None
    error: BaseException | None = None
    trace: str = ""

    def __post_init__(self) -> None:
        self.progress = JobProgress(self.title, "", 0, 0)
        self.token = PausingToken(sleeps=self.lane not in _URGENT)

    def cancel(self) -> None:
        """Request cancellation.

        A result that still arrives is dropped. May be called repeatedly.
        """
        self.token.cancel()

    def cancel_at_once(self) -> None:
        """Cancel, and call `on_cancelled` now instead of when the work has ended."""
        self.cancel()
        on_cancelled, self.on_cancelled = self.on_cancelled, _nothing
        on_cancelled()

    def report(self, done: int, total: int, label: str) -> None:
        """Report `done` of `total` steps, at most every `REPORT_EVERY_S` and only if visible."""
        now = time.monotonic()
        if self.visible and now - self.reported >= REPORT_EVERY_S:
            self.reported = now
            seconds = now - self.began
            self.time_left.update(seconds, min(1.0, done / total) if total > 0 else 0.0)
            left = self.time_left.estimate(seconds)
            self.progress = JobProgress(self.title, label, done, total, left)
            self.on_progress(self.progress)

    def release(self) -> None:
        """Drop all references to inputs, result and callbacks, which may refer back to the task.

        A result that no callback received is first passed to `on_late`. The garbage collector would
        free the masks of snapshots and tiles too late. A second call has no effect.
        """
        if self.result is not None:
            self.on_late(self.result)
        self.work = self.on_result = self.on_error = self.on_late = _nothing
        self.on_cancelled = self.on_progress = _nothing
        self.result = self.restart = self.show = None


def run_task(task: Task[Any], on_began: Callable[[Task[Any]], object]) -> None:
    """Run a task on the current thread and store its result or error in it; nothing is raised.

    A task that was cancelled before is not run: its error is `Cancelled`, and `on_began` is not
    called. `trace` has the traceback of a bug, that is of anything but `Cancelled` and
    `PruneAppError`.
    """
    # Set this before checking the token: a task that was cancelled while queued must not run.
    task.begun, task.began = True, time.monotonic()
    try:
        task.token.check()
        on_began(task)
        task.result = task.work(Job(task, task.token))
    except BaseException as error:  # noqa: BLE001 - any bug is reported, the thread continues
        if not isinstance(error, (Cancelled, PruneAppError)):
            task.trace = traceback.format_exc()
        task.error = _without_frames(error)


def _without_frames(error: BaseException) -> BaseException:
    """Remove the tracebacks of an error and of its causes, and return the same error.

    Their frames refer to everything that was computed, hundreds of megabytes for a large model, and
    to the task that stores the error: such a cycle would only be freed by the garbage collector.
    """
    cause: BaseException | None = error
    seen = set[int]()
    while cause is not None and id(cause) not in seen:  # an error may be its own cause
        seen.add(id(cause))
        cause.__traceback__ = None
        cause = cause.__cause__ or cause.__context__
    return error


class Jobs(QObject):
    """Runs work in the background and calls callbacks on the main thread."""

    # (title) Another visible task became the current one. A queued task is announced when its turn
    # comes, so that progress always belongs to the announced task.
    started = Signal(str)
    progressed = Signal(object)  # JobProgress of the current visible task
    pauseRequested = Signal()  # foreground work was requested: background work should pause
    idle = Signal()  # no visible task is left
    listChanged = Signal()  # a visible task was queued, has begun or has ended
    ended = Signal(object)  # JobEnd of a visible task, before its callback is called
    # (CancelledJob) The user cancelled a task that can be started again, after its callback.
    cancelled = Signal(object)
    failed = Signal(str, str)  # an unexpected exception: its text and its traceback
    # (title) A task has not ended seconds after its cancellation, emitted once per task; `unstuck`
    # when it has ended.
    stuck = Signal(str)
    unstuck = Signal()

    _began = Signal(object)
    _finished = Signal(object)
    _reported = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._began.connect(self._on_began)
        self._finished.connect(self._on_finished)
        self._reported.connect(self._on_progressed)
        self._executors = {
            lane: ThreadPoolExecutor(threads, thread_name_prefix=name)
            for lane, (threads, name) in _THREADS.items()
        }
        self._futures: set[Future[None]] = set()  # of the tasks that have not ended
        self._pending: list[Task[Any]] = []
        # Short tasks are started in the next event loop iteration: started earlier, their threads
        # would compete with the main thread (GIL) while it still shows a new file or state.
        self._not_started: list[Task[Any]] = []
        self._start_timer = single_shot(self, 0, self._start_queued)
        self._defer_timer = single_shot(self, 0, self._start_queued)
        self._unresponsive: Task[Any] | None = None
        self._stuck: Task[Any] | None = None
        self._watchdog = QTimer(self)
        self._watchdog.setInterval(UNRESPONSIVE_MS)
        self._watchdog.timeout.connect(self._find_unresponsive)
        self._watchdog.start()

    def run(
        self,
        work: Callable[[Job], T],
        on_result: Callable[[T], object],
        on_error: Callable[[PruneAppError], object],
        *,
        title: str = "",
        lane: Lane | None = None,
        on_cancelled: Callable[[], object] = _nothing,
        on_late: Callable[[T], object] = _nothing,
        restart: Restart | None = None,
        show: Callable[[], object] | None = None,
    ) -> Task[T]:
        """Queue work for another thread, and return its task.

        Callbacks are called on the main thread. Exactly one of `on_result`, `on_error` and
        `on_cancelled` is called, none after `stop`. A bug in the work calls `on_cancelled` and
        emits `failed`.

        Parameters
        ----------
        work
            A function that steps its `Job` at least every 50 ms, so that it can be cancelled.
        on_error
            Called with a `PruneAppError` that the work raises.
        title
            What the task does, as "Pruning"; shown in the status bar. Tasks without one are not
            visible.
        lane
            By default `Lane.SERIAL` with a title and `Lane.SHORT` without.
        on_cancelled
            Called if the task is cancelled, or ends by a bug.
        on_late
            Called with a result that arrives after cancellation, so that it can be released.
        restart
            How to start the task again; `cancelled` is only emitted with it.
        show
            Shows the window with the progress of the task, if it has one.
        """
        lane = lane or (Lane.SERIAL if title else Lane.SHORT)
        task: Task[T] = Task(
            work,
            on_result,
            on_error,
            self._reported.emit,
            title,
            lane,
            on_cancelled,
            on_late,
            restart,
            show,
        )
        task.visible = bool(title) and lane is not Lane.PREVIEW
        if lane in _PAUSING:
            self.pause_background()
        self._pending.append(task)
        if lane in {Lane.SHORT, Lane.BACKGROUND}:
            self._not_started.append(task)
            if not self._start_timer.isActive():
                self._start_timer.start(0)
        else:
            self._start(task)
        if task is self._first_visible:
            self.started.emit(title)
        if task.visible:
            self.listChanged.emit()
        return task

    def _start(self, task: Task[Any]) -> None:
        future = self._executors[_SHARED.get(task.lane, task.lane)].submit(self._run, task)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)

    def _start_queued(self) -> None:
        """Start short tasks; background tasks only if no urgent one runs, or after `DEFER_S`."""
        tasks, self._not_started = self._not_started, []
        latest = time.monotonic() - DEFER_S
        is_busy = any(task.lane in _URGENT and not task.token.cancelled for task in self._pending)
        for task in tasks:
            if task.lane is Lane.BACKGROUND and is_busy and task.since > latest:
                self._not_started.append(task)
            else:
                self._start(task)
        if self._not_started:
            self._defer_timer.start(round(1000 * DEFER_S))

    def _run(self, task: Task[Any]) -> None:
        run_task(task, self._began.emit)
        self._finished.emit(task)

    def pause_background(self) -> None:
        """Emit `pauseRequested`, so that background work is paused."""
        self.pauseRequested.emit()

    def show(self, task: Task[Any], title: str, restart: Restart | None = None) -> None:
        """Show a running or queued task in the status bar, with a title.

        Its duration counts from now on; `restart` starts it again if the user has cancelled it.
        Without effect if it has ended or is visible already.
        """
        if task in self._pending and not task.visible:
            task.visible, task.title, task.since = True, title, time.monotonic()
            task.restart = restart
            task.progress = JobProgress(title, "", 0, 0)
            if self._first_visible is task:
                self.started.emit(title)
            self.listChanged.emit()

    def cancel_visible(self) -> bool:
        """Cancel all visible tasks, queued ones included; return whether there were any."""
        visible = [task for task in self._pending if task.visible]
        for task in visible:
            self._cancel(task)
        return bool(visible)

    def cancel_current(self) -> bool:
        """Let the user cancel the task that the status bar shows; return whether there is one."""
        current = self._first_visible
        if current is not None:
            self.cancel(current)
        return current is not None

    def cancel(self, key: object) -> None:
        """Cancel a task for the user, who may want it back; without effect if it has ended.

        `key` is that of its `JobState`, or the task.
        """
        for task in self._pending:
            if task is key:
                task.is_cancelled_by_user = True
                self._cancel(task)
                break

    def _cancel(self, task: Task[Any]) -> None:
        """Cancel a task.

        Callbacks of queued tasks and of user programs are called at once, others when the work
        ends.
        """
        task.cancel()
        if task.lane is Lane.PROGRAM or not task.begun:
            self._on_finished(task)

    def states(self) -> list[JobState]:
        """Return the visible tasks: the one that the status bar shows, then others that run.

        Queued ones are last, in their order; without those that were cancelled before they began.
        """
        now, current = time.monotonic(), self._first_visible
        found = [
            JobState(
                task,
                task.progress,
                now - (task.began if task.begun else task.since),
                task.begun,
                task.token.cancelled,
                "" if task.begun else self.title_before(task.lane, task),
                task.show,
            )
            for task in self._pending
            if task.visible and (task.begun or not task.token.cancelled)
        ]
        return sorted(found, key=lambda state: (state.key is not current, not state.is_running))

    def state_of(self, key: object) -> JobState | None:
        """Return the state of a visible task; None if it has ended."""
        return next((state for state in self.states() if state.key is key), None)

    def title_before(self, lane: Lane, task: Task[Any] | None = None) -> str:
        """Return the title of the last task before a queued one on its thread.

        "" if there is none or it is not visible. If `task` is None, of a task that is queued now.
        """

        def thread(lane: Lane) -> Lane:
            return _SHARED.get(lane, lane)

        end = len(self._pending) if task is None else self._pending.index(task)
        same = [
            other
            for other in self._pending[:end]
            if thread(other.lane) is thread(lane) and not other.token.cancelled
        ]
        return same[-1].title if same and same[-1].visible else ""

    @property
    def busy(self) -> bool:
        """Whether a visible task is queued or running."""
        return self._first_visible is not None

    @property
    def _first_visible(self) -> Task[Any] | None:
        """The task that the status bar shows: the first visible one, user programs last."""
        visible = [task for task in self._pending if task.visible]
        return min(visible, key=lambda task: task.lane is Lane.PROGRAM, default=None)

    @property
    def writing(self) -> bool:
        """Whether a task is queued or running that may have to wait for a disk."""
        return any(task.lane is Lane.WRITING for task in self._pending)

    @property
    def runs_program(self) -> bool:
        """Whether a visible task is queued or running that runs a program of the user."""
        return any(task.visible and task.lane is Lane.PROGRAM for task in self._pending)

    @property
    def is_idle(self) -> bool:
        """Whether no task at all is queued or running, visible or not."""
        return not self._pending

    @property
    def has_only_programs(self) -> bool:
        """Whether no task but programs of the user is queued or running."""
        return all(task.lane is Lane.PROGRAM for task in self._pending)

    def stop(self, patience_ms: int = PATIENCE_MS) -> bool:
        """Cancel all tasks and wait for their threads; no callback is called afterwards.

        Return whether all tasks ended within `patience_ms`. Only foreign code and a file system
        that does not answer ignore cancellation; the process must then be left by `os._exit`, as
        Python cannot end a thread.
        May be called again, to wait longer; `run` must not be called any more.
        """
        worker_pause.end()
        stopped, self._pending, self._not_started = self._pending, [], []
        for task in stopped:
            task.cancel()
        for lane, executor in self._executors.items():
            executor.shutdown(wait=False, cancel_futures=lane is not Lane.SERIAL)
        ended = not wait(tuple(self._futures), patience_ms / 1000).not_done
        if ended:
            for executor in self._executors.values():
                executor.shutdown()
            for task in stopped:
                task.release()
        return ended

    @Slot()
    def _find_unresponsive(self) -> None:
        task = next((t for t in self._pending if t.begun and t.token.cancelled), None)
        if task is not None and task is self._unresponsive and task is not self._stuck:
            self._stuck = task
            self.stuck.emit(task.title)
        self._unresponsive = task

    @Slot(object)
    def _on_progressed(self, progress: JobProgress) -> None:
        worker_pause.begin()
        shown = self._first_visible
        if shown is not None and shown.title == progress.title:
            self.progressed.emit(progress)

    @Slot(object)
    def _on_began(self, task: Task[Any]) -> None:
        if task.visible and task in self._pending:
            self.listChanged.emit()

    @Slot(object)
    def _on_finished(self, task: Task[Any]) -> None:
        """Report the end of a task, unless it was reported before or the jobs were stopped.

        Release it. If its callback took more than `LONG_S`, queued short tasks start `PAINT_MS`
        later. Called a second time by the thread for a task that `_cancel` has reported;
        emits `unstuck` then.
        """
        worker_pause.begin()
        started = time.monotonic()
        try:
            if task in self._pending:  # False if it was stopped, or already reported
                is_current = task is self._first_visible
                self._pending.remove(task)
                task.ended = True
                self._report_end(task, is_current=is_current)
        finally:
            # Do not delay tasks that are already delayed, however often this happens.
            is_delayed = self._start_timer.isActive() and self._start_timer.interval() == PAINT_MS
            if time.monotonic() - started > LONG_S and not is_delayed:
                self._start_timer.start(PAINT_MS)
            elif self._not_started and not self._start_timer.isActive():
                self._start_timer.start(0)
            if task is self._stuck:
                self._stuck = None
                self.unstuck.emit()
            task.release()

    def _report_end(self, task: Task[Any], *, is_current: bool) -> None:
        """Announce the next visible task or `idle`, emit `ended`, and call a callback of the task.

        `is_current`: whether the status bar showed the task. `ended` is only emitted for a visible
        one, `failed` after `on_cancelled` for an unexpected exception. An error after cancellation
        is dropped.
        """
        if is_current:
            next_visible = self._first_visible
            if next_visible is None:
                self.idle.emit()
            else:
                self.started.emit(next_visible.title)
        error, cancelled = task.error, task.token.cancelled or isinstance(task.error, Cancelled)
        if task.visible:
            text = "" if error is None or cancelled else f"{error}"
            self.ended.emit(JobEnd(task.title, time.monotonic() - task.since, text, cancelled))
            self.listChanged.emit()
        if cancelled:
            task.on_cancelled()
            if task.is_cancelled_by_user and task.restart is not None:
                seconds = time.monotonic() - task.began if task.begun else 0.0
                self.cancelled.emit(CancelledJob(task.title, seconds, task.restart))
        elif isinstance(error, PruneAppError):
            task.on_error(error)
        elif error is not None:
            task.on_cancelled()
            self.failed.emit(f"{type(error).__name__}: {error}", task.trace)
        else:
            result, task.result = task.result, None
            task.on_result(result)


class LatestTask:
    """Runs one task at a time: a new one cancels the previous one, whose result is dropped."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        # `Jobs` refers to a task until it has ended.
        self._task: weakref.ref[Task[Any]] | None = None

    @property
    def task(self) -> Task[Any] | None:
        """The current task; None if there is none or it has ended."""
        task = None if self._task is None else self._task()
        return None if task is None or task.ended else task

    def start(
        self,
        work: Callable[[Job], T],
        on_result: Callable[[T], object],
        on_error: Callable[[PruneAppError], object] = _nothing,
        **options: Unpack[TaskOptions],
    ) -> Task[T]:
        """Cancel the previous task and start another one; for the parameters see `Jobs.run`.

        No callback but `on_late` of a task is called after `cancel` or the start of another one.
        """
        self.cancel()
        task = self._jobs.run(work, on_result, on_error, **options)
        self._task = weakref.ref(task)
        return task

    def cancel(self) -> None:
        task, self._task = self.task, None
        if task is not None:
            task.on_cancelled = _nothing
            task.cancel()


class Throttle(QObject):
    """Calls a function at once, and then only at intervals that leave time for other work.

    The function returns the minimum number of milliseconds until its next call; 0 for no limit.
    """

    def __init__(self, call: Callable[[], int], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._call = call
        self._requested = False
        self._interval = single_shot(self, 0, self._call_if_requested)

    def request(self, *, at_once: bool = False) -> None:
        """Request a call: made immediately if `at_once` or if the interval is over, else after it.

        Requests during the interval are combined into one call. `at_once` does not restart an
        interval unless the function returns a new one.
        """
        self._requested = True
        if at_once or not self._interval.isActive():
            self._call_if_requested()

    def _call_if_requested(self) -> None:
        if self._requested:
            self._requested = False
            if interval_ms := self._call():
                self._interval.start(interval_ms)


class IdleScheduler(QObject):
    """Runs background work, one piece at a time, after the user has paused.

    A piece is cancelled, and its partial result lost, as soon as any other work is requested. After
    the next pause `begin` is called again; it calls `submit` if there is something to do.
    """

    def __init__(
        self, jobs: Jobs, pause_ms: int, begin: Callable[[], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._begin = begin
        self._latest = LatestTask(jobs)
        self._pause = single_shot(self, pause_ms, self.resume)
        jobs.pauseRequested.connect(self._pause_work)

    def schedule(self) -> None:
        """Call `begin` after a pause."""
        self._pause.start()

    def resume(self) -> None:
        """Call `begin` now, if no task is running or queued; otherwise after a pause.

        Programs of the user, which may run for an hour, do not count. Without effect during a
        pause, which calls this again at its end.
        """
        if self._pause.isActive():
            return
        if self._jobs.has_only_programs:
            self._begin()
        else:
            self._pause.start()

    def submit(
        self,
        work: Callable[[Job], T],
        *,
        on_result: Callable[[T], object],
        on_error: Callable[[PruneAppError], object] = _nothing,
    ) -> None:
        """Run a piece of background work, and cancel the previous piece.

        No callback is called if it is cancelled for other work. By default errors are ignored: the
        next action of the user reports them.
        """
        self._latest.start(work, on_result, on_error, lane=Lane.BACKGROUND)

    def stop(self) -> None:
        """Cancel the work and do not start more, until `schedule` or `resume` is called."""
        self._pause.stop()
        self._latest.cancel()

    def _pause_work(self) -> None:
        if self._latest.task is not None or self._pause.isActive():
            self._latest.cancel()
            self._pause.start()
