"""Which tensors of two states differ, and how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from pruneapp.gui.compare.view_measure_box import MeasureBox
from pruneapp.gui.compare.view_sides import Side, SidesRow
from pruneapp.gui.plots.base.plot_view_wrapping import WrappingRow
from pruneapp.gui.plots.base.readout_wording import value_text
from pruneapp.gui.plots.chart.axes import NamesAxis
from pruneapp.gui.plots.chart.axes_axis import NumberAxis
from pruneapp.gui.plots.chart.chart import grouped_edges, grouped_max
from pruneapp.gui.plots.chart.chart_ordered import OrderedChart
from pruneapp.gui.plots.chart.items import Floats, Stacks
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.number_format import NO_NUMBER, count, part, percent
from pruneapp.results.document_rows_history import HistoryItem
from pruneapp.results.short_names import ShortNames
from pruneapp.results.state_comparison import Comparison, TensorDifference

MOST, FILE = "most", "file"


class CompareView(OrderedChart):
    """Bars of how much tensors differ between two sides, the largest difference first.

    A side is a position in the history, or None for the other file.

    Signals
    -------
    comparisonRequested(object, object)
        The person wants these two sides compared; answer with `set_comparison`.
    otherFileRequested()
        The person wants a file as one of the sides; answer with `set_other`.
    otherFolderRequested()
        The person wants a folder as one of the sides; answer with `set_other`.
    differenceRequested(str)
        The person wants to see where this tensor differs.
    """

    comparisonRequested = Signal(object, object)
    otherFileRequested = Signal()
    otherFolderRequested = Signal()
    differenceRequested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._comparison: Comparison | None = None
        self._differing: tuple[TensorDifference, ...] = ()
        self._heights: Floats = np.zeros(0)
        self._cap: float | None = None  # where bars end that would squash all others
        self._shown_names: Mapping[str, str] = {}
        self._short = ShortNames()
        self._names_axis = NamesAxis()
        self.sides = SidesRow()
        orders = ((MOST, self.tr("Most different first")), (FILE, self.tr("In file order")))
        super().__init__(
            NumberAxis("bottom"),
            self._names_axis,
            orders,
            first=1,
            neutral=True,
            sideways=True,
            parent=parent,
        )
        self.measure_box = MeasureBox()
        self.measure_box.activated.connect(self._on_measure_chosen)
        boxes = QWidget()
        row = QHBoxLayout(boxes)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.measure_box)
        row.addWidget(self.order_box)
        self._control_row().addWidget(WrappingRow(self.sides, boxes, grows=True))
        self._add_table()
        self.has_legend = False  # there is one kind of bar only
        self.legend.hide()
        self.sides.changed.connect(self._on_sides_changed)
        self.sides.otherRequested.connect(self.otherFileRequested)
        self.sides.folderRequested.connect(self.otherFolderRequested)
        self._reorder()
        self._label()
        self.set_colors(self._colors)

    # What it is told.

    def set_points(self, items: Sequence[HistoryItem], position: int) -> None:
        """Take the states of the history that one may choose, and which one is the current.

        Where the person chose none yet, A is the first and B the current one.
        """
        self.sides.set_points(items, position)
        self._show_state()

    def set_other(self, label: str | None, *, original: bool = False) -> None:
        """Take the other file as the side for which the person wanted it; None for no file.

        Parameters
        ----------
        label
            What it is called.
        original
            Whether it is to be the base, A, as what the document was made of.
        """
        self.sides.set_other(label, original=original)
        self._show_state()

    def set_names(self, names: ShortNames) -> None:
        """Take the shorter forms of the names of the file."""
        self._short = names

    def set_shown_names(self, shown: Mapping[str, str]) -> None:
        """Take the names to show for the names in the file."""
        self._shown_names = shown

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show how two sides differ; None for no comparison."""
        names = [t.name for t in self._differing]
        self._comparison = comparison
        self._differing = comparison.differing if comparison else ()
        self._set_stem("", "comparison")
        self._measure()
        self._reorder()
        self._begin(keep_view=names == [t.name for t in self._differing])
        if comparison is not None:
            self.set_busy(False)

    def set_measure(self, key: str) -> None:
        """Show another measure: ``norm``, ``angle``, ``signs`` or ``zeros``."""
        self.measure_box.setCurrentIndex(self.measure_box.findData(key))
        self._on_measure_chosen()

    @property
    def wanted(self) -> tuple[Side, Side]:
        """The two sides: positions in the history, None for the other file."""
        return self.sides.wanted

    @property
    def measure(self) -> str:
        """The key of what the bars are."""
        return self.measure_box.measure

    # What it is.

    def title(self) -> str:
        """Say what kind of picture it is."""
        return self.tr("Differences of the tensors")

    def busy_text(self) -> str:
        """Say what is being done."""
        return self.tr("Comparing…")

    def empty_text(self) -> str:
        """Say what to do next."""
        found = self._comparison
        if found is not None and not found.tensors:
            return self.tr("Neither side has a tensor.")
        if found is not None:
            return self.tr("Nothing differs: all {n} tensors are equal.").format(
                n=count(len(found.tensors))
            )
        if self._instead:
            return self._instead
        if not self.sides.points:
            return self.tr(
                "Open a checkpoint to compare its states, or to compare it with another file."
            )
        if self.wanted[0] == self.wanted[1]:
            if self.sides.points == 1:
                return self.tr(
                    "There is only one state so far. Apply a pruning step, or choose another "
                    "file as B."
                )
            return self.tr("A and B are the same. Choose another state or file above.")
        return self.tr("Choose two states above to compare.")

    def number_of_bars(self) -> int:
        """Return how many tensors differ."""
        return len(self._differing)

    def ordered(self, key: str) -> NDArray[np.int64]:
        """Return the tensors in an order; those without a number last."""
        if key == FILE:
            return np.arange(self._heights.size)
        return np.argsort(-np.nan_to_num(self._heights, nan=-1.0), kind="stable")

    def order_label(self, key: str) -> str:
        """Say what stands along the axis."""
        if key == FILE:
            return self.tr("differing tensors, in file order")
        return self.tr("differing tensors, largest difference first")

    def stacks(self, start: int, stop: int, group: int) -> Stacks:
        """Return the measure; of several tensors the largest."""
        heights = np.nan_to_num(self._heights[self._order[start:stop]], nan=0.0)
        high = grouped_max(heights if self._cap is None else np.minimum(heights, self._cap), group)
        none = np.zeros_like(high)
        return Stacks(grouped_edges(self.edges(), start, stop, group), high, none, none)

    def highest(self) -> float:
        """Return how far the axis reaches: to the largest difference, or where bars are capped."""
        known = self._heights[~np.isnan(self._heights)]
        highest = float(known.max()) if known.size else 0.0
        return highest if self._cap is None else min(highest, self._cap)

    def widest_tick(self) -> str:
        """Return what the axis may show at most."""
        return self.measure_box.widest_tick()

    def tell(self, bar: int) -> str:
        """Say how a tensor differs."""
        t = self._differing[int(self._order[bar])]
        name = self._shown_names.get(t.name, t.name)
        if t.kind != "differs":
            return f"{name}:  {self._kind(t)}"
        facts = [
            self.tr("{share} of the weights differ").format(share=part(t.differing, t.numel)),
            self.tr("relative norm {value}").format(value=_share(t.relative)),
            self.tr("cosine {value}").format(value=_value(t.cosine)),
            self.tr("equal signs {value}").format(value=_share(t.same_sign)),
        ]
        if t.overlap is not None:
            facts.append(self.tr("shared zeros {value}").format(value=_share(t.overlap)))
        return f"{name}:  {', '.join(facts)}"

    def summary(self) -> str:
        """Say how many tensors differ."""
        found = self._comparison
        if found is None:
            return ""
        text = self.tr("{some} of {all} tensors differ").format(
            some=count(len(self._differing)), all=count(len(found.tensors))
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
            text += self.tr(";  {n} beyond the end of the axis").format(n=count(many))
        return text

    def numbers(self) -> Numbers:
        """Return the tensors that differ, in the order in which they are shown."""
        if self._comparison is None:
            return NOTHING
        headers = (
            self.tr("tensor"),
            self.tr("difference"),
            self.tr("weights that differ"),
            self.tr("relative norm"),
            self.tr("cosine"),
            self.tr("equal signs"),
            self.tr("shared zeros"),
        )

        differing, order, kinds = self._differing, self._order, self._kinds()

        def row(at: int) -> tuple[object, ...]:
            t = differing[int(order[at])]
            measured = (t.relative, t.cosine, t.same_sign, t.overlap)
            cells = (NO_NUMBER if m is None or t.kind != "differs" else m for m in measured)
            return t.name, kinds[t.kind], t.differing, *cells

        return Numbers(headers, len(differing), row)

    def choose(self, bar: int) -> None:
        """Announce that a difference is wanted, where there is one that can be seen."""
        t = self._differing[int(self._order[bar])]
        if t.kind == "differs":
            self.differenceRequested.emit(t.name)

    # How it works.

    def _kind(self, t: TensorDifference) -> str:
        return self._kinds()[t.kind]

    def _kinds(self) -> dict[str, str]:
        return {
            "same": self.tr("identical"),
            "differs": self.tr("differs"),
            "only a": self.tr("only in A"),
            "only b": self.tr("only in B"),
            "shape": self.tr("different shape or type, not compared"),
            "unread": self.tr("cannot be read, not compared"),
        }

    def _measure(self) -> None:
        self._heights = self.measure_box.heights(self._differing)
        self._cap = cap_of(self._heights)
        self._label()

    def _label(self) -> None:
        text = self.measure_box.axis_label()
        if self._cap is not None:
            text = self.tr("{measure}; longer bars end in ▶").format(measure=text)
        self.canvas.across.setLabel(text)

    def _reorder(self) -> None:
        super()._reorder()
        beyond: dict[int, str] = {}
        order = self._order
        if self._cap is not None:
            for bar in np.flatnonzero(self._heights[order] > self._cap).tolist():
                beyond[bar] = self.measure_box.text(float(self._heights[order[bar]]))
        self.canvas.set_capped(beyond)
        widest = max((self.measure_box.widest_text(), *beyond.values()), key=len)
        # The arrow of a bar that goes on needs room as well.
        self.canvas.set_values(self._value, f"{widest} ▶" if beyond else widest)
        self._names_axis.set_names(
            lambda at: self._shown_name(int(order[at])), order.size, self._short
        )

    def _shown_name(self, i: int) -> str:
        name = self._differing[i].name
        return self._shown_names.get(name, name)

    def _value(self, bar: int) -> tuple[float, str]:
        """Return where the bar of a tensor ends, and what stands behind it."""
        i = int(self._order[bar])
        height = float(self._heights[i])
        if self._differing[i].kind != "differs":
            return 0.0, self._kind(self._differing[i])
        if np.isnan(height) or (self._cap is not None and height > self._cap):
            return 0.0, ""  # nothing is known, or it stands beside the arrow
        return height, self.measure_box.text(height)

    def _on_measure_chosen(self) -> None:
        self._measure()
        self._reorder()
        self._begin(keep_view=True)

    def _on_sides_changed(self) -> None:
        self.set_comparison(None)
        a, b = self.wanted
        if a != b:
            self.comparisonRequested.emit(a, b)


def cap_of(heights: Floats) -> float | None:
    """Return where the axis is to end, if a few bars would squash all others; else None.

    An eighth of the bars, one at least, may be more than four times as high as the next: then
    the axis ends a quarter beyond that one.
    """
    known = np.sort(heights[heights > 0])[::-1]
    if known.size < 2:
        return None
    usual = float(known[max(1, known.size // 8)])
    return 1.25 * usual if known[0] > 4 * usual else None


def _share(value: float | None) -> str:
    return NO_NUMBER if value is None else percent(value)


def _value(value: float | None) -> str:
    return NO_NUMBER if value is None else value_text(value, 5)
