"""Dialogs that show what is about to be done: one button does it, another leaves all as it is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QBoxLayout, QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget


class DecisionDialog(QDialog):
    """Asks whether something is to be done; `accepted` if it is.

    Parameters
    ----------
    title
        Of the window.
    action
        What the button says that does it, with its number: "Prune channel 12 in 24 tensors".

    Attributes
    ----------
    go, leave
        The buttons.
    """

    def __init__(self, title: str, action: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.go = QPushButton(action, self)
        self.go.setObjectName("mainAction")
        self.go.setDefault(True)
        self.leave = QPushButton(self.tr("Cancel"), self)
        self.go.clicked.connect(self.accept)
        self.leave.clicked.connect(self.reject)

    def lay_out(
        self, parts: Sequence[QWidget], *, wide: QWidget, beside: Sequence[QWidget] = ()
    ) -> None:
        """Put parts below each other, and the buttons below them.

        Parameters
        ----------
        parts
            From top to bottom.
        wide
            The one of them that gets the room that is left.
        beside
            Other buttons, at the left of the two.
        """
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        for part in parts:
            layout.addWidget(part, int(part is wide))
        add_button_row(layout, self.leave, self.go, beside=beside)


def add_button_row(layout: QBoxLayout, *buttons: QWidget, beside: Sequence[QWidget] = ()) -> None:
    """Add the last line of a dialog: `buttons` at the right, the main one last, others left."""
    row = QHBoxLayout()
    layout.addLayout(row)
    row.setSpacing(8)
    for button in beside:
        row.addWidget(button)
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
