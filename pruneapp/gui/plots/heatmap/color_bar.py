"""The color bar of the heatmap: a histogram of the drawn values, and handles for contrast limits.

pyqtgraph's ``HistogramLUTItem`` is not used: it computes the histogram itself, has no keys, and
needs a view of its own, which does not fit into a line of the legend.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from pruneapp.gui.plots.base.readout import value_text
from pruneapp.gui.plots.heatmap.shading import AnyTile, ContrastLimits, Pixels, sample_of
from pruneapp.gui.widgets.labels import as_plain
from pruneapp.gui.widgets.theme import LIGHT

# In pixels.
_SIDE = 6  # left and right of the bar, for a handle at its end
_BAR = 12
_HISTOGRAM = 20
_HANDLE = 4.5  # half of its width
_HIT = 10
_WIDEST, _NARROWEST = 172, 64
_BINS = 80

_STEPS = 100  # of the keys, in the width of the bar
_PAGE = 10
_CLOSEST = 200  # the least distance of the limits is this part of the width
LARGEST = 1e38  # float32 ends there


def limit_texts(limits: ContrastLimits) -> tuple[str, str]:
    """Return both limits with as many digits as their distance needs, at least two.

    Whole numbers up to 99,999 have no exponent.
    """
    largest, distance = max(-limits.low, limits.high), limits.high - limits.low
    digits = len(str(round(largest))) if 100 <= largest < 1e5 else 2
    while digits < 7 and distance * 10 ** (digits - 1) < 2 * largest:
        digits += 1
    return value_text(limits.low, digits), value_text(limits.high, digits)


class DrawnValues:
    """The values of a tile that are drawn in their colors, and their last histogram."""

    def __init__(self, tile: AnyTile | None = None, *, kept_only: bool = False) -> None:
        self._key = tile, kept_only
        empty = np.zeros(0, np.float32)
        self._sample = empty if tile is None else sample_of(tile, kept_only=kept_only)
        self.largest = float(np.abs(self._sample).max(initial=0))
        self._bins: tuple[tuple[float, float], bool] | None = None
        self._counts: NDArray[np.int64] = np.zeros(0, np.int64)

    def of(self, tile: AnyTile, *, kept_only: bool) -> DrawnValues:
        """Return the values of a tile; this object, if it has them."""
        known = self._key == (tile, kept_only)
        return self if known else DrawnValues(tile, kept_only=kept_only)

    def share_outside(self, limits: ContrastLimits) -> float:
        """Return the share of the values, or of the magnitudes, outside limits; 0 without any."""
        values = self._sample if limits.signed else np.abs(self._sample)
        # In float32, in which the values are stored.
        low, high = np.float32(limits.low), np.float32(limits.high)
        n_outside = np.count_nonzero(values < low) + np.count_nonzero(values > high)
        return n_outside / max(1, values.size)

    def counts(self, bounds: tuple[float, float], *, signed: bool) -> NDArray[np.int64]:
        """Return a histogram of the values, or of the magnitudes, within bounds, ``int64[80]``."""
        if self._bins != (bounds, signed):
            self._bins = bounds, signed
            low, high = bounds
            values = self._sample if signed else np.abs(self._sample)
            # np.histogram fails if the bounds are not distinct numbers in float32.
            at = np.floor((values.astype(np.float64) - low) / (high - low) * _BINS)
            inside = at[(at >= 0) & (at < _BINS)].astype(np.int64)
            self._counts = np.bincount(inside, minlength=_BINS)
        return self._counts


class ColorBar(QWidget):
    """The colors between two limits, on an axis of values, below a histogram if there is height.

    The owner sets new limits with `show_scale`.
    """

    limitsChosen = Signal(object)  # (ContrastLimits) the user moved a handle
    resetRequested = Signal()  # the user wants the automatic limits
    entryRequested = Signal()  # the user wants to type limits

    def __init__(self) -> None:
        super().__init__()
        self.limits = ContrastLimits(0.0, 1.0)
        self.bounds = 0.0, 1.0  # values at the ends of the bar
        self.centered = False
        self._ramp: Pixels = np.zeros(1, np.uint32)
        self._counts: NDArray[np.int64] = np.zeros(0, np.int64)
        self._colors: Mapping[str, str] = LIGHT
        self._active = 1  # the handle that keys move: 0 for the lower limit
        self._grabbed: float | None = None  # pixels from the mouse to the grabbed handle
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        tip = self.tr(
            "Drag the handles, or press the arrow keys, PgUp and PgDn, to change the contrast. "
            "Double-click or Home: automatic limits. Enter or right-click: type the limits."
        )
        self.setToolTip(as_plain(tip))
        self.setAccessibleDescription(tip)
        self._update_name()

    # -- setters ----------------------------------------------------------------------------------

    def show_scale(
        self,
        limits: ContrastLimits,
        bounds: tuple[float, float],
        *,
        centered: bool,
        ramp: Pixels,
        counts: NDArray[np.int64],
    ) -> None:
        """Show limits and a histogram; emits no signal.

        Parameters
        ----------
        limits
            Within `bounds`.
        bounds
            Values at the ends of the bar.
        centered
            Whether both limits move, so that they stay symmetric.
        ramp
            Colors from the lower to the upper limit.
        counts
            The histogram between the bounds; empty without one.
        """
        self.limits, self.bounds, self.centered = limits, bounds, centered
        self._ramp, self._counts = np.ascontiguousarray(ramp), counts
        self._update_name()
        self.update()

    def _update_name(self) -> None:
        low, high = limit_texts(self.limits)
        name = self.tr("Contrast limits: {low} to {high}").format(low=low, high=high)
        self.setAccessibleName(name)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of a theme (color by token)."""
        self._colors = colors
        self.update()

    # -- geometry ---------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(_WIDEST, _HISTOGRAM + _BAR + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(_NARROWEST, _BAR + 4)

    def x_of(self, value: float) -> float:
        """Return the position of a value on the bar, in pixels of this widget."""
        low, high = self.bounds
        return _SIDE + (value - low) / (high - low) * (self.width() - 2 * _SIDE)

    def _value_at(self, x: float) -> float:
        low, high = self.bounds
        return low + (x - _SIDE) / (self.width() - 2 * _SIDE) * (high - low)

    def _bar_rect(self) -> QRectF:
        top = self.height() - _BAR - 2
        return QRectF(_SIDE, top, self.width() - 2 * _SIDE, _BAR)

    # -- user actions -----------------------------------------------------------------------------

    def _move(self, value: float) -> None:
        """Emit `limitsChosen` for the active handle at a value, kept off the other one."""
        (low, high, signed), (first, last) = self.limits, self.bounds
        closest = (last - first) / _CLOSEST
        if self.centered:
            high = max(closest, value if self._active else -value)
            low = -high
        elif self._active:
            high = max(value, low + closest)
        else:
            low = min(value, high - closest)
            low = low if signed else max(low, 0.0)
        chosen = ContrastLimits(max(low, -LARGEST), min(high, LARGEST), signed)
        if chosen != self.limits:
            self.limitsChosen.emit(chosen)

    def _nearest(self, x: float) -> int:
        """Return the handle closest to a pixel; of two at one place, the one on that side."""
        left, right = (self.x_of(value) for value in self.limits[:2])
        return int(abs(x - right) < abs(x - left) or (left == right and x > left))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        x = event.position().x()
        self._active = self._nearest(x)
        self._grabbed = x - self.x_of(self.limits[self._active])
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._grabbed is not None:
            low, high = self.bounds
            self._move(min(max(self._value_at(x - self._grabbed), low), high))
        elif abs(x - self.x_of(self.limits[self._nearest(x)])) <= _HIT:
            self.setCursor(Qt.CursorShape.SplitHCursor)
        else:
            self.unsetCursor()

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._grabbed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed = None
            self.resetRequested.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the active handle, also beyond the end of the bar, or do as the tooltip says."""
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_PageDown: -_PAGE,
            Qt.Key.Key_PageUp: _PAGE,
        }.get(Qt.Key(event.key()))
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
        elif event.key() == Qt.Key.Key_Home:
            self.resetRequested.emit()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.entryRequested.emit()
        elif steps is not None:
            step = (self.bounds[1] - self.bounds[0]) / _STEPS
            self._move(self.limits[self._active] + steps * step)
        else:
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() in {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}:
            self._active = int(event.reason() == Qt.FocusReason.BacktabFocusReason)
        super().focusInEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Go to the other handle, and from the last one, or if both move, to the next widget."""
        if self.hasFocus() and self._active != int(forward) and not self.centered:
            self._active = int(forward)
            self.update()
            return True
        return super().focusNextPrevChild(forward)

    # -- painting ---------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        bar = self._bar_rect()
        left, right = (self.x_of(value) for value in self.limits[:2])
        if bar.top() >= _HISTOGRAM:
            self._paint_histogram(painter, bar, left, right)
        pixels = self._ramp
        first, last = (QColor(int(pixels[at]) & 0xFFFFFF) for at in (0, -1))
        painter.fillRect(QRectF(bar.left(), bar.top(), left - bar.left(), bar.height()), first)
        painter.fillRect(QRectF(right, bar.top(), bar.right() - right, bar.height()), last)
        image = QImage(pixels.data, pixels.size, 1, pixels.size * 4, QImage.Format.Format_RGB32)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(left, bar.top(), right - left, bar.height()), image)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._colors["muted"]), 1))
        painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for handle, x in enumerate((left, right)):
            active = self.hasFocus() and (handle == self._active or self.centered)
            self._paint_handle(painter, x, bar, active=active)
        painter.end()

    def _paint_histogram(self, painter: QPainter, bar: QRectF, left: float, right: float) -> None:
        """Paint the counts as areas, on a scale of square roots: few large values are visible."""
        highest = int(self._counts.max(initial=0))
        if not highest:
            return
        heights = np.sqrt(self._counts / highest) * _HISTOGRAM
        heights[self._counts > 0] = np.maximum(heights[self._counts > 0], 1.0)
        edges = np.linspace(bar.left(), bar.right(), heights.size + 1)
        outline = [QPointF(bar.left(), bar.top())]
        for high, start, stop in zip(heights, edges[:-1], edges[1:], strict=True):
            outline += [QPointF(start, bar.top() - high), QPointF(stop, bar.top() - high)]
        polygon = QPolygonF([*outline, QPointF(bar.right(), bar.top())])
        painter.setPen(Qt.PenStyle.NoPen)
        for token, start, stop in (("border", 0.0, float(self.width())), ("muted", left, right)):
            painter.setClipRect(QRectF(start, 0, stop - start, bar.top()))
            painter.setBrush(QColor(self._colors[token]))
            painter.drawPolygon(polygon)
        painter.setClipping(False)

    def _paint_handle(self, painter: QPainter, x: float, bar: QRectF, *, active: bool) -> None:
        top = max(0.0, bar.top() - _HISTOGRAM)
        ink = QColor(self._colors["accent" if active else "text"])
        painter.setPen(QPen(ink, 1.5))
        painter.drawLine(QPointF(x, top + 1), QPointF(x, bar.top()))
        grip = QRectF(x - _HANDLE, bar.top() - 1, 2 * _HANDLE, bar.height() + 2)
        painter.setPen(QPen(ink, 2 if active else 1.5))
        painter.setBrush(QColor(self._colors["surface"]))
        painter.drawRoundedRect(grip.adjusted(1, 0.5, -1, -0.5), 2, 2)
