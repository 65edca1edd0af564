"""Bars in three classes of colour, one item a class, whatever their number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QBrush, QColor, QPaintEngine, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pruneapp.gui.widgets.safe_paint import reported, saved
from pruneapp.gui.widgets.sparsity_bar import hatch

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stacks:
    """Heights of bars that stand on each other, from below.

    Attributes
    ----------
    edges
        ``float64[n + 1]``: where a bar ends the next one begins.
    kept, going, pruned
        ``float64[n]``.
    pruned_first
        Whether the pruned stand below, instead of the kept.
    floor
        ``float64[n]``: what is below is not drawn; None for all.
    front
        Other bars in the same places, drawn over these.
    """

    edges: Floats
    kept: Floats
    going: Floats
    pruned: Floats
    pruned_first: bool = False
    floor: Floats | None = None
    front: Stacks | None = None

    @property
    def top(self) -> float:
        """Height of the highest stack."""
        total = self.kept + self.going + self.pruned
        return float(total.max()) if total.size else 0.0


class HatchedBars(pg.BarGraphItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Bars whose stripes are as wide on the screen at any zoom."""

    def __init__(self) -> None:
        super().__init__(x0=[], x1=[], y0=[], y1=[], pen=None, brush="#000000")
        self._color, self._ground = "#000000", "#ffffff"

    def set_colors(self, color: str, ground: str) -> None:
        """Take the colour of the stripes and of what is between them."""
        self._color, self._ground = color, ground
        self.update()

    @reported
    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Paint the bars with a brush that undoes the plot's scale."""
        device = painter.device()
        ratio = device.devicePixelRatio() if device else 1.0
        brush = QBrush(hatch(self._color, self._ground, ratio))
        painter.setPen(pg.mkPen(None))
        if painter.paintEngine().type() == QPaintEngine.Type.SVG:
            self._paint_drawing(painter, brush)
            return
        undone, possible = painter.worldTransform().inverted()
        if not possible:
            return
        brush.setTransform(undone)
        painter.setBrush(brush)
        painter.drawRects(*self._rectarray.drawargs())

    def _paint_drawing(self, painter: QPainter, brush: QBrush) -> None:
        """Paint without a scale: SVG has patterns, but Qt writes no transform of theirs."""
        scale = painter.worldTransform()
        sides = (self.opts[side] for side in ("x0", "x1", "y0", "y1"))
        with saved(painter):
            painter.resetTransform()
            painter.setBrush(brush)
            for left, right, low, high in zip(*sides, strict=True):
                bar = QRectF(QPointF(left, low), QPointF(right, high))
                painter.drawRect(scale.mapRect(bar))


class StackedBars:
    """The items of a plot that show `Stacks`; if `neutral`, what is kept in the colour of words."""

    def __init__(self, plot: Any, *, neutral: bool = False, sideways: bool = False) -> None:
        self._plot, self._neutral, self._sideways = plot, neutral, sideways
        self._kept_color = "muted" if neutral else "kept"
        self._colors: Mapping[str, str] = {}
        self.front: StackedBars | None = None  # made once there is something to show in front
        self.kept = pg.BarGraphItem(x0=[], x1=[], y0=[], y1=[], pen=None)
        self.going = HatchedBars()
        self.pruned = pg.BarGraphItem(x0=[], x1=[], y0=[], y1=[], pen=None)
        for item in (self.kept, self.going, self.pruned):
            plot.addItem(item, ignoreBounds=True)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take a theme."""
        self._colors = colors
        if self.front is not None:
            self.front.set_colors(colors)
        self.kept.setOpts(brush=QColor(colors[self._kept_color]))
        self.pruned.setOpts(brush=QColor(colors["pruned"]))
        self.going.set_colors(colors["pruned"], colors["surface"])

    def set_stacks(self, stacks: Stacks, *, gap: float, log: bool, floor: float) -> None:
        """Show other bars.

        Parameters
        ----------
        gap
            Share of a bar's width that stays free beside it.
        log
            Whether heights are counts of which the logarithm is drawn.
        floor
            Where bars begin if `log`.
        """
        wide = np.diff(stacks.edges)
        left, right = stacks.edges[:-1] + wide * gap / 2, stacks.edges[1:] - wide * gap / 2
        low = np.zeros_like(stacks.kept)
        parts = [
            (self.kept, stacks.kept),
            (self.going, stacks.going),
            (self.pruned, stacks.pruned),
        ]
        for item, part in reversed(parts) if stacks.pruned_first else parts:
            high = low + part
            start = low if stacks.floor is None else np.maximum(low, stacks.floor)
            some = high > start
            y0, y1 = start[some], high[some]
            if log:
                y0, y1 = _log(y0, floor), _log(y1, floor)
            ends = (left[some], right[some]), (y0, y1)
            (x0, x1), (y0, y1) = reversed(ends) if self._sideways else ends
            item.setOpts(x0=x0, x1=x1, y0=y0, y1=y1)
            low = high
        front = stacks.front
        if front is None and self.front is not None:
            front = Stacks(np.zeros(1), *(np.zeros(0),) * 3)
        if front is not None:
            if self.front is None:
                self.front = StackedBars(self._plot, neutral=self._neutral, sideways=self._sideways)
                self.front.set_colors(self._colors)
            self.front.set_stacks(front, gap=gap, log=log, floor=floor)


def _log(heights: Floats, floor: float) -> Floats:
    return np.log10(np.maximum(heights, 10**floor))
