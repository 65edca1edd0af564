"""Steps that are made in the worker one after another, and put in force together."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer

from pruneapp.document.document import Document
from pruneapp.document.edit import Edit
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError, StaleError
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.progress import Job

# Of 10,000 tensors one step takes longer than this, and 200 steps take seconds: so long steps are
# put in force before the window looks what else there is.
TURN_S = 0.01

Make = Callable[[Snapshot, Job], tuple[Edit, ...]]


class StepSequence(QObject):
    """Has steps made of the state in force, and makes each a step of the history.

    Parameters
    ----------
    session, jobs
        The document, and where steps are made.
    """

    def __init__(self, session: OpenDocument, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._left: deque[Edit] = deque()
        self._count = self._revision = 0
        self._done: Callable[[int], None] | None = None
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._go_on)
        session.closed.connect(self._stop)

    def begin(
        self, title: str, make: Make, *, done: Callable[[int], None], too_late: StaleError
    ) -> None:
        """Make steps, and put them in force.

        Parameters
        ----------
        title
            What the status bar says meanwhile.
        make
            A plain function, run in the worker.
        done
            Told how many steps there are, once all of them are in force.
        too_late
            Why none of them is, if something else was done while they were made.
        """
        document = self._session.document
        if document is None or not self._session.may_work():
            return
        snapshot = document.snapshot()
        self._jobs.submit(
            title,
            partial(make, snapshot),
            on_result=partial(self._put, document, snapshot.revision, done, too_late),
            on_error=self._session.refused.emit,
        )

    def _put(
        self,
        document: Document,
        revision: int,
        done: Callable[[int], None],
        too_late: StaleError,
        edits: tuple[Edit, ...],
    ) -> None:
        if self._session.document is not document:
            return  # they were meant for a file that is gone
        if document.revision != revision:
            self._session.refused.emit(too_late)
            return
        self._left, self._count = deque(edits), len(edits)
        self._revision, self._done = revision, done
        self._go_on()

    def _go_on(self) -> None:
        document, done = self._session.document, self._done
        if document is None or done is None:
            return
        if document.revision != self._revision:
            self._session.refused.emit(self._cut_short())
            self._stop()
            return
        ends = time.perf_counter() + TURN_S
        while self._left:
            if not self._session.put_all((self._left[0],), self._revision):
                self._stop()
                return
            self._left.popleft()
            self._revision = document.revision
            if time.perf_counter() >= ends:
                break
        if self._left:
            self._turn.start()
            return
        count = self._count
        self._stop()
        done(count)

    def _cut_short(self) -> PruneAppError:
        return StaleError(
            f"The history changed after {self._count - len(self._left)} of "
            f"{self._count} steps; the remaining steps were not applied.",
            remedy="Undo and try again.",
        )

    def _stop(self) -> None:
        self._turn.stop()
        self._left.clear()
        self._done = None
