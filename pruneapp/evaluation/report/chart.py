"""The chart of a report: a metric over the sparsity of the states, as inline SVG.

Colors are classes of the style sheet of the page, so that the chart follows its light or dark mode.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pruneapp.evaluation.metric import SIDES, MetricChange, StepKind
from pruneapp.evaluation.report.contents import HistoryReport, ReportedEvaluation, ReportedState
from pruneapp.export.report_writer import metric_title, percent

Place = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom in pixels

WIDTH, HEIGHT = 880, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 24, 16, 48  # margins around the plot
_RADIUS = 5.5
_LETTER = 7.0  # average width of a letter of a label
_LINE = 14.0  # height of a label
_LONGEST = 28  # characters of a label
KIND_LABELS: Mapping[StepKind, str] = {
    StepKind.WEIGHTS: "weights pruned",
    StepKind.CHANNELS: "channels or units pruned",
    StepKind.PATTERN: "pattern or blocks",
    StepKind.REPAIR: "repair",
    StepKind.RECOVERY: "recovery",
    StepKind.OTHER: "other",
}


@dataclass(frozen=True)
class Marker:
    """A marker of a point or of an entry of the legend."""

    kind: StepKind | None  # None for the opened file
    x: float
    y: float

    @property
    def corners(self) -> str:
        """The corners as the attribute ``points`` of a polygon; empty for a circle."""
        sides = 0 if self.kind is None else SIDES[self.kind]
        count = abs(sides)
        turns = [2 * math.pi * (n + 0.5 * (sides < 0)) / count for n in range(count)]
        radius = 1.3 * _RADIUS
        places = ((self.x + radius * math.sin(t), self.y - radius * math.cos(t)) for t in turns)
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


@dataclass(frozen=True)
class PlottedState:
    """A measured state in the chart, in pixels."""

    marker: Marker
    title: str  # for the tooltip
    parent: tuple[float, float] | None  # where the line to its nearest measured ancestor ends
    noise: tuple[float, float] | None  # ends of the noise interval along y
    label: str  # empty if there is no room for it
    label_at: tuple[float, float]
    is_current: bool


@dataclass(frozen=True)
class Chart:
    """A chart: points and ticks in pixels, from top left."""

    name: str  # title of the metric
    metric: str  # title of the vertical axis
    states: tuple[PlottedState, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    level: float  # y of the unpruned model
    kinds: tuple[tuple[StepKind, str], ...]  # for the legend
    box: tuple[int, int, int, int] = (_LEFT, _TOP, WIDTH - _RIGHT, HEIGHT - _BOTTOM)


def charts_of(report: HistoryReport, evaluation: ReportedEvaluation) -> Iterator[Chart]:
    """Yield a chart for each metric of quality that an evaluation measured for several states."""
    for name in evaluation.metrics:
        found = [
            (state, metric)
            for state in report.states
            if (quality := evaluation.of_state.get(state.number)) is not None
            and (metric := quality.metric(name)) is not None
            and metric.judged
            and math.isfinite(metric.value)
            and abs(metric.value) < 1e100
        ]
        if len(found) > 1:
            yield _chart(found, {s.number: s.parent for s in report.states})


def _chart(
    found: Sequence[tuple[ReportedState, MetricChange]], parents: Mapping[int, int]
) -> Chart:
    first = found[0][1]
    scale = 100.0 if first.share else 1.0
    intervals = {
        state.number: (scale * (metric.value - metric.half), scale * (metric.value + metric.half))
        for state, metric in found
        if 0 < metric.half < 1e100 and state.number
    }
    if first.share:
        intervals = {n: (max(a, 0.0), min(b, 100.0)) for n, (a, b) in intervals.items()}
    values = [scale * metric.value for _, metric in found]
    ends = [*values, scale * first.original, *(y for pair in intervals.values() for y in pair)]
    y_ticks = _ticks(min(ends), max(ends))
    x_ticks = _ticks(0.0, 100 * max(state.sparsity for state, _ in found) or 1.0)
    low, high = min(*ends, y_ticks[0]), max(*ends, y_ticks[-1])
    right = max(x_ticks[-1], *(100 * state.sparsity for state, _ in found))

    def x_of(sparsity: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * sparsity / right

    def y_of(value: float) -> float:
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * (value - low) / (high - low)

    places = {
        state.number: (x_of(100 * state.sparsity), y_of(value))
        for (state, _), value in zip(found, values, strict=True)
    }
    level = y_of(scale * first.original)
    joined: dict[int, Place] = {}  # places of the nearest measured ancestors
    for state, _ in found:
        ancestor = state.parent
        while ancestor >= 0 and ancestor not in places:
            ancestor = parents[ancestor]
        if ancestor >= 0:
            joined[state.number] = places[ancestor]
    lines = [(places[number], end) for number, end in joined.items()]
    lines.append(((_LEFT, level), (WIDTH - _RIGHT, level)))
    labels = _place_labels({state.number: _label(state) for state, _ in found}, places, lines)
    states = []
    for state, metric in found:
        x, y = places[state.number]
        noise = intervals.get(state.number)
        label, label_at = labels.get(state.number, ("", (0.0, 0.0)))
        states.append(
            PlottedState(
                Marker(state.kind, x, y),
                f"{_label(state, longest=200)}: {percent(state.sparsity)} pruned, "
                f"{metric_title(metric.name)} {value_text(metric)}",
                joined.get(state.number),
                None if noise is None else (y_of(noise[0]), y_of(noise[1])),
                label,
                label_at,
                state.is_current,
            )
        )
    kinds = dict.fromkeys(state.kind for state, _ in found if state.kind is not None)
    return Chart(
        metric_title(first.name),
        f"{metric_title(first.name)}, %" if first.share else metric_title(first.name),
        tuple(states),
        tuple((x_of(tick), f"{tick:g}") for tick in x_ticks),
        tuple((y_of(tick), f"{tick:g}") for tick in y_ticks),
        level,
        tuple((kind, KIND_LABELS[kind]) for kind in kinds),
    )


def value_text(metric: MetricChange) -> str:
    """Return the value of a metric; shares of samples in percent."""
    return f"{100 * metric.value:.2f} %" if metric.share else f"{metric.value:.6g}"


def _label(state: ReportedState, longest: int = _LONGEST) -> str:
    text = f"{state.number}: {state.title}" if state.number else state.title
    return _elide(text, longest)


def _ticks(low: float, high: float) -> list[float]:
    """Return about six round numbers, from the last below `low` to the first above `high`."""
    span = (high - low) or abs(high) or 1.0
    step = 10.0 ** math.floor(math.log10(span / 5))
    step *= next(f for f in (1, 2, 5, 10) if span / (f * step) <= 6)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [n * step for n in range(first, max(last, first + 1) + 1)]


def _place_labels(
    labels: Mapping[int, str], places: Mapping[int, Place], lines: Sequence[tuple[Place, Place]]
) -> dict[int, tuple[str, Place]]:
    """Return the labels that overlap neither points nor each other, with their left baseline.

    They are shortened so that no line crosses them; only if none of their places is free of lines,
    one is.
    """
    # Around each point, so that no label is nearer to the point of another state.
    points = {n: (x - 10, y - 16, x + 10, y + 16) for n, (x, y) in places.items()}
    taken: list[Box] = []
    placed = {}
    for number, text in labels.items():
        x, y = places[number]
        obstacles = [*taken, *(box for other, box in points.items() if other != number)]
        free = [
            (shown, box)
            for shown in dict.fromkeys((text, _elide(text, _LONGEST // 2), text.partition(":")[0]))
            for box in _boxes(x, y, _LETTER * len(shown))
            if _is_inside(box) and not _overlaps(box, obstacles)
        ]
        clear = (each for each in free if not any(crosses(*line, each[1]) for line in lines))
        if best := next(clear, next(iter(free), None)):
            shown, box = best
            taken.append(box)
            placed[number] = shown, (box[0], box[3] - 3)
    return placed


def _boxes(x: float, y: float, width: float) -> Iterator[Box]:
    """Yield the possible boxes of a label next to a point, best first."""
    for left in (x + 10, x - 10 - width, x - width / 2, x + 6, x - 6 - width):
        is_beside = abs(left + width / 2 - x) > width / 2 + 8
        for base in (y + 4,) if is_beside else (y - 10, y + 19, y - 22, y + 31):
            yield left, base - _LINE + 3, left + width, base + 3


def crosses(start: Place, end: Place, box: Box) -> bool:
    """Return whether a line segment has a point inside a box."""
    first, last = 0.0, 1.0  # the part of the segment that is between the sides so far
    for axis in (0, 1):
        low, high = box[axis] - start[axis], box[axis + 2] - start[axis]
        span = end[axis] - start[axis]
        if span == 0:
            if not low < 0 < high:
                return False
            continue
        enters, leaves = sorted((low / span, high / span))
        first, last = max(first, enters), min(last, leaves)
    return first < last


def _is_inside(box: Box) -> bool:
    left, top, right, bottom = box
    return left >= _LEFT and right <= WIDTH and top >= _TOP and bottom <= HEIGHT - _BOTTOM


def _overlaps(box: Box, others: Iterable[Box]) -> bool:
    left, top, right, bottom = box
    return any(left < b[2] and b[0] < right and top < b[3] and b[1] < bottom for b in others)


def _elide(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
