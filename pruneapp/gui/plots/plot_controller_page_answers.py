"""Questions of the pages of pictures: a newer one of the same kind takes the place of the older."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject

from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.gui.plots.pages import Page, PicturePages
from pruneapp.progress import Job

T = TypeVar("T")


class LatestRequest(QObject):
    """Has questions answered in the background, and says on its page if that does not work.

    Parameters
    ----------
    jobs
        Where answers are found.
    pages
        The pictures.

    Attributes
    ----------
    known
        Pages that show what is true, or are about to.
    """

    def __init__(self, jobs: Jobs, pages: PicturePages, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._pages = pages
        self._asked: dict[str, Task[Any]] = {}
        self.known: set[Page] = set()

    def ask(
        self, kind: str, work: Callable[[Job], T], done: Callable[[T], None], page: Page | None
    ) -> None:
        """Ask, and no longer what was asked of this kind before.

        Parameters
        ----------
        kind
            Of which one question at a time is worth an answer.
        work, done
            Finds the answer in the background, and shows it.
        page
            Where is said that it could not be found; None for nowhere.
        """
        self.cancel(kind)

        def say(text: str) -> None:
            if page is not None:
                self.known.discard(page)
                self._pages.set_busy(page, False)
                self._pages.set_error(page, text)

        def over() -> None:
            if self._asked.get(kind) is task:
                del self._asked[kind]

        def found(answer: T) -> None:
            over()
            done(answer)

        def failed(error: PruneAppError) -> None:
            over()
            say(str(error))

        def ended() -> None:
            over()
            if task.error is not None and not task.token.cancelled:  # a bug, reported elsewhere
                say(self.tr("This view could not be computed."))

        task = self._jobs.answer(work, on_result=found, on_error=failed, on_cancelled=ended)
        self._asked[kind] = task

    def under_way(self, kind: str) -> bool:
        """Whether an answer of this kind is being found."""
        return kind in self._asked

    def cancel(self, kind: str) -> None:
        """Ask no longer what was asked of this kind."""
        older = self._asked.pop(kind, None)
        if older is not None:
            older.cancel()

    def forget(self) -> None:
        """Ask nothing any more; no page shows what is true."""
        for kind in tuple(self._asked):
            self.cancel(kind)
        self.known.clear()
