"""Tensors as a tree of modules, flat in arrays.

Nodes are numbered so that all that is below a node follows it without a gap. The sum of anything
below any node is then the difference of two running sums: totals for 100,000 tensors cost a
millisecond, and nothing recurses, however deep the names of a hostile file are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.results.document_rows_tensor_row import TensorRow

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
    kinds
        The kinds of layers among them, sorted.
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
    parameters
        ``int64[rows]``: as `numel`; 0 for buffers.
    prunable, by_default
        ``bool[rows]``.
    matrices
        ``bool[rows]``: prunable, of two or more dimensions, and neither norm nor bias: what the
        check mark of a module may reach.
    role, in_blocks
        ``int32[rows]``: equal for tensors of the same kind and last name, and for those whose
        names as shown differ only in whole numbers between dots.
    place
        ``int32[rows]``: the place of each tensor in the order of names, "layer2" before "layer10".
    haystack
        ``list[nodes]``: lower-case names of the tensor, a line each, that a filter looks into;
        empty for modules.
    """

    rows: tuple[TensorRow, ...]
    names: list[str]
    kinds: list[str]
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
    parameters: NDArray[np.int64]
    prunable: NDArray[np.bool_]
    by_default: NDArray[np.bool_]
    matrices: NDArray[np.bool_]
    role: NDArray[np.int32]
    in_blocks: NDArray[np.int32]
    place: NDArray[np.int32]
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
