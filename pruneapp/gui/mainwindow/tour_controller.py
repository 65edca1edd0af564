"""The tour of the main steps with the sample model, done by the user or by the Next button."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from pruneapp import resources
from pruneapp.document.document import DocumentChanged
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.document.open_document import SAMPLE, OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.mainwindow.tour_view import Highlight, TourBar
from pruneapp.gui.method_form.form_controller import FormController
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.gui.preview.preview_state import PreviewState
from pruneapp.gui.widgets.controls import give_focus, scroll_to

_TENSOR, _AMOUNT = "fc1.weight", 0.5
# Commands that complete a step, by the user alone: they open dialogs.
_COMMANDS = ("evaluate", "repair", "recover", "shrink", "export")


@dataclass(frozen=True)
class _Step:
    """A step of the tour."""

    done: str  # the event that completes the step, see `_on_event`
    title: str
    text: str
    target: Callable[[], QWidget]
    do: Callable[[], object]


class TourController(Controller):
    """Runs the tour: a step is shown until its event occurs, by the user or by the Next button."""

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        views: DocumentViews,
        *,
        form: FormController,
        previews: PreviewController,
        show_page: Callable[[Page], object],
        show_tensor: Callable[[str], object],
        open_sample: Callable[[], object],
        bar: TourBar,
        highlight: Highlight,
        export: QWidget,
        menus: QWidget,
    ) -> None:
        super().__init__(context)
        self._session = session
        self._views = views
        self._form = form
        self._show_page = show_page
        self._show_tensor = show_tensor
        self._open_sample = open_sample
        self._bar = bar
        self._highlight = highlight
        self._export, self._menus = export, menus
        self._steps: tuple[_Step, ...] = ()
        self._index = -1  # index of the current step; -1 if no tour is running
        self._waiting_for_sample = False  # whether the tour starts once the sample is open
        self._form_changed = False  # whether the form was changed during the current step
        self._position = 0
        actions = context.actions
        actions["tour"].triggered.connect(self.start)
        for command in _COMMANDS:
            actions[command].triggered.connect(partial(self._on_event, command))
        bar.nextRequested.connect(self.go_on)
        bar.endRequested.connect(self.end)
        session.opened.connect(self._on_opened)
        session.notOpened.connect(self._on_stayed)
        session.closed.connect(self._on_closed)
        session.changed.connect(self._on_changed)
        form.changed.connect(self._on_form)
        previews.stateChanged.connect(self._on_preview)
        views.tree.focusChanged.connect(partial(self._on_event, "tensor"))
        views.pages.pageChanged.connect(self._on_page)

    @property
    def is_running(self) -> bool:
        return self._index >= 0

    @Slot()
    def start(self) -> None:
        """Start the tour at its first step; opens the sample first unless it is open.

        If opening is cancelled or fails, the tour does not start. During a tour it starts again.
        """
        document = self._session.document
        if document is not None and document.checkpoint.path == resources.path(SAMPLE):
            self._begin()
        else:
            self._waiting_for_sample = True
            self._open_sample()

    @Slot()
    def go_on(self) -> None:
        """Do the current step as the user would; its event then shows the next step.

        A step that was done already, and so has no event, is followed by the next one at once.
        Without effect if no tour is running.
        """
        if not self.is_running:
            return
        at, step = self._index, self._steps[self._index]
        step.do()
        if step.done in {"tensor", "page", *_COMMANDS} and self._index == at:
            self._show(at + 1)  # it had been done already, so that there was no event

    @Slot()
    def end(self) -> None:
        """End the tour and hide its widgets; the focus moves from its bar to the tree.

        A tour that waits for the sample does not start. Without effect if there is none.
        """
        self._index, self._waiting_for_sample, self._steps = -1, False, ()
        self._highlight.set_target(None)
        if self._bar.isVisible():
            here = self._bar.isAncestorOf(self._window.focusWidget() or self._window)
            self._bar.hide()
            if here:
                give_focus(self._views.tree.view)

    # -- the steps ------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._waiting_for_sample = False
        self._steps = self._make_steps()
        self._bar.set_texts(step.text for step in self._steps)
        self._show_page(Page.WEIGHTS)
        self._show(0)
        give_focus(self._bar.next)

    def _make_steps(self) -> tuple[_Step, ...]:
        """Return the steps of the tour in order, in the language of the window.

        Their texts have the shortcuts as they are now.
        """
        views, actions = self._views, self._actions
        return (
            _Step(
                "tensor",
                self.tr("Look at a tensor"),
                self.tr(
                    "The sample is a small network that reads handwritten digits. The tree "
                    "lists its tensors; checked ones will be pruned. Click any tensor."
                ),
                lambda: views.tree.view,
                lambda: self._show_tensor(_TENSOR),
            ),
            _Step(
                "page",
                self.tr("See its weights"),
                self.tr(
                    "The picture shows every weight of the tensor. Open the Distribution tab to "
                    "see how the magnitudes are distributed."
                ),
                lambda: views.pages.tabs,
                lambda: self._show_page(Page.DISTRIBUTION),
            ),
            _Step(
                "preview",
                self.tr("Choose how much to prune"),
                self.tr(
                    "Drag the slider, or type an amount such as 50 %. The preview is updated "
                    "immediately: weights to be pruned are hatched in orange, in the tree and "
                    "in the picture."
                ),
                self._amount,
                lambda: self._form.set_amount(0, _AMOUNT),
            ),
            _Step(
                "pruned",
                self.tr("Prune"),
                self.tr(
                    "The button shows how many weights will be pruned. Click it or press "
                    "{keys}. The file on disk is not changed."
                ).format(keys=self._keys("prune")),
                lambda: views.preview.action.button,
                actions["prune"].trigger,
            ),
            _Step(
                "undone",
                self.tr("Undo"),
                self.tr(
                    "The history lists the state after every step. Click Opened there, or press "
                    "{keys} to undo."
                ).format(keys=self._keys("undo")),
                lambda: views.history.tree,
                actions["undo"].trigger,
            ),
            _Step(
                "pruned",
                self.tr("Redo"),
                self.tr("Nothing is lost: click the last state, or press {keys} to redo.").format(
                    keys=self._keys("redo")
                ),
                lambda: views.history.tree,
                actions["redo"].trigger,
            ),
            _Step(
                "evaluate",
                self.tr("Evaluate"),
                self.tr(
                    "Tools > Evaluate… measures the model with a script, a text or images. The "
                    "Quality tab and the history show the result of each state."
                ),
                lambda: views.pages.tabs,
                lambda: self._show_page(Page.QUALITY),
            ),
            _Step(
                "repair",
                self.tr("Repair"),
                self.tr(
                    "Prune > Repair… ({keys}) adjusts the remaining weights so that the output of "
                    "each layer stays close to the original. It takes seconds and no training."
                ).format(keys=self._keys("repair")),
                lambda: self._menus,
                lambda: None,
            ),
            _Step(
                "recover",
                self.tr("Recover"),
                self.tr(
                    "Prune > Recover… ({keys}) trains the remaining weights while pruned ones stay "
                    "zero. It takes longer than a repair and restores more."
                ).format(keys=self._keys("recover")),
                lambda: self._menus,
                lambda: None,
            ),
            _Step(
                "shrink",
                self.tr("Shrink"),
                self.tr(
                    "Zeros do not make a model faster by themselves. Tools > Shrink… removes "
                    "whole neurons, heads, channels or layers, and writes a smaller model."
                ),
                lambda: self._menus,
                lambda: None,
            ),
            _Step(
                "export",
                self.tr("Export"),
                self.tr(
                    "Export… ({keys}) writes the pruned model to a new file, in the format that "
                    "you choose. The guide (F1) explains each of these steps."
                ).format(keys=self._keys("export")),
                lambda: self._export,
                lambda: None,
            ),
        )

    def _keys(self, name: str) -> str:
        return self._actions[name].shortcut().toString(QKeySequence.SequenceFormat.NativeText)

    def _amount(self) -> QWidget:
        form = self._views.form
        fields = form.shown.fields
        return fields if "amount" in fields.editors else form

    def _show(self, at: int) -> None:
        """Show the step `at`, counted from 0, and frame its target.

        A number after the last step ends the tour.
        """
        if at == len(self._steps):
            self.end()
            return
        self._index, self._form_changed = at, False
        document = self._session.document
        self._position = 0 if document is None else document.position
        step = self._steps[at]
        self._bar.set_step(at + 1, step.title)
        target = step.target()
        for dock in (self._views.tree_dock, self._views.form_dock):
            if dock.isAncestorOf(target):
                dock.raise_()
        scroll_to(target)
        self._highlight.set_target(step.target)

    # -- events ---------------------------------------------------------------------------------

    def _on_event(self, what: str, *_more: object) -> None:
        if self.is_running and self._steps[self._index].done == what:
            self._show(self._index + 1)

    def _on_page(self, page: int) -> None:
        if page == Page.DISTRIBUTION:
            self._on_event("page")

    @Slot()
    def _on_form(self) -> None:
        self._form_changed = True

    @Slot(object)
    def _on_preview(self, state: PreviewState) -> None:
        if self._form_changed and state.shown is not None:
            self._on_event("preview")

    @Slot(object)
    def _on_changed(self, _change: DocumentChanged) -> None:
        document = self._session.document
        if document is None or document.position == self._position:
            return
        before, self._position = self._position, document.position
        self._on_event("pruned" if document.position > before else "undone")

    @Slot()
    def _on_opened(self) -> None:
        if self._waiting_for_sample:
            self._begin()
        elif self.is_running:
            self.end()  # the tour is about the sample

    @Slot()
    def _on_closed(self) -> None:
        if not self._waiting_for_sample:  # else the document is closed because the sample is opened
            self.end()

    @Slot()
    def _on_stayed(self) -> None:
        self._waiting_for_sample = False
