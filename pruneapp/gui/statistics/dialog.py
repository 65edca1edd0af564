"""The dialog that asks which inputs are run through the model, and where statistics are saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QPushButton, QWidget

from pruneapp.gui.app.dialogs import save_path
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource, SourceChoice
from pruneapp.gui.widgets.controls import LineEdit, lay_in_row, set_problem
from pruneapp.gui.widgets.labels import MUTED, as_plain, heading, label_for, plain
from pruneapp.gui.widgets.number_format import size
from pruneapp.gui.widgets.reports import DecisionDialog
from pruneapp.gui.widgets.typed_path import expand_home, is_file, path_problem

SUFFIX = ".statistics.safetensors"


class CollectDialog(DecisionDialog):
    """Asks for the inputs, the file, and whether Gram matrices are collected.

    `kinds` are the kinds of sources that are offered, `source` the initial one; `path` is the
    proposed file, `gram_bytes` the size of all Gram matrices, and `grams` whether they are chosen.
    """

    # Collect with `choice.source`; answer with `done`, or show the error by `choice.set_found`.
    collectRequested = Signal()

    def __init__(
        self,
        kinds: Sequence[DataKind],
        source: DataSource,
        path: Path,
        gram_bytes: int,
        parent: QWidget | None = None,
        *,
        grams: bool,
    ) -> None:
        super().__init__(self.tr("Collect statistics"), self.tr("Collect"), parent)
        about = plain(
            self.tr(
                "Runs inputs through the unpruned model, and saves activation statistics. Wanda, "
                "RIA and similar methods rank weights by them. Use inputs like those of real use, "
                "but not the evaluation data."
            ),
            wrap=True,
            ink=MUTED,
        )
        use = self.tr("The model runs with the data, and statistics of its activations are saved.")
        self.choice = SourceChoice(kinds, self, use=use)
        self.choice.set_source(source)
        words = self.tr("Also collect &Gram matrices, for Swaps and Repair (about {size})")
        self.grams = QCheckBox(words.format(size=size(gram_bytes)), self)
        self.grams.setToolTip(
            self.tr(
                "Pairwise products of the inputs of a layer, which Swaps and Repair require. To "
                "compute them, the model runs the inputs once more, or several times if memory is "
                "too small."
            )
        )
        self.grams.setAccessibleDescription(self.grams.toolTip())
        self.grams.setToolTip(as_plain(self.grams.toolTip()))
        self.grams.setChecked(grams)
        self.file = LineEdit(self)
        self.file.setText(str(path))
        self.file.setAccessibleName(self.tr("Statistics file"))
        self.browse = QPushButton(self.tr("Save as…"), self)
        self.browse.setAutoDefault(False)
        self.note = plain("", ink=MUTED)
        line = QWidget(self)
        label = label_for(self.file, self.tr("&File"))
        lay_in_row(line, label, self.file, self.browse, wide=self.file)
        self.lay_out(
            (about, heading(self.tr("Inputs")), self.choice, self.grams, line, self.note),
            wide=self.choice,
        )
        self.choice.changed.connect(self._show_state)
        self.choice.answered.connect(self._show_state)
        self.file.entered.connect(self._show_state)
        self.file.entered.connect(self.choice.check_again)
        self.browse.clicked.connect(self._browse)
        self._show_state()

    def path(self) -> Path:
        """Return the path of the file to write."""
        return expand_home(self.file.text().strip())

    def accept(self) -> None:
        """Request the collection. The dialog stays open until the source has been checked."""
        self.collectRequested.emit()

    def _browse(self) -> None:
        kinds = self.tr("Statistics ({patterns})").format(patterns="*.safetensors")
        title = self.tr("Save statistics as")
        path = save_path(self, title, self.path(), kinds, ".safetensors")
        if path is not None:
            self.file.setText(str(path))
            self._show_state()
            self.choice.check_again()

    def _show_state(self) -> None:
        problem = path_problem(self.file.text().strip(), "", (), split=False, folders=False)
        replaces = not problem and is_file(self.path())
        self.note.setText(self.tr("The existing file is replaced.") if replaces else problem)
        set_problem(self.go, self.choice.problem or problem)
