"""Metric against size: the measured states as points, the noise, and a target to be dragged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, QPointF, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QWheelEvent

from pruneapp.gui.plots.base.plot_canvas import ZOOM_STEP, PlotArea, PlotCanvas
from pruneapp.gui.plots.base.plot_view import PlotView
from pruneapp.gui.plots.base.readout import Swatch, paint_point
from pruneapp.gui.plots.chart.axes import NumberAxis
from pruneapp.gui.plots.chart.chart_canvas import STEPS
from pruneapp.gui.plots.chart.items import CutLine, is_on, paint_line
from pruneapp.gui.plots.quality_axis import Along, quality_axes
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.controls import choice_box
from pruneapp.gui.widgets.engine_text import said_sentence
from pruneapp.gui.widgets.labels import joined, label_for, within_reason
from pruneapp.gui.widgets.number_format import metric_points, signed
from pruneapp.gui.widgets.reports import mark_calibrated, quality_in_words
from pruneapp.gui.widgets.safe_paint import saved
from pruneapp.results.quality import MeasuredState, MetricChange

_RADIUS = 5.0  # pixels of a point
_NEAR = 12.0  # from a point, within which the mouse is on it
_BEYOND = 0.08  # of what can be seen, beside the outermost points
_HANDLE = 0.35  # the same at the right, where the handle of the target is
_CAP = 4.0  # pixels of the ends of the noise, to both sides
# Lines differ by the colour and by the shape of their points: sides, 0 for a circle. So many
# colours and shapes that the first twenty have not both in common.
_INKS = ("kept", "magenta", "teal", "text", "olive")
_SIDES = (0, 4, 3, 6)
# How much worse is allowed at first: one point of a share, else a hundredth of the value.
_TOLERANCE = 0.01
_LONGEST_KIND = 40  # letters of it in the legend
_LARGEST = 1e100  # number that an axis can have
_STEP = 0.1  # by which keys change that, relative to what it is at first

Noise = tuple[float, float]  # from where to where along y it goes


def ink_of(line: int) -> str:
    """Return the token of the colour of a line."""
    return _INKS[max(line, 0) % len(_INKS)]


def sides_of(line: int) -> int:
    """Return how many sides the points of a line have; 0 for circles."""
    return _SIDES[max(line, 0) % len(_SIDES)]


class QualityCanvas(PlotCanvas):
    """Points, of which one has the cursor, and a line across that can be moved."""

    hovered = Signal(int)  # the point under the mouse; -1 for none
    cursorMoved = Signal(int)  # the person put the cursor on this point, -1 for none
    activated = Signal(int)  # the person clicked on this point, or pressed Return on it
    lineMoved = Signal(float)  # the person holds the line there
    lineStepped = Signal(int)  # the person moves it so many steps by keys

    def __init__(self) -> None:
        super().__init__(NumberAxis("bottom"), NumberAxis("left"), margin=24)
        for axis in (self.bottom, self.left):
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickLength=4, maxTickLevel=0, hideOverlappingLabels=24)
        self.points: Sequence[QPointF] = ()
        self.series: Sequence[int] = ()
        self.joins: Sequence[tuple[int, int]] = ()
        self.faded: frozenset[int] = frozenset()
        self.current = self.cursor = -1
        self.noise: Sequence[Noise | None] = ()
        self.level: float | None = None
        self.line: CutLine | None = None
        self.holding = False
        self._whole = self._seen = QRectF(0, 0, 1, 1)

    @property
    def place(self) -> PlotArea:
        """Where the plot is, and what of it can be seen."""
        rect = QRectF(self.viewportTransform().mapRect(self.box.sceneBoundingRect()))
        (left, right), (low, high) = self.box.viewRange()
        return PlotArea(rect, (left, right), (low, high))

    def set_points(
        self,
        points: Sequence[QPointF],
        series: Sequence[int],
        *,
        faded: frozenset[int],
        current: int,
        joins: Sequence[tuple[int, int]] = (),
        noise: Sequence[Noise | None] = (),
        level: float | None = None,
    ) -> None:
        """Show other points; all come into sight if there is a new one, or all were in sight.

        `series` has the kind of each, from 0 on; -1 for the unpruned model, whose value is `level`.
        `joins` are the points that lines join, each in the colour of the second; `noise` has that
        of each point, None where it is not known.
        """
        fresh = len(points) != len(self.points) or self._seen == self._whole
        self.points, self.series = points, series
        self.faded, self.current, self.joins = faded, current, joins
        self.noise, self.level = noise, level
        self.cursor = min(self.cursor, len(points) - 1)
        xs = [0.0, *[point.x() for point in points]]
        ys = [point.y() for point in points] + [y for both in noise if both for y in both]
        wide, high = max(xs) or 1.0, (max(ys) - min(ys)) if ys else 1.0
        high = high or abs(max(ys)) or 1.0
        self._whole = QRectF(-_BEYOND * wide, min(ys, default=0.0) - _BEYOND * high, 0, 0)
        self._whole.setRight(max(xs) + _HANDLE * wide)
        self._whole.setBottom(max(ys, default=1.0) + _BEYOND * high)
        if fresh:
            self.fit()
        self.viewport().update()

    def set_line(self, line: CutLine | None) -> None:
        """Show the target; None for none."""
        self.line = line
        self.viewport().update()

    def fit(self) -> None:
        """Look at all points."""
        self._show(self._whole)

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Go closer towards a place, else towards the cursor or the middle."""
        (left, right), (low, high) = self.box.viewRange()
        if at is None:
            at = QPointF((left + right) / 2, (low + high) / 2)
            if 0 <= self.cursor < len(self.points):
                at = self.points[self.cursor]
        start = QPointF(at.x() - (at.x() - left) / factor, at.y() - (at.y() - low) / factor)
        end = QPointF(at.x() + (right - at.x()) / factor, at.y() + (high - at.y()) / factor)
        self._show(QRectF(start, end))

    def _show(self, area: QRectF) -> None:
        self._seen = area
        self.box.setXRange(area.left(), area.right(), padding=0)
        self.box.setYRange(area.top(), area.bottom(), padding=0)
        self.viewChanged.emit()

    def set_cursor(self, point: int) -> None:
        """Put the cursor on a point, -1 for none."""
        self.cursor = point
        self.viewport().update()

    def pixel_of(self, point: int) -> QPointF:
        """Return the pixel of this widget on which a point lies."""
        return self.place.pixel(self.points[point].x(), self.points[point].y())

    def point_at(self, pixel: QPointF) -> int:
        """Return the point that is nearest to a pixel, if it is near; else -1."""
        far = [(self.pixel_of(n) - pixel).manhattanLength() for n in range(len(self.points))]
        nearest = min(range(len(far)), key=far.__getitem__, default=-1)
        return nearest if nearest >= 0 and far[nearest] <= _NEAR else -1

    # -- painting ---------------------------------------------------------------------------------

    def paint_over(self, painter: QPainter) -> None:
        """Paint the points, the lines that join them, their noise, and the target."""
        painter.setFont(self.font())
        place, colors = self.place, self._colors
        with saved(painter):
            painter.setClipRect(place.rect)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_level(painter, place)
            for one, two in self.joins:
                painter.setPen(QPen(QColor(colors[ink_of(self.series[two])]), 1.5))
                painter.drawLine(self.pixel_of(one), self.pixel_of(two))
            for number, noise in enumerate(self.noise):
                if noise is not None:
                    self._paint_noise(painter, number, noise)
            for number in range(len(self.points)):
                self._paint_point(painter, number)
        if self.line is not None and self.points:
            paint_line(painter, self.line, place, colors, held=self.holding)

    def _paint_level(self, painter: QPainter, place: PlotArea) -> None:
        if self.level is not None:
            painter.setPen(QPen(QColor(self._colors["muted"]), 1, Qt.PenStyle.DotLine))
            ends = (place.pixel(x, self.level) for x in place.x)
            painter.drawLine(*ends)

    def _paint_noise(self, painter: QPainter, number: int, noise: Noise) -> None:
        """Paint a bar as long as the noise, with an end across it above and below."""
        painter.setPen(QPen(QColor(self._colors["muted"]), 1.5))
        x = self.points[number].x()
        low, high = (self.place.pixel(x, y) for y in noise)
        painter.drawLine(low, high)
        aside = QPointF(_CAP, 0)
        for end in (low, high):
            painter.drawLine(end - aside, end + aside)

    def _paint_point(self, painter: QPainter, number: int) -> None:
        colors, middle = self._colors, self.pixel_of(number)
        faded = number in self.faded
        ink = QColor(colors["muted" if faded else ink_of(self.series[number])])
        painter.setPen(QPen(ink, 2))
        painter.setBrush(QColor(colors["surface"]) if faded else ink)
        paint_point(painter, middle, sides_of(self.series[number]), _RADIUS)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if number == self.current:
            painter.setPen(QPen(QColor(colors["accent"]), 2))
            painter.drawEllipse(middle, _RADIUS + 4, _RADIUS + 4)
        if number == self.cursor:
            painter.setPen(QPen(QColor(colors["text"]), 1, Qt.PenStyle.DotLine))
            side = _RADIUS + 7
            painter.drawRect(QRectF(middle - QPointF(side, side), middle + QPointF(side, side)))

    # -- mouse and keys ---------------------------------------------------------------------------

    def _on_line(self, pixel: QPointF) -> bool:
        return self.line is not None and is_on(self.line, pixel, self.place, self.font())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom towards the mouse."""
        steps = event.angleDelta().y() / 120
        if steps and self.points:
            self.zoom(ZOOM_STEP**steps, self.place.point(event.position()))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the line, or begin a click or a drag."""
        if event.button() == Qt.MouseButton.LeftButton and self._on_line(event.position()):
            self.holding = True
            self.viewport().update()
            event.accept()
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the line or the picture; say what is under the mouse."""
        if self.holding:
            self.lineMoved.emit(self.place.point(event.position()).y())
            event.accept()
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let the line go, or do what a click means."""
        self.holding = False
        self.viewport().update()
        super().mouseReleaseEvent(event)

    def _drag(self, _event: QMouseEvent, _start: QPointF, moved: QPointF) -> None:
        place = self.place
        way = place.point(QPointF(0, 0)) - place.point(moved)
        left, low = place.x[0], place.y[0]
        wide, high = place.x[1] - left, place.y[1] - low
        self._show(QRectF(left + way.x(), low + way.y(), wide, high))

    def _hover(self, pixel: QPointF | None) -> None:
        if pixel is not None and self._pressed is None and self._on_line(pixel):
            self.viewport().setCursor(Qt.CursorShape.SplitVCursor)
        elif pixel is not None:
            self.viewport().unsetCursor()
        self.hovered.emit(-1 if pixel is None else self.point_at(pixel))

    def _click(self, event: QMouseEvent) -> None:
        point = self.point_at(event.position())
        self.hovered.emit(point)
        self.set_cursor(point)
        self.cursorMoved.emit(point)
        if point >= 0:
            self.activated.emit(point)

    def takes(self, event: QKeyEvent) -> bool:
        """Whether a key means something here."""
        ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        return (event.key() in STEPS) if ctrl else event.key() in _KEYS

    def _press_key(self, event: QKeyEvent) -> bool:
        key, count = event.key(), len(self.points)
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if self.line is None or key not in STEPS:
                return False
            self.lineStepped.emit(STEPS[Qt.Key(key)])
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.cursor >= 0:
            self.activated.emit(self.cursor)
        elif count and key in STEPS:
            step = STEPS[Qt.Key(key)]
            at = self.current if self.cursor < 0 else self.cursor + step
            self.set_cursor(min(max(at, 0), count - 1))
            self.cursorMoved.emit(self.cursor)
        else:
            return super()._press_key(event)
        return True


_KEYS = {
    Qt.Key.Key_Plus,
    Qt.Key.Key_Equal,
    Qt.Key.Key_Minus,
    Qt.Key.Key_Underscore,
    Qt.Key.Key_0,
}


class QualityView(PlotView):
    """The metric of the measured states; points are in order of sparsity, or of another axis."""

    stateRequested = Signal(int)  # the person wants to go to this state of the history
    metricChosen = Signal(str)  # the person wants to see another metric
    countRequested = Signal()  # the person wants to see multiply-adds, as far as they are counted

    def __init__(self) -> None:
        self.canvas = QualityCanvas()
        self._states: Sequence[MeasuredState] = ()
        self._hovered = -1  # the point under the mouse
        self._named = -1  # the point that is described below; without one, what meets the target is
        self._why_old = ""
        self._conditions = ""  # what the states were measured with
        self._measuring = False
        self._why_uncounted = ""
        self._name = ""  # of the metric; empty for the first
        self._kinds: list[str] = []  # what lines are of
        self._tolerances: dict[str, float] = {}  # by metric, as the person set them
        self._axes = {axis.along: axis for axis in quality_axes()}
        self._axis = self._axes[Along.SPARSITY]
        self._told: tuple[Sequence[MeasuredState], int] = (), -1
        self._in_sight = (
            self._axis.along,
            "",
        )  # what the axes are of: another one is looked at whole
        super().__init__(self.canvas)
        self.axis_box = choice_box(
            self.tr("Axis"),
            self.tr("Measure of size on the horizontal axis"),
            [(axis.title, axis.along.value) for axis in self._axes.values()],
        )
        for row, axis in enumerate(self._axes.values()):
            self.axis_box.setItemData(row, axis.help, Qt.ItemDataRole.ToolTipRole)
        self.metric_box = choice_box(self.tr("Metric"), self.tr("Metric on the vertical axis"), ())
        self.axis_box.activated.connect(self._on_axis_chosen)
        self.metric_box.activated.connect(self._on_metric_chosen)
        self.axis_label = label_for(self.axis_box, self.tr("Axis"))
        for box in (self.axis_label, self.axis_box, self.metric_box):
            keeps_room = box.sizePolicy()  # so that no picture begins higher than others
            keeps_room.setRetainSizeWhenHidden(True)
            box.setSizePolicy(keeps_room)
            box.hide()
            self._row.addWidget(box)
        self._row.addStretch(1)
        self.legend_in_corner = False
        canvas = self.canvas
        canvas.hovered.connect(self._on_hovered)
        canvas.cursorMoved.connect(self._on_cursor_moved)
        canvas.activated.connect(self._go_to)
        canvas.lineMoved.connect(self._on_line_moved)
        canvas.lineStepped.connect(self._on_line_stepped)
        self._table.activated.connect(self._on_row_activated)
        self._set_stem("", "quality")
        self.set_colors(self._colors)

    def empty_text(self) -> str:
        """Say what to do where there is nothing to show."""
        if self._told[0] and self._axis.along is not Along.SPARSITY and not self._instead:
            if self._why_uncounted and self.shows_multiply_adds:
                return self._why_uncounted
            return self.tr(
                "Not saved with the metrics of these states: {axis}. Choose another axis, or "
                "evaluate them again."
            ).format(axis=self._axis.label)
        if self._measuring:
            return self.tr("Evaluating… The unpruned model is measured first.")
        return self._instead or self.tr(
            "Nothing has been evaluated yet. Choose Tools > Evaluate… to measure the model with "
            "your own script."
        )

    # -- what it is told --------------------------------------------------------------------------

    def set_measuring(self, *, measuring: bool) -> None:
        """Take whether a state is being measured: until the first one was, that is said."""
        self._measuring = measuring
        self._show_state()

    def set_uncounted(self, why: str) -> None:
        """Take why multiply-adds are not known of states that were measured."""
        self._why_uncounted = why

    @property
    def shows_multiply_adds(self) -> bool:
        """Whether the states are laid out along their multiply-adds."""
        return self._axis.along is Along.MULTIPLY_ADDS

    def set_states(
        self,
        states: Sequence[MeasuredState],
        position: int,
        metric: str,
        why_old: str = "",
        conditions: str = "",
    ) -> None:
        """Show these states, of which the one at `position` is in force, by a metric.

        `why_old` says why they are old, and what to do; `conditions` what all were measured with.
        """
        by_mouse = position != self._told[1] or self._named == self._hovered
        named = self._number(self._named)
        self._name, self._told, self._why_old = metric, (states, position), why_old
        self._conditions = conditions
        self._offer_metrics(states)
        for part in (self.axis_label, self.axis_box):
            part.setVisible(bool(states))
        places = {
            s.number: place
            for s in states
            if _has_place(s.quality.metric(metric)) and (place := self._axis.place(s)) is not None
        }
        known = [s for s in states if s.number in places]
        here = self._number(self.canvas.cursor)
        former, self._states = self._states, sorted(known, key=lambda s: places[s.number])
        if [s.number for s in former] != [s.number for s in self._states]:
            self._hovered = -1  # another point may be under the mouse
        one, title = self._axis.unit(places.values())
        xs = {number: place / one for number, place in places.items()}
        first = self._metric
        scale = 100.0 if first is not None and first.share else 1.0
        of_share = self._axis.along is Along.SPARSITY
        self.canvas.bottom.set_ends(0.0, 100.0 if of_share else math.inf)
        self.canvas.left.set_ends(*((0.0, 100.0) if first is not None and first.share else ()))
        if first is not None:
            unit = self.tr("{metric}, %") if first.share else "{metric}"
            self.canvas.left.setLabel(unit.format(metric=within_reason(first.name)))
            self.canvas.bottom.setLabel(title)
            self.canvas.bottom.set_bytes(self._axis.along is Along.BYTES)
        points = [QPointF(xs[s.number], scale * self._of(s).value) for s in self._states]
        faded = frozenset(n for n, s in enumerate(self._states) if s.is_old)
        point = {s.number: n for n, s in enumerate(self._states)}
        self.canvas.cursor = point.get(here, -1)  # on its state, wherever that is by now
        self._named = self._hovered if by_mouse else point.get(named, -1)
        noise = [None if s.is_old else _noise(s, self._of(s), scale) for s in self._states]
        at = {s.number: n for n, s in enumerate(self._states) if not s.is_old}
        joins = [
            (at[s.joined], at[s.number])
            for s in self._states
            if s.number in at and s.joined in at and s.kind
        ]
        by_number = sorted(self._states, key=lambda s: s.number)
        self._kinds = list(dict.fromkeys(s.kind for s in by_number if s.kind))
        series = [self._kinds.index(s.kind) if s.kind else -1 for s in self._states]
        self.canvas.set_points(
            points,
            series,
            faded=faded,
            current=point.get(position, -1),
            joins=joins,
            noise=noise,
            level=None if first is None or not any(noise) else scale * first.original,
        )
        in_sight = self._axis.along, "" if first is None else first.name
        if in_sight != self._in_sight:
            self._in_sight = in_sight
            self.canvas.fit()
        self._set_content(present=bool(points))
        self._redraw()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours of a theme by token, and paint anew."""
        super().set_colors(colors)
        self.canvas.set_colors(self._colors)
        self._redraw()

    def _offer_metrics(self, states: Sequence[MeasuredState]) -> None:
        names = list(dict.fromkeys(m.name for s in states for m in s.quality.metrics))
        with QSignalBlocker(self.metric_box):
            self.metric_box.clear()
            for name in names:
                self.metric_box.addItem(name, name)
            shown = next((m for s in states if (m := s.quality.metric(self._name))), None)
            self.metric_box.setCurrentIndex(-1 if shown is None else names.index(shown.name))
        self.metric_box.setVisible(len(names) > 1)  # one is named by the axis

    # -- the target -------------------------------------------------------------------------------

    @property
    def _metric(self) -> MetricChange | None:
        """That of a state that was measured as it would be now, if there is one."""
        fresh = sorted(self._states, key=lambda s: s.is_old)
        return self._of(fresh[0]) if fresh else None

    def _of(self, state: MeasuredState) -> MetricChange:
        metric = state.quality.metric(self._name)
        assert metric is not None, "states without it are left out"
        return metric

    def _number(self, point: int) -> int:
        """Return the number of the state of a point; -1 for none."""
        return self._states[point].number if 0 <= point < len(self._states) else -1

    @property
    def _all_old(self) -> bool:
        return all(state.is_old for state in self._states)

    @property
    def tolerance(self) -> float:
        """How much worse than the unpruned model is allowed."""
        metric = self._metric
        if metric is None:
            return 0.0
        usual = _TOLERANCE * (1.0 if metric.share else abs(metric.original) or 1.0)
        return self._tolerances.get(metric.name, usual)

    def best(self) -> MeasuredState | None:
        """Return the smallest state that meets the target."""
        rounding = 1e-12
        held = [
            s
            for s in self._states
            if not s.is_old and self._of(s).worse <= self.tolerance + rounding
        ]
        if not held:
            return None
        return min(reversed(held), key=lambda s: self._axis.smaller * (self._axis.place(s) or 0.0))

    def _set_tolerance(self, tolerance: float) -> None:
        metric = self._metric
        if metric is not None and metric.higher is not None:
            self._tolerances[metric.name] = max(0.0, tolerance)
            self._redraw()

    def _on_line_moved(self, y: float) -> None:
        metric = self._metric
        if metric is not None:
            value = y / (100.0 if metric.share else 1.0)
            away = value - metric.original
            self._set_tolerance(-away if metric.higher else away)

    def _on_line_stepped(self, steps: int) -> None:
        metric = self._metric
        if metric is not None:
            usual = _TOLERANCE * (1.0 if metric.share else abs(metric.original) or 1.0)
            # Upwards on the screen.
            self._set_tolerance(
                self.tolerance + (-steps if metric.higher else steps) * _STEP * usual
            )

    # -- words ------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Say which state meets the target."""
        metric = self._metric
        if metric is None:
            return ""
        if metric.higher is None:
            return self.tr(
                "It is not known whether a higher or a lower {metric} is better: declare "
                "HIGHER_IS_BETTER in the script, or choose it beside the command line."
            ).format(metric=metric.name)
        if self._all_old:
            return self._why_old
        best, target = self.best(), _amount(metric, self.tolerance)
        if best is None or not best.quality.sparsity:
            words = self.tr("At most {target} worse: no measured state with pruned weights.")
            if self.canvas.faded:
                words = joined(words, self.tr("States measured before do not count."))
            return words.format(target=target)
        words = self.tr("At most {target} worse: {up_to} ({label})")
        half = self._of(best).half
        if half > self.tolerance:
            words += self.tr("; noise ±{noise}")
        return words.format(
            target=target,
            up_to=self._axis.up_to.format(x=self._axis.text(self._axis.place(best) or 0.0)),
            label=best.label,
            noise=_amount(metric, half),
        )

    def numbers(self) -> Numbers:
        """Return the states, in the order of their points."""
        states, of, axis, conditions = self._states, self._of, self._axis, self._conditions
        more = () if axis.along is Along.SPARSITY else (axis.label,)
        if not states:
            return NOTHING
        held = {s.number for s in states if of(s).worse <= self.tolerance + 1e-12}
        yes, no, old = self.tr("yes"), self.tr("no"), self.tr("measured before")

        def row(at: int) -> tuple[object, ...]:
            state, metric = states[at], of(states[at])
            verdict = old if state.is_old else yes if state.number in held else no
            difference = metric.difference
            return (
                state.label,
                state.quality.sparsity,
                *[round(axis.place(state) or 0.0) for _ in more],
                metric.value,
                difference,
                metric.half or "",  # empty if it is not known
                verdict,
                mark_calibrated(conditions, metric),
            )

        headers = (
            self.tr("state"),
            self.tr("sparsity"),
            *more,
            of(states[0]).name,
            self.tr("difference"),
            self.tr("noise ±"),
            self.tr("meets the target"),
            self.tr("measured with"),
        )
        return Numbers(headers, len(states), row, shares=frozenset({1}))

    def _redraw(self) -> None:
        """Paint the target, and say what can be seen."""
        metric = self._metric
        if metric is None or metric.higher is None or self._all_old:
            self.canvas.set_line(None)
        else:
            at = metric.original - self.tolerance * (1 if metric.higher else -1)
            label = _amount(metric, self.tolerance)
            sign = signed(label, -1 if metric.higher else 1)
            scale = 100.0 if metric.share else 1.0
            self.canvas.set_line(CutLine(scale * at, sign, upright=False))
        self._set_legend(self._swatches() if self._has_content else ())
        words = self.summary() if self._has_content else self.empty_text()
        self._describe(self.tr("Metric against {axis}").format(axis=self._axis.label), words)
        self._refresh_readout()
        self._refresh_table()

    def _swatches(self) -> list[Swatch]:
        colors = self._colors
        fresh = {state.kind for state in self._states if not state.is_old}
        swatches = [
            Swatch(_in_legend(kind), (colors[ink_of(line)],), tip=kind, sides=sides_of(line))
            for line, kind in enumerate(self._kinds)
            if kind in fresh
        ]
        if any(self.canvas.noise):
            metric = self._metric
            noise = "" if metric is None else metric.noise
            words = self.tr("noise: {what}").format(what=said_sentence(noise))
            tip = self.tr(
                "A bar that crosses the dotted line, the unpruned model, means that no difference "
                "from it was found."
            )
            swatches.append(Swatch(words, (colors["muted"],), tip=tip))
        if self.canvas.faded:
            swatches.append(Swatch(self.tr("measured before"), (colors["muted"],)))
        if self._conditions:
            words = self.tr("measured with {conditions}").format(conditions=self._conditions)
            swatches.append(Swatch(_in_legend(self._conditions), (), tip=words))
        return swatches

    def _refresh_readout(self) -> None:
        if not self._has_content:
            self.readout.setText("")
        elif 0 <= self._named < len(self._states):
            state = self._states[self._named]
            words = quality_in_words(state.quality, self._name)
            text = self.tr("{state}:  {words}")
            self.readout.setText(text.format(state=state.label, words=words))
        else:
            self.readout.setText(self.summary())

    def _on_hovered(self, point: int) -> None:
        if point != self._hovered:
            self._hovered = self._named = point
            self._refresh_readout()

    def _on_cursor_moved(self, point: int) -> None:
        self._named = point
        self._refresh_readout()

    def _on_row_activated(self, index: QModelIndex) -> None:
        self._go_to(index.row())

    def _go_to(self, point: int) -> None:
        self.stateRequested.emit(self._states[point].number)

    def _on_axis_chosen(self) -> None:
        self._axis = self._axes[Along(self.axis_box.currentData())]
        self.set_states(*self._told, self._name, self._why_old, self._conditions)
        if self.shows_multiply_adds:
            self.countRequested.emit()

    def _on_metric_chosen(self) -> None:
        self.metricChosen.emit(str(self.metric_box.currentData()))


def _has_place(metric: MetricChange | None) -> bool:
    """Whether there is a metric, and an axis can have its numbers."""
    return metric is not None and all(
        abs(number) < _LARGEST for number in (metric.value, metric.original, metric.half)
    )


def _noise(state: MeasuredState, metric: MetricChange, scale: float) -> Noise | None:
    """Return the noise of the difference from the unpruned model, about the value of a state."""
    if state.quality.unpruned or not state.kind or metric.half <= 0:
        return None
    low, high = metric.value - metric.half, metric.value + metric.half
    if metric.share:
        low, high = max(low, 0.0), min(high, 1.0)
    return scale * low, scale * high


def _in_legend(kind: str) -> str:
    return kind if len(kind) <= _LONGEST_KIND else f"{kind[: _LONGEST_KIND - 1]}…"


def _amount(metric: MetricChange, amount: float) -> str:
    return metric_points(amount, share=metric.share)
