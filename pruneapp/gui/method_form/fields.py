"""The fields for the parameters of a method, and the section with the limits of a step."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWhatsThis,
    QWidget,
)

from pruneapp.errors import ParameterError
from pruneapp.gui.method_form.editors import (
    AmountEditor,
    Editor,
    editor_for,
    fit_digits,
    read_amount,
    write_amount,
)
from pruneapp.gui.method_form.form_model import AmountNote, FormContext
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import LineEdit, add_row, follow_font, lay_in_column, lay_in_row
from pruneapp.gui.widgets.engine_text import translate_error, with_translated_labels
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    ElidedLines,
    as_plain,
    join_sentences,
    label_for,
    letter_width,
    plain,
    translate,
    with_label,
)
from pruneapp.params import (
    AmountParam,
    ChoiceParam,
    DimParam,
    IntParam,
    Param,
    SeedParam,
    SubsetParam,
)


class Fields(QWidget):
    """Labelled editors of parameters, in the order of their declaration.

    Each has a button with its help. Below an editor is why its value is invalid. Below an amount is
    what it means in the tensors of the rule, in `meaning_lines` lines that are reserved, so that
    nothing moves.

    Attributes
    ----------
    values, errors
        The valid values, and a sentence for each other parameter, by name.
    """

    changed = Signal(str)  # (name) the user changed a value
    released = Signal()  # the user released a slider

    def __init__(
        self, params: Sequence[Param], parent: QWidget | None = None, *, meaning_lines: int = 1
    ) -> None:
        super().__init__(parent)
        self.editors: dict[str, Editor] = {}
        self.notes: dict[str, QLabel] = {}
        self.helps: dict[str, HelpButton] = {}
        self.meaning = ElidedLines(meaning_lines, self)  # of the amount
        self.meaning.setForegroundRole(MUTED)
        self.meaning.hide()
        self.values: dict[str, Any] = {}
        self.errors: dict[str, str] = {}
        self._context = FormContext()
        self._amount_note = AmountNote("")
        self._amount_error = ""
        self._n_lines = meaning_lines
        self._rows: dict[str, QVBoxLayout] = {}
        self._labels: list[QWidget] = []  # with their buttons for help
        self._fixed: dict[str, QLabel] = {}
        layout = lay_in_column(self, spacing=12)
        for param in params:
            # Created before the editor, for a tab order from left to right.
            explain = HelpButton(param.label, _help(param), self)
            editor, note, row = editor_for(param, self), plain(wrap=True), QVBoxLayout()
            layout.addLayout(row)
            row.setSpacing(2)
            if editor.names_itself:
                add_row(row, editor, explain, spacing=4, wide=editor)
                QWidget.setTabOrder(editor, explain)
            else:
                label, named = label_for(editor, param.label), QWidget(self)
                fit_label(named)
                lay_in_row(named, label, explain, spacing=4, wide=label)
                add_line(row, named, editor)
                self._labels.append(named)
            self.helps[param.name] = explain
            row.addWidget(note)
            if isinstance(param, AmountParam):
                row.addWidget(self.meaning)
            name = param.name
            self.editors[name], self.notes[name], self._rows[name] = editor, note, row
            editor.changed.connect(partial(self._read, name))
            editor.changed.connect(partial(self.changed.emit, name))
            editor.released.connect(self.released)
            self._read(name)

    def align_editors(self) -> None:
        """Give all labels the width of the widest one, so that the editors begin below each other.

        For places with room for long labels next to the editors.
        """
        widest = max((label.sizeHint().width() for label in self._labels), default=0)
        for label in self._labels:
            label.setMinimumWidth(max(widest, label.minimumWidth()))

    def set_value(self, name: str, value: Any) -> None:
        """Show a value without emitting `changed`."""
        self.editors[name].set_value(value)
        self._read(name)

    def set_context(self, context: FormContext) -> None:
        """Set the properties of the tensors and files that the values refer to.

        Amounts are disabled if a limit determines them.
        """
        self._context = context
        for name, editor in self.editors.items():
            editor.set_context(context)
            if isinstance(editor.param, AmountParam):
                editor.setEnabled(context.amount_used)
            self._read(name)

    def set_amount(self, amount: Any) -> None:
        """Show an amount that the user did not type, such as one dragged in a plot."""
        for name, editor in self.editors.items():
            if isinstance(editor, AmountEditor):
                editor.set_dragged(amount)
                self._read(name)

    def set_amount_note(self, note: AmountNote) -> None:
        """Set what the amount means in the tensors of the rule."""
        if note != self._amount_note:
            self._amount_note = note
            for name, editor in self.editors.items():
                if isinstance(editor.param, AmountParam):
                    self._read(name)

    def set_amount_error(self, text: str) -> None:
        """Show below the amount an error found elsewhere; "" clears it."""
        if text != self._amount_error:
            self._amount_error = text
            for name, editor in self.editors.items():
                if isinstance(editor.param, AmountParam):
                    self._read(name)

    def forget_reading(self) -> None:
        """Stop to show how a typed amount was read, because the user has changed something else."""
        for name, editor in self.editors.items():
            if isinstance(editor, AmountEditor) and editor.reading:
                editor.forget_reading()
                self._read(name)

    def set_fixed(self, name: str, value: str, reason: str) -> None:
        """Show `value`, which other settings determine, in place of the editor of a choice.

        `reason` is shown below it; "" shows the editor again, with the value of the user.
        """
        editor, note = self.editors[name], self.notes[name]
        assert isinstance(editor.param, ChoiceParam)
        if name not in self._fixed:
            self._fixed[name] = plain()
            editor.line.addWidget(self._fixed[name], 1)
        label = next(one.label for one in editor.param.choices if one.value == value)
        self._fixed[name].setText(label)
        self._fixed[name].setVisible(bool(reason))
        if (control := editor.focusProxy()) is not None:
            control.setVisible(not reason)
        note.setForegroundRole(MUTED)
        note.setText(reason)
        note.setVisible(bool(reason))

    def add_below(self, name: str, widget: QWidget) -> None:
        """Add a widget below the note of a parameter."""
        self._rows[name].addWidget(widget)

    def _read(self, name: str) -> None:
        """Store the value of an editor in `values` or its error in `errors`; show the note."""
        editor, note = self.editors[name], self.notes[name]
        self.errors.pop(name, None)
        try:
            self.values[name] = editor.value()
        except ParameterError as error:
            self.values.pop(name, None)
            self.errors[name] = translate_error(error, (editor.param,))
        is_amount = isinstance(editor.param, AmountParam)
        wrong = self.errors.get(name) or (self._amount_error if is_amount else "")
        is_wrong = bool(wrong)
        note.setForegroundRole(DANGER if is_wrong else MUTED)
        note.setText(f"✕ {wrong}" if is_wrong else "")
        note.setVisible(is_wrong)
        if is_amount:
            text, tip = self.tr("Set by the target total sparsity."), ""
            if self._context.amount_used:
                text, whole = self._amount_note
                tip = whole if whole != text else ""
                reading = "" if is_wrong or not isinstance(editor, AmountEditor) else editor.reading
                if self._n_lines > 1:
                    text = join_sentences(reading, text)
                elif reading:  # one line has no room for both
                    text, tip = reading, whole or text
            self.meaning.set_text(text, tip)
            self.meaning.setVisible(not is_wrong)


class HelpButton(QToolButton):
    """A small button that shows help as its tooltip, and in a popup when it is pressed."""

    def __init__(self, label: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText("?")
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        follow_font(self, lambda one: one.setFixedWidth(letter_width(one) * 3))
        self.setToolTip(as_plain(text))
        self.setAccessibleName(self.tr("Help: {label}").format(label=label))
        self.setAccessibleDescription(text)
        self.clicked.connect(self._show_popup)

    def _show_popup(self) -> None:
        QWhatsThis.showText(self.mapToGlobal(self.rect().bottomLeft()), self.toolTip(), self)


def _help(param: Param) -> str:
    """Return the help of a parameter, with the range of valid numbers if it has one."""
    ends = _valid_range(param)
    if ends is None:
        return param.help
    low, high = (number_format.count(end).replace("-", "−") for end in ends)
    text = translate("Fields", "Allowed: {low} to {high}.")
    return join_sentences(param.help, text.format(low=low, high=high))


def _valid_range(param: Param) -> tuple[int, int] | None:
    """Return the lowest and highest valid number; None if there is no range to show.

    Only whole numbers with two different bounds have one; seeds and dimensions have none.
    """
    if not isinstance(param, IntParam) or isinstance(param, (SeedParam, DimParam)):
        return None  # any seed is valid, and dimensions are in a list
    low, high = param.bounds.low, param.bounds.high
    if low is None or high is None or low == high:
        return None
    return math.ceil(low), math.floor(high)


def add_line(column: QVBoxLayout, label: QWidget, field: QWidget) -> None:
    """Add a row with a label and a field.

    A QFormLayout would compute wrapped text for another width.
    """
    add_row(column, label, field, wide=field)


def fit_label(label: QWidget) -> None:
    """Set the common width of labels in the form, which does not depend on the method."""
    follow_font(label, lambda one: one.setMinimumWidth(letter_width(one) * 29 // 2))


class BoundEditor(Editor):
    """A share, or a count if the parameter accepts one; empty for no limit."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.field = LineEdit(self)
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.field.setPlaceholderText(self.tr("not set"))
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
        with contextlib.suppress(ParameterError):  # what was typed is kept, to be corrected
            self.set_value(self.value())


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
    """The limits of a step, shown and hidden by `button`, which the caller places above.

    Attributes
    ----------
    values
        The valid limits that are not at their default, by name.
    errors
        A sentence for each invalid limit.
    """

    changed = Signal()
    sizeRequested = Signal()  # the user asked to compute the total from the size of a file

    def __init__(self, params: Sequence[Param] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.editors: dict[str, Editor] = {}
        self.values: dict[str, Any] = {}
        self.errors: tuple[str, ...] = ()
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
        about = self.tr("Limits of the sparsity after this step, of each tensor and in total.")
        column = lay_in_column(self, plain(about, wrap=True, ink=MUTED))
        rows = QFormLayout()
        column.addLayout(rows)
        rows.setHorizontalSpacing(8)
        rows.setVerticalSpacing(8)
        rows.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.by_size = QPushButton(self.tr("From target file size…"), self)
        self.by_size.setToolTip(
            self.tr("Compute the total sparsity at which a compact file fits a size")
        )
        self.by_size.setAccessibleDescription(self.by_size.toolTip())
        self.by_size.clicked.connect(self.sizeRequested)
        self.by_size.hide()
        for param in params:
            editor: Editor
            if isinstance(param, SubsetParam):
                editor = SeveralEditor(param, self)
            else:
                editor = BoundEditor(param, self)
            editor.changed.connect(self._read)
            editor.changed.connect(self.changed)
            label = label_for(editor, param.label)
            label.setToolTip(param.help)
            fit_label(label)
            rows.addRow(label, editor)
            if isinstance(param, AmountParam):
                note = self.tr("of all checked tensors together, not of the whole model")
                rows.addRow(plain(note, wrap=True, ink=MUTED))
                # Not next to the field, which would be too wide for a place next to its label.
                row = QWidget(self)
                lay_in_row(row, self.by_size).addStretch(1)
                rows.addRow(row)
                QWidget.setTabOrder(editor, self.by_size)
                self.by_size.show()
            self.editors[param.name] = editor
        column.addWidget(self.note)
        self.button.toggled.connect(self._unfold)
        self.button.setVisible(bool(params))
        self._unfold(unfolded=False)
        self._read()

    def set_values(self, values: Mapping[str, Any]) -> None:
        """Show limits without emitting signals; missing ones are set to their defaults."""
        for name, editor in self.editors.items():
            editor.set_value(values.get(name, editor.param.default))
        self._read()

    def set_limit(self, name: str, value: Any) -> None:
        """Show one limit without emitting signals."""
        self.editors[name].set_value(value)
        self._read()

    def set_error(self, text: str) -> None:
        """Show an error found elsewhere, until a limit changes; "" clears it."""
        if not self.errors:
            params = [editor.param for editor in self.editors.values()]
            self._show_error(with_translated_labels(text, params))

    @property
    def sets_amount(self) -> bool:
        """Whether a limit sets the amount of the step, in place of the amounts of rules."""
        amounts = (isinstance(self.editors[name].param, AmountParam) for name in self.values)
        return not self.errors and any(amounts)

    def _unfold(self, unfolded: bool) -> None:
        self.setVisible(unfolded)
        arrow = Qt.ArrowType.DownArrow if unfolded else Qt.ArrowType.RightArrow
        self.button.setArrowType(arrow)

    def _read(self) -> None:
        """Set `values` and `errors` of the fields.

        Show the first error, and on the button how many limits are in use.
        """
        errors = []
        self.values = {}
        for name, editor in self.editors.items():
            try:
                value = editor.value()
            except ParameterError as error:
                errors.append(translate_error(error, (editor.param,)))
            else:
                if value != editor.param.default:
                    self.values[name] = value
        self.errors = tuple(errors)
        self._show_error(errors[0] if errors else "")
        in_use = sum(
            len(v) if isinstance(v, tuple | frozenset) else 1 for v in self.values.values()
        )
        text = self.tr("Limits")
        if in_use and not errors:
            text = self.tr("Limits ({n})").format(n=number_format.count(in_use))
        self.button.setText(text)
        self.button.setAccessibleName(text)

    def _show_error(self, error: str) -> None:
        self.note.setText(f"✕ {error}" if error else "")
        self.note.setVisible(bool(error))
