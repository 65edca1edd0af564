"""Run work off the main thread, with progress, cancellation, and callbacks on the main thread.

Work is a function of immutable arguments. There are four lanes:

- One worker thread runs what must be serial: opening, previews, pruning, export.
- An executor with two threads computes tiles and counts, so that a long prune never blocks a
  plot; its second thread is for work that imports torch (available devices and methods).
- An executor with one thread computes the numbers of a moving slider, which came too late when
  they were queued after two tiles.
- An executor with one thread runs user programs, which may take minutes and ignore cancellation.

Callbacks are only called on the main thread. A lambda that is connected to a worker's signal would
run in the worker, so all connections here are to bound methods of `Jobs`.
"""

from __future__ import annotations

import queue
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from pruneapp.errors import PruneAppError
from pruneapp.gui.widgets.controls import single_shot
from pruneapp.progress import Cancelled, CancelToken, Job

T = TypeVar("T")

# Minimum interval between two progress signals of a job; more would only cause repaints.
REPORT_EVERY_S = 0.04
# A callback slower than this usually triggers a large repaint. Delay queued requests by `PAINT_MS`,
# so that Qt paints first.
LONG_S = 0.03
PAINT_MS = 30


@dataclass(frozen=True)
class JobProgress:
    """Progress of the running job."""

    title: str  # what the job does, as "Pruning"
    label: str  # the current item: a tensor, a file
    done: int
    total: int  # in units of work; 0 if unknown


@dataclass(frozen=True)
class JobEnd:
    """The outcome of a visible job."""

    title: str
    seconds: float  # since the job became visible
    error: str = ""  # why it failed; empty if it did not
    cancelled: bool = False  # by the user, or because a newer job replaced it


@dataclass(eq=False)
class Task(Generic[T]):
    """A queued or running job with its callbacks.

    `on_late` is called instead of `on_result` with a result that arrives after cancellation.
    """

    title: str
    work: Callable[[Job], T]
    on_result: Callable[[T], None]
    on_error: Callable[[PruneAppError], None]
    on_cancelled: Callable[[], None]
    visible: bool
    writes: bool = False
    on_late: Callable[[T], object] | None = None
    runs_program: bool = False
    token: CancelToken = field(default_factory=CancelToken)
    begun: bool = False
    since: float = field(default_factory=time.monotonic)  # when it was queued, or became visible
    result: T | None = None
    error: BaseException | None = None
    trace: str = ""

    def cancel(self) -> None:
        """Request cancellation.

        A result that still arrives is dropped. May be called repeatedly.
        """
        self.token.cancel()

    def release(self) -> None:
        """Drop references to inputs, result and callbacks, which may refer to the task again.

        Snapshots and tiles hold masks, which must be freed without waiting for the garbage
        collector.
        """
        if self.result is not None and self.on_late is not None:
            self.on_late(self.result)
        self.on_late = None
        self.work = self.on_result = self.on_error = _nothing
        self.on_cancelled = lambda: None
        self.result = None


def _nothing(_: object) -> Any:
    return None


class _Reporter:
    """Reports the steps of a visible job as at most one signal per `REPORT_EVERY_S`."""

    def __init__(self, task: Task[Any], emit: Callable[[JobProgress], None]) -> None:
        self._task = task
        self._emit = emit
        self._last = 0.0

    def report(self, done: int, total: int, label: str) -> None:
        """Emit the progress, unless the last signal is too recent or the task is not visible."""
        now = time.monotonic()
        if self._task.visible and now - self._last >= REPORT_EVERY_S:
            self._last = now
            self._emit(JobProgress(self._task.title, label, done, total))


def run(task: Task[Any], emit: Callable[[JobProgress], None]) -> None:
    """Run a task on the current thread and store its result or error in it."""
    # Set this before checking the token: a task that was cancelled while queued must not run.
    task.begun = True
    try:
        task.token.check()
        task.result = task.work(Job(_Reporter(task, emit), task.token))
    except (Cancelled, PruneAppError) as error:
        task.error = _without_frames(error)
    except BaseException as error:  # noqa: BLE001 - any bug is reported, the thread continues
        task.trace = traceback.format_exc()
        task.error = _without_frames(error)


def _without_frames(error: BaseException) -> BaseException:
    """Remove the tracebacks of an error and of its causes.

    Their frames refer to everything that was computed, hundreds of megabytes for a large model, and
    to the task that stores the error: such a cycle would only be freed by the garbage collector.
    """
    cause: BaseException | None = error
    while cause is not None:
        cause.__traceback__ = None
        cause = cause.__cause__ or cause.__context__
    return error


# How long `Jobs.stop` waits. Jobs end within 250 ms, unless a disk has to finish a write first.
PATIENCE_MS = 10_000
UNRESPONSIVE_MS = 3_000


class Priority(Enum):
    """The priority of a short task."""

    INTERACTIVE = auto()  # a moving slider waits for the result; not queued after tiles
    NORMAL = auto()  # the user waits for the result; background work is paused
    BACKGROUND = auto()  # background work


class Jobs(QObject):
    """Runs work in the background and calls callbacks on the main thread."""

    # (title) Another visible task became the current one. A queued task is announced when its turn
    # comes, so that progress always belongs to the announced task.
    started = Signal(str)
    progressed = Signal(object)  # JobProgress of the current visible task
    pauseRequested = Signal()  # foreground work was requested: background work should pause
    idle = Signal()  # no visible task is left
    ended = Signal(object)  # JobEnd of a visible task, before its callback is called
    failed = Signal(str, str)  # an unexpected exception: its text and its traceback
    # (title) A task has not ended seconds after its cancellation, emitted once per task; `unstuck`
    # when it has ended.
    stuck = Signal(str)
    unstuck = Signal()

    _finished = Signal(object)
    _reported = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queue: queue.SimpleQueue[Task[Any] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="pruneapp-worker")
        self._finished.connect(self._on_finished)
        self._reported.connect(self._on_progressed)
        self._executor = ThreadPoolExecutor(2, thread_name_prefix="pruneapp-pictures")
        self._interactive_executor = ThreadPoolExecutor(1, thread_name_prefix="pruneapp-numbers")
        self._program_executor = ThreadPoolExecutor(1, thread_name_prefix="pruneapp-programs")
        self._pending: list[Task[Any]] = []
        # Requests of the main thread are started in its next event loop iteration: started earlier,
        # their threads would compete with the main thread (GIL) while it still shows a new file or
        # state.
        self._not_started: list[Task[Any]] = []
        self._start_timer = single_shot(self, 0, self._start_queued)
        self._thread.start()
        self._unresponsive: Task[Any] | None = None
        self._stuck: Task[Any] | None = None
        self._watchdog = QTimer(self)
        self._watchdog.setInterval(UNRESPONSIVE_MS)
        self._watchdog.timeout.connect(self._find_unresponsive)
        self._watchdog.start()

    def submit(
        self,
        title: str,
        work: Callable[[Job], T],
        *,
        on_result: Callable[[T], None],
        on_error: Callable[[PruneAppError], None],
        on_cancelled: Callable[[], None] = lambda: None,
        on_late: Callable[[T], object] | None = None,
        visible: bool = True,
        writes: bool = False,
        runs_program: bool = False,
    ) -> Task[T]:
        """Queue work for the worker thread; callbacks are called on the main thread.

        Parameters ---------- title
            What the job does, as "Pruning"; shown in the status bar if `visible`.
        work
            A function that steps its `Job` at least every 50 ms, so that it can be cancelled.
        on_late
            Called with a result that arrives after cancellation, so that it can be released.
        writes
            Whether the job may have to wait for a disk when it is cancelled.
        apart
            Whether the job waits for a user program. It runs on a separate thread, does not block
            other jobs, and counts as ended immediately when cancelled, even if the program ends
            later.
        """
        task: Task[T] = Task(
            title, work, on_result, on_error, on_cancelled, visible, writes, on_late, runs_program
        )
        self._pending.append(task)
        if runs_program:
            self._program_executor.submit(self._run, task)
        else:
            self.pause_background()
            self._queue.put(task)
        if task is self._first_visible:
            self.started.emit(title)
        return task

    def run_short(
        self,
        work: Callable[[Job], T],
        *,
        on_result: Callable[[T], None],
        on_error: Callable[[PruneAppError], None],
        on_cancelled: Callable[[], None] = lambda: None,
        priority: Priority = Priority.NORMAL,
    ) -> Task[T]:
        """Run a short task on an executor; for the callbacks see `submit`."""
        if priority is Priority.NORMAL:
            self.pause_background()
        task: Task[T] = Task("", work, on_result, on_error, on_cancelled, visible=False)
        self._pending.append(task)
        if priority is Priority.INTERACTIVE:
            self._interactive_executor.submit(self._run, task)
        else:
            self._not_started.append(task)
            if not self._start_timer.isActive():
                self._start_timer.start(0)
        return task

    def _start_queued(self) -> None:
        questions, self._not_started = self._not_started, []
        for task in questions:
            self._executor.submit(self._run, task)

    def pause_background(self) -> None:
        """Emit `pauseRequested`, so that background work is paused."""
        self.pauseRequested.emit()

    def show(self, task: Task[Any], title: str) -> None:
        """Show a running task in the status bar. Without effect if it has ended or is visible."""
        if task in self._pending and not task.visible:
            task.visible, task.title, task.since = True, title, time.monotonic()
            if self._first_visible is task:
                self.started.emit(title)

    def cancel_visible(self) -> bool:
        """Cancel all visible tasks; False if there are none."""
        visible = [task for task in self._pending if task.visible]
        for task in visible:
            task.cancel()
            # A queued task, or a user program, can be reported as ended at once.
            if task.runs_program or not task.begun:
                self._on_finished(task)
        return bool(visible)

    @property
    def busy(self) -> bool:
        """Whether a visible task is queued or running."""
        return self._first_visible is not None

    @property
    def _first_visible(self) -> Task[Any] | None:
        """The task that the status bar shows: the first visible one, user programs last."""
        visible = [task for task in self._pending if task.visible]
        return min(visible, key=lambda task: task.runs_program, default=None)

    @property
    def writing(self) -> bool:
        """Whether a visible task is queued or running that may have to wait for a disk."""
        return any(task.visible and task.writes for task in self._pending)

    @property
    def is_idle(self) -> bool:
        """Whether no task at all is queued or running, visible or not."""
        return not self._pending

    def stop(self, patience_ms: int = PATIENCE_MS) -> bool:
        """Cancel all tasks and wait for their threads; no callback is called afterwards.

        Return whether the worker thread ended within `patience_ms`. Only foreign code ignores
        cancellation; the process must then be left by `os._exit`, as Python cannot end a thread.
        """
        stopped, self._pending, self._not_started = self._pending, [], []
        for task in stopped:
            task.cancel()
        for executor in (self._executor, self._interactive_executor, self._program_executor):
            executor.shutdown(wait=True, cancel_futures=True)
        self._queue.put(None)
        self._thread.join(patience_ms / 1000)
        ended = not self._thread.is_alive()
        if ended:
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

    def _work(self) -> None:
        while (task := self._queue.get()) is not None:
            self._run(task)

    def _run(self, task: Task[Any]) -> None:
        run(task, self._reported.emit)
        self._finished.emit(task)

    @Slot(object)
    def _on_progressed(self, progress: JobProgress) -> None:
        shown = self._first_visible
        if shown is not None and shown.title == progress.title:
            self.progressed.emit(progress)

    @Slot(object)
    def _on_finished(self, task: Task[Any]) -> None:
        started = time.monotonic()
        try:
            if task in self._pending:  # False if it was stopped, or already reported
                is_current = task is self._first_visible
                self._pending.remove(task)
                self._report_end(task, is_current=is_current)
        finally:
            # Do not delay tasks that are already delayed, however often this happens.
            is_delayed = self._start_timer.isActive() and self._start_timer.interval() == PAINT_MS
            if time.monotonic() - started > LONG_S and not is_delayed:
                self._start_timer.start(PAINT_MS)
            if task is self._stuck:
                self._stuck = None
                self.unstuck.emit()
            task.release()

    def _report_end(self, task: Task[Any], *, is_current: bool) -> None:
        if is_current:
            next_visible = self._first_visible
            if next_visible is None:
                self.idle.emit()
            else:
                self.started.emit(next_visible.title)
        if task.visible:
            self.ended.emit(_end_of(task))
        if task.token.cancelled or isinstance(task.error, Cancelled):
            task.on_cancelled()
        elif isinstance(task.error, PruneAppError):
            task.on_error(task.error)
        elif task.error is not None:
            task.on_cancelled()
            self.failed.emit(f"{type(task.error).__name__}: {task.error}", task.trace)
        else:
            result, task.result = task.result, None
            task.on_result(result)


def _end_of(task: Task[Any]) -> JobEnd:
    cancelled = task.token.cancelled or isinstance(task.error, Cancelled)
    error = "" if task.error is None or cancelled else f"{task.error}"
    return JobEnd(task.title, time.monotonic() - task.since, error, cancelled)


class LatestTask:
    """Runs one task at a time: a new one cancels the previous one, whose result is dropped."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self.task: Task[Any] | None = None

    def start(
        self,
        work: Callable[[Job], T],
        on_result: Callable[[T], None],
        on_error: Callable[[PruneAppError], None] = _nothing,
        *,
        title: str = "",
        on_stopped: Callable[[], None] = lambda: None,
        on_late: Callable[[T], object] | None = None,
        priority: Priority = Priority.NORMAL,
        runs_program: bool = False,
    ) -> Task[T]:
        """Cancel the previous task and start another one.

        With a `title` it is a visible job of the worker thread (see `Jobs.submit`; `priority` is
        ignored), else a short task (see `Jobs.run_short`; `on_late` and `runs_program` are
        ignored).
        `on_stopped` is called if the latest task ends by a bug, or is cancelled by the user.
        """
        self.cancel()

        def clear_if_latest() -> bool:
            latest = self.task is task
            if latest:
                self.task = None
            return latest

        def on_task_result(result: T) -> None:
            clear_if_latest()
            on_result(result)

        def on_task_error(error: PruneAppError) -> None:
            clear_if_latest()
            on_error(error)

        def on_task_cancelled() -> None:
            if clear_if_latest():
                on_stopped()

        if title:
            task = self._jobs.submit(
                title,
                work,
                on_result=on_task_result,
                on_error=on_task_error,
                on_cancelled=on_task_cancelled,
                on_late=on_late,
                runs_program=runs_program,
            )
        else:
            task = self._jobs.run_short(
                work,
                on_result=on_task_result,
                on_error=on_task_error,
                on_cancelled=on_task_cancelled,
                priority=priority,
            )
        self.task = task
        return task

    def cancel(self) -> None:
        """Cancel the current task, if there is one."""
        task, self.task = self.task, None
        if task is not None:
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
        """Request a call: made at once if `at_once` or if the interval is over, else after it.

        Requests during the interval are combined into one call.
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
        """Call `begin` now, or after a pause if other tasks are running or a pause is active."""
        if self._pause.isActive():
            return
        if self._jobs.is_idle:
            self._begin()
        else:
            self._pause.start()

    def submit(
        self,
        work: Callable[[Job], T],
        *,
        on_result: Callable[[T], None],
        on_error: Callable[[PruneAppError], None] = _nothing,
    ) -> None:
        """Run a piece of background work; no callback is called if it is cancelled for other work.

        By default errors are ignored: the next action of the user reports them.
        """
        self._latest.start(work, on_result, on_error, priority=Priority.BACKGROUND)

    def stop(self) -> None:
        """Cancel the work and do not start more, until `schedule` or `resume` is called."""
        self._pause.stop()
        self._latest.cancel()

    def _pause_work(self) -> None:
        if self._latest.task is not None or self._pause.isActive():
            self._latest.cancel()
            self._pause.start()
