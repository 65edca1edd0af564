"""Pruning by hand: a gesture on a picture becomes one step of the history.

Masks are made in the background, because those of a large model take longer than a frame. That is
done by the executor of the pictures and not by the worker: nobody waits with a gesture for an
export. Gestures are done one after another, each on what the one before left.
"""

from __future__ import annotations

from collections import deque
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from pruneapp.answers import Gesture
from pruneapp.document.document import Document
from pruneapp.document.hand import (
    HandEdit,
    HandPreview,
    alike,
    complete_channels,
    compute_hand,
    with_companions,
)
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError
from pruneapp.gui.jobs import Jobs
from pruneapp.gui.session import Session
from pruneapp.gui.theme import Appearance
from pruneapp.gui.views.alike_dialog import AlikeDialog, Meant
from pruneapp.gui.views.parts import numbers
from pruneapp.progress import Job


class Editing(QObject):
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
        self, session: Session, jobs: Jobs, appearance: Appearance, window: QWidget
    ) -> None:
        super().__init__(window)
        self._session = session
        self._jobs = jobs
        self._appearance = appearance
        self._window = window
        self._waiting: deque[Gesture] = deque()
        self._working = False
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
            return compute_hand(snapshot, complete_channels(snapshot, None, job), job)

        def done(preview: HandPreview) -> None:
            if self._session.document is document:
                self._put(preview)

        self._jobs.submit(
            self.tr("Looking for channels"),
            work,
            on_result=done,
            on_error=self._session.refused.emit,
        )

    def _go_on(self) -> None:
        document = self._session.document
        if document is None or self._working or self.dialog is not None or not self._waiting:
            return
        gesture = self._waiting.popleft()
        snapshot = document.snapshot()
        everywhere, companions = self.in_every_block, self.with_companions

        def work(job: Job) -> HandPreview:
            edit = _edit(snapshot, gesture, everywhere=everywhere)
            if companions:
                edit = with_companions(snapshot.checkpoint, edit)
            return compute_hand(snapshot, edit, job)

        self._working = True
        self._jobs.answer(
            work,
            on_result=partial(self._on_computed, document, gesture, everywhere),
            on_error=partial(self._on_refused, document),
            on_cancelled=self._on_nothing,
        )

    def _on_computed(
        self, document: Document, gesture: Gesture, everywhere: bool, preview: HandPreview
    ) -> None:
        self._working = False
        if self._session.document is not document:
            pass  # it was meant for a file that is gone; gestures for the next one may wait
        elif preview.revision != document.revision:
            self._waiting.appendleft(gesture)  # something else was done or undone meanwhile
        elif everywhere and len(preview.numbers.tensors) > 1:
            self._show(preview)
        else:
            self._put(preview)
        self._go_on()

    def _put(self, preview: HandPreview) -> None:
        if self._session.edit(preview):
            self.done.emit(preview)

    def _on_refused(self, document: Document, error: PruneAppError) -> None:
        self._working = False
        if self._session.document is document:
            self._session.refused.emit(error)
        self._go_on()

    def _on_nothing(self) -> None:
        self._working = False

    def _on_closed(self) -> None:
        self._waiting.clear()
        if self.dialog is not None:
            self.dialog.reject()

    # -- in every block -------------------------------------------------------------------------

    def _show(self, preview: HandPreview) -> None:
        document = self._session.document
        if document is None:
            return
        by_name = self._session.by_name
        meant = [
            Meant(by_name[t.name].shown, t.chosen, t.changed, t.spared, t.final)
            for t in preview.numbers.tensors
        ]
        pattern = alike(document.checkpoint, preview.edit.names[0]).pattern
        dialog = AlikeDialog(pattern, meant, self._action(preview), self._window)
        dialog.accepted.connect(partial(self._put, preview))
        dialog.finished.connect(self._on_dialog_finished)
        self._appearance.dress(dialog)
        self.dialog = dialog
        dialog.open()

    def _on_dialog_finished(self, _result: int) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None
        self._go_on()

    def _action(self, preview: HandPreview) -> str:
        text = {
            "prune": self.tr("Prune {what} in {n} tensors"),
            "restore": self.tr("Restore {what} in {n} tensors"),
            "protect": self.tr("Protect {what} in {n} tensors"),
            "release": self.tr("Release {what} in {n} tensors"),
        }[preview.edit.operation]
        what = preview.edit.units() or self.tr("{n} weights").format(
            n=numbers.count(preview.numbers.changed)
        )
        changing = sum(1 for tensor in preview.numbers.tensors if tensor.changed)
        return text.format(what=what, n=numbers.count(changing))


def _edit(snapshot: Snapshot, gesture: Gesture, *, everywhere: bool) -> HandEdit:
    names = alike(snapshot.checkpoint, gesture.name).names if everywhere else (gesture.name,)
    return HandEdit.from_gestures(
        *(
            Gesture(gesture.operation, name, gesture.boxes, gesture.shape, gesture.dim)
            for name in names
        )
    )
