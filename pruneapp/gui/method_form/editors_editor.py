"""Editors of single parameters, one for each type of declaration."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QRandomGenerator, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QToolButton, QWidget

from pruneapp.errors import ParameterError
from pruneapp.gui.widgets.controls import ComboBox, SpinBox
from pruneapp.gui.widgets.controls_line_edit import LineEdit
from pruneapp.gui.widgets.number_format_dims import dim_labels
from pruneapp.params import DimParam, IntParam
from pruneapp.params_declared import Param
from pruneapp.params_words import ChoiceParam

_INT_MAX = 2**31 - 1


class Editor(QWidget):
    """Edits the value of one parameter.

    Signals
    -------
    changed
        The person changed it; `value` may raise now.
    """

    changed = Signal()

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.param = param
        self.line = QHBoxLayout(self)
        self.line.setContentsMargins(0, 0, 0, 0)
        self.line.setSpacing(8)

    def _name(self, widget: QWidget, *, main: bool = True) -> None:
        """Give a part its accessible name and help."""
        if main:
            widget.setAccessibleName(self.param.label)
            self.setFocusProxy(widget)
        widget.setToolTip(self.param.help)
        widget.setAccessibleDescription(self.param.help)

    @abstractmethod
    def value(self) -> Any:
        """Return the valid value; raises `ParameterError`."""

    @abstractmethod
    def set_value(self, value: Any) -> None:
        """Show a value, silently."""

    def summary(self) -> str:
        """Return the value in a word; empty while it is wrong."""
        try:
            return self.param.format(self.value())
        except ParameterError:
            return ""

    def set_context(self, shape: Sequence[int], kind: str) -> None:
        """Take note of the tensor that the words are to be about."""

    def set_left(self, left: int | None) -> None:
        """Take note of how many units are not pruned yet; None if that is not known."""


class TextEditor(Editor):
    """A field that takes whatever the parameter can read: for types without a better editor."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.field = LineEdit(self)
        self._name(self.field)
        self.line.addWidget(self.field, 1)
        self.set_value(param.default)
        self.field.textChanged.connect(self.changed)

    def value(self) -> Any:
        """Return what the text says."""
        return self.param.parse(self.field.text())

    def set_value(self, value: Any) -> None:
        """Show a value."""
        blocker = QSignalBlocker(self.field)
        self.field.setText(self.param.format(value))
        del blocker


class SeedEditor(TextEditor):
    """A seed, and a die for a new one."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.die = QToolButton(self)
        self.die.setText("⚄")
        self.die.setToolTip(self.tr("Generate a new seed"))
        self.die.setAccessibleName(self.die.toolTip())
        self.die.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.die.clicked.connect(self._draw)
        self.line.addWidget(self.die)

    def _draw(self) -> None:
        # Six digits can be read aloud, and are enough to be different.
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
        self._name(self.field)
        self.line.addWidget(self.field, 1)
        self.set_value(param.default)
        self.field.valueChanged.connect(self.changed)

    def value(self) -> int:
        """Return the number."""
        return int(self.param.validate(self.field.value()))

    def set_value(self, value: Any) -> None:
        """Show a number."""
        blocker = QSignalBlocker(self.field)
        self.field.setValue(value)
        del blocker


class FlagEditor(Editor):
    """Yes or no."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.box = QCheckBox(self.tr("yes"), self)
        self._name(self.box)
        self.line.addWidget(self.box, 1)
        self.set_value(param.default)
        self.box.toggled.connect(self.changed)

    def value(self) -> bool:
        """Return whether it is checked."""
        return self.box.isChecked()

    def set_value(self, value: Any) -> None:
        """Check it or not."""
        blocker = QSignalBlocker(self.box)
        self.box.setChecked(value)
        del blocker


class ComboEditor(Editor):
    """One of a list: the base of editors that offer values with words for them."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.combo = ComboBox(self)
        self.combo.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.combo.setMinimumContentsLength(8)
        self._name(self.combo)
        self.line.addWidget(self.combo, 1)

    def offer(self, items: Sequence[tuple[str, Any, str]]) -> None:
        """Offer (words, value, help), silently; the value stays."""
        blocker = QSignalBlocker(self.combo)
        kept = self.combo.currentData()
        self.combo.clear()
        for words, value, text in items:
            self.combo.addItem(words, value)
            if text:
                place = self.combo.count() - 1
                self.combo.setItemData(place, text, Qt.ItemDataRole.ToolTipRole)
        del blocker
        if kept is not None:
            self.set_value(kept)

    def value(self) -> Any:
        """Return the chosen value."""
        return self.param.validate(self.combo.currentData())

    def set_value(self, value: Any) -> None:
        """Choose a value; one that is not offered is added."""
        blocker = QSignalBlocker(self.combo)
        place = self.combo.findData(value)
        if place < 0:
            self.combo.addItem(self.param.format(value), value)
            place = self.combo.count() - 1
        self.combo.setCurrentIndex(place)
        del blocker


class ChoiceEditor(ComboEditor):
    """One of a few words."""

    def __init__(self, param: ChoiceParam, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.offer([(choice.label, choice.value, choice.help) for choice in param.choices])
        self.set_value(param.default)
        self.combo.currentIndexChanged.connect(self.changed)


class NormEditor(Editor):
    """The order of a norm: the usual ones by their meaning, any other typed."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.combo = ComboBox(self)
        self.combo.setEditable(True)
        self.combo.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        self.combo.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.combo.setMinimumContentsLength(8)
        self._name(self.combo)
        self.line.addWidget(self.combo, 1)
        for text, words in (
            ("1", self.tr("L1, sum of magnitudes")),
            ("2", self.tr("L2, Euclidean")),
            ("inf", self.tr("maximum magnitude")),
            ("-inf", self.tr("minimum magnitude")),
            ("fro", self.tr("Frobenius, same as 2")),
            ("nuc", self.tr("nuclear, sum of singular values")),
        ):
            self.combo.addItem(f"{text}: {words}")
        self.set_value(param.default)
        self.combo.editTextChanged.connect(self.changed)

    def value(self) -> Any:
        """Return what stands before the colon."""
        return self.param.parse(self.combo.currentText().partition(":")[0])

    def set_value(self, value: Any) -> None:
        """Show a norm, with its meaning if it is a usual one."""
        blocker = QSignalBlocker(self.combo)
        text = self.param.format(value).removesuffix(".0")
        place = self.combo.findText(f"{text}:", Qt.MatchFlag.MatchStartsWith)
        self.combo.setCurrentIndex(place)
        if place < 0:
            self.combo.setEditText(text)
        line = self.combo.lineEdit()
        if line is not None:
            line.setCursorPosition(0)
        del blocker


class DimEditor(ComboEditor):
    """A dimension, by its meaning."""

    def __init__(self, param: DimParam, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self._bounds = param.bounds
        self.set_context((), "")
        self.set_value(param.default)
        self.combo.currentIndexChanged.connect(self.changed)

    def set_context(self, shape: Sequence[int], kind: str) -> None:
        """Spell out what the dimensions of a tensor mean; sizes below 0 differ among tensors."""
        labels = dim_labels(shape or (-1, -1), kind)
        offered = [(text, dim, "") for dim, text in enumerate(labels)]
        offered.append((self.tr("−1: last dimension"), -1, ""))
        self.offer([item for item in offered if item[1] in self._bounds])
