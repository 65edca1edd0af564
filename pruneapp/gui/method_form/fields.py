"""The fields for the parameters of a method, and the section with the limits of a step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from pruneapp.errors import ParameterError
from pruneapp.gui.method_form.editors import (
    Editor,
    editor_for,
    fit_digits,
    read_amount,
    write_amount,
)
from pruneapp.gui.method_form.form_model import FormContext
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import LineEdit, add_row, follow_font, lay_in_column
from pruneapp.gui.widgets.engine_text import translate_error, with_translated_labels
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    join_sentences,
    label_for,
    letter_width,
    plain,
    with_label,
)
from pruneapp.params import AmountParam, DimParam, IntParam, Param, SeedParam, SubsetParam


class Field(QWidget):
    """A label, an editor, and a note below with help or an error.

    The help is its first clause; the tooltip shows all of it.
    """

    changed = Signal()
    released = Signal()

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.param = param
        self.editor: Editor = editor_for(param, self)
        self.note = plain(wrap=True)
        self.note.setToolTip(param.help)
        self._context = FormContext()
        self._external_error = ""
        layout = lay_in_column(self, spacing=2)
        if self.editor.names_itself:
            layout.addWidget(self.editor)
        else:
            label = label_for(self.editor, param.label)
            fit_label(label)
            add_line(layout, label, self.editor)
        layout.addWidget(self.note)
        self.setFocusProxy(self.editor)
        self.editor.changed.connect(self._after_change)
        self.editor.released.connect(self.released)
        self._show_note()

    def error(self) -> str:
        """Return what is wrong with the value, as a sentence; empty if it is valid."""
        try:
            self.editor.value()
        except ParameterError as error:
            return translate_error(error, (self.param,))
        return self._external_error

    def set_context(self, context: FormContext) -> None:
        """Set the properties of the tensors and files that the value refers to."""
        self._context = context
        self.editor.set_context(context)
        if isinstance(self.param, AmountParam):
            self.editor.setEnabled(context.amount_used)
        self._show_note()

    def set_error(self, text: str) -> None:
        """Show an error found elsewhere, until the value changes."""
        self._external_error = with_translated_labels(text, (self.param,))
        self._show_note()

    @property
    def _is_set_by_limit(self) -> bool:
        """Whether a limit determines the amount, in place of this field."""
        return isinstance(self.param, AmountParam) and not self._context.amount_used

    def _after_change(self) -> None:
        self._external_error = ""
        self._show_note()
        self.changed.emit()

    def _show_note(self) -> None:
        error = self.error()
        self.note.setForegroundRole(DANGER if error else MUTED)
        self.note.setText(f"✕ {error}" if error else self._help())

    def _help(self) -> str:
        if self._is_set_by_limit:
            return self.tr("Set by the target total sparsity.")
        text = first_clause(self.param.help)
        ends = self._valid_range()
        if ends is None:
            return text
        low, high = (number_format.count(end).replace("-", "−") for end in ends)
        return join_sentences(text, self.tr("Allowed: {low} to {high}.").format(low=low, high=high))

    def _valid_range(self) -> tuple[int, int] | None:
        """Return the lowest and highest valid number; None if there is no range to show."""
        param = self.param
        if not isinstance(param, IntParam) or isinstance(param, (SeedParam, DimParam)):
            return None  # any seed is valid, and dimensions are in a list
        low, high = param.bounds.low, param.bounds.high
        if low is None or high is None or low == high:
            return None
        return math.ceil(low), math.floor(high)


class Fields(QWidget):
    """The fields of a method, in the order of its declaration."""

    changed = Signal()
    released = Signal()

    def __init__(self, params: Sequence[Param], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, Field] = {}
        layout = lay_in_column(self, spacing=12)
        for param in params:
            field = Field(param, self)
            layout.addWidget(field)
            field.changed.connect(self.changed)
            field.released.connect(self.released)
            self.fields[param.name] = field

    def values(self) -> dict[str, Any]:
        """Return the value of each field; raise `ParameterError` if one is invalid."""
        return {name: field.editor.value() for name, field in self.fields.items()}

    def valid_values(self) -> dict[str, Any]:
        values = {}
        for name, field in self.fields.items():
            try:
                values[name] = field.editor.value()
            except ParameterError:
                continue  # the error is shown next to the field
        return values

    def errors(self) -> tuple[str, ...]:
        """Return a sentence for each field that is invalid."""
        return tuple(error for field in self.fields.values() if (error := field.error()))


def add_line(column: QVBoxLayout, label: QWidget, field: QWidget) -> None:
    """Add a row with a label and a field.

    A QFormLayout would compute wrapped text for another width.
    """
    add_row(column, label, field, wide=field)


def fit_label(label: QWidget) -> None:
    """Set the common width of labels in the form, which does not depend on the method."""
    follow_font(label, lambda one: one.setMinimumWidth(letter_width(one) * 12))


def first_clause(text: str) -> str:
    """Return a text up to its first colon, semicolon or full stop, which fits on one line.

    In Chinese no space follows these marks.
    """
    stops = {": ": ".", "; ": ".", ". ": ".", "：": "。", "；": "。", "。": "。"}
    ends = [(place, stop) for mark, stop in stops.items() if (place := text.find(mark)) > 0]
    if not ends:
        return text
    place, stop = min(ends)
    return text[:place] + stop


class BoundEditor(Editor):
    """A share, or a count if the parameter accepts one; empty for no limit."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.field = LineEdit(self)
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.field.setPlaceholderText(self.tr("no limit"))
        fit_digits(self.field)
        self._name(self.field)
        self.line.addWidget(self.field)
        self.line.addStretch(1)
        self.field.entered.connect(self.changed)
        self.field.editingFinished.connect(self._normalize_text)

    def value(self) -> Any:
        """Return the limit, or the default if empty; raise `ParameterError` if invalid."""
        text = self.field.text()
        return read_amount(text, self.param, share=True) if text.strip() else self.param.default

    def set_value(self, value: Any) -> None:
        with QSignalBlocker(self.field):
            self.field.setText("" if value == self.param.default else write_amount(value))

    def _normalize_text(self) -> None:
        try:
            self.set_value(self.value())
        except ParameterError:
            return  # what was typed is kept, to be corrected


class SeveralEditor(Editor):
    """A check box for each value of a set."""

    def __init__(self, param: SubsetParam, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.boxes: dict[str, QCheckBox] = {}
        column = QVBoxLayout()
        self.line.addLayout(column)
        column.setSpacing(4)
        for choice in param.choices:
            box = QCheckBox(choice.label, self)
            box.setToolTip(choice.help)
            box.setAccessibleName(with_label(param.label, choice.label))
            box.setAccessibleDescription(choice.help)
            box.toggled.connect(self.changed)
            column.addWidget(box)
            self.boxes[choice.value] = box

    def value(self) -> Any:
        return self.param.validate(tuple(w for w, box in self.boxes.items() if box.isChecked()))

    def set_value(self, value: Any) -> None:
        for word, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(word in value)


class LimitsSection(QWidget):
    """The limits of a step, shown and hidden by `button`, which the caller places above."""

    changed = Signal()
    sizeRequested = Signal()  # the user asked to compute the total from the size of a file

    def __init__(self, params: Sequence[Param] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._external_error = ""
        self._params = tuple(params)
        self.editors: dict[str, Editor] = {}
        # with a parent from the start: without, it would briefly be a window
        self.button = QToolButton(parent)
        self.button.setCheckable(True)
        self.button.setAutoRaise(True)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.setToolTip(
            self.tr("Limit the sparsity per tensor and in total, and exclude layers")
        )
        self.button.setAccessibleDescription(self.button.toolTip())
        self.note = plain(wrap=True, ink=DANGER)
        about = self.tr("Sparsity limits after this step: per tensor and in total.")
        self.about = plain(about, wrap=True, ink=MUTED)
        column = lay_in_column(self, self.about)
        rows = QFormLayout()
        column.addLayout(rows)
        rows.setHorizontalSpacing(8)
        rows.setVerticalSpacing(8)
        rows.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)  # the labels are long
        self.by_size = QPushButton(self.tr("From target file size…"), self)
        self.by_size.setToolTip(
            self.tr("Compute the total sparsity at which a compact file fits a size")
        )
        self.by_size.setAccessibleDescription(self.by_size.toolTip())
        self.by_size.clicked.connect(self.sizeRequested)
        self.by_size.hide()
        for param in params:
            editor = _editor_for(param, self)
            if isinstance(param, AmountParam):  # the total sparsity
                editor.line.addWidget(self.by_size)
                self.by_size.show()
            editor.changed.connect(self._after_change)
            label = label_for(editor, param.label)
            label.setToolTip(param.help)
            fit_label(label)
            rows.addRow(label, editor)
            self.editors[param.name] = editor
        column.addWidget(self.note)
        self.button.toggled.connect(self._unfold)
        self.button.setVisible(bool(params))
        self._unfold(unfolded=False)
        self._show_note()

    def set_values(self, values: Mapping[str, Any]) -> None:
        """Show limits without emitting signals; missing ones are set to their defaults."""
        for name, editor in self.editors.items():
            editor.set_value(values.get(name, editor.param.default))
        self._external_error = ""
        self._show_note()

    def set_limit(self, name: str, value: Any) -> None:
        """Show one limit without emitting signals."""
        self.editors[name].set_value(value)
        self._external_error = ""
        self._show_note()

    def set_error(self, text: str) -> None:
        """Show an error found elsewhere, until a limit changes."""
        self._external_error = with_translated_labels(text, self._params)
        self._show_note()

    def values(self) -> dict[str, Any]:
        """Return the limits that are not at their default; raise `ParameterError` for errors."""
        values = {name: editor.value() for name, editor in self.editors.items()}
        return {n: v for n, v in values.items() if v != self.editors[n].param.default}

    @property
    def sets_amount(self) -> bool:
        """Whether a limit sets the amount of the step, in place of the amounts of rules."""
        if self.errors():
            return False
        return any(isinstance(self.editors[n].param, AmountParam) for n in self.values())

    def errors(self) -> tuple[str, ...]:
        """Return a sentence for each limit that is invalid."""
        errors = []
        for editor in self.editors.values():
            try:
                editor.value()
            except ParameterError as error:
                errors.append(translate_error(error, (editor.param,)))
        return tuple(errors)

    def _after_change(self) -> None:
        self._external_error = ""
        self._show_note()
        self.changed.emit()

    def _unfold(self, unfolded: bool) -> None:
        self.setVisible(unfolded)
        arrow = Qt.ArrowType.DownArrow if unfolded else Qt.ArrowType.RightArrow
        self.button.setArrowType(arrow)

    def _show_note(self) -> None:
        errors = self.errors()
        error = errors[0] if errors else self._external_error
        self.note.setText(f"✕ {error}" if error else "")
        self.note.setVisible(bool(error))
        if errors:
            text = self.tr("Limits…")
        else:
            # Limits in use are counted on the button, as they may be hidden.
            values = self.values().values()
            bound = sum(len(v) if isinstance(v, tuple | frozenset) else 1 for v in values)
            text = self.tr("Limits ({n})").format(n=number_format.count(bound)) if bound else ""
        self.button.setText(text or self.tr("Limits…"))
        self.button.setAccessibleName(self.button.text())


def _editor_for(param: Param, parent: QWidget) -> Editor:
    if isinstance(param, SubsetParam):
        return SeveralEditor(param, parent)
    return BoundEditor(param, parent)
