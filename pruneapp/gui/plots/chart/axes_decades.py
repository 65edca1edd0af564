"""Magnitudes on an axis of powers of ten, with room for 0."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pruneapp.gui.plots.base.readout_wording import value_text
from pruneapp.gui.plots.chart.axes_axis import NumberAxis

Floats = NDArray[np.float64]

# What everything below the first power of ten takes of the axis, in decades.
REST = 0.25
# Powers of ten that are written out.
_PLAIN = range(-3, 4)
_LETTER = 8.0  # pixels


@dataclass(frozen=True)
class Decades:
    """Where magnitudes stand: a power of ten takes as much room as the next.

    From 0 to `low` they are evenly spread, in a quarter of the room of a decade.

    Attributes
    ----------
    low
        The end of the first bin, above 0.
    """

    low: float

    @property
    def start(self) -> float:
        """Where 0 stands."""
        return math.log10(self.low) - REST

    def places(self, magnitudes: Floats) -> Floats:
        """Return where magnitudes stand."""
        below = self.start + magnitudes / self.low * REST
        return np.where(magnitudes < self.low, below, np.log10(np.maximum(magnitudes, self.low)))

    def place(self, magnitude: float) -> float:
        """Return where a magnitude stands."""
        return float(self.places(np.array([magnitude]))[0])

    def magnitude(self, place: float) -> float:
        """Return what stands somewhere; 0 before the axis begins."""
        if place < self.start + REST:
            return max(0.0, (place - self.start) / REST * self.low)
        return float(10.0 ** min(place, 308.0))


class MagnitudeAxis(NumberAxis):
    """Numbers below bars; powers of ten where it is told that they stand for these."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self._decades: Decades | None = None

    def set_decades(self, decades: Decades | None) -> None:
        """Take where magnitudes stand; None for plain numbers."""
        if decades != self._decades:
            self._decades = decades
            self.picture = None
            self.update()

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        """Return 0 and powers of ten; where one is close, also their doubles and fives."""
        low, high = sorted((start, stop))
        if self._decades is None or high <= low:
            found: list[tuple[float, list[float]]] = super().tickValues(start, stop, size)
            return found
        decade = size / (high - low)  # pixels
        step = math.ceil(5 * _LETTER / decade)
        first = math.floor(low / step) * step
        powers = [float(at) for at in range(first, math.floor(high) + 1, step)]
        if decade >= 20 * _LETTER:
            powers = [at + math.log10(n) for at in powers for n in (1, 2, 5)]
        # Not so near to 0 that the numbers would touch.
        near = self._decades.start + max(REST, 4 * _LETTER / decade)
        shown = [at for at in powers if at >= max(low, near)]
        if low <= self._decades.start:
            shown = [self._decades.start, *shown]
        return [(float(step), [at for at in shown if at <= high])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return magnitudes."""
        if self._decades is None:
            return super().tickStrings(values, scale, spacing)
        return ["0" if v <= self._decades.start else power_text(v) for v in values]


def power_text(exponent: float) -> str:
    """Write 10 to a power: 0.001, 10⁻⁵, 0.02, 2·10⁻⁵."""
    whole = math.floor(exponent + 1e-9)
    digit = round(10 ** (exponent - whole))
    if whole in _PLAIN:
        return value_text(digit * 10.0**whole, 1 if whole < 0 else whole + 1)
    raised = str(whole).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if digit == 1 else f"{digit}·10{raised}"
