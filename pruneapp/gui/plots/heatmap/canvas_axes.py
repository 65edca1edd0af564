"""Axes in the coordinates of the tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pruneapp.gui.plots.base.plot_canvas import PlotAxis


def nested(extents: Sequence[int], flat: int) -> tuple[int, ...]:
    """Return the indices into nested dimensions of a flat index."""
    found = []
    for extent in reversed(extents):
        flat, index = divmod(flat, extent)
        found.append(index)
    return tuple(reversed(found))


def ticks(
    extents: Sequence[int], low: float, high: float, scale: float, room: tuple[float, float]
) -> list[tuple[float, str]]:
    """Return places (in weights) and labels of ticks between `low` and `high`.

    Single weights are labelled with all their indices where there is room; else the blocks of the
    outermost dimension, in steps of powers of 2, at their middle.

    Parameters
    ----------
    extents
        Of the dimensions along the axis, outermost first.
    scale
        Pixels for a weight.
    room
        Pixels that the label of a weight and that of a block need.
    """
    count = math.prod(extents)
    block = math.prod(extents[1:])
    if not extents or not count:
        return []
    low, high = max(0.0, low), min(float(count), high)
    if scale >= room[0] or (block == 1 and scale >= room[1]):
        cells = range(math.floor(low), math.ceil(high))
        return [(cell + 0.5, ", ".join(map(str, nested(extents, cell)))) for cell in cells]
    step = 1
    while step * block * scale < room[1]:
        step *= 2
    first = math.floor(low / block / step) * step
    stop = math.ceil(high / block)
    return [
        (outer * block + block / 2, str(outer))
        for outer in range(first, stop, step)
        if low <= outer * block + block / 2 <= high
    ]


class TensorAxis(PlotAxis):
    """An axis whose ticks are indices into the tensor."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self._extents: tuple[int, ...] = ()
        self._labels: dict[float, str] = {}
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=4, autoExpandTextSpace=False, hideOverlappingLabels=True)

    def set_extents(self, extents: tuple[int, ...]) -> None:
        """Take the extents of the dimensions along this axis, outermost first."""
        self._extents = extents
        self.picture = None
        self.update()

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        """Return the places of the ticks, for pyqtgraph."""
        low, high = sorted((start, stop))
        if high <= low:
            return []
        upright = self.orientation in {"left", "right"}
        letters = max(len(", ".join(str(extent - 1) for extent in self._extents)), 1) + 1.5
        widest = len(str(self._extents[0] - 1)) + 1.5 if self._extents else 1.0
        em = 8.0
        room = (18.0, 26.0) if upright else (letters * em, max(40.0, widest * em))
        found = ticks(self._extents, low, high, size / (high - low), room)
        self._labels = dict(found)
        return [(1.0, [place for place, _ in found])]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        """Return the labels of the ticks, for pyqtgraph."""
        return [self._labels.get(value, "") for value in values]
