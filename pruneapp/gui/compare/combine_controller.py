"""Combine the masks of the document with those of a file, or copy masks from another window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, Signal, Slot
from PySide6.QtGui import QDrag, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QGridLayout, QPushButton, QRadioButton, QWidget

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.apply_manual_edit import ManualEditPreview, compute_manual_edit
from pruneapp.edits.existing_masks import (
    Combination,
    MatchingMasks,
    Overlap,
    TensorOverlap,
    combine,
    masks_from,
    masks_of,
    overlap,
)
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.dialogs import DialogController
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.compare.compare_controller import CompareController
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

    # (how) The user chose ``or``, ``and`` or ``minus``; the dialog closes.
    combineRequested = Signal(str)
    # The user asked for the picture of the differences; the dialog closes.
    pictureRequested = Signal()

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
        self.choices: dict[str, QRadioButton] = {}
        box = QWidget(self)
        choices = QGridLayout(box)
        choices.setContentsMargins(0, 0, 0, 0)
        choices.setHorizontalSpacing(16)
        choices.setVerticalSpacing(4)
        ways = (
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
        self.accepted.connect(self._combine)
        self.picture.clicked.connect(self._show_picture)

    def preferred_size(self) -> QSize:
        """Return the width that the names need, at most `_MAX_WIDTH`; the height stays the same."""
        layout = self.layout()
        assert layout is not None
        margins = layout.contentsMargins()
        width = self._names + margins.left() + margins.right()
        return QSize(max(self.width(), min(width, _MAX_WIDTH)), self.height())

    @property
    def how(self) -> str:
        """The chosen way to combine: ``or``, ``and`` or ``minus``."""
        return next(how for how, radio in self.choices.items() if radio.isChecked())

    def _show_number(self) -> None:
        total = self._overlap.total
        number = {"or": total.only_there, "and": total.only_here, "minus": total.both}[self.how]
        text = self.tr("Prune {n} weights") if self.how == "or" else self.tr("Restore {n} weights")
        self.go.setText(text.format(n=count(number)) if number else self.tr("No changes"))
        self.go.setEnabled(bool(number))

    def _combine(self) -> None:
        self.combineRequested.emit(self.how)

    def _show_picture(self) -> None:
        self.reject()
        self.pictureRequested.emit()


def _share(overlap: TensorOverlap) -> str:
    return NO_NUMBER if overlap.jaccard is None else percent(overlap.jaccard)


Masks = Mapping[str, BitMask]


class CombineController(DialogController[CombineDialog]):
    """Combines the masks of the document with those of a file."""

    done = Signal(object)  # (ManualEditPreview) the edit that was applied

    def __init__(
        self, context: AppContext, session: OpenDocument, compare: CompareController
    ) -> None:
        super().__init__(context, session.closed)
        self._session = session
        self._compare = compare

    def ask(self) -> None:
        """Ask the user for a file, read its masks, and open the dialog.

        Do nothing without a document.
        """
        document = self._session.document
        if document is None or self.dialog is not None or not self._session.may_work():
            return
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            self.tr("Combine masks with a file"),
            str(self._session.folder("mask", document.checkpoint.path.parent)),
        )
        if name:
            self._session.note_folder("mask", Path(name))
            self._read(document, Path(name))

    def _read(self, document: Document, path: Path) -> None:
        snapshot = document.snapshot()

        def work(job: Job) -> tuple[Masks, bool, Overlap]:
            with open_checkpoint(path, job=job) as file:
                theirs, by_zeros = masks_of(snapshot, file, job)
            return theirs, by_zeros, overlap(snapshot, theirs, job)

        self._session.work(self.tr("Reading masks"), work, partial(self._show, path))

    def _show(self, path: Path, found: tuple[Masks, bool, Overlap]) -> None:
        if self.dialog is not None:
            return
        theirs, by_zeros, both = found
        contents = self._session.contents
        dialog = CombineDialog(
            path.name, both, contents.shown, self._window, by_zeros=by_zeros, short=contents.short
        )
        dialog.combineRequested.connect(partial(self._combine, theirs, path.name))
        dialog.pictureRequested.connect(partial(self._compare.other.set_masks, path.name, theirs))
        self.open(dialog)

    def _combine(self, theirs: Masks, title: str, how: Combination) -> None:
        document = self._session.document
        if document is None or not self._session.may_work():
            return
        snapshot = document.snapshot()

        def work(job: Job) -> ManualEditPreview:
            return compute_manual_edit(snapshot, combine(snapshot, theirs, how, title, job), job)

        self._session.work(self.tr("Combining masks"), work, self._on_combined)

    def _on_combined(self, preview: ManualEditPreview) -> None:
        if self._session.commit(preview):
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


class MaskDragController(Controller):
    """Copies masks to another window by dragging selected rows of the tree there.

    The dropped masks are handled as masks of a file: the form selects the method for masks, the
    preview shows the result, and the Prune button applies it.
    """

    def __init__(
        self, context: AppContext, session: OpenDocument, tree: ModuleTree, *, form: FormController
    ) -> None:
        super().__init__(context)
        self._session, self._tree = session, tree
        self._form = form
        tree.view.dragRequested.connect(self._drag)

    @Slot()
    def _drag(self) -> None:
        document, names = self._session.document, self._tree.selected()
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
        """Return the rows dragged from another window of this process; None to refuse the drop."""
        dragged = self._windows.dragged
        if (
            not isinstance(dragged, DraggedMasks)
            or dragged.window is self._window
            or self._session.document is None
            or not event.mimeData().hasFormat(_FORMAT)
        ):
            return None
        return dragged

    @Slot(object)
    def on_drag_enter(self, event: QDragEnterEvent) -> None:
        """Accept a drag of rows from another window, and show what dropping them does."""
        if (dragged := self._accepted_drag(event)) is not None:
            event.acceptProposedAction()
            text = self.tr("Drop here to prune what is pruned in {tensors} of {file}.")
            self._notifications.show_done(
                text.format(tensors=self._tensor_count_text(len(dragged.names)), file=dragged.file)
            )

    @Slot()
    def on_drag_leave(self) -> None:
        """Clear the text that `on_drag_enter` has shown."""
        if self._windows.dragged is not None:
            self._notifications.show_done("")

    @Slot(object)
    def on_drop(self, event: QDropEvent) -> None:
        """Read the masks of the dropped rows, and set them as the masks of the pruning form."""
        dragged, document = self._accepted_drag(event), self._session.document
        if dragged is None or document is None:
            return
        event.acceptProposedAction()
        bring_to_front(self._window)
        names, state, checkpoint = dragged.names, dragged.state, document.checkpoint
        self._session.work(
            self.tr("Reading masks"),
            lambda job: masks_from(state, names, checkpoint, job),
            partial(self._on_masks, dragged.file),
        )

    def _on_masks(self, file: str, taken: MatchingMasks) -> None:
        self._form.set_masks(taken.masks, file)
        tensors = self._tensor_count_text(len(taken.masks))
        text = self.tr("Masks of {tensors} were taken from {file}. Prune applies them.")
        self._notifications.show_done(text.format(tensors=tensors, file=file))
        if taken.misfits:
            text = self.tr(
                "Masks of {tensors} were taken from {file}. Left out, because they do not fit this "
                "file: {others}."
            )
            others = self._tensor_count_text(len(taken.misfits))
            self._notifications.show_info(
                NoticeTopic.OTHER_MASKS,
                text.format(tensors=tensors, file=file, others=others),
                "\n".join(taken.misfits),
            )

    def _tensor_count_text(self, tensors: int) -> str:
        return plural(tensors, self.tr("1 tensor"), self.tr("{n} tensors"))
