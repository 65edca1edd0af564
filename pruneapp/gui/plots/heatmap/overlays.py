"""What lies over the tiles: borders of kernels and cells, values, what is drawn, the cursor.

All of it is painted in pixels of the window; `place` says where the weights are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPainter, QPen, QTransform

from pruneapp.gui.plots.base.readout_wording import value_text
from pruneapp.gui.plots.heatmap import shading_colormap
from pruneapp.gui.plots.heatmap.drawing_tools import Rect
from pruneapp.gui.plots.heatmap.overlays_painted import PaintedTile
from pruneapp.results.tile import Layout, Tile

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
    """Write the values into their cells, where the tile has them and they can be seen whole.

    A piece of a number would be taken for another one.
    """
    part, pixels = painted.tile.request, painted.pixels
    values = painted.tile.values if isinstance(painted.tile, Tile) else painted.tile.change
    if part.pool != 1 or pixels is None or pixels.shape != values.shape:
        return
    font = QFont(font)
    font.setPixelSize(11)
    painter.setFont(font)
    height, width = values.shape
    window = place.mapRect(shown)
    for row in range(math.floor(shown.top()), math.ceil(shown.bottom())):
        for column in range(math.floor(shown.left()), math.ceil(shown.right())):
            i, j = row - part.row, column - part.column
            if not (0 <= i < height and 0 <= j < width):
                continue
            cell = place.mapRect(QRectF(column, row, 1, 1))
            text = value_text(float(values[i, j]), 3)
            ground = painter.fontMetrics().boundingRect(text)
            ground.moveCenter(cell.center().toPoint())
            if not window.contains(QRectF(ground)):
                continue
            pixel = int(pixels[i, j])
            painter.setPen(QColor(shading_colormap.readable_on(pixel)))
            if painted.hatched[i, j] > 0:
                # On stripes the value needs a ground of its own.
                painter.fillRect(ground.adjusted(-2, 0, 2, 0), QBrush(QColor(pixel)))
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)


def paint_selection(
    painter: QPainter,
    place: QTransform,
    shown: QRectF,
    rects: Iterable[Rect],
    colors: Mapping[str, str],
) -> QRect:
    """Paint what is drawn: tinted, with an outline that is seen on any colour; return where.

    It is put together in pixels of the screen, so that a long stroke takes no longer than a
    rectangle.
    """
    ratio = painter.device().devicePixelRatio()
    # A little further than can be seen, so that no edge appears where the window ends.
    limits = place.mapRect(shown).adjusted(-4, -4, 4, 4)
    parts = _on_screen(place, rects, limits, ratio)
    if not parts.size:
        return QRect()
    line = max(1, round(ratio))
    margin = 3 * line
    left, top = parts[:, :2].min(axis=0) - margin
    right, bottom = parts[:, 2:].max(axis=0) + margin
    chosen = np.zeros((bottom - top, right - left), np.bool_)
    for x, y, until_x, until_y in (parts - np.array([left, top] * 2)).tolist():
        chosen[y:until_y, x:until_x] = True
    inner = _grown(chosen, line)
    kinds = _grown(inner, 2 * line).astype(np.uint8)
    kinds[inner] = 2
    kinds[chosen] = 3
    tint = QColor(colors["accent"])
    shades = [0, *(QColor(colors[name]).rgba() for name in ("accent", "surface"))]
    shades.append(QColor(tint.red(), tint.green(), tint.blue(), 56).rgba())
    height, width = kinds.shape
    pixels = np.array(shades, np.uint32).take(kinds)
    image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_ARGB32)
    where = QRectF(left / ratio, top / ratio, width / ratio, height / ratio)
    painter.drawImage(where, image)
    return where.toAlignedRect()


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
    place: QTransform, rects: Iterable[Rect], limits: QRectF, ratio: float
) -> NDArray[np.int64]:
    """Return ``int64[n, 4]``: left, top, right, bottom in pixels, none empty, none twice."""
    found = np.array([(r.left, r.top, r.right, r.bottom) for r in rects], np.float64)
    if not found.size:
        return np.zeros((0, 4), np.int64)
    scale = np.array([place.m11(), place.m22()] * 2)
    found = (found * scale + np.array([place.dx(), place.dy()] * 2)) * ratio
    low, high = np.floor(found[:, :2] + 0.5), np.floor(found[:, 2:] + 0.5)
    high = np.maximum(high, low + 1)
    low = np.maximum(low, np.floor([limits.left() * ratio, limits.top() * ratio]))
    high = np.minimum(high, np.ceil([limits.right() * ratio, limits.bottom() * ratio]))
    seen = np.concatenate([low, high], axis=1)[(low < high).all(axis=1)].astype(np.int64)
    # Many rows of weights fall on one of the screen.
    return np.unique(seen, axis=0)


def _grown(area: NDArray[np.bool_], pixels: int) -> NDArray[np.bool_]:
    """Return an area that reaches so many pixels further on all sides."""
    for _ in range(pixels):
        area = area.copy()
        area[:, 1:] |= area[:, :-1].copy()
        area[:, :-1] |= area[:, 1:].copy()
        area[1:] |= area[:-1].copy()
        area[:-1] |= area[1:].copy()
    return area


def paint_cursor(painter: QPainter, cell: QRectF, colors: Mapping[str, str]) -> None:
    """Paint a frame around the cursor's weight, never so small that it would be lost."""
    grow = max(0.0, (7 - cell.width()) / 2), max(0.0, (7 - cell.height()) / 2)
    cell = cell.adjusted(-grow[0], -grow[1], grow[0], grow[1])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(colors["surface"]), 1))
    painter.drawRect(cell.adjusted(-3, -3, 2, 2))
    painter.setPen(QPen(QColor(colors["accent"]), 2))
    painter.drawRect(cell.adjusted(-1, -1, 1, 1))
