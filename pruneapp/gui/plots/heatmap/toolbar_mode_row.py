"""What is shown of the weights, and how strongly the mask lies over it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from pruneapp.gui.plots.heatmap.shading import BLENDED, Mode
from pruneapp.gui.plots.heatmap.toolbar import icon_switch
from pruneapp.gui.widgets.controls import ComboBox, Slider
from pruneapp.gui.widgets.number_format import percent
from pruneapp.gui.widgets.theme_icons import icon


class ModeRow(QWidget):
    """How strongly the mask is seen, and on which axes.

    Attributes
    ----------
    mode_box
        What is shown of the weights; whoever makes the row places it.
    label
        The word before the slider, for which there is not always room.

    Signals
    -------
    modeChosen(object)
        The person wants to see this (`Mode`).
    strengthChosen(float)
        The person wants the mask as strong as this, from 0 to 1.
    """

    modeChosen = Signal(object)
    strengthChosen = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mode_box = ComboBox()
        for mode, label, tip in (
            (Mode.MAGNITUDE, self.tr("Magnitude"), self.tr("Magnitudes with the mask over them")),
            (Mode.SIGNED, self.tr("Signed"), self.tr("Signed weights")),
            (Mode.RESULT, self.tr("Result"), self.tr("Weights as exported: pruned weights are 0")),
            (Mode.MASK, self.tr("Mask"), self.tr("Kept and pruned weights only")),
        ):
            self.mode_box.addItem(label, mode)
            self.mode_box.setItemData(self.mode_box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.mode_box.setAccessibleName(self.tr("Show"))
        self.mode_box.setToolTip(self.tr("What the picture shows"))
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
        self.label = QLabel(self.tr("Mask"))
        self.label.setBuddy(self.slider)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.label)
        row.addWidget(self.slider)
        self.axes_button = icon_switch(
            self.tr("Axes"), self.tr("choose the dimensions shown as rows and columns")
        )
        self.axes_button.hide()
        row.addWidget(self.axes_button)
        self.mode_box.activated.connect(self._on_mode)
        self.slider.valueChanged.connect(self._on_strength)
        self.show_state(Mode.MAGNITUDE, 1.0)

    def show_state(self, mode: Mode, strength: float) -> None:
        """Show what is chosen."""
        with QSignalBlocker(self.mode_box), QSignalBlocker(self.slider):
            # By place, because Qt compares what it does not know by identity at best.
            self.mode_box.setCurrentIndex(self._modes().index(mode))
            self.slider.setValue(round(strength * 100))
        self.slider.setEnabled(mode in BLENDED)
        said = self.tr("Mask opacity: {share} (M: show or hide)")
        self.slider.setToolTip(said.format(share=percent(strength, 0)))

    def set_rank(self, rank: int) -> None:
        """Begin with a tensor of so many dimensions; from three on one may choose axes."""
        self.axes_button.setVisible(rank > 2)
        self.axes_button.setChecked(False)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Draw the icon in the colours of a theme."""
        self.axes_button.setIcon(icon("axes", colors, self.devicePixelRatioF()))

    def set_difference(self, label: str | None) -> None:
        """Offer the difference to something of this name; None for none."""
        modes = self._modes()
        if Mode.DIFFERENCE in modes:
            self.mode_box.removeItem(modes.index(Mode.DIFFERENCE))
        if label is not None:
            self.mode_box.addItem(self.tr("Difference"), Mode.DIFFERENCE)
            tip = self.tr("Difference to {label}").format(label=label)
            self.mode_box.setItemData(self.mode_box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)

    def _modes(self) -> list[Mode]:
        return [self.mode_box.itemData(i) for i in range(self.mode_box.count())]

    def _on_mode(self, index: int) -> None:
        self.modeChosen.emit(self.mode_box.itemData(index))

    def _on_strength(self, value: int) -> None:
        self.strengthChosen.emit(value / 100)
