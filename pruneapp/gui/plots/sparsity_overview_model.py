"""How much of every tensor of the model is pruned, and would be; where its bytes are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pruneapp.gui.plots.chart.size_strip import SizeStrip
from pruneapp.gui.plots.sparsity_overview import ModelBars
from pruneapp.gui.plots.sparsity_overview_model_numbers import NO_NUMBERS, laid_out, model_numbers
from pruneapp.gui.widgets.number_format import count, size
from pruneapp.results.document_rows_tensor_row import TensorRow
from pruneapp.results.sparsity_report import SparsityReport


class ModelView(ModelBars):
    """Bars of the tensors, above a strip of the whole file.

    Signals
    -------
    tensorClicked(str)
        The person chose the tensor of this name.
    """

    tensorClicked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._tensors: Sequence[TensorRow] = ()
        self._pointed = -1
        self._placed: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._placed_names: tuple[str, ...] = ()
        super().__init__(parent)
        self.legend_in_corner = False  # there its axis says what is measured
        self.strip = SizeStrip()
        self.strip.hovered.connect(self._on_pointed)
        self.strip.chosen.connect(self._on_strip_chosen)
        self._add_row(self.strip)
        self.set_colors(self._colors)

    # What it is told.

    def set_tensors(self, rows: Sequence[TensorRow]) -> None:
        """Take all tensors of the file, in its order: what they are called and how large they are.

        Told before the report; the same ones again cost nothing.
        """
        if rows is self._tensors:
            return
        self._tensors = rows
        self._by_name = {row.name: row for row in rows}
        self.strip.set_sizes(*laid_out(rows))
        words = self.tr("{n} tensors, {size}")
        self.strip.setAccessibleDescription(
            words.format(n=count(len(rows)), size=size(int(self.strip.total)))
        )
        self._placed, self._placed_names = np.zeros(0, dtype=np.int64), ()
        self._pointed = -1

    def set_report(
        self, report: SparsityReport | None, preview: SparsityReport | None = None
    ) -> None:
        """Show the sparsity of tensors.

        Parameters
        ----------
        report
            The tensors to show, as they are: `after` is what is pruned now. None for no model.
        preview
            What a step would do to some of them.
        """
        names = self._numbers.names
        self._report = report
        if report is None:
            self._numbers = NO_NUMBERS
        else:
            self._numbers = model_numbers(report, preview, self._by_name, self._numbers)
        self._tell_strip()
        self._set_stem("", "sparsity")
        self._reorder()
        self._begin(keep_view=names == self._numbers.names)
        if report is not None:
            self.set_busy(False)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the colours of a theme by token, and paint anew."""
        super().set_colors(colors)
        self.strip.set_colors(self._colors)

    def choose(self, bar: int) -> None:
        """Announce a tensor."""
        self.tensorClicked.emit(self._numbers.names[int(self._order[bar])])

    # How it works.

    def _tell_strip(self) -> None:
        n = self._numbers
        if n.names is not self._placed_names:
            # Where the tensors of the report are in the file: the same for every step.
            place = {row.name: at for at, row in enumerate(self._tensors)}
            found = (place.get(name, -1) for name in n.names)
            self._placed = np.fromiter(found, np.int64, len(n.names))
            self._placed_names = n.names
        here = self._placed >= 0
        before, after = np.zeros(len(self._tensors)), np.zeros(len(self._tensors))
        before[self._placed[here]] = (n.before / np.maximum(n.numel, 1))[here]
        after[self._placed[here]] = n.shares[here]
        self.strip.set_shares(before, after)
        self.strip.setVisible(self.strip.total > 0 and self._report is not None)

    def _refresh_readout(self) -> None:
        if self._pointed < 0 or self._hovered >= 0 or not self._has_content:
            super()._refresh_readout()
            return
        row = self._tensors[self._pointed]
        found = np.flatnonzero(self._placed == self._pointed)
        if found.size:
            self.readout.setText(self._words(int(found[0])))
        else:
            self.readout.setText(
                self.tr("{name}:  {size}, {why}").format(
                    name=row.shown,
                    size=size(row.nbytes),
                    why=row.why_not or self.tr("not pruned"),
                )
            )

    def _on_pointed(self, tensor: int) -> None:
        self._pointed = tensor
        self._refresh_readout()

    def _on_strip_chosen(self, tensor: int) -> None:
        self.tensorClicked.emit(self._tensors[tensor].name)
