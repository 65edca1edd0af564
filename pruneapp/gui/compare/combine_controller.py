"""The masks of another file: how far they agree with those here, and one made of both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFileDialog, QGridLayout, QPushButton, QRadioButton, QWidget

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.edits.apply_manual_edit import ManualEditPreview, compute_manual_edit
from pruneapp.edits.existing_masks import Combination, combine, masks_of, overlap
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.dialogs import DialogController
from pruneapp.gui.compare.compare_controller import CompareController
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.widgets.labels import MUTED, heading, plain
from pruneapp.gui.widgets.number_format import NO_NUMBER, count, percent
from pruneapp.gui.widgets.reports import CountsTable, DecisionDialog
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.results.short_names import ShortNames
from pruneapp.results.state_comparison import Overlap, TensorOverlap

_WIDTH = 640
_WIDEST = 960  # with the longest names
_LETTERS = 24  # of a name that there is always room for
_MEASURED = 100  # rows whose numbers are measured, beside the largest


class CombineDialog(DecisionDialog):
    """Shows the overlap of what is pruned here and in a file; one button makes one mask of both.

    `shown` has the names to show for the names in the file. `by_zeros` says that the other file has
    no masks, only zeros.
    """

    # The person wants ``or``, ``and`` or ``minus``; the dialog closes.
    combineRequested = Signal(str)
    pictureRequested = Signal()  # the person wants to see where they differ; the dialog closes

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
            sentences += " " + self.tr(
                "The other file has no masks: its zeros count as pruned, except in biases, norms "
                "and embeddings that have no pruned weights in this file."
            )
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
        self.table.fit_columns(largest.union(rows[:_MEASURED]))
        self.table.setMinimumWidth(self.table.width_for_names(("0" * _LETTERS,)))
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
        """Take the width that the names need, within reason."""
        layout = self.layout()
        assert layout is not None
        margins = layout.contentsMargins()
        width = self._names + margins.left() + margins.right()
        return QSize(max(self.width(), min(width, _WIDEST)), self.height())

    @property
    def how(self) -> str:
        """What is chosen: ``or``, ``and`` or ``minus``."""
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

    done = Signal(object)  # (ManualEditPreview) what was done

    def __init__(
        self, context: AppContext, session: OpenDocument, compare: CompareController
    ) -> None:
        super().__init__(context, session.closed)
        self._session = session
        self._compare = compare

    def ask(self) -> None:
        """Let the person choose a file, and then how."""
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
            path.name,
            both,
            contents.shown,
            self._window,
            by_zeros=by_zeros,
            short=contents.short,
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
