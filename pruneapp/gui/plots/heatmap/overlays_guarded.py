"""What is protected, seen at any zoom: an outline, a pattern where that would be a tangle, locks.

White and black lie side by side, so that the line is seen on every colour of the picture.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QTransform

from pruneapp.gui.plots.chart.items_marks import paint_lock
from pruneapp.gui.plots.heatmap.overlays_painted import PaintedTile
from pruneapp.gui.widgets.safe_paint import saved

# Pixels of a cell from which on its edges can be outlined, and a lock fits into its corner.
OUTLINE_FROM = 6.0
LOCKS_FROM = 28.0
# More pieces of outline than this are a tangle, which a pattern shows better.
MOST_LINES = 3000
# So many cells of which less than half is protected are a sprinkling, not an area.
MANY_CELLS = 64

_WHITE, _BLACK = QColor("#ffffff"), QColor("#000000")


def paint_guarded(
    painter: QPainter,
    place: QTransform,
    shown: QRectF,
    painted: PaintedTile,
    colors: Mapping[str, str],
) -> None:
    """Paint the border of what is protected: 2 px white within, 2 px black outside.

    Cells that are too small are taken together, and one protected weight among them counts.
    """
    pool = painted.tile.request.pool
    texel = pool * place.m11(), pool * place.m22()
    group = max(1, math.ceil(OUTLINE_FROM / texel[1])), max(1, math.ceil(OUTLINE_FROM / texel[0]))
    found = painted.guarded_cells(group)
    if found is None:
        return
    part = painted.tile.request
    high, wide = pool * group[0], pool * group[1]
    left = max(0, math.floor((shown.left() - part.column) / wide))
    top = max(0, math.floor((shown.top() - part.row) / high))
    right = math.ceil((shown.right() - part.column) / wide)
    bottom = math.ceil((shown.bottom() - part.row) / high)
    shares = found[top:bottom, left:right]
    cells = shares > 0
    many = int(cells.sum())
    if not many:
        return
    origin = place.map(QPointF(part.column + left * wide, part.row + top * high))
    scale = wide * place.m11(), high * place.m22()
    lines = _outline(cells)
    # The last cell may reach beyond the picture.
    whole = place.mapRect(QRectF(part.column, part.row, part.columns, part.rows))
    with saved(painter):
        scattered = many >= MANY_CELLS and float(shares.sum()) < many / 2
        if scattered or len(lines) > MOST_LINES:
            painter.setClipRect(whole, Qt.ClipOperation.IntersectClip)
            _paint_pattern(painter, cells, QRectF(origin.x(), origin.y(), *scale))
        else:
            _paint_lines(painter, lines, (origin, scale), whole)
        if pool == 1 and min(scale) >= LOCKS_FROM:
            for row, column in np.argwhere(cells):
                corner = QPointF(
                    origin.x() + (column + 1) * scale[0] - 15, origin.y() + row * scale[1] + 5
                )
                paint_lock(painter, QRectF(corner.x(), corner.y(), 9, 11), colors)


def _outline(cells: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return ``float64[n, 6]``: both ends (x, y) of each border, and where its inside is."""
    around = np.pad(cells, 1)
    pieces = []
    for upright in (False, True):
        grid = around.T if upright else around
        inner = grid[:, 1:-1]
        for inside in (1, -1):  # a border above its cells, and one below
            edge = inner[1:, :] & ~inner[:-1, :] if inside == 1 else inner[:-1, :] & ~inner[1:, :]
            ends = np.diff(np.pad(edge, ((0, 0), (1, 1))).astype(np.int8), axis=1)
            rows, starts = np.nonzero(ends == 1)
            _, stops = np.nonzero(ends == -1)
            way = np.full(rows.size, float(inside))
            none = np.zeros(rows.size)
            if upright:
                pieces.append(np.stack([rows, starts, rows, stops, way, none], axis=1))
            else:
                pieces.append(np.stack([starts, rows, stops, rows, none, way], axis=1))
    return np.concatenate(pieces).astype(np.float64)


def _paint_lines(
    painter: QPainter,
    lines: NDArray[np.float64],
    how: tuple[QPointF, tuple[float, float]],
    whole: QRectF,
) -> None:
    origin, scale = how
    ends = lines[:, :4] * np.array(scale * 2) + np.array([origin.x(), origin.y()] * 2)
    ends = np.floor(np.minimum(ends, [whole.right(), whole.bottom()] * 2) + 0.5)
    for shift, color in ((-1.0, _BLACK), (1.0, _WHITE)):
        moved = ends + shift * np.tile(lines[:, 4:], 2)
        array = pg.Qt.internals.PrimitiveArray(QLineF, 4)
        array.resize(len(moved))
        array.ndarray()[:] = moved
        pen = QPen(color, 2)
        pen.setCapStyle(Qt.PenCapStyle.SquareCap)
        painter.setPen(pen)
        painter.drawLines(*array.drawargs())


def _paint_pattern(painter: QPainter, cells: NDArray[np.bool_], cell: QRectF) -> None:
    """Paint dots, white in black, on the cells."""
    height, width = cells.shape
    pixels = np.where(cells, np.uint32(0xFF000000), np.uint32(0))
    stencil = QImage(
        np.ascontiguousarray(pixels).data,
        width,
        height,
        width * 4,
        QImage.Format.Format_ARGB32_Premultiplied,
    ).copy()
    area = QRectF(cell.left(), cell.top(), cell.width() * width, cell.height() * height)
    box = area.toAlignedRect().intersected(painter.viewport().adjusted(-8, -8, 8, 8))
    layer = QImage(box.size(), QImage.Format.Format_ARGB32_Premultiplied)
    layer.fill(0)
    inside = QPainter(layer)
    inside.translate(-box.topLeft())
    inside.drawImage(area, stencil)
    inside.resetTransform()
    inside.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    inside.fillRect(layer.rect(), QBrush(_dots()))
    inside.end()
    painter.drawImage(box.topLeft(), layer)


def _dots() -> QImage:
    tile = QImage(12, 12, QImage.Format.Format_ARGB32_Premultiplied)
    tile.fill(0)
    inside = QPainter(tile)
    for x, y in ((1, 1), (7, 7)):
        inside.fillRect(x, y, 4, 4, _BLACK)
        inside.fillRect(x + 1, y + 1, 2, 2, _WHITE)
    inside.end()
    return tile
