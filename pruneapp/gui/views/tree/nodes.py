"""Tensors as a tree of modules, flat in arrays.

Nodes are numbered so that all that is below a node follows it without a gap. The sum of anything
below any node is then the difference of two running sums: totals for 100,000 tensors cost a
millisecond, and nothing recurses, however deep the names of a hostile file are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.answers import TensorRow

# Deeper names keep their last segments as one label.
MAX_DEPTH = 64
ROOT = 0
MODULE = -1


@dataclass(frozen=True, eq=False)
class Nodes:
    """A tree; node 0 is the root, which is not shown.

    Attributes
    ----------
    rows
        The tensors in file order.
    names
        Their names in the file.
    labels
        ``list[nodes]``: last segment of each name.
    paths
        ``list[nodes]``: the whole name as shown.
    parent
        ``int32[nodes]``: the node above; -1 for the root.
    end
        ``int32[nodes]``: one behind the last node below (the node itself counts as below).
    tensor
        ``int32[nodes]``: index into `rows`; -1 for a module.
    alias
        ``bool[nodes]``: whether this is a further name of a tied tensor.
    first_child, children
        The children of node ``n`` are ``children[first_child[n]:first_child[n + 1]]``, in file
        order.
    leaf
        ``int32[rows]``: node of each tensor.
    numel
        ``int64[rows]``: elements, cut so that their sum fits.
    prunable, by_default
        ``bool[rows]``.
    haystack
        ``list[nodes]``: lower-case names of the tensor, a line each, that a filter looks into;
        empty for modules.
    """

    rows: tuple[TensorRow, ...]
    names: list[str]
    labels: list[str]
    paths: list[str]
    parent: NDArray[np.int32]
    end: NDArray[np.int32]
    tensor: NDArray[np.int32]
    alias: NDArray[np.bool_]
    first_child: NDArray[np.int64]
    children: NDArray[np.int32]
    leaf: NDArray[np.int32]
    numel: NDArray[np.int64]
    prunable: NDArray[np.bool_]
    by_default: NDArray[np.bool_]
    haystack: list[str]

    def __len__(self) -> int:
        return len(self.labels)

    def below(self, values: NDArray[np.int64] | NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the sum of `values` (one for each tensor) below each node."""
        sums = np.zeros(len(self) + 1, np.int64)
        sums[self.leaf + 1] = values
        np.cumsum(sums, out=sums)
        return sums[self.end] - sums[:-1]

    def count_below(self, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many nodes below each node are `marked` (one flag for each node)."""
        sums = np.zeros(len(self) + 1, np.int64)
        np.cumsum(marked, out=sums[1:])
        return sums[self.end] - sums[:-1]

    def children_of(self, node: int) -> NDArray[np.int32]:
        """Return the children of `node` in file order."""
        return self.children[self.first_child[node] : self.first_child[node + 1]]


def build_nodes(rows: Sequence[TensorRow]) -> Nodes:
    """Build the tree of `rows`; a pure function, for a worker thread.

    Names are cut at their dots. A module and a tensor of the same name stand beside each other. A
    module with a single child shares its line: "conv1.weight", "encoder.layers".
    """
    rows = tuple(rows)
    labels, paths, parents, tensors, aliases = [""], [""], [-1], [MODULE], [False]
    modules = {"": ROOT}

    def add(label: str, path: str, parent: int, tensor: int, *, alias: bool) -> int:
        labels.append(label)
        paths.append(path)
        parents.append(parent)
        tensors.append(tensor)
        aliases.append(alias)
        return len(labels) - 1

    def module(path: str) -> int:
        found = modules.get(path)
        missing = []
        while found is None:
            missing.append(path)
            path = path.rpartition(".")[0]
            found = modules.get(path)
        for path in reversed(missing):
            found = add(path.rpartition(".")[2], path, found, MODULE, alias=False)
            modules[path] = found
        return found

    def place(shown: str, tensor: int, *, alias: bool) -> None:
        path, _dot, label = shown.rpartition(".")
        if path.count(".") >= MAX_DEPTH:
            parts = shown.split(".", MAX_DEPTH)
            path, label = ".".join(parts[:-1]), parts[-1]
        add(label, shown, module(path), tensor, alias=alias)

    for number, row in enumerate(rows):
        place(row.shown, number, alias=False)
        for name in row.aliases:
            place(_shown_alias(row, name), number, alias=True)
    return _in_order(
        rows, labels=labels, paths=paths, parents=parents, tensors=tensors, aliases=aliases
    )


def _shown_alias(row: TensorRow, alias: str) -> str:
    # The prefix that the row's own name was relieved of says as little here.
    prefix = row.name.removesuffix(row.shown) if row.name.endswith(row.shown) else ""
    return alias.removeprefix(prefix)


def _joined(child: int, below: list[list[int]], labels: list[str]) -> int:
    """Return the node that stands for `child`: the end of a chain of only children, with all names.

    A module with one child says nothing that the child's line could not say.
    """
    parts = [labels[child]]
    while len(below[child]) == 1:
        (child,) = below[child]
        parts.append(labels[child])
    labels[child] = ".".join(parts)
    return child


def _in_order(
    rows: tuple[TensorRow, ...],
    *,
    labels: list[str],
    paths: list[str],
    parents: list[int],
    tensors: list[int],
    aliases: list[bool],
) -> Nodes:
    """Renumber the nodes so that all that is below a node follows it."""
    below: list[list[int]] = [[] for _ in labels]
    for node in range(1, len(labels)):
        below[parents[node]].append(node)
    order: list[int] = []
    stack = [ROOT]
    while stack:
        node = stack.pop()
        order.append(node)
        children = [_joined(child, below, labels) for child in below[node]]
        for child in children:
            parents[child] = node
        stack.extend(reversed(children))
    total = len(order)
    old = np.array(order, np.int64)
    new = np.full(len(labels), -1, np.int32)
    new[old] = np.arange(total, dtype=np.int32)

    parent = np.array(parents, np.int64)[old]
    parent[1:] = new[parent[1:]]
    size = [1] * total
    above = parent.tolist()
    for node in range(total - 1, 0, -1):
        size[above[node]] += size[node]
    tensor = np.array(tensors, np.int32)[old]
    alias = np.array(aliases, np.bool_)[old]
    own = (tensor >= 0) & ~alias
    leaf = np.empty(len(rows), np.int32)
    leaf[tensor[own]] = np.nonzero(own)[0]

    counts = np.bincount(parent[1:], minlength=total) if total > 1 else np.zeros(1, np.int64)
    most = (2**63 - 1) // max(1, len(rows))
    haystack = [""] * total
    for node, number in enumerate(tensor.tolist()):
        if number >= 0:
            row = rows[number]
            if row.shown == row.name and not row.aliases:
                haystack[node] = row.name.lower()
            else:
                names = dict.fromkeys((row.shown, row.name, *row.aliases))
                haystack[node] = "\n".join(names).lower()
    return Nodes(
        rows=rows,
        names=[row.name for row in rows],
        labels=[labels[node] for node in order],
        paths=[paths[node] for node in order],
        parent=parent.astype(np.int32),
        end=(np.arange(total) + np.array(size)).astype(np.int32),
        tensor=tensor,
        alias=alias,
        first_child=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        # Stable, so that siblings keep the order of their numbers.
        children=(np.argsort(parent[1:], kind="stable") + 1).astype(np.int32),
        leaf=leaf,
        numel=np.array([min(row.numel, most) for row in rows], np.int64),
        prunable=np.array([not row.why_not for row in rows], np.bool_),
        by_default=np.array([row.by_default and not row.why_not for row in rows], np.bool_),
        haystack=haystack,
    )
