"""What is to evaluate the states of a file: a script, a command, or what is built in."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from pruneapp.gui.evaluation.source_choice import DataKind, DataSource, SourceChoice
from pruneapp.gui.widgets.labels import plain
from pruneapp.gui.widgets.reports import DecisionDialog


class EvaluateDialog(DecisionDialog):
    """Asks once for a file; `kinds` are those that its model can be run on."""

    # (DataSource) The person wants to evaluate by this; answer with `done`, or say by
    # `choice.set_found` what is wrong.
    evaluateRequested = Signal(object)

    templateRequested = Signal()  # the person wants a script to start from

    def __init__(
        self, kinds: Sequence[DataKind], source: DataSource, parent: QWidget | None = None
    ) -> None:
        super().__init__(self.tr("Evaluate"), self.tr("Evaluate"), parent)
        about = plain(
            self.tr(
                "Metrics of the model, measured in a separate process: first of the "
                "unpruned model, three times, which gives the noise; then of the current state. "
                "Further states are measured when you ask for them in the history."
            ),
            wrap=True,
        )
        self.choice = SourceChoice(kinds, self)
        self.choice.set_source(source)
        self.choice.changed.connect(self._on_changed)
        self.template = QPushButton(self.tr("Ne&w script…"), self)
        self.template.setAutoDefault(False)
        self.template.setToolTip(self.tr("Save a script to start from, made for this file"))
        self.template.setAccessibleDescription(self.template.toolTip())
        self.template.clicked.connect(self.templateRequested)
        self.lay_out((about, self.choice), wide=self.choice, beside=(self.template,))
        self._on_changed()

    def accept(self) -> None:
        """Ask for it; the dialog stays until it is known that this can be done."""
        self.evaluateRequested.emit(self.choice.source())

    def _on_changed(self) -> None:
        source = self.choice.source()
        self.go.setEnabled(bool(source.path) or source.kind is DataKind.TOKENS)
