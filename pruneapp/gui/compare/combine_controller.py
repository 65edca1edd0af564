"""The masks of another file: how far they agree with those here, and one made of both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.edits.apply_manual_edit import ManualEditPreview, compute_manual_edit
from pruneapp.edits.combine import Combination, combine, overlap
from pruneapp.edits.mask_files import masks_of
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.dialogs import DialogController
from pruneapp.gui.compare.combine_dialog import CombineDialog
from pruneapp.gui.compare.compare_controller import CompareController
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.results.state_comparison import Overlap

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

        def work(job: Job) -> tuple[Masks, Overlap]:
            with open_checkpoint(path, job=job) as file:
                theirs = masks_of(snapshot.checkpoint, file, job)
            return theirs, overlap(snapshot, theirs, job)

        self._session.work(self.tr("Reading masks"), work, partial(self._show, path))

    def _show(self, path: Path, file_masks: tuple[Masks, Overlap]) -> None:
        if self.dialog is not None:
            return
        theirs, both = file_masks
        contents = self._session.contents
        dialog = CombineDialog(path.name, both, contents.shown, self._window, short=contents.short)
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
