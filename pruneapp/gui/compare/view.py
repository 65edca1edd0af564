"""The chart of tensors that differ between two sides, their metrics, and the choice of sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from pruneapp.analysis.comparison import Comparison, TensorDifference
from pruneapp.document.document import HistoryItem
from pruneapp.document.history import Branches
from pruneapp.evaluation.metric import MetricChange, StateQuality, noise_between
from pruneapp.gui.plots.base.plot_view import WrappingRow
from pruneapp.gui.plots.base.readout import value_text
from pruneapp.gui.plots.base.table import NumbersView
from pruneapp.gui.plots.chart.bar_chart import BarChartView, grouped_max, names_canvas
from pruneapp.gui.plots.chart.items import BarChart, Floats, Indices, Stacks, TableColumn
from pruneapp.gui.widgets.clipboard import Numbers
from pruneapp.gui.widgets.controls import (
    ComboBox,
    ElidedBox,
    choice_box,
    lay_in_column,
    lay_in_row,
    symbol_button,
)
from pruneapp.gui.widgets.engine_text import numbered_title, translate_step
from pruneapp.gui.widgets.labels import (
    MUTED,
    as_plain,
    elide_text,
    join_sentences,
    label_for,
    plain,
)
from pruneapp.gui.widgets.number_format import (
    NO_NUMBER,
    count,
    metric,
    metric_points,
    metric_title,
    part,
    percent,
    with_sign,
)
from pruneapp.gui.widgets.reports import calibration_note, mark_calibrated
from pruneapp.kernels.values import Bools

NORM, ANGLE, SIGNS, ZEROS = "norm", "angle", "signs", "zeros"

_MEASURES: Mapping[str, Callable[[TensorDifference], float | None]] = {
    NORM: lambda t: t.relative,
    ANGLE: lambda t: None if t.cosine is None else 1 - t.cosine,
    SIGNS: lambda t: None if t.same_sign is None else 1 - t.same_sign,
    ZEROS: lambda t: None if t.overlap is None else 1 - t.overlap,
}


# A position in the history; None for the other file.
Side = int | None

_OTHER, _CHOOSE_FILE, _CHOOSE_FOLDER, _DELETED = -1, -2, -3, -4
_SHORT_TEXT_ROLE = Qt.ItemDataRole.UserRole + 1
# Prefixes in the list of states: of the first state of a branch, and per level of indentation.
_BEGINS, _FOLLOWS = "└ ", "\u2003"
_INDENT = _BEGINS + _FOLLOWS


_MOST_CUT = 8  # number of bars that are cut off; more of them are not outliers
_VISIBLE_ROWS = 3  # number of rows of metrics in the size hint


@dataclass(frozen=True)
class MetricPair:
    """A metric of two states; None for a state where it was not measured."""

    name: str
    a: MetricChange | None
    b: MetricChange | None
    half: float = 0.0  # half the width of the noise interval of their difference; 0 if unknown
    # whether `half` is an upper bound, so that smaller differences may be real
    at_most: bool = False

    @property
    def difference(self) -> float | None:
        """The value of B minus that of A; None if one is missing."""
        return None if self.a is None or self.b is None else self.b.value - self.a.value

    @property
    def is_none(self) -> bool:
        """Whether the difference is within the noise; False if the noise is unknown."""
        difference = self.difference
        return difference is not None and self.half > 0 and abs(difference) <= self.half

    @property
    def is_uncertain(self) -> bool:
        """Whether a difference within the noise may be real, because the noise is a bound."""
        return self.is_none and self.at_most and bool(self.difference)


def pairs_of(a: StateQuality | None, b: StateQuality | None) -> tuple[MetricPair, ...]:
    """Return the metrics of two states in pairs: those of `a`, then those that only `b` has.

    For the noise see `noise_between`; it is 0 if a side has no value of the metric, or is None.
    """
    sides = a, b
    names = dict.fromkeys(m.name for side in sides if side is not None for m in side.metrics)
    pairs = []
    for name in names:
        x, y = (None if side is None else side.metric(name) for side in sides)
        half, at_most = 0.0, False
        if a and b and x and y:
            pruned = (replace(m, half=0.0) if s.unpruned else m for s, m in ((a, x), (b, y)))
            half, at_most = noise_between(*pruned)
        pairs.append(MetricPair(name, x, y, half, at_most=at_most))
    return tuple(pairs)


class MetricsTable(NumbersView):
    """A table whose preferred height is that of its first rows."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height(_VISIBLE_ROWS))

    def minimumSizeHint(self) -> QSize:
        """Return the height of one row, so that the table can shrink in a low window."""
        return QSize(0, self._height(1))

    def _height(self, rows: int) -> int:
        rows = min(self.numbers.rowCount(), rows)
        high = self.verticalHeader().defaultSectionSize()
        bar = self.horizontalScrollBar().sizeHint().height() if self._is_scrolled else 0
        return self.horizontalHeader().sizeHint().height() + rows * high + bar

    @property
    def _is_scrolled(self) -> bool:
        return self.horizontalHeader().length() > self.viewport().width()

    def _fit(self) -> None:
        """Fit the columns; a horizontal scroll bar gets its own height, and covers no row."""
        super()._fit()
        self.updateGeometry()


class SideMetrics(QWidget):
    """A row for each metric: A, B, their difference and its noise; hidden if there is no metric."""

    def __init__(self) -> None:
        super().__init__()
        self.table = MetricsTable(self)
        self.table.setAccessibleName(self.tr("Metrics of A and B"))
        self.table.setAccessibleDescription(
            self.tr(
                "Differences within the noise are shown as none. Between two pruned states, the "
                "noise is at most the sum of the noise of each state; differences below this "
                "bound are marked as uncertain."
            )
        )
        self.table.setToolTip(self.table.accessibleDescription())
        self.note = plain(wrap=True, ink=MUTED)
        lay_in_column(self, self.table, self.note)
        self._missing = "", ""
        self.set_pairs((), "")

    def set_pairs(
        self, pairs: Sequence[MetricPair], note: str, missing: tuple[str, str] = ("", "")
    ) -> None:
        """Replace the metrics and the note below them; hide the widget if both are empty.

        `missing` is shown for metrics that A and B do not have; by default "not evaluated".
        """
        pairs, self._missing = tuple(pairs), missing
        headers = (self.tr("metric"), "A", "B", self.tr("difference"), self.tr("noise"))
        rows = [self._cells(pair) for pair in pairs]
        self.table.numbers.set_numbers(Numbers(headers, len(rows), rows.__getitem__))
        self.table.setVisible(bool(pairs))
        self.table.updateGeometry()
        sides = (side for pair in pairs for side in (pair.a, pair.b) if side is not None)
        if any(side.calibrated for side in sides):
            note = join_sentences(calibration_note(mark=True), note)
        if any(pair.is_uncertain for pair in pairs):
            words = self.tr(
                "Uncertain: the noise between two pruned states is only known as a bound. It is "
                "known exactly if the script returns a value for each sample."
            )
            note = join_sentences(note, words)
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self.setVisible(bool(pairs or note))

    def _cells(self, pair: MetricPair) -> tuple[str, ...]:
        known = pair.b or pair.a
        noise = NO_NUMBER
        if pair.half and known is not None:
            rounded = partial(metric_points, share=known.share, noise=True)
            noise = rounded(pair.half)
            if pair.difference is not None and rounded(abs(pair.difference)) == noise:
                # with the digits that decide whether the difference is larger
                noise = metric_points(pair.half, share=known.share)
            noise = f"±{noise}"
            if pair.at_most:
                noise = self.tr("at most {noise}").format(noise=noise)
        return (
            metric_title(pair.name),
            self._value(pair.a, self._missing[0]),
            self._value(pair.b, self._missing[1]),
            self._difference(pair),
            noise,
        )

    def _value(self, of: MetricChange | None, missing: str) -> str:
        if of is None:
            return missing or self.tr("not evaluated")
        return mark_calibrated(metric(of.value, share=of.share), of)

    def _difference(self, pair: MetricPair) -> str:
        """Return the difference, with "better", "worse" or "within noise" where that is known."""
        difference, b = pair.difference, pair.b
        if difference is None or b is None:
            return NO_NUMBER
        amount = with_sign(metric_points(difference, share=b.share), difference)
        if pair.is_uncertain:
            return self.tr("{amount}, uncertain").format(amount=amount)
        if pair.is_none:
            text = self.tr("{amount}, within noise") if difference else "{amount}"
            return text.format(amount=amount)
        if b.higher is None or not difference:
            return amount
        words = self.tr("{amount}, better") if b.higher == (difference > 0) else None
        return (words or self.tr("{amount}, worse")).format(amount=amount)


class _StateBox(ElidedBox):
    """A combo box that shows a shorter text of the current item if the full one does not fit."""

    def shown_text(self, width: int) -> str:
        text, metrics = self.currentText().lstrip(_INDENT), self.fontMetrics()
        if metrics.horizontalAdvance(text) > width:
            text = self.currentData(_SHORT_TEXT_ROLE) or text
        return elide_text(text, metrics, width)


class StateSelector(QWidget):
    """Two boxes to choose A and B among the states of the history and another file."""

    changed = Signal()  # the user chose another side
    # The user asked to choose another file, or another folder.
    otherRequested = Signal()
    folderRequested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._items: tuple[HistoryItem, ...] = ()
        self._branches = Branches()
        self._position = 0
        self._other: str | None = None
        self._selected: list[Side] = [0, 0]
        self._is_user_choice = [False, False]  # for A and B, whether the user chose the state
        self._requesting_side, self._chosen_in_box = 1, False
        row = lay_in_row(self)
        self.boxes = _StateBox(), _StateBox()
        self.swap_button = symbol_button("⇄", self.tr("Swap A and B"))
        self.swap_button.setAutoRaise(True)
        self.swap_button.clicked.connect(self.swap)
        self._tips = self.tr("Base of the comparison"), self.tr("Compared with A")
        for box, letter in zip(self.boxes, "AB", strict=True):
            label = label_for(box, letter)
            box.setAccessibleName(letter)
            # Labels of steps are long; their full text is in the list and the tooltips.
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(8)
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            if letter == "B":
                row.addWidget(self.swap_button)
            row.addWidget(label)
            row.addWidget(box, 1)
            box.activated.connect(self._on_chosen)
        self._fill()

    @property
    def points(self) -> int:
        """The number of states."""
        return len(self._items)

    @property
    def wanted(self) -> tuple[Side, Side]:
        """A and B; None for the other file."""
        return self._selected[0], self._selected[1]

    def set_points(
        self, items: Sequence[HistoryItem], position: int, branches: Branches | None = None
    ) -> None:
        """Set the states, the index of the current one, and the branches (None: a single line).

        Sides that the user chose stay at their states, which may have other indices now. A side
        becomes its default if the user did not choose it, or if its state was deleted. It keeps its
        state if the default is on the other side, so that going to A leaves B. Emits no signal.
        """
        former, self._items, self._position = self._items, tuple(items), position
        self._branches = Branches.linear(max(0, len(items) - 1)) if branches is None else branches
        for side, chosen in enumerate(self._selected):
            now = None if chosen is None else self._current_index_of(chosen, former)
            self._is_user_choice[side] &= bool(items) and now != _DELETED
            self._selected[side] = now
        self._apply_default_sides()
        self._fill()

    def _current_index_of(self, state: int, former: tuple[HistoryItem, ...]) -> int:
        """Return the present index of the state that had the index `state` in the list `former`.

        It is recognized also if only its name has changed. Return `_DELETED` if it is not in the
        history any more.
        """
        items = self._items
        if state >= len(former):
            return _DELETED
        before = former[state]
        for place in (state, *range(len(items))):
            if place < len(items) and items[place] is before:
                return int(place)
        renamed = len(items) == len(former) and before == replace(items[state], name=before.name)
        return state if renamed else _DELETED

    def swap(self) -> None:
        self._selected.reverse()
        self._is_user_choice = [True, True]
        self._requesting_side = 1 - self._requesting_side
        self._fill()
        self.changed.emit()

    def choose(self, a: int, b: int) -> None:
        """Choose two states, as the user does; B follows the current state if it is that."""
        self._selected, self._is_user_choice = [a, b], [True, b != self._position]
        self._fill()
        self.changed.emit()

    def set_other(self, label: str | None, *, original: bool = False) -> None:
        """Set the label of the other file, and choose it on a side; None for no file.

        The side is the one in whose box the user last asked for a file, B at first. If the file is
        the original of the document, it becomes A, and the current state B. Without a file, a side
        that showed it becomes its default. Emits no signal.
        """
        self._other = label
        if label is not None:
            self._requesting_side = 0 if original else self._requesting_side
            against = 1 - self._requesting_side
            # If the file was chosen in a box, the user has seen the state on the other side: keep
            # that.
            seen = self._chosen_in_box and self._selected[against] != self._position
            self._is_user_choice[against] |= seen
            self._is_user_choice[against] &= not original and self._selected[against] is not None
            self._chosen_in_box = False
            self._selected[self._requesting_side], self._is_user_choice[self._requesting_side] = (
                None,
                True,
            )
        else:
            self._is_user_choice = [
                own and w is not None
                for own, w in zip(self._is_user_choice, self._selected, strict=True)
            ]
        self._apply_default_sides()
        self._fill()

    def _apply_default_sides(self) -> None:
        """Set the sides that the user did not choose to their defaults."""
        # The opened file and the current state; another file is compared with the current state.
        usual = (0 if self._other is None else self._position), self._position
        for side, own in enumerate(self._is_user_choice):
            former, other = self._selected[side], self._selected[1 - side]
            keeps = usual[side] == other and former not in {None, other, _DELETED}
            if not own and not keeps:
                self._selected[side] = usual[side]

    def _fill(self) -> None:
        for box, wanted in zip(self.boxes, self._selected, strict=True):
            with QSignalBlocker(box):
                box.clear()
                for i, indent in self._order():
                    self._add(
                        box, indent + self._label(i), i, translate_step(self._items[i].detail)
                    )
                    # A side that follows the current state; a chosen state keeps its label.
                    if i == self._position and not self._is_user_choice[box is self.boxes[1]]:
                        box.setItemData(box.count() - 1, self.tr("Current state"), _SHORT_TEXT_ROLE)
                if self._other is not None:
                    self._add(box, self._other, _OTHER, self._other)
                if self._items:
                    self._add(box, self.tr("Another file…"), _CHOOSE_FILE, "")
                    self._add(box, self.tr("Another folder…"), _CHOOSE_FOLDER, "")
                box.setCurrentIndex(box.findData(_OTHER if wanted is None else wanted))
            box.setEnabled(bool(self._items))
        self._show_chosen()

    def _order(self) -> list[tuple[int, str]]:
        """Return index and indentation of each state, branches after the state they start from.

        If several states follow one, all of them are indented: the first one is a branch as well.
        """
        order, after = [(0, "")] if self._items else [], self._branches.after
        deep, children = {0: 0}, Counter(after)
        for state, comes in self._branches.walk():
            if comes:
                parent = after[state - 1]
                begins = children[parent] > 1
                deep[state] = deep[parent] + begins
                order.append((state, _FOLLOWS * deep[parent] + (_BEGINS if begins else "")))
        return order

    def _show_chosen(self) -> None:
        for box, tip in zip(self.boxes, self._tips, strict=True):
            box.setToolTip(as_plain(f"{tip}\n{box.currentText().lstrip(_INDENT)}".strip()))
            box.setAccessibleDescription(tip)  # otherwise the tooltip with its markup is read out
        self.swap_button.setEnabled(self._selected[0] != self._selected[1])

    def _label(self, place: int) -> str:
        label = numbered_title(place, self._items[place])
        if place != self._position:
            return label
        return self.tr("{label} (current state)").format(label=label)

    @staticmethod
    def _add(box: ComboBox, label: str, data: int, detail: str) -> None:
        box.addItem(label, data)
        box.setItemData(box.count() - 1, as_plain(detail), Qt.ItemDataRole.ToolTipRole)

    def _on_chosen(self) -> None:
        """Emit `changed` for another side; request a file, and keep the side until it is set."""
        side = int(self.sender() is self.boxes[1])
        chosen = int(self.boxes[side].currentData())
        if chosen in {_CHOOSE_FILE, _CHOOSE_FOLDER}:
            self._requesting_side, self._chosen_in_box = side, True
            self._fill()  # restore the selection until a file is chosen
            (self.otherRequested if chosen == _CHOOSE_FILE else self.folderRequested).emit()
            return
        wanted = None if chosen == _OTHER else chosen
        if wanted != self._selected[side]:
            # B follows the current state until another state is chosen.
            follows = side == 1 and wanted == self._position
            self._selected[side], self._is_user_choice[side] = wanted, not follows
            self._show_chosen()
            self.changed.emit()


MOST, LAYER = "most", "layer"


class CompareView(BarChartView):
    """Bar chart of the differences between two sides, the largest first.

    A side is an index in the history, or None for the other file.
    """

    # (a, b) The user chose these sides; answer with `set_comparison`.
    comparisonRequested = Signal(object, object)
    differenceRequested = Signal(str)  # (tensor) the user asked to see where this tensor differs

    def __init__(self) -> None:
        self._comparison: Comparison | None = None
        self._differing: tuple[TensorDifference, ...] = ()
        self._heights: Floats = np.zeros(0)
        # whether each differing tensor holds integers, such as a counter: nothing can be pruned
        self._are_integers: Bools = np.zeros(0, np.bool_)
        # where bars are cut off that would make the others too short; None if no bar is
        self._cap: float | None = None
        self._shown_names: Mapping[str, str] = {}
        self.sides = StateSelector()
        orders = ((self.tr("Most different first"), MOST), (self.tr("In tree order"), LAYER))
        box = choice_box(
            self.tr("Measure"),
            self.tr("Measure of the difference; the readout and the table show all measures"),
            (
                (self.tr("Relative norm"), NORM),
                (self.tr("1 − cosine"), ANGLE),
                (self.tr("Different signs"), SIGNS),
                (self.tr("Zero mismatch"), ZEROS),
            ),
        )
        super().__init__(names_canvas(neutral=True), orders, box)
        self._busy_text = self.tr("Comparing…")
        tip = self.tr(
            "Order of the tensors. Biases and norms have small values, so that a large relative "
            "difference of them may have little effect."
        )
        self.order_box.setToolTip(as_plain(tip))
        self.order_box.setAccessibleDescription(tip)
        boxes = QWidget()
        lay_in_row(boxes, None, self.measure_box, self.order_box)
        self._row.addWidget(WrappingRow(self.sides, boxes, grows=True))
        self.metrics = SideMetrics()
        self._add_row(self.metrics)
        self.has_legend = False  # there is only one kind of bar
        self.legend.hide()
        self.sides.changed.connect(self._on_sides_changed)
        self._set_stem("", "comparison")
        self.set_colors(self._colors)

    # -- inputs -----------------------------------------------------------------------------------

    def set_points(
        self, items: Sequence[HistoryItem], position: int, branches: Branches | None = None
    ) -> None:
        """Set the states of the history that can be chosen, and the index of the current one.

        Sides that the user did not choose become their defaults: the first state (or, if there is
        another file, the current one) as A and the current one as B. Without `branches` the states
        are a single line. No comparison is requested.
        """
        self.sides.set_points(items, position, branches)
        self._show_state()

    def set_other(self, label: str | None, *, original: bool = False) -> None:
        """Set the label of the other file, and choose it on the side that requested it.

        If the file is the original of the document, it becomes A. None is for no file. No
        comparison is requested.
        """
        self.sides.set_other(label, original=original)
        self._show_state()

    def set_shown_names(self, shown: Mapping[str, str]) -> None:
        """Set the display names, by name in the file."""
        self._shown_names = shown

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show the differences of two sides, and end the busy state; None removes what is shown."""
        self._comparison = comparison
        self._differing = comparison.differing if comparison else ()
        self._show_data()
        if comparison is not None:
            self.set_busy(False)

    def follow(self, name: str) -> None:
        """Move the cursor, if it is on a bar, to the bar of a tensor; remove it if there is none.

        Linear in the number of tensors that differ.
        """
        if self.canvas.cursor_bar < 0:
            return
        order = self._chart.order
        bars = (bar for bar, at in enumerate(order) if self._differing[at].name == name)
        self.canvas.set_cursor(next(bars, -1))
        self._refresh_readout()

    # -- the chart ------------------------------------------------------------------------------

    def empty_text(self) -> str:
        """Return what to show instead of bars: that nothing differs, or what to choose."""
        comparison = self._comparison
        if comparison is not None and not comparison.tensors:
            return self.tr("Neither side has a tensor.")
        if comparison is not None:
            return self.tr("Nothing differs: all {n} tensors are equal.").format(
                n=count(len(comparison.tensors))
            )
        if self._empty_text:
            return self._empty_text
        if not self.sides.points:
            return self.tr(
                "Open a checkpoint to compare its states, or to compare it with another file."
            )
        if self.sides.wanted[0] == self.sides.wanted[1]:
            if self.sides.points == 1:
                return self.tr(
                    "There is only one state so far. Apply a pruning step, or choose another "
                    "file as B."
                )
            return self.tr("A and B are the same. Choose another state or file above.")
        return self.tr("Choose two states above to compare.")

    def chart(self) -> BarChart:
        measure, heights = self.measure, self._heights
        order = np.arange(heights.size)
        if self.order == MOST:  # those without a value, and counters, last
            order = np.lexsort((-np.nan_to_num(heights), np.isnan(heights), self._are_integers))
        across = {
            NORM: self.tr("difference, % of A"),
            ANGLE: self.tr("1 − cosine"),
            SIGNS: self.tr("different signs, %"),
            ZEROS: self.tr("zero mismatch, %"),
        }[measure]
        highest = float(np.nanmax(heights, initial=0.0))
        largest_tick = 100.0 if measure in {SIGNS, ZEROS} else np.inf
        capped: dict[int, str] = {}
        if self._cap is not None:
            across = self.tr("{measure} (▶ longer)").format(measure=across)
            highest = min(highest, self._cap)
            largest_tick = min(largest_tick, highest)  # bars do not reach the arrows and texts
            beyond = np.flatnonzero(heights[order] > self._cap).tolist()
            capped = {bar: self._height_text(float(heights[order[bar]])) for bar in beyond}
        usual = value_text(-1.23e-10, 3) if measure == ANGLE else percent(0.999999)
        widest = max((usual, *capped.values()), key=len)
        return BarChart(
            key=[t.name for t in self._differing],
            order=order,
            stacks=self._stacks,
            highest=highest,
            title=self.tr("Differences of the tensors"),
            along=self.tr("differing tensors"),
            across=across,
            summary=self._summary,
            text=self._text,
            columns=self._columns(),
            name=self._name_of,
            value=self._value_of,
            # The arrow of a bar that is cut off needs width as well.
            widest_value=f"{widest} ▶" if capped else widest,
            capped=capped,
            largest_tick=largest_tick,
        )

    def refresh(self) -> None:
        self._heights = self._compute_heights()
        self._are_integers = np.array([t.is_integer_buffer for t in self._differing], np.bool_)
        self._cap = cap_of(self._heights[~self._are_integers])
        super().refresh()

    def _compute_heights(self) -> Floats:
        """Return the chosen measure of each differing tensor, NaN where it has none.

        In percent, except for 1 − cosine; negative values of rounding become 0.
        """
        of, scale = _MEASURES[self.measure], 1.0 if self.measure == ANGLE else 100.0
        values = map(of, self._differing)
        return np.array([np.nan if v is None else scale * max(v, 0.0) for v in values], np.float64)

    def _stacks(self, items: Indices, group: int) -> Stacks:
        """Return the bars of tensors; `group` consecutive ones share a bar, as high as the highest.

        Unknown heights are 0; bars end at the cap.
        """
        heights = np.nan_to_num(self._heights[items], nan=0.0)
        high = grouped_max(heights if self._cap is None else np.minimum(heights, self._cap), group)
        none = np.zeros_like(high)
        return Stacks(high, none, none)

    def _text(self, i: int) -> str:
        """Return the readout of a tensor: how it differs, or why its values were not compared."""
        t, name = self._differing[i], self._name_of(i)
        if t.kind != "differs":
            return f"{name}:  {self._kinds()[t.kind]}"
        facts = [
            self.tr("{share} of the weights differ").format(share=part(t.differing, t.numel)),
            self.tr("relative norm {value}").format(value=_share(t.relative)),
            self.tr("cosine {value}").format(value=_value(t.cosine)),
            self.tr("same signs {value}").format(value=_share(t.same_sign)),
        ]
        if t.overlap is not None:
            facts.append(self.tr("shared zeros {value}").format(value=_share(t.overlap)))
        return f"{name}:  {', '.join(facts)}"

    def _summary(self) -> str:
        """Return how many tensors differ, by kind, and how many bars are cut off.

        Empty while there is no comparison.
        """
        comparison = self._comparison
        if comparison is None:
            return ""
        text = self.tr("{some} of {all} tensors differ").format(
            some=count(len(self._differing)), all=count(len(comparison.tensors))
        )
        for kind, words in (
            ("only a", self.tr("{n} only in A")),
            ("only b", self.tr("{n} only in B")),
            ("shape", self.tr("{n} with a different shape")),
            ("unread", self.tr("{n} that cannot be read")),
        ):
            many = sum(t.kind == kind for t in self._differing)
            if many:
                text += f", {words.format(n=count(many))}"
        if self._cap is not None:
            many = int((self._heights > self._cap).sum())
            text += self.tr(";  bars clipped: {n} (▶)").format(n=count(many))
        return text

    def _columns(self) -> tuple[TableColumn, ...]:
        tensors, kinds = self._differing, self._kinds()

        def number(value: float | None) -> float | str:
            return NO_NUMBER if value is None else value

        # If all tensors are of one kind, the column of kinds is not shown.
        alike = all(t.kind == "differs" for t in tensors)
        return (
            TableColumn(self.tr("tensor"), lambda i: tensors[i].name),
            TableColumn(self.tr("difference"), lambda i: kinds[tensors[i].kind], shown=not alike),
            TableColumn(self.tr("weights that differ"), lambda i: tensors[i].differing),
            TableColumn(self.tr("relative norm"), lambda i: number(tensors[i].relative)),
            TableColumn(self.tr("cosine"), lambda i: number(tensors[i].cosine)),
            TableColumn(self.tr("same sign"), lambda i: tensors[i].same_sign, share=True),
            TableColumn(self.tr("shared zeros"), lambda i: tensors[i].overlap, share=True),
        )

    def activate(self, item: int) -> None:
        """Emit `differenceRequested` for a tensor, if its weights were compared."""
        t = self._differing[item]
        if t.kind == "differs":
            self.differenceRequested.emit(t.name)

    # -- bars -------------------------------------------------------------------------------------

    def _kinds(self) -> dict[str, str]:
        return {
            "same": self.tr("identical"),
            "differs": self.tr("differs"),
            "only a": self.tr("only in A"),
            "only b": self.tr("only in B"),
            "shape": self.tr("different shape or type, not compared"),
            "unread": self.tr("cannot be read, not compared"),
        }

    def _name_of(self, tensor: int) -> str:
        name = self._differing[tensor].name
        return self._shown_names.get(name, name)

    def _value_of(self, i: int) -> tuple[float, str]:
        """Return the height at which the text of a bar is written, and the text.

        For a tensor that was not compared, the text says why, at height 0. It is empty for an
        unknown height, and if it is written next to the arrow.
        """
        height = float(self._heights[i])
        if self._differing[i].kind != "differs":
            return 0.0, self._kinds()[self._differing[i].kind]
        if np.isnan(height) or (self._cap is not None and height > self._cap):
            return 0.0, ""  # unknown, or the value is shown next to the arrow
        return height, self._height_text(height)

    def _height_text(self, height: float) -> str:
        if self.measure == ANGLE:
            return value_text(height, 3)
        if 1000 <= height < 1e9:
            return f"{count(round(height))}\u00a0%"
        if height < 1:  # for example after rounding to another dtype
            return percent(height / 100, 3)
        return percent(height / 100) if height < 1000 else f"{value_text(height, 3)}\u00a0%"

    def _on_sides_changed(self) -> None:
        self.set_comparison(None)
        a, b = self.sides.wanted
        if a != b:
            self.comparisonRequested.emit(a, b)


def cap_of(heights: Floats) -> float | None:
    """Return where to cut off a few very high bars; None if the axis needs no cap.

    They are at most a sixth of the bars and at most `_MOST_CUT`, but at least one is allowed, and
    the lowest of them is more than four times as high as the next bar. The cap is 1.25 times that
    bar. NaN and bars of height 0 are ignored.
    """
    known = np.sort(heights[heights > 0])[::-1]
    gaps = np.flatnonzero(known[:-1] > 4 * known[1:])
    gaps = gaps[gaps < max(1, min(known.size // 6, _MOST_CUT))]
    return 1.25 * float(known[gaps[-1] + 1]) if gaps.size else None


def _share(value: float | None) -> str:
    return NO_NUMBER if value is None else percent(value)


def _value(value: float | None) -> str:
    return NO_NUMBER if value is None else value_text(value, 5)
