"""What the filter above the tree asks for, and which tensors answer."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.gui.tree.nodes import Nodes

MILLION = 1_000_000


@dataclass(frozen=True)
class Filter:
    """What is to be shown.

    Attributes
    ----------
    text
        Words that all stand in the name, or a glob over the whole name; upper and lower case are
        the same.
    kind
        The kind of layer; empty for all.
    matrices
        Only tensors of two or more dimensions.
    large
        Only tensors of more than a million elements.
    """

    text: str = ""
    kind: str = ""
    matrices: bool = False
    large: bool = False

    @property
    def active(self) -> bool:
        """Whether it asks for anything."""
        return self != Filter()

    def shown(self, nodes: Nodes) -> NDArray[np.bool_]:
        """Return ``bool[nodes]``: which names of tensors answer; False for modules."""
        found = nodes.tensor >= 0
        rows = nodes.rows
        if self.kind or self.matrices:
            fits = np.fromiter(
                (
                    (not self.kind or row.kind == self.kind)
                    and (not self.matrices or len(row.shape) >= 2)
                    for row in rows
                ),
                np.bool_,
                len(rows),
            )
            found = found & _spread(nodes, fits)
        if self.large:
            found = found & _spread(nodes, nodes.numel > MILLION)
        text = self.text.strip().lower()
        if text:
            found = found & self._matches(nodes, text)
        return found

    @staticmethod
    def _matches(nodes: Nodes, text: str) -> NDArray[np.bool_]:
        if any(sign in text for sign in "*?["):
            # Each line of the haystack is one name of the tensor.
            match = re.compile(fnmatch.translate(text)).match
            return np.fromiter(
                (bool(hay) and any(map(match, hay.split("\n"))) for hay in nodes.haystack),
                np.bool_,
                len(nodes),
            )
        found = np.ones(len(nodes), np.bool_)
        for word in text.split():
            found &= np.fromiter((word in hay for hay in nodes.haystack), np.bool_, len(nodes))
        return found


def _spread(nodes: Nodes, of_tensors: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Turn one flag for each tensor into one for each node."""
    if not len(of_tensors):
        return np.zeros(len(nodes), np.bool_)
    return (nodes.tensor >= 0) & of_tensors[np.maximum(nodes.tensor, 0)]
