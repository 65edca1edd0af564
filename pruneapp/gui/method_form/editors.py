"""Editors of single values, one for each type of parameter, and of the tensors of a rule."""

from __future__ import annotations

import contextlib
import math
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QRandomGenerator, QSignalBlocker, Qt, Signal, SignalInstance
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QWidget

from pruneapp.errors import ParameterError
from pruneapp.gui.method_form.form_model import FormContext
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import (
    ComboBox,
    LineEdit,
    OptionBox,
    Slider,
    SpinBox,
    follow_font,
    lay_in_column,
    lay_in_row,
    symbol_button,
)
from pruneapp.gui.widgets.engine_text import translate_declared
from pruneapp.gui.widgets.labels import as_plain, join_sentences, label_for, translate
from pruneapp.gui.widgets.number_format import dim_labels
from pruneapp.params import (
    NORM_LABELS,
    Amount,
    AmountParam,
    ChoiceParam,
    DimParam,
    FlagParam,
    FloatParam,
    IntParam,
    NormParam,
    OptionalParam,
    Param,
    SeedParam,
    SizeParam,
)

_INT_MAX = 2**31 - 1


def fit_digits(field: LineEdit) -> None:
    """Set the width of a field to ten digits, or to its placeholder text if that is longer.

    It follows the font.
    """

    def fit(one: LineEdit) -> None:
        advance = one.fontMetrics().horizontalAdvance
        words = advance(one.placeholderText()) + advance("0") * 2
        one.setFixedWidth(max(advance("0") * 10, words))

    follow_font(field, fit)


class Editor(QWidget):
    """Edits the value of one parameter."""

    # Whether it contains the label of the parameter, so that no other label is needed.
    names_itself = False

    changed = Signal()  # the user changed the value; `value` may raise now
    released = Signal()  # the user released a slider

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.param = param
        self.line = lay_in_row(self)

    def _name(self, widget: QWidget, *, main: bool = True) -> None:
        if main:
            widget.setAccessibleName(self.param.label)
            self.setFocusProxy(widget)
        widget.setToolTip(as_plain(self.param.help))  # HTML is wrapped
        widget.setAccessibleDescription(self.param.help)

    def _add(self, widget: QWidget, changed: SignalInstance) -> None:
        """Add the control, which shows the default; `changed` is its signal for other values."""
        self._name(widget)
        self.line.addWidget(widget, 1)
        self.set_value(self.param.default)
        changed.connect(self.changed)

    @abstractmethod
    def value(self) -> Any:
        """Return the valid value; raise `ParameterError` if it is invalid."""

    @abstractmethod
    def set_value(self, value: Any) -> None:
        """Show a value without emitting `changed`."""

    def value_text(self) -> str:
        """Return the value as text; empty while it is invalid."""
        try:
            return self.param.format(self.value())
        except ParameterError:
            return ""

    def set_applicable(self, applies: bool) -> None:
        """Enable the editor if its parameter has an effect. The value is kept meanwhile."""
        self.setEnabled(applies)

    def set_context(self, context: FormContext) -> None:
        """Set the properties of the tensors and files that the value refers to."""


class TextEditor(Editor):
    """A text field that the parameter parses: for types without a better editor."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.field = LineEdit(self)
        if isinstance(param, OptionalParam):
            self.field.setPlaceholderText(param.nothing)
        self._add(self.field, self.field.textChanged)

    def value(self) -> Any:
        """Parse the text; a fraction may have the decimal point of the locale, or a dot.

        Raises `ParameterError`.
        """
        text = self.field.text()
        if isinstance(self.param, FloatParam):
            # parsed below, so that the error quotes the text as typed
            with contextlib.suppress(ParameterError):
                return self.param.parse(text.replace(number_format.locale().decimalPoint(), "."))
        return self.param.parse(text)

    def set_value(self, value: Any) -> None:
        text = self.param.format(value)
        if isinstance(self.param, FloatParam):
            text = text.replace(".", number_format.locale().decimalPoint())
        with QSignalBlocker(self.field):
            self.field.setText(text)


class SeedEditor(TextEditor):
    """A seed, and a button that draws a new one."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.die = symbol_button("⚄", self.tr("Generate a new seed"), self)
        self.die.clicked.connect(self._draw)
        self.line.addWidget(self.die)

    def _draw(self) -> None:
        # Six digits are easy to read out, and enough to differ.
        self.field.setText(str(QRandomGenerator.global_().bounded(1_000_000)))


class IntEditor(Editor):
    """A whole number."""

    def __init__(self, param: IntParam, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.field = SpinBox(self)
        self.field.setLineEdit(LineEdit(self.field))
        low, high = param.bounds.low, param.bounds.high
        self.field.set_steps(
            -_INT_MAX if low is None else max(-_INT_MAX, math.ceil(low)),
            _INT_MAX if high is None else min(_INT_MAX, math.floor(high)),
        )
        self.field.setGroupSeparatorShown(True)
        if param.unit:
            self.field.setSuffix(f" {param.unit}")
        self._add(self.field, self.field.valueChanged)

    def value(self) -> int:
        return int(self.param.validate(self.field.value()))

    def set_value(self, value: Any) -> None:
        with QSignalBlocker(self.field):
            self.field.setValue(value)


class FlagEditor(Editor):
    """A check box."""

    names_itself = True

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.box = OptionBox(param.label.replace("&", "&&"), self)
        self._add(self.box, self.box.toggled)

    def value(self) -> bool:
        """Return the choice, also while the box does not apply."""
        return self.box.choice()

    def set_value(self, value: Any) -> None:
        self.box.set_choice(value)

    def set_applicable(self, applies: bool) -> None:
        """Enable the box, or disable and uncheck it."""
        super().set_applicable(applies)
        self.box.set_applicable(applies)


class ComboEditor(Editor):
    """Base of editors that offer a list of values with labels."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.combo = ComboBox(self)
        self.combo.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.combo.setMinimumContentsLength(8)

    def offer(self, items: Sequence[tuple[str, Any, str]]) -> None:
        """Replace the items (label, value, tooltip) without emitting signals.

        The selected value is kept, as an additional item if it is not among them.
        """
        with QSignalBlocker(self.combo):
            kept = self.combo.currentData()
            self.combo.clear()
            for words, value, text in items:
                self.combo.addItem(words, value)
                if text:
                    place = self.combo.count() - 1
                    self.combo.setItemData(place, text, Qt.ItemDataRole.ToolTipRole)
        if kept is not None:
            self.set_value(kept)

    def value(self) -> Any:
        return self.param.validate(self.combo.currentData())

    def set_value(self, value: Any) -> None:
        """Select a value without emitting `changed`; add it if it is not in the list."""
        with QSignalBlocker(self.combo):
            place = self.combo.findData(value)
            if place < 0:
                self.combo.addItem(self.param.format(value), value)
                place = self.combo.count() - 1
            self.combo.setCurrentIndex(place)


class ChoiceEditor(ComboEditor):
    """One of a few named values."""

    def __init__(self, param: ChoiceParam, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.offer([(choice.label, choice.value, choice.help) for choice in param.choices])
        self._add(self.combo, self.combo.currentIndexChanged)


class NormEditor(ComboEditor):
    """The order of a norm: a list of the usual ones with their meaning, or any other as text."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.combo.setEditable(True)
        self.combo.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        for text, words in NORM_LABELS.items():
            self.combo.addItem(f"{text}: {translate_declared(words)}")
        self._add(self.combo, self.combo.editTextChanged)

    def value(self) -> Any:
        """Parse the part of the text before the colon."""
        return self.param.parse(self.combo.currentText().partition(":")[0])

    def set_value(self, value: Any) -> None:
        """Show a norm without emitting signals, with its meaning if it is in the list."""
        with QSignalBlocker(self.combo):
            text = self.param.format(value)
            place = self.combo.findText(f"{text}:", Qt.MatchFlag.MatchStartsWith)
            self.combo.setCurrentIndex(place)
            if place < 0:
                self.combo.setEditText(text)
            line = self.combo.lineEdit()
            if line is not None:
                line.setCursorPosition(0)


class DimEditor(ComboEditor):
    """A dimension, listed with its meaning."""

    def __init__(self, param: DimParam, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self._bounds = param.bounds
        self.set_context(FormContext())
        self._add(self.combo, self.combo.currentIndexChanged)

    def set_context(self, context: FormContext) -> None:
        """Show the meaning of the dimensions for the shape and kind of layer.

        Two dimensions are offered if the shape is unknown. The value is kept.
        """
        labels = dim_labels(context.shape or (-1, -1), context.kind)
        offered = [(text, dim, "") for dim, text in enumerate(labels)]
        offered.append((self.tr("−1: last dimension"), -1, ""))
        self.offer([item for item in offered if item[1] in self._bounds])


class SizeEditor(ComboEditor):
    """A list of sizes, or a size as text: 700 MB, 4 GiB, with the decimal point of the locale."""

    def __init__(self, param: SizeParam, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.combo.setEditable(True)
        self.combo.setLineEdit(LineEdit(self.combo))
        self.combo.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        # The default completer would turn 1 into 1 GB while 1 MB is typed; this one has no entries.
        self.combo.setCompleter(QCompleter(self.combo))
        for value in (None, *param.usual):
            self.combo.addItem(self._words(value))
        self._add(self.combo, self.combo.editTextChanged)

    def value(self) -> int | None:
        """Return the size in bytes; None for no size. Raises `ParameterError`."""
        text = self.combo.currentText()
        point = number_format.locale().decimalPoint()
        if point != "." and "." not in text:
            text = text.replace(point, ".")
        value: int | None = self.param.parse(text)
        return value

    def set_value(self, value: int | None) -> None:
        with QSignalBlocker(self.combo):
            words = self._words(value)
            self.combo.setCurrentIndex(self.combo.findText(words))
            self.combo.setEditText(words)

    def _words(self, value: int | None) -> str:
        return self.param.format(value) if value is None else number_format.short_size(value)


_DIGITS = 3  # a slider position is a tenth of a percent
_STEPS = 10**_DIGITS


class AmountEditor(Editor):
    """An amount.

    The field accepts "20 %", "0.2" and "1,000" in both modes. A bare "20" is a percentage or a
    count, as the `counts` button is set. A bare "150" is an error for percentages: as a count it
    would prune next to nothing, without an apparent reason.
    """

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self._n_remaining: int | None = None
        self._exact: float | None = None  # the value, if the field shows it with fewer digits
        self._fraction = ""  # what the user typed, if it is a fraction such as 0.2
        self.slider = Slider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, _STEPS)
        self.slider.setSingleStep(10)
        self.slider.setPageStep(50)
        self.slider.setMinimumWidth(64)
        self._name(self.slider)
        self.slider.setAccessibleName(self.tr("{label}, slider").format(label=param.label))
        self.field = LineEdit(self)
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        fit_digits(self.field)
        self._name(self.field)
        self.counts = symbol_button("#", self.tr("Enter a count instead of a percentage"), self)
        self.counts.setCheckable(True)
        self.line.addWidget(self.slider, 1)
        self.line.addWidget(self.field)
        self.line.addWidget(self.counts)
        self.setFocusProxy(self.field)

        self.set_value(param.default)
        self.slider.valueChanged.connect(self._on_slider_moved)
        self.slider.sliderReleased.connect(self.released)
        self.field.entered.connect(self._on_typed)
        self.field.editingFinished.connect(self._normalize_text)
        self.counts.toggled.connect(self._on_mode_switched)

    def value(self) -> Amount:
        """Return the share (a float) or the count (an int)."""
        if self._exact is not None:
            return self._exact
        amount: Amount = read_amount(
            self.field.text(), self.param, share=not self.counts.isChecked(), has_switch=True
        )
        return amount

    @property
    def reading(self) -> str:
        """How the typed number was read, if it is a fraction: 1 is 1 %, but 1.0 is 100 %."""
        if not self._fraction:
            return ""
        text = self.tr("“{text}” was read as a fraction: {amount}.")
        return text.format(text=self._fraction, amount=self.value_text())

    def forget_reading(self) -> None:
        """Make `reading` empty until another fraction is typed."""
        self._fraction = ""

    def set_value(self, value: Amount) -> None:
        self._set_exact(None)
        blockers = [QSignalBlocker(part) for part in (self.slider, self.field, self.counts)]
        self.counts.setChecked(not isinstance(value, float))
        self.field.setText(write_amount(value))
        self._move_slider(value)
        del blockers

    def set_dragged(self, value: Amount) -> None:
        """Show an amount that was not typed: a share with no more digits than the slider has.

        `value` returns the exact amount until another one is entered.
        """
        self.set_value(value)
        if isinstance(value, float):
            digits = _DIGITS
            while 0 < value < 1 and not 0 < round(value, digits) < 1:
                digits += 1
            if round(value, digits) != value:
                self.field.setText(write_amount(round(value, digits)))
                self._set_exact(value)

    def _set_exact(self, exact: float | None) -> None:
        self._exact, self._fraction = exact, ""
        self.field.setToolTip(as_plain(self.param.help if exact is None else write_amount(exact)))

    def value_text(self) -> str:
        """Return the amount as `write_amount` formats it; empty while it is invalid.

        A dragged amount is rounded as in the field.
        """
        if self._exact is not None:
            return self.field.text()
        try:
            return write_amount(self.value())
        except ParameterError:
            return ""

    def set_context(self, context: FormContext) -> None:
        """Set the number of units left, which is the range of the slider for counts.

        Moves the slider, and clears `reading` and the undo history of the field.
        """
        self._n_remaining = context.left
        self.forget_reading()
        # also in modes without counts: a pruning step has been applied since
        self.field.clear_undo()
        with QSignalBlocker(self.slider):
            self._move_slider_to_field()

    def _move_slider(self, value: Amount) -> None:
        """Move the slider to a value; disable it for counts of an unknown number of units."""
        if isinstance(value, float):
            self.slider.setEnabled(True)
            self.slider.setValue(round(value * _STEPS))
            return
        self.slider.setEnabled(bool(self._n_remaining))
        if self._n_remaining:
            self.slider.setValue(min(_STEPS, round(value / self._n_remaining * _STEPS)))

    def _move_slider_to_field(self) -> None:
        try:
            self._move_slider(self.value())
        except ParameterError:
            self.slider.setEnabled(False)  # an invalid value has no position

    def _on_slider_moved(self, place: int) -> None:
        value: Amount = place / _STEPS
        if self.counts.isChecked():
            value = round(value * (self._n_remaining or 0))
        self._set_exact(None)
        self.field.setText(write_amount(value))
        self.changed.emit()

    def _on_typed(self) -> None:
        text = self.field.text()
        if self.field.cursorPosition() == len(text) and re.fullmatch(r"\S*\d%", text):
            self.field.cursorBackward(False)
            self.field.insert("\u00a0")  # as `write_amount` shows it; calls this again
            self.field.end(False)
            return
        self._set_exact(None)
        text = self.field.text().strip()
        with contextlib.suppress(ValueError):  # including `ParameterError`
            if isinstance(self.value(), float) and float(_with_point(text)) == self.value():
                self._fraction = text
        # The mode changes only when the field is left: while 130 is corrected to 13, it is still a
        # percentage.
        with QSignalBlocker(self.slider):
            self._move_slider_to_field()
        self.changed.emit()

    def _normalize_text(self) -> None:
        # An invalid value is kept, to be corrected.
        if self._exact is None:
            fraction = self._fraction
            with contextlib.suppress(ParameterError):
                self.set_value(self.value())
            self._fraction = fraction
        if self.field.hasFocus():  # after Return: typing replaces the text
            self.field.selectAll()

    def _on_mode_switched(self, counts: bool) -> None:
        """Convert the amount to the other mode, and emit `changed`; `counts`: the new mode.

        A value that is invalid in one mode may be valid in the other: 150 is a count, but no
        percentage. One that cannot be read or converted becomes 20 %.
        """
        value: Amount = 0.2
        for share in (counts, not counts):
            with contextlib.suppress(ParameterError):
                value = self._exact or read_amount(self.field.text(), self.param, share=share)
                break
        if counts and isinstance(value, float):
            value = round(value * (self._n_remaining or 0))
        elif not counts and not isinstance(value, float):
            value = min(1.0, value / self._n_remaining) if self._n_remaining else 0.2
        self.set_dragged(value)  # e.g. 150 of 10 million: the exact share would not fit the field
        self.changed.emit()


def read_amount(text: str, param: Param, *, share: bool, has_switch: bool = False) -> Amount:
    """Parse an amount in the locale of the user, and validate it by the parameter.

    A whole number is a count (int), another number a share (float), and a number with "%" a
    percentage, returned as share. If `share`, numbers without "%" are percentages as well, from 0
    to 100 for whole numbers, above 1 for others: 1 is 1 %, 0.5 is 50 %. Raises `ParameterError`
    with what to enter; `has_switch`: a button "#" next to the field switches to counts.
    """
    plain = "".join(text.split())  # also removes the spaces that separate groups of digits
    is_percent = plain.endswith("%")
    digits = _with_point(plain.removesuffix("%"))
    try:
        number = float(digits)
        whole = re.fullmatch(r"[+-]?\d+", digits) is not None
        value: Amount = int(digits) if whole else number
        # Only with group separators is a larger number a count: 1,000.
        bare = share and digits == plain and whole
        if is_percent or bare or (share and 1 < number <= 100):
            value = number / 100
        checked: Amount = param.validate(value)
    except ValueError:  # including `ParameterError`
        raise ParameterError(_what_to_enter(plain, share=share, has_switch=has_switch)) from None
    return checked


def _what_to_enter(text: str, *, share: bool, has_switch: bool) -> str:
    if not share:
        words = translate("AmountEditor", "Enter a count, or 0 to 100 %.")
    elif has_switch:
        words = translate("AmountEditor", "Enter 0 to 100 %, or choose # for a count.")
    else:
        words = translate("AmountEditor", "Enter 0 to 100 %.")
    if "," in text and number_format.locale().decimalPoint() == ".":
        return join_sentences(words, translate("AmountEditor", "Use a decimal point."))
    return words


def _with_point(text: str) -> str:
    """Return a whole number without group separators, other text with "." as decimal point.

    A text with both separators is not converted to a number: "1.234,5" in German is "1.234.5".
    """
    locale = number_format.locale()
    point, group = locale.decimalPoint(), locale.groupSeparator()
    if group.strip() and re.fullmatch(rf"[+-]?\d{{1,3}}({re.escape(group)}\d{{3}})+", text):
        return text.replace(group, "")
    if point != "." and text.count(point) == 1:
        return text.replace(point, ".")
    return text


def write_amount(value: Amount) -> str:
    """Format a share as percentage with as few digits as needed, a count with group separators."""
    if not isinstance(value, float):
        return number_format.count(value)
    locale = number_format.locale()
    text = locale.toString(value * 100, "f", 10).rstrip("0").removesuffix(locale.decimalPoint())
    return f"{text}\u00a0%"


EDITORS: Mapping[type, Callable[[Any, QWidget | None], Editor]] = {
    AmountParam: AmountEditor,
    IntParam: IntEditor,
    SeedParam: SeedEditor,
    DimParam: DimEditor,
    NormParam: NormEditor,
    FlagParam: FlagEditor,
    ChoiceParam: ChoiceEditor,
    SizeParam: SizeEditor,
    OptionalParam: TextEditor,
    Param: TextEditor,
}


def editor_for(param: Param, parent: QWidget | None = None) -> Editor:
    """Return a new editor for `param`, by its type or the nearest base class with an editor."""
    kind = next(kind for kind in type(param).__mro__ if kind in EDITORS)
    return EDITORS[kind](param, parent)


def rows_of_editors(
    params: Sequence[Param], parent: QWidget, on_change: Callable[[], object]
) -> tuple[QWidget, dict[str, Editor]]:
    """Return a row of labeled editors above a row of flags, and the editors by name.

    They are at the defaults of their parameters. `on_change` is called when one changes.
    """
    settings, editors = QWidget(parent), dict[str, Editor]()
    rows, column = (QHBoxLayout(), QHBoxLayout()), lay_in_column(settings, spacing=8)
    for row in rows:
        column.addLayout(row)
    for param in params:
        editor = editors[param.name] = editor_for(param, settings)
        editor.setToolTip(param.help)
        if param.default is not None:
            editor.set_value(param.default)
        editor.changed.connect(on_change)
        flag = editor.names_itself
        row = rows[flag]
        if row.count():  # none after the last one, which ends where the fields above it end
            row.addSpacing(16 if flag else 8)
        if not flag:
            row.addWidget(label_for(editor, param.label))
        row.addWidget(editor, 0 if flag else 1)
    rows[True].addStretch(1)
    return settings, editors


def valid_values(editors: Mapping[str, Editor]) -> dict[str, Any]:
    """Return the values of editors by name, without those that are invalid."""
    values = {}
    for name, editor in editors.items():
        with contextlib.suppress(ParameterError):
            values[name] = editor.value()
    return values


_CHECKED = ("", "")


class TensorChoice(ComboBox):
    """A combo box with the kinds of layers, whose text can also be patterns."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setEditable(True)
        line = LineEdit(self)
        self.setLineEdit(line)
        self.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        self.setAccessibleName(self.tr("Tensors of this rule"))
        self.set_example(FormContext.example)
        self.setMinimumContentsLength(8)
        self.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.set_kinds(())
        self.editTextChanged.connect(self._keep_on_one_line)

    def set_example(self, pattern: str) -> None:
        """Set the pattern shown as example, which should match a tensor of the file."""
        line = self.lineEdit()
        assert line is not None
        line.setPlaceholderText(self.tr("Pattern, such as {pattern}").format(pattern=pattern))
        text = self.tr(
            "The checked tensors, all layers of one type, or patterns such as {pattern}, "
            "separated by commas"
        )
        self.setToolTip(text.format(pattern=pattern))
        self.setAccessibleDescription(self.toolTip())

    def set_kinds(self, kinds: Sequence[str]) -> None:
        """Replace the kinds of layers without emitting signals; the text is kept."""
        with QSignalBlocker(self):
            text, begun = self.currentText(), self.count() > 0
            self.clear()
            self.addItem(self.tr("checked tensors"), _CHECKED)
            for kind in kinds:
                self.addItem(self._kind_text(kind), ("", kind))
            if text:
                self.setCurrentText(text)
                self.setCurrentIndex(max(-1, self.findText(text)))
                self.setEditText(text)
            elif begun:
                self.set_empty()

    def set_target(self, pattern: str, kind: str) -> None:
        """Show a pattern or a kind without emitting signals; both empty: the checked tensors.

        A kind that is not in the list is shown as text, which is returned as a pattern.
        """
        with QSignalBlocker(self):
            place = -1
            for item in range(self.count()):
                if self.itemData(item) == (pattern, kind) and not pattern:
                    place = item
            self.setCurrentIndex(place)
            if place < 0:
                self.setEditText(pattern or self._kind_text(kind))

    def set_empty(self) -> None:
        """Clear the text without emitting signals, so that no tensors are named."""
        with QSignalBlocker(self):
            self.setCurrentIndex(-1)
            self.setEditText("")

    @property
    def is_empty(self) -> bool:
        """Whether no tensors are named yet."""
        return not self.currentText().strip(" ,")

    def pattern_and_kind(self) -> tuple[str, str]:
        """Return pattern and kind, of which one is empty.

        Both are empty for the checked tensors, and if `is_empty`.
        """
        text = self.currentText().strip()
        place = self.findText(text, Qt.MatchFlag.MatchExactly)
        if place >= 0:
            pattern, kind = self.itemData(place)
            return pattern, kind
        return text, ""

    def _keep_on_one_line(self, text: str) -> None:
        # A pasted list of names has one name per line.
        if "\n" in text:
            lines = filter(None, (line.strip(" ,") for line in text.splitlines()))
            self.setEditText(", ".join(lines))

    def _kind_text(self, kind: str) -> str:
        return self.tr("all {kind} layers").format(kind=kind)
