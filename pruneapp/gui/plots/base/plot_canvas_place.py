"""Where things are: from numbers on two axes to pixels, and back."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF


@dataclass(frozen=True)
class PlotArea:
    """The area between the axes.

    Attributes
    ----------
    rect
        In pixels of the canvas.
    x, y
        What can be seen along each axis: low and high.
    sideways
        Whether x goes down from the top, and y to the right.
    """

    rect: QRectF
    x: tuple[float, float]
    y: tuple[float, float]
    sideways: bool = False

    def pixel(self, x: float, y: float) -> QPointF:
        """Return the pixel of a point."""
        (left, right), (low, high) = self.x, self.y
        if self.sideways:
            return QPointF(
                self.rect.left() + (y - low) / ((high - low) or 1) * self.rect.width(),
                self.rect.top() + (x - left) / ((right - left) or 1) * self.rect.height(),
            )
        return QPointF(
            self.rect.left() + (x - left) / ((right - left) or 1) * self.rect.width(),
            self.rect.bottom() - (y - low) / ((high - low) or 1) * self.rect.height(),
        )

    def point(self, pixel: QPointF) -> QPointF:
        """Return the point at a pixel."""
        (left, right), (low, high) = self.x, self.y
        rect = self.rect
        if self.sideways:
            return QPointF(
                left + (pixel.y() - rect.top()) / (rect.height() or 1) * (right - left),
                low + (pixel.x() - rect.left()) / (rect.width() or 1) * (high - low),
            )
        return QPointF(
            left + (pixel.x() - rect.left()) / (rect.width() or 1) * (right - left),
            low + (rect.bottom() - pixel.y()) / (rect.height() or 1) * (high - low),
        )
