"""Axes that count: places of bars, weights, and bytes."""

from __future__ import annotations

import numpy as np

from pruneapp.gui.plots.base.plot_canvas import PlotAxis
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.number_format import size as byte_size


class PlaceAxis(PlotAxis):
    """Whole numbers below bars."""

    def __init__(self) -> None:
        super().__init__("bottom")

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        """Return whole numbers in steps of 1, 2 or 5 times a power of ten."""
        low, high = sorted((start, stop))
        if high <= low:
            return []
        letters = len(count(int(high))) + 2
        smallest = letters * 8 * (high - low) / max(size, 1.0)
        power = 10 ** int(np.floor(np.log10(max(smallest, 1.0))))
        step = next(power * n for n in (1, 2, 5, 10, 20) if power * n >= smallest or n == 20)
        first = int(np.ceil(low / step)) * step
        return [(float(step), [float(at) for at in range(first, int(high) + 1, step)])]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        """Return the numbers with group separators."""
        return [count(round(value)) for value in values]


class CountAxis(PlotAxis):
    """Counts of weights, with group separators; logarithms of them if so set."""

    def __init__(self) -> None:
        super().__init__("left")
        self.log = False

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        """Return whole powers of ten if logarithmic."""
        if not self.log:
            found: list[tuple[float, list[float]]] = super().tickValues(start, stop, size)
            return found[:1] + [(s, []) for s, _ in found[1:]]
        return [(1.0, [float(p) for p in range(max(0, int(np.ceil(start))), int(stop) + 1)])]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        """Return counts."""
        if self.log:
            return [count(round(10**value)) for value in values]
        return [count(round(v)) if float(v).is_integer() else "" for v in values]


class NumberAxis(PlotAxis):
    """Numbers with a real minus sign, or bytes as people read them."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._bytes = False

    def set_bytes(self, as_bytes: bool) -> None:
        """Write numbers as bytes, or as they are."""
        self._bytes = as_bytes
        self.picture = None
        self.update()

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return numbers or bytes."""
        if not self._bytes:
            found = super().tickStrings(values, scale, spacing)
            return [text.replace("-", "−") for text in found]
        return [byte_size(round(value)) if value else "0" for value in values]
