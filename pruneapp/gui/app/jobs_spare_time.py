"""Work that nobody waits for, done in the background while nothing else is wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer

from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs import Jobs, Urgency
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.progress import Job

T = TypeVar("T")


class IdleScheduler(QObject):
    """Does one piece of work at a time, once the person has paused.

    As soon as anything else is wanted, be it a job or a part of a picture, the piece is stopped,
    and what it did is lost. It is asked for again after the next pause.

    Parameters
    ----------
    jobs
        Where work is done, and who says when something else is wanted.
    pause_ms
        How long nothing may have been wanted.
    begin
        Called when there is time; calls `do` if there is something to do.
    """

    def __init__(
        self, jobs: Jobs, pause_ms: int, begin: Callable[[], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._begin = begin
        self._task: Task[Any] | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(pause_ms)
        self._pause.timeout.connect(self.go_on)
        jobs.asked.connect(self._make_room)

    def soon(self) -> None:
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

    def do(
        self,
        work: Callable[[Job], T],
        *,
        on_result: Callable[[T], None],
        on_error: Callable[[PruneAppError], None],
    ) -> None:
        """Do a piece of work, and tell what came of it unless it had to make room."""

        def over() -> None:
            if self._task is task:
                self._task = None

        def done(result: T) -> None:
            over()
            on_result(result)

        def failed(error: PruneAppError) -> None:
            over()
            on_error(error)

        task = self._jobs.answer(
            work, on_result=done, on_error=failed, on_cancelled=over, urgency=Urgency.ASIDE
        )
        self._task = task

    def stop(self) -> None:
        """Stop, and do not begin again."""
        self._pause.stop()
        self._cancel()

    def _make_room(self) -> None:
        if self._task is not None or self._pause.isActive():
            self._cancel()
            self._pause.start()

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
