"""Which tensors are checked, and what a module's check mark says of those below it.

A click on a module is meant for what is pruned by default below it, and where there is nothing of
that (a module of embeddings) for all tensors of two and more dimensions. Biases and norms are
checked one by one. So a module is "checked" as soon as everything that its click would check is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from pruneapp.gui.tree.nodes import Nodes
from pruneapp.results.document_rows_tensor_row import TensorRow

State = Qt.CheckState


class Checks:
    """The check marks of a tree.

    Parameters
    ----------
    nodes
        The tree.

    Attributes
    ----------
    checked
        ``bool[rows]``: the tensors that are checked, shown or not.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self.checked: NDArray[np.bool_] = nodes.by_default.copy()
        self._shown = np.ones(len(nodes.rows), np.bool_)
        self._count()

    def limit(self, shown: NDArray[np.bool_]) -> None:
        """Take note of which nodes are shown: a click reaches only those (``bool[nodes]``)."""
        self._shown = shown[self._nodes.leaf]
        self._count()

    def _count(self) -> None:
        nodes = self._nodes
        can = nodes.prunable & self._shown
        matrices = nodes.matrices & self._shown
        usual = matrices & nodes.by_default
        self._can = nodes.below(can)
        self._usual = nodes.below(usual)
        self._checked = nodes.below(can & self.checked)
        self._usual_checked = nodes.below(usual & self.checked)
        self._matrices = nodes.below(matrices)
        self._matrices_checked = nodes.below(matrices & self.checked)

    def state(self, node: int) -> State | None:
        """Return the mark of a node; None if nothing below it can be pruned, or it is an alias."""
        nodes = self._nodes
        tensor = int(nodes.tensor[node])
        if tensor >= 0:
            if nodes.alias[node] or not nodes.prunable[tensor]:
                return None
            return State.Checked if self.checked[tensor] else State.Unchecked
        if not self._can[node]:
            return None
        if not self._checked[node]:
            return State.Unchecked
        if self._usual[node]:
            complete = self._usual_checked[node] == self._usual[node]
        elif self._matrices[node]:
            complete = self._matrices_checked[node] == self._matrices[node]
        else:
            complete = self._checked[node] == self._can[node]
        return State.Checked if complete else State.PartiallyChecked

    def reached(self, node: int) -> NDArray[np.bool_]:
        """Return ``bool[rows]``: the tensors that a click on an unchecked `node` checks.

        None of a module that holds only norms and biases.
        """
        nodes = self._nodes
        tensor = int(nodes.tensor[node])
        if tensor >= 0:
            found: NDArray[np.bool_] = np.zeros(len(nodes.rows), np.bool_)
            found[tensor] = nodes.prunable[tensor] and not nodes.alias[node]
            return found
        matrices: NDArray[np.bool_] = self.below(node) & nodes.matrices
        usual = matrices & nodes.by_default
        return usual if usual.any() else matrices

    def reach(self, numbers: Sequence[int]) -> bool:
        """Return whether a click on any of these nodes, unchecked, checks anything."""
        tensors, modules = self._parted(numbers)
        return bool(len(tensors)) or any(self.reached(node).any() for node in modules)

    def complete(self, numbers: Sequence[int]) -> bool:
        """Return whether all of these that have a mark are checked; False if none has one."""
        tensors, modules = self._parted(numbers)
        marks = [mark for node in modules if (mark := self.state(node)) is not None]
        some = bool(len(tensors)) or bool(marks)
        every = all(mark == State.Checked for mark in marks)
        return some and every and bool(self.checked[tensors].all())

    def _parted(self, numbers: Sequence[int]) -> tuple[NDArray[np.int32], list[int]]:
        """Return the tensors (``int32[n]``) that have a mark of their own, and the modules."""
        nodes, given = self._nodes, np.array(numbers, np.int64)
        tensor = nodes.tensor[given]
        own = (tensor >= 0) & ~nodes.alias[given]
        found: NDArray[np.int32] = tensor[own]
        return found[nodes.prunable[found]], given[tensor < 0].tolist()

    def below(self, node: int) -> NDArray[np.bool_]:
        """Return ``bool[rows]``: the shown tensors below a module that can be pruned."""
        nodes = self._nodes
        inside = (nodes.leaf >= node) & (nodes.leaf < nodes.end[node])
        found: NDArray[np.bool_] = inside & self._shown & nodes.prunable
        return found

    def set_nodes(self, numbers: Sequence[int], *, on: bool) -> bool:
        """Check or clear what a click on each of the nodes reaches; returns whether it changed."""
        after = self.checked.copy()
        nodes = self._nodes
        given = np.array(numbers, np.int64)
        # In one go: thousands of tensors may be selected.
        own = given[(nodes.tensor[given] >= 0) & ~nodes.alias[given]]
        after[nodes.tensor[own]] = on
        for node in given[nodes.tensor[given] < 0].tolist():
            if on:
                after |= self.reached(node)
            else:
                after &= ~self.below(node)
        return self.replace(after)

    def replace(self, checked: NDArray[np.bool_]) -> bool:
        """Check exactly these (``bool[rows]``); returns whether anything changed."""
        checked = checked & self._nodes.prunable
        if np.array_equal(checked, self.checked):
            return False
        self.checked = checked
        self._count()
        return True

    def names(self) -> tuple[str, ...]:
        """Return the names of the checked tensors in file order."""
        return tuple(compress(self._nodes.names, self.checked.tolist()))

    def rows(self) -> tuple[TensorRow, ...]:
        """Return what the tree knows of the checked tensors, in file order."""
        return tuple(compress(self._nodes.rows, self.checked.tolist()))

    def of_names(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return ``bool[rows]`` for tensors by any of their names; unknown names are left out."""
        wanted, nodes = set(names), self._nodes
        found = np.fromiter(map(wanted.__contains__, nodes.names), np.bool_, len(nodes.rows))
        if int(found.sum()) < len(wanted):  # others are further names, which few tensors have
            for number in np.unique(nodes.tensor[nodes.alias]).tolist():
                found[number] |= not wanted.isdisjoint(nodes.rows[number].aliases)
        return found

    @property
    def hidden(self) -> int:
        """How many checked tensors the filter hides."""
        return int((self.checked & ~self._shown).sum())
