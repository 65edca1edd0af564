"""What lies over the tiles: borders of kernels and cells, values, what is drawn, the cursor.

All of it is painted in pixels of the window; `place` says where the weights are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from PySide6.QtCore import QLineF, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen, QRegion, QTransform

from pruneapp.answers import Layout, Tile
from pruneapp.gui.views.pictures import colormap
from pruneapp.gui.views.pictures.frame.wording import value_text
from pruneapp.gui.views.pictures.raster.painted import PaintedTile
from pruneapp.gui.views.pictures.raster.selection import Rect

# Pixels for a weight, or a kernel, from which on something is drawn.
KERNELS_FROM = 3.0
KERNEL_FROM = 12.0
CELLS_FROM = 24.0


def paint_borders(
    painter: QPainter,
    place: QTransform,
    shown: QRectF,
    layout: Layout,
    colors: Mapping[str, str],
) -> None:
    """Paint lines between kernels, and thin ones between weights."""
    across, down = place.m11(), place.m22()
    lines: list[tuple[int, bool, bool]] = []  # every how many weights, upright, a kernel's
    if min(across, down) >= CELLS_FROM:
        lines += [(1, True, False), (1, False, False)]
    for dims, scale, upright in (
        (layout.column_dims, across, True),
        (layout.row_dims, down, False),
    ):
        block = math.prod(layout.shape[d] for d in dims[1:])
        if block > 1 and scale >= KERNELS_FROM and block * scale >= KERNEL_FROM:
            lines.append((block, upright, True))
    for step, upright, kernel in lines:
        color = QColor(colors["surface"])
        color.setAlphaF(1.0 if kernel else 0.25)
        wide = kernel and min(across, down) >= 10
        painter.setPen(QPen(color, 2 if wide else 1))
        start, stop = (shown.left(), shown.right()) if upright else (shown.top(), shown.bottom())
        places = range(math.ceil(start / step) * step, math.floor(stop) + 1, step)
        painter.drawLines(
            [
                place.map(
                    QLineF(at, shown.top(), at, shown.bottom())
                    if upright
                    else QLineF(shown.left(), at, shown.right(), at)
                )
                for at in places
            ]
        )


def paint_values(
    painter: QPainter, place: QTransform, shown: QRectF, painted: PaintedTile, font: QFont
) -> None:
    """Write the values into their cells, where the tile has them."""
    part, pixels = painted.tile.request, painted.pixels
    values = painted.tile.values if isinstance(painted.tile, Tile) else painted.tile.change
    if part.pool != 1 or pixels is None or pixels.shape != values.shape:
        return
    font = QFont(font)
    font.setPixelSize(11)
    painter.setFont(font)
    height, width = values.shape
    for row in range(math.floor(shown.top()), math.ceil(shown.bottom())):
        for column in range(math.floor(shown.left()), math.ceil(shown.right())):
            i, j = row - part.row, column - part.column
            if not (0 <= i < height and 0 <= j < width):
                continue
            cell = place.mapRect(QRectF(column, row, 1, 1))
            text = value_text(float(values[i, j]), 3)
            pixel = int(pixels[i, j])
            painter.setPen(QColor(colormap.readable_on(pixel)))
            if painted.hatched[i, j] > 0:
                # On stripes the value needs a ground of its own.
                ground = painter.fontMetrics().boundingRect(text)
                ground.moveCenter(cell.center().toPoint())
                painter.fillRect(ground.adjusted(-2, 0, 2, 0), QBrush(QColor(pixel)))
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)


def paint_selection(
    painter: QPainter,
    place: QTransform,
    shown: QRectF,
    rects: Iterable[Rect],
    colors: Mapping[str, str],
) -> QRect:
    """Paint what is drawn: tinted, with an outline that is seen on any colour; return where."""
    # A little further than can be seen, so that no edge appears where the window ends.
    limits = place.mapRect(shown).adjusted(-4, -4, 4, 4)
    region = QRegion()
    for left, top, right, bottom in _on_screen(place, rects, limits):
        region += QRect(left, top, right - left, bottom - top)
    if region.isEmpty():
        return QRect()
    inner, outer = _grown(region), _grown(_grown(_grown(region)))
    tint = QColor(colors["accent"])
    tint.setAlphaF(0.22)
    for part, color in (
        (region, tint),
        (inner - region, QColor(colors["surface"])),
        (outer - inner, QColor(colors["accent"])),
    ):
        painter.save()
        painter.setClipRegion(part, Qt.ClipOperation.IntersectClip)
        painter.fillRect(part.boundingRect(), color)
        painter.restore()
    return outer.boundingRect()


def paint_label(
    painter: QPainter, beside: QRect, room: QRectF, text: str, colors: Mapping[str, str]
) -> None:
    """Write how much is drawn: below it, else above it, else where there is room."""
    if beside.isEmpty():
        return
    label = painter.fontMetrics().boundingRect(text).adjusted(-6, -3, 6, 3)
    inside = room.toAlignedRect().adjusted(4, 4, -4, -4)
    top = beside.bottom() + 5
    if top + label.height() > inside.bottom():
        top = max(beside.top() - 5 - label.height(), inside.top())
    left = max(inside.left(), min(beside.left(), inside.right() - label.width()))
    label.moveTopLeft(QPoint(left, top))
    painter.setPen(QPen(QColor(colors["accent"]), 1))
    painter.setBrush(QColor(colors["surface"]))
    painter.drawRect(label)
    painter.setPen(QColor(colors["text"]))
    painter.drawText(label, Qt.AlignmentFlag.AlignCenter, text)


def _on_screen(
    place: QTransform, rects: Iterable[Rect], limits: QRectF
) -> list[tuple[int, int, int, int]]:
    """Return rectangles in pixels, none twice, at least one pixel large."""
    found = np.array([(r.left, r.top, r.right, r.bottom) for r in rects], np.float64)
    if not found.size:
        return []
    scale = np.array([place.m11(), place.m22()] * 2)
    found = found * scale + np.array([place.dx(), place.dy()] * 2)
    low, high = np.floor(found[:, :2] + 0.5), np.floor(found[:, 2:] + 0.5)
    high = np.maximum(high, low + 1)
    low = np.maximum(low, [limits.left(), limits.top()])
    high = np.minimum(high, [limits.right(), limits.bottom()])
    seen = np.concatenate([low, high], axis=1)[(low < high).all(axis=1)].astype(np.int64)
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in np.unique(seen, axis=0)]


def _grown(region: QRegion) -> QRegion:
    """Return a region that reaches one pixel further."""
    wide = region + region.translated(1, 0) + region.translated(-1, 0)
    return QRegion(wide + wide.translated(0, 1) + wide.translated(0, -1))


def paint_cursor(painter: QPainter, cell: QRectF, colors: Mapping[str, str]) -> None:
    """Paint a frame around the cursor's weight, never so small that it would be lost."""
    grow = max(0.0, (7 - cell.width()) / 2), max(0.0, (7 - cell.height()) / 2)
    cell = cell.adjusted(-grow[0], -grow[1], grow[0], grow[1])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(colors["surface"]), 1))
    painter.drawRect(cell.adjusted(-3, -3, 2, 2))
    painter.setPen(QPen(QColor(colors["accent"]), 2))
    painter.drawRect(cell.adjusted(-1, -1, 1, 1))
