"""Painted tiles, and overlays of the heatmap: borders, values, selection, protection, cursor.

Overlays are painted in pixels of the widget; `transform` maps weights to pixels. The outline of
protected weights is white next to black, so that it is visible on any color.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPainter, QPen, QTransform

from pruneapp.analysis.layout import Layout
from pruneapp.analysis.tiles import Tile, TileRequest
from pruneapp.gui.plots.base.readout import value_text
from pruneapp.gui.plots.chart.items import paint_lock
from pruneapp.gui.plots.heatmap import shading
from pruneapp.gui.plots.heatmap.drawing_tools import Rect
from pruneapp.gui.plots.heatmap.shading import AnyTile, ColorTables, TileStyle, group_means, shade
from pruneapp.gui.widgets.safe_paint import saved_painter_state


class PaintedTile:
    """A tile with its cached images. A QImage shares the memory of its array, so both are kept."""

    def __init__(self, tile: AnyTile) -> None:
        self.tile = tile
        self._pictures: dict[int, tuple[TileStyle, NDArray[np.uint32], QImage]] = {}
        self._cells: tuple[tuple[int, int], NDArray[np.floating]] | None = None

    @property
    def pixels(self) -> NDArray[np.uint32] | None:
        """The pixels of the last image without dark stripes; None before the first one."""
        return self._pictures[0][1] if self._pictures else None

    @property
    def hatched(self) -> NDArray[np.float32]:
        """Share of striped weights in each cell: to be pruned, or restored in a difference."""
        return self.tile.to_be_pruned if isinstance(self.tile, Tile) else self.tile.restored

    @cached_property
    def is_hatched(self) -> bool:
        """Whether any weight is striped."""
        return bool(self.hatched.any())

    def protected_cells(self, group: tuple[int, int]) -> NDArray[np.floating] | None:
        """Return the protected share in groups of rows and columns of cells, ``float32[h, w]``.

        `group` is the number of rows and columns to combine. None if nothing is protected. The last
        result is cached.
        """
        if not isinstance(self.tile, Tile) or self.tile.protected is None:
            return None
        if self._cells is None or self._cells[0] != group:
            self._cells = group, group_means(self.tile.protected, group)
        return self._cells[1]

    def picture(self, style: TileStyle, tables: ColorTables) -> QImage:
        """Return the image for a style. The last one of each kind of stripe is cached.

        `tables` must be the same until `clear` is called.
        """
        picture = self._pictures.get(style.stripe)
        if picture is None or picture[0] != style:
            pixels = np.ascontiguousarray(shade(self.tile, style, tables))
            height, width = pixels.shape
            form = QImage.Format.Format_RGB32
            picture = style, pixels, QImage(pixels.data, width, height, width * 4, form)
            self._pictures[style.stripe] = picture
        return picture[2]

    def clear(self) -> None:
        """Clear the cache after the colors changed."""
        self._pictures.clear()


def reduction_for(texel: float) -> int:
    """Return the power of 2 by which to reduce a tile so that a texel is at least a pixel."""
    return 1 << math.ceil(math.log2(1 / texel) - 1e-6) if texel < 0.999999 else 1


def visible_part(
    part: TileRequest, image: QImage, cell: tuple[int, int], visible: QRectF
) -> tuple[QRectF, QRectF]:
    """Return the visible part of an image: the target in weights, the source in image pixels.

    `part` is the tile that the image shows, `cell` the columns and rows of weights per image pixel,
    `visible` the visible rectangle in weights. Both results are empty if nothing is visible.
    Needed, as Qt draws images that are scaled to millions of pixels slowly and incorrectly.
    """
    row, column = part.row, part.column
    left = max(0, math.floor((visible.left() - column) / cell[0]))
    top = max(0, math.floor((visible.top() - row) / cell[1]))
    right = min(image.width(), math.ceil((visible.right() - column) / cell[0]))
    bottom = min(image.height(), math.ceil((visible.bottom() - row) / cell[1]))
    if right <= left or bottom <= top:
        return QRectF(), QRectF()
    source = QRectF(left, top, right - left, bottom - top)
    target = QRectF(
        column + left * cell[0],
        row + top * cell[1],
        (right - left) * cell[0],
        (bottom - top) * cell[1],
    )
    return target, source


# Minimum pixels per weight for borders of kernels, per kernel, and per weight for borders of
# weights.
KERNELS_FROM = 3.0
KERNEL_FROM = 12.0
CELLS_FROM = 24.0
_TEXT_MARGIN = 4  # pixels of a cell beside its number


def paint_borders(
    painter: QPainter,
    transform: QTransform,
    visible: QRectF,
    layout: Layout,
    colors: Mapping[str, str],
) -> None:
    """Paint lines between kernels, and thinner ones between weights.

    Each kind only if its cells are large enough (`KERNEL_FROM`, `CELLS_FROM`). `visible` is the
    visible rectangle in weights.
    """
    across, down = transform.m11(), transform.m22()
    # interval in weights, whether vertical, width in pixels; 0 for thin lines between weights
    lines: list[tuple[int, bool, int]] = []
    if min(across, down) >= CELLS_FROM:
        lines += [(1, True, 0), (1, False, 0)]
    shape, down_dims, across_dims = layout.grid
    wide = 2 if min(across, down) >= 10 else 1
    # In lines, the gaps between output channels are wider than those between their kernels.
    apart = bool(layout.wrap) and math.prod(shape[d] for d in across_dims[1:2]) > 1
    for dims, scale, upright in ((across_dims, across, True), (down_dims, down, False)):
        for outer in (2, 1) if apart and upright else (1,):
            block = math.prod(shape[d] for d in dims[outer:])
            if block > 1 and scale >= KERNELS_FROM and block * scale >= KERNEL_FROM:
                lines.append((block, upright, 2 * wide if apart and outer == 1 else wide))
    for step, upright, width in lines:
        color = QColor(colors["surface"])
        color.setAlphaF(1.0 if width else 0.25)
        painter.setPen(QPen(color, width or 1))
        start, stop = (
            (visible.left(), visible.right()) if upright else (visible.top(), visible.bottom())
        )
        places = range(math.ceil(start / step) * step, math.floor(stop) + 1, step)
        painter.drawLines(
            [
                transform.map(
                    QLineF(at, visible.top(), at, visible.bottom())
                    if upright
                    else QLineF(visible.left(), at, visible.right(), at)
                )
                for at in places
            ]
        )


def paint_values(
    painter: QPainter, transform: QTransform, visible: QRectF, painted: PaintedTile, font: QFont
) -> None:
    """Paint the values into cells that are completely visible, if the tile has exact values.

    A partly visible number could be mistaken for another one. A number that is wider than its cell
    gets fewer digits, and is omitted if one digit is too wide. `visible` is the visible rectangle
    in weights. Nothing is painted before the image of the tile.
    """
    part, pixels = painted.tile.request, painted.pixels
    values = painted.tile.values if isinstance(painted.tile, Tile) else painted.tile.change
    if part.pool != 1 or pixels is None or pixels.shape != values.shape:
        return
    font = QFont(font)
    font.setPixelSize(11)
    painter.setFont(font)
    height, width = values.shape
    window = transform.mapRect(visible)
    for row in range(math.floor(visible.top()), math.ceil(visible.bottom())):
        for column in range(math.floor(visible.left()), math.ceil(visible.right())):
            i, j = row - part.row, column - part.column
            if not (0 <= i < height and 0 <= j < width):
                continue
            cell = transform.mapRect(QRectF(column, row, 1, 1))
            ground, text = _fitting_text(painter, float(values[i, j]), cell)
            ground.moveCenter(cell.center().toPoint())
            if not text or not window.contains(QRectF(ground)):
                continue
            pixel = int(pixels[i, j])
            painter.setPen(QColor(shading.readable_on(pixel)))
            if painted.hatched[i, j] > 0:
                # Stripes would make the text unreadable.
                painter.fillRect(ground.adjusted(-2, 0, 2, 0), QBrush(QColor(pixel)))
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)


def _fitting_text(painter: QPainter, value: float, cell: QRectF) -> tuple[QRect, str]:
    """Return a number with up to three digits that fits into a cell, and its rectangle.

    The text is "" if not even one digit fits.
    """
    metrics, text = painter.fontMetrics(), ""
    for digits in (3, 2, 1):
        text = value_text(value, digits)
        if metrics.horizontalAdvance(text) <= cell.width() - _TEXT_MARGIN:
            return metrics.boundingRect(text), text
    return QRect(), ""


def paint_selection(
    painter: QPainter,
    transform: QTransform,
    visible: QRectF,
    rects: Iterable[Rect],
    colors: Mapping[str, str],
) -> QRect:
    """Paint the selection: tinted, with an outline that is visible on any color.

    Return the painted rectangle in pixels, empty if nothing is visible. `visible` is the visible
    rectangle in weights. The selection is rasterized first, so that a long stroke is as fast as a
    rectangle.
    """
    ratio = painter.device().devicePixelRatio()
    # Larger than the visible part, so that no outline appears at its border.
    limits = transform.mapRect(visible).adjusted(-4, -4, 4, 4)
    parts = _on_screen(transform, rects, limits, ratio)
    if not parts.size:
        return QRect()
    line = max(1, round(ratio))
    margin = 3 * line
    left, top = parts[:, :2].min(axis=0) - margin
    right, bottom = parts[:, 2:].max(axis=0) + margin
    chosen = np.zeros((bottom - top, right - left), np.bool_)
    for x, y, until_x, until_y in (parts - np.array([left, top] * 2)).tolist():
        chosen[y:until_y, x:until_x] = True
    inner = _dilate(chosen, line)
    kinds = _dilate(inner, 2 * line).astype(np.uint8)
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
    painter: QPainter,
    selection_rect: QRect,
    available: QRectF,
    text: str,
    colors: Mapping[str, str],
) -> None:
    """Paint the size of the selection below it, or above it, within `available`.

    Both rectangles are in pixels. Nothing is painted for an empty selection.
    """
    if selection_rect.isEmpty():
        return
    label = painter.fontMetrics().boundingRect(text).adjusted(-6, -3, 6, 3)
    inside = available.toAlignedRect().adjusted(4, 4, -4, -4)
    top = selection_rect.bottom() + 5
    if top + label.height() > inside.bottom():
        top = max(selection_rect.top() - 5 - label.height(), inside.top())
    left = max(inside.left(), min(selection_rect.left(), inside.right() - label.width()))
    label.moveTopLeft(QPoint(left, top))
    painter.setPen(QPen(QColor(colors["accent"]), 1))
    painter.setBrush(QColor(colors["surface"]))
    painter.drawRect(label)
    painter.setPen(QColor(colors["text"]))
    painter.drawText(label, Qt.AlignmentFlag.AlignCenter, text)


def _on_screen(
    transform: QTransform, rects: Iterable[Rect], limits: QRectF, ratio: float
) -> NDArray[np.int64]:
    """Return distinct rectangles ``int64[n, 4]`` (left, top, right, bottom) in device pixels.

    They are cut off at `limits` (in pixels) and at least one device pixel large; right and bottom
    are exclusive. `ratio` is device pixels per pixel.
    """
    edges = np.array([(r.left, r.top, r.right, r.bottom) for r in rects], np.float64)
    if not edges.size:
        return np.zeros((0, 4), np.int64)
    scale = np.array([transform.m11(), transform.m22()] * 2)
    edges = (edges * scale + np.array([transform.dx(), transform.dy()] * 2)) * ratio
    low, high = np.floor(edges[:, :2] + 0.5), np.floor(edges[:, 2:] + 0.5)
    high = np.maximum(high, low + 1)
    low = np.maximum(low, np.floor([limits.left() * ratio, limits.top() * ratio]))
    high = np.minimum(high, np.ceil([limits.right() * ratio, limits.bottom() * ratio]))
    seen = np.concatenate([low, high], axis=1)[(low < high).all(axis=1)].astype(np.int64)
    # Many rows of weights can fall on the same row of pixels.
    return np.unique(seen, axis=0)


def _dilate(area: NDArray[np.bool_], pixels: int) -> NDArray[np.bool_]:
    for _ in range(pixels):
        area = area.copy()
        area[:, 1:] |= area[:, :-1].copy()
        area[:, :-1] |= area[:, 1:].copy()
        area[1:] |= area[:-1].copy()
        area[:-1] |= area[1:].copy()
    return area


def paint_cursor(painter: QPainter, cell: QRectF, colors: Mapping[str, str]) -> None:
    """Paint a frame around the weight at the cursor, at least 7 pixels large.

    `cell` is the rectangle of the weight in pixels.
    """
    grow = max(0.0, (7 - cell.width()) / 2), max(0.0, (7 - cell.height()) / 2)
    cell = cell.adjusted(-grow[0], -grow[1], grow[0], grow[1])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(colors["surface"]), 1))
    painter.drawRect(cell.adjusted(-3, -3, 2, 2))
    painter.setPen(QPen(QColor(colors["accent"]), 2))
    painter.drawRect(cell.adjusted(-1, -1, 1, 1))


# Minimum size of a cell in pixels for an outline, and for a lock in its corner.
OUTLINE_FROM = 6.0
LOCKS_FROM = 28.0
# With more lines than this, a pattern is clearer than outlines.
MOST_LINES = 3000
# With at least this many cells of which less than half is protected, a pattern is painted.
MANY_CELLS = 64

_WHITE, _BLACK = QColor("#ffffff"), QColor("#000000")


def paint_protected(
    painter: QPainter,
    transform: QTransform,
    visible: QRectF,
    painted: PaintedTile,
    colors: Mapping[str, str],
) -> None:
    """Paint the border of protected weights: 2 px white inside, 2 px black outside.

    Cells that are too small are grouped; a group counts as protected if any of its weights is. Many
    scattered cells get a pattern instead, and large ones also a lock. `visible` is the visible
    rectangle in weights.
    """
    pool = painted.tile.request.pool
    texel = pool * transform.m11(), pool * transform.m22()
    group = max(1, math.ceil(OUTLINE_FROM / texel[1])), max(1, math.ceil(OUTLINE_FROM / texel[0]))
    protected = painted.protected_cells(group)
    if protected is None:
        return
    part = painted.tile.request
    high, wide = pool * group[0], pool * group[1]
    left = max(0, math.floor((visible.left() - part.column) / wide))
    top = max(0, math.floor((visible.top() - part.row) / high))
    right = math.ceil((visible.right() - part.column) / wide)
    bottom = math.ceil((visible.bottom() - part.row) / high)
    shares = protected[top:bottom, left:right]
    cells = shares > 0
    n_cells = int(cells.sum())
    if not n_cells:
        return
    origin = transform.map(QPointF(part.column + left * wide, part.row + top * high))
    scale = wide * transform.m11(), high * transform.m22()
    lines = _outline(cells)
    # The last cell may exceed the picture.
    whole = transform.mapRect(QRectF(part.column, part.row, part.columns, part.rows))
    with saved_painter_state(painter):
        scattered = n_cells >= MANY_CELLS and float(shares.sum()) < n_cells / 2
        if scattered or len(lines) > MOST_LINES:
            painter.setClipRect(whole, Qt.ClipOperation.IntersectClip)
            _paint_pattern(painter, cells, QRectF(origin.x(), origin.y(), *scale))
        else:
            _paint_lines(painter, lines, origin, scale, whole)
        if pool == 1 and min(scale) >= LOCKS_FROM:
            for row, column in np.argwhere(cells):
                corner = QPointF(
                    origin.x() + (column + 1) * scale[0] - 15, origin.y() + row * scale[1] + 5
                )
                paint_lock(painter, QRectF(corner.x(), corner.y(), 9, 11), colors)


def _outline(cells: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the border lines of the True cells, ``float64[n, 6]``, in cells.

    A line has both ends (x, y) and the direction inwards, (±1, 0) or (0, ±1).
    """
    around = np.pad(cells, 1)
    pieces = []
    for upright in (False, True):
        grid = around.T if upright else around
        inner = grid[:, 1:-1]
        for inside in (1, -1):  # cells below the line, then cells above it
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
    origin: QPointF,
    scale: tuple[float, float],
    whole: QRectF,
) -> None:
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
