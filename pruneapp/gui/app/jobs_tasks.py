"""One piece of work: what is to be done, who is told, and what came of it; run in any thread."""

from __future__ import annotations

import queue
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from pruneapp.errors import PruneAppError
from pruneapp.progress import Cancelled, CancelToken, Job

T = TypeVar("T")

# Progress reaches the window at most so often; more would only make it repaint.
REPORT_EVERY_S = 0.04


@dataclass(frozen=True)
class JobProgress:
    """How far the running job is.

    Attributes
    ----------
    title
        What it is: "Pruning".
    label
        What is worked on now: a tensor, a file.
    done, total
        Units of work; `total` is 0 while it is unknown.
    """

    title: str
    label: str
    done: int
    total: int


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
    token: CancelToken = field(default_factory=CancelToken)
    begun: bool = False
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
    """Turns the steps of a job into a few signals a second; lives in the worker's thread."""

    def __init__(self, task: Task[Any], emit: Callable[[JobProgress], None]) -> None:
        self._task = task
        self._emit = emit
        self._last = 0.0

    def report(self, done: int, total: int, label: str) -> None:
        """Emit, unless the last signal is too young."""
        now = time.monotonic()
        if not self._task.visible or now - self._last < REPORT_EVERY_S:
            return
        self._last = now
        self._emit(JobProgress(self._task.title, label, done, total))


class Worker(QObject):
    """Runs tasks one after another in the thread that it lives in."""

    progressed = Signal(object)
    ended = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.tasks: queue.SimpleQueue[Task[Any]] = queue.SimpleQueue()

    @Slot()
    def run_next(self) -> None:
        """Run the task that was queued for this call."""
        task = self.tasks.get()
        run(task, self.progressed.emit)
        self.ended.emit(task)


def run(task: Task[Any], emit: Callable[[JobProgress], None]) -> None:
    """Do a task in this thread, and keep in it what came of it.

    Parameters
    ----------
    task
        Cancelled before it begins, it does nothing.
    emit
        Told how far it is, not too often.
    """
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
    found: BaseException | None = error
    while found is not None:
        found.__traceback__ = None
        found = found.__cause__ or found.__context__
    return error
