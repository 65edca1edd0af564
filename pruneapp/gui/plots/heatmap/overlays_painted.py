"""A tile and its picture, and which part of it can be seen."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage

from pruneapp.gui.plots.heatmap.shading import ColorTables, Look, reduced, shade
from pruneapp.gui.plots.heatmap.shading_differing import DifferenceTables
from pruneapp.results.tile import DifferenceTile, Tile, TileRequest


class PaintedTile:
    """A tile and its pictures; a picture borrows the memory of its numbers, so both are kept."""

    def __init__(self, tile: Tile | DifferenceTile) -> None:
        self.tile = tile
        self._pictures: dict[int, tuple[Look, NDArray[np.uint32], QImage]] = {}
        self._cells: tuple[tuple[int, int], NDArray[np.floating]] | None = None

    @property
    def pixels(self) -> NDArray[np.uint32] | None:
        """The pixels that were painted last, without the dark stripes."""
        return self._pictures[0][1] if self._pictures else None

    @property
    def hatched(self) -> NDArray[np.float32]:
        """Which weights are striped: what would go, or what is there again."""
        return self.tile.going if isinstance(self.tile, Tile) else self.tile.back

    @cached_property
    def is_hatched(self) -> bool:
        """Whether any weight is striped."""
        return bool(self.hatched.any())

    def guarded_cells(self, group: tuple[int, int]) -> NDArray[np.floating] | None:
        """Return ``float32[h, w]``: which share of cells of so many rows and columns is protected.

        None if nothing is protected.
        """
        if not isinstance(self.tile, Tile) or self.tile.guarded is None:
            return None
        if self._cells is None or self._cells[0] != group:
            self._cells = group, reduced(self.tile.guarded, group)
        return self._cells[1]

    def picture(self, look: Look, tables: ColorTables, changes: DifferenceTables) -> QImage:
        """Return the picture; made anew only if it is to look otherwise."""
        found = self._pictures.get(look.stripe)
        if found is None or found[0] != look:
            if isinstance(self.tile, Tile):
                pixels = shade(self.tile, look, tables)
            else:
                pixels = changes.shade(self.tile, look.reduction, look.stripe)
            pixels = np.ascontiguousarray(pixels)
            found = look, pixels, _image(pixels, QImage.Format.Format_RGB32)
            self._pictures[look.stripe] = found
        return found[2]

    def forget(self) -> None:
        """Paint anew next time: the colours are others."""
        self._pictures.clear()


def _image(pixels: NDArray[np.uint32], form: QImage.Format) -> QImage:
    height, width = pixels.shape
    return QImage(pixels.data, width, height, width * 4, form)


def halvings(texel: float) -> int:
    """Return the power of 2 that makes a texel of so many pixels at least one pixel large."""
    return 1 << math.ceil(math.log2(1 / texel) - 1e-6) if texel < 0.999999 else 1


def cut(
    part: TileRequest, image: QImage, cell: tuple[int, int], shown: QRectF
) -> tuple[QRectF, QRectF]:
    """Return the part that can be seen: in the picture, and in pixels of the image.

    Qt draws an image wrongly, and slowly, that is scaled to millions of pixels.
    """
    row, column = part.row, part.column
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
