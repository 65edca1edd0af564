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
    apart: bool = False
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


class Urgency(Enum):
    """The priority of a short task."""

    AT_ONCE = auto()  # a moving slider waits for the result; not queued after tiles
    SOON = auto()  # the user waits for the result; background work is paused
    ASIDE = auto()  # background work


class Jobs(QObject):
    """Runs work in the background and calls callbacks on the main thread."""

    # (title) Another visible task became the current one. A queued task is announced when its turn
    # comes, so that progress always belongs to the announced task.
    started = Signal(str)
    progressed = Signal(object)  # JobProgress of the current visible task
    asked = Signal()  # foreground work was requested: background work should pause
    idle = Signal()  # no visible task is left
    ended = Signal(object)  # JobEnd of a visible task, before its callback is called
    failed = Signal(str, str)  # an unexpected exception: its text and its traceback
    # (title) A task has not ended seconds after its cancellation, emitted once per task; `unstuck`
    # when it has ended.
    stuck = Signal(str)
    unstuck = Signal()

    _answered = Signal(object)
    _reported = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks: queue.SimpleQueue[Task[Any] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="pruneapp-worker")
        self._answered.connect(self._on_ended)
        self._reported.connect(self._on_progressed)
        self._executor = ThreadPoolExecutor(2, thread_name_prefix="pruneapp-pictures")
        self._numbers = ThreadPoolExecutor(1, thread_name_prefix="pruneapp-numbers")
        self._programs = ThreadPoolExecutor(1, thread_name_prefix="pruneapp-programs")
        self._pending: list[Task[Any]] = []
        # Requests of the main thread are started in its next event loop iteration: started earlier,
        # their threads would compete with the main thread (GIL) while it still shows a new file or
        # state.
        self._questions: list[Task[Any]] = []
        self._turn = single_shot(self, 0, self._hand_out)
        self._thread.start()
        self._unresponsive: Task[Any] | None = None
        self._stuck: Task[Any] | None = None
        self._listen = QTimer(self)
        self._listen.setInterval(UNRESPONSIVE_MS)
        self._listen.timeout.connect(self._find_unresponsive)
        self._listen.start()

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
        apart: bool = False,
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
            title, work, on_result, on_error, on_cancelled, visible, writes, on_late, apart
        )
        self._pending.append(task)
        if apart:
            self._programs.submit(self._answer, task)
        else:
            self.make_room()
            self._tasks.put(task)
        if task is self._first_visible:
            self.started.emit(title)
        return task

    def answer(
        self,
        work: Callable[[Job], T],
        *,
        on_result: Callable[[T], None],
        on_error: Callable[[PruneAppError], None],
        on_cancelled: Callable[[], None] = lambda: None,
        urgency: Urgency = Urgency.SOON,
    ) -> Task[T]:
        """Run a short task on an executor; for the callbacks see `submit`."""
        if urgency is Urgency.SOON:
            self.make_room()
        task: Task[T] = Task("", work, on_result, on_error, on_cancelled, visible=False)
        self._pending.append(task)
        if urgency is Urgency.AT_ONCE:
            self._numbers.submit(self._answer, task)
        else:
            self._questions.append(task)
            if not self._turn.isActive():
                self._turn.start(0)
        return task

    def _hand_out(self) -> None:
        questions, self._questions = self._questions, []
        for task in questions:
            self._executor.submit(self._answer, task)

    def make_room(self) -> None:
        """Emit `asked`, so that background work is paused."""
        self.asked.emit()

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
            if task.apart or not task.begun:
                self._on_ended(task)
        return bool(visible)

    @property
    def busy(self) -> bool:
        """Whether a visible task is queued or running."""
        return self._first_visible is not None

    @property
    def _first_visible(self) -> Task[Any] | None:
        """The task that the status bar shows: the first visible one, user programs last."""
        visible = [task for task in self._pending if task.visible]
        return min(visible, key=lambda task: task.apart, default=None)

    @property
    def writing(self) -> bool:
        """Whether a visible task is queued or running that may have to wait for a disk."""
        return any(task.visible and task.writes for task in self._pending)

    @property
    def quiet(self) -> bool:
        """Whether no task at all is queued or running, visible or not."""
        return not self._pending

    def stop(self, patience_ms: int = PATIENCE_MS) -> bool:
        """Cancel all tasks and wait for their threads; no callback is called afterwards.

        Return whether the worker thread ended within `patience_ms`. Only foreign code ignores
        cancellation; the process must then be left by `os._exit`, as Python cannot end a thread.
        """
        stopped, self._pending, self._questions = self._pending, [], []
        for task in stopped:
            task.cancel()
        for executor in (self._executor, self._numbers, self._programs):
            executor.shutdown(wait=True, cancel_futures=True)
        self._tasks.put(None)
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
        while (task := self._tasks.get()) is not None:
            self._answer(task)

    def _answer(self, task: Task[Any]) -> None:
        run(task, self._reported.emit)
        self._answered.emit(task)

    @Slot(object)
    def _on_progressed(self, progress: JobProgress) -> None:
        shown = self._first_visible
        if shown is not None and shown.title == progress.title:
            self.progressed.emit(progress)

    @Slot(object)
    def _on_ended(self, task: Task[Any]) -> None:
        began = time.monotonic()
        try:
            if task in self._pending:  # False if it was stopped, or already reported
                shown = task is self._first_visible
                self._pending.remove(task)
                self._report_end(task, shown=shown)
        finally:
            # Do not delay tasks that are already delayed, however often this happens.
            put_off = self._turn.isActive() and self._turn.interval() == PAINT_MS
            if time.monotonic() - began > LONG_S and not put_off:
                self._turn.start(PAINT_MS)
            if task is self._stuck:
                self._stuck = None
                self.unstuck.emit()
            task.release()

    def _report_end(self, task: Task[Any], *, shown: bool) -> None:
        if shown:
            following = self._first_visible
            if following is None:
                self.idle.emit()
            else:
                self.started.emit(following.title)
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

    def ask(
        self,
        work: Callable[[Job], T],
        on_result: Callable[[T], None],
        on_error: Callable[[PruneAppError], None] = _nothing,
        *,
        title: str = "",
        on_stopped: Callable[[], None] = lambda: None,
        on_late: Callable[[T], object] | None = None,
        urgency: Urgency = Urgency.SOON,
        apart: bool = False,
    ) -> Task[T]:
        """Cancel the previous task and start another one.

        With a `title` it is a visible job of the worker thread (see `Jobs.submit`; `urgency` is
        ignored), else a short task (see `Jobs.answer`; `on_late` and `apart` are ignored).
        `on_stopped` is called if the latest task ends by a bug, or is cancelled by the user.
        """
        self.cancel()

        def over() -> bool:
            latest = self.task is task
            if latest:
                self.task = None
            return latest

        def answered(result: T) -> None:
            over()
            on_result(result)

        def failed(error: PruneAppError) -> None:
            over()
            on_error(error)

        def ended() -> None:
            if over():
                on_stopped()

        if title:
            task = self._jobs.submit(
                title,
                work,
                on_result=answered,
                on_error=failed,
                on_cancelled=ended,
                on_late=on_late,
                apart=apart,
            )
        else:
            task = self._jobs.answer(
                work, on_result=answered, on_error=failed, on_cancelled=ended, urgency=urgency
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
        self._rest = single_shot(self, 0, self._on_rested)

    def request(self, *, at_once: bool = False) -> None:
        """Request a call: made at once if `at_once` or if the interval is over, else after it.

        Requests during the interval are combined into one call.
        """
        self._requested = True
        if at_once or not self._rest.isActive():
            self._on_rested()

    def _on_rested(self) -> None:
        if self._requested:
            self._requested = False
            if rest := self._call():
                self._rest.start(rest)


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
        self._pause = single_shot(self, pause_ms, self.go_on)
        jobs.asked.connect(self._make_room)

    def schedule(self) -> None:
        """Call `begin` after a pause."""
        self._pause.start()

    def go_on(self) -> None:
        """Call `begin` now, or after a pause if other tasks are running or a pause is active."""
        if self._pause.isActive():
            return
        if self._jobs.quiet:
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
        self._latest.ask(work, on_result, on_error, urgency=Urgency.ASIDE)

    def stop(self) -> None:
        """Cancel the work and do not start more, until `schedule` or `go_on` is called."""
        self._pause.stop()
        self._latest.cancel()

    def _make_room(self) -> None:
        if self._latest.task is not None or self._pause.isActive():
            self._latest.cancel()
            self._pause.start()
