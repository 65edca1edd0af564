"""Bars of the norms of a tensor's channels: what they are, and what is said of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QWidget

from pruneapp.answers import ChannelNorms
from pruneapp.gui.views.parts.numbers import count, percent
from pruneapp.gui.views.pictures.channel_ranks import ChannelRanks
from pruneapp.gui.views.pictures.chart.axis import NumberAxis, PlaceAxis
from pruneapp.gui.views.pictures.chart.bars import Floats, Stacks
from pruneapp.gui.views.pictures.chart.chart import grouped_edges, grouped_max, grouped_sum
from pruneapp.gui.views.pictures.chart.ordered import OrderedChart
from pruneapp.gui.views.pictures.frame.legend import Swatch
from pruneapp.gui.views.pictures.frame.table import NOTHING, Numbers
from pruneapp.gui.views.pictures.frame.wording import value_text

INDEX, NORM = "index", "norm"


class ChannelBars(OrderedChart):
    """Bars of norms, in the order of the tensor or of the norms, pruned ones apart in colour."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._norms: ChannelNorms | None = None
        self._ranks: ChannelRanks | None = None
        self._going: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
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
        return self._instead or self.tr("Choose a tensor of two or more dimensions in the tree.")

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
        if key == NORM:
            return self.tr("channels, the smallest norm first")
        return self.tr("channel")

    def stacks(self, start: int, stop: int, group: int) -> Stacks:
        """Return norms, split by the share that is kept; of several channels the largest."""
        assert self._norms is not None
        chosen = self._order[start:stop]
        kept, going = self._norms.kept[chosen], self._going[chosen]
        sizes = grouped_sum(np.ones(chosen.size), group)
        high = grouped_max(self._heights[chosen], group)
        leaving = grouped_sum(np.where(going, kept, 0.0), group) / sizes
        staying = grouped_sum(np.where(going, 0.0, kept), group) / sizes
        return Stacks(
            grouped_edges(self.edges(), start, stop, group),
            high * staying,
            high * leaving,
            high * np.clip(1 - staying - leaving, 0, 1),
        )

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
            value=value_text(float(self._norms.norms[channel]), 5),
            state=self._state(channel),
        )

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
            (self.tr("{n} would go"), int(self._going.sum())),
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
        if self._going.any() or self.canvas.line is not None:
            found.append(Swatch(self.tr("would go"), (self._colors["pruned"],), hatched=True))
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
            share = float(n.kept[channel])
            return channel, float(n.norms[channel]), share, self._state(channel)

        headers = (self.tr("channel"), self.norm_name(), self.tr("share kept"), self.tr("state"))
        return Numbers(headers, n.norms.size, row)

    def _state(self, channel: int) -> str:
        assert self._norms is not None
        share = float(self._norms.kept[channel])
        if self._going[channel]:
            words = self.tr("would go")
        elif share == 0:
            words = self.tr("pruned")
        elif share == 1:
            words = self.tr("kept")
        else:
            words = self.tr("{share} kept").format(share=percent(share))
        guarded = self._norms.guarded
        if guarded is not None and guarded[channel]:
            words = self.tr("{state}, protected").format(state=words)
        return words
