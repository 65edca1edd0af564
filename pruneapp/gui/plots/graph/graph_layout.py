"""Place the operators of a graph in layers, from the inputs at the top to the outputs.

The method of Sugiyama, Tagawa and Toda (1981): operators are assigned to layers by the longest path
from an input, ordered within each layer by the barycenter of their neighbors, and moved
horizontally towards these. docs/decisions/0032 states why no library does this. No Qt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.groups.operator_graph import Operator
from pruneapp.progress import CancelToken

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Neighbors = Sequence[Sequence[int]]

HEIGHT, LAYER_GAP, GAP = 34.0, 30.0, 18.0  # of an operator, between layers, between operators
_SWEEPS = 6
_BEND_WIDTH = 4.0
# Maximum number of bends of all edges. The longest edges have none if there would be more.
_MAX_BENDS = 100_000
# An edge with more bends is placed beside the operators that it skips, which count as so many times
# its bends when a layer is placed: without this, each skip connection would bend the chain.
_MAX_SHORT_BENDS = 2
_WEIGHT = 1000.0
_MAX_DRIFT = 300.0  # pixels from the center of the first layer


@dataclass(frozen=True, eq=False)
class GraphLayout:
    """Positions of operators and of the bends of the edges between them.

    Items are the operators, then the bends. An edge has a bend in each layer that it crosses; the
    edges of a producer share their bends. Units are pixels at 100 %; y grows downwards, and both
    coordinates begin at 0.
    """

    operators: int  # number of operators
    x: Floats  # ``float64[items]``, centers
    y: Floats
    widths: Floats
    above: Neighbors  # for each item, the items of earlier layers that it is linked to
    below: Neighbors
    links: Indices  # ``int64[links, 2]``, pairs of an item and one of those below it

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole drawing."""
        if not self.x.size:
            return 0.0, 0.0
        return float((self.x + self.widths / 2).max()), float(self.y.max() + HEIGHT / 2)

    def trace(self, operator: int, neighbors: Neighbors) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the operators next to one, and the links that lead to them.

        `neighbors` is `above` for its producers, `below` for its readers.
        """
        found: list[int] = []
        links: list[tuple[int, int]] = []
        left = [operator]
        while left:
            item = left.pop()
            for other in neighbors[item]:
                links.append((item, other))
                (found if other < self.operators else left).append(other)
        return found, links


@dataclass(frozen=True, eq=False)
class PlacedGraph:
    """The operators of a file with the texts in their boxes, and where they are drawn."""

    operators: Sequence[Operator]
    labels: Sequence[str]
    layout: GraphLayout


def lay_out(
    widths: Sequence[float], edges: Sequence[tuple[int, int]], cancel: CancelToken
) -> GraphLayout:
    """Return positions for operators with these widths in pixels.

    `edges` are pairs (producer, reader) of indices; the producer is always smaller. O(n log n) in
    the number of operators, edges and bends; 10,000 operators take about a second. `cancel` is
    checked at least once per layer.
    """
    n = len(widths)
    readers: list[list[int]] = [[] for _ in range(n)]
    for first, second in cancel.each(edges):
        readers[first].append(second)
    level = _assign_layers(readers, cancel)
    most_bends = _most_bends(readers, level, cancel)
    links = []
    is_aside = [False] * n  # whether an item is a bend of a long edge
    for first in cancel.each(range(n)):
        end = first  # the last bend so far
        n_before = len(level)
        for second in sorted(readers[first], key=level.__getitem__):
            if level[second] - level[first] - 1 > most_bends:
                links.append((first, second))
                continue
            while level[end] < level[second] - 1:
                links.append((end, len(level)))
                level.append(level[end] + 1)
                end = len(level) - 1
            links.append((end, second))
        n_bends = len(level) - n_before
        is_aside += [n_bends > _MAX_SHORT_BENDS] * n_bends
    above: list[list[int]] = [[] for _ in level]
    below: list[list[int]] = [[] for _ in level]
    for one, other in cancel.each(links):
        below[one].append(other)
        above[other].append(one)
    rows: list[list[int]] = [[] for _ in range(max(level, default=-1) + 1)]
    for item in _depth_first(n, below, cancel):
        rows[level[item]].append(item)
    _order(rows, above, below, cancel)
    sizes = np.full(len(level), _BEND_WIDTH)
    sizes[:n] = widths
    x = _place(rows, sizes, is_aside, (above, below), cancel)
    y = np.array(level, np.float64) * (HEIGHT + LAYER_GAP) + HEIGHT / 2
    pairs = np.array(links, np.int64).reshape(-1, 2)
    return GraphLayout(n, x, y, sizes, above, below, pairs)


def _assign_layers(readers: Neighbors, cancel: CancelToken) -> list[int]:
    """Return the layer of each operator: below all producers; inputs just above their readers."""
    level = [0] * len(readers)
    is_read = [False] * len(readers)
    for first in cancel.each(range(len(readers))):
        for second in readers[first]:
            level[second] = max(level[second], level[first] + 1)
            is_read[second] = True
    for first in cancel.each(range(len(readers))):
        if not is_read[first] and readers[first]:
            level[first] = min(level[second] for second in readers[first]) - 1
    return level


def _most_bends(readers: Neighbors, level: Sequence[int], cancel: CancelToken) -> int:
    """Return how many bends an edge can have, so that there are at most `_MAX_BENDS`."""
    longest = [
        max((level[second] for second in readers[first]), default=0) - level[first] - 1
        for first in cancel.each(range(len(readers)))
    ]
    bends = np.maximum(np.sort(np.array(longest, np.int64)), 0)
    n_within = int(np.searchsorted(np.cumsum(bends), _MAX_BENDS, side="right"))
    return int(bends[n_within]) - 1 if n_within < len(bends) else len(level)


def _depth_first(n: int, below: Neighbors, cancel: CancelToken) -> list[int]:
    """Return all items in depth-first order, which keeps branches together."""
    seen = bytearray(len(below))
    order: list[int] = []
    for start in range(n):
        left = [start]
        while left:
            cancel.check()
            item = left.pop()
            if not seen[item]:
                seen[item] = 1
                order.append(item)
                left += reversed(below[item])
    return order


def _order(rows: list[list[int]], above: Neighbors, below: Neighbors, cancel: CancelToken) -> None:
    """Sort each layer by the mean place of the neighbors in the layer before, down and up."""
    place = [0.0] * len(above)
    for row in rows:
        for at, item in enumerate(row):
            place[item] = at
    for sweep in range(_SWEEPS):
        neighbors, order = (above, rows) if sweep % 2 == 0 else (below, rows[::-1])
        for row in order:
            cancel.check()
            if len(row) < 2:
                continue
            means = {
                item: sum(place[other] for other in neighbors[item]) / len(neighbors[item])
                if neighbors[item]
                else place[item]
                for item in row
            }
            row.sort(key=means.__getitem__)
            for at, item in enumerate(row):
                place[item] = at


def _place(
    rows: Sequence[Sequence[int]],
    widths: Floats,
    is_aside: Sequence[bool],
    sides: tuple[Neighbors, Neighbors],
    cancel: CancelToken,
) -> Floats:
    """Return the center of each item: as near as possible to its neighbors, in the given order.

    `sides` are the neighbors of each item above and below. Items follow neighbors with the same
    `is_aside` if they have any.
    """
    x = [0.0] * len(widths)

    def mean(item: int, neighbors: Neighbors) -> float:
        near = [other for other in neighbors[item] if is_aside[other] == is_aside[item]]
        near = near or list(neighbors[item])
        return sum(map(x.__getitem__, near)) / len(near) if near else x[item]

    offsets, weights = [], []
    for row in rows:
        cancel.check()
        size = widths[row]
        # Distance of each center from that of the first item, if all are as near as possible.
        offset = np.cumsum((size[1:] + size[:-1]) / 2 + GAP)
        offsets.append(np.concatenate(([0.0], offset)))
        weights.append(np.where([is_aside[item] for item in row], 1.0, _WEIGHT))
    for sweep in range(_SWEEPS):
        neighbors = sides[sweep % 2]
        numbers = range(len(rows)) if sweep % 2 == 0 else range(len(rows) - 1, -1, -1)
        for number in numbers:
            cancel.check()
            row, offset = rows[number], offsets[number]
            centers = np.array([mean(item, neighbors) for item in row])
            placed = _nearest_ascending(centers - offset, weights[number]) + offset
            for item, center in zip(row, placed.tolist(), strict=True):
                x[item] = center
    _limit_drift(rows, x, is_aside, cancel)
    left = np.array(x) - widths / 2
    return np.array(x) - left.min(initial=np.inf) if x else left


def _limit_drift(
    rows: Sequence[Sequence[int]], x: list[float], is_aside: Sequence[bool], cancel: CancelToken
) -> None:
    """Move whole layers, so that a deep graph whose blocks are not symmetric is not diagonal."""
    shift = 0.0
    for number, row in enumerate(rows):
        cancel.check()
        inside = [x[item] for item in row if not is_aside[item]]
        center = (min(inside) + max(inside)) / 2 + shift
        if number == 0:
            start = center
        elif abs(center - start) > _MAX_DRIFT:
            shift += start - center
        for item in row:
            x[item] += shift


def _nearest_ascending(values: Floats, weights: Floats) -> Floats:
    """Return the ascending numbers with the least weighted squared distance (isotonic regression).

    By pooling adjacent violators, O(n).
    """
    means: list[float] = []
    totals: list[float] = []
    counts: list[int] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        mean, total, count = value, weight, 1
        while means and means[-1] > mean:
            last = totals.pop()
            mean = (mean * total + means.pop() * last) / (total + last)
            total += last
            count += counts.pop()
        means.append(mean)
        totals.append(total)
        counts.append(count)
    return np.repeat(means, counts)
