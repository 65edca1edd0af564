"""Curves of numbers over the steps of a training, with a cursor that reads their values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF

from pruneapp.gui.plots.base.plot_canvas import PlotCanvas
from pruneapp.gui.plots.base.plot_view import PlotView
from pruneapp.gui.plots.base.readout import Swatch, value_text
from pruneapp.gui.plots.chart.axes import IndexAxis, NumberAxis, power_text
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.controls import choice_box, set_choices
from pruneapp.gui.widgets.labels import within_reason
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.safe_paint import saved_painter_state

Floats = NDArray[np.float64]

_MARGIN = 0.06  # margin above and below the curves, as a share of their range
_LOG_FROM = 5.0  # ratio of the largest to the smallest value from which the axis is logarithmic
_MOST_DRAWN = 2_000  # points of a curve that are drawn
_DOTTED_UP_TO = 60  # points of a curve that have a dot each
_DOT = 2.5  # radius in pixels
_LARGEST = 1e100  # largest absolute number that an axis supports
_DIGITS = 4
_NO_FLOATS = np.zeros(0)
# Keys that move the cursor by a number of points.
_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Home: -(10**9), Qt.Key.Key_End: 10**9}


@dataclass(frozen=True, eq=False)
class StepCurve:
    """Values at ascending steps, ``float64[n]`` each."""

    label: str
    steps: Floats
    values: Floats
    ink: str = "teal"  # color token
    dashed: bool = False


@dataclass(frozen=True, eq=False)
class CurveGroup:
    """Curves with a common scale."""

    title: str
    curves: Sequence[StepCurve] = field(default=())

    @property
    def steps(self) -> Floats:
        """All steps at which a curve has a value, ascending."""
        return np.unique(np.concatenate([_NO_FLOATS, *(curve.steps for curve in self.curves)]))


class ValueAxis(NumberAxis):
    """Numbers; with `log`, positions are log10 of the numbers."""

    log = False  # a class attribute because AxisItem.__init__ reads it

    def __init__(self) -> None:
        super().__init__("left")

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        """Return 1, 2 and 5 times the powers of ten if logarithmic; else plain ticks."""
        low, high = sorted((start, stop))
        if not self.log or high <= low:
            return super().tickValues(start, stop, size)
        factors = (1, 2, 5) if high - low < 2.5 else (1,)
        powers = range(math.floor(low), math.ceil(high) + 1)
        ticks = [power + math.log10(factor) for power in powers for factor in factors]
        return [(1.0, [tick for tick in ticks if low <= tick <= high])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if not self.log:
            return super().tickStrings(values, scale, spacing)
        return [power_text(value) for value in values]


class CurveCanvas(PlotCanvas):
    """Curves that are always visible as a whole, with a keyboard cursor on a step."""

    pointed = Signal(int)  # the mouse or the cursor is at the step with this index; -1 for none

    left: ValueAxis

    def __init__(self) -> None:
        super().__init__(IndexAxis(), ValueAxis(), margin=24)
        self._curves: Sequence[StepCurve] = ()
        self._steps = _NO_FLOATS
        self.cursor = -1

    def set_curves(self, curves: Sequence[StepCurve], steps: Floats, last_step: float) -> None:
        """Show curves; the horizontal axis ends at `last_step`, or at the last value."""
        self._curves, self._steps = curves, steps
        self.cursor = min(self.cursor, len(steps) - 1)
        values = np.concatenate([_NO_FLOATS, *(curve.values for curve in curves)])
        values = values[np.abs(values) < _LARGEST]
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        self.left.log = low > 0 and high > _LOG_FROM * low
        if self.left.log:
            low, high = math.log10(low), math.log10(high)
        space = _MARGIN * ((high - low) or abs(high) or 1.0)
        self.box.setYRange(low - space, high + space, padding=0)
        end = max(last_step, float(steps[-1]) if steps.size else 1.0, 1.0)
        self.box.setXRange(-0.01 * end, 1.01 * end, padding=0)
        self.left.redraw()
        self.bottom.redraw()
        self.viewChanged.emit()
        self.viewport().update()

    def pixel_of(self, step: float, value: float) -> QPointF:
        if self.left.log:
            value = math.log10(value) if value > 0 else -_LARGEST
        return self.area.pixel(step, value)

    # -- painting ---------------------------------------------------------------------------------

    def paint_over(self, painter: QPainter) -> None:
        area, colors = self.area, self._colors
        with saved_painter_state(painter):
            painter.setClipRect(area.rect)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if 0 <= self.cursor < len(self._steps):
                painter.setPen(QPen(QColor(colors["muted"]), 1, Qt.PenStyle.DotLine))
                x = self.pixel_of(float(self._steps[self.cursor]), 1.0).x()
                painter.drawLine(QPointF(x, area.rect.top()), QPointF(x, area.rect.bottom()))
            for curve in self._curves:
                self._paint_curve(painter, curve)

    def _paint_curve(self, painter: QPainter, curve: StepCurve) -> None:
        some = np.flatnonzero(np.abs(curve.values) < _LARGEST)  # without NaN
        stride = max(1, math.ceil(len(some) / _MOST_DRAWN))
        chosen = [*some[::stride].tolist(), *some[-1:].tolist()]
        points = [self.pixel_of(float(curve.steps[at]), float(curve.values[at])) for at in chosen]
        ink = QColor(self._colors[curve.ink])
        style = Qt.PenStyle.DashLine if curve.dashed else Qt.PenStyle.SolidLine
        painter.setPen(QPen(ink, 1.5 if curve.dashed else 2, style))
        painter.drawPolyline(QPolygonF(points))
        if len(points) <= _DOTTED_UP_TO and not curve.dashed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            for point in points:
                painter.drawEllipse(point, _DOT, _DOT)
            painter.setBrush(Qt.BrushStyle.NoBrush)

    # -- mouse and keys ---------------------------------------------------------------------------

    def zoom(self, factor: float) -> None:
        """Do nothing: the curves are always visible as a whole."""

    def fit(self) -> None:
        """Do nothing: the curves are always visible as a whole."""

    def _hover(self, pixel: QPointF | None) -> None:
        area = self.area
        if pixel is None or not area.rect.contains(pixel) or not self._steps.size:
            self.pointed.emit(self.cursor)
        else:
            self.pointed.emit(int(np.abs(self._steps - area.point(pixel).x()).argmin()))

    def _drag(self, _event: QMouseEvent, _start: QPointF, _moved: QPointF) -> None:
        pass

    def _click(self, event: QMouseEvent) -> None:
        if self._steps.size:
            at = self.area.point(event.position()).x()
            self._set_cursor(int(np.abs(self._steps - at).argmin()))

    def _set_cursor(self, cursor: int) -> None:
        self.cursor = cursor
        self.pointed.emit(cursor)
        self.viewport().update()

    def handles_key(self, event: QKeyEvent) -> bool:
        return event.key() in _KEYS and not event.modifiers()

    def _press_key(self, event: QKeyEvent) -> bool:
        if not self.handles_key(event) or not self._steps.size:
            return super()._press_key(event)
        last = len(self._steps) - 1
        start = last if self.cursor < 0 else self.cursor + _KEYS[Qt.Key(event.key())]
        self._set_cursor(min(max(start, 0), last))
        return True


class CurveView(PlotView):
    """Groups of curves, one of which is shown, as a plot or as a table."""

    def __init__(self) -> None:
        self.canvas = CurveCanvas()
        self._groups: Sequence[CurveGroup] = ()
        self._shown = CurveGroup("")
        self._steps = _NO_FLOATS
        self._last_step = 0.0
        self._pointed = -1
        super().__init__(self.canvas)
        self.group_box = choice_box(self.tr("Curves"), self.tr("Which curves are shown"), ())
        self.group_box.activated.connect(self._show_group)
        self.group_box.hide()
        self._row.addWidget(self.group_box)
        self._row.addStretch(1)
        self._row.addWidget(self.controls)
        self.canvas.bottom.setLabel(self.tr("step"))
        self.canvas.pointed.connect(self._on_pointed)
        self._set_stem("", "training")
        self.set_colors(self._colors)

    def empty_text(self) -> str:
        return self._empty_text or self.tr("No values yet.")

    def set_curves(self, groups: Sequence[CurveGroup], last_step: float = 0.0) -> None:
        """Replace all curves; the group with the same title stays chosen.

        The horizontal axis ends at `last_step`, or at the last value.
        """
        self._groups, self._last_step = groups, last_step
        titles = [group.title for group in groups]
        if titles != [self.group_box.itemText(n) for n in range(self.group_box.count())]:
            former = self.group_box.currentText()
            chosen = titles.index(former) if former in titles else 0
            set_choices(self.group_box, titles, chosen if titles else -1)
        self._show_group()

    def _show_group(self) -> None:
        at = self.group_box.currentIndex()
        self._shown = self._groups[at] if 0 <= at < len(self._groups) else CurveGroup("")
        self._steps = self._shown.steps
        if self._pointed >= len(self._steps):
            self._pointed = -1
        self.canvas.left.setLabel(within_reason(self._shown.title))
        self.canvas.set_curves(self._shown.curves, self._steps, self._last_step)
        self._set_content(present=bool(self._steps.size))
        self.refresh()

    def refresh(self) -> None:
        colors = self._colors
        self._set_legend(
            [
                Swatch(within_reason(c.label), (colors[c.ink],), sides=0, line=c.dashed)
                for c in self._shown.curves
            ]
        )
        self._describe(self._shown.title or self.tr("Curves"), self.summary())
        self._refresh_readout()
        self._refresh_table()

    def summary(self) -> str:
        """Return the last value of each curve as text, also for screen readers."""
        return self._text_at(len(self._steps) - 1) if self._steps.size else ""

    def numbers(self) -> Numbers:
        return self._numbers_of(self._shown)

    def all_numbers(self) -> Numbers:
        """Return the values of the curves of all groups."""
        curves = [curve for group in self._groups for curve in group.curves]
        return self._numbers_of(CurveGroup("", curves))

    def _numbers_of(self, group: CurveGroup) -> Numbers:
        steps, curves = group.steps, group.curves
        if not steps.size:
            return NOTHING
        tables = [
            dict(zip(curve.steps.tolist(), curve.values.tolist(), strict=True)) for curve in curves
        ]

        def row(at: int) -> tuple[object, ...]:
            step = float(steps[at])
            return (round(step), *(table.get(step, "") for table in tables))

        headers = (self.tr("step"), *(curve.label for curve in curves))
        return Numbers(headers, len(steps), row)

    def _text_at(self, at: int) -> str:
        """Return the values at the step with an index; for curves without one the last before."""
        step, parts = float(self._steps[at]), []
        for curve in self._shown.curves:
            before = int(np.searchsorted(curve.steps, step, "right")) - 1
            if before >= 0:
                value = value_text(float(curve.values[before]), _DIGITS)
                parts.append(
                    self.tr("{curve} {value}").format(curve=within_reason(curve.label), value=value)
                )
        words = self.tr("Step {n}: {values}")
        return words.format(n=count(round(step)), values="; ".join(parts))

    def _on_pointed(self, at: int) -> None:
        self._pointed = at
        self._refresh_readout()

    def _refresh_readout(self) -> None:
        at = self._pointed if 0 <= self._pointed < len(self._steps) else len(self._steps) - 1
        self.readout.setText(self._text_at(at) if self._has_content else "")
