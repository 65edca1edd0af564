"""Where keys put the cursor on a picture of weights: pure arithmetic on what can be seen."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt

from pruneapp.gui.plots.heatmap.viewport import Viewport


def moved(key: int, view: Viewport, cursor: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return row and column where a key puts the cursor; None for keys that do not move it.

    Parameters
    ----------
    key
        Of `Qt.Key`.
    view
        Where one looks: a page is as high as what can be seen.
    cursor
        Where it is; if it is nowhere, the first key shows it in the middle.
    """
    row, column = cursor or (math.floor(view.y), math.floor(view.x))
    page = max(1, math.floor(view.height / view.scale_y) - 1)
    step = 0 if cursor is None else 1
    places = {
        Qt.Key.Key_Left: (row, column - step),
        Qt.Key.Key_Right: (row, column + step),
        Qt.Key.Key_Up: (row - step, column),
        Qt.Key.Key_Down: (row + step, column),
        Qt.Key.Key_Home: (row, 0),
        Qt.Key.Key_End: (row, view.columns - 1),
        Qt.Key.Key_PageUp: (row - page, column),
        Qt.Key.Key_PageDown: (row + page, column),
    }
    return places.get(Qt.Key(key))
