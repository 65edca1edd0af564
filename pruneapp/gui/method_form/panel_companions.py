"""Whether the bias and norm of the channels that go should go as well, and why."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from pruneapp.gui.widgets.labels import plain, recolor
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.theme_colors import with_defaults


class CompanionsRow(QWidget):
    """A check box, and below it why, and of how many tensors.

    The lines below stand there once it is checked, and where it would not do what one expects: a
    form of this height leaves the forecast its room. Its tooltip always has them.

    Signals
    -------
    changed
        The person checked or unchecked it.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QCheckBox(self.tr("Also prune matching bias and norm entries"), self)
        self.note = plain(wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.box)
        layout.addWidget(self.note)
        self.setFocusProxy(self.box)
        self.box.clicked.connect(self.changed)
        self.box.toggled.connect(self._show_note)
        self._as_expected = True
        self.set_paired(None, 0)

    def set_paired(self, paired: int | None, tensors: int) -> None:
        """Take how many of the tensors have a bias or norm by their names; None: not known yet."""
        why = self.tr(
            "A pruned filter still outputs a constant if its norm layer has a bias (beta)."
        )
        if paired == 0:
            text = self.tr("No bias or norm layer was found for these tensors by name.")
        elif paired is None or paired == tensors:
            text = why
        else:
            text = self.tr("{why} {n} of {m} tensors have a matching bias or norm.").format(
                why=why, n=count(paired), m=count(tensors)
            )
        self.note.setText(text)
        self._as_expected = text == why
        self._show_note()
        tip = self.tr(
            "Matching entries are found by name, for example conv1 and bn1 in the same "
            "module. They do not count toward the amount."
        )
        self.box.setToolTip(f"{text} {tip}")
        self.box.setAccessibleDescription(f"{text} {tip}")

    def _show_note(self) -> None:
        self.note.setVisible(self.box.isChecked() or not self._as_expected)

    def set_wanted(self, *, wanted: bool) -> None:
        """Show whether it is wanted, silently."""
        self.box.setChecked(wanted)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        recolor(self.note, with_defaults(colors)["muted"])
