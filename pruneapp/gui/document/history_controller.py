"""Undo, redo, jumps, and naming and deletion of states.

A state whose masks are in memory is applied immediately. Masks on disk are read in the background
first; masks that exceed the memory limit are moved to disk.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QInputDialog, QLineEdit

from pruneapp.document.document import Document, DocumentChanged, HistoryItem
from pruneapp.document.edit import Edit, Proposal
from pruneapp.document.history import LONGEST_NAME, Branch
from pruneapp.document.mask_store import Fetch, SpillResult
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import HistoryError, PruneAppError, StaleError
from pruneapp.gui.app import dialogs
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.jobs import Jobs, Task
from pruneapp.gui.document.history_view import HistoryStrip
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.widgets.controls import single_shot
from pruneapp.gui.widgets.engine_text import numbered_title
from pruneapp.gui.widgets.number_format import plural, size
from pruneapp.progress import Job

# How many masks of discarded states are released per event loop iteration, which takes 2 ms.
SLICE = 4_000


class HistoryController(QObject):
    """Undo, redo and jumps in the history of the open document."""

    def __init__(self, session: OpenDocument, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._target = -1
        self._reading: Task[Any] | None = None
        self._writing: Task[SpillResult] | None = None
        self._full_reported = False
        self._release_timer = single_shot(self, 0, self._release_masks)
        session.opened.connect(self._on_opened)
        session.changed.connect(self._on_changed)
        session.closed.connect(self._on_closed)

    def undo(self) -> None:
        """Undo the last step."""
        self._go_steps(-1)

    def redo(self) -> None:
        """Redo the next step."""
        self._go_steps(1)

    def jump(self, position: int, then: Callable[[], object] = lambda: None) -> None:
        """Go to the state `position`, and call `then` once that has succeeded."""
        document = self._session.document
        if document is None or not 0 <= position < len(document.items):
            return
        self._stop_reading()

        def go_to_position() -> None:
            if self._session.jump(position):
                then()

        fetch = document.history.missing(position)
        if fetch is None:
            go_to_position()
        else:
            self._read(document, position, fetch, go_to_position)

    def _go_steps(self, steps: int) -> None:
        document = self._session.document
        if document is not None:
            # While masks are being read, another key press continues from the target state.
            at = document.position if self._reading is None else self._target
            to = document.branches.next(at) if steps > 0 else document.branches.parent(at)
            if to != at:
                self.jump(to)

    # -- the disk -------------------------------------------------------------------------------

    def _read(
        self, document: Document, position: int, fetch: Fetch, go_to_position: Callable[[], None]
    ) -> None:
        self._target = position
        undone, redone = document.branches.route(document.position, position)
        title = self.tr("Redoing") if redone else self.tr("Undoing")
        self._reading = self._jobs.run(
            fetch.run,
            on_result=partial(self._on_read, document, document.revision, go_to_position),
            on_error=self._on_unreadable,
            on_cancelled=self._on_not_read,
            title=self.tr("Switching branches") if undone and redone else title,
        )

    def _on_read(
        self, document: Document, revision: int, go_to_position: Callable[[], None], masks: Any
    ) -> None:
        self._reading = None
        if document is self._session.document and document.revision == revision:
            document.history.finish_fetch(masks)
            go_to_position()

    def _on_unreadable(self, error: PruneAppError) -> None:
        self._reading = None
        self._session.refused.emit(error)

    def _on_not_read(self) -> None:
        # Cancelled by the user, or failed by a bug; not if it was replaced by another jump.
        task = self._reading
        if task is not None and (task.token.cancelled or task.error is not None):
            self._reading = None

    def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _on_opened(self) -> None:
        document = self._session.document
        assert document is not None
        document.history.patient = False
        self._full_reported = False
        self._spill_masks()

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.kind == "deleted":
            self._stop_reading()  # states were renumbered, or deleted
        self._release_masks()

    def _release_masks(self) -> None:
        document = self._session.document
        if document is None:
            return
        if document.history.forget_cut_off(SLICE):
            self._release_timer.start()  # user input is processed first
        else:
            self._spill_masks()

    def _spill_masks(self) -> None:
        document = self._session.document
        spill = None if document is None else document.history.spill()
        if document is None or spill is None:
            return
        # On the executor, as the worker thread must stay free for the user's commands.
        self._writing = self._jobs.run(
            spill.run,
            on_result=partial(self._on_written, document),
            on_error=self._session.refused.emit,
        )

    def _on_written(self, document: Document, written: SpillResult) -> None:
        if document is self._session.document:
            document.history.finish_spill(written)
            self._spill_masks()  # pruned in the meantime
            if not written.complete:
                self._report_full(written.why_not)

    def _report_full(self, why: str) -> None:
        if not self._full_reported:  # once per file, not after every step
            self._full_reported = True
            error = HistoryError(
                f"Older states of the history cannot be moved to disk and stay in memory: {why}.",
                remedy="Undo still works. Free disk space, or export and reopen the file before "
                "memory runs low.",
            )
            self._session.refused.emit(error)

    def _on_closed(self) -> None:
        for task in (self._reading, self._writing):
            if task is not None:
                task.cancel()
        self._reading = self._writing = None


# With 10,000 tensors a single step takes longer than this, in seconds, and 200 steps take seconds.
# The event loop runs after each such period of applying steps.
TURN_S = 0.01

Make = Callable[[Snapshot, Job], tuple[Edit, ...]]


class StepSequence(QObject):
    """Computes steps from the current state and appends each to the history."""

    def __init__(self, session: OpenDocument, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._left: deque[Edit] = deque()
        self._count = self._revision = 0
        self._done: Callable[[int], None] | None = None
        self._apply_timer = single_shot(self, 0, self._apply_next)
        session.closed.connect(self._stop)

    def begin(
        self, title: str, make: Make, *, done: Callable[[int], None], too_late: StaleError
    ) -> None:
        """Compute steps in the worker thread and apply them.

        Parameters
        ----------
        make
            Returns the steps for a snapshot; runs in the worker thread.
        done
            Called with the number of steps once all of them are applied.
        too_late
            Reported if the document has changed while the steps were computed; none is applied
            then.
        """
        document = self._session.document
        if document is None or not self._session.may_work():
            return
        snapshot = document.snapshot()

        def apply_edits(edits: tuple[Edit, ...]) -> None:
            if document.revision != snapshot.revision:
                self._session.refused.emit(too_late)
                return
            self._left, self._count = deque(edits), len(edits)
            self._revision, self._done = snapshot.revision, done
            self._apply_next()

        self._session.work(title, partial(make, snapshot), apply_edits)

    def _apply_next(self) -> None:
        document, done = self._session.document, self._done
        if document is None or done is None:
            return
        if document.revision != self._revision:
            error = StaleError(
                f"The history changed after {self._count - len(self._left)} of "
                f"{self._count} steps; the remaining steps were not applied.",
                remedy="Undo and try again.",
            )
            self._session.refused.emit(error)
            self._stop()
            return
        ends = time.perf_counter() + TURN_S
        while self._left:
            if not self._session.commit(Proposal(self._revision, self._left[0])):
                self._stop()
                return
            self._left.popleft()
            self._revision = document.revision
            if time.perf_counter() >= ends:
                break
        if self._left:
            self._apply_timer.start()
            return
        count = self._count
        self._stop()
        done(count)

    def _stop(self) -> None:
        self._apply_timer.stop()
        self._left.clear()
        self._done = None


class BranchController(Controller):
    """Renames states of the open document, and deletes branches."""

    def __init__(self, context: AppContext, session: OpenDocument, view: HistoryStrip) -> None:
        super().__init__(context)
        self._session = session
        view.renameRequested.connect(self.ask_name)
        view.deleteRequested.connect(self.ask_delete)

    @Slot(int)
    def ask_name(self, state: int) -> None:
        """Let the user rename a state; the initial state 0 has no name."""
        document = self._session.document
        if document is None or not 0 < state < len(document.items):
            return
        item = document.items[state]
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(self.tr("Rename state"))
        dialog.setLabelText(self.tr("Name of this state; leave it empty to show the step:"))
        dialog.setTextValue(item.name)
        if (line := dialog.findChild(QLineEdit)) is not None:
            line.setMaxLength(LONGEST_NAME)  # longer names would be cut without notice
        dialog.setOkButtonText(self.tr("Rename"))
        dialog.setCancelButtonText(self.tr("Cancel"))
        dialog.textValueSelected.connect(partial(self._rename, document, item))
        dialog.finished.connect(dialog.deleteLater)
        self._session.closed.connect(dialog.reject)
        self._theme.apply_to(dialog)
        dialog.open()

    def _rename(self, document: Document, item: HistoryItem, name: str) -> None:
        state = self._current_number(document, item)
        if state > 0:
            self._session.rename(state, name)

    @Slot(int)
    def ask_delete(self, state: int) -> None:
        """Delete a state and the states after it, after asking the user."""
        document = self._session.document
        if document is None or not 0 < state < len(document.items) or not self._session.may_work():
            return
        try:
            branch = document.history.branch(state)
        except PruneAppError as error:
            self._session.refused.emit(error)
            return
        item = document.items[state]
        # In the background, as counting takes a while with 100,000 tensors.
        self._session.work(
            self.tr("Deleting a branch"), branch.freed, partial(self._ask, document, item, branch)
        )

    def _ask(self, document: Document, item: HistoryItem, branch: Branch, freed: int) -> None:
        more = len(branch.states) - 1
        following = plural(
            more,
            self.tr("The state that follows it is deleted, too."),
            self.tr("The {n} states that follow it are deleted, too."),
        )
        what = self._session.contents.short.in_text(numbered_title(branch.states[0], item))
        if dialogs.delete_branch(
            self._window, what, following=following if more else "", freed=size(freed)
        ):
            state = self._current_number(document, item)
            if state > 0:
                self._session.delete(state)

    def _current_number(self, document: Document, item: HistoryItem) -> int:
        """Return the current number of a state; -1 if it was deleted or another file is open."""
        items = document.items if document is self._session.document else ()
        return next((state for state, each in enumerate(items) if each is item), -1)
