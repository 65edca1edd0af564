"""Combine the masks of the document with those of a file, or copy masks from another window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QMimeData, QSize, Qt, Signal, Slot
from PySide6.QtGui import QDrag, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QGridLayout, QPushButton, QRadioButton, QWidget

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.apply_manual_edit import ManualEditPreview, compute_manual_edit
from pruneapp.edits.existing_masks import (
    Combination,
    Overlap,
    TensorOverlap,
    combine,
    masks_from,
    masks_of,
    overlap,
)
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.compare.compare_controller import CompareController
from pruneapp.gui.document.feature import Ask, Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.method_form.form_controller import FormController
from pruneapp.gui.tree.panel import ModuleTree
from pruneapp.gui.widgets.labels import MUTED, heading, join_sentences, plain
from pruneapp.gui.widgets.number_format import NO_NUMBER, count, percent, plural
from pruneapp.gui.widgets.reports import CountsTable, DecisionDialog
from pruneapp.gui.widgets.screen import bring_to_front
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

_WIDTH = 640
_MAX_WIDTH = 960  # with the longest names
_MIN_NAME_CHARACTERS = 24  # minimum width of the name column, in characters
# number of rows measured for the column widths, in addition to the rows with the largest counts
_MEASURED_ROWS = 100


class CombineDialog(DecisionDialog):
    """Shows the overlap of pruned weights of the document and a file; offers to combine them.

    `shown` maps names in the file to display names. `by_zeros` says that the other file has no
    masks, so that its zeros count as pruned.
    """

    PICTURE = 2  # the result if the user asked for the picture of the differences

    def __init__(
        self,
        file: str,
        overlap: Overlap,
        shown: Mapping[str, str],
        parent: QWidget | None = None,
        *,
        by_zeros: bool = False,
        short: ShortNames | None = None,
    ) -> None:
        super().__init__(self.tr("Combine masks"), parent=parent)
        self._overlap = overlap
        tensors = overlap.tensors

        def cells(row: int) -> tuple[str, ...]:
            tensor = tensors[row]
            return (
                shown.get(tensor.name, tensor.name),
                count(tensor.both),
                count(tensor.only_here),
                count(tensor.only_there),
                _share(tensor),
            )

        sentences = self.tr(
            "Other file: {file}. {n} tensors are in both files. Overlap of the pruned "
            "weights (intersection over union): {share}."
        ).format(file=file, n=count(len(tensors)), share=_share(overlap.total))
        if by_zeros:
            zeros = self.tr(
                "The other file has no masks: its zeros count as pruned, except in biases, norms "
                "and embeddings that have no pruned weights in this file."
            )
            sentences = join_sentences(sentences, zeros)
        headers = (
            self.tr("Pruned in"),
            self.tr("Both"),
            self.tr("Only in this file"),
            self.tr("Only in the other file"),
            self.tr("Overlap"),
        )
        self.about = plain(sentences, wrap=True, ink=MUTED)
        self.table = CountsTable(headers, len(tensors), cells, self, short=short)
        rows = range(len(tensors))
        largest = {
            max(rows, key=lambda row: getattr(tensors[row], number))
            for number in ("both", "only_here", "only_there")
            if rows
        }
        self.table.fit_columns(largest.union(rows[:_MEASURED_ROWS]))
        self.table.setMinimumWidth(self.table.width_for_names(("0" * _MIN_NAME_CHARACTERS,)))
        self._names = self.table.width_for_names(shown.get(t.name, t.name) for t in tensors)
        self.table.setAccessibleName(self.tr("Mask overlap per tensor"))
        self.table.setAccessibleDescription(self.about.text())
        self.choices: dict[Combination, QRadioButton] = {}
        box = QWidget(self)
        choices = QGridLayout(box)
        choices.setContentsMargins(0, 0, 0, 0)
        choices.setHorizontalSpacing(16)
        choices.setVerticalSpacing(4)
        ways: tuple[tuple[Combination, str, str], ...] = (
            (
                "or",
                self.tr("Union"),
                self.tr("Also prune weights that are pruned only in the other file"),
            ),
            (
                "and",
                self.tr("Intersection"),
                self.tr("Restore weights that are pruned only in this file"),
            ),
            (
                "minus",
                self.tr("Only in this file"),
                self.tr("Restore weights that are pruned in both files"),
            ),
        )
        for row, (how, text, help_) in enumerate(ways):
            radio = QRadioButton(text, self)
            radio.setAccessibleDescription(help_)
            radio.toggled.connect(self._show_number)
            choices.addWidget(radio, row, 0)
            choices.addWidget(plain(help_, ink=MUTED), row, 1)
            self.choices[how] = radio
        choices.setColumnStretch(1, 1)
        self.picture = QPushButton(self.tr("Show differences"), self)
        title = heading(self.tr("Result"))
        self.lay_out((self.about, self.table, title, box), wide=self.table, beside=(self.picture,))
        self.resize(_WIDTH, 480)
        self.choices["or"].setChecked(True)
        self.choices["or"].setFocus()
        self.picture.clicked.connect(partial(self.done, self.PICTURE))

    def preferred_size(self) -> QSize:
        """Return a width that fits the display names, up to `_MAX_WIDTH`, and the present height.

        The dialog never becomes narrower.
        """
        layout = self.layout()
        assert layout is not None
        margins = layout.contentsMargins()
        width = self._names + margins.left() + margins.right()
        return QSize(max(self.width(), min(width, _MAX_WIDTH)), self.height())

    @property
    def how(self) -> Combination:
        """The chosen way to combine: ``or``, ``and`` or ``minus``."""
        return next(how for how, radio in self.choices.items() if radio.isChecked())

    def _show_number(self) -> None:
        total = self._overlap.total
        number = {"or": total.only_there, "and": total.only_here, "minus": total.both}[self.how]
        text = self.tr("Prune {n} weights") if self.how == "or" else self.tr("Restore {n} weights")
        self.go.setText(text.format(n=count(number)) if number else self.tr("No changes"))
        self.go.setEnabled(bool(number))


def _share(overlap: TensorOverlap) -> str:
    return NO_NUMBER if overlap.jaccard is None else percent(overlap.jaccard)


Masks = Mapping[str, BitMask]


class CombineController(Feature[CombineDialog]):
    """Combines the masks of the document with those of a file."""

    commands: ClassVar = {"combine_masks": "ask"}

    done = Signal(object)  # (ManualEditPreview) the edit that was applied

    def __init__(
        self, context: AppContext, session: OpenDocument, compare: CompareController
    ) -> None:
        super().__init__(context, session)
        self._compare = compare

    @flow
    def ask(self) -> Flow[None]:
        """Ask the user for a file, show how its masks overlap, and combine them in one step.

        A file without masks is compared by its zeros. The user may open the comparison with the
        page Compare instead; then the document is not changed. Any error is shown.
        """
        self.session.check_may_work()
        name, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("Combine masks with a file"), str(self.session.folder("mask"))
        )
        if not name:
            return
        path = Path(name)
        self.session.note_folder("mask", path)
        self._read(path)
        yield from ()

    @flow
    def _read(self, path: Path) -> Flow[None]:
        """Read the masks of a file, show how they overlap, and do what the user chooses."""
        snapshot = self.document.snapshot()

        def read(job: Job) -> tuple[Masks, bool, Overlap]:
            with open_checkpoint(path, job=job) as file:
                theirs, by_zeros = masks_of(snapshot, file, job)
            return theirs, by_zeros, overlap(snapshot, theirs, job)

        theirs, by_zeros, both = yield from RunJob(self.tr("Reading masks"), read)
        contents = self.session.contents
        dialog = CombineDialog(
            path.name, both, contents.shown, self._window, by_zeros=by_zeros, short=contents.short
        )
        answer = yield from Ask(dialog)
        if answer == CombineDialog.PICTURE:
            self._compare.other.set_masks(path.name, theirs)
        elif answer:
            self._combine(theirs, path.name, dialog.how)

    @flow
    def _combine(self, theirs: Masks, title: str, how: Combination) -> Flow[None]:
        """Apply an edit with the combined masks and emit `done`; `title` names the other file."""
        self.session.check_may_work()
        snapshot = self.document.snapshot()

        def work(job: Job) -> ManualEditPreview:
            return compute_manual_edit(snapshot, combine(snapshot, theirs, how, title, job), job)

        preview = yield from RunJob(self.tr("Combining masks"), work)
        if self.session.commit(preview):
            self.done.emit(preview)


# Distinguishes dragged masks from dragged text; the tensor names are added as plain text.
_FORMAT = "application/x-pruneapp-masks"


@dataclass(frozen=True, eq=False)
class DraggedMasks:
    """Rows of the tree that are dragged out of a window, and the state of its document."""

    window: QWidget
    names: tuple[str, ...]
    state: Snapshot

    @property
    def file(self) -> str:
        """The name of the file that is open in the source window."""
        return self.state.checkpoint.path.name


class MaskDragController(Feature[QDialog]):
    """Copies masks to another window by dragging selected rows of the tree there.

    The dropped masks are handled as masks of a file: the form selects the method for masks, the
    preview shows the result, and the Prune button applies it.
    """

    def __init__(
        self, context: AppContext, session: OpenDocument, tree: ModuleTree, *, form: FormController
    ) -> None:
        super().__init__(context, session)
        self._tree = tree
        self._form = form
        tree.view.dragRequested.connect(self._drag)

    @Slot()
    def _drag(self) -> None:
        document, names = self.session.document, self._tree.selected_names()
        if document is None or not names:
            return
        data = QMimeData()
        data.setData(_FORMAT, b"")
        data.setText("\n".join(names))
        self._windows.dragged = DraggedMasks(self._window, names, document.snapshot())
        drag = QDrag(self._tree.view)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)
        self._windows.dragged = None

    def _accepted_drag(self, event: QDropEvent) -> DraggedMasks | None:
        """Return the rows of an event that can be dropped here; None if it is to be refused.

        They must come from another window of this process, and a document must be open here.
        """
        dragged = self._windows.dragged
        if (
            not isinstance(dragged, DraggedMasks)
            or dragged.window is self._window
            or self.session.document is None
            or not event.mimeData().hasFormat(_FORMAT)
        ):
            return None
        return dragged

    @Slot(object)
    def on_drag_enter(self, event: QDragEnterEvent) -> None:
        """Accept a drag of rows from another window, and show what dropping them does.

        Other drags are ignored.
        """
        if (dragged := self._accepted_drag(event)) is not None:
            event.acceptProposedAction()
            text = self.tr("Drop here to use the masks of {tensors} of {file}.")
            self._notifications.show_done(
                text.format(tensors=self._tensor_count_text(len(dragged.names)), file=dragged.file)
            )

    @Slot()
    def on_drag_leave(self) -> None:
        """Clear the text that `on_drag_enter` has shown."""
        if self._windows.dragged is not None:
            self._notifications.show_done("")

    @flow
    def on_drop(self, event: QDropEvent) -> Flow[None]:
        """Read the masks of rows dropped from another window, and request to apply them.

        They replace masks that were loaded in the form before. Tensors whose masks do not fit are
        named in a notice. Other drops are ignored.
        """
        dragged = self._accepted_drag(event)
        if dragged is None:
            return
        event.acceptProposedAction()
        bring_to_front(self._window)
        file = dragged.file
        taken = yield from RunJob(
            self.tr("Reading masks"),
            partial(masks_from, dragged.state, dragged.names, self.document.checkpoint),
        )
        self._form.set_masks(taken.masks, file)
        tensors = self._tensor_count_text(len(taken.masks))
        text = self.tr("Masks of {tensors} loaded from {file}. Press Prune to apply.")
        self._notifications.show_done(text.format(tensors=tensors, file=file))
        if taken.misfits:
            text = self.tr(
                "Masks of {tensors} loaded from {file}. Excluded, because they do not fit "
                "this file: {others}."
            )
            others = self._tensor_count_text(len(taken.misfits))
            self._notifications.show_info(
                NoticeTopic.OTHER_MASKS,
                text.format(tensors=tensors, file=file, others=others),
                "\n".join(taken.misfits),
            )

    def _tensor_count_text(self, tensors: int) -> str:
        return plural(tensors, self.tr("1 tensor"), self.tr("{n} tensors"))
