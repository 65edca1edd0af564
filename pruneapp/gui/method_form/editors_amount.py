"""How much: a slider, a field that reads shares and counts, and a switch between the two."""

from __future__ import annotations

import contextlib
import re

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from pruneapp.errors import ParameterError
from pruneapp.gui.method_form.editors_editor import Editor
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import Slider
from pruneapp.gui.widgets.controls_line_edit import LineEdit
from pruneapp.params_amounts import Amount
from pruneapp.params_declared import Param

_DIGITS = 3  # of a share: a tenth of a percent
_STEPS = 10**_DIGITS


class AmountEditor(Editor):
    """An amount.

    The field reads "20 %", "0.2" and "1,000" whatever the switch says. A bare "20" is what the
    switch says: a share in percent, or a count. A bare "150" is wrong where percent are entered:
    as a count it would be next to nothing, and nobody would see why.
    """

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self._left: int | None = None
        self._exact: float | None = None  # what the field says in fewer digits
        self.slider = Slider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, _STEPS)
        self.slider.setSingleStep(10)
        self.slider.setPageStep(50)
        self.slider.setMinimumWidth(80)
        self._name(self.slider)
        self.slider.setAccessibleName(self.tr("{label}, slider").format(label=param.label))
        self.field = LineEdit(self)
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.field.setFixedWidth(self.fontMetrics().horizontalAdvance("0") * 10)
        self._name(self.field)
        self.counts = QToolButton(self)
        self.counts.setText("#")
        self.counts.setCheckable(True)
        self.counts.setAccessibleName(self.tr("Enter a count instead of a percentage"))
        self.counts.setToolTip(self.counts.accessibleName())
        self.counts.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.line.addWidget(self.slider, 1)
        self.line.addWidget(self.field)
        self.line.addWidget(self.counts)
        self.setFocusProxy(self.field)

        self.set_value(param.default)
        self.slider.valueChanged.connect(self._slid)
        self.field.textEdited.connect(self._typed)
        self.field.editingFinished.connect(self._tidy)
        self.counts.toggled.connect(self._switched)

    def value(self) -> Amount:
        """Return the share (a float) or the count (an int)."""
        if self._exact is not None:
            return self._exact
        amount: Amount = read_amount(
            self.field.text(), self.param, share=not self.counts.isChecked()
        )
        return amount

    def set_value(self, value: Amount) -> None:
        """Show a share or a count."""
        self._say(None)
        blockers = [QSignalBlocker(part) for part in (self.slider, self.field, self.counts)]
        self.counts.setChecked(not isinstance(value, float))
        self.field.setText(write_amount(value))
        self._move_slider(value)
        del blockers

    def set_dragged(self, value: Amount) -> None:
        """Show an amount that nobody entered: a share in no more digits than the slider has.

        `value` returns all of it until another is entered: a threshold stays where it was put.
        """
        self.set_value(value)
        if isinstance(value, float):
            digits = _DIGITS
            while 0 < value < 1 and not 0 < round(value, digits) < 1:
                digits += 1
            if round(value, digits) != value:
                self.field.setText(write_amount(round(value, digits)))
                self._say(value)

    def _say(self, exact: float | None) -> None:
        self._exact = exact
        self.field.setToolTip(self.param.help if exact is None else write_amount(exact))

    def summary(self) -> str:
        """Return the amount as the field writes it."""
        if self._exact is not None:
            return self.field.text()
        try:
            return write_amount(self.value())
        except ParameterError:
            return ""

    def set_left(self, left: int | None) -> None:
        """Let the slider reach over so many units when it counts."""
        self._left = left
        self.field.settle()
        blocker = QSignalBlocker(self.slider)
        self._move_slider_to_field()
        del blocker

    def _move_slider(self, value: Amount) -> None:
        if isinstance(value, float):
            self.slider.setEnabled(True)
            self.slider.setValue(round(value * _STEPS))
            return
        self.slider.setEnabled(bool(self._left))
        if self._left:
            self.slider.setValue(min(_STEPS, round(value / self._left * _STEPS)))

    def _move_slider_to_field(self) -> None:
        try:
            self._move_slider(self.value())
        except ParameterError:
            return  # the form says what is wrong; the slider stays where it was

    def _slid(self, place: int) -> None:
        value: Amount = place / _STEPS
        if self.counts.isChecked():
            value = round(value * (self._left or 0))
        self._say(None)
        self.field.setText(write_amount(value))
        self.changed.emit()

    def _typed(self) -> None:
        self._say(None)
        # The switch follows only when the field is left: who types 130 and mends it to 13 is
        # still speaking of percent.
        blocker = QSignalBlocker(self.slider)
        self._move_slider_to_field()
        del blocker
        self.changed.emit()

    def _tidy(self) -> None:
        # What is wrong stays to be mended.
        if self._exact is None:
            with contextlib.suppress(ParameterError):
                self.set_value(self.value())
        if self.field.hasFocus():  # by Return: what is typed next replaces it
            self.field.selectAll()

    def _switched(self, counts: bool) -> None:
        """Keep the amount and say it the other way, as well as that can be done."""
        try:
            value = self._exact or read_amount(self.field.text(), self.param, share=counts)
        except ParameterError:
            value = 0.2
        if counts and isinstance(value, float):
            value = round(value * (self._left or 0))
        elif not counts and not isinstance(value, float):
            value = min(1.0, value / self._left) if self._left else 0.2
        self.set_value(value)
        self.changed.emit()


def read_amount(text: str, param: Param, *, share: bool) -> Amount:
    """Read an amount in the person's locale; raises `ParameterError`, which says what to enter.

    Parameters
    ----------
    text
        What was typed.
    param
        Checks the result.
    share
        Whether a bare number is a share in percent.
    """
    plain = "".join(text.split())  # also of the spaces that numbers are written with
    is_percent = plain.endswith("%")
    digits = _with_point(plain.removesuffix("%"))
    if share and digits == plain and digits.isdecimal() and float(digits) > 100:
        raise ParameterError(
            QCoreApplication.translate(
                "AmountEditor", "Enter a percentage from 0 to 100 %, or choose # to enter a count."
            )
        )
    try:
        number = float(digits)
        whole = re.fullmatch(r"[+-]?\d+", digits) is not None
        value: Amount = int(digits) if whole else number
        if is_percent or (share and (number <= 100 if whole else 1 < number <= 100)):
            value = number / 100
        checked: Amount = param.validate(value)
    except ValueError:  # a `ParameterError` is one
        raise ParameterError(
            QCoreApplication.translate(
                "AmountEditor", "Enter a percentage from 0 to 100 %, or a count."
            )
        ) from None
    return checked


def _with_point(text: str) -> str:
    """Return a number with a decimal point and without group separators."""
    locale = number_format.locale()
    point, group = locale.decimalPoint(), locale.groupSeparator()
    if group.strip() and re.fullmatch(rf"[+-]?\d{{1,3}}({re.escape(group)}\d{{3}})+", text):
        return text.replace(group, "")
    if point != "." and text.count(point) == 1:
        return text.replace(point, ".")
    return text


def write_amount(value: Amount) -> str:
    """Write a share as percent with as few digits as it needs, a count with groups."""
    if not isinstance(value, float):
        return number_format.count(value)
    locale = number_format.locale()
    text = locale.toString(value * 100, "f", 10).rstrip("0").removesuffix(locale.decimalPoint())
    return f"{text}\u00a0%"
