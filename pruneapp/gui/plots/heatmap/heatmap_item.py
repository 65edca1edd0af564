"""The graphics item of the heatmap: tiles, stripes of weights to be pruned, and overlays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QFont, QImage, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pruneapp.analysis.layout import Layout
from pruneapp.analysis.tiles import DifferenceTile, Tile
from pruneapp.gui.plots.base.export_menu import Drawing
from pruneapp.gui.plots.heatmap import legend, overlays
from pruneapp.gui.plots.heatmap.drawing_tools import Rect, WeightSelection
from pruneapp.gui.plots.heatmap.overlays import PaintedTile, reduction_for, visible_part
from pruneapp.gui.plots.heatmap.shading import (
    BLENDED,
    AnyTile,
    ColorTables,
    ContrastLimits,
    Mode,
    TileStyle,
    Weight,
    limits_of,
    weight_of,
)
from pruneapp.gui.widgets.color_maps import STANDARD, ColorMap
from pruneapp.gui.widgets.safe_paint import report_exceptions, saved_painter_state
from pruneapp.gui.widgets.theme import LIGHT

# Minimum pixels per weight for stripes of differences, and for numbers.
HATCH_FROM = 4.0
VALUES_FROM = 48.0

_STRIPE = 3  # pixels along a row


class HeatmapItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """The weights of a tensor in the coordinates of its layout; a weight is a unit square.

    A fine tile of the visible part is painted over a coarse tile of the whole tensor, so that
    panning shows something before the next fine tile arrives.
    """

    def __init__(self) -> None:
        super().__init__()
        self.layout: Layout | None = None
        self.mode = Mode.MAGNITUDE
        self.strength = 1.0
        self.cursor: tuple[int, int] | None = None
        self._selection: WeightSelection | None = None
        self._bounds = QRectF()
        self._coarse: PaintedTile | None = None
        self._fine: PaintedTile | None = None
        self._limits: ContrastLimits | None = None
        self._colors: Mapping[str, str] = LIGHT
        self._color_map = STANDARD
        self.tables = ColorTables(LIGHT)
        self.font = QFont()  # of the values

    @property
    def coarse(self) -> AnyTile | None:
        """The coarse tile of the whole tensor."""
        return self._coarse.tile if self._coarse else None

    @property
    def fine(self) -> AnyTile | None:
        """The fine tile of the visible part."""
        return self._fine.tile if self._fine else None

    def set_layout(self, layout: Layout | None) -> None:
        """Start with another tensor and no tiles."""
        self.layout = layout
        self._bound()
        self._coarse = self._fine = None
        self.cursor = self._selection = None
        self.update()

    def show_plane(self, layout: Layout) -> None:
        """Show another plane of the same extent; the old tiles stay until new ones arrive."""
        self.layout = layout
        self._selection = None
        self.update()

    def set_tile(self, tile: AnyTile) -> None:
        """Set the fine tile; also the coarse one if it is of the whole tensor or of a new type.

        The type is that of weights or of a difference.
        """
        painted = PaintedTile(tile)
        self._fine = painted
        part = tile.request
        whole = part.rows >= tile.layout.rows and part.columns >= tile.layout.columns
        if whole or (self._coarse and type(self._coarse.tile) is not type(tile)):
            self._coarse = painted
        self.update()

    def set_ground(self, tile: AnyTile) -> None:
        self._coarse = PaintedTile(tile)
        self.update()

    def set_selection(self, selection: WeightSelection | None) -> None:
        """Show a selection and its size; None for none."""
        self._selection = selection
        self.update()

    def set_mode(self, mode: Mode, strength: float) -> None:
        """Set what is shown, and the opacity of the mask from 0 to 1."""
        self.mode, self.strength = mode, strength
        self.update()

    @property
    def masked(self) -> bool:
        """Whether pruned and to-be-pruned weights are visible."""
        return self.mode is Mode.MASK or (self.mode in BLENDED and self.strength > 0)

    def set_limits(self, limits: ContrastLimits | None) -> None:
        """Set the contrast limits; None for the automatic ones."""
        self._limits = limits
        self.update()

    def shown_limits(self, tile: AnyTile) -> ContrastLimits:
        """Return the limits with which a tile is drawn."""
        return limits_of(tile, self.mode, self._limits, centered=self.tables.centered)

    def set_colors(self, colors: Mapping[str, str], color_map: ColorMap | None = None) -> None:
        """Apply the colors of a theme and a color map; None keeps the color map."""
        self._colors = colors
        self._color_map = color_map or self._color_map
        self.tables = ColorTables(colors, self._color_map)
        for painted in (self._coarse, self._fine):
            if painted:
                painted.clear()
        self.update()

    def exact_weight(self, row: int, column: int) -> Weight | None:
        """Return the data of a weight; None if no loaded tile contains it unpooled.

        The tiles may be of an older state or of another mode; that is for the caller to check.
        """
        for tile in (self.fine, self.coarse):
            if isinstance(tile, Tile) and tile.request.pool == 1:
                weight = weight_of(tile, row, column)
                if weight is not None:
                    return weight
        return None

    def change(self, row: int, column: int) -> tuple[float, str] | None:
        """Return the difference of a weight and its word in a difference; None if unknown.

        The word is "gone", "back" or "neither" (see `DifferenceTile`), or "". Unknown, if no loaded
        tile of a difference contains the weight unpooled.
        """
        for tile in (self.fine, self.coarse):
            if isinstance(tile, DifferenceTile) and tile.request.pool == 1:
                i, j = row - tile.request.row, column - tile.request.column
                height, width = tile.change.shape
                if 0 <= i < height and 0 <= j < width:
                    fates = {
                        "gone": tile.removed,
                        "back": tile.restored,
                        "neither": tile.in_neither,
                    }
                    became = (word for word, share in fates.items() if share[i, j] > 0)
                    return float(tile.change[i, j]), "".join(became)
        return None

    def boundingRect(self) -> QRectF:
        """Return the picture united with the visible range.

        Outlines, labels and the cursor exceed the picture; what is painted outside these bounds
        would not be erased.
        """
        return self._bounds

    def viewRangeChanged(self) -> None:
        self._bound()

    @property
    def _whole(self) -> QRectF:
        if self.layout is None:
            return QRectF()
        return QRectF(0, 0, self.layout.columns, self.layout.rows)

    def _bound(self) -> None:
        box = self.getViewBox()
        whole = self._whole
        bounds = whole.united(box.viewRect()) if box is not None and self.layout else whole
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds

    @report_exceptions
    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        if self.layout is None:
            return
        transform = painter.worldTransform()
        visible = self.getViewBox().viewRect().intersected(self._whole)
        scale = min(abs(transform.m11()), abs(transform.m22()))
        if visible.isEmpty() or not scale:  # the widget is too small to show anything
            return
        with saved_painter_state(painter):
            painter.setClipRect(self._whole, Qt.ClipOperation.IntersectClip)
            drawing = painter.device()
            if isinstance(drawing, Drawing):
                box = self.getViewBox()
                ratio = box.getViewWidget().devicePixelRatioF()
                drawing.draw_image(
                    painter,
                    transform.mapRect(visible),
                    ratio,
                    lambda p: self._paint_tiles(p, visible),
                )
            else:
                self._paint_tiles(painter, visible)
            painter.resetTransform()
            overlays.paint_borders(painter, transform, visible, self.layout, self._colors)
            fine = self._fine
            if (
                fine is not None
                and transform.m11() >= VALUES_FROM
                and transform.m22() >= VALUES_FROM / 2
            ):
                overlays.paint_values(painter, transform, visible, fine, self.font)
        with saved_painter_state(painter):
            painter.resetTransform()
            if fine is not None:
                overlays.paint_protected(painter, transform, visible, fine, self._colors)
            if self._selection is not None:
                part = Rect(
                    math.floor(visible.top()),
                    math.floor(visible.left()),
                    math.ceil(visible.bottom()),
                    math.ceil(visible.right()),
                )
                rects = self._selection.visible_rects(self.layout, part)
                seen = overlays.paint_selection(painter, transform, visible, rects, self._colors)
                label = legend.selection_words(self._selection, self.layout)
                room = transform.mapRect(self.getViewBox().viewRect())
                overlays.paint_label(painter, seen, room, label, self._colors)
            if self.cursor is not None:
                cell = transform.mapRect(QRectF(self.cursor[1], self.cursor[0], 1, 1))
                overlays.paint_cursor(painter, cell, self._colors)

    def _layers(self, visible: QRectF) -> list[PaintedTile]:
        """Return the tiles to paint, bottom first, without a coarse tile that would be hidden.

        Empty while there is no tile.
        """
        if self._fine is None:
            return [self._coarse] if self._coarse else []
        part = self._fine.tile.request
        if self._coarse in {None, self._fine} or QRectF(
            part.column, part.row, part.columns, part.rows
        ).contains(visible):
            return [self._fine]
        return [self._coarse, self._fine] if self._coarse else [self._fine]

    def _paint_tiles(self, painter: QPainter, visible: QRectF) -> None:
        transform = painter.worldTransform()
        hatched = min(abs(transform.m11()), abs(transform.m22())) >= HATCH_FROM
        for painted in self._layers(visible):
            self._paint_tile(painter, painted, visible, hatched=hatched)

    def _paint_tile(
        self, painter: QPainter, painted: PaintedTile, visible: QRectF, *, hatched: bool
    ) -> None:
        transform, part = painter.worldTransform(), painted.tile.request
        pool = part.pool
        ratio = painter.deviceTransform().m11() / transform.m11()  # device pixels per logical pixel
        style = TileStyle(
            self.mode,
            self.strength if self.mode in BLENDED else 0.0,
            reduction=(
                reduction_for(abs(transform.m22()) * ratio * pool),
                reduction_for(abs(transform.m11()) * ratio * pool),
            ),
            limits=self._limits,
        )
        image = painted.picture(style, self.tables)
        cell = (pool * style.reduction[1], pool * style.reduction[0])
        target, source = visible_part(part, image, cell, visible)
        if target.isEmpty():
            return
        # Nearest-neighbor sampling of several texels per pixel would flicker while panning.
        smooth = (
            cell[0] * abs(transform.m11()) * ratio < 0.99
            or cell[1] * transform.m22() * ratio < 0.99
        )
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
        painter.drawImage(target, image, source)
        if painted.is_hatched and (self.masked if isinstance(painted.tile, Tile) else hatched):
            dark = painted.picture(replace(style, stripe=1), self.tables)
            _paint_stripes(painter, dark, target, source, ratio)


def _paint_stripes(
    painter: QPainter, image: QImage, target: QRectF, source: QRectF, ratio: float
) -> None:
    """Paint an image in every second diagonal stripe.

    The stripes are fixed to the picture and have the same width at any zoom. They are not
    antialiased: Qt's blending would make the edges darker than both sides. `target` and `source`
    are as in ``QPainter.drawImage``, `ratio` is device pixels per pixel.
    """
    transform = painter.worldTransform()
    seen = transform.mapRect(target).toAlignedRect()
    # On whole pixels at any screen scale, so that the layer is not resampled.
    left, top = seen.left() // 4 * 4, seen.top() // 4 * 4
    width, height = seen.right() + 1 - left, seen.bottom() + 1 - top
    layer = QImage(
        math.ceil(width * ratio),
        math.ceil(height * ratio),
        QImage.Format.Format_ARGB32_Premultiplied,
    )
    layer.fill(0)
    inside = QPainter(layer)
    inside.setRenderHint(
        QPainter.RenderHint.SmoothPixmapTransform,
        painter.testRenderHint(QPainter.RenderHint.SmoothPixmapTransform),
    )
    on_layer = (
        transform * QTransform.fromTranslate(-left, -top) * QTransform.fromScale(ratio, ratio)
    )
    inside.setTransform(on_layer)
    inside.drawImage(target, image, source)
    inside.resetTransform()
    inside.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
    inside.setBrushOrigin(QPointF(on_layer.dx(), on_layer.dy()).toPoint())
    inside.fillRect(layer.rect(), QBrush(_every_second(ratio)))
    inside.end()
    layer.setDevicePixelRatio(ratio)
    with saved_painter_state(painter):
        painter.resetTransform()
        painter.drawImage(left, top, layer)


@lru_cache(maxsize=8)
def _every_second(ratio: float) -> QImage:
    """Return a mask of diagonal stripes that covers exactly half of the area when it is repeated.

    `ratio` is device pixels per pixel.
    """
    wide = max(1, round(_STRIPE * ratio))
    across = np.arange(2 * wide, dtype=np.uint32)
    inside = (across[:, None] + across) // wide % 2 == 0
    pixels = np.where(inside, np.uint32(0xFF000000), np.uint32(0))
    form = QImage.Format.Format_ARGB32_Premultiplied
    return QImage(pixels.tobytes(), 2 * wide, 2 * wide, form).copy()
