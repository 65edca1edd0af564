"""The page Graph: the operators of an ONNX model or a torch.export program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from pruneapp.gui.plots.base.plot_view import PlotView
from pruneapp.gui.plots.base.readout import Swatch
from pruneapp.gui.plots.graph.graph_canvas import GraphCanvas
from pruneapp.gui.plots.graph.graph_layout import PlacedGraph
from pruneapp.gui.widgets.clipboard import NOTHING, Numbers
from pruneapp.gui.widgets.labels import (
    MUTED,
    ElidedLabel,
    as_sentence,
    join_facts,
    join_names,
    join_sentences,
)
from pruneapp.gui.widgets.number_format import count, part

_MAX_NAMES = 3  # of the operators before and after one, in a description


class GraphView(PlotView):
    """Operators in layers, with the sparsity of their weights; a click selects the tensor."""

    tensorClicked = Signal(str)  # the user chose an operator that reads this tensor

    def __init__(self) -> None:
        self._graph: PlacedGraph | None = None
        # Weights of each operator: pruned, and all; 0 without weights.
        self._pruned, self._numel = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._node_of: dict[str, int] = {}
        self.canvas = GraphCanvas()
        super().__init__(self.canvas)
        self._busy_text = self.tr("Reading the graph…")
        self.legend_may_go = True
        hint = self.tr("Scroll to zoom, drag to move; the arrow keys follow the edges.")
        self._row.addWidget(ElidedLabel(hint, ink=MUTED))
        self.canvas.nodeHovered.connect(self._show_node)
        self.canvas.currentMoved.connect(self._announce)
        self.canvas.nodeChosen.connect(self._on_chosen)
        self._set_stem("", "graph")
        self.set_colors(self._colors)

    def empty_text(self) -> str:
        return self._empty_text or self.tr("Only ONNX and .pt2 files contain a graph.")

    def set_graph(self, graph: PlacedGraph | None, numel: Sequence[int] = ()) -> None:
        """Show a graph, in which nothing is pruned; None clears the page. Ends the busy state.

        `numel` is the number of weights of each operator; 0 if it has none that can be pruned.
        """
        self._graph, self._numel = graph, np.array(numel, np.int64)
        operators = () if graph is None else graph.operators
        self._node_of = {}
        for node, operator in enumerate(operators):
            for tensor in operator.tensors:
                self._node_of.setdefault(tensor, node)
        self.canvas.set_graph(graph)
        self._set_content(present=bool(operators))
        self.set_busy(False)
        self.set_pruned([0] * len(operators))

    def set_pruned(self, pruned: Sequence[int]) -> None:
        """Set the number of pruned weights of each operator."""
        self._pruned = np.array(pruned, np.int64)
        shares = np.where(self._numel, self._pruned / np.maximum(self._numel, 1), np.nan)
        self.canvas.set_shares(shares)
        self.refresh()

    def set_current(self, name: str) -> None:
        """Mark an operator that reads a tensor, and move it into view; "" for none."""
        current, graph = self.canvas.current, self._graph
        if graph is None or current < 0 or name not in graph.operators[current].tensors:
            self.canvas.set_current(self._node_of.get(name, -1))
        self._show_node(-1)

    def refresh(self) -> None:
        """Update texts, legend and table."""
        self._set_legend(
            [
                Swatch(self.tr("kept"), (self._colors["kept"],)),
                Swatch(self.tr("pruned"), (self._colors["pruned"],)),
                Swatch(self.tr("no weights"), (self._colors["border"],)),
            ]
        )
        self._show_node(-1)
        self._refresh_table()

    def numbers(self) -> Numbers:
        if self._graph is None:
            return NOTHING
        operators, labels = self._graph.operators, self._graph.labels
        pruned, numel = self._pruned, self._numel

        def row(node: int) -> tuple[object, ...]:
            operator, weights = operators[node], int(numel[node])
            share = int(pruned[node]) / weights if weights else None
            tensor = next(iter(operator.tensors), "")
            return labels[node], operator.name, tensor, weights, share

        headers = (
            self.tr("operator"),
            self.tr("name"),
            self.tr("tensor"),
            self.tr("weights"),
            self.tr("sparsity"),
        )
        # The other columns would leave no room for the label, which contains most of them.
        return Numbers(headers, len(operators), row, shown=(0, 3, 4), shares=frozenset({4}))

    def _words(self, node: int) -> str:
        """Return an operator in words: its kind, name and sparsity, and what it is linked to."""
        assert self._graph is not None
        operator, layout = self._graph.operators[node], self._graph.layout
        share = ""
        if self._numel[node]:
            share = part(int(self._pruned[node]), int(self._numel[node]))
            share = self.tr("{share} pruned").format(share=share)
        before, _ = layout.trace(node, layout.above)
        after, _ = layout.trace(node, layout.below)
        return join_facts(
            self._graph.labels[node] if operator.tensors else f"{operator.op} {operator.name}",
            share,
            self.tr("after {names}").format(names=self._names(before)) if before else "",
            self.tr("before {names}").format(names=self._names(after)) if after else "",
        )

    def _names(self, nodes: Sequence[int]) -> str:
        assert self._graph is not None
        names = [self._graph.labels[node] for node in sorted(nodes)]
        return join_names(*names[:_MAX_NAMES], "…" if len(names) > _MAX_NAMES else "")

    @Slot(int)
    def _show_node(self, node: int) -> None:
        """Show an operator in the readout; -1 for the current one, or the summary without one."""
        graph, current = self._graph, self.canvas.current
        if graph is None:
            self._describe(self.tr("Graph of the model"), "")
            self.readout.setText("")
            return
        summary = self.tr("{n} operators, {weights} with weights").format(
            n=count(len(graph.operators)), weights=count(int(np.count_nonzero(self._numel)))
        )
        here = self._words(current) if current >= 0 else summary
        keys = self.tr("Press an arrow key to follow the edges, Return to select the tensor.")
        self._describe(self.tr("Graph of the model"), join_sentences(as_sentence(here), keys))
        self.readout.setText(here if node < 0 else self._words(node))

    @Slot(int)
    def _announce(self, node: int) -> None:
        self._show_node(node)
        if QAccessible.isActive():
            event = QAccessibleAnnouncementEvent(self.canvas, self._words(node))
            QAccessible.updateAccessibility(event)

    @Slot(int)
    def _on_chosen(self, node: int) -> None:
        assert self._graph is not None
        self._show_node(node)
        for tensor in self._graph.operators[node].tensors[:1]:
            self.tensorClicked.emit(tensor)
