"""The sparsity bar, which also shows the sparsity of a preview."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPainterPath, QPen


def hatch(color: str, ground: str, ratio: float = 1.0) -> QBrush:
    """Return the brush of weights to be pruned: diagonal stripes, sharp at any pixel ratio."""
    return QBrush(_stripes(color, ground, ratio))


@lru_cache(maxsize=32)
def _stripes(color: str, ground: str, ratio: float) -> QImage:
    """Return the tile of `hatch`; cached."""
    # QImage, as a QPixmap must not outlive the application.
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
    """Paint a bar: solid from 0 to `before`, hatched from there to `after`, both from 0 to 1.

    No hatch if `after` is None or not larger. A small share, or rest, stays visible. A moving
    slider changes dozens of bars per frame, mostly to values that one of them had a moment ago.
    Images are therefore cached, with fractions rounded to a quarter of a device pixel. `outline` is
    the color of a border, for backgrounds on which the ends would not be visible; "" for none.
    """
    track = colors.get("track", colors["border"])
    if track != colors["border"]:  # high contrast: the ends of the track would not be visible
        outline = outline or colors["border"]
    place = painter.deviceTransform()
    ratio = place.m11()
    # The offset within a device pixel is part of the cache key.
    left, top = ratio * rect.left() + place.dx(), ratio * rect.top() + place.dy()
    steps = max(1, round(4 * ratio * rect.width()))
    image = _bar(
        (left % 1, top % 1, rect.width(), rect.height()),
        _round_share(before, steps),
        None if after is None else _round_share(after, steps),
        (track, colors["pruned"], colors["surface"], outline),
        ratio,
    )
    margin = 1 / ratio  # for an outline
    corner = QPointF(rect.left() - (left % 1) / ratio, rect.top() - (top % 1) / ratio)
    painter.drawImage(corner - QPointF(margin, margin), image)


def _round_share(share: float, steps: int) -> float:
    # A small part, or a small gap, stays visible.
    if 0 < share < 1:
        return min(max(round(share * steps), 1), steps - 1) / steps
    return share


@lru_cache(maxsize=1024)
def _bar(
    at: tuple[float, float, float, float],
    before: float,
    after: float | None,
    colors: tuple[str, str, str, str],
    ratio: float,
) -> QImage:
    """Return the image of a bar with the pruned shares `before` and `after` a step.

    `at` is the offset within a device pixel (x, y), and the size (width, height) of the bar.
    """
    x, y, width, height = at
    size = (math.ceil(x + ratio * width) + 2, math.ceil(y + ratio * height) + 2)
    image = QImage(*size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    track, pruned, surface, outline = colors
    rect = QRectF((x + 1) / ratio, (y + 1) / ratio, width, height)

    def stretch(start: float, stop: float) -> QRectF:
        """Return the part of the bar between two shares.

        It is at least 2 pixels wide if `stop` is larger than `start`.
        """
        left = rect.left() + rect.width() * start
        right = rect.left() + rect.width() * stop
        if stop > start:
            right = max(right, left + 2)
        if 0 < stop < 1:
            right = min(right, rect.right() - 1)
        return QRectF(left, rect.top(), right - left, rect.height())

    path = QPainterPath()
    path.addRoundedRect(rect, 3, 3)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillPath(path, QColor(track))
    painter.setClipPath(path)
    if before > 0:
        painter.fillRect(stretch(0, before), QColor(pruned))
    if after is not None and after > before:
        painter.fillRect(stretch(before, after), hatch(pruned, surface, ratio))
    if outline:
        painter.setClipping(False)
        painter.setPen(QPen(QColor(outline), 1))
        painter.drawPath(path)
    painter.end()
    return image
