"""Axes: names beside bars, places of bars, counts, bytes, and magnitudes in powers of ten."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from pruneapp.gui.plots.base.plot_canvas import PlotAxis
from pruneapp.gui.plots.base.readout import value_text
from pruneapp.gui.widgets.labels import elided, within_reason
from pruneapp.gui.widgets.number_format import count, locale
from pruneapp.gui.widgets.number_format import size as byte_size
from pruneapp.results.short_names import GAP, ShortNames

SHARE = 0.52  # of the width of the picture that names take at most
_MARKS = f".{GAP}"  # between words of a name
_PARTS = re.compile(f"[{_MARKS}]+|[^{_MARKS}]+")
MEASURED = 400  # names of which the longest says how much room there is for all
_NEAR = 8
_BESIDE = 2  # pixels between the title of the axis and the names


class NamesAxis(PlotAxis):
    """Names to the left of bars, each in one line, so that every bar as high as a line has its own.

    Names stand in the longest of their forms that there is room for: the same parts are left out
    of all, so that they stay comparable. Of one whose shortest form is too long, words are cut.
    Where names would touch, some are left out: always the same ones while one moves. How much room
    names have depends on the longest and on the width of the window, so that nothing jumps.
    """

    # Of the class: pyqtgraph asks for them before there is an object.
    _many = 0
    _widths: Sequence[Sequence[float]] = ()  # in pixels, of all forms of a name
    _room = 0.0
    _level = 0  # how much is left out: which of the forms of a name is shown
    _short = ShortNames()
    _name: Callable[[int], str] = staticmethod(str)
    _marked = ""
    _mark = QColor()

    def __init__(self) -> None:
        super().__init__("left")
        self.setStyle(showValues=False)

    def set_marked(self, name: str, color: str) -> None:
        """Write a name in a color of its own; empty for none."""
        self._marked, self._mark = name, QColor(color)
        self.redraw()

    def set_names(
        self, name: Callable[[int], str], many: int, short: ShortNames | None = None
    ) -> None:
        """Take the name of every bar, by a number from 0, and their shorter forms, if any.

        The first one stands at 1.
        """
        self._name, self._many = name, many
        self._short = ShortNames() if short is None else short
        advance = self._metrics().horizontalAdvance
        step = max(1, many // MEASURED)
        names = [within_reason(name(at)) for at in range(0, many, step)]
        self._widths = [[advance(form) for form in self._short.forms(n)] for n in names]
        self.lay_out()

    def tickValues(self, *_: float) -> list[tuple[float, list[float]]]:
        """Return none: there are names."""
        return []

    def shown(self) -> list[tuple[str, float]]:
        """Return the names that can be seen, each with its place in pixels from the top."""
        low, high = sorted(self.range)  # the axis goes down
        if not self._many or high <= low:
            return []
        line = self._metrics().height()
        scale = self.size().height() / (high - low)
        step = max(1, math.ceil(line / scale - 1e-6))
        start, stop = max(0, math.ceil(low - 1)), min(self._many, math.floor(high))
        start += -start % step  # while one moves, the same ones are left out
        return [(self._name(at), (at + 1 - low) * scale) for at in range(start, stop, step)]

    def resizeEvent(self, event: Any = None) -> None:
        """Give names the room that there is now."""
        super().resizeEvent(event)
        self.lay_out()

    def lay_out(self) -> None:
        """Give names the room that there is in the window."""
        width = self.view_width()
        longest = max((widths[0] for widths in self._widths), default=0.0) + 1
        title = self._metrics().height() + _BESIDE if self.labelText else 0.0
        most = longest if width is None else max(SHARE * width - title, 40.0)
        one_line = [widths for widths in self._widths if widths[-1] < most]
        levels = range(max(map(len, one_line), default=1))
        at_levels = [
            max((widths[min(n, len(widths) - 1)] for widths in one_line), default=0.0)
            for n in levels
        ]
        self._level = next(n for n in levels if at_levels[n] < most)
        self._room = most if len(one_line) < len(self._widths) else at_levels[self._level] + 1
        wide = 2 * _NEAR + self._room + title
        if wide != self.fixedWidth:  # or this would be called without end
            self.setWidth(wide)
        self.redraw()

    def drawPicture(self, p: QPainter, axis: Any, ticks: Any, texts: Any) -> None:
        """Draw the axis, then the names."""
        super().drawPicture(p, axis, ticks, texts)
        font = self.style["tickFont"] or QFont()
        p.setFont(font)
        metrics = QFontMetricsF(font)
        line, right = metrics.height(), self.size().width() - _NEAR
        place = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for name, y in self.shown():
            p.setPen(self._mark if name and name == self._marked else self.textPen())
            box = QRectF(right - self._room - 1, y - line / 2, self._room + 1, line)
            p.drawText(box, place, self.painted(name))

    def painted(self, name: str) -> str:
        """Return a name as it is painted."""
        advance = self._metrics().horizontalAdvance
        forms = self._short.forms(within_reason(name))
        shorter = forms[min(self._level, len(forms) - 1) :]
        text = next((form for form in shorter if advance(form) <= self._room), "")
        if not text:
            text = _cut(forms[-1], self._room, advance)
        return elided(text, self._metrics(), self._room + 1)

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(self.style["tickFont"] or QFont())


def _cut(name: str, room: float, advance: Callable[[str], float]) -> str:
    """Cut the longest words of a name until it fits, down to one letter; numbers stay whole.

    The same words are cut of a name in every block, so that its numbers tell blocks apart.
    """
    split = _PARTS.findall(name)
    words = [(word, word.rstrip("0123456789")) for word in split if word[0] not in _MARKS]
    kept = [len(stem) for _, stem in words]
    text = name
    while advance(text) > room and max(kept, default=0) > 1:
        kept[kept.index(max(kept))] -= 1
        parts = iter(
            [
                word if letters == len(stem) else stem[:letters] + GAP + word[len(stem) :]
                for (word, stem), letters in zip(words, kept, strict=True)
            ]
        )
        text = "".join(next(parts) if part[0] not in _MARKS else part for part in split)
        text = text.replace(GAP + ".", GAP)
    return text


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
            ticks: list[tuple[float, list[float]]] = super().tickValues(start, stop, size)
            return ticks[:1] + [(s, []) for s, _ in ticks[1:]]
        return [(1.0, [float(p) for p in range(max(0, int(np.ceil(start))), int(stop) + 1)])]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        """Return counts."""
        if self.log:
            return [count(round(10**value)) for value in values]
        return [count(round(v)) if float(v).is_integer() else "" for v in values]


class NumberAxis(PlotAxis):
    """Numbers as the language writes them, with a real minus sign; or bytes as people read them."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._bytes = False
        self._ends = -math.inf, math.inf

    def set_bytes(self, as_bytes: bool) -> None:
        """Write numbers as bytes, or as they are."""
        self._bytes = as_bytes
        self.redraw()

    def set_ends(self, low: float = -math.inf, high: float = math.inf) -> None:
        """Write no number beyond these: 110 % of something that is a share."""
        if (low, high) != self._ends:
            self._ends = low, high
            self.redraw()

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        """Return ticks between the ends."""
        low, high = self._ends
        levels = super().tickValues(start, stop, size)
        # 100 may be 1e-14 above itself.
        return [(step, [v for v in at if low <= v <= high + step / 1e6]) for step, at in levels]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return numbers or bytes."""
        if not self._bytes:
            texts = super().tickStrings(values, scale, spacing)
            point = locale().decimalPoint()
            return [text.replace("-", "−").replace(".", point) for text in texts]
        return [byte_size(round(value)) if value else "0" for value in values]


Floats = NDArray[np.float64]

# What everything below the first power of ten takes of the axis, in decades.
REST = 0.25
# Powers of ten that are written out.
_PLAIN = range(-3, 4)
_LETTER = 8.0  # pixels


@dataclass(frozen=True)
class Decades:
    """Where magnitudes stand: a power of ten takes as much room as the next.

    From 0 to `low`, the end of the first bin, they are evenly spread, in a quarter of the room of
    a decade.
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
            self.redraw()

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        """Return 0 and powers of ten; where one is close, also their doubles and fives."""
        low, high = sorted((start, stop))
        if self._decades is None or high <= low:
            return super().tickValues(start, stop, size)
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
