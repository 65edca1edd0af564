"""The page Quality: a metric over the size of the measured states, with a movable target."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from pruneapp.evaluation.metric import SIDES, MeasuredState, MetricChange, StateQuality, StepKind
from pruneapp.gui.document.state_table import StateColumn, StateRow, StateTable
from pruneapp.gui.plots.base.plot_area import CutLine
from pruneapp.gui.plots.base.plot_view import PlotView, WrappingRow
from pruneapp.gui.plots.base.readout import Swatch
from pruneapp.gui.plots.quality_axis import QualityMeasure, quality_axes
from pruneapp.gui.plots.quality_chart import Noise, PlottedCurve, Point, QualityCanvas
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.controls import ElidedBox, choice_box, lay_in_row, set_choices
from pruneapp.gui.widgets.engine_text import translate_sentence
from pruneapp.gui.widgets.labels import join_names, join_sentences, label_for, within_reason
from pruneapp.gui.widgets.number_format import metric as metric_value
from pruneapp.gui.widgets.number_format import metric_points, metric_title, with_sign
from pruneapp.gui.widgets.reports import (
    cut_in_words,
    explain_calibrated,
    mark_calibrated,
    metric_in_words,
    quality_in_words,
)

# Initial tolerance: 0.01 of a share (one percentage point), else 1 % of the value, but at least the
# noise: 1 % of a small loss is far below it.
_TOLERANCE = 0.01
_LARGEST = 1e100  # largest absolute number that an axis supports
_STEP = 0.1  # step of the keys, as a share of the initial tolerance
_MIN_BOX_WIDTH = 84  # pixels of the boxes for axis and metric; longer texts are elided
_METRIC_BOX_WIDTH = 160  # pixels up to which the box of the metric shows whole names
_CUT_SIDES = 5  # corners of the marker of a measured cut, see `paint_point`
# Repairs and recoveries have their own colors, so that these do not depend on what was measured
# first.
_INKS_OF = {StepKind.REPAIR: "magenta", StepKind.RECOVERY: "teal"}
_INKS = ("kept", "olive", "text", "purple", *_INKS_OF.values())


@dataclass(frozen=True)
class OtherSession:
    """The measured states of another session."""

    name: str
    states: tuple[MeasuredState, ...]


@dataclass(frozen=True)
class SeriesLook:
    """The look of the markers of a series."""

    ink: str = "kept"  # color token
    sides: int = 0  # corners of the marker, see `paint_point`
    is_open: bool = False  # not filled, as another series has the same color and shape


class SeriesLooks:
    """The looks of series by name, which a series keeps until `clear`, whatever is shown."""

    def __init__(self) -> None:
        self._looks: dict[str, SeriesLook] = {}

    def look(self, kind: str, step: StepKind) -> SeriesLook:
        """Return the look of a series; a new one gets the color that is used least.

        "" is the unpruned model.
        """
        if not kind:
            return SeriesLook()
        if kind not in self._looks:
            used = [look.ink for look in self._looks.values()]
            ink = _INKS_OF.get(step) or min(_INKS, key=used.count)
            look = SeriesLook(ink, SIDES[step])
            self._looks[kind] = replace(look, is_open=look in self._looks.values())
        return self._looks[kind]

    def clear(self) -> None:
        """Forget all series: another file was opened."""
        self._looks.clear()


@dataclass(frozen=True)
class FrontierCurve:
    """A curve of a frontier, for one metric."""

    metric: str
    recovered: bool
    points: tuple[tuple[float, float], ...]  # sparsity of the model from 0 to 1, and value
    knee: int = -1  # index of the point at the knee; -1 for none


class QualityView(PlotView):
    """The metric of the measured states over their sparsity or another measure of size."""

    stateRequested = Signal(int)  # the user wants to go to the state with this number
    metricChosen = Signal(str)  # the user chose this metric
    # The user chose multiply-adds as the axis, which may have to be counted.
    countRequested = Signal()
    setUpRequested = Signal()  # the user wants to choose what evaluates the model
    frontierRequested = Signal()  # the user wants to measure a frontier
    # (list of int) The axis shows the sizes of shrunk files: those of these states are needed.
    shrunkSizesRequested = Signal(object)
    sessionsRequested = Signal()  # the user wants to add other sessions to the chart

    readout_lines = 2

    def __init__(self) -> None:
        self.canvas = QualityCanvas()
        self._states: Sequence[MeasuredState] = ()
        self._hovered = -1  # the point under the mouse
        self._described_point = -1  # the point described in the readout; -1 for the summary
        self._stale_reason = ""
        self._conditions = ""  # conditions of the measurements
        self._measuring = False
        self._uncounted_reason = ""
        self._name = ""  # of the metric; "" for the first one
        self._frontier: Sequence[FrontierCurve] = ()
        self._kinds: dict[str, StepKind] = {}  # series by name
        self._series = SeriesLooks()
        self._shrunk_sizes: Mapping[int, int] = {}  # bytes of shrunk files by state
        self._no_size_reason = ""  # why the sizes of shrunk files are unknown
        self.others: Sequence[OtherSession] = ()
        self._other_states: list[tuple[OtherSession, MeasuredState]] = []  # those that are shown
        self._cuts: list[tuple[MeasuredState, StateQuality]] = []  # those that are shown
        self._tolerances: dict[str, float] = {}  # by metric, as set by the user
        self._axes = {axis.measure: axis for axis in quality_axes()}
        self._axis = self._axes[QualityMeasure.SPARSITY]
        self._given_states: tuple[Sequence[MeasuredState], int] = (), -1
        # Axis and metric; if they change, all points are shown.
        self._fitted_axes = self._axis.measure, ""
        super().__init__(self.canvas)
        self.axis_box = choice_box(
            self.tr("Axis"),
            self.tr("Measure of size on the horizontal axis"),
            [(axis.title, axis.measure.value) for axis in self._axes.values()],
            kind=ElidedBox,
        )
        for row, axis in enumerate(self._axes.values()):
            self.axis_box.setItemData(row, axis.help, Qt.ItemDataRole.ToolTipRole)
        self.metric_box = choice_box(
            self.tr("Metric"), self.tr("Metric on the vertical axis"), kind=ElidedBox
        )
        for shrinking in (self.axis_box, self.metric_box):
            shrinking.setMinimumWidth(_MIN_BOX_WIDTH)
        self.axis_box.activated.connect(self._on_axis_chosen)
        self.metric_box.activated.connect(self._on_metric_chosen)
        self.axis_label = label_for(self.axis_box, self.tr("Axis"))
        for box in (self.axis_label, self.axis_box, self.metric_box):
            keeps_room = box.sizePolicy()  # so that all plots have the same height
            keeps_room.setRetainSizeWhenHidden(True)
            box.setSizePolicy(keeps_room)
            box.hide()
        self.set_up = QPushButton(self.tr("Evaluate…"), self)
        self.set_up.setToolTip(
            self.tr("Choose the data or script that evaluates the model, and evaluate this state")
        )
        self.set_up.setAccessibleDescription(self.set_up.toolTip())
        self.set_up.clicked.connect(self.setUpRequested)
        self.frontier = QPushButton(self.tr("Frontier…"), self)
        self.frontier.setToolTip(
            self.tr(
                "Pareto frontier: prune to several sparsities, and measure each with and "
                "without recovery"
            )
        )
        self.frontier.setAccessibleDescription(self.frontier.toolTip())
        self.frontier.clicked.connect(self.frontierRequested)
        self.add_sessions = QPushButton(self.tr("Add sessions…"), self)
        self.add_sessions.setToolTip(
            self.tr("Show the measured states of other saved sessions in the same chart")
        )
        self.add_sessions.clicked.connect(self.sessionsRequested)
        self.remove_sessions = QPushButton(self.tr("Only this file"), self)
        self.remove_sessions.setToolTip(self.tr("Remove the states of other sessions"))
        self.remove_sessions.clicked.connect(lambda: self.set_others(()))
        for button in (self.add_sessions, self.remove_sessions):
            button.setAccessibleDescription(button.toolTip())
            button.hide()
        axes, buttons = QWidget(self), QWidget(self)
        lay_in_row(axes, self.axis_label, self.axis_box, self.metric_box, None)
        sessions = self.add_sessions, self.remove_sessions
        lay_in_row(buttons, self.set_up, self.frontier, *sessions)
        # Wrapped, because a wider page would take its width from the docks.
        self._row.addWidget(WrappingRow(axes, buttons, grows=True))
        self.legend_in_corner = False
        canvas = self.canvas
        canvas.hovered.connect(self._on_hovered)
        canvas.cursorMoved.connect(self._on_cursor_moved)
        canvas.activated.connect(self._go_to)
        canvas.lineMoved.connect(self._on_line_moved)
        canvas.lineStepped.connect(self._on_line_stepped)
        self.go = QPushButton(self.tr("Go to this state"))
        self.go.clicked.connect(self._on_go)
        self.foot.set_button(self.go)
        self.foot.show_button(shown=False)
        self._table.activated.connect(self._on_row_activated)
        self._set_stem("", "quality")
        self.set_colors(self._colors)

    def empty_text(self) -> str:
        if (
            self._given_states[0]
            and self._axis.measure is not QualityMeasure.SPARSITY
            and not self._empty_text
        ):
            if self._uncounted_reason and self.shows_multiply_adds:
                return self._uncounted_reason
            if self._axis.measure is QualityMeasure.SHRUNK:
                return self._no_size_reason or self.tr("Computing the sizes of shrunk files…")
            return self.tr(
                "No values were saved for these states: {axis}. Choose another axis, or evaluate "
                "them again."
            ).format(axis=self._axis.label)
        if self._measuring:
            return self.tr("Evaluating… The unpruned model is measured first.")
        return self._empty_text or self.tr(
            "Nothing has been evaluated yet. Press Evaluate… to measure the model with your own "
            "data or script."
        )

    # -- setters ----------------------------------------------------------------------------------

    def set_measuring(self, *, measuring: bool) -> None:
        """Set whether a state is being measured; shown until the first result."""
        self._measuring = measuring
        self._show_state()

    def set_uncounted_reason(self, why: str) -> None:
        """Set why the multiply-adds of measured states are unknown; "" if they are known."""
        self._uncounted_reason = why

    @property
    def shows_multiply_adds(self) -> bool:
        """Whether the horizontal axis shows multiply-adds."""
        return self._axis.measure is QualityMeasure.MULTIPLY_ADDS

    def set_frontier(self, curves: Sequence[FrontierCurve]) -> None:
        """Show the curves of a frontier behind the states, where the axis is the sparsity.

        Only those of the metric that is shown.
        """
        self._frontier = curves
        self.set_states(*self._given_states, self._name, self._stale_reason, self._conditions)
        self.canvas.fit()

    def set_shrunk_sizes(self, sizes: Mapping[int, int], why_not: str) -> None:
        """Set the bytes of the shrunk files of states, or why they are unknown."""
        if (dict(sizes), why_not) != (dict(self._shrunk_sizes), self._no_size_reason):
            self._shrunk_sizes, self._no_size_reason = sizes, why_not
            self.set_states(*self._given_states, self._name, self._stale_reason, self._conditions)

    def _value_of(self, state: MeasuredState) -> float | None:
        """Return the number of a state on the axis; None if it is unknown."""
        if self._axis.measure is QualityMeasure.SHRUNK:
            cut = state.quality.cut
            return self._shrunk_sizes.get(state.number) if cut is None else cut.nbytes
        return self._axis.value_of(state)

    def _request_shrunk_sizes(self) -> None:
        """Request the sizes of shrunk files that are not known, if the axis shows them."""
        numbers = [s.number for s in self._given_states[0]]
        if (
            self._axis.measure is QualityMeasure.SHRUNK
            and not self._no_size_reason
            and any(number not in self._shrunk_sizes for number in numbers)
        ):
            self.shrunkSizesRequested.emit(numbers)

    def set_others(self, others: Sequence[OtherSession]) -> None:
        """Show the states of other sessions that have the metric and a value on the axis."""
        self.others = tuple(others)
        self.set_states(*self._given_states, self._name, self._stale_reason, self._conditions)
        self.canvas.fit()

    def _shown_curves(self) -> list[FrontierCurve]:
        if self._axis.measure is not QualityMeasure.SPARSITY or self._metric is None:
            return []
        return [c for c in self._frontier if c.metric == self._metric.name and c.points]

    def set_states(
        self,
        states: Sequence[MeasuredState],
        position: int,
        metric: str,
        stale_reason: str = "",
        conditions: str = "",
    ) -> None:
        """Show the states that have this metric and a value on the axis, ordered by that value.

        The cursor stays on its state. All points become visible if axis or metric changed. Emits
        only `shrunkSizesRequested`.

        Parameters
        ----------
        states
            Measured states.
        position
            Number of the current state.
        metric
            Name of the metric; "" for the first one.
        stale_reason
            Why old measurements are outdated, and what to do.
        conditions
            Conditions of all current measurements.
        """
        by_mouse = position != self._given_states[1] or self._described_point == self._hovered
        named = self._state_number(self._described_point)
        self._name, self._given_states = metric, (states, position)
        self._stale_reason, self._conditions = stale_reason, conditions
        self._offer_metrics(states)
        for part in (self.axis_label, self.axis_box, self.add_sessions):
            part.setVisible(bool(states))
        self.remove_sessions.setVisible(bool(states and self.others))
        values = {
            s.number: value
            for s in states
            if _can_show(s.quality.metric(metric)) and (value := self._value_of(s)) is not None
        }
        known = [s for s in states if s.number in values]
        here = self._state_number(self.canvas.cursor)
        former, self._states = self._states, sorted(known, key=lambda s: values[s.number])
        if [s.number for s in former] != [s.number for s in self._states]:
            self._hovered = -1  # another point may be under the mouse
        one, title = self._axis.unit(values.values())
        first = self._metric
        scale = 100.0 if first is not None and first.share else 1.0
        of_share = self._axis.measure is QualityMeasure.SPARSITY
        self.canvas.bottom.set_ends(0.0, 100.0 if of_share else math.inf)
        measured = [m for s in known if (m := s.quality.metric(metric)) is not None]
        self.canvas.left.set_ends(*((0.0, scale) if _are_fractions(measured) else ()))
        if first is not None:
            unit = self.tr("{metric}, %") if first.share else "{metric}"
            self.canvas.left.setLabel(unit.format(metric=within_reason(metric_title(first.name))))
            self.canvas.bottom.setLabel(title)
            self.canvas.bottom.set_bytes(
                self._axis.measure in {QualityMeasure.BYTES, QualityMeasure.SHRUNK}
            )
        by_number = sorted(self._states, key=lambda s: s.number)
        if not states:
            self._series.clear()
        for s in sorted(states, key=lambda s: s.number):
            if s.kind:
                self._series.look(s.kind, s.step)
        self._kinds = {s.kind: s.step for s in by_number if s.kind}
        point = {s.number: n for n, s in enumerate(self._states)}
        parents = {s.number: s.joined for s in states}
        points = [
            Point(
                values[s.number] / one,
                scale * self._metric_of(s).value,
                (look := self._series.look(s.kind, s.step)).ink,
                look.sides,
                None if s.is_old else _noise(s, self._metric_of(s), scale),
                s.is_old,
                look.is_open,
                point.get(_plotted_ancestor(s.number, parents, point), -1),
                mark_calibrated(s.label, self._metric_of(s)),
                self._tip_of(s, values[s.number]),
            )
            for s in self._states
        ]
        points += self._points_of_others(len(points), one, scale)
        points += self._points_of_cuts(one, scale)
        self.canvas.cursor = point.get(here, -1)  # on the same state as before
        self._described_point = self._hovered if by_mouse else point.get(named, -1)
        has_noise = any(p.noise for p in points)
        level = scale * first.original if first is not None and has_noise else None
        curves = [
            PlottedCurve(
                tuple((x / one, scale * y) for x, y in curve.points), _ink_of(curve), curve.knee
            )
            for curve in self._shown_curves()
        ]
        self.canvas.set_points(points, point.get(position, -1), level, curves)
        axes = self._axis.measure, "" if first is None else first.name
        if axes != self._fitted_axes:
            self._fitted_axes = axes
            self.canvas.fit()
        self._set_content(present=bool(points))
        self.refresh()
        self._request_shrunk_sizes()

    def _points_of_others(self, first: int, unit: float, scale: float) -> Iterator[Point]:
        """Yield the points of other sessions; the number of the first one is `first`."""
        self._other_states = []
        metric = self._metric
        for other in self.others if metric is not None else ():
            parents = {s.number: s.joined for s in other.states}
            points: dict[int, int] = {}
            for s in other.states:
                found = s.quality.metric(metric.name if metric is not None else "")
                value = self._axis.value_of(s)
                if found is None or not _can_show(found) or value is None:
                    continue
                look = self._series.look(s.kind, s.step)
                points[s.number] = first + len(self._other_states)
                self._other_states.append((other, s))
                yield Point(
                    value / unit,
                    scale * found.value,
                    look.ink,
                    look.sides,
                    _noise(s, found, scale),
                    is_open=look.is_open,
                    joined=points.get(_plotted_ancestor(s.number, parents, points), -1),
                    label=self.tr("{session}, {state}").format(session=other.name, state=s.label),
                    tip=self._tip_of(s, value),
                    of_other_file=True,
                )

    def _points_of_cuts(self, unit: float, scale: float) -> Iterator[Point]:
        """Yield the points of measured cuts, if the axis is the size of the shrunk file."""
        self._cuts = []
        if self._axis.measure is not QualityMeasure.SHRUNK:
            return
        for number, state in enumerate(self._states):
            for quality in state.cuts:
                found = quality.metric(self._metric_of(state).name)
                if found is None or not _can_show(found) or quality.cut is None:
                    continue
                self._cuts.append((state, quality))
                cut = MeasuredState(state.number, cut_in_words(quality.cut), quality, state.is_old)
                yield Point(
                    quality.cut.nbytes / unit,
                    scale * found.value,
                    self._series.look(state.kind, state.step).ink,
                    _CUT_SIDES,
                    None if state.is_old else _noise(cut, found, scale),
                    state.is_old,
                    joined=number,
                    label=cut.label,
                    tip=self._tip_of(cut, quality.cut.nbytes),
                )

    def _tip_of(self, state: MeasuredState, value: float) -> str:
        """Return the numbers of a state on both axes: ``50.0 % pruned, accuracy 98.1 %``."""
        metric = self._metric_of(state)
        x = self._axis.text(value)
        if self._axis.measure is QualityMeasure.SPARSITY:
            x = self.tr("{share} pruned").format(share=x)
        y = metric_value(metric.value, share=metric.share)
        y = mark_calibrated(f"{within_reason(metric_title(metric.name))} {y}", metric)
        return join_names(x, y)

    def _offer_metrics(self, states: Sequence[MeasuredState]) -> None:
        names = list(dict.fromkeys(m.name for s in states for m in s.quality.metrics))
        shown = next((m for s in states if (m := s.quality.metric(self._name))), None)
        at = -1 if shown is None else names.index(shown.name)
        set_choices(self.metric_box, names, at, metric_title)
        needed = min(self.metric_box.sizeHint().width(), _METRIC_BOX_WIDTH)
        self.metric_box.setMinimumWidth(max(needed, _MIN_BOX_WIDTH))

    # -- target -----------------------------------------------------------------------------------

    @property
    def _metric(self) -> MetricChange | None:
        """The metric of one state, if possible of an up-to-date one; None without states."""
        fresh = sorted(self._states, key=lambda s: s.is_old)
        return self._metric_of(fresh[0]) if fresh else None

    def _metric_of(self, state: MeasuredState) -> MetricChange:
        metric = state.quality.metric(self._name)
        assert metric is not None, "states without it are left out"
        return metric

    def _state_number(self, point: int) -> int:
        """Return the number of the state of a point; -1 if there is no such point."""
        return self._states[point].number if 0 <= point < len(self._states) else -1

    @property
    def _all_old(self) -> bool:
        return all(state.is_old for state in self._states)

    @property
    def tolerance(self) -> float:
        """How much worse than the unpruned model a state may be, in units of the metric."""
        metric = self._metric
        if metric is None:
            return 0.0
        return self._tolerances.get(metric.name, self._initial_tolerance(metric))

    def _initial_tolerance(self, metric: MetricChange) -> float:
        """Return the tolerance of a metric until the user sets another one.

        It is at least the noise of the up-to-date pruned state with the best metric, except for
        shares, whose tolerance is one point.
        """
        if metric.share:
            return _TOLERANCE
        pruned = [s for s in self._states if not s.is_old and s.quality.sparsity]
        measured = [m for m in map(self._metric_of, pruned) if m.half > 0]
        noise = min(measured, key=lambda m: m.worse).half if measured else 0.0
        return max(_TOLERANCE * (abs(metric.original) or 1.0), _round_up(noise))

    def best_state(self) -> MeasuredState | None:
        """Return the smallest up-to-date state or cut that meets the target.

        Size is measured by the axis. Unpruned states do not count. Of equally small ones, the one
        with the best metric is returned, then the first of the history; None if there is none.
        """
        shown = [*self._states, *(self._state_of_cut(*cut) for cut in self._cuts)]
        return min(
            (
                state
                for state in shown
                if self._passes(state) and (state.quality.sparsity or state.quality.cut is not None)
            ),
            key=lambda state: (
                self._axis.smaller * (self._value_of(state) or 0.0),
                self._metric_of(state).worse,
                state.number,
            ),
            default=None,
        )

    def _best_point(self) -> int:
        """Return the point of the state or cut that the summary names; -1 if it names none."""
        metric = self._metric
        best = None if metric is None or metric.higher is None else self.best_state()
        if best is None:
            return -1
        shown = [s.quality for s in self._states]
        shown += [s.quality for _, s in self._other_states]
        shown += [quality for _, quality in self._cuts]
        return next(n for n, quality in enumerate(shown) if quality is best.quality)

    def _state_of_cut(self, state: MeasuredState, cut: StateQuality) -> MeasuredState:
        """Return a cut of a state as a state with the name of both."""
        words = "" if cut.cut is None else cut_in_words(cut.cut)
        return replace(state, label=join_names(state.label, words), quality=cut)

    def _passes(self, state: MeasuredState) -> bool:
        rounding = 1e-12
        return not state.is_old and self._metric_of(state).worse <= self.tolerance + rounding

    def _set_tolerance(self, tolerance: float) -> None:
        metric = self._metric
        if metric is not None and metric.higher is not None:
            self._tolerances[metric.name] = max(0.0, tolerance)
            self.refresh()

    def _on_line_moved(self, y: float) -> None:
        metric = self._metric
        if metric is not None:
            value = y / (100.0 if metric.share else 1.0)
            away = value - metric.original
            self._set_tolerance(-away if metric.higher else away)

    def _on_line_stepped(self, steps: int) -> None:
        metric = self._metric
        if metric is not None:
            steps = -steps if metric.higher else steps  # up on the screen
            self._set_tolerance(self.tolerance + steps * _STEP * self._initial_tolerance(metric))

    # -- texts ------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return which state meets the target, or why that is not known; "" without states."""
        metric = self._metric
        if metric is None:
            return ""
        if metric.higher is None:
            return self.tr(
                "It is unknown whether a higher or a lower {metric} is better. Declare "
                "HIGHER_IS_BETTER in the script, or choose it below the command line."
            ).format(metric=metric_title(metric.name))
        if self._all_old:
            return self._stale_reason
        best, target = self.best_state(), _amount(metric, self.tolerance)
        if best is None:
            words = self.tr(
                "No pruned or shrunk model measured so far is within {target} of the unpruned "
                "model."
            )
            if any(state.is_old for state in self._states):
                words = join_sentences(
                    words, self.tr("States measured in an earlier run are not considered.")
                )
            return words.format(target=target)
        words = self.tr("Best within {target} of the unpruned model: {up_to} ({label})")
        half = self._metric_of(best).half
        if half > self.tolerance:  # before the label, whose end is cut off if there is no room
            words = self.tr(
                "Best within {target} of the unpruned model (noise ±{noise}): {up_to} ({label})"
            )
        return words.format(
            target=target,
            up_to=self._axis.up_to.format(x=self._axis.text(self._value_of(best) or 0.0)),
            label=best.label,
            noise=_amount(metric, half),
        )

    @property
    def has_labels(self) -> bool:
        return True

    def _show_labels(self, *, shown: bool) -> None:
        self.canvas.set_labels_shown(shown=shown)

    def slide_title(self) -> str:
        metric = self._metric
        name = self.tr("Metric") if metric is None else within_reason(metric_title(metric.name))
        return self.tr("{metric} against {axis}").format(metric=name, axis=self._axis.label)

    def slide_subtitle(self) -> str:
        if not self._conditions:
            return ""
        return self.tr("measured with {conditions}").format(conditions=self._conditions)

    def numbers(self) -> Numbers:
        states, of, axis, conditions = self._states, self._metric_of, self._axis, self._conditions
        if not states:
            return NOTHING
        # Those of other sessions have negative numbers.
        by_number = {state.number: state for state in states}
        for other, state in self._other_states:
            label = self.tr("{session}, {state}").format(session=other.name, state=state.label)
            number = -1 - len(by_number)
            by_number[number] = replace(state, number=number, label=label)
        passing = {s.number for s in states if self._passes(s)}
        yes, no, old = self.tr("yes"), self.tr("no"), self.tr("measured before")

        def verdict(row: StateRow) -> str:
            if row.number < 0:
                return ""
            is_old = by_number[row.number].is_old
            return old if is_old else yes if row.number in passing else no

        def size(row: StateRow) -> int:
            state = by_number[row.number]
            value = self._value_of(state) if row.number >= 0 else axis.value_of(state)
            return round(value or 0.0)

        def measured_with(row: StateRow) -> str:
            if row.number < 0:
                return ""
            return explain_calibrated(conditions, of(by_number[row.number]))

        table = StateTable([StateRow.of(state) for state in by_number.values()])
        shown = of(states[0]).name
        columns = table.before_metrics()
        if axis.measure is not QualityMeasure.SPARSITY:
            columns.append(StateColumn(axis.label, size))
        columns += table.metric_columns(shown, is_only=True)
        columns.append(StateColumn(self.tr("meets the target"), verdict))
        for name in table.metrics:
            columns += table.metric_columns(name) if name != shown else ()
        columns += table.after_metrics()
        columns.append(StateColumn(self.tr("measured with"), measured_with))
        measured = table.numbers(columns)
        extra = [(curve, x, y) for curve in self._shown_curves() for x, y in curve.points]

        def cells(at: int) -> Sequence[object]:
            """Return the cells of a row: states, points of frontiers, states of other sessions."""
            if not 0 <= at - len(states) < len(extra):
                return measured.row(at if at < len(states) else at - len(extra))
            curve, x, y = extra[at - len(states)]
            label = self.tr("frontier, recovered") if curve.recovered else self.tr("frontier")
            known = (label, x, y, y - of(states[0]).original)
            return (*known, *[""] * (len(columns) - len(known)))

        return replace(measured, rows=measured.rows + len(extra), row=cells)

    def refresh(self) -> None:
        metric = self._metric
        if metric is None or metric.higher is None or self._all_old:
            self.canvas.set_line(None)
        else:
            at = metric.original - self.tolerance * (1 if metric.higher else -1)
            label = _amount(metric, self.tolerance)
            sign = with_sign(label, -1 if metric.higher else 1)
            scale = 100.0 if metric.share else 1.0
            self.canvas.set_line(CutLine(scale * at, sign, upright=False))
        self.canvas.set_best(self._best_point())
        self._set_legend(self._swatches() if self._has_content else ())
        words = self.summary() if self._has_content else self.empty_text()
        self._describe(self.tr("Metric against {axis}").format(axis=self._axis.label), words)
        self._refresh_readout()
        self._refresh_table()

    def _swatches(self) -> list[Swatch]:
        colors = self._colors
        fresh = {state.kind for state in self._states if not state.is_old}
        swatches = [
            Swatch(
                within_reason(kind),
                (colors[(look := self._series.look(kind, step)).ink],),
                tip=kind,
                sides=look.sides,
                is_open=look.is_open,
            )
            for kind, step in self._kinds.items()
            if kind in fresh
        ]
        for other in dict.fromkeys(other.name for other, _ in self._other_states):
            words = self.tr("dashed, hollow: {session}").format(session=within_reason(other))
            swatches.append(Swatch(words, (), tip=other))
        if self._cuts:
            words = self.tr("shrunk: measured as the smaller model")
            tip = self.tr("Measured with Evaluate shrunk model, on the page Shrunk of the export")
            swatches.append(Swatch(words, (colors["text"],), tip=tip, sides=_CUT_SIDES))
        for curve in self._shown_curves():
            words = self.tr("frontier, recovered") if curve.recovered else self.tr("frontier")
            tip = ""
            if curve.knee >= 0:
                where = self._axis.text(curve.points[curve.knee][0])
                words = self.tr("{curve} (knee at {x})").format(curve=words, x=where)
                tip = self.tr(
                    "The knee is the point farthest above the line between the ends of the "
                    "curve. Beyond it, more sparsity costs more than average."
                )
            swatches.append(Swatch(words, (colors[_ink_of(curve)],), tip=tip))
        if any(point.noise for point in self.canvas.points):
            metric = self._metric
            noise = "" if metric is None else metric.noise
            words = self.tr("noise: {what}").format(what=translate_sentence(noise))
            tip = self.tr(
                "If a bar crosses the dotted line (the unpruned model), no difference from the "
                "unpruned model was found."
            )
            swatches.append(Swatch(words, (colors["muted"],), tip=tip))
        if any(state.is_old for state in self._states):
            old = self.tr("measured before")
            swatches.append(Swatch(old, (colors["muted"],), sides=0, is_open=True))
        if self._conditions:
            words = self.tr("measured with {conditions}").format(conditions=self._conditions)
            swatches.append(Swatch(self._conditions, (), tip=words))
        return swatches

    def _refresh_readout(self) -> None:
        if not self._has_content:
            self.readout.setText("")
        elif 0 <= self._described_point < len(self._states):
            state = self._states[self._described_point]
            words = quality_in_words(state.quality, self._name)
            text = self.tr("{state}:  {words}")
            self.readout.setText(text.format(state=state.label, words=words))
        elif (other := self._other_state(self._described_point)) is not None:
            text = self.tr("{session}, {state}:  {words}")
            words = quality_in_words(other[1].quality, self._name)
            self.readout.setText(
                text.format(session=other[0].name, state=other[1].label, words=words)
            )
        elif cut := self._cut(self._described_point):
            self.readout.setText(cut)
        else:
            self.readout.setText(self.summary())
        # While the mouse is on a point, the button must not move.
        target = self._target_state()
        self.foot.show_button(shown=target >= 0 and target != self._given_states[1])

    def _other_state(self, point: int) -> tuple[OtherSession, MeasuredState] | None:
        """Return the state of another session at a point; None if it is none."""
        number = point - len(self._states)
        return self._other_states[number] if 0 <= number < len(self._other_states) else None

    def _cut(self, point: int) -> str:
        """Return the state, the cut and the metric of a point; "" if it is no cut."""
        number = point - len(self._states) - len(self._other_states)
        if not 0 <= number < len(self._cuts):
            return ""
        state, quality = self._cuts[number]
        cut = "" if quality.cut is None else cut_in_words(quality.cut)
        words = metric_in_words(quality, self._name)
        return self.tr("{state}, {cut}:  {words}").format(state=state.label, cut=cut, words=words)

    def _target_state(self) -> int:
        """Return the number of the state that the line below the chart describes; -1 for none."""
        if not self._has_content:
            return -1
        if 0 <= self._described_point < len(self._states):
            return self._state_number(self._described_point)
        best = None if self._metric is None or self._metric.higher is None else self.best_state()
        return -1 if best is None else best.number

    def _on_go(self) -> None:
        if (state := self._target_state()) >= 0:
            self.stateRequested.emit(state)

    def _on_hovered(self, point: int) -> None:
        if point != self._hovered:
            self._hovered = self._described_point = point
            self._refresh_readout()

    def _on_cursor_moved(self, point: int) -> None:
        self._described_point = point
        self._refresh_readout()

    def _on_row_activated(self, index: QModelIndex) -> None:
        if index.row() < len(self._states):  # points of a frontier are no states
            self._go_to(index.row())

    def _go_to(self, point: int) -> None:
        if point >= len(self._states):
            return  # of another session
        self.stateRequested.emit(self._states[point].number)

    def _on_axis_chosen(self) -> None:
        self._axis = self._axes[QualityMeasure(self.axis_box.currentData())]
        self._no_size_reason = ""
        self.set_states(*self._given_states, self._name, self._stale_reason, self._conditions)
        if self.shows_multiply_adds:
            self.countRequested.emit()

    def _on_metric_chosen(self) -> None:
        self.metricChosen.emit(str(self.metric_box.currentData()))


def _plotted_ancestor(state: int, parents: Mapping[int, int], plotted: Container[int]) -> int:
    """Return the nearest measured ancestor of a state that is plotted; -1 if there is none."""
    state = parents[state]
    while state >= 0 and state not in plotted:
        state = parents.get(state, -1)
    return state


def _ink_of(curve: FrontierCurve) -> str:
    return "accent" if curve.recovered else "muted"


def _are_fractions(metrics: Sequence[MetricChange]) -> bool:
    """Return whether a metric cannot exceed 1, judged by its values: an accuracy, a cosine."""
    return all(m.share or (m.higher is True and 0 <= m.value <= 1) for m in metrics)


def _can_show(metric: MetricChange | None) -> bool:
    """Return whether there is a metric and the axis supports all its numbers."""
    return metric is not None and all(
        abs(number) < _LARGEST for number in (metric.value, metric.original, metric.half)
    )


def _noise(state: MeasuredState, metric: MetricChange, scale: float) -> Noise | None:
    """Return both ends of the noise bar of a state: its value plus and minus the noise, scaled.

    Shares are clipped to 0 and 1. None if the noise is unknown or zero, and for the unpruned model.
    """
    if state.quality.unpruned or not state.kind or metric.half <= 0:
        return None
    low, high = metric.value - metric.half, metric.value + metric.half
    if metric.share:
        low, high = max(low, 0.0), min(high, 1.0)
    return scale * low, scale * high


def _round_up(number: float) -> float:
    """Return a number of at least 0 rounded up to two significant digits."""
    if not number:
        return 0.0
    digits = 1 - math.floor(math.log10(number))
    rounded = round(number, digits)
    return rounded if rounded >= number else round(rounded + 10.0**-digits, digits)


def _amount(metric: MetricChange, amount: float) -> str:
    return metric_points(amount, share=metric.share)
