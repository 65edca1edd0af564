"""Charts whose bars can stand in more than one order."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QWidget

from pruneapp.gui.plots.chart.chart import Chart
from pruneapp.gui.plots.chart.items import Floats
from pruneapp.gui.widgets.controls import ComboBox


class OrderedChart(Chart):
    """Bars of width 1, one for each thing that has an index, in an order that a person chooses.

    Parameters
    ----------
    orders
        Key and label of each order; the first one is that of the index.
    first
        The place of the first bar on the axis.
    neutral
        Whether bars tell neither of what is kept nor of what is pruned, and have no such colour.
    sideways
        Whether bars lie below each other.
    """

    def __init__(
        self,
        bottom: pg.AxisItem,
        left: pg.AxisItem,
        orders: tuple[tuple[str, str], ...],
        *,
        first: int = 0,
        neutral: bool = False,
        sideways: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        self._order: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._first = first
        super().__init__(bottom, left, neutral=neutral, sideways=sideways, parent=parent)
        self.order_box = ComboBox()
        self.order_box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        for key, label in orders:
            self.order_box.addItem(label, key)
        self.order_box.setAccessibleName(self.tr("Order"))
        self.order_box.setToolTip(self.tr("Order of the bars"))
        self.order_box.activated.connect(self._on_order_chosen)

    @abstractmethod
    def number_of_bars(self) -> int:
        """Return how many bars there are."""

    @abstractmethod
    def ordered(self, key: str) -> NDArray[np.int64]:
        """Return ``int64[n]``: the index at each place of an order, equal ones as they were."""

    @abstractmethod
    def order_label(self, key: str) -> str:
        """Say what stands along the axis in an order."""

    @property
    def order(self) -> str:
        """The key of the order."""
        return str(self.order_box.currentData())

    def set_order(self, key: str) -> None:
        """Show another order."""
        with QSignalBlocker(self.order_box):
            self.order_box.setCurrentIndex(self.order_box.findData(key))
        self._on_order_chosen()

    def edges(self) -> Floats:
        """Return where the bars stand: around the number of their place."""
        size = self.number_of_bars()
        return np.arange(size + 1, dtype=np.float64) - 0.5 + self._first if size else np.zeros(1)

    def _reorder(self) -> None:
        """Bring the bars into their order; to be called before they are drawn."""
        self._order = self.ordered(self.order)
        self._show_grouping()

    def _show_grouping(self) -> None:
        if not self.canvas.sideways:  # names need no word, and there is no room for a long one
            self.canvas.along.setLabel(self.order_label(self.order))

    def _on_order_chosen(self) -> None:
        self._reorder()
        self.canvas.set_cursor(-1)
        self._draw()
        self._refresh_words()
        self._refresh_table()
