"""Manual edits: a gesture in a plot becomes one step of the history.

Masks are computed in the background, because those of a large model take longer than a frame. They
are computed by the executor for plots, so that an edit does not wait for an export. Edits are
applied in order, each to the state that the previous one has left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QWidget

from pruneapp.document.entries import Operation
from pruneapp.document.selection import RoleTensors, tensors_of_role
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.apply_manual_edit import ManualEditCount, ManualEditPreview, compute_manual_edit
from pruneapp.edits.coupled_tensors import Companion, Companions, complete_channels, with_companions
from pruneapp.edits.group_edit import with_members
from pruneapp.edits.manual_edit import ManualEdit, ManualEditRequest
from pruneapp.errors import PruneAppError, SelectionError
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import LatestTask
from pruneapp.gui.app.settings import ASK_ALL_BLOCKS, WITH_COMPANIONS
from pruneapp.gui.compare.combine_controller import CombineController
from pruneapp.gui.compare.compare_controller import CompareController
from pruneapp.gui.document.feature import Ask, Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.manual_edit.group_controller import GroupController
from pruneapp.gui.manual_edit.zeros_controller import ZerosController
from pruneapp.gui.plots.edit_buttons import operation_of
from pruneapp.gui.plots.pages import Page, PlotPages
from pruneapp.gui.plots.plot_controller import PlotController
from pruneapp.gui.preview.histogram_controller import HistogramController
from pruneapp.gui.widgets.controls import follow_font, lay_in_row, single_shot
from pruneapp.gui.widgets.engine_text import translate_declared, translate_sentence, translate_step
from pruneapp.gui.widgets.labels import (
    MUTED,
    ElidedLabel,
    as_plain,
    as_sentence,
    join_names,
    join_sentences,
    plain,
    with_note,
)
from pruneapp.gui.widgets.number_format import count, plural
from pruneapp.gui.widgets.reports import CountsTable, DecisionDialog
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.progress import Cancelled, Job


class AllBlocksDialog(DecisionDialog):
    """Lists the tensors that an edit changes in all blocks; `accepted` if the user agrees.

    `pattern` is what the names of the tensors have in common. `shown` maps names in the file to
    display names.
    """

    def __init__(
        self,
        pattern: str,
        tensors: Sequence[ManualEditCount],
        shown: Mapping[str, str],
        action: str,
        parent: QWidget | None = None,
        *,
        short: ShortNames | None = None,
    ) -> None:
        super().__init__(self.tr("Apply to the same layer in all blocks"), action, parent)
        self.pattern = ElidedLabel(pattern, self)
        self.pattern.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.pattern.setAccessibleName(self.tr("Pattern"))
        self.sentence = plain(self._sentence(tensors), wrap=True, ink=MUTED)

        headers = [self.tr("Tensor"), self.tr("Included"), self.tr("Changed")]
        # Omitted, not hidden: screen readers read hidden columns, too.
        if any(tensor.protected for tensor in tensors):
            headers.append(self.tr("Protected"))

        def cells(row: int) -> tuple[str, ...]:
            tensor = tensors[row]
            numbers = tensor.selected, tensor.changed, tensor.protected
            name = shown.get(tensor.name, tensor.name)
            return name, *map(count, numbers[: len(headers) - 1])

        self.table = CountsTable(headers, len(tensors), cells, self, short=short)
        self.table.setAccessibleName(self.tr("Included tensors"))
        self.table.setAccessibleDescription(self.sentence.text())
        self.again = QCheckBox(self.tr("Don't ask again"), self)
        parts = self.pattern, self.sentence, self.table
        self.lay_out(parts, wide=self.table, beside=(self.again,))
        self.resize(560, 440)
        self.go.setFocus()

    def _sentence(self, tensors: Sequence[ManualEditCount]) -> str:
        changing = [tensor for tensor in tensors if tensor.changed]
        text = self.tr("{weights} weights change in {n} of {all} tensors, in one step.").format(
            weights=count(sum(tensor.changed for tensor in changing)),
            n=count(len(changing)),
            all=count(len(tensors)),
        )
        protected = sum(tensor.protected for tensor in tensors)
        if protected:
            more = self.tr("{n} protected weights are unchanged.").format(n=count(protected))
            text = join_sentences(text, more)
        permanent = sum(tensor.permanent for tensor in tensors)
        if permanent:
            more = self.tr(
                "{n} weights remain 0, because they were made permanent earlier."
            ).format(n=count(permanent))
            text = join_sentences(text, more)
        return text


_SPACING = 16  # distance between two check boxes in pixels
_MAX_NAMED = 8  # maximum number of tensors named in a tooltip


class ManualEditOptions(QWidget):
    """Check boxes for the scope of manual edits; those that cannot apply are hidden."""

    def __init__(self) -> None:
        super().__init__()
        self.every_block = QCheckBox(self)
        self.companions = QCheckBox(self)
        self.group = QCheckBox(self)
        self.title = plain(self.tr("For manual edits"), ink=MUTED)
        # long and short text of each check box
        self._texts = dict.fromkeys((self.every_block, self.companions, self.group), ("", ""))
        self._texts[self.companions] = (
            self.tr("Include bias and norm layers"),
            self.tr("Bias and norm layers"),
        )
        lay_in_row(self, self.title, *self._texts, None, spacing=_SPACING)
        # The height is constant, so that the plot above does not jump between tensors.
        follow_font(self, lambda row: row.setFixedHeight(row.every_block.sizeHint().height()))
        self.set_same_role("", 1)
        self.set_companions((), "")
        self.set_group((), "")

    def set_same_role(self, pattern: str, tensors: int) -> None:
        """Set the number of tensors that have the role of the focused tensor, including itself.

        `pattern` is what their names have in common. The check box is hidden if there is only one.
        """
        n = count(tensors)
        self._texts[self.every_block] = (
            self.tr("Apply to the same layer in all {n} blocks").format(n=n),
            self.tr("Same layer in all {n} blocks").format(n=n),
        )
        tip = self.tr(
            "Manual edits apply to {pattern}; the tensors are listed before anything changes"
        ).format(pattern=pattern)
        self._offer(self.every_block, tip, offered=tensors > 1)

    def set_companions(self, shown: Sequence[str], why: str) -> None:
        """Set the names of the companions of the focused tensor, and why they belong to it.

        The check box is hidden if there are none.
        """
        self._offer(
            self.companions,
            join_sentences(as_sentence(join_names(*shown)), why),
            offered=bool(shown),
        )

    def set_group(
        self, shown: Sequence[str], units: str, dims: Sequence[int] = (0,), *, always: bool = False
    ) -> None:
        """Set the other tensors that have the units of the focused one, and the name of the units.

        `dims` are the dimensions of the focused tensor along which the units are. `always`: whole
        units are always edited, so that the check box cannot be unchecked. It is hidden if there
        are no other tensors.
        """
        texts = (
            plural(
                len(shown),
                self.tr("Also edit the same units in 1 other tensor"),
                self.tr("Also edit the same units in {n} other tensors"),
            ),
            plural(
                len(shown),
                self.tr("Same units in 1 other tensor"),
                self.tr("Same units in {n} other tensors"),
            ),
        )
        # Several dimensions have different units, so that fewer tensors belong to each of them.
        dim = self.tr("dims {dims}").format(dims=join_names(*map(count, dims)))
        long, short = (with_note(text, dim) if len(dims) > 1 else text for text in texts)
        self._texts[self.group] = long, short
        names = join_names(*shown[:_MAX_NAMED])
        if len(shown) > _MAX_NAMED:
            more = count(len(shown) - _MAX_NAMED)
            names = self.tr("{names} and {n} more").format(names=names, n=more)
        tip = self.tr("{units}: manual edits apply to {names}, too").format(
            units=units, names=names
        )
        self.group.setEnabled(not always)
        self._offer(self.group, tip, offered=bool(shown))

    def _offer(self, box: QCheckBox, tip: str, *, offered: bool) -> None:
        box.setToolTip(as_plain(tip))
        box.setAccessibleDescription(tip)
        box.setVisible(offered)
        self._update_texts()

    def set_checked(self, *, every_block: bool, companions: bool, group: bool) -> None:
        """Set the check boxes; that of the group is checked as well if it cannot be unchecked."""
        self.every_block.setChecked(every_block)
        self.companions.setChecked(companions)
        with QSignalBlocker(self.group):
            self.group.setChecked(group or not self.group.isEnabled())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the short texts if the long ones do not fit."""
        super().resizeEvent(event)
        self._update_texts()

    def minimumSizeHint(self) -> QSize:
        """Return the width of the check boxes with short texts."""
        return QSize(self._needed(short=True), self.height())

    def _needed(self, *, short: bool) -> int:
        """Return the width in pixels of the visible check boxes, with short or with long texts."""
        metrics = self.fontMetrics()
        widths = []
        for box, texts in self._texts.items():
            if not box.isHidden():
                beside = box.sizeHint().width() - metrics.horizontalAdvance(box.text())
                widths.append(beside + metrics.horizontalAdvance(texts[short]))
        return sum(widths) + _SPACING * max(0, len(widths) - 1)

    def _update_texts(self) -> None:
        """Show the long texts if they fit, and the title if there is room for it as well."""
        # `isHidden`, not `isVisible`: the row itself may be hidden.
        needed = self._needed(short=False)
        short = needed > self.width()
        for box, texts in self._texts.items():
            box.setText(texts[short])
            # the full text for screen readers, whatever the width
            box.setAccessibleName(texts[0])
        whole = self._needed(short=short) + _SPACING + self.title.sizeHint().width()
        self.title.setHidden(not needed or whole > self.width())
        self.updateGeometry()


# An edit that takes longer is shown in the status bar, where it can be cancelled.
SLOW_MS = 200


@dataclass(frozen=True, eq=False)
class EditResult:
    """The result of an edit, with the texts to ask the user about it."""

    preview: ManualEditPreview
    # The common part of the names if the edit is for all blocks, which the user confirms first;
    # else empty.
    pattern: str = ""
    units: str = ""  # the units of each tensor, if they have a name: "channel 12"


def compute_edit(
    snapshot: Snapshot,
    request: ManualEditRequest,
    job: Job,
    *,
    every_block: bool = False,
    companions: bool = False,
    group: bool = False,
) -> EditResult:
    """Return the effect of an edit on a state, without changing it. Runs on a worker thread.

    The edit is for all tensors with the role of the given one if `every_block`; includes bias and
    norm of channels if `companions`; and the same units of all tensors in the group if `group`, or
    if the request is for units of a group. Raises the errors of `compute_manual_edit`.
    """
    checkpoint = snapshot.checkpoint
    role = tensors_of_role(checkpoint, request.name, job) if every_block else None
    job.step(0)
    edit = ManualEdit.from_requests(
        *[
            replace(request, name=name)
            for name in (role.names if role is not None else (request.name,))
        ]
    )
    job.step(0)
    if group or request.axis:
        edit = with_members(checkpoint, edit, request.axis, job)
    if companions:
        edit = with_companions(checkpoint, edit, job)
    preview = compute_manual_edit(snapshot, edit, job)
    return EditResult(preview, role.pattern, edit.units()) if role else EditResult(preview)


class ManualEditController(Feature[AllBlocksDialog]):
    """Applies manual edits to the focused tensor, to all tensors of its role, or to a whole group.

    An edit for all blocks is confirmed by the user in a dialog. An edit of channels may include
    their bias and norm.
    """

    commands: ClassVar = {"complete_channels": "complete"}

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        pages: PlotPages,
        options: ManualEditOptions,
        *,
        plots: PlotController,
        groups: GroupController,
        compare: CompareController,
        histograms: HistogramController,
    ) -> None:
        super().__init__(context, session)
        self._plots = plots
        self._groups = groups
        self._pages = pages
        self._view = options
        self._waiting: deque[ManualEditRequest] = deque()
        self._slow = single_shot(self, SLOW_MS, self._show_slow)
        self._edit: RunJob[EditResult] | None = None
        self._is_applying = False
        self._offers = LatestTask(self._jobs)
        self._pairs: Companions | None = None
        actions = context.actions
        self._every_block: QAction = actions["in_every_block"]
        self._companions: QAction = actions["with_companions"]
        self._group: QAction = actions["in_group"]
        self._companions.setChecked(self._settings.get(WITH_COMPANIONS))
        self.zeros = ZerosController(context, session, histograms, self)
        self.combining = CombineController(context, session, compare)
        self.combining.done.connect(self._show_result)
        for option in (self._every_block, self._companions, self._group):
            option.toggled.connect(self._on_toggled)
        self._view.every_block.toggled.connect(self._every_block.setChecked)
        self._view.companions.toggled.connect(self._companions.setChecked)
        self._view.group.toggled.connect(self._group.setChecked)
        groups.found.connect(self._offer_group)
        pages.channels.normsRequested.connect(self._offer_group)
        plots.focused.connect(self._on_focus_changed)
        pages.pageChanged.connect(self._on_page)
        pages.weights.editRequested.connect(self.perform)
        pages.channels.editRequested.connect(self.perform)
        for operation in ("prune", "restore", "protect", "release"):
            action = actions[f"hand_{operation}"]
            action.setProperty("operation", operation)
            action.triggered.connect(self._on_operation)
        actions["treat_zeros"].triggered.connect(self.zeros.treat)
        self._on_toggled()
        # the page that was restored at start was shown before the signal was connected
        self._on_page(pages.page)

    # -- gestures ---------------------------------------------------------------------------------

    def perform(self, request: ManualEditRequest) -> None:
        """Apply an edit after those that were requested before."""
        if self.session.document is not None and self.session.may_work():
            self._waiting.append(request)
            if not self._is_applying:
                self._apply_waiting()

    @flow
    def complete(self) -> Flow[None]:
        """Prune the bias and norm entries that belong to channels that are already pruned.

        This is one step of the history. An error is shown if there are none.
        """
        self.session.check_may_work()
        snapshot = self.document.snapshot()

        def work(job: Job) -> ManualEditPreview:
            return compute_manual_edit(snapshot, complete_channels(snapshot, None, job), job)

        self._commit((yield from RunJob(self.tr("Finding channels"), work)))

    @flow
    def _apply_waiting(self) -> Flow[None]:
        """Apply the requested edits in order, each as a step, until none is left.

        An edit is computed again if the history has changed meanwhile. One that fails is reported,
        and one that is cancelled or not confirmed is dropped.
        """
        self._is_applying = True
        try:
            while self._waiting:
                request = self._waiting.popleft()
                self._edit = edit = RunJob("", self._work(request))
                self._slow.start()
                try:
                    result = yield from edit
                except PruneAppError as error:
                    self.session.refused.emit(error)
                    continue
                except Cancelled:
                    continue
                finally:
                    self._slow.stop()
                if result.preview.revision != self.document.revision:
                    # another step was applied or undone meanwhile: compute the edit again
                    self._waiting.appendleft(request)
                elif (yield from self._is_confirmed(result)):
                    self._commit(result.preview)
        finally:
            self._is_applying = False

    def _work(self, request: ManualEditRequest) -> Callable[[Job], EditResult]:
        snapshot, wanted = self.document.snapshot(), self._option_values()
        return lambda job: compute_edit(snapshot, request, job, **wanted)

    def _is_confirmed(self, result: EditResult) -> Flow[bool]:
        """Ask whether to edit the tensors of all blocks; True without a question for other edits.

        The user can disable the question.
        """
        tensors = result.preview.numbers.tensors
        if not (result.pattern and len(tensors) > 1 and self._settings.get(ASK_ALL_BLOCKS)):
            return True
        contents = self.session.contents
        dialog = AllBlocksDialog(
            result.pattern,
            tensors,
            contents.shown,
            self._action(result),
            self._window,
            short=contents.short,
        )
        if not (yield from Ask(dialog)):
            return False
        self._settings.set(ASK_ALL_BLOCKS, not dialog.again.isChecked())
        return True

    def _show_slow(self) -> None:
        # For all blocks of a large model an edit takes seconds.
        if self._edit is not None and self._edit.task is not None:
            self._jobs.show(self._edit.task, self.tr("Applying manual edit"))

    def _commit(self, preview: ManualEditPreview) -> None:
        if self.session.commit(preview):
            self._show_result(preview)

    def _show_result(self, preview: ManualEditPreview) -> None:
        text, numbers = translate_step(preview.edit.label), preview.numbers
        already = numbers.selected - numbers.changed - numbers.protected
        if numbers.operation == "prune" and already:
            text = self.tr("{done}; {n} of {all} weights were pruned already").format(
                done=text, n=count(already), all=count(numbers.selected)
            )
        if numbers.protected:
            text = self.tr("{done}; {n} protected weights unchanged").format(
                done=text, n=count(numbers.protected)
            )
        # if all are permanent, the label mentions it
        elif 0 < numbers.permanent < numbers.changed:
            text = self.tr(
                "{done}; {n} weights remain 0, because they were made permanent earlier"
            ).format(done=text, n=count(numbers.permanent))
        self._notifications.show_done(text)

    def on_closed(self) -> None:
        super().on_closed()
        self._waiting.clear()
        self._pairs = None
        # the next file may have no tensor, so that nothing would reset the check boxes
        self._offers.cancel()
        self._offer_none()

    # -- commands for the selection ---------------------------------------------------------------

    def _on_operation(self) -> None:
        """Apply the operation of a command to the selection of the page.

        Without a selection, an error is shown.
        """
        if not self._operate(self.sender().property("operation")):
            self._notifications.show_error(
                SelectionError(
                    "Nothing is selected.",
                    remedy="Select channels or weights in the picture; see Help > Keyboard "
                    "shortcuts.",
                )
            )

    def on_key(self, event: QKeyEvent) -> None:
        """Apply the operation of a key that no widget has handled to the selection of the page.

        The weight at the cursor is no selection, as the focus is not in its picture; and Backspace
        is no key of an operation there.
        """
        operation = operation_of(event)
        if operation is None or event.key() == Qt.Key.Key_Backspace:
            return
        selects_channels = self._pages.page is Page.CHANNELS
        if (selects_channels or self._pages.weights.selection) and self._operate(operation):
            event.accept()

    def _operate(self, operation: Operation) -> bool:
        """Apply an operation to the selection of the page; return False if there is none."""
        pages = self._pages
        if pages.page is Page.CHANNELS and pages.channels.chosen:
            pages.channels.request_edit(operation)
        elif pages.page is Page.WEIGHTS and pages.weights.canvas.item.cursor is not None:
            pages.weights.operate(operation)
        else:
            return False
        return True

    # -- edits in all blocks ----------------------------------------------------------------------

    def _action(self, result: EditResult) -> str:
        """Return the text of the button that confirms an edit: what changes in how many tensors."""
        numbers = result.preview.numbers
        text = {
            "prune": self.tr("Prune {what} in {n} tensors"),
            "restore": self.tr("Restore {what} in {n} tensors"),
            "protect": self.tr("Protect {what} in {n} tensors"),
            "release": self.tr("Unprotect {what} in {n} tensors"),
        }[numbers.operation]
        weights = self.tr("{n} weights").format(n=count(numbers.changed))
        changing = sum(tensor.changed > 0 for tensor in numbers.tensors)
        return text.format(what=translate_sentence(result.units) or weights, n=count(changing))

    # -- check boxes and commands -----------------------------------------------------------------

    def _on_toggled(self) -> None:
        self._settings.set(WITH_COMPANIONS, self._companions.isChecked())
        self._view.set_checked(**self._option_values())

    def _option_values(self) -> dict[str, bool]:
        return {
            "every_block": self._every_block.isChecked(),
            "companions": self._companions.isChecked(),
            "group": self._group.isChecked(),
        }

    def _on_page(self, page: int) -> None:
        self._view.setVisible(page in {Page.WEIGHTS, Page.CHANNELS})
        self._offer_group()

    def _offer_group(self) -> None:
        """Offer to extend edits to the groups of the focused tensor, if it can be pruned.

        On the page Channels these are the groups of the shown dimension and units, elsewhere those
        with single channels as units.
        """
        channels, name = self._pages.channels, self._plots.name
        row = None if name is None else self.session.by_name.get(name)
        on_channels = self._pages.page is Page.CHANNELS
        axis = channels.axis if on_channels else ""
        groups = [
            group
            for group in self._groups.groups
            if row is not None
            and not row.why_not
            and (group.axis == axis if axis else group.by_channel)
            and (not on_channels or group.dim == channels.dim)
        ]
        shown = self.session.contents.shown
        names = dict.fromkeys(name for group in groups for name in group.others)
        places = (
            self.tr("{units} of {place}").format(
                units=translate_declared(group.label), place=group.place
            )
            if group.place
            else translate_declared(group.label)
            for group in groups
        )
        others = [shown.get(name, name) for name in names]
        dims = sorted({group.dim for group in groups})
        self._view.set_group(others, join_names(*places), dims, always=bool(axis))
        self._view.set_checked(**self._option_values())

    def _on_focus_changed(self) -> None:
        """Find in the background what edits of the focused tensor can include, and offer it."""
        self._offers.cancel()
        document, name = self.session.document, self._plots.name
        if document is None or name is None or self.session.by_name[name].why_not:
            self._offer_none()
            return
        checkpoint = document.checkpoint
        if self._pairs is None:
            self._pairs = Companions(checkpoint)
        pairs = self._pairs
        # For 100,000 names this takes longer than a frame.
        self._offers.start(
            lambda job: (tensors_of_role(checkpoint, name, job), pairs.of(name)),
            self._offer,
            lambda _error: self._offer_none(),
        )

    def _offer(self, coupled: tuple[RoleTensors, tuple[Companion, ...]]) -> None:
        same, companions = coupled
        shown = self.session.contents.shown
        self._view.set_same_role(same.pattern, len(same.names))
        why = join_sentences(*dict.fromkeys(companion.why for companion in companions))
        self._view.set_companions([shown.get(c.name, c.name) for c in companions], why)

    def _offer_none(self) -> None:
        self._view.set_same_role("", 1)
        self._view.set_companions((), "")
