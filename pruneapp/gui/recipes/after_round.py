"""What follows each round of iterative pruning: recovery, evaluation, and when to stop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from pruneapp.errors import ParameterError
from pruneapp.gui.evaluation.source_choice import DataKind, SourceChoice
from pruneapp.gui.widgets.controls import LineEdit, OptionBox, choice_box
from pruneapp.gui.widgets.labels import label_for

if TYPE_CHECKING:  # imported when rounds are computed
    from pruneapp.evaluation.rounds import RoundsSettings


class AfterRound(QWidget):
    """Fields for the recovery and evaluation of each round; the script only where one is needed.

    `kinds` are the kinds of data that the model can be run on.
    """

    changed = Signal()

    def __init__(self, kinds: Sequence[DataKind], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.recover = choice_box(
            self.tr("Recover after each round"),
            self.tr(
                "Train the remaining weights after each round, while pruned weights stay zero: "
                "to reproduce the outputs of the unpruned model on the inputs of calibrate(), "
                "or with train() of the script"
            ),
            (
                (self.tr("no"), ""),
                (self.tr("distillation, without labels"), "distillation"),
                (self.tr("train() of the script"), "training"),
            ),
        )
        self.steps = self._field(
            self.tr("Steps per round"),
            self.tr("Steps of the distillation in each round; 300 in total if it is empty"),
            self.tr("automatic"),
        )
        self.rewind = self._box(
            self.tr("Re&wind weights"),
            self.tr(
                "Start each recovery from the values before the first round, with the masks of "
                "the current round, as in lottery ticket experiments"
            ),
        )
        self.evaluate = self._box(
            self.tr("&Evaluate after each round"),
            self.tr("Measure the unpruned model and each round with the script"),
        )
        self.stop = self._field(
            self.tr("Stop when the metric gets worse by"),
            self.tr(
                "Largest allowed difference from the unpruned model: 0.01 in the unit of the "
                "metric, or 1 % of its value. The last round within this limit is selected"
            ),
            self.tr("never"),
        )
        self.choice = SourceChoice(kinds, self)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(2, 1)
        grid.addWidget(label_for(self.recover, self.tr("&Recover after each round")), 0, 0)
        grid.addWidget(self.recover, 0, 1)
        grid.addWidget(self.rewind, 0, 2)
        grid.addWidget(label_for(self.steps, self.tr("S&teps per round")), 1, 0)
        grid.addWidget(self.steps, 1, 1)
        grid.addWidget(self.evaluate, 2, 0)
        grid.addWidget(label_for(self.stop, self.tr("Stop when the metric gets &worse by")), 3, 0)
        grid.addWidget(self.stop, 3, 1)
        grid.addWidget(self.choice, 4, 0, 1, 3)
        self.recover.setAccessibleDescription(self.recover.toolTip())
        self.recover.activated.connect(self._on_setting)
        self.choice.changed.connect(self._on_changed)
        self.choice.answered.connect(self.changed)
        self._show_state()

    @property
    def recovers(self) -> bool:
        """Whether the model is trained after each round."""
        return bool(self.recover.currentData())

    @property
    def needs_script(self) -> bool:
        """Whether the model is run."""
        return self.recovers or self.evaluate.isChecked()

    @property
    def problem(self) -> str:
        """Why the script cannot be used, if one is needed; "" if it can."""
        return self.choice.problem if self.needs_script else ""

    def settings(self, rounds: int, seed: int, metric: str) -> RoundsSettings:
        """Return the settings; raise `ParameterError` for invalid text.

        `metric` is the one that the tolerance applies to; empty for the first.
        """
        from pruneapp.evaluation.metric import Tolerance
        from pruneapp.evaluation.recovery import STEPS, RecoverySettings
        from pruneapp.evaluation.rounds import RoundsSettings, steps_per_round

        recover = str(self.recover.currentData())
        typed = self.steps.text().strip() if recover == "distillation" else ""
        steps = STEPS.parse(typed) if typed else steps_per_round(rounds)
        evaluate, stop = self.evaluate.isChecked(), self.stop.text().strip()
        try:
            tolerance = Tolerance.parse(stop) if evaluate and stop else None
        except ParameterError:
            raise ParameterError(
                f"The tolerance must be a number of at least 0, or a percentage (got '{stop}').",
                remedy="0.01 is in the unit of the metric, 1% is relative to the unpruned model.",
            ) from None
        return RoundsSettings(
            recover,  # type: ignore[arg-type]  # one of the data of the box
            RecoverySettings(steps=steps, seed=seed),
            evaluate=evaluate,
            stop=tolerance,
            metric=metric,
            rewind=self.rewind.isChecked(),
        )

    def _field(self, name: str, help_: str, empty: str) -> LineEdit:
        field = LineEdit(self)
        field.setAccessibleName(name)
        field.setAccessibleDescription(help_)
        field.setToolTip(help_)
        field.setPlaceholderText(empty)
        field.entered.connect(self._on_setting)
        return field

    def _box(self, name: str, help_: str) -> OptionBox:
        box = OptionBox(name, self)
        box.setToolTip(help_)
        box.setAccessibleDescription(help_)
        box.toggled.connect(self._on_setting)
        return box

    def _on_setting(self) -> None:
        self._on_changed()
        self.choice.check_again()

    def _on_changed(self) -> None:
        self._show_state()
        self.changed.emit()

    def _show_state(self) -> None:
        recover = self.recover.currentData()
        self.steps.setEnabled(recover == "distillation")
        self.rewind.set_applicable(bool(recover))
        self.stop.setEnabled(self.evaluate.isChecked())
        self.choice.setVisible(self.needs_script)
