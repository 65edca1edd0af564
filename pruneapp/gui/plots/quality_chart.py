"""The chart of the page Quality: points, curves and a target line, drawn on a canvas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, Signal
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
_HALO = 1.5  # width of the gap around a marker, so that it is distinct from what is below it
_RING = 4.0  # by how much a marker is larger than one that covers it, in pixels
_MOST_RINGS = 3
_MOST_COMPARED = 500  # with more points markers have one size
_LABEL_GAP = 5.0  # distance of a label from its point, in pixels
# Labels of points that are closer than this, in pixels, are in the order of the points.
_NEIGHBOR_DISTANCE = 40.0
# Distances of labels with a leader line, where there is no room next to the point.
_FAR = (20.0, 36.0, 56.0, 80.0, 110.0, 150.0)
# Maximum characters of a label next to its point, where the shorter ones are used if there is no
# room for more, and of a label with a leader line, which is closer to its point if it is short.
_LABEL_LENGTHS, _FAR_LENGTH = (60, 40, 28, 20), 24
_MOST_LABELS = 60  # with more visible points only the label under the mouse is shown
_MOST_FAR_LABELS = 20  # with more visible points there are no leader lines
_MOST_IN_TIP = 4  # states in the box under the mouse
_DIRECTIONS = (
    *((1, -1), (1, 1), (-1, -1), (-1, 1), (0, -1), (0, 1), (1, 0), (-1, 0)),
    *((1, -0.4), (1, 0.4), (-1, -0.4), (-1, 0.4), (0.3, -1), (0.3, 1), (-0.3, -1), (-0.3, 1)),
)

Floats = NDArray[np.float64]

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
    is_open: bool = False  # whether the marker is not filled
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


@dataclass(frozen=True)
class _Label:
    """A label at its place; `leader` is where the line from its point ends, None without one."""

    text: str
    rect: QRectF
    leader: QPointF | None = None

    def anchor(self, place: QPointF) -> QPointF:
        """Return the point of the label that is closest to a place."""
        rect = self.rect
        return QPointF(
            min(max(place.x(), rect.left()), rect.right()),
            min(max(place.y(), rect.top()), rect.bottom()),
        )


class QualityCanvas(PlotCanvas):
    """Points with a keyboard cursor, and a horizontal target line that can be dragged."""

    hovered = Signal(int)  # the point under the mouse; -1 for none
    cursorMoved = Signal(int)  # the user moved the cursor to this point; -1 for none
    activated = Signal(int)  # the user clicked on this point or pressed Return on it

    def __init__(self) -> None:
        super().__init__(NumberAxis("bottom"), NumberAxis("left"), margin=24)
        self.points: Sequence[Point] = ()
        self._curves: Sequence[PlottedCurve] = ()
        self.current = self.cursor = self.best = -1
        self.level: float | None = None
        self._pointed = -1  # the point under the mouse
        # The labels by point, and what their places were computed for.
        self._labels: dict[int, _Label] = {}
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

    def set_best(self, point: int) -> None:
        """Set the point that always has a label, like that of the current state; -1 for none."""
        self.best = point
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
            if self.line is not None and self.points:  # below all data
                self.line.paint_line(painter, area, colors, width=3 if self.is_dragging_line else 1)
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
            if self._shows_labels:
                self._update_labels(QFontMetricsF(painter.font()))
                painter.setPen(QPen(QColor(colors["muted"]), 1))
                for number, label in self._labels.items():
                    if label.leader is not None:
                        painter.drawLine(self.pixel_of(number), label.leader)
            for number, radius in self._markers().items():
                self._paint_point(painter, number, radius)
        if self.line is not None and self.points:
            self.line.paint_handle(painter, area, colors)
        if self._shows_labels:
            self._paint_labels(painter)
        if 0 <= self._pointed < len(self.points):
            self._paint_tip(painter, self._pointed)

    def _markers(self) -> dict[int, float]:
        """Return the radius of each point, in the order in which they are painted.

        Outdated states and those of other files come first, the current state last. A marker is
        larger than those that are painted over it, so that each is visible.
        """
        order = sorted(
            range(len(self.points)),
            key=lambda n: (
                n == self.current,
                not (self.points[n].is_old or self.points[n].of_other_file),
            ),
        )
        if len(order) > _MOST_COMPARED:
            return dict.fromkeys(order, _RADIUS)
        places = np.array([self.pixel_of(n).toTuple() for n in order]).reshape(-1, 2)
        distances = np.abs(places[:, None] - places[None]).sum(axis=2)
        # The current state takes the room of two: there is a ring around it.
        rooms = np.array([1 + (n == self.current) for n in order], int)
        covering = (np.triu(distances < _RADIUS, 1) * rooms).sum(axis=1)
        return {
            n: _RADIUS + _RING * min(int(above), _MOST_RINGS)
            for n, above in zip(order, covering, strict=True)
        }

    @staticmethod
    def _ink(point: Point) -> str:
        return "muted" if point.is_old else point.ink

    def _update_labels(self, metrics: QFontMetricsF) -> None:
        """Place the labels again if the view, the target, the best state or the font changed.

        While the user drags the target the labels keep their places.
        """
        target = None if self.line is None else self.line.at
        key = (self.area, self.font().toString(), target, self.best)
        if self.is_dragging_line and isinstance(self._labels_key, tuple):
            key = (*key[:2], *self._labels_key[2:])
        if key != self._labels_key:
            self._labels_key = key
            self._labels = self._place_labels(metrics)

    def _paint_labels(self, painter: QPainter) -> None:
        """Paint the labels on the background, so that no line crosses them."""
        handle = QRectF() if self.line is None else self.line.handle(self.area, self.font())
        for number, label in self._labels.items():
            if label.rect.intersects(handle):  # the user dragged it here
                continue
            painter.fillRect(label.rect, QColor(self._colors["surface"]))
            painter.setPen(QColor(self._colors["muted" if self.points[number].is_old else "text"]))
            painter.drawText(label.rect, Qt.AlignmentFlag.AlignCenter, label.text)

    def _place_labels(self, metrics: QFontMetricsF) -> dict[int, _Label]:
        """Return the labels for which there is room, by point; the current state comes first.

        The best state comes next. Both always have a label: without room, it covers points and
        lines, or is moved into the area, but covers no other label and not the handle of the
        target, if possible.

        A label covers no other label, no point, no noise bar, and neither the target nor the value
        of the unpruned model. It is next to its point if no line between points is there, elided
        in the middle if necessary; else farther away with a leader line, which crosses lines
        between points only if necessary, and only else over a line between points. Leader lines
        cross neither each other nor labels, and labels of neighboring points have the order of the
        points; a label that cannot be placed so is not shown. No two labels are elided to the same
        text.
        """
        area, placed = self.area, dict[int, _Label]()
        places = {n: self.pixel_of(n) for n in range(len(self.points))}
        visible = [n for n, place in places.items() if area.rect.contains(place)]
        required = [n for n in dict.fromkeys((self.current, self.best)) if n in visible]
        labeled = required
        if len(visible) <= _MOST_LABELS:
            labeled = list(dict.fromkeys((*required, *visible)))
        radii = self._markers()
        points = {n: _square(places[n], radii[n] + 3) for n in visible}
        taken = [self.line.handle(area, self.font())] if self.line is not None else []
        for level in (self.level, None if self.line is None else self.line.at):
            if level is not None:
                y = area.pixel(0, level).y()
                taken.append(QRectF(area.rect.left(), y - 1, area.rect.width(), 2))
        for n in visible:
            if (noise := self.points[n].noise) is not None:
                ends = [area.pixel(self.points[n].x, y).y() for y in noise]
                taken.append(QRectF(places[n].x() - 5, min(ends), 10, abs(ends[0] - ends[1])))
        lines = [(places[p.joined], places[n]) for n, p in enumerate(self.points) if p.joined >= 0]
        for curve in self._curves:
            corners = [area.pixel(x, y) for x, y in curve.points]
            lines += pairwise(corners)

        def fits(rect: QRectF, number: int, leader: QPointF | None) -> bool:
            if not area.rect.contains(rect) or any(map(rect.intersects, taken)):
                return False
            others = [points[n] for n in points if n != number]
            if any(map(rect.intersects, others)):
                return False
            leaders = [
                (places[n], label.leader) for n, label in placed.items() if label.leader is not None
            ]
            if crosses(rect, segments(leaders)):
                return False
            label = _Label("", rect, leader)
            if not all(
                _have_same_order(
                    (places[number], places[n]),
                    (label.anchor(places[number]), other.anchor(places[n])),
                )
                for n, other in placed.items()
            ):
                return False
            if leader is None:
                return True
            line = QLineF(places[number], leader)
            crossing = QLineF.IntersectionType.BoundedIntersection
            if any(line.intersects(QLineF(*other))[0] == crossing for other in leaders):
                return False
            blocks = [label.rect for label in placed.values()]
            markers = (_square(places[n], radii[n]) for n in visible if n != number)
            blocks += [marker for marker in markers if not marker.contains(places[number])]
            end = segments([(places[number], leader)])
            return not any(crosses(block, end) for block in blocks)

        for number in labeled:
            label = self.points[number].label
            is_far_allowed = number in required or len(visible) <= _MOST_FAR_LABELS
            segments_ = segments(lines)
            across: _Label | None = None  # with a leader line that crosses a line between points
            over_line: _Label | None = None
            for text, is_far in _texts(label, is_far_allowed=is_far_allowed):
                if any(
                    one.text == text and self.points[n].label != label for n, one in placed.items()
                ):
                    continue  # both would be elided to the same text
                size = QSizeF(metrics.horizontalAdvance(text) + 4, metrics.height())
                for rect, leader in _candidates(places[number], points[number], size):
                    if (leader is not None) != is_far or not fits(rect, number, leader):
                        continue
                    one = _Label(text, rect, leader)
                    if crosses(rect, segments_):
                        over_line = over_line or (one if leader is None else None)
                    elif leader is None or not _intersects(places[number], leader, segments_):
                        placed[number] = one
                        break
                    else:
                        across = across or one
                if number in placed:
                    break
            if number not in placed and (found := across or over_line) is not None:
                placed[number] = found
            if number not in placed and number in required and label:
                text = _elide(label, _FAR_LENGTH)
                size = QSizeF(metrics.horizontalAdvance(text) + 4, metrics.height())
                avoided = [one.rect for one in placed.values()] + taken[:1] * bool(self.line)
                rects = [
                    _moved_into(rect, area.rect)
                    for rect, _ in _candidates(places[number], points[number], size)
                ]
                rect = next((r for r in rects if not any(map(r.intersects, avoided))), rects[0])
                placed[number] = _Label(text, rect)
            if number in placed:
                taken.append(placed[number].rect)
                if (leader := placed[number].leader) is not None:
                    lines.append((places[number], leader))
        return placed

    def _paint_tip(self, painter: QPainter, number: int) -> None:
        """Paint labels and numbers of the point under the mouse, and of points at its place."""
        place = self.pixel_of(number)
        near = [
            n
            for n in range(len(self.points))
            if n != number and (self.pixel_of(n) - place).manhattanLength() < _RADIUS
        ]
        told = [self.points[n] for n in (number, *near[: _MOST_IN_TIP - 1])]
        titles = [point.label for point in told]
        lines = [line for point in told for line in (point.label, point.tip) if line]
        if not lines or not self.area.rect.contains(place):
            return
        metrics, within = QFontMetricsF(painter.font()), self.area.rect
        room = within.width() - 24
        whole = lines
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
                painter.setPen(QColor(self._colors["text" if whole[row] in titles else "muted"]))
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

    def _paint_point(self, painter: QPainter, number: int, radius: float) -> None:
        point, colors, middle = self.points[number], self._colors, self.pixel_of(number)
        ink, surface = QColor(colors[self._ink(point)]), QColor(colors["surface"])
        painter.setPen(QPen(surface, 2 + 2 * _HALO))
        painter.setBrush(surface)
        if number == self.current:
            painter.drawEllipse(middle, radius + 4, radius + 4)
        paint_point(painter, middle, point.sides, radius)
        painter.setPen(QPen(ink, 2))
        painter.setBrush(surface if point.is_old or point.is_open else ink)
        paint_point(painter, middle, point.sides, radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if point.of_other_file and not point.is_old:  # a hole in the color of the background
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors["surface"]))
            painter.drawEllipse(middle, _RADIUS / 2.5, _RADIUS / 2.5)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        if number == self.current:
            painter.setPen(QPen(QColor(colors["accent"]), 2))
            painter.drawEllipse(middle, radius + 4, radius + 4)
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


def _elide(label: str, longest: int) -> str:
    """Return a label of at most `longest` characters, without its middle if it has more."""
    if len(label) <= longest:
        return label
    first = longest // 2
    return f"{label[:first].rstrip()}…{label[first + 1 - longest :].lstrip()}"


def _texts(label: str, *, is_far_allowed: bool) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a label, best first, and whether they are for a label with a leader line.

    Nothing for an empty label.
    """
    if not label:
        return
    for text in dict.fromkeys(_elide(label, length) for length in _LABEL_LENGTHS):
        yield text, False
    if is_far_allowed:
        yield _elide(label, _FAR_LENGTH), True


def _have_same_order(places: tuple[QPointF, QPointF], anchors: tuple[QPointF, QPointF]) -> bool:
    """Return whether the labels of two neighboring points have the order of the points.

    `anchors` are the points of the labels that are closest to them. Points that are one above the
    other are compared along y, others along x. True for points that are not neighbors.
    """
    apart, labels_apart = places[1] - places[0], anchors[1] - anchors[0]
    if not 1 <= apart.manhattanLength() < _NEIGHBOR_DISTANCE:
        return True
    if abs(apart.y()) >= abs(apart.x()):
        return apart.y() * labels_apart.y() > 0
    return apart.x() * labels_apart.x() > 0


def _moved_into(rect: QRectF, area: QRectF) -> QRectF:
    """Return a rectangle moved into an area; its left top is visible if it is larger."""
    left = max(min(rect.left(), area.right() - rect.width()), area.left())
    top = max(min(rect.top(), area.bottom() - rect.height()), area.top())
    return QRectF(QPointF(left, top), rect.size())


def _square(middle: QPointF, side: float) -> QRectF:
    return QRectF(middle.x() - side, middle.y() - side, 2 * side, 2 * side)


def _candidates(
    place: QPointF, marker: QRectF, size: QSizeF
) -> Iterator[tuple[QRectF, QPointF | None]]:
    """Yield the possible places of a label, best first, with the end of its line or None.

    `marker` is the rectangle of the marker at `place`.
    """
    x, y, width, height = place.x(), place.y(), size.width(), size.height()
    away = marker.width() / 2 + _LABEL_GAP
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
        yield QRectF(left, top, width, height), None
    for distance in _FAR:
        for right, down in _DIRECTIONS:
            beside = distance * right
            left = x + beside - (0 if right > 0 else width if right < 0 else width / 2)
            rect = QRectF(left, y + (away + distance) * down - height / 2, width, height)
            yield rect, _Label("", rect).anchor(place)


def segments(lines: Sequence[tuple[QPointF, QPointF]]) -> Floats:
    """Return lines as ``float64[n, 2, 2]``: start and end, each with x and y."""
    ends = [[(a.x(), a.y()), (b.x(), b.y())] for a, b in lines]
    return np.array(ends, np.float64).reshape(-1, 2, 2)


def crosses(rect: QRectF, lines: Floats) -> bool:
    """Return whether any of the lines has a point within a rectangle."""
    low, high = np.array(rect.topLeft().toTuple()), np.array(rect.bottomRight().toTuple())
    start, along = lines[:, 0], lines[:, 1] - lines[:, 0]
    along = np.where(along == 0, 1e-9, along)  # parallel to an edge
    enter, leave = (low - start) / along, (high - start) / along
    first = np.minimum(enter, leave).max(axis=1, initial=0.0)
    last = np.maximum(enter, leave).min(axis=1, initial=1.0)
    return bool((first < last).any())


def _intersects(start: QPointF, end: QPointF, lines: Floats) -> bool:
    """Return whether a line crosses any of the lines; common end points do not count."""
    (first,) = segments([(start, end)])
    along, others = first[1] - first[0], lines[:, 1] - lines[:, 0]

    def sides(direction: Floats, offset: Floats) -> Floats:
        found: Floats = np.sign(
            direction[..., 0] * offset[..., 1] - direction[..., 1] * offset[..., 0]
        )
        return found

    across = sides(along, lines[:, 0] - first[0]) * sides(along, lines[:, 1] - first[0])
    within = sides(others, first[0] - lines[:, 0]) * sides(others, first[1] - lines[:, 0])
    return bool(((across < 0) & (within < 0)).any())


_KEYS = {Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus, Qt.Key.Key_Underscore, Qt.Key.Key_0}
