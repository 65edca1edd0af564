"""The chart of the page Quality: points, curves and a target line, drawn on a canvas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPolygonF,
    QWheelEvent,
)

from pruneapp.gui.plots.base.plot_canvas import ZOOM_STEP, PlotCanvas
from pruneapp.gui.plots.base.readout import paint_point
from pruneapp.gui.plots.chart.axes import NumberAxis
from pruneapp.gui.plots.chart.chart_canvas import STEPS
from pruneapp.gui.widgets.safe_paint import saved_painter_state

_RADIUS = 5.0  # of a point, in pixels
_CURVE_RADIUS = 2.5  # the same of a point of a frontier
_HOVER_DISTANCE = 12.0  # maximum distance of the mouse from a point to hover it, in pixels
_MARGIN = 0.08  # margin around the outermost points, as a share of the visible range
_HANDLE = 0.35  # the same at the right, for the handle of the target line
_NOISE_CAP = 4.0  # half the width of the caps of a noise bar, in pixels
_LABEL_GAP = 5.0  # distance of a label from its point, in pixels
_LONGEST_LABEL = 32  # characters
_MOST_LABELS = 60  # with more visible points only the label under the mouse is shown

Noise = tuple[float, float]  # lower and upper end of the noise bar along y


@dataclass(frozen=True)
class Point:
    """A measured state in a plot."""

    x: float
    y: float
    ink: str  # color token
    sides: int = 0  # corners of the marker, see `paint_point`
    noise: Noise | None = None  # None if unknown
    is_old: bool = False  # whether the measurement is outdated
    joined: int = -1  # the point to connect it to, in its color; -1 for none
    label: str = ""
    tip: str = ""  # shown with the label while the mouse is on the point
    of_other_file: bool = False  # whether it is a state of another file


@dataclass(frozen=True)
class PlottedCurve:
    """A curve in units of the axes."""

    points: tuple[tuple[float, float], ...]
    ink: str  # color token
    knee: int = -1


class QualityCanvas(PlotCanvas):
    """Points with a keyboard cursor, and a horizontal target line that can be dragged."""

    hovered = Signal(int)  # the point under the mouse; -1 for none
    cursorMoved = Signal(int)  # the user moved the cursor to this point; -1 for none
    activated = Signal(int)  # the user clicked on this point or pressed Return on it

    def __init__(self) -> None:
        super().__init__(NumberAxis("bottom"), NumberAxis("left"), margin=24)
        self.points: Sequence[Point] = ()
        self._curves: Sequence[PlottedCurve] = ()
        self.current = self.cursor = -1
        self.level: float | None = None
        self._pointed = -1  # the point under the mouse
        # The places of labels by point, and what they were computed for.
        self._labels: dict[int, QRectF] = {}
        self._labels_key: object = None
        self._shows_labels = True
        self._whole = self._seen = QRectF(0, 0, 1, 1)

    def set_points(
        self,
        points: Sequence[Point],
        current: int,
        level: float | None,
        curves: Sequence[PlottedCurve] = (),
    ) -> None:
        """Show points; fit all of them if their number changed or if all were visible.

        The cursor is kept, but not beyond the last point. Emits only `viewChanged`.

        Parameters
        ----------
        current
            The point of the current state; -1 for none.
        level
            Value of the unpruned model, drawn as a dotted line; None for none.
        curves
            Joined points behind the others.
        """
        fresh = len(points) != len(self.points) or self._seen == self._whole
        self.points, self.current, self.level = points, current, level
        self._curves = curves
        self.cursor = min(self.cursor, len(points) - 1)
        self._pointed, self._labels_key = -1, None
        of_curves = [place for curve in curves for place in curve.points]
        xs = [0.0, *(point.x for point in points), *(x for x, _ in of_curves)]
        ys = [y for point in points for y in (point.y, *(point.noise or ()))]
        ys += [y for _, y in of_curves]
        wide, high = max(xs) or 1.0, (max(ys) - min(ys)) if ys else 1.0
        high = high or abs(max(ys)) or 1.0
        self._whole = QRectF(-_MARGIN * wide, min(ys, default=0.0) - _MARGIN * high, 0, 0)
        self._whole.setRight(max(xs) + _HANDLE * wide)
        self._whole.setBottom(max(ys, default=1.0) + _MARGIN * high)
        if fresh:
            self.fit()
        self.viewport().update()

    def set_labels_shown(self, *, shown: bool) -> None:
        """Set whether points have labels where there is room; forget the point under the mouse."""
        self._shows_labels, self._pointed = shown, -1
        self.viewport().update()

    def fit(self) -> None:
        self._show(self._whole)

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        (left, right), (low, high) = self.box.viewRange()
        if at is None:
            at = QPointF((left + right) / 2, (low + high) / 2)
            if 0 <= self.cursor < len(self.points):
                at = QPointF(self.points[self.cursor].x, self.points[self.cursor].y)
        start = QPointF(at.x() - (at.x() - left) / factor, at.y() - (at.y() - low) / factor)
        end = QPointF(at.x() + (right - at.x()) / factor, at.y() + (high - at.y()) / factor)
        self._show(QRectF(start, end))

    def _show(self, area: QRectF) -> None:
        self._seen = area
        self.box.setXRange(area.left(), area.right(), padding=0)
        self.box.setYRange(area.top(), area.bottom(), padding=0)
        self.viewChanged.emit()

    def set_cursor(self, point: int) -> None:
        """Move the cursor to a point; -1 removes it."""
        self.cursor = point
        self.viewport().update()

    def pixel_of(self, point: int) -> QPointF:
        return self.area.pixel(self.points[point].x, self.points[point].y)

    def point_at(self, pixel: QPointF) -> int:
        """Return the point closest to a pixel; -1 if none is within `_HOVER_DISTANCE`."""
        distances = [(self.pixel_of(n) - pixel).manhattanLength() for n in range(len(self.points))]
        nearest = min(range(len(distances)), key=distances.__getitem__, default=-1)
        return nearest if nearest >= 0 and distances[nearest] <= _HOVER_DISTANCE else -1

    # -- painting ---------------------------------------------------------------------------------

    def paint_over(self, painter: QPainter) -> None:
        painter.setFont(self.font())
        area, colors = self.area, self._colors
        with saved_painter_state(painter):
            painter.setClipRect(area.rect)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.level is not None:
                painter.setPen(QPen(QColor(colors["muted"]), 1, Qt.PenStyle.DotLine))
                painter.drawLine(*(area.pixel(x, self.level) for x in area.x))
            for curve in self._curves:
                self._paint_curve(painter, curve)
            for number, point in enumerate(self.points):
                if point.joined >= 0:
                    style = Qt.PenStyle.DashLine if point.of_other_file else Qt.PenStyle.SolidLine
                    painter.setPen(QPen(QColor(colors[self._ink(point)]), 1.5, style))
                    painter.drawLine(self.pixel_of(point.joined), self.pixel_of(number))
            for point in self.points:
                if point.noise is not None:
                    # A vertical bar with caps at both ends.
                    painter.setPen(QPen(QColor(colors["muted"]), 1.5))
                    ends, aside = [area.pixel(point.x, y) for y in point.noise], _NOISE_CAP
                    painter.drawLine(*ends)
                    for end in ends:
                        painter.drawLine(end - QPointF(aside, 0), end + QPointF(aside, 0))
            for number, point in enumerate(self.points):
                self._paint_point(painter, number, point)
            if self._shows_labels:
                self._paint_labels(painter)
        if self.line is not None and self.points:
            self.line.paint(painter, area, colors, held=self.is_dragging_line)
        if 0 <= self._pointed < len(self.points):
            self._paint_tip(painter, self._pointed)

    @staticmethod
    def _ink(point: Point) -> str:
        return "muted" if point.is_old else point.ink

    def _paint_labels(self, painter: QPainter) -> None:
        """Paint the labels that fit beside their points without overlaps."""
        key = self.area, painter.font().toString()
        if key != self._labels_key:
            self._labels_key = key
            self._labels = self._place_labels(QFontMetricsF(painter.font()))
        for number, rect in self._labels.items():
            painter.fillRect(rect, QColor(self._colors["surface"]))  # covers lines of other points
            painter.setPen(QColor(self._colors["muted" if self.points[number].is_old else "text"]))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, _short(self.points[number].label))

    def _place_labels(self, metrics: QFontMetricsF) -> dict[int, QRectF]:
        """Return the rectangles of the labels for which there is room, by point.

        The current state comes first. A label covers no other label, no point, no noise bar, and
        neither the target nor the value of the unpruned model.
        """
        area, placed = self.area, dict[int, QRectF]()
        places = {n: self.pixel_of(n) for n in range(len(self.points))}
        visible = [n for n, place in places.items() if area.rect.contains(place)]
        if len(visible) > _MOST_LABELS:
            return placed
        side = _RADIUS + 3
        points = {
            n: QRectF(places[n].x() - side, places[n].y() - side, 2 * side, 2 * side)
            for n in visible
        }
        taken = [self.line.handle(area, self.font())] if self.line is not None else []
        for level in (self.level, None if self.line is None else self.line.at):
            if level is not None:
                y = area.pixel(0, level).y()
                taken.append(QRectF(area.rect.left(), y - 1, area.rect.width(), 2))
        for n in visible:
            if (noise := self.points[n].noise) is not None:
                ends = [area.pixel(self.points[n].x, y).y() for y in noise]
                taken.append(QRectF(places[n].x() - 3, min(ends), 6, abs(ends[0] - ends[1])))
        for number in sorted(visible, key=lambda n: n != self.current):
            text = _short(self.points[number].label)
            if not text:
                continue
            x, y = places[number].x(), places[number].y()
            width, height = metrics.horizontalAdvance(text) + 2, metrics.height()
            away = side + _LABEL_GAP
            for left, top in (
                (x + away, y - height / 2),
                (x - away - width, y - height / 2),
                (x - width / 2, y - away - height),
                (x - width / 2, y + away),
                (x + 2, y - away - height),
                (x + 2, y + away),
                (x - 2 - width, y - away - height),
                (x - 2 - width, y + away),
            ):
                rect = QRectF(left, top, width, height)
                free = area.rect.contains(rect) and not any(map(rect.intersects, taken))
                if free and not any(n != number and rect.intersects(points[n]) for n in points):
                    placed[number] = rect
                    taken.append(rect)
                    break
        return placed

    def _paint_tip(self, painter: QPainter, number: int) -> None:
        """Paint the whole label and the numbers of the point under the mouse in a box."""
        point, place = self.points[number], self.pixel_of(number)
        lines = [line for line in (point.label, point.tip) if line]
        if not lines or not self.area.rect.contains(place):
            return
        metrics, within = QFontMetricsF(painter.font()), self.area.rect
        room = within.width() - 24
        lines = [metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, room) for line in lines]
        width = max(map(metrics.horizontalAdvance, lines)) + 12
        height = metrics.lineSpacing() * len(lines) + 8
        left, top = place.x() + 14, place.y() - height - 10
        if left + width > within.right():
            left = max(within.left(), place.x() - 14 - width)
        if top < within.top():
            top = place.y() + 14
        box = QRectF(left, top, width, height)
        with saved_painter_state(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self._colors["border"]), 1))
            painter.setBrush(QColor(self._colors["surface"]))
            painter.drawRoundedRect(box, 3, 3)
            for row, line in enumerate(lines):
                painter.setPen(QColor(self._colors["text" if not row else "muted"]))
                base = box.top() + 4 + row * metrics.lineSpacing() + metrics.ascent()
                painter.drawText(QPointF(box.left() + 6, base), line)

    def _paint_curve(self, painter: QPainter, curve: PlottedCurve) -> None:
        ink = QColor(self._colors[curve.ink])
        places = [self.area.pixel(x, y) for x, y in curve.points]
        painter.setPen(QPen(ink, 2))
        painter.drawPolyline(QPolygonF(places))
        painter.setBrush(ink)
        for place in places:
            painter.drawEllipse(place, _CURVE_RADIUS, _CURVE_RADIUS)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if curve.knee >= 0:
            painter.drawEllipse(places[curve.knee], _RADIUS + 3, _RADIUS + 3)

    def _paint_point(self, painter: QPainter, number: int, point: Point) -> None:
        colors, middle = self._colors, self.pixel_of(number)
        ink = QColor(colors[self._ink(point)])
        painter.setPen(QPen(ink, 2))
        painter.setBrush(QColor(colors["surface"]) if point.is_old else ink)
        paint_point(painter, middle, point.sides, _RADIUS)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if point.of_other_file and not point.is_old:  # a hole in the color of the background
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors["surface"]))
            painter.drawEllipse(middle, _RADIUS / 2.5, _RADIUS / 2.5)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        if number == self.current:
            painter.setPen(QPen(QColor(colors["accent"]), 2))
            painter.drawEllipse(middle, _RADIUS + 4, _RADIUS + 4)
        if number == self.cursor:
            painter.setPen(QPen(QColor(colors["text"]), 1, Qt.PenStyle.DotLine))
            side = _RADIUS + 7
            painter.drawRect(QRectF(middle - QPointF(side, side), middle + QPointF(side, side)))

    # -- mouse and keys ---------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120
        if steps and self.points:
            self.zoom(ZOOM_STEP**steps, self.area.point(event.position()))
        event.accept()

    def _drag(self, _event: QMouseEvent, _start: QPointF, moved: QPointF) -> None:
        area = self.area
        shift = area.point(QPointF(0, 0)) - area.point(moved)
        left, low = area.x[0], area.y[0]
        wide, high = area.x[1] - left, area.y[1] - low
        self._show(QRectF(left + shift.x(), low + shift.y(), wide, high))

    def _is_on_line(self, pixel: QPointF) -> bool:
        """Return whether a press grabs the target line; a point on the line has precedence."""
        return self.point_at(pixel) < 0 and super()._is_on_line(pixel)

    def _hover(self, pixel: QPointF | None) -> None:
        point = -1
        if pixel is not None:
            self._point_at_line(pixel)
            point = self.point_at(pixel)
        if point != self._pointed:
            self._pointed = point
            self.viewport().update()
        self.hovered.emit(point)

    def _click(self, event: QMouseEvent) -> None:
        point = self.point_at(event.position())
        self.hovered.emit(point)
        self.set_cursor(point)
        self.cursorMoved.emit(point)
        if point >= 0:
            self.activated.emit(point)

    def handles_key(self, event: QKeyEvent) -> bool:
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


def _short(label: str) -> str:
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}…"


_KEYS = {Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus, Qt.Key.Key_Underscore, Qt.Key.Key_0}
