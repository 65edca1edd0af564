"""Which two dimensions are on the axes, and where the others stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from pruneapp.gui.widgets.controls import ComboBox, Slider, SpinBox
from pruneapp.gui.widgets.controls_layouts import clear


class Axes(NamedTuple):
    """What a person wants to see of a tensor.

    Attributes
    ----------
    axes
        The dimensions that go down and across; None for all of the tensor.
    fixed
        An index along every dimension, for those that are on no axis.
    """

    axes: tuple[int, int] | None = None
    fixed: tuple[int, ...] = ()


class AxesRow(QWidget):
    """Two choices, and for every other dimension a slider and a number.

    Signals
    -------
    chosen(object)
        The person wants to see this (`Axes`).
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shape: tuple[int, ...] = ()
        self._labels: tuple[str, ...] = ()
        self._axes = Axes()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self.down_box, self.across_box = ComboBox(), ComboBox()
        for box, text, name in (
            (self.down_box, self.tr("Rows"), self.tr("Dimension shown as rows")),
            (self.across_box, self.tr("Columns"), self.tr("Dimension shown as columns")),
        ):
            label = QLabel(text)
            label.setBuddy(box)
            box.setAccessibleName(name)
            box.setToolTip(name)
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMinimumWidth(64)  # whole where there is room
            row.addWidget(label)
            row.addWidget(box)
        self.down_box.activated.connect(self._on_down)
        self.across_box.activated.connect(self._on_across)
        self._others = QHBoxLayout()
        row.addLayout(self._others, 1)
        self._others.setSpacing(8)
        self._others.addStretch(1)
        self.sliders: dict[int, Slider] = {}
        self.numbers: dict[int, SpinBox] = {}

    @property
    def axes(self) -> Axes:
        """What is chosen."""
        return self._axes

    def set_dims(self, shape: Sequence[int], labels: Sequence[str]) -> None:
        """Begin with another tensor, all of which is seen."""
        self._shape, self._labels = tuple(shape), tuple(labels)
        self._axes = Axes()
        for box in (self.down_box, self.across_box):
            with QSignalBlocker(box):
                box.clear()
                box.addItem(self.tr("all"), None)
                for dim, label in enumerate(labels):
                    box.addItem(label, dim)
        self._show()

    def _on_down(self, index: int) -> None:
        self._choose(self.down_box.itemData(index), first=True)

    def _on_across(self, index: int) -> None:
        self._choose(self.across_box.itemData(index), first=False)

    def _choose(self, dim: int | None, *, first: bool) -> None:
        """Put a dimension on an axis; what stood there before goes to the other if need be."""
        if dim is None:
            self._set(Axes())
            return
        before = self._axes.axes or (0, 1)
        other = before[1] if first else before[0]
        if other == dim:
            other = before[0] if first else before[1]
        if other == dim:
            other = 0 if dim else 1
        axes = (dim, other) if first else (other, dim)
        self._set(Axes(axes, self._axes.fixed or (0,) * len(self._shape)))

    def _on_moved(self, value: int) -> None:
        dim = self.sender().property("dim")
        fixed = list(self._axes.fixed)
        fixed[dim] = value
        for control in (self.sliders[dim], self.numbers[dim]):
            with QSignalBlocker(control):
                control.setValue(value)
        self._axes = self._axes._replace(fixed=tuple(fixed))
        self.chosen.emit(self._axes)

    def _set(self, axes: Axes) -> None:
        self._axes = axes
        self._show()
        self.chosen.emit(axes)

    def _show(self) -> None:
        axes = self._axes.axes
        for box, at in ((self.down_box, 0), (self.across_box, 1)):
            with QSignalBlocker(box):
                box.setCurrentIndex(0 if axes is None else axes[at] + 1)
        clear(self._others)
        self.sliders.clear()
        self.numbers.clear()
        if axes is not None:
            for dim in range(len(self._shape)):
                if dim not in axes:
                    self._add(dim)

    def _add(self, dim: int) -> None:
        """Let a dimension that is on no axis be moved through."""
        label = QLabel(self._labels[dim])
        slider = Slider(Qt.Orientation.Horizontal)
        slider.setMinimumWidth(40)
        slider.setMaximumWidth(160)
        number = SpinBox()
        label.setBuddy(number)
        for control in (slider, number):
            control.setRange(0, self._shape[dim] - 1)
            control.setValue(self._axes.fixed[dim])
            control.setProperty("dim", dim)
            control.setAccessibleName(self.tr("Index along {dim}").format(dim=self._labels[dim]))
            control.valueChanged.connect(self._on_moved)
        self.sliders[dim], self.numbers[dim] = slider, number
        for widget, stretch in ((label, 0), (slider, 1), (number, 0)):
            # Before the room that is left at the end.
            self._others.insertWidget(self._others.count() - 1, widget, stretch)
