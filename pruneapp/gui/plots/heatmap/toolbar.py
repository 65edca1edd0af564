"""The controls above the heatmap: tools, mode, mask opacity, and dimensions on the axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QToolButton, QWidget

from pruneapp.gui.plots.base.plot_view import WrappingRow
from pruneapp.gui.plots.edit_buttons import OperationButtons
from pruneapp.gui.plots.heatmap.drawing_tools import BRUSHES, Tool
from pruneapp.gui.plots.heatmap.shading import BLENDED, Mode
from pruneapp.gui.widgets.controls import (
    ComboBox,
    Slider,
    SpinBox,
    add_row,
    choice_box,
    clear,
    lay_in_row,
)
from pruneapp.gui.widgets.labels import label_for, with_label
from pruneapp.gui.widgets.number_format import percent
from pruneapp.gui.widgets.theme import SIZE, icon


def icon_switch(name: str, tip: str) -> QToolButton:
    """Return a checkable button for an icon; `name` and `tip` make the tooltip."""
    button = QToolButton()
    button.setCheckable(True)
    button.setAutoRaise(True)
    button.setIconSize(QSize(SIZE, SIZE))
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setAccessibleName(name)
    button.setAccessibleDescription(tip)
    button.setToolTip(with_label(name, tip))
    return button


class ToolRow(WrappingRow):
    """Tools on the left, edit buttons on the right or below; `mode_row` is placed between them."""

    toolChosen = Signal(str)  # the user chose what dragging does (`Tool`)
    operated = Signal(str)  # the user chose this for the selection (`Operation`)

    def __init__(self, mode_row: QWidget) -> None:
        tool_widget, self.operations = QWidget(), OperationButtons()
        super().__init__(tool_widget, self.operations)
        self._not_editable_reason = ""
        self._selection_text = ""
        self._tool_row, self._mode_row = lay_in_row(tool_widget, spacing=0), mode_row
        row = self._tool_row
        self._group = QButtonGroup(self)
        self.tools: dict[Tool, QToolButton] = {}
        for tool, name, tip in self._tools():
            button = icon_switch(name, tip)
            self._group.addButton(button)
            self.tools[tool] = button
            row.addWidget(button)
        self.tools["look"].setChecked(True)
        row.addSpacing(8)

        self.brush_box = choice_box(
            self.tr("Brush size"),
            self.tr("Brush size in weights"),
            ((f"{size}×{size}", size) for size in BRUSHES),
        )
        self.dim_box = choice_box(
            self.tr("Channels along"),
            self.tr("Dimension of the channels to select (C in the picture)"),
        )
        self.dim_box.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.dim_box.setMinimumContentsLength(2)
        row.addSpacing(8)
        row.addWidget(mode_row)
        for box in (self.brush_box, self.dim_box):  # last, so that nothing else moves
            box.hide()
            row.addWidget(box)
        row.addStretch(1)
        self.operations.operated.connect(self.operated)
        self._group.buttonToggled.connect(self._on_tool)
        self._update_enabled()

    @property
    def tool(self) -> Tool:
        return next(tool for tool, button in self.tools.items() if button.isChecked())

    def set_selection_text(self, words: str) -> None:
        """Set the description of the selection; "" if nothing is selected."""
        self._selection_text = words
        self._update_enabled()

    def set_not_editable_reason(self, text: str) -> None:
        """Set why nothing can be edited, which disables the tools; "" if editing is allowed."""
        self._not_editable_reason = text
        if text:
            self.tools["look"].setChecked(True)
        self._update_enabled()

    def set_dims(self, labels: Sequence[str], dim: int = 0) -> None:
        """Set the names of the dimensions, and the dimension of selected channels."""
        with QSignalBlocker(self.dim_box):
            self.dim_box.clear()
            self.dim_box.addItems(list(labels))
            self.dim_box.setCurrentIndex(dim if labels else -1)

    def insert_control(self, control: QWidget) -> None:
        """Insert a control between the tools and `mode_row`."""
        # before the space in front of `mode_row`
        self._tool_row.insertWidget(self._tool_row.indexOf(self._mode_row) - 1, control)

    def set_dim(self, dim: int) -> None:
        """Set the dimension of selected channels."""
        with QSignalBlocker(self.dim_box):
            self.dim_box.setCurrentIndex(dim)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        for tool, button in self.tools.items():
            button.setIcon(icon(f"tool-{tool}", colors, self.devicePixelRatioF()))

    def _update_enabled(self) -> None:
        for tool, button in self.tools.items():
            button.setEnabled(tool == "look" or not self._not_editable_reason)
        self.operations.set_chosen(self._selection_text, self._not_editable_reason)

    def _on_tool(self, _button: QToolButton, checked: bool) -> None:
        if checked:
            tool = self.tool
            self.brush_box.setVisible(tool == "brush")
            self.dim_box.setVisible(tool == "channel")
            self.toolChosen.emit(tool)

    def _tools(self) -> tuple[tuple[Tool, str, str], ...]:
        return (
            ("look", self.tr("Pan"), self.tr("drag to pan, Shift+drag to select")),
            (
                "rectangle",
                self.tr("Rectangle"),
                self.tr("drag to select weights (Shift+arrow keys)"),
            ),
            ("row", self.tr("Row"), self.tr("drag to select rows (H)")),
            ("column", self.tr("Column"), self.tr("drag to select columns (V)")),
            ("channel", self.tr("Channel"), self.tr("drag to select channels (C)")),
            ("brush", self.tr("Brush"), self.tr("drag to select weights with a brush")),
        )


class ModeRow(QWidget):
    """The controls for the mask opacity and the axes; the owner places `mode_box`."""

    modeChosen = Signal(object)  # the user chose this `Mode`
    strengthChosen = Signal(float)  # the user chose this mask opacity, from 0 to 1

    def __init__(self) -> None:
        super().__init__()
        self.difference = ""  # label of the offered difference; "" if there is none
        self.mode_box = choice_box(self.tr("Show"), self.tr("What the picture shows"))
        for mode, label, tip in (
            (Mode.MAGNITUDE, self.tr("Magnitude"), self.tr("Magnitudes with the mask over them")),
            (Mode.SIGNED, self.tr("Signed"), self.tr("Signed weights")),
            (Mode.RESULT, self.tr("Result"), self.tr("Weights as exported: pruned weights are 0")),
            (Mode.MASK, self.tr("Mask"), self.tr("Kept and pruned weights only")),
        ):
            self.mode_box.addItem(label, mode)
            self.mode_box.setItemData(self.mode_box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.mode_box.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.mode_box.setMinimumContentsLength(9)
        self.slider = Slider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, 100)
        self.slider.setSingleStep(10)
        self.slider.setPageStep(25)
        self.slider.setFixedWidth(64)
        self.slider.setAccessibleName(self.tr("Mask opacity"))
        self.label = label_for(self.slider, self.tr("Mask"))
        self.axes_button = icon_switch(
            self.tr("Axes"), self.tr("choose the dimensions shown as rows and columns")
        )
        self.axes_button.hide()
        lay_in_row(self, self.label, self.slider, self.axes_button)
        self.mode_box.activated.connect(self._on_mode)
        self.slider.valueChanged.connect(self._on_strength)
        self.show_state(Mode.MAGNITUDE, 1.0)

    def show_state(self, mode: Mode, strength: float) -> None:
        """Show the mode and the mask opacity (0 to 1); emits no signal.

        The slider is disabled in modes without an overlay of the mask. `DIFFERENCE` must be
        offered.
        """
        with QSignalBlocker(self.mode_box), QSignalBlocker(self.slider):
            # By index, because Qt compares Python objects by identity at best.
            self.mode_box.setCurrentIndex(self._modes().index(mode))
            self.slider.setValue(round(strength * 100))
        self.slider.setEnabled(mode in BLENDED)
        tip = self.tr("Mask opacity: {share} (M: show or hide)")
        self.slider.setToolTip(tip.format(share=percent(strength, 0)))

    def set_rank(self, rank: int) -> None:
        """Set the number of dimensions of the tensor; the axes can be chosen from 3 on."""
        self.axes_button.setVisible(rank > 2)
        self.axes_button.setChecked(False)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        self.axes_button.setIcon(icon("axes", colors, self.devicePixelRatioF()))

    def set_difference(self, label: str | None) -> None:
        """Offer the mode Difference with this label, in place of an earlier one; None removes it.

        Emits no signal; the owner has to leave the mode if it is shown.
        """
        modes = self._modes()
        self.difference = label or ""
        if Mode.DIFFERENCE in modes:
            self.mode_box.removeItem(modes.index(Mode.DIFFERENCE))
        if label is not None:
            self.mode_box.addItem(self.tr("Difference"), Mode.DIFFERENCE)
            tip = self.tr("Difference: {label}").format(label=label)
            self.mode_box.setItemData(self.mode_box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)

    def _modes(self) -> list[Mode]:
        return [self.mode_box.itemData(i) for i in range(self.mode_box.count())]

    def _on_mode(self, index: int) -> None:
        self.modeChosen.emit(self.mode_box.itemData(index))

    def _on_strength(self, value: int) -> None:
        self.strengthChosen.emit(value / 100)


class Axes(NamedTuple):
    """The chosen axes of a tensor."""

    axes: tuple[int, int] | None = None  # dimensions for rows and columns; None for all dimensions
    fixed: tuple[int, ...] = ()  # an index along each dimension, used for those on no axis


class AxesRow(QWidget):
    """Boxes for two dimensions, and a slider and a spin box for each of the others."""

    chosen = Signal(object)  # the user chose these `Axes`

    def __init__(self) -> None:
        super().__init__()
        self._shape: tuple[int, ...] = ()
        self._labels: tuple[str, ...] = ()
        self.axes = Axes()
        row = lay_in_row(self)
        name = self.tr("Dimension shown as rows"), self.tr("Dimension shown as columns")
        self.down_box, self.across_box = (choice_box(text, text) for text in name)
        for box, text in ((self.down_box, self.tr("Rows")), (self.across_box, self.tr("Columns"))):
            box.setMinimumWidth(64)  # wider if there is space
            row.addWidget(label_for(box, text))
            row.addWidget(box)
        for box in (self.down_box, self.across_box):
            box.activated.connect(self._on_chosen)
        self._others = add_row(row, None, stretch=1)
        self.sliders: dict[int, Slider] = {}
        self.numbers: dict[int, SpinBox] = {}

    def set_dims(self, shape: Sequence[int], labels: Sequence[str]) -> None:
        """Start with another tensor, of which all is shown; emits no signal."""
        self._shape, self._labels = tuple(shape), tuple(labels)
        self.axes = Axes()
        for box in (self.down_box, self.across_box):
            with QSignalBlocker(box):
                box.clear()
                box.addItem(self.tr("all"), None)
                for dim, label in enumerate(labels):
                    box.addItem(label, dim)
        self._show()

    def _on_chosen(self) -> None:
        """Put a dimension on an axis and emit `chosen`; "all" shows all dimensions again.

        If the dimension was on the other axis, the axes are swapped.
        """
        first = self.sender() is self.down_box
        dim = (self.down_box if first else self.across_box).currentData()
        if dim is None:
            self._set(Axes())
            return
        before = self.axes.axes or (0, 1)
        other = before[1] if first else before[0]
        if other == dim:
            other = before[0] if first else before[1]
        if other == dim:
            other = 0 if dim else 1
        axes = (dim, other) if first else (other, dim)
        self._set(Axes(axes, self.axes.fixed or (0,) * len(self._shape)))

    def _on_moved(self, value: int) -> None:
        dim = self.sender().property("dim")
        fixed = list(self.axes.fixed)
        fixed[dim] = value
        for control in (self.sliders[dim], self.numbers[dim]):
            with QSignalBlocker(control):
                control.setValue(value)
        self.axes = self.axes._replace(fixed=tuple(fixed))
        self.chosen.emit(self.axes)

    def _set(self, axes: Axes) -> None:
        self.axes = axes
        self._show()
        self.chosen.emit(axes)

    def _show(self) -> None:
        axes = self.axes.axes
        for box, position in ((self.down_box, 0), (self.across_box, 1)):
            with QSignalBlocker(box):
                box.setCurrentIndex(0 if axes is None else axes[position] + 1)
        clear(self._others)
        self.sliders.clear()
        self.numbers.clear()
        if axes is not None:
            for dim in range(len(self._shape)):
                if dim not in axes:
                    self._add(dim)

    def _add(self, dim: int) -> None:
        """Add the controls for the index along a dimension that is on no axis."""
        slider = Slider(Qt.Orientation.Horizontal)
        slider.setMinimumWidth(40)
        slider.setMaximumWidth(160)
        number = SpinBox()
        label = label_for(number, self._labels[dim])
        for control in (slider, number):
            control.setRange(0, self._shape[dim] - 1)
            control.setValue(self.axes.fixed[dim])
            control.setProperty("dim", dim)
            control.setAccessibleName(self.tr("Index along {dim}").format(dim=self._labels[dim]))
            control.valueChanged.connect(self._on_moved)
        self.sliders[dim], self.numbers[dim] = slider, number
        for widget, stretch in ((label, 0), (slider, 1), (number, 0)):
            # Before the stretch at the end.
            self._others.insertWidget(self._others.count() - 1, widget, stretch)
