"""Pruning by hand: a gesture on a picture becomes one step of the history.

Masks are made in the background, because those of a large model take longer than a frame. That is
done by the executor of the pictures and not by the worker: nobody waits with a gesture for an
export. Gestures are done one after another, each on what the one before left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QWidget

from pruneapp.document.document import Document
from pruneapp.document.selection import RoleTensors, tensors_of_role
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.apply_manual_edit import ManualEditPreview, compute_manual_edit
from pruneapp.edits.coupled_tensors import (
    Companion,
    Companions,
    complete_channels,
    with_companions,
)
from pruneapp.edits.group_edit import with_members
from pruneapp.edits.manual_edit import ManualEdit
from pruneapp.errors import PruneAppError, SelectionError
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.dialogs import DialogController
from pruneapp.gui.app.jobs import LatestTask
from pruneapp.gui.app.settings import ASK_ALL_BLOCKS, WITH_COMPANIONS
from pruneapp.gui.compare.combine_controller import CombineController
from pruneapp.gui.compare.compare_controller import CompareController
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.manual_edit.group_controller import GroupController
from pruneapp.gui.manual_edit.zeros_controller import ZerosController
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
)
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.reports import CountsTable, DecisionDialog
from pruneapp.progress import Job
from pruneapp.results.document_rows import ManualEditCount, ManualEditRequest, Operation
from pruneapp.results.short_names import ShortNames


class AllBlocksDialog(DecisionDialog):
    """Shows which tensors are meant; `accepted` once the person wants it so.

    Their names have `pattern` in common; `shown` has the names to show for those in the file.
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
        # Left out rather than hidden: screen readers are told of hidden columns, too.
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
            more = self.tr("{n} weights were made permanent earlier and are still 0.").format(
                n=count(permanent)
            )
            text = join_sentences(text, more)
        return text


_APART = 16  # pixels between two of them
_MOST_NAMED = 8  # tensors of a group, in a tooltip


class ManualEditOptions(QWidget):
    """Check boxes for manual edits, each there only where it means something for the tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.every_block = QCheckBox(self)
        self.companions = QCheckBox(self)
        self.group = QCheckBox(self)
        self.title = plain(self.tr("Manual edit"), ink=MUTED)
        # What each says, and what it says where room is short.
        self._texts = dict.fromkeys((self.every_block, self.companions, self.group), ("", ""))
        self._texts[self.companions] = self.tr("Include bias and norm"), self.tr("Bias and norm")
        lay_in_row(self, self.title, *self._texts, None, spacing=_APART)
        # The room is kept: the picture above is not to jump from tensor to tensor.
        follow_font(self, lambda row: row.setFixedHeight(row.every_block.sizeHint().height()))
        self.set_same_role("", 1)
        self.set_companions((), "")
        self.set_group((), "")

    def set_same_role(self, pattern: str, tensors: int) -> None:
        """Take how many tensors have the role of the one in focus, itself among them."""
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
        """Take what belongs to the channels of the tensor in focus, and why it should go along."""
        self._offer(
            self.companions,
            join_sentences(as_sentence(join_names(*shown)), why),
            offered=bool(shown),
        )

    def set_group(self, shown: Sequence[str], units: str, *, always: bool = False) -> None:
        """Take which other tensors have the units of the one in focus, and what these are.

        `always`: whole units are edited, whatever the person wants of channels.
        """
        n = count(len(shown) + 1)
        self._texts[self.group] = (
            self.tr("Include the group ({n} tensors)").format(n=n),
            self.tr("Group ({n} tensors)").format(n=n),
        )
        names = join_names(*shown[:_MOST_NAMED])
        if len(shown) > _MOST_NAMED:
            more = count(len(shown) - _MOST_NAMED)
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
        self._word()

    def set_wanted(self, *, every_block: bool, companions: bool, group: bool) -> None:
        """Show what is wanted, silently."""
        self.every_block.setChecked(every_block)
        self.companions.setChecked(companions)
        with QSignalBlocker(self.group):
            self.group.setChecked(group or not self.group.isEnabled())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say less where there is no room for it."""
        super().resizeEvent(event)
        self._word()

    def minimumSizeHint(self) -> QSize:
        """Ask for room for the check boxes."""
        return QSize(self._needed(short=True), self.height())

    def _needed(self, *, short: bool) -> int:
        metrics = self.fontMetrics()
        widths = []
        for box, texts in self._texts.items():
            if not box.isHidden():
                beside = box.sizeHint().width() - metrics.horizontalAdvance(box.text())
                widths.append(beside + metrics.horizontalAdvance(texts[short]))
        return sum(widths) + _APART * max(0, len(widths) - 1)

    def _word(self) -> None:
        # Not `isVisible`: the row itself may be hidden.
        needed = self._needed(short=False)
        short = needed > self.width()
        for box, texts in self._texts.items():
            box.setText(texts[short])
            # A screen reader has room for all of it.
            box.setAccessibleName(texts[0])
        whole = self._needed(short=short) + _APART + self.title.sizeHint().width()
        self.title.setHidden(not needed or whole > self.width())
        self.updateGeometry()


# A gesture that takes longer is shown in the status bar, and can be cancelled there.
SLOW_MS = 200


@dataclass(frozen=True, eq=False)
class EditResult:
    """What a gesture does, and all that is to be said of it."""

    preview: ManualEditPreview
    # What the names of the tensors have in common, if it is meant for every block: they are to be
    # shown first.
    pattern: str = ""
    units: str = ""  # what is meant of each, where it has a name: "channel 12"


def make(
    snapshot: Snapshot,
    request: ManualEditRequest,
    job: Job,
    *,
    every_block: bool = False,
    companions: bool = False,
    group: bool = False,
) -> EditResult:
    """Return what a gesture does to a state, in the background.

    It is meant for all tensors of the same role with `every_block`, with `companions` for the bias
    and norm of channels, too, and with `group` for the same units in all tensors that have them;
    always for these if it is one on units. Raises as `compute_manual_edit`.
    """
    checkpoint = snapshot.checkpoint
    role = tensors_of_role(checkpoint, request.name) if every_block else None
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


class ManualEditController(DialogController[AllBlocksDialog]):
    """Does what gestures and commands say, for the tensor in focus, its role, or its channels.

    A gesture may be meant `in_every_block`, for all tensors of the same role, which are shown
    first, and for the companions of channels, their bias and norm.
    """

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
        super().__init__(context, session.closed)
        self._session = session
        self._plots = plots
        self._groups = groups
        self._pages = pages
        self._view = options
        self._waiting: deque[ManualEditRequest] = deque()
        self._slow = single_shot(self, SLOW_MS, self._show_slow)
        self._edit, self._offers = LatestTask(self._jobs), LatestTask(self._jobs)
        self._pairs: Companions | None = None
        actions = context.actions
        self._every_block: QAction = actions["in_every_block"]
        self._companions: QAction = actions["with_companions"]
        self._group: QAction = actions["in_group"]
        self._companions.setChecked(self._settings.get(WITH_COMPANIONS))
        self.zeros = ZerosController(context, session, histograms, self)
        self.combining = CombineController(context, session, compare)
        self.combining.done.connect(self._say)
        for option in (self._every_block, self._companions, self._group):
            option.toggled.connect(self._on_toggled)
        self._view.every_block.toggled.connect(self._every_block.setChecked)
        self._view.companions.toggled.connect(self._companions.setChecked)
        self._view.group.toggled.connect(self._group.setChecked)
        groups.found.connect(self._offer_group)
        pages.channels.normsRequested.connect(self._offer_group)
        plots.focused.connect(self._on_looking)
        pages.pageChanged.connect(self._on_page)
        pages.weights.editRequested.connect(self.perform)
        pages.channels.editRequested.connect(self.perform)
        for operation in ("prune", "restore", "protect", "release"):
            action = actions[f"hand_{operation}"]
            action.setProperty("operation", operation)
            action.triggered.connect(self._on_operation)
        actions["treat_zeros"].triggered.connect(self.zeros.treat)
        actions["combine_masks"].triggered.connect(self.combining.ask)
        actions["complete_channels"].triggered.connect(self.complete)
        session.closed.connect(self._on_closed)
        self._on_toggled()
        self._on_page(pages.page)  # a remembered one is shown before anybody could hear of it

    # -- gestures ---------------------------------------------------------------------------------

    def perform(self, request: ManualEditRequest) -> None:
        """Do what a gesture says, after those that came before it."""
        if self._session.document is None or not self._session.may_work():
            return
        self._waiting.append(request)
        self._go_on()

    def complete(self) -> None:
        """Prune what bias and norm of pruned channels still hold, whatever pruned these."""
        document = self._session.document
        if document is None or not self._session.may_work():
            return
        snapshot = document.snapshot()

        def work(job: Job) -> ManualEditPreview:
            return compute_manual_edit(snapshot, complete_channels(snapshot, None, job), job)

        self._session.work(self.tr("Finding channels"), work, self._put)

    def _go_on(self) -> None:
        document, busy = self._session.document, self._edit.task or self.dialog
        if document is None or busy is not None or not self._waiting:
            return
        request, snapshot = self._waiting.popleft(), document.snapshot()
        wanted = self._wanted()
        self._edit.ask(
            lambda job: make(snapshot, request, job, **wanted),
            partial(self._on_made, document, request),
            self._on_refused,
            on_stopped=self._end,
        )
        self._slow.start()

    def _show_slow(self) -> None:
        # Of a large model, in every block, a gesture takes seconds.
        if self._edit.task is not None:
            self._jobs.show(self._edit.task, self.tr("Applying manual edit"))

    def _on_made(self, document: Document, request: ManualEditRequest, result: EditResult) -> None:
        preview = result.preview
        if preview.revision != document.revision:
            self._waiting.appendleft(request)  # something else was done or undone meanwhile
        elif (
            result.pattern
            and len(preview.numbers.tensors) > 1
            and self._settings.get(ASK_ALL_BLOCKS)
        ):
            self._ask(result)
        else:
            self._put(preview)
        self._end()

    def _on_refused(self, error: PruneAppError) -> None:
        self._session.refused.emit(error)
        self._end()

    def _end(self) -> None:
        self._slow.stop()
        self._go_on()

    def _put(self, preview: ManualEditPreview) -> None:
        if self._session.commit(preview):
            self._say(preview)

    def _say(self, preview: ManualEditPreview) -> None:
        text, numbers = translate_step(preview.edit.label), preview.numbers
        if numbers.protected:
            text = self.tr("{done}; {n} protected weights unchanged").format(
                done=text, n=count(numbers.protected)
            )
        elif 0 < numbers.permanent < numbers.changed:  # of all of them the label says it
            text = self.tr("{done}; {n} weights made permanent earlier are still 0").format(
                done=text, n=count(numbers.permanent)
            )
        self._notifications.say_done(text)

    def _on_closed(self) -> None:
        self._waiting.clear()
        self._edit.cancel()
        self._slow.stop()
        self._pairs = None
        # Nothing may come into focus after this: a file can be without a tensor.
        self._offers.cancel()
        self._offer_none()

    # -- what is selected in the picture ----------------------------------------------------------

    def _on_operation(self) -> None:
        operation: Operation = self.sender().property("operation")
        pages = self._pages
        if pages.page is Page.CHANNELS and pages.channels.chosen:
            pages.channels.request_edit(operation)
        elif pages.page is Page.WEIGHTS and pages.weights.canvas.item.cursor is not None:
            pages.weights.operate(operation)
        else:
            self._notifications.refuse(
                SelectionError(
                    "Nothing is selected.",
                    remedy="Select channels or weights in the picture; see Help > Keyboard "
                    "shortcuts.",
                )
            )

    # -- in every block ---------------------------------------------------------------------------

    def _ask(self, result: EditResult) -> None:
        contents = self._session.contents
        dialog = AllBlocksDialog(
            result.pattern,
            result.preview.numbers.tensors,
            contents.shown,
            self._action(result),
            self._window,
            short=contents.short,
        )
        dialog.accepted.connect(partial(self._put, result.preview))
        dialog.accepted.connect(self._keep_answer)
        self.open(dialog)
        dialog.finished.connect(self._go_on)  # after it is let go of

    def _keep_answer(self) -> None:
        if self.dialog is not None:
            self._settings.set(ASK_ALL_BLOCKS, not self.dialog.again.isChecked())

    def _action(self, result: EditResult) -> str:
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

    # -- the check boxes below the picture, and their commands ------------------------------------

    def _on_toggled(self) -> None:
        self._settings.set(WITH_COMPANIONS, self._companions.isChecked())
        self._view.set_wanted(**self._wanted())

    def _wanted(self) -> dict[str, bool]:
        return {
            "every_block": self._every_block.isChecked(),
            "companions": self._companions.isChecked(),
            "group": self._group.isChecked(),
        }

    def _on_page(self, page: int) -> None:
        self._view.setVisible(page in {Page.WEIGHTS, Page.CHANNELS})
        self._offer_group()

    def _offer_group(self) -> None:
        """Offer the groups whose units are single channels, along the dimension that is shown."""
        channels, name = self._pages.channels, self._plots.name
        row = None if name is None else self._session.by_name.get(name)
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
        shown = self._session.contents.shown
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
        self._view.set_group(others, join_names(*places), always=bool(axis))
        self._view.set_wanted(**self._wanted())

    def _on_looking(self) -> None:
        self._offers.cancel()
        document, name = self._session.document, self._plots.name
        if document is None or name is None or self._session.by_name[name].why_not:
            self._offer_none()
            return
        checkpoint = document.checkpoint
        if self._pairs is None:
            self._pairs = Companions(checkpoint)
        pairs = self._pairs
        # Of 100,000 names that takes longer than a frame.
        self._offers.ask(
            lambda _job: (tensors_of_role(checkpoint, name), pairs.of(name)),
            self._offer,
            lambda _error: self._offer_none(),
        )

    def _offer(self, coupled: tuple[RoleTensors, tuple[Companion, ...]]) -> None:
        same, companions = coupled
        shown = self._session.contents.shown
        self._view.set_same_role(same.pattern, len(same.names))
        why = join_sentences(*dict.fromkeys(companion.why for companion in companions))
        self._view.set_companions([shown.get(c.name, c.name) for c in companions], why)

    def _offer_none(self) -> None:
        self._view.set_same_role("", 1)
        self._view.set_companions((), "")
