"""The page Sensitivity: the damage by tensor and amount, one cell per evaluation of a scan."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QPointF, QRect, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QPushButton, QWidget

from pruneapp.evaluation.scan import Sensitivity, TensorSensitivity
from pruneapp.gui.method_form.editors import write_amount
from pruneapp.gui.plots.base.plot_canvas import PlotArea, PlotAxis
from pruneapp.gui.plots.base.plot_view import PlotView
from pruneapp.gui.plots.base.readout import Swatch
from pruneapp.gui.plots.chart.axes import NamesAxis
from pruneapp.gui.plots.chart.chart_canvas import ChartCanvas
from pruneapp.gui.plots.heatmap.shading import is_dark, mix, pixels, ramp, readable_on
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.controls import ElidedBox, choice_box, lay_in_row
from pruneapp.gui.widgets.labels import (
    as_plain,
    as_sentence,
    join_facts,
    join_names,
    join_sentences,
    join_statements,
    plain,
    with_label,
)
from pruneapp.gui.widgets.number_format import (
    NO_NUMBER,
    count,
    metric_amount,
    metric_points,
    percent,
    signed,
)
from pruneapp.gui.widgets.number_format import metric as metric_text
from pruneapp.gui.widgets.reports import calibration_mark
from pruneapp.gui.widgets.safe_paint import saved
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.gui.widgets.sparsity_bar import hatch

# Share of the color of the worst damage in cells without damage.
_LEAST, _LEAST_IN_DARK = 0.06, 0.015
_SHADES = 256
_LAYER, _DAMAGE, _SIZE = "layer", "damage", "size"  # keys of the orders
_HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
_SIDES = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


@lru_cache(maxsize=8)
def _shades(ground: str, ink: str) -> NDArray[np.uint32]:
    """Return ``uint32[256]`` pixels from nearly the background color to the color `ink`."""
    share = _LEAST_IN_DARK if is_dark({"surface": ground}) else _LEAST
    return pixels(ramp((mix(ground, ink, share), ink), _SHADES))


class AmountAxis(PlotAxis):
    """Amounts below the columns of cells."""

    amounts: Sequence[float] = ()  # a class attribute because AxisItem.__init__ reads it

    def __init__(self) -> None:
        super().__init__("bottom")
        self.setStyle(tickLength=0)

    def tickValues(self, *_: float) -> list[tuple[float, list[float]]]:
        """Return a tick at the center of each column."""
        return [(1.0, [float(column) for column in range(len(self.amounts))])]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        """Return the amounts of the columns."""
        return [write_amount(self.amounts[round(value)]) for value in values]


class SensitivityCanvas(ChartCanvas):
    """A row of cells per tensor, with a keyboard cursor on a cell."""

    def __init__(self) -> None:
        self.amounts, self.names = AmountAxis(), NamesAxis()
        self.column = self.hovered_column = 0
        # ``float64[rows, columns]``: damage from 0 to 1; NaN if not measured.
        self._levels: NDArray[np.float64] = np.zeros((0, 0))
        self.text: Callable[[int, int], str] = lambda _row, _column: ""
        self._ink = "danger"
        super().__init__(self.amounts, self.names, sideways=True)

    @property
    def columns(self) -> int:
        """Number of amounts."""
        return len(self.amounts.amounts)

    def set_cells(
        self,
        amounts: Sequence[float],
        levels: NDArray[np.float64],
        text: Callable[[int, int], str],
        *,
        ink: str,
    ) -> None:
        """Set the cells; the visible range is kept if the number of rows is unchanged.

        Parameters
        ----------
        levels
            Damage of each cell from 0 to 1, ``float64[rows, columns]``; NaN if not measured.
        text
            Returns the text of the cell at a row and column.
        ink
            Color token of the worst damage.
        """
        self.amounts.amounts, self._levels, self.text, self._ink = amounts, levels, text, ink
        self.column = min(self.column, max(0, len(amounts) - 1))
        self.set_top(-0.5, max(len(amounts), 1) - 0.5)
        self.amounts.redraw()
        if len(levels) != self.count:
            self.set_edges(np.arange(len(levels) + 1, dtype=np.float64) + 0.5)
        self.viewport().update()

    def fill(self, level: float) -> int:
        """Return the pixel of a cell with a damage of `level`, as in ``QImage.Format_RGB32``."""
        shades = _shades(self._colors["surface"], self._colors[self._ink])
        return int(shades[round(level * (_SHADES - 1))])

    def cell_rect(self, row: int, column: int, rows: int = 1) -> QRectF:
        """Return the rectangle of a cell in pixels of this widget, `rows` rows high."""
        return self._cell_in(self.area, row, column, rows)

    def _cell_in(self, area: PlotArea, row: int, column: int, rows: int = 1) -> QRectF:
        last = min(row + rows, self.count)
        start = area.pixel(float(self.edges[row]), column - 0.5)
        return QRectF(start, area.pixel(float(self.edges[last]), column + 0.5))

    def column_at(self, pixel: QPointF) -> int:
        """Return the column at a pixel of this widget; -1 for none."""
        area = self.area
        at = round(area.point(pixel).y())
        return at if area.rect.contains(pixel) and 0 <= at < self.columns else -1

    # -- painting ---------------------------------------------------------------------------------

    def paint_over(self, painter: QPainter) -> None:
        """Paint the cells and the overlays."""
        painter.setFont(self.font())
        area, (start, stop) = self.area, self.visible
        with saved(painter):
            painter.setClipRect(area.rect)
            if self.count and self.columns:
                # If rows are thinner than a pixel, show the worst of each group.
                group = max(1, math.ceil((stop - start) / self.plot_length))
                for row in range(start - start % group, stop, group):
                    for column in range(self.columns):
                        self._paint_cell(painter, area, row, column, group)
        super().paint_over(painter)
        if 0 <= self.cursor_bar < self.count:
            painter.setPen(QPen(QColor(self._colors["surface"]), 1))
            painter.drawRect(self._bar_rect(self.cursor_bar, area).adjusted(2, 2, -2, -2))

    def _paint_cell(
        self, painter: QPainter, area: PlotArea, row: int, column: int, group: int
    ) -> None:
        levels = self._levels[row : row + group, column]
        known = levels[~np.isnan(levels)]
        rect = self._cell_in(area, row, column, group)
        if rect.height() >= 4:
            rect.adjust(0, 0, -1, -1)  # the gap between cells
        if not known.size:
            ground = self._colors["surface"]
            painter.fillRect(rect, hatch(self._colors["border"], ground, self.devicePixelRatioF()))
            return
        color = self.fill(float(known.max()))
        painter.fillRect(rect, QColor(color))
        metrics = painter.fontMetrics()
        if rect.height() < metrics.height() - 2:
            return
        text = self.text(row, column)
        if metrics.horizontalAdvance(text) < rect.width() - 4:
            painter.setPen(QColor(readable_on(color)))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)

    def _bar_rect(self, bar: int, area: PlotArea) -> QRectF:
        return self._cell_in(area, bar, self.column).adjusted(1, 1, -2, -2)

    # -- mouse and keys ---------------------------------------------------------------------------

    def _hover(self, pixel: QPointF | None) -> None:
        self.hovered_column = -1 if pixel is None else self.column_at(pixel)
        super()._hover(pixel)

    def _click(self, event: QMouseEvent) -> None:
        column = self.column_at(event.position())
        if column >= 0:
            self.column = column
            super()._click(event)

    def _press_key(self, event: QKeyEvent) -> bool:
        if event.key() not in _SIDES or event.modifiers() & _HELD or not self.count:
            return super()._press_key(event)
        if self.cursor_bar < 0:
            self.set_cursor(self.visible[0])
        else:
            step = _SIDES[Qt.Key(event.key())]
            self.column = min(max(self.column + step, 0), self.columns - 1)
        self.viewport().update()
        self.cursorMoved.emit(self.cursor_bar)
        return True


class SensitivityView(PlotView):
    """A grid of the damage of each tensor at each amount of a sensitivity scan."""

    cellChosen = Signal(str, float)  # the user wants to prune this tensor by this amount
    metricChosen = Signal(str)  # the user chose this metric
    scanChosen = Signal(int)  # the user chose the scan with this index
    stateRequested = Signal()  # the user wants to go to the scanned state
    scanRequested = Signal()
    allocationRequested = Signal()
    # The user wants to reset the form to its settings before a cell was chosen.
    restoreRequested = Signal()

    def __init__(self) -> None:
        self.canvas = SensitivityCanvas()
        self._sensitivity: Sensitivity | None = None
        self._rows: Sequence[TensorSensitivity] = ()  # in displayed order
        self._short = ShortNames()
        self._current = ""  # name of the focused tensor in the file
        self._hovered = -1, -1
        super().__init__(self.canvas)
        self.metric_box = choice_box(
            self.tr("Metric"), self.tr("Metric by which damage is measured"), ()
        )
        self.metric_box.hide()
        self.metric_box.activated.connect(self._on_metric_chosen)
        self.scan = QPushButton(self.tr("Scan…"), self)
        self.scan.setToolTip(self.tr("Measure the damage of pruning each checked tensor alone"))
        self.allocate = QPushButton(self.tr("Allocate…"), self)
        self.allocate.setToolTip(
            self.tr("Choose the sparsity of each tensor for the least predicted damage")
        )
        self.restore = QPushButton(self.tr("Restore settings"), self)
        self.restore.setToolTip(self.tr("Reset the form to its settings before a cell was clicked"))
        self.restore.hide()
        for button, signal in (
            (self.scan, self.scanRequested),
            (self.allocate, self.allocationRequested),
            (self.restore, self.restoreRequested),
        ):
            button.setAccessibleDescription(button.toolTip())
            button.clicked.connect(signal)
        self.allocate.setEnabled(False)
        self.order_box = choice_box(
            self.tr("Order"),
            self.tr("Order of the tensors"),
            (
                (self.tr("In layer order"), _LAYER),
                (self.tr("Most sensitive first"), _DAMAGE),
                (self.tr("Largest first"), _SIZE),
            ),
        )
        self.order_box.activated.connect(self._on_order_chosen)
        for part in (self.metric_box, self.order_box, self.scan, self.allocate, self.restore):
            self._row.addWidget(part)
        # Limited to the remaining width.
        self.scan_box = choice_box(self.tr("Scan"), "", kind=ElidedBox)
        self.scan_box.setMinimumContentsLength(10)
        self.scan_box.activated.connect(self.scanChosen)
        self._row.addWidget(self.scan_box)
        self._row.addStretch(1)
        self.go_there = QPushButton(self.tr("Go to this state"), self)
        self.go_there.setToolTip(self.tr("Make the scanned state the current one"))
        self.go_there.setAccessibleDescription(self.go_there.toolTip())
        self.go_there.clicked.connect(self.stateRequested)
        # Never elided, because the cells are meaningless without it.
        self.about = plain(wrap=True)
        self._above = QWidget(self)
        lay_in_row(self._above, self.about, self.go_there, wide=self.about)
        self._column.insertWidget(self._column.indexOf(self.controls) + 2, self._above)
        for hidden in (self._above, self.go_there, self.scan_box):
            hidden.hide()
        self._extra_rows.append(self.about)
        self.legend_in_corner = False
        self.canvas.left.setLabel(self.tr("tensors"))
        self.canvas.bottom.setLabel(self.tr("pruned, one tensor at a time"))
        self.canvas.hovered.connect(self._on_hovered)
        self.canvas.cursorMoved.connect(self._on_cursor_moved)
        self.canvas.activated.connect(self._on_activated)
        self._table.activated.connect(self._on_row_activated)
        self._set_stem("", "sensitivity")
        self.set_colors(self._colors)

    def empty_text(self) -> str:
        return self._empty_text or self.tr(
            "Nothing has been scanned yet. Choose Tools > Scan sensitivity… to measure how much "
            "of each tensor the model can spare."
        )

    # -- setters ----------------------------------------------------------------------------------

    def set_sensitivity(self, sensitivity: Sensitivity | None) -> None:
        """Show the results of a scan, also partial ones; None for no scan."""
        self._sensitivity = sensitivity
        shape = (0, 0) if sensitivity is None else (len(sensitivity.rows), len(sensitivity.amounts))
        if shape != (len(self._rows), self.canvas.columns):
            self._hovered = -1, -1  # otherwise the same cell is under the mouse
        self._offer_metrics()
        self.allocate.setEnabled(sensitivity is not None and sensitivity.measured > 0)
        self._show_rows()
        self._set_content(present=bool(self._rows))
        self._redraw()

    def set_scans(self, labels: Sequence[str], chosen: int) -> None:
        """Set the labels of the scans to choose from; hidden for fewer than two."""
        box = self.scan_box
        with QSignalBlocker(box):
            if box.count() != len(labels):
                box.clear()
                box.addItems([*labels])
            for index, label in enumerate(labels):  # does not close an open list
                box.setItemText(index, label)
            box.setCurrentIndex(chosen)
        words = self.tr("Which of the scans is shown")
        box.setToolTip(as_plain(with_label(words, labels[chosen]) if chosen >= 0 else words))
        box.setAccessibleDescription(words)
        column = self.scan_box.view().sizeHintForColumn(0)
        self.scan_box.view().setMinimumWidth(column + 2 * self.fontMetrics().height())
        self.scan_box.setVisible(len(labels) > 1)

    def set_current(self, name: str) -> None:
        """Mark the focused tensor; "" for none."""
        self._current = name
        self._mark_current()

    def set_names(self, names: ShortNames) -> None:
        """Set the shortened names of the tensors of the file."""
        super().set_names(names)
        self._short = names

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of a theme (color by token)."""
        super().set_colors(colors)
        self.canvas.set_colors(self._colors)
        self._mark_current()
        self._redraw()

    def _ordered(self, sensitivity: Sensitivity) -> list[int]:
        """Return row indices in the chosen order; equal ones are in layer order."""
        rows = range(len(sensitivity.rows))
        chosen = self.order_box.currentData()
        if chosen == _SIZE:
            return sorted(rows, key=lambda at: -sensitivity.rows[at].weights)
        if chosen == _DAMAGE:
            return sorted(rows, key=lambda at: -float(sensitivity.sensitivities[at]))
        return [*rows]

    def _show_rows(self) -> None:
        """Pass names and cells to the canvas, in the chosen order."""
        sensitivity, former = self._sensitivity, self._rows
        order = [] if sensitivity is None else self._ordered(sensitivity)
        rows = self._rows = [] if sensitivity is None else [sensitivity.rows[at] for at in order]
        names, before = [row.name for row in rows], [row.name for row in former]
        at = self.canvas.cursor_bar
        name_at_cursor = before[at] if 0 <= at < len(before) else ""
        if names != before:
            self.canvas.names.set_names(lambda at: rows[at].shown, len(rows), self._short)
        if sensitivity is None:
            self.canvas.set_cells((), np.zeros((0, 0)), self._short_cell_text, ink="danger")
        else:
            ink = "danger" if sensitivity.is_current and not sensitivity.is_old else "muted"
            self.canvas.set_cells(
                sensitivity.amounts, sensitivity.levels[order], self._short_cell_text, ink=ink
            )
        # Keep the cursor on its tensor.
        self.canvas.cursor_bar = names.index(name_at_cursor) if name_at_cursor in names else -1
        self._mark_current()

    def _mark_current(self) -> None:
        rows = self._rows
        at = next((n for n, row in enumerate(rows) if row.name == self._current), -1)
        self.canvas.set_current(at)
        shown = rows[at].shown if at >= 0 else ""
        self.canvas.names.set_marked(shown, self._colors["accent"])

    def _offer_metrics(self) -> None:
        names = () if self._sensitivity is None else self._sensitivity.metrics
        with QSignalBlocker(self.metric_box):
            self.metric_box.clear()
            for name in names:
                self.metric_box.addItem(name, name)
            if self._sensitivity is not None:
                self.metric_box.setCurrentIndex(names.index(self._sensitivity.metric))
        self.metric_box.setVisible(len(names) > 1)

    # -- texts ------------------------------------------------------------------------------------

    def _short_cell_text(self, row: int, column: int) -> str:
        sensitivity, value = self._sensitivity, self._rows[row].values[column]
        if sensitivity is None or value is None:
            return ""
        if not math.isfinite(value):
            return "✕"
        difference = value - sensitivity.before
        mark = " ▲" if sensitivity.calibrated else ""
        if abs(difference) <= sensitivity.noise_at(self._rows[row], column):
            return ("≈" if difference else "0") + mark
        return (
            signed(metric_amount(difference, share=sensitivity.share, short=True), difference)
            + mark
        )

    def cell_text(self, row: int, column: int) -> str:
        sensitivity = self._sensitivity
        assert sensitivity is not None
        tensor, amount = self._rows[row], write_amount(sensitivity.amounts[column])
        value = tensor.values[column]
        words = self.tr("{name}, {amount} pruned:  {what}")
        if value is None:
            what = self.tr("not measured yet")
        elif not math.isfinite(value):
            what = self.tr("{metric} is not a finite number").format(metric=sensitivity.metric)
        else:
            damage, noise = sensitivity.damage(value), sensitivity.noise_at(tensor, column)
            if not damage:
                change = self.tr("no difference")
            elif abs(damage) <= noise:
                change = self.tr("no difference found within ±{noise}").format(
                    noise=self._amount(noise)
                )
            elif damage > 0:
                change = self.tr("{amount} worse").format(amount=self._amount(damage))
            else:
                change = self.tr("{amount} better").format(amount=self._amount(damage))
            what = join_facts(
                f"{sensitivity.metric} {metric_text(value, share=sensitivity.share)}", change
            )
            if sensitivity.calibrated:
                what = join_names(what, calibration_mark())
        return words.format(name=tensor.shown, amount=amount, what=what)

    def subject(self) -> str:
        """Return which state was scanned, and how."""
        sensitivity = self._sensitivity
        if sensitivity is None:
            return ""
        if not sensitivity.state:
            words = self.tr("The scanned state was deleted.")
        elif sensitivity.is_current:
            words = self.tr("Scanned state: {state}, the current one.")
        else:
            words = self.tr("Scanned state: {state}. The current state is another one.")
        parts = [
            words.format(state=sensitivity.state),
            self.tr("Method: {method}.").format(method=sensitivity.method),
        ]
        if sensitivity.is_old:
            parts.append(sensitivity.why_old)
        before = self.tr("Before pruning: {metric} {value}.")
        value = metric_text(sensitivity.before, share=sensitivity.share)
        parts.append(before.format(metric=sensitivity.metric, value=value))
        if not sensitivity.noises.any() and sensitivity.measured:
            parts.append(self.tr("Repeatable; the uncertainty of the data is not known."))
        if sensitivity.calibrated:
            parts.append(as_sentence(calibration_mark()))
        return join_sentences(*parts)

    def summary(self) -> str:
        """Return how much was measured, and which tensor is the most sensitive."""
        sensitivity = self._sensitivity
        if sensitivity is None:
            return ""
        parts = []
        if sensitivity.measured < sensitivity.wanted:
            done = self.tr("{n} of {all} evaluations measured")
            parts.append(done.format(n=count(sensitivity.measured), all=count(sensitivity.wanted)))
        worst = sensitivity.most_sensitive
        if worst is not None:
            row, column = worst
            parts.append(
                self.tr("largest damage: {name} at {amount}, {damage}").format(
                    name=sensitivity.rows[row].shown,
                    amount=write_amount(sensitivity.amounts[column]),
                    damage=self._amount(sensitivity.worst),
                )
            )
        elif sensitivity.measured:
            parts.append(self.tr("no damage beyond the noise"))
        return join_statements(*parts)

    def _amount(self, damage: float) -> str:
        assert self._sensitivity is not None
        return metric_points(damage, share=self._sensitivity.share)

    def numbers(self) -> Numbers:
        """Return one row per tensor with the metric at each amount."""
        sensitivity = self._sensitivity
        if sensitivity is None:
            return NOTHING
        rows = self._rows
        headers = (
            self.tr("tensor"),
            self.tr("weights"),
            *(
                self.tr("{metric} at {amount}").format(
                    metric=sensitivity.metric, amount=percent(a, 0)
                )
                for a in sensitivity.amounts
            ),
            # With the data that calibrated the states, the values are better than with other data.
            *([self.tr("measured with")] if sensitivity.calibrated else ()),
        )
        marks = [calibration_mark()] if sensitivity.calibrated else []

        def row(at: int) -> tuple[object, ...]:
            tensor = rows[at]
            values = [NO_NUMBER if value is None else value for value in tensor.values]
            return tensor.name, tensor.weights, *values, *marks

        return Numbers(headers, len(rows), row, shown=(0, *range(2, len(headers))))

    def _redraw(self) -> None:
        self._set_legend(self._swatches() if self._has_content else ())
        self.about.setText(self.subject())
        self.go_there.setVisible(
            self._sensitivity is not None
            and bool(self._sensitivity.state)
            and not self._sensitivity.is_current
        )
        self._above.setVisible(self._has_content)
        whole = join_sentences(self.subject(), self.summary())
        words = whole if self._has_content else self.empty_text()
        self._describe(self.tr("Damage by tensor and amount"), words)
        self._refresh_readout()
        self._refresh_table()

    def _swatches(self) -> list[Swatch]:
        sensitivity, canvas = self._sensitivity, self.canvas
        if sensitivity is None:
            return []
        colors = tuple(QColor(canvas.fill(level)).name() for level in (0.0, 0.5, 1.0))
        worst = self._amount(sensitivity.worst)
        words = self.tr("{n} worse (logarithmic)").format(n=worst)
        swatches = [Swatch(words, colors, before=self.tr("0"))]
        if sensitivity.measured < sensitivity.wanted:
            swatches.append(
                Swatch(self.tr("not measured"), (self._colors["border"],), hatched=True)
            )
        # Why the cells are gray.
        gray = {
            (True, True): self.tr("measured before"),
            (False, False): self.tr("of another state"),
            (True, False): self.tr("of another state, measured before"),
        }
        if words := gray.get((sensitivity.is_old, sensitivity.is_current), ""):
            swatches.append(Swatch(words, (self._colors["muted"],)))
        return swatches

    def _drawn_area(self) -> QRect:
        return super()._drawn_area().united(self._above.geometry())

    def _refresh_readout(self) -> None:
        row, column = self._hovered
        if row < 0 or column < 0:
            row, column = self.canvas.cursor_bar, self.canvas.column
        if self._sensitivity is None or not self._has_content:
            self.readout.setText("")
        elif 0 <= row < len(self._rows) and column < len(self._sensitivity.amounts):
            self.readout.setText(self.cell_text(row, column))
        else:
            self.readout.setText(self.summary())

    def _on_hovered(self, row: int) -> None:
        at = row, self.canvas.hovered_column
        if at != self._hovered:
            self._hovered = at
            self._refresh_readout()

    def _on_cursor_moved(self, _row: int) -> None:
        self._hovered = -1, -1
        self._refresh_readout()

    def _on_activated(self, row: int) -> None:
        self._choose(row, self.canvas.column)

    def _on_row_activated(self, index: QModelIndex) -> None:
        amounts = 0 if self._sensitivity is None else len(self._sensitivity.amounts)
        self._choose(index.row(), min(max(index.column() - 1, 0), amounts - 1))

    def _choose(self, row: int, column: int) -> None:
        if self._sensitivity is not None:
            self.cellChosen.emit(self._rows[row].name, self._sensitivity.amounts[column])

    def _on_order_chosen(self) -> None:
        self._show_rows()
        self._redraw()

    def _on_metric_chosen(self) -> None:
        self.metricChosen.emit(str(self.metric_box.currentData()))
