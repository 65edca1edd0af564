"""What is painted of a tensor's weights: tiles, what would go, and what lies over them."""

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

from pruneapp.gui.plots.base.export_menu import Drawing
from pruneapp.gui.plots.heatmap import legend, overlays
from pruneapp.gui.plots.heatmap.drawing_tools import Rect, WeightSelection
from pruneapp.gui.plots.heatmap.overlays import PaintedTile, cut, halvings
from pruneapp.gui.plots.heatmap.shading import (
    BLENDED,
    AnyTile,
    ColorTables,
    Mode,
    TileStyle,
    Weight,
    weight_of,
)
from pruneapp.gui.widgets.safe_paint import reported, saved
from pruneapp.gui.widgets.theme import LIGHT
from pruneapp.results.tile import DifferenceTile, Layout, Tile

# Pixels for a weight from which on something is drawn.
HATCH_FROM = 4.0
VALUES_FROM = 48.0

_STRIPE = 3  # pixels along a row


class HeatmapItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """A tensor's weights in the coordinates of its layout: a column is 1 wide, a row 1 high.

    A fine tile of what is looked at lies on a coarse one of the whole, so that moving shows
    something before the next fine tile is there.
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
        self._colors: Mapping[str, str] = LIGHT
        self._tables = ColorTables(LIGHT)
        self.font = QFont()  # of the values

    @property
    def coarse(self) -> AnyTile | None:
        """The tile of the whole."""
        return self._coarse.tile if self._coarse else None

    @property
    def fine(self) -> AnyTile | None:
        """The tile of what is looked at."""
        return self._fine.tile if self._fine else None

    def set_layout(self, layout: Layout | None) -> None:
        """Begin with another tensor, of which nothing is known."""
        self.layout = layout
        self._bound()
        self._coarse = self._fine = None
        self.cursor = self._selection = None
        self.update()

    def turn(self, layout: Layout) -> None:
        """Go to another plane of the same extent; what is painted stays until its tile comes."""
        self.layout = layout
        self._selection = None
        self.update()

    def set_tile(self, tile: AnyTile) -> None:
        """Take a tile; one of the whole serves as the ground too."""
        painted = PaintedTile(tile)
        self._fine = painted
        part = tile.request
        whole = part.rows >= tile.layout.rows and part.columns >= tile.layout.columns
        if whole or (self._coarse and type(self._coarse.tile) is not type(tile)):
            self._coarse = painted
        self.update()

    def set_ground(self, tile: AnyTile) -> None:
        """Take a coarse tile of the whole, below the fine one."""
        self._coarse = PaintedTile(tile)
        self.update()

    def set_selection(self, selection: WeightSelection | None) -> None:
        """Show what a person drew, and how much it is."""
        self._selection = selection
        self.update()

    def set_mode(self, mode: Mode, strength: float) -> None:
        """Show something else of the same weights; the mask as strong as that over them."""
        self.mode, self.strength = mode, strength
        self.update()

    @property
    def masked(self) -> bool:
        """Whether it can be seen what is pruned, and what would go."""
        return self.mode is Mode.MASK or (self.mode in BLENDED and self.strength > 0)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take a theme."""
        self._colors = colors
        self._tables = ColorTables(colors)
        for painted in (self._coarse, self._fine):
            if painted:
                painted.clear()
        self.update()

    def exact(self, row: int, column: int) -> Weight | None:
        """Return what is known of a weight; None if no tile has it exactly."""
        for tile in (self.fine, self.coarse):
            if isinstance(tile, Tile) and tile.request.pool == 1:
                weight = weight_of(tile, row, column)
                if weight is not None:
                    return weight
        return None

    def change(self, row: int, column: int) -> tuple[float, str] | None:
        """Return how a weight differs, and what became of it; None if that is not known."""
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
        """Return where anything may be painted: the picture, and all that is looked at.

        Outlines, labels and the cursor reach beyond the picture. What is painted outside of this
        would stay when it is to go.
        """
        return self._bounds

    def viewRangeChanged(self) -> None:
        """Look elsewhere."""
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

    @reported
    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Paint what can be seen."""
        if self.layout is None:
            return
        place = painter.worldTransform()
        shown = self.getViewBox().viewRect().intersected(self._whole)
        scale = min(abs(place.m11()), abs(place.m22()))
        if shown.isEmpty() or not scale:  # a window so small that nothing of the picture is left
            return
        with saved(painter):
            painter.setClipRect(self._whole, Qt.ClipOperation.IntersectClip)
            drawing = painter.device()
            if isinstance(drawing, Drawing):
                box = self.getViewBox()
                ratio = box.getViewWidget().devicePixelRatioF()
                drawing.draw_image(
                    painter, place.mapRect(shown), ratio, lambda p: self._paint_tiles(p, shown)
                )
            else:
                self._paint_tiles(painter, shown)
            painter.resetTransform()
            overlays.paint_borders(painter, place, shown, self.layout, self._colors)
            fine = self._fine
            if fine is not None and place.m11() >= VALUES_FROM and place.m22() >= VALUES_FROM / 2:
                overlays.paint_values(painter, place, shown, fine, self.font)
        with saved(painter):
            painter.resetTransform()
            if fine is not None:
                overlays.paint_protected(painter, place, shown, fine, self._colors)
            if self._selection is not None:
                part = Rect(
                    math.floor(shown.top()),
                    math.floor(shown.left()),
                    math.ceil(shown.bottom()),
                    math.ceil(shown.right()),
                )
                rects = self._selection.shown(self.layout, part)
                seen = overlays.paint_selection(painter, place, shown, rects, self._colors)
                label = legend.selection_words(self._selection, self.layout)
                room = place.mapRect(self.getViewBox().viewRect())
                overlays.paint_label(painter, seen, room, label, self._colors)
            if self.cursor is not None:
                cell = place.mapRect(QRectF(self.cursor[1], self.cursor[0], 1, 1))
                overlays.paint_cursor(painter, cell, self._colors)

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

    def _paint_tiles(self, painter: QPainter, shown: QRectF) -> None:
        place = painter.worldTransform()
        hatched = min(abs(place.m11()), abs(place.m22())) >= HATCH_FROM
        for painted in self._layers(shown):
            self._paint_tile(painter, painted, shown, hatched=hatched)

    def _paint_tile(
        self, painter: QPainter, painted: PaintedTile, shown: QRectF, *, hatched: bool
    ) -> None:
        place, part = painter.worldTransform(), painted.tile.request
        pool = part.pool
        ratio = painter.deviceTransform().m11() / place.m11()  # of what is painted on in the end
        style = TileStyle(
            self.mode,
            self.strength if self.mode in BLENDED else 0.0,
            reduction=(
                halvings(abs(place.m22()) * ratio * pool),
                halvings(abs(place.m11()) * ratio * pool),
            ),
        )
        image = painted.picture(style, self._tables)
        cell = (pool * style.reduction[1], pool * style.reduction[0])
        target, source = cut(part, image, cell, shown)
        if target.isEmpty():
            return
        # More than one texel on a pixel would flicker while moving.
        smooth = cell[0] * abs(place.m11()) * ratio < 0.99 or cell[1] * place.m22() * ratio < 0.99
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
        painter.drawImage(target, image, source)
        if painted.is_hatched and (self.masked if isinstance(painted.tile, Tile) else hatched):
            dark = painted.picture(replace(style, stripe=1), self._tables)
            _paint_stripes(painter, dark, target, source, ratio)


def _paint_stripes(
    painter: QPainter, image: QImage, target: QRectF, source: QRectF, ratio: float
) -> None:
    """Paint a picture in every second stripe of the screen.

    Stripes lie still on the picture and are as wide at any zoom. They have no soft edges: mixed
    as Qt mixes, those would be darker than what they lie between.
    """
    place = painter.worldTransform()
    seen = place.mapRect(target).toAlignedRect()
    # On whole pixels of any screen, or it would not lie on what it was painted for.
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
    on_layer = place * QTransform.fromTranslate(-left, -top) * QTransform.fromScale(ratio, ratio)
    inside.setTransform(on_layer)
    inside.drawImage(target, image, source)
    inside.resetTransform()
    inside.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
    inside.setBrushOrigin(QPointF(on_layer.dx(), on_layer.dy()).toPoint())
    inside.fillRect(layer.rect(), QBrush(_every_second(ratio)))
    inside.end()
    layer.setDevicePixelRatio(ratio)
    with saved(painter):
        painter.resetTransform()
        painter.drawImage(left, top, layer)


@lru_cache(maxsize=8)
def _every_second(ratio: float) -> QImage:
    """Return what is repeated: diagonal stripes, exactly half of it."""
    wide = max(1, round(_STRIPE * ratio))
    across = np.arange(2 * wide, dtype=np.uint32)
    inside = (across[:, None] + across) // wide % 2 == 0
    pixels = np.where(inside, np.uint32(0xFF000000), np.uint32(0))
    form = QImage.Format.Format_ARGB32_Premultiplied
    return QImage(pixels.tobytes(), 2 * wide, 2 * wide, form).copy()
