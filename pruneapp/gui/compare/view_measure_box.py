"""How the difference of two tensors is measured, and the words for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from PySide6.QtWidgets import QWidget

from pruneapp.gui.plots.base.readout_wording import value_text
from pruneapp.gui.plots.chart.items import Floats
from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.gui.widgets.number_format import count, percent
from pruneapp.results.state_comparison import TensorDifference

NORM, ANGLE, SIGNS, ZEROS = "norm", "angle", "signs", "zeros"

_MEASURES: Mapping[str, Callable[[TensorDifference], float | None]] = {
    NORM: lambda t: t.relative,
    ANGLE: lambda t: None if t.cosine is None else 1 - t.cosine,
    SIGNS: lambda t: None if t.same_sign is None else 1 - t.same_sign,
    ZEROS: lambda t: None if t.overlap is None else 1 - t.overlap,
}


class MeasureBox(ComboBox):
    """A box to choose a measure from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        for key, label in (
            (NORM, self.tr("Relative norm")),
            (ANGLE, self.tr("1 − cosine")),
            (SIGNS, self.tr("Different signs")),
            (ZEROS, self.tr("Unshared zeros")),
        ):
            self.addItem(label, key)
        self.setAccessibleName(self.tr("Measure"))
        self.setToolTip(
            self.tr("Measure of the difference; the readout and the table show all measures")
        )

    @property
    def measure(self) -> str:
        """The key of the chosen measure."""
        return str(self.currentData())

    def axis_label(self) -> str:
        """Say what the bars of the chosen measure are, and in which unit."""
        return {
            NORM: self.tr("difference, % of A"),
            ANGLE: self.tr("1 − cosine"),
            SIGNS: self.tr("different signs, %"),
            ZEROS: self.tr("unshared zeros, %"),
        }[self.measure]

    def widest_tick(self) -> str:
        """Return what the axis may show at most."""
        return "100.5" if self.measure != ANGLE else "0.0005"

    def text(self, height: float) -> str:
        """Write the height of a bar, with its unit."""
        if self.measure == ANGLE:
            return value_text(height, 3)
        if 1000 <= height < 1e9:
            return f"{count(round(height))}\u00a0%"
        return percent(height / 100) if height < 1000 else f"{value_text(height, 3)}\u00a0%"

    def widest_text(self) -> str:
        """Return a text as long as that of any bar that is not beyond the axis."""
        return value_text(-1.23e-10, 3) if self.measure == ANGLE else percent(0.999999)

    def heights(self, tensors: Sequence[TensorDifference]) -> Floats:
        """Return ``float64[tensors]``: the chosen measure of each; NaN where it has none."""
        of = _MEASURES[self.measure]
        scale = 1.0 if self.measure == ANGLE else 100.0
        found = (None if t.kind != "differs" else of(t) for t in tensors)
        return np.array(
            [np.nan if value is None else scale * max(value, 0.0) for value in found],
            dtype=np.float64,
        )
