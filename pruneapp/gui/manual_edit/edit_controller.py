"""Gestures to edits; companions; every block.

Pruning by hand: a gesture on a picture becomes one step of the history.

Masks are made in the background, because those of a large model take longer than a frame. That is
done by the executor of the pictures and not by the worker: nobody waits with a gesture for an
export. Gestures are done one after another, each on what the one before left.

What may be meant beside what is drawn by hand, for the tensor in focus.

What is done by hand, and the commands for it.
"""

from __future__ import annotations

from collections import deque
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from pruneapp.document.document import Document
from pruneapp.document.selection import Alike, alike
from pruneapp.edits.apply_manual_edit import HandPreview, compute_hand
from pruneapp.edits.coupled_tensors import Companion, Companions, complete_channels
from pruneapp.errors import PruneAppError, SelectionError
from pruneapp.gui.app.jobs import Jobs, Task
from pruneapp.gui.app.settings import WITH_COMPANIONS, Settings
from pruneapp.gui.commands.actions import Actions
from pruneapp.gui.compare.combine_controller import CombineController
from pruneapp.gui.compare.compare_controller import CompareController
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.mainwindow.status_controller import StatusController
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.manual_edit.edit_views import AlikeDialog
from pruneapp.gui.manual_edit.edit_worker import EditResult, make
from pruneapp.gui.manual_edit.zeros_controller import ZerosController
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.plots.plot_controller import PlotController
from pruneapp.gui.preview.histogram_controller import HistogramController
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.theme import ThemeManager
from pruneapp.progress import Job
from pruneapp.results.document_rows import Gesture, Operation

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
            return compute_hand(snapshot, complete_channels(snapshot, None, job), job)

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
        if self._session.commit(preview):
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
        }[preview.numbers.operation]
        what = made.units or self.tr("{n} weights").format(
            n=number_format.count(preview.numbers.changed)
        )
        changing = sum([tensor.changed > 0 for tensor in made.meant])
        return text.format(what=what, n=number_format.count(changing))


Offer = tuple[Alike, tuple[Companion, ...]]


class EditOptions(QObject):
    """Keeps the check boxes below the picture, and their commands, true.

    Parameters
    ----------
    session, jobs, looking
        The document, where names are looked through, and the tensor in focus.
    editing
        Told what is meant.
    views, actions
        The check boxes and the commands that are the same.
    settings
        Remember whether companions are wanted.
    """

    def __init__(
        self,
        session: OpenDocument,
        jobs: Jobs,
        looking: PlotController,
        editing: EditController,
        *,
        views: DocumentViews,
        actions: Actions,
        settings: Settings,
    ) -> None:
        super().__init__(editing)
        self._session = session
        self._jobs = jobs
        self._looking = looking
        self._editing = editing
        self._view = views.hand_options
        self._settings = settings
        self._everywhere: QAction = actions["in_every_block"]
        self._companions: QAction = actions["with_companions"]
        self._companions.setChecked(settings.get(WITH_COMPANIONS))
        self._task: Task[Offer] | None = None
        self._pairs: Companions | None = None
        self._everywhere.toggled.connect(self._on_toggled)
        self._companions.toggled.connect(self._on_toggled)
        self._view.everywhereWanted.connect(self._everywhere.setChecked)
        self._view.companionsWanted.connect(self._companions.setChecked)
        looking.focused.connect(self._on_looking)
        views.pages.pageChanged.connect(self._on_page)
        session.closed.connect(self._on_closed)
        self._on_toggled()

    def _on_toggled(self) -> None:
        everywhere, companions = self._everywhere.isChecked(), self._companions.isChecked()
        self._editing.in_every_block = everywhere
        self._editing.with_companions = companions
        self._settings.set(WITH_COMPANIONS, companions)
        self._view.set_wanted(everywhere=everywhere, companions=companions)

    def _on_page(self, page: int) -> None:
        self._view.setVisible(page in {Page.WEIGHTS, Page.CHANNELS})

    def _on_looking(self) -> None:
        if self._task is not None:
            self._task.cancel()
        document, name = self._session.document, self._looking.name
        if document is None or name is None or self._session.by_name[name].why_not:
            self._show_none()
            return
        checkpoint = document.checkpoint
        if self._pairs is None:
            self._pairs = Companions(checkpoint)
        pairs = self._pairs

        def work(_job: Job) -> Offer:
            # Of 100,000 names that takes longer than a frame.
            return alike(checkpoint, name), pairs.of(name)

        self._task = self._jobs.answer(work, on_result=self._show, on_error=self._on_error)

    def _show(self, offer: Offer) -> None:
        found, companions = offer
        shown = self._session.contents.shown
        self._view.set_alike(found.pattern, len(found.names))
        why = " ".join(dict.fromkeys(companion.why for companion in companions))
        self._view.set_companions([shown.get(c.name, c.name) for c in companions], why)

    def _show_none(self) -> None:
        self._view.set_alike("", 1)
        self._view.set_companions((), "")

    def _on_error(self, _error: PruneAppError) -> None:
        self._show_none()

    def _on_closed(self) -> None:
        self._pairs = None
        # Nothing may come into focus after this: a file can be without a tensor.
        if self._task is not None:
            self._task.cancel()
        self._show_none()


class ManualEditController(QObject):
    """Connects pictures and commands with what they do by hand.

    Parameters
    ----------
    window, views
        Whose commands and pictures.
    session, jobs
        The document, and where work is done.
    comparing
        Shows where masks differ.
    looking
        Knows which tensor is in focus.
    counting
        Goes first where a file is looked at in the background.
    telling
        Says what was done.
    appearance, settings
        The colours of dialogs, and what the person wanted before.
    """

    def __init__(
        self,
        window: MainWindow,
        views: DocumentViews,
        session: OpenDocument,
        jobs: Jobs,
        *,
        looking: PlotController,
        comparing: CompareController,
        counting: HistogramController,
        telling: StatusController,
        appearance: ThemeManager,
        settings: Settings,
    ) -> None:
        super().__init__(window)
        self._telling = telling
        self._pages = views.pages
        self.editing = EditController(session, jobs, appearance, window)
        self.offering = EditOptions(
            session,
            jobs,
            looking,
            self.editing,
            views=views,
            actions=window.actions_,
            settings=settings,
        )
        self.zeros = ZerosController(session, jobs, counting, telling=telling, parent=self)
        self.combining = CombineController(session, jobs, comparing, appearance, window)
        self.editing.done.connect(self._say)
        self.combining.done.connect(self._say)
        views.pages.weights.gestureMade.connect(self.editing.do)
        views.pages.channels.gestureMade.connect(self.editing.do)
        window.actions_["treat_zeros"].triggered.connect(self.zeros.treat)
        for name, call in {
            "hand_prune": self._prune,
            "hand_restore": self._restore,
            "hand_protect": self._protect,
            "hand_release": self._release,
        }.items():
            window.actions_[name].triggered.connect(call)
        window.actions_["combine_masks"].triggered.connect(self.combining.ask)
        window.actions_["complete_channels"].triggered.connect(self.editing.complete)

    # -- what is chosen in the picture ----------------------------------------------------------

    def _prune(self) -> None:
        self._do("prune")

    def _restore(self) -> None:
        self._do("restore")

    def _protect(self) -> None:
        self._do("protect")

    def _release(self) -> None:
        self._do("release")

    def _do(self, operation: Operation) -> None:
        pages = self._pages
        if pages.page is Page.CHANNELS and pages.channels.chosen:
            pages.channels.make_gesture(operation)
        elif pages.page is Page.WEIGHTS and pages.weights.canvas.item.cursor is not None:
            pages.weights.operate(operation)
        else:
            self._telling.refuse(
                SelectionError(
                    "Nothing is selected.",
                    remedy="Select channels or weights in the picture; see Help > Keyboard "
                    "shortcuts.",
                )
            )

    def _say(self, preview: HandPreview) -> None:
        text, found = preview.edit.label, preview.numbers
        if found.spared:
            text = self.tr("{done}; {n} protected weights unchanged").format(
                done=text, n=number_format.count(found.spared)
            )
        elif 0 < found.final < found.changed:  # of all of them the label says it
            text = self.tr("{done}; {n} weights made permanent earlier are still 0").format(
                done=text, n=number_format.count(found.final)
            )
        self._telling.say_done(text)
