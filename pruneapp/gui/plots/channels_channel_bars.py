"""Bars of the norms of a tensor's channels: what they are, and what is said of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from pruneapp.gui.plots.base.readout_legend import Swatch
from pruneapp.gui.plots.base.readout_wording import value_text
from pruneapp.gui.plots.channels_channel_ranks import ChannelRanks
from pruneapp.gui.plots.chart.axes_axis import NumberAxis, PlaceAxis
from pruneapp.gui.plots.chart.chart import grouped_edges
from pruneapp.gui.plots.chart.chart_envelope import envelope
from pruneapp.gui.plots.chart.chart_ordered import OrderedChart
from pruneapp.gui.plots.chart.items import Floats, Stacks
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.number_format import count, percent
from pruneapp.results.tensor_statistics import ChannelNorms

INDEX, NORM = "index", "norm"


@dataclass(frozen=True, eq=False)
class Remaining:
    """What is left of channels once a step is done; as now where none is asked for.

    Attributes
    ----------
    going
        ``bool[n]``: whether all that is left of a channel goes.
    norms, heights
        ``float64[n]``: the norm of what is left then, and how high that is drawn.
    kept
        ``float64[n]``: the share of the weights that is left then.
    """

    going: NDArray[np.bool_]
    norms: Floats
    heights: Floats
    kept: Floats


class ChannelBars(OrderedChart):
    """Bars of norms, in the order of the tensor or of the norms.

    A bar is as high as the norm of the whole channel, and split by what is left of it, in the
    measure of the axis: most of an L2 norm may be left of a channel that lost half of its weights.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        self._norms: ChannelNorms | None = None
        self._ranks: ChannelRanks | None = None
        self._after = Remaining(np.zeros(0, np.bool_), np.zeros(0), np.zeros(0), np.zeros(0))
        self._heights: Floats = np.zeros(0)
        orders = ((INDEX, self.tr("By index")), (NORM, self.tr("By norm")))
        super().__init__(PlaceAxis(), NumberAxis("left"), orders, parent=parent)

    def norm_name(self) -> str:
        """Return what is shown, in words: L2 norm."""
        words = {"fro": self.tr("Frobenius norm"), "nuc": self.tr("nuclear norm")}
        n = self._norms.n if self._norms else ""
        return words.get(n, self.tr("{label} norm").format(label=self.norm_label(n)))

    def norm_label(self, n: str) -> str:
        """Return the short name of a norm: L2."""
        n = n.removesuffix(".0")
        words = {"fro": self.tr("Frobenius"), "nuc": self.tr("nuclear"), "inf": "L∞", "-inf": "L−∞"}
        return words.get(n, f"L{n.replace('-', '−')}")

    def empty_text(self) -> str:
        """Say what to do where there is nothing to show."""
        return self._instead or self.tr("Select a tensor with two or more dimensions in the tree.")

    def busy_text(self) -> str:
        """Say what is being done."""
        return self.tr("Measuring channels…")

    def title(self) -> str:
        """Say what kind of picture it is."""
        return self.tr("Norms of the channels")

    def number_of_bars(self) -> int:
        """Return how many channels there are."""
        return self._heights.size

    def ordered(self, key: str) -> NDArray[np.int64]:
        """Return the channels in the order of the tensor or of the norms."""
        if key == INDEX or self._ranks is None:
            return np.arange(self._heights.size)
        return self._ranks.order

    def order_label(self, key: str) -> str:
        """Say what stands along the axis."""
        text = self.tr("channel")
        if key == NORM:
            text = self.tr("channels, sorted by norm")
        if self._group > 1:
            text = self.tr("{channels} (columns of {n}: the largest of each state)").format(
                channels=text, n=count(self._group)
            )
        return text

    def stacks(self, start: int, stop: int, group: int) -> Stacks:
        """Return norms, split by what is left of them; of several channels as `envelope` says."""
        assert self._ranks is not None
        chosen = self._order[start:stop]
        left, after = self._ranks.left[chosen], self._after.heights[chosen]
        edges = grouped_edges(self.edges(), start, stop, group)
        return envelope(edges, self._heights[chosen], left, after, group, self.highest())

    def highest(self) -> float:
        """Return the largest norm."""
        return float(self._heights.max()) if self._heights.size else 0.0

    def tell(self, bar: int) -> str:
        """Say what is known of a channel."""
        assert self._norms is not None
        channel = int(self._order[bar])
        return self.tr("channel {index}:  {norm} {value},  {state}").format(
            index=count(channel),
            norm=self.norm_name(),
            value=self._left_text(channel),
            state=state_words(self._norms, self._after, channel),
        )

    def _left_text(self, channel: int) -> str:
        """Say the norm, of which whole it is what is left, and what a preview leaves."""
        n = self._norms
        assert n is not None
        whole, left, after = (
            float(norms[channel]) for norms in (n.norms, n.left, self._after.norms)
        )
        text = value_text(left, 5)
        if n.kept[channel] < 1:
            text = self.tr("{left} of {whole}").format(left=text, whole=value_text(whole, 5))
            if 0 < left < whole < np.inf:
                text += f" ({percent(left / whole)})"
        if 0 < self._after.kept[channel] < n.kept[channel]:
            text += self.tr(", {after} after the step").format(after=value_text(after, 5))
            if 0 < after < whole < np.inf:
                text += f" ({percent(after / whole)})"
        return text

    def summary(self) -> str:
        """Say how many channels there are, and how many are pruned and going."""
        n = self._norms
        if n is None:
            return ""
        guarded = 0 if n.guarded is None else int(n.guarded.sum())
        partly = int(((n.kept > 0) & (n.kept < 1)).sum())
        facts = (
            (self.tr("{n} pruned"), int((n.kept == 0).sum())),
            (self.tr("{n} partly pruned"), partly),
            (self.tr("{n} to be pruned"), int(self._after.going.sum())),
            (self.tr("{n} protected"), guarded),
        )
        found = ", ".join(words.format(n=count(many)) for words, many in facts if many)
        channels = self.tr("{n} channels").format(n=count(n.norms.size))
        return f"{channels}: {found or self.tr('all kept')}"

    def swatches(self) -> list[Swatch]:
        """Return the legend."""
        found = [
            Swatch(self.tr("kept"), (self._colors["kept"],)),
            Swatch(self.tr("pruned"), (self._colors["pruned"],)),
        ]
        n, line = self._norms, self.canvas.line
        if line is not None or (n is not None and bool((self._after.kept < n.kept).any())):
            found.append(Swatch(self.tr("to be pruned"), (self._colors["pruned"],), hatched=True))
        guarded = None if self._norms is None else self._norms.guarded
        if guarded is not None and guarded.any():
            found.append(Swatch(self.tr("protected"), (self._colors["surface"],), outlined=True))
        return found

    def numbers(self) -> Numbers:
        """Return the channels, in the order in which they are shown."""
        n = self._norms
        if n is None:
            return NOTHING
        order = self._order

        def row(i: int) -> tuple[object, ...]:
            channel = int(order[i])
            columns = n.norms, n.left, after.norms, n.kept, after.kept
            values = (float(column[channel]) for column in columns)
            return channel, *values, state_words(n, after, channel)

        norm, after = self.norm_name(), self._after
        headers = (
            self.tr("channel"),
            norm,
            self.tr("{norm} left").format(norm=norm),
            self.tr("{norm} after the step").format(norm=norm),
            self.tr("share of weights kept"),
            self.tr("share kept after the step"),
            self.tr("state"),
        )
        preview = bool((after.kept < n.kept).any())
        shown = None if preview else (0, 1, 2, 4, 6)
        return Numbers(headers, n.norms.size, row, shown=shown)


def state_words(norms: ChannelNorms, after: Remaining, channel: int) -> str:
    """Say what is left of a channel, and what will be; in any thread."""
    share, then = float(norms.kept[channel]), float(after.kept[channel])
    if after.going[channel]:
        words = _tr("to be pruned")
    elif share == 0:
        words = _tr("pruned")
    elif then == 1:
        words = _tr("kept")
    elif then < share:
        words = _tr("{now} of its weights kept, {then} after the step").format(
            now=percent(share), then=percent(then)
        )
    else:
        words = _tr("{share} of its weights kept").format(share=percent(share))
    if norms.guarded is not None and norms.guarded[channel]:
        words = _tr("{state}, protected").format(state=words)
    return words


def _tr(text: str) -> str:
    return QCoreApplication.translate("ChannelBars", text)
