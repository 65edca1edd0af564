"""The norms of a tensor's channels along a dimension, and which channels are pruned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from pruneapp.answers import ChannelNorms
from pruneapp.gui.views.parts.numbers import count, percent
from pruneapp.gui.views.pictures.chart.axis import PlaceAxis
from pruneapp.gui.views.pictures.chart.bars import Floats, Stacks
from pruneapp.gui.views.pictures.chart.chart import Chart, grouped_edges, grouped_max, grouped_sum
from pruneapp.gui.views.pictures.frame.legend import Swatch
from pruneapp.gui.views.pictures.frame.table import NOTHING, Numbers
from pruneapp.gui.views.pictures.frame.wording import value_text


class ChannelsView(Chart):
    """Bars of norms, by index or sorted.

    Signals
    -------
    dimChanged(int)
        The person wants the channels along this dimension.
    channelClicked(int)
        The person chose the channel with this index.
    """

    dimChanged = Signal(int)
    channelClicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._norms: ChannelNorms | None = None
        self._heights: Floats = np.zeros(0)
        self._order = np.zeros(0, dtype=np.int64)
        super().__init__(PlaceAxis(), pg.AxisItem("left"), parent)
        self.dim_box = QComboBox()
        self.dim_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.dim_box.setMinimumContentsLength(12)
        self.dim_box.setAccessibleName(self.tr("Dimension"))
        self.dim_box.setToolTip(self.tr("The dimension whose slices are channels"))
        self.dim_box.activated.connect(self._on_dim_chosen)
        self.sort_box = QCheckBox(self.tr("Sorted"))
        self.sort_box.setToolTip(self.tr("The smallest norm first"))
        self.sort_box.toggled.connect(self._on_sort_toggled)
        row = self._control_row()
        row.addStretch(1)
        row.addWidget(self.dim_box)
        row.addWidget(self.sort_box)
        self._add_table()
        self.set_colors(self._colors)

    def set_dims(self, labels: Sequence[str], current: int = 0) -> None:
        """Take the dimensions one may choose from, each with its meaning.

        Parameters
        ----------
        labels
            One for each dimension of the tensor: "0: output channels (64)".
        current
            Which one is shown.
        """
        with QSignalBlocker(self.dim_box):
            self.dim_box.clear()
            self.dim_box.addItems(list(labels))
            self.dim_box.setCurrentIndex(current if labels else -1)
        self.dim_box.setEnabled(len(labels) > 1)

    @property
    def dim(self) -> int:
        """The dimension that is chosen; -1 for none."""
        return self.dim_box.currentIndex()

    def set_norms(self, norms: ChannelNorms | None) -> None:
        """Show norms; None for no tensor."""
        before = self._norms
        self._norms = norms
        self._set_stem(norms.name if norms else "", "channels")
        if norms is None:
            self._heights = np.zeros(0)
        else:
            finite = np.isfinite(norms.norms)
            highest = float(norms.norms[finite].max()) if finite.any() else 1.0
            # Infinite ones reach the top; NaN has no height but a row in the table.
            self._heights = np.nan_to_num(np.abs(norms.norms), nan=0.0, posinf=highest)
            with QSignalBlocker(self.dim_box):
                self.dim_box.setCurrentIndex(norms.dim)
            self.canvas.left.setLabel(self.norm_name())
        self._sort()
        self._begin(
            keep_view=before is not None
            and norms is not None
            and (before.name, before.dim) == (norms.name, norms.dim)
        )
        if norms is not None:
            self.set_busy(False)

    def set_sorted(self, by_norm: bool) -> None:
        """Show the smallest norm first, or the order of the tensor."""
        with QSignalBlocker(self.sort_box):
            self.sort_box.setChecked(by_norm)
        self._on_sort_toggled()

    def norm_name(self) -> str:
        """Return what is shown, in words: L2 norm."""
        n = self._norms.n if self._norms else ""
        words = {
            "fro": self.tr("Frobenius norm"),
            "nuc": self.tr("nuclear norm"),
            "inf": self.tr("L∞ norm"),
            "-inf": self.tr("L−∞ norm"),
        }
        return words.get(n, self.tr("L{n} norm").format(n=n.removesuffix(".0").replace("-", "−")))

    def empty_text(self) -> str:
        """Say what to do where there is nothing to show."""
        return self.tr("Choose a tensor of two or more dimensions in the tree.")

    def busy_text(self) -> str:
        """Say what is being done."""
        return self.tr("Measuring channels…")

    def title(self) -> str:
        """Say what kind of picture it is."""
        return self.tr("Norms of the channels")

    def edges(self) -> Floats:
        """Return where the bars stand: around the number of their place."""
        size = self._heights.size
        return np.arange(size + 1, dtype=np.float64) - 0.5 if size else np.zeros(1)

    def stacks(self, start: int, stop: int, group: int) -> Stacks:
        """Return norms, split by the share that is kept; of several channels the largest."""
        assert self._norms is not None
        chosen = self._order[start:stop]
        kept, going = self._norms.kept[chosen], self._norms.going[chosen]
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
        """Say how many channels there are, and how many are pruned."""
        n = self._norms
        if n is None:
            return ""
        pruned, going = int((n.kept == 0).sum()), int(n.going.sum())
        partly = int(((n.kept > 0) & (n.kept < 1)).sum())
        text = self.tr("{n} channels: {pruned} pruned, {partly} partly").format(
            n=count(n.norms.size), pruned=count(pruned), partly=count(partly)
        )
        if going:
            text += self.tr(", {going} would go").format(going=count(going))
        return text

    def swatches(self) -> list[Swatch]:
        """Return the legend."""
        found = [
            Swatch(self.tr("kept"), (self._colors["kept"],)),
            Swatch(self.tr("pruned"), (self._colors["pruned"],)),
        ]
        if self._norms is not None and self._norms.going.any():
            found.append(Swatch(self.tr("would go"), (self._colors["pruned"],), hatched=True))
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

    def choose(self, bar: int) -> None:
        """Announce a channel."""
        self.channelClicked.emit(int(self._order[bar]))

    def _state(self, channel: int) -> str:
        assert self._norms is not None
        share = float(self._norms.kept[channel])
        if self._norms.going[channel]:
            return self.tr("would go")
        if share == 0:
            return self.tr("pruned")
        return (
            self.tr("kept") if share == 1 else self.tr("{share} kept").format(share=percent(share))
        )

    def _sort(self) -> None:
        if self.sort_box.isChecked():
            # Equal norms stay in the order of the tensor, as they are pruned; NaN is largest.
            self._order = np.argsort(
                self._norms.norms if self._norms else self._heights, kind="stable"
            )
        else:
            self._order = np.arange(self._heights.size)
        self.canvas.bottom.setLabel(
            self.tr("channels, the smallest norm first")
            if self.sort_box.isChecked()
            else self.tr("channel")
        )

    def _on_sort_toggled(self) -> None:
        self._sort()
        self.canvas.set_cursor(-1)
        self._draw()
        self._refresh_words()
        self._refresh_table()

    def _on_dim_chosen(self, dim: int) -> None:
        self.dimChanged.emit(dim)
