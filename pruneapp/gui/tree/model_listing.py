"""The children of modules as they are shown: filtered, sorted, and fetched bit by bit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pruneapp.gui.tree.cell_text import Cells, Column
from pruneapp.gui.tree.model_filter import Filter
from pruneapp.gui.tree.nodes import ROOT

# Longer lists of siblings are shown bit by bit: Qt asks for every one of them at once.
_FLAT = 20_000
MORE = 2_000


class Order(NamedTuple):
    """What siblings are sorted by; column -1 is the order of the file."""

    column: int = -1
    descending: bool = False


class Listing:
    """Lists of siblings; each is made when it is first asked for.

    Parameters
    ----------
    cells
        What the cells say, which siblings are sorted by.
    wanted
        What the filter asks for.
    order
        How siblings are sorted.
    flat
        Whether all tensors are listed below the root, without the modules and further names.

    Attributes
    ----------
    shown
        ``bool[nodes]``: which names of tensors answer to the filter; False for modules.
    shown_below
        ``int64[nodes]``: how many of them there are below each node.
    """

    def __init__(self, cells: Cells, wanted: Filter, order: Order, *, flat: bool = False) -> None:
        self._nodes = cells.nodes
        self._cells = cells
        self.flat = flat
        self.filter = wanted
        self.shown = wanted.shown(self._nodes)
        self.shown_below = self._nodes.count_below(self.shown)
        self.sort(order)

    def sort(self, order: Order) -> None:
        """Sort siblings otherwise, and forget how much of them was fetched."""
        self.order = order
        self._lists: dict[int, NDArray[np.int32]] = {}
        # Of each list as much as is fetched; plain lists, for one is asked for in every row.
        self._fetched: dict[int, list[int]] = {}
        self._row = np.zeros(len(self._nodes), np.int32)

    def listed(self) -> Iterable[int]:
        """Return the nodes whose children were asked for, in the order in which they were."""
        return self._lists.keys()

    def children(self, node: int) -> NDArray[np.int32]:
        """Return the children of `node` that are shown, sorted as they are shown."""
        found = self._lists.get(node)
        if found is None:
            if self.flat:
                found = self._all_sorted() if node == ROOT else np.empty(0, np.int32)
            else:
                children = self._nodes.children_of(node)
                found = self._sorted(children[self.shown_below[children] > 0])
            self._lists[node] = found
            self._row[found] = np.arange(len(found))
        return found

    def row(self, node: int) -> int:
        """Return the place of a node among its siblings, once these were asked for."""
        return int(self._row[node])

    def rows(self, nodes: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the place of each of some nodes among its siblings, as `row` does."""
        return self._row[nodes]

    def fetched(self, node: int) -> list[int]:
        """Return the children of `node` that are fetched; others must not change the list."""
        found = self._fetched.get(node)
        if found is None:
            children = self.children(node)
            found = children[: len(children) if len(children) <= _FLAT else MORE].tolist()
            self._fetched[node] = found
        return found

    def missing(self, node: int, wanted: int) -> list[int]:
        """Return those of the first `wanted` children of `node` that are not fetched."""
        more: list[int] = self.children(node)[len(self.fetched(node)) : wanted].tolist()
        return more

    def fetch(self, node: int, more: Sequence[int]) -> None:
        """Take these children of `node`, the `missing` ones, as fetched."""
        self.fetched(node).extend(more)

    def tensor_order(self) -> list[int]:
        """Return the nodes of the tensors from top to bottom as shown, further names left out."""
        if self.flat:
            listed: list[int] = self.children(ROOT).tolist()
            return listed
        wanted = self.shown & ~self._nodes.alias
        if self.order.column < 0:
            return np.nonzero(wanted)[0].tolist()
        found, stack = [], [ROOT]
        while stack:
            node = stack.pop()
            if wanted[node]:
                found.append(node)
            elif self._nodes.tensor[node] < 0:
                stack.extend(self.children(node)[::-1].tolist())
        return found

    def _all_sorted(self) -> NDArray[np.int32]:
        """Return the nodes of all tensors that are shown; 100,000 are sorted in milliseconds."""
        nodes, (column, descending) = self._nodes, self.order
        tensors = np.flatnonzero(self.shown[nodes.leaf])
        if column >= 0:
            keys = self._tensor_keys(column)[tensors]
            # Stable both ways: equal ones keep the order of the file.
            tensors = tensors[np.argsort(-keys if descending else keys, kind="stable")]
        return nodes.leaf[tensors]

    def _tensor_keys(self, column: int) -> NDArray[np.float64] | NDArray[np.int64]:
        """Return numbers that tensors are sorted by, one for each."""
        nodes = self._nodes
        if column == Column.NAME:
            return nodes.place.astype(np.int64)
        if column == Column.PARAMETERS:
            return nodes.parameters
        if column == Column.TO_PRUNE:
            return self._cells.to_prune()[nodes.leaf]
        if column == Column.SPARSITY:
            return self._cells.sparsity(nodes.leaf)
        field = {Column.KIND: "kind", Column.SHAPE: "shape", Column.TYPE: "dtype"}[Column(column)]
        values: list[Any] = list(map(attrgetter(field), nodes.rows))
        rank = {value: number for number, value in enumerate(sorted(set(values)))}
        return np.fromiter(map(rank.__getitem__, values), np.int64, len(values))

    def _sorted(self, children: NDArray[np.int32]) -> NDArray[np.int32]:
        column, descending = self.order
        if column < 0 or len(children) < 2:
            return children
        keys: Sequence[Any]
        if column == Column.PARAMETERS:
            keys = self._cells.parameters_below[children].tolist()
        elif column == Column.TO_PRUNE:
            keys = self._cells.to_prune()[children].tolist()
        elif column == Column.SPARSITY:
            keys = self._cells.sparsity(children).tolist()
        elif column == Column.NAME:
            keys = [_natural(self._nodes.labels[node]) for node in children.tolist()]
        else:
            keys = [self._cells.text(node, column) for node in children.tolist()]
        # Stable both ways: equal ones keep the order of the file.
        order = sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)
        return children[np.array(order, np.int64)]


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Return a key by which "layer2" comes before "layer10"."""
    return [
        (0, int(piece[:18]), piece) if piece.isdecimal() else (1, 0, piece.lower())
        for piece in re.split(r"(\d+)", text)
        if piece
    ]
