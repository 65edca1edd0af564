"""What is painted of a tensor's weights: tiles, hatches, borders of kernels, values, the cursor."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPainter, QPen, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pruneapp.answers import Layout, Tile
from pruneapp.gui.views.parts.bar import hatch
from pruneapp.gui.views.parts.colors import LIGHT
from pruneapp.gui.views.pictures import colormap
from pruneapp.gui.views.pictures.frame.wording import value_text
from pruneapp.gui.views.pictures.raster.painted import PaintedTile, cut, halvings, runs
from pruneapp.gui.views.pictures.raster.shading import Look, Mode, Tables

# Pixels for a weight from which on something is drawn.
HATCH_FROM = 4.0
KERNELS_FROM = 3.0
KERNEL_FROM = 12.0
CELLS_FROM = 24.0
VALUES_FROM = 48.0

# So many rectangles are painted faster than a layer of the window's size is.
FEW_RUNS = 6000


class TilesItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """A tensor's weights in the coordinates of its layout: a column is 1 wide, a row 1 high.

    A fine tile of what is looked at lies on a coarse one of the whole, so that moving shows
    something before the next fine tile is there.
    """

    def __init__(self) -> None:
        super().__init__()
        self.layout: Layout | None = None
        self.mode = Mode.MAGNITUDE_AND_MASK
        self.masked = True
        self.cursor: tuple[int, int] | None = None
        self._coarse: PaintedTile | None = None
        self._fine: PaintedTile | None = None
        self._colors: Mapping[str, str] = LIGHT
        self._tables = Tables(LIGHT)
        self._font = QFont()

    @property
    def coarse(self) -> Tile | None:
        """The tile of the whole."""
        return self._coarse.tile if self._coarse else None

    @property
    def fine(self) -> Tile | None:
        """The tile of what is looked at."""
        return self._fine.tile if self._fine else None

    def set_layout(self, layout: Layout | None) -> None:
        """Begin with another tensor, of which nothing is known."""
        self.prepareGeometryChange()
        self.layout = layout
        self._coarse = self._fine = None
        self.cursor = None
        self.update()

    def set_tile(self, tile: Tile) -> None:
        """Take a tile; one of the whole serves as the ground too."""
        painted = PaintedTile(tile)
        self._fine = painted
        part = tile.request
        if part.row == part.column == 0 and tile.values.shape == (
            -(-tile.layout.rows // part.pool),
            -(-tile.layout.columns // part.pool),
        ):
            self._coarse = painted
        self.update()

    def set_ground(self, tile: Tile) -> None:
        """Take a coarse tile of the whole, below the fine one."""
        self._coarse = PaintedTile(tile)
        self.update()

    def set_mode(self, mode: Mode, *, masked: bool) -> None:
        """Show something else of the same weights."""
        self.mode, self.masked = mode, masked
        self.update()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take a theme."""
        self._colors = colors
        self._tables = Tables(colors)
        for painted in (self._coarse, self._fine):
            if painted:
                painted.image = None
        self.update()

    def set_font(self, font: QFont) -> None:
        """Take the font of the values."""
        self._font = font

    def exact(self, row: int, column: int) -> tuple[float, float, float] | None:
        """Return value, share kept and share going of a weight; None if no tile has it exactly."""
        for painted in (self._fine, self._coarse):
            if painted and painted.tile.request.pool == 1:
                part = painted.tile.request
                i, j = row - part.row, column - part.column
                height, width = painted.tile.values.shape
                if 0 <= i < height and 0 <= j < width:
                    tile = painted.tile
                    return float(tile.values[i, j]), float(tile.kept[i, j]), float(tile.going[i, j])
        return None

    def boundingRect(self) -> QRectF:
        """Return the whole picture."""
        if self.layout is None:
            return QRectF()
        return QRectF(0, 0, self.layout.columns, self.layout.rows)

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Paint what can be seen."""
        if self.layout is None:
            return
        place = painter.worldTransform()
        shown = self.getViewBox().viewRect().intersected(self.boundingRect())
        if shown.isEmpty():
            return
        scale = min(abs(place.m11()), abs(place.m22()))
        painter.save()
        painter.setClipRect(self.boundingRect(), Qt.ClipOperation.IntersectClip)
        for painted in self._layers(shown):
            self._paint_tile(painter, painted, shown, hatched=scale >= HATCH_FROM)
        painter.resetTransform()
        self._paint_borders(painter, place, shown)
        if place.m11() >= VALUES_FROM and place.m22() >= VALUES_FROM / 2:
            self._paint_values(painter, place, shown)
        painter.restore()
        if self.cursor is not None:
            painter.save()
            painter.resetTransform()
            self._paint_cursor(painter, place.mapRect(QRectF(self.cursor[1], self.cursor[0], 1, 1)))
            painter.restore()

    def _layers(self, shown: QRectF) -> list[PaintedTile]:
        """Return the tiles to paint, from below; none that the fine one hides."""
        if self._fine is None:
            return [self._coarse] if self._coarse else []
        part = self._fine.tile.request
        if self._coarse in {None, self._fine} or QRectF(
            part.column, part.row, part.columns, part.rows
        ).contains(shown):
            return [self._fine]
        return [self._coarse, self._fine] if self._coarse else [self._fine]

    def _paint_tile(
        self, painter: QPainter, painted: PaintedTile, shown: QRectF, *, hatched: bool
    ) -> None:
        tile, place = painted.tile, painter.worldTransform()
        pool = tile.request.pool
        device = painter.device()
        ratio = device.devicePixelRatio() if device else 1.0
        masked = self.masked or self.mode is Mode.MASK
        look = Look(
            self.mode,
            masked,
            blended=masked and not hatched,
            reduction=(
                halvings(abs(place.m22()) * ratio * pool),
                halvings(abs(place.m11()) * ratio * pool),
            ),
        )
        image = painted.picture(look, self._tables)
        cell = (pool * look.reduction[1], pool * look.reduction[0])
        target, source = cut(tile, image, cell, shown)
        if target.isEmpty():
            return
        # More than one texel on a pixel would flicker while moving.
        smooth = cell[0] * abs(place.m11()) * ratio < 0.99 or cell[1] * place.m22() * ratio < 0.99
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
        painter.drawImage(target, image, source)
        if masked and hatched and tile.going.any():
            self._paint_going(painter, painted, shown, ratio)

    def _paint_going(
        self, painter: QPainter, painted: PaintedTile, shown: QRectF, ratio: float
    ) -> None:
        # Stripes lie still on the picture and are as wide on the screen at any zoom.
        place = painter.worldTransform()
        brush = hatch(colormap.MASK_PRUNED, "transparent", ratio)
        origin = QPointF(place.dx(), place.dy()).toPoint()
        places = runs(painted.tile, shown)
        painter.save()
        painter.resetTransform()
        if places is not None and len(places) < FEW_RUNS:
            scale, shift = (place.m11(), place.m22()), (place.dx(), place.dy())
            stripes = pg.Qt.internals.PrimitiveArray(QRectF, 4)
            stripes.resize(len(places))
            # Left and top, then width and height.
            stripes.ndarray()[:, :2] = places[:, :2] * scale + shift
            stripes.ndarray()[:, 2:] = places[:, 2:] * scale
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrushOrigin(origin)
            painter.setBrush(brush)
            painter.drawRects(*stripes.drawargs())
        else:
            self._paint_layer(painter, painted, shown, (place, ratio, brush, origin))
        painter.restore()

    def _paint_layer(
        self,
        painter: QPainter,
        painted: PaintedTile,
        shown: QRectF,
        how: tuple[QTransform, float, QBrush, QPoint],
    ) -> None:
        """Paint stripes over all, cut out where something goes: for very many small places."""
        place, ratio, brush, origin = how
        stencil = painted.going()
        pool = painted.tile.request.pool
        target, source = cut(painted.tile, stencil, (pool, pool), shown)
        on_screen = place.mapRect(target).toAlignedRect()
        layer = QImage(
            math.ceil(on_screen.width() * ratio),
            math.ceil(on_screen.height() * ratio),
            QImage.Format.Format_ARGB32_Premultiplied,
        )
        layer.setDevicePixelRatio(ratio)
        layer.fill(0)
        inside = QPainter(layer)
        inside.setTransform(place * QTransform.fromTranslate(-on_screen.left(), -on_screen.top()))
        inside.drawImage(target, stencil, source)
        inside.resetTransform()
        inside.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        inside.setBrushOrigin(origin - on_screen.topLeft())
        inside.fillRect(0, 0, on_screen.width(), on_screen.height(), brush)
        inside.end()
        painter.drawImage(on_screen.topLeft(), layer)

    def _paint_borders(self, painter: QPainter, place: QTransform, shown: QRectF) -> None:
        layout = self.layout
        assert layout is not None
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
            color = QColor(self._colors["surface"])
            color.setAlphaF(1.0 if kernel else 0.25)
            wide = kernel and min(across, down) >= 10
            painter.setPen(QPen(color, 2 if wide else 1))
            start, stop = (
                (shown.left(), shown.right()) if upright else (shown.top(), shown.bottom())
            )
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

    def _paint_values(self, painter: QPainter, place: QTransform, shown: QRectF) -> None:
        if self._fine is None or self._fine.tile.request.pool != 1 or self._fine.pixels is None:
            return
        tile, pixels = self._fine.tile, self._fine.pixels
        font = QFont(self._font)
        font.setPixelSize(11)
        painter.setFont(font)
        height, width = tile.values.shape
        for row in range(math.floor(shown.top()), math.ceil(shown.bottom())):
            for column in range(math.floor(shown.left()), math.ceil(shown.right())):
                i, j = row - tile.request.row, column - tile.request.column
                if not (0 <= i < height and 0 <= j < width) or pixels.shape != tile.values.shape:
                    continue
                cell = place.mapRect(QRectF(column, row, 1, 1))
                text = value_text(float(tile.values[i, j]), 3)
                pixel = int(pixels[i, j])
                painter.setPen(QColor(colormap.readable_on(pixel)))
                if tile.going[i, j] > 0:
                    # On stripes the value needs a ground of its own.
                    ground = painter.fontMetrics().boundingRect(text)
                    ground.moveCenter(cell.center().toPoint())
                    painter.fillRect(ground.adjusted(-2, 0, 2, 0), QBrush(QColor(pixel)))
                painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_cursor(self, painter: QPainter, cell: QRectF) -> None:
        # Never so small that it would be lost.
        grow = max(0.0, (7 - cell.width()) / 2), max(0.0, (7 - cell.height()) / 2)
        cell = cell.adjusted(-grow[0], -grow[1], grow[0], grow[1])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._colors["surface"]), 1))
        painter.drawRect(cell.adjusted(-3, -3, 2, 2))
        painter.setPen(QPen(QColor(self._colors["accent"]), 2))
        painter.drawRect(cell.adjusted(-1, -1, 1, 1))
