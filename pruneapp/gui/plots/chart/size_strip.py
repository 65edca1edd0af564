"""A strip with all tensors of a file: width is the size in bytes, fill is the sparsity."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pruneapp.gui.plots.chart.items import Floats
from pruneapp.gui.widgets.labels import as_plain
from pruneapp.gui.widgets.sparsity_bar import hatch
from pruneapp.gui.widgets.theme import LIGHT

HEIGHT = 28
_MIN_BORDERED_WIDTH = 3.0  # minimum width in pixels of a tensor with a border


class SizeStrip(QWidget):
    """A strip that shows where the bytes of a file are and how much of them is pruned.

    Each column of pixels shows the mean over its bytes, so painting 100,000 tensors is as fast as
    painting ten.
    """

    hovered = Signal(int)  # the tensor under the mouse or at the cursor; -1 for none
    chosen = Signal(int)  # the user clicked on this tensor or pressed Return on it

    def __init__(self) -> None:
        super().__init__()
        self._ends: Floats = np.zeros(1)
        self._prunable: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._before = self._after = np.zeros(0)
        self._colors: Mapping[str, str] = LIGHT
        self.cursor_at = self._current = -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Size of the tensors"))
        self._explanation = self.tr(
            "The tensors in tree order: width is the size in bytes, the filled part is pruned"
        )
        # The tooltip covers the readout below, so it begins with the same text.
        self.text_of: Callable[[int], str] = lambda _tensor: ""

    @property
    def count(self) -> int:
        """Number of tensors."""
        return self._prunable.size

    @property
    def total(self) -> float:
        """Number of bytes of all tensors."""
        return float(self._ends[-1])

    def set_sizes(self, nbytes: Floats, prunable: NDArray[np.bool_]) -> None:
        """Set the size in bytes of each tensor, and whether it is prunable.

        Resets the shares to 0, and removes the cursor and the mark of the focused tensor.
        """
        self._ends = np.concatenate(([0.0], np.cumsum(nbytes)))
        self._prunable = prunable
        self._before = self._after = np.zeros(nbytes.size)
        self.cursor_at = self._current = -1
        self.update()

    def set_current(self, tensor: int) -> None:
        """Mark the focused tensor; -1 for none."""
        self._current = tensor
        self.update()

    def set_shares(self, before: Floats, after: Floats) -> None:
        """Set the pruned share of each tensor `before` and `after` the previewed step."""
        self._before, self._after = before, after
        self.update()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of a theme (color by token)."""
        self._colors = colors
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, HEIGHT)

    def tensor_at(self, x: float) -> int:
        """Return the tensor at a pixel; -1 outside the strip or without tensors."""
        total = self.total
        if not total or not 0 <= x < self.width():
            return -1
        tensor = int(np.searchsorted(self._ends, x / self.width() * total, side="right")) - 1
        return min(tensor, self.count - 1)

    def pixels_of(self, tensor: int) -> tuple[float, float]:
        """Return the pixels at which a tensor begins and ends."""
        scale = self.width() / (self.total or 1.0)
        return float(self._ends[tensor]) * scale, float(self._ends[tensor + 1]) * scale

    def event(self, event: QEvent) -> bool:
        """Show what the tensor under the mouse is, and what the strip shows, as a tooltip."""
        if not isinstance(event, QHelpEvent) or event.type() != QEvent.Type.ToolTip:
            return super().event(event)
        tensor = self.tensor_at(event.pos().x())
        rect, lines = self.rect(), [self._explanation]
        if tensor >= 0:
            left, right = self.pixels_of(tensor)
            rect = QRect(int(left), 0, max(1, math.ceil(right - int(left))), self.height())
            lines.insert(0, self.text_of(tensor))
        QToolTip.showText(event.globalPos(), as_plain("\n".join(lines)), self, rect)
        return True

    # -- painting -------------------------------------------------------------------------------

    def columns(self) -> Floats:
        """Return ``float64[3, width]``: shares prunable, pruned, and pruned after the preview.

        Each column of pixels has the means over its bytes, from 0 to 1; zeros without tensors.
        """
        wide = max(1, self.width())
        places = np.linspace(0.0, float(self._ends[-1]), wide + 1)
        sizes = np.diff(self._ends)
        columns = np.zeros((3, wide))
        parts = (self._prunable.astype(np.float64), self._before, self._after)
        for row, part in zip(columns, parts, strict=True):
            sums = np.concatenate(([0.0], np.cumsum(sizes * part)))
            row[:] = np.diff(np.interp(places, self._ends, sums)) / max(places[1], 1e-300)
        return np.clip(columns, 0.0, 1.0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        colors = self._colors
        whole = QRectF(self.rect())
        painter.fillRect(whole, QColor(colors.get("track", colors["border"])))
        if self._ends[-1]:
            self._paint_columns(painter)
            self._paint_borders(painter)
        accent = QColor(colors["accent"])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for at in {self._current, self.cursor_at if self.hasFocus() else -1}:
            if 0 <= at < self.count:
                left, right = self.pixels_of(at)
                painter.setPen(QPen(accent, 2))
                painter.drawRect(QRectF(left, 1, max(right - left, 3), self.height() - 2))
        if self.hasFocus():
            painter.setPen(QPen(accent, 1))
            painter.drawRect(whole.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    def _paint_columns(self, painter: QPainter) -> None:
        high = float(self.height())
        device = painter.device()
        ratio = device.devicePixelRatio() if device else 1.0
        kept, pruned = QColor(self._colors["kept"]), QColor(self._colors["pruned"])
        to_prune = hatch(self._colors["pruned"], self._colors["surface"], ratio)
        # Rounding to half a pixel is invisible and merges columns into fewer rectangles.
        columns = np.round(self.columns() * 2 * high) / (2 * high)
        turns = np.flatnonzero((np.diff(columns, axis=1) != 0).any(axis=0)) + 1
        ends = [0, *turns.tolist(), columns.shape[1]]
        for left, right in pairwise(ends):
            prunable, before, after = (float(part) for part in columns[:, left])
            foot = high
            for share, brush in (
                (before, QBrush(pruned)),
                (after - before, to_prune),
                (prunable - after, QBrush(kept)),
            ):
                if share > 0:
                    painter.fillRect(
                        QRectF(left, foot - share * high, right - left, share * high), brush
                    )
                    foot -= share * high

    def _paint_borders(self, painter: QPainter) -> None:
        scale = self.width() / float(self._ends[-1])
        bordered = np.flatnonzero(np.diff(self._ends) * scale >= _MIN_BORDERED_WIDTH)
        painter.setPen(QPen(QColor(self._colors["surface"]), 1))
        for x in np.unique(
            np.concatenate((self._ends[bordered], self._ends[bordered + 1])) * scale
        ):
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))

    # -- mouse and keys -------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(self.tensor_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        tensor = self.tensor_at(event.position().x())
        if tensor >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.cursor_at = tensor
            self.update()
            self.chosen.emit(tensor)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(-1)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at = self.cursor_at
        places = {
            Qt.Key.Key_Left: max(at - 1, 0),
            Qt.Key.Key_Right: at + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: self.count - 1,
        }
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or not self.count:
            super().keyPressEvent(event)
        elif Qt.Key(event.key()) in places:
            self.cursor_at = min(places[Qt.Key(event.key())], self.count - 1)
            self.update()
            self.hovered.emit(self.cursor_at)
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and at >= 0:
            self.chosen.emit(at)
        else:
            super().keyPressEvent(event)
