"""Tensors with known weights, whose tiles are answered immediately."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QLocale
from PySide6.QtGui import QColor

from pruneapp.analysis.layout import Layout
from pruneapp.analysis.tiles import Tile, TileRequest

# A convolution of 4 filters of 3 channels of 2x2, laid out as 8 rows and 6 columns.
CONV = Layout(
    (4, 3, 2, 2),
    (0, 2),
    (1, 3),
    "output channel × kernel row",
    "input channel × kernel column",
    "Each output channel is a band of 2 rows.",
    dims=("out", "in", "", ""),
    names=("output channel", "input channel", "kernel row", "kernel column"),
)


@pytest.fixture(autouse=True)
def english():
    """Format numbers as in English."""
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    yield
    QLocale.setDefault(before)


class Tensor:
    """Answers requests for tiles, and records them."""

    def __init__(self, layout: Layout, values, kept, to_prune=None, name="conv.weight") -> None:
        self.layout = layout
        self.name = name
        self.values = np.asarray(values, np.float32).reshape(layout.rows, layout.columns)
        self.kept = np.asarray(kept, np.float32).reshape(self.values.shape)
        self.to_prune = (
            np.zeros_like(self.kept) if to_prune is None else np.asarray(to_prune, np.float32)
        )
        self.protected = None
        self.requests: list[TileRequest] = []
        self.points: list[TileRequest] = []

    def tile(self, request: TileRequest) -> Tile:
        part = (
            slice(request.row, request.row + request.rows),
            slice(request.column, request.column + request.columns),
        )
        values = self.values * self.kept if request.pruned else self.values
        parts = [values[part], self.kept[part], self.to_prune[part]]
        if self.protected is not None:
            parts.append(np.asarray(self.protected, np.float32)[part])
        if request.pool > 1:
            parts[0] = np.abs(parts[0])
            parts = [mean(p, request.pool) for p in parts]
        protected = parts[3] if self.protected is not None else None
        return Tile(request, self.layout, *parts[:3], 1.0, protected, request.sampled)

    def attach(self, view) -> None:
        """Answer every request of a view immediately."""

        def tile(request):
            self.requests.append(request)
            view.set_tile(self.tile(request))

        def point(request):
            self.points.append(request)
            view.set_point(self.tile(request))

        view.tileRequested.connect(tile)
        view.pointRequested.connect(point)

    def show(self, view) -> None:
        view.set_layout(self.layout, self.layout.shape, "float32", self.name)


def mean(values, pool):
    rows, columns = np.arange(0, values.shape[0], pool), np.arange(0, values.shape[1], pool)
    sums = np.add.reduceat(np.add.reduceat(values, rows, 0), columns, 1)
    down = np.diff(np.append(rows, values.shape[0]))[:, None]
    across = np.diff(np.append(columns, values.shape[1]))
    return (sums / (down * across)).astype(np.float32)


@pytest.fixture
def conv():
    """Return 8 x 6 weights: (0, 0) is pruned, (0, 1) to be pruned, (0, 2) is 1, others are 0.5."""
    values = np.full((8, 6), 0.5)
    values[0, 2] = 1.0
    values[3, 4] = -0.03125
    kept, to_prune = np.ones((8, 6)), np.zeros((8, 6))
    kept[0, 0] = kept[3, 4] = 0
    to_prune[0, 1] = 1
    return Tensor(CONV, values, kept, to_prune)


@pytest.fixture
def make_tensor():
    return Tensor


@pytest.fixture
def painted():
    """Return a function that returns the color of a pixel of a widget, as ``#rrggbb``."""

    def at(widget, point) -> str:
        return QColor(widget.grab().toImage().pixel(point)).name()

    return at
