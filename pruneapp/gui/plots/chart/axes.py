"""Axes for names, bar positions, counts, bytes, and magnitudes in powers of ten."""

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
from pruneapp.gui.widgets.labels import elide_text, within_reason
from pruneapp.gui.widgets.number_format import count, locale
from pruneapp.gui.widgets.number_format import size as byte_size
from pruneapp.gui.widgets.short_names import GAP, ShortNames

MAX_NAME_SHARE = 0.52  # maximum share of the width of the canvas for names
_MARKS = f".{GAP}"  # separators between the words of a name
_PARTS = re.compile(f"[{_MARKS}]+|[^{_MARKS}]+")
MAX_MEASURED_NAMES = 400  # at most about this many names are measured to find the longest
_MARGIN = 8
_TITLE_GAP = 2  # pixels between the title of the axis and the names


class NamesAxis(PlotAxis):
    """Names to the left of horizontal bars, one line each.

    All names are shortened to the same level (see `ShortNames`), the longest one that fits, so that
    they stay comparable. A name whose shortest form does not fit has its words cut. If lines would
    overlap, only every n-th name is shown, with a fixed phase, so that scrolling does not change
    the choice. The width depends on the longest name and on the width of the canvas only, so that
    the layout does not jump.
    """

    # Class attributes because AxisItem.__init__ reads them.
    _count = 0
    _widths: Sequence[Sequence[float]] = ()  # of each form of each measured name, in pixels
    _name_width = 0.0
    _level = 0  # index of the form of the names that is shown
    _short = ShortNames()
    _name: Callable[[int], str] = staticmethod(str)
    _marked = ""
    _mark = QColor()

    def __init__(self) -> None:
        super().__init__("left")
        self.setStyle(showValues=False)

    def set_marked(self, name: str, color: str) -> None:
        """Draw the bar name `name` in `color`; "" for none."""
        self._marked, self._mark = name, QColor(color)
        self.redraw()

    def set_names(
        self, name: Callable[[int], str], n_names: int, short: ShortNames | None = None
    ) -> None:
        """Set the names of the bars.

        Parameters
        ----------
        name
            Returns the name of a bar by its index from 0. The bar 0 is at position 1 of the axis.
            It is called at once for a sample of the bars, and later for the visible ones.
        n_names
            Number of bars.
        short
            Shortened forms of the names, used where these do not fit; None if there are none.
        """
        self._name, self._count = name, n_names
        self._short = ShortNames() if short is None else short
        advance = self._metrics().horizontalAdvance
        step = max(1, n_names // MAX_MEASURED_NAMES)
        names = [within_reason(name(at)) for at in range(0, n_names, step)]
        self._widths = [[advance(form) for form in self._short.forms(n)] for n in names]
        self.lay_out()

    def tickValues(self, *_: float) -> list[tuple[float, list[float]]]:
        """Return no ticks: names are drawn instead."""
        return []

    def visible_names(self) -> list[tuple[str, float]]:
        """Return the displayed names, each with its y position in pixels from the top.

        If lines would overlap, every n-th name of the visible bars.
        """
        low, high = sorted(self.range)  # the axis is inverted
        if not self._count or high <= low:
            return []
        line = self._metrics().height()
        scale = self.size().height() / (high - low)
        step = max(1, math.ceil(line / scale - 1e-6))
        start, stop = max(0, math.ceil(low - 1)), min(self._count, math.floor(high))
        start += -start % step  # keeps the choice of names while scrolling
        return [(self._name(at), (at + 1 - low) * scale) for at in range(start, stop, step)]

    def resizeEvent(self, event: Any = None) -> None:
        super().resizeEvent(event)
        self.lay_out()

    def lay_out(self) -> None:
        """Choose the level of shortening and the width of the axis for the width of the canvas.

        The names get `MAX_NAME_SHARE` of it at most, but at least 40 pixels.
        """
        width = self.view_width()
        longest = max((widths[0] for widths in self._widths), default=0.0) + 1
        title = self._metrics().height() + _TITLE_GAP if self.labelText else 0.0
        most = longest if width is None else max(MAX_NAME_SHARE * width - title, 40.0)
        one_line = [widths for widths in self._widths if widths[-1] < most]
        levels = range(max(map(len, one_line), default=1))
        at_levels = [
            max((widths[min(n, len(widths) - 1)] for widths in one_line), default=0.0)
            for n in levels
        ]
        self._level = next(n for n in levels if at_levels[n] < most)
        self._name_width = most if len(one_line) < len(self._widths) else at_levels[self._level] + 1
        wide = 2 * _MARGIN + self._name_width + title
        if wide != self.fixedWidth:  # else setWidth would call this method without end
            self.setWidth(wide)
        self.redraw()

    def drawPicture(self, p: QPainter, axis: Any, ticks: Any, texts: Any) -> None:
        super().drawPicture(p, axis, ticks, texts)
        font = self.style["tickFont"] or QFont()
        p.setFont(font)
        metrics = QFontMetricsF(font)
        line, right = metrics.height(), self.size().width() - _MARGIN
        place = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for name, y in self.visible_names():
            p.setPen(self._mark if name and name == self._marked else self.textPen())
            box = QRectF(right - self._name_width - 1, y - line / 2, self._name_width + 1, line)
            p.drawText(box, place, self.displayed_name(name))

    def displayed_name(self, name: str) -> str:
        """Return the text that is drawn for a name: the longest form that fits.

        Forms longer than the common level are not used. If none fits, the words of the shortest
        form are cut; if that is not enough, it is elided.
        """
        advance = self._metrics().horizontalAdvance
        forms = self._short.forms(within_reason(name))
        shorter = forms[min(self._level, len(forms) - 1) :]
        text = next((form for form in shorter if advance(form) <= self._name_width), "")
        if not text:
            text = _shorten_words(forms[-1], self._name_width, advance)
        return elide_text(text, self._metrics(), self._name_width + 1)

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(self.style["tickFont"] or QFont())


def _shorten_words(name: str, room: float, advance: Callable[[str], float]) -> str:
    """Shorten the longest words to fit `room` pixels, down to one letter; digits are kept.

    The same words are cut in the names of all blocks, so that the block number remains. The result
    may still be too wide. `advance` returns the width of a text in pixels.
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


class IndexAxis(PlotAxis):
    """Whole numbers below vertical bars."""

    def __init__(self) -> None:
        super().__init__("bottom")

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        """Return integer ticks whose step is 1, 2 or 5 times a power of ten."""
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
        return [count(round(value)) for value in values]


class CountAxis(PlotAxis):
    """Counts of weights with group separators; with `log`, positions are log10 of the count."""

    def __init__(self) -> None:
        super().__init__("left")
        self.log = False

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        """Return one level of ticks: powers of ten if logarithmic."""
        if not self.log:
            ticks: list[tuple[float, list[float]]] = super().tickValues(start, stop, size)
            return ticks[:1] + [(s, []) for s, _ in ticks[1:]]
        return [(1.0, [float(p) for p in range(max(0, int(np.ceil(start))), int(stop) + 1)])]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        """Return the counts; "" for ticks between whole numbers."""
        if self.log:
            return [count(round(10**value)) for value in values]
        return [count(round(v)) if float(v).is_integer() else "" for v in values]


class NumberAxis(PlotAxis):
    """Numbers in the user's locale with a true minus sign, or byte sizes."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._bytes = False
        self._ends = -math.inf, math.inf

    def set_bytes(self, as_bytes: bool) -> None:
        """Choose between plain numbers and byte sizes."""
        if as_bytes != self._bytes:
            self._bytes = as_bytes
            self.redraw()

    def set_ends(self, low: float = -math.inf, high: float = math.inf) -> None:
        """Show no ticks beyond these values, such as 110 % for a share."""
        if (low, high) != self._ends:
            self._ends = low, high
            self.redraw()

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        low, high = self._ends
        levels = super().tickValues(start, stop, size)
        # Rounding may place the tick 100 at 100 + 1e-14.
        return [(step, [v for v in at if low <= v <= high + step / 1e6]) for step, at in levels]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if not self._bytes:
            texts = super().tickStrings(values, scale, spacing)
            point = locale().decimalPoint()
            return [text.replace("-", "−").replace(".", point) for text in texts]
        return [byte_size(round(value)) if value else "0" for value in values]


Floats = NDArray[np.float64]

# Length of the part of the axis from 0 to the first power of ten, in decades.
LINEAR_DECADES = 0.25
# Exponents whose powers of ten are written as decimal numbers.
_PLAIN = range(-3, 4)
_LETTER = 8.0  # pixels


@dataclass(frozen=True)
class Decades:
    """A logarithmic scale of magnitudes that includes 0.

    From `low`, the end of the first bin, a position is the log10 of the magnitude. The range from 0
    to `low` is linear and takes `LINEAR_DECADES` decades.
    """

    low: float

    @property
    def start(self) -> float:
        return math.log10(self.low) - LINEAR_DECADES

    def positions(self, magnitudes: Floats) -> Floats:
        """Return the positions of magnitudes (0 or larger), ``float64[n]``."""
        below = self.start + magnitudes / self.low * LINEAR_DECADES
        return np.where(magnitudes < self.low, below, np.log10(np.maximum(magnitudes, self.low)))

    def position(self, magnitude: float) -> float:
        return float(self.positions(np.array([magnitude]))[0])

    def magnitude(self, position: float) -> float:
        """Return the magnitude at a position; 0 for positions before the start of the axis."""
        if position < self.start + LINEAR_DECADES:
            return max(0.0, (position - self.start) / LINEAR_DECADES * self.low)
        return float(10.0 ** min(position, 308.0))


class MagnitudeAxis(NumberAxis):
    """Numbers below bars; with `Decades`, positions are logarithmic and powers of ten are shown."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self._decades: Decades | None = None

    def set_decades(self, decades: Decades | None) -> None:
        """Set the logarithmic scale; None for plain numbers."""
        if decades != self._decades:
            self._decades = decades
            self.redraw()

    def tickValues(self, start: float, stop: float, size: float) -> list[tuple[float, list[float]]]:
        """Return 0 and powers of ten, with 2 and 5 times each if a decade is wide enough.

        Powers are omitted evenly if decades are narrow, and next to 0. Without `Decades`, plain
        numbers.
        """
        low, high = sorted((start, stop))
        if self._decades is None or high <= low:
            return super().tickValues(start, stop, size)
        decade = size / (high - low)  # pixels
        step = math.ceil(5 * _LETTER / decade)
        first = math.floor(low / step) * step
        powers = [float(at) for at in range(first, math.floor(high) + 1, step)]
        if decade >= 20 * _LETTER:
            powers = [at + math.log10(n) for at in powers for n in (1, 2, 5)]
        # Leave enough space after 0 that labels do not overlap.
        near = self._decades.start + max(LINEAR_DECADES, 4 * _LETTER / decade)
        shown = [at for at in powers if at >= max(low, near)]
        if low <= self._decades.start:
            shown = [self._decades.start, *shown]
        return [(float(step), [at for at in shown if at <= high])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if self._decades is None:
            return super().tickStrings(values, scale, spacing)
        return ["0" if v <= self._decades.start else power_text(v) for v in values]


def power_text(exponent: float) -> str:
    whole = math.floor(exponent + 1e-9)
    digit = round(10 ** (exponent - whole))
    if whole in _PLAIN:
        return value_text(digit * 10.0**whole, 1 if whole < 0 else whole + 1)
    raised = str(whole).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if digit == 1 else f"{digit}·10{raised}"
