"""A dialog to type the contrast limits of the heatmap."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QFormLayout, QWidget

from pruneapp.gui.plots.heatmap.color_bar import LARGEST
from pruneapp.gui.plots.heatmap.shading import ContrastLimits
from pruneapp.gui.widgets.controls import LineEdit
from pruneapp.gui.widgets.labels import plain
from pruneapp.gui.widgets.number_format import locale
from pruneapp.gui.widgets.reports import DecisionDialog


class LimitsDialog(DecisionDialog):
    """Asks for contrast limits; `limits` has them if it is accepted.

    Parameters
    ----------
    limits
        The initial limits.
    centered
        Whether the limits are symmetric, so that only the upper one is asked for.
    """

    def __init__(
        self, limits: ContrastLimits, parent: QWidget | None = None, *, centered: bool = False
    ) -> None:
        super().__init__(self.tr("Contrast limits"), self.tr("Set limits"), parent)
        self.limits = limits
        self._centered = centered
        self.low_line, self.high_line = LineEdit(), LineEdit()
        rows = QWidget(self)
        form = QFormLayout(rows)
        form.setContentsMargins(0, 0, 0, 0)
        if centered:
            form.addRow(self.tr("&Upper limit (lower limit: its negative)"), self.high_line)
            self.low_line.hide()
        else:
            form.addRow(self.tr("&Lower limit"), self.low_line)
            form.addRow(self.tr("&Upper limit"), self.high_line)
        for line, value in ((self.low_line, limits.low), (self.high_line, limits.high)):
            line.setText(locale().toString(float(value), "g", 7))
            line.entered.connect(self._check)
        self.high_line.selectAll()
        self.problem = plain(wrap=True)
        self.lay_out((rows, self.problem), wide=self.problem)

    def _check(self) -> None:
        """Read both lines; show what is wrong, and allow to set the limits only if nothing is."""
        values = [locale().toDouble(line.text().strip()) for line in self._lines()]
        problem = ""
        if not all(good for _, good in values):
            problem = self.tr("Enter a number, such as {example}.").format(
                example=locale().toString(0.25)
            )
        else:
            high = values[-1][0]
            low = -high if self._centered else values[0][0]
            problem = self._problem_of(low, high)
            if not problem:
                self.limits = ContrastLimits(low, high, self.limits.signed)
        self.problem.setText(problem)
        self.go.setEnabled(not problem)

    def _lines(self) -> tuple[LineEdit, ...]:
        return (self.high_line,) if self._centered else (self.low_line, self.high_line)

    def _problem_of(self, low: float, high: float) -> str:
        """Return why two limits are invalid; "" if they are valid."""
        if not max(abs(low), abs(high)) <= LARGEST:  # also of NaN
            return self.tr("A limit must be between −1e38 and 1e38.")
        if low < 0 and not self.limits.signed:
            return self.tr("Magnitudes are shown: the lower limit must be at least 0.")
        if np.float32(low) >= np.float32(high):
            if self._centered:
                return self.tr("The upper limit must be greater than 0.")
            return self.tr("The upper limit must be greater than the lower limit.")
        return ""
