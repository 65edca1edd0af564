"""Work off the main thread: pure functions of frozen arguments that report and can be cancelled.

One worker thread owns what is serial by nature (opening, previews, pruning, export); one small
executor answers pictures and counts, so that a long prune never blocks a picture. Its second
thread is for answers that import torch (which devices, which methods there are). Numbers that a
moving slider waits for have a thread of their own: behind two tiles they came too late. So have
programs of the person, which may take minutes, and may not listen to who cancels them. Results
come back on the main thread, and only there are callbacks called: a lambda connected to a
worker's signal would run in the worker, so the only connections are to bound methods of `Jobs`.
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

# Progress reaches the window at most so often; more would only make it repaint.
REPORT_EVERY_S = 0.04
# Who was told of something for longer than this has much to show, which Qt paints some milliseconds
# later: questions wait for so long.
LONG_S = 0.03
PAINT_MS = 30


@dataclass(frozen=True)
class JobProgress:
    """How far the running job is."""

    title: str  # what it is: "Pruning"
    label: str  # what is worked on now: a tensor, a file
    done: int
    total: int  # units of work; 0 while it is unknown


@dataclass(frozen=True)
class JobEnd:
    """How a visible job ended."""

    title: str
    seconds: float  # since it was visible
    error: str = ""  # why it failed; empty if it did not
    cancelled: bool = False  # by the person, or because something newer took its place


@dataclass(eq=False)
class Task(Generic[T]):
    """A job that was asked for: what to call when it ends. Cancelling it twice is harmless.

    `on_late` is called instead of `on_result` with what came although nobody wants it any more.
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
    since: float = field(default_factory=time.monotonic)  # it was asked for, or visible
    result: T | None = None
    error: BaseException | None = None
    trace: str = ""

    def cancel(self) -> None:
        """Ask it to stop; its result, if it still comes, is dropped."""
        self.token.cancel()

    def release(self) -> None:
        """Let go of what it worked on and of whom it told, who may refer to the task again.

        Snapshots and tiles hold masks: they must not wait for the collector.
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
    """Turns the steps of a job into a few signals a second."""

    def __init__(self, task: Task[Any], emit: Callable[[JobProgress], None]) -> None:
        self._task = task
        self._emit = emit
        self._last = 0.0

    def report(self, done: int, total: int, label: str) -> None:
        """Emit, unless the last signal is too young."""
        now = time.monotonic()
        if self._task.visible and now - self._last >= REPORT_EVERY_S:
            self._last = now
            self._emit(JobProgress(self._task.title, label, done, total))


def run(task: Task[Any], emit: Callable[[JobProgress], None]) -> None:
    """Do a task in this thread, and keep in it what came of it; a cancelled one does nothing."""
    # Before the token is looked at: a task that was cancelled before it began does nothing.
    task.begun = True
    try:
        task.token.check()
        task.result = task.work(Job(_Reporter(task, emit), task.token))
    except (Cancelled, PruneAppError) as error:
        task.error = _without_frames(error)
    except BaseException as error:  # noqa: BLE001 - any bug is reported, the thread goes on
        task.trace = traceback.format_exc()
        task.error = _without_frames(error)


def _without_frames(error: BaseException) -> BaseException:
    """Let go of the frames that an error went through.

    They hold all that was worked on, hundreds of megabytes of a large model, and lead back to the
    task that keeps the error: nothing but the collector would ever let go of them.
    """
    cause: BaseException | None = error
    while cause is not None:
        cause.__traceback__ = None
        cause = cause.__cause__ or cause.__context__
    return error


# Ours end within a quarter of a second, unless a disk has to finish a write first.
PATIENCE_MS = 10_000
UNRESPONSIVE_MS = 3_000


class Urgency(Enum):
    """How soon somebody needs an answer."""

    AT_ONCE = auto()  # a moving slider waits for it: it goes behind no picture
    SOON = auto()  # somebody waits for it: who works aside is asked to make room
    ASIDE = auto()  # nobody waits for it


class Jobs(QObject):
    """Starts work in the background and brings its results back to the main thread."""

    # Another visible task is the one that is worked on, or waited for; its title. One that waits
    # behind it is told of in its turn, so that progress is never that of another.
    started = Signal(str)
    progressed = Signal(object)  # a JobProgress of the visible task
    asked = Signal()  # something is wanted soon: what is done aside ought to make room
    idle = Signal()  # no visible task is left
    ended = Signal(object)  # a JobEnd of a visible task, before it is told what came of it
    failed = Signal(str, str)  # a bug: sentence and traceback, to be shown as a report
    # A task, by its title, does not end although it was cancelled some seconds ago, said once; and
    # it has ended after all.
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
        # Threads that answer would take turns with the main thread, which asks while it has a file
        # or a state to show: they begin once it is done with that.
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
        """Queue work for the one worker; callbacks are called on the main thread.

        The `title`, as "Pruning", is for the status bar, if it is `visible` there. `work` is a
        plain function that steps its `Job` at least every 50 ms. `on_late` is called with a result
        that comes although it was cancelled, to let go of what it holds. One that `writes` may
        have to wait for a disk before it can stop. One `apart` waits for a program of the person:
        it keeps nothing of ours waiting, and is over as soon as it is cancelled, even if the
        program ends later.
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
        """Let the small executor answer a question; callbacks as of `submit`."""
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
        """Ask those who work aside to wait: something is wanted soon."""
        self.asked.emit()

    def show(self, task: Task[Any], title: str) -> None:
        """Let the status bar show a task that runs already."""
        if task in self._pending and not task.visible:
            task.visible, task.title, task.since = True, title, time.monotonic()
            if self._first_visible is task:
                self.started.emit(title)

    def cancel_visible(self) -> bool:
        """Cancel what the status bar shows; False if there is nothing."""
        visible = [task for task in self._pending if task.visible]
        for task in visible:
            task.cancel()
            # Nobody has to wait for the one that it waits for, or for a program.
            if task.apart or not task.begun:
                self._on_ended(task)
        return bool(visible)

    @property
    def busy(self) -> bool:
        """Whether a visible task is under way."""
        return self._first_visible is not None

    @property
    def _first_visible(self) -> Task[Any] | None:
        """What the status bar shows: what is done apart, only while there is nothing else."""
        visible = [task for task in self._pending if task.visible]
        return min(visible, key=lambda task: task.apart, default=None)

    @property
    def writing(self) -> bool:
        """Whether a visible task is under way that may have to wait for a disk."""
        return any(task.visible and task.writes for task in self._pending)

    @property
    def quiet(self) -> bool:
        """Whether nothing is under way, not even an answer for a picture."""
        return not self._pending

    def stop(self, patience_ms: int = PATIENCE_MS) -> bool:
        """Cancel everything and wait for the threads; nothing comes back afterwards.

        Returns whether they ended. Only code that is not ours goes on after it was cancelled: the
        process has to be left by `os._exit` then, because a running thread cannot be taken down.
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
            if task in self._pending:  # not stopped meanwhile, nor over before
                shown = task is self._first_visible
                self._pending.remove(task)
                self._report_end(task, shown=shown)
        finally:
            # Those that wait already are not put off again, however often this happens.
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
    """One question at a time: a newer one takes the place of the older, whose answer is dropped."""

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
        """Have a question answered, see `Jobs.answer`; with a title by the worker, see `submit`.

        `on_stopped` if it ends by a bug, or because the person cancelled it.
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
        """Ask no longer."""
        task, self.task = self.task, None
        if task is not None:
            task.cancel()


class Throttle(QObject):
    """Calls at once, and then only as often as leaves time for everything else.

    The call returns for how many milliseconds it must not be made again; 0 for none.
    """

    def __init__(self, call: Callable[[], int], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._call = call
        self._requested = False
        self._rest = single_shot(self, 0, self._on_rested)

    def request(self, *, at_once: bool = False) -> None:
        """Call, but after the rest unless `at_once`; of several requests one call is made."""
        self._requested = True
        if at_once or not self._rest.isActive():
            self._on_rested()

    def _on_rested(self) -> None:
        if self._requested:
            self._requested = False
            if rest := self._call():
                self._rest.start(rest)


class IdleScheduler(QObject):
    """Does one piece of work at a time, once the person has paused.

    As soon as anything else is wanted, be it a job or a part of a picture, the piece is stopped,
    and what it did is lost. It is asked for again after the next pause: `begin` calls `submit` if
    there is something to do.
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
        """Call `begin` now, but after a pause if anything else is wanted."""
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
        """Do a piece of work, and tell what came of it unless it had to make room.

        Whatever is wrong with the file is left to what the person does with it, by default.
        """
        self._latest.ask(work, on_result, on_error, urgency=Urgency.ASIDE)

    def stop(self) -> None:
        """Stop, and do not begin again."""
        self._pause.stop()
        self._latest.cancel()

    def _make_room(self) -> None:
        if self._latest.task is not None or self._pause.isActive():
            self._latest.cancel()
            self._pause.start()
