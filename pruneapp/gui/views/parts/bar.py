"""The bar that says how much is pruned, and in a preview how much would be."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPainterPath, QPen

from pruneapp.gui.views.parts.painting import saved


def hatch(color: str, ground: str, ratio: float = 1.0) -> QBrush:
    """Return the brush for what would go: diagonal stripes, sharp on any screen.

    Parameters
    ----------
    color, ground
        Of the stripes and between them.
    ratio
        Device pixels for one pixel.
    """
    return QBrush(_stripes(color, ground, ratio))


@lru_cache(maxsize=32)
def _stripes(color: str, ground: str, ratio: float) -> QImage:
    # An image, for a pixmap must not outlive the application.
    side = 6
    size = round(side * ratio)
    tile = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    tile.setDevicePixelRatio(ratio)
    tile.fill(QColor(ground))
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(color), 2.2))
    for start in (-side, 0, side):
        painter.drawLine(start - 1, side + 1, start + side + 1, -1)
    painter.end()
    return tile


def paint_bar(
    painter: QPainter,
    rect: QRectF,
    before: float,
    after: float | None,
    colors: Mapping[str, str],
    *,
    outline: str = "",
) -> None:
    """Paint a bar: solid up to `before`, hatched from there to `after`.

    Parameters
    ----------
    rect
        Where, in the painter's coordinates.
    before, after
        Shares from 0 to 1; `after` is None without a preview.
    colors
        The tokens ``pruned``, ``border`` and ``surface``.
    outline
        Colour of a line around the bar, for grounds on which its ends would be lost.
    """
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath()
        path.addRoundedRect(rect, 3, 3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillPath(path, QColor(colors["border"]))
        painter.setClipPath(path)

        def stretch(start: float, stop: float) -> QRectF:
            # Something is always seen of something, and a gap of a gap.
            left = rect.left() + rect.width() * start
            right = rect.left() + rect.width() * stop
            if stop > start:
                right = max(right, left + 2)
            if 0 < stop < 1:
                right = min(right, rect.right() - 1)
            return QRectF(left, rect.top(), right - left, rect.height())

        if before > 0:
            painter.fillRect(stretch(0, before), QColor(colors["pruned"]))
        if after is not None and after > before:
            ratio = painter.device().devicePixelRatio() if painter.device() else 1.0
            painter.fillRect(
                stretch(before, after),
                hatch(colors["pruned"], colors["surface"], ratio),
            )
        if outline:
            painter.setClipping(False)
            painter.setPen(QPen(QColor(outline), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(path)
