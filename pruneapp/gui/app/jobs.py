"""Work off the main thread: pure functions of frozen arguments that report and can be cancelled.

One worker thread owns what is serial by nature (opening, previews, pruning, export); one small
executor answers pictures and counts, so that a long prune never blocks a picture. Its second
thread is for answers that import torch (which devices, which methods there are). Numbers that a
moving slider waits for have a thread of their own: behind two tiles they came too late. Results
come back on the main thread, and only there are callbacks called: a lambda connected to a
worker's signal would run in the worker, so the only connections are to bound methods of `Jobs`.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import Enum, auto
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs_tasks import JobProgress, Task, Worker, run
from pruneapp.progress import Cancelled, Job

T = TypeVar("T")

# Ours end within a quarter of a second, unless a disk has to finish a write first.
PATIENCE_MS = 10_000
DEAF_MS = 3_000


class Urgency(Enum):
    """How soon somebody needs an answer.

    Attributes
    ----------
    AT_ONCE
        A moving slider waits for it: it goes behind no picture.
    SOON
        Somebody waits for it: who works aside is asked to make room.
    ASIDE
        Nobody waits for it.
    """

    AT_ONCE = auto()
    SOON = auto()
    ASIDE = auto()


class Jobs(QObject):
    """Starts work in the background and brings its results back to the main thread.

    Signals
    -------
    started(str)
        Another visible task is the one that is worked on, or waited for; its title. One that
        waits behind it is told of in its turn, so that progress is never that of another.
    progressed(JobProgress)
        The visible task got on.
    asked()
        Something is wanted soon: what is done aside ought to make room.
    idle()
        No visible task is left.
    failed(str, str)
        A bug: sentence and traceback, to be shown as a report.
    stuck(str)
        A task, by its title, does not end although it was cancelled some seconds ago; said once.
    unstuck()
        It has ended after all.
    """

    started = Signal(str)
    progressed = Signal(object)
    asked = Signal()
    idle = Signal()
    failed = Signal(str, str)
    stuck = Signal(str)
    unstuck = Signal()

    _wake = Signal()
    _answered = Signal(object)
    _reported = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = QThread()
        self._thread.setObjectName("pruneapp-worker")
        self._worker = Worker()
        self._worker.moveToThread(self._thread)
        self._wake.connect(self._worker.run_next)
        self._worker.progressed.connect(self._on_progressed)
        self._worker.ended.connect(self._on_ended)
        self._answered.connect(self._on_ended)
        self._reported.connect(self._on_progressed)
        self._executor = ThreadPoolExecutor(2, thread_name_prefix="pruneapp-pictures")
        self._numbers = ThreadPoolExecutor(1, thread_name_prefix="pruneapp-numbers")
        self._pending: list[Task[Any]] = []
        self._thread.start()
        self._deaf: Task[Any] | None = None
        self._stuck: Task[Any] | None = None
        self._listen = QTimer(self)
        self._listen.setInterval(DEAF_MS)
        self._listen.timeout.connect(self._look_for_deaf)
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
    ) -> Task[T]:
        """Queue work for the one worker; callbacks are called on the main thread.

        Parameters
        ----------
        title
            What it is, for the status bar: "Pruning", "Exporting".
        work
            A plain function; must step its `Job` at least every 50 ms.
        on_late
            Called with a result that comes although it was cancelled, to let go of what it holds.
        visible
            Whether the status bar shows it.
        writes
            Whether it may have to wait for a disk before it can stop.
        """
        self.make_room()
        task: Task[T] = Task(
            title, work, on_result, on_error, on_cancelled, visible, writes, on_late
        )
        waits = self.busy
        self._pending.append(task)
        self._worker.tasks.put(task)
        if visible and not waits:
            self.started.emit(title)
        self._wake.emit()
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
        executor = self._numbers if urgency is Urgency.AT_ONCE else self._executor
        executor.submit(self._answer, task)
        return task

    def make_room(self) -> None:
        """Ask those who work aside to wait: something is wanted soon."""
        self.asked.emit()

    def show(self, task: Task[Any], title: str) -> None:
        """Let the status bar show a task that runs already."""
        if task in self._pending and not task.visible:
            task.visible, task.title = True, title
            if self._first_visible is task:
                self.started.emit(title)

    def cancel_visible(self) -> bool:
        """Cancel what the status bar shows; False if there is nothing."""
        visible = [task for task in self._pending if task.visible]
        for task in visible:
            task.cancel()
            if not task.begun:  # nobody has to wait for the one that it waits for
                self._on_ended(task)
        return bool(visible)

    @property
    def busy(self) -> bool:
        """Whether a visible task is under way."""
        return self._first_visible is not None

    @property
    def _first_visible(self) -> Task[Any] | None:
        return next((task for task in self._pending if task.visible), None)

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
        stopped, self._pending = self._pending, []
        for task in stopped:
            task.cancel()
        for executor in (self._executor, self._numbers):
            executor.shutdown(wait=True, cancel_futures=True)
        self._thread.quit()
        ended = self._thread.wait(patience_ms)
        if ended:
            for task in stopped:
                task.release()
        return ended

    @Slot()
    def _look_for_deaf(self) -> None:
        found = next((t for t in self._pending if t.begun and t.token.cancelled), None)
        if found is not None and found is self._deaf and found is not self._stuck:
            self._stuck = found
            self.stuck.emit(found.title)
        self._deaf = found

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
        try:
            if task in self._pending:  # not stopped meanwhile
                self._pending.remove(task)
                self._tell(task)
        finally:
            if task is self._stuck:
                self._stuck = None
                self.unstuck.emit()
            task.release()

    def _tell(self, task: Task[Any]) -> None:
        if task.visible:
            following = self._first_visible
            if following is None:
                self.idle.emit()
            else:
                self.started.emit(following.title)
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
