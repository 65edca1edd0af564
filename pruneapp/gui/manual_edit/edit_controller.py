"""Pruning by hand: a gesture on a picture becomes one step of the history.

Masks are made in the background, because those of a large model take longer than a frame. That is
done by the executor of the pictures and not by the worker: nobody waits with a gesture for an
export. Gestures are done one after another, each on what the one before left.
"""

from __future__ import annotations

from collections import deque
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from pruneapp.document.document import Document
from pruneapp.edits.apply_manual_edit import HandPreview
from pruneapp.edits.coupled_tensors_complete import complete_channels
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.jobs import Jobs
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.manual_edit.edit_views import AlikeDialog
from pruneapp.gui.manual_edit.edit_worker import EditResult, make, prepared
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.theme import ThemeManager
from pruneapp.progress import Job
from pruneapp.results.document_rows import Gesture

# A gesture that takes longer is shown in the status bar, and can be cancelled there.
SLOW_MS = 200


class EditController(QObject):
    """Does what gestures say.

    Parameters
    ----------
    session, jobs
        The document, and where masks are made.
    appearance
        The colours of the dialog.
    window
        Its parent.

    Attributes
    ----------
    in_every_block
        Whether a gesture is meant for all tensors of the same role; they are shown first.
    with_companions
        Whether what is done to channels is done to their bias and norm as well.
    dialog
        What shows them; None while nothing is asked.

    Signals
    -------
    done(HandPreview)
        What was done.
    """

    done = Signal(object)

    def __init__(
        self, session: OpenDocument, jobs: Jobs, appearance: ThemeManager, window: QWidget
    ) -> None:
        super().__init__(window)
        self._session = session
        self._jobs = jobs
        self._appearance = appearance
        self._window = window
        self._waiting: deque[Gesture] = deque()
        self._working = False
        self._task: Task[EditResult] | None = None
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(SLOW_MS)
        self._slow.timeout.connect(self._show_slow)
        self.in_every_block = self.with_companions = False
        self.dialog: AlikeDialog | None = None
        session.closed.connect(self._on_closed)

    def do(self, gesture: Gesture) -> None:
        """Do what a gesture says, after those that came before it."""
        if self._session.document is None or not self._session.may_work():
            return
        self._waiting.append(gesture)
        self._go_on()

    def complete(self) -> None:
        """Prune what bias and norm of pruned channels still hold, whatever pruned these."""
        document = self._session.document
        if document is None or not self._session.may_work():
            return
        snapshot = document.snapshot()

        def work(job: Job) -> HandPreview:
            return prepared(snapshot, complete_channels(snapshot, None, job), job)

        def done(preview: HandPreview) -> None:
            if self._session.document is document:
                self._put(preview)

        self._jobs.submit(
            self.tr("Finding channels"),
            work,
            on_result=done,
            on_error=self._session.refused.emit,
        )

    def _go_on(self) -> None:
        document = self._session.document
        if document is None or self._working or self.dialog is not None or not self._waiting:
            return
        gesture = self._waiting.popleft()
        snapshot, shown = document.snapshot(), self._session.contents.shown
        everywhere, companions = self.in_every_block, self.with_companions
        self._working = True
        self._task = self._jobs.answer(
            lambda job: make(
                snapshot, gesture, shown, job, everywhere=everywhere, companions=companions
            ),
            on_result=partial(self._on_made, document, gesture),
            on_error=partial(self._on_refused, document),
            on_cancelled=self._on_nothing,
        )
        self._slow.start()

    def _show_slow(self) -> None:
        # Of a large model, in every block, a gesture takes seconds.
        if self._task is not None:
            self._jobs.show(self._task, self.tr("Applying manual edit"))

    def _on_made(self, document: Document, gesture: Gesture, made: EditResult) -> None:
        self._end()
        preview = made.preview
        if self._session.document is not document:
            pass  # it was meant for a file that is gone; gestures for the next one may wait
        elif preview.revision != document.revision:
            self._waiting.appendleft(gesture)  # something else was done or undone meanwhile
        elif len(made.meant) > 1:
            self._show(made)
        else:
            self._put(preview)
        self._go_on()

    def _put(self, preview: HandPreview) -> None:
        if self._session.edit(preview):
            self.done.emit(preview)

    def _on_refused(self, document: Document, error: PruneAppError) -> None:
        self._end()
        if self._session.document is document:
            self._session.refused.emit(error)
        self._go_on()

    def _on_nothing(self) -> None:
        self._end()
        self._go_on()

    def _end(self) -> None:
        self._slow.stop()
        self._working, self._task = False, None

    def _on_closed(self) -> None:
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()
        if self.dialog is not None:
            self.dialog.reject()

    # -- in every block -------------------------------------------------------------------------

    def _show(self, made: EditResult) -> None:
        dialog = AlikeDialog(
            made.pattern,
            made.meant,
            self._action(made),
            self._window,
            short=self._session.contents.short,
        )
        dialog.accepted.connect(partial(self._put, made.preview))
        dialog.finished.connect(self._on_dialog_finished)
        self._appearance.dress(dialog)
        self.dialog = dialog
        dialog.open()

    def _on_dialog_finished(self, _result: int) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None
        self._go_on()

    def _action(self, made: EditResult) -> str:
        preview = made.preview
        text = {
            "prune": self.tr("Prune {what} in {n} tensors"),
            "restore": self.tr("Restore {what} in {n} tensors"),
            "protect": self.tr("Protect {what} in {n} tensors"),
            "release": self.tr("Unprotect {what} in {n} tensors"),
        }[preview.edit.operation]
        what = made.units or self.tr("{n} weights").format(
            n=number_format.count(preview.numbers.changed)
        )
        changing = sum([tensor.changed > 0 for tensor in made.meant])
        return text.format(what=what, n=number_format.count(changing))
