"""Opens files in the worker, of which the newest that is asked for counts."""

from __future__ import annotations

from functools import partial
from operator import methodcaller

from PySide6.QtCore import QObject, Signal

from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.gui.files.loader_loading import Opened, Prepare, load
from pruneapp.sessions.open_path import OpenRequest


class FileLoader(QObject):
    """Opens one file at a time; what comes too late is closed again.

    Parameters
    ----------
    jobs
        Where files are opened.
    prepare
        See `load`.

    Signals
    -------
    opened(Opened)
        The file that was asked for last is open; whoever hears of it closes it.
    failed(PruneAppError, Wish)
        It cannot be opened.
    ended()
        Nothing came of it: it failed, was cancelled, or met a bug of ours.
    """

    opened = Signal(object)
    failed = Signal(object, object)
    ended = Signal()

    def __init__(self, jobs: Jobs, prepare: Prepare, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._prepare = prepare
        self._task: Task[Opened] | None = None

    @property
    def busy(self) -> bool:
        """Whether a file is being opened."""
        return self._task is not None

    def open(self, wish: OpenRequest) -> None:
        """Open a checkpoint, a session, or work that was left behind, and nothing asked before."""
        if self._task is not None:
            self._task.cancel()
        self._task = self._jobs.submit(
            self.tr("Opening"),
            partial(load, wish, self._prepare),
            on_result=self._on_opened,
            on_error=partial(self._on_error, wish),
            on_cancelled=self._on_cancelled,
            on_late=methodcaller("close"),
        )

    def _on_opened(self, opened: Opened) -> None:
        self._task = None
        self.opened.emit(opened)

    def _on_error(self, wish: OpenRequest, error: PruneAppError) -> None:
        self._task = None
        self.failed.emit(error, wish)
        self.ended.emit()

    def _on_cancelled(self) -> None:
        task = self._task
        if task is not None and not task.token.cancelled and task.error is None:
            return  # dropped for a newer one, which is still under way
        self._task = None
        self.ended.emit()
