"""The fields of one method: labels, editors, and under each its help or what is wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from pruneapp.errors import ParameterError
from pruneapp.gui.method_form.editors import editor_for
from pruneapp.gui.method_form.editors_editor import Editor
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.labels import plain, recolor
from pruneapp.gui.widgets.theme_colors import with_defaults
from pruneapp.params import DimParam, IntParam, SeedParam
from pruneapp.params_declared import Param


class Field(QWidget):
    """A label and an editor, and below them a line of help, which an error takes the place of.

    The line is the first clause of the help; the tooltip has the whole.

    Signals
    -------
    changed
        The person changed the value.
    """

    changed = Signal()

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.param = param
        self.editor: Editor = editor_for(param, self)
        self.note = plain(wrap=True)
        self.note.setToolTip(param.help)
        self._colors = with_defaults({})
        self._told = self._instead = ""
        self._rank = 0  # of the tensors that it is about; 0 if that is not one
        label = QLabel(param.label, self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setBuddy(self.editor)
        label.setMinimumWidth(label_width(self))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        line = QHBoxLayout()
        layout.addLayout(line)
        line.setSpacing(8)
        line.addWidget(label)
        line.addWidget(self.editor, 1)
        layout.addWidget(self.note)
        self.setFocusProxy(self.editor)
        self.editor.changed.connect(self._after_change)
        self._show_note()

    def error(self) -> str:
        """Return what is wrong with the value, as a sentence; empty if nothing."""
        try:
            self.editor.value()
        except ParameterError as error:
            return str(error)
        return self._told

    def set_context(self, shape: Sequence[int], kind: str) -> None:
        """Take note of the tensor that the words are to be about; of no shape if they differ."""
        self.editor.set_context(shape, kind)
        if len(shape) != self._rank:
            self._rank = len(shape)
            self._show_note()

    def set_error(self, text: str) -> None:
        """Say what somebody else finds wrong, until the value changes."""
        self._told = text
        self._show_note()

    def set_used(self, *, used: bool, instead: str = "") -> None:
        """Let the value be changed, or say what counts `instead` of it."""
        self.editor.setEnabled(used)
        self._instead = "" if used else instead
        self._show_note()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self._colors = with_defaults(colors)
        self._show_note()

    def _after_change(self) -> None:
        self._told = ""
        self._show_note()
        self.changed.emit()

    def _show_note(self) -> None:
        error = self.error()
        recolor(self.note, self._colors["danger" if error else "muted"])
        self.note.setText(f"✕ {error}" if error else self._instead or self._help())

    def _help(self) -> str:
        said = first_clause(self.param.help)
        ends = self._ends()
        if ends is None:
            return said
        low, high = (number_format.count(end).replace("-", "−") for end in ends)
        return f"{said} " + self.tr("Allowed: {low} to {high}.").format(low=low, high=high)

    def _ends(self) -> tuple[int, int] | None:
        """Return the least and the greatest number that makes sense; None if there are none."""
        param = self.param
        if not isinstance(param, IntParam) or isinstance(param, (SeedParam, DimParam)):
            return None  # any seed is as good as another, and dimensions stand in a list
        low, high = param.bounds.low, param.bounds.high
        if low is None or high is None or low == high:
            return None
        return math.ceil(low), math.floor(high)


class Fields(QWidget):
    """The fields of a method, in the order of its declaration.

    Signals
    -------
    changed
        The person changed a value.
    """

    changed = Signal()

    def __init__(self, params: Sequence[Param], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, Field] = {}
        # No QFormLayout: it gives wrapped text the height that it has in another width.
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        for param in params:
            field = Field(param, self)
            layout.addWidget(field)
            field.changed.connect(self.changed)
            self.fields[param.name] = field

    def values(self) -> dict[str, Any]:
        """Return a valid value for every field; raises `ParameterError`."""
        return {name: field.editor.value() for name, field in self.fields.items()}

    def valid_values(self) -> dict[str, Any]:
        """Return the values of those fields that are in order."""
        found = {}
        for name, field in self.fields.items():
            try:
                found[name] = field.editor.value()
            except ParameterError:
                continue  # said beside the field
        return found

    def errors(self) -> tuple[str, ...]:
        """Return what is wrong, a sentence for each field where something is."""
        return tuple(error for field in self.fields.values() if (error := field.error()))


def label_width(widget: QWidget) -> int:
    """Return the width that the labels of the form share, whatever method is chosen."""
    return widget.fontMetrics().averageCharWidth() * 12


def first_clause(text: str) -> str:
    """Return a sentence up to its first colon, semicolon or full stop.

    What comes after explains it, in more lines than there is room for.
    """
    ends = [place for mark in (": ", "; ", ". ") if (place := text.find(mark)) > 0]
    return f"{text[: min(ends)]}." if ends else text
