"""What is asked: which pattern, along which dimension, of which tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from pruneapp.errors import ParameterError
from pruneapp.gui.method_form.editors import editor_for
from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.gui.widgets.controls_line_edit import LineEdit
from pruneapp.gui.widgets.labels import plain, recolor
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.theme_colors import with_defaults
from pruneapp.params import DimParam
from pruneapp.params_declared import Param

CHECKED, ALL = "checked", "all"


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes
    ----------
    pattern
        Valid, as ``2:4``.
    dim
        The dimension along which groups lie; negative counts from the end.
    everything
        Whether all tensors are meant that can be pruned, and not those that are checked.
    """

    pattern: str
    dim: int
    everything: bool


class QuestionRow(QWidget):
    """Three choices side by side, and below them a line of help, or what is wrong.

    Parameters
    ----------
    pattern
        Reads what is typed.
    usual
        Patterns to offer; the first is chosen.
    dim
        The dimension.

    Signals
    -------
    changed()
        The person asks something else; `question` says what.
    """

    changed = Signal()

    def __init__(
        self, pattern: Param, usual: Sequence[str], dim: DimParam, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._param = pattern
        self._colors = with_defaults({})
        self.pattern = ComboBox(self)
        self.pattern.setEditable(True)
        self.pattern.setLineEdit(LineEdit(self.pattern))
        self.pattern.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        # One that completes nothing: Qt's own makes "2:4" of "2:" before it is typed.
        self.pattern.setCompleter(QCompleter(self.pattern))
        self.pattern.addItems(usual)
        self.pattern.setMinimumContentsLength(7)
        self.pattern.setAccessibleName(pattern.label)
        self.pattern.setAccessibleDescription(pattern.help)
        self.pattern.setToolTip(pattern.help)
        self.dim = editor_for(dim, self)
        self.tensors = ComboBox(self)
        self.tensors.setAccessibleName(self.tr("Tensors"))
        self.tensors.setAccessibleDescription(self.tr("The tensors to check."))
        for which in (CHECKED, ALL):
            self.tensors.addItem("", which)
        self.note = plain(wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        row = QHBoxLayout()
        layout.addLayout(row)
        row.setSpacing(8)
        labels = (
            (self.tr("&Pattern"), self.pattern, 0),
            (self.tr("&Along"), self.dim, 2),
            (self.tr("&Tensors"), self.tensors, 3),
        )
        for place, (text, widget, stretch) in enumerate(labels):
            if place:
                row.addSpacing(8)
            label = QLabel(text, self)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setBuddy(widget)
            row.addWidget(label)
            row.addWidget(widget, stretch)
        layout.addWidget(self.note)
        self.setFocusProxy(self.pattern)
        self.pattern.editTextChanged.connect(self._on_changed)
        self.dim.changed.connect(self._on_changed)
        self.tensors.currentIndexChanged.connect(self._on_changed)
        self._say()

    def set_tensors(self, checked: int, every: int) -> None:
        """Take how many tensors are checked, and how many can be pruned in all.

        Where none is checked, all are meant.
        """
        said = (
            self.tr("1 checked tensor")
            if checked == 1
            else self.tr("{n} checked tensors").format(n=count(checked)),
            self.tr("all prunable tensors: {n}").format(n=count(every)),
        )
        blocker = QSignalBlocker(self.tensors)
        for place, text in enumerate(said):
            self.tensors.setItemText(place, text)
        if not checked:
            self.tensors.setCurrentIndex(1)
        del blocker

    def set_context(self, rank: int, kind: str) -> None:
        """Spell out the dimensions: of so many, for layers of a kind; empty for different ones."""
        self.dim.set_context((-1,) * rank, kind)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self._colors = with_defaults(colors)
        self._say()

    def question(self) -> Question | None:
        """Return what is asked; None while the pattern is none."""
        try:
            pattern = self._param.parse(self.pattern.currentText())
        except ParameterError:
            return None
        return Question(pattern, self.dim.value(), self.tensors.currentData() == ALL)

    def _on_changed(self) -> None:
        self._say()
        self.changed.emit()

    def _say(self) -> None:
        error = ""
        try:
            self._param.parse(self.pattern.currentText())
        except ParameterError as wrong:
            error = str(wrong)
        recolor(self.note, self._colors["danger" if error else "muted"])
        self.note.setText(
            f"✕ {error}"
            if error
            else self.tr(
                "2:4 means that at most 2 of every 4 weights are nonzero. Zeros in the "
                "file count as pruned."
            )
        )
