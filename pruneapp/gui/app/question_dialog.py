"""The dialog in which the user can revoke "Don't ask again"."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QPushButton, QVBoxLayout, QWidget

from pruneapp.gui.widgets.controls import add_row
from pruneapp.gui.widgets.engine_text import translate_declared
from pruneapp.gui.widgets.labels import MUTED, heading, plain
from pruneapp.gui.widgets.number_format import count, plural
from pruneapp.gui.widgets.reports import add_button_row
from pruneapp.gui.widgets.screen import Dialog
from pruneapp.params import FlagParam

_INSET = 24  # indentation of the help below a check box


class QuestionDialog(Dialog):
    """Lists the optional questions with a check box each, and the number of allowed scripts.

    `asked` are settings, each with whether it is on; `agreed` is the number of scripts and command
    lines that run without a question.
    """

    toggled = Signal(object, bool)  # a setting of `asked`, and its new value
    agreementsForgotten = Signal()

    def __init__(
        self, asked: Sequence[tuple[FlagParam, bool]], agreed: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Confirmations"))
        self.boxes: dict[FlagParam, QCheckBox] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(4)
        layout.addWidget(heading(self.tr("Questions")))
        for param, on in asked:
            box = self.boxes[param] = QCheckBox(translate_declared(param.label), self)
            box.setChecked(on)
            box.setAccessibleDescription(translate_declared(param.help))
            box.toggled.connect(self._on_toggled)
            note = plain(translate_declared(param.help), wrap=True, ink=MUTED)
            note.setContentsMargins(_INSET, 0, 0, 8)
            layout.addWidget(box)
            layout.addWidget(note)
        layout.addWidget(heading(self.tr("Scripts and command lines")))
        self.agreed = plain(wrap=True)
        self.forget = QPushButton(self.tr("Ask again"), self)
        self.forget.setAccessibleDescription(
            self.tr("Scripts and command lines are shown again before they run")
        )
        add_row(layout, self.agreed, self.forget, wide=self.agreed)
        layout.addSpacing(8)
        layout.addWidget(
            plain(self.tr("Actions that could lose work always ask."), wrap=True, ink=MUTED)
        )
        layout.addStretch(1)
        layout.addSpacing(8)
        self.close_button = QPushButton(self.tr("Close"), self)
        self.close_button.setDefault(True)
        add_button_row(layout, self.close_button)
        self.resize(480, self.sizeHint().height())
        self._show_agreed(agreed)
        self.forget.clicked.connect(self._on_forget)
        self.close_button.clicked.connect(self.accept)

    def _show_agreed(self, agreed: int) -> None:
        several = self.tr("{n} run without confirmation.").format(n=count(agreed))
        one = self.tr("1 runs without confirmation.")
        none = self.tr("New or changed ones are shown before they run.")
        self.agreed.setText(plural(agreed, one, several) if agreed else none)
        self.forget.setEnabled(bool(agreed))

    def _on_toggled(self, on: bool) -> None:
        box = self.sender()
        self.toggled.emit(next(param for param, each in self.boxes.items() if each is box), on)

    def _on_forget(self) -> None:
        self._show_agreed(0)
        self.agreementsForgotten.emit()
