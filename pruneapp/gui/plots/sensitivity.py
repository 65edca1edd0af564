"""The page Sensitivity: the damage by tensor and amount, one cell per evaluation of a scan."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QPointF, QRect, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QPushButton, QWidget

from pruneapp.evaluation.scan import Sensitivity
from pruneapp.gui.method_form.editors import write_amount
from pruneapp.gui.plots.base.plot_area import PlotArea
from pruneapp.gui.plots.base.plot_canvas import PlotAxis
from pruneapp.gui.plots.base.plot_view import WrappingRow
from pruneapp.gui.plots.base.readout import Swatch
from pruneapp.gui.plots.chart.axes import NamesAxis
from pruneapp.gui.plots.chart.bar_chart import BarChartView
from pruneapp.gui.plots.chart.chart_canvas import ChartCanvas
from pruneapp.gui.plots.chart.items import BarChart, TableColumn
from pruneapp.gui.plots.heatmap.shading import is_dark, luminance, mix, pixels, ramp, readable_on
from pruneapp.gui.widgets.controls import ElidedBox, choice_box, lay_in_row, set_choices
from pruneapp.gui.widgets.labels import (
    as_plain,
    as_sentence,
    join_facts,
    join_sentences,
    plain,
    with_label,
)
from pruneapp.gui.widgets.number_format import (
    NO_NUMBER,
    count,
    metric_amount,
    metric_points,
    metric_title,
    percent,
    short_amount,
    with_sign,
)
from pruneapp.gui.widgets.number_format import metric as metric_text
from pruneapp.gui.widgets.reports import calibration_note, flat_scan_note
from pruneapp.gui.widgets.safe_paint import saved_painter_state
from pruneapp.gui.widgets.sparsity_bar import hatch

# Share of the color of the worst damage in cells without damage.
_LEAST, _LEAST_IN_DARK = 0.06, 0.015
_SHADES = 256
_LAYER, _DAMAGE, _SIZE = "layer", "damage", "size"  # keys of the orders
_HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
_SIDES = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


# Luminance of the darkest and the lightest gray cell, on a light and on a dark background: their
# numbers have a contrast of 7, as black on a medium gray is hard to read.
_DARKEST, _LIGHTEST_IN_DARK = 0.3, 0.1


def _gray(ground: str, ink: str) -> str:
    """Return the color of the worst damage in another state: `ink` mixed with the background."""
    limit = _LIGHTEST_IN_DARK if is_dark({"surface": ground}) else _DARKEST
    start, end = luminance(ground), luminance(ink)
    return mix(ground, ink, min(1.0, (limit - start) / (end - start)))


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
        return [(1.0, [float(column) for column in range(len(self.amounts))])]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        return [write_amount(self.amounts[round(value)]) for value in values]


class SensitivityCanvas(ChartCanvas):
    """A row of cells per tensor, with a keyboard cursor on a cell."""

    def __init__(self) -> None:
        self.amounts = AmountAxis()
        self.column = self.hovered_column = 0
        # ``float64[rows, columns]``: damage from 0 to 1; NaN if not measured.
        self._levels: NDArray[np.float64] = np.zeros((0, 0))
        self.text: Callable[[int, int], str] = lambda _row, _column: ""
        self._is_gray = False
        super().__init__(self.amounts, NamesAxis(), sideways=True)

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
        is_gray: bool,
    ) -> None:
        """Set the cells, in place of the last ones.

        Parameters
        ----------
        amounts
            The amount of each column, from 0 to 1.
        levels
            Damage of each cell from 0 to 1, ``float64[rows, columns]``; NaN if not measured.
        text
            Returns the text of the cell at a row and column.
        is_gray
            Whether the cells are gray instead of red.
        """
        self.amounts.amounts, self._levels, self.text = amounts, levels, text
        self._is_gray = is_gray
        self.column = min(self.column, max(0, len(amounts) - 1))
        self.set_top(-0.5, max(len(amounts), 1) - 0.5)
        self.amounts.redraw()
        self.viewport().update()

    def fill(self, level: float) -> int:
        """Return the pixel of a cell with a damage of `level`, as in ``QImage.Format_RGB32``."""
        ground = self._colors["surface"]
        worst = _gray(ground, self._colors["muted"]) if self._is_gray else self._colors["danger"]
        shades = _shades(ground, worst)
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
        at = min(max(round(area.point(pixel).y()), 0), self.columns - 1)
        return at if area.rect.contains(pixel) else -1

    # -- painting ---------------------------------------------------------------------------------

    def paint_over(self, painter: QPainter) -> None:
        painter.setFont(self.font())
        area, (start, stop) = self.area, self.visible
        with saved_painter_state(painter):
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


class SensitivityView(BarChartView):
    """A grid of the damage of each tensor at each amount of a sensitivity scan."""

    cellChosen = Signal(str, float)  # the user wants to prune this tensor by this amount
    metricChosen = Signal(str)  # the user chose this metric
    scanChosen = Signal(int)  # the user chose the scan with this index
    stateRequested = Signal()  # the user wants to go to the scanned state
    setUpRequested = Signal()  # the user wants to choose what evaluates the model
    scanRequested = Signal()
    allocationRequested = Signal()
    # The user wants to reset the form to its settings before a cell was chosen.
    restoreRequested = Signal()

    canvas: SensitivityCanvas
    readout_lines = 2

    def __init__(self) -> None:
        self._sensitivity: Sensitivity | None = None
        self._largest = 0.0  # absolute difference of the metric, of all cells
        self._order: list[int] = []
        self._names: list[str] = []  # of the tensors in the file, in displayed order
        self._current = ""  # name of the focused tensor in the file
        self._is_running = False  # whether a scan is running
        orders = (
            (self.tr("In tree order"), _LAYER),
            (self.tr("Most sensitive first"), _DAMAGE),
            (self.tr("Largest first"), _SIZE),
        )
        super().__init__(SensitivityCanvas(), orders)
        self.order_box.setToolTip(self.tr("Order of the tensors"))
        self.metric_box = choice_box(
            self.tr("Metric"), self.tr("Metric by which the quality loss is measured"), ()
        )
        self.metric_box.activated.connect(self._on_metric_chosen)
        self.set_up = QPushButton(self.tr("Evaluate…"), self)
        self.set_up.setToolTip(
            self.tr("Choose the data or script that evaluates the model, and evaluate this state")
        )
        self.scan = QPushButton(self.tr("Scan…"), self)
        self.scan.setToolTip(
            self.tr("Measure the quality loss of pruning each checked tensor alone")
        )
        self.allocate = QPushButton(self.tr("Allocate…"), self)
        self.allocate.setToolTip(
            self.tr("Choose the sparsity of each tensor for the least predicted quality loss")
        )
        self.restore = QPushButton(self.tr("Restore settings"), self)
        self.restore.setToolTip(self.tr("Reset the form to its settings before a cell was clicked"))
        self.go_there = QPushButton(self.tr("Go to this state"), self)
        self.go_there.setToolTip(self.tr("Make the scanned state the current one"))
        for button, signal in (
            (self.set_up, self.setUpRequested),
            (self.scan, self.scanRequested),
            (self.allocate, self.allocationRequested),
            (self.restore, self.restoreRequested),
            (self.go_there, self.stateRequested),
        ):
            button.setAccessibleDescription(button.toolTip())
            button.clicked.connect(signal)
        # Limited to the remaining width.
        self.scan_box = choice_box(self.tr("Scan"), "", kind=ElidedBox)
        self.scan_box.setMinimumContentsLength(10)
        self.scan_box.activated.connect(self.scanChosen)
        boxes, buttons = QWidget(self), QWidget(self)
        lay_in_row(boxes, self.metric_box, self.order_box, self.scan_box, None)
        lay_in_row(buttons, self.set_up, self.scan, self.allocate, self.restore)
        # Wrapped, because a wider page would take its width from the docks.
        self._row.addWidget(WrappingRow(boxes, buttons, grows=True))
        # Never elided, because the cells are meaningless without it.
        self.about = plain(wrap=True)
        self._above = QWidget(self)
        lay_in_row(self._above, self.about, self.go_there, wide=self.about)
        self._column.insertWidget(self._column.indexOf(self.controls) + 2, self._above)
        for hidden in (self.metric_box, self.restore, self._above, self.go_there, self.scan_box):
            hidden.hide()
        self._extra_rows.append(self.about)
        self.legend_in_corner = False
        self._set_stem("", "sensitivity")
        self.set_colors(self._colors)

    def empty_text(self) -> str:
        if self._is_running:
            return self.tr("Scanning… The unpruned model is measured first.")
        return self._empty_text or self.tr(
            "No scan yet. Press Scan… to measure how far each tensor can be pruned."
        )

    def chart(self) -> BarChart:
        s, title = self._sensitivity, self.tr("Quality loss by tensor and amount")
        if s is None:
            return BarChart(title=title)
        rows, note, name = s.rows, calibration_note(), metric_title(s.metric)
        at_amount = self.tr("{metric} at {amount}")

        def value(column: int) -> Callable[[int], object]:
            return lambda i: NO_NUMBER if (v := rows[i].values[column]) is None else v

        columns = [
            TableColumn(self.tr("tensor"), lambda i: rows[i].name),
            TableColumn(self.tr("weights"), lambda i: rows[i].weights, shown=False),
            *(
                TableColumn(at_amount.format(metric=name, amount=percent(a, 0)), value(column))
                for column, a in enumerate(s.amounts)
            ),
        ]
        if s.calibrated:
            # With the data that calibrated the states, the values are better than with other data.
            columns.append(TableColumn(self.tr("measured with"), lambda _: note, shown=False))
        return BarChart(
            key=(len(rows), len(s.amounts)),
            order=np.array(self._order, np.int64),
            title=title,
            along=self.tr("tensors"),
            across=self.tr("pruned, one tensor at a time"),
            subject=self.subject(),
            summary=self._summary,
            text=lambda i: self.cell_text(
                i, self.canvas.column if self._hovered < 0 else self.canvas.hovered_column
            ),
            columns=columns,
            swatches=self._swatches(s),
            name=lambda i: rows[i].shown,
            current=self._item_of(self._current),
        )

    def refresh(self) -> None:
        """Show the cells in the chosen order, and keep the cursor on its tensor."""
        s, canvas, former = self._sensitivity, self.canvas, self._names
        at_cursor = former[canvas.cursor_bar] if 0 <= canvas.cursor_bar < len(former) else None
        order = self._order = self._sort_rows()
        self._names = [] if s is None else [s.rows[i].name for i in order]
        if s is not None:
            canvas.set_cells(
                s.amounts,
                s.levels[order],
                lambda row, column: self._short_cell_text(order[row], column),
                is_gray=not s.is_current or s.is_old,
            )
        super().refresh()
        canvas.cursor_bar = self._names.index(at_cursor) if at_cursor in self._names else -1
        self._refresh_readout()
        self.about.setText(self._chart.subject)
        self._above.setVisible(self._has_content)
        self.go_there.setVisible(s is not None and bool(s.state) and not s.is_current)
        self.allocate.setEnabled(s is not None and s.measured > 0)

    # -- setters ----------------------------------------------------------------------------------

    def set_sensitivity(self, sensitivity: Sensitivity | None) -> None:
        """Show the results of a scan, also partial ones; None for no scan.

        Removes an error. The box of metrics is filled; emits no signal.
        """
        self._sensitivity = sensitivity
        if sensitivity is not None:
            values = (value for row in sensitivity.rows for value in row.values)
            changes = (abs(v - sensitivity.before) for v in values if v is not None)
            self._largest = max(filter(math.isfinite, changes), default=0.0)
        names = () if sensitivity is None else sensitivity.metrics
        chosen = -1 if sensitivity is None else names.index(sensitivity.metric)
        set_choices(self.metric_box, names, chosen, metric_title)
        self._show_data()

    def set_running(self, *, running: bool) -> None:
        """Set whether a scan is running, which the page says while it has no results."""
        self._is_running = running
        self._show_state()

    def set_scans(self, labels: Sequence[str], chosen: int) -> None:
        """Set the labels of the scans to choose from; hidden for fewer than two.

        `chosen` is the index of the displayed one, -1 for none. Emits no signal.
        """
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
        self.canvas.mark(self._item_of(name))

    def _item_of(self, name: str) -> int:
        """Return the index of a tensor in the scan; -1 if it is not there."""
        rows = () if self._sensitivity is None else self._sensitivity.rows
        return next((at for at, row in enumerate(rows) if row.name == name), -1)

    def _sort_rows(self) -> list[int]:
        """Return row indices by descending size or damage, or by layer, as the user chose.

        Equal ones are in tree order; empty without a scan.
        """
        s = self._sensitivity
        if s is None:
            return []
        rows = range(len(s.rows))
        if self.order == _SIZE:
            return sorted(rows, key=lambda at: -s.rows[at].weights)
        if self.order == _DAMAGE:
            return sorted(rows, key=lambda at: -float(s.sensitivities[at]))
        return [*rows]

    # -- texts ------------------------------------------------------------------------------------

    def _short_cell_text(self, row: int, column: int) -> str:
        sensitivity = self._sensitivity
        value = None if sensitivity is None else sensitivity.rows[row].values[column]
        if sensitivity is None or value is None:
            return ""
        text = sensitivity.mark(sensitivity.rows[row], column)
        if text is None:
            difference = value - sensitivity.before
            text = (
                metric_amount(difference, share=True)
                if sensitivity.share
                else short_amount(difference, self._largest)
            )
            text = with_sign(text, difference)
        return text

    def cell_text(self, row: int, column: int) -> str:
        sensitivity = self._sensitivity
        assert sensitivity is not None
        tensor, amount = sensitivity.rows[row], write_amount(sensitivity.amounts[column])
        value = tensor.values[column]
        words = self.tr("{name}, {amount} pruned:  {what}")
        metric = metric_title(sensitivity.metric)
        if value is None:
            what = self.tr("not measured yet")
        elif not math.isfinite(value):
            what = self.tr("{metric} is not a finite number").format(metric=metric)
        else:
            damage, noise = sensitivity.damage(value), sensitivity.noise_at(tensor, column)
            if not damage:
                change = self.tr("no difference")
            elif abs(damage) <= noise:
                change = self.tr("difference within noise ±{noise}").format(
                    noise=metric_points(noise, share=sensitivity.share, noise=True)
                )
            elif damage > 0:
                change = self.tr("{amount} worse").format(amount=self._amount(damage))
            else:
                change = self.tr("{amount} better").format(amount=self._amount(damage))
            what = join_facts(f"{metric} {metric_text(value, share=sensitivity.share)}", change)
        return words.format(name=tensor.shown, amount=amount, what=what)

    def subject(self) -> str:
        """Return which state was scanned, how, and its metric before pruning; "" without a scan."""
        sensitivity = self._sensitivity
        if sensitivity is None:
            return ""
        if not sensitivity.state:
            words = self.tr("The scanned state was deleted.")
        elif sensitivity.is_current:
            words = self.tr("Scanned state: {state} (current state).")
        else:
            words = self.tr("Scanned state: {state} (not the current state).")
        parts = [
            words.format(state=sensitivity.state),
            self.tr("Method: {method}.").format(method=sensitivity.method),
        ]
        if sensitivity.data:
            parts.append(self.tr("Evaluated with {data}.").format(data=sensitivity.data))
        if sensitivity.is_old:
            parts.append(sensitivity.why_old)
        before = self.tr("Before pruning: {metric} {value}.")
        value = metric_text(sensitivity.before, share=sensitivity.share)
        parts.append(before.format(metric=metric_title(sensitivity.metric), value=value))
        if not sensitivity.noises.any() and sensitivity.measured:
            parts.append(
                self.tr(
                    "Repeated evaluations of the unpruned model returned the same value, so all "
                    "changes are caused by pruning. How much they differ with other data is "
                    "unknown, because the evaluation returns no values per sample."
                )
            )
        if sensitivity.calibrated:
            parts.append(calibration_note())
        if sensitivity.is_flat and sensitivity.measured == sensitivity.wanted:
            parts.append(flat_scan_note())
        return join_sentences(*parts)

    def _summary(self) -> str:
        """Return how much was measured, and the most sensitive tensor; "" without a scan."""
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
                self.tr("Most sensitive: {name}, {damage} worse at {amount}").format(
                    name=sensitivity.rows[row].shown,
                    amount=write_amount(sensitivity.amounts[column]),
                    damage=self._amount(sensitivity.worst),
                )
            )
        elif sensitivity.measured:
            parts.append(self.tr("No quality loss beyond the noise"))
        return join_sentences(*map(as_sentence, parts))

    def _amount(self, damage: float) -> str:
        assert self._sensitivity is not None
        return metric_points(damage, share=self._sensitivity.share)

    def _swatches(self, sensitivity: Sensitivity) -> list[Swatch]:
        colors = tuple(QColor(self.canvas.fill(level)).name() for level in (0.0, 0.5, 1.0))
        worst = self._amount(sensitivity.worst)
        words = self.tr("{n} worse (logarithmic)").format(n=worst)
        swatches = [Swatch(words, colors, before=self.tr("0"))]
        shown = {
            self._short_cell_text(row, column)[:1]
            for row in range(len(sensitivity.rows))
            for column in range(len(sensitivity.amounts))
        }
        for sign, words in (
            ("≈", self.tr("≈: within the noise")),
            ("0", self.tr("0: no change")),
            ("✕", self.tr("✕: not a finite number")),
        ):
            if sign in shown:
                swatches.append(Swatch(words, ()))
        if sensitivity.measured < sensitivity.wanted:
            swatches.append(
                Swatch(self.tr("not measured"), (self._colors["border"],), hatched=True)
            )
        # Why the cells are gray.
        gray = {
            (True, True): self.tr("measured before"),
            (False, False): self.tr("from another state"),
            (True, False): self.tr("from another state, in an earlier run"),
        }
        if words := gray.get((sensitivity.is_old, sensitivity.is_current), ""):
            swatches.append(Swatch(words, (colors[-1],)))
        return swatches

    def _drawn_area(self) -> QRect:
        return super()._drawn_area().united(self._above.geometry())

    def activate(self, item: int) -> None:
        self._choose(item, self.canvas.column)

    def _on_row_activated(self, index: QModelIndex) -> None:
        column = min(max(index.column() - 1, 0), self.canvas.columns - 1)
        self._choose(self._order[index.row()], column)

    def _choose(self, item: int, column: int) -> None:
        if self._sensitivity is not None:
            amount = self._sensitivity.amounts[column]
            self.cellChosen.emit(self._sensitivity.rows[item].name, amount)

    def _on_order_chosen(self) -> None:
        self.refresh()

    def _on_metric_chosen(self) -> None:
        self.metricChosen.emit(str(self.metric_box.currentData()))
