"""The row above the picture: what a drag does, and what is to be done to what is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from pruneapp.gui.plots.base.plot_view_wrapping import WrappingRow
from pruneapp.gui.plots.edit_buttons import OperationButtons
from pruneapp.gui.plots.heatmap.drawing_tools_pointer import BRUSHES, Tool
from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.gui.widgets.theme_icons import SIZE, icon


def icon_switch(name: str, tip: str) -> QToolButton:
    """Return a button that stays down, for an icon."""
    button = QToolButton()
    button.setCheckable(True)
    button.setAutoRaise(True)
    button.setIconSize(QSize(SIZE, SIZE))
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setAccessibleName(name)
    button.setAccessibleDescription(tip)
    button.setToolTip(f"{name}: {tip}")
    return button


class ToolRow(QWidget):
    """Tools to the left, operations to the right, in one menu or below where room is short.

    Parameters
    ----------
    looks
        What stands between them: how the picture looks.

    Signals
    -------
    toolChosen(str)
        What a drag is to do (`Tool`).
    brushChosen(int), dimChosen(int)
        The side of the brush, and the dimension whose channels are meant.
    operated(str)
        What is to be done to what is drawn (`Operation`).
    """

    toolChosen = Signal(str)
    brushChosen = Signal(int)
    dimChosen = Signal(int)
    operated = Signal(str)

    def __init__(self, looks: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._why_not = ""
        self._drawn = ""
        choosing = QWidget()
        row = QHBoxLayout(choosing)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._group = QButtonGroup(self)
        self.tools: dict[Tool, QToolButton] = {}
        for tool, name, tip in self._tools():
            button = icon_switch(name, tip)
            self._group.addButton(button)
            self.tools[tool] = button
            row.addWidget(button)
        self.tools["look"].setChecked(True)
        row.addSpacing(8)

        self.brush_box = ComboBox()
        for size in BRUSHES:
            self.brush_box.addItem(f"{size}×{size}", size)
        self.brush_box.setAccessibleName(self.tr("Brush size"))
        self.brush_box.setToolTip(self.tr("Brush size in weights"))
        self.dim_box = ComboBox()
        self.dim_box.setAccessibleName(self.tr("Channels along"))
        self.dim_box.setToolTip(self.tr("Dimension of the channels to select (C in the picture)"))
        self.dim_box.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.dim_box.setMinimumContentsLength(2)
        for box in (self.brush_box, self.dim_box):
            box.hide()
            row.addWidget(box)
        row.addSpacing(8)
        row.addWidget(looks)
        row.addStretch(1)
        self._choosing, self._looks = row, looks
        self.operations = OperationButtons()
        self.operations.operated.connect(self.operated)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(WrappingRow(choosing, self.operations))
        self._group.buttonToggled.connect(self._on_tool)
        self.brush_box.activated.connect(self._on_brush)
        self.dim_box.activated.connect(self.dimChosen)
        self._enable()

    @property
    def tool(self) -> Tool:
        """What a drag does."""
        return next(tool for tool, button in self.tools.items() if button.isChecked())

    def set_drawn(self, words: str) -> None:
        """Say what is drawn; empty for nothing."""
        self._drawn = words
        self._enable()

    def set_why_not(self, text: str) -> None:
        """Say why nothing may be drawn; empty if it may."""
        self._why_not = text
        if text:
            self.tools["look"].setChecked(True)
        self._enable()

    def set_dims(self, labels: Sequence[str], dim: int = 0) -> None:
        """Name the dimensions of the tensor."""
        with QSignalBlocker(self.dim_box):
            self.dim_box.clear()
            self.dim_box.addItems(list(labels))
            self.dim_box.setCurrentIndex(dim if labels else -1)

    def take(self, control: QWidget) -> None:
        """Give a control that has no room elsewhere its place between the tools and the looks."""
        self._choosing.insertWidget(self._choosing.indexOf(self._looks), control)

    def set_dim(self, dim: int) -> None:
        """Say the channels of which dimension are drawn."""
        with QSignalBlocker(self.dim_box):
            self.dim_box.setCurrentIndex(dim)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Draw the icons in the colours of a theme."""
        for tool, button in self.tools.items():
            button.setIcon(icon(f"tool-{tool}", colors, self.devicePixelRatioF()))

    def _enable(self) -> None:
        for tool, button in self.tools.items():
            button.setEnabled(tool == "look" or not self._why_not)
        self.operations.set_chosen(self._drawn, self._why_not)

    def _on_tool(self, _button: QToolButton, checked: bool) -> None:
        if checked:
            tool = self.tool
            self.brush_box.setVisible(tool == "brush")
            self.dim_box.setVisible(tool == "channel")
            self.toolChosen.emit(tool)

    def _on_brush(self, index: int) -> None:
        self.brushChosen.emit(self.brush_box.itemData(index))

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
