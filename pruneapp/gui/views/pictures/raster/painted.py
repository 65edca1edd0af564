"""A tile and its picture, and which part of it can be seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage

from pruneapp.answers import Tile
from pruneapp.gui.views.pictures.raster.shading import Look, Tables, shade


@dataclass(eq=False)
class PaintedTile:
    """A tile and its pictures; a picture borrows the memory of its numbers, so both are kept."""

    tile: Tile
    look: Look | None = None
    pixels: NDArray[np.uint32] | None = None
    image: QImage | None = None
    stencil_pixels: NDArray[np.uint32] | None = None
    stencil: QImage | None = None

    def picture(self, look: Look, tables: Tables) -> QImage:
        """Return the picture; made anew only if it is to look otherwise."""
        if self.image is None or look != self.look:
            self.look = look
            self.pixels = np.ascontiguousarray(shade(self.tile, look, tables))
            self.image = _image(self.pixels, QImage.Format.Format_RGB32)
        return self.image

    def going(self) -> QImage:
        """Return where something would go, as opacity."""
        if self.stencil is None:
            opacity = np.rint(np.clip(self.tile.going, 0, 1) * 255).astype(np.uint32)
            self.stencil_pixels = np.ascontiguousarray(opacity << np.uint32(24))
            self.stencil = _image(self.stencil_pixels, QImage.Format.Format_ARGB32_Premultiplied)
        return self.stencil


def _image(pixels: NDArray[np.uint32], form: QImage.Format) -> QImage:
    height, width = pixels.shape
    return QImage(pixels.data, width, height, width * 4, form)


def runs(tile: Tile, shown: QRectF) -> NDArray[np.float64] | None:
    """Return ``float64[n, 4]``: left, top, width, height of what would go, in runs along rows.

    None if the tile does not say it weight by weight.
    """
    part = tile.request
    if part.pool != 1:
        return None
    top = max(0, math.floor(shown.top()) - part.row)
    left = max(0, math.floor(shown.left()) - part.column)
    bottom = max(0, math.ceil(shown.bottom()) - part.row)
    right = max(0, math.ceil(shown.right()) - part.column)
    goes = np.pad(tile.going[top:bottom, left:right] > 0, ((0, 0), (1, 1)))
    rows, starts = np.nonzero(goes[:, 1:] & ~goes[:, :-1])
    _, stops = np.nonzero(goes[:, :-1] & ~goes[:, 1:])
    return np.stack(
        [
            starts + part.column + left,
            rows + part.row + top,
            stops - starts,
            np.ones_like(starts),
        ],
        axis=1,
    ).astype(np.float64)


def halvings(texel: float) -> int:
    """Return the power of 2 that makes a texel of so many pixels at least one pixel large."""
    return 1 << math.ceil(math.log2(1 / texel) - 1e-6) if texel < 0.999999 else 1


def cut(tile: Tile, image: QImage, cell: tuple[int, int], shown: QRectF) -> tuple[QRectF, QRectF]:
    """Return the part that can be seen: in the picture, and in pixels of the image.

    Qt draws an image wrongly, and slowly, that is scaled to millions of pixels.
    """
    row, column = tile.request.row, tile.request.column
    left = max(0, math.floor((shown.left() - column) / cell[0]))
    top = max(0, math.floor((shown.top() - row) / cell[1]))
    right = min(image.width(), math.ceil((shown.right() - column) / cell[0]))
    bottom = min(image.height(), math.ceil((shown.bottom() - row) / cell[1]))
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
