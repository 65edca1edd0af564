"""Numbers of the channels of an ONNX graph, which operators join and freeze."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
# The numbers along each axis; None along one whose extent is not known.
Axes = tuple[Numbers | None, ...]

FROZEN = 0
_MOST_NUMBERS = 1 << 22  # of an axis; none that is cut is as long


class ChannelNumbers:
    """Numbers of channels, and which are joined."""

    def __init__(self) -> None:
        self._count = 1  # `FROZEN`
        self._pending: list[tuple[Numbers, Numbers]] = []
        self._parent = np.zeros(1, np.int32)

    def new(self, extent: int) -> Numbers:
        """Return new numbers; frozen where there is one alone, none where there are too many."""
        if extent == 1 or extent > _MOST_NUMBERS:
            return np.zeros(extent if extent == 1 else 0, np.int32)
        first = self._count
        self._count += extent
        return np.arange(first, first + extent, dtype=np.int32)

    def join(self, a: Numbers | None, b: Numbers | None) -> None:
        """Join channels one by one; freeze what has no counterpart."""
        if a is None or b is None or a.size != b.size:
            self.freeze(a, b)
        else:
            self._pending.append((a, b))

    def freeze(self, *axes: Numbers | None) -> None:
        """Keep channels whatever happens."""
        for axis in axes:
            if axis is not None:
                self._pending.append((axis, np.zeros(axis.size, np.int32)))

    def representatives(self) -> Numbers:
        """Return the least of all numbers that each is joined with."""
        parent = np.arange(self._count, dtype=np.int32)
        parent[: self._parent.size] = self._parent
        if self._pending:
            a = np.concatenate([a for a, _ in self._pending])
            b = np.concatenate([b for _, b in self._pending])
            self._pending.clear()
            while True:
                pa, pb = parent[a], parent[b]
                differ = pa != pb
                if not differ.any():
                    break
                a, b, pa, pb = a[differ], b[differ], pa[differ], pb[differ]
                np.minimum.at(parent, np.maximum(pa, pb), np.minimum(pa, pb))
                while True:
                    further = parent[parent]
                    if np.array_equal(further, parent):
                        break
                    parent = further
        self._parent = parent
        return parent

    def is_frozen(self, axis: Numbers) -> bool:
        """Whether no channel of an axis may go."""
        parent = self.representatives()
        return bool((parent[axis] == parent[FROZEN]).all())


@dataclass
class ReshapeBlock:
    """Axes that a reshape turns into one, or that one is turned into."""

    whole: Numbers
    parts: list[Numbers]

    def of_part(self, number: int) -> Numbers:
        """Return for each entry of the whole the channel of a part that it belongs to."""
        shape = [part.size for part in self.parts]
        index = np.indices(shape, np.int32, sparse=True)[number]
        return self.parts[number][np.broadcast_to(index, shape).reshape(-1)]


def extent_of(axis: Numbers | None) -> int | None:
    """Return how long an axis is."""
    return None if axis is None else axis.size


def match_axes(
    one: Sequence[int | None], other: Sequence[int | None]
) -> list[tuple[list[int], list[int]]] | None:
    """Align the axes before and after a reshape: runs of as many entries; None if in doubt.

    One unknown extent on both sides is the same if the rest has as many entries.
    """
    known = [math.prod(n for n in shape if n is not None) for shape in (one, other)]
    if (None in one or None in other) and (
        list(one).count(None) != 1 or list(other).count(None) != 1 or known[0] != known[1]
    ):
        return None
    if known[0] != known[1] or 0 in known:
        return None
    matched: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(one) or j < len(other):
        if i < len(one) and one[i] == 1:
            i += 1
            continue
        if j < len(other) and other[j] == 1:
            j += 1
            continue
        if i == len(one) or j == len(other):
            return None
        a, b = one[i], other[j]
        if a is None or b is None:
            if a is not b:
                return None
            i, j = i + 1, j + 1
            continue
        ones, others = [i], [j]
        while a != b:
            if a < b:
                i += 1
                more = one[i] if i < len(one) else None
                if more is None:
                    return None
                ones.append(i)
                a *= more
            else:
                j += 1
                more = other[j] if j < len(other) else None
                if more is None:
                    return None
                others.append(j)
                b *= more
        matched.append((ones, others))
        i, j = i + 1, j + 1
    return matched
