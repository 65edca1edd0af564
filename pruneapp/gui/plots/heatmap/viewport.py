"""Geometry of the visible part of a heatmap; no Qt.

Weights are square if possible. A picture that would be thinner than `STRIP` (a bias, an embedding
of 100,000 rows) is widened. Zooming in makes its weights square: the longer side grows first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from pruneapp.analysis.tiles import TileRequest

# In pixels of the window.
PAD = 8.0
STRIP = 160.0
STRIP_CELL = 48.0
FIT_CELL = 96.0
CLOSEST_CELL = 160.0

# Maximum number of weights, or of means, in a tile; each takes 12 bytes.
TILE_BUDGET = 1 << 21


@dataclass(frozen=True)
class Viewport:
    """The visible part of `rows` x `columns` weights in a window of `width` x `height` pixels."""

    rows: int
    columns: int
    width: float
    height: float
    zoom: float = 0.0  # pixels per weight without widening; 0 fits the whole picture
    # Column and row (fractional) at the center of the window.
    x: float = 0.0
    y: float = 0.0

    @property
    def fit_zoom(self) -> float:
        """The zoom at which the whole picture is visible."""
        across = max(1.0, self.width - 2 * PAD) / self.columns
        down = max(1.0, self.height - 2 * PAD) / self.rows
        return min(across, down, FIT_CELL)

    @property
    def is_fitted(self) -> bool:
        """Whether the whole picture is visible."""
        return self.zoom <= self.fit_zoom * 1.0001

    @property
    def scale_x(self) -> float:
        """Pixels per column."""
        return max(self.zoom, self.fit_zoom, _floor(self.columns, self.width))

    @property
    def scale_y(self) -> float:
        """Pixels per row."""
        return max(self.zoom, self.fit_zoom, _floor(self.rows, self.height))

    @property
    def visible(self) -> tuple[float, float, float, float]:
        """Visible left, top, right, bottom in columns and rows; may exceed the picture."""
        across = self.width / self.scale_x / 2
        down = self.height / self.scale_y / 2
        return self.x - across, self.y - down, self.x + across, self.y + down

    def clamp(self) -> Viewport:
        """Return the viewport within its limits: zoom, and window center inside the picture.

        If the whole picture is visible, it is centered. Otherwise empty space around it is allowed,
        so that zooming keeps the weight under the mouse.
        """
        highest = max(self.fit_zoom, CLOSEST_CELL)
        view = replace(self, zoom=min(max(self.zoom, self.fit_zoom), highest))
        if view.is_fitted:
            return replace(view, x=view.columns / 2, y=view.rows / 2)
        return replace(
            view,
            x=min(max(view.x, 0.0), float(view.columns)),
            y=min(max(view.y, 0.0), float(view.rows)),
        )

    def fit(self) -> Viewport:
        """Return the viewport with the whole picture visible."""
        return replace(self, zoom=0.0, x=self.columns / 2, y=self.rows / 2).clamp()

    def resize(self, width: float, height: float) -> Viewport:
        """Return the viewport for another window size; stays fitted if it was."""
        view = replace(self, width=width, height=height)
        return view.fit() if self.is_fitted else view.clamp()

    def zoom_by(self, factor: float, left: float, top: float) -> Viewport:
        """Return the viewport zoomed by `factor`, with the pixel (`left`, `top`) fixed.

        At the limits of zoom and picture, the pixel moves.
        """
        zoomed = replace(self, zoom=max(self.zoom, self.fit_zoom) * factor)
        limited = replace(zoomed.clamp(), x=self.x, y=self.y)
        right_of_center, below_center = left - self.width / 2, top - self.height / 2
        return replace(
            limited,
            x=self.x + right_of_center / self.scale_x - right_of_center / limited.scale_x,
            y=self.y + below_center / self.scale_y - below_center / limited.scale_y,
        ).clamp()

    def pan_by(self, right: float, down: float) -> Viewport:
        """Return the viewport with the picture moved by these pixels."""
        return replace(
            self, x=self.x - right / self.scale_x, y=self.y - down / self.scale_y
        ).clamp()

    def reveal(self, row: int, column: int) -> Viewport:
        """Return the viewport moved as little as needed to show a weight."""
        left, top, right, bottom = self.visible
        x = self.x + min(0.0, column - left) + max(0.0, column + 1 - right)
        y = self.y + min(0.0, row - top) + max(0.0, row + 1 - bottom)
        return replace(self, x=x, y=y).clamp()

    def pixel(self, row: float, column: float) -> tuple[float, float]:
        """Return the window pixel (x, y) of a position in the picture."""
        return (
            (column - self.x) * self.scale_x + self.width / 2,
            (row - self.y) * self.scale_y + self.height / 2,
        )

    def weight_at(self, left: float, top: float) -> tuple[int, int] | None:
        """Return row and column at a pixel of the window; None outside the picture."""
        row, column = self._place(left, top)
        inside = 0 <= row < self.rows and 0 <= column < self.columns
        return (row, column) if inside else None

    def nearest(self, left: float, top: float) -> tuple[int, int]:
        """Return row and column of the weight closest to a pixel of the window."""
        row, column = self._place(left, top)
        return min(max(row, 0), self.rows - 1), min(max(column, 0), self.columns - 1)

    def _place(self, left: float, top: float) -> tuple[int, int]:
        column = math.floor(self.x + (left - self.width / 2) / self.scale_x)
        return math.floor(self.y + (top - self.height / 2) / self.scale_y), column

    def pool(self, ratio: float) -> int:
        """Return the side of the squares of weights that a tile combines to means, a power of 2.

        It is 1 if a weight has at least one pixel of the screen; `ratio` is device pixels per
        pixel.
        """
        finest = 1 / (max(self.scale_x, self.scale_y) * ratio)
        return 1 << max(0, math.ceil(math.log2(finest) - 1e-9)) if finest > 1 else 1

    def request(self, name: str, ratio: float, margin: float = 0.25) -> TileRequest:
        """Return the tile for the visible part and a margin, at the resolution of the screen.

        `margin` is a share of the visible part, added on each side and cut off at the picture; the
        result is rounded up to a grid. If it exceeds `TILE_BUDGET`, the margin is dropped, then the
        resolution is halved until it fits.
        """
        pool = self.pool(ratio)
        while True:
            for share in (margin, 0.0):
                part = self._part(name, pool, share)
                if -(-part.rows // pool) * -(-part.columns // pool) <= TILE_BUDGET:
                    return part
            pool *= 2

    def _part(self, name: str, pool: int, margin: float) -> TileRequest:
        left, top, right, bottom = self.visible
        # On a coarse grid, so that small moves request the same tile.
        step = pool * 16
        across, down = (right - left) * margin, (bottom - top) * margin
        column, stop_column = _snapped(left - across, right + across, self.columns, step)
        row, stop_row = _snapped(top - down, bottom + down, self.rows, step)
        return TileRequest(name, row, column, stop_row - row, stop_column - column, pool)


def is_view_covered(part: TileRequest, view: Viewport) -> bool:
    """Return whether a tile covers the visible part of the picture, at any resolution."""
    left, top, right, bottom = view.visible
    return (
        part.column <= max(0.0, left)
        and part.row <= max(0.0, top)
        and part.column + part.columns >= min(float(view.columns), right)
        and part.row + part.rows >= min(float(view.rows), bottom)
    )


def _floor(extent: int, room: float) -> float:
    return min(min(STRIP, max(1.0, room - 2 * PAD)) / extent, STRIP_CELL)


def _snapped(start: float, stop: float, extent: int, step: int) -> tuple[int, int]:
    low = max(0, math.floor(start / step) * step)
    high = min(extent, math.ceil(stop / step) * step)
    return min(low, max(0, extent - 1)), max(high, min(low, extent - 1) + 1)
