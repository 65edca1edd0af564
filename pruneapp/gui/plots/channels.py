"""The norms of a tensor's channels along a dimension, a cut through them, and hand work."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from pruneapp.gui.plots.base.readout_wording import value_text
from pruneapp.gui.plots.channels_channel_cut import ChannelCut
from pruneapp.gui.plots.channels_channel_ranks import ChannelRanks
from pruneapp.gui.plots.chart.items_marks import Marks
from pruneapp.gui.plots.chart.items_selection import Pick, Selection, runs
from pruneapp.gui.plots.edit_buttons import operation_of
from pruneapp.gui.plots.edit_buttons_hand_row import HandRow
from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.results.document_rows import Gesture, Operation
from pruneapp.results.tensor_statistics import ChannelNorms


class ChannelsView(ChannelCut):
    """Bars of norms with a cut, of which a person can choose some.

    Signals
    -------
    dimChanged(int)
        The person wants the channels along this dimension.
    normChanged(str)
        The person wants norms of this order: "1", "2", "inf".
    selectionChanged()
        Other channels are chosen.
    gestureMade(Gesture)
        The person wants something done to the chosen channels.
    """

    dimChanged = Signal(int)
    normChanged = Signal(str)
    selectionChanged = Signal()
    gestureMade = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._shape: tuple[int, ...] = ()
        self._selection = Selection()
        super().__init__(parent)
        self.dim_box = ComboBox()
        self.dim_box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        self.dim_box.setAccessibleName(self.tr("Dimension"))
        self.dim_box.setToolTip(self.tr("Dimension whose slices are the channels"))
        self.dim_box.activated.connect(self._on_dim_chosen)
        self.norm_box = ComboBox()
        self.norm_box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        for n in ("1", "2", "inf"):
            self.norm_box.addItem(self.norm_label(n), n)
        self.norm_box.setCurrentIndex(1)
        self.norm_box.setAccessibleName(self.tr("Norm"))
        self.norm_box.setToolTip(self.tr("Norm of the channels"))
        self.norm_box.activated.connect(self._on_norm_chosen)
        self.hand = HandRow((self.dim_box, self.norm_box, self.order_box))
        self.hand.operated.connect(self.make_gesture)
        self._control_row().addWidget(self.hand)
        self._add_table()
        self.canvas.selecting = True
        self.canvas.picked.connect(self._on_picked)
        self.canvas.banded.connect(self._on_banded)
        self._show_chosen()
        self.set_colors(self._colors)

    # What it is told.

    def set_dims(
        self, labels: Sequence[str], current: int = 0, *, shape: Sequence[int] = ()
    ) -> None:
        """Take the dimensions one may choose from, each with its meaning.

        Parameters
        ----------
        labels
            One for each dimension of the tensor: "0: output channels (64)".
        current
            Which one is shown.
        shape
            Of the tensor; without it nothing can be done by hand.
        """
        with QSignalBlocker(self.dim_box):
            self.dim_box.clear()
            self.dim_box.addItems(list(labels))
            self.dim_box.setCurrentIndex(current if labels else -1)
        self.dim_box.setEnabled(len(labels) > 1)
        self._shape = tuple(shape)
        self._show_chosen()

    @property
    def dim(self) -> int:
        """The dimension that is chosen; -1 for none."""
        return self.dim_box.currentIndex()

    def set_norm_choice(self, n: str) -> None:
        """Take the order of the norm that is measured: "2", "1", "inf", or any other."""
        n = n.removesuffix(".0")
        with QSignalBlocker(self.norm_box):
            if self.norm_box.findData(n) < 0:
                self.norm_box.addItem(self.norm_label(n), n)
            self.norm_box.setCurrentIndex(self.norm_box.findData(n))

    @property
    def norm_choice(self) -> str:
        """The order of the norm that is wanted, as text."""
        return str(self.norm_box.currentData())

    def set_norms(self, norms: ChannelNorms | None) -> None:
        """Show norms; None for no tensor."""
        before = self._norms
        same = (
            before is not None
            and norms is not None
            and (before.name, before.dim, before.norms.size)
            == (norms.name, norms.dim, norms.norms.size)
        )
        self._norms = norms
        self._ranks = None if norms is None else ChannelRanks(norms)
        self._set_stem(norms.name if norms else "", "channels")
        if norms is None:
            self._heights = np.zeros(0)
        else:
            assert self._ranks is not None
            self._heights = self._ranks.heights
            with QSignalBlocker(self.dim_box):
                self.dim_box.setCurrentIndex(norms.dim)
            self.set_norm_choice(norms.n)
            self.canvas.left.setLabel(self.norm_name())
            self._following = self.canvas.holding or not norms.going.any()
        if not same:
            self._selection.reset(self._heights.size)
        self._count_going()
        self._reorder()
        self._begin(keep_view=same)
        self._show_cut()
        self._show_chosen()
        if norms is not None:
            self.set_busy(False)

    @property
    def chosen(self) -> tuple[int, ...]:
        """The channels that are chosen, rising."""
        return tuple(int(i) for i in self._selection.indices)

    def set_chosen(self, channels: Sequence[int]) -> None:
        """Choose these channels."""
        self._selection.clear()
        self._selection.chosen[list(channels)] = True
        self._show_chosen()

    # What it says.

    def tell(self, bar: int) -> str:
        """Say what is known of a channel, and what is chosen."""
        text = super().tell(bar)
        return f"{text};  {self._chosen_text()}" if self._selection else text

    def summary(self) -> str:
        """Say how many channels there are, are pruned, would go, and are chosen."""
        text = super().summary()
        if self._selection and text:
            return f"{self._chosen_text()};  {text}"
        return f"{text};  {self.hand.words}" if self.hand.words and text else text

    # What is chosen.

    def _chosen_text(self) -> str:
        n = self._norms
        assert n is not None
        total = float(np.nansum(n.norms[self._selection.indices]))
        return self.tr("{channels}, {norm} {total} in all").format(
            channels=self.hand.words, norm=self.norm_name(), total=value_text(total, 4)
        )

    def _show_chosen(self) -> None:
        n = self._norms
        if n is None:
            self.canvas.set_marks(None)
            self.hand.set_chosen(0, possible=False)
            return
        guarded = np.zeros(n.norms.size, np.bool_) if n.guarded is None else n.guarded
        order = self._order
        self.canvas.set_marks(
            Marks(self._selection.chosen[order], guarded[order], self._heights[order])
        )
        self.hand.set_chosen(self._selection.indices.size, possible=bool(self._shape))
        self._refresh_words()

    def _on_order_chosen(self) -> None:
        super()._on_order_chosen()
        self._show_cut()
        self._show_chosen()

    def _on_picked(self, bar: int, how: Pick) -> None:
        self._selection.pick(bar, how, self._order)
        self._show_chosen()
        self.selectionChanged.emit()

    def _on_banded(self, start: int, stop: int, add: bool) -> None:
        self._selection.pick_range(start, stop, self._order, add=add)
        self._show_chosen()
        self.selectionChanged.emit()

    def drop_selection(self) -> None:
        """Choose none, as the person wants it."""
        if self._selection:
            self._selection.clear()
            self._show_chosen()
            self.selectionChanged.emit()

    def make_gesture(self, operation: Operation) -> None:
        """Announce what the person wants done to the chosen channels, in one box for each run."""
        n = self._norms
        if n is None or not self._selection or not self._shape:
            return
        boxes = tuple(
            tuple(run if dim == n.dim else (0, extent) for dim, extent in enumerate(self._shape))
            for run in runs(self._selection.chosen)
        )
        self.gestureMade.emit(Gesture(operation, n.name, boxes, "channel", n.dim))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Do by a key what the buttons do."""
        operation = operation_of(event)
        if operation is not None and self._selection:
            self.make_gesture(operation)
        elif event.key() == Qt.Key.Key_Escape and self._selection:
            self.drop_selection()
        else:
            super().keyPressEvent(event)

    def _on_dim_chosen(self, dim: int) -> None:
        self.dimChanged.emit(dim)

    def _on_norm_chosen(self, _index: int) -> None:
        self.normChanged.emit(self.norm_choice)
